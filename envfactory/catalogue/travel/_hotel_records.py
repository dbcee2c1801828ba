"""Records and results of the hotel service."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Money, Output, Page, Ranked, Record, Ref, Unit, Value

City = Annotated[str, Value("city", "City, by its English name.")]
Amenity = Literal["wifi", "breakfast", "parking", "pool", "gym", "spa", "pets", "airport_shuttle"]
RoomKind = Annotated[Literal["single", "double", "twin", "family"], Value("room_kind", "Kind of room.")]
HotelId = Annotated[str, Ref("Hotel")]
ReservationId = Annotated[str, Ref("Reservation")]
GuestId = Annotated[str, Ref("Guest")]
Guests = Annotated[int, Field(ge=1, le=8), Unit("guest")]
CheckIn = Annotated[dt.date, Value("check_in", "First night of the stay.")]
CheckOut = Annotated[dt.date, Value("check_out", "Day of departure.")]
Status = Literal["confirmed", "cancelled", "completed"]
Sort = Literal["rate", "rating", "stars"]


class Room(Record, noun="room", label="{kind}"):
    """What a hotel has of one kind of room."""

    kind: RoomKind
    rooms: int
    """How many there are."""
    nightly_rate: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price of one room for one night."""


class Hotel(Record, noun="hotel", label="{name}", listing="{name} ({stars} stars, from {from_rate} a night)"):
    """A hotel and what it offers."""

    id: HotelId
    """Identifier of the hotel."""
    name: str
    """Name of the hotel."""
    city: City
    address: str
    """Street and number."""
    stars: Annotated[int, Field(ge=1, le=5), Ranked("", "most luxurious")]
    """Stars, 1 to 5."""
    rating: Annotated[float, Ranked("", "best rated")]
    """Average of the guests' ratings, 0 to 10."""
    amenities: tuple[Amenity, ...]
    """What the hotel offers."""
    rooms: tuple[Room, ...]
    """Its kinds of rooms."""
    from_rate: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Lowest price for a night."""


class Guest(Record, noun="guest", label="{name}"):
    """Somebody with an account."""

    id: GuestId
    """Identifier of the guest."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]
    points: int
    """Loyalty points, 1 for each full dollar of completed stays."""


class Reservation(
    Record,
    noun="reservation",
    label="the stay at {hotel_name}[ starting {check_in}]",
    listing="{hotel_name}, {check_in} to {check_out} ({status})",
):
    """A stay, booked, done or called off."""

    id: ReservationId
    """Identifier of the reservation."""
    hotel_id: HotelId
    """Hotel of the stay."""
    hotel_name: str
    """Its name."""
    guest_id: GuestId
    """Guest who booked."""
    room_kind: RoomKind
    check_in: CheckIn
    check_out: CheckOut
    guests: Guests
    """How many people stay."""
    total: Annotated[Money, Value("amount_due", "Amount to be paid.")]
    """Price of the whole stay."""
    status: Status = "confirmed"
    """Where the reservation stands."""
    fee: Money = 0
    """Fees charged for changing or cancelling."""
    request: Annotated[str | None, FreeText()] = None
    """What the guest asked the hotel for."""

    @property
    def nights(self) -> int:
        """How long the stay is."""
        return (self.check_out - self.check_in).days


class Review(Record, noun="review", label="{title}", listing="{title} ({score}/10)"):
    """What a guest says about a hotel."""

    id: Annotated[str, Ref("Review")]
    """Identifier of the review."""
    hotel_id: HotelId
    """Hotel that is reviewed."""
    guest_id: GuestId
    """Guest who wrote it."""
    score: Annotated[int, Field(ge=1, le=10), Ranked("most critical", "most enthusiastic")]
    """Score, 1 to 10."""
    title: Annotated[str, FreeText()]
    """What the guest says in a line."""


class HotelPage(Page):
    """A page of hotels."""

    hotels: tuple[Hotel, ...]
    """The hotels on this page."""


class ReservationPage(Page):
    """A page of reservations."""

    reservations: tuple[Reservation, ...]
    """The reservations on this page."""


class ReviewPage(Page):
    """A page of reviews."""

    reviews: tuple[Review, ...]
    """The reviews on this page."""
    average: float
    """Average score over all of the hotel's reviews that match."""


class Offer(Output, noun="offer", label="{room_kind} room", listing="a {room_kind} room for {total}"):
    """A kind of room that is free for a whole stay."""

    room_kind: RoomKind
    rooms_left: int
    """Rooms free on every night of the stay."""
    total: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price of the whole stay."""


class Availability(Output):
    """What a hotel has for a stay."""

    hotel_id: HotelId
    """Hotel asked about."""
    nights: Annotated[int, Unit("night")]
    """Length of the stay."""
    offers: tuple[Offer, ...]
    """Kinds of rooms that are free and large enough."""


class Cancellation(Output):
    """What calling a stay off costs."""

    reservation_id: ReservationId
    """Reservation that was cancelled."""
    fee: Money
    """What the cancellation costs."""
    refund: Annotated[Money, Value("amount_due", "Amount to be paid.")]
    """What is paid back."""
