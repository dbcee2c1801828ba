"""What rules of leave there are, what one leave alone has to keep to, and what accounts of days take and give."""

import datetime as dt
from collections.abc import Iterable
from typing import TypeVar

from envfactory.catalogue.office import _leave_records as rec
from envfactory.environment import Table, ToolError, cents, days_after

Leave = rec.OwnLeave | rec.TeamLeave | rec.SickLeave
Planned = rec.OwnLeave | rec.TeamLeave
P = TypeVar("P", rec.OwnLeave, rec.TeamLeave)
R = TypeVar("R", rec.TeamLeave, rec.SickLeave)

LIVE = ("pending", "approved", "reported", "closed")
"""Leave that is or may be taken."""
AWAY = ("approved", "reported", "closed")
"""Leave that keeps somebody away."""
ILL = ("reported", "closed")
"""Sick leave."""
OPEN = ("pending", "approved")
"""Planned leave that can still be changed before it begins."""
NOTICE: dict[rec.AnyKind, int] = {"annual": 3, "compensatory": 1, "study": 10, "unpaid": 15, "parental": 30}
"""How many workdays ahead a kind of leave is asked for."""
LONG, LONG_NOTICE = 5, 15
"""Leave of more days needs a cover and this notice at least."""
SHORT = 2
"""Leave of no more days is approved at once, and possible in probation."""
UNCERTIFIED = 3
"""How many days in a row somebody can be ill without a certificate."""
REPORT_BACK, CERTIFY_BACK, CERTIFY_AHEAD = 3, 7, 28
"""How many days ago sick leave begins at most, a sick leave to certify ended, and how far ahead a certificate goes."""
CALENDAR_DAYS = 62
"""How many days the calendar shows at most."""
MOST_TRADED = 5
"""How many days can be bought, and how many sold, in a year."""


def days_from(first: dt.date, last: dt.date) -> list[dt.date]:
    """All days of a span."""
    return [days_after(first, n) for n in range((last - first).days + 1)]


def amount(days: float) -> str:
    """A number of days as it is said."""
    return f"{days:g} day{'' if days == 1 else 's'}"


def by_first_day(leave: Leave) -> tuple[dt.date, str]:
    """Sorts leave by its beginning."""
    return leave.first_day, leave.id


def by_last_day(leave: Leave) -> tuple[dt.date, str]:
    """Sorts leave by its end."""
    return leave.last_day, leave.id


def by_name(who: rec.Employee) -> tuple[str, str]:
    """Sorts people by name."""
    return who.name, who.id


def in_probation(who: rec.Employee, day: dt.date) -> bool:
    """Whether somebody is in probation on a day."""
    return who.probation_until is not None and day <= who.probation_until


def overlapping(leave: Leave | rec.Blackout, first: dt.date, last: dt.date) -> bool:
    """Whether a leave or a blackout has a day in a span."""
    if isinstance(leave, rec.Blackout):
        return leave.since <= last and leave.until >= first
    return leave.first_day <= last and leave.last_day >= first


def check_order(first: dt.date, last: dt.date) -> None:
    """Refuse leave that ends before it begins."""
    if last < first:
        raise ToolError("invalid_argument", f"The last day, {last}, is before the first one, {first}; give both anew.")


def unless(leave: Leave, today: dt.date) -> str:
    """How days that a leave takes can be had nevertheless, if at all."""
    if isinstance(leave, rec.SickLeave):
        earlier = ", unless it is closed with an earlier return (close_sickness)"
        return earlier if leave.status == "reported" else ""
    if leave.first_day <= today:
        return ""
    if isinstance(leave, rec.OwnLeave):
        return ", unless it is changed or cancelled first"
    return ", unless it is declined first (decline_leave)"


def check_changed(old: rec.OwnLeave, new: rec.OwnLeave) -> None:
    """Refuse a change that leaves all as it is."""
    if new == old:
        raise ToolError("conflict", "That is how the leave is already; give other days, another half or cover.")


def ahead(leave: P, today: dt.date, done: str, among: tuple[str, ...] = OPEN) -> P:
    """Leave that stands like this and has not begun; refused otherwise."""
    if leave.status not in among:
        words = f"That leave is {leave.status}, so it cannot be {done}"
        raise ToolError("precondition_failed", f"{words}; choose one that is {' or '.join(among)}.")
    if leave.first_day <= today:
        words = f"That leave began on {leave.first_day}, and leave can be {done} until the day before"
        raise ToolError("precondition_failed", f"{words}; later only the personnel office can help.")
    return leave


def check_certificate(leave: rec.SickLeave, until: dt.date, today: dt.date) -> None:
    """Refuse a certificate that comes too late, adds nothing, or goes too far ahead."""
    last = leave.last_day
    if last < days_after(today, -CERTIFY_BACK):
        words = f"The sick leave ended on {last}, and a certificate is filed within {CERTIFY_BACK} days"
        raise ToolError("precondition_failed", f"{words}; only the personnel office can still add one.")
    if until < last or (leave.certified and until == last):
        enough = "further" if leave.certified else "as far at least"
        words = f"The sick leave goes on until {last}; a certificate has to reach {enough}"
        raise ToolError("invalid_argument", f"{words}; an earlier return is recorded instead (close_sickness).")
    if until > days_after(today, CERTIFY_AHEAD):
        words = f"A certificate is for {CERTIFY_AHEAD} days from today at most, not until {until}"
        raise ToolError("invalid_argument", f"{words}; give an earlier day.")


