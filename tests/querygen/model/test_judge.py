from __future__ import annotations

from envfactory.querygen.model import ModelJudge
from envfactory.trajectory import PlayedCall, Step, Turn
from tests.querygen.model.answering import voice

LOOKED = PlayedCall(tool="hotel_reservations-get_hotel", arguments={}, result="x" * 900, ok=True)
TURNS = [Turn(user="Tell me about it.", steps=(Step(calls=(LOOKED,)), Step(text="It is nice.")))]


def test_a_judge_grades_what_was_said_and_sees_results_in_short():
    with voice({"natural": 4, "helpful": 5, "reason": "Fine."}) as (model, endpoint):
        verdict = ModelJudge(model).verdict(TURNS, 1)
    assert (verdict.natural, verdict.helpful) == (4, 5)
    assert "User: Tell me about it." in endpoint.prompt(0)
    assert "x" * 300 in endpoint.prompt(0)
    assert "x" * 301 not in endpoint.prompt(0)


def test_grades_out_of_range_are_sent_back():
    grades = {"natural": 9, "helpful": 5, "reason": "Fine."}
    with voice(grades, {**grades, "natural": 5}) as (model, endpoint):
        assert ModelJudge(model).verdict(TURNS, 1).natural == 5
    assert "natural" in endpoint.prompt(1)
