from __future__ import annotations

import copy
import datetime as dt
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.catalogue.finance.retail_banking import RetailBanking
from envfactory.environment import DEFAULT_NOW, InProcess, Reference, Result, Session, describe

BACKEND = InProcess({"retail_banking": RetailBanking})
MONDAY = DEFAULT_NOW
Rows = dict[str, dict[str, Any]]


def _nickname(account_id: str) -> str:
    return f"{account_id} money"


def account(key: str, kind: str, balance: float, overdraft: float = 0, **more: Any) -> dict[str, Any]:
    row = {"id": key, "holder_id": "AH-1", "nickname": _nickname(key), "kind": kind, "number": f"4000000{key[-1]}"}
    row |= {
        "balance": balance,
        "overdraft_limit": overdraft,
        "available": max(0.0, balance + overdraft),
        "status": "open",
    }
    return row | more


def transaction(key: str, on: str, amount: float, counterparty: str, category: str, **more: Any) -> dict[str, Any]:
    fixed = {"id": key, "holder_id": "AH-1", "account_id": "A-1", "booked_on": on, "direction": "out"}
    row: dict[str, Any] = {**fixed, "amount": amount}
    row |= {"fee": 0.0, "counterparty": counterparty, "category": category, "channel": "card", "status": "booked"}
    row |= more
    return row | {"account_nickname": _nickname(row["account_id"])}


def payee(key: str, name: str, added_on: str = "2025-01-01", holder: str = "AH-1") -> dict[str, Any]:
    number = f"7000000{key[-1]}"
    return {"id": key, "holder_id": holder, "name": name, "account_number": number, "added_on": added_on}


def card(key: str, status: str, account_id: str = "A-1", holder: str = "AH-1") -> dict[str, Any]:
    row = {"id": key, "holder_id": holder, "account_id": account_id, "kind": "debit", "last_four": f"123{key[-1]}"}
    return row | {"daily_limit": 300.0, "status": status}


def payment(key: str, next_on: str, status: str = "active", account_id: str = "A-1", **more: Any) -> dict[str, Any]:
    row = {"id": key, "holder_id": "AH-1", "account_id": account_id, "payee_id": "P-1", "payee_name": "Ada Chen"}
    return (
        row
        | {"amount": 80.0, "next_on": next_on, "every": "monthly", "status": status}
        | more
        | {"account_nickname": _nickname(more.get("account_id", account_id))}
    )


def keyed(*rows: dict[str, Any]) -> Rows:
    return {row["id"]: row for row in rows}


STATE: dict[str, Any] = {
    "holder_id": "AH-1",
    "holders": keyed(
        {
            "id": "AH-1",
            "name": "Maya Novak",
            "email": "maya.novak@mail.example",
            "daily_limit": 1000.0,
            "security_word": "teacup",
        },
        {
            "id": "AH-2",
            "name": "Leo Park",
            "email": "leo.park@mail.example",
            "daily_limit": 1000.0,
            "security_word": "walnut",
        },
    ),
    "accounts": keyed(
        account("A-1", "checking", 500.0, 200.0),
        account("A-2", "checking", 300.0),
        account("A-3", "savings", 1000.0),
        account("A-4", "savings", 800.0),
        account("A-5", "checking", 0.0, status="closed"),
        account("A-6", "checking", 900.0, holder_id="AH-2"),
    ),
    "cards": keyed(
        card("C-1", "active"),
        card("C-2", "frozen"),
        card("C-3", "blocked", "A-2"),
        card("C-4", "active", "A-6", "AH-2"),
    ),
    "payees": keyed(
        payee("P-1", "Ada Chen"), payee("P-2", "Omar Costa", "2026-03-02"), payee("P-3", "Zoe Young", holder="AH-2")
    ),
    "transactions": keyed(
        transaction("T-1", "2026-02-01", 60.0, "Fresh Market", "groceries"),
        transaction("T-2", "2026-02-10", 100.0, "Bluebird Books", "shopping"),
        transaction("T-3", "2026-02-10", 100.5, "Summit Outdoors", "shopping", account_id="A-2"),
        transaction("T-4", "2026-02-20", 1500.0, "Harbour Studio", "income", direction="in", channel="payment"),
        transaction("T-5", "2026-03-02", 12.0, "Corner Bakery", "eating_out", status="pending"),
        transaction("T-6", "2026-02-05", 70.0, "City Energy", "bills", channel="direct_debit", fee=0.5),
        transaction("T-9", "2026-02-12", 40.0, "Fresh Market", "groceries", holder_id="AH-2", account_id="A-6"),
    ),
    "scheduled": keyed(
        payment("S-1", "2026-03-20"),
        payment("S-2", "2026-03-03", account_id="A-2"),
        payment("S-3", "2026-03-02"),
        payment("S-4", "2026-02-01", "cancelled"),
        payment("S-5", "2026-01-01", "completed"),
        payment("S-9", "2026-03-09", holder_id="AH-2", account_id="A-6", payee_id="P-3", payee_name="Zoe Young"),
    ),
    "disputes": {},
}


class Bank:
    """A session in a state written by hand."""

    def __init__(self, now: dt.datetime = MONDAY, **changes: Rows) -> None:
        state = copy.deepcopy(STATE)
        for table, rows in changes.items():
            for key, fields in rows.items():
                state[table][key] = state[table].get(key, {}) | fields
        document = orjson.dumps({"now": now.isoformat(), "counters": {}, **state}).decode()
        reference = Reference(environments={"retail_banking": ""}, now=now, states={"retail_banking": document})
        self.session = Session(BACKEND, reference)

    def call(self, tool: str, **arguments: Any) -> Result:
        name = f"retail_banking-{tool}"
        return self.session.call(name, arguments, by=self.session.actor(name))

    def value(self, tool: str, **arguments: Any) -> Any:
        result = self.call(tool, **arguments)
        assert result.ok, result.text
        return result.value

    def refused(self, tool: str, **arguments: Any) -> tuple[str, str]:
        """The code and message of a refusal, which changed nothing."""
        before = self.session.digest()
        result = self.call(tool, **arguments)
        assert not result.ok, result.text
        assert self.session.digest() == before
        return result.code, result.value["error"]["message"]

    def changes(self) -> dict[str, Any]:
        """What changed since the start, by table (`created`, `changed`), and the counters."""
        found = self.session.diff().get("retail_banking")
        if found is None:
            return {}
        assert not any(table.deleted for table in found.tables.values())
        tables = {name: table.model_dump(include={"created", "changed"}) for name, table in found.tables.items()}
        shown = {name: {kind: rows for kind, rows in table.items() if rows} for name, table in tables.items()}
        return {**shown, **found.fields}


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


