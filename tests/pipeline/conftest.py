"""Configurations and processes for the pipeline's tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from envfactory.config import Config
from envfactory.config.commandline import read_command

HERE = Path(__file__).parent

MakeConfig = Callable[..., Config]
Start = Callable[..., "subprocess.Popen[str]"]


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
