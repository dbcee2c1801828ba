"""The books of a scenario: clients, services, invoices in every condition and the payments for them."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.finance._invoicing_records import (
    BillableService,
    Biller,
    BillingClient,
    Category,
    ClientPayment,
    CreditNote,
    Invoice,
    Method,
)
from envfactory.catalogue.finance._invoicing_rules import (
    CARD_LIMITS,
    LATE_SHARE,
    LEVELS,
    amounts,
    card_fee,
    credited,
    line_of,
    refunded,
)
from envfactory.environment import World, by_id, cents

_SERVICES: tuple[tuple[str, Category], ...] = (
    ("logo design", "design"), ("web design", "design"), ("packaging design", "design"), ("photo editing", "design"),
    ("copywriting", "writing"), ("proofreading", "writing"), ("translation", "writing"), ("blog writing", "writing"),
    ("web development", "development"), ("app testing", "development"), ("database work", "development"),
    ("server upkeep", "development"), ("market research", "consulting"), ("tax advice", "consulting"),
    ("staff training", "consulting"), ("project planning", "consulting"),
)  # fmt: skip
_NAMES = (
    "Harbour", "Oakwell", "Nordhem", "Bluebird", "Juniper", "Kestrel", "Solvik", "Tamarin", "Caldera", "Fairfield",
    "Lindholm", "Marigold",
)  # fmt: skip
_TRADES = ("Bakery", "Dental", "Brewery", "Books", "Travel", "Motors", "Films", "Farms")
_METHODS: tuple[Method, ...] = ("card", "bank_transfer", "cheque")


class _Kind(NamedTuple):
    """How an invoice stands: due how many days from now, paid to which share, reminded how often and when.

    Of a paid one, so much was paid too much, or credited today; or the payment was refunded.
    """

    due: int
    status: str = "open"
    paid: float = 0.0
    reminders: int = 0
    reminded: int = 0
    excess: int = 0
    noted: int = 0
    refunded: bool = False


_FINAL = _Kind(-75, reminders=3, reminded=-30)
_KINDS = (
    _Kind(0, "draft"),
    _Kind(18),
    _Kind(-12),
    _Kind(-20, "paid", 1.0, excess=40),
    _Kind(-25, reminders=1, reminded=-9),
    _Kind(0, "draft"),
    _Kind(11, paid=0.5),
    _Kind(-40, "paid", 1.0, excess=60),
    _Kind(-48, reminders=2, reminded=-16),
    _Kind(5, "paid", 1.0, noted=20),
    _Kind(-9, reminders=1, reminded=-2),
    _Kind(0, "draft"),
    _Kind(-15, paid=1.0, refunded=True),
    _Kind(-5, "void"),
    _Kind(24),
    _Kind(-150, "paid", 1.0),
)
"""What one after another of a biller's invoices is like."""


