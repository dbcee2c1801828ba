"""The simulated user: makes the requests of a conversation, answers what a person could, and stops when served.

A user knows what such a person would know: the values that only they can say, and what their own things are called.
They say it when asked, a secret only when asked for it by its name, and never volunteer what the tools could tell: ids,
prices, what is free. What only a person can do (`@tool(by="user")`) they do when the assistant tells them to, and not
before. However the assistant behaves, the conversation ends: after the last request, or when a turn has taken too many
answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from envfactory.environment import Session
from envfactory.querygen.acting import Act, Hands
from envfactory.querygen.knowledge import Knowledge, asks, asks_for, knowledge_of
from envfactory.querygen.program import Program
from envfactory.querygen.request import Request
from envfactory.querygen.solvable import exchanges

MOST_ANSWERS = 4
"""Answers in one turn after which a user gives up."""

Outcome = Literal["talking", "served", "gave_up"]


@dataclass(frozen=True, slots=True)
class Utterance:
    """What the user says.

    Attributes:
        text: the words.
        turn: the request that they belong to, from 0.
        opens: whether they make a new request; an answer or a repetition does not.
        acts: what the user has done before saying so.
    """

    text: str
    turn: int
    opens: bool = False
    acts: tuple[Act, ...] = ()


class User(Protocol):
    """Talks to an assistant."""

    @property
    def outcome(self) -> Outcome:
        """Whether there is more to say, and if not, how it ended."""
        ...

    def speak(self, heard: str = "") -> Utterance | None:
        """Say something, having heard the assistant's message; nothing once there is no more to say.

        Args:
            heard: what the assistant has last said to the user; empty at the start.
        """
        ...


class Requester:
    """What every user keeps: the requests, which one is being made, how often it was answered about, how it ended.

    And their hands: what was told to them, they have done.
    """

    def __init__(self, program: Program, requests: Sequence[Request], session: Session | None) -> None:
        """Have some requests, of which none has been made yet.

        Args:
            program: what they want done.
            requests: what they say, a request a turn.
            session: where they do what only they can; None: that is done.
        """
        self._requests = requests
        self._hands = Hands(program, session)
        # A request that is asked back about is answered by the next one: both are about the same calls.
        self._calls = {turn: exchange.calls for turn, exchange in exchanges(program, requests)}
        self._turn = -1
        self._answers = 0
        self._outcome: Outcome = "talking"

    @property
    def outcome(self) -> Outcome:
        """Whether there is more to say, and if not, how it ended."""
        return self._outcome

    def _answers_next(self, heard: str) -> bool:
        """Whether the next request is the answer to what was asked; a secret is told to whoever asks for it.

        That something is done is said once it is: see `_act`.
        """
        if not self._requests[self._turn].question or self._turn + 1 == len(self._requests):
            return False
        following = self._requests[self._turn + 1]
        return not following.done and (not following.tells or any(asks_for(heard, name) for name in following.tells))

    def _present(self) -> range:
        """The calls that the present request is about."""
        return next((self._calls[turn] for turn in sorted(self._calls) if turn >= self._turn), range(0))

    def _act(self, told: Sequence[int]) -> Utterance | None:
        """Do some of what only the person can, and say so; nothing if there is nothing to do.

        Args:
            told: the calls of the program that they were told to make.
        """
        if not told:
            return None
        acts = self._hands.act(told)
        refused = next((act.refusal for act in acts if act.refusal), "")
        if refused:
            return Utterance(f"That did not work: {refused}", self._turn, acts=acts)
        reports = self._turn + 1 < len(self._requests) and self._requests[self._turn + 1].done
        if reports and not self._hands.pending(self._present()):
            said = self._next(answers=True)
            assert said is not None
            return replace(said, acts=acts)
        return Utterance("Done.", self._turn, acts=acts)

    def _next(self, *, answers: bool = False) -> Utterance | None:
        """Make the next request; nothing if all have been made.

        Args:
            answers: whether it is the answer to what was asked; a secret that was not asked for is passed over, and so
                is that something is done which nobody said to do.
        """
        self._turn += 1
        while not answers and self._turn < len(self._requests) and self._passed_over(self._requests[self._turn]):
            self._turn += 1
        self._answers = 0
        if self._turn == len(self._requests):
            self._outcome = "served"
            return None
        return Utterance(self._requests[self._turn].text, self._turn, opens=True)

    def _passed_over(self, request: Request) -> bool:
        return bool(request.tells) or request.done


class RuleUser(Requester):
    """A user by rules: knows the program, and says of it only what a person would know."""

    def __init__(
        self, program: Program, requests: Sequence[Request], session: Session | None = None, most: int = MOST_ANSWERS
    ) -> None:
        """Be the person who makes some requests.

        Args:
            program: what they want done.
            requests: what they say, a request a turn.
            session: where they do what only they can; None: that is done.
            most: answers in one turn after which they give up.
        """
        super().__init__(program, requests, session)
        self._program, self._most = program, most

    def speak(self, heard: str = "") -> Utterance | None:
        """Answer what was asked, do what was told, or go on to the next request; see `User`."""
        if self._outcome != "talking":
            return None
        if self._turn < 0:
            return self._next()
        told, against = self._hands.told(heard, self._present())
        if not told and not against and not asks(heard):
            return self._next()
        if not told and not against and self._answers_next(heard):
            return self._next(answers=True)
        if self._answers >= self._most:
            self._outcome = "gave_up"
            return None
        self._answers += 1
        return self._act(told) or Utterance(against or self._knows().answer(heard), self._turn)

    def _knows(self) -> Knowledge:
        """What the person knows of the present request."""
        return knowledge_of(self._program, self._present())
