"""The refiner by rules: the four refinements, one after the other, on the drafts of a conversation.

First goals are expanded, since that changes the program. Then, turn by turn, records are referred to by context and
steps are left out, each seeing what the assistant has told by then; last, requests are made ambiguous. Whatever makes a
request unsolvable is undone, so a conversation is never lost: with every switch in whatever position, the same chains
become conversations. Further goals are the same ones whatever else is switched on.
"""

from __future__ import annotations

import random
from dataclasses import replace

from envfactory.environment import Backend
from envfactory.querygen.program import Program
from envfactory.querygen.refine.action_compression import compress_actions
from envfactory.querygen.refine.ambiguity import introduce_ambiguity
from envfactory.querygen.refine.conversation import Conversation
from envfactory.querygen.refine.goal_expansion import expand_goals
from envfactory.querygen.refine.implicit_reference import refine_references
from envfactory.querygen.refine.refiner import Refined
from envfactory.querygen.refine.settings import RefinementSettings
from envfactory.querygen.request import Request
from envfactory.querygen.solvable import problems
from envfactory.trajectory import Persona


class RuleRefiner:
    """Refines requests that have drafts; others are left as they are."""

    def __init__(
        self, backend: Backend, settings: RefinementSettings | None = None, most_calls: int = 5, most_turns: int = 8
    ) -> None:
        """Prepare to refine.

        Args:
            backend: opens the sessions in which further goals are grounded.
            settings: what is refined, and how often.
            most_calls: a turn with as many calls gets no further goal.
            most_turns: a conversation with as many turns gets no further exchange.
        """
        self.backend = backend
        self.settings = settings or RefinementSettings()
        self.most_calls, self.most_turns = most_calls, most_turns

    def refine(self, program: Program, requests: list[Request], persona: Persona, rng: random.Random) -> Refined:
        """Refine the requests of a conversation.

        Raises:
            EnvironmentFailure: infrastructure failed.
        """
        seed = rng.getrandbits(64)  # one draw, whatever is switched on: what comes after it is the same
        conversation = Conversation(program, list(requests), persona, self.settings, seed)
        if self.settings.goal_expansion.enabled:
            expand_goals(conversation, self.backend, self.most_calls)
            if next(problems(conversation.program, conversation.requests), None) is not None:
                conversation.rejected.append("goal_expansion:conversation")
                conversation.program, conversation.requests, conversation.changes = program, list(requests), []
        expanded = conversation.program, list(conversation.requests), tuple(conversation.changes)
        if self.settings.implicit_reference.enabled or self.settings.action_compression.enabled:
            for turn in range(len(conversation.requests)):
                self._refine_turn(conversation, turn)
        if self.settings.ambiguity.enabled:
            turn = 0
            while turn < len(conversation.requests):
                turn += 2 if introduce_ambiguity(conversation, turn, self.most_turns) else 1
        found = next(problems(conversation.program, conversation.requests), None)
        if found is not None:  # one turn's refinement has spoiled another turn
            return Refined(*expanded, (*conversation.rejected, f"conversation:{found.reason}"))
        changes = sorted(conversation.changes, key=lambda change: change.turn)
        return Refined(conversation.program, conversation.requests, tuple(changes), tuple(conversation.rejected))

    def _refine_turn(self, conversation: Conversation, turn: int) -> None:
        request = conversation.requests[turn]
        if request.draft is not None and conversation.changes:
            # What was left out before may have been what a reference leaned on.
            again = conversation.worded(turn, request.draft)
            if again is not None and again.text != request.text:
                conversation.requests[turn] = replace(again)
        refine_references(conversation, turn)
        compress_actions(conversation, turn)
