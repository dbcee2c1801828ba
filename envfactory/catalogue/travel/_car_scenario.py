"""The car rental of a scenario: stations, cars left and sold out, and the user's rentals in every condition."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.travel import _car_rules as rules
from envfactory.catalogue.travel._car_records import (
    BookedExtra,
    CarExtra,
    CarHire,
    Category,
    FurtherDriver,
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


class _Hire(NamedTuple):
    """A rental: picked up so many days from now, for so long, and what is special about it."""

    start: int
    days: int
    status: RentalStatus = "booked"
    prepaid: bool = False
    protection: Protection = "basic"
    drivers: int = 0
    away: bool = False
    damaged: bool = False
    late: bool = False


_MINE = (
    _Hire(12, 4, drivers=1),
    _Hire(20, 7, prepaid=True, drivers=1),
    _Hire(-3, 7, "running", damaged=True),
    _Hire(31, 3, protection="medium", away=True),
    _Hire(-40, 5, "returned", damaged=True),
    _Hire(-6, 4, "running", protection="medium", drivers=1),
    _Hire(44, 9, prepaid=True, protection="full", drivers=2),
    _Hire(1, 5, prepaid=True, drivers=3),
    _Hire(-2, 9, "running", True, "full", away=True),
    _Hire(16, 3, "cancelled"),
    _Hire(-75, 12, "returned", late=True),
    _Hire(55, 6, drivers=1),
)
"""The sixth should have been back by now; the eighth is too close to be cancelled cheaply and has all its drivers."""


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
                    cars=1 if n == 5 else world.integer(2, 5),
                )
            )  # fmt: skip
    extras = [
        CarExtra(id=f"EX-{301 + n}", name=name, daily=daily, most=most, for_children=children)
        for n, (name, daily, most, children) in enumerate(_EXTRAS)
    ]
    by_station = {station.id: station for station in stations}
    sold_out = next(car for car in cars if car.cars == 1)
    plenty = [car for car in cars if car is not sold_out]
    mine = world.sample([car for car in plenty if car.min_age <= renters[0].age], len(_MINE))
    rows = [
        _rental(world, n, renters[0], mine[n % len(mine)], by_station, extras, each) for n, each in enumerate(_MINE)
    ]
    rows.append(_rental(world, len(rows), renters[1], sold_out, by_station, extras, _Hire(0, 59, "running")))
    for n in range(max(5, size // 6)):
        hire = _Hire(world.integer(2, 40), world.integer(2, 9), "cancelled" if n % 5 == 4 else "booked")
        renter = renters[1 + n % (len(renters) - 1)]
        free = [car for car in plenty if car.min_age <= renter.age and all(row.car_id != car.id for row in rows)]
        if free:
            rows.append(_rental(world, len(rows), renter, free[0], by_station, extras, hire))
    return {
        "now": world.now,
        "renter_id": renters[0].id,
        "renters": by_id(renters),
        "stations": by_id(stations),
        "cars": by_id(cars),
        "extras": by_id(extras),
        "rentals": by_id(rows),
    }


def _rental(
    world: World, number: int, renter: Renter, car: RentalCar, stations: dict[str, RentalStation],
    extras: list[CarExtra], hire: _Hire,
) -> CarHire:  # fmt: skip
    station, start = stations[car.station_id], world.today + dt.timedelta(days=hire.start)
    while not station.open_sundays and rules.SUNDAY in (start.weekday(), (start.weekday() + hire.days) % 7):
        start += dt.timedelta(days=1 if hire.start > 0 else -1)
    end = start + dt.timedelta(days=hire.days)
    others = [each for each in stations.values() if each.one_way and each.open_sundays and each.id != station.id]
    back = world.choice(others) if hire.away and car.category != "large" else station
    extra = extras[number % len(extras)]
    booked = (BookedExtra(extra_id=extra.id, name=extra.name, daily=extra.daily, count=1),) if number % 3 != 2 else ()
    rental = CarHire(
        id=f"RT-{501 + number}", renter_id=renter.id, car_id=car.id, model=car.model, category=car.category,
        station_id=station.id, station_name=station.name, return_station_id=back.id, return_station_name=back.name,
        pick_up=start, return_on=end, daily_rate=car.daily_rate, prepaid=hire.prepaid, protection=hire.protection,
        extras=booked, young=renter.age < rules.YOUNG_AGE,
        drivers=tuple(FurtherDriver(name=p.name, age=world.integer(25, 68)) for p in world.people(hire.drivers)),
        late_fee=rules.LATE_FEE if hire.late else 0, total=0, status=hire.status,
    )  # fmt: skip
    fee = rules.one_way_fee(rental, station, back)
    damages = (rules.damage_of(rental, "mirror", start + dt.timedelta(days=2)),) if hire.damaged else ()
    return rules.priced(rental.evolve(one_way_fee=fee, damages=damages))
