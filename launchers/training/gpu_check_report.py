"""What `gpu_check.py` found: printed as it comes, part by part, each within its time."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


class OutOfTime(Exception):
    """A part took longer than it may."""


@dataclass
class Report:
    """What was found; printed as it comes, and summed up at the end."""

    failed: list[str] = field(default_factory=list)
    unverified: list[str] = field(default_factory=list)

    def verified(self, text: str) -> None:
        """Say what holds."""
        print(f"verified      {text}", flush=True)

    def check(self, holds: bool, text: str) -> None:
        """Say whether something holds."""
        if holds:
            self.verified(text)
        else:
            self.failed.append(text)
            print(f"FAILED        {text}", flush=True)

    def not_verified(self, text: str) -> None:
        """Say what could not be looked at."""
        self.unverified.append(text)
        print(f"not verified  {text}", flush=True)

    @contextmanager
    def part(self, name: str, seconds: float) -> Iterator[None]:
        """Run a part within its time.

        Raises:
            OutOfTime: it took longer.
        """
        print(f"\n== {name} (at most {seconds:.0f} s)", flush=True)
        began = time.monotonic()
        signal.signal(signal.SIGALRM, _out_of_time)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            print(f"              {time.monotonic() - began:.1f} s", flush=True)


def _out_of_time(*_: object) -> None:
    raise OutOfTime("its time is over")
