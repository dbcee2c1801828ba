"""Each value must stand where the words say what it is for; exchanged with another of its kind it does not."""

from __future__ import annotations

import pytest

from envfactory.catalogue import backend
from envfactory.environment import Reference
from envfactory.gold import Binding, FromUser, Gold, GoldCall, Out
from envfactory.querygen.placing import arguments_said, misplaced
from envfactory.querygen.program import Program
from envfactory.querygen.reading import Exchange, Reading
from envfactory.querygen.wording import say
from tests.grounded import replayed

TRAINS, BANK = "rail_tickets", "retail_banking"


def program(environment: str, *calls: tuple[str, dict[str, Binding]]) -> Program:
    """A program of one turn, in a world whose clock and records are the same each time."""
    reference = Reference(environments={environment: ""}, seed=4)
    golds = tuple(GoldCall(tool=f"{environment}-{tool}", arguments=arguments) for tool, arguments in calls)
    return replayed(backend([environment]), Gold(reference=reference, calls=golds, turns=(len(golds),)))


def search(origin: str, destination: str, day: str = "2026-03-20") -> tuple[str, dict[str, Binding]]:
    values = {"origin": origin, "destination": destination, "day": day}
    return "search_trains", {name: FromUser(value=value) for name, value in values.items()}


def found(program: Program, text: str) -> list[str]:
    calls = range(len(program.gold.calls))
    return list(misplaced(program, Reading(program, Exchange((text,), calls, range(0), frozenset(), frozenset()))))


@pytest.fixture(scope="module")
def lyon_to_porto() -> Program:
    return program(TRAINS, search("Lyon", "Porto"))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Find me trains from Lyon to Porto on 20 March.", True),
        ("Find me trains from Porto to Lyon on 20 March.", False),
        ("I need to get from Lyon to Porto.", True),
        ("I need to get from Porto to Lyon.", False),
        ("I want to go to Porto on 20 March, from Lyon.", True),
        ("I want to go to Lyon on 20 March, from Porto.", False),
        ("I live in Lyon and want to see Porto.", True),  # nothing tells which is which
        ("Trains to Porto, please. I start in Lyon.", True),
        ("From Porto there is a train to Lyon, I heard. I want one from Lyon to Porto.", True),
    ],
)
def test_two_cities_are_told_apart_by_the_word_before_them(lyon_to_porto: Program, text: str, right: bool) -> None:
    assert found(lyon_to_porto, text) == (
        [] if right else ["rail_tickets-search_trains.origin", "rail_tickets-search_trains.destination"]
    )


def test_of_two_calls_of_one_tool_each_has_its_own_values() -> None:
    both = program(TRAINS, search("Lyon", "Porto"), search("Rome", "Paris", "2026-03-27"))
    assert not found(both, "Find trains from Lyon to Porto on 20 March, and from Rome to Paris on 27 March.")
    assert not found(both, "Find trains from Rome to Paris on 27 March and from Lyon to Porto on 20 March.")
    assert set(found(both, "Find trains from Lyon to Paris on 20 March, and from Rome to Porto on 27 March."))
    assert set(found(both, "Find trains from Lyon to Porto on 27 March, and from Rome to Paris on 20 March."))


def test_things_said_one_of_each_in_turn_are_not_exchanged() -> None:
    both = program(TRAINS, search("Lyon", "Porto"), search("Rome", "Porto", "2026-03-27"))
    assert not found(both, "Find trains to Porto from Lyon and Rome on 20 March and 27 March.")
    assert found(both, "Find trains to Porto from Lyon and Rome on 27 March and 20 March.")


def test_what_two_calls_share_is_in_the_right_place_for_both() -> None:
    there_and_back = program(TRAINS, search("Lyon", "Porto"), search("Porto", "Lyon", "2026-03-27"))
    assert not found(there_and_back, "Trains from Lyon to Porto on 20 March, and from Porto to Lyon on 27 March.")


def test_two_accounts_are_told_apart() -> None:
    out = {name: Out(call=0, path=f"accounts[{place}].id") for name, place in (("from", 0), ("to", 1))}
    values: dict[str, Binding] = {
        "from_account_id": out["from"], "to_account_id": out["to"], "amount": FromUser(value=20),
    }  # fmt: skip
    moving = program(BANK, ("list_accounts", {}), ("move_money", values))
    one, other = (moving.names.of(bound.entity, bound.key, 1) for bound in moving.records[1])
    assert one
    assert other
    assert not found(moving, f"List my accounts. Move $20 from {one} to {other}.")
    assert found(moving, f"List my accounts. Move $20 from {other} to {one}.")
    assert not found(moving, f"List my accounts. Put $20 into {other}, from {one}.")


def test_a_name_within_a_name_stands_where_the_longer_one_does() -> None:
    """ "There" takes up the hotel of the stay; its name is not said beside the dates of the prices."""
    dates = [{"check_in": FromUser(value=f"2026-04-{day}"), "check_out": FromUser(value=f"2026-04-{day + 3}")}
             for day in (13, 20)]  # fmt: skip
    stay: Binding = Out(call=0, path="reservations[0].id")
    hotel: Binding = Out(call=0, path="reservations[0].hotel_id")
    calls: list[tuple[str, dict[str, Binding]]] = [
        ("list_reservations", {"status": FromUser(value="confirmed")}),
        ("change_dates", {"reservation_id": stay, **dates[0]}),
        ("check_availability", {"hotel_id": hotel, **dates[1]}),
    ]
    changing = program("hotel_reservations", *calls)
    name = changing.names.of("Reservation", changing.records[1][0].key, 1)
    text = f"My confirmed stays? Move {name} so that it runs from 13 April to 16 April."
    assert not found(changing, f"{text} Get me the prices there for 20 April to 23 April.")
    text = f"My confirmed stays? Move {name} so that it runs from 20 April to 23 April."
    assert found(changing, f"{text} Get me the prices there for 13 April to 16 April.")


def test_what_cannot_be_taken_for_each_other_may_stand_anywhere() -> None:
    """A city in the place of a date asks for nothing else."""
    trip = program(TRAINS, search("Lyon", "Porto"))
    now = trip.gold.reference.now
    day = say("2026-03-20", trip.tool(0).input_by_path["day"], now)
    assert not found(trip, f"From Lyon to Porto; {day}, that is.")
    kinds = {value.path: value.kind for value in arguments_said(trip, _reading(trip, f"Lyon to Porto on {day}"), 0)}
    assert kinds["origin"] == kinds["destination"] != kinds["day"]


def _reading(program: Program, text: str) -> Reading:
    return Reading(program, Exchange((text,), range(len(program.gold.calls)), range(0), frozenset(), frozenset()))
