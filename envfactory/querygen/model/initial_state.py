"""The initial state by a language model: records that suit the person's situation, added to an environment's scenario.

The model is shown the person, the steps in words, and a table with records as they are; what it answers is held to the
table's schema. The records are given ids of their own, put into the state and loaded in a session: what the environment
refuses, what names records that are not there, and what would make the steps come out otherwise is told to the model.
So the gold program stands as it was grounded, in a world that has more in it. A state that stays wrong is not used.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from envfactory.environment import Backend, EnvironmentFailure, Reference, Session, Spec, TableSpec, tool_of
from envfactory.environment.checks.scenarios import dangling
from envfactory.environment.paths import spec_path
from envfactory.environment.states import Row, State
from envfactory.gold import Gold, Out, Replay, ReplayError, bindings_of, replay, value_at
from envfactory.llm.errors import AnswerError
from envfactory.llm.voice import Voice
from envfactory.querygen.model.planner import steps_in_words
from envfactory.querygen.model.prompts import prompt
from envfactory.querygen.model.record_schema import answer_of
from envfactory.sampling.picks import marks_of
from envfactory.trajectory import Persona

SHOWN = 3
"""Records of the table that the model is shown."""
FIRST_MADE = 1001
"""Number of the first id that a session gives out; ids of scenarios, and of what is added to them, are below."""
TOLD = 4
"""Problems told at once."""

_ID = re.compile(r"(.*?)(\d+)")


@dataclass(frozen=True, slots=True)
class Place:
    """Where records are added: environment, table, the state as it is, and the number of the next free id."""

    spec: Spec
    table: TableSpec
    state: State
    prefix: str
    number: int


class ModelInitialState:
    """Adds records to scenarios by asking a model; see the module docstring."""

    role = "initial_state"

    def __init__(self, voice: Voice, backend: Backend, most: int, *, fallback: bool) -> None:
        """Put it together.

        Args:
            voice: asks the model.
            backend: loads the states.
            most: records added to an environment at most.
            fallback: whether the scenario stays as it is where the model does not answer as asked.
        """
        self.voice, self.backend, self.most, self.fallback = voice, backend, most, fallback

    def enriched(self, gold: Gold, persona: Persona, rng: random.Random) -> Gold:
        """Return the same program in a richer world: a reference with the states that it starts from.

        Raises:
            AnswerError: the model did not answer as asked, and the scenario may not stay.
            EnvironmentFailure: infrastructure failed.
        """
        for environment in gold.reference.environments:
            place = self._place(gold, environment, rng)
            if place is not None:
                try:
                    gold = self._asked(gold, place, persona, rng)
                except AnswerError:
                    if not self.fallback:
                        raise
                    self.voice.fell_back(self.role)
        return gold

    def _place(self, gold: Gold, environment: str, rng: random.Random) -> Place | None:
        """One of the tables that the steps look through; None where they look through none."""
        spec = self.backend.specs[environment]
        tools = [tool_of(self.backend.specs, call.tool) for call in gold.calls]
        reading = [tool for tool in tools if tool.environment == environment and not tool.writes]
        shown = {shape.entity for tool in reading for shape in tool.output_shapes}
        owners = {field.ref for field in spec.fields}
        tables = [table for table in spec.tables if table.entity in shown - owners]
        rng.shuffle(tables)
        if not tables:
            return None
        with Session(self.backend, gold.reference) as session:
            state = session.documents()[environment]
        for table in tables:
            ids = [match.groups() for key in state[table.name] if (match := _ID.fullmatch(key))]
            if ids and len(ids) == len(state[table.name]) and len({prefix for prefix, _ in ids}) == 1:
                number = 1 + max(int(digits) for _, digits in ids)
                if number + self.most <= FIRST_MADE:
                    return Place(spec, table, state, ids[0][0], number)
        return None

    def _asked(self, gold: Gold, place: Place, persona: Persona, rng: random.Random) -> Gold:
        with Session(self.backend, gold.reference) as session:
            before = replay(gold, session)
        specs = {name: self.backend.specs[name] for name in gold.reference.environments}
        messages = prompt(self.role).messages(
            name=persona.name,
            about=persona.about,
            situation=persona.situation,
            service=place.spec.title,
            steps=list(steps_in_words(gold, specs)),
            table=place.table.name,
            fields=list(_fields(place.table)),
            examples=[orjson.dumps(row).decode() for row in list(place.state[place.table.name].values())[-SHOWN:]],
            most=self.most,
        )
        loaded: list[Gold] = []

        def problems(answer: BaseModel) -> Iterator[str]:
            found: list[str] = []
            enriched = self._loaded(gold, place, answer, found)
            if enriched is not None:
                found += self._otherwise(gold, enriched, before, specs)
                loaded.append(enriched)
            yield from found[:TOLD]

        self.voice.ask(
            self.role,
            messages,
            answer_of(place.table, self.most),
            problems,
            seed=rng.getrandbits(31),
            max_tokens=200 + 200 * self.most,
        )
        return loaded[-1]

    def _loaded(self, gold: Gold, place: Place, answer: BaseModel, found: list[str]) -> Gold | None:
        """The program with the records in its world; None, and what is wrong, if they cannot be loaded."""
        rows: dict[str, Row] = {}
        for row in answer.model_dump(mode="json", exclude_none=True)["records"]:
            key = f"{place.prefix}{place.number + len(rows)}"
            rows[key] = {"id": key, **row}
        state: State = {**place.state, place.table.name: {**place.state[place.table.name], **rows}}
        there = set(dangling(place.spec, place.state))
        found += [problem for problem in dangling(place.spec, state) if problem not in there]
        try:
            reference = _with_state(gold.reference, place.spec.name, orjson.dumps(state).decode())
            with Session(self.backend, reference) as session:
                # As the environment writes it: members in their order, numbers in their form.
                document = session.dump_of(place.spec.name).decode()
        except ValidationError as error:
            found += [f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" for detail in error.errors()]
            return None
        return gold.model_copy(update={"reference": _with_state(gold.reference, place.spec.name, document)})

    def _otherwise(self, gold: Gold, enriched: Gold, before: Replay, specs: Mapping[str, Spec]) -> Iterator[str]:
        """What would come out otherwise in the richer world."""
        with Session(self.backend, enriched.reference) as session:
            try:
                run = replay(enriched, session)
            except (ReplayError, EnvironmentFailure) as error:
                yield f"with these records a step no longer works: {error}"
                return
        same = True
        for index, call in enumerate(gold.calls):
            if run.calls[index].arguments != before.calls[index].arguments:
                yield f"with these records step {index + 1} would be about another one: they come before what it uses"
                same = False
                continue
            for _, binding in bindings_of(call):
                if isinstance(binding, Out) and binding.pick is not None and not _marked(gold, binding, run, specs):
                    mark = f"{binding.pick.by} {binding.pick.field}".strip()
                    yield f"with these records nobody can tell any more which one step {index + 1} means ({mark})"
        if same and run.diff != before.diff:
            yield "with these records the steps change something else than before"


def _marked(gold: Gold, binding: Out, run: Replay, specs: Mapping[str, Spec]) -> bool:
    """Whether the mark by which an item is singled out still tells it from the others."""
    tool = tool_of(specs, gold.calls[binding.call].tool)
    output: Any = run.outputs[binding.call]
    return binding.pick in marks_of(tool, output, spec_path(binding.path), value_at(output, binding.path))


def _with_state(reference: Reference, environment: str, document: str) -> Reference:
    return reference.model_copy(update={"states": {**reference.states, environment: document}})


def _fields(table: TableSpec) -> Iterator[str]:
    """The fields of a record, in words."""
    for field in table.fields:
        if field.path != "id":
            words = [field.type if not field.format else field.format, "" if field.required else "or null"]
            words += [f"one of {', '.join(map(str, field.enum))}"] if field.enum else []
            words += [f"an id of {field.ref} that is there already"] if field.ref else []
            yield f"{field.path}: {', '.join(filter(None, words))}. {field.description}".rstrip()
