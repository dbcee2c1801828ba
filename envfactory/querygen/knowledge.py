"""What a person knows in a turn, whether they are asked, and what they say then.

    Knowledge
      facts   what only they know, each with the words by which one asks for it
      open    words by which one asks for a wish that they do not have
      wants   stems of the verbs that ask for what they want

It is what is left of a gold program once everything that tools could tell is taken away: values that only the person
can say, and what their own things are called. So it can be kept with a turn, and answers without the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from envfactory.environment import Backend, Parameter, Session
from envfactory.environment.paths import spec_path
from envfactory.gold import FromUser, Gold, bindings_of, replay
from envfactory.querygen.phrasebook import phrasebook, stem
from envfactory.querygen.program import Program
from envfactory.querygen.wording import listed, say, sentence

__all__ = ["Fact", "Knowledge", "asks", "asks_for", "knowledge_by_turn", "knowledge_of", "words_in"]


class Fact(BaseModel):
    """Something that a person knows.

    Attributes:
        about: words by which one asks for it: any of them; for a secret, all of them.
        words: what they say.
        secret: the value itself, where it is a secret.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: tuple[str, ...] = Field(min_length=1)
    words: str = Field(min_length=1)
    secret: str = ""

    def is_asked_for(self, asked: frozenset[str]) -> bool:
        """Whether a question with some words asks for it."""
        return asked.issuperset(self.about) if self.secret else not asked.isdisjoint(self.about)


