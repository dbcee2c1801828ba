"""A railway: find trains, compare fares, buy, change and refund tickets, reserve seats, claim for delays.

What a ticket allows follows from its fare, what it costs from class, fare and the holder's railcard, and everything is
decided by the time at which the train leaves. A train that is cancelled lifts the limits of every fare.
"""

import datetime as dt
from typing import Annotated, Literal, Self, get_args

from pydantic import Field

from envfactory.catalogue.travel._rail_records import (
    CARD_PRICE,
    PERCENT,
    SAVER_SEATS,
    SEATS,
    CardKind,
    CardPage,
    Change,
    City,
    ClaimPage,
    DelayClaim,
    Fare,
    FareList,
    FareOffer,
    Origin,
    Passenger,
    PassengerId,
    Passengers,
    Payout,
    Railcard,
    Refund,
    Seat,
    TicketId,
    TicketPage,
    TicketStatus,
    Train,
    TrainId,
    TrainPage,
    TrainTicket,
    TravelClass,
    position_of,
    price_of,
)
from envfactory.catalogue.travel._rail_scenario import railway
from envfactory.environment import (
    Dated,
    Differing,
    Differs,
    Ends,
    Environment,
    Having,
    Money,
    NamedIn,
    Owned,
    PageNumber,
    Sharing,
    Table,
    ToolError,
    World,
    cents,
    owned,
    standing,
    tool,
)

SEAT_FEE = 4.0
CHANGE_FEE = 8.0
REFUND_FEE = 12.0
CLAIM_DAYS = 60
RENEWAL_DAYS = 30
VOUCHER_BONUS = 1.1

OWN_TICKET = Owned(parameter="ticket_id", field="passenger_id", by="passenger_id")
BOOKED = Having(parameter="ticket_id", field="status", among=("booked",))
CHANGEABLE = Having(parameter="ticket_id", field="fare", among=("semi_flex", "flex"))
SCHEDULED = Having(parameter="train_id", field="status", among=("scheduled",))