OTHERS = [
    ("get_account", {"account_id": "A-6"}, "account"),
    ("search_transactions", {"account_id": "A-6"}, "account"),
    ("dispute_transaction", {"transaction_id": "T-9", "reason": "fraud"}, "transaction"),
    ("send_payment", {"account_id": "A-6", "payee_id": "P-1", "amount": 10}, "account"),
    ("send_payment", {"account_id": "A-1", "payee_id": "P-3", "amount": 10}, "payee"),
    ("move_money", {"from_account_id": "A-6", "to_account_id": "A-1", "amount": 10}, "account"),
    ("move_money", {"from_account_id": "A-1", "to_account_id": "A-6", "amount": 10}, "account"),
    ("schedule_payment", {"account_id": "A-6", "payee_id": "P-1", "amount": 10, "starts_on": "2026-03-09"}, "account"),
    ("schedule_payment", {"account_id": "A-1", "payee_id": "P-3", "amount": 10, "starts_on": "2026-03-09"}, "payee"),
    ("list_scheduled_payments", {"account_id": "A-6"}, "account"),
    ("cancel_scheduled_payment", {"scheduled_id": "S-9"}, "scheduled payment"),
    ("freeze_card", {"card_id": "C-4"}, "card"),
    ("unfreeze_card", {"card_id": "C-4"}, "card"),
    ("replace_card", {"card_id": "C-4", "security_word": "teacup"}, "card"),
    ("set_savings_goal", {"account_id": "A-6", "target": 5000, "reached_by": "2026-12-01"}, "account"),
]


@pytest.mark.parametrize(("tool", "arguments", "noun"), OTHERS)
def test_what_belongs_to_somebody_else_is_refused(tool: str, arguments: dict[str, Any], noun: str):
    assert Bank().refused(tool, **arguments) == ("permission_denied", f"That {noun} belongs to somebody else.")


@pytest.mark.parametrize(("tool", "arguments", "noun"), OTHERS)
def test_what_does_not_exist_is_not_found(tool: str, arguments: dict[str, Any], noun: str):
    unknown = {
        key: "X-0" if value in ("A-6", "T-9", "P-3", "S-9", "C-4") else value for key, value in arguments.items()
    }
    assert Bank().refused(tool, **unknown) == ("not_found", f"There is no {noun} with the id 'X-0'.")


CLOSED = [
    ("send_payment", {"account_id": "A-5", "payee_id": "P-1", "amount": 10}),
    ("move_money", {"from_account_id": "A-5", "to_account_id": "A-1", "amount": 10}),
    ("move_money", {"from_account_id": "A-1", "to_account_id": "A-5", "amount": 10}),
    ("schedule_payment", {"account_id": "A-5", "payee_id": "P-1", "amount": 10, "starts_on": "2026-03-09"}),
    ("set_savings_goal", {"account_id": "A-5", "target": 5000, "reached_by": "2026-12-01"}),
]


@pytest.mark.parametrize(("tool", "arguments"), CLOSED)
def test_a_closed_account_takes_part_in_nothing(tool: str, arguments: dict[str, Any]):
    assert Bank().refused(tool, **arguments) == ("precondition_failed", "The account A-5 money is closed.")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("send_payment", {"account_id": "A-1", "payee_id": "P-1", "amount": 0.99}),
        ("move_money", {"from_account_id": "A-1", "to_account_id": "A-2", "amount": 0.99}),
        ("schedule_payment", {"account_id": "A-1", "payee_id": "P-1", "amount": 0.99, "starts_on": "2026-03-09"}),
        ("unfreeze_card", {"card_id": "C-2", "daily_limit": 49}),
        ("unfreeze_card", {"card_id": "C-2", "daily_limit": 2001}),
        ("set_savings_goal", {"account_id": "A-3", "target": 0, "reached_by": "2026-12-01"}),
        ("add_payee", {"name": "Z", "account_number": "71234567"}),
        ("add_payee", {"name": "Z" * 61, "account_number": "71234567"}),
        ("add_payee", {"name": "Uma Kim", "account_number": "7123456"}),
        ("add_payee", {"name": "Uma Kim", "account_number": "712345678"}),
        ("search_transactions", {"page": 0}),
        ("search_transactions", {"min_amount": 0}),
        ("list_payees", {"page": 0}),
        ("list_scheduled_payments", {"page": 0}),
    ],
)
def test_arguments_out_of_range_are_refused(tool: str, arguments: dict[str, Any]):
    assert Bank().refused(tool, **arguments)[0] == "invalid_argument"


# -- accounts ---------------------------------------------------------------------------------------------------------


def test_accounts_are_listed_by_kind_and_status_with_their_sum():
    bank = Bank()
    everything = bank.value("list_accounts")
    assert ids(everything["accounts"]) == ["A-1", "A-2", "A-3", "A-4"]
    assert everything["total_balance"] == 2600.0
    assert everything["accounts"][0] == STATE["accounts"]["A-1"]
    assert ids(bank.value("list_accounts", kind="savings")["accounts"]) == ["A-3", "A-4"]
    assert ids(bank.value("list_accounts", status="closed")["accounts"]) == ["A-5"]
    assert bank.value("list_accounts", kind="savings", status="closed") == {"accounts": [], "total_balance": 0.0}


def test_account_details_say_what_can_be_spent_and_which_cards_there_are():
    assert Bank().value("get_account", account_id="A-1") == {
        "account_id": "A-1",
        "nickname": "A-1 money",
        "number": "40000001",
        "status": "open",
        "balance": 500.0,
        "available": 700.0,
        "left_today": 1000.0,
        "cards": [STATE["cards"]["C-1"], STATE["cards"]["C-2"]],
    }


