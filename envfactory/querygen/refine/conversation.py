"""A conversation while it is refined: each refinement of a turn is put into words, checked, and kept or undone."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from pydantic import JsonValue

from envfactory.querygen.draft import Unsayable, request_of
from envfactory.querygen.program import Program
from envfactory.querygen.refine.settings import RefinementSettings
from envfactory.querygen.request import Draft, Request
from envfactory.querygen.solvable import Unsolvable, exchanges, told, turn_problems
from envfactory.trajectory import Change, Persona, RefinementKind


@dataclass(slots=True)
class Conversation:
    """What refinements work on; `program`, `requests` and `changes` are replaced as they succeed.

    Attributes:
        program: the whole program.
        requests: one for each of its turns.
        persona: who asks.
        settings: how often a refinement is used.
        seed: every choice is drawn from it, apart for each refinement and turn, so that switching one off leaves the
            others as they were.
        changes: what was changed so far.
        rejected: what was tried and undone, as `<kind>:<reason>`.
    """

    program: Program
    requests: list[Request]
    persona: Persona
    settings: RefinementSettings
    seed: int
    changes: list[Change] = field(default_factory=list[Change])
    rejected: list[str] = field(default_factory=list[str])

    def rng(self, kind: RefinementKind, turn: int) -> random.Random:
        """The choices of one refinement in one turn."""
        return random.Random(f"{self.seed}/{kind}/{turn}")

    def chance(self, kind: RefinementKind, call: int) -> float:
        """How often a refinement is used on a call."""
        return self.settings.chance(kind, self.program.specs[self.program.tool(call).environment].domain)

    def shown_before(self, turn: int) -> set[int]:
        """Calls of earlier turns whose results the assistant has told."""
        slices = self.program.slices
        return {
            call
            for request, calls in zip(self.requests[:turn], slices, strict=False)
            for call in told(request.asked, calls)
        }

    def worded(self, turn: int, draft: Draft) -> Request | None:
        """A draft in words; None if it cannot be said."""
        try:
            return request_of(self.program, turn, draft, self.persona.manner, self.shown_before(turn))
        except Unsayable:
            return None

    def try_request(
        self, kind: RefinementKind, turn: int, request: Request | None, detail: dict[str, JsonValue]
    ) -> bool:
        """Put a request in the place of a turn's if it is another one and solvable.

        Returns:
            Whether nothing speaks against it; a request with the same words is fine, and no change.
        """
        before = self.requests[turn]
        if request is None:
            self.rejected.append(f"{kind}:unsayable")
            return False
        self.requests[turn] = request
        problem = None if request.text == before.text else self.problem(turn)
        if problem is not None:
            self.rejected.append(f"{kind}:{problem.reason}")
            self.requests[turn] = before
            return False
        if request.text != before.text:
            self.changes.append(Change(kind=kind, turn=turn, before=before.text, after=request.text, detail=detail))
        return True

    def problem(self, turn: int) -> Unsolvable | None:
        """The first thing that is wrong with the request of a turn."""
        heard = "\n".join(request.text for request in self.requests[: turn + 1])
        for last, exchange in exchanges(self.program, self.requests):
            if last == turn:
                return next(turn_problems(self.program, turn, exchange, heard), None)
        return None
