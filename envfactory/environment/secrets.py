"""Secrets: which record has the value that a tool's secret input stands for, and that no tool gives it away.

A `Secret` stands on a field of one table's records, and on inputs of tools. What an input stands for is found from the
declarations alone, the first of these that there is:

- the call names a record of that table;
- the call names something that a record of that table refers to (the card of a table of PINs);
- the record is the person whose session it is, or refers to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from envfactory.environment.errors import DeclarationError
from envfactory.environment.spec import Parameter, Spec, TableSpec, ToolSpec
from envfactory.environment.states import State
from envfactory.environment.templates import parse_template, slots


@dataclass(frozen=True, slots=True)
class Keeper:
    """Where a secret input's value stands.

    Attributes:
        table, field: the table, and the field of its records.
        by: the field that tells whose record it is: `id`, or one that refers to somebody or something.
        argument: the input that `by` is compared with; empty: it is the state's field `owner`.
        owner: see `argument`.
    """

    table: str
    field: str
    by: str
    argument: str = ""
    owner: str = ""


def kept_by(spec: Spec, tool: ToolSpec, leaf: Parameter) -> Keeper:
    """Where the value of a tool's secret input stands.

    Raises:
        DeclarationError: no table has such a secret, several have, or nothing tells whose it is.
    """
    homes = [(table, field) for table in spec.tables for field in table.fields if field.secret == leaf.secret]
    if len(homes) != 1:
        raise DeclarationError(
            f"{tool.wire_name}: {leaf.path} is Secret({leaf.secret!r}), which must stand on one field of one table's "
            f"records; it stands on {len(homes)}"
        )
    table, field = homes[0]
    named = [(other.ref, other.path) for other in tool.inputs if other.ref and other.path in tool.required]
    people = [(other.ref, other.path) for other in spec.fields if other.ref]
    for by, entity in _whose(table):
        if argument := next((path for ref, path in named if ref == entity), ""):
            return Keeper(table.name, field.path, by, argument=argument)
    for by, entity in _whose(table):
        if owner := next((path for ref, path in people if ref == entity), ""):
            return Keeper(table.name, field.path, by, owner=owner)
    raise DeclarationError(
        f"{tool.wire_name}: nothing tells whose {leaf.secret} {leaf.path} is: the tool must take a {table.entity} or "
        f"what one refers to, or a {table.entity} must belong to the session's person"
    )


def kept_values(keeper: Keeper, state: State, chosen: Mapping[str, Any]) -> list[Any]:
    """The value of a secret input in a state, given the other arguments; nothing unless one record has it."""
    key = chosen.get(keeper.argument) if keeper.argument else state.get(keeper.owner)
    rows = [row for row in state[keeper.table].values() if key is not None and row.get(keeper.by) == key]
    return [row[keeper.field] for row in rows] if len(rows) == 1 else []


def check_secrets(spec: Spec) -> None:
    """Refuse secrets that tools could give away, or that nobody could be asked for.

    Raises:
        DeclarationError: says which tool, or which table, and where.
    """
    for leaf in spec.fields:
        if leaf.secret:
            raise DeclarationError(f"{spec.name}: {leaf.path} is a Secret; it must stand on a record")
    for table in spec.tables:
        for leaf in table.fields:
            if leaf.secret and (leaf.path != leaf.name or not leaf.required or leaf.type == "boolean"):
                raise DeclarationError(
                    f"{spec.name}: {table.entity}.{leaf.path} is a Secret; make it a field of its own"
                )
    for tool in spec.tools:
        for leaf in tool.outputs:
            if leaf.secret:
                raise DeclarationError(f"{tool.wire_name}: {leaf.path} gives away the {leaf.secret}, which is a Secret")
        for leaf in tool.secrets:
            _check_input(spec, tool, leaf)


def _check_input(spec: Spec, tool: ToolSpec, leaf: Parameter) -> None:
    if leaf.path not in tool.required or leaf.ref or leaf.value or leaf.enum or leaf.free_text:
        raise DeclarationError(
            f"{tool.wire_name}: {leaf.path} is a Secret; make it a required argument with no other meaning"
        )
    for text in (*tool.ask, *tool.reply, tool.noun):
        if leaf.path in slots(parse_template(text)):
            raise DeclarationError(f"{tool.wire_name}: {text!r} says {leaf.path!r}, a Secret that has to be asked for")
    kept_by(spec, tool, leaf)


def _whose(table: TableSpec) -> Iterator[tuple[str, str]]:
    """What tells the records of a table apart: their id, then what each refers to; fields and entities."""
    yield "id", table.entity
    yield from ((field.path, field.ref) for field in table.fields if field.ref and field.path == field.name != "id")
