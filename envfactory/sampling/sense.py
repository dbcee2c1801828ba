"""What a sensible person asks for: orders of calls, and records that a call does not take although it could.

Tools run in any order and on any record that they accept, but nobody books a stay to cancel it a minute later, freezes
a card to unfreeze it, rates a hotel while still looking for one, does anything more with an order that was called off,
pays the same bill or the same person twice, or looks up by name whom they have just paid, asks for the details of what
the last answer has just told in full, or has a parcel sent to the street of one address and the city of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from envfactory.environment import Ends, Having, NamedIn, Parameter, Spec, ToolSpec
from envfactory.environment.paths import spec_path, values_at
from envfactory.gold import value_at
from envfactory.sampling.chain import Chain, Link
from envfactory.sampling.news import Fact, has_news

Key = tuple[str, Any]
"""A record: entity and id."""


def gathered(chain: Chain) -> Chain:
    """The same calls in an order in which what belongs together stands together: people finish one thing first.

    After each call comes one that takes what was given last, in the same environment if there is one; every call still
    follows those that feed it.
    """
    feeds: dict[int, set[int]] = {index: set() for index in range(len(chain.tools))}
    for link in chain.links:
        feeds[link.consumer].add(link.producer)
    homes = [tool.partition("-")[0] for tool in chain.tools]
    place: dict[int, int] = {}
    last = -1
    while len(place) < len(feeds):
        ready = [index for index, producers in feeds.items() if index not in place and producers <= place.keys()]
        last = max(
            ready,
            key=lambda index: (
                last >= 0 and homes[index] == homes[last],
                max((place[producer] for producer in feeds[index]), default=-1),
                -index,
            ),
        )
        place[last] = len(place)
    links = [Link(place[link.consumer], link.input, place[link.producer], link.output) for link in chain.links]
    links.sort(key=lambda link: (link.consumer, link.input))
    return Chain(tuple(chain.tools[index] for index in place), tuple(links))


@dataclass(frozen=True, slots=True)
class Done:
    """A call that has been made: its tool, arguments and output, its environment's state before it, and its `facts`."""

    tool: ToolSpec
    arguments: Mapping[str, Any]
    output: Any
    state: Mapping[str, Any]
    facts: frozenset[Fact]


