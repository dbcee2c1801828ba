"""Stage `synthesize`: grounded chains to conversations, `trajectories.jsonl` and `tools.json`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from envfactory.files import JsonlWriter, read_jsonl
from envfactory.pipeline.ledger import Ledger
from envfactory.pipeline.shards import make_shards
from envfactory.pipeline.stage import Stage, StageContext

if TYPE_CHECKING:
    from envfactory.environment import Backend
    from envfactory.querygen import Synthesizer

SHARD = 25
"""Chains a shard."""


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Plan, write, check, play and choose conversations until there are as many as wanted."""
    from envfactory.catalogue import backend
    from envfactory.dataset import write_tools
    from envfactory.querygen import RequestFigures

    config = context.config
    environments = backend(config.domain.names())
    synthesizer = _synthesizer(context, environments)
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
            yield from _trajectory(context, synthesizer, index, row, ledger)
            if index + 1 == (shard + 1) * SHARD:
                return

    next_row = [0]
    shards = make_shards(context, "trajectories", -(-chains // SHARD), make)
    figures, requests = _Figures(), RequestFigures(environments.specs)
    with JsonlWriter(context.output / "trajectories.jsonl") as writer:
        for row in islice((row for shard in shards for row in read_jsonl(shard)), config.scale.trajectories):
            writer.write(row)
            figures.add(row)
            requests.add(row)
    write_tools(context.output / "tools.json", environments.specs)
    if figures.count < config.scale.trajectories:
        context.log.warning(
            "%d trajectories came of %d chains, %d were wanted; raise querygen.chains_per_trajectory for more chains",
            figures.count, chains, config.scale.trajectories,
        )  # fmt: skip
    return {
        **figures.metrics(),
        "requests": requests.metrics(),
        "refinements_undone": {**context.ledger.named("undone")},
        "rejects": {**context.ledger.named("dropped")},
    }


def _synthesizer(context: StageContext, environments: Backend) -> Synthesizer:
    """The roles that the configuration asks for."""
    from envfactory.querygen import (
        Difficulty,
        Imperfections,
        Masker,
        RuleAssistant,
        RulePlanner,
        RuleWriter,
        Synthesizer,
    )
    from envfactory.querygen.refine import RefinementSettings, RuleRefiner

    querygen = context.config.querygen
    refinements = RefinementSettings.model_validate(context.config.refinement.model_dump())
    most_turns = context.config.scale.max_turns
    fewest, most = querygen.turn_calls
    return Synthesizer(
        environments,
        RulePlanner(fewest, most, most_turns),
        RuleWriter(),
        most,
        refiner=RuleRefiner(environments, refinements, most, most_turns),
        assistant=RuleAssistant(environments, Imperfections(**querygen.imperfections.model_dump())),
        masker=Masker(environments.specs, querygen.mask_variations) if querygen.mask_variations else None,
        candidates=querygen.candidates,
        difficulty=Difficulty(*querygen.difficulty),
    )


def _trajectory(context: StageContext, synthesizer: Synthesizer, index: int, row: Any, ledger: Ledger) -> Iterator[Any]:
    """The trajectory of a chain, if it becomes one; what it cost, or why it did not, is counted."""
    from envfactory.environment import EnvironmentFailure
    from envfactory.gold import Gold
    from envfactory.querygen import Rejected

    gold = Gold.model_validate(row["gold"])
    ledger.count(calls=len(gold.calls))
    try:
        story = synthesizer.story(gold, random.Random(f"{context.seed}/synthesize/{index}"))
        ledger.count(**{f"undone:{kind}": count for kind, count in Counter(story.undone).items()})
        yield story.trajectory.model_dump(mode="json")
    except Rejected as error:
        ledger.count(**{f"dropped:{error.reason}": 1})
        context.log.debug("chain %d: %s", index, error)
    except EnvironmentFailure as error:
        ledger.count(infrastructure_failures=1)
        context.log.warning("chain %d: %s: %s", index, error.kind, error)


class _Figures:
    """Counts over the trajectories that are kept; conversations are those that are learned from."""

    def __init__(self) -> None:
        self.count = self.turns = self.steps = self.calls = self.masked = 0
        self.lengths: Counter[int] = Counter()
        self.rates: Counter[float] = Counter()
        self.labels: Counter[str] = Counter()

    def add(self, row: Any) -> None:
        chosen = row["candidates"][row["chosen"]]
        turns = (row["cleaned"] or chosen)["turns"]
        self.count += 1
        self.turns += len(turns)
        self.lengths[len(turns)] += 1
        self.rates[round(row["pass_rate"], 4)] += 1
        self.steps += sum(len(turn["steps"]) for turn in turns)
        self.calls += sum(len(step["calls"]) for turn in turns for step in turn["steps"])
        self.labels.update(step["label"] for turn in chosen["turns"] for step in turn["steps"])
        self.masked += sum(len(call["masked"]) for call in row["gold"]["calls"])

    def metrics(self) -> dict[str, JsonValue]:
        passed = sum(rate * count for rate, count in self.rates.items())
        return {
            "trajectories": self.count,
            "turns_mean": round(self.turns / max(1, self.count), 4),
            "steps_per_turn_mean": round(self.steps / max(1, self.turns), 4),
            "calls_mean": round(self.calls / max(1, self.count), 4),
            "pass_rate_mean": round(passed / max(1, self.count), 4),
            "masked_arguments": self.masked,
            "steps_hidden": self.labels["hide"],
            "steps_removed": self.labels["remove"],
            "turns_histogram": {str(turns): self.lengths[turns] for turns in sorted(self.lengths)},
            "pass_rate_histogram": {str(rate): self.rates[rate] for rate in sorted(self.rates)},
        }


STAGE = Stage(
    name="synthesize",
    version=4,
    reads=(
        "domain", "generator", "refinement", "querygen.turn_calls", "querygen.candidates", "querygen.difficulty",
        "querygen.mask_variations", "querygen.imperfections", "scale.trajectories", "scale.max_turns",
        "seed",
    ),
    takes=("sample",),
    modules=(
        "envfactory.querygen", "envfactory.trajectory", "envfactory.gold",
        "envfactory.reward.matching", "envfactory.sampling.picks",
    ),
    run=run,
)  # fmt: skip
