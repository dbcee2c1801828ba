"""`Leaves`: every output and input leaf of some environments' tools, flat, with what text and declarations say of each.

The text is all that the proposal sees; `key` (the declared entity or domain of values) is for rules and for scoring.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from envfactory.environment import Parameter, Shape, Spec, ToolSpec
from envfactory.environment.arguments import argument_tree


@dataclass(frozen=True, slots=True)
class Leaf:
    """An input or output leaf of a tool.

    Attributes:
        tool: index of its tool in `Leaves.tools`.
        text: `"{name} ({type}): {description}"`; a record's plain `id` is named as people call the record (`hotel_id`).
        ref: the entity it identifies; the `id` of a record identifies that record even if nothing says so.
        required: for inputs, whether every call has it.
        form: JSON type and format.
        key: what it is declared to hold: `entity Hotel`, `value city`, or nothing.
    """

    tool: int
    parameter: Parameter
    text: str
    ref: str
    required: bool
    form: tuple[str, str]
    key: str

    @property
    def path(self) -> str:
        """Its spec path."""
        return self.parameter.path

    @property
    def listed(self) -> bool:
        """Whether it stands in a list."""
        return "[]" in self.path


@dataclass(frozen=True)
class Leaves:
    """The tools that agents are offered, sorted by wire name, and their leaves."""

    tools: tuple[ToolSpec, ...]
    outputs: tuple[Leaf, ...]
    inputs: tuple[Leaf, ...]

    @cached_property
    def environments(self) -> tuple[str, ...]:
        """The environment of each tool."""
        return tuple(tool.environment for tool in self.tools)

    @cached_property
    def inputs_of(self) -> tuple[tuple[Leaf, ...], ...]:
        """The input leaves of each tool."""
        found: list[list[Leaf]] = [[] for _ in self.tools]
        for leaf in self.inputs:
            found[leaf.tool].append(leaf)
        return tuple(map(tuple, found))


def leaves_of(specs: Iterable[Spec]) -> Leaves:
    """Collect the leaves of environments' agent tools."""
    specs = tuple(specs)
    nouns = {table.entity: table.noun for spec in specs for table in spec.tables}
    tools = sorted((tool for spec in specs for tool in spec.agent_tools), key=lambda tool: tool.wire_name)
    outputs = [
        _leaf(index, parameter, tool.output_shapes, nouns, required=True)
        for index, tool in enumerate(tools)
        for parameter in tool.outputs
    ]
    inputs: list[Leaf] = []
    for index, tool in enumerate(tools):
        always = required_paths(tool)
        inputs += [_leaf(index, leaf, tool.input_shapes, nouns, required=leaf.path in always) for leaf in tool.inputs]
    return Leaves(tuple(tools), tuple(outputs), tuple(inputs))


def required_paths(tool: ToolSpec) -> set[str]:
    """The paths of the input leaves that every call has: demanded, in holders that are demanded."""
    found: set[str] = set()
    waiting = [argument_tree(tool)]
    while waiting:
        node = waiting.pop()
        if node.leaf is not None:
            found.add(node.path)
        waiting += [child for child in (*node.children.values(), node.item) if child is not None and child.required]
    return found


def _leaf(
    tool: int, parameter: Parameter, shapes: tuple[Shape, ...], nouns: Mapping[str, str], *, required: bool
) -> Leaf:
    holder = next((shape for shape in shapes if shape.path == parameter.holder and shape.record), None)
    name, ref = parameter.name, parameter.ref
    if name == "id" and holder is not None:
        ref = ref or holder.entity
        name = f"{nouns[ref].replace(' ', '_') if ref in nouns else _snake(ref)}_id"
    kind = parameter.format or parameter.type
    return Leaf(
        tool=tool,
        parameter=parameter,
        text=f"{name} ({kind}): {parameter.description}",
        ref=ref,
        required=required,
        form=(parameter.type, parameter.format),
        key=f"entity {ref}" if ref else f"value {parameter.value}" if parameter.value else "",
    )


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and at else c.lower() for at, c in enumerate(name))
