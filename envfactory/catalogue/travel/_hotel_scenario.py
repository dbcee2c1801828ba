"""The scenario of the hotel service.

Hotels in the world's cities, the user's own stays in every status, and other guests who take up rooms.
"""

import datetime as dt
from typing import Any, get_args

from envfactory.catalogue.travel._hotel_records import (
    Amenity,
    Guest,
    Hotel,
    Reservation,
    Review,
    Room,
    RoomKind,
    Status,
)
from envfactory.catalogue.travel._hotel_rules import SLEEPS
from envfactory.environment import World, by_id, cents


def hotel_world(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    hotels: list[Hotel] = []
    for n in range(max(8, size // 3)):
        hotels.append(_hotel(world, f"H-{101 + n}", n, {hotel.name for hotel in hotels}))
    people = [world.user, *world.people(max(4, size // 8))]
    guests = [
        Guest(id=f"G-{11 + n}", name=person.name, email=person.email, points=world.integer(0, 900))
        for n, person in enumerate(people)
    ]
    stays: list[Reservation] = []
    for n in range(max(14, size // 2)):
        guest = guests[0] if n < 6 else world.choice(guests[1:])
        hotel = hotels[0] if n >= 6 and n % 4 == 0 else world.choice(hotels)  # the first hotel fills up
        stays.append(_stay(world, f"RES-{301 + n}", hotel, guest, n))
    reviews = [
        Review(
            id=f"REV-{501 + n}",
            hotel_id=hotel.id,
            guest_id=world.choice(guests[1:]).id,
            score=world.integer(3, 10),
            title=world.choice(
                ("Lovely stay", "Good value", "Too loud at night", "Friendly staff", "Rooms need work", "Perfect")
            ),
        )
        for n, hotel in enumerate([*hotels[: size // 4], *hotels[: max(6, size // 6)]])
    ]
    return {
        "now": world.now,
        "guest_id": guests[0].id,
        "hotels": by_id(hotels),
        "guests": by_id(guests),
        "reservations": by_id(stays),
        "reviews": by_id(reviews),
    }


_FIRST = (
    "Grand", "Harbour", "Old Town", "Royal", "Garden", "Riverside", "Central", "Station", "Hill", "Park", "Museum",
    "Sunset",
)  # fmt: skip
_LARGER: tuple[RoomKind, ...] = ("twin", "family")
_SECOND = ("Hotel", "Inn", "House", "Lodge", "Palace", "Suites", "Residence")


def _hotel(world: World, hotel_id: str, number: int, taken: set[str]) -> Hotel:
    stars = world.weighted({2: 1, 3: 4, 4: 4, 5: 2})
    base = 35 + 28 * stars + world.integer(0, 30)
    kinds: list[RoomKind] = ["single", "double", *world.sample(_LARGER, world.integer(1, 2))]
    rate: dict[RoomKind, float] = {"single": 0.8, "double": 1.0, "twin": 1.05, "family": 1.9}
    rooms = tuple(
        Room(kind=kind, rooms=1 if number == 0 else world.integer(1, 6), nightly_rate=cents(round(base * rate[kind])))
        for kind in kinds
    )
    city, _ = world.cities[number % 4] if number < 8 else world.city()
    names = [f"{_FIRST[number % len(_FIRST)]} {second} {city}" for second in _SECOND]
    return Hotel(
        id=hotel_id,
        name=world.choice([name for name in names if name not in taken] or names),
        city=city,
        address=world.address(),
        stars=stars,
        rating=round(world.integer(55, 97) / 10, 1),
        amenities=tuple(world.sample(get_args(Amenity), stars + 1)),
        rooms=rooms,
        from_rate=min(room.nightly_rate for room in rooms),
    )


def _stay(world: World, stay_id: str, hotel: Hotel, guest: Guest, number: int) -> Reservation:
    room = hotel.rooms[1] if number >= 6 and number % 4 == 0 else world.choice(hotel.rooms)
    status: Status = ("confirmed", "confirmed", "completed", "confirmed", "cancelled", "completed")[number % 6]
    if status == "completed":
        check_in = world.date(-120, -20)
    elif number == 3:
        check_in = world.today + dt.timedelta(days=1)  # too late to cancel for free
    else:
        check_in = world.date(5, 60)
    nights = world.integer(1, 6)
    return Reservation(
        id=stay_id,
        hotel_id=hotel.id,
        hotel_name=hotel.name,
        guest_id=guest.id,
        room_kind=room.kind,
        check_in=check_in,
        check_out=check_in + dt.timedelta(days=nights),
        guests=min(SLEEPS[room.kind], world.integer(1, 2)),
        total=cents(room.nightly_rate * nights),
        status=status,
    )
