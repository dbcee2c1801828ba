"""Descriptions that fit more than one record: "my checking account", "the hotel in Rome", "my reservation"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from envfactory.environment import TableSpec, ToolSpec
from envfactory.environment.templates import Segment, parse_template, slots
from envfactory.querygen.program import Program
from envfactory.querygen.wording import fill, say

_OWN = " of mine"
"""How a search says that it finds what belongs to the person: "confirmed stay of mine"."""


@dataclass(frozen=True, slots=True)
class Description:
    """Words for a record, and the ids of all that they fit."""

    words: str
    fits: tuple[str, ...]


def descriptions(program: Program, entity: str, key: str, call: int) -> list[Description]:
    """Ways to speak of a record that fit others as well, from the point of view of a call; those that fit fewest first.

    Made of the noun phrases with which the environments' searches say what they find, filled with the record's values.
    """
    table = program.tables.get(entity)
    rows = program.names.rows(entity, call)
    if table is None or key not in rows:
        return []
    own = program.belongs_to_somebody(entity)
    found: dict[str, tuple[str, ...]] = {}
    for template in _noun_phrases(program, entity):
        for names in _wordings(template, table):
            mine = {name: rows[key].get(name) for name in names}
            if any(value is None or isinstance(value, (list, dict)) for value in mine.values()):
                continue
            fits = tuple(other for other, row in rows.items() if all(row.get(n) == v for n, v in mine.items()))
            if len(fits) < 2:
                continue
            said = {name: say(value, table.field_by_path.get(name), program.names.now) for name, value in mine.items()}
            phrase = fill(template, lambda name, said=said: said.get(name, ""))
            found[_with_article(phrase, own=own)] = fits
    return sorted((Description(words, fits) for words, fits in found.items()), key=lambda d: (len(d.fits), d.words))


def _with_article(phrase: str, *, own: bool) -> str:
    phrase = phrase.removesuffix(_OWN)
    return f"my {phrase}" if own else f"the {phrase}"


def _noun_phrases(program: Program, entity: str) -> Iterator[str]:
    """Noun phrases of the searches that find such records, and what one is called."""
    for spec in program.specs.values():
        for tool in spec.tools:
            if tool.noun and _finds(tool, entity):
                yield tool.noun
    yield program.noun(entity)


def _finds(tool: ToolSpec, entity: str) -> bool:
    return any(shape.record and shape.entity == entity and shape.path.endswith("[]") for shape in tool.output_shapes)


def _wordings(template: str, table: TableSpec) -> Iterator[frozenset[str]]:
    """The values to be said in each wording: what must be said, and one part that may be, or none.

    Only values that stand in the record under the same name, so that they can be compared.
    """
    parsed = parse_template(template)
    always = frozenset(slots(parsed, optional=False))
    if not all(_comparable(name, table) for name in always):
        return
    yield always
    for part in parsed:
        if isinstance(part, Segment) and not part.flag and all(_comparable(name, table) for name in part.names):
            yield always | frozenset(part.names)


def _comparable(name: str, table: TableSpec) -> bool:
    leaf = table.field_by_path.get(name)
    return leaf is not None and not leaf.ref and not leaf.free_text and leaf.type != "boolean"


def content_words(words: str) -> set[str]:
    """The words of a description that say something of the record itself."""
    return {word for word in words.casefold().split() if word not in _EMPTY}


_EMPTY = frozenset(("my", "the", "a", "an", "in", "at", "of", "from", "to", "on", "for", "one"))


def fits(words: str, noun_phrases: set[str], row: Any) -> bool:
    """Whether a record has all that is said in a description, apart from what such a thing is called."""
    values = " ".join(_texts(row)).casefold().replace("_", " ")
    return all(word in noun_phrases or word in values for word in content_words(words))


def _texts(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        for value in document.values():  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(value)
    elif isinstance(document, list):
        for value in document:  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(value)
    elif document is not None:
        yield str(document)
