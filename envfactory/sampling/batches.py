"""Grounded chains in batches: what stage `sample` writes, each batch by its number alone."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Literal, Protocol

from envfactory.environment import Reference
from envfactory.sampling.chain import Chain
from envfactory.sampling.coverage import Coverage
from envfactory.sampling.diversity import diversity
from envfactory.sampling.grounding import Grounded, Grounder
from envfactory.sampling.mending import Mender
from envfactory.sampling.random_walk import RandomWalk
from envfactory.sampling.sampler import ChainSettings, NoChainError, Sampler
from envfactory.sampling.search import Ungroundable
from envfactory.sampling.sense import gathered
from envfactory.sampling.topology import Topology, TopologyParameters
from envfactory.sampling.validity import problems
from envfactory.toolgraph import ToolGraph

TRIES_PER_CHAIN = 40
"""Chains sampled for each grounded one, at most, before a batch gives up and says so."""

WAYS = 8
"""Scenarios in which a chain is tried, each time with other look-ups where the last had no values."""


class Counts(Protocol):
    """Where a batch counts what it spends and drops."""

    def count(self, **amounts: float) -> None:
        """Add amounts by name."""
        ...


SamplerKind = Literal["topology", "coverage", "random_walk"]


def make_sampler(graph: ToolGraph, kind: SamplerKind, settings: ChainSettings | TopologyParameters) -> Sampler:
    """The sampler of a kind, whose settings these are."""
    if kind == "random_walk":
        return RandomWalk(graph, settings)
    return (Topology if kind == "topology" else Coverage)(graph, settings)  # pyright: ignore[reportArgumentType]


class GroundedBatches:
    """Samples chains and grounds them, each in a scenario of its own."""

    def __init__(
        self, sampler: Sampler, graph: ToolGraph, grounder: Grounder, digests: Mapping[str, str], size: int, seed: int
    ) -> None:
        """Prepare.

        Args:
            sampler: draws chains by number.
            graph: what it draws from; chains that its links do not satisfy are dropped.
            grounder: executes them.
            digests: source digest of each environment, for the references.
            size: of the scenarios.
            seed: decides chains, scenarios and values.
        """
        self.sampler, self.graph, self.grounder = sampler, graph, grounder
        self.digests, self.size, self.seed = digests, size, seed
        self.mender = Mender(graph, grounder.specs, grounder.settings.max_tools)

    def rows(self, batch: int, count: int, counts: Counts) -> Iterator[dict[str, Any]]:
        """The grounded chains of a batch: number of the chain, its tools and links, its gold program.

        Raises:
            ValueError: too few chains could be grounded; the message counts why.
        """
        rng = random.Random(f"{self.seed}/ground/{batch}")
        first = batch * count * TRIES_PER_CHAIN
        found = 0
        dropped: dict[str, int] = {}
        for number in range(first, first + count * TRIES_PER_CHAIN):
            if found == count:
                break
            sampled = self.sampler.sample(1, self.seed, number)
            reasons = dict(sampled.rejects)
            try:
                grounded = self.grounded(sampled.chains[0], rng)
            except Ungroundable as error:
                reasons[error.reason] = reasons.get(error.reason, 0) + 1
            else:
                found += 1
                yield {
                    "chain": number,
                    "tools": list(grounded.chain.tools),
                    "links": [asdict(link) for link in grounded.chain.links],
                    "gold": grounded.gold.model_dump(mode="json"),
                }
                counts.count(calls=len(grounded.chain.tools))
                counts.count(**{f"left_out:{reason}": times for reason, times in grounded.left_out.items()})
            for reason, times in reasons.items():
                dropped[reason] = dropped.get(reason, 0) + times
                counts.count(**{f"dropped:{reason}": times})
        if found < count:
            why = ", ".join(f"{reason} {times}" for reason, times in sorted(dropped.items()))
            raise ValueError(
                f"batch {batch}: of {count * TRIES_PER_CHAIN} chains only {found} could be grounded ({why})"
            )

    def grounded(self, chain: Chain, rng: random.Random) -> Grounded:
        """Mend a chain and ground it; what found no value in one scenario is looked up another way in the next.

        Raises:
            Ungroundable: it found no values in `WAYS` scenarios.
        """
        chain = gathered(self.mender.mend(chain, rng))
        for left in reversed(range(WAYS)):
            try:
                grounded = self.grounder.ground(chain, self._reference(chain, rng), rng)
            except Ungroundable as error:
                if not left:
                    raise
                chain = gathered(self.mender.rerouted(chain, error.faults, rng, error.failed))
            else:
                if not problems(grounded.chain, self.graph):
                    return grounded
                break
        raise Ungroundable("invalid", chain.tools[0], "the chain does not satisfy its inputs")

    def _reference(self, chain: Chain, rng: random.Random) -> Reference:
        environments = {name: self.digests[name] for name in sorted(chain.environments)}
        return Reference(environments=environments, seed=rng.randrange(10**6), size=self.size)


def internal_inputs(graph: ToolGraph) -> set[tuple[str, str]]:
    """Arguments that the system makes: wire name and input path."""
    return {(node.tool, leaf.path) for node in graph.tools for leaf in node.inputs if leaf.kind == "internal"}


def compare_samplers(
    graph: ToolGraph, kind: SamplerKind, settings: ChainSettings | TopologyParameters, count: int, seed: int
) -> dict[str, dict[str, Any]]:
    """Diversity of the sampler that is used beside topology and the baseline, over `count` chains each.

    All are drawn with the same bounds. A sampler that finds too few chains in this graph is left out: random walks end
    early where there are few tools. So is topology where the settings are not for it.
    """
    samplers = {k: make_sampler(graph, k, settings) for k in ("topology", kind) if hasattr(settings, "d_max")}
    samplers["random_walk"] = RandomWalk(graph, settings, keep_invalid=True)
    found: dict[str, dict[str, Any]] = {}
    for name, sampler in samplers.items():
        with suppress(NoChainError):
            found[name] = diversity(sampler.sample(count, seed).chains, graph)
    return found
