"""What a rewritten message must still say: whatever tells one thing from another.

These are found in the text alone: numbers with what belongs to them (dates, amounts, times), proper names, and the
words by which people single things out ("cheapest", "first", "that order"). Models like to write dates another way, so
those are put back first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH = "|".join(_MONTHS)
_DATE = re.compile(rf"(?<!\d[.,:])\b(\d{{1,2}}) ({_MONTH})\b")
_NUMBER = re.compile(r"(?<![\w$€£])[$€£]?\d(?:[\d,.:]*\d)?%?(?!\w)")
_SINGLED_OUT = re.compile(
    r"\b(first|second|third|fourth|fifth|last|latest|newest|oldest|[a-z]+est(?:[- ][a-z]+ed)?|"
    r"(?:most|least|best|worst|top|lowest|highest)[- ][a-z]+)\b"
)
_NAME = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w'&-]*(?: (?:of |the |de |and |& )?[A-Z][\w'&-]*)*")
_NO_NAMES = frozenset({"I", "I'd", "I'm", "I've", "I'll", "OK", "Ok"})
_NOT_RANKS = frozenset({"request", "interest", "latest", "rest", "test", "guest", "west", "best", "nearest", "suggest"})


def restored(text: str, original: str) -> str:
    """Put dates back as the original writes them: "March 3rd" becomes "3 March" if that is what it says."""
    for day, month in dict.fromkeys(_DATE.findall(original)):
        for pattern in _other_ways(day, month):
            text = pattern.sub(f"{day} {month}", text)
    return text


@cache
def _other_ways(day: str, month: str) -> tuple[re.Pattern[str], ...]:
    name = f"(?:{month}|{month[:3]})"
    ending = "(?:st|nd|rd|th)?"
    return (
        re.compile(rf"\b{name}\.? (?:the )?0?{day}{ending}\b(?![:,.]?\d)", re.IGNORECASE),
        re.compile(rf"\b(?:the )?0?{day}{ending} (?:of )?{name}\b", re.IGNORECASE),
    )


def lost(original: str, text: str) -> Iterator[str]:
    """What the original says to tell things apart, and the text does not, in the order of the original."""
    heard = text.casefold()
    for pattern in (_DATE, _NUMBER, _NAME, _SINGLED_OUT):
        for words in _found(pattern, original):
            if not _stands(words, heard):
                yield words


def invented(known: str, text: str) -> Iterator[str]:
    """Names, dates and numbers in a text that stand nowhere in what its writer knows."""
    text, heard = restored(text, known), known.casefold()
    for pattern in (_DATE, _NUMBER, _NAME):
        for words in _found(pattern, text):
            if not _stands(words, heard):
                yield words


def _found(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """What a pattern finds, each once; the day of a date is no number, and its month no name."""
    dates = [found.span() for found in _DATE.finditer(text)] if pattern is not _DATE else []
    found = (
        match.group()
        for match in pattern.finditer(text)
        if not any(start <= match.start() < end for start, end in dates)
    )
    yield from dict.fromkeys(words for words in found if words not in _NO_NAMES and words not in _NOT_RANKS)


def _stands(words: str, heard: str) -> bool:
    """Whether words stand in a text as words, and a number as a whole one."""
    said = words.casefold()
    before = r"(?<!\w)(?<!\d[.,:])" if not said[0].isalpha() else r"(?<!\w)"
    after = r"(?!\w)(?![.,:]\d)" if not said[-1].isalpha() else r"(?!\w)"
    return re.search(f"{before}{re.escape(said)}{after}", heard) is not None
