"""`Worker`: a backend whose environments live in a child process.

Code that is not trusted to end, or to leave the process alive, runs here: every call has a deadline, and on overrun the
child is killed. All instances that the child held then fail with an `EnvironmentFailure`, and the next `open` starts a
fresh one. Results, dumps and diffs are byte for byte those of `InProcess`, which is what the child itself uses.

A request and its answer are one frame each over a socket pair: a JSON line that says what, and the bytes as they are.
The parent numbers what the child holds (instances, and the states that snapshots name); the numbers it has let go of
travel with the next request. A child ends when its socket closes; while it runs a tool, a timer of the kernel ends it
soon after the deadline even if the parent is gone. There is no sandbox: that is another layer's work.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping
from typing import Any, Self

import orjson

from envfactory.environment.backend import DEFAULT_CALL_SECONDS, Start
from envfactory.environment.errors import EnvironmentFailure, FailureKind, ToolError
from envfactory.environment.frames import receive, send
from envfactory.environment.host import RAISED, Host
from envfactory.environment.results import Result
from envfactory.environment.spec import Spec
from envfactory.environment.states import StateDiff
from envfactory.environment.tools import argument_text

DEFAULT_START_SECONDS = 60.0
_GRACE_SECONDS = 1.0
"""How long after the parent's deadline the child's own timer ends it."""
_END_SECONDS = 10.0
"""How long the kernel may take to bury a killed child."""


class Worker:
    """Runs environments in a child process, with deadlines. Any number of instances and threads; requests take turns.

    Use as a context manager, or `close` it. The child starts with the first use.
    """

    def __init__(
        self,
        environments: Mapping[str, str],
        call_seconds: float = DEFAULT_CALL_SECONDS,
        start_seconds: float = DEFAULT_START_SECONDS,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare a worker; nothing runs yet.

        Args:
            environments: name to `module:Class`; the child imports them from this process's `sys.path`.
            call_seconds: deadline of a call, and of every other verb on an instance.
            start_seconds: deadline of starting the child, imports included, and of building a scenario.
            variables: environment variables of the child beside the inherited ones, such as `PYTHONHASHSEED`.

        Raises:
            ValueError: a deadline that is not positive, or a place that is not `module:Class`.
        """
        for name, seconds in (("call_seconds", call_seconds), ("start_seconds", start_seconds)):
            if not 0 < seconds < threading.TIMEOUT_MAX:
                raise ValueError(f"{name} is {seconds}; give a positive number of seconds")
        for name, place in environments.items():
            if not all(place.partition(":")):
                raise ValueError(f"environment {name!r} is at {place!r}; write 'module:Class'")
        self._environments = dict(environments)
        self._call_seconds = call_seconds
        self._start_seconds = start_seconds
        self._variables = dict(variables or {})
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._specs: dict[str, Spec] = {}
        self._closed = False

    @property
    def specs(self) -> Mapping[str, Spec]:
        """The environments it can open, by name, as described by the child.

        Raises:
            EnvironmentFailure: the child cannot import or describe them.
        """
        if not self._specs:
            self._running()
        return self._specs

    @property
    def pid(self) -> int | None:
        """Process id of the child, if one is running."""
        child = self._child
        return child.pid if child is not None and child.failure is None else None

    def open(self, environment: str, start: Start) -> WorkerInstance:
        """Open a private copy, in a fresh child if the last one failed.

        Raises:
            KeyError: no such environment here.
            ValueError: the start's document is not a state of this environment.
            EnvironmentFailure: the child or the scenario failed.
        """
        if environment not in self._environments:
            raise KeyError(f"no environment {environment!r}; there are {', '.join(sorted(self._environments))}")
        child = self._running()
        held = _Held(child)
        request = {"verb": "open", "held": held.number, "environment": environment}
        child.ask(request, start.model_dump_json().encode(), self._start_seconds)
        return WorkerInstance(held, self._specs[environment], self._call_seconds)

    def close(self) -> None:
        """End the child; its instances fail from now on. Closing twice is fine."""
        with self._lock:
            self._closed = True
            child, self._child = self._child, None
        if child is not None:
            child.end("closed", "the worker was closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _running(self) -> _Child:
        with self._lock:
            if self._closed:
                raise EnvironmentFailure("closed", "the worker was closed")
            if self._child is None or self._child.failure is not None:
                child = _Child(self._variables)
                try:
                    reply = child.ask({"verb": "start", "environments": self._environments}, b"", self._start_seconds)
                except BaseException:
                    child.end("crash", "the worker did not start")
                    raise
                if not self._specs:
                    documents: dict[str, str] = orjson.loads(reply[1])
                    self._specs = {name: Spec.model_validate_json(text) for name, text in documents.items()}
                self._child = child
            return self._child


class WorkerInstance:
    """An instance in the child; see `Instance`. Its snapshots can be restored by any instance of the same child."""

    def __init__(self, held: _Held, spec: Spec, call_seconds: float) -> None:
        self._held: _Held | None = held
        self._spec = spec
        self._call_seconds = call_seconds

    def call(self, tool: str, arguments: Any) -> Result:
        """Run a tool; see `Instance.call`.

        Raises:
            EnvironmentFailure: `timeout`: the call overran its deadline, and the child was killed; `crash`: the child
                died of it, or had died before; `bug`: the tool raised; `closed`.
        """
        try:
            given = argument_text(arguments)
        except ToolError as error:
            if tool in self._spec.tool_by_name:
                self._open()
                return Result.refusal(error)
            given = b"{}"
        reply, text = self._ask({"verb": "call", "tool": tool}, given)
        return Result(text.decode(), reply["ok"])

    def snapshot(self) -> _Held:
        """Return a mark; the child keeps the state that it names until the mark is gone."""
        mark = _Held(self._open().child)
        self._ask({"verb": "snapshot", "mark": mark.number})
        return mark

    def restore(self, snapshot: object) -> None:
        """Go back to a mark.

        Raises:
            TypeError: not a snapshot of this environment.
            EnvironmentFailure: `crash`: the mark was of a child that is gone.
        """
        if not isinstance(snapshot, _Held):
            raise TypeError(f"not a snapshot of a worker's instance: {snapshot!r}")
        if snapshot.child is not self._open().child:
            raise EnvironmentFailure("crash", "the snapshot was taken in another worker process, which is gone")
        self._ask({"verb": "restore", "mark": snapshot.number})

    def dump(self) -> bytes:
        """The state document."""
        return self._ask({"verb": "dump"})[1]

    def diff(self) -> StateDiff:
        """What changed since the instance was opened."""
        return StateDiff.model_validate_json(self._ask({"verb": "diff"})[1])

    def advance(self, now: dt.datetime) -> None:
        """Move the clock; it never goes back.

        Raises:
            ValueError: the clock would go back.
        """
        self._ask({"verb": "advance"}, now.isoformat().encode())

    def close(self) -> None:
        """Release the instance; closing twice is fine."""
        self._held = None

    def _open(self) -> _Held:
        if self._held is None:
            raise EnvironmentFailure("closed", "this instance was closed")
        self._held.child.check()
        return self._held

    def _ask(self, request: dict[str, Any], payload: bytes = b"") -> tuple[dict[str, Any], bytes]:
        held = self._open()
        return held.child.ask({**request, "held": held.number}, payload, self._call_seconds)


class _Held:
    """Something that the child holds under a number, until this is gone: an instance, or the state of a snapshot."""

    def __init__(self, child: _Child) -> None:
        self.child = child
        self.number = next(child.numbers)

    def __del__(self) -> None:
        self.child.dropped.append(self.number)


class _Child:
    """One child process: its socket, one request at a time, and why it ended (`failure`)."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.numbers = itertools.count(1)
        self.dropped: deque[int] = deque()
        self.failure: tuple[FailureKind, str] | None = None
        self._lock = threading.Lock()
        self._parent = os.getpid()
        ours, theirs = socket.socketpair()
        path = os.pathsep.join(folder or str(os.getcwd()) for folder in sys.path)  # noqa: PTH109 (text, as sys.path is)
        with theirs:
            try:
                # A session of its own: Ctrl-C is the parent's to handle, and whatever a tool starts is killed with it.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "envfactory.environment.worker", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                    env={**os.environ, "PYTHONPATH": path, **variables},
                )
            except BaseException:
                ours.close()
                raise
        self._socket = ours
        self._bury = weakref.finalize(self, _bury, self._process, ours, self._parent)

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: dict[str, Any], payload: bytes, seconds: float) -> tuple[dict[str, Any], bytes]:
        """Send a request and return its answer, by a deadline that counts from when it is this request's turn.

        Raises:
            EnvironmentFailure: the child failed, now or before, or reports a failure.
        """
        with self._lock:
            self.check()
            dropped = [self.dropped.popleft() for _ in range(len(self.dropped))]
            header = orjson.dumps({**request, "dropped": dropped, "seconds": seconds})
            try:
                deadline = time.monotonic() + seconds
                send(self._socket, header, payload, deadline)
                reply, body = receive(self._socket, deadline)
            except TimeoutError:
                raise self._fail("timeout", f"{_named(request)} took over {seconds:g} s") from None
            except (OSError, EOFError):
                raise self._fail("crash", f"the worker died in {_named(request)}") from None
            except BaseException:
                # Interrupted half way, the socket no longer tells which answer is whose.
                self._fail("crash", f"{_named(request)} was interrupted")
                raise
        found: dict[str, Any] = orjson.loads(reply)
        if kind := found.get("failure"):
            raise EnvironmentFailure(kind, body.decode())
        if kind := found.get("raised"):
            raise RAISED[kind](body.decode())
        return found, body

    def check(self) -> None:
        """Raise the `EnvironmentFailure` by which the child ended, if it did."""
        if self.failure is not None:
            raise EnvironmentFailure(*self.failure)

    def end(self, kind: FailureKind, message: str) -> None:
        """Kill the process and wait for it; a request in progress fails."""
        self.failure = self.failure or (kind, message)
        # Wakes the thread that waits for an answer; closing the socket under it could give its number to another file.
        if os.getpid() == self._parent:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._bury()

    def _fail(self, kind: FailureKind, message: str) -> EnvironmentFailure:
        code = self._bury()
        how = f"; the worker ended by {_ended(code)}" if code is not None else ""
        self.failure = self.failure or (kind, f"{message}{how}")
        return EnvironmentFailure(*self.failure)


def _bury(process: subprocess.Popen[bytes], connection: socket.socket, parent: int) -> int | None:
    """Kill a child with all that it started, wait for it, close the connection; return its exit status."""
    if os.getpid() != parent:  # a fork of the parent lets go of what is not its own
        connection.close()
        return None
    # Nobody has waited for the child yet, so the number of its process group cannot have gone to anyone else.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    connection.close()
    return process.wait(_END_SECONDS)


def _named(request: Mapping[str, Any]) -> str:
    return f"tool {request['tool']!r}" if request["verb"] == "call" else f"'{request['verb']}'"


def _ended(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit status {code}"


def main(descriptor: int) -> None:
    """Serve requests from an inherited socket until it closes."""
    host = Host()
    # The descriptor itself stays open until the process is gone, so that the parent then finds its exit status.
    os.set_inheritable(descriptor, False)
    with socket.socket(fileno=os.dup(descriptor)) as connection:
        while True:
            try:
                header, payload = receive(connection)
            except (EOFError, ConnectionError):
                return
            request: dict[str, Any] = orjson.loads(header)
            signal.setitimer(signal.ITIMER_REAL, request["seconds"] + _GRACE_SECONDS)
            reply, body = host.answer(request, payload)
            signal.setitimer(signal.ITIMER_REAL, 0)
            try:
                send(connection, orjson.dumps(reply), body)
            except ConnectionError:
                return


if __name__ == "__main__":
    main(int(sys.argv[1]))
