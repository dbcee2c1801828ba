"""Reinforcement learning for real, on a CPU: verl reads the recipes, and two steps change the tiny model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from envfactory.files import read_json, read_jsonl
from envfactory.training.grpo import grpo_recipe
from envfactory.training.places import Interpreter
from envfactory.training.process import MARK
from tests.training.conftest import make_config, processes_with

pytestmark = [pytest.mark.training, pytest.mark.timeout(1200)]

ROOT = Path(__file__).parents[2]
INSIDE = Path(__file__).parent / "inside"
DATA = ("+experiment=smoke", "domain=hotels", "scale.trajectories=10", "scale.sft=2", "scale.rl=8", "stages=[export]")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The turns of a small main job."""
    outputs = tmp_path_factory.mktemp("job") / "outputs"
    command = [sys.executable, "-m", "envfactory", *DATA, f"paths.outputs={outputs}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return outputs / "latest" / "artifacts" / "export"


def inside(interpreter: Interpreter, script: str, *words: str | Path, given: object = None) -> str:
    """What a script of the training interpreter prints."""
    variables = {**os.environ, **interpreter.variables(), "VERL_PLATFORM": "cpu"}
    done = subprocess.run(
        [interpreter.python, INSIDE / script, *words], input=json.dumps(given), capture_output=True, text=True,
        timeout=300, check=False, env={**variables, "PYTHONPATH": f"{ROOT}:{variables['PYTHONPATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_the_recipes_of_every_backbone_are_read_by_verls_own_parser(tmp_path: Path, interpreter: Interpreter) -> None:
    folders: list[Path] = []
    for backbone in ("qwen3_1_7b", "qwen3_4b", "qwen3_8b", "tiny"):
        hardware = "cpu" if backbone == "tiny" else "gpu_80gb"
        config = make_config(f"backbone={backbone}", f"training.hardware={hardware}", "rl.kl=0.001", "reward.alpha=0.3")
        folder = tmp_path / backbone
        folder.mkdir()
        recipe = grpo_recipe(config, work=folder, model=f"a/{backbone}", steps=4, environments=["hotel_reservations"])
        (folder / "rl.yaml").write_text(recipe.yaml())
        (folder / "agent_loop.yaml").write_text(recipe.agent_loop_yaml())
        folders.append(folder)
    read = [line for line in inside(interpreter, "compose.py", *folders).splitlines() if line.startswith("a/")]
    assert read[2] == "a/qwen3_8b FSDPActorConfig 1e-06 0.28 8 24576 2 envfactory_grpo 8 True False envfactory 0.3"
    assert read[3] == "a/tiny FSDPActorConfig 0.0001 0.28 8 24576 1 envfactory_grpo 1 True False envfactory 0.3"
    assert len(read) == 4


def test_advantages_are_those_of_grpo_over_the_survivors(interpreter: Interpreter) -> None:
    def row(group: str, reward: float, *, failed: bool = False, tokens: int = 3) -> dict[str, object]:
        return {"group": group, "reward": reward, "failed": failed, "tokens": tokens}

    whole = [row("a", 1.0), row("b", 0.5, tokens=6), row("a", 0.0), row("b", 0.25), row("a", 0.5, tokens=1)]
    broken = [row("a", 0.0, failed=True), *whole, row("c", 0.0, failed=True), row("b", 9.0, failed=True)]
    alone = [row("a", 1.0), row("a", 0.0, failed=True), row("b", 0.0, failed=True), row("b", 0.0, failed=True)]
    equal = [row("a", 0.7), row("a", 0.7)]
    told = inside(interpreter, "estimate.py", given=[whole, broken, alone, equal])
    answers = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    assert [(answer["beyond"], answer["returns"], answer["finite"]) for answer in answers] == [(False, True, True)] * 4
    # Where nothing failed, these are verl's own.
    assert answers[0]["ours"] == pytest.approx(answers[0]["theirs"], abs=1e-5)
    assert max(map(abs, answers[0]["ours"])) > 0.5
    # What failed changes nothing for the others, whatever stands in the place of its reward, and gets nothing.
    assert answers[1]["ours"] == pytest.approx([0.0, *answers[0]["ours"], 0.0, 0.0])
    assert answers[1]["ours"] != pytest.approx(answers[1]["theirs"], abs=1e-2)
    assert answers[1]["undivided"][1:6] == pytest.approx([0.5, 0.125, -0.5, -0.125, 0.0])
    # A lone survivor has nothing to be compared with; verl would give it its reward.
    assert answers[2]["ours"] == [0.0] * 4
    assert answers[3]["ours"] == pytest.approx([0.0, 0.0])


def test_the_shortcut_of_a_cpu_changes_neither_probabilities_nor_gradients(interpreter: Interpreter) -> None:
    assert float(inside(interpreter, "short.py").splitlines()[-1]) < 1e-5


def test_two_steps_change_the_model_although_rollouts_fail_and_the_run_is_killed(
    tmp_path: Path, data: Path, tiny: Path, interpreter: Interpreter
) -> None:
    work, output = tmp_path / "work", tmp_path / "output"
    command = [sys.executable, "-m", "tests.training.rl_run", data, tiny, work]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    first = subprocess.Popen(
        [*command, tmp_path / "lost"], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + 600
        while not (work / "checkpoints" / "latest_checkpointed_iteration.txt").is_file():
            assert first.poll() is None, first.stderr and first.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        first.send_signal(signal.SIGKILL)
        first.communicate()

    again = subprocess.run(
        [*command, output], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert again.returncode == 0, again.stderr
    assert processes_with(f"{MARK}={work.resolve()}") == []
    metrics = read_json(output / "metrics.json")
    assert metrics["continued_from_step"] == 1
    assert metrics["steps"] == 2
    curve = list(read_jsonl(output / "curves.jsonl"))
    assert [row["step"] for row in curve] in ([1, 2], [2])  # a kill may come before the first step is logged
    for row in curve:
        # Of three rollouts a turn the last one failed, the others got their number as reward.
        assert row["failed"] == pytest.approx(1 / 3)
        assert row["rollouts"] == 4
        assert row["calls"] >= 1
        assert row["gradient_norm"] > 0
        assert {"r_traj", "r_state", "p_length", "unknown_tools", "messages", "loss"} <= row.keys()
    checkpoint = output / "checkpoint"
    assert (checkpoint / "chat_template.jinja").is_file()
    apart = float(inside(interpreter, "compare.py", tiny, checkpoint).splitlines()[-1])
    assert 0 < apart < 0.1
