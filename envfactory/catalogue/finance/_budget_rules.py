"""What is in an envelope, what may be moved or spent from it, what its target asks for, and when a month closes."""

import calendar
import datetime as dt
import math
from collections.abc import Collection, Iterable
from typing import NamedTuple

from envfactory.catalogue.finance._budget_records import (
    BudgetAccount,
    BudgetEnvelope,
    BudgetMonth,
    BudgetMove,
    BudgetTransaction,
    EnvelopeMonth,
    Filing,
    Part,
)
from envfactory.environment import ToolError, cents

MOST_ADJUSTED = 100.0
"""An account is adjusted by so much at most when it is reconciled."""
LATEST = 3660
"""A target lies at most so many days ahead."""
ADJUSTMENT = "Balance adjustment"
"""Who is paid by a transaction that makes an account agree with the bank."""


def exact(amount: float) -> float:
    """An amount in whole cents, and nothing as zero, not as minus zero."""
    return cents(amount) + 0.0


def dollars(amount: float) -> str:
    """An amount as it is said."""
    return f"{amount:,.2f} dollars"


def holding(envelope: BudgetEnvelope, available: float) -> BudgetEnvelope:
    """An envelope with so much in it."""
    available = exact(available)
    spare = exact(max(0.0, available - envelope.reserved))
    state = "overspent" if available < 0 else "empty" if available == 0 else "free" if spare > 0 else "reserved"
    return envelope.evolve(available=available, spare=spare, state=state)


def check_for_spending(envelope: BudgetEnvelope, done: str) -> None:
    """Refuse the envelope that only holds what is still to be assigned."""
    if envelope.group == "unassigned":
        words = f"The {envelope.name} envelope only holds what is still to be assigned, so it cannot be {done}"
        raise ToolError("precondition_failed", f"{words}; choose one for bills, everyday or savings.")


# -- moving


def moved(
    key: str, source: BudgetEnvelope, to: BudgetEnvelope, amount: float, today: dt.date, *, covering: bool = False
) -> BudgetMove:
    """A move of money that the source can spare."""
    if source.id == to.id:
        raise ToolError("invalid_argument", f"Both are the {source.name} envelope; choose another one to take it from.")
    if amount > source.spare:
        kept = f", as {dollars(source.reserved)} are reserved for scheduled payments" if source.reserved else ""
        words = f"The {source.name} envelope can spare {dollars(source.spare)}, not {dollars(amount)}{kept}"
        raise ToolError("limit_exceeded", f"{words}; move less, or take it from another envelope.")
    return BudgetMove(
        id=key, household_id=source.household_id, day=today, amount=amount, from_id=source.id, source=source.name,
        to_id=to.id, to=to.name, covering=covering,
    )  # fmt: skip


def shortage(envelope: BudgetEnvelope) -> float:
    """What an overspent envelope lacks."""
    if envelope.available >= 0:
        words = f"The {envelope.name} envelope is not overspent, it has {dollars(envelope.available)}"
        raise ToolError("precondition_failed", f"{words}; move an amount into it instead.")
    return -envelope.available


# -- putting transactions into envelopes


def month_of(day: dt.date, months: Iterable[BudgetMonth]) -> BudgetMonth | None:
    """The month in which a day is."""
    return next((month for month in months if month.starts <= day <= month.ends), None)


def check_open(transaction: BudgetTransaction, months: Iterable[BudgetMonth]) -> None:
    """Refuse to change what was spent in a month that is closed."""
    month = month_of(transaction.day, months)
    if month is not None and month.status == "closed":
        words = f"{month.name} is closed, so its transactions stay where they are; reopen {month.name} first."
        raise ToolError("precondition_failed", words)


def _with_parts(transaction: BudgetTransaction, parts: tuple[Part, ...]) -> BudgetTransaction:
    left = exact(transaction.amount - sum(part.amount for part in parts))
    filing: Filing = "uncategorised" if not parts else "categorised" if len(parts) == 1 else "split"
    return transaction.evolve(parts=parts, left=left, filing="partly_categorised" if parts and left else filing)


