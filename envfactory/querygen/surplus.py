"""What a text says as a value that no call has: "hotels in Rome with a pool" where the call looks for any in Rome.

Three things tell, in a text in which names and the values of the calls are blank: a figure that is left; a word that
an optional input could have taken, one of its choices or of the values of its domain, where no call has it; and the
words that the phrasings keep for an optional input ("by way of ..."), where the call leaves it out.
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
from envfactory.querygen.phrasebook import spelled
from envfactory.querygen.program import Program

SHORT = 2
"""Letters of a value that is not blank in a text: "2" is in too many words."""


@dataclass(frozen=True, slots=True)
class _Optional:
    """An input that a call may leave out, and the runs of words that only its parts of the phrasings have."""

    leaf: Parameter
    choices: tuple[str, ...]
    runs: tuple[str, ...]


def values_beyond(program: Program, text: str, calls: Sequence[int]) -> Iterator[str]:
    """Words of a text that say values which no call has.

    Args:
        program: the program.
        text: in lower case, names and the values of the calls blank, but for those of no more than `SHORT` letters.
        calls: those of the turn.
    """
    tools = [program.tool(call) for call in calls]
    literals = literals_of(tools)
    left = Counter(_FIGURE.findall(text))
    left.subtract(value.words for call in calls for value in program.values[call] if len(value.words) <= SHORT)
    for figure in (figure for figure, count in left.items() if count > 0):
        if f" {figure} " not in literals and not _is_in_a_name(program, calls, figure):
            yield figure
    words = spelled(text)
    for call, tool in zip(calls, tools, strict=True):
        given = {spec_path(path) for path, _ in bindings_of(program.gold.calls[call])}
        others = [other for other in tools if other is not tool]
        for optional in _optionals(tool):
            if optional.leaf.path in given:
                continue
            domain = () if optional.choices else map(spelled, program.domain(optional.leaf.value))
            for choice in (*optional.choices, *domain):
                if _stands(choice, words) and choice not in literals and not _is_of_a_record(program, calls, choice):
                    yield choice.strip()
            for run in optional.runs:
                if run in words and run not in literals_of(others):
                    yield run.strip()


def _stands(choice: str, words: str) -> bool:
    """Whether a text has a choice, other than to say which record: "the shortest one"."""
    return choice in words and choice in words.replace(f"{choice}one ", " ")


def _is_in_a_name(program: Program, calls: Sequence[int], figure: str) -> bool:
    """Whether a figure is a part of what a record is called that a call is about: "the order of 2 March"."""
    names = (program.names.of(bound.entity, bound.key, call) for call in calls for bound in program.records[call])
    return any(figure in spelled(name).split() for name in names)


def _is_of_a_record(program: Program, calls: Sequence[int], choice: str) -> bool:
    """Whether a record that a call is about is so: "the shortest one", "the doctor for general practice"."""
    bounds = [bound for call in calls for bound in program.records[call]]
    rows = [program.holder(bound.out)[1] for bound in bounds if bound.out.path.rpartition(".")[2] == "id"]
    rows += [found[1] for bound in bounds if (found := program.base_record(bound.entity, bound.key))]
    return any(spelled(str(value).replace("_", " ")) == choice for row in rows for value in row.values())


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
    runs = (run for run in mine if len(run.split()) > 1 and "|" not in run)
    return _Optional(leaf, choices, tuple(run for run in runs if not any(run in words for words in rest)))


_FIGURE = re.compile(r"(?<![\w#.,:-])[$€£]?\d(?:[\d.,:]*\d)?%?(?!\w)")
