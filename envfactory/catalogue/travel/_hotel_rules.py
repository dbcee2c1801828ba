"""Which rooms are free and large enough, what a stay costs, until when it can be changed, and who can review."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.travel import _hotel_records as rec
from envfactory.environment import ToolError, cents, standing

SLEEPS = {"single": 1, "double": 2, "twin": 2, "family": 4}
"""How many people a kind of room sleeps."""
MOST_NIGHTS = 14
CHANGE_FEE = 15.0
"""What other dates cost."""
FREE_DAYS = 3
"""Cancelling is free until so many days before check-in."""


def suits(hotel: rec.Hotel, amenity: rec.Amenity | None, min_stars: int | None, max_rate: float | None) -> bool:
    """Whether a hotel has what is asked for."""
    return (
        (amenity is None or amenity in hotel.amenities)
        and (min_stars is None or hotel.stars >= min_stars)
        and (max_rate is None or hotel.from_rate <= max_rate)
    )


def rank(hotel: rec.Hotel, sort: rec.Sort) -> tuple[float, str]:
    """Where a hotel stands: the lowest rate first, the best rating first, or the most stars first."""
    return {"rate": hotel.from_rate, "rating": -hotel.rating, "stars": -hotel.stars}[sort], hotel.id


# -- stays


def check_dates(check_in: dt.date, check_out: dt.date, today: dt.date) -> None:
    """Refuse a stay that begins in the past, and one that is none or too long."""
    nights = (check_out - check_in).days
    if check_in < today:
        raise ToolError("invalid_argument", f"The stay cannot begin on {check_in}, which is past.")
    if not 1 <= nights <= MOST_NIGHTS:
        raise ToolError("invalid_argument", f"A stay is one to fourteen nights, not {nights}.")


def price_of(room: rec.Room, check_in: dt.date, check_out: dt.date) -> float:
    """What a stay in a room costs."""
    return cents(room.nightly_rate * (check_out - check_in).days)


# -- rooms


def fitting_room(hotel: rec.Hotel, kind: str, guests: int) -> rec.Room:
    """A hotel's room of a kind; refused if it has none, or if it is too small."""
    room = next((room for room in hotel.rooms if room.kind == kind), None)
    if room is None:
        has = ", ".join(room.kind for room in hotel.rooms)
        raise ToolError("not_found", f"{hotel.name} has no {kind} rooms; it has {has}.")
    if guests > SLEEPS[kind]:
        raise ToolError("limit_exceeded", f"A {kind} room sleeps {SLEEPS[kind]}, not {guests}.")
    return room


def rooms_left(
    hotel: rec.Hotel, room: rec.Room, check_in: dt.date, check_out: dt.date, stays: Iterable[rec.Reservation]
) -> int:
    """Rooms of a kind that are free on every night besides these stays."""
    wanted = (hotel.id, room.kind, "confirmed")
    there = [stay for stay in stays if (stay.hotel_id, stay.room_kind, stay.status) == wanted]
    nights = [check_in + dt.timedelta(days=offset) for offset in range((check_out - check_in).days)]
    return room.rooms - max(sum(stay.check_in <= night < stay.check_out for stay in there) for night in nights)


def availability(
    hotel: rec.Hotel, check_in: dt.date, check_out: dt.date, guests: int, stays: list[rec.Reservation]
) -> rec.Availability:
    """What a hotel has for a stay: the kinds of rooms that are large enough and free on every night."""
    offers = tuple(
        rec.Offer(room_kind=room.kind, rooms_left=left, total=price_of(room, check_in, check_out))
        for room in hotel.rooms
        if SLEEPS[room.kind] >= guests and (left := rooms_left(hotel, room, check_in, check_out, stays)) > 0
    )
    return rec.Availability(hotel_id=hotel.id, nights=(check_out - check_in).days, offers=offers)


def check_free(
    hotel: rec.Hotel, room: rec.Room, check_in: dt.date, check_out: dt.date, stays: Iterable[rec.Reservation]
) -> None:
    """Refuse a stay for which no room of a kind is left besides these stays."""
    if rooms_left(hotel, room, check_in, check_out, stays) < 1:
        raise ToolError("conflict", f"{hotel.name} has no {room.kind} room left from {check_in} to {check_out}.")


# -- changes of a stay


def changeable(stay: rec.Reservation, today: dt.date) -> rec.Reservation:
    """A stay that is still to begin."""
    standing(stay, ("confirmed",), "changed")
    if stay.check_in <= today:
        raise ToolError("precondition_failed", "The stay has begun, so it cannot be changed.")
    return stay


def check_moved(stay: rec.Reservation, check_in: dt.date, check_out: dt.date) -> None:
    """Refuse dates that a stay has already."""
    if (stay.check_in, stay.check_out) == (check_in, check_out):
        raise ToolError("invalid_argument", "The reservation has these dates already.")


def moved(stay: rec.Reservation, room: rec.Room, check_in: dt.date, check_out: dt.date) -> rec.Reservation:
    """The stay on other dates, for a fee."""
    total, fee = price_of(room, check_in, check_out), cents(stay.fee + CHANGE_FEE)
    return stay.evolve(check_in=check_in, check_out=check_out, total=total, fee=fee)


def switched(
    stay: rec.Reservation, hotel: rec.Hotel, room_kind: rec.RoomKind, stays: Iterable[rec.Reservation]
) -> rec.Reservation:
    """The stay in another kind of room, at its rate; refused if that is too small or taken on one of the nights."""
    if stay.room_kind == room_kind:
        raise ToolError("invalid_argument", f"The reservation is for a {room_kind} room already.")
    room = fitting_room(hotel, room_kind, stay.guests)
    if rooms_left(hotel, room, stay.check_in, stay.check_out, stays) < 1:
        raise ToolError("conflict", f"{hotel.name} has no {room_kind} room left on those nights.")
    return stay.evolve(room_kind=room_kind, total=price_of(room, stay.check_in, stay.check_out))


def cancellation_fee(stay: rec.Reservation, today: dt.date) -> float:
    """What cancelling a stay costs: late, the first night."""
    late = (stay.check_in - today).days < FREE_DAYS
    return cents(stay.total / stay.nights) if late else 0.0


# -- reviews


def average_of(reviews: list[rec.Review]) -> float:
    """What guests give on average, to a tenth."""
    return round(sum(review.score for review in reviews) / len(reviews), 1) if reviews else 0.0


def check_reviewable(hotel: rec.Hotel, own: Iterable[rec.Reservation], reviews: Iterable[rec.Review]) -> None:
    """Refuse to review a hotel to a guest who has not stayed there, and twice.

    Args:
        hotel: hotel that is to be reviewed.
        own: the guest's stays.
        reviews: the guest's reviews.
    """
    if not any(stay.hotel_id == hotel.id and stay.status == "completed" for stay in own):
        raise ToolError("precondition_failed", f"Only guests who have stayed at {hotel.name} can review it.")
    if any(review.hotel_id == hotel.id for review in reviews):
        raise ToolError("conflict", f"You have reviewed {hotel.name} already.")
