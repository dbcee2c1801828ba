"""The planner: who asks, and how the calls of a chain fall into turns (arXiv 2605.18703, section 3.3, planning)."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from envfactory.environment import Spec, World
from envfactory.gold import Binding, FromUser, Gold, GoldCall, ListOf, ObjectOf, Out, bindings_of
from envfactory.trajectory import Persona

MANNERS = ("brief", "plain", "polite", "chatty")


@dataclass(frozen=True, slots=True)
class Plan:
    """A persona, and the gold program divided into turns."""

    persona: Persona
    gold: Gold


class Planner(Protocol):
    """Turns a grounded chain into the plan of a conversation."""

    def plan(self, gold: Gold, specs: Mapping[str, Spec], rng: random.Random) -> Plan:
        """Choose a persona and divide the calls."""
        ...


@dataclass(frozen=True, slots=True)
class RulePlanner:
    """Divides at random: after each call the turn ends with probability (its calls so far) / `most`.

    A call that acts once more on the record that the call before it made or changed opens a turn of its own: nobody
    asks in one breath to book a room and to cancel it.

    Attributes:
        fewest, most: bounds of the calls in a turn; the last one may be shorter.
        turns: bound of the turns; what is left over goes into the last one, which then may be too long to be accepted.
    """

    fewest: int = 1
    most: int = 5
    turns: int = 8

    def plan(self, gold: Gold, specs: Mapping[str, Spec], rng: random.Random) -> Plan:
        """Choose a persona and divide the calls."""
        writing = writing_tools(specs)
        turns: list[int] = [0]
        for index in range(len(gold.calls)):
            length = turns[-1]
            over = length >= self.fewest and rng.random() < length / self.most
            if length and len(turns) < self.turns and (over or changes_mind(gold, index, writing)):
                turns.append(0)
            turns[-1] += 1
        name = World(gold.reference.seed, gold.reference.now, "persona").user.name
        return Plan(Persona(name=name, manner=rng.choice(MANNERS)), divided(gold, tuple(turns)))


def writing_tools(specs: Mapping[str, Spec]) -> frozenset[str]:
    """Wire names of the tools that write."""
    return frozenset(tool.wire_name for spec in specs.values() for tool in spec.tools if tool.writes)


def changes_mind(gold: Gold, index: int, writing: Collection[str]) -> bool:
    """Whether a call changes once more what the call before it made or changed."""
    if index == 0 or gold.calls[index].tool not in writing or gold.calls[index - 1].tool not in writing:
        return False
    mine = {(b.call, b.path) for _, b in bindings_of(gold.calls[index]) if isinstance(b, Out)}
    before = {(b.call, b.path) for _, b in bindings_of(gold.calls[index - 1]) if isinstance(b, Out)}
    made = {(call, path) for call, path in mine if call == index - 1 and path == "id"}
    return bool(made or {place for place in mine & before if place[1] == "id"})


def divided(gold: Gold, turns: tuple[int, ...]) -> Gold:
    """Return the program with its calls divided into turns; what the user says is said in the turn that needs it."""
    parted = gold.model_copy(update={"turns": turns})
    calls: list[GoldCall] = list(gold.calls)
    for turn, indexes in enumerate(parted.turn_slices()):
        for index in indexes:
            bindings = {name: _in_turn(binding, turn) for name, binding in calls[index].arguments.items()}
            calls[index] = calls[index].model_copy(update={"arguments": bindings})
    return parted.model_copy(update={"calls": tuple(calls)})


def _in_turn(binding: Binding, turn: int) -> Binding:
    match binding:
        case FromUser():
            return FromUser.model_construct(source="user", value=binding.value, turn=turn)
        case ListOf():
            return ListOf(items=tuple(_in_turn(item, turn) for item in binding.items))
        case ObjectOf():
            return ObjectOf(fields={name: _in_turn(field, turn) for name, field in binding.fields.items()})
        case _:
            return binding
