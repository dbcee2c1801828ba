"""Reinforcement learning by verl: measure the turns, train, follow, continue after a kill, merge the checkpoint.

Everything happens in a folder that survives a kill:

    python/envfactory        this package, as the training interpreter finds it: a link
    train.parquet, ...       the turns that are played: those whose prompt is not too long
    rl.yaml, agent_loop.yaml what verl is told
    checkpoints/             where it trains: `global_step_<n>`, and the number of the last whole one
    metrics-<n>.jsonl        what it logs, a line a step; a file for each time that it was started
    log.txt                  its output
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import envfactory
from envfactory.config import Config
from envfactory.files import JsonlWriter, read_json, write_bytes_atomic, write_json_atomic
from envfactory.training.checkpoint import collect
from envfactory.training.grpo import CHECKPOINTS, LOOP, GrpoRecipe, grpo_recipe
from envfactory.training.hub import hub_model
from envfactory.training.places import Interpreter, TrainingError
from envfactory.training.process import run_to_end, running
from envfactory.training.ready import find_trainer
from envfactory.training.sft import Curve, Follow, read_lines
from envfactory.training.terms import PREFIX
from envfactory.training.tiny import tiny_model

__all__ = ["train_rl"]

INSIDE = Path(__file__).parent / "inside"
PACKAGE = Path(envfactory.__file__).parent
CHECK_TIMEOUT_S = 6 * 3600.0
SHOWN = 5
SETS = {"train": "rl_train.parquet", "validation": "rl_val.parquet"}

LOGGED = {
    "actor/pg_loss": "loss",
    "actor/kl_loss": "kl",
    "actor/entropy": "entropy",
    "actor/grad_norm": "gradient_norm",
    "actor/lr": "learning_rate",
    "response_length/mean": "response_tokens",
    "prompt_length/mean": "prompt_tokens",
    "training/rollout_probs_diff_mean": "probability_gap",
    "timing_s/gen": "rollout_seconds",
    "timing_s/step": "seconds",
}
"""Names of verl that go into a curve, and what they are called there."""

RENAMED = {"steps": "messages"}
"""A rollout's steps are its messages; a curve has steps of its own."""

VALIDATION = "val-core/"


def train_rl(
    config: Config,
    data: Path,
    initial: Path | None,
    work: Path,
    output: Path,
    follow: Follow,
    *,
    loop: str = LOOP,
) -> dict[str, Any]:
    """Train, and leave the model in `output/checkpoint`.

    Args:
        config: see `envfactory.training.grpo.grpo_recipe`.
        data: folder of `rl_train.parquet` and `rl_val.parquet`.
        initial: checkpoint that is trained; None: the backbone as it is.
        work: a folder that survives a kill; training continues from what is there.
        output: takes `checkpoint/`, `curves.jsonl` (a row a step), `report.json`, `rl.yaml` and `agent_loop.yaml`.
        follow: tells progress: ``follow(steps, total, label)`` yields the steps.
        loop: class that plays a row, found in the training interpreter.

    Returns:
        Metrics: steps, first and last reward with its terms, the share of failed rollouts, what was played.

    Raises:
        TrainingError: no interpreter, too few turns, or a training that failed.
    """
    interpreter = find_trainer(config)
    variables = interpreter.variables()
    paths = [_package(work), *filter(None, [variables.get("PYTHONPATH")])]
    variables |= {"PYTHONPATH": ":".join(str(path) for path in paths), "HF_DATASETS_CACHE": str(work / "datasets")}
    model = initial.resolve() if initial is not None else _backbone(config, interpreter, work, variables)
    report = _measured(config, interpreter, data.resolve(), model, work, variables)
    steps = _total(config, report)
    recipe = grpo_recipe(
        config,
        work=work,
        model=str(model),
        steps=steps,
        environments=report["environments"],
        validation=report["validation"]["rows"] > 0,
        loop=loop,
    )
    write_bytes_atomic(work / "agent_loop.yaml", recipe.agent_loop_yaml().encode())
    done = _steps_done(work / CHECKPOINTS, recipe)
    if done == steps and not read_curve(work):
        # A step is saved before it is logged, and a kill came between.
        shutil.rmtree(work / CHECKPOINTS)
        done = 0
    if done < steps:
        for _ in follow(_steps(recipe, config, interpreter, work, variables, done), steps - done, "steps"):
            pass
        if (reached := _steps_done(work / CHECKPOINTS, recipe)) < steps:
            raise TrainingError(f"training ended after {reached} of {steps} steps; its output is in {work / 'log.txt'}")
    curve = read_curve(work)
    if not curve:
        raise TrainingError(f"training ended and logged no step; its output is in {work / 'log.txt'}")
    merged = _merged(config, interpreter, work, steps, variables)
    collect(merged, output / "checkpoint", preserve_thinking=True)
    with JsonlWriter(output / "curves.jsonl") as writer:
        for row in curve:
            writer.write(row)
    write_bytes_atomic(output / "rl.yaml", recipe.yaml().encode())
    for name in ("agent_loop.yaml", "report.json"):
        shutil.copyfile(work / name, output / name)
    validated = [row["validation_reward"] for row in curve if "validation_reward" in row]
    return {
        "steps": steps,
        "reward_first": curve[0]["reward"],
        "reward_last": curve[-1]["reward"],
        "r_traj_last": curve[-1]["r_traj"],
        "r_state_last": curve[-1]["r_state"],
        "calls_last": curve[-1]["calls"],
        "validation_reward": validated[-1] if validated else None,
        "rollouts": sum(row["rollouts"] for row in curve),
        "failed": sum(row["failed"] for row in curve) / len(curve),
        "turns": report["train"]["rows"],
        "turns_left_out": len(report["train"]["left_out"]),
        "longest_prompt_tokens": report["train"]["longest"],
        "continued_from_step": done,
        "devices": recipe.layout.devices,
    }


