"""`Draw`: one draw of a tool's arguments, leaf by leaf; see `Drawer` for the order of the sources."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from envfactory.environment.arguments import Node, argument_tree
from envfactory.environment.fitting import Fitting, relations_on
from envfactory.environment.paths import is_within, values_at
from envfactory.environment.relations import (
    After,
    AtMost,
    Differing,
    Differs,
    FieldOf,
    FromNow,
    Graded,
    Relation,
    Some,
    Together,
    Within,
)
from envfactory.environment.secrets import kept_by, kept_values
from envfactory.environment.spec import Parameter, TableSpec, ToolSpec
from envfactory.environment.states import Row, State

if TYPE_CHECKING:
    from envfactory.environment.draw import Drawer

LEAST = 5
"""Amount below which nobody says "at least"."""

_R = TypeVar("_R", bound=Relation)


class Undrawable(ValueError):
    """No value can be drawn for a leaf in this state; `path` names it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


class Draw:
    """One draw: what is chosen so far, by path."""

    def __init__(
        self, drawer: Drawer, tool: ToolSpec, state: State, rng: random.Random,
        given: dict[str, Any], include: Callable[[str], bool] | float, prefer: Mapping[str, Collection[str]],
    ) -> None:  # fmt: skip
        self.drawer, self.tool, self.state, self.rng, self.given = drawer, tool, state, rng, given
        self.include, self.prefer = include, prefer
        self.chosen: dict[str, Any] = {}
        self.fitting = Fitting(drawer, tool, state, self.chosen, given)
        self.used: dict[str, set[Any]] = {}
        self.focus_table, self.focus = self._pick_focus()
        self.wanted = self._wanted()

    def arguments(self) -> dict[str, Any]:
        """Draw them; see `Drawer.draw`."""
        result = self._object(argument_tree(self.tool))
        return {name: result[name] for name in argument_tree(self.tool).children if name in result}

    # -- which optional leaves ------------------------------------------------------------------------------------

    def _wanted(self) -> set[str]:
        optional = [node.path for node in _all_nodes(argument_tree(self.tool)) if not node.required]
        wanted = {path for path in optional if self._is_given(path) or self._chance(path)}
        for relation in self.tool.where:
            if isinstance(relation, Some) and not wanted & set(relation.parameters):
                wanted.add(self.rng.choice(relation.parameters))
        before = -1
        while before < len(wanted):  # one pair may bring in another
            before = len(wanted)
            for relation in self.tool.where:
                if isinstance(relation, Together) and wanted & set(relation.parameters):
                    wanted |= set(relation.parameters)
        return wanted

    def _chance(self, path: str) -> bool:
        return self.include(path) if callable(self.include) else self.rng.random() < self.include

    def _is_given(self, path: str) -> bool:
        return any(key == path or key.startswith((f"{path}.", f"{path}[]")) for key in self.given)

    # -- the tree -------------------------------------------------------------------------------------------------

    def _object(self, node: Node) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in self._ordered(node):
            child = node.children[name]
            if not child.required and child.path not in self.wanted:
                continue
            try:
                found[name] = self._value(child)
            except Undrawable:
                if child.required or self._is_given(child.path):
                    raise
        return {name: found[name] for name in node.children if name in found}

    def _ordered(self, node: Node) -> list[str]:
        """Children in an order in which whatever a relation leans on comes first."""
        names = list(node.children)
        order: list[str] = []

        def visit(name: str, trail: tuple[str, ...]) -> None:
            if name in order or name in trail:
                return
            for relation in self._relations_of(node.children[name].path):
                values = relation.__dict__
                for other in (values.get("other"), values.get("by")):
                    before = next((n for n in names if other and is_within(other, node.children[n].path)), None)
                    if before:
                        visit(before, (*trail, name))
            leaf = node.children[name].leaf
            if leaf is not None and leaf.secret and (keeper := kept_by(self.drawer.spec, self.tool, leaf)).argument:
                visit(keeper.argument, (*trail, name))
            order.append(name)

        for name in sorted(names, key=lambda n: not self._is_given(node.children[n].path)):
            visit(name, ())
        return order

    def _value(self, node: Node) -> Any:
        if node.path in self.given and (
            node.item is None or node.item.leaf is None or f"{node.path}[]" not in self.given
        ):
            self.chosen[node.path] = self.given[node.path]
            return self.given[node.path]
        if node.children:
            return self._object(node)
        if node.item is not None:
            return self._list(node, node.item)
        self.chosen[node.path] = self._leaf(node.leaf) if node.leaf else {}
        return self.chosen[node.path]

    def _list(self, node: Node, item: Node) -> list[Any]:
        fixed: dict[str, list[Any]] = {
            key: value for key, value in self.given.items() if key.startswith(item.path) and isinstance(value, list)
        }
        low, high = node.bounds
        count = len(next(iter(fixed.values()))) if fixed else self.rng.randint(low, min(high, low + 1))
        rows: list[Any] = []
        outer = dict(self.given)
        for position in range(count):
            self.given.update({key: values[position] for key, values in fixed.items()})
            try:
                rows.append(self._value(item))
            except Undrawable:
                if len(rows) < low or fixed:
                    raise
                break
            finally:
                self.given.clear()
                self.given.update(outer)
            for leaf in self.tool.inputs:
                if leaf.path.startswith(item.path) and (leaf.ref or leaf.enum) and leaf.path in self.chosen:
                    self.used.setdefault(leaf.path, set()).add(self.chosen[leaf.path])
        return rows

    # -- a leaf ---------------------------------------------------------------------------------------------------

    def _leaf(self, leaf: Parameter) -> Any:
        if leaf.secret:
            found = kept_values(kept_by(self.drawer.spec, self.tool, leaf), self.state, self.chosen)
            return self._pick(leaf, found, f"no record, or more than one, has the {leaf.secret}")
        for relation in self._relations(leaf.path, FieldOf):
            found = self.fitting.offers(self._record(relation.other), relation)
            return self._pick(leaf, found, f"the {relation.other} chosen has nothing in {relation.field}")
        for relation in self._relations(leaf.path, Graded):
            grade = self.chosen[relation.other]
            return self.rng.choice(next(texts for bound, texts in relation.bands if grade <= bound))
        if leaf.ref:
            return self._reference(leaf)
        if leaf.format:
            return self._moment(leaf)
        if leaf.type in ("integer", "number"):
            return self._number(leaf)
        if leaf.type == "boolean":
            return self._flag(leaf)
        if leaf.enum:
            return self._pick(leaf, self._from_focus(leaf) or list(leaf.enum), "every option is excluded")
        if leaf.free_text and leaf.examples:
            return self.rng.choice(leaf.examples)
        found = self._from_focus(leaf) or self._from_state(leaf)
        return self._pick(
            leaf, found, "nothing in the state has such a value; declare Value, Ref, an enum or FreeText examples"
        )

    def _flag(self, leaf: Parameter) -> bool:
        """A flag is given to say what is not said anyway, and only if it holds for the record in focus."""
        if leaf.default is None:
            return self._pick(leaf, [True, False], "")
        if leaf.default in self._from_focus(leaf):
            raise Undrawable(leaf.path, "the record in focus is otherwise")
        return not leaf.default

    def _pick(self, leaf: Parameter, options: list[Any], reason: str) -> Any:
        return self._one(leaf, self._allowed(leaf, options), reason)

    def _one(self, leaf: Parameter, allowed: list[Any], reason: str) -> Any:
        if not allowed:
            raise Undrawable(leaf.path, reason or "every option is excluded")
        return self.rng.choice(allowed)

    def _allowed(self, leaf: Parameter, options: list[Any]) -> list[Any]:
        """The options that no other argument excludes."""
        banned = {self.chosen.get(relation.other) for relation in self._relations(leaf.path, Differs)}
        banned |= self.fitting.had(leaf)
        if not leaf.required and leaf.default is not None:
            banned.add(leaf.default)  # what goes without saying is not said
        for relation in self._relations(leaf.path, Differing):
            banned |= set(values_at(self._record(relation.other), relation.field))
        if "[]" in leaf.path:
            banned |= self.used.get(leaf.path, set())
        return [option for option in options if option not in banned] if banned else options

    def _reference(self, leaf: Parameter) -> str:
        ids = self._allowed(leaf, self.fitting.ids(leaf))
        focused = self._from_focus(leaf)
        return self._one(leaf, [i for i in focused if i in ids] or ids, f"the state has no fitting {leaf.ref}")

    def _moment(self, leaf: Parameter) -> str:
        now = dt.datetime.fromisoformat(self.state["now"])
        for relation in self._relations(leaf.path, After):
            if relation.other in self.chosen:
                start = dt.datetime.fromisoformat(self.chosen[relation.other])
                return _said(start + dt.timedelta(days=self.rng.randint(*relation.days)), leaf.format, self.rng, start)
        for relation in self._relations(leaf.path, FromNow):
            return _said(now + dt.timedelta(days=self.rng.randint(*relation.days)), leaf.format, self.rng, None)
        found = self._from_focus(leaf) or self._from_state(leaf)
        if found:
            return self._pick(leaf, found, "")
        return _said(now + dt.timedelta(days=self.rng.randint(1, 30)), leaf.format, self.rng, None)

    def _number(self, leaf: Parameter) -> float | int:
        low = leaf.minimum
        high = leaf.maximum
        step = 1.0
        within = self._relations(leaf.path, Within)
        for relation in within:
            low, high, step = relation.low, relation.high, relation.step
        bound = False
        for relation in self._relations(leaf.path, AtMost):
            for value in values_at(self._record(relation.other), relation.field):
                limit = float(value) * relation.share
                high = limit if high is None else min(high, limit)
            bound = True
        if not within and not bound:
            found = (
                self._from_focus(leaf) or self._bracketing_focus(leaf) or (self._from_state(leaf) if leaf.value else [])
            )
            if found:
                return self._pick(leaf, found, "")
        low = 1.0 if low is None or (low <= 0 and (high is None or high >= 1)) else low
        high = low + 9 * step if high is None else high
        steps = int((high - low) / step + 1e-9)
        if high < low:
            raise Undrawable(leaf.path, f"no number between {low:g} and {high:g}")
        options = (
            [low + step * n for n in range(steps + 1)]
            if steps < 400
            else [low + (high - low) * n // 20 for n in range(21)]
        )
        return self._pick(leaf, [int(o) if leaf.type == "integer" else round(float(o), 2) for o in options], "")

    # -- where values come from -----------------------------------------------------------------------------------

    def _pick_focus(self) -> tuple[TableSpec | None, Row | None]:
        for table in self._shown():
            if self.tool.writes and all(leaf.ref != table.entity for leaf in self.tool.inputs):
                continue  # a tool that makes such a record is not about one that exists
            rows: dict[str, Row] = self.state[table.name]
            fixed = next(
                (v for p, v in self.given.items() if (q := self.tool.input_by_path.get(p)) and q.ref == table.entity),
                None,
            )
            if isinstance(fixed, str) and fixed in rows:
                return table, rows[fixed]
            matching = [row for row in self.drawer.own(table, rows, self.state) if self._agrees(table, row)]
            best = [row for row in matching if row["id"] in self.prefer.get(table.entity, ())]
            if matching:
                return table, self.rng.choice(best or matching)
        return None, None

    def _shown(self) -> Iterator[TableSpec]:
        """The tables whose records the result shows, whole or in short."""
        tables = self.drawer.spec.table_of_entity
        named = {leaf.path: leaf.ref for leaf in self.tool.outputs}
        for shape in self.tool.output_shapes:
            entity = shape.entity if shape.entity in tables else named.get(f"{shape.path}.id", "")
            if shape.record and entity in tables:
                yield tables[entity]

    def _agrees(self, table: TableSpec, row: Row) -> bool:
        """Whether a record fits what is given already, so that a search with these arguments would find it."""
        for path, value in self.given.items():
            leaf = self.tool.input_by_path.get(path)
            fields = _alike(leaf, table) if leaf else []
            if fields and not any(value in values_at(row, field.path) for field in fields):
                return False
        return True

    def _from_focus(self, leaf: Parameter) -> list[Any]:
        if self.focus is None or self.focus_table is None or "[]" in leaf.path or self._relations(leaf.path, Differing):
            return []
        for field in _alike(leaf, self.focus_table):
            if found := [value for value in values_at(self.focus, field.path) if not leaf.enum or value in leaf.enum]:
                return found
        return []

    def _bracketing_focus(self, leaf: Parameter) -> list[Any]:
        """For `min_x` and `max_x`: a round number below, or above, the focus record's `x`."""
        bound, _, name = leaf.name.partition("_")
        if self.focus is None or bound not in ("min", "max"):
            return []
        for value in values_at(self.focus, name):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                money = leaf.unit == "USD"
                step = 50 if value >= 300 else 10 if money or value >= 20 else 1
                number = value // step * step + (step if bound == "max" else 0)
                number = min(max(number, leaf.minimum or number), leaf.maximum or number)
                number = max(number, LEAST) if money else number
                return [int(number) if leaf.type == "integer" else float(number)]
        return []

    def _from_state(self, leaf: Parameter) -> list[Any]:
        """Values of the kind in the state's records; where it can be, of those that have what was chosen beside it.

        A street goes with its city: what one call says of one thing comes from one record, or else from none of the
        person's own.
        """
        found: dict[Any, None] = {}
        theirs: set[Any] = set()
        beside: dict[Any, None] = {}
        siblings = [other for other in self.tool.inputs if leaf.value and other.value and other.holder == leaf.holder]
        chosen = [(other, self.chosen[other.path]) for other in siblings if other.path in self.chosen]
        had = self.fitting.had(leaf)
        for table in self.drawer.spec.tables:
            fields = _alike(leaf, table)
            others = [([field.path for field in _alike(other, table)], value) for other, value in chosen]
            owned = fields and chosen and self.drawer.has_owner(table)
            mine = self.drawer.own(table, self.state[table.name], self.state) if owned else []
            own = {row["id"] for row in mine}
            for row in self.state[table.name].values() if fields else ():
                values = [value for field in fields for value in values_at(row, field.path) if value not in had]
                found.update(dict.fromkeys(values))
                if chosen and row["id"] in own:
                    theirs.update(values)
                if all(any(value in values_at(row, path) for path in paths) for paths, value in others):
                    beside.update(dict.fromkeys(values))
        return list(beside) or [value for value in found if value not in theirs] or list(found)

    def _record(self, path: str) -> Row:
        entity = self.tool.input_by_path[path].ref
        key = self.chosen.get(path, self.given.get(path))
        row = self.drawer.records(entity, self.state).get(key) if isinstance(key, str) else None
        if row is None:
            raise Undrawable(path, f"{key!r} names no {entity} in the state")
        return row

    def _relations(self, path: str, kind: type[_R]) -> list[_R]:
        return relations_on(self.tool, path, kind)

    def _relations_of(self, path: str) -> list[Relation]:
        return [r for r in self.tool.where if "parameter" in r.__dict__ and is_within(r.__dict__["parameter"], path)]


def _alike(leaf: Parameter, table: TableSpec) -> list[Parameter]:
    """Fields of a table that hold the kind of value that an argument asks for."""
    if leaf.value:
        return [field for field in table.fields if field.value == leaf.value]
    if leaf.ref:
        return [field for field in table.fields if field.ref == leaf.ref]
    if leaf.enum:
        same = [field for field in table.fields if field.enum == leaf.enum]
        return same or [field for field in table.fields if field.name == leaf.name and field.type == leaf.type]
    if leaf.free_text:
        return []
    return [
        field
        for field in table.fields
        if field.path == leaf.name and (field.type, field.format) == (leaf.type, leaf.format)
    ]


def _said(moment: dt.datetime, form: str, rng: random.Random, after: dt.datetime | None) -> str:
    """A date or time as people say one: whole or half hours of the day."""
    if form == "date":
        return moment.date().isoformat()
    clock = moment.replace(hour=rng.randint(9, 18), minute=rng.choice((0, 30)), second=0, microsecond=0)
    if after is not None and clock <= after:
        clock = after + dt.timedelta(hours=1)
    return clock.time().isoformat() if form == "time" else clock.isoformat()


def _all_nodes(node: Node) -> Iterator[Node]:
    for child in node.children.values():
        yield child
        yield from _all_nodes(child)
    if node.item is not None:
        yield from _all_nodes(node.item)
