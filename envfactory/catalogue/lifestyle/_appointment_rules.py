"""Who may book what, and who is offered what: the rules of the practices, apart from the tools."""

import datetime as dt
from collections.abc import Iterable
from typing import TypeVar

from envfactory.catalogue.lifestyle._appointment_records import (
    AppointmentStatus,
    DayPart,
    Doctor,
    DoctorAppointment,
    DoctorSlot,
    Patient,
    PlaceStatus,
    Reason,
    Referral,
    Specialty,
    Visit,
    VisitNote,
    WaitingPlace,
    copay_of,
    part_of,
)
from envfactory.environment import Table, ToolError, standing

S = TypeVar("S", DoctorAppointment, Referral)

LEAD = dt.timedelta(hours=1)
"""How long before it begins a slot can be booked."""
NOTICE = dt.timedelta(days=2)
"""How long before it begins an appointment can be moved, or cancelled for free."""
OPEN: tuple[AppointmentStatus, ...] = ("booked", "checked_in")
STILL_WAITING: tuple[PlaceStatus, ...] = ("waiting", "offered")
"""Where a place on a waiting list stands that is not taken or given up."""
OPEN_PER_DOCTOR = 2
MISSED = 2
FOLLOW_UP_DAYS = 180
MOVES = 2
OPEN_PLACES = 4
NOTE_DAYS = 60
CHECK_IN_DAYS = 7
LATE_FEE = 25.0
REFERRAL_DAYS = 90
REFERRAL_VISITS = 3


def free_slots(slots: Table[DoctorSlot], doctor_id: str, since: dt.datetime) -> list[DoctorSlot]:
    """Free slots of a doctor from a time on, the earliest first."""
    found = [s for s in slots.values() if (s.doctor_id, s.status) == (doctor_id, "free") and s.starts >= since]
    return sorted(found, key=lambda slot: (slot.starts, slot.id))


def is_free_by(slots: Table[DoctorSlot], doctor_id: str, since: dt.datetime, last: dt.date) -> bool:
    """Whether a doctor has a free slot from a time on, until a day."""
    return any(slot.starts.date() <= last for slot in free_slots(slots, doctor_id, since))


def sought(rows: Iterable[S], status: str | None, specialty: Specialty | None) -> list[S]:
    """Appointments or referrals that stand like this, in a field of medicine."""
    return [row for row in rows if status in (None, row.status) and specialty in (None, row.specialty)]


def clash_of(slot: DoctorSlot, rows: Iterable[DoctorAppointment]) -> DoctorAppointment | None:
    """The open one of a patient's appointments that lies at the time of a slot."""
    for row in rows:
        if row.status in OPEN and row.starts < slot.ends and slot.starts < row.ends:
            return row
    return None


def earlier_slot(
    slots: Iterable[DoctorSlot], place: WaitingPlace, row: DoctorAppointment, others: Iterable[DoctorAppointment]
) -> DoctorSlot | None:
    """The first of some slots that whoever waits would have instead of an appointment, beside the others they have."""
    others = list(others)
    for slot in slots:
        if (
            slot.starts < row.starts
            and row.visit in slot.visits
            and place.part in (None, part_of(slot.starts))
            and (place.not_before is None or slot.starts.date() >= place.not_before)
            and not clash_of(slot, others)
        ):
            return slot
    return None


def referral_on(referral: Referral, today: dt.date) -> Referral:
    """A referral as it stands on a day: what was not used up by its last day has expired."""
    over = referral.status == "active" and referral.valid_until < today
    return referral.evolve(status="expired") if over else referral


def used(referral: Referral) -> Referral:
    """A referral that one more visit draws on."""
    left = referral.visits_left - 1
    return referral.evolve(visits_left=left, status="active" if left else "used")


def given_back(referral: Referral) -> Referral:
    """A referral that gets a visit back."""
    return referral.evolve(visits_left=referral.visits_left + 1, status="active")


def booked(
    key: str,
    patient: Patient,
    doctor: Doctor,
    slot: DoctorSlot,
    visit: Visit,
    referral: Referral | None,
    concern: str | None,
) -> DoctorAppointment:
    """A patient's appointment in a slot of a doctor's, which may draw on a referral."""
    return DoctorAppointment(
        id=key, patient_id=patient.id, doctor_id=doctor.id, doctor=doctor.name, specialty=doctor.specialty,
        slot_id=slot.id, starts=slot.starts, ends=slot.ends, visit=visit, mode=slot.mode,
        copay=copay_of(doctor, patient.plan, visit), referral_id=referral.id if referral else None, concern=concern,
    )  # fmt: skip


