"""Stage `sample`: chains from the graph, grounded in scenarios, `chains.jsonl`; and how varied they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import JsonValue

from envfactory.pipeline.ledger import Ledger
from envfactory.pipeline.shards import join, make_shards
from envfactory.pipeline.stage import Stage, StageContext, StageError

SHARD = 25
"""Grounded chains a shard."""
COMPARED = 1000
"""Chains that each sampler draws to be compared."""


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Ground as many chains as the trajectories need, with some to spare."""
    from envfactory.catalogue import backend
    from envfactory.sampling.batches import GroundedBatches, compare_samplers, internal_inputs, make_sampler
    from envfactory.sampling.grounding import Grounder, GroundingSettings
    from envfactory.toolgraph import ToolGraph

    config = context.config
    graph = ToolGraph.load(context.inputs["graph"] / "tool_graph.json")
    bounds = GroundingSettings(
        config.querygen.grounding_draws,
        config.querygen.grounding_backtracks,
        config.sampler.min_tools,
        config.sampler.max_tools,
    )
    batches = GroundedBatches(
        make_sampler(graph, config.sampler.kind, config.sampler),
        graph,
        Grounder(backend(config.domain.chosen()), internal_inputs(graph), bounds),
        context.environments,
        config.scale.scenario_size,
        context.seed,
    )
    count = -(-int(config.scale.trajectories * config.querygen.chains_per_trajectory) // SHARD)

    def make(shard: int, ledger: Ledger) -> Iterator[Any]:
        yield from batches.rows(shard, SHARD, ledger)

    try:
        join(make_shards(context, "chains", count, make), context.output / "chains.jsonl")
    except ValueError as error:
        raise StageError(str(error)) from error
    rejects = context.ledger.named("dropped")
    compared = compare_samplers(graph, config.sampler.kind, config.sampler, COMPARED, context.seed)
    diversity: dict[str, JsonValue] = {**compared}
    return {
        "chains": count * SHARD,
        "attempts": count * SHARD + sum(rejects.values()),
        "rejects": {**rejects},
        "left_out": {**context.ledger.named("left_out")},
        "diversity": diversity,
    }


STAGE = Stage(
    name="sample",
    version=9,
    reads=(
        "domain", "sampler", "scale.trajectories", "scale.scenario_size", "seed",
        "querygen.grounding_draws", "querygen.grounding_backtracks", "querygen.chains_per_trajectory",
    ),
    takes=("graph",),
    modules=("envfactory.sampling", "envfactory.gold"),
    run=run,
)  # fmt: skip
