"""The planner's initial state: records that are added to a scenario, loaded, and in nobody's way."""

from __future__ import annotations

import random
from typing import Any

import pytest

from envfactory.catalogue import digests
from envfactory.dataset.trajectory_check import TrajectoryCheck
from envfactory.environment import InProcess, Session
from envfactory.gold import FromUser, Gold, Out, Pick, replay
from envfactory.llm import AnswerError
from envfactory.querygen import RulePlanner, RuleWriter, Synthesizer
from envfactory.querygen.model import ModelInitialState, ModelPlanner
from envfactory.querygen.model.record_schema import answer_of
from envfactory.trajectory import Persona
from tests.answering import voice
from tests.querygen.conftest import HOTELS, Grounding

ANA = Persona(name="Ana Silva", manner="plain", about="A nurse.", situation="A weekend off.")
LINKS = [(1, "hotel_id", 0, "hotels[].id")]
HOTEL: dict[str, Any] = {
    "name": "Willow Guesthouse",
    "city": "Tartu",
    "address": "3 Mill Lane",
    "stars": 3,
    "rating": 8.1,
    "amenities": ["wifi"],
    "rooms": [{"kind": "single", "rooms": 2, "nightly_rate": 55.0}],
    "from_rate": 55.0,
}


@pytest.fixture(scope="module")
def gold(grounding: Grounding) -> Gold:
    """A search in a city, for nothing else, and a booking of its most expensive hotel."""
    drawn = (grounding(["search_hotels", "book_room"], LINKS, seed=seed) for seed in range(200))
    return next(gold for gold in drawn if gold.calls[0].arguments.keys() == {"city"} and _dearest(gold))


def _dearest(gold: Gold) -> bool:
    hotel = gold.calls[1].arguments["hotel_id"]
    return isinstance(hotel, Out) and hotel.pick == Pick(by="high", field="from_rate")


def records(*changes: dict[str, Any]) -> dict[str, Any]:
    return {"records": [{**HOTEL, **change} for change in changes]}


def test_records_are_in_the_world_and_the_program_is_the_same(hotels: InProcess, gold: Gold) -> None:
    with voice(records({}, {"name": "Cedar House"})) as (model, endpoint):
        richer = ModelInitialState(model, hotels, 2, fallback=False).enriched(gold, ANA, random.Random(1))
        assert model.counts() == {"initial_state:answered": 1}
    assert richer.model_copy(update={"reference": gold.reference}) == gold
    with Session(hotels, gold.reference) as before, Session(hotels, richer.reference) as after:
        old, new = before.documents()[HOTELS], after.documents()[HOTELS]
        added = {key: row for key, row in new["hotels"].items() if key not in old["hotels"]}
        assert [row["name"] for row in added.values()] == ["Willow Guesthouse", "Cedar House"]
        assert all(key == row["id"] for key, row in added.items())
        assert {**new, "hotels": {key: new["hotels"][key] for key in old["hotels"]}} == old
        assert replay(richer, after).diff == replay(gold, before).diff == gold.diff
    shown = endpoint.prompt(0)
    assert "A nurse. A weekend off." in shown
    assert "stars: integer. Stars, 1 to 5." in shown
    assert "search_hotels" not in shown


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"stars": 9}, "less than or equal to 5"),
        ({"stars": "three"}, "stars"),
        ({"owner": "me"}, "owner"),
        ({"city": "", "from_rate": 990.0}, "nobody can tell any more which one step 2 means (high from_rate)"),
    ],
)
def test_what_cannot_be_is_told_and_repaired(hotels: InProcess, gold: Gold, change: dict[str, Any], told: str) -> None:
    city = gold.calls[0].arguments["city"]
    if "city" in change and isinstance(city, FromUser):
        change = {**change, "city": city.value}
    with voice(records(change), records({})) as (model, endpoint):
        richer = ModelInitialState(model, hotels, 2, fallback=False).enriched(gold, ANA, random.Random(1))
        assert model.counts() == {"initial_state:answered": 1, "initial_state:repaired": 1}
    assert richer.reference.states.keys() == {HOTELS}
    assert told in endpoint.prompt(1)


def test_a_record_that_takes_the_place_of_another_is_told(hotels: InProcess, grounding: Grounding) -> None:
    reading = grounding(["list_reservations", "get_reservation"], [(1, "reservation_id", 0, "reservations[].id")])
    with Session(hotels, reading.reference) as session:
        state = session.documents()[HOTELS]
        guest = state["guest_id"]
        row = next(row for row in state["reservations"].values() if row["guest_id"] == guest)
    booking = {name: value for name, value in row.items() if name not in ("id", "request")}
    strange = {**booking, "hotel_id": "H-999"}
    other = {**booking, "guest_id": next(key for key in state["guests"] if key != guest)}
    with voice({"records": [{**strange, "request": None}]}, {"records": [{**other, "request": None}]}) as (
        model,
        asked,
    ):
        richer = ModelInitialState(model, hotels, 1, fallback=False).enriched(reading, ANA, random.Random(1))
    assert "H-999" in asked.prompt(1)
    assert "there is no such Hotel" in asked.prompt(1)
    assert richer.reference.states


def test_a_state_that_stays_wrong_is_not_used(hotels: InProcess, gold: Gold) -> None:
    with voice(*[records({"stars": 9})] * 2, rounds=1) as (model, _):
        stays = ModelInitialState(model, hotels, 2, fallback=True).enriched(gold, ANA, random.Random(1))
        assert stays == gold
        assert model.counts() == {"initial_state:by_rules": 1, "initial_state:unanswered": 1}
        with pytest.raises(AnswerError, match="less than or equal to 5"):
            ModelInitialState(model, hotels, 2, fallback=False).enriched(gold, ANA, random.Random(1))


def test_steps_that_look_through_nothing_leave_the_world_as_it_is(hotels: InProcess, gold: Gold) -> None:
    blind = gold.model_copy(update={"calls": (), "diff": {}})
    with voice() as (model, endpoint):
        assert ModelInitialState(model, hotels, 2, fallback=False).enriched(blind, ANA, random.Random(1)) == blind
        assert endpoint.asked == []


def test_a_trajectory_in_a_richer_world_holds_when_it_is_replayed(hotels: InProcess, gold: Gold) -> None:
    known = gold.reference.model_copy(update={"environments": dict(digests((HOTELS,)))})
    gold = gold.model_copy(update={"reference": known})
    plan = {"about": "A nurse.", "situation": "A weekend off.", "manner": "plain", "begins": [1, 2]}
    with voice(plan, records({})) as (model, _):
        state = ModelInitialState(model, hotels, 1, fallback=False)
        planner = ModelPlanner(model, fewest=1, most=3, turns=3, fallback=RulePlanner(1, 3, 3), initial_state=state)
        made = Synthesizer(hotels, planner, RuleWriter(), 3).synthesize(gold, random.Random(2))
    assert made.gold.reference.states.keys() == {HOTELS}
    assert list(TrajectoryCheck(None).problems(made, 0)) == []


def test_every_table_has_a_form_that_its_own_records_fit(hotels: InProcess, gold: Gold) -> None:
    with Session(hotels, gold.reference) as session:
        state = session.documents()[HOTELS]
    for table in hotels.specs[HOTELS].tables:
        form = answer_of(table, 100)
        rows = [{name: value for name, value in row.items() if name != "id"} for row in state[table.name].values()]
        assert form.model_validate({"records": rows}).model_dump(exclude_none=True)["records"] == rows
