"""Implicit reference: a record's name becomes a reference to context ("the second one", "that reservation", "it").

Each record that is named in a request is referred to by context with the given chance, where the context singles it
out; where it does not, the name stays.
"""

from __future__ import annotations

from dataclasses import replace

from pydantic import JsonValue

from envfactory.querygen.refine.conversation import Conversation
from envfactory.querygen.request import Clause, Style

ORDINAL = 0.3
"""How often a reference is to a place in a list that was shown, where both that and another one would do."""


def refine_references(conversation: Conversation, turn: int) -> None:
    """Refer to records of a turn by context."""
    draft = conversation.requests[turn].draft
    if draft is None:
        return
    rng = conversation.rng("implicit_reference", turn)
    program = conversation.program
    clauses: list[Clause] = []
    for clause in draft.clauses:
        chance = conversation.chance("implicit_reference", clause.call)
        styles: dict[str, Style] = dict(clause.styles)
        for bound in program.records[clause.call]:
            drawn, place = rng.random() < chance, rng.random() < ORDINAL
            if drawn:
                styles[bound.path] = "ordinal" if place else "context"
        clauses.append(replace(clause, styles=styles))
    named = conversation.requests[turn].spoken
    for tried in (clauses, [_without_places(clause) for clause in clauses]):
        if tried == list(draft.clauses):
            return
        request = conversation.worded(turn, replace(draft, clauses=tuple(tried)))
        references: list[JsonValue] = [
            {"call": clause.call, "record": bound.key, "name": named.get(spot, ""), "words": request.spoken[spot]}
            for clause in (tried if request is not None else ())
            for bound in program.records[clause.call]
            if request is not None
            and (spot := (clause.call, bound.path)) in request.spoken
            and request.spoken[spot] != named.get(spot)
        ]
        if conversation.try_request("implicit_reference", turn, request, {"references": references}):
            return
        if all("ordinal" not in clause.styles.values() for clause in tried):
            return


def _without_places(clause: Clause) -> Clause:
    styles: dict[str, Style] = dict.fromkeys(clause.styles, "context")
    return replace(clause, styles=styles)
