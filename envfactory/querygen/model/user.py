"""The simulated user by a language model: answers the assistant from what such a person knows, and says when served.

It is shown what it wants, what it knows and what was said; never a tool, a call, a result or a record. An answer that
says an id, a tool's name, or a name, date or number that it cannot know is sent back to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from envfactory.llm.voice import Voice
from envfactory.querygen.model.kept import invented
from envfactory.querygen.model.prompts import prompt
from envfactory.querygen.program import Program
from envfactory.querygen.solvable import leaks
from envfactory.trajectory import Persona


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


class ModelUser:
    """Plays the user by asking a model; see the module docstring."""

    role = "user"

    def __init__(self, voice: Voice) -> None:
        self.voice = voice

    def answer(
        self,
        program: Program,
        persona: Persona,
        wish: str,
        facts: Sequence[str],
        conversation: Sequence[Said],
        seed: int,
    ) -> UserAnswer:
        """Answer the assistant's last message.

        Args:
            program: what words only the interface uses.
            persona: who answers.
            wish: what they want in this turn.
            facts: what they know, in words.
            conversation: what was said so far; the assistant spoke last.
            seed: of the sampling.

        Raises:
            AnswerError: the model did not answer as asked.
        """
        messages = prompt(self.role).messages(
            name=persona.name,
            about=persona.about,
            manner=persona.manner,
            wish=wish,
            facts=list(facts),
            conversation=list(conversation),
        )
        known = "\n".join([wish, *facts, *(said.text for said in conversation), persona.about, persona.name])

        def problems(answer: UserAnswer) -> Iterator[str]:
            yield from (f"you said {word!r}, which only computers say" for word in leaks(program, [answer.message]))
            yield from (f"you said {words!r}, which you cannot know" for words in invented(known, answer.message))

        return self.voice.ask(self.role, messages, UserAnswer, problems, seed=seed, max_tokens=150)
