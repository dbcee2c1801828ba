"""The chain of pharmacies, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
import json
import random
from typing import Any

import pytest

from envfactory.catalogue.lifestyle import _pharmacy_rules as rules
from envfactory.catalogue.lifestyle.pharmacy_prescriptions import PharmacyPrescriptions
from envfactory.environment import DEFAULT_NOW, InProcess, Reference, Session, build_scenario, cents, days_after
from envfactory.environment.draw import Drawer
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.

TODAY = "2026-03-02"
BACKEND = InProcess({"pharmacy_prescriptions": PharmacyPrescriptions})
SPEC = BACKEND.specs["pharmacy_prescriptions"]


def day(count: int, since: str = TODAY) -> str:
    return (dt.date.fromisoformat(since) + dt.timedelta(days=count)).isoformat()


def on(when: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"{when}T09:00:00")


def patient(key: str, name: str, called: str, **changes: Any) -> Row:
    return {
        "id": key, "account_id": "A-1", "name": name, "called": called, "born_on": "1980-05-05", "allergies": [],
        **changes,
    }  # fmt: skip


def pharmacy(key: str, name: str, **changes: Any) -> Row:
    return {
        "id": key, "name": name, "city": "Oslo", "address": "1 Mill Lane", "opens": "08:30:00", "closes": "18:00:00",
        "sundays": False, "services": ["delivery", "cold_storage"], **changes,
    }  # fmt: skip


def medicine(key: str, name: str, ingredient: str, use: str, price: float, **changes: Any) -> Row:
    return {
        "id": key, "name": name, "ingredient": ingredient, "strength": "10 mg", "kind": "generic", "use": use,
        "price": price, "allergens": [], "interacts": [], "controlled": False, "cold": False, **changes,
    }  # fmt: skip


MEDICINES = keyed(
    medicine("M-1", "Lisinopril 10 mg", "Lisinopril", "high_blood_pressure", 10.0),
    medicine("M-2", "Presalor 10 mg", "Lisinopril", "high_blood_pressure", 40.0, kind="brand"),
    medicine("M-3", "Warfarin 10 mg", "Warfarin", "blood_clots", 8.5, interacts=["Ibuprofen"]),
    medicine(
        "M-4", "Ibuprofen 10 mg", "Ibuprofen", "pain", 8.0, interacts=["Warfarin"],
        allergens=["nonsteroidal_painkillers"],
    ),
    medicine("M-5", "Zolpidem 10 mg", "Zolpidem", "sleeplessness", 12.0, controlled=True),
    medicine("M-6", "Insulin 10 mg", "Insulin", "diabetes", 62.0, cold=True),
    medicine("M-7", "Amoxicillin 10 mg", "Amoxicillin", "infections", 11.0, allergens=["penicillins"]),
    medicine("M-8", "Amlodipine 10 mg", "Amlodipine", "high_blood_pressure", 8.0),
    medicine("M-9", "Lisinopril 20 mg", "Lisinopril", "high_blood_pressure", 15.0, strength="20 mg"),
)  # fmt: skip


def shelf(key: str, pharmacy_id: str, name: str, medicine_id: str, packs: int) -> Row:
    return {
        "id": key, "pharmacy_id": pharmacy_id, "pharmacy": name, "medicine_id": medicine_id,
        "medicine": MEDICINES[medicine_id]["name"], "packs": packs,
    }  # fmt: skip


def prescription(key: str, medicine_id: str, supply_until: str = day(5), **changes: Any) -> Row:
    """A prescription of Ada's at the Mill Lane Pharmacy with two refills left, by default one that is due."""
    drug = MEDICINES[medicine_id]
    days = changes.get("days", 30)
    left = days * (10 if drug["controlled"] else 25) // 100
    return {
        "id": key, "account_id": "A-1", "patient_id": "P-1", "patient": "Ada Berg", "called": "myself",
        "medicine_id": medicine_id, "medicine": drug["name"], "kind": drug["kind"], "prescribed": drug["name"],
        "prescribed_kind": drug["kind"], "ingredient": drug["ingredient"], "strength": drug["strength"],
        "substitution": True, "controlled": drug["controlled"], "prescriber": "Dr. Eva Fox", "pharmacy_id": "H-1",
        "pharmacy": "Mill Lane Pharmacy", "city": "Oslo", "days": days, "price": drug["price"] * days / 30,
        "refills_left": 2,
        "written_on": "2025-12-01", "expires_on": "2026-11-26", "supply_until": supply_until,
        "refill_from": day(-left, supply_until), "on_order": False, "automatic": False, "transferred": False,
        **changes,
    }  # fmt: skip


RUTH: Row = {"patient_id": "P-2", "patient": "Ruth Berg", "called": "my mother Ruth"}
OTHERS: Row = {"account_id": "A-2", "patient_id": "P-9", "patient": "Ben Cole"}
AUTO: Row = {"automatic": True, "refill_on": day(13)}
ROWS = keyed(
    prescription("R-1", "M-1"),
    prescription("R-2", "M-2", **RUTH),
    prescription("R-3", "M-3", day(20), **RUTH, **AUTO),
    prescription("R-4", "M-5", day(3)),
    prescription("R-5", "M-6", day(35), on_order=True, refills_left=1),
    prescription("R-6", "M-7", "2025-12-01", **RUTH, refill_from="2025-12-01"),
    prescription("R-7", "M-8", day(20)),
    prescription("R-8", "M-8", day(40), **RUTH, on_order=True),
    prescription("R-9", "M-1", **OTHERS),
    prescription("R-10", "M-5", day(31), on_order=True, **RUTH),
)  # fmt: skip


def order(key: str, row: Row, **changes: Any) -> Row:
    """An order of the day that waits, due in full under the deductible."""
    copied = (
        "account_id", "patient_id", "patient", "called", "medicine_id", "medicine", "kind", "controlled",
        "pharmacy_id", "pharmacy", "city", "days", "price",
    )  # fmt: skip
    return {
        **{name: row[name] for name in copied}, "id": key, "prescription_id": row["id"], "packs": row["days"] // 30,
        "fee": 0.0, "due": row["price"], "place": "the_pharmacy", "placed_on": TODAY, "status": "waiting",
        "paid": False, "supply_before": day(5), **changes,
    }  # fmt: skip


