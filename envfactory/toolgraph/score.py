"""How well pairs agree with the declarations: the truth is that a `Ref` or `Value` of the same name is on both sides.

Three things are kept apart: what the text proposed (it never saw a declaration), what is left after rules that do see
them, and what execution proved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from envfactory.embedding import Embedder
from envfactory.toolgraph.graph import Scores
from envfactory.toolgraph.leaves import Leaf, Leaves
from envfactory.toolgraph.propose import BLOCK, DIGITS, Pair, Texts, compatible


def agree(output: Leaf, into: Leaf) -> bool:
    """Whether the declarations say that the output is the kind of value that the input takes."""
    return bool(into.key) and output.key == into.key and compatible(output.form, into.form)


def declared_pairs(leaves: Leaves) -> int:
    """How many pairs of an output and an input of another tool agree by declaration."""
    outputs = Counter((leaf.key, leaf.form, leaf.tool) for leaf in leaves.outputs if leaf.key)
    by_key: dict[str, Counter[tuple[str, str]]] = {}
    for (key, form, _), count in outputs.items():
        by_key.setdefault(key, Counter())[form] += count
    total = 0
    for leaf in leaves.inputs:
        for form, count in by_key.get(leaf.key, Counter[tuple[str, str]]()).items() if leaf.key else ():
            if compatible(form, leaf.form):
                total += count - outputs[leaf.key, form, leaf.tool]
    return total


def scores(leaves: Leaves, pairs: Collection[Pair] | Mapping[Pair, object], declared: int) -> Scores:
    """Compare pairs with the `declared` pairs that agree."""
    right = sum(agree(leaves.outputs[output], leaves.inputs[into]) for output, into in pairs)
    return _scores(right, len(pairs), declared)


@dataclass(frozen=True, slots=True)
class Curve:
    """Scores of the text proposal by threshold, without a limit on producers."""

    points: tuple[tuple[float, Scores], ...]

    @property
    def best(self) -> float:
        """The highest F1 at any threshold."""
        return max(point.f1 for _, point in self.points)

    @property
    def choice(self) -> float:
        """The lowest threshold whose F1 is within 0.01 of the best.

        Of nearly equal ones the one that proposes most: rules and proof take away what is too much, but where nothing
        is declared, nothing brings back what was never proposed.
        """
        return min(threshold for threshold, point in self.points if point.f1 >= self.best - 0.01)


def threshold_curve(leaves: Leaves, embedder: Embedder, step: float = 0.02) -> Curve:
    """Score the text proposal at every threshold from `step` to 1, against the declarations."""
    texts = Texts.embed(leaves, embedder)
    edges = np.arange(1, round(1 / step) + 1) * step
    forms = sorted({leaf.form for leaf in (*leaves.outputs, *leaves.inputs)})
    keys = {key: code for code, key in enumerate(sorted({leaf.key for leaf in leaves.outputs}), start=1)}
    accepts = np.array([[compatible(out, into) for out in forms] for into in forms])
    out_form = np.array([forms.index(leaf.form) for leaf in leaves.outputs], dtype=np.intp)
    out_tool = np.array([leaf.tool for leaf in leaves.outputs], dtype=np.intp)
    out_key = np.array([keys[leaf.key] if leaf.key else 0 for leaf in leaves.outputs], dtype=np.intp)
    right = texts.unit[texts.outputs]
    proposed = np.zeros(len(edges), dtype=np.int64)
    correct = np.zeros(len(edges), dtype=np.int64)
    for start in range(0, len(leaves.inputs), BLOCK):
        block = leaves.inputs[start : start + BLOCK]
        cosines = np.round(texts.unit[texts.inputs[start : start + BLOCK]] @ right.T, DIGITS)
        allowed = accepts[np.ix_(np.array([forms.index(leaf.form) for leaf in block], dtype=np.intp), out_form)]
        allowed &= np.array([leaf.tool for leaf in block])[:, None] != out_tool
        true = allowed & (np.array([keys.get(leaf.key, -1) if leaf.key else -1 for leaf in block])[:, None] == out_key)
        for position, threshold in enumerate(edges):
            hit = cosines >= threshold - 1e-9
            proposed[position] += int((hit & allowed).sum())
            correct[position] += int((hit & true).sum())
    declared = declared_pairs(leaves)
    points = [
        (round(float(threshold), DIGITS), _scores(int(good), int(count), declared))
        for threshold, good, count in zip(edges, correct, proposed, strict=True)
    ]
    return Curve(tuple(points))


def _scores(right: int, pairs: int, declared: int) -> Scores:
    precision = right / pairs if pairs else 0.0
    recall = right / declared if declared else 0.0
    f1 = 2 * right / (pairs + declared) if pairs + declared else 0.0
    return Scores(
        pairs=pairs, declared=declared, precision=round(precision, 4), recall=round(recall, 4), f1=round(f1, 4)
    )
