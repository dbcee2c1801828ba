"""How calls fall into turns."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.catalogue import backend
from envfactory.environment import InProcess, Reference
from envfactory.gold import Binding, FromUser, Gold, GoldCall, ListOf, ObjectOf, Out, bindings_of
from envfactory.querygen import RulePlanner
from envfactory.querygen.program import divided
from envfactory.querygen.related import changes_again, changes_mind

if TYPE_CHECKING:
    from tests.querygen.conftest import Grounding

REFERENCE = Reference(environments={"hotel_reservations": ""})


def gold_of(*calls: GoldCall) -> Gold:
    return Gold(reference=REFERENCE, calls=calls)


READS = gold_of(*[GoldCall(tool="hotel_reservations-search_hotels", arguments={"city": FromUser(value="Rome")})] * 14)


@given(seed=st.integers(0, 10**6), fewest=st.integers(1, 3), most=st.integers(3, 6), turns=st.integers(1, 8))
def test_every_call_falls_into_one_turn_within_the_bounds(seed: int, fewest: int, most: int, turns: int) -> None:
    plan = RulePlanner(fewest, most, turns).plan(READS, {}, random.Random(seed))
    sizes = plan.gold.turns
    assert sum(sizes) == len(READS.calls)
    assert len(sizes) <= turns
    assert all(fewest <= size <= most for size in sizes[:-1])
    assert min(sizes) > 0


def test_turns_are_as_long_as_the_paper_has_them() -> None:
    sizes = [
        size for seed in range(400) for size in RulePlanner(turns=99).plan(READS, {}, random.Random(seed)).gold.turns
    ]
    assert 2.2 < sum(sizes) / len(sizes) < 2.8  # one step each, and one for the answer: 3.29 in the paper


def test_a_change_to_what_was_just_made_opens_a_turn(hotels: InProcess, grounding: Grounding) -> None:
    gold = grounding(
        ["search_hotels", "book_room", "get_reservation", "cancel_reservation"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "reservation_id", 1, "id"), (3, "reservation_id", 1, "id")],
    )
    assert [changes_mind(gold, index, hotels.specs, 0) for index in range(4)] == [False, False, False, True]
    assert not changes_mind(gold, 3, hotels.specs, 2)
    gold = grounding(
        ["search_hotels", "book_room", "cancel_reservation"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "reservation_id", 1, "id")],
    )
    assert changes_mind(gold, 2, hotels.specs, 0)
    for seed in range(20):
        turns = RulePlanner().plan(gold, hotels.specs, random.Random(seed)).gold.turns
        assert turns[-1] == 1


def test_what_is_added_to_what_was_just_made_is_no_change_of_mind() -> None:
    specs = backend(["rail_tickets"]).specs
    made = Out(call=0, path="id")
    given: list[tuple[str, dict[str, Binding]]] = [
        ("buy_ticket", {"train_id": FromUser(value="TR-1"), "fare": FromUser(value="flex")}),
        ("reserve_seats", {"ticket_id": made, "position": FromUser(value="aisle")}),
        ("change_train", {"ticket_id": made, "train_id": FromUser(value="TR-2")}),
        ("refund_ticket", {"ticket_id": made}),
    ]
    gold = gold_of(*[GoldCall(tool=f"rail_tickets-{name}", arguments=arguments) for name, arguments in given])
    assert [changes_again(gold, index, specs, 0) for index in range(4)] == [False, True, True, True]
    assert [changes_mind(gold, index, specs, 0) for index in range(4)] == [False, False, True, True]


STAY = Out(call=0, path="reservations[0].id")
OTHER = Out(call=0, path="reservations[1].id")


@pytest.mark.parametrize(
    ("first", "then", "again"),
    [
        ("change_dates", {"reservation_id": STAY}, True),
        ("change_dates", {"reservation_id": OTHER}, False),
        ("change_dates", {"reservation_id": Out(call=2, path="id")}, True),  # a look-up passes the id on
        ("get_reservation", {"reservation_id": STAY}, False),
        ("write_review", {"reservation_id": STAY}, False),
    ],
)
def test_a_second_change_of_one_record_is_seen_wherever_its_id_came_from(
    hotels: InProcess, first: str, then: dict[str, Binding], again: bool
) -> None:
    stay: dict[str, Binding] = {"reservation_id": STAY}
    calls = [("list_reservations", {}), (first, stay), ("get_reservation", stay), ("cancel_reservation", then)]
    gold = gold_of(*[GoldCall(tool=f"hotel_reservations-{name}", arguments=given) for name, given in calls])
    assert changes_mind(gold, 3, hotels.specs, 0) is again
    assert not changes_mind(gold, 3, hotels.specs, 2)


def test_what_the_user_says_is_said_in_the_turn_that_needs_it() -> None:
    nested = ListOf(items=(ObjectOf(fields={"what": Out(call=0, path="id"), "count": FromUser(value=2)}),))
    gold = gold_of(*[GoldCall(tool="x-y", arguments={"items": nested, "city": FromUser(value="Rome")})] * 3)
    parted = divided(gold, (1, 2))
    assert [[b.turn for _, b in bindings_of(call) if isinstance(b, FromUser)] for call in parted.calls] == [
        [0, 0],
        [1, 1],
        [1, 1],
    ]
    assert [list(turn) for turn in parted.turn_slices()] == [[0], [1, 2]]


@pytest.mark.parametrize("seed", [0, 1])
def test_the_persona_is_the_person_who_is_signed_in(hotels: InProcess, grounding: Grounding, seed: int) -> None:
    gold = grounding(["list_reservations"], [], seed)
    from envfactory.querygen import base_documents

    state = base_documents(hotels, gold.reference)["hotel_reservations"]
    plan = RulePlanner().plan(gold, hotels.specs, random.Random(seed))
    assert plan.persona.name == state["guests"][state["guest_id"]]["name"]


def test_what_is_said_once_more_as_it_was_is_no_change_of_mind() -> None:
    specs = backend(["task_board"]).specs
    task = Out(call=0, path="tasks[0].id")
    first: dict[str, Binding] = {"task_id": task, "priority": FromUser(value="low"), "points": FromUser(value=2)}
    for then, mind in (({"points": 2, "priority": "high"}, False), ({"points": 3}, True), ({"title": "Tour"}, False)):
        again: dict[str, Binding] = {"task_id": task, **{name: FromUser(value=value) for name, value in then.items()}}
        calls = [GoldCall(tool="task_board-search_tasks", arguments={})]
        calls += [GoldCall(tool="task_board-update_task", arguments=arguments) for arguments in (first, again)]
        assert changes_mind(gold_of(*calls), 2, specs, 0) is mind, then


def test_nobody_searches_twice_through_the_same_in_one_breath(hotels: InProcess, grounding: Grounding) -> None:
    twice = grounding(["search_hotels", "search_hotels"], [])
    other = grounding(["search_hotels", "list_reservations"], [])
    alone = {
        gold.calls[1].tool: sum(
            len(RulePlanner().plan(gold, hotels.specs, random.Random(seed)).gold.turns) == 2 for seed in range(200)
        )
        for gold in (twice, other)
    }
    assert alone["hotel_reservations-search_hotels"] > 180 > alone["hotel_reservations-list_reservations"]
