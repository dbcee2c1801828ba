"""The servicing desk of a scenario: loans part of the way through their terms, and what was asked for on them."""

import datetime as dt
import math
from typing import Any, NamedTuple

from envfactory.catalogue.finance import _loan_rules as rules
from envfactory.catalogue.finance import _loan_schedule as plan
from envfactory.catalogue.finance._loan_records import (
    Borrower,
    DocumentKind,
    Effect,
    FeeStatus,
    Instalment,
    LateFee,
    Loan,
    LoanDocument,
    LoanKind,
    LoanRequest,
    RepaymentAccount,
    RequestStatus,
)
from envfactory.environment import World, by_id, is_workday

_CARS = (
    "the Skoda Octavia", "the Toyota Yaris", "the Volkswagen Golf", "the Renault Clio", "the Volvo V60", "the Kia Ceed",
)  # fmt: skip
_PLANS = (
    "the new kitchen", "the solar panels", "the sailing course", "the dental work", "the grand piano", "the wedding",
    "the corner sofa", "the evening degree", "the garden house", "the cargo bike",
)  # fmt: skip
_BANKS = ("Harbour Bank", "Linden Savings Bank", "Northside Credit Union", "Mill Trust Bank", "Bridge Street Bank")
_FEES: dict[LoanKind, float] = {"home": 35.0, "car": 25.0, "personal": 15.0}
_GRACE = 5
"""Days after which an instalment that is not there costs a fee."""


class _Terms(NamedTuple):
    """A loan: what was lent, and how far it is."""

    kind: LoanKind
    borrowed: float
    rate: float
    months: int
    paid: int
    """How many instalments were billed."""
    last: int
    """How many days ago the last of them was due, about."""
    weekend: bool | None = None
    """Whether that was a weekend, where it matters."""
    late: bool = False


_MINE = (
    _Terms("home", 240000, 3.4, 300, 40, 12, weekend=False),
    _Terms("home", 95000, 3.9, 180, 62, 9, weekend=True),
    _Terms("car", 26000, 5.2, 60, 20, 13),
    _Terms("car", 18500, 5.9, 48, 11, 8, weekend=False),
    _Terms("personal", 9000, 7.5, 36, 9, 10),
    _Terms("personal", 12000, 6.9, 48, 20, 15),
    _Terms("personal", 5200, 8.5, 36, 10, 11, weekend=False, late=True),
    _Terms("personal", 4300, 8.9, 30, 8, 14, late=True),
    _Terms("car", 14000, 4.8, 48, 45, 12),
    _Terms("personal", 7500, 7.9, 36, 12, 7),
    _Terms("personal", 3000, 6.5, 24, 21, 12, weekend=True),
    _Terms("car", 31000, 4.9, 72, 5, 6),
    _Terms("personal", 6400, 7.2, 36, 4, 13, weekend=False),
)
"""The user's loans, about; the numbers below are places in this list."""
_EXTRAS: tuple[tuple[int, float, Effect, int], ...] = (
    (4, 600, "shorten_the_term", 5),
    (2, 500, "shorten_the_term", 0),
    (5, 400, "lower_the_instalment", 0),
    (11, 900, "lower_the_instalment", 0),
)
"""Extra payments: on which loan, how much, what for, and how many days ago."""
_HOLIDAYS: tuple[tuple[int, int, int, int, RequestStatus | None], ...] = (
    (0, 3, 60, 2, None),
    (1, 2, 30, 1, None),
    (3, 1, 25, 4, None),
    (11, 1, 45, 3, None),
    (12, 2, 40, 0, None),
    (2, 2, -20, 60, "declined"),
    (5, 1, -35, 70, "cancelled"),
)
"""Payment holidays: on which loan, how many instalments, from which day, asked for how long ago, and what became of it
where that is not open."""
_AUTOPAYS: tuple[tuple[int, int, int, RequestStatus], ...] = (
    (0, 1, 700, "replaced"),
    (0, 0, 300, "in_effect"),
    (2, 0, 250, "in_effect"),
    (3, 1, 120, "in_effect"),
    (5, 0, 90, "in_effect"),
    (7, 1, 150, "cancelled"),
)
"""Mandates: on which loan, with which account, how long ago, and what became of it."""
_QUOTES: tuple[tuple[int, int, int, RequestStatus], ...] = (
    (2, 1, 12, "replaced"),
    (3, 2, 9, "in_effect"),
    (6, 3, 6, "in_effect"),
    (7, 20, -4, "final"),
    (9, 1, 14, "in_effect"),
    (10, 0, 20, "in_effect"),
    (1, 4, 11, "in_effect"),
)
"""Payoff quotes: on which loan, how long ago, in how many days they end, and what became of them; one is over."""
_FEES_CHARGED = (0, 1, 2, 3, 6, 7, 10, 12)
"""Loans whose last instalment was late."""


