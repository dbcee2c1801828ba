"""Curves and checkpoints: what a training leaves behind, read after kills too."""

from __future__ import annotations

from pathlib import Path

from envfactory.files import read_json, write_json_atomic
from envfactory.training.checkpoint import collect
from envfactory.training.sft import _steps_done, read_curve
from envfactory.training.tokens import TEMPLATE


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
    assert read_curve(log) == [
        {"step": 1, "epoch": 0.3, "loss": 9.0, "learning_rate": 0.1},
        {"step": 2, "epoch": 0.6, "loss": 7.0, "learning_rate": 0.2},
        {"step": 3, "epoch": 1.0, "loss": 6.0, "learning_rate": 0.0, "eval_loss": 6.5},
    ]
    assert read_curve(tmp_path / "nothing.jsonl") == []


def test_a_checkpoint_that_was_not_finished_is_not_continued_from(tmp_path: Path) -> None:
    for name, state in (("checkpoint-2", '{"global_step": 2}'), ("checkpoint-4", '{"glob'), ("checkpoint-6", None)):
        (tmp_path / name).mkdir()
        if state is not None:
            (tmp_path / name / "trainer_state.json").write_text(state)
    assert _steps_done(tmp_path) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-2"]


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
