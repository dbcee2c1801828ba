"""The servicing desk of a lender, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.finance.loan_servicing import LoanServicing
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00. At 3.65 percent, 1,000 dollars bear 10 cents a day.

TODAY = "2026-03-02"
SHORTEN, LOWER = "shorten_the_term", "lower_the_instalment"


def loan(key: str, kind: str = "personal", **changes: Any) -> Row:
    """A loan with 1,000 dollars left in instalments of 400, due on the tenth."""
    return {
        "id": key, "borrower_id": "B-1", "kind": kind, "purpose": f"thing {key}", "borrowed": 2000.0, "rate": 3.65,
        "started_on": "2025-01-10", "status": "active", "principal_left": 1000.0, "instalment": 400.0, "due_day": 10,
        "interest_from": "2026-02-10", "next_due": "2026-03-10", "instalments_left": 3, "ends_on": "2026-05-10",
        "overdue": 0.0, "extra_left": 600.0, **changes,
    }  # fmt: skip


OVER: Row = {
    "status": "paid_off", "principal_left": 0.0, "instalment": 0.0, "next_due": None, "ends_on": None,
    "instalments_left": 0, "extra_left": 0.0,
}  # fmt: skip
LATE: Row = {"status": "late", "overdue": 400.0, "rate": 7.3, "next_due": "2026-03-12", "due_day": 12}
LOANS = keyed(
    loan("L-1"),
    loan("L-2", "car", **LATE),
    loan(
        "L-3",
        "home",
        principal_left=1500.0,
        rate=2.0,
        next_due="2026-03-09",
        due_day=9,
        instalments_left=4,
        ends_on="2026-06-09",
        autopay_account_id="A-1",
        autopay_bank="Mill Bank",
    ),
    loan("L-4", "car", **OVER),
    loan("L-5", "personal", rate=1.0, next_due="2026-03-07", due_day=7),
    loan("L-6", "personal", rate=1.0, next_due="2026-03-06", due_day=6),
    loan("L-9", borrower_id="B-2"),
)


def request(key: str, kind: str, loan_id: str = "L-1", **changes: Any) -> Row:
    return {
        "id": key, "borrower_id": LOANS[loan_id]["borrower_id"], "loan_id": loan_id, "purpose": f"thing {loan_id}",
        "kind": kind, "made_on": "2026-02-20", "status": "in_effect", **changes,
    }  # fmt: skip


EXTRA: Row = {
    "status": "booked",
    "account_id": "A-1",
    "bank": "Mill Bank",
    "effect": LOWER,
    "amount": 100.0,
    "to_overdue": 0.0,
}
PAUSE: Row = {"starts_on": "2026-04-01", "months": 1, "cancel_until": "2026-03-31"}
REQUESTS = keyed(
    request("Q-1", "autopay", "L-3", account_id="A-1", bank="Mill Bank", made_on="2026-01-05"),
    request("Q-2", "payoff_quote", amount=1002.4, good_until="2026-03-06", cancel_until="2026-03-06"),
    request("Q-3", "payoff_quote", "L-5", amount=1000.0, good_until="2026-03-01", cancel_until="2026-03-01"),
    request("Q-4", "payment_holiday", "L-3", status="declined", made_on="2026-02-24", starts_on="2026-05-01", months=2),
    request("Q-5", "extra_payment", "L-5", **EXTRA, cancel_until="2026-02-20", instalment_before=450.0),
    request("Q-6", "payoff_quote", "L-4", status="final", amount=5.0, good_until="2026-02-25"),
    request("Q-90", "payoff_quote", "L-9", amount=5.0, good_until="2026-03-20", cancel_until="2026-03-20"),
)


def fee(key: str, loan_id: str = "L-1", **changes: Any) -> Row:
    """A fee for an instalment that was due on a Tuesday."""
    return {
        "id": key, "borrower_id": LOANS[loan_id]["borrower_id"], "loan_id": loan_id, "purpose": f"thing {loan_id}",
        "due_on": "2026-02-10", "charged_on": "2026-02-15", "amount": 15.0, "status": "charged", "waivable": True,
        **changes,
    }  # fmt: skip


FEES = keyed(
    fee("F-1"),
    fee("F-2", due_on="2026-02-08", charged_on="2026-02-13", amount=10.5),
    fee("F-3", "L-2", amount=25.0),
    fee("F-4", status="collected", charged_on="2025-11-15", waivable=False),
    fee("F-5", "L-3", charged_on="2026-02-16", waivable=False),
    fee("F-6", "L-3", status="waived", charged_on="2025-04-15", waived_on="2025-05-02", waived_as="courtesy",
        waivable=False),
    fee("F-9", "L-9"),
)  # fmt: skip


def account(key: str, bank: str, status: str = "verified", borrower: str = "B-1") -> Row:
    return {"id": key, "borrower_id": borrower, "bank": bank, "last_four": "1234", "status": status}


def paper(key: str, kind: str, issued: str, year: int, loan_id: str = "L-1") -> Row:
    return {
        "id": key, "borrower_id": LOANS[loan_id]["borrower_id"], "loan_id": loan_id, "purpose": f"thing {loan_id}",
        "kind": kind, "year": str(year), "issued_on": issued, "amount": 12.0,
    }  # fmt: skip


STATE: dict[str, Any] = {
    "borrower_id": "B-1",
    "borrowers": keyed(
        {"id": "B-1", "name": "Ada Berg", "email": "ada@mail.example"},
        {"id": "B-2", "name": "Ben Cole", "email": "ben@mail.example"},
    ),
    "loans": LOANS,
    "requests": REQUESTS,
    "fees": FEES,
    "accounts": keyed(
        account("A-1", "Mill Bank"),
        account("A-2", "Hill Bank"),
        account("A-3", "Cliff Bank", "unverified"),
        account("A-4", "Dale Bank", "closed"),
        account("A-9", "Moor Bank", borrower="B-2"),
    ),
    "documents": keyed(
        paper("D-1", "contract", "2025-01-10", 2025),
        paper("D-2", "yearly_statement", "2026-01-15", 2025),
        paper("D-3", "yearly_statement", "2026-01-16", 2025, "L-2"),
        paper("D-4", "contract", "2024-05-10", 2024, "L-2"),
        paper("D-9", "contract", "2025-05-10", 2025, "L-9"),
    ),
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(LoanServicing, STATE, rows=rows, **changes)


def on(day: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"{day}T09:00:00")


def extra(loan_id: str = "L-1", amount: float = 100, effect: str = SHORTEN, account_id: str = "A-1") -> Row:
    return {"loan_id": loan_id, "account_id": account_id, "amount": amount, "effect": effect}


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["L-6", "L-5", "L-3", "L-1", "L-2"]),
        ({"page": 2}, ["L-4"]),
        ({"kind": "car"}, ["L-2", "L-4"]),
        ({"status": "late"}, ["L-2"]),
        ({"kind": "personal", "status": "late"}, []),
        ({"sort": "rate"}, ["L-2", "L-1", "L-4", "L-3", "L-5"]),
        ({"sort": "what_is_left"}, ["L-3", "L-1", "L-2", "L-5", "L-6"]),
    ],
)
def test_the_borrower_s_own_loans_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_loans", **arguments) == found


def test_a_loan_is_shown_with_what_is_open_on_it() -> None:
    at = desk()
    shown = at.gives("get_loan", loan_id="L-1")
    kept = {name: value for name, value in LOANS["L-1"].items() if value is not None}
    due = {"due_on": "2026-03-10", "due_amount": 400}
    assert shown == {"loan": kept, "interest_so_far": 2, "fees": 25.5, "requests": [REQUESTS["Q-2"]], **due}
    home = at.gives("get_loan", loan_id="L-3")
    assert (home["loan"]["autopay_bank"], home["requests"]) == ("Mill Bank", [REQUESTS["Q-1"]])
    asked = request("Q-7", "payment_holiday", status="pending")
    also = desk({"requests": keyed(asked)}).gives("get_loan", loan_id="L-1")
    assert also["requests"] == [asked, REQUESTS["Q-2"]]


def test_a_loan_is_shown_with_what_is_really_due_next() -> None:
    pause = request("Q-7", "payment_holiday", starts_on="2026-03-05", months=2)
    elsewhere = request("Q-8", "payment_holiday", "L-5", starts_on="2026-03-05", months=1)
    small = loan("L-7", principal_left=100.0, instalments_left=1, ends_on="2026-03-10")
    at = desk({"requests": keyed(pause, elsewhere), "loans": keyed(small)})
    shown = at.gives("get_loan", loan_id="L-1")
    assert (shown["loan"]["next_due"], shown["due_on"], shown["due_amount"]) == ("2026-03-10", "2026-05-10", 400)
    assert at.gives("get_loan", loan_id="L-7")["due_amount"] == 100.28
    assert at.gives("get_loan", loan_id="L-6")["due_on"] == "2026-03-06"
    over = at.gives("get_loan", loan_id="L-4")
    assert "due_on" not in over
    assert "due_amount" not in over


@pytest.mark.parametrize(("day", "status"), [("2026-03-06", "in_effect"), ("2026-03-07", "final")])
def test_a_payoff_quote_past_its_day_is_no_longer_in_effect(day: str, status: str) -> None:
    holiday = request("Q-7", "payment_holiday", **PAUSE)
    earlier = request("Q-8", "payoff_quote", status="replaced", amount=9.0, good_until="2026-03-01")
    at = desk({"requests": keyed(holiday, earlier)}, now=on(day))
    rows = at.gives("list_requests", loan_id="L-1")["requests"]
    assert {row["id"]: row["status"] for row in rows} == {"Q-2": status, "Q-7": "in_effect", "Q-8": "replaced"}
    found = at.ids("list_requests", loan_id="L-1", kind="payoff_quote", status=status)
    assert found == ["Q-2"]
    shown = [row["id"] for row in at.gives("get_loan", loan_id="L-1")["requests"]]
    assert ("Q-2" in shown) is (status == "in_effect")
    assert "Q-7" in shown


ROWS = [
    {"due_on": "2026-03-10", "amount": 400, "interest": 2.8, "principal": 397.2, "left": 602.8},
    {"due_on": "2026-04-10", "amount": 400, "interest": 1.87, "principal": 398.13, "left": 204.67},
    {"due_on": "2026-05-10", "amount": 205.28, "interest": 0.61, "principal": 204.67, "left": 0},
]


def test_the_schedule_counts_interest_by_the_day_and_ends_with_what_remains() -> None:
    at = desk()
    assert at.gives("get_schedule", loan_id="L-1") == {
        "instalments": ROWS, "total": 3, "page": 1, "pages": 1, "instalment": 400, "ends_on": "2026-05-10",
        "total_interest": 5.28, "saved": 0,
    }  # fmt: skip
    empty = at.gives("get_schedule", loan_id="L-1", page=2)
    assert (empty["instalments"], empty["ends_on"]) == ([], "2026-05-10")
    assert at.changed() == {}


def test_a_schedule_has_six_instalments_a_page_and_goes_over_the_year() -> None:
    long = loan("L-7", principal_left=2000.0, instalment=150.0, next_due="2026-10-10", interest_from="2026-09-10")
    at = desk({"loans": keyed(long)})
    first = at.gives("get_schedule", loan_id="L-7")
    assert [row["due_on"] for row in first["instalments"]] == [
        "2026-10-10", "2026-11-10", "2026-12-10", "2027-01-10", "2027-02-10", "2027-03-10",
    ]  # fmt: skip
    assert (first["total"], first["pages"]) == (14, 3)


@pytest.mark.parametrize(("left", "rows"), [(402.6, 1), (403.87, 1), (403.88, 2), (408.0, 2)])
def test_five_dollars_or_less_go_with_the_last_instalment(left: float, rows: int) -> None:
    at = desk({"loans": keyed(loan("L-7", principal_left=left, instalment=400.0))})
    assert at.gives("get_schedule", loan_id="L-7")["total"] == rows


def test_a_payment_holiday_in_effect_skips_instalments_and_its_interest_is_added() -> None:
    pause = request("Q-7", "payment_holiday", **PAUSE)
    at = desk({"requests": keyed(pause)})
    rows = at.gives("get_schedule", loan_id="L-1")["instalments"]
    assert rows[:2] == [
        ROWS[0],
        {"due_on": "2026-04-10", "amount": 0, "interest": 1.87, "principal": 0, "left": 604.67},
    ]
    assert rows[2] == {"due_on": "2026-05-10", "amount": 400, "interest": 1.81, "principal": 398.19, "left": 206.48}
    for changes in ({"status": "pending"}, {"loan_id": "L-5"}, {"starts_on": "2026-05-11"}):
        other = desk({"requests": keyed({**pause, **changes})})
        assert other.gives("get_schedule", loan_id="L-1")["instalments"] == ROWS
    early = desk({"requests": keyed({**pause, "starts_on": "2026-04-10", "months": 2})})
    assert [row["amount"] for row in early.gives("get_schedule", loan_id="L-1")["instalments"]] == [
        400, 0, 0, 400, 208.99,
    ]  # fmt: skip


def test_the_schedule_after_an_extra_payment_is_reckoned_without_making_it() -> None:
    at = desk()
    shorter = at.gives("get_schedule", loan_id="L-1", extra=600, effect=SHORTEN)
    assert (shorter["instalment"], shorter["ends_on"], shorter["total_interest"]) == (400, "2026-03-10", 1.12)
    assert shorter["saved"] == 4.16
    lower = at.gives("get_schedule", loan_id="L-1", extra=600, effect=LOWER)
    assert (lower["instalment"], lower["ends_on"]) == (160, "2026-05-10")
    assert lower["total_interest"] == pytest.approx(5.28 * 0.4, abs=0.02)
    assert at.changed() == {}


@pytest.mark.parametrize("given", [{"extra": 100}, {"effect": LOWER}])
def test_an_extra_payment_is_reckoned_only_together_with_its_effect(given: Row) -> None:
    words = "Give the extra payment together with its effect, shorten_the_term or lower_the_instalment"
    desk().refuses("get_schedule", "invalid_argument", words, loan_id="L-1", **given)


def test_what_cannot_be_paid_is_not_reckoned_and_a_paid_loan_has_no_schedule() -> None:
    words = "At most 600.00 dollars can be paid extra this year"
    desk().refuses("get_schedule", "limit_exceeded", words, loan_id="L-1", extra=601, effect=LOWER)
    words = "The loan for thing L-4 is paid off; choose another one"
    desk().refuses("get_schedule", "precondition_failed", words, loan_id="L-4")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["Q-4", "Q-6", "Q-5", "Q-3", "Q-2"]),
        ({"page": 2}, ["Q-1"]),
        ({"loan_id": "L-5"}, ["Q-5", "Q-3"]),
        ({"kind": "payoff_quote"}, ["Q-6", "Q-3", "Q-2"]),
        ({"status": "in_effect"}, ["Q-2", "Q-1"]),
        ({"status": "final"}, ["Q-6", "Q-3"]),
        ({"loan_id": "L-5", "kind": "extra_payment", "status": "in_effect"}, []),
    ],
)
def test_the_borrower_s_own_requests_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_requests", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found", "charged"),
    [
        ({}, ["F-5", "F-1", "F-3", "F-2", "F-4"], 65.5),
        ({"page": 2}, ["F-6"], 65.5),
        ({"loan_id": "L-1"}, ["F-1", "F-2", "F-4"], 25.5),
        ({"status": "waived"}, ["F-6"], 0),
        ({"loan_id": "L-1", "status": "collected"}, ["F-4"], 0),
    ],
)
def test_the_borrower_s_own_late_fees_are_listed(arguments: Row, found: list[str], charged: float) -> None:
    at = desk()
    assert at.ids("list_fees", **arguments) == found
    assert at.gives("list_fees", **arguments)["charged"] == charged


def test_a_late_fee_is_shown_with_whether_it_is_waived_today() -> None:
    stale = {"fees": keyed(fee("F-1", waivable=False), fee("F-4", status="collected", waivable=True))}
    rows = desk(stale).gives("list_fees", loan_id="L-1")["fees"]
    assert [(row["id"], row["waivable"]) for row in rows] == [("F-1", True), ("F-4", False), ("F-2", True)]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [({}, ["A-3", "A-4", "A-2", "A-1"]), ({"status": "verified"}, ["A-2", "A-1"]), ({"status": "closed"}, ["A-4"])],
)
def test_the_borrower_s_own_accounts_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_repayment_accounts", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["D-3", "D-2", "D-1", "D-4"]),
        ({"page": 2}, []),
        ({"loan_id": "L-2"}, ["D-3", "D-4"]),
        ({"kind": "contract"}, ["D-1", "D-4"]),
        ({"year": "2024"}, ["D-4"]),
        ({"loan_id": "L-1", "kind": "contract", "year": "2024"}, []),
    ],
)
def test_the_borrower_s_own_documents_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_documents", **arguments) == found


@pytest.mark.parametrize("year", ["1999", "25", "20255"])
def test_a_year_has_four_digits(year: str) -> None:
    desk().refuses("find_documents", "invalid_argument", "year", year=year)


# -- extra payments


def test_an_extra_payment_shortens_the_term() -> None:
    at = desk()
    made = at.gives("make_extra_payment", **extra(amount=600))
    assert made == {
        "request_id": "RQ-1001", "kind": "extra_payment", "request_status": "booked", "loan_id": "L-1",
        "purpose": "thing L-1", "cancel_until": TODAY, "loan_status": "active", "principal_left": 400,
        "instalment": 400, "next_due": "2026-03-10", "ends_on": "2026-03-10",
    }  # fmt: skip
    changed = at.changed()
    assert changed["loans.changed"] == {
        "L-1": {"principal_left": 400, "extra_left": 0, "instalments_left": 1, "ends_on": "2026-03-10"}
    }
    assert changed["requests.created"] == {
        "RQ-1001": {
            **request("RQ-1001", "extra_payment", **EXTRA), "made_on": TODAY, "cancel_until": TODAY, "amount": 600,
            "effect": SHORTEN, "instalment_before": 400,
        }
    }  # fmt: skip
    assert changed["requests.changed"] == {"Q-2": {"status": "replaced"}}


def test_an_extra_payment_lowers_the_instalment_in_step_with_what_is_left() -> None:
    at = desk()
    made = at.gives("make_extra_payment", **extra(amount=333.335, effect=LOWER))
    assert (made["principal_left"], made["instalment"], made["ends_on"]) == (666.66, 266.67, "2026-05-10")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (extra(amount=49.99), "invalid_argument", "Pay at least 50 dollars extra, not 49.99"),
        (extra(amount=600.01), "limit_exceeded", "At most 600.00 dollars can be paid extra this year; pay no more, or"),
        (extra(amount=1000), "precondition_failed", "all of the 1,000.00 dollars left or more; ask for a payoff quote"),
        (extra("L-4"), "precondition_failed", "The loan for thing L-4 is paid off"),
        (extra("L-2", 399.99), "precondition_failed", "400.00 dollars are overdue; pay at least that much"),
        (extra("L-2", 1000.01), "limit_exceeded", "At most 1,000.00 dollars can be paid extra this year"),
        (extra("L-2", 1400), "precondition_failed", "all of the 1,000.00 dollars left or more"),
        (extra(account_id="A-3"), "precondition_failed", "Cliff Bank is unverified; choose a verified account: Hill"),
        (
            extra(account_id="A-4"),
            "precondition_failed",
            "Dale Bank is closed; choose a verified account: Hill Bank or",
        ),
        (extra(account_id="A-9"), "permission_denied", "That account belongs to somebody else"),
        (extra("L-9"), "permission_denied", "That loan belongs to somebody else"),
        (extra(amount=0), "invalid_argument", "amount"),
        (extra(amount=1_000_001), "invalid_argument", "amount"),
    ],
)
def test_an_extra_payment_that_is_too_small_or_too_large_is_not_taken(arguments: Row, code: str, words: str) -> None:
    desk().refuses("make_extra_payment", code, words, **arguments)


@pytest.mark.parametrize("amount", [50, 600])
def test_the_least_and_the_most_can_be_paid_extra(amount: float) -> None:
    assert desk().gives("make_extra_payment", **extra(amount=amount))["principal_left"] == 1000 - amount


def test_without_a_verified_account_none_is_named() -> None:
    at = desk({"accounts": keyed(account("A-1", "Mill Bank", "closed"), account("A-2", "Hill Bank", "closed"))})
    at.refuses("make_extra_payment", "precondition_failed", "choose a verified account: none so far", **extra())


@pytest.mark.parametrize(("amount", "left"), [(400, 1000), (410, 990), (1000, 400)])
def test_what_is_overdue_is_covered_first_and_stays_covered(amount: float, left: float) -> None:
    at = desk()
    made = at.gives("make_extra_payment", **extra("L-2", amount))
    assert (made["principal_left"], made["loan_status"], made["request_status"]) == (left, "active", "final")
    assert "cancel_until" not in made
    changes = at.changed()["loans.changed"]["L-2"]
    assert (changes["overdue"], changes["status"]) == (0, "active")
    assert changes.get("extra_left", 600) == 1000 - amount
    kept = at.changed()["requests.created"]["RQ-1001"]
    assert (kept["to_overdue"], kept["amount"]) == (400, amount)
    words = "The extra payment for thing L-2 is final, so it cannot be cancelled; ask for what you need anew"
    at.refuses("cancel_request", "precondition_failed", words, request_id="RQ-1001")


def test_paying_what_is_overdue_alone_ends_a_quote_as_well() -> None:
    at = desk()
    at.gives("quote_payoff", loan_id="L-2", good_until="2026-03-20")
    at.gives("make_extra_payment", **extra("L-2", 400))
    words = "The payoff quote for thing L-2 is replaced; ask for a new one"
    at.refuses("pay_off_loan", "precondition_failed", words, quote_id="RQ-1001", account_id="A-1")


@pytest.mark.parametrize("effect", [SHORTEN, LOWER])
def test_cancelling_an_extra_payment_gives_the_loan_back(effect: str) -> None:
    at = desk()
    at.gives("make_extra_payment", **extra(amount=300, effect=effect))
    back = at.gives("cancel_request", request_id="RQ-1001")
    assert (back["request_status"], back["principal_left"], back["instalment"]) == ("cancelled", 1000, 400)
    assert "loans.changed" not in at.changed()
    at.refuses("cancel_request", "precondition_failed", "is cancelled, so it cannot be", request_id="RQ-1001")


def test_of_two_extra_payments_the_newest_is_cancelled_first() -> None:
    at = desk()
    at.gives("make_extra_payment", **extra(amount=100, effect=LOWER))
    at.gives("make_extra_payment", **extra("L-5", 70))
    at.gives("make_extra_payment", **extra(amount=200, effect=LOWER))
    words = "A newer extra payment of 200.00 dollars builds on this one; cancel that one first"
    at.refuses("cancel_request", "precondition_failed", words, request_id="RQ-1001")
    at.gives("cancel_request", request_id="RQ-1003")
    at.gives("cancel_request", request_id="RQ-1001")
    assert set(at.changed()["loans.changed"]) == {"L-5"}


def test_the_newest_of_a_day_is_the_one_with_the_highest_number_however_they_are_kept() -> None:
    first, second = (
        request(key, "extra_payment", **{**EXTRA, "amount": amount}, made_on=TODAY, cancel_until=TODAY)  # pyright: ignore[reportArgumentType]
        for key, amount in (("RQ-517", 60.0), ("RQ-1001", 80.0))
    )
    at = desk({"requests": keyed(second, first)})
    assert at.ids("list_requests", kind="extra_payment")[:2] == ["RQ-1001", "RQ-517"]
    words = "A newer extra payment of 80.00 dollars builds on this one"
    at.refuses("cancel_request", "precondition_failed", words, request_id="RQ-517")
    at.gives("cancel_request", request_id="RQ-1001")


def test_an_extra_payment_is_cancelled_on_its_day_only() -> None:
    at = desk()
    words = "The extra payment for thing L-5 could be cancelled until 2026-02-20; ask for what you need anew"
    at.refuses("cancel_request", "precondition_failed", words, request_id="Q-5")
    same = desk(now=on("2026-02-20"))
    assert same.gives("cancel_request", request_id="Q-5")["instalment"] == 450


# -- due dates


@pytest.mark.parametrize(
    ("day", "next_due"), [(10, "2026-03-10"), (20, "2026-03-20"), (5, "2026-04-05"), (28, "2026-03-28")]
)
def test_a_moved_due_date_is_never_sooner(day: int, next_due: str) -> None:
    at = desk({"loans": keyed(loan("L-1", due_day=9, next_due="2026-03-09"))})
    made = at.gives("move_due_date", loan_id="L-1", due_day=day)
    assert (made["next_due"], made["cancel_until"], made["request_status"]) == (next_due, TODAY, "booked")
    assert at.changed()["requests.created"] == {
        "RQ-1001": {
            **request("RQ-1001", "due_date_move"), "made_on": TODAY, "status": "booked", "due_day": day,
            "due_before": "2026-03-09", "cancel_until": TODAY,
        }
    }  # fmt: skip


def test_a_moved_due_date_bears_interest_and_can_be_moved_back_the_same_day() -> None:
    at = desk()
    at.gives("move_due_date", loan_id="L-1", due_day=20)
    first = at.gives("get_schedule", loan_id="L-1")["instalments"][0]
    assert (first["due_on"], first["interest"]) == ("2026-03-20", 3.8)
    changes = at.changed()["loans.changed"]["L-1"]
    assert (changes["due_day"], changes["day_fixed_until"]) == (20, "2027-03-01")
    assert "requests.changed" not in at.changed(), "a quote holds, as nothing else is owed"
    words = "The due date was moved within 12 months; it can be moved again after 2027-03-01"
    at.refuses("move_due_date", "precondition_failed", words, loan_id="L-1", due_day=15)
    at.gives("cancel_request", request_id="RQ-1001")
    assert "loans.changed" not in at.changed()
    at.gives("move_due_date", loan_id="L-1", due_day=15)


@pytest.mark.parametrize(("until", "possible"), [("2026-03-01", True), (TODAY, False)])
def test_the_due_date_is_moved_again_after_a_year(until: str, possible: bool) -> None:
    at = desk({"loans": keyed(loan("L-1", day_fixed_until=until))})
    assert at("move_due_date", loan_id="L-1", due_day=15).ok is possible


@pytest.mark.parametrize(
    ("loan_id", "day", "code", "words"),
    [
        ("L-1", 10, "conflict", "Instalments are due on day 10 already; choose another day from 1 to 28"),
        ("L-2", 15, "precondition_failed", "400.00 dollars of the loan are overdue; pay them first, then moving the"),
        ("L-4", 15, "precondition_failed", "is paid off"),
        ("L-6", 15, "precondition_failed", "The instalment of 2026-03-06 is being collected; move the due date after"),
        ("L-9", 15, "permission_denied", "That loan belongs to somebody else"),
        ("L-1", 29, "invalid_argument", "due_day"),
        ("L-1", 0, "invalid_argument", "due_day"),
    ],
)
def test_a_due_date_that_cannot_be_moved_stays(loan_id: str, day: int, code: str, words: str) -> None:
    desk().refuses("move_due_date", code, words, loan_id=loan_id, due_day=day)


def test_five_days_before_an_instalment_the_due_date_still_moves() -> None:
    desk().gives("move_due_date", loan_id="L-5", due_day=15)


def test_a_move_of_yesterday_is_not_cancelled() -> None:
    old = request(
        "Q-7", "due_date_move", status="booked", due_day=10, due_before="2026-03-05", cancel_until="2026-03-01"
    )
    words = "could be cancelled until 2026-03-01; the due date can be moved again once a year is over"
    desk({"requests": keyed(old)}).refuses("cancel_request", "precondition_failed", words, request_id="Q-7")


# -- payment holidays


def test_one_instalment_is_skipped_at_once() -> None:
    at = desk()
    made = at.gives("request_holiday", loan_id="L-1", starts_on="2026-03-12", months=1)
    assert (made["request_status"], made["next_due"], made["ends_on"]) == ("in_effect", "2026-03-10", "2026-06-10")
    assert (made["cancel_until"], "answer_by" in made) == ("2026-03-11", False)
    assert at.changed() == {
        "loans.changed": {"L-1": {"ends_on": "2026-06-10", "holiday_from": "2027-03-12"}},
        "requests.created": {
            "RQ-1001": {
                **request("RQ-1001", "payment_holiday"), "made_on": TODAY, "starts_on": "2026-03-12", "months": 1,
                "cancel_until": "2026-03-11",
            }
        },
    }  # fmt: skip
    at.gives("cancel_request", request_id="RQ-1001")
    assert "loans.changed" not in at.changed()


def test_a_skipped_instalment_is_not_the_next_one() -> None:
    at = desk({"loans": keyed(loan("L-1", due_day=20, next_due="2026-03-20", interest_from="2026-02-20"))})
    made = at.gives("request_holiday", loan_id="L-1", starts_on="2026-03-15", months=1)
    assert made["next_due"] == "2026-04-20"


@pytest.mark.parametrize(("loan_id", "months"), [("L-7", 2), ("L-3", 1)])
def test_more_than_one_and_home_loans_are_looked_at_first(loan_id: str, months: int) -> None:
    at = desk({"loans": keyed(loan("L-7", principal_left=1990.0))})
    made = at.gives("request_holiday", loan_id=loan_id, starts_on="2026-03-13", months=months)
    assert (made["request_status"], made["answer_by"]) == ("pending", "2026-03-09")
    assert made["ends_on"] == at.gives("get_schedule", loan_id=loan_id)["ends_on"]
    assert at.gives("cancel_request", request_id="RQ-1001")["request_status"] == "cancelled"
    kept = at.gives("get_loan", loan_id="L-3")["loan"]
    assert (kept["autopay_account_id"], kept["autopay_bank"]) == ("A-1", "Mill Bank")


@pytest.mark.parametrize("day", ["2026-03-12", "2026-08-29"])
def test_a_holiday_begins_from_ten_to_a_hundred_and_eighty_days_ahead(day: str) -> None:
    long = loan("L-7", principal_left=1990.0, instalment=100.0)
    at = desk({"loans": keyed(long)})
    at.gives("request_holiday", loan_id="L-7", starts_on=day, months=3)


@pytest.mark.parametrize(
    ("loan_id", "day", "months", "code", "words"),
    [
        ("L-1", "2026-03-11", 1, "invalid_argument", "begins between 2026-03-12 and 2026-08-29, not on 2026-03-11"),
        ("L-1", "2026-08-30", 1, "invalid_argument", "begins between 2026-03-12 and 2026-08-29, not on 2026-08-30"),
        ("L-1", "2026-03-12", 3, "precondition_failed", "Only 2 instalments are left from 2026-03-12 on; at least one"),
        ("L-1", "2026-04-11", 1, "precondition_failed", "Skip fewer instalments, or begin earlier"),
        ("L-2", "2026-03-20", 1, "precondition_failed", "are overdue; pay them first, then a payment holiday is"),
        ("L-4", "2026-03-20", 1, "precondition_failed", "is paid off"),
        ("L-9", "2026-03-20", 1, "permission_denied", "belongs to somebody else"),
        ("L-1", "2026-03-20", 0, "invalid_argument", "months"),
        ("L-1", "2026-03-20", 4, "invalid_argument", "months"),
    ],
)
def test_a_holiday_that_is_not_possible_is_not_asked_for(
    loan_id: str, day: str, months: int, code: str, words: str
) -> None:
    desk().refuses("request_holiday", code, words, loan_id=loan_id, starts_on=day, months=months)


def test_there_is_one_holiday_a_year_whatever_its_order() -> None:
    long = keyed(loan("L-7", principal_left=1990.0, instalment=100.0))
    at = desk({"loans": long})
    at.gives("request_holiday", loan_id="L-7", starts_on="2026-06-01", months=2)
    words = "There is one payment holiday a year; another one can begin on 2027-06-01 at the earliest"
    for day in ("2026-03-20", "2026-06-01", "2026-08-20"):
        at.refuses("request_holiday", "precondition_failed", words, loan_id="L-7", starts_on=day, months=1)
    at.gives("cancel_request", request_id="RQ-1001")
    at.gives("request_holiday", loan_id="L-7", starts_on="2026-03-20", months=1)


@pytest.mark.parametrize(("free", "possible"), [("2026-03-20", True), ("2026-03-21", False)])
def test_the_next_holiday_begins_a_year_after_the_last(free: str, possible: bool) -> None:
    at = desk({"loans": keyed(loan("L-1", holiday_from=free))})
    assert at("request_holiday", loan_id="L-1", starts_on="2026-03-20", months=1).ok is possible


def test_the_latest_holiday_counts_and_the_day_on_which_one_begins() -> None:
    old = request("Q-7", "payment_holiday", status="final", starts_on="2025-01-01", months=1)
    at = desk({"requests": keyed(old)})
    at.gives("request_holiday", loan_id="L-1", starts_on="2026-04-10", months=1)
    assert at.gives("get_loan", loan_id="L-1")["loan"]["holiday_from"] == "2027-04-10"


def test_a_declined_holiday_does_not_count() -> None:
    assert "holiday_from" not in desk().gives("get_loan", loan_id="L-3")["loan"]
    at = desk()
    at.gives("set_up_autopay", loan_id="L-3", account_id="A-2")
    assert "holiday_from" not in at.gives("get_loan", loan_id="L-3")["loan"]
    words = "The payment holiday for thing L-3 is declined, so it cannot be cancelled; ask for another payment holiday"
    at.refuses("cancel_request", "precondition_failed", words, request_id="Q-4")


@pytest.mark.parametrize(("day", "possible"), [("2026-03-31", True), ("2026-04-01", False)])
def test_a_holiday_is_cancelled_until_the_day_before(day: str, possible: bool) -> None:
    at = desk({"requests": keyed(request("Q-7", "payment_holiday", **PAUSE))}, now=on(day))
    assert at("cancel_request", request_id="Q-7").ok is possible


# -- autopay


def test_autopay_is_set_up_changed_and_cancelled() -> None:
    at = desk()
    made = at.gives("set_up_autopay", loan_id="L-3", account_id="A-2")
    assert (made["request_status"], made["kind"]) == ("in_effect", "autopay")
    changed = at.changed()
    assert changed["loans.changed"] == {"L-3": {"autopay_account_id": "A-2", "autopay_bank": "Hill Bank"}}
    assert changed["requests.changed"] == {"Q-1": {"status": "replaced"}}
    assert changed["requests.created"] == {
        "RQ-1001": {**request("RQ-1001", "autopay", "L-3"), "made_on": TODAY, "account_id": "A-2", "bank": "Hill Bank"}
    }
    words = "The autopay for thing L-3 is replaced, so it cannot be cancelled; set up autopay anew if you want it back"
    at.refuses("cancel_request", "precondition_failed", words, request_id="Q-1")
    at.gives("cancel_request", request_id="RQ-1001")
    assert at.changed()["loans.changed"] == {"L-3": {"autopay_account_id": None, "autopay_bank": None}}
    at.gives("set_up_autopay", loan_id="L-3", account_id="A-1")


@pytest.mark.parametrize(
    ("loan_id", "account_id", "code", "words"),
    [
        ("L-3", "A-1", "conflict", "The loan is collected from Mill Bank already; choose another account to change"),
        ("L-1", "A-3", "precondition_failed", "Cliff Bank is unverified; choose a verified account: Hill Bank or Mill"),
        ("L-1", "A-9", "permission_denied", "That account belongs to somebody else"),
        ("L-4", "A-1", "precondition_failed", "is paid off"),
        ("L-9", "A-1", "permission_denied", "That loan belongs to somebody else"),
    ],
)
def test_autopay_needs_a_verified_account_and_an_open_loan(
    loan_id: str, account_id: str, code: str, words: str
) -> None:
    desk().refuses("set_up_autopay", code, words, loan_id=loan_id, account_id=account_id)


def test_autopay_of_a_late_loan_and_only_of_that_loan() -> None:
    at = desk()
    at.gives("set_up_autopay", loan_id="L-2", account_id="A-1")
    assert "requests.changed" not in at.changed()


# -- paying off


def test_a_quote_adds_up_what_is_owed() -> None:
    at = desk()
    quote = at.gives("quote_payoff", loan_id="L-2", good_until="2026-03-12")
    assert quote == {
        "request_id": "RQ-1001", "loan_id": "L-2", "purpose": "thing L-2", "good_until": "2026-03-12",
        "principal": 1000, "interest": 6, "overdue": 400, "fees": 25, "early_fee": 0, "amount": 1431,
    }  # fmt: skip
    assert at.changed() == {
        "requests.created": {
            "RQ-1001": {
                **request("RQ-1001", "payoff_quote", "L-2"), "made_on": TODAY, "amount": 1431,
                "good_until": "2026-03-12", "cancel_until": "2026-03-12",
            }
        }
    }  # fmt: skip
    home = at.gives("quote_payoff", loan_id="L-3", good_until=TODAY)
    assert (home["early_fee"], home["interest"], home["fees"], home["amount"]) == (15, 1.64, 15, 1531.64)
    assert at.gives("get_loan", loan_id="L-3")["requests"][-1] == REQUESTS["Q-1"], "autopay is not replaced"


def test_a_new_quote_replaces_the_one_of_the_same_loan() -> None:
    old = request("Q-7", "payoff_quote", status="cancelled", amount=9.0, good_until="2026-03-06")
    at = desk({"requests": keyed(old)})
    at.gives("quote_payoff", loan_id="L-1", good_until="2026-03-20")
    assert at.changed()["requests.changed"] == {"Q-2": {"status": "replaced"}}


@pytest.mark.parametrize(("day", "possible"), [("2026-03-01", 0), (TODAY, 1), ("2026-04-01", 1), ("2026-04-02", 0)])
def test_a_quote_is_good_for_thirty_days_at_most(day: str, possible: bool) -> None:
    at = desk()
    if possible:
        at.gives("quote_payoff", loan_id="L-1", good_until=day)
    else:
        words = f"A payoff quote is good until a day from 2026-03-02 to 2026-04-01, not {day}; choose one of these"
        at.refuses("quote_payoff", "invalid_argument", words, loan_id="L-1", good_until=day)


def test_no_quote_is_given_for_what_is_paid_off_or_another_s() -> None:
    desk().refuses("quote_payoff", "precondition_failed", "is paid off", loan_id="L-4", good_until="2026-03-20")
    desk().refuses("quote_payoff", "permission_denied", "somebody else", loan_id="L-9", good_until="2026-03-20")


def test_interest_billed_ahead_is_not_given_back() -> None:
    at = desk({"loans": keyed(loan("L-1", interest_from="2026-03-10", next_due="2026-04-10"))})
    assert at.gives("quote_payoff", loan_id="L-1", good_until="2026-03-05")["interest"] == 0


def test_a_loan_is_paid_off() -> None:
    open_ones = keyed(
        request("Q-7", "autopay", account_id="A-1"),
        request("Q-8", "payment_holiday", **PAUSE, status="pending"),
        request("Q-10", "extra_payment", **EXTRA, cancel_until=TODAY, instalment_before=450.0),
        request("Q-11", "due_date_move", status="cancelled", due_day=3),
    )
    fixed = loan(
        "L-1",
        autopay_account_id="A-1",
        autopay_bank="Mill Bank",
        day_fixed_until="2026-12-01",
        holiday_from="2027-04-01",
    )
    let_off = fee("F-7", status="waived", waived_on="2026-02-20", waived_as="courtesy", waivable=False)
    at = desk({"requests": open_ones, "loans": keyed(fixed), "fees": keyed(let_off)})
    unset = ("autopay_account_id", "autopay_bank", "day_fixed_until", "holiday_from")
    assert at.gives("pay_off_loan", quote_id="Q-2", account_id="A-2") == {
        "loan_id": "L-1", "purpose": "thing L-1", "paid": 1002.4, "bank": "Hill Bank", "document_id": "DC-1001",
    }  # fmt: skip
    assert at.changed() == {
        "loans.changed": {"L-1": {**OVER, **dict.fromkeys(unset)}},
        "requests.changed": {key: {"status": "final"} for key in ("Q-2", "Q-7", "Q-8", "Q-10")},
        "fees.changed": {key: {"status": "collected", "waivable": False} for key in ("F-1", "F-2")},
        "documents.created": {
            "DC-1001": {**paper("DC-1001", "payoff_letter", TODAY, 2026), "amount": 1002.4}
        },
    }  # fmt: skip
    for key in ("Q-2", "Q-7", "Q-8", "Q-10"):
        at.refuses("cancel_request", "precondition_failed", "is final, so it cannot be cancelled", request_id=key)
    assert at.ids("find_documents", kind="payoff_letter") == ["DC-1001"]


def test_a_late_loan_is_paid_off_with_what_is_overdue() -> None:
    at = desk()
    at.gives("quote_payoff", loan_id="L-2", good_until="2026-03-20")
    at.gives("pay_off_loan", quote_id="RQ-1001", account_id="A-1")
    assert at.changed()["loans.changed"]["L-2"]["overdue"] == 0


@pytest.mark.parametrize(
    ("quote_id", "account_id", "code", "words"),
    [
        (
            "Q-3",
            "A-1",
            "precondition_failed",
            "The payoff quote for thing L-5 was good until 2026-03-01; ask for a new",
        ),
        ("Q-6", "A-1", "precondition_failed", "The payoff quote for thing L-4 is final; ask for a new one"),
        ("Q-1", "A-1", "invalid_argument", "That is autopay, not a payoff quote; ask for a payoff quote first"),
        ("Q-5", "A-1", "invalid_argument", "That is an extra payment, not a payoff quote"),
        ("Q-4", "A-1", "invalid_argument", "That is a payment holiday, not a payoff quote"),
        ("Q-2", "A-3", "precondition_failed", "Cliff Bank is unverified; choose a verified account"),
        ("Q-2", "A-9", "permission_denied", "That account belongs to somebody else"),
        ("Q-90", "A-1", "permission_denied", "That request belongs to somebody else"),
        ("Q-99", "A-1", "not_found", "no request with the id 'Q-99'"),
    ],
)
def test_only_a_quote_that_holds_is_paid(quote_id: str, account_id: str, code: str, words: str) -> None:
    desk().refuses("pay_off_loan", code, words, quote_id=quote_id, account_id=account_id)


def test_a_quote_is_paid_on_its_last_day_and_can_be_given_up_until_then() -> None:
    at = desk(now=on("2026-03-06"))
    at.gives("pay_off_loan", quote_id="Q-2", account_id="A-1")
    given_up = desk()
    given_up.gives("cancel_request", request_id="Q-2")
    assert given_up.changed() == {"requests.changed": {"Q-2": {"status": "cancelled"}}}
    words = "The payoff quote for thing L-1 is cancelled; ask for a new one"
    given_up.refuses("pay_off_loan", "precondition_failed", words, quote_id="Q-2", account_id="A-1")


@pytest.mark.parametrize("way", ["extra", "back", "waiver"])
def test_a_quote_ends_when_what_is_owed_changes(way: str) -> None:
    at = desk({"requests": keyed(request("Q-7", "payoff_quote", "L-5", amount=9.0, good_until="2026-03-20"))})
    if way == "waiver":
        at.gives("waive_late_fee", fee_id="F-1")
    else:
        at.gives("make_extra_payment", **extra())
        if way == "back":
            at.gives("cancel_request", request_id="RQ-1001")
    words = "The payoff quote for thing L-1 is replaced; ask for a new one"
    at.refuses("pay_off_loan", "precondition_failed", words, quote_id="Q-2", account_id="A-1")
    assert at.gives("list_requests", loan_id="L-5", status="in_effect")["total"] == 1, "others' quotes hold"


# -- late fees


def test_a_fee_is_waived_as_a_courtesy_once_a_year_and_loan() -> None:
    stale = (fee("F-4", status="collected", charged_on="2025-11-15"), fee("F-8", "L-5", waivable=False))
    more = keyed(fee("F-7", charged_on="2026-02-25"), *stale)
    at = desk({"fees": more})
    waived = at.gives("waive_late_fee", fee_id="F-1")
    changes: Row = {"status": "waived", "waived_as": "courtesy", "waived_on": TODAY, "waivable": False}
    assert waived == {**FEES["F-1"], **changes}
    assert at.changed() == {
        "fees.changed": {"F-1": changes, "F-7": {"waivable": False}},
        "requests.changed": {"Q-2": {"status": "replaced"}},
    }
    words = (
        "A fee of this loan was waived on 2026-03-02 as a courtesy, which is done once in 12 months; from 2027-03-02"
    )
    at.refuses("waive_late_fee", "precondition_failed", words, fee_id="F-7")
    at.gives("waive_late_fee", fee_id="F-8")
    assert at.gives("waive_late_fee", fee_id="F-2")["waived_as"] == "weekend"


def test_a_fee_of_a_weekend_does_not_use_up_the_courtesy() -> None:
    at = desk()
    assert at.gives("waive_late_fee", fee_id="F-2")["waived_as"] == "weekend"
    assert at.gives("waive_late_fee", fee_id="F-1")["waived_as"] == "courtesy"


@pytest.mark.parametrize(("day", "possible"), [("2026-05-01", False), ("2026-05-02", True)])
def test_the_next_courtesy_is_possible_after_a_year(day: str, possible: bool) -> None:
    at = desk(now=on(day))
    assert at.gives("list_fees", loan_id="L-3")["fees"][0]["waivable"] is possible
    assert at("waive_late_fee", fee_id="F-5").ok is possible


def test_only_a_charged_fee_of_one_s_own_is_waived() -> None:
    at = desk()
    words = "The late fee of 2025-11-15 is collected already; only a charged one can be waived"
    at.refuses("waive_late_fee", "conflict", words, fee_id="F-4")
    at.refuses("waive_late_fee", "conflict", "is waived already", fee_id="F-6")
    at.refuses("waive_late_fee", "permission_denied", "That late fee belongs to somebody else", fee_id="F-9")
    at.refuses("waive_late_fee", "not_found", "no late fee with the id 'F-99'", fee_id="F-99")


# -- other people's loans


@pytest.mark.parametrize("tool", ["get_loan", "get_schedule", "list_requests", "list_fees", "find_documents"])
def test_others_loans_are_not_looked_into(tool: str) -> None:
    desk().refuses(tool, "permission_denied", "That loan belongs to somebody else", loan_id="L-9")
    desk().refuses(tool, "not_found", "no loan with the id 'L-99'", loan_id="L-99")
    desk().refuses(tool, "not_found", "no loan with the id ''", loan_id="")


def test_others_requests_are_not_cancelled() -> None:
    desk().refuses("cancel_request", "permission_denied", "That request belongs to somebody else", request_id="Q-90")
    desk().refuses("cancel_request", "not_found", "no request with the id 'Q-99'", request_id="Q-99")


# -- scenarios


def test_what_is_owed_and_at_what_rate_differs_from_scenario_to_scenario() -> None:
    worlds = [build_scenario(LoanServicing, seed, 10, DEFAULT_NOW) for seed in (1, 2, 3)]
    for name in ("borrowed", "rate", "principal_left"):
        rows = {tuple(vars(row)[name] for row in list(world.loans.values())[:13]) for world in worlds}
        assert len(rows) == 3
    assert all(row.borrowed % 100 == 0 for world in worlds for row in list(world.loans.values())[:13])


YEAR_ROUND = tuple(dt.datetime(2026, month, 2 * month + 5, 15) for month in (1, 4, 6, 9, 12))


@pytest.mark.parametrize(
    ("seed", "size", "now"),
    [(0, 10, DEFAULT_NOW), (1, 60, DEFAULT_NOW), (2, 300, DEFAULT_NOW), *((3, 10, now) for now in YEAR_ROUND)],
)
def test_a_scenario_keeps_the_rules_of_the_lender(seed: int, size: int, now: dt.datetime) -> None:
    world = build_scenario(LoanServicing, seed, size, now)
    today, me = now.date(), world.borrower_id
    mine = [row for row in world.loans.values() if row.borrower_id == me]
    asked = [row for row in world.requests.values() if row.borrower_id == me]
    assert {row.status for row in mine} == {"active", "late", "paid_off"}
    assert {row.kind for row in mine} == {"home", "car", "personal"}
    assert len({row.purpose for row in mine}) == len(mine) > 10
    assert {row.status for row in asked} == {
        "pending", "in_effect", "booked", "final", "declined", "cancelled", "replaced",
    }  # fmt: skip
    assert {row.kind for row in asked} == {
        "extra_payment", "due_date_move", "payment_holiday", "autopay", "payoff_quote",
    }  # fmt: skip
    over = {row.status for row in asked if row.good_until and row.good_until < today}
    assert over == {"final"}, "a quote past its day is over"
    letters = [paper for paper in world.documents.values() if paper.kind == "payoff_letter"]
    paid = [row for row in asked if row.kind == "payoff_quote" and world.loans[row.loan_id].status == "paid_off"]
    assert [paper.amount for paper in letters] == [row.amount for row in paid]
    for row in paid:
        debt = world.loans[row.loan_id]
        assert (row.amount or 0) > debt.borrowed / 100, "a loan that is paid off early had something left"
    assert {row.status for row in world.accounts.values() if row.borrower_id == me} == {
        "verified", "unverified", "closed",
    }  # fmt: skip
    assert {row.kind for row in world.documents.values() if row.borrower_id == me} == {
        "contract", "yearly_statement", "interest_certificate", "payoff_letter",
    }  # fmt: skip
    shares = {"home": 0.1, "car": 0.25, "personal": 0.5}
    for row in world.loans.values():
        own = [each for each in world.requests.values() if each.loan_id == row.id]
        mandates = [each.account_id for each in own if (each.kind, each.status) == ("autopay", "in_effect")]
        assert mandates == ([row.autopay_account_id] if row.autopay_account_id else [])
        assert sum((each.kind, each.status) == ("payoff_quote", "in_effect") for each in own) <= 1
        assert sum(each.kind == "payment_holiday" and each.status in ("pending", "in_effect") for each in own) <= 1
        if row.status == "paid_off":
            assert (row.principal_left, row.next_due, row.ends_on, row.instalments_left) == (0, None, None, 0)
            continue
        assert row.next_due
        assert row.ends_on
        assert row.interest_from <= today < row.next_due <= row.ends_on
        assert row.next_due.day == row.due_day == row.ends_on.day
        assert (row.overdue > 0) == (row.status == "late")
        assert row.started_on < row.interest_from
        spent = sum((each.amount or 0) - (each.to_overdue or 0) for each in own if each.kind == "extra_payment")
        assert row.extra_left == pytest.approx(row.borrowed * shares[row.kind] - spent)
        assert 0 < row.principal_left < row.borrowed
        moves = [each for each in own if each.kind == "due_date_move"]
        assert len(moves) == (row.day_fixed_until is not None)
    for fee_row in world.fees.values():
        debt = world.loans[fee_row.loan_id]
        assert fee_row.due_on <= debt.interest_from
        assert fee_row.charged_on == fee_row.due_on + dt.timedelta(days=5) <= today
        assert (fee_row.status == "charged") == (fee_row.due_on == debt.interest_from)
        assert not fee_row.waivable or fee_row.status == "charged"
    fees = [row for row in world.fees.values() if row.borrower_id == me and row.status == "charged"]
    assert {row.waivable for row in fees} == {True, False}
    assert {row.due_on.weekday() >= 5 for row in fees} == {True, False}
    for each in world.requests.values():
        debt = world.loans[each.loan_id]
        assert (each.borrower_id, each.purpose) == (debt.borrower_id, debt.purpose)
        assert debt.started_on <= each.made_on <= today
        assert each.account_id is None or world.accounts[each.account_id].status == "verified"
        if each.status == "pending":
            assert each.answer_by
            assert today < each.answer_by
        if each.kind == "payoff_quote" and each.good_until:
            assert (each.good_until - each.made_on).days <= 30
        if each.kind == "payment_holiday" and each.starts_on:
            assert 10 <= (each.starts_on - each.made_on).days <= 180
    quotes = [q for q in asked if (q.kind, q.status) == ("payoff_quote", "in_effect")]
    at = Desk(LoanServicing, {**world.model_dump(mode="json")}, now=now)
    for each in quotes:
        if each.good_until and each.good_until >= today:
            good = each.good_until.isoformat()
            assert at.gives("quote_payoff", loan_id=each.loan_id, good_until=good)["amount"] == each.amount
