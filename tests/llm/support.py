"""What the tests of models share."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from envfactory.llm import EndpointSettings, Purpose, Request, RetrySettings, user
from tests.llm.server import FaultServer

T = TypeVar("T")

PURPOSE = Purpose("synthesize", "writer", "trajectory-1")
HELLO = Request(messages=(user("Hello"),), seed=7)
QUICK = RetrySettings(attempts=4, first_wait_s=0.001, longest_wait_s=0.002)


def run(asked: Coroutine[Any, Any, T]) -> T:
    """Run to the end, and not for ever."""

    async def bounded() -> T:
        async with asyncio.timeout(60):
            return await asked

    return asyncio.run(bounded())


def endpoint(server: FaultServer, **changes: Any) -> EndpointSettings:
    values: dict[str, Any] = {"model": "m", "base_url": server.url, "retry": QUICK, **changes}
    return EndpointSettings(**values)


class FakeClock:
    """Time that passes when somebody waits for it; `waits` holds for how long."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> float:
        return 1_780_000_000.0 + self.seconds

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)
