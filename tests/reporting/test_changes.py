"""What a turn changed, told from two diffs against the first state."""

from __future__ import annotations

import orjson

from envfactory.environment import Session, StateDiff, TableDiff
from envfactory.reporting.changes import turn_changes
from tests.dataset.support import booking, hotels


def diff(**tables: TableDiff) -> dict[str, StateDiff]:
    return {"shop": StateDiff(tables=tables)}


def changes(before, after, base=None):
    return [
        (change["table"], change["id"], change["kind"], change["fields"])
        for change in turn_changes(before, after, {"shop": base} if base else {})
    ]


def test_a_record_is_created_changed_and_deleted() -> None:
    one = diff(orders=TableDiff(created={"O-2": {"id": "O-2", "status": "open"}}))
    two = diff(orders=TableDiff(created={"O-2": {"id": "O-2", "status": "paid"}}))
    assert changes({}, one) == [("orders", "O-2", "created", [["id", None, "O-2"], ["status", None, "open"]])]
    assert changes(one, two) == [("orders", "O-2", "changed", [["status", "open", "paid"]])]
    assert changes(two, diff()) == [("orders", "O-2", "deleted", [])]


def test_an_old_record_shows_what_it_was() -> None:
    base = {"orders": {"O-1": {"id": "O-1", "status": "open", "note": "fragile"}}}
    one = diff(orders=TableDiff(changed={"O-1": {"status": "paid", "note": None}}))
    assert changes({}, one, base) == [
        ("orders", "O-1", "changed", [["status", "open", "paid"], ["note", "fragile", None]]),
    ]
    assert changes({}, one) == [("orders", "O-1", "changed", [["status", None, "paid"]])]
    back = diff()
    assert changes(one, back, base) == [
        ("orders", "O-1", "changed", [["status", "paid", "open"], ["note", None, "fragile"]]),
    ]


def test_what_a_turn_before_it_did_is_not_told_again() -> None:
    base = {"orders": {"O-1": {"id": "O-1", "status": "open"}}}
    one = diff(orders=TableDiff(changed={"O-1": {"status": "paid"}}))
    assert changes(one, one, base) == []
    put_back = diff(orders=TableDiff(created={"O-1": {"id": "O-1", "status": "new"}}, deleted=("O-1",)))
    assert changes({}, put_back, base) == [("orders", "O-1", "changed", [["status", "open", "new"]])]
    gone = diff(orders=TableDiff(deleted=("O-1",)))
    assert changes(gone, {"shop": StateDiff()}, base) == [
        ("orders", "O-1", "created", [["id", None, "O-1"], ["status", None, "open"]]),
    ]
    assert changes(one, gone, base) == [("orders", "O-1", "deleted", [])]
    assert changes(gone, gone, base) == []


def test_fields_beside_the_tables_are_told_but_for_bookkeeping() -> None:
    after = {"shop": StateDiff(fields={"counters": {"O": 1002}, "now": "2026-03-03T09:00:00"})}
    base = {"now": "2026-03-02T09:00:00", "counters": {"O": 1001}}
    assert changes({}, after, base) == [
        ("", "", "changed", [["now", "2026-03-02T09:00:00", "2026-03-03T09:00:00"]]),
    ]


def test_the_turns_of_a_real_conversation_tell_what_it_did() -> None:
    trajectory = booking()
    with Session(hotels(), trajectory.gold.reference) as session:
        bases = {name: orjson.loads(document) for name, document in session.dump().items()}
    first, second = trajectory.conversation.turns
    assert list(turn_changes({}, first.diff, bases)) == []
    (change,) = turn_changes(first.diff, second.diff, bases)
    assert (change["table"], change["kind"], change["id"]) == ("reservations", "created", "RES-1001")
    assert ["status", None, "cancelled"] in change["fields"]
