"""Calls that undo each other are found by execution, and each use leaves the state as it was."""

from __future__ import annotations

import random

from envfactory.environment import Session
from envfactory.querygen.undoing import Pair, Undoing
from tests.querygen.playing import BANK, HOTELS, REFERENCE, environments


def test_the_pairs_of_an_environment_are_found() -> None:
    undoing = Undoing(environments())
    assert undoing.pairs(BANK) == (
        Pair(BANK, "freeze_card", "unfreeze_card"),
        Pair(BANK, "unfreeze_card", "freeze_card"),
    )
    assert undoing.pairs(HOTELS) == (Pair(HOTELS, "change_room", "change_room"),)


def test_a_pair_changes_the_state_and_leads_back_or_does_nothing_at_all() -> None:
    undoing = Undoing(environments())
    made = 0
    with Session(environments(), REFERENCE) as session:
        opening, documents = session.dump(), session.documents()
        for environment in (BANK, HOTELS):
            for pair in undoing.pairs(environment):
                for seed in range(8):
                    both = undoing.make(pair, documents[environment], 0, session, random.Random(seed))
                    assert session.dump() == opening
                    if both is None:
                        continue
                    made += 1
                    first, second = both
                    session.restore(second.before)
                    assert session.dump() != opening
                    session.restore(first.before)
    assert made > 8
