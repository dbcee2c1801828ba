"""What may be asked of a loan and when, what becomes of it, what pays it off, and which late fees are waived."""

import datetime as dt
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeVar

from envfactory.catalogue.finance._loan_records import (
    Effect,
    LateFee,
    Loan,
    LoanDocument,
    LoanKind,
    LoanRequest,
    LoanStanding,
    PayoffQuote,
    Receipt,
    RepaymentAccount,
    RequestKind,
    RequestStatus,
    SchedulePage,
)
from envfactory.catalogue.finance._loan_schedule import YEAR, first_due, interest, next_paid, schedule
from envfactory.environment import Record, ToolError, add_workdays, cents, fits, is_workday, said

R = TypeVar("R", bound=Record)

LEAST_EXTRA = 50.0
EXTRA_SHARE: dict[LoanKind, float] = {"home": 0.10, "car": 0.25, "personal": 0.50}
"""How much of what was lent can be paid in a calendar year beyond the instalments."""
EARLY_FEE: dict[LoanKind, float] = {"home": 0.01, "car": 0.0, "personal": 0.0}
"""What paying off early costs, as a share of what is left."""
DAY_NOTICE, HOLIDAY_NOTICE, HOLIDAY_AHEAD = 5, 10, 180
QUOTE_DAYS, ANSWER_WORKDAYS = 30, 5
LOAN_ORDER: dict[str, Callable[[Loan], tuple[float, str]]] = {
    "next_due_date": lambda loan: ((loan.next_due or dt.date.max).toordinal(), loan.id),
    "rate": lambda loan: (-loan.rate, loan.id),
    "what_is_left": lambda loan: (-loan.principal_left, loan.id),
}
OPEN: tuple[RequestStatus, ...] = ("pending", "in_effect", "booked")
"""Where a request stands while it may be cancelled."""
INSTEAD: dict[RequestKind, str] = {
    "extra_payment": "ask for what you need anew",
    "due_date_move": "the due date can be moved again once a year is over",
    "payment_holiday": "ask for another payment holiday if you need one",
    "autopay": "set up autopay anew if you want it back",
    "payoff_quote": "ask for a new payoff quote if you need one",
}
"""What can be done where a request cannot be cancelled."""


def picked(rows: Iterable[R], **wanted: object) -> list[R]:
    """The records that have these values, where one is asked for."""
    return [row for row in rows if fits(row, **wanted)]


def by_age(request: LoanRequest) -> tuple[dt.date, int, str]:
    """By what requests are sorted, the oldest first; of two made on one day the newer has the higher number."""
    return request.made_on, len(request.id), request.id


def as_of(request: LoanRequest, today: dt.date) -> LoanRequest:
    """The request as it stands on a day: a payoff quote past its last day is over."""
    over = request.status == "in_effect" and request.good_until and today > request.good_until
    return request.evolve(status="final") if over else request


# -- what nothing goes without


def check_open(loan: Loan) -> None:
    """Refuse a loan that is paid off."""
    if loan.status == "paid_off":
        raise ToolError("precondition_failed", f"The loan for {loan.purpose} is paid off; choose another one.")


def check_current(loan: Loan, what: str) -> None:
    """Refuse a loan that is paid off or late."""
    check_open(loan)
    if loan.status == "late":
        words = f"{loan.overdue:,.2f} dollars of the loan are overdue; pay them first, then {what} is possible."
        raise ToolError("precondition_failed", words)


def check_account(account: RepaymentAccount, own: Iterable[RepaymentAccount]) -> None:
    """Refuse to collect from an account that is not verified."""
    if account.status != "verified":
        others = " or ".join(sorted(each.bank for each in own if each.status == "verified")) or "none so far"
        words = f"{account.bank} is {account.status}; choose a verified account: {others}."
        raise ToolError("precondition_failed", words)


def check_mandate(loan: Loan, account: RepaymentAccount) -> None:
    """Refuse a mandate for a loan that is paid off, or the one that it has."""
    check_open(loan)
    if loan.autopay_account_id == account.id:
        words = f"The loan is collected from {account.bank} already; choose another account to change that."
        raise ToolError("conflict", words)


def with_autopay(number: str, loan: Loan, account: RepaymentAccount, today: dt.date) -> tuple[Loan, LoanRequest]:
    """The loan collected from an account, and the record of that."""
    made = asked(number, loan, "autopay", today, "in_effect", account_id=account.id, bank=account.bank)
    return loan.evolve(autopay_account_id=account.id, autopay_bank=account.bank), made


# -- extra payments


