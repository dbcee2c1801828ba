"""Whether a text says a value, where it has its words: "$20" is not said by "$20,000", "minus $20" or "not $20".

What stands right before a value and right after it may make another of it: a number that goes on, another year, a
denial, a comparison ("at least", "or later"), or "or" and a second value of its kind. What a phrasing of the tool has
there itself is meant so: "under {max_price}" says that more than the price is not wanted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from envfactory.environment import ToolSpec
from envfactory.environment.paths import spec_path
from envfactory.environment.templates import Segment, Slot, parse_template
from envfactory.querygen.program import Value
from envfactory.querygen.reading import find_all


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around an argument in the phrasings of a tool.

    Attributes:
        before: the words before it, of each phrasing.
        after: the words after it.
        most: whether it is the most that is wanted, or the last.
        least: whether it is the least, or the first.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    most: bool = False
    least: bool = False


def is_heard(value: Value, tool: ToolSpec, text: str, values: Collection[str]) -> bool:
    """Whether a text in lower case says a value of a call.

    Args:
        value: the value.
        tool: of the call.
        text: all that has been said.
        values: what else is said as a value: "Rome or Paris" may ask for two things.
    """
    around = None
    for start in find_all(value.words, text):
        end = start + len(value.words)
        before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
        around = around or around_of(tool).get(spec_path(value.path), _NOTHING)
        if not _is_another(value, around, before, after, values):
            return True
    return False


def _is_another(value: Value, around: Around, before: str, after: str, values: Collection[str]) -> bool:
    """Whether what stands around the words of a value makes them say another."""
    leaf = value.leaf
    if (denied := _DENIED.search(before)) and not _ends(around.before, denied[0]):
        return True
    form = leaf.format if leaf else ""
    numeric = not form and leaf is not None and leaf.type in ("integer", "number")
    if numeric and _goes_on(around, before, after):
        return True
    if form and _is_other_time(value.words, around, before, after):
        return True
    if (numeric or form) and _is_compared(around, before, after):
        return True
    if not (numeric or form or (leaf and leaf.enum)) and before[-1:] in _QUOTES and not before[-2:-1].isalnum():
        return not _UNQUOTED.match(after) and not any(text and text[0] not in _QUOTES for text in around.after)
    kind = _KIND_OF_NUMBER if numeric else _TIMES.get(form, r"\w")
    if leaf is not None and leaf.enum:
        others = (str(word).replace("_", " ").casefold() for word in leaf.enum if word != value.value)
        kind = "|".join(re.escape(word) + r"\b" for word in others) or r"$^"
    return _has_choice(kind, around, before, after, values)


def _goes_on(around: Around, before: str, after: str) -> bool:
    """Whether a number is part of another, or so many of something."""
    if _DIGIT_BEFORE.search(before) or _DIGIT_AFTER.match(after):
        return True
    if (scaled := _SCALED.search(before)) and not _ends(around.before, scaled[0]):
        return True
    return (more := _MORE.match(after)) is not None and not any(text.startswith(more[0]) for text in around.after)


def _is_other_time(words: str, around: Around, before: str, after: str) -> bool:
    year = _YEAR.match(after)
    if year and not words.endswith(year[1]):
        return True
    moved = _MOVED.search(before)
    return (moved is not None and not _ends(around.before, moved[0])) or bool(
        _OR_DAY.search(before) or _OR_MOVED.match(after)
    )


def _is_compared(around: Around, before: str, after: str) -> bool:
    """Whether a value is the least or the most of something and the argument is not."""
    for held, lead, tail in ((around.least, _LEAST, _OR_MORE), (around.most, _MOST, _OR_LESS)):
        if not held:
            comes, goes = lead.search(before), tail.match(after)
            if comes and not _ends(around.before, comes[0]):  # "a claim over $50"
                return True
            if goes and not any(text.startswith(goes[0]) for text in around.after):
                return True
    return False


def _has_choice(kind: str, around: Around, before: str, after: str, values: Collection[str]) -> bool:
    """Whether a value is one of two between which "or" stands, the other of which nothing else says."""
    first, second = _choices(kind)
    if (match := second.match(after)) and " or " not in around.after:
        return not any(after.startswith(words, match.start(1)) for words in values)
    if kind != r"\w" and (match := first.search(before)) and " or " not in around.before:
        return not any(words in before for words in values)
    return False


@lru_cache(maxsize=1024)
def _choices(kind: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A value of a kind before "or", and one after it."""
    little = r"(?:(?:maybe|perhaps|else|even|rather|on|at|in|to|from|for|by|with|the|a|an) )*"
    return (
        re.compile(rf"(?<!\w)(?:{kind})[^.!?;#,\n]{{0,16}},? or {little}$"),
        re.compile(rf",? or {little}((?!so\b|not\b|else\b|both\b)(?:{kind}))"),
    )


def _ends(texts: Collection[str], words: str) -> bool:
    return any(f" {text}".endswith(f" {words}") for text in texts)


def around_of(tool: ToolSpec) -> dict[str, Around]:
    """What stands around each argument in the phrasings of a tool."""
    labels = tuple((shape.path, shape.label) for shape in tool.input_shapes if shape.label)
    return _around((*tool.ask, tool.noun), labels)


