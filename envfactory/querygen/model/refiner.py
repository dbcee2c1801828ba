"""The refiner by a language model: words for refined requests, as the person would put them.

What is refined is decided by rules, which know the program: which record may be referred to by context, which steps
need not be asked for, what is left open. How it is said is the model's: it is given the message as it was, what to
change, and what the rules would say. Its words must be as solvable as theirs; else theirs stand. Requests that no rule
changes keep the words that they had.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from envfactory.llm.errors import AnswerError
from envfactory.llm.voice import Voice
from envfactory.querygen.model.clear import unclear
from envfactory.querygen.model.kept import invented, lost, restored
from envfactory.querygen.model.prompts import prompt
from envfactory.querygen.model.writer import ModelWriter
from envfactory.querygen.program import Program
from envfactory.querygen.refine import Refined, Refiner
from envfactory.querygen.request import Request
from envfactory.trajectory import Change, Persona, RefinementKind

_TASKS: dict[RefinementKind, str] = {
    "implicit_reference": 'do not repeat names of what has come up already; say "it", "that one", "the cheapest one"',
    "action_compression": "ask only for what the person wants in the end; leave out steps that go without saying",
    "ambiguity": "leave open which one is meant, as people do who forget that there are several",
    "goal_expansion": "ask for the further thing too, as something that just came to mind",
}


class RefinedAnswer(BaseModel):
    """What the model answers."""

    model_config = ConfigDict(extra="forbid")

    request: Annotated[str, Field(min_length=1, max_length=600)]


class ModelRefiner:
    """Words refined requests by asking a model; see the module docstring."""

    role = "refiner"

    def __init__(self, voice: Voice, base: Refiner, writer: ModelWriter | None = None) -> None:
        """Put it together.

        Args:
            voice: asks the model.
            base: decides what is refined.
            writer: words refined requests as it words all others; None: they are worded as refinements.
        """
        self.voice, self.base, self.writer = voice, base, writer

    def refine(self, program: Program, requests: list[Request], persona: Persona, rng: random.Random) -> Refined:
        """Refine the requests of a conversation."""
        refined = self.base.refine(program, requests, persona, rng)
        written = {request.draft.seed: request for request in requests if request.draft is not None}
        changed: dict[int, list[Change]] = {}
        for change in refined.changes:
            changed.setdefault(change.turn, []).append(change)
        result = list(refined.requests)
        for turn, request in enumerate(result):
            before = written.get(request.draft.seed) if request.draft is not None else None
            if turn in changed and self.writer is not None:
                text = self.writer.rewritten(refined.program, result, turn, persona, rng).text
            elif turn in changed:
                text = self._worded(refined.program, result, turn, before, changed[turn], rng)
            else:
                text = before.text if before is not None else request.text
            if text == request.text:
                continue
            trial = replace(request, text=text)
            if not any(unclear(refined.program, [*result[:turn], trial, *result[turn + 1 :]], turn)):
                result[turn] = trial
        return replace(refined, requests=result, changes=tuple(_retold(refined.changes, written, result)))

    def _worded(
        self,
        program: Program,
        requests: Sequence[Request],
        turn: int,
        before: Request | None,
        changes: Sequence[Change],
        rng: random.Random,
    ) -> str:
        """The model's words for a refined request; the rules' if it has none that serve."""
        request = requests[turn]
        messages = prompt(self.role).messages(
            before=" / ".join(earlier.text for earlier in requests[max(0, turn - 2) : turn]),
            changes=list(dict.fromkeys(_TASKS[change.kind] for change in changes)),
            text=before.text if before is not None else changes[0].before,
            draft=request.text,
        )
        known = "\n".join([request.text, *(earlier.text for earlier in requests[:turn])])

        def problems(answer: RefinedAnswer) -> Iterator[str]:
            text = restored(answer.request, request.text)
            yield from (f"the message does not say {words!r}; say it exactly so" for words in lost(request.text, text))
            yield from (f"the message says {words!r}, which the draft does not" for words in invented(known, text))
            trial = replace(request, text=text)
            yield from unclear(program, [*requests[:turn], trial, *requests[turn + 1 :]], turn)

        try:
            answer = self.voice.ask(
                self.role, messages, RefinedAnswer, problems, seed=rng.getrandbits(31), max_tokens=250
            )
        except AnswerError:
            self.voice.fell_back(self.role)
            return request.text
        return restored(answer.request, request.text)


def _retold(changes: Sequence[Change], written: Mapping[int, Request], requests: Sequence[Request]) -> Iterator[Change]:
    """The changes, from the words that a turn began with to those that it ended with."""
    last = {change.turn: number for number, change in enumerate(changes)}
    begun: set[int] = set()
    for number, change in enumerate(changes):
        draft = requests[change.turn].draft
        original = written.get(draft.seed) if draft is not None and change.turn not in begun else None
        begun.add(change.turn)
        before = original.text if original is not None else change.before
        after = requests[change.turn].text if last[change.turn] == number else change.after
        yield change.model_copy(update={"before": before, "after": after})