def with_extra(loan: Loan, amount: float, effect: Effect) -> Loan:
    """The loan after an extra payment: what is overdue first, the rest off what is left.

    Args:
        loan: what is paid on.
        amount: how much, in US dollars.
        effect: whether the instalment stays or shrinks in step with what is left.
    """
    check_open(loan)
    if loan.status == "late" and amount < loan.overdue:
        words = f"{loan.overdue:,.2f} dollars are overdue; pay at least that much."
        raise ToolError("precondition_failed", words)
    if loan.status == "active" and amount < LEAST_EXTRA:
        raise ToolError("invalid_argument", f"Pay at least {LEAST_EXTRA:,.0f} dollars extra, not {amount:,.2f}.")
    rest = cents(amount - loan.overdue)
    if rest >= loan.principal_left:
        words = f"That is all of the {loan.principal_left:,.2f} dollars left or more; ask for a payoff quote instead."
        raise ToolError("precondition_failed", words)
    if rest > loan.extra_left:
        most = cents(loan.extra_left + loan.overdue)
        words = f"At most {most:,.2f} dollars can be paid extra this year; pay no more, or ask for a payoff quote."
        raise ToolError("limit_exceeded", words)
    left = cents(loan.principal_left - rest)
    smaller = math.ceil(loan.instalment * left / loan.principal_left * 100 - 1e-6) / 100
    return loan.evolve(
        status="active", overdue=0.0, principal_left=left, extra_left=cents(loan.extra_left - rest),
        instalment=smaller if effect == "lower_the_instalment" else loan.instalment,
    )  # fmt: skip


def extra_request(
    number: str, loan: Loan, account: RepaymentAccount, amount: float, effect: Effect, today: dt.date
) -> LoanRequest:
    """The record of an extra payment on a loan as it was before; one that covered what was overdue is final."""
    late = loan.status == "late"
    return asked(
        number, loan, "extra_payment", today, "final" if late else "booked", account_id=account.id, amount=amount,
        bank=account.bank, effect=effect, to_overdue=loan.overdue, instalment_before=loan.instalment,
        cancel_until=None if late else today,
    )  # fmt: skip


def asked(
    number: str, loan: Loan, kind: RequestKind, today: dt.date, status: RequestStatus, **more: object
) -> LoanRequest:
    """A new request on a loan."""
    return LoanRequest.model_validate({
        "id": number, "borrower_id": loan.borrower_id, "loan_id": loan.id, "purpose": loan.purpose, "kind": kind,
        "made_on": today, "status": status, **more,
    })  # fmt: skip


# -- due dates and payment holidays


def check_move(loan: Loan, due_day: int, today: dt.date) -> None:
    """Refuse to move a due date too late, too often, or to where it is."""
    check_current(loan, "moving the due date")
    if due_day == loan.due_day:
        raise ToolError("conflict", f"Instalments are due on day {due_day} already; choose another day from 1 to 28.")
    if loan.day_fixed_until and today <= loan.day_fixed_until:
        words = f"The due date was moved within 12 months; it can be moved again after {loan.day_fixed_until}."
        raise ToolError("precondition_failed", words)
    if loan.next_due and (loan.next_due - today).days < DAY_NOTICE:
        words = f"The instalment of {loan.next_due} is being collected; move the due date after that day."
        raise ToolError("precondition_failed", words)


def moved(number: str, loan: Loan, due_day: int, today: dt.date) -> tuple[Loan, LoanRequest]:
    """The loan with another due day, and the record of that; the next instalment is never due sooner than before."""
    check_move(loan, due_day, today)
    later = first_due(loan.next_due, due_day) if loan.next_due else None
    made = asked(
        number, loan, "due_date_move", today, "booked", due_day=due_day, due_before=loan.next_due, cancel_until=today
    )  # fmt: skip
    return loan.evolve(due_day=due_day, next_due=later, day_fixed_until=today + dt.timedelta(days=YEAR - 1)), made


def check_holiday(loan: Loan, starts_on: dt.date, months: int, requests: Iterable[LoanRequest], today: dt.date) -> None:
    """Refuse a payment holiday that comes too soon, too often, or when hardly anything is left to pay."""
    check_current(loan, "a payment holiday")
    first, last = (today + dt.timedelta(days=days) for days in (HOLIDAY_NOTICE, HOLIDAY_AHEAD))
    if not first <= starts_on <= last:
        words = f"A payment holiday begins between {first} and {last}, not on {starts_on}; choose a day in between."
        raise ToolError("invalid_argument", words)
    if loan.holiday_from and starts_on < loan.holiday_from:
        words = f"There is one payment holiday a year; another one can begin on {loan.holiday_from} at the earliest."
        raise ToolError("precondition_failed", words)
    after = sum(row.due_on >= starts_on for row in schedule(loan, requests))
    if after <= months:
        words = f"Only {after} instalments are left from {starts_on} on; at least one must be left after the holiday."
        raise ToolError("precondition_failed", f"{words} Skip fewer instalments, or begin earlier.")


