"""What can still be changed of a parcel, what the service charges and pays, and on which days it delivers."""

import datetime as dt
from collections.abc import Iterable
from typing import get_args

from envfactory.catalogue.utilities._parcel_records import (
    Offer,
    Parcel,
    ParcelClaim,
    PickupPoint,
    Place,
    PointOrder,
    Quote,
    Reason,
    Scan,
    ServedCity,
    Size,
    Speed,
    Track,
    Window,
)
from envfactory.environment import ToolError, cents, standing

PRICE = {"small": 5.0, "medium": 8.0, "large": 14.0}
AWAY = 1.2
"""What a parcel to another city costs more."""
EXPRESS = 1.8
TRAVEL_DAYS = {"standard": 4, "express": 1}
SIZES: tuple[Size, ...] = ("small", "medium", "large")
EVENING_FEE = 3.0
LABEL_FEE = 1.0
"""What is kept of the price of a shipment that is cancelled."""
CLAIM_DAYS = 7
"""Days after delivery in which damage is reported."""
LATE_DAYS = 3
"""A parcel so many days behind is not late yet."""
UNINSURED = 50.0
GOODWILL = 5.0
"""What a late parcel pays to somebody who did not pay for sending it."""


def changeable(parcel: Parcel) -> Parcel:
    """An incoming parcel whose delivery can still be changed."""
    if parcel.direction != "incoming":
        raise ToolError("permission_denied", f"Only {parcel.partner} can change how that parcel is delivered.")
    return standing(parcel, ("announced", "in_transit"), "changed")


def track(parcel: Parcel, scans: Iterable[Scan], claims: Iterable[ParcelClaim]) -> Track:
    """Where a parcel stands, where it was seen, the latest first, and what was claimed for it."""
    seen = sorted((scan for scan in scans if scan.parcel_id == parcel.id), key=lambda scan: scan.at, reverse=True)
    return Track(
        parcel_id=parcel.id, partner=parcel.partner, status=parcel.status, expected_on=parcel.expected_on,
        scans=tuple(seen), claims=tuple(claim for claim in claims if claim.parcel_id == parcel.id),
    )  # fmt: skip


# -- sending


def check_served(city: str, cities: Iterable[ServedCity]) -> None:
    """Refuse a city that the service does not deliver to."""
    names = sorted(served.name for served in cities)
    if city not in names:
        raise ToolError("invalid_argument", f"We do not serve {city}, only {', '.join(names)}.")


def price_of(size: Size, speed: Speed, *, away: bool, insured: float | None) -> float:
    """What sending a parcel costs; insurance is a hundredth of the value, one dollar at least."""
    carriage = PRICE[size] * (EXPRESS if speed == "express" else 1.0) * (AWAY if away else 1.0)
    return cents(carriage + (max(1.0, insured / 100) if insured else 0.0))


def working_day(day: dt.date) -> dt.date:
    """The day itself, or the Monday after it if it is a Sunday."""
    return day + dt.timedelta(days=1) if day.weekday() == 6 else day


def arrival(today: dt.date, speed: Speed) -> dt.date:
    """Day on which a parcel that is sent today arrives."""
    return working_day(today + dt.timedelta(days=TRAVEL_DAYS[speed]))


def quote(city: str, size: Size, insured: float | None, today: dt.date, *, away: bool) -> Quote:
    """What sending a parcel to a city costs, for each speed."""
    offers = tuple(
        Offer(
            speed=speed,
            total=price_of(size, speed, away=away, insured=insured),
            arrives_on=arrival(today, speed),
        )
        for speed in get_args(get_args(Speed)[0])
    )
    return Quote(city=city, size=size, offers=offers)


def check_cancellable(parcel: Parcel) -> None:
    """Refuse to cancel what somebody else sends, or what is handed in."""
    if parcel.direction != "outgoing":
        raise ToolError("permission_denied", f"The parcel was sent by {parcel.partner}, who alone can cancel it.")
    standing(parcel, ("announced",), "cancelled")


def refund(parcel: Parcel) -> float:
    """What is paid back of a shipment that is cancelled."""
    return cents(max(0.0, parcel.price - LABEL_FEE))


# -- when and where it is delivered


def other_days(expected_on: dt.date) -> tuple[dt.date, ...]:
    """Working days of the week after the day on which a parcel is expected."""
    days = (expected_on + dt.timedelta(days=n) for n in range(1, 8))
    return tuple(day for day in days if working_day(day) == day)


def keeps(point: PickupPoint, size: Size) -> bool:
    """Whether a pickup point takes parcels of this size."""
    return SIZES.index(size) <= SIZES.index(point.largest)


