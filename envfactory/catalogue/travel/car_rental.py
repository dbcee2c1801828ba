"""A car rental: find stations and free cars, rent, add to a rental, keep it longer, give it back elsewhere.

A rental is priced anew whenever something about it changes: days, protection, extras, drivers, fees. A car needs a day
at its station between two rentals, and every driver has to be old enough for it.
"""

import datetime as dt
from typing import Literal, Self

from envfactory.catalogue.travel import _car_records as rec
from envfactory.catalogue.travel import _car_relations as relations
from envfactory.catalogue.travel import _car_rules as rules
from envfactory.catalogue.travel._car_scenario import fleet
from envfactory.environment import Environment, PageNumber, Table, World, owned, standing, tool


class CarRental(Environment):
    """Find stations and cars, and look after a renter's own car rentals with their extras, drivers and damages."""

    domain = "travel"
    policy = """Cars are rented up to a year ahead, for up to 60 days; a week costs 10 percent less, four weeks 25.
    They go out again on the day after they came back, and some stations are closed on Sundays. Every car has a least
    age, and drivers under 25 cost 15 dollars a day. Paying in advance makes the car 10 percent cheaper, but cancelling
    keeps 25 dollars, in the last two days half the price if that is more; other rentals are cancelled free of charge
    until the day before pick-up. Extras and protection can be chosen, and extras and drivers taken off, until pick-up.
    Giving a car back at another station costs 30 dollars in the same city and 120 elsewhere; large cars go back to
    where they came from. Rentals can be extended but not shortened; a car kept too long can be extended for 25 dollars
    more. Up to three further drivers cost 9 dollars a day each; they and extras are charged for ten days at most. Of a
    damage the renter pays up to 1200 dollars with basic, 400 with medium and nothing with full protection; tyres and
    windscreens are covered by full protection only. Never rent a car without knowing both days."""
    sources = (
        "OpenTravel Alliance messages, OTA_VehAvailRate, OTA_VehRes, OTA_VehModify and OTA_VehCancel",
        "Booking.com Demand API 3.1, Cars",
        "Sabre Dev Studio, Vehicle Availability, Rates and Extras",
        "CarTrawler Ground Transport API, Insurance and One-Way Fees",
    )

    renter_id: rec.RenterId
    """Renter whose session this is."""
    renters: Table[rec.Renter]
    stations: Table[rec.RentalStation]
    cars: Table[rec.RentalCar]
    extras: Table[rec.CarExtra]
    rentals: Table[rec.CarHire]

    @tool(
        ask=(
            "find[airport? airport] car rental stations in {city}[one_way? that take cars from elsewhere]",
            "see which[airport? airport] stations rent out cars in {city}[one_way? and take cars from elsewhere]",
            "look for[airport? airport] stations with rental cars in {city}[one_way? that take cars from elsewhere]",
            "show me the[airport? airport] rental stations of {city}[one_way? that take back cars from elsewhere]",
        ),
        noun="[airport? airport ]rental station in {city}[one_way? that takes cars from elsewhere]",
        reply=("I found {stations}.", "There is no such station in {city}."),
    )
    def find_stations(
        self, city: rec.City, airport: bool = False, one_way: bool = False, page: PageNumber = 1
    ) -> rec.StationPage:
        """Find the rental stations of a city, by name.

        Args:
            city: City to look in.
            airport: Only stations at an airport.
            one_way: Only stations that take cars back that were picked up elsewhere.
            page: Page of the results, five stations each.
        """
        found = [
            station
            for station in self.stations.values()
            if station.city == city and (station.airport or not airport) and (station.one_way or not one_way)
        ]
        found.sort(key=lambda station: station.name)
        return rec.StationPage.of(found, page)

    @tool(
        ask=(
            "find me[automatic? automatic][ {category}] cars at {station_id} from {pick_up} to {return_on}",
            "see which[automatic? automatic][ {category}] cars {station_id} has from {pick_up} to {return_on}",
            "look for[automatic? automatic][ {category}] cars at {station_id} for {pick_up} to {return_on}",
            "list[automatic? automatic][ {category}] cars of {station_id} for {pick_up} to {return_on}[, by {sort}]",
        ),
        noun="[automatic? automatic ][{category} ]car at {station_id} from {pick_up} to {return_on}",
        reply=("You could have {cars}.", "There is no such car left at that station."),
        where=relations.RENTING,
    )
    def search_cars(
        self,
        station_id: rec.StationId,
        pick_up: rec.PickUp,
        return_on: rec.ReturnDay,
        category: rec.Category | None = None,
        automatic: bool = False,
        sort: Literal["price", "seats"] = "price",
        page: PageNumber = 1,
    ) -> rec.OfferPage:
        """Search the cars of a station that are free and that the signed-in renter is old enough for.

        Args:
            station_id: Station to pick a car up at.
            pick_up: Day of pick-up.
            return_on: Day on which the car comes back.
            category: Only cars of this kind.
            automatic: Only cars without gear shift.
            sort: Order: lowest price first, or most seats first.
            page: Page of the results, five cars each.
        """
        station, renter = self.stations.require(station_id), self.renters.require(self.renter_id)
        rules.check_days(station, pick_up, return_on, self.now.date())
        found = [
            rules.offer(car, station, renter, (return_on - pick_up).days, left)
            for car in self.cars.values()
            if car.station_id == station.id
            and rules.suits(car, renter, category, automatic=automatic)
            and (left := self._left(car, pick_up, return_on)) > 0
        ]
        found.sort(key=lambda car: (car.total if sort == "price" else -car.seats, car.model))
        return rec.OfferPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "rent {car_id} from {pick_up} to {return_on}[ with {protection} protection][prepaid?, paid in advance]",
            "book {car_id} for {pick_up} to {return_on}[, {protection} protection][prepaid?, and pay in advance]",
            "reserve {car_id}, {pick_up} to {return_on}[, with {protection} protection][prepaid?, prepaid]",
            "get me {car_id} from {pick_up} to {return_on}[ and {protection} protection][prepaid?, paid up front]",
        ),
        reply=("The {model} is yours from {pick_up} to {return_on} at {station_name}; it costs {total}.",),
        where=relations.RENTING,
    )
    def rent_car(
        self,
        car_id: rec.CarId,
        pick_up: rec.PickUp,
        return_on: rec.ReturnDay,
        protection: rec.Protection = "basic",
        prepaid: bool = False,
    ) -> rec.CarHire:
        """Rent a car for the signed-in renter; it goes back to the station where it is picked up.

        Args:
            car_id: Car to rent.
            pick_up: Day of pick-up.
            return_on: Day on which it comes back.
            protection: basic, medium for 12 dollars a day, or full for 20.
            prepaid: Whether it is paid in advance, for a tenth less.
        """
        car = self.cars.require(car_id)
        station, renter = self.stations.require(car.station_id), self.renters.require(self.renter_id)
        rules.check_days(station, pick_up, return_on, self.now.date())
        rules.check_age(renter.age, car)
        rules.check_left(self._left(car, pick_up, return_on), car, station, pick_up, return_on)
        rental = rules.new_rental(
            self.new_id("RT"), renter, car, station, pick_up, return_on, protection=protection, prepaid=prepaid
        )
        return self.rentals.insert(rental)

    @tool(
        ask=(
            "list my[ {status}] car rentals",
            "show me which[ {status}] car rentals I have",
            "pull up my[ {status}] rentals",
            "see what[ {status}] car rentals there are in my name",
        ),
        noun="[{status} ]car rental of mine",
        reply=("Your rentals: {rentals}.", "You have no such rental."),
    )
    def list_rentals(self, status: rec.RentalStatus | None = None, page: PageNumber = 1) -> rec.RentalPage:
        """List the signed-in renter's rentals, the one picked up last on top.

        Args:
            status: Only rentals that stand like this.
            page: Page of the results, five rentals each.
        """
        found = [r for r in self.rentals.values() if r.renter_id == self.renter_id and status in (None, r.status)]
        found.sort(key=lambda rental: (rental.pick_up, rental.id), reverse=True)
        return rec.RentalPage.of(found, page)

    @tool(
        ask=(
            "show me the details of {rental_id}",
            "look up {rental_id} for me",
            "check what {rental_id} costs in all",
            "tell me where and when {rental_id} has to be given back",
        ),
        reply=("{model} ({status}) from {station_name} ({pick_up}) to {return_station_name} ({return_on}): {total}.",),
        where=relations.LOOKING,
    )
    def get_rental(self, rental_id: rec.RentalId) -> rec.CarHire:
        """Get one of the signed-in renter's rentals.

        Args:
            rental_id: Rental to look at.
        """
        return self._mine(rental_id)

    @tool(
        ask=(
            "show me the extras that I can get with a car[for_children? for children][ for up to {max_daily} a day]",
            "list what can be added to a rental[for_children? for children][ at {max_daily} a day or less]",
            "check which extras there are[for_children? for children][ under {max_daily} a day]",
            "see what equipment you rent out[for_children? for children][, up to {max_daily} a day]",
        ),
        noun="extra[for_children? for children][ for up to {max_daily} a day]",
        reply=("You can have {extras}.", "There is no such extra."),
    )
    def list_extras(
        self, for_children: bool = False, max_daily: rec.Price | None = None, page: PageNumber = 1
    ) -> rec.ExtraPage:
        """List what can be had with a car, the cheapest first.

        Args:
            for_children: Only what children need.
            max_daily: Only extras at or below this price a day.
            page: Page of the results, five extras each.
        """
        found = [
            extra
            for extra in self.extras.values()
            if (extra.for_children or not for_children) and (max_daily is None or extra.daily <= max_daily)
        ]
        found.sort(key=lambda extra: (extra.daily, extra.name))
        return rec.ExtraPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "add {extra_id} to {rental_id}[, {count} of them]",
            "order {extra_id} for {rental_id}[, {count} of them]",
            "get {extra_id} with {rental_id}[, {count} of them]",
            "include {extra_id} in {rental_id}[, {count} of them]",
        ),
        reply=("The {model} comes with {extras}; it costs {total} now.",),
        where=relations.ADDING_EXTRAS,
    )
    def add_extra(self, rental_id: rec.RentalId, extra_id: rec.ExtraId, count: rec.Count = 1) -> rec.CarHire:
        """Add an extra to a rental before pick-up; what is there of it already is added up.

        Args:
            rental_id: Rental to add to.
            extra_id: Extra to add.
            count: How many of it.
        """
        rental = self._booked(rental_id, "given extras")
        return self.rentals.replace(rules.with_extra(rental, self.extras.require(extra_id), count))

    @tool(
        writes=True,
        ask=(
            "take {extra_id} off {rental_id}",
            "remove {extra_id} from {rental_id}",
            "drop {extra_id} from {rental_id}",
            "leave out {extra_id} that comes with {rental_id}",
        ),
        reply=(
            "The {model} comes with {extras} now; it costs {total}.",
            "The {model} has no extras now; it costs {total}.",
        ),
        where=relations.REMOVING_EXTRAS,
    )
    def remove_extra(self, rental_id: rec.RentalId, extra_id: rec.ExtraId) -> rec.CarHire:
        """Take an extra off a rental before pick-up, however many of it there are.

        Args:
            rental_id: Rental that it comes with.
            extra_id: Extra to take off.
        """
        rental = self._booked(rental_id, "changed")
        return self.rentals.replace(rules.without_extra(rental, self.extras.require(extra_id)))

    @tool(
        writes=True,
        ask=(
            "add {name}, aged {age}, as a driver to {rental_id}",
            "let {name} ({age}) drive with {rental_id} too",
            "put {name} down as another driver for {rental_id}, age {age}",
            "register {name}, who is {age}, as a further driver on {rental_id}",
        ),
        reply=("{drivers} may drive the {model} too; it costs {total} now.",),
        where=relations.ADDING_DRIVERS,
    )
    def add_driver(self, rental_id: rec.RentalId, name: rec.DriverName, age: rec.Age) -> rec.CarHire:
        """Let somebody else drive too, for 9 dollars a day, and 15 more under 25.

        Args:
            rental_id: Rental of the car.
            name: Who shall drive.
            age: How old the driver is.
        """
        rental = self._current(rental_id, "given drivers")
        rules.check_age(age, self.cars.require(rental.car_id))
        renter = self.renters.require(self.renter_id)
        return self.rentals.replace(rules.with_driver(rental, renter.name, rec.FurtherDriver(name=name, age=age)))

    @tool(
        writes=True,
        ask=(
            "take {name} off {rental_id}",
            "remove {name} as a driver of {rental_id}",
            "drop {name} from the drivers of {rental_id}",
            "strike {name} from {rental_id}, who will not drive after all",
        ),
        reply=(
            "Besides you, {drivers} may drive the {model}; it costs {total} now.",
            "Only you may drive the {model}; it costs {total} now.",
        ),
        where=relations.REMOVING_DRIVERS,
    )
    def remove_driver(self, rental_id: rec.RentalId, name: rec.Name) -> rec.CarHire:
        """Take a further driver off a rental before pick-up.

        Args:
            rental_id: Rental of the car.
            name: Driver to take off.
        """
        return self.rentals.replace(rules.without_driver(self._booked(rental_id, "changed"), name))

    @tool(
        writes=True,
        ask=(
            "change {rental_id} to {protection} protection",
            "switch the protection of {rental_id} to {protection}",
            "take {protection} protection for {rental_id}",
            "have {protection} protection with {rental_id} instead",
        ),
        reply=("The {model} has {protection} protection and costs {total} now.",),
        where=relations.PROTECTING,
    )
    def change_protection(self, rental_id: rec.RentalId, protection: rec.Protection) -> rec.CarHire:
        """Choose another protection before pick-up: medium for 12 dollars a day, full for 20.

        Args:
            rental_id: Rental to change.
            protection: basic (free), medium or full.
        """
        return self.rentals.replace(rules.protected(self._booked(rental_id, "protected otherwise"), protection))

    @tool(
        writes=True,
        ask=(
            "keep {rental_id} for {days} more",
            "extend {rental_id} by {days}",
            "have {rental_id} run {days} longer",
            "put off the return of {rental_id} by {days}",
        ),
        reply=("The {model} goes back on {return_on} now and costs {total} in all.",),
        where=relations.EXTENDING,
    )
    def extend_rental(self, rental_id: rec.RentalId, days: rec.MoreDays) -> rec.CarHire:
        """Keep a car longer if nobody else has rented it; 25 dollars more if it should have been back before today.

        Args:
            rental_id: Rental to extend.
            days: How many days longer.
        """
        rental, today = self._current(rental_id, "extended"), self.now.date()
        longer = rules.extended(rental, self.stations.require(rental.return_station_id), days, today)
        others = [each for each in self.rentals.values() if each.id != rental.id]
        rules.check_not_taken(rental, longer.return_on, self.cars.require(rental.car_id), others, today)
        return self.rentals.replace(longer)

    @tool(
        writes=True,
        ask=(
            "give {rental_id} back at {station_id} instead",
            "drop {rental_id} off at {station_id}",
            "return {rental_id} to {station_id} instead",
            "change where {rental_id} ends to {station_id}",
        ),
        reply=("The {model} goes back to {return_station_name}; the one-way fee is {one_way_fee}, {total} in all.",),
        where=relations.RETURNING,
    )
    def return_elsewhere(self, rental_id: rec.RentalId, station_id: rec.StationId) -> rec.CarHire:
        """Give a car back at another station, for a fee unless it is the one where it was picked up.

        Args:
            rental_id: Rental to change.
            station_id: Station that the car goes back to.
        """
        rental = self._current(rental_id, "given back elsewhere")
        start, station = self.stations.require(rental.station_id), self.stations.require(station_id)
        return self.rentals.replace(rules.returned_to(rental, start, station, self.now.date()))

    @tool(
        writes=True,
        ask=(
            "cancel {rental_id}",
            "call off {rental_id}",
            "cancel {rental_id}, as I no longer need a car",
            "get me out of {rental_id}, our plans have changed",
        ),
        reply=(
            "The {model} is cancelled. {fee} is kept, and {refund} is paid back.",
            "The {model} is cancelled free of charge.",
        ),
        where=relations.CANCELLING,
    )
    def cancel_rental(self, rental_id: rec.RentalId) -> rec.CancelledRental:
        """Cancel a rental until the day before pick-up; of what was paid in advance a part is kept.

        Args:
            rental_id: Rental to cancel.
        """
        rental = self._booked(rental_id, "cancelled")
        fee = rules.cancel_fee(rental, self.now.date())
        self.rentals.replace(rules.priced(rental.evolve(status="cancelled", cancel_fee=fee)))
        return rules.cancellation(rental, fee)

    @tool(
        writes=True,
        ask=(
            "report damage to the {part} of {rental_id}",
            "tell them that the {part} of {rental_id} is damaged",
            "file a damage report for the {part} of {rental_id}",
            "let them know that something happened to the {part} of {rental_id}",
        ),
        reply=("The damaged {part} of the {model} is reported; of the {repair} for the repair you pay {to_pay}.",),
        where=relations.DAMAGING,
    )
    def report_damage(self, rental_id: rec.RentalId, part: rec.Part) -> rec.DamageReport:
        """Report damage to a car under way; the renter pays up to what the protection leaves, once a part.

        Args:
            rental_id: Rental of the car.
            part: Part that was damaged.
        """
        rental = standing(self._mine(rental_id), ("running",), "reported as damaged")
        damage = rules.damage_of(rental, part, self.now.date())
        return rules.report_of(self.rentals.replace(rules.with_damage(rental, damage)), damage)

    def _mine(self, rental_id: str) -> rec.CarHire:
        return owned(self.rentals.require(rental_id), "renter_id", self.renter_id)

    def _booked(self, rental_id: str, done: str) -> rec.CarHire:
        return standing(self._mine(rental_id), ("booked",), done)

    def _current(self, rental_id: str, done: str) -> rec.CarHire:
        return standing(self._mine(rental_id), ("booked", "running"), done)

    def _left(self, car: rec.RentalCar, pick_up: dt.date, return_on: dt.date) -> int:
        """How many cars of a model are free on all days."""
        rentals, today = list(self.rentals.values()), self.now.date()
        return min(rules.left_on(car, day, rentals, today) for day in rules.days_of(pick_up, return_on))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Stations with cars left and sold out, and the user's rentals in every condition."""
        return cls.model_validate(fleet(world, size))
