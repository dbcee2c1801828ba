"""How the arguments of real calls to invoicing hang together: what a biller would call each tool with."""

from envfactory.catalogue.finance._invoicing_records import InvoiceStatus
from envfactory.catalogue.finance._invoicing_rules import DUE_DAYS, LEVELS, REMINDER_DAYS
from envfactory.environment import AtMost, Dated, Ends, FieldOf, FromNow, Having, Owned, Within


def _own(parameter: str) -> Owned:
    """Something of the signed-in biller's own."""
    return Owned(parameter=parameter, field="biller_id", by="biller_id")


def _invoices(*among: InvoiceStatus) -> tuple[Owned, Having]:
    """The biller's invoices in one of these conditions."""
    return _own("invoice_id"), Having(parameter="invoice_id", field="status", among=among)


_DRAFT = _invoices("draft")
_OPEN = _invoices("open")

CLIENT = (_own("client_id"),)
INVOICE = (_own("invoice_id"),)
DRAFTING = (*CLIENT, Within(parameter="work[].hours", low=2, high=24))
ADDING = (*_DRAFT, Within(parameter="hours", low=1, high=12))
REMOVING = (*_DRAFT, FieldOf(parameter="service_id", other="invoice_id", field="lines[].service_id"))
DELETING = (*_DRAFT, Ends(parameter="invoice_id"))
SENDING = (*_DRAFT, FromNow(parameter="due_on", days=DUE_DAYS))
PAYING = (
    *_OPEN,
    Within(parameter="amount", low=20, high=2000, step=20),
    AtMost(parameter="amount", other="invoice_id", field="due"),
)
PAYMENTS = (*CLIENT, FromNow(parameter="since", days=(-120, -20)))
REFUNDING = (
    _own("payment_id"),
    Having(parameter="payment_id", field="status", among=("received",)),
    Having(parameter="payment_id", field="method", among=("card", "bank_transfer")),
    Ends(parameter="payment_id"),
)
REMINDING = (
    *_OPEN,
    Having(parameter="invoice_id", field="reminders", among=tuple(range(len(LEVELS)))),
    Dated(parameter="invoice_id", field="due_on", days=(-365, -1)),
    Dated(parameter="invoice_id", field="reminded_on", days=(-365, -REMINDER_DAYS), unset=True),
)
CREDITING = (
    *_invoices("open", "paid"),
    Within(parameter="amount", low=20, high=200, step=20),
    AtMost(parameter="amount", other="invoice_id", field="subtotal", share=0.5),
)
VOIDING = (*_OPEN, Having(parameter="invoice_id", field="paid", among=(0,)), Ends(parameter="invoice_id"))
