from __future__ import annotations

import random

import pytest

from envfactory.environment import InProcess
from envfactory.querygen import RuleWriter
from envfactory.querygen.model import ModelRefiner, ModelWriter
from envfactory.querygen.program import Program
from envfactory.querygen.refine import RefinementSettings, RuleRefiner, Strength
from envfactory.querygen.request import Request
from envfactory.trajectory import Persona
from tests.answering import voice
from tests.querygen.conftest import Grounding, Programming

PERSONA = Persona(name="Ana Silva", manner="plain")
NEVER, ALWAYS = Strength(enabled=False, probability=0), Strength(probability=1)
SETTINGS = RefinementSettings(
    implicit_reference=ALWAYS, action_compression=NEVER, ambiguity=NEVER, goal_expansion=NEVER
)


@pytest.fixture
def program(grounding: Grounding, programming: Programming) -> Program:
    tools = ["search_hotels", "get_hotel", "check_availability"]
    links = [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 0, "hotels[].id")]
    return programming(grounding(tools, links, seed=3), 1, 1, 1)


def ruled(hotels: InProcess, program: Program, requests: list[Request]):
    return RuleRefiner(hotels, SETTINGS).refine(program, requests, PERSONA, random.Random(2))


def drafts(program: Program) -> list[Request]:
    return RuleWriter().write(program, PERSONA, random.Random(5))


def refined(hotels: InProcess, program: Program, requests: list[Request], *said: object, **options: bool):
    with voice(*said, rounds=2) as (model, endpoint):
        writer = ModelWriter(model, RuleWriter(), fallback=True) if options.get("by_writer") else None
        found = ModelRefiner(model, RuleRefiner(hotels, SETTINGS), writer).refine(
            program, requests, PERSONA, random.Random(2)
        )
        return found, endpoint, model.counts()


def test_a_refined_request_gets_the_models_words_and_the_change_tells_them(hotels: InProcess, program: Program):
    requests = drafts(program)
    rules = ruled(hotels, program, requests)
    assert len(rules.changes) == 2
    words = [f"{rules.requests[change.turn].text} Thank you!" for change in rules.changes]
    found, endpoint, _ = refined(hotels, program, requests, *({"request": text} for text in words))
    assert [found.requests[change.turn].text for change in rules.changes] == words
    assert [change.after for change in found.changes] == words
    assert [change.before for change in found.changes] == [requests[change.turn].text for change in rules.changes]
    assert rules.requests[rules.changes[0].turn].text in endpoint.prompt(0)


def test_words_that_are_not_solvable_are_told_and_then_the_rules_stand(hotels: InProcess, program: Program):
    requests = drafts(program)
    rules = ruled(hotels, program, requests)
    bad = {"request": "Do the thing with the place on 9 August."}
    found, endpoint, counts = refined(hotels, program, requests, *[bad] * 4)
    assert [request.text for request in found.requests] == [request.text for request in rules.requests]
    assert counts == {"refiner:by_rules": 2, "refiner:unanswered": 2}
    assert "'9 August', which the draft does not" in endpoint.prompt(1)


def test_requests_that_no_rule_changes_keep_the_words_that_they_had(hotels: InProcess, program: Program):
    requests = drafts(program)
    requests[0] = Request(f"Hm. {requests[0].text}", requests[0].asked, draft=requests[0].draft)
    rules = ruled(hotels, program, requests)
    answers = [{"request": rules.requests[change.turn].text} for change in rules.changes]
    found, _, _ = refined(hotels, program, requests, *answers)
    assert found.requests[0].text == requests[0].text


def test_the_writer_can_word_refinements_too(hotels: InProcess, program: Program):
    requests = drafts(program)
    rules = ruled(hotels, program, requests)
    words = [f"{rules.requests[change.turn].text} Thanks!" for change in rules.changes]
    answers = [{"goals": ["x"], "request": text} for text in words]
    found, _, counts = refined(hotels, program, requests, *answers, by_writer=True)
    assert [found.requests[change.turn].text for change in rules.changes] == words
    assert counts == {"writer:answered": 2}
