"""Records and results of a box office: events, price sections, codes, requests for seats, tickets."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

FanId = Annotated[str, Ref("Fan")]
EventId = Annotated[str, Ref("LiveEvent")]
SectionId = Annotated[str, Ref("PriceSection")]
CodeId = Annotated[str, Ref("PresaleCode")]
RequestId = Annotated[str, Ref("SeatRequest")]
TicketId = Annotated[str, Ref("EventTicket")]
City = Annotated[str, Value("city", "City, by its English name.")]
Email = Annotated[str, Value("email", "E-mail address.")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid, or paid back.")]
AtMostPaid = Annotated[Money, Field(gt=0)]
Title = Annotated[str, Value("event_title", "What an event is called.")]
SectionName = Annotated[str, Value("venue_section", "Part of a venue whose seats cost the same.")]
Kind = Annotated[Literal["concert", "theatre", "sport"], Value("event_kind", "What kind of event it is.")]
EventStatus = Annotated[
    Literal["scheduled", "moved", "cancelled"],
    Value("event_status", "Whether an event is as planned, was moved to another day, or was cancelled."),
]
Tier = Annotated[Literal["basic", "standard", "premium"], Value("seat_tier", "How good the seats are.")]
SectionStatus = Annotated[
    Literal["available", "sold_out", "closed"],
    Value("section_status", "Whether seats are left; closed: the event is over or cancelled."),
]
RequestStatus = Annotated[
    Literal["held", "waiting", "booked", "released", "expired"],
    Value("seat_request_status", "held: seats are kept for a while; waiting: on the waiting list."),
]
TicketStatus = Annotated[
    Literal["valid", "sent", "listed", "returned", "used"],
    Value("event_ticket_status", "sent: to somebody who has not accepted it yet; listed: offered for resale."),
]
RefundReason = Annotated[
    Literal["event_cancelled", "event_moved", "within_a_day", "protected"],
    Value("refund_ground", "Why a ticket is paid back."),
]
Starts = Annotated[dt.datetime, Value("event_start", "When an event begins.")]
Seats = Annotated[int, Field(ge=1, le=10), Unit("seat")]
Count = Annotated[int, Field(ge=0), Unit("seat")]
Percent = Annotated[int, Field(ge=0), Unit("%")]


class Fan(Record, noun="fan", label="{name}"):
    """Somebody with an account."""

    id: FanId
    """Identifier of the fan."""
    name: Annotated[str, Value("person_name", "Full name of a person.")]
    email: str
    """E-mail address of the account."""
    friends: tuple[Email, ...]
    """Addresses of friends to whom tickets were sent."""


class LiveEvent(
    Record,
    noun="event",
    label="{title}[ in {city}]",
    listing="{title} at the {venue} on {starts_at} ({status})",
):
    """An event on one evening, with what its promoter allows."""

    id: EventId
    """Identifier of the event."""
    title: Title
    kind: Kind
    city: City
    venue: str
    """Where it takes place."""
    address: Annotated[str, Value("address", "Street and number.")]
    starts_at: Annotated[Starts, Ranked("earliest", "latest")]
    status: EventStatus = "scheduled"
    moved_from: dt.datetime | None = None
    """When it should have begun, if it was moved."""
    refund_until: dt.date | None = None
    """Last day on which tickets are paid back in full, if it was moved or cancelled."""
    on_sale_from: dt.date
    """First day on which everybody can ask for seats; before that a presale code is needed."""
    limit: Count
    """Most tickets that one fan may buy."""
    resale_cap: Percent
    """Most that may be asked on resale, in percent of the price paid."""


class PriceSection(
    Record,
    noun="section",
    label="the {name} of {event}",
    listing="{name} ({price} and a fee of {fee}, {left} left)",
):
    """A part of the venue at one price, for one event."""

    id: SectionId
    """Identifier of the section at this event."""
    event_id: EventId
    """Event that it is for."""
    event: Title
    name: SectionName
    tier: Tier
    starts_at: Starts
    on_sale_from: dt.date
    """First day on which no presale code is needed."""
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price of a seat, in US dollars, without the fee."""
    fee: Money
    """Booking fee for a seat, in US dollars."""
    left: Count
    """Seats that can still be asked for."""
    status: SectionStatus
    next_seat: Annotated[int, Field(ge=0)]
    """Number of the seat that is given out next, counted from 0."""


class PresaleCode(
    Record, noun="presale code", label="my presale code for {event}", listing="{event}, {percent_off} off"
):
    """Lets one fan into the presale of one event, and makes its seats cheaper."""

    id: CodeId
    """The code."""
    fan_id: FanId
    """Whose it is."""
    event_id: EventId
    """Event that it is for."""
    event: Title
    percent_off: Percent
    """How much is taken off the price of each seat."""
    valid_until: dt.date
    """Last day on which it can be used."""


class SeatRequest(
    Record,
    noun="seat request",
    label="my seat request for {event}[ in the {section}][ for {seats}][ of {asked_at}]",
    listing="{seats} in the {section} of {event} ({status}, {total})",
):
    """Seats that are held for a fan for a while, or a place on the waiting list of a section."""

    id: RequestId
    """Identifier of the request."""
    fan_id: FanId
    """Who asks."""
    event_id: EventId
    """Event that it is for."""
    section_id: str
    """Identifier of the section that the seats are in."""
    event: Title
    section: SectionName
    seats: Seats
    """How many seats."""
    price: Money
    """Price of a seat, in US dollars, less what a code takes off."""
    total: AmountDue
    """What all of them cost with their fees, in US dollars."""
    asked_at: dt.datetime
    """When it was made; waiting lists go by this."""
    expires_at: dt.datetime | None = None
    """Until when held seats can be booked."""
    status: RequestStatus


