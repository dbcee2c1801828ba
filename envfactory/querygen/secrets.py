"""Secrets in a conversation: the assistant asks for what only the person has, and only then they say it.

A turn whose calls need a secret that has not been told yet becomes two: the request, which the assistant asks back
about, and the answer, after which the calls follow. The checks read the finished requests: every secret was told by the
call that needs it, in answer to a question for it, and nowhere before.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from envfactory.gold import FromUser
from envfactory.querygen.draft import Unsayable
from envfactory.querygen.knowledge import asks_for
from envfactory.querygen.program import Program
from envfactory.querygen.reading import find_all
from envfactory.querygen.request import Request
from envfactory.querygen.solvable import Unsolvable
from envfactory.querygen.wording import listed, say
from envfactory.trajectory import Change, Persona

_QUESTIONS = (
    "Could you tell me your {names}?",
    "May I have your {names}, please?",
    "Before I can do that, could you give me your {names}?",
)
_ANSWERS = {
    "brief": ("It's {value}.",),
    "plain": ("It's {value}.", "My {name} is {value}."),
    "polite": ("Of course, it's {value}.", "Certainly, my {name} is {value}."),
    "chatty": ("Sure, it's {value}!", "Oh right, my {name} is {value}."),
    "casual": ("{value}", "its {value}"),
}
"""By manner of writing; the value stands as it is, since it has to be right to the letter."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A secret that a call needs: the call, the argument, what it is called, and its value in words."""

    call: int
    path: str
    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A conversation in which every secret is asked for, or everybody told what they have to do themselves."""

    program: Program
    requests: list[Request]
    changes: tuple[Change, ...]


def secrets_in(program: Program, calls: Sequence[int]) -> Iterator[Kept]:
    """The secrets that some calls need."""
    now = program.gold.reference.now
    for call in calls:
        arguments = program.gold.calls[call].arguments
        for leaf in program.tool(call).secrets:
            binding = arguments.get(leaf.path)
            if isinstance(binding, FromUser):
                yield Kept(call, leaf.path, leaf.secret, say(binding.value, leaf, now))


def stands(words: str, text: str) -> bool:
    """Whether a secret stands in a text, in whatever letters."""
    return any(True for _ in find_all(words.casefold(), text.casefold()))


def ask_for_secrets(
    program: Program, requests: Sequence[Request], changes: Sequence[Change], persona: Persona, rng: random.Random
) -> Asked:
    """Put in the exchanges in which secrets are asked for, each before the first call that needs it.

    Args:
        program: the whole program.
        requests: one for each of its turns, refined.
        changes: what the refinements changed; their turns are counted anew.
        persona: who answers.
        rng: source of every choice; nothing is drawn where there is no secret.

    Raises:
        Unsayable: one turn needs two secrets of the same name, which one question cannot tell apart.
    """
    told: set[tuple[str, str]] = set()
    found: list[Request] = []
    turns: list[int] = []
    place: dict[int, int] = {}
    for turn, (request, calls) in enumerate(zip(requests, program.slices, strict=True)):
        place[turn] = len(found)
        wanted: dict[str, str] = {}
        for kept in secrets_in(program, calls):
            if (kept.name, kept.words) not in told and wanted.setdefault(kept.name, kept.words) != kept.words:
                raise Unsayable(program.gold.calls[kept.call].tool, f"the turn needs two secrets called {kept.name}")
        told.update(wanted.items())
        if wanted:
            question = rng.choice(_QUESTIONS).format(names=listed(tuple(wanted)))
            found.append(replace(request, asked=frozenset(), question=question))
            found.append(Request(_answer(wanted, persona, rng), request.asked, tells=tuple(wanted)))
            turns += [0, len(calls)]
        else:
            found.append(request)
            turns.append(len(calls))
    if len(found) == len(requests):
        return Asked(program, list(requests), tuple(changes))
    moved = tuple(change.model_copy(update={"turn": place[change.turn]}) for change in changes)
    return Asked(program.in_turns(tuple(turns)), found, moved)


def _answer(wanted: dict[str, str], persona: Persona, rng: random.Random) -> str:
    if len(wanted) > 1:
        return f"My {listed([f'{name} is {words}' for name, words in wanted.items()], most=len(wanted))}."
    ((name, words),) = wanted.items()
    return rng.choice(_ANSWERS[persona.manner]).format(name=name, value=words)


def secret_problems(program: Program, requests: Sequence[Request]) -> Iterator[Unsolvable]:
    """Every secret that is told before it is asked for, or not told by the call that needs it, turn by turn."""
    every = list(secrets_in(program, range(len(program.gold.calls))))
    told: set[tuple[str, str]] = set()
    question = ""
    for turn, (request, calls) in enumerate(zip(requests, program.slices, strict=True)):
        for kept in every:
            secret = kept.name, kept.words
            if secret not in told and stands(kept.words, request.text):
                if kept.name in request.tells and asks_for(question, kept.name):
                    told.add(secret)
                else:
                    yield Unsolvable("volunteered", turn, kept.name)
            if secret not in told and kept.call in calls:
                yield Unsolvable("unsaid", turn, f"{program.gold.calls[kept.call].tool}.{kept.path}")
        question = request.question
