"""Where a value stands in a JSON document: `.` descends into an object.

Into a list descends `[]` in a spec path (`rooms[].kind`), `[2]` in a concrete one (`rooms[2].kind`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

_MISSING = object()
_INDEX = re.compile(r"\[\d+\]")


@lru_cache(maxsize=4096)
def spec_path(path: str) -> str:
    """The spec path of a concrete one: `hotels[2].id` to `hotels[].id`."""
    return _INDEX.sub("[]", path)


def scalars(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar of a JSON document, with its concrete path; `path` is that of the document."""
    if isinstance(value, dict):
        for name, child in cast("dict[str, Any]", value).items():
            yield from scalars(child, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for position, child in enumerate(cast("list[Any]", value)):
            yield from scalars(child, f"{path}[{position}]")
    else:
        yield path, value


def values_at(row: Any, path: str) -> Iterator[Any]:
    """Every value at a spec path (`rooms[].kind`) of a JSON document; absent members give nothing."""
    steps = _steps(path)
    if len(steps) == 1 and isinstance(row, dict) and path in row:  # mostly it is a member, and asked for very often
        return iter((cast("dict[str, Any]", row)[path],))
    found: list[Any] = [row]
    for name, many in steps:
        children = [
            child
            for item in found
            if (child := cast("dict[str, Any]", item).get(name, _MISSING) if name and isinstance(item, dict) else item)
            is not _MISSING
        ]
        found = [item for child in children for item in child] if many else children
    return iter(found)


@lru_cache(maxsize=4096)
def _steps(path: str) -> tuple[tuple[str, bool], ...]:
    """The names on the way along a spec path, each with whether a list stands there."""
    return tuple((part.removesuffix("[]"), part.endswith("[]")) for part in path.split("."))


def is_within(path: str, holder: str) -> bool:
    """Whether a path is that of `holder`, or leads into it."""
    return path == holder or path.startswith((f"{holder}.", f"{holder}[]"))