def filed(transaction: BudgetTransaction, envelope: BudgetEnvelope, amount: float) -> BudgetTransaction:
    """A transaction of which an envelope bears an amount more."""
    check_for_spending(envelope, "spent from")
    if transaction.filing == "income":
        raise ToolError(
            "precondition_failed", "That is income, which is in the unassigned envelope; move it from there."
        )
    if transaction.left == 0:
        where = " and ".join(part.envelope for part in transaction.parts)
        words = f"All of the transaction is in {where} already; uncategorise it, or a part of it, first."
        raise ToolError("conflict", words)
    if amount > transaction.left:
        words = f"Only {dollars(transaction.left)} of the transaction are in no envelope yet; give that or less."
        raise ToolError("invalid_argument", words)
    had = sum(part.amount for part in transaction.parts if part.envelope_id == envelope.id)
    others = tuple(part for part in transaction.parts if part.envelope_id != envelope.id)
    part = Part(envelope_id=envelope.id, envelope=envelope.name, amount=exact(had + amount))
    return _with_parts(transaction, (*others, part))


def unfiled(transaction: BudgetTransaction, envelope_id: str | None) -> tuple[BudgetTransaction, tuple[Part, ...]]:
    """A transaction without the part in an envelope, or without any, and what was taken out."""
    if not transaction.parts:
        words = f"The transaction is {transaction.filing}, so it is in no envelope; find one that is categorised."
        raise ToolError("precondition_failed", words)
    taken = tuple(part for part in transaction.parts if envelope_id in (None, part.envelope_id))
    if not taken:
        where = " and ".join(part.envelope for part in transaction.parts)
        raise ToolError("invalid_argument", f"Nothing of it is in that envelope, only in {where}; name one of these.")
    return _with_parts(transaction, tuple(part for part in transaction.parts if part not in taken)), taken


# -- targets


class Span(NamedTuple):
    """A calendar month."""

    name: str
    starts: dt.date
    ends: dt.date


def calendar_month(day: dt.date) -> Span:
    """The month that a day is in."""
    last = calendar.monthrange(day.year, day.month)[1]
    return Span(f"{calendar.month_name[day.month]} {day.year}", day.replace(day=1), day.replace(day=last))


def aimed(envelope: BudgetEnvelope, amount: float | None, by: dt.date | None, today: dt.date) -> BudgetEnvelope:
    """An envelope with a target of another amount or day."""
    check_for_spending(envelope, "given a target")
    if amount is None and by is None:
        raise ToolError("invalid_argument", "Give the amount of the target, its day, or both.")
    day = by or envelope.target_by
    if day is None or not today < day <= today + dt.timedelta(days=LATEST):
        words = f"A target lies after today and within ten years, by {today + dt.timedelta(days=LATEST)}, not on {day}"
        raise ToolError("invalid_argument", f"{words}; give another day.")
    aim = envelope.evolve(target=envelope.target if amount is None else amount, target_by=day)
    if aim == envelope:
        raise ToolError("conflict", f"That is the target of {envelope.name} already; give another amount or day.")
    return aim


def months_until(day: dt.date, today: dt.date) -> int:
    """How many months there are to save in, this one and that of the day included."""
    return max(1, (day.year - today.year) * 12 + day.month - today.month + 1)


def month_report(
    envelope: BudgetEnvelope,
    month: BudgetMonth | Span,
    transactions: Collection[BudgetTransaction],
    moves: Collection[BudgetMove],
    today: dt.date,
) -> EnvelopeMonth:
    """What came into and went out of an envelope in a month: reckoned back from what is in it now."""
    first, last = month.starts, month.ends

    def assigned(since: dt.date, until: dt.date) -> float:
        there = [move for move in moves if since <= move.day <= until]
        put = sum(move.amount for move in there if move.to_id == envelope.id)
        put -= sum(move.amount for move in there if move.from_id == envelope.id)
        if envelope.group == "unassigned":
            put += sum(t.amount for t in transactions if t.filing == "income" and since <= t.day <= until)
        return put

    def spent(since: dt.date, until: dt.date) -> float:
        parts = [part for t in transactions if since <= t.day <= until for part in t.parts]
        return sum(part.amount for part in parts if part.envelope_id == envelope.id)

    after = last + dt.timedelta(days=1)
    left = envelope.available - assigned(after, dt.date.max) + spent(after, dt.date.max)
    found = EnvelopeMonth(
        envelope_id=envelope.id, name=envelope.name, month=month.name, assigned=exact(assigned(first, last)),
        spent=exact(spent(first, last)), left=exact(left), spare=envelope.spare,
        carried=exact(left - assigned(first, last) + spent(first, last)),
    )  # fmt: skip
    if envelope.target is None or envelope.target_by is None:
        return found
    months = months_until(envelope.target_by, today)
    gap = max(0.0, exact(envelope.target - envelope.available))
    need = math.ceil(round(gap * 100) / months) / 100
    return found.evolve(target=envelope.target, target_by=envelope.target_by, months_left=months, need=need)


# -- accounts and months


