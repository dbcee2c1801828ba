"""Requests in which one thing has been altered, so that they say another call, or the same one in another way.

Each is made of a clause by rules that is accepted; the kinds of `SAME` still ask for the call, all others do not.
"""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Iterator
from typing import Any

from envfactory.environment import Parameter
from envfactory.environment.paths import spec_path
from envfactory.environment.templates import Segment, parse_template
from envfactory.querygen.program import Program, Value
from envfactory.querygen.reading import Exchange
from envfactory.querygen.solvable import turn_problems
from envfactory.querygen.wording import fill, say
from tests.querygen.asked import begun, clauses

SAME = ("date in other words", "amount in other words", "time in other words")
_NAMES = {"$": "dollars", "€": "euros", "£": "pounds"}


def accepted(program: Program, call: int, text: str) -> bool:
    """Whether a text can stand for a call."""
    calls = range(call, call + 1)
    exchange = Exchange((text,), calls, range(0), frozenset(), frozenset(calls))
    return not list(turn_problems(program, 0, exchange, text))


def altered(program: Program, rng: random.Random) -> Iterator[tuple[str, int, str]]:
    """Altered texts of a program's calls, each with its kind and its call."""
    for call, clause in clauses(program, rng).items():
        if not accepted(program, call, f"{begun(clause)}."):
            continue
        for value in program.values[call]:
            if value.out is None and value.words and value.leaf is not None:
                for kind, words in _values(program, value):
                    if len(found := list(re.finditer(re.escape(value.words), clause, re.IGNORECASE))) == 1:
                        text = f"{clause[: found[0].start()]}{words}{clause[found[0].end() :]}"
                        yield kind, call, f"{begun(text)}."
        for kind, text in (*_booleans(program, call), *_additions(program, call, rng)):
            yield kind, call, f"{begun(text)}."


def _values(program: Program, value: Value) -> Iterator[tuple[str, str]]:
    words, leaf = value.words, value.leaf
    assert leaf is not None
    if leaf.format == "date":
        day = dt.date.fromisoformat(value.value)
        yield "date of another year", f"{words} {day.year + 3}"
        yield "date denied", f"any day but {words}"
        yield "date moved", f"the day after {words}"
        yield (
            "one of two dates",
            f"{words} or {say((day + dt.timedelta(37)).isoformat(), leaf, program.gold.reference.now)}",
        )
        yield "date in other words", f"{day:%B} {day.day}"
        yield "date in other words", f"{day.day} {day:%b}"
    elif leaf.format == "time":
        hour, minute = int(words[:2]), words[3:]
        yield "time moved", f"half an hour before {words}"
        yield "time in other words", f"{(hour - 1) % 12 + 1}:{minute}{'am' if hour < 12 else 'pm'}"
    elif leaf.enum:
        yield "value denied", f"anything but {words}"
    elif words[0] in _NAMES:
        yield "amount scaled", f"{words},000"
        yield "amount scaled", f"{words} million"
        yield "amount scaled", f"minus {words}"
        yield "value denied", f"not {words} but {words[0]}7"
        yield "amount in other words", f"{words[1:]} {_NAMES[words[0]]}"


def _booleans(program: Program, call: int) -> Iterator[tuple[str, str]]:
    """The phrasings of a call with a boolean left out, the other way, or added."""
    now, tool = program.gold.reference.now, program.tool(call)
    said = {spec_path(value.path): say(value.value, value.leaf, now) for value in program.values[call]}
    said |= {spec_path(b.path): program.names.of(b.entity, b.key, call) for b in program.records[call]}
    given = {value.path: value.value for value in program.values[call] if isinstance(value.value, bool)}
    for text in tool.ask:
        right = fill(text, lambda name: said.get(name, ""), given.get)
        flags = {(part.flag, part.wanted): None for part in parse_template(text) if isinstance(part, Segment)}
        if not accepted(program, call, f"{begun(right)}."):
            continue
        for name, wanted in (pair for pair in flags if pair[0] and given.get(pair[0]) is not pair[1]):
            other = fill(text, lambda name: said.get(name, ""), {**given, name: wanted}.get)
            if other != right:
                yield "boolean other way" if name in given else "boolean added", other
        for name in {name: None for name, _ in flags if name in given}:
            less = fill(text, lambda name: said.get(name, ""), {key: given[key] for key in given if key != name}.get)
            if less != right:
                yield "boolean left out", less


def _additions(program: Program, call: int, rng: random.Random) -> Iterator[tuple[str, str]]:
    """The phrasings of a call with a value for an input that it leaves out."""
    now, tool = program.gold.reference.now, program.tool(call)
    said = {spec_path(value.path): say(value.value, value.leaf, now) for value in program.values[call]}
    said |= {spec_path(b.path): program.names.of(b.entity, b.key, call) for b in program.records[call]}
    given = {value.path: value.value for value in program.values[call] if isinstance(value.value, bool)}
    for text in tool.ask:
        right = fill(text, lambda name: said.get(name, ""), given.get)
        if not accepted(program, call, f"{begun(right)}."):
            continue
        for part in parse_template(text):
            if not isinstance(part, Segment) or part.flag or said.keys() & set(part.names):
                continue
            leaves = [tool.input_by_path[name] for name in part.names if name in tool.input_by_path]
            drawn = {leaf.path: some for leaf in leaves if (some := _some_value(program, leaf, rng)) is not None}
            if not drawn or len(drawn) < len(part.names):
                continue
            more = said | {leaf.path: say(drawn[leaf.path], leaf, now) for leaf in leaves}
            other = fill(text, lambda name, more=more: more.get(name, ""), given.get)
            if other != right:
                leaf = leaves[0]
                yield "choice added" if leaf.enum else f"{leaf.format or leaf.type} added", other


def _some_value(program: Program, leaf: Parameter, rng: random.Random) -> Any:
    if leaf.enum or leaf.examples:
        return rng.choice(leaf.enum or leaf.examples)
    if leaf.format == "date":
        return f"2026-03-{rng.randint(10, 28)}"
    if leaf.type in ("integer", "number"):
        return rng.randint(2, 9)
    return rng.choice(sorted(domain)) if (domain := program.domain(leaf.value)) else None
