"""The box office for one fan at one moment: their requests and tickets, and seats that change hands."""

import datetime as dt

from envfactory.catalogue.lifestyle import _ticket_rules as rules
from envfactory.catalogue.lifestyle._ticket_records import (
    Booking,
    EventDetails,
    EventTicket,
    LiveEvent,
    PresaleCode,
    PriceSection,
    SeatRequest,
    TicketDetails,
    UpgradeOption,
)
from envfactory.environment import Table, cents, owned


class Office:
    """What there is for a fan by now. Holds that ran out are over as soon as one looks; `settle` writes that down."""

    def __init__(
        self,
        fan_id: str,
        now: dt.datetime,
        events: Table[LiveEvent],
        sections: Table[PriceSection],
        codes: Table[PresaleCode],
        requests: Table[SeatRequest],
        tickets: Table[EventTicket],
    ) -> None:
        self.fan_id, self.now, self.events, self.codes, self.tickets = fan_id, now, events, codes, tickets
        self._sections, self._requests = sections, requests
        self.requests, self.sections = rules.settled(requests, sections, events, now)

    def settle(self) -> None:
        """Write down what became of requests and sections."""
        for request in [each for key, each in self.requests.items() if each != self._requests[key]]:
            self._requests.replace(request)
        for section in [each for key, each in self.sections.items() if each != self._sections[key]]:
            self._sections.replace(section)

    def free(self, section_id: str, seats: int) -> None:
        """Give seats back to a section and to those who wait for them."""
        section = self._sections.require(section_id)
        event = self.events.require(section.event_id)
        section, served = rules.freed(section, seats, event, self._requests.values(), self.now)
        self._sections.replace(section)
        for request in served:
            self._requests.replace(request)

    def may_buy(self, event: LiveEvent) -> int:
        """How many seats the fan may still ask for."""
        return rules.may_buy(event, self.fan_id, self.tickets.values(), self.requests.values())

    def asked(self, request_id: str, among: tuple[str, ...], done: str) -> SeatRequest:
        """A request of the fan's at one of these steps."""
        self.settle()
        request = owned(self._requests.require(request_id), "fan_id", self.fan_id)
        rules.check_request(request, among, done)
        return request

    def mine(self, ticket_id: str) -> tuple[EventTicket, LiveEvent]:
        """A ticket of the fan's, and its event."""
        ticket = owned(self.tickets.require(ticket_id), "owner_id", self.fan_id)
        return ticket, self.events.require(ticket.event_id)

    def details(self, event: LiveEvent) -> EventDetails:
        """An event with what the fan may do there."""
        today = self.now.date()
        own = [c for c in self.codes.values() if (c.event_id, c.fan_id) == (event.id, self.fan_id)]
        return EventDetails(
            event_id=event.id, title=event.title, kind=event.kind, status=event.status, venue=event.venue,
            address=event.address, city=event.city, starts_at=event.starts_at, moved_from=event.moved_from,
            refund_until=event.refund_until, limit=event.limit, resale_cap=event.resale_cap,
            presale_until=event.on_sale_from - rules.DAY if event.on_sale_from > today else None,
            may_buy=self.may_buy(event) if rules.is_on(event, self.now) else 0,
            codes=tuple(code for code in own if today <= code.valid_until),
        )  # fmt: skip

    def worth(self, ticket_id: str) -> TicketDetails:
        """A ticket with what can be done with it."""
        ticket, event = self.mine(ticket_id)
        refund = rules.refund_now(ticket, event, self.now) if ticket.status == "valid" else None
        free = rules.is_changeable(event, self.now) and ticket.status != "returned"
        return TicketDetails(
            ticket_id=ticket.id, event_id=event.id, event=event.title, section=ticket.section, seat=ticket.seat,
            starts_at=event.starts_at, status=ticket.status, recipient=ticket.recipient, asks=ticket.asks,
            change_until=event.starts_at - rules.DAY if free else None,
            max_ask=ticket.max_ask if free and not ticket.received else None, refund=refund.amount if refund else None,
            refund_reason=refund.reason if refund else None, refund_until=ticket.refund_until,
        )  # fmt: skip

    def upgrades(self, ticket_id: str) -> list[UpgradeOption]:
        """What a ticket could be moved to."""
        ticket, event = self.mine(ticket_id)
        rules.check_upgradable(ticket, event, self.now)
        return [
            UpgradeOption(id=s.id, event=s.event, name=s.name, tier=s.tier, left=s.left, extra=rules.on_top(ticket, s))
            for s in rules.upgrades(ticket, self.sections.values())
        ]

    def seated(self, request: SeatRequest, ticket_ids: list[str], *, protect: bool) -> Booking:
        """The tickets of a request whose seats are paid, one a seat."""
        section, event = self._sections.require(request.section_id), self.events.require(request.event_id)
        tickets = tuple(
            rules.ticket_of(key, request, section, event, section.next_seat + n, self.now, protect=protect)
            for n, key in enumerate(ticket_ids)
        )
        self._sections.replace(section.evolve(next_seat=section.next_seat + request.seats))
        protection = cents(sum(ticket.protection for ticket in tickets))
        return Booking(
            request_id=request.id, event=event.title, section=section.name, tickets=tickets,
            seats=tuple(ticket.seat for ticket in tickets), protection=protection or None,
            total=cents(request.total + protection),
        )  # fmt: skip
