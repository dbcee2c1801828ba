"""The baseline: a uniform random walk along the edges between tools, which knows nothing of inputs.

Demanded inputs are linked to earlier tools wherever one happens to produce them; a walk that leaves one unmet is
dropped and counted, so `rejects` against `attempts` is the share of invalid walks. With `keep_invalid` they are kept,
as the baseline's own output.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from envfactory.sampling.adjacency import Adjacency, Fed, feed, pick
from envfactory.sampling.chain import Chain
from envfactory.sampling.sampler import ChainSettings, SampleResult, draw_chains
from envfactory.toolgraph import ToolGraph


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """`ChainSettings` without a configuration."""

    min_tools: int = 2
    max_tools: int = 16
    max_environments: int = 2
    max_attempts_per_chain: int = 200


class RandomWalk:
    """See the module docstring; a `Sampler`."""

    def __init__(self, graph: ToolGraph, settings: ChainSettings, *, keep_invalid: bool = False) -> None:
        self.adjacency = Adjacency.of(graph)
        self.settings = settings
        self.keep_invalid = keep_invalid

    def sample(self, n: int, seed: int, start: int = 0) -> SampleResult:
        """Draw chains; see `Sampler.sample`."""
        return draw_chains(self._attempt, n, seed, start, self.settings.max_attempts_per_chain)

    def _attempt(self, rng: random.Random, rejects: Counter[str]) -> Chain | None:
        adjacency, settings = self.adjacency, self.settings
        if not adjacency.names:
            rejects["the graph has no tools"] += 1
            return None
        target = rng.randint(settings.min_tools, settings.max_tools)
        tools: list[int] = []
        fed: list[Fed] = []
        tool = int(rng.random() * len(adjacency.names))
        while True:
            paths = adjacency.entries[tools[-1]][tool] if tools else ()
            chosen = {pick(paths, rng): len(tools) - 1} if paths else {}
            fed.append(feed(adjacency.slots[tool], tools, chosen, rng.random))
            tools.append(tool)
            options = adjacency.near[tool] + adjacency.far[tool]
            homes = {adjacency.environments[tool] for tool in tools}
            if len(homes) >= settings.max_environments:
                options = tuple(option for option in options if adjacency.environments[option] in homes)
            if len(tools) >= target or not options:
                break
            tool = pick(options, rng)
        if len(tools) < settings.min_tools:
            rejects["shorter than min_tools"] += 1
            return None
        if not self.keep_invalid and any(self._unmet(tool, call) for tool, call in zip(tools, fed, strict=True)):
            rejects["an unmet input"] += 1
            return None
        return adjacency.chain(tools, fed)

    def _unmet(self, tool: int, fed: Fed) -> bool:
        met = {path for path, _, _ in fed}
        return any(slot.demanded and slot.path not in met for slot in self.adjacency.slots[tool])
