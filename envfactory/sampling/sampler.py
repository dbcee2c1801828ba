"""What a sampler is: chains from a graph by number and seed, and what it dropped on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from envfactory.sampling.chain import Chain


class ChainSettings(Protocol):
    """What every sampler is told; the configuration's sampler groups have these fields."""

    @property
    def min_tools(self) -> int:
        """Fewest tools of a chain."""
        ...

    @property
    def max_tools(self) -> int:
        """Most tools of a chain."""
        ...

    @property
    def max_environments(self) -> int:
        """A chain calls at most this many environments."""
        ...

    @property
    def max_attempts_per_chain(self) -> int:
        """Tries for one chain before the sampler gives up and says so."""
        ...


class NoChainError(ValueError):
    """A sampler found no chain in the tries it has; the message counts what it dropped, by reason."""


@dataclass(frozen=True, slots=True)
class SampleResult:
    """What came of sampling.

    Attributes:
        chains: in order of their index.
        rejects: how many tries were dropped, by reason, sorted.
        attempts: tries in all: chains and rejects.
    """

    chains: tuple[Chain, ...]
    rejects: Mapping[str, int]
    attempts: int


class Sampler(Protocol):
    """Draws chains from a tool graph."""

    def sample(self, n: int, seed: int, start: int = 0) -> SampleResult:
        """Draw chains number `start` to `start + n - 1` of a seed.

        A chain depends on graph, settings, seed and its number alone, so that ranges can be drawn in any order.

        Raises:
            NoChainError: a chain took more than `max_attempts_per_chain` tries.
        """
        ...
