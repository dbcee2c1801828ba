"""Which item of a result a later call takes, and by which mark a person would single it out.

A person says "the cheapest one", "the first one" or a name; never an id. So an item may be taken only if one of these
marks tells it apart from all the others that were shown.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from envfactory.environment import Parameter, Shape, ToolSpec
from envfactory.environment.templates import Slot, parse_template
from envfactory.gold import Pick, value_at


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that can be taken: concrete path, the value, the mark (None where no list was on the way)."""

    path: str
    value: Any
    pick: Pick | None


def is_short(path: str) -> bool:
    """Whether a person can point to what stands at a spec path: an item within an item has no short name."""
    return path.count("[]") <= 1


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


def takeable(tool: ToolSpec, output: Any, path: str) -> list[Any]:
    """The values at a spec path that `choices` would find, without their marks."""
    if "[]" not in path:
        return [value_at(output, found) for found in concrete_paths(output, path)]
    items = _Items.of(tool, output, path)
    return [] if items is None else [value for _, value, _ in items.marked()]


def choices(tool: ToolSpec, output: Any, path: str, rng: random.Random) -> list[Choice]:
    """The values at a spec path that a person could point to, in random order, each with one of its marks."""
    if "[]" not in path:
        return [Choice(found, value_at(output, found), None) for found in concrete_paths(output, path)]
    items = _Items.of(tool, output, path)
    if items is None:
        return []
    found = [Choice(place, value, rng.choice(marks)) for place, value, marks in items.marked()]
    rng.shuffle(found)
    return found


def marks_of(tool: ToolSpec, output: Any, path: str, value: Any) -> list[Pick]:
    """The marks that tell the item with a value at a spec path apart; none if it does not stand there."""
    items = _Items.of(tool, output, path)
    none: list[Pick] = []
    return none if items is None else next((marks for _, other, marks in items.marked() if other == value), none)


@dataclass(slots=True)
class _Items:
    """The items of a list in a result, and what tells them apart.

    Attributes:
        places: concrete paths of the wanted values; None for an item that lacks it.
        values: the values there.
        names: what each item is called, as raw values; empty where it has no name.
        ranks: for each field by which items are singled out, the field and the items' values.
        whole: whether these are all the items there are, and not a page of them.
    """

    places: list[str | None]
    values: list[Any]
    names: list[str]
    ranks: list[tuple[Parameter, list[Any]]]
    whole: bool

    @classmethod
    def of(cls, tool: ToolSpec, output: Any, path: str) -> _Items | None:
        """Look at the list on the way of a spec path; None if there is none, or one within another."""
        holder = path[: path.rindex("[]") + 2]
        if not is_short(holder):
            return None
        try:
            items: list[Any] = value_at(output, holder.removesuffix("[]"))
        except KeyError:
            return None
        places: list[str | None] = [None] * len(items)
        for place in concrete_paths(output, path):
            places[int(place[len(holder) - 1 :].partition("]")[0])] = place
        shape = next((shape for shape in tool.output_shapes if shape.path == holder), None)
        names = [named(shape, item) if shape else "" for item in items]
        total = next(iter(concrete_paths(output, "total")), None)
        whole = total is None or value_at(output, total) == len(items)
        ranked = [leaf for leaf in tool.outputs if leaf.holder == holder and any(leaf.ranked)] if whole else []
        ranks = [(leaf, [item.get(leaf.name) for item in items]) for leaf in ranked]
        values = [None if place is None else value_at(output, place) for place in places]
        return cls(places, values, names, ranks, whole)

    def marked(self) -> Iterator[tuple[str, Any, list[Pick]]]:
        """The items that have a mark: place, value, marks."""
        for position, (place, value) in enumerate(zip(self.places, self.values, strict=True)):
            if place is not None and (marks := self._marks(position)):
                yield place, value, marks

    def _marks(self, position: int) -> list[Pick]:
        if len(self.places) == 1 and self.whole:
            return [Pick(by="only")]
        marks = [mark for leaf, values in self.ranks for mark in _extremes(leaf, values, position)]
        if self.names[position] and self.names.count(self.names[position]) == 1:
            marks.append(Pick(by="name"))
        if position == 0 and not marks:  # people say "the first one" only of what they cannot say better
            marks.append(Pick(by="first"))
        return marks


def _extremes(leaf: Parameter, values: list[Any], position: int) -> Iterator[Pick]:
    mine = values[position]
    if mine is None or None in values or values.count(mine) != 1:
        return
    if leaf.ranked[0] and mine == min(values):
        yield Pick(by="low", field=leaf.name)
    if leaf.ranked[1] and mine == max(values):
        yield Pick(by="high", field=leaf.name)


def named(shape: Shape, row: Any) -> str:
    """The raw values that a label would show, joined; nothing if there is no label or the row lacks one."""
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
