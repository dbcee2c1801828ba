"""Stage `synthesize`: grounded chains to conversations, `trajectories.jsonl` and `tools.json`."""

from __future__ import annotations

import logging
import random
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import JsonValue

from envfactory.config import Config
from envfactory.config.generator import ModelsConfig
from envfactory.files import JsonlWriter, read_jsonl, read_lines
from envfactory.pipeline.ahead import Ahead
from envfactory.pipeline.crew import Crew, crew_size
from envfactory.pipeline.ledger import Ledger
from envfactory.pipeline.shards import make_shards
from envfactory.pipeline.stage import Stage, StageContext, StageError
from envfactory.pipeline.voices import open_voice, workers

if TYPE_CHECKING:
    from envfactory.environment import Backend
    from envfactory.llm.voice import Voice
    from envfactory.querygen import Synthesizer

SHARD = 25
"""Chains a shard, by rules; by a model, which is paid for each, a shard is one chain."""

PARTS = ("planner", "writer", "refiner", "user", "assistant", "judge")
"""The roles of a conversation."""


@dataclass(frozen=True)
class Job:
    """What decides the trajectories, `size` chains a shard; goes to other processes as it is."""

    config: Config
    chains: Path
    size: int = SHARD


@dataclass(slots=True)
class Made:
    """A shard: the JSON of its trajectories, what they cost, and what is to be logged (level and text)."""

    rows: list[bytes] = field(default_factory=list[bytes])
    costs: Ledger = field(default_factory=Ledger)
    notes: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def drop(self, index: int, reason: str, error: Exception) -> None:
        """Count a chain that does not become a conversation."""
        self.costs.count(**{f"dropped:{reason}": 1})
        self.notes.append((logging.DEBUG, f"chain {index}: {error}"))


class Maker:
    """Plans, writes, refines, checks, plays and chooses the conversations of a shard; threads may share it."""

    def __init__(self, job: Job, voice: Voice | None = None) -> None:
        """Put the roles together that the configuration asks for.

        Args:
            job: what to make.
            voice: the model that plays some of them.
        """
        from envfactory.catalogue import backend

        self.job, self.voice = job, voice
        self.synthesizer = _synthesizer(job.config, backend(job.config.domain.chosen()), voice)
        self._rows = read_jsonl(job.chains)
        self._next = 0
        self._reading = threading.Lock()

    def __call__(self, shard: int) -> Made:
        """Make a shard, by its number and nothing else."""
        made = Made()
        for index, row in self._chains(range(shard * self.job.size, (shard + 1) * self.job.size)):
            with self.voice.making(name_of(index)) if self.voice else nullcontext(Counter[str]()) as answers:
                self._conversation(made, index, row)
            # With the shard, so that they are there for a run that finds it standing.
            made.costs.count(**{f"answers:{name}": count for name, count in answers.items()})
        return made

    def close(self) -> None:
        """Close the file of the chains; whoever still makes a shard finds no more of them."""
        with self._reading:
            self._rows.close()

    def _chains(self, wanted: range) -> list[tuple[int, Any]]:
        """Read on to some chains; from the beginning if others were read further already."""
        found: list[tuple[int, Any]] = []
        with self._reading:
            if self._next > wanted.start:
                self._rows.close()
                self._rows, self._next = read_jsonl(self.job.chains), 0
            for index, row in enumerate(self._rows, self._next):
                self._next = index + 1
                if index in wanted:
                    found.append((index, row))
                if self._next == wanted.stop:
                    break
        return found

    def _conversation(self, made: Made, index: int, row: Any) -> None:
        """Make the conversation of a chain, if it becomes one."""
        from envfactory.environment import EnvironmentFailure
        from envfactory.gold import Gold
        from envfactory.llm import AnswerError, ContextExceeded
        from envfactory.querygen import Rejected

        gold = Gold.model_validate(row["gold"])
        made.costs.count(calls=len(gold.calls))
        try:
            story = self.synthesizer.story(gold, random.Random(f"{self.job.config.seed}/synthesize/{index}"))
            made.costs.count(**{f"undone:{kind}": count for kind, count in Counter(story.undone).items()})
            # As text: it is what is written, and what goes from process to process with the least work.
            made.rows.append(story.trajectory.model_dump_json().encode())
        except Rejected as error:
            made.drop(index, error.reason, error)
        except AnswerError as error:
            made.drop(index, "unanswered", error)
        except ContextExceeded as error:
            made.drop(index, "too_long_for_the_model", error)
        except EnvironmentFailure as error:
            made.costs.count(infrastructure_failures=1)
            made.notes.append((logging.WARNING, f"chain {index}: {error.kind}: {error}"))


