"""How long to wait before a request is sent again: what the server asks for, otherwise longer each time.

wait = min(longest, first * 2^n) * u, with u drawn from [1/2, 1] so that requests refused together do not come back
together; u is drawn from the request's own key, so a run that is repeated waits the same.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from envfactory.llm.clock import Clock
from envfactory.llm.settings import RetrySettings

__all__ = ["backoff_s", "retry_after_s"]


def backoff_s(settings: RetrySettings, key: str, sent: int) -> float:
    """Return the wait before a request is sent again.

    Args:
        settings: first and longest wait.
        key: of the request.
        sent: how often it was sent already, 1 or more.

    Returns:
        Seconds, between half of the longest wait and the whole of it at most.
    """
    # From some power on a float would overflow; the longest wait is reached long before.
    whole = min(settings.longest_wait_s, settings.first_wait_s * 2.0 ** min(sent - 1, 64))
    return whole * random.Random(f"{key}:{sent}").uniform(0.5, 1.0)


def retry_after_s(headers: Mapping[str, str], clock: Clock) -> float | None:
    """Return how long a server asks to wait, in seconds; None if it does not say, or not in a way that can be read.

    Args:
        headers: of the response; names in lower case.
        clock: a date is read against the response's own date, and against this clock where it has none.
    """
    text = headers.get("retry-after-ms", "").strip()
    milliseconds = _number(text)
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    seconds = _number(text)
    if seconds is not None:
        return seconds
    until = _date(text)
    if until is None:
        return None
    sent = _date(headers.get("date", ""))
    return max(0.0, until - (clock.now() if sent is None else sent))


def _number(text: str) -> float | None:
    return float(text) if text.replace(".", "", 1).isdecimal() else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
