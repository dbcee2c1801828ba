"""Stage `synthesize`: grounded chains to conversations, `trajectories.jsonl` and `tools.json`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from pydantic import JsonValue

from envfactory.files import JsonlWriter, read_jsonl
from envfactory.pipeline.ledger import Ledger
from envfactory.pipeline.shards import make_shards
from envfactory.pipeline.stage import Stage, StageContext

SHARD = 25
"""Chains a shard."""


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Plan, write, check and play conversations until there are as many as wanted."""
    from envfactory.catalogue import backend
    from envfactory.dataset import write_tools
    from envfactory.environment import EnvironmentFailure
    from envfactory.gold import Gold
    from envfactory.querygen import Rejected, RulePlanner, RuleWriter, Synthesizer

    config = context.config
    environments = backend(config.domain.names())
    fewest, most = config.querygen.turn_calls
    planner = RulePlanner(fewest, most, config.scale.max_turns)
    synthesizer = Synthesizer(environments, planner, RuleWriter(), most)
    source = context.inputs["sample"] / "chains.jsonl"
    chains = int(context.metrics["sample"]["chains"])  # pyright: ignore[reportArgumentType]
    rows = enumerate(read_jsonl(source))

    def make(shard: int, ledger: Ledger) -> Iterator[Any]:
        nonlocal rows
        if next_row[0] > shard * SHARD:
            rows = enumerate(read_jsonl(source))
        for index, row in rows:
            next_row[0] = index + 1
            if index < shard * SHARD:
                continue
            rng = random.Random(f"{context.seed}/synthesize/{index}")
            gold = Gold.model_validate(row["gold"])
            ledger.count(calls=len(gold.calls))
            try:
                yield synthesizer.synthesize(gold, rng).model_dump(mode="json")
            except Rejected as error:
                ledger.count(**{f"dropped:{error.reason}": 1})
                context.log.debug("chain %d: %s", index, error)
            except EnvironmentFailure as error:
                ledger.count(infrastructure_failures=1)
                context.log.warning("chain %d: %s: %s", index, error.kind, error)
            if index + 1 == (shard + 1) * SHARD:
                return

    next_row = [0]
    shards = make_shards(context, "trajectories", -(-chains // SHARD), make)
    figures = _Figures()
    with JsonlWriter(context.output / "trajectories.jsonl") as writer:
        for row in islice((row for shard in shards for row in read_jsonl(shard)), config.scale.trajectories):
            writer.write(row)
            figures.add(row)
    write_tools(context.output / "tools.json", environments.specs)
    if figures.count < config.scale.trajectories:
        context.log.warning(
            "%d trajectories came of %d chains, %d were wanted", figures.count, chains, config.scale.trajectories
        )
    return {**figures.metrics(), "rejects": {**context.ledger.named("dropped")}}


class _Figures:
    """Counts over the trajectories that are kept."""

    def __init__(self) -> None:
        self.count = self.turns = self.steps = self.calls = 0
        self.lengths: Counter[int] = Counter()

    def add(self, row: Any) -> None:
        turns = row["candidates"][row["chosen"]]["turns"]
        self.count += 1
        self.turns += len(turns)
        self.lengths[len(turns)] += 1
        self.steps += sum(len(turn["steps"]) for turn in turns)
        self.calls += sum(len(step["calls"]) for turn in turns for step in turn["steps"])

    def metrics(self) -> dict[str, JsonValue]:
        return {
            "trajectories": self.count,
            "turns_mean": round(self.turns / max(1, self.count), 4),
            "steps_per_turn_mean": round(self.steps / max(1, self.turns), 4),
            "calls_mean": round(self.calls / max(1, self.count), 4),
            "turns_histogram": {str(turns): self.lengths[turns] for turns in sorted(self.lengths)},
        }


STAGE = Stage(
    name="synthesize",
    version=3,
    reads=("domain", "generator", "querygen.turn_calls", "scale.trajectories", "scale.max_turns", "seed"),
    takes=("sample",),
    modules=("envfactory.querygen", "envfactory.trajectory", "envfactory.gold"),
    run=run,
)
