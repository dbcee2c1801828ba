"""What language models cost, as the tables of a report: by stage and role, and by accepted trajectory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

AMOUNTS = ("requests", "failed", "replayed", "prompt", "cached", "completion", "reasoning", "seconds", "gpu_hours",
           "money")  # fmt: skip
"""As `envfactory.llm.Spent` has them."""

HEADS = {
    "prompt": "tokens read",
    "cached": "of them cached",
    "completion": "tokens written",
    "replayed": "from records",
    "reasoning": "of them reasoning",
    "gpu_hours": "GPU-hours",
}
"""What they are called, where that is not their name."""

DEAREST = 5
"""Trajectories shown, those that cost most."""


@dataclass(frozen=True, slots=True)
class Spending:
    """Tables with one head: what a row is about, and its cells.

    Attributes:
        head: names of the amounts of which there is any.
        roles: stage and role.
        accepted: of each stage that accepted trajectories: what it spent on each, on all that came to nothing too; and
            least, median and most of what the accepted ones cost themselves.
        dearest: the accepted trajectories that cost most, by money or else by tokens.
    """

    head: list[str]
    roles: list[tuple[str, list[str]]]
    accepted: list[tuple[str, list[str]]]
    dearest: list[tuple[str, list[str]]]


def spending(metrics: Mapping[str, Mapping[str, Any]]) -> Spending | None:
    """The tables; None where no model was asked.

    Args:
        metrics: stage to its metrics; what a model cost stands under `model`.
    """
    stages = {name: figures["model"] for name, figures in metrics.items() if isinstance(figures.get("model"), Mapping)}
    roles = {
        f"{stage}: {role}": spent
        for stage, figures in stages.items()
        for role, spent in sorted(figures.get("spent", {}).items())
    }
    if not roles:
        return None
    shown = [name for name in AMOUNTS if any(spent.get(name) for spent in roles.values())]

    def row(spent: Mapping[str, Any]) -> list[str]:
        return [_text(spent.get(name, 0)) for name in shown]

    trajectories = [one for figures in stages.values() for one in figures.get("trajectories", ())]
    dearest = sorted(trajectories, key=lambda one: (-one.get("money", 0), -_tokens(one), one["id"]))
    return Spending(
        head=[HEADS.get(name, name) for name in shown],
        roles=[(name, row(spent)) for name, spent in roles.items()],
        accepted=[(name, row(spent)) for stage in stages for name, spent in _accepted(stage, stages[stage], shown)],
        dearest=[(one["id"], row(one)) for one in dearest[:DEAREST]],
    )


def _accepted(stage: str, figures: Mapping[str, Any], shown: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    each, trajectories = figures.get("spent_per_accepted"), figures.get("trajectories")
    if each:
        yield f"{stage}: all, for each accepted", each
    if trajectories:
        for name, choose in (("least", min), ("median", median), ("most", max)):
            amounts = {amount: choose([one.get(amount, 0) for one in trajectories]) for amount in shown}
            yield f"{stage}: accepted ones, {name}", amounts


def _tokens(spent: Mapping[str, Any]) -> float:
    return spent.get("prompt", 0) + spent.get("completion", 0)


def _text(amount: float) -> str:
    return f"{amount:,.0f}" if float(amount).is_integer() else f"{amount:,.4g}"
