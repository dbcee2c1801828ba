"""How models are served: what would be started, which model is meant, and a server that does not come up."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from envfactory.config import ConfigError
from envfactory.pipeline.stage import StageError
from envfactory.pipeline.stages.evaluate import STAGE as EVALUATE
from envfactory.pipeline.stages.serve import STAGE as SERVE
from envfactory.serving.models import ready_model
from envfactory.serving.vllm import ServeRecipe, serve_recipe, served
from envfactory.training.places import Interpreter, TrainingError
from envfactory.training.tokens import TEMPLATE
from tests.training.conftest import make_config

GOLDEN = Path(__file__).parent / "golden"
REAL = ("qwen3_1_7b", "qwen3_4b", "qwen3_8b")
GPU = ("training.hardware=gpu_80gb", "training.python=/opt/training/bin/python")


@pytest.mark.parametrize("backbone", REAL)
@pytest.mark.parametrize("stage", ["serve", "evaluate"])
def test_what_would_be_served_is_as_recorded(stage: str, backbone: str) -> None:
    plan = {"serve": SERVE, "evaluate": EVALUATE}[stage].plan
    assert plan is not None
    told = plan(make_config("serving=vllm", f"backbone={backbone}", *GPU)).replace(str(TEMPLATE), "TEMPLATE")
    golden = GOLDEN / f"{stage}_{backbone}.txt"
    if os.environ.get("REFRESH_GOLDEN"):
        golden.write_text(told, encoding="utf-8")
    assert told == golden.read_text(encoding="utf-8"), "if it is meant: REFRESH_GOLDEN=1 make test ARGS='-k recorded'"


def test_only_an_answer_that_is_to_be_taken_apart_is() -> None:
    config = make_config(*GPU, "backbone=qwen3_8b")
    whole, raw = (serve_recipe(config, "model", parsed=parsed).arguments for parsed in (True, False))
    assert ("--tool-call-parser" in whole, "--reasoning-parser" in whole) == (True, True)
    assert not [word for word in raw if "parser" in word or "tool" in word]


def test_evaluation_reads_as_many_tokens_as_a_rollout_may_have() -> None:
    assert EVALUATE.plan is not None
    sizes = ("rl.prompt_tokens=9000", "rl.response_tokens=3000")
    assert "--max-model-len 12000" in EVALUATE.plan(make_config(*GPU, "backbone=qwen3_8b", *sizes))
    wanted = r"vllm.context=8192: expected at least rl.prompt_tokens \+ rl.response_tokens = 12000"
    with pytest.raises(StageError, match=wanted):
        EVALUATE.plan(make_config(*GPU, "backbone=qwen3_8b", "vllm.context=8192", *sizes))


def test_a_port_that_somebody_listens_on_is_refused(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        recipe = ServeRecipe("model", (), "cpu", start_timeout_s=60)
        with (
            pytest.raises(TrainingError, match=f"serving.port={port}: in use"),
            served(recipe, Interpreter(Path(sys.executable), "cpu"), tmp_path, port=port),
        ):
            pass


def test_only_the_backbone_itself_has_a_revision() -> None:
    config = make_config(*GPU, "backbone=qwen3_4b")
    assert "--revision" in serve_recipe(config, "Qwen/Qwen3-4B").arguments
    assert "--revision" not in serve_recipe(config, "outputs/sft/checkpoint").arguments


def test_who_drops_thoughts_from_the_history_keeps_the_models_own_template() -> None:
    config = make_config(*GPU, "backbone=qwen3_4b", "training.preserve_thinking=false")
    assert "--chat-template" not in serve_recipe(config, "model").arguments


def test_a_real_backbone_on_a_cpu_is_refused_with_what_to_do() -> None:
    assert EVALUATE.plan is not None
    with pytest.raises(StageError, match=r"no layout for cpu.*dry_run=true.*backbone=tiny"):
        EVALUATE.plan(make_config("backbone=qwen3_4b", "training.hardware=cpu"))


def test_what_is_served_decides_what_is_made_first() -> None:
    assert SERVE.inputs(make_config("serving=vllm", "serving.model=rl")) == ("rl",)
    assert SERVE.inputs(make_config("serving=vllm", "serving.model=base")) == ()
    assert SERVE.inputs(make_config("serving=vllm", "serving.model=/a/checkpoint")) == ()
    assert SERVE.inputs(make_config()) == ()
    assert EVALUATE.inputs(make_config("evaluation.models=[rl,base]")) == ("export", "rl")


def test_a_model_is_a_stages_checkpoint_or_a_folder_that_holds_one(tmp_path: Path) -> None:
    config = make_config("backbone=qwen3_8b")
    assert ready_model(config, "sft", {"sft": tmp_path}) == str(tmp_path / "checkpoint")
    assert ready_model(config, "base", {}) == "Qwen/Qwen3-8B"
    with pytest.raises(TrainingError, match=r"no model is there; name a folder with config.json"):
        ready_model(config, str(tmp_path), {})
    (tmp_path / "config.json").write_text("{}")
    assert ready_model(config, str(tmp_path), {}) == str(tmp_path)


def test_a_model_is_evaluated_once() -> None:
    with pytest.raises(ConfigError, match=r"evaluation.*expected each once"):
        make_config("evaluation.models=[sft,sft]")


def program(folder: Path, code: str) -> Interpreter:
    """An interpreter in which vLLM is a program of ours."""
    package = folder / "packages" / "vllm" / "entrypoints" / "cli"
    package.mkdir(parents=True)
    (package / "main.py").write_text(code)
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}/packages" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return Interpreter(python, "cpu")


def test_a_server_that_ends_is_told_with_the_end_of_its_output(tmp_path: Path) -> None:
    interpreter = program(tmp_path, "raise SystemExit('no memory')")
    with (
        pytest.raises(TrainingError, match=r"ended with code 1.*\n.*no memory"),
        served(ServeRecipe("model", (), "cpu", 60), interpreter, tmp_path),
    ):
        pass


def test_a_server_that_is_never_ready_is_ended(tmp_path: Path) -> None:
    code = "import os, time; open('pid', 'w').write(str(os.getpid())); print('loading', flush=True); time.sleep(300)"
    interpreter = program(tmp_path, code)
    with (
        pytest.raises(TrainingError, match=r"not ready within 8 s.*\n.*loading"),
        served(ServeRecipe("model", (), "cpu", 8), interpreter, tmp_path),
    ):
        pass
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