def moved(row: DoctorAppointment, slot: DoctorSlot) -> DoctorAppointment:
    """An appointment in another slot, moved once more."""
    return row.evolve(slot_id=slot.id, starts=slot.starts, ends=slot.ends, mode=slot.mode, moves=row.moves + 1)


def waiting(key: str, row: DoctorAppointment, part: DayPart | None, not_before: dt.date | None) -> WaitingPlace:
    """A place on the waiting list to have an appointment earlier."""
    return WaitingPlace(
        id=key, patient_id=row.patient_id, appointment_id=row.id, doctor=row.doctor, visit_on=row.starts.date(),
        part=part, not_before=not_before,
    )  # fmt: skip


def ahead(row: DoctorAppointment, done: str, now: dt.datetime, among: tuple[str, ...]) -> DoctorAppointment:
    """An appointment that has not begun; `done` is what would be done with it.

    Raises:
        ToolError: `precondition_failed`, it has begun or stands otherwise.
    """
    if standing(row, among, done).starts <= now:
        raise ToolError("precondition_failed", f"The appointment has begun, so it cannot be {done}.")
    return row


def late_fee(row: DoctorAppointment, reason: Reason, now: dt.datetime) -> float:
    """What cancelling an appointment costs."""
    return LATE_FEE if row.starts < now + NOTICE and reason != "illness" else 0.0


def checked_in(row: DoctorAppointment, pay: bool, medicines: str | None, now: dt.datetime) -> DoctorAppointment:
    """An appointment that a patient has checked in for.

    Raises:
        ToolError: `precondition_failed`, it is too early.
    """
    if row.starts > now + dt.timedelta(days=CHECK_IN_DAYS):
        raise ToolError("precondition_failed", f"Check-in opens {CHECK_IN_DAYS} days before the appointment.")
    return row.evolve(status="checked_in", paid=pay, medicines=medicines)


def settled(row: DoctorAppointment) -> DoctorAppointment:
    """An appointment whose share is paid.

    Raises:
        ToolError: it was paid already, or there was no check-in.
    """
    if standing(row, ("checked_in", "completed"), "paid for").paid:
        raise ToolError("conflict", f"You have paid your share of {row.copay:.2f} dollars.")
    return row.evolve(paid=True)


def note_on(row: DoctorAppointment, notes: Iterable[VisitNote]) -> VisitNote:
    """The note on a visit.

    Raises:
        ToolError: the visit is not completed, or there is no note yet.
    """
    standing(row, ("completed",), "looked up for findings")
    for note in notes:
        if note.appointment_id == row.id:
            return note
    raise ToolError("not_found", f"{row.doctor} has not written a note on that visit yet.")


def check_time(slot: DoctorSlot, now: dt.datetime, rows: Iterable[DoctorAppointment]) -> None:
    """Refuse a slot that is too soon, or at the time of another of a patient's appointments.

    Raises:
        ToolError: `precondition_failed` or `conflict`.
    """
    if slot.starts < now + LEAD:
        raise ToolError("precondition_failed", f"The slot with {slot.doctor} on {slot.starts} is too soon or past.")
    if clash := clash_of(slot, rows):
        raise ToolError("conflict", f"You see {clash.doctor} at that time.")


def check_slot(slot: DoctorSlot, visit: Visit, now: dt.datetime, rows: Iterable[DoctorAppointment]) -> None:
    """Refuse a slot that is not to be had for such a visit by a patient with these other appointments.

    Raises:
        ToolError: it is taken, too soon, for other visits, or at the time of another appointment.
    """
    if slot.status != "free":
        raise ToolError("conflict", f"The slot with {slot.doctor} on {slot.starts} is taken.")
    if visit not in slot.visits:
        raise ToolError("invalid_argument", f"It can be booked for {' or '.join(slot.visits)} only.".replace("_", " "))
    check_time(slot, now, rows)


def check_moves(row: DoctorAppointment) -> None:
    """Refuse an appointment that was moved as often as is possible.

    Raises:
        ToolError: `limit_exceeded`.
    """
    if row.moves >= MOVES:
        raise ToolError("limit_exceeded", f"The appointment was moved {MOVES} times already.")


def check_follow_up(doctor: str, day: dt.date, rows: Iterable[DoctorAppointment]) -> None:
    """Refuse to follow up on a day when no visit to the doctor, among these, was completed shortly before.

    Raises:
        ToolError: `precondition_failed`.
    """
    seen = [row.starts.date() for row in rows if (row.doctor, row.status) == (doctor, "completed")]
    if not any((day - before).days <= FOLLOW_UP_DAYS for before in seen):
        raise ToolError("precondition_failed", f"You had no visit with {doctor} to follow up.")


