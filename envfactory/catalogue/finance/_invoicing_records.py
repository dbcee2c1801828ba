"""Records and results of invoicing, and what an invoice comes to."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Argument, Balance, Money, Output, Page, Ranked, Record, Ref, Unit, Value, cents

BillerId = Annotated[str, Ref("Biller")]
ClientId = Annotated[str, Ref("BillingClient")]
ServiceId = Annotated[str, Ref("BillableService")]
InvoiceId = Annotated[str, Ref("Invoice")]
PaymentId = Annotated[str, Ref("ClientPayment")]
City = Annotated[str, Value("city", "City, by its English name.")]
ClientName = Annotated[str, Value("client_name", "Name of a client.")]
ServiceName = Annotated[str, Value("service_name", "Name of a service.")]
Hours = Annotated[int, Field(ge=1, le=80), Unit("hour")]
Rate = Annotated[Money, Field(gt=0)]
Amount = Annotated[Money, Field(gt=0, le=100_000)]
Due = Annotated[Money, Value("invoice_due", "What a client still has to pay on an invoice.")]
Category = Annotated[
    Literal["design", "writing", "development", "consulting"], Value("service_category", "Kind of service.")
]
Method = Annotated[Literal["card", "bank_transfer", "cheque"], Value("received_by", "How a client paid.")]
Reason = Annotated[
    Literal["too_many_hours", "late_delivery", "poor_result", "goodwill"],
    Value("credit_reason", "Why a client is credited."),
]
InvoiceStatus = Literal["draft", "open", "paid", "void"]
PaymentStatus = Literal["received", "refunded"]


class Biller(Record, noun="biller", label="{name}"):
    """Somebody who sends invoices."""

    id: BillerId
    """Identifier of the biller."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]
    last_number: Annotated[int, Field(ge=0)]
    """Number of the invoice sent last."""


class BillingClient(Record, noun="client", label="{name}"):
    """Who is billed for work."""

    id: ClientId
    """Identifier of the client."""
    biller_id: BillerId
    """Whose client it is."""
    name: ClientName
    city: City
    abroad: bool
    """Whether it is in another country, so that no tax is added."""
    terms: Annotated[int, Field(ge=0), Unit("day")]
    """How long it has to pay."""
    credit: Money = 0
    """What was paid or credited too much; the next invoice uses it up."""


class BillableService(Record, noun="service", label="{name}", listing="{name} ({rate} an hour)"):
    """A kind of work, billed by the hour."""

    id: ServiceId
    """Identifier of the service."""
    name: ServiceName
    category: Category
    rate: Annotated[Rate, Ranked("cheapest", "most expensive")]
    """Price of an hour, before tax."""


class Work(Argument, label="{hours} of {service_id}"):
    """A service and how long it took."""

    service_id: ServiceId
    """Service meant."""
    hours: Hours
    """How many hours."""


MOST_LINES = 6
"""How many services an invoice can have."""
Works = Annotated[tuple[Work, ...], Field(min_length=1, max_length=MOST_LINES)]


class InvoiceLine(Output, noun="line", label="{service_name}", listing="{hours} of {service_name}"):
    """Hours of one service, at the rate of the day on which they were written down."""

    service_id: ServiceId
    """Service that was done."""
    service_name: ServiceName
    hours: Annotated[int, Unit("hour")]
    """How many hours."""
    rate: Rate
    """Price of an hour, before tax."""


class Invoice(
    Record,
    noun="invoice",
    label="the {client_name} invoice[ for {total}]",
    listing="the {client_name} invoice for {total} ({status})",
):
    """A bill for hours of work; what is due follows from all that was paid, credited and added."""

    id: InvoiceId
    """Identifier of the invoice."""
    biller_id: BillerId
    """Who sends it."""
    client_id: ClientId
    """Who pays it."""
    client_name: ClientName
    number: str | None = None
    """Number under which it was sent."""
    lines: tuple[InvoiceLine, ...]
    """What was done."""
    subtotal: Money
    """Price of the hours."""
    tax: Money
    """Tax on them."""
    total: Annotated[Money, Ranked("smallest", "largest")]
    """Both together."""
    credit_used: Money = 0
    """What the client's credit paid when it was sent."""
    paid: Money = 0
    """What the client paid."""
    credited: Money = 0
    """What credit notes took off."""
    returned: Money = 0
    """The part of it that was paid already and became the client's credit, unless it was refunded since."""
    late_fee: Money = 0
    """What the final reminder added."""
    due: Due
    created_on: dt.date
    """Day on which it was drafted."""
    due_on: dt.date | None = None
    """Last day on which it can be paid in time."""
    reminders: Annotated[int, Field(ge=0)] = 0
    """How often the client was reminded."""
    reminded_on: dt.date | None = None
    """Day of the last reminder."""
    status: InvoiceStatus = "draft"
    """Where it stands."""

    def overdue(self, today: dt.date) -> bool:
        """Whether it should have been paid before `today`."""
        return self.status == "open" and self.due_on is not None and self.due_on < today

    def settled(self) -> "Invoice":
        """The invoice with what is due now, and paid if that is nothing."""
        due = cents(self.total + self.late_fee - self.credit_used - self.paid - self.credited + self.returned)
        return self.evolve(due=due, status="open" if due > 0 else "paid")


