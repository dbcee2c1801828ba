"""How requests read, in figures: their length, how much they say outright, how varied their words are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import JsonValue

from envfactory.environment import Spec, ToolSpec, tool_of
from envfactory.environment.paths import spec_path
from envfactory.gold import Gold, Out, bindings_of
from envfactory.trajectory import REFINEMENTS

COMPARED = 400
"""The first requests, among which each is compared with all others."""

VARIED = 4000
"""The first requests, whose words are counted: so many for every size of a data set, since variety falls with it."""

DIGITS = 4
_WORD = re.compile(r"[\w$€£'.:-]*\w|[?!]")


class RequestFigures:
    """Adds up over trajectories in bounded memory."""

    def __init__(self, specs: Mapping[str, Spec]) -> None:
        """Start at nothing.

        Args:
            specs: the environments, to tell records from other values.
        """
        self._specs = specs
        self._requests = self._words = self._records = self._implicit = self._calls = self._left_out = 0
        self._exchanges = 0
        self._changes: Counter[str] = Counter()
        self._trigrams: Counter[tuple[str, ...]] = Counter()
        self._varied = 0
        self._compared: list[frozenset[tuple[str, ...]]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a trajectory, as it stands in its file."""
        gold = Gold.model_validate(row["gold"])
        turns = row["candidates"][row["chosen"]]["turns"]
        for turn in turns:
            self._add_text(turn["user"])
        self._calls += len(gold.calls)
        self._exchanges += gold.turns.count(0)
        self._records += sum(1 for index in range(len(gold.calls)) for _ in self._named(gold, index))
        for change in row.get("changes", ()):
            self._changes[change["kind"]] += 1
            if change["kind"] == "implicit_reference":
                self._implicit += len(change["detail"].get("references", ()))
            elif change["kind"] == "action_compression":
                self._left_out += len(change["detail"].get("calls", ()))

    def metrics(self) -> dict[str, JsonValue]:
        """The figures.

        Returns:
            words_mean: words a request.
            named_share: records that are called by their names, of all that calls take from results.
            asked_share: calls that are asked for outright.
            exchanges: turns in which the assistant asks back.
            distinct_3: different sequences of three words, of all, over the first `VARIED` requests.
            self_similarity: of each of the first `COMPARED` requests, the greatest overlap of its sequences of three
                words with another one's (Jaccard), on average.
            changed: turns changed by each refinement.
        """
        return {
            "words_mean": _share(self._words, self._requests),
            "named_share": _share(self._records - self._implicit, self._records),
            "asked_share": _share(self._calls - self._left_out, self._calls),
            "exchanges": self._exchanges,
            "distinct_3": _share(len(self._trigrams), self._trigrams.total()),
            "self_similarity": round(self_similarity(self._compared), DIGITS),
            "changed": {kind: self._changes[kind] for kind in REFINEMENTS},
        }

    def _add_text(self, text: str) -> None:
        words = tuple(_WORD.findall(text.casefold()))
        self._requests += 1
        self._words += sum(any(letter.isalnum() for letter in word) for word in words)
        found = [words[start : start + 3] for start in range(len(words) - 2)]
        if self._varied < VARIED:
            self._varied += 1
            self._trigrams.update(found)
        if len(self._compared) < COMPARED:
            self._compared.append(frozenset(found))

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
