"""Further goals: about the same record, executed, and part of the program from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envfactory.environment import InProcess, Session
from envfactory.gold import bindings_of, replay
from envfactory.gold.program import Out

if TYPE_CHECKING:
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


def test_the_goal_is_about_a_record_of_its_turn_and_is_asked_for(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for refined in expanded(grounding, programming, refining):
        program = refined.program
        for change in refined.changes:
            (call,) = change.detail["calls"]  # type: ignore[misc, union-attr]
            assert isinstance(call, int)
            calls = program.slices[change.turn]
            assert call == calls[-1]
            assert call in refined.requests[change.turn].asked
            mine = {bound.key for bound in program.records[call]}
            others = {bound.key for other in calls[:-1] for bound in program.records[other]}
            others |= {program.outputs[other].get("id") for other in calls[:-1]}
            assert mine
            assert mine <= others


def test_a_change_is_added_to_the_last_turn_only(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    looking = [
        refining(programming(grounding(*LOOKING, seed), 1, 1), "goal_expansion", seed=seed) for seed in range(24)
    ]
    writing = 0
    for refined in [*expanded(grounding, programming, refining), *looking]:
        for change in refined.changes:
            (call,) = change.detail["calls"]  # type: ignore[misc, union-attr]
            if refined.program.tool(call).writes:  # type: ignore[arg-type]
                assert change.turn == len(refined.requests) - 1
                writing += 1
    assert writing


def test_nobody_asks_in_one_breath_for_a_change_and_to_see_it_or_rates_what_they_ask_about(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for refined in expanded(grounding, programming, refining):
        for change in refined.changes:
            (call,) = change.detail["calls"]  # type: ignore[misc, union-attr]
            name = refined.program.tool(call).name  # type: ignore[arg-type]
            turn = [refined.program.tool(other).name for other in refined.program.slices[change.turn]]
            assert name != "write_review"
            assert not ("book_room" in turn and name in ("get_reservation", "change_room", "cancel_reservation"))


def test_what_was_there_keeps_its_place_and_its_results(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for refined in expanded(grounding, programming, refining):
        gold = refined.program.gold
        added = {call for change in refined.changes for call in change.detail["calls"]}  # type: ignore[union-attr]
        kept = [call for index, call in enumerate(gold.calls) if index not in added]
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