READY: Row = {"status": "ready", "ready_on": day(-2), "placed_on": day(-3)}
DONE: Row = {"status": "handed_over", "ready_on": day(-50), "placed_on": day(-51), "paid": True, "paid_with": "card"}
STATE: dict[str, Any] = {
    "account_id": "A-1",
    "accounts": keyed(
        {
            "id": "A-1", "name": "Ada Berg", "email": "ada@mail.example", "city": "Oslo", "home": "2 Station Road",
            "work": "3 River Walk", "deductible_left": 100.0, "health_account": 70.0,
        },
        {
            "id": "A-2", "name": "Ben Cole", "email": "ben@mail.example", "city": "Rome", "home": "4 Castle Hill",
            "work": "5 Mill Lane", "deductible_left": 0.0, "health_account": 0.0,
        },
    ),
    "patients": keyed(
        patient("P-1", "Ada Berg", "myself"),
        patient("P-2", "Ruth Berg", "my mother Ruth", born_on="1950-01-01", allergies=["penicillins", "opioids"]),
        patient("P-9", "Ben Cole", "myself", account_id="A-2"),
    ),
    "pharmacies": keyed(
        pharmacy("H-1", "Mill Lane Pharmacy"),
        pharmacy("H-2", "Garden Pharmacy", sundays=True, services=["vaccinations"]),
        pharmacy("H-3", "Harbour Pharmacy", city="Rome"),
        pharmacy("H-4", "Abbey Pharmacy"),
    ),
    "medicines": MEDICINES,
    "stock": keyed(
        shelf("S-1", "H-1", "Mill Lane Pharmacy", "M-1", 1),
        shelf("S-2", "H-1", "Mill Lane Pharmacy", "M-5", 2),
        shelf("S-3", "H-1", "Mill Lane Pharmacy", "M-6", 0),
        shelf("S-4", "H-2", "Garden Pharmacy", "M-6", 3),
        shelf("S-5", "H-4", "Abbey Pharmacy", "M-6", 1),
        shelf("S-6", "H-3", "Harbour Pharmacy", "M-6", 5),
        shelf("S-7", "H-1", "Mill Lane Pharmacy", "M-8", 4),
    ),
    "prescriptions": ROWS,
    "orders": keyed(
        order("O-1", ROWS["R-5"]),
        order("O-2", ROWS["R-8"], status="being_prepared", ready_on=day(1), supply_before=day(10)),
        order("O-3", ROWS["R-1"], **DONE),
        order("O-4", ROWS["R-10"], **READY),
        order("O-9", ROWS["R-9"]),
    ),
}  # fmt: skip
ORDERS = STATE["orders"]


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(PharmacyPrescriptions, STATE, rows=rows, **changes)


def having(table: str, key: str, **changes: Any) -> dict[str, Rows]:
    return {table: keyed({**STATE[table][key], **changes})}


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["H-4", "H-2", "H-1"]),
        ({"service": "delivery"}, ["H-4", "H-1"]),
        ({"service": "drive_through"}, []),
        ({"day": "2026-03-08"}, ["H-2"]),
        ({"day": "2026-03-07"}, ["H-4", "H-2", "H-1"]),
        ({"page": 2}, []),
    ],
)
def test_pharmacies_of_a_city_are_found_by_name(arguments: Row, found: list[str]) -> None:
    value = desk().gives("find_pharmacies", city="Oslo", **arguments)
    assert [row["id"] for row in value["pharmacies"]] == found
    assert value["stock"] == []


def test_pharmacies_are_found_that_have_a_medicine() -> None:
    value = desk().gives("find_pharmacies", city="Oslo", medicine_id="M-6")
    assert [row["id"] for row in value["pharmacies"]] == ["H-4", "H-2"]
    assert value["stock"] == [STATE["stock"]["S-5"], STATE["stock"]["S-4"]]
    assert desk().gives("find_pharmacies", city="Lyon")["total"] == 0
    desk().refuses("find_pharmacies", "not_found", "M-77", city="Oslo", medicine_id="M-77")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"use": "high_blood_pressure"}, ["M-8", "M-1", "M-9", "M-2"]),
        ({"use": "high_blood_pressure", "kind": "brand"}, ["M-2"]),
        ({"use": "high_blood_pressure", "page": 2}, []),
        ({"use": "infections"}, ["M-7"]),
        ({"use": "infections", "patient_id": "P-1"}, ["M-7"]),
        ({"use": "infections", "patient_id": "P-2"}, []),
        ({"use": "pain", "patient_id": "P-1"}, ["M-4"]),
        ({"use": "pain", "patient_id": "P-2"}, []),
        ({"use": "migraine"}, []),
    ],
)
def test_medicines_are_searched_by_use_and_for_whom_they_are_safe(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_medicines", **arguments) == found


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"automatic": False, "refill_on": None}, []),
        ({"automatic": False, "refill_on": None, "supply_until": day(1)}, []),
        ({"automatic": False, "refill_on": None, "supply_until": TODAY}, ["M-4"]),
        ({"supply_until": TODAY}, []),
    ],
)
def test_what_does_not_go_with_a_supply_is_not_safe(changes: Row, found: list[str]) -> None:
    at = desk(having("prescriptions", "R-3", **changes))
    assert at.ids("search_medicines", use="pain", patient_id="P-2") == found


def test_medicines_of_one_price_are_listed_by_name() -> None:
    rows = having("medicines", "M-1", price=8.0)
    assert desk(rows).ids("search_medicines", use="high_blood_pressure") == ["M-8", "M-1", "M-9", "M-2"]


def test_the_family_is_listed_with_the_plan() -> None:
    value = desk().gives("list_family")
    assert [row["id"] for row in value["patients"]] == ["P-2", "P-1"]
    assert (value["deductible_left"], value["health_account"]) == (100.0, 70.0)
    assert desk().ids("list_family", allergen="opioids") == ["P-2"]
    assert desk().ids("list_family", allergen="statins") == []
    assert desk().ids("list_family", page=2) == []


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["R-6", "R-4", "R-1", "R-2", "R-3"]),
        ({"page": 2}, ["R-7", "R-10", "R-5", "R-8"]),
        ({"patient_id": "P-1"}, ["R-4", "R-1", "R-7", "R-5"]),
        ({"refillable": True}, ["R-4", "R-1", "R-2"]),
        ({"runs_out_by": day(4)}, ["R-6", "R-4"]),
        ({"runs_out_by": day(5)}, ["R-6", "R-4", "R-1", "R-2"]),
        ({"patient_id": "P-2", "refillable": True, "runs_out_by": day(4)}, []),
    ],
)
def test_prescriptions_are_listed_by_the_end_of_their_supply(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_prescriptions", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["O-2", "O-1", "O-4", "O-3"]),
        ({"patient_id": "P-2"}, ["O-2", "O-4"]),
        ({"status": "handed_over"}, ["O-3"]),
        ({"status": "cancelled"}, []),
        ({"page": 2}, []),
    ],
)
def test_orders_are_listed_the_latest_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_orders", **arguments) == found


# -- ordering


def test_a_refill_is_ordered_where_the_prescription_is_kept() -> None:
    at = desk()
    new = at.gives("order_refill", prescription_id="R-1")
    expected = order(new["id"], ROWS["R-1"], status="being_prepared", ready_on=day(1))
    assert new == expected
    assert at.changed() == {
        "orders.created": {new["id"]: expected},
        "stock.changed": {"S-1": {"packs": 0}},
        "prescriptions.changed": {
            "R-1": {
                "on_order": True,
                "refills_left": 1,
                "supply_until": day(35),
                "refill_from": day(28),
            }
        },
    }


def test_what_a_pharmacy_lacks_waits() -> None:
    at = desk()
    new = at.gives("order_refill", prescription_id="R-2")
    assert new == order(new["id"], ROWS["R-2"])
    assert "stock.changed" not in at.changed()
    long = having("prescriptions", "R-1", days=60, price=20.0)
    new = desk(long).gives("order_refill", prescription_id="R-1")
    assert (new["status"], new["packs"], new["due"]) == ("waiting", 2, 20.0)


