"""Descriptions that fit more than one record: "my checking account", "the hotel in Rome", "my reservation"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from envfactory.environment import TableSpec, ToolSpec
from envfactory.environment.templates import Segment, parse_template, slots
from envfactory.querygen.program import Program
from envfactory.querygen.wording import OWN, fill, plural, say

MOST = 6
"""Records that a description may fit at most: who has more of a kind says which one they mean."""

TELLING = 2 / 3
"""Share of all such records that what is said of one may fit at most: "my open account" tells nothing apart."""


@dataclass(frozen=True, slots=True)
class Description:
    """Words for a record, the ids of all that they fit, and words by which one speaks of one among them, if any."""

    words: str
    fits: tuple[str, ...]
    one_of: str = ""


def descriptions(program: Program, entity: str, key: str, call: int) -> list[Description]:
    """Ways to speak of a record that fit others as well, from the point of view of a call; those that fit fewest first.

    Made of the noun phrases with which the environments' searches say what they find, filled with the record's values.
    """
    table = program.tables.get(entity)
    rows = program.names.rows(entity, call)
    if table is None or key not in rows:
        return []
    own = program.belongs_to_somebody(entity)
    found: dict[tuple[str, ...], str] = {}
    one_of: dict[str, str] = {}
    if called := program.names.short(entity, key, call):
        namesakes = tuple(name.id for name in program.names.meant(entity, call) if name.short == called)
        if len(namesakes) > 1:
            found[namesakes] = called
    for template in _noun_phrases(program, entity):
        for names in _wordings(template, table):
            if not names and not own:
                continue  # nobody says "the warehouse" who knows that there are several
            mine = {name: rows[key].get(name) for name in names}
            if any(value is None or isinstance(value, (list, dict)) for value in mine.values()):
                continue
            fits = tuple(other for other, row in rows.items() if all(row.get(n) == v for n, v in mine.items()))
            if not 2 <= len(fits) <= MOST or (names and len(fits) > TELLING * len(rows)):
                continue
            said = {name: say(value, table.field_by_path.get(name), program.names.now) for name, value in mine.items()}
            phrase = fill(template, lambda name, said=said: said.get(name, ""))
            words = _with_article(phrase, own=own)
            one_of[words] = _one_of(words, [program.noun(entity), *_heads(template)])
            if fits not in found or len(words) < len(found[fits]):  # what tells nothing apart is not said
                found[fits] = words
    return sorted(
        (Description(words, fits, one_of.get(words, "")) for fits, words in found.items()),
        key=lambda description: (len(description.fits), description.words),
    )


def _with_article(phrase: str, *, own: bool) -> str:
    phrase = phrase.replace(OWN, "", 1)
    return f"my {phrase}" if own else f"the {phrase}"


def _one_of(words: str, nouns: Iterable[str]) -> str:
    """Make "my confirmed stay" into "one of my confirmed stays"; nothing where none of the nouns is said."""
    for noun in nouns:
        before, _, after = f"{words} ".partition(f" {noun} ")
        if before != f"{words} ":
            after = f" {after}".replace(" that is ", " that are ").rstrip()
            return f"one of {before} {plural(noun)}{after}"
    return ""


def _heads(noun_phrase: str) -> list[str]:
    """The first words of what a noun phrase always says: "stay" of "[{status} ]stay[ in {city}]"."""
    parts = (part for part in parse_template(noun_phrase) if isinstance(part, str))
    return [words[0] for part in parts if (words := part.casefold().split())]


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