def points_with_room(points: Iterable[PickupPoint], city: str, size: Size | None) -> list[PickupPoint]:
    """Pickup points of a city that have a free locker, and keep parcels of a size if so asked."""
    free = [point for point in points if point.city == city and point.lockers > 0]
    return [point for point in free if size is None or keeps(point, size)]


def ranked(points: Iterable[PickupPoint], order: PointOrder) -> list[PickupPoint]:
    """Pickup points as they are listed."""
    return sorted(points, key=lambda point: (point.distance if order == "distance" else -point.lockers, point.id))


def check_point(point: PickupPoint, parcel: Parcel) -> None:
    """Refuse a pickup point elsewhere, the one that the parcel goes to, and one that cannot take it.

    Raises:
        ToolError: with the reason.
    """
    if point.city != parcel.city:
        raise ToolError("invalid_argument", f"{point.name} is in {point.city}, the parcel goes to {parcel.city}.")
    if parcel.point_id == point.id:
        raise ToolError("conflict", f"The parcel goes to {point.name} already.")
    if not keeps(point, parcel.size):
        raise ToolError("precondition_failed", f"{point.name} keeps no {parcel.size} parcels.")
    if point.lockers == 0:
        raise ToolError("limit_exceeded", f"{point.name} has no locker left.")


def check_day(day: dt.date, parcel: Parcel, today: dt.date) -> None:
    """Refuse a day that a parcel does not offer, or that is past.

    Raises:
        ToolError: `precondition_failed` if it offers none to come, `invalid_argument` if this is none of them.
    """
    if not parcel.other_days:
        words = f"The day of the {parcel.partner} parcel cannot be changed any more."
        raise ToolError("precondition_failed", words)
    to_come = [other for other in parcel.other_days if other > today]
    if not to_come:
        raise ToolError("precondition_failed", "The days on which the parcel could have come are past.")
    if day not in to_come:
        words = f"The parcel can come from {to_come[0]} to {to_come[-1]}, Sundays aside."
        raise ToolError("invalid_argument", words)


def check_place(place: Place, parcel: Parcel) -> None:
    """Refuse to leave a parcel at a place if it goes to a pickup point, is left there already, or is not released.

    Raises:
        ToolError: `precondition_failed`, `conflict` or `permission_denied`.
    """
    if parcel.point_id is not None:
        raise ToolError("precondition_failed", f"The {parcel.partner} parcel goes to a pickup point.")
    if parcel.left_at == place:
        raise ToolError("conflict", f"The {parcel.partner} parcel is to be left there already.")
    if parcel.signed_on is None:
        words = f"Its recipient has to sign the release of the {parcel.partner} parcel in the app."
        raise ToolError("permission_denied", words)


def fees_with(parcel: Parcel, window: Window | None) -> float:
    """Fees of a parcel once it comes in this part of the day: the evening's are charged with it and go with it."""
    without = max(0.0, parcel.fees - EVENING_FEE) if parcel.window == "evening" else parcel.fees
    return cents(without + (EVENING_FEE if window == "evening" else 0.0))


# -- claims


def check_claim(parcel: Parcel, reason: Reason, claims: Iterable[ParcelClaim], today: dt.date) -> None:
    """Refuse a second claim, one for damage that is reported late, and one for a parcel that may still come in time.

    Raises:
        ToolError: `conflict` or `precondition_failed`.
    """
    if any(claim.parcel_id == parcel.id for claim in claims):
        raise ToolError("conflict", f"There is a claim about the {parcel.partner} parcel already.")
    if reason == "damaged":
        standing(parcel, ("delivered",), "reported as damaged")
        if parcel.delivered_on is None or (today - parcel.delivered_on).days > CLAIM_DAYS:
            raise ToolError("precondition_failed", f"Damage is reported within {CLAIM_DAYS} days of delivery.")
    else:
        standing(parcel, ("in_transit",), f"reported as {reason}")
        if (today - parcel.expected_on).days <= LATE_DAYS:
            raise ToolError("precondition_failed", f"The parcel is not over {LATE_DAYS} days behind.")


def new_claim(key: str, parcel: Parcel, reason: Reason, today: dt.date) -> ParcelClaim:
    """A claim for what is wrong with a parcel."""
    return ParcelClaim(
        id=key, parcel_id=parcel.id, partner=parcel.partner, reason=reason, amount=claim_amount(parcel, reason),
        filed_on=today,
    )  # fmt: skip


def claim_amount(parcel: Parcel, reason: Reason) -> float:
    """What a claim pays: the worth of what is damaged or gone, and postage to whom has paid it."""
    postage = parcel.price if parcel.direction == "outgoing" else 0.0
    worth = parcel.insured or UNINSURED
    return cents({"damaged": worth, "missing": worth + postage, "late": postage or GOODWILL}[reason])
