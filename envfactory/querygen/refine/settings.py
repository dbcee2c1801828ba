"""How much is refined: a switch and a probability for each refinement, and weights by domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from envfactory.trajectory import RefinementKind


class Strength(BaseModel):
    """Whether a refinement is used at all, and how often where it can be."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = True
    probability: Annotated[float, Field(ge=0, le=1)]


class RefinementSettings(BaseModel):
    """What is refined, and how often.

    Attributes:
        implicit_reference: chance for each record that is named.
        action_compression: chance for each call that need not be asked for.
        ambiguity: chance for each turn.
        goal_expansion: likewise.
        domains: by domain, factors for these chances; 1 where nothing is said. The product is at most 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    implicit_reference: Strength = Strength(probability=0.7)
    action_compression: Strength = Strength(probability=0.75)
    ambiguity: Strength = Strength(probability=0.12)
    goal_expansion: Strength = Strength(probability=0.12)
    domains: Mapping[str, Mapping[RefinementKind, float]] = {}

    def chance(self, kind: RefinementKind, domain: str) -> float:
        """The chance of a refinement in a domain."""
        strength: Strength = getattr(self, kind)
        weight = self.domains.get(domain, {}).get(kind, 1.0)
        return min(1.0, strength.probability * weight) if strength.enabled else 0.0
