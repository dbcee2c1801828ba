"""Backends: where an environment's code runs.

A `Backend` opens instances of environments; an `Instance` is one private copy with one state. Two backends exist: in
process (`InProcess`, for environments that are trusted) and in a worker process (`worker.Worker`, with enforced time
limits). Both give the same bytes for the same calls. A `Session` puts instances of several environments together.
"""

from __future__ import annotations

import datetime as dt
import difflib
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from envfactory.environment.describe import describe
from envfactory.environment.environment import Environment
from envfactory.environment.errors import EnvironmentFailure, ToolError
from envfactory.environment.results import Result
from envfactory.environment.spec import Spec
from envfactory.environment.states import StateDiff, diff_states, dump_state, load_state
from envfactory.environment.tools import argument_text
from envfactory.environment.world import World

DEFAULT_CALL_SECONDS = 5.0

E = TypeVar("E", bound=Environment)


class Start(BaseModel):
    """The state that an instance opens with: a scenario by seed, size and clock, or a full state document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 0
    size: int = 60
    now: dt.datetime
    document: str | None = None


class Instance(Protocol):
    """One private copy of an environment."""

    def call(self, tool: str, arguments: Any) -> Result:
        """Run a tool with arguments (a JSON object, or its text); a refusal is a result, never an exception.

        Raises:
            EnvironmentFailure: infrastructure failed; the state is as before the call.
        """
        ...

    def snapshot(self) -> object:
        """Return a mark to come back to; costs nothing."""
        ...

    def restore(self, snapshot: object) -> None:
        """Go back to a mark of this instance."""
        ...

    def dump(self) -> bytes:
        """The state document."""
        ...

    def diff(self) -> StateDiff:
        """What changed since the instance was opened."""
        ...

    def advance(self, now: dt.datetime) -> None:
        """Move the clock; it never goes back."""
        ...

    def close(self) -> None:
        """Release the instance; further use is an `EnvironmentFailure`."""
        ...


class Backend(Protocol):
    """Opens instances."""

    @property
    def specs(self) -> Mapping[str, Spec]:
        """The environments it can open, by name."""
        ...

    def open(self, environment: str, start: Start) -> Instance:
        """Open a private copy.

        Raises:
            KeyError: no such environment here.
        """
        ...


class InProcess:
    """Runs environments in this process; for trusted code. Safe to open and use from many threads, an instance each."""

    def __init__(
        self, environments: Mapping[str, type[Environment]], call_seconds: float = DEFAULT_CALL_SECONDS
    ) -> None:
        self._environments = dict(environments)
        self._call_seconds = call_seconds
        self._base = lru_cache(maxsize=512)(self._build)
        self._specs = {name: describe(environment) for name, environment in self._environments.items()}

    @property
    def specs(self) -> Mapping[str, Spec]:
        """The environments it can open, by name."""
        return self._specs

    def open(self, environment: str, start: Start) -> LocalInstance:
        """Open a private copy; instances of one scenario share its records until they write."""
        if environment not in self._environments:
            raise KeyError(f"no environment {environment!r}; there are {', '.join(sorted(self._environments))}")
        base = self._base(environment, start)  # pyright: ignore[reportArgumentType] (a frozen model has a hash)
        return LocalInstance(base, self._call_seconds)

    def _build(self, environment: str, start: Start) -> Environment:
        cls = self._environments[environment]
        if start.document is not None:
            return load_state(cls, start.document.encode())
        return build_scenario(cls, start.seed, start.size, start.now)


def build_scenario(environment: type[E], seed: int, size: int, now: dt.datetime) -> E:
    """Return the sealed scenario of an environment."""
    return environment.scenario(World(seed, now, environment.environment_name()), size).seal()


class LocalInstance:
    """An instance in this process: a pointer to the current sealed state."""

    __slots__ = ("_base", "_call_seconds", "_changed", "_state", "_tools")

    def __init__(self, base: Environment, call_seconds: float = DEFAULT_CALL_SECONDS) -> None:
        self._base = base
        self._state: Environment | None = base
        self._changed: tuple[Environment, StateDiff] = base, StateDiff()
        self._tools = type(base).tools
        self._call_seconds = call_seconds

    @property
    def state(self) -> Environment:
        """The current state, sealed.

        Raises:
            EnvironmentFailure: `closed`.
        """
        if self._state is None:
            raise EnvironmentFailure("closed", "this instance was closed")
        return self._state

    def call(self, tool: str, arguments: Any) -> Result:
        """Run a tool; see `Instance.call`. An overrun is noticed afterwards, since nothing can stop code in process."""
        state = self.state
        found = self._tools.get(tool)
        if found is None:
            near = difflib.get_close_matches(tool, self._tools, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            return Result.refusal(ToolError("unknown_tool", f"There is no tool {tool!r}.{hint}"))
        began = time.perf_counter()
        fork: Environment | None = None
        try:
            values = found.arguments(argument_text(arguments))
            if found.declaration.writes:
                fork = state.fork()
                output = found.function(fork, **values)
            else:
                output = found.function(state, **values)
            if type(output) is not found.output:
                raise TypeError(f"{tool} returned {type(output).__name__}, not {found.output.__name__}")
            result = Result.of(output)
        except ToolError as error:
            return Result.refusal(error)
        except (Exception, SystemExit) as error:  # a tool that calls exit() fails; it does not end its caller
            raise EnvironmentFailure(
                "bug", f"{type(state).__name__}.{tool}: {type(error).__name__}: {error}"
            ) from error
        finally:
            if fork is not None:
                fork.seal()
        if time.perf_counter() - began > self._call_seconds:
            raise EnvironmentFailure("timeout", f"{type(state).__name__}.{tool} took over {self._call_seconds} s")
        if fork is not None:
            self._state = fork
        return result

    def snapshot(self) -> Environment:
        """Return the current state itself: states never change in place."""
        return self.state

    def restore(self, snapshot: object) -> None:
        """Go back to a snapshot."""
        if type(snapshot) is not type(self.state):
            raise TypeError(f"not a snapshot of {type(self._base).__name__}: {snapshot!r}")
        self._state = snapshot

    def dump(self) -> bytes:
        """The state document."""
        return dump_state(self.state)

    def diff(self) -> StateDiff:
        """What changed since the instance was opened; asked again in the same state, it is the same object."""
        if self._changed[0] is not self.state:
            self._changed = self.state, diff_states(self._base, self.state)
        return self._changed[1]

    def advance(self, now: dt.datetime) -> None:
        """Move the clock; it never goes back."""
        if now < self.state.now:
            raise ValueError(
                f"the clock stands at {self.state.now.isoformat()}, it does not go back to {now.isoformat()}"
            )
        self._state = self.state.at(now)

    def close(self) -> None:
        """Release the state."""
        self._state = None