def test_a_supply_that_is_used_up_begins_anew_today() -> None:
    at = desk(having("prescriptions", "R-1", supply_until=day(-4), refill_from=day(-11), days=60))
    at.gives("order_refill", prescription_id="R-1")
    changed = at.changed()["prescriptions.changed"]["R-1"]
    assert (changed["supply_until"], changed["refill_from"]) == (day(60), day(45))


def test_a_refill_is_ready_on_the_next_day_on_which_the_pharmacy_is_open() -> None:
    assert desk(now=on("2026-03-07")).gives("order_refill", prescription_id="R-1")["ready_on"] == "2026-03-09"
    open_then = having("pharmacies", "H-1", sundays=True)
    at = desk(open_then, now=on("2026-03-07"))
    assert at.gives("order_refill", prescription_id="R-1")["ready_on"] == "2026-03-08"
    assert desk(now=on("2026-03-06")).gives("order_refill", prescription_id="R-1")["ready_on"] == "2026-03-07"


DUE: list[tuple[str, Row, str, str]] = [
    ("R-1", {"expires_on": day(-1)}, "precondition_failed", "Ada Berg is good until 2026-03-01; ask for a renewal."),
    ("R-4", {"expires_on": day(-1)}, "precondition_failed", "see the prescriber, as it is a controlled medicine."),
    (
        "R-1",
        {"refills_left": 0},
        "precondition_failed",
        "No refills of Lisinopril 10 mg for Ada Berg are left; ask for",
    ),
    ("R-5", {}, "conflict", "Insulin 10 mg of Ada Berg is on order; have that handed over, or cancel the order"),
    ("R-3", {}, "conflict", "Warfarin 10 mg of Ruth Berg is refilled by itself on 2026-03-15; stop automatic refill"),
    (
        "R-7",
        {},
        "precondition_failed",
        "Ada Berg has Amlodipine 10 mg until 2026-03-22; the next refill can be ordered from 2026-03-15 on.",
    ),
    (
        "R-6",
        {},
        "precondition_failed",
        "Ruth Berg is allergic to penicillins, which Amoxicillin 10 mg belongs to; ask the prescriber for another",
    ),
    ("R-9", {}, "permission_denied", "That prescription belongs to somebody else."),
]


@pytest.mark.parametrize(("key", "changes", "code", "words"), DUE)
def test_a_refill_is_refused_that_is_not_due(key: str, changes: Row, code: str, words: str) -> None:
    at = desk(having("prescriptions", key, **changes))
    at.refuses("order_refill", code, words, prescription_id=key)
    assert key not in at.ids("list_prescriptions", refillable=True)


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        ("R-1", {"expires_on": TODAY}),
        ("R-1", {"refills_left": 1}),
        ("R-7", {"supply_until": day(7), "refill_from": TODAY}),
    ],
)
def test_a_refill_is_possible_to_the_last(key: str, changes: Row) -> None:
    desk(having("prescriptions", key, **changes)).gives("order_refill", prescription_id=key)


def test_less_may_be_left_of_a_controlled_medicine() -> None:
    at = desk()
    at.gives("order_refill", prescription_id="R-4")
    assert at.changed()["prescriptions.changed"]["R-4"]["refill_from"] == day(30)


def test_what_does_not_go_together_is_not_refilled() -> None:
    words = "Ibuprofen 10 mg must not be taken with Warfarin 10 mg, which Ruth Berg takes; ask the prescriber which"
    rows = {"prescriptions": keyed(prescription("R-20", "M-4", **RUTH))}
    at = desk(rows)
    at.refuses("order_refill", "precondition_failed", words, prescription_id="R-20")
    at.refuses("set_automatic_refill", "precondition_failed", words, prescription_id="R-20", automatic=True)
    at.gives("set_automatic_refill", prescription_id="R-3", automatic=False)
    at.refuses("order_refill", "precondition_failed", words, prescription_id="R-20")
    old = prescription("R-3", "M-3", TODAY, **RUTH)
    at = desk({"prescriptions": {**rows["prescriptions"], "R-3": old}})
    at.gives("order_refill", prescription_id="R-20")
    words = "Warfarin 10 mg must not be taken with Ibuprofen 10 mg, which Ruth Berg takes"
    at.refuses("order_refill", "precondition_failed", words, prescription_id="R-3")


@pytest.mark.parametrize(
    ("changes", "fine"),
    [
        ({"supply_until": day(8), "refill_from": day(1)}, False),
        ({"supply_until": day(7), "refill_from": TODAY}, True),
        ({"supply_until": day(7), "refill_from": TODAY, **AUTO}, False),
        ({"patient_id": "P-2", "supply_until": day(8), "refill_from": day(1)}, True),
    ],
)
def test_nobody_gets_the_same_from_two_prescriptions(changes: Row, fine: bool) -> None:
    other = {**prescription("R-20", "M-9"), **changes}
    at = desk({"prescriptions": keyed(other)})
    if fine:
        at.gives("order_refill", prescription_id="R-1")
    else:
        words = (
            f"Ada Berg gets Lisinopril 20 mg from another prescription; this one can be filled from "
            f"{changes['refill_from']} on, unless that one is refilled by itself."
        )
        at.refuses("order_refill", "precondition_failed", words, prescription_id="R-1")


# -- orders


def test_a_cancelled_order_gives_everything_back() -> None:
    at = desk()
    new = at.gives("order_refill", prescription_id="R-1")
    at.gives("choose_handover", order_id=new["id"], place="home")
    gone = at.gives("cancel_order", order_id=new["id"])
    assert gone == order(new["id"], ROWS["R-1"], status="cancelled", due=0.0, place="home")
    assert at.changed() == {"orders.created": {new["id"]: gone}}
    again = at.gives("order_refill", prescription_id="R-1")
    assert again["id"] != new["id"]


def test_a_waiting_order_gives_no_packs_back() -> None:
    at = desk()
    at.gives("cancel_order", order_id="O-1")
    assert at.changed() == {
        "orders.changed": {"O-1": {"status": "cancelled", "due": 0.0}},
        "prescriptions.changed": {
            "R-5": {"on_order": False, "refills_left": 2, "supply_until": day(5), "refill_from": day(-2)}
        },
    }


def test_a_prescription_is_not_refilled_before_it_is_written() -> None:
    rows = having("orders", "O-1", supply_before="2025-12-01")
    at = desk(rows)
    at.gives("cancel_order", order_id="O-1")
    assert at.changed()["prescriptions.changed"]["R-5"]["refill_from"] == "2025-12-01"


def test_a_cancelled_order_leaves_the_shelf_of_its_own_pharmacy_alone() -> None:
    at = desk()
    at.gives("move_order", order_id="O-1", pharmacy_id="H-4")
    at.gives("cancel_order", order_id="O-1")
    assert "stock.changed" not in at.changed()
    at = desk()
    at.gives("cancel_order", order_id="O-2")
    assert at.changed()["stock.changed"] == {"S-7": {"packs": 5}}


@pytest.mark.parametrize("tool", ["cancel_order", "move_order", "choose_handover", "pay_order"])
def test_orders_of_others_are_left_alone(tool: str) -> None:
    more = {"move_order": {"pharmacy_id": "H-2"}, "choose_handover": {"place": "home"}, "pay_order": {"method": "card"}}
    desk().refuses(tool, "permission_denied", "somebody else", order_id="O-9", **more.get(tool, {}))


