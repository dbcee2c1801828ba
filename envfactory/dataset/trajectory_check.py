"""What must hold in a trajectory beyond its schema: it is a conversation, and its gold is a program that runs.

Every statement is checked against something else than the trajectory itself: `tools.json`, the catalogue's environments
in their present version, the state that the session reference builds, and the replay of gold in it.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson
from pydantic import ValidationError

from envfactory.dataset.opening import engine_of, open_for_check
from envfactory.dataset.play_check import conversations, masks
from envfactory.dataset.problems import Problem
from envfactory.dataset.tools import ToolFile
from envfactory.environment import EnvironmentFailure, InProcess, Session, Start, StateDiff, apply_diff
from envfactory.environment.equivalence import compare_states
from envfactory.environment.states import State
from envfactory.gold import FromUser, Gold, Out, ReplayError, bindings_of, replay
from envfactory.trajectory import Candidate, PlayedCall, Trajectory

_Found = Iterator[tuple[str, str]]
"""Fields and messages."""


class TrajectoryCheck:
    """Checks trajectories of one file; remembers their ids and the environments that it opened."""

    def __init__(self, tools: ToolFile | None) -> None:
        self._tools = tools
        self._rows: dict[str, int] = {}

    def problems(self, trajectory: Trajectory, row: int) -> Iterator[Problem]:
        """Everything that does not hold; what builds on a failed check is not looked at."""
        first = self._rows.setdefault(trajectory.id, row)
        if first != row:
            yield Problem(row, "id", f"ids are unique; {trajectory.id!r} stands in row {first} already")
        for field, message in self._found(trajectory):
            yield Problem(row, field, message)

    def _found(self, trajectory: Trajectory) -> _Found:
        if self._tools is not None:
            for index, name in enumerate(trajectory.tools):
                if name not in self._tools.tools:
                    yield f"tools[{index}]", f"every tool offered stands in tools.json; {name!r} does not"
        sound = True
        for field, message in _program(trajectory):
            sound = False
            yield field, message
        if trajectory.chosen >= len(trajectory.candidates):
            count = len(trajectory.candidates)
            yield "chosen", f"expected the index of one of {count} candidates, found {trajectory.chosen}"
        elif not trajectory.conversation.equivalent:
            yield (
                f"candidates[{trajectory.chosen}].equivalent",
                "expected true: the chosen candidate reaches gold's state",
            )
        before = sound
        told = [(candidate, f"candidates[{index}]") for index, candidate in enumerate(trajectory.candidates)]
        if trajectory.cleaned is not None:
            told.append((trajectory.cleaned, "cleaned"))
        for candidate, where in told:
            for field, message in _conversation(candidate, trajectory.gold, where):
                sound = False
                yield field, message
        if before:
            yield from _states(trajectory, played=sound and trajectory.chosen < len(trajectory.candidates))


def _program(trajectory: Trajectory) -> _Found:
    """Gold as a program: turns add up, tools are offered, bindings look back."""
    gold, offered = trajectory.gold, {*trajectory.tools, *_users(trajectory)}
    if gold.turns and sum(gold.turns) != len(gold.calls):
        yield "gold.turns", f"the turns' counts must add up to {len(gold.calls)} calls; they give {sum(gold.turns)}"
        return
    turn_of = {index: turn for turn, indexes in enumerate(gold.turn_slices()) for index in indexes}
    for index, call in enumerate(gold.calls):
        if call.tool not in offered:
            yield f"gold.calls[{index}].tool", f"expected a tool that is offered; {call.tool!r} is not in tools"
        for path, binding in bindings_of(call):
            field = f"gold.calls[{index}].arguments.{path}"
            if isinstance(binding, Out) and not 0 <= binding.call < index:
                yield f"{field}.call", f"expected the index of a call before call {index}, found {binding.call}"
            if isinstance(binding, FromUser) and not 0 <= binding.turn <= turn_of[index]:
                yield f"{field}.turn", f"the user must have said it by turn {turn_of[index]}; found turn {binding.turn}"


def _users(trajectory: Trajectory) -> Iterator[str]:
    """What the user has done themselves; that it is for them to do shows when it is played again."""
    told = (*trajectory.candidates, *((trajectory.cleaned,) if trajectory.cleaned else ()))
    yield from (call.tool for candidate in told for turn in candidate.turns for call in turn.done)


def _conversation(candidate: Candidate, gold: Gold, where: str) -> _Found:
    """A conversation: user and assistant alternate, each turn ends with an answer, calls know which gold they play."""
    played: dict[int, str] = {}
    if not candidate.turns:
        yield f"{where}.turns", "expected at least one turn"
    for turn_index, turn in enumerate(candidate.turns):
        here = f"{where}.turns[{turn_index}]"
        if not turn.user.strip():
            yield f"{here}.user", "expected what the user says; it is empty"
        if not turn.steps:
            yield f"{here}.steps", "expected at least the assistant's answer; there are no steps"
        for call_index, call in enumerate(turn.done):
            yield from _call(call, gold, f"{here}.done[{call_index}]", played)
        for step_index, step in enumerate(turn.steps):
            step_path = f"{here}.steps[{step_index}]"
            last = step_index == len(turn.steps) - 1
            if last and (step.calls or not step.text.strip()):
                yield step_path, "a turn ends with an answer: text that is not empty, and no calls"
            if not last and not step.calls:
                yield step_path, "two messages of the assistant in a row: only the last step of a turn has no calls"
            for call_index, call in enumerate(step.calls):
                yield from _call(call, gold, f"{step_path}.calls[{call_index}]", played)


def _call(call: PlayedCall, gold: Gold, field: str, played: dict[int, str]) -> _Found:
    """A call has a result, and knows which gold call it plays: none is played twice."""
    if not _is_json(call.result):
        yield f"{field}.result", "expected the JSON text of an output or an error"
    if call.gold is None:
        return
    index, field = call.gold, f"{field}.gold"
    if not 0 <= index < len(gold.calls):
        yield field, f"expected the index of one of {len(gold.calls)} gold calls, found {index}"
    elif call.tool != gold.calls[index].tool:
        yield field, f"gold call {index} is {gold.calls[index].tool!r}, this is {call.tool!r}"
    elif played.setdefault(index, field) != field:
        yield field, f"gold call {index} is played already, by {played[index].removesuffix('.gold')}"


def _states(trajectory: Trajectory, *, played: bool) -> _Found:
    """States: the reference builds, gold replays to its diff, and every diff applies and gives a state that loads.

    With `played`, the conversations are sound, and are played again.
    """
    gold = trajectory.gold
    session = open_for_check(gold.reference)
    if isinstance(session, tuple):
        field, message = session
        yield f"gold.reference.{field}", message
        return
    engine = engine_of(gold.reference)
    with session:
        bases, opening = session.documents(), session.snapshot()
        found = list(_diffs(engine, trajectory, bases, gold.diff, "gold.diff"))
        yield from found
        try:
            run = replay(gold, session)
            # A diff that does not even apply cannot be compared.
            right = not found and _same(session, bases, gold.diff, run.diff)
            if not found and not right:
                yield "gold.diff", "the replay of gold changes something else"
            yield from masks(trajectory, session)
            if played and right:
                session.restore(opening)
                yield from conversations(trajectory, session, list(run.calls.values()))
        except (ReplayError, EnvironmentFailure) as error:
            yield "gold.calls", f"gold does not replay: {error}"
    for index, candidate in enumerate(trajectory.candidates):
        for turn_index, turn in enumerate(candidate.turns):
            yield from _diffs(engine, trajectory, bases, turn.diff, f"candidates[{index}].turns[{turn_index}].diff")


def _same(session: Session, bases: dict[str, State], left: dict[str, StateDiff], right: dict[str, StateDiff]) -> bool:
    return left == right or compare_states(session.specs, bases, left, right).equal


def _diffs(
    engine: InProcess, trajectory: Trajectory, bases: dict[str, State], diffs: dict[str, StateDiff], where: str
) -> _Found:
    for name, diff in diffs.items():
        field = f"{where}.{name}"
        if name not in bases:
            yield field, "expected one of the environments of gold.reference"
            continue
        found = list(_misfits(bases[name], diff, field))
        yield from found
        if not found:
            document = orjson.dumps(apply_diff(bases[name], diff)).decode()
            try:
                engine.open(name, Start(now=trajectory.gold.reference.now, document=document)).close()
            except ValidationError as error:
                detail = error.errors()[0]
                path = ".".join(map(str, detail["loc"]))
                yield field, f"the state that it gives does not load: {path}: {detail['msg']}"


def _misfits(base: State, diff: StateDiff, where: str) -> _Found:
    """What a diff speaks of and the base state does not have."""
    for table, entry in diff.tables.items():
        rows = base.get(table)
        if not isinstance(rows, dict):
            yield f"{where}.tables.{table}", "there is no such table"
            continue
        for kind, keys in (("changed", entry.changed), ("deleted", entry.deleted)):
            for key in keys:
                if key not in rows:
                    yield f"{where}.tables.{table}.{kind}", f"{key!r} is not a record of the session's first state"
        for key in entry.created:
            if key in rows and key not in entry.deleted:
                yield f"{where}.tables.{table}.created", f"{key!r} is a record of the session's first state already"


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
