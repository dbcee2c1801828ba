"""`Task`: what an assistant is given to do, and what gold makes of it.

Gold has been played once, call by call, in the session in which every candidate plays too: the state before each call
is kept, so a candidate starts anew by going back to the first one, and whatever it does as gold does is known already.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

from envfactory.environment import Session, Snapshot, Spec, StateDiff
from envfactory.environment.equivalence import Comparison, compare_states
from envfactory.environment.states import State, apply_diff
from envfactory.gold import Call, Gold, GoldCall, Out, bindings_of, renumbered, replay
from envfactory.querygen.program import Program
from envfactory.querygen.replies import report
from envfactory.querygen.request import Request
from envfactory.reward.matching import GoldCalls

if TYPE_CHECKING:
    from envfactory.querygen.played import Played


@dataclass
class Task:
    """A conversation to play.

    Attributes:
        program: the gold program, replayed.
        requests: what the user says, one for each turn.
        session: where gold was played.
        snapshots: the state before each gold call and, last, after all of them.
    """

    program: Program
    requests: list[Request]
    session: Session
    snapshots: list[Snapshot]

    def __post_init__(self) -> None:
        self._diffs: dict[int, dict[str, StateDiff]] = {len(self.gold.calls): self.gold.diff}
        self._states: dict[tuple[int, str], State] = {}
        self._sentences: dict[int, str] = {}
        self.as_played: Played | None = None
        """Gold as a conversation, once somebody asked for it: see `gold_as_played`."""

    @property
    def gold(self) -> Gold:
        """The gold program."""
        return self.program.gold

    @property
    def specs(self) -> Mapping[str, Spec]:
        """The session's environments."""
        return self.program.specs

    @cached_property
    def executed(self) -> list[Call]:
        """The calls of gold as they were executed."""
        return [self.program.calls[index] for index in range(len(self.gold.calls))]

    @cached_property
    def same(self) -> Comparison:
        """What the comparison of gold's state with itself says."""
        return compare_states(self.specs, self.program.bases, self.gold.diff, self.gold.diff)

    @cached_property
    def to_match(self) -> GoldCalls:
        """Gold's calls, made ready to be matched with those of every candidate."""
        return GoldCalls(self.gold, self.executed, self.specs)

    @cached_property
    def reported(self) -> list[list[int]]:
        """By turn, the gold calls that its answer tells of: those that are asked for, or else the last."""
        turns = zip(self.requests, self.gold.turn_slices(), strict=True)
        return [[call for call in calls if call in request.asked] or list(calls[-1:]) for request, calls in turns]

    def with_calls(self, calls: tuple[GoldCall, ...]) -> Task:
        """The same task with other masks on its calls."""
        program = replace(self.program, gold=self.gold.model_copy(update={"calls": calls}))
        kept = {name: value for name, value in vars(self.program).items() if name != "gold"}
        vars(program).update(kept)  # where cached properties live: none of them rests on masks
        task = Task(program, self.requests, self.session, self.snapshots)
        task._diffs, task._states, task._sentences = self._diffs, self._states, self._sentences
        return task

    def diff(self, position: int) -> dict[str, StateDiff]:
        """What the gold calls before `position` changed."""
        if position not in self._diffs:
            self.session.restore(self.snapshots[position])
            self._diffs[position] = self.session.diff()
        return self._diffs[position]

    def state(self, position: int, environment: str) -> State:
        """The parsed state document of an environment before gold call `position`."""
        if (position, environment) not in self._states:
            base, diff = self.program.bases[environment], self.diff(position).get(environment)
            self._states[position, environment] = apply_diff(base, diff) if diff else base
        return self._states[position, environment]

    def sentence(self, index: int) -> str:
        """How the answer tells what a gold call gave."""
        if index not in self._sentences:
            self._sentences[index] = report(self.program, index)
        return self._sentences[index]

    def answer(self, turn: int) -> str:
        """The answer that closes a turn which was played as gold has it."""
        question = self.requests[turn].question
        return question or " ".join(self.sentence(index) for index in self.reported[turn])


def play_gold(program: Program, requests: list[Request], session: Session, like: Task | None = None) -> Task:
    """Play gold in a session that has just been opened; the program's diff becomes what that changed.

    Args:
        program: what to play.
        requests: what the user says.
        session: just opened; or, with `like`, the one that this was played in, wherever it stands.
        like: a task whose calls are known: as far as the two begin alike, nothing is executed again.

    Raises:
        ReplayError: it does not run.
        EnvironmentFailure: infrastructure failed.
    """
    start = 0
    if like is not None:
        pairs = zip(like.gold.calls, program.gold.calls, strict=False)
        start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        session.restore(like.snapshots[start])
    known = like.program if like is not None else program
    outputs = {index: known.outputs[index] for index in range(start)}
    run = replay(program.gold, session, start=start, outputs=outputs, keep_snapshots=True)
    calls = {**{index: known.calls[index] for index in range(start)}, **run.calls}
    snapshots = [*(like.snapshots[:start] if like is not None else ()), *run.snapshots]
    gold = program.gold.model_copy(update={"diff": run.diff})
    return Task(program.with_run(gold, calls, run.outputs), requests, session, snapshots)


def without_calls(gold: Gold, requests: list[Request], kept: Collection[int]) -> tuple[Gold, list[Request]]:
    """A program without some of its calls, and what is asked for in it; its diff is as before.

    Args:
        gold: the program.
        requests: what the user says; only which calls are asked for is counted anew.
        kept: the calls that stay, and with each those that it takes outputs of.
    """
    left = sorted(kept)
    place = {index: position for position, index in enumerate(left)}
    calls = tuple(rebound(gold.calls[index], place) for index in left)
    turns = tuple(sum(index in place for index in indexes) for indexes in gold.turn_slices())
    asked = [
        replace(request, asked=frozenset(place[index] for index in request.asked if index in place), draft=None)
        for request in requests
    ]
    return gold.model_copy(update={"calls": calls, "turns": turns}), asked


def calls_read(call: GoldCall) -> set[int]:
    """The calls whose outputs a call takes."""
    return {binding.call for _, binding in bindings_of(call) if isinstance(binding, Out)}


def rebound(call: GoldCall, place: Mapping[int, int]) -> GoldCall:
    """A call with the calls that it takes outputs of counted anew."""
    if all(place[other] == other for other in calls_read(call)):
        return call
    arguments = renumbered(call.arguments, place.__getitem__)
    return GoldCall.model_construct(tool=call.tool, arguments=arguments, masked=call.masked)
