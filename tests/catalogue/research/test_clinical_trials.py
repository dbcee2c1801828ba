"""The trial site, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from typing import Any

import pytest

from envfactory.catalogue.research import _trial_rules as rules
from envfactory.catalogue.research.clinical_trials import ClinicalTrials
from envfactory.environment import DEFAULT_NOW, build_scenario, days_after
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.

TODAY = "2026-03-02"
PLAN = {"baseline": (0, 7), "week_2": (11, 17), "week_4": (25, 31)}


def day(count: int, since: str = TODAY) -> str:
    return (dt.date.fromisoformat(since) + dt.timedelta(days=count)).isoformat()


def trial(key: str, name: str, **changes: Any) -> Row:
    return {
        "id": key, "coordinator_id": "C-1", "name": name, "condition": "migraine", "phase": "phase_3",
        "status": "recruiting", "started_on": "2025-06-01", "min_age": 18, "max_age": 65, "excludes": ["pacemaker"],
        "washout_days": 30, "consent_version": 2, "consent_from": "2026-02-20",
        "arms": [{"name": "A", "places": 2}, {"name": "B", "places": 1}], "visits": list(PLAN),
        "measures": ["heart_rate", "body_weight"], **changes,
    }  # fmt: skip


def candidate(key: str, name: str, **changes: Any) -> Row:
    return {
        "id": key, "coordinator_id": "C-1", "name": name, "born_on": "1986-03-02", "city": "Oslo",
        "condition": "migraine", "risks": [], "registered_on": "2026-01-10", "in_trial": False, **changes,
    }  # fmt: skip


def person(key: str, name: str, enrolled_on: str, **changes: Any) -> Row:
    """Somebody enrolled in LUMEN on a day, with the baseline visit done."""
    return {
        "id": key, "coordinator_id": "C-1", "trial_id": "T-1", "trial": "LUMEN", "candidate_id": f"K-{key}",
        "name": name, "status": "enrolled", "enrolled_on": enrolled_on, "consent_version": 2,
        "signed_on": "2026-02-20", "consent_current": True, "baseline_done": True,
        "randomise_by": day(28, enrolled_on), "deviations": 0, **changes,
    }  # fmt: skip


def visit(who: Row, name: str, **changes: Any) -> Row:
    first, last = PLAN[name]
    done = changes.get("status") == "done"
    value = {"measure": "heart_rate", "value": 70, "recorded_on": day(first + 1, who["enrolled_on"])}
    return {
        "id": f"{who['id']}-{name}", "coordinator_id": who["coordinator_id"], "participant_id": who["id"],
        "name": who["name"], "trial": who["trial"], "visit": name, "opens_on": day(first, who["enrolled_on"]),
        "closes_on": day(last, who["enrolled_on"]), "status": "planned", "held_up": False,
        "missing": [] if done else ["heart_rate", "body_weight"],
        "values": [value, {**value, "measure": "body_weight", "value": 80}] if done else [], "late": False, **changes,
    }  # fmt: skip


def event(key: str, who: Row, name: str, severity: str, began_on: str, **changes: Any) -> Row:
    return {
        "id": key, "coordinator_id": who["coordinator_id"], "participant_id": who["id"], "name": who["name"],
        "trial": who["trial"], "event": name, "severity": severity, "began_on": began_on, "logged_on": began_on,
        "report_by": day({"mild": 30, "moderate": 15, "severe": 7, "life_threatening": 1}[severity], began_on),
        "status": "logged", "late": False, **changes,
    }  # fmt: skip


IN_A: Row = {"status": "randomised", "arm": "A"}
OLD: Row = {"consent_version": 1, "consent_current": False}
NEW = person("P-1", "Ann Abel", day(-2), baseline_done=False)
READY = person("P-2", "Bo Beck", day(-10))
AT_2 = person("P-3", "Cy Cole", day(-14), **IN_A, randomised_on=day(-7))
OUTDATED = person("P-4", "Di Dorn", day(-27), **IN_A, **OLD, randomised_on=day(-20), signed_on="2026-02-01")
GONE = person("P-5", "Ed Ekko", day(-50), status="withdrawn", ended_on=day(-31), reason="moved_away")
GONE_SICK: Row = {"status": "withdrawn", "ended_on": TODAY, "reason": "side_effects", "follow_up": "week_4"}
OTHERS = person("P-9", "Zo Zorn", day(-14), coordinator_id="C-2", trial_id="T-9", trial="TIDE")
TOLD: Row = {"status": "reported", "cause": "the_illness", "reported_on": day(-6)}
STATE: dict[str, Any] = {
    "coordinator_id": "C-1",
    "coordinators": keyed(
        {"id": "C-1", "name": "Ada Berg", "email": "ada@mail.example"},
        {"id": "C-2", "name": "Ben Cole", "email": "ben@mail.example"},
    ),
    "trials": keyed(
        trial("T-1", "LUMEN", arms=[{"name": "A", "places": 4}, {"name": "B", "places": 2}]),
        trial("T-2", "BREEZE", condition="asthma", consent_from="2025-10-01", started_on="2025-09-01"),
        trial("T-3", "AMBER", status="suspended", started_on="2025-07-01"),
        trial("T-4", "CALM", status="closed_to_enrolment"),
        trial("T-5", "DAWN", status="completed"),
        trial("T-9", "TIDE", coordinator_id="C-2"),
    ),
    "candidates": keyed(
        candidate("K-1", "Flo Fink"),
        candidate("K-2", "Gil Gold", registered_on="2026-01-05", born_on="1990-01-01", city="Rome"),
        candidate("K-3", "Hal Holt", risks=["pacemaker", "pregnancy"]),
        candidate("K-4", "Ida Iver", born_on="1960-03-02"),
        candidate("K-5", "Jo Jung", condition="asthma"),
        candidate("K-6", "Kit Kane", treated_until="2026-02-01"),
        candidate("K-9", "Lou Lind", coordinator_id="C-2"),
        *(candidate(f"K-{p['id']}", p["name"], in_trial=True) for p in (NEW, READY, AT_2, OUTDATED)),
        candidate("K-P-5", "Ed Ekko", registered_on="2025-12-01"),
        candidate("K-P-9", "Zo Zorn", coordinator_id="C-2", in_trial=True),
    ),
    "participants": keyed(NEW, READY, AT_2, OUTDATED, GONE, OTHERS),
    "visits": keyed(
        visit(NEW, "baseline"),
        visit(NEW, "week_2", held_up=True),
        visit(READY, "baseline", status="done"),
        visit(READY, "week_2", held_up=True),
        visit(READY, "week_4", held_up=True),
        visit(AT_2, "baseline", status="done"),
        visit(AT_2, "week_2"),
        visit(AT_2, "week_4"),
        visit(OUTDATED, "week_2", status="done"),
        visit(OUTDATED, "week_4", held_up=True),
        visit(GONE, "baseline", status="done"),
        visit(GONE, "week_2", status="cancelled"),
        visit(OTHERS, "week_2"),
    ),
    "events": keyed(
        event("E-1", AT_2, "headache", "mild", day(-5)),
        event("E-2", AT_2, "fainting", "severe", day(-7), logged_on=day(-3)),
        event("E-3", AT_2, "rash", "moderate", day(-6), **TOLD),
        event("E-4", OUTDATED, "fever", "severe", day(-8), logged_on=day(-4)),
        event("E-5", GONE, "nausea", "mild", day(-40), logged_on=day(-2)),
        event("E-9", OTHERS, "nausea", "mild", day(-1)),
    ),
}
PEOPLE, VISITS, EVENTS = STATE["participants"], STATE["visits"], STATE["events"]


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(ClinicalTrials, STATE, rows=rows, **changes)


def on(when: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"{when}T09:00:00")


def having(table: str, key: str, **changes: Any) -> dict[str, Rows]:
    return {table: keyed({**STATE[table][key], **changes})}


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["T-3", "T-2", "T-4", "T-5", "T-1"]),
        ({"sort": "start"}, ["T-2", "T-3", "T-4", "T-5", "T-1"]),
        ({"status": "recruiting"}, ["T-2", "T-1"]),
        ({"condition": "asthma"}, ["T-2"]),
        ({"condition": "psoriasis"}, []),
        ({"page": 2}, []),
    ],
)
def test_own_trials_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_trials", **arguments) == found


def test_a_trial_says_how_full_it_is() -> None:
    value = desk().gives("get_trial", trial_id="T-1")
    assert value == {
        "trial": STATE["trials"]["T-1"], "name": "LUMEN", "status": "recruiting",
        "arms": [{"name": "A", "places": 4, "randomised": 2}, {"name": "B", "places": 2, "randomised": 0}],
        "enrolled": 2, "randomised": 2, "places_left": 4, "consent_version": 2, "outdated": 1,
    }  # fmt: skip
    assert desk().gives("get_trial", trial_id="T-2")["places_left"] == 5
    left = having("participants", "P-4", status="withdrawn", ended_on=TODAY, reason="moved_away")
    value = desk(left).gives("get_trial", trial_id="T-1")
    assert (value["randomised"], value["places_left"], value["outdated"]) == (2, 4, 0)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["K-P-5", "K-2", "K-1"]),
        ({"sort": "age"}, ["K-2", "K-1", "K-P-5"]),
        ({"city": "Rome"}, ["K-2"]),
        ({"max_age": 39}, ["K-2"]),
        ({"max_age": 40}, ["K-P-5", "K-2", "K-1"]),
        ({"max_age": 20}, []),
        ({"page": 2}, []),
    ],
)
def test_candidates_are_found_who_meet_the_criteria(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_candidates", trial_id="T-1", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["K-P-5", "K-2", "K-1", "K-3", "K-4"]),
        ({"page": 2}, ["K-5", "K-6", "K-P-1", "K-P-2", "K-P-3"]),
        ({"page": 3}, ["K-P-4"]),
        ({"city": "Rome"}, ["K-2"]),
        ({"max_age": 39}, ["K-2"]),
        ({"sort": "age", "page": 3}, ["K-4"]),
    ],
)
def test_own_candidates_are_found_whether_a_trial_takes_them_or_not(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_candidates", **arguments) == found


CRITERIA: list[tuple[Row, list[str], str | None]] = [
    ({}, [], None),
    ({"condition": "asthma"}, ["other_condition"], None),
    ({"born_on": "2008-03-02"}, [], None),
    ({"born_on": "2008-03-03"}, ["too_young"], "2026-03-03"),
    ({"born_on": "2008-04-01"}, ["too_young"], "2026-04-01"),
    ({"born_on": "1960-03-03"}, [], None),
    ({"born_on": "1960-03-02"}, ["too_old"], None),
    ({"risks": ["pregnancy"]}, [], None),
    ({"risks": ["pacemaker"]}, ["excluded_risk"], None),
    ({"in_trial": True}, ["in_a_trial_now"], None),
    ({"treated_until": "2026-01-31"}, [], None),
    ({"treated_until": "2026-02-01"}, ["washout"], "2026-03-03"),
    ({"treated_until": "2026-02-01", "born_on": "2008-03-10"}, ["too_young", "washout"], "2026-03-10"),
    ({"treated_until": "2026-02-20", "born_on": "2008-03-10"}, ["too_young", "washout"], "2026-03-22"),
    ({"treated_until": "2026-02-20", "born_on": "1960-03-22"}, ["washout"], None),
    ({"treated_until": "2026-02-20", "in_trial": True}, ["in_a_trial_now", "washout"], None),
]


@pytest.mark.parametrize(("changes", "obstacles", "possible"), CRITERIA)
def test_the_criteria_of_a_trial_are_kept(changes: Row, obstacles: list[str], possible: str | None) -> None:
    at = desk(having("candidates", "K-1", **changes))
    check = at.gives("check_eligibility", candidate_id="K-1", trial_id="T-1")
    assert (check["eligible"], check["obstacles"]) == (not obstacles, obstacles)
    assert check.get("eligible_from") == possible
    assert ("K-1" in at.ids("find_candidates", trial_id="T-1")) == (not obstacles)
    arguments = {"candidate_id": "K-1", "trial_id": "T-1", "signed_on": TODAY}
    if obstacles:
        result = at("enrol_candidate", **arguments)
        assert (result.code, at.changed()) == ("precondition_failed", {})
        assert "LUMEN does not take Flo Fink, who " in result.text
        assert (f"; {possible} is the first day on which it is possible" in result.text) == bool(possible)
    else:
        at.gives("enrol_candidate", **arguments)


def test_a_check_tells_age_and_excluded_risks() -> None:
    assert desk().gives("check_eligibility", candidate_id="K-3", trial_id="T-1") == {
        "candidate_id": "K-3", "trial_id": "T-1", "name": "Hal Holt", "trial": "LUMEN", "age": 40, "eligible": False,
        "obstacles": ["excluded_risk"], "risks": ["pacemaker"],
    }  # fmt: skip


def test_somebody_born_on_a_leap_day_is_a_year_older_on_the_first_of_march() -> None:
    at = desk({"candidates": keyed(candidate("K-1", "Flo Fink", born_on="2008-02-29"))}, now=on("2026-02-28"))
    check = at.gives("check_eligibility", candidate_id="K-1", trial_id="T-1")
    assert (check["age"], check["eligible_from"]) == (17, "2026-03-01")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["P-1", "P-2", "P-3", "P-4", "P-5"]),
        ({"trial_id": "T-1", "status": "randomised"}, ["P-3", "P-4"]),
        ({"trial_id": "T-2"}, []),
        ({"status": "enrolled"}, ["P-1", "P-2"]),
        ({"outdated": True}, ["P-4"]),
        ({"page": 2}, []),
    ],
)
def test_own_participants_are_listed(arguments: Row, found: list[str]) -> None:
    at = desk(having("participants", "P-5", consent_current=False))
    assert at.ids("list_participants", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["P-5-baseline", "P-5-week_2", "P-4-week_2", "P-3-baseline", "P-2-baseline"]),
        ({"page": 3}, ["P-3-week_4", "P-2-week_4"]),
        ({"participant_id": "P-3"}, ["P-3-baseline", "P-3-week_2", "P-3-week_4"]),
        ({"status": "cancelled"}, ["P-5-week_2"]),
        ({"status": "planned", "due_by": TODAY}, ["P-3-week_2", "P-1-baseline"]),
        ({"status": "planned", "due_by": day(1)}, ["P-3-week_2", "P-1-baseline", "P-2-week_2"]),
    ],
)
def test_own_visits_are_listed(arguments: Row, found: list[str]) -> None:
    at = desk(having("visits", "P-4-week_4", status="done", missing=[]))
    if arguments.get("status") == "planned" or arguments.get("page") == 3:
        assert at.ids("list_visits", **arguments) == found
    else:
        assert desk().ids("list_visits", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["E-5", "E-4", "E-2", "E-3", "E-1"]),
        ({"unreported": True}, ["E-5", "E-4", "E-2", "E-1"]),
        ({"severity": "severe"}, ["E-4", "E-2"]),
        ({"participant_id": "P-3", "severity": "mild"}, ["E-1"]),
        ({"participant_id": "P-1"}, []),
        ({"page": 2}, []),
    ],
)
def test_own_events_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_events", **arguments) == found


# -- enrolment


def test_enrolment_plans_the_visits_and_can_be_undone() -> None:
    at = desk()
    new = at.gives("enrol_candidate", candidate_id="K-1", trial_id="T-1", signed_on="2026-02-20")
    row = {
        **person(new["id"], "Flo Fink", TODAY, baseline_done=False), "candidate_id": "K-1",
        "randomise_by": "2026-03-30",
    }  # fmt: skip
    assert new == row
    changed = at.changed()
    assert changed["participants.created"] == {new["id"]: row}
    assert changed["candidates.changed"] == {"K-1": {"in_trial": True}}
    visits = changed["visits.created"]
    assert [{**v, "id": f"{new['id']}-{v['visit']}"} for v in visits.values()] == [
        visit(row, name, held_up=name != "baseline") for name in PLAN
    ]
    assert set(changed) == {"participants.created", "candidates.changed", "visits.created"}
    left = at.gives("withdraw_participant", participant_id=new["id"], reason="moved_away")
    assert (left["place_freed"], left["cancelled"]) == (True, list(PLAN))
    assert "candidates.changed" not in at.changed()
    again = at.gives("enrol_candidate", candidate_id="K-1", trial_id="T-1", signed_on=TODAY)
    assert at.gives("get_trial", trial_id="T-1")["enrolled"] == 3
    at.gives("list_visits", participant_id=again["id"])


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("T-3", "AMBER is suspended; wait until the sponsor resumes it"),
        ("T-4", "CALM is closed to enrolment; look for another trial that is recruiting"),
        ("T-5", "DAWN is completed; look for another trial that is recruiting"),
    ],
)
def test_only_a_recruiting_trial_enrols(key: str, words: str) -> None:
    arguments = {"candidate_id": "K-1", "trial_id": key, "signed_on": TODAY}
    desk().refuses("enrol_candidate", "precondition_failed", words, **arguments)


@pytest.mark.parametrize(
    ("signed_on", "words"),
    [
        (day(1), "2026-03-03 is still to come; give the day on which it was signed"),
        ("2026-02-19", "Version 2 of the consent form of LUMEN is from 2026-02-20, so that of 2026-02-19 is outdated"),
    ],
)
def test_a_consent_is_to_the_present_version(signed_on: str, words: str) -> None:
    code = "invalid_argument" if signed_on > TODAY else "precondition_failed"
    at = desk()
    at.refuses("enrol_candidate", code, words, candidate_id="K-1", trial_id="T-1", signed_on=signed_on)
    at.refuses("record_consent", code, words, participant_id="P-4", signed_on=signed_on)


def test_a_consent_counts_for_thirty_days() -> None:
    at = desk()
    words = "A consent counts for 30 days, and this one is of 2026-01-30; have it signed again, on 2026-01-31 or later"
    arguments = {"candidate_id": "K-5", "trial_id": "T-2"}
    at.refuses("enrol_candidate", "precondition_failed", words, **arguments, signed_on="2026-01-30")
    at.gives("enrol_candidate", **arguments, signed_on="2026-01-31")


def test_a_trial_has_two_places_more_than_its_arms() -> None:
    rows = having("trials", "T-1", arms=[{"name": "A", "places": 2}, {"name": "B", "places": 1}])
    at = desk(rows)
    assert at.gives("get_trial", trial_id="T-1")["places_left"] == 1
    at.gives("enrol_candidate", candidate_id="K-1", trial_id="T-1", signed_on=TODAY)
    words = "All places of LUMEN at this site are taken; find another trial, or withdraw somebody who is not randomised"
    arguments = {"candidate_id": "K-2", "trial_id": "T-1", "signed_on": TODAY}
    at.refuses("enrol_candidate", "limit_exceeded", words, **arguments)
    at.gives("withdraw_participant", participant_id="P-3", reason="moved_away")
    at.refuses("enrol_candidate", "limit_exceeded", words, **arguments)
    at.gives("withdraw_participant", participant_id="P-2", reason="moved_away")
    at.gives("enrol_candidate", **arguments)
    fewer = having("trials", "T-1", arms=[{"name": "A", "places": 1}])
    assert desk(fewer).gives("get_trial", trial_id="T-1")["places_left"] == 0


def test_nobody_is_randomised_in_a_trial_twice() -> None:
    at = desk()
    at.gives("withdraw_participant", participant_id="P-3", reason="moved_away")
    check = at.gives("check_eligibility", candidate_id="K-P-3", trial_id="T-1")
    assert check["obstacles"] == ["washout", "randomised_before"]
    check = at.gives("check_eligibility", candidate_id="K-P-3", trial_id="T-4")
    assert (check["obstacles"], check["eligible_from"]) == (["washout"], "2026-04-01")
    at = desk(having("candidates", "K-P-3", in_trial=False))
    words = "LUMEN does not take Cy Cole, who was randomised in it before; find another trial."
    arguments = {"candidate_id": "K-P-3", "trial_id": "T-1", "signed_on": TODAY}
    at.refuses("enrol_candidate", "precondition_failed", words, **arguments)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"condition": "asthma"}, "who has another condition; find a trial for that."),
        ({"born_on": "1950-01-01"}, "who is too old; find a trial that takes older people."),
        ({"born_on": "2010-01-01"}, "who is too young; 2028-01-01 is the first day on which it is possible."),
        ({"risks": ["pacemaker"]}, "who has a risk that it excludes; find a trial that does not."),
        ({"in_trial": True}, "who takes part in a trial already and has to complete or leave that first."),
        ({"treated_until": TODAY}, "who was in another trial too lately; 2026-04-01 is the first day"),
    ],
)
def test_a_refusal_to_enrol_tells_what_would_help(changes: Row, words: str) -> None:
    at = desk(having("candidates", "K-1", **changes))
    arguments = {"candidate_id": "K-1", "trial_id": "T-1", "signed_on": TODAY}
    at.refuses("enrol_candidate", "precondition_failed", words, **arguments)


# -- consent and randomisation


def test_a_new_consent_lets_the_visits_go_on() -> None:
    at = desk()
    arguments = {"visit_id": "P-4-week_4", "measure": "heart_rate", "value": 70}
    words = "Di Dorn signed version 1 of the consent form, and there is a newer one; record the new consent first"
    at.refuses("record_measurement", "precondition_failed", words, **arguments)
    signed = at.gives("record_consent", participant_id="P-4", signed_on="2026-02-20")
    changes = {"consent_version": 2, "signed_on": "2026-02-20", "consent_current": True}
    assert signed == {**OUTDATED, **changes}
    assert at.changed() == {
        "participants.changed": {"P-4": changes}, "visits.changed": {"P-4-week_4": {"held_up": False}}
    }  # fmt: skip
    at.gives("record_measurement", **arguments)
    words = "Di Dorn signed version 2 on 2026-02-20, which is the present one; the next is due after an amendment"
    at.refuses("record_consent", "conflict", words, participant_id="P-4", signed_on=TODAY)


def test_a_new_consent_alone_does_not_open_the_visits_of_who_is_not_randomised() -> None:
    at = desk(having("participants", "P-2", consent_current=False))
    at.refuses("randomise_participant", "precondition_failed", "record the new consent first", participant_id="P-2")
    at.gives("record_consent", participant_id="P-2", signed_on=TODAY)
    assert "visits.changed" not in at.changed()
    at.gives("randomise_participant", participant_id="P-2")


def test_who_left_is_not_asked_for_anything() -> None:
    at = desk()
    words = "Ed Ekko left LUMEN on 2026-01-30, so cannot be {}; choose somebody who is in a trial now."
    calls: list[tuple[str, str, Row]] = [
        ("record_consent", "asked for consent", {"signed_on": TODAY}),
        ("randomise_participant", "randomised", {}),
        ("withdraw_participant", "withdrawn", {"reason": "moved_away"}),
    ]
    for tool, done, more in calls:
        at.refuses(tool, "precondition_failed", words.format(done), participant_id="P-5", **more)
    at = desk(having("participants", "P-5", status="completed", reason=None))
    at.refuses("randomise_participant", "precondition_failed", "Ed Ekko completed LUMEN on", participant_id="P-5")


@pytest.mark.parametrize(
    ("places", "filled", "arm"),
    [((4, 2), ("A", "A"), "B"), ((4, 2), ("A", "B"), "A"), ((4, 2), ("B", "B"), "A"), ((2, 2), ("A", "B"), "A"),
     ((2, 3), ("A", "B"), "B"), ((1, 3), ("A", "B"), "B")],
)  # fmt: skip
def test_the_arm_is_the_one_that_is_least_full(places: tuple[int, int], filled: tuple[str, str], arm: str) -> None:
    rows = having("trials", "T-1", arms=[{"name": n, "places": p} for n, p in zip("AB", places, strict=True)])
    rows["participants"] = keyed({**AT_2, "arm": filled[0]}, {**OUTDATED, "arm": filled[1]})
    at = desk(rows)
    changes = {"status": "randomised", "arm": arm, "randomised_on": TODAY}
    assert at.gives("randomise_participant", participant_id="P-2") == {**READY, **changes}
    opened = {key: {"held_up": False} for key in ("P-2-week_2", "P-2-week_4")}
    assert at.changed() == {"participants.changed": {"P-2": {**changes, "deviations": 0}}, "visits.changed": opened}
    words = f"Bo Beck is in arm {arm} already, and that is final"
    at.refuses("randomise_participant", "conflict", words, participant_id="P-2")


def test_full_arms_take_nobody() -> None:
    at = desk(having("trials", "T-1", arms=[{"name": "A", "places": 2}]))
    words = "Every arm of LUMEN is full, so nobody can be randomised; withdraw Bo Beck, who can be enrolled in another"
    at.refuses("randomise_participant", "limit_exceeded", words, participant_id="P-2")


def test_the_baseline_visit_comes_before_randomisation() -> None:
    at = desk()
    words = "The baseline visit of Ann Abel lacks values; record those first"
    at.refuses("randomise_participant", "precondition_failed", words, participant_id="P-1")
    at.gives("record_measurement", visit_id="P-1-baseline", measure="heart_rate", value=70)
    at.refuses("randomise_participant", "precondition_failed", words, participant_id="P-1")
    done = at.gives("record_measurement", visit_id="P-1-baseline", measure="body_weight", value=80)
    assert done["status"] == "done"
    assert at.changed()["participants.changed"] == {"P-1": {"baseline_done": True}}
    assert at.gives("randomise_participant", participant_id="P-1")["arm"] == "B"


@pytest.mark.parametrize(("now", "possible"), [(day(18), True), (day(19), False)])
def test_randomisation_has_28_days(now: str, possible: bool) -> None:
    at = desk(now=on(now))
    if possible:
        at.gives("randomise_participant", participant_id="P-2")
    else:
        words = "Bo Beck had to be randomised by 2026-03-20; withdraw and enrol them anew"
        at.refuses("randomise_participant", "precondition_failed", words, participant_id="P-2")


@pytest.mark.parametrize("status", ["suspended", "completed", "closed_to_enrolment"])
def test_a_trial_closed_to_enrolment_still_randomises(status: str) -> None:
    at = desk(having("trials", "T-1", status=status))
    if status == "closed_to_enrolment":
        at.gives("randomise_participant", participant_id="P-2")
    else:
        words = f"LUMEN is {status}"
        at.refuses("randomise_participant", "precondition_failed", words, participant_id="P-2")


# -- visits


def test_a_value_is_recorded_and_corrected() -> None:
    at = desk()
    arguments = {"visit_id": "P-3-week_2", "measure": "heart_rate"}
    found = at.gives("record_measurement", **arguments, value=70)
    value = {"measure": "heart_rate", "value": 70, "recorded_on": TODAY}
    assert found == {**VISITS["P-3-week_2"], "missing": ["body_weight"], "values": [value]}
    changes = {"missing": ["body_weight"], "values": [value]}
    assert at.changed() == {"visits.changed": {"P-3-week_2": changes}}
    words = "The heart rate is recorded as 70 already; give another value to correct it"
    at.refuses("record_measurement", "conflict", words, **arguments, value=70)
    at.gives("record_measurement", **arguments, value=71)
    found = at.gives("record_measurement", **arguments, value=72)
    assert found["values"] == [{**value, "value": 72, "first": 70}]
    done = at.gives("record_measurement", visit_id="P-3-week_2", measure="body_weight", value=80)
    assert (done["status"], done["missing"], len(done["values"])) == ("done", [], 2)
    assert "participants.changed" not in at.changed()
    right = at.gives("record_measurement", visit_id="P-3-week_2", measure="body_weight", value=81)
    assert [row["value"] for row in right["values"]] == [72, 81]
    first = at.gives("record_measurement", **arguments, value=73)
    assert [row["value"] for row in first["values"]] == [73, 81]


@pytest.mark.parametrize(("now", "possible"), [(day(5), True), (day(6), False)])
def test_a_value_can_be_corrected_for_14_days(now: str, possible: bool) -> None:
    at = desk(now=on(now))
    arguments = {"visit_id": "P-2-baseline", "measure": "heart_rate", "value": 75}
    if possible:
        assert at.gives("record_measurement", **arguments)["values"][0]["first"] == 70
    else:
        words = "The heart rate could be corrected until 2026-03-07; it stays 70"
        at.refuses("record_measurement", "precondition_failed", words, **arguments)


@pytest.mark.parametrize(
    ("measure", "low", "high", "unit"),
    [
        ("body_weight", 30, 250, "kg"),
        ("heart_rate", 30, 220, "beats a minute"),
        ("systolic_pressure", 60, 250, "mmHg"),
        ("diastolic_pressure", 30, 150, "mmHg"),
        ("oxygen_saturation", 50, 100, "percent"),
    ],
)
def test_a_value_has_to_be_plausible(measure: str, low: int, high: int, unit: str) -> None:
    rows = having("visits", "P-3-week_2", missing=[measure])
    for value in (low - 1, high + 1):
        words = f"A {measure.replace('_', ' ')} of {value} {unit} cannot be right; give one from {low} to {high}"
        arguments = {"visit_id": "P-3-week_2", "measure": measure, "value": value}
        desk(rows).refuses("record_measurement", "invalid_argument", words, **arguments)
    for value in (low, high):
        desk(rows).gives("record_measurement", visit_id="P-3-week_2", measure=measure, value=value)


def test_only_what_the_trial_measures_is_recorded() -> None:
    at = desk()
    words = "LUMEN does not measure oxygen saturation but heart rate and body weight"
    arguments = {"visit_id": "P-3-week_2", "measure": "oxygen_saturation", "value": 95}
    at.refuses("record_measurement", "invalid_argument", words, **arguments)
    at.refuses("record_measurement", "invalid_argument", words, **{**arguments, "visit_id": "P-2-baseline"})


@pytest.mark.parametrize(
    ("now", "late", "words"),
    [
        (day(-4), None, "The week 2 visit of Cy Cole can be held from 2026-02-27 to 2026-03-05; record it then"),
        (day(-3), False, ""),
        (day(3), False, ""),
        (day(4), True, ""),
        (day(10), True, ""),
        (day(11), None, "The week 2 visit of Cy Cole could be held until 2026-03-12, so it is missed; go on with the"),
    ],
)
def test_a_visit_is_held_in_its_window_or_as_a_deviation(now: str, late: bool | None, words: str) -> None:
    at = desk(now=on(now))
    arguments = {"visit_id": "P-3-week_2", "measure": "heart_rate", "value": 70}
    if late is None:
        at.refuses("record_measurement", "precondition_failed", words, **arguments)
        return
    assert at.gives("record_measurement", **arguments)["late"] == late
    at.gives("record_measurement", **{**arguments, "measure": "body_weight"})
    assert at.changed().get("participants.changed") == ({"P-3": {"deviations": 1}} if late else None)


MISSED = "The {} visit of {} could be held until {}, so it is missed; {}."
LATE = "The {} visit of {} would be late, which is not possible after 3 deviations; {}."


@pytest.mark.parametrize(
    ("key", "missed_from", "instead"),
    [
        ("P-1-baseline", day(13), "withdraw and enrol them anew"),
        ("P-3-week_2", day(11), "go on with the next visit"),
        ("P-3-week_4", day(25), "withdraw them for missed visits"),
    ],
)
def test_a_visit_that_cannot_be_held_any_more_tells_what_to_do(key: str, missed_from: str, instead: str) -> None:
    row = VISITS[key]
    arguments = {"visit_id": key, "measure": "heart_rate", "value": 70}
    name, last = row["visit"].replace("_", " "), day(-1, missed_from)
    at = desk(now=on(missed_from))
    at.refuses(
        "record_measurement", "precondition_failed", MISSED.format(name, row["name"], last, instead), **arguments
    )
    words = LATE.format(name, row["name"], instead)
    for count in (3, 4):
        at = desk(having("participants", row["participant_id"], deviations=count), now=on(last))
        at.refuses("record_measurement", "limit_exceeded", words, **arguments)
    at = desk(having("participants", row["participant_id"], deviations=2), now=on(last))
    assert at.gives("record_measurement", **arguments)["late"]
    at.gives("record_measurement", **{**arguments, "measure": "body_weight"})
    changed = at.changed()["participants.changed"][row["participant_id"]]
    assert changed["deviations"] == 3


def test_a_missed_follow_up_visit_is_left_at_that() -> None:
    at = desk({"participants": keyed({**AT_2, **GONE_SICK})}, now=on(day(25)))
    words = MISSED.format("week 4", "Cy Cole", day(24), "Cy Cole left the trial, so leave it at that")
    arguments = {"visit_id": "P-3-week_4", "measure": "heart_rate", "value": 70}
    at.refuses("record_measurement", "precondition_failed", words, **arguments)


def test_a_visit_that_is_finished_after_its_window_is_late() -> None:
    value = {"measure": "heart_rate", "value": 70, "recorded_on": day(3)}
    rows = having("visits", "P-3-week_2", values=[value], missing=["body_weight"])
    arguments = {"visit_id": "P-3-week_2", "measure": "body_weight", "value": 80}
    done = desk(rows, now=on(day(3))).gives("record_measurement", **arguments)
    assert (done["status"], done["late"]) == ("done", False)
    at = desk(rows, now=on(day(4)))
    done = at.gives("record_measurement", **arguments)
    assert (done["status"], done["late"]) == ("done", True)
    assert at.changed()["participants.changed"] == {"P-3": {"deviations": 1}}
    at = desk({**rows, **having("participants", "P-3", deviations=3)}, now=on(day(4)))
    words = LATE.format("week 2", "Cy Cole", "go on with the next visit")
    at.refuses("record_measurement", "limit_exceeded", words, **arguments)
    at.gives("record_measurement", **{**arguments, "measure": "heart_rate", "value": 71})


@pytest.mark.parametrize("changes", [OLD, {"status": "withdrawn", "ended_on": TODAY, "reason": "moved_away"}])
def test_a_correction_takes_neither_a_consent_nor_a_place_in_the_trial(changes: Row) -> None:
    value = {"measure": "heart_rate", "value": 70, "recorded_on": day(-1)}
    rows = having("visits", "P-3-week_2", values=[value], missing=["body_weight"], status="cancelled", held_up=True)
    at = desk({**rows, **having("participants", "P-3", deviations=3, **changes)})
    right = at.gives("record_measurement", visit_id="P-3-week_2", measure="heart_rate", value=71)
    assert right["values"] == [{**value, "value": 71, "first": 70}]


def test_visits_after_the_baseline_wait_for_the_randomisation() -> None:
    at = desk(now=on(day(2)))
    arguments = {"visit_id": "P-2-week_2", "measure": "heart_rate", "value": 70}
    words = "The week 2 visit of Bo Beck is held once they are randomised; do that first"
    at.refuses("record_measurement", "precondition_failed", words, **arguments)
    at.gives("randomise_participant", participant_id="P-2")
    at.gives("record_measurement", **arguments)


def test_a_cancelled_visit_is_not_held() -> None:
    rows = having("visits", "P-5-week_2", opens_on=TODAY, closes_on=TODAY)
    words = "The week 2 visit of Ed Ekko is cancelled, as their part in the trial is over"
    arguments = {"visit_id": "P-5-week_2", "measure": "heart_rate", "value": 70}
    desk(rows).refuses("record_measurement", "precondition_failed", words, **arguments)


def test_the_last_visit_completes_the_trial() -> None:
    at = desk(now=on(day(12)))
    arguments = {"visit_id": "P-3-week_4", "value": 80}
    at.gives("record_measurement", **arguments, measure="heart_rate")
    assert "participants.changed" not in at.changed()
    at.gives("record_measurement", **arguments, measure="body_weight")
    changed = at.changed()
    assert changed["participants.changed"] == {"P-3": {"status": "completed", "ended_on": "2026-03-14"}}
    assert changed["candidates.changed"] == {"K-P-3": {"in_trial": False, "treated_until": "2026-03-14"}}
    assert changed["visits.changed"]["P-3-week_2"] == {"status": "cancelled"}
    at.gives("record_measurement", visit_id="P-3-week_4", measure="heart_rate", value=81)
    assert at.changed()["participants.changed"] == changed["participants.changed"]


# -- adverse events


@pytest.mark.parametrize(
    ("severity", "report_by"),
    [
        ("mild", "2026-03-31"),
        ("moderate", "2026-03-16"),
        ("severe", "2026-03-08"),
        ("life_threatening", "2026-03-02"),
    ],
)
def test_an_event_is_logged_and_taken_out_again(severity: str, report_by: str) -> None:
    at = desk()
    arguments = {"participant_id": "P-3", "event": "rash", "severity": severity, "began_on": day(-1)}
    new = at.gives("log_event", **arguments)
    row = event(new["id"], AT_2, "rash", severity, day(-1), logged_on=TODAY, report_by=report_by)
    assert new == row
    assert at.changed() == {"events.created": {new["id"]: row}}
    words = f"The rash of Cy Cole on 2026-03-01 is in the log as {severity.replace('_', ' ')}; report that"
    at.refuses("log_event", "conflict", words, **{**arguments, "severity": "mild"})
    assert at.gives("remove_event", event_id=new["id"]) == row
    assert at.changed() == {}
    at.gives("log_event", **arguments)


def test_an_event_is_logged_once() -> None:
    at = desk()
    words = "The rash of Cy Cole on 2026-02-24 is in the log as moderate; it is reported"
    arguments = {"participant_id": "P-3", "event": "rash", "severity": "mild", "began_on": day(-6)}
    at.refuses("log_event", "conflict", words, **arguments)
    at.gives("log_event", **{**arguments, "began_on": day(-5)})
    at.gives("log_event", **{**arguments, "event": "fever"})
    at.gives("log_event", **{**arguments, "participant_id": "P-4"})


@pytest.mark.parametrize(
    ("key", "began_on", "words"),
    [
        ("P-3", day(1), "2026-03-03 is still to come; give the day on which it began"),
        ("P-3", TODAY, ""),
        ("P-3", day(-14), ""),
        ("P-3", day(-15), "Events of Cy Cole count from 2026-02-16 to 2026-03-02, not on 2026-02-15; give a day"),
        ("P-5", day(-1), ""),
        ("P-5", TODAY, "Events of Ed Ekko count from 2026-01-11 to 2026-03-01, not on 2026-03-02; give a day within"),
    ],
)
def test_events_count_from_enrolment_until_a_month_after_the_end(key: str, began_on: str, words: str) -> None:
    arguments = {"participant_id": key, "event": "vomiting", "severity": "mild", "began_on": began_on}
    if words:
        code = "invalid_argument" if began_on > TODAY else "precondition_failed"
        desk().refuses("log_event", code, words, **arguments)
    else:
        desk().gives("log_event", **arguments)


@pytest.mark.parametrize(("now", "possible"), [(TODAY, True), (day(1), False)])
def test_an_event_leaves_the_log_within_three_days(now: str, possible: bool) -> None:
    at = desk(having("events", "E-2", logged_on=day(-3)), now=on(now))
    if possible:
        at.gives("remove_event", event_id="E-2")
        assert set(at.changed()) == {"events.deleted"}
    else:
        words = "The fainting of Cy Cole could be taken out of the log until 2026-03-02; report it instead"
        at.refuses("remove_event", "precondition_failed", words, event_id="E-2")


def test_what_is_reported_is_final() -> None:
    at = desk()
    words = "The rash of Cy Cole was reported on 2026-02-24, so it cannot be {}; log anything new as an event"
    at.refuses("remove_event", "conflict", words.format("taken out of the log"), event_id="E-3")
    arguments = {"event_id": "E-3", "cause": "the_illness"}
    at.refuses("report_event", "conflict", words.format("reported again"), **arguments)


@pytest.mark.parametrize(
    ("key", "late"), [("E-1", False), ("E-2", False), ("E-4", True), ("E-5", True)]
)  # fmt: skip
def test_a_report_after_its_last_day_is_a_deviation(key: str, late: bool) -> None:
    at, old = desk(), EVENTS[key]
    changes: Row = {"status": "reported", "cause": "something_else", "reported_on": TODAY, "late": late}
    assert at.gives("report_event", event_id=key, cause="something_else") == {**old, **changes}
    changed = at.changed()
    assert changed["events.changed"] == {key: changes}
    who = old["participant_id"]
    assert changed.get("participants.changed") == ({who: {"deviations": 1}} if late else None)
    assert set(changed) <= {"events.changed", "participants.changed"}


def test_a_late_report_is_taken_whatever_the_number_of_deviations() -> None:
    at = desk(having("participants", "P-4", deviations=3))
    assert at.gives("report_event", event_id="E-4", cause="the_illness")["late"]
    assert at.changed()["participants.changed"] == {"P-4": {"deviations": 4}}


def test_what_was_taken_out_of_the_log_can_be_logged_again() -> None:
    at = desk()
    arguments = {"participant_id": "P-3", "event": "headache", "severity": "severe", "began_on": day(-5)}
    words = f"The headache of Cy Cole on {day(-5)} is in the log as mild; report that"
    at.refuses("log_event", "conflict", words, **arguments)
    at = desk(having("events", "E-1", logged_on=TODAY))
    at.gives("remove_event", event_id="E-1")
    assert at.gives("log_event", **arguments)["report_by"] == day(2)


def test_the_treatment_causes_nothing_before_it_began() -> None:
    at = desk()
    assert at.gives("report_event", event_id="E-2", cause="the_treatment")["cause"] == "the_treatment"
    words = "Ed Ekko had no treatment on 2026-01-21; give the illness or something else as the cause"
    at.refuses("report_event", "invalid_argument", words, event_id="E-5", cause="the_treatment")
    at = desk(having("events", "E-2", began_on=day(-8)))
    words = "Cy Cole had no treatment on 2026-02-22"
    at.refuses("report_event", "invalid_argument", words, event_id="E-2", cause="the_treatment")


# -- leaving


@pytest.mark.parametrize("reason", ["consent_withdrawn", "moved_away", "side_effects", "missed_visits"])
def test_what_was_recorded_stays_and_what_was_planned_is_cancelled(reason: str) -> None:
    at = desk()
    left = at.gives("withdraw_participant", participant_id="P-3", reason=reason)
    stays = reason == "side_effects"
    found: Row = {
        "participant_id": "P-3", "name": "Cy Cole", "trial": "LUMEN", "reason": reason,
        "cancelled": ["week_2"] if stays else ["week_2", "week_4"], "to_report": ["headache", "fainting"],
        "place_freed": False,
    }  # fmt: skip
    assert left == ({**found, "follow_up": "week_4"} if stays else found)
    changes: Row = {"status": "withdrawn", "ended_on": TODAY, "reason": reason}
    assert at.changed() == {
        "participants.changed": {"P-3": {**changes, "follow_up": "week_4"} if stays else changes},
        "candidates.changed": {"K-P-3": {"in_trial": False, "treated_until": TODAY}},
        "visits.changed": {f"P-3-{name}": {"status": "cancelled"} for name in found["cancelled"]},
    }
    at.gives("report_event", event_id="E-1", cause="the_illness")


def test_the_follow_up_visit_can_be_held_after_leaving() -> None:
    rows = having("participants", "P-3", **OLD)
    rows["visits"] = keyed({**VISITS["P-3-week_4"], "opens_on": day(-1), "held_up": True})
    at = desk(rows)
    assert at.gives("withdraw_participant", participant_id="P-3", reason="side_effects")["follow_up"] == "week_4"
    before = at.changed()
    arguments = {"visit_id": "P-3-week_4", "value": 80}
    at.gives("record_measurement", **arguments, measure="heart_rate")
    done = at.gives("record_measurement", **arguments, measure="body_weight")
    assert (done["status"], done["held_up"]) == ("done", False)
    after = at.changed()
    assert [after[name] for name in ("participants.changed", "candidates.changed")] == [
        before[name] for name in ("participants.changed", "candidates.changed")
    ]


def test_a_follow_up_visit_leaves_a_new_enrolment_alone() -> None:
    at = desk({"visits": keyed({**VISITS["P-3-week_4"], "opens_on": day(-1)})}, now=on(day(17)))
    at.gives("withdraw_participant", participant_id="P-3", reason="side_effects")
    rows = having("candidates", "K-P-3", in_trial=True, treated_until=TODAY)
    gone = {**AT_2, **GONE_SICK}
    again = person("P-7", "Cy Cole", day(0), trial_id="T-2", trial="BREEZE", candidate_id="K-P-3")
    at = desk({**rows, "participants": keyed(gone, again)}, now=on(day(15)))
    at.gives("record_measurement", visit_id="P-3-week_4", measure="heart_rate", value=70)
    assert set(at.changed()) == {"visits.changed"}


@pytest.mark.parametrize(("closes_on", "stays"), [(day(-7), True), (day(-8), False)])
def test_a_last_visit_that_is_missed_is_no_follow_up(closes_on: str, stays: bool) -> None:
    at = desk(having("visits", "P-3-week_4", closes_on=closes_on))
    left = at.gives("withdraw_participant", participant_id="P-3", reason="side_effects")
    assert ("follow_up" in left) == stays
    assert ("week_4" in left["cancelled"]) != stays


def test_a_last_visit_that_is_done_is_no_follow_up() -> None:
    at = desk(having("visits", "P-3-week_4", status="done", missing=[]))
    left = at.gives("withdraw_participant", participant_id="P-3", reason="side_effects")
    assert (left["cancelled"], "follow_up" in left) == (["week_2"], False)


def test_who_was_not_randomised_frees_a_place_and_needs_no_follow_up() -> None:
    at = desk()
    left = at.gives("withdraw_participant", participant_id="P-2", reason="side_effects")
    assert (left["place_freed"], left["cancelled"], left["to_report"]) == (True, ["week_2", "week_4"], [])
    assert at.changed()["candidates.changed"] == {"K-P-2": {"in_trial": False}}
    assert at.changed()["visits.changed"] == {
        key: {"status": "cancelled", "held_up": False} for key in ("P-2-week_2", "P-2-week_4")
    }


# -- other people's records


@pytest.mark.parametrize(
    ("tool", "kind", "theirs", "more"),
    [
        ("get_trial", "trial", {"trial_id": "T-9"}, {}),
        ("find_candidates", "trial", {"trial_id": "T-9"}, {}),
        ("check_eligibility", "trial", {"trial_id": "T-9"}, {"candidate_id": "K-1"}),
        ("check_eligibility", "candidate", {"candidate_id": "K-9"}, {"trial_id": "T-1"}),
        ("enrol_candidate", "trial", {"trial_id": "T-9"}, {"candidate_id": "K-1", "signed_on": TODAY}),
        ("enrol_candidate", "candidate", {"candidate_id": "K-9"}, {"trial_id": "T-1", "signed_on": TODAY}),
        ("list_participants", "trial", {"trial_id": "T-9"}, {}),
        ("record_consent", "participant", {"participant_id": "P-9"}, {"signed_on": TODAY}),
        ("randomise_participant", "participant", {"participant_id": "P-9"}, {}),
        ("list_visits", "participant", {"participant_id": "P-9"}, {}),
        ("record_measurement", "visit", {"visit_id": "P-9-week_2"}, {"measure": "heart_rate", "value": 70}),
        ("list_events", "participant", {"participant_id": "P-9"}, {}),
        ("log_event", "participant", {"participant_id": "P-9"},
         {"event": "rash", "severity": "mild", "began_on": TODAY}),
        ("remove_event", "adverse event", {"event_id": "E-9"}, {}),
        ("report_event", "adverse event", {"event_id": "E-9"}, {"cause": "the_illness"}),
        ("withdraw_participant", "participant", {"participant_id": "P-9"}, {"reason": "moved_away"}),
    ],
)  # fmt: skip
def test_others_records_are_out_of_reach(tool: str, kind: str, theirs: Row, more: Row) -> None:
    at = desk()
    at.refuses(tool, "permission_denied", f"That {kind} belongs to somebody else", **theirs, **more)
    for key in ("X-99", ""):
        at.refuses(tool, "not_found", f"no {kind} with the id {key!r}", **dict.fromkeys(theirs, key), **more)


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
def test_a_scenario_keeps_the_rules_of_the_site(seed: int, size: int, now: dt.datetime) -> None:
    world = build_scenario(ClinicalTrials, seed, size, now)
    today, me = now.date(), world.coordinator_id
    mine = [row for row in world.participants.values() if row.coordinator_id == me]
    visits = [row for row in world.visits.values() if row.coordinator_id == me]
    assert {row.status for row in world.trials.values() if row.coordinator_id == me} == {
        "recruiting", "closed_to_enrolment", "suspended", "completed"
    }  # fmt: skip
    counts = Counter(row.status for row in mine)
    assert min(counts[name] for name in ("enrolled", "randomised", "completed", "withdrawn")) >= 3
    assert sum(map(rules.is_outdated, mine)) >= 5
    assert sum(p.status == "enrolled" and p.baseline_done and p.randomise_by >= today for p in mine) >= 8
    assert any(p.status == "enrolled" and p.randomise_by < today for p in mine)
    assert max(p.deviations for p in mine) == rules.MOST_DEVIATIONS
    open_now = [v for v in visits if v.status == "planned" and not v.held_up and v.opens_on <= today]
    assert sum(v.closes_on >= today for v in open_now) >= 10
    assert any(v.closes_on < today <= days_after(v.closes_on, 7) for v in open_now)
    logged = [e for e in world.events.values() if e.coordinator_id == me and e.status == "logged"]
    assert sum((today - e.logged_on).days <= rules.REMOVE_DAYS for e in logged) >= 8
    assert any(e.report_by < today for e in logged)
    assert not any(re.fullmatch(r"[A-Z]+-\d+", row.name) for row in world.trials.values())  # that is how ids look
    names = [row.name for row in world.candidates.values()]
    assert len(names) == len(set(names))
    for key in ("CT-101", "CT-102", "CT-103", "CT-104"):
        place = rules.details(world.trials[key], world.participants.values())
        assert place.places_left >= 2
        checks = [
            rules.eligibility(who, world.trials[key], world.participants.values(), today)
            for who in world.candidates.values() if who.coordinator_id == me
        ]  # fmt: skip
        assert sum(check.eligible for check in checks) >= 7
        seen = {each for check in checks for each in check.obstacles}
        assert seen >= {"too_young", "too_old", "excluded_risk", "in_a_trial_now", "washout", "other_condition"}
    over = rules.details(world.trials["CT-107"], world.participants.values())
    assert all(arm.randomised == arm.places for arm in over.arms)
    active = Counter(p.candidate_id for p in world.participants.values() if p.status in rules.ACTIVE)
    assert all(who.in_trial == bool(active[who.id]) for who in world.candidates.values())
    for who in world.participants.values():
        study, candidate_of = world.trials[who.trial_id], world.candidates[who.candidate_id]
        assert (who.trial, who.coordinator_id, who.name) == (study.name, study.coordinator_id, candidate_of.name)
        assert (candidate_of.condition, candidate_of.coordinator_id) == (study.condition, study.coordinator_id)
        assert study.started_on <= who.enrolled_on <= today
        age = rules.age_on(candidate_of.born_on, who.enrolled_on)
        assert study.min_age <= age <= study.max_age
        assert not set(candidate_of.risks) & set(study.excludes)
        assert who.consent_current == (who.signed_on >= study.consent_from)
        assert who.consent_version == study.consent_version - (not who.consent_current)
        assert (who.arm is None) == (who.randomised_on is None)
        assert who.consent_current or not who.randomised_on or who.randomised_on < study.consent_from
        assert (who.status == "enrolled") == (who.arm is None)
        assert (who.ended_on is None) == (who.status in rules.ACTIVE)
        own = [v for v in world.visits.values() if v.participant_id == who.id]
        assert tuple(v.visit for v in own) == study.visits
        assert who.baseline_done == (own[0].status == "done")
        assert (who.status == "completed") == (own[-1].status == "done")
        told = [e for e in world.events.values() if e.participant_id == who.id]
        assert who.deviations == sum(v.late for v in own) + sum(e.late for e in told) <= rules.MOST_DEVIATIONS
        assert (who.follow_up is not None) == (who.reason == "side_effects")
        for row in own:
            first, last = rules.WINDOWS[row.visit]
            assert row.opens_on == days_after(who.enrolled_on, first)
            assert row.closes_on == days_after(who.enrolled_on, last)
            assert (*(each.measure for each in row.values), *row.missing) == study.measures
            assert (row.status == "done") == (not row.missing)
            assert row.status != "planned" or row == rules.as_planned(row, who)
            assert row.status != "cancelled" or who.ended_on
            for each in row.values:
                assert row.opens_on <= each.recorded_on <= min(today, days_after(row.closes_on, 7))
                assert (each.recorded_on > row.closes_on) == row.late
                assert who.consent_current or each.recorded_on < study.consent_from
        for row in told:
            assert who.randomised_on
            assert who.randomised_on <= row.began_on <= row.logged_on <= today
            assert row.report_by == days_after(row.began_on, rules.REPORT_DAYS[row.severity])
            assert (row.status == "reported") == (row.reported_on is not None) == (row.cause is not None)
            assert row.reported_on is None or row.logged_on <= row.reported_on <= today
            assert row.late == (row.reported_on is not None and row.reported_on > row.report_by)
    for study in world.trials.values():
        filling = rules.details(study, world.participants.values())
        assert all(arm.randomised <= arm.places for arm in filling.arms)
