"""Mending a chain before it is grounded, by what its tools declare: what the graph alone does not know.

Two things make calls of a valid chain impossible in nearly every scenario. A call may take its record from a call that
is to blame for its refusal: nobody cancels what they have just booked, or works on what they have just cancelled. And
calls may take their records from one look-up although hardly a page of records suits them all: an order to be cancelled
has not been sent, one to be rated has arrived. The first takes its record from a look-up instead; for the second the
look-up is made twice.

And what was tried in vain is mended by what became of it: the calls that could not be made, and those that lean on
them, take their records from other look-ups.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from envfactory.environment import Ends, Having, NamedIn, Spec, ToolSpec, tool_of
from envfactory.sampling.chain import Chain, Link
from envfactory.sampling.picks import is_short
from envfactory.toolgraph import Edge, ToolGraph

SPARE = 4
"""By how many calls a chain may be too long that is tried again: those that could not be made are among them."""

Conditions = dict[tuple[str, str], frozenset[str | int | bool]]
"""In which conditions a call takes records: by entity and field, the values that will do."""


class Mender:
    """Mends chains of one graph."""

    def __init__(self, graph: ToolGraph, specs: Mapping[str, Spec], max_tools: int) -> None:
        """Prepare.

        Args:
            graph: gives the look-ups for an argument.
            specs: the environments, by name.
            max_tools: no chain is made longer than this.
        """
        self.graph, self.specs, self.max_tools = graph, specs, max_tools

    def mend(self, chain: Chain, rng: random.Random) -> Chain:
        """Return the chain with links that can be followed; look-ups that are added stand last, before their use."""
        calls = self._calls(chain)
        for at, link in enumerate(chain.links):
            if _is_barred(calls.tools[link.producer], link.output, calls.tools[link.consumer], link.input):
                calls.links[at] = self._from_a_look_up(link, calls, rng)
        for producer in range(len(calls.tools)):
            self._part(producer, calls)
        return calls.chain()

    def rerouted(
        self, chain: Chain, faults: Collection[Link], rng: random.Random, failed: Collection[int] = ()
    ) -> Chain:
        """Return the chain with other sources for links that could not be followed, where there are others.

        It may become longer than `max_tools`, by `SPARE`: some of its calls cannot be made.

        Args:
            chain: as it was tried.
            faults: the links that found no value, or are of calls that could not be made.
            rng: source of every choice.
            failed: the calls that could not be made; nothing is taken from them.
        """
        calls = self._calls(chain, SPARE, failed)
        for at, link in enumerate(chain.links):
            if link in faults:
                calls.links[at] = self._from_a_look_up(link, calls, rng)
        return calls.chain()

    def _calls(self, chain: Chain, spare: int = 0, failed: Collection[int] = ()) -> _Calls:
        tools = [tool_of(self.specs, name) for name in chain.tools]
        return _Calls(tools, list(chain.links), self.max_tools + spare, failed)

    def _from_a_look_up(self, link: Link, calls: _Calls, rng: random.Random) -> Link:
        """The same argument from an earlier look-up, or from one that is added; as it was if there is none."""
        found: dict[bool, dict[str, list[Edge]]] = {True: defaultdict(list), False: defaultdict(list)}
        consumer, barred = calls.tools[link.consumer], calls.tools[link.producer]
        places = [at for at in calls.before(link.consumer) if at != link.producer and at not in calls.failed]
        again = any(calls.tools[at] is barred for at in places)
        for edge in self.graph.into(consumer.wire_name, link.input):
            tool = tool_of(self.specs, edge.producer)
            good = is_short(edge.output) and not _is_barred(tool, edge.output, consumer, link.input)
            if good and (again or tool is not barred) and not tool.writes:
                found[edge.proof.outcome in ("ok", "")][edge.producer].append(edge)
        ways = found[True] or found[False]  # one whose proof was refused took a record that another rule speaks of
        earlier = [at for at in places if calls.tools[at].wire_name in ways]
        if earlier:
            at = rng.choice(earlier)
            return replace(link, producer=at, output=rng.choice(ways[calls.tools[at].wire_name]).output)
        roots = [
            tool
            for tool in [tool_of(self.specs, name) for name in ways]
            if not self._leans(tool) and tool.environment in calls.environments
        ]
        if not roots or calls.is_full():
            return link
        tool = rng.choice(roots)
        calls.added.append(len(calls.tools))
        calls.tools.append(tool)
        return replace(link, producer=calls.added[-1], output=rng.choice(ways[tool.wire_name]).output)

    def _leans(self, tool: ToolSpec) -> bool:
        """Whether a tool has an argument that only another call gives."""
        node = self.graph.by_tool[tool.wire_name]
        return any(leaf.required and leaf.kind == "internal" for leaf in node.inputs)

    def _part(self, producer: int, calls: _Calls) -> None:
        """Make a look-up once for each group of calls that the same records suit."""
        tool = calls.tools[producer]
        if tool.writes or all(leaf.required for leaf in tool.inputs if not leaf.ref):
            return  # made again it would give the same
        groups: list[tuple[Conditions, list[int]]] = []
        for consumer in dict.fromkeys(link.consumer for link in calls.links if link.producer == producer):
            mine = _conditions(calls.tools[consumer])
            for number, (theirs, members) in enumerate(groups):
                both = _met(mine, theirs)
                if both is not None:
                    groups[number] = both, [*members, consumer]
                    break
            else:
                groups.append((mine, [consumer]))
        for _, members in groups[1:]:
            if calls.is_full():
                return
            again = len(calls.tools)
            calls.tools.append(tool)
            calls.links[:] = [
                replace(link, producer=again) if link.producer == producer and link.consumer in members else link
                for link in calls.links
            ] + [replace(link, consumer=again) for link in calls.links if link.consumer == producer]


class _Calls:
    """A chain as it is mended.

    Attributes:
        most: it has no more calls than these.
        failed: those that could not be made.
        added: look-ups that lean on nothing, so that they can stand before whatever they serve.
    """

    def __init__(self, tools: list[ToolSpec], links: list[Link], most: int, failed: Collection[int]) -> None:
        self.tools, self.links, self.most, self.failed = tools, links, most, failed
        self.added: list[int] = []
        self.environments = {tool.environment for tool in tools}

    def before(self, index: int) -> Iterable[int]:
        """The calls that may serve one."""
        return (*range(index), *self.added)

    def is_full(self) -> bool:
        """Whether nothing can be added."""
        return len(self.tools) >= self.most

    def chain(self) -> Chain:
        """The chain that they make."""
        links = sorted(self.links, key=lambda link: (link.consumer, link.input))
        return Chain(tuple(tool.wire_name for tool in self.tools), tuple(links))


def _is_barred(producer: ToolSpec, output: str, consumer: ToolSpec, path: str) -> bool:
    """Whether no sensible call takes an argument from there.

    It would end what was just made or changed; what it is about is over; or it is for what has been used, such as the
    hotel of a stay, and takes nothing from a mere search.
    """
    entity = consumer.input_by_path[path].ref
    mine = [relation for relation in _closing(consumer) if relation.parameter == path]
    holder = output.rpartition(".")[0]
    shown = next((shape.entity for shape in producer.output_shapes if shape.path == holder), "")
    if any(isinstance(relation, NamedIn) and relation.entity != shown for relation in mine):
        return True
    if not producer.writes:
        return False
    over = {producer.input_by_path[relation.parameter].ref for relation in _closing(producer)}
    return bool(entity) and (entity in over or any(isinstance(relation, Ends) for relation in mine))


def _closing(tool: ToolSpec) -> Iterator[Ends | NamedIn]:
    for relation in tool.where:
        if isinstance(relation, Ends) or (isinstance(relation, NamedIn) and relation.status):
            yield relation


def _conditions(tool: ToolSpec) -> Conditions:
    found: Conditions = {}
    for relation in tool.where:
        if isinstance(relation, Having):
            found[tool.input_by_path[relation.parameter].ref, relation.field] = frozenset(relation.among)
        elif isinstance(relation, NamedIn) and relation.status:
            found[relation.entity, relation.status] = frozenset(relation.among)
    return found


def _met(mine: Conditions, theirs: Conditions) -> Conditions | None:
    """Conditions that meet both; None if no value of some field does."""
    both = {**mine, **theirs, **{key: mine[key] & theirs[key] for key in mine.keys() & theirs.keys()}}
    return both if all(both.values()) else None
