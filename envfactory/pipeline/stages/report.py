"""Stage `report`: everything a run made on one self-contained page, `index.html`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory.config import Config
from envfactory.pipeline.stage import Stage, StageContext


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Gather figures and conversations into the page."""
    from envfactory.catalogue import backend
    from envfactory.reporting import ReportInputs, build_report

    inputs = context.inputs
    return build_report(
        ReportInputs(
            graph=inputs["graph"] / "tool_graph.json",
            chains=inputs["sample"] / "chains.jsonl",
            trajectories=inputs["synthesize"] / "trajectories.jsonl",
            scores=inputs["score"] / "scores.jsonl",
            splits=inputs["export"] / "splits.json",
            metrics=context.metrics,
            costs=context.costs,
            about={
                "seed": str(context.seed),
                "environments": ", ".join(context.environments),
                "alpha": f"{context.config.reward.alpha:g}",
            },
            backend=backend(context.config.domain.chosen()),
        ),
        context.output,
    )


def inputs_of(config: Config) -> tuple[str, ...]:
    """The stages that make data; of those that train and evaluate, the ones that the run has anyway."""
    trained = (stage for stage in ("sft", "rl", "evaluate") if stage in config.stages)
    return "graph", "sample", "synthesize", "score", "export", *trained


STAGE = Stage(
    name="report",
    version=5,
    reads=("domain", "reward", "seed"),
    takes=inputs_of,
    modules=("envfactory.reporting",),
    run=run,
)
