"""A training program never outlives who started it, and says why it failed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from envfactory.training.places import TrainingError
from envfactory.training.process import MARK, end_marked, running

# Starts a child in another session, tells both ids, and waits.
FAMILY = """
import os, subprocess, sys, time
code = "import time; time.sleep(120)"
child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
open("ids.new", "w").write(f"{os.getpid()} {child.pid}")
os.replace("ids.new", "ids")
time.sleep(120)
"""


def started(folder: Path, code: str, timeout_s: float = 60) -> Generator[None]:
    return running(
        [sys.executable, "-c", code], folder=folder, log=folder / "log.txt", variables={}, timeout_s=timeout_s
    )


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ids(folder: Path) -> list[int]:
    return [int(word) for word in (folder / "ids").read_text().split()]


def test_a_program_that_ends_well_is_looked_at_once_more(tmp_path: Path) -> None:
    assert list(started(tmp_path, "open('done', 'w').close()"))[-1:] == [None]
    assert (tmp_path / "done").exists()


def test_a_program_that_fails_is_told_with_the_end_of_its_output(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"ended with code 3; its output is in .*log\.txt, and ends:\n  no room"):
        list(started(tmp_path, "print('no room'); raise SystemExit(3)"))


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = started(tmp_path, FAMILY, timeout_s=1000)
    next(looks)
    while not (tmp_path / "ids").exists():
        time.sleep(0.01)
    later = SimpleNamespace(monotonic=lambda: time.monotonic() + 1000, sleep=time.sleep)
    monkeypatch.setattr("envfactory.training.process.time", later)
    with pytest.raises(TrainingError, match=r"took longer than 1000 s"):
        list(looks)
    assert [alive(pid) for pid in ids(tmp_path)] == [False, False]


def test_who_stops_looking_ends_the_program(tmp_path: Path) -> None:
    with closing(started(tmp_path, FAMILY)) as looks:
        for _ in looks:
            if (tmp_path / "ids").exists():
                break
    assert [alive(pid) for pid in ids(tmp_path)] == [False, False]


def test_what_a_killed_run_left_behind_is_ended_before_the_next_begins(tmp_path: Path) -> None:
    left = subprocess.Popen(
        [sys.executable, "-c", FAMILY], cwd=tmp_path, env={**os.environ, MARK: str(tmp_path.resolve())}
    )
    while not (tmp_path / "ids").exists():
        time.sleep(0.01)
    list(started(tmp_path, "pass"))
    left.wait(30)
    assert [alive(pid) for pid in ids(tmp_path)] == [False, False]


STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(120)"
child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
open("ids.new", "w").write(f"{os.getpid()} {child.pid}")
os.replace("ids.new", "ids")
time.sleep(120)
"""


def test_who_interrupts_the_ending_too_leaves_nothing_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = started(tmp_path, STUBBORN)
    next(looks)
    while not (tmp_path / "ids").exists():
        time.sleep(0.01)

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("envfactory.training.process._end_group", interrupted)
    with pytest.raises(KeyboardInterrupt):
        looks.close()
    deadline = time.monotonic() + 60
    while any(alive(pid) for pid in ids(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [alive(pid) for pid in ids(tmp_path)] == [False, False]


def test_a_program_ends_when_the_process_that_started_it_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.training.test_process import FAMILY, started\n"
        "for _ in started(Path(sys.argv[1]), FAMILY): pass"
    )
    root = Path(__file__).parents[2]
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], cwd=root, env={**os.environ, "PYTHONPATH": str(root)}
    )
    while not (tmp_path / "ids").exists():
        assert parent.poll() is None
        time.sleep(0.01)
    parent.kill()
    parent.wait(60)
    program = ids(tmp_path)[0]
    deadline = time.monotonic() + 60
    while alive(program) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(program)
    end_marked(str(tmp_path.resolve()))
