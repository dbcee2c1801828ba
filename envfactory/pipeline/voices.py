"""The language model of a stage: opened for as long as the stage runs, whichever way `generator` is chosen.

A stage asks for the voice of the roles that it has; where none of them is the model's, there is no model, and nothing
is started. Replies are kept by what was asked, so a stage that was stopped pays nothing twice.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from pydantic import JsonValue

from envfactory.config import Config
from envfactory.config.generator import LocalGeneratorConfig, ModelGeneratorConfig, ReplayGeneratorConfig
from envfactory.files import JsonlError
from envfactory.llm import (
    BlockingClient,
    BudgetSettings,
    Client,
    EndpointSettings,
    InfrastructureError,
    LimitSettings,
    ModelLedger,
    ReplayMiss,
    RetrySettings,
    open_records,
)
from envfactory.llm.voice import Speech, Voice
from envfactory.pipeline.stage import StageContext, StageError
from envfactory.serving.local import LocalModel, LocalModelError, local_model

__all__ = ["StageVoice", "open_voice", "served", "workers"]

LEDGER = "models.jsonl"

_MODELS = (ModelGeneratorConfig, LocalGeneratorConfig, ReplayGeneratorConfig)


class StageVoice:
    """The voice of a stage, and what it cost.

    Attributes:
        voice: the model; None where every role goes by rules.
    """

    def __init__(self, stage: str, voice: Voice | None, ledger: ModelLedger | None) -> None:
        self.stage, self.voice, self._ledger = stage, voice, ledger

    def accept(self, trajectory: str, made_as: str) -> None:
        """Note that a trajectory was accepted, and what it was called while it was made, so its cost can be told."""
        if self._ledger is not None:
            self._ledger.accept(self.stage, trajectory, made_as)

    def metrics(self, counts: Mapping[str, int] | None = None) -> dict[str, JsonValue]:
        """How the model answered and what was spent, by role and for each accepted trajectory; nothing without one.

        Args:
            counts: how often each role answered (`Voice.counts`), where a stage keeps that with what stands of it from
                earlier attempts; None: as in this one.
        """
        if self.voice is None or self._ledger is None:
            return {}
        answers: dict[str, JsonValue] = dict(self.voice.counts() if counts is None else counts)
        spent: dict[str, JsonValue] = {
            role: _figures(asdict(amounts)) for role, amounts in self._ledger.by("role").items()
        }
        each = _figures(self._ledger.per_accepted(self.stage))
        trajectories: list[JsonValue] = [
            {"id": name, **_figures(asdict(amounts))} for name, amounts in self._ledger.by_accepted(self.stage).items()
        ]
        told = {"answers": answers, "spent": spent, "spent_per_accepted": each, "trajectories": trajectories}
        return {"model": {name: figures for name, figures in told.items() if figures}}


@contextmanager
def open_voice(context: StageContext, stage: str, *roles: str) -> Generator[StageVoice]:
    """Open the model that plays some roles.

    Args:
        context: of the stage.
        stage: its name.
        roles: the roles that it has; if the model plays none of them, none is opened.

    Raises:
        StageError: the model cannot be had, or cannot go on; what it said so far is kept.
    """
    # A stage that a model has no part in does not read the group at all.
    generator = getattr(context.config, "generator", None)
    if not isinstance(generator, _MODELS) or not generator.played(roles):
        yield StageVoice(stage, None, None)
        return
    with ExitStack() as held:
        try:
            endpoint, budget = _endpoint(generator, held)
            ledger = held.enter_context(ModelLedger(context.partial / LEDGER))
            client = Client(
                endpoint,
                records=open_records(Path(generator.records)),
                mode="replay" if generator.kind == "replay" else "use",
                ledger=ledger,
                budget=budget,
                budget_key="generator.budget",
            )
            speech = Speech(generator.temperature, generator.thinking, generator.rounds)
            yield StageVoice(stage, Voice(held.enter_context(BlockingClient(client)), stage, speech), ledger)
        except LocalModelError as error:
            raise StageError(f"{error} (or choose another generator)") from None
        except ReplayMiss as error:
            same = "give every key as the run had it that kept them, generator.roles and generator.added_records too"
            raise StageError(f"generator.records={generator.records}: {error}; {same}") from None
        except JsonlError as error:
            raise StageError(f"generator.records={generator.records}: {error}; it is no pack of records") from None
        except InfrastructureError as error:
            raise StageError(f"the language model: {error}; the same command goes on from here") from None


def workers(config: Config) -> int:
    """How many trajectories are made at once: as many as may be asked about, where a model takes part."""
    generator = config.generator
    return generator.endpoint.limits.in_flight if isinstance(generator, ModelGeneratorConfig) else 1


def local_endpoint(generator: LocalGeneratorConfig, url: str) -> EndpointSettings:
    """Who answers where the model is a local file: one request at a time, since it has one place."""
    return EndpointSettings(
        model=served(generator).name,
        base_url=url,
        timeout_s=generator.timeout_s,
        retry=RetrySettings(attempts=2),
        limits=LimitSettings(in_flight=1),
    )


def _endpoint(
    generator: ModelGeneratorConfig | LocalGeneratorConfig | ReplayGeneratorConfig, held: ExitStack
) -> tuple[EndpointSettings, BudgetSettings | None]:
    if isinstance(generator, LocalGeneratorConfig):
        running = local_model(
            served(generator),
            context=generator.context,
            threads=generator.threads,
            start_timeout_s=generator.start_timeout_s,
        )
        return local_endpoint(generator, held.enter_context(running)), None
    return generator.endpoint, generator.budget if isinstance(generator, ModelGeneratorConfig) else None


def served(generator: LocalGeneratorConfig) -> LocalModel:
    """The local model that a configuration names."""
    return LocalModel(
        python=None if generator.python == "auto" else Path(generator.python).expanduser(),
        model=None if generator.model == "auto" else Path(generator.model).expanduser(),
    )


def _figures(amounts: Mapping[str, float]) -> dict[str, JsonValue]:
    return {name: round(amount, 6) for name, amount in amounts.items() if amount}
