"""What a run needs beside its configuration, looked for before anything runs: keys, files, packages, programs.

Only what will be asked counts: a stage whose artifact stands is reused, and one that no role of which is a model's asks
nobody. Whether the artifact of a stage stands is known if those of all stages that it takes do; otherwise it is made,
as far as anybody can tell.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from envfactory.config import Config, Problem
from envfactory.config.generator import LocalGeneratorConfig, ModelGeneratorConfig, ReplayGeneratorConfig
from envfactory.embedding.choose import lacking as lacking_embedder
from envfactory.pipeline.stage import Stage, StageError, stage_key, told_by_stage
from envfactory.pipeline.store import Store
from envfactory.pipeline.voices import served
from envfactory.serving.local import LocalModelError

__all__ = ["unmet_needs"]

LOG = logging.getLogger("envfactory")


def unmet_needs(
    config: Config, plan: Sequence[Stage], environments: Callable[[tuple[str, ...]], Mapping[str, str]]
) -> Iterator[Problem]:
    """Find what a run lacks, and which stages need it.

    Args:
        config: the configuration.
        plan: its stages, in order.
        environments: gives the source digest of every environment named.

    Yields:
        A problem, naming the key, what is missing, who needs it, and what to do.

    Raises:
        StageError: a program that a stage starts is not here, or not for this hardware.
    """
    lacking = _lacking(config)
    embedder = lacking_embedder(config.embedder)
    if lacking is None and embedder is None and all(stage.needs is None for stage in plan):
        return  # as mostly; what is made need not be found out twice
    made = list(_made(config, plan, environments))
    for stage in made:
        if stage.needs is not None:
            with told_by_stage(StageError, of=f"stage {stage.name}: "):
                stage.needs(config)
    if embedder is not None and (embedding := [stage.name for stage in made if "embedder" in stage.reads]):
        key, value, wrong = embedder
        yield Problem(key, value, f"stage {', '.join(embedding)} embeds texts, and {wrong}")
    asking = [stage for stage in made if config.generator.played(stage.roles)]
    if lacking is None or not asking:
        return
    needed = "; ".join(f"stage {stage.name} for {', '.join(config.generator.played(stage.roles))}" for stage in asking)
    key, value, wrong, fix = lacking
    rules = f"generator.roles.{config.generator.played(asking[0].roles)[0]}=rules"
    yield Problem(key, value, f"{wrong}, and a model is asked in {needed}; {fix}, or give roles to rules: {rules}")


def _lacking(config: Config) -> tuple[str, str, str, str] | None:
    """Key, its value, what is wrong with it, and how to mend it."""
    generator = config.generator
    if isinstance(generator, LocalGeneratorConfig):
        try:
            served(generator).found()
        except LocalModelError as error:
            said, _, fix = str(error).partition("; ")
            return "generator.kind", generator.kind, said, fix
    if isinstance(generator, ModelGeneratorConfig):
        name = generator.endpoint.api_key_env
        if name is not None and not os.environ.get(name):
            fix = f"export {name}=..., or set generator.endpoint.api_key_env=null if {generator.endpoint.base_url} "
            return "generator.endpoint.api_key_env", name, "no such environment variable is set", fix + "wants no key"
    if isinstance(generator, ReplayGeneratorConfig):
        records = Path(generator.records)
        if not records.exists() or (records.is_dir() and not any(records.iterdir())):
            wrong = "there is nothing of that name" if not records.exists() else "the folder is empty"
            fix = "name the folder or pack (*.jsonl) that a run with another generator has kept its replies in"
            return "generator.records", generator.records, wrong, fix
    return None


def _made(
    config: Config, plan: Sequence[Stage], environments: Callable[[tuple[str, ...]], Mapping[str, str]]
) -> Iterator[Stage]:
    """The stages whose artifacts do not stand."""
    store = Store(Path(config.paths.artifacts), config.paths.lock_timeout_s, LOG)
    digests: Mapping[str, str] = (
        environments(config.domain.chosen()) if any(stage.environments for stage in plan) else {}
    )
    contents: dict[str, str] = {}
    for stage in plan:
        takes = stage.inputs(config)
        artifact = None
        if not stage.on_demand and stage.name not in config.force and contents.keys() >= set(takes):
            key = stage_key(stage, config, {name: contents[name] for name in takes}, digests)
            artifact = store.find(stage.name, key)
        if artifact is None:
            yield stage
        else:
            contents[stage.name] = artifact.content