CLOSED: list[tuple[str, Row, Row, str]] = [
    (
        "cancel_order",
        {},
        READY,
        "is ready and cannot be cancelled; that is possible while an order is waiting or being",
    ),
    ("cancel_order", {}, DONE, "The order of Insulin 10 mg is paid, so it cannot be cancelled any more; the Mill Lane"),
    ("cancel_order", {}, {"status": "cancelled"}, "is cancelled and cannot be cancelled"),
    ("move_order", {"pharmacy_id": "H-2"}, {"status": "being_prepared"}, "is being prepared and cannot be moved"),
    ("choose_handover", {"place": "home"}, {"status": "handed_over"}, "is handed over and cannot be sent elsewhere"),
    ("choose_handover", {"place": "home"}, {**READY, "paid": True}, "is paid, so it cannot be sent elsewhere"),
    ("choose_handover", {"place": "home"}, {"status": "cancelled"}, "an order is waiting or being prepared or ready."),
    ("pay_order", {"method": "card"}, {}, "is waiting and cannot be paid; that is possible while an order is being"),
    ("pay_order", {"method": "card"}, DONE, "is paid, so it cannot be paid any more"),
    ("pay_order", {"method": "card"}, {"status": "cancelled"}, "is cancelled and cannot be paid"),
]


@pytest.mark.parametrize(("tool", "more", "changes", "words"), CLOSED)
def test_an_order_past_its_step_stays_as_it_is(tool: str, more: Row, changes: Row, words: str) -> None:
    at = desk(having("orders", "O-1", **changes))
    at.refuses(tool, "precondition_failed", words, order_id="O-1", **more)


def test_a_waiting_order_is_moved_to_where_the_medicine_is() -> None:
    at = desk()
    moved = at.gives("move_order", order_id="O-1", pharmacy_id="H-4")
    change = {"pharmacy_id": "H-4", "pharmacy": "Abbey Pharmacy", "status": "being_prepared", "ready_on": day(1)}
    assert moved == {**ORDERS["O-1"], **change}
    assert at.changed() == {"orders.changed": {"O-1": change}, "stock.changed": {"S-5": {"packs": 0}}}


def test_an_order_is_moved_only_where_that_helps() -> None:
    at = desk()
    words = "The Mill Lane Pharmacy has too little Insulin 10 mg for 30 days; find a pharmacy that has it."
    at.refuses("move_order", "precondition_failed", words, order_id="O-1", pharmacy_id="H-1")
    at.refuses("move_order", "not_found", "H-77", order_id="O-1", pharmacy_id="H-77")
    at = desk(having("orders", "O-1", days=60, packs=2))
    words = "The Abbey Pharmacy has too little Insulin 10 mg for 60 days; find a pharmacy that has it."
    at.refuses("move_order", "precondition_failed", words, order_id="O-1", pharmacy_id="H-4")
    at.gives("move_order", order_id="O-1", pharmacy_id="H-2")
    at = desk(having("stock", "S-5", packs=0))
    at.refuses("move_order", "precondition_failed", "too little", order_id="O-1", pharmacy_id="H-4")
    at = desk(having("orders", "O-4", status="waiting"))
    words = (
        "Zolpidem 10 mg is a controlled medicine and cannot be moved; "
        "it has to wait at the Mill Lane Pharmacy, or be cancelled."
    )
    at.refuses("move_order", "precondition_failed", words, order_id="O-4", pharmacy_id="H-2")


def test_an_order_begins_where_it_waits_once_there_is_enough() -> None:
    at = desk(having("stock", "S-3", packs=1))
    change = {"status": "being_prepared", "ready_on": day(1)}
    assert at.gives("move_order", order_id="O-1", pharmacy_id="H-1") == {**ORDERS["O-1"], **change}
    assert at.changed() == {"orders.changed": {"O-1": change}, "stock.changed": {"S-3": {"packs": 0}}}


def test_a_delivery_is_moved_only_to_a_pharmacy_that_delivers_there() -> None:
    at = desk()
    at.gives("choose_handover", order_id="O-1", place="work")
    words = "The Garden Pharmacy does not deliver; have the order handed over at the pharmacy."
    at.refuses("move_order", "precondition_failed", words, order_id="O-1", pharmacy_id="H-2")
    words = "The Harbour Pharmacy delivers within Rome, not to Oslo; have the order handed over at the pharmacy."
    at.refuses("move_order", "precondition_failed", words, order_id="O-1", pharmacy_id="H-3")
    moved = at.gives("move_order", order_id="O-1", pharmacy_id="H-4")
    assert (moved["place"], moved["fee"], moved["due"]) == ("work", 10.99, 72.99)
    at = desk()
    moved = at.gives("move_order", order_id="O-1", pharmacy_id="H-3")
    assert (moved["pharmacy"], moved["city"]) == ("Harbour Pharmacy", "Rome")


def test_a_handover_costs_a_fee_that_is_given_back() -> None:
    at = desk()
    assert at.gives("choose_handover", order_id="O-2", place="home") == {
        **ORDERS["O-2"], "place": "home", "fee": 4.99, "due": 12.99,
    }  # fmt: skip
    assert at.gives("choose_handover", order_id="O-2", place="work")["due"] == 12.99
    at.refuses("choose_handover", "conflict", "is handed over at work already", order_id="O-2", place="work")
    at.gives("choose_handover", order_id="O-2", place="the_pharmacy")
    assert at.changed() == {}
    words = "The order of Amlodipine 10 mg is handed over at the pharmacy already; nothing is to change."
    at.refuses("choose_handover", "conflict", words, order_id="O-2", place="the_pharmacy")


def test_what_is_kept_cold_costs_more_to_deliver() -> None:
    value = desk().gives("choose_handover", order_id="O-1", place="home")
    assert (value["fee"], value["due"]) == (10.99, 72.99)


def test_a_delivery_comes_from_a_pharmacy_that_delivers_there() -> None:
    arguments = {"order_id": "O-1", "place": "home"}
    at = desk(having("orders", "O-1", pharmacy_id="H-2", pharmacy="Garden Pharmacy"))
    at.refuses("choose_handover", "precondition_failed", "The Garden Pharmacy does not deliver", **arguments)
    at = desk(having("orders", "O-1", pharmacy_id="H-3", pharmacy="Harbour Pharmacy"))
    at.refuses("choose_handover", "precondition_failed", "delivers within Rome, not to Oslo", **arguments)
    words = (
        "Zolpidem 10 mg is a controlled medicine and cannot be delivered; "
        "have it handed over at the Mill Lane Pharmacy."
    )
    desk().refuses("choose_handover", "precondition_failed", words, order_id="O-4", place="home")


# -- paying


def account(**changes: Any) -> dict[str, Rows]:
    return having("accounts", "A-1", **changes)


