"""Supervised fine-tuning by LlamaFactory: check the data, train, follow, continue after a kill, collect the checkpoint.

Everything happens in a folder that survives a kill:

    sft.yaml, zero3.json   what LlamaFactory is told
    report.json            what its own loader makes of the data
    checkpoints/           where it trains; `trainer_log.jsonl` grows by a line a step
    log.txt                its output
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from envfactory.config import Config
from envfactory.files import JsonlWriter, read_json, write_bytes_atomic
from envfactory.training.checkpoint import collect
from envfactory.training.places import Interpreter, TrainingError
from envfactory.training.process import run_to_end, running
from envfactory.training.ready import find_trainer
from envfactory.training.recipe import CHECKPOINTS, DEEPSPEED, Recipe, sft_recipe
from envfactory.training.tiny import tiny_model

__all__ = ["Curve", "Follow", "read_lines", "train_sft"]

Curve = list[dict[str, Any]]
Follow = Callable[[Iterator[int], int | None, str], Iterator[int]]

HERE = Path(__file__).parent
CHECK = HERE / "inside" / "check_sft.py"
CHECK_TIMEOUT_S = 6 * 3600.0
SHOWN = 5
LOGGED = {"current_steps": "step", "epoch": "epoch", "loss": "loss", "eval_loss": "eval_loss", "lr": "learning_rate"}


def train_sft(config: Config, data: Path, work: Path, output: Path, follow: Follow) -> dict[str, Any]:
    """Train, and leave the model in `output/checkpoint`.

    Args:
        config: see `envfactory.training.recipe.sft_recipe`.
        data: folder of the training files.
        work: a folder that survives a kill; training continues from what is there.
        output: takes `checkpoint/`, `curves.jsonl` (a row a step) and `sft.yaml`.
        follow: tells progress: ``follow(steps, total, label)`` yields the steps.

    Returns:
        Metrics: steps, first and last loss, the validation loss before and after, what was learned from.

    Raises:
        TrainingError: no interpreter, a sample that does not fit or teaches nothing, or a training that failed.
    """
    data = data.resolve()
    validation = read_json(data / "sft_validation.json")
    samples = read_json(data / "sft.json")
    if not samples:
        raise TrainingError("there are no training samples; raise scale.sft")
    recipe = sft_recipe(config, data, validation=bool(validation))
    interpreter = find_trainer(config)
    if config.backbone.kind == "tiny":
        tiny_model(config.backbone, interpreter)
    write_bytes_atomic(work / "sft.yaml", recipe.yaml().encode())
    if recipe.deepspeed is not None:
        shutil.copyfile(recipe.deepspeed, work / DEEPSPEED)
    variables = {**interpreter.variables(), **recipe.variables(), "HF_DATASETS_CACHE": str(work / "datasets")}
    report = _checked(config, interpreter, work, variables, {"train": samples, "validation": validation})
    done, trained = last_checkpoint(work / CHECKPOINTS)
    if trained is None:
        if done:
            # What was validated at the beginning is not validated again.
            arguments = {**recipe.arguments, "eval_on_start": False}
            write_bytes_atomic(work / "sft.yaml", replace(recipe, arguments=arguments).yaml().encode())
        for _ in follow(_steps(recipe, config, interpreter, work, variables), _total(config, len(samples)), "steps"):
            pass
        trained = work / CHECKPOINTS
    curve = read_curve(work / CHECKPOINTS)
    losses = [row["loss"] for row in curve if "loss" in row]
    if not losses:
        raise TrainingError(f"training ended and logged no loss; its output is in {work / 'log.txt'}")
    if config.sft.kind == "lora":
        trained = _merged(config, recipe, trained, interpreter, work, variables)
    collect(trained, output / "checkpoint", preserve_thinking=config.training.preserve_thinking)
    with JsonlWriter(output / "curves.jsonl") as writer:
        for row in curve:
            writer.write(row)
    write_bytes_atomic(output / "sft.yaml", recipe.yaml().encode())
    evaluated = [row["eval_loss"] for row in curve if "eval_loss" in row]
    return {
        "steps": max(row["step"] for row in curve),
        "loss_first": losses[0],
        "loss_last": losses[-1],
        "validation_loss_first": evaluated[0] if evaluated else None,
        # A kill may have come between the last step and its validation.
        "validation_loss_last": curve[-1].get("eval_loss"),
        "samples": report["train"]["samples"],
        "tokens": report["train"]["tokens"],
        "learned_tokens": report["train"]["learned"],
        "longest_tokens": report["train"]["longest"],
        "continued_from_step": done,
        "devices": recipe.layout.devices,
    }


def read_curve(folder: Path) -> Curve:
    """Return a row a step from LlamaFactory's log; of a step that was repeated after a kill, the last."""
    rows: dict[int, dict[str, Any]] = {}
    for line in read_lines(folder / "trainer_log.jsonl"):
        row = {ours: line[theirs] for theirs, ours in LOGGED.items() if theirs in line}
        if "loss" in row or "eval_loss" in row:
            # Training and validation log the last step apart.
            rows[row["step"]] = rows.get(row["step"], {}) | row
    curve = [rows[step] for step in sorted(rows)]
    # What the trainer finds after the last step stands beside the log; a kill may have come before.
    with suppress(OSError, ValueError):
        found = read_json(folder / "eval_results.json")
        if curve and "eval_loss" in found:
            curve[-1]["eval_loss"] = found["eval_loss"]
    return curve


