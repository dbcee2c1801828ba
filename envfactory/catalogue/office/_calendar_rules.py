"""When meetings can be: the rules of the calendars that need nothing but times."""

import datetime as dt

from envfactory.environment import ToolError, is_workday

FIRST_HOUR, LAST_HOUR = 8, 20
LONGEST_ABSENCE = 30


def check_time(starts_at: dt.datetime, minutes: int, now: dt.datetime) -> None:
    """Refuse a time that is past, not on a full minute, at night, or on a weekend."""
    if starts_at <= now:
        raise ToolError("invalid_argument", f"{starts_at:%Y-%m-%d %H:%M} is past.")
    if starts_at.second or starts_at.microsecond:
        raise ToolError("invalid_argument", "Meetings start on a full minute.")
    night = dt.datetime.combine(starts_at, dt.time(LAST_HOUR))
    if starts_at.hour < FIRST_HOUR or starts_at + dt.timedelta(minutes=minutes) > night:
        raise ToolError("invalid_argument", f"Meetings lie between {FIRST_HOUR}:00 and {LAST_HOUR}:00.")
    if not is_workday(starts_at):
        raise ToolError("invalid_argument", f"{starts_at:%Y-%m-%d} is a weekend.")


def check_absence(since: dt.date, until: dt.date, today: dt.date) -> None:
    """Refuse days away that are past, turned round or too many."""
    if since < today:
        raise ToolError("invalid_argument", f"{since} is past; days away begin today or later.")
    if until < since:
        raise ToolError("invalid_argument", f"{since} to {until} is turned round.")
    if (until - since).days > LONGEST_ABSENCE:
        raise ToolError("invalid_argument", f"{since} to {until} is over thirty days.")
