from __future__ import annotations

import pytest

from envfactory.environment import InProcess, Session
from envfactory.gold import Const, FromUser, GoldCall, Out, replay
from envfactory.gold.program import Gold
from envfactory.querygen.model.binding import Results, bound
from tests.querygen.conftest import Grounding, Programming

CHAIN = (["search_hotels", "book_room", "get_reservation"],
         [(1, "hotel_id", 0, "hotels[].id"), (2, "reservation_id", 1, "id")])  # fmt: skip


def traced(program, heard: list[str]) -> list[GoldCall]:
    results = Results()
    found = []
    for index, call in program.calls.items():
        found.append(bound(program.tool(index), call.arguments, results, heard, program.gold.reference.now))
        results.add(index, program.tool(index), program.outputs[index])
    return found


def test_ids_are_traced_to_the_first_result_that_gave_them(grounding: Grounding, programming: Programming):
    program = programming(grounding(*CHAIN), 3)
    book, look = traced(program, [""])[1:]
    golden = program.gold.calls[1].arguments["hotel_id"]
    assert isinstance(golden, Out)
    assert book.arguments["hotel_id"] == Out(call=0, path=golden.path)
    assert look.arguments["reservation_id"] == Out(call=1, path="id")


def test_what_was_said_is_the_users_from_the_turn_in_which_it_was_said(grounding: Grounding, programming: Programming):
    program = programming(grounding(*CHAIN), 3)
    city = program.calls[0].arguments["city"]
    kind = program.calls[1].arguments["room_kind"]
    search, book, _ = traced(program, ["Hello.", f"Hotels in {city.upper()}?"])
    assert search.arguments["city"] == FromUser(value=city, turn=1)
    assert book.arguments["room_kind"] == Const(value=kind) or isinstance(book.arguments["room_kind"], Out)


@pytest.mark.parametrize("seed", range(8))
def test_a_traced_program_replays_to_the_same_state(
    hotels: InProcess, grounding: Grounding, programming: Programming, seed: int
):
    gold = grounding(*CHAIN, seed=seed)
    program = programming(gold, 3)
    again = Gold(reference=gold.reference, calls=tuple(traced(program, ["nothing said"])))
    with Session(hotels, gold.reference) as session:
        assert replay(again, session).diff == gold.diff
