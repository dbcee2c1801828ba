"""What LlamaFactory is told: its YAML, the command, and what that needs, as functions of the configuration alone.

One sample a step, cut at it, with the history masked (see `envfactory.dataset.sft`). Samples of a step are
`sft.batch_size` on any hardware: what the devices do not hold at once is accumulated.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from envfactory.config import Config
from envfactory.config.training import LayoutConfig, TinyBackboneConfig
from envfactory.training.hub import hub_model
from envfactory.training.places import Hardware, TrainingError, expected_python, find_hardware, shipped
from envfactory.training.tiny import tiny_folder

__all__ = ["Recipe", "indented", "layout_of", "needs", "plan", "sft_recipe"]

SEEDS = 2**32
"""Trainers take seeds of 32 bits."""

CHECKPOINTS = "checkpoints"
DEEPSPEED = "zero3.json"
DEVICES: dict[Hardware, str] = {"cpu": "CPU", "gpu_80gb": "GPU of 80 GB", "gpu_141gb": "GPU of 141 GB"}
VOCABULARY = 151936
"""Entries of Qwen3's output layer, in every size."""


@dataclass(frozen=True)
class Recipe:
    """One training.

    Attributes:
        arguments: what `sft.yaml` holds.
        hardware: what it runs on.
        layout: how it is laid out there.
        deepspeed: DeepSpeed's config to put beside the YAML; None without DeepSpeed.
    """

    arguments: dict[str, Any]
    hardware: Hardware
    layout: LayoutConfig
    deepspeed: Path | None

    def yaml(self) -> str:
        """Return `sft.yaml`."""
        return OmegaConf.to_yaml(OmegaConf.create(self.arguments))

    def command(self, python: Path | str) -> list[str]:
        """Return the command, to be run in the folder of `sft.yaml`."""
        return [str(python), "-m", "llamafactory.cli", "train", "sft.yaml"]

    def variables(self) -> dict[str, str]:
        """Return what the command finds in its environment because of the layout."""
        if self.hardware == "cpu":
            return {}
        # DeepSpeed is started by torchrun, be it for one device.
        return {"FORCE_TORCHRUN": "1", "NPROC_PER_NODE": str(self.layout.devices)}


def sft_recipe(config: Config, data: Path, *, validation: bool, model: str | None = None) -> Recipe:
    """Return the recipe of supervised fine-tuning.

    Args:
        config: groups `backbone`, `sft`, `training`, `dataset` and the seed are read.
        data: folder of `dataset_info.json`.
        validation: whether the validation set has samples.
        model: folder of the model; None: what the backbone names.

    Raises:
        TrainingError: the backbone has no layout for the hardware.
    """
    backbone, sft = config.backbone, config.sft
    hardware = find_hardware(config.training.hardware)
    layout = _share(config, hardware)
    lora = sft.kind == "lora"
    zero = layout.zero if hardware != "cpu" and not lora else 0
    arguments: dict[str, Any] = {"stage": "sft", "do_train": True}
    if backbone.kind == "tiny":
        arguments["model_name_or_path"] = model or str(tiny_folder(backbone))
    else:
        name, revision = hub_model(backbone)
        arguments |= {"model_name_or_path": name} | ({"model_revision": revision} if revision else {})
    arguments["finetuning_type"] = sft.kind
    if sft.kind == "lora":
        arguments |= {"lora_rank": sft.rank, "lora_alpha": sft.lora_alpha, "lora_target": "all"}
    arguments |= {
        "template": backbone.template,
        # Null, not false: thoughts stay as they are, and the empty block of who thinks nothing carries no loss.
        "enable_thinking": None,
        "preserve_thinking": config.training.preserve_thinking,
        "dataset_dir": str(data),
        "dataset": config.dataset.name,
    }
    if validation:
        # The loss of a step depends on its samples more than on what was learned; that of the same set before and
        # after tells. After the last step LlamaFactory validates by itself, so a lone epoch needs no other time.
        epochs = sft.epochs > 1 and sft.max_steps is None
        arguments |= {"eval_dataset": f"{config.dataset.name}_validation", "eval_strategy": "epoch" if epochs else "no"}
        arguments |= {"do_eval": True, "eval_on_start": True}
        arguments |= {"per_device_eval_batch_size": 1, "prediction_loss_only": True}
    arguments |= {
        "mask_history": True,
        "cutoff_len": backbone.context,
        "overwrite_cache": True,
        "preprocessing_num_workers": 1 if hardware == "cpu" else 16,
        "dataloader_num_workers": 0,
        "per_device_train_batch_size": layout.device_batch,
        "gradient_accumulation_steps": sft.batch_size // (layout.devices * layout.device_batch),
        "learning_rate": backbone.lora_learning_rate if lora else backbone.learning_rate,
        "num_train_epochs": sft.epochs,
        "max_steps": sft.max_steps or -1,
        "lr_scheduler_type": sft.schedule,
        # Below 1 it is a share of the steps.
        "warmup_steps": sft.warmup,
        "bf16": hardware != "cpu",
        "use_cpu": hardware == "cpu",
        "seed": config.seed % SEEDS,
        "output_dir": CHECKPOINTS,
        "logging_steps": 1,
        "save_strategy": "steps",
        "save_steps": sft.save_steps,
        "save_total_limit": 2,
        "report_to": "none",
    }
    if zero:
        arguments["deepspeed"] = DEEPSPEED
    if hardware == "cpu":
        # What a GPU reckons twice to save memory, a CPU has room for.
        arguments["disable_gradient_checkpointing"] = True
    return Recipe(arguments, hardware, layout, shipped(f"deepspeed/{DEEPSPEED}") if zero else None)


