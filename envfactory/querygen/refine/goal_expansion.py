"""Goal expansion: a sensible further goal, its calls executed and added to the program.

The goal is about a record that the turn is about already ("... and read me the reviews of that hotel"): a tool that
takes such a record, grounded where the turn ends, with values that the person has said before where they fit. A look-up
may be added to any turn, a change only to the last one, so that nothing that follows finds another state.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson
from pydantic import JsonValue

from envfactory.environment import Backend, Parameter, Session, StateDiff, ToolSpec
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.environment.templates import parse_template, slots
from envfactory.gold import (
    Binding,
    Call,
    FromUser,
    Gold,
    GoldCall,
    ListOf,
    ObjectOf,
    Out,
    bindings_of,
    renumbered,
    replay,
    value_at,
)
from envfactory.querygen.draft import TurnWords, Unsayable
from envfactory.querygen.program import Program, divided
from envfactory.querygen.refine.conversation import Conversation
from envfactory.querygen.related import Relations
from envfactory.querygen.request import Draft, Request
from envfactory.sampling.news import facts
from envfactory.sampling.sense import Done, Sense, is_closing, is_done_with, rates

TRIES = 6
"""Tools that are tried for a turn."""

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
    records = _records(program, calls)
    options = [tool for tool in _tools(program, calls, records) if last or not tool.writes]
    for tool in rng.sample(options, min(TRIES, len(options))):
        before = session.snapshot()
        call = _grounded(program, session, tool, records, calls, rng)
        if call is not None:
            if not _goes_with(program, _with(program.gold, call[0], turn), calls):
                session.restore(before)
                continue
            diff = session.diff() if last else program.gold.diff
            longer = _longer(program, call, turn, diff)
            if _accepted(conversation, longer, request, turn, calls.stop, rng):
                return
            session.restore(before)
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


def _goes_with(program: Program, longer: Gold, calls: range) -> bool:
    """Whether a person would ask for one more call, right after those of a turn, in the same breath."""
    kept = Relations(longer, program.specs).weight(calls.start, calls.stop + 1)
    return kept >= LIKELY * Relations(program.gold, program.specs).weight(calls.start, calls.stop)


def _records(program: Program, calls: range) -> dict[str, Out]:
    """The records that the calls of a turn are about or have made, by entity: the last one of each.

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


def _tools(program: Program, calls: range, records: Mapping[str, Out]) -> list[ToolSpec]:
    """Tools that take one of the records, that the turn does not use yet, and that can be asked for."""
    used = {program.gold.calls[call].tool for call in calls}
    return [
        tool
        for spec in program.specs.values()
        for tool in spec.agent_tools
        if tool.wire_name not in used
        and not tool.first
        and set(_taking(tool, records))
        and _is_simple(tool, records)
        and not rates(tool)
    ]


def _taking(tool: ToolSpec, records: Mapping[str, Out]) -> Iterator[str]:
    """The required arguments that take a record."""
    for leaf in tool.inputs:
        if leaf.ref in records and leaf.path in tool.required:
            yield leaf.path


def _is_simple(tool: ToolSpec, records: Mapping[str, Out]) -> bool:
    """Whether every required argument is a record at hand, or a plain value."""
    plain = {leaf.path: leaf for leaf in tool.inputs if "." not in leaf.path and "[" not in leaf.path}
    return all(name in plain and (not plain[name].ref or plain[name].ref in records) for name in tool.required)


def _grounded(
    program: Program, session: Session, tool: ToolSpec, records: Mapping[str, Out], calls: range, rng: random.Random
) -> tuple[GoldCall, Call, Any] | None:
    """A call of a tool that succeeds where the session stands, and finds or does something; or nothing."""
    taken = {leaf.path: records[leaf.ref] for leaf in tool.inputs if leaf.path in _taking(tool, records)}
    given = {path: value_at(program.outputs[out.call], out.path) for path, out in taken.items()}
    if len({(out.call, out.path) for out in taken.values()}) < len(taken):
        return None  # twice the same record
    said = {path: value for path, value in _said(program, tool, calls.stop).items() if path not in given}
    state = orjson.loads(session.dump_of(tool.environment))
    try:
        arguments = Drawer(session.specs[tool.environment]).draw(tool.name, state, rng, {**said, **given}, 0.0)
    except Undrawable:
        return None
    sayable = {name.split(".")[0] for text in tool.ask for name in slots(parse_template(text))}
    sayable |= {leaf.path for leaf in tool.secrets}  # told when asked for
    if not arguments.keys() <= sayable or _was_called(program, tool, arguments):
        return None
    sense = _sense(program, calls.stop)
    sensible = all(sense.takes(tool, path, given[path], out.call, out.path, state) for path, out in taken.items())
    result = session.call(tool.wire_name, arguments) if sensible else None
    if result is None or not result.ok or _is_empty(tool, result.value):
        return None
    if not sense.tells(tool, arguments, result.value) or _spoils(program, tool, arguments, result.value, calls.stop):
        return None
    bindings: dict[str, Binding] = {
        name: taken[name] if name in taken else _from_user(value) for name, value in arguments.items()
    }
    masked = tuple(leaf.path for leaf in tool.inputs if leaf.free_text)
    call = Call.model_construct(tool=tool.wire_name, arguments=arguments, result=result.text, ok=True)
    return GoldCall(tool=tool.wire_name, arguments=bindings, masked=masked), call, result.value