class RailTickets(Environment):
    """Find trains and fares, and look after a passenger's own train tickets, seats, railcards and delay claims."""

    domain = "travel"
    policy = """Saver tickets can be neither changed nor refunded. Semi flex tickets can be changed for 8 dollars and
    refunded for 12, each a passenger, until the day before the journey. Flex tickets can be changed and refunded
    free of charge until the train leaves. If a train is cancelled, every ticket for it can be changed or refunded
    free of charge, whatever another train costs. Seats in second class cost 4 dollars each, unless the fare is
    flex. Tickets of any fare can be upgraded; a saver pays what semi flex costs where savers are sold out in first
    class. A delay of one hour pays a quarter of the price, two hours a half, within 60 days of the journey;
    vouchers are worth a tenth more than cash. A railcard lowers the fare of its holder alone. Nobody holds two
    tickets for one train. Never buy a ticket without knowing train, fare and class."""
    sources = (
        "Deutsche Bahn API Marketplace, Timetables and RIS::Journeys",
        "UK Rail Delivery Group, National Rail Enquiries LDBWS and Delay Repay rules",
        "Trainline Partner Solutions, Search, Booking and Refund",
        "SNCF Open Data API (Navitia), Journeys and Disruptions",
    )

    passenger_id: PassengerId
    """Passenger whose session this is."""
    trains: Table[Train]
    passengers: Table[Passenger]
    railcards: Table[Railcard]
    tickets: Table[TrainTicket]
    claims: Table[DelayClaim]

    @tool(
        ask=(
            "find me[direct? direct] trains from {origin} to {destination} on {day}[ for at most {max_price}]",
            "look up[direct? direct] trains from {origin} to {destination} for {day}[, up to {max_price}]",
            "see which[direct? direct] trains go from {origin} to {destination} on {day}[ for {max_price} or less]",
            "check the[direct? direct] trains from {origin} to {destination} on {day}[ that cost {max_price} or less]",
        ),
        noun="[direct? direct ]train from {origin} to {destination} on {day}[ for at most {max_price}]",
        reply=("These trains are planned: {trains}.", "No such train runs on {day}."),
        where=(Differs(parameter="destination", other="origin"),),
    )
    def search_trains(
        self,
        origin: Origin,
        destination: City,
        day: dt.date,
        direct: bool = False,
        max_price: Annotated[Money, Field(gt=0)] | None = None,
        sort: Literal["departure", "price", "duration"] = "departure",
        page: PageNumber = 1,
    ) -> TrainPage:
        """Search the trains between two cities on a day that have not yet left, cancelled ones too.

        Args:
            origin: City to start from.
            destination: City to go to.
            day: Day of the journey.
            direct: Only trains without a change on the way.
            max_price: Only trains with a second-class saver at or below this price.
            sort: Order: earliest departure first, lowest price first, or shortest journey first.
            page: Page of the results, five trains each.
        """
        if origin == destination:
            raise ToolError("invalid_argument", f"A journey from {origin} leads to another city.")
        self._not_past(day)
        found = [
            train
            for train in self.trains.values()
            if (train.origin, train.destination, train.day) == (origin, destination, day)
            and train.leaves_at > self.now
            and (train.direct or not direct)
            and (max_price is None or train.price <= max_price)
        ]
        keys = {"departure": "departs", "price": "price", "duration": "minutes"}
        found.sort(key=lambda train: (vars(train)[keys[sort]], train.departs, train.id))
        return TrainPage.of(found, page)

    @tool(
        ask=(
            "tell me more about {train_id}",
            "check when {train_id} leaves and from which platform",
            "look up whether {train_id} is running as planned",
            "give me the details of {train_id}",
        ),
        reply=(
            "{number} leaves {origin} at {departs} from platform {platform} and is due at {arrives}; it is {status}.",
        ),
    )
    def get_train(self, train_id: TrainId) -> Train:
        """Get everything about one train: times, platform, delay, seats left.

        Args:
            train_id: Train to look at.
        """
        return self.trains.require(train_id)

    @tool(
        ask=(
            "check the fares of {train_id}[ for {passengers}][ in {travel_class} class]",
            "tell me what {train_id} costs[ for {passengers}][ in {travel_class} class]",
            "find out which tickets there are for {train_id}[ for {passengers}][ in {travel_class} class]",
            "get me the prices for {train_id}[, {passengers}][, {travel_class} class]",
        ),
        reply=("You can have {fares}.", "There are not enough seats left on that train."),
        where=(SCHEDULED,),
    )
    def list_fares(
        self, train_id: TrainId, passengers: Passengers = 1, travel_class: TravelClass | None = None
    ) -> FareList:
        """List what can be bought for a train, with the price for all passengers and the railcard taken off.

        Args:
            train_id: Train to ask about.
            passengers: How many travel.
            travel_class: Only fares of this class.
        """
        train = self._running(train_id)
        fares = tuple(
            FareOffer(fare=fare, travel_class=kind, total=price_of(train, kind, fare, passengers, self._percent(train)))
            for kind in ("second", "first")
            if travel_class in (None, kind) and train.left(kind) >= passengers
            for fare in get_args(get_args(Fare)[0])
            if fare != "saver" or train.left(kind) > SAVER_SEATS
        )
        return FareList(train_id=train.id, fares=fares)

    @tool(
        writes=True,
        ask=(
            "buy me a {fare} ticket for {train_id} in {travel_class} class[ for {passengers}]",
            "get a {fare} ticket, {travel_class} class, for {train_id}[, {passengers}]",
            "book {train_id} with a {fare} fare in {travel_class} class[ for {passengers}]",
            "purchase {travel_class} class seats at the {fare} fare on {train_id}[ for {passengers}]",
        ),
        reply=("You have a {fare} ticket for {train_number} to {destination} on {day} at {departs} for {price}.",),
        where=(SCHEDULED,),
    )
    def buy_ticket(
        self, train_id: TrainId, fare: Fare, travel_class: TravelClass, passengers: Passengers = 1
    ) -> TrainTicket:
        """Buy a ticket for the signed-in passenger and, if wanted, company; a railcard is taken into account.

        Args:
            train_id: Train to travel on.
            fare: What the ticket shall allow.
            travel_class: Class of travel.
            passengers: How many travel.
        """
        train = self._running(train_id)
        self._not_held(train)
        self._sellable(train, fare, travel_class, passengers)
        self.trains.replace(train.with_seats(travel_class, -passengers))
        return self.tickets.insert(
            TrainTicket(
                id=self.new_id("TK"), passenger_id=self.passenger_id, train_id=train.id, train_number=train.number,
                origin=train.origin, destination=train.destination, day=train.day, departs=train.departs,
                travel_class=travel_class, fare=fare, passengers=passengers,
                price=price_of(train, travel_class, fare, passengers, self._percent(train)),
            )
        )  # fmt: skip

    @tool(
        ask=(
            "list my[ {status}] train tickets[ to {destination}]",
            "show me which[ {status}] train tickets I have[ to {destination}]",
            "pull up my[ {status}] train journeys[ to {destination}]",
            "go through my[ {status}] rail tickets[ for {destination}]",
        ),
        noun="[{status} ]train ticket of mine[ to {destination}]",
        reply=("Your tickets: {tickets}.", "You have no such ticket."),
        where=(NamedIn(parameter="destination", entity="TrainTicket", field="destination"),),
    )
    def list_tickets(
        self, status: TicketStatus | None = None, destination: City | None = None, page: PageNumber = 1
    ) -> TicketPage:
        """List the signed-in passenger's tickets, the earliest journey first.

        Args:
            status: Only tickets that stand like this.
            destination: Only tickets to this city.
            page: Page of the results, five tickets each.
        """
        found = [
            ticket
            for ticket in self.tickets.values()
            if ticket.passenger_id == self.passenger_id
            and status in (None, ticket.status)
            and destination in (None, ticket.destination)
        ]
        found.sort(key=lambda ticket: (ticket.day, ticket.departs, ticket.id))
        return TicketPage.of(found, page)

    @tool(
        ask=(
            "show me the details of {ticket_id}",
            "look up {ticket_id} for me",
            "tell me what {ticket_id} allows and whether it has seats",
            "check what {ticket_id} cost",
        ),
        reply=(
            "It is a {fare} ticket for {train_number} to {destination} on {day} at {departs}, for {price} ({status}).",
        ),
        where=(OWN_TICKET,),
    )
    def get_ticket(self, ticket_id: TicketId) -> TrainTicket:
        """Get one of the signed-in passenger's tickets.

        Args:
            ticket_id: Ticket to look at.
        """
        return self._mine(ticket_id)

    @tool(
        writes=True,
        ask=(
            "reserve {position} seats for {ticket_id}",
            "get me {position} seats for {ticket_id}",
            "book me {position} seats for {ticket_id}",
            "add a {position} seat reservation to {ticket_id}",
        ),
        reply=("Seats reserved on {train_number}: {seats}. The fees on this ticket come to {fees}.",),
        where=(OWN_TICKET, BOOKED),
    )
    def reserve_seats(self, ticket_id: TicketId, position: Seat) -> TrainTicket:
        """Reserve a seat for every passenger of a ticket; 4 dollars each in second class, free with a flex fare.

        Args:
            ticket_id: Ticket to reserve for.
            position: Where to sit.
        """
        ticket, train = self._ahead(ticket_id, "given seats")
        if train.status == "cancelled":
            raise ToolError("precondition_failed", f"{train.number} is cancelled, so it has no seats to reserve.")
        if ticket.seats and all(position_of(seat) == position for seat in ticket.seats):
            raise ToolError("invalid_argument", f"The ticket has {position} seats already.")
        taken = {
            seat
            for other in self.tickets.values()
            if (other.train_id, other.travel_class, other.status) == (train.id, ticket.travel_class, "booked")
            for seat in other.seats
        }
        free = [
            seat
            for seat in range(1, SEATS[ticket.travel_class] + 1)
            if seat not in taken and position_of(seat) == position
        ]
        if len(free) < ticket.passengers:
            raise ToolError("conflict", f"{train.number} has {len(free)} {position} seats left in this class.")
        fee = 0.0 if ticket.travel_class == "first" or ticket.fare == "flex" else SEAT_FEE * ticket.passengers
        return self.tickets.replace(
            ticket.evolve(seats=tuple(free[: ticket.passengers]), fees=cents(ticket.fees + fee))
        )

    @tool(
        ask=(
            "see which other trains I could take with {ticket_id} instead",
            "find other trains in place of the one on {ticket_id}",
            "check which trains I could switch to with {ticket_id}",
            "look for another connection in place of {ticket_id}",
        ),
        noun="other train for {ticket_id}",
        reply=("You could take {trains}.", "There is no other train with enough seats that day."),
        where=(OWN_TICKET, BOOKED, CHANGEABLE),
    )
    def list_alternatives(self, ticket_id: TicketId, page: PageNumber = 1) -> TrainPage:
        """List the other trains on a ticket's route and day that it can be changed to: with seats enough in its class.

        Args:
            ticket_id: Ticket that is to be changed.
            page: Page of the results, five trains each.
        """
        ticket, old = self._ahead(ticket_id, "changed")
        self._flexible(ticket, old, "changed")
        found = [
            train
            for train in self.trains.values()
            if (train.origin, train.destination, train.day) == (ticket.origin, ticket.destination, ticket.day)
            and not self._held(train)
            and train.status == "scheduled"
            and train.leaves_at > self.now
            and train.left(ticket.travel_class) >= ticket.passengers
        ]
        found.sort(key=lambda train: (train.departs, train.id))
        return TrainPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "swap {ticket_id} for a seat on {train_id}",
            "change {ticket_id} so that I take {train_id} instead",
            "put me on {train_id} instead, using {ticket_id}",
            "rebook {ticket_id} for {train_id}",
        ),
        reply=("You now take {train_number} at {departs}. The fee is {fee}; in all there is {to_pay} to pay.",),
        where=(
            OWN_TICKET,
            BOOKED,
            CHANGEABLE,
            SCHEDULED,
            Sharing(parameter="train_id", other="ticket_id", fields=("origin", "destination")),
            Differing(parameter="train_id", other="ticket_id", field="train_id"),
        ),
    )
    def change_train(self, ticket_id: TicketId, train_id: TrainId) -> Change:
        """Change a ticket to another train on the same route, as far as its fare allows; reserved seats are lost.

        Args:
            ticket_id: Ticket to change.
            train_id: Train to take instead.
        """
        ticket, old = self._ahead(ticket_id, "changed")
        self._flexible(ticket, old, "changed")
        new = self._running(train_id)
        if new.id == old.id:
            raise ToolError("invalid_argument", f"The ticket is for {new.number} already.")
        if (new.origin, new.destination) != (old.origin, old.destination):
            raise ToolError("invalid_argument", f"{new.number} does not run from {old.origin} to {old.destination}.")
        self._not_held(new)
        self._room(new, ticket.travel_class, ticket.passengers)
        price = price_of(new, ticket.travel_class, ticket.fare, ticket.passengers, self._percent(new))
        if old.status == "cancelled":
            price = ticket.price
        free = ticket.fare == "flex" or old.status == "cancelled"
        fee = 0.0 if free else CHANGE_FEE * ticket.passengers
        self.trains.replace(old.with_seats(ticket.travel_class, ticket.passengers))
        self.trains.replace(new.with_seats(ticket.travel_class, -ticket.passengers))
        changed = ticket.evolve(
            train_id=new.id, train_number=new.number, day=new.day, departs=new.departs, seats=(),
            price=max(price, ticket.price), fees=cents(ticket.fees + fee),
        )  # fmt: skip
        self.tickets.replace(changed)
        return Change(
            ticket_id=ticket.id, train_number=new.number, departs=new.departs, fee=fee,
            to_pay=cents(fee + changed.price - ticket.price),
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "upgrade {ticket_id} to first class",
            "move {ticket_id} up to first class",
            "put me in first class with {ticket_id}",
            "change {ticket_id} from second to first class",
        ),
        reply=("You travel first class on {train_number} now; the ticket costs {price} in all.",),
        where=(OWN_TICKET, BOOKED, Having(parameter="ticket_id", field="travel_class", among=("second",))),
    )
    def upgrade_ticket(self, ticket_id: TicketId) -> TrainTicket:
        """Upgrade a ticket of any fare to first class for the difference in price; reserved seats are lost.

        Args:
            ticket_id: Ticket to upgrade.
        """
        ticket, train = self._ahead(ticket_id, "upgraded")
        if train.status == "cancelled":
            raise ToolError("precondition_failed", f"{train.number} is cancelled, so the ticket cannot be upgraded.")
        if ticket.travel_class == "first":
            raise ToolError("invalid_argument", "The ticket is for first class already.")
        self._room(train, "first", ticket.passengers)
        self.trains.replace(train.with_seats("second", ticket.passengers).with_seats("first", -ticket.passengers))
        fare: Fare = "semi_flex" if ticket.fare == "saver" and train.first_left <= SAVER_SEATS else ticket.fare
        price = price_of(train, "first", fare, ticket.passengers, self._percent(train))
        return self.tickets.replace(ticket.evolve(travel_class="first", price=max(price, ticket.price), seats=()))

    @tool(
        writes=True,
        ask=(
            "refund {ticket_id}",
            "give {ticket_id} back for a refund",
            "cancel {ticket_id}",
            "return {ticket_id} and have the price paid back",
        ),
        reply=("The ticket is given back. The fee is {fee}, and {refund} will be paid back.",),
        where=(
            OWN_TICKET,
            BOOKED,
            CHANGEABLE,
            Ends(parameter="ticket_id"),
        ),
    )
    def refund_ticket(self, ticket_id: TicketId) -> Refund:
        """Give a ticket back, as far as its fare allows; fees for seats and changes are not paid back.

        Args:
            ticket_id: Ticket to give back.
        """
        ticket, train = self._ahead(ticket_id, "refunded")
        self._flexible(ticket, train, "refunded")
        free = ticket.fare == "flex" or train.status == "cancelled"
        fee = 0.0 if free else min(ticket.price, REFUND_FEE * ticket.passengers)
        self.trains.replace(train.with_seats(ticket.travel_class, ticket.passengers))
        self.tickets.replace(ticket.evolve(status="refunded", seats=()))
        return Refund(ticket_id=ticket.id, fee=fee, refund=cents(ticket.price - fee))

    @tool(
        writes=True,
        ask=(
            "claim {payout} for the delay I had on {ticket_id}",
            "file a delay claim for {ticket_id}, to be paid in {payout}",
            "get me compensation in {payout} for the late train on {ticket_id}",
            "ask for {payout} because my train was late, for {ticket_id}",
        ),
        reply=("The claim is filed: {train_number} was {delay} late, so you get {amount}.",),
        where=(
            OWN_TICKET,
            Having(parameter="ticket_id", field="status", among=("travelled",)),
            Dated(parameter="ticket_id", field="day", days=(-CLAIM_DAYS, 0)),
            Ends(parameter="ticket_id"),
        ),
    )
    def claim_delay(self, ticket_id: TicketId, payout: Payout) -> DelayClaim:
        """Claim compensation for a late arrival: a quarter of the price from one hour, half of it from two.

        Args:
            ticket_id: Ticket of the journey.
            payout: How it shall be paid; vouchers are worth a tenth more.
        """
        ticket = standing(self._mine(ticket_id), ("travelled",), "claimed for")
        train = self.trains.require(ticket.train_id)
        if any(claim.ticket_id == ticket.id for claim in self.claims.values()):
            raise ToolError("conflict", f"You have claimed for {train.number} on {train.day} already.")
        if (self.now.date() - train.day).days > CLAIM_DAYS:
            raise ToolError("precondition_failed", f"The journey was on {train.day}, over {CLAIM_DAYS} days ago.")
        if train.delay < 60:
            raise ToolError("precondition_failed", f"{train.number} was {train.delay} minutes late, less than an hour.")
        amount = ticket.price * (0.5 if train.delay >= 120 else 0.25) * (VOUCHER_BONUS if payout == "vouchers" else 1)
        return self.claims.insert(
            DelayClaim(
                id=self.new_id("DC"), passenger_id=self.passenger_id, ticket_id=ticket.id, train_number=train.number,
                destination=train.destination, day=train.day, delay=train.delay, payout=payout, amount=cents(amount),
                filed_on=self.now.date(),
            )
        )  # fmt: skip

    @tool(
        ask=(
            "list my delay claims[ paid in {payout}]",
            "show me what I have claimed for late trains[ in {payout}]",
            "check my compensation for delays[, only what was paid in {payout}]",
            "tell me how much I got[ in {payout}] for late trains",
        ),
        noun="[{payout} ]delay claim of mine",
        reply=("Your claims: {claims}. They come to {paid}.", "You have made no such claim."),
    )
    def list_claims(self, payout: Payout | None = None, page: PageNumber = 1) -> ClaimPage:
        """List the signed-in passenger's delay claims, the latest first.

        Args:
            payout: Only claims paid like this.
            page: Page of the results, five claims each.
        """
        found = [
            claim
            for claim in self.claims.values()
            if claim.passenger_id == self.passenger_id and payout in (None, claim.payout)
        ]
        found.sort(key=lambda claim: (claim.filed_on, claim.id), reverse=True)
        return ClaimPage.of(found, page, paid=cents(sum(claim.amount for claim in found)))

    @tool(
        writes=True,
        ask=(
            "buy me a {kind} fare railcard",
            "get me the railcard that takes a {kind} off",
            "order the railcard with a {kind} off for me",
            "sign me up for a {kind} fare railcard",
        ),
        reply=("You have a {kind} fare card until {valid_until}; it costs {price}.",),
    )
    def buy_railcard(self, kind: CardKind) -> Railcard:
        """Buy a railcard for a year: a quarter off for 59 dollars, half for 199; a new one in the last month.

        Args:
            kind: What it shall take off the holder's fares.
        """
        last = self.now.date() + dt.timedelta(days=RENEWAL_DAYS)
        held = [card for card in self._cards() if PERCENT[card.kind] >= PERCENT[kind] and card.valid_until > last]
        if held:
            raise ToolError("conflict", f"You hold a {held[0].kind} fare card until {held[0].valid_until} already.")
        return self.railcards.insert(
            Railcard(
                id=self.new_id("RC"), passenger_id=self.passenger_id, kind=kind,
                valid_until=self.now.date() + dt.timedelta(days=365), price=CARD_PRICE[kind],
            )
        )  # fmt: skip

    @tool(
        ask=(
            "list my railcards",
            "show me which railcards I have",
            "check until when my railcards are good",
            "tell me what railcards I hold",
        ),
        noun="railcard of mine",
        reply=("You have {cards}.", "You have no railcard."),
    )
    def list_railcards(self, page: PageNumber = 1) -> CardPage:
        """List the signed-in passenger's railcards, the one that is good longest first.

        Args:
            page: Page of the results, five railcards each.
        """
        found = sorted(self._cards(), key=lambda card: (card.valid_until, card.id), reverse=True)
        return CardPage.of(found, page)

    def _mine(self, ticket_id: str) -> TrainTicket:
        return owned(self.tickets.require(ticket_id), "passenger_id", self.passenger_id)

    def _held(self, train: Train) -> bool:
        held = (self.passenger_id, train.id, "booked")
        return any((ticket.passenger_id, ticket.train_id, ticket.status) == held for ticket in self.tickets.values())

    def _not_held(self, train: Train) -> None:
        if self._held(train):
            raise ToolError("conflict", f"You have a ticket for {train.number} on {train.day} already.")

    def _ahead(self, ticket_id: str, done: str) -> tuple[TrainTicket, Train]:
        """A booked ticket of one's own whose train has not left, or never will, and that train."""
        ticket = standing(self._mine(ticket_id), ("booked",), done)
        train = self.trains.require(ticket.train_id)
        if train.status != "cancelled" and train.leaves_at <= self.now:
            raise ToolError("precondition_failed", f"{train.number} has left, so the ticket cannot be {done}.")
        return ticket, train

    def _not_past(self, day: dt.date) -> None:
        if day < self.now.date():
            raise ToolError("invalid_argument", f"The trains of {day} have all left.")

    def _flexible(self, ticket: TrainTicket, train: Train, done: str) -> None:
        """Refuse what the fare does not allow, unless the train does not run."""
        if train.status == "cancelled":
            return
        if ticket.fare == "saver":
            raise ToolError("precondition_failed", f"Saver tickets cannot be {done}.")
        if ticket.fare == "semi_flex" and train.day <= self.now.date():
            raise ToolError("precondition_failed", f"Semi flex tickets can be {done} until the day before the journey.")

    def _running(self, train_id: str) -> Train:
        train = self.trains.require(train_id)
        if train.status == "cancelled":
            raise ToolError("precondition_failed", f"{train.number} on {train.day} is cancelled.")
        if train.leaves_at <= self.now:
            raise ToolError("precondition_failed", f"{train.number} on {train.day} has left.")
        return train

    def _room(self, train: Train, travel_class: TravelClass, passengers: int) -> None:
        left = train.left(travel_class)
        if left < passengers:
            raise ToolError("conflict", f"{train.number} has {left} seats left in {travel_class} class.")

    def _sellable(self, train: Train, fare: Fare, travel_class: TravelClass, passengers: int) -> None:
        self._room(train, travel_class, passengers)
        if fare == "saver" and train.left(travel_class) <= SAVER_SEATS:
            raise ToolError("conflict", f"Savers for {train.number} in {travel_class} class are sold out.")

    def _cards(self) -> list[Railcard]:
        return [card for card in self.railcards.values() if card.passenger_id == self.passenger_id]

    def _percent(self, train: Train) -> int:
        """What the best railcard that is good on the day of a train takes off."""
        return max((PERCENT[card.kind] for card in self._cards() if card.valid_until >= train.day), default=0)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """A busy route with two pages of trains, others, and the user's tickets in every condition."""
        return cls.model_validate(railway(world, size))
