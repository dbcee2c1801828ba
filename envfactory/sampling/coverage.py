"""Coverage sampling: as `topology`, but every choice falls on what has been used least, so that use is even.

Random choices converge on the tools that many others feed, and so does a policy that learns from their chains. Here a
chain begins with the tool that the earlier chains called least; an unmet input is fed by the producer, and that one's
output, which fed it least; and from a call the chain goes on to the neighbours that followed it least. Of several the
least called one is taken, of several still a random one. What makes a chain valid is `topology`'s own.

What "earlier" means is bounded, so that a chain depends on graph, settings, seed and its number alone: chains come in
blocks of `BLOCK`, and each block counts from nothing. A chain whose block was not drawn up to it is drawn with those
before it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from envfactory.sampling.adjacency import Adjacency, Fed, Slot
from envfactory.sampling.chain import Chain
from envfactory.sampling.sampler import NoChainError, SampleResult, draw_chains
from envfactory.sampling.topology import Growing, TopologyParameters
from envfactory.toolgraph import ToolGraph

BLOCK = 1000
"""Chains that are drawn with regard to each other: as many as one shard of grounded chains may try."""


class Coverage:
    """See the module docstring; a `Sampler`."""

    def __init__(self, graph: ToolGraph, settings: TopologyParameters) -> None:
        self.adjacency = Adjacency.of(graph)
        self.settings = settings
        self._block = _Block(self.adjacency, settings, 0, 0)

    def sample(self, n: int, seed: int, start: int = 0) -> SampleResult:
        """Draw chains; see `Sampler.sample`."""
        chains: list[Chain] = []
        rejects: Counter[str] = Counter()
        for index in range(start, start + n):
            if (seed, index // BLOCK) != (self._block.seed, self._block.number):
                self._block = _Block(self.adjacency, self.settings, seed, index // BLOCK)
            drawn = self._block.chain(index % BLOCK)
            chains += drawn.chains
            rejects.update(drawn.rejects)
        return SampleResult(tuple(chains), dict(sorted(rejects.items())), len(chains) + rejects.total())


class _Block:
    """The chains of a block, as far as they are drawn, and what has been chosen in them how often.

    What was chosen in vain counts as used: or a tool that cannot be placed would be tried for ever.

    Attributes:
        calls: of each tool, and chains that could not be begun with it.
        fed: how often a tool was to feed an input: producer, consumer, input.
        followed: how often a tool was to follow another: tool, follower.
        edges: how often an edge was used: producer, output, consumer, input.
    """

    def __init__(self, adjacency: Adjacency, settings: TopologyParameters, seed: int, number: int) -> None:
        self.adjacency, self.settings, self.seed, self.number = adjacency, settings, seed, number
        self.drawn: list[SampleResult | NoChainError] = []
        self.calls = [0] * len(adjacency.names)
        self.fed: Counter[tuple[int, int, str]] = Counter()
        self.followed: Counter[tuple[int, int]] = Counter()
        self.edges: Counter[tuple[int, str, int, str]] = Counter()

    def chain(self, place: int) -> SampleResult:
        """The chain at a place of the block.

        Raises:
            NoChainError: it was not found; those after it may be.
        """
        while len(self.drawn) <= place:
            index = self.number * BLOCK + len(self.drawn)
            tries = self.settings.max_attempts_per_chain
            try:
                self.drawn.append(draw_chains(self._attempt, 1, self.seed, index, tries))
            except NoChainError as error:
                self.drawn.append(error)
        drawn = self.drawn[place]
        if isinstance(drawn, NoChainError):
            raise drawn
        return drawn

    def _attempt(self, rng: random.Random, rejects: Counter[str]) -> Chain | None:
        if not self.adjacency.names:
            rejects["the graph has no tools"] += 1
            return None
        growing = _Even(self, rng)
        reason = growing.grow()
        if reason:
            rejects[reason] += 1
            self.calls[growing.first] += 1
            return None
        for tool, fed in zip(growing.tools, growing.fed, strict=True):
            self.calls[tool] += 1
            self.edges.update((growing.tools[source], output, tool, path) for path, source, output in fed)
        return self.adjacency.chain(growing.tools, growing.fed)


class _Even(Growing):
    """A chain that grows by what was used least."""

    __slots__ = ("block", "first")

    def __init__(self, block: _Block, rng: random.Random) -> None:
        super().__init__(block.adjacency, block.settings, rng)
        self.block = block
        self.first = 0

    def _start(self) -> int:
        self.first = self._least([(count, tool) for tool, count in enumerate(self.block.calls)])
        return self.first

    def _next(self, source: int, options: list[int]) -> int:
        calls, followed = self.block.calls, self.block.followed
        after = self._least([(followed[source, option], calls[option], option) for option in options])
        options.remove(after)
        followed[source, after] += 1
        return after

    def _entry(self, source: int, after: int, paths: Sequence[str]) -> str:
        fed = self.block.fed
        path = min(paths, key=lambda path: (fed[source, after, path], path))
        fed[source, after, path] += 1
        return path

    def _producer(self, consumer: int, slot: Slot, options: Sequence[int]) -> int:
        calls, fed, path = self.block.calls, self.block.fed, slot.path
        producer = self._least([(fed[option, consumer, path], calls[option], option) for option in options])
        fed[producer, consumer, path] += 1
        return producer

    def _fed(self, tool: int, chosen: dict[str, int]) -> Fed:
        edges = self.block.edges
        outputs = {slot.path: slot.outputs for slot in self.slots[tool]}
        found: Fed = []
        for path, source, _ in super()._fed(tool, chosen):
            producer = self.tools[source]
            least = min(outputs[path][producer], key=lambda output: (edges[producer, output, tool, path], output))
            found.append((path, source, least))
        return found

    def _least(self, options: Sequence[tuple[int, ...]]) -> int:
        """The option, last of each tuple, whose figures are least; one of them at random."""
        least = min(options)[:-1]
        alike = [option for *figures, option in options if tuple(figures) == least]
        return alike[int(self.uniform() * len(alike))]
