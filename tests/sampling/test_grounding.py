"""Chains become programs by being executed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from envfactory.catalogue import backend
from envfactory.environment import InProcess, Reference, Session
from envfactory.gold import FromUser, Gold, GoldCall, Out, bindings_of, replay
from envfactory.sampling import Chain, Link
from envfactory.sampling.grounding import Grounded, Grounder, GroundingSettings
from envfactory.sampling.search import Ungroundable

HOTELS = "hotel_reservations"
BOOKING = Chain(
    (f"{HOTELS}-search_hotels", f"{HOTELS}-check_availability", f"{HOTELS}-book_room", f"{HOTELS}-change_dates"),
    (Link(1, "hotel_id", 0, "hotels[].id"), Link(2, "hotel_id", 0, "hotels[].id"), Link(3, "reservation_id", 2, "id")),
)
INTERNAL = {
    (f"{HOTELS}-{tool}", path) for tool, path in (("book_room", "hotel_id"), ("change_dates", "reservation_id"))
}


@pytest.fixture(scope="module")
def hotels() -> InProcess:
    return backend([HOTELS])


def ground(hotels: InProcess, chain: Chain, seed: int, *, sensible: bool = True, **bounds: int) -> Grounded:
    grounder = Grounder(hotels, INTERNAL, GroundingSettings(**bounds, sensible=sensible))
    return grounder.ground(chain, Reference(environments={HOTELS: ""}, seed=seed), random.Random(seed))


def run_of(hotels: InProcess, gold: Gold) -> Any:
    with Session(hotels, gold.reference) as session:
        return replay(gold, session)


@pytest.mark.parametrize("seed", range(12))
def test_a_grounded_chain_runs_again_and_leads_to_the_same_state(hotels: InProcess, seed: int) -> None:
    grounded = ground(hotels, BOOKING, seed)
    run = run_of(hotels, grounded.gold)
    assert run.diff == grounded.gold.diff
    assert [call.ok for call in run.calls.values()] == [True] * len(grounded.chain.tools)


def test_links_become_bindings_and_the_rest_is_said_by_the_user(hotels: InProcess) -> None:
    gold = ground(hotels, BOOKING, 1).gold
    assert gold.calls[3].arguments["reservation_id"] == Out(call=2, path="id")
    booked = gold.calls[2].arguments["hotel_id"]
    assert isinstance(booked, Out)
    assert booked.call == 0
    assert booked.pick is not None
    assert isinstance(gold.calls[2].arguments["check_in"], FromUser)


def test_what_was_said_once_is_kept_to(hotels: InProcess) -> None:
    same = 0
    for seed in range(20):
        gold = ground(hotels, BOOKING, seed).gold
        asked, booked = gold.calls[1].arguments, gold.calls[2].arguments
        same += asked["check_in"] == booked["check_in"] and asked["hotel_id"].path == booked["hotel_id"].path  # type: ignore[union-attr]
    assert same >= 14


def test_an_argument_that_no_phrasing_mentions_is_left_to_its_default(hotels: InProcess) -> None:
    for seed in range(20):
        first: GoldCall = ground(hotels, BOOKING, seed).gold.calls[0]
        assert not {"page", "sort"} & set(first.arguments)


def test_free_text_is_masked(hotels: InProcess) -> None:
    assert ground(hotels, BOOKING, 0).gold.calls[2].masked == ("request",)


def test_a_search_is_drawn_so_that_the_later_call_finds_what_it_needs(hotels: InProcess) -> None:
    chain = Chain(
        (f"{HOTELS}-list_reservations", f"{HOTELS}-cancel_reservation"),
        (Link(1, "reservation_id", 0, "reservations[].id"),),
    )
    for seed in range(15):
        grounded = ground(hotels, chain, seed)
        cancelled = run_of(hotels, grounded.gold).calls[1]
        assert len(grounded.chain.tools) == 2
        assert cancelled.ok


def test_a_call_that_finds_no_values_is_left_out_with_all_that_lean_on_it(hotels: InProcess) -> None:
    tools = ("search_hotels", "book_room", "cancel_reservation", "change_dates", "get_reservation", "get_hotel")
    links = (
        Link(1, "hotel_id", 0, "hotels[].id"),
        Link(2, "reservation_id", 1, "id"),
        Link(3, "reservation_id", 1, "id"),  # it is cancelled: this cannot be done
        Link(4, "reservation_id", 3, "id"),
        Link(5, "hotel_id", 0, "hotels[].id"),
    )
    grounded = ground(hotels, Chain(tuple(f"{HOTELS}-{tool}" for tool in tools), links), 3, sensible=False)
    assert [tool.partition("-")[2] for tool in grounded.chain.tools] == [
        "search_hotels",
        "book_room",
        "cancel_reservation",
        "get_hotel",
    ]
    assert grounded.left_out == {"unfit": 1, "leans_on_left_out": 1}
    assert grounded.chain.links == (
        Link(1, "hotel_id", 0, "hotels[].id"),
        Link(2, "reservation_id", 1, "id"),
        Link(3, "hotel_id", 0, "hotels[].id"),
    )
    assert [b.call for _, b in bindings_of(grounded.gold.calls[3]) if isinstance(b, Out)] == [0]


def test_a_chain_of_which_too_little_remains_is_refused_with_the_first_reason(hotels: InProcess) -> None:
    tools = (f"{HOTELS}-search_hotels", f"{HOTELS}-book_room", f"{HOTELS}-cancel_reservation", f"{HOTELS}-change_dates")
    links = (
        Link(1, "hotel_id", 0, "hotels[].id"),
        Link(2, "reservation_id", 1, "id"),
        Link(3, "reservation_id", 1, "id"),
    )
    with pytest.raises(Ungroundable) as caught:
        ground(hotels, Chain(tools, links), 0, min_tools=4, sensible=False)
    assert caught.value.reason == "unfit"
    assert caught.value.tool == f"{HOTELS}-change_dates"


def test_a_refused_chain_tells_which_calls_failed_and_what_leads_to_and_from_them(hotels: InProcess) -> None:
    tools = ("search_hotels", "book_room", "cancel_reservation", "change_dates", "get_reservation", "get_reservation")
    links = (
        Link(1, "hotel_id", 0, "hotels[].id"),
        Link(2, "reservation_id", 1, "id"),
        Link(3, "reservation_id", 1, "id"),  # it is cancelled
        Link(4, "reservation_id", 3, "id"),
        Link(5, "reservation_id", 4, "id"),
    )
    with pytest.raises(Ungroundable) as caught:
        ground(hotels, Chain(tuple(f"{HOTELS}-{tool}" for tool in tools), links), 0, min_tools=6, sensible=False)
    assert caught.value.failed == {3}
    assert caught.value.faults == links[2:4]


def test_a_chain_that_is_too_long_ends_where_it_is_as_long_as_it_may_be(hotels: InProcess) -> None:
    grounded = ground(hotels, BOOKING, 1, max_tools=3)
    assert grounded.chain == Chain(BOOKING.tools[:3], BOOKING.links[:2])
    assert [call.tool for call in grounded.gold.calls] == [*BOOKING.tools[:3]]


def test_no_call_is_made_twice_with_the_same_arguments(hotels: InProcess) -> None:
    chain = Chain((f"{HOTELS}-list_reservations",) * 9)
    grounded = ground(hotels, chain, 0)
    calls = [repr(call.arguments) for call in grounded.gold.calls]
    assert len(set(calls)) == len(calls) < 9
    assert set(grounded.left_out) == {"repeats"}


def test_the_same_seed_grounds_to_the_same_program(hotels: InProcess) -> None:
    first, again = ground(hotels, BOOKING, 5), ground(backend([HOTELS]), BOOKING, 5)
    assert first.gold.model_dump_json() == again.gold.model_dump_json()


def test_nested_lists_are_bound_item_by_item() -> None:
    market = backend(["marketplace_orders"])
    chain = Chain(
        ("marketplace_orders-search_products", "marketplace_orders-place_order"),
        (Link(1, "items[].product_id", 0, "products[].id"),),
    )
    grounder = Grounder(market, {("marketplace_orders-place_order", "items[].product_id")})
    gold = grounder.ground(chain, Reference(environments={"marketplace_orders": ""}, seed=2), random.Random(2)).gold
    leaves = dict(bindings_of(gold.calls[1]))
    assert isinstance(leaves["items[0].product_id"], Out)
    assert isinstance(leaves["items[0].quantity"], FromUser)


def test_a_value_that_another_call_gave_is_taken_only_if_the_record_chosen_offers_it() -> None:
    parcels = "parcel_tracking"
    environments = backend([parcels])
    chain = Chain(
        (f"{parcels}-list_parcels", f"{parcels}-track_parcel", f"{parcels}-change_day"),
        (Link(1, "parcel_id", 0, "parcels[].id"), Link(2, "parcel_id", 0, "parcels[].id"),
         Link(2, "day", 1, "expected_on")),
    )  # fmt: skip
    days: list[object] = []
    for seed in range(8):
        grounder = Grounder(environments, set(), GroundingSettings(min_tools=2))
        reference = Reference(environments={parcels: ""}, seed=seed, size=50)
        grounded = grounder.ground(chain, reference, random.Random(seed))
        assert [call.tool for call in grounded.gold.calls][-1] == f"{parcels}-change_day"
        days.append(grounded.gold.calls[-1].arguments["day"])
    assert sum(isinstance(day, FromUser) for day in days) > 4, "another parcel's day is seldom one of this one's"
