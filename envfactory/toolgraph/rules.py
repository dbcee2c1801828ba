"""Refinement by rules: which proposed pairs fall, which undetected ones are added, and why.

Unlike the proposal, rules see declarations. A pair whose declarations agree (`Ref` or `Value` of one name) stands
unless it is an echo; one without declarations stands only if its text proposed it and no rule speaks against it:

| reason | the pair falls because |
|---|---|
| entity | the two are ids of different entities |
| id | one of the two is an id, the other is not |
| value | the two belong to different domains of values |
| one-sided | a domain of values is declared on one side only |
| secret | only the person has it, and no tool gives it |
| free text | prose is written, not passed on |
| boolean, enum | the user chooses among options; they are passed on only where declarations agree |
| paging | it is bookkeeping of pages |
| number | a count or a grade without a unit means nothing elsewhere |
| unit | the two are counted in different units |
| echo | the producer only gives back what it was itself given |
"""

from __future__ import annotations

from collections.abc import Iterable

from envfactory.toolgraph.leaves import Leaf, Leaves
from envfactory.toolgraph.propose import Pair
from envfactory.toolgraph.score import agree

PAGING = frozenset({"page", "pages", "page_size", "per_page", "limit", "offset", "total"})


def objection(output: Leaf, into: Leaf) -> str:
    """Why a pair falls (`"reason: detail"`), or nothing; for echoes see `echo_inputs`."""
    source, sink = output.parameter, into.parameter
    if sink.secret:
        return f"secret: only the person has the {sink.secret}"
    if sink.free_text or source.free_text:
        return "free text: prose is written, not passed on"
    if output.ref or into.ref:
        if not (output.ref and into.ref):
            return f"id: only the {'input' if into.ref else 'output'} is one, of a {output.ref or into.ref}"
        return "" if output.ref == into.ref else f"entity: a {output.ref} is no {into.ref}"
    if source.value or sink.value:
        if source.value == sink.value:
            return _unit(output, into)
        if source.value and sink.value:
            return f"value: {source.value} is not {sink.value}"
        side = "output" if source.value else "input"
        return f"one-sided: only the {side} is declared, as {source.value or sink.value}"
    if sink.type == "boolean":
        return "boolean: the user chooses"
    if sink.enum or source.enum:
        return "enum: the user chooses"
    if sink.type in ("integer", "number"):
        if sink.type == "integer" and not PAGING.isdisjoint((source.name, sink.name)):
            return "paging: bookkeeping of pages"
        return _unit(output, into) or (
            "" if sink.unit else "number: a count or grade without a unit means nothing elsewhere"
        )
    return ""


def declared(leaves: Leaves, top: int) -> Iterable[Pair]:
    """The pairs whose declarations agree: all inside an environment; across, up to `top` producing tools for an input.

    Across environments every declared pair is as good as the next, so the producers are taken from as many environments
    as possible, in the order of their names.
    """
    by_key: dict[str, dict[str, list[int]]] = {}
    for index, leaf in enumerate(leaves.outputs):
        if leaf.key:
            by_key.setdefault(leaf.key, {}).setdefault(leaves.environments[leaf.tool], []).append(index)
    for index, into in enumerate(leaves.inputs):
        homes = by_key.get(into.key, {}) if into.key else {}
        own = leaves.environments[into.tool]
        for output in homes.get(own, ()):
            leaf = leaves.outputs[output]
            if leaf.tool != into.tool and agree(leaf, into):
                yield output, index
        yield from ((output, index) for output in _abroad(leaves, homes, own, into, top))


def _abroad(leaves: Leaves, homes: dict[str, list[int]], own: str, into: Leaf, top: int) -> Iterable[int]:
    tools: set[int] = set()
    away = [iter(outputs) for home, outputs in homes.items() if home != own]
    while away and len(tools) < top:
        for outputs in tuple(away):
            output = next((o for o in outputs if agree(leaves.outputs[o], into)), None)
            if output is None:
                away.remove(outputs)
            elif len(tools) < top or leaves.outputs[output].tool in tools:
                tools.add(leaves.outputs[output].tool)
                yield output


def echo_inputs(leaves: Leaves, output: Leaf) -> tuple[Leaf, ...]:
    """The required inputs that an output leaf gives back: of the same key, and not one of many things found by it.

    A tool that takes a Hotel's id and gives a single Hotel's id gives the same one; in a list it does so if the leaf is
    named like the input (`reviews[].hotel_id` by `hotel_id`), otherwise the list holds others (`similar[].id`).
    """
    if not output.key:
        return ()
    return tuple(
        leaf
        for leaf in leaves.inputs_of[output.tool]
        if leaf.required
        and leaf.key == output.key
        and (not output.listed or output.parameter.name == leaf.parameter.name)
    )


def _unit(output: Leaf, into: Leaf) -> str:
    left, right = output.parameter.unit, into.parameter.unit
    if left == right:
        return ""
    return f"unit: {left or 'no unit'} is not {right or 'no unit'}"
