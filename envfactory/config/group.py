"""`Group`: what the groups of the typed configuration have in common, and the kinds of their values."""

# Annotations are read at run time by Pydantic, so they are not postponed here.
from collections.abc import Iterator
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from envfactory.config.problems import Problem
from envfactory.llm.settings import NOT_IDENTITY

__all__ = ["NOT_IDENTITY", "RULE", "Count", "Group", "Natural", "Probability"]

RULE: Final = "rule"
"""The kind of Pydantic's error where a rule of a group is broken."""

Probability = Annotated[float, Field(ge=0, le=1)]
# Below 2**63: a digest is taken of JSON, whose integers have 64 bits.
Count = Annotated[int, Field(ge=1, lt=2**63)]
Natural = Annotated[int, Field(ge=0, lt=2**63)]


class Group(BaseModel):
    """A group of keys; `rules` says what must hold between values that are each right by themselves."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def rules(self) -> Iterator[Problem]:
        """Yield every rule that the values break; keys are relative to the group."""
        yield from ()

    @model_validator(mode="after")
    def _keeps_its_rules(self) -> Self:
        for problem in self.rules():
            raise PydanticCustomError(RULE, "{problem}", {"problem": str(problem)})
        return self
