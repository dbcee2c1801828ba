"""A program runs in any session of its reference: whole, without a call, or from the middle."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.catalogue import backend
from envfactory.environment import Reference, Session
from envfactory.gold import Const, Gold, GoldCall, Out, ReplayError, replay

NAME = "hotel_reservations"
BACKEND = backend([NAME])
REFERENCE = Reference(environments={NAME: ""}, seed=1)


def call(tool: str, **arguments: Any) -> GoldCall:
    found: dict[str, Any] = {n: v if isinstance(v, Out) else Const(value=v) for n, v in arguments.items()}
    return GoldCall(tool=f"{NAME}-{tool}", arguments=found)


def booking(month: int) -> GoldCall:
    days = {"check_in": f"2026-{month:02}-01", "check_out": f"2026-{month:02}-03"}
    return call("book_room", hotel_id="H-101", room_kind="single", **days)


CALLS = (
    booking(4),
    call("list_reservations"),
    booking(5),
    call("change_dates", reservation_id=Out(call=2, path="id"), check_in="2026-06-01", check_out="2026-06-04"),
    call("get_hotel", hotel_id=Out(call=3, path="hotel_id")),
)
GOLD = Gold(reference=REFERENCE, calls=CALLS)


def session() -> Session:
    return Session(BACKEND, REFERENCE)


def test_outputs_are_bound_to_later_arguments():
    with session() as opened:
        run = replay(GOLD, opened)
        assert run.diff == opened.diff()
    assert list(run.calls) == list(run.outputs) == [0, 1, 2, 3, 4]
    assert run.calls[3].arguments["reservation_id"] == run.outputs[2]["id"] == "RES-1002"
    assert run.calls[4].arguments == {"hotel_id": "H-101"}
    assert all(executed.ok and orjson.loads(executed.result) == run.outputs[i] for i, executed in run.calls.items())
    assert set(run.diff[NAME].tables["reservations"].created) == {"RES-1001", "RES-1002"}


def test_a_program_that_is_run_twice_does_the_same():
    with session() as one, session() as two:
        first, second = replay(GOLD, one), replay(GOLD, two)
        assert one.dump() == two.dump()
    assert first == second


def test_a_dropped_detour_renames_what_follows():
    with session() as opened:
        run = replay(GOLD, opened, drop={0, 1})
    assert list(run.calls) == [2, 3, 4]
    assert run.calls[3].arguments["reservation_id"] == "RES-1001"
    assert list(run.diff[NAME].tables["reservations"].created) == ["RES-1001"]


def test_dropping_what_a_later_call_needs_names_that_call():
    with (
        session() as opened,
        pytest.raises(ReplayError, match=r"call 3: .*change_dates.* call 2 did not run") as caught,
    ):
        replay(GOLD, opened, drop={2})
    assert caught.value.call == 3


def test_a_refused_call_is_named_with_the_reason():
    gold = Gold(reference=REFERENCE, calls=(call("list_reservations"), call("get_hotel", hotel_id="H-9")))
    with session() as opened, pytest.raises(ReplayError, match=r"call 1: .*get_hotel was refused: .*H-9") as caught:
        replay(gold, opened)
    assert caught.value.call == 1


def test_a_path_that_an_output_does_not_have_names_the_call():
    gold = Gold(
        reference=REFERENCE, calls=(call("list_reservations"), call("get_hotel", hotel_id=Out(call=0, path="x[0].id")))
    )
    with session() as opened, pytest.raises(ReplayError, match=r"call 1: .*nothing stands at 'x\[0\]\.id'"):
        replay(gold, opened)


def test_a_binding_to_a_later_call_does_not_run():
    gold = Gold(
        reference=REFERENCE, calls=(call("get_hotel", hotel_id=Out(call=1, path="id")), call("list_reservations"))
    )
    with session() as opened, pytest.raises(ReplayError, match=r"call 0: .*call 1 did not run"):
        replay(gold, opened)


@pytest.mark.parametrize("start", range(len(CALLS) + 1))
def test_a_run_from_the_middle_ends_where_the_whole_one_does(start: int):
    with session() as opened:
        whole = replay(GOLD, opened, keep_snapshots=True)
        end = opened.dump()
        assert len(whole.snapshots) == len(CALLS) + 1
        opened.restore(whole.snapshots[start])
        run = replay(GOLD, opened, start=start, outputs=whole.outputs)
        assert opened.dump() == end
    assert run.calls == {index: executed for index, executed in whole.calls.items() if index >= start}
    assert run.diff == whole.diff


def test_a_run_from_the_middle_leaves_the_outputs_it_was_given_alone():
    with session() as opened:
        first = replay(GOLD, opened, stop=3)
        given = dict(first.outputs)
        replay(GOLD, opened, start=3, outputs=first.outputs)
    assert first.outputs == given
    assert list(first.calls) == [0, 1, 2]


@settings(deadline=None, max_examples=40)
@given(st.sets(st.integers(0, len(CALLS) - 1)), st.integers(0, len(CALLS)))
def test_dropping_from_a_snapshot_equals_dropping_from_the_start(drop: set[int], start: int):
    late = {index for index in drop if index >= start}
    if 2 in late and 3 not in late:
        late.add(3)
    if 3 in late:
        late.add(4)
    with session() as one, session() as two:
        whole = replay(GOLD, one, keep_snapshots=True)
        one.restore(whole.snapshots[start])
        known = {index: value for index, value in whole.outputs.items() if index < start}
        from_snapshot = replay(GOLD, one, start=start, drop=late, outputs=known)
        from_start = replay(GOLD, two, drop=late)
        assert one.dump() == two.dump()
    assert from_snapshot.diff == from_start.diff
    assert from_snapshot.outputs == from_start.outputs
