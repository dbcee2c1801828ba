"""Rules of the auction house that need nothing but the rows: increments, who leads at what price, fees, retractions."""

import datetime as dt
import math
from collections.abc import Callable, Iterable
from typing import Literal

from envfactory.catalogue.commerce._auction_records import (
    AuctionInvoice,
    AuctionLot,
    AuctionSale,
    BidStep,
    CollectionSlot,
    ConsignedItem,
    Delivery,
    LotDetails,
    LotOrder,
    LotStatus,
    MaximumBid,
    Reason,
    Service,
    Size,
)
from envfactory.environment import ToolError, cents, standing

INCREMENTS = ((100.0, 5.0), (500.0, 10.0), (1000.0, 25.0), (2000.0, 50.0), (5000.0, 100.0), (math.inf, 250.0))
"""Below each bound, the step in which bids rise."""
SHOWN = 3
"""How many next bids are named."""
ACTIVE = ("leading", "outbid", "waiting")
COMMITTING = ("leading", "waiting")
FREE_HOURS, LATE_HOURS = 12, 1
"""Bids are retracted whole until so long before a lot closes, and after that as far as they are so new."""
LIVE_HOURS = 2
"""How long before a live sale its bids are handed to the auctioneer."""
PREMIUM_BOUND, PREMIUM_BELOW, PREMIUM_ABOVE = 1000.0, 0.25, 0.2
INSURANCE = 0.015
SHIPPING: dict[Size, dict[Service, float]] = {
    "small": {"post": 15.0, "courier": 40.0},
    "medium": {"post": 35.0, "courier": 70.0},
    "large": {"courier": 180.0},
}
POST_BOUND = 1000.0
"""Lots that were sold above this do not go by post."""
KEEP_DAYS, DUE_DAYS = 21, 7
"""For how long after a sale a won lot is kept, and by when it is to be paid."""

SORTS: dict[LotOrder, Callable[[AuctionLot], tuple[float | dt.datetime | str, ...]]] = {
    "closing_time": lambda lot: (lot.bids_until, lot.id),
    "price": lambda lot: (lot.price, lot.bids_until, lot.id),
    "estimate": lambda lot: (lot.estimate_low, lot.bids_until, lot.id),
}
"""What lots are sorted by; where that is the same, the first to close is on top."""


def increment(amount: float) -> float:
    """The step in which bids rise at an amount."""
    return next(step for bound, step in INCREMENTS if amount < bound)


def stepped(amount: float) -> float:
    """The highest possible bid that is not above an amount."""
    return amount - amount % increment(amount)


def rising(least: float) -> tuple[float, ...]:
    """The first few possible bids from the least one on."""
    found = [least]
    while len(found) < SHOWN:
        found.append(found[-1] + increment(found[-1]))
    return tuple(found)


def reserves_of(starting_price: float, low: float) -> tuple[float, ...]:
    """Reserves that are accepted: from the starting price to the lower estimate."""
    return tuple(dict.fromkeys((starting_price, stepped((starting_price + low) / 2), low)))


def starting_of(low: float) -> float:
    """Where bidding starts: at half the lower estimate."""
    return stepped(low / 2)


def premium(hammer: float) -> float:
    """What the house takes on top: a quarter up to the bound, a fifth of what is above it."""
    return cents(min(hammer, PREMIUM_BOUND) * PREMIUM_BELOW + max(0.0, hammer - PREMIUM_BOUND) * PREMIUM_ABOVE)


def services_of(size: Size, hammer: float) -> tuple[Service, ...]:
    """Who would ship a won lot."""
    return tuple(each for each in SHIPPING[size] if each != "post" or hammer <= POST_BOUND)


def settled(
    lot: AuctionLot, bids: Iterable[MaximumBid], reserve: float | None, me: str
) -> tuple[AuctionLot, tuple[MaximumBid, ...]]:
    """A lot with the price and the leader that follow from its bids, and these bids with their status.

    The highest maximum leads, of equal ones the earlier; the price is one increment above the second, or the leader's
    maximum if that is less, and the reserve where the leader would pay it. Bids on a live lot only wait.
    """
    active = sorted((b for b in bids if b.status in ACTIVE), key=lambda b: (-b.maximum, b.steps[-1].placed_at))
    mine = next((b.maximum for b in active if b.bidder_id == me), None)
    lot = lot.evolve(bids=len(active))
    said = reserve_said(reserve)
    if lot.kind == "live" or not active:
        steps = () if lot.own else tuple(each for each in rising(lot.starting_price) if each != mine)
        waiting = lot.evolve(price=lot.starting_price, leader="nobody", reserve=said, next_bids=steps)
        return waiting, tuple(bid.evolve(status="waiting") for bid in active)
    top, *others = active
    price = min(top.maximum, others[0].maximum + increment(others[0].maximum)) if others else lot.starting_price
    if reserve is not None and top.maximum >= reserve:
        price, said = max(price, reserve), "met"
    leads = top.bidder_id == me
    least = (top.maximum + increment(top.maximum)) if leads else price + increment(price)
    after = lot.evolve(
        price=price, leader="me" if leads else "somebody", next_bids=() if lot.own else rising(least), reserve=said
    )  # fmt: skip
    return after, tuple(bid.evolve(status="leading" if bid is top else "outbid") for bid in active)


