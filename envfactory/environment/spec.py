"""The `Spec`: everything about an environment that is not its code, as plain JSON.

Above this layer nobody touches the class. A spec lists tables and tools; their fields are flattened to leaves, each a
`Parameter` with a path: `[]` descends into a list, `.` into an object (`items[].product_id`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from envfactory.environment.declare import Actor
from envfactory.environment.relations import Relation

RUNTIME_VERSION = 3
"""Declared version of the runtime; part of every environment's digest. Raise it when behaviour changes."""

SEPARATOR = "-"
"""Between environment and tool in a wire name: `hotel_reservations-book_room`."""

LeafType = Literal["string", "integer", "number", "boolean"]
Scalar = str | int | float | bool
_V = TypeVar("_V")


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Parameter(_Plain):
    """A leaf of a tool's input, a tool's output, or a record.

    Attributes:
        path: where it stands; `[]` marks each list on the way.
        type: the JSON type of the leaf itself.
        format: `date`, `date-time` or nothing.
        required: whether it is there whenever what holds it is; at the top, whether the tool demands it.
        value: name of the domain of values (`Value`), if declared.
        ref: entity whose id it is (`Ref`), if declared.
        free_text: prose, compared by presence; `examples` are what a person might write.
        secret: what the value is called that only the person has (`Secret`), if it is one.
        unit: how a number is said (`USD`, `night`).
        ranked: what the lowest and the highest are called, or two empty strings.
        volatile: does not count when states are compared.
    """

    path: str
    type: LeafType
    format: str = ""
    description: str = ""
    required: bool = True
    default: Scalar | None = None
    enum: tuple[Scalar, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    value: str = ""
    ref: str = ""
    free_text: bool = False
    examples: tuple[str, ...] = ()
    secret: str = ""
    unit: str = ""
    ranked: tuple[str, str] = ("", "")
    volatile: bool = False

    @cached_property
    def name(self) -> str:
        """The last word of the path: `product_id` of `items[].product_id`."""
        return self.path.replace("[]", "").rsplit(".", 1)[-1]

    @property
    def top(self) -> str:
        """The first word of the path: `items` of `items[].product_id`."""
        return self.path.split(".", 1)[0].replace("[]", "")

    @property
    def holder(self) -> str:
        """The path of what holds the leaf: `items[]` of `items[].product_id`; empty at the top."""
        path = self.path.removesuffix("[]")
        return path.rsplit(".", 1)[0] if "." in path else ""


class Shape(_Plain):
    """An object or list of objects on the way to leaves, and how a person speaks of it.

    Attributes:
        path: `hotels[]`, `shipping_address`, or empty for the whole.
        entity: class name of the record, output or argument.
        noun: what one is called ("hotel").
        label: template that names one ("{name}"); `listing` the one for lists.
        record: whether it is a `Record`, so that its `id` names it.
    """

    path: str
    entity: str
    noun: str = ""
    label: str = ""
    listing: str = ""
    record: bool = False


class ToolSpec(_Plain):
    """A tool, as an agent and the rest of the system see it.

    Attributes:
        name: the method's name; `wire_name` is what agents call.
        parameters: JSON Schema of the arguments in the flattened dialect, as JSON text, the same bytes everywhere.
        output_schema: likewise for the result.
        inputs, outputs: the leaves; `input_shapes`, `output_shapes` the objects and lists that hold them.
        ask, reply, noun, where, first, by, writes: as declared with `@tool`.
    """

    environment: str
    name: str
    description: str
    writes: bool
    by: Actor
    parameters: str
    output_schema: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    input_shapes: tuple[Shape, ...]
    output_shapes: tuple[Shape, ...]
    ask: tuple[str, ...]
    reply: tuple[str, ...]
    noun: str
    where: tuple[Relation, ...]
    first: str = ""

    @cached_property
    def wire_name(self) -> str:
        """`<environment>-<tool>`."""
        return f"{self.environment}{SEPARATOR}{self.name}"

    @cached_property
    def input_by_path(self) -> dict[str, Parameter]:
        """The input leaves by path."""
        return {parameter.path: parameter for parameter in self.inputs}

    @cached_property
    def relations_by_path(self) -> dict[str, list[Relation]]:
        """The relations on a single input, by its path."""
        found: dict[str, list[Relation]] = {}
        for relation in self.where:
            if path := relation.__dict__.get("parameter"):
                found.setdefault(path, []).append(relation)
        return found

    @cached_property
    def output_by_path(self) -> dict[str, Parameter]:
        """The output leaves by path."""
        return {parameter.path: parameter for parameter in self.outputs}

    @cached_property
    def secrets(self) -> tuple[Parameter, ...]:
        """The input leaves whose values only the person has."""
        return tuple(leaf for leaf in self.inputs if leaf.secret)

    @cached_property
    def defaults(self) -> dict[str, tuple[Parameter, ...]]:
        """The input leaves that have a default, by the path of what holds them (empty at the top)."""
        found: dict[str, tuple[Parameter, ...]] = {}
        for leaf in self.inputs:
            if leaf.default is not None and not leaf.path.endswith("[]"):
                found[leaf.holder] = (*found.get(leaf.holder, ()), leaf)
        return found

    @cached_property
    def required(self) -> tuple[str, ...]:
        """Names of the top-level arguments that must be given, in order."""
        import orjson

        return tuple(orjson.loads(self.parameters).get("required", ()))

    def function_schema(self) -> dict[str, Any]:
        """The tool as chat models are given it: `{"type": "function", "function": {name, description, parameters}}`."""
        import orjson

        function = {
            "name": self.wire_name,
            "description": self.description,
            "parameters": orjson.loads(self.parameters),
        }
        return {"type": "function", "function": function}


class TableSpec(_Plain):
    """A table of the database: its records' leaves and shapes (`Shape.path` empty is the record itself)."""

    name: str
    entity: str
    noun: str
    label: str
    fields: tuple[Parameter, ...]
    shapes: tuple[Shape, ...]

    @cached_property
    def field_by_path(self) -> dict[str, Parameter]:
        """The leaves by path."""
        return {parameter.path: parameter for parameter in self.fields}


class Spec(_Plain):
    """An environment as data.

    Attributes:
        name: snake case of the class; the first half of wire names.
        fields: leaves of the state beside the tables (`guest_id`, who the session belongs to).
        runtime: `RUNTIME_VERSION` it was described with.
    """

    name: str
    title: str
    domain: str
    description: str
    policy: str
    sources: tuple[str, ...]
    tables: tuple[TableSpec, ...]
    fields: tuple[Parameter, ...]
    tools: tuple[ToolSpec, ...]
    runtime: int = RUNTIME_VERSION

    @cached_property
    def tool_by_name(self) -> dict[str, ToolSpec]:
        """The tools by method name."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def table_by_name(self) -> dict[str, TableSpec]:
        """The tables by field name."""
        return {table.name: table for table in self.tables}

    @cached_property
    def table_of_entity(self) -> dict[str, TableSpec]:
        """The tables by the entity they hold."""
        return {table.entity: table for table in self.tables}

    @cached_property
    def agent_tools(self) -> tuple[ToolSpec, ...]:
        """The tools an agent is offered: all but those marked `by="user"`."""
        return tuple(tool for tool in self.tools if tool.by == "agent")

    def done_first(self, tool: ToolSpec, arguments: Mapping[str, _V]) -> tuple[ToolSpec, dict[str, _V]] | None:
        """What the person has to do before a call of a tool, with its share of the call's arguments; None: nothing.

        Args:
            tool: what is to be called.
            arguments: of the call, by name, in whatever form.
        """
        if not tool.first:
            return None
        act = self.tool_by_name[tool.first]
        tops = {leaf.top for leaf in act.inputs}
        return act, {name: value for name, value in arguments.items() if name in tops}

    @cached_property
    def phrasings(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The wire name of every tool that an agent is asked for, with how."""
        return tuple((tool.wire_name, tool.ask) for tool in self.agent_tools)

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """The names of tools and parameters that are no plain words, since they have an underscore."""
        names = (name for tool in self.tools for name in (tool.name, *(leaf.name for leaf in tool.inputs)))
        return frozenset(name for name in names if "_" in name)


def tool_of(specs: Mapping[str, Spec], wire_name: str) -> ToolSpec:
    """Return a tool by its wire name.

    Raises:
        KeyError: no such environment or tool.
    """
    environment, _, name = wire_name.partition(SEPARATOR)
    return specs[environment].tool_by_name[name]
