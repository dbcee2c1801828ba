"""`Change`: what a refinement did to a request (arXiv 2605.18703, section 3.3).

Kept with the trajectory, so that each refinement can be told apart, counted and judged afterwards.
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue

RefinementKind = Literal["implicit_reference", "action_compression", "ambiguity", "goal_expansion"]
REFINEMENTS: tuple[RefinementKind, ...] = get_args(RefinementKind)


class Change(BaseModel):
    """One refinement of one turn.

    Attributes:
        kind: which refinement.
        turn: the turn of the finished conversation whose request was changed, from 0.
        before, after: the request without and with it.
        detail: what it changed, by kind: the references and what they stand for (`implicit_reference`), the calls that
            are no longer asked for (`action_compression`), the records that the words fit (`ambiguity`), the calls that
            were added (`goal_expansion`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: RefinementKind
    turn: int = Field(ge=0)
    before: str
    after: str
    detail: dict[str, JsonValue] = {}
