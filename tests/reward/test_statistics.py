"""Infrastructure failures are left out of a group, not counted as nothing earned."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.reward import FailedRollout, GroupStatistics, Score, group_statistics


def earned(reward: float) -> Score:
    return Score(
        reward=reward, r_traj=0, r_state=0, p_length=0, calls=0, gold_calls=0, matched=0, refused=0, malformed=0,
        undecided=0, states={},
    )  # fmt: skip


def test_a_failed_rollout_is_not_a_reward_of_nothing():
    failed = FailedRollout("the worker crashed")
    found = group_statistics([earned(1.0), failed, earned(0.5)])
    assert (found.mean, found.survivors, found.failed) == (0.75, 2, 1)
    assert found.std == pytest.approx(0.125**0.5)


def test_a_group_without_survivors_has_no_mean():
    assert group_statistics([FailedRollout("timeout")] * 3) == GroupStatistics(None, None, 0, 3)
    assert group_statistics([]) == GroupStatistics(None, None, 0, 0)


def test_a_single_survivor_deviates_from_nothing():
    assert group_statistics([earned(0.3), FailedRollout("timeout")]) == GroupStatistics(0.3, 0.0, 1, 1)


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=16))
def test_mean_and_deviation_are_those_of_the_sample(rewards: list[float]):
    found = group_statistics(map(earned, rewards))
    assert found.mean == pytest.approx(statistics.mean(rewards), abs=1e-12)
    assert found.std == pytest.approx(statistics.stdev(rewards), abs=1e-9)
