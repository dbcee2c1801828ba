"""The ride app, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from envfactory.catalogue.travel import _ride_fares as prices
from envfactory.catalogue.travel import _ride_rules as rules
from envfactory.catalogue.travel.ride_hailing import RideHailing
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00. From Alpha Square to Beta Station it is 13 km and 30 minutes, which
# costs 24.30 dollars in a standard car; by Gamma Hotel it is 15.2 km and 37 minutes, for 30.47.


NEAR_BY = ["Eta Park", "Zeta Park", "Delta Gate"]
"""Where a ride from Alpha Square to Beta Station could stop, by way of Gamma Hotel or not: the least detour first."""


def place(key: str, name: str, x: float, y: float = 0.0, **changes: Any) -> Row:
    return {
        "id": key, "name": name, "kind": "landmark", "city": "Oslo", "address": f"{key} Mill Lane", "x_km": x,
        "y_km": y, **changes,
    }  # fmt: skip


def ride(key: str, pickup_at: str, **changes: Any) -> Row:
    """A ride from Alpha Square to Beta Station that was booked two days ago."""
    start = dt.datetime.fromisoformat(pickup_at)
    return {
        "id": key, "rider_id": "R-1", "city": "Oslo", "status": "booked", "pickup_id": "A", "pickup": "Alpha Square",
        "dropoff_id": "B", "dropoff": "Beta Station", "stops": [], "on_the_way": NEAR_BY,
        "pickup_at": start.isoformat(),
        "ends_at": (start + dt.timedelta(minutes=30)).isoformat(), "booked_at": "2026-02-28T12:00:00",
        "fees_from": start.isoformat(), "car": "standard_car", "passengers": 1, "bags": 0, "child_seat": False,
        "km": 13.0, "surge": 1.0, "fare": 24.3, "discount": 0.0, "split_with": [], "total": 24.3,
        "payment": "not_charged", "owed": 0.0, "cancel_fee": 0.0, "detour_charge": 0.0, "driver_late": 0, "waited": 0,
        "waiting_fee": 0.0, "grounds": [], "credit": 0.0, "left_behind": [], **changes,
    }  # fmt: skip


def past(key: str, pickup_at: str, **changes: Any) -> Row:
    """A ride that was taken and paid."""
    over: Row = {"status": "completed", "on_the_way": [], "payment": "paid", "driver": "Ines", "driven_km": 13.2}
    return ride(key, pickup_at, **{**over, **changes})


def promotion(key: str, name: str, **changes: Any) -> Row:
    return {
        "id": key, "rider_id": "R-1", "name": name, "percent_off": 20, "max_off": 8.0, "min_fare": 10.0,
        "valid_until": "2026-03-20", "status": "open", **changes,
    }  # fmt: skip


def contact(key: str, name: str, **changes: Any) -> Row:
    return {"id": key, "rider_id": "R-1", "name": name, "has_account": True, **changes}


BY_GAMMA: Row = {
    "stops": [{"place_id": "C", "name": "Gamma Hotel"}], "km": 15.2, "fare": 30.47, "total": 30.47,
    "ends_at": "2026-03-09T12:37:00",
}  # fmt: skip
STATE: dict[str, Any] = {
    "rider_id": "R-1",
    "riders": keyed(
        {"id": "R-1", "name": "Ada Berg", "email": "ada@mail.example"},
        {"id": "R-2", "name": "Ben Cole", "email": "ben@mail.example"},
    ),
    "contacts": keyed(
        contact("K-1", "Cy Cole"),
        contact("K-2", "Di Dorn"),
        contact("K-3", "Ed Ekko"),
        contact("K-4", "Flo Fink"),
        contact("K-5", "Gil Gold", has_account=False),
        contact("K-9", "Zo Zorn", rider_id="R-2"),
    ),
    "places": keyed(
        place("B", "Beta Station", 10, kind="train_station"),
        place("A", "Alpha Square", 0),
        place("C", "Gamma Hotel", 4, 3, kind="hotel"),
        place("D", "Delta Gate", 0.1, 0.2),
        place("E", "Epsilon Gate", 0.1, 0.1),
        place("F", "Zeta Park", 3),
        place("G", "Eta Park", 6),
        place("H", "home", 10, 3, kind="saved_place", saved_by="R-1", saved_as="home"),
        place("O", "work", 5, kind="saved_place", saved_by="R-2", saved_as="work"),
        place("X", "Pi Plaza", 0, city="Rome"),
        place("Y", "Rho Plaza", 8, city="Rome"),
    ),
    "promotions": keyed(
        promotion("P-1", "SPRING20"),
        promotion("P-2", "BIG30", percent_off=50, max_off=5.0),
        promotion("P-3", "OLD10", status="used"),
        promotion("P-4", "TAKEN15", status="on_a_ride", percent_off=15, valid_until="2026-03-25"),
        promotion("P-9", "OTHER20", rider_id="R-2"),
    ),
    "rides": keyed(
        ride("B-1", "2026-03-05T12:00:00"),
        ride("B-2", "2026-03-09T12:00:00", **BY_GAMMA),
        ride("B-3", "2026-03-12T12:00:00", fare=24.3, promotion_id="P-4", promotion="TAKEN15", discount=3.65,
             total=20.65),
        ride("B-4", "2026-03-03T08:30:00", surge=1.3, fare=31.59, total=31.59),
        ride("B-5", "2026-03-02T10:30:00"),
        past("D-1", "2026-02-27T12:00:00"),
        past("D-2", "2026-02-20T12:00:00", driven_km=16.0, detour_charge=3.3, driver_late=4, waited=12,
             waiting_fee=3.5, total=31.1, grounds=["wrong_route", "waiting_time"]),
        past("D-3", "2026-01-20T12:00:00", stars=4, tip=3.0, total=27.3),
        past("D-4", "2026-02-24T12:00:00", payment="unpaid", owed=24.3, pay_by="2026-03-10"),
        ride("C-1", "2026-02-26T12:00:00", status="cancelled", on_the_way=[], cancel_fee=5.0, total=5.0,
             payment="unpaid", owed=5.0, pay_by="2026-03-12"),
        ride("N-1", "2026-03-15T12:00:00", rider_id="R-2", pickup_id="X", pickup="Pi Plaza", city="Rome"),
    ),
}  # fmt: skip
RIDES = STATE["rides"]


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(RideHailing, STATE, rows=rows, **changes)


def having(table: str, key: str, **changes: Any) -> dict[str, Rows]:
    return {table: keyed({**STATE[table][key], **changes})}


def kept(at: Desk, key: str) -> Row:
    """A ride as it is now."""
    return at.gives("get_ride", ride_id=key)["ride"]


def on(when: str) -> dt.datetime:
    return dt.datetime.fromisoformat(when)


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"city": "Oslo"}, ["A", "B", "D", "E", "G"]),
        ({"city": "Oslo", "page": 2}, ["C", "F", "H"]),
        ({"city": "Oslo", "kind": "saved_place"}, ["H"]),
        ({"city": "Oslo", "kind": "hotel"}, ["C"]),
        ({"city": "Rome"}, ["X", "Y"]),
        ({"city": "Rome", "kind": "airport"}, []),
    ],
)
def test_places_of_a_city_are_found_by_name(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_places", **arguments) == found


ROUTE = {"pickup_id": "A", "dropoff_id": "B", "pickup_at": "2026-03-04T12:00:00"}


def fares(at: Desk | None = None, **arguments: Any) -> dict[str, float]:
    quotes = (at or desk()).gives("estimate_fares", **{**ROUTE, **arguments})["quotes"]
    return {quote["car"]: quote["price"] for quote in quotes}


def test_fares_are_estimated_for_every_kind_of_car_the_cheapest_first() -> None:
    value = desk().gives("estimate_fares", **ROUTE)
    assert (value["km"], value["minutes"], value["surge"], value["total"]) == (13.0, 30, 1.0, 5)
    assert value["quotes"][0] == {
        "car": "standard_car", "price": 24.3, "seats": 4, "room_for": 2, "child_seats": True,
        "book_by": "2026-03-04T10:00:00",
    }  # fmt: skip
    assert value["quotes"][3] == {
        "car": "large_van", "price": 42.95, "seats": 6, "room_for": 6, "child_seats": True,
        "book_by": "2026-03-04T08:00:00",
    }  # fmt: skip
    assert [(quote["car"], quote["price"]) for quote in value["quotes"]] == [
        ("standard_car", 24.3), ("wheelchair_van", 24.3), ("comfort_car", 31.95), ("large_van", 42.95),
        ("premium_car", 58.8),
    ]  # fmt: skip
    assert desk().gives("estimate_fares", **ROUTE, page=2)["quotes"] == []


@pytest.mark.parametrize(
    ("party", "cars"),
    [
        ({"passengers": 3}, ["standard_car", "wheelchair_van", "comfort_car", "large_van", "premium_car"]),
        ({"passengers": 4}, ["standard_car", "comfort_car", "large_van", "premium_car"]),
        ({"passengers": 5}, ["large_van"]),
        ({"passengers": 6}, ["large_van"]),
        ({"bags": 2}, ["standard_car", "wheelchair_van", "comfort_car", "large_van", "premium_car"]),
        ({"bags": 3}, ["comfort_car", "large_van", "premium_car"]),
        ({"bags": 6}, ["large_van"]),
        ({"bags": 7}, []),
        ({"child_seat": True}, ["standard_car", "wheelchair_van", "comfort_car", "large_van"]),
    ],
)
def test_only_cars_that_hold_everybody_are_estimated(party: Row, cars: list[str]) -> None:
    assert list(fares(**party)) == cars


def test_the_way_is_measured_between_the_places() -> None:
    value = desk().gives("estimate_fares", **{**ROUTE, "pickup_id": "C", "dropoff_id": "H"})
    assert (value["km"], value["minutes"]) == (7.8, 20)


def test_a_child_seat_costs_five_dollars() -> None:
    assert fares(child_seat=True)["standard_car"] == 29.3
    assert fares(child_seat=True, pickup_at="2026-03-04T17:00:00")["standard_car"] == 39.02


def test_short_rides_cost_the_least_fare() -> None:
    assert fares(dropoff_id="D")["standard_car"] == 6
    assert fares(dropoff_id="D", pickup_at="2026-03-04T08:00:00") == {
        "standard_car": 7.8, "wheelchair_van": 6, "comfort_car": 11.7, "large_van": 18.2, "premium_car": 23.4
    }  # fmt: skip


@pytest.mark.parametrize(
    ("when", "factor"),
    [
        ("2026-03-04T06:59:00", 1.0), ("2026-03-04T07:00:00", 1.3), ("2026-03-04T09:59:00", 1.3),
        ("2026-03-04T10:00:00", 1.0), ("2026-03-04T15:59:00", 1.0), ("2026-03-04T16:00:00", 1.4),
        ("2026-03-04T18:59:00", 1.4), ("2026-03-04T19:00:00", 1.0), ("2026-03-06T08:00:00", 1.3),
        ("2026-03-06T17:00:00", 1.4), ("2026-03-07T08:00:00", 1.0), ("2026-03-07T17:00:00", 1.0),
        ("2026-03-05T22:30:00", 1.0), ("2026-03-06T21:59:00", 1.0), ("2026-03-06T22:00:00", 1.6),
        ("2026-03-07T23:00:00", 1.6), ("2026-03-08T22:30:00", 1.0),
    ],
)  # fmt: skip
def test_prices_follow_the_hour_but_for_wheelchair_vans(when: str, factor: float) -> None:
    value = desk().gives("estimate_fares", **{**ROUTE, "pickup_at": when})
    assert value["surge"] == factor
    assert fares(pickup_at=when)["standard_car"] == round(24.3 * factor, 2)
    assert fares(pickup_at=when)["wheelchair_van"] == 24.3


def test_only_cars_that_can_still_be_booked_are_estimated() -> None:
    assert list(fares(pickup_at="2026-03-02T13:00:00")) == [
        "standard_car", "wheelchair_van", "comfort_car", "large_van", "premium_car"
    ]  # fmt: skip
    assert list(fares(pickup_at="2026-03-02T12:59:00")) == ["standard_car", "comfort_car", "premium_car"]
    assert list(fares(pickup_at="2026-03-02T10:59:00")) == []
    assert fares(pickup_at="2026-04-01T09:00:00")
    far = {**ROUTE, "pickup_at": "2026-04-01T09:01:00"}
    desk().refuses("estimate_fares", "precondition_failed", "the last pick-up time is 2026-04-01 09:00:00", **far)


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        (
            {"dropoff_id": "X"},
            "invalid_argument",
            "Alpha Square is in Oslo and Pi Plaza in Rome; rides stay in one city",
        ),
        ({"dropoff_id": "A"}, "invalid_argument", "Alpha Square is no ride away from Alpha Square"),
        ({"dropoff_id": "E"}, "invalid_argument", "Epsilon Gate is no ride away from Alpha Square"),
        ({"dropoff_id": "O"}, "permission_denied", "belongs to somebody else"),
        ({"pickup_id": "O"}, "permission_denied", "belongs to somebody else"),
        ({"pickup_id": "Q"}, "not_found", "There is no place with the id 'Q'"),
    ],
)
def test_what_is_no_route_is_neither_estimated_nor_booked(changes: Row, code: str, words: str) -> None:
    desk().refuses("estimate_fares", code, words, **{**ROUTE, **changes})
    desk().refuses("book_ride", code, words, **{**ROUTE, "car": "standard_car", **changes})


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["B-5", "B-4", "B-1", "B-2", "B-3"]),
        ({"city": "Oslo", "page": 2}, []),
        ({"city": "Rome"}, []),
        ({"until": "2026-03-05"}, ["B-5", "B-4", "B-1"]),
        ({"until": "2026-03-04"}, ["B-5", "B-4"]),
    ],
)
def test_own_booked_rides_are_found_the_next_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_booked_rides", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["C-1", "D-4", "D-1", "D-2", "D-3"]),
        ({"unpaid": True}, ["C-1", "D-4"]),
        ({"city": "Oslo", "page": 2}, []),
        ({"city": "Rome"}, []),
    ],
)
def test_own_past_rides_are_found_unpaid_ones_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_past_rides", **arguments) == found


def test_a_booked_ride_tells_until_when_it_can_be_changed_and_what_it_could_have() -> None:
    value = desk().gives("get_ride", ride_id="B-1")
    assert value == {
        "ride": RIDES["B-1"], "pickup": "Alpha Square", "dropoff": "Beta Station", "pickup_at": "2026-03-05T12:00:00",
        "status": "booked", "total": 24.3, "change_until": "2026-03-05T10:00:00", "free_until": "2026-03-04T12:00:00",
        "cancel_fee": 0.0, "promotions": [STATE["promotions"]["P-1"], STATE["promotions"]["P-2"]], "owed_in_all": 29.3,
        "booking_blocked": False,
    }  # fmt: skip
    fees = {key: desk().gives("get_ride", ride_id=key)["cancel_fee"] for key in ("B-3", "B-4", "B-5")}
    assert fees == {"B-3": 0.0, "B-4": 5.0, "B-5": 12.15}


@pytest.mark.parametrize("ride_id", ["D-1", "C-1"])
def test_a_ride_that_is_over_tells_what_could_be_put_on_another(ride_id: str) -> None:
    rows = {
        "promotions": keyed(
            promotion("P-1", "SPRING20", valid_until="2026-03-02", min_fare=90.0),
            promotion("P-2", "BIG30", valid_until="2026-03-01"),
        )
    }
    found = desk(rows).gives("get_ride", ride_id=ride_id)["promotions"]
    assert [each["id"] for each in found] == ["P-1"]


def test_promotions_that_hold_are_told_by_their_last_day() -> None:
    rows = having("promotions", "P-1", valid_until="2026-03-21")
    found = desk(rows).gives("get_ride", ride_id="B-1")["promotions"]
    assert [each["id"] for each in found] == ["P-2", "P-1"]


def test_a_past_ride_tells_until_when_it_can_be_rated_and_searched() -> None:
    value = desk().gives("get_ride", ride_id="D-2")
    assert value == {
        "ride": RIDES["D-2"], "pickup": "Alpha Square", "dropoff": "Beta Station", "pickup_at": "2026-02-20T12:00:00",
        "status": "completed", "total": 31.1, "report_until": "2026-03-06", "rate_until": "2026-03-22",
        "promotions": [STATE["promotions"]["P-1"], STATE["promotions"]["P-2"]], "owed_in_all": 29.3,
        "booking_blocked": False,
    }  # fmt: skip
    value = desk().gives("get_ride", ride_id="C-1")
    assert (value["cancel_fee"], value["status"]) == (5.0, "cancelled")
    assert not value.keys() & {"change_until", "free_until", "report_until", "rate_until"}


@pytest.mark.parametrize(
    ("now", "report", "rate"),
    [
        ("2026-03-06T23:00:00", True, True), ("2026-03-07T00:00:00", False, True),
        ("2026-03-22T23:00:00", False, True), ("2026-03-23T00:00:00", False, False),
    ],
)  # fmt: skip
def test_a_ride_that_is_long_past_can_no_longer_be_rated_or_searched(now: str, report: bool, rate: bool) -> None:
    value = desk(now=on(now)).gives("get_ride", ride_id="D-2")
    assert ("report_until" in value, "rate_until" in value) == (report, rate)


@pytest.mark.parametrize("tool", ["get_ride", "cancel_ride", "pay_ride"])
def test_rides_of_others_and_unknown_ones_are_refused(tool: str) -> None:
    desk().refuses(tool, "permission_denied", "That ride belongs to somebody else", ride_id="N-1")
    desk().refuses(tool, "not_found", "There is no ride with the id 'Q'", ride_id="Q")


# -- booking


def test_a_ride_is_booked_at_the_price_of_its_hour() -> None:
    at = desk()
    value = at.gives("book_ride", **{**ROUTE, "pickup_at": "2026-03-04T17:00:00"}, car="comfort_car")
    expected = ride(
        "RD-1001", "2026-03-04T17:00:00", booked_at="2026-03-02T09:00:00", car="comfort_car", surge=1.4, fare=44.73,
        total=44.73,
    )  # fmt: skip
    assert value == expected
    assert at.changed() == {"rides.created": {"RD-1001": expected}}
    assert "RD-1001" in at.ids("find_booked_rides")


def test_a_ride_is_booked_from_a_saved_place_with_a_party() -> None:
    value = desk().gives(
        "book_ride", pickup_id="H", dropoff_id="A", pickup_at="2026-03-04T12:00:00", car="large_van", passengers=6,
        bags=4, child_seat=True,
    )  # fmt: skip
    # 13.6 km in 31 minutes: 5 + 26.52 + 13.02, and 5 for the seat.
    assert (value["pickup"], value["km"], value["fare"]) == ("home", 13.6, 49.54)
    assert (value["passengers"], value["bags"], value["child_seat"]) == (6, 4, True)
    assert value["ends_at"] == "2026-03-04T12:31:00"


@pytest.mark.parametrize(
    ("car", "party", "words"),
    [
        ("standard_car", {"passengers": 5}, "A standard car takes 4 passengers at most; choose another kind of car"),
        ("wheelchair_van", {"passengers": 4}, "takes 3 passengers at most"),
        ("standard_car", {"bags": 3}, "A standard car takes 2 bags at most"),
        ("premium_car", {"child_seat": True}, "A premium car has no child seat"),
    ],
)
def test_a_car_that_does_not_hold_everybody_is_refused(car: str, party: Row, words: str) -> None:
    desk().refuses("book_ride", "precondition_failed", words, **ROUTE, car=car, **party)


@pytest.mark.parametrize(
    ("car", "when", "words"),
    [
        (
            "standard_car",
            "2026-03-02T10:59:00",
            "booked 2 hours ahead at least, so the first pick-up time is 2026-03-02 11",
        ),
        ("large_van", "2026-03-02T12:59:00", "A large van is booked 4 hours ahead at least"),
        ("wheelchair_van", "2026-03-02T12:59:00", "booked 4 hours ahead at least"),
        ("standard_car", "2026-03-01T12:00:00", "booked 2 hours ahead"),
        ("standard_car", "2026-04-01T09:01:00", "up to 30 days ahead; the last pick-up time is 2026-04-01 09:00:00"),
    ],
)
def test_rides_are_booked_neither_too_late_nor_too_early(car: str, when: str, words: str) -> None:
    desk().refuses("book_ride", "precondition_failed", words, **{**ROUTE, "pickup_at": when}, car=car)


@pytest.mark.parametrize(
    ("car", "when"),
    [
        ("standard_car", "2026-03-02T11:00:00"), ("premium_car", "2026-03-02T11:00:00"),
        ("comfort_car", "2026-03-02T11:00:00"), ("large_van", "2026-03-02T13:00:00"),
        ("wheelchair_van", "2026-03-02T13:00:00"), ("standard_car", "2026-04-01T09:00:00"),
    ],
)  # fmt: skip
def test_rides_are_booked_up_to_the_last_moment(car: str, when: str) -> None:
    assert desk().gives("book_ride", **{**ROUTE, "pickup_at": when}, car=car)["fees_from"] == when


@pytest.mark.parametrize(
    ("when", "free"),
    [
        ("2026-03-05T11:30:00", True), ("2026-03-05T11:31:00", False), ("2026-03-05T12:29:00", False),
        ("2026-03-05T12:30:00", True),
    ],
)  # fmt: skip
def test_nobody_has_two_rides_at_a_time(when: str, free: bool) -> None:
    arguments = {**ROUTE, "pickup_at": when, "car": "standard_car"}
    if free:
        desk().gives("book_ride", **arguments)
    else:
        words = "from Alpha Square to Beta Station from 2026-03-05 12:00:00 to 2026-03-05 12:30:00; choose another time"
        desk().refuses("book_ride", "conflict", words, **arguments)
        gone = having("rides", "B-1", status="cancelled")
        desk(gone).gives("book_ride", **arguments)
        desk(having("rides", "B-1", rider_id="R-2")).gives("book_ride", **arguments)


def test_who_owes_too_much_or_too_long_pays_before_booking() -> None:
    arguments = {**ROUTE, "car": "standard_car"}
    at = desk(having("rides", "C-1", owed=35.71, total=35.71))
    words = "You owe 60.01 dollars, which is over 60 or overdue; pay for the unpaid rides first"
    at.refuses("book_ride", "precondition_failed", words, **arguments)
    assert at.gives("get_ride", ride_id="B-1")["booking_blocked"] is True
    at.gives("pay_ride", ride_id="D-4")
    at.gives("book_ride", **arguments)
    at = desk(having("rides", "C-1", owed=35.7, total=35.7))
    assert at.gives("get_ride", ride_id="B-1")["owed_in_all"] == 60
    at.gives("book_ride", **arguments)
    desk(having("rides", "C-1", pay_by="2026-03-02")).gives("book_ride", **arguments)
    overdue = having("rides", "C-1", pay_by="2026-03-01")
    desk(overdue).refuses("book_ride", "precondition_failed", "You owe 29.30 dollars", **arguments)
    desk(having("rides", "C-1", owed=200, rider_id="R-2")).gives("book_ride", **arguments)


# -- changing


def test_a_stop_makes_a_ride_longer_and_removing_it_makes_it_what_it_was() -> None:
    at = desk()
    value = at.gives("add_stop", ride_id="B-1", place="Gamma Hotel")
    assert value == {**RIDES["B-1"], **BY_GAMMA, "ends_at": "2026-03-05T12:37:00"}
    assert list(at.changes().tables) == ["rides"]
    assert at.gives("get_ride", ride_id="B-1")["total"] == 30.47
    assert at.gives("remove_stop", ride_id="B-1", stop="Gamma Hotel") == RIDES["B-1"]
    assert at.changed() == {}


def test_stops_are_made_in_their_order_three_at_most() -> None:
    at = desk()
    at.gives("add_stop", ride_id="B-2", place="Zeta Park")
    value = at.gives("add_stop", ride_id="B-2", place="Eta Park")
    assert [stop["name"] for stop in value["stops"]] == ["Gamma Hotel", "Zeta Park", "Eta Park"]
    words = "A ride makes 3 stops at most; remove one first"
    at.refuses("add_stop", "limit_exceeded", words, ride_id="B-2", place="Delta Gate")
    value = at.gives("remove_stop", ride_id="B-2", stop="Zeta Park")
    assert [stop["name"] for stop in value["stops"]] == ["Gamma Hotel", "Eta Park"]


@pytest.mark.parametrize(
    ("ride_id", "place", "code", "words"),
    [
        ("B-2", "Gamma Hotel", "conflict", "The ride stops at Gamma Hotel already"),
        ("B-1", "Alpha Square", "conflict", "The ride begins or ends at Alpha Square; choose a place on the way"),
        ("B-2", "Beta Station", "conflict", "The ride begins or ends at Beta Station"),
        ("B-1", "Epsilon Gate", "invalid_argument", "Epsilon Gate is no ride away from Alpha Square"),
        (
            "B-1",
            "Pi Plaza",
            "not_found",
            "Pi Plaza is no place in Oslo, where the ride is; choose another place (find_places)",
        ),
        ("B-1", "work", "not_found", "work is no place in Oslo"),
        ("N-1", "Gamma Hotel", "permission_denied", "That ride belongs to somebody else"),
        ("D-1", "Gamma Hotel", "precondition_failed", "The ride is completed, so it cannot be given a stop"),
        ("C-1", "Gamma Hotel", "precondition_failed", "The ride is cancelled, so it cannot be given a stop"),
        ("B-5", "Gamma Hotel", "precondition_failed", "could be given a stop until 2026-03-02 08:30:00"),
    ],
)
def test_stops_that_cannot_be_made_are_refused(ride_id: str, place: str, code: str, words: str) -> None:
    desk().refuses("add_stop", code, words, ride_id=ride_id, place=place)


def test_places_on_the_way_are_offered_the_smallest_detour_first() -> None:
    at = desk()
    assert kept(at, "B-1")["on_the_way"] == NEAR_BY
    # Epsilon Gate is too near to Alpha Square, Gamma Hotel farther off than three others, and home no public place.
    assert at.gives("add_stop", ride_id="B-1", place="Eta Park")["on_the_way"] == [
        "Zeta Park", "Gamma Hotel", "Delta Gate"
    ]  # fmt: skip
    assert at.gives("add_stop", ride_id="B-1", place="home")["on_the_way"] == ["Gamma Hotel", "Zeta Park", "Delta Gate"]
    assert at.gives("add_stop", ride_id="B-1", place="Delta Gate")["on_the_way"] == []
    at.gives("remove_stop", ride_id="B-1", stop="Eta Park")
    assert at.gives("remove_stop", ride_id="B-1", stop="home")["on_the_way"] == ["Eta Park", "Zeta Park", "Gamma Hotel"]


def test_a_place_just_far_enough_from_the_end_is_offered() -> None:
    rows = {"places": keyed(place("C", "Gamma Hotel", 9.77), place("F", "Zeta Park", 9.8), place("G", "Eta Park", 6))}
    at = desk(rows)
    assert at.gives("change_car", ride_id="B-1", car="premium_car")["on_the_way"] == [
        "Eta Park", "Gamma Hotel", "Zeta Park"
    ]  # fmt: skip
    rows["places"]["F"]["x_km"] = 9.9
    value = desk(rows).gives("change_car", ride_id="B-1", car="premium_car")
    assert value["on_the_way"] == ["Eta Park", "Gamma Hotel", "Delta Gate"]


def test_a_longer_ride_must_not_reach_into_the_next() -> None:
    rows = {"rides": keyed(ride("B-6", "2026-03-05T12:36:00"))}
    desk(rows).refuses("add_stop", "conflict", "from 2026-03-05 12:36:00", ride_id="B-1", place="Gamma Hotel")
    rows = {"rides": keyed(ride("B-6", "2026-03-05T12:37:00"))}
    desk(rows).gives("add_stop", ride_id="B-1", place="Gamma Hotel")


def test_only_stops_that_are_made_are_removed() -> None:
    at = desk()
    at.refuses(
        "remove_stop", "not_found", "The ride makes no stops, so there is none", ride_id="B-1", stop="Gamma Hotel"
    )
    at.refuses("remove_stop", "not_found", "stops at Gamma Hotel, not at Zeta", ride_id="B-2", stop="Zeta Park")
    words = "The ride is completed, so it cannot be spared a stop"
    at.refuses("remove_stop", "precondition_failed", words, ride_id="D-1", stop="Gamma Hotel")
    at.refuses("remove_stop", "permission_denied", "belongs to somebody else", ride_id="N-1", stop="Gamma Hotel")


def test_a_stop_between_a_place_and_itself_stays() -> None:
    stops = [{"place_id": "C", "name": "Gamma Hotel"}, {"place_id": "E", "name": "Epsilon Gate"}]
    words = "Epsilon Gate is no ride away from Alpha Square, which comes before it; choose another place or stop"
    at = desk(having("rides", "B-1", stops=stops))
    at.refuses("remove_stop", "invalid_argument", words, ride_id="B-1", stop="Gamma Hotel")


def test_a_ride_is_moved_to_the_price_of_another_hour_and_back() -> None:
    at = desk()
    value = at.gives("move_ride", ride_id="B-1", pickup_at="2026-03-06T16:00:00")
    assert value == {
        "ride_id": "B-1", "dropoff": "Beta Station", "moved_from": "2026-03-05T12:00:00",
        "pickup_at": "2026-03-06T16:00:00", "ends_at": "2026-03-06T16:30:00", "free_until": "2026-03-05T16:00:00",
        "total": 34.02,
    }  # fmt: skip
    assert kept(at, "B-1") == {
        **ride("B-1", "2026-03-06T16:00:00"), "surge": 1.4, "fare": 34.02, "total": 34.02
    }  # fmt: skip
    assert list(at.changes().tables) == ["rides"]
    at.gives("move_ride", ride_id="B-1", pickup_at="2026-03-05T12:00:00")
    assert at.changed() == {}


def test_a_ride_is_moved_within_its_own_time() -> None:
    assert (
        desk().gives("move_ride", ride_id="B-1", pickup_at="2026-03-05T12:10:00")["pickup_at"] == "2026-03-05T12:10:00"
    )


@pytest.mark.parametrize(
    ("ride_id", "when", "code", "words"),
    [
        ("B-1", "2026-03-05T12:00:00", "conflict", "begins at 2026-03-05 12:00:00 already"),
        ("B-1", "2026-03-09T12:00:00", "conflict", "You have a ride from Alpha Square to Beta Station"),
        ("B-1", "2026-03-02T10:59:00", "precondition_failed", "2 hours ahead at least"),
        ("B-1", "2026-04-01T09:01:00", "precondition_failed", "up to 30 days ahead"),
        ("B-5", "2026-03-06T12:00:00", "precondition_failed", "could be moved until 2026-03-02 08:30:00, two hours"),
        ("D-1", "2026-03-06T12:00:00", "precondition_failed", "The ride is completed, so it cannot be moved"),
        ("N-1", "2026-03-06T12:00:00", "permission_denied", "belongs to somebody else"),
        ("B-3", "2026-03-26T12:00:00", "precondition_failed", "The promotion TAKEN15 is for rides until 2026-03-25"),
    ],
)
def test_moves_that_cannot_be_are_refused(ride_id: str, when: str, code: str, words: str) -> None:
    desk().refuses("move_ride", code, words, ride_id=ride_id, pickup_at=when)


def test_changes_are_possible_until_two_hours_before() -> None:
    when = "2026-03-06T12:00:00"
    desk(now=on("2026-03-05T10:00:00")).gives("move_ride", ride_id="B-1", pickup_at=when)
    late = desk(now=on("2026-03-05T10:01:00"))
    late.refuses("move_ride", "precondition_failed", "could be moved until", ride_id="B-1", pickup_at=when)
    late.refuses("change_car", "precondition_failed", "could be given another", ride_id="B-1", car="large_van")
    late.refuses("split_fare", "precondition_failed", "could be shared", ride_id="B-1", contact="Cy Cole")
    late.refuses("apply_promotion", "precondition_failed", "given a promotion", ride_id="B-1", promotion_id="P-1")
    late = desk(now=on("2026-03-09T10:01:00"))
    late.refuses("remove_stop", "precondition_failed", "spared a stop", ride_id="B-2", stop="Gamma Hotel")


def test_putting_a_ride_off_in_its_last_day_does_not_make_cancelling_free() -> None:
    at = desk()
    value = at.gives("move_ride", ride_id="B-4", pickup_at="2026-03-20T12:00:00")
    assert "free_until" not in value
    assert kept(at, "B-4")["fees_from"] == "2026-03-03T08:30:00"
    assert at.gives("get_ride", ride_id="B-4")["cancel_fee"] == 5.0
    at.gives("move_ride", ride_id="B-4", pickup_at="2026-03-02T14:00:00")
    assert kept(at, "B-4")["fees_from"] == "2026-03-02T14:00:00"


@pytest.mark.parametrize(
    ("now", "fees_from"),
    [("2026-03-04T12:00:00", "2026-03-20T12:00:00"), ("2026-03-04T12:01:00", "2026-03-05T12:00:00")],
)
def test_the_last_day_begins_24_hours_before(now: str, fees_from: str) -> None:
    at = desk(now=on(now))
    value = at.gives("move_ride", ride_id="B-1", pickup_at="2026-03-20T12:00:00")
    assert kept(at, "B-1")["fees_from"] == fees_from
    assert ("free_until" in value) == (fees_from == "2026-03-20T12:00:00")


def test_a_ride_that_is_moved_to_the_same_hour_tomorrow_is_free_to_cancel_only_now() -> None:
    at = desk(now=on("2026-03-04T12:00:00"))
    value = at.gives("move_ride", ride_id="B-2", pickup_at="2026-03-05T13:00:00")
    assert value["free_until"] == "2026-03-04T13:00:00"
    at = desk(now=on("2026-03-04T13:00:00"))
    assert at.gives("move_ride", ride_id="B-2", pickup_at="2026-03-05T13:00:00")["free_until"] == "2026-03-04T13:00:00"
    assert "free_until" not in at.gives("move_ride", ride_id="B-2", pickup_at="2026-03-05T12:59:00")


def test_a_ride_that_was_put_off_late_cannot_be_changed_near_its_first_time() -> None:
    rows = having("rides", "B-1", fees_from="2026-03-02T10:00:00")
    words = "could be given another car until 2026-03-02 08:00:00"
    desk(rows).refuses("change_car", "precondition_failed", words, ride_id="B-1", car="premium_car")
    assert desk(rows).gives("get_ride", ride_id="B-1")["cancel_fee"] == 12.15


def test_another_car_comes_at_its_price_and_back() -> None:
    at = desk()
    value = at.gives("change_car", ride_id="B-1", car="premium_car")
    assert value == {**RIDES["B-1"], "car": "premium_car", "fare": 58.8, "total": 58.8}
    assert at.gives("change_car", ride_id="B-1", car="standard_car") == RIDES["B-1"]
    assert at.changed() == {}


def test_a_wheelchair_van_costs_no_more_in_busy_hours() -> None:
    value = desk().gives("change_car", ride_id="B-4", car="wheelchair_van")
    assert (value["surge"], value["fare"]) == (1.0, 24.3)


def test_cars_that_cannot_come_are_refused() -> None:
    at = desk()
    at.refuses("change_car", "conflict", "A standard car comes for the ride already", ride_id="B-1", car="standard_car")
    at.refuses("change_car", "precondition_failed", "The ride is cancelled", ride_id="C-1", car="large_van")
    at = desk(having("rides", "B-1", passengers=4))
    at.refuses("change_car", "precondition_failed", "takes 3 passengers", ride_id="B-1", car="wheelchair_van")
    at = desk(having("rides", "B-1", pickup_at="2026-03-02T12:00:00", fees_from="2026-03-02T12:00:00"))
    at.refuses(
        "change_car", "precondition_failed", "A large van is booked 4 hours ahead", ride_id="B-1", car="large_van"
    )
    at.gives("change_car", ride_id="B-1", car="premium_car")


def test_a_van_that_was_booked_in_time_can_still_get_a_stop() -> None:
    soon = {"pickup_at": "2026-03-02T12:00:00", "fees_from": "2026-03-02T12:00:00", "car": "large_van"}
    assert (
        desk(having("rides", "B-1", **soon)).gives("add_stop", ride_id="B-1", place="Gamma Hotel")["car"] == "large_van"
    )


def test_a_promotion_takes_off_its_share() -> None:
    at = desk()
    value = at.gives("apply_promotion", ride_id="B-1", promotion_id="P-1")
    assert value == {
        "ride_id": "B-1", "dropoff": "Beta Station", "promotion": "SPRING20", "discount": 4.86, "total": 19.44
    }  # fmt: skip
    assert kept(at, "B-1") == {
        **RIDES["B-1"], "promotion_id": "P-1", "promotion": "SPRING20", "discount": 4.86, "total": 19.44
    }  # fmt: skip
    assert at.changes().tables.keys() == {"rides", "promotions"}
    words = "The promotion SPRING20 is on a ride; take one that is open"
    at.refuses("apply_promotion", "conflict", words, ride_id="B-2", promotion_id="P-1")


def test_a_promotion_takes_off_no_more_than_its_most() -> None:
    value = desk().gives("apply_promotion", ride_id="B-1", promotion_id="P-2")
    assert (value["discount"], value["total"]) == (5.0, 19.3)


def test_another_promotion_frees_the_first() -> None:
    at = desk()
    value = at.gives("apply_promotion", ride_id="B-3", promotion_id="P-1")
    assert (value["promotion"], value["freed"], value["total"]) == ("SPRING20", "TAKEN15", 19.44)
    found = at.gives("get_ride", ride_id="B-1")["promotions"]
    assert [each["name"] for each in found] == ["BIG30", "TAKEN15"]
    at.gives("apply_promotion", ride_id="B-3", promotion_id="P-4")
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("changes", "held"),
    [
        ({}, None),
        ({"min_fare": 24.3}, None),
        ({"min_fare": 24.31}, "is for fares of 24.31 dollars or more, and this one is 24.30"),
        ({"valid_until": "2026-03-05"}, None),
        ({"valid_until": "2026-03-04"}, "is for rides until 2026-03-04"),
        ({"only_for": "standard_car"}, None),
        ({"only_for": "comfort_car"}, "is only for a comfort car"),
        ({"status": "used"}, "SPRING20 is used"),
    ],
)
def test_a_promotion_holds_only_for_some_rides(changes: Row, held: str | None) -> None:
    at = desk(having("promotions", "P-1", **changes))
    shown = [each["id"] for each in at.gives("get_ride", ride_id="B-1")["promotions"]]
    assert ("P-1" in shown) == (held is None)
    arguments = {"ride_id": "B-1", "promotion_id": "P-1"}
    if held is None:
        at.gives("apply_promotion", **arguments)
    else:
        code = "conflict" if "status" in changes else "precondition_failed"
        at.refuses("apply_promotion", code, held, **arguments)


def test_promotions_of_others_and_for_other_rides_are_refused() -> None:
    at = desk()
    words = "That promotion belongs to somebody else"
    at.refuses("apply_promotion", "permission_denied", words, ride_id="B-1", promotion_id="P-9")
    words = "The ride is completed, so it cannot be given a promotion"
    at.refuses("apply_promotion", "precondition_failed", words, ride_id="D-1", promotion_id="P-1")


def test_a_change_keeps_a_promotion_or_is_refused() -> None:
    at = desk()
    value = at.gives("add_stop", ride_id="B-3", place="Gamma Hotel")
    assert (value["promotion"], value["discount"], value["total"]) == ("TAKEN15", 4.57, 25.9)
    at = desk(having("promotions", "P-4", only_for="standard_car"))
    words = "The promotion TAKEN15 is only for a standard car; leave the ride as it is"
    at.refuses("change_car", "precondition_failed", words, ride_id="B-3", car="premium_car")


def test_a_fare_is_shared_in_equal_parts() -> None:
    at = desk()
    assert at.gives("split_fare", ride_id="B-1", contact="Cy Cole") == {
        **RIDES["B-1"], "split_with": ["Cy Cole"], "total": 12.15
    }  # fmt: skip
    assert list(at.changes().tables) == ["rides"]
    assert at.gives("split_fare", ride_id="B-1", contact="Di Dorn")["total"] == 8.1
    value = at.gives("split_fare", ride_id="B-1", contact="Ed Ekko")
    assert (value["split_with"], value["total"]) == (["Cy Cole", "Di Dorn", "Ed Ekko"], 6.08)
    words = "A fare is shared with 3 contacts at most, here Cy Cole, Di Dorn, Ed Ekko"
    at.refuses("split_fare", "limit_exceeded", words, ride_id="B-1", contact="Flo Fink")
    assert at.gives("add_stop", ride_id="B-1", place="Gamma Hotel")["total"] == 7.62
    assert at.gives("apply_promotion", ride_id="B-1", promotion_id="P-2")["total"] == 6.37


@pytest.mark.parametrize(
    ("ride_id", "name", "code", "words"),
    [
        (
            "B-1",
            "Gil Gold",
            "precondition_failed",
            "Gil Gold has no account, so nothing can be charged to them; name one of Cy Cole, Di",
        ),
        (
            "B-1",
            "Zo Zorn",
            "not_found",
            "Zo Zorn is none of your contacts; name one of Cy Cole, Di Dorn, Ed Ekko, Flo Fink.",
        ),
        ("D-1", "Cy Cole", "precondition_failed", "The ride is completed, so it cannot be shared"),
        ("N-1", "Cy Cole", "permission_denied", "belongs to somebody else"),
    ],
)
def test_shares_that_cannot_be_are_refused(ride_id: str, name: str, code: str, words: str) -> None:
    desk().refuses("split_fare", code, words, ride_id=ride_id, contact=name)


def test_a_refused_share_names_those_who_are_left() -> None:
    at = desk(having("rides", "B-1", split_with=["Di Dorn"], total=12.15))
    words = "Zo Zorn is none of your contacts; name one of Cy Cole, Ed Ekko, Flo Fink."
    at.refuses("split_fare", "not_found", words, ride_id="B-1", contact="Zo Zorn")
    at.gives("split_fare", ride_id="B-1", contact="Flo Fink")
    words = "no account, so nothing can be charged to them; name one of Cy Cole, Ed Ekko."
    at.refuses("split_fare", "precondition_failed", words, ride_id="B-1", contact="Gil Gold")


def test_nobody_shares_a_fare_twice() -> None:
    at = desk()
    at.gives("split_fare", ride_id="B-1", contact="Cy Cole")
    at.refuses(
        "split_fare",
        "conflict",
        "Cy Cole pays a share already; name one of Di Dorn, Ed Ekko, Flo Fink.",
        ride_id="B-1",
        contact="Cy Cole",
    )


# -- cancelling and paying


@pytest.mark.parametrize(
    ("now", "fee"),
    [
        ("2026-03-04T12:00:00", 0.0), ("2026-03-04T12:01:00", 5.0), ("2026-03-05T10:00:00", 5.0),
        ("2026-03-05T10:01:00", 12.15), ("2026-03-05T11:59:00", 12.15),
    ],
)  # fmt: skip
def test_cancelling_costs_more_the_later_it_is(now: str, fee: float) -> None:
    at = desk(now=on(now))
    assert at.gives("get_ride", ride_id="B-1")["cancel_fee"] == fee
    value = at.gives("cancel_ride", ride_id="B-1")
    pay_by = (on(now) + dt.timedelta(days=14)).date().isoformat()
    unpaid: Row = {"cancel_fee": fee, "owed": fee, "payment": "unpaid", "pay_by": pay_by} if fee else {}
    assert value == {**RIDES["B-1"], "status": "cancelled", "on_the_way": [], "total": fee, **unpaid}
    assert list(at.changes().tables) == ["rides"]


def test_half_of_the_price_is_owed_whoever_shares_it_and_less_the_promotion() -> None:
    rows = having("rides", "B-3", split_with=["Cy Cole"], total=10.33)
    at = desk(rows, now=on("2026-03-12T11:00:00"))
    assert at.gives("cancel_ride", ride_id="B-3")["owed"] == 10.33
    assert at.changes().tables["promotions"].model_dump()["changed"]
    assert at.gives("get_ride", ride_id="B-3")["owed_in_all"] == 39.63


def test_cancelling_frees_a_promotion_unless_there_is_a_fee() -> None:
    at = desk()
    at.gives("cancel_ride", ride_id="B-3")
    names = [each["name"] for each in at.gives("get_ride", ride_id="B-1")["promotions"]]
    assert names == ["SPRING20", "BIG30", "TAKEN15"]
    at = desk(now=on("2026-03-12T09:00:00"))
    at.gives("cancel_ride", ride_id="B-3")
    at.gives("pay_ride", ride_id="D-4")
    booked = at.gives("book_ride", **{**ROUTE, "pickup_at": "2026-03-14T12:00:00"}, car="standard_car")
    words = "The promotion TAKEN15 is used"
    at.refuses("apply_promotion", "conflict", words, ride_id=booked["id"], promotion_id="P-4")


@pytest.mark.parametrize(("now", "fee"), [("2026-03-02T09:10:00", 0.0), ("2026-03-02T09:11:00", 5.0)])
def test_a_ride_of_today_is_cancelled_for_free_for_ten_minutes(now: str, fee: float) -> None:
    rows = {"rides": keyed(ride("B-7", "2026-03-02T12:00:00", booked_at="2026-03-02T09:00:00"))}
    assert desk(rows, now=on(now)).gives("cancel_ride", ride_id="B-7")["cancel_fee"] == fee


def test_only_rides_ahead_are_cancelled() -> None:
    at = desk()
    at.refuses("cancel_ride", "precondition_failed", "is completed, so it cannot be cancelled", ride_id="D-1")
    at.refuses("cancel_ride", "precondition_failed", "is cancelled, so it cannot be cancelled", ride_id="C-1")
    at = desk(now=on("2026-03-05T12:00:00"))
    at.refuses("cancel_ride", "precondition_failed", "The ride began at 2026-03-05 12:00:00", ride_id="B-1")


def test_what_is_owed_is_paid_at_once() -> None:
    at = desk()
    value = at.gives("pay_ride", ride_id="C-1")
    assert value == {"ride_id": "C-1", "paid": 5.0, "owed_in_all": 24.3, "unpaid_rides": 1}
    assert kept(at, "C-1") == {
        **{name: value for name, value in RIDES["C-1"].items() if name != "pay_by"}, "payment": "paid", "owed": 0.0
    }  # fmt: skip
    assert list(at.changes().tables) == ["rides"]
    assert at.ids("find_past_rides", unpaid=True) == ["D-4"]
    words = "Nothing is owed for this ride"
    at.refuses("pay_ride", "precondition_failed", words, ride_id="C-1")
    at.refuses("pay_ride", "precondition_failed", words, ride_id="B-1")


def test_a_cheap_ride_costs_no_less_to_cancel_in_its_last_hours() -> None:
    for total, fee in ((9.98, 5.0), (10.0, 5.0), (10.02, 5.01)):
        rows = having("rides", "B-5", fare=total, total=total)
        assert desk(rows).gives("cancel_ride", ride_id="B-5")["owed"] == fee


# -- after the ride


def test_a_ride_is_rated_anew_and_tipped_once() -> None:
    at = desk()
    assert at.gives("rate_ride", ride_id="D-1", stars=4) == {**RIDES["D-1"], "stars": 4}
    value = at.gives("rate_ride", ride_id="D-1", stars=5, tip=3.5)
    assert value == {**RIDES["D-1"], "stars": 5, "tip": 3.5, "total": 27.8}
    assert list(at.changes().tables) == ["rides"]
    words = "Ines got a tip of 3.50 dollars already, and there is one a ride"
    at.refuses("rate_ride", "conflict", words, ride_id="D-1", stars=5, tip=1)
    at.refuses("rate_ride", "conflict", "has a rating of 5 already", ride_id="D-1", stars=5)
    assert at.gives("rate_ride", ride_id="D-1", stars=2)["tip"] == 3.5


def test_a_tip_is_at_most_the_price_of_the_ride() -> None:
    desk().refuses(
        "rate_ride", "limit_exceeded", "at most the price of the ride, 24.30", ride_id="D-1", stars=5, tip=24.31
    )
    assert desk().gives("rate_ride", ride_id="D-1", stars=5, tip=24.3)["total"] == 48.6
    shared = having("rides", "D-1", discount=4.3, promotion="OLD10", promotion_id="P-3", total=20)
    desk(shared).refuses("rate_ride", "limit_exceeded", "20.00 dollars", ride_id="D-1", stars=5, tip=20.01)


def test_tipping_with_the_same_stars_is_possible() -> None:
    rows = having("rides", "D-1", stars=5)
    assert desk(rows).gives("rate_ride", ride_id="D-1", stars=5, tip=2)["tip"] == 2


AFTER: list[tuple[str, Row, int, str]] = [
    ("rate_ride", {"stars": 1}, 30, "rated"),
    ("dispute_charge", {"reason": "wrong_route"}, 30, "disputed"),
    ("report_left_behind", {"item": "phone"}, 14, "searched for lost things"),
]


@pytest.mark.parametrize(("tool", "arguments", "days", "done"), AFTER)
def test_what_follows_a_ride_has_its_time(tool: str, arguments: Row, days: int, done: str) -> None:
    last = on("2026-02-20T23:00:00") + dt.timedelta(days=days)
    desk(now=last).gives(tool, ride_id="D-2", **arguments)
    words = f"The ride could be {done} until {last.date()}, {days} days after it"
    desk(now=last + dt.timedelta(hours=1)).refuses(tool, "precondition_failed", words, ride_id="D-2", **arguments)
    words = f"The ride is booked, so it cannot be {done}"
    desk().refuses(tool, "precondition_failed", words, ride_id="B-1", **arguments)
    desk().refuses(tool, "precondition_failed", "The ride is cancelled", ride_id="C-1", **arguments)
    desk().refuses(tool, "permission_denied", "belongs to somebody else", ride_id="N-1", **arguments)


def test_what_was_left_behind_is_reported_once() -> None:
    at = desk()
    value = at.gives("report_left_behind", ride_id="D-1", item="phone")
    assert value == {"ride_id": "D-1", "driver": "Ines", "left_behind": ["phone"], "report_until": "2026-03-13"}
    assert kept(at, "D-1") == {**RIDES["D-1"], "left_behind": ["phone"]}
    assert list(at.changes().tables) == ["rides"]
    words = "The phone is reported already, and Ines is looking for it"
    at.refuses("report_left_behind", "conflict", words, ride_id="D-1", item="phone")
    value = at.gives("report_left_behind", ride_id="D-1", item="jacket")
    assert value["left_behind"] == ["phone", "jacket"]


def test_a_detour_is_given_back() -> None:
    at = desk()
    value = at.gives("dispute_charge", ride_id="D-2", reason="wrong_route")
    assert value == {
        "ride_id": "D-2", "dropoff": "Beta Station", "reason": "wrong_route", "credit": 3.3, "paid_back": 3.3,
        "owed": 0.0, "booking_blocked": False,
    }  # fmt: skip
    assert kept(at, "D-2") == {**RIDES["D-2"], "disputed": "wrong_route", "credit": 3.3, "grounds": [], "total": 27.8}
    assert list(at.changes().tables) == ["rides"]
    words = "The ride was disputed for wrong route, with 3.30 dollars of credit; that is done once a ride"
    at.refuses("dispute_charge", "conflict", words, ride_id="D-2", reason="waiting_time")


@pytest.mark.parametrize(("late", "back"), [(4, 2.0), (7, 3.5), (9, 3.5)])
def test_waiting_that_began_with_a_late_car_is_given_back(late: int, back: float) -> None:
    at = desk(having("rides", "D-2", driver_late=late))
    value = at.gives("dispute_charge", ride_id="D-2", reason="waiting_time")
    assert (value["credit"], value["reason"]) == (back, "waiting_time")
    assert (kept(at, "D-2")["total"], kept(at, "D-2")["disputed"]) == (round(31.1 - back, 2), "waiting_time")


def test_charges_that_were_right_stay() -> None:
    at = desk()
    words = "The route was 13.2 km long instead of 13 km; a credit is given only for more than a fifth more"
    at.refuses("dispute_charge", "precondition_failed", words, ride_id="D-1", reason="wrong_route")
    words = "Ines came 0 minutes late and waiting cost 0.00 dollars; a credit is given only for waiting"
    at.refuses("dispute_charge", "precondition_failed", words, ride_id="D-1", reason="waiting_time")


@pytest.mark.parametrize(
    ("owed", "left", "paid_back"), [(31.1, 27.8, 0.0), (3.31, 0.01, 0.0), (3.3, 0.0, 0.0), (1.0, 0.0, 2.3)]
)
def test_credit_comes_off_what_is_owed_first(owed: float, left: float, paid_back: float) -> None:
    at = desk(having("rides", "D-2", owed=owed, payment="unpaid", pay_by="2026-03-06"))
    value = at.gives("dispute_charge", ride_id="D-2", reason="wrong_route")
    assert (value["owed"], value["paid_back"]) == (left, paid_back)
    after = kept(at, "D-2")
    assert after["payment"] == ("unpaid" if left else "paid")
    assert after.get("pay_by") == value.get("pay_by") == ("2026-03-06" if left else None)


def test_credit_can_end_that_bookings_are_blocked() -> None:
    rows = having("rides", "D-2", owed=34.0, payment="unpaid", pay_by="2026-03-06")
    assert desk(rows).gives("get_ride", ride_id="D-2")["booking_blocked"] is True
    assert desk(rows).gives("dispute_charge", ride_id="D-2", reason="wrong_route")["booking_blocked"] is False
    rows = having("rides", "D-2", owed=34.1, payment="unpaid", pay_by="2026-03-06")
    assert desk(rows).gives("dispute_charge", ride_id="D-2", reason="wrong_route")["booking_blocked"] is True


# -- saved places


def test_a_place_is_saved_and_renamed() -> None:
    at = desk()
    value = at.gives("save_place", place_id="C", saved_as="my_gym")
    expected = {
        **STATE["places"]["C"], "id": "PL-1001", "name": "my gym", "kind": "saved_place", "saved_by": "R-1",
        "saved_as": "my_gym",
    }  # fmt: skip
    assert value == expected
    assert at.changed() == {"places.created": {"PL-1001": expected}}
    assert at.ids("find_places", city="Oslo", kind="saved_place") == ["H", "PL-1001"]
    value = at.gives("save_place", place_id="PL-1001", saved_as="my_club")
    assert value == {**expected, "name": "my club", "saved_as": "my_club"}
    at.gives("save_place", place_id="F", saved_as="my_gym")
    at.gives("book_ride", pickup_id="PL-1001", dropoff_id="B", pickup_at="2026-03-04T12:00:00", car="standard_car")


def test_a_place_that_others_saved_too_can_be_saved() -> None:
    at = desk(having("places", "O", address="C Mill Lane"))
    assert at.gives("save_place", place_id="C", saved_as="work")["saved_by"] == "R-1"


def test_booked_rides_take_over_the_new_name_of_a_saved_place() -> None:
    stops = [{"place_id": "C", "name": "Gamma Hotel"}, {"place_id": "H", "name": "home"}]
    rides = keyed(
        ride("B-1", "2026-03-05T12:00:00", pickup_id="H", pickup="home"),
        ride("B-2", "2026-03-09T12:00:00", dropoff_id="H", dropoff="home"),
        ride("B-3", "2026-03-12T12:00:00", stops=stops),
        past("D-1", "2026-02-27T12:00:00", pickup_id="H", pickup="home"),
        ride("N-1", "2026-03-15T12:00:00", rider_id="R-2", pickup_id="H", pickup="home"),
    )
    at = desk({"rides": rides})
    at.gives("save_place", place_id="H", saved_as="my_club")
    assert kept(at, "B-1") == {**rides["B-1"], "pickup": "my club"}
    assert kept(at, "B-2") == {**rides["B-2"], "dropoff": "my club"}
    assert kept(at, "B-3") == {**rides["B-3"], "stops": [stops[0], {"place_id": "H", "name": "my club"}]}
    assert kept(at, "D-1") == rides["D-1"]
    assert set(at.changed()) == {"places.changed", "rides.changed"}
    at.gives("remove_stop", ride_id="B-3", stop="my club")
    at.gives("save_place", place_id="H", saved_as="home")
    assert kept(at, "B-1") == rides["B-1"]


def test_a_street_of_the_same_name_in_another_city_can_be_saved() -> None:
    at = desk(having("places", "X", address="H Mill Lane"))
    assert at.gives("save_place", place_id="X", saved_as="work")["city"] == "Rome"


@pytest.mark.parametrize(
    ("place_id", "saved_as", "code", "words"),
    [
        ("C", "home", "conflict", "H Mill Lane in Oslo is saved as home; rename that place first"),
        ("H", "home", "conflict", "is saved as home"),
        ("O", "my_gym", "permission_denied", "That place belongs to somebody else"),
        ("Q", "my_gym", "not_found", "There is no place with the id 'Q'"),
    ],
)
def test_places_that_cannot_be_saved_are_refused(place_id: str, saved_as: str, code: str, words: str) -> None:
    desk().refuses("save_place", code, words, place_id=place_id, saved_as=saved_as)


def test_no_place_is_saved_twice() -> None:
    at = desk()
    at.gives("save_place", place_id="C", saved_as="my_gym")
    words = "Gamma Hotel is saved as my gym already; rename that saved place instead"
    at.refuses("save_place", "conflict", words, place_id="C", saved_as="my_club")


# -- scenarios


@pytest.mark.parametrize("now", [DEFAULT_NOW, dt.datetime(2026, 7, 31, 22, 15)])
@pytest.mark.parametrize("size", [20, 60, 240])
@pytest.mark.parametrize("seed", range(4))
def test_a_scenario_keeps_the_rules_of_the_app(seed: int, size: int, now: dt.datetime) -> None:
    world = build_scenario(RideHailing, seed, size, now)
    me, today = world.rider_id, now.date()
    mine = [ride for ride in world.rides.values() if ride.rider_id == me]
    counts = Counter(ride.status for ride in mine)
    assert min(counts.values()) >= 6
    assert sum(ride.payment == "unpaid" for ride in mine) >= 4
    assert not rules.is_blocked(mine, today)
    assert any(
        rules.is_blocked([r for r in world.rides.values() if r.rider_id == each], today) for each in world.riders
    )
    booked = sorted((ride for ride in mine if ride.status == "booked"), key=rules.in_time)
    assert all(one.ends_at <= other.pickup_at for one, other in pairwise(booked))
    assert {rules.cancel_fee(ride, now) for ride in booked} >= {0.0, rules.LATE_FEE}
    assert sum(bool(ride.stops) for ride in booked) >= 8
    assert {len(ride.stops) for ride in booked} == {0, 1, 2, 3}
    assert {len(ride.split_with) for ride in booked} >= {0, 1, 3}
    assert sum(bool(ride.grounds) and (today - ride.pickup_at.date()).days <= 30 for ride in mine) >= 4
    assert any(ride.disputed for ride in mine)
    assert any(ride.tip for ride in mine)
    assert any(ride.left_behind for ride in mine)
    assert any(ride.fees_from < ride.pickup_at for ride in booked)
    assert {len(ride.stops) for ride in booked if not ride.on_the_way} == {3}
    assert any(ride.detour_charge and "wrong_route" not in ride.grounds and not ride.disputed for ride in mine)


@pytest.mark.parametrize("size", [20, 60, 240])
@pytest.mark.parametrize("seed", range(4))
def test_a_scenario_adds_up(seed: int, size: int) -> None:
    world = build_scenario(RideHailing, seed, size, DEFAULT_NOW)
    for each in world.rides.values():
        stops = (each.pickup_id, *(stop.place_id for stop in each.stops), each.dropoff_id)
        route = [world.places[key] for key in stops]
        assert all(place.city == each.city for place in route)
        assert all(place.saved_by in (None, each.rider_id) for place in route)
        promotion = world.promotions[each.promotion_id] if each.promotion_id else None
        assert prices.priced(each, route, promotion).evolve(total=each.total) == each
        assert prices.totalled(each).total == each.total
        assert prices.lacks(each.car, each.passengers, each.bags, child_seat=each.child_seat) is None
        lead = dt.timedelta(hours=prices.TARIFFS[each.car].lead)
        assert each.booked_at <= min(DEFAULT_NOW, each.pickup_at - lead)
        assert each.pickup_at - each.booked_at <= rules.HORIZON
        assert (each.payment == "unpaid") == bool(each.owed) == (each.pay_by is not None)
        assert (each.status == "completed") == (each.driver is not None)
        public = [place for place in world.places.values() if place.city == each.city and not place.saved_by]
        ahead = each.status == "booked"
        assert each.on_the_way == (prices.on_the_way(route, public) if ahead else ())
        if ahead:
            assert each.pickup_at > DEFAULT_NOW
            assert each.payment == "not_charged"
            assert promotion is None or promotion.status == "on_a_ride"
        if each.status == "completed":
            assert each.pickup_at < DEFAULT_NOW
            assert each.waiting_fee == rules.waiting_fee(each.waited)
            assert each.driver_late <= each.waited
            assert each.driven_km is not None
            assert each.detour_charge == rules.detour_charge(each, each.driven_km)
            assert each.grounds == (() if each.disputed else rules.grounds(each))
    on_rides = Counter(r.promotion_id for r in world.rides.values() if r.promotion_id and r.status == "booked")
    assert set(on_rides.values()) == {1}
    assert on_rides.keys() == {each.id for each in world.promotions.values() if each.status == "on_a_ride"}
    addresses = [place.address for place in world.places.values()]
    assert len(set(addresses)) == len(addresses)


@pytest.mark.parametrize(("waited", "fee"), [(0, 0.0), (5, 0.0), (6, 0.5), (12, 3.5)])
def test_waiting_is_free_for_five_minutes(waited: int, fee: float) -> None:
    assert rules.waiting_fee(waited) == fee


def test_only_a_route_that_is_a_tenth_longer_is_charged_and_a_fifth_longer_disputed() -> None:
    world = build_scenario(RideHailing, 1, 60, DEFAULT_NOW)
    base = next(iter(world.rides.values())).evolve(km=10.0, surge=1.3, car="comfort_car")
    assert [rules.detour_charge(base, km) for km in (9.0, 11.0, 11.1, 12.0)] == [0.0, 0.0, 2.07, 3.77]
    late = base.evolve(driver_late=3, waiting_fee=0.5)
    assert rules.grounds(base.evolve(driven_km=12.0)) == ()
    assert rules.grounds(base.evolve(driven_km=12.1)) == ("wrong_route",)
    assert rules.grounds(late) == ("waiting_time",)
    assert rules.grounds(late.evolve(driver_late=0)) == rules.grounds(late.evolve(waiting_fee=0.0)) == ()
