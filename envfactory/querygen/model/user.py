"""The simulated user by a language model: answers the assistant from what such a person knows, and says when served.

It is shown who it is and why it asks, what it wants, what it knows, what only it can do and what was said; never a
tool, a call, a result or a record. An answer that says an id, a tool's name, or a name, date or number that it cannot
know is sent back to it. Requests, and answers to questions that belong to the task, are not its own: it only decides
when to go on to the next, and whether it was told to do what only it can; where that is plain, no model is asked.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from envfactory.environment import Session
from envfactory.environment.paths import spec_path
from envfactory.gold import FromUser, bindings_of
from envfactory.llm.errors import AnswerError, ContextExceeded
from envfactory.llm.voice import Voice
from envfactory.querygen.acting import mentions
from envfactory.querygen.knowledge import asks_for
from envfactory.querygen.model.kept import invented
from envfactory.querygen.model.prompts import prompt
from envfactory.querygen.program import Program
from envfactory.querygen.replies import filled
from envfactory.querygen.request import Request
from envfactory.querygen.secrets import secrets_in, stands
from envfactory.querygen.solvable import exchanges, leaks
from envfactory.querygen.user import Requester, Utterance
from envfactory.querygen.wording import say
from envfactory.trajectory import Persona

MOST_ANSWERS = 2
"""Answers in one turn after which the user goes on."""


@dataclass(frozen=True, slots=True)
class Said:
    """Something said in a conversation."""

    role: Literal["user", "assistant"]
    text: str


class UserAnswer(BaseModel):
    """What the model answers."""

    model_config = ConfigDict(extra="forbid")

    message: Annotated[str, Field(min_length=1, max_length=300)]
    done: bool


class ActingAnswer(UserAnswer):
    """What the model answers where there is something that only the person can do."""

    acts: bool


class ModelUser(Requester):
    """A user who asks a model what to answer; see the module docstring."""

    role = "user"

    def __init__(
        self,
        voice: Voice,
        program: Program,
        requests: Sequence[Request],
        persona: Persona,
        rng: random.Random,
        session: Session | None = None,
    ) -> None:
        """Be the person who makes some requests.

        Args:
            voice: asks the model.
            program: what they want done; only what it says in words is used.
            requests: what they say, a request a turn.
            persona: who they are, and why they ask.
            rng: source of seeds.
            session: where they do what only they can; None: that is done.
        """
        super().__init__(program, requests, session)
        self._voice, self._program = voice, program
        self._persona, self._rng = persona, rng
        self._said: list[Said] = []

    def speak(self, heard: str = "") -> Utterance | None:
        """Answer the assistant, or go on to the next request.

        Raises:
            InfrastructureError: the endpoint, the line, the budget or the records failed.
        """
        if self._outcome != "talking":
            return None
        if heard:
            self._said.append(Said("assistant", heard))
        told, against = self._hands.told(heard, self._present()) if self._turn >= 0 else ([], "")
        if told or against:
            return self._acted(told, against)
        answers = self._turn >= 0 and self._answers_next(heard)
        if self._turn >= 0 and heard and not answers and self._answers < MOST_ANSWERS:
            try:
                answer = self._answer()
            except (AnswerError, ContextExceeded):  # whoever has nothing to say lets it rest
                self._voice.fell_back(self.role)
                return self._next()
            if isinstance(answer, ActingAnswer) and answer.acts:
                return self._acted(self._hands.pending(self._present()))
            if not answer.done:
                self._answers += 1
                self._said.append(Said("user", answer.message))
                return Utterance(answer.message, self._turn)
        return self._next(answers=answers)

    def _acted(self, told: Sequence[int], against: str = "") -> Utterance | None:
        """Do what they were told to, or say what they have against it, as often as they answer in a turn."""
        if self._answers >= MOST_ANSWERS:
            return self._next()
        self._answers += 1
        said = self._act(told) or Utterance(against, self._turn)
        if not said.opens:
            self._said.append(Said("user", said.text))
        return said

    def _next(self, *, answers: bool = False) -> Utterance | None:
        opening = super()._next(answers=answers)
        if opening is not None:
            self._said.append(Said("user", opening.text))
        return opening

    def _answer(self) -> UserAnswer:
        persona, wish = self._persona, self._requests[self._turn].text
        facts = list(known(self._program, self._requests, self._turn))
        secrets = list(secrets_in(self._program, self._present()))
        pending = self._hands.pending(self._present())
        acts = [filled(self._program, call, self._program.tool(call).ask[0]) for call in pending]
        messages = prompt(self.role).messages(
            name=persona.name,
            about=persona.about,
            manner=persona.manner,
            situation=persona.situation,
            wish=wish,
            facts=facts,
            conversation=self._said,
            acts=acts,
        )
        own = (persona.name, persona.about, persona.situation)
        heard = "\n".join([wish, *facts, *(said.text for said in self._said), *own])

        def problems(answer: UserAnswer) -> Iterator[str]:
            words = leaks(self._program, [answer.message])
            yield from (f"you said {word!r}, which only computers say" for word in words)
            if isinstance(answer, ActingAnswer) and answer.acts and not mentions(self._said[-1].text, tools):
                yield "you have acted, which you do only when the assistant tells you to"
            yield from (f"you said {word!r}, which you cannot know" for word in invented(heard, answer.message))
            for kept in secrets:
                if stands(kept.words, answer.message) and not asks_for(self._said[-1].text, kept.name):
                    yield f"you said {kept.words!r}, which you say only when you are asked for your {kept.name}"

        tools = [self._program.tool(call) for call in pending]
        form = ActingAnswer if pending else UserAnswer
        return self._voice.ask(self.role, messages, form, problems, seed=self._rng.getrandbits(31), max_tokens=150)


def known(program: Program, requests: Sequence[Request], turn: int) -> Iterator[str]:
    """What the user knows for a request, in words: the values that only they can say."""
    now = program.gold.reference.now
    for index in _calls(program, requests, turn):
        tool = program.tool(index)
        for path, binding in bindings_of(program.gold.calls[index]):
            if isinstance(binding, FromUser):
                leaf = tool.input_by_path.get(spec_path(path))
                name = leaf.name if leaf is not None else path
                only = f" (say it only when you are asked for your {leaf.secret})" if leaf and leaf.secret else ""
                yield f"{name.replace('_', ' ')}: {say(binding.value, leaf, now)}{only}"


def _calls(program: Program, requests: Sequence[Request], turn: int) -> range:
    """The calls that a request is about; one that is asked back about has the same ones as its answer, the next."""
    return next((exchange.calls for last, exchange in exchanges(program, requests) if last >= turn), range(0))
