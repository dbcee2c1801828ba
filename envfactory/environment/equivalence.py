"""When two final states mean the same.

Two sessions with the same reference are compared by what changed since: base records by id, records created in the
session up to a consistent, one-to-one renaming of their ids. The renaming is found by colour refinement: created
records start alike and are split by their own content, by the colours of the records they name, and by which records
name them in which field, until nothing splits further. Records that are still tied are paired one by one, each choice
refined and, if it leads nowhere, taken back; after `limit` choices it is `undecided`, which counts as not equal.

An id belongs to its environment: a text names what its own environment made, or else what another one made. Ids made in
the session whose record is gone again (told by the counters) are renamed like the others where something still names
them. Tables are sets; counters never count; `Volatile` fields are left out, `FreeText` is compared by presence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Literal, cast

import orjson

from envfactory.environment.spec import Parameter, Spec
from envfactory.environment.states import Row, State, StateDiff

_EMPTY = StateDiff()
_FIRST_NUMBER = 1001
"""Where `Environment.new_id` begins to count."""

Key = tuple[str, str, str]
"""Environment, table, id."""
Name = tuple[str, str]
"""Environment, id: what an id means, since two environments may well make the same one."""
_NO_NAMES: dict[str, Name] = {}
Made = dict[str, frozenset[str]]
"""By environment, the ids that came into being in a session, those of records since deleted included."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one environment.

    Attributes:
        equal: whether its states are equivalent.
        undecided: whether the search gave up; then `equal` is false.
        unchanged: whether the right session left its state as it was at the opening, clock and counters apart, so that
            doing nothing is equivalent.
    """

    equal: bool
    undecided: bool = False
    unchanged: bool = False


@dataclass(slots=True)
class Comparison:
    """The outcome for a whole session.

    Attributes:
        verdicts: by environment.
        renaming: what was made on the left to what it corresponds to on the right, one to one, as far as it does.
        made: what was made on the left, and on the right.
    """

    verdicts: dict[str, Verdict]
    renaming: dict[Name, Name] = field(default_factory=dict)
    made: tuple[Made, Made] = field(default_factory=lambda: ({}, {}))

    @property
    def equal(self) -> bool:
        """Whether every environment's states are equivalent."""
        return all(verdict.equal for verdict in self.verdicts.values())


def names_in(made: Made, environment: str) -> dict[str, Name]:
    """What texts in an environment name among what was made in the session: its own things before another one's."""
    if not made:
        return {}
    found = {text: (other, text) for other in reversed(made) for text in made[other]}
    return {**found, **{text: (environment, text) for text in made.get(environment, ())}}


def compare_states(
    specs: Mapping[str, Spec],
    bases: Mapping[str, State],
    left: Mapping[str, StateDiff],
    right: Mapping[str, StateDiff],
    limit: int = 200,
) -> Comparison:
    """Compare two sessions that opened with the same reference.

    Args:
        specs: the session's environments.
        bases: their parsed state documents at the opening.
        left: what changed in one session, by environment; a missing one did not change.
        right: what changed in the other.
        limit: how many choices among tied records to try before giving up.

    Raises:
        KeyError: a diff of an environment that is not among the specs.
    """
    return Wanted(specs, bases, right).compare(left, limit)


