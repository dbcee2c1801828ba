"""How requests read, in figures: their length, how much they say outright, how varied their words are.

Words are counted apart (`Variety`), so that the phrasings that the tools declare can be held beside the requests that
are made of them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import JsonValue

from envfactory.environment import Spec, ToolSpec, tool_of
from envfactory.environment.paths import spec_path
from envfactory.gold import Gold, Out, bindings_of
from envfactory.querygen.base import added_calls, base_digest, extension_digest
from envfactory.trajectory import REFINEMENTS

COMPARED = 400
"""The first requests, among which each is compared with all others."""

VARIED = 4000
"""The first requests, whose words are counted: so many for every size of a data set, since variety falls with it."""

DIGITS = 4
_WORD = re.compile(r"[\w$€£'.:-]*\w|[?!]")


class Variety:
    """How varied the words of texts are; in bounded memory."""

    def __init__(self) -> None:
        """Start at nothing."""
        self._texts = self._words = 0
        self._trigrams: Counter[tuple[str, ...]] = Counter()
        self._compared: list[frozenset[tuple[str, ...]]] = []

    def add(self, text: str) -> None:
        """Count a text."""
        words = tuple(_WORD.findall(text.casefold()))
        self._texts += 1
        self._words += sum(any(letter.isalnum() for letter in word) for word in words)
        found = [words[start : start + 3] for start in range(len(words) - 2)]
        if self._texts <= VARIED:
            self._trigrams.update(found)
        if len(self._compared) < COMPARED:
            self._compared.append(frozenset(found))

    def metrics(self) -> dict[str, JsonValue]:
        """The figures.

        Returns:
            words_mean: words a text.
            distinct_3: different sequences of three words, of all, over the first `VARIED` texts.
            self_similarity: of each of the first `COMPARED` texts, the greatest overlap of its sequences of three
                words with another one's (Jaccard), on average.
        """
        return {
            "words_mean": _share(self._words, self._texts),
            "distinct_3": _share(len(self._trigrams), self._trigrams.total()),
            "self_similarity": round(self_similarity(self._compared), DIGITS),
        }


class RequestFigures:
    """Adds up over trajectories in bounded memory."""

    def __init__(self, specs: Mapping[str, Spec]) -> None:
        """Start at nothing.

        Args:
            specs: the environments, to tell records from other values.
        """
        self._specs = specs
        self._records = self._implicit = self._calls = self._left_out = self._exchanges = 0
        self._changes: Counter[str] = Counter()
        self._variety = Variety()
        self._bases = hashlib.sha256()
        self._extensions = hashlib.sha256()

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a trajectory, as it stands in its file."""
        gold = Gold.model_validate(row["gold"])
        turns = row["candidates"][row["chosen"]]["turns"]
        for turn in turns:
            self._variety.add(turn["user"])
        # What the user does themselves nobody asks for, and it is about what the call after it is about.
        calls = [index for index in range(len(gold.calls)) if self._tool(gold, index).by == "agent"]
        self._calls += len(calls)
        self._exchanges += gold.turns.count(0)
        self._records += sum(1 for index in calls for _ in self._named(gold, index))
        changes = row.get("changes", ())
        added = added_calls(changes)
        self._bases.update(base_digest(gold, added).encode())
        self._extensions.update(extension_digest(gold, added).encode())
        for change in changes:
            self._changes[change["kind"]] += 1
            if change["kind"] == "implicit_reference":
                self._implicit += len(change["detail"].get("references", ()))
            elif change["kind"] == "action_compression":
                self._left_out += len(change["detail"].get("calls", ()))

    def metrics(self) -> dict[str, JsonValue]:
        """The figures.

        Returns:
            words_mean, distinct_3, self_similarity: see `Variety.metrics`.
            named_share: records that are called by their names, of all that calls take from results.
            asked_share: calls that are asked for outright.
            exchanges: turns in which the assistant asks back.
            changed: turns changed by each refinement.
            phrasings: words_mean, distinct_3 and self_similarity of what the tools declare to be asked by.
            base_digest: of the golds as they were before refinement, in order: runs with the same one differ in
                nothing but refinement.
            extension_digest: of the calls that goal expansion added.
        """
        phrasings = Variety()
        for tool in (tool for spec in self._specs.values() for tool in spec.agent_tools):
            for text in tool.ask:
                phrasings.add(text)
        return {
            **self._variety.metrics(),
            "named_share": _share(self._records - self._implicit, self._records),
            "asked_share": _share(self._calls - self._left_out, self._calls),
            "exchanges": self._exchanges,
            "changed": {kind: self._changes[kind] for kind in REFINEMENTS},
            "phrasings": phrasings.metrics(),
            "base_digest": self._bases.hexdigest(),
            "extension_digest": self._extensions.hexdigest(),
        }

    def _named(self, gold: Gold, index: int) -> list[Out]:
        """The arguments of a call that name records taken from results."""
        return [
            binding
            for _, binding in bindings_of(gold.calls[index])
            if isinstance(binding, Out) and self._tool(gold, binding.call).output_by_path[spec_path(binding.path)].ref
        ]

    def _tool(self, gold: Gold, index: int) -> ToolSpec:
        return tool_of(self._specs, gold.calls[index].tool)


def self_similarity(texts: Collection[frozenset[tuple[str, ...]]]) -> float:
    """The mean over texts of the greatest Jaccard overlap with another one; 0 if there are fewer than two."""
    rows = [text for text in texts if text]
    if len(rows) < 2:
        return 0.0
    total = 0.0
    for place, mine in enumerate(rows):
        total += max(
            (len(mine & other) / len(mine | other) for at, other in enumerate(rows) if at != place and mine & other),
            default=0.0,
        )
    return total / len(rows)


def _share(part: float, whole: float) -> float:
    return round(part / whole, DIGITS) if whole else 0.0
