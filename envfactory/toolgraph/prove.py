"""Proof by execution: produce the value in a scenario, feed it to the consumer, see whether it is taken.

A producer is called with drawn arguments, a bounded number of times; each success is kept with the state that it
leaves. A value found at the output's path is given to the consumer in that state (in its own scenario, if it lives in
another environment). The consumer takes it if it succeeds, or refuses for a reason of the domain (the stay has begun)
rather than because the value names nothing or is no such value.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from envfactory.environment import DEFAULT_NOW, Backend, EnvironmentFailure, Instance, Start
from envfactory.environment.draw import Drawer, Undrawable, values_at
from envfactory.toolgraph.graph import Proof
from envfactory.toolgraph.leaves import Leaf, Leaves

RUNS = 6
"""Successful calls of a producer, each in a scenario of its own seed."""

DRAWS = 8
"""Tries for one such success."""

VALUES = 3
"""Different values taken from one run."""

TRIES = 12
"""Calls of a consumer for one edge."""

NOT_TAKEN = frozenset({"not_found", "invalid_argument", "unknown_tool"})
"""Refusals that may be the value's fault."""


@dataclass(frozen=True, slots=True)
class Run:
    """A successful call of a producer: arguments and output as JSON, the scenario's seed, and the state left behind."""

    seed: int
    arguments: Mapping[str, Any]
    output: Any
    mark: object
    state: Mapping[str, Any]


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
    _homes: dict[tuple[str, int], tuple[Instance, object, Mapping[str, Any]]] = field(
        default_factory=dict[tuple[str, int], tuple[Instance, object, Mapping[str, Any]]]
    )
    _drawers: dict[str, Drawer] = field(default_factory=dict[str, Drawer])

    def prove(self, output: Leaf, into: Leaf) -> Proof:
        """Feed values of an output leaf to an input leaf; stops at the first success."""
        runs = self.runs(output.tool)
        if not runs:
            return Proof(state="untried", outcome="the producer did not succeed")
        rng = random.Random(f"{self._name(output)} {self._name(into)}")
        fed = [(run, value) for run in runs for value in self._values(run, output, into, rng)]
        if not fed:
            return Proof(state="untried", outcome="the producer gave no value")
        best = Proof()
        for attempt in range(TRIES):
            run, value = fed[attempt % len(fed)]
            outcome = self._feed(output, into, run, value, rng)
            if outcome == "ok":
                return Proof(state="proved", value=value, outcome=outcome)
            if outcome == "undrawable":
                found = Proof(state="untried", value=value, outcome="no other arguments go with it")
            else:
                found = Proof(state="refused" if outcome in NOT_TAKEN else "proved", value=value, outcome=outcome)
            best = max(best, found, key=lambda proof: ("untried", "refused", "proved").index(proof.state))
        return best

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
            try:
                arguments = self._drawer(spec.environment).draw(spec.name, dict(state), rng)
                result = instance.call(spec.name, arguments)
            except (Undrawable, EnvironmentFailure):
                continue
            if result.ok:
                after = orjson.loads(instance.dump()) if spec.writes else state
                return Run(seed, arguments, result.value, instance.snapshot(), after)
        return None

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
            return instance.call(consumer.name, arguments).code or "ok"
        except Undrawable:
            return "undrawable"
        except EnvironmentFailure as failure:
            return f"failure: {failure.kind}"

    def _home(self, environment: str, seed: int) -> tuple[Instance, object, Mapping[str, Any]]:
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
