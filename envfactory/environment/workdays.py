"""Days as services reckon with them: some days later, and workdays, Monday to Friday, where weekends do not count."""

from __future__ import annotations

import datetime as dt

__all__ = ["add_workdays", "days_after", "is_workday", "workday"]

_SATURDAY = 5


def days_after(day: dt.date, count: int) -> dt.date:
    """Return the day some days later, or earlier if `count` is negative."""
    return day + dt.timedelta(days=count)


def is_workday(day: dt.date) -> bool:
    """Whether a day is not of a weekend."""
    return day.weekday() < _SATURDAY


def workday(day: dt.date, step: int = 1) -> dt.date:
    """Return the day itself if it is a workday, else the nearest one after it (`step` 1) or before it (`step` -1)."""
    while not is_workday(day):
        day += dt.timedelta(days=step)
    return day


def add_workdays(day: dt.date, count: int) -> dt.date:
    """Return the workday that lies so many workdays after a day, or before it if `count` is negative."""
    step = 1 if count > 0 else -1
    for _ in range(abs(count)):
        day = workday(day + dt.timedelta(days=step), step)
    return day
