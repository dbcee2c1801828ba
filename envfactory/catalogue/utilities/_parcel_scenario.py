"""The parcels of a scenario: announced, under way, late, waiting and delivered, and pickup points full and free."""

import datetime as dt
from typing import Any

from envfactory.catalogue.utilities._parcel_records import (
    Direction,
    Parcel,
    ParcelClaim,
    ParcelUser,
    PickupPoint,
    Scan,
    ServedCity,
    Size,
    Speed,
    Status,
)
from envfactory.catalogue.utilities._parcel_rules import SIZES, other_days, price_of, working_day
from envfactory.environment import World, by_id

_SHOPS = (
    "Nordhem", "Kestrel", "Bluebird Books", "Fjord & Field", "Luma", "Oakwell", "Summit Outdoors", "Solvik", "Tamarin",
    "Caldera", "Halden", "Juniper",
)  # fmt: skip
_PLACES = ("Corner Kiosk", "Station Lockers", "Green Grocer", "Book Nook", "City Lockers", "Petrol Stop", "Flower Shop")
_SIZES: tuple[Size, ...] = ("small", "medium", "large", "medium", "small")
_STATES: tuple[tuple[Status, int, int], ...] = (
    ("in_transit", 2, 6), ("announced", 4, 9), ("delivered", -6, -1), ("in_transit", -8, -5),
    ("ready_for_pickup", -2, 0), ("in_transit", 2, 7), ("delivered", -40, -20), ("announced", 3, 8),
    ("cancelled", 3, 9), ("delivered", -5, -2),
)  # fmt: skip
"""How parcels stand, and when they are expected, in days from now; the fourth is late."""
_STEPS = ("handed_in", "sorted", "loaded", "delivered")


def parcels(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    city, _ = world.cities[0]
    user = ParcelUser(
        id="PU-1", name=world.user.name, email=world.user.email, address=world.address(), city=city
    )  # fmt: skip
    points = [
        PickupPoint(
            id=f"PP-{11 + n}", name=_PLACES[n % len(_PLACES)], address=f"{n * 7 + world.integer(1, 6)} Market Square",
            city=city if n < 7 else world.cities[1 + n % 3][0], distance=world.integer(2, 90) / 10,
            open_late=n % 3 == 1, lockers=0 if n % 5 == 3 else world.integer(1, 9), largest=SIZES[n % 3 - 1],
        )
        for n in range(max(9, size // 6))
    ]  # fmt: skip
    rows: list[Parcel] = []
    count = max(20, size // 3)
    people = world.people(count)
    shops = world.sample([f"{name}{kind}" for kind in ("", " Outlet", " Express", " Direct") for name in _SHOPS], 48)
    for n in range(count):
        status, low, high = _STATES[n % len(_STATES)]
        direction: Direction = "outgoing" if n % 3 == 1 else "incoming"
        partner = people[n].name if direction == "outgoing" else shops[n % 48]
        expected = working_day(world.date(low, high))
        big = _SIZES[n % 5]
        speed: Speed = "express" if n % 10 in (3, 9) else "standard"  # of what is late, and of what has come
        changeable = direction == "incoming" and status in ("announced", "in_transit") and low > 0
        waits = status == "ready_for_pickup" or (changeable and n % 10 == 5)  # at a pickup point, now or later
        insured = world.integer(1, 6) * 50 if n % 4 == 2 else None
        rows.append(
            Parcel(
                id=f"PC-{101 + n}", direction=direction, partner=partner, size=big, speed=speed,
                address=world.address() if direction == "outgoing" else user.address,
                city=world.cities[1 + n % 5][0] if direction == "outgoing" else city, expected_on=expected,
                other_days=other_days(expected) if changeable else (),
                point_id=points[n % 7].id if waits else None, insured=insured,
                price=price_of(big, speed, away=direction == "outgoing", insured=insured),
                delivered_on=expected if status == "delivered" else None, status=status,
            )
        )  # fmt: skip
    scans: list[Scan] = []
    for number, row in enumerate(rows):
        far = world.cities[1 + number % 5][0]
        places = (city, row.city) if row.direction == "outgoing" else (far, city)
        steps = {"in_transit": 2, "ready_for_pickup": 3, "delivered": 4}.get(row.status, 0)
        for n in range(steps):
            day = min(row.expected_on - dt.timedelta(days=3 - n), world.today - dt.timedelta(days=3 - n))
            at = dt.datetime.combine(day, dt.time(world.integer(6, 8)))
            seen = places[n // 2]  # handed in and sorted where it comes from
            scans.append(Scan(id=f"SC-{401 + len(scans)}", parcel_id=row.id, at=at, city=seen, what=_STEPS[n]))
    claims = [
        ParcelClaim(id="CLM-701", parcel_id=rows[9].id, partner=rows[9].partner, reason="damaged", amount=50,
                    filed_on=world.today)
    ]  # fmt: skip
    return {
        "now": world.now,
        "user_id": user.id,
        "users": by_id([user]),
        "cities": by_id([ServedCity(id=f"SV-{901 + n}", name=name) for n, (name, _) in enumerate(world.cities)]),
        "points": by_id(points),
        "parcels": by_id(rows),
        "scans": by_id(scans),
        "claims": by_id(claims),
    }
