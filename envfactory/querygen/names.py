"""What people call records: a label where it tells one apart from all that could be meant, as short as it may be.

A record is *meant* by a person if it is theirs, or anybody's where records of its kind belong to nobody, and if it was
there from the start or has come up. `Names` fills each label once, since every reference asks for all of them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from envfactory.environment import Parameter, Shape, TableSpec
from envfactory.environment.paths import values_at
from envfactory.environment.templates import Segment, Slot, parse_template
from envfactory.querygen.wording import say

if TYPE_CHECKING:
    from envfactory.querygen.program import Program


ALL = 9
"""More parts in brackets than a label has."""


def label_of(program: Program, call: int, shape: Shape, row: Any, now: dt.datetime, *, listing: bool = False) -> str:
    """A record as its label (or listing) says it; nothing if it has none or lacks a value."""
    template = shape.listing if listing else shape.label
    return fill_label(template, row, program.names.leaves(call, shape), now, ALL if listing else 0)


def fill_label(template: str, row: Any, leaves: Mapping[str, Parameter], now: dt.datetime, brackets: int = 0) -> str:
    """Fill a label with the values of a row; nothing if there is no label or the row lacks a value.

    Args:
        template: the label or listing.
        row: the record.
        leaves: what is declared of its fields.
        now: the conversation's clock.
        brackets: how many of the parts in brackets to say, which a label needs only to tell namesakes apart.
    """
    if not template or not isinstance(row, dict):
        return ""
    text = ""
    for part in parse_template(template):
        if isinstance(part, str):
            text += part
        elif isinstance(part, Slot):
            if not (word := _word(row, part.name, leaves, now)):  # pyright: ignore[reportUnknownArgumentType]
                return ""
            text += word
        elif brackets:
            brackets -= 1
            if part.flag and row.get(part.flag) is not part.wanted:  # pyright: ignore[reportUnknownMemberType]
                continue
            words = [
                piece if isinstance(piece, str) else _word(row, piece.name, leaves, now)  # pyright: ignore[reportUnknownArgumentType]
                for piece in part.parts
            ]
            text += "".join(words) if all(words) else ""
    return text.strip()


def _word(row: dict[str, Any], name: str, leaves: Mapping[str, Parameter], now: dt.datetime) -> str:
    found = row.get(name)
    if found is None:
        return ""
    leaf = leaves.get(name)
    if type(found) is str and (leaf is None or not (leaf.format or leaf.enum)):
        return found  # as mostly: a name says itself
    return say(found, leaf, now)


@cache
def label_slots(label: str) -> tuple[str, ...]:
    """The fields that a label always says."""
    return tuple(part.name for part in parse_template(label) if isinstance(part, Slot))


@cache
def _brackets(label: str) -> int:
    """How many parts of a label stand in brackets."""
    return sum(isinstance(part, Segment) for part in parse_template(label))


@dataclass(frozen=True, slots=True)
class Name:
    """A record that a person could mean, and what it is called: in short, then with more and more of the brackets.

    A text is empty where it cannot be said.
    """

    id: str
    forms: tuple[str, ...]

    @property
    def short(self) -> str:
        """The shortest name."""
        return self.forms[0]


class Names:
    """The names in one program; see the module docstring."""

    def __init__(self, program: Program) -> None:
        """Look at a program; nothing is filled before it is asked for."""
        self.program = program
        self.now = program.gold.reference.now
        self._at_first: dict[str, dict[str, Name]] = {}
        self._shown: dict[int, dict[str, dict[str, Name]]] = {}
        self._meant: dict[tuple[str, int], tuple[Name, ...]] = {}
        # By the identity of a tuple in `_meant`, which keeps it alive.
        self._index: dict[int, dict[str, frozenset[str]]] = {}
        self._by_id: dict[int, dict[str, Name]] = {}
        self._bearers: dict[int, dict[str, set[str]]] = {}
        self._leaves: dict[tuple[str, str], dict[str, Parameter]] = {}
        self._objects: dict[int, list[list[Any]]] = {}

    def leaves(self, call: int, shape: Shape) -> Mapping[str, Parameter]:
        """What is declared of the fields of an output's object, by name."""
        key = self.program.gold.calls[call].tool, shape.path
        if key not in self._leaves:
            prefix = f"{shape.path}." if shape.path else ""
            declared = self.program.tool(call).output_by_path
            self._leaves[key] = {path.removeprefix(prefix): leaf for path, leaf in declared.items()}
        return self._leaves[key]

    def meant(self, entity: str, call: int) -> tuple[Name, ...]:
        """The records of an entity that the person could mean at call `call`, as they were last shown."""
        if (entity, call) not in self._meant:
            self._meant[entity, call] = self._after(entity, call - 1) if call else tuple(
                name
                for key, name in self._from_the_start(entity).items()
                if self.program.base_record(entity, key) is not None
            )  # fmt: skip
        return self._meant[entity, call]

    def _after(self, entity: str, call: int) -> tuple[Name, ...]:
        """The records that could be meant once a call has been made; the same object where it changes nothing."""
        before = self.meant(entity, call)
        ids = self.ids_in(call).get(entity)
        if not ids:
            return before
        shown = self.shown_by(call).get(entity, {})
        first = self._from_the_start(entity)
        known = self._known(before)
        changed = {key: name for key, name in shown.items() if key in known and known[key] != name}
        changed.update((key, shown.get(key, first[key])) for key in sorted(ids) if key in first and key not in known)
        return tuple({**known, **changed}.values()) if changed else before

    def _known(self, meant: tuple[Name, ...]) -> dict[str, Name]:
        """What could be meant, by id."""
        if id(meant) not in self._by_id:
            self._by_id[id(meant)] = {name.id: name for name in meant}
        return self._by_id[id(meant)]

    def _called(self, meant: tuple[Name, ...]) -> dict[str, set[str]]:
        """The names of what could be meant, each with the ids of those that are called so."""
        if id(meant) not in self._bearers:
            found: dict[str, set[str]] = {}
            for name in meant:
                for words in name.forms:
                    if words:
                        found.setdefault(words, set()).add(name.id)
            self._bearers[id(meant)] = found
        return self._bearers[id(meant)]

    def index(self, entity: str, call: int) -> Mapping[str, frozenset[str]]:
        """The names of all that could be meant, in lower case, each with the ids of those that are called so."""
        meant = self.meant(entity, call)
        if id(meant) not in self._index:
            found: dict[str, set[str]] = {}
            for words, ids in self._called(meant).items():
                found.setdefault(words.casefold(), set()).update(ids)
            self._index[id(meant)] = {words: frozenset(ids) for words, ids in found.items()}
        return self._index[id(meant)]

    def rows(self, entity: str, call: int) -> Mapping[str, Any]:
        """The records themselves, as they were last shown when call `call` is asked for, by id."""
        first = self.program.own_rows(entity)
        found = {key: first[key] for key in self._known(self.meant(entity, call))}
        for index in range(call):
            shown = _records_of(self.program, index).get(entity, {})
            found.update((key, row) for key, row in shown.items() if key in found)
        return found

    def shown_by(self, call: int) -> Mapping[str, Mapping[str, Name]]:
        """The records in the result of a call, as it shows them, by entity and id."""
        if call not in self._shown:
            self._shown[call] = {
                entity: {key: self._named(self.program.tables[entity], row) for key, row in rows.items()}
                for entity, rows in _records_of(self.program, call).items()
            }
        return self._shown[call]

    def _from_the_start(self, entity: str) -> dict[str, Name]:
        if entity not in self._at_first:
            table = self.program.tables.get(entity)
            rows: Mapping[str, Any] = self.program.own_rows(entity) if table else {}
            self._at_first[entity] = {key: self._named(table, row) for key, row in rows.items()} if table else {}
        return self._at_first[entity]

    def _named(self, table: TableSpec, row: Any) -> Name:
        key = id(row), id(table)
        if key not in self.program.named:
            self.program.named[key] = row, self._name(table, row)
        return self.program.named[key][1]

    def _name(self, table: TableSpec, row: Any) -> Name:
        leaves = table.field_by_path
        forms = (fill_label(table.label, row, leaves, self.now, more) for more in range(_brackets(table.label) + 1))
        return Name(row["id"], tuple(dict.fromkeys(forms)))

    def ids_in(self, call: int) -> Mapping[str, frozenset[str]]:
        """Ids in the result of a call, by entity."""
        output, tool = self.program.outputs[call], self.program.tool(call)
        key = id(output), tool.wire_name
        if key not in self.program.ids:
            found: dict[str, set[str]] = {}
            for leaf in tool.outputs:
                if leaf.ref:
                    values = values_at(output, leaf.path)
                    found.setdefault(leaf.ref, set()).update(value for value in values if isinstance(value, str))
            self.program.ids[key] = output, {entity: frozenset(ids) for entity, ids in found.items()}
        return self.program.ids[key][1]

    def short(self, entity: str, key: str, call: int) -> str:
        """The short name of a record, whoever else is called so; nothing if it has none."""
        name = self._known(self.meant(entity, call)).get(key)
        return name.short if name else ""

    def of(self, entity: str, key: str, call: int) -> str:
        """What tells a record apart from all that could be meant at a call, in full if it must be; or nothing."""
        table, row = self.program.tables.get(entity), self.rows(entity, call).get(key)
        if table is None or row is None:
            return ""
        return self.pick(entity, key, table.label, row, table.field_by_path, call, full=True)

    def pick(
        self, entity: str, key: str, label: str, row: Any, leaves: Mapping[str, Parameter], call: int, *, full: bool
    ) -> str:
        """What a record is called: in short where that tells it apart, else with as much as it takes, or nothing.

        Args:
            entity: what it is.
            key: its id.
            label: the template of its name.
            row: the record, as it is known.
            leaves: what is declared of its fields.
            call: the call that is asked for.
            full: whether more than its short name may be said.
        """
        bearers = self._called(self.meant(entity, call))
        for more in range(_brackets(label) + 1 if full else 1):
            name = fill_label(label, row, leaves, self.now, more)
            if name and bearers.get(name, {key}) == {key}:
                return name
        return ""

    def looked_up(self, label: str, record: Mapping[str, Any], call: int) -> bool:
        """Whether some result so far says what a record is called, so that whoever hears the name can find its id."""
        words = [record.get(name) for name in label_slots(label)]
        return any(
            record["id"] in values and all(word in values for word in words)
            for index in range(call)
            for values in self._objects_of(index)
        )

    def _objects_of(self, call: int) -> list[list[Any]]:
        if call not in self._objects:
            self._objects[call] = list(_objects(self.program.outputs[call]))
        return self._objects[call]


def _records_of(program: Program, call: int) -> dict[str, dict[str, Any]]:
    """The records in the result of a call, by entity and id."""
    found: dict[str, dict[str, Any]] = {}
    output = program.outputs[call]
    for shape in program.tool(call).output_shapes:
        if shape.record and shape.entity in program.tables:
            rows = values_at(output, shape.path) if shape.path else [output]
            found.setdefault(shape.entity, {}).update((row["id"], row) for row in rows if "id" in row)
    return found


def _objects(document: Any) -> Iterator[list[Any]]:
    """The values of every object in a document."""
    if isinstance(document, dict):
        yield _children(document)
    for child in _children(document):
        if isinstance(child, (dict, list)):
            yield from _objects(child)


def _children(document: Any) -> list[Any]:
    if isinstance(document, dict):
        return list(cast("dict[str, Any]", document).values())
    return cast("list[Any]", document) if isinstance(document, list) else []
