"""The practices of a scenario: doctors with and without room, and a patient with visits in every condition."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.lifestyle._appointment_records import (
    Doctor,
    DoctorAppointment,
    DoctorSlot,
    Language,
    Mode,
    Patient,
    Plan,
    Referral,
    ReferralStatus,
    Specialty,
    Visit,
    VisitNote,
    WaitingPlace,
    copay_of,
)
from envfactory.environment import World, by_id


class _Mine(NamedTuple):
    """One of the user's appointments: with which doctor, how many days from now, and what came of it."""

    doctor: int
    days: int
    status: str = "booked"
    findings: str = ""
    advised: tuple[Specialty, ...] = ()


_MINE = (
    _Mine(0, 1),
    _Mine(1, 4),
    _Mine(9, 6),
    _Mine(6, 19),
    _Mine(0, 26),
    _Mine(5, 27),
    _Mine(3, 28),
    _Mine(7, 2, "checked_in"),
    _Mine(2, -12, "completed", "a sore knee after running", ("orthopaedics", "dermatology")),
    _Mine(1, -30, "completed", "a raised pulse at rest", ("cardiology",)),
    _Mine(0, -100, "completed", "stiff shoulders", ("orthopaedics",)),
    _Mine(8, -25, "completed", "a healed sprain"),
    _Mine(5, -20, "completed", "pain in the lower back", ("orthopaedics",)),
    _Mine(3, -1, "completed"),
    _Mine(9, -60, "completed", "eyes in good order"),
    _Mine(4, -40, "missed"),
    _Mine(4, -90, "missed"),
    _Mine(6, 9, "cancelled"),
)
_REFERRALS: tuple[tuple[Specialty, ReferralStatus, int, int], ...] = (
    ("dermatology", "active", 70, 2),
    ("cardiology", "active", 12, 1),
    ("orthopaedics", "used", 30, 0),
    ("orthopaedics", "expired", -15, 2),
    ("dermatology", "expired", -200, 1),
    ("cardiology", "used", -90, 0),
)
"""The user's referrals: until when, in days from now, and how many visits are left."""
_SPECIALTIES: tuple[Specialty, ...] = ("dermatology", "cardiology", "orthopaedics", "eye_care", "general_practice")
_LANGUAGES: tuple[tuple[Language, ...], ...] = (
    ("English",), ("English", "French"), ("English", "German"), ("English", "Spanish"),
)  # fmt: skip
_PLANS: tuple[tuple[Plan, ...], ...] = (("basic", "plus"), ("plus",), ())
_VISITS: tuple[tuple[Visit, ...], ...] = (
    ("consultation", "follow_up"), ("consultation", "check_up"), ("consultation", "check_up", "follow_up"),
)  # fmt: skip


