"""Drawn arguments are what a real call might say: declared relations hold, and what cannot be drawn is named."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from envfactory.catalogue import backend, environment_names, load
from envfactory.environment import DEFAULT_NOW, Environment, Start, World, build_scenario, describe, dump_state, tool
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.environment.paths import is_within, values_at
from tests.environment.library import Library, Told

SPEC = describe(Library)
DRAWER = Drawer(SPEC)
STATE: dict[str, Any] = orjson.loads(dump_state(build_scenario(Library, 1, 12, DEFAULT_NOW)))
SEEDS = range(60)
TODAY = dt.date(2026, 3, 2)


def draws(tool: str, **options: Any) -> list[dict[str, Any]]:
    return [DRAWER.draw(tool, STATE, random.Random(seed), **options) for seed in SEEDS]


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


# -- relations -------------------------------------------------------------------------------------------------------


def test_after_and_from_now_give_days_in_range_whatever_the_order_of_the_parameters():
    gaps = {(day(a["end"]) - day(a["start"])).days for a in draws("plan")}
    starts = {(day(a["start"]) - TODAY).days for a in draws("plan")}
    assert gaps == {1, 2, 3, 4}
    assert starts == set(range(2, 10))


def test_differs_gives_two_different_records():
    assert all(a["first"] != a["second"] for a in draws("plan"))


def test_named_in_gives_what_a_record_of_ones_own_names():
    named = {
        loan["book_id"]
        for loan in STATE["loans"].values()
        if loan["member_id"] == STATE["member_id"] and loan["status"] == "open"
    }
    assert named
    assert {a["first"] for a in draws("plan")} <= named


def test_within_gives_round_steps():
    budgets = {a["budget"] for a in draws("plan", include=1.0)}
    assert budgets <= {float(n) for n in range(10, 51, 5)}
    assert 50.0 in budgets
    assert 10.0 not in budgets  # the default goes without saying


def test_owned_and_having_give_ones_own_records_in_the_right_status():
    for arguments in draws("give_back"):
        loan = STATE["loans"][arguments["loan_id"]]
        assert (loan["member_id"], loan["status"]) == (STATE["member_id"], "open")


def test_differing_and_field_of_lean_on_the_record_that_was_chosen():
    for arguments in draws("swap", include=1.0):
        assert arguments["book_id"] != STATE["loans"][arguments["loan_id"]]["book_id"]
        bindings = [edition["binding"] for edition in STATE["books"][arguments["book_id"]]["editions"]]
        assert arguments["binding"] in bindings


@pytest.mark.parametrize("credit", [0.9, 25.0, 1201.3, 98765.43])
def test_at_most_gives_a_share_of_what_the_record_has(credit: float):
    state = {**STATE, "members": {"M-1": {**STATE["members"]["M-1"], "credit": credit}}}
    amounts = {DRAWER.draw("spend", state, random.Random(seed))["amount"] for seed in SEEDS}
    assert all(0 <= amount <= credit / 2 for amount in amounts)
    assert len(amounts) > (1 if credit > 10 else 0)


def test_some_gives_at_least_one_and_together_gives_all_or_none():
    seen: set[tuple[str, ...]] = set()
    for arguments in [*draws("move", include=0.0), *draws("move", include=0.3)]:
        assert "name" in arguments or "shelf" in arguments
        assert len({"shelf", "row", "place"} & arguments.keys()) in (0, 3)
        seen.add(tuple(sorted(arguments)))
    assert len(seen) == 3


def test_a_record_that_shares_fields_with_another_is_drawn_after_it():
    environment = load(["rail_tickets"])["rail_tickets"]
    state = orjson.loads(dump_state(build_scenario(environment, 3, 60, DEFAULT_NOW)))
    drawer = Drawer(describe(environment))
    for seed in SEEDS:
        drawn = drawer.draw("change_train", state, random.Random(seed))
        ticket, train = state["tickets"][drawn["ticket_id"]], state["trains"][drawn["train_id"]]
        assert (train["origin"], train["destination"]) == (ticket["origin"], ticket["destination"])
        assert train["id"] != ticket["train_id"]
    routes = {
        (ticket["origin"], ticket["destination"])
        for ticket in state["tickets"].values()
        if ticket["passenger_id"] == state["passenger_id"]
        and ticket["status"] == "booked"
        and ticket["fare"] in ("semi_flex", "flex")
    }
    fitting = drawer.fitting("change_train", "train_id", state)
    assert fitting is not None
    assert len(fitting) < len(state["trains"])
    assert fitting == {
        key
        for key, train in state["trains"].items()
        if train["status"] == "scheduled" and (train["origin"], train["destination"]) in routes
    }


def state_of(name: str) -> tuple[Drawer, dict[str, Any]]:
    environment = load([name])[name]
    return Drawer(describe(environment)), orjson.loads(dump_state(build_scenario(environment, 3, 60, DEFAULT_NOW)))


def test_a_dated_record_lies_in_the_span_and_one_without_the_day_fits_only_where_it_may():
    drawer, state = state_of("payments_and_invoicing")
    fitting = drawer.fitting("send_reminder", "invoice_id", state)
    assert fitting
    rows = [row for row in state["invoices"].values() if row["biller_id"] == state["biller_id"]]
    assert fitting == {
        row["id"]
        for row in rows
        if row["status"] == "open"
        and row.get("reminders", 0) < 3
        and row.get("due_on")
        and day(row["due_on"]) < TODAY
        and (not row.get("reminded_on") or (TODAY - day(row["reminded_on"])).days >= 7)
    }
    assert {bool(state["invoices"][key].get("reminded_on")) for key in fitting} == {True, False}


def test_what_a_record_offers_is_of_the_record_chosen_and_not_of_the_past():
    drawer, state = state_of("parcel_tracking")
    for seed in SEEDS:
        drawn = drawer.draw("change_day", state, random.Random(seed))
        offered = drawer.offered("change_day", "day", state, {"parcel_id": drawn["parcel_id"]})
        assert offered is not None
        assert drawn["day"] in offered
        assert offered <= set(state["parcels"][drawn["parcel_id"]]["other_days"])
        assert all(day(each) > TODAY for each in offered)
    assert drawer.offered("change_day", "day", state, {}) is None
    assert drawer.offered("change_day", "parcel_id", state, {}) is None


def test_a_list_of_records_in_short_is_drawn_to_fit_one_of_them():
    drawer, state = state_of("marketplace_orders")
    wanted = drawer.fitting("return_items", "order_id", state)
    assert wanted
    prefer = {"Order": wanted}
    drawn = [
        drawer.draw("list_orders", state, random.Random(seed), include=lambda path: path == "status", prefer=prefer)
        for seed in SEEDS
    ]
    assert {arguments["status"] for arguments in drawn} == {"delivered"}


def test_a_flag_is_given_only_if_it_holds_for_a_record_that_is_found():
    environment = load(["rail_tickets"])["rail_tickets"]
    state = orjson.loads(dump_state(build_scenario(environment, 3, 60, DEFAULT_NOW)))
    draws = [Drawer(describe(environment)).draw("search_trains", state, random.Random(s), include=1.0) for s in SEEDS]
    assert {drawn.get("direct") for drawn in draws} == {True, None}
    for drawn in draws:
        found = [t for t in state["trains"].values() if (t["origin"], t["day"]) == (drawn["origin"], drawn["day"])]
        assert any(train["direct"] for train in found) or "direct" not in drawn


def test_relations_that_speak_of_one_record_alone_can_be_asked_for():
    fitting = DRAWER.fitting("give_back", "loan_id", STATE)
    assert fitting == {
        key
        for key, loan in STATE["loans"].items()
        if loan["member_id"] == STATE["member_id"] and loan["status"] == "open"
    }
    assert DRAWER.fitting("borrow", "due", STATE) is None
    assert DRAWER.fitting("get_book", "book_id", STATE) == set(STATE["books"])


# -- given, include, prefer, focus -----------------------------------------------------------------------------------


def test_what_is_given_stands_and_the_rest_fits_it():
    for arguments in draws("swap", given={"book_id": "B-2", "binding": "hardcover"}):
        assert (arguments["book_id"], arguments["binding"]) == ("B-2", "hardcover")
        assert STATE["loans"][arguments["loan_id"]]["member_id"] == STATE["member_id"]
    for arguments in draws("plan", given={"start": "2026-05-01"}):
        assert day("2026-05-02") <= day(arguments["end"]) <= day("2026-05-05")


def test_a_given_optional_argument_is_always_there():
    assert all(a["page"] == 2 for a in draws("search_books", given={"page": 2}, include=0.0))


@pytest.mark.parametrize(
    ("include", "names"),
    [
        (0.0, {"genre"}),
        (1.0, {"genre", "max_pages", "illustrated", "page"}),
        (lambda path: path == "page", {"genre", "page"}),
    ],
)
def test_include_says_which_optional_arguments_are_given(include: float | Callable[[str], bool], names: set[str]):
    assert all(set(a) == names for a in draws("search_books", include=include))


def test_a_flag_that_is_given_says_other_than_its_default():
    assert all(a["illustrated"] is True for a in draws("search_books", include=1.0))


def test_a_search_is_drawn_to_fit_a_record_and_best_one_that_is_preferred():
    for arguments in draws("search_books", include=lambda path: path == "max_pages", prefer={"Book": {"B-5"}}):
        assert arguments["genre"] == STATE["books"]["B-5"]["genre"]
        assert arguments["max_pages"] >= STATE["books"]["B-5"]["pages"]
    assert {a["genre"] for a in draws("search_books")} == {"novel", "poetry", "travel"}


def test_a_preference_that_does_not_fit_what_is_given_is_left():
    assert STATE["books"]["B-5"]["genre"] == "poetry"
    for arguments in draws("search_books", given={"genre": "novel"}, prefer={"Book": {"B-5"}}):
        assert arguments["genre"] == "novel"


def test_lists_of_objects_have_lengths_in_bounds_and_no_record_twice():
    lengths: set[int] = set()
    for arguments in draws("order", include=lambda path: path == "tags"):
        books = [line["book_id"] for line in arguments["lines"]]
        lengths.add(len(books))
        assert len(set(books)) == len(books)
        assert len(set(arguments.get("tags", ()))) == len(arguments.get("tags", ()))
    assert lengths <= {1, 2, 3}
    assert len(lengths) > 1


def test_given_lists_fix_a_lists_length_item_by_item():
    given = {"lines[].book_id": ["B-1", "B-2", "B-3"], "lines[].copies": [1, 2, 3]}
    for arguments in draws("order", given=given, include=0.0):
        assert [(line["book_id"], line["copies"]) for line in arguments["lines"]] == [
            ("B-1", 1), ("B-2", 2), ("B-3", 3)
        ]  # fmt: skip
    assert draws("order", given={"lines": [{"book_id": "B-1"}]}, include=0.0)[0] == {"lines": [{"book_id": "B-1"}]}
    assert draws("order", given={"tags[]": ["novel"]}, include=0.0)[0]["tags"] == ["novel"]


# -- what cannot be drawn --------------------------------------------------------------------------------------------


def test_what_cannot_be_drawn_is_named():
    bare = {**STATE, "loans": {}}
    with pytest.raises(Undrawable, match="loan_id: the state has no fitting Loan") as caught:
        DRAWER.draw("give_back", bare, random.Random(0))
    assert caught.value.path == "loan_id"
    with pytest.raises(Undrawable, match="member_id: 'M-9' names no Member in the state"):
        DRAWER.draw("spend", STATE, random.Random(0), given={"member_id": "M-9"})
    with pytest.raises(Undrawable, match=r"to\.street: nothing in the state has such a value; declare Value, Ref"):
        DRAWER.draw("order", STATE, random.Random(0), given={"to.city": "Rome"})
    with pytest.raises(Undrawable, match="amount: no number between"):
        DRAWER.draw("spend", {**STATE, "members": {"M-1": {"id": "M-1", "credit": -5.0}}}, random.Random(0))


def test_an_unknown_tool_is_a_key_error():
    with pytest.raises(KeyError, match="lend"):
        DRAWER.draw("lend", STATE, random.Random(0))


class Odd(Environment):
    """Numbers with bounds on one side, and moments without a relation."""

    domain = "test"
    policy = "None."
    sources = ("none",)

    @tool(ask=("set {at}[ and {clock}]",), reply=("{number}.",))
    def set(self, at: dt.datetime, clock: dt.time | None = None, day: dt.date | None = None) -> Told:
        """Set a time."""
        return Told(number=at.hour + (clock.hour if clock else 0) + (day.day if day else 0))

    @classmethod
    def scenario(cls, world: World, size: int) -> Odd:
        return cls(now=world.now)


def test_moments_without_a_relation_lie_ahead_at_half_hours():
    state = orjson.loads(dump_state(build_scenario(Odd, 0, 1, DEFAULT_NOW)))
    for seed in SEEDS:
        arguments = Drawer(describe(Odd)).draw("set", state, random.Random(seed), include=1.0)
        at = dt.datetime.fromisoformat(arguments["at"])
        assert at > DEFAULT_NOW
        assert at.minute in (0, 30)
        assert dt.time.fromisoformat(arguments["clock"]).minute in (0, 30)
        assert day(arguments["day"]) > TODAY


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a", [1]),
        ("b.c", [2]),
        ("rows[].x", [3, 4]),
        ("rows[].deep[]", [5, 6]),
        ("list[]", [7, 8]),
        ("missing", []),
        ("b.missing", []),
        ("missing[].x", []),
    ],
)
def test_values_are_found_by_path(path: str, found: list[int]):
    row = {"a": 1, "b": {"c": 2}, "rows": [{"x": 3, "deep": [5, 6]}, {"x": 4}], "list": [7, 8]}
    assert list(values_at(row, path)) == found


@pytest.mark.parametrize(
    ("path", "holder", "within"),
    [
        ("a", "a", True),
        ("a.b", "a", True),
        ("a[].b", "a", True),
        ("a[]", "a", True),
        ("ab", "a", False),
        ("a", "a.b", False),
    ],
)
def test_a_path_leads_into_what_holds_it_and_into_nothing_that_is_called_alike(path: str, holder: str, within: bool):
    assert is_within(path, holder) is within


# -- every environment -----------------------------------------------------------------------------------------------

BACKEND = backend(environment_names())
NAMES = list(BACKEND.specs)


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 2**32), include=st.sampled_from([0.0, 0.3, 1.0]))
def test_what_is_drawn_obeys_its_schema_and_the_same_source_gives_the_same(name: str, seed: int, include: float):
    spec = BACKEND.specs[name]
    drawer = Drawer(spec)
    before = BACKEND.open(name, Start(seed=seed % 3, now=DEFAULT_NOW)).dump()
    state = orjson.loads(before)
    declared = spec.tools[seed % len(spec.tools)]
    arguments: dict[str, Any] = {}
    unfound = ""
    try:
        arguments = drawer.draw(declared.name, state, random.Random(seed), include=include)
    except Undrawable as error:
        unfound = error.path
    if unfound:
        assert unfound in declared.input_by_path
        return
    Draft202012Validator(orjson.loads(declared.parameters)).validate(arguments)
    assert list(arguments) == [n for n in orjson.loads(declared.parameters)["properties"] if n in arguments]
    assert arguments == drawer.draw(declared.name, state, random.Random(seed), include=include)
    assert orjson.dumps(state) == before


class Painted(Library):
    """A library whose walls have colours that nothing lists."""

    @tool(ask=("paint the walls[ {colour}]",), reply=("That is {number} coats.",))
    def paint(self, colour: str | None = None) -> Told:
        """Paint the walls.

        Args:
            colour: Which colour.
        """
        return Told(number=len(colour or "white"))


def test_an_optional_argument_that_cannot_be_drawn_is_left_out():
    assert Drawer(describe(Painted)).draw("paint", STATE, random.Random(0), include=1.0) == {}
