"""Whether the programs that stages start are here and fit: what `Stage.needs` is for those that train or serve."""

from __future__ import annotations

from envfactory.config import Config
from envfactory.pipeline.stage import told_by_stage

__all__ = ["needs_server", "needs_trainer"]


def needs_trainer(config: Config) -> None:
    """Refuse a backbone that cannot be trained here.

    Raises:
        StageError: it has no layout for the hardware, or one for more GPUs than there are; no model is where it is said
            to be; or there is no training interpreter.
    """
    from envfactory.training.places import TrainingError
    from envfactory.training.ready import find_trainer

    with told_by_stage(TrainingError):
        find_trainer(config)


def needs_server(config: Config) -> None:
    """Refuse a backbone that cannot be served here.

    Raises:
        StageError: likewise.
    """
    from envfactory.serving.vllm import find_server
    from envfactory.training.places import TrainingError

    with told_by_stage(TrainingError):
        find_server(config)
