"""The railway, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.travel.rail_tickets import RailTickets
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at 2 March 2026, 9:00.


def train(key: str, day: str = "2026-03-20", departs: str = "10:00:00", **changes: Any) -> Row:
    return {
        "id": key, "number": f"IC {key[3:]}", "origin": "Oslo", "destination": "Rome", "day": day, "departs": departs,
        "arrives": "20:00:00", "minutes": 120, "direct": True, "price": 40.0, "first_price": 64.0, "second_left": 20,
        "first_left": 3, "platform": 4, "delay": 0, "status": "scheduled", **changes,
    }  # fmt: skip


TRAINS = keyed(
    train("TR-1", departs="08:00:00", price=50.0, minutes=90),
    train("TR-2", departs="12:00:00", price=30.0, minutes=200, direct=False),
    train("TR-3", departs="10:00:00", price=40.0, minutes=150),
    train("TR-4", "2026-03-02", "09:30:00"),
    train("TR-5", "2026-03-02", "09:00:00"),
    train("TR-6", "2026-03-21", status="cancelled"),
    train("TR-7", destination="Lisbon"),
    train("TR-8", origin="Lisbon"),
    train("TR-9", "2026-02-20", status="arrived", delay=60),
    train("TR-10", "2026-01-01", status="arrived", delay=120),
    train("TR-11", "2025-12-31", status="arrived", delay=120),
    train("TR-12", "2026-02-20", status="arrived", delay=59),
    train("TR-13", "2026-02-20", status="arrived", delay=119),
    train("TR-14", "2026-03-03"),
    *(train(f"TR-{n}", "2026-04-01", f"{n - 20:02}:00:00") for n in range(31, 38)),
)


def ticket(key: str, train_id: str, fare: str = "flex", **changes: Any) -> Row:
    row = TRAINS[train_id]
    shared = {name: row[name] for name in ("origin", "destination", "day", "departs")}
    return {
        "id": key, "passenger_id": "P-1", "train_id": train_id, "train_number": row["number"], **shared,
        "travel_class": "second", "fare": fare, "passengers": 1, "price": 68.0, "fees": 0.0, "seats": [],
        "status": "booked", **changes,
    }  # fmt: skip


TICKETS = keyed(
    ticket("T-1", "TR-3", "flex"),
    ticket("T-2", "TR-3", "semi_flex", passengers=2, price=104.0, fees=8.0, seats=[2, 3]),
    ticket("T-3", "TR-3", "saver", price=40.0),
    ticket("T-4", "TR-4", "semi_flex", price=52.0),
    ticket("T-5", "TR-5", "flex"),
    ticket("T-6", "TR-6", "saver", price=40.0),
    ticket("T-7", "TR-9", "saver", price=40.0, status="travelled"),
    ticket("T-8", "TR-10", "saver", price=40.0, status="travelled"),
    ticket("T-9", "TR-11", "saver", price=40.0, status="travelled"),
    ticket("T-10", "TR-12", "saver", price=40.0, status="travelled"),
    ticket("T-11", "TR-13", "saver", price=40.0, status="travelled"),
    ticket("T-12", "TR-3", "flex", status="refunded"),
    ticket("T-13", "TR-1", "flex", travel_class="first", price=108.8),
    ticket("T-14", "TR-14", "semi_flex", price=52.0),
    ticket("T-15", "TR-3", "flex", passenger_id="P-2", seats=[1]),
    ticket("T-16", "TR-3", "flex", passenger_id="P-2", seats=[4], status="refunded"),
)


def card(key: str, kind: str, until: str, passenger: str = "P-1") -> Row:
    return {"id": key, "passenger_id": passenger, "kind": kind, "valid_until": until, "price": 59.0}


def claim(key: str, ticket_id: str, payout: str, amount: float, filed_on: str, passenger: str = "P-1") -> Row:
    return {
        "id": key, "passenger_id": passenger, "ticket_id": ticket_id, "train_number": "IC 9", "destination": "Rome",
        "day": TICKETS[ticket_id]["day"], "delay": 60, "payout": payout, "amount": amount, "filed_on": filed_on,
    }  # fmt: skip


STATE = {
    "passenger_id": "P-1",
    "trains": TRAINS,
    "passengers": keyed(*({"id": f"P-{n}", "name": f"Ada {n}", "email": f"ada{n}@mail.example"} for n in (1, 2))),
    "railcards": keyed(card("C-9", "half", "2027-01-01", "P-2")),
    "tickets": TICKETS,
    "claims": {},
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(RailTickets, STATE, rows=rows, **changes)


ROUTE = {"origin": "Oslo", "destination": "Rome", "day": "2026-03-20"}


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["TR-1", "TR-3", "TR-2"]),
        ({"sort": "price"}, ["TR-2", "TR-3", "TR-1"]),
        ({"sort": "duration"}, ["TR-1", "TR-3", "TR-2"]),
        ({"direct": True}, ["TR-1", "TR-3"]),
        ({"max_price": 40}, ["TR-3", "TR-2"]),
        ({"max_price": 29.99}, []),
        ({"day": "2026-03-21"}, ["TR-6"]),
        ({"destination": "Lisbon"}, ["TR-7"]),
        ({"origin": "Lisbon"}, ["TR-8"]),
        ({"day": "2026-03-02"}, ["TR-4"]),
        ({"day": "2026-04-01"}, [f"TR-{n}" for n in range(31, 36)]),
        ({"day": "2026-04-01", "page": 2}, ["TR-36", "TR-37"]),
    ],
)
def test_trains_are_searched_by_what_is_asked(arguments: dict[str, Any], found: list[str]) -> None:
    assert desk().ids("search_trains", **{**ROUTE, **arguments}) == found


def test_trains_of_one_duration_come_by_departure() -> None:
    rows = {"trains": keyed(train("TR-1", departs="13:00:00", minutes=150), train("TR-2", minutes=160))}
    assert desk(rows).ids("search_trains", **ROUTE, sort="duration") == ["TR-3", "TR-1", "TR-2"]


def test_a_search_needs_two_cities_and_a_day_to_come() -> None:
    desk().refuses("search_trains", "invalid_argument", "leads to another city", **{**ROUTE, "destination": "Oslo"})
    words = "of 2026-03-01 have all left"
    desk().refuses("search_trains", "invalid_argument", words, **{**ROUTE, "day": "2026-03-01"})


def test_a_train_is_shown_whole() -> None:
    assert desk().gives("get_train", train_id="TR-9") == TRAINS["TR-9"]
    desk().refuses("get_train", "not_found", "no train with the id 'TR-99'", train_id="TR-99")


def fares(of: Desk, **arguments: Any) -> list[tuple[str, str, float]]:
    found = of.gives("list_fares", **arguments)["fares"]
    return [(offer["travel_class"], offer["fare"], offer["total"]) for offer in found]


def test_fares_follow_from_class_and_seats_left() -> None:
    second = [("second", "saver", 40.0), ("second", "semi_flex", 52.0), ("second", "flex", 68.0)]
    first = [("first", "semi_flex", 83.2), ("first", "flex", 108.8)]
    assert fares(desk(), train_id="TR-3") == second + first
    assert fares(desk(), train_id="TR-3", travel_class="first") == first
    assert fares(desk(), train_id="TR-3", travel_class="first", passengers=3) == [
        ("first", "semi_flex", 249.6),
        ("first", "flex", 326.4),
    ]
    assert fares(desk(), train_id="TR-3", travel_class="first", passengers=4) == []
    for left, kinds in ((8, ["semi_flex", "flex"]), (9, ["saver", "semi_flex", "flex"]), (0, [])):
        found = fares(desk({"trains": keyed(train("TR-3", second_left=left))}), train_id="TR-3", travel_class="second")
        assert [kind for _, kind, _ in found] == kinds


@pytest.mark.parametrize(
    ("cards", "total"),
    [
        ([card("C-1", "quarter", "2026-03-20")], 70.0),
        ([card("C-1", "quarter", "2026-03-19")], 80.0),
        ([card("C-1", "quarter", "2026-06-01"), card("C-2", "half", "2026-06-01")], 60.0),
    ],
)
def test_a_railcard_that_is_good_on_the_day_lowers_the_fare_of_its_holder(cards: list[Row], total: float) -> None:
    at = desk({"railcards": keyed(*cards)}, tickets={})
    assert fares(at, train_id="TR-3", passengers=2, travel_class="second")[0][2] == total
    assert at.gives("buy_ticket", train_id="TR-3", fare="saver", travel_class="second", passengers=2)["price"] == total


def test_a_ticket_is_bought_and_its_seats_are_gone() -> None:
    others = keyed(TICKETS["T-12"], TICKETS["T-15"])  # given back, and of somebody else
    at = desk(tickets=others)
    bought = at.gives("buy_ticket", train_id="TR-3", fare="semi_flex", travel_class="first", passengers=3)
    assert bought == ticket("TK-1001", "TR-3", "semi_flex", travel_class="first", passengers=3, price=249.6)
    assert at.changed() == {"tickets.created": {"TK-1001": bought}, "trains.changed": {"TR-3": {"first_left": 0}}}
    words = "You have a ticket for IC 3 on 2026-03-20 already"
    at.refuses("buy_ticket", "conflict", words, train_id="TR-3", fare="flex", travel_class="second")
    at = desk(tickets=others)
    assert at.gives("buy_ticket", train_id="TR-3", fare="flex", travel_class="second")["price"] == 68.0
    assert at.changed()["trains.changed"] == {"TR-3": {"second_left": 19}}


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"train_id": "TR-6"}, "precondition_failed", "IC 6 on 2026-03-21 is cancelled"),
        ({"train_id": "TR-5"}, "precondition_failed", "has left"),
        ({"train_id": "TR-99"}, "not_found", "TR-99"),
        ({"travel_class": "first", "fare": "saver"}, "conflict", "Savers for IC 3 in first class are sold out"),
        ({"travel_class": "first", "passengers": 4}, "conflict", "3 seats left"),
        ({"passengers": 5}, "invalid_argument", "passengers"),
        ({"passengers": 0}, "invalid_argument", "passengers"),
    ],
)
def test_a_ticket_that_cannot_be_had_is_refused(change: Row, code: str, words: str) -> None:
    arguments = {"train_id": "TR-3", "fare": "flex", "travel_class": "second", **change}
    desk(tickets={}).refuses("buy_ticket", code, words, **arguments)
    if change.keys() == {"train_id"}:
        desk().refuses("list_fares", code, words, **change)


def test_the_last_minute_is_early_enough() -> None:
    arguments = {"fare": "flex", "travel_class": "second"}
    almost = dt.datetime(2026, 3, 2, 9, 29)
    assert desk(now=almost, tickets={}).gives("buy_ticket", train_id="TR-4", **arguments)["id"] == "TK-1001"
    at = desk(now=dt.datetime(2026, 3, 2, 9, 30), tickets={})
    at.refuses("buy_ticket", "precondition_failed", "IC 4 on 2026-03-02 has left", train_id="TR-4", **arguments)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["T-9", "T-8", "T-7", "T-10", "T-11"]),
        ({"page": 3}, ["T-2", "T-3", "T-12", "T-6"]),
        ({"status": "refunded"}, ["T-12"]),
        ({"status": "travelled"}, ["T-9", "T-8", "T-7", "T-10", "T-11"]),
        ({"destination": "Lisbon"}, []),
    ],
)
def test_a_passenger_sees_only_own_tickets_by_departure(arguments: dict[str, Any], found: list[str]) -> None:
    rows = {"tickets": keyed(*(TICKETS[key] for key in ("T-7", "T-8", "T-9", "T-10", "T-11")))}
    assert sorted(desk(rows).ids("list_tickets", **arguments)) == sorted(found)
    if arguments.get("page") is None and found:
        days = [row["day"] for row in desk().gives("list_tickets", **arguments)["tickets"]]
        assert days == sorted(days)


def test_tickets_are_listed_by_day_then_departure_then_id() -> None:
    rows = keyed(*(TICKETS[key] for key in ("T-3", "T-1", "T-13", "T-8")), ticket("T-20", "TR-7", "flex"))
    at = desk(tickets=rows)
    assert at.ids("list_tickets") == ["T-8", "T-13", "T-1", "T-20", "T-3"]
    assert at.ids("list_tickets", destination="Lisbon") == ["T-20"]


def test_a_ticket_is_shown_to_its_passenger_alone() -> None:
    assert desk().gives("get_ticket", ticket_id="T-2") == TICKETS["T-2"]


ON_TICKETS = [
    ("get_ticket", {}),
    ("reserve_seats", {"position": "aisle"}),
    ("list_alternatives", {}),
    ("change_train", {"train_id": "TR-1"}),
    ("upgrade_ticket", {}),
    ("refund_ticket", {}),
    ("claim_delay", {"payout": "cash"}),
]


@pytest.mark.parametrize(("tool", "more"), ON_TICKETS)
def test_a_ticket_of_somebody_else_or_none_at_all_is_refused(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "belongs to somebody else", ticket_id="T-15", **more)
    desk().refuses(tool, "not_found", "no ticket with the id 'T-99'", ticket_id="T-99", **more)


DONE = {"reserve_seats": "given seats", "list_alternatives": "changed", "change_train": "changed"} | {
    "upgrade_ticket": "upgraded", "refund_ticket": "refunded"
}  # fmt: skip


@pytest.mark.parametrize(("tool", "more"), [pair for pair in ON_TICKETS if pair[0] in DONE])
def test_only_a_booked_ticket_whose_train_has_not_left_can_be_used(tool: str, more: Row) -> None:
    done = f"so it cannot be {DONE[tool]}"
    desk().refuses(tool, "precondition_failed", f"The ticket is refunded, {done}", ticket_id="T-12", **more)
    desk().refuses(tool, "precondition_failed", f"The ticket is travelled, {done}", ticket_id="T-7", **more)
    words = f"IC 5 has left, so the ticket cannot be {DONE[tool]}"
    desk().refuses(tool, "precondition_failed", words, ticket_id="T-5", **more)


def test_seats_are_the_lowest_free_ones_of_the_position() -> None:
    at = desk()
    # 1 is taken by somebody, 2 and 3 by another ticket of one's own; 4 was given back.
    assert at.gives("reserve_seats", ticket_id="T-1", position="window") == {**TICKETS["T-1"], "seats": [4]}
    assert at.changed() == {"tickets.changed": {"T-1": {"seats": [4]}}}
    assert at.gives("reserve_seats", ticket_id="T-3", position="aisle") == {**TICKETS["T-3"], "seats": [6], "fees": 4.0}
    moved = at.gives("reserve_seats", ticket_id="T-2", position="window")
    assert (moved["seats"], moved["fees"]) == ([5, 8], 16.0)
    at.refuses("reserve_seats", "invalid_argument", "window seats already", ticket_id="T-2", position="window")


def test_a_ticket_with_mixed_seats_may_have_them_all_alike() -> None:
    at = desk({"tickets": keyed({**TICKETS["T-2"], "seats": [4, 6]})})
    assert at.gives("reserve_seats", ticket_id="T-2", position="window")["seats"] == [5, 8]


def test_seats_in_first_class_are_free_and_their_own() -> None:
    at = desk({"tickets": keyed(ticket("T-13", "TR-3", "saver", travel_class="first"))})
    first = at.gives("reserve_seats", ticket_id="T-13", position="window")
    assert (first["seats"], first["fees"]) == ([1], 0.0)


def test_there_are_no_more_seats_than_a_class_has() -> None:
    others = [ticket(f"T-{50 + n}", "TR-3", travel_class="first", passenger_id="P-2", seats=[n]) for n in (2, 3, 6, 7)]
    mine = ticket("T-13", "TR-3", travel_class="first", passengers=2, price=100.0)
    at = desk({"tickets": keyed(mine, *others)})
    assert at.gives("reserve_seats", ticket_id="T-13", position="aisle")["seats"] == [10, 11]
    at = desk({"tickets": keyed(mine, *others, ticket("T-60", "TR-3", travel_class="first", seats=[10]))})
    at.refuses("reserve_seats", "conflict", "IC 3 has 1 aisle seats left", ticket_id="T-13", position="aisle")


def test_the_last_seat_of_a_class_is_its_last_number() -> None:
    windows = [ticket(f"T-{50 + n}", "TR-3", travel_class="first", seats=[n]) for n in (1, 4, 5, 8, 9)]
    at = desk({"tickets": keyed(ticket("T-13", "TR-3", travel_class="first"), *windows)})
    assert at.gives("reserve_seats", ticket_id="T-13", position="window")["seats"] == [12]
    last = ticket("T-62", "TR-3", travel_class="first", seats=[12])
    at = desk({"tickets": keyed(ticket("T-13", "TR-3", travel_class="first"), *windows, last)})
    at.refuses("reserve_seats", "conflict", "has 0 window seats left", ticket_id="T-13", position="window")


def test_savers_are_sold_while_more_than_eight_seats_are_left() -> None:
    arguments = {"train_id": "TR-3", "fare": "saver", "travel_class": "second"}
    desk({"trains": keyed(train("TR-3", second_left=9))}, tickets={}).gives("buy_ticket", **arguments)
    eight = desk({"trains": keyed(train("TR-3", second_left=8))}, tickets={})
    eight.refuses("buy_ticket", "conflict", "Savers for IC 3 in second class are sold out", **arguments)


def test_a_cancelled_train_has_no_seats_and_no_first_class() -> None:
    desk().refuses("reserve_seats", "precondition_failed", "IC 6 is cancelled", ticket_id="T-6", position="aisle")
    desk().refuses("upgrade_ticket", "precondition_failed", "IC 6 is cancelled", ticket_id="T-6")


@pytest.mark.parametrize(
    ("train_id", "arguments", "found"),
    [
        ("TR-3", {}, ["TR-1", "TR-2"]),
        ("TR-1", {}, ["TR-3", "TR-2"]),
        ("TR-4", {}, ["TR-40"]),
        ("TR-6", {}, []),
        ("TR-37", {}, [f"TR-{n}" for n in range(31, 36)]),
        ("TR-37", {"page": 2}, ["TR-36"]),
        ("TR-14", {}, []),
    ],
)
def test_alternatives_run_on_the_same_route_and_day_with_seats_left(
    train_id: str, arguments: Row, found: list[str]
) -> None:
    more = keyed(train("TR-40", "2026-03-02", "09:01:00"), train("TR-41", "2026-03-03", status="cancelled"))
    at = desk({"trains": more}, tickets=keyed(ticket("T-50", train_id)))
    assert at.ids("list_alternatives", ticket_id="T-50", **arguments) == found


def test_an_alternative_has_seats_for_all() -> None:
    rows = {"trains": keyed(train("TR-1", departs="08:00:00", second_left=2), train("TR-2", second_left=1))}
    assert desk(rows, tickets=keyed(TICKETS["T-2"])).ids("list_alternatives", ticket_id="T-2") == ["TR-1"]


@pytest.mark.parametrize(("second", "first", "allowed"), [(0, 2, True), (20, 1, False)])
def test_a_change_is_to_seats_in_the_class_of_the_ticket(second: int, first: int, *, allowed: bool) -> None:
    mine = ticket("T-50", "TR-3", travel_class="first", passengers=2, price=217.6)
    at = desk({"trains": keyed(train("TR-1", second_left=second, first_left=first))}, tickets=keyed(mine))
    assert ("TR-1" in at.ids("list_alternatives", ticket_id="T-50")) is allowed
    if allowed:
        at.gives("change_train", ticket_id="T-50", train_id="TR-1")
        assert at.changed()["trains.changed"] == {"TR-1": {"first_left": 0}, "TR-3": {"first_left": 5}}
    else:
        at.refuses("change_train", "conflict", "1 seats left in first", ticket_id="T-50", train_id="TR-1")


def test_only_what_a_ticket_can_be_changed_to_is_an_alternative() -> None:
    at = desk()
    assert at.ids("list_alternatives", ticket_id="T-1") == ["TR-2"]  # there is a ticket for TR-1
    at.refuses("list_alternatives", "precondition_failed", "Saver tickets cannot be changed", ticket_id="T-3")
    at.refuses("list_alternatives", "precondition_failed", "until the day before", ticket_id="T-4")


@pytest.mark.parametrize(("until", "price"), [("2026-03-20", 63.75), ("2026-03-19", 85.0)])
def test_a_change_counts_a_railcard_that_is_good_on_the_day(until: str, price: float) -> None:
    mine = ticket("T-1", "TR-3", price=51.0)
    at = desk(tickets=keyed(mine), railcards=keyed(card("C-1", "quarter", until)))
    assert at.gives("change_train", ticket_id="T-1", train_id="TR-1")["to_pay"] == price - 51.0
    assert at.changed()["tickets.changed"]["T-1"]["price"] == price


def test_a_flex_ticket_changes_for_the_difference_alone() -> None:
    at = desk(tickets=keyed(TICKETS["T-1"]))
    assert at.gives("change_train", ticket_id="T-1", train_id="TR-1") == {
        "ticket_id": "T-1", "train_number": "IC 1", "departs": "08:00:00", "fee": 0.0, "to_pay": 17.0,
    }  # fmt: skip
    assert at.changed() == {
        "tickets.changed": {
            "T-1": {"train_id": "TR-1", "train_number": "IC 1", "departs": "08:00:00", "price": 85.0},
        },
        "trains.changed": {"TR-1": {"second_left": 19}, "TR-3": {"second_left": 21}},
    }


def test_a_semi_flex_ticket_changes_for_a_fee_and_loses_its_seats() -> None:
    at = desk()
    assert at.gives("change_train", ticket_id="T-2", train_id="TR-31") == {
        "ticket_id": "T-2", "train_number": "IC 31", "departs": "11:00:00", "fee": 16.0, "to_pay": 16.0,
    }  # fmt: skip
    assert at.changed()["tickets.changed"]["T-2"] == {
        "train_id": "TR-31", "train_number": "IC 31", "day": "2026-04-01", "departs": "11:00:00", "fees": 24.0,
        "seats": [],
    }  # fmt: skip
    assert at.changed()["trains.changed"] == {"TR-31": {"second_left": 18}, "TR-3": {"second_left": 22}}


def test_a_cheaper_train_pays_nothing_back() -> None:
    at = desk()
    assert at.gives("change_train", ticket_id="T-1", train_id="TR-2")["to_pay"] == 0.0
    assert "price" not in at.changed()["tickets.changed"]["T-1"]


@pytest.mark.parametrize(
    ("ticket_id", "train_id", "code", "words"),
    [
        ("T-3", "TR-1", "precondition_failed", "Saver tickets cannot be changed"),
        ("T-4", "TR-1", "precondition_failed", "can be changed until the day before"),
        ("T-1", "TR-3", "invalid_argument", "for IC 3 already"),
        ("T-1", "TR-1", "conflict", "You have a ticket for IC 1 on 2026-03-20 already"),
        ("T-1", "TR-7", "invalid_argument", "IC 7 does not run from Oslo to Rome"),
        ("T-1", "TR-8", "invalid_argument", "IC 8 does not run from Oslo to Rome"),
        ("T-1", "TR-6", "precondition_failed", "is cancelled"),
        ("T-1", "TR-5", "precondition_failed", "has left"),
        ("T-1", "TR-99", "not_found", "TR-99"),
    ],
)
def test_a_change_that_the_fare_or_the_train_forbids_is_refused(
    ticket_id: str, train_id: str, code: str, words: str
) -> None:
    desk().refuses("change_train", code, words, ticket_id=ticket_id, train_id=train_id)


def test_a_change_needs_seats_for_all() -> None:
    at = desk({"trains": keyed(train("TR-1", second_left=1))}, tickets=keyed(TICKETS["T-2"]))
    at.refuses("change_train", "conflict", "1 seats left in second", ticket_id="T-2", train_id="TR-1")


def test_the_day_before_is_early_enough_for_semi_flex() -> None:
    alone = keyed(TICKETS["T-14"])
    assert desk(tickets=alone).gives("change_train", ticket_id="T-14", train_id="TR-3")["fee"] == 8.0
    assert desk().gives("refund_ticket", ticket_id="T-14") == {"ticket_id": "T-14", "fee": 12.0, "refund": 40.0}


def test_a_saver_for_a_cancelled_train_is_free_to_change_and_to_refund() -> None:
    alone = keyed(TICKETS["T-6"])
    assert desk(tickets=alone).gives("change_train", ticket_id="T-6", train_id="TR-3")["fee"] == 0.0
    assert desk().gives("refund_ticket", ticket_id="T-6") == {"ticket_id": "T-6", "fee": 0.0, "refund": 40.0}
    dearer = desk(tickets=alone)
    assert dearer.gives("change_train", ticket_id="T-6", train_id="TR-1")["to_pay"] == 0.0
    assert "price" not in dearer.changed()["tickets.changed"]["T-6"]
    late = desk({"trains": keyed(train("TR-4", "2026-03-02", "09:30:00", status="cancelled"))})
    assert late.gives("refund_ticket", ticket_id="T-4")["fee"] == 0.0


def test_a_cancelled_train_never_leaves() -> None:
    gone = {"trains": keyed(train("TR-5", "2026-03-02", "08:00:00", status="cancelled"))}
    mine = keyed(ticket("T-5", "TR-5", "saver", price=40.0))
    more = {"trains": {**gone["trains"], **keyed(train("TR-40", "2026-03-02", "09:01:00"))}}
    assert desk(gone, tickets=mine).gives("refund_ticket", ticket_id="T-5")["refund"] == 40.0
    assert desk(more, tickets=mine).ids("list_alternatives", ticket_id="T-5") == ["TR-40", "TR-4"]
    assert desk(gone, tickets=mine).gives("change_train", ticket_id="T-5", train_id="TR-3")["to_pay"] == 0.0


@pytest.mark.parametrize(("left", "price"), [(9, 64.0), (8, 83.2)])
def test_a_saver_is_upgraded_to_what_is_sold_in_first_class(left: int, price: float) -> None:
    at = desk({"trains": keyed(train("TR-3", first_left=left))})
    upgraded = at.gives("upgrade_ticket", ticket_id="T-3")
    assert (upgraded["fare"], upgraded["price"]) == ("saver", price)


def test_an_upgrade_costs_the_difference_and_moves_the_seats() -> None:
    at = desk()
    assert at.gives("upgrade_ticket", ticket_id="T-2") == {
        **TICKETS["T-2"], "travel_class": "first", "price": 166.4, "seats": []
    }  # fmt: skip
    assert at.changed() == {
        "tickets.changed": {"T-2": {"travel_class": "first", "price": 166.4, "seats": []}},
        "trains.changed": {"TR-3": {"first_left": 1, "second_left": 22}},
    }
    assert at.gives("upgrade_ticket", ticket_id="T-3")["price"] == 83.2
    at.refuses("upgrade_ticket", "conflict", "0 seats left in first class", ticket_id="T-1")
    at.refuses("upgrade_ticket", "invalid_argument", "first class already", ticket_id="T-13")


def test_an_upgrade_never_pays_back() -> None:
    at = desk({"railcards": keyed(card("C-1", "half", "2027-01-01"))})
    assert at.gives("upgrade_ticket", ticket_id="T-1")["price"] == 68.0


def test_a_refund_keeps_what_the_fare_says() -> None:
    at = desk()
    assert at.gives("refund_ticket", ticket_id="T-2") == {"ticket_id": "T-2", "fee": 24.0, "refund": 80.0}
    assert at.changed() == {
        "tickets.changed": {"T-2": {"status": "refunded", "seats": []}},
        "trains.changed": {"TR-3": {"second_left": 22}},
    }
    assert at.gives("refund_ticket", ticket_id="T-13") == {"ticket_id": "T-13", "fee": 0.0, "refund": 108.8}
    assert at.changed()["trains.changed"]["TR-1"] == {"first_left": 4}
    at.refuses("refund_ticket", "precondition_failed", "Saver tickets cannot be refunded", ticket_id="T-3")
    at.refuses("refund_ticket", "precondition_failed", "can be refunded until the day before", ticket_id="T-4")


def test_the_fee_is_never_more_than_the_price() -> None:
    at = desk({"tickets": keyed(ticket("T-14", "TR-14", "semi_flex", price=10.0))})
    assert at.gives("refund_ticket", ticket_id="T-14") == {"ticket_id": "T-14", "fee": 10.0, "refund": 0.0}


@pytest.mark.parametrize(
    ("ticket_id", "payout", "amount", "delay"),
    [
        ("T-7", "cash", 10.0, 60),
        ("T-7", "vouchers", 11.0, 60),
        ("T-8", "cash", 20.0, 120),
        ("T-8", "vouchers", 22.0, 120),
        ("T-11", "cash", 10.0, 119),
    ],
)
def test_a_delay_pays_by_its_length(ticket_id: str, payout: str, amount: float, delay: int) -> None:
    at = desk()
    filed = at.gives("claim_delay", ticket_id=ticket_id, payout=payout)
    assert filed == {
        **claim("DC-1001", ticket_id, payout, amount, "2026-03-02"),
        "train_number": TICKETS[ticket_id]["train_number"],
        "delay": delay,
    }
    assert at.changed() == {"claims.created": {"DC-1001": filed}}
    at.refuses("claim_delay", "conflict", "already", ticket_id=ticket_id, payout="cash")


def test_fees_are_no_part_of_what_a_delay_pays() -> None:
    at = desk({"tickets": keyed(ticket("T-7", "TR-9", price=40.0, fees=8.0, status="travelled"))})
    assert at.gives("claim_delay", ticket_id="T-7", payout="cash")["amount"] == 10.0


def test_a_claim_that_is_not_due_is_refused() -> None:
    at = desk()
    at.refuses("claim_delay", "precondition_failed", "over 60 days ago", ticket_id="T-9", payout="cash")
    at.refuses("claim_delay", "precondition_failed", "59 minutes late", ticket_id="T-10", payout="cash")
    at.refuses("claim_delay", "precondition_failed", "booked, so it cannot be claimed", ticket_id="T-1", payout="cash")


def test_claims_are_listed_the_latest_first_with_their_sum() -> None:
    claims = keyed(
        claim("D-1", "T-7", "cash", 10.1, "2026-02-22"),
        claim("D-2", "T-8", "vouchers", 22.0, "2026-03-01"),
        claim("D-3", "T-11", "cash", 5.2, "2026-02-25"),
        claim("D-9", "T-16", "cash", 99.0, "2026-02-25", "P-2"),
    )
    at = desk(claims=claims)
    assert at.ids("list_claims") == ["D-2", "D-3", "D-1"]
    assert at.gives("list_claims")["paid"] == 37.3
    assert at.ids("list_claims", payout="cash") == ["D-3", "D-1"]
    assert at.gives("list_claims", payout="cash", page=2) == {
        "total": 2, "page": 2, "pages": 1, "claims": [], "paid": 15.3
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "price"), [("quarter", 59.0), ("half", 199.0)])
def test_a_railcard_is_good_for_a_year(kind: str, price: float) -> None:
    at = desk()
    bought = at.gives("buy_railcard", kind=kind)
    assert bought == {"id": "RC-1001", "passenger_id": "P-1", "kind": kind, "valid_until": "2027-03-02", "price": price}
    assert at.changed() == {"railcards.created": {"RC-1001": bought}}
    at.refuses("buy_railcard", "conflict", f"hold a {kind} fare card until 2027-03-02 already", kind=kind)


def test_railcards_are_listed_the_one_that_is_good_longest_first() -> None:
    cards = keyed(*(card(f"C-{n}", "quarter", f"2026-0{n}-01") for n in (4, 6, 5, 3, 7, 2)), card("C-9", "half",
                  "2027-01-01", "P-2"))  # fmt: skip
    at = desk(railcards=cards)
    assert at.ids("list_railcards") == ["C-7", "C-6", "C-5", "C-4", "C-3"]
    assert at.ids("list_railcards", page=2) == ["C-2"]


@pytest.mark.parametrize(
    ("held", "until", "kind", "allowed"),
    [
        ("quarter", "2026-04-01", "quarter", True),
        ("quarter", "2026-04-02", "quarter", False),
        ("quarter", "2026-12-01", "half", True),
        ("half", "2026-12-01", "quarter", False),
    ],
)
def test_a_railcard_is_replaced_in_its_last_month_or_by_a_better_one(
    held: str, until: str, kind: str, *, allowed: bool
) -> None:
    at = desk({"railcards": keyed(card("C-1", held, until))})
    assert at("buy_railcard", kind=kind).ok is allowed


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(RailTickets, seed, size, DEFAULT_NOW)
    mine = [row for row in world.tickets.values() if row.passenger_id == world.passenger_id]
    assert {row.status for row in mine} == {"booked", "travelled", "refunded"}
    assert {row.fare for row in mine if row.status == "booked"} == {"saver", "semi_flex", "flex"}
    trains = list(world.trains.values())
    assert any(train.second_left == 0 for train in trains), "sold out"
    assert any(0 < train.second_left <= 8 for train in trains), "no savers any more"
    assert {train.delay >= 60 for train in trains if train.status == "arrived"} == {True, False}
    assert any(world.trains[row.train_id].status == "cancelled" for row in mine)
    routes = [(train.origin, train.destination, train.day) for train in trains]
    assert max(routes.count(route) for route in routes) > 5, "a search has a second page"
    assert len({train.number for train in trains}) == len(trains)
    assert all(train.departs < train.arrives for train in trains), "on one day"
    assert all(row.price == {"quarter": 59, "half": 199}[row.kind] for row in world.railcards.values())
    (mine_card,) = (row for row in world.railcards.values() if row.passenger_id == world.passenger_id)
    factor = {"saver": 1.0, "semi_flex": 1.3, "flex": 1.7}
    for row in mine:
        of = world.trains[row.train_id]
        each = (of.first_price if row.travel_class == "first" else of.price) * factor[row.fare]
        off = 0.25 if mine_card.valid_until >= row.day else 0.0
        assert row.price == pytest.approx(each * (row.passengers - off), abs=0.02)
    held = [(row.passenger_id, row.train_id) for row in world.tickets.values() if row.status == "booked"]
    assert len(set(held)) == len(held), "nobody holds two tickets for one train"
    assert any(row.seats and row.fees for row in mine)
