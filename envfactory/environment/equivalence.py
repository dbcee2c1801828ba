"""When two final states mean the same.

Two sessions with the same reference are compared by what changed since: base records by id, records created in the
session up to a consistent renaming of their ids. The renaming is found by colour refinement: a created record starts with
a colour for its own content (created ids blanked out) and is refined by the colours of the records it names and of those
that name it, until nothing splits further; equal colours are paired and the pairing is then verified in full. When
records remain indistinguishable and the verification fails, the verdict is `undecided`, which counts as not equal.

Tables are sets; counters never count; fields declared `Volatile` are left out and `FreeText` is compared by presence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import orjson

from envfactory.environment.spec import Parameter, Spec
from envfactory.environment.states import Row, State, StateDiff

_EMPTY = StateDiff()
Key = tuple[str, str, str]
"""Environment, table, id."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the states of one environment are equivalent; `undecided` says that the search gave up."""

    equal: bool
    undecided: bool = False


@dataclass(slots=True)
class Comparison:
    """The outcome for a whole session.

    Attributes:
        verdicts: by environment.
        renaming: ids created on the left to what they correspond to on the right, as far as they do.
    """

    verdicts: dict[str, Verdict]
    renaming: dict[str, str] = field(default_factory=dict)

    @property
    def equal(self) -> bool:
        """Whether every environment's states are equivalent."""
        return all(verdict.equal for verdict in self.verdicts.values())


def compare_states(
    specs: Mapping[str, Spec],
    bases: Mapping[str, State],
    left: Mapping[str, StateDiff],
    right: Mapping[str, StateDiff],
) -> Comparison:
    """Compare two sessions that opened with the same reference.

    Args:
        specs: the session's environments.
        bases: their parsed state documents at the opening.
        left: what changed in one session, by environment; a missing one did not change.
        right: what changed in the other.
    """
    if left == right:
        created = [key[2] for key, _ in _created(left)]
        return Comparison({name: Verdict(equal=True) for name in specs}, {key: key for key in created})
    sides = (_Side(specs, bases, left), _Side(specs, bases, right))
    _refine(sides)
    renaming = _pair(sides)
    tied = {colour for colour, keys in sides[0].by_colour().items() if len(keys) > 1}
    verdicts: dict[str, Verdict] = {}
    for name in specs:
        colours = [sorted(colour for key, colour in side.colours.items() if key[0] == name) for side in sides]
        if colours[0] != colours[1]:
            verdicts[name] = Verdict(equal=False)
            continue
        equal = sides[0].content(name, renaming) == sides[1].content(name, {})
        undecided = not equal and any(colour in tied for colour in colours[0])
        verdicts[name] = Verdict(equal=equal, undecided=undecided)
    return Comparison(verdicts, renaming)


def _created(diffs: Mapping[str, StateDiff]) -> Iterator[tuple[Key, Row]]:
    for name, diff in diffs.items():
        for table, entry in diff.tables.items():
            for key, row in entry.created.items():
                yield (name, table, key), row


