"""Trains for a test, in a process that may be killed: `python -m tests.training.rl_run DATA MODEL WORK OUTPUT`.

Rollouts are those of `tests/training/inside/injecting.py`.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from envfactory.files import write_json_atomic
from envfactory.training.rl import train_rl
from tests.training.conftest import make_config

INJECTING = Path(__file__).parent / "inside" / "injecting.py"
SMALL = ("backbone=tiny", "domain=hotels", "training.hardware=cpu", "training.timeout_s=900", "rl.batch_size=2",
         "rl.mini_batch_size=2", "rl.group_size=3", "rl.max_steps=2", "rl.prompt_tokens=2300",
         "rl.response_tokens=400", "rl.episode.max_messages=2", "rl.episode.max_result_tokens=64",
         "rl.save_steps=1")  # fmt: skip


def follow(steps: Iterator[int], total: int | None, label: str) -> Iterator[int]:
    """Tell nothing."""
    yield from steps


def main(data: Path, model: Path, work: Path, output: Path) -> None:
    """Train, and write what `train_rl` tells to `metrics.json`."""
    (work / "python").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(INJECTING, work / "python" / "injecting.py")
    output.mkdir()
    metrics = train_rl(make_config(*SMALL), data, model, work, output, follow, loop="injecting.Injected")
    write_json_atomic(output / "metrics.json", metrics)


if __name__ == "__main__":
    main(*(Path(word) for word in sys.argv[1:]))
