"""What boxes and gifts cost, how that is paid, and what leaving before the minimum term takes."""

from collections.abc import Iterable
from typing import NamedTuple

from envfactory.catalogue.commerce._box_records import BoxPlan, BoxShopper, BoxSubscription, CuratedBox, Frequency
from envfactory.environment import cents

FREQUENCY_OFF: dict[Frequency, int] = {"weekly": 10, "every_two_weeks": 5, "every_four_weeks": 0}
"""Percent off for boxes that come more often."""
PREPAID_OFF, GIFT_OFF, GIFT_OFF_FROM = 10, 10, 6
"""Percent off for boxes paid in advance, and for gifts from so many boxes on."""
LIVE = ("active", "paused")
"""Where a subscription stands while it costs something to leave it."""


class Paid(NamedTuple):
    """How an amount is settled: by credit first, then by card; or as credit."""

    from_credit: float = 0.0
    charged: float = 0.0
    credited: float = 0.0


def box_price(plan: BoxPlan, frequency: Frequency, *, prepaid: bool = False) -> float:
    """What a box costs."""
    off = (100 - FREQUENCY_OFF[frequency]) * (100 - (PREPAID_OFF if prepaid else 0))
    return cents(plan.price * off / 10_000)


def gift_price(plan: BoxPlan, boxes: int) -> float:
    """What a gift of so many boxes costs."""
    return cents(plan.price * boxes * (100 - (GIFT_OFF if boxes >= GIFT_OFF_FROM else 0)) / 100)


def settled(shopper: BoxShopper, amount: float) -> tuple[BoxShopper, Paid]:
    """The shopper after paying an amount, or after getting it as credit if it is negative."""
    if amount < 0:
        return shopper.evolve(credit=cents(shopper.credit - amount)), Paid(credited=cents(-amount))
    used = min(shopper.credit, amount)
    return shopper.evolve(credit=cents(shopper.credit - used)), Paid(cents(used), cents(amount - used))


def together(paid: Iterable[Paid]) -> Paid:
    """Several payments as one."""
    found = list(paid)
    return Paid(cents(sum(each.from_credit for each in found)), cents(sum(each.charged for each in found)))


def due_of(box: CuratedBox, due: Iterable[CuratedBox], shopper: BoxShopper) -> Paid:
    """How a box will be paid, after those among the boxes that are due which are paid before it."""
    for each in sorted(due, key=lambda each: (each.change_until, each.id)):
        if (each.change_until, each.id) < (box.change_until, box.id):
            shopper, _ = settled(shopper, cents(each.total - each.paid))
    return settled(shopper, cents(box.total - box.paid))[1]


def fee_now(subscription: BoxSubscription, plan: BoxPlan) -> float:
    """What cancelling costs today, nothing for a gift; a change of plan makes no box that is missing cheaper."""
    return cents(missing(subscription) * max(subscription.committed_fee, plan.leaving_fee))


def missing(subscription: BoxSubscription) -> int:
    """How many boxes are to be paid until cancelling is free."""
    return max(0, subscription.minimum_boxes - subscription.boxes_paid)


def priced(boxes: Iterable[CuratedBox], plan: BoxPlan, frequency: Frequency) -> list[CuratedBox]:
    """The boxes at what they cost on a plan and at a frequency; what is paid in advance is paid in full."""
    found: list[CuratedBox] = []
    for box in boxes:
        price = box_price(plan, frequency, prepaid=box.prepaid)
        total = cents(box.total - box.price + price)
        found.append(
            box.evolve(price=price, total=total, paid=price if box.prepaid and box.status != "skipped" else 0.0)
        )
    return found