def books(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    people = [world.user, *world.people(2)]
    names = world.sample([f"{name} {trade}" for name in _NAMES for trade in _TRADES], 96)
    services = [
        BillableService(id=f"SV-{11 + n}", name=name, category=category, rate=world.integer(6, 28) * 5)
        for n, (name, category) in enumerate(_SERVICES)
    ]
    billers = [Biller(id=f"BL-{1 + n}", name=p.name, email=p.email, last_number=210) for n, p in enumerate(people)]
    mine, others = max(6, size // 7), max(2, size // 25)
    clients = [
        BillingClient(
            id=f"CL-{101 + n}", biller_id=billers[0 if n < mine else 1 + n % 2].id,
            name=names[n % 96] + (f" {world.cities[n % 5][0]}" if n >= 96 else ""),
            city=world.cities[n % 5][0], abroad=world.cities[n % 5][1] != world.cities[0][1], terms=(14, 30, 45)[n % 3],
        )
        for n in range(mine + 2 * others)
    ]  # fmt: skip
    ledger = _Ledger(world, services, billers, clients)
    # The first client did not pay in spite of a final reminder; it has a draft from before. Some never owe anything.
    ledger.draft(clients[0], _FINAL)
    ledger.draft(clients[0], _Kind(-33, "draft"))
    for n in range(max(len(_KINDS), size // 2 - 2)):
        kind = _KINDS[n % len(_KINDS)]
        ledger.draft(clients[1 + n % (mine - 3 if kind.status == "open" else mine - 1)], kind)
    for n, client in enumerate(clients[mine:]):
        ledger.draft(client, _KINDS[(1 + 2 * n) % len(_KINDS)])
    ledger.book()
    return {
        "now": world.now,
        "biller_id": billers[0].id,
        "billers": by_id(ledger.billers.values()),
        "clients": by_id(ledger.clients.values()),
        "services": by_id(services),
        "invoices": by_id(ledger.invoices),
        "payments": by_id(ledger.payments),
        "credit_notes": by_id(ledger.credit_notes),
    }


class _Ledger:
    """Invoices as they are drafted, and what became of them, booked day by day."""

    def __init__(
        self, world: World, services: list[BillableService], billers: list[Biller], clients: list[BillingClient]
    ) -> None:
        self.world, self.services = world, services
        self.billers, self.clients = by_id(billers), by_id(clients)
        self.drafts: list[tuple[_Kind, Invoice]] = []
        self.invoices: list[Invoice] = []
        self.payments: list[ClientPayment] = []
        self.credit_notes: list[CreditNote] = []

    def draft(self, client: BillingClient, kind: _Kind) -> None:
        """Write an invoice of the kind down; one that is sent is so on the same day."""
        world = self.world
        lines = tuple(
            line_of(service, world.integer(6, 20)) for service in world.sample(self.services, world.integer(1, 3))
        )
        due_on = world.today + dt.timedelta(days=kind.due - world.integer(0, 3))
        created = min(due_on - dt.timedelta(days=client.terms if kind.status != "draft" else 3), world.today)
        bill = Invoice(
            id="IN-0", biller_id=client.biller_id, client_id=client.id, client_name=client.name, lines=lines,
            created_on=created, due_on=None if kind.status == "draft" else due_on,
            **amounts(lines, abroad=client.abroad),
        )  # fmt: skip
        self.drafts.append((kind, bill))

    def book(self) -> None:
        """Send the drafts in the order of their days, and book what came in between."""
        self.drafts.sort(key=lambda each: (each[1].created_on, each[0].status == "draft"))
        waiting: list[tuple[dt.date, int]] = []
        for n, (kind, bill) in enumerate(self.drafts):
            waiting = self._pay(waiting, until=bill.created_on)
            self.invoices.append(bill.evolve(id=f"IN-{301 + n}"))
            if kind.status != "draft":
                self._send(n, kind)
            if kind.paid:
                assert bill.due_on is not None
                late = min(self.world.today, bill.due_on) - dt.timedelta(days=self.world.integer(0, 8))
                waiting.append((max(bill.created_on, late), n))
        self._pay(waiting, until=self.world.today + dt.timedelta(days=1))

    def _send(self, n: int, kind: _Kind) -> None:
        bill, today = self.invoices[n], self.world.today
        biller = self.billers[bill.biller_id]
        biller = self.billers[biller.id] = biller.evolve(last_number=biller.last_number + 1)
        bill = bill.evolve(number=f"INV-{biller.last_number}")
        if kind.status == "void":
            self.invoices[n] = bill.evolve(status="void", due=0)
            return
        used = min(self.clients[bill.client_id].credit, bill.total)
        self._credit(bill.client_id, -used)
        reminded_on = today + dt.timedelta(days=kind.reminded) if kind.reminders else None
        late_fee = cents((bill.total - used) * LATE_SHARE) if kind.reminders == len(LEVELS) else 0
        self.invoices[n] = bill.evolve(
            credit_used=used, late_fee=late_fee, reminders=kind.reminders, reminded_on=reminded_on
        ).settled()

    def _pay(self, waiting: list[tuple[dt.date, int]], *, until: dt.date) -> list[tuple[dt.date, int]]:
        """Book the payments that came in before `until`, and give back the others."""
        for day, n in sorted(waiting):
            kind, bill = self.drafts[n][0], self.invoices[n]
            due = cents(bill.due * kind.paid)
            if day >= until or due == 0:
                continue
            amount = cents(due + kind.excess)
            method = _METHODS[len(self.payments) % 3]
            if kind.refunded or (method == "card" and amount > CARD_LIMITS[1]):
                method = "bank_transfer"
            payment = ClientPayment(
                id=f"CP-{501 + len(self.payments)}", biller_id=bill.biller_id, client_id=bill.client_id,
                client_name=bill.client_name, invoice_id=bill.id, amount=amount, excess=kind.excess, method=method,
                fee=card_fee(amount, method), received_on=day,
            )  # fmt: skip
            bill = bill.evolve(paid=due).settled()
            self._credit(bill.client_id, kind.excess)
            if kind.refunded:
                bill, _ = refunded(bill, payment, self.world.today)
                payment = payment.evolve(status="refunded")
            if kind.noted:
                bill, over = credited(bill, kind.noted)
                self._credit(bill.client_id, over)
                note = CreditNote(
                    id=f"CN-{801 + len(self.credit_notes)}", invoice_id=bill.id, client_name=bill.client_name,
                    amount=kind.noted, to_credit=over, reason="goodwill", issued_on=self.world.today,
                )  # fmt: skip
                self.credit_notes.append(note)
            self.invoices[n] = bill
            self.payments.append(payment)
        return [(day, n) for day, n in waiting if day >= until]

    def _credit(self, client_id: str, amount: float) -> None:
        client = self.clients[client_id]
        self.clients[client_id] = client.evolve(credit=cents(client.credit + amount))
