"""Stage `report`: everything a run made on one self-contained page, `index.html`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

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
            backend=backend(context.config.domain.names()),
        ),
        context.output,
    )


STAGE = Stage(
    name="report",
    version=1,
    reads=("domain", "reward", "seed"),
    takes=("graph", "sample", "synthesize", "score", "export"),
    modules=("envfactory.reporting",),
    run=run,
)
