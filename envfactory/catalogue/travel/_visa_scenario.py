"""The visa service of a scenario: countries, visas, free times, and the user's applications in every condition."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.travel import _visa_rules as rules
from envfactory.catalogue.travel._visa_journeys import draft
from envfactory.catalogue.travel._visa_records import (
    Attached,
    Destination,
    Document,
    Entries,
    Passport,
    Purpose,
    Speed,
    Status,
    Stay,
    Traveller,
    VisaApplication,
    VisaKind,
    VisaSlot,
)
from envfactory.environment import World, by_id, workday

_ADJECTIVES = {
    "Portugal": "Portuguese", "Spain": "Spanish", "France": "French", "Italy": "Italian", "Germany": "German",
    "Austria": "Austrian", "Czechia": "Czech", "Denmark": "Danish", "Norway": "Norwegian", "Ireland": "Irish",
    "United Kingdom": "British", "Greece": "Greek", "Poland": "Polish", "Switzerland": "Swiss", "Netherlands": "Dutch",
}  # fmt: skip
_SECOND = ("Canadian", "Japanese", "Argentine", "Australian")
_COUNTRIES = (
    "India", "Vietnam", "China", "Kenya", "Egypt", "Indonesia", "Tanzania", "Cambodia", "Ghana", "Nepal", "Jordan",
    "Uzbekistan", "Sri Lanka", "Laos", "Ethiopia",
)  # fmt: skip
_FREE = (9, 10, 13)
"""Places in the list of countries where one of the user's nationalities needs no visa for a short journey."""
_PAPERS: dict[Purpose, tuple[Document, ...]] = {
    "tourism": ("photo", "bank_statement", "hotel_booking"),
    "business": ("photo", "invitation_letter", "travel_insurance"),
    "family_visits": ("photo", "invitation_letter", "bank_statement"),
    "study": ("photo", "admission_letter", "bank_statement", "travel_insurance"),
}
_KINDS: tuple[tuple[Purpose, Entries, int, int], ...] = (
    ("tourism", "single_entry", 30, 35), ("business", "multiple_entry", 60, 110),
    ("family_visits", "single_entry", 45, 50), ("tourism", "multiple_entry", 60, 80),
    ("study", "multiple_entry", 90, 95),
)  # fmt: skip
"""Visas: purpose, entries, most days, and what they cost at least."""


class _Row(NamedTuple):
    """An application of the user's: where to, by place in the list, from so many days from now, and how far it is."""

    country: int
    start: int
    days: int
    status: Status = "draft"
    attached: int = 9
    slot: int = 0
    """Day of the appointment, from now; none if 0."""
    speed: Speed | None = None
    old: bool = False
    """Whether the photo is too old by now."""
    passport: int = 0
    """Which of the user's passports."""


_MINE = (
    _Row(0, 72, 12, attached=1),
    _Row(1, 64, 9, attached=2),
    _Row(2, 90, 16, slot=1),
    _Row(3, 22, 8, slot=1),  # too soon for standard processing
    _Row(4, 81, 14, "submitted", slot=1, speed="standard", passport=1),
    _Row(5, 40, 10, "submitted", slot=-3, speed="express"),  # the appointment is over
    _Row(6, 59, 7, attached=3, old=True),
    _Row(7, 55, 20, "granted", slot=-30, speed="standard"),
    _Row(8, -60, 13, "granted", slot=-100, speed="express", passport=1),
    _Row(9, 47, 11, "refused", slot=-35, speed="urgent"),
    _Row(10, 66, 9, "withdrawn", attached=2),
    _Row(12, 97, 11, slot=1),
    _Row(13, 77, 9, attached=2, slot=1),
)