def holiday(number: str, loan: Loan, starts_on: dt.date, months: int, today: dt.date) -> LoanRequest:
    """The request for a payment holiday: one instalment is granted at once, more and home loans are looked at first."""
    at_once = months == 1 and loan.kind != "home"
    return asked(
        number, loan, "payment_holiday", today, "in_effect" if at_once else "pending", starts_on=starts_on,
        months=months, cancel_until=starts_on - dt.timedelta(days=1),
        answer_by=None if at_once else add_workdays(today, ANSWER_WORKDAYS),
    )  # fmt: skip


# -- cancelling


def check_cancel(request: LoanRequest, requests: Sequence[LoanRequest], today: dt.date) -> None:
    """Refuse to cancel what is over or past its day, or a payment before a newer one."""
    name, instead = f"The {said(request.kind)} for {request.purpose}", INSTEAD[request.kind]
    if request.status not in OPEN:
        words = f"{name} is {request.status}, so it cannot be cancelled; {instead}."
        raise ToolError("precondition_failed", words)
    if request.cancel_until and today > request.cancel_until:
        words = f"{name} could be cancelled until {request.cancel_until}; {instead}."
        raise ToolError("precondition_failed", words)
    same = picked(requests, loan_id=request.loan_id, kind="extra_payment", status="booked")
    if request in same and request != (newest := max(same, key=by_age)):
        words = f"A newer extra payment of {newest.amount:,.2f} dollars builds on this one; cancel that one first."
        raise ToolError("precondition_failed", words)


def without(loan: Loan, request: LoanRequest) -> Loan:
    """The loan as it is without something that was asked for."""
    if request.kind == "extra_payment":
        back = request.amount or 0.0
        return loan.evolve(
            principal_left=cents(loan.principal_left + back), extra_left=cents(loan.extra_left + back),
            instalment=request.instalment_before or loan.instalment,
        )  # fmt: skip
    if request.kind == "due_date_move":
        before = request.due_before or loan.interest_from
        return loan.evolve(due_day=before.day, next_due=before, day_fixed_until=None)
    if request.kind == "autopay":
        return loan.evolve(autopay_account_id=None, autopay_bank=None)
    return loan


# -- paying off


def check_quote_day(loan: Loan, good_until: dt.date, today: dt.date) -> None:
    """Refuse a quote for a loan that is paid off, or for a day that is over or too far ahead."""
    check_open(loan)
    last = today + dt.timedelta(days=QUOTE_DAYS)
    if not today <= good_until <= last:
        words = f"A payoff quote is good until a day from {today} to {last}, not {good_until}; choose one of these."
        raise ToolError("invalid_argument", words)


def quote(number: str, loan: Loan, fees: float, good_until: dt.date) -> PayoffQuote:
    """What pays a loan off until a day.

    Args:
        number: identifier of the request.
        loan: what is paid off.
        fees: late fees that are still to be collected, in US dollars.
        good_until: day up to which interest is counted.
    """
    grown = interest(loan, loan.principal_left, loan.interest_from, good_until)
    early = cents(loan.principal_left * EARLY_FEE[loan.kind])
    return PayoffQuote(
        request_id=number, loan_id=loan.id, purpose=loan.purpose, good_until=good_until,
        principal=loan.principal_left, interest=grown, overdue=loan.overdue, fees=fees, early_fee=early,
        amount=cents(loan.principal_left + grown + loan.overdue + fees + early),
    )  # fmt: skip


def quote_request(quote: PayoffQuote, loan: Loan, today: dt.date) -> LoanRequest:
    """The record of a payoff quote; it can be given up as long as it is good."""
    day = quote.good_until
    return asked(
        quote.request_id, loan, "payoff_quote", today, "in_effect", amount=quote.amount, good_until=day,
        cancel_until=day,
    )  # fmt: skip


def check_quote(request: LoanRequest, today: dt.date) -> float:
    """What has to be paid by a quote; refused if it does not hold."""
    if request.kind != "payoff_quote" or request.amount is None or request.good_until is None:
        words = f"That is {_article(request.kind)}, not a payoff quote; ask for a payoff quote first."
        raise ToolError("invalid_argument", words)
    if request.status != "in_effect":
        words = f"The payoff quote for {request.purpose} is {request.status}; ask for a new one."
        raise ToolError("precondition_failed", words)
    if today > request.good_until:
        words = f"The payoff quote for {request.purpose} was good until {request.good_until}; ask for a new one."
        raise ToolError("precondition_failed", words)
    return request.amount


