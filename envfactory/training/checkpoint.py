"""A checkpoint: a folder in the form of Hugging Face, with the chat template that the model was trained with."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from envfactory.training.tokens import TEMPLATE

__all__ = ["collect"]

NOT_THE_MODEL = (
    "README.md", "latest", "optimizer.pt", "scheduler.pt", "trainer_log.jsonl", "trainer_state.json",
    "training_args.bin", "zero_to_fp32.py",
)  # fmt: skip


def collect(trained: Path, checkpoint: Path, *, preserve_thinking: bool) -> None:
    """Take a model's files from where it was trained.

    Args:
        trained: where a trainer left it, with files of its own beside.
        checkpoint: the folder to make.
        preserve_thinking: whether the template is the one that keeps every think block; else it is the model's own.
    """
    checkpoint.mkdir()
    for path in sorted(trained.iterdir()):
        run_only = (
            path.name in NOT_THE_MODEL
            or path.name.startswith("rng_state")
            or path.name.endswith(("_results.json", ".png"))
        )
        if path.is_file() and not run_only and not (preserve_thinking and path.name == "chat_template.jinja"):
            # What is written once is not copied: weights are large, and the work folder goes when the artifact stands.
            try:
                os.link(path, checkpoint / path.name)
            except OSError:
                shutil.copyfile(path, checkpoint / path.name)
    if preserve_thinking:
        shutil.copyfile(TEMPLATE, checkpoint / "chat_template.jinja")
