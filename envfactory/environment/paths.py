"""Spec paths: where a value stands in a JSON document. `[]` descends into a list, `.` into an object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

_MISSING = object()


def values_at(row: Any, path: str) -> Iterator[Any]:
    """Every value at a spec path (`rooms[].kind`) of a JSON document; absent members give nothing."""
    head, _, rest = path.partition(".")
    name = head.removesuffix("[]")
    child = cast("dict[str, Any]", row).get(name, _MISSING) if name and isinstance(row, dict) else row
    if child is _MISSING:
        return
    for item in cast("list[Any]", child) if head.endswith("[]") else [child]:
        if rest:
            yield from values_at(item, rest)
        else:
            yield item


def is_within(path: str, holder: str) -> bool:
    """Whether a path is that of `holder`, or leads into it."""
    return path == holder or path.startswith((f"{holder}.", f"{holder}[]"))
