"""What a text says of the booleans of a call: "running" or "switched-off" machines, "lift the deletion lock".

A boolean has no word of its own: the parts of phrasings that are kept for one of its values say it. From them a tool
is known by, for each boolean and each of its values, *sayings* - such a part as it stands, or, where it has no word
that tells ("turn X on"), the whole phrasing with it - and *words* that stand in parts for that value alone. What comes
after "not" or "without" says the contrary.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from envfactory.environment import ToolSpec
from envfactory.environment.templates import Segment, Slot, Template, parse_template
from envfactory.querygen.phrasebook import phrasebook, pieces_of, spelled, stem, stems
from envfactory.querygen.program import Program

Saying = tuple[str, ...]
"""Runs of words that stand in a sentence one after the other, each with a space before and after."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A boolean of a tool, as its phrasings say it.

    Attributes:
        name: the argument.
        sayings: how each of its values is said.
        words: stems that say one of its values and stand nowhere else in the phrasings.
        marks: little words ("off") that say one of its values where nothing else does.
        silent: its values that some phrasing says by leaving a part out.
    """

    name: str
    sayings: Mapping[bool, tuple[Saying, ...]]
    words: Mapping[bool, frozenset[str]]
    marks: Mapping[bool, frozenset[str]]
    silent: frozenset[bool]

    def says(self, value: bool, text: str) -> bool:
        """Whether a spelled text says a value, and its contrary at no place better."""
        own = _places(self.sayings[value], text)
        other = _places(self.sayings[not value], text)
        if any(better >= other.get(start, better) for start, better in own.items()):
            return True
        if other or self._has_words(not value, text):
            return False
        return self._has_words(value, text) and not any(f" {mark} " in text for mark in self.marks[not value])

    def speaks(self, value: bool, text: str, foreign: Collection[str] = (), literals: str = "") -> str:
        """The words with which a spelled text says a value; none if it does not, or if they are not about it.

        Args:
            value: the value.
            text: the text.
            foreign: stems that other tools have as well.
            literals: what else may be asked for, spelled.
        """
        for saying in self.sayings[value]:
            if not all(piece in literals for piece in saying) and _places((saying,), text):
                return " ".join(saying).strip()
        for match in _WORD.finditer(text):
            if (
                stem(match[1]) in self.words[value]
                and stem(match[1]) not in foreign
                and match[1] not in _SMALL_TALK
                and not _denied(text, match.start())
            ):
                return match[1]
        return ""

    def _has_words(self, value: bool, text: str) -> bool:
        """Whether words of one value are said, or those of the other denied."""
        for match in _WORD.finditer(text):
            known = stem(match[1])
            if known in self.words[value] and not _denied(text, match.start()):
                return True
            if known in self.words[not value] and _denied(text, match.start()):
                return True
        return False


def unsaid_flags(program: Program, call: int, text: str, calls: Sequence[int]) -> Iterator[str]:
    """Booleans of a call that a spelled text does not say, or says otherwise; what no phrasing says is never said."""
    given = {value.path: value.value for value in program.values[call] if isinstance(value.value, bool)}
    if not given:
        return
    flags = flags_of(program.tool(call))
    yield from (name for name in given if all(flag.name != name for flag in flags))
    for flag in flags:
        wanted = given.get(flag.name)
        if wanted is None or flag.says(wanted, text):
            continue
        both = {_given(program, other, flag.name) for other in calls if program.tool(other) is program.tool(call)}
        contrary = not wanted not in both and flag.speaks(not wanted, text)
        if contrary or wanted not in flag.silent:
            yield flag.name


def flags_beyond(program: Program, text: str, calls: Sequence[int]) -> Iterator[str]:
    """Words of a spelled text that say booleans which no call has."""
    nouns = phrasebook(tuple(program.specs.values())).nouns  # "that return" is a thing
    tools = {program.gold.calls[call].tool: program.tool(call) for call in calls}
    for name, tool in tools.items():
        among = [call for call in calls if program.gold.calls[call].tool == name]
        for flag in flags_of(tool):
            given = {_given(program, call, flag.name) for call in among}
            for value in (True, False):
                if value not in given and not (given <= {True, False} and value in flag.silent):
                    others = [other for other in tools.values() if other is not tool]
                    if said := flag.speaks(value, text, nouns | _stems_of(others), literals_of(others)):
                        yield said


def _given(program: Program, call: int, name: str) -> object:
    return next((value.value for value in program.values[call] if value.path == name), None)


def _stems_of(tools: Iterable[ToolSpec]) -> frozenset[str]:
    """The stems in everything that stands in the phrasings of some tools."""
    return frozenset(stem(word) for word in literals_of(tools).split())


def flags_of(tool: ToolSpec) -> tuple[Flag, ...]:
    """The booleans of a tool that its phrasings say."""
    return _flags((*tool.ask, tool.noun))


def literals_of(tools: Iterable[ToolSpec]) -> str:
    """Everything that stands in the phrasings of some tools, spelled."""
    return "".join(_literals((*tool.ask, tool.noun)) for tool in tools)


@lru_cache(maxsize=4096)
def _literals(asks: tuple[str, ...]) -> str:
    return " | ".join(spelled(piece) for text in asks for piece in _every(parse_template(text)))


@lru_cache(maxsize=4096)
def _flags(asks: tuple[str, ...]) -> tuple[Flag, ...]:
    templates = [parse_template(text) for text in asks if text]
    names = {part.flag: None for template in templates for part in template if isinstance(part, Segment) and part.flag}
    return tuple(_flag(name, templates) for name in names)


def _flag(name: str, templates: list[Template]) -> Flag:
    said: dict[bool, dict[str, None]] = {True: {}, False: {}}
    plain: set[str] = set()
    parts: dict[bool, set[str]] = {True: set(), False: set()}
    silent: set[bool] = set()
    for template in templates:
        there = {part.wanted for part in template if isinstance(part, Segment) and part.flag == name}
        silent |= {True, False} - there if there else set()
        for words, wanted in _segments(template, name):
            if wanted is None:
                plain.update(stems(spelled(words).split()))
            else:
                said[wanted][spelled(words)] = None
                parts[wanted].update(stems(spelled(words).split()))
    words = {value: frozenset(parts[value] - parts[not value] - plain) for value in (True, False)}
    sayings = {
        value: tuple(dict.fromkeys((
            *((saying,) for saying in said[value] if {*stems(saying.split())} & words[value]),
            *(saying for template in templates for saying in _in_full(template, name, value, words[value])),
        )))
        for value in (True, False)
    }  # fmt: skip
    marks = {value: _MARKS & {word for saying in said[value] for word in saying.split()} for value in (True, False)}
    return Flag(
        name, sayings, words, {value: marks[value] - marks[not value] for value in (True, False)}, frozenset(silent)
    )


def _in_full(template: Template, name: str, value: bool, words: frozenset[str]) -> Iterator[Saying]:
    """A phrasing with the part for a value, where this part has no word that tells; nothing where it has none."""
    mine = [part for part in template if isinstance(part, Segment) and part.flag == name and part.wanted is value]
    if not mine or any({*stems(spelled(words_of).split())} & words for part in mine for words_of in _strings(part)):
        return
    settled: list[str | Slot | Segment] = []
    for part in template:
        if not (isinstance(part, Segment) and part.flag == name):
            settled.append(part)
        elif part.wanted is value:
            settled += part.parts
    merged: list[str | Slot | Segment] = []
    for part in settled:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    if pieces := tuple(pieces_of(tuple(merged))):
        yield pieces


def _segments(template: Template, name: str) -> Iterator[tuple[str, bool | None]]:
    """The words of a phrasing, each run with the value of the boolean that it is kept for, if it is for one."""
    before = ""
    for part in template:
        if isinstance(part, Segment):
            flagged = part.flag == name
            for words in _strings(part):
                whole = words.partition(" ")[2] if before[-1:].isalnum() and words[:1].isalnum() else words
                yield whole, part.wanted if flagged else None
            before = ""
        elif isinstance(part, str):
            yield part, None
            before = part
        else:
            before = ""


def _strings(segment: Segment) -> Iterator[str]:
    return (part for part in segment.parts if isinstance(part, str) and part.strip(" ,"))


def _every(template: Template) -> Iterator[str]:
    for part in template:
        if isinstance(part, str):
            yield part
        elif isinstance(part, Segment):
            yield from _strings(part)


def _places(sayings: Collection[Saying], text: str) -> dict[int, tuple[int, int]]:
    """Where sayings stand in a spelled text, and of the best at each place how many words it has and minus its end."""
    found: dict[int, tuple[int, int]] = {}
    for first, *rest in sayings:
        start = text.find(first)
        while start >= 0:
            end, length = start + len(first), len(first.split())
            for piece in rest:
                place = text.find(piece, end - 1)
                end, length = (place + len(piece), length + len(piece.split())) if place >= 0 else (-1, 0)
                if end < 0:
                    break
            if (
                end >= 0
                and text.find("|", start, end) < 0
                and not (_denied(text, start) or _NO_MORE.match(text, end - 1))
            ):
                found[start] = max(found.get(start, (0, 0)), (length, -end))
            start = text.find(first, start + 1)
    return found


def _denied(text: str, place: int) -> bool:
    return _DENIAL.search(text, max(0, place - 40), place + 1) is not None


_WORD = re.compile(r" (?=([^\W\d_]\S*))")
_SMALL_TALK = frozenset(
    ("day", "days", "done", "everything", "everybody", "good", "let", "need", "needs", "ready", "right", "time", "work")
)
"""Words that are said of much else: "let me know once it's done", "have a nice day"."""
_MARKS = frozenset(("on", "off", "up", "down", "back", "again"))
_NO_MORE = re.compile(r" (?:any|no) (?:more|longer) ")
_DENIAL = re.compile(r" (?:no|not|without|never|don't|needn't|isn't|aren't|stop)(?: (?:a|an|the|any|be|being|need))* $")
