"""Ambiguity: a request that fits several records, the assistant's question, and the answer that tells which is meant.

The exchange is a turn of its own with no calls: the request with a description that fits at least two records, then
"which one do you mean?"; the next turn holds the answer and the calls.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from pydantic import JsonValue

from envfactory.querygen.program import Bound, Program
from envfactory.querygen.refine.conversation import Conversation
from envfactory.querygen.refine.descriptions import Description, descriptions
from envfactory.querygen.request import Clause, Draft, Request, Style
from envfactory.querygen.wording import listed, plural, sentence
from envfactory.sampling.news import LISTED
from envfactory.trajectory import Change

CHOICES = 4
"""Records that the assistant names in its question at most."""

RECENT = 2
"""Turns for which a person remembers what they were shown: of several "confirmed stays" in view nobody says "my"."""

_ANSWERS = {
    "brief": ("{name}.",),
    "plain": ("{name}.", "I mean {name}.", "{name}, please."),
    "polite": ("Sorry, I mean {name}.", "{name}, please.", "I was thinking of {name}."),
    "chatty": ("Oh, sorry, {name}!", "I mean {name}.", "Ah, {name} please."),
    "casual": ("{name}", "{name} pls", "i mean {name}"),
}


@dataclass(frozen=True, slots=True)
class _Spot:
    """A record that a clause names, and what else could be said of it."""

    call: int
    bound: Bound
    description: Description


def introduce_ambiguity(conversation: Conversation, turn: int, most_turns: int) -> bool:
    """Make a turn's request ambiguous, and put in the exchange that resolves it.

    Returns:
        Whether there is one more turn.
    """
    request = conversation.requests[turn]
    program = conversation.program
    draft = request.draft
    rng = conversation.rng("ambiguity", turn)
    drawn, chosen = rng.random(), rng.random()
    if draft is None or len(conversation.requests) >= most_turns:
        return False
    if drawn >= max(conversation.chance("ambiguity", clause.call) for clause in draft.clauses):
        return False
    spots = list(_spots(conversation, draft, turn))
    if not spots:
        return False
    spot = spots[int(chosen * len(spots))]
    worded = conversation.worded(turn, _with_description(program, draft, spot))
    name = program.names.of(spot.bound.entity, spot.bound.key, spot.call)
    if worded is None or spot.description.words not in worded.text or not name:
        conversation.rejected.append("ambiguity:unsayable")
        return False
    question = _question(conversation, turn, spot, rng)
    answer = rng.choice(_ANSWERS[conversation.persona.manner]).format(name=name)
    answer = answer if conversation.persona.manner == "casual" else sentence(answer)
    return _put_in(conversation, turn, replace(worded, question=question), answer, spot)


def _put_in(conversation: Conversation, turn: int, asking: Request, answer: str, spot: _Spot) -> bool:
    """Put in the exchange if the request is solvable with it."""
    program, requests = conversation.program, conversation.requests
    turns = program.gold.turns
    conversation.program = program.in_turns((*turns[:turn], 0, *turns[turn:]))
    opening = replace(asking, asked=frozenset())
    answering = Request(answer, requests[turn].asked)
    conversation.requests = [*requests[:turn], opening, answering, *requests[turn + 1 :]]
    if (problem := conversation.problem(turn + 1)) is not None:
        conversation.program, conversation.requests = program, requests
        conversation.rejected.append(f"ambiguity:{problem.reason}")
        return False
    detail: dict[str, JsonValue] = {
        "words": spot.description.words,
        "records": [*spot.description.fits],
        "record": spot.bound.key,
        "answer": answer,
    }
    moved = [
        change.model_copy(update={"turn": change.turn + 1}) if change.turn > turn else change
        for change in conversation.changes
    ]
    before = requests[turn].text
    conversation.changes = [
        *moved, Change(kind="ambiguity", turn=turn, before=before, after=opening.text, detail=detail)
    ]  # fmt: skip
    return True


def _spots(conversation: Conversation, draft: Draft, turn: int) -> Iterator[_Spot]:
    """The records that the clauses name and that a description fits together with others.

    Not what was found or made in the same turn: the assistant could not know yet what there is. Where the person has
    several before their eyes that it fits, they say that something is done with one of them, and ask nothing about it.
    """
    program = conversation.program
    in_view = _in_view(conversation, turn)
    for clause in draft.clauses:
        writes = program.tool(clause.call).writes
        for bound in program.records[clause.call]:
            if program.turn_of[bound.out.call] != turn and "[" not in bound.path:
                for description in descriptions(program, bound.entity, bound.key, clause.call)[:2]:
                    several = len(in_view.intersection(description.fits)) > 1
                    words = description.words if not several else description.one_of if writes else ""
                    if words:
                        yield _Spot(clause.call, bound, replace(description, words=words))


def _in_view(conversation: Conversation, turn: int) -> set[str]:
    """The ids of the records that the answers before a turn have named lately."""
    program = conversation.program
    recent = (call for call in conversation.shown_before(turn) if program.turn_of[call] >= turn - RECENT)
    return {key for call in recent for rows in program.names.shown_by(call).values() for key in islice(rows, LISTED)}


def _with_description(program: Program, draft: Draft, spot: _Spot) -> Draft:
    """The draft with the description where the record is first named, and a pronoun wherever it comes up again."""
    clauses: list[Clause] = []
    described = False
    for clause in draft.clauses:
        styles: dict[str, Style] = dict(clause.styles)
        instead = dict(clause.instead)
        for bound in program.records[clause.call]:
            if (bound.entity, bound.key) != (spot.bound.entity, spot.bound.key):
                continue
            if described:
                styles[bound.path] = "context"
            else:
                instead[bound.path] = spot.description.words
                described = True
        clauses.append(replace(clause, styles=styles, instead=instead))
    return replace(draft, clauses=tuple(clauses))


def _question(conversation: Conversation, turn: int, spot: _Spot, rng: random.Random) -> str:
    """What the assistant asks: it names the records only if it has seen them all, and they are few."""
    program = conversation.program
    noun = program.noun(spot.bound.entity)
    seen: set[str] = set()
    for call in range(program.slices[turn].start):
        seen.update(program.names.shown_by(call).get(spot.bound.entity, ()))
    fits = spot.description.fits
    names = [program.names.of(spot.bound.entity, key, spot.call) for key in fits]
    if len(fits) <= CHOICES and all(names) and seen.issuperset(fits):
        options = listed(names, most=CHOICES).replace(" and ", " or ")
        return rng.choice((f"Which one do you mean: {options}?", f"Do you mean {options}?"))
    own = program.belongs_to_somebody(spot.bound.entity)
    whose = f"You have several {plural(noun)}." if own else f"There are several such {plural(noun)}."
    return rng.choice((f"Which {noun} do you mean?", f"{whose} Which one do you mean?", f"Which {noun} is it?"))
