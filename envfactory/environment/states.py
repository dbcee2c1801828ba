"""States as JSON, and the difference between two of them.

A state document is `{"now": ..., "counters": {...}, <field>: ..., <table>: {<id>: record}}`. Rows keep their order,
since what a tool lists depends on it; the digest is over exactly these bytes. A `StateDiff` is lossless: applied to the
base document it gives the other one back, byte for byte.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Mapping
from itertools import chain, compress, islice
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from envfactory.environment.environment import Environment

Json = Any
Row = dict[str, Json]
State = dict[str, Json]
E = TypeVar("E", bound=Environment)


class TableDiff(BaseModel):
    """What happened to a table.

    Attributes:
        created: whole new records, in order.
        changed: the changed fields of old ones (None: gone); from the first field on that was not there before, every
            further one, so that their order is kept.
        deleted: ids of old ones that are gone. One that is also among the created was taken out and put back, and so
            stands elsewhere.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    created: dict[str, Row] = {}
    changed: dict[str, Row] = {}
    deleted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.created or self.changed or self.deleted)


class StateDiff(BaseModel):
    """What happened to a state.

    Attributes:
        tables: what happened to each.
        fields: changed fields beside the tables, clock and counters among them (None: gone).
        order: the members of the document, if there is one that was not there before; else empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tables: dict[str, TableDiff] = {}
    fields: Row = {}
    order: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tables or self.fields)


def dump_state(state: Environment) -> bytes:
    """Return the state document as JSON bytes; nulls are left out."""
    return state.__pydantic_serializer__.to_json(state, exclude_none=True)


def load_state(environment: type[E], document: bytes) -> E:
    """Rebuild a state from `dump_state`; `dump_state` of the result gives the same bytes.

    Raises:
        pydantic.ValidationError: the document is not a state of this environment.
    """
    return environment.model_validate_json(document).seal()


def digest(document: bytes) -> str:
    """SHA-256 of a state document, in hexadecimal."""
    return hashlib.sha256(document).hexdigest()


def record_json(record: BaseModel) -> Row:
    """A record as JSON, as it stands in a state document."""
    return record.__pydantic_serializer__.to_python(record, mode="json", exclude_none=True)


def diff_states(base: Environment, state: Environment) -> StateDiff:
    """Compare two states of one environment; unchanged records are known by identity, so this costs what changed."""
    tables: dict[str, TableDiff] = {}
    before, after = base.__dict__, state.__dict__
    for name in type(state).tables:
        old, new = before[name], after[name]
        if old is new:
            continue
        created: dict[str, Row] = {}
        changed: dict[str, Row] = {}
        get = old.get
        # As nearly always, what was there is there, and new rows follow: then only other objects are looked at.
        in_place = len(old) <= len(new) and all(map(operator.eq, old, new))
        moved: set[str] = set() if in_place else _moved(old, new)
        differing = compress(old, map(operator.is_not, old.values(), new.values()))
        for key in chain(differing, islice(new, len(old), None)) if in_place else new:
            was, record = get(key), new[key]
            if was is record and key not in moved:
                continue
            if was is None or key in moved:
                created[key] = record_json(record)
            elif fields := _changed(record_json(was), record_json(record)):
                changed[key] = fields
        deleted: tuple[str, ...] = ()
        if moved or len(new) != len(old) + len(created):
            deleted = tuple(key for key in old if key not in new or key in moved)
        if created or changed or deleted:
            tables[name] = TableDiff(created=created, changed=changed, deleted=deleted)
    fields: Row = {}
    order: tuple[str, ...] = ()
    others = {
        name
        for name, value in after.items()
        if value is not before[name] and name not in type(state).tables and value != before[name]
    }
    if others:
        # By the serializer, so that a date or a tuple stands here as it stands in the document.
        document = state.__pydantic_serializer__.to_python(state, mode="json", include=others, exclude_none=True)
        fields = {name: document.get(name) for name in after if name in others}
        if any(before[name] is None for name in others):
            order = tuple(name for name in type(state).model_fields if after[name] is not None)
    return StateDiff(tables=tables, fields=fields, order=order)


def diff_documents(base: State, document: State, tables: Mapping[str, Any]) -> StateDiff:
    """Compare two parsed state documents; the same result as `diff_states`."""
    found: dict[str, TableDiff] = {}
    for name in tables:
        old, new = base[name], document[name]
        moved = _moved(old, new)
        created = {key: row for key, row in new.items() if key not in old or key in moved}
        changed = {key: _changed(old[key], row) for key, row in new.items() if key not in created and old[key] != row}
        deleted = tuple(key for key in old if key not in new or key in moved)
        if entry := TableDiff(created=created, changed=changed, deleted=deleted):
            found[name] = entry
    names = list(document) + [name for name in base if name not in document]
    fields = {name: document.get(name) for name in names if name not in tables and base.get(name) != document.get(name)}
    order = tuple(document) if any(name not in base for name in document) else ()
    return StateDiff(tables=found, fields=fields, order=order)


def apply_diff(base: State, diff: StateDiff) -> State:
    """Return the document that `diff` leads to from `base`; `base` is not changed."""
    state = dict(base)
    for name, value in diff.fields.items():
        if value is None:
            state.pop(name, None)
        else:
            state[name] = value
    for name, entry in diff.tables.items():
        rows = {key: row for key, row in base[name].items() if key not in entry.deleted}
        for key, fields in entry.changed.items():
            rows[key] = _merged(rows[key], fields)
        state[name] = {**rows, **entry.created}
    return {name: state[name] for name in diff.order} if diff.order else state


def _moved(old: Mapping[str, Any], new: Mapping[str, Any]) -> set[str]:
    """Ids of old rows that do not stand in their old order, before all new ones, any more."""
    if len(old) <= len(new) and all(map(operator.eq, old, new)):
        return set()  # as nearly always: what was there is there, and new rows follow
    rest = iter(old)
    moved: set[str] = set()
    behind = False  # past the first new row, or past an old one that stands elsewhere
    for key in new:
        if key not in old:
            behind = True
        elif behind or not any(other == key for other in rest):
            moved.add(key)
            behind = True
    return moved


def _changed(old: Row, new: Row) -> Row:
    gone = {name: None for name in old if name not in new}
    fresh = False
    found: Row = {}
    for name, value in new.items():
        fresh = fresh or name not in old
        if fresh or old[name] != value:
            found[name] = value
    return {**gone, **found}


def _merged(row: Row, fields: Row) -> Row:
    """The row that changed fields lead to, in the order of its class."""
    merged = {name: value for name, value in {**row, **fields}.items() if value is not None}
    names = list(fields)
    first = next((place for place, name in enumerate(names) if name not in row), len(names))
    for name in names[first:]:
        merged[name] = merged.pop(name)
    return merged
