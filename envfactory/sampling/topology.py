"""Topology-aware sampling (arXiv 2605.18703, section 3.2): chains in which every required input can be satisfied.

An input of a tool is valid iff it is optional, external, or produced earlier in the chain. To place a tool, each unmet
input is traced back along reverse edges to a random producer, which is placed first, at most `d_max` deep; with
probability `p` a prior tool is placed although the input is valid already. From each placed tool the chain goes on to
1..`k` random out-neighbours, until it has as many tools as it was meant to have. A start that cannot be completed is
dropped and counted by reason; a neighbour that cannot is left out, with all that was placed for it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from envfactory.sampling.adjacency import Adjacency, Fed, Slot, feed
from envfactory.sampling.chain import Chain
from envfactory.sampling.sampler import ChainSettings, SampleResult, draw_chains
from envfactory.toolgraph import ToolGraph

ACROSS = 0.2
"""Share of the choices that lead to another environment, where there is a choice: people finish one thing first."""

REPEATS = 2
"""A tool occurs at most this often in a chain, and again only if another call feeds it."""

STUCK = 4
"""Calls, picked at random, from which a chain that has run dry tries to go on before it ends."""


class TopologyParameters(ChainSettings, Protocol):
    """What the sampler is told; the configuration's group `sampler: topology` has these fields."""

    @property
    def d_max(self) -> int:
        """How deep an unmet input may be traced back to a producer."""
        ...

    @property
    def p(self) -> float:
        """Chance of adding a prior tool although the input is already valid."""
        ...

    @property
    def k(self) -> int:
        """At most this many out-neighbours a forward step."""
        ...


@dataclass(frozen=True, slots=True)
class TopologySettings:
    """`TopologyParameters` without a configuration."""

    d_max: int = 3
    p: float = 0.1
    k: int = 3
    min_tools: int = 2
    max_tools: int = 16
    max_environments: int = 2
    max_attempts_per_chain: int = 50


class Topology:
    """See the module docstring; a `Sampler`."""

    def __init__(self, graph: ToolGraph, settings: TopologyParameters) -> None:
        self.adjacency = Adjacency.of(graph)
        self.settings = settings

    def sample(self, n: int, seed: int, start: int = 0) -> SampleResult:
        """Draw chains; see `Sampler.sample`."""
        return draw_chains(self._attempt, n, seed, start, self.settings.max_attempts_per_chain)

    def _attempt(self, rng: random.Random, rejects: Counter[str]) -> Chain | None:
        if not self.adjacency.names:
            rejects["the graph has no tools"] += 1
            return None
        growing = Growing(self.adjacency, self.settings, rng)
        reason = growing.grow()
        if reason:
            rejects[reason] += 1
            return None
        return self.adjacency.chain(growing.tools, growing.fed)


