"""The parcel service, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.utilities.parcel_tracking import ParcelTracking
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.

DAYS = ["2026-03-06", "2026-03-07", "2026-03-09"]


def parcel(key: str, status: str = "in_transit", direction: str = "incoming", **changes: Any) -> Row:
    return {
        "id": key, "direction": direction, "partner": f"Shop {key[2:]}", "size": "medium", "speed": "standard",
        "address": "1 Mill Lane", "city": "Oslo", "expected_on": "2026-03-05", "other_days": DAYS, "price": 8.0,
        "fees": 0.0, "status": status, **changes,
    }  # fmt: skip


PARCELS = keyed(
    parcel("P-1"),
    parcel("P-2", "announced", expected_on="2026-03-08", other_days=[]),
    parcel("P-3", "delivered", delivered_on="2026-02-23", insured=300.0),
    parcel("P-4", "delivered", delivered_on="2026-02-22"),
    parcel("P-5", expected_on="2026-02-26"),
    parcel("P-6", expected_on="2026-02-27"),
    parcel("P-7", "ready_for_pickup", point_id="S-1"),
    parcel("P-8", "announced", "outgoing", city="Rome", price=9.6),
    parcel("P-9", "in_transit", "outgoing", city="Rome"),
    parcel("P-10", point_id="S-1"),
    parcel("P-11", "cancelled", "outgoing"),
)


def point(key: str, distance: float, lockers: int = 3, **changes: Any) -> Row:
    return {
        "id": key, "name": f"Kiosk {key[2:]}", "address": "2 Mill Lane", "city": "Oslo", "distance": distance,
        "open_late": False, "lockers": lockers, "largest": "large", **changes,
    }  # fmt: skip


POINTS = keyed(
    point("S-1", 2.0, 4),
    point("S-2", 1.0, 2, largest="small"),
    point("S-3", 0.5, 0),
    point("S-4", 4.0, 9, open_late=True, largest="medium"),
    point("S-5", 1.5, city="Rome"),
    *(point(f"S-{n}", float(n)) for n in (11, 12, 13)),
)


def scan(key: str, at: str, what: str, parcel_id: str = "P-1") -> Row:
    return {"id": key, "parcel_id": parcel_id, "at": f"{at}:00", "city": "Oslo", "what": what}


STATE: dict[str, Any] = {
    "user_id": "U-1",
    "users": keyed(
        {"id": "U-1", "name": "Maya Novak", "email": "maya@mail.example", "address": "1 Mill Lane", "city": "Oslo"}
    ),
    "cities": keyed(*({"id": f"V-{name}", "name": name} for name in ("Oslo", "Paris", "Rome"))),
    "points": POINTS,
    "parcels": PARCELS,
    "scans": keyed(
        scan("C-1", "2026-02-27T07:00", "handed_in"),
        scan("C-2", "2026-02-28T07:00", "sorted"),
        scan("C-3", "2026-02-28T07:00", "sorted", "P-3"),
    ),
    "claims": {},
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(ParcelTracking, STATE, rows=rows, **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["P-2", "P-9", "P-8", "P-7", "P-4"]),
        ({"page": 3}, ["P-5"]),
        ({"direction": "outgoing"}, ["P-9", "P-8", "P-11"]),
        ({"status": "delivered"}, ["P-4", "P-3"]),
        ({"status": "announced", "direction": "incoming"}, ["P-2"]),
    ],
)
def test_parcels_are_listed_by_when_they_come(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_parcels", **arguments) == found


def test_a_parcel_is_tracked() -> None:
    tracked = desk().gives("track_parcel", parcel_id="P-1")
    assert tracked == {
        "parcel_id": "P-1", "partner": "Shop 1", "status": "in_transit", "expected_on": "2026-03-05",
        "scans": [STATE["scans"]["C-2"], STATE["scans"]["C-1"]], "claims": [],
    }  # fmt: skip
    desk().refuses("track_parcel", "not_found", "no parcel with the id 'P-99'", parcel_id="P-99")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-2", "S-1", "S-4", "S-11", "S-12"]),
        ({"page": 2}, ["S-13"]),
        ({"sort": "free_lockers"}, ["S-4", "S-1", "S-11", "S-12", "S-13"]),
        ({"size": "medium"}, ["S-1", "S-4", "S-11", "S-12", "S-13"]),
        ({"size": "large"}, ["S-1", "S-11", "S-12", "S-13"]),
        ({"open_late": True}, ["S-4"]),
        ({"city": "Rome"}, ["S-5"]),
        ({"city": "Paris"}, []),
    ],
)
def test_pickup_points_with_free_lockers_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_pickup_points", **{"city": "Oslo", **arguments}) == found


def test_one_free_locker_is_enough() -> None:
    at = desk({"points": keyed(point("S-3", 0.5, 1))})
    assert at.ids("find_pickup_points", city="Oslo")[0] == "S-3"


def test_a_city_that_is_not_served_is_refused() -> None:
    words = "We do not serve Atlantis, only Oslo, Paris, Rome"
    at = desk()
    at.refuses("find_pickup_points", "invalid_argument", words, city="Atlantis")
    at.refuses("get_quote", "invalid_argument", words, city="Atlantis", size="small")
    at.refuses("send_parcel", "invalid_argument", words, **{**SENT, "city": "Atlantis"}, speed="express")


@pytest.mark.parametrize(("window", "fees"), [("evening", 1.5), ("morning", 4.5)])
def test_a_parcel_goes_to_a_pickup_point(window: str, fees: float) -> None:
    at = desk({"parcels": keyed(parcel("P-1", window=window, fees=4.5))})
    gone = at.gives("redirect_parcel", parcel_id="P-1", point_id="S-4")
    assert gone == parcel("P-1", point_id="S-4", fees=fees)
    changed = at.changed()
    assert changed["points.changed"] == {"S-4": {"lockers": 8}}
    assert changed["parcels.changed"]["P-1"]["point_id"] == "S-4"


@pytest.mark.parametrize("status", ["in_transit", "announced"])
def test_the_locker_of_another_pickup_point_is_free_again(status: str) -> None:
    at = desk({"parcels": keyed(parcel("P-10", status, point_id="S-1"))})
    at.gives("redirect_parcel", parcel_id="P-10", point_id="S-4")
    assert at.changed()["points.changed"] == {"S-1": {"lockers": 5}, "S-4": {"lockers": 8}}


def test_a_parcel_comes_to_the_door_after_all() -> None:
    at = desk()
    assert at.gives("deliver_to_door", parcel_id="P-10") == parcel("P-10")
    assert at.changed() == {
        "points.changed": {"S-1": {"lockers": 5}}, "parcels.changed": {"P-10": {"point_id": None}}
    }  # fmt: skip
    at.refuses("deliver_to_door", "conflict", "Shop 10 parcel comes to the door already", parcel_id="P-10")


@pytest.mark.parametrize(
    ("parcel_id", "point_id", "code", "words"),
    [
        ("P-1", "S-5", "invalid_argument", "Kiosk 5 is in Rome, the parcel goes to Oslo"),
        ("P-10", "S-1", "conflict", "goes to Kiosk 1 already"),
        ("P-1", "S-2", "precondition_failed", "Kiosk 2 keeps no medium parcels"),
        ("P-1", "S-3", "limit_exceeded", "Kiosk 3 has no locker left"),
        ("P-1", "S-99", "not_found", "no pickup point with the id 'S-99'"),
    ],
)
def test_a_pickup_point_that_cannot_take_it_refuses(parcel_id: str, point_id: str, code: str, words: str) -> None:
    desk().refuses("redirect_parcel", code, words, parcel_id=parcel_id, point_id=point_id)


CHANGES: list[tuple[str, Row]] = [
    ("redirect_parcel", {"point_id": "S-4"}),
    ("deliver_to_door", {}),
    ("change_day", {"day": "2026-03-06"}),
    ("choose_window", {"window": "morning"}),
    ("leave_instructions", {"text": "please ring"}),
]


@pytest.mark.parametrize(("tool", "more"), CHANGES)
def test_only_what_comes_and_is_under_way_can_be_changed(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "Only Shop 9 can change", parcel_id="P-9", **more)
    desk().refuses(tool, "precondition_failed", "is delivered, so it cannot be changed", parcel_id="P-3", **more)
    desk().refuses(tool, "precondition_failed", "is ready for pickup, so it", parcel_id="P-7", **more)
    desk().refuses(tool, "not_found", "P-99", parcel_id="P-99", **more)


def test_the_day_is_changed_once() -> None:
    at = desk()
    moved = at.gives("change_day", parcel_id="P-1", day="2026-03-09")
    assert moved == parcel("P-1", expected_on="2026-03-09", other_days=[])
    assert at.changed() == {"parcels.changed": {"P-1": {"expected_on": "2026-03-09", "other_days": []}}}
    at.refuses("change_day", "precondition_failed", "cannot be changed any more", parcel_id="P-1", day="2026-03-09")


@pytest.mark.parametrize("day", ["2026-03-05", "2026-03-08", "2026-03-10"])
def test_a_day_that_is_not_offered_is_refused(day: str) -> None:
    desk().refuses("change_day", "invalid_argument", "from 2026-03-06 to 2026-03-09", parcel_id="P-1", day=day)


def test_a_day_that_is_past_is_not_offered_any_more() -> None:
    friday = desk(now=dt.datetime(2026, 3, 6, 9))
    words = "from 2026-03-07 to 2026-03-09"
    friday.refuses("change_day", "invalid_argument", words, parcel_id="P-1", day="2026-03-06")
    assert friday.gives("change_day", parcel_id="P-1", day="2026-03-07")["expected_on"] == "2026-03-07"
    monday = desk(now=dt.datetime(2026, 3, 9, 9))
    monday.refuses("change_day", "precondition_failed", "are past", parcel_id="P-1", day="2026-03-09")


def test_the_evening_is_paid_for_once_and_given_back() -> None:
    at = desk()
    windows = ("evening", "morning", "evening", "afternoon")
    fees = [at.gives("choose_window", parcel_id="P-1", window=window)["fees"] for window in windows]
    assert fees == [3.0, 0.0, 3.0, 0.0]


def test_nothing_arrives_on_a_sunday() -> None:
    saturday = desk(now=dt.datetime(2026, 3, 7, 9))
    assert saturday.gives("send_parcel", **SENT, speed="express")["expected_on"] == "2026-03-09"
    offers = saturday.gives("get_quote", city="Rome", size="small")["offers"]
    assert [offer["arrives_on"] for offer in offers] == ["2026-03-11", "2026-03-09"]


@pytest.mark.parametrize(("window", "fees"), [("morning", 1.5), ("afternoon", 1.5), ("evening", 4.5)])
def test_a_part_of_the_day_is_chosen(window: str, fees: float) -> None:
    at = desk({"parcels": keyed(parcel("P-1", fees=1.5))})
    assert at.gives("choose_window", parcel_id="P-1", window=window) == parcel("P-1", window=window, fees=fees)
    words = f"comes in the {window} already"
    at.refuses("choose_window", "conflict", words, parcel_id="P-1", window=window)
    at.refuses("choose_window", "precondition_failed", "not to the door", parcel_id="P-10", window=window)


def test_the_driver_is_told_the_last_word() -> None:
    at = desk()
    at.gives("leave_instructions", parcel_id="P-2", text="please ring")
    told = at.gives("leave_instructions", parcel_id="P-2", text="do not ring")
    assert told == {**PARCELS["P-2"], "instructions": "do not ring"}
    assert at.changed()["parcels.changed"]["P-2"]["instructions"] == "do not ring"


@pytest.mark.parametrize(
    ("arguments", "standard", "express"),
    [
        ({"city": "Oslo", "size": "small"}, 5.0, 9.0),
        ({"city": "Rome", "size": "small"}, 6.0, 10.8),
        ({"city": "Oslo", "size": "medium"}, 8.0, 14.4),
        ({"city": "Rome", "size": "large"}, 16.8, 30.24),
        ({"city": "Oslo", "size": "small", "insured": 500}, 10.0, 14.0),
        ({"city": "Oslo", "size": "small", "insured": 101}, 6.01, 10.01),
        ({"city": "Oslo", "size": "small", "insured": 50}, 6.0, 10.0),
    ],
)
def test_a_price_follows_from_size_speed_distance_and_insurance(
    arguments: Row, standard: float, express: float
) -> None:
    assert desk().gives("get_quote", **arguments) == {
        "city": arguments["city"], "size": arguments["size"], "offers": [
            {"speed": "standard", "total": standard, "arrives_on": "2026-03-06"},
            {"speed": "express", "total": express, "arrives_on": "2026-03-03"},
        ],
    }  # fmt: skip


SENT: Row = {"partner": "Leo Rossi", "address": "9 Mill Lane", "city": "Rome", "size": "large"}


def test_a_parcel_is_sent() -> None:
    at = desk()
    sent = at.gives("send_parcel", **SENT, speed="express", insured=250)
    expected = parcel("PC-1001", "announced", "outgoing", **SENT, speed="express", price=32.74, insured=250.0)
    assert sent == {**expected, "expected_on": "2026-03-03", "other_days": []}
    assert at.changed() == {"parcels.created": {"PC-1001": sent}}
    slow = at.gives("send_parcel", **SENT, speed="standard")
    assert (slow["price"], slow["expected_on"], "insured" in slow) == (16.8, "2026-03-06", False)
    for insured in (0, 1000.01):
        at.refuses("send_parcel", "invalid_argument", "insured", **SENT, speed="standard", insured=insured)


def test_a_shipment_is_cancelled_until_it_is_handed_in() -> None:
    insured = parcel("P-13", "announced", "outgoing", price=11.6, insured=200.0)
    at = desk({"parcels": keyed(parcel("P-12", "announced", "outgoing", price=0.5), insured)})
    assert at.gives("cancel_shipment", parcel_id="P-8") == {"parcel_id": "P-8", "refund": 8.6}
    assert at.changed() == {"parcels.changed": {"P-8": {"status": "cancelled"}}}
    assert at.gives("cancel_shipment", parcel_id="P-13")["refund"] == 10.6
    assert at.gives("cancel_shipment", parcel_id="P-12")["refund"] == 0.0
    at.refuses("cancel_shipment", "precondition_failed", "is in transit, so it", parcel_id="P-9")
    at.refuses("cancel_shipment", "precondition_failed", "is cancelled, so it", parcel_id="P-8")
    at.refuses("cancel_shipment", "permission_denied", "was sent by Shop 2", parcel_id="P-2")
    at.refuses("cancel_shipment", "not_found", "P-99", parcel_id="P-99")


@pytest.mark.parametrize(
    ("parcel_id", "reason", "amount"),
    [
        ("P-3", "damaged", 300.0),
        ("P-13", "damaged", 50.0),
        ("P-5", "late", 5.0),  # the shop paid for sending it
        ("P-14", "late", 5.0),
        ("P-15", "late", 8.0),
        ("P-16", "late", 11.0),
        ("P-5", "missing", 50.0),
        ("P-14", "missing", 300.0),
        ("P-15", "missing", 58.0),
        ("P-16", "missing", 311.0),
    ],
)
def test_a_claim_pays_by_what_is_wrong(parcel_id: str, reason: str, amount: float) -> None:
    late = {"expected_on": "2026-02-26"}
    rows = keyed(
        parcel("P-13", "delivered", delivered_on="2026-03-01"),
        parcel("P-14", insured=300.0, **late),
        parcel("P-15", direction="outgoing", **late),
        parcel("P-16", direction="outgoing", insured=300.0, price=11.0, **late),
    )
    at = desk({"parcels": rows})
    filed = at.gives("report_problem", parcel_id=parcel_id, reason=reason)
    assert filed == {
        "id": "CLM-1001", "parcel_id": parcel_id, "partner": f"Shop {parcel_id[2:]}", "reason": reason,
        "amount": amount, "filed_on": "2026-03-02",
    }  # fmt: skip
    changed = at.changed()
    lost = {"parcels.changed": {parcel_id: {"status": "lost", "other_days": []}}} if reason == "missing" else {}
    assert changed == {"claims.created": {"CLM-1001": filed}, **lost}
    at.refuses("report_problem", "conflict", "a claim about the Shop", parcel_id=parcel_id, reason=reason)
    assert at.gives("track_parcel", parcel_id=parcel_id)["claims"] == [filed]
    assert at.gives("track_parcel", parcel_id="P-1")["claims"] == []


def test_what_is_lost_stays_so_and_takes_no_locker() -> None:
    at = desk({"parcels": keyed(parcel("P-5", expected_on="2026-02-26", point_id="S-1"))})
    at.gives("report_problem", parcel_id="P-5", reason="missing")
    changed = at.changed()
    assert changed["points.changed"] == {"S-1": {"lockers": 5}}
    assert changed["parcels.changed"]["P-5"] == {"status": "lost", "other_days": [], "point_id": None}
    at.refuses("redirect_parcel", "precondition_failed", "is lost, so it", parcel_id="P-5", point_id="S-4")
    at.refuses("choose_window", "precondition_failed", "is lost, so it", parcel_id="P-5", window="morning")


@pytest.mark.parametrize(
    ("parcel_id", "reason", "code", "words"),
    [
        ("P-4", "damaged", "precondition_failed", "within 7 days"),
        ("P-1", "damaged", "precondition_failed", "in transit, so it cannot be reported as damaged"),
        ("P-3", "late", "precondition_failed", "delivered, so it cannot be reported as late"),
        ("P-6", "late", "precondition_failed", "not over 3 days behind"),
        ("P-6", "missing", "precondition_failed", "not over 3 days behind"),
        ("P-99", "late", "not_found", "P-99"),
    ],
)
def test_a_claim_that_is_not_due_is_refused(parcel_id: str, reason: str, code: str, words: str) -> None:
    at = desk({"parcels": keyed(parcel("P-3", "delivered", delivered_on="2026-02-23"))})
    at.refuses("report_problem", code, words, parcel_id=parcel_id, reason=reason)


def test_a_parcel_is_left_where_its_recipient_says_once_they_have_signed() -> None:
    at = desk()
    assert at.gives("sign_release", parcel_id="P-1") == {"parcel_id": "P-1", "signed_on": "2026-03-02"}
    assert at.changed() == {"parcels.changed": {"P-1": {"signed_on": "2026-03-02"}}}
    left = at.gives("leave_unattended", parcel_id="P-1", place="garage")
    assert left == {**PARCELS["P-1"], "left_at": "garage"}
    assert at.changed() == {"parcels.changed": {"P-1": {"left_at": "garage"}}}


def test_only_its_recipient_can_sign() -> None:
    at = desk()
    result = at.session.call("parcel_tracking-sign_release", {"parcel_id": "P-1"})
    assert (result.ok, result.code) == (False, "unknown_tool")
    at.refuses(
        "leave_unattended", "permission_denied", "sign the release of the Shop 1", parcel_id="P-1", place="porch"
    )


def test_a_signature_is_good_for_one_place_and_one_parcel() -> None:
    at = desk()
    at.gives("sign_release", parcel_id="P-1")
    at.refuses("leave_unattended", "permission_denied", "Shop 2 parcel in the app", parcel_id="P-2", place="porch")
    at.gives("leave_unattended", parcel_id="P-1", place="porch")
    at.refuses("leave_unattended", "conflict", "Shop 1 parcel is to be left there", parcel_id="P-1", place="porch")
    at.refuses("leave_unattended", "permission_denied", "in the app", parcel_id="P-1", place="garden_shed")
    at.gives("sign_release", parcel_id="P-1")
    assert at.gives("leave_unattended", parcel_id="P-1", place="garden_shed")["left_at"] == "garden_shed"


@pytest.mark.parametrize("tool", ["sign_release", "leave_unattended"])
@pytest.mark.parametrize(
    ("parcel_id", "code", "words"),
    [
        ("P-3", "precondition_failed", "is delivered, so it cannot be changed"),
        ("P-7", "precondition_failed", "is ready for pickup, so it cannot be changed"),
        ("P-8", "permission_denied", "Only Shop 8 can change"),
        ("P-404", "not_found", "P-404"),
    ],
)
def test_only_what_comes_and_is_under_way_can_be_left(tool: str, parcel_id: str, code: str, words: str) -> None:
    more = {"place": "porch"} if tool == "leave_unattended" else {}
    desk().refuses(tool, code, words, parcel_id=parcel_id, **more)


def test_a_parcel_to_a_pickup_point_is_not_left_at_the_door_and_one_that_goes_there_no_more() -> None:
    at = desk()
    at.gives("sign_release", parcel_id="P-10")
    at.refuses(
        "leave_unattended", "precondition_failed", "Shop 10 parcel goes to a pick", parcel_id="P-10", place="porch"
    )
    at.gives("sign_release", parcel_id="P-1")
    at.gives("leave_unattended", parcel_id="P-1", place="back_door")
    assert "left_at" not in at.gives("redirect_parcel", parcel_id="P-1", point_id="S-4")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(ParcelTracking, seed, size, DEFAULT_NOW)
    today = world.now.date()
    rows = list(world.parcels.values())
    assert {row.status for row in rows} == {"announced", "in_transit", "ready_for_pickup", "delivered", "cancelled"}
    assert {row.direction for row in rows} == {"incoming", "outgoing"}
    assert any(row.status == "in_transit" and (today - row.expected_on).days > 3 for row in rows), "late"
    assert any(point.lockers == 0 for point in world.points.values()), "full"
    assert len({row.partner for row in rows}) == len(rows)
    home = world.users[world.user_id].city
    assert {row.size for row in rows} == {"small", "medium", "large"}
    assert {row.speed for row in rows} == {"standard", "express"}
    assert all(row.expected_on.weekday() != 6 for row in rows)
    assert all(row.other_days == () or row.direction == "incoming" for row in rows)
    week = [dt.timedelta(days=n) for n in range(1, 8)]
    offering = [row for row in rows if row.other_days]
    assert offering
    for row in offering:
        assert row.other_days == tuple(row.expected_on + n for n in week if (row.expected_on + n).weekday() != 6)
    assert any(row.point_id and row.status == "in_transit" for row in rows), "on its way to a pickup point"
    assert {row.city for row in rows} <= {row.name for row in world.cities.values()}
    for row in rows:
        scans = [scan for scan in world.scans.values() if scan.parcel_id == row.id]
        assert bool(scans) == (row.status not in ("announced", "cancelled"))
        for scan in scans:
            assert scan.what != "handed_in" or (scan.city == home) == (row.direction == "outgoing")
            assert scan.what != "delivered" or scan.city == row.city
    assert sum(point.city == home and point.lockers > 0 for point in world.points.values()) >= 5
