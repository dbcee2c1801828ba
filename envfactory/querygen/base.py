"""The base of a trajectory: its gold as it was before refinement, so that what was refined otherwise can be compared.

Refinement changes how a program is asked for. Two of the four leave a trace in gold: an exchange is a turn of no calls,
and a further goal adds a call. Without both, gold is the program that the chain was grounded in, in the turns that the
planner made; it is the same whatever was switched on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, cast

from envfactory.files import digest_json
from envfactory.gold import Gold, renumbered
from envfactory.querygen.program import divided
from envfactory.trajectory import Change

__all__ = ["added_calls", "base_digest", "base_gold", "extension_digest", "recounted"]


def added_calls(changes: Sequence[Mapping[str, Any]]) -> frozenset[int]:
    """The calls of gold that goal expansion added, from a trajectory's `changes`."""
    return frozenset(
        call for change in changes if change["kind"] == "goal_expansion" for call in change["detail"]["calls"]
    )


def base_gold(gold: Gold, added: Collection[int]) -> Gold:
    """Gold without calls that were added to it, exchanges and masks.

    Args:
        gold: a trajectory's.
        added: the calls that go; nothing that stays takes outputs of them.

    Returns:
        A program with an empty `diff`: what it changes follows from its reference and calls.
    """
    left = [index for index in range(len(gold.calls)) if index not in added]
    place = {index: position for position, index in enumerate(left)}
    calls = tuple(
        gold.calls[index].model_copy(
            update={"arguments": renumbered(gold.calls[index].arguments, place.__getitem__), "masked": ()}
        )
        for index in left
    )
    turns = tuple(sum(index in place for index in indexes) for indexes in gold.turn_slices())
    base = gold.model_copy(update={"calls": calls, "diff": {}})
    return divided(base, tuple(filter(None, turns))) if gold.turns else base


def base_digest(gold: Gold, added: Collection[int]) -> str:
    """SHA-256 of the base."""
    return digest_json(base_gold(gold, added).model_dump(mode="json"))


def extension_digest(gold: Gold, added: Collection[int]) -> str:
    """SHA-256 of the calls that were added, each with its place.

    The turn in which they are asked for is no part of it: exchanges before it put it off.
    """
    calls = divided(gold, (len(gold.calls),)).calls
    return digest_json([[index, calls[index].model_dump(mode="json", exclude={"masked"})] for index in sorted(added)])


def recounted(changes: Iterable[Change], kept: Collection[int]) -> tuple[Change, ...]:
    """What was changed, with calls counted anew: only some of them stay."""
    place = {index: position for position, index in enumerate(sorted(kept))}

    def counted(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        found: dict[str, Any] = {}
        for name, inner in cast("Mapping[str, Any]", value).items():
            if name in ("calls", "folded"):
                found[name] = [place[call] for call in inner if call in place]
            elif name == "references":
                found[name] = [counted(item) for item in inner if item["call"] in place]
            else:
                found[name] = place.get(inner, inner) if name == "call" else inner
        return found

    return tuple(change.model_copy(update={"detail": counted(change.detail)}) for change in changes)
