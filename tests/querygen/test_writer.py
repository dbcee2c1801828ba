"""Requests that say everything: every call is asked for, every record is called by its name."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from envfactory.catalogue import backend
from envfactory.environment import Reference
from envfactory.querygen import RuleWriter
from envfactory.querygen.program import divided
from envfactory.querygen.writer import Unsayable
from envfactory.sampling import Chain, Link
from envfactory.sampling.grounding import Grounder, GroundingSettings
from envfactory.trajectory import Persona
from tests.grounded import replayed

if TYPE_CHECKING:
    from tests.querygen.conftest import Grounding, Programming

PLAIN = Persona(name="Ada Bauer", manner="brief")
SEARCH_AND_BOOK = (["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")])
BOOK_AND_CHANGE = (
    ["search_hotels", "check_availability", "book_room", "change_dates"],
    [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 0, "hotels[].id"), (3, "reservation_id", 2, "id")],
)


@pytest.mark.parametrize("turns", [(4,), (1, 3), (1, 1, 1, 1)])
def test_every_call_is_asked_for(grounding: Grounding, programming: Programming, turns: tuple[int, ...]) -> None:
    for seed in range(8):
        program = programming(grounding(*BOOK_AND_CHANGE, seed), *turns)
        requests = RuleWriter().write(program, PLAIN, random.Random(seed))
        assert [request.asked for request in requests] == [frozenset(calls) for calls in program.slices]
        assert not any(request.question for request in requests)


def test_every_record_is_called_by_its_name(grounding: Grounding, programming: Programming) -> None:
    for seed in range(8):
        program = programming(grounding(*BOOK_AND_CHANGE, seed), 1, 2, 1)
        _, booking, change = RuleWriter().write(program, PLAIN, random.Random(seed))
        hotel = program.outputs[2]["hotel_name"]
        assert booking.text.count(hotel) == 1
        if program.outputs[1]["hotel_id"] == program.outputs[2]["hotel_id"]:
            assert re.search(r"\b(?:it|there)\b", booking.text)
        assert f"the stay at {hotel}" in change.text


def test_what_stands_for_each_record_is_noted(grounding: Grounding, programming: Programming) -> None:
    program = programming(grounding(*SEARCH_AND_BOOK, 3), 1, 1)
    _, booking = RuleWriter().write(program, PLAIN, random.Random(3))
    assert booking.spoken == {(1, "hotel_id"): program.outputs[1]["hotel_name"]}


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


def test_others_are_them_and_one_who_speaks_is_not() -> None:
    name = "pharmacy_prescriptions"
    environments = backend([name])
    tools = tuple(f"{name}-{tool}" for tool in ("list_family", "list_orders", "record_allergy"))
    chain = Chain(tools, tuple(Link(call, "patient_id", 0, "patients[].id") for call in (1, 2)))
    grounder = Grounder(environments, {(tool, "patient_id") for tool in tools}, GroundingSettings(sensible=False))
    texts: dict[bool, list[str]] = {False: [], True: []}
    for seed in range(30):
        reference = Reference(environments={name: ""}, seed=seed)
        gold = grounder.ground(chain, reference, random.Random(seed)).gold
        program = replayed(environments, divided(gold, (1, 2)))
        _, asked = RuleWriter().write(program, PLAIN, random.Random(seed))
        texts["myself" in asked.text].append(asked.text)
    assert texts[True]
    assert not any(re.search(r"\b(?:them|it)\b", text) for text in texts[True])
    assert any(re.search(r"\bthem\b", text) for text in texts[False])
    assert not any(re.search(r"\bit\b", text) for text in texts[False])
