"""When boxes come, how far they can be skipped and paused, and what starting, changing and leaving takes."""

import datetime as dt
from collections.abc import Iterable, Sequence

from envfactory.catalogue.commerce._box_money import LIVE, gift_price
from envfactory.catalogue.commerce._box_packing import cut_off, title
from envfactory.catalogue.commerce._box_records import (
    BoxLine,
    BoxPlan,
    BoxShopper,
    BoxStatus,
    BoxSubscription,
    CuratedBox,
    Frequency,
    Variant,
    Weekday,
)
from envfactory.environment import ToolError, cents, days_after, said

INTERVALS: dict[Frequency, int] = {"weekly": 7, "every_two_weeks": 14, "every_four_weeks": 28}
"""How many days are between two boxes."""
WEEKDAYS: tuple[Weekday, ...] = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
AHEAD = 3
"""How many boxes are planned ahead."""
FIRST_DAYS = 7
"""How many days after today the first box comes at the earliest."""
GIFT_DAYS = 60
"""How many days after today the first box of a gift comes at the latest."""
SKIPS = 2
"""How many boxes in a row can be skipped."""
PAUSE_DAYS, RESTART_DAYS, REPORT_DAYS = 90, 30, 14
"""How long a pause can be, a cancelled subscription can be restarted, and a delivered item can be reported."""
CHANGEABLE: tuple[BoxStatus, ...] = ("upcoming", "skipped", "paused")
"""Where a box stands that moves with its subscription."""


def next_turn(subscription: BoxSubscription, last: dt.date, today: dt.date) -> dt.date:
    """The day of the first box after the last one that was planned which leaves time to pack it."""
    day = days_after(last, INTERVALS[subscription.frequency])
    while day < days_after(today, FIRST_DAYS):
        day = days_after(day, INTERVALS[subscription.frequency])
    return day


def first_day(weekday: Weekday, earliest: dt.date) -> dt.date:
    """The first such day of the week on a day or after."""
    return days_after(earliest, (WEEKDAYS.index(weekday) - earliest.weekday()) % 7)


# -- subscriptions


def check_live(subscription: BoxSubscription, among: tuple[str, ...], done: str) -> None:
    """Refuse a subscription that stands otherwise."""
    if subscription.status in among:
        return
    instead = {
        "active": "it goes on as it is",
        "paused": "restart it first",
        "cancelled": f"it can be restarted until {subscription.restart_until}; start a new one after that",
        "gift": "its boxes are its recipient's; it can only be cancelled, before its first box is packed",
    }
    if subscription.recipient:
        instead["cancelled"] = "a gift is not restarted, give it anew"
    what = "a gift" if subscription.status == "gift" else said(subscription.status)
    words = f"The {subscription.plan} subscription is {what}, so it cannot be {done}; {instead[subscription.status]}."
    raise ToolError("precondition_failed", words)


def check_single(plan: BoxPlan, others: Iterable[BoxSubscription]) -> None:
    """Refuse a second subscription of a shopper's to one plan."""
    if any(each.plan_id == plan.id and each.status in LIVE for each in others):
        words = f"You have a {plan.plan} subscription already; change or cancel that one first, or choose another plan."
        raise ToolError("conflict", words)


def check_plan(plan: BoxPlan, variant: Variant) -> None:
    """Refuse a plan that is full, or a variant that it does not have."""
    if plan.status == "full":
        raise ToolError(
            "conflict", f"{plan.plan} is full and takes nobody at present; choose another plan (find_plans)."
        )
    if variant not in plan.variants:
        offered = " or ".join(said(each) for each in plan.variants)
        raise ToolError("invalid_argument", f"{plan.plan} does not come {said(variant)}; choose {offered}.")


def check_address(shopper: BoxShopper, address: str) -> None:
    """Refuse an address that the shopper does not have."""
    names = [each.nickname for each in shopper.addresses]
    if address not in names:
        raise ToolError("not_found", f"You have no address called {address!r}; choose one of {', '.join(names)}.")


