from __future__ import annotations

from pathlib import Path

import pytest

from envfactory.catalogue import lock
from envfactory.environment.spec import RUNTIME_VERSION


def test_the_runtime_is_what_was_locked():
    assert lock.problems() == [], (
        "raise RUNTIME_VERSION if behaviour may have changed, then: python -m envfactory.catalogue.lock --refresh"
    )


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("A = 1\n")
    (tmp_path / "b.py").write_text("B = 1\n")
    lock.refresh(tmp_path)
    return tmp_path


def test_a_changed_a_new_and_a_missing_file_are_told_by_name(runtime: Path):
    assert lock.problems(runtime) == []
    (runtime / "a.py").write_text("A = 2\n")
    (runtime / "b.py").unlink()
    (runtime / "c.py").write_text("C = 1\n")
    assert lock.problems(runtime) == [f"{name} is not what was locked" for name in ("a.py", "b.py", "c.py")]


def test_a_comment_is_no_change_and_a_refresh_settles_one(runtime: Path):
    (runtime / "a.py").write_text("A = 1  # one\n")
    assert lock.problems(runtime) == []
    (runtime / "a.py").write_text("A = 3\n")
    lock.refresh(runtime)
    assert lock.problems(runtime) == []


def test_another_version_is_told(runtime: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lock, "RUNTIME_VERSION", 10_000)
    assert lock.problems(runtime) == [f"RUNTIME_VERSION is 10000, locked is {RUNTIME_VERSION}"]


def test_a_runtime_without_a_lock_is_not_taken_for_locked(runtime: Path):
    (runtime / lock.NAME).unlink()
    assert len(lock.problems(runtime)) == 3