def test_what_is_left_today_counts_todays_payments_out_and_nothing_else():
    def sent(key: str, amount: float, on: str = "2026-03-02", **more: Any) -> dict[str, Any]:
        return transaction(key, on, amount, "Ada Chen", "transfer", **{"channel": "payment", **more})

    bank = Bank(
        transactions=keyed(
            sent("T-11", 300.0, account_id="A-2", fee=1.5),
            sent("T-12", 200.0, on="2026-03-01"),
            sent("T-13", 100.0, channel="own_transfer"),
            sent("T-14", 50.0, direction="in"),
            sent("T-15", 25.0, holder_id="AH-2", account_id="A-6"),
        )
    )
    assert bank.value("get_account", account_id="A-1")["left_today"] == 700.0
    spent = Bank(transactions=keyed(sent("T-11", 1200.0)))
    assert spent.value("get_account", account_id="A-1")["left_today"] == 0.0


# -- transactions -----------------------------------------------------------------------------------------------------


def test_transactions_come_newest_first_in_pages_of_five_with_all_the_money_out():
    bank = Bank()
    first = bank.value("search_transactions")
    assert ids(first["transactions"]) == ["T-5", "T-4", "T-2", "T-3", "T-6"]
    assert (first["total"], first["page"], first["pages"], first["spent"]) == (6, 1, 2, 343.0)
    assert first["transactions"][1] == STATE["transactions"]["T-4"]
    second = bank.value("search_transactions", page=2)
    assert (ids(second["transactions"]), second["page"], second["spent"]) == (["T-1"], 2, 343.0)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"account_id": "A-2"}, ["T-3"]),
        ({"account_id": "A-5"}, []),
        ({"category": "shopping"}, ["T-2", "T-3"]),
        ({"counterparty": "MARKET"}, ["T-1"]),
        ({"since": "2026-02-10"}, ["T-5", "T-4", "T-2", "T-3"]),
        ({"until": "2026-02-10"}, ["T-2", "T-3", "T-6", "T-1"]),
        ({"since": "2026-02-05", "until": "2026-02-05"}, ["T-6"]),
        ({"min_amount": 100}, ["T-4", "T-2", "T-3"]),
        ({"min_amount": 70, "until": "2026-02-10", "sort": "largest"}, ["T-3", "T-2", "T-6"]),
        ({"sort": "largest"}, ["T-4", "T-3", "T-2", "T-6", "T-1"]),
    ],
)
def test_transactions_are_filtered_and_sorted(filters: dict[str, Any], expected: list[str]):
    assert ids(Bank().value("search_transactions", **filters)["transactions"]) == expected


def test_of_equally_large_transactions_the_lower_id_comes_first():
    bank = Bank(transactions={"T-0": transaction("T-0", "2026-01-01", 60.0, "Metro Transit", "transport")})
    assert ids(bank.value("search_transactions", sort="largest", page=2)["transactions"]) == ["T-1", "T-5"]


def test_a_search_that_ends_before_it_begins_is_refused():
    code, message = Bank().refused("search_transactions", since="2026-02-10", until="2026-02-09")
    assert code == "invalid_argument"
    assert message == "The search would end on 2026-02-09, before it begins on 2026-02-10."


# -- disputes ---------------------------------------------------------------------------------------------------------


def test_a_dispute_over_a_hundred_dollars_is_credited_at_once():
    bank = Bank()
    dispute = {
        "id": "DIS-1001",
        "holder_id": "AH-1",
        "transaction_id": "T-2",
        "amount": 100.0,
        "reason": "fraud",
        "opened_on": "2026-03-02",
        "status": "credited",
    }
    assert bank.value("dispute_transaction", transaction_id="T-2", reason="fraud") == dispute
    credit = transaction("TX-1001", "2026-03-02", 100.0, "Bluebird Books", "shopping", direction="in", channel="credit")
    assert bank.changes() == {
        "accounts": {"changed": {"A-1": {"balance": 600.0, "available": 800.0}}},
        "transactions": {"created": {"TX-1001": credit}, "changed": {"T-2": {"status": "disputed"}}},
        "disputes": {"created": {"DIS-1001": dispute}},
        "counters": {"TX": 1001, "DIS": 1001},
    }


def test_a_dispute_over_more_is_reviewed_first():
    bank = Bank()
    found = bank.value("dispute_transaction", transaction_id="T-3", reason="missing_goods")
    assert (found["amount"], found["reason"], found["status"]) == (100.5, "missing_goods", "under_review")
    assert bank.changes() == {
        "transactions": {"changed": {"T-3": {"status": "disputed"}}},
        "disputes": {"created": {"DIS-1001": found}},
        "counters": {"DIS": 1001},
    }


def test_a_purchase_is_disputed_once():
    bank = Bank()
    bank.value("dispute_transaction", transaction_id="T-2", reason="fraud")
    code, message = bank.refused("dispute_transaction", transaction_id="T-2", reason="wrong_amount")
    assert (code, message) == ("conflict", "The purchase at Bluebird Books is disputed already.")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("T-6", "Only card purchases can be disputed."),
        ("T-5", "The purchase is still pending, not booked yet."),
    ],
)
def test_only_booked_card_purchases_are_disputed(key: str, message: str):
    refusal = Bank().refused("dispute_transaction", transaction_id=key, reason="fraud")
    assert refusal == ("precondition_failed", message)


def test_purchases_are_disputed_within_ninety_days():
    bought = {"T-1": {"booked_on": "2025-12-02"}, "T-2": {"booked_on": "2025-12-01"}}
    bank = Bank(transactions=bought)
    assert bank.call("dispute_transaction", transaction_id="T-1", reason="fraud").ok
    refusal = bank.refused("dispute_transaction", transaction_id="T-2", reason="fraud")
    assert refusal == ("precondition_failed", "The purchase is 91 days old, more than 90.")


