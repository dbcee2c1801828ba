"""Stage `export`: trajectories to `sft.json`, `sft_validation.json`, `dataset_info.json` and `splits.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pydantic import JsonValue

from envfactory.files import read_jsonl, write_json_atomic
from envfactory.pipeline.stage import Stage, StageContext

if TYPE_CHECKING:
    from envfactory.dataset import Sample, SetName


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Split by kind of task and write one sample for each step that is to be learned."""
    from envfactory.dataset import (
        Sizes,
        dataset_info,
        group_of,
        read_tools,
        samples,
        split,
        write_samples,
        write_splits,
    )
    from envfactory.trajectory import Trajectory

    config = context.config
    source = context.inputs["synthesize"] / "trajectories.jsonl"
    tools = read_tools(context.inputs["synthesize"] / "tools.json")
    groups = {row["id"]: group_of(call["tool"] for call in row["gold"]["calls"]) for row in read_jsonl(source)}
    splits = split(groups, Sizes.of(config.scale.sft, config.scale.rl, config.scale.validation), context.seed)
    write_splits(context.output / "splits.json", splits)

    def of_set(name: SetName) -> Iterator[Sample]:
        rows = context.progress.track(read_jsonl(source), len(groups), f"trajectories for {name}")
        for row in rows:
            if splits.sets[row["id"]] == name:
                yield from samples(Trajectory.model_validate(row), tools)

    name = config.dataset.name
    files = {name: "sft.json", f"{name}_validation": "sft_validation.json"}
    written = {
        "sft": write_samples(context.output / "sft.json", of_set("sft")),
        "sft_validation": write_samples(context.output / "sft_validation.json", of_set("sft_validation")),
    }
    write_json_atomic(context.output / "dataset_info.json", dataset_info(files))
    sets: dict[str, JsonValue] = dict(splits.counts.items())
    return {"sft_samples": written["sft"], "sft_validation_samples": written["sft_validation"], "trajectories": sets}


STAGE = Stage(
    name="export",
    version=1,
    reads=("dataset", "scale.sft", "scale.rl", "scale.validation", "seed"),
    takes=("synthesize",),
    modules=("envfactory.dataset",),
    run=run,
    environments=False,
)
