"""Goal expansion: a sensible further goal, its calls executed and added to the program.

The goal is about a record at hand: one that the turn is about ("... and read me the reviews of that hotel"), else one
that its results name ("... of the cheapest one"), else one that the conversation was about before. A tool that takes
such a record is called where the turn ends, with values that the person has said before where they fit. A look-up may
be added to any turn, a change only to the last one, so that nothing that follows finds another state.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from pydantic import JsonValue

from envfactory.environment import Backend, Session, ToolSpec
from envfactory.gold import Gold, GoldCall, Out, bindings_of, renumbered, replay
from envfactory.querygen.draft import TurnWords, Unsayable
from envfactory.querygen.program import Program, divided
from envfactory.querygen.refine.conversation import Conversation
from envfactory.querygen.refine.moment import Further, Moment, taking
from envfactory.querygen.related import Relations
from envfactory.querygen.request import Draft, Request
from envfactory.sampling.picks import choices
from envfactory.sampling.sense import is_closing, rates

TRIES = 6
"""Tools that are tried for a turn and the records at hand."""

ITEMS = 3
"""Items of a result that are tried."""

LIKELY = 0.1
"""How likely a request must be with a further goal, beside how likely it was without."""


def expand_goals(conversation: Conversation, backend: Backend, most_calls: int) -> None:
    """Add further goals to the turns of a conversation that has not been refined otherwise yet.

    Raises:
        EnvironmentFailure: infrastructure failed.
    """
    turns = [turn for turn in range(len(conversation.requests)) if _is_drawn(conversation, turn, most_calls)]
    if not turns:
        return
    program = conversation.program
    with Session(backend, program.gold.reference) as session:
        outputs: dict[int, Any] = {}
        for turn, calls in enumerate(program.slices[: turns[-1] + 1]):
            # Indexes count the calls of the first program: those added are no part of it, and change no state before
            # the last turn.
            outputs = replay(program.gold, session, start=calls.start, stop=calls.stop, outputs=outputs).outputs
            if turn in turns:
                _expand(conversation, session, turn)


def _is_drawn(conversation: Conversation, turn: int, most_calls: int) -> bool:
    calls = conversation.program.slices[turn]
    if conversation.requests[turn].draft is None or not 0 < len(calls) < most_calls:
        return False
    rng = conversation.rng("goal_expansion", turn)
    return rng.random() < conversation.chance("goal_expansion", calls[-1])


def _expand(conversation: Conversation, session: Session, turn: int) -> None:
    """Add one goal to a turn, at the end of which the session stands."""
    program, request = conversation.program, conversation.requests[turn]
    rng = conversation.rng("goal_expansion", turn)
    calls = program.slices[turn]
    last = turn == len(conversation.requests) - 1
    moment = Moment(program, session, calls.stop)
    before = Relations(program.gold, program.specs).weight(calls.start, calls.stop)
    for records, nearest in _hands(program, calls, rng):
        options = [tool for tool in _tools(program, calls, records, nearest) if last or not tool.writes]
        for tool in rng.sample(options, min(TRIES, len(options))):
            stand = session.snapshot()
            further = moment.call(tool, records, rng)
            if further is not None:
                longer = _with(program.gold, further.call, turn)
                if Relations(longer, program.specs).weight(calls.start, calls.stop + 1) >= LIKELY * before:
                    diff = session.diff() if last else program.gold.diff
                    further_program = _longer(program, further, longer.model_copy(update={"diff": diff}), calls.stop)
                    if _accepted(conversation, further_program, request, turn, calls.stop, rng):
                        return
                session.restore(stand)
    conversation.rejected.append("goal_expansion:no_goal")


def _accepted(
    conversation: Conversation, program: Program, request: Request, turn: int, call: int, rng: random.Random
) -> bool:
    """Put a further goal into words; whether the request is solvable with it."""
    kept_program, kept_requests = conversation.program, list(conversation.requests)
    assert request.draft is not None
    conversation.program = program
    conversation.requests = [
        _renumbered(other, call) if index > turn else other for index, other in enumerate(conversation.requests)
    ]
    told = conversation.shown_before(turn).union(program.slices[turn])
    words = TurnWords(program, told)
    try:
        said = [words.say(clause) for clause in request.draft.clauses]
        added, text = words.say_somehow(call, rng)
    except Unsayable:
        pass
    else:
        draft = replace(request.draft, clauses=(*request.draft.clauses, added))
        worded = words.joined(turn, draft, [*said, text], conversation.persona.manner)
        detail: dict[str, JsonValue] = {"calls": [call], "tool": program.gold.calls[call].tool}
        if conversation.try_request("goal_expansion", turn, worded, detail):
            return True
    conversation.program, conversation.requests = kept_program, kept_requests
    return False


# -- what could be wanted ---------------------------------------------------------------------------------------------


def _hands(program: Program, calls: range, rng: random.Random) -> Iterator[tuple[Mapping[str, Out], Collection[str]]]:
    """The records that a further goal may be about, by entity, the nearest first, and which of them are new.

    First those that the turn is about; then what its results name; then the same of the turns before, where the person
    still speaks of the same environments.
    """
    found: dict[str, Out] = {}
    here = {program.tool(call).environment for call in calls}
    before = [call for call in range(calls.start) if program.tool(call).environment in here]
    for near in (calls, before):
        for hand in chain([_records(program, near)], _named(program, near, rng)):
            found = {**found, **hand}
            yield found, hand.keys()


def _records(program: Program, calls: Iterable[int]) -> dict[str, Out]:
    """The records that calls are about or have made, by entity: the last one of each.

    Nothing more is wanted of what was rated or called off.
    """
    found: dict[str, Out] = {}
    for call in calls:
        tool = program.tool(call)
        if is_closing(tool):
            continue
        for _, binding in bindings_of(program.gold.calls[call]):
            if isinstance(binding, Out) and (entity := program.source(binding).ref):
                found[entity] = binding
        own = tool.output_by_path.get("id")
        if own is not None and own.ref:
            found[own.ref] = Out(call=call, path="id")
    return found


def _named(program: Program, calls: Iterable[int], rng: random.Random) -> Iterator[dict[str, Out]]:
    """Records that the results of calls name, by entity, each as a person would point to it ("the cheapest one").

    One that a call takes already is none of them: it would be the same record by another name.
    """
    taken = {bound.key for records in program.records for bound in records}
    found: dict[str, list[Out]] = {}
    for call in calls:
        tool = program.tool(call)
        for leaf in tool.outputs:
            if leaf.ref:
                there = choices(tool, program.outputs[call], leaf.path, rng)
                found[leaf.ref] = [
                    Out(call=call, path=one.path, pick=one.pick) for one in there if one.value not in taken
                ]
    for nth in range(ITEMS):
        yield {entity: outs[nth] for entity, outs in found.items() if nth < len(outs)}


def _tools(program: Program, calls: range, records: Mapping[str, Out], nearest: Collection[str]) -> list[ToolSpec]:
    """Tools that take one of the nearest records, that the turn does not use yet, and that can be asked for."""
    used = {program.gold.calls[call].tool for call in calls}
    return [
        tool
        for spec in program.specs.values()
        for tool in spec.agent_tools
        if tool.wire_name not in used
        and not tool.first
        and set(taking(tool, nearest))
        and _is_simple(tool, records)
        and not rates(tool)
    ]


def _is_simple(tool: ToolSpec, records: Mapping[str, Out]) -> bool:
    """Whether every required argument is a record at hand, or a plain value."""
    plain = {leaf.path: leaf for leaf in tool.inputs if "." not in leaf.path and "[" not in leaf.path}
    return all(name in plain and (not plain[name].ref or plain[name].ref in records) for name in tool.required)


# -- a longer program -------------------------------------------------------------------------------------------------


def _with(gold: Gold, call: GoldCall, turn: int) -> Gold:
    """The program with one more call at the end of a turn; later calls and what they take move on by one."""
    at = gold.turn_slices()[turn].stop
    later = [
        other.model_copy(update={"arguments": renumbered(other.arguments, lambda index: index + (index >= at))})
        for other in gold.calls[at:]
    ]
    turns = tuple(count + (index == turn) for index, count in enumerate(gold.turns))
    return divided(gold.model_copy(update={"calls": (*gold.calls[:at], call, *later)}), turns)


def _longer(program: Program, added: Further, gold: Gold, at: int) -> Program:
    calls = {index + (index >= at): other for index, other in program.calls.items()}
    outputs = {index + (index >= at): other for index, other in program.outputs.items()}
    return program.with_run(gold, {**calls, at: added.executed}, {**outputs, at: added.output})


def _renumbered(request: Request, at: int) -> Request:
    """A later request whose calls have moved on by one."""
    draft = request.draft
    if draft is not None:
        clauses = tuple(replace(clause, call=clause.call + (clause.call >= at)) for clause in draft.clauses)
        draft = Draft(clauses, draft.seed, frozenset(c + (c >= at) for c in draft.folded), draft.changes_mind)
    asked = frozenset(call + (call >= at) for call in request.asked)
    spoken = {(call + (call >= at), path): words for (call, path), words in request.spoken.items()}
    return replace(request, asked=asked, draft=draft, spoken=spoken)
