"""Requests that fit several records, the question, and the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envfactory.querygen.solvable import problems

if TYPE_CHECKING:
    from envfactory.querygen.refine import Refined
    from tests.querygen.conftest import Grounding, Programming, Refining

TOOLS = (
    ["list_reservations", "get_reservation", "cancel_reservation"],
    [(1, "reservation_id", 0, "reservations[].id"), (2, "reservation_id", 0, "reservations[].id")],
)


def ambiguous(grounding: Grounding, programming: Programming, refining: Refining) -> list[Refined]:
    found: list[Refined] = []
    for seed in range(25):
        program = programming(grounding(*TOOLS, seed), 1, 1, 1)
        refined = refining(program, "ambiguity", seed=seed, manner="plain")
        if refined.changes:
            found.append(refined)
    assert len(found) >= 15
    return found


def test_the_exchange_is_a_turn_without_calls_and_the_answer_one_with_them(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for refined in ambiguous(grounding, programming, refining):
        assert sum(refined.program.gold.turns) == 3
        for change in refined.changes:
            asking, answering = refined.requests[change.turn : change.turn + 2]
            assert refined.program.gold.turns[change.turn : change.turn + 2] == (0, 1)
            assert asking.question.endswith("?")
            assert not asking.asked
            assert not answering.question
            assert answering.asked


def test_the_words_fit_at_least_two_records_in_the_state_and_the_answer_only_the_right_one(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for refined in ambiguous(grounding, programming, refining):
        for change in refined.changes:
            records = change.detail["records"]
            assert isinstance(records, list)
            assert len(set(map(str, records))) >= 2
            assert change.detail["record"] in records
            assert str(change.detail["words"]) in change.after
            (call,) = refined.program.slices[change.turn + 1]
            assert refined.program.calls[call].arguments["reservation_id"] == change.detail["record"]
            name = refined.program.names.of("Reservation", str(change.detail["record"]), call)
            assert name.casefold() in refined.requests[change.turn + 1].text.casefold()


def test_without_the_answer_the_request_is_not_solvable(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for refined in ambiguous(grounding, programming, refining):
        turn = refined.changes[0].turn
        mute = list(refined.requests)
        mute[turn + 1] = type(mute[turn])("Thank you.", mute[turn + 1].asked)
        assert "unresolved" in {problem.reason for problem in problems(refined.program, mute)}


def test_only_as_many_turns_as_allowed(grounding: Grounding, programming: Programming, refining: Refining) -> None:
    program = programming(grounding(*TOOLS, 0), 1, 1, 1)
    assert len(refining(program, "ambiguity").requests) <= 8


def test_the_gold_calls_are_those_of_before(grounding: Grounding, programming: Programming, refining: Refining) -> None:
    for refined in ambiguous(grounding, programming, refining):
        assert [call.tool.partition("-")[2] for call in refined.program.gold.calls] == TOOLS[0]
