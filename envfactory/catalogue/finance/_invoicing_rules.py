"""What an invoice comes to, and what payments, refunds, reminders and credit notes do to one.

Each function gives the records after the step, or raises the `ToolError` that says why it is not possible.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from envfactory.catalogue.finance._invoicing_records import (
    MOST_LINES,
    BillableService,
    BillingClient,
    ClientBalance,
    ClientPayment,
    CreditNote,
    Invoice,
    InvoiceLine,
    InvoiceStatus,
    Method,
    Reason,
    Receipt,
    Work,
)
from envfactory.environment import ToolError, cents, standing

TAX = 20
"""Percent of tax for clients of the biller's own country; the others pay none."""
LEVELS = ("friendly", "firm", "final")
"""What the reminders of an invoice are, one after another."""
MOST_HOURS = 80
DUE_DAYS = (7, 60)
CARD_LIMITS = (0.5, 5000.0)
CARD_SHARE, CARD_FEE = 0.03, 0.3
REFUND_DAYS = 90
REMINDER_DAYS = 7
LATE_SHARE = 0.05


def line_of(service: BillableService, hours: int) -> InvoiceLine:
    """Hours of a service at its present rate."""
    return InvoiceLine(service_id=service.id, service_name=service.name, hours=hours, rate=service.rate)


def amounts(lines: tuple[InvoiceLine, ...], *, abroad: bool) -> dict[str, Any]:
    """What lines come to, as fields of an invoice of which nothing is paid yet."""
    subtotal = cents(sum(line.hours * line.rate for line in lines))
    tax = 0.0 if abroad else cents(subtotal * TAX / 100)
    total = cents(subtotal + tax)
    return {"subtotal": subtotal, "tax": tax, "total": total, "due": total}


def check_once_each(work: Iterable[Work]) -> None:
    """Refuse to bill for a service on several lines.

    Raises:
        ToolError: `invalid_argument`.
    """
    services = [each.service_id for each in work]
    if len(set(services)) < len(services):
        raise ToolError("invalid_argument", "Every service stands on an invoice once, with all its hours.")


def draft(key: str, client: BillingClient, lines: tuple[InvoiceLine, ...], today: dt.date) -> Invoice:
    """The invoice to a client for these lines, as it is drafted."""
    return Invoice(
        id=key, biller_id=client.biller_id, client_id=client.id, client_name=client.name, lines=lines,
        created_on=today, **amounts(lines, abroad=client.abroad),
    )  # fmt: skip


def more_hours(lines: tuple[InvoiceLine, ...], service: BillableService, hours: int) -> tuple[InvoiceLine, ...]:
    """The lines of a draft with more hours of a service, on its own line at the rate that this has.

    Raises:
        ToolError: `limit_exceeded`, there are too many hours of it, or too many services.
    """
    former = next((line for line in lines if line.service_id == service.id), None)
    if former is None and len(lines) >= MOST_LINES:
        raise ToolError("limit_exceeded", f"An invoice has {MOST_LINES} services at most.")
    if former is None:
        return (*lines, line_of(service, hours))
    if former.hours + hours > MOST_HOURS:
        raise ToolError("limit_exceeded", f"An invoice has {MOST_HOURS} hours of a service at most.")
    return tuple(line.evolve(hours=line.hours + hours) if line is former else line for line in lines)


def without(lines: tuple[InvoiceLine, ...], service: BillableService) -> tuple[InvoiceLine, ...]:
    """The lines of a draft without those of a service.

    Raises:
        ToolError: it is not on the draft, or alone on it.
    """
    left = tuple(line for line in lines if line.service_id != service.id)
    if left == lines:
        raise ToolError("conflict", f"There is no {service.name} on the draft.")
    if not left:
        raise ToolError("precondition_failed", "Nothing would be left of the draft; delete it instead.")
    return left


def due_day(due_on: dt.date | None, today: dt.date, terms: int) -> dt.date:
    """The day until which an invoice that is sent today is to be paid: `due_on`, or after so many days.

    Raises:
        ToolError: `invalid_argument`, the day is too early or too late.
    """
    least, most = DUE_DAYS
    if due_on is not None and not least <= (due_on - today).days <= most:
        raise ToolError("invalid_argument", f"Invoices are due in {least} to {most} days, not on {due_on}.")
    return due_on or today + dt.timedelta(days=terms)


def check_cents(amount: float) -> None:
    """Refuse fractions of a cent.

    Raises:
        ToolError: `invalid_argument`.
    """
    if amount != cents(amount):
        raise ToolError("invalid_argument", f"Amounts come in whole cents, unlike {amount}.")


def card_fee(amount: float, method: Method) -> float:
    """What the card company keeps of a payment; nothing if it is none by card.

    Raises:
        ToolError: `limit_exceeded`, the card company does not take it.
    """
    if method != "card":
        return 0.0
    least, most = CARD_LIMITS
    if not least <= amount <= most:
        raise ToolError("limit_exceeded", f"Card payments are {least:.2f} to {most:.0f} dollars.")
    return cents(amount * CARD_SHARE + CARD_FEE)


def payment(key: str, invoice: Invoice, amount: float, method: Method, today: dt.date) -> ClientPayment:
    """The payment of an invoice, with what the card company keeps of it and what was not due.

    Raises:
        ToolError: it has fractions of a cent, or the card company does not take it.
    """
    check_cents(amount)
    return ClientPayment(
        id=key, biller_id=invoice.biller_id, client_id=invoice.client_id, client_name=invoice.client_name,
        invoice_id=invoice.id, amount=amount, excess=cents(max(0.0, amount - invoice.due)),
        fee=card_fee(amount, method), method=method, received_on=today,
    )  # fmt: skip


