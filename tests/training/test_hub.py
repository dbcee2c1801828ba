"""Which model is meant by a backbone of the hub, wherever it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from envfactory.config import Config
from envfactory.config.training import HubBackboneConfig
from envfactory.serving.models import expected_model, ready_model
from envfactory.serving.vllm import serve_recipe
from envfactory.training.grpo import plan as plan_rl
from envfactory.training.hub import hub_model
from envfactory.training.places import TrainingError
from envfactory.training.recipe import sft_recipe
from tests.training.conftest import make_config

QUOTE = "'"


def hub(config: Config) -> HubBackboneConfig:
    assert config.backbone.kind == "hub"
    return config.backbone


def config_of(model: str, *more: str) -> Config:
    return make_config("backbone=qwen3_8b", f"backbone.model={model}", "training.hardware=gpu_80gb", *more)


def test_a_relative_folder_is_one_of_where_the_command_was_given(tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / "models" / "mine"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    for name in ("models/mine", "./models/mine", str(folder)):
        config = config_of(name, "rl.init=base")
        assert hub_model(hub(config)) == (str(folder), None)
        # Fine-tuning, reinforcement learning, serving and evaluation mean the same one, and ask for no commit of it.
        arguments = sft_recipe(config, tmp_path, validation=False).arguments
        assert arguments["model_name_or_path"] == str(folder)
        assert "model_revision" not in arguments
        assert f"path: {folder}\n" in plan_rl(config)
        assert ready_model(config, "base", {}) == expected_model(config, "base") == str(folder)
        assert "--revision" not in serve_recipe(config, str(folder)).arguments


def test_a_repository_has_its_commit(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = config_of("Qwen/Qwen3-8B")
    name, revision = hub_model(hub(config))
    assert (name, revision) == ("Qwen/Qwen3-8B", hub(config).revision)
    assert sft_recipe(config, tmp_path, validation=False).arguments["model_revision"] == revision
    # A folder that holds no model does not stand for the repository of its name.
    (tmp_path / "Qwen" / "Qwen3-8B").mkdir(parents=True)
    assert hub_model(hub(config)) == (name, revision)


@pytest.mark.parametrize("name", ["./nowhere", "../nowhere", "/nowhere/at/all", "'~/nowhere-at-all'"])
def test_a_folder_that_is_not_there_is_told(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        TrainingError, match=rf"backbone.model={name.strip(QUOTE)}: no model is there; name a folder with config"
    ):
        sft_recipe(config_of(name), tmp_path, validation=False)
