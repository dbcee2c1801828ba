"""From drafts to words: a turn's clauses from the tools' own phrasings, joined into one message.

A search that is folded in is said as a noun phrase inside the clause that uses what it finds; if none does, what it
looks for would be lost, so the draft is `Unsayable`.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from envfactory.environment import ToolSpec
from envfactory.environment.paths import spec_path
from envfactory.gold import Binding, FromUser, ListOf, ObjectOf, Out, value_at
from envfactory.querygen.manners import compose
from envfactory.querygen.names import label_slots
from envfactory.querygen.program import Program
from envfactory.querygen.references import References, there
from envfactory.querygen.request import Clause, Draft, Request, Style
from envfactory.querygen.wording import OWN, covered, fill, is_one, listed, missing_slots, say, text_before


class Unsayable(Exception):
    """No phrasing of a tool can say what a call needs; `tool` names it."""

    def __init__(self, tool: str, detail: str) -> None:
        super().__init__(f"{tool}: {detail}")
        self.tool = tool


def request_of(program: Program, turn: int, draft: Draft, manner: str, shown: Collection[int]) -> Request:
    """Put a draft into words.

    Args:
        program: the whole program.
        turn: whose request it is, from 0.
        draft: the request before it is text.
        manner: one of `planner.MANNERS`.
        shown: calls of earlier turns whose results the assistant has told.

    Raises:
        Unsayable: it cannot be said so.
    """
    words = TurnWords(program, {*shown, *(clause.call for clause in draft.clauses)})
    for call in sorted(draft.folded):
        words.fold(call)
    clauses = [words.say(clause) for clause in draft.clauses]
    words.check_folded(" ".join(clauses))
    return words.joined(turn, draft, clauses, manner)


def fitting_phrasings(program: Program, call: int) -> list[str]:
    """The phrasings of a call's tool that have a place for everything the user says."""
    said = {name for name, binding in program.gold.calls[call].arguments.items() if says_something(binding)}
    return [text for text in program.tool(call).ask if said <= {name.split(".")[0] for name in covered(text)}]


@dataclass(slots=True)
class TurnWords:
    """Words for the clauses of one turn, one after the other: what was named before decides what comes next.

    Attributes:
        program: the whole program.
        told: calls whose results the assistant has told, or is asked to tell in this request.
        phrases: noun phrases of the searches that are folded in.
        mentioned: see `References`.
        spoken: the words that stood for each argument taken from a result, by call and concrete path.
        begun: the first words of the phrasings that were chosen.
        clause: how many clauses there are so far.
    """

    program: Program
    told: Collection[int]
    phrases: dict[int, str] = field(default_factory=dict[int, str])
    mentioned: dict[str, str] = field(default_factory=dict[str, str])
    spoken: dict[tuple[int, str], str] = field(default_factory=dict[tuple[int, str], str])
    begun: list[str] = field(default_factory=list[str])
    clause: int = 0

    def fold(self, call: int) -> None:
        """Say a search as a noun phrase, to be used where its result is."""
        self.phrases[call] = ""
        self.phrases[call] = self._filled(call, self.program.tool(call).noun, {}, {}).replace(OWN, "", 1)

    def say_somehow(self, call: int, rng: random.Random) -> tuple[Clause, str]:
        """Choose a phrasing that can say what a call needs, everything by name.

        Raises:
            Unsayable: there is none.
        """
        fitting = fitting_phrasings(self.program, call)
        # Nobody says "tell me ... and tell me ...": other beginnings come first.
        for text in sorted(rng.sample(fitting, len(fitting)), key=lambda text: text.split()[0] in self.begun):
            clause = Clause(call, text)
            try:
                said = self.say(clause)
            except Unsayable:
                continue
            self.begun.append(text.split()[0])
            return clause, said
        arguments = ", ".join(sorted(self.program.gold.calls[call].arguments)) or "it"
        raise Unsayable(self.program.gold.calls[call].tool, f"no phrasing says {arguments}")

    def say(self, clause: Clause) -> str:
        """Fill a clause's phrasing; nothing counts as mentioned if it cannot be said."""
        trial = dict(self.mentioned)
        kept, self.mentioned = self.mentioned, trial
        try:
            said = self._filled(clause.call, clause.template, clause.styles, clause.instead)
        except Unsayable:
            self.mentioned = kept
            raise
        self.clause += 1
        return said

    def joined(self, turn: int, draft: Draft, clauses: list[str], manner: str) -> Request:
        """The clauses of a draft, said one after the other, as its request."""
        text = compose(clauses, manner, turn, random.Random(draft.seed), changes_mind=draft.changes_mind)
        return Request(text, frozenset(clause.call for clause in draft.clauses), draft=draft, spoken=dict(self.spoken))

    def check_folded(self, text: str) -> None:
        """Refuse a text in which a folded search is not said."""
        for call, phrase in self.phrases.items():
            if phrase not in text:
                raise Unsayable(self.program.gold.calls[call].tool, "its description got lost")

    def _filled(self, call: int, template: str, styles: Mapping[str, Style], instead: Mapping[str, str]) -> str:
        gold = self.program.gold.calls[call]
        tool = self.program.tool(call)
        references = References(self.program, call, self.phrases, self.mentioned, self.told, self.clause)
        filler = _Filler(call, tool, references, styles, instead, text_before(template), self.spoken)
        words: dict[str, str] = {}

        def value(name: str) -> str:
            # Words are found once a slot: the first mention of a record and the next one differ.
            if name not in words:
                binding = gold.arguments.get(name)
                words[name] = "" if binding is None else filler.words(binding, name)
            return words[name]

        def flag(name: str) -> bool | None:
            binding = gold.arguments.get(name)
            return bool(binding.value) if isinstance(binding, FromUser) else None

        if missing := missing_slots(template, value):
            raise Unsayable(tool.wire_name, f"nothing to say for {', '.join(missing)}")
        return there(fill(template, value, flag))


