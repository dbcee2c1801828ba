"""Groups that decide what is served, and how models are served and evaluated."""

# Annotations are read at run time by Pydantic, so they are not postponed here.
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from envfactory.config.group import NOT_IDENTITY, Count, Group
from envfactory.config.problems import Problem, shown

__all__ = [
    "HeldoutEvaluationConfig",
    "McpServingConfig",
    "ModelName",
    "ServingConfig",
    "VllmConfig",
    "VllmServingConfig",
]

ModelName = Literal["base", "sft", "rl"]
"""A model of a configuration: the backbone as it is, what stage `sft` gives, what stage `rl` gives."""


class McpServingConfig(Group):
    """Stage `serve`: environments by MCP over standard input and output."""

    kind: Literal["mcp"] = Field(description="environments, as an MCP server")
    scenario_size: Count = Field(description="size of the scenario served")


class VllmServingConfig(Group):
    """Stage `serve`: a model behind vLLM's OpenAI-compatible server, until it is stopped."""

    kind: Literal["vllm"] = Field(description="a model, behind vLLM; needs the training interpreter")
    model: str = Field(
        description="`base`, `sft` or `rl` of this configuration, made if it is not there; or a checkpoint's folder",
        min_length=1,
    )
    port: Annotated[int, Field(ge=0, lt=65536)] = Field(description="on 127.0.0.1; 0: a free one")


ServingConfig = Annotated[McpServingConfig | VllmServingConfig, Field(discriminator="kind")]


class VllmConfig(Group):
    """How vLLM serves a model, to stage `serve` and to stage `evaluate`; what a CPU takes is fixed."""

    devices: Count = Field(description="accelerators that hold a model together (tensor parallel)")
    gpu_memory: Annotated[float, Field(gt=0, le=1)] = Field(
        description="share of an accelerator's memory that it takes"
    )
    context: Count | None = Field(description="longest conversation, in tokens; null: backbone.context")
    start_timeout_s: Annotated[float, Field(gt=0)] = Field(description="seconds in which a server must be ready")


class HeldoutEvaluationConfig(Group):
    """Stage `evaluate`: the held-out turns, played live with the limits of `rl` and the reward of `reward`."""

    kind: Literal["heldout"] = Field(description="our own benchmark: the turns of `rl_val.parquet`")
    models: Annotated[tuple[ModelName, ...], Field(min_length=1)] = Field(
        description="which models are compared: base, sft, rl; what is not there is made"
    )
    turns: Count | None = Field(description="turns that each model plays, the first ones; null: all")
    temperature: Annotated[float, Field(ge=0)] = Field(description="of sampling; 0: always the likeliest token")
    concurrency: Count = Field(description="turns that are played at once", json_schema_extra=NOT_IDENTITY)
    answer_timeout_s: Annotated[float, Field(gt=0)] = Field(
        description="seconds for one message of a model; a turn that takes longer fails, and is counted",
        json_schema_extra=NOT_IDENTITY,
    )

    def rules(self) -> Iterator[Problem]:
        """No model is played twice."""
        if len(set(self.models)) < len(self.models):
            yield Problem("models", shown(self.models), "expected each once")
