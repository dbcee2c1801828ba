"""The returns desk, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.commerce.returns_and_refunds import ReturnsAndRefunds
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.

FAULTS = ["a_defect", "a_wrong_description"]
REASONS = ["a_change_of_mind", *FAULTS]
WAYS = ["a_counter_code", "a_printed_label", "a_home_pickup"]


def article(key: str, product: str, variant: str, price: float, stock: int = 3) -> Row:
    return {"id": key, "product": product, "variant": variant, "price": price, "stock": stock}


def item(key: str, category: str, price: float, delivered_on: str = "2026-02-20", **changes: Any) -> Row:
    return {
        "id": key, "shopper_id": "S-1", "product": f"thing {key[2:]}", "variant": "small", "category": category,
        "price": price, "delivered_on": delivered_on, "opened": False, "final_sale": False, "extended": False,
        "reasons": REASONS, "status": "kept", **changes,
    }  # fmt: skip


def case(key: str, item_id: str, status: str = "authorised", amount: float = 100.0, **changes: Any) -> Row:
    category = changes.pop("category", "clothing")
    return {
        "id": key, "shopper_id": "S-1", "item_id": item_id, "product": f"thing {item_id[2:]}", "category": category,
        "reason": "a_change_of_mind", "remedy": "a_refund", "ways": WAYS[2:] if category == "furniture" else WAYS,
        "amount": amount, "to_pay": 0.0, "asked_on": "2026-02-25", "send_by": "2026-03-11", "extended": False,
        "status": status, **changes,
    }  # fmt: skip


INSPECTED: Row = {"way": "a_counter_code", "inspected_on": "2026-02-23", "grade": "worn", "offer": 57.6}
ITEMS = keyed(
    item("I-1", "clothing", 50.0, "2026-02-10", reasons=["a_change_of_mind", "a_wrong_size", *FAULTS]),
    item("I-2", "electronics", 100.0, opened=True),
    item("I-3", "cosmetics", 20.0, opened=True, reasons=FAULTS),
    item("I-4", "books", 30.0, final_sale=True, reasons=FAULTS),
    item("I-5", "furniture", 200.0, opened=True),
    item("I-6", "clothing", 60.0, "2026-02-28", shopper_id="S-2"),
    item("I-7", "clothing", 80.0, "2026-02-28", reasons=[]),
    *(item(f"I-{n}", "clothing", 100.0, "2026-02-01", status="returning") for n in (11, 12, 13, 14, 15, 16, 17, 18)),
    item("I-19", "furniture", 200.0, opened=True, status="returning"),
    item("I-20", "books", 10.0, status="returned"),
)
RETURNS = keyed(
    case("R-1", "I-11"),
    case("R-2", "I-12", "labelled", 96.01, way="a_counter_code", asked_on="2026-02-24"),
    case("R-3", "I-13", remedy="an_exchange", amount=0.0, to_pay=8.0, exchange="large", reason="a_wrong_size"),
    case("R-4", "I-14", "in_transit", 95.01, way="a_printed_label"),
    case("R-5", "I-15", "inspected", 96.01, **INSPECTED, asked_on="2026-02-10"),
    case("R-6", "I-16", "contested", 106.01, remedy="store_credit", **INSPECTED, objection="it was so"),
    case("R-7", "I-17", send_by="2026-03-01", asked_on="2026-02-15"),
    case("R-8", "I-18", shopper_id="S-2"),
    case("R-9", "I-19", amount=180.0, category="furniture", asked_on="2026-02-26"),
    case("R-10", "I-20", "settled", 10.0, asked_on="2026-01-10"),
)
STATE: dict[str, Any] = {
    "shopper_id": "S-1",
    "shoppers": keyed(
        {"id": "S-1", "name": "Ada Berg", "email": "ada@mail.example", "credit": 10.0},
        {"id": "S-2", "name": "Ben Cole", "email": "ben@mail.example", "credit": 0.0},
    ),
    "articles": keyed(
        article("A-1", "thing 1", "small", 45.0),
        article("A-2", "thing 1", "medium", 50.0, 1),
        article("A-3", "thing 1", "large", 58.0),
        article("A-4", "thing 1", "petite", 41.5),
        article("A-5", "thing 1", "huge", 40.0, 0),
        article("A-6", "thing 2", "medium", 100.0),
        article("A-8", "thing 13", "medium", 100.0),
        article("A-7", "thing 13", "large", 108.0),
    ),
    "items": ITEMS,
    "returns": RETURNS,
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(ReturnsAndRefunds, STATE, rows=rows, **changes)


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"category": "clothing"}, ["I-7", "I-1", "I-18", "I-17", "I-16"]),
        ({"category": "clothing", "page": 2}, ["I-15", "I-14", "I-13", "I-12", "I-11"]),
        ({"category": "clothing", "returnable": True}, ["I-1"]),
        ({"category": "electronics", "returnable": True}, ["I-2"]),
        ({"category": "cosmetics"}, ["I-3"]),
        ({"category": "cosmetics", "returnable": True}, []),
        ({"category": "books"}, ["I-4", "I-20"]),
    ],
)
def test_purchases_are_listed_by_delivery(arguments: Row, found: list[str]) -> None:
    at = desk({"items": keyed(item("I-4", "books", 30.0, "2026-02-21", final_sale=True, reasons=FAULTS))})
    assert at.ids("list_purchases", **arguments) == found


def test_what_is_past_its_window_cannot_be_returned_just_so() -> None:
    rows = keyed(item("I-30", "electronics", 9.0, "2026-02-16"), item("I-31", "electronics", 9.0, "2026-02-15"))
    assert desk({"items": rows}).ids("list_purchases", category="electronics", returnable=True) == ["I-2", "I-30"]


@pytest.mark.parametrize(
    ("category", "days", "opened", "percent"),
    [
        ("clothing", 60, "taken_back", 0),
        ("electronics", 14, "taken_back_for_a_fee", 15),
        ("cosmetics", 30, "refused", 0),
        ("books", 30, "taken_back", 0),
        ("furniture", 30, "taken_back_for_a_fee", 10),
    ],
)
def test_terms_go_by_category(category: str, days: int, opened: str, percent: int) -> None:
    assert desk().gives("get_terms", category=category) == {
        "category": category, "days": days, "description_days": 2 * days, "defect_days": 365, "opened": opened,
        "restocking_percent": percent, "ways": WAYS[2:] if category == "furniture" else WAYS,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("item_id", "reason", "until", "restocking", "postage", "refund", "credit"),
    [
        ("I-1", "a_change_of_mind", "2026-04-11", 0.0, 3.99, 50.0, 55.0),
        ("I-1", "a_wrong_size", "2026-04-11", 0.0, 3.99, 50.0, 55.0),
        ("I-1", "a_wrong_description", "2026-06-10", 0.0, 0.0, 50.0, 55.0),
        ("I-2", "a_change_of_mind", "2026-03-06", 15.0, 3.99, 85.0, 93.5),
        ("I-2", "a_defect", "2027-02-20", 0.0, 0.0, 100.0, 110.0),
        ("I-3", "a_wrong_description", "2026-04-21", 0.0, 0.0, 20.0, 22.0),
        ("I-5", "a_change_of_mind", "2026-03-22", 20.0, 9.99, 180.0, 198.0),
    ],
)
def test_a_quote_tells_what_a_return_would_bring(
    item_id: str, reason: str, until: str, restocking: float, postage: float, refund: float, credit: float
) -> None:
    assert desk().gives("quote_return", item_id=item_id, reason=reason) == {
        "item_id": item_id, "product": f"thing {item_id[2:]}", "until": until, "restocking": restocking,
        "postage": postage, "offers": [
            {"remedy": "a_refund", "amount": refund}, {"remedy": "store_credit", "amount": credit}
        ],
    }  # fmt: skip


def test_other_sizes_in_stock_are_found() -> None:
    assert desk().ids("find_exchanges", item_id="I-1") == ["A-4", "A-2", "A-3"]
    assert desk().ids("find_exchanges", item_id="I-1", page=2) == []
    assert desk().ids("find_exchanges", item_id="I-3") == []
    assert desk().ids("find_exchanges", item_id="I-2") == ["A-6"]
    words = "thing 7 was inspected and sent back once, so it stays with you"
    desk().refuses("find_exchanges", "conflict", words, item_id="I-7")
    desk().refuses("find_exchanges", "permission_denied", "belongs to somebody else", item_id="I-6")


@pytest.mark.parametrize(
    ("arguments", "found", "worth"),
    [
        ({}, ["R-9", "R-6", "R-4", "R-3", "R-1"], 783.04),
        ({"page": 2}, ["R-2", "R-7", "R-5", "R-10"], 783.04),
        ({"status": "authorised"}, ["R-9", "R-3", "R-1", "R-7"], 380.0),
        ({"status": "settled"}, ["R-10"], 10.0),
        ({"status": "cancelled"}, [], 0.0),
    ],
)
def test_returns_are_listed_by_when_they_were_asked_for(arguments: Row, found: list[str], worth: float) -> None:
    assert desk().ids("list_returns", **arguments) == found
    listed = desk().gives("list_returns", **arguments)
    assert (listed["worth"], listed["credit"]) == (worth, 10.0)


def test_a_return_is_shown_with_how_its_amount_comes_about() -> None:
    assert desk().gives("get_return", return_id="R-6") == {
        "return_id": "R-6", "product": "thing 16", "status": "contested", "reason": "a_change_of_mind",
        "remedy": "store_credit", "price": 100.0, "restocking": 0.0, "bonus": 10.0, "postage": 3.99, "amount": 106.01,
        "to_pay": 0.0, "lapsed": False, "way": "a_counter_code", "grade": "worn", "offer": 57.6,
    }  # fmt: skip
    inspected = desk().gives("get_return", return_id="R-5")
    assert (inspected["answer_by"], inspected["offer"]) == ("2026-03-02", 57.6)
    settled = case("R-5", "I-15", "settled", 57.6, **INSPECTED)
    shown = desk({"returns": keyed(settled)}).gives("get_return", return_id="R-5")
    assert (shown["grade"], "offer" in shown, "answer_by" in shown, "send_by" in shown) == ("worn", False, False, False)
    assert desk().gives("get_return", return_id="R-2")["send_by"] == "2026-03-11"
    assert desk().gives("get_return", return_id="R-1")["send_by"] == "2026-03-11"
    assert "send_by" not in desk().gives("get_return", return_id="R-4")
    exchange = desk().gives("get_return", return_id="R-3")
    assert (exchange["exchange"], exchange["to_pay"], exchange["bonus"]) == ("large", 8.0, 0.0)
    assert desk().gives("get_return", return_id="R-9")["restocking"] == 20.0
    assert "answer_by" not in exchange
    assert desk().gives("get_return", return_id="R-7")["lapsed"] is True
    assert desk({"returns": keyed(case("R-7", "I-17", send_by="2026-03-02"))}).gives(
        "get_return", return_id="R-7"
    )["lapsed"] is False  # fmt: skip
    sent = case("R-7", "I-17", "in_transit", send_by="2026-03-01")
    assert desk({"returns": keyed(sent)}).gives("get_return", return_id="R-7")["lapsed"] is False


# -- asking for a return


@pytest.mark.parametrize(
    ("item_id", "reason", "remedy", "amount"),
    [
        ("I-1", "a_change_of_mind", "a_refund", 50.0),
        ("I-1", "a_wrong_size", "store_credit", 55.0),
        ("I-2", "a_change_of_mind", "a_refund", 85.0),
        ("I-2", "a_defect", "a_refund", 100.0),
        ("I-2", "a_wrong_description", "store_credit", 110.0),
        ("I-5", "a_change_of_mind", "store_credit", 198.0),
    ],
)
def test_a_return_is_asked_for(item_id: str, reason: str, remedy: str, amount: float) -> None:
    at = desk()
    made = at.gives("request_return", item_id=item_id, reason=reason, remedy=remedy)
    category = ITEMS[item_id]["category"]
    expected = case("RT-1001", item_id, amount=amount, reason=reason, remedy=remedy, category=category)
    assert made == {**expected, "asked_on": "2026-03-02", "send_by": "2026-03-16"}
    changed = {"returns.created": {"RT-1001": made}, "items.changed": {item_id: {"status": "returning"}}}
    assert at.changed() == changed
    words = "is returning, so it cannot be returned or exchanged"
    again = {"item_id": item_id, "reason": reason, "remedy": remedy}
    at.refuses("request_return", "precondition_failed", words, **again)
    at.refuses("find_exchanges", "precondition_failed", words, item_id=item_id)


ASKED: list[tuple[str, Row]] = [
    ("quote_return", {}),
    ("request_return", {"remedy": "a_refund"}),
    ("request_exchange", {"article_id": "A-3"}),
]


@pytest.mark.parametrize(("tool", "more"), ASKED)
@pytest.mark.parametrize(
    ("item_id", "reason", "code", "words"),
    [
        ("I-3", "a_change_of_mind", "precondition_failed", "thing 3 has been opened, so only faults bring it back"),
        ("I-4", "a_change_of_mind", "precondition_failed", "thing 4 was a final sale, so only faults bring it back"),
        ("I-4", "a_wrong_size", "precondition_failed", "thing 4 was a final sale"),
        ("I-2", "a_wrong_size", "invalid_argument", "thing 2 has no size; return it for another reason"),
        ("I-7", "a_defect", "conflict", "thing 7 was inspected and sent back once"),
        ("I-6", "a_defect", "permission_denied", "belongs to somebody else"),
        ("I-20", "a_defect", "precondition_failed", "is returned, so it cannot be returned or exchanged"),
        ("I-99", "a_defect", "not_found", "no item with the id 'I-99'"),
    ],
)
def test_what_is_not_taken_back_is_refused(
    tool: str, more: Row, item_id: str, reason: str, code: str, words: str
) -> None:
    desk().refuses(tool, code, words, item_id=item_id, reason=reason, **more)


@pytest.mark.parametrize(
    ("category", "reason", "days"),
    [
        ("clothing", "a_wrong_size", 60),
        ("electronics", "a_change_of_mind", 14),
        ("electronics", "a_wrong_description", 28),
        ("cosmetics", "a_change_of_mind", 30),
        ("books", "a_change_of_mind", 30),
        ("furniture", "a_defect", 365),
    ],
)
def test_a_window_ends_on_its_last_day(category: str, reason: str, days: int) -> None:
    last, late = (str(dt.date(2026, 3, 2) - dt.timedelta(days=days + more)) for more in (0, 1))
    every = [*REASONS, "a_wrong_size"]
    at = desk(
        {"items": keyed(*(item(k, category, 9.0, d, reasons=every) for k, d in (("I-30", last), ("I-31", late))))}
    )
    words = f"could be returned for {reason.replace('_', ' ')} until 2026-03-01"
    asked = {"reason": reason, "remedy": "a_refund"}
    at.refuses("request_return", "precondition_failed", words, item_id="I-31", **asked)
    assert at.gives("request_return", item_id="I-30", **asked)["amount"] == 9.0


@pytest.mark.parametrize(
    ("article_id", "variant", "amount", "to_pay"),
    [("A-2", "medium", 0.0, 0.0), ("A-3", "large", 0.0, 8.0), ("A-4", "petite", 8.5, 0.0)],
)
def test_an_exchange_costs_or_brings_the_difference_and_keeps_a_piece_aside(
    article_id: str, variant: str, amount: float, to_pay: float
) -> None:
    at = desk()
    made = at.gives("request_exchange", item_id="I-1", article_id=article_id, reason="a_wrong_size")
    expected = case("RT-1001", "I-1", amount=amount, to_pay=to_pay, reason="a_wrong_size", remedy="an_exchange")
    assert made == {**expected, "exchange": variant, "asked_on": "2026-03-02", "send_by": "2026-03-16"}
    assert at.changed() == {
        "returns.created": {"RT-1001": made},
        "items.changed": {"I-1": {"status": "returning"}},
        "articles.changed": {article_id: {"stock": STATE["articles"][article_id]["stock"] - 1}},
    }
    at.gives("cancel_return", return_id="RT-1001")
    assert set(at.changed()) == {"returns.created", "items.changed"}


@pytest.mark.parametrize(
    ("article_id", "code", "words"),
    [
        ("A-6", "invalid_argument", "thing 1 is exchanged for another size or colour alone"),
        ("A-1", "invalid_argument", "You have the thing 1 in small; choose another one"),
        ("A-5", "conflict", "thing 1 in huge is sold out"),
        ("A-99", "not_found", "no article with the id 'A-99'"),
    ],
)
def test_an_exchange_is_for_another_piece_of_the_product(article_id: str, code: str, words: str) -> None:
    desk().refuses("request_exchange", code, words, item_id="I-1", article_id=article_id, reason="a_defect")


def test_six_returns_at_most_wait_to_be_sent() -> None:
    at = desk()  # five of one's own wait
    at.gives("request_return", item_id="I-1", reason="a_defect", remedy="a_refund")
    words = "6 returns wait to be sent; send or cancel one first"
    asked = {"item_id": "I-2", "reason": "a_defect"}
    at.refuses("request_return", "limit_exceeded", words, **asked, remedy="a_refund")
    at.refuses("request_exchange", "limit_exceeded", words, **asked, article_id="A-6")
    at.gives("cancel_return", return_id="R-7")
    at.gives("request_exchange", **asked, article_id="A-6")


# -- until it is sent


@pytest.mark.parametrize(("tool", "more"), [
    ("get_return", {}),
    ("choose_way", {"way": "a_home_pickup"}),
    ("change_remedy", {"remedy": "store_credit"}),
    ("extend_return", {}),
    ("cancel_return", {}),
    ("accept_offer", {}),
    ("contest_inspection", {"objection": "it was so"}),
    ("have_sent_back", {}),
])  # fmt: skip
def test_only_own_returns_are_touched(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "That return belongs to somebody else", return_id="R-8", **more)
    desk().refuses(tool, "not_found", "no return with the id 'R-99'", return_id="R-99", **more)


@pytest.mark.parametrize(
    ("way", "amount"), [("a_counter_code", 96.01), ("a_printed_label", 95.01), ("a_home_pickup", 90.01)]
)
def test_postage_is_taken_off(way: str, amount: float) -> None:
    at = desk()
    chosen = at.gives("choose_way", return_id="R-1", way=way)
    assert chosen == {**RETURNS["R-1"], "way": way, "status": "labelled", "amount": amount}
    assert at.changed() == {"returns.changed": {"R-1": {"way": way, "status": "labelled", "amount": amount}}}
    at.refuses("choose_way", "conflict", "goes back like that already", return_id="R-1", way=way)


def test_another_way_can_be_chosen() -> None:
    assert desk().gives("choose_way", return_id="R-2", way="a_home_pickup")["amount"] == 90.01


def test_faults_and_exchanges_travel_free() -> None:
    at = desk(
        {"returns": keyed(*(case(f"R-{n}", "I-11", reason=reason) for n, reason in ((20, FAULTS[0]), (21, FAULTS[1]))))}
    )
    for key in ("R-20", "R-21"):
        assert at.gives("choose_way", return_id=key, way="a_home_pickup")["amount"] == 100.0
        assert at.gives("get_return", return_id=key)["postage"] == 0.0
    exchange = at.gives("choose_way", return_id="R-3", way="a_home_pickup")
    assert (exchange["amount"], exchange["to_pay"]) == (0.0, 8.0)
    assert at.gives("get_return", return_id="R-3")["postage"] == 0.0


def test_postage_never_costs_more_than_the_item() -> None:
    rows = {"items": keyed(item("I-30", "books", 4.0)), "returns": keyed(case("R-30", "I-30", category="books"))}
    assert desk(rows).gives("choose_way", return_id="R-30", way="a_home_pickup")["amount"] == 0.0


def test_furniture_is_fetched() -> None:
    words = "Furniture is fetched: the thing 19 goes by a home pickup"
    desk().refuses("choose_way", "invalid_argument", words, return_id="R-9", way="a_counter_code")
    assert desk().gives("choose_way", return_id="R-9", way="a_home_pickup")["amount"] == 170.01


def test_store_credit_is_worth_more() -> None:
    at = desk()
    assert at.gives("change_remedy", return_id="R-1", remedy="store_credit")["amount"] == 110.0
    assert at.changed() == {"returns.changed": {"R-1": {"remedy": "store_credit", "amount": 110.0}}}
    assert at.gives("change_remedy", return_id="R-2", remedy="store_credit")["amount"] == 106.01
    assert at.gives("change_remedy", return_id="R-4", remedy="store_credit")["amount"] == 105.01
    assert at.gives("change_remedy", return_id="R-9", remedy="store_credit")["amount"] == 198.0
    words = "thing 1 return brings a refund already"
    rows = {"returns": keyed({**case("R-1", "I-11"), "product": "thing 1"})}
    desk(rows).refuses("change_remedy", "conflict", words, return_id="R-1", remedy="a_refund")


def test_an_exchange_is_called_off_for_money() -> None:
    at = desk({"returns": keyed(case("R-3", "I-13", "labelled", 0.0, remedy="an_exchange", to_pay=8.0,
                                     exchange="large", way="a_printed_label"))})  # fmt: skip
    changed = at.gives("change_remedy", return_id="R-3", remedy="a_refund")
    assert changed == {
        **case("R-3", "I-13", "labelled", 95.01), "way": "a_printed_label"
    }  # fmt: skip
    assert at.changed()["articles.changed"] == {"A-7": {"stock": 4}}


def test_opened_goods_lose_nothing_in_an_exchange_until_it_is_called_off() -> None:
    at = desk()
    made = at.gives("request_exchange", item_id="I-2", article_id="A-6", reason="a_change_of_mind")
    assert (made["amount"], made["to_pay"]) == (0.0, 0.0)
    assert at.gives("get_return", return_id=made["id"])["restocking"] == 0.0
    changed = at.gives("change_remedy", return_id=made["id"], remedy="store_credit")
    assert (changed["amount"], "exchange" in changed) == (93.5, False)
    assert "articles.changed" not in at.changed()


def test_time_to_send_is_extended_once() -> None:
    at = desk()
    assert at.gives("extend_return", return_id="R-1") == {
        **RETURNS["R-1"], "send_by": "2026-03-18", "extended": True
    }  # fmt: skip
    assert at.changed() == {"returns.changed": {"R-1": {"send_by": "2026-03-18", "extended": True}}}
    words = "thing 11 has had its extra week already: send it by 2026-03-18"
    at.refuses("extend_return", "conflict", words, return_id="R-1")
    assert at.gives("extend_return", return_id="R-2")["send_by"] == "2026-03-18"


@pytest.mark.parametrize(
    ("return_id", "stock"),
    [("R-1", {}), ("R-2", {}), ("R-7", {}), ("R-3", {"articles.changed": {"A-7": {"stock": 4}}})],
)
def test_a_return_is_cancelled_until_it_is_sent(return_id: str, stock: Row) -> None:
    at = desk()
    gone = at.gives("cancel_return", return_id=return_id)
    assert gone == {**RETURNS[return_id], "status": "cancelled", "amount": 0.0, "to_pay": 0.0}
    changed = at.changed()
    kept = {"status": "kept", "send_by": RETURNS[return_id]["send_by"]}
    assert changed["items.changed"] == {RETURNS[return_id]["item_id"]: kept}
    assert {name: rows for name, rows in changed.items() if name.startswith("articles")} == stock
    at.refuses("cancel_return", "precondition_failed", "is cancelled, so it cannot be", return_id=return_id)


def test_asking_again_gives_no_new_days() -> None:
    at = desk()
    at.gives("extend_return", return_id="R-1")
    at.gives("cancel_return", return_id="R-1")
    kept = {"status": "kept", "send_by": "2026-03-18", "extended": True}
    assert at.changed()["items.changed"] == {"I-11": kept}
    assert at.gives("quote_return", item_id="I-11", reason="a_change_of_mind")["until"] == "2026-03-18"
    asked = {"item_id": "I-11", "remedy": "a_refund"}
    again = at.gives("request_return", reason="a_change_of_mind", **asked)
    assert (again["send_by"], again["extended"]) == ("2026-03-18", True)
    words = "has had its extra week already: send it by 2026-03-18"
    at.refuses("extend_return", "conflict", words, return_id=again["id"])
    at.gives("cancel_return", return_id="R-2")
    again = at.gives("request_return", item_id="I-12", reason="a_change_of_mind", remedy="a_refund")
    assert (again["send_by"], again["extended"]) == ("2026-03-11", False)


def test_what_was_not_sent_in_time_comes_back_for_faults_alone() -> None:
    at = desk()
    at.gives("cancel_return", return_id="R-7")
    words = "thing 17 could be returned for a change of mind until 2026-03-01"
    asked = {"item_id": "I-17", "remedy": "a_refund"}
    at.refuses("request_return", "precondition_failed", words, reason="a_change_of_mind", **asked)
    assert at.ids("list_purchases", category="clothing", returnable=True) == ["I-1"]
    made = at.gives("request_return", reason="a_defect", **asked)
    assert (made["send_by"], made["extended"]) == ("2026-03-16", False)
    later = at.gives("extend_return", return_id=made["id"])
    at.gives("cancel_return", return_id=later["id"])  # for a fault: the day of the first one stays
    assert at.changed()["items.changed"] == {"I-17": {"status": "kept", "send_by": "2026-03-01"}}
    rows = {"items": keyed(item("I-30", "clothing", 9.0, send_by="2026-03-02", extended=True))}
    sharp = desk(rows)
    assert sharp.ids("list_purchases", category="clothing", returnable=True) == ["I-30", "I-1"]
    asked = {"item_id": "I-30", "remedy": "a_refund"}
    assert sharp.gives("request_return", reason="a_change_of_mind", **asked)["send_by"] == "2026-03-02"
    fault = desk(rows).gives("request_return", reason="a_wrong_description", **asked)
    assert (fault["send_by"], fault["extended"]) == ("2026-03-16", False)


def test_an_item_is_returned_no_longer_than_its_window_after_cancelling() -> None:
    rows = {"items": keyed(item("I-30", "books", 9.0, "2026-01-31", send_by="2026-03-10"))}
    assert desk(rows).gives("quote_return", item_id="I-30", reason="a_change_of_mind")["until"] == "2026-03-02"


@pytest.mark.parametrize(("tool", "more"), [
    ("choose_way", {"way": "a_home_pickup"}),
    ("change_remedy", {"remedy": "store_credit"}),
    ("extend_return", {}),
])  # fmt: skip
def test_what_was_not_sent_in_time_can_only_be_cancelled(tool: str, more: Row) -> None:
    words = "thing 17 had to be sent by 2026-03-01; cancel that return"
    desk().refuses(tool, "precondition_failed", words, return_id="R-7", **more)
    labelled = case("R-7", "I-17", "labelled", send_by="2026-03-01", way="a_counter_code")
    desk({"returns": keyed(labelled)}).refuses(tool, "precondition_failed", words, return_id="R-7", **more)
    sent = case("R-4", "I-14", "in_transit", send_by="2026-03-01", way="a_counter_code")
    changed = desk({"returns": keyed(sent)}).gives("change_remedy", return_id="R-4", remedy="store_credit")
    assert changed["amount"] == 106.01
    sharp = case("R-7", "I-17", send_by="2026-03-02")
    desk({"returns": keyed(sharp)}).gives(tool, return_id="R-7", **more)


@pytest.mark.parametrize(("tool", "more", "done"), [
    ("choose_way", {"way": "a_home_pickup"}, "labelled"),
    ("extend_return", {}, "extended"),
    ("cancel_return", {}, "cancelled"),
])  # fmt: skip
def test_what_was_sent_stays_on_its_way(tool: str, more: Row, done: str) -> None:
    words = f"is in transit, so it cannot be {done}"
    desk().refuses(tool, "precondition_failed", words, return_id="R-4", **more)
    words = "is inspected, so it cannot be changed"
    desk().refuses("change_remedy", "precondition_failed", words, return_id="R-5", remedy="store_credit")


# -- after the inspection


def test_an_offer_is_accepted() -> None:
    at = desk()
    assert at.gives("accept_offer", return_id="R-5") == {**RETURNS["R-5"], "status": "settled", "amount": 57.6}
    assert at.changed() == {
        "returns.changed": {"R-5": {"status": "settled", "amount": 57.6}},
        "items.changed": {"I-15": {"status": "returned"}},
    }
    at.refuses("accept_offer", "precondition_failed", "is settled, so it cannot be settled", return_id="R-5")


def test_an_offer_of_nothing_brings_nothing() -> None:
    at = desk({"returns": keyed(case("R-5", "I-15", "inspected", 96.01, **{**INSPECTED, "offer": 0.0}))})
    assert at.gives("accept_offer", return_id="R-5")["amount"] == 0.0


def test_store_credit_is_there_once_an_offer_is_accepted() -> None:
    at = desk()
    at.gives("accept_offer", return_id="R-6")
    assert at.changed()["shoppers.changed"] == {"S-1": {"credit": 67.6}}


def test_an_inspection_is_contested_once_and_in_time() -> None:
    at = desk()
    objection = "my photos show it"
    assert at.gives("contest_inspection", return_id="R-5", objection=objection) == {
        **RETURNS["R-5"], "status": "contested", "objection": objection,
    }  # fmt: skip
    assert at.changed() == {"returns.changed": {"R-5": {"status": "contested", "objection": objection}}}
    again = {"return_id": "R-5", "objection": objection}
    at.refuses("contest_inspection", "precondition_failed", "is contested, so it cannot be contested", **again)
    tomorrow = desk(now=dt.datetime(2026, 3, 3, 9))
    words = "It could be contested until 2026-03-02; accept it or have it sent back"
    tomorrow.refuses("contest_inspection", "precondition_failed", words, **again)
    tomorrow.gives("accept_offer", return_id="R-5")
    for text in ("no", "x" * 301):
        desk().refuses("contest_inspection", "invalid_argument", "objection", return_id="R-5", objection=text)


@pytest.mark.parametrize("return_id", ["R-5", "R-6"])
def test_an_item_is_sent_back_for_good(return_id: str) -> None:
    at = desk()
    key = RETURNS[return_id]["item_id"]
    assert at.gives("have_sent_back", return_id=return_id) == {
        "return_id": return_id, "product": f"thing {key[2:]}", "fee": 6.99
    }  # fmt: skip
    assert at.changed() == {
        "returns.changed": {return_id: {"status": "sent_back", "amount": 0.0, "to_pay": 6.99}},
        "items.changed": {key: {"status": "kept", "reasons": []}},
    }
    words = "was inspected and sent back once, so it stays with you"
    at.refuses("request_return", "conflict", words, item_id=key, reason="a_defect", remedy="a_refund")


@pytest.mark.parametrize(("tool", "more", "done"), [
    ("accept_offer", {}, "settled"),
    ("contest_inspection", {"objection": "it was so"}, "contested"),
    ("have_sent_back", {}, "sent back"),
])  # fmt: skip
def test_what_was_not_inspected_has_no_offer(tool: str, more: Row, done: str) -> None:
    for key in ("R-1", "R-4", "R-10"):
        desk().refuses(tool, "precondition_failed", f"so it cannot be {done}", return_id=key, **more)


# -- scenarios


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [10, 60, 300])
def test_a_scenario_keeps_the_rules_of_the_desk(seed: int, size: int) -> None:
    world = build_scenario(ReturnsAndRefunds, seed, size, DEFAULT_NOW)
    today = world.now.date()
    mine = [row for row in world.returns.values() if row.shopper_id == world.shopper_id]
    assert {row.status for row in mine} == {
        "authorised", "labelled", "in_transit", "inspected", "contested", "settled", "sent_back", "cancelled",
    }  # fmt: skip
    assert {row.remedy for row in mine} == {"a_refund", "store_credit", "an_exchange"}
    unsent = [row for row in mine if row.status in ("authorised", "labelled")]
    assert len(unsent) == 4
    assert sum(row.send_by < today for row in unsent) == 1, "not sent in time"
    late = [r for r in mine if r.status == "inspected" and r.inspected_on and (today - r.inspected_on).days > 7]
    assert len(late) == 1, "too late to contest"
    items = [row for row in world.items.values() if row.shopper_id == world.shopper_id]
    assert any(row.final_sale for row in items)
    assert any(row.opened and row.category == "cosmetics" and row.status == "kept" for row in items)
    assert any(not row.stock for row in world.articles.values()) or size < 60
    assert len({row.product for row in world.items.values()}) == len(world.items)
    for item_row in world.items.values():
        just_so = not item_row.final_sale and not (item_row.opened and item_row.category == "cosmetics")
        if item_row.reasons:
            assert ("a_change_of_mind" in item_row.reasons) == just_so
            assert ("a_wrong_size" in item_row.reasons) == (just_so and item_row.category == "clothing")
            assert set(item_row.reasons) >= set(FAULTS)
        assert any((a.product, a.variant) == (item_row.product, item_row.variant) for a in world.articles.values())
    again = [row for row in items if row.status == "kept" and row.send_by]
    assert {row.send_by > today for row in again if row.send_by} == {True, False}, "can be asked for again, or not"
    open_cases = ("authorised", "labelled", "in_transit", "inspected", "contested")
    for row in world.returns.values():
        bought = world.items[row.item_id]
        expected = {"settled": "returned", "cancelled": "kept", "sent_back": "kept"}.get(row.status, "returning")
        assert bought.status == expected
        assert (bought.reasons == ()) == (row.status == "sent_back")
        assert row.status == "sent_back" or row.reason in bought.reasons
        assert bought.delivered_on <= row.asked_on <= today
        assert (row.offer is not None) == (row.grade in ("worn", "damaged"))
        assert row.offer is None or row.inspected_on is not None
        assert row.way is None or row.way in row.ways
        assert (row.exchange is not None) == (row.remedy == "an_exchange")
        assert row.status not in open_cases or row.amount + row.to_pay >= 0
        assert row.remedy != "a_refund" or row.amount <= bought.price
