"""Who may go where for how long on which passport, and what an application is started for."""

import calendar
import datetime as dt
from bisect import bisect
from collections.abc import Collection, Iterable
from typing import NamedTuple

from envfactory.catalogue.travel._visa_records import (
    DayCount,
    Destination,
    EntryCheck,
    Obstacle,
    Passport,
    Purpose,
    Stay,
    VisaApplication,
    VisaKind,
)
from envfactory.catalogue.travel._visa_rules import open_now
from envfactory.environment import ToolError

WINDOW = 180
"""Days in which days of stay are counted."""
EARLIEST, LATEST = 180, 7
"""An application is started at most and at least so many days before arrival."""


def months_after(day: dt.date, months: int) -> dt.date:
    """The same day some months later, or the last day of a month that is too short for it."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def days_of(first: dt.date, last: dt.date) -> set[int]:
    """The days of a journey, both ends included, by number."""
    return set(range(first.toordinal(), last.toordinal() + 1))


def place_of(country: str, places: Collection[Destination]) -> Destination:
    """What a country asks for; refused if there is no such country."""
    for place in places:
        if place.country == country:
            return place
    known = ", ".join(sorted(place.country for place in places))
    raise ToolError("not_found", f"There are no visas for {country} here, only for {known}.")


def day_count(place: Destination, on: dt.date, known: set[int], stays: Iterable[Stay]) -> DayCount:
    """How many days of the 180 up to a day are used."""
    first, count, allowed = on - dt.timedelta(days=WINDOW - 1), used(known, on), place.days_in_180
    there = [s for s in stays if s.country == place.country and s.left_on >= first and s.arrived_on <= on]
    there.sort(key=lambda stay: stay.arrived_on, reverse=True)
    left = max(0, allowed - count)
    return DayCount(country=place.country, on=on, used=count, left=left, allowed=allowed, stays=tuple(there))


def days_there(country: str, stays: Iterable[Stay], applications: Iterable[VisaApplication]) -> set[int]:
    """The days that somebody was in a country, or will be with a visa that is granted."""
    found: set[int] = set()
    for stay in stays:
        if stay.country == country:
            found |= days_of(stay.arrived_on, stay.left_on)
    for row in applications:
        if row.country == country and row.status == "granted":
            found |= days_of(row.arrive_on, row.leave_on)
    return found


def used(days: Collection[int], on: dt.date) -> int:
    """How many of some days lie in the 180 that end on a day."""
    return _among(sorted(days), on.toordinal())


def most_used(days: Collection[int], arrive_on: dt.date, leave_on: dt.date) -> int:
    """The most days in any 180 that a journey is part of."""
    every = sorted(days_of(arrive_on, leave_on) | set(days))
    return max(_among(every, end) for end in range(arrive_on.toordinal(), leave_on.toordinal() + WINDOW))


def _among(ordered: list[int], end: int) -> int:
    """How many days in order lie in the 180 that end on one."""
    return bisect(ordered, end) - bisect(ordered, end - WINDOW)


def check_days(arrive_on: dt.date, leave_on: dt.date, today: dt.date) -> None:
    """Refuse journeys that are over, end before they begin, or are too long to be counted."""
    if arrive_on <= today:
        raise ToolError("invalid_argument", f"Arrival has to be after today, {today}, not on {arrive_on}.")
    if leave_on < arrive_on:
        raise ToolError("invalid_argument", f"You would leave on {leave_on}, before you arrive on {arrive_on}.")
    last = arrive_on + dt.timedelta(days=WINDOW - 1)
    if leave_on > last:
        raise ToolError("invalid_argument", f"No journey takes more than {WINDOW} days; leave by {last}.")


def check_ahead(arrive_on: dt.date, today: dt.date) -> None:
    """Refuse to start an application too early or too late."""
    ahead = (arrive_on - today).days
    if ahead > EARLIEST:
        first = arrive_on - dt.timedelta(days=EARLIEST)
        raise ToolError(
            "invalid_argument", f"For arrival on {arrive_on} an application can be started from {first} on."
        )
    if ahead < LATEST:
        soonest = today + dt.timedelta(days=LATEST)
        raise ToolError("invalid_argument", f"It is too late for {arrive_on}; arrive on {soonest} or later.")


class Journey(NamedTuple):
    """Some days in a country on a passport, with where its traveller has been and what they have applied for."""

    place: Destination
    passport: Passport
    arrive_on: dt.date
    leave_on: dt.date
    known: set[int]
    """Days that the traveller was there, or will be."""
    pages: int
    """Blank pages that open applications for other countries leave."""

    @property
    def days(self) -> int:
        """How long it is, both days of travel included."""
        return (self.leave_on - self.arrive_on).days + 1

    @property
    def until(self) -> dt.date:
        """Day on which the passport still has to be valid."""
        return months_after(self.leave_on, self.place.passport_months)

    def is_exempt(self, purpose: Purpose) -> bool:
        """Whether no visa is needed."""
        short = purpose in ("tourism", "business") and self.days <= self.place.exempt_days
        return short and self.passport.nationality in self.place.exempt

    def fits(self, arrive_on: dt.date, leave_on: dt.date) -> bool:
        """Whether there are days enough for such days of travel."""
        return most_used(self.known, arrive_on, leave_on) <= self.place.days_in_180


def entry_check(journey: Journey, purpose: Purpose, visas: Iterable[VisaKind]) -> EntryCheck:
    """What a journey needs, and what is in its way."""
    place, needed = journey.place, not journey.is_exempt(purpose)
    most = most_used(journey.known, journey.arrive_on, journey.leave_on)
    fitting = [v for v in visas if (v.country, v.purpose) == (place.country, purpose) and v.max_days >= journey.days]
    obstacles: dict[Obstacle, bool] = {
        "passport_expires_too_soon": journey.passport.expires_on < journey.until,
        "too_few_blank_pages": journey.pages < place.pages_needed,
        "too_many_days_in_180": most > place.days_in_180,
        "no_fitting_visa": needed and not fitting,
    }
    return EntryCheck(
        country=place.country, nationality=journey.passport.nationality, days=journey.days, visa_needed=needed,
        passport_needed_until=journey.until, blank_pages=journey.pages, pages_needed=place.pages_needed,
        days_used=most, days_in_180=place.days_in_180,
        obstacles=tuple(name for name, there in obstacles.items() if there),
        visas=tuple(sorted(fitting, key=lambda visa: (visa.fee, visa.id))) if needed else (),
    )  # fmt: skip


def check_start(journey: Journey, visa: VisaKind, mine: Iterable[VisaApplication], today: dt.date) -> None:
    """Refuse to start an application that could not be granted, or is not needed."""
    check_ahead(journey.arrive_on, today)
    check_others(journey, mine)
    place, arrive_on = journey.place, journey.arrive_on
    if journey.is_exempt(visa.purpose):
        words = f"With a {journey.passport.nationality} passport you need no visa for {visa.purpose} in {place.country}"
        raise ToolError("conflict", f"{words} up to {place.exempt_days} days, so there is nothing to apply for.")
    if journey.days > visa.max_days:
        last = arrive_on + dt.timedelta(days=visa.max_days - 1)
        words = f"That visa is for {visa.max_days} days at most; leave by {last} or choose another visa."
        raise ToolError("limit_exceeded", words)
    if journey.passport.expires_on < journey.until:
        raise ToolError(
            "precondition_failed",
            f"{place.country} asks for a passport valid until {journey.until}, {place.passport_months} months after "
            f"you leave; this one expires on {journey.passport.expires_on}, so take another passport or leave earlier.",
        )
    if journey.pages < place.pages_needed:
        raise ToolError(
            "precondition_failed",
            f"This passport has too few blank pages for {place.country}: {place.pages_needed} asked for, "
            f"{journey.pages} left by open applications for other countries; take another passport, "
            "or withdraw one of those.",
        )
    check_allowance(journey)


def draft(key: str, visa: VisaKind, passport: Passport, arrive_on: dt.date, leave_on: dt.date) -> VisaApplication:
    """An application as it begins."""
    return VisaApplication(
        id=key, traveller_id=passport.traveller_id, visa_id=visa.id, passport_id=passport.id,
        nationality=passport.nationality, country=visa.country, purpose=visa.purpose, entries=visa.entries,
        arrive_on=arrive_on, leave_on=leave_on, missing=visa.documents, complete=False, fee=visa.fee,
    )  # fmt: skip


def check_others(journey: Journey, mine: Iterable[VisaApplication]) -> None:
    """Refuse a second open application for a country, and days for which a visa is granted."""
    for row in mine:
        if row.country != journey.place.country:
            continue
        if open_now(row):
            words = f"You have an open application for {row.country}; go on with it, or withdraw it first."
            raise ToolError("conflict", words)
        if row.status == "granted" and row.arrive_on <= journey.leave_on and journey.arrive_on <= row.leave_on:
            words = f"You have a visa for {row.country} from {row.arrive_on} to {row.leave_on}; choose other days."
            raise ToolError("conflict", words)


def check_allowance(journey: Journey) -> None:
    """Refuse a journey with too many days in some 180, and say how it would do."""
    place, arrive_on, last = journey.place, journey.arrive_on, journey.leave_on
    if journey.fits(arrive_on, last):
        return
    rule = f"You may be in {place.country} on {place.days_in_180} days in any 180, past and granted journeys included;"
    while last >= arrive_on and not journey.fits(arrive_on, last):
        last -= dt.timedelta(days=1)
    if last >= arrive_on:
        raise ToolError("limit_exceeded", f"{rule} arriving on {arrive_on}, leave by {last}.")
    day = arrive_on
    while not journey.fits(day, day):
        day += dt.timedelta(days=1)
    raise ToolError("limit_exceeded", f"{rule} no day is left on {arrive_on}, so arrive on {day} or later.")


def pages_left(
    passport: Passport, place: Destination, mine: Iterable[VisaApplication], places: Collection[Destination]
) -> int:
    """Blank pages of a passport for a country, less what the open applications for others need."""
    others = [row for row in mine if row.passport_id == passport.id and open_now(row) and row.country != place.country]
    return max(0, passport.blank_pages - sum(place_of(row.country, places).pages_needed for row in others))