class Knowledge(BaseModel):
    """What a person knows in a turn; see the module docstring."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: tuple[Fact, ...] = ()
    open: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()

    def answer(self, heard: str) -> str:
        """What they say to a message that asks something: the facts asked for, a consent, or that they do not know.

        Whoever proposes to do a thing ("shall I ...") hears a consent, unless it would spend money or end something and
        nothing of the kind is wanted.
        """
        proposals, rest = _parted(heard)
        if any(self._is_unwanted(proposal) for proposal in proposals):
            return REFUSAL
        asked = words_in(rest)
        facts = [fact.words for fact in self.facts if fact.is_asked_for(asked)]
        told = sentence(listed(list(dict.fromkeys(facts)), most=6)) if facts else ""
        if proposals:
            return f"{told} And yes, please go ahead." if told else CONSENT
        if told:
            return told
        if _CONSENT.search(rest) and not _CHOICES.search(rest):
            return CONSENT
        if not asked.isdisjoint(self.open):
            return "No preference, the usual is fine."
        return "I don't know, could you look that up?"

    def _is_unwanted(self, proposal: str) -> bool:
        """Whether it is proposed to spend money or to end something, and they want nothing of the kind."""
        verbs = {stem(match[1].casefold()) for match in _PROPOSED.finditer(proposal)}
        return bool(self.wants) and any(verbs & kind and kind.isdisjoint(self.wants) for kind in (_SPENDING, _ENDING))


def asks(heard: str) -> bool:
    """Whether a message asks the person for something; to offer further help is not to ask."""
    return any(True for _ in _questions(heard))


def asks_for(heard: str, name: str) -> bool:
    """Whether a message asks the person for a secret of some name: by all words of it; to propose is not to ask."""
    return words_in(_parted(heard)[1]) >= words_in(name)


def knowledge_of(program: Program, calls: range) -> Knowledge:
    """What a person knows who asks for some calls of a program.

    Args:
        program: what they want done.
        calls: those of one turn.
    """
    leaves = [
        leaf
        for call in calls
        for leaf in program.tool(call).inputs
        if not leaf.required and leaf.path not in program.gold.calls[call].arguments
    ]
    wishes = sorted({word for leaf in leaves for word in _asked_by(leaf)})
    heads = phrasebook(tuple(program.specs.values())).heads(program.gold.calls[call].tool for call in calls)
    return Knowledge(facts=tuple(_facts(program, calls)), open=tuple(wishes), wants=tuple(sorted(heads)))


def knowledge_by_turn(environments: Backend, gold: Gold) -> list[Knowledge]:
    """What the person knows in each turn of a program; in a turn without calls, nothing.

    Args:
        environments: opens the program's session.
        gold: the program.

    Raises:
        ReplayError: it does not run.
        EnvironmentFailure: infrastructure failed.
    """
    with Session(environments, gold.reference) as session:
        bases = session.documents()
        run = replay(gold, session)
        program = Program(gold, session.specs, run.calls, run.outputs, bases)
        return [knowledge_of(program, calls) for calls in program.slices]


def words_in(text: str) -> frozenset[str]:
    """The words of a text, in lower case, plurals in the singular too."""
    found = re.findall(r"[a-z]+", text.casefold())
    return frozenset(found) | {word.removesuffix("s") for word in found if len(word) > 3}


CONSENT = "Yes, please go ahead."
REFUSAL = "No, that is not what I asked for."

_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+|,? or (?=(?:shall|should|may) I\b|do you want me\b)", re.IGNORECASE)
_REQUESTS = re.compile(
    r"\b(?:please|kindly) (?:tell|specify|provide|confirm|clarify|choose|give|say|share|state|enter|reply|answer"
    r"|indicate|send|pick|select|name|describe|let me know)\b"
    r"|\b(?:tell me|let me know|need to know|specify|clarify) (?:which|what|when|who|whose|where|how|if|whether)\b"
    r"|\bI(?:'ll| will)? (?:also |still |just )?need (?:your|the)\b",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"\b(?:anything else|something else|else I can|further help|(?:other|more|further) questions?"
    r"|if you need (?:anything|any|something|more|further|help|assistance))\b",
    re.IGNORECASE,
)
_CHOICES = re.compile(r"\b(?:which|what|when|who|whose|where|how|or)\b", re.IGNORECASE)
_PROPOSALS = re.compile(
    r"\b(?:shall I|should I|(?:may|can) I(?! (?:have|get|ask))|go ahead|proceed|are you sure|(?:like|want) me to"
    r"|is that (?:right|correct|fine|ok|okay))\b",
    re.IGNORECASE,
)
_PROPOSED = re.compile(
    r"\b(?:shall I|should I|(?:may|can) I|(?:like|want) me to|(?:go ahead|proceed) (?:and|to))"
    r"(?: (?:now|also|then|just|please|really|quickly))* ([a-z]+)\b",
    re.IGNORECASE,
)
"""What is proposed, by its verb."""
_SPENDING = frozenset(map(stem, ("book", "buy", "charge", "order", "pay", "purchase", "reserve", "transfer")))
_ENDING = frozenset(
    map(stem, ("cancel", "close", "delete", "discard", "drop", "erase", "remove", "terminate", "withdraw"))
)
_CONSENT = re.compile(r"\b(?:do you want|would you like|is that|confirm)\b", re.IGNORECASE)
_HINTS = {
    "date": {"date", "dates", "when", "day", "days"},
    "date-time": {"date", "when", "time", "day"},
    "time": {"time", "when", "hour"},
    "USD": {"amount", "price", "budget", "limit"},
}
_FILLERS = frozenset({"id", "to", "from", "by", "of", "in", "on", "at", "for", "min", "max", "new", "name", "and"})


def _questions(heard: str) -> Iterator[str]:
    """The sentences of a message that ask for something."""
    for said in _SENTENCES.split(heard):
        if ("?" in said or _REQUESTS.search(said)) and not _OFFERS.search(said):
            yield said


def _parted(heard: str) -> tuple[list[str], str]:
    """What a message proposes to do, sentence by sentence, and what else it asks."""
    questions = list(_questions(heard))
    proposals = [said for said in questions if _PROPOSALS.search(said) and not _CHOICES.search(said)]
    return proposals, " ".join(said for said in questions if said not in proposals)


def _facts(program: Program, calls: range) -> Iterator[Fact]:
    """The values that the person says, and which of their things it is about."""
    now = program.gold.reference.now
    for call in calls:
        tool = program.tool(call)
        for path, binding in bindings_of(program.gold.calls[call]):
            leaf = tool.input_by_path.get(spec_path(path))
            if not isinstance(binding, FromUser) or leaf is None or isinstance(binding.value, bool):
                continue
            words = say(binding.value, leaf, now)
            if leaf.secret:
                said = f"the {leaf.secret} is {words}"
                yield Fact(about=_sorted(words_in(leaf.secret)), words=said, secret=words)
            elif words:
                yield Fact(about=_sorted(_asked_by(leaf)), words=f"{_label(leaf)}{words}")
        for bound in program.records[call]:
            noun = program.noun(bound.entity)
            if name := _name_of(program, bound.entity, bound.key, call, calls.start):
                yield Fact(about=_sorted(frozenset({noun, *noun.split()}) | words_in(f"{noun}s")), words=name)


def _name_of(program: Program, entity: str, key: str, call: int, start: int) -> str:
    """What a record is called; nothing unless it is the person's own, or has come up before the turn's first call."""
    seen = any(key in program.names.ids_in(index).get(entity, ()) for index in range(start))
    return program.names.of(entity, key, call) if seen or program.belongs_to_somebody(entity) else ""


def _asked_by(leaf: Parameter) -> frozenset[str]:
    """Words by which one asks for a value."""
    named = set(leaf.name.casefold().split("_")) - _FILLERS or {leaf.name.casefold()}
    hints = _HINTS.get(leaf.format or leaf.unit, set[str]())
    unit = {leaf.unit, f"{leaf.unit}s"} if leaf.unit and leaf.unit.isalpha() and leaf.unit.islower() else set[str]()
    return frozenset(named | hints | unit | set(leaf.value.split("_")) - {""})


def _label(leaf: Parameter) -> str:
    """What a value is for, where the value alone would not tell."""
    if leaf.format or (leaf.type in ("integer", "number") and not leaf.unit):
        return f"{leaf.name.replace('_', ' ')} "
    return ""


def _sorted(words: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(words))
