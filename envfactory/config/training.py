"""Groups that decide how a model is trained: the backbone, fine-tuning, reinforcement learning, and where."""

# Annotations are read at run time by Pydantic, so they are not postponed here.
from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import Field

from envfactory.config.group import NOT_IDENTITY, Count, Group
from envfactory.config.problems import Problem, shown

__all__ = [
    "POSITIONS",
    "BackboneConfig",
    "EpisodeConfig",
    "FullSftConfig",
    "GrpoRlConfig",
    "HubBackboneConfig",
    "LayoutConfig",
    "LoraSftConfig",
    "SftConfig",
    "TinyBackboneConfig",
    "TrainingConfig",
]


class LayoutConfig(Group):
    """How training is laid out on one kind of hardware."""

    devices: Count = Field(description="accelerators that train together; 1 on the CPU")
    device_batch: Count = Field(description="samples that one of them holds at once")
    zero: Literal[0, 3] = Field(description="DeepSpeed ZeRO stage of full fine-tuning; 0: no DeepSpeed")
    rollout_parallel: Count = Field(description="accelerators that generate together (tensor parallel) in rollouts")

    def rules(self) -> Iterator[Problem]:
        """Those that generate together are some of those that train together."""
        if self.devices % self.rollout_parallel:
            yield Problem("rollout_parallel", shown(self.rollout_parallel), f"expected a divisor of {self.devices}")


POSITIONS: Final[dict[str, int]] = {"qwen3": 40960}
"""Tokens that a family of models, named by its template, reads at most: as it was trained."""


class _Backbone(Group):
    template: Literal["qwen3"] = Field(description="LlamaFactory's name of the chat template")
    context: Count = Field(description="longest sample, in tokens; a longer one is refused, never cut")
    learning_rate: Annotated[float, Field(gt=0)] = Field(description="of full fine-tuning")
    lora_learning_rate: Annotated[float, Field(gt=0)] = Field(description="of LoRA")
    rl_learning_rate: Annotated[float, Field(gt=0)] = Field(description="of reinforcement learning")
    parameters: Count = Field(description="of the model, as a count; what memory is needed is reckoned from it")
    # What the hardware decides is speed and memory: the samples of a step are the same on all.
    cpu: LayoutConfig | None = Field(description="layout on the CPU; null: too big", json_schema_extra=NOT_IDENTITY)
    gpu_80gb: LayoutConfig | None = Field(description="layout on 80 GB GPUs", json_schema_extra=NOT_IDENTITY)
    gpu_141gb: LayoutConfig | None = Field(description="layout on 141 GB GPUs", json_schema_extra=NOT_IDENTITY)

    def rules(self) -> Iterator[Problem]:
        """No sample is longer than what the model reads."""
        if self.context > (most := POSITIONS[self.template]):
            yield Problem("context", shown(self.context), f"expected at most {most}, what {self.template} can read")


class HubBackboneConfig(_Backbone):
    """A model of the Hugging Face hub."""

    kind: Literal["hub"] = Field(description="from the hub, or a folder of the same form")
    model: str = Field(description="repository, or folder", min_length=1)
    revision: str = Field(description="commit of the repository", min_length=1)


class TinyBackboneConfig(_Backbone):
    """A small Qwen3 with Qwen3's own tokenizer, made and taught on the spot and kept in the cache."""

    kind: Literal["tiny"] = Field(description="made on the spot")
    layers: Count = Field(description="decoder layers")
    hidden: Annotated[int, Field(ge=16, multiple_of=16)] = Field(description="hidden size")


BackboneConfig = Annotated[HubBackboneConfig | TinyBackboneConfig, Field(discriminator="kind")]


class _Sft(Group):
    batch_size: Count = Field(description="samples a step, over all devices")
    epochs: Annotated[float, Field(gt=0)] = Field(description="passes over the training set")
    max_steps: Count | None = Field(description="steps; null: as many as the epochs take")
    schedule: Literal["cosine", "linear", "constant"] = Field(description="of the learning rate")
    warmup: Annotated[float, Field(ge=0, lt=1)] = Field(description="share of the steps in which it rises")
    save_steps: Count = Field(description="steps between checkpoints to continue from", json_schema_extra=NOT_IDENTITY)


class FullSftConfig(_Sft):
    """Every weight is trained."""

    kind: Literal["full"] = Field(description="full fine-tuning")