def practices(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    people = [world.user, *world.people(max(13, size // 4))]
    doctors = [
        Doctor(
            id=f"DR-{11 + n}", name=f"Dr. {people[-1 - n].name}",
            specialty="general_practice" if n < 6 else _SPECIALTIES[(n - 6) % 5],
            address=world.address(), city=world.cities[n % 4 // 3][0], languages=_LANGUAGES[n % 4],
            fee=world.integer(12, 40) * 5.0, rating=world.integer(31, 50) / 10, takes_new=n % 5 != 3,
            plans=_PLANS[n % 3],
        )
        for n in range(max(10, size // 6))
    ]  # fmt: skip
    count = len(people) - len(doctors)
    patients = [Patient(id=f"PT-{n + 1}", name=p.name, email=p.email, plan="plus" if n % 2 == 0 else "basic")
                for n, p in enumerate(people[:max(3, count)])]  # fmt: skip
    user, *others = patients
    book = _Book(world)
    for n, doctor in enumerate(doctors):
        for k in range(7 if n == 0 else 3):
            book.add(doctor, 2 + 4 * k)
    appointments = [book.take(user, doctors[mine.doctor], mine.days, mine.status) for mine in _MINE]
    for n in range(max(4, size // 12)):
        status = "completed" if n % 2 else "booked"
        days = -world.integer(4, 50) if n % 2 else world.integer(30, 45)
        appointments.append(book.take(world.choice(others), world.choice(doctors), days, status))
    referrals = [
        Referral(id=f"RF-{31 + n}", patient_id=user.id, specialty=specialty, issued_by=doctors[n % 3].name,
                 valid_until=world.today + dt.timedelta(days), visits_left=left, status=status)
        for n, (specialty, status, days, left) in enumerate(_REFERRALS)
    ]  # fmt: skip
    referrals.append(referrals[0].evolve(id="RF-49", patient_id=others[0].id, visits_left=3))
    notes = [
        VisitNote(id=f"VN-{51 + n}", patient_id=user.id, appointment_id=row.id, doctor=row.doctor,
                  day=row.starts.date(), findings=mine.findings, advised=mine.advised)
        for n, (mine, row) in enumerate(zip(_MINE, appointments, strict=False))
        if mine.findings
    ]  # fmt: skip
    appointments[3] = appointments[3].evolve(referral_id=referrals[0].id)
    offers = [book.hold(doctors[0], 0), book.hold(doctors[5], 0)]
    places = [
        _place(0, appointments[4], "offered", offers[0]),
        _place(1, appointments[5], "offered", offers[1]),
        _place(2, appointments[3], "waiting", None),
        *(_place(3 + n, appointments[row], "given_up" if n else "taken", None) for n, row in enumerate((8, 9, 11, 14))),
    ]
    return {
        "now": world.now,
        "patient_id": user.id,
        "patients": by_id(patients),
        "doctors": by_id(doctors),
        "slots": by_id(book.slots),
        "appointments": by_id(appointments),
        "notes": by_id(notes),
        "referrals": by_id(referrals),
        "places": by_id(places),
    }


class _Book:
    """The slots of all doctors, as they are added and taken."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.slots: list[DoctorSlot] = []
        self.taken = 0
        self.early = world.integer(0, 8)

    def add(self, doctor: Doctor, days: int, status: str = "free") -> DoctorSlot:
        """A slot so many days from now, or soon after, on a working day."""
        n = len(self.slots)
        day = self.world.today + dt.timedelta(days)
        if abs(days) > 2:
            day += dt.timedelta(self.world.integer(0, 1))
            day += dt.timedelta(max(0, 7 - day.weekday()) if day.weekday() > 4 else 0)
        starts = dt.datetime.combine(day, dt.time(8 + (n * 3 + self.early) % 9, 30 * (n % 2)))
        while any((slot.doctor_id, slot.starts) == (doctor.id, starts) for slot in self.slots):
            starts += dt.timedelta(1)
        mode: Mode = "video" if n % 4 == 1 else "in_person"
        visits = _VISITS[0 if mode == "video" else n % 3]
        if doctor.specialty == "general_practice" and mode == "in_person":
            visits = (*visits, "vaccination")
        slot = DoctorSlot(
            id=f"SL-{101 + n}", doctor_id=doctor.id, doctor=doctor.name,
            starts=starts, minutes=40 if "check_up" in visits else 20, mode=mode, visits=visits,
            status=status,  # pyright: ignore[reportArgumentType] (checked by the record)
        )  # fmt: skip
        self.slots.append(slot)
        return slot

    def take(self, patient: Patient, doctor: Doctor, days: int, status: str) -> DoctorAppointment:
        """An appointment, with the slot that it takes up."""
        slot = self.add(doctor, days, "free" if status == "cancelled" else "busy")
        self.taken += 1
        return DoctorAppointment(
            id=f"AP-{300 + self.taken}", patient_id=patient.id, doctor_id=doctor.id, doctor=doctor.name,
            specialty=doctor.specialty, slot_id=slot.id, starts=slot.starts, ends=slot.ends, visit="consultation",
            mode=slot.mode,
            copay=copay_of(doctor, patient.plan, "consultation"), paid=status == "completed",
            status=status,  # pyright: ignore[reportArgumentType] (checked by the record)
        )  # fmt: skip

    def hold(self, doctor: Doctor, place: int) -> DoctorSlot:
        """Hold one of a doctor's free slots for somebody on the waiting list."""
        free = [n for n, slot in enumerate(self.slots) if (slot.doctor_id, slot.status) == (doctor.id, "free")]
        self.slots[free[place]] = self.slots[free[place]].evolve(status="held")
        return self.slots[free[place]]


def _place(number: int, row: DoctorAppointment, status: str, slot: DoctorSlot | None) -> WaitingPlace:
    return WaitingPlace(
        id=f"WP-{71 + number}", patient_id=row.patient_id, appointment_id=row.id, doctor=row.doctor,
        visit_on=row.starts.date(), slot_id=slot.id if slot else None, offered=slot.starts if slot else None,
        status=status,  # pyright: ignore[reportArgumentType] (checked by the record)
    )  # fmt: skip