def test_missing_goods_are_disputed_after_a_week_but_other_reasons_at_once():
    bought = {"T-1": {"booked_on": "2026-02-23"}, "T-2": {"booked_on": "2026-02-24"}}
    bank = Bank(transactions=bought)
    assert bank.call("dispute_transaction", transaction_id="T-1", reason="missing_goods").ok
    refusal = bank.refused("dispute_transaction", transaction_id="T-2", reason="missing_goods")
    assert refusal == ("precondition_failed", "Merchants have 7 days to deliver, not 6.")
    assert bank.call("dispute_transaction", transaction_id="T-2", reason="fraud").ok


def test_a_purchase_on_a_closed_account_is_not_disputed():
    bank = Bank(transactions={"T-1": {"account_id": "A-5"}})
    refusal = bank.refused("dispute_transaction", transaction_id="T-1", reason="fraud")
    assert refusal == ("precondition_failed", "The account A-5 money is closed.")


# -- payees -----------------------------------------------------------------------------------------------------------


def test_payees_come_by_name_in_pages_of_five():
    names = ("Uma Kim", "Bilal Sato", "Grace Meyer", "Hana Rossi")
    bank = Bank(payees=keyed(*(payee(f"P-{5 + n}", name) for n, name in enumerate(names))))
    first = bank.value("list_payees")
    assert ids(first["payees"]) == ["P-1", "P-6", "P-7", "P-8", "P-2"]
    assert (first["total"], first["page"], first["pages"]) == (6, 1, 2)
    assert first["payees"][0] == STATE["payees"]["P-1"]
    assert ids(bank.value("list_payees", page=2)["payees"]) == ["P-5"]
    assert ids(bank.value("list_payees", name="aDa")["payees"]) == ["P-1"]
    assert bank.value("list_payees", name="Zoe") == {"payees": [], "total": 0, "page": 1, "pages": 1}


def test_a_payee_is_added_for_the_signed_in_person():
    bank = Bank()
    added = bank.value("add_payee", name="Zoe Young", account_number="70000003")
    assert added == {"payee_id": "PAY-1001", "name": "Zoe Young", "most_today": 500.0}
    row = {"id": "PAY-1001", "holder_id": "AH-1", "name": "Zoe Young", "account_number": "70000003"}
    assert bank.changes() == {
        "payees": {"created": {"PAY-1001": row | {"added_on": "2026-03-02"}}},
        "counters": {"PAY": 1001},
    }


def test_a_new_payee_gets_no_more_than_the_daily_limit_leaves():
    bank = Bank(holders={"AH-1": {"daily_limit": 400.0}})
    assert bank.value("add_payee", name="Uma Kim", account_number="40000006")["most_today"] == 400.0


def test_a_payee_is_neither_added_twice_nor_an_account_of_ones_own():
    bank = Bank()
    code, message = bank.refused("add_payee", name="Ada", account_number="70000001")
    assert (code, message) == ("conflict", "You have this account on your list already, as Ada Chen.")
    code, message = bank.refused("add_payee", name="Me", account_number="40000003")
    assert (code, message) == ("invalid_argument", "That is an account of your own, not a payee.")


# -- payments ---------------------------------------------------------------------------------------------------------


def test_a_standard_payment_is_free_and_arrives_on_the_next_working_day():
    bank = Bank()
    receipt = bank.value("send_payment", account_id="A-1", payee_id="P-1", amount=120.5, reference="rent")
    assert receipt == {
        "transaction_id": "TX-1001",
        "payee_name": "Ada Chen",
        "amount": 120.5,
        "fee": 0.0,
        "arrives_on": "2026-03-03",
        "left_today": 879.5,
    }
    booked = transaction("TX-1001", "2026-03-02", 120.5, "Ada Chen", "transfer", channel="payment", reference="rent")
    assert bank.changes() == {
        "accounts": {"changed": {"A-1": {"balance": 379.5, "available": 579.5}}},
        "transactions": {"created": {"TX-1001": booked}},
        "counters": {"TX": 1001},
    }


def test_an_instant_payment_costs_a_fee_and_arrives_today():
    bank = Bank()
    receipt = bank.value("send_payment", account_id="A-2", payee_id="P-1", amount=100, speed="instant")
    assert (receipt["fee"], receipt["arrives_on"], receipt["left_today"]) == (1.5, "2026-03-02", 900.0)
    changes = bank.changes()
    assert changes["accounts"] == {"changed": {"A-2": {"balance": 198.5, "available": 198.5}}}
    booked = transaction("TX-1001", "2026-03-02", 100.0, "Ada Chen", "transfer", channel="payment", account_id="A-2")
    assert changes["transactions"] == {"created": {"TX-1001": booked | {"fee": 1.5}}}


@pytest.mark.parametrize(
    ("day", "arrives"),
    [(5, "2026-03-06"), (6, "2026-03-09"), (7, "2026-03-09"), (8, "2026-03-09"), (9, "2026-03-10")],
)
def test_nothing_arrives_at_the_weekend(day: int, arrives: str):
    bank = Bank(now=MONDAY.replace(day=day))
    assert bank.value("send_payment", account_id="A-1", payee_id="P-1", amount=10)["arrives_on"] == arrives


def test_a_payment_may_use_the_whole_overdraft_and_not_a_cent_more():
    overdrawn = Bank()
    overdrawn.value("send_payment", account_id="A-1", payee_id="P-1", amount=700)
    assert overdrawn.changes()["accounts"] == {"changed": {"A-1": {"balance": -200.0, "available": 0.0}}}
    refusal = Bank().refused("send_payment", account_id="A-1", payee_id="P-1", amount=700.01)
    assert refusal == ("precondition_failed", "The account A-1 money has 700.00 dollars available, not 700.01.")
    refusal = Bank().refused("send_payment", account_id="A-1", payee_id="P-1", amount=699, speed="instant")
    assert refusal == ("precondition_failed", "The account A-1 money has 700.00 dollars available, not 700.50.")


