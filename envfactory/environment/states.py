"""States as JSON, and the difference between two of them.

A state document is `{"now": ..., "counters": {...}, <field>: ..., <table>: {<id>: record}}`. Rows keep their order, since
what a tool lists depends on it; the digest is over exactly these bytes. A `StateDiff` is lossless: applied to the base
document it gives the other one back, byte for byte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict

from envfactory.environment.environment import Environment

Json = Any
Row = dict[str, Json]
State = dict[str, Json]
E = TypeVar("E", bound=Environment)


class TableDiff(BaseModel):
    """What happened to a table: whole new records, the changed fields of old ones (None: gone), ids of deleted ones."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    created: dict[str, Row] = {}
    changed: dict[str, Row] = {}
    deleted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.created or self.changed or self.deleted)


class StateDiff(BaseModel):
    """What happened to a state: its tables, and its fields beside the tables (clock and counters among them)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tables: dict[str, TableDiff] = {}
    fields: Row = {}

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
    return orjson.loads(record.__pydantic_serializer__.to_json(record, exclude_none=True))


def diff_states(base: Environment, state: Environment) -> StateDiff:
    """Compare two states of one environment; unchanged records are recognised by identity, so this costs what changed."""
    tables: dict[str, TableDiff] = {}
    before, after = base.__dict__, state.__dict__
    for name in type(state).tables:
        old, new = before[name], after[name]
        if old is new:
            continue
        created: dict[str, Row] = {}
        changed: dict[str, Row] = {}
        get = old.get
        for key, record in new.items():
            was = get(key)
            if was is record:
                continue
            if was is None:
                created[key] = record_json(record)
            elif fields := _changed(record_json(was), record_json(record)):
                changed[key] = fields
        deleted = tuple(key for key in old if key not in new) if len(old) + len(created) != len(new) else ()
        if created or changed or deleted:
            tables[name] = TableDiff.model_construct(created=created, changed=changed, deleted=deleted)
    fields: Row = {}
    others = {name for name, value in after.items() if name not in type(state).tables and before[name] != value}
    if others:
        # By the serializer, so that a date or a tuple stands here as it stands in the document.
        document = orjson.loads(state.__pydantic_serializer__.to_json(state, include=others, exclude_none=True))
        fields = {name: document.get(name) for name in after if name in others}
    return StateDiff.model_construct(tables=tables, fields=fields)


def diff_documents(base: State, document: State, tables: Mapping[str, Any]) -> StateDiff:
    """Compare two parsed state documents; the same result as `diff_states`."""
    found: dict[str, TableDiff] = {}
    for name in tables:
        old, new = base[name], document[name]
        created = {key: row for key, row in new.items() if key not in old}
        changed = {key: _changed(old[key], row) for key, row in new.items() if key in old and old[key] != row}
        entry = TableDiff(created=created, changed=changed, deleted=tuple(key for key in old if key not in new))
        if entry:
            found[name] = entry
    names = list(document) + [name for name in base if name not in document]
    fields = {name: document.get(name) for name in names if name not in tables and base.get(name) != document.get(name)}
    return StateDiff(tables=found, fields=fields)


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
            rows[key] = {field: value for field, value in {**rows[key], **fields}.items() if value is not None}
        state[name] = {**rows, **entry.created}
    return state


def _changed(old: Row, new: Row) -> Row:
    return {name: new.get(name) for name in {**old, **new} if old.get(name) != new.get(name)}
