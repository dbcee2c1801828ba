from __future__ import annotations

import random

import pytest

from envfactory.llm import AnswerError
from envfactory.querygen import RuleWriter
from envfactory.querygen.model import ModelWriter
from envfactory.querygen.program import Program
from envfactory.trajectory import Persona
from tests.answering import voice
from tests.querygen.conftest import Grounding, Programming

PERSONA = Persona(name="Ana Silva", manner="plain", situation="A weekend off.")


@pytest.fixture
def program(grounding: Grounding, programming: Programming) -> Program:
    return programming(grounding(["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")], seed=3), 1, 1)


def drafts(program: Program) -> list[str]:
    return [request.text for request in RuleWriter().write(program, PERSONA, random.Random(5))]


def answer(text: str) -> dict[str, object]:
    return {"goals": ["something"], "request": text}


def test_a_message_that_says_all_of_the_draft_is_taken(program: Program):
    texts = [f"Well. {draft}" for draft in drafts(program)]
    with voice(*map(answer, texts)) as (model, endpoint):
        requests = ModelWriter(model, RuleWriter(), fallback=False).write(program, PERSONA, random.Random(5))
    assert [request.text for request in requests] == texts
    assert drafts(program)[1] in endpoint.prompt(1)
    assert texts[0] in endpoint.prompt(1)  # it knows what was said before
    assert "hotel_reservations" not in endpoint.prompt(0)
    assert "H-" not in endpoint.prompt(1)


def test_what_a_message_leaves_out_is_told_and_repaired(program: Program):
    first, second = drafts(program)
    with voice(answer("Find me something nice."), answer(first), answer(second)) as (model, endpoint):
        requests = ModelWriter(model, RuleWriter(), fallback=False).write(program, PERSONA, random.Random(5))
        assert model.counts() == {"writer:answered": 2, "writer:repaired": 1}
    assert requests[0].text == first
    assert "the message does not say" in endpoint.prompt(1)


def test_a_leaked_id_is_told(program: Program):
    first, second = drafts(program)
    with voice(answer(f"{first} It is H-1001."), answer(first), answer(second)) as (model, endpoint):
        ModelWriter(model, RuleWriter(), fallback=False).write(program, PERSONA, random.Random(5))
    assert "'H-1001', which only computers say" in endpoint.prompt(1)


def test_where_the_model_stays_wrong_the_draft_stands_or_the_chain_is_dropped(program: Program):
    first, second = drafts(program)
    with voice("?", answer(second), rounds=1) as (model, _):
        requests = ModelWriter(model, RuleWriter(), fallback=True).write(program, PERSONA, random.Random(5))
        assert model.counts()["writer:by_rules"] == 1
    assert [request.text for request in requests] == [first, second]
    with voice("?", rounds=1) as (model, _), pytest.raises(AnswerError):
        ModelWriter(model, RuleWriter(), fallback=False).write(program, PERSONA, random.Random(5))