def plan(config: Config) -> str:
    """Return what stage `sft` would start, with its config and what it needs, for people to read.

    Raises:
        TrainingError: see `sft_recipe`.
    """
    recipe = sft_recipe(config, Path(config.paths.outputs) / "latest" / "artifacts" / "export", validation=True)
    python = expected_python(config.training.python, recipe.hardware)
    words = [*(f"{name}={value}" for name, value in recipe.variables().items()), *recipe.command(python)]
    parts = [f"stage sft\n\ncommand\n  {' '.join(words)}", f"needs\n{indented(needs(config, recipe))}"]
    parts.append(f"sft.yaml\n{indented(recipe.yaml())}")
    if recipe.deepspeed is not None:
        parts.append(f"{DEEPSPEED}\n{indented(recipe.deepspeed.read_text(encoding='utf-8'))}")
    return "\n\n".join(parts) + "\n"


def needs(config: Config, recipe: Recipe) -> str:
    """Return what a recipe needs, reckoned from counts of parameters and tokens; not measured."""
    backbone, layout = config.backbone, recipe.layout
    billions = backbone.parameters / 1e9
    # Mixed precision: 2 bytes a weight and a gradient; Adam keeps weight, momentum and variance in 4 each.
    states = 2 * billions if config.sft.kind == "lora" else 16 * billions
    shared = layout.devices if recipe.deepspeed is not None else 1
    # The loss takes each logit in 2 bytes, again in 4, and its gradient in 4.
    logits = layout.device_batch * backbone.context * VOCABULARY * 10 / 1e9
    disk = (2 if config.sft.kind == "lora" else 2 * 14) * billions + 2 * billions
    return (
        f"{layout.devices} x {DEVICES[recipe.hardware]}, each: {states / shared:.1f} GB for weights, gradients and "
        f"optimizer; up to {logits:.1f} GB for the logits of {backbone.context} tokens; activations\n"
        f"{disk:.1f} GB on disk for two checkpoints to continue from and the model"
    )


def layout_of(config: Config, hardware: Hardware) -> LayoutConfig:
    """Return how the backbone is laid out on some hardware.

    Raises:
        TrainingError: it is not meant for that.
    """
    layout: LayoutConfig | None = getattr(config.backbone, hardware)
    if layout is None:
        name = config.backbone.kind if isinstance(config.backbone, TinyBackboneConfig) else config.backbone.model
        raise TrainingError(
            f"backbone {name} has no layout for {hardware}; train it on GPUs, look at what would be started with "
            "dry_run=true training.hardware=gpu_80gb, or choose backbone=tiny"
        )
    return layout


def indented(text: str) -> str:
    """Return a text of which every line is set in by two spaces."""
    return "\n".join(f"  {line}" for line in text.rstrip("\n").split("\n"))


def _share(config: Config, hardware: Hardware) -> LayoutConfig:
    layout = layout_of(config, hardware)
    share = layout.devices * layout.device_batch
    if config.sft.batch_size % share:
        raise TrainingError(
            f"sft.batch_size={config.sft.batch_size}: expected a multiple of {share}, what {layout.devices} devices "
            f"hold at once (backbone.{hardware}.devices, backbone.{hardware}.device_batch)"
        )
    return layout
