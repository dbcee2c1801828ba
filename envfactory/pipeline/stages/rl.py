"""Stage `rl`: turns to be played to a model that learned from playing them, `checkpoint/`, and `curves.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory.config import Config
from envfactory.pipeline.programs import needs_trainer
from envfactory.pipeline.stage import Stage, StageContext, told_by_stage


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Train what stage `sft` gives, or the backbone, on the exported turns."""
    from envfactory.training.places import TrainingError
    from envfactory.training.rl import train_rl

    initial = context.inputs.get("sft")
    with told_by_stage(TrainingError):
        metrics = train_rl(
            context.config,
            context.inputs["export"],
            None if initial is None else initial / "checkpoint",
            context.partial.resolve(),
            context.output,
            context.progress.track,
        )
    if metrics["turns_left_out"]:
        context.log.warning(
            "%d turns were left out (see report.json): their prompts are longer than rl.prompt_tokens=%d",
            metrics["turns_left_out"],
            context.config.rl.prompt_tokens,
        )
    context.ledger.count(training_steps=metrics["steps"], rollouts=metrics["rollouts"])
    return metrics


def plan(config: Config) -> str:
    """Say what would be started."""
    from envfactory.training.grpo import plan as plan_rl
    from envfactory.training.places import TrainingError

    with told_by_stage(TrainingError):
        return plan_rl(config)


def takes(config: Config) -> tuple[str, ...]:
    """The turns, and the model to begin with if a stage gives it."""
    return ("export", "sft") if config.rl.init == "sft" else ("export",)


STAGE = Stage(
    name="rl",
    version=5,
    reads=("backbone", "rl", "reward", "training.preserve_thinking", "seed"),
    takes=takes,
    modules=(
        "envfactory.training",
        "envfactory.reward",
        "envfactory.gold",
        "envfactory.querygen.knowledge",
        "envfactory.querygen.moods",
        "envfactory.querygen.telling",
    ),
    run=run,
    plan=plan,
    needs=needs_trainer,
)
