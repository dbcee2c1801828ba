"""The embedding interpreter."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from envfactory.training.places import cache_folder

ROOT = Path(__file__).parents[2]
FOLDER = cache_folder() / "embedding-cpu"

Inside = Callable[..., "subprocess.CompletedProcess[str]"]


def run(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the embedding interpreter; nothing in it may ask the hub."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", **variables}
    command = [str(FOLDER / "bin" / "python"), *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False)


@pytest.fixture(scope="session")
def inside() -> Inside:
    """`run`, if launchers/embedding/setup.sh has built the interpreter; without it, tests fail and say so."""
    if not (FOLDER / ".ready").is_file():
        pytest.fail(f"there is no embedding interpreter in {FOLDER} yet; build it with: launchers/embedding/setup.sh")
    return run