class ClientPayment(
    Record,
    noun="payment",
    label="the {client_name} payment of {received_on}[ for {amount}]",
    listing="{amount} from {client_name} on {received_on} by {method} ({status})",
):
    """Money that came in for an invoice."""

    id: PaymentId
    """Identifier of the payment."""
    biller_id: BillerId
    """Who was paid."""
    client_id: ClientId
    """Who paid."""
    client_name: ClientName
    invoice_id: InvoiceId
    """Invoice that it was for."""
    amount: Annotated[Money, Ranked("smallest", "largest")]
    """How much came in."""
    excess: Money = 0
    """The part that was not due and became the client's credit."""
    fee: Money = 0
    """What the card company kept."""
    method: Method
    received_on: dt.date
    """Day on which it came in."""
    status: PaymentStatus = "received"
    """Whether it was paid back."""


class CreditNote(Record, noun="credit note", label="the credit note for {client_name}"):
    """Something taken off an invoice after it was sent."""

    id: Annotated[str, Ref("CreditNote")]
    """Identifier of the credit note."""
    invoice_id: InvoiceId
    """Invoice that it is for."""
    client_name: ClientName
    amount: Money
    """What is credited."""
    to_credit: Money
    """The part that was paid already and became the client's credit."""
    reason: Reason
    issued_on: dt.date
    """Day on which it was issued."""


class ClientBalance(Output, noun="client", label="{name}", listing="{name} (owes {owing})"):
    """A client and how things stand with it."""

    id: ClientId
    """Identifier of the client."""
    name: ClientName
    city: City
    terms: Annotated[int, Unit("day")]
    """How long it has to pay."""
    abroad: bool
    """Whether it is in another country, so that no tax is added."""
    credit: Money
    """What the next invoice uses up."""
    owing: Money
    """What it has to pay on open invoices."""
    overdue: Money
    """The part of it that should have been paid."""


class ClientPage(Page):
    """A page of clients."""

    clients: tuple[ClientBalance, ...]
    """The clients on this page."""


class ServicePage(Page):
    """A page of services."""

    services: tuple[BillableService, ...]
    """The services on this page."""


class InvoicePage(Page):
    """A page of invoices."""

    invoices: tuple[Invoice, ...]
    """The invoices on this page."""
    outstanding: Money
    """What is due on all that match and are open."""


class InvoiceDetails(Output):
    """An invoice with all that was paid for it and credited on it."""

    invoice: Invoice
    """The invoice."""
    payments: tuple[ClientPayment, ...]
    """Payments for it, the refunded ones among them."""
    credit_notes: tuple[CreditNote, ...]
    """Credit notes for it."""


class PaymentPage(Page):
    """A page of payments."""

    payments: tuple[ClientPayment, ...]
    """The payments on this page."""
    kept: Balance
    """What all that match brought in, less fees and refunds; the fee of a refunded payment is lost."""


class Receipt(Output):
    """What a payment did."""

    payment_id: PaymentId
    """The payment."""
    client_name: ClientName
    amount: Money
    """How much came in."""
    fee: Money
    """What the card company kept."""
    due: Due
    credit: Money
    """What was paid too much, if anything, and is the client's credit now."""


class Reminder(Output):
    """A reminder that was sent."""

    invoice_id: InvoiceId
    """Invoice that should have been paid."""
    client_name: ClientName
    level: Literal["friendly", "firm", "final"]
    """How it is worded."""
    late_fee: Money
    """What it added."""
    due: Due
