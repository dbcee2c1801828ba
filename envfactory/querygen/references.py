"""How a person refers to what an earlier call gave, without ids: "the cheapest one", "that reservation", a name.

Within one request nothing has been shown yet, so a result can only be described; in a later turn it has been, so it
can be named. A name is used only where it tells the record apart from all that the person could mean, a mark only
where no other list of such things has come up, and "that hotel" only if the last turn named this hotel and no other has
come up since.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from envfactory.environment import Parameter, Shape
from envfactory.environment.draw import values_at
from envfactory.environment.templates import Slot, parse_template, slots
from envfactory.gold import Out, Pick, value_at
from envfactory.querygen.program import Program
from envfactory.querygen.wording import a, fill, missing_slots, say
from envfactory.sampling.picks import ranked_words


def label_of(program: Program, call: int, shape: Shape, row: Any, now: dt.datetime, *, listing: bool = False) -> str:
    """A record as its label (or listing) says it; nothing if it has none or lacks a value."""
    template = shape.listing if listing else shape.label
    return fill_label(template, row, leaves_of(program, call, shape), now, full=listing)


def leaves_of(program: Program, call: int, shape: Shape) -> Mapping[str, Parameter]:
    """What is declared of the fields of an output's object, by name."""
    prefix = f"{shape.path}." if shape.path else ""
    return {path.removeprefix(prefix): leaf for path, leaf in program.tool(call).output_by_path.items()}


def fill_label(
    template: str, row: Any, leaves: Mapping[str, Parameter], now: dt.datetime, *, full: bool = False
) -> str:
    """Fill a label with the values of a row; nothing if there is no label or the row lacks a value.

    Args:
        template: the label or listing.
        row: the record.
        leaves: what is declared of its fields.
        now: the conversation's clock.
        full: whether to say what stands in brackets, which a label needs only to tell namesakes apart.
    """
    if not template or not isinstance(row, dict):
        return ""

    def value(name: str) -> str:
        found = row.get(name)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return "" if found is None else say(found, leaves.get(name), now)

    if missing_slots(template, value):
        return ""
    always = set(slots(parse_template(template), optional=False))
    return fill(template, lambda name: value(name) if full or name in always else "")


_BEFORE_NOUN = re.compile(
    r"\b(?:about|among|at|by|for|from|in|into|of|off|on|onto|out|over|than|through|to|under|until|up|with)\s*$"
)
"""Prepositions, and what belongs to a verb and comes before its noun, but after its pronoun: "look up the order"."""
_LATEST = "*"
"""Key in `mentioned` of the record that came up last, whatever its noun."""


