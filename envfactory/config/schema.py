"""The typed configuration: one frozen model a group, and the root that holds them.

The composed YAML is validated against `Config` before anything runs. A key that is not part of a result's *identity*
(where files go, how much is logged) is marked so; it enters neither a cell's id nor a stage's key.
"""

# Annotations are read at run time by Pydantic, so they are not postponed here.
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Self, TypeVar, cast, get_args

from pydantic import BaseModel, Field

from envfactory.config.generator import GeneratorConfig
from envfactory.config.group import NOT_IDENTITY, Group
from envfactory.config.making import (
    DatasetConfig,
    DomainConfig,
    EmbedderConfig,
    GraphConfig,
    QuerygenConfig,
    RefinementConfig,
    RewardConfig,
    SamplerConfig,
    ScaleConfig,
)
from envfactory.config.problems import Problem
from envfactory.config.serving import HeldoutEvaluationConfig, ServingConfig, VllmConfig
from envfactory.config.training import BackboneConfig, GrpoRlConfig, SftConfig, TrainingConfig

__all__ = ["STAGE_NAMES", "CheckConfig", "Config", "LoggerConfig", "PathsConfig", "StageName"]

StageName = Literal[
    "graph", "sample", "synthesize", "score", "export", "sft", "rl", "evaluate", "report", "check", "serve"
]  # fmt: skip
STAGE_NAMES: Final[tuple[StageName, ...]] = get_args(StageName)
"""Every stage, in the order in which they run."""

RESERVED: Final = ("artifacts", "latest")
"""What lies beside the folders of runs."""

M = TypeVar("M", bound=BaseModel)


class CheckConfig(Group):
    """Stage `check`."""

    path: str | None = Field(description="file of trajectories or of training data to validate by row and field")


class LoggerConfig(Group):
    """What is told while a run is going on."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        description="least level in log.txt; the terminal shows warnings and errors"
    )
    progress: Literal["auto", "bars", "plain", "off"] = Field(
        description="auto: bars on a terminal, plain lines elsewhere"
    )


class PathsConfig(Group):
    """Where runs write."""

    outputs: str = Field(description="folder of run folders", min_length=1)
    artifacts: str = Field(description="folder of the artifact store; may be shared by machines", min_length=1)
    lock_timeout_s: Annotated[float, Field(ge=0)] = Field(
        description="seconds to wait for a cell or an artifact that another process holds"
    )


class Config(Group):
    """The whole configuration of one cell."""

    stages: Annotated[tuple[StageName, ...], Field(min_length=1)] = Field(
        description="stages to run; what they need and the store lacks is made too", json_schema_extra=NOT_IDENTITY
    )
    seed: Annotated[int, Field(ge=0, lt=2**63)] = Field(description="decides every random choice")
    force: tuple[StageName, ...] = Field(
        description="stages to make anew although the store has them", json_schema_extra=NOT_IDENTITY
    )
    dry_run: bool = Field(
        description="print what would be started, with its config and what it needs; run nothing",
        json_schema_extra=NOT_IDENTITY,
    )
    name: Annotated[str, Field(pattern=r"^\w[\w.-]*$")] | None = Field(
        description="folder of the runs under paths.outputs; null: the chosen experiment, or main",
        json_schema_extra=NOT_IDENTITY,
    )
    domain: DomainConfig
    embedder: EmbedderConfig
    graph: GraphConfig
    sampler: SamplerConfig
    scale: ScaleConfig
    generator: GeneratorConfig
    querygen: QuerygenConfig
    refinement: RefinementConfig
    reward: RewardConfig
    dataset: DatasetConfig
    backbone: BackboneConfig
    sft: SftConfig
    rl: GrpoRlConfig
    training: TrainingConfig
    evaluation: HeldoutEvaluationConfig
    vllm: VllmConfig = Field(json_schema_extra=NOT_IDENTITY)
    check: CheckConfig = Field(json_schema_extra=NOT_IDENTITY)
    serving: ServingConfig = Field(json_schema_extra=NOT_IDENTITY)
    logger: LoggerConfig = Field(json_schema_extra=NOT_IDENTITY)
    paths: PathsConfig = Field(json_schema_extra=NOT_IDENTITY)

    def rules(self) -> Iterator[Problem]:
        """The folder of runs is not that of something else."""
        if self.name in RESERVED:
            yield Problem("name", self.name, "the outputs have something else of this name; expected another")

    def identity(self, fields: tuple[str, ...] | None = None) -> dict[str, Any]:
        """Return what decides results, as plain JSON.

        Args:
            fields: dotted keys, such as ``("domain", "scale.trajectories")``; None means every identity key.

        Returns:
            Dotted key to its value; keys that are not identity are left out, also inside a group.

        Raises:
            KeyError: a field is not a key of the configuration, or is not part of its identity.
        """
        if fields is None:
            fields = tuple(name for name, field in type(self).model_fields.items() if _is_identity(field))
        return {dotted: _plain(self, dotted) for dotted in sorted(fields)}

    def narrowed(self, reads: tuple[str, ...]) -> Self:
        """Return a copy that holds only some identity keys, so that nothing undeclared can decide a result.

        Args:
            reads: dotted keys, as for `identity`; keys that are not identity are kept all.

        Returns:
            A configuration whose other keys raise AttributeError when they are read.
        """
        self.identity(reads)
        return _narrow(self, reads)


def _narrow(model: M, reads: tuple[str, ...]) -> M:
    kept: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        inner = tuple(read.partition(".")[2] for read in reads if read.partition(".")[0] == name)
        value = getattr(model, name)
        if not _is_identity(field) or "" in inner:
            kept[name] = value
        elif inner:
            kept[name] = _narrow(value, inner)
    return type(model).model_construct(**kept)


def _is_identity(field: Any) -> bool:
    return field.json_schema_extra != NOT_IDENTITY


def _plain(model: BaseModel, dotted: str) -> Any:
    """Return the identity of what a dotted key names, as plain JSON."""
    value: Any = model
    for part in dotted.split("."):
        field = type(value).model_fields.get(part) if isinstance(value, BaseModel) else None
        if field is None:
            raise KeyError(f"{dotted}: no such key in the configuration")
        if not _is_identity(field):
            raise KeyError(f"{dotted}: is not part of the identity, so no result may depend on it")
        value = getattr(value, part)
    return _identity_of(value)


def _identity_of(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return {
            name: _identity_of(getattr(value, name))
            for name, field in type(value).model_fields.items()
            if _is_identity(field)
        }
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value
