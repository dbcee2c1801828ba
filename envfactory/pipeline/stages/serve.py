"""Stage `serve`, on demand: the chosen environments as an MCP server, or a model behind vLLM."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory.config import Config
from envfactory.config.serving import McpServingConfig, VllmServingConfig
from envfactory.pipeline.programs import needs_server
from envfactory.pipeline.stage import Stage, StageContext, told_by_stage


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Serve until the client is gone, or until it is stopped."""
    serving = context.config.serving
    return _environments(context, serving) if serving.kind == "mcp" else _model(context, serving)


def _environments(context: StageContext, serving: McpServingConfig) -> Mapping[str, JsonValue]:
    from envfactory.catalogue import backend
    from envfactory.environment import Reference, Session
    from envfactory.serving.mcp import serve_stdio

    names = context.config.domain.chosen()
    reference = Reference(environments=dict(context.environments), seed=context.seed, size=serving.scenario_size)
    with Session(backend(names), reference) as session:
        serve_stdio(session)
        return {"tools": len(list(session.tools()))}


def _model(context: StageContext, serving: VllmServingConfig) -> Mapping[str, JsonValue]:
    from envfactory.serving.models import ready_model
    from envfactory.serving.vllm import serve_recipe, served
    from envfactory.training.places import TrainingError, find_interpreter

    config = context.config
    with told_by_stage(TrainingError):
        recipe = serve_recipe(config, ready_model(config, serving.model, context.inputs))
        interpreter = find_interpreter(config.training.python, recipe.hardware)
        with served(recipe, interpreter, context.partial, port=serving.port) as endpoint:
            print(f"{serving.model} is served at {endpoint.url} as {endpoint.model}; Ctrl-C stops it")
            print(endpoint.curl(), flush=True)
            endpoint.wait()
    return {}


def models(config: Config) -> tuple[str, ...]:
    """The stage that gives the model that is served, if one does."""
    serving = config.serving
    return (serving.model,) if serving.kind == "vllm" and serving.model in ("sft", "rl") else ()


def plan(config: Config) -> str:
    """Say what would be started."""
    from envfactory.serving.models import expected_model
    from envfactory.serving.vllm import plan as plan_serving
    from envfactory.training.places import TrainingError

    serving = config.serving
    if serving.kind == "mcp":
        return "stage serve\n\nthe environments are served by this process; no program is started\n"
    with told_by_stage(TrainingError):
        model = {serving.model: expected_model(config, serving.model)}
        return f"stage serve\n\n{plan_serving(config, model, port=serving.port)}\n"


def needs(config: Config) -> None:
    """Refuse a model that cannot be served here; environments need nothing."""
    if config.serving.kind == "vllm":
        needs_server(config)


STAGE = Stage(
    name="serve",
    version=2,
    reads=("domain", "seed", "backbone", "rl.thinking", "training.preserve_thinking"),
    takes=models,
    modules=("envfactory.serving",),
    run=run,
    plan=plan,
    needs=needs,
)