class Wanted:
    """What sessions are to come to, made ready to be compared with many of them."""

    def __init__(self, specs: Mapping[str, Spec], bases: Mapping[str, State], right: Mapping[str, StateDiff]) -> None:
        """Make ready; see `compare_states`, whose right side this is."""
        if unknown := sorted(right.keys() - specs.keys()):
            raise KeyError(f"changes in {', '.join(unknown)}, but the session has {', '.join(specs)}")
        self._specs = specs
        self._bases = bases
        self._right = right
        self._side = _Side(specs, bases, right)
        self._unchanged = {name: not self._side.is_changed(name) for name in specs}

    def compare(self, left: Mapping[str, StateDiff], limit: int = 200) -> Comparison:
        """Compare a session with what is wanted; see `compare_states`."""
        specs = self._specs
        if left == self._right:  # as mostly, and then one side tells all
            side = self._side
            same = {(key[0], key[2]): (key[0], key[2]) for key in side.colours}
            verdicts = {name: Verdict(equal=True, unchanged=unchanged) for name, unchanged in self._unchanged.items()}
            return Comparison(verdicts, same, (side.made, side.made))
        if unknown := sorted(left.keys() - specs.keys()):
            raise KeyError(f"changes in {', '.join(unknown)}, but the session has {', '.join(specs)}")
        # A search only ever gives a side other colours, so all else of it can be shared.
        sides = (_Side(specs, self._bases, left), copy(self._side))
        _refine(sides)
        possible = [name for name in specs if _alike(sides, name)]
        search = _Search(sides, limit)
        equal = search.settle_most(possible)
        verdicts: dict[str, Verdict] = {}
        for name, unchanged in self._unchanged.items():
            # Without a tie in sight the colours alone decide, whether or not the search for the others gave up.
            gave_up = search.exhausted and name in possible and name not in equal
            if gave_up and not sides[0].rests_on_ties(name):
                equal.append(name)
                gave_up = False
            verdicts[name] = Verdict(name in equal, undecided=gave_up, unchanged=unchanged)
        # What decides nothing is paired as well as can be.
        _Search(sides, limit=len(sides[0].colours)).settle([])
        return Comparison(verdicts, _pairs(sides), (sides[0].made, sides[1].made))


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as text with blanks for what it names; `mentions` says what, by path."""

    key: Key
    text: bytes
    mentions: list[tuple[str, Key]]


class _Side:
    """One session: what it made, each with a colour, and what became of the base records and fields that it touched."""

    def __init__(self, specs: Mapping[str, Spec], bases: Mapping[str, State], diffs: Mapping[str, StateDiff]) -> None:
        self.made: Made = {}
        self.created: dict[Key, None] = {}
        found: list[tuple[Key, Row | None, Mapping[str, Action]]] = []
        for name in specs:
            diff = diffs.get(name, _EMPTY)
            if not diff:
                continue
            spec, base = specs[name], bases[name]
            counted = _counted(base.get("counters", {}), diff.fields.get("counters") or {})
            own = dict.fromkeys(counted)
            for table, entry in diff.tables.items():
                actions = _actions(spec.table_by_name[table].fields)
                rows = base[table]
                replaced: dict[str, Row] = {}
                for key, row in entry.created.items():
                    if key in rows:  # put back in another place
                        replaced[key] = row
                    else:
                        self.created[name, table, key] = own[key] = None
                        found.append(((name, table, key), row, actions))
                for key, fields in entry.changed.items():
                    replaced[key] = {f: v for f, v in {**rows[key], **fields}.items() if v is not None}
                for key, row in replaced.items():
                    if _counting(row, "", actions) != _counting(rows[key], "", actions):
                        found.append(((name, table, key), row, actions))
                found.extend(((name, table, key), None, actions) for key in entry.deleted if key not in replaced)
            actions = _actions(spec.fields) if diff.fields else {}
            for key, value in diff.fields.items():
                row, was = {key: value}, {key: base.get(key)}
                if key != "counters" and _counting(row, "", actions) != _counting(was, "", actions):
                    found.append(((name, "", key), row, actions))
            if own:
                self.made[name] = frozenset(own)
        self.keys: dict[Name, Key] = {}
        for key in self.created:
            self.keys.setdefault((key[0], key[2]), key)
        names = {name: names_in(self.made, name) for name in {key[0] for key, _, _ in found}}
        self.rows = [self._row(key, row, actions, names[key[0]]) for key, row, actions in found]
        self.colours: dict[Key, int] = dict.fromkeys((*self.created, *self.keys.values()), 0)

    def _row(self, key: Key, row: Row | None, actions: Mapping[str, Action], names: Mapping[str, Name]) -> _Row:
        mentions: list[tuple[str, Name]] = []
        text = orjson.dumps(_counting(row, "", actions, names, mentions), option=orjson.OPT_SORT_KEYS)
        mentions.sort(key=itemgetter(0))
        # An id whose record is gone becomes a thing without content.
        return _Row(key, text, [(path, self.keys.setdefault(n, (n[0], "", n[1]))) for path, n in mentions])

    def is_changed(self, name: str) -> bool:
        return any(row.key[0] == name and row.key[1:] != ("", "now") for row in self.rows)

    def by_colour(self) -> dict[int, list[Key]]:
        groups: dict[int, list[Key]] = defaultdict(list)
        for key, colour in self.colours.items():
            groups[colour].append(key)
        return groups

    def recolour(self, palette: dict[Any, int]) -> None:
        """Split colours by content and surroundings; equal surroundings get equal colours in all sides of a palette."""
        colours = self.colours
        content: dict[Key, Any] = dict.fromkeys(colours)
        named_by: dict[Key, list[tuple[str, str, str, int]]] = defaultdict(list)
        for row in self.rows:
            if row.key in colours:
                content[row.key] = (row.text, *(colours[other] for _, other in row.mentions))
            for path, other in row.mentions:
                if other[0] == row.key[0]:  # what another environment says of a record is no part of this one's state
                    of_base = "" if row.key in colours else row.key[2]
                    named_by[other].append((row.key[1], path, of_base, colours.get(row.key, -1)))
        self.colours = {}
        for key, own in content.items():
            mark = (key[0], key[1], colours[key], own, tuple(sorted(named_by[key])) if key in named_by else ())
            self.colours[key] = palette.setdefault(mark, len(palette))

    def touched_as(self, name: str) -> dict[Key, Any]:
        """What became of base records and fields, with colours in the place of what was made."""
        return {
            row.key: (row.text, *(self.colours[other] for _, other in row.mentions))
            for row in self.rows
            if row.key[0] == name and row.key not in self.colours
        }

    def holdings(self, names: Iterable[str]) -> set[Key]:
        """What some environments made, or name."""
        wanted = set(names)
        made = {key for key in self.colours if key[0] in wanted}
        return made | {other for row in self.rows if row.key[0] in wanted for _, other in row.mentions}

    def rests_on_ties(self, name: str) -> bool:
        """Whether an environment made or names what is tied with something else."""
        counts = Counter(self.colours.values())
        return any(counts[self.colours[key]] > 1 for key in self.holdings([name]))


_Sides = tuple[_Side, _Side]


def _refine(sides: _Sides) -> None:
    """Refine both sides with one palette until no class splits."""
    count = len({colour for side in sides for colour in side.colours.values()})
    for _ in range(sum(len(side.colours) for side in sides)):
        palette: dict[Any, int] = {}
        for side in sides:
            side.recolour(palette)
        if len(palette) == count:
            break
        count = len(palette)


def _alike(sides: _Sides, name: str) -> bool:
    """Whether an environment looks the same on both sides as far as the colours tell."""
    first, second = (sorted(side.colours[key] for key in side.created if key[0] == name) for side in sides)
    return first == second and sides[0].touched_as(name) == sides[1].touched_as(name)


class _Search:
    """Pairs tied records by trying, refining and taking back."""

    def __init__(self, sides: _Sides, limit: int) -> None:
        self.sides = sides
        self.left = limit
        self.exhausted = False

    def settle_most(self, names: list[str]) -> list[str]:
        """As many of the environments as one pairing makes equal, together or else in order."""
        if not names:
            return []
        if self.settle(names):
            return list(names)
        start = best = self._colours()
        kept: list[str] = []
        for name in names:
            self._set(start)
            if self.settle([*kept, name]):
                kept.append(name)
                best = self._colours()
        self._set(best)
        return kept

    def settle(self, names: list[str]) -> bool:
        """Whether some pairing makes these environments, which look alike, equal; if so, it is left in the colours."""
        tie = self._tie(names)
        if tie is None:
            return True
        mine, others = tie
        before = self._colours()
        fresh = 1 + max(colour for colours in before for colour in colours.values())
        for other in others:
            if self.left == 0:
                self.exhausted = True
                return False
            self.left -= 1
            self._set(({**before[0], mine: fresh}, {**before[1], other: fresh}))
            _refine(self.sides)
            if all(_alike(self.sides, name) for name in names) and self.settle(names):
                return True
            self._set(before)
        return False

    def _tie(self, names: list[str]) -> tuple[Key, list[Key]] | None:
        """One of several alike things that these environments (none: any) made or name, and what it may be."""
        matters = self.sides[0].holdings(names) if names else self.sides[0].colours.keys()
        theirs = self.sides[1].by_colour()
        for colour, keys in self.sides[0].by_colour().items():
            if len(keys) > 1 and len(theirs.get(colour, ())) == len(keys):
                mine = next((key for key in keys if key in matters), None)
                if mine is not None:
                    return mine, theirs[colour]
        return None

    def _colours(self) -> tuple[dict[Key, int], dict[Key, int]]:
        return self.sides[0].colours, self.sides[1].colours

    def _set(self, colours: tuple[dict[Key, int], dict[Key, int]]) -> None:
        self.sides[0].colours, self.sides[1].colours = colours


def _pairs(sides: _Sides) -> dict[Name, Name]:
    """Who corresponds to whom: equal colours, where both sides have as many."""
    theirs = sides[1].by_colour()
    renaming: dict[Name, Name] = {}
    for colour, keys in sides[0].by_colour().items():
        others = theirs.get(colour, [])
        if len(keys) == len(others):
            renaming.update(
                {(mine[0], mine[2]): (other[0], other[2]) for mine, other in zip(keys, others, strict=True)}
            )
    return renaming


def _counted(before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[str]:
    """The ids that counters have given out since."""
    for prefix, last in after.items():
        for number in range(before.get(prefix, _FIRST_NUMBER - 1) + 1, last + 1):
            yield f"{prefix}-{number}"


Action = Literal["drop", "presence"]


def _actions(fields: tuple[Parameter, ...]) -> dict[str, Action]:
    found: dict[str, Action] = {}
    for leaf in fields:
        if leaf.volatile:
            found[leaf.path.removesuffix("[]")] = "drop"
        elif leaf.free_text:
            found[leaf.path.removesuffix("[]")] = "presence"
    return found


def _counting(
    value: Any,
    path: str,
    actions: Mapping[str, Action],
    names: Mapping[str, Name] = _NO_NAMES,
    mentions: list[tuple[str, Name]] | None = None,
) -> Any:
    """What counts of a value: without what is left out, blanks for `names`, which are added to `mentions` by path."""
    if isinstance(value, str):
        if value in names and mentions is not None:
            mentions.append((path, names[value]))
            return "\0"
        return value
    if isinstance(value, dict):
        found: Row = {}
        for name, child in cast("Row", value).items():
            place = f"{path}.{name}" if path else name
            action = actions.get(place)
            if action is None:
                found[name] = _counting(child, place, actions, names, mentions)
            elif action == "presence" and child:  # an empty text says as much as none
                found[name] = True
        return found
    if isinstance(value, list):
        path += "[]"
        return [_counting(item, path, actions, names, mentions) for item in cast("list[Any]", value)]
    if isinstance(value, float) and value.is_integer():
        return int(value)  # 1 and 1.0 are one number, but not one text
    return value
