"""Which folder, or repository, a model of a configuration is: `base`, `sft`, `rl`, or a checkpoint's own folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from envfactory.config import Config
from envfactory.training.hub import hub_model
from envfactory.training.places import TrainingError, find_hardware, find_interpreter
from envfactory.training.tiny import tiny_folder, tiny_model

__all__ = ["CHECKPOINT", "expected_model", "ready_model"]

CHECKPOINT = "checkpoint"
"""The folder of the model in an artifact of a training stage."""


def ready_model(config: Config, name: str, artifacts: Mapping[str, Path]) -> str:
    """Return a model that is there; of the tiny backbone it is made if it is not.

    Args:
        config: groups `backbone` and `training` are read.
        name: `base`, a stage, or a folder.
        artifacts: stage to the folder of its artifact.

    Raises:
        TrainingError: it is not there, or cannot be made.
    """
    if name in artifacts:
        return str((artifacts[name] / CHECKPOINT).resolve())
    if name != "base":
        folder = Path(name).expanduser()
        if not (folder / "config.json").is_file():
            raise TrainingError(f"{name}: no model is there; name a folder with config.json, or one of base, sft, rl")
        return str(folder.resolve())
    backbone = config.backbone
    if backbone.kind == "hub":
        return hub_model(backbone)[0]
    hardware = find_hardware(config.training.hardware)
    return str(tiny_model(backbone, find_interpreter(config.training.python, hardware)))


def expected_model(config: Config, name: str) -> str:
    """Return where a model is, or will be."""
    if name in ("sft", "rl"):
        return str(Path(config.paths.outputs) / "latest" / "artifacts" / name / CHECKPOINT)
    if name != "base":
        return name
    backbone = config.backbone
    return str(tiny_folder(backbone)) if backbone.kind == "tiny" else hub_model(backbone)[0]
