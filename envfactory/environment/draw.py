"""`Drawer`: arguments that a real call might have, from declarations and a state.

Order of sources for a leaf: what is given; the declared relations; the record in focus (one record of what the tool
returns is picked, and every argument that speaks of such a record takes its value from it, so that a search finds
something); the state's records; enum, range, examples. What none of them covers is `Undrawable`, which names the leaf.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping
from typing import Any

from envfactory.environment.drawing import Draw, Undrawable
from envfactory.environment.fitting import Fitting
from envfactory.environment.spec import Parameter, Spec, TableSpec
from envfactory.environment.states import Row, State

__all__ = ["Drawer", "Undrawable"]


class Drawer:
    """Draws arguments for the tools of one environment."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.owners = {field.ref: field.path for field in spec.fields if field.ref}

    def draw(
        self,
        tool: str,
        state: State,
        rng: random.Random,
        given: Mapping[str, Any] | None = None,
        include: Callable[[str], bool] | float = 0.3,
        prefer: Mapping[str, Collection[str]] | None = None,
    ) -> dict[str, Any]:
        """Draw the arguments of one call.

        Args:
            tool: name of the tool.
            state: parsed state document.
            rng: source of every choice.
            given: values that are fixed, by spec path; for a leaf inside a list, a list of them fixes its length.
            include: which optional leaves are given, by path or with this probability; given ones always are.
            prefer: by entity, ids of the records that the result had best show; filters are drawn to fit one of them.

        Raises:
            Undrawable: a required leaf has no possible value in this state.
        """
        return Draw(
            self, self.spec.tool_by_name[tool], state, rng, dict(given or {}), include, prefer or {}
        ).arguments()

    def fitting(self, tool: str, path: str, state: State) -> set[str] | None:
        """Ids of the records that the relations of an argument allow, as far as they speak of that record alone.

        Where it has fields in common with another argument's record, there must be such a record.

        None if the argument names no record of this environment.
        """
        declared = self.spec.tool_by_name[tool]
        leaf = declared.input_by_path[path]
        if leaf.ref not in self.spec.table_of_entity:
            return None
        fitting = Fitting(self, declared, state, {}, {})
        return fitting.with_mates(leaf, fitting.ids(leaf))

    def offered(self, tool: str, path: str, state: State, chosen: Mapping[str, Any]) -> set[Any] | None:
        """Values of an argument that the record of another argument offers, as `chosen` has it; None if none does."""
        found = Fitting(self, self.spec.tool_by_name[tool], state, chosen, {}).offered(path)
        return None if found is None else set(found)

    def unsaid(self, tool: str, path: str, state: State) -> set[Any]:
        """Values of an argument that nobody says: what a new record must not have (`New`), and its default."""
        declared = self.spec.tool_by_name[tool]
        leaf = declared.input_by_path[path]
        defaults: set[Any] = set() if leaf.required or leaf.default is None else {leaf.default}
        return defaults | Fitting(self, declared, state, {}, {}).had(leaf)

    def records(self, entity: str, state: State) -> dict[str, Row]:
        """The records of an entity, by id; none if the environment has no table of it."""
        table = self.spec.table_of_entity.get(entity)
        return state[table.name] if table else {}

    def own(self, table: TableSpec, rows: Mapping[str, Row], state: State) -> list[Row]:
        """The records that belong to the session's person, where records of this table belong to somebody."""
        field = self._owner_field(table)
        if field is None:
            return list(rows.values())
        owner = state.get(self.owners[field.ref])
        return [row for row in rows.values() if row.get(field.path) == owner]

    def has_owner(self, table: TableSpec) -> bool:
        """Whether each record of a table belongs to a person."""
        return self._owner_field(table) is not None

    def _owner_field(self, table: TableSpec) -> Parameter | None:
        fields = (field for field in table.fields if field.path != "id" and "[]" not in field.path)
        return next((field for field in fields if field.ref in self.owners), None)
