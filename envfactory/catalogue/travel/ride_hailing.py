"""A rider's app: estimate fares, book rides ahead, change, share or cancel them, and see to what follows a ride.

Prices are fixed on booking and reckoned anew whenever route, time, car or promotion change. Cancellation fees are
counted from the pick-up time, or from an earlier one if a ride was put off in its last day.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.travel import _ride_fares as fares
from envfactory.catalogue.travel import _ride_records as rec
from envfactory.catalogue.travel import _ride_relations as relations
from envfactory.catalogue.travel import _ride_rules as rules
from envfactory.catalogue.travel._ride_desk import Desk
from envfactory.catalogue.travel._ride_scenario import city_rides
from envfactory.environment import Environment, PageNumber, Table, World, tool


class RideHailing(Environment):
    """Estimate and book rides ahead in a city, change, share or cancel them, and tip, dispute or pay past ones."""

    domain = "travel"
    policy = rules.POLICY
    sources = (
        "Uber Riders API v1.2, Products, Price Estimates, Ride Requests, Receipts and Places",
        "Uber Third-Party Demand Rides API, Estimates, Order Modification and Cancellation, Receipts",
        "Lyft API, Ride Types, Cost Estimates, Rides, Cancellation Cost, Rating and Tip, Receipts",
        "Uber and Bolt help pages, rides booked ahead, split fares, waiting fees, lost items, unpaid charges",
    )

    rider_id: rec.RiderId
    """Rider whose session this is."""
    riders: Table[rec.Rider]
    contacts: Table[rec.RideContact]
    places: Table[rec.RidePlace]
    rides: Table[rec.Ride]
    promotions: Table[rec.RidePromotion]

    @tool(
        ask=(
            "find places in {city} to be picked up[, any {kind}]",
            "show me where rides can begin in {city}[, at any {kind}]",
            "look up places in {city}[, any {kind}]",
            "see which places the app knows in {city}[, every {kind}]",
        ),
        noun="place in {city}[ ({kind})]",
        reply=("I found {places}.", "There is no such place."),
    )
    def find_places(self, city: rec.City, kind: rec.PlaceKind | None = None, page: PageNumber = 1) -> rec.PlacePage:
        """Find places of a city where rides begin, end or stop, by name; saved places are the signed-in rider's own.

        Args:
            city: City to look in.
            kind: Only places of this kind.
            page: Page of the results, five places each.
        """
        found = [each for each in self._desk.listed_places(city) if kind in (None, each.kind)]
        return rec.PlacePage.of(found, page)

    @tool(
        ask=(
            "check fares from {pickup_id} to {dropoff_id} on {pickup_at}" + relations.PARTY,
            "estimate the cost from {pickup_id} to {dropoff_id} for {pickup_at}" + relations.PARTY,
            "compare cars from {pickup_id} to {dropoff_id} on {pickup_at}" + relations.PARTY,
            "get prices from {pickup_id} to {dropoff_id} on {pickup_at}" + relations.PARTY,
        ),
        noun="car from {pickup_id} to {dropoff_id} on {pickup_at}" + relations.PARTY,
        reply=("It takes {minutes}, and there is {quotes}.", "There is no such car at that time."),
        where=relations.ROUTE,
    )
    def estimate_fares(
        self, pickup_id: rec.PlaceId, dropoff_id: rec.PlaceId, pickup_at: rec.PickUpAt,
        passengers: rec.Passengers = 1, bags: rec.Bags = 0, child_seat: bool = False, page: PageNumber = 1,
    ) -> rec.QuotePage:  # fmt: skip
        """Estimate what a ride costs with each kind of car that can still be booked, the cheapest first.

        Args:
            pickup_id: Place where it begins.
            dropoff_id: Place in the same city where it ends.
            pickup_at: When it begins; prices are higher in busy hours.
            passengers: How many people ride.
            bags: How many large pieces of luggage come along.
            child_seat: Whether a child seat is needed, for 5 dollars.
            page: Page of the results, five kinds of car each.
        """
        fares.check_route(route := (self._desk.place(pickup_id), self._desk.place(dropoff_id)))
        rules.check_horizon(pickup_at, self.now)
        found = fares.quotes(pickup_at, self.now, route, passengers, bags, child_seat=child_seat)
        km, minutes = fares.length(route), fares.minutes(route)
        return rec.QuotePage.of(found, page, km=km, minutes=minutes, surge=fares.surge("standard_car", pickup_at))

    @tool(
        writes=True,
        ask=(
            "book a {car} from {pickup_id} to {dropoff_id} for {pickup_at}" + relations.PARTY,
            "order a {car} from {pickup_id} to {dropoff_id} on {pickup_at}" + relations.PARTY,
            "get me a {car} from {pickup_id} to {dropoff_id} on {pickup_at}" + relations.PARTY,
            "reserve a {car} from {pickup_id} to {dropoff_id} on {pickup_at}" + relations.PARTY,
        ),
        reply=("A {car} takes you from {pickup} to {dropoff} on {pickup_at}, for {total}.",),
        where=relations.ROUTE,
    )
    def book_ride(
        self, pickup_id: rec.PlaceId, dropoff_id: rec.PlaceId, pickup_at: rec.PickUpAt, car: rec.Car,
        passengers: rec.Passengers = 1, bags: rec.Bags = 0, child_seat: bool = False,
    ) -> rec.Ride:  # fmt: skip
        """Book a ride ahead at the price of today; it is charged after the ride.

        Args:
            pickup_id: Place where it begins.
            dropoff_id: Place in the same city where it ends.
            pickup_at: When it begins, within 30 days.
            car: Kind of car that holds everybody.
            passengers: How many people ride.
            bags: How many large pieces of luggage come along.
            child_seat: Whether the car has to bring a child seat, for 5 dollars.
        """
        bare = (desk := self._desk).new_ride(self.new_id("RD"), pickup_id, dropoff_id, pickup_at, car)
        return self.rides.insert(desk.timed(bare.evolve(passengers=passengers, bags=bags, child_seat=child_seat)))

    @tool(
        ask=(
            "list my booked rides[ in {city}][ up to {until}]",
            "show me the rides that I have ahead[ in {city}][ until {until}]",
            "see which rides are booked for me[ in {city}][ by {until}]",
            "go through my upcoming rides[ in {city}][, {until} at the latest]",
        ),
        noun="booked ride of mine[ in {city}][ up to {until}]",
        reply=("You have booked {rides}.", "No such ride is booked."),
        where=relations.AHEAD,
    )
    def find_booked_rides(
        self, city: rec.City | None = None, until: dt.date | None = None, page: PageNumber = 1
    ) -> rec.RidePage:
        """Find what is booked for the signed-in rider in the days to come, the next on top.

        Args:
            city: Only rides in this city.
            until: Only rides that begin on this day or before.
            page: Page of the results, five rides each.
        """
        found = [each for each in self._desk.mine() if each.status == "booked" and city in (None, each.city)]
        found = [each for each in found if until is None or each.pickup_at.date() <= until]
        return rec.RidePage.of(sorted(found, key=rules.in_time), page)

    @tool(
        ask=(
            "list my past rides[ in {city}][unpaid? that I still have to pay]",
            "show me my ride history[ in {city}][unpaid?, the unpaid rides alone]",
            "look through the rides that I took or called off[ in {city}][unpaid? and have not paid]",
            "see which rides of mine are over[ in {city}][unpaid? but not paid yet]",
        ),
        noun="past ride of mine[ in {city}][unpaid? that is not paid yet]",
        reply=("These you took or cancelled: {rides}.", "You have no such ride behind you."),
    )
    def find_past_rides(self, city: rec.City | None = None, unpaid: bool = False, page: PageNumber = 1) -> rec.RidePage:
        """Look back at completed and cancelled rides of the signed-in rider: unpaid ones first, then the latest.

        Args:
            city: Only rides in this city.
            unpaid: Only rides for which something is still owed.
            page: Page of the results, five rides each.
        """
        over = [each for each in self._desk.mine() if each.status != "booked" and city in (None, each.city)]
        found = sorted((each for each in over if not unpaid or each.owed), key=rules.in_time, reverse=True)
        found.sort(key=lambda ride: not ride.owed)
        return rec.RidePage.of(found, page)

    @tool(
        ask=(
            "show me the receipt and details of {ride_id}",
            "check what {ride_id} costs and what I can still do about it",
            "tell me how {ride_id} stands",
            "look up {ride_id} with all its charges",
        ),
        reply=(
            "It costs {total}; changes until {change_until}; cancelling costs {cancel_fee}[; offers: {promotions}].",
            "It is {status}, which cost {cancel_fee}; you owe {owed_in_all} in all[; offers: {promotions}].",
            "You took it for {total}[; rate it by {rate_until}]; you owe {owed_in_all} in all[; offers: {promotions}].",
        ),
        where=relations.LOOKING,
    )
    def get_ride(self, ride_id: rec.RideId) -> rec.RideDetails:
        """Get one of the signed-in rider's rides: its charges, what can still be done, what is owed, and promotions.

        Args:
            ride_id: Ride to look at.
        """
        return self._desk.details(self._desk.ride(ride_id))

    @tool(
        writes=True,
        ask=(
            "add a stop at {place} to {ride_id}",
            "have {ride_id} stop at {place}",
            "put {place} on the way of {ride_id}",
            "make {ride_id} go by {place}",
        ),
        reply=("The ride now stops at {stops} and costs {total}.",),
        where=relations.STOPPING,
    )
    def add_stop(self, ride_id: rec.RideId, place: rec.PlaceName) -> rec.Ride:
        """Add a stop to a booked ride, after those that it has; the price follows from the longer route.

        Args:
            ride_id: Ride with fewer than 3 stops.
            place: Name of a place in the same city, whether on_the_way or not.
        """
        return self.rides.replace((desk := self._desk).with_stop(desk.changeable(ride_id, "given a stop"), place))

    @tool(
        writes=True,
        ask=(
            "remove the stop at {stop} from {ride_id}",
            "leave out {stop} on {ride_id}",
            "take {stop} off {ride_id}",
            "skip {stop} on {ride_id}",
        ),
        reply=(
            "The ride now stops only at {stops} and costs {total}.",
            "The ride goes straight to {dropoff} now and costs {total}.",
        ),
        where=relations.SKIPPING,
    )
    def remove_stop(self, ride_id: rec.RideId, stop: rec.StopName) -> rec.Ride:
        """Remove a stop of a booked ride; the price follows from the shorter route.

        Args:
            ride_id: Ride with this stop.
            stop: Name of the place where it should not stop any more.
        """
        ride = (desk := self._desk).changeable(ride_id, "spared a stop")
        return self.rides.replace(desk.settled(rules.without_stop(ride, stop)))

    @tool(
        writes=True,
        ask=(
            "move {ride_id} to {pickup_at}",
            "reschedule {ride_id} for {pickup_at}",
            "change the pick-up time of {ride_id} to {pickup_at}",
            "let {ride_id} begin on {pickup_at} instead",
        ),
        reply=("The ride to {dropoff} begins on {pickup_at} now, for {total}[; cancel it free until {free_until}].",),
        where=relations.MOVING,
    )
    def move_ride(self, ride_id: rec.RideId, pickup_at: rec.PickUpAt) -> rec.MovedRide:
        """Move a booked ride to another time, at the price of that hour.

        Args:
            ride_id: Ride to move.
            pickup_at: When it begins instead, within 30 days.
        """
        old = (desk := self._desk).changeable(ride_id, "moved")
        return desk.moved(old, self.rides.replace(desk.timed(rules.moved(old, pickup_at, self.now))))

    @tool(
        writes=True,
        ask=(
            "switch {ride_id} to a {car}",
            "have a {car} come for {ride_id}",
            "change the car of {ride_id} to a {car}",
            "take a {car} for {ride_id} instead",
        ),
        reply=("A {car} comes for the ride to {dropoff}, which costs {total} now.",),
        where=relations.SWITCHING,
    )
    def change_car(self, ride_id: rec.RideId, car: rec.Car) -> rec.Ride:
        """Change the kind of car of a booked ride, to a better or a cheaper one, at its price.

        Args:
            ride_id: Ride to change.
            car: Kind of car that holds everybody.
        """
        ride = (desk := self._desk).changeable(ride_id, "given another car")
        return self.rides.replace(desk.timed(rules.switched(ride, car)))

    @tool(
        writes=True,
        ask=(
            "use {promotion_id} for {ride_id}",
            "apply {promotion_id} to {ride_id}",
            "make {ride_id} cheaper with {promotion_id}",
            "redeem {promotion_id} on {ride_id}",
        ),
        reply=("{promotion} takes off {discount}: the ride to {dropoff} costs {total}[; {freed} is open again].",),
        where=relations.APPLYING,
    )
    def apply_promotion(self, ride_id: rec.RideId, promotion_id: rec.PromotionId) -> rec.CheaperRide:
        """Put a promotion on a booked ride; one that is on it already is free again.

        Args:
            ride_id: Ride to make cheaper.
            promotion_id: Open promotion that holds for the ride.
        """
        old = (desk := self._desk).changeable(ride_id, "given a promotion")
        return desk.cheaper(old, self.rides.replace(desk.with_promotion(old, promotion_id)), promotion_id)

    @tool(
        writes=True,
        ask=(
            "split the fare of {ride_id} with {contact}",
            "share the cost of {ride_id} with {contact}",
            "have {contact} pay a share of {ride_id}",
            "let {contact} chip in for {ride_id}",
        ),
        reply=("The ride is shared with {split_with}; your share is {total}.",),
        where=relations.SHARING,
    )
    def split_fare(self, ride_id: rec.RideId, contact: rec.ContactName) -> rec.Ride:
        """Share the price of a booked ride in equal parts with one more contact, which is final.

        Args:
            ride_id: Ride to share.
            contact: Full name of a contact who has an account.
        """
        ride = (desk := self._desk).changeable(ride_id, "shared")
        return self.rides.replace(rules.shared(ride, contact, desk.sharers()))

    @tool(
        writes=True,
        ask=("cancel {ride_id}", "call off {ride_id}", "scrap {ride_id}", "tell the app that {ride_id} is off"),
        reply=("The ride to {dropoff} is cancelled[; {owed} is owed for it by {pay_by}].",),
        where=relations.CANCELLING,
    )
    def cancel_ride(self, ride_id: rec.RideId) -> rec.Ride:
        """Cancel a booked ride for good; a promotion on it is free again unless there is a fee.

        Args:
            ride_id: Ride to cancel.
        """
        gone = rules.cancelled(ride := self._desk.ride(ride_id), self.now)
        self._desk.free_promotion(ride, "used" if gone.cancel_fee else "open")
        return self.rides.replace(gone)

    @tool(
        writes=True,
        ask=(
            "rate the driver of {ride_id} with {stars}[ and tip {tip}]",
            "give the driver of {ride_id} {stars}[ and a tip of {tip}]",
            "leave {stars} for {ride_id}[ with a tip of {tip}]",
            "score {ride_id} with {stars}[, tipping {tip}]",
        ),
        reply=("{driver} has your rating of {stars}[ and a tip of {tip}].",),
        where=relations.RATING,
    )
    def rate_ride(self, ride_id: rec.RideId, stars: rec.Stars, tip: rec.Tip | None = None) -> rec.Ride:
        """Rate a ride up to 30 days after it, anew if wanted, and tip the driver once.

        Args:
            ride_id: Completed ride.
            stars: Stars for the driver, 5 for the best.
            tip: Tip in US dollars, up to the price of the ride.
        """
        return self.rides.replace(rules.rated(self._desk.ride(ride_id), stars, tip, self.now))

    @tool(
        writes=True,
        ask=(
            "report that I left my {item} in the car on {ride_id}",
            "tell the driver of {ride_id} that my {item} is still in the car",
            "file my {item} as lost on {ride_id}",
            "ask the driver of {ride_id} for the {item} that I forgot",
        ),
        reply=("{driver} was told to look for your {item}.",),
        where=relations.REPORTING,
    )
    def report_left_behind(self, ride_id: rec.RideId, item: rec.Item) -> rec.LostReport:
        """Report something that was left in the car, up to 14 days after the ride.

        Args:
            ride_id: Completed ride.
            item: What was left.
        """
        return self._desk.lost(self.rides.replace(rules.reported(self._desk.ride(ride_id), item, self.now)))

    @tool(
        writes=True,
        ask=(
            "dispute the charge for {ride_id} because of the {reason}",
            "claim money back for the {reason} on {ride_id}",
            "contest what I was charged for {ride_id}, the reason is the {reason}",
            "complain about the {reason} on {ride_id} and get me a credit",
        ),
        reply=("You get {credit} back for the ride to {dropoff}[; {owed} is still to be paid by {pay_by}].",),
        where=relations.DISPUTING,
    )
    def dispute_charge(self, ride_id: rec.RideId, reason: rec.Ground) -> rec.ChargeCredit:
        """Dispute a charge once, up to 30 days after the ride; what is given back follows from what happened.

        Args:
            ride_id: Completed ride.
            reason: wrong_route (over a fifth longer than planned) or waiting_time (charged although the car was late).
        """
        new = rules.credited(old := self._desk.ride(ride_id), reason, self.now)
        return self._desk.credit(old, self.rides.replace(new), reason)

    @tool(
        writes=True,
        ask=(
            "pay what I owe for {ride_id}",
            "settle {ride_id}",
            "clear the unpaid charge for {ride_id}",
            "pay off {ride_id}",
        ),
        reply=("{paid} is paid; you owe {owed_in_all} for other rides.",),
        where=relations.PAYING,
    )
    def pay_ride(self, ride_id: rec.RideId) -> rec.SettledCharge:
        """Pay all that is still owed for a ride.

        Args:
            ride_id: Ride that is unpaid.
        """
        unpaid = rules.check_unpaid(self._desk.ride(ride_id))
        self.rides.replace(rules.paid(unpaid))
        return self._desk.settlement(unpaid)

    @tool(
        writes=True,
        ask=(
            "save {place_id} as {saved_as}",
            "remember {place_id} as {saved_as}",
            "store {place_id} under the name {saved_as}",
            "let {place_id} be called {saved_as} from now on",
        ),
        reply=("{address} in {city} is saved as {saved_as}.",),
        where=relations.SAVING,
    )
    def save_place(self, place_id: rec.PlaceId, saved_as: rec.SavedAs) -> rec.RidePlace:
        """Save a place under a name of the rider's own, or give a saved place another name, in booked rides too.

        Args:
            place_id: Place to save, or saved place to rename.
            saved_as: Name that no saved place of the rider has.
        """
        new = self._desk.named(place := self._desk.place(place_id), saved_as)
        return self._desk.renamed(new) if place.saved_by else self.places.insert(new.evolve(id=self.new_id("PL")))

    @property
    def _desk(self) -> Desk:
        """What the rider can reach now."""
        return Desk(self.rider_id, self.now, self.contacts, self.places, self.rides, self.promotions)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Places of several cities, and rides in every condition: ahead, past, cancelled, disputable, unpaid."""
        return cls.model_validate(city_rides(world, size))
