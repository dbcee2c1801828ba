"""What the returns desk takes back, until when, in which way, what it pays, and what it refuses."""

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from envfactory.catalogue.commerce._returns_records import (
    BoughtItem,
    Category,
    CategoryTerms,
    ExchangeArticle,
    Grade,
    PaidRemedy,
    Reason,
    Remedy,
    RemedyOffer,
    ReturnCase,
    ReturnDetails,
    ReturnQuote,
    Status,
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
UNSENT: tuple[Status, ...] = ("authorised", "labelled")
UNINSPECTED: tuple[Status, ...] = (*UNSENT, "in_transit")
OFFERED: tuple[Status, ...] = ("inspected", "contested")
"""Conditions in which less is offered, as something did not come back as new."""


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


def returnable(item: BoughtItem, today: dt.date) -> bool:
    """Whether an item can be returned without a fault."""
    why: Reason = "a_change_of_mind"
    return item.status == "kept" and why in item.reasons and today <= last_day(item, why)


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


def new_case(key: str, item: BoughtItem, reason: Reason, today: dt.date) -> ReturnCase:
    """A return of an item that is not priced yet; what was cancelled before goes on with the days it had."""
    again = item.send_by if reason not in FAULTS else None
    return ReturnCase(
        id=key, shopper_id=item.shopper_id, item_id=item.id, product=item.product, category=item.category,
        reason=reason, remedy="a_refund", ways=TERMS[item.category].ways, amount=0.0, asked_on=today,
        send_by=again or today + dt.timedelta(days=SEND_DAYS), status="authorised",
        extended=item.extended and again is not None,
    )  # fmt: skip


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


def quote(item: BoughtItem, reason: Reason) -> ReturnQuote:
    """What returning an item would bring."""
    remedies: tuple[PaidRemedy, ...] = ("a_refund", "store_credit")
    return ReturnQuote(
        item_id=item.id, product=item.product, until=last_day(item, reason),
        restocking=restocking(item, reason, "a_refund"),
        postage=min(postage(way, reason, "a_refund") for way in TERMS[item.category].ways),
        offers=tuple(RemedyOffer(remedy=r, amount=worth(item, reason, r)) for r in remedies),
    )  # fmt: skip


def details(case: ReturnCase, item: BoughtItem, today: dt.date) -> ReturnDetails:
    """How a return stands and how its amount comes about."""
    about = (item, case.reason, case.remedy)
    return ReturnDetails(
        return_id=case.id, product=case.product, status=case.status, reason=case.reason, remedy=case.remedy,
        price=item.price, restocking=restocking(*about), bonus=bonus(*about), amount=case.amount,
        postage=postage(case.way, case.reason, case.remedy), to_pay=case.to_pay,
        send_by=case.send_by if case.status in UNSENT else None, lapsed=lapsed(case, today), way=case.way,
        grade=case.grade, offer=case.offer if case.status in OFFERED else None, exchange=case.exchange,
        answer_by=contest_by(case) if case.status == "inspected" else None,
    )  # fmt: skip


def kept_aside(case: ReturnCase, articles: Iterable[ExchangeArticle]) -> ExchangeArticle | None:
    """The article of which a piece is kept aside for a return, if it is an exchange."""
    wanted = (case.product, case.exchange)
    return next((article for article in articles if (article.product, article.variant) == wanted), None)


def lapsed(case: ReturnCase, today: dt.date) -> bool:
    """Whether a return was not sent in time."""
    return case.status in UNSENT and today > case.send_by


def contest_by(case: ReturnCase) -> dt.date | None:
    """Last day on which an inspection can be contested."""
    return case.inspected_on and case.inspected_on + dt.timedelta(days=ANSWER_DAYS)


def check_sendable(case: ReturnCase, today: dt.date) -> None:
    """Refuse a return that was not sent in time."""
    if lapsed(case, today):
        raise ToolError(
            "precondition_failed", f"The {case.product} had to be sent by {case.send_by}; cancel that return."
        )


def check_unsent(cases: Iterable[ReturnCase]) -> None:
    """Refuse one more return while too many wait to be sent."""
    if sum(case.status in UNSENT for case in cases) >= MOST_UNSENT:
        raise ToolError("limit_exceeded", f"{MOST_UNSENT} returns wait to be sent; send or cancel one first.")


def check_way(way: Way, case: ReturnCase) -> None:
    """Refuse a way that is not open to a return, or is chosen already."""
    if way not in case.ways:
        raise ToolError("invalid_argument", f"Furniture is fetched: the {case.product} goes by a home pickup.")
    if way == case.way:
        raise ToolError("conflict", f"The {case.product} goes back like that already.")


def check_remedy(remedy: PaidRemedy, case: ReturnCase) -> None:
    """Refuse what a return brings already."""
    if remedy == case.remedy:
        raise ToolError("conflict", f"The {case.product} return brings {remedy.replace('_', ' ')} already.")


def check_not_extended(case: ReturnCase) -> None:
    """Refuse to put off a second time the day by which a return is sent."""
    if case.extended:
        raise ToolError("conflict", f"The {case.product} has had its extra week already: send it by {case.send_by}.")


def check_contestable(case: ReturnCase, today: dt.date) -> None:
    """Refuse to contest an inspection once its days are over."""
    until = contest_by(case)
    if until is None or today > until:
        words = f"It could be contested until {until}; accept it or have it sent back."
        raise ToolError("precondition_failed", words)
