"""Stage `graph`: environments to the tool graph, `tool_graph.json`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory.pipeline.stage import Stage, StageContext


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Build the graph and save it."""
    from envfactory.catalogue import backend
    from envfactory.embedding import Lexical
    from envfactory.toolgraph import build_graph

    config = context.config
    environments = backend(config.domain.names())
    embedder = Lexical(config.embedder.ngrams, config.embedder.threshold)
    graph = build_graph(environments.specs.values(), embedder, config.graph, environments)
    graph.save(context.output / "tool_graph.json")
    return graph.statistics()


STAGE = Stage(
    name="graph",
    version=3,
    reads=("domain", "embedder", "graph"),
    takes=(),
    modules=("envfactory.toolgraph", "envfactory.embedding"),
    run=run,
)
