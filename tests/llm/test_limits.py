"""Limits: no minute sees more than its share, and the server's rest is everybody's."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.llm import LimitSettings
from envfactory.llm.limits import Bucket, Limits
from envfactory.llm.meter import Meter
from tests.llm.support import FakeClock, run


@settings(deadline=None)
@given(
    st.integers(1, 600),
    st.lists(st.tuples(st.floats(0, 30), st.integers(1, 60)), min_size=1, max_size=60),
)
def test_no_minute_sees_more_than_its_limit(limit: int, arrivals: list[tuple[float, int]]) -> None:
    clock = FakeClock()
    bucket = Bucket(limit, clock)
    passed: list[tuple[float, int]] = []
    for after, amount in arrivals:
        clock.seconds += after
        passed.append((clock.seconds + bucket.take(min(amount, limit)), min(amount, limit)))
    for begin, _ in passed:
        in_minute = [amount for at, amount in passed if begin <= at < begin + 60]
        # What passes at the very end of a minute may have been paid for within it alone.
        assert sum(in_minute) <= limit + max(in_minute)
    assert [at for at, _ in passed] == sorted(at for at, _ in passed)


@settings(deadline=None)
@given(st.integers(1, 600), st.integers(1, 2000))
def test_one_at_a_time_a_minute_sees_no_more_than_its_limit(limit: int, arrivals: int) -> None:
    clock = FakeClock()
    bucket = Bucket(limit, clock)
    passed = [clock.seconds + bucket.take(1) for _ in range(arrivals)]
    for index, begin in enumerate(passed):
        beyond = index + limit
        assert beyond >= len(passed) or passed[beyond] >= begin + 60 - 1e-6


def test_what_was_estimated_too_high_is_given_back() -> None:
    clock = FakeClock()
    limits = Limits(LimitSettings(tokens_per_minute=600), clock)

    async def use(estimated: int, used: int) -> None:
        async with limits.place(estimated):
            limits.settle(estimated, used)

    run(use(60, 0))
    run(use(60, 60))
    assert clock.waits == []
    run(use(9, 9))
    # The bucket of 60 was empty, and fills at 9 a second.
    assert clock.waits == [pytest.approx(1.0)]


def test_nobody_leaves_while_the_server_rests() -> None:
    clock = FakeClock()
    limits = Limits(LimitSettings(), clock)
    left: list[float] = []

    async def leave() -> None:
        async with limits.place(1):
            left.append(clock.seconds)

    async def several() -> None:
        limits.rest(30)
        limits.rest(10)
        await asyncio.gather(*(leave() for _ in range(3)))

    run(several())
    assert min(left) >= 1030


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 10), st.booleans()), max_size=40))
def test_shares_add_up_to_the_time_in_which_there_was_anything_to_do(events: list[tuple[float, bool]]) -> None:
    clock = FakeClock()
    meter = Meter(clock)
    running: list[float] = []
    busy = shares = 0.0
    for seconds, begins in [*events, *[(1.0, False)] * 40]:
        clock.seconds += seconds
        busy += seconds if running else 0.0
        if begins:
            running.append(meter.start())
        elif running:
            shares += meter.stop(running.pop(0))
    assert shares == pytest.approx(busy, abs=1e-6)
