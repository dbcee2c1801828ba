"""`Task`: a row for reinforcement learning made ready, once for all rollouts of its group.

The turn begins where the program of the turns before ends. Changes are therefore told from there, on both sides: a turn
that only reads leaves everything unchanged even if the turns before it did not, so the gate of the reward holds for it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import orjson

from envfactory.catalogue import load
from envfactory.dataset import RLRow
from envfactory.environment import (
    Backend,
    EnvironmentFailure,
    InProcess,
    Session,
    Snapshot,
    Spec,
    StateDiff,
    apply_diff,
    diff_documents,
)
from envfactory.environment.equivalence import Wanted
from envfactory.environment.states import State
from envfactory.environment.worker import Worker
from envfactory.gold import Call, Gold, ReplayError, replay
from envfactory.reward import GoldCalls

_NOTHING = StateDiff()


@dataclass(frozen=True, slots=True)
class Task:
    """A user turn to be played.

    Attributes:
        row: what it was made of.
        specs: the session's environments.
        before: the program that leads to the turn.
        gold: the program of the turn alone.
        gold_calls: its calls as executed.
        gold_diff: what they change, told from the beginning of the turn.
        opening: parsed state documents with which a session opens.
        earlier: what the turns before changed, told from the opening.
        bases: parsed state documents at the beginning of the turn.
        wanted: `gold_diff`, made ready to be compared with what rollouts change.
        answer: `gold_calls`, made ready to be matched with what rollouts call.
        acts: what the person does when they are told to, as executed in gold's run; none where it is done already.
        mark: the beginning of the turn in the session that the task was made in.
        hidden: tools that the environments have and the row does not offer.
    """

    row: RLRow
    specs: Mapping[str, Spec]
    before: Gold
    gold: Gold
    gold_calls: tuple[Call, ...]
    gold_diff: Mapping[str, StateDiff]
    opening: Mapping[str, State]
    earlier: Mapping[str, StateDiff]
    bases: Mapping[str, State]
    wanted: Wanted
    answer: GoldCalls
    acts: tuple[Call, ...]
    mark: Snapshot
    hidden: frozenset[str]

    def begin(self, session: Session) -> None:
        """Bring a session of the row's reference to where the turn begins.

        Args:
            session: just opened, in the backend that the task was made with.

        Raises:
            ReplayError: the program of the turns before, which ran when the task was made, does not run.
            EnvironmentFailure: infrastructure failed.
        """
        if not self.before.calls:
            return
        try:
            session.restore(self.mark)
        except EnvironmentFailure:  # the mark went with a worker process that is no more
            replay(self.before, session)

    def changes(self, diff: Mapping[str, StateDiff]) -> dict[str, StateDiff]:
        """What a session changed in the turn.

        Args:
            diff: what it changed since it was opened.
        """
        return _since(self.opening, self.earlier, self.bases, diff)


class Tasks:
    """Makes rows ready, and keeps the last ones; safe to use from many threads."""

    def __init__(self, backend: Backend, keep: int = 512) -> None:
        """Prepare.

        Args:
            backend: opens the rows' environments.
            keep: how many tasks to keep.
        """
        self.backend = backend
        self._keep = keep
        self._tasks: OrderedDict[tuple[str, bool], Task] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, row: RLRow, *, simulated: bool = False) -> Task:
        """The task of a row.

        Args:
            row: the turn.
            simulated: whether a simulated user is in the loop, who does what only they can when they are told to; else
                it is done when the turn begins.

        Raises:
            ValueError: the row's programs do not run, so the environments are not those that it was made with.
            KeyError: an environment that the backend does not have.
            EnvironmentFailure: infrastructure failed; nothing is kept, another try may succeed.
        """
        with self._lock:
            task = self._tasks.get((row.id, simulated))
            if task is not None and (task.row is row or task.row == row):
                self._tasks.move_to_end((row.id, simulated))
                return task
        task = make_task(self.backend, row, simulated=simulated)
        with self._lock:
            self._tasks[row.id, simulated] = task
            while len(self._tasks) > self._keep:
                self._tasks.popitem(last=False)
        return task


def make_task(backend: Backend, row: RLRow, *, simulated: bool = False) -> Task:
    """Run a row's programs; see `Tasks.of` for the arguments and what it raises."""
    calls = (*row.before, *row.gold)
    whole = Gold(reference=row.reference, calls=calls)
    begins = len(row.before) - (row.user.acts if simulated and row.user else 0)
    with Session(backend, row.reference) as session:
        opening = session.documents()
        try:
            first = replay(whole, session, stop=begins)
            mark = session.snapshot()
            second = replay(whole, session, start=begins, outputs=first.outputs)
        except ReplayError as error:
            raise ValueError(
                f"row {row.id}: its gold no longer runs ({error}); make the file anew with the present environments"
            ) from error
        specs = session.specs
    bases = {
        name: apply_diff(state, first.diff[name]) if name in first.diff else state for name, state in opening.items()
    }
    tools = {tool.wire_name for spec in specs.values() for tool in spec.agent_tools}
    gold = Gold(reference=row.reference, calls=calls[begins:])
    gold_calls = tuple(second.calls.values())
    gold_diff = _since(opening, first.diff, bases, second.diff)
    return Task(
        row=row,
        specs=specs,
        before=Gold(reference=row.reference, calls=row.before[:begins]),
        gold=gold,
        gold_calls=gold_calls,
        gold_diff=gold_diff,
        opening=opening,
        earlier=first.diff,
        bases=bases,
        wanted=Wanted(specs, bases, gold_diff),
        answer=GoldCalls(gold, gold_calls, specs),
        acts=tuple(second.calls[index] for index in range(begins, len(row.before))),
        mark=mark,
        hidden=frozenset(tools - _offered(row.tools)),
    )


def open_backend(
    environments: tuple[str, ...], where: Literal["in_process", "worker"], call_timeout_s: float
) -> InProcess | Worker:
    """A backend with environments of the catalogue.

    Args:
        environments: their names.
        where: in this process, or in a worker process that is killed when a call overruns.
        call_timeout_s: how long one call may take; an overrun is a failure of infrastructure.

    Raises:
        KeyError: no such environment.
    """
    classes = load(environments)
    if where == "in_process":
        return InProcess(classes, call_timeout_s)
    places = {name: f"{found.__module__}:{found.__name__}" for name, found in classes.items()}
    return Worker(places, call_timeout_s)


@lru_cache(maxsize=64)
def _offered(tools: str) -> frozenset[str]:
    """Names of the tools in a row's schemas; rows with the same environments have the same text."""
    return frozenset(tool["function"]["name"] for tool in orjson.loads(tools))


def _since(
    opening: Mapping[str, State],
    earlier: Mapping[str, StateDiff],
    bases: Mapping[str, State],
    diff: Mapping[str, StateDiff],
) -> dict[str, StateDiff]:
    """A diff told from the beginning of a turn; `earlier` and `diff` are told from the opening."""
    found: dict[str, StateDiff] = {}
    for name in opening:
        was, now = earlier.get(name, _NOTHING), diff.get(name, _NOTHING)
        if was == now:
            continue
        if not was:
            found[name] = now
        else:
            # Of tables that neither names, both documents hold the very same object.
            tables = dict.fromkeys((*was.tables, *now.tables))
            found[name] = diff_documents(bases[name], apply_diff(opening[name], now), tables)
    return found
