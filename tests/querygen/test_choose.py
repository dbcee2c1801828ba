"""Choosing: what execution shows decides first, and each fault is shown by what it spoils."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import fields

import pytest

from envfactory.querygen.assistant import RuleAssistant
from envfactory.querygen.choose import RuleJudge, Verdict, choose, examine
from envfactory.querygen.imperfect import Imperfections
from envfactory.querygen.played import Fault, Played, gold_as_played
from envfactory.querygen.task import Task
from tests.querygen.playing import ADA, environments, golds, plays, task_of

PERFECT = Verdict(equivalent=True, undecided=False, missing=0, unsupported=0)


def test_what_serves_is_chosen_before_what_the_judge_would_like() -> None:
    class Fond:
        """Likes the last one."""

        def choose(self, task: Task, finalists: Sequence[Played]) -> int:
            return len(finalists) - 1

    with task_of(golds(1)[0]) as task:
        played = [gold_as_played(task)] * 4
        wrong_state = Verdict(equivalent=False, undecided=False, missing=0, unsupported=0)
        one_missing = Verdict(equivalent=True, undecided=False, missing=1, unsupported=0)
        made_up = Verdict(equivalent=True, undecided=False, missing=0, unsupported=2)
        assert choose(task, played, [wrong_state, PERFECT, PERFECT, made_up], Fond()) == 2
        assert choose(task, played, [wrong_state, one_missing, made_up, one_missing], Fond()) == 2
        assert choose(task, played, [wrong_state, one_missing, wrong_state, one_missing], Fond()) == 3


def test_the_rule_judge_prefers_what_does_without_surplus_calls_refusals_and_questions() -> None:
    rare = Imperfections(redundant_read=0.4, failed_call=0.4, question=0.5)
    ranks: set[bool] = set()
    for task, played, rng in plays(24, rare):
        perfect = gold_as_played(task)
        place = rng.randrange(2)
        pair = [played, perfect] if place else [perfect, played]
        surplus = len(played.moves) > len(perfect.moves) or any(True for _ in played.exchanges())
        ranks.add(surplus)
        if surplus:
            assert RuleJudge().choose(task, pair) == place
    assert True in ranks


def test_gold_itself_passes() -> None:
    for gold in golds(6):
        with task_of(gold) as task:
            assert examine(task, gold_as_played(task)) == PERFECT


def test_surplus_does_not_make_a_candidate_fail() -> None:
    much = Imperfections(redundant_read=0.3, failed_call=0.3, dead_end=0.2, detour=0.8, question=0.4)
    for task, played, _ in plays(24, much):
        assert examine(task, played).passed


@pytest.mark.parametrize("fault", ["wrong_argument", "omitted_call", "wrong_state", "wrong_answer"])
def test_each_fault_makes_a_candidate_fail_by_what_it_spoils(fault: Fault) -> None:
    chance = 0.5 if fault in ("wrong_argument", "omitted_call") else 1.0
    seen = 0
    for task, played, _ in plays(36, Imperfections(**{fault: chance})):
        if not played.faults:
            continue
        assert fault in played.faults
        seen += 1
        verdict = examine(task, played)
        if fault == "wrong_state":  # what is changed again by gold leaves no trace
            assert verdict.equivalent == (played.diff == task.gold.diff) or not verdict.passed
        elif fault == "wrong_answer":
            assert (verdict.equivalent, verdict.missing, verdict.passed) == (True, 0, False)
        else:
            assert verdict.missing
            assert not verdict.passed
    assert seen > 5


def test_a_perfect_assistant_plays_gold() -> None:
    assistant = RuleAssistant(environments())
    for gold in golds(4):
        with task_of(gold) as task:
            task.session.restore(task.snapshots[0])
            assert assistant.play(task, ADA, task.session, random.Random(3)).exact


@pytest.mark.parametrize("name", [field.name for field in fields(Imperfections) if field.name != "recovery_read"])
def test_every_imperfection_happens(name: str) -> None:
    happened = 0
    for _, played, _ in plays(36, Imperfections(**{name: 0.9})):
        planted: set[str | None] = {move.planted for move in played.moves}
        happened += name in planted or name in played.faults or (name == "question" and any(played.exchanges()))
    assert happened > 8