def _article(kind: str) -> str:
    return kind if kind == "autopay" else f"{'an' if kind.startswith('e') else 'a'} {said(kind)}"


def paid_off(loan: Loan) -> Loan:
    """The loan with nothing left."""
    return loan.evolve(
        status="paid_off", principal_left=0.0, instalment=0.0, overdue=0.0, extra_left=0.0, next_due=None,
        autopay_account_id=None, autopay_bank=None, day_fixed_until=None, holiday_from=None, instalments_left=0,
        ends_on=None,
    )  # fmt: skip


def closed(request: LoanRequest) -> LoanRequest:
    """A request on a loan that is paid off: what was open is final."""
    return request.evolve(status="final") if request.status in OPEN else request


def payoff_letter(number: str, loan: Loan, paid: float, today: dt.date) -> LoanDocument:
    """What the lender writes when a loan is paid off."""
    return LoanDocument(
        id=number, borrower_id=loan.borrower_id, loan_id=loan.id, purpose=loan.purpose, kind="payoff_letter",
        year=str(today.year), issued_on=today, amount=paid,
    )  # fmt: skip


# -- late fees


def waiver(fee: LateFee, fees: Iterable[LateFee], today: dt.date) -> Literal["courtesy", "weekend"]:
    """Why a late fee is waived; refused if it is not.

    Args:
        fee: what is to be waived.
        fees: the borrower's late fees, this one among them or not.
        today: the day of asking.
    """
    if fee.status != "charged":
        words = f"The late fee of {fee.charged_on} is {fee.status} already; only a charged one can be waived."
        raise ToolError("conflict", words)
    if not is_workday(fee.due_on):
        return "weekend"
    for other in fees:
        day = other.waived_on
        if other.loan_id == fee.loan_id and other.waived_as == "courtesy" and day and (today - day).days < YEAR:
            words = f"A fee of this loan was waived on {day} as a courtesy, which is done once in 12 months"
            again = day + dt.timedelta(days=YEAR)
            raise ToolError("precondition_failed", f"{words}; from {again} on, a new fee can be waived again.")
    return "courtesy"


def assessed(fee: LateFee, fees: Sequence[LateFee], today: dt.date) -> LateFee:
    """The late fee with whether it can be waived."""
    try:
        waiver(fee, fees, today)
    except ToolError:
        return fee.evolve(waivable=False)
    return fee.evolve(waivable=True)


def standing(loan: Loan, fees: float, requests: Iterable[LoanRequest], today: dt.date) -> LoanStanding:
    """How a loan stands today."""
    rows = [as_of(request, today) for request in sorted(requests, key=by_age, reverse=True)]
    due = next_paid(loan, rows)
    return LoanStanding(
        loan=loan, fees=fees, interest_so_far=interest(loan, loan.principal_left, loan.interest_from, today),
        requests=tuple(row for row in rows if row.status in ("pending", "in_effect")),
        due_on=due.due_on if due else None, due_amount=due.amount if due else None,
    )  # fmt: skip


def planned(
    loan: Loan, requests: Sequence[LoanRequest], extra: float | None, effect: Effect | None, page: int
) -> SchedulePage:
    """A page of the schedule of a loan, as it is or as it would be after an extra payment."""
    check_open(loan)
    if (extra is None) != (effect is None):
        words = "Give the extra payment together with its effect, shorten_the_term or lower_the_instalment."
        raise ToolError("invalid_argument", words)
    rows = plain = schedule(loan, requests)
    if extra is not None and effect is not None:
        loan = with_extra(loan, cents(extra), effect)
        rows = schedule(loan, requests)
    to_come = sum(row.interest for row in rows)
    return SchedulePage.of(
        rows, page, 6, instalment=loan.instalment, ends_on=rows[-1].due_on, total_interest=cents(to_come),
        saved=max(0.0, cents(sum(row.interest for row in plain) - to_come)),
    )  # fmt: skip


def receipt(loan: Loan, request: LoanRequest, requests: Iterable[LoanRequest]) -> Receipt:
    """What became of a request, and how its loan stands now."""
    due = next_paid(loan, requests)
    return Receipt(
        request_id=request.id, kind=request.kind, request_status=request.status, loan_id=loan.id, purpose=loan.purpose,
        cancel_until=request.cancel_until, answer_by=request.answer_by, loan_status=loan.status,
        principal_left=loan.principal_left, instalment=loan.instalment, ends_on=loan.ends_on,
        next_due=due.due_on if due else None,
    )  # fmt: skip
