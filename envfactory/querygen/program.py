"""A gold program with what its calls gave: what every role reads.

Grounding knows bindings, a conversation needs the records behind them: what a call returned, which record a binding
names, what a person calls it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from envfactory.environment import Parameter, Shape, Spec, TableSpec, ToolSpec, tool_of
from envfactory.environment.draw import Drawer
from envfactory.environment.paths import spec_path, values_at
from envfactory.environment.trusted import trusted
from envfactory.gold import Call, FromUser, Gold, GoldCall, Leaf, Out, bindings_of, rewritten, value_at
from envfactory.querygen.names import Name, Names
from envfactory.querygen.wording import say
from envfactory.sampling.news import Fact, facts


@dataclass(frozen=True, slots=True)
class Bound:
    """An argument that names a record taken from a result: concrete path, binding, entity and id."""

    path: str
    out: Out
    entity: str
    key: str


@dataclass(frozen=True, slots=True)
class Value:
    """An argument that is said as a value, not by the name of a record.

    Attributes:
        path: concrete path.
        leaf: what is declared of it.
        value: JSON scalar.
        out: the figure of a result that it is; None: only the person knows it.
        words: how it is said, in lower case; none for a boolean of the person's, which the presence of words says.
    """

    path: str
    leaf: Parameter | None
    value: Any
    out: Out | None
    words: str


_BY_TURN = frozenset(("gold", "slices", "turn_of"))
"""What of a program depends on how its calls are divided into turns."""


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
        return self.tools[index]

    @cached_property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tool of each call."""
        return tuple(tool_of(self.specs, call.tool) for call in self.gold.calls)

    def is_users(self, index: int) -> bool:
        """Whether a call is for the user alone to make."""
        return self.tools[index].by == "user"

    @cached_property
    def slices(self) -> tuple[range, ...]:
        """The calls of each turn."""
        return tuple(self.gold.turn_slices())

    @cached_property
    def records(self) -> tuple[tuple[Bound, ...], ...]:
        """The arguments of each call that name records taken from results."""
        return tuple(tuple(self._records(call)) for call in self.gold.calls)

    def _records(self, call: GoldCall) -> Iterator[Bound]:
        for path, binding in bindings_of(call):
            if isinstance(binding, Out) and (entity := self.source(binding).ref):
                yield Bound(path, binding, entity, value_at(self.outputs[binding.call], binding.path))

    @cached_property
    def values(self) -> tuple[tuple[Value, ...], ...]:
        """The arguments of each call that are said as values: what only the person knows, and figures of results."""
        return tuple(tuple(self._values(index)) for index in range(len(self.gold.calls)))

    def _values(self, index: int) -> Iterator[Value]:
        now, inputs = self.gold.reference.now, self.tools[index].input_by_path
        for path, binding in bindings_of(self.gold.calls[index]):
            leaf = inputs.get(spec_path(path))
            if isinstance(binding, FromUser):
                words = "" if isinstance(binding.value, bool) else say(binding.value, leaf, now).casefold()
                yield Value(path, leaf, binding.value, None, words)
            elif isinstance(binding, Out) and not (source := self.source(binding)).ref:
                value = value_at(self.outputs[binding.call], binding.path)
                yield Value(path, leaf, value, binding, say(value, source, now).casefold())

    @cached_property
    def sources(self) -> tuple[frozenset[int], ...]:
        """The calls whose outputs each call takes."""
        return tuple(
            frozenset(binding.call for _, binding in bindings_of(call) if isinstance(binding, Out))
            for call in self.gold.calls
        )

    @cached_property
    def facts(self) -> tuple[frozenset[Fact], ...]:
        """What a person knows once each call has been answered."""
        return tuple(
            facts(tool, self.calls[index].arguments, self.outputs[index]) for index, tool in enumerate(self.tools)
        )

    @cached_property
    def verdicts(self) -> dict[Hashable, tuple[tuple[str, str], ...]]:
        """What `solvable` has found out about exchanges, so that nothing is read twice: reasons and details."""
        return {}

    @cached_property
    def turn_of(self) -> dict[int, int]:
        """The turn of each call."""
        return {call: turn for turn, calls in enumerate(self.slices) for call in calls}

    @cached_property
    def names(self) -> Names:
        """What people call the records in it."""
        return Names(self)

    @cached_property
    def tables(self) -> dict[str, TableSpec]:
        """The table of each entity, over all environments."""
        return {table.entity: table for spec in self.specs.values() for table in spec.tables}

    @cached_property
    def named(self) -> dict[tuple[int, int], tuple[Any, Name]]:
        """Names by the identity of row and table, each with its row, which it keeps alive: see `Names`."""
        return {}

    @cached_property
    def ids(self) -> dict[tuple[int, str], tuple[Any, dict[str, frozenset[str]]]]:
        """Ids in results by the identity of the result and its tool, each with the result, which it keeps alive."""
        return {}

    def with_run(self, gold: Gold, calls: Mapping[int, Call], outputs: Mapping[int, Any]) -> Program:
        """Another program from the same opening; what records that stand in both are called stays known.

        Args:
            gold: the program.
            calls: its executed calls, by index.
            outputs: their parsed outputs.
        """
        other = Program(gold, self.specs, calls, outputs, self.bases)
        vars(other).update(named=self.named, ids=self.ids)  # where cached properties live
        return other

    def in_turns(self, turns: tuple[int, ...]) -> Program:
        """The same calls divided into other turns; what is known of their results stays known."""
        other = Program(divided(self.gold, turns), self.specs, self.calls, self.outputs, self.bases)
        kept = {name: value for name, value in vars(self).items() if name not in _BY_TURN}
        vars(other).update(kept)  # where cached properties live
        return other

    def source(self, out: Out) -> Parameter:
        """The output leaf that a binding takes its value from."""
        return self.tool(out.call).output_by_path[spec_path(out.path)]

    def holder(self, out: Out) -> tuple[Shape | None, Any]:
        """The record or object that a bound value stands in: its shape and its row."""
        path = out.path.rpartition(".")[0]
        shape = next((s for s in self.tool(out.call).output_shapes if s.path == spec_path(path)), None)
        return shape, value_at(self.outputs[out.call], path) if path else self.outputs[out.call]

    def heard_of(self, index: int, noun: str) -> tuple[frozenset[str], frozenset[str]]:
        """Ids of the records of a noun that a call takes or returns, and of those among them that a person hears of.

        Heard of is what the call was asked about, what it was made to look up, and what it made; not the id of another
        record that merely stands in a result.
        """
        if (index, noun) not in self._heard:
            tool = self.tools[index]
            seen: set[str] = set()
            named: set[str] = set()
            documents = ((tool.inputs, self.calls[index].arguments), (tool.outputs, self.outputs[index]))
            for leaves, document in documents:
                for leaf in leaves:
                    if leaf.ref and self.noun(leaf.ref) == noun:
                        values = {value for value in values_at(document, leaf.path) if isinstance(value, str)}
                        seen |= values
                        if leaves is tool.inputs or leaf.name == "id":
                            named |= values
                        else:
                            named |= {value for value in values if self.base_record(leaf.ref, value) is None}
            self._heard[index, noun] = frozenset(seen), frozenset(named)
        return self._heard[index, noun]

    @cached_property
    def _heard(self) -> dict[tuple[int, str], tuple[frozenset[str], frozenset[str]]]:
        return {}

    def base_record(self, entity: str, key: str) -> tuple[TableSpec, Any] | None:
        """A record that was there from the start, with its table."""
        for table, rows in self._homes.get(entity, ()):
            if key in rows:
                return table, rows[key]
        return None

    def domain(self, value: str) -> Collection[str]:
        """The texts of a domain of values (`Value`) that stood in the records at the start."""
        if value not in self._domains:
            self._domains[value] = frozenset(
                text
                for homes in (self._homes.values() if value else ())
                for table, rows in homes
                for field in table.fields
                if field.value == value and field.type == "string" and not field.format
                for row in rows.values()
                for text in values_at(row, field.path)
                if isinstance(text, str)
            )
        return self._domains[value]

    @cached_property
    def _domains(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _homes(self) -> dict[str, list[tuple[TableSpec, Mapping[str, Any]]]]:
        """The tables of each entity, and what stood in them at the start."""
        found: dict[str, list[tuple[TableSpec, Mapping[str, Any]]]] = {}
        for name, spec in self.specs.items():
            for table in spec.tables:
                found.setdefault(table.entity, []).append((table, self.bases[name][table.name]))
        return found

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

    def belongs_to_somebody(self, entity: str) -> bool:
        """Whether records of an entity each belong to a person."""
        return any(
            entity in spec.table_of_entity and Drawer(spec).has_owner(spec.table_of_entity[entity])
            for spec in self.specs.values()
        )

    def noun(self, entity: str) -> str:
        """What one of an entity is called."""
        table = self.tables.get(entity)
        return table.noun if table else entity.lower()


def divided(gold: Gold, turns: tuple[int, ...]) -> Gold:
    """Return the program with its calls divided into turns; what the user says is said in the turn that needs it."""
    parted = gold.model_copy(update={"turns": turns})
    calls: list[GoldCall] = list(gold.calls)
    for turn, indexes in enumerate(parted.turn_slices()):
        for index in indexes:
            arguments = rewritten(calls[index].arguments, lambda binding, turn=turn: _in_turn(binding, turn))
            calls[index] = trusted(GoldCall, tool=calls[index].tool, arguments=arguments, masked=calls[index].masked)
    return parted.model_copy(update={"calls": tuple(calls)})


def _in_turn(binding: Leaf, turn: int) -> Leaf:
    if not isinstance(binding, FromUser):
        return binding
    return trusted(FromUser, source="user", value=binding.value, turn=turn)
