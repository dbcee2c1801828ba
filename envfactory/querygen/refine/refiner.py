"""The refiner: requests that say less than they could, as people's do (arXiv 2605.18703, section 3.3, refinement)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Protocol

from envfactory.querygen.program import Program
from envfactory.querygen.request import Request
from envfactory.trajectory import Change, Persona


@dataclass(frozen=True, slots=True)
class Refined:
    """A conversation's program and requests after refinement.

    Attributes:
        program: the program; its gold has other turns where an exchange was put in (a turn of no calls, whose request
            has a `question`), and more calls where the goal was expanded.
        requests: one for each turn of the program.
        changes: what was changed, in the order of the turns.
        rejected: refinements that were tried and undone because the request was no longer solvable, as
            `<kind>:<reason>`, for counting.
    """

    program: Program
    requests: list[Request]
    changes: tuple[Change, ...] = ()
    rejected: tuple[str, ...] = ()


class Refiner(Protocol):
    """Makes requests less explicit while they stay solvable."""

    def refine(self, program: Program, requests: list[Request], persona: Persona, rng: random.Random) -> Refined:
        """Refine the requests of a conversation; what cannot be refined stays as it is."""
        ...
