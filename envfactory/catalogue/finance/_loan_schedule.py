"""How instalments run: what is due when, how much of it is interest, and what follows from that for the loan."""

import datetime as dt
from collections.abc import Iterable, Sequence

from envfactory.catalogue.finance._loan_records import Instalment, Loan, LoanRequest
from envfactory.environment import cents

REST = 5.0
"""So much at most is added to the last instalment instead of being one of its own."""
YEAR = 365
"""Days by which interest is counted, and after which what is done once in 12 months may be done again."""


def month_later(day: dt.date, due_day: int) -> dt.date:
    """The due day of the month after a day's."""
    year, month = divmod(day.year * 12 + day.month, 12)
    return dt.date(year, month + 1, due_day)


def first_due(day: dt.date, due_day: int) -> dt.date:
    """The first due day on or after a day."""
    return day.replace(day=due_day) if day.day <= due_day else month_later(day, due_day)


def interest(loan: Loan, left: float, since: dt.date, until: dt.date) -> float:
    """Interest on what is left, by the day."""
    return cents(left * loan.rate / 100 / YEAR * max(0, (until - since).days))


def schedule(loan: Loan, requests: Iterable[LoanRequest]) -> list[Instalment]:
    """The instalments to come; those that a payment holiday in effect skips are among them, with nothing due."""
    if loan.next_due is None:
        return []
    pauses = [r for r in requests if (r.loan_id, r.kind, r.status) == (loan.id, "payment_holiday", "in_effect")]
    skips = {pause.id: pause.months or 0 for pause in pauses}
    rows: list[Instalment] = []
    left, since, due = loan.principal_left, loan.interest_from, loan.next_due
    while left > 0:
        grown = interest(loan, left, since, due)
        pause = next((p for p in pauses if p.starts_on and p.starts_on <= due and skips[p.id]), None)
        if pause:
            skips[pause.id] -= 1
            paid = -grown
        else:
            paid = cents(loan.instalment - grown)
            paid = left if left - paid <= REST else paid
        left = cents(left - paid)
        amount = 0.0 if pause else cents(paid + grown)
        rows.append(Instalment(due_on=due, amount=amount, interest=grown, principal=max(0.0, paid), left=left))
        since, due = due, month_later(due, loan.due_day)
    return rows


def next_paid(loan: Loan, requests: Iterable[LoanRequest]) -> Instalment | None:
    """The next instalment that is not skipped."""
    return next((row for row in schedule(loan, requests) if row.amount), None)


def restated(loan: Loan, requests: Sequence[LoanRequest]) -> Loan:
    """The loan with what follows from its terms and requests."""
    rows = schedule(loan, requests)
    starts = [
        request.starts_on
        for request in requests
        if request.loan_id == loan.id and request.starts_on and request.status not in ("declined", "cancelled")
    ]
    return loan.evolve(
        instalments_left=sum(row.amount > 0 for row in rows),
        ends_on=rows[-1].due_on if rows else None,
        holiday_from=max(starts) + dt.timedelta(days=YEAR) if starts else None,
    )
