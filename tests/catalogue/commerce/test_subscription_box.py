"""Boxes by subscription, through their tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import pytest

from envfactory.catalogue.commerce import _box_money as money
from envfactory.catalogue.commerce import _box_packing as packing
from envfactory.catalogue.commerce import _box_rules as rules
from envfactory.catalogue.commerce.subscription_box import SubscriptionBox
from envfactory.environment import DEFAULT_NOW, build_scenario, cents
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.

TODAY = "2026-03-02"


def day(count: int, since: str = TODAY) -> str:
    return (dt.date.fromisoformat(since) + dt.timedelta(days=count)).isoformat()


def plan(key: str, name: str, **changes: Any) -> Row:
    return {
        "id": key, "plan": name, "theme": "coffee", "size": "small", "items": 2, "swaps": 1,
        "variants": ["whole_bean", "ground"], "price": 20.0, "minimum_boxes": 3, "leaving_fee": 5.0, "status": "open",
        **changes,
    }  # fmt: skip


def item(key: str, name: str, stock: int, **changes: Any) -> Row:
    return {
        "id": key, "item": name, "theme": "coffee", "variant": "ground", "grade": "standard", "price": 8.0,
        "stock": stock, "status": "in_stock" if stock else "sold_out", **changes,
    }  # fmt: skip


PLANS = keyed(
    plan("P-1", "Bean Small"),
    plan("P-2", "Bean Large", size="large", items=3, swaps=2, price=30.0, minimum_boxes=6, leaving_fee=4.0),
    plan("P-3", "Roast Small", price=25.0, minimum_boxes=1),
    plan("P-4", "Roast Full", price=24.0, status="full"),
    plan("P-5", "Crunch Small", theme="snacks", variants=["sweet", "savoury"], price=18.0),
)
ITEMS = keyed(
    item("I-1", "Santos blend", 5),
    item("I-2", "Cauca blend", 4),
    item("I-3", "Lima blend", 3),
    item("I-4", "Kivu blend", 2),
    item("I-5", "Blue Ridge blend", 1, grade="premium", price=18.0),
    item("I-6", "enamel mug", 6, variant="any", price=9.5),
    item("I-7", "Nyeri blend", 0),
    item("I-8", "Huila roast", 9, variant="whole_bean"),
    item("I-9", "caramel tin", 7, theme="snacks", variant="sweet", price=6.25),
)


def line(key: str, **changes: Any) -> Row:
    return {"item_id": key, "item": ITEMS[key]["item"], "extra": False, "pieces": 1, "price": 0.0, **changes}


def subscription(key: str, plan_id: str = "P-1", **changes: Any) -> Row:
    of = PLANS[plan_id]
    return {
        "id": key, "shopper_id": "S-1", "title": f"my {of['plan']} subscription", "plan_id": plan_id,
        "plan": of["plan"], "theme": of["theme"], "size": of["size"], "variant": "ground",
        "frequency": "every_two_weeks", "status": "active", "started_on": "2026-02-10", "weekday": "Wednesday",
        "address": "home", "boxes_paid": 1, "committed_boxes": of["minimum_boxes"],
        "minimum_boxes": of["minimum_boxes"], "committed_fee": of["leaving_fee"],
        "may_pause": True, "moved_by": 0, "fee": 0.0, "gift_boxes": 0,
        "gift_total": 0.0, **changes,
    }  # fmt: skip


def box(key: str, of: Row, number: int, on: str, *lines: Row, **changes: Any) -> Row:
    price = changes.pop("price", 19.0)
    words = ", ".join(each["item"] + (f" ({each['pieces']})" if each["pieces"] > 1 else "") for each in lines)
    swaps = PLANS[of["plan_id"]]["swaps"] - sum("instead_of" in each for each in lines)
    return {
        "id": key, "shopper_id": of["shopper_id"], "subscription_id": of["id"], "number": number, "title": of["title"],
        "plan": of["plan"], "theme": of["theme"], "variant": of["variant"], "status": "upcoming", "delivers_on": on,
        "change_until": day(-5, on), "lines": list(lines), "contents": words, "swaps_left": swaps, "price": price,
        "prepaid": False, "total": price + sum(each["price"] for each in lines), "paid": 0.0, **changes,
    }  # fmt: skip


MINE = subscription("U-1")
GIFT = {
    key: value
    for key, value in subscription(
    "U-2", "P-3", title="the Roast Small gift for bo@mail.example", status="gift", frequency="every_four_weeks",
    may_pause=False, recipient="bo@mail.example", gift_boxes=3, first_on=day(5), gift_total=75.0, boxes_paid=0,
    committed_boxes=0, minimum_boxes=0, committed_fee=0.0,
).items()
    if key not in ("weekday", "address")
}  # fmt: skip
OTHERS = subscription("U-9", shopper_id="S-2")
A, B, C = line("I-1"), line("I-2"), line("I-3")
X0 = box("X-0", MINE, 1, day(-5), A, B, status="delivered")
X1 = box("X-1", MINE, 2, day(9), line("I-3"), line("I-6"))
X2 = box("X-2", MINE, 3, day(23), A, B)
X3 = box("X-3", MINE, 4, day(37), line("I-3"), line("I-4"))
Y1 = box("Y-1", OTHERS, 1, day(9), A, B)
Y0 = box("Y-0", OTHERS, 1, day(-5), A, B, status="delivered")
STATE: dict[str, Any] = {
    "shopper_id": "S-1",
    "shoppers": keyed(
        {
            "id": "S-1", "name": "Ada Berg", "email": "ada@mail.example", "credit": 10.0,
            "addresses": [
                {"nickname": "home", "street": "1 Mill Lane", "city": "Oslo"},
                {"nickname": "work", "street": "2 Mill Lane", "city": "Oslo"},
            ],
            "friends": ["bo@mail.example"],
        },
        {
            "id": "S-2", "name": "Bo Beck", "email": "bo@mail.example", "credit": 0.0, "friends": [],
            "addresses": [{"nickname": "cabin", "street": "3 Mill Lane", "city": "Oslo"}],
        },
    ),
    "plans": PLANS,
    "items": ITEMS,
    "subscriptions": keyed(MINE, GIFT, OTHERS),
    "boxes": keyed(X0, X1, X2, X3, Y0, Y1),
}  # fmt: skip


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(SubscriptionBox, STATE, rows=rows, **changes)


def on(when: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"{when}T09:00:00")


def having(table: str, key: str, **changes: Any) -> dict[str, Rows]:
    return {table: keyed({**STATE[table][key], **changes})}


def with_credit(credit: float) -> dict[str, Rows]:
    return having("shoppers", "S-1", credit=credit)


def boxes_with(**changes: Any) -> dict[str, Rows]:
    """The three boxes to come, all changed alike."""
    return {"boxes": keyed(*({**each, **changes} for each in (X1, X2, X3)))}


PREPAID: Row = {"prepaid": True, "price": 17.1, "total": 17.1, "paid": 17.1}


# -- plans and starting


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"theme": "coffee"}, ["P-1", "P-4", "P-3", "P-2"]),
        ({"theme": "coffee", "size": "large"}, ["P-2"]),
        ({"theme": "coffee", "max_price": 24}, ["P-1", "P-4"]),
        ({"theme": "coffee", "max_price": 23.99}, ["P-1"]),
        ({"theme": "snacks"}, ["P-5"]),
        ({"theme": "books"}, []),
        ({"theme": "coffee", "page": 2}, []),
    ],
)
def test_plans_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_plans", **arguments) == found


def test_plans_of_one_price_are_in_the_order_of_their_names() -> None:
    at = desk(having("plans", "P-1", price=24.0, plan="Zest Small"))
    assert at.ids("find_plans", theme="coffee", max_price=24) == ["P-4", "P-1"]


START: Row = {
    "plan_id": "P-3", "variant": "ground", "frequency": "weekly", "weekday": "Tuesday", "address": "work"
}  # fmt: skip


def test_a_subscription_is_started_with_three_boxes() -> None:
    at = desk()
    started = at.gives("start_subscription", **START)
    new = started["subscription"]
    row = subscription(
        new["id"], "P-3", frequency="weekly", started_on=TODAY, weekday="Tuesday", address="work", boxes_paid=0
    )
    assert new == row
    packs = ([line("I-6"), line("I-1")], [line("I-2"), line("I-3")], [line("I-6"), line("I-1")])
    boxes = [
        box(key["id"], row, n + 1, day(8 + 7 * n), *lines, price=22.5)
        for n, (key, lines) in enumerate(zip(started["boxes"], packs, strict=True))
    ]
    assert started == {
        "subscription": row, "plan": "Roast Small", "box_price": 22.5, "first_box_on": day(8), "boxes": boxes,
    }  # fmt: skip
    assert at.changed() == {
        "subscriptions.created": {row["id"]: row},
        "boxes.created": keyed(*boxes),
        "items.changed": {"I-1": {"stock": 3}, "I-2": {"stock": 3}, "I-3": {"stock": 2}, "I-6": {"stock": 4}},
    }


@pytest.mark.parametrize(("credit", "used", "charged"), [(10.0, 10.0, 50.75), (60.75, 60.75, None), (0.0, None, 60.75)])
def test_three_boxes_can_be_paid_in_advance(credit: float, used: float | None, charged: float | None) -> None:
    at = desk(with_credit(credit))
    started = at.gives("start_subscription", **START, prepay=True)
    assert (started["box_price"], started.get("from_credit"), started.get("charged")) == (20.25, used, charged)
    assert {(each["prepaid"], each["paid"], each["total"]) for each in started["boxes"]} == {(True, 20.25, 20.25)}
    assert at.changed().get("shoppers.changed") == ({"S-1": {"credit": 0.0}} if credit else None)


@pytest.mark.parametrize(
    ("weekday", "first"), [("Monday", 7), ("Tuesday", 8), ("Friday", 11), ("Saturday", 12), ("Thursday", 10)]
)
def test_the_first_box_comes_in_a_week_at_the_earliest(weekday: str, first: int) -> None:
    started = desk().gives("start_subscription", **{**START, "weekday": weekday})
    assert started["first_box_on"] == started["boxes"][0]["delivers_on"] == day(first)
    assert started["boxes"][0]["change_until"] == day(first - 5)


@pytest.mark.parametrize(("weekday", "first"), [("Thursday", 10), ("Friday", 11), ("Wednesday", 16), ("Monday", 14)])
def test_the_first_box_is_counted_from_any_day_of_the_week(weekday: str, first: int) -> None:
    started = desk(now=on(day(3))).gives("start_subscription", **{**START, "weekday": weekday})
    assert started["first_box_on"] == day(first)


@pytest.mark.parametrize(
    ("frequency", "price", "interval"),
    [("weekly", 22.5, 7), ("every_two_weeks", 23.75, 14), ("every_four_weeks", 25.0, 28)],
)
def test_boxes_that_come_more_often_cost_less(frequency: str, price: float, interval: int) -> None:
    started = desk().gives("start_subscription", **{**START, "frequency": frequency})
    assert started["box_price"] == price
    assert [each["delivers_on"] for each in started["boxes"]] == [day(8 + n * interval) for n in range(3)]


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"plan_id": "P-4"}, "conflict", "Roast Full is full and takes nobody at present; choose another plan"),
        ({"plan_id": "P-5"}, "invalid_argument", "Crunch Small does not come ground; choose sweet or savoury"),
        (
            {"plan_id": "P-1"},
            "conflict",
            "You have a Bean Small subscription already; change or cancel that one first, or choose another plan",
        ),
        ({"address": "cabin"}, "not_found", "You have no address called 'cabin'; choose one of home, work"),
        ({"plan_id": "P-0"}, "not_found", ""),
    ],
)
def test_what_cannot_be_started_is_refused(changes: Row, code: str, words: str) -> None:
    desk().refuses("start_subscription", code, words, **{**START, **changes})


@pytest.mark.parametrize(("status", "possible"), [("active", False), ("paused", False), ("cancelled", True)])
def test_a_plan_can_be_had_once(status: str, possible: bool) -> None:
    at = desk(having("subscriptions", "U-1", status=status))
    assert at("start_subscription", **{**START, "plan_id": "P-1"}).ok == possible


def test_a_gift_of_a_plan_leaves_room_for_a_subscription_to_it() -> None:
    at = desk()
    at.gives("start_subscription", **START)
    at.refuses("start_subscription", "conflict", "You have a Roast Small subscription already", **START)


# -- looking at subscriptions


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["U-1", "U-2", "U-3"]),
        ({"status": "active"}, ["U-1"]),
        ({"status": "gift"}, ["U-2"]),
        ({"theme": "snacks"}, []),
        ({"theme": "coffee"}, ["U-1", "U-2", "U-3"]),
        ({"page": 2}, []),
    ],
)
def test_own_subscriptions_are_listed(arguments: Row, found: list[str]) -> None:
    at = desk({"subscriptions": keyed(subscription("U-3", status="cancelled"))})
    assert at.ids("list_subscriptions", **arguments) == found


def test_active_subscriptions_are_on_top_and_then_the_latest() -> None:
    rows = (
        subscription("U-3", "P-2", status="cancelled", started_on=day(-1)),
        subscription("U-4", "P-3", started_on=day(-30)),
        subscription("U-5", "P-5", started_on=day(-3)),
    )
    assert desk({"subscriptions": keyed(*rows)}).ids("list_subscriptions") == ["U-5", "U-1", "U-4", "U-3", "U-2"]


def test_a_check_tells_the_next_charge_and_the_fee() -> None:
    assert desk().gives("check_subscription", subscription_id="U-1") == {
        "subscription": MINE, "plan": "Bean Small", "status": "active", "next_box_on": day(9), "change_until": day(4),
        "from_credit": 10.0, "to_pay": 9.0, "credit": 10.0, "boxes_missing": 2, "fee_now": 10.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("credit", "first", "second"), [(10.0, 10.0, 0.0), (19.0, 19.0, 0.0), (25.0, 19.0, 6.0), (70.0, 19.0, 22.0)]
)
@pytest.mark.parametrize(("key", "days"), [("W-1", 10), ("Z-1", 9)])
def test_credit_pays_for_the_boxes_that_are_paid_first(
    credit: float, first: float, second: float, key: str, days: int
) -> None:
    other = subscription("U-3", "P-3")
    after = box(key, other, 1, day(days), C, price=22.0)
    at = desk({**with_credit(credit), "subscriptions": keyed(other), "boxes": keyed(after)})
    got = [at.gives("check_subscription", subscription_id=each)["from_credit"] for each in ("U-1", "U-3")]
    assert got == [first, second]


def test_a_box_that_is_paid_in_advance_takes_credit_for_its_extras_alone() -> None:
    other = subscription("U-3", "P-3")
    extra = line("I-9", extra=True, price=6.25)
    before = box("A-1", other, 1, day(8), C, extra, price=22.0, prepaid=True, paid=22.0)
    at = desk({"subscriptions": keyed(other), "boxes": keyed(before)})
    assert at.gives("check_subscription", subscription_id="U-1")["from_credit"] == 3.75


def test_a_paused_box_will_take_credit_of_its_own() -> None:
    at = desk(paused_ago(1, 33, 2))
    assert at.gives("check_subscription", subscription_id="U-1")["from_credit"] == 10.0


def test_a_skipped_or_paused_box_takes_no_credit_from_others() -> None:
    for status in ("skipped", "paused", "cancelled"):
        other = subscription("U-3", "P-3")
        before = box("A-1", other, 1, day(8), C, price=22.0, status=status)
        at = desk({"subscriptions": keyed(other), "boxes": keyed(before)})
        assert at.gives("check_subscription", subscription_id="U-1")["from_credit"] == 10.0


@pytest.mark.parametrize(
    ("table", "key", "changes", "given"),
    [
        ("boxes", "X-1", {"status": "packed", "delivers_on": day(2), "change_until": day(-3)}, (day(2), day(18), 9.0)),
        ("boxes", "X-1", {"status": "skipped"}, (day(23), day(18), 9.0)),
        ("boxes", "X-1", {"total": 27.5, "paid": 17.1}, (day(9), day(4), 0.4)),
        ("boxes", "X-1", {"change_until": day(-1), "delivers_on": day(4)}, (day(23), day(18), 9.0)),
        ("boxes", "X-1", {"change_until": TODAY, "delivers_on": day(5)}, (day(5), TODAY, 9.0)),
    ],
)
def test_a_check_is_about_the_next_box_that_comes(
    table: str, key: str, changes: Row, given: tuple[str, str, float]
) -> None:
    found = desk(having(table, key, **changes)).gives("check_subscription", subscription_id="U-1")
    assert (found["next_box_on"], found["change_until"], found["to_pay"]) == given


@pytest.mark.parametrize(
    ("changes", "missing", "fee"),
    [
        ({"boxes_paid": 2}, 1, 5.0),
        ({"boxes_paid": 3}, 0, 0.0),
        ({"boxes_paid": 5}, 0, 0.0),
        ({"status": "paused"}, 2, 10.0),
        ({"status": "cancelled"}, None, None),
    ],
)
def test_a_check_tells_what_leaving_costs(changes: Row, missing: int | None, fee: float | None) -> None:
    found = desk(having("subscriptions", "U-1", **changes)).gives("check_subscription", subscription_id="U-1")
    assert (found.get("boxes_missing"), found.get("fee_now")) == (missing, fee)


def test_a_gift_has_no_box_of_the_givers() -> None:
    found = desk().gives("check_subscription", subscription_id="U-2")
    assert (found.get("next_box_on"), found.get("change_until"), found["to_pay"]) == (None, None, 0.0)
    assert (found["from_credit"], found.get("fee_now"), found.get("boxes_missing")) == (0.0, None, None)


# -- changing


def test_another_frequency_spaces_and_prices_the_boxes_to_come() -> None:
    at = desk()
    changed = at.gives("change_subscription", subscription_id="U-1", frequency="weekly")
    assert changed == {
        "subscription": {**MINE, "frequency": "weekly"}, "plan": "Bean Small", "frequency": "weekly",
        "box_price": 18.0, "next_box_on": day(9),
    }  # fmt: skip
    price = {"price": 18.0, "total": 18.0}
    assert at.changed() == {
        "subscriptions.changed": {"U-1": {"frequency": "weekly"}},
        "boxes.changed": {
            "X-1": price,
            "X-2": {**price, "delivers_on": day(16), "change_until": day(11)},
            "X-3": {**price, "delivers_on": day(23), "change_until": day(18)},
        },
    }
    at.gives("change_subscription", subscription_id="U-1", frequency="every_two_weeks")
    assert at.changed() == {}


def test_packed_and_past_boxes_keep_their_day_and_price() -> None:
    packed = having("boxes", "X-1", status="packed", change_until=day(-1), delivers_on=day(4))
    at = desk(packed)
    assert at.gives("change_subscription", subscription_id="U-1", frequency="weekly")["next_box_on"] == day(23)
    assert set(at.changed()["boxes.changed"]) == {"X-2", "X-3"}


@pytest.mark.parametrize(
    ("frequency", "credit", "settled", "left"),
    [
        ("every_four_weeks", 10.0, {"from_credit": 2.7}, 7.3),
        ("every_four_weeks", 2.0, {"from_credit": 2.0, "charged": 0.7}, 0.0),
        ("every_four_weeks", 0.0, {"charged": 2.7}, 0.0),
        ("weekly", 10.0, {"credited": 2.7}, 12.7),
    ],
)
def test_what_was_paid_in_advance_is_settled(frequency: str, credit: float, settled: Row, left: float) -> None:
    at = desk({**boxes_with(**PREPAID), **with_credit(credit)})
    changed = at.gives("change_subscription", subscription_id="U-1", frequency=frequency)
    assert {name: changed[name] for name in ("from_credit", "charged", "credited") if name in changed} == settled
    assert at.session.documents()["subscription_box"]["shoppers"]["S-1"]["credit"] == left
    price = cents(18.0 if frequency == "every_four_weeks" else 16.2)
    boxes = at.changed()["boxes.changed"]
    assert all((row["price"], row["total"], row["paid"]) == (price, price, price) for row in boxes.values())


def test_a_skipped_prepaid_box_is_priced_but_not_paid() -> None:
    rows = boxes_with(**PREPAID)
    rows["boxes"]["X-1"].update(status="skipped", paid=0.0)
    at = desk(rows)
    changed = at.gives("change_subscription", subscription_id="U-1", frequency="every_four_weeks")
    assert (changed["from_credit"], changed["next_box_on"]) == (1.8, day(37))
    assert at.changed()["boxes.changed"]["X-1"] == {"price": 18.0, "total": 18.0}


def test_another_plan_packs_the_boxes_to_come_anew() -> None:
    extra = line("I-9", extra=True, pieces=2, price=12.5)
    swap = line("I-5", price=4.0, instead_of="Lima blend")
    at = desk({"boxes": keyed(box("X-1", MINE, 2, day(9), swap, line("I-6"), extra))})
    changed = at.gives("change_subscription", subscription_id="U-1", frequency="every_two_weeks", plan_id="P-2")
    assert (changed["plan"], changed["box_price"], changed["next_box_on"]) == ("Bean Large", 28.5, day(9))
    large = {
        "plan_id": "P-2", "plan": "Bean Large", "size": "large", "title": "my Bean Large subscription",
        "minimum_boxes": 6,
    }  # fmt: skip
    same = {"plan": "Bean Large", "title": "my Bean Large subscription", "price": 28.5, "swaps_left": 2}
    after = at.changed()
    assert after["subscriptions.changed"] == {"U-1": large}
    first = [line("I-6"), A, B]
    second = [line("I-3"), line("I-4"), line("I-6")]
    words = [", ".join(each["item"] for each in lines) for lines in (first, second)]
    assert after["boxes.changed"] == {
        "X-1": {**same, "lines": [*first, extra], "contents": f"{words[0]}, caramel tin (2)", "total": 41.0},
        "X-2": {**same, "lines": second, "contents": words[1], "total": 28.5},
        "X-3": {**same, "lines": [A, B, line("I-6")], "contents": "Santos blend, Cauca blend, enamel mug",
                "total": 28.5},
    }  # fmt: skip
    assert after["items.changed"] == {
        "I-1": {"stock": 4}, "I-2": {"stock": 3}, "I-5": {"stock": 2}, "I-6": {"stock": 4},
    }  # fmt: skip
    at.gives("change_subscription", subscription_id="U-1", frequency="every_two_weeks", plan_id="P-1")
    assert "subscriptions.changed" not in at.changed()


def test_plan_and_frequency_change_at_once() -> None:
    changed = desk().gives("change_subscription", subscription_id="U-1", plan_id="P-3", frequency="every_four_weeks")
    assert (changed["plan"], changed["box_price"], changed["frequency"]) == ("Roast Small", 25.0, "every_four_weeks")


@pytest.mark.parametrize(("before", "after", "fee"), [(5.0, 4.0, 25.0), (4.0, 5.0, 25.0), (4.0, 4.0, 20.0)])
def test_a_change_of_plan_makes_no_missing_box_cheaper(before: float, after: float, fee: float) -> None:
    at = desk({**having("subscriptions", "U-1", committed_fee=before), **having("plans", "P-2", leaving_fee=after)})
    at.gives("change_subscription", subscription_id="U-1", frequency="every_two_weeks", plan_id="P-2")
    assert at.gives("check_subscription", subscription_id="U-1")["fee_now"] == fee


def test_a_plan_alone_can_change_and_a_frequency_with_the_plan_named() -> None:
    at = desk()
    at.gives("change_subscription", subscription_id="U-1", plan_id="P-1", frequency="weekly")
    assert "items.changed" not in at.changed()
    at = desk(having("boxes", "X-2", delivers_on=day(30), change_until=day(25)))
    at.gives("change_subscription", subscription_id="U-1", plan_id="P-3", frequency="every_two_weeks")
    assert "delivers_on" not in at.changed()["boxes.changed"]["X-2"]


def test_a_change_of_plan_never_shortens_the_minimum_term() -> None:
    at = desk()
    changed = at.gives("change_subscription", subscription_id="U-1", frequency="every_two_weeks", plan_id="P-3")
    assert changed["subscription"]["minimum_boxes"] == 3
    assert at.gives("cancel_subscription", subscription_id="U-1")["fee"] == 10.0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({}, "conflict", "Bean Small boxes come every two weeks already; give another frequency, or a plan"),
        (
            {"plan_id": "P-1"},
            "conflict",
            "Bean Small boxes come every two weeks already",
        ),
        ({"plan_id": "P-5"}, "invalid_argument", "Crunch Small is about snacks, and the subscription about coffee"),
        ({"plan_id": "P-4"}, "conflict", "Roast Full is full and takes nobody at present"),
        ({"plan_id": "P-0"}, "not_found", ""),
        ({"plan_id": "P-2"}, "conflict", "You have a Bean Large subscription already; change or cancel that one first"),
    ],
)
def test_what_cannot_be_changed_is_refused(arguments: Row, code: str, words: str) -> None:
    at = desk({"subscriptions": keyed(subscription("U-3", "P-2"))})
    at.refuses("change_subscription", code, words, subscription_id="U-1", frequency="every_two_weeks", **arguments)


STANDS = [
    ("paused", "The Bean Small subscription is paused, so it cannot be {}; restart it first."),
    (
        "cancelled",
        (
            f"The Bean Small subscription is cancelled, so it cannot be {{}}; it can be restarted until {day(28)}; "
            "start a new one after that."
        ),
    ),
]


@pytest.mark.parametrize(("status", "words"), STANDS)
def test_only_an_active_subscription_is_changed_or_paused(status: str, words: str) -> None:
    at = desk(having("subscriptions", "U-1", status=status, restart_until=day(28)))
    code = "precondition_failed"
    at.refuses("change_subscription", code, words.format("changed"), subscription_id="U-1", frequency="weekly")
    at.refuses("pause_subscription", code, words.format("paused"), subscription_id="U-1", until=day(40))


def test_a_gift_can_only_be_cancelled() -> None:
    at = desk()
    words = "The Roast Small subscription is a gift, so it cannot be {}; its boxes are its recipient's"
    code = "precondition_failed"
    at.refuses("change_subscription", code, words.format("changed"), subscription_id="U-2", frequency="weekly")
    at.refuses("pause_subscription", code, words.format("paused"), subscription_id="U-2", until=day(40))
    at.refuses("restart_subscription", code, words.format("restarted"), subscription_id="U-2")


# -- pausing


@pytest.mark.parametrize(("until", "turns"), [(10, 1), (23, 1), (24, 2), (37, 2), (38, 3), (90, 6)])
def test_a_pause_moves_boxes_by_whole_turns_and_its_end_moves_them_back(until: int, turns: int) -> None:
    at = desk(having("boxes", "X-2", status="skipped"))
    paused = at.gives("pause_subscription", subscription_id="U-1", until=day(until))
    moves = {
        "status": "paused", "paused_on": TODAY, "paused_until": day(until), "may_pause": False, "moved_by": turns
    }  # fmt: skip
    assert paused == {**MINE, **moves}
    assert at.changed() == {
        "subscriptions.changed": {"U-1": moves},
        "boxes.changed": {
            key: {"delivers_on": day(first + 14 * turns), "change_until": day(first - 5 + 14 * turns)}
            | ({} if key == "X-2" else {"status": "paused"})
            for key, first in (("X-1", 9), ("X-2", 23), ("X-3", 37))
        },
    }
    restarted = at.gives("restart_subscription", subscription_id="U-1")
    assert restarted == {"subscription": MINE, "plan": "Bean Small", "status": "active", "next_box_on": day(9)}
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("until", "words"),
    [
        (91, f"A pause ends within 90 days, from {day(1)} to {day(90)}, not on {day(91)}; give such a day"),
        (0, f"A pause ends within 90 days, from {day(1)} to {day(90)}, not on {TODAY}"),
    ],
)
def test_a_pause_lasts_ninety_days_at_most(until: int, words: str) -> None:
    desk().refuses("pause_subscription", "invalid_argument", words, subscription_id="U-1", until=day(until))


def test_a_pause_has_to_move_a_box() -> None:
    at = desk()
    for until in (1, 9):
        words = f"Its next box comes on {day(9)} only; give a later day for the end of the pause"
        at.refuses("pause_subscription", "precondition_failed", words, subscription_id="U-1", until=day(until))
    for status in ("delivered", "skipped"):
        at = desk(boxes_with(status=status))
        words = "None of its boxes is about to come, so there is nothing to pause; leave it as it is"
        at.refuses("pause_subscription", "precondition_failed", words, subscription_id="U-1", until=day(40))


def test_a_pause_is_counted_from_the_next_box_that_is_not_skipped() -> None:
    at = desk(having("boxes", "X-1", status="skipped"))
    words = f"Its next box comes on {day(23)} only"
    at.refuses("pause_subscription", "precondition_failed", words, subscription_id="U-1", until=day(23))
    assert at.gives("pause_subscription", subscription_id="U-1", until=day(24))["moved_by"] == 1
    assert at.gives("restart_subscription", subscription_id="U-1")["next_box_on"] == day(23)
    assert at.changed() == {}


def test_a_subscription_is_paused_once_between_two_boxes() -> None:
    at = desk(having("subscriptions", "U-1", may_pause=False))
    words = "It was paused already since its last box; skip a box instead, or pause it once the next one has come"
    at.refuses("pause_subscription", "limit_exceeded", words, subscription_id="U-1", until=day(40))


def paused_ago(days: int, first: int, turns: int) -> dict[str, Rows]:
    """Paused some days ago, with the next box in so many days after being moved by so many turns."""
    row = {
        **MINE, "status": "paused", "paused_on": day(-days), "paused_until": day(first), "may_pause": False,
        "moved_by": turns,
    }  # fmt: skip
    boxes = [
        {**each, "status": "paused", "delivers_on": day(first + 14 * n), "change_until": day(first - 5 + 14 * n)}
        for n, each in enumerate((X1, X2, X3))
    ]
    return {"subscriptions": keyed(row), "boxes": keyed(*boxes)}


@pytest.mark.parametrize(
    ("first", "turns", "next_day"), [(32, 2, 18), (33, 2, 5), (34, 2, 6), (47, 2, 19), (60, 5, 18), (18, 1, 18)]
)
def test_a_pause_that_ends_early_brings_boxes_as_soon_as_they_can_be_packed(
    first: int, turns: int, next_day: int
) -> None:
    at = desk(paused_ago(1, first, turns))
    restarted = at.gives("restart_subscription", subscription_id="U-1")
    assert restarted["next_box_on"] == day(next_day)
    assert at.gives("list_boxes", status="upcoming")["boxes"][0]["delivers_on"] == day(next_day)
    assert restarted["subscription"] == {**MINE, "may_pause": False}


def test_only_a_pause_of_the_same_day_does_not_count() -> None:
    assert desk(paused_ago(0, 37, 2)).gives("restart_subscription", subscription_id="U-1")["subscription"] == MINE


# -- leaving and coming back


def test_leaving_costs_a_fee_until_the_minimum_term_and_is_undone() -> None:
    at = desk({**boxes_with(**PREPAID)})
    gone = at.gives("cancel_subscription", subscription_id="U-1")
    left = {"status": "cancelled", "cancelled_on": TODAY, "restart_until": day(30), "fee": 10.0}
    assert gone == {
        "subscription": {**MINE, **left}, "plan": "Bean Small", "fee": 10.0, "credited": 51.3,
        "restart_until": day(30), "still_coming": [],
    }  # fmt: skip
    assert at.changed() == {
        "subscriptions.changed": {"U-1": left},
        "boxes.changed": {key: {"status": "cancelled", "paid": 0.0} for key in ("X-1", "X-2", "X-3")},
        "shoppers.changed": {"S-1": {"credit": 61.3}},
    }
    back = at.gives("restart_subscription", subscription_id="U-1")
    assert back == {
        "subscription": MINE, "plan": "Bean Small", "status": "active", "next_box_on": day(9), "fee_back": 10.0,
        "from_credit": 51.3,
    }  # fmt: skip
    assert at.changed() == {}


@pytest.mark.parametrize(("paid", "fee"), [(0, 15.0), (2, 5.0), (3, None), (4, None)])
def test_the_fee_is_for_every_box_that_is_missing(paid: int, fee: float | None) -> None:
    at = desk(having("subscriptions", "U-1", boxes_paid=paid))
    gone = at.gives("cancel_subscription", subscription_id="U-1")
    assert (gone.get("fee"), gone["subscription"]["fee"], gone.get("credited")) == (fee, fee or 0.0, None)
    assert "shoppers.changed" not in at.changed()


def test_packed_boxes_come_all_the_same_and_skipped_ones_stay_skipped() -> None:
    rows = having("boxes", "X-1", status="packed", delivers_on=day(2), change_until=day(-3))
    rows["boxes"].update(having("boxes", "X-2", status="skipped")["boxes"])
    at = desk(rows)
    assert at.gives("cancel_subscription", subscription_id="U-1")["still_coming"] == [day(2)]
    assert at.changed()["boxes.changed"] == {"X-3": {"status": "cancelled"}}


def test_a_paused_subscription_is_paused_again_when_it_is_restarted() -> None:
    at = desk(paused_ago(5, 37, 2))
    at.gives("cancel_subscription", subscription_id="U-1")
    assert at.gives("restart_subscription", subscription_id="U-1")["status"] == "paused"
    assert at.changed() == {}


def test_a_pause_that_would_be_over_is_over() -> None:
    rows = paused_ago(40, 37, 2)
    ended = {"status": "cancelled", "cancelled_on": day(-10), "restart_until": day(20)}
    rows["subscriptions"]["U-1"].update(ended, paused_until=TODAY)
    for row in rows["boxes"].values():
        row["status"] = "cancelled"
    at = desk(rows)
    assert at.gives("restart_subscription", subscription_id="U-1")["subscription"] == {**MINE, "may_pause": False}
    assert {row["status"] for row in at.changed()["boxes.changed"].values()} == {"upcoming"}


def left_ago(days: int, *boxes: Row) -> dict[str, Rows]:
    """Cancelled some days ago, with these boxes."""
    ended = {"status": "cancelled", "cancelled_on": day(-days), "restart_until": day(30 - days), "fee": 10.0}
    gone = boxes_with(status="delivered")
    gone["boxes"].update(keyed(*({**each, "status": "cancelled"} for each in boxes)))
    return {**having("subscriptions", "U-1", **ended), **gone}


@pytest.mark.parametrize(
    ("on_days", "again", "new"),
    [
        ((5, 19, 33), [5, 19, 33], []),
        ((4, 18, 32), [18, 32], [46]),
        ((-9, 5, 19), [5, 19], [33]),
        ((-30, -16, -2), [], [12, 26, 40]),
        ((-35, -21, -7), [], [7, 21, 35]),
        ((-36, -22, -8), [], [20, 34, 48]),
    ],
)
def test_boxes_that_can_no_longer_be_packed_are_planned_anew(
    on_days: tuple[int, ...], again: list[int], new: list[int]
) -> None:
    packs = ((A, B), (A, B), (C, line("I-6")))
    boxes = [box(f"X-{n + 1}", MINE, n + 2, day(on_days[n]), *lines) for n, lines in enumerate(packs)]
    at = desk(left_ago(20, *boxes))
    back = at.gives("restart_subscription", subscription_id="U-1")
    assert (back["next_box_on"], back["fee_back"], back.get("from_credit")) == (day((again + new)[0]), 10.0, None)
    after = at.changed()
    assert [row["status"] for row in after.get("boxes.changed", {}).values()] == ["upcoming"] * len(again)
    made = list(after.get("boxes.created", {}).values())
    assert [row["delivers_on"] for row in made] == [day(each) for each in new]
    assert [row["number"] for row in made] == [5 + n for n in range(len(new))]
    assert all((row["price"], row["prepaid"], row["paid"]) == (19.0, False, 0.0) for row in made)
    if made:
        assert {each["item_id"] for each in made[0]["lines"]}.isdisjoint({"I-3", "I-6"})


def test_prepaid_boxes_are_paid_anew_by_credit_and_then_by_card() -> None:
    boxes = [{**each, **PREPAID, "paid": 0.0} for each in (X1, X2, X3)]
    at = desk({**left_ago(2, *boxes), **with_credit(20.0)})
    back = at.gives("restart_subscription", subscription_id="U-1")
    assert (back["from_credit"], back["charged"]) == (20.0, 31.3)
    assert [row["paid"] for row in at.changed()["boxes.changed"].values()] == [17.1, 17.1, 17.1]


def test_boxes_that_are_planned_anew_are_paused_with_their_subscription() -> None:
    boxes = [box(f"X-{n + 1}", MINE, n + 2, day(each), A, B) for n, each in enumerate((4, 18, 32))]
    rows = left_ago(2, *boxes)
    rows["subscriptions"]["U-1"].update(paused_on=day(-9), paused_until=day(3), moved_by=1, may_pause=False)
    at = desk(rows)
    assert at.gives("restart_subscription", subscription_id="U-1")["status"] == "paused"
    after = at.changed()
    assert [row["status"] for row in after["boxes.changed"].values()] == ["paused", "paused"]
    assert [(row["status"], row["delivers_on"]) for row in after["boxes.created"].values()] == [("paused", day(46))]


@pytest.mark.parametrize(("days", "possible"), [(30, True), (31, False)])
def test_a_subscription_is_restarted_within_thirty_days(days: int, possible: bool) -> None:
    at = desk(left_ago(days, X1))
    if possible:
        at.gives("restart_subscription", subscription_id="U-1")
    else:
        words = f"It could be restarted until {day(-1)}; start a new subscription"
        at.refuses("restart_subscription", "precondition_failed", words, subscription_id="U-1")


def test_what_cannot_be_cancelled_or_restarted_is_refused() -> None:
    words = "The Bean Small subscription is active, so it cannot be restarted; it goes on as it is"
    desk().refuses("restart_subscription", "precondition_failed", words, subscription_id="U-1")
    at = desk(left_ago(2, X1))
    words = STANDS[1][1].format("cancelled")
    at.refuses("cancel_subscription", "precondition_failed", words, subscription_id="U-1")
    at = desk({**left_ago(2, X1)} | {"subscriptions": {**left_ago(2)["subscriptions"], "U-3": subscription("U-3")}})
    words = "You have a Bean Small subscription already"
    at.refuses("restart_subscription", "conflict", words, subscription_id="U-1")


# -- gifts


GIVE: Row = {
    "plan_id": "P-1", "variant": "ground", "email": "bo@mail.example", "boxes": 6, "first_on": day(10)
}  # fmt: skip


@pytest.mark.parametrize(("boxes", "total"), [(3, 60.0), (5, 100.0), (6, 108.0), (12, 216.0)])
def test_a_gift_is_paid_in_full_and_taken_back(boxes: int, total: float) -> None:
    at = desk()
    gift = at.gives("gift_subscription", **{**GIVE, "boxes": boxes}, wish="enjoy it")
    row = {
        **GIFT, "id": gift["id"], "title": "the Bean Small gift for bo@mail.example", "plan_id": "P-1",
        "plan": "Bean Small", "started_on": TODAY, "gift_boxes": boxes, "first_on": day(10), "gift_total": total,
        "wish": "enjoy it",
    }  # fmt: skip
    assert gift == row
    assert at.changed() == {"subscriptions.created": {gift["id"]: gift}}
    gone = at.gives("cancel_subscription", subscription_id=gift["id"])
    assert (gone["paid_back"], gone.get("fee"), gone.get("credited")) == (total, None, None)
    words = "A gift that was cancelled is not restarted; give it anew"
    at.refuses("restart_subscription", "precondition_failed", words, subscription_id=gift["id"])
    words = "is cancelled, so it cannot be cancelled; a gift is not restarted, give it anew"
    at.refuses("cancel_subscription", "precondition_failed", words, subscription_id=gift["id"])
    at.gives("gift_subscription", **GIVE)


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"email": "ADA@mail.example"}, "invalid_argument", "is your own address; start a subscription for yourself"),
        ({"first_on": day(6)}, "invalid_argument", f"The first box of a gift comes from {day(7)} to {day(60)}, not on"),
        ({"first_on": day(61)}, "invalid_argument", f"The first box of a gift comes from {day(7)} to {day(60)}"),
        (
            {"first_on": day(13)},
            "invalid_argument",
            f"No boxes are delivered on Sundays, such as {day(13)}; give the day",
        ),
        ({"plan_id": "P-4"}, "conflict", "Roast Full is full and takes nobody at present"),
        ({"variant": "sweet"}, "invalid_argument", "Bean Small does not come sweet; choose whole bean or ground"),
        ({"plan_id": "P-3", "email": "BO@mail.example"}, "conflict", "You give Roast Small to BO@mail.example already"),
    ],
)
def test_what_cannot_be_given_is_refused(changes: Row, code: str, words: str) -> None:
    desk().refuses("gift_subscription", code, words, **{**GIVE, **changes})


@pytest.mark.parametrize(
    "changes", [{"first_on": day(7)}, {"first_on": day(60)}, {"plan_id": "P-3", "email": "cy@a.b"}]
)
def test_a_gift_begins_in_a_week_to_sixty_days(changes: Row) -> None:
    desk().gives("gift_subscription", **{**GIVE, **changes})


@pytest.mark.parametrize(("now", "possible"), [(TODAY, True), (day(1), False)])
def test_a_gift_is_cancelled_until_its_first_box_is_packed(now: str, possible: bool) -> None:
    at = desk(now=on(now))
    if possible:
        gone = at.gives("cancel_subscription", subscription_id="U-2")
        assert (gone["paid_back"], gone.get("restart_until")) == (75.0, None)
    else:
        words = f"The gift could be cancelled until {TODAY}; its first box is packed, so it goes on"
        at.refuses("cancel_subscription", "precondition_failed", words, subscription_id="U-2")


# -- boxes and what is in them


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["X-1", "X-2", "X-3", "X-0", "X-4"]),
        ({"page": 2}, []),
        ({"status": "delivered"}, ["X-0", "X-4"]),
        ({"subscription_id": "U-1", "status": "upcoming"}, ["X-1", "X-2", "X-3"]),
        ({"subscription_id": "U-3"}, ["X-4"]),
    ],
)
def test_boxes_are_listed_by_their_day_those_to_come_first(arguments: Row, found: list[str]) -> None:
    other = subscription("U-3", "P-3")
    rows = {
        "subscriptions": keyed(other),
        "boxes": keyed(box("X-4", other, 1, day(-9), A, status="delivered")),
    }
    assert desk(rows).ids("list_boxes", **arguments) == found


def test_a_box_of_today_is_among_those_to_come() -> None:
    at = desk(having("boxes", "X-0", delivers_on=TODAY))
    assert at.ids("list_boxes", subscription_id="U-1")[0] == "X-0"
    assert at.gives("list_boxes", status="upcoming")["boxes"][0] == X1


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["I-1", "I-2", "I-4", "I-5"]),
        ({"grade": "premium"}, ["I-5"]),
        ({"grade": "standard"}, ["I-1", "I-2", "I-4"]),
        ({"max_price": 17.99}, ["I-1", "I-2", "I-4"]),
        ({"max_price": 18}, ["I-1", "I-2", "I-4", "I-5"]),
        ({"max_price": 5}, []),
        ({"page": 2}, []),
    ],
)
def test_items_are_found_that_suit_a_box(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_items", box_id="X-1", **arguments) == found


def test_items_for_every_variant_suit_a_box_too() -> None:
    at = desk(having("items", "I-6", price=1.0))
    assert at.ids("find_items", box_id="X-2") == ["I-6", "I-3", "I-4", "I-5"]


def swap(**changes: Any) -> Row:
    return {"box_id": "X-1", "item": "Lima blend", "new_item_id": "I-1", **changes}


def test_an_item_is_swapped_and_swapped_back() -> None:
    at = desk()
    changed = at.gives("swap_item", **swap())
    lines = [line("I-1", instead_of="Lima blend"), line("I-6")]
    after = {"lines": lines, "contents": "Santos blend, enamel mug", "swaps_left": 0}
    assert changed == {**X1, **after}
    assert at.changed() == {
        "boxes.changed": {"X-1": after},
        "items.changed": {"I-1": {"stock": 4}, "I-3": {"stock": 4}},
    }
    assert at.gives("swap_item", **swap(item="santos blend", new_item_id="I-3")) == X1
    assert at.changed() == {}


def test_a_premium_item_costs_more_and_can_be_swapped_on() -> None:
    at = desk()
    changed = at.gives("swap_item", **swap(new_item_id="I-5"))
    assert (changed["total"], changed["lines"][0]) == (23.0, line("I-5", instead_of="Lima blend", price=4.0))
    assert at.changed()["items.changed"]["I-5"] == {"stock": 0, "status": "sold_out"}
    changed = at.gives("swap_item", **swap(item="Blue Ridge blend", new_item_id="I-2"))
    assert (changed["total"], changed["swaps_left"]) == (19.0, 0)
    assert changed["lines"][0] == line("I-2", instead_of="Lima blend")
    assert set(at.changed()["items.changed"]) == {"I-2", "I-3"}


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"item": "Kivu blend"}, "not_found", "no Kivu blend in that box; name one of its items: Lima blend, enamel"),
        ({"new_item_id": "I-6"}, "conflict", "The enamel mug is in that box already; choose another item"),
        ({"new_item_id": "I-3"}, "conflict", "The Lima blend is in that box already; choose another item"),
        ({"new_item_id": "I-7"}, "conflict", "The Nyeri blend is sold out; take another item (find_items)"),
        ({"new_item_id": "I-8"}, "invalid_argument", "The Huila roast is no item for a ground coffee box; choose one"),
        ({"new_item_id": "I-9"}, "invalid_argument", "The caramel tin is no item for a ground coffee box"),
        ({"new_item_id": "I-0"}, "not_found", ""),
        ({"box_id": "X-0"}, "precondition_failed", f"The box for {day(-5)} is delivered, so it cannot be changed"),
    ],
)
def test_what_cannot_be_swapped_is_refused(changes: Row, code: str, words: str) -> None:
    desk().refuses("swap_item", code, words, **swap(**changes))


def test_a_plan_has_so_many_swaps_a_box() -> None:
    at = desk()
    at.gives("swap_item", **swap())
    words = "A Bean Small box has 1 of its items swapped at most, and that many are; swap one of those again"
    at.refuses("swap_item", "limit_exceeded", words, **swap(item="enamel mug", new_item_id="I-2"))
    at.gives("swap_item", **swap(item="Santos blend", new_item_id="I-2"))


def test_what_is_an_extra_is_not_swapped() -> None:
    at = desk()
    at.gives("add_extra", box_id="X-1", item_id="I-1", pieces=1)
    words = "The Santos blend is an extra, which is not swapped; name a planned item"
    at.refuses("swap_item", "invalid_argument", words, **swap(item="Santos blend", new_item_id="I-2"))
    assert at.gives("swap_item", **swap())["contents"] == "Santos blend, enamel mug, Santos blend"


def test_extras_are_added_up_to_four_pieces() -> None:
    at = desk()
    changed = at.gives("add_extra", box_id="X-1", item_id="I-9", pieces=1)
    lines = [*X1["lines"], line("I-9", extra=True, price=6.25)]
    after = {"lines": lines, "contents": "Lima blend, enamel mug, caramel tin", "total": 25.25}
    assert changed == {**X1, **after}
    assert at.changed() == {"boxes.changed": {"X-1": after}, "items.changed": {"I-9": {"stock": 6}}}
    changed = at.gives("add_extra", box_id="X-1", item_id="I-9", pieces=2)
    assert changed["lines"][2:] == [line("I-9", extra=True, price=18.75, pieces=3)]
    assert (changed["total"], changed["contents"]) == (37.75, "Lima blend, enamel mug, caramel tin (3)")
    words = "A box takes 4 pieces of extras, so there is room for 1 more; take fewer, or add them to another box"
    at.refuses("add_extra", "limit_exceeded", words, box_id="X-1", item_id="I-1", pieces=2)
    changed = at.gives("add_extra", box_id="X-1", item_id="I-3", pieces=1)
    assert changed["total"] == 45.75
    at.gives("add_extra", box_id="X-2", item_id="I-9", pieces=4)


def test_no_more_extras_are_taken_than_there_are() -> None:
    at = desk()
    words = "Only 2 of the Kivu blend are left; take fewer or another item (find_items)"
    at.refuses("add_extra", "conflict", words, box_id="X-1", item_id="I-4", pieces=3)
    words = "The Nyeri blend is sold out; take another item (find_items)"
    at.refuses("add_extra", "conflict", words, box_id="X-1", item_id="I-7", pieces=1)
    at.gives("add_extra", box_id="X-1", item_id="I-4", pieces=2)
    assert at.changed()["items.changed"] == {"I-4": {"stock": 0, "status": "sold_out"}}


OPEN_CALLS: list[tuple[str, Row, str]] = [
    ("swap_item", swap(), "changed"),
    ("add_extra", {"box_id": "X-1", "item_id": "I-1", "pieces": 1}, "given extras"),
    ("skip_box", {"box_id": "X-1"}, "skipped"),
    ("find_items", {"box_id": "X-1"}, "given other items"),
]


@pytest.mark.parametrize(("tool", "arguments", "done"), OPEN_CALLS)
def test_a_box_is_changed_until_five_days_before_it_comes(tool: str, arguments: Row, done: str) -> None:
    desk(now=on(day(4))).gives(tool, **arguments)
    words = f"The box for {day(9)} could be {done} until {day(4)}; change a later box"
    desk(now=on(day(5))).refuses(tool, "precondition_failed", words, **arguments)


@pytest.mark.parametrize(
    ("status", "instead"),
    [
        ("skipped", "unskip it first"),
        ("paused", "restart its subscription first"),
        ("cancelled", "restart its subscription first"),
        ("packed", "change a later box"),
        ("delivered", "change a later box"),
    ],
)
def test_only_an_upcoming_box_is_changed(status: str, instead: str) -> None:
    at = desk(having("boxes", "X-1", status=status))
    for tool, arguments, done in OPEN_CALLS:
        words = f"The box for {day(9)} is {status}, so it cannot be {done}; {instead}."
        at.refuses(tool, "precondition_failed", words, **arguments)


def test_a_box_is_skipped_and_brought_back() -> None:
    at = desk(having("boxes", "X-1", **PREPAID))
    assert at.gives("skip_box", box_id="X-1") == {**X1, **PREPAID, "status": "skipped", "paid": 0.0}
    assert at.changed() == {
        "boxes.changed": {"X-1": {"status": "skipped", "paid": 0.0}},
        "shoppers.changed": {"S-1": {"credit": 27.1}},
    }
    assert at.gives("unskip_box", box_id="X-1") == {
        "box": {**X1, **PREPAID}, "plan": "Bean Small", "delivers_on": day(9), "total": 17.1, "from_credit": 17.1,
    }  # fmt: skip
    assert at.changed() == {}


def test_what_credit_does_not_cover_of_a_prepaid_box_is_charged() -> None:
    at = desk({**having("boxes", "X-1", **{**PREPAID, "paid": 0.0}, status="skipped"), **with_credit(7.0)})
    back = at.gives("unskip_box", box_id="X-1")
    assert (back["from_credit"], back["charged"], back["box"]["paid"]) == (7.0, 10.1, 17.1)


@pytest.mark.parametrize("status", ["paused", "cancelled"])
def test_a_skipped_box_comes_back_only_with_an_active_subscription(status: str) -> None:
    rows = {**having("boxes", "X-1", status="skipped"), **having("subscriptions", "U-1", status=status)}
    words = f"The Bean Small subscription is {status}, so it cannot be given a skipped box back"
    desk(rows).refuses("unskip_box", "precondition_failed", words, box_id="X-1")


def test_a_box_that_is_not_prepaid_moves_no_credit() -> None:
    at = desk()
    at.gives("skip_box", box_id="X-1")
    assert set(at.changed()) == {"boxes.changed"}
    back = at.gives("unskip_box", box_id="X-1")
    assert "from_credit" not in back
    assert "charged" not in back
    assert at.changed() == {}


def test_only_a_skipped_box_is_brought_back_and_in_time() -> None:
    words = f"The box for {day(9)} is upcoming, so it cannot be brought back; it comes as it is"
    desk().refuses("unskip_box", "precondition_failed", words, box_id="X-1")
    skipped = having("boxes", "X-1", status="skipped")
    desk(skipped, now=on(day(4))).gives("unskip_box", box_id="X-1")
    words = f"The box for {day(9)} could be brought back until {day(4)}; change a later box"
    desk(skipped, now=on(day(5))).refuses("unskip_box", "precondition_failed", words, box_id="X-1")


@pytest.mark.parametrize(
    ("skipped", "key", "run"),
    [
        ([], "X-1", 1),
        (["X-2"], "X-1", 2),
        (["X-1"], "X-2", 2),
        (["X-1", "X-2"], "X-3", 3),
        (["X-1", "X-3"], "X-2", 3),
        (["X-2", "X-3"], "X-1", 3),
        (["X-0"], "X-1", 2),
        (["X-0", "X-1"], "X-2", 3),
        (["X-0", "X-2"], "X-3", 2),
        (["X-0", "X-2"], "X-1", 3),
        (["X-0", "X-1"], "X-3", 1),
    ],
)
def test_two_boxes_in_a_row_can_be_skipped(skipped: list[str], key: str, run: int) -> None:
    rows = {"boxes": keyed(*({**STATE["boxes"][each], "status": "skipped"} for each in skipped))}
    at = desk(rows)
    if run <= 2:
        at.gives("skip_box", box_id=key)
    else:
        words = f"2 boxes in a row can be skipped, and with the one for {STATE['boxes'][key]['delivers_on']} it would"
        at.refuses("skip_box", "limit_exceeded", f"{words} be 3; unskip one beside it", box_id=key)


def test_a_cancelled_box_between_skipped_ones_does_not_part_them() -> None:
    rows = {
        "boxes": keyed(
            {**X0, "status": "skipped"}, {**X1, "status": "skipped"}, {**X2, "status": "cancelled"}
        )
    }  # fmt: skip
    desk(rows).refuses("skip_box", "limit_exceeded", "it would be 3", box_id="X-3")


# -- what was delivered


def report(**changes: Any) -> Row:
    return {"box_id": "X-0", "item": "Santos blend", "problem": "leaking", **changes}


def test_a_damaged_item_is_worth_its_share_of_the_box() -> None:
    at = desk()
    given = at.gives("report_item", **report())
    after = {"lines": [{**A, "problem": "leaking"}, B]}
    assert given == {
        "box": {**X0, **after}, "item": "Santos blend", "problem": "leaking", "credited": 9.5, "credit": 19.5,
    }  # fmt: skip
    assert at.changed() == {"boxes.changed": {"X-0": after}, "shoppers.changed": {"S-1": {"credit": 19.5}}}
    words = "The Santos blend was reported as leaking already; name another item"
    at.refuses("report_item", "conflict", words, **report(problem="broken"))
    words = "Half the items of a box can be reported here, and 1 of 2 are; rate the others instead"
    at.refuses("report_item", "limit_exceeded", words, **report(item="Cauca blend"))


def test_extras_and_surcharges_are_given_back_as_well() -> None:
    extra = line("I-9", extra=True, pieces=2, price=12.5)
    premium = line("I-5", instead_of="Lima blend", price=4.0)
    came = box("X-0", MINE, 1, day(-5), premium, B, C, extra, status="delivered", price=20.0)
    at = desk({"boxes": keyed(came)})
    assert at.gives("report_item", **report(item="caramel tin"))["credited"] == 12.5
    assert at.gives("report_item", **report(item="Blue Ridge blend"))["credited"] == 10.67
    words = "Half the items of a box can be reported here, and 2 of 4 are"
    at.refuses("report_item", "limit_exceeded", words, **report(item="Cauca blend"))


def test_the_only_item_of_a_box_can_be_reported() -> None:
    at = desk({"boxes": keyed(box("X-0", MINE, 1, day(-5), A, status="delivered"))})
    assert at.gives("report_item", **report())["credited"] == 19.0


@pytest.mark.parametrize(("days", "possible"), [(14, True), (15, False)])
def test_items_are_reported_within_two_weeks(days: int, possible: bool) -> None:
    at = desk(having("boxes", "X-0", delivers_on=day(-days)))
    if possible:
        at.gives("report_item", **report())
    else:
        words = f"Items of the box for {day(-days)} could be reported until {day(-1)}; rate the item instead"
        at.refuses("report_item", "precondition_failed", words, **report())


def test_only_what_has_come_is_reported_or_rated() -> None:
    at = desk()
    words = f"The box for {day(9)} is upcoming, so nothing in it can be {{}}; name a delivered box"
    arguments = {"box_id": "X-1", "item": "Lima blend"}
    at.refuses("report_item", "precondition_failed", words.format("reported"), **arguments, problem="broken")
    at.refuses("rate_item", "precondition_failed", words.format("rated"), **arguments, stars=2)
    words = "There is no Lima blend in that box; name one of its items: Santos blend, Cauca blend"
    at.refuses("report_item", "not_found", words, **report(item="Lima blend"))
    at.refuses("rate_item", "not_found", words, box_id="X-0", item="Lima blend", stars=2)


def test_an_item_that_is_rated_low_is_replaced_in_boxes_to_come() -> None:
    at = desk(having("boxes", "X-3", status="skipped", lines=[B, C], contents="Cauca blend, Lima blend"))
    rated = at.gives("rate_item", box_id="X-0", item="Cauca blend", stars=2)
    came = {"lines": [A, {**B, "stars": 2}]}
    assert rated == {
        "box": {**X0, **came}, "item": "Cauca blend", "stars": 2, "packed_again": False,
        "replaced_in": [day(23), day(37)],
    }  # fmt: skip
    assert at.changed() == {
        "boxes.changed": {
            "X-0": came,
            "X-2": {"lines": [A, line("I-6")], "contents": "Santos blend, enamel mug"},
            "X-3": {"lines": [line("I-1"), C], "contents": "Santos blend, Lima blend"},
        },
        "items.changed": {"I-1": {"stock": 4}, "I-2": {"stock": 6}, "I-6": {"stock": 5}},
    }
    words = "The Cauca blend has 2 stars from you already; give another number"
    at.refuses("rate_item", "conflict", words, box_id="X-0", item="Cauca blend", stars=2)
    again = at.gives("rate_item", box_id="X-0", item="Cauca blend", stars=3)
    assert (again["packed_again"], again["replaced_in"]) == (True, [])


@pytest.mark.parametrize(("stars", "again"), [(1, False), (2, False), (3, True), (5, True)])
def test_an_item_with_two_stars_or_fewer_is_not_packed_again(stars: int, again: bool) -> None:
    at = desk()
    assert at.gives("rate_item", box_id="X-0", item="Cauca blend", stars=stars)["packed_again"] == again
    started = at.gives("start_subscription", **START)
    packed = {each["item_id"] for row in started["boxes"] for each in row["lines"]}
    assert ("I-2" in packed) == again


def test_a_swap_or_surcharge_goes_with_an_item_that_is_replaced() -> None:
    premium = line("I-5", instead_of="Lima blend", price=4.0)
    came = box("X-0", MINE, 1, day(-5), line("I-5"), B, status="delivered")
    at = desk({"boxes": keyed(came, box("X-1", MINE, 2, day(9), premium, B))})
    at.gives("rate_item", box_id="X-0", item="Blue Ridge blend", stars=1)
    lines = [line("I-6", instead_of="Lima blend"), B]
    assert at.changed()["boxes.changed"]["X-1"] == {
        "lines": lines, "contents": "enamel mug, Cauca blend", "total": 19.0
    }  # fmt: skip


def test_an_item_that_was_swapped_away_can_replace_what_took_its_place() -> None:
    swapped = line("I-2", instead_of="Lima blend")
    items = {key: {**row, "stock": 0, "status": "sold_out"} for key, row in ITEMS.items() if key != "I-3"}
    at = desk({"items": items, "boxes": keyed(box("X-1", MINE, 2, day(9), A, swapped))})
    at.gives("rate_item", box_id="X-0", item="Cauca blend", stars=1)
    assert at.changed()["boxes.changed"]["X-1"] == {
        "lines": [A, C], "contents": "Santos blend, Lima blend", "swaps_left": 1
    }  # fmt: skip


@pytest.mark.parametrize(("days", "replaced"), [(5, True), (4, False)])
def test_an_item_is_replaced_in_a_cancelled_box_that_can_come_again(days: int, replaced: bool) -> None:
    gone = {**box("X-2", MINE, 3, day(days), A, B), "status": "cancelled"}
    at = desk({"boxes": keyed(gone)})
    assert at.gives("rate_item", box_id="X-0", item="Cauca blend", stars=1)["replaced_in"] == []
    assert ("X-2" in at.changed()["boxes.changed"]) == replaced


def test_extras_stay_and_so_does_what_nothing_can_replace() -> None:
    extra = line("I-2", extra=True, price=8.0)
    sold_out = {"items": {key: {**row, "stock": 0, "status": "sold_out"} for key, row in ITEMS.items()}}
    at = desk({**sold_out, "boxes": keyed(box("X-1", MINE, 2, day(9), A, extra))})
    rated = at.gives("rate_item", box_id="X-0", item="Cauca blend", stars=1)
    assert (rated["replaced_in"], set(at.changed())) == ([], {"boxes.changed"})


def test_packed_boxes_are_not_packed_anew() -> None:
    at = desk(having("boxes", "X-2", status="packed"))
    assert at.gives("rate_item", box_id="X-0", item="Cauca blend", stars=1)["replaced_in"] == []
    at = desk(now=on(day(19)))
    assert at.gives("rate_item", box_id="X-0", item="Cauca blend", stars=1)["replaced_in"] == []


def test_the_stars_of_the_latest_box_count() -> None:
    later = box("X-5", MINE, 1, day(-4), line("I-2", stars=5), A, status="delivered")
    at = desk({"boxes": keyed(later)})
    rated = at.gives("rate_item", box_id="X-0", item="Cauca blend", stars=1)
    assert (rated["packed_again"], rated["replaced_in"]) == (True, [])


# -- whose it is


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("check_subscription", {"subscription_id": "U-9"}),
        ("change_subscription", {"subscription_id": "U-9", "frequency": "weekly"}),
        ("pause_subscription", {"subscription_id": "U-9", "until": day(40)}),
        ("cancel_subscription", {"subscription_id": "U-9"}),
        ("restart_subscription", {"subscription_id": "U-9"}),
        ("list_boxes", {"subscription_id": "U-9"}),
        ("find_items", {"box_id": "Y-1"}),
        ("swap_item", swap(box_id="Y-1", item="Santos blend")),
        ("add_extra", {"box_id": "Y-1", "item_id": "I-3", "pieces": 1}),
        ("skip_box", {"box_id": "Y-1"}),
        ("unskip_box", {"box_id": "Y-1"}),
        ("report_item", report(box_id="Y-0")),
        ("rate_item", {"box_id": "Y-0", "item": "Cauca blend", "stars": 1}),
    ],
)
def test_others_subscriptions_and_boxes_are_out_of_reach(tool: str, arguments: Row) -> None:
    kind = "subscription" if "subscription_id" in arguments else "box"
    desk().refuses(tool, "permission_denied", f"That {kind} belongs to somebody else", **arguments)


# -- scenarios


@pytest.mark.parametrize(("seed", "size"), [(1, 20), (2, 60), (3, 60), (4, 60), (5, 180)])
@pytest.mark.parametrize("now", [DEFAULT_NOW, on("2026-10-08"), on("2027-01-03")])
def test_a_scenario_keeps_the_rules(seed: int, size: int, now: dt.datetime) -> None:
    state = build_scenario(SubscriptionBox, seed, size, now)
    assert isinstance(state, SubscriptionBox)
    today = now.date()
    plans = {each.plan: each for each in state.plans.values()}
    for item in state.items.values():
        assert (item.status == "in_stock") == (item.stock > 0)
    for sub in state.subscriptions.values():
        boxes = sorted((b for b in state.boxes.values() if b.subscription_id == sub.id), key=lambda b: b.number)
        assert [b.number for b in boxes] == list(range(1, len(boxes) + 1))
        ahead = [b for b in boxes if rules.is_ahead(b, today)]
        assert len(ahead) == (3 if sub.status in money.LIVE else sum(b.status == "skipped" for b in ahead))
        paid = [b for b in boxes if b.status in ("packed", "delivered")]
        assert (sub.boxes_paid, sub.minimum_boxes >= sub.committed_boxes) == (len(paid), True)
        shopper = state.shoppers[sub.shopper_id]
        assert sub.status == "gift" or sub.address in [each.nickname for each in shopper.addresses]
        days = [b.delivers_on for b in boxes if b.status in ("upcoming", "skipped", "paused") or b in paid]
        assert days == sorted(set(days))
        assert all(rules.WEEKDAYS[day.weekday()] == sub.weekday for day in days)
        assert sub.status != "paused" or ahead[0].delivers_on >= (sub.paused_until or today) > today
        assert (sub.status == "cancelled") == (sub.cancelled_on is not None)
        assert sub.started_on <= today
        assert sub.first_on is None or sub.first_on.weekday() < len(rules.WEEKDAYS)
    for box in state.boxes.values():
        plan = plans[box.plan]
        own = [each for each in box.lines if not each.extra]
        assert len(own) == plan.items
        assert len({each.item_id for each in own}) == len(own)
        assert all(packing.fits(state.items[each.item_id], box.theme, box.variant) for each in own)
        assert box == packing.with_lines(box, box.lines, plan.swaps)
        assert box.change_until == packing.cut_off(box.delivers_on)
        assert box.price == money.box_price(
            plan, state.subscriptions[box.subscription_id].frequency, prepaid=box.prepaid
        )
        assert sum(each.pieces for each in box.lines if each.extra) <= packing.EXTRA_PIECES
        assert (box.status == "delivered") <= (box.delivers_on <= today)
        assert (box.status == "packed") <= (box.delivers_on > today > box.change_until)
        assert box.paid == (box.price if box.prepaid and box.status not in ("skipped", "cancelled") else 0.0)
    live = Counter((s.shopper_id, s.plan_id) for s in state.subscriptions.values() if s.status in money.LIVE)
    assert max(live.values()) == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_scenario_has_edge_cases_for_its_shopper(seed: int) -> None:
    state = build_scenario(SubscriptionBox, seed, 60, DEFAULT_NOW)
    assert isinstance(state, SubscriptionBox)
    today, me = DEFAULT_NOW.date(), state.shopper_id
    mine = [each for each in state.subscriptions.values() if each.shopper_id == me]
    boxes = [each for each in state.boxes.values() if each.shopper_id == me]
    assert all(count >= 4 for count in Counter(each.status for each in mine).values())
    assert {each.status for each in mine} == {"active", "paused", "cancelled", "gift"}
    steps = Counter(each.status for each in boxes)
    assert all(steps[step] >= 3 for step in ("upcoming", "skipped", "paused", "cancelled", "packed", "delivered"))
    assert any(each.status == "upcoming" and each.change_until == today for each in boxes)
    assert any(each.status == "upcoming" and not each.swaps_left for each in boxes)
    assert any(each.prepaid and each.paid for each in boxes)
    assert {True, False} == {each.may_pause for each in mine if each.status == "active"}
    assert any(each.restart_until and each.restart_until < today for each in mine)
    assert any(each.status == "active" and money.missing(each) for each in mine)
    assert packing.unloved(boxes)
    assert any(each.problem for row in boxes for each in row.lines)
    assert any(each.status == "full" for each in state.plans.values())
    assert any(each.status == "sold_out" for each in state.items.values())
    unloved = packing.unloved(boxes)
    assert not any(
        each.item_id in unloved and not each.extra for b in boxes if rules.is_ahead(b, today) for each in b.lines
    )
