"""What a stage spent: counts by name, such as calls; tokens and money once models are asked."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["Ledger"]


class Ledger:
    """Adds up what is spent. One ledger serves one stage of one attempt, from one thread."""

    def __init__(self) -> None:
        self._counts: dict[str, float] = {}

    def count(self, **amounts: float) -> None:
        """Add amounts: ``ledger.count(calls=3)``."""
        for name, amount in amounts.items():
            self._counts[name] = self._counts.get(name, 0) + amount

    def add(self, amounts: Mapping[str, float]) -> None:
        """Add amounts by name, such as those another process counted."""
        self.count(**amounts)

    def total(self) -> dict[str, float]:
        """Return the sums so far, by sorted name."""
        return dict(sorted(self._counts.items()))

    def named(self, kind: str) -> dict[str, int]:
        """Return the counts of a kind, those counted as ``<kind>:<name>``, by name."""
        prefix = f"{kind}:"
        return {name.removeprefix(prefix): int(n) for name, n in self.total().items() if name.startswith(prefix)}
