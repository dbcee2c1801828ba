from __future__ import annotations

import random

import pytest

from envfactory.querygen import RuleWriter
from envfactory.querygen.model import ModelUser
from envfactory.querygen.model.user import known
from envfactory.querygen.program import Program
from envfactory.querygen.request import Request
from envfactory.querygen.task import Task
from envfactory.querygen.user import Utterance
from envfactory.trajectory import Persona
from tests.answering import voice
from tests.querygen.acting import LIMIT, grounded, told
from tests.querygen.conftest import Grounding, Programming

PERSONA = Persona(name="Ana Silva", manner="casual", about="A nurse.", situation="Her sister Inga visits in May.")
DONE = {"message": "Thanks.", "done": True}


@pytest.fixture
def program(grounding: Grounding, programming: Programming) -> Program:
    return programming(grounding(["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")], seed=3), 1, 1)


def texts(program: Program) -> list[str]:
    return [request.text for request in requests(program)]


def requests(program: Program) -> list[Request]:
    return RuleWriter().write(program, PERSONA, random.Random(1))


def person(model, program: Program) -> ModelUser:
    return ModelUser(model, program, requests(program), PERSONA, random.Random(1))


def test_the_user_makes_its_requests_and_ends_when_served(program: Program):
    first, second = texts(program)
    with voice(DONE, DONE) as (model, _):
        user = person(model, program)
        assert user.speak() == Utterance(first, 0, opens=True)
        assert user.speak("There are some.") == Utterance(second, 1, opens=True)
        assert user.outcome == "talking"
        assert user.speak("Booked.") is None
        assert user.outcome == "served"
        assert user.speak("Anything else?") is None


def test_a_user_who_is_not_served_answers_back_and_then_goes_on(program: Program):
    back = {"message": "The cheapest will do.", "done": False}
    with voice(back, back) as (model, endpoint):
        user = person(model, program)
        user.speak()
        assert user.speak("Which one?") == Utterance("The cheapest will do.", 0)
        assert user.speak("Which one?") == Utterance("The cheapest will do.", 0)
        assert user.speak("Which one?") == Utterance(texts(program)[1], 1, opens=True)
    assert len(endpoint.asked) == 2
    assert endpoint.prompt(1).endswith("You: The cheapest will do.\nAssistant: Which one?")


def test_the_user_knows_what_only_they_can_say_and_sees_nothing_of_the_interface(program: Program):
    facts = list(known(program, requests(program), 1))
    assert any(fact.startswith("check in: ") for fact in facts)
    assert not any("hotel" in fact for fact in facts)
    with voice(DONE, DONE) as (model, endpoint):
        user = person(model, program)
        user.speak()
        user.speak("There are some.")
        user.speak("From when?")
    assert all(fact in endpoint.prompt(1) for fact in facts)
    for number in range(2):
        shown = endpoint.prompt(number)
        assert not any(tool.name in shown for spec in program.specs.values() for tool in spec.tools)
        assert not any(row["id"] in shown for row in program.outputs[0]["hotels"])


def test_the_user_is_who_was_planned_and_knows_why_they_ask(program: Program):
    why = {"message": "My sister Inga visits.", "done": False}
    with voice(why, DONE) as (model, endpoint):
        user = person(model, program)
        user.speak()
        assert user.speak("Who is it for?") == Utterance("My sister Inga visits.", 0)
        user.speak("I see.")
    told = "You are Ana Silva: A nurse. You write in a casual manner. Why you ask: Her sister Inga visits in May."
    assert all(told in endpoint.prompt(number) for number in range(2))
    assert len(endpoint.asked) == 2  # Inga is nobody whom it cannot know


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("From 7 August.", "'7 August', which you cannot know"),
        ("Ask Peter Parker.", "'Peter Parker', which you cannot know"),
        ("It is R-1001.", "'R-1001', which only computers say"),
        ("My check_in is soon.", "'check_in', which only computers say"),
    ],
)
def test_what_it_cannot_know_is_sent_back(program: Program, message: str, told: str):
    with voice({"message": message, "done": False}, {"message": "Yes.", "done": False}) as (model, endpoint):
        user = person(model, program)
        user.speak()
        said = user.speak("Is it you?")
        assert said is not None
        assert said.text == "Yes."
    assert told in endpoint.prompt(1)


def test_a_user_whose_model_does_not_answer_lets_it_rest(program: Program):
    with voice("hm", rounds=1) as (model, _):
        user = person(model, program)
        user.speak()
        assert user.speak("Which one?") == Utterance(texts(program)[1], 1, opens=True)
        assert model.counts()["user:by_rules"] == 1


# -- what only they can do --------------------------------------------------------------------------------------------


def asked_to_act(model, task: Task) -> ModelUser:
    return ModelUser(model, task.program, task.requests, PERSONA, random.Random(1), task.session)


def test_where_the_assistant_plainly_says_what_to_do_it_is_done_without_a_model() -> None:
    with told(grounded(LIMIT), 2) as task, voice() as (model, endpoint):
        user = asked_to_act(model, task)
        user.speak()
        said = user.speak(task.requests[0].question)
        assert said is not None
        assert (said.text, said.turn, said.opens) == (task.requests[1].text, 1, True)
        assert [act.executed for act in said.acts] == [task.executed[0]]
        assert endpoint.asked == []


def test_else_the_model_says_whether_they_act_and_is_told_what_they_can_do() -> None:
    act = {"message": "Sure, one moment.", "done": False, "acts": True}
    with told(grounded(LIMIT), 2) as task, voice(act) as (model, endpoint):
        user = asked_to_act(model, task)
        user.speak()
        said = user.speak("Your banking app waits for a tap of yours.")
        assert said is not None
        assert said.text == task.requests[1].text
        assert [act.executed for act in said.acts] == [task.executed[0]]
        assert "What only you can do" in endpoint.prompt(0)
        assert "the banking app" in endpoint.prompt(0).split("The conversation:")[0]


def test_a_model_that_acts_without_being_told_is_sent_back() -> None:
    act = {"message": "I did it.", "done": False, "acts": True}
    wait = {"message": "I would like to wait.", "done": False, "acts": False}
    with told(grounded(LIMIT), 2) as task, voice(act, wait) as (model, endpoint):
        user = asked_to_act(model, task)
        user.speak()
        assert user.speak("Why do you want that?") == Utterance("I would like to wait.", 0)
        assert "only when the assistant tells you to" in endpoint.prompt(1)
        assert task.session.diff() == {}


def test_a_model_that_says_it_is_served_has_not_acted() -> None:
    served = {"message": "Thanks.", "done": True, "acts": False}
    with told(grounded(LIMIT), 2) as task, voice(served) as (model, _):
        user = asked_to_act(model, task)
        user.speak()
        assert user.speak("That cannot be done.") is None
        assert task.session.diff() == {}


def test_whoever_has_done_everything_is_asked_as_if_there_were_nothing() -> None:
    with told(grounded(LIMIT), 2) as task, voice(DONE) as (model, endpoint):
        user = asked_to_act(model, task)
        user.speak()
        user.speak(task.requests[0].question)
        assert user.speak("It is set.") is None
        assert "What only you can do" not in endpoint.prompt(0)
        assert "acts" not in str(endpoint.asked[0])
