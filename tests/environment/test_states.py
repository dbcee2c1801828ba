"""A difference between two states is lossless and says only what happened."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.catalogue import backend, environment_names, load
from envfactory.environment import (
    DEFAULT_NOW,
    Environment,
    Output,
    Record,
    Start,
    StateDiff,
    Table,
    TableDiff,
    apply_diff,
    build_scenario,
    diff_documents,
    diff_states,
    digest,
    dump_state,
    load_state,
)
from envfactory.environment.backend import LocalInstance
from envfactory.environment.draw import Drawer, Undrawable


class Item(Record, noun="item", label="{name}"):
    id: str
    """Identifier."""
    note: str | None = None
    """What stands on it."""
    name: str
    """What it is called."""
    tags: tuple[str, ...] = ()
    """Words for it."""


class Place(Output):
    shelf: int
    """Where it stands."""


class Store(Environment):
    """Keep items, with optional members in the middle."""

    domain = "test"
    policy = "None."
    sources = ("none",)

    holder: str | None = None
    """Who has the key."""
    place: Place | None = None
    """Where the key hangs."""
    items: Table[Item]
    closing: dt.date | None = None
    """When the store closes."""


def store() -> Store:
    rows: Any = {f"I-{n}": Item(id=f"I-{n}", name=f"item {n}") for n in range(1, 6)}
    return Store(now=DEFAULT_NOW, items=rows).seal()


def after(change: Callable[[Store], object], base: Store) -> Store:
    fork = base.fork()
    change(fork)
    return fork.seal()


def check_lossless(base: Environment, state: Environment) -> StateDiff:
    """Both ways to a difference agree, and it leads from one document to the other, through JSON too."""
    before, document = dump_state(base), dump_state(state)
    diff = diff_states(base, state)
    read = StateDiff.model_validate_json(diff.model_dump_json())
    assert read == diff == diff_documents(orjson.loads(before), orjson.loads(document), type(base).tables)
    parsed = orjson.loads(before)
    assert orjson.dumps(apply_diff(parsed, read)) == document
    assert orjson.dumps(parsed) == before
    assert bool(diff) == (before != document)
    return diff


def test_a_difference_says_what_was_created_changed_and_deleted():
    base = store()

    def change(state: Store) -> None:
        state.items.insert(Item(id=state.new_id("I"), name="new"))
        state.items.replace(state.items["I-2"].evolve(name="other"))
        state.items.delete("I-3")

    diff = check_lossless(base, after(change, base))
    created = {"I-1001": {"id": "I-1001", "name": "new", "tags": []}}
    table = TableDiff(created=created, changed={"I-2": {"name": "other"}}, deleted=("I-3",))
    assert diff == StateDiff(tables={"items": table}, fields={"counters": {"I": 1001}})


def test_a_rewritten_but_equal_record_is_no_difference():
    base = store()
    assert not check_lossless(base, after(lambda s: s.items.replace(s.items["I-2"].evolve(name="item 2")), base))


def test_a_field_that_appears_in_the_middle_of_a_record_keeps_its_place():
    base = store()
    noted = after(lambda s: s.items.replace(s.items["I-1"].evolve(note="fragile")), base)
    assert check_lossless(base, noted).tables["items"].changed["I-1"]["note"] == "fragile"
    assert check_lossless(noted, base).tables["items"].changed == {"I-1": {"note": None}}


def test_a_field_that_appears_in_the_middle_of_a_state_keeps_its_place():
    base = store()

    def change(state: Store) -> None:
        state.holder = "Ada"
        state.place = Place(shelf=3)

    held = after(change, base)
    assert check_lossless(base, held).fields == {"holder": "Ada", "place": {"shelf": 3}}
    assert check_lossless(held, base).fields == {"holder": None, "place": None}
    closing = after(lambda s: setattr(s, "closing", dt.date(2026, 5, 1)), held)
    assert check_lossless(held, closing).fields == {"closing": "2026-05-01"}


def test_a_row_taken_out_and_put_back_stands_at_the_end():
    base = store()

    def change(state: Store) -> None:
        state.items.insert(state.items.delete("I-2"))
        state.items.delete("I-4")

    diff = check_lossless(base, after(change, base)).tables["items"]
    assert list(diff.created) == ["I-2"]
    assert diff.deleted == ("I-2", "I-4")


def test_the_clock_is_a_field():
    base = store()
    later = DEFAULT_NOW + dt.timedelta(hours=2)
    assert check_lossless(base, base.at(later)) == StateDiff(fields={"now": "2026-03-02T11:00:00"})


operations = st.lists(
    st.tuples(
        st.sampled_from(["insert", "note", "unnote", "rename", "delete", "put back", "hold", "close"]),
        st.integers(0, 9),
    ),
    max_size=12,
)


@settings(deadline=None)
@given(operations)
def test_any_edits_are_lossless(edits: list[tuple[str, int]]):
    base = store()

    def change(state: Store) -> None:
        for kind, number in edits:
            keys = list(state.items)
            item = state.items[keys[number % len(keys)]] if keys else None
            match kind:
                case "insert":
                    state.items.insert(Item(id=state.new_id("I"), name="new", note="x" if number % 2 else None))
                case "hold":
                    state.holder = f"p{number}" if number else None
                case "close":
                    state.closing = dt.date(2026, 5, number) if number else None
                case _ if item is None:
                    pass
                case "note":
                    state.items.replace(item.evolve(note=f"n{number}"))
                case "unnote":
                    state.items.replace(item.evolve(note=None))
                case "rename":
                    state.items.replace(item.evolve(name=f"m{number}", tags=("a",) * (number % 3)))
                case "delete":
                    state.items.delete(item.id)
                case _:
                    state.items.insert(state.items.delete(item.id))

    one = after(change, base)
    check_lossless(base, one)
    check_lossless(one, base)


BACKEND = backend(environment_names())


@pytest.mark.parametrize("name", environment_names())
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 3), draws=st.randoms(use_true_random=False), calls=st.integers(0, 25))
def test_any_calls_leave_a_difference_that_is_lossless(name: str, seed: int, draws: random.Random, calls: int):
    instance = BACKEND.open(name, Start(seed=seed, size=40, now=DEFAULT_NOW))
    assert isinstance(instance, LocalInstance)
    base = instance.state
    spec = BACKEND.specs[name]
    writing = [tool.name for tool in spec.tools if tool.writes]
    for _ in range(calls):
        tool = draws.choice(writing)
        try:
            arguments = Drawer(spec).draw(tool, orjson.loads(instance.dump()), draws)
        except Undrawable:
            continue
        instance.call(tool, arguments)
    assert check_lossless(base, instance.state) == instance.diff()
    assert dump_state(load_state(type(base), instance.dump())) == instance.dump()


@pytest.mark.parametrize("name", environment_names())
def test_a_state_comes_back_from_its_document_byte_for_byte(name: str):
    state = build_scenario(load([name])[name], seed=5, size=60, now=DEFAULT_NOW)
    document = dump_state(state)
    assert dump_state(load_state(type(state), document)) == document
    assert digest(document) == digest(dump_state(state)) != digest(document + b" ")
