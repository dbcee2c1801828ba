from __future__ import annotations

import random

import pytest

from envfactory.environment import InProcess, Session
from envfactory.querygen import RuleWriter
from envfactory.querygen.model import ModelAssistant, ModelUser
from envfactory.querygen.model.assistant import REPLY
from envfactory.querygen.model.play import known, play
from envfactory.querygen.program import Program
from envfactory.trajectory import Persona
from tests.querygen.conftest import Grounding, Programming
from tests.answering import voice

PERSONA = Persona(name="Ana Silva", manner="plain")


@pytest.fixture
def program(grounding: Grounding, programming: Programming) -> Program:
    return programming(grounding(["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")], seed=3), 1, 1)


def says(text: str) -> dict[str, object]:
    return {"tool": REPLY, "arguments": {"message": text}}


def conversation(hotels: InProcess, program: Program, *messages: object, user: bool = True):
    requests = RuleWriter().write(program, PERSONA, random.Random(1))
    with voice(*messages) as (model, endpoint), Session(hotels, program.gold.reference) as session:
        talk = ModelAssistant(model, "schema").conversation(session, "You help.")
        person = ModelUser(model) if user else None
        played = play(talk, person, program, requests, PERSONA, session, random.Random(1))
        return played, endpoint, [request.text for request in requests]


def test_gold_played_by_a_model_reaches_golds_state(hotels: InProcess, program: Program):
    moves = [{"tool": call.tool, "arguments": call.arguments} for call in program.calls.values()]
    served = {"message": "Thanks.", "done": True}
    played, _, texts = conversation(
        hotels, program, moves[0], says("There are some."), served, moves[1], says("Booked."), served
    )
    assert [turn.user for turn in played] == texts
    assert [turn.answer for turn in played] == ["There are some.", "Booked."]
    assert played[-1].diff == program.gold.diff


def test_a_user_who_is_not_served_answers_once_and_then_goes_on(hotels: InProcess, program: Program):
    back = {"message": "The cheapest will do.", "done": False}
    played, endpoint, texts = conversation(
        hotels, program, says("Which one?"), back, says("Fine."), says("Done."), {"message": "Bye.", "done": True}
    )
    assert [(turn.user, turn.request) for turn in played] == [
        (texts[0], 0), ("The cheapest will do.", 0), (texts[1], 1),
    ]  # fmt: skip
    assert "Assistant: Which one?" in endpoint.prompt(1)


def test_the_assistant_never_sees_gold_and_the_user_never_sees_tools(hotels: InProcess, program: Program):
    _, endpoint, _ = conversation(
        hotels, program, says("A."), {"message": "Ok.", "done": True}, says("B."), "no", "no", "no"
    )
    for number, body in enumerate(endpoint.asked):
        shown = endpoint.prompt(number)
        if "You play a person" in shown:
            assert "hotel_reservations" not in shown
        else:
            assert body["messages"][0]["content"].startswith("You help.")
            assert "H-" not in shown


def test_what_the_user_knows_is_what_only_they_can_say(program: Program):
    facts = list(known(program, 1))
    assert any(fact.startswith("check in: ") for fact in facts)
    assert not any("hotel" in fact for fact in facts)


def test_without_a_user_each_request_is_one_turn(hotels: InProcess, program: Program):
    played, endpoint, texts = conversation(hotels, program, says("A?"), says("B?"), user=False)
    assert [turn.user for turn in played] == texts
    assert len(endpoint.asked) == 2
