"""The contract of a stage: what decides its result, what it takes, and what it is given to work with.

A stage is a pure function from declared parts of the configuration, the artifacts of other stages and the sources of
environments to a folder of files. Its *key* hashes exactly these, so an equal key means an equal result:

    key = SHA-256 of {name, version, identity keys read, content digests of inputs, digests of environments}

A stage lives in ``envfactory/pipeline/stages/<name>.py`` as ``STAGE`` and is loaded when it is needed:

    def run(context: StageContext) -> Mapping[str, JsonValue]:
        chains = read_jsonl(context.inputs["sample"] / "chains.jsonl")
        ...
        return {"trajectories": count}

    STAGE = Stage(name="synthesize", version=1, reads=("querygen", "seed"), takes=("sample",),
                  modules=("envfactory.querygen",), run=run)
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import JsonValue

from envfactory.config import STAGE_NAMES, Config
from envfactory.files import digest_json
from envfactory.pipeline.ledger import Ledger

__all__ = ["ON_DEMAND", "Progress", "Stage", "StageContext", "StageError", "load_stage", "stage_key", "told_by_stage"]

T = TypeVar("T")

ON_DEMAND: frozenset[str] = frozenset({"check", "serve"})
"""Stages that run every time they are named and leave nothing in the store."""


class StageError(RuntimeError):
    """A stage cannot give its result, for a reason that its message tells completely (no traceback is needed)."""


@contextmanager
def told_by_stage(*kinds: type[Exception], of: str = "") -> Generator[None]:
    """Let errors whose messages tell everything end the stage; `of` names what they are about."""
    try:
        yield
    except kinds as error:
        raise StageError(f"{of}{error}") from None


class Progress(Protocol):
    """How a stage tells how far it is."""

    def track(self, items: Iterable[T], total: int | None, label: str) -> Iterator[T]:
        """Yield the items, telling progress.

        Args:
            items: what is worked through.
            total: how many there will be; None where that is unknown.
            label: what is counted, in the plural: ``"chains"``.
        """
        ...


@dataclass(frozen=True)
class Stage:
    """One stage.

    Attributes:
        name: one of the configuration's stage names.
        version: raised whenever the same inputs may give another result.
        reads: dotted identity keys of the configuration, such as ``("sampler", "scale.trajectories", "seed")``; the
            stage sees no others but those that its roles need.
        takes: names of the stages whose artifacts it is given, or a function that tells them for a configuration.
        modules: packages or modules whose source decides the result; a change in them must be acknowledged.
        run: makes the result; returns metrics, which become part of the manifest and of ``metrics.json``.
        environments: whether the sources of the chosen environments decide the result.
        plan: says what programs the stage would start, with their config and what they need; None: it starts none.
        needs: refuses, with a StageError, a configuration whose programs are not here; asked before anything runs.
        roles: of the group `generator`; where a language model plays them, what decides its replies is read as well.
    """

    name: str
    version: int
    reads: tuple[str, ...]
    takes: tuple[str, ...] | Callable[[Config], tuple[str, ...]]
    modules: tuple[str, ...]
    run: Callable[[StageContext], Mapping[str, JsonValue]]
    environments: bool = True
    plan: Callable[[Config], str] | None = None
    needs: Callable[[Config], None] | None = None
    roles: tuple[str, ...] = ()

    def reading(self, config: Config) -> tuple[str, ...]:
        """Identity keys that decide the result under a configuration."""
        model = config.generator.deciding(self.roles) if self.roles else ()
        return (*self.reads, *(f"generator.{name}" for name in model))

    def inputs(self, config: Config) -> tuple[str, ...]:
        """Names of the stages whose artifacts it is given under a configuration."""
        return self.takes(config) if callable(self.takes) else self.takes

    @property
    def on_demand(self) -> bool:
        """Whether the stage runs every time it is named."""
        return self.name in ON_DEMAND


@dataclass(frozen=True)
class StageContext:
    """What a running stage is given.

    Attributes:
        config: the configuration, holding of its identity only what the stage reads.
        inputs: stage taken to the folder of its artifact.
        metrics: stage taken to its metrics.
        costs: stage taken to what making its artifact cost: ``{"seconds": ..., "counts": {...}}``.
        output: a private, empty folder; whatever is in it at the end becomes the artifact.
        partial: a folder that survives a kill, for this key alone: a stage continues from what it finds there
            (see `envfactory.pipeline.shards`). It is removed once the artifact stands.
        environments: name to source digest of every environment chosen; empty if the stage uses none.
        progress: tells how far the stage is.
        ledger: counts what costs something, such as calls.
        log: goes to the attempt's ``log.txt``; warnings also to the terminal.
    """

    config: Config
    inputs: Mapping[str, Path]
    metrics: Mapping[str, Mapping[str, JsonValue]]
    costs: Mapping[str, Mapping[str, JsonValue]]
    output: Path
    partial: Path
    environments: Mapping[str, str]
    progress: Progress
    ledger: Ledger = field(default_factory=Ledger)
    log: logging.Logger = field(default_factory=lambda: logging.getLogger("envfactory"))

    @property
    def seed(self) -> int:
        """The run's seed; the stage must declare that it reads ``seed``."""
        return self.config.seed


def load_stage(name: str) -> Stage:
    """Import a stage by its name.

    Raises:
        KeyError: no such stage.
        StageError: the stage's module is not part of this installation.
    """
    if name not in STAGE_NAMES:
        raise KeyError(f"{name}: no such stage; one of {', '.join(STAGE_NAMES)}")
    module = f"envfactory.pipeline.stages.{name}"
    try:
        stage = importlib.import_module(module).STAGE
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise StageError(f"stage {name} is not part of this installation: no module {module}") from None
    assert isinstance(stage, Stage)
    return stage


def stage_key(stage: Stage, config: Config, inputs: Mapping[str, str], environments: Mapping[str, str]) -> str:
    """Return the key of a stage's result.

    Args:
        stage: the stage.
        config: the whole configuration; only what the stage reads enters.
        inputs: stage taken to the content digest of its artifact.
        environments: name to source digest of every environment chosen; ignored if the stage uses none.

    Returns:
        A SHA-256 digest in hexadecimal.
    """
    return digest_json(
        {
            "stage": stage.name,
            "version": stage.version,
            "config": config.identity(stage.reading(config)),
            "inputs": dict(inputs),
            "environments": dict(environments) if stage.environments else {},
        }
    )
