"""What a text asks for, from its words alone.

A call is asked for where a sentence does it: with one of the tool's phrasings, or in other words with enough of what is
said of this tool, and with no less of it than of any other. How the words are meant is read from what stands before
them: an order, "could you ...", "I need to ..." and their like ask for it, "don't ...", "I was told to ..." and a
statement do not; nor does what is taken back afterwards ("never mind"). A look-up may be a question as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from envfactory.querygen.phrasebook import Entry, Phrasebook, stem, stems

Mood = Literal["order", "leave", "question", "none"]
"""How words are meant: wanted; asked whether one may; asked for an answer; none of these."""

_LOOK = 0.3
"""What it is worth that a look-up is asked for by any of the verbs of looking."""
ENOUGH = 0.5
"""The least likeness to what is said of a tool, from 0 to 1, for other words than its phrasings to ask for it."""


@dataclass(frozen=True, slots=True)
class _Clause:
    """The part of a sentence that may ask for one thing: where it begins after its form of asking, and its words."""

    start: int
    mood: Mood
    words: tuple[str, ...]


class Asking:
    """A text, read for what it asks for.

    Args of every method that has them: `tool`, a wire name; `among`, the tools whose calls follow, which are no rivals.
    """

    def __init__(self, book: Phrasebook, text: str, values: Collection[str] = ()) -> None:
        """Read a text.

        Args:
            book: the phrasings of all tools that there are.
            text: as `phrasebook.spelled` has it, names and longer values blank.
            values: stems of words that are said as values, which other words than phrasings need not account for.
        """
        self.book, self.values = book, values
        self.text = _kept(text)

    def asks(self, tool: str, calls: int, among: Collection[str]) -> bool:
        """Whether calls of a tool are asked for.

        Args:
            tool: wire name.
            calls: how many there are; where the text also says that one is not wanted, each must be asked for.
            among: the tools of all calls that follow: what goes with one of them better is not therefore something else.
        """
        entry = self.book.entries.get(tool)
        if entry is None:
            return True  # nobody can say how it would be asked for
        places = dict(self._phrased(entry, among))
        wanted = sum(self._wants(mood, entry) for mood in places.values())
        if wanted:
            return wanted >= min(calls, len(places))
        refused = {self._sentence(start) for start in places}
        return any(
            self._alike(entry, clause, among)
            for clause in self._clauses
            if self._sentence(clause.start) not in refused
        )

    def _sentence(self, place: int) -> int:
        """Where the sentence begins in which a place is."""
        return self.text.rfind("|", 0, place + 1) + 1

    def _wants(self, mood: Mood, entry: Entry) -> bool:
        """Whether what is meant so is wanted: who asks whether they may look wants to, who asks of a change may not."""
        if mood == "leave":
            return not entry.writes or " please " in self.text
        return mood == "order" or (mood == "question" and not entry.writes)

    # -- in words of its phrasings --------------------------------------------------------------------------------

    def _phrased(self, entry: Entry, among: Collection[str]) -> Iterator[tuple[int, Mood]]:
        """The places at which a phrasing of the tool stands, and no longer one of a rival, and how each is meant."""
        for start in {start for phrasing in entry.phrasings for start in _places(phrasing.pieces[0], self.text)}:
            length = max((p.length for p in entry.phrasings if p.ends(self.text, start) >= 0), default=0)
            if length and not self._rival_at(start, length + 1, among):
                yield start, "none" if _NOTHING.match(self.text, start) else self._mood(start)

    def _rival_at(self, start: int, length: int, among: Collection[str]) -> bool:
        """Whether a phrasing of another tool stands at a place, of some length at least."""
        return any(
            rival.length >= length and rival.tool not in among and rival.ends(self.text, start) >= 0
            for rival in self.book.begun.get(self.text[start + 1 : self.text.index(" ", start + 1)], ())
        )

    # -- in other words -------------------------------------------------------------------------------------------

    def _alike(self, entry: Entry, clause: _Clause, among: Collection[str]) -> bool:
        if not self._wants(clause.mood, entry) or self._rival_at(clause.start, 1 if entry.writes else 3, among):
            return False
        if any(start < clause.start < end and tool not in among for start, end, tool in self._phrases):
            return False
        score = self._likeness(entry, clause)
        if score < ENOUGH:
            return False
        return all(
            self._likeness(other, clause) <= score for other in self.book.entries.values() if other.tool not in among
        )

    @cached_property
    def _phrases(self) -> list[tuple[int, int, str]]:
        """Where phrasings of three words or more begin and end in the text, whose ever."""
        return [
            (start, end - 1, phrasing.tool)
            for match in _WORDS.finditer(self.text)
            for phrasing in self.book.begun.get(match[1], ())
            if phrasing.length > 2 and (end := phrasing.ends(self.text, start := match.start())) >= 0
        ]

    def _likeness(self, entry: Entry, clause: _Clause) -> float:
        """How well a clause goes with what is said of a tool: of both, how much the other has, in worth."""
        book = self.book
        words = [word for word in stems(clause.words) if word not in self.values or word in entry.words]
        if not words:
            return 0.0
        head, rest = words[0], words[1:]
        if entry.writes and clause.words[0] not in book.verbs:  # "I want it cancelled", "I want a room"
            done = (stem(word) for word in clause.words if word.endswith("ed"))
            verb = next((word for word in (head, *done, "get") if word in entry.heads), head)
            head, rest = verb, rest if verb == head else words
        is_verb = clause.words[0] in book.verbs or (clause.mood != "question" and head in book.looks)
        if entry.writes:
            if head not in entry.heads:
                return 0.0
        elif is_verb:
            if head not in book.looks:
                return 0.0
        elif clause.mood == "question" or head in entry.words:
            rest = words
        said = set(rest)
        own = said & (entry.words | entry.heads)
        given = sum(map(book.worth, own))
        alien = sum(map(book.worth, said - own))
        best = 0.0
        for phrasing in entry.phrasings:
            same = book.worth(head) if entry.writes else _LOOK
            found = same + sum(map(book.worth, said & phrasing.words))
            precision = (same + given) / (same + given + alien)
            recall = found / (same + sum(map(book.worth, phrasing.words)))
            best = max(best, 2 * precision * recall / (precision + recall))
        return best

    @cached_property
    def _clauses(self) -> list[_Clause]:
        """The clauses of the text, each with how it is meant."""
        found: list[_Clause] = []
        for sentence in re.finditer(r" [^|]+ ", self.text):
            starts = list(self._starts(sentence.start(), sentence.end()))
            for start, end in zip(starts, [*starts[1:], sentence.end()], strict=True):
                mood, body = self._begun(start, end)
                words = self.text[body:end].split()
                if words:
                    found.append(_Clause(body, mood, tuple(words)))
        return found

    def _starts(self, start: int, end: int) -> Iterator[int]:
        yield start
        for joint in _JOINT.finditer(self.text, start + 1, end):
            after = joint.end() - 1
            if self._opens(after, end)[0]:
                yield after

    def _begun(self, start: int, end: int) -> tuple[Mood, int]:
        """How a clause is meant, and where it begins after its form of asking."""
        opens, body = self._opens(start, end)
        if opens == "question":
            return "question", body
        return self._mood(body) if opens else "none", body

    def _opens(self, start: int, end: int) -> tuple[Literal["", "question", "order"], int]:
        """What opens at a place: a question, something wanted, or nothing; and where it begins after that."""
        frame = _FRAME.match(self.text, start, end)
        body = frame.end() - 1 if frame else start
        word = self.text[body + 1 : self.text.find(" ", body + 1)]
        if frame and (frame["asks"] or frame["leave"] or _PLEASE.search(frame.group())):
            return "" if word in ("not", "never") else "order", body
        if _QUESTION.match(self.text, body, end):
            return "question", body
        return "order" if word in self.book.verbs else "", body

    # -- how it is meant ------------------------------------------------------------------------------------------

    def _mood(self, start: int) -> Mood:
        """How the words from a place on are meant, by what stands before them in the sentence."""
        begun = self._sentence(start)
        *earlier, last = _PAUSE.split(self.text[begun : start + 1])
        parts, joint = earlier[::2], "".join(earlier[-1:])
        if any(_REFUSAL.fullmatch(part) for part in parts):
            return "none"
        before, goes_on, tail = last.rpartition(" and ")
        if goes_on:
            parts, joint, last = [*parts, f"{before} "], "and", f" {tail}"
        frame = _FRAME.fullmatch(last)
        if frame is None:
            return "none"
        if frame["leave"]:
            return "leave"
        return "order" if frame["asks"] or joint not in ("and", ":") else self._governed(parts)

    def _governed(self, parts: list[str]) -> Mood:
        """How a sentence is meant that goes on with "and": as what came before."""
        for part in reversed(parts):
            frame = _FRAME.match(part)
            body = frame.end() - 1 if frame else 0
            words = part[body:].split()
            if not words:
                continue
            if (frame and frame["asks"]) or words[0] in self.book.verbs:
                return "order"
            if words[0] in _SUBJECTS:
                return "none"
        return "order"


def _kept(text: str) -> str:
    """A spelled text without what is taken back in it."""
    sentences = text.split("|")
    last = max((place for place, words in enumerate(sentences) if _TAKEN_BACK.fullmatch(words.replace(" ,", ""))), default=0)
    return "|".join(sentences[last:])


def _places(piece: str, text: str) -> Iterator[int]:
    start = text.find(piece)
    while start >= 0:
        yield start
        start = text.find(piece, start + 1)


_LEAD = (
    r"(?:(?:(?:(?:hi|hey|hello|morning|good (?:morning|afternoon|evening))(?: there)?|thanks(?: a lot| so much)?|thank you"
    r"(?: very much| so much)?|thx|ty|cheers|ok|okay|right|all right|alright|sure|yes|great|good|nice|cool|sweet|perfect|lovely|"
    r"awesome|brilliant|got it|oh|ah|hm|hmm|well|now|actually|wait|sorry|sry|first|next|finally|lastly|also|then|and|or|"
    r"please|pls|plz|kindly|just|maybe|perhaps|quickly|once|again|while you're at it|after that|in addition|besides|no|"
    r"on second thought|changed my mind|i've changed my mind|i changed my mind|one more thing)) )*"
)
_ME = r"(?:i|we|i'm|we're|i've|we've)"
_ASKS = (
    r"(?:can|could|would|will|can't|couldn't|won't|wouldn't|cn|why don't|may i ask) (?:you|u|someone|somebody)"
    r"(?: mind)?"
    rf"|{_ME} (?:(?:really|still|now|also|just|only|am|was|were|are) )*(?:need|want|must|wish|ask|hoping|wondering if|looking|trying)"
    r"(?: (?:for )?(?:you|u|we|i))?(?: (?:to|could|can|would|will))?"
    rf"|(?:{_ME} would|i'd|we'd) (?:(?:really|still|now|also|just|only) )*(?:like|love|prefer|want|appreciate it if|be (?:very )?"
    r"grateful if|be (?:very )?happy if)(?: (?:for )?(?:you|u|we|i))?(?: (?:to|could|can|would|will))?"
    rf"|{_ME} (?:(?:really|still|now|also|just|only|'ll) )*(?:have|got|had better) to"
    r"|let's|make sure(?: that)?(?: you| to)?|be sure to|go ahead and|looking (?:for|to)|hoping to"
    r"|is it possible(?: for you)? to|is there (?:a|any) (?:way|chance) (?:for you to|to|you could|you can)"
    r"|(?:it would be (?:great|nice|good|lovely|helpful)|that would be (?:great|nice|good|lovely)) if you (?:could|can|would)"
    r"|do me a favou?r|(?:you )?help me(?: to)?|be so kind(?: as)? to|time to"
)
_FRAME = re.compile(
    rf" {_LEAD}(?:(?P<asks>{_ASKS}) |(?P<leave>(?:can|could|may|might) (?:i|we)) |(?P<plain>(?:please|pls) )?)"
    r"(?:(?:also|please|pls|kindly|just|quickly|maybe|perhaps|possibly|now|then|to|go ahead and|help me(?: to)?) )*"
)
"""What may stand before an order: greetings and the like, and a form of asking."""
_PLEASE = re.compile(r" (?:please|pls|plz|kindly) ")
_NOTHING = re.compile(r" \S+(?: \S+)? (?:nothing|none|neither|no|nobody) ")
_WORDS = re.compile(r" (?=(\S+))")
_PAUSE = re.compile(r"(?<= )(,|:|but|so|instead)(?= )")
_JOINT = re.compile(r" (?:,|:|and|then|but|so|or) ")
_REFUSAL = re.compile(rf" {_LEAD}(?:don't|do not|dont|never|not)(?: ever)? ")
_TAKEN_BACK = re.compile(
    rf" {_LEAD}(?:never ?mind(?: (?:that|it|about (?:it|that)|all that))?|forget (?:it|that|about (?:it|that)|i asked)|"
    r"scratch that|(?:please )?(?:don't|do not|dont)(?: do (?:it|that|so|this|anything))?|no need(?: to do (?:it|that|so))?|"
    r"leave (?:it|that|everything)(?: (?:as it is|alone|for now))?|no|no way|just kidding|not (?:any ?more|after all|now|yet)|"
    r"i(?:'d| would)? (?:don't|do not|no longer) (?:want|need)(?: (?:it|that|this|to))?(?: any ?more| after all| done)?|"
    r"i(?:'d| would) rather (?:not|you didn't)) "
)
"""A sentence that takes back what was said before it."""
_SUBJECTS = frozenset(
    "i we he she it they you is was were my our your his her their the that this these those there yesterday last somebody someone everybody don't dont do not never no nobody what why how".split()
)
_QUESTION = re.compile(
    r" (?:(?:what|which|who|whom|whose|when|where|how|any) (?!i |we |it |to )|"
    r"(?:is|are|do|does|did|have|has|isn't|aren't|doesn't|hasn't|haven't) (?:i|we|you|there|it|they|any|my|our|the|that|all|#+) )"
)
