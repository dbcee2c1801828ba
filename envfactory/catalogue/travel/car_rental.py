"""A car rental: find stations and free cars, rent, add to a rental, keep it longer, give it back elsewhere.

A rental is priced anew whenever something about it changes: days, protection, extras, drivers, fees. A car needs a day
at its station between two rentals, and every driver has to be old enough for it.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.travel._car_records import (
    DEDUCTIBLE,
    REPAIR,
    YOUNG_AGE,
    YOUNG_DAY,
    Age,
    BookedExtra,
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
    hire_of,
)
from envfactory.catalogue.travel._car_scenario import fleet
from envfactory.environment import (
    After,
    Differing,
    Ends,
    Environment,
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

MOST_DAYS = 60
MOST_DRIVERS = 3
SUNDAY = 6
ONE_WAY = {"city": 30.0, "country": 120.0}
LATE_FEE = 25.0
PREPAID_FEE = 25.0
LATE_DAYS = 2

OWN_RENTAL = Owned(parameter="rental_id", field="renter_id", by="renter_id")
BOOKED = Having(parameter="rental_id", field="status", among=("booked",))
RUNNING = Having(parameter="rental_id", field="status", among=("running",))
CURRENT = Having(parameter="rental_id", field="status", among=("booked", "running"))


class CarRental(Environment):
    """Find stations and cars, and look after a renter's own car rentals with their extras, drivers and damages."""

    domain = "travel"
    policy = """Cars are rented for up to 60 days; a week costs 10 percent less, four weeks 25. Drivers under 25 cost 15
    dollars a day, and every car has a least age. Paying in advance makes the car 10 percent cheaper, but cancelling
    keeps 25 dollars, in the last two days half the price; other rentals are cancelled free of charge until the day
    before pick-up. Extras and protection can be chosen until pick-up. Giving a car back at another station costs 30
    dollars in the same city and 120 elsewhere; large cars go back to where they came from. A car kept too long can be
    extended for 25 dollars more. Up to three further drivers cost 9 dollars a day each. Tyres and windscreens are
    covered by full protection only. Never rent a car without knowing both days."""
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
    damages: Table[DamageReport]

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
            "find me[ {category}][automatic? automatic] cars at {station_id} from {pick_up} to {return_on}",
            "see which[ {category}][automatic? automatic] cars {station_id} has from {pick_up} to {return_on}",
            "look for[ {category}][automatic? automatic] cars at {station_id} for {pick_up} to {return_on}",
            "check the prices of[ {category}][automatic? automatic] cars at {station_id}, {pick_up} to {return_on}",
        ),
        noun="[{category} ][automatic? automatic ]car at {station_id} from {pick_up} to {return_on}",
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
        station = self.stations.require(station_id)
        self._check_days(pick_up, return_on)
        self._open_on(station, pick_up)
        renter = self.renters.require(self.renter_id)
        days = (return_on - pick_up).days
        young = YOUNG_DAY * days if renter.age < YOUNG_AGE else 0.0
        found = [
            CarOffer(
                id=car.id, model=car.model, station_name=station.name, category=car.category, seats=car.seats,
                automatic=car.automatic, total=cents(hire_of(car.daily_rate, days) + young),
                left=self._left(car, pick_up, return_on),
            )
            for car in self.cars.values()
            if car.station_id == station.id
            and car.min_age <= renter.age
            and category in (None, car.category)
            and (car.automatic or not automatic)
            and self._left(car, pick_up, return_on) > 0
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
            protection: What damage the renter is protected from.
            prepaid: Whether it is paid in advance, for a tenth less.
        """
        car = self.cars.require(car_id)
        station, renter = self.stations.require(car.station_id), self.renters.require(self.renter_id)
        self._check_days(pick_up, return_on)
        self._open_on(station, pick_up)
        self._open_on(station, return_on)
        self._old_enough(renter.age, car)
        if self._left(car, pick_up, return_on) < 1:
            raise ToolError("conflict", f"{station.name} has no {car.model} left from {pick_up} to {return_on}.")
        rental = CarHire(
            id=self.new_id("RT"), renter_id=renter.id, car_id=car.id, model=car.model, category=car.category,
            station_id=station.id, station_name=station.name, return_station_id=station.id,
            return_station_name=station.name, pick_up=pick_up, return_on=return_on, daily_rate=car.daily_rate,
            prepaid=prepaid, protection=protection, young=int(renter.age < YOUNG_AGE), total=0,
        )  # fmt: skip
        return self.rentals.insert(rental.priced())

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
            "put {extra_id} on {rental_id}[, {count} in all]",
            "get {extra_id} with {rental_id}[, {count} of them]",
            "include {extra_id} in {rental_id}[, {count} in all]",
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
        rental, extra = standing(self._mine(rental_id), ("booked",), "given extras"), self.extras.require(extra_id)
        before = sum(each.count for each in rental.extras if each.extra_id == extra.id)
        if before + count > extra.most:
            raise ToolError("limit_exceeded", f"A car takes {extra.most} of the {extra.name} at most.")
        others = tuple(each for each in rental.extras if each.extra_id != extra.id)
        added = BookedExtra(extra_id=extra.id, name=extra.name, daily=extra.daily, count=before + count)
        return self.rentals.replace(rental.evolve(extras=(*others, added)).priced())

    @tool(
        writes=True,
        ask=(
            "add {name}, aged {age}, as a driver to {rental_id}",
            "let {name} ({age}) drive with {rental_id} too",
            "put {name} down as another driver for {rental_id}, age {age}",
            "register {name}, who is {age}, as a further driver on {rental_id}",
        ),
        reply=("{drivers} may drive the {model} too; it costs {total} now.",),
        where=(OWN_RENTAL, CURRENT, Within(parameter="age", low=22, high=68)),
    )
    def add_driver(self, rental_id: RentalId, name: DriverName, age: Age) -> CarHire:
        """Let somebody else drive too, for 9 dollars a day, and 15 more under 25.

        Args:
            rental_id: Rental of the car.
            name: Who shall drive.
            age: How old the driver is.
        """
        rental = standing(self._mine(rental_id), ("booked", "running"), "given drivers")
        if name in (self.renters.require(self.renter_id).name, *rental.drivers):
            raise ToolError("conflict", f"{name} may drive the {rental.model} already.")
        if len(rental.drivers) >= MOST_DRIVERS:
            raise ToolError("limit_exceeded", f"A car has {MOST_DRIVERS} further drivers at most.")
        self._old_enough(age, self.cars.require(rental.car_id))
        young = rental.young + int(age < YOUNG_AGE)
        return self.rentals.replace(rental.evolve(drivers=(*rental.drivers, name), young=young).priced())

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
            protection: What damage the renter is protected from.
        """
        rental = standing(self._mine(rental_id), ("booked",), "protected otherwise")
        if protection == rental.protection:
            raise ToolError("conflict", f"The {rental.model} has {protection} protection already.")
        return self.rentals.replace(rental.evolve(protection=protection).priced())

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
        self._check_length(rental.pick_up, return_on)
        self._open_on(self.stations.require(rental.return_station_id), return_on)
        if self._left(self.cars.require(rental.car_id), rental.pick_up, return_on, rental.id) < 1:
            raise ToolError("conflict", f"The {rental.model} is rented to somebody else before {return_on}.")
        late = LATE_FEE if rental.return_on < today else 0.0
        return self.rentals.replace(rental.evolve(return_on=return_on, late_fee=cents(rental.late_fee + late)).priced())

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
        start, fee = self.stations.require(rental.station_id), 0.0
        if station.id != start.id:
            if not station.one_way:
                raise ToolError("precondition_failed", f"{station.name} takes no cars from elsewhere.")
            if rental.category == "large":
                raise ToolError("precondition_failed", f"Large cars like the {rental.model} go back to {start.name}.")
            fee = ONE_WAY["city" if station.city == start.city else "country"]
        self._open_on(station, rental.return_on)
        return self.rentals.replace(
            rental.evolve(return_station_id=station.id, return_station_name=station.name, one_way_fee=fee).priced()
        )

    @tool(
        writes=True,
        ask=(
            "cancel {rental_id}",
            "call off {rental_id}",
            "cancel {rental_id}, as I no longer need a car",
            "cancel {rental_id} and let somebody else have the car",
        ),
        reply=("The {model} is cancelled. The fee is {fee}, and {refund} is paid back.",),
        where=(OWN_RENTAL, BOOKED, Ends(parameter="rental_id")),
    )
    def cancel_rental(self, rental_id: RentalId) -> CancelledRental:
        """Cancel a rental until the day before pick-up; of what was paid in advance a part is kept.

        Args:
            rental_id: Rental to cancel.
        """
        rental = standing(self._mine(rental_id), ("booked",), "cancelled")
        ahead = (rental.pick_up - self.now.date()).days
        if ahead < 1:
            raise ToolError("precondition_failed", f"The {rental.model} can be cancelled until the day before pick-up.")
        fee = 0.0
        if rental.prepaid:
            fee = cents(rental.total / 2) if ahead <= LATE_DAYS else min(PREPAID_FEE, rental.total)
        self.rentals.replace(rental.evolve(status="cancelled"))
        refund = cents(rental.total - fee) if rental.prepaid else 0.0
        return CancelledRental(rental_id=rental.id, model=rental.model, fee=fee, refund=refund)

    @tool(
        writes=True,
        ask=(
            "report a damaged {part} on {rental_id}",
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
        if any((report.rental_id, report.part) == (rental.id, part) for report in self.damages.values()):
            raise ToolError("conflict", f"A damaged {part} of the {rental.model} is reported already.")
        repair = cents(REPAIR[part] * (1.5 if rental.category == "premium" else 1.0))
        covered = rental.protection == "full" or part not in ("windscreen", "tyre")
        to_pay = min(repair, DEDUCTIBLE[rental.protection]) if covered else repair
        self.rentals.replace(rental.evolve(damage=cents(rental.damage + to_pay), total=cents(rental.total + to_pay)))
        return self.damages.insert(
            DamageReport(
                id=self.new_id("DR"), rental_id=rental.id, model=rental.model, part=part, repair=repair, to_pay=to_pay,
                reported_on=self.now.date(),
            )
        )  # fmt: skip

    def _mine(self, rental_id: str) -> CarHire:
        return owned(self.rentals.require(rental_id), "renter_id", self.renter_id)

    def _left(self, car: RentalCar, pick_up: dt.date, return_on: dt.date, apart_from: str = "") -> int:
        """How many cars of a model are free on all days; one that comes back goes out again on the next day."""
        return car.cars - sum(
            1
            for rental in self.rentals.values()
            if rental.car_id == car.id
            and rental.id != apart_from
            and rental.status in ("booked", "running")
            and rental.pick_up <= return_on
            and rental.return_on >= pick_up
        )

    def _check_days(self, pick_up: dt.date, return_on: dt.date) -> None:
        if pick_up < self.now.date():
            raise ToolError("invalid_argument", f"{pick_up} is over, so no car can be picked up.")
        self._check_length(pick_up, return_on)

    def _check_length(self, pick_up: dt.date, return_on: dt.date) -> None:
        if not 1 <= (return_on - pick_up).days <= MOST_DAYS:
            raise ToolError("invalid_argument", f"A car picked up on {pick_up} comes back in 1 to {MOST_DAYS} days.")

    def _open_on(self, station: RentalStation, day: dt.date) -> None:
        if day.weekday() == SUNDAY and not station.open_sundays:
            raise ToolError("precondition_failed", f"{station.name} is closed on Sundays, and {day} is one.")

    def _old_enough(self, age: int, car: RentalCar) -> None:
        if age < car.min_age:
            raise ToolError("precondition_failed", f"Drivers of the {car.model} are {car.min_age} or older.")

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Stations with cars left and sold out, and the user's rentals in every condition."""
        return cls.model_validate(fleet(world, size))
