"""The marketplace, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.catalogue.commerce.marketplace_orders import MarketplaceOrders
from envfactory.environment import DEFAULT_NOW, InProcess, Reference, Result, Session, build_scenario, describe

NAME = "marketplace_orders"
BACKEND = InProcess({NAME: MarketplaceOrders})
TODAY = "2026-03-02"
HOME = {"address": "12 Mill Lane", "city": "Oslo", "method": "standard"}
EXPRESS = {"address": "9 River Walk", "city": "Porto", "method": "express"}


def _product(key: str, name: str, price: float, rating: float, stock: int, seller: str = "S-1") -> dict[str, Any]:
    kind = " ".join(name.split()[1:])
    shop = {"S-1": "North Goods", "S-2": "Harbour Shop"}[seller]
    values = {"price": price, "rating": rating, "stock": stock, "seller_id": seller, "seller_name": shop}
    return {"id": key, "name": name, "kind": kind, **values}


def _line(product: dict[str, Any], quantity: int, price: float, returned: int = 0) -> dict[str, Any]:
    shop = {"seller_id": product["seller_id"], "seller_name": product["seller_name"]}
    named = {"product_id": product["id"], "name": product["name"], **shop}
    return {**named, "quantity": quantity, "price": price, "returned": returned}


LAMP = _product("P-1", "Luma desk lamp", 40.0, 4.2, 5)
GONE = _product("P-2", "Solvik desk lamp", 25.5, 4.8, 0, "S-2")
PACK = _product("P-3", "Kestrel backpack", 60.0, 4.2, 1, "S-2")
MUG = _product("P-4", "Ostra travel mug", 4.0, 3.9, 20)
MATS = [_product(f"P-{n}", f"Halden yoga mat {n}", 20.0, 4.0, 3) for n in range(16, 10, -1)]


def _order(key: str, status: str, lines: list[dict[str, Any]], day: str, **changes: Any) -> dict[str, Any]:
    goods = sum(line["price"] * line["quantity"] for line in lines)
    fixed = {"id": key, "customer_id": "C-1", "lines": lines, "address": "12 Mill Lane", "city": "Oslo"}
    money = {"discount": 0.0, "shipping": 0.0, "total": goods, "fee": 0.0, "refunded": 0.0}
    days = {"ordered_on": day, "arrives_on": day}
    return {**fixed, "method": "standard", **money, "status": status, **days, **changes}


def _coupon(key: str, percent: int, minimum: float, expires_on: str, uses_left: int) -> dict[str, Any]:
    return {"id": key, "percent": percent, "minimum": minimum, "expires_on": expires_on, "uses_left": uses_left}


def _address(key: str, customer: str, nickname: str, address: str, city: str) -> dict[str, Any]:
    return {"id": key, "customer_id": customer, "nickname": nickname, "address": address, "city": city}


def _by_id(*rows: dict[str, Any]) -> dict[str, Any]:
    return {row["id"]: row for row in rows}


def market(**changes: Any) -> dict[str, Any]:
    """A state small enough to reckon with by hand; orders are named by their status."""
    document = {
        "now": "2026-03-02T09:00:00",
        "counters": {},
        "customer_id": "C-1",
        "sellers": _by_id(
            {"id": "S-1", "name": "North Goods", "city": "Oslo", "rating": 4.0, "ratings": 9, "answers_within": 24},
            {"id": "S-2", "name": "Harbour Shop", "city": "Porto", "rating": 3.5, "ratings": 2, "answers_within": 6},
        ),
        "products": _by_id(LAMP, GONE, PACK, MUG, *MATS),
        "customers": _by_id(
            {"id": "C-1", "name": "Mei Weber", "email": "mei.weber@mail.example"},
            {"id": "C-2", "name": "Hugo Costa", "email": "hugo.costa@mail.example"},
        ),
        "addresses": _by_id(
            _address("A-1", "C-1", "home", "12 Mill Lane", "Oslo"),
            _address("A-2", "C-1", "cabin", "3 Station Road", "Lisbon"),
            _address("A-3", "C-2", "home", "5 Castle Hill", "Porto"),
        ),
        "coupons": _by_id(
            _coupon("TEN10", 10, 50.0, TODAY, 1),
            _coupon("OLD20", 20, 0.0, "2026-03-01", 5),
            _coupon("GONE30", 30, 0.0, "2026-04-01", 0),
            _coupon("USED15", 15, 10.0, "2026-04-01", 7),
            _coupon("BIG25", 25, 100.0, "2026-04-01", 7),
        ),
        "orders": _by_id(
            _order("placed", "placed", [_line(LAMP, 2, 40.0), _line(MUG, 1, 4.0)], "2026-03-02"),
            _order(
                "packed", "packed", [_line(PACK, 1, 51.0)], "2026-02-27",
                coupon="USED15", discount=9.0, shipping=4.99, total=55.99, fee=3.0,
            ),
            _order("shipped", "shipped", [_line(MUG, 1, 4.0)], "2026-02-25"),
            _order(
                "delivered", "delivered", [_line(LAMP, 3, 36.0), _line(PACK, 1, 54.0), _line(MUG, 1, 4.0)],
                "2026-01-25", delivered_on="2026-01-31",
            ),
            _order("old", "delivered", [_line(LAMP, 1, 40.0)], "2026-01-25", delivered_on="2026-01-30"),
            _order("cancelled", "cancelled", [_line(LAMP, 1, 40.0)], "2026-02-01", coupon="BIG25"),
            _order("returned", "returned", [_line(LAMP, 1, 40.0, 1)], "2026-01-02", delivered_on="2026-01-08"),
            _order(
                "theirs", "placed", [_line(PACK, 1, 54.0)], "2026-03-01", customer_id="C-2", coupon="TEN10",
                delivered_on="2026-03-01",
            ),
        ),
        "returns": {},
        "ratings": {},
        "messages": {},
    }  # fmt: skip
    return {**document, **changes}


def open_market(**changes: Any) -> Session:
    return Session(BACKEND, Reference(environments={NAME: ""}, states={NAME: json.dumps(market(**changes))}))


@pytest.fixture
def session() -> Iterator[Session]:
    with open_market() as opened:
        yield opened


def call(session: Session, name: str, **arguments: Any) -> Result:
    return session.call(f"{NAME}-{name}", arguments)


def ids(result: Result, name: str) -> list[str]:
    assert result.ok, result.text
    return [row["id"] for row in result.value[name]]


def refused(session: Session, code: str, words: str, name: str, **arguments: Any) -> None:
    """The call is refused with this code and these words, and the state stays as it was."""
    before = session.digest()
    result = call(session, name, **arguments)
    assert result.code == code, result.text
    assert words in result.value["error"]["message"]
    assert session.digest() == before


def changes(session: Session) -> dict[str, Any]:
    """What changed: created rows and changed fields by table, counters and fields."""
    diff = session.diff()[NAME]
    assert not any(table.deleted for table in diff.tables.values())
    tables = {name: {**table.created, **table.changed} for name, table in diff.tables.items()}
    return {**tables, **diff.fields}


def place(session: Session, *items: tuple[str, int], delivery: dict[str, str] = HOME, **more: Any) -> Result:
    rows = [{"product_id": product, "quantity": quantity} for product, quantity in items]
    return call(session, "place_order", items=rows, delivery=delivery, **more)


# -- search_products, get_product, get_seller --------------------------------------------------------------------------


def test_a_search_finds_every_word_of_the_query_whatever_its_case(session: Session) -> None:
    result = call(session, "search_products", query="LAMP desk")
    assert result.value == {"products": [GONE, LAMP], "total": 2, "page": 1, "pages": 1}
    assert ids(call(session, "search_products", query="lamp pack"), "products") == []


def test_a_search_keeps_to_the_highest_price_and_to_what_is_in_stock(session: Session) -> None:
    assert ids(call(session, "search_products", query="lamp", max_price=39.99), "products") == ["P-2"]
    assert ids(call(session, "search_products", query="lamp", max_price=40), "products") == ["P-2", "P-1"]
    assert ids(call(session, "search_products", query="lamp", in_stock=True), "products") == ["P-1"]
    assert ids(call(session, "search_products", query="backpack", in_stock=True), "products") == ["P-3"]


def test_a_search_lists_the_best_rated_first_if_asked_(session: Session) -> None:
    assert ids(call(session, "search_products", query="lamp", sort="rating"), "products") == ["P-2", "P-1"]
    assert ids(call(session, "search_products", query="el", sort="rating"), "products") == ["P-3", "P-4"]
    assert ids(call(session, "search_products", query="el"), "products") == ["P-4", "P-3"]


def test_a_search_gives_five_products_a_page_and_equal_ones_by_id(session: Session) -> None:
    first = call(session, "search_products", query="yoga mat")
    second = call(session, "search_products", query="yoga mat", page=2)
    assert ids(first, "products") == ["P-11", "P-12", "P-13", "P-14", "P-15"]
    assert ids(second, "products") == ["P-16"]
    assert (second.value["total"], second.value["page"], second.value["pages"]) == (6, 2, 2)


def test_a_product_is_looked_up_by_its_id(session: Session) -> None:
    assert call(session, "get_product", product_id="P-3").value == PACK
    refused(session, "not_found", "no product with the id 'P-99'", "get_product", product_id="P-99")


def test_a_seller_is_looked_up_by_its_id(session: Session) -> None:
    assert call(session, "get_seller", seller_id="S-2").value == market()["sellers"]["S-2"]
    refused(session, "not_found", "no seller with the id 'S-9'", "get_seller", seller_id="S-9")


# -- list_coupons ------------------------------------------------------------------------------------------------------


def test_coupons_are_listed_unless_expired_used_up_or_used_by_the_customer(session: Session) -> None:
    coupons = market()["coupons"]
    result = call(session, "list_coupons")
    assert result.value == {"coupons": [coupons["BIG25"], coupons["TEN10"]], "total": 2, "page": 1, "pages": 1}


def test_coupons_are_listed_for_what_an_order_costs(session: Session) -> None:
    assert ids(call(session, "list_coupons", subtotal=100), "coupons") == ["BIG25", "TEN10"]
    assert ids(call(session, "list_coupons", subtotal=99.99), "coupons") == ["TEN10"]
    assert ids(call(session, "list_coupons", subtotal=49.99), "coupons") == []


def test_coupons_come_five_a_page_and_equal_ones_by_code() -> None:
    coupons = _by_id(*(_coupon(f"C{n}", 5 if n else 10, 0.0, TODAY, 1) for n in (4, 3, 2, 1, 0, 5)))
    with open_market(coupons=coupons) as session:
        assert ids(call(session, "list_coupons"), "coupons") == ["C0", "C1", "C2", "C3", "C4"]
        assert ids(call(session, "list_coupons", page=2), "coupons") == ["C5"]


# -- place_order -------------------------------------------------------------------------------------------------------


def test_an_order_takes_its_products_off_the_shelf(session: Session) -> None:
    result = place(session, ("P-1", 1), ("P-3", 1), delivery=EXPRESS)
    expected = _order(
        "ORD-1001", "placed", [_line(LAMP, 1, 40.0), _line(PACK, 1, 60.0)], TODAY,
        address="9 River Walk", city="Porto", method="express", arrives_on="2026-03-04",
    )  # fmt: skip
    assert result.value == expected
    assert changes(session) == {
        "orders": {"ORD-1001": expected},
        "products": {"P-1": {"stock": 4}, "P-3": {"stock": 0}},
        "counters": {"ORD": 1001},
    }


@pytest.mark.parametrize(
    ("items", "delivery", "shipping", "total", "arrives_on"),
    [
        ([("P-1", 1)], HOME, 4.99, 44.99, "2026-03-08"),
        ([("P-1", 1)], EXPRESS, 14.99, 54.99, "2026-03-04"),
        ([("P-4", 10), ("P-1", 1)], EXPRESS, 0.0, 80.0, "2026-03-04"),
        ([("P-11", 3), ("P-4", 3)], HOME, 4.99, 76.99, "2026-03-08"),
    ],
)
def test_delivery_costs_by_its_method_until_it_is_free(
    session: Session, items: Any, delivery: Any, shipping: float, total: float, arrives_on: str
) -> None:
    value = place(session, *items, delivery=delivery).value
    assert (value["shipping"], value["total"], value["arrives_on"]) == (shipping, total, arrives_on)


def test_delivery_is_free_from_exactly_75_dollars() -> None:
    with open_market(products=_by_id({**LAMP, "price": 75.0}, {**PACK, "price": 74.99})) as session:
        assert place(session, ("P-1", 1)).value["shipping"] == 0.0
        assert place(session, ("P-3", 1)).value["shipping"] == 4.99


def test_a_coupon_lowers_the_price_of_every_piece_and_loses_a_use(session: Session) -> None:
    value = place(session, ("P-1", 2), coupon="TEN10").value
    assert value["lines"] == [_line(LAMP, 2, 36.0)]
    assert (value["coupon"], value["discount"], value["shipping"], value["total"]) == ("TEN10", 8.0, 4.99, 76.99)
    assert changes(session)["coupons"] == {"TEN10": {"uses_left": 0}}


def test_a_coupon_reckons_with_what_the_products_cost_before_the_discount(session: Session) -> None:
    words = "needs products for 50.00 dollars, these cost 44.00"
    items = [{"product_id": "P-1", "quantity": 1}, {"product_id": "P-4", "quantity": 1}]
    refused(session, "precondition_failed", words, "place_order", items=items, delivery=HOME, coupon="TEN10")
    assert place(session, ("P-11", 1), ("P-12", 1), ("P-4", 3), coupon="TEN10").value["discount"] == 5.2
    with open_market(products=_by_id({**LAMP, "price": 25.0})) as exact:
        assert place(exact, ("P-1", 2), coupon="TEN10").value["total"] == 49.99


@pytest.mark.parametrize(
    ("coupon", "code", "words"),
    [
        ("OLD20", "precondition_failed", "expired on 2026-03-01"),
        ("GONE30", "limit_exceeded", "is used up"),
        ("USED15", "conflict", "used the coupon USED15 already"),
        ("FAKE", "not_found", "no coupon with the id 'FAKE'"),
    ],
)
def test_a_coupon_that_cannot_be_used_is_refused(session: Session, coupon: str, code: str, words: str) -> None:
    items = [{"product_id": "P-1", "quantity": 2}]
    refused(session, code, words, "place_order", items=items, delivery=HOME, coupon=coupon)


def test_a_coupon_of_a_cancelled_order_can_be_used_again(session: Session) -> None:
    assert place(session, ("P-1", 3), coupon="BIG25").value["total"] == 90.0
    assert ids(call(session, "list_coupons"), "coupons") == ["TEN10"]


def test_an_order_of_more_than_there_is_is_refused(session: Session) -> None:
    sold_out = [{"product_id": "P-1", "quantity": 1}, {"product_id": "P-2", "quantity": 1}]
    refused(session, "conflict", "The Solvik desk lamp is sold out", "place_order", items=sold_out, delivery=HOME)
    too_many = [{"product_id": "P-1", "quantity": 6}]
    refused(session, "conflict", "is only 5 left, so 6 cannot", "place_order", items=too_many, delivery=HOME)
    unknown = [{"product_id": "P-99", "quantity": 1}]
    refused(session, "not_found", "no product with the id 'P-99'", "place_order", items=unknown, delivery=HOME)
    assert place(session, ("P-1", 5)).ok


def test_an_order_names_every_product_once(session: Session) -> None:
    twice = [{"product_id": "P-1", "quantity": 1}, {"product_id": "P-1", "quantity": 2}]
    refused(session, "invalid_argument", "'P-1' is named twice", "place_order", items=twice, delivery=HOME)
    refused(session, "invalid_argument", "items", "place_order", items=[], delivery=HOME)


# -- list_orders, get_order --------------------------------------------------------------------------------------------


def test_orders_are_listed_latest_first_five_a_page_and_only_the_customers_own(session: Session) -> None:
    first, second = call(session, "list_orders"), call(session, "list_orders", page=2)
    assert ids(first, "orders") == ["placed", "packed", "shipped", "cancelled", "old"]
    assert ids(second, "orders") == ["delivered", "returned"]
    assert (second.value["total"], second.value["page"], second.value["pages"]) == (7, 2, 2)
    placed = {"id": "placed", "ordered_on": TODAY, "pieces": 3, "total": 84.0, "status": "placed"}
    assert first.value["orders"][0] == placed


def test_orders_are_listed_by_status(session: Session) -> None:
    assert ids(call(session, "list_orders", status="delivered"), "orders") == ["old", "delivered"]
    assert ids(call(session, "list_orders", status="shipped"), "orders") == ["shipped"]


def test_an_order_is_shown_to_the_customer_who_placed_it(session: Session) -> None:
    assert call(session, "get_order", order_id="packed").value == market()["orders"]["packed"]
    refused(session, "permission_denied", "belongs to somebody else", "get_order", order_id="theirs")
    refused(session, "not_found", "no order with the id 'ORD-9'", "get_order", order_id="ORD-9")


# -- change_address ----------------------------------------------------------------------------------------------------


def test_the_address_of_a_placed_order_changes_for_free(session: Session) -> None:
    result = call(session, "change_address", order_id="placed", address_id="A-2")
    moved = {"address": "3 Station Road", "city": "Lisbon"}
    assert result.value == {**market()["orders"]["placed"], **moved}
    assert changes(session) == {"orders": {"placed": moved}}


def test_the_address_of_a_packed_order_changes_for_three_dollars_more(session: Session) -> None:
    assert call(session, "change_address", order_id="packed", address_id="A-2").ok
    moved = {"address": "3 Station Road", "city": "Lisbon", "fee": 6.0}
    assert changes(session) == {"orders": {"packed": moved}}


def test_an_address_can_be_changed_only_before_shipping_and_to_another_one_of_the_customers(session: Session) -> None:
    name = "change_address"
    for status in ("shipped", "delivered", "cancelled", "returned"):
        words = f"The order is {status}, so it cannot be changed"
        refused(session, "precondition_failed", words, name, order_id=status, address_id="A-2")
    refused(session, "permission_denied", "somebody else", name, order_id="theirs", address_id="A-2")
    refused(session, "permission_denied", "somebody else", name, order_id="placed", address_id="A-3")
    refused(session, "invalid_argument", "12 Mill Lane in Oslo already", name, order_id="placed", address_id="A-1")
    refused(session, "not_found", "no address", name, order_id="placed", address_id="A-9")


def test_the_same_street_in_another_city_is_another_address() -> None:
    addresses = _by_id(_address("A-1", "C-1", "home", "12 Mill Lane", "Porto"))
    with open_market(addresses=addresses) as session:
        assert call(session, "change_address", order_id="placed", address_id="A-1").value["city"] == "Porto"


# -- cancel_order ------------------------------------------------------------------------------------------------------


def test_cancelling_a_placed_order_is_free_and_fills_the_shelf_again(session: Session) -> None:
    result = call(session, "cancel_order", order_id="placed")
    assert result.value == {"order_id": "placed", "fee": 0.0, "refund": 84.0}
    assert changes(session) == {
        "orders": {"placed": {"status": "cancelled", "refunded": 84.0}},
        "products": {"P-1": {"stock": 7}, "P-4": {"stock": 21}},
    }


def test_cancelling_a_packed_order_costs_a_tenth_and_gives_the_coupon_back(session: Session) -> None:
    result = call(session, "cancel_order", order_id="packed")
    assert result.value == {"order_id": "packed", "fee": 5.6, "refund": 50.39}
    assert changes(session) == {
        "orders": {"packed": {"status": "cancelled", "fee": 8.6, "refunded": 50.39}},
        "products": {"P-3": {"stock": 2}},
        "coupons": {"USED15": {"uses_left": 8}},
    }
    assert place(session, ("P-1", 2), coupon="USED15").value["discount"] == 12.0


def test_an_order_that_left_cannot_be_cancelled(session: Session) -> None:
    for status in ("shipped", "delivered", "cancelled", "returned"):
        refused(session, "precondition_failed", f"The order is {status}", "cancel_order", order_id=status)
    refused(session, "permission_denied", "belongs to somebody else", "cancel_order", order_id="theirs")


# -- return_items ------------------------------------------------------------------------------------------------------


def test_damaged_items_are_returned_for_what_they_cost(session: Session) -> None:
    items = [{"product_id": "P-3", "quantity": 1}, {"product_id": "P-1", "quantity": 2}]
    result = call(session, "return_items", order_id="delivered", items=items, reason="damaged")
    row = {
        "id": "RET-1001", "order_id": "delivered", "items": items, "reason": "damaged", "requested_on": TODAY,
        "postage": 0.0, "refund": 126.0,
    }  # fmt: skip
    assert result.value == row
    lines = [_line(LAMP, 3, 36.0, 2), _line(PACK, 1, 54.0, 1), _line(MUG, 1, 4.0)]
    assert changes(session) == {
        "orders": {"delivered": {"lines": lines, "refunded": 126.0}},
        "returns": {"RET-1001": row},
        "counters": {"RET": 1001},
    }


def test_unwanted_items_cost_the_postage_but_never_more_than_they_are_worth(session: Session) -> None:
    lamp = [{"product_id": "P-1", "quantity": 1}]
    result = call(session, "return_items", order_id="delivered", items=lamp, reason="unwanted")
    assert (result.value["postage"], result.value["refund"]) == (4.99, 31.01)
    mug = [{"product_id": "P-4", "quantity": 1}]
    result = call(session, "return_items", order_id="delivered", items=mug, reason="unwanted")
    assert (result.value["postage"], result.value["refund"]) == (4.99, 0.0)
    assert changes(session)["orders"]["delivered"]["refunded"] == 31.01


def test_an_order_is_returned_once_everything_was_sent_back(session: Session) -> None:
    for items in ([("P-1", 2), ("P-3", 1)], [("P-4", 1)], [("P-1", 1)]):
        assert call(session, "get_order", order_id="delivered").value["status"] == "delivered"
        rows = [{"product_id": product, "quantity": quantity} for product, quantity in items]
        assert call(session, "return_items", order_id="delivered", items=rows, reason="not_as_described").ok
    order = call(session, "get_order", order_id="delivered").value
    assert (order["status"], order["refunded"]) == ("returned", 166.0)
    words = "The order is returned; only delivered items"
    refused(session, "precondition_failed", words, "return_items", order_id="delivered", items=rows, reason="damaged")


def test_a_return_is_refused_when_late_or_early_or_not_the_customers(session: Session) -> None:
    more: dict[str, Any] = {"items": [{"product_id": "P-1", "quantity": 1}], "reason": "damaged"}
    refused(session, "precondition_failed", "over 30 days ago", "return_items", order_id="old", **more)
    refused(session, "precondition_failed", "is placed; only", "return_items", order_id="placed", **more)
    refused(session, "permission_denied", "somebody else", "return_items", order_id="theirs", **more)


def test_the_window_of_a_return_closes_as_the_clock_moves(session: Session) -> None:
    session.advance(DEFAULT_NOW + dt.timedelta(days=1))
    items = [{"product_id": "P-1", "quantity": 1}]
    words = "came on 2026-01-31, over 30 days ago"
    refused(session, "precondition_failed", words, "return_items", order_id="delivered", items=items, reason="damaged")


def test_a_return_is_of_what_was_ordered_and_not_yet_sent_back(session: Session) -> None:
    def refused_items(code: str, words: str, *items: tuple[str, int]) -> None:
        rows = [{"product_id": product, "quantity": quantity} for product, quantity in items]
        refused(session, code, words, "return_items", order_id="delivered", items=rows, reason="damaged")

    refused_items("not_found", "has no product with the id 'P-2'", ("P-2", 1))
    refused_items("limit_exceeded", "Of the Luma desk lamp, 3 can be returned, not 4", ("P-1", 4))
    refused_items("invalid_argument", "'P-1' is named twice", ("P-1", 1), ("P-1", 1))
    lamps = [{"product_id": "P-1", "quantity": 2}]
    assert call(session, "return_items", order_id="delivered", items=lamps, reason="damaged").ok
    refused_items("limit_exceeded", "1 can be returned, not 2", ("P-1", 2))


@settings(max_examples=40, deadline=None)
@given(
    prices=st.lists(st.integers(1, 20000), min_size=1, max_size=4),
    percent=st.integers(1, 90),
    quantity=st.integers(1, 5),
)
def test_refunds_for_every_single_piece_add_up_to_what_the_goods_cost(
    prices: list[int], percent: int, quantity: int
) -> None:
    products = _by_id(*(_product(f"P-{n}", f"Luma lamp {n}", price / 100, 4.0, 9) for n, price in enumerate(prices)))
    with open_market(products=products, coupons=_by_id(_coupon("ANY", percent, 0.0, TODAY, 1)), orders={}) as session:
        order = place(session, *((key, quantity) for key in products), coupon="ANY").value
        document = json.loads(session.dump()[NAME])
    document["orders"][order["id"]] |= {"status": "delivered", "delivered_on": TODAY}
    with open_market(**document) as session:
        for key in list(products) * quantity:
            items = [{"product_id": key, "quantity": 1}]
            assert call(session, "return_items", order_id=order["id"], items=items, reason="damaged").ok
        after = call(session, "get_order", order_id=order["id"]).value
    assert after["status"] == "returned"
    assert after["refunded"] == round(order["total"] - order["shipping"], 2)


# -- rate_seller, message_seller ---------------------------------------------------------------------------------------


def test_a_rating_counts_towards_the_sellers_average(session: Session) -> None:
    result = call(session, "rate_seller", order_id="delivered", seller_id="S-2", stars=2, comment="came late")
    assert result.value == {"rating_id": "RAT-1001", "seller_rating": 3.0, "ratings": 3}
    rating = {"order_id": "delivered", "seller_id": "S-2", "customer_id": "C-1", "stars": 2, "comment": "came late"}
    assert changes(session) == {
        "ratings": {"RAT-1001": {"id": "RAT-1001", **rating}},
        "sellers": {"S-2": {"rating": 3.0, "ratings": 3}},
        "counters": {"RAT": 1001},
    }


def test_the_average_of_a_seller_is_rounded_to_hundredths(session: Session) -> None:
    assert call(session, "rate_seller", order_id="returned", seller_id="S-1", stars=5).value["seller_rating"] == 4.1
    assert call(session, "rate_seller", order_id="old", seller_id="S-1", stars=5).value["seller_rating"] == 4.18


def test_a_seller_is_rated_once_an_order_and_only_for_what_it_delivered(session: Session) -> None:
    name = "rate_seller"
    assert call(session, name, order_id="delivered", seller_id="S-1", stars=4).ok
    assert call(session, name, order_id="delivered", seller_id="S-2", stars=4).ok
    refused(session, "conflict", "rated North Goods", name, order_id="delivered", seller_id="S-1", stars=1)
    refused(session, "precondition_failed", "is shipped; rate it", name, order_id="shipped", seller_id="S-1", stars=4)
    refused(session, "precondition_failed", "is placed; rate it", name, order_id="placed", seller_id="S-1", stars=4)
    refused(session, "invalid_argument", "Harbour Shop sold nothing", name, order_id="old", seller_id="S-2", stars=4)
    refused(session, "not_found", "no seller with the id", name, order_id="old", seller_id="S-9", stars=4)
    refused(session, "permission_denied", "somebody else", name, order_id="theirs", seller_id="S-2", stars=4)
    refused(session, "invalid_argument", "stars", name, order_id="old", seller_id="S-1", stars=6)


def test_a_message_says_when_the_seller_will_have_answered(session: Session) -> None:
    result = call(session, "message_seller", order_id="packed", seller_id="S-2", text="when will it come")
    assert result.value == {"message_id": "MSG-1001", "answer_by": "2026-03-02T15:00:00"}
    message = {
        "id": "MSG-1001", "seller_id": "S-2", "customer_id": "C-1", "order_id": "packed", "text": "when will it come",
        "sent_at": "2026-03-02T09:00:00", "answer_by": "2026-03-02T15:00:00",
    }  # fmt: skip
    assert changes(session) == {"messages": {"MSG-1001": message}, "counters": {"MSG": 1001}}


def test_a_seller_gets_three_messages_a_day_from_a_customer_at_most() -> None:
    def message(key: str, customer: str, day: str) -> dict[str, Any]:
        sent = {"sent_at": f"{day}T08:00:00", "answer_by": f"{day}T14:00:00"}
        return {"id": key, "seller_id": "S-2", "customer_id": customer, "order_id": "packed", "text": "hello", **sent}

    written = _by_id(message("M-1", "C-1", TODAY), message("M-2", "C-2", TODAY), message("M-3", "C-1", "2026-03-01"))
    with open_market(messages=written) as session:
        to_harbour = {"order_id": "delivered", "seller_id": "S-2", "text": "are you there"}
        to_north = {"order_id": "delivered", "seller_id": "S-1", "text": "are you there"}
        assert call(session, "message_seller", **to_harbour).ok
        assert call(session, "message_seller", **to_harbour).ok
        refused(session, "limit_exceeded", "written to Harbour Shop 3 times today", "message_seller", **to_harbour)
        assert call(session, "message_seller", **to_north).ok
        session.advance(DEFAULT_NOW + dt.timedelta(days=1))
        assert call(session, "message_seller", **to_harbour).ok


def test_a_message_goes_to_a_seller_of_an_order_of_the_customers(session: Session) -> None:
    name, text = "message_seller", "are you there"
    refused(session, "invalid_argument", "Harbour Shop sold", name, order_id="placed", seller_id="S-2", text=text)
    refused(session, "permission_denied", "somebody else", name, order_id="theirs", seller_id="S-2", text=text)
    refused(session, "not_found", "no order with the id", name, order_id="ORD-9", seller_id="S-2", text=text)


# -- list_addresses, save_address --------------------------------------------------------------------------------------


def test_addresses_are_listed_by_nickname_and_by_city(session: Session) -> None:
    saved = market()["addresses"]
    result = call(session, "list_addresses")
    assert result.value == {"addresses": [saved["A-2"], saved["A-1"]], "total": 2, "page": 1, "pages": 1}
    assert ids(call(session, "list_addresses", city="Oslo"), "addresses") == ["A-1"]
    assert ids(call(session, "list_addresses", city="Porto"), "addresses") == []


def test_a_saved_address_can_be_used_for_an_order(session: Session) -> None:
    result = call(session, "save_address", nickname="studio", address="7 Orchard Way", city="Porto")
    assert result.value == {"address_id": "ADR-1001", "saved": 3}
    row = _address("ADR-1001", "C-1", "studio", "7 Orchard Way", "Porto")
    assert changes(session) == {"addresses": {"ADR-1001": row}, "counters": {"ADR": 1001}}
    moved = call(session, "change_address", order_id="placed", address_id="ADR-1001").value
    assert (moved["address"], moved["city"]) == ("7 Orchard Way", "Porto")


def test_eight_addresses_can_be_saved_each_under_its_own_nickname(session: Session) -> None:
    refused(
        session,
        "conflict",
        "called Home already",
        "save_address",
        nickname="Home",
        address="1 Linden Street",
        city="Oslo",
    )
    for number in range(6):
        assert call(session, "save_address", nickname=f"n{number}", address="1 Linden Street", city="Oslo").ok
    words = "You have saved 8 addresses"
    refused(session, "limit_exceeded", words, "save_address", nickname="n6", address="1 Linden Street", city="Oslo")
    assert ids(call(session, "list_addresses", page=2), "addresses") == ["ADR-1004", "ADR-1005", "ADR-1006"]


# -- scenario ----------------------------------------------------------------------------------------------------------


def test_the_spec_describes_fourteen_tools_half_of_them_writing() -> None:
    spec = describe(MarketplaceOrders)
    assert len(spec.tools) == 14
    assert sum(tool.writes for tool in spec.tools) == 7
    assert all(len(tool.ask) >= 4 for tool in spec.tools)
    assert {leaf.path for leaf in spec.tool_by_name["place_order"].inputs} == {
        "items[].product_id", "items[].quantity", "delivery.address", "delivery.city", "delivery.method", "coupon",
    }  # fmt: skip


@pytest.mark.parametrize("size", [10, 60, 300])
@pytest.mark.parametrize("seed", range(5))
def test_a_scenario_is_consistent(seed: int, size: int) -> None:
    state = build_scenario(MarketplaceOrders, seed, size, DEFAULT_NOW)
    assert isinstance(state, MarketplaceOrders)
    assert sum(len(getattr(state, name)) for name in MarketplaceOrders.tables) >= 50
    assert len({product.name for product in state.products.values()}) == len(state.products)
    for product in state.products.values():
        assert product.seller_name == state.sellers[product.seller_id].name
    for order in state.orders.values():
        assert order.customer_id in state.customers
        goods = 0.0
        for line in order.lines:
            product = state.products[line.product_id]
            assert (line.name, line.seller_id) == (product.name, product.seller_id)
            assert line.returned == (line.quantity if order.status == "returned" else 0)
            goods += line.price * line.quantity
        assert order.total == pytest.approx(goods + order.shipping)
        assert order.ordered_on < DEFAULT_NOW.date()
        assert order.status not in ("placed", "packed", "shipped") or order.arrives_on >= DEFAULT_NOW.date()
        assert (order.delivered_on is not None) == (order.status in ("delivered", "returned"))
        assert order.delivered_on is None or order.delivered_on <= DEFAULT_NOW.date()
        paid_back = {"cancelled": order.total, "returned": order.total - order.shipping}.get(order.status, 0.0)
        assert order.refunded == pytest.approx(paid_back)
        assert order.coupon is None or (order.discount > 0 and order.coupon in state.coupons)
    for row in (*state.ratings.values(), *state.messages.values()):
        order = state.orders[row.order_id]
        assert row.customer_id == order.customer_id
        assert row.seller_id in {line.seller_id for line in order.lines}
    for row in state.returns.values():
        assert state.orders[row.order_id].status == "returned"


@pytest.mark.parametrize("seed", range(5))
def test_a_scenario_holds_the_edges_and_the_users_orders_in_every_status(seed: int) -> None:
    state = build_scenario(MarketplaceOrders, seed, 60, DEFAULT_NOW)
    assert isinstance(state, MarketplaceOrders)
    mine = [order for order in state.orders.values() if order.customer_id == state.customer_id]
    assert {order.status for order in mine} == {"placed", "packed", "shipped", "delivered", "cancelled", "returned"}
    assert len({DEFAULT_NOW.date(), *(order.ordered_on for order in mine)}) == len(mine) + 1
    since = [
        (DEFAULT_NOW.date() - order.delivered_on).days
        for order in mine
        if order.delivered_on and order.status == "delivered"
    ]
    assert min(since) <= 30 < max(since)
    assert {0, 1} <= {product.stock for product in state.products.values()}
    assert any(coupon.expires_on < DEFAULT_NOW.date() for coupon in state.coupons.values())
    assert any(coupon.uses_left == 0 for coupon in state.coupons.values())
    reference = Reference(environments={NAME: ""}, seed=seed)
    with Session(BACKEND, reference) as session:
        kinds = sorted({product.kind for product in state.products.values()})
        assert max(call(session, "search_products", query=kind).value["pages"] for kind in kinds) == 2
        for name in ("list_coupons", "list_orders", "list_addresses"):
            assert call(session, name).value["pages"] >= 2
        asked = next(message for message in state.messages.values() if message.customer_id == state.customer_id)
        more = {"order_id": asked.order_id, "seller_id": asked.seller_id, "text": "are you there"}
        refused(session, "limit_exceeded", "3 times today", "message_seller", **more)
