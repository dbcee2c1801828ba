"""Who may have seats, for how long they are held, who gets what others give up, and what a ticket is worth."""

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from envfactory.catalogue.lifestyle._ticket_records import (
    EventTicket,
    LiveEvent,
    PresaleCode,
    PriceSection,
    RefundReason,
    SeatRequest,
    TicketStatus,
)
from envfactory.environment import ToolError, cents, said

HOLD = dt.timedelta(minutes=15)
"""How long seats are held."""
OFFER = dt.timedelta(hours=24)
"""How long seats are held for somebody who waited for them."""
DAY = dt.timedelta(hours=24)
"""Tickets can be changed until so long before the event, and returned for so long after they were bought."""
PROTECTION, SELLER_SHARE = 0.1, 0.9
"""What protection costs, and what a seller gets, as a share of the price."""
ADDRESS = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")
"""What an e-mail address looks like."""
LIVE = ("held", "waiting")
"""Where a request stands while it counts."""
NEXT: dict[TicketStatus, str] = {
    "valid": "it is only yours as it is",
    "sent": "take it back first",
    "listed": "take it back first",
    "returned": "ask for seats anew",
    "used": "the event is over",
}
"""What can be done with a ticket instead."""


class Refund(NamedTuple):
    """A ground on which a ticket is paid back."""

    reason: RefundReason
    until: dt.datetime
    amount: float


# -- seats and the waiting list


def with_left(section: PriceSection, left: int) -> PriceSection:
    """The section with so many seats left."""
    if section.status == "closed":
        return section.evolve(left=left)
    return section.evolve(left=left, status="available" if left else "sold_out")


def is_on(event: LiveEvent, at: dt.datetime) -> bool:
    """Whether seats can be had for an event: it is not cancelled and has not begun."""
    return event.status != "cancelled" and at < event.starts_at


def kept_until(event: LiveEvent, at: dt.datetime, span: dt.timedelta) -> dt.datetime:
    """Until when seats are held: for a while, at most until the event begins."""
    return min(at + span, event.starts_at)


def freed(
    section: PriceSection, seats: int, event: LiveEvent, requests: Iterable[SeatRequest], at: dt.datetime
) -> tuple[PriceSection, list[SeatRequest]]:
    """The section with seats back, and the requests that get them: whoever waits longest and needs no more."""
    left, served = section.left + seats, list[SeatRequest]()
    waiting = [each for each in requests if each.section_id == section.id and each.status == "waiting"]
    for each in sorted(waiting, key=lambda request: (request.asked_at, request.id)):
        if is_on(event, at) and each.seats <= left:
            left -= each.seats
            served.append(each.evolve(status="held", expires_at=kept_until(event, at, OFFER)))
    return with_left(section, left), served


def settled(
    requests: Mapping[str, SeatRequest], sections: Mapping[str, PriceSection], events: Mapping[str, LiveEvent],
    now: dt.datetime,
) -> tuple[dict[str, SeatRequest], dict[str, PriceSection]]:  # fmt: skip
    """What became of requests and sections by now: holds that ran out are others', one after the other."""
    after, places = dict(requests), dict(sections)
    while over := [(end, each.id) for each in after.values() if (end := _end(each, events)) and end <= now]:
        end, key = min(over)
        request = after[key]
        after[key] = request.evolve(status="expired", expires_at=None)
        if request.status == "held":
            event = events[request.event_id]
            section, served = freed(places[request.section_id], request.seats, event, after.values(), end)
            places[section.id] = section
            after.update({each.id: each for each in served})
    return after, places


def _end(request: SeatRequest, events: Mapping[str, LiveEvent]) -> dt.datetime | None:
    """When a request runs out, if it does."""
    if request.status == "waiting":
        return events[request.event_id].starts_at
    return request.expires_at


def seat_name(number: int) -> str:
    """Row and seat of a number that is counted from 0, with 20 seats a row."""
    return f"row {number // 20 + 1} seat {number % 20 + 1}"


# -- asking for seats


def may_buy(event: LiveEvent, fan_id: str, tickets: Iterable[EventTicket], requests: Iterable[SeatRequest]) -> int:
    """How many seats a fan may still ask for: tickets that were sent on or sold count, returned ones do not."""
    bought = [t for t in tickets if (t.event_id, t.buyer_id) == (event.id, fan_id) and t.status != "returned"]
    asked = [r.seats for r in requests if (r.event_id, r.fan_id) == (event.id, fan_id) and r.status in LIVE]
    return max(0, event.limit - len(bought) - sum(asked))


