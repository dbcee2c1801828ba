"""`Subject`: the environment under check, with what the properties share.

Most properties replay the same walks: sequences of drawn calls over scenarios of several seeds, every tool many times
in a seeded order, each call drawn from the state that the ones before it left. A walk is recorded once; what replaying
it gives is a transcript, which two runs must share byte for byte.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from envfactory.environment.backend import Backend, InProcess, Instance, LocalInstance, Start
from envfactory.environment.describe import describe
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.environment.environment import Environment
from envfactory.environment.errors import EnvironmentFailure, ReadOnlyError
from envfactory.environment.results import Result
from envfactory.environment.session import DEFAULT_NOW
from envfactory.environment.states import State
from envfactory.environment.worker import Worker

SIZE = 60
WALK_SEEDS = (0, 1, 2)
ROUNDS = 8
"""How often a walk calls each tool."""
HASH_SEEDS = (1, 2)
"""`PYTHONHASHSEED` of the processes whose results are compared."""
EXTRA_SEEDS = range(10)
"""Scenarios to look further in when the walks did not show what a property asks for."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one call came to: a result, or the failure that it raised instead."""

    result: Result | None
    failure: str = ""
    read_only: bool = False

    @property
    def ok(self) -> bool:
        """Whether the tool did what was asked."""
        return self.result is not None and self.result.ok

    @property
    def text(self) -> str:
        """The result's text, or the failure's."""
        return self.result.text if self.result is not None else self.failure


@dataclass(frozen=True, slots=True)
class Step:
    """One drawn call of a walk, and what it came to when the walk was recorded."""

    tool: str
    arguments: dict[str, Any]
    attempt: Attempt

    def __str__(self) -> str:
        return f"{self.tool}({orjson.dumps(self.arguments).decode()})"


@dataclass(frozen=True, slots=True)
class Walk:
    """Calls one after the other from the scenario of a seed."""

    start: Start
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """What replaying a walk gave: the state before, the text of every call, the state and the difference after."""

    before: bytes
    texts: tuple[str, ...]
    after: bytes
    diff: str


def attempt(instance: Instance, tool: str, arguments: Any) -> Attempt:
    """Make a call, with a failure as an outcome."""
    try:
        return Attempt(instance.call(tool, arguments))
    except EnvironmentFailure as error:
        return Attempt(None, f"{error.kind}: {error}", isinstance(error.__cause__, ReadOnlyError))


def state_of(instance: Instance) -> State:
    """The parsed state document of an instance."""
    return orjson.loads(instance.dump())


class Subject:
    """The environment under check; see the module docstring."""

    def __init__(self, environment: type[Environment]) -> None:
        self.environment = environment
        self.name = environment.environment_name()
        self.spec = describe(environment)
        self.drawer = Drawer(self.spec)

    def backend(self) -> InProcess:
        """A backend of its own, so that what one property spoils does not reach another."""
        return InProcess({self.name: self.environment})

    def open(self, seed: int) -> LocalInstance:
        """An instance in process that shares nothing with any other."""
        return self.backend().open(self.name, self.start(seed))

    def start(self, seed: int) -> Start:
        """The scenario of a seed."""
        return Start(seed=seed, size=SIZE, now=DEFAULT_NOW)

    def rng(self, *what: object) -> random.Random:
        """A generator for one purpose, the same in every process."""
        return random.Random("/".join(map(str, (self.name, *what))))

    @cached_property
    def walks(self) -> tuple[Walk, ...]:
        """The recorded walks."""
        return tuple(self._walk(seed) for seed in WALK_SEEDS)

    def _walk(self, seed: int) -> Walk:
        rng = self.rng("walk", seed)
        instance = self.open(seed)
        tools = [tool.name for tool in self.spec.tools]
        steps: list[Step] = []
        for _ in range(ROUNDS):
            for tool in rng.sample(tools, len(tools)):
                try:
                    arguments = self.drawer.draw(tool, state_of(instance), rng)
                except Undrawable:
                    continue
                for name, given in self.calls(tool, arguments):
                    steps.append(Step(name, given, attempt(instance, name, given)))
        return Walk(self.start(seed), tuple(steps))

    def calls(self, tool: str, arguments: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """A call, and before it what the person has to do first."""
        act = self.spec.done_first(self.spec.tool_by_name[tool], arguments)
        return [(act[0].name, act[1]), (tool, arguments)] if act else [(tool, arguments)]

    def extra_draws(self, tool: str, purpose: str, draws: int) -> Iterator[tuple[LocalInstance, dict[str, Any]]]:
        """More instances with drawn arguments for a tool: every seed, with all, some and none of its options."""
        for seed in EXTRA_SEEDS:
            rng = self.rng(purpose, tool, seed)
            instance = self.open(seed)
            state, mark = state_of(instance), instance.snapshot()
            for number in range(draws):
                try:
                    arguments = self.drawer.draw(tool, state, rng, include=(1.0, 0.5, 0.0)[number % 3])
                except Undrawable:
                    continue
                instance.restore(mark)
                for name, given in self.calls(tool, arguments)[:-1]:
                    attempt(instance, name, given)
                yield instance, arguments

    def transcript(self, backend: Backend, walk: Walk) -> Transcript:
        """Replay a walk in a backend."""
        instance = backend.open(self.name, walk.start)
        before = instance.dump()
        texts = tuple(attempt(instance, step.tool, step.arguments).text for step in walk.steps)
        return Transcript(before, texts, instance.dump(), instance.diff().model_dump_json())

    @cached_property
    def alone(self) -> tuple[Transcript, ...]:
        """The walks replayed in process, one after the other."""
        return tuple(self.transcript(self.backend(), walk) for walk in self.walks)

    @cached_property
    def forwards(self) -> tuple[Transcript, ...]:
        """The walks replayed in a process of their own, one after the other."""
        return self._elsewhere(HASH_SEEDS[0], self.walks)

    @cached_property
    def backwards(self) -> tuple[Transcript, ...]:
        """Likewise, the last walk first."""
        # One process shows as a rule that neither the order nor the hash seed counts; if one does, it takes another.
        hashed = self.hashed_otherwise
        return hashed if hashed == self.forwards else self._elsewhere(HASH_SEEDS[0], self.walks[::-1])[::-1]

    @cached_property
    def hashed_otherwise(self) -> tuple[Transcript, ...]:
        """Likewise, the last walk first, where other things come first in a set."""
        return self._elsewhere(HASH_SEEDS[1], self.walks[::-1])[::-1]

    def _elsewhere(self, hash_seed: int, walks: Sequence[Walk]) -> tuple[Transcript, ...]:
        place = f"{self.environment.__module__}:{self.environment.__qualname__}"
        with Worker({self.name: place}, variables={"PYTHONHASHSEED": str(hash_seed)}) as worker:
            return tuple(self.transcript(worker, walk) for walk in walks)
