"""The text proposal: output and input leaves whose texts are close (arXiv 2605.18703, section 3.2).

It sees names, types and descriptions, never `Ref` or `Value`; those are what it is scored against. Cosines are taken
between different texts only, block by block, so that a thousand tools cost one matrix product and little memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from envfactory.embedding import Embedder
from envfactory.toolgraph.leaves import Leaf, Leaves

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 256
"""Input texts compared at a time."""

DIGITS = 4
"""Decimals of a cosine: fewer than differ between machines, so that the threshold cuts the same everywhere."""

Pair = tuple[int, int]
"""Index of an output leaf, index of an input leaf."""


@dataclass(frozen=True)
class Texts:
    """The different texts of some leaves, embedded: `unit` [n, d], and for each leaf the row of its text."""

    unit: NDArray[np.float32]
    outputs: NDArray[np.intp]
    inputs: NDArray[np.intp]

    @classmethod
    def embed(cls, leaves: Leaves, embedder: Embedder) -> Texts:
        """Embed each text once."""
        known = sorted({leaf.text for leaf in (*leaves.outputs, *leaves.inputs)})
        row = {text: index for index, text in enumerate(known)}
        outputs = np.array([row[leaf.text] for leaf in leaves.outputs], dtype=np.intp)
        inputs = np.array([row[leaf.text] for leaf in leaves.inputs], dtype=np.intp)
        return cls(embedder.embed(known), outputs, inputs)

    def cosines(self, pairs: Sequence[Pair]) -> list[float]:
        """The cosine of each pair of an output and an input leaf, rounded."""
        found: list[float] = []
        for start in range(0, len(pairs), 4096):
            chosen = np.array(pairs[start : start + 4096], dtype=np.intp).reshape(-1, 2)
            left, right = self.unit[self.outputs[chosen[:, 0]]], self.unit[self.inputs[chosen[:, 1]]]
            found += [round(float(cosine), DIGITS) for cosine in np.einsum("nd,nd->n", left, right)]
        return found


def propose(leaves: Leaves, texts: Texts, threshold: float, top: int) -> dict[Pair, float]:
    """Propose pairs whose cosine reaches the threshold, by text and type alone.

    Args:
        leaves: of all tools.
        texts: their texts, embedded.
        threshold: lowest cosine.
        top: at most this many producing tools for an input: the closest, those of its own environment first among
            equally close ones.

    Returns:
        Cosine by pair, of different tools and compatible types.
    """
    found: dict[Pair, float] = {}
    outputs = _Grouped(leaves.outputs, texts.outputs, leaves.environments)
    inputs = _Grouped(leaves.inputs, texts.inputs, leaves.environments)
    for group, ranked in _close(texts.unit, inputs, outputs, threshold):
        for index in inputs.members[group]:
            consumer = leaves.inputs[index].tool
            producers: set[int] = set()
            for cosine, output in outputs.ordered(ranked, leaves.environments[consumer]):
                tool = leaves.outputs[output].tool
                if tool == consumer:
                    continue
                if tool not in producers and len(producers) >= top:
                    break
                producers.add(tool)
                found[output, index] = cosine
    return found


def compatible(output: tuple[str, str], accepted: tuple[str, str]) -> bool:
    """Whether a value of type and format `output` is one of `accepted`: the same, or a whole number for a number."""
    return output == accepted or (output[0], accepted[0]) == ("integer", "number")


class _Grouped:
    """Leaves by text, type and format; within a group by environment, so that an input finds its own ones first."""

    def __init__(self, leaves: tuple[Leaf, ...], rows: NDArray[np.intp], environments: tuple[str, ...]) -> None:
        groups: dict[tuple[int, tuple[str, str]], list[int]] = {}
        for index, leaf in enumerate(leaves):
            groups.setdefault((int(rows[index]), leaf.form), []).append(index)
        self.rows = np.array([row for row, _ in groups], dtype=np.intp)
        self.forms = [form for _, form in groups]
        self.members = list(groups.values())
        self._home: list[dict[str, list[int]]] = []
        for members in self.members:
            home: dict[str, list[int]] = {}
            for index in members:
                home.setdefault(environments[leaves[index].tool], []).append(index)
            self._home.append(home)

    def ordered(self, ranked: Iterable[tuple[float, int]], environment: str) -> Iterator[tuple[float, int]]:
        """The members of groups in their order, with their cosine; in a group those of an environment first."""
        for cosine, group in ranked:
            home = self._home[group]
            yield from ((cosine, index) for index in home.get(environment, ()))
            for other, members in home.items():
                if other != environment:
                    yield from ((cosine, index) for index in members)


def _close(
    unit: NDArray[np.float32], inputs: _Grouped, outputs: _Grouped, threshold: float
) -> Iterator[tuple[int, list[tuple[float, int]]]]:
    """For each group of inputs the close and compatible groups of outputs, with their cosine, closest first."""
    forms = sorted({*inputs.forms, *outputs.forms})
    accepts = np.array([[compatible(out, into) for out in forms] for into in forms])
    of_input = np.array([forms.index(form) for form in inputs.forms], dtype=np.intp)
    of_output = np.array([forms.index(form) for form in outputs.forms], dtype=np.intp)
    right = unit[outputs.rows]
    for start in range(0, len(inputs.members), BLOCK):
        block = slice(start, start + BLOCK)
        cosines = np.round(unit[inputs.rows[block]] @ right.T, DIGITS)
        hits = (cosines >= threshold) & accepts[np.ix_(of_input[block], of_output)]
        for row in range(len(hits)):
            near = np.flatnonzero(hits[row])
            ranked = [(-round(float(cosines[row, other]), DIGITS), int(other)) for other in near]
            yield start + row, [(-cosine, other) for cosine, other in sorted(ranked)]
