"""A crew: processes that each make numbered parts of a stage's work, so that it uses more than one core.

What is made depends on the part's number alone, never on who makes it or how many there are. Parts are handed out a few
ahead of the one that is wanted, so memory stays bounded. A worker lives as long as its line to the parent: when the
parent is gone, however it ended, the line is cut and the worker ends by itself.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Generic, Self, TypeVar

from envfactory.pipeline.stage import StageError

__all__ = ["Crew", "collect_rarely", "crew_size"]

J = TypeVar("J")
R = TypeVar("R")

PARTS_EACH = 4
"""A process is worth its start if it makes so many parts."""
ALLOCATED = 20_000
"""Containers that a process makes before the collector looks for cycles: an eighth of its time went into looking."""
PART_SECONDS = 1800.0
"""A part that takes longer has failed."""


def crew_size(wanted: int, parts: int) -> int:
    """How many processes to work with: as many as wanted; with 0 as there are cores, if each has enough to do."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(wanted, parts) if wanted else min(cores, parts // PARTS_EACH))


def collect_rarely() -> None:
    """Leave alone what stands by now, and look for cycles less often: what parts leave behind holds few of them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(ALLOCATED, *gc.get_threshold()[1:])


class Crew(Generic[J, R]):
    """Makes parts in other processes; use as a context manager."""

    def __init__(self, build: Callable[[J], Callable[[int], R]], job: J, processes: int, parts: int) -> None:
        """Start the processes.

        Args:
            build: a function of a module: gives what makes a part from its number; called once a process.
            job: what it is given; is pickled.
            processes: how many.
            parts: how many parts there are.
        """
        self._parts = parts
        self._made: dict[int, R] = {}
        self._failed: dict[int, StageError] = {}
        self._busy: dict[Connection, int] = {}
        self._idle: list[Connection] = []
        self._processes: list[SpawnProcess] = []
        context = multiprocessing.get_context("spawn")
        for _ in range(processes):
            line: tuple[Any, Any] = context.Pipe()  # of another class on another system
            mine, theirs = line
            process = context.Process(target=_work, args=(build, job, theirs), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)
            self._idle.append(mine)

    def take(self, number: int) -> R:
        """Return a part, once it is made; parts are taken in rising order, and some may be left out.

        Raises:
            StageError: a process failed, ended, or took too long.
        """
        for left in [part for part in self._made if part < number]:
            del self._made[left]
        while number not in self._made:
            # Parts that were handed out ahead fail when it is their turn, not before those that are whole.
            if number in self._failed:
                raise self._failed[number]
            self._hand_out(number)
            if not self._busy:
                raise StageError(f"no process is left to make part {number}")
            ready = wait(list(self._busy), PART_SECONDS)
            if not ready:
                raise StageError(f"part {number} is not made after {PART_SECONDS:.0f} s")
            for connection in ready:
                assert isinstance(connection, Connection)
                self._receive(connection)
        made = self._made.pop(number)
        self._hand_out(number + 1)
        return made

    def _hand_out(self, first: int) -> None:
        """Give idle processes the parts from `first` on that nobody has, a few ahead."""
        ahead = range(first, min(self._parts, first + 2 * len(self._processes)))
        taken = {*self._made, *self._failed, *self._busy.values()}
        for part in ahead:
            if not self._idle:
                return
            if part not in taken:
                connection = self._idle.pop()
                connection.send(part)
                self._busy[connection] = part

    def _receive(self, connection: Connection) -> None:
        part = self._busy.pop(connection)
        try:
            made, failure = connection.recv()
        except (EOFError, OSError):
            self._failed[part] = StageError(f"the process that was making part {part} has ended")
            connection.close()
            return
        self._idle.append(connection)
        if failure is None:
            self._made[part] = made
        else:
            self._failed[part] = StageError(f"part {part} cannot be made: {failure}")

    def close(self) -> None:
        """End the processes; what they are making is lost."""
        for connection in (*self._idle, *self._busy):
            connection.close()
        for process in self._processes:
            process.join(timeout=0 if self._busy else 5)
            if process.is_alive():
                process.terminate()
                process.join(timeout=5)
        self._busy.clear()
        self._idle.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _work(build: Callable[[J], Callable[[int], R]], job: J, connection: Connection) -> None:
    """What a process does: make the parts that it is told to, until the line is cut."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and cuts the line
    make: Callable[[int], R] | None = None
    while True:
        try:
            part = connection.recv()
        except (EOFError, OSError):
            return
        try:
            if make is None:
                make = build(job)
                collect_rarely()
            answer = make(part), None
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent tells it
            answer = None, f"{type(error).__name__}: {error}"
        try:
            connection.send(answer)
        except OSError:
            return
