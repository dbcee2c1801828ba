"""What is logged of a step: means over the survivors, and how many those are."""

from __future__ import annotations

import pytest

from envfactory.training.terms import step_terms


def told(failure: str = "", **terms: float) -> dict[str, object]:
    return {"failure": failure, "reward_extra_info": {"failed": float(bool(failure)), **terms}}


def test_means_are_those_of_the_survivors() -> None:
    found = step_terms([told(reward=1.0, calls=2), told(reward=0.0, calls=4), told("crash: x")], 4, 3)
    assert found == {
        "envfactory/reward": 0.5, "envfactory/calls": 3.0,
        # One has a row and says why it failed; one has no row at all.
        "envfactory/failed": 0.5, "envfactory/rollouts": 2.0,
    }  # fmt: skip


def test_a_step_without_survivors_is_told_with_its_reasons() -> None:
    with pytest.raises(RuntimeError, match=r"all 2 rollouts of step 7 failed: crash: a; timeout: b"):
        step_terms([told("timeout: b"), told("crash: a")], 2, 7)
