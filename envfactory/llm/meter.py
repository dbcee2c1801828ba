"""How long a server was busy for each request, when many are on their way at once.

A moment with n requests on their way counts 1/n for each, so the shares add up to the time in which the server had
anything to do. That time, times its GPUs, is what its GPU-hours are.
"""

from __future__ import annotations

from envfactory.llm.clock import Clock

__all__ = ["Meter"]


class Meter:
    """Shares of a busy time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._running = 0
        self._seen = clock.monotonic()
        self._each = 0.0

    def start(self) -> float:
        """Begin a request; return what `stop` wants."""
        self._advance()
        self._running += 1
        return self._each

    def stop(self, started: float) -> float:
        """End a request; return its share, in seconds."""
        self._advance()
        self._running -= 1
        return self._each - started

    def _advance(self) -> None:
        """Let the time since the last event pass: `_each` is the share of one that was there from the beginning."""
        now = self._clock.monotonic()
        if self._running:
            self._each += (now - self._seen) / self._running
        self._seen = now
