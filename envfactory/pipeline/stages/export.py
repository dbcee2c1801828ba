"""Stage `export`: trajectories to the files of supervised fine-tuning (`sft*`) and reinforcement learning (`rl_*`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from pydantic import JsonValue

from envfactory.files import read_jsonl, write_json_atomic
from envfactory.pipeline.stage import Stage, StageContext

if TYPE_CHECKING:
    from envfactory.dataset import RLRow, Sample, SetName
    from envfactory.trajectory import Trajectory


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Split by kind of task; write a sample for each step to learn by example, and a row for each turn to play."""
    from envfactory.dataset import (
        Sizes,
        dataset_info,
        group_of,
        read_tools,
        rl_rows,
        samples,
        split,
        write_rl_rows,
        write_samples,
        write_splits,
    )
    from envfactory.dataset.opening import engine_of
    from envfactory.querygen.knowledge import knowledge_by_turn
    from envfactory.trajectory import Trajectory

    config = context.config
    source = context.inputs["synthesize"] / "trajectories.jsonl"
    tools = read_tools(context.inputs["synthesize"] / "tools.json")
    groups = {row["id"]: group_of(call["tool"] for call in row["gold"]["calls"]) for row in read_jsonl(source)}
    splits = split(groups, Sizes.of(config.scale.sft, config.scale.rl, config.scale.validation), context.seed)
    write_splits(context.output / "splits.json", splits)

    def of_set(name: SetName) -> Iterator[Trajectory]:
        rows = context.progress.track(read_jsonl(source), len(groups), f"trajectories for {name}")
        for row in rows:
            if splits.sets[row["id"]] == name:
                yield Trajectory.model_validate(row)

    def learned(name: SetName) -> Iterator[Sample]:
        for trajectory in of_set(name):
            yield from samples(trajectory, tools)

    def played(name: SetName, part: Literal["train", "validation"]) -> Iterator[RLRow]:
        first = 0
        for trajectory in of_set(name):
            knowledge = knowledge_by_turn(engine_of(trajectory.gold.reference), trajectory.gold)
            for row in rl_rows(trajectory, tools, part, first, knowledge):
                yield row
                first = row.extra_info.index + 1

    name = config.dataset.name
    files = {name: "sft.json", f"{name}_validation": "sft_validation.json"}
    written: dict[str, JsonValue] = {
        "sft_samples": write_samples(context.output / "sft.json", learned("sft")),
        "sft_validation_samples": write_samples(context.output / "sft_validation.json", learned("sft_validation")),
        "rl_turns": write_rl_rows(context.output / "rl_train.parquet", played("rl", "train")),
        "rl_validation_turns": write_rl_rows(context.output / "rl_val.parquet", played("rl_validation", "validation")),
    }
    write_json_atomic(context.output / "dataset_info.json", dataset_info(files))
    sets: dict[str, JsonValue] = dict(splits.counts.items())
    return {**written, "trajectories": sets}


STAGE = Stage(
    name="export",
    version=6,
    reads=("dataset", "scale.sft", "scale.rl", "scale.validation", "seed"),
    takes=("synthesize",),
    modules=(
        "envfactory.dataset", "envfactory.querygen.knowledge", "envfactory.querygen.names",
        "envfactory.querygen.program", "envfactory.querygen.wording",
    ),
    run=run,
    environments=False,  # a trajectory names those that it was played in, with their digests
)  # fmt: skip
