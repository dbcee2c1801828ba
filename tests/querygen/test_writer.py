"""Requests: what is asked for, what is folded in, what is left to the assistant, and how things are referred to."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from envfactory.querygen import RuleWriter
from envfactory.querygen.writer import Unsayable
from envfactory.trajectory import Persona

if TYPE_CHECKING:
    from tests.querygen.conftest import Grounding, Programming

PLAIN = Persona(name="Ada Bauer", manner="brief")
SEARCH_AND_BOOK = (["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")])


def texts(
    grounding: Grounding,
    programming: Programming,
    tools: tuple[list[str], list[tuple[int, str, int, str]]],
    *turns: int,
) -> list[list[str]]:
    """Requests of many scenarios, by turn."""
    found: list[list[str]] = []
    for seed in range(25):
        program = programming(grounding(*tools, seed), *turns)
        found.append([request.text for request in RuleWriter().write(program, PLAIN, random.Random(seed))])
    return found


def test_a_search_in_the_same_breath_is_folded_into_what_it_is_for(
    grounding: Grounding, programming: Programming
) -> None:
    written = [text for (text,) in texts(grounding, programming, SEARCH_AND_BOOK, 2)]
    folded = [text for text in written if "hotel in" in text and "find" not in text.lower().split(" you find")[0]]
    assert len(folded) >= 5
    assert any(
        "cheapest hotel in" in text or "most expensive hotel in" in text or "best rated hotel in" in text
        for text in folded
    )


def test_what_was_shown_in_the_last_turn_is_pointed_at(grounding: Grounding, programming: Programming) -> None:
    pointing = (
        "the cheapest one",
        "the most expensive one",
        "the best rated one",
        "the most luxurious one",
        "the first one",
        "that hotel",
    )
    for first, second in texts(grounding, programming, SEARCH_AND_BOOK, 1, 1):
        assert "one" not in first.split()
        assert any(words in second for words in pointing) or any(
            word in second for word in ("Inn", "Hotel", "House", "Lodge", "Palace", "Suites", "Residence")
        )


def test_a_record_that_has_just_come_up_is_it_after_a_verb_and_that_after_a_preposition(
    grounding: Grounding, programming: Programming
) -> None:
    tools = (
        ["search_hotels", "book_room", "get_reservation", "change_dates"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "reservation_id", 1, "id"), (3, "reservation_id", 1, "id")],
    )
    written = [turns[1] for turns in texts(grounding, programming, tools, 2, 2)]
    assert any("it " in text.lower().split(". ")[-1] for text in written)
    assert not any(f" {preposition} it" in text for text in written for preposition in ("of", "at", "for", "from"))


def test_a_look_up_that_says_nothing_new_may_be_left_to_the_assistant(
    grounding: Grounding, programming: Programming
) -> None:
    tools = (
        ["search_hotels", "check_availability", "book_room"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 0, "hotels[].id")],
    )
    left_out = 0
    for seed in range(30):
        program = programming(grounding(*tools, seed), 1, 2)
        _, request = RuleWriter().write(program, PLAIN, random.Random(seed))
        assert 2 in request.asked
        left_out += 1 not in request.asked
    assert 5 <= left_out < 30


def test_only_what_is_asked_outright_counts_as_asked(grounding: Grounding, programming: Programming) -> None:
    for seed in range(10):
        program = programming(grounding(*SEARCH_AND_BOOK, seed), 2)
        (request,) = RuleWriter().write(program, PLAIN, random.Random(seed))
        assert 1 in request.asked
        assert request.asked <= {0, 1}


def test_the_same_seed_writes_the_same_words(grounding: Grounding, programming: Programming) -> None:
    program = programming(grounding(*SEARCH_AND_BOOK, 3), 1, 1)
    first, again = (RuleWriter().write(program, PLAIN, random.Random(7)) for _ in range(2))
    assert first == again


def test_a_value_that_no_phrasing_can_say_is_refused_by_name(grounding: Grounding, programming: Programming) -> None:
    from envfactory.gold import FromUser

    gold = grounding(["search_hotels"], [])
    call = gold.calls[0].model_copy(update={"arguments": {**gold.calls[0].arguments, "sort": FromUser(value="rating")}})
    program = programming(gold.model_copy(update={"calls": (call,)}), 1)
    with pytest.raises(Unsayable, match="sort") as caught:
        RuleWriter().write(program, PLAIN, random.Random(0))
    assert caught.value.tool == "hotel_reservations-search_hotels"


def test_two_stays_at_one_hotel_are_told_apart_by_their_dates(grounding: Grounding, programming: Programming) -> None:
    tools = (
        ["search_hotels", "book_room", "book_room", "list_reservations", "cancel_reservation"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 1, "hotel_id"), (4, "reservation_id", 1, "id")],
    )
    told_apart = 0
    for seed in range(12):
        program = programming(grounding(*tools, seed), 1, 1, 1, 1, 1)
        first, second = program.outputs[1], program.outputs[2]
        try:
            request = RuleWriter().write(program, PLAIN, random.Random(seed))[-1].text
        except Unsayable:
            assert first["check_in"] == second["check_in"]  # nothing tells these two apart
            continue
        assert "starting" in request
        told_apart += 1
    assert told_apart


def test_a_hotel_that_only_an_id_in_a_result_names_is_called_by_its_name(
    grounding: Grounding, programming: Programming
) -> None:
    tools = (["list_reservations", "get_hotel"], [(1, "hotel_id", 0, "reservations[].hotel_id")])
    for _, request in texts(grounding, programming, tools, 1, 1):
        assert "that hotel" not in request


def test_one_stands_for_a_thing_only_where_nothing_else_was_named_before_it(
    grounding: Grounding, programming: Programming
) -> None:
    tools = (
        ["search_hotels", "list_reservations", "get_reservation", "get_hotel"],
        [(2, "reservation_id", 1, "reservations[].id"), (3, "hotel_id", 0, "hotels[].id")],
    )
    for _, request in texts(grounding, programming, tools, 2, 2):
        assert " one" not in request


def test_a_pronoun_never_follows_the_second_half_of_a_verb(grounding: Grounding, programming: Programming) -> None:
    tools = (
        ["search_hotels", "book_room", "list_reviews", "get_reservation"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 1, "hotel_id"), (3, "reservation_id", 1, "id")],
    )
    for (request,) in texts(grounding, programming, tools, 4):
        assert not any(f"{particle} it" in request for particle in ("up", "off", "out"))


def test_that_hotel_is_the_one_of_the_stay_that_was_just_named(grounding: Grounding, programming: Programming) -> None:
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
        request = RuleWriter().write(program, PLAIN, random.Random(seed))[-1].text
        if program.outputs[2]["id"] == program.outputs[4]["hotel_id"] != program.outputs[3]["hotel_id"]:
            assert "that hotel" not in request, request
