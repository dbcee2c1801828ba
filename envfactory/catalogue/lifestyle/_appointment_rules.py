"""Who may book what: the rules of the practices, apart from the tools."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.lifestyle._appointment_records import Doctor, DoctorAppointment, DoctorSlot, Visit
from envfactory.environment import Table, ToolError

LEAD = dt.timedelta(hours=1)
"""How long before it begins a slot can be booked."""
OPEN = ("booked", "checked_in")
OPEN_PER_DOCTOR = 2
MISSED = 2
FOLLOW_UP_DAYS = 180


def free_slots(slots: Table[DoctorSlot], doctor_id: str, since: dt.datetime) -> list[DoctorSlot]:
    """Free slots of a doctor from a time on, the earliest first."""
    found = [s for s in slots.values() if (s.doctor_id, s.status) == (doctor_id, "free") and s.starts >= since]
    return sorted(found, key=lambda slot: (slot.starts, slot.id))


def clash_of(slot: DoctorSlot, rows: Iterable[DoctorAppointment]) -> DoctorAppointment | None:
    """The open one of a patient's appointments that lies at the time of a slot."""
    for row in rows:
        if row.status in OPEN and row.starts < slot.ends and slot.starts < row.ends:
            return row
    return None


def check_slot(slot: DoctorSlot, visit: Visit, now: dt.datetime, rows: Iterable[DoctorAppointment]) -> None:
    """Refuse a slot that is not to be had for such a visit by a patient with these other appointments.

    Raises:
        ToolError: it is taken, too soon, for other visits, or at the time of another appointment.
    """
    if slot.status != "free":
        raise ToolError("conflict", f"The slot with {slot.doctor} on {slot.starts} is taken.")
    if slot.starts < now + LEAD:
        raise ToolError("precondition_failed", f"The slot with {slot.doctor} on {slot.starts} is too soon or past.")
    if visit not in slot.visits:
        raise ToolError("invalid_argument", f"It can be booked for {' or '.join(slot.visits)} only.".replace("_", " "))
    if clash := clash_of(slot, rows):
        raise ToolError("conflict", f"You see {clash.doctor} at that time.")


def check_patient(
    doctor: Doctor, visit: Visit, day: dt.date, now: dt.datetime, rows: Iterable[DoctorAppointment]
) -> None:
    """Refuse a patient, with these appointments in all, whom the doctor does not see for such a visit.

    Raises:
        ToolError: as a new patient, after missed visits, with enough appointments, or with nothing to follow up.
    """
    rows = [row for row in rows if row.doctor_id == doctor.id]
    seen = [row.starts.date() for row in rows if row.status == "completed"]
    if not seen and not doctor.takes_new:
        raise ToolError("precondition_failed", f"{doctor.name} takes no new patients.")
    year_ago = now - dt.timedelta(days=365)
    if sum(row.status == "missed" and row.starts > year_ago for row in rows) >= MISSED:
        raise ToolError("precondition_failed", f"You missed {MISSED} visits, so {doctor.name} is booked by phone.")
    if sum(row.status in OPEN for row in rows) >= OPEN_PER_DOCTOR:
        raise ToolError("limit_exceeded", f"You have {OPEN_PER_DOCTOR} open appointments with {doctor.name}.")
    if visit == "follow_up" and not any((day - before).days <= FOLLOW_UP_DAYS for before in seen):
        raise ToolError("precondition_failed", f"You had no visit with {doctor.name} to follow up.")
