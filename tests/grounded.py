"""Gold programs over the whole catalogue, drawn as a run draws them; golds replayed and made conversations by rules."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache

from envfactory.catalogue import backend, digests, environment_names
from envfactory.embedding import Lexical
from envfactory.environment import Backend, InProcess, Session
from envfactory.gold import Gold, replay
from envfactory.pipeline.ledger import Ledger
from envfactory.querygen import Rejected, RulePlanner, RuleWriter, Synthesizer
from envfactory.querygen.program import Program
from envfactory.querygen.refine import RuleRefiner
from envfactory.sampling import Topology, TopologySettings
from envfactory.sampling.batches import GroundedBatches, internal_inputs
from envfactory.sampling.grounding import Grounder
from envfactory.toolgraph import Settings, ToolGraph, build_graph
from envfactory.trajectory import Trajectory


@cache
def catalogue() -> InProcess:
    return backend(environment_names())


@cache
def _graph(names: tuple[str, ...]) -> ToolGraph:
    specs = [catalogue().specs[name] for name in names]
    return build_graph(specs, Lexical(), Settings(prove=False), catalogue())


def grounded_golds(count: int, seed: int, *names: str) -> list[Gold]:
    """The golds of as many chains, in worlds of 50 records a table; of some environments only, if any are named."""
    graph = _graph(names or tuple(environment_names()))
    grounder = Grounder(catalogue(), internal_inputs(graph))
    sampler = Topology(graph, TopologySettings())
    batches = GroundedBatches(sampler, graph, grounder, digests(names or environment_names()), 50, seed)
    return [Gold.model_validate(row["gold"]) for row in batches.rows(0, count, Ledger())]


def replayed(environments: Backend, gold: Gold) -> Program:
    """The program of a gold."""
    with Session(environments, gold.reference) as session:
        bases = session.documents()
        run = replay(gold, session)
        return Program(gold, session.specs, run.calls, run.outputs, bases)


def conversations(golds: Sequence[Gold]) -> tuple[list[Trajectory], Counter[str]]:
    """Conversations about golds by rules, with all refinements, and how many were rejected, by reason."""
    roles = Synthesizer(catalogue(), RulePlanner(turns=6), RuleWriter(), refiner=RuleRefiner(catalogue()))
    made: list[Trajectory] = []
    rejects: Counter[str] = Counter()
    for number, gold in enumerate(golds):
        try:
            made.append(roles.synthesize(gold, random.Random(number)))
        except Rejected as error:
            rejects[error.reason] += 1
    return made, rejects