def check_move(
    row: DoctorAppointment, slot: DoctorSlot, referral: Referral | None, now: dt.datetime, own: list[DoctorAppointment]
) -> None:
    """Refuse to move one of a patient's own appointments, which draws on a referral, to a slot.

    Raises:
        ToolError: it is too late or was moved enough, or the slot is not to be had for it.
    """
    if row.starts < now + NOTICE:
        raise ToolError("precondition_failed", "Appointments can be moved until two days before.")
    check_moves(row)
    check_slot(slot, row.visit, now, [other for other in own if other.id != row.id])
    if slot.doctor_id != row.doctor_id:
        raise ToolError("invalid_argument", f"That slot is with {slot.doctor}, the appointment with {row.doctor}.")
    if referral and referral.valid_until < slot.starts.date():
        raise ToolError("precondition_failed", f"The referral is good until {referral.valid_until}.")
    if row.visit == "follow_up":
        check_follow_up(row.doctor, slot.starts.date(), own)


def check_patient(
    doctor: Doctor, visit: Visit, day: dt.date, now: dt.datetime, rows: Iterable[DoctorAppointment]
) -> None:
    """Refuse a patient, with these appointments in all, whom the doctor does not see for such a visit.

    Raises:
        ToolError: as a new patient, after missed visits, with enough appointments, or with nothing to follow up.
    """
    rows = [row for row in rows if row.doctor_id == doctor.id]
    if not doctor.takes_new and not any(row.status == "completed" for row in rows):
        raise ToolError("precondition_failed", f"{doctor.name} takes no new patients.")
    year_ago = now - dt.timedelta(days=365)
    if sum(row.status == "missed" and row.starts > year_ago for row in rows) >= MISSED:
        raise ToolError("precondition_failed", f"You missed {MISSED} visits, so {doctor.name} is booked by phone.")
    if sum(row.status in OPEN for row in rows) >= OPEN_PER_DOCTOR:
        raise ToolError("limit_exceeded", f"You have {OPEN_PER_DOCTOR} open appointments with {doctor.name}.")
    if visit == "follow_up":
        check_follow_up(doctor.name, day, rows)


def check_wish(row: DoctorAppointment, not_before: dt.date | None, places: list[WaitingPlace]) -> None:
    """Refuse a patient with these open places on waiting lists another one, for this appointment.

    Raises:
        ToolError: the appointment was moved or waits already, no day is earlier, or there are enough places.
    """
    check_moves(row)
    if not_before and not_before >= row.starts.date():
        raise ToolError("invalid_argument", f"The appointment is on {row.starts.date()}, so that is no earlier.")
    if any(place.appointment_id == row.id for place in places):
        raise ToolError("conflict", f"You wait for an earlier time with {row.doctor} already.")
    if len(places) >= OPEN_PLACES:
        raise ToolError("limit_exceeded", f"You are on {OPEN_PLACES} waiting lists already.")


def check_advice(note: VisitNote, specialty: Specialty, today: dt.date, held: Iterable[Referral]) -> None:
    """Refuse a referral that a note gives no reason to, or that a patient with these referrals needs not.

    Raises:
        ToolError: it is not advised, or not of late, or there is one.
    """
    if specialty not in note.advised:
        field = specialty.replace("_", " ")
        raise ToolError("precondition_failed", f"{note.doctor} did not advise to see anybody for {field}.")
    if (today - note.day).days > NOTE_DAYS:
        raise ToolError("precondition_failed", f"The visit was on {note.day}, over {NOTE_DAYS} days ago.")
    for row in held:
        if (row.specialty, row.status) == (specialty, "active"):
            raise ToolError("conflict", f"You have a referral that is good until {row.valid_until} already.")
        if (row.specialty, row.note_id) == (specialty, note.id):
            raise ToolError("conflict", f"You were referred for {specialty} on that note already.")


def referral_by(key: str, note: VisitNote, specialty: Specialty, today: dt.date) -> Referral:
    """The referral that a note gives."""
    return Referral(
        id=key, patient_id=note.patient_id, specialty=specialty, issued_by=note.doctor, note_id=note.id,
        valid_until=today + dt.timedelta(days=REFERRAL_DAYS), visits_left=REFERRAL_VISITS,
    )  # fmt: skip


def referral_for(specialty: Specialty, day: dt.date, held: Iterable[Referral]) -> Referral:
    """The one of a patient's referrals that a visit on a day draws on: of those good then, the first to run out.

    Raises:
        ToolError: `precondition_failed`, there is none.
    """
    good = [row for row in held if (row.specialty, row.status) == (specialty, "active") and row.valid_until >= day]
    if not good:
        raise ToolError("precondition_failed", f"You need a referral for {specialty} that is good on {day}.")
    return min(good, key=lambda row: (row.valid_until, row.id))
