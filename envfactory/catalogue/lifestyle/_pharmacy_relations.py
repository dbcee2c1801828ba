"""How the arguments of real calls to the pharmacies hang together, tool by tool."""

from envfactory.catalogue.lifestyle._pharmacy_records import OrderStatus
from envfactory.catalogue.lifestyle._pharmacy_rules import LAPSED_DAYS, OPEN, RENEW_LEFT, UNFILLED
from envfactory.environment import Dated, Differing, Ends, FromNow, Having, Owned, Sharing


def _own(parameter: str) -> Owned:
    """What is on the signed-in account."""
    return Owned(parameter=parameter, field="account_id", by="account_id")


def _prescription(field: str, *among: str | bool | int) -> Having:
    """Prescriptions in one of these conditions."""
    return Having(parameter="prescription_id", field=field, among=among)


_OUTSTANDING = Having(parameter="order_id", field="paid", among=(False,))


def _unpaid(*among: OrderStatus) -> tuple[Owned, Having, Having]:
    """Orders on the account that are not paid, at one of these steps."""
    return (
        _own("order_id"),
        Having(parameter="order_id", field="status", among=among),
        _OUTSTANDING,
    )


_SETTLED = (_own("prescription_id"), _prescription("on_order", False))
_ORDER_UNCONTROLLED = Having(parameter="order_id", field="controlled", among=(False,))
_VALID = (
    *_SETTLED,
    _prescription("refills_left", *range(1, 12)),
    Dated(parameter="prescription_id", field="expires_on", days=(0, 800)),
)
_UNCONTROLLED = _prescription("controlled", False)
_ANOTHER_PHARMACY = "pharmacy_id"

PHARMACIES = (FromNow(parameter="day", days=(0, 12)),)
PATIENT = (_own("patient_id"),)
PRESCRIPTIONS = (*PATIENT, FromNow(parameter="runs_out_by", days=(1, 30)))
REFILLING = (
    *_VALID,
    _prescription("automatic", False),
    Dated(parameter="prescription_id", field="refill_from", days=(-800, 0)),
)
MOVING = (
    *_unpaid("waiting"),
    _ORDER_UNCONTROLLED,
    Having(parameter="order_id", field="place", among=("the_pharmacy",)),
    Sharing(parameter="pharmacy_id", other="order_id", fields=("city",)),
    Differing(parameter="pharmacy_id", other="order_id", field=_ANOTHER_PHARMACY),
)
HANDING_OVER = (
    *_unpaid(*OPEN),
    _ORDER_UNCONTROLLED,
    Differing(parameter="place", other="order_id", field="place"),
)
PAYING = _unpaid("being_prepared", "ready")
CANCELLING = (*_unpaid(*UNFILLED), Ends(parameter="order_id"))
SWITCHING = (
    *_VALID,
    _prescription("substitution", True),
    _prescription("prescribed_kind", "brand"),
    Differing(parameter="kind", other="prescription_id", field="kind"),
)
TRANSFERRING = (
    *_VALID,
    _UNCONTROLLED,
    _prescription("transferred", False),
    Differing(parameter="pharmacy_id", other="prescription_id", field=_ANOTHER_PHARMACY),
)
RENEWING = (
    *_SETTLED,
    _UNCONTROLLED,
    _prescription("refills_left", *range(RENEW_LEFT + 1)),
    Dated(parameter="prescription_id", field="expires_on", days=(-LAPSED_DAYS, 800)),
)
AUTOMATIC = (
    *_VALID,
    _UNCONTROLLED,
    Differing(parameter="automatic", other="prescription_id", field="automatic"),
)
PLANNING = (*PATIENT, FromNow(parameter="day", days=(8, 40)))
