"""QueryGen: grounded chains become natural multi-turn conversations (arXiv 2605.18703, section 3.3)."""

from envfactory.querygen.assistant import Assistant, RuleAssistant
from envfactory.querygen.choose import Judge, RuleJudge
from envfactory.querygen.figures import RequestFigures
from envfactory.querygen.imperfect import Imperfections
from envfactory.querygen.mask import Masker
from envfactory.querygen.planner import Planner, RulePlanner
from envfactory.querygen.synthesize import Difficulty, Rejected, Synthesizer, base_documents
from envfactory.querygen.writer import RuleWriter, Writer

__all__ = [
    "Assistant", "Difficulty", "Imperfections", "Judge", "Masker", "Planner", "Rejected", "RequestFigures",
    "RuleAssistant", "RuleJudge", "RulePlanner", "RuleWriter", "Synthesizer", "Writer", "base_documents",
]  # fmt: skip
