"""How the arguments of real calls to the practice portal hang together, tool by tool."""

from envfactory.catalogue.lifestyle._appointment_records import AppointmentStatus, PlaceStatus
from envfactory.catalogue.lifestyle._appointment_rules import CHECK_IN_DAYS, NOTE_DAYS, OPEN
from envfactory.environment import Dated, Ends, FieldOf, FromNow, Having, Owned, Sharing


def _visits(*among: AppointmentStatus) -> tuple[Owned, Having]:
    """The patient's appointments that stand like this."""
    return (
        Owned(parameter="appointment_id", field="patient_id", by="patient_id"),
        Having(parameter="appointment_id", field="status", among=among),
    )


def _places(*among: PlaceStatus) -> tuple[Owned, Having]:
    """The patient's places on waiting lists that stand like this."""
    return (
        Owned(parameter="place_id", field="patient_id", by="patient_id"),
        Having(parameter="place_id", field="status", among=among),
    )


_FREE = Having(parameter="slot_id", field="status", among=("free",))

SEARCHING = (FromNow(parameter="free_by", days=(5, 25)),)
FINDING = (FromNow(parameter="since", days=(1, 9)),)
BOOKING = (_FREE, FieldOf(parameter="visit", other="slot_id", field="visits[]"))
MOVING = (*_visits("booked"), _FREE, Sharing(parameter="slot_id", other="appointment_id", fields=("doctor_id",)))
CANCELLING = (*_visits(*OPEN), Ends(parameter="appointment_id"))
CHECKING_IN = (
    *_visits("booked"),
    Dated(parameter="appointment_id", field="starts", days=(1, CHECK_IN_DAYS - 1)),
)
PAYING = (
    *_visits("checked_in", "completed"),
    Having(parameter="appointment_id", field="paid", among=(False,)),
)
NOTES = _visits("completed")
REFERRING = (
    Owned(parameter="note_id", field="patient_id", by="patient_id"),
    Dated(parameter="note_id", field="day", days=(-NOTE_DAYS, 0)),
    FieldOf(parameter="specialty", other="note_id", field="advised[]"),
)
WAITING = (*_visits("booked"), FromNow(parameter="not_before", days=(2, 3)))
ACCEPTING = (*_places("offered"), Ends(parameter="place_id"))
LEAVING = (*_places("waiting", "offered"), Ends(parameter="place_id"))
