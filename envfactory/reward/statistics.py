"""Groups of rollouts, of which some may have failed.

A rollout that infrastructure broke (a timeout, a crashed worker, a lost connection) says nothing about the policy. It
is a `FailedRollout`, never a reward of 0: it gives no gradient, and the group's statistics are those of the survivors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from envfactory.reward.reward import Score


@dataclass(frozen=True, slots=True)
class FailedRollout:
    """In the place of a score: infrastructure failed, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class GroupStatistics:
    """Rewards of a group.

    Attributes:
        mean: over the survivors; None if there are none.
        std: sample standard deviation (n - 1) over the survivors; 0 for a single one, None if there are none.
        survivors: how many rollouts were scored.
        failed: how many were not.
    """

    mean: float | None
    std: float | None
    survivors: int
    failed: int


def group_statistics(rollouts: Iterable[Score | FailedRollout]) -> GroupStatistics:
    """Mean and deviation of the rewards of those rollouts that did not fail."""
    rollouts = list(rollouts)
    rewards = [rollout.reward for rollout in rollouts if isinstance(rollout, Score)]
    failed = len(rollouts) - len(rewards)
    if not rewards:
        return GroupStatistics(None, None, 0, failed)
    mean = math.fsum(rewards) / len(rewards)
    square = math.fsum((reward - mean) ** 2 for reward in rewards)
    return GroupStatistics(mean, math.sqrt(square / max(1, len(rewards) - 1)), len(rewards), failed)
