"""A household's budget, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.finance.personal_budgeting import PersonalBudgeting
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.

TODAY = "2026-03-02"


def envelope(key: str, name: str, group: str, available: float, reserved: float = 0.0, **changes: Any) -> Row:
    spare = max(0.0, available - reserved)
    state = "overspent" if available < 0 else "free" if spare else "reserved" if available else "empty"
    return {
        "id": key, "household_id": "H-1", "name": name, "group": group, "available": available, "reserved": reserved,
        "spare": spare, "state": state, **changes,
    }  # fmt: skip


def aim(target: float, by: str) -> Row:
    return {"target": target, "target_by": by}


ENVELOPES = keyed(
    envelope("E-1", "Groceries", "everyday", 200.0, **aim(450.0, "2026-03-31")),
    envelope("E-2", "Rent", "bills", 980.0, 980.0, **aim(1200.0, "2026-04-05")),
    envelope("E-3", "Eating out", "everyday", -30.5, **aim(150.0, "2026-05-15")),
    envelope("E-4", "Holiday", "savings", 165.0, 120.0, **aim(2400.0, "2027-02-08")),
    envelope("E-5", "Pets", "everyday", 0.0, **aim(60.0, "2026-02-18")),
    envelope("E-6", "Unassigned", "unassigned", 640.0),
    envelope("E-9", "Groceries", "everyday", 900.0, **aim(100.0, "2026-03-31"), household_id="H-2"),
)


def part(key: str, amount: float) -> Row:
    return {"envelope_id": key, "envelope": ENVELOPES[key]["name"], "amount": amount}


NAMES = {"A-1": "Everyday checking", "A-2": "Wallet", "A-3": "Old savings", "A-9": "Checking"}


def spent(key: str, payee: str, day: str, amount: float, *parts: Row, **changes: Any) -> Row:
    left = amount - sum(each["amount"] for each in parts)
    account_id = changes.pop("account_id", "A-1")
    whole = ["uncategorised", "categorised", "split"][min(len(parts), 2)]
    return {
        "id": key, "household_id": "H-1", "account_id": account_id, "account": NAMES[account_id],
        "payee": payee, "day": day, "amount": amount,
        "filing": "partly_categorised" if parts and left else whole, "left": left, "parts": list(parts),
        "usual_ids": [], "bank": "reconciled", **changes,
    }  # fmt: skip


INCOME: Row = {"filing": "income", "left": 0.0}
TRANSACTIONS = keyed(
    spent("T-1", "Mill Bakery", "2026-03-01", 40.0, bank="cleared"),
    spent("T-2", "Toy Attic", TODAY, 60.0, part("E-4", 20.0), bank="pending"),
    spent("T-3", "Noodle House", "2026-02-20", 30.0, part("E-3", 30.0)),
    spent("T-4", "Green Market", "2026-02-10", 50.0, part("E-1", 35.0), part("E-5", 15.0), account_id="A-2"),
    spent("T-5", "Clinic payroll", "2026-03-01", 1500.0, **INCOME),
    spent("T-6", "Riverside Homes", "2026-01-15", 980.0, part("E-2", 980.0)),
    spent("T-7", "Clinic payroll", "2026-02-01", 1400.0, **INCOME),
    spent("T-90", "Mill Bakery", "2026-02-03", 40.0, household_id="H-2", account_id="A-9", bank="cleared"),
)


def move(key: str, day: str, amount: float, source: str, to: str, **changes: Any) -> Row:
    return {
        "id": key, "household_id": "H-1", "day": day, "amount": amount, "from_id": source, "to_id": to,
        "source": ENVELOPES[source]["name"], "to": ENVELOPES[to]["name"], "covering": False, **changes,
    }  # fmt: skip


MOVES = keyed(
    move("V-1", "2026-02-01", 200.0, "E-6", "E-1"),
    move("V-2", "2026-03-01", 100.0, "E-6", "E-1"),
    move("V-3", "2026-03-01", 20.0, "E-1", "E-4"),
    move("V-4", "2026-01-31", 5.0, "E-6", "E-4"),
    move("V-9", TODAY, 7.0, "E-9", "E-9", household_id="H-2"),
)


def account(key: str, kind: str, cleared: float, **changes: Any) -> Row:
    return {
        "id": key, "household_id": "H-1", "name": NAMES[key], "kind": kind, "cleared": cleared, "pending": 0.0,
        "reported": cleared, "reconciled_on": "2026-03-01", **changes,
    }  # fmt: skip


def month(key: str, name: str, starts: str, ends: str, status: str = "open", **changes: Any) -> Row:
    return {
        "id": key, "household_id": "H-1", "name": name, "starts": starts, "ends": ends, "status": status, **changes
    }  # fmt: skip


def payment(key: str, payee: str, amount: float, next_on: str, paid_from: str, **changes: Any) -> Row:
    return {
        "id": key, "household_id": "H-1", "payee": payee, "amount": amount, "every": "month", "next_on": next_on,
        "envelope_id": paid_from, "envelope": ENVELOPES[paid_from]["name"], **changes,
    }  # fmt: skip


MARCH = ("M-3", "March 2026", "2026-03-01", "2026-03-31")
CLOSED: Row = {"closed_on": "2026-02-04", "income": 0.0, "spent": 980.0}
STATE: dict[str, Any] = {
    "household_id": "H-1",
    "households": keyed(
        {"id": "H-1", "name": "Ada Berg household", "email": "ada@mail.example"},
        {"id": "H-2", "name": "Ben Cole household", "email": "ben@mail.example"},
    ),
    "envelopes": ENVELOPES,
    "transactions": TRANSACTIONS,
    "moves": MOVES,
    "accounts": keyed(
        account("A-1", "checking", 1000.0, pending=60.0, reported=990.0),
        account("A-2", "cash", 80.0),
        account("A-3", "savings", 40.0, reconciled_on="2025-12-16"),
        account("A-9", "checking", 10.0, household_id="H-2"),
    ),
    "payments": keyed(
        payment("P-1", "Riverside Homes", 980.0, "2026-03-25", "E-2"),
        payment("P-2", "Sunny Trails", 120.0, "2026-03-20", "E-4", every="quarter"),
        payment("P-9", "FibreLink", 40.0, "2026-03-20", "E-9", household_id="H-2"),
    ),
    "months": keyed(
        month("M-1", "January 2026", "2026-01-01", "2026-01-31", "closed", **CLOSED),
        month("M-2", "February 2026", "2026-02-01", "2026-02-28"),
        month(*MARCH),
        month("M-9", "February 2026", "2026-02-01", "2026-02-28", household_id="H-2"),
    ),
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(PersonalBudgeting, STATE, rows=rows, **changes)


def on(day: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"{day}T09:00:00")


def holds(available: float, spare: float | None = None, state: str | None = None) -> Row:
    """What changes of an envelope by what is in it."""
    found: Row = {"available": available, "spare": spare, "state": state}
    return {name: value for name, value in found.items() if value is not None}


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["E-3", "E-1", "E-4", "E-5", "E-2"]),
        ({"page": 2}, ["E-6"]),
        ({"sort": "balance"}, ["E-3", "E-5", "E-4", "E-1", "E-6"]),
        ({"sort": "name"}, ["E-3", "E-1", "E-4", "E-5", "E-2"]),
        ({"group": "everyday"}, ["E-3", "E-1", "E-5"]),
        ({"group": "unassigned"}, ["E-6"]),
        ({"state": "free"}, ["E-1", "E-4", "E-6"]),
        ({"state": "reserved"}, ["E-2"]),
        ({"state": "empty", "group": "everyday"}, ["E-5"]),
        ({"state": "empty", "group": "bills"}, []),
    ],
)
def test_the_household_s_own_envelopes_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_envelopes", **arguments) == found


def test_an_envelope_is_described() -> None:
    assert desk().gives("list_envelopes", state="overspent")["envelopes"] == [ENVELOPES["E-3"]]
    same = envelope("E-0", "Pets", "everyday", 5.0)
    assert desk({"envelopes": keyed(same)}).ids("list_envelopes")[3:] == ["E-0", "E-5"]


def report(key: str, month: str, carried: float, assigned: float, spent: float, left: float, **target: Any) -> Row:
    row = ENVELOPES[key]
    return {
        "envelope_id": key, "name": row["name"], "month": month, "carried": carried, "assigned": assigned,
        "spent": spent, "left": left, "spare": row["spare"], **target,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "month_id", "found"),
    [
        ("E-1", None, report("E-1", "March 2026", 120.0, 80.0, 0.0, 200.0)),
        ("E-1", "M-3", report("E-1", "March 2026", 120.0, 80.0, 0.0, 200.0)),
        ("E-1", "M-2", report("E-1", "February 2026", -45.0, 200.0, 35.0, 120.0)),
        ("E-1", "M-1", report("E-1", "January 2026", -45.0, 0.0, 0.0, -45.0)),
        ("E-2", "M-1", report("E-2", "January 2026", 1960.0, 0.0, 980.0, 980.0)),
        ("E-4", None, report("E-4", "March 2026", 165.0, 20.0, 20.0, 165.0)),
        ("E-4", "M-2", report("E-4", "February 2026", 165.0, 0.0, 0.0, 165.0)),
        ("E-4", "M-1", report("E-4", "January 2026", 160.0, 5.0, 0.0, 165.0)),
        ("E-6", None, report("E-6", "March 2026", -760.0, 1400.0, 0.0, 640.0)),
        ("E-6", "M-2", report("E-6", "February 2026", -1960.0, 1200.0, 0.0, -760.0)),
    ],
)
def test_an_envelope_is_checked_month_by_month(key: str, month_id: str | None, found: Row) -> None:
    at = desk()
    given = at.gives("check_envelope", envelope_id=key, **({"month_id": month_id} if month_id else {}))
    shown = {name: value for name, value in given.items() if name in found}
    assert shown == found
    assert ("need" in given) == (key != "E-6")
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("key", "day", "months", "need"),
    [
        ("E-1", TODAY, 1, 250.0),
        ("E-2", TODAY, 2, 110.0),
        ("E-2", "2026-04-30", 1, 220.0),
        ("E-3", TODAY, 3, 60.17),  # 180.50 in three parts, rounded up
        ("E-4", TODAY, 12, 186.25),
        ("E-4", "2025-12-31", 15, 149.0),
        ("E-5", TODAY, 1, 60.0),
        ("E-5", "2026-01-31", 2, 30.0),
        ("E-5", "2026-06-01", 1, 60.0),
    ],
)
def test_what_a_target_needs_every_month_counts_this_month_and_the_last(
    key: str, day: str, months: int, need: float
) -> None:
    given = desk(now=on(day)).gives("check_envelope", envelope_id=key)
    row = ENVELOPES[key]
    assert (given["months_left"], given["need"]) == (months, need)
    assert (given["target"], given["target_by"]) == (row["target"], row["target_by"])


def test_a_target_that_is_reached_needs_nothing() -> None:
    for target in (200.0, 150.0):
        row = {**ENVELOPES["E-1"], "target": target}
        assert desk({"envelopes": keyed(row)}).gives("check_envelope", envelope_id="E-1")["need"] == 0


def test_the_present_month_needs_no_record_to_be_looked_at() -> None:
    given = desk(now=on("2026-12-31")).gives("check_envelope", envelope_id="E-1")
    assert (given["month"], given["carried"], given["assigned"]) == ("December 2026", 200, 0)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["V-2", "V-3", "V-1", "V-4"]),
        ({"page": 2}, []),
        ({"envelope_id": "E-1"}, ["V-2", "V-3", "V-1"]),
        ({"envelope_id": "E-4"}, ["V-3", "V-4"]),
        ({"envelope_id": "E-2"}, []),
        ({"since": "2026-02-01"}, ["V-2", "V-3", "V-1"]),
        ({"since": "2026-02-02", "envelope_id": "E-4"}, ["V-3"]),
    ],
)
def test_the_household_s_own_moves_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_moves", **arguments) == found


def test_a_move_is_described() -> None:
    assert desk().gives("list_moves", envelope_id="E-4")["moves"] == [MOVES["V-3"], MOVES["V-4"]]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["T-2", "T-1", "T-5", "T-3", "T-4"]),
        ({"page": 2}, ["T-7", "T-6"]),
        ({"sort": "amount"}, ["T-5", "T-7", "T-6", "T-2", "T-4"]),
        ({"sort": "amount", "page": 2}, ["T-1", "T-3"]),
        ({"filing": "uncategorised"}, ["T-1"]),
        ({"filing": "partly_categorised"}, ["T-2"]),
        ({"filing": "categorised"}, ["T-3", "T-6"]),
        ({"filing": "split"}, ["T-4"]),
        ({"filing": "income", "month_id": "M-2"}, ["T-7"]),
        ({"month_id": "M-3"}, ["T-2", "T-1", "T-5"]),
        ({"month_id": "M-1", "filing": "split"}, []),
    ],
)
def test_the_household_s_own_transactions_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_transactions", **arguments) == found


def test_a_month_has_its_first_and_its_last_day() -> None:
    edges = keyed(
        spent("T-20", "Mill Bakery", "2026-01-31", 4.0, part("E-1", 4.0)),
        spent("T-21", "Mill Bakery", "2026-02-28", 4.0, part("E-1", 4.0)),
        spent("T-22", "Mill Bakery", "2026-02-01", 2.0, part("E-1", 2.0)),
    )
    at = desk({"transactions": edges})
    assert at.ids("find_transactions", month_id="M-2", filing="categorised") == ["T-21", "T-3", "T-22"]
    assert desk().gives("find_transactions", filing="split")["transactions"] == [TRANSACTIONS["T-4"]]
    assert at.gives("check_envelope", envelope_id="E-1", month_id="M-2")["spent"] == 41
    january = at.gives("check_envelope", envelope_id="E-1", month_id="M-1")
    assert (january["spent"], january["left"]) == (4, -39)


@pytest.mark.parametrize(
    ("arguments", "found", "total"),
    [
        ({}, ["P-2", "P-1"], 1100),
        ({"envelope_id": "E-4"}, ["P-2"], 120),
        ({"until": "2026-03-25"}, ["P-2", "P-1"], 1100),
        ({"until": "2026-03-24"}, ["P-2"], 120),
        ({"until": "2026-03-24", "envelope_id": "E-2"}, [], 0),
        ({"page": 2}, [], 1100),
    ],
)
def test_the_household_s_own_scheduled_payments_are_listed(arguments: Row, found: list[str], total: float) -> None:
    at = desk()
    assert at.ids("preview_bills", **arguments) == found
    assert at.gives("preview_bills", **arguments)["sum"] == total


def test_a_scheduled_payment_is_described() -> None:
    at = desk({"payments": keyed(payment("P-0", "Club", 10.25, "2026-03-25", "E-4"))})
    assert at.ids("preview_bills") == ["P-2", "P-0", "P-1"]
    assert at.gives("preview_bills")["sum"] == 1110.25
    assert at.gives("preview_bills")["payments"][0] == STATE["payments"]["P-2"]


def test_accounts_and_months_are_listed() -> None:
    at = desk()
    assert at.ids("list_accounts") == ["A-1", "A-3", "A-2"]
    assert at.gives("list_accounts", kind="cash") == {"accounts": [STATE["accounts"]["A-2"]]}
    assert at.ids("list_months") == ["M-3", "M-2", "M-1"]
    assert at.ids("list_months", status="open") == ["M-3", "M-2"]
    assert at.gives("list_months", status="closed") == {"months": [STATE["months"]["M-1"]]}


# -- moving money


def test_money_is_moved_and_moved_back() -> None:
    at = desk()
    moved = at.gives("move_money", from_id="E-1", to_id="E-5", amount=50.25)
    assert moved == move("MV-1001", TODAY, 50.25, "E-1", "E-5")
    changes: Row = {"E-1": holds(149.75, 149.75), "E-5": holds(50.25, 50.25, "free")}
    assert at.changed() == {"envelopes.changed": changes, "moves.created": {"MV-1001": moved}}
    at.gives("move_money", from_id="E-5", to_id="E-1", amount=50.25)
    assert "envelopes.changed" not in at.changed()


def test_income_is_assigned_and_what_is_assigned_makes_up_for_some_of_what_is_overspent() -> None:
    at = desk()
    at.gives("move_money", from_id="E-6", to_id="E-3", amount=30)
    assert at.changed()["envelopes.changed"] == {"E-6": holds(610, 610), "E-3": holds(-0.5)}
    at.gives("move_money", from_id="E-6", to_id="E-3", amount=0.5)
    assert at.changed()["envelopes.changed"]["E-3"] == holds(0, None, "empty")


@pytest.mark.parametrize(("amount", "possible"), [(45.0, True), (45.004, True), (45.01, False)])
def test_what_is_reserved_for_scheduled_payments_stays(amount: float, possible: bool) -> None:
    at = desk()
    arguments = {"from_id": "E-4", "to_id": "E-1", "amount": amount}
    if possible:
        assert at.gives("move_money", **arguments)["amount"] == 45
        assert at.changed()["envelopes.changed"]["E-4"] == holds(120, 0, "reserved")
    else:
        words = "The Holiday envelope can spare 45.00 dollars, not 45.01 dollars, as 120.00 dollars are reserved for"
        at.refuses("move_money", "limit_exceeded", words, **arguments)


def test_no_more_is_moved_than_there_is() -> None:
    at = desk()
    words = "The Groceries envelope can spare 200.00 dollars, not 200.01 dollars; move less, or take it from another"
    at.refuses("move_money", "limit_exceeded", words, from_id="E-1", to_id="E-5", amount=200.01)
    at.refuses("move_money", "limit_exceeded", "can spare 0.00 dollars", from_id="E-2", to_id="E-5", amount=1)
    at.refuses("move_money", "limit_exceeded", "can spare 0.00 dollars", from_id="E-3", to_id="E-5", amount=1)
    at.gives("move_money", from_id="E-1", to_id="E-5", amount=200)
    assert at.changed()["envelopes.changed"]["E-1"] == holds(0, 0, "empty")
    words = "Both are the Holiday envelope; choose another one"
    at.refuses("move_money", "invalid_argument", words, from_id="E-4", to_id="E-4", amount=1)


@pytest.mark.parametrize("amount", [0, 0.004, 100_000.01])
@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("move_money", {"from_id": "E-6", "to_id": "E-1"}),
        ("categorise_transaction", {"transaction_id": "T-1", "envelope_id": "E-1"}),
        ("set_target", {"envelope_id": "E-1"}),
    ],
)
def test_an_amount_is_at_least_a_cent(tool: str, more: Row, amount: float) -> None:
    desk().refuses(tool, "invalid_argument", "amount", amount=amount, **more)


def test_what_is_overspent_is_covered_to_the_cent() -> None:
    at = desk()
    moved = at.gives("cover_overspending", envelope_id="E-3", from_id="E-1")
    assert moved == move("MV-1001", TODAY, 30.5, "E-1", "E-3", covering=True)
    changes: Row = {"E-1": holds(169.5, 169.5), "E-3": holds(0, None, "empty")}
    assert at.changed() == {"envelopes.changed": changes, "moves.created": {"MV-1001": moved}}
    words = "The Eating out envelope is not overspent, it has 0.00 dollars; move an amount into it instead"
    at.refuses("cover_overspending", "precondition_failed", words, envelope_id="E-3", from_id="E-1")


@pytest.mark.parametrize(("available", "possible"), [(-45.0, True), (-45.01, False)])
def test_one_envelope_covers_all_that_is_overspent(available: float, possible: bool) -> None:
    at = desk({"envelopes": keyed({**ENVELOPES["E-3"], "available": available})})
    arguments = {"envelope_id": "E-3", "from_id": "E-4"}
    if possible:
        at.gives("cover_overspending", **arguments)
    else:
        words = "The Holiday envelope can spare 45.00 dollars, not 45.01 dollars"
        at.refuses("cover_overspending", "limit_exceeded", words, **arguments)
        at.refuses("cover_overspending", "invalid_argument", "Both are", envelope_id="E-3", from_id="E-3")


# -- categorising


def test_a_transaction_is_categorised_and_uncategorised() -> None:
    at = desk()
    row = at.gives("categorise_transaction", transaction_id="T-1", envelope_id="E-5")
    assert row == spent("T-1", "Mill Bakery", "2026-03-01", 40.0, part("E-5", 40.0), bank="cleared")
    changes: Row = {"left": 0, "filing": "categorised", "parts": [part("E-5", 40.0)]}
    overspent: Row = {"E-5": holds(-40, None, "overspent")}
    assert at.changed() == {"transactions.changed": {"T-1": changes}, "envelopes.changed": overspent}
    words = "All of the transaction is in Pets already; uncategorise it, or a part of it, first"
    at.refuses("categorise_transaction", "conflict", words, transaction_id="T-1", envelope_id="E-1")
    at.gives("uncategorise_transaction", transaction_id="T-1")
    assert at.changed() == {}


def test_a_transaction_is_split_by_amounts_and_made_whole_again() -> None:
    at = desk()
    first = at.gives("categorise_transaction", transaction_id="T-1", envelope_id="E-1", amount=15.5)
    assert first == spent("T-1", "Mill Bakery", "2026-03-01", 40.0, part("E-1", 15.5), bank="cleared")
    assert (first["filing"], first["left"]) == ("partly_categorised", 24.5)
    words = "Only 24.50 dollars of the transaction are in no envelope yet; give that or less"
    more = {"transaction_id": "T-1", "envelope_id": "E-4", "amount": 24.51}
    at.refuses("categorise_transaction", "invalid_argument", words, **more)
    second = at.gives("categorise_transaction", transaction_id="T-1", envelope_id="E-4", amount=24.5)
    assert (second["filing"], second["parts"]) == ("split", [part("E-1", 15.5), part("E-4", 24.5)])
    assert at.changed()["envelopes.changed"] == {"E-1": holds(184.5, 184.5), "E-4": holds(140.5, 20.5)}
    back = at.gives("uncategorise_transaction", transaction_id="T-1", envelope_id="E-1")
    assert (back["filing"], back["left"], back["parts"]) == ("partly_categorised", 15.5, [part("E-4", 24.5)])
    assert at.changed()["envelopes.changed"] == {"E-4": holds(140.5, 20.5)}
    words = "Nothing of it is in that envelope, only in Holiday; name one of these"
    arguments = {"transaction_id": "T-1", "envelope_id": "E-1"}
    at.refuses("uncategorise_transaction", "invalid_argument", words, **arguments)
    at.gives("categorise_transaction", transaction_id="T-1", envelope_id="E-4")
    assert at.changed()["transactions.changed"]["T-1"]["parts"] == [part("E-4", 40.0)]
    at.gives("uncategorise_transaction", transaction_id="T-1")
    assert at.changed() == {}


def test_a_split_of_the_last_month_is_taken_out_of_all_its_envelopes() -> None:
    at = desk()
    words = "All of the transaction is in Groceries and Pets already"
    at.refuses("categorise_transaction", "conflict", words, transaction_id="T-4", envelope_id="E-1")
    words = "Nothing of it is in that envelope, only in Groceries and Pets"
    arguments = {"transaction_id": "T-4", "envelope_id": "E-4"}
    at.refuses("uncategorise_transaction", "invalid_argument", words, **arguments)
    row = at.gives("uncategorise_transaction", transaction_id="T-4")
    changes: Row = {"left": 50, "filing": "uncategorised", "parts": []}
    assert row == {**TRANSACTIONS["T-4"], **changes}
    envelopes: Row = {"E-1": holds(235, 235), "E-5": holds(15, 15, "free")}
    assert at.changed() == {"transactions.changed": {"T-4": changes}, "envelopes.changed": envelopes}
    words = "The transaction is uncategorised, so it is in no envelope; find one that is categorised"
    at.refuses("uncategorise_transaction", "precondition_failed", words, transaction_id="T-4")


def test_what_is_left_of_a_transaction_goes_into_the_envelope_that_is_given() -> None:
    row = desk().gives("categorise_transaction", transaction_id="T-2", envelope_id="E-1")
    assert (row["filing"], row["parts"]) == ("split", [part("E-4", 20.0), part("E-1", 40.0)])


def test_income_and_the_unassigned_envelope_are_not_for_categorising() -> None:
    at = desk()
    words = "That is income, which is in the unassigned envelope; move it from there"
    at.refuses("categorise_transaction", "precondition_failed", words, transaction_id="T-5", envelope_id="E-1")
    words = "The transaction is income, so it is in no envelope"
    at.refuses("uncategorise_transaction", "precondition_failed", words, transaction_id="T-5")
    words = (
        "The Unassigned envelope only holds what is still to be assigned, so it cannot be spent from; choose one for"
    )
    at.refuses("categorise_transaction", "precondition_failed", words, transaction_id="T-1", envelope_id="E-6")


def test_nothing_is_categorised_or_uncategorised_in_a_closed_month() -> None:
    at = desk()
    words = "January 2026 is closed, so its transactions stay where they are; reopen January 2026 first"
    at.refuses("uncategorise_transaction", "precondition_failed", words, transaction_id="T-6")
    at.refuses("categorise_transaction", "precondition_failed", words, transaction_id="T-6", envelope_id="E-1")
    at.gives("reopen_month", month_id="M-1")
    at.gives("uncategorise_transaction", transaction_id="T-6")
    assert at.gives("categorise_transaction", transaction_id="T-6", envelope_id="E-1")["filing"] == "categorised"


@pytest.mark.parametrize("day", ["2026-01-01", "2026-01-31"])
def test_the_first_and_the_last_day_are_closed_with_their_month(day: str) -> None:
    at = desk({"transactions": keyed({**TRANSACTIONS["T-6"], "day": day})})
    at.refuses("uncategorise_transaction", "precondition_failed", "January 2026 is closed", transaction_id="T-6")
    before = desk({"transactions": keyed({**TRANSACTIONS["T-6"], "day": "2025-12-31"})})
    before.gives("uncategorise_transaction", transaction_id="T-6")


# -- targets


@pytest.mark.parametrize(
    ("arguments", "changes"),
    [
        ({"amount": 500.004}, {"target": 500.0}),
        ({"by": "2026-03-03"}, {"target_by": "2026-03-03"}),
        ({"by": "2036-03-09"}, {"target_by": "2036-03-09"}),
        ({"amount": 900, "by": "2026-09-01"}, {"target": 900.0, "target_by": "2026-09-01"}),
        ({"amount": 450, "by": "2026-09-01"}, {"target_by": "2026-09-01"}),
    ],
)
def test_a_target_is_changed_and_changed_back(arguments: Row, changes: Row) -> None:
    at = desk()
    row = at.gives("set_target", envelope_id="E-1", **arguments)
    assert row == {**ENVELOPES["E-1"], **changes}
    assert at.changed() == {"envelopes.changed": {"E-1": changes}}
    at.gives("set_target", envelope_id="E-1", amount=450, by="2026-03-31")
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("key", "arguments", "code", "words"),
    [
        ("E-1", {}, "invalid_argument", "Give the amount of the target, its day, or both"),
        ("E-1", {"by": TODAY}, "invalid_argument", "within ten years, by 2036-03-09, not on 2026-03-02; give another"),
        ("E-1", {"by": "2036-03-10"}, "invalid_argument", "by 2036-03-09, not on 2036-03-10"),
        ("E-5", {"amount": 90}, "invalid_argument", "not on 2026-02-18; give another day"),
        ("E-1", {"amount": 450}, "conflict", "That is the target of Groceries already; give another amount or day"),
        ("E-1", {"by": "2026-03-31"}, "conflict", "That is the target of Groceries already"),
        (
            "E-6",
            {"amount": 90, "by": "2026-09-01"},
            "precondition_failed",
            "so it cannot be given a target; choose one",
        ),
    ],
)
def test_a_target_that_is_past_or_no_other_is_refused(key: str, arguments: Row, code: str, words: str) -> None:
    desk().refuses("set_target", code, words, envelope_id=key, **arguments)


def test_a_target_that_was_missed_is_given_another_day() -> None:
    at = desk()
    at.gives("set_target", envelope_id="E-5", amount=90, by="2026-04-01")
    given = at.gives("check_envelope", envelope_id="E-5")
    assert (given["months_left"], given["need"]) == (2, 45)


# -- reconciling


def test_an_account_with_less_than_cleared_is_adjusted_by_a_transaction_to_categorise() -> None:
    at = desk()
    row = at.gives("reconcile_account", account_id="A-1", balance=990)
    assert row == {**STATE["accounts"]["A-1"], "cleared": 990.0, "reconciled_on": TODAY}
    made = spent("TX-1001", "Balance adjustment", TODAY, 10.0)
    assert at.changed() == {
        "accounts.changed": {"A-1": {"cleared": 990, "reconciled_on": TODAY}},
        "transactions.created": {"TX-1001": made},
        "transactions.changed": {"T-1": {"bank": "reconciled"}},
    }
    at.gives("categorise_transaction", transaction_id="TX-1001", envelope_id="E-1")


def test_an_account_with_more_than_cleared_is_adjusted_by_income() -> None:
    at = desk()
    row = at.gives("reconcile_account", account_id="A-2", balance=83.254)
    assert (row["cleared"], row["reported"]) == (83.25, 80)
    made = spent("TX-1001", "Balance adjustment", TODAY, 3.25, **INCOME, account_id="A-2")
    assert at.changed() == {
        "accounts.changed": {"A-2": {"cleared": 83.25, "reconciled_on": TODAY}},
        "envelopes.changed": {"E-6": holds(643.25, 643.25)},
        "transactions.created": {"TX-1001": made},
    }
    back = at.gives("reconcile_account", account_id="A-2", balance=80)
    assert back["cleared"] == 80
    assert at.ids("find_transactions", filing="uncategorised") == ["TX-1002", "T-1"]


def test_nothing_is_zero_and_never_minus_zero() -> None:
    rows = keyed(envelope("E-3", "Eating out", "everyday", -0.3), spent("T-1", "Mill Bakery", "2026-03-01", 0.3))
    at = desk({"envelopes": {"E-3": rows["E-3"]}, "transactions": {"T-1": rows["T-1"]}})
    at.gives("move_money", from_id="E-1", to_id="E-3", amount=0.1)
    at.gives("move_money", from_id="E-1", to_id="E-3", amount=0.2)
    at.gives("categorise_transaction", transaction_id="T-1", envelope_id="E-1", amount=0.1)
    row = at.gives("categorise_transaction", transaction_id="T-1", envelope_id="E-4", amount=0.2)
    (found,) = [each for each in at.gives("list_envelopes", group="everyday")["envelopes"] if each["id"] == "E-3"]
    assert (str(found["available"]), str(row["left"])) == ("0.0", "0.0")


def test_half_a_dollar_is_an_amount_like_any_other() -> None:
    at = desk()
    at.gives("reconcile_account", account_id="A-2", balance=80.5)
    assert at.changed()["envelopes.changed"] == {"E-6": holds(640.5, 640.5)}
    assert at.changed()["transactions.created"]["TX-1001"]["filing"] == "income"
    at.gives("move_money", from_id="E-6", to_id="E-5", amount=0.5)
    assert at.changed()["envelopes.changed"] == {"E-5": holds(0.5, 0.5, "free")}
    at.gives("uncategorise_transaction", transaction_id="T-3")
    at.gives("categorise_transaction", transaction_id="T-3", envelope_id="E-1", amount=29.5)
    at.refuses("close_month", "precondition_failed", "not fully in envelopes (Noodle House)", month_id="M-2")


@pytest.mark.parametrize(("day", "assigned"), [("2026-01-31", 0), ("2026-02-01", 60), ("2026-02-28", 60)])
def test_income_is_assigned_from_the_first_to_the_last_day_of_its_month(day: str, assigned: float) -> None:
    at = desk({"transactions": keyed({**TRANSACTIONS["T-7"], "amount": 60.0, "day": day})})
    given = at.gives("check_envelope", envelope_id="E-6", month_id="M-2")
    assert given["assigned"] == assigned - 200


def test_an_account_that_agrees_is_reconciled_once_a_day() -> None:
    at = desk()
    at.gives("reconcile_account", account_id="A-1", balance=1000)
    assert at.changed() == {
        "accounts.changed": {"A-1": {"reconciled_on": TODAY}},
        "transactions.changed": {"T-1": {"bank": "reconciled"}},
    }
    words = "The Everyday checking account was reconciled today with that balance; give another balance, or wait until"
    at.refuses("reconcile_account", "conflict", words, account_id="A-1", balance=1000)
    at.gives("reconcile_account", account_id="A-1", balance=999)
    later = desk({"accounts": keyed({**STATE["accounts"]["A-1"], "reconciled_on": TODAY})})
    later.gives("reconcile_account", account_id="A-1", balance=1000)
    elsewhere = desk({"accounts": keyed({**STATE["accounts"]["A-2"], "reconciled_on": TODAY})})
    elsewhere.refuses("reconcile_account", "conflict", "reconciled today", account_id="A-2", balance=80)


@pytest.mark.parametrize(
    ("balances", "possible"),
    [
        ((1100,), True),
        ((1100.01,), False),
        ((900,), True),
        ((899.99,), False),
        ((1060, 1100), True),
        ((1060, 1100.01), False),
        ((940, 899), False),
        ((1100, 1000, 900), True),
        ((1100, 1000, 899), False),
    ],
)
def test_an_account_is_adjusted_by_a_hundred_dollars_a_month_at_most(
    balances: tuple[float, ...], possible: bool
) -> None:
    at = desk()
    for balance in balances[:-1]:
        at.gives("reconcile_account", account_id="A-1", balance=balance)
    if possible:
        at.gives("reconcile_account", account_id="A-1", balance=balances[-1])
    else:
        words = "so check the balance, or wait for what is pending"
        at.refuses("reconcile_account", "limit_exceeded", words, account_id="A-1", balance=balances[-1])


@pytest.mark.parametrize(
    ("row", "possible"),
    [
        ({"day": "2026-03-01"}, False),
        ({"day": "2026-02-28"}, True),
        ({"account_id": "A-1"}, True),
        ({"payee": "Mill Bakery"}, True),
    ],
)
def test_only_this_months_adjustments_of_the_account_count(row: Row, possible: bool) -> None:
    before = spent("T-30", "Balance adjustment", "2026-03-02", 60.0, account_id="A-2")
    at = desk({"transactions": keyed({**before, **row})})
    if possible:
        at.gives("reconcile_account", account_id="A-2", balance=30)
    else:
        words = (
            "The Wallet account has 80.00 dollars cleared, not 30.00 dollars; 100 dollars a month are adjusted at "
            "most, which leaves 40.00 to 240.00 dollars, so check the balance"
        )
        at.refuses("reconcile_account", "limit_exceeded", words, account_id="A-2", balance=30)


# -- closing months


def test_a_month_is_closed_and_reopened() -> None:
    at = desk()
    row = at.gives("close_month", month_id="M-2")
    changes: Row = {"status": "closed", "closed_on": TODAY, "income": 1400, "spent": 80}
    assert row == {**STATE["months"]["M-2"], **changes}
    assert at.changed() == {"months.changed": {"M-2": changes}}
    words = "February 2026 is closed already; close the month after it, if that is over"
    at.refuses("close_month", "conflict", words, month_id="M-2")
    at.refuses("uncategorise_transaction", "precondition_failed", "February 2026 is closed", transaction_id="T-3")
    words = "February 2026 was closed after it; reopen February 2026 first"
    at.refuses("reopen_month", "precondition_failed", words, month_id="M-1")
    again = at.gives("reopen_month", month_id="M-2")
    assert again == STATE["months"]["M-2"]
    assert at.changed() == {}
    words = "February 2026 is open, so its transactions can be changed as it is"
    at.refuses("reopen_month", "conflict", words, month_id="M-2")


def test_the_latest_closed_month_is_reopened() -> None:
    at = desk()
    at.gives("reopen_month", month_id="M-1")
    gone: Row = {"closed_on": None, "income": None, "spent": None}
    assert at.changed() == {"months.changed": {"M-1": {"status": "open", **gone}}}
    words = "January 2026 is still open; close January 2026 first"
    at.refuses("close_month", "precondition_failed", words, month_id="M-2")
    assert at.gives("close_month", month_id="M-1")["spent"] == 980
    at.gives("close_month", month_id="M-2")
    words = "February 2026 was closed after it; reopen February 2026 first"
    at.refuses("reopen_month", "precondition_failed", words, month_id="M-1")


def test_the_first_of_several_open_months_is_named() -> None:
    april = month("M-4", "April 2026", "2026-04-01", "2026-04-30")
    at = desk({"months": keyed(april)}, now=on("2026-05-01"))
    words = "February 2026 is still open; close February 2026 first"
    at.refuses("close_month", "precondition_failed", words, month_id="M-4")
    closed = {"status": "closed", **CLOSED}
    both = keyed({**STATE["months"]["M-2"], **closed}, {**STATE["months"]["M-3"], **closed})
    words = "March 2026 was closed after it; reopen March 2026 first"
    desk({"months": both}).refuses("reopen_month", "precondition_failed", words, month_id="M-1")


@pytest.mark.parametrize(("day", "possible"), [("2026-02-28", False), ("2026-03-01", True)])
def test_a_month_is_closed_from_the_day_after_its_last(day: str, possible: bool) -> None:
    at = desk(now=on(day))
    if possible:
        at.gives("close_month", month_id="M-2")
    else:
        words = "February 2026 is not over; it can be closed from 2026-03-01 on"
        at.refuses("close_month", "precondition_failed", words, month_id="M-2")


def test_all_that_was_spent_in_a_closed_month_is_in_envelopes() -> None:
    at = desk()
    at.gives("uncategorise_transaction", transaction_id="T-4", envelope_id="E-5")
    words = "1 of the transactions of February 2026 are not fully in envelopes (Green Market); categorise them first"
    at.refuses("close_month", "precondition_failed", words, month_id="M-2")
    at.gives("uncategorise_transaction", transaction_id="T-3")
    words = "2 of the transactions of February 2026 are not fully in envelopes (Green Market, Noodle House)"
    at.refuses("close_month", "precondition_failed", words, month_id="M-2")
    at.gives("categorise_transaction", transaction_id="T-4", envelope_id="E-1")
    at.gives("categorise_transaction", transaction_id="T-3", envelope_id="E-1")
    at.gives("close_month", month_id="M-2")


@pytest.mark.parametrize(("day", "possible"), [("2026-02-28", False), ("2026-03-01", True)])
def test_the_accounts_that_a_month_was_paid_from_are_reconciled_after_it(day: str, possible: bool) -> None:
    at = desk({"accounts": keyed({**STATE["accounts"]["A-2"], "reconciled_on": day})})
    if not possible:
        words = "spent from were not reconciled after its end (Wallet); reconcile them first"
        at.refuses("close_month", "precondition_failed", words, month_id="M-2")
        at.gives("reconcile_account", account_id="A-2", balance=80)
    at.gives("close_month", month_id="M-2")


@pytest.mark.parametrize(("row", "possible"), [(INCOME, True), ({"parts": [part("E-1", 5.0)], "left": 0.0}, False)])
def test_an_account_that_only_had_income_need_not_be_reconciled(row: Row, possible: bool) -> None:
    only = {**spent("T-40", "Clinic payroll", "2026-02-05", 5.0, account_id="A-3"), **row}
    at = desk({"transactions": keyed(only)})
    if possible:
        at.gives("close_month", month_id="M-2")
    else:
        words = "spent from were not reconciled after its end (Old savings); reconcile them first"
        at.refuses("close_month", "precondition_failed", words, month_id="M-2")


# -- other households


def test_the_books_of_another_household_change_nothing_in_ours() -> None:
    """Theirs come first in every table, where a look at all rows would find them before ours."""
    other: Row = {"household_id": "H-2"}
    theirs: dict[str, Rows] = {
        "envelopes": keyed(envelope("E-0", "Unassigned", "unassigned", 5.0, **other)),
        "transactions": keyed(
            spent("T-0", "Their payroll", "2026-02-05", 7000.0, **INCOME, account_id="A-9", **other),
            spent("T-00", "Mill Bakery", "2026-02-06", 9.0, account_id="A-9", **other),
        ),
        "accounts": keyed({**STATE["accounts"]["A-9"], "reconciled_on": "2025-12-01"}),
        "months": keyed(
            month("M-00", "December 2025", "2025-12-01", "2025-12-31", **other),
            month("M-0", "February 2026", "2026-02-01", "2026-02-28", "closed", **CLOSED, **other),
        ),
    }
    state = {name: {**theirs.get(name, {}), **rows} if isinstance(rows, dict) else rows for name, rows in STATE.items()}
    state["accounts"] = {**state["accounts"], **theirs["accounts"]}
    at = Desk(PersonalBudgeting, state)
    assert at.gives("check_envelope", envelope_id="E-6", month_id="M-2")["assigned"] == 1200
    at.gives("reconcile_account", account_id="A-2", balance=83.25)
    assert at.changed()["envelopes.changed"] == {"E-6": holds(643.25, 643.25)}
    at.gives("uncategorise_transaction", transaction_id="T-3")
    at.gives("categorise_transaction", transaction_id="T-3", envelope_id="E-3")
    at.gives("reopen_month", month_id="M-1")
    at.gives("close_month", month_id="M-1")
    row = at.gives("close_month", month_id="M-2")
    assert (row["income"], row["spent"]) == (1400, 80)


OTHERS = {"E-9", "M-9", "T-90", "A-9"}


@pytest.mark.parametrize(
    ("tool", "arguments", "noun"),
    [
        ("check_envelope", {"envelope_id": "E-9"}, "envelope"),
        ("check_envelope", {"envelope_id": "E-1", "month_id": "M-9"}, "month"),
        ("move_money", {"from_id": "E-9", "to_id": "E-1", "amount": 5}, "envelope"),
        ("move_money", {"from_id": "E-1", "to_id": "E-9", "amount": 5}, "envelope"),
        ("cover_overspending", {"envelope_id": "E-9", "from_id": "E-1"}, "envelope"),
        ("cover_overspending", {"envelope_id": "E-3", "from_id": "E-9"}, "envelope"),
        ("list_moves", {"envelope_id": "E-9"}, "envelope"),
        ("find_transactions", {"month_id": "M-9"}, "month"),
        ("categorise_transaction", {"transaction_id": "T-90", "envelope_id": "E-1"}, "transaction"),
        ("categorise_transaction", {"transaction_id": "T-1", "envelope_id": "E-9"}, "envelope"),
        ("uncategorise_transaction", {"transaction_id": "T-90"}, "transaction"),
        ("uncategorise_transaction", {"transaction_id": "T-3", "envelope_id": "E-9"}, "envelope"),
        ("set_target", {"envelope_id": "E-9", "amount": 5}, "envelope"),
        ("preview_bills", {"envelope_id": "E-9"}, "envelope"),
        ("reconcile_account", {"account_id": "A-9", "balance": 10}, "account"),
        ("close_month", {"month_id": "M-9"}, "month"),
        ("reopen_month", {"month_id": "M-9"}, "month"),
    ],
)
def test_what_belongs_to_another_household_is_out_of_reach(tool: str, arguments: Row, noun: str) -> None:
    desk().refuses(tool, "permission_denied", f"That {noun} belongs to somebody else", **arguments)
    missing = {name: "X-1" if value in OTHERS else value for name, value in arguments.items()}
    desk().refuses(tool, "not_found", f"no {noun} with the id 'X-1'", **missing)


# -- scenarios


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [10, 60, 300])
@pytest.mark.parametrize(
    "now", [DEFAULT_NOW, *(dt.datetime.fromisoformat(day) for day in ("2026-03-01", "2026-01-31", "2028-02-29"))]
)
def test_a_scenario_is_a_budget_that_adds_up(seed: int, size: int, now: dt.datetime) -> None:
    world = build_scenario(PersonalBudgeting, seed, size, now)
    today = now.date()
    assert "-0.0," not in world.model_dump_json()
    for household in world.households:
        envelopes = [row for row in world.envelopes.values() if row.household_id == household]
        rows = [row for row in world.transactions.values() if row.household_id == household]
        moves = [row for row in world.moves.values() if row.household_id == household]
        accounts = [row for row in world.accounts.values() if row.household_id == household]
        payments = [row for row in world.payments.values() if row.household_id == household]
        months = [row for row in world.months.values() if row.household_id == household]
        on_accounts = sum(row.cleared - row.pending for row in accounts)
        assert on_accounts == pytest.approx(sum(row.available for row in envelopes) - sum(row.left for row in rows))
        for row in envelopes:
            assert row.reserved == pytest.approx(sum(p.amount for p in payments if p.envelope_id == row.id))
            assert row.spare == pytest.approx(max(0, row.available - row.reserved))
            assert row.state == envelope("", "", "", row.available, row.reserved)["state"]
            put = sum(m.amount for m in moves if m.to_id == row.id) - sum(
                m.amount for m in moves if m.from_id == row.id
            )
            gone = sum(p.amount for t in rows for p in t.parts if p.envelope_id == row.id)
            came = sum(t.amount for t in rows if t.filing == "income") if row.group == "unassigned" else 0
            assert row.available - put + gone - came >= -150, "nothing was far below zero when it began"
            assert (row.target is None) == (row.group == "unassigned")
        for row in rows:
            assert row.left == pytest.approx(
                0 if row.filing == "income" else row.amount - sum(p.amount for p in row.parts)
            )
            assert row.left >= 0
            assert row.day <= today
            whole = next(month for month in months if month.starts <= row.day <= month.ends)
            assert row.left == 0 or whole.ends >= today, "the months that are over are complete"
            assert len({p.envelope_id for p in row.parts}) == len(row.parts)
            assert row.filing == "income" or row.filing == (
                "partly_categorised"
                if row.parts and row.left
                else ["uncategorised", "categorised", "split"][len(row.parts)]
            )
        own = {row.id for row in envelopes}
        assert all(
            set(row.usual_ids) <= own and {p.envelope_id for p in row.parts} <= set(row.usual_ids) for row in rows
        )
        assert all(row.account == world.accounts[row.account_id].name for row in rows)
        for row in accounts:
            waiting = [t.amount for t in rows if t.account_id == row.id and t.bank == "pending"]
            assert row.pending == pytest.approx(sum(waiting))
            assert row.cleared > 0
            assert row.reconciled_on <= today
        for row in payments:
            assert row.next_on > today
            assert row.envelope == world.envelopes[row.envelope_id].name
        for row in months:
            there = [t for t in rows if row.starts <= t.day <= row.ends]
            assert (row.status == "closed") == (row.income is not None) == (row.closed_on is not None)
            if row.status == "closed":
                assert row.income == pytest.approx(sum(t.amount for t in there if t.filing == "income"))
                assert row.spent == pytest.approx(sum(t.amount for t in there if t.filing != "income"))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [10, 60, 300])
@pytest.mark.parametrize("now", [DEFAULT_NOW, dt.datetime(2026, 3, 31, 15)])
def test_a_scenario_has_for_the_user_what_every_tool_needs(seed: int, size: int, now: dt.datetime) -> None:
    world = build_scenario(PersonalBudgeting, seed, size, now)
    today, me = now.date(), world.household_id
    envelopes = [row for row in world.envelopes.values() if row.household_id == me]
    spare = [row.spare for row in envelopes if row.state == "free"]
    lacking = [-row.available for row in envelopes if row.state == "overspent"]
    assert len(spare) >= 8
    assert len(lacking) == 3
    assert max(lacking) < min(spare)
    assert {row.state for row in envelopes} == {"overspent", "empty", "reserved", "free"}
    assert any(row.target_by and row.target_by < today for row in envelopes), "one was missed"
    assert any(row.target and row.available >= row.target for row in envelopes), "one is reached"
    rows = [row for row in world.transactions.values() if row.household_id == me]
    for filing in ("uncategorised", "partly_categorised", "split"):
        assert sum(row.filing == filing for row in rows if row.day >= today - dt.timedelta(days=27)) >= 3
    at = Desk(PersonalBudgeting, world.model_dump(mode="json"), now=now)
    months = at.gives("list_months")["months"]
    assert [row["status"] for row in months] == ["open", "open", "open", "closed"]
    at.gives("close_month", month_id=months[2]["id"])
    off = {round(row.reported - row.cleared, 2) for row in world.accounts.values() if row.household_id == me}
    assert off == {-12.4, 0.0, 3.25, -6.5}
    assert {row.bank for row in rows if row.day.replace(day=1) == today.replace(day=1)} >= {"pending", "cleared"}


@pytest.mark.parametrize("seed", range(3))
def test_on_the_first_of_a_month_all_is_reconciled_that_is_not_done_and_the_last_month_is_closed(seed: int) -> None:
    now = dt.datetime(2026, 3, 1, 9)
    at = Desk(PersonalBudgeting, build_scenario(PersonalBudgeting, seed, 50, now).model_dump(mode="json"), now=now)
    for row in at.gives("list_accounts")["accounts"]:
        arguments = {"account_id": row["id"], "balance": row["reported"]}
        if row["name"] == "Bills":  # reconciled this morning, and nothing has cleared since
            at.refuses("reconcile_account", "conflict", "wait until something has cleared", **arguments)
        else:
            at.gives("reconcile_account", **arguments)
    at.gives("close_month", month_id=at.gives("list_months", status="open")["months"][-1]["id"])
