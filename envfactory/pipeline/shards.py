"""Work in shards that survive a kill: a shard is finished or absent, and a finished one is never made again.

A stage whose work falls into numbered, independent parts makes each as one file in its partial folder. The same command
after a kill makes only those that are missing. What they cost is kept beside them, so nothing is lost from the ledger.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from envfactory.files import JsonlWriter, read_json, write_json_atomic
from envfactory.pipeline.ledger import Ledger
from envfactory.pipeline.stage import StageContext

__all__ = ["join", "make_shards"]


def make_shards(
    context: StageContext, name: str, count: int, make: Callable[[int, Ledger], Iterable[Any]]
) -> Iterator[Path]:
    """Make the shards that are missing, and yield all, in order.

    Args:
        context: the stage's; shards lie in its partial folder.
        name: what the shards hold, as the start of their file names.
        count: how many there are.
        make: gives the rows of a shard, by its number and nothing else, and counts what they cost in the ledger.

    Yields:
        The JSON Lines file of each shard.
    """
    for number in context.progress.track(range(count), count, f"{name} shards"):
        shard = context.partial / f"{name}-{number:06d}.jsonl"
        spent = shard.with_suffix(".cost.json")
        if not shard.exists():
            ledger = Ledger()
            with JsonlWriter(shard) as writer:
                for row in make(number, ledger):
                    writer.write(row)
                # Before the shard itself appears: a shard that stands has its cost beside it.
                write_json_atomic(spent, ledger.total())
        else:
            context.log.info("%s: shard %d stands already", name, number)
        context.ledger.add(read_json(spent))
        yield shard


def join(shards: Iterable[Path], target: Path) -> None:
    """Write the bytes of all shards, in order, into one file of the stage's output."""
    with target.open("wb") as stream:
        for shard in shards:
            with shard.open("rb") as part:
                shutil.copyfileobj(part, stream)