def test_the_daily_limit_holds_over_all_payments_of_a_day():
    bank = Bank(accounts={"A-2": {"balance": 5000.0, "available": 5000.0}})
    bank.value("send_payment", account_id="A-1", payee_id="P-1", amount=600)
    refusal = bank.refused("send_payment", account_id="A-2", payee_id="P-1", amount=400.01)
    assert refusal == ("limit_exceeded", "Your daily limit leaves 400.00 dollars.")
    assert bank.value("send_payment", account_id="A-2", payee_id="P-1", amount=400)["left_today"] == 0.0
    bank.session.advance(MONDAY + dt.timedelta(days=1))
    assert bank.value("send_payment", account_id="A-2", payee_id="P-1", amount=400)["left_today"] == 600.0


def test_a_payee_added_today_is_sent_five_hundred_dollars_at_most():
    bank = Bank()
    refusal = bank.refused("send_payment", account_id="A-1", payee_id="P-2", amount=500.01)
    assert refusal == ("limit_exceeded", "Send at most 500 dollars to a new payee.")
    assert bank.value("send_payment", account_id="A-1", payee_id="P-2", amount=500)["payee_name"] == "Omar Costa"
    later = Bank(now=MONDAY + dt.timedelta(days=1))
    assert later.call("send_payment", account_id="A-1", payee_id="P-2", amount=500.01).ok


@pytest.mark.parametrize("tool", ["send_payment", "schedule_payment"])
def test_payments_do_not_leave_from_savings(tool: str):
    when = {"starts_on": "2026-03-09"} if tool == "schedule_payment" else {}
    refusal = Bank().refused(tool, account_id="A-3", payee_id="P-1", amount=10, **when)
    assert refusal == ("precondition_failed", "Payments leave from checking accounts only.")


def test_amounts_are_rounded_to_cents():
    bank = Bank()
    assert bank.value("send_payment", account_id="A-1", payee_id="P-1", amount=10.004)["amount"] == 10.0
    bank.value("move_money", from_account_id="A-1", to_account_id="A-2", amount=10.006)
    assert bank.changes()["transactions"]["created"]["TX-1002"]["amount"] == 10.01
    made = bank.value("schedule_payment", account_id="A-1", payee_id="P-1", amount=10.006, starts_on="2026-03-09")
    assert made["amount"] == 10.01


# -- own transfers ----------------------------------------------------------------------------------------------------


def test_money_moves_between_ones_own_accounts_and_is_booked_on_both():
    bank = Bank()
    moved = bank.value("move_money", from_account_id="A-1", to_account_id="A-3", amount=50)
    assert moved == {"from_balance": 450.0, "to_balance": 1050.0}
    both = {"channel": "own_transfer"}
    out = transaction("TX-1001", "2026-03-02", 50.0, "A-3 money", "transfer", **both)
    into = transaction("TX-1002", "2026-03-02", 50.0, "A-1 money", "transfer", account_id="A-3", direction="in", **both)
    assert bank.changes() == {
        "accounts": {
            "changed": {"A-1": {"balance": 450.0, "available": 650.0}, "A-3": {"balance": 1050.0, "available": 1050.0}}
        },
        "transactions": {"created": {"TX-1001": out, "TX-1002": into}},
        "counters": {"TX": 1002},
    }
    assert bank.value("get_account", account_id="A-1")["left_today"] == 1000.0


def test_savings_are_never_overdrawn():
    bank = Bank()
    refusal = bank.refused("move_money", from_account_id="A-3", to_account_id="A-1", amount=1000.01)
    assert refusal == ("precondition_failed", "The account A-3 money has 1000.00 dollars available, not 1000.01.")
    moved = bank.value("move_money", from_account_id="A-3", to_account_id="A-1", amount=1000)
    assert moved == {"from_balance": 0.0, "to_balance": 1500.0}


def drawn(key: str, on: str, **more: Any) -> dict[str, Any]:
    row = {"account_id": "A-4", "channel": "own_transfer", **more}
    return transaction(key, on, 20.0, "A-1 money", "transfer", **row)


def test_savings_are_drawn_on_three_times_in_thirty_days():
    bank = Bank(
        transactions=keyed(drawn("T-11", "2026-02-01"), drawn("T-12", "2026-02-20"), drawn("T-13", "2026-03-01"))
    )
    refusal = bank.refused("move_money", from_account_id="A-4", to_account_id="A-1", amount=10)
    assert refusal == ("limit_exceeded", "Savings can be drawn on 3 times in 30 days.")
    bank.session.advance(MONDAY + dt.timedelta(days=1))
    assert bank.call("move_money", from_account_id="A-4", to_account_id="A-1", amount=10).ok


def test_money_into_savings_or_out_of_other_accounts_is_no_withdrawal():
    rows = keyed(
        drawn("T-11", "2026-02-20"),
        drawn("T-12", "2026-02-20"),
        drawn("T-13", "2026-02-20", direction="in"),
        drawn("T-14", "2026-02-20", account_id="A-1"),
        drawn("T-15", "2026-02-20", account_id="A-1"),
        drawn("T-16", "2026-02-20", account_id="A-1"),
    )
    bank = Bank(transactions=rows)
    assert bank.call("move_money", from_account_id="A-4", to_account_id="A-1", amount=10).ok
    assert bank.call("move_money", from_account_id="A-1", to_account_id="A-4", amount=10).ok


def test_money_moves_between_two_different_accounts():
    refusal = Bank().refused("move_money", from_account_id="A-1", to_account_id="A-1", amount=10)
    assert refusal == ("invalid_argument", "Name two different accounts.")


# -- scheduled payments -----------------------------------------------------------------------------------------------


def test_a_payment_is_scheduled_without_money_moving():
    bank = Bank()
    made = bank.value(
        "schedule_payment", account_id="A-2", payee_id="P-1", amount=400, starts_on="2026-03-15", every="weekly"
    )
    assert made == {
        "id": "SCH-1001",
        "holder_id": "AH-1",
        "account_id": "A-2",
        "account_nickname": "A-2 money",
        "payee_id": "P-1",
        "payee_name": "Ada Chen",
        "amount": 400.0,
        "next_on": "2026-03-15",
        "every": "weekly",
        "status": "active",
    }
    assert bank.changes() == {"scheduled": {"created": {"SCH-1001": made}}, "counters": {"SCH": 1001}}


