"""What the parcel service charges and pays, and on which days it delivers."""

import datetime as dt

from envfactory.catalogue.utilities._parcel_records import Parcel, PickupPoint, Reason, Size, Speed, Window
from envfactory.environment import cents

PRICE = {"small": 5.0, "medium": 8.0, "large": 14.0}
AWAY = 1.2
"""What a parcel to another city costs more."""
EXPRESS = 1.8
TRAVEL_DAYS = {"standard": 4, "express": 1}
SIZES: tuple[Size, ...] = ("small", "medium", "large")
EVENING_FEE = 3.0
UNINSURED = 50.0
GOODWILL = 5.0
"""What a late parcel pays to somebody who did not pay for sending it."""


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


def other_days(expected_on: dt.date) -> tuple[dt.date, ...]:
    """Working days of the week after the day on which a parcel is expected."""
    days = (expected_on + dt.timedelta(days=n) for n in range(1, 8))
    return tuple(day for day in days if working_day(day) == day)


def keeps(point: PickupPoint, size: Size) -> bool:
    """Whether a pickup point takes parcels of this size."""
    return SIZES.index(size) <= SIZES.index(point.largest)


def fees_with(parcel: Parcel, window: Window | None) -> float:
    """Fees of a parcel once it comes in this part of the day: the evening's are charged with it and go with it."""
    without = max(0.0, parcel.fees - EVENING_FEE) if parcel.window == "evening" else parcel.fees
    return cents(without + (EVENING_FEE if window == "evening" else 0.0))


def claim_amount(parcel: Parcel, reason: Reason) -> float:
    """What a claim pays: the worth of what is damaged or gone, and postage to whom has paid it."""
    postage = parcel.price if parcel.direction == "outgoing" else 0.0
    worth = parcel.insured or UNINSURED
    return cents({"damaged": worth, "missing": worth + postage, "late": postage or GOODWILL}[reason])
