from __future__ import annotations

import pytest

from envfactory.llm import AnswerError
from envfactory.querygen.model import ModelUser, Said
from envfactory.querygen.program import Program
from envfactory.trajectory import Persona
from tests.querygen.conftest import Grounding, Programming
from tests.answering import voice

PERSONA = Persona(name="Ana Silva", manner="plain", about="A nurse.")
TALK = [Said("user", "Book me a room at Hotel Miramar."), Said("assistant", "From when to when?")]
FACTS = ["check in: 3 March", "check out: 5 March"]


@pytest.fixture
def program(grounding: Grounding, programming: Programming) -> Program:
    return programming(grounding(["list_reservations"], []), 1)


def ask(model, program: Program):
    return ModelUser(model).answer(program, PERSONA, "Book a room at Hotel Miramar.", FACTS, TALK, 1)


def test_the_user_says_what_it_knows_and_sees_nothing_of_the_interface(program: Program):
    with voice({"message": "From 3 March to 5 March.", "done": False}) as (model, endpoint):
        assert ask(model, program).message == "From 3 March to 5 March."
    shown = endpoint.prompt(0)
    assert "check in: 3 March" in shown
    for spec in program.specs.values():
        assert not any(tool.name in shown for tool in spec.tools)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("From 7 March.", "'7 March', which you cannot know"),
        ("Ask Peter Parker.", "'Peter Parker', which you cannot know"),
        ("It is R-1001.", "'R-1001', which only computers say"),
        ("My check_in is soon.", "'check_in', which only computers say"),
    ],
)
def test_what_it_cannot_know_is_sent_back(program: Program, message: str, told: str):
    with voice({"message": message, "done": False}, {"message": "Yes.", "done": False}) as (model, endpoint):
        assert ask(model, program).message == "Yes."
    assert told in endpoint.prompt(1)


def test_a_user_that_does_not_answer_is_an_error(program: Program):
    with voice("hm", rounds=1) as (model, _), pytest.raises(AnswerError):
        ask(model, program)
