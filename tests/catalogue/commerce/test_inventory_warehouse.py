"""The warehouses, through their tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import pytest

from envfactory.catalogue.commerce.inventory_warehouse import InventoryWarehouse
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at 2 March 2026, 9:00.

CITIES = {"W-1": "Oslo", "W-2": "Rome", "W-3": "Paris"}
WAREHOUSES = keyed(
    {"id": "W-1", "city": "Oslo", "capacity": 500, "managed": True},
    {"id": "W-2", "city": "Rome", "capacity": 120, "managed": True},
    {"id": "W-3", "city": "Paris", "capacity": 500, "managed": False},
)


def article(key: str, name: str, category: str = "food", *places: str, **changes: Any) -> Row:
    return {
        "id": key, "name": name, "category": category, "supplier": "Halden", "unit_price": 2.5, "reorder_point": 50,
        "stocked_at": list(places or ("W-1", "W-2")), **changes,
    }  # fmt: skip


ARTICLES = keyed(
    article("A-1", "oat flour", shelf_days=90),
    article("A-2", "dish soap", "cleaning", "W-1", "W-3", reorder_point=40),
    article("A-3", "apple juice", "drinks", "W-3", shelf_days=30),
    *(article(f"A-{n}", f"sponge {n}", "packaging", "W-1") for n in (4, 5, 6)),
)


def lot(key: str, article_id: str, warehouse_id: str, quantity: int, expires_on: str = "", **changes: Any) -> Row:
    row = {
        "id": key, "code": f"X{key[2:]}", "article_id": article_id, "article_name": ARTICLES[article_id]["name"],
        "warehouse_id": warehouse_id, "city": CITIES[warehouse_id], "quantity": quantity, **changes,
    }  # fmt: skip
    return {**row, "expires_on": expires_on} if expires_on else row


LOTS = keyed(
    lot("L-1", "A-1", "W-1", 30, "2026-04-10"),
    lot("L-2", "A-1", "W-1", 20, "2026-03-02"),  # good for one more day
    lot("L-3", "A-1", "W-1", 10, "2026-03-01"),  # expired
    lot("L-4", "A-1", "W-2", 25, "2026-05-01"),
    lot("L-5", "A-2", "W-1", 40),
    lot("L-6", "A-2", "W-3", 15),
    lot("L-7", "A-3", "W-3", 60, "2026-03-20"),
    lot("L-8", "A-4", "W-1", 5),
    lot("L-9", "A-5", "W-1", 6),
)


def hold(key: str, article_id: str, warehouse_id: str, quantity: int, status: str = "open", who: str = "Cafe") -> Row:
    return {
        "id": key, "article_id": article_id, "article_name": ARTICLES[article_id]["name"], "warehouse_id": warehouse_id,
        "city": CITIES[warehouse_id], "customer": who, "quantity": quantity, "status": status,
    }  # fmt: skip


HOLDS = keyed(
    hold("H-1", "A-1", "W-1", 25),
    hold("H-2", "A-1", "W-1", 10, "released", "Bar"),
    hold("H-3", "A-2", "W-3", 5, who="Bar"),
    hold("H-4", "A-2", "W-1", 7, "picked", "Atlas"),
)


def order(key: str, article_id: str, warehouse_id: str, quantity: int, received: int = 0, **changes: Any) -> Row:
    status = "open" if not received else "part_received" if received < quantity else "received"
    return {
        "id": key, "article_id": article_id, "article_name": ARTICLES[article_id]["name"], "supplier": "Halden",
        "warehouse_id": warehouse_id, "city": CITIES[warehouse_id], "quantity": quantity, "received": received,
        "outstanding": quantity - received, "total": quantity * 2.5, "expected_on": "2026-03-09", "status": status,
        **changes,
    }  # fmt: skip


ORDERS = keyed(
    order("O-1", "A-1", "W-1", 100),
    order("O-2", "A-1", "W-1", 80, 30, expected_on="2026-03-05"),
    order("O-3", "A-2", "W-1", 20, 20, expected_on="2026-02-05"),
    order("O-4", "A-2", "W-1", 30, status="cancelled", outstanding=0),
    order("O-5", "A-3", "W-3", 40),
    order("O-6", "A-1", "W-2", 200),
)
STATE: dict[str, Any] = {
    "clerk_id": "C-1",
    "clerks": keyed({"id": "C-1", "name": "Maya Novak", "email": "maya@mail.example"}),
    "warehouses": WAREHOUSES,
    "articles": ARTICLES,
    "lots": LOTS,
    "customers": keyed(*({"id": f"BC-{n}", "name": n} for n in ("Atlas", "Bar", "Cafe", "Gym"))),
    "holds": HOLDS,
    "orders": ORDERS,
    "write_offs": {},
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(InventoryWarehouse, STATE, rows=rows, **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["A-3", "A-2", "A-1", "A-4", "A-5"]),
        ({"page": 2}, ["A-6"]),
        ({"name": "OAT"}, ["A-1"]),
        ({"name": "sponge", "page": 2}, []),
        ({"category": "packaging"}, ["A-4", "A-5", "A-6"]),
        ({"low": True}, ["A-4", "A-5", "A-6"]),
        ({"sort": "available"}, ["A-6", "A-4", "A-5", "A-2", "A-1"]),
    ],
)
def test_articles_are_searched(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_articles", **arguments) == found


def test_a_name_is_found_however_it_is_written() -> None:
    assert desk({"articles": keyed(article("A-9", "Oat Bran"))}).ids("search_articles", name="oat b") == ["A-9"]


def test_what_is_available_is_good_and_not_held() -> None:
    (flour,) = desk().gives("search_articles", name="oat flour")["articles"]
    assert flour == {
        "id": "A-1", "name": "oat flour", "category": "food", "on_hand": 85, "available": 50, "low": False
    }  # fmt: skip
    (soap,) = desk().gives("search_articles", name="dish soap")["articles"]
    assert (soap["on_hand"], soap["available"]) == (55, 50)


def test_stock_is_told_by_warehouse() -> None:
    oslo = {"warehouse_id": "W-1", "city": "Oslo", "available": 25, "held": 25, "expired": 10}
    rome = {"warehouse_id": "W-2", "city": "Rome", "available": 25, "held": 0, "expired": 0}
    report = {
        "article_id": "A-1", "name": "oat flour", "supplier": "Halden", "unit_price": 2.5, "reorder_point": 50,
        "shelf_days": 90,
    }  # fmt: skip
    assert desk().gives("get_stock", article_id="A-1") == {**report, "available": 50, "levels": [oslo, rome]}
    assert desk().gives("get_stock", article_id="A-1", warehouse_id="W-2") == {
        **report, "available": 25, "levels": [rome]
    }  # fmt: skip
    desk().refuses("get_stock", "not_found", "no item with the id 'A-99'", article_id="A-99")
    desk().refuses("get_stock", "not_found", "no warehouse with the id 'W-99'", article_id="A-1", warehouse_id="W-99")


def test_more_held_than_good_is_nothing_available() -> None:
    at = desk({"holds": keyed(hold("H-9", "A-1", "W-1", 100))})
    assert at.gives("get_stock", article_id="A-1", warehouse_id="W-1")["available"] == 0


@pytest.mark.parametrize(
    ("arguments", "found", "cases"),
    [
        ({}, ["L-3", "L-2", "L-1", "L-5", "L-8"], 111),
        ({"page": 2}, ["L-9"], 111),
        ({"days": 0}, ["L-3", "L-2"], 30),
        ({"days": 39}, ["L-3", "L-2", "L-1"], 60),
        ({"days": 38}, ["L-3", "L-2"], 30),
    ],
)
def test_lots_are_listed_by_their_date(arguments: Row, found: list[str], cases: int) -> None:
    assert desk().ids("list_lots", warehouse_id="W-1", **arguments) == found
    assert desk().gives("list_lots", warehouse_id="W-1", **arguments)["cases"] == cases


def test_the_lots_of_one_article_are_listed() -> None:
    assert desk().ids("list_lots", warehouse_id="W-1", article_id="A-2") == ["L-5"]
    assert desk().gives("list_lots", warehouse_id="W-1", article_id="A-2")["cases"] == 40
    desk().refuses("list_lots", "not_found", "A-99", warehouse_id="W-1", article_id="A-99")


def test_an_unknown_warehouse_has_no_lots() -> None:
    desk().refuses("list_lots", "not_found", "W-99", warehouse_id="W-99")


def test_warehouses_are_listed_with_the_room_in_them() -> None:
    oslo = {"warehouse_id": "W-1", "city": "Oslo", "managed": True, "capacity": 500, "room": 389}
    paris = {"warehouse_id": "W-3", "city": "Paris", "managed": False, "capacity": 500, "room": 425}
    rome = {"warehouse_id": "W-2", "city": "Rome", "managed": True, "capacity": 120, "room": 95}
    assert desk().gives("list_warehouses")["warehouses"] == [oslo, paris, rome]
    assert desk().gives("list_warehouses", managed=True)["warehouses"] == [oslo, rome]
    assert desk().gives("list_warehouses", page=2)["warehouses"] == []


def write_off(key: str, lot_id: str, quantity: int, reason: str, left: int, day: str = "2026-03-02") -> Row:
    of = LOTS[lot_id]
    return {
        "id": key, "article_id": of["article_id"], "article_name": of["article_name"], "lot_code": of["code"],
        "city": of["city"], "quantity": quantity, "reason": reason, "written_on": day, "left": left,
    }  # fmt: skip


@pytest.mark.parametrize("reason", ["lost", "damaged"])
def test_pieces_are_written_off_for_a_reason_that_is_kept(reason: str) -> None:
    at = desk()
    gone = at.gives("write_off", lot_id="L-1", quantity=25, reason=reason)
    assert gone == write_off("WO-1001", "L-1", 25, reason, 0)
    assert at.changed()["write_offs.created"] == {"WO-1001": gone}
    assert at.changed()["lots.changed"]["L-1"]["quantity"] == 5
    at.refuses("write_off", "conflict", "Cases of the oat flour are held", lot_id="L-1", quantity=1, reason="damaged")


def test_an_expired_lot_is_written_off_whole_whatever_is_held() -> None:
    at = desk()
    assert at.gives("write_off", lot_id="L-3", quantity=10, reason="expired")["left"] == 25
    changed = at.changed()
    assert changed.pop("write_offs.created") == {"WO-1001": write_off("WO-1001", "L-3", 10, "expired", 25)}
    assert changed == {"lots.deleted": ("L-3",)}


@pytest.mark.parametrize(
    ("arguments", "found", "cases"),
    [
        ({}, ["WO-6", "WO-5", "WO-3", "WO-2", "WO-1"], 21),
        ({"page": 2}, ["WO-4"], 21),
        ({"article_id": "A-2"}, ["WO-4"], 4),
        ({"reason": "lost"}, ["WO-3", "WO-1"], 4),
        ({"reason": "expired"}, [], 0),
    ],
)
def test_what_was_written_off_is_listed(arguments: Row, found: list[str], cases: int) -> None:
    gone = [
        write_off(f"WO-{n}", "L-5" if n == 4 else "L-1", n, "lost" if n in (1, 3) else "damaged", 9,
                  "2026-02-01" if n == 4 else "2026-02-10")
        for n in range(1, 7)
    ]  # fmt: skip
    at = desk(write_offs=keyed(*gone))
    assert at.ids("list_write_offs", **arguments) == found
    assert at.gives("list_write_offs", **arguments)["cases"] == cases
    at.refuses("list_write_offs", "not_found", "A-99", article_id="A-99")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"lot_id": "L-1", "reason": "expired"}, "precondition_failed", "X1 is not past its date"),
        ({"lot_id": "L-2", "reason": "expired"}, "precondition_failed", "X2 is not past its date"),
        ({"lot_id": "L-5", "reason": "expired"}, "precondition_failed", "X5 is not past its date"),
        ({"lot_id": "L-8", "quantity": 6}, "limit_exceeded", "Lot X8 has 5 cases, not 6"),
        ({"lot_id": "L-1", "quantity": 26}, "conflict", "are held"),
        ({"lot_id": "L-6"}, "permission_denied", "do not manage the Paris warehouse"),
        ({"lot_id": "L-99"}, "not_found", "no lot with the id 'L-99'"),
    ],
)
def test_what_is_not_gone_is_not_written_off(arguments: Row, code: str, words: str) -> None:
    desk().refuses("write_off", code, words, **{"quantity": 1, "reason": "lost", **arguments})


def test_pieces_are_held_for_a_customer() -> None:
    at = desk()
    held = at.gives("hold_stock", article_id="A-1", warehouse_id="W-1", quantity=25, customer="Bar")
    assert held == hold("HOLD-1001", "A-1", "W-1", 25, who="Bar")
    assert at.changed() == {"holds.created": {"HOLD-1001": held}}
    words = "0 of the oat flour are available in Oslo"
    at.refuses("hold_stock", "conflict", words, article_id="A-1", warehouse_id="W-1", quantity=1, customer="Bar")


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"quantity": 26}, "conflict", "25 of the oat flour are available in Oslo"),
        ({"article_id": "A-99"}, "not_found", "A-99"),
        ({"warehouse_id": "W-99"}, "not_found", "W-99"),
        ({"quantity": 0}, "invalid_argument", "quantity"),
        ({"warehouse_id": "W-3", "article_id": "A-2"}, "permission_denied", "do not manage the Paris warehouse"),
        ({"customer": ""}, "not_found", "no customer called ''"),
        ({"customer": "Barber"}, "not_found", "no customer called 'Barber'"),
    ],
)
def test_what_is_not_there_cannot_be_held(change: Row, code: str, words: str) -> None:
    arguments = {"article_id": "A-1", "warehouse_id": "W-1", "quantity": 1, "customer": "Bar", **change}
    desk().refuses("hold_stock", code, words, **arguments)


def test_a_customer_has_six_open_holds() -> None:
    five = keyed(
        *(hold(f"H-2{n}", "A-2", "W-1", 1, who="Gym") for n in range(5)), hold("H-30", "A-2", "W-1", 1, "picked", "Gym")
    )
    at, arguments = desk({"holds": five}), {"article_id": "A-2", "warehouse_id": "W-1", "quantity": 1}
    at.gives("hold_stock", **arguments, customer="Gym")
    at.refuses("hold_stock", "limit_exceeded", "Gym has 6 open holds", **arguments, customer="Gym")
    at.refuses("hold_stock", "limit_exceeded", "Gym has 6 open holds", **arguments, customer="gYM")
    assert at.gives("hold_stock", **arguments, customer="bar")["customer"] == "Bar"
    assert len(at.ids("list_holds", customer="bAR")) == 3


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["H-4", "H-2", "H-3", "H-1"]),
        ({"status": "open"}, ["H-3", "H-1"]),
        ({"customer": "Bar"}, ["H-2", "H-3"]),
        ({"page": 2}, []),
    ],
)
def test_holds_are_listed_by_customer(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_holds", **arguments) == found


def test_a_hold_is_picked_from_what_expires_first() -> None:
    at = desk()
    assert at.gives("pick_hold", hold_id="H-1") == {
        "article_name": "oat flour", "quantity": 25, "left": 25,
        "lots": [LOTS["L-2"]["code"], LOTS["L-1"]["code"]],
    }  # fmt: skip
    changed = at.changed()
    assert changed["holds.changed"] == {"H-1": {"status": "picked"}}
    assert changed["lots.deleted"] == ("L-2",)
    assert changed["lots.changed"]["L-1"]["quantity"] == 25
    at.refuses("pick_hold", "precondition_failed", "hold is picked, so it cannot be picked", hold_id="H-1")
    at.refuses("release_hold", "precondition_failed", "hold is picked, so it cannot be released", hold_id="H-1")
    for tool in ("pick_hold", "release_hold"):
        at.refuses(tool, "not_found", "no hold with the id 'H-99'", hold_id="H-99")


@pytest.mark.parametrize("tool", ["pick_hold", "release_hold"])
def test_what_is_held_in_a_warehouse_of_others_stays_there(tool: str) -> None:
    desk().refuses(tool, "permission_denied", "do not manage the Paris warehouse", hold_id="H-3")


@pytest.mark.parametrize(("quantity", "allowed"), [(30, True), (31, False)])
def test_what_is_held_but_has_spoilt_since_is_not_picked(quantity: int, *, allowed: bool) -> None:
    later = dt.datetime(2026, 3, 20, 9)  # the lot of 20 is past its date, 30 are good
    at = desk(holds=keyed(hold("H-1", "A-1", "W-1", quantity)), now=later)
    if allowed:
        assert at.gives("pick_hold", hold_id="H-1")["lots"] == ["X1"]
    else:
        at.refuses("pick_hold", "conflict", "30 good cases of the oat flour are left in Oslo", hold_id="H-1")
        at.gives("release_hold", hold_id="H-1")


def test_no_more_than_is_held_leaves_the_shelf() -> None:
    at = desk({"holds": keyed(hold("H-1", "A-1", "W-1", 20))})
    assert at.gives("pick_hold", hold_id="H-1")["lots"] == [LOTS["L-2"]["code"]]
    at = desk({"holds": keyed(hold("H-1", "A-1", "W-1", 15))})
    assert at.gives("pick_hold", hold_id="H-1")["lots"] == [LOTS["L-2"]["code"]]


def test_a_released_hold_is_available_again() -> None:
    at = desk()
    assert at.gives("release_hold", hold_id="H-1") == {**HOLDS["H-1"], "status": "released"}
    assert at.changed() == {"holds.changed": {"H-1": {"status": "released"}}}
    assert at.gives("get_stock", article_id="A-1", warehouse_id="W-1")["available"] == 50


MOVE: Row = {"article_id": "A-1", "warehouse_id": "W-1", "target_id": "W-2", "quantity": 25}


def test_stock_moves_lot_by_lot() -> None:
    at = desk()
    arrived = [
        lot("LOT-1001", "A-1", "W-2", 20, "2026-03-02", code="X2"),
        lot("LOT-1002", "A-1", "W-2", 5, "2026-04-10", code="X1"),
    ]
    assert at.gives("transfer_stock", **MOVE) == {
        "article_name": "oat flour", "quantity": 25, "lots": [row["code"] for row in arrived], "left": 0
    }  # fmt: skip
    changed = at.changed()
    assert changed["lots.created"] == keyed(*arrived)
    assert changed["lots.deleted"] == ("L-2",)
    assert "articles.changed" not in changed
    assert at.gives("get_stock", article_id="A-1", warehouse_id="W-2")["available"] == 50


def test_a_warehouse_keeps_what_was_moved_there() -> None:
    at = desk()
    at.gives("transfer_stock", **{**MOVE, "target_id": "W-3", "quantity": 1})
    assert at.changed()["articles.changed"] == {"A-1": {"stocked_at": ["W-1", "W-2", "W-3"]}}


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"target_id": "W-1"}, "invalid_argument", "two different warehouses"),
        ({"quantity": 26}, "conflict", "25 of the oat flour are available in Oslo"),
        ({"warehouse_id": "W-3", "article_id": "A-2"}, "permission_denied", "do not manage the Paris"),
        ({"article_id": "A-99"}, "not_found", "A-99"),
        ({"target_id": "W-99"}, "not_found", "W-99"),
    ],
)
def test_a_move_that_cannot_be_is_refused(change: Row, code: str, words: str) -> None:
    desk().refuses("transfer_stock", code, words, **{**MOVE, **change})


@pytest.mark.parametrize(("capacity", "allowed"), [(50, True), (49, False)])
def test_a_warehouse_takes_what_it_has_room_for(capacity: int, *, allowed: bool) -> None:
    small = {"warehouses": keyed({**WAREHOUSES["W-2"], "capacity": capacity})}
    result = desk(small)("transfer_stock", **MOVE)
    assert result.ok is allowed
    if not allowed:
        desk(small).refuses("transfer_stock", "limit_exceeded", "The Rome warehouse has room for 24 more", **MOVE)
    received = desk(small)("receive_order", order_id="O-6", quantity=25)
    assert received.ok is allowed


@pytest.mark.parametrize(("capacity", "allowed"), [(100, True), (99, False)])
def test_a_warehouse_of_others_takes_no_more_either(capacity: int, *, allowed: bool) -> None:
    small = {"warehouses": keyed({**WAREHOUSES["W-3"], "capacity": capacity})}
    assert desk(small)("transfer_stock", **{**MOVE, "target_id": "W-3"}).ok is allowed


@pytest.mark.parametrize(
    ("quantity", "total"), [(20, 50.0), (99, 247.5), (100, 237.5), (249, 591.38), (250, 562.5), (500, 1125.0)]
)
def test_an_order_costs_less_the_more_it_is(quantity: int, total: float) -> None:
    at = desk()
    placed = at.gives("order_stock", article_id="A-1", warehouse_id="W-2", quantity=quantity)
    assert placed == order("SO-1001", "A-1", "W-2", quantity, total=total)
    assert at.changed() == {"orders.created": {"SO-1001": placed}}


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"quantity": 19}, "invalid_argument", "Halden takes orders from 20 cases on"),
        ({"warehouse_id": "W-3"}, "permission_denied", "do not manage"),
        ({"article_id": "A-99"}, "not_found", "A-99"),
        ({"quantity": 501}, "invalid_argument", "quantity"),
    ],
)
def test_an_order_that_cannot_be_is_refused(change: Row, code: str, words: str) -> None:
    desk().refuses("order_stock", code, words, **{"article_id": "A-1", "warehouse_id": "W-1", "quantity": 50, **change})


@pytest.mark.parametrize(
    ("arguments", "found", "due"),
    [
        ({}, ["O-3", "O-2", "O-1", "O-4", "O-5"], 1050.0),  # neither what is cancelled nor what has come
        ({"page": 2}, ["O-6"], 1050.0),
        ({"status": "open"}, ["O-1", "O-5", "O-6"], 850.0),
        ({"article_id": "A-2"}, ["O-3", "O-4"], 0.0),
    ],
)
def test_orders_are_listed_by_when_they_are_expected(arguments: Row, found: list[str], due: float) -> None:
    assert desk().ids("list_orders", **arguments) == found
    assert desk().gives("list_orders", **arguments)["due"] == due


def test_an_unknown_article_has_no_orders() -> None:
    desk().refuses("list_orders", "not_found", "A-99", article_id="A-99")


def test_an_order_comes_in_parts_each_a_lot() -> None:
    at = desk()
    assert at.gives("receive_order", order_id="O-1", quantity=40) == order("O-1", "A-1", "W-1", 100, 40)
    assert at.changed()["lots.created"] == keyed(lot("LOT-1001", "A-1", "W-1", 40, "2026-05-31", code="R1001"))
    whole = at.gives("receive_order", order_id="O-1", quantity=60)
    assert (whole["status"], whole["received"], whole["outstanding"]) == ("received", 100, 0)
    at.refuses("receive_order", "precondition_failed", "order is received, so it", order_id="O-1", quantity=1)


def test_a_warehouse_keeps_what_came_in_there() -> None:
    at = desk({"orders": keyed(order("O-7", "A-4", "W-2", 40))})
    at.gives("receive_order", order_id="O-7", quantity=40)
    assert at.changed()["articles.changed"] == {"A-4": {"stocked_at": ["W-1", "W-2"]}}
    assert at.gives("get_stock", article_id="A-4")["available"] == 45


def test_what_does_not_spoil_has_no_date() -> None:
    at = desk({"orders": keyed(order("O-7", "A-2", "W-1", 50))})
    at.gives("receive_order", order_id="O-7", quantity=1)
    assert "expires_on" not in at.changed()["lots.created"]["LOT-1001"]


@pytest.mark.parametrize(
    ("order_id", "quantity", "code", "words"),
    [
        ("O-2", 51, "limit_exceeded", "50 cases are still to come, not 51"),
        ("O-3", 1, "precondition_failed", "is received"),
        ("O-4", 1, "precondition_failed", "is cancelled"),
        ("O-5", 1, "permission_denied", "do not manage the Paris"),
        ("O-99", 1, "not_found", "no supplier order with the id 'O-99'"),
    ],
)
def test_what_was_not_ordered_is_not_received(order_id: str, quantity: int, code: str, words: str) -> None:
    desk().refuses("receive_order", code, words, order_id=order_id, quantity=quantity)


def test_an_order_is_cancelled_until_something_has_come() -> None:
    at = desk()
    assert at.gives("cancel_order", order_id="O-1") == {**ORDERS["O-1"], "status": "cancelled", "outstanding": 0}
    assert at.changed() == {"orders.changed": {"O-1": {"outstanding": 0, "status": "cancelled"}}}
    at.refuses("cancel_order", "precondition_failed", "is part received, so it cannot be cancelled", order_id="O-2")
    at.refuses("cancel_order", "permission_denied", "do not manage the Paris", order_id="O-5")
    at.refuses("cancel_order", "not_found", "O-99", order_id="O-99")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(InventoryWarehouse, seed, size, DEFAULT_NOW)
    today = world.now.date()
    lots, holds = list(world.lots.values()), list(world.holds.values())
    assert any(row.expires_on and row.expires_on < today for row in lots), "expired"
    assert {row.status for row in holds} == {"open", "picked", "released"}
    assert {row.status for row in world.orders.values()} == {"open", "part_received", "received", "cancelled"}
    assert {row.managed for row in world.warehouses.values()} == {True, False}
    for place in world.warehouses.values():
        assert sum(row.quantity for row in lots if row.warehouse_id == place.id) <= place.capacity
    for row in holds:
        here = [t for t in lots if (t.article_id, t.warehouse_id) == (row.article_id, row.warehouse_id)]
        good = sum(t.quantity for t in here if t.expires_on is None or t.expires_on >= today)
        assert row.status != "open" or row.quantity <= good
    assert len({row.code for row in lots}) == len(lots)
    for row in lots:
        keeps = world.articles[row.article_id].shelf_days
        assert row.expires_on is None or (keeps and row.expires_on <= today + dt.timedelta(days=keeps))
    assert any(world.articles[key].id not in {row.article_id for row in lots} for key in world.articles), "sold out"
    waiting = Counter(row.customer for row in holds if row.status == "open")
    assert max(waiting.values()) == 6, "no more holds"
    assert any(not world.warehouses[row.warehouse_id].managed for row in holds if row.status == "open")
    assert any(row.status == "open" and row.expected_on < today for row in world.orders.values()), "overdue"
    for row in world.orders.values():
        off = 0.95 if row.quantity >= 100 else 1
        assert row.total == pytest.approx(world.articles[row.article_id].unit_price * row.quantity * off, abs=0.01)
