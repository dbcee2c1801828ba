"""With what people begin to ask for a thing: "book", "look up the menu"; a beginning tells of what no call does.

The beginnings are what stands before the first value in the phrasings of some environments' tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from envfactory.environment import Spec
from envfactory.environment.templates import parse_template


@dataclass(slots=True)
class _Beginning:
    """What begins with one word: the tools of any such phrasing, of those with no more words, and longer beginnings."""

    any: set[str] = field(default_factory=set[str])
    alone: set[str] = field(default_factory=set[str])
    longer: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])


def things_asked(specs: Sequence[Spec], text: str) -> Iterator[tuple[str, set[str]]]:
    """The beginnings of known phrasings in a text, each with the tools that may be meant by it.

    A single word counts only where a clause can begin, since "order" may be a thing as well, and is then any tool's of
    which some phrasing starts with it; "change of plan" asks for nothing.
    """
    known = _beginnings(tuple(spec.phrasings for spec in specs))
    for match in _WORD.finditer(text):
        beginning = known.get(match.group())
        if beginning is None or _POLITE.match(text, match.start()):
            continue
        found = [words for words in beginning.longer if _begins(text, match.start(), words)]
        if found:
            yield max(found, key=len), beginning.alone.union(*(beginning.longer[words] for words in found))
        elif not _FORM.match(text, match.start()) and _CLAUSE.search(text, 0, match.start()):
            yield match.group(), beginning.any


def _begins(text: str, start: int, phrase: str) -> bool:
    end = start + len(phrase)
    return text.startswith(phrase, start) and not (end < len(text) and text[end].isalnum())


@lru_cache(maxsize=256)
def _beginnings(environments: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]) -> dict[str, _Beginning]:
    """What stands before the first value in the phrasings of some environments' tools, by first word."""
    found: dict[str, _Beginning] = {}
    for name, asks in chain.from_iterable(environments):
        for text in asks:
            first = parse_template(text)[0]
            if isinstance(first, str):
                phrase = first.strip().casefold()
                beginning = found.setdefault(phrase.split()[0], _Beginning())
                beginning.any.add(name)
                (beginning.longer.setdefault(phrase, set()) if " " in phrase else beginning.alone).add(name)
                if phrase.endswith(" at"):  # "the lots kept at" a place that has come up are those "kept there"
                    beginning.longer.setdefault(f"{phrase.removesuffix(' at')} there", set()).add(name)
    return found


_WORD = re.compile(r"\w+")
_POLITE = re.compile(
    r"let me know (?:when|once|as soon as) (?:it|that|this|all|everything|you)(?:'s| is|'re| are| has been)"
    r"(?: all)? (?:done|finished|ready|sorted)\b|get a (?:minute|moment|second|chance)\b",
    re.IGNORECASE,
)
_FORM = re.compile(r"let(?:'s| us| me)\b|go ahead\b|do (?!it\b|that\b|the\b|a\b|my\b)|\w+ of ", re.IGNORECASE)
"""Words that begin an order without being its verb, or that are a thing: "let me know", "change of plan"."""
_CLAUSE = re.compile(
    r"(?:^|[.!?:]\s+)(?:(?:oh|and|also|please|ok|okay|hi|hey|hello|thanks|actually|pls|then|cool|thx|wait),?\s+)*"
    r"(?:(?:can|could|would) you\s+(?:(?:also|please|pls)\s+)*)?$"
)
"""What stands before the first clause of a sentence."""
