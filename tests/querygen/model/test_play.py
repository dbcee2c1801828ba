from __future__ import annotations

import random

import pytest

from envfactory.environment import InProcess, Session
from envfactory.querygen import RuleWriter
from envfactory.querygen.model import ModelAssistant, ModelUser
from envfactory.querygen.model.assistant import REPLY
from envfactory.querygen.model.play import play
from envfactory.querygen.program import Program
from envfactory.querygen.user import RuleUser, User
from envfactory.trajectory import Persona
from tests.answering import voice
from tests.querygen.conftest import Grounding, Programming

PERSONA = Persona(name="Ana Silva", manner="plain")
SERVED = {"message": "Thanks.", "done": True}


@pytest.fixture
def program(grounding: Grounding, programming: Programming) -> Program:
    return programming(grounding(["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")], seed=3), 1, 1)


def says(text: str) -> dict[str, object]:
    return {"tool": REPLY, "arguments": {"message": text}}


def conversation(hotels: InProcess, program: Program, *messages: object, by_rules: bool = False):
    requests = RuleWriter().write(program, PERSONA, random.Random(1))
    with voice(*messages) as (model, endpoint), Session(hotels, program.gold.reference) as session:
        user: User = ModelUser(model, program, requests, PERSONA, random.Random(2))
        if by_rules:
            user = RuleUser(program, requests, session)
        talk = ModelAssistant(model, "schema").conversation(session, "You help.")
        played = play(talk, user, session, random.Random(1))
        return played, endpoint, [request.text for request in requests]


def test_gold_played_by_a_model_reaches_golds_state(hotels: InProcess, program: Program):
    moves = [{"tool": call.tool, "arguments": call.arguments} for call in program.calls.values()]
    played, _, texts = conversation(
        hotels, program, moves[0], says("There are some."), SERVED, moves[1], says("Booked."), SERVED
    )
    assert [turn.user for turn in played] == texts
    assert [turn.answer for turn in played] == ["There are some.", "Booked."]
    assert played[-1].diff == program.gold.diff


def test_what_the_user_answers_back_is_a_turn_of_the_same_request(hotels: InProcess, program: Program):
    back = {"message": "The cheapest will do.", "done": False}
    played, endpoint, texts = conversation(
        hotels, program, says("Which one?"), back, says("Fine."), SERVED, says("Done."), SERVED
    )
    assert [(turn.user, turn.request) for turn in played] == [
        (texts[0], 0), ("The cheapest will do.", 0), (texts[1], 1),
    ]  # fmt: skip
    assert "Assistant: Which one?" in endpoint.prompt(1)


def test_the_assistant_never_sees_gold_and_the_user_never_sees_tools(hotels: InProcess, program: Program):
    _, endpoint, _ = conversation(hotels, program, says("A."), SERVED, says("B."), SERVED)
    for number, body in enumerate(endpoint.asked):
        shown = endpoint.prompt(number)
        if "You play a person" in shown:
            assert "hotel_reservations" not in shown
        else:
            assert body["messages"][0]["content"].startswith("You help.")
            assert "H-" not in shown


def test_a_user_by_rules_answers_a_models_question(hotels: InProcess, program: Program):
    played, endpoint, texts = conversation(
        hotels, program, says("Here."), says("Which check in date?"), says("Thanks."), by_rules=True
    )
    assert [turn.request for turn in played] == [0, 1, 1]
    assert [turn.user for turn in played][:2] == texts
    assert played[2].user.startswith("Check in ")
    assert len(endpoint.asked) == 3


def test_an_assistant_that_comes_to_no_end_does_not_hold_up_the_next_request(hotels: InProcess, program: Program):
    search = {"tool": program.calls[0].tool, "arguments": program.calls[0].arguments}
    played, _, texts = conversation(hotels, program, *[search] * 8, says("Done."), SERVED)
    assert [turn.user for turn in played] == texts
    assert [len(turn.steps) for turn in played] == [8, 1]
    assert [turn.answer for turn in played] == ["", "Done."]
