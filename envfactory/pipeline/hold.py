"""Holding something that only one process may have: a cell, or an artifact that is being made.

The operating system's file lock decides; it is released with the process, however that ends. Beside it a note says who
holds it, for whoever has to wait. Every wait is bounded.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import socket
import time
from collections.abc import Callable, Generator
from pathlib import Path

from filelock import FileLock, Timeout

from envfactory.files import read_json, write_json_atomic

__all__ = ["HeldElsewhereError", "hold", "try_hold"]


class HeldElsewhereError(RuntimeError):
    """Another process held something for longer than one may wait; the message says what and who."""


@contextlib.contextmanager
def hold(path: Path, what: str, timeout_s: float, say: Callable[[str], None]) -> Generator[None]:
    """Hold something, waiting for it if another process has it.

    Args:
        path: the lock file; its folder is made. ``<path>.json`` tells who holds it.
        what: names it in messages.
        timeout_s: seconds to wait at most.
        say: told once, before waiting.

    Raises:
        HeldElsewhereError: it was not free in time.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    note = path.with_name(path.name + ".json")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        say(f"waiting for {what}: {_holder(note)} (at most {timeout_s:g} s)")
        start = time.monotonic()
        try:
            lock.acquire(timeout=timeout_s, poll_interval=0.05)
        except Timeout:
            raise HeldElsewhereError(
                f"{what} was not free within {timeout_s:g} s: {_holder(note)}; "
                "wait for it, end it, or raise paths.lock_timeout_s"
            ) from None
        say(f"{what} is free after {time.monotonic() - start:.1f} s")
    try:
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        write_json_atomic(note, {"pid": os.getpid(), "host": socket.gethostname(), "since": now})
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


@contextlib.contextmanager
def try_hold(path: Path) -> Generator[bool]:
    """Hold something if it is free now; yields whether it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _holder(note: Path) -> str:
    try:
        held = read_json(note)
        return f"held by process {held['pid']} on {held['host']} since {held['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        # Taken or given back this very moment.
        return "held by another process"
