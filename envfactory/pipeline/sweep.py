"""A sweep: every cell runs, whatever becomes of the others, and one table says how each ended.

A job writes how its cell ended into the sweep's folder as soon as it is over; the table is read from there, so it does
not matter which process or machine ran a cell, and a sweep that was stopped still has its table.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue

from envfactory.config import STAGE_NAMES
from envfactory.files import digest_json, read_json, write_bytes_atomic, write_json_atomic
from envfactory.pipeline.display import Display, flat
from envfactory.pipeline.runner import Outcome

__all__ = ["JobRecord", "Sweep"]

ID_CHARACTERS = 12
NOT_RUN = "not run"


class JobRecord(BaseModel):
    """How one cell of a sweep ended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    overrides: tuple[str, ...]
    cell_id: str
    state: str
    made: tuple[str, ...]
    reused: tuple[str, ...]
    error: str | None
    metrics: dict[str, JsonValue]


class Sweep:
    """The folder of a sweep.

    Args:
        folder: the folder of runs that holds it: ``outputs/<name>``.
        cells: the overrides of every cell; they identify the sweep.
    """

    def __init__(self, folder: Path, cells: Sequence[Sequence[str]]) -> None:
        self.cells = [tuple(cell) for cell in cells]
        self.folder = folder / "sweeps" / digest_json([list(cell) for cell in self.cells])[:ID_CHARACTERS]
        self.table_path = self.folder / "sweep.csv"

    def begin(self) -> None:
        """Make the folder, and forget how cells ended when the sweep ran before.

        Raises:
            OSError: the folder cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        for record in self.folder.glob("job-*.json"):
            record.unlink()

    def record(self, number: int, outcome: Outcome) -> None:
        """Note how the cell of a number ended."""
        metrics: dict[str, JsonValue] = {name: record.metrics for name, record in outcome.stages.items()}
        job = JobRecord(
            overrides=self.cells[number],
            cell_id=outcome.cell_id,
            state=outcome.state,
            made=tuple(outcome.stages_in("made", "ran")),
            reused=tuple(outcome.stages_in("reused")),
            error=outcome.error,
            metrics=flat(metrics),
        )
        write_json_atomic(self._job(number), job.model_dump(mode="json"))

    def finish(self, display: Display) -> bool:
        """Write ``sweep.csv``, show the table, and say which stages ran.

        Returns:
            Whether every cell is done.
        """
        jobs = [self._read(number) for number in range(len(self.cells))]
        swept = self._swept()
        values = [dict(_pair(override) for override in cell) for cell in self.cells]
        names = sorted({name for job in jobs if job for name in job.metrics}, key=_by_stage)
        head = [*swept, "cell_id", "state", "made", "reused", "error", *names]
        rows: list[list[str]] = []
        for job, cell in zip(jobs, values, strict=True):
            known = [cell.get(key, "") for key in swept]
            if job is None:
                rows.append([*known, "", NOT_RUN, "", "", "", *("" for _ in names)])
            else:
                text = [job.cell_id, job.state, " ".join(job.made), " ".join(job.reused), job.error or ""]
                rows.append([*known, *text, *(_text(job.metrics.get(name)) for name in names)])
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows([head, *rows])
        write_bytes_atomic(self.table_path, stream.getvalue().encode())
        width = len(swept) + 4
        display.table(f"sweep of {len(jobs)} cells", head[:width], [row[:width] for row in rows])
        display.say(_sentence([job for job in jobs if job is not None]))
        display.say(f"table: {self.table_path}")
        return all(job is not None and job.state == "done" for job in jobs)

    def _job(self, number: int) -> Path:
        return self.folder / f"job-{number:05d}.json"

    def _read(self, number: int) -> JobRecord | None:
        path = self._job(number)
        if not path.exists():
            return None
        raw = read_json(path)
        return JobRecord.model_validate(raw)

    def _swept(self) -> list[str]:
        """Return the keys whose values differ between cells; every key if there is but one cell."""
        keys = list(dict.fromkeys(_pair(override)[0] for cell in self.cells for override in cell))
        chosen = [key for key in keys if len({dict(map(_pair, cell)).get(key) for cell in self.cells}) > 1]
        return chosen or keys


def _pair(override: str) -> tuple[str, str]:
    key, _, value = override.partition("=")
    return key.lstrip("+"), value


def _by_stage(name: str) -> tuple[int, str]:
    """Order the names of metrics by stage, in the order in which stages run, then by name."""
    return [str(stage) for stage in STAGE_NAMES].index(name.partition(".")[0]), name


def _text(value: JsonValue) -> str:
    return "" if value is None else str(value)


def _sentence(jobs: Sequence[JobRecord]) -> str:
    made = {name for job in jobs for name in job.made}
    reused = {name for job in jobs for name in job.reused}
    groups = (("made", made - reused), ("made, then reused", made & reused), ("reused", reused - made))
    parts = (f"{', '.join(sorted(names, key=_by_stage))} {verb}" for verb, names in groups if names)
    return "; ".join(parts) or "no stage ran"
