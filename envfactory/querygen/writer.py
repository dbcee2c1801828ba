"""The writer: one request a turn, in plain English that a person could have typed.

A request asks for what the person wants, not for every call: a search whose result a later call takes is folded into
that call ("book the cheapest hotel in Rome"), and a look-up that says nothing new is left to the assistant. What must
be known to act is always said: `solvable.unsaid` checks it on the finished text.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Protocol

from envfactory.environment import ToolSpec
from envfactory.gold import Binding, FromUser, ListOf, ObjectOf, Out, bindings_of
from envfactory.querygen.manners import compose
from envfactory.querygen.planner import changes_mind
from envfactory.querygen.program import Program, spec_path
from envfactory.querygen.references import References
from envfactory.querygen.wording import covered, fill, listed, missing_slots, say, text_before
from envfactory.trajectory import Persona

FOLD = 0.8
"""How often a search is folded into the call that uses it, where that can be said."""
LEAVE_OUT = 0.7
"""How often a look-up that says nothing new is left out."""
TRIES = 4


class Unsayable(Exception):
    """No phrasing of a tool can say what a call needs; `tool` names it."""

    def __init__(self, tool: str, detail: str) -> None:
        super().__init__(f"{tool}: {detail}")
        self.tool = tool


@dataclass(frozen=True, slots=True)
class Request:
    """What the user says in a turn, and which of its calls the text asks for outright."""

    text: str
    asked: frozenset[int]


class Writer(Protocol):
    """Writes the requests of a conversation."""

    def write(self, program: Program, persona: Persona, rng: random.Random) -> list[Request]:
        """Write one request a turn.

        Raises:
            Unsayable: some call cannot be asked for.
        """
        ...


class RuleWriter:
    """Writes from the tools' own phrasings."""

    def write(self, program: Program, persona: Persona, rng: random.Random) -> list[Request]:
        """Write one request a turn; a turn that cannot be said compressed is said in full."""
        requests: list[Request] = []
        for turn, calls in enumerate(program.gold.turn_slices()):
            for attempt in range(TRIES + 1):
                try:
                    clauses, asked = _Turn(program, list(calls), rng, compress=attempt < TRIES).clauses()
                except Unsayable:
                    if attempt == TRIES:
                        raise
                    continue
                before = program.gold.turn_slices()[turn - 1].start if turn else 0
                again = bool(turn) and changes_mind(program.gold, asked[0], program.specs, before)
                text = compose(clauses, persona.manner, turn, rng, changes_mind=again)
                requests.append(Request(text, frozenset(asked)))
                break
        return requests


