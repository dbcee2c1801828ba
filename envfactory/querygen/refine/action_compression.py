"""Action compression: steps that can be inferred are not asked for; the program keeps them.

A search is folded into the call that uses what it finds ("book the cheapest hotel in Rome"), and a look-up that a later
call needs and that says nothing new is left to the assistant.
"""

from __future__ import annotations

from dataclasses import replace

from pydantic import JsonValue

from envfactory.environment.paths import spec_path
from envfactory.gold import Out, bindings_of
from envfactory.querygen.program import Program
from envfactory.querygen.refine.conversation import Conversation
from envfactory.querygen.wording import covered


def compress_actions(conversation: Conversation, turn: int) -> None:
    """Leave out what need not be asked for in a turn."""
    draft = conversation.requests[turn].draft
    if draft is None:
        return
    program = conversation.program
    rng = conversation.rng("action_compression", turn)
    calls = program.slices[turn]
    drawn = {call for call in calls if rng.random() < conversation.chance("action_compression", call)}
    folded = {call for call in calls[:-1] if call in drawn and foldable(program, call, calls)}
    silent = {
        call for call in calls[:-1] if call in drawn - folded and says_nothing_new(program, call, calls, folded)
    }  # fmt: skip
    # A search that cannot be folded may spoil the rest, and the other way round: less is tried if more does not do.
    tried: list[set[int]] = [set()]
    for left_out in (folded | silent, folded, silent):
        if left_out in tried:
            continue
        tried.append(left_out)
        kept = tuple(clause for clause in draft.clauses if clause.call not in left_out)
        request = conversation.worded(turn, replace(draft, clauses=kept, folded=frozenset(folded & left_out)))
        detail: dict[str, JsonValue] = {"calls": [*sorted(left_out)], "folded": [*sorted(folded & left_out)]}
        if conversation.try_request("action_compression", turn, request, detail):
            return


def foldable(program: Program, call: int, calls: range) -> bool:
    """Whether a search can be said as a noun phrase: what it finds is used in its turn only, and known by a mark."""
    tool = program.tool(call)
    if tool.writes or not tool.noun:
        return False
    uses = [(user, out) for user in calls for out in outs(program, user) if out.call == call]
    later = any(out.call == call for user in range(calls.stop, len(program.gold.calls)) for out in outs(program, user))
    if not uses or later:
        return False
    places = {out.path.rpartition(".")[0] for _, out in uses}
    named = all(program.source(out).name == "id" for _, out in uses)
    marked = all(out.pick is not None and out.pick.by != "name" for _, out in uses)
    needed = {path.split(".")[0].split("[")[0] for path, _ in bindings_of(program.gold.calls[call])}
    return len(places) == 1 and named and marked and needed <= covered(tool.noun)


def says_nothing_new(program: Program, call: int, calls: range, folded: set[int]) -> bool:
    """Whether a look-up names no more records and values than later calls of the turn do, and one of them needs it."""
    if program.tool(call).writes:
        return False
    rest = [other for other in calls if other > call and other not in folded]
    theirs = {fact for other in rest for fact in _facts(program, other)}
    needed = any(out.call == call for other in rest for out in outs(program, other))
    return needed and _facts(program, call) <= theirs


def outs(program: Program, call: int) -> list[Out]:
    """The bindings of a call to results."""
    return [binding for _, binding in bindings_of(program.gold.calls[call]) if isinstance(binding, Out)]


def _facts(program: Program, call: int) -> set[tuple[str, str]]:
    facts: set[tuple[str, str]] = set()
    for path, binding in bindings_of(program.gold.calls[call]):
        if isinstance(binding, Out):
            facts.add(("record", f"{binding.call}:{binding.path}"))
        else:
            name = spec_path(path).rsplit(".", 1)[-1]
            facts.add(("value", f"{name}={binding.value!r}"))
    return facts
