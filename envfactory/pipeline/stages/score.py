"""Stage `score`: every candidate's reward and its terms, `scores.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory.files import JsonlWriter, read_jsonl
from envfactory.pipeline.stage import Stage, StageContext

TERMS = ("reward", "r_traj", "r_state", "p_length")


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Score the candidates of every trajectory."""
    from envfactory.catalogue import backend
    from envfactory.environment import EnvironmentFailure
    from envfactory.reward import Rescorer, RewardSettings
    from envfactory.trajectory import Trajectory

    rescorer = Rescorer(backend(context.config.domain.chosen()), RewardSettings(**context.config.reward.model_dump()))
    sums = dict.fromkeys(TERMS, 0.0)
    count = failed = undecided = 0
    total = int(context.metrics["synthesize"]["trajectories"])  # pyright: ignore[reportArgumentType]
    source = read_jsonl(context.inputs["synthesize"] / "trajectories.jsonl")
    with JsonlWriter(context.output / "scores.jsonl") as writer:
        for row in context.progress.track(source, total, "trajectories"):
            trajectory = Trajectory.model_validate(row)
            try:
                scores = rescorer.rows(trajectory)
            except EnvironmentFailure as error:
                failed += 1
                context.log.warning("%s: %s: %s", trajectory.id, error.kind, error)
                continue
            for score in scores:
                writer.write(score.model_dump(mode="json"))
                count += 1
                undecided += bool(score.undecided)
                for term in TERMS:
                    sums[term] += getattr(score, term)
    means: dict[str, JsonValue] = {f"{term}_mean": round(sums[term] / max(1, count), 6) for term in TERMS}
    return {"scored": count, **means, "undecided": undecided, "infrastructure_failures": failed}


STAGE = Stage(
    name="score",
    version=1,
    reads=("domain", "reward"),
    takes=("synthesize",),
    modules=("envfactory.reward", "envfactory.gold"),
    run=run,
)