class Sense:
    """Judges what the next call would take, by the calls so far."""

    def __init__(self, specs: Mapping[str, Spec], done: Mapping[int, Done]) -> None:
        """Look back at calls, by index."""
        self.specs, self.done = specs, done

    def takes(self, tool: ToolSpec, path: str, value: Any, producer: int, place: str, state: Mapping[str, Any]) -> bool:
        """Whether a sensible call takes a value from a result.

        Args:
            tool: what is called.
            path: the argument.
            value: the value.
            producer: the call that gave it.
            place: concrete path in that call's output.
            state: the tool's environment as it is now.
        """
        entity = tool.input_by_path[path].ref
        if not entity:
            known = not tool.writes and self.done[producer].tool.writes
            return (
                not known
                and not self._spent(value)
                and not (tool.writes and self._goes_with(tool, path, producer, place))
            )
        key = entity, value
        meant = {key, *self._beside(tool.environment, key, state)}
        if meant & (self._ended() | self._closed()) or (not tool.writes and self._told(tool, key)):
            return False
        if tool.writes and path == main_argument(tool) and any(
            call.tool == tool and call.arguments.get(path) == value for call in self.done.values()
        ):  # fmt: skip
            return False
        for relation in tool.where:
            if isinstance(relation, Ends) and relation.parameter == path and key in self._worked_on(writes=True):
                return False
            if isinstance(relation, Having) and relation.parameter == path and self._made_so(relation, tool, key):
                return False
            if (
                isinstance(relation, NamedIn)
                and relation.parameter == path
                and relation.status
                and (key in self._worked_on(writes=False) or not self._named(relation, producer, place))
            ):
                return False
        return True

    def tells(self, tool: ToolSpec, arguments: Mapping[str, Any], output: Any) -> bool:
        """Whether what a look-up gave is new to whoever has seen what the calls so far have told, made and changed.

        That there is nothing of something is new; but what is looked for by several marks is there.
        """
        if tool.writes:
            return True
        narrowed = len(arguments) > 1 and not any(leaf.ref for leaf in tool.inputs if leaf.top in arguments)
        for leaf in tool.outputs:
            if leaf.ref and leaf.name == "id" and leaf.holder.endswith("[]") and leaf.holder.count("[]") == 1:
                keys = [(leaf.ref, value) for value in values_at(output, leaf.path)]
                if len(keys) == 1 and keys[0] in self._worked_on(writes=True):
                    return False
                if narrowed and not keys:  # nobody looks for soap among the food
                    return False
        return has_news(tool, arguments, output, [call.facts for call in self.done.values()], self._made())

    def _made(self) -> set[str]:
        """The ids of the records that did not exist before the calls."""
        found: set[str] = set()
        for call in self.done.values():
            if call.tool.writes:
                given = {key for _, key in _named_by(call)}
                own = (leaf for leaf in call.tool.outputs if leaf.ref and leaf.path == leaf.name)
                ids = {value for leaf in own for value in values_at(call.output, leaf.path) if isinstance(value, str)}
                found |= ids - given
        return found

    def _told(self, tool: ToolSpec, key: Key) -> bool:
        """Whether the last call about a record has returned just what a look-up would."""
        whole = next((shape for shape in tool.output_shapes if shape.record and not shape.path), None)
        if whole is None or whole.entity != key[0]:
            return False
        for call in reversed([*self.done.values()]):
            if any(shape == whole for shape in call.tool.output_shapes) and call.output.get("id") == key[1]:
                return True
            if key in _named_by(call):
                return False
        return False

    def _goes_with(self, tool: ToolSpec, path: str, producer: int, place: str) -> bool:
        """Whether a value stands beside another one that the tool takes too: a street and its city go together."""
        leaf, holder = tool.input_by_path[path], spec_path(place).rpartition(".")[0]
        wanted = {other.value for other in tool.inputs if other.holder == leaf.holder and other.path != path}
        beside = {other.value for other in self.done[producer].tool.outputs if other.holder == holder}
        return bool((wanted & beside) - {""})

    def _spent(self, value: Any) -> bool:
        """Whether an amount was said or taken from a result before."""
        return isinstance(value, (int, float)) and any(
            value == other
            for call in self.done.values()
            for leaf in call.tool.inputs
            for other in values_at(call.arguments, leaf.path)
        )

    def _ended(self) -> set[Key]:
        """The records that have been ended."""
        return {key for call in self.done.values() for key in _by(call, Ends)}

    def _closed(self) -> set[Key]:
        """The records that have been spoken of as past: a hotel that was rated."""
        return {key for call in self.done.values() for key in _by(call, NamedIn)}

    def _made_so(self, relation: Having, tool: ToolSpec, key: Key) -> bool:
        """Whether a record can be taken only since an earlier call has changed it: what follows would undo that."""
        table = self.specs[tool.environment].table_of_entity.get(key[0])
        for call in self.done.values():
            if table is not None and call.tool.writes and tool.writes and key in _named_by(call):
                row = call.state.get(table.name, {}).get(key[1])
                if row is not None and not any(v in relation.among for v in values_at(row, relation.field)):
                    return True
        return False

    def _worked_on(self, *, writes: bool) -> set[Key]:
        """The records that calls were about or have made; with `writes`, only those that changed something."""
        found: set[Key] = set()
        for call in self.done.values():
            if call.tool.writes or not writes:
                for leaves, document in ((call.tool.inputs, call.arguments), (call.tool.outputs, call.output)):
                    own = (leaf for leaf in leaves if leaf.ref and (leaves is call.tool.inputs or "." not in leaf.path))
                    found.update((leaf.ref, value) for leaf in own for value in values_at(document, leaf.path))
                if not writes:
                    for key in _named_by(call):
                        found.update(self._beside(call.tool.environment, key, call.state))
        return found

    def _beside(self, environment: str, key: Key, state: Mapping[str, Any]) -> Iterator[Key]:
        """The records that a record goes with: the hotel of a stay; not whose it is."""
        table = self.specs[environment].table_of_entity.get(key[0])
        row = state[table.name].get(key[1]) if table else None
        owners = {field.ref for field in self.specs[environment].fields if field.ref}
        for field in table.fields if table and row else ():
            if field.ref and field.path != "id" and "." not in field.path and field.ref not in owners:
                yield from ((field.ref, value) for value in values_at(row, field.path))

    def _named(self, relation: NamedIn, producer: int, place: str) -> bool:
        """Whether a value comes from a record that names it, and that is in the right condition."""
        call = self.done[producer]
        holder = place.rpartition(".")[0]
        shape = next((shape for shape in call.tool.output_shapes if shape.path == spec_path(holder)), None)
        row = value_at(call.output, holder) if holder else call.output
        return shape is not None and shape.entity == relation.entity and row.get(relation.status) in relation.among


def main_argument(tool: ToolSpec) -> str:
    """The argument that names what a call does something with: of the required ones the last, such as whom it pays.

    Empty if a call must be given no record.
    """
    taken = [leaf.path for leaf in tool.inputs if leaf.ref and leaf.path == leaf.name and leaf.path in tool.required]
    return taken[-1] if taken else ""


def is_done_with(earlier: ToolSpec, leaf: Parameter, tool: ToolSpec) -> bool:
    """Whether what was said for an argument of an earlier call is not kept to in a call of `tool`.

    Dates for which something has been booked are done with, and so is whatever a look-up could be about; and who does
    the same once more does it for somebody else.
    """
    return earlier.writes and (earlier == tool or bool(leaf.format) or not tool.writes)


def rates(tool: ToolSpec) -> bool:
    """Whether a tool is for what is over, such as a stay that is rated: nobody does that while they ask about it."""
    return any(isinstance(relation, NamedIn) and relation.status for relation in tool.where)


def is_closing(tool: ToolSpec) -> bool:
    """Whether nothing more is wanted of what a tool was about."""
    return rates(tool) or any(isinstance(relation, Ends) for relation in tool.where)


def _named_by(call: Done) -> Iterator[Key]:
    for leaf in call.tool.inputs:
        if leaf.ref:
            yield from ((leaf.ref, value) for value in values_at(call.arguments, leaf.path))


def _by(call: Done, kind: type[Ends | NamedIn]) -> Iterable[Key]:
    """The records that a call takes where a relation of a kind speaks of them."""
    for relation in call.tool.where:
        if isinstance(relation, kind) and (kind is Ends or getattr(relation, "status", "")):
            leaf = call.tool.input_by_path[relation.parameter]
            yield from ((leaf.ref, value) for value in values_at(call.arguments, leaf.path))