def _total(config: Config, samples: int) -> int:
    by_epochs = max(1, int(-(-samples // config.sft.batch_size) * config.sft.epochs))
    return config.sft.max_steps or by_epochs


def _checked(
    config: Config, interpreter: Interpreter, work: Path, variables: Mapping[str, str], sets: Mapping[str, list[Any]]
) -> dict[str, Any]:
    """Let LlamaFactory's loader read the data, and refuse what it would drop, cut or learn nothing from."""
    path = work / "report.json"
    if not path.is_file():
        run_to_end(
            [interpreter.python, CHECK, "sft.yaml", "report.new.json"],
            folder=work,
            log=work / "check.txt",
            variables={**variables, "FORCE_TORCHRUN": "0"},
            timeout_s=min(CHECK_TIMEOUT_S, config.training.timeout_s),
        )
        (work / "report.new.json").replace(path)
    report: dict[str, Any] = read_json(path)
    for name, samples in sets.items():
        found = report[name]
        if found["samples"] != len(samples):
            raise TrainingError(f"LlamaFactory's loader keeps {found['samples']} of the {len(samples)} {name} samples")
        for index in found["too_long"][:1]:
            raise TrainingError(
                f"{len(found['too_long'])} {name} samples are longer than backbone.context={config.backbone.context} "
                f"tokens, and would lose their system prompt and tools; the longest has {found['longest']}, the first "
                f"is {samples[index]['id']}"
            )
        if found["nothing_learned"]:
            ids = ", ".join(samples[index]["id"] for index in found["nothing_learned"][:SHOWN])
            raise TrainingError(f"nothing is learned from {len(found['nothing_learned'])} {name} samples: {ids}")
    return report


def _steps(
    recipe: Recipe, config: Config, interpreter: Interpreter, work: Path, variables: Mapping[str, str]
) -> Iterator[int]:
    """Run the training, yielding each step as it is logged."""
    log = work / CHECKPOINTS / "trainer_log.jsonl"
    told = 0
    looks = running(
        recipe.command(interpreter.python),
        folder=work,
        log=work / "log.txt",
        variables=variables,
        timeout_s=config.training.timeout_s,
    )
    with closing(looks):
        for _ in looks:
            newest = max((line.get("current_steps", 0) for line in read_lines(log) if "loss" in line), default=0)
            for told in range(told + 1, newest + 1):  # noqa: B020
                yield told


def read_lines(log: Path) -> Iterator[dict[str, Any]]:
    """Yield what a log of JSON lines holds so far; a line still being written, or cut by a kill, is passed over."""
    if not log.is_file():
        return
    for line in log.read_bytes().splitlines():
        try:
            yield orjson.loads(line)
        except orjson.JSONDecodeError:
            continue


def last_checkpoint(folder: Path) -> tuple[int, Path | None]:
    """Return the step that was reached, 0 for none, and its checkpoint if that was the last step of all.

    A trainer that is started continues from the newest checkpoint, whole or not, so those that a kill left half written
    are removed; and it takes a step more from the last one of all, so who finds that need not start it.
    """
    done, last = 0, None
    for checkpoint in folder.glob("checkpoint-*"):
        # The trainer writes its state last.
        try:
            state = read_json(checkpoint / "trainer_state.json")
            step, steps = int(state["global_step"]), int(state["max_steps"])
        except (OSError, ValueError):
            shutil.rmtree(checkpoint)
            continue
        if step > done:
            done, last = step, checkpoint if step >= steps else None
    return done, last


def _merged(
    config: Config, recipe: Recipe, adapters: Path, interpreter: Interpreter, work: Path, variables: Mapping[str, str]
) -> Path:
    """Merge the adapters into the model."""
    folder = work / "merged"
    shutil.rmtree(folder, ignore_errors=True)
    names = ("model_name_or_path", "model_revision", "template", "finetuning_type")
    arguments = {name: recipe.arguments[name] for name in names if name in recipe.arguments}
    arguments |= {
        "adapter_name_or_path": str(adapters.relative_to(work)),
        "export_dir": folder.name,
        "export_device": "cpu",
    }
    write_bytes_atomic(work / "merge.yaml", orjson.dumps(arguments))
    run_to_end(
        [interpreter.python, "-m", "llamafactory.cli", "export", "merge.yaml"],
        folder=work,
        log=work / "log.txt",
        variables={**variables, "FORCE_TORCHRUN": "0"},
        timeout_s=config.training.timeout_s,
    )
    return folder