def name_of(chain: int) -> str:
    """What a trajectory is called while it is made."""
    return f"chain-{chain:06d}"


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Make conversations until there are as many as wanted."""
    from envfactory.catalogue import backend
    from envfactory.dataset import write_tools
    from envfactory.querygen import RequestFigures

    config = context.config
    chains = int(context.metrics["sample"]["chains"])  # pyright: ignore[reportArgumentType]
    specs = backend(config.domain.chosen()).specs
    figures, requests = _Figures(), RequestFigures(specs)
    with ExitStack() as stack:
        speaking = stack.enter_context(open_voice(context, "synthesize", *PARTS))
        job = Job(config, context.inputs["sample"] / "chains.jsonl", 1 if speaking.voice else SHARD)
        count = -(-chains // job.size)
        processes = crew_size(config.querygen.processes, count)
        if speaking.voice:
            maker = stack.enter_context(closing(Maker(job, speaking.voice)))
            take = stack.enter_context(
                Ahead(
                    maker,
                    count,
                    workers(config),
                    wanted=lambda: config.scale.trajectories - figures.count,
                    gives=lambda made: len(made.rows),
                )
            ).take
        elif processes == 1:
            take = stack.enter_context(closing(Maker(job)))
        else:
            take = stack.enter_context(Crew(Maker, job, processes, count)).take

        def make(shard: int, ledger: Ledger) -> Iterator[Any]:
            made = take(shard)
            ledger.add(made.costs.total())
            for level, text in made.notes:
                context.log.log(level, "%s", text)
            yield from made.rows

        shards = make_shards(context, "trajectories", count, make)
        writer = stack.enter_context(JsonlWriter(context.output / "trajectories.jsonl"))
        made = ((number, line) for number, shard in enumerate(shards) for line in read_lines(shard))
        for number, line in islice(made, config.scale.trajectories):
            writer.write_line(line)
            row = orjson.loads(line)
            figures.add(row)
            requests.add(row)
            # With a model a shard is one chain, and has its number.
            speaking.accept(row["id"], name_of(number))
        answers = speaking.metrics(context.ledger.named("answers"))
    write_tools(context.output / "tools.json", specs)
    if not figures.count:
        reasons = ", ".join(f"{reason} {count}" for reason, count in context.ledger.named("dropped").items())
        raise StageError(f"of {chains} chains no trajectory came: {reasons or 'infrastructure failed, see the log'}")
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
        **answers,
    }


def _synthesizer(config: Config, environments: Backend, voice: Voice | None) -> Synthesizer:
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
    from envfactory.querygen.choose import RuleJudge
    from envfactory.querygen.refine import RefinementSettings, RuleRefiner
    from envfactory.querygen.roles import Roles

    querygen = config.querygen
    refinements = RefinementSettings.model_validate(config.refinement.model_dump())
    most_turns = config.scale.max_turns
    fewest, most = querygen.turn_calls
    planner = RulePlanner(fewest, most, most_turns)
    roles = Roles(
        planner=planner,
        writer=RuleWriter(),
        refiner=RuleRefiner(environments, refinements, most, most_turns),
        assistant=RuleAssistant(environments, Imperfections(**querygen.imperfections.model_dump())),
        judge=RuleJudge(),
    )
    if voice is not None and isinstance(config.generator, ModelsConfig):
        roles = roles.with_model(voice, config.generator, planner, environments)
    return Synthesizer(
        environments,
        roles.planner,
        roles.writer,
        most,
        refiner=roles.refiner,
        assistant=roles.assistant,
        judge=roles.judge,
        masker=Masker(environments.specs, querygen.mask_variations) if querygen.mask_variations else None,
        candidates=querygen.candidates,
        difficulty=Difficulty(*querygen.difficulty),
    )


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
    version=18,
    reads=(
        "domain", "refinement", "querygen.turn_calls", "querygen.candidates", "querygen.difficulty",
        "querygen.mask_variations", "querygen.imperfections", "scale.trajectories", "scale.max_turns",
        "seed",
    ),
    takes=("sample",),
    modules=(
        "envfactory.querygen", "envfactory.trajectory", "envfactory.gold",
        "envfactory.reward.matching", "envfactory.sampling.news", "envfactory.sampling.picks",
        "envfactory.sampling.sense",
    ),
    run=run,
    roles=PARTS,
)  # fmt: skip
