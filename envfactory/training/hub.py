"""Where a backbone of the hub is: its repository at a commit, or a folder of the same form."""

from __future__ import annotations

from pathlib import Path

from envfactory.config.training import HubBackboneConfig
from envfactory.training.places import TrainingError

__all__ = ["hub_model"]

PATH_STARTS = ("/", "./", "../", "~")
"""How a name begins that can only be meant as a folder."""


def hub_model(backbone: HubBackboneConfig) -> tuple[str, str | None]:
    """Return a backbone's model and its revision, as every program that loads it is told them.

    A relative folder is one of where the command was given; programs run in folders of their own, so they are told the
    absolute one. A folder has no revision.

    Raises:
        TrainingError: the name can only be a folder's, and no model is there.
    """
    folder = Path(backbone.model).expanduser()
    if folder.is_dir() and (folder / "config.json").is_file():
        return str(folder.resolve()), None
    if backbone.model.startswith(PATH_STARTS):
        raise TrainingError(
            f"backbone.model={backbone.model}: no model is there; name a folder with config.json, or a repository of "
            "the hub"
        )
    return backbone.model, backbone.revision
