"""Curves and checkpoints: what a training leaves behind, read after kills too."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from envfactory.files import read_json, write_json_atomic
from envfactory.training.checkpoint import collect
from envfactory.training.places import TrainingError
from envfactory.training.sft import last_checkpoint, read_curve, train_sft
from envfactory.training.tokens import TEMPLATE
from tests.training.conftest import make_config


def test_a_curve_has_every_step_once_as_it_was_done_last(tmp_path: Path) -> None:
    log = tmp_path / "trainer_log.jsonl"
    log.write_text(
        '{"current_steps": 1, "total_steps": 3, "loss": 9.0, "lr": 0.1, "epoch": 0.3}\n'
        '{"current_steps": 2, "total_steps": 3, "loss": 8.0, "lr": 0.2, "epoch": 0.6}\n'
        '{"current_steps": 2, "total_steps": 3, "loss": 7.0, "lr": 0.2, "epoch": 0.6}\n'
        '{"current_steps": 3, "total_steps": 3, "loss": 6.0, "lr": 0.0, "epoch": 1.0}\n'
        '{"current_steps": 3, "total_steps": 3, "eval_loss": 6.5, "epoch": 1.0}\n'
        '{"current_steps": 3, "total_steps": 3, "epoch": 1.0}\n'
        '{"current_steps": 4, "lo'
    )
    assert read_curve(tmp_path) == [
        {"step": 1, "epoch": 0.3, "loss": 9.0, "learning_rate": 0.1},
        {"step": 2, "epoch": 0.6, "loss": 7.0, "learning_rate": 0.2},
        {"step": 3, "epoch": 1.0, "loss": 6.0, "learning_rate": 0.0, "eval_loss": 6.5},
    ]
    (tmp_path / "eval_results.json").write_text('{"epoch": 1.0, "eval_loss": 6.25}')
    assert [row.get("eval_loss") for row in read_curve(tmp_path)] == [None, None, 6.25]
    (tmp_path / "eval_results.json").write_text('{"epo')
    assert [row.get("eval_loss") for row in read_curve(tmp_path)] == [None, None, 6.5]
    assert read_curve(tmp_path / "nothing") == []


def test_a_checkpoint_that_was_not_finished_is_not_continued_from(tmp_path: Path) -> None:
    states = (
        ("checkpoint-2", '{"global_step": 2, "max_steps": 6}'), ("checkpoint-4", '{"glob'), ("checkpoint-6", None),
    )  # fmt: skip
    for name, state in states:
        (tmp_path / name).mkdir()
        if state is not None:
            (tmp_path / name / "trainer_state.json").write_text(state)
    assert last_checkpoint(tmp_path) == (2, None)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-2"]


def finished(work: Path, steps: int, max_steps: int, too_long: Sequence[int] = ()) -> None:
    """What a training leaves that was killed behind the checkpoint of a step."""
    checkpoint = work / "checkpoints" / f"checkpoint-{steps}"
    checkpoint.mkdir(parents=True)
    write_json_atomic(checkpoint / "trainer_state.json", {"global_step": steps, "max_steps": max_steps})
    for name in ("model.safetensors", "config.json", "optimizer.pt", "scheduler.pt", "rng_state_0.pth", "latest"):
        (checkpoint / name).write_text(f"{name} of {steps}")
    # The trainer saves it once more at its end; this copy was cut.
    (work / "checkpoints" / "model.safetensors").write_text("mod")
    lines = [{"current_steps": 0, "eval_loss": 8.0}, *({"current_steps": n, "loss": 9.0 - n} for n in (1, 2))]
    (work / "checkpoints" / "trainer_log.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    counts = {"samples": 1, "tokens": 5, "learned": 2, "longest": 5, "too_long": list(too_long), "nothing_learned": []}
    write_json_atomic(work / "report.json", {"train": counts, "validation": counts})


def trained(tmp_path: Path, steps: int, too_long: Sequence[int] = ()) -> dict[str, Any]:
    """Train for two steps, where a program that only fails stands for the trainer."""
    for name in ("data", "work", "output"):
        (tmp_path / name).mkdir()
    for name in ("sft.json", "sft_validation.json"):
        write_json_atomic(tmp_path / "data" / name, [{"id": "t-1/0/0"}])
    finished(tmp_path / "work", steps, 2, too_long)
    config = make_config(
        "backbone=qwen3_1_7b", "training.hardware=gpu_80gb", f"training.python={shutil.which('false')}",
        "sft.max_steps=2",
    )  # fmt: skip
    return train_sft(
        config, tmp_path / "data", tmp_path / "work", tmp_path / "output", lambda steps, total, label: steps
    )


def test_a_training_that_took_its_last_step_is_not_started_again(tmp_path: Path) -> None:
    metrics = trained(tmp_path, 2)
    assert (metrics["continued_from_step"], metrics["steps"], metrics["loss_last"]) == (2, 2, 7.0)
    # It was not validated after that step.
    assert (metrics["validation_loss_first"], metrics["validation_loss_last"]) == (8.0, None)
    checkpoint = tmp_path / "output" / "checkpoint"
    assert (checkpoint / "model.safetensors").read_text() == "model.safetensors of 2"
    assert {path.name for path in checkpoint.iterdir()} == {"chat_template.jinja", "config.json", "model.safetensors"}


def test_a_training_that_has_steps_left_is_started_and_validates_no_second_beginning(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"false -m llamafactory\.cli train ended with code 1"):
        trained(tmp_path, 1)
    assert "eval_on_start: false" in (tmp_path / "work" / "sft.yaml").read_text()


def test_a_sample_beyond_the_context_is_refused_by_name(tmp_path: Path) -> None:
    told = r"1 train samples are longer than backbone.context=16384 tokens.*; the longest has 5, the first is t-1/0/0"
    with pytest.raises(TrainingError, match=told):
        trained(tmp_path, 2, too_long=[0])


def test_the_model_is_taken_with_the_template_it_was_trained_with(tmp_path: Path) -> None:
    trained = tmp_path / "trained"
    (trained / "checkpoint-2").mkdir(parents=True)
    for name in ("model.safetensors", "config.json", "trainer_log.jsonl", "all_results.json", "loss.png"):
        (trained / name).write_text(name)
    (trained / "chat_template.jinja").write_text("its own")
    write_json_atomic(trained / "tokenizer_config.json", {"eos_token": "<|im_end|>"})
    for preserve, template in ((True, TEMPLATE.read_text()), (False, "its own")):
        checkpoint = tmp_path / f"taken-{preserve}"
        collect(trained, checkpoint, preserve_thinking=preserve)
        assert (checkpoint / "chat_template.jinja").read_text() == template
        assert read_json(checkpoint / "tokenizer_config.json") == {"eos_token": "<|im_end|>"}
        assert {path.name for path in checkpoint.iterdir()} == {
            "chat_template.jinja", "config.json", "model.safetensors", "tokenizer_config.json",
        }  # fmt: skip
    assert (trained / "chat_template.jinja").read_text() == "its own"