class Growing:
    """One chain as it grows: `tools` and what feeds each; `trail` are the tools being placed, outermost first.

    Every choice is made at random; a sampler that chooses otherwise overrides `_start`, `_next`, `_entry`,
    `_producer` and `_fed`.
    """

    __slots__ = (
        "adjacency", "d_max", "fed", "k", "max_environments", "max_tools", "min_tools", "p", "slots", "tools", "trail",
        "uniform",
    )  # fmt: skip

    def __init__(self, adjacency: Adjacency, settings: TopologyParameters, rng: random.Random) -> None:
        self.adjacency, self.slots, self.uniform = adjacency, adjacency.slots, rng.random
        self.d_max, self.p, self.k = settings.d_max, settings.p, settings.k
        self.min_tools, self.max_tools = settings.min_tools, settings.max_tools
        self.max_environments = settings.max_environments
        self.tools: list[int] = []
        self.fed: list[Fed] = []
        self.trail: list[int] = []

    def _start(self) -> int:
        """The tool that the chain is begun with."""
        return int(self.uniform() * len(self.slots))

    def _next(self, source: int, options: list[int]) -> int:
        """Take one of the tools that a call of `source` can be followed by out of the list."""
        return options.pop(int(self.uniform() * len(options)))

    def _entry(self, source: int, after: int, paths: Sequence[str]) -> str:
        """One of the inputs by which a call of `source` may feed one of `after`."""
        return paths[int(self.uniform() * len(paths))]

    def _producer(self, consumer: int, slot: Slot, options: Sequence[int]) -> int:
        """One of the tools that may feed an input of a consumer."""
        return options[int(self.uniform() * len(options))]

    def _fed(self, tool: int, chosen: dict[str, int]) -> Fed:
        """What feeds the call of a tool that is placed now, by the producers chosen already."""
        return feed(self.slots[tool], self.tools, chosen, self.uniform)

    def grow(self) -> str:
        """Grow from a random tool to a random length; returns why it failed, or nothing."""
        uniform = self.uniform
        target = self.min_tools + int(uniform() * (self.max_tools - self.min_tools + 1))
        reason = self._place(self._start(), 0, {}, self.max_tools)
        if reason:
            return reason
        tools, reached, stuck = self.tools, 0, 0
        while len(tools) < target and stuck < STUCK:
            before = len(tools)
            if reached < before:
                source, reached = reached, reached + 1
            else:
                source, stuck = int(uniform() * before), stuck + 1
            self._forward(source, target)
            if len(tools) > before:
                stuck = 0
        return "" if len(tools) >= self.min_tools else "shorter than min_tools"

    def _forward(self, source: int, target: int) -> None:
        """Go on from a call to 1..k out-neighbours, in all to `target` tools at most."""
        tools, uniform, adjacency = self.tools, self.uniform, self.adjacency
        tool = tools[source]
        near, far, entries = adjacency.near[tool], adjacency.far[tool], adjacency.entries[tool]
        options = self._open(near, far) if far else near
        # Something new if there is any: a repeated call is rarely useful.
        options = [option for option in options if option not in tools] or list(options)
        for _ in range(1 + int(uniform() * self.k)):
            if not options or len(tools) >= target:
                return
            after = self._next(tool, options)
            if after in far and not self._enters(after):
                continue
            self._try(after, 0, {self._entry(tool, after, entries[after]): source}, target)

    def _try(self, tool: int, depth: int, chosen: dict[str, int], limit: int) -> bool:
        """Place a tool, or leave everything as it was."""
        before, trail = len(self.tools), len(self.trail)
        if not self._place(tool, depth, chosen, limit):
            return True
        del self.tools[before:], self.fed[before:], self.trail[trail:]
        return False

    def _place(self, tool: int, depth: int, chosen: dict[str, int], limit: int) -> str:
        """Place a tool after whatever it needs, within `limit` tools in all; returns why not, or nothing.

        After a failure some of what it needs may be left in place: the caller drops the chain, or goes back.
        """
        tools, slots, uniform = self.tools, self.slots[tool], self.uniform
        repeats = tools.count(tool)
        if repeats and (not slots or repeats >= REPEATS):
            return "a repeated call that nothing new feeds"
        self.trail.append(tool)
        for slot in slots:
            if slot.path in chosen:
                continue
            if slot.demanded and slot.sources.isdisjoint(tools):
                reason = self._trace(tool, slot, depth, limit)
                if reason:
                    return reason
                chosen[slot.path] = len(tools) - 1
            elif uniform() < self.p:
                self._add_prior(tool, slot, depth, chosen, limit)
        if len(tools) >= limit:
            return "longer than max_tools"
        fed = self._fed(tool, chosen)
        if repeats and not self._new(tool, fed):
            return "a repeated call that nothing new feeds"
        self.trail.pop()
        tools.append(tool)
        self.fed.append(fed)
        return ""

    def _trace(self, tool: int, slot: Slot, depth: int, limit: int) -> str:
        """Place a producer of an unmet input of a tool."""
        if depth >= self.d_max:
            return "an unmet input lies deeper than d_max"
        options = [t for t in self._open(slot.near, slot.far) if t not in self.trail]
        if not options:
            return "no producer of an unmet input is left"
        return self._place(self._producer(tool, slot, options), depth + 1, {}, limit)

    def _add_prior(self, tool: int, slot: Slot, depth: int, chosen: dict[str, int], limit: int) -> None:
        """Place one more producer of a valid input of a tool, if that can be done."""
        if depth >= self.d_max or len(self.tools) + len(self.trail) >= limit:
            return
        options = [t for t in self._open(slot.near, slot.far) if t not in self.trail and t not in self.tools]
        if options and self._try(self._producer(tool, slot, options), depth + 1, {}, limit):
            chosen[slot.path] = len(self.tools) - 1

    def _open(self, near: Sequence[int], far: Sequence[int]) -> Sequence[int]:
        """The tools that may be placed: near ones, or with probability ACROSS those of other environments."""
        if far and (not near or self.uniform() < ACROSS):
            return [tool for tool in far if self._enters(tool)] or near
        return near

    def _enters(self, tool: int) -> bool:
        """Whether the chain may call the tool's environment."""
        environments = self.adjacency.environments
        homes = {environments[other] for other in (*self.tools, *self.trail)}
        return environments[tool] in homes or len(homes) < self.max_environments

    def _new(self, tool: int, fed: Fed) -> bool:
        """Whether other calls feed a repeated call than fed each earlier one of the same tool."""
        sources = {(path, source) for path, source, _ in fed}
        for position, other in enumerate(self.tools):
            if other == tool and sources.issubset([(path, source) for path, source, _ in self.fed[position]]):
                return False
        return True
