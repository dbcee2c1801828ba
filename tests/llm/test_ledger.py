"""The ledger survives kills, and is one for all that share it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.llm import Entry, ModelLedger, Purpose, Spent


def entry(role: str = "writer", trajectory: str | None = "t", **amounts: float) -> Entry:
    return Entry(Purpose("synthesize", role, trajectory), "m", Spent(requests=1, **amounts))  # pyright: ignore[reportArgumentType]


def test_each_sees_what_the_others_spent(tmp_path: Path) -> None:
    with ModelLedger(tmp_path / "l.jsonl") as first, ModelLedger(tmp_path / "l.jsonl") as second:
        first.add(entry(prompt=10))
        second.add(entry("judge", prompt=5, money=0.5))
        first.add(entry(prompt=1))
        for ledger in (first, second):
            assert ledger.total() == Spent(requests=3, prompt=16, money=0.5)
            assert ledger.total(role="judge").prompt == 5
            assert ledger.total(stage="graph") == Spent()
            assert ledger.by("role") == {
                "judge": Spent(requests=1, prompt=5, money=0.5),
                "writer": Spent(requests=2, prompt=11),
            }


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 200))
def test_a_torn_line_costs_itself_alone(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.mktemp("ledger") / "l.jsonl"
    with ModelLedger(path) as ledger:
        ledger.add(entry(prompt=1))
        ledger.add(entry(prompt=1000))
    data = path.read_bytes()
    last = len(data.splitlines(keepends=True)[-1])
    path.write_bytes(data[: -min(cut, last)])
    with ModelLedger(path) as ledger:
        # Cut by its newline alone, the line is whole after all.
        torn = ledger.total().prompt
        assert torn == 1
        ledger.add(entry(prompt=20))
        ledger.add(entry(prompt=300))
        assert ledger.total().prompt == (1321 if cut == 1 else 321)
        assert ledger.of("t").prompt == ledger.total().prompt


def test_an_accepted_trajectory_carries_what_was_spent_on_the_others(tmp_path: Path) -> None:
    with ModelLedger(tmp_path / "l.jsonl") as ledger:
        for number in range(4):
            ledger.add(entry(trajectory=f"t-{number}", prompt=10, seconds=2.0))
        assert ledger.per_accepted("synthesize") == {}
        for name in ("t-1", "t-3", "t-3"):
            ledger.accept("synthesize", name)
        ledger.accept("graph", "t-0")
        assert ledger.accepted("synthesize") == 2
        assert ledger.per_accepted("synthesize")["prompt"] == 20
        assert ledger.per_accepted("synthesize")["seconds"] == 4
        assert ledger.of("t-1") == Spent(requests=1, prompt=10, seconds=2.0)


def test_what_a_trajectory_cost_is_found_by_the_name_that_it_was_made_under(tmp_path: Path) -> None:
    with ModelLedger(tmp_path / "l.jsonl") as ledger:
        for number in range(3):
            ledger.add(entry(trajectory=f"chain-{number}", prompt=10 * (number + 1)))
            ledger.add(entry("judge", trajectory=f"chain-{number}", prompt=1))
        ledger.add(entry(trajectory=None, prompt=5000))
        ledger.add(Entry(Purpose("graph", "graph", "chain-1"), "m", Spent(requests=1, prompt=7000)))
        ledger.accept("synthesize", "t-b", "chain-0")
        ledger.accept("synthesize", "t-a", "chain-2")
        ledger.accept("synthesize", "t-a", "chain-2")
        # Two chains may become one and the same trajectory.
        assert ledger.by_accepted("synthesize") == {"t-a": Spent(requests=2, prompt=31), "t-b": Spent(2, prompt=11)}
        ledger.accept("synthesize", "t-a", "chain-1")
        assert ledger.by_accepted("synthesize")["t-a"] == Spent(requests=4, prompt=52)
        assert ledger.by_accepted("graph") == {}


def test_memory_does_not_grow_with_the_number_of_requests(tmp_path: Path) -> None:
    with ModelLedger(tmp_path / "l.jsonl") as ledger:
        for number in range(500):
            ledger.add(entry(trajectory=f"t-{number}"))
        assert ledger.total().requests == 500
        assert len(ledger._sums) == 1
