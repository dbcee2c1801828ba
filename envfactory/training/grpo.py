"""What verl is told for GRPO: its config, the agent loop that plays our rows, and what that needs.

Everything is a function of the configuration alone. verl is extended where it can be, and not forked: an agent loop,
an estimator of advantages and a sampler of its own (`envfactory.training.inside`) plug in by name.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from envfactory.config import Config
from envfactory.config.training import POSITIONS, LayoutConfig
from envfactory.dataset.rl import AGENT
from envfactory.training.episode import EpisodeLimits
from envfactory.training.hub import hub_model
from envfactory.training.places import VLLM_ON_CPU, VLLM_SEEDS, Hardware, TrainingError, expected_python, find_hardware
from envfactory.training.recipe import DEVICES, indented, layout_of
from envfactory.training.tiny import tiny_folder

__all__ = ["LOOP", "GrpoRecipe", "grpo_recipe", "plan"]

INSIDE = "envfactory.training.inside"
LOOP = f"{INSIDE}.agent_loop.AgentLoop"
CHECKPOINTS = "checkpoints"

CPU_VARIABLES = {
    # Ray is told of one GPU, which nobody looks for: this torch knows none.
    "CUDA_VISIBLE_DEVICES": "0",
    "VERL_PLATFORM": "cpu",
    # verl names its engines by devices that it knows; the platform says where this one computes.
    "VERL_ENGINE_DEVICE": "cuda",
    **VLLM_ON_CPU,
    # Ray's workers are the training itself; by Ray's default they would wait for everybody else.
    "RAY_worker_niceness": "0",
}


@dataclass(frozen=True)
class GrpoRecipe:
    """One training.

    Attributes:
        arguments: what `rl.yaml` holds; verl's own defaults hold the rest.
        agent_loop: what `agent_loop.yaml` holds: who plays a row, and how.
        hardware: what it runs on.
        layout: how it is laid out there.
    """

    arguments: dict[str, Any]
    agent_loop: dict[str, Any]
    hardware: Hardware
    layout: LayoutConfig

    def yaml(self) -> str:
        """Return `rl.yaml`."""
        return OmegaConf.to_yaml(OmegaConf.create(self.arguments))

    def begun(self, scratch: str, checkpoint: Path | None) -> str:
        """Return `rl.yaml` for one time that it is started.

        Args:
            scratch: a folder for Ray, of a short path.
            checkpoint: what it goes on from; None: the beginning.
        """
        arguments = copy.deepcopy(self.arguments)
        arguments["ray_kwargs"]["ray_init"]["_temp_dir"] = scratch
        if checkpoint is not None:
            arguments["trainer"] |= {"resume_mode": "resume_path", "resume_from_path": str(checkpoint)}
        return OmegaConf.to_yaml(OmegaConf.create(arguments))

    def agent_loop_yaml(self) -> str:
        """Return `agent_loop.yaml`."""
        return OmegaConf.to_yaml(OmegaConf.create([self.agent_loop]))

    def command(self, python: Path | str) -> list[str]:
        """Return the command, to be run in the folder of `rl.yaml`."""
        return [str(python), "-m", "verl.trainer.main_ppo", "--config-dir", ".", "--config-name", "rl"]

    def variables(self) -> dict[str, str]:
        """Return what the command finds in its environment because of the recipe."""
        shared = {
            "VERL_USE_EXTERNAL_MODULES": f"{INSIDE}.estimator",
            # Ray keeps to the loopback address, as it does by itself on the systems that this is named after.
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
            "HYDRA_FULL_ERROR": "1",
        }
        return shared | (CPU_VARIABLES if self.hardware == "cpu" else {})


def grpo_recipe(
    config: Config,
    *,
    work: Path | str,
    model: str,
    steps: int | None,
    environments: Sequence[str],
    validation: bool = True,
    loop: str = LOOP,
) -> GrpoRecipe:
    """Return the recipe of reinforcement learning.

    Args:
        config: groups `backbone`, `rl`, `reward`, `training` and the seed are read.
        work: the folder of `train.parquet`, `validation.parquet` and `agent_loop.yaml`, where it trains.
        model: folder of the initial model.
        steps: how many it takes; None: unknown yet.
        environments: names of those that the rows play in.
        validation: whether there are rows to validate on.
        loop: class that plays a row.

    Raises:
        TrainingError: the backbone has no layout for the hardware, or the configuration cannot be trained.
    """
    backbone, rl = config.backbone, config.rl
    if not config.training.preserve_thinking:
        raise TrainingError(
            "training.preserve_thinking=false: in a rollout a conversation grows by appending alone, which only the "
            "template that keeps every think block does; leave it true for stage rl"
        )
    if rl.prompt_tokens + rl.response_tokens > (longest := POSITIONS[backbone.template]):
        raise TrainingError(
            f"rl.prompt_tokens={rl.prompt_tokens} and rl.response_tokens={rl.response_tokens}: expected at most "
            f"{longest} together, what the backbone can read"
        )
    hardware = find_hardware(config.training.hardware)
    layout = layout_of(config, hardware)
    cpu = hardware == "cpu"
    if rl.mini_batch_size * rl.group_size % layout.devices:
        raise TrainingError(
            f"rl.mini_batch_size={rl.mini_batch_size} and rl.group_size={rl.group_size}: expected a multiple of "
            f"backbone.{hardware}.devices={layout.devices} as their product: devices share the rollouts of an update"
        )
    seed = config.seed % VLLM_SEEDS
    arguments: dict[str, Any] = {
        "defaults": ["ppo_trainer", {"override hydra/job_logging": "stdout"}, "_self_"],
        "algorithm": {"adv_estimator": "envfactory_grpo", "use_kl_in_reward": False},
        "data": {
            "train_files": f"{work}/train.parquet",
            "val_files": f"{work}/{'validation' if validation else 'train'}.parquet",
            "train_batch_size": rl.batch_size,
            "max_prompt_length": rl.prompt_tokens,
            "max_response_length": rl.response_tokens,
            "dataloader_num_workers": 0,
            "seed": seed,
        },
        "actor_rollout_ref": {
            "model": {
                "path": model,
                "use_remove_padding": False,
                "enable_gradient_checkpointing": not cpu,
                # Logits of a sample of this length and vocabulary would take more memory than all else.
                "use_fused_kernels": True,
                "override_config": {"attn_implementation": "sdpa"},
            },
            "actor": {
                "strategy": "fsdp2",
                "optim": {"lr": backbone.rl_learning_rate},
                "ppo_mini_batch_size": rl.mini_batch_size,
                "ppo_micro_batch_size_per_gpu": layout.device_batch,
                "clip_ratio_low": rl.clip_low,
                "clip_ratio_high": rl.clip_high,
                "clip_ratio_c": rl.clip_dual,
                "loss_agg_mode": "token-mean",
                "use_kl_loss": rl.kl > 0,
                "kl_loss_coef": rl.kl,
                "use_torch_compile": not cpu,
                "fsdp_config": {"use_torch_compile": not cpu, **(_PRECISION_CPU if cpu else {})},
                "data_loader_seed": seed,
            },
            "ref": {
                "strategy": "fsdp2",
                "log_prob_micro_batch_size_per_gpu": layout.device_batch,
                "use_torch_compile": not cpu,
                "fsdp_config": {"use_torch_compile": not cpu, **(_PRECISION_CPU if cpu else {})},
            },
            "rollout": {
                "name": "vllm",
                "n": rl.group_size,
                "temperature": rl.temperature,
                "top_p": rl.top_p,
                "seed": seed,
                "tensor_model_parallel_size": layout.rollout_parallel,
                "max_model_len": rl.prompt_tokens + rl.response_tokens,
                "log_prob_micro_batch_size_per_gpu": layout.device_batch,
                **(_ROLLOUT_CPU if cpu else {"gpu_memory_utilization": 0.6}),
                "agent": {
                    "num_workers": 1 if cpu else 8,
                    "default_agent_loop": AGENT,
                    "agent_loop_config_path": f"{work}/agent_loop.yaml",
                },
            },
        },
        "critic": {"enable": False},
        "reward": {"num_workers": 1},
        "trainer": {
            "device": "cpu" if cpu else "cuda",
            "nnodes": 1,
            "n_gpus_per_node": layout.devices,
            # As many passes as the steps take: the steps end it.
            "total_epochs": 2**20,
            "total_training_steps": steps,
            "project_name": "envfactory",
            "experiment_name": "rl",
            "logger": ["console", "file"],
            "val_before_train": False,
            "test_freq": rl.validate_steps if rl.validate_steps and validation else -1,
            "save_freq": rl.save_steps,
            "max_actor_ckpt_to_keep": 2,
            "default_local_dir": f"{work}/{CHECKPOINTS}",
            # Where to go on is decided before it starts: what verl takes by itself may be half written.
            "resume_mode": "disable",
            "v1": {
                "sampler": {
                    "custom_sampler": {"path": f"pkg://{INSIDE}.sampler", "name": "Sampler"},
                    "sampler_kwargs": {"group_size": rl.group_size},
                }
            },
        },
        "ray_kwargs": {"ray_init": {"include_dashboard": False}},
        "hydra": {"run": {"dir": "."}, "output_subdir": None},
    }
    if cpu:
        # One logical GPU, which the platform of the shims takes for the CPU.
        arguments["ray_kwargs"]["ray_init"] |= {"num_gpus": 1, "num_cpus": 16, "object_store_memory": 400_000_000}
        # Each is a process that imports torch.
        arguments["transfer_queue"] = {"backend": {"SimpleStorage": {"num_data_storage_units": 1}}}
    settings = {
        "environments": list(environments),
        "backend": rl.backend,
        "call_timeout_s": rl.episode.call_timeout_s,
        "thinking": rl.thinking,
        "limits": EpisodeLimits.of(rl).model_dump(),
        "reward": config.reward.model_dump(),
    }
    return GrpoRecipe(arguments, {"name": AGENT, "_target_": loop, "settings": settings}, hardware, layout)


_PRECISION_CPU: dict[str, Any] = {
    "mixed_precision": {"param_dtype": "fp32", "reduce_dtype": "fp32", "buffer_dtype": "fp32"}
}
"""A CPU multiplies bf16 matrices of some layouts one number at a time."""

_ROLLOUT_CPU: dict[str, Any] = {
    "enforce_eager": True,
    "free_cache_engine": False,
    "enable_sleep_mode": False,
    "gpu_memory_utilization": 0.1,
    "max_num_seqs": 8,
    "checkpoint_engine": {"update_weights_bucket_megabytes": 128},
}
"""What vLLM cannot do on a CPU: compile, and give its memory away while the trainer works."""


def plan(config: Config) -> str:
    """Return what stage `rl` would start, with its config and what it needs, for people to read.

    Raises:
        TrainingError: see `grpo_recipe`.
    """
    latest = Path(config.paths.outputs) / "latest" / "artifacts"
    backbone = config.backbone
    if config.rl.init == "sft":
        model = str(latest / "sft" / "checkpoint")
    elif backbone.kind == "tiny":
        model = str(tiny_folder(backbone))
    else:
        model, _ = hub_model(backbone)
    steps = config.rl.max_steps
    recipe = grpo_recipe(
        config, work=latest / "rl", model=model, steps=steps, environments=config.domain.chosen(), validation=True
    )
    python = expected_python(config.training.python, recipe.hardware)
    words = [*(f"{name}={value}" for name, value in recipe.variables().items()), *recipe.command(python)]
    return (
        f"stage rl\n\ncommand\n  {' '.join(words)}\n\nneeds\n{indented(needs(config, recipe))}\n\n"
        f"rl.yaml\n{indented(recipe.yaml())}\n\nagent_loop.yaml\n{indented(recipe.agent_loop_yaml())}\n"
    )


def needs(config: Config, recipe: GrpoRecipe) -> str:
    """Return what a recipe needs, reckoned from counts of parameters; not measured."""
    rl, layout = config.rl, recipe.layout
    billions = config.backbone.parameters / 1e9
    # Weights, gradients and Adam's two moments in 4 bytes each; the initial model, if it is asked, in 4 bytes more.
    states = (20 if rl.kl > 0 else 16) * billions / layout.devices
    rollout = 2 * billions / layout.rollout_parallel
    return (
        f"{layout.devices} x {DEVICES[recipe.hardware]}, each: {states:.1f} GB for weights, gradients and optimizer; "
        f"while it generates {rollout:.1f} GB for a copy of the weights, and room for the keys and values of rollouts; "
        f"while it learns activations of up to {rl.prompt_tokens + rl.response_tokens} tokens\n"
        f"{2 * 12 * billions + 2 * billions:.1f} GB on disk for two checkpoints to continue from and the model\n"
        f"{rl.batch_size * rl.group_size} rollouts a step, in environments on the CPU ({rl.backend})"
    )
