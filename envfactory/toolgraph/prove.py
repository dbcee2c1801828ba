"""Proof by execution: produce the value in a scenario, feed it to the consumer, see whether it is taken.

A producer is called with drawn arguments, a bounded number of times; each success is kept with the state that it
leaves. A value found at the output's path is given to the consumer in that state (in its own scenario, if it lives in
another environment). The consumer takes it if it succeeds, or refuses for a reason of the domain (the stay has begun)
rather than because the value names nothing or is no such value.

Some outputs have a value only once something has happened (a task is blocked, a parcel redirected). Where the first
calls give none, the producer is called in worlds that have been lived in: other tools have written there before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import Any

import orjson

from envfactory.environment import DEFAULT_NOW, Backend, EnvironmentFailure, Instance, Result, Start, ToolSpec
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.environment.paths import is_within, values_at
from envfactory.toolgraph.graph import Proof
from envfactory.toolgraph.leaves import Leaf, Leaves

RUNS = 6
"""Successful calls of a producer, each in a scenario of its own seed."""

DRAWS = 8
"""Tries for one such success."""

SEARCHED = 72
"""Calls of a producer in lived-in worlds, for outputs that none of its runs gave a value."""

LIVED = 24
"""Writing calls that make a world a lived-in one."""

VALUES = 3
"""Different values taken from one run."""

TRIES = 12
"""Calls of a consumer for one edge."""

EMPTY = "the producer never gave a value"
"""Outcome of a proof whose producer succeeded in every world, lived in or not, without a value at the output."""

UNFED = "no other arguments go with it"
"""Outcome of a proof whose consumer has no other arguments that go with the value."""

_World = tuple[Instance, object, Mapping[str, Any]]
"""A scenario: the instance, a snapshot to go back to, and the state there."""

NOT_TAKEN = frozenset({"not_found", "invalid_argument", "unknown_tool"})
"""Refusals that may be the value's fault."""


@dataclass(frozen=True)
class Run:
    """A successful call of a producer: arguments and output as JSON, the scenario's seed, and what it found and left.

    Attributes:
        mark: a snapshot of what it left.
        before: the state that it found.
        document: the state that it left, as JSON; None: the one that it found.
    """

    seed: int
    arguments: Mapping[str, Any]
    output: Any
    mark: object
    before: Mapping[str, Any]
    document: bytes | None

    @cached_property
    def state(self) -> Mapping[str, Any]:
        """The state left behind; that of most runs is never asked for."""
        return self.before if self.document is None else orjson.loads(self.document)


