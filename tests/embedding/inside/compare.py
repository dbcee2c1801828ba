"""Scores embedders on the graph of some environments, as JSON on standard output: `compare.py FOLDER NAME ...`.

The folder is for the vectors, which the curve and the graph share.

Two truths: what the environments declare (`Ref`, `Value`), and what execution proved among all pairs that the
declarations or one of the embedders suggest. A proposal never sees either.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from envfactory.catalogue import backend
from envfactory.config.commandline import read_command
from envfactory.embedding.choose import choose_embedder
from envfactory.toolgraph import Settings, ToolGraph, build_graph, leaves_of, threshold_curve

Key = tuple[str, str, str, str]


def proposed(graph: ToolGraph) -> set[Key]:
    pairs = [*graph.edges, *graph.pruned]
    return {(pair.consumer, pair.input, pair.producer, pair.output) for pair in pairs if pair.proposed}


def scored(pairs: set[Key], truth: set[Key]) -> dict[str, float]:
    right = len(pairs & truth)
    return {
        "precision": round(right / len(pairs), 4),
        "recall": round(right / len(truth), 4),
        "f1": round(2 * right / (len(pairs) + len(truth)), 4),
    }


def main(folder: str, names: list[str]) -> None:
    environments = backend(names)
    leaves = leaves_of(environments.specs.values())
    commands = (["embedder=lexical"], ["embedder=minilm", f"embedder.vectors={folder}"])
    embedders = [choose_embedder(read_command(command).cells[0].config.embedder) for command in commands]
    graphs = [build_graph(environments.specs.values(), one, Settings(), environments) for one in embedders]
    truth = {edge.key for graph in graphs for edge in graph.edges if edge.proof.state == "proved"}
    told: dict[str, Any] = {
        "proved": len(truth),
        "pairs_declared": graphs[0].proposal.declared if graphs[0].proposal else 0,
    }
    for embedder, graph in zip(embedders, graphs, strict=True):
        curve = threshold_curve(leaves, embedder)
        told[embedder.name] = {
            "threshold": embedder.threshold,
            "best": curve.best,
            "choice": curve.choice,
            "curve": {threshold: point.model_dump() for threshold, point in curve.points},
            "pairs": len(proposed(graph)),
            "declared": graph.proposal.model_dump() if graph.proposal else None,
            "proved": scored(proposed(graph), truth),
            "refined": graph.refined.model_dump() if graph.refined else None,
            "edges": len(graph.edges),
            "proved_edges": sum(edge.proof.state == "proved" for edge in graph.edges),
            "by_text_alone": sum(
                edge.proposed and not any("declared" in why for why in edge.reasons) for edge in graph.edges
            ),
        }
    print(json.dumps(told, indent=1))


main(sys.argv[1], sys.argv[2:])
