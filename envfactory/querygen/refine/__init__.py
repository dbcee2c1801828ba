"""Refinements: four ways in which people's requests differ from lists of instructions."""

from envfactory.querygen.refine.refiner import Refined, Refiner

__all__ = ["Refined", "Refiner"]