@dataclass
class Prover:
    """Executes tools of one set of environments; every choice is drawn by the names of the tools alone.

    Attributes:
        size: of the scenarios.
    """

    leaves: Leaves
    backend: Backend
    size: int
    _runs: dict[int, list[Run]] = field(default_factory=dict[int, list[Run]])
    _homes: dict[tuple[str, int], _World] = field(default_factory=dict[tuple[str, int], _World])
    _drawers: dict[str, Drawer] = field(default_factory=dict[str, Drawer])
    _searched: dict[int, list[Run | None]] = field(default_factory=dict[int, list[Run | None]])
    _lived: dict[tuple[str, int], _World] = field(default_factory=dict[tuple[str, int], _World])
    _takes: dict[Leaf, bool] = field(default_factory=dict[Leaf, bool])

    def prove(self, output: Leaf, into: Leaf) -> Proof:
        """Feed values of an output leaf to an input leaf; stops at the first success."""
        if not self.runs(output.tool) and not any(self._search(output.tool)):
            return Proof(state="untried", outcome="the producer did not succeed")
        rng = random.Random(f"{self._name(output)} {self._name(into)}")
        fed = [(run, value) for run in self._giving(output) for value in self._values(run, output, into, rng)]
        if not fed:
            return Proof(state="untried", outcome=EMPTY)
        tried: list[Proof] = []
        for attempt in range(TRIES):
            run, value = fed[attempt % len(fed)]
            outcome = self._feed(output, into, run, value, rng)
            if outcome == "ok":
                return Proof(state="proved", value=value, outcome=outcome)
            if outcome == "undrawable":
                found = Proof(state="untried", value=value, outcome=UNFED)
            else:
                found = Proof(state="refused" if outcome in NOT_TAKEN else "proved", value=value, outcome=outcome)
            tried.append(found)
        if all(each.outcome == UNFED for each in tried):
            tried += self._sought(output, into, rng)
        return max(tried, key=lambda proof: ("untried", "refused", "proved").index(proof.state))

    def _sought(self, output: Leaf, into: Leaf, rng: random.Random) -> Iterator[Proof]:
        """Proof from values of lived-in worlds: other arguments may go with few of all values that there are."""
        for run in self._search(output.tool):
            for value in self._values(run, output, into, rng):
                if self._feed(output, into, run, value, rng) == "ok":
                    yield Proof(state="proved", value=value, outcome="ok")
                    return

    def takes_others(self, into: Leaf) -> bool:
        """Whether the consumer mostly succeeds with drawn values: a refusal is then the fault of the value fed."""
        if into not in self._takes:
            consumer = self.leaves.tools[into.tool]
            rng = random.Random(f"{self._name(into)} drawn")
            taken = 0
            for attempt in range(TRIES):
                instance, mark, state = self._home(consumer.environment, attempt % RUNS)
                instance.restore(mark)
                holders = partial(is_within, into.path)
                taken += self._call(instance, consumer, attempt % RUNS, state, rng, holders) is not None
            self._takes[into] = 2 * taken > TRIES
        return self._takes[into]

    def gives_back(self, output: Leaf, inputs: tuple[Leaf, ...]) -> bool | None:
        """Whether an output only ever held what the same call was given at `inputs`; None if it never held a value."""
        seen: list[bool] = []
        for run in self.runs(output.tool):
            given = {value for leaf in inputs for value in values_at(run.arguments, leaf.path)}
            seen += [value in given for value in values_at(run.output, output.path)]
        return all(seen) if seen else None

    def runs(self, tool: int) -> list[Run]:
        """The successful calls of a tool; made once."""
        if tool not in self._runs:
            found = [self._run(tool, seed) for seed in range(RUNS)]
            self._runs[tool] = [run for run in found if run is not None]
        return self._runs[tool]

    def _run(self, tool: int, seed: int) -> Run | None:
        spec = self.leaves.tools[tool]
        instance, start, state = self._home(spec.environment, seed)
        rng = random.Random(f"{spec.wire_name} {seed}")
        for _ in range(DRAWS):
            instance.restore(start)
            if run := self._call(instance, spec, seed, state, rng):
                return run
        return None

    def _giving(self, output: Leaf) -> list[Run]:
        """The runs that gave a value at an output; if none of the first did, the first one found in lived-in worlds."""
        found = [run for run in self.runs(output.tool) if _gave(run, output)]
        return found or list(islice((run for run in self._search(output.tool) if _gave(run, output)), 1))

    def _search(self, tool: int) -> Iterator[Run]:
        """Successful calls of a tool in lived-in worlds, with few and with many optional arguments; each made once."""
        spec = self.leaves.tools[tool]
        made = self._searched.setdefault(tool, [])
        for attempt in range(SEARCHED):
            if attempt == len(made):
                rng = random.Random(f"{spec.wire_name} searched {attempt}")
                instance, mark, state = self._lived_in(spec.environment, attempt % RUNS)
                instance.restore(mark)
                made.append(self._call(instance, spec, attempt % RUNS, state, rng, rng.choice((0.3, 0.8))))
            if run := made[attempt]:
                yield run

    def _lived_in(self, environment: str, seed: int) -> _World:
        """A scenario after writing calls of all its tools, those of the user among them."""
        if (environment, seed) not in self._lived:
            instance, mark, state = self._home(environment, seed)
            instance.restore(mark)
            rng = random.Random(f"{environment} {seed} lived in")
            writing = [tool for tool in self.backend.specs[environment].tools if tool.writes]
            for number in range(LIVED if writing else 0):
                run = self._call(instance, writing[number % len(writing)], seed, state, rng, 0.5)
                state = run.state if run else state
            self._lived[environment, seed] = (instance, instance.snapshot(), state)
        return self._lived[environment, seed]

    def _call(
        self,
        instance: Instance,
        tool: ToolSpec,
        seed: int,
        state: Mapping[str, Any],
        rng: random.Random,
        include: Callable[[str], bool] | float = 0.3,
    ) -> Run | None:
        """Call a tool with drawn arguments in the instance's state; None if it did not succeed."""
        try:
            arguments = self._drawer(tool.environment).draw(tool.name, dict(state), rng, include=include)
            result = self._after_first(instance, tool, arguments)
        except (Undrawable, EnvironmentFailure):
            return None
        if not result.ok:
            return None
        document = instance.dump() if tool.writes else None
        return Run(seed, arguments, result.value, instance.snapshot(), state, document)

    def _after_first(self, instance: Instance, tool: ToolSpec, arguments: dict[str, Any]) -> Result:
        """Call a tool, after what the person has to do first."""
        if act := self.backend.specs[tool.environment].done_first(tool, arguments):
            done = instance.call(act[0].name, act[1])
            if not done.ok:
                return done
        return instance.call(tool.name, arguments)

    def _values(self, run: Run, output: Leaf, into: Leaf, rng: random.Random) -> list[Any]:
        """A few values of a run, those first that the consumer's relations allow."""
        found = list(dict.fromkeys(values_at(run.output, output.path)))
        consumer = self.leaves.tools[into.tool]
        _, state = self._before(output, into, run)
        fitting = self._drawer(consumer.environment).fitting(consumer.name, into.path, dict(state))
        mixed = rng.sample(found, len(found))
        return sorted(mixed, key=lambda value: fitting is not None and value not in fitting)[:VALUES]

    def _before(self, output: Leaf, into: Leaf, run: Run) -> tuple[object, Mapping[str, Any]]:
        """Mark and state that the consumer is called in: what the producer left, or its own scenario elsewhere."""
        home = self.leaves.environments[into.tool]
        if self.leaves.environments[output.tool] == home:
            return run.mark, run.state
        return self._home(home, run.seed)[1:]

    def _feed(self, output: Leaf, into: Leaf, run: Run, value: Any, rng: random.Random) -> str:
        consumer = self.leaves.tools[into.tool]
        instance = self._home(consumer.environment, run.seed)[0]
        mark, state = self._before(output, into, run)
        instance.restore(mark)
        try:
            given = {into.path: [value] if into.listed else value}
            arguments = self._drawer(consumer.environment).draw(consumer.name, dict(state), rng, given)
            return self._after_first(instance, consumer, arguments).code or "ok"
        except Undrawable:
            return "undrawable"
        except EnvironmentFailure as failure:
            return f"failure: {failure.kind}"

    def _home(self, environment: str, seed: int) -> _World:
        key = (environment, seed)
        if key not in self._homes:
            instance = self.backend.open(environment, Start(seed=seed, size=self.size, now=DEFAULT_NOW))
            self._homes[key] = (instance, instance.snapshot(), orjson.loads(instance.dump()))
        return self._homes[key]

    def close(self) -> None:
        """Release every instance."""
        for instance, _, _ in self._homes.values():
            instance.close()
        self._homes.clear()

    def _drawer(self, environment: str) -> Drawer:
        if environment not in self._drawers:
            self._drawers[environment] = Drawer(self.backend.specs[environment])
        return self._drawers[environment]

    def _name(self, leaf: Leaf) -> str:
        return f"{self.leaves.tools[leaf.tool].wire_name} {leaf.path}"


def _gave(run: Run, output: Leaf) -> bool:
    return any(True for _ in values_at(run.output, output.path))
