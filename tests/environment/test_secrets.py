"""Secrets: drawn from the record that a call is about, and refused where a tool could give them away."""

from __future__ import annotations

import random
from typing import Annotated, Any

import pytest

from envfactory.environment import (
    DEFAULT_NOW,
    DeclarationError,
    Environment,
    InProcess,
    Record,
    Ref,
    Reference,
    Session,
    Table,
    Value,
    describe,
    tool,
)
from envfactory.environment.checks import check
from envfactory.environment.draw import Drawer, Undrawable
from tests.environment.station import Done, Pin, Station

SPEC = describe(Station)


def station(seed: int = 0) -> dict[str, Any]:
    with Session(InProcess({"station": Station}), Reference(environments={"station": ""}, seed=seed)) as session:
        return session.documents()["station"]


def test_a_secret_is_described_where_it_stands_and_where_it_is_asked_for() -> None:
    assert SPEC.table_by_name["codes"].field_by_path["pin"].secret == "PIN"
    assert [leaf.secret for leaf in SPEC.tool_by_name["open_locker"].secrets] == ["PIN"]
    assert SPEC.tool_by_name["list_lockers"].secrets == ()
    assert not any(leaf.secret for each in SPEC.tools for leaf in each.outputs)


def test_a_secret_is_that_of_what_the_call_names() -> None:
    drawn: set[str] = set()
    for seed in range(20):
        state = station(seed % 3)
        arguments = Drawer(SPEC).draw("open_locker", state, random.Random(seed))
        (code,) = [row for row in state["codes"].values() if row["locker_id"] == arguments["locker_id"]]
        assert arguments["pin"] == code["pin"]
        drawn.add(arguments["locker_id"])
    assert drawn == {"L-1", "L-4", "L-7"}


def test_a_secret_is_that_of_what_is_given_even_if_it_is_somebody_elses() -> None:
    state = station()
    arguments = Drawer(SPEC).draw("open_locker", state, random.Random(0), {"locker_id": "L-0"})
    assert arguments == {"pin": state["codes"]["C-0"]["pin"], "locker_id": "L-0"}


def test_a_secret_is_else_that_of_the_person_whose_session_it_is() -> None:
    for seed in range(3):
        state = station(seed)
        assert Drawer(SPEC).draw("close_all", state, random.Random(0)) == {"word": state["guests"]["G-1"]["word"]}


def test_what_no_record_or_more_than_one_has_is_not_drawn() -> None:
    state = station()
    state["codes"]["C-9"] = {**state["codes"]["C-1"], "id": "C-9"}
    for codes in (state["codes"], {}):
        with pytest.raises(Undrawable, match="pin: no record, or more than one, has the PIN"):
            Drawer(SPEC).draw("open_locker", {**state, "codes": codes}, random.Random(0), {"locker_id": "L-1"})


def test_an_environment_with_secrets_passes_the_checks() -> None:
    report = check(
        Station, only=("schemas_valid", "every_tool_runs", "every_argument_matters", "bad_arguments_refused")
    )
    assert report.ok, str(report)


class Card(Record, noun="card"):
    id: Annotated[str, Ref("Card")]
    pin: Pin


class Other(Record, noun="other"):
    id: Annotated[str, Ref("Other")]
    pin: Pin


class Open(Record, noun="card"):
    id: Annotated[str, Ref("Open")]
    pin: Pin | None = None


def environment(name: str, fields: dict[str, Any], *methods: Any) -> type[Environment]:
    members = {method.__name__: method for method in methods}
    texts = {"__doc__": "Try something.", "domain": "test", "policy": "None.", "sources": ("none",)}
    return type(name, (Environment,), {**texts, "__annotations__": fields, "__module__": __name__, **members})


@tool(ask=("use {card_id}",), reply=("Done.",))
def use(self: Any, card_id: Annotated[str, Ref("Card")], pin: Pin) -> Done:
    """Use a card."""
    raise NotImplementedError


@tool(ask=("use it",), reply=("Done.",))
def use_it(self: Any, pin: Pin) -> Done:
    """Use the card."""
    raise NotImplementedError


@tool(ask=("use it",), reply=("Done.",))
def use_or_not(self: Any, card_id: Annotated[str, Ref("Card")], pin: Pin = "0000") -> Done:
    """Use a card."""
    raise NotImplementedError


@tool(ask=("use it with {pin}",), reply=("Done.",))
def say(self: Any, card_id: Annotated[str, Ref("Card")], pin: Pin) -> Done:
    """Use a card."""
    raise NotImplementedError


@tool(ask=("use it",), reply=("Done.",))
def mean_two(self: Any, card_id: Annotated[str, Ref("Card")], pin: Annotated[Pin, Value("code")]) -> Done:
    """Use a card."""
    raise NotImplementedError


@tool(ask=("show {card_id}",), reply=("Done.",))
def show(self: Any, card_id: Annotated[str, Ref("Card")]) -> Card:
    """Show a card."""
    raise NotImplementedError


@pytest.mark.parametrize(
    ("fields", "method", "problem"),
    [
        ({"cards": Table[Card]}, show, "show: pin gives away the PIN"),
        ({}, use, "use: pin is Secret\\('PIN'\\), which must stand on one field .* it stands on 0"),
        ({"cards": Table[Card], "others": Table[Other]}, use, "it stands on 2"),
        ({"cards": Table[Card]}, use_it, "nothing tells whose PIN pin is"),
        ({"cards": Table[Card]}, use_or_not, "make it a required argument with no other meaning"),
        ({"cards": Table[Card]}, mean_two, "make it a required argument with no other meaning"),
        ({"cards": Table[Card]}, say, "says 'pin', a Secret that has to be asked for"),
        ({"cards": Table[Card], "pin": Pin}, use, "pin is a Secret; it must stand on a record"),
        ({"cards": Table[Open]}, use, "Open.pin is a Secret; make it a field of its own"),
    ],
)
def test_a_secret_that_could_be_given_away_or_not_be_asked_for_is_refused(
    fields: dict[str, Any], method: Any, problem: str
) -> None:
    with pytest.raises(DeclarationError, match=problem):
        describe(environment("Trial", fields, method))


def test_what_the_person_owns_is_enough_to_tell_whose_it_is() -> None:
    spec = describe(environment("Owning", {"cards": Table[Card], "card_id": Annotated[str, Ref("Card")]}, use_it))
    state = {
        "now": DEFAULT_NOW.isoformat(),
        "card_id": "K-2",
        "cards": {k: {"id": k, "pin": f"{k}!"} for k in ("K-1", "K-2")},
    }
    assert Drawer(spec).draw("use_it", state, random.Random(0)) == {"pin": "K-2!"}