class EventTicket(
    Record,
    noun="ticket",
    label="my {event} ticket[ in the {section}][ for {seat}]",
    listing="{event}, {section}, {seat} ({status})",
):
    """A seat that somebody bought."""

    id: TicketId
    """Identifier of the ticket."""
    owner_id: FanId
    """Whose ticket it is."""
    buyer_id: FanId
    """Who bought it."""
    received: bool = False
    """Whether somebody else bought it and sent it on."""
    event_id: EventId
    """Event that it is for."""
    section_id: str
    """Identifier of the section that the seat is in."""
    event: Title
    section: SectionName
    tier: Tier
    starts_at: Starts
    event_status: EventStatus
    seat: str
    """Row and seat."""
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """What was paid for the seat, in US dollars."""
    fee: Money
    """Booking fee that was paid, in US dollars."""
    protection: Money = 0.0
    """What was paid to be able to return it, in US dollars; 0 if it is not protected."""
    bought_at: dt.datetime
    """When it was bought."""
    refund_until: dt.datetime | None = None
    """Last moment at which it can be returned for a refund; none if it was received."""
    max_ask: Money
    """Most that may be asked for it on resale, in US dollars."""
    status: TicketStatus = "valid"
    recipient: Email | None = None
    asks: Money | None = None
    """What is asked for it on resale, in US dollars."""
    paid_on_top: AmountDue | None = None
    """What its last upgrade cost, in US dollars."""


class UpgradeOption(
    Output, noun="section", label="the {name} of {event}", listing="{name} for {extra} more ({left} left)"
):
    """A better section that a ticket could be moved to, in short."""

    id: SectionId
    """Section to move to."""
    event: Title
    name: SectionName
    tier: Tier
    left: Count
    """Seats that are left there."""
    extra: Money
    """What has to be paid on top, in US dollars."""


class EventPage(Page):
    """A page of events."""

    events: tuple[LiveEvent, ...]
    """The events on this page."""


class SectionPage(Page):
    """A page of sections."""

    sections: tuple[PriceSection, ...]
    """The sections on this page."""


class RequestPage(Page):
    """A page of seat requests."""

    requests: tuple[SeatRequest, ...]
    """The requests on this page."""


class TicketPage(Page):
    """A page of tickets."""

    tickets: tuple[EventTicket, ...]
    """The tickets on this page."""


class UpgradePage(Page):
    """A page of upgrades."""

    upgrades: tuple[UpgradeOption, ...]
    """The upgrades on this page."""


class EventDetails(Output):
    """An event with what the signed-in fan may do there."""

    event_id: EventId
    """Event asked about."""
    title: Title
    kind: Kind
    status: EventStatus
    venue: str
    """Where it takes place."""
    address: Annotated[str, Value("address")]
    city: City
    starts_at: Starts
    moved_from: dt.datetime | None = None
    """When it should have begun, if it was moved."""
    refund_until: dt.date | None = None
    """Last day of full refunds, if it was moved or cancelled."""
    presale_until: dt.date | None = None
    """Last day on which seats are only for fans with a code; none if everybody can buy."""
    limit: Count
    """Most tickets that one fan may buy."""
    may_buy: Count
    """Seats that the fan may still ask for, less those bought, held or waited for; 0 if cancelled or begun."""
    resale_cap: Percent
    """Most that may be asked on resale, in percent of the price paid."""
    codes: tuple[PresaleCode, ...]
    """The fan's codes that can be used for it today."""


class TicketDetails(Output):
    """A ticket with what can be done with it now."""

    ticket_id: TicketId
    """Ticket asked about."""
    event_id: EventId
    """Event that it is for."""
    event: Title
    section: SectionName
    seat: str
    """Row and seat."""
    starts_at: Starts
    status: TicketStatus
    recipient: Email | None = None
    asks: Money | None = None
    """What is asked for it on resale, in US dollars."""
    change_until: dt.datetime | None = None
    """Until when it can be sent or, by its buyer, sold or upgraded; none if it is too late, cancelled or returned."""
    max_ask: Money | None = None
    """Most that may be asked for it on resale, in US dollars; none if it cannot be sold any more, or was received."""
    refund: AmountDue | None = None
    """What would be paid back for it today, if anything."""
    refund_reason: RefundReason | None = None
    refund_until: dt.datetime | None = None
    """Last moment for a refund."""


class Booking(Output):
    """Tickets that were bought."""

    request_id: RequestId
    """Request that was booked."""
    event: Title
    section: SectionName
    seats: tuple[str, ...]
    """Rows and seats."""
    tickets: tuple[EventTicket, ...]
    """The tickets, one a seat."""
    protection: Money | None = None
    """What being able to return them costs, in US dollars."""
    total: AmountDue
    """What was paid in all, in US dollars."""


class ResaleOffer(Output):
    """A ticket that is offered for resale."""

    ticket_id: TicketId
    """Ticket offered."""
    event: Title
    seat: str
    """Row and seat."""
    asks: Money
    """What is asked for it, in US dollars."""
    pays_out: Money
    """What the seller gets once it is sold, in US dollars, less a tenth."""


class TicketRefund(Output):
    """What is paid back for a ticket."""

    ticket_id: TicketId
    """Ticket that was returned."""
    event: Title
    reason: RefundReason
    refund: AmountDue
    """What is paid back, in US dollars."""
    kept: Money | None = None
    """What of fee and protection is kept, in US dollars, if anything."""
