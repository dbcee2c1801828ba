"""What a rental costs, which days a car is free on, and who may take it where."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.travel import _car_records as rec
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
"""What giving a car back at another station costs, in the same city and elsewhere."""
LATE_FEE = 25.0
"""What extending a rental costs more whose car should have been back."""
PREPAID_FEE = 25.0
LATE_DAYS = 2
"""What is kept of a rental that was paid in advance; in so many days before pick-up it may be more."""


def hire_of(daily_rate: float, days: int) -> float:
    """Price of a car for some days, cheaper by the week and by the month."""
    share = next((share for least, share in DISCOUNTS if days >= least), 1.0)
    return daily_rate * days * share


def priced(rental: rec.CarHire) -> rec.CarHire:
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


def new_rental(
    key: str, renter: rec.Renter, car: rec.RentalCar, station: rec.RentalStation, pick_up: dt.date, return_on: dt.date,
    *, protection: rec.Protection, prepaid: bool,
) -> rec.CarHire:  # fmt: skip
    """A rental of a car that goes back to where it is picked up."""
    rental = rec.CarHire(
        id=key, renter_id=renter.id, car_id=car.id, model=car.model, category=car.category, station_id=station.id,
        station_name=station.name, return_station_id=station.id, return_station_name=station.name, pick_up=pick_up,
        return_on=return_on, daily_rate=car.daily_rate, prepaid=prepaid, protection=protection,
        young=renter.age < YOUNG_AGE, total=0,
    )  # fmt: skip
    return priced(rental)


def offer(car: rec.RentalCar, station: rec.RentalStation, renter: rec.Renter, days: int, left: int) -> rec.CarOffer:
    """What a car costs a renter for some days, paid at the station and with basic protection."""
    young = YOUNG_DAY * days if renter.age < YOUNG_AGE else 0.0
    return rec.CarOffer(
        id=car.id, model=car.model, station_name=station.name, category=car.category, seats=car.seats,
        automatic=car.automatic, total=cents(hire_of(car.daily_rate, days) + young), daily_rate=car.daily_rate,
        min_age=car.min_age, left=left,
    )  # fmt: skip


# -- which days a car is free on, and who may take it


def left_on(car: rec.RentalCar, day: dt.date, rentals: Iterable[rec.CarHire], today: dt.date) -> int:
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


def suits(car: rec.RentalCar, renter: rec.Renter, category: rec.Category | None, *, automatic: bool) -> bool:
    """Whether a renter may drive a car, and it is of the kind that is asked for."""
    return car.min_age <= renter.age and category in (None, car.category) and (car.automatic or not automatic)


def check_days(station: rec.RentalStation, pick_up: dt.date, return_on: dt.date, today: dt.date) -> None:
    """Refuse days that are over, too far ahead or too many, and those on which the station is closed."""
    if pick_up < today:
        raise ToolError("invalid_argument", f"{pick_up} is over, so no car can be picked up.")
    if (pick_up - today).days > HORIZON:
        raise ToolError("invalid_argument", f"{pick_up} is too far ahead: cars are rented up to {HORIZON} days before.")
    check_length(pick_up, return_on)
    check_open(station, pick_up, return_on)


def check_length(pick_up: dt.date, return_on: dt.date) -> None:
    """Refuse a rental that is too long, or shorter than a day."""
    if not 1 <= (return_on - pick_up).days <= MOST_DAYS:
        raise ToolError("invalid_argument", f"A car picked up on {pick_up} comes back in 1 to {MOST_DAYS} days.")


def check_open(station: rec.RentalStation, *days: dt.date) -> None:
    """Refuse days on which a station is closed."""
    for day in days:
        if day.weekday() == SUNDAY and not station.open_sundays:
            raise ToolError("precondition_failed", f"{station.name} is closed on Sundays, and {day} is one.")


def check_age(age: int, car: rec.RentalCar) -> None:
    """Refuse drivers who are too young for a car."""
    if age < car.min_age:
        raise ToolError("precondition_failed", f"Drivers of the {car.model} are {car.min_age} or older.")


def check_left(left: int, car: rec.RentalCar, station: rec.RentalStation, pick_up: dt.date, return_on: dt.date) -> None:
    """Refuse a car of which none is left."""
    if left < 1:
        raise ToolError("conflict", f"{station.name} has no {car.model} left from {pick_up} to {return_on}.")


# -- changes of a rental


def extended(rental: rec.CarHire, station: rec.RentalStation, days: int, today: dt.date) -> rec.CarHire:
    """The rental some days longer, for a fee if the car should have been back before today.

    Refused if it is over even then, or too long, or if the station that the car goes back to is closed on its last day.
    """
    return_on = rental.return_on + dt.timedelta(days=days)
    if return_on < today:
        raise ToolError("invalid_argument", f"{return_on} is over, so the {rental.model} has to stay longer.")
    check_length(rental.pick_up, return_on)
    check_open(station, return_on)
    late = LATE_FEE if rental.return_on < today else 0.0
    return priced(rental.evolve(return_on=return_on, late_fee=cents(rental.late_fee + late)))


def check_not_taken(
    rental: rec.CarHire, return_on: dt.date, car: rec.RentalCar, others: list[rec.CarHire], today: dt.date
) -> None:
    """Refuse to keep a car until a day if all of its model are rented to others before that."""
    for day in days_of(rental.return_on + dt.timedelta(days=1), return_on):
        if left_on(car, day, others, today) < 1:
            words = f"Every {rental.model} is rented to others on {day}, so this one has to be back before."
            raise ToolError("conflict", words)


def one_way_fee(rental: rec.CarHire, start: rec.RentalStation, station: rec.RentalStation) -> float:
    """What giving a car back at a station costs; refused if that station does not take it."""
    if station.id == start.id:
        return 0.0
    if not station.one_way:
        raise ToolError("precondition_failed", f"{station.name} takes no cars from elsewhere.")
    if rental.category == "large":
        raise ToolError("precondition_failed", f"Large cars like the {rental.model} go back to {start.name}.")
    return ONE_WAY["city" if station.city == start.city else "country"]


def returned_to(
    rental: rec.CarHire, start: rec.RentalStation, station: rec.RentalStation, today: dt.date
) -> rec.CarHire:
    """The rental with another station to give the car back at, which is open on that day."""
    if station.id == rental.return_station_id:
        raise ToolError("conflict", f"The {rental.model} goes back to {station.name} already.")
    fee = one_way_fee(rental, start, station)
    check_open(station, max(rental.return_on, today))
    return priced(rental.evolve(return_station_id=station.id, return_station_name=station.name, one_way_fee=fee))


def cancel_fee(rental: rec.CarHire, today: dt.date) -> float:
    """What is kept of a rental that is cancelled, never less late than early; refused from the day of pick-up on."""
    ahead = (rental.pick_up - today).days
    if ahead < 1:
        raise ToolError("precondition_failed", f"The {rental.model} can be cancelled until the day before pick-up.")
    if not rental.prepaid:
        return 0.0
    fee = max(cents(rental.total / 2), PREPAID_FEE) if ahead <= LATE_DAYS else PREPAID_FEE
    return min(fee, rental.total)


def cancellation(rental: rec.CarHire, fee: float) -> rec.CancelledRental:
    """What cancelling a rental comes to: what was paid in advance is paid back but for the fee."""
    refund = cents(rental.total - fee) if rental.prepaid else None
    return rec.CancelledRental(rental_id=rental.id, model=rental.model, fee=fee, refund=refund)


def damage_of(rental: rec.CarHire, part: rec.Part, today: dt.date) -> rec.Damage:
    """What a damaged part costs, and what of it the renter pays."""
    repair = cents(REPAIR[part] * (1.5 if rental.category == "premium" else 1.0))
    covered = rental.protection == "full" or part not in ("windscreen", "tyre")
    to_pay = min(repair, DEDUCTIBLE[rental.protection]) if covered else repair
    return rec.Damage(part=part, repair=repair, to_pay=to_pay, reported_on=today)


def with_damage(rental: rec.CarHire, damage: rec.Damage) -> rec.CarHire:
    """The rental with one more damaged part."""
    if any(each.part == damage.part for each in rental.damages):
        raise ToolError("conflict", f"A damaged {damage.part} of the {rental.model} is reported already.")
    return priced(rental.evolve(damages=(*rental.damages, damage)))


def report_of(rental: rec.CarHire, damage: rec.Damage) -> rec.DamageReport:
    """What a damage of a rental comes to."""
    return rec.DamageReport(
        rental_id=rental.id, model=rental.model, part=damage.part, repair=damage.repair, to_pay=damage.to_pay,
        total=rental.total,
    )  # fmt: skip


def protected(rental: rec.CarHire, protection: rec.Protection) -> rec.CarHire:
    """The rental with another protection."""
    if protection == rental.protection:
        raise ToolError("conflict", f"The {rental.model} has {protection} protection already.")
    return priced(rental.evolve(protection=protection))


def with_extra(rental: rec.CarHire, extra: rec.CarExtra, count: int) -> rec.CarHire:
    """The rental with more of an extra, up to what fits a car."""
    before = sum(each.count for each in rental.extras if each.extra_id == extra.id)
    if before + count > extra.most:
        raise ToolError(
            "limit_exceeded",
            f"A car takes {extra.most} of the {extra.name} at most; the {rental.model} comes with {before}.",
        )
    others = tuple(each for each in rental.extras if each.extra_id != extra.id)
    added = rec.BookedExtra(extra_id=extra.id, name=extra.name, daily=extra.daily, count=before + count)
    return priced(rental.evolve(extras=(*others, added)))


def without_extra(rental: rec.CarHire, extra: rec.CarExtra) -> rec.CarHire:
    """The rental without an extra."""
    kept = tuple(each for each in rental.extras if each.extra_id != extra.id)
    if kept == rental.extras:
        raise ToolError("conflict", f"The {rental.model} comes without the {extra.name}.")
    return priced(rental.evolve(extras=kept))


def with_driver(rental: rec.CarHire, renter_name: str, driver: rec.FurtherDriver) -> rec.CarHire:
    """The rental with somebody else who may drive."""
    if any(same_name(driver.name, name) for name in (renter_name, *(each.name for each in rental.drivers))):
        raise ToolError("conflict", f"{driver.name} may drive the {rental.model} already.")
    if len(rental.drivers) >= MOST_DRIVERS:
        raise ToolError("limit_exceeded", f"A car has {MOST_DRIVERS} further drivers at most.")
    return priced(rental.evolve(drivers=(*rental.drivers, driver)))


def without_driver(rental: rec.CarHire, name: str) -> rec.CarHire:
    """The rental without a further driver."""
    kept = tuple(driver for driver in rental.drivers if not same_name(driver.name, name))
    if kept == rental.drivers:
        raise ToolError("conflict", f"{name} is no further driver of the {rental.model}.")
    return priced(rental.evolve(drivers=kept))


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same, however they are typed."""
    return one.casefold().split() == other.casefold().split()
