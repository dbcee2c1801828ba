"""A crew makes what one process would make, tells failures, and leaves nobody behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path

import pytest

from envfactory.pipeline.crew import Crew, crew_size
from envfactory.pipeline.stage import StageError


def squares(offset: int) -> Callable[[int], tuple[int, int]]:
    return lambda part: (offset + part * part, os.getpid())


def faulty(bad: int) -> Callable[[int], int]:
    def make(part: int) -> int:
        if part == bad:
            raise ValueError("no such part")
        return part

    return make


def ending(bad: int) -> Callable[[int], int]:
    def make(part: int) -> int:
        if part == bad:
            os._exit(3)
        return part

    return make


def test_parts_are_what_one_process_makes_whoever_makes_them() -> None:
    with Crew(squares, 7, 2, 12) as crew:
        made = [crew.take(part) for part in range(12)]
        processes = {process.pid for process in crew._processes}
    assert [value for value, _ in made] == [squares(7)(part)[0] for part in range(12)]
    assert {process for _, process in made} <= processes
    assert os.getpid() not in processes


def test_parts_may_be_left_out() -> None:
    with Crew(squares, 0, 2, 9) as crew:
        assert [crew.take(part)[0] for part in (3, 4, 8)] == [9, 16, 64]


def test_a_failure_is_told_with_its_part() -> None:
    with Crew(faulty, 1, 2, 4) as crew:
        assert crew.take(0) == 0
        with pytest.raises(StageError, match="part 1 cannot be made: ValueError: no such part"):
            crew.take(1)


def test_what_fails_ahead_fails_when_it_is_its_turn() -> None:
    with Crew(faulty, 3, 1, 6) as crew:
        for part in range(3):
            assert crew.take(part) == part
            while part == 1 and 3 not in crew._failed:
                crew._hand_out(2)
                for connection in wait(list(crew._busy), 60):
                    assert isinstance(connection, Connection)
                    crew._receive(connection)
        with pytest.raises(StageError, match="part 3 cannot be made: ValueError: no such part"):
            crew.take(3)
        assert crew.take(4) == 4


def test_when_nobody_is_left_to_make_a_part_that_is_told() -> None:
    with Crew(ending, 1, 1, 4) as crew:
        assert crew.take(0) == 0
        with pytest.raises(StageError, match="making part 1 has ended"):
            crew.take(1)
        with pytest.raises(StageError, match="no process is left to make part 2"):
            crew.take(2)


def test_a_process_that_ends_is_noticed() -> None:
    with Crew(ending, 0, 1, 3) as crew, pytest.raises(StageError, match="making part 0 has ended"):
        crew.take(0)


def test_processes_end_with_their_parent() -> None:
    script = (
        "import sys\nfrom envfactory.pipeline.crew import Crew\nfrom tests.pipeline.test_crew import squares\n"
        "crew = Crew(squares, 1, 2, 4)\ncrew.take(0)\n"
        "print(*(process.pid for process in crew._processes), flush=True)\nsys.stdin.read()\n"
    )
    root = Path(__file__).parents[2]
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert parent.stdout is not None
    workers = [int(word) for word in parent.stdout.readline().split()]
    handles = [os.pidfd_open(worker) for worker in workers]
    parent.send_signal(signal.SIGKILL)
    parent.communicate(timeout=30)
    assert len(handles) == 2
    for handle in handles:
        ended, _, _ = select.select([handle], [], [], 60)  # readable once the process has ended
        assert ended
        os.close(handle)


def test_a_process_is_started_only_for_enough_work() -> None:
    assert crew_size(0, 3) == 1
    assert crew_size(1, 100) == 1
    assert crew_size(2, 100) == 2
    assert crew_size(8, 2) == 2
    assert 1 <= crew_size(0, 8) <= 2
