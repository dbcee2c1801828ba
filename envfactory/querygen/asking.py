"""What a text asks for, from its words alone.

A call is asked for where a sentence does it: with one of the tool's phrasings, or in other words with enough of what is
said of this tool, and with no less of it than of any other. Whether the words want what they say is read from the form
of the sentence (`moods`): "don't ...", "I was told to ..." and a statement ask for nothing, nor does what is taken back
afterwards ("never mind"). A look-up may be a question as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from envfactory.querygen.extras import CHANGES, is_extra, more, times, unknown_verbs
from envfactory.querygen.moods import (
    Mood,
    is_polite,
    is_to_be_done,
    mood_at,
    opening,
    sentence_of,
    without_what_is_taken_back,
)
from envfactory.querygen.phrasebook import Entry, Phrasebook, spelled, stem, stems
from envfactory.querygen.provisos import is_tied, may_be_tied

ENOUGH = 0.5
"""The least likeness to what is said of a tool, from 0 to 1, for other words than its phrasings to ask for it."""
_LOOK = 0.3
"""What it is worth that a look-up is asked for by any of the verbs of looking."""
_OWN = 3
"""Words of a phrasing from which on it is known whose it is: "look up X" may be the beginning of much."""


@dataclass(frozen=True, slots=True)
class _Clause:
    """The part of a sentence that may ask for one thing: where it begins after its form of asking, and its words."""

    start: int
    mood: Mood
    words: tuple[str, ...]


class Asking:
    """A text, read for what it asks for."""

    def __init__(self, book: Phrasebook, text: str, values: Collection[str] = ()) -> None:
        """Read a text.

        Args:
            book: the phrasings of all tools that there are.
            text: as `phrasebook.spelled` has it, names and longer values blank.
            values: what is said as a value, which other words than phrasings need not account for.
        """
        self.book, self._said = book, values
        self.text = without_what_is_taken_back(text)
        self._verbs = book.verbs | CHANGES
        self._besides: dict[frozenset[str], str] = {}

    def asks(self, tool: str, calls: int, among: Collection[str]) -> bool:
        """Whether calls of a tool are asked for.

        Args:
            tool: wire name.
            calls: how many there are; where the text also says that one is not wanted, each must be asked for.
            among: the tools of all calls that follow: what goes better with one of them is about nothing else.
        """
        entry = self.book.entries.get(tool)
        if entry is None:
            return True  # nobody can say how it would be asked for
        places = dict(self._phrased(entry, among))
        wanted = sum(self._wants(mood, entry, start, among) for start, mood in places.items())
        if wanted:
            return wanted >= min(calls, len(places))
        refused = {sentence_of(self.text, start) for start in places}
        return any(
            sentence_of(self.text, clause.start) not in refused and self._alike(entry, clause, among)
            for clause in self._clauses
        )

    def _wants(self, mood: Mood, entry: Entry, place: int, among: Collection[str]) -> bool:
        """Whether what is meant so is wanted: who asks whether they may look wants to, who asks of a change may not."""
        if mood == "leave" and entry.writes:
            wants = is_polite(self.text[sentence_of(self.text, place) :].partition("|")[0])
        else:
            wants = mood in ("order", "leave") or (mood == "question" and not entry.writes)
        return wants and not self._is_tied(place, among)

    def _is_tied(self, place: int, among: Collection[str]) -> bool:
        """Whether what is asked for at a place depends on something, or is put off."""
        if not self._may_be_tied:
            return False
        start, end = sentence_of(self.text, place), self.text.find("|", place + 1)
        return is_tied(self._beside(frozenset(among)), start, end if end >= 0 else len(self.text))

    @cached_property
    def _may_be_tied(self) -> bool:
        return may_be_tied(self.text)

    def _beside(self, among: frozenset[str]) -> str:
        """The text with the phrasings of some tools blank."""
        if among not in self._besides:
            text = self.text
            for start, end in self._spans(among):
                text = f"{text[: start + 1]}{'#' * (end - start - 2)}{text[end - 1 :]}"
            self._besides[among] = text
        return self._besides[among]

    def _spans(self, tools: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Where in the text phrasings of some tools begin and end."""
        entries = (self.book.entries.get(tool) for tool in tools)
        return (span for entry in entries if entry is not None for span in entry.spans(self.text))

    def wishes_beyond(self, tools: Mapping[str, int]) -> Iterator[str]:
        """What the text asks for that no call does: verbs of changes, and how often.

        Args:
            tools: the tools of all calls that follow, with how many each has.
        """
        changes = [clause for clause in self._clauses if clause.mood == "order" and clause.words[0] in CHANGES]
        if changes:
            heads = self.book.heads(tools)
            spans = list(self._spans(tools))
            for clause in changes:
                inside = any(start <= clause.start < end for start, end in spans)
                if not inside and is_extra(" ".join((*clause.words, "")), heads):
                    yield clause.words[0]
        if any(True for _ in more(self.text)):
            yield from more(self._beside(frozenset(tools)))
        entries = [entry for tool in tools if (entry := self.book.entries.get(tool)) is not None]
        words = {word for entry in entries for word in entry.words | entry.heads}
        looking = any(not entry.writes for entry in entries)
        yield from unknown_verbs(self._beside(frozenset(tools)), words, looking=looking)
        if all(count < 2 for count in tools.values()):
            yield from (often for often in times(self.text) if often not in self._values)

    # -- in words of its phrasings --------------------------------------------------------------------------------

    def _phrased(self, entry: Entry, among: Collection[str]) -> Iterator[tuple[int, Mood]]:
        """The places at which a phrasing of the tool stands, and no longer one of a rival, and how each is meant."""
        for start, length in entry.places(self.text).items():
            if not self._rival_at(start, length + 1, among):
                none = _NOTHING.match(self.text, start)
                yield start, "none" if none else mood_at(self.text, start, self.book.verbs)

    def _rival_at(self, start: int, length: int, among: Collection[str]) -> bool:
        """Whether a phrasing of another tool stands at a place, of some length at least."""
        return any(
            rival.length >= length and rival.tool not in among and rival.ends(self.text, start) >= 0
            for rival in self.book.begun.get(self.text[start + 1 : self.text.index(" ", start + 1)], ())
        )

    # -- in other words -------------------------------------------------------------------------------------------

    def _alike(self, entry: Entry, clause: _Clause, among: Collection[str]) -> bool:
        if not self._wants(clause.mood, entry, clause.start, among) or self._rival_at(
            clause.start, 1 if entry.writes else _OWN, among
        ):
            return False
        if any(start < clause.start < end and tool not in among for start, end, tool in self._phrases):
            return False
        score = self._likeness(entry, clause)
        if score < ENOUGH:
            return False
        return all(
            self._likeness(other, clause) <= score for other in self.book.entries.values() if other.tool not in among
        )

    def _likeness(self, entry: Entry, clause: _Clause) -> float:
        """How well a clause goes with what is said of a tool, from 0 to 1.

        The harmonic mean of how much of the clause is said of the tool and how much of a phrasing, of the one that
        goes best, the clause has; words count by their worth.
        """
        book = self.book
        words = [word for word in stems(clause.words) if word not in self._values or word in entry.words]
        if not words:
            return 0.0
        head, rest = words[0], words[1:]
        orders = clause.words[0] in book.verbs or (clause.mood != "question" and head in book.looks)
        if entry.writes:
            if clause.words[0] not in book.verbs:  # "I want it cancelled", "I want a room"
                done = (stem(word) for word in clause.words if word.endswith("ed"))
                verb = next((word for word in (head, *done, "get") if word in entry.heads), head)
                head, rest = verb, rest if verb == head else words
            if head not in entry.heads:
                return 0.0
        elif orders:
            if head not in book.looks:
                return 0.0
        else:
            rest = words
        said = set(rest)
        own = said & (entry.words | entry.heads)
        given = sum(map(book.worth, own))
        alien = sum(map(book.worth, said - own - (book.nouns if entry.writes else frozenset())))
        same = book.worth(head) if entry.writes else _LOOK
        precision = (same + given) / (same + given + alien)
        recall = max(
            (same + sum(map(book.worth, said & phrasing.words))) / (same + sum(map(book.worth, phrasing.words)))
            for phrasing in entry.phrasings
        )
        return 2 * precision * recall / (precision + recall)

    @cached_property
    def _phrases(self) -> list[tuple[int, int, str]]:
        """Where phrasings begin and end in the text whose tool is known by them."""
        return [
            (start, end - 1, phrasing.tool)
            for match in _WORDS.finditer(self.text)
            for phrasing in self.book.begun.get(match[1], ())
            if phrasing.length >= _OWN and (end := phrasing.ends(self.text, start := match.start())) >= 0
        ]

    @cached_property
    def _values(self) -> frozenset[str]:
        return frozenset(word for value in self._said for word in stems(spelled(value).split()))

    @cached_property
    def _clauses(self) -> list[_Clause]:
        """The clauses of the text, each with how it is meant."""
        found: list[_Clause] = []
        for sentence in _SENTENCE.finditer(self.text):
            starts = list(self._starts(sentence.start(), sentence.end()))
            for start, end in zip(starts, [*starts[1:], sentence.end()], strict=True):
                opens, body = opening(self.text, start, end, self._verbs)
                mood: Mood = "none"
                if opens:
                    mood = "question" if opens == "question" else mood_at(self.text, body, self.book.verbs)
                elif is_to_be_done(self.text[start:end]):
                    mood = "order"
                if words := tuple(self.text[body:end].split()):
                    found.append(_Clause(body, mood, words))
        return found

    def _starts(self, start: int, end: int) -> Iterator[int]:
        """Where the clauses of a sentence may begin."""
        yield start
        for joint in _JOINT.finditer(self.text, start + 1, end):
            after = joint.end() - 1
            if opening(self.text, after, end, self._verbs)[0]:
                yield after


_SENTENCE = re.compile(r" [^|]+ ")
_JOINT = re.compile(r" (?:,|:|and|then|but|so|or) ")
_WORDS = re.compile(r" (?=(\S+))")
_NOTHING = re.compile(r" \S+(?: \S+)? (?:nothing|none|neither|no|nobody) ")