def reserve_said(reserve: float | None) -> Literal["none", "met", "not_met"]:
    """What is said of a reserve that no bid has met."""
    return "none" if reserve is None else "not_met"


def committed(bids: Iterable[MaximumBid], invoices: Iterable[AuctionInvoice], me: str) -> float:
    """What a bidder has committed: maxima that lead or wait, and hammer prices that are not paid."""
    mine = sum(bid.maximum for bid in bids if bid.bidder_id == me and bid.status in COMMITTING)
    return cents(mine + sum(each.hammer for each in invoices if each.bidder_id == me and each.status == "due"))


def check_biddable(lot: AuctionLot, now: dt.datetime) -> None:
    """Refuse bids on what is the bidder's own, not open yet, or over."""
    check_listed(lot, now)
    if lot.own:
        raise ToolError("permission_denied", f"You consigned the {lot.title}, so you cannot bid on it; others can.")
    if now < lot.opens_at:
        words = f"Bids on the {lot.title} are taken from {lot.opens_at}; watch it until then."
        raise ToolError("precondition_failed", words)


def check_listed(lot: AuctionLot, now: dt.datetime) -> None:
    """Refuse a lot that is sold, unsold, withdrawn, or on which no bid is taken any more."""
    if lot.status != "listed":
        raise ToolError("precondition_failed", f"The {lot.title} is {lot.status}; search for one that is listed.")
    if now >= lot.bids_until:
        words = f"Bids on the {lot.title} were taken until {lot.bids_until}; search for one that still takes them."
        raise ToolError("precondition_failed", words)


def check_watchable(lot: AuctionLot, now: dt.datetime) -> None:
    """Refuse to watch a lot that is watched already, or is not listed any more."""
    if lot.watched:
        raise ToolError("conflict", f"You watch the {lot.title} already.")
    check_listed(lot, now)


def check_watched(lot: AuctionLot) -> None:
    """Refuse to unwatch a lot that is not watched."""
    if not lot.watched:
        raise ToolError("conflict", f"The {lot.title} is not on your watch list; watch it first.")


def stands(lot: AuctionLot, status: LotStatus, now: dt.datetime) -> bool:
    """Whether a lot stands like this; a listed one only while bids are, or will be, taken on it."""
    return lot.status == status and (status != "listed" or lot.bids_until > now)


def place(lot: AuctionLot) -> tuple[str, int]:
    """Where a lot stands: its sale and its number there, by which its item names it."""
    return lot.sale_name, lot.number


def reserve_of(lot: AuctionLot, items: Iterable[ConsignedItem]) -> float | None:
    """The reserve of a lot, which only its consignor sees."""
    return next((item.reserve for item in items if (item.sale_name, item.lot_number) == place(lot)), None)


def check_withdrawable(lot: AuctionLot, now: dt.datetime) -> None:
    """Refuse to withdraw a lot that somebody wants, or on which bidding is over."""
    check_listed(lot, now)
    if lot.bids:
        words = f"Somebody has bid on the {lot.title}, so it stays in the sale; bids are taken until {lot.bids_until}."
        raise ToolError("precondition_failed", words)


def check_maximum(lot: AuctionLot, maximum: float, mine: MaximumBid | None) -> None:
    """Refuse a maximum that is off the increments, too low, or what is bid already."""
    least = lot.next_bids[0] if lot.kind == "online" else lot.starting_price
    if maximum < least:
        what = "raised to" if mine and mine.status == "leading" else "bid from"
        words = f"${maximum:,g} is too low: the {lot.title} is {what} ${least:,g} on."
        raise ToolError("invalid_argument", words)
    if stepped(maximum) != maximum:
        below = stepped(maximum)
        words = f"${maximum:,g} is between two bids: bid ${below:,g} or ${below + increment(below):,g}."
        raise ToolError("invalid_argument", words)
    if mine and mine.maximum == maximum:
        raise ToolError("conflict", f"You bid ${maximum:,g} on the {lot.title} already; name another maximum.")


