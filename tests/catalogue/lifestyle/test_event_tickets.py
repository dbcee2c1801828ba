"""The box office, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import pytest

from envfactory.catalogue.lifestyle.event_tickets import EventTickets
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.

NOW = "2026-03-02T09:00:00"


def event(key: str, title: str, kind: str, starts_at: str, **changes: Any) -> Row:
    return {
        "id": key, "title": title, "kind": kind, "city": "Oslo", "venue": "Oslo Hall", "address": "1 Mill Lane",
        "starts_at": starts_at, "status": "scheduled", "on_sale_from": "2026-01-01", "limit": 12, "resale_cap": 110,
        **changes,
    }  # fmt: skip


MOVED: Row = {"status": "moved", "moved_from": "2026-03-05T20:00:00", "refund_until": "2026-03-10"}
EVENTS = keyed(
    event("E-1", "Hamlet", "theatre", "2026-04-10T19:30:00"),
    event("E-2", "Lynx vs Rovers", "sport", "2026-03-20T20:00:00", **MOVED),
    event("E-3", "Medea", "theatre", "2026-03-15T19:30:00", status="cancelled", refund_until="2026-03-31"),
    event("E-4", "The Paper Foxes", "concert", "2026-05-01T20:00:00", city="Rome", on_sale_from="2026-03-05", limit=3),
    event("E-5", "Tosca", "theatre", "2026-02-20T19:30:00"),
    event("E-6", "The Quiet Choir", "concert", "2026-03-02T22:00:00"),
)


def section(key: str, event_id: str, name: str, price: float, left: int, tier: str = "basic", **changes: Any) -> Row:
    on = EVENTS[event_id]
    return {
        "id": key, "event_id": event_id, "event": on["title"], "name": name, "tier": tier,
        "starts_at": on["starts_at"], "on_sale_from": on["on_sale_from"], "price": price, "fee": 4.0, "left": left,
        "status": "available" if left else "sold_out", "next_seat": 38, **changes,
    }  # fmt: skip


SECTIONS = keyed(
    section("S-11", "E-1", "balcony", 30.0, 5),
    section("S-12", "E-1", "circle", 45.0, 1, "standard"),
    section("S-13", "E-1", "stalls", 66.0, 0, "premium"),
    section("S-21", "E-2", "north end", 20.0, 10),
    section("S-22", "E-2", "main stand", 40.0, 3, "premium"),
    section("S-31", "E-3", "stalls", 50.0, 7, status="closed"),
    section("S-41", "E-4", "floor", 50.5, 8),
    section("S-51", "E-5", "stalls", 50.0, 7, status="closed"),
    section("S-61", "E-6", "floor", 40.0, 4),
)


def request(key: str, section_id: str, seats: int, status: str, **changes: Any) -> Row:
    """A request of 8:55 today; held ones run out at 9:10."""
    at = SECTIONS[section_id]
    ends = {"expires_at": "2026-03-02T09:10:00"} if status == "held" else {}
    return {
        "id": key, "fan_id": "F-1", "event_id": at["event_id"], "section_id": section_id, "event": at["event"],
        "section": at["name"], "seats": seats, "price": at["price"], "total": (at["price"] + 4) * seats,
        "asked_at": "2026-03-02T08:55:00", "status": status, **ends, **changes,
    }  # fmt: skip


REQUESTS = keyed(
    request("R-1", "S-11", 2, "held"),
    request("R-2", "S-13", 2, "waiting", asked_at="2026-02-25T09:00:00"),
    request("R-3", "S-11", 1, "booked", asked_at="2026-02-10T09:00:00"),
    request("R-4", "S-21", 1, "released", asked_at="2026-02-09T09:00:00"),
    request("R-5", "S-21", 1, "expired", asked_at="2026-02-08T09:00:00"),
    request("R-90", "S-13", 1, "waiting", fan_id="F-2", asked_at="2026-02-26T09:00:00"),
    request("R-91", "S-22", 1, "held", fan_id="F-2"),
)


def ticket(key: str, section_id: str = "S-11", **changes: Any) -> Row:
    """A ticket that was bought on 10 February, and could be returned for a day."""
    at = SECTIONS[section_id]
    on = EVENTS[at["event_id"]]
    row: Row = {
        "id": key, "owner_id": "F-1", "buyer_id": "F-1", "received": False, "event_id": on["id"],
        "section_id": section_id, "event": on["title"], "section": at["name"], "tier": at["tier"],
        "starts_at": on["starts_at"], "event_status": on["status"], "seat": f"row 1 seat {key[2:]}",
        "price": at["price"], "fee": 4.0, "protection": 0.0, "bought_at": "2026-02-10T09:00:00",
        "refund_until": "2026-02-11T09:00:00", "status": "valid", **changes,
    }  # fmt: skip
    return {"max_ask": round(row["price"] * 1.1, 2), **row}


GUARDED: Row = {"protection": 3.0, "refund_until": "2026-04-09T19:30:00"}
FRESH: Row = {"bought_at": "2026-03-02T06:00:00", "refund_until": "2026-03-03T06:00:00"}
RECEIVED: Row = {"buyer_id": "F-2", "received": True, "refund_until": None}
TICKETS = keyed(
    ticket("T-1"),
    ticket("T-2", **GUARDED),
    ticket("T-3", **FRESH),
    ticket("T-4", "S-21", refund_until="2026-03-10T23:59:00"),
    ticket("T-5", "S-31", refund_until="2026-03-31T23:59:00"),
    ticket("T-6", **RECEIVED),
    ticket("T-7", status="listed", asks=31.0),
    ticket("T-8", status="sent", recipient="eve@mail.example"),
    ticket("T-9", "S-51", status="used"),
    ticket("T-10", "S-61"),
    ticket("T-11", "S-21", status="returned", refund_until=None),
    ticket("T-90", owner_id="F-2", buyer_id="F-2"),
)


def code(key: str, event_id: str, percent: int, until: str, fan: str = "F-1") -> Row:
    title = EVENTS[event_id]["title"]
    return {
        "id": key, "fan_id": fan, "event_id": event_id, "event": title, "percent_off": percent, "valid_until": until,
    }  # fmt: skip


STATE: dict[str, Any] = {
    "fan_id": "F-1",
    "fans": keyed(
        {"id": "F-1", "name": "Ada Berg", "email": "ada@mail.example", "friends": ["eve@mail.example"]},
        {"id": "F-2", "name": "Ben Cole", "email": "ben@mail.example", "friends": []},
    ),
    "events": EVENTS,
    "sections": SECTIONS,
    "codes": keyed(
        code("C-1", "E-1", 10, "2026-03-02"),
        code("C-2", "E-1", 20, "2026-03-01"),
        code("C-4", "E-4", 15, "2026-03-04"),
        code("C-9", "E-4", 15, "2026-03-04", "F-2"),
    ),
    "requests": REQUESTS,
    "tickets": TICKETS,
}


def desk(rows: dict[str, Rows] | None = None, now: str = NOW, **changes: Any) -> Desk:
    return Desk(EventTickets, STATE, rows=rows, now=dt.datetime.fromisoformat(now), **changes)


def events(key: str, **changes: Any) -> dict[str, Rows]:
    return {"events": keyed({**EVENTS[key], **changes})}


# -- events and sections


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["E-6", "E-3", "E-2", "E-1"]),
        ({"kind": "theatre"}, ["E-3", "E-1"]),
        ({"since": "2026-03-15"}, ["E-3", "E-2", "E-1"]),
        ({"since": "2026-03-16"}, ["E-2", "E-1"]),
        ({"until": "2026-03-20"}, ["E-6", "E-3", "E-2"]),
        ({"until": "2026-03-19", "kind": "sport"}, []),
        ({"since": "2026-03-20", "until": "2026-03-20"}, ["E-2"]),
        ({"page": 2}, []),
    ],
)
def test_events_of_a_city_are_found_by_day(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_events", city="Oslo", **arguments) == found


def test_events_are_described_in_order_and_only_while_they_have_not_begun() -> None:
    assert desk().gives("search_events", city="Rome")["events"] == [EVENTS["E-4"]]
    assert desk().ids("search_events", city="Paris") == []
    twin = {"events": keyed(event("E-0", "Faust", "theatre", "2026-04-10T19:30:00"))}
    assert desk(twin).ids("search_events", city="Oslo", since="2026-04-01") == ["E-0", "E-1"]
    assert "E-6" in desk(now="2026-03-02T21:59:00").ids("search_events", city="Oslo")
    assert "E-6" not in desk(now="2026-03-02T22:00:00").ids("search_events", city="Oslo")
    words = "The search would end on 2026-03-01, before it begins on 2026-03-02"
    desk().refuses("search_events", "invalid_argument", words, city="Oslo", since="2026-03-02", until="2026-03-01")


def test_an_event_is_shown_with_the_fan_s_own_codes_and_seats() -> None:
    assert desk().gives("get_event", event_id="E-1") == {
        "event_id": "E-1", "title": "Hamlet", "kind": "theatre", "status": "scheduled", "venue": "Oslo Hall",
        "address": "1 Mill Lane", "city": "Oslo", "starts_at": "2026-04-10T19:30:00", "limit": 12, "may_buy": 3,
        "resale_cap": 110, "codes": [STATE["codes"]["C-1"]],
    }  # fmt: skip
    moved = desk().gives("get_event", event_id="E-2")
    assert (moved["moved_from"], moved["refund_until"], moved["may_buy"]) == ("2026-03-05T20:00:00", "2026-03-10", 11)
    soon = desk().gives("get_event", event_id="E-4")
    assert (soon["presale_until"], soon["may_buy"], soon["codes"]) == ("2026-03-04", 3, [STATE["codes"]["C-4"]])
    assert "presale_until" not in desk(now="2026-03-05T00:00:00").gives("get_event", event_id="E-4")
    assert desk(events("E-1", limit=4)).gives("get_event", event_id="E-1")["may_buy"] == 0
    for gone in ("E-3", "E-5"):
        assert desk().gives("get_event", event_id=gone)["may_buy"] == 0, "there is nothing to ask for any more"
    desk().refuses("get_event", "not_found", "no event with the id 'E-99'", event_id="E-99")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-11", "S-12", "S-13"]),
        ({"seats": 1}, ["S-11", "S-12"]),
        ({"seats": 2}, ["S-11"]),
        ({"seats": 5}, ["S-11"]),
        ({"seats": 6}, []),
        ({"max_price": 45}, ["S-11", "S-12"]),
        ({"max_price": 44.99}, ["S-11"]),
        ({"max_price": 66, "seats": 1}, ["S-11", "S-12"]),
        ({"page": 2}, []),
    ],
)
def test_sections_are_found_the_cheapest_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_sections", event_id="E-1", **arguments) == found


def test_a_section_is_described_and_ties_are_in_order() -> None:
    assert desk().gives("find_sections", event_id="E-4")["sections"] == [SECTIONS["S-41"]]
    twin = {"sections": keyed(section("S-10", "E-1", "lodge", 45.0, 2))}
    assert desk(twin).ids("find_sections", event_id="E-1") == ["S-11", "S-10", "S-12", "S-13"]
    desk().refuses("find_sections", "not_found", "E-99", event_id="E-99")
    for seats in (0, 11):
        desk().refuses("find_sections", "invalid_argument", "seats", event_id="E-1", seats=seats)
    desk().refuses("find_sections", "invalid_argument", "max_price", event_id="E-1", max_price=0)


# -- asking for seats


def test_seats_are_held_for_a_quarter_of_an_hour() -> None:
    at = desk()
    held = at.gives("request_seats", section_id="S-11", seats=2)
    made = {
        "id": "SR-1001", "fan_id": "F-1", "event_id": "E-1", "section_id": "S-11", "event": "Hamlet",
        "section": "balcony", "seats": 2, "price": 30, "total": 68, "asked_at": NOW,
        "expires_at": "2026-03-02T09:15:00", "status": "held",
    }  # fmt: skip
    assert held == made
    assert at.changed() == {"requests.created": {"SR-1001": made}, "sections.changed": {"S-11": {"left": 3}}}


def test_the_last_seat_is_held_and_then_the_section_is_sold_out() -> None:
    at = desk()
    assert at.gives("request_seats", section_id="S-12", seats=1)["status"] == "held"
    assert at.changed()["sections.changed"] == {"S-12": {"left": 0, "status": "sold_out"}}


@pytest.mark.parametrize(("section_id", "seats"), [("S-12", 2), ("S-13", 1)])
def test_where_too_few_seats_are_left_a_request_waits_in_line(section_id: str, seats: int) -> None:
    at = desk()
    waits = at.gives("request_seats", section_id=section_id, seats=seats)
    assert (waits["status"], "expires_at" in waits) == ("waiting", False)
    assert waits["total"] == (SECTIONS[section_id]["price"] + 4) * seats
    assert at.changed() == {"requests.created": {"SR-1001": waits}}


def test_a_hold_ends_when_the_event_begins() -> None:
    at = desk(now="2026-03-02T21:50:00")
    assert at.gives("request_seats", section_id="S-61", seats=1)["expires_at"] == "2026-03-02T22:00:00"
    late = desk(now="2026-03-02T22:00:00")
    words = "The Quiet Choir began on 2026-03-02 22:00:00; search for another event"
    late.refuses("request_seats", "precondition_failed", words, section_id="S-61", seats=1)
    words = "Medea was cancelled; search for another event"
    desk().refuses("request_seats", "precondition_failed", words, section_id="S-31", seats=1)


def test_a_code_opens_the_presale_and_makes_seats_cheaper() -> None:
    at = desk()
    words = "The Paper Foxes is on sale for everybody from 2026-03-05; before that give a presale code"
    at.refuses("request_seats", "precondition_failed", words, section_id="S-41", seats=1)
    held = at.gives("request_seats", section_id="S-41", seats=3, code_id="C-4")
    assert (held["price"], held["total"]) == (42.93, 140.79)
    assert at.gives("request_seats", section_id="S-11", seats=1, code_id="C-1")["price"] == 27
    assert desk(now="2026-03-05T00:00:00").gives("request_seats", section_id="S-41", seats=1)["price"] == 50.5


@pytest.mark.parametrize(
    ("arguments", "refusal", "words"),
    [
        ({"section_id": "S-41", "code_id": "C-1"}, "invalid_argument", "for Hamlet, not for The Paper Foxes; leave it"),
        ({"section_id": "S-11", "code_id": "C-4"}, "invalid_argument", "for The Paper Foxes, not for Hamlet; leave it"),
        (
            {"section_id": "S-11", "code_id": "C-2"},
            "precondition_failed",
            "could be used until 2026-03-01; leave it out",
        ),
        ({"section_id": "S-41", "code_id": "C-9"}, "permission_denied", "That presale code belongs to somebody else"),
        ({"section_id": "S-41", "code_id": "C-99"}, "not_found", "C-99"),
        ({"section_id": "S-99"}, "not_found", "S-99"),
        ({"section_id": "S-11", "seats": 0}, "invalid_argument", "seats"),
        ({"section_id": "S-11", "seats": 11}, "invalid_argument", "seats"),
    ],
)
def test_codes_are_the_fan_s_own_for_the_event_and_valid(arguments: Row, refusal: str, words: str) -> None:
    desk().refuses("request_seats", refusal, words, **{"seats": 1, **arguments})


def test_the_limit_counts_what_was_bought_held_and_waited_for() -> None:
    words = "A fan may buy 12 tickets for Hamlet, so you can ask for 3 more; release a request or return tickets"
    desk().refuses("request_seats", "limit_exceeded", words, section_id="S-11", seats=4)
    at = desk()
    at.gives("request_seats", section_id="S-11", seats=2)
    at.refuses("request_seats", "limit_exceeded", "ask for 1 more", section_id="S-13", seats=2)
    at.gives("request_seats", section_id="S-13", seats=1)
    at.refuses("request_seats", "limit_exceeded", "ask for 0 more", section_id="S-11", seats=1)
    at.gives("release_request", request_id="R-2")
    at.gives("book_request", request_id="R-1")
    at.gives("send_ticket", ticket_id="T-1", email="eve@mail.example")
    at.refuses("request_seats", "limit_exceeded", "ask for 2 more", section_id="S-11", seats=3)
    at.gives("return_ticket", ticket_id="T-3")
    at.gives("request_seats", section_id="S-13", seats=3)


def test_what_was_sent_on_or_sold_still_counts_and_what_was_received_does_not() -> None:
    gone = {"tickets": keyed(*(ticket(f"T-5{n}", owner_id="F-2") for n in range(3)))}
    assert desk(gone).gives("get_event", event_id="E-1")["may_buy"] == 0
    back = {"tickets": keyed(ticket("T-1", status="returned", refund_until=None))}
    assert desk(back).gives("get_event", event_id="E-1")["may_buy"] == 4
    assert desk({"tickets": keyed(ticket("T-60", **RECEIVED))}).gives("get_event", event_id="E-1")["may_buy"] == 3


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["R-1", "R-2", "R-3", "R-4", "R-5"]),
        ({"status": "waiting"}, ["R-2"]),
        ({"event": "Lynx vs Rovers"}, ["R-4", "R-5"]),
        ({"event": "Lynx vs Rovers", "status": "expired"}, ["R-5"]),
        ({"event": "Faust"}, []),
        ({"page": 2}, []),
    ],
)
def test_the_fan_s_own_requests_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_seat_requests", **arguments) == found


def test_a_request_is_described() -> None:
    assert desk().gives("find_seat_requests", status="held")["requests"] == [REQUESTS["R-1"]]
    twin = {"requests": keyed(request("R-6", "S-12", 1, "held"))}
    assert desk(twin).ids("find_seat_requests", status="held") == ["R-6", "R-1"]


def test_held_seats_are_released() -> None:
    at = desk()
    released = at.gives("release_request", request_id="R-1")
    changes = {"status": "released", "expires_at": None}
    assert released == {key: value for key, value in {**REQUESTS["R-1"], **changes}.items() if value is not None}
    assert at.changed() == {"requests.changed": {"R-1": changes}, "sections.changed": {"S-11": {"left": 7}}}


def test_a_place_on_the_waiting_list_is_released() -> None:
    at = desk()
    at.gives("release_request", request_id="R-2")
    assert at.changed() == {"requests.changed": {"R-2": {"status": "released"}}}


def test_seats_that_become_free_go_to_whoever_waits_longest_and_needs_no_more() -> None:
    held = request("R-6", "S-13", 2, "held")
    later = request("R-92", "S-13", 1, "waiting", fan_id="F-2", asked_at="2026-02-27T09:00:00")
    at = desk({"requests": keyed(held, later)})
    at.gives("release_request", request_id="R-6")
    tomorrow = {"status": "held", "expires_at": "2026-03-03T09:00:00"}
    gone = {"status": "released", "expires_at": None}
    assert at.changed() == {"requests.changed": {"R-6": gone, "R-2": tomorrow}}
    at = desk({"requests": keyed({**held, "seats": 1}, later)})
    at.gives("release_request", request_id="R-6")
    assert at.changed() == {"requests.changed": {"R-6": gone, "R-90": tomorrow}}
    at = desk({"requests": keyed({**held, "seats": 4}, later)})
    at.gives("release_request", request_id="R-6")
    assert at.changed() == {"requests.changed": {"R-6": gone, "R-2": tomorrow, "R-90": tomorrow, "R-92": tomorrow}}


def test_who_asked_at_the_same_time_is_served_in_order() -> None:
    twin = request("R-89", "S-13", 1, "waiting", fan_id="F-2", asked_at="2026-02-26T09:00:00")
    at = desk({"requests": keyed(twin, request("R-6", "S-13", 1, "held"))})
    at.gives("release_request", request_id="R-6")
    assert sorted(at.changed()["requests.changed"]) == ["R-6", "R-89"]


@pytest.mark.parametrize(
    ("key", "instead"),
    [
        ("R-3", "is booked, so it cannot be {}; look at the tickets; return_ticket gives one back"),
        ("R-4", "is released, so it cannot be {}; ask for the seats anew"),
        ("R-5", "is expired, so it cannot be {}; ask for the seats anew"),
    ],
)
def test_only_live_requests_are_released_or_booked(key: str, instead: str) -> None:
    at = desk()
    at.refuses("release_request", "precondition_failed", instead.format("released"), request_id=key)
    at.refuses("book_request", "precondition_failed", instead.format("booked"), request_id=key)
    words = "The request is waiting, so it cannot be booked; wait for seats, or release it"
    at.refuses("book_request", "precondition_failed", words, request_id="R-2")


def test_held_seats_are_booked_and_each_becomes_a_ticket() -> None:
    at = desk()
    booking = at.gives("book_request", request_id="R-1")
    fields: Row = {
        "owner_id": "F-1", "buyer_id": "F-1", "received": False, "event_id": "E-1", "section_id": "S-11",
        "event": "Hamlet", "section": "balcony", "tier": "basic", "starts_at": "2026-04-10T19:30:00",
        "event_status": "scheduled", "price": 30, "fee": 4, "protection": 0, "bought_at": NOW,
        "refund_until": "2026-03-03T09:00:00", "max_ask": 33, "status": "valid",
    }  # fmt: skip
    tickets = [
        {"id": "ET-1001", "seat": "row 2 seat 19", **fields},
        {"id": "ET-1002", "seat": "row 2 seat 20", **fields},
    ]
    assert booking == {
        "request_id": "R-1", "event": "Hamlet", "section": "balcony", "seats": ["row 2 seat 19", "row 2 seat 20"],
        "tickets": tickets, "total": 68,
    }  # fmt: skip
    changed = at.changed()
    created = {
        key: {name: value for name, value in row.items() if value is not None}
        for key, row in changed.pop("tickets.created").items()
    }
    assert created == keyed(*tickets)
    assert changed == {
        "requests.changed": {"R-1": {"status": "booked", "expires_at": None}},
        "sections.changed": {"S-11": {"next_seat": 40}},
    }
    at.refuses("book_request", "precondition_failed", "booked", request_id="R-1")
    assert at.gives("book_request", request_id=at.gives("request_seats", section_id="S-11", seats=1)["id"])[
        "seats"
    ] == ["row 3 seat 1"]


def test_protection_costs_a_tenth_and_makes_tickets_returnable() -> None:
    booking = desk().gives("book_request", request_id="R-1", protect=True)
    assert (booking["protection"], booking["total"]) == (6, 74)
    assert [(t["protection"], t["refund_until"]) for t in booking["tickets"]] == [(3, "2026-04-09T19:30:00")] * 2
    cheap = {"requests": keyed(request("R-1", "S-11", 2, "held", price=27.27, total=62.54))}
    booking = desk(cheap).gives("book_request", request_id="R-1", protect=True)
    assert (booking["protection"], booking["total"]) == (5.46, 68)
    assert [(t["price"], t["max_ask"]) for t in booking["tickets"]] == [(27.27, 30)] * 2


def test_others_requests_are_out_of_reach() -> None:
    for tool in ("release_request", "book_request"):
        words = "That seat request belongs to somebody else"
        desk().refuses(tool, "permission_denied", words, request_id="R-91")
        desk().refuses(tool, "not_found", "no seat request with the id 'R-99'", request_id="R-99")


# -- holds that run out


@pytest.mark.parametrize(("now", "possible"), [("2026-03-02T09:09:59", True), ("2026-03-02T09:10:00", False)])
def test_a_hold_can_be_booked_until_it_runs_out(now: str, possible: bool) -> None:
    at = desk(now=now)
    if possible:
        at.gives("book_request", request_id="R-1")
    else:
        words = "The request is expired, so it cannot be booked; ask for the seats anew"
        at.refuses("book_request", "precondition_failed", words, request_id="R-1")


def test_a_hold_that_ran_out_is_over_for_whoever_looks_and_is_written_down_with_the_next_change() -> None:
    at = desk(now="2026-03-02T09:20:00")
    assert at.ids("find_seat_requests", status="held") == []
    assert at.ids("find_seat_requests", status="expired") == ["R-1", "R-5"]
    assert at.ids("find_sections", event_id="E-1", seats=7) == ["S-11"]
    assert at.gives("get_event", event_id="E-1")["may_buy"] == 5
    assert at.changed() == {}
    at.gives("return_ticket", ticket_id="T-4")
    over = {"status": "expired", "expires_at": None}
    assert at.changed()["requests.changed"] == {"R-1": over, "R-91": over}
    assert at.changed()["sections.changed"] == {"S-11": {"left": 7}, "S-21": {"left": 11}, "S-22": {"left": 4}}


def test_seats_of_a_hold_that_ran_out_are_held_for_a_day_from_then_for_who_waits() -> None:
    held = request("R-6", "S-13", 2, "held")
    at = desk({"requests": keyed(held)}, now="2026-03-02T12:00:00")
    assert [row["expires_at"] for row in at.gives("find_seat_requests", status="held")["requests"]] == [
        "2026-03-03T09:10:00"
    ]
    at.gives("book_request", request_id="R-2")
    nobody = desk({"requests": keyed(held)}, now="2026-03-03T09:10:00")
    assert nobody.ids("find_seat_requests", status="held") == []
    assert nobody.gives("release_request", request_id=nobody.gives("request_seats", section_id="S-13", seats=2)["id"])
    assert nobody.changed()["requests.changed"]["R-90"] == {"status": "held", "expires_at": "2026-03-04T09:10:00"}


def test_holds_that_ran_out_are_over_one_after_the_other() -> None:
    first = request("R-7", "S-13", 1, "held", fan_id="F-2", expires_at="2026-03-02T09:05:00")
    later = request("R-6", "S-13", 1, "held")
    at = desk({"requests": keyed(later, first)}, now="2026-03-02T12:00:00")
    at.gives("release_request", request_id="R-2")
    assert at.changed()["requests.changed"]["R-90"] == {"status": "held", "expires_at": "2026-03-03T09:05:00"}


def test_who_waits_until_the_event_begins_has_waited_in_vain() -> None:
    waits = {"requests": keyed(request("R-7", "S-61", 5, "waiting"))}
    assert "R-7" in desk(waits, now="2026-03-02T21:59:00").ids("find_seat_requests", status="waiting")
    late = desk(waits, now="2026-03-02T22:00:00")
    assert "R-7" in late.ids("find_seat_requests", status="expired")
    assert late.ids("find_sections", event_id="E-6", seats=4) == ["S-61"]
    assert late.ids("find_sections", event_id="E-6", seats=5) == []


def test_seats_for_who_waits_are_held_until_the_event_at_most_and_not_after_it_is_cancelled() -> None:
    full = {"sections": keyed(section("S-61", "E-6", "floor", 40.0, 0))}
    waits = keyed(request("R-7", "S-61", 1, "waiting"), request("R-8", "S-61", 1, "held"))
    at = desk({**full, "requests": waits})
    at.gives("release_request", request_id="R-8")
    assert at.changed()["requests.changed"]["R-7"] == {"status": "held", "expires_at": "2026-03-02T22:00:00"}
    gone = desk({"requests": keyed(request("R-7", "S-31", 1, "waiting"), request("R-8", "S-31", 1, "held"))})
    gone.gives("release_request", request_id="R-8")
    assert sorted(gone.changed()["requests.changed"]) == ["R-8"]
    assert gone.changed()["sections.changed"] == {"S-31": {"left": 8}}


# -- tickets


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["T-10", "T-5", "T-11", "T-4", "T-1"]),
        ({"page": 2}, ["T-2", "T-3", "T-6", "T-7", "T-8"]),
        ({"page": 3}, ["T-9"]),
        ({"status": "listed"}, ["T-7"]),
        ({"event": "Lynx vs Rovers"}, ["T-11", "T-4"]),
        ({"event": "Lynx vs Rovers", "status": "valid"}, ["T-4"]),
        ({"event": "Faust"}, []),
    ],
)
def test_the_fan_s_own_tickets_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_my_tickets", **arguments) == found


def test_a_ticket_is_described_and_one_for_an_event_that_began_comes_last() -> None:
    assert desk().gives("find_my_tickets", status="sent")["tickets"] == [TICKETS["T-8"]]
    assert desk(now="2026-03-02T21:59:00").ids("find_my_tickets")[0] == "T-10"
    assert desk(now="2026-03-02T22:00:00").ids("find_my_tickets", page=3) == ["T-10"]


def test_a_ticket_is_checked() -> None:
    assert desk().gives("check_ticket", ticket_id="T-2") == {
        "ticket_id": "T-2", "event_id": "E-1", "event": "Hamlet", "section": "balcony", "seat": "row 1 seat 2",
        "starts_at": "2026-04-10T19:30:00", "status": "valid", "change_until": "2026-04-09T19:30:00", "max_ask": 33,
        "refund": 30, "refund_reason": "protected", "refund_until": "2026-04-09T19:30:00",
    }  # fmt: skip
    sent = desk().gives("check_ticket", ticket_id="T-8")
    assert (sent["recipient"], "refund" in sent, "asks" in sent) == ("eve@mail.example", False, False)
    assert desk().gives("check_ticket", ticket_id="T-7")["asks"] == 31
    fresh = {"tickets": keyed(ticket("T-3", **FRESH, status="sent", recipient="eve@mail.example"))}
    assert "refund" not in desk(fresh).gives("check_ticket", ticket_id="T-3"), "it has to be taken back first"
    received = desk().gives("check_ticket", ticket_id="T-6")
    assert ("refund" in received, "refund_until" in received) == (False, False)
    assert "change_until" not in desk().gives("check_ticket", ticket_id="T-5")
    assert "change_until" not in desk().gives("check_ticket", ticket_id="T-10")


@pytest.mark.parametrize(
    ("key", "now", "most"),
    [
        ("T-1", NOW, 33),
        ("T-7", NOW, 33),
        ("T-8", NOW, 33),
        ("T-1", "2026-04-09T19:30:00", 33),
        ("T-1", "2026-04-09T19:30:01", None),
        ("T-5", NOW, None),
        ("T-6", NOW, None),
        ("T-11", NOW, None),
    ],
)
def test_what_may_be_asked_is_told_while_a_ticket_can_be_sold(key: str, now: str, most: float | None) -> None:
    found = desk(now=now).gives("check_ticket", ticket_id=key)
    assert found.get("max_ask") == most
    assert ("change_until" in found) == (most is not None or key == "T-6")


def test_a_ticket_is_sent_to_a_friend_and_taken_back() -> None:
    at = desk()
    sent = at.gives("send_ticket", ticket_id="T-1", email="eve@mail.example")
    changes = {"status": "sent", "recipient": "eve@mail.example"}
    assert sent == {**TICKETS["T-1"], **changes}
    assert at.changed() == {"tickets.changed": {"T-1": changes}}
    words = "The ticket is sent, so it cannot be sent; take it back first"
    at.refuses("send_ticket", "precondition_failed", words, ticket_id="T-1", email="eve@mail.example")
    assert at.gives("take_back_ticket", ticket_id="T-1") == TICKETS["T-1"]
    assert at.changed() == {}


@pytest.mark.parametrize(
    "email",
    [
        "eve",
        "eve@",
        "@mail.example",
        "eve@mail",
        "eve berg@mail.example",
        "eve@mail.",
        "eve@.example",
        "eve@ada@mail.example",
        "",
    ],
)
def test_a_ticket_goes_to_an_address(email: str) -> None:
    words = f"{email!r} is no e-mail address; give one such as name@mail.example"
    desk().refuses("send_ticket", "invalid_argument", words, ticket_id="T-1", email=email)


def test_a_ticket_is_not_sent_to_oneself_but_a_received_one_can_be_sent_on() -> None:
    for email in ("ada@mail.example", "Ada@Mail.Example"):
        words = f"{email} is your own address; give that of whoever gets the ticket"
        desk().refuses("send_ticket", "invalid_argument", words, ticket_id="T-1", email=email)
    assert desk().gives("send_ticket", ticket_id="T-6", email="ben@mail.example")["status"] == "sent"


def test_a_ticket_is_offered_for_resale_at_another_price_and_withdrawn() -> None:
    at = desk()
    assert at.gives("sell_ticket", ticket_id="T-1", price=33) == {
        "ticket_id": "T-1", "event": "Hamlet", "seat": "row 1 seat 1", "asks": 33, "pays_out": 29.7,
    }  # fmt: skip
    assert at.changed() == {"tickets.changed": {"T-1": {"status": "listed", "asks": 33}}}
    words = "It is offered for 33.00 dollars already; give another price, or take it back"
    at.refuses("sell_ticket", "conflict", words, ticket_id="T-1", price=33)
    assert at.gives("sell_ticket", ticket_id="T-1", price=20.555)["pays_out"] == 18.5
    assert at.changed() == {"tickets.changed": {"T-1": {"status": "listed", "asks": 20.56}}}
    at.gives("take_back_ticket", ticket_id="T-1")
    assert at.changed() == {}


def test_no_more_is_asked_than_the_cap() -> None:
    words = "At most 33.00 dollars may be asked, 110 percent of what was paid; ask for so much or less"
    desk().refuses("sell_ticket", "limit_exceeded", words, ticket_id="T-1", price=33.01)
    desk().refuses("sell_ticket", "limit_exceeded", words, ticket_id="T-7", price=33.01)
    desk().refuses("sell_ticket", "invalid_argument", "price", ticket_id="T-1", price=0.99)
    assert desk().gives("sell_ticket", ticket_id="T-1", price=1)["pays_out"] == 0.9


@pytest.mark.parametrize(
    ("key", "status", "instead"),
    [
        ("T-1", "valid", "it is only yours as it is"),
        ("T-9", "used", "the event is over"),
        ("T-11", "returned", "ask for seats anew"),
    ],
)
def test_only_what_is_sent_or_listed_is_taken_back(key: str, status: str, instead: str) -> None:
    words = f"The ticket is {status}, so it cannot be taken back; {instead}"
    desk().refuses("take_back_ticket", "precondition_failed", words, ticket_id=key)


def test_tickets_for_a_cancelled_event_can_still_be_taken_back_to_return_them() -> None:
    at = desk({"tickets": keyed(ticket("T-5", "S-31", status="listed", asks=9.0, refund_until="2026-03-31T23:59:00"))})
    at.refuses("return_ticket", "precondition_failed", "take it back first", ticket_id="T-5")
    at.gives("take_back_ticket", ticket_id="T-5")
    assert at.gives("return_ticket", ticket_id="T-5")["refund"] == 54


CHANGES: list[tuple[str, str, Row]] = [
    ("send_ticket", "sent", {"email": "eve@mail.example"}),
    ("sell_ticket", "sold", {"price": 20.0}),
    ("find_upgrades", "upgraded", {}),
    ("swap_seat", "upgraded", {"section_id": "S-12"}),
]


@pytest.mark.parametrize(("tool", "done", "more"), CHANGES)
def test_tickets_can_be_changed_until_a_day_before_and_not_once_it_is_cancelled(
    tool: str, done: str, more: Row
) -> None:
    desk(now="2026-04-09T19:30:00").gives(tool, ticket_id="T-1", **more)
    words = f"Tickets for Hamlet could be {done} until 2026-04-09 19:30:00, 24 hours before it begins; keep the ticket"
    desk(now="2026-04-09T19:30:01").refuses(tool, "precondition_failed", words, ticket_id="T-1", **more)
    words = f"Medea was cancelled, so its tickets cannot be {done}; return them by 2026-03-31"
    desk().refuses(tool, "precondition_failed", words, ticket_id="T-5", **more)


@pytest.mark.parametrize(("tool", "done", "more"), CHANGES)
def test_tickets_that_are_used_returned_or_offered_are_not_changed(tool: str, done: str, more: Row) -> None:
    keys = {"T-8": "sent", "T-9": "used", "T-11": "returned", **({} if tool == "sell_ticket" else {"T-7": "listed"})}
    for key, status in keys.items():
        words = f"The ticket is {status}, so it cannot be {done}; "
        desk().refuses(tool, "precondition_failed", words, ticket_id=key, **more)


@pytest.mark.parametrize(
    ("tool", "done", "more"), [*CHANGES[1:], ("return_ticket", "returned", {})]
)  # fmt: skip
def test_a_received_ticket_is_not_sold_upgraded_or_returned(tool: str, done: str, more: Row) -> None:
    words = f"The ticket was sent to you by its buyer, so it cannot be {done}; you can use it or send it on"
    desk().refuses(tool, "precondition_failed", words, ticket_id="T-6", **more)


# -- upgrades


def test_dearer_sections_with_a_seat_left_are_found() -> None:
    assert desk().gives("find_upgrades", ticket_id="T-1")["upgrades"] == [
        {"id": "S-12", "event": "Hamlet", "name": "circle", "tier": "standard", "left": 1, "extra": 15}
    ]
    more = keyed(
        section("S-14", "E-1", "box", 60.0, 2), section("S-10", "E-1", "loge", 45.0, 2),
        section("S-15", "E-1", "gallery", 30.0, 2),
    )  # fmt: skip
    at = desk({"sections": more})
    assert at.ids("find_upgrades", ticket_id="T-1") == ["S-10", "S-12", "S-14"]
    assert at.ids("find_upgrades", ticket_id="T-1", max_extra=15) == ["S-10", "S-12"]
    assert at.ids("find_upgrades", ticket_id="T-1", max_extra=14.99) == []
    assert at.ids("find_upgrades", ticket_id="T-1", page=2) == []
    assert [row["extra"] for row in at.gives("find_upgrades", ticket_id="T-2")["upgrades"]] == [16.5, 16.5, 33]
    cheap = {"tickets": keyed(ticket("T-1", price=27.0))}
    assert desk(cheap).ids("find_upgrades", ticket_id="T-1") == ["S-12"]
    assert desk().ids("find_upgrades", ticket_id="T-4") == ["S-22"]
    desk().refuses("find_upgrades", "invalid_argument", "max_extra", ticket_id="T-1", max_extra=0)


def test_a_ticket_is_upgraded_for_the_difference() -> None:
    at = desk()
    better = at.gives("swap_seat", ticket_id="T-1", section_id="S-12")
    changes: Row = {
        "section_id": "S-12", "section": "circle", "tier": "standard", "seat": "row 2 seat 19", "price": 45,
        "max_ask": 49.5, "paid_on_top": 15,
    }  # fmt: skip
    assert better == {**TICKETS["T-1"], **changes}
    assert at.changed() == {
        "tickets.changed": {"T-1": changes},
        "sections.changed": {"S-11": {"left": 6}, "S-12": {"left": 0, "status": "sold_out", "next_seat": 39}},
    }
    at.refuses(
        "swap_seat", "conflict", "The circle is sold out; choose another section", ticket_id="T-3", section_id="S-12"
    )


def test_the_protection_of_an_upgraded_ticket_is_raised_with_its_price() -> None:
    better = desk().gives("swap_seat", ticket_id="T-2", section_id="S-12")
    assert (better["protection"], better["paid_on_top"], better["price"]) == (4.5, 16.5, 45)


def test_the_seat_that_an_upgrade_leaves_goes_to_who_waits() -> None:
    full = section("S-11", "E-1", "balcony", 30.0, 0)
    waits = request("R-7", "S-11", 1, "waiting", fan_id="F-2")
    at = desk({"sections": keyed(full), "requests": keyed(waits)})
    at.gives("swap_seat", ticket_id="T-1", section_id="S-12")
    assert at.changed()["requests.changed"] == {"R-7": {"status": "held", "expires_at": "2026-03-03T09:00:00"}}
    assert sorted(at.changed()["sections.changed"]) == ["S-12"]


def test_an_upgrade_goes_to_a_dearer_section_of_the_event() -> None:
    words = "The stalls is for Medea; choose a section of Hamlet (find_upgrades)"
    desk().refuses("swap_seat", "invalid_argument", words, ticket_id="T-1", section_id="S-31")
    words = "The stalls is sold out; choose another section (find_upgrades)"
    desk().refuses("swap_seat", "conflict", words, ticket_id="T-1", section_id="S-13")
    words = "The ticket is for the balcony already; choose a dearer section (find_upgrades)"
    cheap = desk({"tickets": keyed(ticket("T-1", price=27.0))})
    cheap.refuses("swap_seat", "conflict", words, ticket_id="T-1", section_id="S-11")
    even = desk({"sections": keyed(section("S-15", "E-1", "gallery", 30.0, 2))})
    words = "The gallery costs 30.00 dollars, and 30.00 was paid; an upgrade goes to a dearer section (find_upgrades)"
    even.refuses("swap_seat", "precondition_failed", words, ticket_id="T-1", section_id="S-15")
    desk().refuses("swap_seat", "not_found", "S-99", ticket_id="T-1", section_id="S-99")


# -- refunds


@pytest.mark.parametrize(
    ("key", "reason", "refund", "kept"),
    [
        ("T-2", "protected", 30, 7),
        ("T-3", "within_a_day", 30, 4),
        ("T-4", "event_moved", 24, 0),
    ],
)
def test_a_ticket_is_returned(key: str, reason: str, refund: float, kept: float) -> None:
    at = desk()
    row = TICKETS[key]
    assert at.gives("check_ticket", ticket_id=key)["refund"] == refund
    assert at.gives("return_ticket", ticket_id=key) == {
        "ticket_id": key, "event": row["event"], "reason": reason, "refund": refund, **({"kept": kept} if kept else {}),
    }  # fmt: skip
    place = row["section_id"]
    assert at.changed() == {
        "tickets.changed": {key: {"status": "returned", "refund_until": None}},
        "sections.changed": {place: {"left": SECTIONS[place]["left"] + 1}},
    }
    words = "The ticket is returned, so it cannot be returned; ask for seats anew"
    at.refuses("return_ticket", "precondition_failed", words, ticket_id=key)


def test_a_cancelled_event_pays_back_price_and_fee() -> None:
    guarded = {"tickets": keyed(ticket("T-5", "S-31", protection=5.0, refund_until="2026-03-31T23:59:00"))}
    assert desk(guarded).gives("return_ticket", ticket_id="T-5") == {
        "ticket_id": "T-5", "event": "Medea", "reason": "event_cancelled", "refund": 54, "kept": 5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "last", "late", "words"),
    [
        ("T-2", "2026-04-09T19:30:00", "2026-04-09T19:30:01", "until 2026-04-09 19:30:00, so it stays yours"),
        ("T-3", "2026-03-03T06:00:00", "2026-03-03T06:00:01", "until 2026-03-03 06:00:00; sell it for up to 33.00 dol"),
        ("T-4", "2026-03-10T23:59:00", "2026-03-11T00:00:00", "until 2026-03-10 23:59:00; sell it for up to 22.00 dol"),
        ("T-5", "2026-03-31T23:59:00", "2026-04-01T00:00:00", "until 2026-03-31 23:59:00, so it stays yours"),
    ],
)
def test_a_ticket_can_be_returned_until_its_last_moment(key: str, last: str, late: str, words: str) -> None:
    desk(now=last).gives("return_ticket", ticket_id=key)
    words = f"The ticket could be returned {words}"
    desk(now=late).refuses("return_ticket", "precondition_failed", words, ticket_id=key)


def test_the_best_ground_counts_and_a_day_to_think_it_over_ends_a_day_before_the_event() -> None:
    both = {"tickets": keyed(ticket("T-4", "S-21", **{**FRESH, "protection": 2.0}))}
    assert desk(both).gives("return_ticket", ticket_id="T-4")["reason"] == "event_moved"
    late = desk(events("E-2", refund_until="2026-03-01"), tickets=keyed(ticket("T-4", "S-21", **FRESH, protection=2.0)))
    assert late.gives("check_ticket", ticket_id="T-4")["refund_reason"] == "within_a_day"
    at = desk(events("E-1", starts_at="2026-03-03T08:00:00"))
    at.refuses("return_ticket", "precondition_failed", "so it stays yours", ticket_id="T-3")
    booked = desk(now="2026-03-02T21:00:00")
    request_id = booked.gives("request_seats", section_id="S-61", seats=1)["id"]
    (bought,) = booked.gives("book_request", request_id=request_id)["tickets"]
    assert bought["refund_until"] == "2026-03-01T22:00:00"


def test_a_day_to_think_it_over_is_none_for_a_cancelled_event() -> None:
    at = desk(events("E-3", refund_until="2026-03-01"), tickets=keyed(ticket("T-5", "S-31", **FRESH)))
    at.refuses("return_ticket", "precondition_failed", "so it stays yours", ticket_id="T-5")


def test_a_returned_ticket_goes_to_who_waits() -> None:
    at = desk({"tickets": keyed(ticket("T-3", "S-13", **FRESH))})
    at.gives("return_ticket", ticket_id="T-3")
    assert at.changed()["requests.changed"] == {"R-90": {"status": "held", "expires_at": "2026-03-03T09:00:00"}}
    assert "sections.changed" not in at.changed()


def test_only_a_valid_ticket_is_returned() -> None:
    for key, status in {"T-7": "listed", "T-8": "sent"}.items():
        words = f"The ticket is {status}, so it cannot be returned; take it back first"
        desk().refuses("return_ticket", "precondition_failed", words, ticket_id=key)
    words = "The ticket is used, so it cannot be returned; the event is over"
    desk().refuses("return_ticket", "precondition_failed", words, ticket_id="T-9")


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("check_ticket", {}),
        ("take_back_ticket", {}),
        ("return_ticket", {}),
        *[(tool, more) for tool, _, more in CHANGES],
    ],
)
def test_others_tickets_are_out_of_reach(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "That ticket belongs to somebody else", ticket_id="T-90", **more)
    desk().refuses(tool, "not_found", "no ticket with the id 'T-99'", ticket_id="T-99", **more)


# -- scenarios


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [10, 60, 300])
@pytest.mark.parametrize("now", [DEFAULT_NOW, dt.datetime(2026, 3, 7, 23, 30), dt.datetime(2026, 12, 31, 0, 5)])
def test_a_scenario_keeps_the_rules_of_the_box_office(seed: int, size: int, now: dt.datetime) -> None:
    world = build_scenario(EventTickets, seed, size, now)
    me, today, day = world.fan_id, now.date(), dt.timedelta(hours=24)
    mine = [row for row in world.tickets.values() if row.owner_id == me]
    asked = [row for row in world.requests.values() if row.fan_id == me]
    assert {row.status for row in mine} == {"valid", "sent", "listed", "returned", "used"}
    held = [row for row in asked if row.status == "held"]
    assert all(row.seats == 1 for row in held), "its ticket has no twin"
    assert {row.event_id for row in held}.isdisjoint(row.event_id for row in mine)
    assert {row.status for row in asked} == {"held", "waiting", "booked", "released", "expired"}
    assert {row.city for row in world.events.values()} == {
        row.city for row in world.events.values() if row.starts_at > now
    }
    assert len({row.city for row in world.events.values()}) == 8
    assert {row.status for row in world.events.values()} == {"scheduled", "moved", "cancelled"}
    assert any(row.on_sale_from > today for row in world.events.values()), "a presale"
    assert {row.valid_until >= today for row in world.codes.values() if row.fan_id == me} == {True, False}
    titles = [row.title for row in world.events.values()]
    assert len(titles) == len(set(titles))
    nights = [(row.venue, row.starts_at.date()) for row in world.events.values()]
    assert len(nights) == len(set(nights)), "one event a night in a venue"
    for event in world.events.values():
        assert (event.moved_from is not None) == (event.status == "moved")
        assert (event.refund_until is not None) == (event.status != "scheduled")
        bought = Counter(
            row.buyer_id for row in world.tickets.values() if row.event_id == event.id and row.status != "returned"
        )
        for row in world.requests.values():
            if row.event_id == event.id and row.status in ("held", "waiting"):
                bought[row.fan_id] += row.seats
        assert all(count <= event.limit for count in bought.values())
    for section in world.sections.values():
        event = world.events[section.event_id]
        facts = (event.title, event.starts_at, event.on_sale_from)
        assert (section.event, section.starts_at, section.on_sale_from) == facts
        closed = event.status == "cancelled" or event.starts_at <= now
        assert section.status == ("closed" if closed else "available" if section.left else "sold_out")
    for row in world.requests.values():
        section, event = world.sections[row.section_id], world.events[row.event_id]
        assert (row.event, row.section, section.event_id) == (event.title, section.name, event.id)
        assert row.total == pytest.approx((row.price + section.fee) * row.seats)
        assert row.asked_at <= now
        assert event.on_sale_from <= row.asked_at.date()
        assert (row.expires_at is not None) == (row.status == "held")
        assert row.expires_at is None or now < row.expires_at <= min(now + day, event.starts_at)
        assert row.status != "waiting" or section.left < row.seats, "whoever waits does not fit in"
    seats = [(row.section_id, row.seat) for row in world.tickets.values()]
    assert len(seats) == len(set(seats))
    for ticket in world.tickets.values():
        section, event = world.sections[ticket.section_id], world.events[ticket.event_id]
        assert (ticket.event, ticket.section, ticket.tier) == (event.title, section.name, section.tier)
        assert (ticket.starts_at, ticket.event_status) == (event.starts_at, event.status)
        assert ticket.max_ask == pytest.approx(ticket.price * event.resale_cap / 100, abs=0.006)
        assert ticket.protection in (0, pytest.approx(ticket.price / 10, abs=0.006))
        assert ticket.received == (ticket.buyer_id != ticket.owner_id)
        assert (ticket.refund_until is None) == (ticket.received or ticket.status == "returned")
        assert (ticket.status == "used") == (event.starts_at <= now)
        assert (ticket.recipient is not None) == (ticket.status == "sent")
        assert (ticket.asks is not None) == (ticket.status == "listed")
        assert ticket.asks is None or ticket.asks <= ticket.max_ask
        assert event.on_sale_from <= ticket.bought_at.date()
        assert ticket.bought_at < event.starts_at
        own = world.fans[ticket.owner_id].email
        assert ticket.recipient not in (own, world.fans[me].email)
    for fan in world.fans.values():
        assert world.fans[me].email not in fan.friends