class LoraSftConfig(_Sft):
    """Low-rank adapters are trained and merged at the end."""

    kind: Literal["lora"] = Field(description="LoRA on every linear layer")
    rank: Count = Field(description="rank of the adapters")
    lora_alpha: Count = Field(description="scale of the adapters; twice the rank as a rule")


SftConfig = Annotated[FullSftConfig | LoraSftConfig, Field(discriminator="kind")]


class EpisodeConfig(Group):
    """How long one rollout of a turn may be."""

    max_messages: Count = Field(description="messages of the model")
    max_calls: Count = Field(description="calls; further ones are refused in band")
    max_result_tokens: Annotated[int, Field(ge=32)] = Field(
        description="tokens of a result that the model is shown; a longer one is cut in the middle"
    )
    max_user_replies: Count = Field(
        description="answers of the simulated user of rl.simulate_user; asked once more, they give up and it is over"
    )
    timeout_s: Annotated[float, Field(gt=0)] = Field(
        description="seconds in environments; an overrun is a failed rollout, which is never a reward of 0"
    )
    call_timeout_s: Annotated[float, Field(gt=0)] = Field(description="seconds of one call; likewise")


class GrpoRlConfig(Group):
    """GRPO by verl: a group of rollouts a turn, each compared with the others."""

    kind: Literal["grpo"] = Field(description="group relative policy optimization")
    init: Literal["sft", "base"] = Field(description="what is trained: what stage sft gives, or the backbone as it is")
    thinking: bool = Field(description="the model thinks; false: its messages begin behind an empty think block")
    batch_size: Count = Field(description="turns a step")
    mini_batch_size: Count = Field(description="turns an update of the weights; a divisor of batch_size")
    group_size: Annotated[int, Field(ge=2)] = Field(description="rollouts a turn")
    epochs: Count = Field(description="passes over the turns")
    max_steps: Count | None = Field(description="steps; null: as many as the epochs take")
    temperature: Annotated[float, Field(gt=0)] = Field(description="of sampling")
    top_p: Annotated[float, Field(gt=0, le=1)] = Field(description="of sampling")
    clip_low: Annotated[float, Field(gt=0, lt=1)] = Field(description="the ratio of probabilities is clipped below")
    clip_high: Annotated[float, Field(gt=0)] = Field(description="and above")
    clip_dual: Annotated[float, Field(gt=1)] = Field(description="and, where the advantage is negative, at this")
    kl: Annotated[float, Field(ge=0)] = Field(description="weight of the distance to the initial model; 0: none")
    prompt_tokens: Count = Field(description="longest prompt; a turn with a longer one is left out, never cut")
    response_tokens: Count = Field(description="longest rollout after the prompt, results included")
    simulate_user: bool = Field(
        description="a simulated user, by rules, answers what the model asks, and says what ambiguous requests leave "
        "open; false: whoever asks has ended the turn, and the exchange stands in the history"
    )
    episode: EpisodeConfig
    backend: Literal["in_process", "worker"] = Field(
        description="where environments run; worker: a process that is killed when a call overruns",
        json_schema_extra=NOT_IDENTITY,
    )
    validate_steps: Count | None = Field(description="steps between validations on the held-out turns; null: none")
    save_steps: Count = Field(description="steps between checkpoints to continue from", json_schema_extra=NOT_IDENTITY)

    def rules(self) -> Iterator[Problem]:
        """An update is a part of a step."""
        if self.batch_size % self.mini_batch_size:
            wanted = f"expected a divisor of batch_size = {self.batch_size}"
            yield Problem("mini_batch_size", shown(self.mini_batch_size), wanted)


class TrainingConfig(Group):
    """What training programs run in, and on."""

    python: str = Field(
        description="interpreter with the training programs; auto: what launchers/training/setup.sh built",
        min_length=1,
        json_schema_extra=NOT_IDENTITY,
    )
    hardware: Literal["auto", "cpu", "gpu_80gb", "gpu_141gb"] = Field(
        description="which of the backbone's layouts; auto: as nvidia-smi says", json_schema_extra=NOT_IDENTITY
    )
    preserve_thinking: bool = Field(
        description="the think block of every step stays in the history; false: as Qwen3's own template drops it"
    )
    timeout_s: Annotated[float, Field(gt=0)] = Field(
        description="a training that takes longer is ended; the same command continues it",
        json_schema_extra=NOT_IDENTITY,
    )
