"""The judge by a language model: how natural the person's messages are, and how well the assistant served them.

It judges words. Whether the right calls were made and the right state was reached is known by execution, and never
asked of it; it only ever chooses among conversations that serve equally well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from envfactory.llm.errors import AnswerError, ContextExceeded
from envfactory.llm.voice import Voice
from envfactory.querygen.choose import Judge
from envfactory.querygen.model.prompts import prompt
from envfactory.querygen.played import Played, candidate_of
from envfactory.querygen.task import Task
from envfactory.trajectory import Turn

LONGEST_RESULT = 300
"""Characters of a result that the judge is shown."""


class Grades(BaseModel):
    """What the model answers: grades from 1 to 5, and why."""

    model_config = ConfigDict(extra="forbid")

    natural: Annotated[int, Field(ge=1, le=5)]
    helpful: Annotated[int, Field(ge=1, le=5)]
    reason: Annotated[str, Field(min_length=1, max_length=200)]


class ModelJudge:
    """Judges by asking a model; see the module docstring."""

    role = "judge"

    def __init__(self, voice: Voice, rules: Judge) -> None:
        """Put it together.

        Args:
            voice: asks the model.
            rules: chooses among those that get the same grades.
        """
        self.voice, self.rules = voice, rules

    def choose(self, task: Task, finalists: Sequence[Played]) -> int:
        """Return the place of the finalist with the best grades; one that is not graded as asked has none."""
        if len(finalists) == 1:
            return 0
        marks: list[int] = []
        for place, played in enumerate(finalists):
            turns = candidate_of(played, equivalent=True, complete=True).turns
            try:
                grades = self.grades(turns, place)
                marks.append(grades.natural + grades.helpful)
            except (AnswerError, ContextExceeded):
                self.voice.fell_back(self.role)
                marks.append(0)
        best = [place for place, mark in enumerate(marks) if mark == max(marks)]
        return best[self.rules.choose(task, [finalists[place] for place in best])]

    def grades(self, turns: Sequence[Turn], seed: int) -> Grades:
        """Grade a conversation.

        Raises:
            AnswerError: the model did not answer as asked.
        """
        messages = prompt(self.role).messages(conversation="\n".join(told(turns)))
        return self.voice.ask(self.role, messages, Grades, seed=seed, max_tokens=120)


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
