"""The moment at which a turn ends: which further call would succeed there, and be worth making.

A call must be one that a sensible person makes after those so far, find or do something, and tell what is new, without
taking away what a later call was to tell.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from envfactory.environment import Session, ToolSpec
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.environment.templates import parse_template, slots
from envfactory.gold import Binding, Call, FromUser, GoldCall, Out, bound, value_at
from envfactory.querygen.program import Program
from envfactory.sampling.keeping import kept_to
from envfactory.sampling.news import facts
from envfactory.sampling.sense import Done, Sense

State = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Further:
    """A further call: as a program has it, as it was executed, and its parsed output."""

    call: GoldCall
    executed: Call
    output: Any


class Moment:
    """See the module docstring."""

    def __init__(self, program: Program, session: Session, stop: int) -> None:
        """Stand after the calls of a program before `stop`, which the session has made."""
        self._program, self._session, self._stop = program, session, stop
        self._states: dict[str, State] = {}

    def call(self, tool: ToolSpec, records: Mapping[str, Out], rng: random.Random) -> Further | None:
        """Make a call of a tool with the records at hand, by entity; None if there is none to make.

        The session may stand elsewhere afterwards.

        Raises:
            EnvironmentFailure: infrastructure failed.
        """
        program, state = self._program, self._state(tool.environment)
        taken = {path: records[tool.input_by_path[path].ref] for path in taking(tool, records)}
        given = {path: value_at(program.outputs[out.call], out.path) for path, out in taken.items()}
        if len({(out.call, out.path) for out in taken.values()}) < len(taken):
            return None  # twice the same record
        if not all(
            self._sense.takes(tool, path, given[path], out.call, out.path, state) for path, out in taken.items()
        ):
            return None
        try:
            arguments = Drawer(program.specs[tool.environment]).draw(
                tool.name, state, rng, {**self._said(tool), **given}, 0.0
            )
        except Undrawable:
            return None
        sayable = {name.split(".")[0] for text in tool.ask for name in slots(parse_template(text))}
        sayable |= {leaf.path for leaf in tool.secrets}  # told when asked for
        if not arguments.keys() <= sayable or self._is_made(tool, arguments):
            return None
        result = self._session.call(tool.wire_name, arguments)
        if not result.ok or not self._is_worth_telling(tool, arguments, result.value):
            return None
        bindings: dict[str, Binding] = {
            name: taken[name] if name in taken else bound(value, name, lambda leaf, _: FromUser(value=leaf))
            for name, value in arguments.items()
        }
        masked = tuple(leaf.path for leaf in tool.inputs if leaf.free_text)
        executed = Call.model_construct(tool=tool.wire_name, arguments=arguments, result=result.text, ok=True)
        return Further(GoldCall(tool=tool.wire_name, arguments=bindings, masked=masked), executed, result.value)

    @cached_property
    def _sense(self) -> Sense:
        """What is sensible after the calls so far."""
        program = self._program
        done = {
            index: Done(
                tool, program.calls[index].arguments, program.outputs[index], program.bases[tool.environment],
                program.facts[index],
            )
            for index, tool in enumerate(program.tools[: self._stop])
        }  # fmt: skip
        return Sense(program.specs, done)

    def _state(self, environment: str) -> State:
        if environment not in self._states:
            self._states[environment] = orjson.loads(self._session.dump_of(environment))
        return self._states[environment]

    def _is_made(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> bool:
        """Whether the program makes this very call."""
        return any(call.tool == tool.wire_name and call.arguments == arguments for call in self._program.calls.values())

    def _is_worth_telling(self, tool: ToolSpec, arguments: Mapping[str, Any], output: Any) -> bool:
        """Whether what was found is something, is new, and leaves later look-ups something to tell."""
        if tool.writes:
            return True
        lists = [shape.path.removesuffix("[]") for shape in tool.output_shapes if shape.path.count("[]") == 1]
        found = [output.get(path) for path in lists if "." not in path]
        if (found and not any(found)) or not self._sense.tells(tool, arguments, output):
            return False
        now, stop = facts(tool, arguments, output), self._stop
        later = zip(self._program.tools[stop:], self._program.facts[stop:], strict=True)
        return not any(told and not look_up.writes and told <= now for look_up, told in later)

    def _said(self, tool: ToolSpec) -> dict[str, Any]:
        """Values that the user has said for the same thing: people keep to their dates and city, until they book."""
        open_to = [leaf for leaf in tool.inputs if leaf.path in tool.required]
        calls = self._program.gold.calls[: self._stop]
        return kept_to(tool, open_to, zip(self._program.tools, (call.arguments for call in calls), strict=False))


def taking(tool: ToolSpec, records: Collection[str]) -> Iterator[str]:
    """The required arguments of a tool that take one of the records, which are given by entity."""
    for leaf in tool.inputs:
        if leaf.ref in records and leaf.path in tool.required:
            yield leaf.path
