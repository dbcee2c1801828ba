"""Tasks in real sessions: gold is executed, candidates are played in sessions of their own and scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import orjson
import pytest

from envfactory.catalogue import backend
from envfactory.environment import Backend, Reference, Session, StateDiff
from envfactory.environment.equivalence import compare_states
from envfactory.gold import Call, Const, Gold, GoldCall, Out, replay
from envfactory.reward import COMPOSITE, RewardSettings, Score, score

Played = tuple[list[Call], dict[str, StateDiff]]


class Task:
    """A gold program with what it leads to.

    A call is written `(tool, arguments)` or `(tool, arguments, masked)`; an argument `"$2.id"` is an output of call 2.
    """

    def __init__(self, backend: Backend, environments: Sequence[str], calls: Sequence[tuple[Any, ...]]) -> None:
        self.backend = backend
        self.reference = Reference(environments=dict.fromkeys(environments, ""), seed=1)
        self.default = environments[0]
        written = [GoldCall(tool=self.wire(t), arguments=bound(a), masked=tuple(*m)) for t, a, *m in calls]
        with Session(backend, self.reference) as session:
            self.specs = session.specs
            self.bases = {name: orjson.loads(document) for name, document in session.dump().items()}
            run = replay(Gold(reference=self.reference, calls=tuple(written)), session)
        self.gold = Gold(reference=self.reference, calls=tuple(written), diff=run.diff)
        self.gold_calls = list(run.calls.values())

    def wire(self, tool: str) -> str:
        return tool if "-" in tool else f"{self.default}-{tool}"

    def play(self, *calls: tuple[str, Any]) -> Played:
        """Execute calls in a fresh session; arguments may be text, and `"$2.id"` is again the output of call 2."""
        played: list[Call] = []
        outputs: list[Any] = []
        with Session(self.backend, self.reference) as session:
            for tool, arguments in calls:
                given = filled(arguments, outputs)
                result = session.call(self.wire(tool), given)
                outputs.append(result.value)
                played.append(Call(tool=self.wire(tool), arguments=given, result=result.text, ok=result.ok))
            return played, session.diff()

    def judge(self, played: Played, settings: RewardSettings = COMPOSITE) -> Score:
        calls, diff = played
        comparison = compare_states(self.specs, self.bases, diff, self.gold.diff)
        return score(self.gold, self.gold_calls, calls, comparison, self.specs, settings)

    def score(self, *calls: tuple[str, Any], settings: RewardSettings = COMPOSITE) -> Score:
        return self.judge(self.play(*calls), settings)


def bound(arguments: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if isinstance(value, str) and value.startswith("$"):
            call, _, path = value[1:].partition(".")
            found[name] = Out(call=int(call), path=path)
        else:
            found[name] = Const(value=value)
    return found


def filled(arguments: Any, outputs: list[Any]) -> Any:
    if not isinstance(arguments, dict):
        return arguments
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if isinstance(value, str) and value.startswith("$"):
            call, _, path = value[1:].partition(".")
            found[name] = outputs[int(call)][path]
        else:
            found[name] = value
    return found


@pytest.fixture(scope="session")
def hotel_backend() -> Backend:
    return backend(["hotel_reservations"])


@pytest.fixture(scope="session")
def hotel(hotel_backend: Backend) -> Callable[..., Task]:
    """Makes tasks in the hotel environment."""
    return lambda *calls: Task(hotel_backend, ["hotel_reservations"], calls)


@pytest.fixture(scope="session")
def make_task() -> type[Task]:
    return Task
