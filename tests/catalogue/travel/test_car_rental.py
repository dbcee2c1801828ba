"""The car rental, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.travel import _car_rules as rules
from envfactory.catalogue.travel.car_rental import CarRental
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.


def station(key: str, name: str, city: str = "Oslo", **changes: Any) -> Row:
    row = {"id": key, "name": name, "city": city, "address": "1 Mill Lane", "airport": False, "open_sundays": True}
    return {**row, "one_way": True, **changes}


STATIONS = keyed(
    station("S-1", "Oslo Central"),
    station("S-2", "Oslo Airport", airport=True),
    station("S-3", "Oslo Harbour", open_sundays=False, one_way=False),
    station("S-4", "Rome Central", "Rome", open_sundays=False),
    *(station(f"S-{n}", f"Lyon {n}", "Lyon") for n in range(11, 17)),
)


def car(key: str, category: str = "compact", station_id: str = "S-1", **changes: Any) -> Row:
    return {
        "id": key, "station_id": station_id, "station_name": STATIONS[station_id]["name"], "model": f"Model {key[2:]}",
        "category": category, "seats": 5, "automatic": False, "daily_rate": 40.0, "min_age": 19, "cars": 1, **changes,
    }  # fmt: skip


CARS = keyed(
    car("C-1"),
    car("C-2", "economy", daily_rate=30.0, seats=4, automatic=True),
    car("C-3", "large", daily_rate=90.0, seats=9, min_age=30),
    car("C-4", "premium", daily_rate=100.0, min_age=31),
    car("C-5", cars=0),
    car("C-6", station_id="S-3"),
    car("C-7", cars=2),
    *(car(f"C-{n}", station_id="S-2", daily_rate=float(n)) for n in range(21, 28)),
)


def extra(key: str, name: str, daily: float, most: int = 1, *, for_children: bool = False) -> Row:
    return {"id": key, "name": name, "daily": daily, "most": most, "for_children": for_children}


EXTRAS = keyed(
    extra("E-1", "child seat", 9.0, 3, for_children=True),
    extra("E-2", "roof box", 12.5),
    extra("E-3", "booster seat", 6.0, 3, for_children=True),
    *(extra(f"E-{n}", f"gadget {n}", 20.0 + n) for n in range(4, 8)),
)


def booked_extra(key: str = "E-1", count: int = 1) -> Row:
    return {"extra_id": key, "name": EXTRAS[key]["name"], "daily": EXTRAS[key]["daily"], "count": count}


def driver(name: str, age: int = 40) -> Row:
    return {"name": name, "age": age}


def rental(key: str, car_id: str = "C-1", status: str = "booked", **changes: Any) -> Row:
    """Four days of a car for 40 dollars a day, from 20 March, but for the changes."""
    row = CARS[car_id]
    name = STATIONS[row["station_id"]]["name"]
    return {
        "id": key, "renter_id": "U-1", "car_id": car_id, "model": row["model"], "category": row["category"],
        "station_id": row["station_id"], "station_name": name, "return_station_id": row["station_id"],
        "return_station_name": name, "pick_up": "2026-03-20", "return_on": "2026-03-24",
        "daily_rate": row["daily_rate"], "prepaid": False, "protection": "basic", "extras": [], "drivers": [],
        "young": False, "one_way_fee": 0.0, "late_fee": 0.0, "damages": [], "cancel_fee": 0.0,
        "total": row["daily_rate"] * 4,
        "status": status, **changes,
    }  # fmt: skip


RENTALS = keyed(
    rental("R-1"),
    rental("R-2", "C-7", "running", pick_up="2026-03-01", return_on="2026-03-05"),
    rental("R-3", "C-7", "running", pick_up="2026-02-25", return_on="2026-03-01"),
    rental("R-4", status="returned", pick_up="2026-01-05", return_on="2026-01-09"),
    rental("R-5", status="cancelled", pick_up="2026-04-05", return_on="2026-04-09"),
    rental("R-6", "C-3"),
    rental("R-9", renter_id="U-2", pick_up="2026-03-28", return_on="2026-03-30"),
)


def renter(key: str, name: str, age: int) -> Row:
    return {"id": key, "name": name, "email": f"{key.lower()}@mail.example", "age": age}


STATE: dict[str, Any] = {
    "renter_id": "U-1",
    "renters": keyed(renter("U-1", "Ada Kim", 30), renter("U-2", "Leo Sato", 40)),
    "stations": STATIONS,
    "cars": CARS,
    "extras": EXTRAS,
    "rentals": RENTALS,
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(CarRental, STATE, rows=rows, **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"city": "Oslo"}, ["S-2", "S-1", "S-3"]),
        ({"city": "Oslo", "airport": True}, ["S-2"]),
        ({"city": "Oslo", "one_way": True}, ["S-2", "S-1"]),
        ({"city": "Lyon", "page": 2}, ["S-16"]),
        ({"city": "Paris"}, []),
    ],
)
def test_stations_of_a_city_are_found_by_name(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_stations", **arguments) == found


DAYS: Row = {"pick_up": "2026-03-10", "return_on": "2026-03-12"}


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["C-2", "C-1", "C-7", "C-3"]),
        ({"sort": "seats"}, ["C-3", "C-1", "C-7", "C-2"]),
        ({"category": "large"}, ["C-3"]),
        ({"automatic": True}, ["C-2"]),
        ({"station_id": "S-3"}, ["C-6"]),
        ({"station_id": "S-2"}, ["C-21", "C-22", "C-23", "C-24", "C-25"]),
        ({"station_id": "S-2", "page": 2}, ["C-26", "C-27"]),
        ({"pick_up": "2026-03-24", "return_on": "2026-03-25"}, ["C-2", "C-7"]),
        ({"pick_up": "2026-03-19", "return_on": "2026-03-20"}, ["C-2", "C-7"]),
        ({"pick_up": "2026-03-25", "return_on": "2026-03-27"}, ["C-2", "C-1", "C-7", "C-3"]),
        ({"pick_up": "2026-03-03", "return_on": "2026-03-06"}, ["C-2", "C-1", "C-7", "C-3"]),
    ],
)
def test_free_cars_are_searched_by_what_is_asked(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_cars", **{"station_id": "S-1", **DAYS, **arguments}) == found


def test_cars_are_left_if_one_is_free_on_every_day() -> None:
    rows = (
        rental("R-6", "C-7", pick_up="2026-04-10", return_on="2026-04-12", renter_id="U-2"),
        rental("R-7", "C-7", pick_up="2026-04-13", return_on="2026-04-15", renter_id="U-2"),
    )
    at = desk({"rentals": keyed(*rows)})
    days = {"pick_up": "2026-04-09", "return_on": "2026-04-16"}
    assert {car["id"]: car["left"] for car in at.gives("search_cars", station_id="S-1", **days)["cars"]}["C-7"] == 1
    at.gives("rent_car", car_id="C-7", **days)
    at.refuses("rent_car", "conflict", "no Model 7 left", car_id="C-7", pick_up="2026-04-15", return_on="2026-04-18")


def test_a_car_that_should_be_back_is_still_out() -> None:
    at = desk()
    at.refuses("rent_car", "conflict", "no Model 7 left", car_id="C-7", pick_up="2026-03-02", return_on="2026-03-04")
    at.gives("rent_car", car_id="C-7", pick_up="2026-03-03", return_on="2026-03-04")


def test_an_offer_says_what_the_days_cost_and_how_many_are_left() -> None:
    offers = desk().gives("search_cars", station_id="S-1", pick_up="2026-03-03", return_on="2026-03-06")["cars"]
    assert offers[2] == {
        "id": "C-7", "model": "Model 7", "station_name": "Oslo Central", "category": "compact", "seats": 5,
        "automatic": False, "total": 120.0, "daily_rate": 40.0, "min_age": 19, "left": 1,
    }  # fmt: skip
    assert offers[1]["left"] == 1


def total(arguments: Row, age: int) -> tuple[float, float]:
    """What a search says, and what renting costs."""
    at = desk({"renters": keyed(renter("U-1", "Ada Kim", age))}, rentals={})
    offer = at.gives("search_cars", station_id="S-1", category="economy", **arguments)["cars"][0]
    return offer["total"], at.gives("rent_car", car_id="C-2", **arguments)["total"]


@pytest.mark.parametrize(
    ("days", "age", "price"),
    [
        ("2026-03-16", 25, 180.0),
        ("2026-03-17", 25, 189.0),
        ("2026-04-06", 25, 729.0),
        ("2026-04-07", 25, 630.0),
        ("2026-03-11", 24, 45.0),
        ("2026-03-17", 24, 294.0),
    ],
)
def test_weeks_and_months_are_cheaper_and_young_drivers_dearer(days: str, age: int, price: float) -> None:
    assert total({"pick_up": "2026-03-10", "return_on": days}, age) == (price, price)


def test_a_car_is_rented() -> None:
    at = desk()
    rented = at.gives("rent_car", car_id="C-1", pick_up="2026-03-10", return_on="2026-03-14")
    assert rented == rental("RT-1001", pick_up="2026-03-10", return_on="2026-03-14")
    assert at.changed() == {"rentals.created": {"RT-1001": rented}}
    again = {"car_id": "C-1", "pick_up": "2026-03-14", "return_on": "2026-03-15"}
    at.refuses("rent_car", "conflict", "Oslo Central has no Model 1 left from 2026-03-14 to 2026-03-15", **again)


@pytest.mark.parametrize(
    ("more", "price"),
    [
        ({"prepaid": True}, 144.0),
        ({"protection": "medium"}, 208.0),
        ({"protection": "full", "prepaid": True}, 224.0),
    ],
)
def test_protection_costs_and_paying_in_advance_saves(more: Row, price: float) -> None:
    rented = desk().gives("rent_car", car_id="C-1", pick_up="2026-03-10", return_on="2026-03-14", **more)
    assert rented["total"] == price
    assert {key: rented[key] for key in more} == more


@pytest.mark.parametrize("tool", ["search_cars", "rent_car"])
@pytest.mark.parametrize(
    ("pick_up", "return_on", "code", "words"),
    [
        ("2026-03-01", "2026-03-04", "invalid_argument", "2026-03-01 is over"),
        ("2026-03-10", "2026-03-10", "invalid_argument", "comes back in 1 to 60 days"),
        ("2026-03-10", "2026-05-10", "invalid_argument", "comes back in 1 to 60 days"),
        ("2027-03-03", "2027-03-05", "invalid_argument", "2027-03-03 is too far ahead"),
        ("2026-03-07", "2026-03-15", "precondition_failed", "Oslo Harbour is closed on Sundays, and 2026-03-15 is one"),
        ("2026-03-08", "2026-03-10", "precondition_failed", "Oslo Harbour is closed on Sundays, and 2026-03-08 is one"),
    ],
)
def test_days_that_cannot_be_are_refused(tool: str, pick_up: str, return_on: str, code: str, words: str) -> None:
    where = {"station_id": "S-3"} if tool == "search_cars" else {"car_id": "C-6"}
    desk().refuses(tool, code, words, pick_up=pick_up, return_on=return_on, **where)


def test_a_car_comes_back_when_its_station_is_open() -> None:
    at = desk()
    words = "closed on Sundays, and 2026-03-08"
    at.refuses("rent_car", "precondition_failed", words, car_id="C-6", pick_up="2026-03-02", return_on="2026-03-08")
    at.gives("rent_car", car_id="C-6", pick_up="2026-03-02", return_on="2026-05-01")
    at.gives("rent_car", car_id="C-2", pick_up="2026-03-08", return_on="2026-03-15")
    at.gives("rent_car", car_id="C-2", pick_up="2027-03-02", return_on="2027-03-05")


def test_only_cars_that_exist_for_drivers_old_enough_are_rented() -> None:
    at = desk()
    at.refuses("rent_car", "precondition_failed", "Drivers of the Model 4 are 31 or older", car_id="C-4", **DAYS)
    at.gives("rent_car", car_id="C-3", **DAYS)
    at.refuses("rent_car", "conflict", "no Model 5 left", car_id="C-5", **DAYS)
    at.refuses("rent_car", "not_found", "no car with the id 'C-99'", car_id="C-99", **DAYS)
    at.refuses("search_cars", "not_found", "no station with the id 'S-99'", station_id="S-99", **DAYS)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["R-5", "R-6", "R-1", "R-2", "R-3"]),
        ({"page": 2}, ["R-4"]),
        ({"status": "running"}, ["R-2", "R-3"]),
        ({"status": "cancelled"}, ["R-5"]),
    ],
)
def test_rentals_are_listed_the_latest_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_rentals", **arguments) == found


def test_a_rental_is_shown_to_its_renter() -> None:
    assert desk().gives("get_rental", rental_id="R-2") == RENTALS["R-2"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["E-3", "E-1", "E-2", "E-4", "E-5"]),
        ({"page": 2}, ["E-6", "E-7"]),
        ({"for_children": True}, ["E-3", "E-1"]),
        ({"max_daily": 9}, ["E-3", "E-1"]),
        ({"max_daily": 5}, []),
    ],
)
def test_extras_are_listed_the_cheapest_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_extras", **arguments) == found


ON_RENTALS: list[tuple[str, Row]] = [
    ("get_rental", {}),
    ("add_extra", {"extra_id": "E-1"}),
    ("add_driver", {"name": "Mei Sato", "age": 40}),
    ("remove_extra", {"extra_id": "E-1"}),
    ("remove_driver", {"name": "Mei Sato"}),
    ("change_protection", {"protection": "full"}),
    ("extend_rental", {"days": 1}),
    ("return_elsewhere", {"station_id": "S-2"}),
    ("cancel_rental", {}),
    ("report_damage", {"part": "tyre"}),
]
STANDING = [
    ("add_extra", "given extras", ("running", "returned", "cancelled")),
    ("add_driver", "given drivers", ("returned", "cancelled")),
    ("remove_extra", "changed", ("running", "returned", "cancelled")),
    ("remove_driver", "changed", ("running", "returned", "cancelled")),
    ("change_protection", "protected otherwise", ("running", "returned", "cancelled")),
    ("extend_rental", "extended", ("returned", "cancelled")),
    ("return_elsewhere", "given back elsewhere", ("returned", "cancelled")),
    ("cancel_rental", "cancelled", ("running", "returned", "cancelled")),
    ("report_damage", "reported as damaged", ("booked", "returned", "cancelled")),
]
IN = {"booked": "R-1", "running": "R-2", "returned": "R-4", "cancelled": "R-5"}


@pytest.mark.parametrize(("tool", "more"), ON_RENTALS)
def test_a_rental_of_somebody_else_or_none_at_all_is_refused(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "rental belongs to somebody else", rental_id="R-9", **more)
    desk().refuses(tool, "not_found", "no rental with the id 'R-99'", rental_id="R-99", **more)


@pytest.mark.parametrize(
    ("tool", "done", "status"), [(tool, done, status) for tool, done, among in STANDING for status in among]
)
def test_what_a_rental_allows_depends_on_where_it_stands(tool: str, done: str, status: str) -> None:
    words = f"The rental is {status}, so it cannot be {done}"
    desk().refuses(tool, "precondition_failed", words, rental_id=IN[status], **dict(ON_RENTALS)[tool])


def test_extras_are_added_up_to_what_fits_a_car() -> None:
    at = desk()
    added = at.gives("add_extra", rental_id="R-1", extra_id="E-1")
    assert added == {**RENTALS["R-1"], "extras": [booked_extra()], "total": 196.0}
    assert at.changed() == {"rentals.changed": {"R-1": {"extras": [booked_extra()], "total": 196.0}}}
    more = at.gives("add_extra", rental_id="R-1", extra_id="E-2")
    assert (more["extras"], more["total"]) == ([booked_extra(), booked_extra("E-2")], 246.0)
    most = at.gives("add_extra", rental_id="R-1", extra_id="E-1", count=2)
    assert (most["extras"], most["total"]) == ([booked_extra("E-2"), booked_extra("E-1", 3)], 318.0)
    at.refuses(
        "add_extra",
        "limit_exceeded",
        "3 of the child seat at most; the Model 1 comes with 3",
        rental_id="R-1",
        extra_id="E-1",
    )
    at.refuses("add_extra", "not_found", "no extra with the id 'E-99'", rental_id="R-1", extra_id="E-99")


def test_extras_and_drivers_are_charged_for_ten_days_at_most() -> None:
    long = rental("R-1", pick_up="2026-03-20", return_on="2026-03-31", extras=[booked_extra("E-1", 2)])
    long["drivers"] = [driver("Bo Chen")]
    at = desk({"rentals": keyed(long)}, now=DEFAULT_NOW)
    assert at.gives("change_protection", rental_id="R-1", protection="medium")["total"] == 396 + 132 + 180 + 90


def test_further_drivers_cost_by_the_day_and_more_when_young() -> None:
    at = desk()
    grown = at.gives("add_driver", rental_id="R-1", name="Mei Sato", age=25)
    more = {"drivers": [driver("Mei Sato", 25)], "total": 196.0}
    assert grown == {**RENTALS["R-1"], **more}
    assert at.changed() == {"rentals.changed": {"R-1": more}}
    young = at.gives("add_driver", rental_id="R-1", name="Bo Chen", age=24)
    assert (young["drivers"], young["total"]) == ([driver("Mei Sato", 25), driver("Bo Chen", 24)], 292.0)
    again = at.gives("add_driver", rental_id="R-1", name="Uma Quinn", age=19)
    assert (again["young"], again["total"]) == (False, 388.0)
    words = "3 further drivers at most"
    at.refuses("add_driver", "limit_exceeded", words, rental_id="R-1", name="Zoe Kim", age=40)


@pytest.mark.parametrize(
    ("name", "age", "code", "words"),
    [
        ("Ada Kim", 30, "conflict", "Ada Kim may drive the Model 1 already"),
        ("ada  KIM", 30, "conflict", "ada  KIM may drive the Model 1 already"),
        ("Bo Chen", 41, "conflict", "Bo Chen may drive the Model 1 already"),
        ("Mei Sato", 18, "precondition_failed", "Drivers of the Model 1 are 19 or older"),
    ],
)
def test_a_driver_is_new_and_old_enough(name: str, age: int, code: str, words: str) -> None:
    at = desk({"rentals": keyed(rental("R-1", drivers=[driver("Bo Chen")]))})
    at.refuses("add_driver", code, words, rental_id="R-1", name=name, age=age)


def test_drivers_are_taken_off_before_pick_up() -> None:
    two = rental("R-1", drivers=[driver("Bo Chen", 24), driver("Mei Sato")], total=292.0)
    at = desk({"rentals": keyed(two)})
    more = {"drivers": [driver("Mei Sato")], "total": 196.0}
    assert at.gives("remove_driver", rental_id="R-1", name="bo chen") == {**two, **more}
    assert at.changed() == {"rentals.changed": {"R-1": more}}
    words = "Bo Chen is no further driver of the Model 1"
    at.refuses("remove_driver", "conflict", words, rental_id="R-1", name="Bo Chen")
    at.refuses("remove_driver", "conflict", "Ada Kim is no further driver", rental_id="R-1", name="Ada Kim")
    assert at.gives("remove_driver", rental_id="R-1", name="Mei Sato") == RENTALS["R-1"]


def test_an_extra_is_taken_off_whole_before_pick_up() -> None:
    two = rental("R-1", extras=[booked_extra("E-1", 2), booked_extra("E-2")], total=282.0)
    at = desk({"rentals": keyed(two)})
    more = {"extras": [booked_extra("E-2")], "total": 210.0}
    assert at.gives("remove_extra", rental_id="R-1", extra_id="E-1") == {**two, **more}
    assert at.changed() == {"rentals.changed": {"R-1": more}}
    words = "Model 1 comes without the child seat"
    at.refuses("remove_extra", "conflict", words, rental_id="R-1", extra_id="E-1")
    at.refuses("remove_extra", "not_found", "no extra with the id 'E-99'", rental_id="R-1", extra_id="E-99")
    assert at.gives("remove_extra", rental_id="R-1", extra_id="E-2") == RENTALS["R-1"]


@pytest.mark.parametrize(("protection", "price"), [("medium", 208.0), ("full", 240.0)])
def test_protection_is_changed_before_pick_up(protection: str, price: float) -> None:
    at = desk()
    more = {"protection": protection, "total": price}
    assert at.gives("change_protection", rental_id="R-1", protection=protection) == {**RENTALS["R-1"], **more}
    assert at.changed() == {"rentals.changed": {"R-1": more}}
    words = f"Model 1 has {protection} protection already"
    at.refuses("change_protection", "conflict", words, rental_id="R-1", protection=protection)


def test_a_rental_is_extended_until_the_next_one_but_a_day() -> None:
    at = desk()
    more = {"return_on": "2026-03-27", "total": 252.0}
    assert at.gives("extend_rental", rental_id="R-1", days=3) == {**RENTALS["R-1"], **more}
    assert at.changed() == {"rentals.changed": {"R-1": more}}
    words = "Every Model 1 is rented to others on 2026-03-28, so this one has to be back before"
    at.refuses("extend_rental", "conflict", words, rental_id="R-1", days=1)
    at.refuses("extend_rental", "conflict", words, rental_id="R-1", days=9)
    assert at.gives("extend_rental", rental_id="R-2", days=1)["late_fee"] == 0.0


def test_a_late_car_is_extended_for_a_fee() -> None:
    at = desk({"rentals": keyed(rental("R-3", "C-7", "running", pick_up="2026-02-24", return_on="2026-02-28"))})
    at.refuses("extend_rental", "invalid_argument", "2026-03-01 is over", rental_id="R-3", days=1)
    kept = at.gives("extend_rental", rental_id="R-3", days=2)
    assert (kept["return_on"], kept["late_fee"], kept["total"]) == ("2026-03-02", 25.0, 265.0)
    on_time = at.gives("extend_rental", rental_id="R-3", days=1)
    assert (on_time["late_fee"], on_time["total"]) == (25.0, 277.0)


def test_the_late_fee_adds_to_an_earlier_one() -> None:
    late = rental("R-3", "C-7", "running", pick_up="2026-02-24", return_on="2026-03-01", late_fee=25.0)
    assert desk({"rentals": keyed(late)}).gives("extend_rental", rental_id="R-3", days=2)["late_fee"] == 50.0


def test_an_extension_keeps_to_sixty_days_and_opening_days() -> None:
    at = desk({"rentals": keyed(rental("R-8", "C-6", pick_up="2026-03-03", return_on="2026-04-30"))})
    at.refuses("extend_rental", "invalid_argument", "comes back in 1 to 60 days", rental_id="R-8", days=3)
    at.gives("extend_rental", rental_id="R-8", days=2)
    words = "Oslo Harbour is closed on Sundays"
    at = desk({"rentals": keyed(rental("R-8", "C-6", pick_up="2026-03-03", return_on="2026-03-07"))})
    at.refuses("extend_rental", "precondition_failed", words, rental_id="R-8", days=1)
    for days in (0, 31):
        at.refuses("extend_rental", "invalid_argument", "days", rental_id="R-8", days=days)


@pytest.mark.parametrize(("station_id", "fee"), [("S-2", 30.0), ("S-4", 120.0)])
def test_giving_a_car_back_elsewhere_costs_by_distance(station_id: str, fee: float) -> None:
    at = desk()
    name = STATIONS[station_id]["name"]
    more = {
        "return_station_id": station_id, "return_station_name": name, "one_way_fee": fee, "total": 160.0 + fee
    }  # fmt: skip
    assert at.gives("return_elsewhere", rental_id="R-1", station_id=station_id) == {**RENTALS["R-1"], **more}
    assert at.changed() == {"rentals.changed": {"R-1": more}}
    words = f"goes back to {name} already"
    at.refuses("return_elsewhere", "conflict", words, rental_id="R-1", station_id=station_id)
    assert at.gives("return_elsewhere", rental_id="R-1", station_id="S-1") == RENTALS["R-1"]


@pytest.mark.parametrize(
    ("rental_id", "station_id", "code", "words"),
    [
        ("R-1", "S-1", "conflict", "Model 1 goes back to Oslo Central already"),
        ("R-1", "S-3", "precondition_failed", "Oslo Harbour takes no cars from elsewhere"),
        ("R-6", "S-2", "precondition_failed", "Large cars like the Model 3 go back to Oslo Central"),
        ("R-7", "S-4", "precondition_failed", "Rome Central is closed on Sundays, and 2026-03-22"),
        ("R-1", "S-99", "not_found", "no station with the id 'S-99'"),
    ],
)
def test_a_station_that_cannot_take_a_car_refuses(rental_id: str, station_id: str, code: str, words: str) -> None:
    at = desk({"rentals": keyed(rental("R-7", "C-2", return_on="2026-03-22"))})
    at.refuses("return_elsewhere", code, words, rental_id=rental_id, station_id=station_id)


def test_a_late_car_is_given_back_elsewhere_today_at_the_earliest() -> None:
    late = rental("R-3", "C-7", "running", pick_up="2026-02-25", return_on="2026-03-01")
    at = desk({"rentals": keyed(late)})
    assert at.gives("return_elsewhere", rental_id="R-3", station_id="S-4")["one_way_fee"] == 120.0
    at = desk({"rentals": keyed(late)}, now=DEFAULT_NOW + dt.timedelta(days=6))
    at.refuses("return_elsewhere", "precondition_failed", "2026-03-08 is one", rental_id="R-3", station_id="S-4")


def test_a_station_always_takes_its_own_cars_back() -> None:
    away = rental("R-7", "C-6", return_station_id="S-2", return_station_name="Oslo Airport", one_way_fee=30.0)
    back = desk({"rentals": keyed(away)}).gives("return_elsewhere", rental_id="R-7", station_id="S-3")
    assert back == rental("R-7", "C-6")


@pytest.mark.parametrize(
    ("prepaid", "pick_up", "fee", "refund"),
    [
        (False, "2026-03-03", 0.0, None),
        (False, "2026-03-05", 0.0, None),
        (True, "2026-03-05", 25.0, 135.0),
        (True, "2026-03-04", 80.0, 80.0),
        (True, "2026-03-03", 80.0, 80.0),
    ],
)
def test_cancelling_keeps_part_of_what_was_paid_in_advance(
    prepaid: bool, pick_up: str, fee: float, refund: float | None
) -> None:
    at = desk({"rentals": keyed(rental("R-1", prepaid=prepaid, pick_up=pick_up))})
    cancelled = at.gives("cancel_rental", rental_id="R-1")
    paid_back = {} if refund is None else {"refund": refund}
    assert cancelled == {"rental_id": "R-1", "model": "Model 1", "fee": fee, **paid_back}
    kept = {"cancel_fee": fee} if fee else {}
    assert at.changed() == {"rentals.changed": {"R-1": {"status": "cancelled", "total": fee, **kept}}}


@pytest.mark.parametrize(("pick_up", "fee"), [("2026-03-03", 25.0), ("2026-03-20", 25.0)])
def test_cancelling_late_is_never_cheaper_than_early(pick_up: str, fee: float) -> None:
    at = desk({"rentals": keyed(rental("R-1", prepaid=True, pick_up=pick_up, total=40.0))})
    assert at.gives("cancel_rental", rental_id="R-1")["fee"] == fee


def test_no_more_is_kept_than_was_paid_and_nothing_is_cancelled_on_the_day() -> None:
    late = rental("R-8", prepaid=True, total=20.0, pick_up="2026-03-03")
    rows = (rental("R-1", prepaid=True, total=20.0), rental("R-7", pick_up="2026-03-02"), late)
    at = desk({"rentals": keyed(*rows)})
    at.refuses("cancel_rental", "precondition_failed", "until the day before pick-up", rental_id="R-7")
    assert at.gives("cancel_rental", rental_id="R-1") == {
        "rental_id": "R-1", "model": "Model 1", "fee": 20.0, "refund": 0.0
    }  # fmt: skip
    assert at.gives("cancel_rental", rental_id="R-8")["fee"] == 20.0


def test_a_cancelled_car_is_free_again() -> None:
    at = desk()
    at.gives("cancel_rental", rental_id="R-1")
    at.gives("rent_car", car_id="C-1", pick_up="2026-03-20", return_on="2026-03-24")


@pytest.mark.parametrize(
    ("protection", "part", "repair", "to_pay"),
    [
        ("basic", "bodywork", 900.0, 900.0),
        ("medium", "bodywork", 900.0, 400.0),
        ("medium", "mirror", 180.0, 180.0),
        ("full", "bodywork", 900.0, 0.0),
        ("medium", "windscreen", 350.0, 350.0),
        ("basic", "tyre", 120.0, 120.0),
        ("full", "tyre", 120.0, 0.0),
    ],
)
def test_a_damage_costs_what_the_protection_leaves(protection: str, part: str, repair: float, to_pay: float) -> None:
    at = desk({"rentals": keyed({**RENTALS["R-2"], "protection": protection})})
    by_day = {"basic": 0, "medium": 48, "full": 80}[protection]
    assert at.gives("report_damage", rental_id="R-2", part=part) == {
        "rental_id": "R-2", "model": "Model 7", "part": part, "repair": repair, "to_pay": to_pay,
        "total": 160 + by_day + to_pay,
    }  # fmt: skip
    damage = {"part": part, "repair": repair, "to_pay": to_pay, "reported_on": "2026-03-02"}
    changes = {"damages": [damage], "total": 160 + by_day + to_pay}
    assert at.changed()["rentals.changed"]["R-2"]["damages"] == changes["damages"]
    assert at.gives("get_rental", rental_id="R-2") == {**RENTALS["R-2"], "protection": protection, **changes}
    words = f"A damaged {part} of the Model 7 is reported already"
    at.refuses("report_damage", "conflict", words, rental_id="R-2", part=part)
    at.gives("report_damage", rental_id="R-3", part=part)


@pytest.mark.parametrize(("protection", "to_pay"), [("medium", 525.0), ("full", 0.0)])
def test_a_dear_windscreen_is_covered_by_full_protection_only(protection: str, to_pay: float) -> None:
    at = desk({"rentals": keyed(rental("R-8", "C-4", "running", protection=protection))})
    report = at.gives("report_damage", rental_id="R-8", part="windscreen")
    assert (report["repair"], report["to_pay"]) == (525.0, to_pay)


def test_large_cars_cost_no_more_to_repair_than_small_ones() -> None:
    at = desk({"rentals": keyed(rental("R-8", "C-3", "running"))})
    assert at.gives("report_damage", rental_id="R-8", part="mirror")["repair"] == 180.0


def test_damages_of_a_rental_add_up_and_stay_when_it_is_priced_anew() -> None:
    at = desk()
    assert at.gives("report_damage", rental_id="R-2", part="mirror")["total"] == 340.0
    assert at.gives("report_damage", rental_id="R-2", part="tyre")["total"] == 460.0
    kept = at.gives("add_driver", rental_id="R-2", name="Mei Sato", age=40)
    assert ([damage["part"] for damage in kept["damages"]], kept["total"]) == (["mirror", "tyre"], 496.0)


@pytest.mark.parametrize(("protection", "to_pay"), [("basic", 1200.0), ("medium", 400.0), ("full", 0.0)])
def test_premium_cars_cost_half_as_much_again_to_repair(protection: str, to_pay: float) -> None:
    at = desk({"rentals": keyed(rental("R-8", "C-4", "running", protection=protection))})
    report = at.gives("report_damage", rental_id="R-8", part="bodywork")
    assert (report["repair"], report["to_pay"]) == (1350.0, to_pay)
    assert at.gives("report_damage", rental_id="R-8", part="mirror")["repair"] == 270.0


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(CarRental, seed, size, DEFAULT_NOW)
    today = world.now.date()
    mine = [row for row in world.rentals.values() if row.renter_id == world.renter_id]
    assert {row.status for row in mine} == {"booked", "running", "returned", "cancelled"}
    assert {row.return_on < today for row in mine if row.status == "running"} == {True, False}
    assert {row.prepaid for row in mine if row.status == "booked"} == {True, False}
    assert any(row.status == "booked" and row.prepaid and (row.pick_up - today).days <= 2 for row in mine)
    homes = [row.station_id for row in world.cars.values()]
    assert max(homes.count(home) for home in homes) > 5, "a search has a second page"
    assert {row.one_way for row in world.stations.values()} == {row.open_sundays for row in world.stations.values()}
    assert len({row.name for row in world.stations.values()}) == len(world.stations)
    assert {len(row.drivers) for row in mine if row.status == "booked"} == {0, 1, 2, 3}
    assert any(row.extras for row in mine if row.status == "booked")
    assert any(row.damages for row in mine if row.status == "running")
    assert any(row.late_fee for row in mine)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [10, 20, 60, 300])
def test_a_scenario_keeps_its_own_rules(seed: int, size: int) -> None:
    world = build_scenario(CarRental, seed, size, DEFAULT_NOW)
    today, rentals = world.now.date(), list(world.rentals.values())
    for row in rentals:
        car, station = world.cars[row.car_id], world.stations[row.station_id]
        back = world.stations[row.return_station_id]
        assert rules.priced(row) == row
        assert car.min_age <= world.renters[row.renter_id].age
        assert all(car.min_age <= each.age for each in row.drivers)
        assert (row.status == "running") <= (row.pick_up <= today)
        assert (row.status == "booked") <= (row.pick_up > today)
        assert station.open_sundays or row.pick_up.weekday() != 6
        assert back.open_sundays or row.return_on.weekday() != 6
        assert row.one_way_fee == rules.one_way_fee(row, station, back)
        assert all(damage == rules.damage_of(row, damage.part, damage.reported_on) for damage in row.damages)
        assert all(each.count <= world.extras[each.extra_id].most for each in row.extras)
    days = [today + dt.timedelta(days=n) for n in range(70)]
    left = [[rules.left_on(car, day, rentals, today) for day in days] for car in world.cars.values()]
    assert min(min(each) for each in left) == 0, "never overbooked"
    assert any(max(each[:30]) == 0 for each in left), "sold out for a month"
