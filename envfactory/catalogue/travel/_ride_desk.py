"""What a rider can reach at one moment: their own rides, promotions and places, and how a ride is kept that changed."""

import datetime as dt
from typing import NamedTuple

from envfactory.catalogue.travel import _ride_rules as rules
from envfactory.catalogue.travel._ride_records import (
    PromotionStatus,
    Ride,
    RideContact,
    RideDetails,
    RidePlace,
    RidePromotion,
    SavedAs,
    Stop,
)
from envfactory.environment import Table, ToolError, owned


class Desk(NamedTuple):
    """A rider at a moment, and the tables."""

    rider_id: str
    now: dt.datetime
    contacts: Table[RideContact]
    places: Table[RidePlace]
    rides: Table[Ride]
    promotions: Table[RidePromotion]

    def mine(self) -> list[Ride]:
        """The rider's rides."""
        return [ride for ride in self.rides.values() if ride.rider_id == self.rider_id]

    def ride(self, ride_id: str) -> Ride:
        """A ride of the rider's."""
        return owned(self.rides.require(ride_id), "rider_id", self.rider_id)

    def changeable(self, ride_id: str, done: str) -> Ride:
        """A ride of the rider's that can still be changed."""
        rules.check_changeable(ride := self.ride(ride_id), self.now, done)
        return ride

    def place(self, place_id: str) -> RidePlace:
        """A place that is there for everybody, or that the rider saved."""
        place = self.places.require(place_id)
        return owned(place, "saved_by", self.rider_id) if place.saved_by else place

    def listed_places(self, city: str) -> list[RidePlace]:
        """What the rider finds in a city, by name."""
        found = [each for each in self.places.values() if each.city == city and each.saved_by in (None, self.rider_id)]
        return sorted(found, key=lambda place: (place.name, place.id))

    def sharers(self) -> list[RideContact]:
        """The rider's contacts."""
        return [each for each in self.contacts.values() if each.rider_id == self.rider_id]

    def details(self, ride: Ride) -> RideDetails:
        """A ride with what can still be done with it, and the promotions that it could have, by their last day."""
        mine = [each for each in self.promotions.values() if each.rider_id == self.rider_id]
        mine.sort(key=lambda each: (each.valid_until, each.id))
        return rules.details(ride, self.mine(), mine, self.now)

    # -- rides as they are kept

    def timed(self, ride: Ride) -> Ride:
        """A booked ride with another car or time than before, refused where there is no such car then."""
        rules.check_car(ride)
        rules.check_time(ride.car, ride.pickup_at, self.now)
        return self.settled(ride)

    def settled(self, ride: Ride) -> Ride:
        """A booked ride as it follows from what was chosen, refused where it cannot be had."""
        stops = (ride.pickup_id, *(stop.place_id for stop in ride.stops), ride.dropoff_id)
        promotion = self.promotions.require(ride.promotion_id) if ride.promotion_id else None
        new = rules.priced(ride, [self.places.require(each) for each in stops], promotion)
        rules.check_free(new, self.mine())
        return new

    def with_stop(self, ride: Ride, place: RidePlace) -> Ride:
        """A booked ride with one more stop."""
        if place.id in [stop.place_id for stop in ride.stops]:
            raise ToolError("conflict", f"The ride stops at {place.name} already; choose another place.")
        return self.settled(ride.evolve(stops=(*ride.stops, Stop(place_id=place.id, name=place.name))))

    def with_promotion(self, ride: Ride, promotion_id: str) -> Ride:
        """A booked ride with another promotion than before, which is free again."""
        promotion = owned(self.promotions.require(promotion_id), "rider_id", self.rider_id)
        if promotion.status != "open":
            words = f"The promotion {promotion.name} is {rules.said(promotion.status)}; take one that is open"
            raise ToolError("conflict", f"{words} (get_ride shows those that hold).")
        new = self.settled(ride.evolve(promotion_id=promotion.id))
        self.free_promotion(ride, "open")
        self.promotions.replace(promotion.evolve(status="on_a_ride"))
        return new

    def free_promotion(self, ride: Ride, status: PromotionStatus) -> None:
        """Let the promotion of a ride, if it has one, stand like this."""
        if ride.promotion_id:
            self.promotions.replace(self.promotions.require(ride.promotion_id).evolve(status=status))

    # -- saved places

    def named(self, place: RidePlace, saved_as: SavedAs) -> RidePlace:
        """A place under a name of the rider's own."""
        name = rules.said(saved_as)
        for other in self.places.values():
            if other.saved_by != self.rider_id:
                continue
            if other.saved_as == saved_as:
                words = f"{other.address} in {other.city} is saved as {name}; rename that place first."
                raise ToolError("conflict", words)
            if place.saved_by is None and (place.city, place.address) == (other.city, other.address):
                words = f"{place.name} is saved as {other.name} already; rename that saved place instead."
                raise ToolError("conflict", words)
        return place.evolve(name=name, saved_as=saved_as, kind="saved_place", saved_by=self.rider_id)
