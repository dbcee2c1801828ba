"""The training interpreter, and configurations for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from envfactory.config import Config
from envfactory.config.commandline import read_command
from envfactory.training.places import Interpreter, find_interpreter
from envfactory.training.tiny import tiny_model

MakeConfig = Callable[..., Config]


def make_config(*overrides: str) -> Config:
    return read_command(list(overrides)).cells[0].config


def processes_with(text: str) -> list[str]:
    """Commands of the processes that have a text in their environment."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if text.encode() in path.read_bytes():
                found.append((path.parent / "cmdline").read_text())
        except OSError:
            continue
    return found


@pytest.fixture(scope="session")
def interpreter() -> Interpreter:
    """The interpreter that launchers/training/setup.sh cpu builds; without it these tests fail and say so."""
    return find_interpreter("auto", "cpu")


@pytest.fixture(scope="session")
def tiny(interpreter: Interpreter) -> Path:
    """The tiny model."""
    backbone = make_config("backbone=tiny").backbone
    assert backbone.kind == "tiny"
    return tiny_model(backbone, interpreter)