@pytest.mark.parametrize(("starts_on", "ok"), [("2026-03-02", False), ("2026-03-03", True), ("2027-03-02", True)])
def test_payments_are_scheduled_within_the_year_from_tomorrow(starts_on: str, ok: bool):
    made = Bank().call("schedule_payment", account_id="A-1", payee_id="P-1", amount=10, starts_on=starts_on)
    assert made.ok is ok
    if ok:
        assert made.value["every"] == "once"
    else:
        assert made.value["error"]["message"] == f"{starts_on} is not within the year from tomorrow."
    refusal = Bank().refused("schedule_payment", account_id="A-1", payee_id="P-1", amount=10, starts_on="2027-03-03")
    assert refusal == ("invalid_argument", "2027-03-03 is not within the year from tomorrow.")


def test_a_scheduled_payment_stays_within_the_daily_limit():
    bank = Bank()
    later = {"account_id": "A-1", "payee_id": "P-1", "starts_on": "2026-03-09"}
    refusal = bank.refused("schedule_payment", amount=1000.01, **later)
    assert refusal == ("limit_exceeded", "No payment can be above your daily limit of 1000.00 dollars.")
    assert bank.value("schedule_payment", amount=1000, **later)["amount"] == 1000.0


def test_scheduled_payments_are_listed_by_account_and_status_the_next_one_first():
    bank = Bank()
    active = bank.value("list_scheduled_payments")
    assert (ids(active["scheduled"]), active["total"]) == (["S-3", "S-2", "S-1"], 3)
    assert active["scheduled"][2] == STATE["scheduled"]["S-1"]
    assert ids(bank.value("list_scheduled_payments", account_id="A-2")["scheduled"]) == ["S-2"]
    assert ids(bank.value("list_scheduled_payments", status="cancelled")["scheduled"]) == ["S-4"]
    assert bank.value("list_scheduled_payments", status="completed", account_id="A-2")["scheduled"] == []


def test_scheduled_payments_come_in_pages_of_five():
    more = keyed(*(payment(f"S-1{n}", "2026-03-20") for n in range(4)))
    bank = Bank(scheduled=more)
    first = bank.value("list_scheduled_payments")
    assert ids(first["scheduled"]) == ["S-3", "S-2", "S-1", "S-10", "S-11"]
    second = bank.value("list_scheduled_payments", page=2)
    assert (ids(second["scheduled"]), second["page"], second["pages"]) == (["S-12", "S-13"], 2, 2)


def test_a_scheduled_payment_is_cancelled_until_the_day_before_it_is_due():
    bank = Bank()
    cancelled = bank.value("cancel_scheduled_payment", scheduled_id="S-2")
    assert cancelled == STATE["scheduled"]["S-2"] | {"status": "cancelled"}
    assert bank.changes() == {"scheduled": {"changed": {"S-2": {"status": "cancelled"}}}}
    refusal = bank.refused("cancel_scheduled_payment", scheduled_id="S-3")
    assert refusal == ("precondition_failed", "The payment to Ada Chen is due today and on its way.")


@pytest.mark.parametrize(("key", "status"), [("S-4", "cancelled"), ("S-5", "completed")])
def test_what_is_over_is_not_cancelled(key: str, status: str):
    refusal = Bank().refused("cancel_scheduled_payment", scheduled_id=key)
    assert refusal == ("precondition_failed", f"The scheduled payment is {status}, so it cannot be cancelled.")


# -- cards ------------------------------------------------------------------------------------------------------------


def test_a_card_is_frozen_and_unfrozen():
    bank = Bank()
    assert bank.value("freeze_card", card_id="C-1") == STATE["cards"]["C-1"] | {"status": "frozen"}
    assert bank.changes() == {"cards": {"changed": {"C-1": {"status": "frozen"}}}}
    assert bank.value("unfreeze_card", card_id="C-1") == STATE["cards"]["C-1"]
    assert bank.changes() == {}


@pytest.mark.parametrize("limit", [50, 2000])
def test_a_card_is_unfrozen_with_another_limit(limit: int):
    bank = Bank()
    assert bank.value("unfreeze_card", card_id="C-2", daily_limit=limit)["daily_limit"] == limit
    assert bank.changes() == {"cards": {"changed": {"C-2": {"status": "active", "daily_limit": limit}}}}


def test_a_card_that_is_blocked_can_be_neither_frozen_nor_unfrozen():
    bank = Bank()
    refusal = bank.refused("freeze_card", card_id="C-3")
    assert refusal == ("precondition_failed", "The card is blocked, so it cannot be frozen.")
    refusal = bank.refused("unfreeze_card", card_id="C-3")
    assert refusal == ("precondition_failed", "The card is blocked, so it cannot be unfrozen.")
    refusal = bank.refused("unfreeze_card", card_id="C-1")
    assert refusal == ("precondition_failed", "The card is active, so it cannot be unfrozen.")
    assert bank.refused("freeze_card", card_id="C-2")[0] == "precondition_failed"


@pytest.mark.parametrize(("key", "status"), [("C-1", "active"), ("C-2", "frozen"), ("C-3", "blocked")])
def test_a_card_is_replaced_by_one_like_it_that_works(key: str, status: str):
    bank = Bank()
    old = STATE["cards"][key]
    assert old["status"] == status
    new = bank.value("replace_card", card_id=key, security_word="teacup")
    four = f"{(int(old['last_four']) + 3571) % 10_000:04d}"
    assert new == {**old, "id": "CARD-1001", "last_four": four, "status": "active"}
    assert bank.changes() == {
        "cards": {"created": {"CARD-1001": new}, "changed": {key: {"status": "replaced"}}},
        "counters": {"CARD": 1001},
    }
    listed = bank.value("get_account", account_id=old["account_id"])["cards"]
    assert [row["status"] for row in listed if row["id"] in (key, "CARD-1001")] == ["replaced", "active"]


