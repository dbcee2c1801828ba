"""Training for real, on a CPU: the tiny model learns from the main job's data, is killed, and goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from envfactory.files import read_json, read_jsonl
from envfactory.training.places import Interpreter
from envfactory.training.process import MARK, run_to_end
from envfactory.training.recipe import sft_recipe
from tests.training.conftest import make_config, processes_with

pytestmark = [pytest.mark.training, pytest.mark.timeout(900)]

PARSE = Path(__file__).parent / "inside" / "parse.py"
SMALL = ("+experiment=smoke", "domain=hotels", "scale.trajectories=10", "scale.sft=8", "scale.rl=2",
         "stages=[sft]", "backbone=tiny", "training.hardware=cpu", "training.timeout_s=600",
         "sft.batch_size=2", "sft.warmup=0", "sft.schedule=constant")  # fmt: skip


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where every test runs, so that the data are made once."""
    return tmp_path_factory.mktemp("job") / "outputs"


def command(outputs: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "envfactory", *SMALL, f"paths.outputs={outputs}", *arguments]


def test_the_recipes_of_the_real_backbones_are_read_by_llamafactorys_own_parser(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    names: list[str] = []
    for backbone in ("qwen3_1_7b", "qwen3_4b", "qwen3_8b"):
        for sft in ("full", "lora"):
            config = make_config(f"backbone={backbone}", f"sft={sft}", "training.hardware=gpu_80gb")
            names.append(f"{backbone}_{sft}.yaml")
            (tmp_path / names[-1]).write_text(sft_recipe(config, tmp_path, validation=True).yaml())
    run_to_end(
        [interpreter.python, PARSE, *names],
        folder=tmp_path, log=tmp_path / "log.txt", variables=interpreter.variables(), timeout_s=300,
    )  # fmt: skip
    read = (tmp_path / "log.txt").read_text()
    assert "Qwen/Qwen3-8B 16384 1e-06 full" in read
    assert "Qwen/Qwen3-8B 16384 0.0001 lora" in read


def test_the_loss_falls_and_a_killed_training_goes_on_where_it_was(outputs: Path, tiny: Path) -> None:
    asked = command(outputs, "sft.max_steps=5", "sft.save_steps=2")
    first = subprocess.Popen(asked, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 400
        while not list(outputs.glob("artifacts/sft/.partial-*/checkpoints/checkpoint-2/trainer_state.json")):
            assert first.poll() is None, first.stderr and first.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        first.send_signal(signal.SIGKILL)
        first.communicate()

    again = subprocess.run(asked, capture_output=True, text=True, timeout=600, check=False)
    assert again.returncode == 0, again.stderr
    assert processes_with(f"{MARK}={outputs.resolve()}") == []
    latest = outputs / "latest"
    metrics = read_json(latest / "metrics.json")["sft"]
    curve = list(read_jsonl(latest / "artifacts" / "sft" / "curves.jsonl"))
    assert [row["step"] for row in curve] == [0, 1, 2, 3, 4, 5]
    assert metrics["steps"] == 5
    assert metrics["continued_from_step"] >= 2
    # The validation set was read at the beginning and at the end, and not when it went on.
    assert [row["step"] for row in curve if "eval_loss" in row] == [0, 5]
    assert metrics["validation_loss_last"] < metrics["validation_loss_first"]
    assert (curve[0]["eval_loss"], curve[-1]["eval_loss"]) == (
        metrics["validation_loss_first"], metrics["validation_loss_last"],
    )  # fmt: skip
    checkpoint = latest / "artifacts" / "sft" / "checkpoint"
    assert (checkpoint / "model.safetensors").stat().st_size > 15_000_000
    assert read_json(latest / "cost.json")["sft"]["artifact"]["counts"]["training_steps"] == 5
    # The same command finds it done.
    reused = subprocess.run(asked, capture_output=True, text=True, timeout=100, check=False)
    assert "sft        reused" in reused.stderr


def test_adapters_are_trained_and_merged_into_a_whole_model(outputs: Path, tiny: Path) -> None:
    asked = command(outputs, "sft=lora", "sft.rank=4", "sft.max_steps=3")
    done = subprocess.run(asked, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    metrics = read_json(outputs / "latest" / "metrics.json")["sft"]
    assert metrics["validation_loss_last"] < metrics["validation_loss_first"]
    names = {path.name for path in (outputs / "latest" / "artifacts" / "sft" / "checkpoint").iterdir()}
    assert {"model.safetensors", "config.json", "tokenizer.json", "chat_template.jinja"} <= names
    assert "adapter_model.safetensors" not in names
