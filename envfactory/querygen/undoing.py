"""Calls that undo each other: found by execution, never declared.

A writing tool is called with drawn arguments, and then another one (or the same) for the same record: what it needs
beside is what the record said before, or what the first call gave. If the state is then as it was, counters apart, the
two undo each other (freeze and unfreeze, there and back, add and remove). Which tools do so is found once an
environment, in scenarios of its own; each use is executed and compared again.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from envfactory.environment import SEPARATOR, Backend, Reference, Result, Session, Snapshot, Spec, StateDiff, ToolSpec
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.environment.paths import values_at
from envfactory.environment.states import Row, State
from envfactory.gold import Binding, Const, GoldCall, Out

TRIES = 5
"""Draws of a first call in each scenario."""
SCENARIOS = 3
SIZE = 24

Given = dict[str, tuple[Any, str | None]]
"""Arguments: each with its value, and where the first call's result has it, if it does."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tools of an environment that undo each other, by name."""

    environment: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made: as a call of a program, with its arguments and result, and the state before it."""

    call: GoldCall
    arguments: dict[str, Any]
    result: Result
    before: Snapshot


class Undoing:
    """Knows the pairs of one backend's environments."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @cached_property
    def _drawers(self) -> dict[str, Drawer]:
        return {name: Drawer(spec) for name, spec in self._backend.specs.items()}

    @cached_property
    def _known(self) -> dict[str, tuple[Pair, ...]]:
        return {}

    def pairs(self, environment: str) -> tuple[Pair, ...]:
        """The pairs of an environment, in the order of its tools."""
        if environment not in self._known:
            self._known[environment] = self._find(environment)
        return self._known[environment]

    def make(
        self, pair: Pair, state: State, place: int, session: Session, rng: random.Random
    ) -> tuple[Made, Made] | None:
        """Make both calls, if that leaves the state as it was; else nothing has been done.

        Args:
            pair: the tools.
            state: the parsed state document of the environment.
            place: where the first call will stand in its program.
            session: stands in that state.
            rng: source of every choice.
        """
        before, content = session.snapshot(), _content(session)
        one = self._first(pair.environment, pair.first, state, session, rng)
        if one is not None:
            two = self._second(pair, state, place, one, session, content)
            if two is not None:
                return one, two
        session.restore(before)
        return None

    def _find(self, environment: str) -> tuple[Pair, ...]:
        writing = [tool.name for tool in self._backend.specs[environment].agent_tools if tool.writes]
        found: set[Pair] = set()
        for seed in range(SCENARIOS):
            reference = Reference(environments={environment: ""}, seed=seed, size=SIZE)
            with Session(self._backend, reference) as session:
                state, opening = session.documents()[environment], session.snapshot()
                content = _content(session)
                for first in writing:
                    rng = random.Random(f"{environment}/{first}/{seed}")
                    for _ in range(TRIES):
                        session.restore(opening)
                        one = self._first(environment, first, state, session, rng)
                        if one is None:
                            continue
                        changed = session.snapshot()
                        for second in writing:
                            pair = Pair(environment, first, second)
                            if pair not in found:
                                session.restore(changed)
                                if self._second(pair, state, 0, one, session, content) is not None:
                                    found.add(pair)
        order = {name: place for place, name in enumerate(writing)}
        return tuple(sorted(found, key=lambda pair: (order[pair.first], order[pair.second])))

    def _first(
        self, environment: str, tool: str, state: State, session: Session, rng: random.Random
    ) -> Made | None:  # fmt: skip
        """Make the first call; None if it cannot be drawn or is refused."""
        try:
            arguments = self._drawers[environment].draw(tool, state, rng, include=0.0)
        except Undrawable:
            return None
        before = session.snapshot()
        name = f"{environment}{SEPARATOR}{tool}"
        result = session.call(name, arguments)
        bound: dict[str, Binding] = {key: Const(value=value) for key, value in arguments.items()}
        return Made(GoldCall(tool=name, arguments=bound), arguments, result, before) if result.ok else None

    def _second(
        self, pair: Pair, state: State, place: int, one: Made, session: Session, content: Mapping[str, StateDiff]
    ) -> Made | None:
        """Make the second call; None if it does not lead back to `content`."""
        spec = self._backend.specs[pair.environment]
        first, second = spec.tool_by_name[pair.first], spec.tool_by_name[pair.second]
        given = _back(spec, first, second, state, one)
        if given is None:
            return None
        before = session.snapshot()
        name = f"{pair.environment}{SEPARATOR}{pair.second}"
        arguments = {key: value for key, (value, _) in given.items()}
        result = session.call(name, arguments)
        if not result.ok or _content(session) != content:
            return None
        bound: dict[str, Binding] = {
            key: Const(value=value) if path is None else Out(call=place, path=path)
            for key, (value, path) in given.items()
        }
        return Made(GoldCall(tool=name, arguments=bound), arguments, result, before)


def _content(session: Session) -> dict[str, StateDiff]:
    """What has changed in a session since it was opened, counters apart."""
    found: dict[str, StateDiff] = {}
    for name, diff in session.diff().items():
        fields = {key: value for key, value in diff.fields.items() if key != "counters"}
        if diff.tables or fields:
            found[name] = diff.model_copy(update={"fields": fields})
    return found


def _back(spec: Spec, first: ToolSpec, second: ToolSpec, state: State, one: Made) -> Given | None:
    """Arguments that might undo the first call; None where some cannot be known."""
    record = _record(spec, first, state, one.arguments)
    found: Given = {}
    for leaf in second.inputs:
        if leaf.path != leaf.name:
            return None  # nested arguments are not put together again
        made = next((o.path for o in first.outputs if leaf.ref and o.ref == leaf.ref and o.path == o.name), None)
        if leaf.ref and leaf.path in one.arguments and first.input_by_path[leaf.path].ref == leaf.ref:
            found[leaf.path] = (one.arguments[leaf.path], None)
        elif made is not None and (values := list(values_at(one.result.value, made))):
            found[leaf.path] = (values[0], made)
        elif record is not None and leaf.path in record and (leaf.required or leaf.path in one.arguments):
            found[leaf.path] = (record[leaf.path], None)
        elif leaf.required:
            return None
    return found


def _record(spec: Spec, tool: ToolSpec, state: State, arguments: Mapping[str, Any]) -> Row | None:
    """The record that a call is about, as it is before it."""
    for leaf in tool.inputs:
        table = spec.table_of_entity.get(leaf.ref)
        key = arguments.get(leaf.path)
        if table is not None and isinstance(key, str) and key in state[table.name]:
            return state[table.name][key]
    return None
