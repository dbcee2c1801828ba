"""Playing a conversation with a model on both sides: the assistant acts and answers, the user answers back.

After each answer of the assistant the user says whether they are served. If not, what they say opens another turn of
the conversation, a bounded number of times for each request; then the next request comes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envfactory.environment import Session, StateDiff
from envfactory.gold import FromUser, bindings_of
from envfactory.llm.errors import AnswerError
from envfactory.querygen.model.assistant import Conversation
from envfactory.querygen.model.user import ModelUser, Said
from envfactory.querygen.program import Program, spec_path
from envfactory.querygen.request import Request
from envfactory.querygen.wording import say
from envfactory.trajectory import Persona, Step

QUESTIONS = 1
"""Times that the user answers back for one request."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn as it was played.

    Attributes:
        user: what the user says.
        request: the request that it belongs to; two in a row with the same one are an exchange.
        steps: of the assistant; the last one has no calls, unless it did not come to an end.
        diff: what had changed by then.
    """

    user: str
    request: int
    steps: tuple[Step, ...]
    diff: dict[str, StateDiff]

    @property
    def answer(self) -> str:
        """What the assistant says in the end; empty if it did not come to an end."""
        return self.steps[-1].text if self.steps and not self.steps[-1].calls else ""


def play(
    conversation: Conversation,
    user: ModelUser | None,
    program: Program,
    requests: Sequence[Request],
    persona: Persona,
    session: Session,
    rng: random.Random,
) -> list[Spoken]:
    """Play a conversation.

    Args:
        conversation: of the assistant, not yet begun.
        user: answers back; None: each request is one turn.
        program: what is asked for; the assistant never sees it, the user only what it says in words.
        requests: what the user says, one for each turn of the program.
        persona: who asks.
        session: stands where the conversation begins.
        rng: source of seeds.

    Raises:
        InfrastructureError: the endpoint, the line, the budget or the records failed.
        EnvironmentFailure: the session failed.
    """
    played: list[Spoken] = []
    heard: list[Said] = []
    for number, request in enumerate(requests):
        text = request.text
        facts = list(known(program, number))
        for exchange in range(QUESTIONS + 1):
            heard.append(Said("user", text))
            steps = conversation.turn(text, rng.getrandbits(31))
            played.append(Spoken(text, number, tuple(steps), session.diff()))
            answer = played[-1].answer
            if user is None or not answer or exchange == QUESTIONS:
                break
            heard.append(Said("assistant", answer))
            try:
                said = user.answer(program, persona, request.text, facts, heard, rng.getrandbits(31))
            except AnswerError:  # a user who does not answer lets it rest
                break
            if said.done:
                break
            text = said.message
    return played


def known(program: Program, turn: int) -> Iterator[str]:
    """What the user knows for a turn, in words: the values that only they can say."""
    now = program.gold.reference.now
    for index in program.gold.turn_slices()[turn]:
        tool = program.tool(index)
        for path, binding in bindings_of(program.gold.calls[index]):
            if isinstance(binding, FromUser):
                leaf = tool.input_by_path.get(spec_path(path))
                name = leaf.name if leaf is not None else path
                yield f"{name.replace('_', ' ')}: {say(binding.value, leaf, now)}"
