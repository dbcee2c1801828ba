"""Reading a request as somebody would who did not write it: which record does it speak of?

A `Reading` knows the words of an exchange (a turn, or a question and its answer together) and what has been shown up to
there, not how the words were chosen. It finds the expressions that can refer to a record of an entity - names, "the
cheapest one", "the second one", "that order", "it", the only thing there is - and says what each stands for from the
point of view of a call. What two records answer to refers to neither.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from envfactory.environment import Parameter, Shape, ToolSpec
from envfactory.environment.paths import values_at
from envfactory.environment.templates import parse_template
from envfactory.gold import value_at
from envfactory.querygen.program import Program
from envfactory.querygen.wording import ORDINALS, plural


def find_all(words: str, text: str) -> Iterator[int]:
    """Places where words stand in a text as words: not inside of longer ones."""
    start = text.find(words)
    while start >= 0 and words:
        end = start + len(words)
        inside = start > 0 and text[start - 1].isalnum() and words[0].isalnum()
        if not inside and not (end < len(text) and text[end].isalnum() and words[-1].isalnum()):
            yield start
        start = text.find(words, start + 1)


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user says before the assistant acts: one turn, or a turn that is asked back about and its answer.

    Attributes:
        texts: the requests.
        calls: indexes of the gold calls that follow.
        before: the calls of the exchange before.
        shown: calls before whose results the assistant has told.
        asked: those of `calls` that are asked for outright, so that their results will be told.
    """

    texts: tuple[str, ...]
    calls: range
    before: range
    shown: frozenset[int]
    asked: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Found:
    """A name in the text, and the records that it fits."""

    start: int
    end: int
    ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class _List:
    """Items of an entity in a result, in the order shown."""

    call: int
    tool: ToolSpec
    shape: Shape
    items: list[Any]
    whole: bool

    def leaves(self) -> Iterator[Parameter]:
        return (leaf for leaf in self.tool.outputs if leaf.holder == self.shape.path and any(leaf.ranked))


