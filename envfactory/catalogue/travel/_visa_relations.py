"""How the arguments of real calls to the visa service hang together: what a traveller would call each tool with."""

from envfactory.catalogue.travel._visa_rules import OPEN
from envfactory.environment import After, Dated, Differing, Ends, FieldOf, FromNow, Having, Owned, Sharing

_OWN = Owned(parameter="application_id", field="traveller_id", by="traveller_id")
_OWN_PASSPORT = Owned(parameter="passport_id", field="traveller_id", by="traveller_id")
_DRAFT = Having(parameter="application_id", field="status", among=("draft",))
_OPEN = Having(parameter="application_id", field="status", among=OPEN)
_BOOKED = Having(parameter="application_id", field="booked", among=(True,))
_NOT_BOOKED = Having(parameter="application_id", field="booked", among=(False,))
_COMPLETE = Having(parameter="application_id", field="complete", among=(True,))
_NOT_COMPLETE = Having(parameter="application_id", field="complete", among=(False,))
_SAME_COUNTRY = Sharing(parameter="slot_id", other="application_id", fields=("country",))
_FREE = Having(parameter="slot_id", field="free", among=(1, 2, 3, 4))
_NOT_LONG = After(parameter="leave_on", other="arrive_on", days=(4, 20))

PASSPORTS = (FromNow(parameter="valid_until", days=(150, 900)),)
COUNTING = (FromNow(parameter="on", days=(3, 120)),)
ENTERING = (_OWN_PASSPORT, FromNow(parameter="arrive_on", days=(20, 150)), _NOT_LONG)
STARTING = (
    _OWN_PASSPORT,
    Dated(parameter="passport_id", field="expires_on", days=(420, 5000)),
    FromNow(parameter="arrive_on", days=(45, 150)),
    _NOT_LONG,
)
LOOKING = (_OWN, _OPEN)
ATTACHING = (
    _OWN,
    _DRAFT,
    _NOT_COMPLETE,
    FieldOf(parameter="document", other="application_id", field="missing[]"),
    FromNow(parameter="dated", days=(-25, -1)),
)
REMOVING = (_OWN, _DRAFT, FieldOf(parameter="document", other="application_id", field="documents[].kind"))
FINDING = (_OWN, _OPEN, FromNow(parameter="by", days=(8, 20)))
BOOKING = (_OWN, _DRAFT, _NOT_BOOKED, _SAME_COUNTRY, _FREE)
MOVING = (
    _OWN,
    _OPEN,
    _BOOKED,
    _SAME_COUNTRY,
    _FREE,
    Dated(parameter="application_id", field="appointment_at", days=(1, 60)),
    Differing(parameter="slot_id", other="application_id", field="slot_id"),
)
CANCELLING = (_OWN, _DRAFT, _BOOKED)
SUBMITTING = (_OWN, _DRAFT, _BOOKED, _COMPLETE)
WITHDRAWING = (_OWN, _OPEN, Ends(parameter="application_id"))