def test_a_replaced_card_is_of_no_more_use_and_its_successor_is():
    bank = Bank()
    new = bank.value("replace_card", card_id="C-1", security_word="teacup")["id"]
    again = {"card_id": "C-1", "security_word": "teacup"}
    assert bank.refused("replace_card", **again) == ("conflict", "The card has been replaced already.")
    frozen = bank.refused("freeze_card", card_id="C-1")
    assert frozen == ("precondition_failed", "The card is replaced, so it cannot be frozen.")
    unfrozen = bank.refused("unfreeze_card", card_id="C-1")
    assert unfrozen == ("precondition_failed", "The card is replaced, so it cannot be unfrozen.")
    assert bank.value("freeze_card", card_id=new)["status"] == "frozen"
    assert bank.value("replace_card", card_id=new, security_word="teacup")["id"] == "CARD-1002"


@pytest.mark.parametrize("word", ["walnut", "Teacup", "teacup ", "", "marigold"])
def test_without_the_security_word_of_its_holder_no_card_is_replaced(word: str):
    code, message = Bank().refused("replace_card", card_id="C-1", security_word=word)
    assert code == "permission_denied"
    assert message == "That is not the security word of the account holder."
    assert Bank().refused("replace_card", card_id="C-1")[0] == "invalid_argument"


def test_a_card_of_a_closed_account_is_not_replaced():
    bank = Bank(cards={"C-5": card("C-5", "expired", "A-5")})
    refused = bank.refused("replace_card", card_id="C-5", security_word="teacup")
    assert refused == ("precondition_failed", "The account A-5 money is closed.")


def test_what_replaces_a_card_does_not_depend_on_what_was_replaced_before():
    one, two = Bank(), Bank()
    one.value("replace_card", card_id="C-1", security_word="teacup")
    first = one.value("replace_card", card_id="C-2", security_word="teacup")
    second = two.value("replace_card", card_id="C-2", security_word="teacup")
    assert first["last_four"] == second["last_four"]


def test_no_result_tells_the_security_word():
    bank = Bank()
    for tool, arguments in (
        ("list_accounts", {}),
        ("get_account", {"account_id": "A-1"}),
        ("search_transactions", {}),
        ("list_payees", {}),
        ("list_scheduled_payments", {}),
        ("replace_card", {"card_id": "C-1", "security_word": "teacup"}),
        ("replace_card", {"card_id": "C-1", "security_word": "marigold"}),
    ):
        assert "teacup" not in bank.call(tool, **arguments).text
    told = [leaf.path for each in describe(RetailBanking).tools for leaf in each.outputs if leaf.secret]
    assert told == []


# -- savings goals ----------------------------------------------------------------------------------------------------


def test_a_goal_is_set_and_split_over_the_months():
    bank = Bank()
    plan = bank.value("set_savings_goal", account_id="A-3", target=2000, reached_by="2027-05-10")
    assert plan == {"target": 2000.0, "missing": 1000.0, "monthly": 71.43}
    assert bank.changes() == {"accounts": {"changed": {"A-3": {"goal": 2000.0, "goal_on": "2027-05-10"}}}}


def test_a_goal_takes_until_next_month_at_least():
    bank = Bank()
    refusal = bank.refused("set_savings_goal", account_id="A-3", target=2000, reached_by="2026-03-31")
    assert refusal == ("invalid_argument", "2026-03-31 is too early for a goal.")
    plan = bank.value("set_savings_goal", account_id="A-3", target=2000, reached_by="2026-04-01")
    assert plan["monthly"] == 1000.0
    assert (
        bank.refused("set_savings_goal", account_id="A-3", target=2000, reached_by="2025-12-01")[0]
        == "invalid_argument"
    )


def test_a_goal_lies_a_dollar_above_the_balance_at_least():
    bank = Bank()
    refusal = bank.refused("set_savings_goal", account_id="A-3", target=1000.99, reached_by="2026-12-01")
    assert refusal == ("invalid_argument", "There is 1000.00 on the account already; aim higher.")
    assert bank.value("set_savings_goal", account_id="A-3", target=1001, reached_by="2026-12-01")["missing"] == 1.0


def test_goals_are_for_savings_accounts():
    refusal = Bank().refused("set_savings_goal", account_id="A-1", target=5000, reached_by="2026-12-01")
    assert refusal == ("precondition_failed", "Goals are for savings accounts.")


# -- the scenario -----------------------------------------------------------------------------------------------------


def scenario(seed: int, size: int) -> dict[str, Any]:
    reference = Reference(environments={"retail_banking": ""}, seed=seed, size=size, now=MONDAY)
    with Session(BACKEND, reference) as session:
        return orjson.loads(session.dump()["retail_banking"])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), size=st.integers(10, 300))
def test_a_scenario_is_consistent_at_any_seed_and_size(seed: int, size: int):
    state = scenario(seed, size)
    tables = {table.name: state[table.name] for table in describe(RetailBanking).tables}
    accounts, payees, transactions = tables["accounts"], tables["payees"], tables["transactions"]
    assert sum(map(len, tables.values())) >= 50
    owned = [row for name, rows in tables.items() if name != "holders" for row in rows.values()]
    assert all(row["holder_id"] in tables["holders"] for row in owned)
    drawing = [row for name in ("cards", "transactions", "scheduled") for row in tables[name].values()]
    assert all(accounts[row["account_id"]]["holder_id"] == row["holder_id"] for row in drawing)
    for row in tables["scheduled"].values():
        paid = payees[row["payee_id"]]
        assert (paid["name"], paid["holder_id"]) == (row["payee_name"], row["holder_id"])
        assert (row["next_on"] >= "2026-03-02") == (row["status"] == "active")
    for row in accounts.values():
        assert row["available"] == pytest.approx(row["balance"] + row["overdraft_limit"])
    disputed = {row["transaction_id"]: row["amount"] for row in tables["disputes"].values()}
    assert disputed == {key: row["amount"] for key, row in transactions.items() if row["status"] == "disputed"}
    assert all(row["opened_on"] <= "2026-03-02" for row in tables["disputes"].values())
    numbers = [row["number"] for row in accounts.values()] + [row["account_number"] for row in payees.values()]
    assert len(set(numbers)) == len(numbers)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), size=st.integers(10, 300))
