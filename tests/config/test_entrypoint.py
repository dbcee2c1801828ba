"""The entrypoint as a process: exit codes, no traceback, and how little is imported to refuse or to show."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.slow

CONF = Path(__file__).resolve().parents[2] / "conf"
HEAVY = ("torch", "sklearn", "scipy", "rustworkx", "mcp", "envfactory.catalogue", "envfactory.environment", "rich")


def envfactory(*arguments: str, folder: Path, tell: bool = False) -> subprocess.CompletedProcess[str]:
    """Run the entrypoint; with `tell` the last line of standard error lists the heavy modules it imported."""
    code = (
        "import sys; from envfactory.__main__ import main; code = main()\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
        "sys.exit(code)"
    )
    command = [sys.executable, *(["-c", code] if tell else ["-m", "envfactory"]), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_refusing_is_quick_clear_and_leaves_nothing(tmp_path: Path) -> None:
    ended = envfactory("sampler.p=abc", "stages=[nonsense]", folder=tmp_path, tell=True)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.splitlines()[0] == "envfactory: 2 problems in the configuration, nothing was run:"
    assert "Traceback" not in ended.stderr
    assert ended.stderr.splitlines()[-1] == "[]"
    assert list(tmp_path.iterdir()) == []


def test_showing_the_configuration_imports_nothing_heavy_and_leaves_nothing(tmp_path: Path) -> None:
    ended = envfactory("reward.alpha=0.25", "--cfg", "job", folder=tmp_path, tell=True)
    assert ended.returncode == 0
    assert "alpha: 0.25" in ended.stdout
    assert ended.stderr.splitlines()[-1] == "[]"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "shows"),
    [
        (["--help"], "scale: ablation, large, paper, paper_rl, paper_sft, quickstart, smoke"),
        (["seed=3", "--info", "defaults"], "| sampler/topology"),
        (["--hydra-help"], "Hydra"),
        (["-sc", "install=bash"], "complete -o nospace"),
    ],
)
def test_what_hydra_shows_is_shown(tmp_path: Path, arguments: list[str], shows: str) -> None:
    ended = envfactory(*arguments, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert shows in ended.stdout
    assert list(tmp_path.iterdir()) == []


def test_stopping_before_anything_runs_leaves_no_traceback(tmp_path: Path) -> None:
    code = (
        "import signal, sys; from envfactory.__main__ import main\n"
        "def hook(event, arguments):\n"
        "    if event == 'open' and str(arguments[0]).endswith('conf/config.yaml'):\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "sys.addaudithook(hook); sys.exit(main([]))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 130
    assert ended.stderr == "envfactory: stopped before anything ran\n"


def test_completion_offers_options_of_a_group(tmp_path: Path) -> None:
    line = "envfactory sampler="
    ended = subprocess.run(
        [sys.executable, "-m", "envfactory", "-sc", "query=bash"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True,
        env={**os.environ, "COMP_LINE": line, "COMP_POINT": str(len(line))},
    )  # fmt: skip
    assert sorted(ended.stdout.split()) == ["sampler=coverage", "sampler=random_walk", "sampler=topology"]


@pytest.mark.parametrize(
    "arguments", [["--info", "nonsense"], ["--help", "sampler.p"], ["-sc", "install=csh"], ["-sc", "nonsense"]]
)
def test_what_cannot_be_shown_is_refused_without_a_traceback(tmp_path: Path, arguments: list[str]) -> None:
    ended = envfactory(*arguments, folder=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.startswith("envfactory: ")
    assert "Traceback" not in ended.stderr


def test_an_unknown_flag_is_refused(tmp_path: Path) -> None:
    ended = envfactory("--nonsense", folder=tmp_path)
    assert ended.returncode == 2
    assert "unrecognized arguments: --nonsense" in ended.stderr


def test_help_names_what_is_chosen_unless_somebody_does(tmp_path: Path) -> None:
    config = yaml.safe_load((CONF / "config.yaml").read_text())
    entries = [entry for entry in config["defaults"] if isinstance(entry, dict)]
    chosen = [f"{group}={name}" for entry in entries for group, name in entry.items() if "override" not in group]
    shown = " ".join(envfactory("--help", folder=tmp_path).stdout.split())
    assert f"unless you do: {' '.join(chosen)})" in shown
