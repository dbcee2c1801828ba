"""The budgets of a scenario: what was spent in three months, what was assigned, and what is in the envelopes now."""

import datetime as dt
import math
from typing import Any, NamedTuple

from envfactory.catalogue.finance import _budget_rules as rules
from envfactory.catalogue.finance._budget_records import (
    BudgetAccount,
    BudgetEnvelope,
    BudgetHousehold,
    BudgetMonth,
    BudgetMove,
    BudgetPayment,
    BudgetTransaction,
    Group,
    Kind,
)
from envfactory.environment import World, by_id, cents


class _Plan(NamedTuple):
    """One envelope: what is in it now, what it is to have, where its money goes."""

    name: str
    group: Group
    spare: float
    """What can be moved out of it; below zero what it lacks of nothing, or of what is reserved."""
    target: float
    ahead: int
    """In how many days the target is to be reached."""
    payees: tuple[str, ...]
    price: tuple[int, int] = (8, 60)
    """What one purchase costs."""


_PLANS = (
    _Plan("Rent", "bills", 0, 1200, 34, ()),
    _Plan("Electricity", "bills", 70, 160, 20, ()),
    _Plan("Internet", "bills", -15, 45, 25, ()),
    _Plan("Phone", "bills", 64, 90, 50, ()),
    _Plan("Insurance", "bills", 90, 400, 75, ()),
    _Plan("Groceries", "everyday", 210, 450, 29, ("Green Corner Market", "Mill Bakery", "Harbour Foods"), (12, 90)),
    _Plan("Eating out", "everyday", -34.5, 150, 29, ("Trattoria Luna", "Noodle House", "Corner Cafe"), (14, 60)),
    _Plan("Transport", "everyday", 85, 120, 29, ("City Metro", "Bridge Fuel Station"), (8, 55)),
    _Plan("Household", "everyday", 95.5, 100, 40, ("Homeware Depot", "Green Corner Market"), (9, 60)),
    _Plan("Clothing", "everyday", -18, 90, 60, ("Linden Outfitters", "Shoe Cabin"), (25, 90)),
    _Plan("Pets", "everyday", 0, 60, 45, ("Paws and Claws",), (12, 45)),
    _Plan("Health", "everyday", 132, 200, 110, ("Station Pharmacy", "Smile Dental"), (10, 80)),
    _Plan("Holiday", "savings", 860, 2400, 190, ("Sunny Trails Travel",), (60, 140)),
    _Plan("New bicycle", "savings", 310, 700, -12, ("Spoke Workshop",), (15, 50)),
    _Plan("Gifts", "savings", 240, 200, 120, ("Paper Lantern", "Toy Attic"), (15, 60)),
    _Plan("Car repairs", "savings", -42.25, 600, 240, ("North Garage",), (50, 110)),
    _Plan("Emergency fund", "savings", 1900, 5000, 420, ("Locksmith Express",), (70, 120)),
)
"""The user's envelopes; others have every third. The target of the bicycle was missed, that of the gifts is reached."""
_BILLS: tuple[tuple[str, str, float, int], ...] = (
    ("Rent", "Riverside Homes", 980, 1),
    ("Electricity", "Northern Power", 84.6, 1),
    ("Internet", "FibreLink", 39.9, 1),
    ("Phone", "Echo Mobile", 25, 1),
    ("Phone", "Blue Mobile", 18.5, 1),
    ("Insurance", "Shield Insurance", 132, 3),
    ("Health", "Riverside Gym", 35, 1),
    ("Transport", "City Metro season ticket", 58, 1),
    ("Holiday", "Sunny Trails Travel instalment", 120, 3),
    ("Holiday", "Wanderers Club", 45, 12),
)
"""Envelope, payee, amount and months from one payment to the next."""
_ACCOUNTS: tuple[tuple[str, Kind, float, float], ...] = (
    ("Everyday checking", "checking", 0, -12.4),
    ("Bills", "checking", 1460, 0),
    ("Joint savings", "savings", 2350, 3.25),
    ("Wallet", "cash", 120, -6.5),
    ("Old savings", "savings", 40, 0),
)
"""Name, kind, what is on it, and what the bank has more or less; the first has the rest of the money."""
_EARNERS = ("City Clinic payroll", "Harbour Works payroll")
_FUND = "Unassigned"
_BACK = 2
"""How many months there are transactions of, before this one."""


