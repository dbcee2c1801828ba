"""One class is one environment: what it declares, and how its state is kept."""

from __future__ import annotations

import datetime as dt
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from envfactory.environment import (
    DEFAULT_NOW,
    DeclarationError,
    Environment,
    ReadOnlyError,
    Record,
    Table,
    World,
    build_scenario,
    dump_state,
    load_state,
)
from envfactory.environment.checks import check
from tests.environment.library import Book, Library, Loan, Member

PAGE = Path(__file__).parents[2] / "docs" / "environments.md"
META: dict[str, Any] = {"__doc__": "D.", "domain": "test", "policy": "P.", "sources": ("s",)}


def base() -> Library:
    return build_scenario(Library, 1, 12, DEFAULT_NOW)


def declare(name: str = "Odd", **members: Any) -> type[Environment]:
    annotations = members.pop("annotations", {})
    return type(name, (Environment,), {**META, "__module__": __name__, "__annotations__": annotations, **members})


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Library", "library"), ("HotelReservations", "hotel_reservations"), ("Route66Maps", "route66_maps")],
)
def test_an_environment_is_called_after_its_class(name: str, expected: str):
    assert declare(name).environment_name() == expected


@pytest.mark.parametrize("missing", ["domain", "policy", "sources"])
def test_an_environment_says_where_it_belongs_and_by_what_rules(missing: str):
    with pytest.raises(DeclarationError, match=f"Odd must state {missing}"):
        declare(**{missing: ""})


def test_an_environment_needs_a_docstring():
    with pytest.raises(DeclarationError, match="Odd must state a docstring"):
        declare(__doc__=None)


def test_tables_and_tools_are_found():
    assert Library.tables == {"books": Book, "members": Member, "loans": Loan}
    assert list(Library.tools)[:2] == ["search_books", "get_book"]


@pytest.mark.parametrize("kind", [list[int], dict[str, int], set[str]])
def test_a_field_that_could_change_in_place_is_refused(kind: Any):
    with pytest.raises(DeclarationError, match=r"Odd\.things is a .* immutable"):
        declare(annotations={"things": kind})


def test_a_field_that_may_be_none_must_be_none_by_default():
    with pytest.raises(DeclarationError, match=r"Odd\.day may be None, so its default must be None"):
        declare(annotations={"day": dt.date | None})


def test_an_environment_without_a_scenario_says_what_to_define():
    with pytest.raises(TypeError, match=r"Odd must define scenario\(cls, world, size\)"):
        declare().scenario(World(0, DEFAULT_NOW, "odd"), 1)


def test_ids_are_counted_up_and_never_used_twice():
    fork = base().fork()
    assert [fork.new_id("L"), fork.new_id("L"), fork.new_id("B")] == ["L-1001", "L-1002", "B-1001"]
    assert fork.counters == {"L": 1002, "B": 1001}
    fork.loans.delete("L-1")
    assert fork.seal().fork().new_id("L") == "L-1003"


def test_a_fork_shares_records_and_leaves_what_it_came_from():
    state = base()
    before = dump_state(state)
    fork = state.fork()
    fork.loans.delete("L-1")
    fork.opened = dt.date(2026, 3, 1)
    fork.new_id("L")
    assert dump_state(state) == before
    assert fork.books["B-1"] is state.books["B-1"]
    assert dump_state(fork) != before


def test_a_sealed_state_shares_the_tables_that_were_not_written():
    state = base()
    fork = state.fork()
    fork.loans.delete("L-1")
    fork.seal()
    assert fork.books is state.books
    assert fork.loans is not state.loans


def test_a_sealed_state_refuses_every_change():
    state = base()
    before = dump_state(state)
    for change in (
        lambda: setattr(state, "opened", None),
        lambda: setattr(state, "now", DEFAULT_NOW),
        lambda: state.new_id("L"),
        lambda: state.loans.delete("L-1"),
    ):
        with pytest.raises(ReadOnlyError, match="writes=True"):
            change()
    assert dump_state(state) == before


def test_an_open_state_validates_what_it_is_given_and_keeps_its_tables():
    fork = base().fork()
    with pytest.raises(ValidationError, match="opened"):
        fork.opened = "2026-03-01"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValidationError, match="closing"):
        fork.closing = 1  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError, match="loans is a table: change its records, not the table"):
        fork.loans = fork.books  # pyright: ignore[reportAttributeAccessIssue]


def test_another_clock_is_another_state():
    state = base()
    later = state.at(DEFAULT_NOW + dt.timedelta(days=1))
    assert (state.now, later.now) == (DEFAULT_NOW, DEFAULT_NOW + dt.timedelta(days=1))
    assert later.loans is state.loans
    with pytest.raises(ReadOnlyError):
        later.new_id("L")


def test_a_state_is_the_same_after_a_round_trip_through_json():
    state = base()
    assert dump_state(load_state(Library, dump_state(state))) == dump_state(state)
    for wrong in (b"{}", b'{"now": 1}', dump_state(state).replace(b'"id":"B-1"', b'"id":"B-x"')):
        with pytest.raises(ValidationError):
            load_state(Library, wrong)


def test_a_number_that_is_none_cannot_get_into_a_state():
    class Row(Record, noun="row"):
        id: str
        size: float

    numbers = declare(annotations={"rows": Table[Row], "size": float})
    with pytest.raises(ValidationError, match="size"):
        numbers.model_validate({"now": DEFAULT_NOW, "rows": {}, "size": float("nan")})
    with pytest.raises(ValidationError, match="size"):
        numbers.model_validate({"now": DEFAULT_NOW, "rows": {"a": {"id": "a", "size": float("inf")}}, "size": 1.0})


# -- the page that teaches it ----------------------------------------------------------------------------------------


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The names that the page's complete example defines, from a module that worker processes find too."""
    (tmp_path / "tea_house.py").write_text(blocks()[0], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        yield vars(importlib.import_module("tea_house"))
    finally:
        del sys.modules["tea_house"]


@pytest.mark.slow
def test_the_example_of_the_page_passes_every_check(example: dict[str, Any]):
    report = check(example["TeaHouse"])
    assert report.ok, str(report)


def test_what_the_page_shows_of_the_example_is_true(example: dict[str, Any]):
    for block in blocks()[1:]:
        exec(compile(block, str(PAGE), "exec"), example)
