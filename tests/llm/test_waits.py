"""Waits between the times that a request is sent."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.llm import RetrySettings
from envfactory.llm.waits import backoff_s, retry_after_s
from tests.llm.support import FakeClock


@settings(deadline=None)
@given(st.floats(0, 100), st.floats(0.001, 1000), st.text(max_size=5), st.integers(1, 2000))
def test_a_wait_is_bounded_whatever_the_settings(first: float, longest: float, key: str, sent: int) -> None:
    retry = RetrySettings(first_wait_s=first, longest_wait_s=longest)
    wait = backoff_s(retry, key, sent)
    assert 0 <= wait <= longest
    assert wait == backoff_s(retry, key, sent)
    assert wait >= min(longest, first * 2.0 ** min(sent - 1, 64)) / 2 * 0.999999


def test_waits_grow_and_differ_between_requests() -> None:
    retry = RetrySettings(first_wait_s=1.0, longest_wait_s=1000.0)
    waits = [backoff_s(retry, "a", sent) for sent in range(1, 10)]
    assert waits == sorted(waits)
    assert len({backoff_s(retry, key, 1) for key in "abcdefgh"}) == 8


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": " 12 "}, 12.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "Fri, 29 May 2026 10:00:00 GMT", "date": "Fri, 29 May 2026 09:59:00 GMT"}, 60.0),
        ({"retry-after": "Fri, 29 May 2026 10:00:00 GMT", "date": "Fri, 29 May 2026 10:59:00 GMT"}, 0.0),
        # The clock says 2026-05-28 20:43:20.
        ({"retry-after": "Thu, 28 May 2026 20:44:00 GMT"}, 40.0),
    ],
)
def test_seconds_and_dates_are_understood(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, FakeClock()) == seconds
