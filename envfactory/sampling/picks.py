"""Which item of a result a later call takes, and by which mark a person would single it out.

A person says "the cheapest one", "the first one" or a name; never an id. So an item may be taken only if one of these
marks tells it apart from all the others that were shown.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from envfactory.environment import Parameter, Shape, ToolSpec
from envfactory.environment.templates import Slot, parse_template
from envfactory.gold import Pick, value_at

_LEVEL = re.compile(r"\[\]")


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that can be taken: concrete path, the value, the mark (None where no list was on the way)."""

    path: str
    value: Any
    pick: Pick | None


def concrete_paths(output: Any, path: str) -> Iterator[str]:
    """Every concrete path that a spec path (`hotels[].id`) has in an output; absent members give none."""
    head, bracket, rest = path.partition("[]")
    try:
        found = value_at(output, head) if head else output
    except KeyError:
        return
    if not bracket:
        yield head
        return
    for position in range(len(found)):
        inner = rest.removeprefix(".")
        if not inner:
            yield f"{head}[{position}]"
            continue
        for below in concrete_paths(found[position], inner):
            yield f"{head}[{position}].{below}"


def choices(tool: ToolSpec, output: Any, path: str, rng: random.Random) -> list[Choice]:
    """The values at a spec path that a person could point to, in random order, each with one of its marks."""
    paths = list(concrete_paths(output, path))
    if "[]" not in path:
        return [Choice(found, value_at(output, found), None) for found in paths]
    holder = path[: path.rindex("[]") + 2]
    if _LEVEL.findall(holder) != ["[]"]:
        return []  # an item within an item has no short name
    items: list[Any] = value_at(output, holder.removesuffix("[]"))
    whole = not isinstance(output, dict) or output.get("total", len(items)) == len(items)  # pyright: ignore[reportUnknownMemberType]
    found = [
        Choice(place, value_at(output, place), pick)
        for position, place in enumerate(paths)
        if (pick := _mark(tool, items, position, holder, rng, whole=whole)) is not None
    ]
    rng.shuffle(found)
    return found


def _mark(
    tool: ToolSpec, items: list[Any], position: int, holder: str, rng: random.Random, *, whole: bool
) -> Pick | None:  # fmt: skip
    if len(items) == 1 and whole:
        return Pick(by="only")
    marks: list[Pick] = []
    if whole and all(isinstance(item, dict) for item in items):
        marks += _extremes(tool, items, position, holder)
    shape = next((shape for shape in tool.output_shapes if shape.path == holder), None)
    if shape is not None and (name := named(shape, items[position])):
        if [named(shape, item) for item in items].count(name) == 1:
            marks.append(Pick(by="name"))
    if position == 0:
        marks.append(Pick(by="first"))
    return rng.choice(marks) if marks else None


def _extremes(tool: ToolSpec, items: list[dict[str, Any]], position: int, holder: str) -> Iterator[Pick]:
    for leaf in tool.outputs:
        if leaf.holder != holder or not any(leaf.ranked):
            continue
        values = [item.get(leaf.name) for item in items]
        mine = values[position]
        if mine is None or None in values or values.count(mine) != 1:
            continue
        if leaf.ranked[0] and mine == min(values):  # pyright: ignore[reportArgumentType]
            yield Pick(by="low", field=leaf.name)
        if leaf.ranked[1] and mine == max(values):  # pyright: ignore[reportArgumentType]
            yield Pick(by="high", field=leaf.name)


def named(shape: Shape, row: Any) -> str:
    """The raw values that a label would show, joined; nothing if the shape has no label or the row lacks one of them."""
    if not shape.label or not isinstance(row, dict):
        return ""
    parts: list[str] = []
    for part in parse_template(shape.label):
        if isinstance(part, Slot):
            value = row.get(part.name)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            if value is None or value == "":
                return ""
            parts.append(str(value))  # pyright: ignore[reportUnknownArgumentType]
    return " ".join(parts)


def ranked_words(leaf: Parameter, pick: Pick) -> str:
    """What a person calls the item with this mark ("cheapest")."""
    return leaf.ranked[0 if pick.by == "low" else 1]
