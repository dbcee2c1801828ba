"""A box office: find events and seats, hold and book them, and pass tickets on, sell, upgrade or return them.

Seats are asked for first: they are held for a while, or, where too few are left, the request waits in line. What is
given up, or not booked in time, goes to whoever has waited longest and needs no more. A ticket is one seat.
"""

import datetime as dt
from typing import Annotated, Self

from pydantic import Field

from envfactory.catalogue.lifestyle import _ticket_records as rec
from envfactory.catalogue.lifestyle import _ticket_relations as relations
from envfactory.catalogue.lifestyle import _ticket_rules as rules
from envfactory.catalogue.lifestyle._ticket_office import Office
from envfactory.catalogue.lifestyle._ticket_scenario import box_office
from envfactory.environment import Environment, Money, PageNumber, Table, World, cents, check_span, owned, tool


class EventTickets(Environment):
    """Find concerts, theatre and sport, hold and book seats, and send, sell, upgrade or return a fan's tickets."""

    domain = "lifestyle"
    policy = """Seats that are asked for are held for 15 minutes, or wait in line if too few are left; what becomes free
    is held for 24 hours for whoever waits longest and needs no more. Before the general sale a presale code of the
    fan's own is needed; it also makes seats cheaper. An event's limit counts seats bought, held and waited for, also
    if they were sent on or sold since, but not returned. Tickets can be sent, sold or upgraded until 24 hours before
    the event, and taken back until somebody has them. A seller asks for no more than the event's cap and gets 90
    percent. Received tickets can only be used or sent on. Cancelled and moved events pay back price and fee until
    their last day; other returns pay the price alone, within 24 hours of buying or, if protected for a tenth of it,
    later, but not in the last 24 hours. Upgrades go to dearer sections for the difference. Upgrades and
    returns are final."""
    sources = (
        "Ticketmaster Discovery API and Partner API, Events, Offers, Carts, Holds and Transfers",
        "Eventbrite Platform API, Ticket Classes, Access Codes, Waitlist and Refunds",
        "SeatGeek Platform API, Events, Sections and Listings",
        "AXS and StubHub help pages, transfers, resale price caps, moved and cancelled events",
    )

    fan_id: rec.FanId
    """Fan whose session this is."""
    fans: Table[rec.Fan]
    events: Table[rec.LiveEvent]
    sections: Table[rec.PriceSection]
    codes: Table[rec.PresaleCode]
    requests: Table[rec.SeatRequest]
    tickets: Table[rec.EventTicket]

    @tool(
        ask=(
            "find me[ {kind}] events in {city}[ from {since} on][ until {until}]",
            "see what[ {kind}] events there are in {city}[ from {since}][ to {until}]",
            "look for[ {kind}] events in {city}[, {since} or later][, {until} at the latest]",
            "show me the[ {kind}] events that are on in {city}[ from {since}][ up to {until}]",
        ),
        noun="[{kind} ]event in {city}[ from {since} on][ until {until}]",
        reply=("I found {events}.", "Nothing of that kind is on then."),
        where=relations.SEARCHING,
    )
    def search_events(
        self,
        city: rec.City,
        kind: rec.Kind | None = None,
        since: dt.date | None = None,
        until: dt.date | None = None,
        page: PageNumber = 1,
    ) -> rec.EventPage:
        """Search the events in a city that have not begun yet, the earliest first; moved and cancelled ones say so.

        Args:
            city: City to search in.
            kind: Only events of this kind: concert, theatre or sport.
            since: Only events on this day or later.
            until: Only events on this day or before.
            page: Page of the results, five events each.
        """
        check_span(since, until)
        found = [e for e in self.events.values() if e.city == city and kind in (None, e.kind)]
        found = [e for e in found if e.starts_at > self.now and (since is None or e.starts_at.date() >= since)]
        found = [e for e in found if until is None or e.starts_at.date() <= until]
        found.sort(key=lambda event: (event.starts_at, event.id))
        return rec.EventPage.of(found, page)

    @tool(
        ask=(
            "show me the details of {event_id}",
            "check when {event_id} is on and how many tickets I may buy",
            "tell me whether {event_id} is on as planned and what its limit is",
            "look up {event_id} and any presale code that I have for it",
        ),
        reply=(
            (
                "{title} at the {venue} on {starts_at} ({status})[, planned for {moved_from} before]"
                "[, paid back in full until {refund_until}][, only with a code until {presale_until}]: "
                "you may buy {may_buy} more, {limit} at most[, and have {codes}]."
            ),
        ),
    )
    def get_event(self, event_id: rec.EventId) -> rec.EventDetails:
        """Get an event: day, venue, limit, resale cap, refunds, and the signed-in fan's codes for it.

        Args:
            event_id: Event to look at.
        """
        return self._office.details(self.events.require(event_id))

    @tool(
        ask=(
            "find a section for {event_id}[ with {seats} left][ for at most {max_price} a seat]",
            "show me the seats and prices for {event_id}[, {seats} together][, up to {max_price} each]",
            "see which parts of the venue {event_id} has[ with {seats} left][ for {max_price} a seat or less]",
            "check what seats for {event_id} cost[ and where there are {seats}][, at {max_price} each at most]",
        ),
        noun="section for {event_id}[ with {seats} left][ for at most {max_price} a seat]",
        reply=("Sections: {sections}.", "No section is like that."),
        where=relations.SECTIONS,
    )
    def find_sections(
        self,
        event_id: rec.EventId,
        seats: rec.Seats | None = None,
        max_price: rec.AtMostPaid | None = None,
        page: PageNumber = 1,
    ) -> rec.SectionPage:
        """Find the price sections of an event, the cheapest first, sold out ones included.

        Args:
            event_id: Event to look at.
            seats: Only sections with so many seats left.
            max_price: Only sections at or below this price of a seat, in US dollars, without the fee.
            page: Page of the results, five sections each.
        """
        event, places = self.events.require(event_id), self._office.sections.values()
        found = [s for s in places if s.event_id == event.id and (seats is None or s.left >= seats)]
        found = [s for s in found if max_price is None or s.price <= max_price]
        found.sort(key=lambda section: (section.price, section.id))
        return rec.SectionPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "hold {seats} in {section_id}[ with {code_id}], or put me on the waiting list if they are gone",
            "keep {seats} in {section_id} for me[, using {code_id}], or let me wait in line if it is full",
            "request {seats} in {section_id}[ with {code_id}], else a place on the waiting list",
            "get me {seats} in {section_id}[ with {code_id}], or a place in the queue if too few are left",
        ),
        reply=(
            "I had {seats} in the {section} of {event} held until {expires_at}, for {total} in all.",
            "Too few seats are left in the {section} of {event}, so you are on the waiting list for {seats}.",
        ),
        where=relations.ASKING,
    )
    def request_seats(
        self, section_id: rec.SectionId, seats: rec.Seats, code_id: rec.CodeId | None = None
    ) -> rec.SeatRequest:
        """Have seats held for 15 minutes, or wait for them in line where too few are left; nothing is paid yet.

        Args:
            section_id: Section to sit in.
            seats: How many seats.
            code_id: Presale code of the signed-in fan for this event; needed before the general sale.
        """
        (office := self._office).settle()
        section = self.sections.require(section_id)
        event = self.events.require(section.event_id)
        code = owned(self.codes.require(code_id), "fan_id", self.fan_id) if code_id is not None else None
        rules.check_asking(event, code, seats, office.may_buy(event), self.now)
        request = rules.asked(self.new_id("SR"), self.fan_id, section, event, code, seats, self.now)
        if request.status == "held":
            self.sections.replace(rules.with_left(section, section.left - seats))
        return self.requests.insert(request)

    @tool(
        ask=(
            "list my[ {status}] seat requests[ for {event}]",
            "show me the[ {status}] seats that I asked for[ at {event}]",
            "check which[ {status}] seat requests I have[ for {event}]",
            "look up my[ {status}] requests for seats[ at {event}]",
        ),
        noun="[{status} ]seat request of mine[ for {event}]",
        reply=("Your requests: {requests}.", "You have no such request."),
    )
    def find_seat_requests(
        self, status: rec.RequestStatus | None = None, event: rec.Title | None = None, page: PageNumber = 1
    ) -> rec.RequestPage:
        """See how the seats stand that the signed-in fan wants: held, waited for in line or booked, the latest first.

        Args:
            status: Only requests that are held, waiting, booked, released or expired.
            event: Only requests for the event of this title.
            page: Page of the results, five requests each.
        """
        mine = [each for each in self._office.requests.values() if each.fan_id == self.fan_id]
        found = [each for each in mine if status in (None, each.status) and event in (None, each.event)]
        found.sort(key=lambda each: (each.asked_at, each.id), reverse=True)
        return rec.RequestPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "release {request_id}",
            "give up {request_id} so that others can have the seats",
            "let go of {request_id}",
            "drop {request_id}",
        ),
        reply=("Your request for {seats} in the {section} of {event} is released.",),
        where=relations.RELEASING,
    )
    def release_request(self, request_id: rec.RequestId) -> rec.SeatRequest:
        """Release held seats, or leave the waiting list.

        Args:
            request_id: Request that is held or waiting.
        """
        office = self._office
        request = office.asked(request_id, rules.LIVE, "released")
        gone = self.requests.replace(request.evolve(status="released", expires_at=None))
        if request.status == "held":
            office.free(request.section_id, request.seats)
        return gone

    @tool(
        writes=True,
        ask=(
            "book {request_id}[protect? with ticket protection]",
            "pay for {request_id}[protect?, ticket protection included]",
            "turn {request_id} into tickets[protect? that are protected]",
            "buy the seats of {request_id}[protect?, with protection]",
        ),
        reply=("You have {seats} in the {section} of {event}, for {total} in all[, {protection} of it protection].",),
        where=relations.BOOKING,
    )
    def book_request(self, request_id: rec.RequestId, protect: bool = False) -> rec.Booking:
        """Book and pay seats that are held; each becomes a ticket.

        Args:
            request_id: Request whose seats are held.
            protect: Whether to pay a tenth of the price for being able to return the tickets later.
        """
        office = self._office
        request = office.asked(request_id, ("held",), "booked")
        booking = office.seated(request, [self.new_id("ET") for _ in range(request.seats)], protect=protect)
        for ticket in booking.tickets:
            self.tickets.insert(ticket)
        self.requests.replace(request.evolve(status="booked", expires_at=None))
        return booking

    @tool(
        ask=(
            "list my[ {status}] tickets[ for {event}]",
            "show me the[ {status}] event tickets that I have[ for {event}]",
            "see which[ {status}] tickets[ for {event}] are mine",
            "look up my[ {status}] tickets to events[, only those for {event}]",
        ),
        noun="[{status} ]event ticket of mine[ for {event}]",
        reply=("Your tickets: {tickets}.", "You have no such ticket."),
    )
    def find_my_tickets(
        self, status: rec.TicketStatus | None = None, event: rec.Title | None = None, page: PageNumber = 1
    ) -> rec.TicketPage:
        """Find the seats that the signed-in fan owns: events to come on top, past ones at the end, by their day.

        Args:
            status: Only valid, sent, listed, returned or used ones.
            event: Only those for the event of this title.
            page: Page of the results, five tickets each.
        """
        mine = [ticket for ticket in self.tickets.values() if ticket.owner_id == self.fan_id]
        found = [t for t in mine if status in (None, t.status) and event in (None, t.event)]
        found.sort(key=lambda ticket: (ticket.starts_at <= self.now, ticket.starts_at, ticket.id))
        return rec.TicketPage.of(found, page)

    @tool(
        ask=(
            "check what I would get back for {ticket_id} and until when I can pass it on",
            "show me the details of {ticket_id}",
            "tell me where I sit with {ticket_id} and how it stands",
            "look up what I could ask for {ticket_id} on resale",
        ),
        reply=(
            (
                "{event}, {section}, {seat} ({status}) on {starts_at}[, sent to {recipient}][, offered for {asks}]"
                "[; it can be passed on until {change_until}][; on resale it may cost {max_ask}]"
                "[; {refund} would be paid back today]."
            ),
        ),
        where=relations.LOOKING,
    )
    def check_ticket(self, ticket_id: rec.TicketId) -> rec.TicketDetails:
        """Check one of the signed-in fan's tickets: seat, what it is worth on return or resale, and until when.

        Args:
            ticket_id: Ticket to look at.
        """
        return self._office.worth(ticket_id)

    @tool(
        writes=True,
        ask=(
            "send {ticket_id} to {email}",
            "transfer {ticket_id} to my friend at {email}",
            "pass {ticket_id} on to {email}",
            "give {ticket_id} to a friend, {email}",
        ),
        reply=("The ticket for {seat} at {event} was sent to {recipient}; it is theirs once they accept it.",),
        where=relations.SENDING,
    )
    def send_ticket(self, ticket_id: rec.TicketId, email: rec.Email) -> rec.EventTicket:
        """Send a valid ticket to somebody, who has to accept it; until then it can be taken back.

        Args:
            ticket_id: Ticket to send.
            email: E-mail address of who gets it, which the fan has to say.
        """
        ticket, event = self._office.mine(ticket_id)
        rules.check_sending(ticket, event, email, self.fans.require(self.fan_id).email, self.now)
        return self.tickets.replace(ticket.evolve(status="sent", recipient=email))

    @tool(
        writes=True,
        ask=(
            "sell {ticket_id} on for {price}",
            "put {ticket_id} up for resale at {price}",
            "offer {ticket_id} to other fans for {price}",
            "list {ticket_id} for resale, asking {price}",
        ),
        reply=("Your ticket for {seat} at {event} is offered for {asks}; you get {pays_out} once it is sold.",),
        where=relations.SELLING,
    )
    def sell_ticket(self, ticket_id: rec.TicketId, price: Annotated[Money, Field(ge=1)]) -> rec.ResaleOffer:
        """Offer a ticket for resale, or change what is asked for one that is offered already.

        Args:
            ticket_id: Ticket to sell.
            price: What to ask for it, in US dollars, up to its max_ask.
        """
        ticket, event = self._office.mine(ticket_id)
        offer = self.tickets.replace(rules.listed(ticket, event, asks := cents(price), self.now))
        return rec.ResaleOffer(
            ticket_id=offer.id, event=offer.event, seat=offer.seat, asks=asks, pays_out=cents(asks * rules.SELLER_SHARE)
        )

    @tool(
        writes=True,
        ask=(
            "take back {ticket_id}, so that it is only mine again",
            "take {ticket_id} back from whoever it was offered to",
            "recall {ticket_id} before anybody has it",
            "withdraw {ticket_id} from transfer or resale",
        ),
        reply=("The ticket for {seat} at {event} is only yours again.",),
        where=relations.TAKING_BACK,
    )
    def take_back_ticket(self, ticket_id: rec.TicketId) -> rec.EventTicket:
        """Take back a ticket that was sent but not accepted yet, or withdraw one from resale.

        Args:
            ticket_id: Ticket that is sent or listed.
        """
        ticket, _ = self._office.mine(ticket_id)
        rules.check_status(ticket, ("sent", "listed"), "taken back")
        return self.tickets.replace(ticket.evolve(status="valid", recipient=None, asks=None))

    @tool(
        ask=(
            "find a better seat for {ticket_id}[ for at most {max_extra} more]",
            "see which upgrades there are for {ticket_id}[ up to {max_extra}]",
            "look for an upgrade of {ticket_id}[ that costs {max_extra} or less on top]",
            "check what it would cost to move {ticket_id} to a better section[, at most {max_extra} more]",
        ),
        noun="better section for {ticket_id}[ for at most {max_extra} more]",
        reply=("Upgrades: {upgrades}.", "There is no such upgrade."),
        where=relations.COMPARING,
    )
    def find_upgrades(
        self, ticket_id: rec.TicketId, max_extra: rec.AtMostPaid | None = None, page: PageNumber = 1
    ) -> rec.UpgradePage:
        """Find the dearer sections with a seat left that a ticket can be moved to, the cheapest first.

        Args:
            ticket_id: Valid ticket that the signed-in fan bought.
            max_extra: Only upgrades that cost so much or less on top, in US dollars.
            page: Page of the results, five upgrades each.
        """
        found = [each for each in self._office.upgrades(ticket_id) if max_extra is None or each.extra <= max_extra]
        return rec.UpgradePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "upgrade {ticket_id} to {section_id}",
            "move {ticket_id} up to {section_id}",
            "swap {ticket_id} for a seat in {section_id}",
            "exchange {ticket_id} for a better seat in {section_id}",
        ),
        reply=("You now have {seat} in the {section} of {event}; {paid_on_top} was paid on top.",),
        where=relations.UPGRADING,
    )
    def swap_seat(self, ticket_id: rec.TicketId, section_id: rec.SectionId) -> rec.EventTicket:
        """Move a ticket to a dearer section of its event, and pay the difference; final, and its fee stays as it was.

        Args:
            ticket_id: Valid ticket that the signed-in fan bought.
            section_id: Section with a seat left.
        """
        (office := self._office).settle()
        ticket, event = office.mine(ticket_id)
        section = self.sections.require(section_id)
        better = rules.upgraded(ticket, section, event, self.now)
        taken = rules.with_left(section, section.left - 1)
        self.sections.replace(taken.evolve(next_seat=section.next_seat + 1))
        office.free(ticket.section_id, 1)
        return self.tickets.replace(better)

    @tool(
        writes=True,
        ask=(
            "return {ticket_id} for a refund",
            "get me my money back for {ticket_id}",
            "claim a refund for {ticket_id}",
            "hand {ticket_id} back and have it refunded",
        ),
        reply=("{refund} is paid back for {event} ({reason})[; {kept} is kept].",),
        where=relations.RETURNING,
    )
    def return_ticket(self, ticket_id: rec.TicketId) -> rec.TicketRefund:
        """Return a ticket for a refund, which is final; price and fee, or the price alone, by the reason.

        Args:
            ticket_id: Valid ticket that the signed-in fan bought.
        """
        (office := self._office).settle()
        ticket, event = office.mine(ticket_id)
        refund = rules.returned(ticket, event, self.now)
        self.tickets.replace(ticket.evolve(status="returned", refund_until=None))
        office.free(ticket.section_id, 1)
        kept = cents(ticket.price + ticket.fee + ticket.protection - refund.amount) or None
        return rec.TicketRefund(
            ticket_id=ticket.id, event=event.title, reason=refund.reason, refund=refund.amount, kept=kept
        )

    @property
    def _office(self) -> Office:
        """What there is for the fan by now."""
        return Office(self.fan_id, self.now, self.events, self.sections, self.codes, self.requests, self.tickets)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Events in every condition, with sections full and free, and the user's requests and tickets at every step."""
        return cls.model_validate(box_office(world, size))
