"""References by context: what they look like, where they are used, and that they mean the record that is meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from envfactory.querygen.draft import TurnWords
from envfactory.querygen.request import Clause

if TYPE_CHECKING:
    from envfactory.querygen.request import Style
    from tests.querygen.conftest import Grounding, Programming, Refining

SEARCH_AND_BOOK = (["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")])


def texts(
    grounding: Grounding,
    programming: Programming,
    refining: Refining,
    tools: tuple[list[str], list[tuple[int, str, int, str]]],
    *turns: int,
) -> list[list[str]]:
    """Requests of many scenarios, by turn."""
    found: list[list[str]] = []
    for seed in range(25):
        program = programming(grounding(*tools, seed), *turns)
        refined = refining(program, "implicit_reference", seed=seed)
        found.append([request.text for request in refined.requests])
    return found


def test_what_was_shown_in_the_last_turn_is_pointed_at(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    places = [f"the {place} one" for place in ("first", "second", "third", "fourth", "fifth")]
    marks = ["the cheapest one", "the most expensive one", "the best rated one", "the most luxurious one"]
    pointing = ("that hotel", *marks, *places)
    pointed = 0
    for first, second in texts(grounding, programming, refining, SEARCH_AND_BOOK, 1, 1):
        assert "one" not in first.split()
        pointed += any(words in second for words in pointing)
    assert pointed >= 15


def test_the_second_one_is_the_second_of_the_list(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    places = ("first", "second", "third", "fourth", "fifth")
    seen = 0
    for seed in range(40):
        program = programming(grounding(*SEARCH_AND_BOOK, seed), 1, 1)
        request = refining(program, "implicit_reference", seed=seed).requests[1].text
        for place, word in enumerate(places):
            if f"the {word} one" in request:
                assert program.outputs[0]["hotels"][place]["id"] == program.outputs[1]["hotel_id"]
                seen += 1
    assert seen >= 5


def test_a_record_that_has_just_come_up_is_it_after_a_verb_and_that_after_a_preposition(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    tools = (
        ["search_hotels", "book_room", "get_reservation", "change_dates"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "reservation_id", 1, "id"), (3, "reservation_id", 1, "id")],
    )
    written = [turns[1] for turns in texts(grounding, programming, refining, tools, 2, 2)]
    assert any("it " in text.lower().split(". ")[-1] for text in written)
    assert not any(f" {preposition} it" in text for text in written for preposition in ("of", "at", "for", "from"))


def test_a_hotel_that_only_an_id_in_a_result_names_is_called_by_its_name(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    tools = (["list_reservations", "get_hotel"], [(1, "hotel_id", 0, "reservations[].hotel_id")])
    for _, request in texts(grounding, programming, refining, tools, 1, 1):
        assert "that hotel" not in request


def test_one_stands_for_a_thing_only_where_nothing_else_was_named_before_it(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    tools = (
        ["search_hotels", "list_reservations", "get_reservation", "get_hotel"],
        [(2, "reservation_id", 1, "reservations[].id"), (3, "hotel_id", 0, "hotels[].id")],
    )
    for _, request in texts(grounding, programming, refining, tools, 2, 2):
        assert " one" not in request


def test_a_pronoun_never_follows_the_second_half_of_a_verb(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    tools = (
        ["search_hotels", "book_room", "list_reviews", "get_reservation"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 1, "hotel_id"), (3, "reservation_id", 1, "id")],
    )
    for (request,) in texts(grounding, programming, refining, tools, 4):
        assert not re.search(r"\b(?:up|off|out) it\b", request)


def test_that_hotel_is_the_one_of_the_stay_that_was_just_named(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    tools = (
        ["search_hotels", "list_reservations", "get_hotel", "get_reservation", "check_availability"],
        [
            (2, "hotel_id", 0, "hotels[].id"),
            (3, "reservation_id", 1, "reservations[].id"),
            (4, "hotel_id", 0, "hotels[].id"),
        ],
    )
    for seed in range(25):
        program = programming(grounding(*tools, seed), 2, 3)
        request = refining(program, "implicit_reference", seed=seed).requests[-1].text
        if program.outputs[2]["id"] == program.outputs[4]["hotel_id"] != program.outputs[3]["hotel_id"]:
            assert "that hotel" not in request, request


def test_each_reference_is_recorded_with_the_name_that_it_stands_for(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    for seed in range(10):
        program = programming(grounding(*SEARCH_AND_BOOK, seed), 1, 1)
        for change in refining(program, "implicit_reference", seed=seed).changes:
            (reference,) = change.detail["references"]  # type: ignore[misc, union-attr]
            assert (change.turn, reference["call"]) == (1, 1)  # type: ignore[index, call-overload]
            assert reference["record"] == program.outputs[1]["hotel_id"]  # type: ignore[index, call-overload]
            assert reference["name"] in change.before  # type: ignore[index, call-overload]
            assert reference["words"] in change.after  # type: ignore[index, call-overload]


def test_a_list_that_nobody_has_been_told_is_not_pointed_into(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    tools = (
        ["list_reservations", "cancel_reservation"],
        [(1, "reservation_id", 0, "reservations[].id")],
    )
    for seed in range(25):
        program = programming(grounding(*tools, seed), 2)
        (request,) = refining(program, "implicit_reference", "action_compression", seed=seed).requests
        if set(request.asked) == {1}:
            assert " one" not in request.text


@pytest.mark.parametrize(("style", "counted"), [("name", False), ("ordinal", True)])
def test_nobody_counts_on_after_another_one_by_name(
    grounding: Grounding, programming: Programming, style: Style, counted: bool
) -> None:
    """After "cancel the stay at Park Inn", who knows which is "the second one"? After "the first one" it is clear."""
    tools = ["list_reservations", "get_reservation", "cancel_reservation"]
    links = [(call, "reservation_id", 0, "reservations[].id") for call in (1, 2)]
    seen = 0
    for seed in range(40):
        program = programming(grounding(tools, links, seed), 1, 2)
        one, other = (program.records[call][0] for call in (1, 2))
        if one.key == other.key:
            continue
        words = TurnWords(program, {0})
        words.say(Clause(1, program.tool(1).ask[0], {one.path: style}))
        second = words.say(Clause(2, program.tool(2).ask[0], {other.path: "ordinal"}))
        seen += 1
        assert bool(re.search(r"the (?:first|second|third|fourth|fifth) ", second)) is counted, second
    assert seen >= 5
