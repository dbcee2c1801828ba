"""What holds over all environments together: of the tool graph, of chains, and of how many can be grounded.

python -m tests.catalogue.overall     measure anew; takes minutes and writes `overall.json` beside this file

The figures are the same on every machine. `docs/catalogue.md` shows them, a heavy test finds them again.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory.catalogue import backend, digests, environment_names
from envfactory.embedding import Lexical
from envfactory.files import read_json, write_json_atomic
from envfactory.sampling import Coverage, Sampler, Topology, TopologySettings, problems
from envfactory.sampling.batches import GroundedBatches, internal_inputs
from envfactory.sampling.grounding import Grounder, GroundingSettings
from envfactory.sampling.search import Ungroundable
from envfactory.toolgraph import Settings, ToolGraph, build_graph

FIGURES = Path(__file__).with_name("overall.json")
CHAINS = 10_000
GROUNDED = 1000
"""Chains that are grounded, of each sampler: the share is known to a percent."""

SETTINGS = TopologySettings(min_tools=7)
"""As the configuration has it."""


class Drawn(BaseModel):
    """What came of one sampler's chains.

    Attributes:
        chains: how many were drawn; `valid` of them pass the independent check.
        unused: tools that no chain calls.
        tried: how many of them were grounded, as stage `sample` does it; `grounded` of them could be.
        ungrounded: why the others could not: by reason.
        calls: of the tried chains; `kept` of these calls stand in golds.
        ungold: tools that no gold calls.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    chains: int
    valid: int
    unused: tuple[str, ...]
    tried: int
    grounded: int
    ungrounded: dict[str, int]
    calls: int
    kept: int
    ungold: tuple[str, ...]


class Overall(BaseModel):
    """The figures; those of the graph as `ToolGraph.statistics` has them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    environments: tuple[str, ...]
    tools: int
    edges: int
    edges_within: int
    edges_across: int
    proved: int
    isolated_tools: tuple[str, ...]
    drawn: dict[str, Drawn]


def measure() -> Overall:
    """Build the graph of all environments, draw chains and ground some."""
    names = environment_names()
    environments = backend(names)
    graph = build_graph(environments.specs.values(), Lexical(), Settings(), environments)
    statistics = {k: v for k, v in graph.statistics().items() if k in Overall.model_fields and k != "environments"}
    grounder = Grounder(environments, internal_inputs(graph), GroundingSettings(min_tools=SETTINGS.min_tools))
    samplers: dict[str, Sampler] = {"topology": Topology(graph, SETTINGS), "coverage": Coverage(graph, SETTINGS)}
    drawn = {
        name: draw(graph, sampler, GroundedBatches(sampler, graph, grounder, digests(names), 50, 0))
        for name, sampler in samplers.items()
    }
    return Overall(environments=names, drawn=drawn, **statistics)


def draw(graph: ToolGraph, sampler: Sampler, batches: GroundedBatches) -> Drawn:
    """Draw chains and ground the first ones."""
    chains = sampler.sample(CHAINS, 0).chains
    golds: list[tuple[str, ...]] = []
    reasons: Counter[str] = Counter()
    for number, chain in enumerate(chains[:GROUNDED]):
        try:
            golds.append(batches.grounded(chain, random.Random(f"overall/{number}")).chain.tools)
        except Ungroundable as error:
            reasons[f"{error.tool}: {error.reason}"] += 1
    return Drawn(
        chains=len(chains),
        valid=sum(not problems(chain, graph, SETTINGS) for chain in chains),
        unused=_without(graph, [chain.tools for chain in chains]),
        tried=GROUNDED,
        grounded=len(golds),
        ungrounded=dict(sorted(reasons.items())),
        calls=sum(len(chain.tools) for chain in chains[:GROUNDED]),
        kept=sum(map(len, golds)),
        ungold=_without(graph, golds),
    )


def recorded() -> Overall:
    """The figures as they were found last."""
    return Overall.model_validate(read_json(FIGURES), strict=False)


def _without(graph: ToolGraph, chains: list[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted(graph.by_tool.keys() - {tool for tools in chains for tool in tools}))


if __name__ == "__main__":
    write_json_atomic(FIGURES, measure().model_dump(mode="json"))
    print(FIGURES)
