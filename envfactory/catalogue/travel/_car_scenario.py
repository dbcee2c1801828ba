"""The car rental of a scenario: stations, cars left and sold out, and the user's rentals in every condition."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.travel._car_records import (
    YOUNG_AGE,
    BookedExtra,
    CarExtra,
    CarHire,
    Category,
    DamageReport,
    Protection,
    RentalCar,
    RentalStation,
    RentalStatus,
    Renter,
)
from envfactory.environment import World, by_id


class _Kind(NamedTuple):
    """A kind of car: its models, what a day costs from and to, seats, and the least age of its drivers."""

    category: Category
    models: tuple[str, ...]
    rates: tuple[int, int]
    seats: int
    min_age: int


_KINDS = (
    _Kind("economy", ("Fiat 500", "Kia Picanto", "Toyota Aygo", "Hyundai i10"), (24, 38), 4, 19),
    _Kind("compact", ("Volkswagen Golf", "Ford Focus", "Toyota Corolla", "Peugeot 308"), (38, 58), 5, 19),
    _Kind("family", ("Skoda Octavia", "Nissan Qashqai", "Kia Sportage", "Dacia Jogger"), (55, 85), 5, 21),
    _Kind("premium", ("BMW 320i", "Audi A4", "Volvo V60", "Mercedes C 200"), (90, 150), 5, 25),
    _Kind("large", ("Ford Transit", "Volkswagen Caravelle", "Opel Vivaro", "Mercedes Vito"), (80, 130), 9, 23),
)
_EXTRAS = (
    ("child seat", 9.0, 3, True), ("booster seat", 6.0, 3, True), ("navigation device", 8.0, 1, False),
    ("roof box", 12.0, 1, False), ("bike rack", 11.0, 1, False), ("ski rack", 10.0, 1, False),
    ("snow chain set", 7.0, 1, False), ("mobile hotspot", 9.5, 2, False), ("toll box", 4.0, 1, False),
    ("baby seat", 9.0, 2, True),
)  # fmt: skip


class _Mine(NamedTuple):
    """One of the user's rentals: picked up so many days from now, for so long."""

    start: int
    days: int
    status: RentalStatus = "booked"
    prepaid: bool = False
    protection: Protection = "basic"


_MINE = (
    _Mine(12, 4),
    _Mine(20, 7, prepaid=True),
    _Mine(-3, 7, "running"),
    _Mine(31, 3, protection="medium"),
    _Mine(-40, 5, "returned"),
    _Mine(-6, 4, "running", protection="medium"),
    _Mine(44, 9, prepaid=True, protection="full"),
    _Mine(1, 5, prepaid=True),
    _Mine(-2, 9, "running", True, "full"),
    _Mine(16, 3, "cancelled"),
    _Mine(-75, 12, "returned"),
    _Mine(55, 6),
)
"""The sixth should have been back by now; the eighth is too close to be cancelled cheaply."""


def fleet(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    people = [world.user, *world.people(max(6, size // 8))]
    renters = [
        Renter(id=f"RN-{11 + n}", name=p.name, email=p.email, age=world.choice((23, 28, 34, 41, 52)))
        for n, p in enumerate(people)
    ]
    stations = [
        RentalStation(
            id=f"RS-{21 + n}", name=f"{world.cities[n // 3][0]} {('Central Station', 'Airport', 'Harbour')[n % 3]}",
            city=world.cities[n // 3][0], address=world.address(), airport=n % 3 == 1, open_sundays=n % 3 != 2,
            one_way=n % 3 != 2 or n % 2 == 0,
        )
        for n in range(min(24, 5 + size // 20))
    ]  # fmt: skip
    cars: list[RentalCar] = []
    for n in range(max(22, size * 3 // 5)):
        # The first two stations have a second page of cars.
        station = stations[n % 2 if n < 14 else n % len(stations)]
        kind = _KINDS[n // 2 % len(_KINDS)]
        taken = [car.model for car in cars if car.station_id == station.id]
        models = [model for model in kind.models if model not in taken]
        if models:
            cars.append(
                RentalCar(
                    id=f"RC-{101 + n}", station_id=station.id, station_name=station.name, model=world.choice(models),
                    category=kind.category, seats=kind.seats, automatic=n % 4 != 1,
                    daily_rate=world.integer(*kind.rates), min_age=kind.min_age,
                    cars=0 if n in (5, 21) else world.integer(2, 5),
                )
            )  # fmt: skip
    extras = [
        CarExtra(id=f"EX-{301 + n}", name=name, daily=daily, most=most, for_children=children)
        for n, (name, daily, most, children) in enumerate(_EXTRAS)
    ]
    by_station = {station.id: station for station in stations}
    allowed = [car for car in cars if car.cars > 0 and car.min_age <= renters[0].age]
    rented = world.sample(allowed, len(_MINE))
    rows = [
        _rental(world, n, renters[0], rented[n % len(rented)], by_station, extras, about)
        for n, about in enumerate(_MINE)
    ]
    for n in range(max(5, size // 6)):
        about = _Mine(world.integer(2, 40), world.integer(2, 9), "cancelled" if n % 5 == 4 else "booked")
        renter = renters[1 + n % (len(renters) - 1)]
        rows.append(_rental(world, len(rows), renter, cars[n % len(cars)], by_station, extras, about))
    running = rows[2]
    damage = DamageReport(
        id="DR-801", rental_id=running.id, model=running.model, part="mirror", repair=180, to_pay=180,
        reported_on=world.today,
    )  # fmt: skip
    rows[2] = running.evolve(damage=180).priced()
    return {
        "now": world.now,
        "renter_id": renters[0].id,
        "renters": by_id(renters),
        "stations": by_id(stations),
        "cars": by_id(cars),
        "extras": by_id(extras),
        "rentals": by_id(rows),
        "damages": by_id([damage]),
    }


def _rental(
    world: World, number: int, renter: Renter, car: RentalCar, stations: dict[str, RentalStation],
    extras: list[CarExtra], about: _Mine,
) -> CarHire:  # fmt: skip
    start, station = world.today + dt.timedelta(days=about.start), stations[car.station_id]
    extra = extras[number % len(extras)]
    booked = (BookedExtra(extra_id=extra.id, name=extra.name, daily=extra.daily, count=1),) if number % 3 == 1 else ()
    return CarHire(
        id=f"RT-{501 + number}", renter_id=renter.id, car_id=car.id, model=car.model, category=car.category,
        station_id=station.id, station_name=station.name, return_station_id=station.id,
        return_station_name=station.name, pick_up=start, return_on=start + dt.timedelta(days=about.days),
        daily_rate=car.daily_rate, prepaid=about.prepaid, protection=about.protection, extras=booked,
        young=int(renter.age < YOUNG_AGE), total=0, status=about.status,
    ).priced()  # fmt: skip
