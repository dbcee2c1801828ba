"""Grounding: a chain of tools becomes a gold program by executing it in a scenario.

Call by call, linked arguments are bound to outputs that exist, the rest is drawn; a refused call, or one whose results
leave a later link without a value, is drawn again on the same state, a bounded number of times. When that does not
help, the grounder goes back to the call whose result is to blame and tries again from there, a bounded number of times.
A call for which nothing is found even so is left out, with all that lean on it: what remains of a valid chain is valid.
So it goes with a later call for which no draw gives a value: the draw is kept that serves most of the others.
What comes out is executed by construction. What the person has to do before a call (`@tool(first=...)`) is done before
it, with the same values, and stands before it in the program: chains are of the agent's tools alone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from envfactory.environment import Backend, Reference, Session, Spec, ToolSpec, tool_of
from envfactory.environment.draw import Drawer
from envfactory.environment.templates import parse_template, slots
from envfactory.gold import Gold, GoldCall, renumbered
from envfactory.sampling.chain import Chain, Link
from envfactory.sampling.search import Search


@dataclass(frozen=True, slots=True)
class GroundingSettings:
    """Bounds of the search.

    Attributes:
        draws: of a call.
        backtracks: times to go back for a call's sake.
        min_tools: fewest calls that must remain.
        max_tools: most calls that a mended chain has (see `mending`).
        sensible: no call takes what a sensible person would not ask for (see `sense`), even if the tool would.
    """

    draws: int = 8
    backtracks: int = 2
    min_tools: int = 1
    max_tools: int = 16
    sensible: bool = True


@dataclass(frozen=True, slots=True)
class Grounded:
    """What became of a chain.

    Attributes:
        chain: the calls that remain, and their links.
        gold: the program.
        left_out: how many calls were left out, by reason.
    """

    chain: Chain
    gold: Gold
    left_out: Mapping[str, int]


class Grounder:
    """Grounds chains over one set of environments."""

    def __init__(
        self,
        backend: Backend,
        internal: Collection[tuple[str, str]],
        settings: GroundingSettings | None = None,
    ) -> None:
        """Prepare for the backend's environments.

        Args:
            backend: opens the sessions.
            internal: (wire name, input path) of arguments that the system makes, which are never drawn.
            settings: bounds of the search.
        """
        self.backend = backend
        self.specs: Mapping[str, Spec] = backend.specs
        self.settings = settings or GroundingSettings()
        self.internal = frozenset(internal)
        self.drawers = {name: Drawer(spec) for name, spec in self.specs.items()}
        self.sayable = {tool.wire_name: _sayable(tool) for spec in self.specs.values() for tool in spec.tools}

    def tool(self, wire_name: str) -> ToolSpec:
        """The spec of a tool by wire name."""
        return tool_of(self.specs, wire_name)

    def ground(self, chain: Chain, reference: Reference, rng: random.Random) -> Grounded:
        """Execute a chain in the scenario of `reference`.

        Raises:
            Ungroundable: too few of its calls found values within the bounds.
            EnvironmentFailure: infrastructure failed.
        """
        with Session(self.backend, reference) as session:
            search = Search(self, chain, session, rng)
            search.run()
            if len(search.steps) < self.settings.min_tools:
                raise search.failure()
            place = {index: position for position, index in enumerate(search.steps)}
            calls = self._program(search)
            links = tuple(
                Link(place[link.consumer], link.input, place[link.producer], link.output)
                for link in chain.links
                if link.consumer in place and link not in search.cut
            )
            reasons = Counter(problem.reason for problem in search.left_out.values())
            gold = Gold(reference=reference, calls=calls, diff=session.diff())
            return Grounded(Chain(tuple(chain.tools[index] for index in place), links), gold, reasons)

    def _program(self, search: Search) -> tuple[GoldCall, ...]:
        """The calls of a search, each after what the person has to do first."""
        calls: list[GoldCall] = []
        place: dict[int, int] = {}
        for index, step in search.steps.items():
            tool = search.tools[index]
            arguments = renumbered(step.bindings, place.__getitem__)
            if act := self.specs[tool.environment].done_first(tool, arguments):
                calls.append(GoldCall(tool=act[0].wire_name, arguments=act[1]))
            place[index] = len(calls)
            calls.append(GoldCall(tool=tool.wire_name, arguments=arguments, masked=_free_text(tool)))
        return tuple(calls)


def _sayable(tool: ToolSpec) -> frozenset[str]:
    """Arguments that some phrasing of the tool mentions; others are left to their defaults."""
    return frozenset(name.split(".")[0].removesuffix("[]") for text in tool.ask for name in slots(parse_template(text)))


def _free_text(tool: ToolSpec) -> tuple[str, ...]:
    return tuple(leaf.path for leaf in tool.inputs if leaf.free_text)
