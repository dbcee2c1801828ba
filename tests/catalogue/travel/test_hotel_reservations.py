"""The hotel service, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

from typing import Any

import pytest

from envfactory.catalogue.travel.hotel_reservations import HotelReservations
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk


def room(kind: str, rooms: int, rate: float) -> dict[str, Any]:
    return {"kind": kind, "rooms": rooms, "nightly_rate": rate}


def hotel(
    key: str, name: str, city: str, stars: int, rating: float, *rooms: dict[str, Any], amenities: str = ""
) -> dict[str, Any]:
    return {
        "id": key, "name": name, "city": city, "address": "1 Mill Lane", "stars": stars, "rating": rating,
        "amenities": amenities.split(), "rooms": list(rooms), "from_rate": min(r["nightly_rate"] for r in rooms),
    }  # fmt: skip


def stay(
    key: str, hotel_id: str, guest: str, kind: str, dates: tuple[str, str], total: float, **changes: Any
) -> dict[str, Any]:
    return {
        "id": key, "hotel_id": hotel_id, "hotel_name": HOTELS[hotel_id]["name"], "guest_id": guest, "room_kind": kind,
        "check_in": dates[0], "check_out": dates[1], "guests": 1, "total": total, "status": "confirmed", "fee": 0.0,
        **changes,
    }  # fmt: skip


HOTELS = {
    row["id"]: row
    for row in (
        hotel(
            "H-1",
            "Harbour Inn",
            "Oslo",
            3,
            7.5,
            room("single", 1, 50.0),
            room("double", 2, 80.0),
            amenities="wifi pool",
        ),
        hotel(
            "H-2",
            "Grand Palace",
            "Oslo",
            5,
            9.1,
            room("double", 1, 200.0),
            room("family", 1, 300.0),
            amenities="wifi spa",
        ),
        hotel("H-3", "Mill Lodge", "Oslo", 2, 8.0, room("single", 4, 40.0)),
        hotel("H-4", "Tagus House", "Lisbon", 3, 8.2, room("twin", 3, 90.0)),
        *(hotel(f"H-{n}", f"Fjord {n}", "Bergen", 3, 7.0, room("single", 1, 60.0)) for n in range(11, 18)),
    )
}
STAYS = (
    stay("RES-1", "H-1", "G-1", "double", ("2026-03-20", "2026-03-24"), 320.0, guests=2),
    stay("RES-2", "H-1", "G-1", "single", ("2026-03-04", "2026-03-06"), 100.0),  # in two days
    stay("RES-3", "H-2", "G-1", "family", ("2026-01-10", "2026-01-12"), 600.0, status="completed"),
    stay("RES-4", "H-4", "G-1", "twin", ("2026-04-01", "2026-04-02"), 90.0, status="cancelled"),
    stay("RES-5", "H-1", "G-1", "single", ("2026-03-02", "2026-03-03"), 50.0),  # today
    stay("RES-6", "H-1", "G-2", "single", ("2026-04-10", "2026-04-14"), 200.0),
    stay("RES-7", "H-1", "G-2", "double", ("2026-03-22", "2026-03-23"), 80.0),
    stay("RES-8", "H-3", "G-1", "single", ("2026-02-01", "2026-02-02"), 40.0, status="completed"),
)


GUESTS = (("G-1", "Ada Bauer"), ("G-2", "Leo Rossi"))
STATE: dict[str, Any] = {
    "guest_id": "G-1",
    "hotels": HOTELS,
    "guests": {key: {"id": key, "name": name, "email": f"{key}@mail.example", "points": 0} for key, name in GUESTS},
    "reservations": {row["id"]: row for row in STAYS},
    "reviews": {
        f"REV-{n}": {
            "id": f"REV-{n}",
            "hotel_id": hotel_id,
            "guest_id": guest,
            "score": score,
            "title": f"Stay {n}",
        }
        for n, hotel_id, guest, score in ((1, "H-1", "G-2", 6), (2, "H-1", "G-2", 9), (3, "H-3", "G-1", 4))
    },
}


def desk_with(**changes: Any) -> Desk:
    """A session in the state above."""
    return Desk(HotelReservations, STATE, **changes)


@pytest.fixture
def desk() -> Desk:
    return desk_with()


def names(page: Any) -> list[str]:
    return [row["name"] for row in page["hotels"]]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["Mill Lodge", "Harbour Inn", "Grand Palace"]),
        ({"sort": "rating"}, ["Grand Palace", "Mill Lodge", "Harbour Inn"]),
        ({"sort": "stars"}, ["Grand Palace", "Harbour Inn", "Mill Lodge"]),
        ({"amenity": "wifi"}, ["Harbour Inn", "Grand Palace"]),
        ({"amenity": "pool"}, ["Harbour Inn"]),
        ({"min_stars": 3}, ["Harbour Inn", "Grand Palace"]),
        ({"max_rate": 50}, ["Mill Lodge", "Harbour Inn"]),
        ({"max_rate": 49.99}, ["Mill Lodge"]),
        ({"amenity": "gym"}, []),
    ],
)
def test_hotels_are_searched_by_what_is_asked(desk: Desk, arguments: dict[str, Any], found: list[str]) -> None:
    page = desk.gives("search_hotels", city="Oslo", **arguments)
    assert names(page) == found
    assert (page["total"], page["page"], page["pages"]) == (len(found), 1, 1)


def test_results_come_in_pages_of_five(desk: Desk) -> None:
    first, second, third = (desk.gives("search_hotels", city="Bergen", page=page) for page in (1, 2, 3))
    assert names(first) == [f"Fjord {n}" for n in range(11, 16)]
    assert names(second) == ["Fjord 16", "Fjord 17"]
    assert third["hotels"] == []
    assert (first["total"], first["pages"]) == (7, 2)


def test_a_search_refuses_impossible_limits(desk: Desk) -> None:
    desk.refuses("search_hotels", "invalid_argument", "min_stars", city="Oslo", min_stars=6)
    desk.refuses("search_hotels", "invalid_argument", "max_rate", city="Oslo", max_rate=0)


def test_a_hotel_is_shown_whole(desk: Desk) -> None:
    assert desk.gives("get_hotel", hotel_id="H-2") == HOTELS["H-2"]
    desk.refuses("get_hotel", "not_found", "no hotel with the id 'H-99'", hotel_id="H-99")


def test_availability_counts_rooms_on_every_night(desk: Desk) -> None:
    offers = desk.gives("check_availability", hotel_id="H-1", check_in="2026-03-20", check_out="2026-03-23", guests=1)
    assert offers == {
        "hotel_id": "H-1",
        "nights": 3,
        "offers": [{"room_kind": "single", "rooms_left": 1, "total": 150.0}],  # both doubles are taken on the 22nd
    }
    offers = desk.gives("check_availability", hotel_id="H-1", check_in="2026-03-23", check_out="2026-03-25")
    assert offers["offers"] == [{"room_kind": "double", "rooms_left": 1, "total": 160.0}]


def test_a_room_must_be_large_enough(desk: Desk) -> None:
    dates = {"check_in": "2026-05-01", "check_out": "2026-05-02"}
    kinds = [
        [
            offer["room_kind"]
            for offer in desk.gives("check_availability", hotel_id="H-2", guests=guests, **dates)["offers"]
        ]
        for guests in (2, 3, 5)
    ]
    assert kinds == [["double", "family"], ["family"], []]


@pytest.mark.parametrize(
    ("check_in", "check_out", "words"),
    [
        ("2026-03-01", "2026-03-04", "past"),
        ("2026-05-04", "2026-05-04", "not 0"),
        ("2026-05-04", "2026-05-01", "not -3"),
        ("2026-05-04", "2026-05-19", "not 15"),
    ],
)
def test_stays_are_one_to_fourteen_nights_and_not_past(desk: Desk, check_in: str, check_out: str, words: str) -> None:
    dates = {"check_in": check_in, "check_out": check_out}
    desk.refuses("check_availability", "invalid_argument", words, hotel_id="H-1", **dates)
    desk.refuses("book_room", "invalid_argument", words, hotel_id="H-1", room_kind="single", **dates)
    desk.refuses("change_dates", "invalid_argument", words, reservation_id="RES-1", **dates)


def test_today_and_fourteen_nights_are_allowed(desk: Desk) -> None:
    assert (
        desk.gives("check_availability", hotel_id="H-4", check_in="2026-03-02", check_out="2026-03-16")["nights"] == 14
    )


def test_a_booking_is_recorded_with_its_price(desk: Desk) -> None:
    arguments = {"hotel_id": "H-2", "room_kind": "family", "check_in": "2026-05-01", "check_out": "2026-05-04"}
    booked = desk.gives("book_room", guests=4, request="a quiet room", **arguments)
    assert booked == {
        "id": "RES-1001", **arguments, "hotel_name": "Grand Palace", "guest_id": "G-1", "guests": 4, "total": 900.0,
        "status": "confirmed", "fee": 0.0, "request": "a quiet room",
    }  # fmt: skip
    changes = desk.changes()
    assert changes.tables["reservations"].created == {"RES-1001": booked}
    assert list(changes.tables) == ["reservations"]
    assert changes.fields == {"counters": {"RES": 1001}}


def test_the_last_room_is_booked_once(desk: Desk) -> None:
    arguments = {"hotel_id": "H-2", "room_kind": "double", "check_in": "2026-05-01", "check_out": "2026-05-03"}
    desk.gives("book_room", **arguments)
    desk.refuses("book_room", "conflict", "no double room left", **arguments)
    next_night = {"check_in": "2026-05-03", "check_out": "2026-05-04"}
    assert desk.gives("book_room", **{**arguments, **next_night})["guests"] == 1


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"hotel_id": "H-99"}, "not_found", "H-99"),
        ({"room_kind": "twin"}, "not_found", "it has single, double"),
        ({"guests": 2, "room_kind": "single"}, "limit_exceeded", "sleeps 1, not 2"),
        ({"check_in": "2026-04-13", "check_out": "2026-04-16", "room_kind": "single"}, "conflict", "no single room"),
    ],
)
def test_a_booking_that_cannot_be_kept_is_refused(desk: Desk, change: dict[str, Any], code: str, words: str) -> None:
    arguments = {
        "hotel_id": "H-1",
        "room_kind": "double",
        "check_in": "2026-05-01",
        "check_out": "2026-05-02",
        **change,
    }
    desk.refuses("book_room", code, words, **arguments)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["RES-3", "RES-8", "RES-5", "RES-2", "RES-1"]),
        ({"page": 2}, ["RES-4"]),
        ({"status": "completed"}, ["RES-3", "RES-8"]),
        ({"status": "cancelled"}, ["RES-4"]),
    ],
)
def test_a_guest_sees_only_own_stays_by_date(desk: Desk, arguments: dict[str, Any], found: list[str]) -> None:
    assert [row["id"] for row in desk.gives("list_reservations", **arguments)["reservations"]] == found


def test_a_stay_is_shown_to_its_guest_alone(desk: Desk) -> None:
    assert desk.gives("get_reservation", reservation_id="RES-1") == STAYS[0]
    desk.refuses("get_reservation", "permission_denied", "somebody else", reservation_id="RES-6")
    desk.refuses("get_reservation", "not_found", "no reservation", reservation_id="RES-99")


def test_moving_a_stay_costs_a_fee_and_takes_the_new_price(desk: Desk) -> None:
    moved = desk.gives("change_dates", reservation_id="RES-1", check_in="2026-03-21", check_out="2026-03-23")
    assert moved == {**STAYS[0], "check_in": "2026-03-21", "check_out": "2026-03-23", "total": 160.0, "fee": 15.0}
    assert desk.changes().tables["reservations"].changed == {
        "RES-1": {"check_in": "2026-03-21", "check_out": "2026-03-23", "total": 160.0, "fee": 15.0}
    }
    again = desk.gives("change_dates", reservation_id="RES-1", check_in="2026-03-21", check_out="2026-03-22")
    assert again["fee"] == 30.0


def test_moving_needs_new_dates_and_a_free_room(desk: Desk) -> None:
    desk.refuses(
        "change_dates",
        "invalid_argument",
        "already",
        reservation_id="RES-1",
        check_in="2026-03-20",
        check_out="2026-03-24",
    )
    desk.refuses(
        "change_dates",
        "conflict",
        "no single room",
        reservation_id="RES-2",
        check_in="2026-04-11",
        check_out="2026-04-12",
    )


def test_a_stays_own_room_is_free_for_it(desk: Desk) -> None:
    moved = desk.gives("change_dates", reservation_id="RES-2", check_in="2026-03-05", check_out="2026-03-07")
    assert moved["total"] == 100.0


def test_another_room_is_taken_at_its_rate(desk: Desk) -> None:
    changed = desk.gives("change_room", reservation_id="RES-2", room_kind="double")
    assert changed == {**STAYS[1], "room_kind": "double", "total": 160.0}
    assert desk.changes().tables["reservations"].changed == {"RES-2": {"room_kind": "double", "total": 160.0}}


@pytest.mark.parametrize(
    ("reservation", "kind", "code", "words"),
    [
        ("RES-1", "double", "invalid_argument", "already"),
        ("RES-1", "single", "limit_exceeded", "sleeps 1"),
        ("RES-1", "family", "not_found", "no family rooms"),
        ("RES-3", "double", "precondition_failed", "completed"),
        ("RES-5", "double", "precondition_failed", "begun"),
        ("RES-6", "double", "permission_denied", "somebody else"),
    ],
)
def test_a_room_that_cannot_be_changed_is_refused(
    desk: Desk, reservation: str, kind: str, code: str, words: str
) -> None:
    desk.refuses("change_room", code, words, reservation_id=reservation, room_kind=kind)


def test_a_room_that_is_taken_cannot_be_had() -> None:
    taken = stay("RES-9", "H-1", "G-2", "single", ("2026-03-21", "2026-03-22"), 50.0)
    alone = {**STAYS[0], "guests": 1}
    desk = desk_with(reservations={row["id"]: row for row in (*STAYS[1:], alone, taken)})
    desk.refuses("change_room", "conflict", "no single room left", reservation_id="RES-1", room_kind="single")


def test_the_only_room_of_a_kind_can_be_had() -> None:
    alone = {**STAYS[0], "guests": 1}
    changed = desk_with(reservations={"RES-1": alone}).gives("change_room", reservation_id="RES-1", room_kind="single")
    assert (changed["room_kind"], changed["total"]) == ("single", 200.0)


def test_a_room_is_free_from_the_day_that_somebody_leaves_until_the_day_that_somebody_comes(desk: Desk) -> None:
    # The only single of the hotel is taken from the 10th to the 14th of April.
    free = {"hotel_id": "H-1", "room_kind": "single"}
    desk.gives("book_room", **free, check_in="2026-04-08", check_out="2026-04-10")
    desk.gives("book_room", **free, check_in="2026-04-14", check_out="2026-04-15")
    desk.refuses("book_room", "conflict", "no single room", **free, check_in="2026-04-09", check_out="2026-04-11")
    desk.refuses("book_room", "conflict", "no single room", **free, check_in="2026-04-13", check_out="2026-04-14")


def test_a_room_turns_over_between_two_stays() -> None:
    rows = (
        stay("RES-21", "H-2", "G-2", "double", ("2026-05-01", "2026-05-03"), 400.0),
        stay("RES-22", "H-2", "G-2", "double", ("2026-05-03", "2026-05-05"), 400.0),
    )
    hotel = {**HOTELS["H-2"], "rooms": [room("double", 2, 200.0)]}
    desk = desk_with(reservations={row["id"]: row for row in rows}, hotels={**HOTELS, "H-2": hotel})
    dates = {"check_in": "2026-05-01", "check_out": "2026-05-05"}
    offers = desk.gives("check_availability", hotel_id="H-2", **dates)["offers"]
    assert offers == [{"room_kind": "double", "rooms_left": 1, "total": 800.0}]


def test_cancelling_early_is_free(desk: Desk) -> None:
    assert desk.gives("cancel_reservation", reservation_id="RES-1") == {
        "reservation_id": "RES-1",
        "fee": 0.0,
        "refund": 320.0,
    }
    assert desk.changes().tables["reservations"].changed == {"RES-1": {"status": "cancelled"}}


def test_cancelling_late_costs_the_first_night(desk: Desk) -> None:
    assert desk.gives("cancel_reservation", reservation_id="RES-2") == {
        "reservation_id": "RES-2",
        "fee": 50.0,
        "refund": 50.0,
    }
    assert desk.changes().tables["reservations"].changed == {"RES-2": {"status": "cancelled", "fee": 50.0}}


def test_three_days_ahead_is_still_free() -> None:
    rows = {row["id"]: row for row in STAYS} | {
        "RES-2": stay("RES-2", "H-1", "G-1", "single", ("2026-03-05", "2026-03-06"), 50.0)
    }
    assert desk_with(reservations=rows).gives("cancel_reservation", reservation_id="RES-2")["fee"] == 0.0


@pytest.mark.parametrize(
    ("reservation", "code", "words"),
    [
        ("RES-3", "precondition_failed", "completed"),
        ("RES-4", "precondition_failed", "cancelled"),
        ("RES-5", "precondition_failed", "begun"),
        ("RES-6", "permission_denied", "somebody else"),
        ("RES-99", "not_found", "RES-99"),
    ],
)
def test_a_stay_that_cannot_be_cancelled_is_refused(desk: Desk, reservation: str, code: str, words: str) -> None:
    desk.refuses("cancel_reservation", code, words, reservation_id=reservation)


def test_a_cancelled_stay_frees_its_room(desk: Desk) -> None:
    nights = {"check_in": "2026-03-22", "check_out": "2026-03-23"}
    assert desk.gives("check_availability", hotel_id="H-1", **nights)["offers"] == []
    desk.gives("cancel_reservation", reservation_id="RES-1")
    assert desk.gives("check_availability", hotel_id="H-1", **nights)["offers"][0]["rooms_left"] == 1


def test_reviews_are_read_best_first_with_their_average(desk: Desk) -> None:
    page = desk.gives("list_reviews", hotel_id="H-1")
    assert [(row["id"], row["score"]) for row in page["reviews"]] == [("REV-2", 9), ("REV-1", 6)]
    assert (page["average"], page["total"]) == (7.5, 2)
    page = desk.gives("list_reviews", hotel_id="H-1", min_score=9)
    assert ([row["id"] for row in page["reviews"]], page["average"]) == (["REV-2"], 9.0)
    assert desk.gives("list_reviews", hotel_id="H-4") == {
        "total": 0,
        "page": 1,
        "pages": 1,
        "reviews": [],
        "average": 0.0,
    }
    assert desk.gives("list_reviews", hotel_id="H-1", page=2)["reviews"] == []
    desk.refuses("list_reviews", "not_found", "H-99", hotel_id="H-99")


def test_a_guest_reviews_a_hotel_after_a_completed_stay(desk: Desk) -> None:
    review = desk.gives("write_review", hotel_id="H-2", score=8, title="Splendid")
    assert review == {"id": "REV-1001", "hotel_id": "H-2", "guest_id": "G-1", "score": 8, "title": "Splendid"}
    assert desk.changes().tables["reviews"].created == {"REV-1001": review}
    desk.refuses("write_review", "conflict", "already", hotel_id="H-2", score=3, title="Again")


def test_one_completed_stay_among_others_is_enough_for_a_review() -> None:
    planned = stay("RES-31", "H-2", "G-1", "family", ("2026-06-10", "2026-06-12"), 600.0)
    rows = {row["id"]: row for row in (*STAYS, planned)}
    assert desk_with(reservations=rows).gives("write_review", hotel_id="H-2", score=8, title="Splendid")["score"] == 8


def test_averages_are_given_to_a_tenth() -> None:
    scores = {f"REV-{n}": {"id": f"REV-{n}", "hotel_id": "H-1", "guest_id": "G-2", "score": score, "title": "Fine"}
              for n, score in enumerate((6, 6, 7))}  # fmt: skip
    assert desk_with(reviews=scores).gives("list_reviews", hotel_id="H-1")["average"] == 6.3


@pytest.mark.parametrize(
    ("hotel_id", "score", "title", "code", "words"),
    [
        ("H-1", 8, "Nice", "precondition_failed", "who have stayed"),
        ("H-4", 8, "Nice", "precondition_failed", "who have stayed"),
        ("H-3", 8, "Nice", "conflict", "already"),
        ("H-99", 8, "Nice", "not_found", "H-99"),
        ("H-2", 11, "Nice", "invalid_argument", "score"),
        ("H-2", 0, "Nice", "invalid_argument", "score"),
        ("H-2", 5, "ok", "invalid_argument", "title"),
    ],
)
def test_a_review_that_is_not_due_is_refused(
    desk: Desk, hotel_id: str, score: int, title: str, code: str, words: str
) -> None:
    desk.refuses("write_review", code, words, hotel_id=hotel_id, score=score, title=title)


@pytest.mark.parametrize("seed", range(5))
def test_a_scenario_has_its_edge_cases(seed: int) -> None:
    world = build_scenario(HotelReservations, seed, 60, DEFAULT_NOW)
    mine = [row for row in world.reservations.values() if row.guest_id == world.guest_id]
    assert {row.status for row in mine} == {"confirmed", "cancelled", "completed"}
    assert any(0 < (row.check_in - world.now.date()).days < 3 for row in mine), "one is too late to cancel for free"
    assert all(row.total > 0 for row in world.reservations.values())
    assert len({row.city for row in world.hotels.values()}) >= 4
    assert all(row.from_rate == min(room.nightly_rate for room in row.rooms) for row in world.hotels.values())


@pytest.mark.parametrize("seed", range(40))
def test_hotels_bear_different_names(seed: int) -> None:
    hotels = build_scenario(HotelReservations, seed, 60, DEFAULT_NOW).hotels
    assert len({hotel.name for hotel in hotels.values()}) == len(hotels)
