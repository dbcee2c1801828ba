"""Rows made ready: where a turn begins, and what changed since."""

from __future__ import annotations

import orjson
import pytest

from envfactory.environment import InProcess, Reference, Session
from envfactory.environment.worker import Worker
from envfactory.gold import Const, replay
from envfactory.training.task import Tasks, make_task, open_backend
from tests.dataset.support import booking, call, hotels
from tests.training.support import rows_of


def test_a_task_knows_the_state_in_which_its_turn_begins() -> None:
    trajectory = booking()
    first, second = (make_task(hotels(), row) for row in rows_of(trajectory))
    assert first.bases == first.opening
    with Session(hotels(), trajectory.gold.reference) as session:
        replay(second.before, session)
        assert second.bases == {name: orjson.loads(document) for name, document in session.dump().items()}
    assert [made.tool for made in second.gold_calls] == [made.tool for made in trajectory.gold.calls[3:]]
    assert all(made.ok for made in second.gold_calls)


def test_changes_are_told_from_the_beginning_of_the_turn() -> None:
    # Turn 0 books and turn 1 cancels, so that a record is created before the turn and changed in it.
    row = rows_of(booking())[1]
    split = row.model_copy(update={"before": (*row.before, row.gold[0]), "gold": row.gold[1:]})
    task = make_task(hotels(), split)
    with Session(hotels(), row.reference) as session:
        run = replay(task.before, session)
        begun = Reference(
            environments=row.reference.environments,
            states={name: document.decode() for name, document in session.dump().items()},
        )
        arguments = {"reservation_id": run.outputs[3]["id"]}
        session.call("hotel_reservations-cancel_reservation", arguments)
        found = task.changes(session.diff())
    with Session(hotels(), begun) as session:
        session.call("hotel_reservations-cancel_reservation", arguments)
        assert found == session.diff()
    assert found == task.gold_diff
    assert list(found["hotel_reservations"].tables["reservations"].changed) == ["RES-1001"]


def test_nothing_changed_in_a_turn_that_nothing_was_done_in() -> None:
    task = make_task(hotels(), rows_of(booking())[1])
    with Session(hotels(), task.row.reference) as session:
        assert task.changes(replay(task.before, session).diff) == {}


def test_what_was_undone_is_a_change() -> None:
    row = rows_of(booking())[1]
    task = make_task(hotels(), row.model_copy(update={"before": (*row.before, row.gold[0]), "gold": ()}))
    (undone,) = task.changes({}).values()
    assert undone.tables["reservations"].deleted == ("RES-1001",)


def test_a_task_is_made_once_and_anew_for_another_row_of_the_same_name() -> None:
    tasks = Tasks(hotels(), keep=1)
    first, second = rows_of(booking())
    made = tasks.of(first)
    assert tasks.of(first) is made
    other = first.model_copy(update={"gold": first.gold[:1]})
    assert len(tasks.of(other).gold.calls) == 1
    tasks.of(second)
    assert tasks.of(first) is not made


def test_a_row_whose_gold_does_not_run_is_told_by_name() -> None:
    row = rows_of(booking())[0]
    stale = row.model_copy(update={"gold": (call("get_hotel", hotel_id=Const(value="H-0")),)})
    with pytest.raises(ValueError, match=r"row t-0001/0: its gold no longer runs .*make the file anew"):
        make_task(hotels(), stale)


def test_tools_that_are_not_offered_are_known() -> None:
    row = rows_of(booking())[0]
    assert make_task(hotels(), row).hidden == frozenset()
    fewer = orjson.dumps(orjson.loads(row.tools)[1:]).decode()
    assert make_task(hotels(), row.model_copy(update={"tools": fewer})).hidden == {"hotel_reservations-search_hotels"}


def test_a_backend_runs_here_or_in_a_worker_with_a_limit_a_call() -> None:
    names = ("hotel_reservations",)
    assert isinstance(open_backend(names, "in_process", 1.0), InProcess)
    row = rows_of(booking())[1]
    with open_backend(names, "worker", 5.0) as worker:  # pyright: ignore[reportGeneralTypeIssues]
        assert isinstance(worker, Worker)
        assert make_task(worker, row).gold_diff == make_task(hotels(), row).gold_diff
    with pytest.raises(KeyError, match="moon_base"):
        open_backend(("moon_base",), "worker", 1.0)
