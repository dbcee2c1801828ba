"""How a person refers to what an earlier call gave, without ids: by name, or as "the cheapest one", "that reservation".

By name whenever somebody is explicit; what has just been named in the same request is "it", "them" or "there". By
context, within one request nothing has been shown yet, so a result can only be described; in a later turn it has been,
so it can be pointed at. A mark is used only where no other list of such things has come up, and "that hotel" only if
the last turn named this hotel and no other has come up since. A clause has one pronoun and a request one "that hotel":
with more of them it reads like a form.
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
from envfactory.sampling.news import LISTED
from envfactory.sampling.picks import ranked_words

OFTEN = 2
"""Times that a name is said in one request before it is tiresome."""

_BEFORE_NOUN = re.compile(r"\b(?:of|off|out|over|through|up)\s*$")
"""What belongs to a verb and comes before its noun, but after its pronoun: "look up the order"; and "of"."""
_ASKED = re.compile(r"\b(?:how|if|what|when|where|whether|which|who|why)\s*$")
"""What stands before a subject: "find out where they are"."""
_MINE = re.compile(r"\b(?:I|me|my)\b")
_ONE = re.compile(r"\bones?\b")
_AT = re.compile(r"\bat\s*$")
_LATEST = "*"
"""Key in `mentioned` of the record that came up last, whatever its noun."""
_CLAUSE = "#"
"""Key in `mentioned` of the place of the clause in which it did."""
_NO_NOUN = "*#=@"
"""With what the keys in `mentioned` begin that are no nouns; `=` and a name is how often the name was said, `@` and a
noun whether the last one of it was called by its place."""
_THAT = "that"
"""Key in `mentioned` once something has been called "that hotel" in this request."""
_THEM = frozenset(
    (
        "payee",
        "seller",
        "contact",
        "colleague",
        "member",
        "family member",
        "patient",
        "participant",
        "employee",
        "customer",
        "guest",
    )
)
"""What people and firms are called, who are "them"."""

_SPEAKER = "myself"
"""What one who speaks calls oneself, and is never "them"."""

THERE = "\0there"
"""Stands for "at that hotel" where the clause has said "at" already; see `there`."""


def _is_person(noun: str) -> bool:
    """Whether a noun, by its last word, is one of people: a family member is a member."""
    return noun.rpartition(" ")[2] in _THEM


def there(text: str) -> str:
    """A text in which "at" and `THERE` are one word."""
    return text.replace(f"at {THERE}", "there").replace(THERE, "there")


class References:
    """Words for bound values, from the point of view of call `call` in its turn."""

    def __init__(
        self,
        program: Program,
        call: int,
        absorbed: Mapping[int, str],
        mentioned: dict[str, str],
        told: Collection[int],
        clause: int = 0,
    ) -> None:
        """Stand at a call.

        Args:
            program: the whole program.
            call: index of the call that is being asked for.
            absorbed: searches of this request that are said as a noun phrase instead of being asked for, by index.
            mentioned: id of the record that each noun stands for in this request so far; updated.
            told: calls whose results the assistant has told, or is asked to tell in this request.
            clause: place of the clause in the request.
        """
        self.clause = clause
        self.program, self.names, self.call, self.absorbed = program, program.names, call, absorbed
        self.mentioned, self.told = mentioned, told
        self.now = self.program.gold.reference.now
        self.turn = self.program.turn_of[call]
        self.pronouns = 0  # in this clause

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
            return self._named_elsewhere(leaf.ref, value, style, before)
        return say(value, leaf, self.now)

    def note(self, out: Out) -> None:
        """Count a record as mentioned that is spoken of in other words."""
        noun = self.program.noun(self.program.source(out).ref)
        self._mention(noun, value_at(self.program.outputs[out.call], out.path))

    def _mention(self, noun: str, value: str) -> None:
        self.mentioned[noun] = self.mentioned[_LATEST] = value
        self.mentioned[_CLAUSE] = str(self.clause)

    def _keep_apart(self, noun: str, label: str) -> None:
        """Have nothing point back at one who speaks: "them" would be somebody else."""
        if label == _SPEAKER:
            self.mentioned[noun] = ""

    def _entity(self, out: Out, shape: Shape, row: Any, value: str, style: Style, before: str) -> str:
        noun = shape.noun or self.program.noun(self.program.source(out).ref)
        leaves = self.names.leaves(out.call, shape)
        again = self.mentioned.get(noun) == value
        short = self._pronoun(noun, value, before)
        fresh = noun not in self.mentioned
        self._mention(noun, value)
        if short:
            self._name_along(short, row, leaves)
            return short
        entity = self.program.source(out).ref
        made_now = self.program.turn_of[out.call] == self.turn and self.program.base_record(entity, value) is None
        known = self._latest(row, out.call, value)
        label = self.names.pick(entity, value, shape.label, known, leaves, self.call, full=not made_now)
        self._keep_apart(noun, label)
        often = again and int(self.mentioned.get(f"={label}", "0")) >= OFTEN
        if (
            out.call not in self.absorbed
            and style == "name"
            and label
            and not often
            and not self._foretold(out, entity)
        ):
            words = label
        elif again:
            words = self._that(noun, label)
        elif self.program.turn_of[out.call] == self.turn:
            words = self._described(out, noun, label, before)
        else:
            words = self._shown(out, noun, label, value, style, before, fresh=fresh)
        self._name_along(words, row, leaves)
        if words == label:
            self._count(label)
        return words

    def _count(self, label: str) -> None:
        """Count how often a name has been said in this request."""
        self.mentioned[f"={label}"] = str(int(self.mentioned.get(f"={label}", "0")) + 1)

    def _pronoun(self, noun: str, value: str, before: str) -> str:
        """Words for a record that has come up in this request, if the context makes it clear; one in a clause."""
        if self.mentioned.get(noun) != value or self.pronouns:
            return ""
        latest = self.mentioned.get(_LATEST) == value and int(self.mentioned[_CLAUSE]) >= self.clause - 1
        word = THERE if _AT.search(before) else "them" if _is_person(noun) else "it"
        if word != THERE and (not latest or _BEFORE_NOUN.search(before) or (word == "them" and _ASKED.search(before))):
            return ""
        self.pronouns += 1
        return word

    def _foretold(self, out: Out, entity: str) -> bool:
        """Whether nobody can know the name of the record yet, since the same request asks for the search."""
        return (
            self.program.turn_of[out.call] == self.turn
            and out.call in self.told
            and out.pick is not None
            and out.pick.by in ("low", "high")
            and not self.program.belongs_to_somebody(entity)
        )

    def _that(self, noun: str, label: str) -> str:
        """Give "that hotel", once in a request; what has a name is called by it otherwise, and people always are."""
        if label and (_THAT in self.mentioned or self.pronouns or _is_person(noun)):
            return label
        if _THAT in self.mentioned:
            return ""
        self.mentioned[_THAT] = noun
        self.pronouns += 1
        return f"that {noun}"

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
                    self._keep_apart(table.noun, label)
                    self._count(label)
                elif self.mentioned.get(table.noun) != other:
                    self.mentioned[table.noun] = ""

    def _latest(self, row: Any, call: int, value: str) -> Any:
        """A record as the last call that returned it showed it."""
        for index in range(self.call - 1, call, -1):
            found = self.program.outputs[index]
            if found.get("id") == value:
                return {**row, **found}
        return row

    def _described(self, out: Out, noun: str, label: str, before: str) -> str:
        """In the request that also asks for the search, or describes what it looks for."""
        pick = out.pick
        phrase = self.absorbed.get(out.call, "")
        if pick is None:
            return self._that(noun, label)
        if not phrase and out.call not in self.told:  # nobody asks to see the list that a mark would point into
            everything = pick.by in ("low", "high") and not self.program.gold.calls[out.call].arguments
            return f"the {self._extreme(out, pick)} {noun}" if everything else label
        if label and not phrase and self._listed_elsewhere(out, noun):
            return label  # a mark might point into either list
        match pick.by:
            case "only":
                if label and not phrase and self.program.belongs_to_somebody(self.program.source(out).ref):
                    return label
                if phrase and self.program.belongs_to_somebody(self.program.source(out).ref):
                    return f"my {phrase}"
                return a(phrase) if phrase else label or f"the {noun} you find"
            case "first":
                own = self.program.belongs_to_somebody(self.program.source(out).ref)
                whose = "" if _MINE.search(phrase) else " I have" if own else " you find"
                return f"the first {phrase}{whose}" if phrase else f"the first {self._one(out, noun, before)}"
            case "name":
                return label
            case _:
                return f"the {self._extreme(out, pick)} {phrase or self._one(out, noun, before)}"

    def _shown(self, out: Out, noun: str, label: str, value: str, style: Style, before: str, *, fresh: bool) -> str:
        """In a later turn, when the results have been seen; `fresh` if this request has named none of the noun yet."""
        pick = out.pick
        recent = (
            self.program.turn_of[out.call] == self.turn - 1
            and out.call in self.told
            and not self._listed_elsewhere(out, noun)
        )
        counted = fresh or f"@{noun}" in self.mentioned  # after another one by name, who knows where counting begins?
        if style == "ordinal" and recent and counted and (place := self._place(out)):
            self.mentioned[f"@{noun}"] = place
            return f"the {place} {self._one(out, noun, before)}"
        if pick is not None and pick.by in ("low", "high") and recent:
            return f"the {self._extreme(out, pick)} {self._one(out, noun, before)}"
        if pick is not None and pick.by == "first" and recent:
            return f"the first {self._one(out, noun, before)}"
        if fresh and (pick is None or pick.by != "name") and self._last_named(noun, value):
            return self._that(noun, label)
        return label

    def _place(self, out: Out) -> str:
        """The place of an item among those that the answer named, if there were several."""
        list_path, _, rest = out.path.partition("[")
        items: list[Any] = value_at(self.program.outputs[out.call], list_path)
        position = int(rest.partition("]")[0]) if rest else LISTED
        return ORDINALS[position] if len(items) > 1 and position < min(len(items), LISTED) else ""

    def _one(self, out: Out, noun: str, before: str) -> str:
        """Give "one", unless something else around it might be meant, or the clause has said it already."""
        named = [key for key in self.mentioned if key[0] not in _NO_NOUN and key not in (noun, _THAT)]
        return noun if named or _ONE.search(before) or self._listed_elsewhere(out) else "one"

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

    def _named_elsewhere(self, entity: str, value: str, style: Style, before: str) -> str:
        """An id of another record (`reservation.hotel_id`): the record itself need not have been shown."""
        noun = self.program.noun(entity)
        crowded = any(len(self.program.heard_of(index, noun)[0]) > 1 for index in range(self._first(), self.call))
        seen = self.mentioned.get(noun) == value or (noun not in self.mentioned and self._last_named(noun, value))
        short = self._pronoun(noun, value, before)
        self._mention(noun, value)
        if short:
            return short
        label = self._label_elsewhere(entity, value)
        self._keep_apart(noun, label)
        return self._that(noun, label) if seen and not (crowded and label) and (style != "name" or not label) else label

    def _first(self) -> int:
        """The first call of the turn."""
        return self.program.slices[self.turn].start

    def _label_elsewhere(self, entity: str, value: str) -> str:
        """What a record is called that need not have been shown; nothing if it cannot be named."""
        found = self.program.base_record(entity, value)
        if found is not None:
            table, record = found
            if not self.names.looked_up(table.label, record, self.call):
                return ""
        else:  # made in this conversation, by somebody who said what it is called
            table, record = self.program.tables.get(entity), self.program.own_rows(entity).get(value)
            if table is None or record is None:
                return ""
        return self.names.pick(entity, value, table.label, record, table.field_by_path, self.call, full=True)

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
