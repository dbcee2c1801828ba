"""A change in what decides a stage's result has to be acknowledged."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from envfactory.pipeline import Stage, lock
from tests.pipeline import toys

STAGE = toys.STAGES["graph"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("deep/one.py", "deep/two.py", "deep/words.jinja", "single.py", "envfactory/pipeline/stages/graph.py"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")
    return tmp_path


def stage(version: int = 1) -> Stage:
    return dataclasses.replace(STAGE, version=version, modules=("deep", "single"))


def problems(root: Path, version: int = 1) -> list[str]:
    return lock.problems([stage(version)], root / "lock.json", root)


def test_a_stage_is_locked_by_its_own_file_and_all_its_modules(root: Path) -> None:
    assert problems(root) == ["graph is not locked yet"]
    lock.refresh([stage()], root / "lock.json", root)
    assert problems(root) == []
    assert sorted(lock.present([stage()], root)["graph"].sources) == [
        "deep/one.py", "deep/two.py", "deep/words.jinja", "envfactory/pipeline/stages/graph.py", "single.py",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "file", ["deep/two.py", "deep/words.jinja", "single.py", "envfactory/pipeline/stages/graph.py"]
)
def test_an_unacknowledged_change_is_found_and_named(root: Path, file: str) -> None:
    lock.refresh([stage()], root / "lock.json", root)
    (root / file).write_text("x = 2\n")
    assert problems(root) == [f"graph: {file} changed and its version is not raised"]
    assert problems(root, version=2) == [f"graph: {file} changed"]
    lock.refresh([stage(2)], root / "lock.json", root)
    assert problems(root, version=2) == []
    assert problems(root, version=3) == ["graph: its version is 3, locked is 2"]


def test_a_comment_changes_nothing(root: Path) -> None:
    lock.refresh([stage()], root / "lock.json", root)
    (root / "single.py").write_text("# why\nx  =  1\n")
    assert problems(root) == []


def test_a_module_that_is_not_there_is_refused(root: Path) -> None:
    (root / "single.py").unlink()
    with pytest.raises(FileNotFoundError, match="stage graph names module single"):
        problems(root)


def test_the_lock_knows_every_stage_as_it_is() -> None:
    found = lock.problems(lock.stored_stages())
    assert found == [], "if results may change raise the version; then python -m envfactory.pipeline.lock --refresh"