def retracted(bid: MaximumBid, reason: Reason, now: dt.datetime) -> MaximumBid:
    """A bid without what can be taken back of it: all of it, or close to the end of an online lot what is new.

    Raises:
        ToolError: `precondition_failed`, bidding is over, or the bid stood for too long before the end.
    """
    if now >= bid.bids_until:
        raise ToolError("precondition_failed", f"Bidding on the {bid.title} is over, so the bid stays.")
    kept: tuple[BidStep, ...] = ()
    if bid.kind == "online" and bid.bids_until - now <= dt.timedelta(hours=FREE_HOURS):
        kept = tuple(step for step in bid.steps if now - step.placed_at > dt.timedelta(hours=LATE_HOURS))
        if kept == bid.steps:
            words = (
                f"The {bid.title} closes within {FREE_HOURS} hours, and the bid of ${bid.maximum:,g} is more than an "
                "hour old, so it stays."
            )
            raise ToolError("precondition_failed", words)
    if not kept:
        return bid.evolve(status="retracted", reason=reason)
    return bid.evolve(steps=kept, maximum=kept[-1].maximum, reason=reason)


def delivered(invoice: AuctionInvoice, delivery: Delivery, insured: bool = False, **more: object) -> AuctionInvoice:
    """An invoice with a way of delivery and what it costs in all."""
    shipping = 0.0
    if delivery in ("post", "courier"):
        shipping = cents(SHIPPING[invoice.size][delivery] + (invoice.hammer * INSURANCE if insured else 0.0))
    total = cents(invoice.hammer + invoice.premium + shipping)
    return invoice.evolve(delivery=delivery, insured=insured, shipping=shipping, total=total, **more)


def goes_on(sale: AuctionSale, lots: Iterable[AuctionLot], now: dt.datetime) -> bool:
    """Whether a sale is still to come, or bids on one of its lots are still taken."""
    return sale.held_at > now or any(lot.sale_id == sale.id and lot.bids_until > now for lot in lots)


def takes_items(sale: AuctionSale, today: dt.date) -> bool:
    """Whether items can be consigned to a sale today."""
    return sale.places > 0 and sale.consign_until >= today


def check_consignable(item: ConsignedItem, sale: AuctionSale, reserve: float | None, today: dt.date) -> None:
    """Refuse an item that cannot be consigned, a sale that does not take it, and a reserve that is not accepted."""
    if item.status == "consigned":
        words = f"The {item.title} is in {item.sale_name} already; withdraw it from there first."
        raise ToolError("conflict", words)
    standing(item, ("unconsigned",), "consigned")
    if item.valid_until < today:
        words = f"The estimate of the {item.title} ended on {item.valid_until}; have it valued anew first."
        raise ToolError("precondition_failed", words)
    if sale.category != item.category:
        words = f"{sale.name} is a sale of {sale.category}; the {item.title} goes into one of {item.category}."
        raise ToolError("invalid_argument", words)
    if sale.consign_until < today:
        words = f"{sale.name} took items until {sale.consign_until}; choose a sale that still takes them."
        raise ToolError("precondition_failed", words)
    if not sale.places:
        raise ToolError("limit_exceeded", f"{sale.name} is full; choose another sale of {item.category}.")
    if reserve is not None and reserve not in item.reserves:
        named = " or ".join(f"${each:,g}" for each in item.reserves)
        raise ToolError("invalid_argument", f"The {item.title} can have a reserve of {named}, or none.")


def next_number(sale: AuctionSale, lots: Iterable[AuctionLot]) -> int:
    """The number of the next lot of a sale."""
    return 1 + max((lot.number for lot in lots if lot.sale_id == sale.id), default=0)


def consigned(item: ConsignedItem, sale: AuctionSale, number: int, reserve: float | None) -> ConsignedItem:
    """An item as it stands in a sale."""
    return item.evolve(status="consigned", reserve=reserve, sale_name=sale.name, lot_number=number)


def taken_back(item: ConsignedItem) -> ConsignedItem:
    """An item that is in no sale any more."""
    return item.evolve(status="unconsigned", reserve=None, sale_name=None, lot_number=None)


def lot_of(item: ConsignedItem, sale: AuctionSale, lot_id: str, number: int, *, own: bool) -> AuctionLot:
    """The lot that an item becomes in a sale."""
    online = sale.kind == "online"
    until = sale.held_at + (dt.timedelta(minutes=2 * number) if online else -dt.timedelta(hours=LIVE_HOURS))
    return AuctionLot(
        id=lot_id, sale_id=sale.id, sale_name=sale.name, number=number, kind=sale.kind, title=item.title,
        category=item.category, size=item.size, estimate_low=item.estimate_low, estimate_high=item.estimate_high,
        starting_price=item.starting_price, price=item.starting_price, bids=0, leader="nobody", own=own,
        reserve=reserve_said(item.reserve), next_bids=() if own else rising(item.starting_price),
        opens_at=sale.opens_at, bids_until=until,
    )  # fmt: skip