def read_curve(work: Path) -> Curve:
    """Return a row a step from what verl logged; of a step that was repeated after a kill, the last."""
    rows: dict[int, dict[str, Any]] = {}
    for line in (line for log in _logs(work) for line in read_lines(log)):
        told = line["data"]
        if f"{PREFIX}reward" not in told:
            continue
        row: dict[str, Any] = {"step": line["step"]}
        for name, value in told.items():
            if name.startswith(PREFIX):
                term: str = name.removeprefix(PREFIX)
                row[RENAMED.get(term, term)] = value
        row |= {ours: told[theirs] for theirs, ours in LOGGED.items() if theirs in told}
        validated = [value for name, value in told.items() if name.startswith(VALIDATION) and "/reward/" in name]
        if validated:
            row["validation_reward"] = sum(validated) / len(validated)
        rows[line["step"]] = row
    return [rows[step] for step in sorted(rows)]


def _package(work: Path) -> Path:
    """A folder with a link to this package alone: beside an installed one lies what is not for the trainer."""
    folder = work / "python"
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / PACKAGE.name
    link.unlink(missing_ok=True)
    link.symlink_to(PACKAGE)
    return folder


def _backbone(config: Config, interpreter: Interpreter, work: Path, variables: Mapping[str, str]) -> Path:
    """The backbone's folder, made or fetched if it is not there."""
    backbone = config.backbone
    if backbone.kind == "tiny":
        return tiny_model(backbone, interpreter)
    name, revision = hub_model(backbone)
    if revision is None:
        return Path(name)
    answer = work / "model.txt"
    run_to_end(
        [interpreter.python, INSIDE / "fetch_model.py", name, revision, answer],
        folder=work,
        log=work / "log.txt",
        variables=variables,
        timeout_s=min(CHECK_TIMEOUT_S, config.training.timeout_s),
    )
    return Path(answer.read_text(encoding="utf-8"))


def _measured(
    config: Config, interpreter: Interpreter, data: Path, model: Path, work: Path, variables: Mapping[str, str]
) -> dict[str, Any]:
    """Measure the turns, and leave out those whose prompt is too long."""
    path = work / "report.json"
    if not path.is_file():
        request = {
            "tokenizer": str(model / "tokenizer.json"),
            "most": config.rl.prompt_tokens,
            "thinking": config.rl.thinking,
            "simulated": config.rl.simulate_user,
            "files": {name: str(data / file) for name, file in SETS.items()},
        }
        write_json_atomic(work / "request.json", request)
        run_to_end(
            [interpreter.python, INSIDE / "check_rl.py", "request.json", "report.new.json"],
            folder=work,
            log=work / "check.txt",
            variables=variables,
            timeout_s=min(CHECK_TIMEOUT_S, config.training.timeout_s),
        )
        (work / "report.new.json").replace(path)
    return read_json(path)


