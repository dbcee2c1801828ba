"""Configurations and processes for the pipeline's tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path

import pytest

from envfactory.config import Config
from envfactory.config.commandline import read_command
from tests.answering import Endpoint, answering

HERE = Path(__file__).parent
FEW = ("+experiment=smoke", "domain=travel", "scale.trajectories=4", "scale.sft=2", "scale.rl=2")
"""A small job, for tests of what comes after its chains."""

MakeConfig = Callable[..., Config]
Start = Callable[..., "subprocess.Popen[str]"]
Stock = Callable[[Path], Path]


@pytest.fixture
def make_config(tmp_path: Path) -> MakeConfig:
    """Compose a real configuration that writes into the test's folder."""

    def make(*overrides: str, outputs: Path | None = None) -> Config:
        folder = outputs or tmp_path / "outputs"
        return read_command([f"paths.outputs='{folder}'", *overrides]).cells[0].config

    return make


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a script of this folder in another process; whatever still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def begin(script: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", str(HERE / script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    """Put the graph and the chains of `FEW` into a folder for outputs; they are made once."""
    made = tmp_path_factory.mktemp("chains")
    command = [sys.executable, "-m", "envfactory", *FEW, "stages=[sample]", f"paths.outputs='{made}'"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr

    def copy(outputs: Path) -> Path:
        shutil.copytree(made / "artifacts", outputs / "artifacts")
        return outputs

    return copy


@pytest.fixture
def outputs(tmp_path: Path, stock: Stock) -> Path:
    """A folder for outputs in which the graph and the chains of `FEW` stand already."""
    return stock(tmp_path / "outputs")


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An endpoint whose model never answers as asked."""
    with answering(repeat("I would rather not.")) as server:
        yield server
