"""What would be started: golden files keep it from drifting, and what cannot be trained is refused in words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from envfactory.pipeline.stage import StageError
from envfactory.pipeline.stages.rl import STAGE as RL
from envfactory.pipeline.stages.sft import STAGE
from envfactory.serving.vllm import serve_recipe, served
from envfactory.training.episode import EpisodeLimits
from envfactory.training.grpo import grpo_recipe
from envfactory.training.places import TrainingError, check_devices, find_hardware, find_interpreter, shipped
from envfactory.training.recipe import sft_recipe
from envfactory.training.rl import train_rl
from envfactory.training.sft import train_sft
from tests.training.conftest import make_config

GOLDEN = Path(__file__).parent / "golden"
REAL = ("qwen3_1_7b", "qwen3_4b", "qwen3_8b")


@pytest.mark.parametrize("backbone", REAL)
@pytest.mark.parametrize("sft", ["full", "lora"])
def test_what_would_be_started_is_as_recorded(backbone: str, sft: str) -> None:
    config = make_config(
        f"backbone={backbone}", f"sft={sft}", "training.hardware=gpu_80gb", "training.python=/opt/training/bin/python"
    )
    assert STAGE.plan is not None
    told = STAGE.plan(config)
    golden = GOLDEN / f"{backbone}_{sft}.txt"
    if os.environ.get("REFRESH_GOLDEN"):
        golden.write_text(told, encoding="utf-8")
    assert told == golden.read_text(encoding="utf-8"), "if it is meant: REFRESH_GOLDEN=1 make test ARGS='-k recorded'"


@pytest.mark.parametrize("backbone", REAL)
@pytest.mark.parametrize("init", ["sft", "base"])
def test_what_would_be_started_for_reinforcement_learning_is_as_recorded(backbone: str, init: str) -> None:
    config = make_config(
        f"backbone={backbone}", f"rl.init={init}", "training.hardware=gpu_80gb",
        "training.python=/opt/training/bin/python", "domain=hotels",
    )  # fmt: skip
    assert RL.plan is not None
    told = RL.plan(config)
    golden = GOLDEN / f"rl_{backbone}_{init}.txt"
    if os.environ.get("REFRESH_GOLDEN"):
        golden.write_text(told, encoding="utf-8")
    assert told == golden.read_text(encoding="utf-8"), "if it is meant: REFRESH_GOLDEN=1 make test ARGS='-k recorded'"


def recipe(*overrides: str):
    return grpo_recipe(
        make_config(*overrides), work="work", model="model", steps=2, environments=["hotel_reservations"]
    )


def test_the_simulated_user_of_the_configuration_reaches_the_rollouts() -> None:
    said = ("rl.episode.max_user_replies=7",)
    for overrides, most in ((said, 0), ((*said, "rl.simulate_user=true"), 7)):
        config = make_config("training.hardware=cpu", *overrides)
        assert EpisodeLimits.of(config.rl).max_user_replies == most
        settings = recipe("training.hardware=cpu", *overrides).agent_loop["settings"]
        assert EpisodeLimits(**settings["limits"]) == EpisodeLimits.of(config.rl)


def test_the_reward_of_the_configuration_reaches_the_rollouts() -> None:
    told = recipe("reward=paper", "reward.alpha=0.3", "training.hardware=cpu").agent_loop["settings"]["reward"]
    assert told == {"mode": "binary", "alpha": 0.3, "per_call": 0.05, "cap": 0.5, "gate": False, "floor": 0.0}


def test_another_reward_makes_reinforcement_learning_anew_and_fine_tuning_not() -> None:
    configs = [make_config("reward=paper", f"reward.alpha={alpha}") for alpha in (0.0, 1.0)]
    assert configs[0].identity(RL.reads) != configs[1].identity(RL.reads)
    assert configs[0].identity(STAGE.reads) == configs[1].identity(STAGE.reads)


def test_what_is_trained_decides_what_is_taken() -> None:
    assert RL.inputs(make_config("rl.init=sft")) == ("export", "sft")
    assert RL.inputs(make_config("rl.init=base")) == ("export",)


def test_the_initial_model_is_asked_only_for_its_distance() -> None:
    without, with_it = (recipe("training.hardware=cpu", f"rl.kl={kl}").arguments for kl in (0.0, 0.001))
    assert without["actor_rollout_ref"]["actor"]["use_kl_loss"] is False
    assert with_it["actor_rollout_ref"]["actor"]["use_kl_loss"] is True
    assert with_it["actor_rollout_ref"]["actor"]["kl_loss_coef"] == 0.001


def test_shims_and_the_platform_of_a_cpu_are_not_seen_on_a_gpu() -> None:
    on_cpu, on_gpu = (recipe("backbone=tiny", f"training.hardware={name}") for name in ("cpu", "gpu_80gb"))
    assert on_cpu.variables()["VERL_PLATFORM"] == "cpu"
    assert not [name for name in on_gpu.variables() if "CPU" in name or name.startswith(("CUDA", "VERL_PLATFORM"))]
    assert "num_gpus" not in on_gpu.arguments["ray_kwargs"]["ray_init"]


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(TrainingError, match=r"training.preserve_thinking=false.*leave it true for stage rl"):
        recipe("training.hardware=cpu", "training.preserve_thinking=false")
    with pytest.raises(TrainingError, match=r"rl.prompt_tokens=40000 and rl.response_tokens=8192: .*at most 40960"):
        recipe("training.hardware=cpu", "rl.prompt_tokens=40000")


def test_dry_run_prints_the_plan_and_runs_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "envfactory", "stages=[sft]", "backbone=qwen3_8b", "dry_run=true"]
    paths = [f"paths.outputs={tmp_path}/outputs", "training.hardware=gpu_141gb"]
    told = subprocess.run([*command, *paths], capture_output=True, text=True, timeout=100, check=True, cwd=tmp_path)
    assert "8 x GPU of 141 GB" in told.stdout
    assert "model_name_or_path: Qwen/Qwen3-8B" in told.stdout
    assert list(tmp_path.iterdir()) == []
    nothing = subprocess.run(
        [sys.executable, "-m", "envfactory", "stages=[graph]", "dry_run=true"],
        capture_output=True, text=True, timeout=100, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert nothing.stdout == "no program is started by the stages graph\n"


def test_hardware_changes_neither_the_samples_of_a_step_nor_the_key() -> None:
    configs = [make_config("backbone=qwen3_8b", f"training.hardware=gpu_{size}") for size in ("80gb", "141gb")]
    for config in configs:
        recipe = sft_recipe(config, Path("data"), validation=False)
        arguments = recipe.arguments
        held = arguments["per_device_train_batch_size"] * arguments["gradient_accumulation_steps"]
        assert held * recipe.layout.devices == config.sft.batch_size
    assert configs[0].identity(STAGE.reads) == configs[1].identity(STAGE.reads)


def test_a_batch_that_the_devices_cannot_share_is_refused() -> None:
    config = make_config("backbone=qwen3_8b", "training.hardware=gpu_80gb", "sft.batch_size=12")
    with pytest.raises(TrainingError, match=r"sft.batch_size=12: expected a multiple of 8"):
        sft_recipe(config, Path("data"), validation=False)


def test_rollouts_that_the_devices_cannot_share_are_refused() -> None:
    config = make_config(
        "backbone=qwen3_8b", "training.hardware=gpu_80gb", "rl.batch_size=3", "rl.mini_batch_size=3", "rl.group_size=3"
    )
    with pytest.raises(TrainingError, match=r"rl.mini_batch_size=3 and rl.group_size=3: .*gpu_80gb.devices=8"):
        grpo_recipe(config, work="work", model="model", steps=1, environments=["hotel_reservations"])


def test_what_a_training_goes_on_from_stands_in_its_file_whatever_its_path() -> None:
    recipe = grpo_recipe(
        make_config("training.hardware=cpu"), work="work", model="model", steps=1, environments=["hotel_reservations"]
    )
    whole = recipe.yaml()
    begun = OmegaConf.create(recipe.begun("/tmp/x", Path("/data/a=b, (c) [d]/global_step_1")))
    assert begun.trainer.resume_mode == "resume_path"
    assert begun.trainer.resume_from_path == "/data/a=b, (c) [d]/global_step_1"
    assert begun.ray_kwargs.ray_init._temp_dir == "/tmp/x"
    assert OmegaConf.create(recipe.begun("/tmp/x", None)).trainer.resume_mode == "disable"
    assert recipe.yaml() == whole


def test_a_real_backbone_on_a_cpu_is_refused_with_what_to_do() -> None:
    assert STAGE.plan is not None
    with pytest.raises(StageError, match=r"Qwen/Qwen3-4B has no layout for cpu.*dry_run=true.*backbone=tiny"):
        STAGE.plan(make_config("backbone=qwen3_4b", "training.hardware=cpu"))


def test_a_missing_interpreter_is_told_with_the_command_that_builds_it(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ENVFACTORY_CACHE", str(tmp_path))
    with pytest.raises(TrainingError, match=r"build it with: launchers/training/setup.sh gpu"):
        find_interpreter("auto", "gpu_80gb")
    half = tmp_path / "training-cpu" / "bin"
    half.mkdir(parents=True)
    (half / "python").symlink_to(sys.executable)
    with pytest.raises(TrainingError, match=r"launchers/training/setup.sh cpu"):
        find_interpreter("auto", "cpu")
    with pytest.raises(TrainingError, match=r"training.python=/nowhere/python: no such interpreter.*setup.sh cpu"):
        find_interpreter("/nowhere/python", "cpu")
    (half.parent / ".ready").write_text("cpu")
    assert find_interpreter("auto", "cpu").python == half / "python"


def test_shims_are_on_the_path_of_a_cpu_and_of_nothing_else() -> None:
    shims = str(shipped("cpu_shims"))
    assert find_interpreter(sys.executable, "cpu").variables()["PYTHONPATH"] == shims
    for hardware in ("gpu_80gb", "gpu_141gb"):
        assert shims not in find_interpreter(sys.executable, hardware).variables().values()


@pytest.fixture
def smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let `nvidia-smi` tell of memory, in megabytes, a line a GPU."""

    def tell(told: str) -> None:
        program = tmp_path / "nvidia-smi"
        program.write_text(f"#!/bin/sh\nprintf '{told}'\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    return tell


@pytest.mark.parametrize(("told", "found"), [("81559\n81559\n", "gpu_80gb"), ("143771\n", "gpu_141gb"), ("", "cpu")])
def test_hardware_is_what_nvidia_smi_tells(smi, told: str, found: str) -> None:
    smi(told)
    assert find_hardware("auto") == found


def test_a_layout_for_more_gpus_than_there_are_is_refused(smi, monkeypatch) -> None:
    smi("81559\n81559\n")
    check_devices("gpu_80gb", 2, "vllm.devices")
    with pytest.raises(TrainingError, match=r"backbone.gpu_80gb.devices=8: there are 2 GPUs here.*dry_run=true"):
        check_devices("gpu_80gb", 8, "backbone.gpu_80gb.devices")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    with pytest.raises(TrainingError, match=r"vllm.devices=2: there are 1 GPUs here"):
        check_devices("gpu_80gb", 2, "vllm.devices")
    # What nobody tells of is left to the program, and a CPU has no number.
    smi("")
    check_devices("gpu_80gb", 8, "vllm.devices")
    check_devices("cpu", 8, "vllm.devices")


def test_training_and_serving_look_at_the_gpus_before_anything_starts(smi, tmp_path: Path) -> None:
    smi("81559\n")
    config = make_config(
        "backbone=qwen3_1_7b", "training.hardware=gpu_80gb", f"training.python={sys.executable}", "vllm.devices=4"
    )
    for name in ("sft.json", "sft_validation.json"):
        (tmp_path / name).write_text('[{"id": "t-1/0/0"}]')
    for train in (
        lambda: train_sft(config, tmp_path, tmp_path, tmp_path, lambda steps, total, label: steps),
        lambda: train_rl(config, tmp_path, None, tmp_path, tmp_path, lambda steps, total, label: steps),
    ):
        with pytest.raises(TrainingError, match=r"backbone.gpu_80gb.devices=\d: there are 1 GPUs here"):
            train()
    python = find_interpreter(sys.executable, "gpu_80gb")
    with (
        pytest.raises(TrainingError, match=r"vllm.devices=4: there are 1 GPUs here"),
        served(serve_recipe(config, "model"), python, tmp_path),
    ):
        pass


def test_a_gpu_that_no_layout_is_meant_for_is_told(smi) -> None:
    smi("24564\n")
    with pytest.raises(TrainingError, match=r"26 GB.*training.hardware=gpu_80gb"):
        find_hardware("auto")


def test_setup_says_what_it_takes() -> None:
    said = subprocess.run([shipped("setup.sh"), "tpu"], capture_output=True, text=True, timeout=60, check=False)
    assert said.returncode == 1
    assert said.stderr == "setup.sh: expected 'cpu' or 'gpu', got 'tpu'; say: launchers/training/setup.sh cpu\n"


def test_setup_names_a_missing_compiler(tmp_path) -> None:
    for tool in ("bash", "dirname", "flock", "mkdir"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")
    said = subprocess.run(
        ["/bin/bash", shipped("setup.sh"), "cpu"], capture_output=True, text=True, timeout=60, check=False,
        env={"PATH": str(tmp_path), "PYTHON": sys.executable, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert said.returncode == 1
    assert "no C++ compiler here" in said.stderr
    assert "apt-get install g++" in said.stderr
