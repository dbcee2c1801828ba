"""Filtering held against planted truth: what nobody needs is found, and nothing that is needed is dropped."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from envfactory.gold import Const, Gold, GoldCall
from envfactory.querygen.assistant import RuleAssistant
from envfactory.querygen.filter import filtered, needed_calls
from envfactory.querygen.imperfect import Imperfections
from envfactory.querygen.played import Played, gold_as_played
from tests.grounded import catalogue
from tests.querygen.playing import (
    ADA,
    BANK,
    REFERENCE,
    SURPLUS,
    check_planted,
    documents_of,
    drawn_golds,
    drawn_plays,
    drawn_task_of,
    environments,
    executed,
    golds,
    plays,
    task_of,
)

DRAWN = 130
"""Programs over the whole catalogue: enough for every environment to be in one."""

KINDS = ("redundant_read", "failed_call", "recovery_read", "dead_end", "detour", "question")


def planted(count: int) -> Counter[str]:
    total: Counter[str] = Counter()
    for task, played, _ in plays(count, SURPLUS):
        assert played.faults == []
        total += check_planted(task, played)
    return total


def test_every_planted_redundant_call_is_found_and_no_needed_one_is_dropped() -> None:
    total = planted(48)
    assert all(total[kind] for kind in KINDS), total


@pytest.mark.heavy
@pytest.mark.timeout(900)
def test_ten_thousand_planted_calls_are_told_from_the_needed_ones() -> None:
    total = planted(2700)
    assert sum(total[kind] for kind in KINDS) >= 10_000, total
    assert total["detour"] >= 2000, "pairs that undo each other"


def planted_in(golds: list[Gold], times: int) -> Counter[str]:
    total: Counter[str] = Counter()
    for task, played in drawn_plays(golds, times, SURPLUS):
        assert played.faults == []
        total += check_planted(task, played)
    return total


def test_the_same_holds_in_programs_over_every_environment() -> None:
    golds = drawn_golds(DRAWN)
    assert {name for gold in golds for name in gold.reference.environments} == set(catalogue().specs)
    total = planted_in(golds, 1)
    assert all(total[kind] for kind in KINDS), total


@pytest.mark.heavy
@pytest.mark.timeout(1800)
def test_ten_thousand_planted_calls_in_programs_over_every_environment() -> None:
    total = planted_in(drawn_golds(DRAWN), 18)
    assert sum(total[kind] for kind in KINDS) >= 10_000, total
    assert total["detour"] >= 1500, "pairs that undo each other"


def test_drawn_programs_need_each_of_their_calls() -> None:
    for gold in drawn_golds(DRAWN):
        with drawn_task_of(gold) as task:
            assert needed_calls(task, gold_as_played(task)) == set(range(len(gold.calls)))


def test_gold_needs_each_of_its_calls() -> None:
    for gold in golds(12):
        with task_of(gold) as task:
            assert needed_calls(task, gold_as_played(task)) == set(range(len(gold.calls)))


def test_a_look_up_that_nothing_uses_is_not_needed_unless_the_answer_tells_of_it() -> None:
    with task_of(golds(3)[0]) as task:
        played = gold_as_played(task)
        again = replace(played.moves[0], gold=None)
        longer = Played(
            [replace(played.turns[0], steps=[*played.turns[0].steps, (len(played.moves),)]), *played.turns[1:]],
            [*played.moves, again],
        )
        assert len(played.moves) not in needed_calls(task, longer)
        longer.turns[0].reports = [*longer.turns[0].reports, len(played.moves)]
        assert len(played.moves) in needed_calls(task, longer)


def test_a_change_that_a_later_one_overwrites_is_redundant_and_leaves_no_trace() -> None:
    """A goal for the savings is set twice: only the second one is to be learned, whichever the answer tells of."""
    bank = documents_of(BANK)
    account = next(
        row["id"]
        for row in bank["accounts"].values()
        if (row["kind"], row["holder_id"], row["status"]) == ("savings", bank["holder_id"], "open")
    )
    goals = [
        GoldCall(
            tool=f"{BANK}-set_savings_goal",
            arguments={name: Const(value=value) for name, value in
                       (("account_id", account), ("target", target), ("reached_by", "2026-12-01"))},
        )
        for target in (20_000.0, 25_000.0)
    ]  # fmt: skip
    with task_of(Gold(reference=REFERENCE, calls=(goals[1],), turns=(1,))) as task:
        played = executed(task, goals)
        found = filtered(task, played)
        assert found.labels == {0: "remove"}
        assert found.cleaned is not None
        assert [move.executed.arguments["target"] for move in found.cleaned.moves] == [25_000.0]
        assert found.cleaned.diff == task.gold.diff


def test_a_conversation_in_which_all_is_needed_stays_as_it_is() -> None:
    for gold in golds(6):
        with task_of(gold) as task:
            found = filtered(task, gold_as_played(task))
            assert (found.labels, found.needless, found.cleaned) == ({}, frozenset(), None)


def test_what_led_from_a_refusal_to_the_right_call_stays_in_the_history() -> None:
    failing = RuleAssistant(environments(), Imperfections(failed_call=1.0, recovery_read=1.0))
    with task_of(golds(1)[0]) as task:
        played = failing.play(task, ADA, task.session, random.Random(1))
        found = filtered(task, played)
    assert set(found.labels.values()) == {"hide"}
    assert found.cleaned is None
    hidden = [played.moves[place] for place in sorted(found.labels)]
    assert {move.planted for move in hidden} <= {"failed_call", "recovery_read"}
    assert any(not move.executed.ok for move in hidden)


def test_filtering_gives_the_same_every_time() -> None:
    def labels() -> list[object]:
        return [
            (sorted(found.labels.items()), found.needless)
            for task, played, _ in plays(12, SURPLUS)
            for found in [filtered(task, played)]
        ]

    assert labels() == labels()