@lru_cache(maxsize=4096)
def _around(asks: tuple[str, ...], labels: tuple[tuple[str, str], ...]) -> dict[str, Around]:
    found: dict[str, list[tuple[str, str]]] = {}
    for prefix, text in (*(("", text) for text in asks), *((f"{path}.", label) for path, label in labels)):
        pieces = list(_pieces(text))
        for place, piece in enumerate(pieces):
            if isinstance(piece, Slot):
                before, after = ("".join(_words(part)) for part in (pieces[:place][::-1], pieces[place + 1 :]))
                found.setdefault(prefix + piece.name, []).append((before, after))
    return {name: _of(name, places) for name, places in found.items()}


def _of(name: str, places: list[tuple[str, str]]) -> Around:
    words = set(name.replace(".", "_").split("_"))
    befores, afters = tuple(before for before, _ in places), tuple(after for _, after in places)
    return Around(
        befores,
        afters,
        bool(words & _NAMED_MOST) or any(map(_IS_MOST.search, befores)) or any(map(_OR_LESS.match, afters)),
        bool(words & _NAMED_LEAST) or any(map(_IS_LEAST.search, befores)) or any(map(_OR_MORE.match, afters)),
    )


def _pieces(text: str) -> Iterator[str | Slot]:
    for part in parse_template(text):
        yield from part.parts if isinstance(part, Segment) else (part,)


def _words(pieces: list[str | Slot]) -> Iterator[str]:
    """The words up to the next argument; of what comes before, whole runs in the order of the text."""
    run: list[str] = []
    for piece in pieces:
        if isinstance(piece, Slot):
            break
        run.append(piece.casefold())
    yield from run


_NEAR = 60
_NOTHING = Around()
_QUOTES = "'\"\u2018\u201c"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_TIMES = {
    "date": rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d|\d{{4}}-\d\d",
    "date-time": rf"\d{{1,2}}:\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d",
    "time": r"\d{1,2}[:.]\d\d|\d{1,2} ?[ap]m",
}
_KIND_OF_NUMBER = r"[$€£]?\d"
_DENIED = re.compile(
    r"(?<!\w)(?:not|no|without|neither|nor|never|(?:any(?: \w+)?|anything|anyone|all|everything|everyone) but"
    r"|except(?: for)?|other than|instead of|rather than|(?:do not|don't|didn't|won't|not) (?:want|need|write|use"
    r"|say|add|take|put|set|like|make it))(?: (?:a|an|the|on|in|at|by|with|to|for|as|of|from))* ['\"\u2018\u201c]?$"
)
_DIGIT_BEFORE = re.compile(r"(?:\d[.,]|[$€£]|[a-z]|(?<!\w)[-\u2212])$")
_DIGIT_AFTER = re.compile(
    r"(?:[.,]\d| ?[-\u2013] ?[$€£]?\d| ?(?:thousand|million|billion|hundred|dozen|grand|k|m|bn|mn)\b"
    r"| (?:canadian|australian|cad|aud|hkd|cents?)\b| and (?:an?|half|\d+|fifty) (?:cents?|half|hours?|minutes?)\b)"
)
_SCALED = re.compile(r"(?<!\w)(?:minus|twice|double|triple|thrice|half(?: of)?|a (?:quarter|third) of) (?:the )?$")
_MORE = re.compile(
    r" (?:less|more|fewer) than\b| (?:each|apiece)\b| (?:a|per|every|each) (?:day|week|month|year|hour|night|person)\b"
)
_YEAR = re.compile(r",? ((?:19|20|21)\d\d)\b")
_MOVED = re.compile(r"(?<!\w)(?:days?|weeks?|months?|hours?|minutes?) (?:\w+ )?(?:after|before|from|following) $")
_OR_DAY = re.compile(r"(?<!\w)\d{1,2}(?:st|nd|rd|th)?,? or (?:the )?$")
_OR_MOVED = re.compile(
    r",? or (?:an?|half an?|\d+|\w+) (?:hours?|minutes?|days?|weeks?) (?:later|earlier|after|before)\b"
    r"|,? or the (?:day|week|month) (?:after|before)\b"
)
_LEAST = re.compile(
    r"(?<!\w)(?:at least|(?<!no )(?<!not )(?:more|later) than|over|above|n(?:o|ot) (?:less|fewer|earlier) than"
    r"|upwards of|a minimum of|after) $"
)
_MOST = re.compile(
    r"(?<!\w)(?:at most|(?<!no )(?<!not )(?:less|fewer|earlier) than|under|below|n(?:o|ot) (?:more|later) than|up to"
    r"|a maximum of|before) $"
)
_OR_MORE = re.compile(r",? (?:or|and) (?:more|above|over|up|upwards|longer|greater|better|higher|later)\b")
_OR_LESS = re.compile(r",? (?:or|and) (?:less|fewer|under|below|lower|earlier|sooner|cheaper|shorter)\b")
_IS_LEAST = re.compile(r"(?<!\w)(?:at least|(?<!no )(?<!not )more than|since|after|from|starting|not before) $")
_IS_MOST = re.compile(
    r"(?<!\w)(?:at most|under|below|less than|fewer than|n(?:o|ot) (?:more|later) than|by|until|till|before|within"
    r"|up to) $"
)
_NAMED_LEAST = frozenset(("min", "since", "after", "from"))
_NAMED_MOST = frozenset(("max", "until", "before", "by"))
_UNQUOTED = re.compile(r"[.,!?;\u2026]*(?:['\"\u2019\u201d]|$)")
