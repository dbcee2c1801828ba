"""Records and results of the railway."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

City = Annotated[str, Value("city", "City, by its English name.")]
Origin = Annotated[str, Value("departure_city", "City that a journey starts from.")]
TrainId = Annotated[str, Ref("Train")]
TicketId = Annotated[str, Ref("TrainTicket")]
PassengerId = Annotated[str, Ref("Passenger")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Passengers = Annotated[int, Field(ge=1, le=4), Unit("passenger")]
TravelClass = Annotated[Literal["second", "first"], Value("travel_class", "Class of travel.")]
Fare = Annotated[Literal["saver", "semi_flex", "flex"], Value("train_fare", "What a ticket allows.")]
CardKind = Annotated[Literal["quarter", "half"], Value("railcard_kind", "What a railcard takes off a fare.")]
Payout = Annotated[Literal["cash", "vouchers"], Value("payout", "How a compensation is paid.")]
Seat = Annotated[Literal["window", "aisle"], Value("seat_position", "Where a seat is.")]
TicketStatus = Literal["booked", "travelled", "refunded"]
Minutes = Annotated[int, Field(ge=0), Unit("minute")]


class Train(
    Record,
    noun="train",
    label="train {number}[ on {day}]",
    listing="{number} at {departs} ({minutes}, from {price}, {status}, {second_left} left)",
):
    """A train on one day."""

    id: TrainId
    """Identifier of the train on this day."""
    number: Annotated[str, Value("train_number", "Number of a train.")]
    origin: Origin
    destination: City
    day: dt.date
    """Day of the journey."""
    departs: dt.time
    """When it leaves."""
    arrives: dt.time
    """When it arrives."""
    minutes: Annotated[Minutes, Ranked("fastest", "slowest")]
    """How long the journey takes."""
    direct: bool
    """Whether nobody has to change on the way."""
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Saver fare in second class."""
    first_price: Money
    """Saver fare in first class."""
    second_left: Annotated[int, Field(ge=0), Unit("seat")]
    """Seats left in second class."""
    first_left: Annotated[int, Field(ge=0), Unit("seat")]
    """Seats left in first class."""
    platform: Annotated[int, Field(ge=1)]
    """Platform that it leaves from."""
    delay: Minutes = 0
    """How late it arrived."""
    status: Literal["scheduled", "arrived", "cancelled"] = "scheduled"
    """Whether it is to run, has arrived, or does not run."""

    @property
    def leaves_at(self) -> dt.datetime:
        """Day and time of departure."""
        return dt.datetime.combine(self.day, self.departs)

    def left(self, travel_class: TravelClass) -> int:
        """Seats left in a class."""
        return self.first_left if travel_class == "first" else self.second_left

    def with_seats(self, travel_class: TravelClass, more: int) -> "Train":
        """The train with `more` seats left in a class (negative: fewer)."""
        if travel_class == "first":
            return self.evolve(first_left=self.first_left + more)
        return self.evolve(second_left=self.second_left + more)


class Passenger(Record, noun="passenger", label="{name}"):
    """Somebody with an account."""

    id: PassengerId
    """Identifier of the passenger."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]


class Railcard(Record, noun="railcard", label="the {kind} fare card", listing="{kind} fare card until {valid_until}"):
    """What lowers a passenger's own fare for a year."""

    id: Annotated[str, Ref("Railcard")]
    """Identifier of the card."""
    passenger_id: PassengerId
    """Who holds it."""
    kind: CardKind
    valid_until: dt.date
    """Last day on which it is good."""
    price: AmountDue
    """What it cost."""


class TrainTicket(
    Record,
    noun="ticket",
    label="the ticket to {destination}[ for {day}][ at {departs}]",
    listing="{train_number} to {destination} on {day} at {departs} ({fare}, {status})",
):
    """Seats on one train, for one passenger and company."""

    id: TicketId
    """Identifier of the ticket."""
    passenger_id: PassengerId
    """Who bought it."""
    train_id: TrainId
    """Train that it is for."""
    train_number: Annotated[str, Value("train_number")]
    origin: Origin
    destination: City
    day: dt.date
    """Day of the journey."""
    departs: dt.time
    """When the train leaves."""
    travel_class: TravelClass
    fare: Fare
    passengers: Passengers
    """How many travel on it."""
    price: Annotated[AmountDue, Ranked("cheapest", "most expensive")]
    """What it costs, fees aside."""
    fees: Money = 0
    """What reserving seats and changing trains cost."""
    seats: tuple[int, ...] = ()
    """Numbers of the seats that are reserved."""
    status: TicketStatus = "booked"
    """Where it stands."""


class DelayClaim(
    Record,
    noun="claim",
    label="the claim of {filed_on}",
    listing="{train_number} to {destination} on {day}: {amount} ({payout})",
):
    """Compensation for a late arrival."""

    id: Annotated[str, Ref("DelayClaim")]
    """Identifier of the claim."""
    passenger_id: PassengerId
    """Who is paid."""
    ticket_id: TicketId
    """Ticket that it is for."""
    train_number: Annotated[str, Value("train_number")]
    destination: City
    day: dt.date
    """Day of the journey."""
    delay: Minutes
    """How late the train was."""
    payout: Payout
    amount: Annotated[AmountDue, Ranked("smallest", "largest")]
    """What is paid."""
    filed_on: dt.date
    """When it was filed."""


class TrainPage(Page):
    """A page of trains."""

    trains: tuple[Train, ...]
    """The trains on this page."""


class CardPage(Page):
    """A page of railcards."""

    cards: tuple[Railcard, ...]
    """The railcards on this page."""


class TicketPage(Page):
    """A page of tickets."""

    tickets: tuple[TrainTicket, ...]
    """The tickets on this page."""


class ClaimPage(Page):
    """A page of claims."""

    claims: tuple[DelayClaim, ...]
    """The claims on this page."""
    paid: Money
    """What all that match come to."""


class FareOffer(Output, noun="fare", label="the {fare} fare", listing="{fare} in {travel_class} class for {total}"):
    """What can be bought for a train."""

    fare: Fare
    travel_class: TravelClass
    total: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price for all passengers, the railcard taken off."""


class FareList(Output):
    """What a train costs."""

    train_id: TrainId
    """Train asked about."""
    fares: tuple[FareOffer, ...]
    """What can be bought."""


class Change(Output):
    """What changing to another train comes to."""

    ticket_id: TicketId
    """Ticket that was changed."""
    train_number: Annotated[str, Value("train_number")]
    departs: dt.time
    """When the new train leaves."""
    fee: Money
    """Fee for the change."""
    to_pay: AmountDue
    """Fee and difference in price together."""


class Refund(Output):
    """What giving a ticket back comes to."""

    ticket_id: TicketId
    """Ticket that was given back."""
    fee: Money
    """What is kept."""
    refund: AmountDue
    """What is paid back."""
