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
_DATE = re.compile(rf"\b(\d{{1,2}}) ({_MONTH})\b")
_NUMBER = re.compile(r"[$€£]?\d[\d,.:]*\d%?|[$€£]?\d%?")
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
    for words in dict.fromkeys(_said(original)):
        if not re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", heard):
            yield words


def _said(original: str) -> Iterator[str]:
    dates = [(found.start(), found.end(), found.group()) for found in _DATE.finditer(original)]
    yield from (words for _, _, words in dates)
    inside = [range(start, end) for start, end, _ in dates]
    for pattern in (_NUMBER, _NAME, _SINGLED_OUT):
        for found in pattern.finditer(original):
            words = found.group()
            if any(found.start() in span for span in inside) or words in _NO_NAMES or words in _NOT_RANKS:
                continue
            yield words


def invented(known: str, text: str) -> Iterator[str]:
    """Names, dates and numbers in a text that stand nowhere in what its writer knows."""
    heard = restored(known, text).casefold()
    for pattern in (_DATE, _NUMBER, _NAME):
        for found in pattern.finditer(text):
            words = found.group()
            if words not in _NO_NAMES and words.casefold() not in heard:
                yield words
