"""What must hold in the conversations of a trajectory: they are what the environments give, and are judged rightly.

Each is played again in the session's first state, call by call: results, refusals and the states after each turn must
be those that stand there. Whether it ends where gold ends, and made every gold call, is found out anew; so is what
filtering promises: nothing refused is learned, and the cleaned conversation is the chosen one without what is removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from envfactory.environment import Actor, Session, Snapshot, ToolSpec
from envfactory.environment.equivalence import compare_states
from envfactory.environment.states import State
from envfactory.gold import Call
from envfactory.querygen.acting import mentions
from envfactory.reward.matching import GoldCalls
from envfactory.trajectory import Candidate, PlayedCall, Step, Trajectory, Turn

_Found = Iterator[tuple[str, str]]
"""Fields and messages."""


def conversations(trajectory: Trajectory, session: Session, executed: Sequence[Call]) -> _Found:
    """Everything that does not hold in the candidates and the cleaned conversation.

    Args:
        trajectory: its gold replays, and its diffs apply.
        session: stands where the conversations begin; is left anywhere.
        executed: gold's calls as a replay executed them.

    Raises:
        EnvironmentFailure: infrastructure failed.
    """
    opening, bases = session.snapshot(), session.documents()
    for index, candidate in enumerate(trajectory.candidates):
        where = f"candidates[{index}]"
        yield from _untold(candidate, session, where)
        found = list(_replayed(candidate, session, opening, where))
        yield from found
        if not found:
            yield from _judged(trajectory, candidate, session, bases, executed, where)
        if index != trajectory.chosen:
            for field, step in _steps(candidate, where):
                if step.label != "keep":
                    yield f"{field}.label", "only the chosen candidate is labelled; expected 'keep'"
    chosen = trajectory.candidates[trajectory.chosen]
    yield from _labels(chosen, f"candidates[{trajectory.chosen}]")
    if trajectory.cleaned is not None:
        yield from _replayed(trajectory.cleaned, session, opening, "cleaned")
        yield from _labels(trajectory.cleaned, "cleaned")
        yield from _cleaned(chosen, trajectory.cleaned)
    elif any(step.label == "remove" for _, step in _steps(chosen, "")):
        yield "cleaned", "expected the chosen candidate without the steps that are removed; there is none"
    rate = sum(candidate.passed for candidate in trajectory.candidates) / len(trajectory.candidates)
    if abs(rate - trajectory.pass_rate) > 1e-9:
        yield "pass_rate", f"expected the share of the candidates that serve, {rate:g}, found {trajectory.pass_rate:g}"


def masks(trajectory: Trajectory, session: Session) -> _Found:
    """Masks name arguments of their tools."""
    tools = _tools(session)
    for index, call in enumerate(trajectory.gold.calls):
        for path in call.masked:
            if call.tool in tools and path not in tools[call.tool].input_by_path:
                yield f"gold.calls[{index}].masked", f"{call.tool} has no argument {path!r}"


def _tools(session: Session) -> dict[str, ToolSpec]:
    return {tool.wire_name: tool for spec in session.specs.values() for tool in spec.tools}


def _replayed(candidate: Candidate, session: Session, opening: Snapshot, where: str) -> _Found:
    session.restore(opening)
    for turn_index, turn in enumerate(candidate.turns):
        for place, call, by in _made(turn):
            result = session.call(call.tool, call.arguments, by=by)
            if (result.text, result.ok) != (call.result, call.ok):
                yield f"{where}.turns[{turn_index}].{place}.result", "made again, the call gives something else"
                return  # everything after it would be out of step
        if session.diff() != turn.diff:
            yield f"{where}.turns[{turn_index}].diff", "the calls up to here change something else"


def _untold(candidate: Candidate, session: Session, where: str) -> _Found:
    """What the user has done though the assistant had said nothing of it."""
    heard, tools = "", _tools(session)
    for turn_index, turn in enumerate(candidate.turns):
        for index, call in enumerate(turn.done):
            if call.tool in tools and not mentions(heard, [tools[call.tool]]):
                yield f"{where}.turns[{turn_index}].done[{index}]", f"nothing before it told the user of {call.tool}"
        heard += "".join(f"{step.text}\n" for step in turn.steps)


def _made(turn: Turn) -> Iterator[tuple[str, PlayedCall, Actor]]:
    """The calls of a turn in order, with their places and who makes them."""
    for index, call in enumerate(turn.done):
        yield f"done[{index}]", call, "user"
    for step_index, step in enumerate(turn.steps):
        for index, call in enumerate(step.calls):
            yield f"steps[{step_index}].calls[{index}]", call, "agent"


def _judged(
    trajectory: Trajectory,
    candidate: Candidate,
    session: Session,
    bases: Mapping[str, State],
    executed: Sequence[Call],
    where: str,
) -> _Found:
    diff = candidate.turns[-1].diff if candidate.turns else {}
    comparison = compare_states(session.specs, bases, diff, trajectory.gold.diff)
    if comparison.equal != candidate.equivalent:
        yield f"{where}.equivalent", f"expected {str(comparison.equal).lower()}, as the states show"
    gold = GoldCalls(trajectory.gold, executed, session.specs)
    matched = gold.match(list(candidate.calls()), comparison)
    complete = len(matched) == len(gold)
    if complete != candidate.complete:
        yield f"{where}.complete", f"expected {str(complete).lower()}: {len(matched)} of {len(gold)} are made"


def _labels(candidate: Candidate, where: str) -> _Found:
    for field, step in _steps(candidate, where):
        if step.label == "keep" and not all(call.ok for call in step.calls):
            yield f"{field}.label", "a refused call is not learned; expected 'hide' or 'remove'"
        if step.label == "remove" and where == "cleaned":
            yield f"{field}.label", "nothing is left to remove in the cleaned conversation"


def _cleaned(chosen: Candidate, cleaned: Candidate) -> _Found:
    left = [call.tool for _, step in _steps(chosen, "") if step.label != "remove" for call in step.calls]
    there = [call.tool for call in cleaned.calls()]
    if left != there:
        yield (
            "cleaned",
            f"expected the {len(left)} calls of the chosen candidate that are not removed, found {len(there)}",
        )
    if not cleaned.passed:
        yield "cleaned", "expected that it serves, as the chosen candidate does"


def _steps(candidate: Candidate, where: str) -> Iterator[tuple[str, Step]]:
    for turn_index, turn in enumerate(candidate.turns):
        for step_index, step in enumerate(turn.steps):
            yield f"{where}.turns[{turn_index}].steps[{step_index}]", step
