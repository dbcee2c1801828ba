"""Where the arguments of a model's call come from: found by value, as gold's were by construction.

A model writes literals. To replay its conversation without a call, or in another session, each literal is traced:

- the id of a record: to the first result that gave it as the id of such a record;
- any other value: to what the user said, if it was said; or else to the one place in earlier results where it stands;
- a value that stands nowhere, or in several places, is a constant.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, cast

from envfactory.environment import Parameter, ToolSpec
from envfactory.environment.paths import scalars, spec_path
from envfactory.gold import Binding, Const, FromUser, GoldCall, ListOf, ObjectOf, Out
from envfactory.querygen.wording import say


class Results:
    """What the calls of a conversation gave so far: every scalar and where it stands, found by its value."""

    def __init__(self) -> None:
        self._places: dict[tuple[type, Any], list[tuple[int, str, Parameter]]] = {}

    def add(self, number: int, tool: ToolSpec, output: Any) -> None:
        """Take in the parsed output of a call, the next one; those that were refused gave nothing."""
        for path, value in scalars(output):
            leaf = tool.output_by_path.get(spec_path(path))
            if leaf is not None:
                self._places.setdefault(_kept(value), []).append((number, path, leaf))

    def places(self, value: Any) -> Sequence[tuple[int, str, Parameter]]:
        """Where a scalar stands: call, concrete path, what is declared; in the order of the calls."""
        return self._places.get(_kept(value), ())


def bound(
    tool: ToolSpec,
    arguments: Mapping[str, Any],
    results: Results,
    heard: list[str],
    now: dt.datetime,
) -> GoldCall:
    """Trace the arguments of a call.

    Args:
        tool: what was called.
        arguments: as given.
        results: of the earlier calls.
        heard: what the user said, by turn.
        now: the conversation's clock.
    """
    tracer = _Tracer(tool, results, [text.casefold() for text in heard], now)
    return GoldCall(
        tool=tool.wire_name, arguments={name: tracer.binding(value, name) for name, value in arguments.items()}
    )


class _Tracer:
    def __init__(self, tool: ToolSpec, results: Results, heard: list[str], now: dt.datetime) -> None:
        self.tool, self.results, self.heard, self.now = tool, results, heard, now

    def binding(self, value: Any, path: str) -> Binding:
        if isinstance(value, list):
            items = cast("list[Any]", value)
            return ListOf(items=tuple(self.binding(item, f"{path}[{n}]") for n, item in enumerate(items)))
        if isinstance(value, dict):
            members = cast("dict[str, Any]", value)
            return ObjectOf(fields={name: self.binding(item, f"{path}.{name}") for name, item in members.items()})
        leaf = self.tool.input_by_path.get(spec_path(path))
        if leaf is not None and leaf.ref:
            found = next((place for place in self.results.places(value) if _names(place[2], leaf)), None)
            return Out(call=found[0], path=found[1]) if found else Const(value=value)
        if (turn := self._said(value, leaf)) is not None:
            return FromUser(value=value, turn=turn)
        same = self.results.places(value)
        if len(same) == 1 and not isinstance(value, bool):
            return Out(call=same[0][0], path=same[0][1])
        return Const(value=value)

    def _said(self, value: Any, leaf: Parameter | None) -> int | None:
        """The first turn in which the user says a value."""
        if isinstance(value, bool) or value is None or value == "":
            return None
        try:
            words = say(value, leaf, self.now).casefold()
        except ValueError:  # it is no such date as its argument should have
            words = str(value).casefold()
        return next((turn for turn, text in enumerate(self.heard) if words in text), None)


def _kept(value: object) -> tuple[type, object]:
    """What a scalar is kept under: True is not 1."""
    return type(value), value


def _names(output: Parameter, leaf: Parameter) -> bool:
    """Whether an output leaf names such a record as an input leaf takes; a plain `id` may be of any."""
    return output.ref == leaf.ref or (not output.ref and output.name == "id")
