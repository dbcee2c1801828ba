"""Work in shards that survive a kill: a shard is finished or absent, and a finished one is not made again.

A stage whose work falls into numbered, independent parts makes each as one file in its partial folder. The same command
after a kill makes only those that are missing. A note beside each tells its digest, so that one which was damaged or
edited meanwhile is made again, and what it cost, so nothing is lost from the ledger.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from envfactory.files import JsonlWriter, file_digest, read_json, write_json_atomic
from envfactory.pipeline.ledger import Ledger
from envfactory.pipeline.stage import StageContext

__all__ = ["join", "make_shards"]


class _Note(BaseModel):
    """What is kept beside a shard: the digest of its bytes, and what it cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    counts: dict[str, float]


def make_shards(
    context: StageContext, name: str, count: int, make: Callable[[int, Ledger], Iterable[Any]]
) -> Iterator[Path]:
    """Make the shards that are missing, and yield all, in order.

    Args:
        context: the stage's; shards lie in its partial folder.
        name: what the shards hold, as the start of their file names.
        count: how many there are.
        make: gives the rows of a shard, or their JSON, by its number and nothing else, and counts what they cost in the
            ledger.

    Yields:
        The JSON Lines file of each shard.
    """
    for number in context.progress.track(range(count), count, f"{name} shards"):
        shard = context.partial / f"{name}-{number:06d}.jsonl"
        beside = shard.with_suffix(".note.json")
        note = _note_of(shard, beside)
        if note is None:
            if shard.exists():
                context.log.warning("%s: shard %d is damaged and is made anew", name, number)
            ledger = Ledger()
            with JsonlWriter(shard) as writer:
                for row in make(number, ledger):
                    if isinstance(row, bytes):
                        writer.write_line(row)
                    else:
                        writer.write(row)
                # Before the shard itself appears: a shard that stands has its note beside it.
                note = _Note(sha256=writer.digest, counts=ledger.total())
                write_json_atomic(beside, note.model_dump(mode="json"))
        else:
            context.log.info("%s: shard %d stands already", name, number)
        context.ledger.add(note.counts)
        yield shard


def _note_of(shard: Path, beside: Path) -> _Note | None:
    """Return the note of a shard if both are there and agree."""
    try:
        note = _Note.model_validate(read_json(beside))
        return note if file_digest(shard) == note.sha256 else None
    except (OSError, ValueError):
        return None


def join(shards: Iterable[Path], target: Path) -> None:
    """Write the bytes of all shards, in order, into one file of the stage's output."""
    with target.open("wb") as stream:
        for shard in shards:
            with shard.open("rb") as part:
                shutil.copyfileobj(part, stream)