def bid_of(lot: AuctionLot, bid_id: str, bidder_id: str, *steps: BidStep) -> MaximumBid:
    """A bid on a lot, before it is settled who leads."""
    return MaximumBid(
        id=bid_id, bidder_id=bidder_id, lot_id=lot.id, title=lot.title, kind=lot.kind, maximum=steps[-1].maximum,
        steps=steps, bids_until=lot.bids_until, status="waiting",
    )  # fmt: skip


def changed(bid: MaximumBid, step: BidStep) -> MaximumBid:
    """A bid with another maximum: on an online lot the earlier ones stay below it, to stand again without it."""
    steps = (*bid.steps, step) if bid.kind == "online" else (step,)
    return bid.evolve(maximum=step.maximum, steps=steps)


def details(lot: AuctionLot, sale: AuctionSale, mine: MaximumBid | None) -> LotDetails:
    """A lot with its sale and the bid that the signed-in bidder has on it."""
    return LotDetails(
        lot_id=lot.id, title=lot.title, number=lot.number, sale_name=sale.name, kind=sale.kind, city=sale.city,
        held_at=sale.held_at, opens_at=lot.opens_at, bids_until=lot.bids_until, estimate_low=lot.estimate_low,
        estimate_high=lot.estimate_high, price=lot.price, increment=increment(lot.price), bids=lot.bids,
        leader=lot.leader, reserve=lot.reserve, own_maximum=mine and mine.maximum, next_bids=lot.next_bids,
        with_premium=cents(lot.price + premium(lot.price)), watched=lot.watched, status=lot.status,
    )  # fmt: skip


def check_shipping(invoice: AuctionInvoice, service: Service, today: dt.date, *, insured: bool) -> None:
    """Refuse a service that does not take a lot or is chosen already, or once the lot is paid or collected today."""
    if invoice.status != "due":
        now = invoice.status.replace("_", " ")
        raise ToolError("precondition_failed", f"The {invoice.title} is {now}; shipping is chosen before it is paid.")
    if service not in invoice.services:
        words = f"The {invoice.title} is too large or too valuable for the post; choose courier or collect it."
        raise ToolError("precondition_failed", words)
    check_movable(invoice, today)
    if (service, insured) == (invoice.delivery, invoice.insured):
        words = f"The {invoice.title} goes by {service} already, {'insured' if insured else 'not insured'}."
        raise ToolError("conflict", words)


def check_movable(invoice: AuctionInvoice, today: dt.date) -> None:
    """Refuse to give back a booked slot on its day."""
    if invoice.collect_at and invoice.collect_at.date() <= today:
        words = f"The slot on {invoice.collect_at} could be moved until the day before; come then."
        raise ToolError("precondition_failed", words)


def is_for(slot: CollectionSlot, invoice: AuctionInvoice, today: dt.date) -> bool:
    """Whether a slot is where a won lot is, from tomorrow on, and while it is kept there."""
    return slot.city == invoice.city and today < slot.starts_at.date() <= invoice.keep_until


def free_slots(slots: Iterable[CollectionSlot], invoice: AuctionInvoice, today: dt.date) -> list[CollectionSlot]:
    """Slots at which a won lot can still be collected."""
    return [slot for slot in slots if slot.free > 0 and is_for(slot, invoice, today)]


def is_overdue(invoice: AuctionInvoice, today: dt.date) -> bool:
    """Whether an invoice should have been paid by now."""
    return invoice.status == "due" and invoice.due_on < today


def check_slot(invoice: AuctionInvoice, slot: CollectionSlot, today: dt.date) -> None:
    """Refuse a slot that is full or elsewhere, or at which the lot is not there, or that comes too late to change."""
    if invoice.status == "paid" and invoice.delivery != "collection":
        words = f"The {invoice.title} is paid with delivery by {invoice.delivery}, so it is sent to you."
        raise ToolError("precondition_failed", words)
    if slot.id == invoice.slot_id:
        raise ToolError("conflict", f"The {invoice.title} is collected then already; choose another slot.")
    check_movable(invoice, today)
    if not is_for(slot, invoice, today):
        words = f"The {invoice.title} is in {invoice.city} from tomorrow to {invoice.keep_until}; choose a slot there."
        raise ToolError("invalid_argument", words)
    if not slot.free:
        raise ToolError("conflict", f"The slot on {slot.starts_at} is full; choose another one.")
