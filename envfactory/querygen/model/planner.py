"""The planner by a language model: who asks and why, how they write, how the calls fall into messages, in what world.

The model is told what each call does and which earlier results it uses, never the names of tools or ids. What it
divides is held to the same rules as `RulePlanner`: the messages cover all calls, none is too long, and nothing is made
or changed and then changed again within one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from envfactory.environment import Spec, World, tool_of
from envfactory.environment.paths import spec_path
from envfactory.gold import FromUser, Gold, Out, bindings_of
from envfactory.llm.errors import AnswerError
from envfactory.llm.voice import Voice
from envfactory.querygen.model.prompts import prompt
from envfactory.querygen.planner import Plan, Planner, divided
from envfactory.querygen.related import changes_again, is_misplaced
from envfactory.querygen.wording import say
from envfactory.trajectory import Persona

if TYPE_CHECKING:
    from envfactory.querygen.model.initial_state import ModelInitialState

Sentence = Annotated[str, Field(min_length=1, max_length=160)]


class PlanAnswer(BaseModel):
    """What the model answers."""

    model_config = ConfigDict(extra="forbid")

    about: Sentence
    situation: Sentence
    manner: Literal["brief", "plain", "polite", "chatty"]
    begins: Annotated[list[Annotated[int, Field(ge=1, le=99)]], Field(min_length=1, max_length=12)]

    def turns(self, steps: int) -> tuple[int, ...]:
        """How many steps each message asks for."""
        starts = [*sorted({1, *self.begins}), steps + 1]
        return tuple(after - start for start, after in pairwise(starts))


class ModelPlanner:
    """Plans by asking a model; see the module docstring."""

    role = "planner"

    def __init__(
        self,
        voice: Voice,
        *,
        fewest: int,
        most: int,
        turns: int,
        fallback: Planner | None,
        initial_state: ModelInitialState | None = None,
    ) -> None:
        """Set the bounds.

        Args:
            voice: asks the model.
            fewest: calls in a turn at least; the last one may have fewer.
            most: calls in a turn at most.
            turns: turns at most.
            fallback: plans where the model does not answer as asked; None: the chain is dropped.
            initial_state: adds to the worlds in which the calls are made; None: they stay as they are.
        """
        self.voice, self.fewest, self.most, self.turns, self.fallback = voice, fewest, most, turns, fallback
        self.initial_state = initial_state

    def plan(self, gold: Gold, specs: Mapping[str, Spec], rng: random.Random) -> Plan:
        """Choose a persona and divide the calls.

        Raises:
            AnswerError: the model did not answer as asked, and there is no fallback.
        """
        name = World(gold.reference.seed, gold.reference.now, "persona").user.name
        services = ", ".join(f"{spec.title} ({spec.description.split('.')[0]})" for spec in specs.values())
        messages = prompt(self.role).messages(
            name=name, services=services, steps=list(steps_in_words(gold, specs)),
            fewest=self.fewest, most=self.most, turns=self.turns,
        )  # fmt: skip

        def problems(answer: PlanAnswer) -> Iterator[str]:
            yield from self._problems(answer, gold, specs)

        try:
            answer = self.voice.ask(self.role, messages, PlanAnswer, problems, seed=rng.getrandbits(31), max_tokens=220)
        except AnswerError:
            if self.fallback is None:
                raise
            self.voice.fell_back(self.role)
            return self.fallback.plan(gold, specs, rng)
        persona = Persona(name=name, manner=answer.manner, about=answer.about, situation=answer.situation)
        if self.initial_state is not None:
            gold = self.initial_state.enriched(gold, persona, rng)
        return Plan(persona, divided(gold, answer.turns(len(gold.calls))))

    def _problems(self, answer: PlanAnswer, gold: Gold, specs: Mapping[str, Spec]) -> Iterator[str]:
        steps = len(gold.calls)
        if max(answer.begins) > steps:
            yield f"begins={answer.begins}: there are {steps} steps"
            return
        turns = answer.turns(steps)
        if len(turns) > self.turns:
            yield f"begins={answer.begins} makes {len(turns)} messages, expected at most {self.turns}"
        start = 0
        for position, count in enumerate(turns):
            if count > self.most or (count < self.fewest and position < len(turns) - 1):
                where = f"the message that begins with step {start + 1} asks for {count} steps"
                yield f"begins={answer.begins}: {where}, expected {self.fewest} to {self.most}"
            if is_misplaced([tool_of(specs, call.tool).by == "user" for call in gold.calls[start : start + count]]):
                yield (
                    f"begins={answer.begins}: a step that the person does themselves must begin a message, together "
                    "with the step after it"
                )
            for index in range(start + 1, start + count):
                if changes_again(gold, index, specs, start):
                    yield f"step {index + 1} changes again what its message did before: it must begin a message"
            start += count


def steps_in_words(gold: Gold, specs: Mapping[str, Spec]) -> Iterator[str]:
    """Each call as a step that somebody without the interface understands."""
    now = gold.reference.now
    for call in gold.calls:
        tool = tool_of(specs, call.tool)
        said: list[str] = []
        used: dict[int, None] = {}
        for path, binding in bindings_of(call):
            leaf = tool.input_by_path.get(spec_path(path))
            if leaf is not None and leaf.secret:
                continue
            if isinstance(binding, FromUser):
                said.append(f"{path.replace('_', ' ')}: {say(binding.value, leaf, now)}")
            elif isinstance(binding, Out):
                used[binding.call] = None
        text = tool.description.splitlines()[0]
        if tool.by == "user":
            text = f"The person themselves: {text}"
        if said:
            text += f" ({'; '.join(said)})"
        if used:
            text += f" Uses what step {' and '.join(str(index + 1) for index in used)} gave."
        yield text