def visa_service(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and a hundred more."""
    people = [world.user, *world.people(max(5, size // 6))]
    travellers = [Traveller(id=f"TV-{11 + n}", name=p.name, email=p.email) for n, p in enumerate(people)]
    first, second = _ADJECTIVES[world.cities[0][1]], world.choice(_SECOND)
    passports = _passports(world, travellers, first, second)
    countries: list[str] = world.sample(_COUNTRIES, len(_COUNTRIES))  # in other conditions in every seed
    places = [
        Destination(
            id=f"DE-{31 + n}", country=country, passport_months=(6, 3)[n % 3 == 2], pages_needed=1 + n % 2,
            days_in_180=(90, 60)[n % 4 == 3], exempt=(second,) if n in _FREE else (), exempt_days=30,
        )
        for n, country in enumerate(countries)
    ]  # fmt: skip
    visas = _visas(world, countries)
    desk = _Desk(world, countries, visas, _slots(world, countries, size))
    for row in _MINE:
        desk.add(passports[row.passport], row)
    for n, passport in enumerate(each for each in passports if each.traveller_id != travellers[0].id):
        status: Status = ("draft", "granted", "refused", "withdrawn")[n % 4]
        row = _Row(n % 15, 60 + n % 50, 8, status, attached=n % 4)
        if status in ("granted", "refused"):
            row = row._replace(attached=9, slot=-30, speed="standard")
        desk.add(passport, row)
    stays = [
        Stay(
            id=f"ST-{601 + n}", traveller_id=travellers[0].id, country=countries[country],
            arrived_on=world.today + dt.timedelta(days=start),
            left_on=world.today + dt.timedelta(days=start + days - 1),
        )
        for n, (country, start, days) in enumerate(
            ((11, -105, 52), (9, -150, 24), (9, -45, 30), (8, -60, 13), (10, -300, 40), (3, -200, 30), (12, -75, 18),
             (0, -340, 15), (11, -400, 20), (10, -96, 10))
        )
    ]  # fmt: skip
    return {
        "now": world.now,
        "traveller_id": travellers[0].id,
        "travellers": by_id(travellers),
        "passports": by_id(passports),
        "destinations": by_id(places),
        "visas": by_id(visas),
        "slots": by_id(desk.slots),
        "stays": by_id(stays),
        "applications": by_id(desk.rows),
    }


def _passports(world: World, travellers: list[Traveller], first: str, second: str) -> list[Passport]:
    """The user's: two good ones, one that runs out soon and is nearly full, one that has run out; others have one."""
    mine = ((first, 2100, 21), (second, 1300, 14), (first, 120, 1), (second, -200, 6))
    rows = [(travellers[0], nationality, days, pages) for nationality, days, pages in mine]
    for traveller in travellers[1:]:
        nationality = world.choice(tuple(_ADJECTIVES.values()))
        rows.append((traveller, nationality, world.integer(500, 3000), world.integer(5, 25)))
    return [
        Passport(
            id=f"PA-{101 + n}", traveller_id=traveller.id, nationality=nationality,
            expires_on=world.date(days - 20, days + 20), blank_pages=pages,
        )
        for n, (traveller, nationality, days, pages) in enumerate(rows)
    ]  # fmt: skip


def _visas(world: World, countries: list[str]) -> list[VisaKind]:
    """Three visas of the first countries, five of the others."""
    kinds = [(country, kind) for n, country in enumerate(countries) for kind in _KINDS[: 3 if n < 7 else 5]]
    return [
        VisaKind(
            id=f"VI-{201 + n}", country=country, purpose=purpose, entries=entries, max_days=days,
            fee=world.money(fee, fee + 40), documents=_PAPERS[purpose],
        )
        for n, (country, (purpose, entries, days, fee)) in enumerate(kinds)
    ]  # fmt: skip


def _slots(world: World, countries: list[str], size: int) -> list[VisaSlot]:
    """Times at three offices a country, in the next weeks; every fifth is taken up."""
    found: list[VisaSlot] = []
    for n, country in enumerate(countries):
        offices = [(city, world.address()) for city, _ in world.cities[:3]]
        for step in range(max(6, min(12, size // 8))):
            city, address = offices[(n + step) % 3]
            day = workday(world.today + dt.timedelta(days=2 + step + (n + step) % 3))
            at = dt.datetime.combine(day, dt.time(9 + n % 6, (0, 20, 40)[step // 2 % 3]))
            found.append(
                VisaSlot(
                    id=f"SL-{301 + len(found)}", country=country, office=f"{country} Visa Office {city}", city=city,
                    address=address, starts_at=at, free=0 if step % 5 == 3 else world.integer(1, 4),
                )
            )  # fmt: skip
    return found


class _Desk:
    """Applications as they are added, with the times that they take up."""

    def __init__(self, world: World, countries: list[str], visas: list[VisaKind], slots: list[VisaSlot]) -> None:
        self.world, self.countries, self.visas, self.slots = world, countries, visas, slots
        self.rows: list[VisaApplication] = []

    def add(self, passport: Passport, row: _Row) -> None:
        """Add an application of whoever has the passport."""
        world, today, country = self.world, self.world.today, self.countries[row.country]
        visa = world.choice([v for v in self.visas if v.country == country and v.max_days >= row.days])
        then = today + dt.timedelta(days=min(0, row.slot - 5))
        documents = tuple(
            Attached(kind=kind, dated=then - dt.timedelta(days=200 if row.old and kind == "photo" else 3 + 4 * n))
            for n, kind in enumerate(visa.documents[: row.attached])
        )
        arrive_on = today + dt.timedelta(days=row.start)
        leave_on = arrive_on + dt.timedelta(days=row.days - 1)
        application = draft(f"VA-{501 + len(self.rows)}", visa, passport, arrive_on, leave_on).evolve(
            fee=0 if row.status == "withdrawn" else rules.fee_of(visa, row.speed or "standard"),
            speed=row.speed, status=row.status,
        )  # fmt: skip
        application = rules.with_documents(application, visa, documents)
        if row.slot:
            application = rules.with_slot(application, self._slot(application, row))
        self.rows.append(application)

    def _slot(self, application: VisaApplication, row: _Row) -> VisaSlot:
        """A free time from tomorrow on, or one that is over."""
        there = [slot for slot in self.slots if slot.country == application.country]
        if row.slot > 0:
            return next(slot for slot in there if slot.free)
        day = workday(self.world.today + dt.timedelta(days=row.slot), -1)
        at = dt.datetime.combine(day, there[0].starts_at.time())
        over = there[0].evolve(id=f"SL-{301 + len(self.slots)}", starts_at=at, free=0)
        self.slots.append(over)
        return over
