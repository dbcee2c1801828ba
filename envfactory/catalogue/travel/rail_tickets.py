"""A railway: find trains, compare fares, buy, change and refund tickets, reserve seats, claim for delays.

What a ticket allows follows from its fare, what it costs from class, fare and the holder's railcard, and everything is
decided by the time at which the train leaves. A train that is cancelled lifts the limits of every fare.
"""

import datetime as dt
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field

from envfactory.catalogue.travel import _rail_records as rec
from envfactory.catalogue.travel import _rail_relations as relations
from envfactory.catalogue.travel import _rail_rules as rules
from envfactory.catalogue.travel._rail_scenario import railway
from envfactory.environment import Environment, Money, PageNumber, Table, World, cents, owned, standing, tool

R = TypeVar("R", rec.Railcard, rec.TrainTicket, rec.DelayClaim)


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

    passenger_id: rec.PassengerId
    """Passenger whose session this is."""
    trains: Table[rec.Train]
    passengers: Table[rec.Passenger]
    railcards: Table[rec.Railcard]
    tickets: Table[rec.TrainTicket]
    claims: Table[rec.DelayClaim]

    @tool(
        ask=(
            "find me[direct? direct] trains from {origin} to {destination} on {day}[ for at most {max_price}]",
            "look up[direct? direct] trains from {origin} to {destination} for {day}[, up to {max_price}]",
            "see which[direct? direct] trains go from {origin} to {destination} on {day}[ for {max_price} or less]",
            "check the[direct? direct] trains from {origin} to {destination} on {day}[ that cost {max_price} or less]",
        ),
        noun="[direct? direct ]train from {origin} to {destination} on {day}[ for at most {max_price}]",
        reply=("These trains are planned: {trains}.", "No such train runs on {day}."),
        where=relations.SEARCHING,
    )
    def search_trains(
        self,
        origin: rec.Origin,
        destination: rec.City,
        day: dt.date,
        direct: bool = False,
        max_price: Annotated[Money, Field(gt=0)] | None = None,
        sort: Literal["departure", "price", "duration"] = "departure",
        page: PageNumber = 1,
    ) -> rec.TrainPage:
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
        rules.check_journey(origin, destination, day, self.now.date())
        found = [
            train
            for train in self._trains(origin, destination, day)
            if (train.direct or not direct) and (max_price is None or train.price <= max_price)
        ]
        return rec.TrainPage.of(rules.in_order(found, sort), page)

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
    def get_train(self, train_id: rec.TrainId) -> rec.Train:
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
        where=relations.PRICING,
    )
    def list_fares(
        self, train_id: rec.TrainId, passengers: rec.Passengers = 1, travel_class: rec.TravelClass | None = None
    ) -> rec.FareList:
        """List what can be bought for a train, with the price for all passengers and the railcard taken off.

        Args:
            train_id: Train to ask about.
            passengers: How many travel.
            travel_class: Only fares of this class.
        """
        train = self._running(train_id)
        return rec.FareList(
            train_id=train.id, fares=rules.offers(train, passengers, travel_class, self._percent(train))
        )

    @tool(
        writes=True,
        ask=(
            "buy me a {fare} ticket for {train_id} in {travel_class} class[ for {passengers}]",
            "get a {fare} ticket, {travel_class} class, for {train_id}[, {passengers}]",
            "book {train_id} with a {fare} fare in {travel_class} class[ for {passengers}]",
            "purchase {travel_class} class seats at the {fare} fare on {train_id}[ for {passengers}]",
        ),
        reply=("You have a {fare} ticket for {train_number} to {destination} on {day} at {departs} for {price}.",),
        where=relations.BUYING,
    )
    def buy_ticket(
        self, train_id: rec.TrainId, fare: rec.Fare, travel_class: rec.TravelClass, passengers: rec.Passengers = 1
    ) -> rec.TrainTicket:
        """Buy a ticket for the signed-in passenger and, if wanted, company; a railcard is taken into account.

        Args:
            train_id: Train to travel on.
            fare: What the ticket shall allow.
            travel_class: Class of travel.
            passengers: How many travel.
        """
        train = self._running(train_id)
        rules.check_not_held(train, self._own(self.tickets))
        rules.check_sellable(train, fare, travel_class, passengers)
        self.trains.replace(train.with_seats(travel_class, -passengers))
        percent = self._percent(train)
        return self.tickets.insert(
            rules.new_ticket(self.new_id("TK"), self.passenger_id, train, fare, travel_class, passengers, percent)
        )

    @tool(
        ask=(
            "list my[ {status}] train tickets[ to {destination}]",
            "show me which[ {status}] train tickets I have[ to {destination}]",
            "pull up my[ {status}] train journeys[ to {destination}]",
            "go through my[ {status}] rail tickets[ for {destination}]",
        ),
        noun="[{status} ]train ticket of mine[ to {destination}]",
        reply=("Your tickets: {tickets}.", "You have no such ticket."),
        where=relations.LISTING,
    )
    def list_tickets(
        self, status: rec.TicketStatus | None = None, destination: rec.City | None = None, page: PageNumber = 1
    ) -> rec.TicketPage:
        """List the signed-in passenger's tickets, the earliest journey first.

        Args:
            status: Only tickets that stand like this.
            destination: Only tickets to this city.
            page: Page of the results, five tickets each.
        """
        found = [
            ticket
            for ticket in self._own(self.tickets)
            if status in (None, ticket.status) and destination in (None, ticket.destination)
        ]
        found.sort(key=lambda ticket: (ticket.day, ticket.departs, ticket.id))
        return rec.TicketPage.of(found, page)

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
        where=relations.LOOKING,
    )
    def get_ticket(self, ticket_id: rec.TicketId) -> rec.TrainTicket:
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
        where=relations.SEATING,
    )
    def reserve_seats(self, ticket_id: rec.TicketId, position: rec.Seat) -> rec.TrainTicket:
        """Reserve a seat for every passenger of a ticket; 4 dollars each in second class, free with a flex fare.

        Args:
            ticket_id: Ticket to reserve for.
            position: Where to sit.
        """
        ticket, train = self._ahead(ticket_id, "given seats")
        return self.tickets.replace(rules.seated(ticket, train, position, self.tickets.values()))

    @tool(
        ask=(
            "see which other trains I could take with {ticket_id} instead",
            "find other trains in place of the one on {ticket_id}",
            "check which trains I could switch to with {ticket_id}",
            "look for another connection in place of {ticket_id}",
        ),
        noun="other train for {ticket_id}",
        reply=("You could take {trains}.", "There is no other train with enough seats that day."),
        where=relations.COMPARING,
    )
    def list_alternatives(self, ticket_id: rec.TicketId, page: PageNumber = 1) -> rec.TrainPage:
        """List the other trains on a ticket's route and day that it can be changed to: with seats enough in its class.

        Args:
            ticket_id: Ticket that is to be changed.
            page: Page of the results, five trains each.
        """
        ticket, _ = self._flexible(ticket_id, "changed")
        others, mine = self._trains(ticket.origin, ticket.destination, ticket.day), self._own(self.tickets)
        found = [train for train in others if rules.could_take(ticket, train) and not rules.held(train, mine)]
        return rec.TrainPage.of(rules.in_order(found), page)

    @tool(
        writes=True,
        ask=(
            "swap {ticket_id} for a seat on {train_id}",
            "change {ticket_id} so that I take {train_id} instead",
            "put me on {train_id} instead, using {ticket_id}",
            "rebook {ticket_id} for {train_id}",
        ),
        reply=("You now take {train_number} at {departs}. The fee is {fee}; in all there is {to_pay} to pay.",),
        where=relations.CHANGING,
    )
    def change_train(self, ticket_id: rec.TicketId, train_id: rec.TrainId) -> rec.Change:
        """Change a ticket to another train on the same route, as far as its fare allows; reserved seats are lost.

        Args:
            ticket_id: Ticket to change.
            train_id: Train to take instead.
        """
        ticket, old = self._flexible(ticket_id, "changed")
        new = self._running(train_id)
        rules.check_swap(old, new)
        rules.check_not_held(new, self._own(self.tickets))
        rules.check_room(new, ticket.travel_class, ticket.passengers)
        self.trains.replace(old.with_seats(ticket.travel_class, ticket.passengers))
        self.trains.replace(new.with_seats(ticket.travel_class, -ticket.passengers))
        changed, change = rules.swapped(ticket, old, new, self._percent(new))
        self.tickets.replace(changed)
        return change

    @tool(
        writes=True,
        ask=(
            "upgrade {ticket_id} to first class",
            "move {ticket_id} up to first class",
            "put me in first class with {ticket_id}",
            "change {ticket_id} from second to first class",
        ),
        reply=("You travel first class on {train_number} now; the ticket costs {price} in all.",),
        where=relations.UPGRADING,
    )
    def upgrade_ticket(self, ticket_id: rec.TicketId) -> rec.TrainTicket:
        """Upgrade a ticket of any fare to first class for the difference in price; reserved seats are lost.

        Args:
            ticket_id: Ticket to upgrade.
        """
        ticket, train = self._ahead(ticket_id, "upgraded")
        rules.check_upgrade(ticket, train)
        self.trains.replace(train.with_seats("second", ticket.passengers).with_seats("first", -ticket.passengers))
        return self.tickets.replace(rules.upgraded(ticket, train, self._percent(train)))

    @tool(
        writes=True,
        ask=(
            "refund {ticket_id}",
            "give {ticket_id} back for a refund",
            "cancel {ticket_id}",
            "return {ticket_id} and have the price paid back",
        ),
        reply=("The ticket is given back. The fee is {fee}, and {refund} will be paid back.",),
        where=relations.REFUNDING,
    )
    def refund_ticket(self, ticket_id: rec.TicketId) -> rec.Refund:
        """Give a ticket back, as far as its fare allows; fees for seats and changes are not paid back.

        Args:
            ticket_id: Ticket to give back.
        """
        ticket, train = self._flexible(ticket_id, "refunded")
        self.trains.replace(train.with_seats(ticket.travel_class, ticket.passengers))
        self.tickets.replace(ticket.evolve(status="refunded", seats=()))
        return rules.refund_of(ticket, train)

    @tool(
        writes=True,
        ask=(
            "claim {payout} for the delay I had on {ticket_id}",
            "file a delay claim for {ticket_id}, to be paid in {payout}",
            "get me compensation in {payout} for the late train on {ticket_id}",
            "ask for {payout} because my train was late, for {ticket_id}",
        ),
        reply=("The claim is filed: {train_number} was {delay} late, so you get {amount}.",),
        where=relations.CLAIMING,
    )
    def claim_delay(self, ticket_id: rec.TicketId, payout: rec.Payout) -> rec.DelayClaim:
        """Claim compensation for a late arrival: a quarter of the price from one hour, half of it from two.

        Args:
            ticket_id: Ticket of the journey.
            payout: How it shall be paid; vouchers are worth a tenth more.
        """
        ticket = standing(self._mine(ticket_id), ("travelled",), "claimed for")
        train, today = self.trains.require(ticket.train_id), self.now.date()
        rules.check_claim(ticket, train, self.claims.values(), today)
        return self.claims.insert(rules.new_claim(self.new_id("DC"), ticket, train, payout, today))

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
    def list_claims(self, payout: rec.Payout | None = None, page: PageNumber = 1) -> rec.ClaimPage:
        """List the signed-in passenger's delay claims, the latest first.

        Args:
            payout: Only claims paid like this.
            page: Page of the results, five claims each.
        """
        found = [claim for claim in self._own(self.claims) if payout in (None, claim.payout)]
        found.sort(key=lambda claim: (claim.filed_on, claim.id), reverse=True)
        return rec.ClaimPage.of(found, page, paid=cents(sum(claim.amount for claim in found)))

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
    def buy_railcard(self, kind: rec.CardKind) -> rec.Railcard:
        """Buy a railcard for a year: a quarter off for 59 dollars, half for 199; a new one in the last month.

        Args:
            kind: What it shall take off the holder's fares.
        """
        rules.check_new_card(kind, self._own(self.railcards), self.now.date())
        return self.railcards.insert(rules.new_card(self.new_id("RC"), self.passenger_id, kind, self.now.date()))

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
    def list_railcards(self, page: PageNumber = 1) -> rec.CardPage:
        """List the signed-in passenger's railcards, the one that is good longest first.

        Args:
            page: Page of the results, five railcards each.
        """
        found = sorted(self._own(self.railcards), key=lambda card: (card.valid_until, card.id), reverse=True)
        return rec.CardPage.of(found, page)

    def _own(self, table: Table[R]) -> list[R]:
        return [row for row in table.values() if row.passenger_id == self.passenger_id]

    def _mine(self, ticket_id: str) -> rec.TrainTicket:
        return owned(self.tickets.require(ticket_id), "passenger_id", self.passenger_id)

    def _ahead(self, ticket_id: str, done: str) -> tuple[rec.TrainTicket, rec.Train]:
        """A booked ticket of one's own whose train has not left, or never will, and that train."""
        ticket = standing(self._mine(ticket_id), ("booked",), done)
        return ticket, rules.ahead(self.trains.require(ticket.train_id), done, self.now)

    def _flexible(self, ticket_id: str, done: str) -> tuple[rec.TrainTicket, rec.Train]:
        """Such a ticket whose fare allows what is to be done, and its train."""
        ticket, train = self._ahead(ticket_id, done)
        rules.check_flexible(ticket, train, done, self.now.date())
        return ticket, train

    def _running(self, train_id: str) -> rec.Train:
        return rules.running(self.trains.require(train_id), self.now)

    def _trains(self, origin: str, destination: str, day: dt.date) -> list[rec.Train]:
        """The trains between two cities on a day that have not yet left."""
        journey = (origin, destination, day)
        trains = [train for train in self.trains.values() if (train.origin, train.destination, train.day) == journey]
        return [train for train in trains if train.leaves_at > self.now]

    def _percent(self, train: rec.Train) -> int:
        """What the passenger's best railcard takes off on the day of a train."""
        return rules.percent_on(train.day, self._own(self.railcards))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """A busy route with two pages of trains, others, and the user's tickets in every condition."""
        return cls.model_validate(railway(world, size))
