"""How fast requests may go out: so many at once, so many and so many tokens in any minute, none while the server rests.

A minute's limit L is kept by a bucket of L/10 that fills at 0.9 L a minute: whatever the minute, no more than L passes.
Who comes while it is empty takes out on credit and waits until the credit is paid, so requests leave in the order in
which they came.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from envfactory.llm.clock import Clock
from envfactory.llm.settings import LimitSettings

__all__ = ["Bucket", "Limits"]

MINUTE_S = 60.0
BURST = 0.1


class Bucket:
    """Amounts a minute."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._capacity = BURST * per_minute
        self._rate = (1 - BURST) * per_minute / MINUTE_S
        self._level = self._capacity
        self._clock = clock
        self._seen = clock.monotonic()

    def take(self, amount: float) -> float:
        """Take an amount out; return the seconds to wait before it may be used.

        A negative amount gives back what was taken too much.
        """
        now = self._clock.monotonic()
        self._level = min(self._capacity, self._level + (now - self._seen) * self._rate) - amount
        self._seen = now
        return max(0.0, -self._level / self._rate)


class Limits:
    """The limits of one endpoint in one process."""

    def __init__(self, settings: LimitSettings, clock: Clock) -> None:
        self._clock = clock
        self._places = asyncio.Semaphore(settings.in_flight)
        self._requests = None if settings.requests_per_minute is None else Bucket(settings.requests_per_minute, clock)
        self._tokens = None if settings.tokens_per_minute is None else Bucket(settings.tokens_per_minute, clock)
        self._rests_until = 0.0

    @asynccontextmanager
    async def place(self, tokens: int) -> AsyncGenerator[None]:
        """Hold a place among the requests on their way, from when one is free and the limits let one more go.

        Args:
            tokens: estimate for the request; put right by `settle`.
        """
        async with self._places:
            buckets = ((self._requests, 1), (self._tokens, tokens))
            wait = max((bucket.take(amount) for bucket, amount in buckets if bucket is not None), default=0.0)
            if wait > 0:
                await self._clock.sleep(wait)
            while (rest := self._rests_until - self._clock.monotonic()) > 0:
                await self._clock.sleep(rest)
            yield

    def settle(self, estimated: int, used: int) -> None:
        """Put an estimate of tokens right."""
        if self._tokens is not None:
            self._tokens.take(used - estimated)

    def rest(self, seconds: float) -> None:
        """Send nothing for a while: the server asked for it."""
        self._rests_until = max(self._rests_until, self._clock.monotonic() + seconds)
