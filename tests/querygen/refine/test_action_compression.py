"""What is folded in, what is left to the assistant, and that the program keeps it all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.querygen.conftest import Grounding, Programming, Refining

SEARCH_AND_BOOK = (["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")])
LIST_AND_CANCEL = (["list_reservations", "cancel_reservation"], [(1, "reservation_id", 0, "reservations[].id")])


def test_a_search_in_the_same_breath_is_folded_into_what_it_is_for(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    folded: list[str] = []
    for seed in range(25):
        program = programming(grounding(*SEARCH_AND_BOOK, seed), 2)
        refined = refining(program, "action_compression", seed=seed)
        (request,) = refined.requests
        assert 1 in request.asked
        if refined.changes:
            assert refined.changes[0].detail == {"calls": [0], "folded": [0]}
            assert request.asked == {1}
            folded.append(request.text)
    assert len(folded) >= 5
    assert all(f"hotel in {word}" in text for text in folded for word in [text.split("hotel in ")[1].split()[0]])
    assert any(mark in text for text in folded for mark in ("cheapest hotel", "expensive hotel", "best rated hotel"))


def test_a_look_up_that_a_later_call_needs_is_left_to_the_assistant(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    left_out = 0
    for seed in range(25):
        program = programming(grounding(*LIST_AND_CANCEL, seed), 2)
        refined = refining(program, "action_compression", seed=seed)
        assert 1 in refined.requests[0].asked
        left_out += 0 not in refined.requests[0].asked
    assert left_out >= 5


def test_a_look_up_that_nothing_leans_on_stays_asked_for(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    tools = (
        ["search_hotels", "check_availability", "book_room"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 0, "hotels[].id")],
    )
    for seed in range(15):
        program = programming(grounding(*tools, seed), 1, 2)
        assert refining(program, "action_compression", seed=seed).requests[1].asked == {1, 2}


def test_the_program_keeps_what_is_not_asked_for(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for seed in range(10):
        program = programming(grounding(*LIST_AND_CANCEL, seed), 2)
        assert refining(program, "action_compression", seed=seed).program.gold == program.gold


def test_a_change_is_always_asked_for(grounding: Grounding, programming: Programming, refining: Refining) -> None:
    tools = (
        ["search_hotels", "book_room", "get_reservation"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "reservation_id", 1, "id")],
    )
    for seed in range(15):
        program = programming(grounding(*tools, seed), 3)
        assert 1 in refining(program, "action_compression", "implicit_reference", seed=seed).requests[0].asked