def _sense(program: Program, stop: int) -> Sense:
    """What is sensible after the calls before `stop`."""
    done = {
        index: Done(
            tool, program.calls[index].arguments, program.outputs[index], program.bases[tool.environment],
            program.facts[index],
        )
        for index, tool in enumerate(program.tools[:stop])
    }  # fmt: skip
    return Sense(program.specs, done)


def _spoils(program: Program, tool: ToolSpec, arguments: Mapping[str, Any], output: Any, stop: int) -> bool:
    """Whether what is told now would leave a later look-up with nothing to tell."""
    if tool.writes:
        return False
    now = facts(tool, arguments, output)
    later = zip(program.tools[stop:], program.facts[stop:], strict=True)
    return any(told and not look_up.writes and told <= now for look_up, told in later)


def _said(program: Program, tool: ToolSpec, stop: int) -> dict[str, Any]:
    """Values that the user has said for the same thing: people keep to their dates and their city, until they book."""
    found: dict[str, Any] = {}
    for call in range(stop):
        earlier = program.tool(call)
        inputs = earlier.input_by_path
        for path, binding in program.gold.calls[call].arguments.items():
            other = inputs.get(path)
            if not isinstance(binding, FromUser) or other is None or other.free_text:
                continue
            leaf = tool.input_by_path.get(path)
            if leaf is None or leaf.path not in tool.required or not _same_meaning(leaf, other):
                continue
            if is_done_with(earlier, leaf, tool):
                found.pop(path, None)
            else:
                found[path] = binding.value
    return found


def _same_meaning(leaf: Parameter, other: Parameter) -> bool:
    alike = (leaf.name, leaf.type, leaf.format, leaf.value, leaf.enum) == (
        other.name, other.type, other.format, other.value, other.enum
    )  # fmt: skip
    return alike and bool(leaf.format or leaf.value) and leaf.unit != "USD"


def _was_called(program: Program, tool: ToolSpec, arguments: Mapping[str, Any]) -> bool:
    return any(call.tool == tool.wire_name and call.arguments == arguments for call in program.calls.values())


def _is_empty(tool: ToolSpec, output: Any) -> bool:
    """Whether a look-up found nothing."""
    lists = [shape.path.removesuffix("[]") for shape in tool.output_shapes if shape.path.count("[]") == 1]
    found = [output.get(path) for path in lists if "." not in path]
    return not tool.writes and bool(found) and not any(found)


def _from_user(value: Any) -> Binding:
    if isinstance(value, dict):
        return ObjectOf(fields={name: _from_user(inner) for name, inner in value.items()})  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list):
        return ListOf(items=tuple(_from_user(item) for item in value))  # pyright: ignore[reportUnknownVariableType]
    return FromUser(value=value)


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


def _longer(program: Program, added: tuple[GoldCall, Call, Any], turn: int, diff: dict[str, StateDiff]) -> Program:
    call, executed, output = added
    at = program.slices[turn].stop
    calls = {index + (index >= at): other for index, other in program.calls.items()}
    outputs = {index + (index >= at): other for index, other in program.outputs.items()}
    gold = _with(program.gold, call, turn).model_copy(update={"diff": diff})
    return program.with_run(gold, {**calls, at: executed}, {**outputs, at: output})


def _renumbered(request: Request, at: int) -> Request:
    """A later request whose calls have moved on by one."""
    draft = request.draft
    if draft is not None:
        clauses = tuple(replace(clause, call=clause.call + (clause.call >= at)) for clause in draft.clauses)
        draft = Draft(clauses, draft.seed, frozenset(c + (c >= at) for c in draft.folded), draft.changes_mind)
    asked = frozenset(call + (call >= at) for call in request.asked)
    spoken = {(call + (call >= at), path): words for (call, path), words in request.spoken.items()}
    return replace(request, asked=asked, draft=draft, spoken=spoken)
