from __future__ import annotations

import ast

import pytest

from envfactory.catalogue import load
from envfactory.catalogue.travel.hotel_reservations import HotelReservations
from envfactory.environment import Environment
from envfactory.environment.checks import PROPERTIES, Report, check
from envfactory.environment.checks.sources import module_trees, unrepeatable
from tests.environment.checks import broken, clocked

CASES: list[tuple[type[Environment], str, str]] = [
    (
        broken.OddOutput,
        "schemas_valid",
        "sum_up: a result does not conform at $.text: '30 orders' is not of type 'integer'",
    ),
    (broken.OddType, "schemas_valid", "sum_up: its output schema is not valid JSON Schema at $.properties.text.type"),
    (
        broken.Dangling,
        "scenario_consistent",
        "seed 9 and size 180: orders O-0 has I-0 in item_id, and there is no such Item",
    ),
    (
        broken.Cramped,
        "scenario_consistent",
        "do not grow with their size: there are 30 at size 20, 30 at size 60, 30 at size 180",
    ),
    (broken.Refusing, "every_tool_runs", "sum_up never succeeded in 200 further draws; the last came to"),
    (broken.Stumbling, "every_tool_runs", "sum_up fails: bug: Stumbling.sum_up: ZeroDivisionError"),
    (broken.WritingRead, "reads_do_not_write", "sum_up is not marked writes=True and tries to change the state"),
    (broken.SlyRead, "reads_do_not_write", "sum_up is not marked writes=True and changed the state behind"),
    (broken.HalfDone, "failures_are_atomic", "cancel changed the state although it failed with"),
    (broken.Lenient, "bad_arguments_refused", 'order does not refuse "3" in quantity as invalid_argument'),
    (broken.HashOrdered, "deterministic", "sum_up gives different results in two processes with different hash seeds"),
    (clocked.Clocked, "deterministic", "Line 17 calls dt.date.today, the wall clock; the session's clock is self.now"),
    (broken.Gossiping, "sessions_isolated", "look gives different results before and after other sessions"),
    (broken.Forgetful, "state_round_trips", "sum_up gives something else once the state was dumped and loaded"),
    (broken.PlaceAware, "backends_agree", "sum_up gives different results in process and in a worker"),
    (broken.Deaf, "every_argument_matters", "order: varying gift changed neither"),
    (broken.Echoing, "every_argument_matters", "sum_up: varying note changed neither"),
    (broken.Obliging, "ids_not_from_caller", "order makes a record whose id is the caller's reference"),
    (broken.Trusting, "ids_not_from_caller", "order accepts a item_id that names no Item instead of refusing it"),
]
"""Who breaks what, and what is said of it."""

ALSO: dict[type[Environment], set[str]] = {
    broken.Stumbling: {"failures_are_atomic"},  # a bug is no refusal
}
"""What else cannot hold where a property is broken."""


@pytest.mark.heavy
@pytest.mark.parametrize(("environment", "name", "finding"), CASES, ids=lambda value: getattr(value, "__name__", None))
def test_a_broken_property_is_found_and_only_that(environment: type[Environment], name: str, finding: str) -> None:
    report = check(environment)
    assert set(report.failed) == {name} | ALSO.get(environment, set()), str(report)
    assert any(finding in said for said in report.findings(name)), report.findings(name)


def test_every_property_is_broken_by_somebody() -> None:
    assert {name for _, name, _ in CASES} == set(PROPERTIES)


@pytest.mark.heavy
@pytest.mark.parametrize("environment", [broken.Shop, HotelReservations])
def test_nothing_is_found_in_a_sound_environment(environment: type[Environment]) -> None:
    report = check(environment)
    assert report.ok, str(report)
    assert report.passed == PROPERTIES


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("dt.datetime.now()", True),
        ("datetime.utcnow()", True),
        ("time.time()", True),
        ("random.choice([1])", True),
        ("uuid.uuid4()", True),
        ("self.now.date()", False),
        ("world.now.time()", False),
        ("world.random.choice([1])", False),
        ("random.Random(3)", False),
        ("uuid.uuid5(space, name)", False),
        ("dt.datetime.combine(day, dt.time(9))", False),
    ],
)
def test_clocks_and_chance_are_seen_in_the_source(call: str, found: bool) -> None:
    assert bool(list(unrepeatable(ast.parse(f"x = {call}")))) is found


def test_only_the_named_properties_are_checked() -> None:
    report = check(broken.Deaf, only=["every_argument_matters", "schemas_valid"])
    assert [outcome.name for outcome in report.outcomes] == ["schemas_valid", "every_argument_matters"]
    with pytest.raises(KeyError, match="did you mean 'schemas_valid'"):
        check(broken.Deaf, only=["schema_valid"])


def test_the_same_check_finds_the_same() -> None:
    assert check(broken.Trusting, only=["ids_not_from_caller"]) == check(broken.Trusting, only=["ids_not_from_caller"])


def test_without_a_scenario_every_property_that_needs_one_says_so() -> None:
    report = check(broken.Lost)
    assert not report.passed
    assert "seed 0 and size 20 cannot be built and loaded: LookupError" in report.findings("scenario_consistent")[0]
    assert report.findings("every_tool_runs") == ("It could not be judged: LookupError: nothing there",)


def test_an_environment_that_other_processes_cannot_import_is_told_of() -> None:
    class Local(broken.Shop):
        """Defined in a function."""

    (finding,) = check(Local, only=["deterministic"]).findings("deterministic")
    assert "It could not be judged" in finding
    assert "has no attribute '<locals>'" in finding


def test_a_report_prints_what_holds_and_what_does_not() -> None:
    report = check(broken.Cramped, only=["schemas_valid", "scenario_consistent"])
    lines = str(report).splitlines()
    assert lines[0] == "cramped: 1 of 2 properties hold"
    assert lines[1].split()[:2] == ["ok", "schemas_valid"]
    assert lines[2].split()[:2] == ["FAILED", "scenario_consistent"]
    assert all(line.startswith("            - ") for line in lines[3:])
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_the_modules_that_serve_an_environment_alone_are_read_too() -> None:
    names = {name.rpartition(".")[2] for name, _ in module_trees(load(["subscription_box"])["subscription_box"])}
    assert {"subscription_box", "_box_service", "_box_rules", "_box_scenario"} <= names
    assert all(name == "subscription_box" or name.startswith("_box") for name in names)
