"""The embedding interpreter."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from envfactory.training.places import cache_folder

ROOT = Path(__file__).parents[2]

Inside = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def inside() -> Inside:
    """Run a command in the interpreter that launchers/embedding/setup.sh builds; without it, tests fail and say so."""
    folder = cache_folder() / "embedding-cpu"
    if not (folder / ".ready").is_file():
        pytest.fail(f"there is no embedding interpreter in {folder} yet; build it with: launchers/embedding/setup.sh")

    def run(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        # Nothing here may ask the hub.
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", **variables}
        command = [str(folder / "bin" / "python"), *map(str, arguments)]
        return subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False
        )

    return run