class References:
    """Words for bound values, from the point of view of call `call` in its turn."""

    def __init__(self, program: Program, call: int, absorbed: dict[int, str], mentioned: dict[str, str]) -> None:
        """Stand at a call.

        Args:
            program: the whole program.
            call: index of the call that is being asked for.
            absorbed: searches of this request that are said as a noun phrase instead of being asked for, by index.
            mentioned: id of the record that each noun stands for in this request so far; updated.
        """
        self.program, self.call, self.absorbed, self.mentioned = program, call, absorbed, mentioned
        self.now = program.gold.reference.now
        self.turn = program.turn_of[call]

    def phrase(self, out: Out, before: str = "") -> str:
        """Words for a bound value; empty if there are none a person could use.

        Args:
            out: the binding.
            before: what the clause says up to here; straight after a verb a record that just came up is "it".
        """
        leaf = self.program.source(out)
        shape, row = self.program.holder(out)
        value = value_at(self.program.outputs[out.call], out.path)
        if leaf.ref and leaf.name == "id" and shape is not None:
            return self._entity(out, shape, row, value, before)
        if leaf.ref:
            return self._named_elsewhere(out, leaf.ref, value)
        return say(value, leaf, self.now)

    def _entity(self, out: Out, shape: Shape, row: Any, value: str, before: str) -> str:
        noun = shape.noun or self.program.noun(self.program.source(out).ref)
        if self.mentioned.get(noun) == value:
            direct = self.mentioned.get(_LATEST) == value and not _BEFORE_NOUN.search(before)
            return "it" if direct else f"that {noun}"
        fresh = noun not in self.mentioned
        self.mentioned[noun] = self.mentioned[_LATEST] = value
        leaves = leaves_of(self.program, out.call, shape)
        label = self._name(self.program.source(out).ref, value, shape.label, self._latest(row, out.call, value), leaves)
        if self.program.turn_of[out.call] == self.turn:
            words = self._described(out, noun, label)
        else:
            words = self._shown(out, noun, label, value, fresh=fresh)
        self._name_along(words, row, leaves)
        return words

    def _name_along(self, words: str, row: Any, leaves: Mapping[str, Parameter]) -> None:
        """Note what else a name speaks of: after "the stay at Park Inn", "that hotel" is Park Inn."""
        for name, leaf in leaves.items():
            other = row.get(name) if leaf.ref and name != "id" else None
            found = self.program.base_record(leaf.ref, other) if isinstance(other, str) else None
            if found is not None and isinstance(other, str):
                table, record = found
                label = fill_label(table.label, record, table.field_by_path, self.now)
                if label and label in words:
                    self.mentioned[table.noun] = other

    def _latest(self, row: Any, call: int, value: str) -> Any:
        """A record as the last call that returned it showed it."""
        for index in range(self.call - 1, call, -1):
            found = self.program.outputs[index]
            if found.get("id") == value:
                return {**row, **found}
        return row

    def _name(self, entity: str, value: str, template: str, row: Any, leaves: Mapping[str, Parameter]) -> str:
        """What a record is called: in short where that tells it apart, else in full, or nothing."""
        for full in (False, True):
            name = fill_label(template, row, leaves, self.now, full=full)
            if name and self._tells_apart(entity, value, name, full=full):
                return name
        return ""

    def _tells_apart(self, entity: str, value: str, name: str, *, full: bool) -> bool:
        table = self.program.tables.get(entity)
        if table is None:
            return True
        seen = {key for index in range(self.call) for key in _strings(self.program.outputs[index])}
        return not any(
            fill_label(table.label, row, table.field_by_path, self.now, full=full) == name
            for key, row in self.program.own_rows(entity).items()
            if key != value and (key in seen or self.program.base_record(entity, key) is not None)
        )

    def _described(self, out: Out, noun: str, label: str) -> str:
        """In the request that also asks for the search, or describes what it looks for."""
        pick = out.pick
        phrase = self.absorbed.get(out.call, "")
        if pick is None:
            return f"that {noun}"
        match pick.by:
            case "only":
                return a(phrase) if phrase else f"the {noun} you find"
            case "first":
                return f"the first {phrase} you find" if phrase else f"the first {self._one(out, noun)}"
            case "name":
                return label
            case _:
                return f"the {self._extreme(out, pick)} {phrase or self._one(out, noun)}"

    def _shown(self, out: Out, noun: str, label: str, value: str, *, fresh: bool) -> str:
        """In a later turn, when the results have been seen; `fresh` if this request has named none of the noun yet."""
        pick = out.pick
        recent = self.program.turn_of[out.call] == self.turn - 1 and not self._listed_elsewhere(out, noun)
        if pick is not None and pick.by in ("low", "high") and recent:
            return f"the {self._extreme(out, pick)} {self._one(out, noun)}"
        if pick is not None and pick.by == "first" and recent:
            return f"the first {self._one(out, noun)}"
        if fresh and (pick is None or pick.by != "name") and self._last_named(noun, value):
            return f"that {noun}"
        return label

    def _one(self, out: Out, noun: str) -> str:
        """Give "one", unless other things are listed or named around it that it might be taken for."""
        named = self.mentioned.keys() - {noun, _LATEST}
        return noun if named or self._listed_elsewhere(out) else "one"

    def _listed_elsewhere(self, out: Out, noun: str = "") -> bool:
        """Whether another call than the binding's listed things (of a noun), from its turn on up to here."""
        first = self.program.gold.turn_slices()[self.program.turn_of[out.call]].start
        return any(
            shape.record and shape.path.endswith("[]") and noun in ("", shape.noun)
            for index in range(first, self.call)
            if index != out.call
            for shape in self.program.tool(index).output_shapes
        )

    def _extreme(self, out: Out, pick: Pick) -> str:
        path = self.program.source(out).path.rpartition(".")[0]
        return ranked_words(self.program.tool(out.call).output_by_path[f"{path}.{pick.field}"], pick)

    def _named_elsewhere(self, out: Out, entity: str, value: str) -> str:
        """An id of another record (`reservation.hotel_id`): the record itself need not have been shown."""
        noun = self.program.noun(entity)
        seen = self.mentioned.get(noun) == value or (noun not in self.mentioned and self._last_named(noun, value))
        self.mentioned[noun] = self.mentioned[_LATEST] = value
        if seen:
            return f"that {noun}"
        found = self.program.base_record(entity, value)
        if found is not None:
            table, record = found
            if not self._looked_up(table.label, record):
                return ""
        else:  # made in this conversation, by somebody who said what it is called
            table, record = self.program.tables.get(entity), self.program.own_rows(entity).get(value)
            if table is None or record is None:
                return ""
        return self._name(entity, value, table.label, record, table.field_by_path)

    def _looked_up(self, label: str, record: Any) -> bool:
        """Whether some result so far says what a record is called, so that whoever hears the name can find its id."""
        words = [record.get(part.name) for part in parse_template(label) if isinstance(part, Slot)]
        return any(
            record["id"] in values and all(word in values for word in words)
            for index in range(self.call)
            for values in _objects(self.program.outputs[index])
        )

    def _last_named(self, noun: str, value: str) -> bool:
        """Whether the last turn named the record, and no other of its noun has come up since."""
        for index in range(self.call - 1, -1, -1):
            seen, named = _records_seen(self.program, index, noun)
            turn = self.program.turn_of[index]
            if not seen or (turn == self.turn and seen == {value}):
                continue
            if seen != {value} or turn != self.turn - 1:
                return False
            if value in named:
                return True
        return False


