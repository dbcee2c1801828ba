"""Rewards: what a played conversation deserves, measured against gold."""

from envfactory.reward.rescore import Rescorer, ScoreRow
from envfactory.reward.reward import COMPOSITE, PAPER, RewardSettings, Score, score
from envfactory.reward.statistics import FailedRollout, GroupStatistics, group_statistics

__all__ = [
    "COMPOSITE", "PAPER", "FailedRollout", "GroupStatistics", "Rescorer", "RewardSettings", "Score", "ScoreRow",
    "group_statistics", "score",
]  # fmt: skip
