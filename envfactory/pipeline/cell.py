"""A cell: one configuration, its run folder, and what has happened in it.

    <outputs>/<name>/<cell_id>/
        config.yaml      the configuration, secrets masked
        status.json      state of the cell and of every stage
        metrics.json     what came out, by stage
        cost.json        seconds and counts, by stage: of this attempt, and of making the artifact whenever that was
        attempts/<n>/    log.txt of every time the command was given
        artifacts/       a link to the artifact of every stage

The same configuration is the same cell, so the same command continues it. A lock keeps two processes off one cell.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import os
import socket
import uuid
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from envfactory.config import Config, masked_yaml
from envfactory.files import TEMPORARY_PREFIX, digest_json, write_bytes_atomic, write_json_atomic
from envfactory.pipeline.hold import hold
from envfactory.pipeline.store import Artifact, Cost

__all__ = ["Cell", "CellState", "StageRecord", "StageState", "Status", "cell_id", "relink"]

ID_CHARACTERS = 16

CellState = Literal["running", "done", "failed", "interrupted"]
StageState = Literal["waiting", "running", "made", "reused", "ran", "failed", "interrupted"]

NOTHING = Cost(seconds=0, counts={})


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StageRecord(_Data):
    """What became of one stage; `seconds` and `spent` are this attempt's."""

    state: StageState
    key: str | None = None
    artifact: str | None = None
    seconds: float = 0
    spent: Cost = NOTHING
    metrics: dict[str, JsonValue] = {}
    cost: Cost = NOTHING


class Status(_Data):
    """``status.json``."""

    cell_id: str
    state: CellState
    pid: int
    host: str
    attempt: int
    started_at: str
    changed_at: str
    error: str | None
    stages: dict[str, dict[str, JsonValue]]


def cell_id(config: Config) -> str:
    """Return the id of a configuration's cell: equal for equal results, whatever is run, logged or kept where."""
    return digest_json(config.identity())[:ID_CHARACTERS]


class _AttemptLog(logging.FileHandler):
    """A log that is silent where it cannot be written: on a full disk the stage that meets it tells."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the library's
        """Say nothing; the library would print a traceback for every line."""


class Cell:
    """The run folder of a configuration.

    Args:
        config: the configuration.
        name: the folder under the outputs that holds this cell, such as an experiment's name.
    """

    def __init__(self, config: Config, name: str) -> None:
        self.id = cell_id(config)
        self.outputs = Path(config.paths.outputs)
        self.folder = self.outputs / name / self.id
        self.stages: dict[str, StageRecord] = {}
        self.attempt = 0
        self._config = config
        self._state: CellState = "running"
        self._error: str | None = None
        self._started_at = ""

    @contextlib.contextmanager
    def opened(self, log: logging.Logger, say: Callable[[str], None]) -> Generator[None]:
        """Hold the cell, begin an attempt and let the log go to its folder as well.

        Args:
            log: gains the attempt's ``log.txt`` while the block runs.
            say: told if another process holds the cell.

        Raises:
            OSError: the run folder cannot be written.
            HeldElsewhereError: another process held it for longer than ``paths.lock_timeout_s``.
        """
        with hold(self.folder / ".lock", f"cell {self.folder}", self._config.paths.lock_timeout_s, say):
            attempts = self.folder / "attempts"
            attempts.mkdir(exist_ok=True)
            self.attempt = 1 + max((int(path.name) for path in attempts.iterdir() if path.name.isdigit()), default=0)
            folder = attempts / str(self.attempt)
            folder.mkdir()
            self._started_at = _now()
            handler = _AttemptLog(folder / "log.txt", encoding="utf-8")
            handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
            handler.setLevel(self._config.logger.level.upper())
            log.addHandler(handler)
            try:
                write_bytes_atomic(self.folder / "config.yaml", masked_yaml(self._config).encode())
                self.write()
                relink(self.outputs / "latest", self.folder)
                yield
            finally:
                log.removeHandler(handler)
                # What cannot be flushed has been told by whatever could not be written first.
                with contextlib.suppress(OSError):
                    handler.close()

    @property
    def log_path(self) -> Path:
        """The log of this attempt."""
        return self.folder / "attempts" / str(self.attempt) / "log.txt"

    def record(self, stage: str, record: StageRecord) -> None:
        """Note what became of a stage, on the disk as well."""
        self.stages[stage] = record
        self.write()

    def link(self, stage: str, artifact: Artifact) -> None:
        """Let ``artifacts/<stage>`` lead to an artifact."""
        relink(self.folder / "artifacts" / stage, artifact.path)

    def close(self, state: CellState, error: str | None = None) -> None:
        """Note how the attempt ended."""
        self._state, self._error = state, error
        self.write()

    def write(self) -> None:
        """Write status, metrics and cost as they are now."""
        status = Status(
            cell_id=self.id,
            state=self._state,
            pid=os.getpid(),
            host=socket.gethostname(),
            attempt=self.attempt,
            started_at=self._started_at,
            changed_at=_now(),
            error=self._error,
            stages={
                name: record.model_dump(mode="json", include={"state", "key", "artifact", "seconds"})
                for name, record in self.stages.items()
            },
        )
        finished = {name: record for name, record in self.stages.items() if record.state in ("made", "reused", "ran")}
        write_json_atomic(self.folder / "metrics.json", {name: record.metrics for name, record in finished.items()})
        write_json_atomic(
            self.folder / "cost.json",
            {
                name: {
                    "this_attempt": record.spent.model_dump(mode="json"),
                    "artifact": record.cost.model_dump(mode="json"),
                }
                for name, record in finished.items()
            },
        )
        # Last: who sees a state in status.json finds the other files no older than it.
        write_json_atomic(self.folder / "status.json", status.model_dump(mode="json"))


def relink(link: Path, target: Path) -> None:
    """Let a symbolic link lead to a target, by a relative path, replacing what it led to in one step."""
    link.parent.mkdir(parents=True, exist_ok=True)
    temporary = link.with_name(f"{TEMPORARY_PREFIX}{uuid.uuid4().hex}-{link.name}")
    temporary.symlink_to(os.path.relpath(target.resolve(), link.parent.resolve()))
    temporary.replace(link)


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
