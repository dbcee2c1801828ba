"""Stage `sft`: training samples to a fine-tuned model, `checkpoint/`, and its curves, `curves.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory.config import Config
from envfactory.pipeline.stage import Stage, StageContext, told_by_stage


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Train the backbone on the exported samples."""
    from envfactory.training.places import TrainingError
    from envfactory.training.sft import train_sft

    with told_by_stage(TrainingError):
        metrics = train_sft(
            context.config, context.inputs["export"], context.partial.resolve(), context.output, context.progress.track
        )
    context.ledger.count(training_steps=metrics["steps"], training_samples=metrics["samples"])
    return metrics


def plan(config: Config) -> str:
    """Say what would be started."""
    from envfactory.training.places import TrainingError
    from envfactory.training.recipe import plan as plan_sft

    with told_by_stage(TrainingError):
        return plan_sft(config)


def needs(config: Config) -> None:
    """Refuse what cannot be trained here."""
    from envfactory.training.places import TrainingError
    from envfactory.training.ready import find_trainer

    with told_by_stage(TrainingError):
        find_trainer(config)


STAGE = Stage(
    name="sft",
    version=3,
    reads=("backbone", "sft", "training.preserve_thinking", "dataset.name", "seed"),
    takes=("export",),
    modules=("envfactory.training",),
    run=run,
    environments=False,
    plan=plan,
    needs=needs,
)