def test_payment_is_kept_and_uses_up_the_deductible() -> None:
    ready = having("orders", "O-1", status="ready", ready_on=TODAY, place="home", fee=10.99, due=72.99)
    at = desk({**account(deductible_left=70.0), **ready})
    assert at.gives("pay_order", order_id="O-1", method="card") == {
        "order_id": "O-1", "medicine": "Insulin 10 mg", "amount": 72.99, "plan_pays": 0.0, "method": "card",
        "deductible_left": 8.0, "health_account": 70.0,
    }  # fmt: skip
    changed = at.changed()
    assert changed["accounts.changed"] == {"A-1": {"deductible_left": 8.0}}
    assert changed["orders.changed"]["O-1"] == {"paid": True, "paid_with": "card"}
    assert at.gives("list_family")["deductible_left"] == 8.0


@pytest.mark.parametrize(
    ("left", "kind", "price", "due"),
    [
        (100.0, "generic", 62.0, 62.0),
        (62.0, "generic", 62.0, 62.0),
        (60.0, "generic", 62.0, 62.0),
        (50.0, "generic", 62.0, 60.0),
        (0.0, "generic", 62.0, 10.0),
        (0.0, "generic", 8.0, 8.0),
        (0.0, "brand", 40.0, 16.0),
        (20.0, "brand", 40.0, 28.0),
        (0.0, "brand", 40.33, 16.13),
    ],
)
def test_the_plan_leaves_the_deductible_and_a_part_of_the_rest(
    left: float, kind: str, price: float, due: float
) -> None:
    rows = {**account(deductible_left=left), **having("prescriptions", "R-1", kind=kind, price=price)}
    at = desk(rows)
    new = at.gives("order_refill", prescription_id="R-1")
    assert (new["price"], new["due"]) == (price, due)
    paid = at.gives("pay_order", order_id=new["id"], method="card")
    assert (paid["amount"], paid["plan_pays"]) == (due, cents(price - due))
    assert paid["deductible_left"] == max(0.0, left - price)


def test_open_orders_cost_less_once_the_deductible_is_used_up() -> None:
    rows = {
        **account(deductible_left=70.0),
        "orders": keyed(
            {**ORDERS["O-1"], "status": "ready", "ready_on": TODAY},
            {**ORDERS["O-2"], "price": 30.0, "due": 34.99, "place": "home", "fee": 4.99},
            {**ORDERS["O-4"], "price": 30.0, "due": 30.0, "status": "cancelled"},
            {**ORDERS["O-9"], "price": 30.0, "due": 30.0},
        ),
    }
    at = desk(rows)
    at.gives("pay_order", order_id="O-1", method="card")
    assert at.changed()["orders.changed"] == {"O-1": {"paid": True, "paid_with": "card"}, "O-2": {"due": 22.99}}


def test_the_health_account_has_to_suffice() -> None:
    at = desk(account(health_account=7.99))
    words = "The health account has $7.99, and $8.00 are to be paid; pay with the card."
    at.refuses("pay_order", "precondition_failed", words, order_id="O-2", method="health_account")
    at = desk(account(health_account=8.0))
    paid = at.gives("pay_order", order_id="O-2", method="health_account")
    assert (paid["health_account"], paid["method"]) == (0.0, "health_account")
    assert at.changed()["accounts.changed"] == {"A-1": {"deductible_left": 92.0, "health_account": 0.0}}
    assert at.gives("list_family")["health_account"] == 0.0


def test_what_somebody_is_allergic_to_is_not_paid() -> None:
    at = desk(having("medicines", "M-8", allergens=["statins", "penicillins"]))
    words = "Ruth Berg is allergic to penicillins, which Amlodipine 10 mg belongs to"
    at.refuses("pay_order", "precondition_failed", words, order_id="O-2", method="card")


# -- prescriptions


def test_a_prescription_is_switched_and_switched_back() -> None:
    at = desk(having("prescriptions", "R-2", days=60, price=80.0))
    assert at.gives("switch_kind", prescription_id="R-2", kind="generic") == {
        "prescription_id": "R-2", "patient": "Ruth Berg", "medicine": "Lisinopril 10 mg",
        "instead_of": "Presalor 10 mg", "price": 20.0, "price_before": 80.0,
    }  # fmt: skip
    change = {"medicine_id": "M-1", "medicine": "Lisinopril 10 mg", "kind": "generic", "price": 20.0}
    assert at.changed() == {"prescriptions.changed": {"R-2": change}}
    at.gives("switch_kind", prescription_id="R-2", kind="brand")
    assert at.changed() == {}


SWITCHES: list[tuple[str, Row, str, str, str]] = [
    ("R-1", {}, "generic", "conflict", "The next refill gives Lisinopril 10 mg, a generic, already; nothing is to"),
    (
        "R-1",
        {},
        "brand",
        "precondition_failed",
        "Lisinopril 10 mg was prescribed, and no brand can be given instead; ask",
    ),
    (
        "R-2",
        {"substitution": False},
        "generic",
        "precondition_failed",
        "Dr. Eva Fox allows nothing instead of Presalor",
    ),
    (
        "R-2",
        {"strength": "5 mg"},
        "generic",
        "precondition_failed",
        "The chain has no generic of Presalor 10 mg; refill",
    ),
    ("R-2", {"refills_left": 0}, "generic", "precondition_failed", "No refills"),
    ("R-2", {"expires_on": day(-1)}, "generic", "precondition_failed", "is good until"),
    ("R-2", {"on_order": True}, "generic", "conflict", "is on order"),
    ("R-9", {}, "brand", "permission_denied", "somebody else"),
]


@pytest.mark.parametrize(("key", "changes", "kind", "code", "words"), SWITCHES)
def test_only_what_the_prescriber_allows_is_given_instead(
    key: str, changes: Row, kind: str, code: str, words: str
) -> None:
    desk(having("prescriptions", key, **changes)).refuses("switch_kind", code, words, prescription_id=key, kind=kind)


def test_a_switch_back_needs_no_permission() -> None:
    given: Row = {"kind": "generic", "medicine_id": "M-1", "medicine": "Lisinopril 10 mg", "substitution": False}
    at = desk(having("prescriptions", "R-2", **given))
    assert at.gives("switch_kind", prescription_id="R-2", kind="brand")["medicine"] == "Presalor 10 mg"


def test_a_prescription_is_transferred_once() -> None:
    at = desk()
    row = at.gives("transfer_prescription", prescription_id="R-1", pharmacy_id="H-3")
    change = {"pharmacy_id": "H-3", "pharmacy": "Harbour Pharmacy", "city": "Rome", "transferred": True}
    assert row == {**ROWS["R-1"], **change}
    assert at.changed() == {"prescriptions.changed": {"R-1": change}}
    words = "Lisinopril 10 mg was transferred once already and stays at the Harbour Pharmacy; ask Dr. Eva Fox to send"
    at.refuses("transfer_prescription", "limit_exceeded", words, prescription_id="R-1", pharmacy_id="H-1")
    assert at.gives("order_refill", prescription_id="R-1")["pharmacy"] == "Harbour Pharmacy"


TRANSFERS: list[tuple[str, Row, str, str]] = [
    (
        "R-4",
        {},
        "precondition_failed",
        "Zolpidem 10 mg is a controlled medicine and cannot be transferred; it stays at the Mill Lane Pharmacy.",
    ),
    (
        "R-5",
        {"on_order": False},
        "precondition_failed",
        "The Garden Pharmacy has no cold storage for Insulin 10 mg; choose a pharmacy that has.",
    ),
    ("R-1", {"expires_on": day(-1)}, "precondition_failed", "is good until"),
    ("R-1", {"refills_left": 0}, "precondition_failed", "No refills"),
    ("R-5", {}, "conflict", "is on order"),
    ("R-1", {"pharmacy_id": "H-2", "pharmacy": "Garden Pharmacy"}, "conflict", "The Garden Pharmacy keeps Lisinopril"),
    ("R-9", {}, "permission_denied", "somebody else"),
]


