"""`Session`: one trajectory's private copy of one or more environments.

Agents reach tools by wire name (`hotel_reservations-book_room`); the control verbs (snapshot, restore, diff, advance)
are never among the tools. Sessions share nothing that changes, so any number of them may run side by side; one session
serialises its own calls.
"""

from __future__ import annotations

import datetime as dt
import difflib
import hashlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import orjson
from pydantic import BaseModel, ConfigDict

from envfactory.environment.backend import Backend, Instance, Start
from envfactory.environment.declare import Actor
from envfactory.environment.errors import EnvironmentFailure, ToolError
from envfactory.environment.results import Result
from envfactory.environment.spec import SEPARATOR, Spec, ToolSpec
from envfactory.environment.states import State, StateDiff

DEFAULT_NOW = dt.datetime(2026, 3, 2, 9, 0)
"""The clock of scenarios unless told otherwise: a Monday morning."""


class Reference(BaseModel):
    """What a session starts from, in a few bytes: which environments in which version, seed, size and clock.

    Attributes:
        environments: name to source digest, so that stale data is noticed.
        states: full state documents instead of scenarios, by environment; as a rule empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    environments: dict[str, str]
    seed: int = 0
    size: int = 60
    now: dt.datetime = DEFAULT_NOW
    states: dict[str, str] = {}

    def start(self, environment: str) -> Start:
        """What one environment opens with."""
        document = self.states.get(environment)
        if document is None:
            return _scenario(self.seed, self.size, self.now)
        return Start(seed=self.seed, size=self.size, now=self.now, document=document)


@lru_cache(maxsize=4096)
def _scenario(seed: int, size: int, now: dt.datetime) -> Start:
    return Start(seed=seed, size=size, now=now)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A mark in a session: its instances' marks and its clock."""

    marks: Mapping[str, object]
    now: dt.datetime


class Session:
    """See the module docstring. Use as a context manager, or `close` it."""

    def __init__(self, backend: Backend, reference: Reference) -> None:
        """Open a private copy of every environment of the reference.

        Raises:
            KeyError: an environment that the backend does not have.
        """
        self.reference = reference
        self.now = reference.now
        self._lock = threading.RLock()
        self.specs: dict[str, Spec] = {
            name: backend.specs[name] for name in reference.environments if name in backend.specs
        }
        self._instances: dict[str, Instance] = {}
        try:
            for name in reference.environments:
                self._instances[name] = backend.open(name, reference.start(name))
        except BaseException:
            self.close()
            raise

    @property
    def environments(self) -> tuple[str, ...]:
        """Names of the environments, in the reference's order."""
        return tuple(self._instances)

    def tools(self, by: Actor = "agent") -> Iterator[ToolSpec]:
        """The tools that an agent is offered (or that the user performs)."""
        for spec in self.specs.values():
            yield from (tool for tool in spec.tools if tool.by == by)

    def call(self, name: str, arguments: Any, by: Actor = "agent") -> Result:
        """Execute one call by wire name; a refusal, an unknown tool included, is a result.

        Args:
            name: `<environment>-<tool>`.
            arguments: a JSON object, or its text.
            by: who calls; an agent cannot use what only the user can do.

        Raises:
            EnvironmentFailure: infrastructure failed; the state is as before.
        """
        environment, _, tool = name.partition(SEPARATOR)
        spec = self.specs.get(environment)
        declared = spec.tool_by_name.get(tool) if spec else None
        if declared is None or declared.by != by:
            return self._unknown(name, by)
        with self._lock:
            instance = self._instances.get(environment)
            if instance is None:
                raise EnvironmentFailure("closed", "this session was closed")
            return instance.call(tool, arguments)

    def actor(self, name: str) -> Actor:
        """Who a tool is for, by wire name; the agent, if there is no such tool."""
        environment, _, tool = name.partition(SEPARATOR)
        spec = self.specs.get(environment)
        declared = spec.tool_by_name.get(tool) if spec else None
        return declared.by if declared else "agent"

    def _unknown(self, name: str, by: Actor) -> Result:
        environment, _, tool = name.partition(SEPARATOR)
        offered = list(self.tools(by))
        if environment in self.specs:  # or else the part they share would make any two names look alike
            named = {declared.name: declared.wire_name for declared in offered if declared.environment == environment}
            near = [named[found] for found in difflib.get_close_matches(tool, named, 1)]
        else:
            near = difflib.get_close_matches(name, [declared.wire_name for declared in offered], 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return Result.refusal(ToolError("unknown_tool", f"There is no tool {name!r}.{hint}"))

    def snapshot(self) -> Snapshot:
        """Mark the present state of all environments."""
        with self._lock:
            return Snapshot({name: instance.snapshot() for name, instance in self._open()}, self.now)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this session, or of another one with the same reference in the same process.

        Raises:
            ValueError: the snapshot is of a session with other environments; nothing was restored.
        """
        with self._lock:
            opened = self._open()
            if snapshot.marks.keys() != self._instances.keys():
                has, marked = ", ".join(self._instances), ", ".join(snapshot.marks)
                raise ValueError(f"the snapshot is of {marked}, but the session has {has}")
            for name, instance in opened:
                instance.restore(snapshot.marks[name])
            self.now = snapshot.now

    def dump(self) -> dict[str, bytes]:
        """The state document of every environment."""
        with self._lock:
            return {name: instance.dump() for name, instance in self._open()}

    def documents(self) -> dict[str, State]:
        """The state document of every environment, parsed."""
        return {name: orjson.loads(document) for name, document in self.dump().items()}

    def dump_of(self, environment: str) -> bytes:
        """The state document of one environment."""
        with self._lock:
            return self._instance(environment).dump()

    def digest(self) -> str:
        """SHA-256 over the state documents: equal digests mean byte-identical states."""
        total = hashlib.sha256()
        for name, document in self.dump().items():
            total.update(b"%s\0%d\0" % (name.encode(), len(document)))
            total.update(document)
        return total.hexdigest()

    def diff(self) -> dict[str, StateDiff]:
        """What changed since the session was opened, for each environment that changed."""
        with self._lock:
            found = {name: instance.diff() for name, instance in self._open()}
        return {name: diff for name, diff in found.items() if diff}

    def advance(self, now: dt.datetime) -> None:
        """Move the clock of every environment; done between user turns only.

        Raises:
            ValueError: the clock of some environment would go back; none was moved.
        """
        with self._lock:
            if now < self.now:
                clock = self.now.isoformat()
                raise ValueError(f"the clock stands at {clock}, it does not go back to {now.isoformat()}")
            before = self.snapshot()
            try:
                for _, instance in self._open():
                    instance.advance(now)
            except ValueError:
                self.restore(before)
                raise
            self.now = now

    def close(self) -> None:
        """Release every instance; closing twice is fine."""
        with self._lock:
            instances, self._instances = self._instances, {}
            for instance in instances.values():
                instance.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> list[tuple[str, Instance]]:
        if not self._instances:
            raise EnvironmentFailure("closed", "this session was closed")
        return list(self._instances.items())

    def _instance(self, environment: str) -> Instance:
        try:
            return self._instances[environment]
        except KeyError:
            raise EnvironmentFailure("closed", "this session was closed") from None
