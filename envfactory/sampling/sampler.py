"""What a sampler is: chains from a graph by number and seed, and what it dropped on the way."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
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


def draw_chains(
    attempt: Callable[[random.Random, Counter[str]], Chain | None], n: int, seed: int, start: int, tries: int
) -> SampleResult:
    """Draw chains by repeated attempts, each chain with a generator of its own number.

    Args:
        attempt: gives a chain, or notes why not and gives None.
        n: how many chains.
        seed: with a chain's number, seeds its generator.
        start: number of the first chain.
        tries: attempts for one chain.

    Raises:
        NoChainError: a chain took more attempts.
    """
    chains: list[Chain] = []
    rejects: Counter[str] = Counter()
    for index in range(start, start + n):
        rng = random.Random(f"{seed}/{index}")
        for _ in range(tries):
            chain = attempt(rng, rejects)
            if chain is not None:
                chains.append(chain)
                break
        else:
            counts = ", ".join(f"{reason}: {count}" for reason, count in sorted(rejects.items()))
            raise NoChainError(
                f"chain {index} of seed {seed} was not found in {tries} tries ({counts}); "
                f"raise max_attempts_per_chain, or allow shorter chains (min_tools)"
            )
    return SampleResult(tuple(chains), dict(sorted(rejects.items())), len(chains) + rejects.total())