@pytest.mark.parametrize(("key", "changes", "code", "words"), TRANSFERS)
def test_a_transfer_is_refused(key: str, changes: Row, code: str, words: str) -> None:
    at = desk(having("prescriptions", key, **changes))
    at.refuses("transfer_prescription", code, words, prescription_id=key, pharmacy_id="H-2")


@pytest.mark.parametrize(
    "changes",
    [
        {"refills_left": 0},
        {"refills_left": 1},
        {"expires_on": day(30)},
        {"expires_on": day(-180)},
        {"on_order": True, "refills_left": 0},
    ],
)
def test_a_renewal_is_asked_for_once(changes: Row) -> None:
    at = desk(having("prescriptions", "R-1", **changes))
    assert at.gives("request_renewal", prescription_id="R-1") == {
        "prescription_id": "R-1", "patient": "Ada Berg", "medicine": "Lisinopril 10 mg",
        "prescriber": "Dr. Eva Fox", "answer_by": "2026-03-05",
    }  # fmt: skip
    assert at.changed() == {"prescriptions.changed": {"R-1": {"renewal_asked_on": TODAY}}}
    words = "Dr. Eva Fox was asked to renew Lisinopril 10 mg on 2026-03-02; wait for the answer."
    at.refuses("request_renewal", "conflict", words, prescription_id="R-1")


def test_what_is_kept_cold_is_transferred_to_where_that_is_possible() -> None:
    at = desk(having("prescriptions", "R-5", on_order=False))
    assert at.gives("transfer_prescription", prescription_id="R-5", pharmacy_id="H-4")["pharmacy_id"] == "H-4"


def test_a_renewal_is_not_gained_by_an_order_that_is_cancelled_later() -> None:
    at = desk()
    order_id = at.gives("order_refill", prescription_id="R-1")["id"]
    words = "Lisinopril 10 mg has 2 refills left until 2026-11-26, one of them on order, and a renewal is asked for"
    at.refuses("request_renewal", "precondition_failed", words, prescription_id="R-1")
    at.gives("cancel_order", order_id=order_id)
    words = "Lisinopril 10 mg has 2 refills left until 2026-11-26, and a renewal is asked for"
    at.refuses("request_renewal", "precondition_failed", words, prescription_id="R-1")


def test_a_renewal_can_carry_a_note() -> None:
    at = desk(having("prescriptions", "R-1", refills_left=0))
    assert at.gives("request_renewal", prescription_id="R-1", note="it works")["note"] == "it works"
    asked = {"renewal_asked_on": TODAY, "renewal_note": "it works"}
    assert at.changed() == {"prescriptions.changed": {"R-1": asked}}


def test_a_renewal_is_of_what_was_prescribed() -> None:
    at = desk(having("prescriptions", "R-2", refills_left=1, medicine_id="M-1", medicine="Lisinopril 10 mg"))
    assert at.gives("request_renewal", prescription_id="R-2")["medicine"] == "Presalor 10 mg"


RENEWALS: list[tuple[str, Row, str, str]] = [
    (
        "R-4",
        {"refills_left": 0},
        "precondition_failed",
        "Zolpidem 10 mg is a controlled medicine and cannot be renewed from afar; see Dr. Eva Fox about a new",
    ),
    (
        "R-1",
        {"expires_on": day(31)},
        "precondition_failed",
        "has 2 refills left until 2026-04-02, and a renewal is asked for from the last one on, or in the last 30 days",
    ),
    (
        "R-1",
        {"expires_on": day(-181)},
        "precondition_failed",
        "Lisinopril 10 mg expired on 2025-09-02, over 180 days ago; see Dr. Eva Fox about a new prescription.",
    ),
    ("R-6", {"refills_left": 0}, "precondition_failed", "Ruth Berg is allergic to penicillins"),
    ("R-9", {}, "permission_denied", "somebody else"),
]


@pytest.mark.parametrize(("key", "changes", "code", "words"), RENEWALS)
def test_a_renewal_is_refused(key: str, changes: Row, code: str, words: str) -> None:
    desk(having("prescriptions", key, **changes)).refuses("request_renewal", code, words, prescription_id=key)


# -- by itself


@pytest.mark.parametrize(
    ("key", "changes", "first"),
    [
        ("R-1", {}, day(1)),
        ("R-7", {}, day(13)),
        ("R-7", {"expires_on": day(13)}, day(13)),
        ("R-1", {"supply_until": day(9), "refill_from": day(2)}, day(2)),
    ],
)
def test_automatic_refill_is_started_and_stopped(key: str, changes: Row, first: str) -> None:
    at = desk(having("prescriptions", key, **changes))
    row = at.gives("set_automatic_refill", prescription_id=key, automatic=True)
    assert row == {**ROWS[key], **changes, "automatic": True, "refill_on": first}
    assert at.changed() == {"prescriptions.changed": {key: {"automatic": True, "refill_on": first}}}
    at.refuses("order_refill", "conflict", "is refilled by itself", prescription_id=key)
    at.gives("set_automatic_refill", prescription_id=key, automatic=False)
    assert at.changed() == {}


AUTOMATIC: list[tuple[str, bool, Row, str, str]] = [
    (
        "R-3",
        True,
        {},
        "conflict",
        "Automatic refill of Warfarin 10 mg for Ruth Berg is on already; there is nothing to",
    ),
    ("R-1", False, {}, "conflict", "Automatic refill of Lisinopril 10 mg for Ada Berg is off already"),
    (
        "R-4",
        True,
        {},
        "precondition_failed",
        "Zolpidem 10 mg is a controlled medicine and cannot be refilled by itself; order each refill by hand.",
    ),
    ("R-5", True, {}, "conflict", "is on order"),
    ("R-1", True, {"refills_left": 0}, "precondition_failed", "No refills"),
    ("R-1", True, {"expires_on": TODAY}, "precondition_failed", "is good until 2026-03-02"),
    ("R-7", True, {"expires_on": day(12)}, "precondition_failed", "is good until 2026-03-14"),
    ("R-6", True, {}, "precondition_failed", "Ruth Berg is allergic to penicillins"),
    ("R-9", True, {}, "permission_denied", "somebody else"),
]


@pytest.mark.parametrize(("key", "automatic", "changes", "code", "words"), AUTOMATIC)
def test_automatic_refill_is_refused(key: str, automatic: bool, changes: Row, code: str, words: str) -> None:
    at = desk(having("prescriptions", key, **changes))
    at.refuses("set_automatic_refill", code, words, prescription_id=key, automatic=automatic)


def test_automatic_refill_stops_even_of_an_expired_prescription() -> None:
    at = desk(having("prescriptions", "R-3", expires_on=day(-1), refills_left=0))
    assert at.gives("set_automatic_refill", prescription_id="R-3", automatic=False)["automatic"] is False


