"""A training program as a child process: bounded, followed, and never left behind.

It runs in a session of its own, so that it can be ended with all that it started: by process group, and whatever left
the group by a mark in its environment. The same mark finds what a killed run left behind when the next one begins.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from envfactory.training.places import TrainingError

__all__ = ["MARK", "end_marked", "log_tail", "run_to_end", "running"]

WITH_PARENT = Path(__file__).parent / "inside" / "with_parent.py"
MARK = "ENVFACTORY_TRAINING"
GRACE_S = 20.0
POLL_S = 0.25
TAIL_LINES = 15


def running(
    command: Sequence[str | Path],
    *,
    folder: Path,
    log: Path,
    variables: Mapping[str, str],
    timeout_s: float,
    poll_s: float = POLL_S,
) -> Generator[None]:
    """Run a program, yielding now and then while it runs, and once after its end.

    However this generator ends - the program ended, it took too long, the caller stopped or was interrupted - nothing
    of the program is left running.

    Args:
        command: program and arguments.
        folder: where it runs; also what marks its processes, so one program at a time runs in a folder.
        log: takes its output, appended.
        variables: added to this process's environment.
        timeout_s: seconds after which it is ended.
        poll_s: seconds between two looks.

    Raises:
        TrainingError: it failed or took too long; the message ends with the last lines of its output.
    """
    mark = str(folder.resolve())
    end_marked(mark)
    words = [str(part) for part in command]
    deadline = time.monotonic() + timeout_s
    with log.open("ab") as output:
        start = output.tell()
        process = subprocess.Popen(
            # Killed, this process can end nothing; then the system asks the program to end.
            [sys.executable, str(WITH_PARENT), *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **variables, MARK: mark},
            start_new_session=True,
        )
    try:
        while process.poll() is None:
            if time.monotonic() > deadline:
                raise TrainingError(f"{_name(words)} took longer than {timeout_s:g} s{log_tail(log, start)}")
            yield
            with suppress(subprocess.TimeoutExpired):
                process.wait(poll_s)
        if process.returncode != 0:
            raise TrainingError(f"{_name(words)} ended with code {process.returncode}{log_tail(log, start)}")
    finally:
        try:
            _end_group(process)
            end_marked(mark)
        except BaseException:
            # Whoever interrupts the ending, too, wants it at once.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            end_marked(mark, grace_s=0)
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_S)
            raise
    yield


def run_to_end(
    command: Sequence[str | Path], *, folder: Path, log: Path, variables: Mapping[str, str], timeout_s: float
) -> None:
    """Run a program to its end; see `running`."""
    with closing(running(command, folder=folder, log=log, variables=variables, timeout_s=timeout_s)) as looks:
        for _ in looks:
            pass


def end_marked(mark: str, grace_s: float = GRACE_S) -> None:
    """End every process that carries a mark in its environment, by its id: politely first, if there is any grace."""
    needle = f"{MARK}={mark}".encode()
    for wait_s in dict.fromkeys((grace_s, 0)):
        found = [pid for pid in _pids() if _carries(pid, needle)]
        if not found:
            return
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGTERM if wait_s else signal.SIGKILL)
        until = time.monotonic() + wait_s
        while time.monotonic() < until and any(_carries(pid, needle) for pid in found):
            time.sleep(0.05)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group, first politely."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
            return


def _pids() -> Iterator[int]:
    proc = Path("/proc")
    if proc.is_dir():
        yield from (int(path.name) for path in proc.iterdir() if path.name.isdigit() and int(path.name) != os.getpid())


def _carries(pid: int, needle: bytes) -> bool:
    try:
        return needle in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _name(words: Sequence[str]) -> str:
    return " ".join(Path(words[0]).name if n == 0 else word for n, word in enumerate(words[:4]))


def log_tail(log: Path, start: int = 0) -> str:
    """Return the last lines of a program's output from a place on, to end a message with."""
    with log.open("rb") as stream:
        stream.seek(start)
        lines = stream.read().decode("utf-8", "replace").replace("\r", "\n").split("\n")
    last = [line for line in lines if line.strip()][-TAIL_LINES:]
    return f"; its output is in {log}, and ends:\n" + "\n".join(f"  {line}" for line in last)