def receipt(payment: ClientPayment, due: float) -> Receipt:
    """What a payment did to an invoice of which so much is due now."""
    return Receipt(
        payment_id=payment.id, client_name=payment.client_name, amount=payment.amount, fee=payment.fee, due=due,
        credit=payment.excess,
    )  # fmt: skip


def kept_of(payments: Iterable[ClientPayment]) -> float:
    """What payments brought in, less fees and refunds."""
    return cents(sum((row.amount if row.status == "received" else 0.0) - row.fee for row in payments))


def refunded(invoice: Invoice, payment: ClientPayment, today: dt.date) -> tuple[Invoice, float]:
    """The invoice after its payment went back, and what the client's credit loses: all that it had from the payment.

    Raises:
        ToolError: `precondition_failed`, it cannot go back any more.
    """
    standing(payment, ("received",), "refunded")
    if payment.method == "cheque":
        raise ToolError("precondition_failed", "Payments by cheque cannot be refunded.")
    if (today - payment.received_on).days > REFUND_DAYS:
        raise ToolError("precondition_failed", f"The payment came in over {REFUND_DAYS} days ago.")
    booked = cents(payment.amount - payment.excess)
    back = min(invoice.returned, booked)
    after = invoice.evolve(paid=cents(invoice.paid - booked), returned=cents(invoice.returned - back))
    return after.settled(), cents(payment.excess + back)


def reminded(invoice: Invoice, today: dt.date) -> Invoice:
    """The invoice after one more reminder, which adds the late fee if it is the final one.

    Raises:
        ToolError: it is too early, or there was a final one.
    """
    if not invoice.overdue(today):
        raise ToolError("precondition_failed", f"The invoice is due on {invoice.due_on}, so it is not late yet.")
    if invoice.reminders == len(LEVELS):
        raise ToolError("limit_exceeded", f"{invoice.client_name} got the final reminder already.")
    if invoice.reminded_on is not None and (today - invoice.reminded_on).days < REMINDER_DAYS:
        raise ToolError(
            "precondition_failed",
            f"The last reminder went out on {invoice.reminded_on}, less than {REMINDER_DAYS} days ago.",
        )
    reminders = invoice.reminders + 1
    fee = cents(invoice.due * LATE_SHARE) if reminders == len(LEVELS) else 0.0
    return invoice.evolve(reminders=reminders, reminded_on=today, late_fee=fee).settled()


def credited(invoice: Invoice, amount: float) -> tuple[Invoice, float]:
    """The invoice after a credit note, and the part that was paid already.

    Raises:
        ToolError: `limit_exceeded`, it takes off more than there is.
    """
    left = cents(invoice.total + invoice.late_fee - invoice.credited)
    if amount > left:
        raise ToolError("limit_exceeded", f"Only {left:.2f} dollars of the invoice can be credited.")
    over = cents(amount - min(amount, invoice.due))
    after = invoice.evolve(credited=cents(invoice.credited + amount), returned=cents(invoice.returned + over))
    return after.settled(), over


def credit_note(key: str, invoice: Invoice, amount: float, over: float, reason: Reason, today: dt.date) -> CreditNote:
    """The note of what is taken off an invoice, `over` of it paid already."""
    return CreditNote(
        id=key, invoice_id=invoice.id, client_name=invoice.client_name, amount=amount, to_credit=over, reason=reason,
        issued_on=today,
    )  # fmt: skip


def check_untouched(invoice: Invoice) -> None:
    """Refuse to void what somebody paid for or was credited.

    Raises:
        ToolError: `precondition_failed`.
    """
    if invoice.paid or invoice.credited:
        raise ToolError("precondition_failed", "Something was paid or credited on the invoice, so it stays.")


def check_can_be_overdue(status: InvoiceStatus | None) -> None:
    """Refuse to look for overdue invoices among those that need not be paid.

    Raises:
        ToolError: `invalid_argument`.
    """
    if status not in (None, "open"):
        raise ToolError("invalid_argument", f"Only open invoices can be overdue, not {status} ones.")


def check_not_blocked(client: BillingClient, invoices: Iterable[Invoice]) -> None:
    """Refuse to bill a client that let the final reminder of one of the `invoices` pass.

    Raises:
        ToolError: `precondition_failed`.
    """
    for row in invoices:
        if row.client_id == client.id and row.status == "open" and row.reminders == len(LEVELS):
            raise ToolError("precondition_failed", f"{client.name} has not paid in spite of a final reminder.")


def with_credit(client: BillingClient, amount: float) -> BillingClient:
    """The client with so much more credit, or less if the amount is negative.

    Raises:
        ToolError: `precondition_failed`, there is not as much.
    """
    credit = cents(client.credit + amount)
    if credit < 0:
        raise ToolError("precondition_failed", f"{client.name} has used up what was paid too much or credited.")
    return client.evolve(credit=credit)


def balance_of(client: BillingClient, invoices: Iterable[Invoice], today: dt.date) -> ClientBalance:
    """A client with what is due on its open invoices among `invoices`."""
    rows = [row for row in invoices if row.client_id == client.id and row.status == "open"]
    return ClientBalance(
        id=client.id, name=client.name, city=client.city, terms=client.terms, abroad=client.abroad,
        credit=client.credit, owing=cents(sum(row.due for row in rows)),
        overdue=cents(sum(row.due for row in rows if row.overdue(today))),
    )  # fmt: skip
