"""The reward of a played conversation (arXiv 2605.18703, section 3.4).

    R = alpha * R_traj + (1 - alpha) * R_state - gamma * P_length,   then at least `floor`, if there is one

- `R_traj`: gold calls matched one to one by executed calls (see `matching`); `binary`: 1 if all are, else 0; `graded`:
  the share that is. With no gold calls there is nothing to miss: 1.
- `R_state`: share of the session's environments whose final state is equivalent to gold's. With `gate`, an environment
  that gold leaves as it was pays only if R_traj = 1, so that doing nothing on a read-only task earns nothing.
- `P_length`: executed calls beyond gold's number, refused and malformed ones included; gamma is `per_call`, and the
  product is at most `cap`.

Only executed calls count: what was merely written, in thinking or in a tool's output, is not among the arguments of
`score`. Everything here is a pure function. An infrastructure failure is never scored (see `statistics`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from envfactory.environment import Spec
from envfactory.environment.equivalence import Comparison
from envfactory.gold import Call, Gold
from envfactory.reward.matching import GoldCalls, is_malformed


class RewardSettings(BaseModel):
    """What the equation leaves open.

    Attributes:
        alpha: weight of R_traj, 0 to 1; the rest is R_state's.
        mode: R_traj all or nothing (`binary`), or the share matched (`graded`).
        per_call: gamma, for one call beyond gold's number.
        cap: gamma * P_length at most.
        gate: R_state pays on an environment that gold leaves as it was only if R_traj = 1.
        floor: R at least; None: no floor.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    alpha: Annotated[float, Field(ge=0, le=1)] = 0.5
    mode: Literal["binary", "graded"] = "binary"
    per_call: Annotated[float, Field(ge=0)] = 0.05
    cap: Annotated[float, Field(ge=0)] = 0.5
    gate: bool = True
    floor: float | None = None


PAPER = RewardSettings(gate=False, floor=0.0)
"""As published: binary, no gate, never below 0."""

COMPOSITE = RewardSettings(gate=True, floor=None)
"""Doing nothing earns nothing, and every needless call shows."""


class Score(BaseModel):
    """A reward and what it is made of.

    Attributes:
        reward: R.
        r_traj: R_traj, 0 to 1.
        r_state: R_state as it enters the equation, after the gate, 0 to 1.
        p_length: gamma * P_length, 0 to `cap`.
        calls: executed calls.
        gold_calls: calls of gold.
        matched: gold calls matched.
        refused: executed calls that the environment refused, malformed ones apart.
        malformed: executed calls whose arguments were no JSON object.
        undecided: environments whose comparison gave up; they count as not equivalent.
        states: by environment, whether its final state is equivalent to gold's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reward: float
    r_traj: float
    r_state: float
    p_length: float
    calls: int
    gold_calls: int
    matched: int
    refused: int
    malformed: int
    undecided: int
    states: dict[str, bool]


def score(
    gold: Gold,
    gold_calls: Sequence[Call],
    calls: Sequence[Call],
    comparison: Comparison,
    specs: Mapping[str, Spec],
    settings: RewardSettings = COMPOSITE,
) -> Score:
    """Score one conversation.

    Args:
        gold: the task's program.
        gold_calls: its calls as a replay executed them, one for each of `gold.calls`.
        calls: every call that the candidate had executed, refused and malformed ones included, in any order.
        comparison: `compare_states` with the candidate's changes on the left and gold's on the right.
        specs: the session's environments.
        settings: of the equation.

    Raises:
        ValueError: `gold_calls` are not the calls of `gold`, or `comparison` compares no environment.
    """
    return score_against(GoldCalls(gold, gold_calls, specs), calls, comparison, settings)


def score_against(
    gold: GoldCalls, calls: Sequence[Call], comparison: Comparison, settings: RewardSettings = COMPOSITE
) -> Score:
    """Score one of many conversations about a task; see `score`.

    Args:
        gold: the task's calls, made ready once.
        calls: as for `score`.
        comparison: as for `score`.
        settings: as for `score`.

    Raises:
        ValueError: `comparison` compares no environment.
    """
    if not comparison.verdicts:
        raise ValueError("the comparison has no environment, so there is no final state to judge")
    wanted = len(gold)
    matched = len(gold.match(calls, comparison))
    r_traj = float(matched == wanted) if settings.mode == "binary" or not wanted else matched / wanted
    verdicts = comparison.verdicts
    paying = sum(v.equal and (matched == wanted or not (settings.gate and v.unchanged)) for v in verdicts.values())
    r_state = paying / len(verdicts)
    p_length = min(settings.cap, settings.per_call * max(0, len(calls) - wanted))
    reward = settings.alpha * r_traj + (1 - settings.alpha) * r_state - p_length
    malformed = sum(is_malformed(call) for call in calls)
    return Score(
        reward=reward if settings.floor is None else max(settings.floor, reward),
        r_traj=r_traj,
        r_state=r_state,
        p_length=p_length,
        calls=len(calls),
        gold_calls=wanted,
        matched=matched,
        refused=sum(not call.ok for call in calls) - malformed,
        malformed=malformed,
        undecided=sum(verdict.undecided for verdict in verdicts.values()),
        states={name: verdict.equal for name, verdict in verdicts.items()},
    )