def check_asking(event: LiveEvent, code: PresaleCode | None, seats: int, most: int, now: dt.datetime) -> None:
    """Refuse seats that are not to be had, or not by this fan."""
    if not is_on(event, now):
        what = "was cancelled" if event.status == "cancelled" else f"began on {event.starts_at}"
        raise ToolError("precondition_failed", f"{event.title} {what}; search for another event.")
    if code is not None:
        check_code(code, event, now.date())
    elif now.date() < event.on_sale_from:
        words = f"{event.title} is on sale for everybody from {event.on_sale_from}; before that give a presale code"
        raise ToolError("precondition_failed", f"{words}, if you have one (get_event shows yours).")
    if seats > most:
        words = f"A fan may buy {event.limit} tickets for {event.title}, so you can ask for {most} more"
        raise ToolError("limit_exceeded", f"{words}; release a request or return tickets to have others.")


def check_code(code: PresaleCode, event: LiveEvent, today: dt.date) -> None:
    """Refuse a code that is for another event or was valid earlier."""
    if code.event_id != event.id:
        words = f"The code is for {code.event}, not for {event.title}; leave it out or use the one for this event."
        raise ToolError("invalid_argument", words)
    if today > code.valid_until:
        words = f"The code could be used until {code.valid_until}; leave it out once everybody can buy"
        raise ToolError("precondition_failed", f"{words}, from {event.on_sale_from}.")


def asked(
    request_id: str, fan_id: str, section: PriceSection, event: LiveEvent, code: PresaleCode | None, seats: int,
    now: dt.datetime,
) -> SeatRequest:  # fmt: skip
    """A new request: held if so many seats are left, else on the waiting list."""
    price = cents(section.price * (100 - code.percent_off) / 100) if code else section.price
    there = seats <= section.left
    return SeatRequest(
        id=request_id, fan_id=fan_id, event_id=event.id, section_id=section.id, event=event.title,
        section=section.name, seats=seats, price=price, total=cents((price + section.fee) * seats), asked_at=now,
        expires_at=kept_until(event, now, HOLD) if there else None, status="held" if there else "waiting",
    )  # fmt: skip


def check_request(request: SeatRequest, among: tuple[str, ...], done: str) -> None:
    """Refuse a request that is at another step."""
    if request.status in among:
        return
    instead = "wait for seats, or release it" if request.status == "waiting" else "ask for the seats anew"
    if request.status == "booked":
        instead = "look at the tickets; return_ticket gives one back"
    raise ToolError("precondition_failed", f"The request is {request.status}, so it cannot be {done}; {instead}.")


def ticket_of(
    ticket_id: str, request: SeatRequest, section: PriceSection, event: LiveEvent, number: int, now: dt.datetime,
    *, protect: bool,
) -> EventTicket:  # fmt: skip
    """A ticket for one of the seats of a request."""
    bare = EventTicket(
        id=ticket_id, owner_id=request.fan_id, buyer_id=request.fan_id, event_id=event.id, section_id=section.id,
        event=event.title, section=section.name, tier=section.tier, starts_at=event.starts_at, max_ask=0.0,
        event_status=event.status, seat=seat_name(number), price=request.price, fee=section.fee, bought_at=now,
        protection=protection(request.price) if protect else 0.0,
    )  # fmt: skip
    return valued(bare, event)


# -- tickets


def protection(price: float) -> float:
    """What it costs to be able to return a seat at this price."""
    return cents(price * PROTECTION)


def valued(ticket: EventTicket, event: LiveEvent) -> EventTicket:
    """The ticket with what may be asked for it, and until when it can be returned."""
    until = max((each.until for each in refunds(ticket, event)), default=None)
    return ticket.evolve(max_ask=cents(ticket.price * event.resale_cap / 100), refund_until=until)


def refunds(ticket: EventTicket, event: LiveEvent) -> list[Refund]:
    """On what grounds a ticket is paid back to its buyer, the best first."""
    if ticket.received:
        return []
    found: list[Refund] = []
    if event.refund_until is not None:
        reason: RefundReason = "event_cancelled" if event.status == "cancelled" else "event_moved"
        last = dt.datetime.combine(event.refund_until, dt.time(23, 59))
        found.append(Refund(reason, last, cents(ticket.price + ticket.fee)))
    if event.status != "cancelled":
        close = event.starts_at - DAY
        found.append(Refund("within_a_day", min(ticket.bought_at + DAY, close), ticket.price))
        if ticket.protection:
            found.append(Refund("protected", close, ticket.price))
    return found


def refund_now(ticket: EventTicket, event: LiveEvent, now: dt.datetime) -> Refund | None:
    """What a ticket is paid back for now."""
    return next((each for each in refunds(ticket, event) if now <= each.until), None)


def is_changeable(event: LiveEvent, now: dt.datetime) -> bool:
    """Whether tickets for an event can be sent, sold and upgraded."""
    return event.status != "cancelled" and now <= event.starts_at - DAY


def check_status(ticket: EventTicket, among: tuple[TicketStatus, ...], done: str) -> None:
    """Refuse a ticket that is at another step."""
    if ticket.status not in among:
        words = f"The ticket is {said(ticket.status)}, so it cannot be {done}; {NEXT[ticket.status]}."
        raise ToolError("precondition_failed", words)


