"""QueryGen: grounded chains become natural multi-turn conversations (arXiv 2605.18703, section 3.3)."""

from envfactory.querygen.planner import Planner, RulePlanner
from envfactory.querygen.synthesize import Rejected, Synthesizer, base_documents
from envfactory.querygen.writer import RuleWriter, Writer

__all__ = ["Planner", "Rejected", "RulePlanner", "RuleWriter", "Synthesizer", "Writer", "base_documents"]
