"""From an environment class to its `Spec`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from pydantic import TypeAdapter

from envfactory.environment.environment import Environment
from envfactory.environment.errors import DeclarationError
from envfactory.environment.records import Record
from envfactory.environment.schema import flattened_schema, leaves, model_fields, shape_of
from envfactory.environment.secrets import check_secrets
from envfactory.environment.spec import Parameter, Shape, Spec, TableSpec, ToolSpec
from envfactory.environment.templates import check_ask, check_reply
from envfactory.environment.tools import Tool


@cache
def describe(environment: type[Environment]) -> Spec:
    """Return the spec of an environment class.

    Raises:
        DeclarationError: a declaration that does not hold together: a template that names no argument, a relation on an
            unknown parameter, a type outside the dialect.
    """
    name = environment.environment_name()
    spec = Spec(
        name=name,
        title=name.replace("_", " ").title(),
        domain=environment.domain,
        description=" ".join((environment.__doc__ or "").split()),
        policy=" ".join(environment.policy.split()),
        sources=environment.sources,
        tables=tuple(_table(table, record) for table, record in environment.tables.items()),
        fields=tuple(
            leaf
            for leaf in leaves(
                field for field in model_fields(environment) if field.name not in _PRIVATE | set(environment.tables)
            )
            if isinstance(leaf, Parameter)
        ),
        tools=tuple(_tool(name, tool) for tool in environment.tools.values()),
    )
    for tool in spec.tools:
        _check_templates(tool)
        _check_relations(tool, spec)
        _check_first(tool, spec)
    check_secrets(spec)
    return spec


_PRIVATE = {"counters"}


def _split(found: Iterable[Parameter | Shape]) -> tuple[tuple[Parameter, ...], tuple[Shape, ...]]:
    every = tuple(found)
    return (
        tuple(leaf for leaf in every if isinstance(leaf, Parameter)),
        tuple(shape for shape in every if isinstance(shape, Shape)),
    )


def _table(name: str, record: type[Record]) -> TableSpec:
    fields, shapes = _split(leaves(model_fields(record)))
    return TableSpec(
        name=name, entity=record.__name__, noun=record.noun, label=record.label, fields=fields,
        shapes=(shape_of(record, ""), *shapes),
    )  # fmt: skip


def _tool(environment: str, tool: Tool) -> ToolSpec:
    inputs, input_shapes = _split(leaves(iter(tool.fields)))
    outputs, output_shapes = _split(leaves(model_fields(tool.output)))
    said = {leaf.path.removesuffix("[]"): leaf.description for leaf in inputs if not leaf.holder}
    fields = [replace(field, description=field.description or said.get(field.name, "")) for field in tool.fields]
    declared = tool.declaration
    return ToolSpec(
        environment=environment,
        name=tool.name,
        description=tool.description,
        writes=declared.writes,
        by=declared.by,
        parameters=flattened_schema(tool.adapter, fields),
        output_schema=flattened_schema(TypeAdapter(tool.output)),
        inputs=inputs,
        outputs=outputs,
        input_shapes=input_shapes,
        output_shapes=(shape_of(tool.output, ""), *output_shapes),
        ask=declared.ask,
        reply=declared.reply,
        noun=declared.noun,
        where=declared.where,
        first=declared.first,
    )


def _check_templates(tool: ToolSpec) -> None:
    for text in tool.ask:
        check_ask(tool, text)
    if tool.noun:
        check_ask(tool, tool.noun, noun=True)
    for text in tool.reply:
        check_reply(tool, text)


def _check_first(tool: ToolSpec, spec: Spec) -> None:
    """What the person does first is a tool of theirs, whose arguments the tool has as well."""
    if not tool.first:
        return
    act = spec.tool_by_name.get(tool.first)
    if tool.by == "user" or act is None or act.by != "user":
        raise DeclarationError(
            f'{tool.wire_name}: first={tool.first!r} expected a tool by="user", for one of the agent'
        )
    kinds = {leaf.path: (leaf.type, leaf.ref, leaf.value) for leaf in tool.inputs}
    for leaf in act.inputs:
        if kinds.get(leaf.path) != (leaf.type, leaf.ref, leaf.value):
            raise DeclarationError(f"{tool.wire_name}: {tool.first} takes {leaf.path}, which it does not take alike")


def _check_relations(tool: ToolSpec, spec: Spec) -> None:
    state = {field.path for field in spec.fields}
    tops = {leaf.top for leaf in tool.inputs}
    for relation in tool.where:
        values = relation.model_dump()
        named = [values[key] for key in ("parameter", "other") if key in values] + list(values.get("parameters", ()))
        unknown = [name for name in named if name not in tool.input_by_path and name not in tops]
        if "by" in values and values["by"] not in tool.input_by_path and values["by"] not in state:
            unknown.append(values["by"])
        if unknown:
            raise DeclarationError(f"{tool.wire_name}: {relation!r} names {', '.join(unknown)}, which it does not take")
        holders: dict[str, tuple[str, ...]] = {}
        if "field" in values:
            holders[values.get("other", values["parameter"])] = (values["field"],)
        elif "fields" in values:
            holders = {values["parameter"]: values["fields"], values["other"]: values["fields"]}
        for path, fields in holders.items():
            table = spec.table_of_entity.get(values.get("entity", tool.input_by_path[path].ref))
            for field in fields:
                if table is None or field not in table.field_by_path:
                    known = ", ".join(table.field_by_path) if table else f"{path} is no Ref to a table"
                    raise DeclarationError(f"{tool.wire_name}: {relation!r}: no field {field!r} ({known})")
