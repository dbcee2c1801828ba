"""The practices, through their tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
import itertools
from collections import Counter
from typing import Any

import pytest

from envfactory.catalogue.lifestyle._appointment_records import REFERRED
from envfactory.catalogue.lifestyle._appointment_rules import earlier_slot, free_slots
from envfactory.catalogue.lifestyle.medical_appointments import MedicalAppointments
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at 2 March 2026, 9:00.


def doctor(key: str, specialty: str = "general_practice", rating: float = 4.0, fee: float = 100.0, **more: Any) -> Row:
    return {
        "id": key, "name": f"Dr. {key}", "specialty": specialty, "address": "1 Mill Lane", "city": "Oslo",
        "languages": ["English"], "fee": fee, "rating": rating, "takes_new": True, "plans": ["plus"], **more,
    }  # fmt: skip


DOCTORS = keyed(
    doctor("D-1"),
    doctor("D-2", rating=4.5, fee=90.0, languages=["English", "French"], plans=["basic"]),
    doctor("D-3", rating=4.2, fee=110.0, city="Rome", takes_new=False),
    doctor("D-4", "dermatology"),
    *(doctor(f"D-{n}", "eye_care", 5 - n / 10) for n in range(11, 18)),
)


def slot(key: str, starts: str, doctor_id: str = "D-1", status: str = "free", **more: Any) -> Row:
    return {
        "id": key, "doctor_id": doctor_id, "doctor": f"Dr. {doctor_id}", "starts": f"{starts}:00", "minutes": 30,
        "mode": "in_person", "visits": ["consultation", "check_up", "follow_up", "vaccination"], "status": status,
        **more,
    }  # fmt: skip


SLOTS = keyed(
    slot("S-1", "2026-03-10T10:00"),
    slot("S-2", "2026-03-06T14:00", mode="video", visits=["consultation"]),
    slot("S-3", "2026-03-02T10:00"),
    slot("S-4", "2026-03-02T09:59"),
    slot("S-5", "2026-03-05T10:00", status="held"),
    slot("S-6", "2026-03-08T10:00", "D-2"),
    slot("S-7", "2026-03-09T10:00", "D-3"),
    slot("S-8", "2026-03-12T10:00", "D-4"),
    slot("S-9", "2026-04-01T10:00", "D-4"),
    *(slot(f"S-{n}", f"2026-03-{n}T10:00", "D-11") for n in range(21, 28)),
    *(slot(f"S-{n}", "2026-03-20T10:00", status="busy") for n in range(31, 60)),
)


def appointment(key: str, starts: str, doctor_id: str = "D-1", status: str = "booked", **more: Any) -> Row:
    begin = dt.datetime.fromisoformat(starts)
    return {
        "id": key, "patient_id": "P-1", "doctor_id": doctor_id, "doctor": f"Dr. {doctor_id}",
        "specialty": DOCTORS[doctor_id]["specialty"], "slot_id": f"S-{30 + int(key[2:])}",
        "starts": begin.isoformat(), "ends": (begin + dt.timedelta(minutes=30)).isoformat(), "visit": "consultation",
        "mode": "in_person", "copay": 20.0, "paid": False, "moves": 0, "status": status, **more,
    }  # fmt: skip


APPOINTMENTS = keyed(
    appointment("A-1", "2026-03-20T10:00"),
    appointment("A-2", "2026-03-04T08:59", "D-2"),
    appointment("A-3", "2026-03-04T09:00", "D-3"),
    appointment("A-4", "2026-03-15T10:00", "D-4", referral_id="R-1"),
    appointment("A-5", "2026-03-02T09:00", "D-12"),
    appointment("A-6", "2026-03-03T12:00", "D-13", "checked_in"),
    appointment("A-7", "2026-02-20T10:00", status="completed"),
    appointment("A-8", "2026-01-20T10:00", "D-2", "completed"),
    appointment("A-9", "2026-03-18T10:00", "D-2", patient_id="P-2"),
    appointment("A-10", "2026-03-25T10:00", "D-3", "cancelled", moves=2),
    appointment("A-11", "2026-02-10T10:00", "D-11", "missed"),
)


def referral(key: str, until: str, specialty: str = "dermatology", status: str = "active", **more: Any) -> Row:
    return {
        "id": key, "patient_id": "P-1", "specialty": specialty, "issued_by": "Dr. D-1", "valid_until": until,
        "visits_left": 2, "status": status, **more,
    }  # fmt: skip


def note(key: str, day: str, advised: list[str], appointment_id: str = "A-7", **more: Any) -> Row:
    return {
        "id": key, "patient_id": "P-1", "appointment_id": appointment_id, "doctor": "Dr. D-1", "day": day,
        "findings": "a sore knee", "advised": advised, **more,
    }  # fmt: skip


def place(key: str, appointment_id: str, status: str = "waiting", **more: Any) -> Row:
    row = APPOINTMENTS[appointment_id]
    return {
        "id": key, "patient_id": "P-1", "appointment_id": appointment_id, "doctor": row["doctor"],
        "visit_on": row["starts"][:10], "status": status, **more,
    }  # fmt: skip


OFFERED = place("W-1", "A-1", "offered", slot_id="S-5", offered="2026-03-05T10:00:00")
STATE = {
    "patient_id": "P-1",
    "patients": keyed(
        *({"id": f"P-{n}", "name": f"Ada {n}", "email": f"ada{n}@mail.example", "plan": "plus"} for n in (1, 2))
    ),
    "doctors": DOCTORS,
    "slots": SLOTS,
    "appointments": APPOINTMENTS,
    "notes": keyed(
        note("N-1", "2026-01-01", ["cardiology", "dermatology"]),
        note("N-2", "2025-12-31", ["cardiology"]),
        note("N-3", "2026-02-20", ["cardiology"], "A-9", patient_id="P-2"),
    ),
    "referrals": keyed(
        referral("R-1", "2026-03-31"),
        referral("R-2", "2026-05-31", visits_left=1),
        referral("R-3", "2026-06-30", "cardiology", "used", visits_left=0),
        referral("R-4", "2026-03-01", "orthopaedics"),
        referral("R-5", "2026-03-20", patient_id="P-2"),
    ),
    "places": {},
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(MedicalAppointments, STATE, rows=rows, **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["D-2", "D-3", "D-1"]),
        ({"sort": "fee"}, ["D-2", "D-1", "D-3"]),
        ({"city": "Oslo"}, ["D-2", "D-1"]),
        ({"language": "French"}, ["D-2"]),
        ({"covered": True}, ["D-3", "D-1"]),
        ({"free_by": "2026-03-08"}, ["D-2", "D-1"]),
        ({"free_by": "2026-03-07"}, ["D-1"]),
        ({"free_by": "2026-03-01"}, []),
        ({"specialty": "dermatology", "free_by": "2026-03-11"}, []),
        ({"specialty": "eye_care"}, [f"D-{n}" for n in range(11, 16)]),
        ({"specialty": "eye_care", "page": 2}, ["D-16", "D-17"]),
        ({"specialty": "cardiology"}, []),
    ],
)
def test_doctors_are_searched_by_what_is_asked(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_doctors", **{"specialty": "general_practice", **arguments}) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-3", "S-2", "S-1"]),
        ({"visit": "check_up"}, ["S-3", "S-1"]),
        ({"mode": "video"}, ["S-2"]),
        ({"since": "2026-03-06"}, ["S-2", "S-1"]),
        ({"since": "2026-03-07"}, ["S-1"]),
        ({"doctor_id": "D-11"}, [f"S-{n}" for n in range(21, 26)]),
        ({"doctor_id": "D-11", "page": 2}, ["S-26", "S-27"]),
        ({"doctor_id": "D-12"}, []),
    ],
)
def test_slots_that_can_still_be_booked_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_slots", **{"doctor_id": "D-1", **arguments}) == found
    assert desk().gives("find_slots", doctor_id="D-1")["doctor"] == "Dr. D-1"
    desk().refuses("find_slots", "not_found", "no doctor with the id 'D-99'", doctor_id="D-99")


def test_a_doctor_whose_only_slot_is_too_soon_is_not_free_by_then() -> None:
    rows = {"slots": keyed(slot("S-60", "2026-03-02T09:30", "D-2"), slot("S-61", "2026-03-02T10:00", "D-3"))}
    found = desk(rows).ids("search_doctors", specialty="general_practice", free_by="2026-03-02")
    assert found == ["D-3", "D-1"]


def test_slots_at_one_time_come_by_id() -> None:
    rows = {"slots": keyed(slot("S-0", "2026-03-06T14:00"))}
    assert desk(rows).ids("find_slots", doctor_id="D-1") == ["S-3", "S-0", "S-2", "S-1"]


@pytest.mark.parametrize(
    ("slot_id", "visit", "doctor_id", "copay"),
    [
        ("S-1", "consultation", "D-1", 20.0),
        ("S-1", "check_up", "D-1", 30.0),
        ("S-1", "vaccination", "D-1", 5.0),
        ("S-3", "follow_up", "D-1", 10.0),
        ("S-6", "consultation", "D-2", 90.0),
    ],
)
def test_a_slot_is_booked_for_the_share_that_the_plan_leaves(
    slot_id: str, visit: str, doctor_id: str, copay: float
) -> None:
    at = desk()
    booked = at.gives("book_appointment", slot_id=slot_id, visit=visit)
    begin = SLOTS[slot_id]["starts"]
    assert booked == appointment("AP-1001"[1:], begin, doctor_id, visit=visit, copay=copay) | {
        "id": "AP-1001", "slot_id": slot_id
    }  # fmt: skip
    assert at.changed() == {
        "appointments.created": {"AP-1001": booked},
        "slots.changed": {slot_id: {"status": "busy"}},
    }
    at.refuses("book_appointment", "conflict", "is taken", slot_id=slot_id, visit=visit)


def test_what_is_to_be_talked_about_is_noted() -> None:
    booked = desk().gives("book_appointment", slot_id="S-2", visit="consultation", concern="a rash")
    assert (booked["concern"], booked["mode"], booked["ends"]) == ("a rash", "video", "2026-03-06T14:30:00")


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"slot_id": "S-99"}, "not_found", "no slot with the id 'S-99'"),
        ({"slot_id": "S-5"}, "conflict", "Dr. D-1 on 2026-03-05 10:00:00 is taken"),
        ({"slot_id": "S-4"}, "precondition_failed", "too soon or past"),
        ({"slot_id": "S-2", "visit": "check_up"}, "invalid_argument", "booked for consultation only"),
        ({"slot_id": "S-7"}, "precondition_failed", "Dr. D-3 takes no new patients"),
        ({"slot_id": "S-21", "visit": "follow_up"}, "precondition_failed", "no visit with Dr. D-11 to follow up"),
    ],
)
def test_a_slot_that_cannot_be_had_is_refused(change: Row, code: str, words: str) -> None:
    desk().refuses("book_appointment", code, words, **{"slot_id": "S-1", "visit": "consultation", **change})


def test_what_a_slot_is_for_is_said_in_words() -> None:
    at = desk({"slots": keyed(slot("S-60", "2026-03-06T10:00", visits=["check_up", "vaccination"]))})
    words = "It can be booked for check up or vaccination only."
    at.refuses("book_appointment", "invalid_argument", words, slot_id="S-60", visit="follow_up")


@pytest.mark.parametrize(
    ("starts", "status", "taken"),
    [
        ("2026-03-10T09:31", "booked", True),
        ("2026-03-10T10:29", "checked_in", True),
        ("2026-03-10T09:30", "booked", False),
        ("2026-03-10T10:30", "booked", False),
        ("2026-03-10T10:00", "cancelled", False),
    ],
)
def test_nobody_sees_two_doctors_at_once(starts: str, status: str, *, taken: bool) -> None:
    at = desk({"appointments": keyed(appointment("A-20", starts, "D-11", status))})
    if taken:
        at.refuses("book_appointment", "conflict", "You see Dr. D-11 at that", slot_id="S-1", visit="consultation")
    else:
        at.gives("book_appointment", slot_id="S-1", visit="consultation")


def test_a_visit_to_a_specialist_draws_on_the_referral_that_runs_out_first() -> None:
    at = desk()
    assert at.gives("book_appointment", slot_id="S-8", visit="consultation")["referral_id"] == "R-1"
    assert at.changed()["referrals.changed"] == {"R-1": {"visits_left": 1}}
    at = desk()
    assert at.gives("book_appointment", slot_id="S-9", visit="check_up")["referral_id"] == "R-2"
    assert at.changed()["referrals.changed"] == {"R-2": {"visits_left": 0, "status": "used"}}


def test_a_referral_is_good_on_its_last_day_and_no_longer() -> None:
    for day, known in (("2026-04-01", True), ("2026-03-31", False)):
        at = desk({"referrals": keyed(referral("R-1", day), referral("R-2", day, status="expired"))})
        if known:
            assert at.gives("book_appointment", slot_id="S-9", visit="consultation")["referral_id"] == "R-1"
        else:
            words = "need a referral for dermatology that is good on 2026-04-01"
            at.refuses("book_appointment", "precondition_failed", words, slot_id="S-9", visit="consultation")


def test_of_referrals_that_run_out_together_the_first_is_used() -> None:
    at = desk({"referrals": keyed(referral("R-1", "2026-05-31"))})
    assert at.gives("book_appointment", slot_id="S-8", visit="consultation")["referral_id"] == "R-1"


@pytest.mark.parametrize(("seen", "fine"), [("2025-09-13T10:00", True), ("2025-09-12T10:00", False)])
def test_a_follow_up_needs_no_referral_but_a_visit_half_a_year_back(seen: str, *, fine: bool) -> None:
    at = desk({"appointments": keyed(appointment("A-20", seen, "D-4", "completed"))})
    if fine:
        assert "referral_id" not in at.gives("book_appointment", slot_id="S-8", visit="follow_up")
        assert "referrals.changed" not in at.changed()
    else:
        at.refuses("book_appointment", "precondition_failed", "to follow up", slot_id="S-8", visit="follow_up")


def test_a_patient_who_was_there_is_not_new() -> None:
    at = desk({"appointments": keyed(appointment("A-20", "2026-01-05T10:00", "D-3", "completed"))})
    assert at.gives("book_appointment", slot_id="S-7", visit="consultation")["doctor_id"] == "D-3"


@pytest.mark.parametrize(
    ("days", "fine"), [(["2025-03-02T09:01"], False), (["2025-03-02T09:00"], True), ([], True)]
)  # fmt: skip
def test_two_missed_visits_within_a_year_end_online_booking(days: list[str], *, fine: bool) -> None:
    rows = [appointment(f"A-{20 + n}", day, "D-11", "missed") for n, day in enumerate(days)]
    at = desk({"appointments": keyed(*rows)})
    if fine:
        at.gives("book_appointment", slot_id="S-21", visit="consultation")
    else:
        words = "missed 2 visits, so Dr. D-11 is booked by phone"
        at.refuses("book_appointment", "precondition_failed", words, slot_id="S-21", visit="consultation")


def test_there_are_two_open_appointments_with_a_doctor_at_most() -> None:
    at = desk({"appointments": keyed(appointment("A-20", "2026-03-21T10:00", status="checked_in"))})
    words = "have 2 open appointments with Dr. D-1"
    at.refuses("book_appointment", "limit_exceeded", words, slot_id="S-1", visit="consultation")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["A-10", "A-1", "A-4", "A-3", "A-2"]),
        ({"page": 2}, ["A-6", "A-5", "A-7", "A-11", "A-8"]),
        ({"status": "completed"}, ["A-7", "A-8"]),
        ({"specialty": "dermatology"}, ["A-4"]),
        ({"specialty": "eye_care", "status": "booked"}, ["A-5"]),
    ],
)
def test_appointments_of_ones_own_are_listed_the_latest_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_appointments", **arguments) == found


def test_an_appointment_moves_to_another_slot() -> None:
    at = desk()
    moved = at.gives("move_appointment", appointment_id="A-1", slot_id="S-2")
    new = {"slot_id": "S-2", "starts": "2026-03-06T14:00:00", "ends": "2026-03-06T14:30:00", "mode": "video"}
    assert moved == {**APPOINTMENTS["A-1"], **new, "moves": 1}
    assert at.changed() == {
        "appointments.changed": {"A-1": {**new, "moves": 1}},
        "slots.changed": {"S-2": {"status": "busy"}, "S-31": {"status": "free"}},
    }
    assert at.gives("move_appointment", appointment_id="A-1", slot_id="S-1")["moves"] == 2
    at.refuses("move_appointment", "limit_exceeded", "moved 2 times already", appointment_id="A-1", slot_id="S-2")


def test_an_appointment_may_move_into_its_own_time() -> None:
    at = desk({"slots": keyed(slot("S-60", "2026-03-20T10:15"))})
    assert at.gives("move_appointment", appointment_id="A-1", slot_id="S-60")["starts"] == "2026-03-20T10:15:00"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"slot_id": "S-6"}, "invalid_argument", "slot is with Dr. D-2, the appointment with Dr. D-1"),
        ({"slot_id": "S-5"}, "conflict", "is taken"),
        ({"slot_id": "S-99"}, "not_found", "S-99"),
        ({"appointment_id": "A-2"}, "precondition_failed", "until two days before"),
        ({"appointment_id": "A-4", "slot_id": "S-9"}, "precondition_failed", "is good until 2026-03-31"),
    ],
)
def test_a_move_that_is_not_possible_is_refused(arguments: Row, code: str, words: str) -> None:
    desk().refuses("move_appointment", code, words, **{"appointment_id": "A-1", "slot_id": "S-1", **arguments})


def test_moving_needs_a_slot_for_the_same_kind_of_visit_at_a_free_time() -> None:
    rows = keyed(appointment("A-20", "2026-03-30T10:00", visit="check_up"))
    at = desk({"appointments": rows})
    at.refuses("move_appointment", "invalid_argument", "consultation only", appointment_id="A-20", slot_id="S-2")
    at = desk({"slots": keyed(slot("S-60", "2026-03-15T10:00"))})
    at.refuses("move_appointment", "conflict", "see Dr. D-4 at that time", appointment_id="A-1", slot_id="S-60")


def test_the_limits_of_moving_are_two_days_and_the_last_day_of_the_referral() -> None:
    rows = {
        "slots": keyed(slot("S-60", "2026-03-31T10:00", "D-4"), slot("S-61", "2026-03-12T09:00", "D-3")),
    }
    at = desk(rows)
    assert at.gives("move_appointment", appointment_id="A-4", slot_id="S-60")["moves"] == 1
    assert at.gives("move_appointment", appointment_id="A-3", slot_id="S-61")["moves"] == 1


REASONS = ("illness", "travel", "work", "recovery")


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("appointment_id", ["A-1", "A-2", "A-3"])
def test_cancelling_late_costs_a_fee_unless_one_is_ill(appointment_id: str, reason: str) -> None:
    at = desk()
    row, fee = APPOINTMENTS[appointment_id], 25.0 if appointment_id == "A-2" and reason != "illness" else 0.0
    assert at.gives("cancel_appointment", appointment_id=appointment_id, reason=reason) == {
        "appointment_id": appointment_id, "doctor": row["doctor"], "fee": fee,
    }  # fmt: skip
    changes = {"status": "cancelled", "cancelled_for": reason, "fee": fee}
    assert at.changed() == {
        "appointments.changed": {appointment_id: changes},
        "slots.changed": {row["slot_id"]: {"status": "free"}},
    }


@pytest.mark.parametrize(("reason", "fee"), [("illness", 0.0), ("work", 25.0)])
def test_who_is_checked_in_can_still_cancel_and_has_a_paid_share_back(reason: str, fee: float) -> None:
    at = desk({"appointments": keyed(appointment("A-6", "2026-03-03T12:00", "D-13", "checked_in", paid=True))})
    gone = at.gives("cancel_appointment", appointment_id="A-6", reason=reason)
    assert gone == {"appointment_id": "A-6", "doctor": "Dr. D-13", "fee": fee, "refund": 20.0}
    changes = {"status": "cancelled", "paid": False, "cancelled_for": reason, "fee": fee}
    assert at.changed()["appointments.changed"] == {"A-6": changes}
    assert at.changed()["slots.changed"] == {"S-36": {"status": "free"}}
    assert "refund" not in desk().gives("cancel_appointment", appointment_id="A-6", reason=reason)


def test_a_cancelled_visit_goes_back_to_its_referral() -> None:
    at = desk({"referrals": keyed(referral("R-1", "2026-03-31", status="used", visits_left=0))})
    at.gives("cancel_appointment", appointment_id="A-4", reason="work")
    assert at.changed()["referrals.changed"] == {"R-1": {"visits_left": 1, "status": "active"}}


ON_APPOINTMENTS: list[tuple[str, Row, str]] = [
    ("move_appointment", {"slot_id": "S-1"}, "moved"),
    ("cancel_appointment", {"reason": "work"}, "cancelled"),
    ("check_in", {}, "checked in"),
    ("join_waiting_list", {}, "put on the waiting list"),
]


@pytest.mark.parametrize(("tool", "more", "done"), ON_APPOINTMENTS)
def test_only_a_booked_appointment_that_has_not_begun_can_be_used(tool: str, more: Row, done: str) -> None:
    at = desk()
    if tool != "cancel_appointment":
        words = f"The appointment is checked in, so it cannot be {done}"
        at.refuses(tool, "precondition_failed", words, appointment_id="A-6", **more)
    at.refuses(tool, "precondition_failed", f"is completed, so it cannot be {done}", appointment_id="A-7", **more)
    words = f"The appointment has begun, so it cannot be {done}"
    at.refuses(tool, "precondition_failed", words, appointment_id="A-5", **more)


@pytest.mark.parametrize(
    ("tool", "more", "_done"), [*ON_APPOINTMENTS, ("get_visit_note", {}, ""), ("pay_share", {}, "")]
)
def test_an_appointment_of_somebody_else_or_none_at_all_is_refused(tool: str, more: Row, _done: str) -> None:
    desk().refuses(tool, "permission_denied", "belongs to somebody else", appointment_id="A-9", **more)
    desk().refuses(tool, "not_found", "no appointment with the id 'A-99'", appointment_id="A-99", **more)


def test_a_patient_checks_in() -> None:
    at = desk()
    done = at.gives("check_in", appointment_id="A-2", pay=True, medicines="ibuprofen")
    assert done == {**APPOINTMENTS["A-2"], "status": "checked_in", "paid": True, "medicines": "ibuprofen"}
    assert at.changed().keys() == {"appointments.changed"}
    assert at.gives("check_in", appointment_id="A-3") == {**APPOINTMENTS["A-3"], "status": "checked_in"}


@pytest.mark.parametrize("appointment_id", ["A-6", "A-7"])
def test_the_share_is_paid_after_checking_in_and_once(appointment_id: str) -> None:
    at = desk()
    assert at.gives("pay_share", appointment_id=appointment_id) == {**APPOINTMENTS[appointment_id], "paid": True}
    assert at.changed() == {"appointments.changed": {appointment_id: {"paid": True}}}
    at.refuses("pay_share", "conflict", "You have paid your share of 20.00", appointment_id=appointment_id)
    for other, state in (("A-1", "booked"), ("A-10", "cancelled"), ("A-11", "missed")):
        words = f"The appointment is {state}, so it cannot be paid for"
        at.refuses("pay_share", "precondition_failed", words, appointment_id=other)


def test_check_in_opens_seven_days_before() -> None:
    rows = keyed(appointment("A-20", "2026-03-09T09:00", "D-11"), appointment("A-21", "2026-03-09T09:01", "D-12"))
    at = desk({"appointments": rows})
    assert at.gives("check_in", appointment_id="A-20")["status"] == "checked_in"
    at.refuses("check_in", "precondition_failed", "Check-in opens 7 days before", appointment_id="A-21")


def test_what_a_doctor_wrote_is_shown_after_the_visit() -> None:
    at = desk({"notes": keyed(note("N-0", "2026-01-20", [], "A-9"))})
    assert at.gives("get_visit_note", appointment_id="A-7") == note("N-1", "2026-01-01", ["cardiology", "dermatology"])
    at.refuses("get_visit_note", "not_found", "Dr. D-2 has not written a note", appointment_id="A-8")
    words = "is booked, so it cannot be looked up for findings"
    at.refuses("get_visit_note", "precondition_failed", words, appointment_id="A-1")


def test_a_referral_is_given_for_what_a_note_advises() -> None:
    at = desk()
    given = at.gives("request_referral", note_id="N-1", specialty="cardiology")
    assert given == referral("RF-1001", "2026-05-31", "cardiology", visits_left=3, note_id="N-1")
    assert at.changed() == {"referrals.created": {"RF-1001": given}}
    words = "a referral that is good until 2026-05-31 already"
    at.refuses("request_referral", "conflict", words, note_id="N-1", specialty="cardiology")


@pytest.mark.parametrize(
    ("note_id", "specialty", "code", "words"),
    [
        ("N-1", "eye_care", "precondition_failed", "Dr. D-1 did not advise to see anybody for eye care"),
        ("N-1", "dermatology", "conflict", "good until 2026-03-31 already"),
        ("N-2", "cardiology", "precondition_failed", "on 2025-12-31, over 60 days ago"),
        ("N-3", "cardiology", "permission_denied", "somebody else"),
        ("N-99", "cardiology", "not_found", "no visit note with the id 'N-99'"),
    ],
)
def test_a_referral_that_is_not_due_is_refused(note_id: str, specialty: str, code: str, words: str) -> None:
    desk().refuses("request_referral", code, words, note_id=note_id, specialty=specialty)


@pytest.mark.parametrize("status", ["used", "expired"])
def test_a_note_gives_a_specialty_one_referral(status: str) -> None:
    used = referral("R-1", "2026-02-10", status=status, note_id="N-1")
    at = desk(referrals=keyed(used, referral("R-6", "2026-05-01", patient_id="P-2", note_id="N-1")))
    words = "You were referred for dermatology on that note already"
    at.refuses("request_referral", "conflict", words, note_id="N-1", specialty="dermatology")
    assert at.gives("request_referral", note_id="N-1", specialty="cardiology")["note_id"] == "N-1"
    at = desk({"notes": keyed(note("N-4", "2026-02-21", ["dermatology"]))}, referrals=keyed(used))
    assert at.gives("request_referral", note_id="N-4", specialty="dermatology")["visits_left"] == 3


@pytest.mark.parametrize(("until", "fine"), [("2026-03-01", True), ("2026-03-02", False)])
def test_a_referral_that_has_run_out_is_no_hindrance(until: str, *, fine: bool) -> None:
    at = desk({"referrals": keyed(referral("R-9", until, "cardiology"))})
    assert at("request_referral", note_id="N-1", specialty="cardiology").ok is fine


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["R-3", "R-2", "R-1", "R-4"]),
        ({"status": "active"}, ["R-2", "R-1"]),
        ({"status": "expired"}, ["R-4"]),
        ({"status": "used"}, ["R-3"]),
        ({"specialty": "cardiology"}, ["R-3"]),
        ({"page": 2}, []),
    ],
)
def test_referrals_of_ones_own_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_referrals", **arguments) == found


def test_a_referral_is_listed_as_active_on_its_last_day_and_as_expired_afterwards() -> None:
    for now, status in ((dt.datetime(2026, 3, 31, 9), "active"), (dt.datetime(2026, 4, 1, 9), "expired")):
        at = desk(now=now)
        shown = at.gives("list_referrals", specialty="dermatology")["referrals"]
        assert {row["id"]: row["status"] for row in shown} == {"R-1": status, "R-2": "active"}
        assert at.changed() == {}


def test_an_earlier_slot_is_held_at_once() -> None:
    at = desk()
    held = at.gives("join_waiting_list", appointment_id="A-1")
    assert held == place("WP-1001", "A-1", "offered", slot_id="S-2", offered="2026-03-06T14:00:00")
    assert at.changed() == {"places.created": {"WP-1001": held}, "slots.changed": {"S-2": {"status": "held"}}}
    words = "wait for an earlier time with Dr. D-1 already"
    at.refuses("join_waiting_list", "conflict", words, appointment_id="A-1")


@pytest.mark.parametrize(
    ("arguments", "slot_id"),
    [
        ({"part": "morning"}, "S-1"),
        ({"part": "afternoon"}, "S-2"),
        ({"not_before": "2026-03-06"}, "S-2"),
        ({"not_before": "2026-03-07"}, "S-1"),
        ({"not_before": "2026-03-07", "part": "afternoon"}, None),
        ({"not_before": "2026-03-19"}, None),
    ],
)
def test_what_is_offered_is_as_wished(arguments: Row, slot_id: str | None) -> None:
    at = desk()
    made = at.gives("join_waiting_list", appointment_id="A-1", **arguments)
    assert (made.get("slot_id"), made["status"]) == (slot_id, "offered" if slot_id else "waiting")
    assert (made.get("part"), made.get("not_before")) == (arguments.get("part"), arguments.get("not_before"))
    assert at.changed().get("slots.changed", {}) == ({slot_id: {"status": "held"}} if slot_id else {})
    for day in ("2026-03-20", "2026-03-21"):
        desk().refuses("join_waiting_list", "invalid_argument", "no earlier", appointment_id="A-1", not_before=day)


@pytest.mark.parametrize(
    ("offer", "status"),
    [
        (slot("S-60", "2026-03-04T09:00", "D-4"), "offered"),
        (slot("S-60", "2026-03-04T12:00", "D-4"), "offered"),
        (slot("S-60", "2026-03-04T08:59", "D-4"), "waiting"),
        (slot("S-60", "2026-03-20T10:00", "D-4"), "waiting"),
        (slot("S-60", "2026-03-16T10:00", "D-4", visits=["check_up"]), "waiting"),
        (slot("S-60", "2026-03-15T10:00", "D-4"), "waiting"),
    ],
)
def test_an_offer_is_earlier_two_days_off_and_at_a_free_time(offer: Row, status: str) -> None:
    rows = {
        "appointments": keyed(
            appointment("A-4", "2026-03-20T10:00", "D-4"),
            appointment("A-20", "2026-03-15T10:00", "D-13"),
            appointment("A-2", "2026-03-04T09:30", "D-3"),
            appointment("A-3", "2026-03-04T11:30", "D-3"),
        )
    }
    at = desk(rows, slots={**{key: SLOTS[key] for key in SLOTS if key not in ("S-8", "S-9")}, "S-60": offer})
    assert at.gives("join_waiting_list", appointment_id="A-4")["status"] == status


def test_a_slot_at_the_time_of_the_visit_is_not_earlier() -> None:
    slots = keyed(slot("S-34", "2026-03-15T10:00", "D-4", "busy"), slot("S-60", "2026-03-15T10:00", "D-4"))
    assert desk(slots=slots).gives("join_waiting_list", appointment_id="A-4")["status"] == "waiting"


@pytest.mark.parametrize(("status", "offered"), [("checked_in", False), ("cancelled", True)])
def test_an_offer_leaves_open_visits_alone(status: str, *, offered: bool) -> None:
    at = desk({"appointments": keyed(appointment("A-20", "2026-03-12T10:00", "D-13", status))})
    assert ("slot_id" in at.gives("join_waiting_list", appointment_id="A-4")) is offered


def test_appointments_at_one_time_come_by_id_the_last_first() -> None:
    rows = (appointment(f"A-{n}", "2026-03-20T10:00", status="cancelled") for n in (1, 3, 2))
    assert desk(appointments=keyed(*rows)).ids("list_appointments") == ["A-3", "A-2", "A-1"]


def test_noon_is_no_morning() -> None:
    for time, status in (("11:59", "offered"), ("12:00", "waiting")):
        at = desk({"slots": keyed(slot("S-60", f"2026-03-10T{time}", "D-4"))})
        at.gives("book_appointment", slot_id="S-8", visit="consultation")
        assert at.gives("join_waiting_list", appointment_id="A-4", part="morning")["status"] == status


def test_nobody_waits_on_more_than_four_lists() -> None:
    rows = keyed(*(place(f"W-{n}", "A-8") for n in range(3)), place("W-4", "A-7", "given_up"))
    at = desk({"places": rows})
    at.gives("join_waiting_list", appointment_id="A-1")
    at.refuses("join_waiting_list", "limit_exceeded", "on 4 waiting lists already", appointment_id="A-4")


def test_others_who_wait_do_not_count() -> None:
    at = desk({"places": keyed(*(place(f"W-{n}", "A-1", patient_id="P-2") for n in range(5)))})
    at.gives("join_waiting_list", appointment_id="A-1")
    assert at.ids("list_waiting_places") == ["WP-1001"]


FULL = {key: {**SLOTS[key], "status": "busy"} for key in ("S-1", "S-2", "S-3")}
"""No slot of the first doctor is free."""


def waiting(*places: Row, **wishes: Any) -> Desk:
    """A patient who waits for a time before 20 March and has another visit on the 16th, with a doctor who is full."""
    rows = {
        "appointments": keyed(appointment("A-20", "2026-03-16T10:00")),
        "slots": {**FULL, **keyed(slot("S-50", "2026-03-16T10:00", status="busy"))},
    }
    return desk(rows, places=keyed(place("W-1", "A-1", **wishes), *places))


def test_a_slot_that_comes_free_is_held_for_whoever_waits() -> None:
    at = waiting(place("W-2", "A-2"), place("W-3", "A-1", "given_up"))
    at.gives("cancel_appointment", appointment_id="A-20", reason="work")
    assert at.changed()["places.changed"] == {
        "W-1": {"slot_id": "S-50", "offered": "2026-03-16T10:00:00", "status": "offered"}
    }
    assert at.changed()["slots.changed"] == {"S-50": {"status": "held"}}
    assert at.gives("accept_offer", place_id="W-1")["starts"] == "2026-03-16T10:00:00"


@pytest.mark.parametrize(
    ("wishes", "status"),
    [
        ({"part": "morning", "not_before": "2026-03-16"}, "offered"),
        ({"part": "afternoon"}, "waiting"),
        ({"not_before": "2026-03-17"}, "waiting"),
    ],
)
def test_a_slot_that_comes_free_must_be_as_wished(wishes: Row, status: str) -> None:
    at = waiting(**wishes)
    at.gives("cancel_appointment", appointment_id="A-20", reason="work")
    assert at.gives("list_waiting_places")["places"][0]["status"] == status


@pytest.mark.parametrize(("more", "first"), [((), "W-0"), (("A-23",), "W-1")])
def test_whoever_joined_first_has_the_slot_unless_busy_then(more: tuple[str, ...], first: str) -> None:
    theirs = {**place("W-0", "A-1"), "appointment_id": "A-22", "patient_id": "P-2"}
    at = desk(
        {
            "appointments": keyed(
                appointment("A-20", "2026-03-16T10:00"),
                appointment("A-22", "2026-03-24T10:00", patient_id="P-2"),
                *(appointment(key, "2026-03-16T10:00", "D-2", patient_id="P-2") for key in more),
            ),
            "slots": {**FULL, **keyed(slot("S-50", "2026-03-16T10:00", status="busy"))},
        },
        places=keyed(theirs, place("W-1", "A-1")),
    )
    at.gives("cancel_appointment", appointment_id="A-20", reason="work")
    assert at.changed()["places.changed"].keys() == {first}


@pytest.mark.parametrize("status", ["checked_in", "cancelled", "completed"])
def test_nothing_is_held_for_an_appointment_that_is_no_longer_booked(status: str) -> None:
    at = desk(
        {"appointments": keyed(appointment("A-1", "2026-03-20T10:00", status=status))},
        places=keyed(place("W-1", "A-1")),
    )
    at.gives("cancel_appointment", appointment_id="A-2", reason="work")
    assert "places.changed" not in at.changed()


@pytest.mark.parametrize(
    ("tool", "arguments", "slot_id"),
    [
        ("move_appointment", {"appointment_id": "A-1", "slot_id": "S-1"}, "S-5"),
        ("accept_offer", {"place_id": "W-1"}, "S-31"),
        ("leave_waiting_list", {"place_id": "W-1"}, "S-5"),
        ("check_in", {"appointment_id": "A-1"}, "S-5"),
    ],
)
def test_what_else_frees_a_slot_gives_it_to_whoever_waits(tool: str, arguments: Row, slot_id: str) -> None:
    wait = {**place("W-2", "A-1"), "appointment_id": "A-20"}
    first = "2026-03-07T10:00" if tool == "check_in" else "2026-03-20T10:00"
    at = desk(
        {
            "appointments": keyed(appointment("A-1", first), appointment("A-20", "2026-03-30T10:00")),
            "slots": {**FULL, **({"S-1": SLOTS["S-1"]} if tool == "move_appointment" else {})},
        },
        places=keyed(OFFERED, wait),
    )
    at.gives(tool, **arguments)
    assert at.changed()["places.changed"]["W-2"]["slot_id"] == slot_id
    assert at.changed().get("slots.changed", {}).get("S-31", {}) == (
        {"status": "held"} if slot_id == "S-31" else {"status": "free"} if tool == "move_appointment" else {}
    )


def test_a_move_without_an_offer_frees_the_former_slot_for_whoever_waits() -> None:
    wait = {**place("W-2", "A-1"), "appointment_id": "A-20"}
    at = desk(
        {
            "appointments": keyed(appointment("A-20", "2026-03-30T10:00")),
            "slots": {**FULL, "S-1": SLOTS["S-1"]},
        },
        places=keyed(wait, place("W-3", "A-1")),
    )
    at.gives("move_appointment", appointment_id="A-1", slot_id="S-1")
    assert at.changed()["places.changed"] == {
        "W-2": {"slot_id": "S-31", "offered": "2026-03-20T10:00:00", "status": "offered"},
        "W-3": {"status": "given_up"},
    }


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["W-7", "W-6", "W-5", "W-4", "W-3"]),
        ({"page": 2}, ["W-2"]),
        ({"status": "taken"}, ["W-7", "W-5", "W-3"]),
    ],
)
def test_places_are_listed_the_newest_first(arguments: Row, found: list[str]) -> None:
    rows = (place(f"W-{n}", "A-1", "taken" if n % 2 else "given_up") for n in range(2, 8))
    assert desk(places=keyed(*rows)).ids("list_waiting_places", **arguments) == found


def test_an_accepted_offer_counts_as_a_move() -> None:
    at = desk(places=keyed(OFFERED))
    new = {"slot_id": "S-5", "starts": "2026-03-05T10:00:00", "ends": "2026-03-05T10:30:00", "moves": 1}
    assert at.gives("accept_offer", place_id="W-1") == {**APPOINTMENTS["A-1"], **new}
    assert at.changed() == {
        "appointments.changed": {"A-1": new},
        "places.changed": {"W-1": {"status": "taken"}},
        "slots.changed": {"S-31": {"status": "free"}, "S-5": {"status": "busy"}},
    }
    at.refuses("accept_offer", "precondition_failed", "is taken, so it cannot be accepted", place_id="W-1")


def test_neither_a_move_nor_an_offer_is_for_an_appointment_that_was_moved_twice() -> None:
    words = "The appointment was moved 2 times already"
    at = desk({"appointments": keyed(appointment("A-1", "2026-03-20T10:00", moves=2))}, places=keyed(OFFERED))
    at.refuses("accept_offer", "limit_exceeded", words, place_id="W-1")
    at.refuses("move_appointment", "limit_exceeded", words, appointment_id="A-1", slot_id="S-1")
    at.gives("leave_waiting_list", place_id="W-1")
    at.refuses("join_waiting_list", "limit_exceeded", words, appointment_id="A-1")
    at = desk({"appointments": keyed(appointment("A-1", "2026-03-20T10:00", moves=1))}, places=keyed(OFFERED))
    assert at.gives("accept_offer", place_id="W-1")["moves"] == 2


def test_an_offer_is_accepted_an_hour_before_at_the_latest() -> None:
    at = desk(places=keyed(OFFERED), now=dt.datetime(2026, 3, 5, 9, 1))
    at.refuses("accept_offer", "precondition_failed", "on 2026-03-05 10:00:00 is too soon or past", place_id="W-1")
    assert desk(places=keyed(OFFERED), now=dt.datetime(2026, 3, 5, 9))("accept_offer", place_id="W-1").ok


def test_an_offer_at_the_time_of_a_visit_booked_since_is_refused() -> None:
    at = desk({"slots": keyed(slot("S-60", "2026-03-05T10:10", "D-11"))}, places=keyed(OFFERED))
    at.gives("book_appointment", slot_id="S-60", visit="consultation")
    at.refuses("accept_offer", "conflict", "You see Dr. D-11 at that time", place_id="W-1")
    at.gives("cancel_appointment", appointment_id="AP-1001", reason="work")
    at.gives("accept_offer", place_id="W-1")


def test_an_offer_may_overlap_the_time_that_it_replaces() -> None:
    row = appointment("A-1", "2026-03-05T10:10")
    at = desk({"appointments": keyed(row)}, places=keyed(OFFERED))
    assert at.gives("accept_offer", place_id="W-1")["starts"] == "2026-03-05T10:00:00"


@pytest.mark.parametrize(("day", "fine"), [("2026-08-19", True), ("2026-08-20", False)])
def test_a_follow_up_is_not_moved_beyond_180_days(day: str, *, fine: bool) -> None:
    rows = {
        "appointments": keyed(appointment("A-20", "2026-03-18T10:00", visit="follow_up")),
        "slots": keyed(slot("S-60", f"{day}T10:00")),
    }
    if fine:
        assert desk(rows).gives("move_appointment", appointment_id="A-20", slot_id="S-60")["moves"] == 1
    else:
        words = "no visit with Dr. D-1 to follow up"
        desk(rows).refuses("move_appointment", "precondition_failed", words, appointment_id="A-20", slot_id="S-60")
    rows["appointments"]["A-20"]["visit"] = "consultation"
    assert desk(rows)("move_appointment", appointment_id="A-20", slot_id="S-60").ok


@pytest.mark.parametrize("tool", ["accept_offer", "leave_waiting_list"])
def test_a_place_of_somebody_else_is_refused(tool: str) -> None:
    at = desk(places=keyed({**OFFERED, "patient_id": "P-2"}))
    at.refuses(tool, "permission_denied", "belongs to somebody else", place_id="W-1")
    at.refuses(tool, "not_found", "no place on the waiting list with the id 'W-9'", place_id="W-9")


def test_a_place_is_given_up_and_what_is_held_is_free_again() -> None:
    at = desk(places=keyed(OFFERED, place("W-2", "A-4", part="afternoon")))
    assert at.gives("leave_waiting_list", place_id="W-1") == {**OFFERED, "status": "given_up"}
    assert at.changed() == {
        "places.changed": {"W-1": {"status": "given_up"}},
        "slots.changed": {"S-5": {"status": "free"}},
    }
    assert at.gives("leave_waiting_list", place_id="W-2")["status"] == "given_up"
    at.refuses("leave_waiting_list", "precondition_failed", "so it cannot be given up", place_id="W-1")
    at.refuses("accept_offer", "precondition_failed", "is given up, so", place_id="W-1")


@pytest.mark.parametrize(
    ("tool", "more"),
    [("move_appointment", {"slot_id": "S-1"}), ("cancel_appointment", {"reason": "work"}), ("check_in", {})],
)
def test_whoever_moves_cancels_or_checks_in_waits_no_longer(tool: str, more: Row) -> None:
    at = desk(
        {"appointments": keyed(appointment("A-1", "2026-03-07T10:00"))},
        places=keyed(OFFERED, place("W-2", "A-4", part="afternoon"), place("W-3", "A-1", "taken", slot_id="S-2")),
    )
    at.gives(tool, appointment_id="A-1", **more)
    assert at.changed()["places.changed"] == {"W-1": {"status": "given_up"}}
    assert at.changed()["slots.changed"]["S-5"] == {"status": "free"}
    assert "S-2" not in at.changed()["slots.changed"]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(MedicalAppointments, seed, size, DEFAULT_NOW)
    mine = [row for row in world.appointments.values() if row.patient_id == world.patient_id]
    assert {row.status for row in mine} == {"booked", "checked_in", "completed", "missed", "cancelled"}
    assert any(row.status == "booked" and row.starts < world.now + dt.timedelta(days=2) for row in mine), "late"
    assert {doctor.takes_new for doctor in world.doctors.values()} == {True, False}
    assert {place.status for place in world.places.values()} == {"waiting", "offered", "taken", "given_up"}
    assert {row.status for row in world.referrals.values()} == {"active", "used", "expired"}
    assert {slot.status for slot in world.slots.values()} == {"free", "held", "busy"}
    assert len({doctor.name for doctor in world.doctors.values()}) == len(world.doctors)
    first = min(slot.doctor_id for slot in world.slots.values())
    assert sum(slot.doctor_id == first and slot.status == "free" for slot in world.slots.values()) > 5
    assert len({doctor.city for doctor in world.doctors.values()}) > 3
    assert {row.moves for row in mine} >= {0, 1, 2}
    assert {row.visit for row in mine} >= {"consultation", "check_up", "follow_up"}
    assert any(row.fee for row in mine)
    assert any(row.concern for row in mine)
    assert any(row.medicines for row in mine)
    assert {row.paid for row in mine if row.status in ("completed", "checked_in")} == {True, False}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60, 300])
def test_a_scenario_keeps_the_rules_of_the_practices(seed: int, size: int) -> None:
    world = build_scenario(MedicalAppointments, seed, size, DEFAULT_NOW)
    busy = [(slot.doctor_id, slot.starts, slot.ends) for slot in world.slots.values()]
    live = [row for row in world.appointments.values() if row.status != "cancelled"]
    busy += [(row.patient_id, row.starts, row.ends) for row in live]
    assert all(start.weekday() < 5 for _, start, _ in busy)
    busy.sort()
    assert [(a, b) for a, b in itertools.pairwise(busy) if a[0] == b[0] and a[2] > b[1]] == []
    for row in live:
        assert (row.referral_id is not None) == (row.specialty in REFERRED and row.visit != "follow_up"), row.id
        assert row.visit in world.slots[row.slot_id].visits
    drawn = Counter(row.referral_id for row in live if row.referral_id)
    for key, given in world.referrals.items():
        assert given.visits_left == 3 - drawn[key], key
        assert (given.status == "expired") == (given.status != "used" and given.valid_until < world.now.date()), key
        assert all(row.specialty == given.specialty for row in live if row.referral_id == key)
    for place in world.places.values():
        row = world.appointments[place.appointment_id]
        others = [each for each in live if each.patient_id == row.patient_id and each.id != row.id]
        if place.status in ("waiting", "offered"):
            assert row.status == "booked"
            assert row.moves < 2
        if place.status == "waiting":
            free = free_slots(world.slots, row.doctor_id, world.now + dt.timedelta(days=2))
            assert earlier_slot(free, place, row, others) is None, place.id
        if place.status == "offered":
            assert place.slot_id
            slot = world.slots[place.slot_id]
            assert earlier_slot([slot], place, row, others) == slot
            assert slot.starts >= world.now + dt.timedelta(days=2)
        if place.status == "taken":
            assert (place.slot_id, place.offered) == (row.slot_id, row.starts)
            assert place.visit_on > row.starts.date()
