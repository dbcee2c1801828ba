"""Stage `serve`: the chosen environments as one MCP server on standard input and output; on demand."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory.pipeline.stage import Stage, StageContext


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Serve one session until the client is gone."""
    from envfactory.catalogue import backend
    from envfactory.environment import Reference, Session
    from envfactory.serving.mcp import serve_stdio

    config = context.config
    names = config.domain.names()
    reference = Reference(environments=dict(context.environments), seed=context.seed, size=config.serve.scenario_size)
    with Session(backend(names), reference) as session:
        serve_stdio(session)
        return {"tools": len(list(session.tools()))}


STAGE = Stage(name="serve", version=1, reads=("domain", "seed"), takes=(), modules=("envfactory.serving",), run=run)
