"""Whether an answer says only what is known: what results gave, and what the user said.

Compared are the words that carry facts: numbers (amounts, counts, dates, times) and names. Whoever wrote the answer is
not asked. A number counts as known however it is written ($1,200.00, 1200, 1200.0); "and 3 more" is counting, and
"out of 5" a scale; a name is a capitalised word that does not begin a sentence.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable
from functools import lru_cache

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_NAME = re.compile(r"(?<![.!?:] )(?<!^)(?<![\w'\u2019-])[A-Z][^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_COUNTING = re.compile(r"\band \d+ more\b|\bout of \d+\b|/\d+\b")
_CALENDAR = frozenset((*calendar.month_name, *calendar.day_name))


def unsupported(answer: str, sources: Iterable[str]) -> list[str]:
    """Numbers and names in an answer that no source has, in order.

    Args:
        answer: what the assistant says.
        sources: JSON texts of results, and the user's words.
    """
    known = Known()
    for source in sources:
        known.add(source)
    return known.lacks(answer)


class Known:
    """The numbers and words of sources that come one after the other."""

    def __init__(self) -> None:
        self.numbers: set[float] = set()
        self.words: set[str] = set()

    def add(self, source: str) -> None:
        """Learn a JSON text of a result, or what the user said."""
        numbers, words = _known(source)
        self.numbers |= numbers
        self.words |= words

    def lacks(self, answer: str) -> list[str]:
        """Numbers and names in an answer that no source so far has, in order."""
        numbers, words = _facts(answer)
        missing = [text for text, value in numbers if value not in self.numbers]
        return missing + [word for word in words if word.casefold() not in self.words]


def numbers_told(answer: str) -> list[tuple[int, int]]:
    """Where the numbers that tell something stand in an answer: start and end of each."""
    return [found.span() for found in _NUMBER.finditer(_without_counting(answer))]


@lru_cache(maxsize=512)
def _facts(answer: str) -> tuple[tuple[tuple[str, float], ...], tuple[str, ...]]:
    text = _without_counting(answer)
    numbers = tuple((found, _value(found)) for found in _NUMBER.findall(text))
    words = tuple(word for word in _NAME.findall(text) if word not in _CALENDAR)
    return numbers, words


@lru_cache(maxsize=512)
def _known(source: str) -> tuple[frozenset[float], frozenset[str]]:
    numbers, words = set(_NUMBER.findall(source)), set(_WORD.findall(source))  # a result says the same again and again
    return frozenset(map(_value, numbers)), frozenset(map(str.casefold, words))


def _without_counting(answer: str) -> str:
    """The answer with blanks in the place of what only counts, so that the rest stays where it is."""
    return _COUNTING.sub(lambda found: " " * len(found.group()), answer)


def _value(text: str) -> float:
    return float(text.replace(",", ""))
