"""The runner: brings one cell up to date, making what is missing and reusing what stands."""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from envfactory.config import STAGE_NAMES, Config, ConfigError, Problem
from envfactory.pipeline.cell import Cell, StageRecord
from envfactory.pipeline.display import Display, summary
from envfactory.pipeline.hold import HeldElsewhereError
from envfactory.pipeline.ledger import Ledger
from envfactory.pipeline.stage import ON_DEMAND, Stage, StageContext, StageError, load_stage, stage_key
from envfactory.pipeline.store import Artifact, Cost, Slot, Store

__all__ = ["EnvironmentDigests", "Outcome", "Runner", "TerminatedError", "plan_stages"]

EnvironmentDigests = Callable[[tuple[str, ...]], Mapping[str, str]]

LOG = logging.getLogger("envfactory")


class TerminatedError(BaseException):
    """The process was asked to end (SIGTERM); like KeyboardInterrupt, no stage should catch it."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        state: ``busy`` means that another process held the cell or an artifact for too long.
        exit_code: what the process should end with.
        cell_id: the cell; empty if only stages on demand ran.
        folder: the run folder; None if only stages on demand ran.
        stages: what became of each stage.
        error: what went wrong, in one line.
    """

    state: Literal["done", "failed", "interrupted", "busy"]
    exit_code: int
    cell_id: str = ""
    folder: Path | None = None
    stages: Mapping[str, StageRecord] = field(default_factory=dict[str, StageRecord])
    error: str | None = None

    def stages_in(self, *states: str) -> list[str]:
        """Return the names of the stages that ended in one of some states, in order."""
        return [name for name, record in self.stages.items() if record.state in states]


def plan_stages(config: Config, stages: Callable[[str], Stage] = load_stage) -> list[Stage]:
    """Return the stages that a configuration wants and all that they need, in order.

    Raises:
        ConfigError: ``force`` names a stage that has no part in this.
        StageError: a stage is not part of this installation.
    """
    plan: dict[str, Stage] = {}
    wanted: list[str] = list(config.stages)
    while wanted:
        name = wanted.pop()
        if name not in plan:
            plan[name] = stages(name)
            wanted += plan[name].inputs(config)
    ordered = sorted(plan.values(), key=lambda stage: _place(stage.name))
    taking_part = ", ".join(stage.name for stage in ordered)
    idle = [name for name in config.force if name not in plan]
    if idle:
        raise ConfigError(Problem("force", name, f"has no part in this run; {taking_part} have") for name in idle)
    return ordered


def _place(name: str) -> int:
    return [str(known) for known in STAGE_NAMES].index(name)


