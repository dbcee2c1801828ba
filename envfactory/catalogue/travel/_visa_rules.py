"""What an application needs, which appointments will do, by when it is decided, and what withdrawing it costs."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.travel._visa_records import (
    ApplicationDetails,
    Attached,
    Document,
    Speed,
    SpeedOffer,
    VisaApplication,
    VisaKind,
    VisaSlot,
    Withdrawn,
)
from envfactory.environment import ToolError, add_workdays, cents, standing

WORKING_DAYS: dict[Speed, int] = {"standard": 15, "express": 5, "urgent": 2}
"""Working days after the appointment by which an application is decided."""
SURCHARGE: dict[Speed, float] = {"standard": 0.0, "express": 45.0, "urgent": 90.0}
MAX_AGE: dict[Document, int] = {
    "photo": 180, "bank_statement": 30, "travel_insurance": 365, "hotel_booking": 180, "invitation_letter": 90,
    "admission_letter": 365,
}  # fmt: skip
"""How many days old a document may be when it is attached, and when the application is submitted."""
HANDLING = 30.0
"""What is kept of an application that is withdrawn before its appointment."""
OPEN = ("draft", "submitted")
"""Where an application stands that is not decided or withdrawn yet."""


def decided(day: dt.date, speed: Speed) -> dt.date:
    """Day by which an application is decided whose appointment is on a day."""
    return add_workdays(day, WORKING_DAYS[speed])


def fee_of(visa: VisaKind, speed: Speed) -> float:
    """What a visa costs with a speed of processing."""
    return cents(visa.fee + SURCHARGE[speed])


def outdated(documents: Iterable[Attached], today: dt.date) -> list[Attached]:
    """Documents that are too old."""
    return [each for each in documents if (today - each.dated).days > MAX_AGE[each.kind]]


def with_documents(row: VisaApplication, visa: VisaKind, documents: tuple[Attached, ...]) -> VisaApplication:
    """The application with these documents attached."""
    there = [each.kind for each in documents]
    missing = tuple(kind for kind in visa.documents if kind not in there)
    return row.evolve(documents=documents, missing=missing, complete=not missing)


def with_slot(row: VisaApplication, slot: VisaSlot | None) -> VisaApplication:
    """The application with another appointment, or with none; what is submitted is decided as long after it."""
    if slot is None:
        return row.evolve(booked=False, slot_id=None, office=None, appointment_at=None)
    by = decided(slot.starts_at.date(), row.speed) if row.speed else None
    at = slot.starts_at
    return row.evolve(booked=True, slot_id=slot.id, office=slot.office, appointment_at=at, decision_by=by)


def choices(
    row: VisaApplication, slots: Iterable[VisaSlot], mine: list[VisaApplication], today: dt.date
) -> list[VisaSlot]:
    """The appointments that an application could have instead of its own, the earliest first."""
    if row.booked:
        movable(row, today)
    return sorted((s for s in slots if _would_do(row, s, mine, today)), key=lambda slot: (slot.starts_at, slot.id))


def _would_do(row: VisaApplication, slot: VisaSlot, mine: list[VisaApplication], today: dt.date) -> bool:
    """Whether an application could have an appointment."""
    try:
        check_slot(row, slot, mine, today)
    except ToolError:
        return False
    return True


def check_slot(row: VisaApplication, slot: VisaSlot, mine: Iterable[VisaApplication], today: dt.date) -> None:
    """Refuse an appointment that cannot be had, or would not do."""
    if slot.country != row.country:
        raise ToolError("invalid_argument", f"The {slot.office} takes no applications for {row.country}.")
    if slot.id == row.slot_id:
        raise ToolError("conflict", f"Your {row.country} application has that appointment already.")
    if slot.starts_at.date() <= today:
        raise ToolError("precondition_failed", f"That is on {slot.starts_at.date()}; tomorrow is the earliest.")
    speed = row.speed or "urgent"  # a draft may still be submitted for the fastest
    by = decided(slot.starts_at.date(), speed)
    if by >= row.arrive_on:
        words = f"After that appointment it would be decided by {by} with {speed} processing, not before you arrive"
        raise ToolError("precondition_failed", f"{words} on {row.arrive_on}; take an earlier one.")
    if slot.free < 1:
        words = f"Nobody can be booked any more at {slot.starts_at:%H:%M} on {slot.starts_at.date()}"
        raise ToolError("conflict", f"{words} at the {slot.office}; take another time.")
    for other in mine:
        if other.id != row.id and open_now(other) and other.appointment_at == slot.starts_at:
            words = f"You have an appointment for {other.country} at that very time; take another time."
            raise ToolError("conflict", words)


def open_now(row: VisaApplication) -> bool:
    """Whether an application is not decided or withdrawn yet."""
    return row.status in OPEN


def speeds_of(row: VisaApplication, visa: VisaKind, today: dt.date) -> tuple[SpeedOffer, ...]:
    """Speeds at which a draft with an appointment ahead would be decided before arrival, the cheapest first."""
    if row.appointment_at is None or (day := row.appointment_at.date()) <= today:
        return ()
    offers = (SpeedOffer(speed=s, fee=fee_of(visa, s), decision_by=decided(day, s)) for s in WORKING_DAYS)
    return tuple(offer for offer in offers if offer.decision_by < row.arrive_on)


def submitted(row: VisaApplication, visa: VisaKind, speed: Speed, today: dt.date) -> VisaApplication:
    """The draft handed in, if everything is there, recent, and in time."""
    if row.missing:
        raise ToolError("precondition_failed", f"It still needs the {words_of(row.missing)}; attach that first.")
    if old := outdated(row.documents, today):
        ages = ", ".join(f"{words_of([each.kind])} of {each.dated}" for each in old)
        raise ToolError(
            "precondition_failed", f"These are too old by now: {ages}; take them off and attach newer ones."
        )
    if row.appointment_at is None:
        raise ToolError("precondition_failed", "It has no appointment; book one at an office first.")
    day = row.appointment_at.date()
    if day <= today:
        raise ToolError(
            "precondition_failed",
            f"It has to be submitted before the day of its appointment, {day}; change to a later one first.",
        )
    by = decided(day, speed)
    if by >= row.arrive_on:
        fast = " or ".join(offer.speed for offer in speeds_of(row, visa, today))
        raise ToolError(
            "precondition_failed",
            f"With {speed} processing it is decided by {by}, not before you arrive on {row.arrive_on}; "
            + (f"choose {fast}, or an earlier appointment." if fast else "take an earlier appointment."),
        )
    return row.evolve(status="submitted", speed=speed, fee=fee_of(visa, speed), decision_by=by)


def words_of(kinds: Iterable[Document]) -> str:
    """Documents as they are named in a sentence."""
    return ", ".join(kind.replace("_", " ") for kind in kinds)


def details(row: VisaApplication, visa: VisaKind, slot: VisaSlot | None, today: dt.date) -> ApplicationDetails:
    """Everything about an application."""
    draft = row.status == "draft"
    old = outdated(row.documents, today) if draft else []
    return ApplicationDetails(
        application_id=row.id, country=row.country, purpose=row.purpose, nationality=row.nationality,
        arrive_on=row.arrive_on, leave_on=row.leave_on, status=row.status, documents=row.documents,
        missing=row.missing, outdated=tuple(each.kind for each in old), office=row.office,
        city=slot and slot.city, address=slot and slot.address, appointment_at=row.appointment_at,
        speeds=speeds_of(row, visa, today) if draft else (), speed=row.speed, fee=row.fee, decision_by=row.decision_by,
    )  # fmt: skip


def attached(row: VisaApplication, visa: VisaKind, kind: Document, dated: dt.date, today: dt.date) -> VisaApplication:
    """The draft with a document more; refused if it is not asked for, there already, too old, or not issued yet."""
    there = [each.kind for each in row.documents]
    name = words_of([kind])
    if kind in there:
        raise ToolError("conflict", f"The {name} is attached already; take it off first to attach another one.")
    if kind not in row.missing:
        rest = f"still needs {words_of(row.missing)}" if row.missing else "is complete"
        raise ToolError("invalid_argument", f"The visa asks for no {name}; the application {rest}.")
    if dated > today:
        raise ToolError("invalid_argument", f"The {name} cannot be of {dated}, which is after today, {today}.")
    oldest = today - dt.timedelta(days=MAX_AGE[kind])
    if dated < oldest:
        raise ToolError("precondition_failed", f"The {name} of {dated} is too old; attach one of {oldest} or later.")
    return with_documents(row, visa, (*row.documents, Attached(kind=kind, dated=dated)))


def detached(row: VisaApplication, visa: VisaKind, kind: Document) -> VisaApplication:
    """The draft without a document that is attached to it."""
    kept = tuple(each for each in row.documents if each.kind != kind)
    if kept == row.documents:
        there = words_of(each.kind for each in row.documents) or "nothing"
        raise ToolError("conflict", f"No {words_of([kind])} is attached to it, but {there}.")
    return with_documents(row, visa, kept)


def movable(row: VisaApplication, today: dt.date) -> VisaApplication:
    """Refuse to move an appointment that there is not, or, of a submitted application, whose day has come."""
    if row.appointment_at is None:
        raise ToolError("precondition_failed", "It has no appointment to move; book one first.")
    if row.status == "submitted" and row.appointment_at.date() <= today:
        day = row.appointment_at.date()
        words = f"The appointment was on {day}; it could be moved until the day before. You can still withdraw."
        raise ToolError("precondition_failed", words)
    return row


def without_slot(row: VisaApplication) -> VisaApplication:
    """Refuse an application that has an appointment already."""
    if row.appointment_at:
        words = f"It has an appointment on {row.appointment_at:%Y-%m-%d at %H:%M} already; move that one instead."
        raise ToolError("conflict", words)
    return row


def cancellable(row: VisaApplication) -> VisaApplication:
    """Refuse to cancel an appointment that there is not, or that the application needs."""
    if row.status == "submitted":
        words = "A submitted application needs its appointment; move it, or withdraw the application."
        raise ToolError("precondition_failed", words)
    if not standing(row, ("draft",), "changed").booked:
        raise ToolError("conflict", f"Your {row.country} application has no appointment.")
    return row


def withdrawn(row: VisaApplication, today: dt.date) -> VisaApplication:
    """The application withdrawn, with what of its fee is kept; from the day of its appointment on, that is all."""
    kept = 0.0
    if row.status == "submitted" and row.appointment_at:
        kept = min(HANDLING, row.fee) if row.appointment_at.date() > today else row.fee
    return with_slot(row, None).evolve(status="withdrawn", fee=kept, decision_by=None)


def settled(before: VisaApplication, after: VisaApplication) -> Withdrawn:
    """What withdrawing comes to; nothing was paid for a draft."""
    refund = None if before.status == "draft" else cents(before.fee - after.fee)
    return Withdrawn(application_id=after.id, country=after.country, kept=after.fee, refund=refund)
