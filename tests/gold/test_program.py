"""Bindings say where each argument comes from, and survive JSON."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from envfactory.environment import Reference, StateDiff, TableDiff
from envfactory.gold import Const, FromUser, Gold, GoldCall, ListOf, ObjectOf, Out, Pick, bindings_of, value_at
from envfactory.gold.program import resolve

DOCUMENT = {"hotels": [{"id": "H-1", "rooms": [{"kind": "twin"}]}, {"id": "H-2", "rooms": []}], "total": 2}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("total", 2),
        ("hotels[1].id", "H-2"),
        ("hotels[0].rooms[0].kind", "twin"),
        ("hotels[1].rooms", []),
        ("", DOCUMENT),
    ],
)
def test_a_path_leads_to_a_value(path: str, value: Any):
    assert value_at(DOCUMENT, path) == value


@pytest.mark.parametrize(
    "path", ["totals", "hotels[2].id", "hotels.id", "total[0]", "total.x", "hotels[0].id[0]", "[0]"]
)
def test_a_path_to_nothing_is_named(path: str):
    with pytest.raises(KeyError) as caught:
        value_at(DOCUMENT, path)
    assert caught.value.args == (f"nothing stands at {path!r}",)


def test_nested_bindings_are_listed_by_concrete_path():
    items = ListOf(
        items=(ObjectOf(fields={"product_id": Out(call=0, path="id"), "quantity": FromUser(value=2)}), Const(value=1))
    )
    call = GoldCall(tool="t-x", arguments={"items": items, "express": Const(value=True)})
    assert [path for path, _ in bindings_of(call)] == [
        "items[0].product_id",
        "items[0].quantity",
        "items[1]",
        "express",
    ]
    assert resolve(items, {0: {"id": "P-1"}}) == [{"product_id": "P-1", "quantity": 2}, 1]


def test_the_output_of_a_call_that_did_not_run_is_missing():
    with pytest.raises(KeyError, match="call 3 did not run"):
        resolve(Out(call=3, path="id"), {0: {}})


def test_turns_divide_the_calls():
    calls = tuple(GoldCall(tool="t-x", arguments={}) for _ in range(5))
    gold = Gold(reference=Reference(environments={}), calls=calls, turns=(2, 0, 3))
    assert gold.turn_slices() == [range(2), range(2, 2), range(2, 5)]
    assert Gold(reference=gold.reference, calls=calls).turn_slices() == [range(5)]


def test_an_unknown_binding_is_refused():
    with pytest.raises(ValidationError, match="source"):
        GoldCall.model_validate({"tool": "t-x", "arguments": {"a": {"source": "guess", "value": 1}}})


values = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
leaves = (
    st.builds(Const, value=values)
    | st.builds(FromUser, value=values, turn=st.integers(0, 4))
    | st.builds(
        Out,
        call=st.integers(0, 9),
        path=st.text(),
        pick=st.none() | st.builds(Pick, by=st.just("low"), field=st.text()),
    )
)
bindings: st.SearchStrategy[Any] = st.recursive(
    leaves,
    lambda inner: (
        st.builds(ListOf, items=st.lists(inner, max_size=3).map(tuple))
        | st.builds(ObjectOf, fields=st.dictionaries(st.text(), inner, max_size=3))
    ),
    max_leaves=6,
)
calls = st.builds(
    GoldCall,
    tool=st.text(),
    arguments=st.dictionaries(st.text(), bindings, max_size=3),
    masked=st.lists(st.text(), max_size=2).map(tuple),
)


@settings(deadline=None)
@given(st.lists(calls, max_size=3), st.lists(st.integers(0, 3), max_size=3))
def test_a_program_survives_json(written: list[GoldCall], turns: list[int]):
    diff = {"desk": StateDiff(tables={"rows": TableDiff(created={"R-1": {"id": "R-1"}}, deleted=("R-0",))})}
    gold = Gold(
        reference=Reference(environments={"desk": "0"}, seed=4), calls=tuple(written), turns=tuple(turns), diff=diff
    )
    assert Gold.model_validate_json(gold.model_dump_json()) == gold