@dataclass(slots=True)
class _Filler:
    call: int
    tool: ToolSpec
    references: References
    styles: Mapping[str, Style]
    instead: Mapping[str, str]
    before: Mapping[str, str]
    spoken: dict[tuple[int, str], str]

    def words(self, binding: Binding, path: str) -> str:
        """Words for a binding at a concrete path."""
        match binding:
            case Out():
                if path in self.instead:
                    self.references.note(binding)
                    words = self.instead[path]
                else:
                    style = self.styles.get(path, "name")
                    # What stands before a list stands before each of its items: nobody meets "with it".
                    before = self.before.get(path.partition("[")[0], "")
                    words = self.references.phrase(binding, style, before)
                self.spoken[self.call, path] = there(words)
                return words
            case ListOf():
                return listed([self.words(item, f"{path}[{n}]") for n, item in enumerate(binding.items)], most=9)
            case ObjectOf():
                shape = next(shape for shape in self.tool.input_shapes if shape.path == spec_path(path))
                always = label_slots(shape.label)
                inner: dict[str, Any] = {
                    name: "" if name not in always and self._is_one(item, f"{path}.{name}") else
                    self.words(item, f"{path}.{name}")
                    for name, item in binding.fields.items()
                }  # fmt: skip
                return fill(shape.label, lambda name: inner.get(name, ""))
            case _:
                leaf = self.tool.input_by_path.get(spec_path(path))
                return say(binding.value, leaf, self.references.now)

    def _is_one(self, binding: Binding, path: str) -> bool:
        leaf = self.tool.input_by_path.get(spec_path(path))
        if isinstance(binding, Out):
            return is_one(value_at(self.references.program.outputs[binding.call], binding.path), leaf)
        return isinstance(binding, FromUser) and is_one(binding.value, leaf)


def says_something(binding: Binding) -> bool:
    """Whether a binding holds a value that the user has to say."""
    match binding:
        case FromUser():
            return True
        case ListOf():
            return any(says_something(item) for item in binding.items)
        case ObjectOf():
            return any(says_something(item) for item in binding.fields.values())
        case _:
            return False
