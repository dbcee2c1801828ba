"""How a person refers to what an earlier call gave, without ids: by name, or as "the cheapest one", "that reservation".

By name whenever somebody is explicit. By context, within one request nothing has been shown yet, so a result can only
be described; in a later turn it has been, so it can be pointed at. A mark is used only where no other list of such
things has come up, and "that hotel" only if the last turn named this hotel and no other has come up since.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from envfactory.environment import Parameter, Shape
from envfactory.gold import Out, Pick, value_at
from envfactory.querygen.names import fill_label
from envfactory.querygen.program import Program
from envfactory.querygen.request import Style
from envfactory.querygen.wording import ORDINALS, a, say
from envfactory.sampling.picks import ranked_words

LISTED = 5
"""Items of a list that an answer names; see `assistant.report`."""

_BEFORE_NOUN = re.compile(
    r"\b(?:about|among|at|by|for|from|in|into|of|off|on|onto|out|over|than|through|to|under|until|up|with)\s*$"
)
"""Prepositions, and what belongs to a verb and comes before its noun, but after its pronoun: "look up the order"."""
_LATEST = "*"
"""Key in `mentioned` of the record that came up last, whatever its noun."""


class References:
    """Words for bound values, from the point of view of call `call` in its turn."""

    def __init__(
        self,
        program: Program,
        call: int,
        absorbed: Mapping[int, str],
        mentioned: dict[str, str],
        told: Collection[int],
    ) -> None:
        """Stand at a call.

        Args:
            program: the whole program.
            call: index of the call that is being asked for.
            absorbed: searches of this request that are said as a noun phrase instead of being asked for, by index.
            mentioned: id of the record that each noun stands for in this request so far; updated.
            told: calls whose results the assistant has told, or is asked to tell in this request.
        """
        self.program, self.names, self.call, self.absorbed = program, program.names, call, absorbed
        self.mentioned, self.told = mentioned, told
        self.now = self.program.gold.reference.now
        self.turn = self.program.turn_of[call]

    def phrase(self, out: Out, style: Style, before: str = "") -> str:
        """Words for a bound value; empty if there are none a person could use.

        Args:
            out: the binding.
            style: how to refer to a record; what cannot be named is referred to by context, and the other way round.
            before: what the clause says up to here; straight after a verb a record that just came up is "it".
        """
        leaf = self.program.source(out)
        shape, row = self.program.holder(out)
        value = value_at(self.program.outputs[out.call], out.path)
        if leaf.ref and leaf.name == "id" and shape is not None:
            return self._entity(out, shape, row, value, style, before)
        if leaf.ref:
            return self._named_elsewhere(leaf.ref, value, style)
        return say(value, leaf, self.now)

    def note(self, out: Out) -> None:
        """Count a record as mentioned that is spoken of in other words."""
        noun = self.program.noun(self.program.source(out).ref)
        self.mentioned[noun] = self.mentioned[_LATEST] = value_at(self.program.outputs[out.call], out.path)

    def _entity(self, out: Out, shape: Shape, row: Any, value: str, style: Style, before: str) -> str:
        noun = shape.noun or self.program.noun(self.program.source(out).ref)
        leaves = self.names.leaves(out.call, shape)
        again = self.mentioned.get(noun) == value
        direct = again and self.mentioned.get(_LATEST) == value and not _BEFORE_NOUN.search(before)
        fresh = noun not in self.mentioned
        self.mentioned[noun] = self.mentioned[_LATEST] = value
        pronoun = ("it" if direct else f"that {noun}") if again else ""
        if pronoun and style != "name":
            self._name_along(pronoun, row, leaves)
            return pronoun
        entity = self.program.source(out).ref
        made_now = self.program.turn_of[out.call] == self.turn and self.program.base_record(entity, value) is None
        known = self._latest(row, out.call, value)
        label = self.names.pick(entity, value, shape.label, known, leaves, self.call, full=not made_now)
        if out.call not in self.absorbed and style == "name" and (label or pronoun):
            words = label or pronoun
        elif self.program.turn_of[out.call] == self.turn:
            words = pronoun or self._described(out, noun, label)
        else:
            words = pronoun or self._shown(out, noun, label, value, style, fresh=fresh)
        self._name_along(words, row, leaves)
        return words

    def _name_along(self, words: str, row: Any, leaves: Mapping[str, Parameter]) -> None:
        """Note what else a name speaks of: after "the stay at Park Inn", "that hotel" is Park Inn.

        After "that stay" it might be the hotel of that stay or another one named before, so then it is said by name.
        """
        for name, leaf in leaves.items():
            other = row.get(name) if leaf.ref and name != "id" else None
            found = self.program.base_record(leaf.ref, other) if isinstance(other, str) else None
            if found is not None and isinstance(other, str):
                table, record = found
                label = fill_label(table.label, record, table.field_by_path, self.now)
                if label and label in words:
                    self.mentioned[table.noun] = other
                elif self.mentioned.get(table.noun) != other:
                    self.mentioned[table.noun] = ""

    def _latest(self, row: Any, call: int, value: str) -> Any:
        """A record as the last call that returned it showed it."""
        for index in range(self.call - 1, call, -1):
            found = self.program.outputs[index]
            if found.get("id") == value:
                return {**row, **found}
        return row

    def _described(self, out: Out, noun: str, label: str) -> str:
        """In the request that also asks for the search, or describes what it looks for."""
        pick = out.pick
        phrase = self.absorbed.get(out.call, "")
        if pick is None:
            return f"that {noun}"
        if not phrase and out.call not in self.told:  # nobody asks to see the list that a mark would point into
            everything = pick.by in ("low", "high") and not self.program.gold.calls[out.call].arguments
            return f"the {self._extreme(out, pick)} {noun}" if everything else label
        match pick.by:
            case "only":
                return a(phrase) if phrase else f"the {noun} you find"
            case "first":
                return f"the first {phrase} you find" if phrase else f"the first {self._one(out, noun)}"
            case "name":
                return label
            case _:
                return f"the {self._extreme(out, pick)} {phrase or self._one(out, noun)}"

    def _shown(self, out: Out, noun: str, label: str, value: str, style: Style, *, fresh: bool) -> str:
        """In a later turn, when the results have been seen; `fresh` if this request has named none of the noun yet."""
        pick = out.pick
        recent = (
            self.program.turn_of[out.call] == self.turn - 1
            and out.call in self.told
            and not self._listed_elsewhere(out, noun)
        )
        if style == "ordinal" and recent and (place := self._place(out)):
            return f"the {place} {self._one(out, noun)}"
        if pick is not None and pick.by in ("low", "high") and recent:
            return f"the {self._extreme(out, pick)} {self._one(out, noun)}"
        if pick is not None and pick.by == "first" and recent:
            return f"the first {self._one(out, noun)}"
        if fresh and (pick is None or pick.by != "name") and self._last_named(noun, value):
            return f"that {noun}"
        return label

    def _place(self, out: Out) -> str:
        """The place of an item among those that the answer named, if there were several."""
        list_path, _, rest = out.path.partition("[")
        items: list[Any] = value_at(self.program.outputs[out.call], list_path)
        position = int(rest.partition("]")[0]) if rest else LISTED
        return ORDINALS[position] if len(items) > 1 and position < min(len(items), LISTED) else ""

    def _one(self, out: Out, noun: str) -> str:
        """Give "one", unless other things are listed or named around it that it might be taken for."""
        named = self.mentioned.keys() - {noun, _LATEST}
        return noun if named or self._listed_elsewhere(out) else "one"

    def _listed_elsewhere(self, out: Out, noun: str = "") -> bool:
        """Whether another call than the binding's listed things (of a noun), from its turn on up to here."""
        first = self.program.slices[self.program.turn_of[out.call]].start
        return any(
            shape.record and shape.path.endswith("[]") and noun in ("", shape.noun)
            for index in range(first, self.call)
            if index != out.call
            for shape in self.program.tool(index).output_shapes
        )

    def _extreme(self, out: Out, pick: Pick) -> str:
        path = self.program.source(out).path.rpartition(".")[0]
        return ranked_words(self.program.tool(out.call).output_by_path[f"{path}.{pick.field}"], pick)

    def _named_elsewhere(self, entity: str, value: str, style: Style) -> str:
        """An id of another record (`reservation.hotel_id`): the record itself need not have been shown."""
        noun = self.program.noun(entity)
        seen = self.mentioned.get(noun) == value or (noun not in self.mentioned and self._last_named(noun, value))
        self.mentioned[noun] = self.mentioned[_LATEST] = value
        pronoun = f"that {noun}" if seen else ""
        if pronoun and style != "name":
            return pronoun
        found = self.program.base_record(entity, value)
        if found is not None:
            table, record = found
            if not self.names.looked_up(table.label, record, self.call):
                return pronoun
        else:  # made in this conversation, by somebody who said what it is called
            table, record = self.program.tables.get(entity), self.program.own_rows(entity).get(value)
            if table is None or record is None:
                return pronoun
        label = self.names.pick(entity, value, table.label, record, table.field_by_path, self.call, full=True)
        return label or pronoun

    def _last_named(self, noun: str, value: str) -> bool:
        """Whether the last turn named the record, and no other of its noun has come up since."""
        for index in range(self.call - 1, -1, -1):
            seen, named = self.program.heard_of(index, noun)
            turn = self.program.turn_of[index]
            if not seen or (turn == self.turn and set(seen) == {value}):
                continue
            if set(seen) != {value} or turn != self.turn - 1:
                return False
            if value in named:
                return True
        return False
