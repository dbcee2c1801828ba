"""A budget: no request is sent that could cost more than is left.

What a request may cost is set aside when it is sent and put right when its reply is there. While others hold what it
would need, it waits for them; when too little is left even without them, it is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from envfactory.llm.errors import BudgetExceeded
from envfactory.llm.ledger import ModelLedger
from envfactory.llm.settings import BudgetSettings

__all__ = ["Budget", "Cost"]


@dataclass(frozen=True)
class Cost:
    """What a request may cost at most, as far as can be told before."""

    requests: int
    tokens: int
    money: float


class Budget:
    """What may be spent over all attempts and processes that share a ledger.

    Each process sees at once what the others have spent, but not what they have set aside: together they may go over by
    what is on its way in the others.
    """

    def __init__(self, settings: BudgetSettings, ledger: ModelLedger, key: str = "budget") -> None:
        """Keep a budget.

        Args:
            settings: the limits.
            ledger: what was spent so far, and will be.
            key: where the settings stand in the configuration, for messages.
        """
        self._settings = settings
        self._ledger = ledger
        self._key = key
        self._aside = Cost(0, 0, 0.0)
        self._freed = asyncio.Event()

    @asynccontextmanager
    async def aside(self, cost: Cost) -> AsyncGenerator[None]:
        """Set aside what a request may cost, until the block ends; the ledger has what it cost by then.

        Raises:
            BudgetExceeded: more than is left.
        """
        while self._short(cost):
            await self._freed.wait()
        self._aside = _sum(self._aside, cost, 1)
        try:
            yield
        finally:
            self._aside = _sum(self._aside, cost, -1)
            # Wakes those that wait now; whoever comes later waits for the next.
            self._freed.set()
            self._freed = asyncio.Event()

    def _short(self, cost: Cost) -> bool:
        """Say whether others hold what is needed.

        Raises:
            BudgetExceeded: it would be too much without them as well.
        """
        spent = self._ledger.total()
        held = self._aside
        waits = False
        for name, limit in self._settings:
            if limit is None:
                continue
            used, wanted = getattr(spent, name), getattr(cost, name)
            if used + wanted > limit:
                raise BudgetExceeded(
                    f"{self._key}.{name}={limit}: {round(used, 6)} spent, and the next request may take "
                    f"{round(wanted, 6)}; raise {self._key}.{name} and give the same command again: what was paid for "
                    "is not asked again"
                )
            waits = waits or used + getattr(held, name) + wanted > limit
        return waits


def _sum(first: Cost, second: Cost, sign: int) -> Cost:
    return Cost(
        first.requests + sign * second.requests,
        first.tokens + sign * second.tokens,
        first.money + sign * second.money,
    )
