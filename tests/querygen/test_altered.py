"""What alters a value makes it another call's, and what says it another way does not: over the whole catalogue."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.grounded import catalogue, grounded_golds, replayed
from tests.querygen.altered import SAME, accepted, altered

GOLDS = 60
MOST = 0.02
"""The share of altered texts of a kind that may be taken for the call, or of texts in other words that may not."""


@pytest.fixture(scope="module")
def counts() -> dict[str, tuple[int, int]]:
    """By kind, how many texts there are, and how many of them are accepted."""
    every: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    chance = random.Random(7)
    for gold in grounded_golds(GOLDS, 23):
        program = replayed(catalogue(), gold)
        for kind, call, text in altered(program, chance):
            every[kind] += 1
            taken[kind] += accepted(program, call, text)
    return {kind: (every[kind], taken[kind]) for kind in every}


def test_an_altered_value_is_not_said(counts: dict[str, tuple[int, int]]) -> None:
    others = {kind: number for kind, number in counts.items() if kind not in SAME}
    assert {
        "boolean other way",
        "boolean added",
        "boolean left out",
        "amount scaled",
        "date denied",
        "choice added",
        "string added",
        "date added",
        "integer added",
    } <= set(others)
    assert {kind: number for kind, number in others.items() if number[1] > MOST * number[0]} == {}


def test_a_value_in_other_words_is_said(counts: dict[str, tuple[int, int]]) -> None:
    same = {kind: number for kind, number in counts.items() if kind in SAME}
    assert {"date in other words", "amount in other words"} <= set(same)
    assert {kind: number for kind, number in same.items() if number[1] < (1 - MOST) * number[0]} == {}