def test_refills_come_on_one_day() -> None:
    at = desk({"prescriptions": keyed(prescription("R-20", "M-3", day(10)), prescription("R-21", "M-7", day(7)))})
    plan = at.gives("plan_refills", patient_id="P-1", day=day(8))
    assert plan == {
        "patient_id": "P-1", "name": "Ada Berg", "day": day(8),
        "together": ["Lisinopril 10 mg", "Warfarin 10 mg", "Amoxicillin 10 mg"],
        "left_out": ["Zolpidem 10 mg", "Insulin 10 mg", "Amlodipine 10 mg"],
        "short": ["Lisinopril 10 mg", "Amoxicillin 10 mg"],
    }  # fmt: skip
    planned = {"automatic": True, "refill_on": day(8)}
    assert at.changed() == {"prescriptions.changed": dict.fromkeys(("R-1", "R-20", "R-21"), planned)}
    words = "The refills of Ada Berg are on 2026-03-10 already; choose another day."
    at.refuses("plan_refills", "conflict", words, patient_id="P-1", day=day(8))
    at.gives("set_automatic_refill", prescription_id="R-1", automatic=False)
    assert "Lisinopril 10 mg" in at.gives("plan_refills", patient_id="P-1", day=day(8))["together"]
    later = at.gives("plan_refills", patient_id="P-1", day=day(13))
    assert "Amlodipine 10 mg" in later["together"]


PLANNED: list[tuple[Row, bool]] = [
    ({}, True),
    ({"refill_from": day(6)}, True),
    ({"refill_from": day(7)}, False),
    ({"expires_on": day(6)}, True),
    ({"expires_on": day(5)}, False),
    ({"refills_left": 0}, False),
    ({"refills_left": 1}, True),
    ({"on_order": True}, False),
    ({"controlled": True}, False),
    ({"medicine_id": "M-4", "ingredient": "Ibuprofen"}, False),
]


@pytest.mark.parametrize(("changes", "fine"), PLANNED)
def test_only_what_can_be_refilled_comes_on_the_day(changes: Row, fine: bool) -> None:
    new = {**prescription("R-20", "M-3", day(5)), **changes}
    allergic = having("patients", "P-1", allergies=["nonsteroidal_painkillers"])
    at = desk({**allergic, "prescriptions": keyed(new)})
    if fine:
        plan = at.gives("plan_refills", patient_id="P-1", day=day(6))
        assert plan["together"] == ["Lisinopril 10 mg", "Warfarin 10 mg"]
    else:
        words = "Fewer than two medicines of Ada Berg can be refilled on 2026-03-08; choose a later day, or ask for"
        at.refuses("plan_refills", "precondition_failed", words, patient_id="P-1", day=day(6))


def test_what_is_not_valid_any_more_is_not_even_left_out() -> None:
    rows = {"prescriptions": keyed(
        prescription("R-20", "M-3", day(3)), prescription("R-21", "M-7", day(3), expires_on=day(-1)),
        prescription("R-22", "M-9", day(3), refills_left=0), {**ROWS["R-7"], "expires_on": TODAY},
    )}  # fmt: skip
    plan = desk(rows).gives("plan_refills", patient_id="P-1", day=day(3))
    assert plan["left_out"] == ["Zolpidem 10 mg", "Insulin 10 mg", "Amlodipine 10 mg"]
    assert plan["short"] == []


def test_a_plan_does_not_bring_together_what_must_not_be_taken_together() -> None:
    rows = {"prescriptions": keyed(
        prescription("R-20", "M-3", TODAY), prescription("R-21", "M-4", TODAY), prescription("R-22", "M-9", TODAY),
    )}  # fmt: skip
    plan = desk(rows).gives("plan_refills", patient_id="P-1", day=day(3))
    assert plan["together"] == ["Lisinopril 10 mg", "Warfarin 10 mg"]
    assert plan["left_out"][-2:] == ["Ibuprofen 10 mg", "Lisinopril 20 mg"]


def test_refills_are_put_on_one_of_the_next_sixty_days() -> None:
    at = desk({"prescriptions": keyed(prescription("R-20", "M-3", TODAY))})
    words = "Refills are put on a day from 2026-03-03 to 2026-05-01, not on "
    for when in (TODAY, day(61)):
        at.refuses("plan_refills", "invalid_argument", words + when, patient_id="P-1", day=when)
    at.gives("plan_refills", patient_id="P-1", day=day(1))
    at.gives("plan_refills", patient_id="P-1", day=day(60))
    at.refuses("plan_refills", "permission_denied", "That family member belongs to", patient_id="P-9", day=day(1))


# -- allergies


def test_an_allergy_cancels_orders_and_stops_refills() -> None:
    medicines = {"medicines": {**having("medicines", "M-6", allergens=["statins"])["medicines"],
                               **having("medicines", "M-8", allergens=["statins"])["medicines"],
                               **having("medicines", "M-3", allergens=["statins"])["medicines"]}}  # fmt: skip
    ready = order("O-5", ROWS["R-8"], **READY, prescription_id="R-8")
    old = order("O-6", ROWS["R-3"], **DONE)
    at = desk({**medicines, "orders": keyed(ready, old)})
    value = at.gives("record_allergy", patient_id="P-2", allergen="statins")
    assert value == {
        "patient_id": "P-2", "name": "Ruth Berg", "allergen": "statins",
        "blocked": ["Warfarin 10 mg", "Amlodipine 10 mg"], "cancelled": ["Amlodipine 10 mg"],
        "beware": ["Amlodipine 10 mg"],
    }  # fmt: skip
    assert at.changed() == {
        "patients.changed": {"P-2": {"allergies": ["penicillins", "opioids", "statins"]}},
        "orders.changed": {"O-2": {"status": "cancelled", "due": 0.0, "ready_on": None}},
        "stock.changed": {"S-7": {"packs": 5}},
        "prescriptions.changed": {
            "R-3": {"automatic": False, "refill_on": None},
            "R-8": {"on_order": False, "refills_left": 3, "supply_until": day(10), "refill_from": day(3)},
        },
    }
    words = "Ruth Berg is known to be allergic to statins; there is nothing to add."
    at.refuses("record_allergy", "conflict", words, patient_id="P-2", allergen="statins")
    assert at.ids("list_family", allergen="statins") == ["P-2"]


def test_a_paid_order_stays_in_spite_of_an_allergy() -> None:
    rows = {**having("medicines", "M-8", allergens=["statins"]), **having("orders", "O-2", paid=True, paid_with="card")}
    value = desk(rows).gives("record_allergy", patient_id="P-2", allergen="statins")
    assert (value["cancelled"], value["beware"]) == ([], ["Amlodipine 10 mg"])


def test_what_is_used_up_or_expired_is_not_told_as_blocked() -> None:
    for changes, blocked in (({"refills_left": 0}, []), ({"expires_on": day(-1)}, []), ({"expires_on": TODAY}, True)):
        rows = {**having("medicines", "M-3", allergens=["statins"]), **having("prescriptions", "R-3", **changes)}
        value = desk(rows).gives("record_allergy", patient_id="P-2", allergen="statins")
        assert value["blocked"] == (["Warfarin 10 mg"] if blocked else [])


