"""`Played`: a conversation as it was played, before anything is chosen or filtered.

It is a program as gold is one: every call says where its arguments come from, counted in this conversation's own calls,
so that it can be replayed without some of them. What an assistant did wrong on purpose is noted beside it (`planted`,
`faults`): tests hold what selection and filtering find against it, and nothing else reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from envfactory.environment import Snapshot, StateDiff
from envfactory.environment.trusted import trusted
from envfactory.gold import Call, Gold, GoldCall
from envfactory.querygen.support import Known
from envfactory.querygen.task import Task
from envfactory.trajectory import Candidate, PlayedCall, Step, Turn

Label = Literal["keep", "hide", "remove"]
Surplus = Literal["redundant_read", "failed_call", "recovery_read", "dead_end", "detour", "question"]
"""What may be done beside what is needed."""
Fault = Literal["wrong_argument", "omitted_call", "wrong_state", "wrong_answer"]
"""What spoils a conversation."""


@dataclass(slots=True)
class Move:
    """An executed call.

    Attributes:
        call: the tool, and where each argument comes from; `Out` counts the moves of this conversation.
        executed: what was given and what came of it.
        output: its parsed output; None if it was refused.
        before: the state before it.
        gold: the gold call that it plays.
        planted: why a flawed assistant made it.
    """

    call: GoldCall
    executed: Call
    output: Any
    before: Snapshot
    gold: int | None = None
    planted: Surplus | None = None


@dataclass(slots=True)
class PlayedTurn:
    """What the user says, what the assistant does and answers.

    Attributes:
        user: the user's words.
        task: the turn of the task that it belongs to; two in a row with the same one are an exchange that the
            assistant began by a question.
        steps: the moves of each step, by place among all of them.
        answer: the closing answer, or a question.
        reports: the moves whose results the answer tells of.
        diff: what had changed by then.
        done: the moves that the user has made before saying so, by place.
    """

    user: str
    task: int
    steps: list[tuple[int, ...]] = field(default_factory=list)
    answer: str = ""
    reports: list[int] = field(default_factory=list)
    diff: dict[str, StateDiff] = field(default_factory=dict)
    done: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Played:
    """A conversation.

    Attributes:
        turns: in order.
        moves: every call, in order.
        exact: whether it is what gold has, call by call.
        faults: what a flawed assistant spoiled.
    """

    turns: list[PlayedTurn] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    exact: bool = False
    faults: list[Fault] = field(default_factory=list)

    @property
    def diff(self) -> dict[str, StateDiff]:
        """What the whole conversation changed."""
        return self.turns[-1].diff

    def refused(self) -> set[int]:
        """The moves that were refused."""
        return {place for place, move in enumerate(self.moves) if not move.executed.ok}

    def program(self, like: Gold) -> Gold:
        """The moves as a program; those that were refused are in it, and do not run."""
        return Gold.model_construct(
            reference=like.reference, calls=tuple(move.call for move in self.moves), turns=(), diff=self.diff
        )

    def turn_of(self) -> dict[int, int]:
        """The turn of each move."""
        return {
            place: number
            for number, turn in enumerate(self.turns)
            for step in (turn.done, *turn.steps)
            for place in step
        }

    def users(self) -> set[int]:
        """The moves that the user has made."""
        return {place for turn in self.turns for place in turn.done}

    def exchanges(self) -> Iterator[int]:
        """The turns that are only a question of the assistant's which the task does not have."""
        for number, (turn, following) in enumerate(zip(self.turns, self.turns[1:], strict=False)):
            if turn.task == following.task:
                yield number


def gold_as_played(task: Task) -> Played:
    """Gold itself as a conversation: for each task one and the same, which nobody changes."""
    if task.as_played is not None:
        return task.as_played
    played = task.as_played = Played(exact=True)
    for index, call in enumerate(task.executed):
        output = task.program.outputs[index]
        played.moves.append(Move(task.gold.calls[index], call, output, task.snapshots[index], index))
    for number, calls in enumerate(task.gold.turn_slices()):
        done = [index for index in calls if task.program.is_users(index)]
        steps: list[tuple[int, ...]] = [(index,) for index in calls if index not in done]
        reports = [] if task.requests[number].question else task.reported[number]
        diff = task.diff(calls.stop)
        played.turns.append(
            PlayedTurn(task.requests[number].text, number, steps, task.answer(number), reports, diff, done)
        )
    return played


def candidate_of(
    played: Played,
    *,
    equivalent: bool,
    undecided: bool = False,
    complete: bool,
    supported: bool = True,
    labels: dict[int, Label] | None = None,
    needless: frozenset[int] = frozenset(),
) -> Candidate:
    """The conversation as it stands in a trajectory.

    Args:
        played: what was played.
        equivalent: whether its final state is gold's.
        undecided: whether the comparison gave up.
        complete: whether it made every gold call.
        supported: whether its answers say only what results and user say.
        labels: of moves; the others are kept.
        needless: turns whose question is removed.
    """
    given = labels or {}
    turns: list[Turn] = []
    for number, turn in enumerate(played.turns):
        steps = [_step(played, places, given) for places in turn.steps]
        last: Label = "remove" if number in needless else "keep"
        steps.append(trusted(Step, text=turn.answer, calls=(), label=last))
        done = tuple(_call(played, place) for place in turn.done)
        turns.append(trusted(Turn, user=turn.user, done=done, steps=tuple(steps), diff=turn.diff))
    return Candidate.model_construct(
        turns=tuple(turns), equivalent=equivalent, undecided=undecided, complete=complete, supported=supported
    )


def _step(played: Played, places: tuple[int, ...], labels: dict[int, Label]) -> Step:
    calls = tuple(_call(played, place) for place in places)
    found = {labels.get(place, "keep") for place in places}
    label: Label = "hide" if "hide" in found else "keep" if "keep" in found else "remove"
    return trusted(Step, text="", calls=calls, label=label)


def _call(played: Played, place: int) -> PlayedCall:
    move = played.moves[place]
    done = move.executed
    return trusted(PlayedCall, tool=done.tool, arguments=done.arguments, result=done.result, ok=done.ok, gold=move.gold)


def unsupported_facts(task: Task, played: Played) -> Iterator[str]:
    """The numbers and names in the answers, turn by turn, that no result and nothing the user said so far has.

    What a secret is called needs no support: it is asked for by its name.
    """
    known = Known()
    for tool in task.program.tools:
        for leaf in tool.secrets:
            known.add(leaf.secret)
    for turn in played.turns:
        known.add(turn.user)
        for step in turn.steps:
            for place in step:
                known.add(played.moves[place].executed.result)
        yield from known.lacks(turn.answer)
