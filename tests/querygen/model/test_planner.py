from __future__ import annotations

import random

import pytest

from envfactory.environment import InProcess
from envfactory.llm import AnswerError
from envfactory.querygen import RulePlanner
from envfactory.querygen.model import ModelPlanner
from tests.answering import voice
from tests.querygen.conftest import Grounding

TOOLS = ["search_hotels", "book_room", "cancel_reservation"]
LINKS = [(1, "hotel_id", 0, "hotels[].id"), (2, "reservation_id", 1, "id")]
COLOUR = {"about": "A nurse who likes trains.", "situation": "A weekend off.", "manner": "chatty"}
SPLIT = {**COLOUR, "begins": [1, 3]}


def test_a_plan_has_the_models_persona_and_turns(hotels: InProcess, grounding: Grounding):
    gold = grounding(TOOLS, LINKS)
    with voice(SPLIT) as (model, endpoint):
        plan = ModelPlanner(model, fewest=1, most=3, turns=4, fallback=None).plan(gold, hotels.specs, random.Random(0))
    assert plan.gold.turns == (2, 1)
    assert (plan.persona.manner, plan.persona.about) == ("chatty", "A nurse who likes trains.")
    shown = endpoint.prompt(0)
    assert "search_hotels" not in shown
    assert "hotel_id" not in shown
    assert "Uses what step 1 gave." in shown


@pytest.mark.parametrize(
    ("begins", "told"),
    [
        ([1, 4], "there are 3 steps"),
        ([1], "step 3 changes again"),
        ([1, 2], "step 3 changes again"),
        ([1, 2, 3], "makes 3 messages, expected at most 2"),
    ],
)
def test_a_wrong_division_is_told_and_repaired(hotels: InProcess, grounding: Grounding, begins: list[int], told: str):
    gold = grounding(TOOLS, LINKS)
    with voice({**COLOUR, "begins": begins}, SPLIT) as (model, endpoint):
        plan = ModelPlanner(model, fewest=1, most=3, turns=2, fallback=None).plan(gold, hotels.specs, random.Random(0))
        assert model.counts() == {"planner:answered": 1, "planner:repaired": 1}
    assert plan.gold.turns == (2, 1)
    assert told in endpoint.prompt(1)


def test_a_planner_that_stays_wrong_goes_by_rules_or_gives_up(hotels: InProcess, grounding: Grounding):
    gold, rules = grounding(TOOLS, LINKS), RulePlanner(1, 3, 4)
    with voice("no", "no", rounds=1) as (model, _):
        planned = ModelPlanner(model, fewest=1, most=3, turns=4, fallback=rules).plan(
            gold, hotels.specs, random.Random(7)
        )
        assert sum(planned.gold.turns) == 3
        assert model.counts() == {"planner:by_rules": 1, "planner:unanswered": 1}
        with pytest.raises(AnswerError, match="not JSON"):
            ModelPlanner(model, fewest=1, most=3, turns=4, fallback=None).plan(gold, hotels.specs, random.Random(7))
