"""What a rental costs, which days a car is free on, and who may take it where."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.travel._car_records import (
    BookedExtra,
    CarExtra,
    CarHire,
    Damage,
    FurtherDriver,
    Part,
    RentalCar,
    RentalStation,
)
from envfactory.environment import ToolError, cents

DISCOUNTS = ((28, 0.75), (7, 0.9))
"""What a day costs from so many days on, in daily rates."""
PREPAID = 0.9
"""What paying in advance leaves of the price of the car."""
PROTECTION = {"basic": 0.0, "medium": 12.0, "full": 20.0}
"""What protection costs a day."""
DEDUCTIBLE = {"basic": 1200.0, "medium": 400.0, "full": 0.0}
"""What the renter pays of a damage at most."""
REPAIR = {"windscreen": 350.0, "tyre": 120.0, "bodywork": 900.0, "mirror": 180.0}
"""What repairing a part costs."""
YOUNG_AGE, YOUNG_DAY = 25, 15.0
"""Below this age every driver costs so much a day."""
DRIVER_DAY = 9.0
"""What every further driver costs a day."""
MOST_DRIVERS = 3
CAPPED_DAYS = 10
"""Extras and further drivers are charged for so many days at most."""
MOST_DAYS = 60
HORIZON = 365
"""Cars are picked up within so many days."""
SUNDAY = 6
ONE_WAY = {"city": 30.0, "country": 120.0}
LATE_FEE = 25.0
PREPAID_FEE = 25.0
LATE_DAYS = 2


def hire_of(daily_rate: float, days: int) -> float:
    """Price of a car for some days, cheaper by the week and by the month."""
    share = next((share for least, share in DISCOUNTS if days >= least), 1.0)
    return daily_rate * days * share


def priced(rental: CarHire) -> CarHire:
    """The rental with what it costs in all."""
    if rental.status == "cancelled":
        return rental.evolve(total=rental.cancel_fee)
    capped = min(rental.days, CAPPED_DAYS)
    hire = hire_of(rental.daily_rate, rental.days) * (PREPAID if rental.prepaid else 1.0)
    young = int(rental.young) + sum(driver.age < YOUNG_AGE for driver in rental.drivers)
    by_day = PROTECTION[rental.protection] + YOUNG_DAY * young
    by_capped_day = DRIVER_DAY * len(rental.drivers) + sum(extra.daily * extra.count for extra in rental.extras)
    fees = rental.one_way_fee + rental.late_fee + sum(damage.to_pay for damage in rental.damages)
    return rental.evolve(total=cents(hire + by_day * rental.days + by_capped_day * capped + fees))


def left_on(car: RentalCar, day: dt.date, rentals: Iterable[CarHire], today: dt.date) -> int:
    """How many cars of a model are free on a day; one that comes back goes out again on the next day.

    A car that should be back already is out today as well.
    """
    return car.cars - sum(
        rental.car_id == car.id
        and rental.status in ("booked", "running")
        and rental.pick_up <= day <= (max(rental.return_on, today) if rental.status == "running" else rental.return_on)
        for rental in rentals
    )


def days_of(first: dt.date, last: dt.date) -> list[dt.date]:
    """All days from the first to the last."""
    return [first + dt.timedelta(days=n) for n in range((last - first).days + 1)]


def check_days(pick_up: dt.date, return_on: dt.date, today: dt.date) -> None:
    """Refuse days that are over, too far ahead, or too many."""
    if pick_up < today:
        raise ToolError("invalid_argument", f"{pick_up} is over, so no car can be picked up.")
    if (pick_up - today).days > HORIZON:
        raise ToolError("invalid_argument", f"{pick_up} is too far ahead: cars are rented up to {HORIZON} days before.")
    check_length(pick_up, return_on)


def check_length(pick_up: dt.date, return_on: dt.date) -> None:
    """Refuse a rental that is too long, or shorter than a day."""
    if not 1 <= (return_on - pick_up).days <= MOST_DAYS:
        raise ToolError("invalid_argument", f"A car picked up on {pick_up} comes back in 1 to {MOST_DAYS} days.")


def check_open(station: RentalStation, *days: dt.date) -> None:
    """Refuse days on which a station is closed."""
    for day in days:
        if day.weekday() == SUNDAY and not station.open_sundays:
            raise ToolError("precondition_failed", f"{station.name} is closed on Sundays, and {day} is one.")


def check_age(age: int, car: RentalCar) -> None:
    """Refuse drivers who are too young for a car."""
    if age < car.min_age:
        raise ToolError("precondition_failed", f"Drivers of the {car.model} are {car.min_age} or older.")


def one_way_fee(rental: CarHire, start: RentalStation, station: RentalStation) -> float:
    """What giving a car back at a station costs; refused if that station does not take it."""
    if station.id == start.id:
        return 0.0
    if not station.one_way:
        raise ToolError("precondition_failed", f"{station.name} takes no cars from elsewhere.")
    if rental.category == "large":
        raise ToolError("precondition_failed", f"Large cars like the {rental.model} go back to {start.name}.")
    return ONE_WAY["city" if station.city == start.city else "country"]


def cancel_fee(rental: CarHire, today: dt.date) -> float:
    """What is kept of a rental that is cancelled, never less late than early; refused from the day of pick-up on."""
    ahead = (rental.pick_up - today).days
    if ahead < 1:
        raise ToolError("precondition_failed", f"The {rental.model} can be cancelled until the day before pick-up.")
    if not rental.prepaid:
        return 0.0
    fee = max(cents(rental.total / 2), PREPAID_FEE) if ahead <= LATE_DAYS else PREPAID_FEE
    return min(fee, rental.total)


def damage_of(rental: CarHire, part: Part, today: dt.date) -> Damage:
    """What a damaged part costs, and what of it the renter pays."""
    repair = cents(REPAIR[part] * (1.5 if rental.category == "premium" else 1.0))
    covered = rental.protection == "full" or part not in ("windscreen", "tyre")
    to_pay = min(repair, DEDUCTIBLE[rental.protection]) if covered else repair
    return Damage(part=part, repair=repair, to_pay=to_pay, reported_on=today)


def with_extra(rental: CarHire, extra: CarExtra, count: int) -> CarHire:
    """The rental with more of an extra, up to what fits a car."""
    before = sum(each.count for each in rental.extras if each.extra_id == extra.id)
    if before + count > extra.most:
        raise ToolError(
            "limit_exceeded",
            f"A car takes {extra.most} of the {extra.name} at most; the {rental.model} comes with {before}.",
        )
    others = tuple(each for each in rental.extras if each.extra_id != extra.id)
    added = BookedExtra(extra_id=extra.id, name=extra.name, daily=extra.daily, count=before + count)
    return priced(rental.evolve(extras=(*others, added)))


def with_driver(rental: CarHire, renter_name: str, driver: FurtherDriver) -> CarHire:
    """The rental with somebody else who may drive."""
    if any(same_name(driver.name, name) for name in (renter_name, *(each.name for each in rental.drivers))):
        raise ToolError("conflict", f"{driver.name} may drive the {rental.model} already.")
    if len(rental.drivers) >= MOST_DRIVERS:
        raise ToolError("limit_exceeded", f"A car has {MOST_DRIVERS} further drivers at most.")
    return priced(rental.evolve(drivers=(*rental.drivers, driver)))


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same, however they are typed."""
    return one.casefold().split() == other.casefold().split()