def _total(config: Config, report: Mapping[str, Any]) -> int:
    """How many steps there will be."""
    rl, train = config.rl, report["train"]
    if train["rows"] < rl.batch_size:
        out = len(train["left_out"])
        left_out = (
            f"; {out} were left out, their prompts being longer than rl.prompt_tokens={rl.prompt_tokens}: the longest "
            f"has {train['longest']}, the first are {', '.join(train['left_out'][:SHOWN])}"
        )
        raise TrainingError(
            f"there are {train['rows']} turns, fewer than rl.batch_size={rl.batch_size}{left_out if out else ''}; "
            "lower rl.batch_size, or raise scale.rl or rl.prompt_tokens"
        )
    return rl.max_steps or train["rows"] // rl.batch_size * rl.epochs


def _steps(
    recipe: GrpoRecipe,
    config: Config,
    interpreter: Interpreter,
    work: Path,
    variables: Mapping[str, str],
    done: int,
) -> Iterator[int]:
    """Run the training, yielding each step as it is logged."""
    log = work / f"metrics-{len(_logs(work))}.jsonl"
    told = done
    # Ray's sockets need a short path, and what it writes there is of no use afterwards.
    with tempfile.TemporaryDirectory(prefix="envfactory-", ignore_cleanup_errors=True) as scratch:
        # Into the file, not the command: Hydra would read more into a path than a path.
        write_bytes_atomic(work / "rl.yaml", recipe.begun(scratch, _checkpoint(work, done) if done else None).encode())
        looks = running(
            recipe.command(interpreter.python),
            folder=work,
            log=work / "log.txt",
            variables={**variables, **recipe.variables(), "VERL_FILE_LOGGER_PATH": str(log)},
            timeout_s=config.training.timeout_s,
        )
        with closing(looks):
            for _ in looks:
                newest = max((line["step"] for line in read_lines(log)), default=0)
                for told in range(told + 1, newest + 1):  # noqa: B020
                    yield told


def _logs(work: Path) -> list[Path]:
    """What verl logged, each time that it was started, in order."""
    found = {int(path.stem.partition("-")[2]): path for path in work.glob("metrics-*.jsonl")}
    return [found[number] for number in sorted(found)]


def _checkpoint(work: Path, step: int) -> Path:
    return work / CHECKPOINTS / f"global_step_{step}"


def _steps_done(folder: Path, recipe: GrpoRecipe) -> int:
    """Return the step of the last whole checkpoint, 0 if there is none; what is not whole or older is removed.

    Raises:
        TrainingError: it was saved on another number of devices, which verl cannot read.
    """
    # verl saves the state of its loader after the weights, and last the number of the step.
    found = {int(path.name.rpartition("_")[2]): path for path in folder.glob("global_step_*")}
    whole = [step for step, path in found.items() if (path / "data.pt").is_file()]
    try:
        done = int((folder / "latest_checkpointed_iteration.txt").read_text())
    except (OSError, ValueError):
        # It is opened after the last checkpoint was saved, and a kill may have come before it was written.
        done = max(whole, default=0)
    done = done if done in whole else 0
    for step, path in found.items():
        if step != done:
            shutil.rmtree(path)
    devices = recipe.layout.devices
    if done and not (found[done] / "actor" / f"model_world_size_{devices}_rank_0.pt").is_file():
        raise TrainingError(
            f"{found[done]} was not saved on {devices} devices, and can only be continued on as many as it was; set "
            f"backbone.{recipe.hardware}.devices to that, or begin anew: force=[rl]"
        )
    return done


def _merged(config: Config, interpreter: Interpreter, work: Path, step: int, variables: Mapping[str, str]) -> Path:
    """Merge the shards of a checkpoint into a model in the form of Hugging Face."""
    folder = work / "merged"
    shutil.rmtree(folder, ignore_errors=True)
    run_to_end(
        [
            interpreter.python, "-m", "verl.model_merger", "merge", "--backend", "fsdp",
            "--local_dir", _checkpoint(work, step) / "actor", "--target_dir", folder,
        ],
        folder=work,
        log=work / "log.txt",
        variables=variables,
        timeout_s=config.training.timeout_s,
    )  # fmt: skip
    return folder
