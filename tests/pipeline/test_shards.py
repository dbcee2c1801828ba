"""Shards: what stands is used, what is missing or damaged is made, and what it cost is counted once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from envfactory.files import read_jsonl
from envfactory.pipeline import Ledger, StageContext, make_shards
from envfactory.pipeline.display import Display
from tests.pipeline.conftest import MakeConfig

COUNT = 3


class Work:
    """Makes shards of two rows each, and remembers which."""

    def __init__(self, context: StageContext) -> None:
        self.context = context
        self.made: list[int] = []

    def make(self, number: int, ledger: Ledger) -> Iterator[dict[str, int]]:
        """Yield the rows of one shard."""
        self.made.append(number)
        for row in range(2):
            ledger.count(calls=1)
            yield {"shard": number, "row": row}

    def run(self) -> list[dict[str, int]]:
        """Make what is missing and return all rows."""
        return [row for shard in make_shards(self.context, "rows", COUNT, self.make) for row in read_jsonl(shard)]


@pytest.fixture
def begin(tmp_path: Path, make_config: MakeConfig) -> Callable[[], Work]:
    """Give another attempt at the same shards."""
    partial = tmp_path / "partial"
    partial.mkdir()

    def attempt() -> Work:
        return Work(
            StageContext(
                config=make_config(), inputs={}, metrics={}, costs={}, output=tmp_path, partial=partial,
                environments={}, progress=Display("off"),
            )
        )  # fmt: skip

    return attempt


def test_shards_that_stand_are_not_made_again(begin: Callable[[], Work]) -> None:
    rows = begin().run()
    again = begin()
    assert again.run() == rows
    assert again.made == []
    assert again.context.ledger.total() == {"calls": 2 * COUNT}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("rows-000001.jsonl", ""),
        ("rows-000001.jsonl", '{"shard":1,"row":0}\n{"shard":1,"row":7}\n'),
        ("rows-000001.jsonl", None),
        ("rows-000001.note.json", "{x"),
        ("rows-000001.note.json", "{}"),
        ("rows-000001.note.json", None),
    ],
)
def test_a_damaged_shard_is_noticed_and_made_anew(begin: Callable[[], Work], file: str, text: str | None) -> None:
    first = begin()
    rows = first.run()
    path = first.context.partial / file
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    again = begin()
    assert again.run() == rows
    assert again.made == [1]
    assert again.context.ledger.total() == {"calls": 2 * COUNT}
