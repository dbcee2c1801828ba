"""How values are said in English: dates, amounts, counts, lists; and how a template becomes a sentence."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from envfactory.environment import Parameter
from envfactory.environment.templates import Segment, Slot, parse_template

_MONTHS = ("", *(f"{dt.date(2000, month, 1):%B}" for month in range(1, 13)))
_SPACES = re.compile(r"  +")
_BEFORE_MARK = re.compile(r" +([,.;:?!])")
_CURRENCY = {"USD": "$", "EUR": "€", "GBP": "£"}
ORDINALS = ("first", "second", "third", "fourth", "fifth")
OWN = " of mine"
"""How a search says that it finds what belongs to the person: "confirmed stay of mine"."""
Say = Callable[[str], str]
"""From the name of a slot to how its value is said; an empty text where there is none."""


def say(value: Any, leaf: Parameter | None, now: dt.datetime) -> str:
    """Say a scalar as a person would write it.

    Args:
        value: JSON scalar.
        leaf: what is declared of it: format, unit.
        now: the conversation's clock; dates within the year ahead or behind go without their year.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    form = leaf.format if leaf else ""
    if form == "date":
        return _date(value, now)
    if form == "date-time":
        moment = dt.datetime.fromisoformat(value)
        return f"{_date(value[:10], now)} at {moment:%H:%M}"
    if form == "time":
        return f"{dt.time.fromisoformat(value):%H:%M}"
    if isinstance(value, (int, float)):
        return _number(value, leaf.unit if leaf else "")
    return value.replace("_", " ") if leaf is not None and leaf.enum else str(value)


def is_one(value: Any, leaf: Parameter | None) -> bool:
    """Whether a value is a count of one: who orders "the lamp" wants one."""
    return leaf is not None and leaf.type == "integer" and leaf.unit.isalpha() and leaf.unit.islower() and value == 1


@lru_cache(maxsize=4096)
def _date(text: str, now: dt.datetime) -> str:
    day = dt.date.fromisoformat(text)
    near = abs((day - now.date()).days) < 300
    return f"{day.day} {_MONTHS[day.month]}" if near else f"{day.day} {_MONTHS[day.month]} {day.year}"


def _number(value: float, unit: str) -> str:
    if unit in _CURRENCY:
        text = f"{abs(value):,.0f}" if value == int(value) else f"{abs(value):,.2f}"
        return f"{'-' if value < 0 else ''}{_CURRENCY[unit]}{text}"
    text = f"{value:,.0f}" if value == int(value) else f"{value:,.2f}".rstrip("0")
    if unit == "%":
        return f"{text}%"
    return f"{text} {plural(unit) if value != 1 else unit}" if unit else text


def plural(noun: str) -> str:
    """The plural of a regular noun."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def a(phrase: str) -> str:
    """Put the indefinite article before a phrase."""
    if re.match(r"(?:[aeio]|u(?!ni|se))", phrase, re.IGNORECASE):
        return f"an {phrase}"
    return f"a {phrase}"


def listed(items: Sequence[str], most: int = 4, beyond: int = 0) -> str:
    """Join items to "A, B and C"; past `most`, say how many more there are, `beyond` the items themselves included."""
    shown = list(items[:most])
    if (more := len(items) - len(shown) + beyond) > 0:
        shown.append(f"{more} more")
    if len(shown) < 2:
        return "".join(shown)
    joint = "; " if any("," in item for item in shown) else ", "
    return f"{joint.join(shown[:-1])} and {shown[-1]}"


def fill(template: str, value: Say, flag: Callable[[str], bool | None] = lambda _: None) -> str:
    """Fill a template; optional parts whose values are missing or whose flag is not as wanted are left out.

    A slot outside brackets whose value is missing leaves a gap: see `missing_slots`.
    """
    text = ""
    for part in parse_template(template):
        match part:
            case Slot():
                text = _followed(text, value(part.name))
            case Segment():
                kept = flag(part.flag) is part.wanted if part.flag else True
                if kept and all(value(name) for name in part.names):
                    for piece in part.parts:
                        text = _followed(text, value(piece.name)) if isinstance(piece, Slot) else text + piece
            case _:
                text += part
    if "  " in text:
        text = _SPACES.sub(" ", text)
    return _BEFORE_MARK.sub(r"\1", text).strip().removesuffix(",")  # after the last of some optional parts


def _followed(text: str, word: str) -> str:
    """A text with a word after it; an "a" at its end is an "an" where the word asks for it."""
    if f" {text}".endswith(" a ") and a(word).startswith("an "):
        return f"{text[:-1]}n {word}"
    return text + word


def missing_slots(template: str, value: Say) -> list[str]:
    """Names outside brackets for which there is no value."""
    return [part.name for part in parse_template(template) if isinstance(part, Slot) and not value(part.name)]


@cache
def covered(template: str) -> frozenset[str]:
    """Every name that a template can say, flags included."""
    found: set[str] = set()
    for part in parse_template(template):
        if isinstance(part, Slot):
            found.add(part.name)
        elif isinstance(part, Segment):
            found |= {*part.names, *({part.flag} if part.flag else ())}
    return frozenset(found)


@cache
def text_before(template: str) -> Mapping[str, str]:
    """The literal text that stands right before each slot."""
    found: dict[str, str] = {}
    last = ""
    for part in parse_template(template):
        for piece in part.parts if isinstance(part, Segment) else (part,):
            if isinstance(piece, Slot):
                found.setdefault(piece.name, last)
                last = ""
            else:
                last = piece
    return found


def sentence(text: str, end: str = ".") -> str:
    """Capitalise a clause and end it, unless it ends already."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}{end}"
