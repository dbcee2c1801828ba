"""Leave in a company, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest

from envfactory.catalogue.office import _leave_rules as rules
from envfactory.catalogue.office._leave_roster import Roster
from envfactory.catalogue.office.hr_leave import HrLeave
from envfactory.environment import DEFAULT_NOW, add_workdays, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.

TODAY = "2026-03-02"


def person(key: str, name: str, **changes: Any) -> Row:
    return {
        "id": key, "name": name, "email": f"{key}@mail.example", "job": "engineer", "team_id": "T-1",
        "team": "Payments", "city": "Oslo", "joined_on": "2020-05-04", **changes,
    }  # fmt: skip


def account(kind: str, entitled: float, **changes: Any) -> Row:
    return {
        "id": f"A-{kind}", "kind": kind, "entitled": entitled, "bought": 0, "used": 0.0, "carried": 0.0,
        "carried_used": 0.0, "day_rate": 0.0, **changes,
    }  # fmt: skip


def own(key: str, kind: str, first: str, last: str, days: float, status: str = "approved", **changes: Any) -> Row:
    return {
        "id": key, "employee_id": "E-1", "kind": kind, "first_day": first, "last_day": last, "days": days,
        "status": status, "from_carried": 0.0, **changes,
    }  # fmt: skip


def leave(
    key: str, who: str, kind: str, first: str, last: str, days: float, status: str = "pending", **changes: Any
) -> Row:
    return {
        "id": key, "team_id": "T-1", "employee_id": who, "name": NAMES[who], "kind": kind, "first_day": first,
        "last_day": last, "days": days, "status": status, **changes,
    }  # fmt: skip


def sick(key: str, who: str, first: str, last: str, days: float, **changes: Any) -> Row:
    return {
        "id": key, "team_id": "T-1", "employee_id": who, "name": NAMES[who], "first_day": first, "last_day": last,
        "days": days, "kind": "sick", "status": "reported", "certified": False, **changes,
    }  # fmt: skip


NAMES = {
    "E-1": "Ada Berg", "E-2": "Ben Cole", "E-3": "Cy Dorn", "E-4": "Di Ekko", "E-5": "Ed Fink", "E-6": "Flo Gold",
    "E-9": "Zo Zorn",
}  # fmt: skip
TEAM: Row = {
    "id": "T-1", "name": "Payments", "lead_id": "E-1", "min_present": 3,
    "blackouts": [{"since": "2026-05-04", "until": "2026-05-08", "reason": "release"}],
}  # fmt: skip
STATE: dict[str, Any] = {
    "employee_id": "E-1",
    "team_id": "T-1",
    "year_end": "2026-12-31",
    "trade_until": "2026-03-31",
    "employees": keyed(
        *(person(key, NAMES[key]) for key in ("E-1", "E-2", "E-4", "E-6")),
        person("E-3", "Cy Dorn", city="Rome"),
        person("E-5", "Ed Fink", joined_on="2025-12-01", probation_until="2026-04-30"),
        person("E-9", "Zo Zorn", team_id="T-2", team="Search", probation_until="2026-03-02"),
    ),
    "teams": keyed(TEAM, {"id": "T-2", "name": "Search", "lead_id": "E-9", "min_present": 1, "blackouts": []}),
    "holidays": keyed(
        {"id": "H-1", "city": "Rome", "day": "2026-04-07", "name": "Rome Day"},
        {"id": "H-2", "city": "Oslo", "day": "2026-04-06", "name": "Spring Holiday"},
        {"id": "H-3", "city": "Bern", "day": "2026-04-08", "name": "Bern Day"},
    ),
    "accounts": keyed(
        account(
            "annual", 20.0, used=5.0, carried=3.0, carried_used=1.0, carried_until="2026-03-31", day_rate=200.55
        ),
        account("compensatory", 2.0),
        account("study", 5.0),
        account("unpaid", 10.0),
        account("parental", 60.0),
        account("sick", 30.0, used=2.0),
    ),
    "own_leaves": keyed(
        own("O-1", "annual", "2026-03-20", "2026-03-20", 1.0, from_carried=1.0),
        own("O-2", "annual", "2026-04-13", "2026-04-15", 3.0, "pending"),
        own("O-3", "sick", "2026-02-02", "2026-02-03", 2.0),
        own("O-4", "annual", "2026-06-01", "2026-06-05", 5.0, "declined"),
    ),
    "team_leaves": keyed(
        leave("L-1", "E-2", "annual", "2026-03-16", "2026-03-18", 3.0),
        leave("L-2", "E-3", "annual", "2026-03-17", "2026-03-19", 3.0, "approved", decided_on="2026-02-20"),
        leave("L-3", "E-4", "study", "2026-03-23", "2026-03-24", 2.0, "declined", reason="the_deadline",
              decided_on="2026-02-20"),
        leave("L-4", "E-4", "annual", "2026-02-16", "2026-02-17", 2.0, "cancelled"),
        leave("L-5", "E-5", "annual", "2026-03-25", "2026-03-27", 3.0),
        leave("L-6", "E-6", "annual", "2026-04-13", "2026-04-20", 6.0),
        leave("L-9", "E-9", "annual", "2026-03-16", "2026-03-18", 3.0, team_id="T-2"),
    ),
    "sick_leaves": keyed(
        sick("S-1", "E-4", "2026-03-02", "2026-03-03", 2.0),
        sick("S-2", "E-6", "2026-02-23", "2026-03-04", 8.0, certified=True),
        sick("S-3", "E-2", "2026-02-24", "2026-02-26", 3.0, status="closed", closed_on="2026-02-27"),
        sick("S-9", "E-9", "2026-03-02", "2026-03-03", 2.0, team_id="T-2"),
    ),
}  # fmt: skip
OWN, TEAMS, SICK = STATE["own_leaves"], STATE["team_leaves"], STATE["sick_leaves"]


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(HrLeave, STATE, rows=rows, **changes)


def with_own(*rows: Row) -> dict[str, Rows]:
    return {"own_leaves": keyed(*rows)}


def with_team(*rows: Row) -> dict[str, Rows]:
    return {"team_leaves": keyed(*rows)}


def with_sick(*rows: Row) -> dict[str, Rows]:
    return {"sick_leaves": keyed(*rows)}


def having(table: str, key: str, **changes: Any) -> dict[str, Rows]:
    return {table: keyed({**STATE[table][key], **changes})}


def asked(first: str, last: str, kind: str = "annual", **more: Any) -> Row:
    return {"kind": kind, "first_day": first, "last_day": last, **more}


# -- looking


def test_balances_are_told_by_kind() -> None:
    value = desk().gives("get_balances")
    assert value["day"] == TODAY
    assert value["total_left"] == 17 + 2 + 5 + 10 + 60 + 28
    assert value["balances"][0] == {
        "kind": "annual", "entitled": 20.0, "bought": 0, "used": 5.0, "carried_left": 2.0,
        "carried_until": "2026-03-31", "left": 17.0, "can_buy": 5, "can_sell": 5,
    }  # fmt: skip
    assert value["balances"][5] == {
        "kind": "sick", "entitled": 30.0, "bought": 0, "used": 2.0, "carried_left": 0.0, "left": 28.0,
    }  # fmt: skip
    assert [each["kind"] for each in desk().gives("get_balances", kind="study")["balances"]] == ["study"]


@pytest.mark.parametrize(("day", "left"), [("2026-03-31", 17.0), ("2026-04-01", 15.0), ("2026-12-31", 15.0)])
def test_carried_days_lapse(day: str, left: float) -> None:
    assert desk().gives("get_balances", kind="annual", day=day)["total_left"] == left


@pytest.mark.parametrize("day", ["2026-03-01", "2027-01-01"])
def test_balances_of_other_years_are_not_known(day: str) -> None:
    desk().refuses("get_balances", "invalid_argument", "to the end of the leave year, 2026-12-31", day=day)


@pytest.mark.parametrize(
    ("changes", "buy", "sell"),
    [({"bought": 4}, 1, 9), ({"bought": -3}, 8, 2), ({"used": 17.5}, 5, 2), ({"used": 20.0}, 5, 0)],
)
def test_balances_tell_how_many_days_can_be_bought_and_sold(changes: Row, buy: int, sell: int) -> None:
    (value,) = desk(having("accounts", "A-annual", **changes)).gives("get_balances", kind="annual")["balances"]
    assert (value["can_buy"], value["can_sell"]) == (buy, sell)


def test_nothing_can_be_bought_once_trading_is_over() -> None:
    (value,) = desk(trade_until="2026-03-02").gives("get_balances", kind="annual")["balances"]
    assert value["can_buy"] == 5
    (value,) = desk(trade_until="2026-03-01").gives("get_balances", kind="annual")["balances"]
    assert "can_buy" not in value
    assert "can_sell" not in value


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["E-2", "E-3", "E-4", "E-5", "E-6"]),
        ({"page": 2}, ["E-9"]),
        ({"team": "Search"}, ["E-9"]),
        ({"city": "Rome"}, ["E-3"]),
        ({"in_probation": True}, ["E-5", "E-9"]),
        ({"team": "Data"}, []),
    ],
)
def test_colleagues_are_found_by_name(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_colleagues", **arguments) == found


def test_probation_is_over_the_day_after() -> None:
    later = having("employees", "E-9", probation_until="2026-03-01")
    assert desk(later).ids("find_colleagues", in_probation=True) == ["E-5"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["O-4", "O-2", "O-1", "O-3"]),
        ({"status": "approved"}, ["O-1", "O-3"]),
        ({"kind": "sick"}, ["O-3"]),
        ({"page": 2}, []),
    ],
)
def test_own_leave_is_listed_the_latest_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_my_leave", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["L-1", "L-2", "L-3", "L-5", "L-6"]),
        ({"page": 2}, ["L-4"]),
        ({"status": "pending"}, ["L-1", "L-5", "L-6"]),
        ({"kind": "study"}, ["L-3"]),
        ({"colleague_id": "E-4"}, ["L-3", "L-4"]),
    ],
)
def test_leave_of_the_team_is_listed_with_what_is_to_come_on_top(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_team_leave", **arguments) == found


def test_leave_that_begins_today_is_not_to_come() -> None:
    rows = with_team(leave("L-0", "E-4", "annual", TODAY, TODAY, 1.0))
    assert desk(rows).ids("list_team_leave", page=2) == ["L-4", "L-0"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-2", "S-1", "S-3"]),
        ({"status": "closed"}, ["S-3"]),
        ({"uncertified": True}, ["S-1", "S-3"]),
        ({"colleague_id": "E-6"}, ["S-2"]),
        ({"page": 2}, []),
    ],
)
def test_sick_leave_is_listed_with_the_longest_on_top(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_sick_leave", **arguments) == found


@pytest.mark.parametrize("tool", ["list_team_leave", "list_sick_leave"])
@pytest.mark.parametrize("who", ["E-1", "E-9"])
def test_only_leave_of_those_who_are_led_is_listed(tool: str, who: str) -> None:
    desk().refuses(tool, "permission_denied", "not one of the people whom the signed-in lead leads", colleague_id=who)


def test_the_calendar_tells_who_is_away() -> None:
    rows = {**with_own(own("O-5", "study", "2026-03-18", "2026-03-18", 1.0)),
            **with_team(leave("L-2", "E-3", "annual", "2026-03-17", "2026-03-19", 3.0, "approved", cover_id="E-6",
                              cover="Flo Gold"))}  # fmt: skip
    value = desk(rows).gives("team_calendar", first_day="2026-03-16", last_day="2026-03-20")
    assert value == {
        "away": [
            {"employee_id": "E-3", "name": "Cy Dorn", "kind": "annual", "first_day": "2026-03-17",
             "last_day": "2026-03-19", "cover": "Flo Gold"},
            {"employee_id": "E-1", "name": "Ada Berg", "kind": "study", "first_day": "2026-03-18",
             "last_day": "2026-03-18"},
            {"employee_id": "E-1", "name": "Ada Berg", "kind": "annual", "first_day": "2026-03-20",
             "last_day": "2026-03-20"},
        ],
        "holidays": [], "blackouts": [], "fewest_present": 4, "tightest_day": "2026-03-18", "min_present": 3,
        "total": 3, "page": 1, "pages": 1,
    }  # fmt: skip


def test_the_calendar_tells_holidays_and_blackouts_of_the_team() -> None:
    value = desk().gives("team_calendar", first_day="2026-04-06", last_day="2026-05-04")
    assert [each["id"] for each in value["holidays"]] == ["H-2", "H-1"]
    assert value["blackouts"] == TEAM["blackouts"]
    assert (value["fewest_present"], value["tightest_day"]) == (6, "2026-04-08")  # nobody has to work on a holiday
    value = desk().gives("team_calendar", first_day="2026-04-08", last_day="2026-05-03")
    assert (value["holidays"], value["blackouts"]) == ([], [])
    value = desk().gives("team_calendar", first_day="2026-04-03", last_day="2026-04-06")
    assert [each["id"] for each in value["holidays"]] == ["H-2"]


def test_the_calendar_counts_illness_until_it_ends() -> None:
    value = desk().gives("team_calendar", first_day="2026-02-25", last_day="2026-03-05", page=1)
    assert [(each["employee_id"], each["kind"]) for each in value["away"]] == [
        ("E-6", "sick"), ("E-2", "sick"), ("E-4", "sick"),
    ]  # fmt: skip
    assert (value["fewest_present"], value["tightest_day"]) == (4, "2026-02-25")
    assert desk().gives("team_calendar", first_day="2026-02-25", last_day="2026-03-05", page=2)["away"] == []


def test_the_calendar_has_bounds() -> None:
    it = desk()
    it.refuses("team_calendar", "invalid_argument", "before the first one", first_day=TODAY, last_day="2026-03-01")
    assert it("team_calendar", first_day=TODAY, last_day="2026-05-02").ok
    it.refuses("team_calendar", "invalid_argument", "62 days at most", first_day=TODAY, last_day="2026-05-03")
    it.refuses(
        "team_calendar", "invalid_argument", "choose days with one among them", first_day="2026-03-07",
        last_day="2026-03-08",
    )  # fmt: skip
    words = "From 2026-04-06 to 2026-04-07 there is no workday of all the team's offices"
    it.refuses("team_calendar", "invalid_argument", words, first_day="2026-04-06", last_day="2026-04-07")


# -- asking for leave


def test_short_leave_is_approved_at_once_and_takes_carried_days_first() -> None:
    it = desk()
    value = it.gives("request_leave", **asked("2026-03-12", "2026-03-13", cover_id="E-2"))
    assert value == {
        **own("OL-1001", "annual", "2026-03-12", "2026-03-13", 2.0, from_carried=2.0), "cover_id": "E-2",
        "cover": "Ben Cole",
    }  # fmt: skip
    assert it.changed() == {
        "own_leaves.created": {"OL-1001": value}, "accounts.changed": {"A-annual": {"carried_used": 3.0}},
    }  # fmt: skip
    assert it.gives("get_balances", kind="annual")["total_left"] == 15.0
    assert it.ids("list_my_leave", status="approved") == ["O-1", "OL-1001", "O-3"]


@pytest.mark.parametrize(
    ("first", "last", "half", "days", "carried", "status"),
    [
        ("2026-03-16", "2026-03-18", None, 3.0, 2.0, "pending"),
        ("2026-03-16", "2026-03-18", "first_day", 2.5, 2.0, "pending"),
        ("2026-03-10", "2026-03-12", "last_day", 2.5, 2.0, "pending"),
        ("2026-03-12", "2026-03-13", "first_day", 1.5, 1.5, "approved"),
        ("2026-03-12", "2026-03-13", "last_day", 1.5, 1.5, "approved"),
        ("2026-03-12", "2026-03-12", "last_day", 0.5, 0.5, "approved"),
        ("2026-03-31", "2026-04-01", None, 2.0, 1.0, "approved"),
        ("2026-03-31", "2026-04-01", "first_day", 1.5, 0.5, "approved"),
        ("2026-03-31", "2026-04-01", "last_day", 1.5, 1.0, "approved"),
        ("2026-04-01", "2026-04-01", "first_day", 0.5, 0.0, "approved"),
        ("2026-04-03", "2026-04-08", None, 3.0, 0.0, "pending"),
    ],
)
def test_days_are_counted_and_taken_from_what_was_carried_over(
    first: str, last: str, half: str | None, days: float, carried: float, status: str
) -> None:
    it = desk()
    value = it.gives("request_leave", **asked(first, last, **({"half": half} if half else {})))
    assert (value["days"], value["from_carried"], value["status"]) == (days, carried, status)
    (left,) = it.gives("get_balances", kind="annual")["balances"]
    assert (left["used"], left["carried_left"]) == (5 + days - carried, 2 - carried)


@pytest.mark.parametrize(
    ("kind", "first", "ahead"),
    [
        ("compensatory", "2026-03-02", 1),
        ("annual", "2026-03-04", 3),
        ("study", "2026-03-13", 10),
        ("unpaid", "2026-03-20", 15),
        ("parental", "2026-04-13", 30),
    ],
)
def test_leave_is_asked_for_ahead(kind: str, first: str, ahead: int) -> None:
    it = desk({**with_own({**OWN["O-1"], "status": "cancelled"}, {**OWN["O-2"], "status": "cancelled"}),
               **having("team_leaves", "L-2", status="cancelled")})  # fmt: skip
    it.refuses("request_leave", "precondition_failed", f"asked for {ahead} workdays ahead", **asked(first, first, kind))
    after = add_workdays(dt.date.fromisoformat(first), 1).isoformat()
    assert it.gives("request_leave", **asked(after, after, kind))["status"] == "approved"


def test_long_leave_is_asked_for_further_ahead() -> None:
    it = desk({**with_own({**OWN["O-1"], "status": "cancelled"}), **having("teams", "T-1", min_present=0)})
    words = "asked for 15 workdays ahead"
    it.refuses("request_leave", "precondition_failed", words, **asked("2026-03-20", "2026-03-27", cover_id="E-4"))
    assert it.gives("request_leave", **asked("2026-03-23", "2026-03-30", cover_id="E-4"))["days"] == 6.0
    assert desk().gives("request_leave", **asked("2026-03-05", "2026-03-11"))["days"] == 5.0


def test_leave_that_adjoins_counts_together() -> None:
    it = desk(with_own({**OWN["O-1"], "status": "cancelled"}))
    assert it.gives("request_leave", **asked("2026-03-12", "2026-03-13"))["status"] == "approved"
    assert it.gives("request_leave", **asked("2026-03-17", "2026-03-17"))["status"] == "approved"
    assert it.gives("request_leave", **asked("2026-03-16", "2026-03-16"))["status"] == "pending"
    words = "asked for 15 workdays ahead"
    it.refuses("request_leave", "precondition_failed", words, **asked("2026-03-18", "2026-03-19"))
    it.refuses("request_leave", "precondition_failed", words, **asked("2026-03-10", "2026-03-11"))
    assert it.gives("request_leave", **asked("2026-03-11", "2026-03-11"))["status"] == "pending"


def test_what_was_declined_or_is_apart_does_not_count_together() -> None:
    near = own("O-5", "annual", "2026-06-08", "2026-06-09", 2.0)
    it = desk(with_own(near))
    assert it.gives("request_leave", **asked("2026-06-04", "2026-06-04"))["status"] == "approved"
    assert it.gives("request_leave", **asked("2026-06-11", "2026-06-11"))["status"] == "approved"
    assert desk(with_own(near)).gives("request_leave", **asked("2026-06-10", "2026-06-10"))["status"] == "pending"
    after = own("O-5", "annual", "2026-06-10", "2026-06-11", 2.0)
    assert desk(with_own(after)).gives("request_leave", **asked("2026-06-08", "2026-06-08"))["status"] == "approved"


def test_long_leave_that_is_split_needs_a_cover_for_all_of_it() -> None:
    it = desk()
    first = it.gives("request_leave", **asked("2026-06-15", "2026-06-19"))
    rest = asked("2026-06-22", "2026-06-22", "study", cover_id="E-2")
    words = "and this makes 6; name somebody of the team who stands in for the annual leave from 2026-06-15 first."
    it.refuses("request_leave", "precondition_failed", words, **rest)
    days = {"first_day": "2026-06-15", "last_day": "2026-06-19"}
    it.gives("change_leave", leave_id=first["id"], **days, cover_id="E-2")
    assert it.gives("request_leave", **rest)["status"] == "pending"
    words = "and this makes 7; name somebody of the team who stands in."
    it.refuses("request_leave", "precondition_failed", words, **asked("2026-06-23", "2026-06-23"))
    long = leave("L-7", "E-4", "annual", "2026-06-15", "2026-06-19", 5.0, "approved")
    it = desk(with_team(long, leave("L-8", "E-4", "unpaid", "2026-06-22", "2026-06-22", 1.0, cover_id="E-2")))
    words = "for the annual leave from 2026-06-15 first"
    it.refuses("approve_leave", "precondition_failed", words, leave_id="L-8")
    it.gives("name_cover", leave_id="L-7", cover_id="E-2")
    assert it.gives("approve_leave", leave_id="L-8")["status"] == "approved"


def test_leave_that_adjoins_what_has_begun_without_a_cover_stays_short() -> None:
    begun = leave("L-7", "E-4", "annual", TODAY, "2026-03-06", 5.0, "approved")
    it = desk(with_team(begun, leave("L-8", "E-4", "annual", "2026-03-09", "2026-03-09", 1.0, cover_id="E-2")))
    words = "makes 6; only days that do not adjoin the annual leave from 2026-03-02 are possible."
    it.refuses("approve_leave", "precondition_failed", words, leave_id="L-8")
    ahead = leave("L-7", "E-4", "annual", "2026-03-03", "2026-03-06", 5.0, "approved")
    it = desk(with_team(ahead, leave("L-8", "E-4", "annual", "2026-03-09", "2026-03-09", 1.0, cover_id="E-2")))
    words = "makes 6; name somebody of the team who stands in for the annual leave from 2026-03-03 first."
    it.refuses("approve_leave", "precondition_failed", words, leave_id="L-8")


def test_leave_between_two_others_joins_them() -> None:
    parts = (("O-5", "05", "05", 1.0), ("O-6", "09", "10", 2.0), ("O-7", "12", "15", 2.0), ("O-8", "17", "17", 1.0))
    it = desk(with_own(*(own(key, "annual", f"2026-06-{a}", f"2026-06-{b}", days) for key, a, b, days in parts)))
    assert it.gives("request_leave", **asked("2026-06-16", "2026-06-16"))["status"] == "pending"
    words = "needs a cover, and this makes 7"
    it.refuses("request_leave", "precondition_failed", words, **asked("2026-06-11", "2026-06-11"))


def test_long_leave_needs_a_cover() -> None:
    it = desk()
    words = "needs a cover, and this makes 6; name somebody"
    it.refuses("request_leave", "precondition_failed", words, **asked("2026-06-15", "2026-06-22"))
    value = it.gives("request_leave", **asked("2026-06-15", "2026-06-22", cover_id="E-2"))
    assert (value["status"], value["cover"]) == ("pending", "Ben Cole")


@pytest.mark.parametrize(
    ("code", "words", "arguments"),
    [
        ("invalid_argument", "before the first one", asked("2026-06-10", "2026-06-09")),
        ("invalid_argument", "The leave year ends on 2026-12-31", asked("2026-12-30", "2027-01-01")),
        ("invalid_argument", "There is no workday from 2026-06-13 to 2026-06-14", asked("2026-06-13", "2026-06-14")),
        ("invalid_argument", "There is no workday from 2026-04-06", asked("2026-04-06", "2026-04-06")),
        ("invalid_argument", "first day is no workday", asked("2026-06-14", "2026-06-15", half="first_day")),
        ("invalid_argument", "last day is no workday", asked("2026-06-12", "2026-06-13", half="last_day")),
        ("conflict", "annual leave from 2026-04-13 to 2026-04-15 (pending) already", asked("2026-04-15", "2026-04-16")),
        ("conflict", "only days outside of it are possible, unless it is changed or cancelled first.",
         asked("2026-04-15", "2026-04-16")),
        ("conflict", "already", asked("2026-04-10", "2026-04-13")),
        ("precondition_failed", "no leave from 2026-05-04 to 2026-05-08 (release)", asked("2026-05-08", "2026-05-11")),
        ("precondition_failed", "no leave from 2026-05-04", asked("2026-04-30", "2026-05-04")),
        ("limit_exceeded", "Only 2 days of compensatory leave can be used", asked("2026-06-15", "2026-06-17",
                                                                                  "compensatory")),
        ("permission_denied", "Zo Zorn is not one of the people", asked("2026-06-15", "2026-06-15", cover_id="E-9")),
        ("permission_denied", "Ada Berg is not one", asked("2026-06-15", "2026-06-15", cover_id="E-1")),
        ("conflict", "Cy Dorn is away from 2026-03-17 to 2026-03-19; name another cover",
         asked("2026-03-19", "2026-03-19", cover_id="E-3")),
        ("not_found", "'E-0'", asked("2026-06-15", "2026-06-15", cover_id="E-0")),
    ],
)  # fmt: skip
def test_leave_that_rules_are_against_is_refused(code: str, words: str, arguments: Row) -> None:
    desk().refuses("request_leave", code, words, **arguments)


@pytest.mark.parametrize(("first", "last"), [("2026-12-30", "2026-12-31"), ("2026-05-11", "2026-05-11"),
                                             ("2026-04-30", "2026-05-01"), ("2026-04-10", "2026-04-10"),
                                             ("2026-04-16", "2026-04-16")])  # fmt: skip
def test_leave_next_to_what_is_barred_is_possible(first: str, last: str) -> None:
    assert desk().gives("request_leave", **asked(first, last))["days"] in (1.0, 2.0)


def test_all_that_is_left_can_be_taken() -> None:
    it = desk(having("accounts", "A-annual", used=18.0))
    it.refuses("request_leave", "limit_exceeded", "Only 2 days of annual leave", **asked("2026-06-15", "2026-06-17"))
    assert it.gives("request_leave", **asked("2026-06-15", "2026-06-16"))["from_carried"] == 0.0
    it = desk(having("accounts", "A-annual", used=18.0))
    words = "Only 4 days of annual leave can be used in that time, and this takes 5 days"
    it.refuses("request_leave", "limit_exceeded", words, **asked("2026-03-09", "2026-03-13"))
    assert it.gives("request_leave", **asked("2026-03-10", "2026-03-13"))["from_carried"] == 2.0


def crowd(first: str, last: str) -> list[Row]:
    """Leave that leaves four of the six at work."""
    return [leave(f"L-{who}", who, "annual", first, last, 1.0, "approved") for who in ("E-4", "E-6")]


def test_enough_of_the_team_stay_at_work() -> None:
    day = "2026-06-16"
    it = desk(with_team(*crowd(day, day)))
    assert it.gives("request_leave", **asked(day, day))["status"] == "approved"
    third = leave("L-7", "E-2", "study", day, day, 1.0, "approved")
    words = f"Only 2 of the team would be at work on {day}, and 3 have to be"
    desk(with_team(*crowd(day, day), third)).refuses(
        "request_leave", "limit_exceeded", words, **asked(day, "2026-06-17")
    )
    waiting = with_team(*crowd(day, day), {**third, "status": "pending"})
    assert desk(waiting).gives("request_leave", **asked(day, day))["status"] == "approved"
    assert desk(with_team(*crowd(day, day), third)).gives("request_leave", **asked("2026-06-17", "2026-06-17"))


def test_parental_leave_is_possible_in_any_case() -> None:
    assert desk().gives("request_leave", **asked("2026-05-04", "2026-05-05", "parental"))["status"] == "approved"
    assert desk(having("teams", "T-1", min_present=6)).gives(
        "request_leave", **asked("2026-06-15", "2026-06-15", "parental")
    )


@pytest.mark.parametrize("kind", ["study", "unpaid"])
def test_there_is_no_such_leave_in_probation(kind: str) -> None:
    new = having("employees", "E-1", probation_until="2026-06-15")
    words = f"no {kind} leave in probation, which ends on 2026-06-15"
    desk(new).refuses("request_leave", "precondition_failed", words, **asked("2026-06-15", "2026-06-16", kind))
    assert desk(new).gives("request_leave", **asked("2026-06-16", "2026-06-16", kind))["status"] == "approved"


def test_leave_in_probation_is_short() -> None:
    new = having("employees", "E-1", probation_until="2026-07-15")
    words = "In probation, until 2026-07-15, 2 days in a row are possible, not 3 days"
    desk(new).refuses("request_leave", "limit_exceeded", words, **asked("2026-06-15", "2026-06-17"))
    assert desk(new).gives("request_leave", **asked("2026-06-15", "2026-06-16"))["days"] == 2.0
    assert desk(new).gives("request_leave", **asked("2026-06-15", "2026-06-17", "parental"))["days"] == 3.0


# -- changing and cancelling


def test_leave_is_changed_and_decided_on_anew() -> None:
    it = desk()
    value = it.gives("change_leave", leave_id="O-1", first_day="2026-06-15", last_day="2026-06-17", half="last_day")
    assert value == {
        **OWN["O-1"], "first_day": "2026-06-15", "last_day": "2026-06-17", "half": "last_day", "days": 2.5,
        "status": "pending", "from_carried": 0.0,
    }  # fmt: skip
    (left,) = it.gives("get_balances", kind="annual")["balances"]
    assert (left["used"], left["carried_left"]) == (7.5, 3.0)
    again = it.gives("change_leave", leave_id="O-1", first_day="2026-03-20", last_day="2026-03-20")
    assert again == OWN["O-1"]
    assert it.changed() == {}


def test_a_change_keeps_the_cover_or_names_another() -> None:
    rows = with_own({**OWN["O-2"], "cover_id": "E-2", "cover": "Ben Cole"})
    it = desk(rows)
    days: Row = {"leave_id": "O-2", "first_day": "2026-04-14", "last_day": "2026-04-15"}
    assert it.gives("change_leave", **days)["cover_id"] == "E-2"
    assert it.gives("change_leave", **days, cover_id="E-4")["cover"] == "Di Ekko"
    it.refuses("change_leave", "conflict", "That is how the leave is already", **days, cover_id="E-4")
    it.refuses("change_leave", "conflict", "That is how the leave is already", **days)
    assert it.gives("change_leave", **days, half="first_day")["days"] == 1.5
    away = "Cy Dorn is away"
    it = desk(with_own({**OWN["O-2"], "cover_id": "E-3", "cover": "Cy Dorn"}))
    it.refuses("change_leave", "conflict", away, leave_id="O-2", first_day="2026-03-18", last_day="2026-03-18")


def test_a_change_counts_its_own_days_once() -> None:
    it = desk(having("accounts", "A-annual", used=20.0))
    assert it.gives("change_leave", leave_id="O-2", first_day="2026-04-14", last_day="2026-04-16")["days"] == 3.0
    it.refuses(
        "change_leave", "limit_exceeded", "Only 3 days", leave_id="O-2", first_day="2026-04-14", last_day="2026-04-17"
    )


@pytest.mark.parametrize("tool", ["change_leave", "cancel_leave"])
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "declined"}, "That leave is declined, so it cannot be"),
        ({"status": "cancelled"}, "That leave is cancelled"),
        ({"first_day": TODAY}, "That leave began on 2026-03-02"),
    ],
)
def test_leave_is_changed_and_cancelled_until_the_day_before(tool: str, changes: Row, words: str) -> None:
    more: Row = {"first_day": "2026-06-15", "last_day": "2026-06-15"} if tool == "change_leave" else {}
    it = desk(having("own_leaves", "O-1", **changes))
    it.refuses(tool, "precondition_failed", words, leave_id="O-1", **more)
    ahead = having("own_leaves", "O-1", first_day="2026-03-03", last_day="2026-03-03")
    assert desk(ahead)(tool, leave_id="O-1", **more).ok
    it.refuses(tool, "not_found", "'O-0'", leave_id="O-0", **more)


def test_a_cancelled_leave_gives_its_days_back() -> None:
    it = desk()
    value = it.gives("cancel_leave", leave_id="O-1")
    assert value == {**OWN["O-1"], "status": "cancelled"}
    assert it.changed() == {
        "own_leaves.changed": {"O-1": {"status": "cancelled"}}, "accounts.changed": {"A-annual": {"carried_used": 0.0}},
    }  # fmt: skip
    (left,) = it.gives("get_balances", kind="annual")["balances"]
    assert (left["used"], left["carried_left"]) == (5.0, 3.0)
    assert it.gives("cancel_leave", leave_id="O-2")["status"] == "cancelled"
    (left,) = it.gives("get_balances", kind="annual")["balances"]
    assert (left["used"], left["carried_left"]) == (2.0, 3.0)
    assert it.gives("request_leave", **asked("2026-04-13", "2026-04-14"))["status"] == "approved"


# -- deciding


def test_a_cover_is_named() -> None:
    it = desk()
    value = it.gives("name_cover", leave_id="L-6", cover_id="E-4")
    assert value == {**TEAMS["L-6"], "cover_id": "E-4", "cover": "Di Ekko"}
    assert it.gives("name_cover", leave_id="L-6", cover_id="E-2")["cover"] == "Ben Cole"
    it.refuses("name_cover", "conflict", "Ben Cole is the cover already", leave_id="L-6", cover_id="E-2")
    changes = it.changed()
    assert [(table, list(rows)) for table, rows in changes.items()] == [("team_leaves.changed", ["L-6"])]
    assert changes["team_leaves.changed"]["L-6"].items() >= {"cover_id": "E-2", "cover": "Ben Cole"}.items()


@pytest.mark.parametrize(
    ("code", "words", "key", "cover"),
    [
        ("invalid_argument", "Nobody stands in for themselves", "L-6", "E-6"),
        ("permission_denied", "Zo Zorn is not one", "L-6", "E-9"),
        ("permission_denied", "Ada Berg is not one", "L-6", "E-1"),
        ("permission_denied", "belongs to somebody else", "L-9", "E-4"),
        ("conflict", "Cy Dorn is away from 2026-03-17 to 2026-03-19", "L-1", "E-3"),
        ("precondition_failed", "That leave is declined, so it cannot be covered", "L-3", "E-2"),
        ("precondition_failed", "That leave is cancelled", "L-4", "E-2"),
    ],
)
def test_a_cover_who_cannot_stand_in_is_refused(code: str, words: str, key: str, cover: str) -> None:
    desk().refuses("name_cover", code, words, leave_id=key, cover_id=cover)


@pytest.mark.parametrize("status", ["pending", "approved"])
def test_nobody_stands_in_for_two_at_a_time(status: str) -> None:
    other = leave("L-7", "E-4", "annual", "2026-03-18", "2026-03-20", 3.0, status, cover_id="E-6", cover="Flo Gold")
    it = desk(with_team(other))
    words = "Flo Gold stands in for Di Ekko in that time; name another cover"
    it.refuses("name_cover", "conflict", words, leave_id="L-1", cover_id="E-6")
    later = {**other, "first_day": "2026-03-19"}
    assert desk(with_team(later)).gives("name_cover", leave_id="L-1", cover_id="E-6")
    gone = {**other, "status": "declined"}
    assert desk(with_team(gone)).gives("name_cover", leave_id="L-1", cover_id="E-6")
    mine = own("O-5", "annual", "2026-03-18", "2026-03-18", 1.0, status, cover_id="E-6", cover="Flo Gold")
    words = "Flo Gold stands in for Ada Berg"
    desk(with_own(mine)).refuses("name_cover", "conflict", words, leave_id="L-1", cover_id="E-6")


def test_leave_is_approved() -> None:
    it = desk()
    value = it.gives("approve_leave", leave_id="L-1")
    assert value == {**TEAMS["L-1"], "status": "approved", "decided_on": TODAY}
    calendar = it.gives("team_calendar", first_day="2026-03-16", last_day="2026-03-16")
    assert [each["employee_id"] for each in calendar["away"]] == ["E-2"]
    it.refuses("approve_leave", "precondition_failed", "choose one that is pending or declined", leave_id="L-1")
    assert it.changed() == {"team_leaves.changed": {"L-1": {"status": "approved", "decided_on": TODAY}}}


def test_a_declined_leave_can_be_approved_after_all() -> None:
    value = desk().gives("approve_leave", leave_id="L-3")
    assert value == {key: v for key, v in TEAMS["L-3"].items() if key != "reason"} | {
        "status": "approved", "decided_on": TODAY,
    }  # fmt: skip


def test_leave_is_declined_until_the_day_before() -> None:
    it = desk()
    for key in ("L-1", "L-2"):
        value = it.gives("decline_leave", leave_id=key, reason="short_notice")
        assert value == {**TEAMS[key], "status": "declined", "reason": "short_notice", "decided_on": TODAY}
    words = "That leave is declined, so it cannot be declined"
    it.refuses("decline_leave", "precondition_failed", words, leave_id="L-3", reason="the_deadline")
    assert it.gives("approve_leave", leave_id="L-2") == {**TEAMS["L-2"], "decided_on": TODAY}


@pytest.mark.parametrize(
    ("tool", "more"),
    [("approve_leave", {}), ("decline_leave", {"reason": "a_blackout"}), ("name_cover", {"cover_id": "E-2"})],
)
def test_only_leave_of_the_own_team_that_has_not_begun_is_decided_on(tool: str, more: Row) -> None:
    it = desk(with_team(leave("L-7", "E-4", "annual", TODAY, "2026-03-03", 2.0),
                        leave("L-8", "E-3", "annual", "2026-03-03", "2026-03-03", 1.0)))  # fmt: skip
    it.refuses(tool, "permission_denied", "belongs to somebody else", leave_id="L-9", **more)
    it.refuses(tool, "precondition_failed", "That leave began on 2026-03-02", leave_id="L-7", **more)
    it.refuses(tool, "precondition_failed", "That leave is cancelled", leave_id="L-4", **more)
    assert it(tool, leave_id="L-8", **more).ok


@pytest.mark.parametrize(
    ("code", "words", "row"),
    [
        ("limit_exceeded", "2 days in a row are possible, not 3 days", TEAMS["L-5"]),
        ("precondition_failed", "needs a cover, and this makes 6", TEAMS["L-6"]),
        ("precondition_failed", "(release)", leave("L-7", "E-4", "annual", "2026-05-07", "2026-05-08", 2.0)),
        ("precondition_failed", "no study leave in probation",
         leave("L-7", "E-5", "study", "2026-04-30", "2026-04-30", 1.0)),
        ("conflict", "(reported) already; only days outside of it are possible, unless it is closed with an",
         leave("L-7", "E-6", "annual", "2026-03-04", "2026-03-05", 2.0)),
        ("conflict", "(approved) already; only days outside of it are possible, unless it is declined first",
         leave("L-7", "E-3", "annual", "2026-03-19", "2026-03-20", 2.0)),
        ("conflict", "Cy Dorn is away", leave("L-7", "E-4", "annual", "2026-03-19", "2026-03-20", 2.0, cover_id="E-3",
                                              cover="Cy Dorn")),
    ],
)  # fmt: skip
def test_leave_that_rules_are_against_is_not_approved(code: str, words: str, row: Row) -> None:
    desk(with_team(row)).refuses("approve_leave", code, words, leave_id=row["id"])


def test_leave_with_a_cover_is_approved_and_binds_the_cover() -> None:
    it = desk()
    it.gives("name_cover", leave_id="L-6", cover_id="E-4")
    assert it.gives("approve_leave", leave_id="L-6")["cover"] == "Di Ekko"
    it = desk(with_team({**TEAMS["L-6"], "cover_id": "E-4", "cover": "Di Ekko"},
                        leave("L-7", "E-4", "annual", "2026-04-20", "2026-04-21", 2.0)))  # fmt: skip
    words = "Di Ekko stands in for Flo Gold from 2026-04-13 to 2026-04-20; another cover has to be named"
    it.refuses("approve_leave", "conflict", words, leave_id="L-7")
    it.gives("name_cover", leave_id="L-6", cover_id="E-2")
    assert it.gives("approve_leave", leave_id="L-7")["status"] == "approved"


def test_approval_leaves_enough_at_work() -> None:
    day = "2026-06-16"
    rows = with_team(*crowd(day, day), leave("L-7", "E-2", "annual", "2026-06-15", day, 2.0))
    assert desk(rows).gives("approve_leave", leave_id="L-7")["status"] == "approved"
    tight = {**rows, **with_own(own("O-5", "annual", day, day, 1.0))}
    words = f"Only 2 of the team would be at work on {day}"
    desk(tight).refuses("approve_leave", "limit_exceeded", words, leave_id="L-7")
    for city, ok in (("Rome", True), ("Oslo", True), ("Bern", False)):  # nobody has to work on a holiday
        closed = {**tight, "holidays": keyed({"id": "H-9", "city": city, "day": day, "name": "Fair"})}
        assert desk(closed)("approve_leave", leave_id="L-7").ok is ok


@pytest.mark.parametrize(("first", "way"), [("2026-03-03", "another cover has to be named"), (TODAY, "only days out")])
def test_who_stands_in_is_told_what_is_possible(first: str, way: str) -> None:
    rows = with_team(leave("L-7", "E-2", "annual", first, "2026-03-20", 14.0, "approved", cover_id="E-4"),
                     leave("L-8", "E-4", "annual", "2026-03-19", "2026-03-19", 1.0))  # fmt: skip
    desk(rows).refuses("approve_leave", "conflict", f"to 2026-03-20; {way}", leave_id="L-8")


def test_parental_leave_does_not_count_in_probation() -> None:
    new = leave("L-7", "E-5", "annual", "2026-04-09", "2026-04-10", 2.0)
    parental = leave("L-8", "E-5", "parental", "2026-04-13", "2026-04-14", 2.0, "approved")
    assert desk(with_team(new, parental)).gives("approve_leave", leave_id="L-7")["status"] == "approved"
    more = leave("L-9", "E-5", "annual", "2026-04-15", "2026-04-15", 1.0, "approved")
    words = "not 3 days; only shorter"
    desk(with_team(new, parental, more)).refuses("approve_leave", "limit_exceeded", words, leave_id="L-7")


def test_leave_of_others_that_adjoins_counts_together_too() -> None:
    rows = with_team(leave("L-7", "E-5", "annual", "2026-03-30", "2026-03-30", 1.0, "approved"),
                     leave("L-8", "E-5", "annual", "2026-03-31", "2026-04-01", 2.0),
                     {**TEAMS["L-5"], "status": "declined"})  # fmt: skip
    desk(rows).refuses("approve_leave", "limit_exceeded", "not 3 days", leave_id="L-8")


# -- illness


def test_illness_is_reported() -> None:
    it = desk()
    value = it.gives("report_sick", employee_id="E-3", first_day="2026-02-28", last_day=TODAY)
    assert value == sick("SL-1001", "E-3", "2026-02-28", TODAY, 1.0)
    assert it.changed() == {"sick_leaves.created": {"SL-1001": value}}
    assert it.ids("list_sick_leave", colleague_id="E-3") == ["SL-1001"]


@pytest.mark.parametrize(
    ("code", "words", "who", "first", "last"),
    [
        ("permission_denied", "Zo Zorn is not one", "E-9", TODAY, TODAY),
        ("permission_denied", "Ada Berg is not one", "E-1", TODAY, TODAY),
        ("not_found", "'E-0'", "E-0", TODAY, TODAY),
        ("invalid_argument", "before the first one", "E-3", TODAY, "2026-03-01"),
        ("invalid_argument", "up to 3 days later, not for 2026-02-26", "E-3", "2026-02-26", "2026-02-27"),
        ("invalid_argument", "not for 2026-03-03", "E-3", "2026-03-03", "2026-03-03"),
        ("invalid_argument", "There is no workday", "E-3", "2026-02-28", "2026-03-01"),
        ("conflict", "There is sick leave from 2026-03-02 to 2026-03-03 (reported)", "E-4", "2026-03-01", TODAY),
        ("limit_exceeded", "3 days of illness in a row are possible, since 2026-03-02 here; report fewer days", "E-3",
         TODAY, "2026-03-05"),
        ("limit_exceeded", "since 2026-02-24 here; extend the earlier sick leave", "E-2", "2026-02-27", "2026-02-27"),
    ],
)  # fmt: skip
def test_illness_that_cannot_be_reported_is_refused(code: str, words: str, who: str, first: str, last: str) -> None:
    desk().refuses("report_sick", code, words, employee_id=who, first_day=first, last_day=last)


def test_illness_of_three_days_from_three_days_ago_is_reported() -> None:
    it = desk()
    assert it.gives("report_sick", employee_id="E-3", first_day="2026-02-27", last_day="2026-03-01")["days"] == 1.0
    assert it.gives("report_sick", employee_id="E-5", first_day=TODAY, last_day="2026-03-04")["days"] == 3.0
    assert it.gives("report_sick", employee_id="E-2", first_day=TODAY, last_day="2026-03-04")["days"] == 3.0


def test_illness_after_illness_over_a_weekend_counts_together() -> None:
    short = sick("S-5", "E-3", "2026-02-27", "2026-02-27", 1.0, status="closed", closed_on="2026-02-28")
    words = "since 2026-02-27 here; extend the earlier"
    desk(with_sick(short)).refuses(
        "report_sick", "limit_exceeded", words, employee_id="E-3", first_day=TODAY, last_day=TODAY
    )
    before = sick("S-4", "E-3", "2026-02-25", "2026-02-26", 2.0, status="closed", closed_on="2026-02-28")
    words = "since 2026-02-25 here"
    desk(with_sick(before, short)).refuses(
        "report_sick", "limit_exceeded", words, employee_id="E-3", first_day=TODAY, last_day=TODAY
    )


def test_illness_before_illness_counts_together() -> None:
    later = with_sick(sick("S-5", "E-3", TODAY, "2026-03-03", 2.0))
    words = "since 2026-02-27 here; report only days that do not adjoin the sick leave from 2026-03-02"
    desk(later).refuses(
        "report_sick", "limit_exceeded", words, employee_id="E-3", first_day="2026-02-27", last_day="2026-02-27"
    )
    later = with_sick(sick("S-5", "E-3", "2026-03-03", "2026-03-03", 1.0))
    desk(later).refuses(
        "report_sick", "limit_exceeded", "days of illness", employee_id="E-3", first_day="2026-02-28", last_day=TODAY
    )
    assert desk(later).gives("report_sick", employee_id="E-3", first_day="2026-02-27", last_day="2026-02-27")
    assert desk(later).gives("report_sick", employee_id="E-3", first_day=TODAY, last_day=TODAY)["days"] == 1.0


def test_illness_after_a_day_at_work_is_another_one() -> None:
    before = sick("S-5", "E-3", "2026-02-24", "2026-02-25", 2.0, status="closed", closed_on="2026-02-26")
    it = desk(with_sick(before))
    assert it.gives("report_sick", employee_id="E-3", first_day="2026-02-27", last_day="2026-03-01")["days"] == 1.0


def test_nobody_is_ill_on_leave() -> None:
    rows = with_team(leave("L-7", "E-3", "annual", "2026-03-03", "2026-03-04", 2.0))
    words = "There is annual leave from 2026-03-03 to 2026-03-04 (pending) already"
    desk(rows).refuses("report_sick", "conflict", words, employee_id="E-3", first_day=TODAY, last_day="2026-03-03")
    assert desk(rows).gives("report_sick", employee_id="E-3", first_day=TODAY, last_day=TODAY)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (with_team(leave("L-7", "E-3", "annual", TODAY, "2026-03-04", 3.0, "approved")), "(approved) already"),
        (with_sick(sick("S-5", "E-3", TODAY, "2026-03-03", 2.0, status="closed", closed_on=TODAY)), "(closed) already"),
    ],
)
def test_no_way_round_is_told_where_there_is_none(rows: dict[str, Rows], words: str) -> None:
    it, days = desk(rows), {"employee_id": "E-3", "first_day": TODAY, "last_day": TODAY}
    it.refuses("report_sick", "conflict", f"{words}; only days outside of it are possible.", **days)


def test_a_way_round_is_told_where_there_is_one() -> None:
    it = desk(with_team(leave("L-7", "E-3", "annual", "2026-03-03", "2026-03-04", 2.0)))
    days: Row = {"first_day": TODAY, "last_day": "2026-03-03"}
    words = "possible, unless it is declined first (decline_leave)."
    it.refuses("report_sick", "conflict", words, employee_id="E-3", **days)
    words = "possible, unless it is closed with an earlier return (close_sickness)."
    it.refuses("report_sick", "conflict", words, employee_id="E-4", **days)
    begun = own("O-5", "annual", "2026-02-27", "2026-03-06", 6.0)
    words = "2026-03-06 (approved) already; only days outside of it are possible."
    desk(with_own(begun)).refuses("request_leave", "conflict", words, **asked("2026-03-06", "2026-03-06"))


def test_a_certificate_extends_sick_leave() -> None:
    it = desk()
    value = it.gives("file_certificate", leave_id="S-1", until="2026-03-10")
    assert value == {**SICK["S-1"], "last_day": "2026-03-10", "days": 7.0, "certified": True}
    assert it.gives("file_certificate", leave_id="S-1", until="2026-03-11")["days"] == 8.0
    words = "goes on until 2026-03-11; a certificate has to reach further"
    it.refuses("file_certificate", "invalid_argument", words, leave_id="S-1", until="2026-03-11")
    assert list(it.changed()) == ["sick_leaves.changed"]


def test_a_certificate_can_confirm_what_was_reported() -> None:
    it = desk()
    assert it.gives("file_certificate", leave_id="S-3", until="2026-02-26") == {**SICK["S-3"], "certified": True}
    words = "goes on until 2026-02-26; a certificate has to reach further"
    it.refuses("file_certificate", "invalid_argument", words, leave_id="S-3", until="2026-02-26")
    words = "a certificate has to reach as far at least"
    it.refuses("file_certificate", "invalid_argument", words, leave_id="S-1", until=TODAY)
    it.refuses("file_certificate", "invalid_argument", "until 2026-03-03", leave_id="S-1", until=TODAY)
    assert it.gives("file_certificate", leave_id="S-1", until="2026-03-03") == {**SICK["S-1"], "certified": True}


def test_a_certificate_reopens_sick_leave_for_a_week() -> None:
    it = desk()
    value = it.gives("file_certificate", leave_id="S-3", until=TODAY)
    assert value == {key: v for key, v in SICK["S-3"].items() if key != "closed_on"} | {
        "last_day": TODAY, "days": 5.0, "certified": True, "status": "reported",
    }  # fmt: skip
    for last, ok in (("2026-02-23", True), ("2026-02-22", False)):
        old = having("sick_leaves", "S-3", first_day="2026-02-20", last_day=last)
        assert desk(old)("file_certificate", leave_id="S-3", until=TODAY).ok is ok
    words = "ended on 2026-02-22, and a certificate is filed within 7 days"
    old = having("sick_leaves", "S-3", first_day="2026-02-20", last_day="2026-02-22")
    desk(old).refuses("file_certificate", "precondition_failed", words, leave_id="S-3", until=TODAY)


def test_a_certificate_has_bounds() -> None:
    it = desk({**with_team({**TEAMS["L-3"], "status": "approved"}), **with_sick(sick("S-5", "E-5", TODAY, TODAY, 1.0))})
    words = "There is study leave from 2026-03-23 to 2026-03-24 (approved) already"
    it.refuses("file_certificate", "conflict", words, leave_id="S-1", until="2026-03-23")
    assert it.gives("file_certificate", leave_id="S-1", until="2026-03-22")["days"] == 15.0
    it = desk({**with_sick(sick("S-5", "E-3", TODAY, TODAY, 1.0)), **with_team({**TEAMS["L-2"], "status": "declined"})})
    it.refuses("file_certificate", "invalid_argument", "28 days from today", leave_id="S-5", until="2026-03-31")
    assert it.gives("file_certificate", leave_id="S-5", until="2026-03-30")["days"] == 21.0
    it.refuses("file_certificate", "permission_denied", "somebody else", leave_id="S-9", until="2026-03-10")


@pytest.mark.parametrize(
    ("back", "last", "days"),
    [(TODAY, "2026-03-01", 5.0), ("2026-03-03", TODAY, 6.0), ("2026-02-25", "2026-02-24", 2.0)],
)
def test_sick_leave_is_closed_with_the_return(back: str, last: str, days: float) -> None:
    it = desk()
    value = it.gives("close_sickness", leave_id="S-2", back_on=back)
    assert value == {**SICK["S-2"], "last_day": last, "days": days, "status": "closed", "closed_on": TODAY}
    words = "The sick leave was closed already, on 2026-03-02"
    it.refuses("close_sickness", "precondition_failed", words, leave_id="S-2", back_on=TODAY)
    again = it.gives("file_certificate", leave_id="S-2", until="2026-03-04")
    assert again == SICK["S-2"]


def test_sick_leave_that_was_over_keeps_its_last_day() -> None:
    over = with_sick(sick("S-5", "E-3", "2026-02-27", "2026-02-28", 1.0))
    value = desk(over).gives("close_sickness", leave_id="S-5", back_on=TODAY)
    assert (value["last_day"], value["days"]) == ("2026-02-28", 1.0)
    words = "The sick leave was until 2026-02-28; days after that need a certificate"
    desk(over).refuses("close_sickness", "precondition_failed", words, leave_id="S-5", back_on="2026-03-03")
    over = with_sick(sick("S-5", "E-3", "2026-02-27", "2026-03-01", 1.0))
    words = "The sick leave was until 2026-03-01"
    desk(over).refuses("close_sickness", "precondition_failed", words, leave_id="S-5", back_on="2026-03-03")


@pytest.mark.parametrize(
    ("code", "words", "key", "back"),
    [
        ("invalid_argument", "Di Ekko is ill since 2026-03-02; the return is after that", "S-1", TODAY),
        ("invalid_argument", "tomorrow at the latest", "S-2", "2026-03-04"),
        ("invalid_argument", "2026-03-01 is no workday", "S-2", "2026-03-01"),
        ("permission_denied", "belongs to somebody else", "S-9", "2026-03-03"),
        ("not_found", "'S-0'", "S-0", "2026-03-03"),
    ],
)
def test_a_return_that_cannot_be_is_refused(code: str, words: str, key: str, back: str) -> None:
    desk().refuses("close_sickness", code, words, leave_id=key, back_on=back)


# -- buying and selling


def test_days_are_bought_and_sold_again() -> None:
    it = desk()
    assert it.gives("trade_days", direction="buy", days=3) == {
        "direction": "buy", "days": 3, "amount": 601.65, "bought": 3, "left": 20.0,
    }  # fmt: skip
    assert it.changed() == {"accounts.changed": {"A-annual": {"bought": 3}}}
    value = it.gives("trade_days", direction="sell", days=3)
    assert (value["bought"], value["left"]) == (0, 17.0)
    assert it.changed() == {}


def test_five_days_on_balance_are_bought_or_sold() -> None:
    it = desk()
    assert it.gives("trade_days", direction="buy", days=5)["bought"] == 5
    words = "At most 5 days a year can be bought or sold on balance, and this makes 6; buy fewer"
    it.refuses("trade_days", "limit_exceeded", words, direction="buy", days=1)
    assert it.gives("trade_days", direction="sell", days=10)["bought"] == -5
    it.refuses("trade_days", "limit_exceeded", "makes 6; sell fewer", direction="sell", days=1)


def test_only_days_of_this_year_that_are_left_are_sold() -> None:
    it = desk(having("accounts", "A-annual", used=17.0))
    words = "Only 3 days of this year's annual leave are left, and carried days cannot be sold"
    it.refuses("trade_days", "limit_exceeded", words, direction="sell", days=4)
    assert it.gives("trade_days", direction="sell", days=3)["left"] == 2.0


def test_days_are_traded_for_a_while() -> None:
    assert desk(trade_until=TODAY).gives("trade_days", direction="buy", days=1)["bought"] == 1
    words = "Days were bought and sold until 2026-03-01"
    desk(trade_until="2026-03-01").refuses("trade_days", "precondition_failed", words, direction="buy", days=1)


# -- the scenario


@pytest.mark.parametrize(("seed", "size"), [(1, 60), (2, 60), (3, 20), (4, 240)])
def test_the_scenario_keeps_to_its_own_rules(seed: int, size: int) -> None:
    state: Any = build_scenario(HrLeave, seed, size, DEFAULT_NOW)
    today = DEFAULT_NOW.date()
    assert sum(len(getattr(state, table)) for table in ("employees", "team_leaves", "own_leaves", "sick_leaves")) >= 50
    for team in state.teams.values():
        members = {each.id: each for each in state.employees.values() if each.team_id == team.id}
        assert team.lead_id in members
        mine = team.id == state.team_id
        leaves = [x for x in (*state.team_leaves.values(), *state.sick_leaves.values()) if x.team_id == team.id]
        leaves += [*state.own_leaves.values()] if mine else []
        roster = Roster.of_team(team, members.values(), leaves, state.holidays.values(), today)
        for each in leaves:
            half = getattr(each, "half", None)
            who = members[each.employee_id]
            assert each.days == roster.measured(who, each.first_day, each.last_day, half)
            assert roster.works_on(who, each.first_day) or each.kind == "sick"
            if each.status in rules.LIVE:
                assert not [
                    x
                    for x in roster.of(who, rules.LIVE, each.id)
                    if rules.overlapping(x, each.first_day, each.last_day)
                ]
            if each.status == "approved" and each.kind != "sick" and each.id in state.team_leaves:
                roster.check_approval(each)
                assert each.decided_on < today
                assert each.decided_on < each.first_day
            if each.status == "approved" and each.id in state.own_leaves:
                assert each.first_day < today or each.kind != "sick"
        for ill in (x for x in leaves if x.kind == "sick" and x.id in state.sick_leaves):
            assert ill.certified or (ill.last_day - ill.first_day).days < rules.UNCERTIFIED
            assert (ill.status == "closed") == (ill.closed_on is not None)


@pytest.mark.parametrize("month", range(1, 13))
def test_the_scenario_is_for_any_day(month: int) -> None:
    for day in (1, 10, 13, 20, 25):
        now = dt.datetime(2026, month, day, 9, 0)
        state: Any = build_scenario(HrLeave, 1, 60, now)
        assert 240 <= (state.year_end - now.date()).days <= 310
        assert (state.year_end + dt.timedelta(days=1)).day == 1
        closed = {each.day for each in state.holidays.values()}
        for each in (*state.team_leaves.values(), *state.own_leaves.values()):
            assert not {each.first_day, each.last_day} & closed
            assert each.last_day <= state.year_end


def test_the_leave_year_ends_with_the_ninth_month_after() -> None:
    for month, end in ((1, "2026-10-31"), (3, "2026-12-31"), (4, "2027-01-31"), (12, "2027-09-30")):
        state: Any = build_scenario(HrLeave, 1, 60, dt.datetime(2026, month, 2, 9, 0))
        assert state.year_end.isoformat() == end
        days = {each.day.isoformat() for each in state.holidays.values()}
        assert ("2027-01-01" in days) == (month > 3)
        assert ("2025-12-25" in days) == (month == 1)
        assert "2026-12-25" in days


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_own_leave_of_the_scenario_keeps_to_the_rules(seed: int) -> None:
    state: Any = build_scenario(HrLeave, seed, 60, DEFAULT_NOW)
    leaves = (*state.own_leaves.values(), *state.team_leaves.values(), *state.sick_leaves.values())
    team = state.teams[state.team_id]
    it = Roster.of_team(team, state.employees.values(), leaves, state.holidays.values(), DEFAULT_NOW.date())
    for each in state.own_leaves.values():
        if each.status in rules.OPEN and each.kind != "sick":
            days = it.stretch(each)
            assert days <= rules.LONG or each.cover_id
            assert each.status == "approved" or days > rules.SHORT
            assert not [x for x in team.blackouts if rules.overlapping(x, each.first_day, each.last_day)]
            for day in it.staffed(each.first_day, each.last_day):
                assert it.present(day, each.employee_id) >= team.min_present
            if each.cover_id and each.first_day > it.today:
                it.check_cover(each, it.members[each.cover_id])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_accounts_of_the_scenario_add_up(seed: int) -> None:
    state: Any = build_scenario(HrLeave, seed, 60, DEFAULT_NOW)
    for each in state.accounts.values():
        taken = [x for x in state.own_leaves.values() if x.kind == each.kind and x.status in rules.OPEN]
        assert each.used == sum(x.days - x.from_carried for x in taken)
        assert each.carried_used == sum(x.from_carried for x in taken)
        assert each.used <= each.entitled
        assert each.carried_used <= each.carried


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_condition_is_in_the_scenario(seed: int) -> None:
    state: Any = build_scenario(HrLeave, seed, 60, DEFAULT_NOW)
    team = [x for x in state.team_leaves.values() if x.team_id == state.team_id]
    assert {x.status for x in team} == {"pending", "approved", "declined", "cancelled"}
    assert {x.status for x in state.own_leaves.values()} == {"pending", "approved", "declined", "cancelled"}
    assert {(x.status, x.certified) for x in state.sick_leaves.values()} == {
        ("reported", True), ("reported", False), ("closed", True), ("closed", False),
    }  # fmt: skip
    document = json.loads(state.model_dump_json())
    codes: set[str] = set()
    for key in [x.id for x in team if x.status == "pending"]:
        it = Desk(HrLeave, document)
        result = it("approve_leave", leave_id=key)
        codes.add("ok" if result.ok else result.value["error"]["message"])
    for words in ("at work on", "stands in for", "takes no leave", "needs a cover", "In probation"):
        assert any(words in each for each in codes), words
    assert "ok" in codes
