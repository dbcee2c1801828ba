"""The visa service, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.travel import _visa_journeys as journeys
from envfactory.catalogue.travel import _visa_rules as rules
from envfactory.catalogue.travel._visa_records import VisaApplication
from envfactory.catalogue.travel.visa_and_passport import VisaAndPassport
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, keyed

# The clock stands at Monday, 2 March 2026, 9:00.


def passport(key: str, nationality: str = "Dutch", expires_on: str = "2030-01-31", **changes: Any) -> Row:
    row = {"id": key, "traveller_id": "T-1", "nationality": nationality, "expires_on": expires_on, "blank_pages": 9}
    return {**row, **changes}


PASSPORTS = keyed(
    passport("P-1"),
    passport("P-2", "Canadian", "2028-06-30"),
    passport("P-3", expires_on="2026-11-30"),
    passport("P-4", expires_on="2029-05-05", blank_pages=3),
    passport("P-5", "Canadian", "2025-05-05"),
    passport("P-6", expires_on="2031-05-05", blank_pages=1),
    passport("P-9", traveller_id="T-2", expires_on="2032-05-05"),
)


def place(key: str, country: str, months: int = 3, pages: int = 1, days: int = 90, *exempt: str) -> Row:
    return {
        "id": key, "country": country, "passport_months": months, "pages_needed": pages, "days_in_180": days,
        "exempt": list(exempt), "exempt_days": 10,
    }  # fmt: skip


PLACES = keyed(
    place("D-1", "Kenya", 6, 2, 30, "Canadian"), place("D-2", "India"), place("D-3", "Nepal"), place("D-4", "Ghana")
)
PAPERS = ["photo", "bank_statement"]


def visa(key: str, country: str = "Kenya", purpose: str = "tourism", fee: float = 40.0, **changes: Any) -> Row:
    return {
        "id": key, "country": country, "purpose": purpose, "entries": "single_entry", "max_days": 20, "fee": fee,
        "documents": PAPERS, **changes,
    }  # fmt: skip


VISAS = keyed(
    visa("V-1", fee=60.0, entries="multiple_entry", max_days=45),
    visa("V-2"),
    visa("V-3", purpose="business", documents=["photo", "invitation_letter"]),
    visa("V-4", "India", "study", 50.0, documents=["photo", "admission_letter", "travel_insurance"]),
    visa("V-5", "Nepal", max_days=180),
    visa("V-6", "Ghana", max_days=180),
    visa("V-7", purpose="family_visits"),
)


def slot(key: str, starts_at: str, country: str = "India", city: str = "Rome", free: int = 1) -> Row:
    return {
        "id": key, "country": country, "office": f"{country} Visa Office {city}", "city": city,
        "address": "1 Mill Lane", "starts_at": f"{starts_at}:00", "free": free,
    }  # fmt: skip


SLOTS = keyed(
    slot("S-1", "2026-03-05T10:00", free=2),
    slot("S-2", "2026-03-03T09:00", city="Oslo"),
    slot("S-3", "2026-03-06T09:00", free=0),
    slot("S-4", "2026-03-02T15:00"),
    slot("S-5", "2026-03-09T11:00", "Nepal"),
    slot("S-6", "2026-03-04T11:00"),
    slot("S-7", "2026-03-10T09:00"),
    slot("S-8", "2026-03-11T09:00"),
    slot("S-9", "2026-05-28T09:00"),
    slot("S-10", "2026-05-27T09:00"),
    slot("S-11", "2026-03-09T12:00", "Nepal"),
)


def stay(key: str, country: str, arrived_on: str, left_on: str, traveller_id: str = "T-1") -> Row:
    return {
        "id": key, "traveller_id": traveller_id, "country": country, "arrived_on": arrived_on, "left_on": left_on
    }  # fmt: skip


STAYS = keyed(
    stay("Y-1", "Kenya", "2026-01-01", "2026-01-10"),
    stay("Y-2", "Kenya", "2025-06-01", "2025-06-20"),
    stay("Y-3", "Kenya", "2025-11-01", "2025-11-30", "T-2"),
    stay("Y-4", "Ghana", "2025-12-01", "2025-12-05"),
)


def paper(kind: str, dated: str = "2026-02-20") -> Row:
    return {"kind": kind, "dated": dated}


BOTH = [paper("photo"), paper("bank_statement")]
ALL = [paper("photo"), paper("admission_letter"), paper("travel_insurance")]


def application(key: str, visa_id: str = "V-4", status: str = "draft", **changes: Any) -> Row:
    """A draft for 1 to 10 June, on the first passport, with nothing attached but what the changes say."""
    row = VISAS[visa_id]
    papers = changes.get("documents", [])
    missing = [kind for kind in row["documents"] if kind not in [each["kind"] for each in papers]]
    there = {} if "slot_id" not in changes else {
        "office": SLOTS[changes["slot_id"]]["office"], "appointment_at": SLOTS[changes["slot_id"]]["starts_at"]
    }  # fmt: skip
    return {
        "id": key, "traveller_id": "T-1", "visa_id": visa_id, "passport_id": "P-1", "nationality": "Dutch",
        "country": row["country"], "purpose": row["purpose"], "entries": row["entries"], "arrive_on": "2026-06-01",
        "leave_on": "2026-06-10", "documents": [], "missing": missing, "complete": not missing, "booked": bool(there),
        "fee": row["fee"], "status": status, **there, **changes,
    }  # fmt: skip


def submitted(key: str, slot_id: str = "S-5", **changes: Any) -> Row:
    more = {"speed": "standard", "decision_by": "2026-03-30", "documents": BOTH, "slot_id": slot_id, **changes}
    return application(key, "V-5", "submitted", **more)


APPLICATIONS = keyed(
    application("A-1", arrive_on="2026-06-03", leave_on="2026-06-05"),
    submitted("A-2"),
    application("A-3", "V-2", "granted", arrive_on="2026-03-20", leave_on="2026-03-24", documents=BOTH),
    application("A-4", "V-6", "refused", arrive_on="2026-05-01", leave_on="2026-05-03", documents=BOTH),
    application("A-5", "V-6", "withdrawn", arrive_on="2026-04-01", leave_on="2026-04-03", fee=0.0),
    application("A-6", "V-6", "withdrawn", arrive_on="2026-04-11", leave_on="2026-04-13", fee=0.0),
    application("A-9", traveller_id="T-2", passport_id="P-9"),
    application("A-10", "V-6", traveller_id="T-2", passport_id="P-9"),
    application(
        "A-11", "V-1", "granted", traveller_id="T-2", passport_id="P-9", arrive_on="2026-03-25", leave_on="2026-04-12",
        documents=BOTH,
    ),
)  # fmt: skip


def traveller(key: str, name: str) -> Row:
    return {"id": key, "name": name, "email": f"{key.lower()}@mail.example"}


STATE: dict[str, Any] = {
    "traveller_id": "T-1",
    "travellers": keyed(traveller("T-1", "Ada Kim"), traveller("T-2", "Leo Sato")),
    "passports": PASSPORTS,
    "destinations": PLACES,
    "visas": VISAS,
    "slots": SLOTS,
    "stays": STAYS,
    "applications": APPLICATIONS,
}


def desk(*rows: Row, now: dt.datetime = DEFAULT_NOW, **changes: Any) -> Desk:
    """The service, with some applications in place of others."""
    return Desk(VisaAndPassport, STATE, rows={"applications": keyed(*rows)}, now=now, **changes)


def alone(*rows: Row, **changes: Any) -> Desk:
    """The service with these applications only."""
    return desk(applications=keyed(*rows), **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["P-6", "P-1", "P-4", "P-2", "P-3"]),
        ({"page": 2}, ["P-5"]),
        ({"valid_until": "2029-05-05"}, ["P-6", "P-1", "P-4"]),
        ({"valid_until": "2029-05-06"}, ["P-6", "P-1"]),
        ({"valid_until": "2032-01-01"}, []),
    ],
)
def test_passports_are_listed_the_longest_valid_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_passports", **arguments) == found


@pytest.mark.parametrize(
    ("country", "on", "used", "left", "stays"),
    [
        ("Kenya", "2026-01-01", 1, 29, ["Y-1"]),
        ("Kenya", "2026-01-05", 5, 25, ["Y-1"]),
        ("Kenya", "2026-03-10", 10, 20, ["Y-1"]),
        ("Kenya", "2026-03-21", 12, 18, ["Y-1"]),
        ("Kenya", "2026-06-29", 15, 15, ["Y-1"]),
        ("Kenya", "2026-06-30", 14, 16, ["Y-1"]),
        ("Kenya", "2026-07-08", 6, 24, ["Y-1"]),
        ("Kenya", "2026-07-09", 5, 25, []),
        ("Kenya", "2025-12-31", 0, 30, []),
        ("Kenya", "2025-11-27", 20, 10, ["Y-2"]),
        ("Kenya", "2025-11-28", 19, 11, ["Y-2"]),
        ("Nepal", "2026-06-10", 0, 90, []),
        ("Ghana", "2026-04-30", 5, 85, ["Y-4"]),
    ],
)
def test_days_are_counted_over_180_up_to_a_day(country: str, on: str, used: int, left: int, stays: list[str]) -> None:
    count = desk().gives("count_days", country=country, on=on)
    assert [each["id"] for each in count.pop("stays")] == stays
    assert count == {"country": country, "on": on, "used": used, "left": left, "allowed": used + left}


def test_stays_that_count_are_listed_the_last_first_and_no_day_counts_twice() -> None:
    again = stay("Y-5", "Kenya", "2026-01-08", "2026-01-12")
    at = desk(stays={**STAYS, **keyed(again)})
    count = at.gives("count_days", country="Kenya", on="2026-01-31")
    assert (count["used"], count["stays"]) == (12, [again, STAYS["Y-1"]])
    long = keyed(stay("Y-6", "Kenya", "2026-01-01", "2026-02-20"))
    assert desk(stays=long).gives("count_days", country="Kenya", on="2026-02-28")["left"] == 0


def test_a_country_that_is_not_served_is_refused_by_name() -> None:
    words = "no visas for Peru here, only for Ghana, India, Kenya, Nepal."
    desk().refuses("count_days", "not_found", words, country="Peru", on="2026-03-10")
    desk().refuses("check_entry", "not_found", words, **{**ENTRY, "country": "Peru"})


ENTRY: Row = {
    "country": "Kenya", "purpose": "tourism", "passport_id": "P-1", "arrive_on": "2026-04-01", "leave_on": "2026-04-10"
}  # fmt: skip


def test_a_journey_is_checked_for_all_that_it_needs() -> None:
    assert desk().gives("check_entry", **ENTRY) == {
        "country": "Kenya", "nationality": "Dutch", "days": 10, "visa_needed": True,
        "passport_needed_until": "2026-10-10", "blank_pages": 7, "pages_needed": 2, "days_used": 25,
        "days_in_180": 30, "obstacles": [], "visas": [VISAS["V-2"], VISAS["V-1"]],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "obstacles", "visas"),
    [
        ({"purpose": "business"}, [], ["V-3"]),
        ({"purpose": "study"}, ["no_fitting_visa"], []),
        ({"leave_on": "2026-04-15"}, [], ["V-2", "V-1"]),
        ({"leave_on": "2026-04-16"}, ["too_many_days_in_180"], ["V-2", "V-1"]),
        ({"leave_on": "2026-04-20"}, ["too_many_days_in_180"], ["V-2", "V-1"]),
        ({"leave_on": "2026-04-21"}, ["too_many_days_in_180"], ["V-1"]),
        ({"leave_on": "2026-05-16"}, ["too_many_days_in_180", "no_fitting_visa"], []),
        ({"passport_id": "P-2"}, [], []),
        ({"passport_id": "P-2", "purpose": "business"}, [], []),
        ({"passport_id": "P-2", "purpose": "family_visits"}, [], ["V-7"]),
        ({"passport_id": "P-2", "leave_on": "2026-04-11"}, [], ["V-2", "V-1"]),
        ({"passport_id": "P-3"}, [], ["V-2", "V-1"]),
        ({"passport_id": "P-3", "arrive_on": "2026-05-25", "leave_on": "2026-05-30"}, [], ["V-2", "V-1"]),
        (
            {"passport_id": "P-3", "arrive_on": "2026-05-25", "leave_on": "2026-05-31"},
            [],
            ["V-2", "V-1"],
        ),
        (
            {"passport_id": "P-3", "arrive_on": "2026-05-25", "leave_on": "2026-06-01"},
            ["passport_expires_too_soon"],
            ["V-2", "V-1"],
        ),
        ({"passport_id": "P-5"}, ["passport_expires_too_soon"], []),
        ({"passport_id": "P-6"}, ["too_few_blank_pages"], ["V-2", "V-1"]),
        ({"passport_id": "P-6", "country": "Ghana"}, [], ["V-6"]),
    ],
)
def test_what_is_in_the_way_of_a_journey_is_named(changes: Row, obstacles: list[str], visas: list[str]) -> None:
    found = desk().gives("check_entry", **{**ENTRY, **changes})
    assert (found["obstacles"], [each["id"] for each in found["visas"]]) == (obstacles, visas)
    assert found["visa_needed"] == (bool(visas) or "no_fitting_visa" in obstacles)


def test_visas_of_one_price_are_listed_in_one_order() -> None:
    same = desk(visas=keyed(VISAS["V-2"], visa("V-0", max_days=30)))
    assert [each["id"] for each in same.gives("check_entry", **ENTRY)["visas"]] == ["V-0", "V-2"]


@pytest.mark.parametrize(("tool", "more"), [("check_entry", ENTRY), ("start_application", {"visa_id": "V-5"})])
@pytest.mark.parametrize(
    ("arrive_on", "leave_on", "words"),
    [
        ("2026-03-02", "2026-03-04", "Arrival has to be after today, 2026-03-02, not on 2026-03-02"),
        ("2026-04-10", "2026-04-09", "leave on 2026-04-09, before you arrive on 2026-04-10"),
        ("2026-04-01", "2026-09-28", "No journey takes more than 180 days; leave by 2026-09-27"),
    ],
)
def test_days_that_cannot_be_are_refused(tool: str, more: Row, arrive_on: str, leave_on: str, words: str) -> None:
    days = {"passport_id": "P-1", "arrive_on": arrive_on, "leave_on": leave_on}
    alone().refuses(tool, "invalid_argument", words, **{**more, **days})


def test_a_journey_may_be_tomorrow_of_one_day_or_of_180() -> None:
    found = desk().gives("check_entry", **{**ENTRY, "arrive_on": "2026-03-03", "leave_on": "2026-03-03"})
    assert (found["days"], found["days_used"]) == (1, 16)
    assert desk().gives("check_entry", **{**ENTRY, "leave_on": "2026-09-27"})["days"] == 180


@pytest.mark.parametrize(("tool", "more"), [("check_entry", ENTRY), ("start_application", {"visa_id": "V-2"})])
def test_passports_of_others_or_none_are_refused(tool: str, more: Row) -> None:
    days = {"arrive_on": "2026-04-01", "leave_on": "2026-04-10"}
    words = "passport belongs to somebody else"
    desk().refuses(tool, "permission_denied", words, **{**more, **days, "passport_id": "P-9"})
    desk().refuses(tool, "not_found", "no passport with the id 'P-99'", **{**more, **days, "passport_id": "P-99"})


def starting(
    visa_id: str = "V-2", passport_id: str = "P-1", days: tuple[str, str] = ("2026-04-01", "2026-04-10")
) -> Row:
    return {"visa_id": visa_id, "passport_id": passport_id, "arrive_on": days[0], "leave_on": days[1]}


def test_an_application_starts_as_a_draft() -> None:
    at = desk()
    started = at.gives("start_application", **starting())
    assert started == application("VA-1001", "V-2", arrive_on="2026-04-01", leave_on="2026-04-10")
    assert at.changed() == {"applications.created": {"VA-1001": started}}
    words = "You have an open application for Kenya; go on with it, or withdraw it first"
    at.refuses("start_application", "conflict", words, **starting("V-3", days=("2026-07-01", "2026-07-02")))
    at.gives("withdraw_application", application_id="VA-1001")
    second = at.gives("start_application", **starting("V-7", "P-2"))
    assert (second["passport_id"], second["nationality"], second["fee"]) == ("P-2", "Canadian", 40.0)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (starting("V-99"), "not_found", "no visa with the id 'V-99'"),
        (starting("V-5"), "conflict", "You have an open application for Nepal"),
        (starting("V-4"), "conflict", "You have an open application for India"),
        (
            starting(days=("2026-03-24", "2026-03-26")),
            "conflict",
            "You have a visa for Kenya from 2026-03-20 to 2026-03-24; choose other days",
        ),
        (starting(days=("2026-03-10", "2026-03-20")), "conflict", "You have a visa for Kenya"),
        (
            starting(days=("2026-03-08", "2026-03-09")),
            "invalid_argument",
            "too late for 2026-03-08; arrive on 2026-03-09",
        ),
        (
            starting(days=("2026-08-30", "2026-08-31")),
            "invalid_argument",
            "For arrival on 2026-08-30 an application can be started from 2026-03-03 on",
        ),
        (
            starting(passport_id="P-2"),
            "conflict",
            "With a Canadian passport you need no visa for tourism in Kenya up to 10 days",
        ),
        (
            starting(days=("2026-06-01", "2026-06-21")),
            "limit_exceeded",
            "That visa is for 20 days at most; leave by 2026-06-20 or choose another visa",
        ),
        (
            starting(passport_id="P-3", days=("2026-06-01", "2026-06-01")),
            "precondition_failed",
            "asks for a passport valid until 2026-12-01, 6 months after you leave; this one expires on 2026-11-30",
        ),
        (
            starting(passport_id="P-6"),
            "precondition_failed",
            "too few blank pages for Kenya: 2 asked for, 1 left by open applications for other countries; take another",
        ),
        (
            starting(days=("2026-04-01", "2026-04-16")),
            "limit_exceeded",
            (
                "You may be in Kenya on 30 days in any 180, past and granted journeys included; "
                "arriving on 2026-04-01, leave by 2026-04-15."
            ),
        ),
    ],
)
def test_what_could_not_be_granted_is_not_started(arguments: Row, code: str, words: str) -> None:
    desk().refuses("start_application", code, words, **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        starting(days=("2026-03-25", "2026-03-26")),
        starting(days=("2026-03-10", "2026-03-19")),
        starting(days=("2026-03-09", "2026-03-10")),
        starting(days=("2026-08-29", "2026-08-31")),
        starting("V-1", "P-2", ("2026-04-01", "2026-04-11")),
        starting(days=("2026-07-10", "2026-07-29")),
        starting(days=("2026-04-01", "2026-04-15")),
        starting(passport_id="P-3", days=("2026-05-30", "2026-05-31")),
        starting("V-6", "P-6"),
    ],
)
def test_what_could_just_be_granted_is_started(arguments: Row) -> None:
    assert desk().gives("start_application", **arguments)["status"] == "draft"


def test_each_open_application_takes_up_a_page_of_its_passport() -> None:
    at = alone(application("A-1", passport_id="P-4"), application("A-3", "V-6", "refused", passport_id="P-4"))
    started = at.gives("start_application", **starting(passport_id="P-4"))
    words = "This passport has too few blank pages for Kenya: 2 asked for, 1 left"
    two = alone(application("A-1", passport_id="P-4"), submitted("A-2", passport_id="P-4"))
    two.refuses("start_application", "precondition_failed", words, **starting(passport_id="P-4"))
    two.gives("withdraw_application", application_id="A-2")
    two.gives("start_application", **starting(passport_id="P-4"))
    assert started["passport_id"] == "P-4"
    full = alone(application("A-1", passport_id="P-6"), submitted("A-2", passport_id="P-6"))
    assert full.gives("check_entry", **{**ENTRY, "passport_id": "P-6"})["blank_pages"] == 0


def test_pages_go_by_what_open_applications_need_whichever_is_started_first() -> None:
    kenya = starting(passport_id="P-4")
    ghana, nepal = (starting(visa_id, "P-4") for visa_id in ("V-6", "V-5"))
    words = "This passport has too few blank pages for Nepal: 1 asked for, 0 left"
    for first, second in ((kenya, ghana), (ghana, kenya)):
        at = alone(stays={})
        at.gives("start_application", **first)
        at.gives("start_application", **second)
        at.refuses("start_application", "precondition_failed", words, **nepal)
        for country, left in (("Kenya", 2), ("Ghana", 1), ("Nepal", 0)):
            found = at.gives("check_entry", **{**ENTRY, "country": country, "passport_id": "P-4"})
            assert (country, found["blank_pages"]) == (country, left)
        at.gives("withdraw_application", application_id="VA-1001")
        at.gives("start_application", **nepal)


def test_days_of_journeys_to_come_count_whatever_comes_first() -> None:
    later = application("A-3", "V-1", "granted", arrive_on="2026-08-01", leave_on="2026-08-20", documents=BOTH)
    at = alone(later, stays={})
    at.refuses(
        "start_application",
        "limit_exceeded",
        "arriving on 2026-06-01, leave by 2026-06-10.",
        **starting(days=("2026-06-01", "2026-06-11")),
    )
    at.gives("start_application", **starting(days=("2026-06-01", "2026-06-10")))


def test_where_no_day_is_left_a_later_arrival_is_named() -> None:
    at = alone(stays=keyed(stay("Y-1", "Kenya", "2026-01-01", "2026-01-30")))
    words = "no day is left on 2026-04-01, so arrive on 2026-06-30 or later."
    at.refuses("start_application", "limit_exceeded", words, **starting(days=("2026-04-01", "2026-04-02")))
    words = words.replace("2026-04-01", "2026-04-02")
    at.refuses("start_application", "limit_exceeded", words, **starting(days=("2026-04-02", "2026-04-02")))
    at.gives("start_application", **starting(days=("2026-06-30", "2026-06-30")))
    nearly = alone(stays=keyed(stay("Y-1", "Kenya", "2026-01-01", "2026-01-29")))
    words = "arriving on 2026-04-01, leave by 2026-04-01."
    nearly.refuses("start_application", "limit_exceeded", words, **starting(days=("2026-04-01", "2026-04-02")))


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["A-2", "A-1", "A-3", "A-5", "A-6"]),
        ({"page": 2}, ["A-4"]),
        ({"status": "withdrawn"}, ["A-5", "A-6"]),
        ({"status": "draft"}, ["A-1"]),
        ({"country": "Ghana"}, ["A-5", "A-6", "A-4"]),
        ({"country": "Ghana", "status": "refused"}, ["A-4"]),
        ({"country": "Peru"}, []),
    ],
)
def test_applications_are_listed_the_open_ones_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_applications", **arguments) == found


def test_a_draft_is_shown_with_what_it_lacks_and_how_fast_it_could_be() -> None:
    papers = [paper("photo", "2025-09-02"), paper("admission_letter", "2025-03-02")]
    row = application("A-1", documents=papers, slot_id="S-1", arrive_on="2026-03-13")
    assert desk(row).gives("get_application", application_id="A-1") == {
        "application_id": "A-1", "country": "India", "purpose": "study", "nationality": "Dutch",
        "arrive_on": "2026-03-13", "leave_on": "2026-06-10", "status": "draft", "documents": papers,
        "missing": ["travel_insurance"], "outdated": ["photo"], "office": "India Visa Office Rome", "city": "Rome",
        "address": "1 Mill Lane", "appointment_at": "2026-03-05T10:00:00",
        "speeds": [
            {"speed": "express", "fee": 95.0, "decision_by": "2026-03-12"},
            {"speed": "urgent", "fee": 140.0, "decision_by": "2026-03-09"},
        ],
        "fee": 50.0,
    }  # fmt: skip


def test_what_is_not_a_draft_is_shown_as_it_stands() -> None:
    old = submitted("A-2", documents=[paper("photo", "2025-01-01"), paper("bank_statement")])
    shown = desk(old).gives("get_application", application_id="A-2")
    assert (shown["speed"], shown["decision_by"], shown["speeds"], shown["outdated"]) == (
        "standard", "2026-03-30", [], []
    )  # fmt: skip
    bare = desk().gives("get_application", application_id="A-1")
    assert (bare["speeds"], "office" in bare, "city" in bare) == ([], False, False)
    over = desk(application("A-1", slot_id="S-4")).gives("get_application", application_id="A-1")
    assert (over["speeds"], over["appointment_at"]) == ([], "2026-03-02T15:00:00")


ON_APPLICATIONS: list[tuple[str, Row]] = [
    ("get_application", {}),
    ("attach_document", {"document": "photo", "dated": "2026-02-20"}),
    ("remove_document", {"document": "photo"}),
    ("find_appointments", {}),
    ("book_appointment", {"slot_id": "S-1"}),
    ("move_appointment", {"slot_id": "S-1"}),
    ("cancel_appointment", {}),
    ("submit_application", {}),
    ("withdraw_application", {}),
]
STANDING = [
    ("attach_document", "given documents", ("submitted", "granted", "refused", "withdrawn")),
    ("remove_document", "changed", ("submitted", "granted", "refused", "withdrawn")),
    ("find_appointments", "given an appointment", ("granted", "refused", "withdrawn")),
    ("book_appointment", "given an appointment", ("submitted", "granted", "refused", "withdrawn")),
    ("move_appointment", "given another appointment", ("granted", "refused", "withdrawn")),
    ("cancel_appointment", "changed", ("granted", "refused", "withdrawn")),
    ("submit_application", "submitted", ("submitted", "granted", "refused", "withdrawn")),
    ("withdraw_application", "withdrawn", ("granted", "refused", "withdrawn")),
]
IN = {"draft": "A-1", "submitted": "A-2", "granted": "A-3", "refused": "A-4", "withdrawn": "A-5"}


@pytest.mark.parametrize(("tool", "more"), ON_APPLICATIONS)
def test_an_application_of_somebody_else_or_none_at_all_is_refused(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "application belongs to somebody else", application_id="A-9", **more)
    desk().refuses(tool, "not_found", "no application with the id 'A-99'", application_id="A-99", **more)


@pytest.mark.parametrize(
    ("tool", "done", "status"), [(tool, done, status) for tool, done, among in STANDING for status in among]
)
def test_what_an_application_allows_depends_on_where_it_stands(tool: str, done: str, status: str) -> None:
    words = f"The application is {status}, so it cannot be {done}"
    desk().refuses(tool, "precondition_failed", words, application_id=IN[status], **dict(ON_APPLICATIONS)[tool])


def test_documents_are_attached_until_none_is_missing() -> None:
    at = desk()
    one = at.gives("attach_document", application_id="A-1", document="admission_letter", dated="2026-02-20")
    more: Row = {"documents": [paper("admission_letter")], "missing": ["photo", "travel_insurance"]}
    assert one == {**APPLICATIONS["A-1"], **more}
    assert at.changed() == {"applications.changed": {"A-1": more}}
    at.refuses(
        "attach_document",
        "conflict",
        "The admission letter is attached already; take it off first to attach another one",
        application_id="A-1",
        document="admission_letter",
        dated="2026-02-21",
    )
    words = "The visa asks for no hotel booking; the application still needs photo, travel insurance"
    hotel = {"document": "hotel_booking", "dated": "2026-02-20"}
    at.refuses("attach_document", "invalid_argument", words, application_id="A-1", **hotel)
    at.gives("attach_document", application_id="A-1", document="photo", dated="2026-02-20")
    full = at.gives("attach_document", application_id="A-1", document="travel_insurance", dated="2026-02-20")
    assert (full["missing"], full["complete"]) == ([], True)
    words = "The visa asks for no hotel booking; the application is complete"
    at.refuses("attach_document", "invalid_argument", words, application_id="A-1", **hotel)


@pytest.mark.parametrize(
    ("visa_id", "document", "oldest", "too_old"),
    [
        ("V-1", "photo", "2025-09-03", "2025-09-02"),
        ("V-1", "bank_statement", "2026-01-31", "2026-01-30"),
        ("V-3", "invitation_letter", "2025-12-02", "2025-12-01"),
        ("V-4", "travel_insurance", "2025-03-02", "2025-03-01"),
        ("V-4", "admission_letter", "2025-03-02", "2025-03-01"),
        ("V-6", "hotel_booking", "2025-09-03", "2025-09-02"),
    ],
)
def test_a_document_is_recent_enough_for_its_kind(visa_id: str, document: str, oldest: str, too_old: str) -> None:
    visas = {**VISAS, "V-6": visa("V-6", "Ghana", documents=["hotel_booking"])}
    row = application("A-1", visa_id, missing=visas[visa_id]["documents"], complete=False)
    at, named = desk(row, visas=visas), {"application_id": "A-1", "document": document}
    words = f"The {document.replace('_', ' ')} of {too_old} is too old; attach one of {oldest} or later"
    at.refuses("attach_document", "precondition_failed", words, dated=too_old, **named)
    words = "cannot be of 2026-03-03, which is after today, 2026-03-02"
    at.refuses("attach_document", "invalid_argument", words, dated="2026-03-03", **named)
    assert at.gives("attach_document", dated=oldest, **named)["documents"] == [paper(document, oldest)]
    at.gives("remove_document", **named)
    at.gives("attach_document", dated="2026-03-02", **named)


def test_a_document_is_taken_off_a_draft() -> None:
    at = desk(application("A-1", documents=ALL))
    gone: Row = {"documents": [ALL[0], ALL[2]], "missing": ["admission_letter"], "complete": False}
    assert at.gives("remove_document", application_id="A-1", document="admission_letter") == {
        **application("A-1", documents=ALL), **gone
    }  # fmt: skip
    assert at.changed() == {"applications.changed": {"A-1": gone}}
    words = "No admission letter is attached to it, but photo, travel insurance"
    at.refuses("remove_document", "conflict", words, application_id="A-1", document="admission_letter")
    words = "No photo is attached to it, but nothing"
    desk().refuses("remove_document", "conflict", words, application_id="A-1", document="photo")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-2", "S-6", "S-1", "S-7", "S-8"]),
        ({"page": 2}, ["S-10", "S-9"]),
        ({"city": "Oslo"}, ["S-2"]),
        ({"city": "Paris"}, []),
        ({"by": "2026-03-05"}, ["S-2", "S-6", "S-1"]),
        ({"by": "2026-03-04", "city": "Rome"}, ["S-6"]),
    ],
)
def test_free_appointments_in_time_are_found_the_earliest_first(arguments: Row, found: list[str]) -> None:
    page = desk().gives("find_appointments", application_id="A-1", **arguments)
    assert [each["id"] for each in page["appointments"]] == found
    assert page["cities"] == ["Oslo", "Rome"]


def times(at: Desk, **arguments: Any) -> list[str]:
    """Ids of the appointments that are found."""
    return [each["id"] for each in at.gives("find_appointments", **arguments)["appointments"]]


def test_appointments_leave_time_for_a_decision_before_arrival() -> None:
    at = desk(application("A-1", arrive_on="2026-06-01"))
    assert times(at, application_id="A-1", page=2) == ["S-10"]
    words = "decided by 2026-06-01 with urgent processing, not before you arrive on 2026-06-01; take an earlier one"
    at.refuses("book_appointment", "precondition_failed", words, application_id="A-1", slot_id="S-9")
    at.gives("book_appointment", application_id="A-1", slot_id="S-10")
    fast = desk(submitted("A-2", arrive_on="2026-03-31"))
    assert times(fast, application_id="A-2") == ["S-11"]
    slow = desk(submitted("A-2", arrive_on="2026-03-30"))
    assert times(slow, application_id="A-2") == []
    words = "decided by 2026-03-30 with standard processing, not before you arrive on 2026-03-30"
    slow.refuses("move_appointment", "precondition_failed", words, application_id="A-2", slot_id="S-11")


@pytest.mark.parametrize("seed", range(3))
def test_an_appointment_is_found_if_and_only_if_it_can_be_had(seed: int) -> None:
    world = build_scenario(VisaAndPassport, seed, 60, DEFAULT_NOW)
    state = world.model_dump(mode="json", exclude={"now", "counters"}, exclude_none=True)
    for row in world.applications.values():
        if row.traveller_id != world.traveller_id or not rules.open_now(row):
            continue
        tool = "move_appointment" if row.booked else "book_appointment"
        there = [slot.id for slot in world.slots.values() if slot.country == row.country]
        had = [
            slot_id
            for slot_id in there
            if Desk(VisaAndPassport, state)(tool, application_id=row.id, slot_id=slot_id).ok
        ]
        found = Desk(VisaAndPassport, state)("find_appointments", application_id=row.id)
        if row.status == "submitted" and row.appointment_at and row.appointment_at.date() <= world.now.date():
            assert (found.code, had) == ("precondition_failed", [])
        else:
            assert found.value["total"] == len(had)
            assert {each["id"] for each in found.value["appointments"]} <= set(had)


def test_an_application_whose_appointment_is_over_is_found_no_other_one() -> None:
    slots = {**SLOTS, "S-5": slot("S-5", "2026-03-02T08:00", "Nepal")}
    at = desk({**submitted("A-2"), "appointment_at": "2026-03-02T08:00:00"}, slots=slots)
    words = "The appointment was on 2026-03-02; it could be moved until the day before. You can still withdraw"
    at.refuses("find_appointments", "precondition_failed", words, application_id="A-2")


def test_an_appointment_is_booked() -> None:
    at = desk()
    there: Row = {
        "booked": True, "slot_id": "S-1", "office": "India Visa Office Rome", "appointment_at": "2026-03-05T10:00:00"
    }  # fmt: skip
    assert at.gives("book_appointment", application_id="A-1", slot_id="S-1") == {**APPLICATIONS["A-1"], **there}
    after = {**there, "fee": 50.0, "status": "draft"}  # what comes after a new field is listed with it
    assert at.changed() == {"applications.changed": {"A-1": after}, "slots.changed": {"S-1": {"free": 1}}}
    words = "It has an appointment on 2026-03-05 at 10:00 already; move that one instead"
    at.refuses("book_appointment", "conflict", words, application_id="A-1", slot_id="S-2")


@pytest.mark.parametrize(
    ("slot_id", "code", "words"),
    [
        ("S-5", "invalid_argument", "The Nepal Visa Office Rome takes no applications for India"),
        ("S-4", "precondition_failed", "That is on 2026-03-02; tomorrow is the earliest"),
        ("S-3", "conflict", "Nobody can be booked any more at 09:00 on 2026-03-06 at the India Visa Office Rome"),
        ("S-99", "not_found", "no appointment with the id 'S-99'"),
    ],
)
def test_an_appointment_that_cannot_be_had_is_refused(slot_id: str, code: str, words: str) -> None:
    desk().refuses("book_appointment", code, words, application_id="A-1", slot_id=slot_id)
    booked = desk(application("A-1", slot_id="S-1"))
    booked.refuses("move_appointment", code, words, application_id="A-1", slot_id=slot_id)


def test_nobody_is_in_two_offices_at_a_time() -> None:
    slots = {**SLOTS, "S-1": slot("S-1", "2026-03-09T11:00")}
    words = "You have an appointment for Nepal at that very time; take another time"
    desk(slots=slots).refuses("book_appointment", "conflict", words, application_id="A-1", slot_id="S-1")
    same_day = desk(slots={**slots, "S-1": slot("S-1", "2026-03-09T11:20")})
    same_day.gives("book_appointment", application_id="A-1", slot_id="S-1")
    over = APPLICATIONS["A-2"]
    for gone in ({"status": "granted"}, {"traveller_id": "T-2"}):
        desk({**over, **gone}, slots=slots).gives("book_appointment", application_id="A-1", slot_id="S-1")


def test_an_appointment_is_moved_and_the_old_one_is_free_again() -> None:
    at = desk(application("A-1", slot_id="S-1"))
    there: Row = {"slot_id": "S-6", "appointment_at": "2026-03-04T11:00:00"}
    moved = at.gives("move_appointment", application_id="A-1", slot_id="S-6")
    assert moved == {**application("A-1", slot_id="S-1"), **there}
    assert at.changed() == {
        "applications.changed": {"A-1": there}, "slots.changed": {"S-1": {"free": 3}, "S-6": {"free": 0}}
    }  # fmt: skip
    words = "Your India application has that appointment already"
    at.refuses("move_appointment", "conflict", words, application_id="A-1", slot_id="S-6")
    words = "It has no appointment to move; book one first"
    desk().refuses("move_appointment", "precondition_failed", words, application_id="A-1", slot_id="S-6")


def test_what_is_submitted_is_decided_as_long_after_its_new_appointment() -> None:
    slots = {**SLOTS, "S-11": slot("S-11", "2026-03-13T12:00", "Nepal")}
    at = desk(submitted("A-2", speed="express", decision_by="2026-03-16"), slots=slots)
    moved = at.gives("move_appointment", application_id="A-2", slot_id="S-11")
    assert (moved["status"], moved["decision_by"], moved["fee"]) == ("submitted", "2026-03-20", 40.0)


@pytest.mark.parametrize(("starts_at", "moves"), [("2026-03-03T08:00", True), ("2026-03-02T23:00", False)])
def test_the_appointment_of_a_submitted_application_is_moved_until_the_day_before(starts_at: str, moves: bool) -> None:
    slots = {**SLOTS, "S-5": slot("S-5", starts_at, "Nepal")}
    at = desk({**submitted("A-2"), "appointment_at": f"{starts_at}:00"}, slots=slots)
    if moves:
        at.gives("move_appointment", application_id="A-2", slot_id="S-11")
    else:
        words = "The appointment was on 2026-03-02; it could be moved until the day before. You can still withdraw"
        at.refuses("move_appointment", "precondition_failed", words, application_id="A-2", slot_id="S-11")


def test_a_draft_that_missed_its_appointment_takes_another_one() -> None:
    late = application("A-1", documents=ALL, slot_id="S-4")
    at = desk(late)
    words = "It has to be submitted before the day of its appointment, 2026-03-02; change to a later one first"
    at.refuses("submit_application", "precondition_failed", words, application_id="A-1")
    at.gives("move_appointment", application_id="A-1", slot_id="S-1")
    assert at.changed()["slots.changed"] == {"S-1": {"free": 1}}
    at.gives("submit_application", application_id="A-1")


def test_the_appointment_of_a_draft_is_cancelled() -> None:
    at = desk(application("A-1", slot_id="S-1"))
    assert at.gives("cancel_appointment", application_id="A-1") == application("A-1")
    found = at.changed()
    assert found["slots.changed"] == {"S-1": {"free": 3}}
    assert found["applications.changed"]["A-1"]["booked"] is False
    words = "Your India application has no appointment"
    at.refuses("cancel_appointment", "conflict", words, application_id="A-1")
    words = "A submitted application needs its appointment; move it, or withdraw the application"
    at.refuses("cancel_appointment", "precondition_failed", words, application_id="A-2")
    over = desk(application("A-1", slot_id="S-4"))
    over.gives("cancel_appointment", application_id="A-1")
    assert "slots.changed" not in over.changed()


READY = application("A-1", documents=ALL, slot_id="S-1")


@pytest.mark.parametrize(
    ("more", "speed", "fee", "decision_by"),
    [
        ({}, "standard", 50.0, "2026-03-26"),
        ({"speed": "standard"}, "standard", 50.0, "2026-03-26"),
        ({"speed": "express"}, "express", 95.0, "2026-03-12"),
        ({"speed": "urgent"}, "urgent", 140.0, "2026-03-09"),
    ],
)
def test_a_complete_draft_is_submitted(more: Row, speed: str, fee: float, decision_by: str) -> None:
    at = desk(READY)
    after = {"status": "submitted", "speed": speed, "decision_by": decision_by, "fee": fee}
    assert at.gives("submit_application", application_id="A-1", **more) == {**READY, **after}
    changed = at.changed()
    assert changed.keys() == {"applications.changed"}
    assert {"fee": 50.0, **changed["applications.changed"]["A-1"]} == after


@pytest.mark.parametrize(
    ("changes", "speed", "words"),
    [
        (
            {"documents": ALL[:1]},
            "standard",
            "It still needs the admission letter, travel insurance; attach that first",
        ),
        (
            {"documents": [paper("photo", "2025-09-02"), paper("admission_letter", "2025-03-01"), ALL[2]]},
            "standard",
            "too old by now: photo of 2025-09-02, admission letter of 2025-03-01; take them off and attach newer ones",
        ),
        (
            {"arrive_on": "2026-03-26"},
            "standard",
            (
                "With standard processing it is decided by 2026-03-26, not before you arrive on 2026-03-26; "
                "choose express or urgent, or an earlier appointment."
            ),
        ),
        ({"arrive_on": "2026-03-12"}, "express", "choose urgent, or an earlier appointment."),
        ({"arrive_on": "2026-03-09"}, "urgent", "not before you arrive on 2026-03-09; take an earlier appointment."),
    ],
)
def test_what_is_not_complete_recent_and_in_time_is_not_submitted(changes: Row, speed: str, words: str) -> None:
    given: Row = {"documents": ALL, "slot_id": "S-1", **changes}
    row = application("A-1", **given)
    desk(row).refuses("submit_application", "precondition_failed", words, application_id="A-1", speed=speed)


def test_a_draft_without_an_appointment_is_not_submitted_and_one_just_in_time_is() -> None:
    words = "It has no appointment; book one at an office first"
    at = desk(application("A-1", documents=ALL))
    at.refuses("submit_application", "precondition_failed", words, application_id="A-1")
    at.gives("book_appointment", application_id="A-1", slot_id="S-2")
    at.gives("submit_application", application_id="A-1")
    just = desk({**READY, "documents": [paper("photo", "2025-09-03"), *ALL[1:]], "arrive_on": "2026-03-27"})
    just.gives("submit_application", application_id="A-1")


def test_a_document_that_has_grown_old_since_is_noticed() -> None:
    row = application("A-1", "V-6", documents=[paper("photo"), paper("bank_statement", "2026-01-31")], slot_id="S-1")
    desk(row).gives("submit_application", application_id="A-1")
    later = desk(row, now=DEFAULT_NOW + dt.timedelta(days=1))
    words = "bank statement of 2026-01-31"
    later.refuses("submit_application", "precondition_failed", words, application_id="A-1")
    assert later.gives("get_application", application_id="A-1")["outdated"] == ["bank_statement"]


@pytest.mark.parametrize(
    ("starts_at", "fee", "kept", "refund", "free"),
    [
        ("2026-03-03T08:00", 85.0, 30.0, 55.0, {"S-5": {"free": 2}}),
        ("2026-03-03T08:00", 20.0, 20.0, 0.0, {"S-5": {"free": 2}}),
        ("2026-03-02T23:00", 85.0, 85.0, 0.0, None),
        ("2026-02-20T10:00", 85.0, 85.0, 0.0, None),
    ],
)
def test_withdrawing_keeps_little_before_the_appointment_and_all_afterwards(
    starts_at: str, fee: float, kept: float, refund: float, free: Row | None
) -> None:
    slots = {**SLOTS, "S-5": slot("S-5", starts_at, "Nepal")}
    at = desk({**submitted("A-2", fee=fee), "appointment_at": f"{starts_at}:00"}, slots=slots)
    assert at.gives("withdraw_application", application_id="A-2") == {
        "application_id": "A-2", "country": "Nepal", "kept": kept, "refund": refund
    }  # fmt: skip
    assert at.changed().get("slots.changed") == free
    after = at.gives("get_application", application_id="A-2")
    assert (after["status"], after["fee"]) == ("withdrawn", kept)
    assert not {"appointment_at", "office", "decision_by"} & after.keys()


def test_a_draft_is_withdrawn_free_of_charge_and_lets_its_appointment_go() -> None:
    at = desk(READY)
    found = at.gives("withdraw_application", application_id="A-1")
    assert found == {"application_id": "A-1", "country": "India", "kept": 0.0}
    assert at.changed()["slots.changed"] == {"S-1": {"free": 3}}
    row = at.gives("list_applications", country="India", status="withdrawn")["applications"][0]
    assert (row["fee"], row["booked"], "slot_id" in row) == (0.0, False, False)


@pytest.mark.parametrize(
    ("day", "months", "after"),
    [
        ("2026-08-31", 6, "2027-02-28"),
        ("2026-08-15", 6, "2027-02-15"),
        ("2027-11-30", 3, "2028-02-29"),
        ("2026-12-31", 0, "2026-12-31"),
        ("2026-06-30", 6, "2026-12-30"),
    ],
)
def test_months_end_where_they_must(day: str, months: int, after: str) -> None:
    places = {**PLACES, "D-1": place("D-1", "Kenya", months)}
    now = dt.datetime.fromisoformat(day) - dt.timedelta(days=30)
    found = desk(destinations=places, now=now).gives("check_entry", **{**ENTRY, "arrive_on": day, "leave_on": day})
    assert found["passport_needed_until"] == after


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("size", [10, 60, 300])
def test_a_scenario_keeps_its_own_rules_and_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(VisaAndPassport, seed, size, DEFAULT_NOW)
    today, rows = world.now.date(), list(world.applications.values())
    mine = [row for row in rows if row.traveller_id == world.traveller_id]
    assert {row.status for row in mine} == {"draft", "submitted", "granted", "refused", "withdrawn"}
    ready = [(row.booked, row.complete) for row in mine if row.status == "draft"]
    assert set(ready) >= {(True, True), (True, False), (False, False)}
    assert ready.count((True, True)) == 3
    assert any(rules.outdated(row.documents, today) for row in mine if row.status == "draft")
    assert {row.appointment_at.date() > today for row in mine if row.appointment_at} == {True, False}
    passports = [each for each in world.passports.values() if each.traveller_id == world.traveller_id]
    assert {each.expires_on < today for each in passports} == {True, False}
    assert min(each.blank_pages for each in passports) == 1
    for owner in world.travellers:
        theirs = [row for row in rows if row.traveller_id == owner]
        opened = [row for row in theirs if rules.open_now(row)]
        assert len({row.country for row in opened}) == len(opened)
        times = [row.appointment_at for row in opened if row.appointment_at]
        assert len(set(times)) == len(times)
    for row in rows:
        _check_row(world, row, today)
    needed = {place.country: place.pages_needed for place in world.destinations.values()}
    for each in world.passports.values():
        taken = sum(needed[row.country] for row in rows if row.passport_id == each.id and rules.open_now(row))
        assert taken <= each.blank_pages
    for each in world.destinations.values():
        stays = [stay for stay in world.stays.values() if stay.traveller_id == world.traveller_id]
        known = journeys.days_there(each.country, stays, mine)
        assert all(journeys.used(known, dt.date.fromordinal(day)) <= each.days_in_180 for day in known)
        assert any(slot.free and slot.starts_at.date() > today for slot in world.slots.values()
                   if slot.country == each.country)  # fmt: skip
    assert any(slot.free == 0 for slot in world.slots.values() if slot.starts_at.date() > today)


def test_countries_are_in_other_conditions_in_other_scenarios() -> None:
    soonest: set[str] = set()
    for seed in range(6):
        world = build_scenario(VisaAndPassport, seed, 60, DEFAULT_NOW)
        drafts = [row for row in world.applications.values() if row.traveller_id == world.traveller_id]
        soonest.add(min(drafts, key=lambda row: (row.status != "draft", row.arrive_on)).country)
    assert len(soonest) > 2


def _check_row(world: VisaAndPassport, row: VisaApplication, today: dt.date) -> None:
    """An application is as its tools would have made it."""
    visa, passport = world.visas[row.visa_id], world.passports[row.passport_id]
    assert (visa.country, visa.purpose, visa.entries) == (row.country, row.purpose, row.entries)
    assert (passport.traveller_id, passport.nationality) == (row.traveller_id, row.nationality)
    assert (row.leave_on - row.arrive_on).days < visa.max_days
    assert rules.with_documents(row, visa, row.documents) == row
    assert all(each.dated <= today for each in row.documents)
    place = journeys.place_of(row.country, list(world.destinations.values()))
    assert passport.expires_on >= journeys.months_after(row.leave_on, place.passport_months)
    assert row.nationality not in place.exempt
    assert (row.status == "draft") <= (row.arrive_on > today)
    if row.status in ("submitted", "granted", "refused"):
        slot = world.slots[row.slot_id or ""]
        assert row.complete
        assert rules.with_slot(row, slot) == row
        assert row.fee == visa.fee + rules.SURCHARGE[row.speed or "standard"]
        assert row.decision_by is not None
        assert row.decision_by < row.arrive_on
        assert (row.status == "submitted") == (row.decision_by >= today)
        assert not rules.outdated(row.documents, slot.starts_at.date() - dt.timedelta(days=1))
