"""Trajectories: finished conversations with their calls, results and states, and the file that holds them."""

from envfactory.trajectory.change import REFINEMENTS, Change, RefinementKind
from envfactory.trajectory.model import SCHEMA, Candidate, Persona, PlayedCall, Step, Trajectory, Turn

__all__ = [
    "REFINEMENTS", "SCHEMA", "Candidate", "Change", "Persona", "PlayedCall", "RefinementKind", "Step", "Trajectory",
    "Turn",
]  # fmt: skip
