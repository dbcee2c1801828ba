"""The writer: one request a turn that says everything, in plain English.

Every call of the turn that is the assistant's to make is asked for, and every record is called by its name wherever it
has one that tells it apart: the explicit request that refinements start from. `solvable` checks on the finished text
that it says what must be known.
"""

from __future__ import annotations

import random
from typing import Protocol

from envfactory.querygen.draft import TurnWords, Unsayable
from envfactory.querygen.program import Program
from envfactory.querygen.related import changes_mind
from envfactory.querygen.request import Draft, Request
from envfactory.trajectory import Persona

__all__ = ["Request", "RuleWriter", "Unsayable", "Writer"]


class Writer(Protocol):
    """Writes the requests of a conversation."""

    def write(self, program: Program, persona: Persona, rng: random.Random) -> list[Request]:
        """Write one request a turn.

        Raises:
            Unsayable: some call cannot be asked for.
        """
        ...


class RuleWriter:
    """Writes from the tools' own phrasings."""

    def write(self, program: Program, persona: Persona, rng: random.Random) -> list[Request]:
        """Write one request a turn."""
        requests: list[Request] = []
        shown: set[int] = set()
        before = 0
        for turn, calls in enumerate(program.slices):
            first = next((call for call in calls if not program.is_users(call)), calls.start)
            again = bool(turn) and changes_mind(program.gold, first, program.specs, before)
            words = TurnWords(program, shown.union(calls))
            said = [words.say_somehow(call, rng) for call in calls if not program.is_users(call)]
            draft = Draft(tuple(clause for clause, _ in said), rng.getrandbits(32), changes_mind=again)
            requests.append(words.joined(turn, draft, [text for _, text in said], persona.manner))
            shown.update(calls)
            before = calls.start
        return requests