class Runner:
    """Runs the stages of one configuration.

    Args:
        config: the configuration.
        name: the folder of the cell under ``paths.outputs``.
        environments: gives the source digest of every environment named.
        display: the terminal.
        stages: gives a stage by its name.
    """

    def __init__(
        self,
        config: Config,
        name: str,
        *,
        environments: EnvironmentDigests,
        display: Display,
        stages: Callable[[str], Stage] = load_stage,
    ) -> None:
        self._config = config
        self._name = name
        self._digests = environments
        self._display = display
        self._load = stages
        self._store = Store(Path(config.paths.artifacts), config.paths.lock_timeout_s, LOG)
        self._artifacts: dict[str, Artifact] = {}

    def run(self) -> Outcome:
        """Bring the cell up to date.

        Returns:
            How it ended; what a stage raises is told there and in the log, not raised.

        Raises:
            ConfigError: see `plan_stages`.
            StageError: see `plan_stages`.
        """
        plan = plan_stages(self._config, self._load)
        on_demand_only = all(stage.on_demand for stage in plan)
        LOG.setLevel(logging.DEBUG)
        with ExitStack() as stack:
            stack.enter_context(self._display.warnings_of(LOG))
            cell = None
            if not on_demand_only:
                cell = Cell(self._config, self._name)
                try:
                    stack.enter_context(cell.opened(LOG, self._display.say))
                except HeldElsewhereError as error:
                    self._display.say(f"envfactory: {error}")
                    return Outcome("busy", 3, cell.id, cell.folder, error=str(error))
                except OSError as error:
                    problem = f"{cell.folder} cannot be written: {error}; choose another place: paths.outputs=FOLDER"
                    self._display.say(f"envfactory: {problem}")
                    return Outcome("failed", 1, cell.id, cell.folder, error=problem)
                self._store.clean()
                LOG.info("attempt %d of cell %s: %s", cell.attempt, cell.id, ", ".join(stage.name for stage in plan))
            return self._run_all(plan, cell)

    def _run_all(self, plan: list[Stage], cell: Cell | None) -> Outcome:
        records: dict[str, StageRecord] = {} if cell is None else cell.stages
        state: Literal["done", "failed", "interrupted", "busy"] = "done"
        code, problem = 0, None
        current = plan[0]
        start = time.perf_counter()
        try:
            digests = self._environment_digests(plan)
            for current in plan:
                start = time.perf_counter()
                if current.name in ON_DEMAND:
                    record = self._run_on_demand(current, cell, digests)
                else:
                    assert cell is not None
                    record = self._make_or_reuse(current, cell, digests)
                if cell is None:
                    records[current.name] = record
                else:
                    cell.record(current.name, record)
                self._display.say(
                    f"{current.name:<10} {record.state:<7} {record.seconds:7.2f} s  {summary(record.metrics)}".rstrip()
                )
        except (KeyboardInterrupt, TerminatedError) as stop:
            state, code = "interrupted", 130 if isinstance(stop, KeyboardInterrupt) else 143
            going_on = "" if current.on_demand else "; the same command continues"
            problem = f"stopped in stage {current.name}{going_on}"
        except HeldElsewhereError as error:
            state, code, problem = "busy", 3, str(error)
        except StageError as error:
            state, code, problem = "failed", 1, f"stage {current.name}: {error}"
        except OSError as error:
            state, code = "failed", 1
            problem = f"stage {current.name}: {error}; once that is mended, the same command continues"
            LOG.exception("stage %s raised", current.name, extra={"terminal": False})
        except Exception as error:
            # Whatever a stage raises ends this cell, not the command: a sweep goes on.
            state, code, problem = "failed", 1, f"stage {current.name}: {type(error).__name__}: {error}"
            # The traceback is for the log; without a cell there is none, so the terminal shows it.
            LOG.exception("stage %s raised", current.name, extra={"terminal": cell is None})
        if problem is not None:
            self._display.say(f"envfactory: {problem}")
            if cell is not None and state == "failed":
                self._display.say(f"envfactory: more in {cell.log_path}")
        if cell is None:
            return Outcome(state, code, stages=records, error=problem)
        try:
            if problem is not None:
                ended = "interrupted" if state == "interrupted" else "failed"
                spent = Cost(seconds=time.perf_counter() - start, counts={})
                cell.record(current.name, StageRecord(state=ended, seconds=spent.seconds, spent=spent))
                # What serves until it is stopped leaves nothing undone.
                if ended == "interrupted" and current.on_demand:
                    cell.close("done")
                else:
                    cell.close(ended, problem)
            else:
                cell.close("done")
        except OSError as error:
            self._display.say(f"envfactory: how the run ended cannot be noted in {cell.folder}: {error}")
            state, code, problem = ("failed", 1, str(error)) if state == "done" else (state, code, problem)
        return Outcome(state, code, cell.id, cell.folder, dict(cell.stages), problem)

    def _environment_digests(self, plan: list[Stage]) -> Mapping[str, str]:
        if not any(stage.environments for stage in plan):
            return {}
        names = self._config.domain.chosen()
        if not names:
            raise StageError(f"{self._config.domain.shown()} has no environments; choose another: domain=all")
        return self._digests(names)

    def _make_or_reuse(self, stage: Stage, cell: Cell, digests: Mapping[str, str]) -> StageRecord:
        start = time.perf_counter()
        inputs = {name: self._artifacts[name].content for name in stage.inputs(self._config)}
        key = stage_key(stage, self._config, inputs, digests)
        cell.record(stage.name, StageRecord(state="running", key=key))
        forced = stage.name in self._config.force
        ledger = Ledger()
        made = False
        artifact = None if forced else self._store.find(stage.name, key)
        if artifact is None:
            with self._store.making(stage.name, key) as slot:
                if forced:
                    self._store.forget_partial(slot)
                else:
                    # Another process may have made it while this one waited.
                    artifact = self._store.find(stage.name, key)
                if artifact is None:
                    made = True
                    artifact = self._make(stage, slot, key, digests, ledger)
        self._artifacts[stage.name] = artifact
        cell.link(stage.name, artifact)
        seconds = time.perf_counter() - start
        LOG.info("%s %s: %s", stage.name, "made" if made else "reused", artifact.path)
        return StageRecord(
            state="made" if made else "reused",
            key=key,
            artifact=str(artifact.path),
            seconds=round(seconds, 3),
            spent=Cost(seconds=round(seconds, 3), counts=ledger.total()),
            metrics=artifact.manifest.metrics,
            cost=artifact.manifest.cost,
        )

    def _make(self, stage: Stage, slot: Slot, key: str, digests: Mapping[str, str], ledger: Ledger) -> Artifact:
        start = time.perf_counter()
        metrics = stage.run(self._context(stage, slot.output, slot.partial, digests, ledger))
        return self._store.put(
            slot,
            stage=stage.name,
            version=stage.version,
            key=key,
            identity=self._config.identity(stage.reading(self._config)),
            inputs={name: self._artifacts[name].content for name in stage.inputs(self._config)},
            environments=digests if stage.environments else {},
            metrics=metrics,
            seconds=round(time.perf_counter() - start, 3),
            ledger=ledger,
        )

    def _run_on_demand(self, stage: Stage, cell: Cell | None, digests: Mapping[str, str]) -> StageRecord:
        if cell is not None:
            cell.record(stage.name, StageRecord(state="running"))
        start = time.perf_counter()
        ledger = Ledger()
        scratch = Path(tempfile.mkdtemp(prefix=f"envfactory-{stage.name}-"))
        try:
            (scratch / "partial").mkdir()
            (scratch / "output").mkdir()
            metrics = stage.run(self._context(stage, scratch / "output", scratch / "partial", digests, ledger))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        spent = Cost(seconds=round(time.perf_counter() - start, 3), counts=ledger.total())
        return StageRecord(state="ran", seconds=spent.seconds, spent=spent, metrics=dict(metrics), cost=spent)

    def _context(
        self, stage: Stage, output: Path, partial: Path, digests: Mapping[str, str], ledger: Ledger
    ) -> StageContext:
        taken = {name: self._artifacts[name] for name in stage.inputs(self._config)}
        return StageContext(
            config=self._config.narrowed(stage.reading(self._config)),
            inputs={name: artifact.path for name, artifact in taken.items()},
            metrics={name: artifact.manifest.metrics for name, artifact in taken.items()},
            costs={name: artifact.manifest.cost.model_dump(mode="json") for name, artifact in taken.items()},
            output=output,
            partial=partial,
            environments=dict(digests) if stage.environments else {},
            progress=self._display,
            ledger=ledger,
            log=LOG.getChild(stage.name),
        )
