"""`Fitting`: which records an argument may name, by the relations of its tool and what the other arguments name."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from envfactory.environment.paths import values_at
from envfactory.environment.relations import Dated, FieldOf, FromNow, Having, NamedIn, New, Owned, Relation, Sharing
from envfactory.environment.spec import Parameter, ToolSpec
from envfactory.environment.states import Row, State

if TYPE_CHECKING:
    from envfactory.environment.draw import Drawer

R = TypeVar("R", bound=Relation)


def relations_on(tool: ToolSpec, path: str, kind: type[R]) -> list[R]:
    """The relations of a kind on an argument."""
    return [relation for relation in tool.relations_by_path.get(path, ()) if isinstance(relation, kind)]


class Fitting:
    """See the module docstring.

    Args:
        drawer: of the tool's environment.
        tool: whose arguments they are.
        state: whose records they are.
        chosen: what other arguments are by now; it may grow.
        given: what other arguments are from the start.
    """

    def __init__(
        self, drawer: Drawer, tool: ToolSpec, state: State, chosen: Mapping[str, Any], given: Mapping[str, Any]
    ) -> None:
        self.drawer, self.tool, self.state = drawer, tool, state
        self.chosen, self.given = chosen, given

    def ids(self, leaf: Parameter) -> list[str]:
        """Ids of the records that the relations on a leaf allow."""
        found = list(self.drawer.records(leaf.ref, self.state).values())
        for relation in relations_on(self.tool, leaf.path, Owned):
            owner = self.chosen.get(relation.by, self.state.get(relation.by))
            found = [row for row in found if row.get(relation.field) == owner]
        for relation in relations_on(self.tool, leaf.path, Having):
            found = [row for row in found if any(value in relation.among for value in values_at(row, relation.field))]
        for relation in relations_on(self.tool, leaf.path, Dated):
            found = [row for row in found if self._is_dated(row, relation)]
        for relation in self.tool.where:
            if isinstance(relation, FieldOf) and relation.other == leaf.path and self._is_needed(relation.parameter):
                found = [row for row in found if self.offers(row, relation)]
        for mate, fields in self._mates(leaf):
            name = self.chosen.get(mate.path, self.given.get(mate.path))
            other = self.drawer.records(mate.ref, self.state).get(str(name))
            if other is not None:
                found = [row for row in found if all(row.get(field) == other.get(field) for field in fields)]
        for relation in relations_on(self.tool, leaf.path, NamedIn):
            named = set(self._named_in(relation))
            found = [row for row in found if row["id"] in named]
        return [row["id"] for row in found]

    def with_mates(self, leaf: Parameter, ids: Collection[str]) -> set[str]:
        """Those ids whose records have the fields in common that they must with some fitting record of another kind."""
        left = set(ids)
        for mate, fields in self._mates(leaf):
            theirs, mine = (self.drawer.records(entity, self.state) for entity in (mate.ref, leaf.ref))
            shared = [[theirs[each].get(field) for field in fields] for each in self.ids(mate)]
            left = {each for each in left if [mine[each].get(field) for field in fields] in shared}
        return left

    def offered(self, path: str) -> list[Any] | None:
        """What the record of another argument offers for an argument: of dates, those that lie where they should.

        None if no relation says so, or the other argument names no record yet.
        """
        for relation in relations_on(self.tool, path, FieldOf):
            name = self.chosen.get(relation.other, self.given.get(relation.other))
            row = self.drawer.records(self.tool.input_by_path[relation.other].ref, self.state).get(str(name))
            if row is not None:
                return self.offers(row, relation)
        return None

    def offers(self, row: Row, relation: FieldOf) -> list[Any]:
        """What a record offers for an argument."""
        spans = [span.days for span in relations_on(self.tool, relation.parameter, FromNow)]
        return [v for v in values_at(row, relation.field) if all(self._lies(v, days) for days in spans)]

    def had(self, leaf: Parameter) -> set[Any]:
        """Values that the session's own records have already, and that a new one must not have."""
        found: set[Any] = set()
        for relation in relations_on(self.tool, leaf.path, New):
            table = self.drawer.spec.table_of_entity[relation.entity]
            for row in self.drawer.own(table, self.state[table.name], self.state):
                found.update(values_at(row, relation.field))
        return found

    def _is_needed(self, path: str) -> bool:
        """Whether an argument is given in every call."""
        leaf = self.tool.input_by_path.get(path)
        return leaf is not None and leaf.required and leaf.top in self.tool.required

    def _is_dated(self, row: Row, relation: Dated) -> bool:
        days = [value for value in values_at(row, relation.field) if value is not None]
        return any(self._lies(value, relation.days) for value in days) if days else relation.unset

    def _lies(self, moment: str, days: tuple[int, int]) -> bool:
        """Whether a date or time lies so many days (least, most) from today."""
        today = dt.datetime.fromisoformat(self.state["now"]).date()
        return days[0] <= (dt.datetime.fromisoformat(moment).date() - today).days <= days[1]

    def _mates(self, leaf: Parameter) -> Iterator[tuple[Parameter, tuple[str, ...]]]:
        """The arguments whose records have fields in common with an argument's record, and these fields."""
        for relation in self.tool.where:
            if isinstance(relation, Sharing) and leaf.path in (relation.parameter, relation.other):
                other = relation.other if leaf.path == relation.parameter else relation.parameter
                yield self.tool.input_by_path[other], relation.fields

    def _named_in(self, relation: NamedIn) -> Iterator[Any]:
        table = self.drawer.spec.table_of_entity[relation.entity]
        for row in self.drawer.own(table, self.state[table.name], self.state):
            if not relation.status or row.get(relation.status) in relation.among:
                yield from values_at(row, relation.field)
