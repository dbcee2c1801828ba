"""Trajectories on file are scored as they were played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envfactory.environment import Backend
from envfactory.gold import Gold, GoldCall
from envfactory.reward import PAPER, Rescorer, ScoreRow
from envfactory.trajectory import Candidate, Persona, PlayedCall, Step, Trajectory, Turn

BOOKING = {"hotel_id": "H-101", "room_kind": "single", "check_in": "2026-04-01", "check_out": "2026-04-03"}
CHANGE = {"check_in": "2026-06-01", "check_out": "2026-06-03"}


def conversation(task: Any, *calls: tuple[str, Any]) -> Candidate:
    """A conversation with a turn for each call."""
    turns: list[Turn] = []
    for count in range(1, len(calls) + 1):
        played, diff = task.play(*calls[:count])
        last = PlayedCall(**played[-1].model_dump())
        turns.append(Turn(user="Please.", steps=(Step(calls=(last,)), Step(text="Done.")), diff=diff))
    return Candidate(turns=tuple(turns), equivalent=True)


def trajectory(gold: Gold, *candidates: Candidate, chosen: int = 0) -> Trajectory:
    persona = Persona(name="Ada", manner="plain")
    about: dict[str, Any] = {"id": "t-1", "domains": ("travel",), "system": "", "tools": ()}
    return Trajectory(**about, persona=persona, gold=gold, candidates=candidates, chosen=chosen)


@pytest.fixture
def task(hotel: Callable[..., Any]) -> Any:
    return hotel(("book_room", BOOKING), ("change_dates", {"reservation_id": "$0.id", **CHANGE}))


def test_every_candidate_has_a_row(task: Any, hotel_backend: Backend):
    good = conversation(task, ("book_room", BOOKING), ("change_dates", {"reservation_id": "$0.id", **CHANGE}))
    half = conversation(task, ("book_room", BOOKING), ("list_reservations", {}))
    idle = Candidate(turns=(), equivalent=False)
    rows = Rescorer(hotel_backend).rows(trajectory(task.gold, half, good, idle, chosen=1))
    assert [(row.id, row.candidate, row.chosen) for row in rows] == [
        ("t-1", 0, False),
        ("t-1", 1, True),
        ("t-1", 2, False),
    ]
    assert [row.reward for row in rows] == [0, 1, 0]
    assert [row.matched for row in rows] == [1, 2, 0]
    assert [row.states for row in rows] == [{"hotel_reservations": equal} for equal in (False, True, False)]


def test_rows_are_what_scoring_in_the_session_gives(task: Any, hotel_backend: Backend):
    calls = (("book_room", BOOKING), ("get_hotel", '{"hotel_id": '), ("get_hotel", {"hotel_id": "H-9"}))
    (row,) = Rescorer(hotel_backend, PAPER).rows(trajectory(task.gold, conversation(task, *calls)))
    assert row.model_dump(exclude={"id", "candidate", "chosen"}) == task.score(*calls, settings=PAPER).model_dump()
    assert (row.refused, row.malformed) == (1, 1)


def test_a_trajectory_read_back_from_its_line_has_the_same_rows(task: Any, hotel_backend: Backend):
    line = trajectory(task.gold, conversation(task, ("book_room", BOOKING))).model_dump_json()
    rescorer = Rescorer(hotel_backend, references=1)
    rows = rescorer.rows(Trajectory.model_validate_json(line))
    assert rows == rescorer.rows(Trajectory.model_validate_json(line))
    assert [ScoreRow.model_validate_json(row.model_dump_json()) for row in rows] == rows


def test_more_references_than_are_kept_change_nothing(task: Any, hotel_backend: Backend):
    one = trajectory(task.gold, conversation(task, ("book_room", BOOKING)))
    reference = task.gold.reference.model_copy(update={"seed": 3})
    empty = trajectory(Gold(reference=reference, calls=()), Candidate(turns=(), equivalent=True))
    rescorer = Rescorer(hotel_backend, references=1)
    first = rescorer.rows(one)
    assert [row.reward for row in rescorer.rows(empty)] == [1]
    assert rescorer.rows(one) == first


def test_gold_that_no_longer_runs_is_named(task: Any, hotel_backend: Backend):
    call = GoldCall(tool="hotel_reservations-get_hotel", arguments={})
    stale = Gold(reference=task.gold.reference, calls=(call,))
    with pytest.raises(
        ValueError, match=r"trajectory 't-1': its gold no longer runs \(call 0: .*make the trajectories"
    ):
        Rescorer(hotel_backend).rows(trajectory(stale, Candidate(turns=(), equivalent=False)))
