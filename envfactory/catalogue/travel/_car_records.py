"""Records and results of the car rental."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

RenterId = Annotated[str, Ref("Renter")]
StationId = Annotated[str, Ref("RentalStation")]
CarId = Annotated[str, Ref("RentalCar")]
ExtraId = Annotated[str, Ref("CarExtra")]
RentalId = Annotated[str, Ref("CarHire")]
City = Annotated[str, Value("city", "City, by its English name.")]
PickUp = Annotated[dt.date, Value("pick_up_day", "Day on which a car is picked up.")]
ReturnDay = Annotated[dt.date, Value("return_day", "Day on which a car is given back.")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Model = Annotated[str, Value("car_model", "Make and model of a car.")]
StationName = Annotated[str, Value("rental_station", "Name of a rental station.")]
DriverName = Annotated[str, Field(min_length=3, max_length=60), Value("person_name", "Full name of a person.")]
Name = Annotated[str, Field(min_length=3, max_length=60), Value("further_driver", "Who may drive besides the renter.")]
Age = Annotated[int, Field(ge=17, le=99)]
Seats = Annotated[int, Field(ge=2, le=9), Unit("seat")]
Price = Annotated[Money, Field(gt=0)]
Count = Annotated[int, Field(ge=1, le=4)]
MoreDays = Annotated[int, Field(ge=1, le=30), Unit("day")]
Category = Annotated[Literal["economy", "compact", "family", "premium", "large"], Value("car_category", "Kind of car.")]
Protection = Literal["basic", "medium", "full"]
Part = Literal["windscreen", "tyre", "bodywork", "mirror"]
RentalStatus = Literal["booked", "running", "returned", "cancelled"]


class Renter(Record, noun="renter", label="{name}"):
    """Somebody with an account."""

    id: RenterId
    """Identifier of the renter."""
    name: DriverName
    email: Annotated[str, Value("email", "E-mail address.")]
    age: Age
    """How old the renter is."""


class RentalStation(Record, noun="station", label="{name}", listing="{name} at {address}"):
    """A place where cars are picked up and given back."""

    id: StationId
    """Identifier of the station."""
    name: StationName
    city: City
    address: Annotated[str, Value("address", "Street and number.")]
    airport: bool
    """Whether it is at an airport."""
    open_sundays: bool
    """Whether it is open on Sundays."""
    one_way: bool
    """Whether it takes cars back that were picked up elsewhere."""


class RentalCar(Record, noun="car", label="the {model}[ at {station_name}]"):
    """Cars of one model at one station."""

    id: CarId
    """Identifier of the model at this station."""
    station_id: StationId
    """Where they are picked up."""
    station_name: StationName
    model: Model
    category: Category
    seats: Seats
    """How many can sit in one."""
    automatic: bool
    """Whether nobody has to shift gears."""
    daily_rate: Money
    """Price of a day."""
    min_age: Age
    """How old every driver has to be."""
    cars: Annotated[int, Field(ge=0), Unit("car")]
    """How many of them the station has."""


class CarExtra(Record, noun="extra", label="a {name}", listing="{name} ({daily} a day)"):
    """Something that can be had with a car."""

    id: ExtraId
    """Identifier of the extra."""
    name: Annotated[str, Value("car_extra", "Name of an extra.")]
    daily: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price of a day."""
    most: Count
    """How many of it fit a car."""
    for_children: bool
    """Whether children need it."""


class BookedExtra(Output, noun="extra", label="{name}", listing="{name} (quantity: {count})"):
    """An extra that comes with a rental."""

    extra_id: ExtraId
    """The extra."""
    name: Annotated[str, Value("car_extra")]
    daily: Money
    """Price of a day."""
    count: Count
    """How many of it."""


class FurtherDriver(Output, noun="driver", label="{name}"):
    """Somebody who may drive beside the renter."""

    name: Name
    age: Age
    """How old the driver is."""


class Damage(Output, noun="damage", label="the damaged {part}"):
    """A part that was damaged during a rental."""

    part: Part
    """What was damaged."""
    repair: Money
    """What the repair costs."""
    to_pay: Money
    """What of it the renter pays."""
    reported_on: dt.date
    """Day of the report."""


class CarHire(
    Record,
    noun="rental",
    label="the {model} rental[ from {pick_up}]",
    listing="{model} from {pick_up} to {return_on} ({status})",
):
    """A car for some days; what it costs in all follows from everything that was chosen and happened."""

    id: RentalId
    """Identifier of the rental."""
    renter_id: RenterId
    """Who rents."""
    car_id: CarId
    """Car that is rented."""
    model: Model
    category: Category
    station_id: StationId
    """Where it is picked up."""
    station_name: StationName
    return_station_id: StationId
    """Where it is given back."""
    return_station_name: Annotated[str, Value("return_station", "Name of the station that a car goes back to.")]
    pick_up: PickUp
    return_on: ReturnDay
    daily_rate: Money
    """Price of a day."""
    prepaid: bool
    """Whether it was paid in advance."""
    protection: Protection
    """What damage the renter is protected from."""
    extras: tuple[BookedExtra, ...] = ()
    """What comes with the car."""
    young: bool
    """Whether the renter is under 25."""
    drivers: tuple[FurtherDriver, ...] = ()
    """Who else may drive."""
    one_way_fee: Money = 0
    """What giving it back elsewhere costs."""
    late_fee: Money = 0
    """What keeping it too long cost."""
    damages: tuple[Damage, ...] = ()
    """What was damaged on the way."""
    cancel_fee: Money = 0
    """What was kept when it was cancelled."""
    total: Annotated[AmountDue, Ranked("cheapest", "most expensive")]
    """What it costs in all; of a cancelled one, what was kept."""
    status: RentalStatus = "booked"
    """Where it stands."""

    @property
    def days(self) -> int:
        """How many days are charged."""
        return (self.return_on - self.pick_up).days


class CarOffer(Output, noun="car", label="the {model}[ at {station_name}]", listing="{model} ({category}, {total})"):
    """A car that can be had for some days."""

    id: CarId
    """Identifier of the model at this station."""
    model: Model
    station_name: StationName
    category: Category
    seats: Seats
    """How many can sit in it."""
    automatic: bool
    """Whether nobody has to shift gears."""
    total: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price for all days, paid at the station, with basic protection."""
    daily_rate: Money
    """Price of a day, before discounts."""
    min_age: Age
    """How old every driver has to be."""
    left: Annotated[int, Unit("car")]
    """How many are left on all days."""


class StationPage(Page):
    """A page of stations."""

    stations: tuple[RentalStation, ...]
    """The stations on this page."""


class OfferPage(Page):
    """A page of cars."""

    cars: tuple[CarOffer, ...]
    """The cars on this page."""


class ExtraPage(Page):
    """A page of extras."""

    extras: tuple[CarExtra, ...]
    """The extras on this page."""


class RentalPage(Page):
    """A page of rentals."""

    rentals: tuple[CarHire, ...]
    """The rentals on this page."""


class DamageReport(Output):
    """What a damage comes to."""

    rental_id: RentalId
    """Rental during which it happened."""
    model: Model
    part: Part
    """Part that was damaged."""
    repair: Money
    """What the repair costs."""
    to_pay: AmountDue
    """What of it the renter pays."""
    total: Money
    """What the rental costs in all now."""


class CancelledRental(Output):
    """What calling a rental off comes to."""

    rental_id: RentalId
    """Rental that was cancelled."""
    model: Model
    fee: Money
    """What is kept."""
    refund: AmountDue | None = None
    """What is paid back, if it was paid in advance."""
