"""The auction house, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

from typing import Any

import pytest

from envfactory.catalogue.commerce import _auction_rules as rules
from envfactory.catalogue.commerce.auction_house import AuctionHouse
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.

EARLIER = "2026-02-28T09:00:00"
NOW = "2026-03-02T09:00:00"


def sale(key: str, name: str, category: str = "watches", kind: str = "online", **changes: Any) -> Row:
    """A sale that runs and takes no items any more."""
    return {
        "id": key, "name": name, "category": category, "kind": kind, "city": "Oslo",
        "opens_at": "2026-02-20T10:00:00", "held_at": "2026-03-05T19:00:00", "consign_until": "2026-02-15", "places": 3,
        **changes,
    }  # fmt: skip


SALES = keyed(
    sale("S-1", "Midweek Watches"),
    sale("S-2", "Oslo Watches", kind="live"),
    sale("S-3", "Summer Watches", opens_at="2026-03-20T10:00:00", held_at="2026-03-25T19:00:00",
         consign_until="2026-03-02"),
    sale("S-4", "Full Watches", opens_at="2026-03-20T10:00:00", held_at="2026-03-24T19:00:00",
         consign_until="2026-03-10", places=0),
    sale("S-5", "Spring Books", "books", opens_at="2026-03-20T10:00:00", held_at="2026-03-28T19:00:00",
         consign_until="2026-03-10", places=1),
    sale("S-6", "Winter Watches", held_at="2026-02-25T19:00:00"),
    sale("S-7", "Late Books", "books", consign_until="2026-03-01", held_at="2026-03-02T08:30:00"),
    sale("S-8", "Early Books", "books", "live", held_at="2026-03-29T19:00:00"),
)  # fmt: skip


def lot(key: str, sale_id: str = "S-1", **changes: Any) -> Row:
    """A lot that starts at $100 and that nobody has bid on."""
    of = SALES[sale_id]
    return {
        "id": key, "sale_id": sale_id, "sale_name": of["name"], "number": int(key[2:]), "kind": of["kind"],
        "title": f"watch {key[2:]}", "category": of["category"], "size": "small", "estimate_low": 200.0,
        "estimate_high": 300.0, "starting_price": 100.0, "price": 100.0, "bids": 0, "leader": "nobody",
        "reserve": "none", "next_bids": [100.0, 110.0, 120.0], "opens_at": of["opens_at"],
        "bids_until": "2026-03-05T17:00:00" if of["kind"] == "live" else "2026-03-05T19:02:00", "watched": False,
        "watchers": 0, "own": False, "status": "listed", **changes,
    }  # fmt: skip


def step(maximum: float, placed_at: str = EARLIER) -> Row:
    return {"maximum": maximum, "placed_at": placed_at}


def bid(key: str, lot_id: str, *steps: Row, bidder: str = "B-1", status: str = "leading", **changes: Any) -> Row:
    return {
        "id": key, "bidder_id": bidder, "lot_id": lot_id, "title": f"watch {lot_id[2:]}", "kind": "online",
        "maximum": steps[-1]["maximum"], "steps": list(steps), "bids_until": "2026-03-05T19:02:00", "status": status,
        **changes,
    }  # fmt: skip


LIVE: Row = {"kind": "live", "bids_until": "2026-03-05T17:00:00", "status": "waiting"}
LOTS = keyed(
    lot("L-1"),
    lot("L-2", price=210.0, bids=2, leader="me", next_bids=[310.0, 320.0, 330.0], watched=True, watchers=4),
    lot("L-3", price=260.0, bids=2, leader="somebody", next_bids=[270.0, 280.0, 290.0], estimate_low=150.0),
    lot("L-4", reserve="not_met", bids=1, leader="somebody", price=100.0, next_bids=[110.0, 120.0, 130.0]),
    lot("L-5", "S-2"),
    lot("L-6", "S-2", bids=1, next_bids=[100.0, 110.0]),
    lot("L-7", "S-3", opens_at="2026-03-20T10:00:00", bids_until="2026-03-25T19:02:00"),
    lot("L-8", "S-6", status="sold", price=400.0, bids=1, leader="me", next_bids=[], bids_until="2026-02-25T19:02:00"),
    lot("L-9", "S-6", status="unsold", next_bids=[], bids_until="2026-02-25T19:04:00", watched=True, watchers=1),
    lot("L-10", own=True, next_bids=[], reserve="not_met"),
    lot("L-11", "S-7", bids_until="2026-03-02T09:00:00"),
    lot(
        "L-12",
        "S-7",
        title="atlas",
        bids_until="2026-03-02T09:00:01",
        price=90.0,
        starting_price=90.0,
        next_bids=[90.0, 95.0, 100.0],
    ),
    lot("L-13", own=True, next_bids=[], bids=1, leader="somebody"),
    lot("L-14", status="withdrawn"),
)
BIDS = keyed(
    bid("M-1", "L-2", step(300.0)),
    bid("M-2", "L-2", step(200.0), bidder="B-2", status="outbid"),
    bid("M-3", "L-3", step(250.0), status="outbid"),
    bid("M-4", "L-3", step(260.0), bidder="B-2"),
    bid("M-5", "L-4", step(120.0), bidder="B-2"),
    bid("M-6", "L-6", step(120.0), **LIVE),
    bid("M-7", "L-8", step(450.0), status="won", bids_until="2026-02-25T19:02:00"),
    bid("M-8", "L-13", step(130.0), bidder="B-2"),
)


def item(key: str, status: str = "unconsigned", **changes: Any) -> Row:
    return {
        "id": key, "owner_id": "B-1", "title": f"thing {key[2:]}", "category": "watches", "size": "small",
        "estimate_low": 200.0, "estimate_high": 300.0, "starting_price": 100.0, "reserves": [100.0, 150.0, 200.0],
        "valid_until": "2026-03-02", "status": status, **changes,
    }  # fmt: skip


def placed(lot_id: str, **changes: Any) -> Row:
    of = LOTS[lot_id]
    return {"sale_name": of["sale_name"], "lot_number": of["number"], "title": of["title"], **changes}


ITEMS = keyed(
    item("I-1", estimate_low=250.0),
    item("I-2", valid_until="2026-03-01"),
    item("I-3", "consigned", **placed("L-10", reserve=150.0)),
    item("I-4", "consigned", **placed("L-13"), estimate_low=900.0),
    item("I-5", "sold"),
    item("I-6", category="books"),
    item("I-7", owner_id="B-2"),
    item("I-8", "consigned", **placed("L-4", owner_id="B-2", reserve=150.0)),
)


def invoice(key: str, status: str = "due", **changes: Any) -> Row:
    """A small lot that was sold for $200, not decided how it is delivered."""
    return {
        "id": key, "bidder_id": "B-1", "title": f"prize {key[2:]}", "sale_name": "Winter Watches", "size": "small",
        "city": "Oslo", "hammer": 200.0, "premium": 50.0, "delivery": "undecided", "services": ["post", "courier"],
        "insured": False, "shipping": 0.0, "total": 250.0, "keep_until": "2026-03-18", "due_on": "2026-03-04",
        "status": status, **changes,
    }  # fmt: skip


BOOKED: Row = {"delivery": "collection", "slot_id": "C-1", "collect_at": "2026-03-03T10:00:00"}
INVOICES = keyed(
    invoice("N-1"),
    invoice("N-2", **BOOKED, due_on="2026-03-02"),
    invoice("N-3", "paid", **BOOKED),
    invoice("N-4", "paid", delivery="courier", shipping=40.0, total=290.0),
    invoice("N-5", "handed_over", delivery="post", shipping=15.0, total=265.0),
    invoice("N-6", size="large", services=["courier"], due_on="2026-03-01"),
    invoice("N-7", bidder_id="B-2"),
    invoice("N-8", delivery="collection", slot_id="C-7", collect_at="2026-03-02T14:00:00", due_on="2026-03-09"),
)


def slot(key: str, starts_at: str, free: int = 2, city: str = "Oslo") -> Row:
    return {"id": key, "city": city, "starts_at": starts_at, "free": free}


SLOTS = keyed(
    slot("C-1", "2026-03-03T10:00:00"),
    slot("C-2", "2026-03-18T10:00:00", 1),
    slot("C-3", "2026-03-19T10:00:00"),
    slot("C-4", "2026-03-04T10:00:00", 0),
    slot("C-5", "2026-03-04T14:00:00", city="Rome"),
    slot("C-6", "2026-03-02T16:00:00"),
    slot("C-7", "2026-03-02T14:00:00"),
    slot("C-8", "2026-03-04T10:00:00"),
    *(slot(f"C-{n}", f"2026-03-{n}T10:00:00") for n in (10, 11, 12)),
)
STATE: dict[str, Any] = {
    "bidder_id": "B-1",
    "bidders": keyed(
        {"id": "B-1", "name": "Ada Kim", "email": "ada@mail.example", "limit": 5000.0},
        {"id": "B-2", "name": "Leo Sato", "email": "leo@mail.example", "limit": 5000.0},
    ),
    "sales": SALES, "lots": LOTS, "bids": BIDS, "invoices": INVOICES, "slots": SLOTS, "items": ITEMS,
}  # fmt: skip
HELD = 300.0 + 120.0 + 4 * 200.0
"""What is committed at the start: one leading and one waiting maximum, and four unpaid lots."""


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(AuctionHouse, STATE, rows=rows, **changes)


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-7", "S-1", "S-2", "S-4", "S-3"]),
        ({"page": 2}, ["S-5", "S-8"]),
        ({"category": "books"}, ["S-7", "S-5", "S-8"]),
        ({"kind": "live"}, ["S-2", "S-8"]),
        ({"takes_items": True}, ["S-3", "S-5"]),
        ({"category": "ceramics"}, []),
    ],
)
def test_sales_that_are_not_over_are_listed_by_when_they_are_held(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_sales", **arguments) == found


def test_a_sale_is_over_with_its_last_lot() -> None:
    over = {**LOTS["L-12"], "bids_until": NOW}
    assert desk({"lots": keyed(over)}).ids("list_sales", category="books") == ["S-5", "S-8"]
    begins = sale("S-7", "Late Books", "books", held_at=NOW)
    assert desk({"lots": keyed(over), "sales": keyed(begins)}).ids("list_sales", category="books") == ["S-5", "S-8"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["L-12", "L-5", "L-6", "L-1", "L-10"]),
        ({"page": 2}, ["L-13", "L-2", "L-3", "L-4", "L-7"]),
        ({"category": "books"}, ["L-12"]),
        ({"sale_id": "S-2"}, ["L-5", "L-6"]),
        ({"sale_id": "S-3"}, ["L-7"]),
        ({"watched": True}, ["L-2"]),
        ({"watched": True, "status": "unsold"}, ["L-9"]),
        ({"status": "sold"}, ["L-8"]),
        ({"status": "withdrawn"}, ["L-14"]),
        ({"max_price": 99.0}, ["L-12"]),
        ({"max_price": 90.0}, ["L-12"]),
        ({"max_price": 210.0, "sale_id": "S-1"}, ["L-1", "L-10", "L-13", "L-2", "L-4"]),
        ({"sale_id": "S-1", "sort": "price"}, ["L-1", "L-10", "L-13", "L-4", "L-2"]),
        ({"sale_id": "S-1", "sort": "estimate"}, ["L-3", "L-1", "L-10", "L-13", "L-2"]),
    ],
)
def test_lots_are_found_by_what_they_are(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_lots", **arguments) == found


def test_a_sale_to_search_in_exists() -> None:
    desk().refuses("search_lots", "not_found", "no sale with the id 'S-99'", sale_id="S-99")


def test_a_lot_is_looked_at_with_its_sale_and_the_own_maximum() -> None:
    assert desk().gives("get_lot", lot_id="L-2") == {
        "lot_id": "L-2", "title": "watch 2", "number": 2, "sale_name": "Midweek Watches", "kind": "online",
        "city": "Oslo", "held_at": "2026-03-05T19:00:00", "opens_at": "2026-02-20T10:00:00",
        "bids_until": "2026-03-05T19:02:00", "estimate_low": 200.0, "estimate_high": 300.0, "price": 210.0,
        "increment": 10.0, "bids": 2, "leader": "me", "reserve": "none", "own_maximum": 300.0,
        "next_bids": [310.0, 320.0, 330.0], "with_premium": 262.5, "watched": True, "status": "listed",
    }  # fmt: skip
    assert "own_maximum" not in desk().gives("get_lot", lot_id="L-4")
    desk().refuses("get_lot", "not_found", "no lot with the id 'L-99'", lot_id="L-99")


@pytest.mark.parametrize(
    ("price", "increment", "with_premium"),
    [
        (95.0, 5.0, 118.75),
        (100.0, 10.0, 125.0),
        (490.0, 10.0, 612.5),
        (500.0, 25.0, 625.0),
        (975.0, 25.0, 1218.75),
        (1000.0, 50.0, 1250.0),
        (1950.0, 50.0, 2390.0),
        (2000.0, 100.0, 2450.0),
        (4900.0, 100.0, 5930.0),
        (5000.0, 250.0, 6050.0),
    ],
)
def test_increment_and_premium_follow_from_the_price(price: float, increment: float, with_premium: float) -> None:
    seen = desk({"lots": keyed(lot("L-1", price=price))}).gives("get_lot", lot_id="L-1")
    assert (seen["increment"], seen["with_premium"]) == (increment, with_premium)


# -- watching


def test_a_lot_is_watched_and_not_any_more() -> None:
    at = desk()
    assert at.gives("watch_lot", lot_id="L-1") == {**LOTS["L-1"], "watched": True, "watchers": 1}
    assert at.changed() == {"lots.changed": {"L-1": {"watched": True, "watchers": 1}}}
    at.refuses("watch_lot", "conflict", "You watch the watch 1 already", lot_id="L-1")
    assert at.gives("unwatch_lot", lot_id="L-1") == LOTS["L-1"]
    assert at.changed() == {}
    words = "watch 1 is not on your watch list; watch it first"
    at.refuses("unwatch_lot", "conflict", words, lot_id="L-1")
    assert at.gives("unwatch_lot", lot_id="L-2")["watchers"] == 3
    assert at.gives("unwatch_lot", lot_id="L-9")["watched"] is False
    at.gives("watch_lot", lot_id="L-7")


@pytest.mark.parametrize("tool", ["watch_lot", "place_bid"])
@pytest.mark.parametrize(
    ("lot_id", "words"),
    [
        ("L-8", "watch 8 is sold; search for one that is listed"),
        ("L-14", "watch 14 is withdrawn; search"),
        ("L-11", "watch 11 were taken until 2026-03-02 09:00:00; search for one that still takes them"),
    ],
)
def test_a_lot_that_is_over_is_neither_watched_nor_bid_on(tool: str, lot_id: str, words: str) -> None:
    more = {"maximum": 500.0} if tool == "place_bid" else {}
    desk().refuses(tool, "precondition_failed", words, lot_id=lot_id, **more)


# -- bidding


def test_a_first_bid_leads_at_the_starting_price() -> None:
    at = desk()
    assert at.gives("place_bid", lot_id="L-1", maximum=150.0) == {
        "bid_id": "MB-1001", "title": "watch 1", "maximum": 150.0, "status": "leading", "price": 100.0,
        "reserve": "none", "committed": HELD + 150.0,
    }  # fmt: skip
    made = bid("MB-1001", "L-1", step(150.0, NOW))
    after = {"bids": 1, "leader": "me", "next_bids": [160.0, 170.0, 180.0]}
    assert at.changed() == {"bids.created": {"MB-1001": made}, "lots.changed": {"L-1": after}}


def test_a_bid_on_the_starting_price_or_its_last_second_is_enough() -> None:
    at = desk()
    assert at.gives("place_bid", lot_id="L-1", maximum=100.0)["status"] == "leading"
    assert at.gives("place_bid", lot_id="L-12", maximum=90.0)["price"] == 90.0


@pytest.mark.parametrize(
    ("maximum", "status", "price", "next_bids", "theirs"),
    [
        (270.0, "leading", 270.0, [280.0, 290.0, 300.0], "outbid"),
        (280.0, "leading", 270.0, [290.0, 300.0, 310.0], "outbid"),
        (600.0, "leading", 270.0, [625.0, 650.0, 675.0], "outbid"),
    ],
)
def test_the_price_is_one_increment_above_the_second_maximum(
    maximum: float, status: str, price: float, next_bids: list[float], theirs: str
) -> None:
    at = desk()
    after = at.gives("place_bid", lot_id="L-3", maximum=maximum)
    assert (after["bid_id"], after["status"], after["price"]) == ("M-3", status, price)
    mine = {"maximum": maximum, "status": status, "steps": [step(250.0), step(maximum, NOW)]}
    lots = {"leader": "me", "price": price, "next_bids": next_bids}
    assert at.changed() == {
        "bids.changed": {"M-3": mine, "M-4": {"status": theirs}},
        "lots.changed": {"L-3": lots},
    }


def test_of_equal_maxima_the_earlier_leads_and_a_lower_one_raises_the_price() -> None:
    rows = keyed(lot("L-4", bids=1, leader="somebody", next_bids=[110.0, 120.0, 130.0]))
    free = {"items": keyed({**ITEMS["I-8"], "reserve": None})}
    at = desk({"lots": rows, **free})
    after = at.gives("place_bid", lot_id="L-4", maximum=120.0)
    assert (after["status"], after["price"], after["committed"]) == ("outbid", 120.0, HELD)
    at = desk({"lots": rows, **free})
    after = at.gives("place_bid", lot_id="L-4", maximum=110.0)
    assert (after["status"], after["price"]) == ("outbid", 120.0)
    seen = at.gives("get_lot", lot_id="L-4")
    assert (seen["leader"], seen["own_maximum"]) == ("somebody", 110.0)
    assert seen["next_bids"] == [130.0, 140.0, 150.0]


@pytest.mark.parametrize(("maximum", "price", "reserve"), [(140.0, 130.0, "not_met"), (150.0, 150.0, "met"),
                                                            (200.0, 150.0, "met")])  # fmt: skip
def test_the_price_rises_to_a_reserve_that_the_leader_would_pay(maximum: float, price: float, reserve: str) -> None:
    after = desk().gives("place_bid", lot_id="L-4", maximum=maximum)
    assert (after["status"], after["price"], after["reserve"]) == ("leading", price, reserve)


def test_a_price_above_the_reserve_is_not_lowered_to_it() -> None:
    low = {"items": keyed({**ITEMS["I-8"], "reserve": 100.0})}
    after = desk(low).gives("place_bid", lot_id="L-4", maximum=140.0)
    assert (after["price"], after["reserve"]) == (130.0, "met")


def test_a_reserve_is_not_met_while_bids_on_it_wait_or_once_they_are_gone() -> None:
    held = [item(key, "consigned", **placed(at, owner_id="B-2", reserve=150.0)) for key, at in
            (("I-21", "L-1"), ("I-22", "L-5"))]  # fmt: skip
    at = desk({"items": keyed(*held)})
    assert at.gives("place_bid", lot_id="L-5", maximum=500.0)["reserve"] == "not_met"
    assert at.gives("place_bid", lot_id="L-1", maximum=500.0)["reserve"] == "met"
    at.gives("retract_bid", bid_id="MB-1002", reason="a_wrong_amount")
    after = at.gives("get_lot", lot_id="L-1")
    assert (after["reserve"], after["leader"], after["price"]) == ("not_met", "nobody", 100.0)


def test_raising_an_own_leading_bid_leaves_the_price() -> None:
    at = desk()
    after = at.gives("place_bid", lot_id="L-2", maximum=310.0)
    assert (after["bid_id"], after["price"], after["committed"]) == ("M-1", 210.0, HELD + 10.0)
    mine = {"maximum": 310.0, "steps": [step(300.0), step(310.0, NOW)]}
    changed = at.changed()
    assert changed["bids.changed"] == {"M-1": mine}
    assert changed["lots.changed"] == {"L-2": {"next_bids": [320.0, 330.0, 340.0]}}


def test_a_maximum_counts_from_when_it_was_named_not_from_the_first_bid() -> None:
    rows = keyed(bid("M-4", "L-3", step(300.0, "2026-03-01T09:00:00"), bidder="B-2"))
    after = desk({"bids": rows}).gives("place_bid", lot_id="L-3", maximum=300.0)
    assert (after["status"], after["price"]) == ("outbid", 300.0)


def test_bids_are_taken_from_the_moment_at_which_a_lot_opens() -> None:
    opening = lot("L-7", "S-3", opens_at=NOW, bids_until="2026-03-25T19:02:00")
    assert desk({"lots": keyed(opening)}).gives("place_bid", lot_id="L-7", maximum=100.0)["status"] == "leading"


def test_bids_on_live_lots_wait_and_can_be_lowered() -> None:
    at = desk()
    after = at.gives("place_bid", lot_id="L-5", maximum=500.0)
    assert (after["status"], after["price"], after["committed"]) == ("waiting", 100.0, HELD + 500.0)
    made = bid("MB-1001", "L-5", step(500.0, NOW), **LIVE)
    assert at.changed() == {"bids.created": {"MB-1001": made}, "lots.changed": {"L-5": {"bids": 1}}}
    assert at.gives("place_bid", lot_id="L-6", maximum=100.0)["committed"] == HELD + 480.0
    assert at.changed()["bids.changed"] == {"M-6": {"maximum": 100.0, "steps": [step(100.0, NOW)]}}
    assert at.gives("get_lot", lot_id="L-6")["next_bids"] == [110.0, 120.0]


@pytest.mark.parametrize(
    ("lot_id", "maximum", "code", "words"),
    [
        ("L-1", 95.0, "invalid_argument", "$95 is too low: the watch 1 is bid from $100 on"),
        ("L-1", 105.0, "invalid_argument", "$105 is between two bids: bid $100 or $110"),
        ("L-1", 510.0, "invalid_argument", "$510 is between two bids: bid $500 or $525"),
        ("L-2", 300.0, "invalid_argument", "$300 is too low: the watch 2 is raised to $310 on"),
        ("L-2", 290.0, "invalid_argument", "raised to $310"),
        ("L-3", 260.0, "invalid_argument", "the watch 3 is bid from $270 on"),
        ("L-5", 90.0, "invalid_argument", "the watch 5 is bid from $100 on"),
        ("L-6", 120.0, "conflict", "You bid $120 on the watch 6 already; name another maximum"),
        ("L-7", 100.0, "precondition_failed", "taken from 2026-03-20 10:00:00; watch it until then"),
        ("L-10", 100.0, "permission_denied", "You consigned the watch 10, so you cannot bid on it"),
        ("L-1", 0.0, "invalid_argument", "maximum"),
        ("L-99", 100.0, "not_found", "no lot with the id 'L-99'"),
    ],
)
def test_a_maximum_that_cannot_be_is_refused(lot_id: str, maximum: float, code: str, words: str) -> None:
    desk().refuses("place_bid", code, words, lot_id=lot_id, maximum=maximum)


def with_limit(limit: float) -> Desk:
    return desk({"bidders": keyed({**STATE["bidders"]["B-1"], "limit": limit})})


def test_what_is_committed_stays_within_the_limit() -> None:
    at = with_limit(HELD + 100.0)
    words = "$100 of your limit of $1,320 is left; bid no more than that, or retract another bid"
    at.refuses("place_bid", "limit_exceeded", words, lot_id="L-1", maximum=110.0)
    at.refuses("place_bid", "limit_exceeded", "$100 of your limit", lot_id="L-3", maximum=270.0)
    at.gives("place_bid", lot_id="L-1", maximum=100.0)
    at.refuses("place_bid", "limit_exceeded", "$0 of your limit", lot_id="L-5", maximum=100.0)
    at.gives("retract_bid", bid_id="MB-1001", reason="a_wrong_amount")
    at.gives("place_bid", lot_id="L-5", maximum=100.0)


def test_a_raise_counts_only_once_against_the_limit() -> None:
    at = with_limit(HELD + 50.0)
    at.refuses("place_bid", "limit_exceeded", "$350 of your limit", lot_id="L-2", maximum=360.0)
    at.gives("place_bid", lot_id="L-2", maximum=350.0)
    at = with_limit(HELD)
    at.gives("place_bid", lot_id="L-6", maximum=110.0)
    at.refuses("place_bid", "limit_exceeded", "$120 of your limit", lot_id="L-6", maximum=130.0)
    with_limit(100.0).refuses("place_bid", "limit_exceeded", "$0 of your limit", lot_id="L-1", maximum=100.0)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["M-3", "M-1", "M-6", "M-7"]),
        ({"status": "leading"}, ["M-1"]),
        ({"status": "outbid"}, ["M-3"]),
        ({"status": "waiting"}, ["M-6"]),
        ({"status": "won"}, ["M-7"]),
        ({"status": "lost"}, []),
        ({"page": 2}, []),
    ],
)
def test_own_bids_are_listed_with_what_is_committed(arguments: Row, found: list[str]) -> None:
    page = desk().gives("list_bids", **arguments)
    assert [row["id"] for row in page["bids"]] == found
    assert (page["committed"], page["limit"]) == (HELD, 5000.0)


# -- retracting


def test_a_leading_bid_is_retracted_whole_and_the_next_one_leads() -> None:
    at = desk()
    raised = at.gives("place_bid", lot_id="L-2", maximum=400.0)
    assert raised["committed"] == HELD + 100.0
    assert at.gives("retract_bid", bid_id="M-1", reason="a_changed_description") == {
        "title": "watch 2", "status": "retracted", "price": 100.0, "committed": HELD - 300.0,
    }  # fmt: skip
    after = at.changed()
    mine = {"status": "retracted", "reason": "a_changed_description", "maximum": 400.0,
            "steps": [step(300.0), step(400.0, NOW)]}  # fmt: skip
    assert after["bids.changed"] == {"M-1": mine, "M-2": {"status": "leading"}}
    lots = {"price": 100.0, "bids": 1, "leader": "somebody", "next_bids": [110.0, 120.0, 130.0]}
    assert after["lots.changed"] == {"L-2": lots}
    words = "The bid is retracted, so it cannot be retracted"
    at.refuses("retract_bid", "precondition_failed", words, bid_id="M-1", reason="a_wrong_amount")
    assert at.gives("place_bid", lot_id="L-2", maximum=110.0)["bid_id"] == "MB-1001"


def test_the_only_bid_is_retracted_and_the_lot_is_as_before() -> None:
    at = desk()
    at.gives("place_bid", lot_id="L-1", maximum=150.0)
    at.gives("retract_bid", bid_id="MB-1001", reason="an_unreachable_seller")
    assert list(at.changed()) == ["bids.created"]
    at = desk()
    assert at.gives("retract_bid", bid_id="M-6", reason="a_wrong_amount")["committed"] == HELD - 120.0
    assert at.changed()["lots.changed"] == {"L-6": {"bids": 0, "next_bids": [100.0, 110.0, 120.0]}}
    assert at.gives("retract_bid", bid_id="M-3", reason="a_wrong_amount")["price"] == 100.0


def closing(until: str, *steps: Row) -> Desk:
    """A desk at which the lot of the leading bid closes soon."""
    rows = keyed(bid("M-1", "L-2", *steps, bids_until=until))
    return desk({"bids": rows, "lots": keyed({**LOTS["L-2"], "bids_until": until})})


@pytest.mark.parametrize(
    ("until", "placed_at", "stays"),
    [
        ("2026-03-02T21:00:01", EARLIER, False),
        ("2026-03-02T21:00:00", EARLIER, True),
        ("2026-03-02T21:00:00", "2026-03-02T07:59:59", True),
        ("2026-03-02T21:00:00", "2026-03-02T08:00:00", False),
        ("2026-03-02T09:00:01", NOW, False),
    ],
)
def test_in_the_last_twelve_hours_only_bids_of_the_last_hour_are_retracted(
    until: str, placed_at: str, stays: bool
) -> None:
    at = closing(until, step(300.0, placed_at))
    if stays:
        words = "watch 2 closes within 12 hours, and the bid of $300 is more than an hour old"
        at.refuses("retract_bid", "precondition_failed", words, bid_id="M-1", reason="a_wrong_amount")
    else:
        at.gives("retract_bid", bid_id="M-1", reason="a_wrong_amount")
        assert at.changed()["bids.changed"]["M-1"]["status"] == "retracted"


def test_close_to_the_end_a_raise_is_taken_back_but_not_the_bid() -> None:
    at = closing("2026-03-02T20:00:00", step(300.0))
    at.gives("place_bid", lot_id="L-2", maximum=350.0)
    at.gives("place_bid", lot_id="L-2", maximum=400.0)
    assert at.gives("retract_bid", bid_id="M-1", reason="a_wrong_amount") == {
        "title": "watch 2", "status": "leading", "maximum": 300.0, "price": 210.0, "committed": HELD,
    }  # fmt: skip
    assert at.changed() == {"bids.changed": {"M-1": {"reason": "a_wrong_amount"}}}
    words = "the bid of $300 is more than an hour old, so it stays"
    at.refuses("retract_bid", "precondition_failed", words, bid_id="M-1", reason="a_wrong_amount")


def test_a_bid_on_a_live_lot_is_retracted_until_it_is_handed_over() -> None:
    rows = keyed(bid("M-6", "L-6", step(120.0), **{**LIVE, "bids_until": "2026-03-02T09:00:01"}))
    desk({"bids": rows}).gives("retract_bid", bid_id="M-6", reason="a_wrong_amount")
    rows = keyed(bid("M-6", "L-6", step(120.0, NOW), **{**LIVE, "bids_until": NOW}))
    words = "Bidding on the watch 6 is over, so the bid stays"
    desk({"bids": rows}).refuses("retract_bid", "precondition_failed", words, bid_id="M-6", reason="a_wrong_amount")


@pytest.mark.parametrize(
    ("bid_id", "code", "words"),
    [
        ("M-2", "permission_denied", "belongs to somebody else"),
        ("M-7", "precondition_failed", "The bid is won"),
        ("M-99", "not_found", "no bid with the id 'M-99'"),
    ],
)
def test_bids_of_others_and_decided_ones_stay(bid_id: str, code: str, words: str) -> None:
    desk().refuses("retract_bid", code, words, bid_id=bid_id, reason="a_wrong_amount")


# -- won lots


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["N-6", "N-2", "N-1", "N-3", "N-4"]),
        ({"page": 2}, ["N-5", "N-8"]),
        ({"status": "due"}, ["N-6", "N-2", "N-1", "N-8"]),
        ({"status": "paid"}, ["N-3", "N-4"]),
        ({"status": "handed_over"}, ["N-5"]),
        ({"overdue": True}, ["N-6"]),
        ({"overdue": True, "status": "paid"}, []),
    ],
)
def test_own_invoices_are_listed_by_due_date(arguments: Row, found: list[str]) -> None:
    paid_late = {"invoices": keyed(invoice("N-5", "handed_over", due_on="2026-03-05"))}
    assert desk(paid_late).ids("list_invoices", **arguments) == found


def test_what_is_paid_is_not_overdue() -> None:
    rows = keyed(invoice("N-3", "paid", due_on="2026-02-20"))
    assert desk({"invoices": rows}).ids("list_invoices", overdue=True) == ["N-6"]


@pytest.mark.parametrize(
    ("size", "service", "insured", "shipping"),
    [
        ("small", "post", False, 15.0),
        ("small", "post", True, 18.0),
        ("small", "courier", False, 40.0),
        ("medium", "post", False, 35.0),
        ("medium", "courier", True, 73.0),
        ("large", "courier", False, 180.0),
    ],
)
def test_shipping_costs_by_size_and_insurance_by_value(size: str, service: str, insured: bool, shipping: float) -> None:
    at = desk({"invoices": keyed(invoice("N-1", size=size))})
    more = {"insured": True} if insured else {}
    changes = {"delivery": service, "shipping": shipping, "total": 250.0 + shipping, **more}
    assert at.gives("choose_shipping", invoice_id="N-1", service=service, **more) == {
        **invoice("N-1", size=size), **changes
    }  # fmt: skip
    assert at.changed() == {"invoices.changed": {"N-1": changes}}
    words = f"prize 1 goes by {service} already, {'insured' if insured else 'not insured'}"
    at.refuses("choose_shipping", "conflict", words, invoice_id="N-1", service=service, **more)
    at.gives("choose_shipping", invoice_id="N-1", service=service, insured=not insured)


def test_lots_go_by_post_up_to_a_thousand_dollars() -> None:
    assert rules.services_of("small", 1000.0) == ("post", "courier")
    assert rules.services_of("medium", 1050.0) == ("courier",)


def test_shipping_frees_the_slot_that_was_booked() -> None:
    at = desk()
    after = at.gives("choose_shipping", invoice_id="N-2", service="post")
    assert after == invoice("N-2", delivery="post", shipping=15.0, total=265.0, due_on="2026-03-02")
    assert at.changed()["slots.changed"] == {"C-1": {"free": 3}}


@pytest.mark.parametrize(
    ("invoice_id", "service", "code", "words"),
    [
        ("N-3", "post", "precondition_failed", "prize 3 is paid; shipping is chosen before it is paid"),
        ("N-5", "courier", "precondition_failed", "prize 5 is handed over"),
        ("N-6", "post", "precondition_failed", "too large or too valuable for the post; choose courier or collect it"),
        ("N-7", "post", "permission_denied", "belongs to somebody else"),
        ("N-8", "post", "precondition_failed", "2026-03-02 14:00:00 could be moved until the day before; come then"),
        ("N-99", "post", "not_found", "no invoice with the id 'N-99'"),
    ],
)
def test_shipping_that_cannot_be_is_refused(invoice_id: str, service: str, code: str, words: str) -> None:
    desk().refuses("choose_shipping", code, words, invoice_id=invoice_id, service=service)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"invoice_id": "N-1"}, ["C-1", "C-8", "C-10", "C-11", "C-12"]),
        ({"invoice_id": "N-3", "page": 2}, ["C-2"]),
        ({"invoice_id": "N-1", "day": "2026-03-04"}, ["C-8"]),
        ({"invoice_id": "N-1", "day": "2026-03-02"}, []),
    ],
)
def test_free_slots_are_listed_while_a_lot_is_kept(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_slots", **arguments) == found


def test_slots_are_for_own_lots_that_are_not_handed_over() -> None:
    desk().refuses("list_slots", "permission_denied", "somebody else", invoice_id="N-7")
    words = "The invoice is handed over, so it cannot be collected"
    desk().refuses("list_slots", "precondition_failed", words, invoice_id="N-5")
    desk().refuses("book_collection", "precondition_failed", words, invoice_id="N-5", slot_id="C-1")


def test_a_slot_is_booked_and_moved() -> None:
    at = desk()
    first = {"delivery": "collection", "slot_id": "C-2", "collect_at": "2026-03-18T10:00:00"}
    assert at.gives("book_collection", invoice_id="N-1", slot_id="C-2") == {**INVOICES["N-1"], **first}
    changed = at.changed()
    assert changed.keys() == {"invoices.changed", "slots.changed"}
    assert {**INVOICES["N-1"], **changed["invoices.changed"]["N-1"]} == {**INVOICES["N-1"], **first}
    assert changed["slots.changed"] == {"C-2": {"free": 0}}
    words = "The slot on 2026-03-18 10:00:00 is full; choose another one"
    at.refuses("book_collection", "conflict", words, invoice_id="N-2", slot_id="C-2")
    at.gives("book_collection", invoice_id="N-1", slot_id="C-8")
    assert at.changed()["slots.changed"] == {"C-8": {"free": 1}}
    words = "prize 1 is collected then already; choose another slot"
    at.refuses("book_collection", "conflict", words, invoice_id="N-1", slot_id="C-8")


def test_collecting_costs_no_shipping() -> None:
    sent = invoice("N-1", delivery="post", insured=True, shipping=18.0, total=268.0)
    after = desk({"invoices": keyed(sent)}).gives("book_collection", invoice_id="N-1", slot_id="C-8")
    assert (after["insured"], after["shipping"], after["total"]) == (False, 0.0, 250.0)


def test_a_paid_lot_is_collected_at_another_time_but_not_sent_ones() -> None:
    at = desk()
    assert at.gives("book_collection", invoice_id="N-3", slot_id="C-8")["collect_at"] == "2026-03-04T10:00:00"
    assert at.changed()["slots.changed"] == {"C-1": {"free": 3}, "C-8": {"free": 1}}
    words = "prize 4 is paid with delivery by courier, so it is sent to you"
    at.refuses("book_collection", "precondition_failed", words, invoice_id="N-4", slot_id="C-8")


@pytest.mark.parametrize(
    ("invoice_id", "slot_id", "code", "words"),
    [
        ("N-1", "C-5", "invalid_argument", "prize 1 is in Oslo from tomorrow to 2026-03-18; choose a slot there"),
        ("N-1", "C-6", "invalid_argument", "from tomorrow to 2026-03-18"),
        ("N-1", "C-3", "invalid_argument", "from tomorrow to 2026-03-18"),
        ("N-1", "C-4", "conflict", "The slot on 2026-03-04 10:00:00 is full"),
        ("N-8", "C-8", "precondition_failed", "could be moved until the day before; come then"),
        ("N-7", "C-8", "permission_denied", "belongs to somebody else"),
        ("N-1", "C-99", "not_found", "no slot with the id 'C-99'"),
    ],
)
def test_a_slot_that_cannot_be_is_refused(invoice_id: str, slot_id: str, code: str, words: str) -> None:
    desk().refuses("book_collection", code, words, invoice_id=invoice_id, slot_id=slot_id)


# -- own items


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["I-4", "I-1", "I-2", "I-3", "I-5"]),
        ({"page": 2}, ["I-6"]),
        ({"status": "unconsigned"}, ["I-1", "I-2", "I-6"]),
        ({"status": "consigned"}, ["I-4", "I-3"]),
        ({"status": "sold"}, ["I-5"]),
    ],
)
def test_own_items_are_listed_by_estimate(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_items", **arguments) == found


@pytest.mark.parametrize(("reserve", "said"), [(None, "none"), (150.0, "not_met")])
def test_an_item_becomes_the_next_lot_of_a_sale(reserve: float | None, said: str) -> None:
    at = desk()
    given = {} if reserve is None else {"reserve": reserve}
    changes = {"status": "consigned", "sale_name": "Summer Watches", "lot_number": 8, **given}
    assert at.gives("consign_item", item_id="I-1", sale_id="S-3", **given) == {**ITEMS["I-1"], **changes}
    made = lot(
        "L-8", "S-3", id="LT-1001", title="thing 1", estimate_low=250.0, own=True, next_bids=[], reserve=said,
        bids_until="2026-03-25T19:16:00",
    )  # fmt: skip
    assert at.changed() == {
        "items.changed": {"I-1": changes},
        "lots.created": {"LT-1001": made},
        "sales.changed": {"S-3": {"places": 2}},
    }
    words = "thing 1 is in Summer Watches already; withdraw it from there first"
    at.refuses("consign_item", "conflict", words, item_id="I-1", sale_id="S-3")
    assert at.gives("withdraw_item", item_id="I-1") == ITEMS["I-1"]
    assert at.changed() == {"lots.created": {"LT-1001": {**made, "status": "withdrawn"}}}
    assert at.gives("consign_item", item_id="I-1", sale_id="S-3")["lot_number"] == 9


def test_the_first_lot_of_a_live_sale_takes_bids_until_two_hours_before() -> None:
    live = sale("S-5", "Spring Books", "books", "live", held_at="2026-03-28T19:00:00", consign_until="2026-03-10")
    at = desk({"sales": keyed({**live, "places": 1})})
    assert at.gives("consign_item", item_id="I-6", sale_id="S-5")["lot_number"] == 1
    (made,) = at.changed()["lots.created"].values()
    assert (made["kind"], made["bids_until"]) == ("live", "2026-03-28T17:00:00")
    at.refuses("consign_item", "conflict", "already", item_id="I-6", sale_id="S-5")


@pytest.mark.parametrize(
    ("item_id", "sale_id", "reserve", "code", "words"),
    [
        ("I-2", "S-3", None, "precondition_failed", "estimate of the thing 2 ended on 2026-03-01; have it valued anew"),
        ("I-5", "S-3", None, "precondition_failed", "The item is sold, so it cannot be consigned"),
        ("I-1", "S-5", None, "invalid_argument", "Spring Books is a sale of books; the thing 1 goes into one of watch"),
        ("I-1", "S-1", None, "precondition_failed", "Midweek Watches took items until 2026-02-15; choose a sale that"),
        ("I-1", "S-4", None, "limit_exceeded", "Full Watches is full; choose another sale of watches"),
        ("I-1", "S-3", 160.0, "invalid_argument", "a reserve of $100 or $150 or $200, or none"),
        ("I-7", "S-3", None, "permission_denied", "belongs to somebody else"),
        ("I-99", "S-3", None, "not_found", "no item with the id 'I-99'"),
        ("I-1", "S-99", None, "not_found", "no sale with the id 'S-99'"),
    ],
)
def test_an_item_that_cannot_be_sold_so_is_refused(
    item_id: str, sale_id: str, reserve: float | None, code: str, words: str
) -> None:
    given = {} if reserve is None else {"reserve": reserve}
    desk().refuses("consign_item", code, words, item_id=item_id, sale_id=sale_id, **given)


def test_the_last_place_of_a_sale_is_taken_and_given_back() -> None:
    at = desk({"items": keyed(item("I-20", category="books"))})
    at.gives("consign_item", item_id="I-6", sale_id="S-5")
    at.refuses("consign_item", "limit_exceeded", "is full", item_id="I-20", sale_id="S-5")
    at.gives("withdraw_item", item_id="I-6")
    at.gives("consign_item", item_id="I-20", sale_id="S-5")


def test_an_item_is_withdrawn_with_its_lot() -> None:
    at = desk()
    after = at.gives("withdraw_item", item_id="I-3")
    assert after == {**item("I-3"), "title": "watch 10"}
    assert at.changed() == {
        "items.changed": {"I-3": {"status": "unconsigned", "reserve": None, "sale_name": None, "lot_number": None}},
        "lots.changed": {"L-10": {"status": "withdrawn"}},
        "sales.changed": {"S-1": {"places": 4}},
    }


@pytest.mark.parametrize(
    ("item_id", "code", "words"),
    [
        ("I-4", "precondition_failed", "Somebody has bid on the watch 13, so it stays in the sale; bids are taken"),
        ("I-1", "precondition_failed", "The item is unconsigned, so it cannot be withdrawn"),
        ("I-8", "permission_denied", "belongs to somebody else"),
    ],
)
def test_an_item_that_somebody_wants_stays(item_id: str, code: str, words: str) -> None:
    desk().refuses("withdraw_item", code, words, item_id=item_id)


def test_an_item_whose_time_is_over_stays() -> None:
    at = desk({"lots": keyed({**LOTS["L-10"], "bids_until": NOW})})
    at.refuses("withdraw_item", "precondition_failed", "were taken until 2026-03-02 09:00:00", item_id="I-3")


# -- the scenario


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [10, 60, 300])
def test_a_scenario_keeps_its_own_rules(seed: int, size: int) -> None:
    house = build_scenario(AuctionHouse, seed, size, DEFAULT_NOW)
    me, now = house.bidder_id, house.now
    items = {(each.sale_name, each.lot_number): each for each in house.items.values()}
    for each in house.lots.values():
        bids = [row for row in house.bids.values() if row.lot_id == each.id]
        assert len({row.bidder_id for row in bids}) == len(bids)
        assert all(rules.stepped(row.maximum) == row.maximum >= each.starting_price for row in bids)
        assert all(each.opens_at <= s.placed_at <= min(now, each.bids_until) for row in bids for s in row.steps)
        if each.status == "listed":
            owner = items[rules.place(each)]
            assert each.own == (owner.owner_id == me)
            assert owner.owner_id not in {row.bidder_id for row in bids}
            settled, after = rules.settled(each, bids, owner.reserve, me)
            assert settled == each
            assert all(row == house.bids[row.id] for row in after)
            assert each.bids_until > now
        else:
            assert (each.bids_until > now) == (each.status == "withdrawn")
            assert not each.next_bids
    for row in house.invoices.values():
        assert row.total == round(row.hammer + row.premium + row.shipping, 2)
        assert row.premium == rules.premium(row.hammer)
        assert row.services == (("courier",) if row.size == "large" or row.hammer > 1000 else ("post", "courier"))
        assert row.delivery in ("undecided", "collection", *row.services)
        assert (row.status == "due") or row.delivery != "undecided"
        if row.slot_id:
            assert rules.is_for(house.slots[row.slot_id], row, now.date())
            assert house.slots[row.slot_id].starts_at == row.collect_at
    assert rules.committed(house.bids.values(), house.invoices.values(), me) < house.bidders[me].limit
    assert len({each.title for each in house.lots.values()}) == len(house.lots)
    for row in house.items.values():
        assert row.reserve in (None, *row.reserves)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [10, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    house = build_scenario(AuctionHouse, seed, size, DEFAULT_NOW)
    me, today = house.bidder_id, house.now.date()
    mine = [row for row in house.bids.values() if row.bidder_id == me]
    assert {row.status for row in mine} == {"leading", "outbid", "waiting", "won", "lost", "retracted"}
    assert any(len(row.steps) > 1 for row in mine)
    own = [row for row in house.items.values() if row.owner_id == me]
    assert {row.status for row in own} == {"unconsigned", "consigned", "sold"}
    assert any(row.valid_until < today for row in own if row.status == "unconsigned")
    assert {row.bids > 0 for row in house.lots.values() if row.own and row.status == "listed"} == {True, False}
    assert {row.status for row in house.invoices.values()} == {"due", "paid", "handed_over"}
    assert {row.delivery for row in house.invoices.values()} == {"undecided", "post", "courier", "collection"}
    assert {row.reserve for row in house.lots.values()} == {"none", "met", "not_met"}
    assert {row.free == 0 for row in house.slots.values()} == {row.places == 0 for row in house.sales.values()}
    assert {row.status for row in house.lots.values()} == {"listed", "sold", "unsold", "withdrawn"}
    assert any(row.watched for row in house.lots.values() if row.status == "withdrawn")
    assert any(row.hammer > 1000 and row.size != "large" for row in house.invoices.values() if row.status == "due")
