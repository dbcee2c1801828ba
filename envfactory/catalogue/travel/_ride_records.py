"""Records and results of a ride app: places, rides booked ahead and past ones, promotions, contacts."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

RiderId = Annotated[str, Ref("Rider")]
PlaceId = Annotated[str, Ref("RidePlace")]
RideId = Annotated[str, Ref("Ride")]
PromotionId = Annotated[str, Ref("RidePromotion")]
City = Annotated[str, Value("city", "City, by its English name.")]
PersonName = Annotated[str, Value("person_name", "Full name of a person.")]
ContactName = Annotated[str, Value("fare_sharer", "Full name of a contact who can share a fare.")]
PlaceName = Annotated[str, Value("ride_place", "What a place is called.")]
RideEnd = Annotated[str, Value("ride_end", "What a place is called where a ride begins or ends.")]
StopName = Annotated[str, Value("ride_stop", "What a place is called where a ride stops on the way.")]
PlaceKind = Annotated[
    Literal["train_station", "airport", "hotel", "landmark", "hospital", "saved_place"],
    Value("ride_place_kind", "What kind of place it is; a saved_place is the rider's own."),
]
SavedAs = Annotated[
    Literal["home", "work", "my_gym", "my_school", "my_club", "my_studio", "my_second_home"],
    Value("saved_as", "What a rider calls a saved place."),
]
Car = Annotated[
    Literal["standard_car", "comfort_car", "large_van", "wheelchair_van", "premium_car"],
    Value("ride_car", "Kind of car."),
]
RideStatus = Annotated[
    Literal["booked", "completed", "cancelled"], Value("ride_status", "Where a ride stands; booked ones lie ahead.")
]
Payment = Annotated[
    Literal["not_charged", "paid", "unpaid"],
    Value("ride_payment", "Whether a ride was charged, and if so, whether that was paid."),
]
Ground = Annotated[Literal["wrong_route", "waiting_time"], Value("dispute_ground", "Why a charge is disputed.")]
Item = Annotated[
    Literal["phone", "wallet", "umbrella", "backpack", "laptop", "jacket", "suitcase"],
    Value("left_behind", "What was left in a car."),
]
PromotionStatus = Annotated[
    Literal["open", "on_a_ride", "used"],
    Value("ride_promotion_status", "Whether a promotion can still be put on a ride."),
]
PromotionName = Annotated[str, Value("ride_promotion", "Name of a promotion.")]
PickUpAt = Annotated[dt.datetime, Value("ride_pick_up", "When a ride begins.")]
Owed = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Km = Annotated[float, Field(ge=0), Unit("km")]
Minutes = Annotated[int, Field(ge=0), Unit("minute")]
Passengers = Annotated[int, Field(ge=1, le=6), Unit("passenger")]
Bags = Annotated[int, Field(ge=0, le=8), Unit("bag")]
Stars = Annotated[int, Field(ge=1, le=5), Unit("star")]
Tip = Annotated[Money, Field(ge=1, le=100)]
Surge = Annotated[float, Field(ge=1)]


class Rider(Record, noun="rider", label="{name}"):
    """Somebody with an account."""

    id: RiderId
    """Identifier of the rider."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]


class RideContact(Record, noun="contact", label="{name}"):
    """Somebody whom a rider knows, and who may share a fare."""

    id: str
    """Identifier of the contact."""
    rider_id: RiderId
    """Whose contact it is."""
    name: ContactName
    has_account: bool
    """Whether they have an account themselves, without which nothing can be charged to them."""


class RidePlace(Record, noun="place", label="{name}[ in {city}]", listing="{name} at {address} ({kind})"):
    """A place where rides begin, end or stop."""

    id: PlaceId
    """Identifier of the place."""
    name: PlaceName
    kind: PlaceKind
    city: City
    address: Annotated[str, Value("address", "Street and number.")]
    x_km: float
    """How far east of the middle of the city it lies, in kilometres."""
    y_km: float
    """How far north of the middle of the city it lies, in kilometres."""
    saved_by: str | None = None
    """Identifier of the rider who saved it; none if it is there for everybody."""
    saved_as: SavedAs | None = None


class Stop(Record, noun="stop", label="{name}"):
    """A stop on the way."""

    place_id: PlaceId
    """Where it is."""
    name: StopName


