"""What people keep to: the dates and the city that they have named once, until they have booked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from envfactory.environment import Parameter, ToolSpec
from envfactory.environment.paths import spec_path
from envfactory.gold import Binding, FromUser, leaf_bindings
from envfactory.sampling.sense import is_done_with


def kept_to(
    tool: ToolSpec,
    open_to: Sequence[Parameter],
    earlier: Iterable[tuple[ToolSpec, Mapping[str, Binding]]],
    *,
    sensible: bool = True,
) -> dict[str, Any]:
    """Values said before that a call takes as well, by path.

    Args:
        tool: the tool of the call.
        open_to: its inputs that have no value yet and may be said.
        earlier: the tools and arguments of the calls before it.
        sensible: whether what was said of something that is done with no longer holds.
    """
    said: dict[str, Any] = {}
    for before, bindings in earlier:
        found: dict[str, Any] = {}
        for path, binding in bindings.items():
            for name, leaf_binding in leaf_bindings(binding, path):
                leaf = before.input_by_path.get(spec_path(name))
                if leaf is None or "[" in name or not isinstance(leaf_binding, FromUser):
                    continue
                for mine in open_to:
                    if not _is_of_one_kind(mine, leaf):
                        continue
                    if sensible and is_done_with(before, leaf, tool):
                        said.pop(mine.path, None)
                    else:
                        found[mine.path] = leaf_binding.value
        for path, value in found.items():
            # A street goes with its city: another city alone does not take the place of the two.
            group = [mine.path for mine in open_to if mine.value and mine.holder == tool.input_by_path[path].holder]
            if path not in group or found.keys() >= set(group) & said.keys():
                said[path] = value
    return said


def _is_of_one_kind(mine: Parameter, other: Parameter) -> bool:
    """Whether a value said for one argument is naturally meant for the other."""
    if mine.free_text or mine.ref or mine.unit == "USD" or (mine.type, mine.format) != (other.type, other.format):
        return False
    if mine.value or other.value:
        return mine.value == other.value and mine.name == other.name
    return mine.name == other.name and mine.enum == other.enum and bool(mine.format or mine.unit)
