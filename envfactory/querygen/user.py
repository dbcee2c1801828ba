"""The simulated user: makes the requests of a conversation, answers what a person could, and stops when served.

A user knows what such a person would know: the values that only they can say, and what their own things are called.
They say it when asked, and never volunteer what the tools could tell: ids, prices, what is free. What only a person can
do (`@tool(by="user")`) they do when the assistant tells them to. However the assistant behaves, the conversation ends:
after the last request, or when a turn has taken too many answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from envfactory.environment import Session, ToolSpec
from envfactory.gold import Call
from envfactory.gold.program import resolve
from envfactory.querygen.knowledge import Knowledge, asks, knowledge_of, words_in
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
        calls: what the user has done before saying so.
    """

    text: str
    turn: int
    opens: bool = False
    calls: tuple[Call, ...] = ()


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
    """What every user keeps: the requests, which one is being made, how often it was answered about, how it ended."""

    def __init__(self, requests: Sequence[Request]) -> None:
        """Have some requests, of which none has been made yet."""
        self._requests = requests
        self._turn = -1
        self._answers = 0
        self._outcome: Outcome = "talking"

    @property
    def outcome(self) -> Outcome:
        """Whether there is more to say, and if not, how it ended."""
        return self._outcome

    def _next(self) -> Utterance | None:
        """Make the next request; nothing if all have been made."""
        self._turn += 1
        self._answers = 0
        if self._turn == len(self._requests):
            self._outcome = "served"
            return None
        return Utterance(self._requests[self._turn].text, self._turn, opens=True)


class RuleUser(Requester):
    """A user by rules: knows the program, and says of it only what a person would know."""

    def __init__(
        self, program: Program, requests: Sequence[Request], session: Session | None = None, most: int = MOST_ANSWERS
    ) -> None:
        """Be the person who makes some requests.

        Args:
            program: what they want done.
            requests: what they say, a request a turn.
            session: where they do what only they can; None: there is nothing of the kind.
            most: answers in one turn after which they give up.
        """
        super().__init__(requests)
        self._program, self._session, self._most = program, session, most
        self._done: set[int] = set()
        # A request that is asked back about is answered by the next one: what is known in both is the same.
        self._calls = {turn: exchange.calls for turn, exchange in exchanges(program, requests)}

    def speak(self, heard: str = "") -> Utterance | None:
        """Answer what was asked, do what was told, or go on to the next request; see `User`."""
        if self._outcome != "talking":
            return None
        if self._turn < 0:
            return self._next()
        acted = self._act(heard)
        if acted is None and not asks(heard):
            return self._next()
        if acted is None and self._requests[self._turn].question and self._turn + 1 < len(self._requests):
            return self._next()
        if self._answers >= self._most:
            self._outcome = "gave_up"
            return None
        self._answers += 1
        return acted or Utterance(self._knows().answer(heard), self._turn)

    def _knows(self) -> Knowledge:
        """What the person knows of the present request."""
        turn = next(turn for turn in sorted(self._calls) if turn >= self._turn)
        return knowledge_of(self._program, self._calls[turn])

    # -- actions --------------------------------------------------------------------------------------------------

    def _act(self, heard: str) -> Utterance | None:
        """Do what only the person can, if they are told to and it belongs to their request."""
        if self._session is None:
            return None
        words = words_in(heard)
        for tool in self._session.tools(by="user"):
            if not _names(tool) <= words:
                continue
            index = self._undone(tool)
            if index is None:
                continue
            call = self._program.gold.calls[index]
            outputs = {earlier: self._program.outputs[earlier] for earlier in range(index)}
            arguments = {name: resolve(binding, outputs) for name, binding in call.arguments.items()}
            result = self._session.call(tool.wire_name, arguments, by="user")
            done = Call(tool=tool.wire_name, arguments=arguments, result=result.text, ok=result.ok)
            if result.ok:
                self._done.add(index)
            text = "Done." if result.ok else f"That did not work: {result.text}"
            return Utterance(text, self._turn, calls=(done,))
        return None

    def _undone(self, tool: ToolSpec) -> int | None:
        """The next call of a tool in the program that the person has not made yet."""
        calls = enumerate(self._program.gold.calls)
        return next(
            (index for index, call in calls if call.tool == tool.wire_name and index not in self._done),
            None,
        )


def _names(tool: ToolSpec) -> frozenset[str]:
    return frozenset(tool.name.split("_"))