class Reading:
    """See the module docstring."""

    def __init__(self, program: Program, exchange: Exchange) -> None:
        """Read an exchange of a program."""
        self.program, self.exchange = program, exchange
        self.text = "\n".join(exchange.texts).casefold()
        self._names: dict[str, tuple[_Found, ...]] = {}
        self._lists: dict[str, list[_List]] = {}
        self._made: dict[str, int] = {}

    def refers(self, entity: str, key: str, call: int) -> bool:
        """Whether some expression, seen from a call, stands for this record and for no other."""
        if any(self._there(found.ids, call) == {key} for found in self.names(entity)):
            return True
        lists = [found for found in self._listing(entity) if found.call < call]
        here = [found for found in lists if found.call in self.exchange.calls]
        last = [found for found in lists if found.call in self.exchange.before and found.call in self.exchange.shown]
        return (
            self._marked(here, last, key)
            or self._counted(here, last, key)
            or self._sole(entity, here, key)
            or self._taken_up(entity, key, call)
        )

    def names(self, entity: str) -> tuple[_Found, ...]:
        """The names of records of an entity in the text, the longest at each place."""
        if entity not in self._names:
            names, calls = self.program.names, self.exchange.calls
            found = dict(names.index(entity, calls.start))
            if names.meant(entity, calls.start) is not names.meant(entity, calls.stop):
                # What is made or changed on the way has two names.
                for call in calls:
                    for words, ids in names.index(entity, call + 1).items():
                        found[words] = found.get(words, frozenset()) | ids
            self._names[entity] = tuple(self._named(found))
        return self._names[entity]

    def _there(self, ids: frozenset[str], call: int) -> set[str]:
        """Those of some records that have been made by a call."""
        return {key for key in ids if self._made_at(key) < call}

    def was_there(self, ids: Collection[str]) -> bool:
        """Whether some records were all there before this exchange: what it makes is called as the making says."""
        return all(self._made_at(key) < 0 for key in ids)

    def _made_at(self, key: str) -> int:
        """The call of this exchange that made a record; -1 if it was there before."""
        if key not in self._made:
            program = self.program
            self._made[key] = next(
                (
                    call
                    for call in self.exchange.calls
                    if program.tool(call).writes
                    for entity, ids in program.names.ids_in(call).items()
                    if key in ids
                    and program.base_record(entity, key) is None
                    and not any(key in program.names.ids_in(index).get(entity, ()) for index in range(call))
                ),
                -1,
            )
        return self._made[key]

    def _named(self, by_words: Mapping[str, frozenset[str]]) -> Iterator[_Found]:
        places: dict[int, tuple[int, frozenset[str]]] = {}
        for words, ids in by_words.items():
            if words in self.text:
                for start in find_all(words, self.text):
                    end = start + len(words)
                    if start not in places or places[start][0] < end:
                        places[start] = (end, ids)
        covered = -1
        for start, (end, ids) in sorted(places.items()):
            if end > covered:  # not inside of a longer name
                covered = end
                yield _Found(start, end, ids)

    # -- expressions by what was shown ----------------------------------------------------------------------------

    def _listing(self, entity: str) -> list[_List]:
        if entity not in self._lists:
            self._lists[entity] = list(self._all_lists(entity))
        return self._lists[entity]

    def _all_lists(self, entity: str) -> Iterator[_List]:
        for call in (*self.exchange.before, *self.exchange.calls):
            tool, output = self.program.tool(call), self.program.outputs[call]
            for shape in tool.output_shapes:
                if shape.record and shape.path.endswith("[]") and shape.path.count("[]") == 1 and "." not in shape.path:
                    own = tool.output_by_path.get(f"{shape.path}.id")
                    if own is not None and own.ref == entity:
                        items: list[Any] = value_at(output, shape.path.removesuffix("[]"))
                        yield _List(call, tool, shape, items, output.get("total", len(items)) == len(items))

    def _marked(self, here: list[_List], last: list[_List], key: str) -> bool:
        """Whether "the cheapest ..." is said, and is this one in every list that can be meant."""
        for lists in (here, last):
            marked = self._extremes_said(lists)
            if any(meant == {key} for meant in marked.values()):
                return True
            if marked:
                return False
        return False

    def _extremes_said(self, lists: list[_List], *, near: bool = True) -> dict[str, set[str]]:
        """The words such as "cheapest" that are said of some lists, with the items that they may mean."""
        found: dict[str, set[str]] = {}
        for shown in lists:
            for leaf in shown.leaves() if shown.whole else ():
                if not any(f"the {word}" in self.text for word in leaf.ranked if word):
                    continue
                for word, item in _extremes(leaf, shown.items):
                    if self._said_of(word, shown, near=near):
                        found.setdefault(word, set()).add(item["id"])
        return found

    def _counted(self, here: list[_List], last: list[_List], key: str) -> bool:
        """Whether "the second ..." is said, and is this one in the only list that can be meant."""
        for lists in (here, last):
            for meant in self._ordinals_said(lists).values():
                if key in meant:
                    return len(meant) == 1
        return False

    def _ordinals_said(self, lists: list[_List], *, near: bool = True) -> dict[str, set[str]]:
        """The words such as "second" that are said of some lists, with the items that they may mean."""
        return {
            word: {found.items[place]["id"] for found in lists if place < len(found.items)}
            for place, word in enumerate(ORDINALS)
            if f"the {word}" in self.text and any(self._said_of(word, found, near=near) for found in lists)
        }

    def pointed_at(self, entity: str) -> Iterator[tuple[str, set[str]]]:
        """What the text points at by a mark or a place in what was shown ("the cheapest one"), and what it may mean."""
        for calls in (self.exchange.before, self.exchange.calls):
            lists = [found for found in self._listing(entity) if found.call in calls]
            yield from {**self._extremes_said(lists, near=False), **self._ordinals_said(lists, near=False)}.items()

    def _said_of(self, mark: str, found: _List, *, near: bool) -> bool:
        """Whether "the <mark> one" or "the <mark> <noun>" stands in the text; or with something between, if `near`."""
        told = found.call in self.exchange.asked or found.call in self.exchange.shown
        nouns = ("one" if told else "", found.shape.noun, *_literals(found.tool.noun))
        return any(
            self.text.startswith(tuple(f" {noun}" for noun in nouns if noun), start + 4 + len(mark))
            or (near and bool(found.tool.noun) and self._noun_near(found, start + 4 + len(mark)))
            for start in find_all(f"the {mark}", self.text)
        )

    def _noun_near(self, found: _List, start: int) -> bool:
        """Whether a noun phrase of the search begins here, with a value before its noun ("packed order of mine")."""
        near = self.text[start : start + 60]
        return any(f" {noun}" in near for noun in (found.shape.noun, *_literals(found.tool.noun)) if noun)

    def _sole(self, entity: str, here: list[_List], key: str) -> bool:
        """Whether a search of this exchange finds only this one, and the text speaks of such a thing."""
        for found in here:
            if found.whole and [item["id"] for item in found.items] == [key]:
                nouns = (found.shape.noun, self.program.noun(entity), *_literals(found.tool.noun))
                if any(noun in self.text for noun in nouns if noun):
                    return True
        return False

    # -- expressions by what was spoken of ------------------------------------------------------------------------

    def _taken_up(self, entity: str, key: str, call: int) -> bool:
        """Whether "that order" or "it" is said, and this is the record that was last spoken of."""
        noun = self.program.noun(entity)
        that = any(True for _ in find_all(f"that {noun}", self.text))
        if not that and not _IT.search(self.text):
            return False
        spoken = {identifier for found in self.names(entity) for identifier in found.ids}
        spoken |= self._worked_on(entity, range(self.exchange.calls.start, call))
        if spoken:
            return key in spoken
        return that and self._focus(entity) == key

    def _worked_on(self, entity: str, calls: range) -> set[str]:
        """The records that calls of this exchange are about, or have made."""
        return {key for index in calls for key in self._about(entity, index)}

    def _about(self, entity: str, index: int) -> set[str]:
        tool = self.program.tool(index)
        arguments, output = self.program.calls[index].arguments, self.program.outputs[index]
        found = {
            value
            for leaf in tool.inputs
            if leaf.ref == entity
            for value in values_at(arguments, leaf.path)
            if isinstance(value, str)
        }
        for leaf in tool.outputs:
            if leaf.ref == entity and "[]" not in leaf.path:
                found.update(value for value in values_at(output, leaf.path) if isinstance(value, str))
        return found

    def _focus(self, entity: str) -> str | None:
        """The one record of an entity that the exchange before ended with; none if several came up after it."""
        for index in reversed(self.exchange.before):
            about = self._about(entity, index)
            listed = {item["id"] for found in self._listing(entity) if found.call == index for item in found.items}
            if len(about | listed) > 1:
                return None
            if about or listed:
                return next(iter(about | listed))
        return None

    # -- descriptions ---------------------------------------------------------------------------------------------

    def fits_several(self, entity: str, key: str) -> bool:
        """Whether the text has words for this record that fit another one as well: a name, or a description."""
        if any(key in found.ids and len(found.ids) > 1 for found in self.names(entity)):
            return True
        rows = self.program.names.rows(entity, self.exchange.calls.start)
        return any(
            key in fitting and len(fitting) > 1
            for words in self._descriptions(entity)
            if (fitting := {other for other, row in rows.items() if _fits(words, row)})
        )

    def _descriptions(self, entity: str) -> Iterator[frozenset[str]]:
        """What the text says of each thing that it calls by the noun of an entity: "my checking account"."""
        nouns = {self.program.noun(entity)} | {
            literal.split()[0]
            for spec in self.program.specs.values()
            for tool in spec.tools
            if any(shape.record and shape.entity == entity for shape in tool.output_shapes)
            for literal in _literals(tool.noun)
        }
        for noun in sorted(nouns):
            called = f"(?:{re.escape(noun)}|{re.escape(plural(noun))})"
            pattern = rf"\b(?:my|the|a|an) ((?:[\w-]+ ){{0,3}}){called}\b(?: in ([\w-]+))?"
            for match in re.finditer(pattern, self.text):
                yield frozenset((*match[1].split(), *([match[2]] if match[2] else ())))


def _fits(words: frozenset[str], row: Any) -> bool:
    """Whether all that is said stands in a record."""
    values = " ".join(_texts(row)).casefold().replace("_", " ")
    return all(word in values for word in words)


def _texts(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        for value in cast("dict[str, Any]", document).values():
            yield from _texts(value)
    elif isinstance(document, list):
        for value in cast("list[Any]", document):
            yield from _texts(value)
    elif document is not None:
        yield str(document)


_IT = re.compile(r"\bit\b")


def _extremes(leaf: Parameter, items: list[Any]) -> Iterator[tuple[str, Any]]:
    """The items that stand out in a field, with what they are called for it."""
    values = [item.get(leaf.name) for item in items]
    if not values or None in values:
        return
    for word, value in zip(leaf.ranked, (min(values), max(values)), strict=True):
        if word and values.count(value) == 1:
            yield word, items[values.index(value)]


def _literals(template: str) -> tuple[str, ...]:
    """The words of a noun phrase that are always said."""
    parts = (part for part in parse_template(template) if isinstance(part, str))
    return tuple(words for part in parts if (words := part.strip().casefold()))