class _Turn:
    def __init__(self, program: Program, calls: list[int], rng: random.Random, *, compress: bool) -> None:
        self.program, self.calls, self.rng = program, calls, rng
        self.now = program.gold.reference.now
        self.absorbed: dict[int, str] = {}
        self.silent: set[int] = set()
        if compress:
            self._fold()
            self._leave_out()

    def clauses(self) -> tuple[list[str], list[int]]:
        asked = [call for call in self.calls if call not in self.absorbed and call not in self.silent]
        phrases = dict.fromkeys(self.absorbed, "")
        mentioned: dict[str, str] = {}
        for call in self.absorbed:
            phrases[call] = self._noun_phrase(call, phrases, mentioned)
        clauses = [self._ask(call, phrases, mentioned) for call in asked]
        text = " ".join(clauses)
        for call in self.absorbed:
            if phrases[call] not in text:
                raise Unsayable(self.program.gold.calls[call].tool, "its description got lost")
        return clauses, asked

    # -- compression ----------------------------------------------------------------------------------------------

    def _fold(self) -> None:
        for call in self.calls[:-1]:
            tool = self.program.tool(call)
            if tool.noun and not tool.writes and self._foldable(call, tool) and self.rng.random() < FOLD:
                self.absorbed[call] = tool.noun

    def _foldable(self, call: int, tool: ToolSpec) -> bool:
        uses = [(user, out) for user in self.calls for out in self._outs(user) if out.call == call]
        later = [
            out
            for user in range(self.calls[-1] + 1, len(self.program.gold.calls))
            for out in self._outs(user)
            if out.call == call
        ]
        if not uses or later:
            return False
        places = {out.path.rpartition(".")[0] for _, out in uses}
        named = all(self.program.source(out).name == "id" for _, out in uses)
        marked = all(out.pick is not None and out.pick.by != "name" for _, out in uses)
        needed = {path.split(".")[0].split("[")[0] for path, _ in bindings_of(self.program.gold.calls[call])}
        return len(places) == 1 and named and marked and needed <= covered(tool.noun)

    def _leave_out(self) -> None:
        for position, call in enumerate(self.calls[:-1]):
            tool = self.program.tool(call)
            if tool.writes or call in self.absorbed:
                continue
            rest = [other for other in self.calls[position + 1 :] if other not in self.absorbed]
            if self._says_nothing_new(call, rest) and self.rng.random() < LEAVE_OUT:
                self.silent.add(call)

    def _says_nothing_new(self, call: int, rest: list[int]) -> bool:
        """Whether a later call of the turn names the same records and values, or takes the result."""
        mine = self._facts(call)
        theirs = {fact for other in rest for fact in self._facts(other)}
        takes = any(out.call == call for other in rest for out in self._outs(other))
        records = {fact for fact in mine if fact[0] == "record"}
        return mine <= theirs and (takes or bool(records))

    def _facts(self, call: int) -> set[tuple[str, str]]:
        facts: set[tuple[str, str]] = set()
        for path, binding in bindings_of(self.program.gold.calls[call]):
            if isinstance(binding, Out):
                facts.add(("record", f"{binding.call}:{binding.path}"))
            else:
                name = spec_path(path).rsplit(".", 1)[-1]
                facts.add(("value", f"{name}={binding.value!r}"))
        return facts

    def _outs(self, call: int) -> list[Out]:
        return [binding for _, binding in bindings_of(self.program.gold.calls[call]) if isinstance(binding, Out)]

    # -- words ----------------------------------------------------------------------------------------------------

    def _noun_phrase(self, call: int, phrases: dict[int, str], mentioned: dict[str, str]) -> str:
        tool = self.program.tool(call)
        return self._fill(call, tool.noun, phrases, mentioned)

    def _ask(self, call: int, phrases: dict[int, str], mentioned: dict[str, str]) -> str:
        tool = self.program.tool(call)
        gold = self.program.gold.calls[call]
        said = {name for name, binding in gold.arguments.items() if _says_something(binding)}
        fitting = [text for text in tool.ask if said <= {name.split(".")[0] for name in covered(text)}]
        for text in self.rng.sample(fitting, len(fitting)):
            trial = dict(mentioned)
            try:
                clause = self._fill(call, text, phrases, trial)
            except Unsayable:
                continue
            mentioned.update(trial)
            return clause
        raise Unsayable(tool.wire_name, f"no phrasing says {', '.join(sorted(gold.arguments)) or 'it'}")

    def _fill(self, call: int, template: str, phrases: dict[int, str], mentioned: dict[str, str]) -> str:
        gold = self.program.gold.calls[call]
        tool = self.program.tool(call)
        references = References(self.program, call, phrases, mentioned)
        words: dict[str, str] = {}
        before = text_before(template)

        def value(name: str) -> str:
            # Words are found once a slot: the first mention of a record and the next one differ.
            if name not in words:
                binding = gold.arguments.get(name)
                words[name] = (
                    "" if binding is None else self._words(binding, name, tool, references, before.get(name, ""))
                )
            return words[name]

        def flag(name: str) -> bool | None:
            binding = gold.arguments.get(name)
            return bool(binding.value) if isinstance(binding, FromUser) else None

        if missing := missing_slots(template, value):
            raise Unsayable(tool.wire_name, f"nothing to say for {', '.join(missing)}")
        return fill(template, value, flag)

    def _words(self, binding: Binding, path: str, tool: ToolSpec, references: References, before: str = "") -> str:
        match binding:
            case Out():
                return references.phrase(binding, before)
            case ListOf():
                return listed([self._words(item, f"{path}[]", tool, references) for item in binding.items], most=9)
            case ObjectOf():
                shape = next(shape for shape in tool.input_shapes if shape.path == path)
                inner: dict[str, Any] = {
                    name: self._words(field, f"{path}.{name}", tool, references)
                    for name, field in binding.fields.items()
                }
                return fill(shape.label, lambda name: inner.get(name, ""))
            case _:
                return say(binding.value, tool.input_by_path.get(path), self.now)


def _says_something(binding: Binding) -> bool:
    match binding:
        case FromUser():
            return True
        case ListOf():
            return any(_says_something(item) for item in binding.items)
        case ObjectOf():
            return any(_says_something(field) for field in binding.fields.values())
        case _:
            return False
