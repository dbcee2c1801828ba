"""Records and results of the parcel service: parcels, where they were seen, pickup points, claims."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Money, Output, Page, Ranked, Record, Ref, Unit, Value

RecipientId = Annotated[str, Ref("ParcelUser")]
ParcelId = Annotated[str, Ref("Parcel")]
PointId = Annotated[str, Ref("PickupPoint")]
City = Annotated[str, Value("city", "City, by its English name.")]
Street = Annotated[str, Field(min_length=3, max_length=60), Value("address", "Street and number.")]
Partner = Annotated[
    str, Field(min_length=2, max_length=60), Value("parcel_partner", "Who a parcel comes from or goes to.")
]
Size = Annotated[Literal["small", "medium", "large"], Value("parcel_size", "Size of a parcel.")]
Speed = Annotated[Literal["standard", "express"], Value("delivery_method", "How fast the parcel travels.")]
Window = Annotated[Literal["morning", "afternoon", "evening"], Value("delivery_window", "Part of the day.")]
Direction = Literal["incoming", "outgoing"]
Reason = Annotated[Literal["damaged", "late", "missing"], Value("parcel_problem", "What is wrong with a parcel.")]
Status = Annotated[
    Literal["announced", "in_transit", "ready_for_pickup", "delivered", "cancelled", "lost"],
    Value("parcel_status", "Where a parcel stands."),
]
PointOrder = Literal["distance", "free_lockers"]
Instructions = Annotated[
    str,
    Field(min_length=3, max_length=200),
    FreeText(("leave it behind the gate", "the bell does not work", "please call before", "third floor, left door")),
]
Insured = Annotated[Money, Field(gt=0, le=1000)]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]


class ParcelUser(Record, noun="user", label="{name}"):
    """Who is signed in."""

    id: RecipientId
    """Identifier of the user."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]
    address: Street
    city: City


class ServedCity(Record, noun="city", label="{name}"):
    """A city that the service delivers to."""

    id: Annotated[str, Ref("ServedCity")]
    """Identifier of the city."""
    name: City


class PickupPoint(
    Record, noun="pickup point", label="{name}[ at {address}]", listing="{name} at {address} ({distance} away)"
):
    """A shop or a wall of lockers that keeps parcels."""

    id: PointId
    """Identifier of the pickup point."""
    name: str
    """What it is called."""
    address: Street
    city: City
    distance: Annotated[float, Unit("kilometre"), Ranked("nearest", "farthest")]
    """How far it is from the middle of the city."""
    open_late: bool
    """Whether parcels can be fetched after 20:00."""
    lockers: Annotated[int, Field(ge=0), Unit("locker")]
    """How many lockers are free."""
    largest: Size
    """Size of the largest parcel that it keeps."""


Place = Annotated[
    Literal["porch", "garage", "garden_shed", "back_door"],
    Value("safe_place", "Place where a parcel is left if nobody is at home."),
]


class Parcel(
    Record,
    noun="parcel",
    label="the {partner} parcel[ due {expected_on}]",
    listing="the {partner} parcel due {expected_on} ({status})",
):
    """A parcel to the signed-in user, or from them."""

    id: ParcelId
    """Identifier of the parcel."""
    direction: Direction
    """Whether it comes to the user or was sent by them."""
    partner: Partner
    size: Size
    speed: Speed
    address: Street
    city: City
    expected_on: dt.date
    """Day on which it is to arrive."""
    other_days: tuple[dt.date, ...] = ()
    """Days on which it can be delivered instead."""
    window: Window | None = None
    """Part of the day that was asked for."""
    point_id: PointId | None = None
    """Pickup point that it goes to instead of the door."""
    instructions: Annotated[str | None, FreeText()] = None
    """What the driver should know."""
    insured: Insured | None = None
    """Value that is insured, if any."""
    price: Annotated[AmountDue, Ranked("cheapest", "most expensive")]
    """What sending it cost."""
    fees: Money = 0
    """What changes of the delivery cost."""
    delivered_on: dt.date | None = None
    """Day on which it was delivered."""
    status: Status
    signed_on: dt.date | None = None
    """Day on which its recipient has signed in the app that it may be left, and it was not yet said where."""
    left_at: Place | None = None
    """Where it is left if nobody is at home."""


class Release(Output):
    """What the recipient has signed."""

    parcel_id: ParcelId
    """Parcel that may be left without a signature at the door."""
    signed_on: dt.date
    """Day on which they have signed."""


class Scan(Record, noun="scan", label="the scan of {at}", listing="{what} in {city} ({at})"):
    """A parcel seen somewhere."""

    id: Annotated[str, Ref("ParcelScan")]
    """Identifier of the scan."""
    parcel_id: ParcelId
    """Parcel that was seen."""
    at: dt.datetime
    """When."""
    city: City
    what: Literal["handed_in", "sorted", "loaded", "delivered"]
    """What was done with it."""


class ParcelClaim(
    Record,
    noun="claim",
    label="the claim about {partner}",
    listing="the claim about the {partner} parcel, which was {reason} ({amount})",
):
    """Something that went wrong with a parcel."""

    id: Annotated[str, Ref("ParcelClaim")]
    """Identifier of the claim."""
    parcel_id: ParcelId
    """Parcel that it is about."""
    partner: Partner
    reason: Reason
    amount: AmountDue
    """What is paid."""
    filed_on: dt.date
    """When it was filed."""


class ParcelPage(Page):
    """A page of parcels."""

    parcels: tuple[Parcel, ...]
    """The parcels on this page."""


class PointPage(Page):
    """A page of pickup points."""

    points: tuple[PickupPoint, ...]
    """The pickup points on this page."""


class Track(Output):
    """Where a parcel is and was."""

    parcel_id: ParcelId
    """Parcel asked about."""
    partner: Partner
    status: Status
    expected_on: dt.date
    """Day on which it is to arrive."""
    scans: tuple[Scan, ...]
    """Where it was seen, the latest first."""
    claims: tuple[ParcelClaim, ...]
    """What was claimed for it."""


class Offer(Output, noun="offer", label="{speed} delivery", listing="{speed} for {total}, there on {arrives_on}"):
    """What sending a parcel costs one way."""

    speed: Speed
    total: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price, insurance included."""
    arrives_on: dt.date
    """Day on which it would arrive."""


class Quote(Output):
    """What sending a parcel costs."""

    city: City
    size: Size
    offers: tuple[Offer, ...]
    """One for each speed."""


class Cancelled(Output):
    """What calling a shipment off comes to."""

    parcel_id: ParcelId
    """Parcel that is not sent."""
    refund: AmountDue
    """What is paid back."""
