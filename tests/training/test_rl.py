"""Curves and checkpoints of reinforcement learning, read after kills too; and what is refused at the start."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from envfactory.dataset import read_rl_rows, write_rl_rows
from envfactory.files import read_json, write_json_atomic
from envfactory.training.grpo import grpo_recipe
from envfactory.training.places import Interpreter, TrainingError
from envfactory.training.rl import INSIDE, _steps_done, _total, read_curve
from tests.dataset.support import asking
from tests.training.conftest import make_config
from tests.training.support import rows_with_user
from tests.training.test_tokens import ROOT, TOKENIZERS

RECIPE = grpo_recipe(
    make_config("training.hardware=cpu"), work="work", model="model", steps=2, environments=["hotel_reservations"]
)


def test_a_curve_has_every_step_once_as_it_was_done_last(tmp_path: Path) -> None:
    (tmp_path / "metrics-0.jsonl").write_text(
        '{"step": 1, "data": {"envfactory/reward": 0.25, "envfactory/steps": 2.0, "actor/grad_norm": 1.5}}\n'
        '{"step": 2, "data": {"envfactory/reward": 0.5, "envfactory/failed": 0.1, "critic/score/mean": 9}}\n'
        '{"step": 3, "da'
    )
    (tmp_path / "metrics-1.jsonl").write_text(
        '{"step": 2, "data": {"envfactory/reward": 0.75, "actor/lr": 1e-6, '
        '"val-core/envfactory/travel/reward/mean@1": 0.5, "val-core/envfactory/finance/reward/mean@1": 1.0}}\n'
    )
    (tmp_path / "metrics-10.jsonl").write_text('{"step": 3, "data": {"envfactory/reward": 1.0}}\n')
    assert read_curve(tmp_path) == [
        {"step": 1, "reward": 0.25, "messages": 2.0, "gradient_norm": 1.5},
        {"step": 2, "reward": 0.75, "learning_rate": 1e-6, "validation_reward": 0.75},
        {"step": 3, "reward": 1.0},
    ]
    assert read_curve(tmp_path / "nothing") == []


def checkpoints(folder: Path, *steps: int, whole: bool = True) -> None:
    for step in steps:
        actor = folder / f"global_step_{step}" / "actor"
        actor.mkdir(parents=True)
        (actor / "model_world_size_1_rank_0.pt").touch()
        if whole:
            (actor.parent / "data.pt").touch()


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("global_step_*"))


def test_training_continues_from_the_last_whole_checkpoint(tmp_path: Path) -> None:
    assert _steps_done(tmp_path, RECIPE) == 0
    checkpoints(tmp_path, 2, 4)
    checkpoints(tmp_path, 6, whole=False)
    (tmp_path / "latest_checkpointed_iteration.txt").write_text("4")
    assert _steps_done(tmp_path, RECIPE) == 4
    assert left(tmp_path) == ["global_step_4"]


def test_a_kill_before_the_number_was_written_loses_no_checkpoint(tmp_path: Path) -> None:
    checkpoints(tmp_path, 2, 10)
    (tmp_path / "latest_checkpointed_iteration.txt").write_text("")
    assert _steps_done(tmp_path, RECIPE) == 10
    assert left(tmp_path) == ["global_step_10"]


def test_a_number_without_its_checkpoint_is_the_beginning(tmp_path: Path) -> None:
    checkpoints(tmp_path, 2, whole=False)
    (tmp_path / "latest_checkpointed_iteration.txt").write_text("2")
    assert _steps_done(tmp_path, RECIPE) == 0
    assert left(tmp_path) == []


def test_a_checkpoint_of_another_number_of_devices_is_told_and_kept(tmp_path: Path) -> None:
    checkpoints(tmp_path, 2)
    (tmp_path / "latest_checkpointed_iteration.txt").write_text("2")
    actor = tmp_path / "global_step_2" / "actor"
    (actor / "model_world_size_1_rank_0.pt").rename(actor / "model_world_size_8_rank_0.pt")
    with pytest.raises(TrainingError, match=r"not saved on 1 devices.*backbone.cpu.devices.*force=\[rl\]"):
        _steps_done(tmp_path, RECIPE)
    assert left(tmp_path) == ["global_step_2"]


def test_steps_are_those_of_the_epochs_or_as_many_as_are_asked_for() -> None:
    report = {"train": {"rows": 10, "left_out": [], "longest": 100}}
    assert _total(make_config("rl.batch_size=4", "rl.mini_batch_size=4", "rl.epochs=3"), report) == 6
    assert _total(make_config("rl.batch_size=4", "rl.mini_batch_size=4", "rl.max_steps=50"), report) == 50


def test_too_few_turns_are_told_with_those_that_were_left_out() -> None:
    report = {"train": {"rows": 3, "left_out": ["t-1/4", "t-2/5"], "longest": 5000}}
    with pytest.raises(
        TrainingError, match=r"3 turns, fewer than rl.batch_size=256; 2 were left out.*5000, the first are t-1/4, t-2/5"
    ):
        _total(make_config(), report)


@pytest.mark.training
def test_with_a_simulated_user_a_turn_is_measured_by_what_its_rollouts_begin_with(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    rows = rows_with_user(asking())
    write_rl_rows(tmp_path / "rows.parquet", rows)

    def measured(most: int, *, simulated: bool) -> dict[str, Any]:
        request = {
            "tokenizer": str(TOKENIZERS["qwen3"] / "tokenizer.json"), "most": most, "thinking": False,
            "simulated": simulated, "files": {"train": str(tmp_path / "rows.parquet")},
        }  # fmt: skip
        write_json_atomic(tmp_path / "request.json", request)
        subprocess.run(
            [interpreter.python, INSIDE / "check_rl.py", "request.json", "report.json"], cwd=tmp_path, check=True,
            timeout=170, env={**os.environ, **interpreter.variables(), "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        return read_json(tmp_path / "report.json")["train"]

    with_user, without = (measured(100_000, simulated=each)["longest"] for each in (True, False))
    assert with_user < without
    assert measured(with_user, simulated=False)["left_out"] == [rows[-1].id]
    kept = measured(with_user, simulated=True)
    assert kept["left_out"] == []
    assert kept["rows"] == len(list(read_rl_rows(tmp_path / "train.parquet"))) == 2
