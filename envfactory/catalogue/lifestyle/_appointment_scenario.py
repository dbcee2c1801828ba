"""The practices of a scenario: doctors with and without room, and a patient with visits in every condition."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.lifestyle._appointment_records import (
    REFERRED,
    Doctor,
    DoctorAppointment,
    DoctorSlot,
    Language,
    Mode,
    Patient,
    Plan,
    Reason,
    Referral,
    ReferralStatus,
    Specialty,
    Visit,
    VisitNote,
    WaitingPlace,
    copay_of,
)
from envfactory.environment import World, by_id, workday


class _Mine(NamedTuple):
    """One of the user's appointments: with which doctor, how many days from now, what for, and what came of it."""

    doctor: int
    days: int
    status: str = "booked"
    findings: str = ""
    advised: tuple[Specialty, ...] = ()
    visit: Visit = "consultation"
    moves: int = 0
    referral: int | None = None
    """Place of the referral that it draws on."""
    cancelled_for: Reason | None = None


_MINE = (
    _Mine(0, 1, visit="check_up"),
    _Mine(1, 4, visit="follow_up"),
    _Mine(9, 6, moves=2),
    _Mine(6, 19, referral=0),
    _Mine(0, 26, visit="follow_up"),
    _Mine(5, 27, moves=1),
    _Mine(3, 31),
    _Mine(7, 2, "checked_in", referral=1),
    _Mine(2, -12, "completed", "a sore knee after running", ("orthopaedics", "dermatology")),
    _Mine(1, -30, "completed", "a raised pulse at rest", ("cardiology",)),
    _Mine(0, -100, "completed", "stiff shoulders", ("orthopaedics",), "check_up"),
    _Mine(8, -25, "completed", "a healed sprain", referral=2),
    _Mine(5, -20, "completed", "pain in the lower back", ("orthopaedics",)),
    _Mine(3, -1, "completed"),
    _Mine(9, -60, "completed", "eyes in good order", moves=1),
    _Mine(4, -40, "missed"),
    _Mine(4, -90, "missed"),
    _Mine(6, 9, "cancelled", cancelled_for="travel"),
    _Mine(3, 21),
    _Mine(8, -33, "completed", "a sprained ankle", referral=2),
    _Mine(8, -47, "completed", referral=2),
    _Mine(2, -4, "cancelled", cancelled_for="work"),
)
_REFERRALS: tuple[tuple[Specialty, ReferralStatus, int, int, int | None], ...] = (
    ("dermatology", "active", 79, 2, 8),
    ("cardiology", "active", 12, 2, None),
    ("orthopaedics", "used", 30, 0, None),
    ("orthopaedics", "expired", -10, 3, 10),
    ("dermatology", "expired", -200, 3, None),
    ("cardiology", "expired", -90, 3, None),
)
"""The user's referrals: until when, in days from now, how many visits are left, and after which visit if of late."""
_CONCERNS = ("headaches", None, "trouble sleeping", None, None)
_NOTICE = dt.timedelta(days=2)
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
            address=world.address(), city=world.cities[(0, 1, 0, 2, 3)[n % 5]][0], languages=_LANGUAGES[n % 4],
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
    appointments = [book.take(user, doctors[mine.doctor], mine) for mine in _MINE]
    known = [doctor for doctor in doctors if doctor.specialty not in REFERRED]
    appointments.append(book.take(others[0], doctors[3], _Mine(3, 38)))
    for n in range(max(4, size // 12)):
        days = -world.integer(4, 50) if n % 2 else world.integer(30, 45)
        status = "completed" if n % 2 else "booked"
        appointments.append(book.take(world.choice(others), world.choice(known), _Mine(0, days, status)))
    referrals = [
        Referral(id=f"RF-{31 + n}", patient_id=user.id, specialty=specialty, status=status, visits_left=left,
                 issued_by=doctors[n % 3].name if visit is None else appointments[visit].doctor,
                 valid_until=world.today + dt.timedelta(days), note_id=None if visit is None else f"VN-{51 + visit}")
        for n, (specialty, status, days, left, visit) in enumerate(_REFERRALS)
    ]  # fmt: skip
    theirs = {"id": "RF-49", "patient_id": others[0].id, "visits_left": 3, "note_id": None}
    referrals.append(referrals[0].evolve(**theirs))
    notes = [
        VisitNote(id=f"VN-{51 + n}", patient_id=user.id, appointment_id=row.id, doctor=row.doctor,
                  day=row.starts.date(), findings=mine.findings, advised=mine.advised)
        for n, (mine, row) in enumerate(zip(_MINE, appointments, strict=False))
        if mine.findings
    ]  # fmt: skip
    places = [
        _place(0, appointments[4], "offered", book.hold(appointments[4])),
        _place(1, appointments[5], "offered", book.hold(appointments[5])),
        _place(2, appointments[6], "waiting", None),
        _place(3, appointments[14], "taken", book.slot_of(appointments[14])),
        *(_place(4 + n, appointments[row], "given_up", None) for n, row in enumerate((8, 9, 11))),
        _place(7, appointments[len(_MINE)], "waiting", None),
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
    """The slots of all doctors, as they are added and taken, and when doctors and patients are busy."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.slots: list[DoctorSlot] = []
        self.times: list[tuple[str, dt.datetime, dt.datetime]] = []
        self.taken = 0
        self.early = world.integer(0, 8)

    def busy(self, who: str, starts: dt.datetime, ends: dt.datetime) -> bool:
        """Whether a doctor's slot or a patient's visit lies at this time."""
        return any(name == who and starts < end and begin < ends for name, begin, end in self.times)

    def add(self, doctor: Doctor, days: int, status: str = "free", wanted: Visit | None = None,
            patient: str = "") -> DoctorSlot:  # fmt: skip
        """A slot so many days from now, or soon after (before, if past), on a working day."""
        n = len(self.slots)
        mode: Mode = "video" if n % 4 == 1 else "in_person"
        visits = _VISITS[0 if mode == "video" else n % 3]
        if doctor.specialty == "general_practice" and mode == "in_person":
            visits = (*visits, "vaccination")
        if wanted and wanted not in visits:
            visits = (*visits, wanted)
        minutes = 40 if "check_up" in visits else 20
        step = 1 if days > 0 else -1
        day = self.world.today + dt.timedelta(days)
        if abs(days) > 2:
            day += dt.timedelta(step * self.world.integer(0, 1))
        k = 0
        while True:
            day = workday(day, step)
            starts = dt.datetime.combine(day, dt.time(8 + (n * 3 + self.early + k) % 9, 30 * (n % 2)))
            ends = starts + dt.timedelta(minutes=minutes)
            if not self.busy(doctor.id, starts, ends) and not self.busy(patient, starts, ends):
                break
            k += 1
            if k % 9 == 0:
                day += dt.timedelta(step)
        slot = DoctorSlot(
            id=f"SL-{101 + n}", doctor_id=doctor.id, doctor=doctor.name,
            starts=starts, minutes=minutes, mode=mode, visits=visits,
            status=status,  # pyright: ignore[reportArgumentType] (checked by the record)
        )  # fmt: skip
        self.slots.append(slot)
        self.times.append((doctor.id, starts, ends))
        return slot

    def take(self, patient: Patient, doctor: Doctor, mine: _Mine) -> DoctorAppointment:
        """An appointment, with the slot that it takes up."""
        off = mine.status == "cancelled"
        slot = self.add(doctor, mine.days, "free" if off else "busy", mine.visit, patient.id)
        if not off:
            self.times.append((patient.id, slot.starts, slot.ends))
        n, self.taken = self.taken, self.taken + 1
        arrived = mine.status == "checked_in"
        return DoctorAppointment(
            id=f"AP-{301 + n}", patient_id=patient.id, doctor_id=doctor.id, doctor=doctor.name,
            specialty=doctor.specialty, slot_id=slot.id, starts=slot.starts, ends=slot.ends, visit=mine.visit,
            mode=slot.mode, copay=copay_of(doctor, patient.plan, mine.visit),
            paid=mine.status == "completed" and bool(mine.findings),
            referral_id=None if mine.referral is None else f"RF-{31 + mine.referral}",
            concern=_CONCERNS[n % len(_CONCERNS)], medicines="ibuprofen" if arrived else None, moves=mine.moves,
            cancelled_for=mine.cancelled_for, fee=(25.0 if mine.cancelled_for == "work" else 0.0) if off else None,
            status=mine.status,  # pyright: ignore[reportArgumentType] (checked by the record)
        )  # fmt: skip

    def hold(self, row: DoctorAppointment) -> DoctorSlot:
        """Hold the first slot that whoever waits to have an appointment earlier can be offered."""
        soonest = self.world.now + _NOTICE
        n = min(
            (
                n
                for n, slot in enumerate(self.slots)
                if (slot.doctor_id, slot.status) == (row.doctor_id, "free")
                and soonest <= slot.starts < row.starts
                and row.visit in slot.visits
                and not self.busy(row.patient_id, slot.starts, slot.ends)
            ),
            key=lambda n: self.slots[n].starts,
        )
        self.slots[n] = self.slots[n].evolve(status="held")
        return self.slots[n]

    def slot_of(self, row: DoctorAppointment) -> DoctorSlot:
        """The slot that an appointment takes up."""
        return next(slot for slot in self.slots if slot.id == row.slot_id)


def _place(number: int, row: DoctorAppointment, status: str, slot: DoctorSlot | None) -> WaitingPlace:
    """A place on the list: a taken one had its visit earlier, a waiting one wants days on which nothing is free."""
    day = row.starts.date()
    return WaitingPlace(
        id=f"WP-{71 + number}", patient_id=row.patient_id, appointment_id=row.id, doctor=row.doctor,
        visit_on=day + dt.timedelta(9 if status == "taken" else 0), slot_id=slot.id if slot else None,
        not_before=day - dt.timedelta(12) if status == "waiting" else None, offered=slot.starts if slot else None,
        status=status,  # pyright: ignore[reportArgumentType] (checked by the record)
    )  # fmt: skip