class Ride(
    Record,
    noun="ride",
    label="my ride from {pickup} to {dropoff}[ on {pickup_at}]",
    listing="{pickup} to {dropoff} on {pickup_at} ({car}, {status}, {total})",
):
    """A ride that is booked ahead, was taken, or was cancelled."""

    id: RideId
    """Identifier of the ride."""
    rider_id: RiderId
    """Who booked it."""
    city: City
    status: RideStatus = "booked"
    pickup_id: PlaceId
    """Where it begins."""
    pickup: RideEnd
    dropoff_id: PlaceId
    """Where it ends."""
    dropoff: RideEnd
    stops: tuple[Stop, ...] = ()
    """Where it stops on the way, in order."""
    on_the_way: tuple[PlaceName, ...] = ()
    """Places near its route where one more stop would be a small detour, if it is booked."""
    pickup_at: Annotated[PickUpAt, Ranked("earliest", "latest")]
    """When it begins."""
    ends_at: dt.datetime
    """When it should be over."""
    booked_at: dt.datetime
    """When it was booked."""
    fees_from: dt.datetime
    """Pick-up time that cancellation fees and the last moment for changes are counted from."""
    car: Car
    passengers: Passengers = 1
    """How many people ride."""
    bags: Bags = 0
    """How many large pieces of luggage come along."""
    child_seat: bool = False
    """Whether the car brings a child seat."""
    km: Km
    """Length of the planned route."""
    surge: Surge
    """What the price is multiplied by at this hour."""
    fare: Money
    """Price of the ride before a promotion, in US dollars."""
    promotion_id: str | None = None  # no Ref: one that is on a ride is not to be had from there for another
    """Promotion that is on it."""
    promotion: PromotionName | None = None
    discount: Money = 0.0
    """What the promotion takes off, in US dollars."""
    split_with: tuple[ContactName, ...] = ()
    """Contacts who pay equal shares of it."""
    total: Annotated[Money, Ranked("cheapest", "most expensive")]
    """What the rider pays for it in all, in US dollars, with fees and tip, less shares of others and credit."""
    payment: Payment = "not_charged"
    owed: Owed = 0.0
    """What of it is not paid yet, in US dollars."""
    pay_by: dt.date | None = None
    """Last day to pay that before bookings are blocked."""
    cancel_fee: Money = 0.0
    """What cancelling it cost, in US dollars."""
    driver: str | None = None
    """First name of who drove."""
    driven_km: Km | None = None
    """Length of the route that was driven."""
    detour_charge: Money = 0.0
    """What was charged for the kilometres beyond the planned route, in US dollars."""
    driver_late: Minutes = 0
    """How long after the pick-up time the car came."""
    waited: Minutes = 0
    """How long after the pick-up time the ride began."""
    waiting_fee: Money = 0.0
    """What was charged for waiting, in US dollars."""
    grounds: tuple[Ground, ...] = ()
    """On what grounds a charge of it can be disputed."""
    disputed: Ground | None = None
    """On what ground a charge of it was disputed."""
    credit: Money = 0.0
    """What was given back for that, in US dollars."""
    stars: Stars | None = None
    """How the rider rated the driver."""
    tip: Money | None = None
    """What the driver got on top, in US dollars."""
    left_behind: tuple[Item, ...] = ()
    """Things that were reported as left in the car."""


class RidePromotion(
    Record,
    noun="promotion",
    label="my promotion {name}",
    listing="{name} ({percent_off} off, {max_off} at most)",
):
    """Makes one ride of one rider cheaper."""

    id: PromotionId
    """Identifier of the promotion."""
    rider_id: RiderId
    """Whose it is."""
    name: PromotionName
    percent_off: Annotated[int, Field(ge=1, le=100), Unit("%")]
    """How much of the fare it takes off."""
    max_off: Annotated[Money, Ranked("smallest", "largest")]
    """The most that it takes off, in US dollars."""
    min_fare: Money
    """Fare that a ride must have at least, in US dollars."""
    only_for: Car | None = None
    """Kind of car that it is for; none if it holds for all."""
    valid_until: dt.date
    """Last day on which a ride with it may begin."""
    status: PromotionStatus = "open"


class PlacePage(Page):
    """A page of places."""

    places: tuple[RidePlace, ...]
    """The places on this page."""


