"""How varied chains are: figures that can be put side by side for two samplers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from envfactory.sampling.chain import Chain
from envfactory.sampling.validity import problems
from envfactory.toolgraph import ToolGraph

DIGITS = 4


def diversity(chains: Sequence[Chain], graph: ToolGraph) -> dict[str, Any]:
    """Measure chains.

    Returns:
        chains: how many; `valid_share` of them pass the independent check.
        distinct_share: different sequences of tools, over chains.
        tool_coverage, edge_coverage: share of the graph's tools that are called, of its edges that are links.
        tool_entropy_bits: of the distribution of calls over tools; `tool_entropy_normalised` over that of even use.
        length_mean, length_histogram: tools a chain; the histogram is by length, as text, in order.
        across_share: chains that call more than one environment.
        links_mean: links a chain.
    """
    count = len(chains)
    calls = Counter(tool for chain in chains for tool in chain.tools)
    edges = {
        (chain.tools[link.producer], link.output, chain.tools[link.consumer], link.input)
        for chain in chains
        for link in chain.links
    }
    lengths = Counter(len(chain.tools) for chain in chains)
    total = calls.total()
    entropy = -sum(n / total * math.log2(n / total) for n in calls.values())
    even = math.log2(len(graph.tools)) if len(graph.tools) > 1 else 0.0
    return {
        "chains": count,
        "valid_share": _share(sum(not problems(chain, graph) for chain in chains), count),
        "distinct_share": _share(len({chain.tools for chain in chains}), count),
        "tool_coverage": _share(len(calls), len(graph.tools)),
        "edge_coverage": _share(len(edges), len(graph.edges)),
        "tool_entropy_bits": round(entropy, DIGITS) + 0.0,
        "tool_entropy_normalised": round(entropy / even, DIGITS) + 0.0 if even else 0.0,
        "length_mean": _share(total, count),
        "length_histogram": {str(length): lengths[length] for length in sorted(lengths)},
        "across_share": _share(sum(len(chain.environments) > 1 for chain in chains), count),
        "links_mean": _share(sum(len(chain.links) for chain in chains), count),
    }


def side_by_side(chains: Mapping[str, Sequence[Chain]], graph: ToolGraph) -> dict[str, dict[str, Any]]:
    """The figures of several samplers: for each figure, its value by sampler."""
    measured = {name: diversity(drawn, graph) for name, drawn in chains.items()}
    figures = dict.fromkeys(figure for values in measured.values() for figure in values)
    return {figure: {name: values[figure] for name, values in measured.items()} for figure in figures}


def _share(part: int, whole: int) -> float:
    return round(part / whole, DIGITS) if whole else 0.0