def test_the_user_has_something_in_every_condition(seed: int, size: int):
    state = scenario(seed, size)
    mine = {
        name: [row for row in rows.values() if row.get("holder_id") == state["holder_id"]]
        for name, rows in state.items()
        if isinstance(rows, dict) and name not in ("counters", "holders")
    }
    assert {(row["kind"], row["status"]) for row in mine["accounts"]} >= {
        ("checking", "open"),
        ("savings", "open"),
        ("checking", "closed"),
    }
    assert any(row["balance"] < 0 for row in mine["accounts"])
    assert {row["status"] for row in mine["cards"]} == {"active", "frozen", "blocked", "expired"}
    assert {row["status"] for row in mine["scheduled"]} == {"active", "cancelled", "completed"}
    assert {row["status"] for row in mine["transactions"]} == {"pending", "booked", "disputed"}
    assert any(row["added_on"] == "2026-03-02" for row in mine["payees"])
    pages = {"payees": mine["payees"], "active": [row for row in mine["scheduled"] if row["status"] == "active"]}
    assert all(len(rows) > 5 for rows in pages.values())
    booked = [row for row in mine["transactions"] if (row["channel"], row["status"]) == ("card", "booked")]
    assert any(row["booked_on"] < "2025-12-02" for row in booked)
    assert any(row["booked_on"] > "2026-02-23" for row in booked)
    assert any(row["amount"] > 100 for row in booked)


def test_one_savings_account_of_the_scenario_can_be_drawn_on_no_more():
    reference = Reference(environments={"retail_banking": ""}, seed=4, now=MONDAY)
    with Session(BACKEND, reference) as session:
        savings = session.call("retail_banking-list_accounts", {"kind": "savings"}).value["accounts"]
        (into,) = [
            a
            for a in session.call("retail_banking-list_accounts", {}).value["accounts"]
            if a["nickname"] == "household"
        ]
        moves = [
            session.call(
                "retail_banking-move_money", {"from_account_id": row["id"], "to_account_id": into["id"], "amount": 20}
            )
            for row in savings
        ]
        assert [move.code for move in moves] == ["", "limit_exceeded"]


# -- the daily limit --------------------------------------------------------------------------------------------------


def limit_of(value: dict[str, Any]) -> tuple[float, float]:
    return value["daily_limit"], value["left_today"]


def test_the_holder_confirms_a_daily_limit_and_then_it_can_be_set():
    bank = Bank()
    assert bank.value("confirm_limit", daily_limit=2500) == {"confirmed_limit": 2500.0}
    assert bank.changes() == {"holders": {"changed": {"AH-1": {"confirmed_limit": 2500.0}}}}
    assert limit_of(bank.value("set_daily_limit", daily_limit=2500)) == (2500.0, 2500.0)
    assert bank.changes() == {"holders": {"changed": {"AH-1": {"daily_limit": 2500.0}}}}


def test_only_the_holder_can_confirm():
    bank = Bank()
    result = bank.session.call("retail_banking-confirm_limit", {"daily_limit": 2500})
    assert (result.ok, result.code) == (False, "unknown_tool")
    assert bank.changes() == {}


@pytest.mark.parametrize("confirmed", [None, 2400, 2500.01])
def test_a_daily_limit_that_was_not_confirmed_is_not_set(confirmed: float | None):
    bank = Bank()
    if confirmed is not None:
        bank.value("confirm_limit", daily_limit=confirmed)
    asked = "a daily limit of 2500.00 dollars in the banking app first"
    refused = bank.refused("set_daily_limit", daily_limit=2500)
    assert refused == ("permission_denied", f"The account holder has to confirm {asked}.")


def test_a_confirmation_is_good_for_one_change_and_the_last_one_counts():
    bank = Bank()
    bank.value("confirm_limit", daily_limit=2000)
    bank.value("confirm_limit", daily_limit=3000)
    assert bank.refused("set_daily_limit", daily_limit=2000)[0] == "permission_denied"
    bank.value("set_daily_limit", daily_limit=3000)
    assert bank.refused("set_daily_limit", daily_limit=3000)[0] == "permission_denied"


def test_the_limit_that_is_set_already_is_not_confirmed():
    refused = Bank().refused("confirm_limit", daily_limit=1000)
    assert refused == ("invalid_argument", "The daily limit is 1000.00 dollars already.")


@pytest.mark.parametrize("limit", [99.99, 5000.01])
def test_a_daily_limit_is_between_100_and_5000(limit: float):
    assert Bank().refused("confirm_limit", daily_limit=limit)[0] == "invalid_argument"
    assert Bank().refused("set_daily_limit", daily_limit=limit)[0] == "invalid_argument"
    for allowed in (100, 5000):
        bank = Bank()
        bank.value("confirm_limit", daily_limit=allowed)
        assert bank.value("set_daily_limit", daily_limit=allowed)["daily_limit"] == allowed


def test_a_new_limit_holds_at_once_for_what_was_paid_and_what_will_be():
    bank = Bank(accounts={"A-1": {"balance": 5000.0, "available": 5000.0}})
    pay = {"account_id": "A-1", "payee_id": "P-1"}
    bank.value("send_payment", **pay, amount=900)
    assert bank.refused("send_payment", **pay, amount=600)[0] == "limit_exceeded"
    bank.value("confirm_limit", daily_limit=1500)
    assert limit_of(bank.value("set_daily_limit", daily_limit=1500)) == (1500.0, 600.0)
    bank.value("send_payment", **pay, amount=600)
    bank.value("confirm_limit", daily_limit=1000)
    assert limit_of(bank.value("set_daily_limit", daily_limit=1000)) == (1000.0, 0.0)


def test_limits_are_in_whole_cents():
    bank = Bank()
    assert bank.value("confirm_limit", daily_limit=1234.567) == {"confirmed_limit": 1234.57}
    assert bank.value("set_daily_limit", daily_limit=1234.566)["daily_limit"] == 1234.57
    assert bank.refused("confirm_limit", daily_limit=1234.574)[0] == "invalid_argument"


def test_a_daily_limit_holds_for_the_open_checking_accounts():
    bank = Bank()
    bank.value("confirm_limit", daily_limit=2500)
    found = bank.value("set_daily_limit", daily_limit=2500)["accounts"]
    assert ids(found) == ["A-1", "A-2"]
    assert found[0] == bank.value("list_accounts")["accounts"][0]