class RidePage(Page):
    """A page of rides."""

    rides: tuple[Ride, ...]
    """The rides on this page."""


class CarQuote(Output, noun="car", label="a {car}", listing="a {car} for {price} ({seats} seats, {room_for} bags)"):
    """What a ride costs with one kind of car."""

    car: Car
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """What the ride would cost, in US dollars."""
    seats: Annotated[int, Field(ge=1)]
    """How many passengers fit in."""
    room_for: Annotated[int, Field(ge=0)]
    """How many bags fit in."""
    child_seats: bool
    """Whether it can bring a child seat."""
    book_by: dt.datetime
    """Last moment to book it for this pick-up time."""


class QuotePage(Page):
    """What a ride costs, by kind of car."""

    quotes: tuple[CarQuote, ...]
    """The kinds of car on this page."""
    km: Km
    """Length of the route."""
    minutes: Minutes
    """How long the ride takes."""
    surge: Surge
    """What prices are multiplied by at this hour; those of a wheelchair_van never are."""


class RideDetails(Output):
    """A ride, with its bill and what can still be done with it."""

    ride: Ride
    """The ride."""
    pickup: RideEnd
    dropoff: RideEnd
    pickup_at: PickUpAt
    status: RideStatus
    total: Money
    """What the rider pays for it in all, in US dollars."""
    change_until: dt.datetime | None = None
    """Last moment to change it, if it is booked."""
    free_until: dt.datetime | None = None
    """Last moment to cancel it for free, if it is booked."""
    cancel_fee: Money | None = None
    """What cancelling it would cost now, or did cost, in US dollars."""
    report_until: dt.date | None = None
    """Last day to report something left behind; none if it was not taken, or too long ago."""
    rate_until: dt.date | None = None
    """Last day to rate, tip or dispute it; none if it was not taken, or too long ago."""
    promotions: tuple[RidePromotion, ...]
    """The rider's open promotions: those that could be put on it if it is booked, or else on a ride ahead."""
    owed_in_all: Money
    """What the rider owes for all rides, in US dollars."""
    booking_blocked: bool
    """Whether the rider has to pay before booking again."""


class MovedRide(Output):
    """A ride at another time."""

    ride_id: RideId
    """Ride that was moved."""
    dropoff: RideEnd
    moved_from: dt.datetime
    """When it began before."""
    pickup_at: PickUpAt
    ends_at: dt.datetime
    """When it should be over."""
    free_until: dt.datetime | None = None
    """Last moment to cancel it for free, if that is still ahead."""
    total: Money
    """What the rider pays for it now, in US dollars."""


class CheaperRide(Output):
    """A ride with a promotion on it."""

    ride_id: RideId
    """Ride that became cheaper."""
    dropoff: RideEnd
    promotion: PromotionName
    discount: Money
    """What the promotion takes off, in US dollars."""
    total: Money
    """What the rider pays for it now, in US dollars."""
    freed: PromotionName | None = None
    """Promotion that was on it before and is open again."""


class LostReport(Output):
    """What the driver of a ride was told to look for."""

    ride_id: RideId
    """Ride on which it was left."""
    driver: str | None = None
    """First name of who drove."""
    left_behind: tuple[Item, ...]
    """All that was reported for this ride."""
    report_until: dt.date
    """Last day to report more."""


class ChargeCredit(Output):
    """What a disputed charge brings."""

    ride_id: RideId
    """Ride that was disputed."""
    dropoff: RideEnd
    reason: Ground
    credit: Money
    """What is given back, in US dollars."""
    paid_back: Money
    """What of it goes back to the card, since it is not set off against what is owed, in US dollars."""
    owed: Owed
    """What is still to be paid for the ride, in US dollars."""
    pay_by: dt.date | None = None
    """Last day for that."""
    booking_blocked: bool
    """Whether the rider has to pay before booking again."""


class SettledCharge(Output):
    """What was paid for a ride."""

    ride_id: RideId
    """Ride that was unpaid."""
    paid: Money
    """What was paid, in US dollars."""
    owed_in_all: Owed
    """What the rider still owes for other rides, in US dollars."""
    unpaid_rides: Annotated[int, Field(ge=0)]
    """How many rides these are."""
