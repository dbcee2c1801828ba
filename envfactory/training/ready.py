"""Whether a backbone can be trained with what is here: hardware, its layout, the model's folder, the interpreter.

Asked before anything runs, so that nobody makes data for hours to hear of a missing program, and again by the training.
"""

from __future__ import annotations

from envfactory.config import Config
from envfactory.training.hub import hub_model
from envfactory.training.places import Interpreter, check_devices, find_hardware, find_interpreter
from envfactory.training.recipe import layout_of

__all__ = ["find_trainer"]


def find_trainer(config: Config) -> Interpreter:
    """Return the interpreter that trains the backbone.

    Raises:
        TrainingError: the backbone has no layout for the hardware, or one for more GPUs than there are; its folder
            holds no model; or there is no interpreter.
    """
    hardware = find_hardware(config.training.hardware)
    check_devices(hardware, layout_of(config, hardware).devices, f"backbone.{hardware}.devices")
    if config.backbone.kind == "hub":
        hub_model(config.backbone)
    return find_interpreter(config.training.python, hardware)
