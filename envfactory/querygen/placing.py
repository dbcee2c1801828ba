"""What each value that is said is for, by where it stands: "from Lyon to Porto" is not "from Porto to Lyon".

All values of a call may be said and yet ask for another call, when two that could be taken for each other have changed
places: two dates, two cities, two accounts. Three things tell, and the first two do not take the words to be phrasings:

- *Within a call*: the word before a value. In a tool's phrasings each argument has its own ("from", "to", "until"); a
  value that stands only behind those of another argument is for that one.
- *Between two calls*: what belongs together stands together. "2 bowls for Ada, 3 cups for Ben" says all of one call
  and then all of the other, "2 and 3 bowls for Ada and Ben" one thing of each in turn; where a value and the rest of
  its call stand around what is said of the other, as in "3 bowls for Ada, 2 cups for Ben", each has the other's.
- *Between two tools*: where each is asked for. Of two values each stands behind the phrasing of the other's tool.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, product

from envfactory.environment import ToolSpec
from envfactory.environment.paths import spec_path
from envfactory.environment.templates import Segment, Slot, parse_template
from envfactory.querygen.phrasebook import origins, phrasebook, spelled
from envfactory.querygen.program import Program
from envfactory.querygen.reading import Reading, find_all


@dataclass(frozen=True, slots=True)
class Said:
    """An argument that the text says: of which call, where in it, what values it could be taken for, and its words.

    Attributes:
        call: index of the call.
        path: concrete path of the argument.
        kind: the form of its values, which a value of another argument must have to be taken for it.
        domain: what its values are of, where that is declared: a city, a record of an entity.
        words: how its value is said, in lower case.
        places: where the text has these words.
    """

    call: int
    path: str
    kind: tuple[str, ...]
    domain: str
    words: str
    places: tuple[int, ...]


def misplaced(program: Program, reading: Reading) -> Iterator[str]:
    """Arguments, as `tool.path`, whose values the words of an exchange give to another argument or another call."""
    said = {
        call: list(arguments_said(program, reading, call))
        for call in reading.exchange.calls
        if not program.is_users(call)
    }
    found: dict[tuple[int, str], None] = {}
    for call, values in said.items():
        others = [value for other, there in said.items() if other != call for value in there]
        found.update(dict.fromkeys((call, path) for path in _within(program.tool(call), values, others, reading.text)))
    regions = _regions(program, reading) if len(said) > 1 else {}
    end = len(reading.exchange.texts[0])
    for a, b in combinations(said, 2):
        found.update(dict.fromkeys(_between(said[a], said[b], (regions.get(a), regions.get(b)), end)))
    yield from (f"{program.gold.calls[call].tool}.{path}" for call, path in found)


def arguments_said(program: Program, reading: Reading, call: int) -> Iterator[Said]:
    """What the words of an exchange say of a call: its values, and the names of its records."""
    text = reading.text
    for value in program.values[call]:
        if places := tuple(find_all(value.words, text)):
            leaf = value.leaf
            kind = (leaf.type, leaf.format, leaf.unit, *map(str, leaf.enum)) if leaf else ()
            yield Said(call, value.path, kind, leaf.value if leaf else "", value.words, places)
    for bound in program.records[call]:
        named = [name for name in reading.names(bound.entity) if bound.key in name.ids]
        if named:
            words = text[named[0].start : named[0].end]
            yield Said(call, bound.path, ("record",), bound.entity, words, tuple(name.start for name in named))


def _within(tool: ToolSpec, values: list[Said], others: list[Said], text: str) -> Iterator[str]:
    """Arguments of a call whose values stand only where another of its arguments is said."""
    cues = _cues(tool)
    for one, other in permutations(values, 2):
        if one.kind != other.kind or one.words == other.words:
            continue
        own, foreign = (cues.get(spec_path(value.path), frozenset()) for value in (one, other))
        elsewhere = {place for value in others if value.words == one.words for place in value.places}
        places = [place for place in one.places if place not in elsewhere]
        if places and all(_is_foreign(text[max(0, place - _NEAR) : place], own, foreign) for place in places):
            yield one.path
    yield from _turned(tool, values, text)


def _turned(tool: ToolSpec, values: list[Said], text: str) -> Iterator[str]:
    """The two ends of a span of time that are said the other way round: "until 11 March, starting 13 March"."""
    sides = _sides_of((*tool.ask, tool.noun), tuple(value.path for value in values if value.kind[0] == "string"))
    firsts, lasts = ([value for value in values if sides.get(value.path) == side] for side in ("first", "last"))
    if len(firsts) != 1 or len(lasts) != 1 or firsts[0].kind != lasts[0].kind or firsts[0].words == lasts[0].words:
        return
    first, last = firsts[0], lasts[0]
    said = [{_side(text[max(0, place - _NEAR) : place]) for place in value.places} for value in (first, last)]
    if said[0] == {"last"} and said[1] != {"last"}:
        yield first.path
    if said[1] == {"first"} and said[0] != {"first"}:
        yield last.path
    if said == [{""}, {""}] and max(last.places) < min(first.places):
        yield first.path


def _side(before: str) -> str:
    """Which end of a span the words right before a date say: "first", "last", or nothing."""
    words = _JOINTS.split(_WEEKDAY.sub("", before))[-1].split()[-3:]
    return next((_SIDES[word] for word in reversed(words) if word in _SIDES), "")


@lru_cache(maxsize=4096)
def _sides_of(asks: tuple[str, ...], paths: tuple[str, ...]) -> Mapping[str, str]:
    """Which arguments are the first and the last day of something, by their names, else by the words before them."""
    found: dict[str, str] = {}
    for path in paths:
        named = {_NAMED[word] for word in path.replace(".", "_").split("_") if word in _NAMED}
        cued = {_SIDES[word] for word in _cues_of(asks).get(spec_path(path), ()) if word in _SIDES}
        sides = named if len(named) == 1 else cued
        if len(sides) == 1:
            found[path] = next(iter(sides))
    return found


def _is_foreign(text: str, own: frozenset[str], foreign: frozenset[str]) -> bool:
    """Whether a text ends in what stands before another argument and not before this one; two words tell more."""
    for words in reversed(_before(text)):
        if words in own or words in foreign:
            return words not in own
    return False


def _between(
    ones: list[Said], others: list[Said], regions: tuple[range | None, range | None], end: int
) -> Iterator[tuple[int, str]]:
    """Arguments of two calls that are said with the rest of the other call, or where the other is asked for.

    An answer to what was asked back is looked at no more: it stands apart from what it is about.
    """
    shared = {value.words for value in ones} & {value.words for value in others}
    every = (*ones, *others)
    firsts, seconds = (
        [
            value
            for value in values
            if len(value.places) == 1
            and value.places[0] < end
            and value.words not in shared
            and not any(_is_within(value, other) for other in every)
        ]
        for values in (ones, others)
    )
    for one, other in product(firsts, seconds):
        if (one.kind, one.domain) != (other.kind, other.domain):
            continue
        theirs, its = regions
        if (theirs and its and one.places[0] in its and other.places[0] in theirs) or any(
            _is_around(_span(one, beside), _span(other, opposite))
            for beside, opposite in product(firsts, seconds)
            if beside is not one and opposite is not other
        ):
            yield one.call, one.path
            yield other.call, other.path


def _is_within(one: Said, other: Said) -> bool:
    """Whether a value stands within a longer one: "the stay at Hill House", where Hill House is a call's hotel."""
    start, longer = one.places[0], len(other.words) > len(one.words)
    return longer and any(place <= start < place + len(other.words) for place in other.places)


