"""A gold program with what its calls gave: what every role reads.

Grounding knows bindings, a conversation needs the records behind them: what a call returned, which record a binding
names, what a person calls it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from envfactory.environment import Parameter, Shape, Spec, TableSpec, ToolSpec
from envfactory.environment.draw import Drawer
from envfactory.environment.spec import SEPARATOR
from envfactory.gold import Call, Gold, Out, value_at

_INDEX = re.compile(r"\[\d+\]")


def spec_path(path: str) -> str:
    """The spec path of a concrete one: `hotels[2].id` to `hotels[].id`."""
    return _INDEX.sub("[]", path)


@dataclass(frozen=True)
class Program:
    """A gold program, replayed.

    Attributes:
        gold: the program, divided into turns.
        specs: its environments.
        calls: the executed calls, by index.
        outputs: their parsed outputs.
        bases: parsed state documents at the opening, by environment.
    """

    gold: Gold
    specs: Mapping[str, Spec]
    calls: Mapping[int, Call]
    outputs: Mapping[int, Any]
    bases: Mapping[str, Any]

    def tool(self, index: int) -> ToolSpec:
        """The tool of a call."""
        environment, _, name = self.gold.calls[index].tool.partition(SEPARATOR)
        return self.specs[environment].tool_by_name[name]

    @cached_property
    def turn_of(self) -> dict[int, int]:
        """The turn of each call."""
        return {call: turn for turn, calls in enumerate(self.gold.turn_slices()) for call in calls}

    @cached_property
    def tables(self) -> dict[str, TableSpec]:
        """The table of each entity, over all environments."""
        return {table.entity: table for spec in self.specs.values() for table in spec.tables}

    def source(self, out: Out) -> Parameter:
        """The output leaf that a binding takes its value from."""
        return self.tool(out.call).output_by_path[spec_path(out.path)]

    def holder(self, out: Out) -> tuple[Shape | None, Any]:
        """The record or object that a bound value stands in: its shape and its row."""
        path = out.path.rpartition(".")[0]
        shape = next((s for s in self.tool(out.call).output_shapes if s.path == spec_path(path)), None)
        return shape, value_at(self.outputs[out.call], path) if path else self.outputs[out.call]

    def base_record(self, entity: str, key: str) -> tuple[TableSpec, Any] | None:
        """A record that was there from the start, with its table."""
        for name, spec in self.specs.items():
            table = spec.table_of_entity.get(entity)
            if table is not None and key in self.bases[name][table.name]:
                return table, self.bases[name][table.name][key]
        return None

    def own_rows(self, entity: str) -> Mapping[str, Any]:
        """The records of an entity that belong to the session's person: those of the start, and those made since."""
        if entity not in self._own:
            self._own[entity] = {}
            for name, spec in self.specs.items():
                table = spec.table_of_entity.get(entity)
                if table is not None:
                    made = self.gold.diff[name].tables if name in self.gold.diff else {}
                    rows = {**self.bases[name][table.name], **(made[table.name].created if table.name in made else {})}
                    own = Drawer(spec).own(table, rows, self.bases[name])
                    self._own[entity] = {row["id"]: row for row in own}
        return self._own[entity]

    @cached_property
    def _own(self) -> dict[str, dict[str, Any]]:
        return {}

    def noun(self, entity: str) -> str:
        """What one of an entity is called."""
        table = self.tables.get(entity)
        return table.noun if table else entity.lower()
