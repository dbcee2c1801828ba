"""What came of a step's rollouts, term by term: means over those that infrastructure did not break."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["PREFIX", "step_terms"]

PREFIX = "envfactory/"
"""How the names of terms begin in a trainer's log."""

REASONS = 3


def step_terms(told: Sequence[Mapping[str, Any]], expected: int, step: int) -> dict[str, float]:
    """Return the terms of a step.

    Args:
        told: of each rollout why it failed, `failure` (empty if it did not), and its `reward_extra_info`.
        expected: how many rollouts there should be; those that are missing have failed too.
        step: which step it is.

    Returns:
        Each term's mean, the share of `failed` rollouts, and how many `rollouts` came through.

    Raises:
        RuntimeError: every rollout failed, so infrastructure has to be mended before anything can be learned.
    """
    alive = [rollout["reward_extra_info"] for rollout in told if not rollout["failure"]]
    if not alive:
        reasons = sorted({rollout["failure"] for rollout in told})
        raise RuntimeError(f"all {expected} rollouts of step {step} failed: {'; '.join(reasons[:REASONS])}")
    names = [name for name in alive[0] if name != "failed"]
    means = {f"{PREFIX}{name}": sum(each[name] for each in alive) / len(alive) for name in names}
    return {**means, f"{PREFIX}failed": 1 - len(alive) / expected, f"{PREFIX}rollouts": float(len(alive))}
