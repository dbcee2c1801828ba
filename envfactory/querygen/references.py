"""How a person refers to what an earlier call gave, without ids: "the cheapest one", "that reservation", a name.

Within one request nothing has been shown yet, so a result can only be described; in a later turn it has been, so it
can be named. A name or a mark is used only where it tells the record apart (`sampling.picks` made sure of that);
"that hotel" only if no other hotel has come up since.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any

from envfactory.environment import Parameter, Shape
from envfactory.environment.draw import values_at
from envfactory.gold import Out, Pick, value_at
from envfactory.querygen.program import Program
from envfactory.querygen.wording import a, fill, missing_slots, say
from envfactory.sampling.picks import ranked_words


def label_of(program: Program, call: int, shape: Shape, row: Any, now: dt.datetime, *, listing: bool = False) -> str:
    """A record as its label (or listing) says it; nothing if it has none or lacks a value."""
    prefix = f"{shape.path}." if shape.path else ""
    leaves = {path.removeprefix(prefix): leaf for path, leaf in program.tool(call).output_by_path.items()}
    return fill_label(shape.listing if listing else shape.label, row, leaves, now)


def fill_label(template: str, row: Any, leaves: Mapping[str, Parameter], now: dt.datetime) -> str:
    """Fill a label with the values of a row; nothing if there is no label or the row lacks a value."""
    if not template or not isinstance(row, dict):
        return ""

    def value(name: str) -> str:
        found = row.get(name)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return "" if found is None else say(found, leaves.get(name), now)

    return "" if missing_slots(template, value) else fill(template, value)


_PREPOSITION = re.compile(r"\b(?:about|among|at|by|for|from|in|into|of|on|onto|than|through|to|under|until|with)\s*$")
_LATEST = "*"
"""Key in `mentioned` of the record that came up last, whatever its noun."""


class References:
    """Words for bound values, from the point of view of call `call` in its turn."""

    def __init__(self, program: Program, call: int, absorbed: dict[int, str], mentioned: dict[str, str]) -> None:
        """Stand at a call.

        Args:
            program: the whole program.
            call: index of the call that is being asked for.
            absorbed: searches of this request that are said as a noun phrase instead of being asked for, by index.
            mentioned: id of the record that each noun stands for in this request so far; updated.
        """
        self.program, self.call, self.absorbed, self.mentioned = program, call, absorbed, mentioned
        self.now = program.gold.reference.now
        self.turn = program.turn_of[call]

    def phrase(self, out: Out, before: str = "") -> str:
        """Words for a bound value; empty if there are none a person could use.

        Args:
            out: the binding.
            before: what the clause says up to here; straight after a verb a record that just came up is "it".
        """
        leaf = self.program.source(out)
        shape, row = self.program.holder(out)
        value = value_at(self.program.outputs[out.call], out.path)
        if leaf.ref and leaf.name == "id" and shape is not None:
            return self._entity(out, shape, row, value, before)
        if leaf.ref:
            return self._named_elsewhere(out, leaf.ref, value)
        return say(value, leaf, self.now)

    def _entity(self, out: Out, shape: Shape, row: Any, value: str, before: str) -> str:
        noun = shape.noun or self.program.noun(self.program.source(out).ref)
        if self.mentioned.get(noun) == value:
            direct = self.mentioned.get(_LATEST) == value and not _PREPOSITION.search(before)
            return "it" if direct else f"that {noun}"
        self.mentioned[noun] = self.mentioned[_LATEST] = value
        label = label_of(self.program, out.call, shape, row, self.now)
        if self.program.turn_of[out.call] == self.turn:
            return self._described(out, noun, label)
        return self._shown(out, noun, label, value)

    def _described(self, out: Out, noun: str, label: str) -> str:
        """In the request that also asks for the search, or describes what it looks for."""
        pick = out.pick
        phrase = self.absorbed.get(out.call, "")
        if pick is None:
            return f"that {noun}"
        match pick.by:
            case "only":
                return a(phrase) if phrase else f"the {noun} you find"
            case "first":
                return f"the first {phrase} you find" if phrase else f"the first {self._one(out, noun)}"
            case "name":
                return label
            case _:
                return f"the {self._extreme(out, pick)} {phrase or self._one(out, noun)}"

    def _shown(self, out: Out, noun: str, label: str, value: str) -> str:
        """In a later turn, when the results have been seen."""
        recent = self.program.turn_of[out.call] == self.turn - 1
        pick = out.pick
        if pick is not None and pick.by in ("low", "high") and recent:
            return f"the {self._extreme(out, pick)} {self._one(out, noun)}"
        if pick is not None and pick.by == "first" and recent:
            return f"the first {self._one(out, noun)}"
        if pick is not None and pick.by == "name":
            return label
        if self._last_seen(noun, value):
            return f"that {noun}"
        if label and (pick is None or pick.by == "only"):
            return label
        if pick is not None and pick.by in ("low", "high"):
            return f"the {self._extreme(out, pick)} {noun} from before"
        return f"the first {noun} from before" if pick is not None else ""

    def _one(self, out: Out, noun: str) -> str:
        """ "one", unless other things have been listed since, or are in this request, that it might be taken for."""
        for index in range(out.call + 1, self.call):
            if any(shape.record and shape.path.endswith("[]") for shape in self.program.tool(index).output_shapes):
                return noun
        return "one"

    def _extreme(self, out: Out, pick: Pick) -> str:
        path = self.program.source(out).path.rpartition(".")[0]
        return ranked_words(self.program.tool(out.call).output_by_path[f"{path}.{pick.field}"], pick)

    def _named_elsewhere(self, out: Out, entity: str, value: str) -> str:
        """An id of another record (`reservation.hotel_id`): the record itself need not have been shown."""
        noun = self.program.noun(entity)
        seen = self.mentioned.get(noun) == value or (noun not in self.mentioned and self._last_seen(noun, value))
        self.mentioned[noun] = self.mentioned[_LATEST] = value
        if seen:
            return f"that {noun}"
        found = self.program.base_record(entity, value)
        if found is None:
            return ""
        table, record = found
        return fill_label(table.label, record, table.field_by_path, self.now)

    def _last_seen(self, noun: str, value: str) -> bool:
        """Whether the record is the only one of its noun that the last call which touched that noun showed."""
        for index in range(self.call - 1, -1, -1):
            seen = _records_seen(self.program, index, noun)
            if seen:
                return seen == {value}
        return False


def _records_seen(program: Program, index: int, noun: str) -> set[str]:
    """Ids of the records of a noun that a call named or returned."""
    tool = program.tool(index)
    found: set[str] = set()
    for leaves, document in ((tool.inputs, program.calls[index].arguments), (tool.outputs, program.outputs[index])):
        for leaf in leaves:
            if leaf.ref and program.noun(leaf.ref) == noun:
                found |= set(_values(document, leaf.path))
    return found


def _values(document: Any, path: str) -> list[str]:
    return [value for value in values_at(document, path) if isinstance(value, str)]
