"""The on-call desk, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import pytest

from envfactory.catalogue.utilities import _incident_rota as rota
from envfactory.catalogue.utilities import _incident_rules as rules
from envfactory.catalogue.utilities.monitoring_and_incidents import MonitoringAndIncidents
from envfactory.environment import DEFAULT_NOW, ToolError, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00. Ann Abel is on call as primary, Bo Beck above her, then Cy Cole.

NOW = "2026-03-02T09:00:00"


def at(minutes: int) -> str:
    """The time so many minutes from now."""
    return (DEFAULT_NOW + dt.timedelta(minutes=minutes)).isoformat()


def engineer(key: str, name: str, team: str = "T-1") -> Row:
    return {"id": key, "team_id": team, "name": name, "email": f"{key.lower()}@mail.example"}


def service(key: str, name: str, *needs: str, **changes: Any) -> Row:
    monitor = {"measure": "error_rate", "threshold": 5, "window_minutes": 10, "urgency": "high_urgency"}
    return {
        "id": key, "team_id": "T-1", "name": name, "depends_on": list(needs), "public": True, "monitors": [monitor],
        **changes,
    }  # fmt: skip


def alert(key: str, place: str, measure: str, minutes: int, status: str = "acknowledged", **changes: Any) -> Row:
    """An alert of low urgency that is beyond its threshold, fired so many minutes ago."""
    acknowledged = {} if status == "firing" else {"acknowledged_by": "Ann Abel"}
    return {
        "id": key, "team_id": "T-1", "service_id": place, "service": NAMES[place], "measure": measure,
        "urgency": "low_urgency", "threshold": 50, "value": 80, "recovered": False, "status": status,
        "fired_at": at(-minutes), "level": "primary", "paged": "Ann Abel", "paged_at": at(-minutes),
        "in_incident": False, **acknowledged, **changes,
    }  # fmt: skip


def incident(key: str, place: str, measure: str, severity: str, minutes: int, **changes: Any) -> Row:
    """An incident that Ann Abel leads, with one alert that is normal again, declared so many minutes ago."""
    phases = {"next_phases": ["investigating", "identified", "monitoring"]} if severity in rules.SEVERE else {}
    row = {
        "id": key, "team_id": "T-1", "service_id": place, "service": NAMES[place], "measure": measure,
        "severity": severity, "worst": severity, "status": "open", "lead_id": "E-1", "lead": "Ann Abel",
        "declared_at": at(-minutes), "has_similar": False, "alerts": 1, "blocking": 0, "public": True,
        "phase": "unpublished", "next_phases": [],
        "timeline": [{"at": at(-minutes), "by": "Ann Abel", "what": f"declared as {severity}"}],
    }  # fmt: skip
    return {**row, **phases, **changes}


def shift(key: str, level: str, day: int, who: str, days: int = 1, **changes: Any) -> Row:
    """A shift that begins at 8:00 in so many days."""
    start = dt.datetime(2026, 3, 2, 8) + dt.timedelta(days=day)
    name = ENGINEERS[who]["name"]
    return {
        "id": key, "team_id": "T-1", "level": level, "day": start.date().isoformat(), "starts_at": start.isoformat(),
        "ends_at": (start + dt.timedelta(days=days)).isoformat(), "planned_id": who, "planned": name,
        "holder_id": who, "holder": name, "covered": False, **changes,
    }  # fmt: skip


def entry(what: str, by: str = "Ann Abel") -> Row:
    return {"at": NOW, "by": by, "what": what}


def with_entry(row: Row, what: str) -> list[Row]:
    return [*row["timeline"], entry(what)]


NAMES = {"S-1": "Checkout", "S-2": "Ledger", "S-3": "Vault", "S-4": "Reports", "S-9": "Search"}
ENGINEERS = keyed(
    engineer("E-1", "Ann Abel"), engineer("E-2", "Bo Beck"), engineer("E-3", "Cy Cole"), engineer("E-4", "Di Dorn"),
    engineer("E-5", "Ed Ekko"), engineer("E-9", "Zo Zorn", "T-9"),
)  # fmt: skip
IN_1: Row = {"in_incident": True, "incident_id": "I-1"}
OVER: Row = {"status": "resolved", "resolved_at": at(-600), "follow_up": "write it down", "follow_up_by": "2026-03-09"}
SILENT: Row = {"silenced_from": at(-60), "silenced_until": at(60)}
NORMAL: Row = {"value": 40, "recovered": True}
TO_DI: Row = {"holder_id": "E-4", "holder": "Di Dorn", "covered": True}
STATE: dict[str, Any] = {
    "engineer_id": "E-1",
    "team_id": "T-1",
    "teams": keyed({"id": "T-1", "name": "payments"}, {"id": "T-9", "name": "search"}),
    "engineers": ENGINEERS,
    "services": keyed(
        service("S-1", "Checkout", "Ledger"),
        service("S-2", "Ledger", "Vault"),
        service("S-3", "Vault", public=False),
        service("S-4", "Reports"),
        service("S-9", "Search", team_id="T-9"),
    ),
    "alerts": keyed(
        alert("A-1", "S-1", "error_rate", 20, "firing", urgency="high_urgency"),
        alert("A-2", "S-1", "queue_length", 30),
        alert("A-3", "S-1", "disk_use", 40, "silenced", **SILENT),
        alert("A-4", "S-1", "memory_use", 50, **IN_1, **NORMAL),
        alert("A-5", "S-2", "queue_length", 60, "firing", in_incident=True, incident_id="I-2"),
        alert("A-6", "S-2", "disk_use", 900, "resolved", **NORMAL, in_incident=True, incident_id="I-5",
              resolved_at=at(-600)),
        alert("A-7", "S-2", "error_rate", 950, "resolved", **NORMAL, in_incident=True, incident_id="I-5",
              resolved_at=at(-700)),
        alert("A-8", "S-4", "disk_use", 70, urgency="high_urgency"),
        alert("A-10", "S-1", "response_time", 800, "resolved", **NORMAL, resolved_at=at(-700)),
        alert("A-9", "S-9", "disk_use", 10, "firing", team_id="T-9"),
    ),
    "incidents": keyed(
        incident("I-1", "S-1", "memory_use", "major", 45),
        incident("I-2", "S-2", "queue_length", "moderate", 55, blocking=1, lead_id="E-2", lead="Bo Beck"),
        incident("I-3", "S-2", "error_rate", "critical", 40, alerts=0, similar_id="I-2", has_similar=True),
        incident("I-4", "S-4", "error_rate", "minor", 30, alerts=0),
        incident("I-5", "S-2", "disk_use", "major", 890, alerts=2, next_phases=[], **OVER),
        incident("I-6", "S-1", "disk_use", "minor", 35, status="merged", merged_into="I-1", alerts=0),
        incident("I-9", "S-9", "disk_use", "moderate", 9, team_id="T-9", lead_id="E-9", lead="Zo Zorn"),
    ),
    "shifts": keyed(
        shift("H-1", "primary", 0, "E-1"),
        shift("H-2", "secondary", 0, "E-2", days=7),
        shift("H-3", "manager", 0, "E-3", days=7),
        shift("H-4", "primary", 4, "E-1"),
        shift("H-5", "primary", 8, "E-1", **TO_DI),
        shift("H-6", "primary", 10, "E-4"),
        shift("H-7", "primary", 14, "E-5"),
        shift("H-8", "primary", -1, "E-4"),
        shift("H-10", "primary", 20, "E-5", **TO_DI),
        shift("H-9", "primary", 2, "E-9", team_id="T-9"),
    ),
}  # fmt: skip
ALERTS, INCIDENTS, SHIFTS = STATE["alerts"], STATE["incidents"], STATE["shifts"]


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(MonitoringAndIncidents, STATE, rows=rows, **changes)


def having(table: str, key: str, **changes: Any) -> dict[str, Rows]:
    return {table: keyed({**STATE[table][key], **changes})}


# -- services


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-1", "S-2", "S-4", "S-3"]),
        ({"public": True}, ["S-1", "S-2", "S-4"]),
        ({"needed": "Ledger"}, ["S-1"]),
        ({"needed": "Vault", "public": True}, ["S-2"]),
        ({"needed": "Checkout"}, []),
        ({"page": 2}, []),
    ],
)
def test_the_teams_services_are_found_by_name(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_services", **arguments) == found


def test_a_service_comes_with_its_monitors() -> None:
    value = desk().gives("find_services", needed="Ledger")
    assert value["services"] == [STATE["services"]["S-1"]]


def test_of_services_that_need_one_only_the_teams_own_are_found() -> None:
    rows = {"services": keyed(service("S-8", "Maps", "Checkout", team_id="T-9"))}
    assert desk(rows).ids("find_services", needed="Checkout") == []


# -- alerts


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["A-1", "A-2", "A-3", "A-4", "A-5"]),
        ({"page": 2}, ["A-8", "A-10", "A-6", "A-7"]),
        ({"status": "firing"}, ["A-1", "A-5"]),
        ({"urgency": "high_urgency"}, ["A-1", "A-8"]),
        ({"service": "Ledger"}, ["A-5", "A-6", "A-7"]),
        ({"loose": True}, ["A-1", "A-2", "A-3", "A-8", "A-10"]),
        ({"status": "resolved", "service": "Vault"}, []),
    ],
)
def test_the_teams_alerts_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_alerts", **arguments) == found


def test_alerts_that_fired_together_come_by_id() -> None:
    rows = {"alerts": keyed(alert("A-11", "S-3", "disk_use", 20, "firing"))}
    assert desk(rows).ids("find_alerts", status="firing") == ["A-11", "A-1", "A-5"]


@pytest.mark.parametrize(("until", "status"), [(at(1), "silenced"), (at(0), "acknowledged"), (at(-1), "acknowledged")])
def test_a_silence_that_is_over_leaves_the_alert_acknowledged(until: str, status: str) -> None:
    found = desk(having("alerts", "A-3", silenced_until=until)).gives("find_alerts", service="Checkout")["alerts"]
    assert [row["status"] for row in found if row["id"] == "A-3"] == [status]
    assert [row.get("silenced_until") for row in found if row["id"] == "A-3"] == [
        until if status == "silenced" else None
    ]


def test_acknowledging_brings_an_alert_to_the_engineer() -> None:
    place = desk(having("alerts", "A-1", level="secondary", paged="Bo Beck"))
    taken = place.gives("acknowledge_alert", alert_id="A-1")
    changes = {"status": "acknowledged", "acknowledged_by": "Ann Abel", "level": "primary", "paged": "Ann Abel"}
    assert place.changed() == {"alerts.changed": {"A-1": {**changes, "in_incident": False}}}
    assert taken == {**ALERTS["A-1"], **changes}


def test_who_is_on_call_as_secondary_acknowledges_as_such() -> None:
    place = desk(engineer_id="E-2")
    assert place.gives("acknowledge_alert", alert_id="A-1")["level"] == "secondary"
    assert place.changed()["alerts.changed"]["A-1"]["paged"] == "Bo Beck"


@pytest.mark.parametrize(
    ("key", "code", "words"),
    [
        ("A-2", "conflict", "The queue length alert of Checkout was acknowledged by Ann Abel; escalate it"),
        ("A-3", "conflict", "is silenced until 2026-03-02 10:00, and Ann Abel is on it; end the silence"),
        ("A-6", "precondition_failed", "The disk use alert of Ledger is resolved, so it cannot be acknowledged"),
    ],
)
def test_only_firing_alerts_are_acknowledged(key: str, code: str, words: str) -> None:
    desk().refuses("acknowledge_alert", code, words, alert_id=key)


@pytest.mark.parametrize(
    ("tool", "arguments", "done"),
    [
        ("acknowledge_alert", {"alert_id": "A-1"}, "acknowledged"),
        ("escalate_alert", {"alert_id": "A-2"}, "escalated"),
        ("silence_alert", {"alert_id": "A-2", "hours": 1}, "silenced"),
        ("end_silence", {"alert_id": "A-3"}, "heard again"),
    ],
)
def test_who_is_not_on_call_leaves_alerts_alone(tool: str, arguments: Row, done: str) -> None:
    words = f"An alert is {done} by somebody who is on call now; ask Ann Abel (primary) or Bo Beck (secondary) or Cy"
    desk(engineer_id="E-4").refuses(tool, "permission_denied", words, **arguments)
    desk(shifts={}).refuses(tool, "permission_denied", "who is on call now; nobody is at present", **arguments)


@pytest.mark.parametrize(("time", "on_call"), [("07:59", "E-4"), ("08:00", "E-1")])
def test_a_shift_ends_when_the_next_begins(time: str, on_call: str) -> None:
    for who in ("E-1", "E-4"):
        place = desk(engineer_id=who, now=dt.datetime.fromisoformat(f"2026-03-02T{time}"))
        assert place("acknowledge_alert", alert_id="A-1").ok == (who == on_call)


def test_other_teams_shifts_are_no_turn_on_call() -> None:
    rows = {"shifts": keyed({**SHIFTS["H-1"], "team_id": "T-9"})}
    desk(rows).refuses("acknowledge_alert", "permission_denied", "ask Bo Beck (secondary)", alert_id="A-1")


def test_escalating_pages_the_next_level_and_can_be_undone() -> None:
    place = desk()
    passed = place.gives("escalate_alert", alert_id="A-2")
    assert (passed["status"], passed["level"], passed["paged"], passed["paged_at"]) == (
        "firing", "secondary", "Bo Beck", NOW
    )  # fmt: skip
    assert "acknowledged_by" not in passed
    place.refuses(
        "escalate_alert", "precondition_failed", "Bo Beck was paged for it and has until 2026-03-02 09:15 to answer",
        alert_id="A-2",
    )  # fmt: skip
    place.gives("acknowledge_alert", alert_id="A-2")
    assert place.changed() == {"alerts.changed": {"A-2": {"paged_at": NOW}}}


@pytest.mark.parametrize(("minutes", "allowed"), [(14, False), (15, True), (16, True)])
def test_who_was_paged_has_a_quarter_of_an_hour(minutes: int, allowed: bool) -> None:
    place = desk(having("alerts", "A-1", paged_at=at(-minutes)))
    assert place("escalate_alert", alert_id="A-1").ok == allowed


@pytest.mark.parametrize(
    ("urgency", "level", "paged"),
    [
        ("high_urgency", "primary", "Bo Beck"),
        ("low_urgency", "primary", "Bo Beck"),
        ("high_urgency", "secondary", "Cy Cole"),
    ],
)
def test_levels_are_paged_in_order(urgency: str, level: str, paged: str) -> None:
    place = desk(having("alerts", "A-2", urgency=urgency, level=level))
    assert place.gives("escalate_alert", alert_id="A-2")["paged"] == paged


@pytest.mark.parametrize(
    ("urgency", "level", "why"),
    [
        ("low_urgency", "secondary", "is with the secondary and goes no further, as a manager is paged for high"),
        ("high_urgency", "manager", "is with the manager and goes no further, as nobody is above; declare an incident"),
    ],
)
def test_nothing_is_escalated_beyond_the_top(urgency: str, level: str, why: str) -> None:
    place = desk(having("alerts", "A-2", urgency=urgency, level=level))
    place.refuses("escalate_alert", "limit_exceeded", why, alert_id="A-2")


def test_an_alert_of_an_incident_that_goes_no_further_is_left_to_that_incident() -> None:
    place = desk(having("alerts", "A-2", level="secondary", **IN_1))
    words = "a manager is paged for high urgency alone; go on in its incident"
    place.refuses("escalate_alert", "limit_exceeded", words, alert_id="A-2")


def test_a_level_without_anybody_is_passed_over() -> None:
    rows = {key: row for key, row in SHIFTS.items() if key != "H-2"}
    place = desk(having("alerts", "A-2", urgency="high_urgency"), shifts=rows)
    passed = place.gives("escalate_alert", alert_id="A-2")
    assert (passed["level"], passed["paged"]) == ("manager", "Cy Cole")


@pytest.mark.parametrize(
    ("tool", "key", "words"),
    [
        ("escalate_alert", "A-3", "is silenced; end the silence first"),
        ("escalate_alert", "A-6", "is resolved, so it cannot be escalated"),
        ("silence_alert", "A-1", "is firing; acknowledge it first"),
        ("silence_alert", "A-6", "is resolved, so it cannot be silenced"),
        ("end_silence", "A-2", "The queue length alert of Checkout is not silenced but acknowledged; nothing has to"),
    ],
)
def test_alerts_that_stand_otherwise_are_refused(tool: str, key: str, words: str) -> None:
    more = {"hours": 2} if tool == "silence_alert" else {}
    desk().refuses(tool, "precondition_failed", words, alert_id=key, **more)


def test_a_silence_can_be_changed_and_ended() -> None:
    place = desk()
    place.gives("silence_alert", alert_id="A-2", hours=2)
    silent = {"status": "silenced", "silenced_from": NOW, "silenced_until": at(120)}
    assert place.changed() == {"alerts.changed": {"A-2": silent}}
    place.refuses("silence_alert", "conflict", "is silenced until 2026-03-02 11:00 already", alert_id="A-2", hours=2)
    assert place.gives("silence_alert", alert_id="A-2", hours=24)["silenced_until"] == at(1440)
    assert place.gives("silence_alert", alert_id="A-2", hours=1)["silenced_until"] == at(60)
    ended = place.gives("end_silence", alert_id="A-2")
    assert (ended["status"], ended["acknowledged_by"], "silenced_until" in ended) == ("acknowledged", "Ann Abel", False)
    assert place.changed() == {"alerts.changed": {"A-2": {"silenced_from": NOW}}}


@pytest.mark.parametrize(
    ("urgency", "since", "hours", "hint"),
    [
        ("high_urgency", 0, 4, ""),
        ("high_urgency", 0, 5, "until 2026-03-02 13:00; give a length of 4 at most"),
        ("high_urgency", -60, 3, ""),
        ("high_urgency", -60, 4, "has high urgency and can be silent until 2026-03-02 12:00; give a length of 3"),
        ("high_urgency", -180, 2, "; give a length of 1 at most"),
        ("high_urgency", -181, 1, "until 2026-03-02 09:59; leave it as it is"),
        ("low_urgency", -60, 23, ""),
        ("low_urgency", -60, 24, "has low urgency and can be silent until 2026-03-03 08:00; give a length of 23"),
    ],
)
def test_silences_are_bounded_from_the_first_one_on(urgency: str, since: int, hours: int, hint: str) -> None:
    place = desk(having("alerts", "A-2", urgency=urgency, silenced_from=at(since)))
    if hint:
        place.refuses("silence_alert", "limit_exceeded", hint, alert_id="A-2", hours=hours)
    else:
        assert place.gives("silence_alert", alert_id="A-2", hours=hours)["silenced_from"] == at(since)


# -- incidents


def test_an_incident_takes_the_loose_alerts_of_its_service_along() -> None:
    place = desk()
    new = place.gives("declare_incident", alert_id="A-2", severity="major")
    assert new == incident(
        new["id"], "S-1", "queue_length", "major", 0, alerts=3, blocking=3, has_similar=True, similar_id="I-1"
    )
    belonging = {"in_incident": True, "incident_id": new["id"]}
    assert place.changed() == {
        "alerts.changed": {"A-1": belonging, "A-2": belonging, "A-3": {**belonging, **SILENT}},
        "incidents.created": {new["id"]: new},
    }  # fmt: skip


def test_an_incident_counts_what_is_not_normal_again() -> None:
    rows = having("alerts", "A-1", **NORMAL)
    new = desk(rows).gives("declare_incident", alert_id="A-2", severity="minor")
    assert (new["alerts"], new["blocking"], new["next_phases"]) == (3, 2, [])


@pytest.mark.parametrize(
    ("place", "similar"),
    [("S-1", "I-1"), ("S-2", "I-3"), ("S-3", "I-3"), ("S-4", "I-4")],
)
def test_an_incident_resembles_the_newest_open_one_that_is_close(place: str, similar: str) -> None:
    rows = {"alerts": keyed(alert("A-11", place, "error_rate", 5))}
    assert desk(rows).gives("declare_incident", alert_id="A-11", severity="moderate")["similar_id"] == similar


def test_of_close_incidents_those_of_the_same_service_come_first() -> None:
    rows = {
        "incidents": keyed(incident("I-7", "S-1", "error_rate", "minor", 5)),
        "alerts": keyed(alert("A-11", "S-2", "disk_use", 5), alert("A-12", "S-3", "disk_use", 5)),
    }
    place = desk(rows)
    assert place.gives("declare_incident", alert_id="A-11", severity="moderate")["similar_id"] == "I-3"


def test_an_incident_may_resemble_none() -> None:
    rows = {"alerts": keyed(alert("A-11", "S-3", "disk_use", 5))}
    rest = {key: row for key, row in INCIDENTS.items() if row["service_id"] != "S-2"}
    new = desk(rows, incidents={**rest, **having("incidents", "I-5")["incidents"]}).gives(
        "declare_incident", alert_id="A-11", severity="critical"
    )
    assert (new["has_similar"], "similar_id" in new, new["public"], new["next_phases"]) == (False, False, False, [])


@pytest.mark.parametrize(
    ("key", "severity", "code", "words"),
    [
        ("A-4", "major", "conflict", "The memory use alert of Checkout belongs to the Checkout incident about memory"),
        ("A-10", "major", "precondition_failed", "is resolved, so it cannot be made an incident"),
        ("A-2", "minor", "precondition_failed", "The error rate alert of Checkout has high urgency and is not normal"),
    ],
)
def test_incidents_that_cannot_be_declared(key: str, severity: str, code: str, words: str) -> None:
    desk().refuses("declare_incident", code, words, alert_id=key, severity=severity)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["I-3", "I-1", "I-5", "I-2", "I-4"]),
        ({"page": 2}, ["I-6"]),
        ({"status": "open"}, ["I-3", "I-1", "I-2", "I-4"]),
        ({"severity": "minor"}, ["I-4", "I-6"]),
        ({"service": "Ledger"}, ["I-3", "I-5", "I-2"]),
        ({"mine": True, "service": "Ledger"}, ["I-3", "I-5"]),
        ({"severity": "critical", "status": "merged"}, []),
    ],
)
def test_the_teams_incidents_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_incidents", **arguments) == found


def test_incidents_of_one_time_come_by_id() -> None:
    rows = having("incidents", "I-2", declared_at=at(-30), severity="minor")
    assert desk(rows).ids("find_incidents", severity="minor") == ["I-4", "I-2", "I-6"]


def test_an_incident_tells_what_keeps_it_open_and_what_may_be_behind_it() -> None:
    rows = {**having("alerts", "A-4", recovered=False), **having("incidents", "I-1", blocking=1)}
    rows["alerts"] |= keyed({**ALERTS["A-3"], **IN_1})
    value = desk(rows).gives("get_incident", incident_id="I-1")
    assert value == {
        "incident": rows["incidents"]["I-1"], "service": "Checkout", "measure": "memory_use",
        "severity": "major", "status": "open", "lead": "Ann Abel", "runs_on": ["Ledger"],
        "monitors": STATE["services"]["S-1"]["monitors"],
        "alerts": [rows["alerts"]["A-3"], rows["alerts"]["A-4"]], "blocking": ["disk_use", "memory_use"],
        "suspects": [ALERTS["A-5"]], "related": [INCIDENTS["I-2"], INCIDENTS["I-3"]], "phase": "unpublished",
    }  # fmt: skip


def test_a_resolved_incident_tells_until_when_it_can_be_reopened() -> None:
    value = desk().gives("get_incident", incident_id="I-5")
    assert (value["reopen_until"], value["status"]) == ("2026-03-04T23:00:00", "resolved")
    assert [row["id"] for row in value["alerts"]] == ["A-6", "A-7"]
    assert (value["blocking"], value["suspects"]) == ([], [])
    assert [row["id"] for row in value["related"]] == ["I-1", "I-2", "I-3"]


@pytest.mark.parametrize(
    ("key", "severity", "worst", "phases"),
    [
        ("I-1", "critical", "critical", ["investigating", "identified", "monitoring"]),
        ("I-1", "moderate", "major", []),
        ("I-1", "minor", "major", []),
        ("I-2", "major", "major", ["investigating", "identified", "monitoring"]),
    ],
)
def test_a_severity_is_changed(key: str, severity: str, worst: str, phases: list[str]) -> None:
    place = desk()
    new = place.gives("change_severity", incident_id=key, severity=severity)
    old = INCIDENTS[key]
    row = {
        **old, "severity": severity, "worst": worst, "next_phases": phases,
        "timeline": with_entry(old, f"made {severity}"),
    }  # fmt: skip
    assert new == row
    assert place.changed() == {"incidents.changed": {key: {k: v for k, v in row.items() if v != old[k]}}}


@pytest.mark.parametrize(
    ("key", "changes", "severity", "code", "words"),
    [
        ("I-1", {}, "major", "conflict", "The Checkout incident about memory use is major already"),
        ("I-2", {}, "minor", "permission_denied",
         "Bo Beck leads the Ledger incident about queue length and alone can make it milder; ask them"),
        ("I-5", {}, "critical", "precondition_failed", "cannot be graded anew, as it is resolved; reopen it first"),
        ("I-6", {}, "major", "precondition_failed", "as it has become part of I-1; go on with that"),
        ("I-1", {"phase": "identified"}, "moderate", "precondition_failed",
         "Customers were told that the Checkout incident about memory use is identified, so it stays severe till"),
    ],
)  # fmt: skip
def test_severities_that_cannot_be(key: str, changes: Row, severity: str, code: str, words: str) -> None:
    desk(having("incidents", key, **changes)).refuses(
        "change_severity", code, words, incident_id=key, severity=severity
    )


def test_what_customers_follow_can_go_from_critical_to_major() -> None:
    place = desk(having("incidents", "I-3", phase="monitoring", next_phases=[]))
    assert place.gives("change_severity", incident_id="I-3", severity="major")["next_phases"] == []


@pytest.mark.parametrize(("recovered", "urgency", "allowed"), [
    (False, "high_urgency", False), (True, "high_urgency", True), (False, "low_urgency", True),
])  # fmt: skip
def test_an_incident_with_an_urgent_alert_is_not_minor(recovered: bool, urgency: str, allowed: bool) -> None:
    place = desk(having("alerts", "A-4", recovered=recovered, urgency=urgency))
    result = place("change_severity", incident_id="I-1", severity="minor")
    assert result.ok == allowed
    assert allowed or "call it moderate or worse" in result.text


@pytest.mark.parametrize("arguments", [{}, {"into_id": "I-2"}])
def test_a_duplicate_gives_its_alerts_to_the_other(arguments: Row) -> None:
    rows = having("incidents", "I-3", alerts=2, blocking=1)
    rows["alerts"] = keyed(
        alert("A-11", "S-2", "error_rate", 44, in_incident=True, incident_id="I-3"),
        alert("A-12", "S-2", "memory_use", 43, in_incident=True, incident_id="I-3", **NORMAL),
    )
    place = desk(rows)
    stays = place.gives("merge_incidents", incident_id="I-3", **arguments)
    words = "the Ledger incident about error rate merged into this one"
    changes = {
        "severity": "critical", "worst": "critical", "alerts": 3, "blocking": 2,
        "next_phases": ["investigating", "identified", "monitoring"], "timeline": with_entry(INCIDENTS["I-2"], words),
    }  # fmt: skip
    assert stays == {**INCIDENTS["I-2"], **changes}
    into = "merged into the Ledger incident about queue length"
    assert place.changed() == {
        "incidents.changed": {
            "I-2": changes,
            "I-3": {
                "status": "merged", "merged_into": "I-2", "alerts": 0, "blocking": 0, "next_phases": [],
                "timeline": with_entry(INCIDENTS["I-3"], into),
            },
        },
        "alerts.changed": {key: {"incident_id": "I-2"} for key in ("A-11", "A-12")},
    }  # fmt: skip


@pytest.mark.parametrize(("key", "into", "severity"), [("I-3", "I-1", "critical"), ("I-1", "I-3", "critical")])
def test_incidents_of_services_that_depend_on_each_other_are_merged(key: str, into: str, severity: str) -> None:
    merged = desk().gives("merge_incidents", incident_id=key, into_id=into)
    assert (merged["id"], merged["severity"], merged["alerts"]) == (into, severity, 1)


@pytest.mark.parametrize(
    ("key", "into", "code", "words"),
    [
        ("I-1", "I-1", "invalid_argument", "The Checkout incident about memory use cannot become part of itself"),
        (
            "I-2",
            "I-3",
            "permission_denied",
            "Bo Beck leads the Ledger incident about queue length and alone can merge it into",
        ),
        ("I-5", "I-3", "precondition_failed", "The Ledger incident about disk use cannot be merged, as it is resolved"),
        ("I-3", "I-5", "precondition_failed", "The Ledger incident about disk use cannot be merged, as it is resolved"),
        ("I-4", "I-1", "precondition_failed", "Reports and Checkout do not depend on each other"),
        ("I-1", None, "invalid_argument", "resembles no other; name the incident that it is a duplicate of"),
    ],
)
def test_what_is_no_duplicate_is_not_merged(key: str, into: str | None, code: str, words: str) -> None:
    arguments = {"into_id": into} if into else {}
    desk().refuses("merge_incidents", code, words, incident_id=key, **arguments)


def test_alerts_are_not_carried_away_by_merging_twice() -> None:
    place = desk({"incidents": keyed(incident("I-7", "S-3", "error_rate", "major", 20))})
    assert place.gives("merge_incidents", incident_id="I-1", into_id="I-3")["alerts"] == 1
    words = "Checkout and Vault do not depend on each other, so these are no duplicates; keep both incidents"
    place.refuses("merge_incidents", "precondition_failed", words, incident_id="I-3", into_id="I-7")
    assert place.gives("merge_incidents", incident_id="I-7", into_id="I-3")["alerts"] == 2


def test_what_customers_follow_is_not_merged_away() -> None:
    place = desk(having("incidents", "I-3", phase="investigating"))
    words = "Customers follow the Ledger incident about error rate; merge the other one into it"
    place.refuses("merge_incidents", "precondition_failed", words, incident_id="I-3")


@pytest.mark.parametrize(("worst", "due"), [
    ("critical", "2026-03-09"), ("major", "2026-03-09"), ("moderate", "2026-04-01"), ("minor", "2026-04-01"),
])  # fmt: skip
def test_an_incident_is_resolved_with_its_alerts_and_reopened_as_it_was(worst: str, due: str) -> None:
    rows = having("incidents", "I-1", worst=worst, severity="moderate", next_phases=[], alerts=5)
    rows["alerts"] = keyed(
        {**ALERTS["A-1"], **IN_1, **NORMAL}, {**ALERTS["A-3"], **IN_1, **NORMAL},
        {**ALERTS["A-2"], **IN_1, **NORMAL, "silenced_from": at(-90)}, {**ALERTS["A-10"], **IN_1},
    )  # fmt: skip
    place = desk(rows)
    done = place.gives("resolve_incident", incident_id="I-1", follow_up="add a test")
    over = {"status": "resolved", "resolved_at": NOW}
    more = {"follow_up": "add a test", "follow_up_by": due, "timeline": with_entry(INCIDENTS["I-1"], "resolved")}
    assert done == {**rows["incidents"]["I-1"], **over, **more}
    assert place.changed() == {
        "incidents.changed": {"I-1": {**over, **more}},
        "alerts.changed": dict.fromkeys(("A-1", "A-2", "A-3", "A-4"), over),
    }
    again = place.gives("reopen_incident", incident_id="I-1")
    timeline = [*more["timeline"], entry("reopened")]
    assert again == {**rows["incidents"]["I-1"], "timeline": timeline}
    assert place.changed() == {"incidents.changed": {"I-1": {"timeline": timeline}}}


def test_a_silence_that_ended_meanwhile_is_not_brought_back() -> None:
    rows = having("alerts", "A-6", silenced_from=at(-700), silenced_until=at(0))
    place = desk(rows)
    place.gives("reopen_incident", incident_id="I-5")
    changed = place.changed()["alerts.changed"]
    assert set(changed) == {"A-6"}
    assert changed["A-6"]["status"] == "acknowledged"


@pytest.mark.parametrize(
    ("key", "code", "words"),
    [
        (
            "I-2",
            "permission_denied",
            "Bo Beck leads the Ledger incident about queue length and alone can resolve it; ask",
        ),
        ("I-5", "precondition_failed", "cannot be resolved, as it is resolved; reopen it first"),
        ("I-6", "precondition_failed", "cannot be resolved, as it has become part of I-1"),
    ],
)
def test_incidents_that_cannot_be_resolved(key: str, code: str, words: str) -> None:
    desk().refuses("resolve_incident", code, words, incident_id=key, follow_up="add a test")


def test_an_incident_is_not_over_while_something_is_beyond_its_threshold() -> None:
    rows = {"alerts": keyed(*({**ALERTS[key], **IN_1} for key in ("A-2", "A-3")))}
    words = (
        "The Checkout incident about memory use is not over: queue length of Checkout and disk use of Checkout "
        "(80 is measured where 50 is normal)"
    )
    desk(rows).refuses("resolve_incident", "precondition_failed", words, incident_id="I-1", follow_up="add a test")


def test_only_the_alerts_of_an_incident_are_brought_back_and_customers_are_still_where_they_were() -> None:
    rows = {**having("alerts", "A-10", resolved_at=at(-600)), **having("incidents", "I-5", phase="identified")}
    place = desk(rows)
    again = place.gives("reopen_incident", incident_id="I-5")
    assert (again["phase"], again["next_phases"]) == ("identified", ["monitoring"])
    assert set(place.changed()["alerts.changed"]) == {"A-6"}


@pytest.mark.parametrize(("hours", "allowed"), [(72, True), (72.1, False)])
def test_an_incident_can_be_reopened_for_three_days(hours: float, allowed: bool) -> None:
    when = at(round(-60 * hours))
    place = desk(having("incidents", "I-5", resolved_at=when, lead_id="E-2", lead="Bo Beck"))
    if allowed:
        assert place.gives("reopen_incident", incident_id="I-5")["lead"] == "Bo Beck"
    else:
        words = "could be reopened until 2026-03-02 08:54; declare a new one once an alert fires"
        place.refuses("reopen_incident", "precondition_failed", words, incident_id="I-5")


@pytest.mark.parametrize(("key", "words"), [("I-1", "is still open; go on with it"), ("I-6", "has become part of I-1")])
def test_only_resolved_incidents_are_reopened(key: str, words: str) -> None:
    desk().refuses("reopen_incident", "precondition_failed", f"cannot be reopened, as it {words}", incident_id=key)


@pytest.mark.parametrize(
    ("before", "phase", "after"),
    [
        ("unpublished", "investigating", ["identified", "monitoring"]),
        ("unpublished", "monitoring", []),
        ("investigating", "identified", ["monitoring"]),
        ("identified", "monitoring", []),
    ],
)
def test_customers_are_told_step_by_step(before: str, phase: str, after: list[str]) -> None:
    following = rules.PHASES[rules.PHASES.index(before) + 1 : -1] if before != "unpublished" else rules.PHASES[:-1]
    place = desk(having("incidents", "I-1", phase=before, next_phases=list(following)))
    told = place.gives("publish_update", incident_id="I-1", phase=phase)
    assert (told["phase"], told["next_phases"]) == (phase, after)
    assert told["timeline"] == with_entry(INCIDENTS["I-1"], f"published as {phase}")
    changed = place.changed()["incidents.changed"]["I-1"]
    assert set(changed) == {"phase", "next_phases", "timeline"}


def test_customers_learn_that_it_is_resolved_once_it_is_and_can_be_told_anew_after_that() -> None:
    place = desk(having("incidents", "I-1", phase="monitoring", next_phases=[]))
    words = "The Checkout incident about memory use is open, and customers know it as monitoring; there is nothing more"
    place.refuses("publish_update", "precondition_failed", words, incident_id="I-1", phase="resolved")
    done = place.gives("resolve_incident", incident_id="I-1", follow_up="add a test")
    assert done["next_phases"] == ["resolved"]
    assert place.gives("publish_update", incident_id="I-1", phase="resolved")["next_phases"] == []
    again = place.gives("reopen_incident", incident_id="I-1")
    assert (again["phase"], again["next_phases"]) == ("unpublished", ["investigating", "identified", "monitoring"])


def test_what_customers_were_not_told_of_is_not_published_as_resolved() -> None:
    words = "is resolved, and customers know nothing of it; there is nothing more to tell"
    desk().refuses("publish_update", "precondition_failed", words, incident_id="I-5", phase="resolved")


@pytest.mark.parametrize(
    ("key", "changes", "code", "words"),
    [
        ("I-2", {}, "permission_denied", "leads the Ledger incident about queue length and alone can publish it"),
        ("I-4", {}, "precondition_failed", "is minor, and customers are told of major and critical ones; make"),
        ("I-1", {"public": False}, "precondition_failed",
         "The status page does not have Checkout, so customers are told nothing of it; choose an incident"),
        ("I-6", {}, "precondition_failed", "cannot be published, as it has become part of I-1; go on with that"),
        ("I-1", {"phase": "identified", "next_phases": ["monitoring"]}, "precondition_failed",
         "customers know it as identified; what can follow is monitoring"),
    ],
)  # fmt: skip
def test_updates_that_cannot_be_published(key: str, changes: Row, code: str, words: str) -> None:
    place = desk(having("incidents", key, **changes))
    place.refuses("publish_update", code, words, incident_id=key, phase="investigating")


# -- shifts


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["H-1", "H-2", "H-3", "H-4", "H-5", "H-6", "H-7", "H-10"]),
        ({"level": "manager"}, ["H-3"]),
        ({"day": "2026-03-03"}, ["H-1", "H-2", "H-3"]),
        ({"day": "2026-03-01"}, []),
        ({"day": "2026-03-09", "level": "secondary"}, ["H-2"]),
        ({"day": "2026-03-10"}, ["H-5"]),
        ({"day": "2026-03-05", "level": "primary"}, []),
        ({"mine": True}, ["H-1", "H-4"]),
        ({"page": 2}, []),
    ],
)
def test_the_rota_of_the_team_is_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_shifts", **arguments) == found


def test_a_page_of_the_rota_has_ten_shifts() -> None:
    rows = {"shifts": keyed(*(shift(f"H-{n}", "primary", n, "E-5") for n in range(30, 33)))}
    assert len(desk(rows).ids("find_shifts")) == 10
    assert desk(rows).ids("find_shifts", page=2) == ["H-32"]


def test_a_shift_that_has_just_ended_is_past() -> None:
    assert desk(now=dt.datetime(2026, 3, 3, 8)).ids("find_shifts", mine=True) == ["H-4"]


def test_a_shift_is_handed_over_and_taken_back() -> None:
    place = desk()
    given = place.gives("hand_over_shift", shift_id="H-4", colleague_id="E-4")
    assert given == {**SHIFTS["H-4"], **TO_DI}
    assert place.changed() == {"shifts.changed": {"H-4": TO_DI}}
    assert place.gives("take_back_shift", shift_id="H-4") == SHIFTS["H-4"]
    assert place.changed() == {}


def test_shifts_are_swapped_and_both_go_back() -> None:
    place = desk()
    given = place.gives("hand_over_shift", shift_id="H-4", colleague_id="E-5", in_return="H-7")
    to_ed = {"holder_id": "E-5", "holder": "Ed Ekko", "covered": True, "swapped_with": "H-7"}
    assert given == {**SHIFTS["H-4"], **to_ed, "return_day": "2026-03-16"}
    to_ann = {"holder_id": "E-1", "holder": "Ann Abel", "covered": True, "swapped_with": "H-4"}
    assert place.changed()["shifts.changed"] == {
        "H-4": {**to_ed, "return_day": "2026-03-16"}, "H-7": {**to_ann, "return_day": "2026-03-06"},
    }  # fmt: skip
    assert place.gives("take_back_shift", shift_id="H-7") == SHIFTS["H-7"]
    assert place.changed() == {}


def test_who_covers_for_somebody_can_hand_the_shift_back() -> None:
    place = desk(engineer_id="E-4")
    assert place.gives("take_back_shift", shift_id="H-5")["holder"] == "Ann Abel"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"shift_id": "H-4", "colleague_id": "E-1"}, "invalid_argument", "would stay with Ann Abel; name a colleague"),
        ({"shift_id": "H-6", "colleague_id": "E-5"}, "permission_denied",
         "The primary shift on 2026-03-12 is Di Dorn's; choose one of Ann Abel's"),
        ({"shift_id": "H-1", "colleague_id": "E-4"}, "precondition_failed",
         "The primary shift on 2026-03-02 began at 2026-03-02 08:00, so it cannot be handed over any more"),
        ({"shift_id": "H-4", "colleague_id": "E-4", "in_return": "H-7"}, "permission_denied",
         "is Ed Ekko's; choose one of Di Dorn's"),
        ({"shift_id": "H-4", "colleague_id": "E-2", "in_return": "H-2"}, "precondition_failed", "The secondary shift"),
        ({"shift_id": "H-4", "colleague_id": "E-4", "in_return": "H-10"}, "precondition_failed",
         "The primary shift on 2026-03-22 was handed over by Ed Ekko and goes to nobody else"),
        ({"shift_id": "H-4", "colleague_id": "E-2"}, "conflict",
         "Bo Beck has the secondary shift on 2026-03-02 too, which overlaps; let somebody else"),
    ],
)  # fmt: skip
def test_handovers_that_cannot_be(arguments: Row, code: str, words: str) -> None:
    desk().refuses("hand_over_shift", code, words, **arguments)


@pytest.mark.parametrize(("minutes", "allowed"), [(0, False), (1, True)])
def test_a_shift_can_be_handed_over_until_it_begins(minutes: int, allowed: bool) -> None:
    now = dt.datetime(2026, 3, 6, 8) - dt.timedelta(minutes=minutes)
    assert desk(now=now)("hand_over_shift", shift_id="H-4", colleague_id="E-4").ok == allowed


@pytest.mark.parametrize(
    ("starts_at", "ends_at", "allowed"),
    [
        ("2026-03-07T19:00:00", "2026-03-08T08:00:00", True),
        ("2026-03-07T18:59:00", "2026-03-08T08:00:00", False),
        ("2026-03-05T08:00:00", "2026-03-05T21:00:00", True),
        ("2026-03-05T08:00:00", "2026-03-05T21:01:00", False),
    ],
)
def test_eleven_hours_lie_between_two_shifts(starts_at: str, ends_at: str, allowed: bool) -> None:
    rows = having("shifts", "H-6", starts_at=starts_at, ends_at=ends_at)
    result = desk(rows)("hand_over_shift", shift_id="H-4", colleague_id="E-4")
    assert result.ok == allowed
    assert allowed or "the primary shift on 2026-03-12 too, and 11 hours of rest have to lie between" in result.text


@pytest.mark.parametrize(
    ("starts_at", "ends_at", "overlaps"),
    [
        ("2026-03-07T08:00:00", "2026-03-08T08:00:00", False),
        ("2026-03-07T07:59:00", "2026-03-08T08:00:00", True),
        ("2026-03-05T08:00:00", "2026-03-06T08:00:00", False),
        ("2026-03-05T08:00:00", "2026-03-06T08:01:00", True),
    ],
)
def test_two_shifts_at_a_time_are_told_from_too_little_rest(starts_at: str, ends_at: str, overlaps: bool) -> None:
    rows = having("shifts", "H-6", starts_at=starts_at, ends_at=ends_at)
    words = "which overlaps" if overlaps else "and 11 hours of rest"
    desk(rows).refuses("hand_over_shift", "conflict", words, shift_id="H-4", colleague_id="E-4")


def test_a_swap_frees_the_shift_that_is_given_for_it() -> None:
    rows = {"shifts": keyed(shift("H-11", "primary", 5, "E-5"))}
    desk(rows).refuses("hand_over_shift", "conflict", "Ed Ekko has the primary", shift_id="H-4", colleague_id="E-5")
    assert desk(rows)("hand_over_shift", shift_id="H-4", colleague_id="E-5", in_return="H-11").ok


def test_the_giver_has_to_rest_as_well() -> None:
    rows = {"shifts": keyed(shift("H-11", "primary", 13, "E-1"))}
    arguments = {"shift_id": "H-4", "colleague_id": "E-5", "in_return": "H-7"}
    desk(rows).refuses("hand_over_shift", "conflict", "Ann Abel has the primary shift on 2026-03-15", **arguments)


@pytest.mark.parametrize(
    ("key", "code", "words"),
    [
        ("H-4", "precondition_failed", "is with Ann Abel as planned, so there is no handover to undo; choose one"),
        ("H-10", "permission_denied", "was handed over by Ed Ekko to Di Dorn; one of them has to undo that"),
    ],
)
def test_what_was_not_handed_over_is_not_taken_back(key: str, code: str, words: str) -> None:
    desk().refuses("take_back_shift", code, words, shift_id=key)


def test_a_handover_is_final_once_the_shift_has_begun() -> None:
    place = desk(now=dt.datetime(2026, 3, 10, 8))
    words = "began at 2026-03-10 08:00, so it cannot be taken back any more"
    place.refuses("take_back_shift", "precondition_failed", words, shift_id="H-5")


def test_a_swap_is_final_once_one_of_its_shifts_has_begun() -> None:
    swapped = {"covered": True, "holder_id": "E-1", "holder": "Ann Abel", "swapped_with": "H-4"}
    rows = {"shifts": keyed({**SHIFTS["H-4"], **TO_DI, "swapped_with": "H-6"}, {**SHIFTS["H-6"], **swapped})}
    place = desk(rows, now=dt.datetime(2026, 3, 6, 8))
    place.refuses("take_back_shift", "precondition_failed", "The primary shift on 2026-03-06 began", shift_id="H-6")


def test_a_shift_goes_back_only_to_somebody_who_rests() -> None:
    rows = {"shifts": keyed(shift("H-11", "primary", 9, "E-1"))}
    words = "Ann Abel has the primary shift on 2026-03-11 too, and 11 hours"
    desk(rows).refuses("take_back_shift", "conflict", words, shift_id="H-5")


# -- other teams' records


@pytest.mark.parametrize(
    ("tool", "kind", "theirs", "more"),
    [
        ("acknowledge_alert", "alert", {"alert_id": "A-9"}, {}),
        ("escalate_alert", "alert", {"alert_id": "A-9"}, {}),
        ("silence_alert", "alert", {"alert_id": "A-9"}, {"hours": 1}),
        ("end_silence", "alert", {"alert_id": "A-9"}, {}),
        ("declare_incident", "alert", {"alert_id": "A-9"}, {"severity": "major"}),
        ("get_incident", "incident", {"incident_id": "I-9"}, {}),
        ("change_severity", "incident", {"incident_id": "I-9"}, {"severity": "major"}),
        ("merge_incidents", "incident", {"incident_id": "I-9"}, {"into_id": "I-1"}),
        ("merge_incidents", "incident", {"into_id": "I-9"}, {"incident_id": "I-1"}),
        ("resolve_incident", "incident", {"incident_id": "I-9"}, {"follow_up": "add a test"}),
        ("reopen_incident", "incident", {"incident_id": "I-9"}, {}),
        ("publish_update", "incident", {"incident_id": "I-9"}, {"phase": "monitoring"}),
        ("hand_over_shift", "shift", {"shift_id": "H-9"}, {"colleague_id": "E-4"}),
        ("hand_over_shift", "engineer", {"colleague_id": "E-9"}, {"shift_id": "H-4"}),
        ("hand_over_shift", "shift", {"in_return": "H-9"}, {"shift_id": "H-4", "colleague_id": "E-4"}),
        ("take_back_shift", "shift", {"shift_id": "H-9"}, {}),
    ],
)
def test_other_teams_records_are_out_of_reach(tool: str, kind: str, theirs: Row, more: Row) -> None:
    place = desk()
    words = "Zo Zorn is in another team" if kind == "engineer" else f"That {kind} belongs to somebody else"
    place.refuses(tool, "permission_denied", words, **theirs, **more)
    for key in ("X-99", ""):
        place.refuses(tool, "not_found", f"no {kind} with the id {key!r}", **dict.fromkeys(theirs, key), **more)


# -- scenarios


@pytest.mark.parametrize(
    ("seed", "size", "now"),
    [
        (0, 10, DEFAULT_NOW),
        (1, 60, DEFAULT_NOW),
        (2, 300, DEFAULT_NOW),
        (3, 60, dt.datetime(2026, 2, 28, 23)),
        (4, 24, dt.datetime(2028, 2, 29, 7)),
    ],
)
def test_a_scenario_keeps_the_rules_of_the_desk(seed: int, size: int, now: dt.datetime) -> None:
    world = build_scenario(MonitoringAndIncidents, seed, size, now)
    me, team = world.engineer_id, world.team_id
    turns = rota.on_call(world.shifts.values(), team, now)
    assert turns["primary"].holder_id == me
    assert set(turns) == set(rota.LEVELS)
    alerts = [row for row in world.alerts.values() if row.team_id == team]
    incidents = [row for row in world.incidents.values() if row.team_id == team]
    counts = Counter(row.status for row in alerts)
    assert min(counts[name] for name in ("firing", "acknowledged", "silenced", "resolved")) >= 6
    loose = [row for row in alerts if not row.in_incident]
    assert min(Counter(row.status for row in loose)[name] for name in ("firing", "acknowledged", "silenced")) >= 4
    waiting = [now - row.paged_at < rules.ANSWER for row in alerts if row.status == "firing"]
    assert {True, False} == set(waiting)
    assert {row.level for row in alerts} == set(rota.LEVELS)
    mine = [row for row in incidents if row.lead_id == me]
    assert sum(row.status == "open" and not row.blocking for row in mine) >= 6
    assert any(row.status == "open" and row.blocking for row in mine)
    assert sum(bool(row.next_phases) for row in mine) >= 6
    assert sum(row.status == "open" and row.has_similar and row.phase == "unpublished" for row in mine) >= 6
    ages = [now - row.resolved_at <= rules.REOPEN for row in incidents if row.resolved_at]
    assert (sum(ages) >= 6, False in ages) == (True, True)
    assert {row.severity for row in incidents} == set(rules.SEVERITIES)
    assert {row.phase for row in incidents} == {"unpublished", *rules.PHASES}
    assert sum(row.status == "merged" for row in incidents) == 2
    ahead = [row for row in world.shifts.values() if row.starts_at > now and row.team_id == team]
    assert sum(row.holder_id == me and not row.covered and row.offer_id is not None for row in ahead) >= 5
    assert sum(row.covered and me in (row.planned_id, row.holder_id) for row in ahead) >= 6
    assert sum(row.swapped_with is not None for row in ahead) == 2
    for row in world.alerts.values():
        place = world.services[row.service_id]
        monitor = next(each for each in place.monitors if each.measure == row.measure)
        assert (row.threshold, row.urgency, row.service) == (monitor.threshold, monitor.urgency, place.name)
        assert row.recovered == (row.value <= row.threshold)
        assert row.in_incident == (row.incident_id is not None)
        assert (row.status == "firing") == (row.acknowledged_by is None)
        assert row.fired_at <= row.paged_at <= now
        assert row.level != "manager" or row.urgency == "high_urgency"
        assert rota.on_call(world.shifts.values(), row.team_id, row.paged_at)[row.level].holder == row.paged
        assert (row.status == "resolved") == (row.resolved_at is not None)
        assert (row.status == "silenced") == (row.silenced_until is not None)
        if row.silenced_from and row.silenced_until:
            assert row.fired_at < row.silenced_from < now < row.silenced_until
            assert row.silenced_until <= row.silenced_from + rules.SILENCE[row.urgency]
    firing = Counter((row.service_id, row.measure) for row in world.alerts.values() if row.status != "resolved")
    assert set(firing.values()) == {1}
    for row in world.incidents.values():
        own = [each for each in world.alerts.values() if each.incident_id == row.id]
        assert row.alerts == len(own)
        assert row.blocking == sum(not each.recovered for each in own)
        assert row == rules.with_phases(row)
        times = [each.at for each in row.timeline]
        assert (times[0], times) == (row.declared_at, sorted(times))
        assert times[-1] <= now
        assert rules.SEVERITIES.index(row.worst) >= rules.SEVERITIES.index(row.severity)
        assert (row.status == "resolved") == (row.resolved_at is not None) == (row.follow_up_by is not None)
        assert (row.status == "merged") == (row.merged_into is not None)
        assert world.engineers[row.lead_id].name == row.lead
        if row.similar_id is not None:
            older = world.incidents[row.similar_id]
            assert older.declared_at < row.declared_at
            assert rules.are_close(world.services[older.service_id], world.services[row.service_id])
        assert row.status != "open" or rules.check_floor(row.severity, own) is None
    rota.check_rested(list(world.shifts.values()), world.shifts.values())
    for row in world.shifts.values():
        assert row.covered == (row.planned_id != row.holder_id)
        assert (row.day, row.starts_at.hour) == (row.starts_at.date(), 8)
        if row.covered:
            back = rota.taken_back(row, world.shifts, row.planned_id, row.starts_at - dt.timedelta(days=99))
            rota.check_rested(back, world.shifts.values())
        if row.offer_id:
            rota.check_rested([rota.handed(row, world.engineers[row.offer_id], None)], world.shifts.values())
    names = [row.name for row in world.services.values()]
    assert len(names) == len(set(names))


def test_a_rota_without_rest_is_found() -> None:
    world = build_scenario(MonitoringAndIncidents, 1, 60, DEFAULT_NOW)
    first, second = (row for row in world.shifts.values() if row.level == "primary" and row.team_id == world.team_id
                     and 0 < (row.starts_at - DEFAULT_NOW).days < 3)  # fmt: skip
    with pytest.raises(ToolError, match="11 hours of rest"):
        rota.check_rested([second.evolve(holder_id=first.holder_id)], world.shifts.values())
