"""`Adjacency`: a tool graph as lists of small integers, which is what a sampler's inner loop walks."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from envfactory.sampling.chain import Chain, Link
from envfactory.sampling.picks import is_short
from envfactory.toolgraph import Edge, ToolGraph

T = TypeVar("T")
Fed = list[tuple[str, int, str]]
"""What feeds one call: input path, position of the producing call, output path."""


@dataclass(frozen=True, slots=True)
class Slot:
    """An input that some tool feeds, or that some tool must.

    Attributes:
        demanded: required and internal, so that an earlier tool must produce it.
        outputs: which outputs of which tool feed it.
        sources: the tools that do; `near` those of the consumer's own environment, `far` the others.
    """

    path: str
    demanded: bool
    outputs: dict[int, tuple[str, ...]]
    sources: frozenset[int]
    near: tuple[int, ...]
    far: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Adjacency:
    """Tools by index in the order of their wire names.

    Attributes:
        environments: index of each tool's environment.
        slots: the slots of each tool, the demanded ones first.
        near, far: the tools that a tool feeds, in its own environment and in others.
        entries: for each tool and each that it feeds, the inputs by which: the demanded ones if there are such, since
            an edge into those is what the other tool is called for.
    """

    names: tuple[str, ...]
    environments: tuple[int, ...]
    slots: tuple[tuple[Slot, ...], ...]
    near: tuple[tuple[int, ...], ...]
    far: tuple[tuple[int, ...], ...]
    entries: tuple[dict[int, tuple[str, ...]], ...]

    @classmethod
    def of(cls, graph: ToolGraph) -> Adjacency:
        """Number the tools and their neighbours."""
        names = tuple(node.tool for node in graph.tools)
        index = {name: position for position, name in enumerate(names)}
        homes = sorted({node.environment for node in graph.tools})
        environments = tuple(homes.index(node.environment) for node in graph.tools)
        slots: list[tuple[Slot, ...]] = []
        for consumer, node in enumerate(graph.tools):
            found: list[Slot] = []
            for leaf in node.inputs:
                outputs: dict[int, tuple[str, ...]] = {}
                demanded = leaf.required and leaf.kind == "internal"
                for edge in _walkable(graph.into(node.tool, leaf.path), demanded):
                    outputs[index[edge.producer]] = (*outputs.get(index[edge.producer], ()), edge.output)
                if demanded or outputs:
                    near, far = _split(sorted(outputs), environments, environments[consumer])
                    found.append(Slot(leaf.path, demanded, outputs, frozenset(outputs), near, far))
            slots.append(tuple(sorted(found, key=lambda slot: not slot.demanded)))
        after: list[list[int]] = [[] for _ in names]
        for consumer in range(len(names)):
            for producer in sorted(frozenset[int]().union(*(slot.sources for slot in slots[consumer]))):
                after[producer].append(consumer)
        sides = [_split(tools, environments, environments[tool]) for tool, tools in enumerate(after)]
        entries = tuple({other: _entries(slots[other], tool) for other in tools} for tool, tools in enumerate(after))
        return cls(names, environments, tuple(slots), tuple(s[0] for s in sides), tuple(s[1] for s in sides), entries)

    def chain(self, tools: Sequence[int], fed: Sequence[Fed]) -> Chain:
        """Name the tools of a chain and make its links, from what feeds each call."""
        links = [
            Link(position, path, source, output) for position, call in enumerate(fed) for path, source, output in call
        ]
        return Chain(tuple([self.names[tool] for tool in tools]), tuple(links))


def _walkable(edges: Sequence[Edge], demanded: bool) -> Sequence[Edge]:
    """The edges that chains use: those that succeeded, or were never tried because proof was off.

    An edge whose value the consumer always refused (a stay just booked cannot be reviewed) leads nowhere, and neither
    does one from an item that nobody can point to; they are used only where a demanded input has no better one.
    """
    good = [edge for edge in edges if edge.proof.outcome in ("ok", "") and is_short(edge.output)]
    return good or (edges if demanded else ())


def _entries(slots: Sequence[Slot], source: int) -> tuple[str, ...]:
    fed = [slot for slot in slots if source in slot.sources]
    return tuple(slot.path for slot in [slot for slot in fed if slot.demanded] or fed)


def _split(tools: Sequence[int], environments: Sequence[int], home: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    near = tuple(tool for tool in tools if environments[tool] == home)
    return near, tuple(tool for tool in tools if environments[tool] != home)


def pick(options: Sequence[T], rng: random.Random) -> T:
    """One of the options; faster than `random.choice`, and as uniform for the few that there are."""
    return options[int(rng.random() * len(options))]


def feed(
    slots: Sequence[Slot], tools: Sequence[int], chosen: dict[str, int], uniform: Callable[[], float]
) -> Fed:  # fmt: skip
    """Say what feeds a call: the chosen producers, and for other demanded inputs an earlier call wherever one can.

    A producer that feeds one input feeds the others that it can, so that order and seller come from one look-up.

    Args:
        slots: of the call's tool.
        tools: of the earlier calls, by position.
        chosen: position of the producer for the inputs that have one already, by path.
        uniform: draws from [0, 1); source of every choice.
    """
    fed: Fed = []
    used: list[int] | None = None
    for slot in slots:
        path = slot.path
        if path in chosen:
            source = chosen[path]
        elif slot.demanded:
            sources = slot.sources
            used = list(chosen.values()) if used is None else used
            earlier = [at for at in used if tools[at] in sources] or [at for at, t in enumerate(tools) if t in sources]
            if not earlier:
                continue
            source = earlier[int(uniform() * len(earlier))]
            used.append(source)
        else:
            continue
        outputs = slot.outputs[tools[source]]
        fed.append((path, source, outputs[0] if len(outputs) == 1 else outputs[int(uniform() * len(outputs))]))
    if len(fed) > 1:
        fed.sort()
    return fed
