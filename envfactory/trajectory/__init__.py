"""Trajectories: finished conversations with their calls, results and states, and the file that holds them."""

from envfactory.trajectory.model import SCHEMA, Candidate, Persona, PlayedCall, Step, Trajectory, Turn

__all__ = ["SCHEMA", "Candidate", "Persona", "PlayedCall", "Step", "Trajectory", "Turn"]
