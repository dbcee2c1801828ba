"""Stage `graph`: environments to the tool graph, `tool_graph.json`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory.pipeline.stage import Stage, StageContext, told_by_stage
from envfactory.pipeline.voices import open_voice

ROLES = ("graph",)
"""What a model may take part in."""


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Build the graph and save it."""
    from envfactory.catalogue import backend
    from envfactory.embedding import EmbedderError
    from envfactory.embedding.choose import choose_embedder
    from envfactory.toolgraph import build_graph
    from envfactory.toolgraph.adviser import ModelAdviser

    config = context.config
    environments = backend(config.domain.chosen())
    with told_by_stage(EmbedderError), open_voice(context, "graph", *ROLES) as speaking:
        embedder = choose_embedder(config.embedder, context.progress.track)
        adviser = ModelAdviser(speaking.voice, environments.specs) if speaking.voice else None
        graph = build_graph(environments.specs.values(), embedder, config.graph, environments, adviser)
        graph.save(context.output / "tool_graph.json")
        return {**graph.statistics(), **speaking.metrics()}


STAGE = Stage(
    name="graph",
    version=5,
    reads=("domain", "embedder", "graph"),
    takes=(),
    modules=("envfactory.toolgraph", "envfactory.embedding"),
    run=run,
    roles=ROLES,
)
