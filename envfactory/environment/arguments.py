"""The tree of a tool's arguments: which leaves stand in which objects and lists.

Built from a `ToolSpec` alone. A node is a leaf (its `Parameter`), an object (named children) or a list of nodes;
drawing, binding and wording all walk this one tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import orjson

from envfactory.environment.spec import Parameter, ToolSpec


@dataclass(slots=True)
class Node:
    """A place in the arguments.

    Attributes:
        path: spec path; ends in `[]` for the item of a list.
        required: whether its holder demands it.
        leaf: set for scalars.
        children: set for objects, by name.
        item: set for lists.
        bounds: fewest and most items of a list.
    """

    path: str
    required: bool = True
    leaf: Parameter | None = None
    children: dict[str, Node] = field(default_factory=dict)
    item: Node | None = None
    bounds: tuple[int, int] = (1, 3)


@lru_cache(maxsize=4096)
def _tree(parameters: str, inputs: tuple[Parameter, ...]) -> Node:
    by_path = {leaf.path: leaf for leaf in inputs}
    return _node(orjson.loads(parameters), "", True, by_path)


def argument_tree(tool: ToolSpec) -> Node:
    """Return the root object of a tool's arguments."""
    return _tree(tool.parameters, tool.inputs)


def _node(schema: dict[str, object], path: str, required: bool, leaves: dict[str, Parameter]) -> Node:
    if schema["type"] == "object":
        properties: dict[str, dict[str, object]] = schema.get("properties", {})  # pyright: ignore[reportAssignmentType]
        demanded: list[str] = schema.get("required", [])  # pyright: ignore[reportAssignmentType]
        children = {
            name: _node(child, f"{path}.{name}" if path else name, name in demanded, leaves)
            for name, child in properties.items()
        }
        return Node(path, required, children=children)
    if schema["type"] == "array":
        items: dict[str, object] = schema["items"]  # pyright: ignore[reportAssignmentType]
        low = int(schema.get("minItems", 1))  # pyright: ignore[reportArgumentType]
        high = int(schema.get("maxItems", max(low, 3)))  # pyright: ignore[reportArgumentType]
        return Node(path, required, item=_node(items, f"{path}[]", True, leaves), bounds=(max(low, 1), high))
    return Node(path, required, leaf=leaves[path])