def _is_around(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether one span stands around the other, whichever it is."""
    (start, end), (begin, close) = sorted((one, other))
    return start < begin and close < end


def _span(one: Said, other: Said) -> tuple[int, int]:
    places = one.places[0], other.places[0]
    return min(places), max(places)


def _regions(program: Program, reading: Reading) -> dict[int, range]:
    """Where calls are asked for: from the phrasing of its tool, if there is one such call and place, to the next's."""
    calls = [call for call in reading.exchange.calls if not program.is_users(call)]
    count = Counter(program.gold.calls[call].tool for call in calls)
    book = phrasebook(tuple(program.specs.values()))
    text, starts = spelled(reading.text), origins(reading.text)
    places: dict[int, int] = {}
    every = [len(reading.text)]
    for call in calls:
        entry = book.entries.get(program.gold.calls[call].tool)
        found = [starts[place] for place in entry.places(text)] if entry else []
        every += found
        if len(found) == 1 and count[program.gold.calls[call].tool] == 1:
            places[call] = found[0]
    return {call: range(start, min(place for place in every if place > start)) for call, start in places.items()}


@lru_cache(maxsize=4096)
def _cues_of(asks: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for text in asks:
        before = ""
        for part in parse_template(text):
            for piece in part.parts if isinstance(part, Segment) else (part,):
                if isinstance(piece, Slot):
                    found.setdefault(piece.name, set()).update(_before(before))
                    before = ""
                else:
                    before = piece.casefold()
    return {name: frozenset(words) for name, words in found.items()}


def _cues(tool: ToolSpec) -> Mapping[str, frozenset[str]]:
    """The words that stand right before each argument in the phrasings of a tool."""
    return _cues_of((*tool.ask, tool.noun))


def _before(text: str) -> tuple[str, ...]:
    """The last word of a text and the last two, articles and the like aside; none where a value or a sign stands."""
    match = _LAST.search(text)
    if match is None:
        return ()
    return (match[2], f"{match[1]} {match[2]}") if match[1] else (match[2],)


_NEAR = 60
"""How far back the word before a value is looked for, in characters."""
_FIRST_WORDS = "from since start starts starting begin begins beginning pick pick-up pickup picked arrive check-in"
_LAST_WORDS = "to until till through end ends ending return returned returning back leave leaving departure check-out"
_SIDES = {word: side for side, words in (("first", _FIRST_WORDS), ("last", _LAST_WORDS)) for word in words.split()}
_NAMED = _SIDES | {"in": "first", "out": "last"}
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day,? ")
_JOINTS = re.compile(r"[,;.:!?\n]|\d+")
_LAST = re.compile(
    r"(?:(\w+) )?(\w+(?=\s)|['\"](?=$))\s*(?:(?:the|my|our|a|an|another|all|about|around|up to|just|only)\s+)*[$€£]?$"
)
