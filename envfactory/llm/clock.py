"""Time, as limits and waits see it: passed in, so that what waits can be shown without waiting."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

__all__ = ["Clock", "SystemClock"]


class Clock(Protocol):
    """Seconds, and a way to let them pass. No reply depends on it."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        ...

    def now(self) -> float:
        """Return seconds since 1970, for dates that a server names."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's own time."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    def now(self) -> float:
        """Return seconds since 1970."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
