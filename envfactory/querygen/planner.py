"""The planner: who asks, and how the calls of a chain fall into turns (arXiv 2605.18703, section 3.3, planning)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from envfactory.environment import Parameter, Spec, ToolSpec, World
from envfactory.environment.spec import SEPARATOR
from envfactory.gold import Binding, Gold, Out
from envfactory.querygen.program import divided
from envfactory.trajectory import Persona

MANNERS = ("brief", "plain", "polite", "chatty", "casual")


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

    A call that changes once more the record that an earlier call of the turn made or changed opens a turn of its own:
    nobody asks in one breath to book a room and to cancel it.

    Attributes:
        fewest, most: bounds of the calls in a turn; the last one may be shorter.
        turns: bound of the turns; what is left over goes into the last one, which then may be too long to be accepted.
    """

    fewest: int = 1
    most: int = 5
    turns: int = 8

    def plan(self, gold: Gold, specs: Mapping[str, Spec], rng: random.Random) -> Plan:
        """Choose a persona and divide the calls."""
        turns: list[int] = [0]
        for index in range(len(gold.calls)):
            length = turns[-1]
            over = length >= self.fewest and rng.random() < length / self.most
            if length and len(turns) < self.turns and (over or changes_mind(gold, index, specs, index - length)):
                turns.append(0)
            turns[-1] += 1
        name = World(gold.reference.seed, gold.reference.now, "persona").user.name
        return Plan(Persona(name=name, manner=rng.choice(MANNERS)), divided(gold, tuple(turns)))


def changes_mind(gold: Gold, index: int, specs: Mapping[str, Spec], since: int) -> bool:
    """Whether a call changes once more a record that a call from `since` on made or changed."""
    mine = _changed(gold, index, specs)
    return mine is not None and any(
        mine in (_changed(gold, earlier, specs), _made(gold, earlier, specs)) for earlier in range(since, index)
    )


def _tool(gold: Gold, index: int, specs: Mapping[str, Spec]) -> ToolSpec | None:
    environment, _, name = gold.calls[index].tool.partition(SEPARATOR)
    return specs[environment].tool_by_name[name] if environment in specs else None


def _own_id(tool: ToolSpec) -> Parameter | None:
    """The output that names the record which the result is about: `id`, or else the first reference."""
    refs = [leaf for leaf in tool.outputs if leaf.ref and leaf.path == leaf.name]
    return next((leaf for leaf in refs if leaf.name == "id"), refs[0] if refs else None)


def _about(tool: ToolSpec) -> str | None:
    """The argument that names the record which the result is about; None where it is about something new."""
    own = _own_id(tool)
    return next((leaf.path for leaf in tool.inputs if own and leaf.ref == own.ref and leaf.path == leaf.name), None)


def _changed(gold: Gold, index: int, specs: Mapping[str, Spec]) -> tuple[int, str] | None:
    """Where the record that a call changes comes from: call and path."""
    tool = _tool(gold, index, specs)
    about = _about(tool) if tool is not None and tool.writes else None
    return _origin(gold, gold.calls[index].arguments.get(about), specs) if about else None


def _made(gold: Gold, index: int, specs: Mapping[str, Spec]) -> tuple[int, str] | None:
    tool = _tool(gold, index, specs)
    own = _own_id(tool) if tool is not None and tool.writes and _about(tool) is None else None
    return (index, own.path) if own else None


def _origin(gold: Gold, binding: Binding | None, specs: Mapping[str, Spec]) -> tuple[int, str] | None:
    """The first result that a record's id was taken from: a call about a record passes its id on."""
    while isinstance(binding, Out):
        tool = _tool(gold, binding.call, specs)
        own = _own_id(tool) if tool else None
        about = _about(tool) if tool and own and own.path == binding.path else None
        source = gold.calls[binding.call].arguments.get(about) if about else None
        if not isinstance(source, Out):
            return binding.call, binding.path
        binding = source
    return None
