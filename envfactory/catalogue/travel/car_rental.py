"""A car rental: find stations and free cars, rent, add to a rental, keep it longer, give it back elsewhere.

A rental is priced anew whenever something about it changes: days, protection, extras, drivers, fees. A car needs a day
at its station between two rentals, and every driver has to be old enough for it.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.travel import _car_rules as rules
from envfactory.catalogue.travel._car_records import (
    Age,
    CancelledRental,
    CarExtra,
    CarHire,
    CarId,
    CarOffer,
    Category,
    City,
    Count,
    DamageReport,
    DriverName,
    ExtraId,
    ExtraPage,
    FurtherDriver,
    Name,
    OfferPage,
    Part,
    PickUp,
    Price,
    Protection,
    RentalCar,
    RentalId,
    RentalPage,
    RentalStation,
    RentalStatus,
    Renter,
    RenterId,
    ReturnDay,
    StationId,
    StationPage,
)
from envfactory.catalogue.travel._car_scenario import fleet
from envfactory.environment import (
    After,
    Differing,
    Ends,
    Environment,
    FieldOf,
    FromNow,
    Having,
    Owned,
    PageNumber,
    Table,
    ToolError,
    Unit,
    Within,
    World,
    cents,
    owned,
    standing,
    tool,
)

OWN_RENTAL = Owned(parameter="rental_id", field="renter_id", by="renter_id")
BOOKED = Having(parameter="rental_id", field="status", among=("booked",))
RUNNING = Having(parameter="rental_id", field="status", among=("running",))
CURRENT = Having(parameter="rental_id", field="status", among=("booked", "running"))


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

    renter_id: RenterId
    """Renter whose session this is."""
    renters: Table[Renter]
    stations: Table[RentalStation]
    cars: Table[RentalCar]
    extras: Table[CarExtra]
    rentals: Table[CarHire]

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
        self, city: City, airport: bool = False, one_way: bool = False, page: PageNumber = 1
    ) -> StationPage:
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
        return StationPage.of(found, page)

    @tool(
        ask=(
            "find me[automatic? automatic][ {category}] cars at {station_id} from {pick_up} to {return_on}",
            "see which[automatic? automatic][ {category}] cars {station_id} has from {pick_up} to {return_on}",
            "look for[automatic? automatic][ {category}] cars at {station_id} for {pick_up} to {return_on}",
            "list[automatic? automatic][ {category}] cars of {station_id} for {pick_up} to {return_on}[, by {sort}]",
        ),
        noun="[automatic? automatic ][{category} ]car at {station_id} from {pick_up} to {return_on}",
        reply=("You could have {cars}.", "There is no such car left at that station."),
        where=(
            FromNow(parameter="pick_up", days=(3, 60)),
            After(parameter="return_on", other="pick_up", days=(2, 12)),
        ),
    )
    def search_cars(
        self,
        station_id: StationId,
        pick_up: PickUp,
        return_on: ReturnDay,
        category: Category | None = None,
        automatic: bool = False,
        sort: Literal["price", "seats"] = "price",
        page: PageNumber = 1,
    ) -> OfferPage:
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
        rules.check_days(pick_up, return_on, self.now.date())
        rules.check_open(station, pick_up, return_on)
        days = (return_on - pick_up).days
        young = rules.YOUNG_DAY * days if renter.age < rules.YOUNG_AGE else 0.0
        found = [
            CarOffer(
                id=car.id, model=car.model, station_name=station.name, category=car.category, seats=car.seats,
                automatic=car.automatic, total=cents(rules.hire_of(car.daily_rate, days) + young),
                daily_rate=car.daily_rate, min_age=car.min_age, left=left,
            )
            for car in self.cars.values()
            if car.station_id == station.id
            and car.min_age <= renter.age
            and category in (None, car.category)
            and (car.automatic or not automatic)
            and (left := self._left(car, pick_up, return_on)) > 0
        ]  # fmt: skip
        found.sort(key=lambda car: (car.total if sort == "price" else -car.seats, car.model))
        return OfferPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "rent {car_id} from {pick_up} to {return_on}[ with {protection} protection][prepaid?, paid in advance]",
            "book {car_id} for {pick_up} to {return_on}[, {protection} protection][prepaid?, and pay in advance]",
            "reserve {car_id}, {pick_up} to {return_on}[, with {protection} protection][prepaid?, prepaid]",
            "get me {car_id} from {pick_up} to {return_on}[ and {protection} protection][prepaid?, paid up front]",
        ),
        reply=("The {model} is yours from {pick_up} to {return_on} at {station_name}; it costs {total}.",),
        where=(
            FromNow(parameter="pick_up", days=(3, 60)),
            After(parameter="return_on", other="pick_up", days=(2, 12)),
        ),
    )
    def rent_car(
        self,
        car_id: CarId,
        pick_up: PickUp,
        return_on: ReturnDay,
        protection: Protection = "basic",
        prepaid: bool = False,
    ) -> CarHire:
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
        rules.check_days(pick_up, return_on, self.now.date())
        rules.check_open(station, pick_up, return_on)
        rules.check_age(renter.age, car)
        if self._left(car, pick_up, return_on) < 1:
            raise ToolError("conflict", f"{station.name} has no {car.model} left from {pick_up} to {return_on}.")
        rental = CarHire(
            id=self.new_id("RT"), renter_id=renter.id, car_id=car.id, model=car.model, category=car.category,
            station_id=station.id, station_name=station.name, return_station_id=station.id,
            return_station_name=station.name, pick_up=pick_up, return_on=return_on, daily_rate=car.daily_rate,
            prepaid=prepaid, protection=protection, young=renter.age < rules.YOUNG_AGE, total=0,
        )  # fmt: skip
        return self.rentals.insert(rules.priced(rental))

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
    def list_rentals(self, status: RentalStatus | None = None, page: PageNumber = 1) -> RentalPage:
        """List the signed-in renter's rentals, the one picked up last on top.

        Args:
            status: Only rentals that stand like this.
            page: Page of the results, five rentals each.
        """
        found = [r for r in self.rentals.values() if r.renter_id == self.renter_id and status in (None, r.status)]
        found.sort(key=lambda rental: (rental.pick_up, rental.id), reverse=True)
        return RentalPage.of(found, page)

    @tool(
        ask=(
            "show me the details of {rental_id}",
            "look up {rental_id} for me",
            "check what {rental_id} costs in all",
            "tell me where and when {rental_id} has to be given back",
        ),
        reply=("{model} ({status}) from {station_name} ({pick_up}) to {return_station_name} ({return_on}): {total}.",),
        where=(OWN_RENTAL,),
    )
    def get_rental(self, rental_id: RentalId) -> CarHire:
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
        self,
        for_children: bool = False,
        max_daily: Price | None = None,
        page: PageNumber = 1,
    ) -> ExtraPage:
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
        return ExtraPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "add {extra_id} to {rental_id}[, {count} of them]",
            "order {extra_id} for {rental_id}[, {count} of them]",
            "get {extra_id} with {rental_id}[, {count} of them]",
            "include {extra_id} in {rental_id}[, {count} of them]",
        ),
        reply=("The {model} comes with {extras}; it costs {total} now.",),
        where=(OWN_RENTAL, BOOKED, Within(parameter="count", low=2, high=2)),
    )
    def add_extra(self, rental_id: RentalId, extra_id: ExtraId, count: Count = 1) -> CarHire:
        """Add an extra to a rental before pick-up; what is there of it already is added up.

        Args:
            rental_id: Rental to add to.
            extra_id: Extra to add.
            count: How many of it.
        """
        rental = standing(self._mine(rental_id), ("booked",), "given extras")
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
        where=(OWN_RENTAL, BOOKED, FieldOf(parameter="extra_id", other="rental_id", field="extras[].extra_id")),
    )
    def remove_extra(self, rental_id: RentalId, extra_id: ExtraId) -> CarHire:
        """Take an extra off a rental before pick-up, however many of it there are.

        Args:
            rental_id: Rental that it comes with.
            extra_id: Extra to take off.
        """
        rental = standing(self._mine(rental_id), ("booked",), "changed")
        extra = self.extras.require(extra_id)
        kept = tuple(each for each in rental.extras if each.extra_id != extra.id)
        if kept == rental.extras:
            raise ToolError("conflict", f"The {rental.model} comes without the {extra.name}.")
        return self.rentals.replace(rules.priced(rental.evolve(extras=kept)))

    @tool(
        writes=True,
        ask=(
            "add {name}, aged {age}, as a driver to {rental_id}",
            "let {name} ({age}) drive with {rental_id} too",
            "put {name} down as another driver for {rental_id}, age {age}",
            "register {name}, who is {age}, as a further driver on {rental_id}",
        ),
        reply=("{drivers} may drive the {model} too; it costs {total} now.",),
        where=(
            OWN_RENTAL,
            CURRENT,
            Within(parameter="age", low=22, high=68),
        ),
    )
    def add_driver(self, rental_id: RentalId, name: DriverName, age: Age) -> CarHire:
        """Let somebody else drive too, for 9 dollars a day, and 15 more under 25.

        Args:
            rental_id: Rental of the car.
            name: Who shall drive.
            age: How old the driver is.
        """
        rental = standing(self._mine(rental_id), ("booked", "running"), "given drivers")
        rules.check_age(age, self.cars.require(rental.car_id))
        renter = self.renters.require(self.renter_id)
        return self.rentals.replace(rules.with_driver(rental, renter.name, FurtherDriver(name=name, age=age)))

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
        where=(OWN_RENTAL, BOOKED, FieldOf(parameter="name", other="rental_id", field="drivers[].name")),
    )
    def remove_driver(self, rental_id: RentalId, name: Name) -> CarHire:
        """Take a further driver off a rental before pick-up.

        Args:
            rental_id: Rental of the car.
            name: Driver to take off.
        """
        rental = standing(self._mine(rental_id), ("booked",), "changed")
        kept = tuple(driver for driver in rental.drivers if not rules.same_name(driver.name, name))
        if kept == rental.drivers:
            raise ToolError("conflict", f"{name} is no further driver of the {rental.model}.")
        return self.rentals.replace(rules.priced(rental.evolve(drivers=kept)))

    @tool(
        writes=True,
        ask=(
            "change {rental_id} to {protection} protection",
            "switch the protection of {rental_id} to {protection}",
            "take {protection} protection for {rental_id}",
            "have {protection} protection with {rental_id} instead",
        ),
        reply=("The {model} has {protection} protection and costs {total} now.",),
        where=(OWN_RENTAL, BOOKED, Differing(parameter="protection", other="rental_id", field="protection")),
    )
    def change_protection(self, rental_id: RentalId, protection: Protection) -> CarHire:
        """Choose another protection before pick-up: medium for 12 dollars a day, full for 20.

        Args:
            rental_id: Rental to change.
            protection: basic (free), medium or full.
        """
        rental = standing(self._mine(rental_id), ("booked",), "protected otherwise")
        if protection == rental.protection:
            raise ToolError("conflict", f"The {rental.model} has {protection} protection already.")
        return self.rentals.replace(rules.priced(rental.evolve(protection=protection)))

    @tool(
        writes=True,
        ask=(
            "keep {rental_id} for {days} more",
            "extend {rental_id} by {days}",
            "have {rental_id} run {days} longer",
            "put off the return of {rental_id} by {days}",
        ),
        reply=("The {model} goes back on {return_on} now and costs {total} in all.",),
        where=(OWN_RENTAL, CURRENT, Within(parameter="days", low=1, high=5)),
    )
    def extend_rental(self, rental_id: RentalId, days: Annotated[int, Field(ge=1, le=30), Unit("day")]) -> CarHire:
        """Keep a car longer if nobody else has rented it; 25 dollars more if it should have been back before today.

        Args:
            rental_id: Rental to extend.
            days: How many days longer.
        """
        rental, today = standing(self._mine(rental_id), ("booked", "running"), "extended"), self.now.date()
        return_on = rental.return_on + dt.timedelta(days=days)
        if return_on < today:
            raise ToolError("invalid_argument", f"{return_on} is over, so the {rental.model} has to stay longer.")
        rules.check_length(rental.pick_up, return_on)
        rules.check_open(self.stations.require(rental.return_station_id), return_on)
        car, others = self.cars.require(rental.car_id), [r for r in self.rentals.values() if r.id != rental.id]
        for day in rules.days_of(rental.return_on + dt.timedelta(days=1), return_on):
            if rules.left_on(car, day, others, today) < 1:
                words = f"Every {rental.model} is rented to others on {day}, so this one has to be back before."
                raise ToolError("conflict", words)
        late = rules.LATE_FEE if rental.return_on < today else 0.0
        late_fee = cents(rental.late_fee + late)
        return self.rentals.replace(rules.priced(rental.evolve(return_on=return_on, late_fee=late_fee)))

    @tool(
        writes=True,
        ask=(
            "give {rental_id} back at {station_id} instead",
            "drop {rental_id} off at {station_id}",
            "return {rental_id} to {station_id} instead",
            "change where {rental_id} ends to {station_id}",
        ),
        reply=("The {model} goes back to {return_station_name}; the one-way fee is {one_way_fee}, {total} in all.",),
        where=(
            OWN_RENTAL,
            CURRENT,
            Having(parameter="rental_id", field="category", among=("economy", "compact", "family", "premium")),
            Having(parameter="station_id", field="one_way", among=(True,)),
            Differing(parameter="station_id", other="rental_id", field="return_station_id"),
        ),
    )
    def return_elsewhere(self, rental_id: RentalId, station_id: StationId) -> CarHire:
        """Give a car back at another station, for a fee unless it is the one where it was picked up.

        Args:
            rental_id: Rental to change.
            station_id: Station that the car goes back to.
        """
        rental = standing(self._mine(rental_id), ("booked", "running"), "given back elsewhere")
        station = self.stations.require(station_id)
        if station.id == rental.return_station_id:
            raise ToolError("conflict", f"The {rental.model} goes back to {station.name} already.")
        fee = rules.one_way_fee(rental, self.stations.require(rental.station_id), station)
        rules.check_open(station, max(rental.return_on, self.now.date()))
        return self.rentals.replace(
            rules.priced(rental.evolve(return_station_id=station.id, return_station_name=station.name, one_way_fee=fee))
        )

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
        where=(OWN_RENTAL, BOOKED, Ends(parameter="rental_id")),
    )
    def cancel_rental(self, rental_id: RentalId) -> CancelledRental:
        """Cancel a rental until the day before pick-up; of what was paid in advance a part is kept.

        Args:
            rental_id: Rental to cancel.
        """
        rental = standing(self._mine(rental_id), ("booked",), "cancelled")
        fee = rules.cancel_fee(rental, self.now.date())
        self.rentals.replace(rules.priced(rental.evolve(status="cancelled", cancel_fee=fee)))
        refund = cents(rental.total - fee) if rental.prepaid else None
        return CancelledRental(rental_id=rental.id, model=rental.model, fee=fee, refund=refund)

    @tool(
        writes=True,
        ask=(
            "report damage to the {part} of {rental_id}",
            "tell them that the {part} of {rental_id} is damaged",
            "file a damage report for the {part} of {rental_id}",
            "let them know that something happened to the {part} of {rental_id}",
        ),
        reply=("The damaged {part} of the {model} is reported; of the {repair} for the repair you pay {to_pay}.",),
        where=(OWN_RENTAL, RUNNING),
    )
    def report_damage(self, rental_id: RentalId, part: Part) -> DamageReport:
        """Report damage to a car under way; the renter pays up to what the protection leaves, once a part.

        Args:
            rental_id: Rental of the car.
            part: Part that was damaged.
        """
        rental = standing(self._mine(rental_id), ("running",), "reported as damaged")
        if any(damage.part == part for damage in rental.damages):
            raise ToolError("conflict", f"A damaged {part} of the {rental.model} is reported already.")
        damage = rules.damage_of(rental, part, self.now.date())
        after = self.rentals.replace(rules.priced(rental.evolve(damages=(*rental.damages, damage))))
        return DamageReport(
            rental_id=rental.id, model=rental.model, part=part, repair=damage.repair, to_pay=damage.to_pay,
            total=after.total,
        )  # fmt: skip

    def _mine(self, rental_id: str) -> CarHire:
        return owned(self.rentals.require(rental_id), "renter_id", self.renter_id)

    def _left(self, car: RentalCar, pick_up: dt.date, return_on: dt.date) -> int:
        """How many cars of a model are free on all days."""
        rentals, today = list(self.rentals.values()), self.now.date()
        return min(rules.left_on(car, day, rentals, today) for day in rules.days_of(pick_up, return_on))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Stations with cars left and sold out, and the user's rentals in every condition."""
        return cls.model_validate(fleet(world, size))