def test_an_allergy_is_noted_of_ones_own_family_only() -> None:
    words = "That family member belongs to somebody else."
    desk().refuses("record_allergy", "permission_denied", words, patient_id="P-9", allergen="statins")
    desk().refuses("list_prescriptions", "permission_denied", words, patient_id="P-9")
    desk().refuses("list_orders", "permission_denied", words, patient_id="P-9")
    desk().refuses("search_medicines", "permission_denied", words, use="pain", patient_id="P-9")


def test_several_groups_of_an_allergy_name_the_first_that_counts() -> None:
    rows = {
        **having("medicines", "M-1", allergens=["macrolides", "opioids", "penicillins"]),
        "prescriptions": keyed(prescription("R-20", "M-1", **RUTH)),
    }
    at = desk(rows)
    at.refuses("order_refill", "precondition_failed", "allergic to opioids, which", prescription_id="R-20")


# -- scenario


@pytest.mark.parametrize(("seed", "size"), [(1, 60), (2, 60), (3, 240), (4, 10)])
def test_scenarios_keep_their_own_rules(seed: int, size: int) -> None:
    world = build_scenario(PharmacyPrescriptions, seed, size, DEFAULT_NOW)
    today = world.now.date()
    tables = (world.patients, world.pharmacies, world.medicines, world.stock, world.prescriptions, world.orders)
    assert sum(map(len, tables)) >= 50
    mine = [row for row in world.prescriptions.values() if row.account_id == world.account_id]
    orders = [row for row in world.orders.values() if row.account_id == world.account_id]
    counter = world._counter  # pyright: ignore[reportPrivateUsage]
    assert sum(map(counter.is_due, mine)) >= 8
    assert sum(row.automatic for row in mine) >= 5
    assert sum(row.refills_left == 0 and not row.renewal_asked_on and not row.controlled for row in mine) >= 5
    assert sum(row.prescribed_kind == "brand" and row.substitution and not row.on_order for row in mine) >= 8
    assert {row.kind for row in mine if row.prescribed_kind == "brand"} == {"brand", "generic"}
    assert any(not row.substitution for row in mine)
    assert any(row.transferred for row in mine)
    assert any(row.expires_on < today for row in mine)
    assert any(today <= row.expires_on <= days_after(today, rules.RENEW_DAYS) for row in mine)
    assert any(row.expires_on < days_after(today, -rules.LAPSED_DAYS) for row in mine)
    told = {text.split(";")[1] for row in mine if (text := counter.obstacle(row))}
    assert len(told) >= 3  # an allergy, what does not go together, and the same twice
    for status in ("waiting", "being_prepared"):
        assert sum(row.status == status and not row.paid for row in orders) >= 5
    assert sum(row.status == "ready" and not row.paid for row in orders) >= 3
    assert any(row.paid and row.status in rules.OPEN for row in orders)
    assert any(row.place == "home" for row in orders)
    for one, other in ((row, world.medicines.values()) for row in world.medicines.values()):
        for each in other:
            assert (one.ingredient in each.interacts) == (each.ingredient in one.interacts)
    for row in world.prescriptions.values():
        drug, keeper, who = (
            world.medicines[row.medicine_id],
            world.pharmacies[row.pharmacy_id],
            world.patients[row.patient_id],
        )
        assert (row.medicine, row.kind, row.ingredient) == (drug.name, drug.kind, drug.ingredient)
        assert (row.strength, row.controlled) == (drug.strength, drug.controlled)
        assert row.price == cents(drug.price * row.days / rules.PACK_DAYS)
        assert (row.pharmacy, row.city, row.patient, row.called) == (keeper.name, keeper.city, who.name, who.called)
        assert row.account_id == who.account_id
        assert not drug.cold or "cold_storage" in keeper.services
        assert not row.renewal_asked_on or row.refills_left + row.on_order <= rules.RENEW_LEFT
        assert row.substitution or row.kind == row.prescribed_kind
        assert row.written_on <= today
        assert row.written_on < row.expires_on
        assert row == rules.with_supply(row, row.supply_until)
        assert row.automatic == (row.refill_on is not None)
        if row.refill_on:
            assert row.refills_left
            assert not row.controlled
            assert row.refill_on == max(row.refill_from, days_after(today, 1))
            assert row.refill_on <= row.expires_on
            assert counter.obstacle(row) is None
        open_orders = [o for o in world.orders.values() if o.prescription_id == row.id and o.status in rules.OPEN]
        assert len(open_orders) == row.on_order
        for each in open_orders:
            assert row.supply_until == days_after(max(each.supply_before, each.placed_on), row.days)
            before = rules.with_supply(row, each.supply_before)
            assert before.refill_from <= each.placed_on
    for row in world.orders.values():
        account, keeper = world.accounts[row.account_id], world.pharmacies[row.pharmacy_id]
        drug = world.medicines[row.medicine_id]
        assert (row.pharmacy, row.city, row.medicine) == (keeper.name, keeper.city, drug.name)
        assert row.packs * rules.PACK_DAYS == row.days
        assert (row.ready_on is None) == (row.status == "waiting")
        assert row.paid == (row.paid_with is not None)
        assert row.placed_on <= today
        assert row.ready_on is None or rules.is_open(keeper, row.ready_on)
        assert row.fee == (0.0 if row.place == "the_pharmacy" else cents(4.99 + 6.0 * drug.cold))
        rules.check_handover(row, row.place, keeper, account)
        own = row.price if row.paid else rules.share(row.price, row.kind, account.deductible_left)
        assert row.due == cents(own + row.fee)
        has = sum(s.packs for s in world.stock.values() if (s.pharmacy_id, s.medicine_id) == (keeper.id, drug.id))
        assert row.status != "waiting" or has < row.packs
    for row in world.stock.values():
        keeper, drug = world.pharmacies[row.pharmacy_id], world.medicines[row.medicine_id]
        assert (row.pharmacy, row.medicine) == (keeper.name, drug.name)
        assert not drug.cold or "cold_storage" in keeper.services


@pytest.mark.parametrize("tool", [tool.name for tool in SPEC.tools])
def test_calls_that_are_drawn_succeed_as_a_rule(tool: str) -> None:
    reference = Reference(environments={SPEC.name: ""}, seed=1, size=60)
    session = Session(BACKEND, reference)
    state, start, done = json.loads(session.dump()[SPEC.name]), session.snapshot(), 0
    for number in range(25):
        arguments = Drawer(SPEC).draw(tool, state, random.Random(f"{tool}/{number}"))
        done += session.call(f"{SPEC.name}-{tool}", arguments).ok
        session.restore(start)
    session.close()
    assert done >= (25 if tool in ("pay_order", "cancel_order", "switch_kind") else 16)


def test_a_family_has_names_and_ages_of_its_own() -> None:
    for seed in range(1, 9):
        world = build_scenario(PharmacyPrescriptions, seed, 60, DEFAULT_NOW)
        family = [who for who in world.patients.values() if who.account_id == world.account_id]
        assert [who.called.split()[0] for who in family] == ["myself", "my", "my", "my", "my"]
        assert len({who.name for who in family}) == 5
        assert all(who.name.endswith(family[0].name.split(" ", 1)[1]) for who in family)
        names = [(row.city, row.name) for row in world.pharmacies.values()]
        assert len(names) == len(set(names))
