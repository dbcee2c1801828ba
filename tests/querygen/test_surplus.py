"""What a request says as a value that no call has: "hotels with a pool", where the call looks for any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from envfactory.querygen.reading import Exchange
from envfactory.querygen.solvable import turn_problems

if TYPE_CHECKING:
    from envfactory.querygen.program import Program
    from tests.querygen.conftest import Grounding, Programming


@pytest.fixture(scope="module")
def searching(grounding: Grounding, programming: Programming) -> Program:
    """A search for the hotels of a city, any of them, and a list of one's own stays."""
    for seed in range(40):
        program = programming(grounding(["search_hotels", "list_reservations"], [], seed), 1, 1)
        if len(program.values[0]) == 1 and not program.values[1]:
            return program
    raise AssertionError("no scenario has such a search")


def beyond(program: Program, call: int, text: str) -> set[str]:
    """What is unfounded in a text for one call."""
    calls = range(call, call + 1)
    exchange = Exchange((text,), calls, range(0), frozenset(), frozenset(calls))
    return {found.detail for found in turn_problems(program, 0, exchange, text) if found.reason == "unfounded"}


def city(program: Program) -> str:
    return program.gold.calls[0].arguments["city"].value  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("", set[str]()),
        (" under $120 a night", {"$120"}),
        (", at least 4 stars", {"4"}),
        (" that have a pool", {"pool"}),
        (" with breakfast", {"breakfast"}),
        (", sorted by rating", {"rating"}),
        (" for 2 people on 9 March", {"2", "9"}),
        (" at 18:30", {"18:30"}),
        (" with 20% off", {"20%"}),
        (" near Ada", {"Ada"}),
        (", not in Vienna", {"Vienna"}),
        (". Hello again", set[str]()),
        (", and on Monday I leave", set[str]()),
    ],
)
def test_a_search_that_the_call_does_not_narrow_down(searching: Program, more: str, found: set[str]) -> None:
    assert found <= beyond(searching, 0, f"Find me hotels in {city(searching)}{more}.")
    assert bool(found) == bool(beyond(searching, 0, f"Find me hotels in {city(searching)}{more}."))


def test_a_list_of_those_in_one_state(searching: Program) -> None:
    assert not beyond(searching, 1, "List my reservations.")
    assert beyond(searching, 1, "List my reservations that are cancelled.") == {"cancelled"}


def test_what_says_which_record_is_meant_asks_for_nothing_more(grounding: Grounding, programming: Programming) -> None:
    chain = ["search_hotels", "get_hotel"], [(1, "hotel_id", 0, "hotels[].id")]
    for seed in range(40):
        program = programming(grounding(*chain, seed), 1, 1)
        row = program.holder(program.records[1][0].out)[1]
        if row["amenities"]:
            assert not beyond(program, 1, f"Tell me more about {row['name']}, the one with {row['amenities'][0]}.")
            return
    raise AssertionError("no scenario has such a hotel")


def test_a_name_that_says_how_a_record_is_asks_for_nothing_more(grounding: Grounding, programming: Programming) -> None:
    chain = ["search_hotels", "get_hotel"], [(1, "hotel_id", 0, "hotels[].id")]
    program = programming(grounding(*chain, 1), 1, 1)
    row = program.holder(program.records[1][0].out)[1]
    assert not beyond(program, 1, f"Tell me more about {row['name']}, the one in {row['city']}.")
    assert beyond(program, 1, f"Tell me more about {row['name']}, the one that Ada likes.") == {"Ada"}


def test_a_figure_in_the_name_of_a_record_is_its_name(grounding: Grounding, programming: Programming) -> None:
    chain = ["list_reservations", "get_reservation"], [(1, "reservation_id", 0, "reservations[].id")]
    program = programming(grounding(*chain, 2), 1, 1)
    name = program.names.of("Reservation", program.records[1][0].key, 1)
    assert not beyond(program, 1, f"Show me the details of {name}.")
