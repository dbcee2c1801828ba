"""What a turn changed, as a person reads it: records with the fields before and after.

A trajectory keeps the state after each turn as a diff against the session's first state. What one turn did is the
difference of two of those; the values before it come from the diff before, or from the first state where it is at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from envfactory.environment import StateDiff, TableDiff
from envfactory.environment.states import Row, State

Change = dict[str, Any]
"""`{"environment", "table", "id", "kind": created | changed | deleted, "fields": [[name, before, after], ...]}`."""

_BOOKKEEPING = ("counters",)
"""State fields that say nothing to a reader."""


def turn_changes(
    before: Mapping[str, StateDiff], after: Mapping[str, StateDiff], bases: Mapping[str, State]
) -> Iterator[Change]:
    """What changed between two states.

    Args:
        before: the earlier state as a diff against the first, by environment.
        after: the later one.
        bases: first states by environment; where one is missing, values before are left out.
    """
    for name, diff in after.items():
        earlier = before.get(name, StateDiff())
        base = bases.get(name, {})
        for table in dict.fromkeys([*earlier.tables, *diff.tables]):
            rows = base.get(table, {})
            old, new = earlier.tables.get(table, TableDiff()), diff.tables.get(table, TableDiff())
            for change in _table_changes(old, new, rows):
                yield {"environment": name, "table": table, **change}
        fields = [
            [field, earlier.fields.get(field, base.get(field)), value]
            for field, value in diff.fields.items()
            if field not in _BOOKKEEPING and earlier.fields.get(field, base.get(field)) != value
        ]
        if fields:
            yield {"environment": name, "table": "", "id": "", "kind": "changed", "fields": fields}


def _table_changes(old: TableDiff, new: TableDiff, rows: Mapping[str, Row]) -> Iterator[Change]:
    sides = (old, new)
    touched = [key for diff in sides for key in (*diff.created, *diff.changed, *diff.deleted)]
    # A record that some diff changes or deletes was there at first, even where the first state is not at hand.
    first = {*rows, *(key for diff in sides for key in (*diff.changed, *diff.deleted))}
    for key in dict.fromkeys(touched):
        base = rows.get(key, {}) if key in first else None
        was, now = _row(old, key, base), _row(new, key, base)
        if was is None and now is not None:
            yield {"id": key, "kind": "created", "fields": [[field, None, value] for field, value in now.items()]}
        elif was is not None and now is None:
            yield {"id": key, "kind": "deleted", "fields": []}
        elif was is not None and now is not None and was != now:
            names = [field for field in {**was, **now} if was.get(field) != now.get(field)]
            fields = [[field, was.get(field), now.get(field)] for field in names]
            yield {"id": key, "kind": "changed", "fields": fields}


def _row(diff: TableDiff, key: str, base: Row | None) -> Row | None:
    """A record as a diff leaves it; None: it is not there."""
    if key in diff.created:
        return diff.created[key]
    if base is None or key in diff.deleted:
        return None
    return {**base, **diff.changed.get(key, {})}
