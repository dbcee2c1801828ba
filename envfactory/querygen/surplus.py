"""What a text says as a value that no call has: "hotels in Rome with a pool" where the call looks for any in Rome.

Four things tell, in a text in which names and the values of the calls are blank: a figure that is left; a proper name
that is left; a word that an optional input could have taken, one of its choices or of the values of its domain, where
no call has it; and the words that the phrasings keep for an optional input ("by way of ..."), where the call leaves it
out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from envfactory.environment import Parameter, ToolSpec
from envfactory.environment.paths import spec_path
from envfactory.environment.templates import Segment, Template, parse_template
from envfactory.gold import bindings_of
from envfactory.querygen.flags import literals_of
from envfactory.querygen.phrasebook import spelled, stems
from envfactory.querygen.program import Program
from envfactory.querygen.reading import find_all

SHORT = 2
"""Letters of a value that is not blank in a text: "2" is in too many words."""


@dataclass(frozen=True, slots=True)
class _Optional:
    """An input that a call may leave out, and the runs of words that only its parts of the phrasings have."""

    leaf: Parameter
    choices: tuple[str, ...]
    runs: tuple[str, ...]


def values_beyond(program: Program, written: str, text: str, calls: Sequence[int]) -> Iterator[str]:
    """Words of a text that say values which no call has, and names of nothing which one is about.

    Args:
        program: the program.
        written: the text as it was written.
        text: likewise in lower case, names and the values of the calls blank, but for those of at most `SHORT` letters.
        calls: those of the turn.
    """
    tools = [program.tool(call) for call in calls]
    literals = literals_of(tools)
    left = Counter(_FIGURE.findall(text))
    left.subtract(value.words for call in calls for value in program.values[call] if len(value.words) <= SHORT)
    for figure in (figure for figure, count in left.items() if count > 0):
        if f" {figure} " not in literals and not _is_in_a_name(figure, program, calls):
            yield figure
    words = spelled(text)
    given: dict[str, set[str]] = {}
    for call, tool in zip(calls, tools, strict=True):
        paths = (spec_path(path) for path, _ in bindings_of(program.gold.calls[call]))
        given.setdefault(tool.wire_name, set()).update(paths)
    for tool in {tool.wire_name: tool for tool in tools}.values():
        others = [other for other in tools if other is not tool]
        for optional in _optionals(tool):
            if optional.leaf.path in given[tool.wire_name]:
                continue
            domain = () if optional.choices else map(spelled, program.domain(optional.leaf.value))
            for choice in (*optional.choices, *domain):
                if (
                    _stands(choice, words, program)
                    and choice not in literals
                    and choice not in _said_of_records(program, calls)
                ):
                    yield choice.strip()
            for run in optional.runs:
                if run in words and run not in literals_of(others):
                    yield run.strip()
    yield from _strangers(program, written, text, calls, literals)


def _strangers(program: Program, written: str, text: str, calls: Sequence[int], literals: str) -> Iterator[str]:
    """Proper names within sentences of a text that are of nothing which a call is about."""
    if len(written) != len(text):  # some letters are two in lower case: where is what?
        return
    for name in _PROPER.finditer(written):
        word = name.group().casefold()
        plain = text.startswith(word, name.start()) and word not in _CALENDAR and f" {word} " not in literals
        if plain and not _is_said(word, program, calls):
            yield name.group()


def _stands(choice: str, words: str, program: Program) -> bool:
    """Whether a text has a choice, other than to say which record: "the shortest one", "the shortest paper"."""
    if choice not in words or choice not in words.replace(f"{choice}one ", " "):
        return False
    marks = (mark for tool in program.tools for leaf in tool.outputs for mark in leaf.ranked)
    return choice.strip() not in marks or choice in words.replace(f" the{choice}", " ")


def _is_in_a_name(figure: str, program: Program, calls: Sequence[int]) -> bool:
    """Whether a figure is a part of what a record is called that a call is about: "the order of 2 March"."""
    names = (program.names.of(bound.entity, bound.key, call) for call in calls for bound in program.records[call])
    if any(True for name in names for _ in find_all(figure, name.casefold())):
        return True
    return ":" in figure and any(figure in value for value in _values_of_records(program, calls))


def _is_said(word: str, program: Program, calls: Sequence[int]) -> bool:
    """Whether a word is part of what may be said of the records that calls are about: "the Greek recipe"."""
    return any(f" {word} " in said for said in _said_of_records(program, calls))


def _said_of_records(program: Program, calls: Sequence[int]) -> Iterator[str]:
    """What may be said of the records that calls are about, spelled: what they are called, and how they are."""
    for call in calls:
        yield from (spelled(program.names.of(bound.entity, bound.key, call)) for bound in program.records[call])
    yield from (spelled(value.replace("_", " ")) for value in _values_of_records(program, calls))


def _values_of_records(program: Program, calls: Sequence[int]) -> Iterator[str]:
    """What the fields of the records hold that calls are about."""
    for bound in (bound for call in calls for bound in program.records[call]):
        own = bound.out.path.rpartition(".")[2] == "id"
        home = program.base_record(bound.entity, bound.key)
        for row in (*((program.holder(bound.out)[1],) if own else ()), *((home[1],) if home else ())):
            yield from map(str, row.values())


def _optionals(tool: ToolSpec) -> tuple[_Optional, ...]:
    return _optionals_of(tool.ask, tool.noun, tuple(leaf for leaf in tool.inputs if leaf.path not in tool.required))


@lru_cache(maxsize=4096)
def _optionals_of(asks: tuple[str, ...], noun: str, leaves: tuple[Parameter, ...]) -> tuple[_Optional, ...]:
    return tuple(_optional(leaf, [parse_template(text) for text in (*asks, noun)]) for leaf in leaves)


def _optional(leaf: Parameter, templates: Sequence[Template]) -> _Optional:
    choices = tuple(spelled(str(word).replace("_", " ")) for word in leaf.enum)
    mine: dict[str, None] = {}
    rest: list[str] = []
    for part in chain.from_iterable(templates):
        words = [spelled(piece) for piece in (part.parts if isinstance(part, Segment) else (part,))
                 if isinstance(piece, str)]  # fmt: skip
        if isinstance(part, Segment) and leaf.path in part.names:
            mine.update(dict.fromkeys(words))
        else:
            rest += words
    # "of the" stands in much else; a comma before "with" does not.
    telling = (run for run in mine if len(run.split()) > 1 and (run.startswith(" , ") or any(stems(run.split()))))
    runs = (run for run in telling if "|" not in run)
    return _Optional(leaf, choices, tuple(run for run in runs if not any(run in words for words in rest)))


_PROPER = re.compile(
    r"(?<=[a-z0-9,#\"'] )(?<!regards, )(?<!thanks, )(?<!cheers, )(?<!wishes, )(?<!best, )(?<!faithfully, )"
    r"(?<!sincerely, )(?<![Dd]ear )(?<![Hh]i )(?<![Hh]i, )(?<![Hh]ello )(?<![Hh]ello, )(?<![Hh]ey )(?<! or )"
    r"[A-Z][a-z]+(?!\w| here\b)"
)
"""A name within a sentence; not of whom a message greets, nor of who signs it."""
_CALENDAR = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday""".split()  # noqa: SIM905 - read more easily than a list of strings
)
_FIGURE = re.compile(r"(?<![\w#.,:-])[$€£]?\d(?:[\d.,:]*\d)?%?(?!\w)")
