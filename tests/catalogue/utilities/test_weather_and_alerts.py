"""The weather service, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

from typing import Any

import pytest

from envfactory.catalogue.utilities._weather_records import SEVERITIES
from envfactory.catalogue.utilities.weather_and_alerts import WeatherAndAlerts
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.


def outlook(key: str, city: str, day: str, **changes: Any) -> Row:
    return {
        "id": f"F-{key}", "city": city, "day": f"2026-03-{day}", "sky": "clear", "low": 5, "high": 15, "rain": 0,
        "wind": 10, **changes,
    }  # fmt: skip


OUTLOOKS = keyed(
    outlook("0", "Oslo", "01"),
    outlook("2", "Oslo", "03", rain=15, wind=30, sky="stormy"),
    outlook("1", "Oslo", "02", rain=2, wind=20, sky="cloudy"),
    outlook("3", "Oslo", "04", rain=1),
    outlook("4", "Oslo", "05", low=-8, high=4),
    outlook("5", "Oslo", "06", wind=8),
    outlook("6", "Oslo", "07", wind=5),
    outlook("7", "Rome", "02", high=25, rain=4, wind=12),
    outlook("8", "Paris", "02", rain=30),
    outlook("9", "Lyon", "02", high=12, wind=3),
    *(outlook(f"{n}", f"Ville {n}", "02", high=n, rain=n, wind=n) for n in (11, 12, 13)),
)


def place(key: str, city: str, kind: str = "family", subscriber_id: str = "U-1") -> Row:
    return {"id": key, "subscriber_id": subscriber_id, "city": city, "kind": kind}


PLACES = keyed(
    place("P-1", "Oslo", "home"),
    place("P-2", "Rome"),
    place("P-3", "Lyon", "work"),
    place("P-9", "Oslo", "work", "U-2"),
    place("P-10", "Paris", "work", "U-2"),
)


def watch(key: str, place_id: str, hazard: str, level: str = "moderate", **changes: Any) -> Row:
    return {
        "id": key, "subscriber_id": PLACES[place_id]["subscriber_id"], "place_id": place_id,
        "city": PLACES[place_id]["city"], "hazard": hazard, "level": level, "channel": "email", "notice": 1,
        "on": True, **changes,
    }  # fmt: skip


WATCHES = keyed(
    watch("W-1", "P-1", "wind"),
    watch("W-2", "P-1", "rain", "severe"),
    watch("W-3", "P-2", "heat", "minor", on=False),
    watch("W-9", "P-9", "rain"),
)


def alert(key: str, city: str, severity: str, since: str, **changes: Any) -> Row:
    return {
        "id": key, "city": city, "hazard": "wind", "severity": severity, "status": "in_force",
        "starts_on": f"2026-03-{since}", "ends_on": "2026-03-08", "advice": "Stay in.", "muted": False, **changes,
    }  # fmt: skip


ALERTS = keyed(
    alert("A-1", "Oslo", "minor", "02"),
    alert("A-2", "Rome", "severe", "03", hazard="rain"),
    alert("A-3", "Rome", "moderate", "02"),
    alert("A-4", "Lyon", "minor", "01", muted=True),
    alert("A-5", "Oslo", "extreme", "04", hazard="frost"),
    alert("A-6", "Paris", "severe", "01"),
    alert("A-7", "Oslo", "severe", "02", status="withdrawn"),
    alert("A-8", "Oslo", "minor", "01", hazard="rain", ends_on="2026-03-01"),
    alert("A-9", "Paris", "moderate", "01", hazard="rain", ends_on="2026-03-02"),
)


def sighting(key: str, city: str, subscriber_id: str, **changes: Any) -> Row:
    return {
        "id": key, "subscriber_id": subscriber_id, "city": city, "hazard": "rain", "seen_on": "2026-03-02", **changes
    }  # fmt: skip


STATE: dict[str, Any] = {
    "subscriber_id": "U-1",
    "subscribers": keyed(
        {"id": "U-1", "name": "Maya Novak", "email": "maya@mail.example"},
        {"id": "U-2", "name": "Leo Rossi", "email": "leo@mail.example"},
    ),
    "outlooks": OUTLOOKS,
    "places": PLACES,
    "watches": WATCHES,
    "alerts": ALERTS,
    "sightings": keyed(
        sighting("S-1", "Oslo", "U-2"),
        sighting("S-2", "Oslo", "U-3"),
        sighting("S-3", "Rome", "U-2"),
        sighting("S-4", "Rome", "U-3"),
        sighting("S-5", "Lyon", "U-2"),
        sighting("S-6", "Lyon", "U-3", hazard="wind"),
        sighting("S-7", "Lyon", "U-4", seen_on="2026-03-01"),
        sighting("S-8", "Lyon", "U-1", seen_on="2026-03-01"),
    ),
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(WeatherAndAlerts, STATE, rows=rows, **changes)


@pytest.mark.parametrize(("arguments", "found"), [({}, "123"), ({"days": 1}, "1"), ({"days": 7}, "123456")])
def test_the_forecast_begins_today(arguments: Row, found: str) -> None:
    forecast = desk().gives("get_forecast", city="Oslo", **arguments)
    assert forecast == {"city": "Oslo", "days": [OUTLOOKS[f"F-{key}"] for key in found]}


def test_a_city_without_a_forecast_is_unknown() -> None:
    at = desk()
    for tool, more in (
        ("get_forecast", {}),
        ("find_best_days", {"activity": "hiking"}),
        ("save_place", {"kind": "work"}),
        ("report_weather", {"hazard": "rain"}),
    ):
        at.refuses(
            tool,
            "not_found",
            "There is no forecast for Cairo, only for Lyon, Oslo, Paris, Rome, Ville 11",
            city="Cairo",
            **more,
        )
    at.refuses("get_forecast", "invalid_argument", "days", city="Oslo", days=8)
    at.refuses("get_forecast", "invalid_argument", "days", city="Oslo", days=0)


@pytest.mark.parametrize(
    ("activity", "more", "found"),
    [
        ("hiking", {}, ["F-6", "F-5", "F-3"]),
        ("hiking", {"page": 2}, ["F-1"]),
        ("hiking", {"until": "2026-03-06"}, ["F-5", "F-3", "F-1"]),
        ("hiking", {"until": "2026-03-02"}, ["F-1"]),
        ("cycling", {}, ["F-6", "F-5", "F-3"]),
        ("sailing", {}, ["F-3", "F-1"]),
        ("stargazing", {}, ["F-6", "F-5", "F-4"]),
        ("stargazing", {"until": "2026-03-04"}, []),
    ],
)
def test_days_fit_for_an_activity_are_found(activity: str, more: Row, found: list[str]) -> None:
    assert desk().ids("find_best_days", city="Oslo", activity=activity, **more) == found


@pytest.mark.parametrize(
    ("activity", "day", "fit"),
    [
        ("hiking", {"rain": 3}, False),
        ("hiking", {"wind": 22}, True),
        ("hiking", {"wind": 23}, False),
        ("hiking", {"high": 4}, False),
        ("hiking", {"high": 5}, True),
        ("hiking", {"high": 28}, True),
        ("hiking", {"high": 29}, False),
        ("hiking", {"sky": "foggy"}, False),
        ("cycling", {"sky": "foggy"}, True),
        ("sailing", {"wind": 9}, False),
        ("sailing", {"sky": "stormy"}, False),
    ],
)
def test_an_activity_has_its_weather(activity: str, day: Row, fit: bool) -> None:
    at = desk({"outlooks": keyed(outlook("20", "Nice", "04", **day))})
    assert at.ids("find_best_days", city="Nice", activity=activity) == (["F-20"] if fit else [])


def test_equally_good_days_come_in_order_and_past_ones_never() -> None:
    days = [outlook(f"{30 - n}", "Nice", f"0{n}") for n in (6, 4, 5)]
    assert desk({"outlooks": keyed(*days)}).ids("find_best_days", city="Nice", activity="hiking") == [
        "F-26", "F-25", "F-24",
    ]  # fmt: skip
    words = "2026-03-01 is past"
    desk().refuses("find_best_days", "invalid_argument", words, city="Oslo", activity="hiking", until="2026-03-01")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["F-7", "F-1", "F-8", "F-13", "F-9"]),
        ({"page": 2}, ["F-12", "F-11"]),
        ({"order": "driest"}, ["F-9", "F-1", "F-7", "F-11", "F-12"]),
        ({"order": "calmest"}, ["F-9", "F-8", "F-11", "F-7", "F-12"]),
        ({"day": "2026-03-04"}, ["F-3"]),
        ({"day": "2026-03-20"}, []),
    ],
)
def test_cities_are_compared(arguments: Row, found: list[str]) -> None:
    assert desk().ids("compare_cities", **{"day": "2026-03-02", **arguments}) == found


def test_past_days_are_not_compared() -> None:
    desk().refuses("compare_cities", "invalid_argument", "2026-03-01 is past", day="2026-03-01")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["A-5", "A-6", "A-2", "A-9", "A-3"]),
        ({"page": 2}, ["A-4", "A-1"]),
        ({"city": "Oslo"}, ["A-5", "A-1"]),
        ({"hazard": "rain"}, ["A-2", "A-9"]),
        ({"severity": "moderate"}, ["A-5", "A-6", "A-2", "A-9", "A-3"]),
        ({"severity": "moderate", "page": 2}, []),
        ({"severity": "severe"}, ["A-5", "A-6", "A-2"]),
        ({"severity": "extreme"}, ["A-5"]),
        ({"severity": "extreme", "city": "Rome"}, []),
    ],
)
def test_alerts_are_listed_by_how_bad_it_is(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_alerts", **arguments) == found


@pytest.mark.parametrize("alert_id", ["A-1", "A-3", "A-9"])
def test_an_alert_is_muted(alert_id: str) -> None:
    at = desk()
    row = ALERTS[alert_id]
    told = {"alert_id": alert_id, "city": row["city"], "hazard": row["hazard"]}
    assert at.gives("mute_alert", alert_id=alert_id, muted=True) == {**told, "notices": "muted"}
    assert at.changed() == {"alerts.changed": {alert_id: {"muted": True}}}
    assert at.gives("mute_alert", alert_id=alert_id, muted=False) == {**told, "notices": "unmuted"}
    assert at.changed() == {}


def test_an_alert_that_was_muted_is_heard_again_however_bad_it_is() -> None:
    at = desk({"alerts": keyed(alert("A-20", "Nice", "severe", "02", muted=True))})
    at.gives("mute_alert", alert_id="A-20", muted=False)
    assert at.changed() == {"alerts.changed": {"A-20": {"muted": False}}}
    words = "wind alert for Nice is not muted"
    at.refuses("mute_alert", "conflict", words, alert_id="A-20", muted=False)


@pytest.mark.parametrize(
    ("alert_id", "code", "words"),
    [
        ("A-2", "permission_denied", "mute an alert that is severe"),
        ("A-5", "permission_denied", "mute an alert that is extreme"),
        ("A-4", "conflict", "wind alert for Lyon is muted already"),
        ("A-7", "precondition_failed", "is withdrawn, so it cannot be muted"),
        ("A-8", "precondition_failed", "rain alert for Oslo is over"),
        ("A-99", "not_found", "A-99"),
    ],
)
def test_an_alert_that_cannot_be_muted_is_refused(alert_id: str, code: str, words: str) -> None:
    desk().refuses("mute_alert", code, words, alert_id=alert_id, muted=True)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["P-3", "P-1", "P-2"]),
        ({"kind": "work"}, ["P-3"]),
        ({"alerted": True}, ["P-1", "P-2"]),
        ({"page": 2}, []),
    ],
)
def test_own_places_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_places", **arguments) == found


def test_a_place_is_saved() -> None:
    at = desk()
    saved = at.gives("save_place", city="Paris", kind="holiday")
    assert saved == place("PL-1001", "Paris", "holiday")
    assert at.changed() == {"places.created": {"PL-1001": saved}}
    at.refuses("save_place", "conflict", "Paris is among your places already", city="Paris", kind="work")
    at.refuses("save_place", "invalid_argument", "kind", city="Ville 11", kind="home")


def test_seven_places_are_saved_at_most() -> None:
    more = [place(f"P-2{n}", f"Town {n}") for n in range(3)]
    at = desk({"places": keyed(*more)})
    assert at.gives("save_place", city="Paris", kind="work")["id"] == "PL-1001"
    at.refuses(
        "save_place",
        "limit_exceeded",
        "You have 7 places, as many as can be: remove one first",
        city="Ville 11",
        kind="work",
    )


def test_a_place_is_removed_with_its_watches() -> None:
    at = desk({"watches": keyed(watch("W-4", "P-2", "rain"))})
    assert at.gives("remove_place", place_id="P-2") == {"city": "Rome", "watches_removed": 2}
    assert at.changed() == {"places.deleted": ("P-2",), "watches.deleted": ("W-3", "W-4")}
    assert at.gives("remove_place", place_id="P-3")["watches_removed"] == 0
    at.refuses("remove_place", "precondition_failed", "Oslo is your home", place_id="P-1")
    at.refuses("remove_place", "permission_denied", "belongs to somebody else", place_id="P-9")
    at.refuses("remove_place", "not_found", "P-2", place_id="P-2")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["W-2", "W-1", "W-3"]),
        ({"place_id": "P-1"}, ["W-2", "W-1"]),
        ({"place_id": "P-3"}, []),
        ({"firing": True}, ["W-1"]),
        ({"page": 2}, []),
    ],
)
def test_own_watches_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_watches", **arguments) == found


def test_watches_of_others_are_not_listed() -> None:
    desk().refuses("list_watches", "permission_denied", "belongs to somebody else", place_id="P-9")
    desk().refuses("list_watches", "not_found", "P-99", place_id="P-99")


def test_a_watch_is_deleted_and_makes_room_for_another() -> None:
    at = desk({"watches": keyed(watch("W-4", "P-1", "frost"))})
    more = {"place_id": "P-1", "hazard": "heat", "level": "minor"}
    at.refuses("create_watch", "limit_exceeded", "Oslo has 3 watches", **more)
    assert at.gives("delete_watch", watch_id="W-4") == watch("W-4", "P-1", "frost")
    assert at.changed() == {"watches.deleted": ("W-4",)}
    at.gives("create_watch", **more)
    at.refuses("delete_watch", "not_found", "W-4", watch_id="W-4")
    at.refuses("delete_watch", "permission_denied", "somebody else", watch_id="W-9")


def watched(key: str, city: str, hazard: str, level: str, bad_days: list[str], **more: Any) -> Row:
    return {
        "watch_id": key, "city": city, "hazard": hazard, "level": level, "channel": "email", "state": "on",
        "bad_days": [f"2026-03-{day}" for day in bad_days], **more,
    }  # fmt: skip


def test_a_place_is_watched() -> None:
    at = desk()
    made = at.gives("create_watch", place_id="P-1", hazard="frost", level="severe", channel="phone_call", notice=2)
    assert made == watched("WT-1001", "Oslo", "frost", "severe", ["05"], channel="phone_call", told_on="2026-03-03")
    row = watch("WT-1001", "P-1", "frost", "severe", channel="phone_call", notice=2)
    assert at.changed() == {"watches.created": {"WT-1001": row}}
    at.refuses(
        "create_watch",
        "conflict",
        "Oslo is watched for frost already: change that watch instead",
        place_id="P-1",
        hazard="frost",
        level="minor",
    )
    words = "Oslo has 3 watches, as many as can be: delete one first"
    at.refuses("create_watch", "limit_exceeded", words, place_id="P-1", hazard="heat", level="minor")


def test_a_watch_tells_a_day_ahead_by_email_and_never_in_the_past() -> None:
    at = desk()
    made = at.gives("create_watch", place_id="P-1", hazard="frost", level="moderate")
    assert made == watched("WT-1001", "Oslo", "frost", "moderate", ["05"], told_on="2026-03-04")
    made = at.gives("create_watch", place_id="P-2", hazard="rain", level="minor", notice=0)
    assert made == watched("WT-1002", "Rome", "rain", "minor", [])
    at = desk({"outlooks": keyed(outlook("40", "Rome", "03", rain=5), outlook("41", "Rome", "04", rain=5))})
    made = at.gives("create_watch", place_id="P-2", hazard="rain", level="minor", notice=5)
    assert made == watched("WT-1001", "Rome", "rain", "minor", ["03", "04"], told_on="2026-03-02")


@pytest.mark.parametrize(
    ("hazard", "figures"),
    [
        ("rain", [{"rain": n} for n in (5, 15, 30, 50)]),
        ("wind", [{"wind": n} for n in (20, 30, 42, 56)]),
        ("heat", [{"high": n} for n in (25, 30, 35, 40)]),
        ("frost", [{"low": n} for n in (2, -2, -8, -15)]),
    ],
)
def test_how_bad_a_day_is_follows_from_its_figures(hazard: str, figures: list[Row]) -> None:
    days = [outlook(f"{50 + n}", "Lyon", f"{10 + n}", **figure) for n, figure in enumerate(figures)]
    ((name, _),) = figures[0].items()
    almost = -1 if hazard != "frost" else 1
    days += [
        outlook(f"{60 + n}", "Lyon", f"{20 + n}", **{name: figure[name] + almost}) for n, figure in enumerate(figures)
    ]
    for n, level in enumerate(("minor", "moderate", "severe", "extreme")):
        made = desk({"outlooks": keyed(*days)}).gives("create_watch", place_id="P-3", hazard=hazard, level=level)
        bad = [f"2026-03-{10 + k}" for k in range(n, 4)] + [f"2026-03-{20 + k}" for k in range(n + 1, 4)]
        assert made["bad_days"] == bad, level


@pytest.mark.parametrize(("place_id", "code"), [("P-9", "permission_denied"), ("P-99", "not_found")])
def test_only_own_places_are_watched(place_id: str, code: str) -> None:
    desk().refuses("create_watch", code, "", place_id=place_id, hazard="heat", level="minor")


def test_a_watch_is_changed() -> None:
    at = desk()
    changed = at.gives("change_watch", watch_id="W-2", level="moderate", channel="text_message", notice=0)
    assert changed == watched("W-2", "Oslo", "rain", "moderate", ["03"], channel="text_message", told_on="2026-03-03")
    assert at.changed() == {"watches.changed": {"W-2": {"level": "moderate", "channel": "text_message", "notice": 0}}}
    again = at.gives("change_watch", watch_id="W-2", notice=1)
    assert again == {**changed, "told_on": "2026-03-02"}
    still = at.gives("change_watch", watch_id="W-3", notice=2)
    assert still == watched("W-3", "Rome", "heat", "minor", ["02"], state="paused")


def test_a_watch_that_stays_as_it_is_is_refused() -> None:
    for same in ({}, {"level": "moderate"}, {"channel": "email"}, {"notice": 1}):
        desk().refuses("change_watch", "invalid_argument", "what shall be different", watch_id="W-1", **same)
    desk().refuses("switch_watch", "conflict", "That watch is on already", watch_id="W-1", on=True)
    desk().refuses("switch_watch", "conflict", "That watch is paused already", watch_id="W-3", on=False)


@pytest.mark.parametrize(("tool", "more"), [("change_watch", {"level": "minor"}), ("switch_watch", {"on": False})])
def test_watches_of_others_are_not_changed(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "somebody else", watch_id="W-9", **more)
    desk().refuses(tool, "not_found", "W-99", watch_id="W-99", **more)


def test_a_watch_is_paused_and_resumed() -> None:
    at = desk()
    assert at.gives("switch_watch", watch_id="W-1", on=False) == watched(
        "W-1", "Oslo", "wind", "moderate", ["03"], state="paused"
    )
    assert at.changed() == {"watches.changed": {"W-1": {"on": False}}}
    assert at.ids("list_watches", firing=True) == []
    resumed = at.gives("switch_watch", watch_id="W-1", on=True)
    assert resumed == watched("W-1", "Oslo", "wind", "moderate", ["03"], told_on="2026-03-02")
    assert at.changed() == {}


def test_a_first_report_is_kept() -> None:
    at = desk()
    made = at.gives("report_weather", city="Lyon", hazard="rain", note="all over town")
    assert made == {"city": "Lyon", "hazard": "rain", "reports_today": 2}
    row = sighting("RP-1001", "Lyon", "U-1", note="all over town")
    assert at.changed() == {"sightings.created": {"RP-1001": row}}
    at.refuses("report_weather", "conflict", "You have reported rain in Lyon today", city="Lyon", hazard="rain")
    assert at.gives("report_weather", city="Lyon", hazard="frost")["reports_today"] == 1
    assert at.gives("report_weather", city="Paris", hazard="rain")["reports_today"] == 1


@pytest.mark.parametrize(
    ("hazard", "advice"),
    [("rain", "Stay away from rivers"), ("wind", "Keep clear of trees"), ("heat", "Drink"), ("frost", "Mind icy")],
)
def test_the_third_report_of_a_day_raises_an_alert(hazard: str, advice: str) -> None:
    seen = [sighting(f"S-3{n}", "Ville 11", f"U-{5 + n}", hazard=hazard) for n in range(2)]
    at = desk({"sightings": keyed(*seen)})
    made = at.gives("report_weather", city="Ville 11", hazard=hazard)
    assert made == {"city": "Ville 11", "hazard": hazard, "reports_today": 3,
        "alert_id": "AL-1001", "alert_until": "2026-03-03",
    }  # fmt: skip
    raised = at.changed()["alerts.created"]["AL-1001"]
    assert raised["advice"].startswith(advice)
    assert raised == alert(
        "AL-1001", "Ville 11", "minor", "02", hazard=hazard, ends_on="2026-03-03", advice=raised["advice"]
    )
    assert at.ids("list_alerts", city="Ville 11") == ["AL-1001"]


def test_an_alert_that_is_over_is_raised_anew_and_one_that_holds_is_not() -> None:
    assert desk().gives("report_weather", city="Oslo", hazard="rain")["alert_id"] == "AL-1001"
    assert desk().gives("report_weather", city="Rome", hazard="rain") == {
        "city": "Rome", "hazard": "rain", "reports_today": 3
    }  # fmt: skip
    more = keyed(*(sighting(f"S-4{n}", "Oslo", f"U-{5 + n}", hazard="heat") for n in range(3)))
    fourth = desk({"sightings": more}).gives("report_weather", city="Oslo", hazard="heat")
    assert (fourth["reports_today"], fourth["alert_id"]) == (4, "AL-1001")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(WeatherAndAlerts, seed, size, DEFAULT_NOW)
    today = world.now.date()
    alerts, places = list(world.alerts.values()), list(world.places.values())
    assert {row.severity for row in alerts} == {"minor", "moderate", "severe", "extreme"}
    assert {row.status for row in alerts} == {"in_force", "withdrawn"}
    assert any(row.ends_on < today for row in alerts), "over"
    assert any(row.muted for row in alerts)
    mine = [row for row in places if row.subscriber_id == world.subscriber_id]
    assert {row.kind for row in mine} == {"home", "work", "family", "holiday"}
    assert len(mine) < len(places)
    assert len({row.city for row in mine}) == len(mine) < 8
    watches = [row for row in world.watches.values() if row.subscriber_id == world.subscriber_id]
    assert len(watches) > 5, "several pages"
    assert {row.on for row in watches} == {True, False}
    assert len({(row.place_id, row.hazard) for row in watches}) == len(watches)
    assert all(row.low < row.high for row in world.outlooks.values())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [10, 20, 60, 300])
def test_the_alerts_of_a_scenario_follow_from_its_forecasts(seed: int, size: int) -> None:
    world = build_scenario(WeatherAndAlerts, seed, size, DEFAULT_NOW)
    today = world.now.date()
    holding = [row for row in world.alerts.values() if row.status == "in_force" and row.ends_on >= today]
    assert len({(row.city, row.hazard) for row in holding}) == len(holding) > 5
    for row in holding:
        days = [day for day in world.outlooks.values() if day.city == row.city and day.severity(row.hazard) >= 0]
        assert (min(day.day for day in days), max(day.day for day in days)) == (row.starts_on, row.ends_on)
        assert SEVERITIES[max(day.severity(row.hazard) for day in days)] == row.severity
    assert all(row.severity in ("minor", "moderate") for row in holding if row.muted)
    seen = [(row.subscriber_id, row.city, row.hazard, row.seen_on) for row in world.sightings.values()]
    assert len(set(seen)) == len(seen), "nobody reports twice"
