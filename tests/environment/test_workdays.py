"""Workdays: Monday to Friday."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.environment import add_workdays, days_after, is_workday, workday

FRIDAY, SATURDAY, SUNDAY, MONDAY = (dt.date(2026, 3, n) for n in (6, 7, 8, 9))
DAYS = st.dates(dt.date(2000, 1, 10), dt.date(2100, 1, 1))


def test_saturdays_and_sundays_are_no_workdays() -> None:
    assert [is_workday(day) for day in (FRIDAY, SATURDAY, SUNDAY, MONDAY)] == [True, False, False, True]


@pytest.mark.parametrize("day", [SATURDAY, SUNDAY])
def test_a_day_of_a_weekend_gives_the_monday_after_or_the_friday_before(day: dt.date) -> None:
    assert (workday(day), workday(day, -1)) == (MONDAY, FRIDAY)


def test_a_workday_stays_what_it_is() -> None:
    assert (workday(FRIDAY), workday(MONDAY, -1)) == (FRIDAY, MONDAY)


@pytest.mark.parametrize(
    ("day", "count", "there"),
    [(FRIDAY, 1, MONDAY), (SATURDAY, 1, MONDAY), (MONDAY, -1, FRIDAY), (SUNDAY, -1, FRIDAY),
     (FRIDAY, 5, dt.date(2026, 3, 13)), (FRIDAY, 0, FRIDAY), (SATURDAY, 0, SATURDAY)],
)  # fmt: skip
def test_weekends_are_not_counted(day: dt.date, count: int, there: dt.date) -> None:
    assert add_workdays(day, count) == there


@given(DAYS, st.integers(1, 60))
def test_there_and_back_ends_on_the_day_or_on_the_workday_before_it(day: dt.date, count: int) -> None:
    assert add_workdays(add_workdays(day, count), -count) == workday(day, -1)


@given(DAYS, st.integers(0, 30))
def test_five_workdays_are_a_week(day: dt.date, weeks: int) -> None:
    assert add_workdays(workday(day), 5 * weeks) == workday(day) + dt.timedelta(weeks=weeks)


@given(DAYS, st.integers(-400, 400))
def test_days_after_and_back_is_the_same_day(day: dt.date, count: int) -> None:
    assert days_after(days_after(day, count), -count) == day
    assert (days_after(day, count) - day).days == count