def adjustment(
    account: BudgetAccount, balance: float, transactions: Iterable[BudgetTransaction], today: dt.date
) -> float:
    """How far an account is from what the bank says; refused if that is too far to be adjusted, or nothing is new."""
    mine = [t for t in transactions if t.account_id == account.id]
    off = exact(balance - account.cleared)
    booked = [t for t in mine if t.payee == ADJUSTMENT and t.day >= today.replace(day=1)]
    before = sum(t.amount if t.filing == "income" else -t.amount for t in booked)
    if abs(exact(before + off)) > MOST_ADJUSTED:
        words = f"The {account.name} account has {dollars(account.cleared)} cleared, not {dollars(balance)}"
        low, high = (exact(account.cleared - before + most) for most in (-MOST_ADJUSTED, MOST_ADJUSTED))
        how = f"{MOST_ADJUSTED:.0f} dollars a month are adjusted at most, which leaves {low:,.2f} to {dollars(high)}"
        raise ToolError("limit_exceeded", f"{words}; {how}, so check the balance, or wait for what is pending.")
    if off == 0 and account.reconciled_on == today and all(t.bank != "cleared" for t in mine):
        words = f"The {account.name} account was reconciled today with that balance; give another balance, or wait"
        raise ToolError("conflict", f"{words} until something has cleared.")
    return off


def adjusted(key: str, account: BudgetAccount, off: float, today: dt.date) -> BudgetTransaction:
    """The transaction that makes an account agree with the bank: income, or something that is spent."""
    return BudgetTransaction(
        id=key, household_id=account.household_id, account_id=account.id, account=account.name, payee=ADJUSTMENT,
        day=today, amount=abs(off), filing="income" if off > 0 else "uncategorised", left=max(0.0, -off),
        bank="reconciled",
    )  # fmt: skip


def check_closable(
    month: BudgetMonth,
    months: Iterable[BudgetMonth],
    transactions: Collection[BudgetTransaction],
    accounts: Iterable[BudgetAccount],
    today: dt.date,
) -> None:
    """Refuse to close a month that is not over, out of turn, or not complete."""
    if month.status == "closed":
        raise ToolError("conflict", f"{month.name} is closed already; close the month after it, if that is over.")
    if today <= month.ends:
        words = f"{month.name} is not over; it can be closed from {month.ends + dt.timedelta(days=1)} on."
        raise ToolError("precondition_failed", words)
    earlier = [m for m in months if m.status == "open" and m.starts < month.starts]
    if earlier:
        first = min(earlier, key=lambda m: m.starts)
        raise ToolError("precondition_failed", f"{first.name} is still open; close {first.name} first.")
    there = in_month(month, transactions)
    lacking = [t for t in there if t.left > 0]
    if lacking:
        names = ", ".join(sorted({t.payee for t in lacking}))
        words = f"{len(lacking)} of the transactions of {month.name} are not fully in envelopes ({names})"
        raise ToolError("precondition_failed", f"{words}; categorise them first.")
    used = {t.account_id for t in there if t.filing != "income"}
    stale = [a.name for a in accounts if a.id in used and a.reconciled_on <= month.ends]
    if stale:
        words = f"Accounts that {month.name} was spent from were not reconciled after its end ({', '.join(stale)})"
        raise ToolError("precondition_failed", f"{words}; reconcile them first.")


def in_month(month: BudgetMonth | Span, transactions: Iterable[BudgetTransaction]) -> list[BudgetTransaction]:
    """The transactions of a month."""
    return [t for t in transactions if month.starts <= t.day <= month.ends]


def closed(month: BudgetMonth, transactions: Iterable[BudgetTransaction], today: dt.date) -> BudgetMonth:
    """A month as it is closed, with what came in and what was spent."""
    there = in_month(month, transactions)
    income = exact(sum(t.amount for t in there if t.filing == "income"))
    spent = exact(sum(t.amount for t in there if t.filing != "income"))
    return month.evolve(status="closed", closed_on=today, income=income, spent=spent)


def reopened(month: BudgetMonth, months: Iterable[BudgetMonth]) -> BudgetMonth:
    """A closed month as it is open again; the latest one first."""
    if month.status == "open":
        raise ToolError("conflict", f"{month.name} is open, so its transactions can be changed as it is.")
    later = [m for m in months if m.status == "closed" and m.starts > month.starts]
    if later:
        last = max(later, key=lambda m: m.starts)
        raise ToolError("precondition_failed", f"{last.name} was closed after it; reopen {last.name} first.")
    return month.evolve(status="open", closed_on=None, income=None, spent=None)
