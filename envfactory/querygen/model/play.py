"""Playing a conversation with a model as the assistant, and whoever plays the user.

Each answer of the assistant is heard by the user, who answers back or goes on to the next request; what they say opens
a turn of the conversation. It ends when the user has no more to say, or when it is longer than the model can read.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from envfactory.environment import Session, StateDiff
from envfactory.querygen.acting import Act
from envfactory.querygen.model.assistant import Conversation
from envfactory.querygen.user import User
from envfactory.trajectory import Step


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn as it was played.

    Attributes:
        user: what the user says.
        request: the request that it belongs to; two in a row with the same one are an exchange.
        acts: what the user has done before saying so.
        steps: of the assistant; the last one has no calls, unless it did not come to an end.
        diff: what had changed by then.
    """

    user: str
    request: int
    acts: tuple[Act, ...]
    steps: tuple[Step, ...]
    diff: dict[str, StateDiff]

    @property
    def answer(self) -> str:
        """What the assistant says in the end; empty if it did not come to an end."""
        return self.steps[-1].text if self.steps and not self.steps[-1].calls else ""


def play(conversation: Conversation, user: User, session: Session, rng: random.Random) -> list[Spoken]:
    """Play a conversation to its end.

    Args:
        conversation: of the assistant, not yet begun.
        user: has not yet spoken.
        session: stands where the conversation begins.
        rng: source of the assistant's seeds.

    Raises:
        InfrastructureError: the endpoint, the line, the budget or the records failed.
        EnvironmentFailure: the session failed.
    """
    played: list[Spoken] = []
    said = user.speak()
    while said is not None:
        steps = conversation.turn(said.text, rng.getrandbits(31))
        played.append(Spoken(said.text, said.turn, said.acts, tuple(steps), session.diff()))
        if conversation.full:
            break
        said = user.speak(played[-1].answer)
    return played
