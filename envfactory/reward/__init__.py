"""Rewards: what a played conversation deserves, measured against gold."""

from envfactory.reward.matching import GoldCalls
from envfactory.reward.rescore import Rescorer, ScoreRow
from envfactory.reward.reward import COMPOSITE, PAPER, RewardSettings, Score, score, score_against
from envfactory.reward.statistics import FailedRollout, GroupStatistics, group_statistics

__all__ = [
    "COMPOSITE", "PAPER", "FailedRollout", "GoldCalls", "GroupStatistics", "Rescorer", "RewardSettings", "Score",
    "ScoreRow", "group_statistics", "score", "score_against",
]  # fmt: skip