def household_budget(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and two hundred more."""
    people = [world.user, *world.people(max(2, size // 30))]
    households = [
        BudgetHousehold(id=f"HH-{11 + n}", name=f"{person.name} household", email=person.email)
        for n, person in enumerate(people)
    ]
    books = _Books(world)
    for n, household in enumerate(households):
        books.open(household.id, _PLANS if n == 0 else _PLANS[n % 3 :: 3], 24 + size // 6 if n == 0 else 6)
    return {
        "now": world.now,
        "household_id": households[0].id,
        "households": by_id(households),
        "envelopes": by_id(books.envelopes),
        "transactions": by_id(books.transactions),
        "moves": by_id(books.moves),
        "accounts": by_id(books.accounts),
        "payments": by_id(books.payments),
        "months": by_id(books.months),
    }


def _month(today: dt.date, ahead: int) -> rules.Span:
    """The calendar month so many months from this one."""
    year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
    return rules.calendar_month(dt.date(year, month + 1, 1))


class _Books:
    """All budgets as they are written, household by household."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.envelopes: list[BudgetEnvelope] = []
        self.transactions: list[BudgetTransaction] = []
        self.moves: list[BudgetMove] = []
        self.accounts: list[BudgetAccount] = []
        self.payments: list[BudgetPayment] = []
        self.months: list[BudgetMonth] = []

    def open(self, household: str, plans: tuple[_Plan, ...], monthly: int) -> None:
        """Add the budget of a household that buys something so often a month."""
        own = _Budget(self, household, plans)
        own.pay_bills()
        for back in range(_BACK, -1, -1):
            own.shop(back, monthly)
        own.assign()
        own.settle()


class _Budget:
    """The budget of one household."""

    def __init__(self, books: _Books, household: str, plans: tuple[_Plan, ...]) -> None:
        self.books, self.world, self.household, self.plans = books, books.world, household, plans
        self.today = books.world.today
        self.envelopes = {
            plan.name: BudgetEnvelope(
                id=f"EN-{101 + len(books.envelopes) + n}", household_id=household, name=plan.name, group=plan.group,
                available=0.0, spare=0.0, state="empty", target=float(plan.target),
                target_by=self.today + dt.timedelta(days=plan.ahead),
            )
            for n, plan in enumerate(plans)
        }  # fmt: skip
        self.fund = BudgetEnvelope(
            id=f"EN-{101 + len(books.envelopes) + len(plans)}", household_id=household, name=_FUND, group="unassigned",
            available=0.0, spare=0.0, state="empty",
        )  # fmt: skip
        books.envelopes += [*self.envelopes.values(), self.fund]
        self.account_ids = [f"AC-{701 + len(books.accounts) + n}" for n in range(len(_ACCOUNTS))]
        self.first = len(books.transactions)

    @property
    def own(self) -> list[BudgetTransaction]:
        """The transactions of the household."""
        return self.books.transactions[self.first :]

    def pay_bills(self) -> None:
        """Add the scheduled payments, and what was paid of them since the first month."""
        since = _month(self.today, -_BACK).starts
        for name, payee, amount, every in _BILLS:
            if name not in self.envelopes:
                continue
            day = self.world.integer(2, 27)
            dates = [_month(self.today, n).starts.replace(day=day) for n in range(-_BACK, 13)]
            ahead = next(n for n, date in enumerate(dates) if date > self.today)
            ahead += self.world.integer(0, every - 1)
            envelope = self.envelopes[name]
            self.books.payments.append(
                BudgetPayment(
                    id=f"SP-{401 + len(self.books.payments)}", household_id=self.household, payee=payee,
                    amount=float(amount), every="month" if every == 1 else "quarter" if every == 3 else "year",
                    next_on=dates[ahead], envelope_id=envelope.id, envelope=name,
                )
            )  # fmt: skip
            self.envelopes[name] = envelope.evolve(reserved=cents(envelope.reserved + amount))
            for date in dates[ahead % every : ahead : every]:
                if since <= date <= self.today:
                    self._spend(date, payee, amount, ((name, amount),), (name,), account=1)

    def shop(self, back: int, count: int) -> None:
        """Add what was bought in a month: all of it in envelopes, if the month is over."""
        world, month = self.world, _month(self.today, -back)
        last = (min(month.ends, self.today) - month.starts).days
        for n, earner in enumerate(_EARNERS):
            self._add(month.starts, earner, 1400.0 + 180 * n, income=True)
        shops = [plan for plan in self.plans if plan.payees]
        for n in range(max(count, len(shops))):
            plan = shops[n % len(shops)]
            day = month.starts + dt.timedelta(days=world.integer(0, last))
            payee, price = (
                world.choice(plan.payees),
                world.money(*plan.price, ending=world.choice((0.0, 0.5, 0.9, 0.25))),
            )
            other = self._beside(plan)
            share = cents(price // 4 + 1)
            filed = {
                0: ((plan.name, cents(price - share)), (other, share)) if other else ((plan.name, price),),
                2: () if back == 0 else ((plan.name, price),),
                3: ((plan.name, share),) if back == 0 else ((plan.name, price),),
            }.get(n % 6, ((plan.name, price),))
            usual = (plan.name, other) if other else (plan.name,)
            self._spend(day, payee, price, filed, usual, account=2 if plan.group == "savings" else (0, 0, 0, 3)[n % 4])

    def _beside(self, plan: _Plan) -> str:
        """The envelope that a part of such a purchase may go into, if the household has it."""
        name = {"Household": "Groceries", "Gifts": "Household"}.get(
            plan.name, "Gifts" if plan.group == "savings" else "Household"
        )
        return name if name in self.envelopes else ""

    def _spend(
        self,
        day: dt.date,
        payee: str,
        amount: float,
        parts: tuple[tuple[str, float], ...],
        usual: tuple[str, ...],
        *,
        account: int,
    ) -> None:
        row = self._add(day, payee, amount, account=account)
        row = row.evolve(usual_ids=tuple(self.envelopes[name].id for name in usual))
        for name, part in parts:
            row = rules.filed(row, self.envelopes[name], part)
        self.books.transactions[-1] = row

    def _add(
        self, day: dt.date, payee: str, amount: float, *, account: int = 0, income: bool = False
    ) -> BudgetTransaction:
        recent = day >= self.today.replace(day=1) and not income
        row = BudgetTransaction(
            id=f"TX-{501 + len(self.books.transactions)}", household_id=self.household,
            account_id=self.account_ids[account], account=_ACCOUNTS[account][0], payee=payee, day=day,
            amount=float(amount),
            filing="income" if income else "uncategorised", left=0.0 if income else float(amount),
            bank=("pending" if len(self.books.transactions) % 5 == 0 else "cleared") if recent else "reconciled",
        )  # fmt: skip
        self.books.transactions.append(row)
        return row

    def assign(self) -> None:
        """Add what was put into the envelopes on the first of each month, so that in them is what is planned."""
        months = [_month(self.today, -back) for back in range(_BACK, -1, -1)]
        assigned = 0.0
        for plan in self.plans:
            envelope = self.envelopes[plan.name]
            wanted = plan.spare if plan.spare < 0 and not envelope.reserved else envelope.reserved + plan.spare
            held = 200.0 if plan.group == "savings" else 20.0
            for month in months:
                spent = sum(
                    part.amount for row in rules.in_month(month, self.own) for part in row.parts
                    if part.envelope_id == envelope.id
                )  # fmt: skip
                amount = math.ceil(spent / 10) * 10.0 if month is not months[-1] else cents(wanted + spent - held)
                held += amount - spent
                if amount > 0:  # otherwise there was less in it before the first month
                    self._move(month.starts, self.fund, envelope, amount)
                    assigned += amount
            self.envelopes[plan.name] = rules.holding(envelope, held)
        income = sum(row.amount for row in self.own if row.filing == "income")
        self.fund = rules.holding(self.fund, income - assigned + max(640.0, assigned - income + 640))
        moves = [("Groceries", "Household", 20.0), ("Holiday", "Gifts", 35.0), ("Health", "Groceries", 15.0)]
        for n, (source, to, amount) in enumerate(moves):
            if source in self.envelopes and to in self.envelopes:
                self._move(self.today - dt.timedelta(days=2 * n), self.envelopes[source], self.envelopes[to], amount)
                self.envelopes[source] = self._after(source, -amount)
                self.envelopes[to] = self._after(to, amount)
        place = self.books.envelopes.index(next(e for e in self.books.envelopes if e.household_id == self.household))
        self.books.envelopes[place:] = [*self.envelopes.values(), self.fund]

    def _after(self, name: str, amount: float) -> BudgetEnvelope:
        return rules.holding(self.envelopes[name], self.envelopes[name].available + amount)

    def _move(self, day: dt.date, source: BudgetEnvelope, to: BudgetEnvelope, amount: float) -> None:
        self.books.moves.append(
            BudgetMove(
                id=f"MV-{301 + len(self.books.moves)}", household_id=self.household, day=day, amount=amount,
                from_id=source.id, source=source.name, to_id=to.id, to=to.name,
            )
        )  # fmt: skip

    def settle(self) -> None:
        """Add the accounts, with all the money that is in envelopes, and the months."""
        this = _month(self.today, 0)
        money = sum(e.available for e in (*self.envelopes.values(), self.fund)) - sum(row.left for row in self.own)
        rest = money - sum(amount for _, _, amount, _ in _ACCOUNTS)
        for n, (name, kind, amount, off) in enumerate(_ACCOUNTS):
            pending = sum(t.amount for t in self.own if t.account_id == self.account_ids[n] and t.bank == "pending")
            cleared = cents((amount or rest) + pending)
            self.books.accounts.append(
                BudgetAccount(
                    id=self.account_ids[n], household_id=self.household, name=name, kind=kind, cleared=cleared,
                    pending=cents(pending), reported=cents(cleared + off),
                    reconciled_on=this.starts if n < len(_ACCOUNTS) - 1 else this.starts - dt.timedelta(days=75),
                )
            )  # fmt: skip
        for ahead in range(-_BACK, 2):
            name, starts, ends = _month(self.today, ahead)
            month = BudgetMonth(
                id=f"MO-{201 + len(self.books.months)}", household_id=self.household, name=name, starts=starts,
                ends=ends, status="open",
            )  # fmt: skip
            if ahead < -1:
                month = rules.closed(month, self.own, ends + dt.timedelta(days=4))
            self.books.months.append(month)
