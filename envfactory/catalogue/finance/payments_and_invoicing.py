"""Invoicing: bill clients for hours of work, send invoices, book what comes in, remind, credit and void.

A draft can still grow; what was sent is changed by payments, credit notes and late fees alone, and what is due follows
from all of them. What a client paid or was credited too much is its credit, which the next invoice uses up.
"""

import datetime as dt
from typing import Literal, Self, TypeVar

from envfactory.catalogue.finance import _invoicing_records as rec
from envfactory.catalogue.finance import _invoicing_relations as relations
from envfactory.catalogue.finance import _invoicing_rules as rules
from envfactory.catalogue.finance._invoicing_scenario import books
from envfactory.environment import Environment, PageNumber, Table, World, cents, owned, standing, tool

B = TypeVar("B", rec.BillingClient, rec.Invoice, rec.ClientPayment)
D = TypeVar("D", rec.Invoice, rec.ClientPayment)


class PaymentsAndInvoicing(Environment):
    """Bill the signed-in biller's clients for hours of work, and look after their invoices, payments and credit."""

    domain = "finance"
    policy = """Drafts can be changed and deleted; an invoice that was sent cannot. Clients in the biller's own country
    pay 20 percent tax. Invoices are due by the client's own terms, or on a day 7 to 60 days ahead. Sending one uses up
    the client's credit first. Card payments are 0.50 to 5000 dollars and cost 3 percent and 30 cents, which a refund
    does not give back. Payments by card or bank transfer can be refunded within 90 days, cheques cannot; credit that
    the client had from the payment is taken back. Overdue invoices are reminded of every 7 days, three times; the final
    reminder adds 5 percent of what is due, and until it is paid or void the client gets no new invoices, drafted before
    or not. Credit notes come to the total and the late fee at most. An invoice can be voided while nothing was paid or
    credited. Never draft an invoice without knowing client, service and hours."""
    sources = (
        "Stripe Invoicing API, Invoices, Credit Notes and Customer Balance",
        "Xero Accounting API 2.0, Invoices, Payments and Credit Notes",
        "FreshBooks API, Clients, Invoices, Payments and Late Fees",
        "Square Invoices API and Payments API, Refunds",
    )

    biller_id: rec.BillerId
    """Biller whose session this is."""
    billers: Table[rec.Biller]
    clients: Table[rec.BillingClient]
    services: Table[rec.BillableService]
    invoices: Table[rec.Invoice]
    payments: Table[rec.ClientPayment]
    credit_notes: Table[rec.CreditNote]

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
        self, city: rec.City | None = None, owing: bool = False, sort: Literal["name", "amount_owed"] = "name",
        page: PageNumber = 1,
    ) -> rec.ClientPage:  # fmt: skip
        """Find the signed-in biller's clients, with what they owe and their credit.

        Args:
            city: Only clients in this city, by its English name.
            owing: Only clients that have something to pay.
            sort: Order: by name, or the one who owes most first.
            page: Page of the results, five clients each.
        """
        invoices, today = self.invoices.values(), self.now.date()
        found = [rules.balance_of(c, invoices, today) for c in self.clients.values() if c.biller_id == self.biller_id]
        found = [client for client in found if city in (None, client.city) and (client.owing > 0 or not owing)]
        found.sort(key=lambda client: (-client.owing if sort == "amount_owed" else 0, client.name))
        return rec.ClientPage.of(found, page)

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
        self, category: rec.Category | None = None, max_rate: rec.Rate | None = None, page: PageNumber = 1
    ) -> rec.ServicePage:
        """List what can be billed for, by name.

        Args:
            category: Only services of this kind.
            max_rate: Only services at or below this price an hour.
            page: Page of the results, five services each.
        """
        found = [service for service in self.services.values() if category in (None, service.category)]
        found = [service for service in found if max_rate is None or service.rate <= max_rate]
        found.sort(key=lambda service: service.name)
        return rec.ServicePage.of(found, page)

    @tool(
        ask=(
            "list my[ {status}] invoices[ to {client_id}][overdue? that are overdue][, by {sort}]",
            "show me the[ {status}] invoices I have[ for {client_id}][overdue? that are past due][, sorted by {sort}]",
            "see which[ {status}] invoices there are[ for {client_id}][overdue? that are late][, by {sort}]",
            "go through my[ {status}] invoices[ to {client_id}][overdue?, only those overdue][, ordered by {sort}]",
        ),
        noun="[{status} ]invoice of mine[ to {client_id}][overdue? that is overdue]",
        reply=("Your invoices: {invoices}. Outstanding on them: {outstanding}.", "There is no such invoice."),
        where=relations.CLIENT,
    )
    def list_invoices(
        self, status: rec.InvoiceStatus | None = None, client_id: rec.ClientId | None = None, overdue: bool = False,
        sort: Literal["date", "amount_due"] = "date", page: PageNumber = 1,
    ) -> rec.InvoicePage:  # fmt: skip
        """List the signed-in biller's invoices.

        Args:
            status: Only invoices that stand like this.
            client_id: Only invoices to this client.
            overdue: Only open invoices that should have been paid before today.
            sort: Order: drafted last first, or most due first.
            page: Page of the results, five invoices each.
        """
        if overdue:
            rules.check_can_be_overdue(status)
        own = [invoice for invoice in self._own(self.invoices, client_id) if status in (None, invoice.status)]
        found = [invoice for invoice in own if invoice.overdue(self.now.date()) or not overdue]
        found.sort(key=lambda row: (row.due if sort == "amount_due" else 0, row.created_on, row.id), reverse=True)
        due = sum(invoice.due for invoice in found if invoice.status == "open")
        return rec.InvoicePage.of(found, page, outstanding=cents(due))

    @tool(
        ask=(
            "show me the details of {invoice_id}",
            "look up {invoice_id} for me",
            "check how much is still due on {invoice_id}",
            "tell me what is on {invoice_id} and where it stands",
        ),
        reply=(
            (
                "{invoice.client_name} is billed {invoice.total} for {invoice.lines}; "
                "{invoice.due} of it is left to pay by {invoice.due_on} ({invoice.status})."
            ),
            "{invoice.client_name} is billed {invoice.total} for {invoice.lines} ({invoice.status}).",
        ),
        where=relations.INVOICE,
    )
    def get_invoice(self, invoice_id: rec.InvoiceId) -> rec.InvoiceDetails:
        """Get one of the signed-in biller's invoices, with its payments and credit notes.

        Args:
            invoice_id: Invoice to look at.
        """
        return rec.InvoiceDetails(
            invoice=self._invoice(invoice_id),
            payments=tuple(row for row in self.payments.values() if row.invoice_id == invoice_id),
            credit_notes=tuple(row for row in self.credit_notes.values() if row.invoice_id == invoice_id),
        )

    @tool(
        writes=True,
        ask=(
            "draft an invoice to {client_id} for {work}",
            "write up {work} for {client_id} as a draft invoice",
            "prepare an invoice to {client_id} for {work}",
            "start a draft that bills {client_id} for {work}",
        ),
        reply=("The draft for {client_name} comes to {total} with {tax} of tax: {lines}.",),
        where=relations.DRAFTING,
    )
    def draft_invoice(self, client_id: rec.ClientId, work: rec.Works) -> rec.Invoice:
        """Draft an invoice for hours of work; nothing is sent yet.

        Args:
            client_id: Client who is to pay.
            work: Services and how many hours each took; every service once.
        """
        client = self._mine(self.clients, client_id)
        rules.check_not_blocked(client, self.invoices.values())
        rules.check_once_each(work)
        lines = tuple(rules.line_of(self.services.require(each.service_id), each.hours) for each in work)
        return self.invoices.insert(rules.draft(self.new_id("IN"), client, lines, self.now.date()))

    @tool(
        writes=True,
        ask=(
            "add {hours} of {service_id} to {invoice_id}",
            "put {hours} of {service_id} on {invoice_id} as well",
            "include {hours} of {service_id} in {invoice_id}",
            "extend {invoice_id} by {hours} of {service_id}",
        ),
        reply=("The draft for {client_name} now comes to {total}: {lines}.",),
        where=relations.ADDING,
    )
    def add_hours(self, invoice_id: rec.InvoiceId, service_id: rec.ServiceId, hours: rec.Hours) -> rec.Invoice:
        """Add hours of a service to a draft; those of a service that is on it already are added up.

        Args:
            invoice_id: Draft that is to grow.
            service_id: Service that was done.
            hours: How many hours more.
        """
        invoice = standing(self._invoice(invoice_id), ("draft",), "changed")
        return self._with(invoice, rules.more_hours(invoice.lines, self.services.require(service_id), hours))

    @tool(
        writes=True,
        ask=(
            "take {service_id} off {invoice_id}",
            "remove {service_id} from {invoice_id}",
            "drop {service_id} from {invoice_id}",
            "leave {service_id} off {invoice_id} after all",
        ),
        reply=("The draft for {client_name} now comes to {total}: {lines}.",),
        where=relations.REMOVING,
    )
    def remove_service(self, invoice_id: rec.InvoiceId, service_id: rec.ServiceId) -> rec.Invoice:
        """Take a service with all its hours off a draft that has others.

        Args:
            invoice_id: Draft that is to shrink.
            service_id: Service that is not to be billed.
        """
        invoice = standing(self._invoice(invoice_id), ("draft",), "changed")
        return self._with(invoice, rules.without(invoice.lines, self.services.require(service_id)))

    @tool(
        writes=True,
        ask=(
            "delete the draft of {invoice_id}",
            "throw away the draft of {invoice_id}",
            "discard {invoice_id}, which was never sent",
            "scrap the draft of {invoice_id}",
        ),
        reply=("The draft for {client_name} is gone.",),
        where=relations.DELETING,
    )
    def delete_draft(self, invoice_id: rec.InvoiceId) -> rec.Invoice:
        """Delete an invoice that was not sent yet.

        Args:
            invoice_id: Draft to delete.
        """
        return self.invoices.delete(standing(self._invoice(invoice_id), ("draft",), "deleted").id)

    @tool(
        writes=True,
        ask=(
            "send {invoice_id} to the client[, due on {due_on}]",
            "send out {invoice_id}[ and make it due on {due_on}]",
            "issue {invoice_id}[ with {due_on} as the due date]",
            "mail {invoice_id} out[, to be paid by {due_on}]",
        ),
        reply=("{number} went to {client_name}; {due} is due by {due_on}.", "{number} went to {client_name}."),
        where=relations.SENDING,
    )
    def send_invoice(self, invoice_id: rec.InvoiceId, due_on: dt.date | None = None) -> rec.Invoice:
        """Give a draft the next number and send it; the client's credit is used up first.

        Args:
            invoice_id: Draft to send.
            due_on: Last day for paying, 7 to 60 days ahead; by the client's own terms unless given.
        """
        invoice = standing(self._invoice(invoice_id), ("draft",), "sent")
        client, biller = self.clients.require(invoice.client_id), self.billers.require(self.biller_id)
        rules.check_not_blocked(client, self.invoices.values())
        due_on = rules.due_day(due_on, self.now.date(), client.terms)
        used = min(client.credit, invoice.total)
        self.billers.replace(biller.evolve(last_number=biller.last_number + 1))
        self._credit(client.id, -used)
        sent = invoice.evolve(number=f"INV-{biller.last_number + 1}", credit_used=used, due_on=due_on)
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
        where=relations.PAYING,
    )
    def record_payment(self, invoice_id: rec.InvoiceId, amount: rec.Amount, method: rec.Method) -> rec.Receipt:
        """Book money that came in for an open invoice; what is paid too much becomes the client's credit.

        Args:
            invoice_id: Invoice that was paid, in part or whole.
            amount: How much came in.
            method: How it was paid.
        """
        invoice = standing(self._invoice(invoice_id), ("open",), "paid")
        payment = self.payments.insert(rules.payment(self.new_id("CP"), invoice, amount, method, self.now.date()))
        after = invoice.evolve(paid=cents(invoice.paid + amount - payment.excess)).settled()
        self.invoices.replace(after)
        self._credit(invoice.client_id, payment.excess)
        return rules.receipt(payment, after.due)

    @tool(
        ask=(
            "list the payments I got[ from {client_id}][ by {method}][ since {since}]",
            "show me what came in[ from {client_id}][ by {method}][ since {since}]",
            "check which payments I received[ from {client_id}][, paid by {method}][, since {since}]",
            "go through my incoming payments[ from {client_id}][ by {method}][ from {since} on]",
        ),
        noun="payment to me[ from {client_id}][ by {method}][ since {since}]",
        reply=("You received {payments}. After fees and refunds that makes {kept}.", "There was no such payment."),
        where=relations.PAYMENTS,
    )
    def list_payments(
        self, client_id: rec.ClientId | None = None, method: rec.Method | None = None, since: dt.date | None = None,
        page: PageNumber = 1,
    ) -> rec.PaymentPage:  # fmt: skip
        """List the payments that the signed-in biller got, the latest first.

        Args:
            client_id: Only payments from this client.
            method: Only payments that were made like this.
            since: Only payments from this day on.
            page: Page of the results, five payments each.
        """
        own = [payment for payment in self._own(self.payments, client_id) if method in (None, payment.method)]
        found = [payment for payment in own if since is None or payment.received_on >= since]
        found.sort(key=lambda payment: (payment.received_on, payment.id), reverse=True)
        return rec.PaymentPage.of(found, page, kept=rules.kept_of(found))

    @tool(
        writes=True,
        ask=(
            "refund {payment_id}",
            "pay back {payment_id} to the client",
            "give the client back {payment_id}",
            "reverse {payment_id} and return the money",
        ),
        reply=("{amount} goes back to {client_name}.",),
        where=relations.REFUNDING,
    )
    def refund_payment(self, payment_id: rec.PaymentId) -> rec.ClientPayment:
        """Pay a payment by card or bank transfer back within 90 days; its invoice and the client's credit lose it.

        Args:
            payment_id: Payment to give back.
        """
        payment = self._mine(self.payments, payment_id)
        invoice, taken = rules.refunded(self.invoices.require(payment.invoice_id), payment, self.now.date())
        self._credit(payment.client_id, -taken)
        self.invoices.replace(invoice)
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
        where=relations.REMINDING,
    )
    def send_reminder(self, invoice_id: rec.InvoiceId) -> rec.Reminder:
        """Remind a client of an overdue invoice: friendly, then firm, then final with a late fee of 5 percent.

        Args:
            invoice_id: Invoice that should have been paid.
        """
        invoice = standing(self._invoice(invoice_id), ("open",), "reminded of")
        after = self.invoices.replace(rules.reminded(invoice, self.now.date()))
        return rec.Reminder(
            invoice_id=after.id, client_name=after.client_name, level=rules.LEVELS[invoice.reminders],
            late_fee=after.late_fee, due=after.due,
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "credit {amount} on {invoice_id} for {reason}",
            "issue a credit note of {amount} for {invoice_id}, giving {reason} as the reason",
            "knock {amount} off {invoice_id}, reason: {reason}",
            "write a credit note of {amount} on {invoice_id} for {reason}",
        ),
        reply=("{client_name} is credited {amount}; {to_credit} of it goes towards later invoices.",),
        where=relations.CREDITING,
    )
    def credit_invoice(self, invoice_id: rec.InvoiceId, amount: rec.Amount, reason: rec.Reason) -> rec.CreditNote:
        """Take something off an invoice that was sent; what was paid already becomes the client's credit.

        Args:
            invoice_id: Invoice to credit.
            amount: How much to credit, with what was credited before the total and late fee at most.
            reason: Why.
        """
        invoice = standing(self._invoice(invoice_id), ("open", "paid"), "credited")
        rules.check_cents(amount)
        after, over = rules.credited(invoice, amount)
        self.invoices.replace(after)
        self._credit(invoice.client_id, over)
        note = rules.credit_note(self.new_id("CN"), invoice, amount, over, reason, self.now.date())
        return self.credit_notes.insert(note)

    @tool(
        writes=True,
        ask=(
            "void {invoice_id}",
            "cancel {invoice_id}",
            "make {invoice_id} void",
            "withdraw {invoice_id} from the client",
        ),
        reply=("The invoice for {total} to {client_name} is void.",),
        where=relations.VOIDING,
    )
    def void_invoice(self, invoice_id: rec.InvoiceId) -> rec.Invoice:
        """Make an open invoice void on which nothing was paid or credited; the client's credit is given back.

        Args:
            invoice_id: Invoice to void.
        """
        invoice = standing(self._invoice(invoice_id), ("open",), "voided")
        rules.check_untouched(invoice)
        self._credit(invoice.client_id, invoice.credit_used)
        return self.invoices.replace(invoice.evolve(status="void", credit_used=0.0, late_fee=0.0, due=0.0))

    def _invoice(self, invoice_id: str) -> rec.Invoice:
        return self._mine(self.invoices, invoice_id)

    def _mine(self, table: Table[B], key: str) -> B:
        return owned(table.require(key), "biller_id", self.biller_id)

    def _own(self, table: Table[D], client_id: str | None) -> list[D]:
        """The biller's rows of a table, of one of the biller's clients if one is named."""
        if client_id is not None:
            self._mine(self.clients, client_id)
        own = [row for row in table.values() if row.biller_id == self.biller_id]
        return [row for row in own if client_id in (None, row.client_id)]

    def _with(self, draft: rec.Invoice, lines: tuple[rec.InvoiceLine, ...]) -> rec.Invoice:
        client = self.clients.require(draft.client_id)
        return self.invoices.replace(draft.evolve(lines=lines, **rules.amounts(lines, abroad=client.abroad)))

    def _credit(self, client_id: str, amount: float) -> None:
        """Add to a client's credit, or take (a negative amount) what is still there."""
        self.clients.replace(rules.with_credit(self.clients.require(client_id), amount))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Clients with and without credit, invoices in every condition and the payments for them."""
        return cls.model_validate(books(world, size))