def check_change(subscription: BoxSubscription, plan: BoxPlan, frequency: Frequency) -> None:
    """Refuse a change that changes nothing, or one to a plan of another theme."""
    if frequency == subscription.frequency and plan.id == subscription.plan_id:
        words = f"{plan.plan} boxes come {said(frequency)} already; give another frequency, or a plan (find_plans)."
        raise ToolError("conflict", words)
    if plan.theme != subscription.theme:
        words = f"{plan.plan} is about {plan.theme}, and the subscription about {subscription.theme}"
        raise ToolError("invalid_argument", f"{words}; choose a plan of its theme, or start a new subscription.")


def step_of(subscription: BoxSubscription) -> BoxStatus:
    """Where a box stands that is to come with a subscription."""
    return "paused" if subscription.status == "paused" else "upcoming"


def on_plan(subscription: BoxSubscription, plan: BoxPlan) -> BoxSubscription:
    """The subscription on another plan; its minimum term is never shorter than the one with which it began."""
    return subscription.evolve(
        plan_id=plan.id, plan=plan.plan, size=plan.size, title=title(plan),
        minimum_boxes=max(subscription.committed_boxes, plan.minimum_boxes),
    )  # fmt: skip


def started(
    subscription_id: str, shopper: BoxShopper, plan: BoxPlan, variant: Variant, frequency: Frequency, weekday: Weekday,
    address: str, today: dt.date,
) -> BoxSubscription:  # fmt: skip
    """A new subscription."""
    return BoxSubscription(
        id=subscription_id, shopper_id=shopper.id, title=title(plan), plan_id=plan.id, plan=plan.plan, theme=plan.theme,
        size=plan.size, variant=variant, frequency=frequency, started_on=today, weekday=weekday, address=address,
        committed_boxes=plan.minimum_boxes, minimum_boxes=plan.minimum_boxes, committed_fee=plan.leaving_fee,
    )  # fmt: skip


def gift(
    subscription_id: str, shopper: BoxShopper, plan: BoxPlan, variant: Variant, email: str, boxes: int,
    first_on: dt.date, wish: str | None, today: dt.date,
) -> BoxSubscription:  # fmt: skip
    """A subscription for somebody else."""
    return BoxSubscription(
        id=subscription_id, shopper_id=shopper.id, title=title(plan, email), plan_id=plan.id, plan=plan.plan,
        theme=plan.theme, size=plan.size, variant=variant, frequency="every_four_weeks", status="gift",
        started_on=today, may_pause=False, recipient=email, gift_boxes=boxes, first_on=first_on,
        gift_total=gift_price(plan, boxes), wish=wish,
    )  # fmt: skip


