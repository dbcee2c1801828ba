"""Refinements: four ways in which people's requests differ from lists of instructions (arXiv 2605.18703, section 3.3).

Each is a strategy of its own with a switch, a probability and weights by domain; each keeps the request solvable, which
`solvable` checks without knowing who wrote it, and records what it changed.
"""

from envfactory.querygen.refine.refiner import Refined, Refiner
from envfactory.querygen.refine.rules import RuleRefiner
from envfactory.querygen.refine.settings import RefinementSettings, Strength

__all__ = ["Refined", "RefinementSettings", "Refiner", "RuleRefiner", "Strength"]
