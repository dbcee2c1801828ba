"""Further goals: about the same record, executed, and part of the program from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envfactory.environment import InProcess, Session
from envfactory.gold import bindings_of, replay
from envfactory.gold.program import Out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from envfactory.querygen.refine import Refined
    from tests.querygen.conftest import Grounding, Programming, Refining

TOOLS = (
    ["search_hotels", "list_reviews", "book_room"],
    [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 0, "hotels[].id")],
)
LOOKING = (["list_reservations", "get_reservation"], [(1, "reservation_id", 0, "reservations[].id")])
DIVISIONS = ((3,), (1, 2), (2, 1), (1, 1, 1))


def expanded(grounding: Grounding, programming: Programming, refining: Refining, *kinds: str) -> list[Refined]:
    found: list[Refined] = []
    for seed in range(24):
        program = programming(grounding(*TOOLS, seed), *DIVISIONS[seed % 4])
        refined = refining(program, "goal_expansion", *kinds, seed=seed)
        if any(change.kind == "goal_expansion" for change in refined.changes):
            found.append(refined)
    assert len(found) >= 12
    return found


def test_the_longer_program_replays_to_what_it_says(
    hotels: InProcess, grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for refined in expanded(grounding, programming, refining):
        gold = refined.program.gold
        with Session(hotels, gold.reference) as session:
            run = replay(gold, session)
        assert run.diff == gold.diff
        assert run.calls == dict(refined.program.calls)
        assert run.outputs == dict(refined.program.outputs)
        assert sum(gold.turns) == len(gold.calls) == len(TOOLS[0]) + len(refined.changes)


def added(refined: Refined) -> Iterator[tuple[int, int]]:
    """Each further goal's turn and call."""
    for change in refined.changes:
        (call,) = change.detail["calls"]  # type: ignore[misc, union-attr]
        assert isinstance(call, int)
        yield change.turn, call


def test_the_goal_is_about_a_record_that_calls_before_it_gave_and_is_asked_for(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for refined in expanded(grounding, programming, refining):
        program = refined.program
        for turn, call in added(refined):
            assert call == program.slices[turn][-1]
            assert call in refined.requests[turn].asked
            assert program.records[call]
            assert all(bound.out.call < call for bound in program.records[call])


def test_the_goal_may_be_about_an_item_of_what_the_turn_lists_singled_out_by_what_nobody_has_to_be_told(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    marks: set[str] = set()
    for seed in range(24):
        refined = refining(programming(grounding(["search_hotels"], [], seed), 1), "goal_expansion", seed=seed)
        for _, call in added(refined):
            (bound, *_) = refined.program.records[call]
            assert bound.out.pick is not None
            marks.add(bound.out.pick.by)
            if bound.out.pick.by in ("low", "high"):
                assert any(word in refined.requests[0].text for word in ("est", "most", "least"))
    assert {"low", "high"} <= marks
    assert "name" not in marks  # nobody can say it before the search has told it


def test_after_what_is_called_off_the_goal_is_about_something_else_at_hand(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    chain = (
        ["search_hotels", "list_reviews", "list_reservations", "cancel_reservation"],
        [(1, "hotel_id", 0, "hotels[].id"), (3, "reservation_id", 2, "reservations[].id")],
    )
    earlier = 0
    for seed in range(24):
        refined = refining(programming(grounding(*chain, seed), 2, 1, 1), "goal_expansion", seed=seed)
        program = refined.program
        for turn, call in added(refined):
            if turn == 2:
                (cancelled,) = (bound.key for bound in program.records[program.slices[2].start])
                assert cancelled not in {bound.key for bound in program.records[call]}
                earlier += any(bound.out.call < program.slices[2].start for bound in program.records[call])
    assert earlier


def test_a_change_is_added_to_the_last_turn_only(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    looking = [
        refining(programming(grounding(*LOOKING, seed), 1, 1), "goal_expansion", seed=seed) for seed in range(24)
    ]
    writing = 0
    for refined in [*expanded(grounding, programming, refining), *looking]:
        for turn, call in added(refined):
            if refined.program.tool(call).writes:
                assert turn == len(refined.requests) - 1
                writing += 1
    assert writing


def test_nobody_asks_in_one_breath_for_a_change_and_to_see_it_or_rates_what_they_ask_about(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for refined in expanded(grounding, programming, refining):
        for turn, call in added(refined):
            name = refined.program.tool(call).name
            names = [refined.program.tool(other).name for other in refined.program.slices[turn]]
            assert name != "write_review"
            assert not ("book_room" in names and name in ("get_reservation", "change_room", "cancel_reservation"))


def test_what_was_there_keeps_its_place_and_its_results(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for refined in expanded(grounding, programming, refining):
        gold = refined.program.gold
        further = {call for _, call in added(refined)}
        kept = [call for index, call in enumerate(gold.calls) if index not in further]
        assert [call.tool.partition("-")[2] for call in kept] == TOOLS[0]
        for index, call in enumerate(gold.calls):
            assert all(b.call < index for _, b in bindings_of(call) if isinstance(b, Out))


def test_other_refinements_work_on_the_added_goal_as_well(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    kinds = ("implicit_reference", "action_compression", "ambiguity")
    assert any("that hotel" in request.text or " it" in request.text
               for refined in expanded(grounding, programming, refining, *kinds)
               for request in refined.requests)  # fmt: skip
