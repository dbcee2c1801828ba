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
    amounts,
    line_of,
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
    """How an invoice stands: due how many days from now, paid to which share, reminded how often and when."""

    due: int
    status: str = "open"
    paid: float = 0.0
    reminders: int = 0
    reminded: int = 0


_KINDS = (
    _Kind(0, "draft"),
    _Kind(18),
    _Kind(-12),
    _Kind(-20, "paid", 1.0),
    _Kind(-25, reminders=1, reminded=-9),
    _Kind(0, "draft"),
    _Kind(11, paid=0.5),
    _Kind(-40, "paid", 1.0),
    _Kind(-48, reminders=2, reminded=-16),
    _Kind(5, "paid", 1.0),
    _Kind(-9, reminders=1, reminded=-2),
    _Kind(0, "draft"),
    _Kind(24),
    _Kind(-5, "void"),
    _Kind(-75, reminders=3, reminded=-30),
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
            id=f"CL-{101 + n}", biller_id=billers[0 if n < mine else 1 + n % 2].id, name=names[n],
            city=world.cities[n % 5][0], abroad=world.cities[n % 5][1] != world.cities[0][1],
            terms=(14, 30, 45)[n % 3], credit=world.integer(2, 9) * 20 if n % 4 == 1 else 0,
        )
        for n in range(mine + 2 * others)
    ]  # fmt: skip
    ledger = _Ledger(world, services)
    for n in range(max(len(_KINDS), size // 2)):
        kind = _KINDS[n % len(_KINDS)]
        # One client did not pay in spite of a final reminder; some never owe anything.
        among = 1 if kind.reminders == 3 else mine - 2 if kind.status == "open" else mine
        ledger.add(clients[n % among], kind)
    for n, client in enumerate(clients[mine:]):
        ledger.add(client, _KINDS[(1 + 2 * n) % len(_KINDS)])
    billers = [
        biller.evolve(last_number=210 + sum(1 for row in ledger.invoices if row.biller_id == biller.id and row.number))
        for biller in billers
    ]
    credited = next(row for row in ledger.invoices if row.status == "paid")
    note = CreditNote(
        id="CN-801", invoice_id=credited.id, client_name=credited.client_name, amount=20, to_credit=20,
        reason="goodwill", issued_on=world.today,
    )  # fmt: skip
    return {
        "now": world.now,
        "biller_id": billers[0].id,
        "billers": by_id(billers),
        "clients": by_id(clients),
        "services": by_id(services),
        "invoices": by_id(ledger.invoices) | by_id([credited.evolve(credited=20, returned=20)]),
        "payments": by_id(ledger.payments),
        "credit_notes": by_id([note]),
    }


class _Ledger:
    """Invoices and payments as they are added."""

    def __init__(self, world: World, services: list[BillableService]) -> None:
        self.world, self.services = world, services
        self.invoices: list[Invoice] = []
        self.payments: list[ClientPayment] = []

    def add(self, client: BillingClient, kind: _Kind) -> None:
        world, number = self.world, len(self.invoices)
        lines = tuple(
            line_of(service, world.integer(2, 20)) for service in world.sample(self.services, world.integer(1, 3))
        )
        sent = kind.status != "draft"
        due_on = world.today + dt.timedelta(days=kind.due - world.integer(0, 3) if sent else 0)
        created = due_on - dt.timedelta(days=client.terms) if sent else world.date(-6, 0)
        bill = Invoice(
            id=f"IN-{301 + number}", biller_id=client.biller_id, client_id=client.id, client_name=client.name,
            lines=lines, created_on=min(created, world.today), due_on=due_on if sent else None,
            number=f"INV-{211 + sum(1 for row in self.invoices if row.biller_id == client.biller_id and row.number)}"
            if sent else None,
            reminders=kind.reminders,
            reminded_on=world.today + dt.timedelta(days=kind.reminded) if kind.reminders else None,
            **amounts(lines, abroad=client.abroad),
        )  # fmt: skip
        if kind.status == "void":
            bill = bill.evolve(status="void", due=0)
        elif sent:
            late_fee = cents(bill.due * 0.05) if kind.reminders == 3 else 0
            paid = cents(bill.total * kind.paid)
            bill = bill.evolve(paid=paid, late_fee=late_fee).settled()
            if paid:
                self._pay(bill, paid)
        self.invoices.append(bill)

    def _pay(self, bill: Invoice, amount: float) -> None:
        world, number = self.world, len(self.payments)
        method = _METHODS[number % 3] if amount <= 5000 else "bank_transfer"
        assert bill.due_on is not None
        self.payments.append(
            ClientPayment(
                id=f"CP-{501 + number}", biller_id=bill.biller_id, client_id=bill.client_id,
                client_name=bill.client_name, invoice_id=bill.id, amount=amount, method=method,
                fee=cents(amount * 0.03 + 0.3) if method == "card" else 0,
                received_on=max(bill.created_on, min(world.today, bill.due_on) - dt.timedelta(world.integer(0, 8))),
            )
        )  # fmt: skip
