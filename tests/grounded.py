"""Gold programs over the whole catalogue, drawn as a run draws them."""

from __future__ import annotations

from envfactory.catalogue import digests, environment_names
from envfactory.embedding import Lexical
from envfactory.environment import InProcess
from envfactory.gold import Gold
from envfactory.pipeline.ledger import Ledger
from envfactory.sampling import Topology, TopologySettings
from envfactory.sampling.batches import GroundedBatches, internal_inputs
from envfactory.sampling.grounding import Grounder
from envfactory.toolgraph import Settings, build_graph


def grounded_golds(environments: InProcess, count: int, seed: int) -> list[Gold]:
    """The golds of as many chains, in worlds of 50 records a table."""
    graph = build_graph(environments.specs.values(), Lexical(), Settings(prove=False), environments)
    grounder = Grounder(environments, internal_inputs(graph))
    batches = GroundedBatches(
        Topology(graph, TopologySettings()), graph, grounder, digests(environment_names()), 50, seed
    )
    return [Gold.model_validate(row["gold"]) for row in batches.rows(0, count, Ledger())]
