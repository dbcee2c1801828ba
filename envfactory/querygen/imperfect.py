"""Imperfections: what an assistant does beside what is needed, and what it does wrong, each with a probability.

Some are surplus and do no harm: a look-up that nothing uses, a refused call and the way back from it, a refused call
that leads nowhere, two calls that undo each other, a question whose answer tells nothing. Others are faults that spoil
the conversation: a wrong argument, a call left out, a change that nobody asked for, an answer with a wrong number. What
is decided here is only where each happens (`Lapses`); `Wrong` makes the calls.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from envfactory.environment import Parameter, Spec, ToolSpec
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.environment.states import State
from envfactory.gold import Binding, Const, GoldCall
from envfactory.querygen.support import numbers_told


@dataclass(frozen=True, slots=True)
class Imperfections:
    """Probabilities: of the first six before each gold call, of the others once a conversation.

    Attributes:
        redundant_read: a look-up whose result nothing uses.
        failed_call: the coming call, refused for a wrong or missing argument.
        recovery_read: after such a refusal, a look-up before the call is made again.
        dead_end: a refused call of a tool that is not tried again.
        wrong_argument: the call is made with another valid value in one argument.
        omitted_call: the call is left out.
        detour: two calls that undo each other.
        question: before it acts on a request, the assistant asks whether it should.
        wrong_state: a change that nobody asked for.
        wrong_answer: an answer with a number that no result has.
    """

    redundant_read: float = 0.0
    failed_call: float = 0.0
    recovery_read: float = 0.0
    dead_end: float = 0.0
    wrong_argument: float = 0.0
    omitted_call: float = 0.0
    detour: float = 0.0
    question: float = 0.0
    wrong_state: float = 0.0
    wrong_answer: float = 0.0

    def lapses(self, calls: int, turns: list[int], rng: random.Random) -> Lapses:
        """Decide where each happens.

        Args:
            calls: how many gold calls there are.
            turns: the turns that act.
            rng: source of every choice.
        """
        before: dict[int, list[str]] = {}
        chances = [(name, chance) for name in _EACH if (chance := getattr(self, name))]
        for index in range(calls):
            found = [name for name, chance in chances if rng.random() < chance]
            if "failed_call" not in found and "recovery_read" in found:
                found.remove("recovery_read")
            if found:
                before[index] = found
        lapses = Lapses(before)
        if calls:
            if rng.random() < self.detour:
                before.setdefault(rng.randrange(calls), []).append("detour")
            if rng.random() < self.wrong_state:
                before.setdefault(rng.randrange(calls), []).append("wrong_state")
        if turns:
            if rng.random() < self.question:
                lapses.question = rng.choice(turns)
            if rng.random() < self.wrong_answer:
                lapses.answer = rng.choice(turns)
        return lapses


_EACH = tuple(f.name for f in fields(Imperfections))[:6]


@dataclass(slots=True)
class Lapses:
    """Where a conversation goes astray.

    Attributes:
        before: by gold call, what happens before or to it.
        question: the turn in which the assistant asks whether it should.
        answer: the turn with a wrong answer.
    """

    before: dict[int, list[str]] = field(default_factory=dict)
    question: int | None = None
    answer: int | None = None

    def __bool__(self) -> bool:
        return bool(self.before) or self.question is not None or self.answer is not None


class Wrong:
    """Makes calls that nobody needs, or that are wrong, from the specs of some environments; none needs a secret."""

    def __init__(self, specs: Mapping[str, Spec]) -> None:
        self._drawers = {name: Drawer(spec) for name, spec in specs.items()}

    def look_up(self, specs: Mapping[str, Spec], states: Mapping[str, State], rng: random.Random) -> GoldCall | None:
        """A look-up with drawn arguments; None if nothing can be drawn."""
        tools = [tool for spec in specs.values() for tool in spec.agent_tools if not (tool.writes or tool.secrets)]
        return self._drawn(rng.choice(tools), states, rng) if tools else None

    def change(self, specs: Mapping[str, Spec], states: Mapping[str, State], rng: random.Random) -> GoldCall | None:
        """A writing call with drawn arguments; None if nothing can be drawn."""
        tools = [tool for spec in specs.values() for tool in spec.agent_tools if tool.writes and not tool.secrets]
        return self._drawn(rng.choice(tools), states, rng) if tools else None

    def other_value(
        self, call: GoldCall, arguments: Mapping[str, Any], tool: ToolSpec, state: State, rng: random.Random
    ) -> GoldCall | None:
        """The call with another valid value in one argument that counts; None if no other can be drawn."""
        counted = [leaf for leaf in tool.inputs if leaf.path in arguments and leaf.path not in call.masked]
        varied = [leaf for leaf in counted if not leaf.secret]  # there is one that is right
        if not varied:
            return None
        leaf = rng.choice(varied)
        given = {name: value for name, value in arguments.items() if name in tool.input_by_path and name != leaf.path}
        for _ in range(4):
            try:
                drawn = self._drawers[tool.environment].draw(tool.name, state, rng, given, _only(leaf.path))
            except Undrawable:
                return None
            if leaf.path in drawn and drawn[leaf.path] != arguments[leaf.path]:
                changed: dict[str, Binding] = {**call.arguments, leaf.path: Const(value=drawn[leaf.path])}
                return call.model_copy(update={"arguments": changed})
        return None

    def refusable(self, call: GoldCall, tool: ToolSpec, rng: random.Random) -> list[GoldCall]:
        """The call as it will be refused: more likely mistakes first, the last one is always refused."""
        found: list[GoldCall] = []
        ids = [leaf for leaf in tool.inputs if leaf.ref and leaf.path in call.arguments]
        if ids and rng.random() < 0.5:
            leaf = rng.choice(ids)
            found.append(_with(call, leaf.path, Const(value=f"{leaf.ref.upper()[:3]}-{rng.randint(1, 99)}")))
        numbers = [leaf for leaf in tool.inputs if leaf.path in call.arguments and _is_number(leaf)]
        if numbers and rng.random() < 0.5:
            found.append(_with(call, rng.choice(numbers).path, Const(value="a few")))
        given = [name for name in tool.required if name in call.arguments]
        if given and rng.random() < 0.6:
            missing = rng.choice(given)
            left = {name: binding for name, binding in call.arguments.items() if name != missing}
            found.append(call.model_copy(update={"arguments": left}))
        found.append(_with(call, "note", Const(value="as soon as possible")))
        if "note" in {leaf.top for leaf in tool.inputs}:
            found[-1] = _with(call, "remarks_", Const(value="as soon as possible"))
        return found

    def _drawn(self, tool: ToolSpec, states: Mapping[str, State], rng: random.Random) -> GoldCall | None:
        try:
            arguments = self._drawers[tool.environment].draw(tool.name, states[tool.environment], rng)
        except Undrawable:
            return None
        bound: dict[str, Binding] = {name: Const(value=value) for name, value in arguments.items()}
        return GoldCall.model_construct(tool=tool.wire_name, arguments=bound, masked=())


def wrong_number(text: str, rng: random.Random) -> str | None:
    """The text with another number in the place of one; None if it has none."""
    found = numbers_told(text)
    if not found:
        return None
    start, end = rng.choice(found)
    value = float(text[start:end].replace(",", "")) * 7 + rng.randint(100_000, 199_999)  # no year, no count
    return f"{text[:start]}{value:,.0f}{text[end:]}"


def _only(path: str) -> Callable[[str], bool]:
    return lambda other: other == path


def _with(call: GoldCall, name: str, binding: Binding) -> GoldCall:
    return call.model_copy(update={"arguments": {**call.arguments, name: binding}})


def _is_number(leaf: Parameter) -> bool:
    return leaf.type in ("integer", "number") and leaf.path == leaf.name
