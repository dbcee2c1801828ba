"""The base of a trajectory: what refinement added is taken out of gold, and what is left is what gold was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from envfactory.environment import InProcess
from envfactory.gold import Gold, Out, bindings_of
from envfactory.querygen.base import added_calls, base_digest, base_gold, extension_digest, recounted
from envfactory.querygen.program import divided
from envfactory.trajectory import REFINEMENTS, Change

if TYPE_CHECKING:
    from tests.querygen.conftest import Grounding, Programming, Refining

TOOLS = (
    ["list_reservations", "get_reservation", "search_hotels", "book_room"],
    [(1, "reservation_id", 0, "reservations[].id"), (3, "hotel_id", 2, "hotels[].id")],
)


@pytest.mark.parametrize("division", [(4,), (2, 2), (1, 1, 1, 1)])
def test_without_what_refinement_added_gold_is_what_it_was(
    refining: Refining, grounding: Grounding, programming: Programming, division: tuple[int, ...]
) -> None:
    longer = 0
    for seed in range(6):
        program = programming(grounding(*TOOLS, seed), *division)
        refined = refining(program, *REFINEMENTS, seed=seed, probability=1.0)
        added = added_calls([change.model_dump(mode="json") for change in refined.changes])
        gold = refined.program.gold
        assert len(gold.calls) - len(program.gold.calls) == len(added)
        longer += len(added)
        unmasked = tuple(call.model_copy(update={"masked": ()}) for call in program.gold.calls)
        assert base_gold(gold, added) == program.gold.model_copy(update={"diff": {}, "calls": unmasked})
        assert base_digest(gold, added) == base_digest(program.gold, ())
        if added:
            assert base_digest(gold, ()) != base_digest(program.gold, ())
            assert extension_digest(gold, added) != extension_digest(program.gold, ())
    assert longer or division == (4,), "a turn of four is long enough"


def test_later_calls_take_what_they_took_when_an_earlier_one_goes(hotels: InProcess, grounding: Grounding) -> None:
    gold = grounding(*TOOLS, 1)
    rest = base_gold(gold, {1})
    assert [call.tool for call in rest.calls] == [gold.calls[index].tool for index in (0, 2, 3)]
    taken = [binding.call for _, binding in bindings_of(rest.calls[2]) if isinstance(binding, Out)]
    assert set(taken) == {1}


def test_changes_are_counted_anew_when_calls_go() -> None:
    def change(kind: Any, detail: dict[str, Any]) -> Change:
        return Change(kind=kind, turn=0, before="a", after="b", detail=detail)

    found = recounted(
        [
            change("goal_expansion", {"calls": [3], "tool": "x"}),
            change("action_compression", {"calls": [0, 1], "folded": [1]}),
            change("implicit_reference", {"references": [{"call": 1, "words": "it"}, {"call": 2, "words": "that"}]}),
            change("ambiguity", {"words": "the stay", "records": ["R-1", "R-2"]}),
        ],
        {0, 2, 3},
    )
    assert [each.detail for each in found] == [
        {"calls": [2], "tool": "x"},
        {"calls": [0], "folded": []},
        {"references": [{"call": 1, "words": "that"}]},
        {"words": "the stay", "records": ["R-1", "R-2"]},
    ]


def test_masks_and_exchanges_are_no_part_of_the_base(grounding: Grounding) -> None:
    gold: Gold = grounding(*TOOLS, 2)
    count = len(gold.calls)
    asked = gold.model_copy(update={"turns": (0, 2, 0, count - 2)})
    plain = gold.model_copy(update={"turns": (2, count - 2)})
    masked = tuple(call.model_copy(update={"masked": ("hotel_id",)}) for call in gold.calls)
    assert base_digest(asked.model_copy(update={"calls": masked}), ()) == base_digest(plain, ())
    later = divided(asked.model_copy(update={"calls": masked}), asked.turns)
    assert extension_digest(later, {count - 1}) == extension_digest(divided(plain, plain.turns), {count - 1})
    assert base_digest(gold.model_copy(update={"turns": (1, count - 1)}), ()) != base_digest(plain, ())
