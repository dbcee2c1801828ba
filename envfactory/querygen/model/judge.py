"""The judge by a language model: how natural the person's messages are, and how well the assistant served them.

It judges words. Whether the right calls were made and the right state was reached is known by execution, and never
asked of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from envfactory.llm.voice import Voice
from envfactory.querygen.model.prompts import prompt
from envfactory.trajectory import Turn

LONGEST_RESULT = 300
"""Characters of a result that the judge is shown."""


class Verdict(BaseModel):
    """What the model answers: grades from 1 to 5, and why."""

    model_config = ConfigDict(extra="forbid")

    natural: Annotated[int, Field(ge=1, le=5)]
    helpful: Annotated[int, Field(ge=1, le=5)]
    reason: Annotated[str, Field(min_length=1, max_length=200)]


class ModelJudge:
    """Judges by asking a model; see the module docstring."""

    role = "judge"

    def __init__(self, voice: Voice) -> None:
        self.voice = voice

    def verdict(self, turns: Sequence[Turn], seed: int) -> Verdict:
        """Grade a conversation.

        Raises:
            AnswerError: the model did not answer as asked.
        """
        messages = prompt(self.role).messages(conversation="\n".join(told(turns)))
        return self.voice.ask(self.role, messages, Verdict, lambda _: (), seed=seed, max_tokens=120)


def told(turns: Sequence[Turn]) -> Iterator[str]:
    """A conversation as lines of text, results cut short."""
    for turn in turns:
        yield f"User: {turn.user}"
        for step in turn.steps:
            for call in step.calls:
                result = call.result if len(call.result) <= LONGEST_RESULT else f"{call.result[:LONGEST_RESULT]}..."
                yield f"  [{call.tool.rpartition('-')[2]}: {result}]"
            if step.text:
                yield f"Assistant: {step.text}"
