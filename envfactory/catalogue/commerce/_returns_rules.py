"""What the returns desk takes back, until when, in which way, and what it pays."""

import datetime as dt
from typing import NamedTuple

from envfactory.catalogue.commerce._returns_records import (
    BoughtItem,
    Category,
    CategoryTerms,
    ExchangeArticle,
    Grade,
    Reason,
    Remedy,
    ReturnCase,
    Way,
)
from envfactory.environment import ToolError, cents

DEFECT_DAYS = 365
CREDIT_BONUS = 10
"""Percent that store credit adds."""
POSTAGE: dict[Way, float] = {"a_counter_code": 3.99, "a_printed_label": 4.99, "a_home_pickup": 9.99}
FAULTS: tuple[Reason, ...] = ("a_defect", "a_wrong_description")
SHARE: dict[Grade, float] = {"as_new": 1.0, "worn": 0.6, "damaged": 0.25}
"""What is paid of the amount for what did not come back as new."""
SEND_DAYS, EXTENSION_DAYS, ANSWER_DAYS = 14, 7, 7
MOST_UNSENT = 6
SEND_BACK_FEE = 6.99


class Terms(NamedTuple):
    """Terms of a category: days, what opened goods come to, and how they are sent."""

    days: int
    opened_fee: int | None = 0
    """Percent kept of the price of opened goods; None if they are not taken back."""
    ways: tuple[Way, ...] = tuple(POSTAGE)


TERMS: dict[Category, Terms] = {
    "clothing": Terms(60),
    "electronics": Terms(14, opened_fee=15),
    "cosmetics": Terms(30, opened_fee=None),
    "books": Terms(30),
    "furniture": Terms(30, opened_fee=10, ways=("a_home_pickup",)),
}


def terms_of(category: Category) -> CategoryTerms:
    """The terms of a category as they are told."""
    days, fee, ways = TERMS[category]
    return CategoryTerms(
        category=category, days=days, description_days=2 * days, defect_days=DEFECT_DAYS,
        opened="refused" if fee is None else "taken_back_for_a_fee" if fee else "taken_back",
        restocking_percent=fee or 0, ways=ways,
    )  # fmt: skip


def reasons_for(category: Category, *, opened: bool, final_sale: bool) -> tuple[Reason, ...]:
    """Reasons for which such an item is taken back: faults always, sizes only of clothing."""
    if final_sale or (opened and TERMS[category].opened_fee is None):
        return FAULTS
    return ("a_change_of_mind", "a_wrong_size", *FAULTS) if category == "clothing" else ("a_change_of_mind", *FAULTS)


def last_day(item: BoughtItem, reason: Reason) -> dt.date:
    """Last day on which an item can be returned for a reason; cancelling and asking again gives no new days."""
    days = TERMS[item.category].days
    last = item.delivered_on + dt.timedelta(
        days={"a_defect": DEFECT_DAYS, "a_wrong_description": 2 * days}.get(reason, days)
    )
    return min(last, item.send_by) if item.send_by and reason not in FAULTS else last


def check_not_final(item: BoughtItem) -> None:
    """Refuse an item that nothing brings back any more."""
    if not item.reasons:
        raise ToolError("conflict", f"The {item.product} was inspected and sent back once, so it stays with you.")


def check_reason(item: BoughtItem, reason: Reason, today: dt.date) -> None:
    """Refuse a reason that does not hold for an item, or no longer."""
    check_not_final(item)
    if reason not in item.reasons:
        if reason == "a_wrong_size" and "a_change_of_mind" in item.reasons:
            raise ToolError("invalid_argument", f"The {item.product} has no size; return it for another reason.")
        why = "was a final sale" if item.final_sale else "has been opened"
        raise ToolError("precondition_failed", f"The {item.product} {why}, so only faults bring it back.")
    if today > last_day(item, reason):
        said = reason.replace("_", " ")
        until = last_day(item, reason)
        raise ToolError("precondition_failed", f"The {item.product} could be returned for {said} until {until}.")


def restocking(item: BoughtItem, reason: Reason, remedy: Remedy) -> float:
    """What is kept of the price of an opened item that has no fault and is not exchanged."""
    if not item.opened or reason in FAULTS or remedy == "an_exchange":
        return 0.0
    return cents(item.price * (TERMS[item.category].opened_fee or 0) / 100)


def bonus(item: BoughtItem, reason: Reason, remedy: Remedy) -> float:
    """What store credit adds to what is left of the price."""
    percent = CREDIT_BONUS if remedy == "store_credit" else 0
    return cents((item.price - restocking(item, reason, remedy)) * percent / 100)


def postage(way: Way | None, reason: Reason, remedy: Remedy) -> float:
    """What sending costs: nothing for faults and exchanges."""
    return 0.0 if way is None or reason in FAULTS or remedy == "an_exchange" else POSTAGE[way]


def worth(item: BoughtItem, reason: Reason, remedy: Remedy) -> float:
    """What a return brings, postage aside."""
    return cents(item.price - restocking(item, reason, remedy) + bonus(item, reason, remedy))


def priced(case: ReturnCase, item: BoughtItem, article: ExchangeArticle | None = None) -> ReturnCase:
    """The return with what is got for it; an exchange pays or costs what the two articles differ by."""
    if article is not None:
        differ = item.price - article.price
        return case.evolve(amount=cents(max(0.0, differ)), to_pay=cents(max(0.0, -differ)))
    amount = worth(item, case.reason, case.remedy) - postage(case.way, case.reason, case.remedy)
    return case.evolve(amount=cents(max(0.0, amount)), to_pay=0.0)


def lapsed(case: ReturnCase, today: dt.date) -> bool:
    """Whether a return was not sent in time."""
    return case.status in ("authorised", "labelled") and today > case.send_by


def contest_by(case: ReturnCase) -> dt.date | None:
    """Last day on which an inspection can be contested."""
    return case.inspected_on and case.inspected_on + dt.timedelta(days=ANSWER_DAYS)


def check_sendable(case: ReturnCase, today: dt.date) -> None:
    """Refuse a return that was not sent in time."""
    if lapsed(case, today):
        raise ToolError(
            "precondition_failed", f"The {case.product} had to be sent by {case.send_by}; cancel that return."
        )