def paused(
    subscription: BoxSubscription, until: dt.date, ahead: Sequence[CuratedBox], today: dt.date
) -> BoxSubscription:
    """The subscription paused until a day.

    Args:
        subscription: the subscription before.
        until: day until which no box comes.
        ahead: its boxes that can be changed, the next one first.
        today: day of the pause.
    """
    check_live(subscription, ("active",), "paused")
    if not today < until <= days_after(today, PAUSE_DAYS):
        words = f"A pause ends within {PAUSE_DAYS} days, from {days_after(today, 1)} to {days_after(today, PAUSE_DAYS)}"
        raise ToolError("invalid_argument", f"{words}, not on {until}; give such a day.")
    if not subscription.may_pause:
        words = "It was paused already since its last box; skip a box instead, or pause it once the next one has come."
        raise ToolError("limit_exceeded", words)
    following = next_day(ahead)
    if following is None:
        words = "None of its boxes is about to come, so there is nothing to pause; leave it as it is."
        raise ToolError("precondition_failed", words)
    if until <= following:
        words = f"Its next box comes on {following} only; give a later day for the end of the pause."
        raise ToolError("precondition_failed", words)
    days = (until - following).days
    turns = -(-days // INTERVALS[subscription.frequency])
    return subscription.evolve(
        status="paused", paused_on=today, paused_until=until, may_pause=False, moved_by=turns
    )  # fmt: skip


def turns_back(subscription: BoxSubscription, ahead: Sequence[CuratedBox], today: dt.date) -> int:
    """By how many turns boxes come earlier when a pause ends: all that it moved them, as far as they can be packed."""
    interval = INTERVALS[subscription.frequency]
    return min([subscription.moved_by, *((box.change_until - today).days // interval for box in ahead)])


def resumed(subscription: BoxSubscription, today: dt.date) -> BoxSubscription:
    """The subscription after its pause; one that ends on the day on which it began does not count."""
    return subscription.evolve(
        status="active", paused_on=None, paused_until=None, moved_by=0, may_pause=subscription.paused_on == today
    )  # fmt: skip


def cancelled(subscription: BoxSubscription, fee: float, today: dt.date) -> BoxSubscription:
    """The subscription after its end; a gift cannot be restarted."""
    until = None if subscription.recipient else days_after(today, RESTART_DAYS)
    return subscription.evolve(status="cancelled", cancelled_on=today, restart_until=until, fee=fee)


def check_gift_cancellable(gift: BoxSubscription, today: dt.date) -> None:
    """Refuse to take back a gift whose first box is packed."""
    if gift.first_on is not None and today > cut_off(gift.first_on):
        words = f"The gift could be cancelled until {cut_off(gift.first_on)}; its first box is packed, so it goes on."
        raise ToolError("precondition_failed", words)


def reactivated(subscription: BoxSubscription, today: dt.date) -> BoxSubscription:
    """A cancelled subscription as it was before."""
    check_live(subscription, ("cancelled",), "restarted")
    if subscription.restart_until is None:
        raise ToolError("precondition_failed", "A gift that was cancelled is not restarted; give it anew.")
    if today > subscription.restart_until:
        words = f"It could be restarted until {subscription.restart_until}; start a new subscription."
        raise ToolError("precondition_failed", words)
    anew = subscription.evolve(cancelled_on=None, restart_until=None, fee=0.0)
    if subscription.paused_until and subscription.paused_until > today:
        return anew.evolve(status="paused")
    return anew.evolve(status="active", paused_on=None, paused_until=None, moved_by=0)


def check_gift(
    shopper: BoxShopper, plan: BoxPlan, email: str, first_on: dt.date, given: Iterable[BoxSubscription], today: dt.date
) -> None:
    """Refuse a gift to oneself or given already, or one that begins too early or too late."""
    if email.lower() == shopper.email.lower():
        raise ToolError("invalid_argument", f"{email} is your own address; start a subscription for yourself instead.")
    earliest, latest = days_after(today, FIRST_DAYS), days_after(today, GIFT_DAYS)
    if not earliest <= first_on <= latest:
        words = f"The first box of a gift comes from {earliest} to {latest}, not on {first_on}; give such a day."
        raise ToolError("invalid_argument", words)
    if first_on.weekday() == len(WEEKDAYS):
        words = f"No boxes are delivered on Sundays, such as {first_on}; give the day before or after."
        raise ToolError("invalid_argument", words)
    same = [each for each in given if each.status == "gift" and each.plan_id == plan.id]
    if any((each.recipient or "").lower() == email.lower() for each in same):
        words = f"You give {plan.plan} to {email} already; cancel that gift first, or choose another plan."
        raise ToolError("conflict", words)


# -- boxes


def is_ahead(box: CuratedBox, today: dt.date) -> bool:
    """Whether a box can still be changed, by itself or with its subscription."""
    return box.status in CHANGEABLE and today <= box.change_until


def can_return(box: CuratedBox, today: dt.date) -> bool:
    """Whether a box comes again if its cancelled subscription is restarted."""
    return box.status == "cancelled" and today <= box.change_until


def check_open(box: CuratedBox, among: tuple[BoxStatus, ...], done: str, today: dt.date) -> None:
    """Refuse a box that stands otherwise, or can no longer be changed."""
    instead: dict[BoxStatus, str] = {
        "upcoming": "it comes as it is",
        "skipped": "unskip it first",
        "paused": "restart its subscription first",
        "cancelled": "restart its subscription first",
        "packed": "change a later box",
        "delivered": "change a later box",
    }
    if box.status not in among:
        words = f"The box for {box.delivers_on} is {box.status}, so it cannot be {done}; {instead[box.status]}."
        raise ToolError("precondition_failed", words)
    if today > box.change_until:
        words = f"The box for {box.delivers_on} could be {done} until {box.change_until}; change a later box."
        raise ToolError("precondition_failed", words)


def check_skips(box: CuratedBox, boxes: Iterable[CuratedBox]) -> None:
    """Refuse to skip a box of a subscription next to others that are, if that would be too many in a row."""
    row = sorted((each for each in boxes if each.status != "cancelled"), key=lambda each: each.number)
    run = 0
    for each in row:
        if each.status != "skipped" and each.id != box.id:
            if each.number > box.number:
                break
            run = 0
        else:
            run += 1
    if run > SKIPS:
        words = f"{SKIPS} boxes in a row can be skipped, and with the one for {box.delivers_on} it would be {run}"
        raise ToolError("limit_exceeded", f"{words}; unskip one beside it, or pause the subscription.")


def held(boxes: Iterable[CuratedBox]) -> list[CuratedBox]:
    """The boxes while their subscription is paused."""
    return [box.evolve(status="paused") if box.status == "upcoming" else box for box in boxes]


def released(boxes: Iterable[CuratedBox]) -> list[CuratedBox]:
    """The boxes once a pause is over."""
    return [box.evolve(status="upcoming") if box.status == "paused" else box for box in boxes]


def by_day(box: CuratedBox, today: dt.date) -> tuple[bool, int, str]:
    """Order of boxes: those to come by their day, then those of the past, the latest on top."""
    past, day = box.delivers_on < today, box.delivers_on.toordinal()
    return past, -day if past else day, box.id


def moved(boxes: Sequence[CuratedBox], days: int) -> list[CuratedBox]:
    """The boxes so many days later, or earlier if the number is negative."""
    return [on_day(box, days_after(box.delivers_on, days)) for box in boxes]


def spaced(boxes: Sequence[CuratedBox], interval: int) -> list[CuratedBox]:
    """The boxes at another interval; the next one stays on its day."""
    return [on_day(box, days_after(boxes[0].delivers_on, place * interval)) for place, box in enumerate(boxes)]


def next_day(boxes: Iterable[CuratedBox]) -> dt.date | None:
    """Day of the first of the boxes that is not skipped."""
    return min((box.delivers_on for box in boxes if box.status != "skipped"), default=None)


def on_day(box: CuratedBox, day: dt.date) -> CuratedBox:
    """The box on another day."""
    return box.evolve(delivers_on=day, change_until=cut_off(day))


# -- what was delivered


def check_delivered(box: CuratedBox, done: str) -> None:
    """Refuse a box that has not come."""
    if box.status != "delivered":
        words = f"The box for {box.delivers_on} is {box.status}, so nothing in it can be {done}; name a delivered box."
        raise ToolError("precondition_failed", words)


def damage(box: CuratedBox, line: BoxLine, today: dt.date) -> float:
    """What is given for an item that was not all right: its share of the box, or the price of an extra."""
    check_delivered(box, "reported")
    last = days_after(box.delivers_on, REPORT_DAYS)
    if today > last:
        words = f"Items of the box for {box.delivers_on} could be reported until {last}; rate the item instead."
        raise ToolError("precondition_failed", words)
    if line.problem:
        raise ToolError("conflict", f"The {line.item} was reported as {said(line.problem)} already; name another item.")
    reported = sum(each.problem is not None for each in box.lines)
    if reported >= max(1, len(box.lines) // 2):
        words = f"Half the items of a box can be reported here, and {reported} of {len(box.lines)} are"
        raise ToolError("limit_exceeded", f"{words}; rate the others instead.")
    if line.extra:
        return line.price
    own = sum(not each.extra for each in box.lines)
    return cents(box.price / own + line.price)


def rated(box: CuratedBox, line: BoxLine, stars: int) -> CuratedBox:
    """The delivered box with an item rated."""
    check_delivered(box, "rated")
    if line.stars == stars:
        raise ToolError("conflict", f"The {line.item} has {stars} stars from you already; give another number.")
    return with_line(box, line, line.evolve(stars=stars))


def with_line(box: CuratedBox, line: BoxLine, new: BoxLine) -> CuratedBox:
    """The box with one line changed, and nothing else."""
    return box.evolve(lines=tuple(new if each is line else each for each in box.lines))
