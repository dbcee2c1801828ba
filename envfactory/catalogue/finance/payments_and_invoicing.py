"""Invoicing: bill clients for hours of work, send invoices, book what comes in, remind, credit and void.

A draft can still grow; what was sent is changed by payments, credit notes and late fees alone, and what is due follows
from all of them. What a client paid or was credited too much is its credit, which the next invoice uses up.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.finance._invoicing_records import (
    LEVELS,
    Amount,
    BillableService,
    Biller,
    BillerId,
    BillingClient,
    Category,
    City,
    ClientBalance,
    ClientId,
    ClientPage,
    ClientPayment,
    CreditNote,
    Hours,
    Invoice,
    InvoiceId,
    InvoicePage,
    InvoiceStatus,
    Method,
    PaymentId,
    PaymentPage,
    Rate,
    Reason,
    Receipt,
    Reminder,
    ServiceId,
    ServicePage,
    Work,
    amounts,
    line_of,
)
from envfactory.catalogue.finance._invoicing_scenario import books
from envfactory.environment import (
    AtMost,
    Ends,
    Environment,
    FromNow,
    Having,
    Owned,
    PageNumber,
    Table,
    ToolError,
    Within,
    World,
    cents,
    owned,
    standing,
    tool,
)

MOST_LINES = 6
DUE_DAYS = (7, 60)
CARD_LIMIT = 5000.0
CARD_SHARE, CARD_FEE = 0.03, 0.3
REFUND_DAYS = 90
REMINDER_DAYS = 7
LATE_SHARE = 0.05

OWN_CLIENT = Owned(parameter="client_id", field="biller_id", by="biller_id")
OWN_INVOICE = Owned(parameter="invoice_id", field="biller_id", by="biller_id")
DRAFT = Having(parameter="invoice_id", field="status", among=("draft",))
OPEN = Having(parameter="invoice_id", field="status", among=("open",))


class PaymentsAndInvoicing(Environment):
    """Bill the signed-in biller's clients for hours of work, and look after their invoices, payments and credit."""

    domain = "finance"
    policy = """Drafts can be changed; an invoice that was sent cannot. Clients in the biller's own country pay 20
    percent tax. Invoices are due by the client's own terms, or on a day 7 to 60 days ahead. Sending one uses up the
    client's credit first. Card payments are 5000 dollars at most and cost 3 percent and 30 cents, which a refund does
    not give back. Payments by card or bank transfer can be refunded within 90 days, cheques cannot. Overdue invoices
    are reminded of every 7 days, three times; the final reminder adds 5 percent of what is due, and until it is
    paid the client gets no new invoices. Credit notes come to the total at most. An invoice can be voided while
    nothing was paid or credited. Never draft an invoice without knowing client, service and hours."""
    sources = (
        "Stripe Invoicing API, Invoices, Credit Notes and Customer Balance",
        "Xero Accounting API 2.0, Invoices, Payments and Credit Notes",
        "FreshBooks API, Clients, Invoices, Payments and Late Fees",
        "Square Invoices API and Payments API, Refunds",
    )

    biller_id: BillerId
    """Biller whose session this is."""
    billers: Table[Biller]
    clients: Table[BillingClient]
    services: Table[BillableService]
    invoices: Table[Invoice]
    payments: Table[ClientPayment]
    credit_notes: Table[CreditNote]

    @tool(
        ask=(
            "find my clients[ in {city}][owing? who owe me money][, by {sort}]",
            "list the clients I have[ in {city}][owing? that still have to pay me][, sorted by {sort}]",
            "show me my clients[ from {city}][owing? with money outstanding][, by {sort}]",
            "see which clients I have[ in {city}][owing? that owe me something][, ordered by {sort}]",
        ),
        noun="client of mine[ in {city}][owing? who owes me money]",
        reply=("Your clients: {clients}.", "You have no such client."),
    )
    def find_clients(
        self,
        city: City | None = None,
        owing: bool = False,
        sort: Literal["name", "amount_owed"] = "name",
        page: PageNumber = 1,
    ) -> ClientPage:
        """Find the signed-in biller's clients, with what they owe and their credit.

        Args:
            city: Only clients in this city, by its English name.
            owing: Only clients that have something to pay.
            sort: Order: by name, or the one who owes most first.
            page: Page of the results, five clients each.
        """
        found = [self._balance(c) for c in self.clients.values() if c.biller_id == self.biller_id]
        found = [client for client in found if city in (None, client.city) and (client.owing > 0 or not owing)]
        found.sort(key=lambda client: (-client.owing if sort == "amount_owed" else 0, client.name))
        return ClientPage.of(found, page)

    @tool(
        ask=(
            "show me the[ {category}] services that I bill for[ up to {max_rate} an hour]",
            "list my[ {category}] services[ at {max_rate} an hour or less]",
            "look up what I charge for[ {category}] work[, up to {max_rate} an hour]",
            "check my[ {category}] hourly rates[ of at most {max_rate}]",
        ),
        noun="[{category} ]service of mine[ up to {max_rate} an hour]",
        reply=("You bill for {services}.", "You bill for no such service."),
    )
    def list_services(
        self, category: Category | None = None, max_rate: Rate | None = None, page: PageNumber = 1
    ) -> ServicePage:
        """List what can be billed for, by name.

        Args:
            category: Only services of this kind.
            max_rate: Only services at or below this price an hour.
            page: Page of the results, five services each.
        """
        found = [
            service
            for service in self.services.values()
            if category in (None, service.category) and (max_rate is None or service.rate <= max_rate)
        ]
        found.sort(key=lambda service: service.name)
        return ServicePage.of(found, page)

    @tool(
        ask=(
            "list my[ {status}] invoices[ to {client_id}][overdue? that are overdue][, by {sort}]",
            "show me the[ {status}] invoices I have[ for {client_id}][overdue? that are past due][, sorted by {sort}]",
            "see which[ {status}] invoices there are[ for {client_id}][overdue? that are late][, by {sort}]",
            "go through my[ {status}] invoices[ to {client_id}][overdue?, only those overdue][, ordered by {sort}]",
        ),
        noun="[{status} ]invoice of mine[ to {client_id}][overdue? that is overdue]",
        reply=("Your invoices: {invoices}. Outstanding on them: {outstanding}.", "There is no such invoice."),
        where=(OWN_CLIENT,),
    )
    def list_invoices(
        self,
        status: InvoiceStatus | None = None,
        client_id: ClientId | None = None,
        overdue: bool = False,
        sort: Literal["date", "amount_due"] = "date",
        page: PageNumber = 1,
    ) -> InvoicePage:
        """List the signed-in biller's invoices.

        Args:
            status: Only invoices that stand like this.
            client_id: Only invoices to this client.
            overdue: Only open invoices that should have been paid before today.
            sort: Order: drafted last first, or most due first.
            page: Page of the results, five invoices each.
        """
        if overdue and status not in (None, "open"):
            raise ToolError("invalid_argument", f"Only open invoices can be overdue, not {status} ones.")
        if client_id is not None:
            self._client(client_id)
        found = [
            invoice
            for invoice in self.invoices.values()
            if invoice.biller_id == self.biller_id
            and status in (None, invoice.status)
            and client_id in (None, invoice.client_id)
            and (invoice.overdue(self.now.date()) or not overdue)
        ]
        found.sort(key=lambda row: (row.due if sort == "amount_due" else 0, row.created_on, row.id), reverse=True)
        due = sum(invoice.due for invoice in found if invoice.status == "open")
        return InvoicePage.of(found, page, outstanding=cents(due))

    @tool(
        ask=(
            "show me the details of {invoice_id}",
            "look up {invoice_id} for me",
            "check how much is still due on {invoice_id}",
            "tell me what is on {invoice_id} and where it stands",
        ),
        reply=(
            "{client_name} is billed {total} for {lines}; {due} of it is left to pay by {due_on} ({status}).",
            "{client_name} is billed {total} for {lines} ({status}).",
        ),
        where=(OWN_INVOICE,),
    )
    def get_invoice(self, invoice_id: InvoiceId) -> Invoice:
        """Get one of the signed-in biller's invoices.

        Args:
            invoice_id: Invoice to look at.
        """
        return self._invoice(invoice_id)

    @tool(
        writes=True,
        ask=(
            "draft an invoice to {client_id} for {work}",
            "write up {work} for {client_id} as a draft invoice",
            "prepare an invoice for {client_id} over {work}",
            "start a draft that bills {client_id} for {work}",
        ),
        reply=("The draft for {client_name} comes to {total} with {tax} of tax: {lines}.",),
        where=(OWN_CLIENT, Within(parameter="work[].hours", low=2, high=24)),
    )
    def draft_invoice(
        self, client_id: ClientId, work: Annotated[tuple[Work, ...], Field(min_length=1, max_length=MOST_LINES)]
    ) -> Invoice:
        """Draft an invoice for hours of work; nothing is sent yet.

        Args:
            client_id: Client who is to pay.
            work: Services and how many hours each took; every service once.
        """
        client = self._client(client_id)
        if any(row.client_id == client.id and row.status == "open" and row.reminders == len(LEVELS)
               for row in self.invoices.values()):  # fmt: skip
            raise ToolError("precondition_failed", f"{client.name} has not paid in spite of a final reminder.")
        if len({each.service_id for each in work}) < len(work):
            raise ToolError("invalid_argument", "Every service stands on an invoice once, with all its hours.")
        lines = tuple(line_of(self.services.require(each.service_id), each.hours) for each in work)
        return self.invoices.insert(
            Invoice(
                id=self.new_id("IN"), biller_id=self.biller_id, client_id=client.id, client_name=client.name,
                lines=lines, created_on=self.now.date(), **amounts(lines, abroad=client.abroad),
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "add {hours} of {service_id} to {invoice_id}",
            "put {hours} of {service_id} on {invoice_id} as well",
            "include {hours} of {service_id} in {invoice_id}",
            "extend {invoice_id} by {hours} of {service_id}",
        ),
        reply=("The draft for {client_name} now comes to {total}: {lines}.",),
        where=(OWN_INVOICE, DRAFT, Within(parameter="hours", low=1, high=12)),
    )
    def add_hours(self, invoice_id: InvoiceId, service_id: ServiceId, hours: Hours) -> Invoice:
        """Add hours of a service to a draft; those of a service that is on it already are added up.

        Args:
            invoice_id: Draft that is to grow.
            service_id: Service that was done.
            hours: How many hours more.
        """
        invoice = standing(self._invoice(invoice_id), ("draft",), "changed")
        service = self.services.require(service_id)
        lines = tuple(
            line.evolve(hours=line.hours + hours) if line.service_id == service.id else line for line in invoice.lines
        )
        if lines == invoice.lines:
            if len(lines) >= MOST_LINES:
                raise ToolError("limit_exceeded", f"An invoice has {MOST_LINES} services at most.")
            lines = (*lines, line_of(service, hours))
        client = self.clients.require(invoice.client_id)
        return self.invoices.replace(invoice.evolve(lines=lines, **amounts(lines, abroad=client.abroad)))

    @tool(
        writes=True,
        ask=(
            "send {invoice_id} to the client[, due on {due_on}]",
            "send out {invoice_id}[ and make it due on {due_on}]",
            "issue {invoice_id}[ with {due_on} as the due date]",
            "finish {invoice_id} and mail it off[, to be paid by {due_on}]",
        ),
        reply=("{number} went to {client_name}; {due} is due by {due_on}.", "{number} went to {client_name}."),
        where=(OWN_INVOICE, DRAFT, FromNow(parameter="due_on", days=DUE_DAYS)),
    )
    def send_invoice(self, invoice_id: InvoiceId, due_on: dt.date | None = None) -> Invoice:
        """Give a draft the next number and send it; the client's credit is used up first.

        Args:
            invoice_id: Draft to send.
            due_on: Last day for paying, 7 to 60 days ahead; by the client's own terms unless given.
        """
        invoice = standing(self._invoice(invoice_id), ("draft",), "sent")
        client, biller = self.clients.require(invoice.client_id), self.billers.require(self.biller_id)
        today = self.now.date()
        least, most = DUE_DAYS
        if due_on is not None and not least <= (due_on - today).days <= most:
            raise ToolError("invalid_argument", f"Invoices are due in {least} to {most} days, not on {due_on}.")
        used = min(client.credit, invoice.total)
        self.billers.replace(biller.evolve(last_number=biller.last_number + 1))
        self.clients.replace(client.evolve(credit=cents(client.credit - used)))
        sent = invoice.evolve(
            number=f"INV-{biller.last_number + 1}",
            credit_used=used,
            due_on=due_on or today + dt.timedelta(days=client.terms),
        )
        return self.invoices.replace(sent.settled())

    @tool(
        writes=True,
        ask=(
            "record a payment of {amount} by {method} for {invoice_id}",
            "book {amount} that came in by {method} for {invoice_id}",
            "note that {amount} was paid by {method} on {invoice_id}",
            "enter {amount} received by {method} against {invoice_id}",
        ),
        reply=("{amount} from {client_name} is booked, less a fee of {fee}; {due} is still due.",),
        where=(
            OWN_INVOICE,
            OPEN,
            Within(parameter="amount", low=20, high=2000, step=20),
            AtMost(parameter="amount", other="invoice_id", field="due"),
        ),
    )
    def record_payment(self, invoice_id: InvoiceId, amount: Amount, method: Method) -> Receipt:
        """Book money that came in for an open invoice; what is paid too much becomes the client's credit.

        Args:
            invoice_id: Invoice that was paid, in part or whole.
            amount: How much came in.
            method: How it was paid.
        """
        invoice = standing(self._invoice(invoice_id), ("open",), "paid")
        if method == "card" and amount > CARD_LIMIT:
            raise ToolError("limit_exceeded", f"Card payments are {CARD_LIMIT:.0f} dollars at most.")
        excess = cents(max(0.0, amount - invoice.due))
        fee = cents(amount * CARD_SHARE + CARD_FEE) if method == "card" else 0.0
        after = invoice.evolve(paid=cents(invoice.paid + amount - excess)).settled()
        self.invoices.replace(after)
        self._credit(invoice.client_id, excess)
        payment = self.payments.insert(
            ClientPayment(
                id=self.new_id("CP"), biller_id=self.biller_id, client_id=invoice.client_id,
                client_name=invoice.client_name, invoice_id=invoice.id, amount=amount, excess=excess, fee=fee,
                method=method, received_on=self.now.date(),
            )
        )  # fmt: skip
        return Receipt(
            payment_id=payment.id, client_name=invoice.client_name, amount=amount, fee=fee, due=after.due, credit=excess
        )

    @tool(
        ask=(
            "list the payments I got[ from {client_id}][ by {method}][ since {since}]",
            "show me what came in[ from {client_id}][ by {method}][ since {since}]",
            "check which payments I received[ from {client_id}][, paid by {method}][, since {since}]",
            "go through my incoming payments[ from {client_id}][ by {method}][ from {since} on]",
        ),
        noun="payment to me[ from {client_id}][ by {method}][ since {since}]",
        reply=("You received {payments}. After fees and refunds that makes {kept}.", "There was no such payment."),
        where=(OWN_CLIENT, FromNow(parameter="since", days=(-120, -20))),
    )
    def list_payments(
        self,
        client_id: ClientId | None = None,
        method: Method | None = None,
        since: dt.date | None = None,
        page: PageNumber = 1,
    ) -> PaymentPage:
        """List the payments that the signed-in biller got, the latest first.

        Args:
            client_id: Only payments from this client.
            method: Only payments that were made like this.
            since: Only payments from this day on.
            page: Page of the results, five payments each.
        """
        if client_id is not None:
            self._client(client_id)
        found = [
            payment
            for payment in self.payments.values()
            if payment.biller_id == self.biller_id
            and client_id in (None, payment.client_id)
            and method in (None, payment.method)
            and (since is None or payment.received_on >= since)
        ]
        found.sort(key=lambda payment: (payment.received_on, payment.id), reverse=True)
        kept = sum((payment.amount if payment.status == "received" else 0.0) - payment.fee for payment in found)
        return PaymentPage.of(found, page, kept=cents(kept))

    @tool(
        writes=True,
        ask=(
            "refund {payment_id}",
            "pay back {payment_id} to the client",
            "give the client back {payment_id}",
            "reverse {payment_id} and return the money",
        ),
        reply=("{amount} goes back to {client_name}.",),
        where=(
            Owned(parameter="payment_id", field="biller_id", by="biller_id"),
            Having(parameter="payment_id", field="status", among=("received",)),
            Having(parameter="payment_id", field="method", among=("card", "bank_transfer")),
            Ends(parameter="payment_id"),
        ),
    )
    def refund_payment(self, payment_id: PaymentId) -> ClientPayment:
        """Pay a payment by card or bank transfer back within 90 days; its invoice is open again.

        Args:
            payment_id: Payment to give back.
        """
        payment = owned(self.payments.require(payment_id), "biller_id", self.biller_id)
        standing(payment, ("received",), "refunded")
        if payment.method == "cheque":
            raise ToolError("precondition_failed", "Payments by cheque cannot be refunded.")
        if (self.now.date() - payment.received_on).days > REFUND_DAYS:
            raise ToolError("precondition_failed", f"The payment came in over {REFUND_DAYS} days ago.")
        self._credit(payment.client_id, -payment.excess)
        invoice = self.invoices.require(payment.invoice_id)
        self.invoices.replace(invoice.evolve(paid=cents(invoice.paid - payment.amount + payment.excess)).settled())
        return self.payments.replace(payment.evolve(status="refunded"))

    @tool(
        writes=True,
        ask=(
            "remind the client of {invoice_id}",
            "send a reminder for {invoice_id}",
            "chase the payment of {invoice_id}",
            "follow up on {invoice_id} with a reminder",
        ),
        reply=("A {level} reminder went to {client_name}; with a late fee of {late_fee}, {due} is due.",),
        where=(OWN_INVOICE, OPEN),
    )
    def send_reminder(self, invoice_id: InvoiceId) -> Reminder:
        """Remind a client of an overdue invoice: friendly, then firm, then final with a late fee of 5 percent.

        Args:
            invoice_id: Invoice that should have been paid.
        """
        invoice = standing(self._invoice(invoice_id), ("open",), "reminded of")
        today = self.now.date()
        if not invoice.overdue(today):
            raise ToolError("precondition_failed", f"The invoice is due on {invoice.due_on}, so it is not late yet.")
        if invoice.reminders == len(LEVELS):
            raise ToolError("limit_exceeded", f"{invoice.client_name} got the final reminder already.")
        if invoice.reminded_on is not None and (today - invoice.reminded_on).days < REMINDER_DAYS:
            raise ToolError(
                "precondition_failed",
                f"The last reminder went out on {invoice.reminded_on}, less than {REMINDER_DAYS} days ago.",
            )
        level = LEVELS[invoice.reminders]
        fee = cents(invoice.due * LATE_SHARE) if level == "final" else 0.0
        after = invoice.evolve(reminders=invoice.reminders + 1, reminded_on=today, late_fee=fee).settled()
        self.invoices.replace(after)
        return Reminder(
            invoice_id=invoice.id, client_name=invoice.client_name, level=level, late_fee=fee, due=after.due
        )

    @tool(
        writes=True,
        ask=(
            "credit {amount} on {invoice_id} because of {reason}",
            "issue a credit note of {amount} for {invoice_id}, giving {reason} as the reason",
            "take {amount} off {invoice_id} for {reason}",
            "write a credit note over {amount} for {invoice_id} on account of {reason}",
        ),
        reply=("{client_name} is credited {amount}; {to_credit} of it goes towards later invoices.",),
        where=(
            OWN_INVOICE,
            Having(parameter="invoice_id", field="status", among=("open", "paid")),
            Within(parameter="amount", low=20, high=200, step=20),
            AtMost(parameter="amount", other="invoice_id", field="subtotal", share=0.5),
        ),
    )
    def credit_invoice(self, invoice_id: InvoiceId, amount: Amount, reason: Reason) -> CreditNote:
        """Take something off an invoice that was sent; what was paid already becomes the client's credit.

        Args:
            invoice_id: Invoice to credit.
            amount: How much to credit, with what was credited before the total at most.
            reason: Why.
        """
        invoice = standing(self._invoice(invoice_id), ("open", "paid"), "credited")
        left = cents(invoice.total - invoice.credited)
        if amount > left:
            raise ToolError("limit_exceeded", f"Only {left:.2f} dollars of the invoice can be credited.")
        over = cents(amount - min(amount, invoice.due))
        self.invoices.replace(
            invoice.evolve(credited=cents(invoice.credited + amount), returned=cents(invoice.returned + over)).settled()
        )
        self._credit(invoice.client_id, over)
        return self.credit_notes.insert(
            CreditNote(
                id=self.new_id("CN"), invoice_id=invoice.id, client_name=invoice.client_name, amount=amount,
                to_credit=over, reason=reason, issued_on=self.now.date(),
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "void {invoice_id}",
            "cancel {invoice_id}",
            "make {invoice_id} void",
            "withdraw {invoice_id} from the client",
        ),
        reply=("The invoice over {total} to {client_name} is void.",),
        where=(
            OWN_INVOICE,
            OPEN,
            Having(parameter="invoice_id", field="paid", among=(0,)),
            Ends(parameter="invoice_id"),
        ),
    )
    def void_invoice(self, invoice_id: InvoiceId) -> Invoice:
        """Make an open invoice void on which nothing was paid or credited; the client's credit is given back.

        Args:
            invoice_id: Invoice to void.
        """
        invoice = standing(self._invoice(invoice_id), ("open",), "voided")
        if invoice.paid or invoice.credited:
            raise ToolError("precondition_failed", "Something was paid or credited on the invoice, so it stays.")
        self._credit(invoice.client_id, invoice.credit_used)
        return self.invoices.replace(invoice.evolve(status="void", credit_used=0.0, late_fee=0.0, due=0.0))

    def _invoice(self, invoice_id: str) -> Invoice:
        return owned(self.invoices.require(invoice_id), "biller_id", self.biller_id)

    def _client(self, client_id: str) -> BillingClient:
        return owned(self.clients.require(client_id), "biller_id", self.biller_id)

    def _balance(self, client: BillingClient) -> ClientBalance:
        """A client with what is due on its open invoices."""
        rows = [row for row in self.invoices.values() if row.client_id == client.id and row.status == "open"]
        late = [row for row in rows if row.overdue(self.now.date())]
        return ClientBalance(
            id=client.id, name=client.name, city=client.city, terms=client.terms, credit=client.credit,
            owing=cents(sum(row.due for row in rows)), overdue=cents(sum(row.due for row in late)),
        )  # fmt: skip

    def _credit(self, client_id: str, amount: float) -> None:
        """Add to a client's credit, or take (a negative amount) what is still there."""
        client = self.clients.require(client_id)
        credit = cents(client.credit + amount)
        if credit < 0:
            raise ToolError("precondition_failed", f"{client.name} has used up what was paid too much.")
        if amount:
            self.clients.replace(client.evolve(credit=credit))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Clients with and without credit, invoices in every condition and the payments for them."""
        return cls.model_validate(books(world, size))
