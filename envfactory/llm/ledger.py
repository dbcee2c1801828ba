"""What models cost: a line a request, in a file that outlives the process.

Several processes may append to one file, and each sees what the others spent, so a budget holds over all of them and
over attempts that were killed. A line that a kill tore apart is passed over. What a stage spent divided by the
trajectories that it accepted is the cost of one: refused candidates are paid for as well.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import IO, Any, Literal, Self, cast

import orjson

__all__ = ["Entry", "ModelLedger", "Purpose", "Spent"]

HOUR_S = 3600.0


@dataclass(frozen=True)
class Purpose:
    """What a request is for.

    Attributes:
        stage: of the pipeline.
        role: such as ``writer``.
        trajectory: what it helps to make, by any name that is known beforehand (`ModelLedger.accept` says which
            trajectory that became); None where it is no single one.
    """

    stage: str
    role: str
    trajectory: str | None = None


@dataclass(frozen=True)
class Spent:
    """A sum.

    Attributes:
        requests: sent, those that failed among them.
        failed: of them, those without a usable reply.
        replayed: replies taken from records; they cost nothing and count in nothing else.
        prompt: tokens read.
        cached: of them, those that the server had cached.
        completion: tokens written.
        reasoning: of them, those of reasoning.
        seconds: until the replies, added up; requests at once count each.
        gpu_hours: of the GPUs that serve; a moment with several requests on their way is counted once.
        money: by the price table (`prices`).
    """

    requests: int = 0
    failed: int = 0
    replayed: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    reasoning: int = 0
    seconds: float = 0.0
    gpu_hours: float = 0.0
    money: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt + self.completion

    def __add__(self, other: Spent) -> Spent:
        return Spent(**{field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)})

    def per(self, number: int) -> dict[str, float]:
        """Return each amount divided by a number, such as that of the accepted trajectories; empty for none."""
        return {name: amount / number for name, amount in asdict(self).items()} if number > 0 else {}


@dataclass(frozen=True)
class Entry:
    """A line: what one request cost, and what for."""

    purpose: Purpose
    model: str
    spent: Spent


Key = tuple[str, str, str]
"""Stage, role, model."""


class ModelLedger:
    """The ledger in one file; close it, or use it in a ``with`` block.

    Sums are kept in memory by stage, role and model alone, so it stays small however many requests there are.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, making it and its folder if needed.

        Raises:
            OSError: it cannot be written.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._out = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._in: IO[bytes] = path.open("rb")
        self._sums: dict[Key, Spent] = {}
        # A killed process may have left half a line; an empty one does no harm.
        self._lead = b"\n"

    def add(self, entry: Entry) -> None:
        """Append what a request cost."""
        purpose = {name: value for name, value in asdict(entry.purpose).items() if value is not None}
        amounts = {name: value for name, value in asdict(entry.spent).items() if value}
        self._append({"kind": "request", **purpose, "model": entry.model, **amounts})

    def accept(self, stage: str, trajectory: str, made_as: str | None = None) -> None:
        """Note that a trajectory was accepted; noting it again, as a run that goes on does, counts once.

        Args:
            stage: whose trajectory it is.
            trajectory: its id.
            made_as: what its requests are noted under; None: its id.
        """
        named = {} if made_as is None else {"made_as": made_as}
        self._append({"kind": "accepted", "stage": stage, "trajectory": trajectory, **named})

    def total(self, *, stage: str | None = None, role: str | None = None, model: str | None = None) -> Spent:
        """Return the sum over all processes and attempts, of everything or of a stage, a role, a model."""
        wanted = (stage, role, model)
        return sum(
            (
                spent
                for key, spent in self._read().items()
                if all(want in (None, have) for want, have in zip(wanted, key, strict=True))
            ),
            Spent(),
        )

    def by(self, what: Literal["stage", "role", "model"]) -> dict[str, Spent]:
        """Return the sums by stage, by role or by model, sorted by name."""
        place = ("stage", "role", "model").index(what)
        sums: dict[str, Spent] = {}
        for key, spent in sorted(self._read().items()):
            sums[key[place]] = sums.get(key[place], Spent()) + spent
        return sums

    def accepted(self, stage: str) -> int:
        """Return how many trajectories a stage accepted. Reads the whole file."""
        lines = self._lines(lambda line: line["kind"] == "accepted" and line["stage"] == stage)
        return len({line["trajectory"] for line in lines})

    def of(self, trajectory: str) -> Spent:
        """Return what was spent under one name of a trajectory. Reads the whole file."""
        lines = self._lines(lambda line: line["kind"] == "request" and line.get("trajectory") == trajectory)
        return sum(map(_spent, lines), Spent())

    def by_accepted(self, stage: str) -> dict[str, Spent]:
        """Return what was spent on each trajectory that a stage accepted, sorted by id. Reads the whole file."""
        names: dict[str, str] = {}
        for line in self._lines(lambda line: line["kind"] == "accepted" and line["stage"] == stage):
            names[line.get("made_as", line["trajectory"])] = line["trajectory"]
        sums = dict.fromkeys(sorted(names.values()), Spent())
        for line in self._lines(lambda line: line["kind"] == "request" and line["stage"] == stage):
            accepted = names.get(line.get("trajectory", ""))
            if accepted is not None:
                sums[accepted] += _spent(line)
        return sums

    def per_accepted(self, stage: str) -> dict[str, float]:
        """Return what a stage spent for each trajectory that it accepted, by amount; empty if it accepted none."""
        return self.total(stage=stage).per(self.accepted(stage))

    def close(self) -> None:
        """Close the file."""
        os.close(self._out)
        self._in.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, line: dict[str, Any]) -> None:
        # One write a line: the lines of several processes do not mix.
        os.write(self._out, self._lead + orjson.dumps(line) + b"\n")
        self._lead = b""

    def _read(self) -> dict[Key, Spent]:
        """Take in what was appended since the last look, by whichever process."""
        for text in self._in:
            if not text.endswith(b"\n"):
                # Somebody is still writing it, or never will.
                self._in.seek(-len(text), os.SEEK_CUR)
                break
            line = _parsed(text)
            if line is not None and line["kind"] == "request":
                key = (line["stage"], line["role"], line["model"])
                self._sums[key] = self._sums.get(key, Spent()) + _spent(line)
        return self._sums

    def _lines(self, wanted: Callable[[dict[str, Any]], bool]) -> Iterator[dict[str, Any]]:
        with self.path.open("rb") as stream:
            for text in stream:
                line = _parsed(text)
                if line is not None and wanted(line):
                    yield line


def _parsed(text: bytes) -> dict[str, Any] | None:
    try:
        line = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return cast("dict[str, Any]", line) if isinstance(line, dict) else None


def _spent(line: dict[str, Any]) -> Spent:
    return replace(Spent(), **{field.name: line[field.name] for field in fields(Spent) if field.name in line})