def of_people(table: Table[R], people: list[str]) -> list[R]:
    """Leave of some people."""
    return [each for each in table.values() if each.employee_id in people]


# -- accounts


def account_of(accounts: Table[rec.LeaveAccount], kind: rec.AnyKind) -> rec.LeaveAccount:
    """The account of a kind of leave."""
    return next(each for each in accounts.values() if each.kind == kind)


def left_on(account: rec.LeaveAccount, day: dt.date) -> tuple[float, float]:
    """Days that are left on a day, carried ones apart."""
    lasts = account.carried_until is not None and day <= account.carried_until
    return account.entitled + account.bought - account.used, (account.carried - account.carried_used) if lasts else 0.0


def balance(account: rec.LeaveAccount, day: dt.date, *, trading: bool) -> rec.LeaveBalance:
    """What an account has on a day, and, while days are bought and sold, how many can be."""
    own, carried = left_on(account, day)
    trades = trading and account.kind == "annual"
    return rec.LeaveBalance(
        kind=account.kind, entitled=account.entitled, bought=account.bought, used=account.used, carried_left=carried,
        carried_until=account.carried_until, left=own + carried,
        can_buy=MOST_TRADED - account.bought if trades else None,
        can_sell=max(0, min(MOST_TRADED + account.bought, int(own))) if trades else None,
    )  # fmt: skip


def balances(
    accounts: Iterable[rec.LeaveAccount], day: dt.date, today: dt.date, year_end: dt.date, trade_until: dt.date
) -> rec.Balances:
    """What accounts have on a day of the leave year that is not over."""
    if not today <= day <= year_end:
        words = f"Balances are known from today to the end of the leave year, {year_end}, not for {day}."
        raise ToolError("invalid_argument", words)
    found = tuple(balance(each, day, trading=today <= trade_until) for each in accounts)
    return rec.Balances(day=day, balances=found, total_left=sum(each.left for each in found))


def charged(
    account: rec.LeaveAccount, leave: rec.OwnLeave, workdays: Iterable[dt.date]
) -> tuple[rec.LeaveAccount, rec.OwnLeave]:
    """The account and the leave once its days are taken: carried ones first, as far as it lies before they lapse."""
    early = sum(1.0 for day in workdays if left_on(account, day)[1])
    if (leave.half == "first_day" and early) or (leave.half == "last_day" and early > leave.days):
        early -= 0.5
    own, carried = left_on(account, leave.first_day)
    part = min(carried, early)
    if leave.days - part > own:
        has = f"{amount(own + part)} of {account.kind} leave can be used in that time"
        raise ToolError("limit_exceeded", f"Only {has}, and this takes {amount(leave.days)}; take fewer days.")
    paid = account.evolve(used=account.used + leave.days - part, carried_used=account.carried_used + part)
    return paid, leave.evolve(from_carried=part)


def charge(accounts: Table[rec.LeaveAccount], leave: rec.OwnLeave, workdays: Iterable[dt.date]) -> rec.OwnLeave:
    """Take the days of a leave from its account."""
    account, leave = charged(account_of(accounts, leave.kind), leave, workdays)
    accounts.replace(account)
    return leave


def refund(accounts: Table[rec.LeaveAccount], leave: rec.OwnLeave) -> None:
    """Give the days of a leave back to its account."""
    account = account_of(accounts, leave.kind)
    used = account.used - leave.days + leave.from_carried
    accounts.replace(account.evolve(used=used, carried_used=account.carried_used - leave.from_carried))


def trade(
    accounts: Table[rec.LeaveAccount], direction: rec.Direction, days: int, until: dt.date, today: dt.date
) -> rec.Trade:
    """Buy or sell days of annual leave."""
    account = account_of(accounts, "annual")
    if today > until:
        raise ToolError(
            "precondition_failed", f"Days were bought and sold until {until}; wait for the next leave year."
        )
    bought = account.bought + (days if direction == "buy" else -days)
    if abs(bought) > MOST_TRADED:
        words = f"At most {amount(MOST_TRADED)} a year can be bought or sold on balance, and this makes {abs(bought):g}"
        raise ToolError("limit_exceeded", f"{words}; {direction} fewer.")
    new = account.evolve(bought=bought)
    own, carried = left_on(new, today)
    if own < 0:
        words = f"Only {amount(own + days)} of this year's annual leave are left, and carried days cannot be sold"
        raise ToolError("limit_exceeded", f"{words}; sell fewer, or cancel leave first (cancel_leave).")
    accounts.replace(new)
    cost = cents(days * account.day_rate)
    return rec.Trade(direction=direction, days=days, amount=cost, bought=bought, left=own + carried)
