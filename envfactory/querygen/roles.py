"""`Roles`: who plays which part in making a conversation; by rules, or by a language model where the config says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from envfactory.querygen.assistant import Assistant
from envfactory.querygen.choose import Judge
from envfactory.querygen.planner import Planner, RulePlanner
from envfactory.querygen.refine import Refiner
from envfactory.querygen.writer import Writer

if TYPE_CHECKING:
    from envfactory.config.generator import ModelsConfig
    from envfactory.environment import Backend
    from envfactory.llm.voice import Voice


@dataclass(frozen=True, slots=True)
class Roles:
    """The parts; without a refiner requests stay as they are written."""

    planner: Planner
    writer: Writer
    refiner: Refiner | None
    assistant: Assistant
    judge: Judge

    def with_model(self, voice: Voice, generator: ModelsConfig, planner: RulePlanner, backend: Backend) -> Roles:
        """Let a model play the parts that are its own.

        Args:
            voice: the model.
            generator: which parts, and how.
            planner: the bounds of a plan.
            backend: loads the states that the planner adds to.
        """
        from envfactory.querygen.model import (
            ModelAssistant,
            ModelInitialState,
            ModelJudge,
            ModelPlanner,
            ModelPlayer,
            ModelRefiner,
            ModelWriter,
        )

        parts, roles = generator.roles, self
        if parts.planner == "model":
            more = generator.added_records
            asking = ModelPlanner(
                voice,
                fewest=planner.fewest,
                most=planner.most,
                turns=planner.turns,
                fallback=planner if generator.fallback else None,
                initial_state=ModelInitialState(voice, backend, more, fallback=generator.fallback) if more else None,
            )
            roles = replace(roles, planner=asking)
        writer = ModelWriter(voice, self.writer, fallback=generator.fallback) if parts.writer == "model" else None
        if writer is not None:
            roles = replace(roles, writer=writer)
        if self.refiner is not None and parts.refiner == "model":
            roles = replace(roles, refiner=ModelRefiner(voice, self.refiner))
        elif self.refiner is not None and writer is not None:
            roles = replace(roles, refiner=ModelRefiner(voice, self.refiner, writer))
        if parts.assistant == "model":
            user = voice if parts.user == "model" else None
            roles = replace(roles, assistant=ModelPlayer(ModelAssistant(voice, generator.calling), user))
        if parts.judge == "model":
            roles = replace(roles, judge=ModelJudge(voice, self.judge))
        return roles