def _records_seen(program: Program, index: int, noun: str) -> tuple[set[str], set[str]]:
    """Ids of the records of a noun that a call takes or returns, and of those among them that a person hears of.

    Heard of is what the call was asked about, what it was made to look up, and what it made; not the id of another
    record that merely stands in a result.
    """
    tool = program.tool(index)
    seen: set[str] = set()
    named: set[str] = set()
    for leaves, document in ((tool.inputs, program.calls[index].arguments), (tool.outputs, program.outputs[index])):
        for leaf in leaves:
            if leaf.ref and program.noun(leaf.ref) == noun:
                values = set(_values(document, leaf.path))
                seen |= values
                if leaves is tool.inputs or leaf.name == "id":
                    named |= values
                else:
                    named |= {value for value in values if program.base_record(leaf.ref, value) is None}
    return seen, named


def _objects(document: Any) -> Iterator[list[Any]]:
    """The values of every object in a document."""
    if isinstance(document, dict):
        yield _children(document)
    for child in _children(document):
        yield from _objects(child)


def _strings(document: Any) -> Iterator[str]:
    if isinstance(document, str):
        yield document
    for child in _children(document):
        yield from _strings(child)


def _children(document: Any) -> list[Any]:
    if isinstance(document, dict):
        return list(cast("dict[str, Any]", document).values())
    return cast("list[Any]", document) if isinstance(document, list) else []


def _values(document: Any, path: str) -> list[str]:
    return [value for value in values_at(document, path) if isinstance(value, str)]