def check_changeable(event: LiveEvent, done: str, now: dt.datetime) -> None:
    """Refuse to change tickets for an event that was cancelled or is about to begin."""
    if event.status == "cancelled":
        words = f"{event.title} was cancelled, so its tickets cannot be {done}; return them by {event.refund_until}."
        raise ToolError("precondition_failed", words)
    if not is_changeable(event, now):
        words = f"Tickets for {event.title} could be {done} until {event.starts_at - DAY}, 24 hours before it begins"
        raise ToolError("precondition_failed", f"{words}; keep the ticket.")


def check_bought(ticket: EventTicket, done: str) -> None:
    """Refuse what only the buyer of a ticket may do."""
    if ticket.received:
        words = f"The ticket was sent to you by its buyer, so it cannot be {done}; you can use it or send it on."
        raise ToolError("precondition_failed", words)


def check_sending(ticket: EventTicket, event: LiveEvent, email: str, own: str, now: dt.datetime) -> None:
    """Refuse to send a ticket that is not there to be sent, or to where it cannot go."""
    check_status(ticket, ("valid",), "sent")
    check_changeable(event, "sent", now)
    if not ADDRESS.fullmatch(email):
        raise ToolError("invalid_argument", f"{email!r} is no e-mail address; give one such as name@mail.example.")
    if email.lower() == own.lower():
        raise ToolError("invalid_argument", f"{email} is your own address; give that of whoever gets the ticket.")


def listed(ticket: EventTicket, event: LiveEvent, price: float, now: dt.datetime) -> EventTicket:
    """The ticket offered for resale, or at another price than before."""
    check_bought(ticket, "sold")
    check_status(ticket, ("valid", "listed"), "sold")
    check_changeable(event, "sold", now)
    if price > ticket.max_ask:
        words = f"At most {ticket.max_ask:,.2f} dollars may be asked, {event.resale_cap} percent of what was paid"
        raise ToolError("limit_exceeded", f"{words}; ask for so much or less.")
    if price == ticket.asks:
        words = f"It is offered for {price:,.2f} dollars already; give another price, or take it back."
        raise ToolError("conflict", words)
    return ticket.evolve(status="listed", asks=price)


def upgrades(ticket: EventTicket, sections: Iterable[PriceSection]) -> list[PriceSection]:
    """The sections that a ticket can be moved to, the cheapest first."""
    other = [s for s in sections if s.event_id == ticket.event_id and s.id != ticket.section_id]
    return sorted((s for s in other if s.price > ticket.price and s.left), key=lambda s: (s.price, s.id))


def on_top(ticket: EventTicket, section: PriceSection) -> float:
    """What moving a ticket to a better section costs: the difference in price, and in protection if it has any."""
    more = section.price - ticket.price
    return cents(more + (protection(section.price) - ticket.protection if ticket.protection else 0.0))


def check_upgradable(ticket: EventTicket, event: LiveEvent, now: dt.datetime) -> None:
    """Refuse to upgrade what was received, is not valid, or is for an event that is cancelled or about to begin."""
    check_bought(ticket, "upgraded")
    check_status(ticket, ("valid",), "upgraded")
    check_changeable(event, "upgraded", now)


def upgraded(ticket: EventTicket, section: PriceSection, event: LiveEvent, now: dt.datetime) -> EventTicket:
    """The ticket in a better section."""
    check_upgradable(ticket, event, now)
    if section.event_id != event.id:
        words = f"The {section.name} is for {section.event}; choose a section of {event.title} (find_upgrades)."
        raise ToolError("invalid_argument", words)
    if section.id == ticket.section_id:
        words = f"The ticket is for the {section.name} already; choose a dearer section (find_upgrades)."
        raise ToolError("conflict", words)
    if section.price <= ticket.price:
        words = f"The {section.name} costs {section.price:,.2f} dollars, and {ticket.price:,.2f} was paid"
        raise ToolError("precondition_failed", f"{words}; an upgrade goes to a dearer section (find_upgrades).")
    if not section.left:
        words = f"The {section.name} is sold out; choose another section (find_upgrades)."
        raise ToolError("conflict", words)
    better = ticket.evolve(
        section_id=section.id, section=section.name, tier=section.tier, price=section.price,
        seat=seat_name(section.next_seat), protection=protection(section.price) if ticket.protection else 0.0,
        paid_on_top=on_top(ticket, section),
    )  # fmt: skip
    return valued(better, event)


def returned(ticket: EventTicket, event: LiveEvent, now: dt.datetime) -> Refund:
    """What a ticket is paid back for; refused if there is no ground."""
    check_bought(ticket, "returned")
    check_status(ticket, ("valid",), "returned")
    found = refund_now(ticket, event, now)
    if found is None:
        ended = f"could be returned until {ticket.refund_until}"
        offer = f"; sell it for up to {ticket.max_ask:,.2f} dollars, or send it to somebody"
        words = f"The ticket {ended}{offer if is_changeable(event, now) else ', so it stays yours'}."
        raise ToolError("precondition_failed", words)
    return found
