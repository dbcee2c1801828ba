"""What can be asked for in words: the phrasings of some environments' tools, in the form in which texts are searched.

A text is looked at as `spelled` has it: lower case, words apart, `|` where a sentence ends, `#` where a name or a value
stands. A phrasing is the words that it always has, in order, between which anything may stand. Beside its phrasings a
tool is known by its words: those of its phrasings, its name, its noun and the first sentence of its description, each
worth the more the fewer tools have it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from envfactory.environment import Spec, ToolSpec
from envfactory.environment.templates import Segment, Slot, Template, parse_template

_TOKEN = re.compile(r"#+|[^\W_]+(?:'[^\W_]+)*|[.!?;\n]+(?=\s|$)|[,:](?=\s|$)|(?<=\s)-+(?=\s)|&(?=\s)")
_ENDS = ".!?;\n-"
_STRESSLESS = frozenset(
    """a an the of to in on at for from with by and or as up out off over into onto so that is are was be been it its
    this these those there here i me my mine we us our you your he she they them their his her who whom which what
    when where whether how if not no do does did has have had will would can could should may might must about any
    some all than then too also just only still yet now please between until till through during within since s
    """.split()  # noqa: SIM905 - a list of words is read more easily than a list of strings
)
"""Words that say nothing of what is wanted; where a phrasing begins with one it counts, as in "have it replaced"."""


def spelled(text: str) -> str:
    """A text in lower case as words and signs with a space before and after each, sentences ended by `|`."""
    words = _TOKEN.findall(text.casefold().replace("\u2019", "'"))
    tokens = ("|" if word[0] in _ENDS else "and" if word == "&" else word for word in words)
    return f" {' '.join(tokens)} "


def origins(text: str) -> dict[int, int]:
    """Where each word of a text in lower case begins, by where the space before it stands once it is spelled."""
    found: dict[int, int] = {}
    place = 0
    for token in _TOKEN.finditer(text.replace("\u2019", "'")):
        found[place] = token.start()
        place += 2 if token[0][0] in _ENDS else 4 if token[0] == "&" else 1 + len(token[0])
    return found


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without the endings that verbs and nouns take, the same for all its forms as far as rules go."""
    for ending in ("ing", "ied", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def stems(words: Sequence[str]) -> Iterator[str]:
    """The stems of words that say something."""
    return (stem(word) for word in words if word not in _STRESSLESS and word[0] not in "#|,:")


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One way to ask for a tool.

    Attributes:
        tool: wire name.
        pieces: its words in order, a run of them to a piece, each with a space before and after.
        length: how many words these are.
        head: the stem that it begins with.
        words: stems of the others that say something.
    """

    tool: str
    pieces: tuple[str, ...]
    length: int
    head: str
    words: frozenset[str]

    def ends(self, text: str, start: int) -> int:
        """Where it ends in a spelled text if it begins at a place, within the sentence; -1 if it does not."""
        if not text.startswith(self.pieces[0], start):
            return -1
        end = start + len(self.pieces[0])
        for piece in self.pieces[1:]:
            found = text.find(piece, end - 1)
            if found < 0:
                return -1
            end = found + len(piece)
        return end if text.find("|", start, end) < 0 else -1


@dataclass(frozen=True, slots=True)
class Entry:
    """What a tool is known by: how it is asked for, and its words by stem.

    Attributes:
        tool: wire name.
        writes: whether it changes something.
        phrasings: how it is asked for.
        begins: what these begin with.
        heads: the verbs that ask for it, as stems; tools whose names have one verb ("cancel") share theirs.
        words: all words that are said of it, as stems.
        asides: what its phrasings may say besides, two words or more: "and pay for".
    """

    tool: str
    writes: bool
    phrasings: tuple[Phrasing, ...]
    begins: frozenset[str]
    heads: frozenset[str]
    words: frozenset[str]
    asides: frozenset[str]

    def places(self, text: str) -> dict[int, int]:
        """Where in a spelled text its phrasings stand, with the length of the longest at each place, in words."""
        found: dict[int, int] = {}
        for piece in self.begins:
            start = text.find(piece)
            while start >= 0:
                length = max((p.length for p in self.phrasings if p.ends(text, start) >= 0), default=0)
                if length:
                    found[start] = length
                start = text.find(piece, start + 1)
        return found

    def end(self, text: str, start: int) -> int:
        """Where the phrasing ends that stands at a place of a spelled text, the one that goes on longest."""
        return max(phrasing.ends(text, start) for phrasing in self.phrasings)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where in a spelled text its phrasings and what they say besides begin and end."""
        yield from ((start, self.end(text, start)) for start in self.places(text))
        for aside in self.asides:
            start = text.find(aside)
            while start >= 0:
                yield start, start + len(aside)
                start = text.find(aside, start + 1)


class Phrasebook:
    """The phrasings of all tools of some environments."""

    def __init__(self, entries: Iterable[Entry], nouns: Iterable[str]) -> None:
        """Put it together.

        Args:
            entries: what each tool is known by.
            nouns: what the things in the environments are called, as stems.
        """
        self.nouns = frozenset(nouns)
        self.entries: Mapping[str, Entry] = {entry.tool: entry for entry in entries}
        self.begun: dict[str, list[Phrasing]] = {}
        for entry in self.entries.values():
            for phrasing in entry.phrasings:
                self.begun.setdefault(phrasing.pieces[0].split()[0], []).append(phrasing)
        self.verbs = frozenset({*self.begun, *(name.partition("-")[2].split("_")[0] for name in self.entries)})
        self.looks = frozenset(head for entry in self.entries.values() if not entry.writes for head in entry.heads)
        self._count = Counter(word for entry in self.entries.values() for word in entry.words | entry.heads)

    def heads(self, tools: Iterable[str]) -> set[str]:
        """Stems of the verbs that ask for some tools."""
        return {head for tool in tools if tool in self.entries for head in self.entries[tool].heads}

    def worth(self, word: str) -> float:
        """How much a stem says: the more, the fewer tools have it; most if none has."""
        return math.log((1 + len(self.entries)) / (0.5 + min(self._count[word], len(self.entries))))


def phrasebook(specs: Sequence[Spec]) -> Phrasebook:
    """The phrasebook of some environments; kept, since a process meets the same ones again and again."""
    key = tuple(map(id, specs))
    if key not in _BOOKS:
        entries = [entry for spec in specs for entry in entries_of(spec)]
        nouns = (word for spec in specs for table in spec.tables for word in stems(spelled(table.noun).split()))
        if len(_BOOKS) >= _MOST:
            _BOOKS.clear()
        _BOOKS[key] = tuple(specs), Phrasebook(entries, nouns)
    return _BOOKS[key][1]


def entries_of(spec: Spec) -> tuple[Entry, ...]:
    """What each tool of an environment is known by that can be asked for."""
    if id(spec) not in _ENTRIES:
        if len(_ENTRIES) >= _MOST:
            _ENTRIES.clear()
        _ENTRIES[id(spec)] = spec, tuple(_entries(spec.agent_tools))
    return _ENTRIES[id(spec)][1]


def _entries(tools: Sequence[ToolSpec]) -> Iterator[Entry]:
    known = {tool.wire_name: tuple(_phrasings(tool)) for tool in tools if tool.ask}
    verbs: dict[tuple[str, bool], set[str]] = {}
    for tool in tools:
        heads = {phrasing.head for phrasing in known.get(tool.wire_name, ())}
        verbs.setdefault((_verb(tool), tool.writes), {stem(_verb(tool))}).update(heads)
    for tool in tools:
        if tool.wire_name in known:
            phrasings = known[tool.wire_name]
            yield Entry(
                tool.wire_name,
                tool.writes,
                phrasings,
                frozenset(phrasing.pieces[0] for phrasing in phrasings),
                frozenset({*verbs[_verb(tool), tool.writes], *list(stems(_description(tool)))[:1]}),
                frozenset(_vocabulary(tool, phrasings)),
                frozenset(_asides(tool)),
            )


_MOST = 256
_BOOKS: dict[tuple[int, ...], tuple[tuple[Spec, ...], Phrasebook]] = {}
_ENTRIES: dict[int, tuple[Spec, tuple[Entry, ...]]] = {}
"""By the identity of the environments, which they keep alive."""


def _phrasings(tool: ToolSpec) -> Iterator[Phrasing]:
    for text in tool.ask:
        for template in _settled(parse_template(text)):
            pieces = tuple(pieces_of(template))
            # "a room at" a place that has come up is "a room there".
            taken_up = tuple(f"{piece[:-4]} there " if piece.endswith(" at ") else piece for piece in pieces)
            for said in dict.fromkeys((pieces, taken_up)):
                words = " ".join(said).split()
                if words:
                    rest = frozenset(stems(words[1:])) - {stem(words[0])}
                    yield Phrasing(tool.wire_name, said, len(words), stem(words[0]), rest)


def _settled(template: Template) -> Iterator[Template]:
    """A phrasing with each flag settled by which it says one thing or another: "[on? resume][!on? pause] it"."""
    flagged = [(part.flag, part.wanted) for part in template if isinstance(part, Segment) and part.flag]
    flags = sorted(flag for flag, wanted in set(flagged) if wanted and (flag, False) in flagged)
    for ways in product((True, False), repeat=len(flags)):
        way = dict(zip(flags, ways, strict=True))
        parts: list[str | Slot | Segment] = []
        for part in template:
            if not isinstance(part, Segment) or part.flag not in way:
                parts.append(part)
            elif part.wanted is way[part.flag]:
                parts += part.parts
        yield tuple(parts)


def pieces_of(template: Template) -> Iterator[str]:
    """The words that a phrasing always has, up to where a sentence in it ends."""
    glued = False
    for place, part in enumerate(template):
        if not isinstance(part, str):
            glued = isinstance(part, Segment) and _ends_in_a_word(part)
            continue
        ended = spelled(part).split("|")
        words = ended[0].split()
        following = template[place + 1] if place + 1 < len(template) else None
        if words and isinstance(following, Segment) and part[-1].isalnum() and _begins_in_a_word(following):
            words.pop()  # "a[urgent?n urgent]": the word is not whole yet
        if words and glued and part[:1].isalnum():
            words.pop(0)
        for run in re.split("[,:]", " ".join(words)):
            if run.strip():
                yield f" {run.strip()} "
        if len(ended) > 1:
            return


def _asides(tool: ToolSpec) -> Iterator[str]:
    """Runs of words in the optional parts of a tool's phrasings."""
    segments = (part for text in tool.ask for part in parse_template(text) if isinstance(part, Segment))
    for piece in (piece for segment in segments for piece in segment.parts if isinstance(piece, str)):
        for run in re.split("[,:|]", spelled(piece)):
            if run.strip().count(" "):
                yield f" {run.strip()} "


def _begins_in_a_word(segment: Segment) -> bool:
    first = segment.parts[0]
    return isinstance(first, str) and first[:1].isalnum()


def _ends_in_a_word(segment: Segment) -> bool:
    last = segment.parts[-1]
    return not isinstance(last, str) or last[-1:].isalnum()


def _verb(tool: ToolSpec) -> str:
    return tool.name.split("_")[0]


def _description(tool: ToolSpec) -> list[str]:
    """The words of the first sentence of a tool's description."""
    return spelled(tool.description).split("|")[0].split()


def _vocabulary(tool: ToolSpec, phrasings: Sequence[Phrasing]) -> Iterator[str]:
    for phrasing in phrasings:
        yield from phrasing.words
    yield from stems(tool.name.split("_")[1:])
    yield from list(stems(_description(tool)))[1:]
    for template in (tool.noun, *tool.ask):
        for part in parse_template(template):
            for piece in part.parts if isinstance(part, Segment) else (part,):
                if isinstance(piece, str):
                    yield from stems(spelled(piece).split())