class _Side:
    """One session: what it created, and what became of the base records that it touched."""

    def __init__(self, specs: Mapping[str, Spec], bases: Mapping[str, State], diffs: Mapping[str, StateDiff]) -> None:
        self.specs, self.bases, self.diffs = specs, bases, diffs
        self.created = {key: _normal(specs[key[0]], key[1], row) for key, row in _created(diffs)}
        self.ids = {key[2]: key for key in self.created}
        self.touched: dict[Key, Row | None] = {}
        for name, diff in diffs.items():
            for table, entry in diff.tables.items():
                base = bases[name][table]
                for key, fields in entry.changed.items():
                    row = {f: v for f, v in {**base[key], **fields}.items() if v is not None}
                    now, was = _normal(specs[name], table, row), _normal(specs[name], table, base[key])
                    if now != was:
                        self.touched[name, table, key] = now
                for key in entry.deleted:
                    self.touched[name, table, key] = None
        self.colours: dict[Key, int] = dict.fromkeys(self.created, 0)

    def by_colour(self) -> dict[int, list[Key]]:
        groups: dict[int, list[Key]] = defaultdict(list)
        for key, colour in self.colours.items():
            groups[colour].append(key)
        return groups

    def recolour(self, palette: dict[bytes, int]) -> None:
        naming = {identifier: f"\0{self.colours[key]}" for identifier, key in self.ids.items()}
        named_by: dict[Key, list[bytes]] = defaultdict(list)
        content: dict[Key, bytes] = {}
        for key, row in (*self.created.items(), *self.touched.items()):
            text = _text(_renamed(row, naming))
            if key in self.created:
                content[key] = text
            for identifier in _strings(row):
                other = self.ids.get(identifier)
                if other is not None and other != key:
                    origin = str(self.colours[key]) if key in self.created else key[2]
                    named_by[other].append(_text([*key[:2], origin]))
        new: dict[Key, int] = {}
        for key, text in content.items():
            mark = b"\1".join((key[0].encode(), key[1].encode(), text, *sorted(named_by[key])))
            new[key] = palette.setdefault(mark, len(palette))
        self.colours = new

    def content(self, name: str, renaming: Mapping[str, str]) -> tuple[dict[Key, Any], Row]:
        rows = {
            (key[0], key[1], renaming.get(key[2], key[2])): _renamed(row, renaming)
            for key, row in (*self.created.items(), *self.touched.items())
            if key[0] == name
        }
        fields = {field: value for field, value in self.diffs.get(name, _EMPTY).fields.items() if field != "counters"}
        return rows, _renamed(_normal_fields(self.specs[name], fields), renaming)


def _refine(sides: tuple[_Side, _Side]) -> None:
    """Refine both sides with one palette until no class splits."""
    count = 0
    for _ in range(1 + max(len(side.created) for side in sides)):
        palette: dict[bytes, int] = {}
        for side in sides:
            side.recolour(palette)
        found = len(palette)
        if found == count:
            break
        count = found


def _pair(sides: tuple[_Side, _Side]) -> dict[str, str]:
    others = sides[1].by_colour()
    renaming: dict[str, str] = {}
    for colour, keys in sides[0].by_colour().items():
        for mine, other in zip(keys, others.get(colour, ()), strict=False):
            renaming[mine[2]] = other[2]
    return renaming


def _text(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():  # pyright: ignore[reportUnknownVariableType]
            yield from _strings(child)
    elif isinstance(value, list):
        for child in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _strings(child)


def _renamed(value: Any, naming: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return naming.get(value, value)
    if isinstance(value, dict):
        return {key: _renamed(child, naming) for key, child in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [_renamed(child, naming) for child in value]  # pyright: ignore[reportUnknownVariableType]
    return value


Action = Literal["drop", "presence"]


@lru_cache(maxsize=4096)
def _actions(fields: tuple[Parameter, ...]) -> dict[str, Action]:
    found: dict[str, Action] = {}
    for leaf in fields:
        if leaf.volatile:
            found[leaf.path.removesuffix("[]")] = "drop"
        elif leaf.free_text:
            found[leaf.path.removesuffix("[]")] = "presence"
    return found


def _normal(spec: Spec, table: str, row: Row) -> Row:
    actions = _actions(spec.table_by_name[table].fields)
    return _applied(row, "", actions) if actions else row


def _normal_fields(spec: Spec, fields: Row) -> Row:
    actions = _actions(spec.fields)
    return _applied(fields, "", actions) if actions else fields


def _applied(row: Row, prefix: str, actions: Mapping[str, Action]) -> Row:
    found: Row = {}
    for name, value in row.items():
        path = f"{prefix}.{name}" if prefix else name
        match actions.get(path):
            case "drop":
                continue
            case "presence":
                found[name] = bool(value)
            case None:
                if isinstance(value, dict):
                    found[name] = _applied(value, path, actions)  # pyright: ignore[reportUnknownArgumentType]
                elif isinstance(value, list):
                    items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
                    found[name] = [_applied(i, f"{path}[]", actions) if isinstance(i, dict) else i for i in items]  # pyright: ignore[reportUnknownArgumentType]
                else:
                    found[name] = value
    return found