def servicing_desk(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and a hundred more."""
    people = [world.user, *world.people(max(4, size // 10))]
    borrowers = [Borrower(id=f"BO-{11 + n}", name=p.name, email=p.email) for n, p in enumerate(people)]
    desk = _Desk(world)
    for n, bank in enumerate(world.sample(_BANKS, 5)):
        desk.account(borrowers[0].id, bank, n)
    for terms in _MINE:
        hundreds = round(terms.borrowed * world.integer(90, 110) / 10000)
        rate = round(terms.rate + world.integer(-4, 4) / 10, 1)
        desk.lend(borrowers[0].id, terms._replace(borrowed=hundreds * 100.0, rate=rate))
    desk.late_fees()
    desk.asked_for()
    for n, borrower in enumerate(borrowers[1:]):
        desk.account(borrower.id, world.choice(_BANKS), 0)
        for _ in range(1 + n % 2):
            months = world.choice((24, 36, 48, 60))
            kind: LoanKind = world.choice(("car", "personal"))
            amount = world.money(4, 22) * 1000
            rate = world.integer(45, 89) / 10
            desk.lend(borrower.id, _Terms(kind, amount, rate, months, world.integer(2, months - 6), 5 + n % 15))
            desk.theirs(n)
    loans = [plan.restated(loan, desk.requests) for loan in desk.loans]
    return {
        "now": world.now,
        "borrower_id": borrowers[0].id,
        "borrowers": by_id(borrowers),
        "loans": by_id(loans),
        "requests": by_id(desk.requests),
        "fees": by_id([rules.assessed(fee, desk.fees, world.today) for fee in desk.fees]),
        "accounts": by_id(desk.accounts),
        "documents": by_id(desk.documents),
    }


def _annuity(amount: float, rate: float, count: int) -> float:
    """The instalment that pays back an amount in so many months, up to the next cent."""
    monthly = rate / 1200
    exact = amount / count if not monthly else amount * monthly / (1 - (1 + monthly) ** -count)
    return math.ceil(exact * 100 - 1e-6) / 100


class _Desk:
    """Loans and what belongs to them, as they are added."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.loans: list[Loan] = []
        self.requests: list[LoanRequest] = []
        self.fees: list[LateFee] = []
        self.accounts: list[RepaymentAccount] = []
        self.documents: list[LoanDocument] = []

    def _ago(self, days: int) -> dt.date:
        return self.world.today - dt.timedelta(days=days)

    def account(self, borrower_id: str, bank: str, place: int) -> None:
        """Add an account; a borrower's fourth is not verified, the fifth is closed."""
        self.accounts.append(
            RepaymentAccount(
                id=f"RA-{701 + len(self.accounts)}", borrower_id=borrower_id, bank=bank,
                last_four=f"{self.world.integer(0, 9999):04d}",
                status=("verified", "verified", "verified", "unverified", "closed")[place],
            )
        )  # fmt: skip

    def lend(self, borrower_id: str, terms: _Terms) -> None:
        """Add a loan that has come so far, with its documents."""
        last = self._ago(terms.last)
        while last.day > 28 or terms.weekend not in (None, not is_workday(last)):
            last -= dt.timedelta(days=1)
        months = last.year * 12 + last.month - 1 - terms.paid
        start = dt.date(months // 12, months % 12 + 1, last.day)
        lent = Loan(
            id=f"LN-{101 + len(self.loans)}", borrower_id=borrower_id, kind=terms.kind, rate=terms.rate,
            purpose=self._purpose(terms.kind), borrowed=terms.borrowed, started_on=start, status="active",
            principal_left=terms.borrowed, instalment=_annuity(terms.borrowed, terms.rate, terms.months),
            due_day=last.day, interest_from=start, next_due=plan.month_later(start, last.day),
            extra_left=terms.borrowed * rules.EXTRA_SHARE[terms.kind],
        )  # fmt: skip
        rows = [row for row in plan.schedule(lent, ()) if row.due_on <= last]
        loan = lent.evolve(
            principal_left=rows[-1].left, interest_from=last, next_due=plan.month_later(last, last.day),
            status="late" if terms.late else "active", overdue=rows[-1].amount if terms.late else 0.0,
        )  # fmt: skip
        self.loans.append(loan)
        self._papers(lent, rows)

    def _purpose(self, kind: LoanKind) -> str:
        """What a loan is for, other than what another one of the same borrower is for."""
        taken = [loan.purpose for loan in self.loans]
        if kind == "home":
            return self.world.address()
        things = _CARS if kind == "car" else _PLANS
        return self.world.choice([thing for thing in things if thing not in taken] or things)

    def _papers(self, loan: Loan, rows: list[Instalment]) -> None:
        self.document(loan, "contract", loan.started_on, loan.started_on.year, loan.borrowed)
        for back in (2, 1):
            year = self.world.today.year - back
            due = [row for row in rows if row.due_on.year == year]
            if due:
                issued = dt.date(year + 1, 1, 15)
                self.document(loan, "yearly_statement", issued, year, due[-1].left)
                paid = round(sum(row.interest for row in due), 2)
                self.document(loan, "interest_certificate", issued, year, paid)

    def document(self, loan: Loan, kind: DocumentKind, issued: dt.date, year: int, amount: float) -> None:
        """Add a document, if it is issued by today."""
        if issued <= self.world.today:
            self.documents.append(
                LoanDocument(
                    id=f"DC-{301 + len(self.documents)}", borrower_id=loan.borrower_id, loan_id=loan.id, kind=kind,
                    purpose=loan.purpose, year=str(year), issued_on=issued, amount=amount,
                )
            )  # fmt: skip

    def _fee(self, loan: Loan, due: dt.date, status: FeeStatus, **more: Any) -> None:
        self.fees.append(
            LateFee(
                id=f"LF-{401 + len(self.fees)}", borrower_id=loan.borrower_id, loan_id=loan.id, purpose=loan.purpose,
                due_on=due, charged_on=due + dt.timedelta(days=_GRACE), amount=_FEES[loan.kind], status=status, **more,
            )
        )  # fmt: skip

    def _earlier(self, loan: Loan, months: int) -> dt.date:
        """A due date some months before the last one."""
        count = loan.interest_from.year * 12 + loan.interest_from.month - 1 - months
        return dt.date(count // 12, count % 12 + 1, loan.due_day)

    def late_fees(self) -> None:
        """Add the user's fees: of last instalments, of earlier ones, and of one for which the courtesy is used up."""
        for place in _FEES_CHARGED:
            self._fee(self.loans[place], self.loans[place].interest_from, "charged")
        for place, months in ((4, 3), (5, 5), (2, 7)):
            self._fee(self.loans[place], self._earlier(self.loans[place], months), "collected")
        used = self._earlier(self.loans[0], 4)
        why = {"waived_on": used + dt.timedelta(days=9), "waived_as": "courtesy"}
        self._fee(self.loans[0], used, "waived", **why)

    def _ask(self, place: int, kind: Any, ago: int, status: RequestStatus, **more: Any) -> None:
        number = f"RQ-{501 + len(self.requests)}"
        self.requests.append(rules.asked(number, self.loans[place], kind, self._ago(ago), status, **more))

    def asked_for(self) -> None:
        """Add what the user asked for, oldest kinds first, and what it did to the loans."""
        today = self.world.today
        for place, account, ago, status in _AUTOPAYS:
            number = f"RQ-{501 + len(self.requests)}"
            loan, made = rules.with_autopay(number, self.loans[place], self.accounts[account], self._ago(ago))
            self.requests.append(made.evolve(status=status))
            if status == "in_effect":
                self.loans[place] = loan
        for place, ago, ahead, status in _QUOTES:
            loan, good = self.loans[place], today + dt.timedelta(days=ahead)
            fees = sum(fee.amount for fee in self.fees if (fee.loan_id, fee.status) == (loan.id, "charged"))
            amount = rules.quote("", loan, fees, good).amount
            self._ask(place, "payoff_quote", ago, status, amount=amount, good_until=good, cancel_until=good)
        done, good, paid_on = self.loans[8], self._ago(2), self._ago(10)
        amount = rules.quote("", done, 0.0, good).amount
        self._ask(8, "payoff_quote", 11, "final", amount=amount, good_until=good, cancel_until=good)
        self.documents.append(rules.payoff_letter(f"DC-{301 + len(self.documents)}", done, amount, paid_on))
        self.loans[8] = rules.paid_off(done)
        late = self.loans[12].instalment
        self._ask(
            12, "extra_payment", 1, "final", amount=late, to_overdue=late, account_id=self.accounts[0].id,
            bank=self.accounts[0].bank, effect="shorten_the_term", instalment_before=late,
        )  # fmt: skip
        for place, amount, effect, ago in _EXTRAS:
            loan, number = self.loans[place], f"RQ-{501 + len(self.requests)}"
            account = self.accounts[ago % 2]
            self.requests.append(rules.extra_request(number, loan, account, amount, effect, self._ago(ago)))
            self.loans[place] = rules.with_extra(loan, amount, effect)
        for place, day, ago in ((9, 21, 100), (4, 26, 0), (12, 3, 0), (5, 17, 0)):
            self._move(place, day, ago)
        for place, months, ahead, ago, status in _HOLIDAYS:
            starts, asked_on = today + dt.timedelta(days=ahead), self._ago(ago)
            request = rules.holiday(f"RQ-{501 + len(self.requests)}", self.loans[place], starts, months, asked_on)
            self.requests.append(request.evolve(status=status or request.status))

    def _move(self, place: int, day: int, ago: int) -> None:
        """Add a move of the due date, today or long ago."""
        loan, made = self.loans[place], self._ago(ago)
        if not ago:
            number = f"RQ-{501 + len(self.requests)}"
            self.loans[place], move = rules.moved(number, loan, day if day != loan.due_day else day + 1, made)
            self.requests.append(move)
            return
        before = self._earlier(loan, ago // 30).replace(day=1 + loan.due_day % 28)
        self.loans[place] = loan.evolve(day_fixed_until=made + dt.timedelta(days=plan.YEAR - 1))
        self._ask(place, "due_date_move", ago, "booked", due_day=loan.due_day, due_before=before, cancel_until=made)

    def theirs(self, n: int) -> None:
        """Add what another borrower has asked for on the loan added last."""
        place, account = len(self.loans) - 1, self.accounts[-1]
        if n % 3 == 0:
            number, made_on = f"RQ-{501 + len(self.requests)}", self._ago(1 + n)
            self.loans[place], made = rules.with_autopay(number, self.loans[place], account, made_on)
            self.requests.append(made)
        elif n % 3 == 1:
            good = self.world.today + dt.timedelta(days=10)
            amount = rules.quote("", self.loans[place], 0.0, good).amount
            self._ask(place, "payoff_quote", 2, "in_effect", amount=amount, good_until=good, cancel_until=good)
        else:
            self._fee(self.loans[place], self._earlier(self.loans[place], 1), "collected")
