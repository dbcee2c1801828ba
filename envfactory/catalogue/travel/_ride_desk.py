"""What a rider can reach at one moment: their own rides, promotions and places, and how a ride is kept that changed."""

import datetime as dt
from typing import NamedTuple

from envfactory.catalogue.travel import _ride_fares as fares
from envfactory.catalogue.travel import _ride_rules as rules
from envfactory.catalogue.travel._ride_records import (
    Car,
    ChargeCredit,
    CheaperRide,
    Ground,
    LostReport,
    MovedRide,
    PromotionStatus,
    Ride,
    RideContact,
    RideDetails,
    RidePlace,
    RidePromotion,
    SavedAs,
    SettledCharge,
    Stop,
)
from envfactory.environment import Table, ToolError, cents, owned, said


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
        """A ride with what can still be done with it, the promotions that it could have, and what the rider owes."""
        ahead, over, day = ride.status == "booked", ride.status == "completed", ride.pickup_at.date()
        rate_until, report_until = (day + dt.timedelta(days=days) for days in (rules.AFTER_DAYS, rules.REPORT_DAYS))
        today = self.now.date()
        held = [each for each in self.open_promotions() if today <= each.valid_until]
        if ahead:
            held = [each for each in held if not fares.obstacle(each, ride)]
        return RideDetails(
            ride=ride, pickup=ride.pickup, dropoff=ride.dropoff, pickup_at=ride.pickup_at, status=ride.status,
            total=ride.total, change_until=ride.fees_from - rules.CHANGE if ahead else None,
            free_until=rules.free_until(ride) if ahead else None,
            cancel_fee=None if over else rules.cancel_fee(ride, self.now) if ahead else ride.cancel_fee,
            report_until=report_until if over and today <= report_until else None,
            rate_until=rate_until if over and today <= rate_until else None,
            promotions=tuple(held), owed_in_all=rules.owes(self.mine()),
            booking_blocked=rules.is_blocked(self.mine(), today),
        )  # fmt: skip

    def open_promotions(self) -> list[RidePromotion]:
        """The rider's promotions that are on no ride, the one that ends first on top."""
        found = [each for each in self.promotions.values() if (each.rider_id, each.status) == (self.rider_id, "open")]
        return sorted(found, key=lambda each: (each.valid_until, each.id))

    # -- rides as they are kept

    def new_ride(self, ride_id: str, pickup_id: str, dropoff_id: str, at: dt.datetime, car: Car) -> Ride:
        """A ride for one without luggage that has no price yet; refused to who has to pay first."""
        rules.check_account(self.mine(), self.now.date())
        pickup, dropoff = self.place(pickup_id), self.place(dropoff_id)
        return Ride(
            id=ride_id, rider_id=self.rider_id, city=pickup.city, pickup_id=pickup.id, pickup=pickup.name,
            dropoff_id=dropoff.id, dropoff=dropoff.name, pickup_at=at, ends_at=at, booked_at=self.now, fees_from=at,
            car=car, km=0.0, surge=1.0, fare=0.0, total=0.0,
        )  # fmt: skip

    def timed(self, ride: Ride) -> Ride:
        """A booked ride with another car or time than before, refused where there is no such car then."""
        rules.check_car(ride)
        rules.check_time(ride.car, ride.pickup_at, self.now)
        return self.settled(ride)

    def settled(self, ride: Ride) -> Ride:
        """A booked ride as it follows from what was chosen, refused where it cannot be had."""
        stops = (ride.pickup_id, *(stop.place_id for stop in ride.stops), ride.dropoff_id)
        promotion = self.promotions.require(ride.promotion_id) if ride.promotion_id else None
        route = [self.places.require(each) for each in stops]
        new = fares.priced(ride, route, promotion)
        rules.check_free(new, self.mine())
        public = (each for each in self.listed_places(ride.city) if not each.saved_by)
        return new.evolve(on_the_way=fares.on_the_way(route, public))

    def with_stop(self, ride: Ride, name: str) -> Ride:
        """A booked ride with one more stop, at a place of its city that the rider can name."""
        place = next((each for each in self.listed_places(ride.city) if each.name == name), None)
        if place is None:
            words = f"{name} is no place in {ride.city}, where the ride is; choose another place (find_places)."
            raise ToolError("not_found", words)
        if place.id in (ride.pickup_id, ride.dropoff_id):
            raise ToolError("conflict", f"The ride begins or ends at {name}; choose a place on the way.")
        if any(place.id == stop.place_id for stop in ride.stops):
            raise ToolError("conflict", f"The ride stops at {name} already; choose another place.")
        return self.settled(ride.evolve(stops=(*ride.stops, Stop(place_id=place.id, name=place.name))))

    def with_promotion(self, ride: Ride, promotion_id: str) -> Ride:
        """A booked ride with another promotion than before, which is free again."""
        promotion = owned(self.promotions.require(promotion_id), "rider_id", self.rider_id)
        if promotion.status != "open":
            words = f"The promotion {promotion.name} is {said(promotion.status)}; take one that is open"
            raise ToolError("conflict", f"{words} (get_ride shows those that hold).")
        new = self.settled(ride.evolve(promotion_id=promotion.id))
        self.free_promotion(ride, "open")
        self.promotions.replace(promotion.evolve(status="on_a_ride"))
        return new

    def free_promotion(self, ride: Ride, status: PromotionStatus) -> None:
        """Let the promotion of a ride, if it has one, stand like this."""
        if ride.promotion_id:
            self.promotions.replace(self.promotions.require(ride.promotion_id).evolve(status=status))

    # -- what is told of it

    def moved(self, old: Ride, new: Ride) -> MovedRide:
        """A ride that was moved."""
        free = rules.free_until(new)
        return MovedRide(
            ride_id=new.id, dropoff=new.dropoff, moved_from=old.pickup_at, pickup_at=new.pickup_at,
            ends_at=new.ends_at, free_until=free if self.now <= free else None, total=new.total,
        )  # fmt: skip

    def cheaper(self, old: Ride, new: Ride, promotion_id: str) -> CheaperRide:
        """A ride on which a promotion was put."""
        return CheaperRide(
            ride_id=new.id, dropoff=new.dropoff, promotion=self.promotions.require(promotion_id).name,
            discount=new.discount, total=new.total, freed=old.promotion,
        )  # fmt: skip

    def lost(self, ride: Ride) -> LostReport:
        """What the driver of a ride is looking for."""
        last = ride.pickup_at.date() + dt.timedelta(days=rules.REPORT_DAYS)
        return LostReport(ride_id=ride.id, driver=ride.driver, left_behind=ride.left_behind, report_until=last)

    def credit(self, old: Ride, new: Ride, reason: Ground) -> ChargeCredit:
        """What a disputed charge brought."""
        return ChargeCredit(
            ride_id=new.id, dropoff=new.dropoff, reason=reason, credit=new.credit,
            paid_back=cents(new.credit - (old.owed - new.owed)), owed=new.owed, pay_by=new.pay_by,
            booking_blocked=rules.is_blocked(self.mine(), self.now.date()),
        )  # fmt: skip

    def settlement(self, ride: Ride) -> SettledCharge:
        """What was paid for a ride that was unpaid."""
        unpaid = [each for each in self.mine() if each.payment == "unpaid"]
        return SettledCharge(ride_id=ride.id, paid=ride.owed, owed_in_all=rules.owes(unpaid), unpaid_rides=len(unpaid))

    # -- saved places

    def named(self, place: RidePlace, saved_as: SavedAs) -> RidePlace:
        """A place under a name of the rider's own."""
        name = said(saved_as)
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

    def renamed(self, place: RidePlace) -> RidePlace:
        """Keep a saved place under its new name, which its booked rides take over; receipts of past ones stay."""
        for ride in self.mine():
            if ride.status == "booked":
                self.rides.replace(rules.through(ride, place))
        return self.places.replace(place)
