"""Variation: other values for one leaf of a call's arguments.

A leaf is named by its spec path; where lists are on the way, it is the one in the first item that counts.
"""

from __future__ import annotations

import copy
import datetime as dt
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

import orjson

from envfactory.environment.checks.subject import Step
from envfactory.environment.paths import values_at
from envfactory.environment.spec import Parameter, ToolSpec

Arguments = dict[str, Any]


def first_value(arguments: Arguments, path: str) -> Any:
    """The value at a path, or None where it is left out."""
    return next(values_at(arguments, path), None)


def replaced(arguments: Arguments, path: str, value: Any) -> Arguments:
    """A copy with another value at a path; unchanged if what should hold the value is left out itself."""
    changed = copy.deepcopy(arguments)
    holder, last = _holder(changed, path)
    if last is not None:
        holder[last] = value
    return changed


def removed(arguments: Arguments, path: str) -> Arguments:
    """A copy without what stands at a path."""
    changed = copy.deepcopy(arguments)
    holder, last = _holder(changed, path)
    if isinstance(holder, dict):
        cast("dict[str, Any]", holder).pop(last, None)
    return changed


def _holder(arguments: Arguments, path: str) -> tuple[Any, Any]:
    """What holds the value at a path, and its key in there; no key if the holder is left out."""
    keys: list[str | int] = []
    for part in path.split("."):
        keys += [part.removesuffix("[]"), 0] if part.endswith("[]") else [part]
    place: Any = arguments
    for key in keys[:-1]:
        missing = key not in place if isinstance(key, str) else not place
        if missing:
            return arguments, None
        place = place[key]
    return place, keys[-1] if place or isinstance(keys[-1], str) else None


def unknown_id(known: str) -> str:
    """An id that looks like `known` and names nothing."""
    changed, count = re.subn(r"\d+", "90909090", known, count=1)
    return changed if count else f"{known}-90909090"


class Pools:
    """What calls had at each leaf: values that can stand at other leaves of the same kind."""

    def __init__(self, tools: Iterable[ToolSpec], steps: Iterable[Step]) -> None:
        by_name = {tool.name: tool for tool in tools}
        self._found: dict[tuple[str, ...], dict[Any, None]] = {}
        for step in steps:
            for leaf in by_name[step.tool].inputs:
                for kind in _kinds(step.tool, leaf):
                    self._found.setdefault(kind, {}).update(dict.fromkeys(values_at(step.arguments, leaf.path)))

    def values(self, tool: str, leaf: Parameter) -> list[Any]:
        """Values that calls had at this leaf or at others of its kind, the first seen first."""
        found: dict[Any, None] = {}
        for kind in _kinds(tool, leaf):
            found.update(self._found.get(kind, {}))
        return list(found)

    def variants(self, tool: str, leaf: Parameter, value: Any) -> Iterator[Any]:
        """Values other than `value` (None: left out) for a leaf, the likeliest to matter first.

        Not all of them fit the schema.
        """
        seen = {orjson.dumps(value)}
        for other in (*_neighbours(leaf, value), *self.values(tool, leaf)):
            text = orjson.dumps(other)
            if text not in seen:
                seen.add(text)
                yield other


def _kinds(tool: str, leaf: Parameter) -> Iterator[tuple[str, ...]]:
    yield (tool, leaf.path)
    if leaf.ref:
        yield ("ref", leaf.ref)
    elif leaf.value and not leaf.enum:
        yield ("value", leaf.value, leaf.type, leaf.format)


def _neighbours(leaf: Parameter, value: Any) -> Iterator[Any]:
    if leaf.type == "boolean":
        yield from (True, False)
    elif leaf.enum:
        yield from leaf.enum
    elif leaf.type in ("integer", "number"):
        known = (value, leaf.default, leaf.minimum, 1)
        base = next(number for number in known if isinstance(number, (int, float)))
        near = (base + 1, base - 1, base * 2, base // 2, base + 10, leaf.maximum, leaf.minimum)
        yield from (int(other) if leaf.type == "integer" else float(other) for other in near if other is not None)
    elif leaf.format:
        yield from _moments(leaf.format, value)
    elif leaf.free_text or not (leaf.ref or leaf.value):
        yield from leaf.examples
        yield f"{value} too" if value is not None else "a few words"


def _moments(form: str, value: Any) -> Iterator[str]:
    if value is None:
        return
    steps = [dt.timedelta(days=days) for days in (1, -1, 3, 7, -7, 30, -30)]
    if form == "date":
        yield from ((dt.date.fromisoformat(value) + step).isoformat() for step in steps)
    elif form == "date-time":
        moment = dt.datetime.fromisoformat(value)
        yield from ((moment + step).isoformat() for step in (dt.timedelta(hours=1), dt.timedelta(hours=-1), *steps))
    else:
        hour = dt.time.fromisoformat(value)
        yield from (hour.replace(hour=(hour.hour + step) % 24).isoformat() for step in (1, -1, 5))
