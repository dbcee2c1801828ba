"""The writer by a language model: the goals in a draft, then one message that this person would type.

The draft says what has to be said, stiffly: it is another writer's, by rules. The model's message must still say all of
it: names, dates, numbers and amounts word for word, and whatever tells one thing from another ("the cheapest one").
What it leaves out is told to it; what it cannot say after all is the draft's, or the chain is dropped.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from envfactory.llm.errors import AnswerError
from envfactory.llm.voice import Voice
from envfactory.querygen.model.clear import unclear
from envfactory.querygen.model.kept import lost, restored
from envfactory.querygen.model.prompts import prompt
from envfactory.querygen.program import Program
from envfactory.querygen.request import Request
from envfactory.querygen.writer import Writer
from envfactory.trajectory import Persona

Goal = Annotated[str, Field(min_length=1, max_length=120)]


class RequestAnswer(BaseModel):
    """What the model answers."""

    model_config = ConfigDict(extra="forbid")

    goals: Annotated[list[Goal], Field(min_length=1, max_length=6)]
    request: Annotated[str, Field(min_length=1, max_length=600)]


class ModelWriter:
    """Writes by asking a model; see the module docstring."""

    role = "writer"

    def __init__(self, voice: Voice, draft: Writer, *, fallback: bool) -> None:
        """Put it together.

        Args:
            voice: asks the model.
            draft: writes what has to be said.
            fallback: whether the draft stands where the model does not answer as asked.
        """
        self.voice, self.draft, self.fallback = voice, draft, fallback

    def write(self, program: Program, persona: Persona, rng: random.Random) -> list[Request]:
        """Write one request a turn.

        Raises:
            Unsayable: there is no draft.
            AnswerError: the model did not answer as asked, and the draft may not stand.
        """
        requests = list(self.draft.write(program, persona, rng))
        for turn in range(len(requests)):
            requests[turn] = self.rewritten(program, requests, turn, persona, rng)
        return requests

    def rewritten(
        self, program: Program, requests: Sequence[Request], turn: int, persona: Persona, rng: random.Random
    ) -> Request:
        """The request of a turn in the model's words; those before it are written, those after it may be drafts."""
        draft, before = requests[turn], requests[:turn]
        messages = prompt(self.role).messages(
            name=persona.name,
            manner=persona.manner,
            situation=persona.situation,
            before=" / ".join(request.text for request in before[-2:]),
            draft=draft.text,
        )

        def problems(answer: RequestAnswer) -> Iterator[str]:
            text = restored(answer.request, draft.text)
            yield from (f"the message does not say {words!r}; say it exactly so" for words in lost(draft.text, text))
            trial = replace(draft, text=text)
            yield from unclear(program, [*before, trial, *requests[turn + 1 :]], turn)

        try:
            answer = self.voice.ask(
                self.role, messages, RequestAnswer, problems, seed=rng.getrandbits(31), max_tokens=300
            )
        except AnswerError:
            if not self.fallback:
                raise
            self.voice.fell_back(self.role)
            return draft
        return replace(draft, text=restored(answer.request, draft.text))
