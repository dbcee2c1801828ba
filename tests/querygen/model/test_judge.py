from __future__ import annotations

from collections.abc import Iterator

import pytest

from envfactory.environment import InProcess, Session
from envfactory.querygen.choose import RuleJudge
from envfactory.querygen.model import ModelJudge
from envfactory.querygen.played import Played, PlayedTurn
from envfactory.querygen.request import Request
from envfactory.querygen.task import Task, play_gold
from envfactory.trajectory import PlayedCall, Step, Turn
from tests.answering import voice
from tests.querygen.conftest import Grounding, Programming

LOOKED = PlayedCall(tool="hotel_reservations-get_hotel", arguments={}, result="x" * 900, ok=True)
TURNS = [Turn(user="Tell me about it.", steps=(Step(calls=(LOOKED,)), Step(text="It is nice.")))]


def test_a_judge_grades_what_was_said_and_sees_results_in_short():
    with voice({"natural": 4, "helpful": 5, "reason": "Fine."}) as (model, endpoint):
        grades = ModelJudge(model, RuleJudge()).grades(TURNS, 1)
    assert (grades.natural, grades.helpful) == (4, 5)
    assert "User: Tell me about it." in endpoint.prompt(0)
    assert "x" * 300 in endpoint.prompt(0)
    assert "x" * 301 not in endpoint.prompt(0)


def test_grades_out_of_range_are_sent_back():
    given = {"natural": 9, "helpful": 5, "reason": "Fine."}
    with voice(given, {**given, "natural": 5}) as (model, endpoint):
        assert ModelJudge(model, RuleJudge()).grades(TURNS, 1).natural == 5
    assert "natural" in endpoint.prompt(1)


@pytest.fixture
def task(hotels: InProcess, grounding: Grounding, programming: Programming) -> Iterator[Task]:
    program = programming(grounding(["list_reservations"], []), 1)
    with Session(hotels, program.gold.reference) as session:
        yield play_gold(program, [Request("Hello?", frozenset({0}))], session)


def played(answer: str) -> Played:
    return Played([PlayedTurn("Hello?", 0, answer=answer)])


def chosen(task: Task, *graded: object) -> tuple[int, int]:
    finalists = [played("A long answer, in three parts."), played("A longish answer."), played("Short.")]
    with voice(*graded, rounds=1) as (model, endpoint):
        return ModelJudge(model, RuleJudge()).choose(task, finalists), len(endpoint.asked)


def mark(natural: int, helpful: int) -> dict[str, object]:
    return {"natural": natural, "helpful": helpful, "reason": "So."}


def test_the_best_grades_win_and_rules_decide_between_equals(task: Task):
    assert chosen(task, mark(3, 3), mark(4, 5), mark(5, 3)) == (1, 3)
    assert chosen(task, mark(4, 5), mark(5, 4), mark(1, 1)) == (1, 3)


def test_a_finalist_that_is_not_graded_as_asked_comes_last(task: Task):
    assert chosen(task, "good", mark(1, 1), "good") == (1, 3)


def test_a_single_finalist_is_not_asked_about(task: Task):
    with voice() as (model, endpoint):
        assert ModelJudge(model, RuleJudge()).choose(task, [played("Yes.")]) == 0
        assert endpoint.asked == []
