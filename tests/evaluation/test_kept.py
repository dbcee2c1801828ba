"""Turns that were played are kept, whatever ends the playing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envfactory.evaluation.heldout import PlayedTurn
from envfactory.evaluation.kept import KeptTurns


def turn(number: int, failure: str = "") -> PlayedTurn:
    return PlayedTurn(model="sft", id=f"t-{number}/0", prompt_tokens=number, terms={"reward": 0.1}, failure=failure)


def test_what_was_kept_is_read_again_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    with KeptTurns(path) as kept, ThreadPoolExecutor(8) as threads:
        list(threads.map(kept.add, map(turn, range(100))))
    assert KeptTurns(path).turns == {one.id: one for one in map(turn, range(100))}
    with KeptTurns(path) as kept:
        kept.add(turn(100))
    assert len(KeptTurns(path).turns) == 101


def test_a_line_that_a_kill_tore_is_cut_off_and_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    with KeptTurns(path) as kept:
        kept.add(turn(1))
        kept.add(turn(2))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with KeptTurns(path) as kept:
            assert len(kept.turns) == whole[:length].count(b"\n")
            kept.add(turn(3))
        assert turn(3).id in KeptTurns(path).turns


def test_a_turn_that_infrastructure_broke_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    with KeptTurns(path) as kept:
        kept.add(turn(1, "endpoint: the server is gone"))
    assert KeptTurns(path).turns == {}


def test_nothing_is_kept_once_it_was_left(tmp_path: Path) -> None:
    with KeptTurns(tmp_path / "turns.jsonl") as kept:
        pass
    with pytest.raises(ValueError, match="not open"):
        kept.add(turn(1))
