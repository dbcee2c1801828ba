"""Invoicing, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

from typing import Any

import pytest

from envfactory.catalogue.finance.payments_and_invoicing import PaymentsAndInvoicing
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at 2 March 2026, 9:00.


def client(key: str, name: str, **changes: Any) -> Row:
    row = {"id": key, "biller_id": "B-1", "name": name, "city": "Oslo", "abroad": False, "terms": 30, "credit": 0.0}
    return {**row, **changes}


CLIENTS = keyed(
    client("C-1", "Oak Books"),
    client("C-2", "Elm Farms", city="Rome", abroad=True, terms=14),
    client("C-3", "Ash Motors", credit=50.0),
    client("C-4", "Fir Films", terms=0),
    client("C-9", "Yew Travel", biller_id="B-2", credit=10.0),
)


def service(key: str, name: str, category: str, rate: float) -> Row:
    return {"id": key, "name": name, "category": category, "rate": rate}


SERVICES = keyed(
    service("S-1", "logo design", "design", 50.0),
    service("S-2", "copywriting", "writing", 33.33),
    service("S-3", "app testing", "development", 80.0),
    service("S-4", "web design", "design", 100.0),
    service("S-5", "tax advice", "consulting", 120.0),
    service("S-6", "proofreading", "writing", 40.0),
    service("S-7", "database work", "development", 90.0),
)


def line(service_id: str = "S-1", hours: int = 2) -> Row:
    row = SERVICES[service_id]
    return {"service_id": service_id, "service_name": row["name"], "hours": hours, "rate": row["rate"]}


def invoice(key: str, client_id: str = "C-1", **changes: Any) -> Row:
    """An open invoice over 120 dollars that was due yesterday, but for the changes."""
    row = {
        "id": key, "biller_id": "B-1", "client_id": client_id, "client_name": CLIENTS[client_id]["name"],
        "number": f"INV-{key[2:]}", "lines": [line()], "subtotal": 100.0, "tax": 20.0, "total": 120.0,
        "credit_used": 0.0, "paid": 0.0, "credited": 0.0, "returned": 0.0, "late_fee": 0.0, "due": 120.0,
        "created_on": "2026-02-01", "due_on": "2026-03-01", "reminders": 0, "status": "open", **changes,
    }  # fmt: skip
    if row["status"] == "draft":
        del row["number"], row["due_on"]
    return row


INVOICES = keyed(
    invoice("I-1"),
    invoice("I-2", status="draft", created_on="2026-02-26"),
    invoice("I-3", "C-2", status="draft", tax=0.0, total=100.0, due=100.0, created_on="2026-02-25"),
    invoice("I-4", "C-3", status="draft", created_on="2026-02-24"),
    invoice("I-5", "C-2", due_on="2026-03-02", paid=20.0, due=100.0, created_on="2026-02-10"),
    invoice("I-6", status="paid", paid=120.0, due=0.0, created_on="2026-01-10"),
    invoice("I-7", status="void", due=0.0, created_on="2026-01-11"),
    invoice("I-8", "C-4", reminders=2, reminded_on="2026-02-23", created_on="2026-01-12"),
    invoice("I-9", "C-9", biller_id="B-2"),
)


def payment(key: str, invoice_id: str = "I-6", method: str = "bank_transfer", **changes: Any) -> Row:
    bill = INVOICES[invoice_id]
    return {
        "id": key, "biller_id": bill["biller_id"], "client_id": bill["client_id"], "client_name": bill["client_name"],
        "invoice_id": invoice_id, "amount": 20.0, "excess": 0.0, "fee": 0.0, "method": method,
        "received_on": "2026-02-20", "status": "received", **changes,
    }  # fmt: skip


PAYMENTS = keyed(
    payment("P-1", received_on="2026-02-25"),
    payment("P-2", "I-5", "card", fee=0.9),
    payment("P-3", method="cheque", received_on="2026-02-24"),
    payment("P-4", received_on="2025-12-02"),
    payment("P-5", received_on="2025-12-01"),
    payment("P-6", method="card", fee=0.9, status="refunded", received_on="2026-02-26"),
    payment("P-9", "I-9"),
)

STATE: dict[str, Any] = {
    "biller_id": "B-1",
    "billers": keyed(
        *({"id": f"B-{n}", "name": f"Ada {n}", "email": f"a{n}@mail.example", "last_number": 40 + n} for n in (1, 2))
    ),
    "clients": CLIENTS,
    "services": SERVICES,
    "invoices": INVOICES,
    "payments": PAYMENTS,
    "credit_notes": {},
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(PaymentsAndInvoicing, STATE, rows=rows, **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["C-3", "C-2", "C-4", "C-1"]),
        ({"sort": "amount_owed"}, ["C-4", "C-1", "C-2", "C-3"]),
        ({"owing": True}, ["C-2", "C-4", "C-1"]),
        ({"city": "Rome"}, ["C-2"]),
        ({"city": "Paris"}, []),
        ({"page": 2}, []),
    ],
)
def test_clients_are_found_by_city_and_what_they_owe(arguments: Row, found: list[str]) -> None:
    assert desk({"invoices": keyed(invoice("I-8", "C-4", due=120.01))}).ids("find_clients", **arguments) == found


def test_the_sixth_client_stands_on_the_second_page() -> None:
    at = desk({"clients": keyed(client("C-5", "Zed Farms"), client("C-6", "Zoo Farms"))})
    assert at.ids("find_clients", page=2) == ["C-6"]


def test_a_client_owes_what_is_due_on_open_invoices() -> None:
    at = desk({"invoices": keyed(invoice("I-10", due_on="2026-03-20", due=60.1))})
    oak = at.gives("find_clients")["clients"][3]
    assert oak == {
        "id": "C-1", "name": "Oak Books", "city": "Oslo", "terms": 30, "abroad": False, "credit": 0.0,
        "owing": 180.1, "overdue": 120.0,
    }  # fmt: skip
    assert at.gives("find_clients", city="Rome")["clients"][0]["overdue"] == 0.0


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-3", "S-2", "S-7", "S-1", "S-6"]),
        ({"page": 2}, ["S-5", "S-4"]),
        ({"category": "design"}, ["S-1", "S-4"]),
        ({"max_rate": 40}, ["S-2", "S-6"]),
        ({"max_rate": 33}, []),
    ],
)
def test_services_are_listed_by_name(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_services", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found", "outstanding"),
    [
        ({}, ["I-2", "I-3", "I-4", "I-5", "I-1"], 340.0),
        ({"page": 2}, ["I-8", "I-7", "I-6"], 340.0),
        ({"sort": "amount_due"}, ["I-2", "I-4", "I-1", "I-8", "I-3"], 340.0),
        ({"status": "draft"}, ["I-2", "I-3", "I-4"], 0.0),
        ({"client_id": "C-2"}, ["I-3", "I-5"], 100.0),
        ({"overdue": True}, ["I-1", "I-8"], 240.0),
        ({"status": "open", "overdue": True}, ["I-1", "I-8"], 240.0),
    ],
)
def test_invoices_are_listed_the_latest_first(arguments: Row, found: list[str], outstanding: float) -> None:
    at = desk()
    assert at.ids("list_invoices", **arguments) == found
    assert at.gives("list_invoices", **arguments)["outstanding"] == outstanding


@pytest.mark.parametrize("status", ["draft", "paid", "void"])
def test_nothing_but_an_open_invoice_is_overdue(status: str) -> None:
    desk().refuses("list_invoices", "invalid_argument", f"not {status} ones", status=status, overdue=True)


def test_an_invoice_is_shown_whole() -> None:
    at = desk()
    at.gives("record_payment", invoice_id="I-5", amount=30, method="cheque")
    note = at.gives("credit_invoice", invoice_id="I-5", amount=5, reason="goodwill")
    assert at.gives("get_invoice", invoice_id="I-5") == {
        "invoice": {**INVOICES["I-5"], "paid": 50.0, "credited": 5.0, "due": 65.0},
        "payments": [PAYMENTS["P-2"], payment("CP-1001", "I-5", "cheque", amount=30.0, received_on="2026-03-02")],
        "credit_notes": [note],
    }
    assert at.gives("get_invoice", invoice_id="I-8") == {
        "invoice": INVOICES["I-8"], "payments": [], "credit_notes": []
    }  # fmt: skip


ON_INVOICES: list[tuple[str, Row]] = [
    ("get_invoice", {}),
    ("add_hours", {"service_id": "S-1", "hours": 1}),
    ("remove_service", {"service_id": "S-1"}),
    ("delete_draft", {}),
    ("send_invoice", {}),
    ("record_payment", {"amount": 10, "method": "card"}),
    ("send_reminder", {}),
    ("credit_invoice", {"amount": 10, "reason": "goodwill"}),
    ("void_invoice", {}),
]


@pytest.mark.parametrize(("tool", "more"), ON_INVOICES)
def test_an_invoice_of_somebody_else_or_none_at_all_is_refused(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "invoice belongs to somebody else", invoice_id="I-9", **more)
    desk().refuses(tool, "not_found", "no invoice with the id 'I-99'", invoice_id="I-99", **more)


def test_a_client_or_payment_of_somebody_else_or_none_at_all_is_refused() -> None:
    for tool, more in (("list_invoices", {}), ("list_payments", {}), ("draft_invoice", {"work": [WORK]})):
        desk().refuses(tool, "permission_denied", "client belongs to somebody else", client_id="C-9", **more)
        desk().refuses(tool, "not_found", "no client with the id 'C-99'", client_id="C-99", **more)
    desk().refuses("refund_payment", "permission_denied", "payment belongs to somebody else", payment_id="P-9")
    desk().refuses("refund_payment", "not_found", "no payment with the id 'P-99'", payment_id="P-99")


STANDING = [
    ("add_hours", "changed", ("open", "paid", "void")),
    ("remove_service", "changed", ("open", "paid", "void")),
    ("delete_draft", "deleted", ("open", "paid", "void")),
    ("send_invoice", "sent", ("open", "paid", "void")),
    ("record_payment", "paid", ("draft", "paid", "void")),
    ("send_reminder", "reminded of", ("draft", "paid", "void")),
    ("credit_invoice", "credited", ("draft", "void")),
    ("void_invoice", "voided", ("draft", "paid", "void")),
]
IN = {"draft": "I-2", "open": "I-1", "paid": "I-6", "void": "I-7"}


@pytest.mark.parametrize(
    ("tool", "done", "status"), [(tool, done, status) for tool, done, among in STANDING for status in among]
)
def test_what_an_invoice_allows_depends_on_where_it_stands(tool: str, done: str, status: str) -> None:
    words = f"The invoice is {status}, so it cannot be {done}"
    desk().refuses(tool, "precondition_failed", words, invoice_id=IN[status], **dict(ON_INVOICES)[tool])


WORK = {"service_id": "S-1", "hours": 3}


def test_an_invoice_is_drafted_with_tax() -> None:
    at = desk()
    work = [WORK, {"service_id": "S-2", "hours": 1}]
    drafted = at.gives("draft_invoice", client_id="C-1", work=work)
    assert drafted == invoice(
        "IN-1001", status="draft", lines=[line(hours=3), line("S-2", 1)], subtotal=183.33, tax=36.67, total=220.0,
        due=220.0, created_on="2026-03-02",
    )  # fmt: skip
    assert at.changed() == {"invoices.created": {"IN-1001": drafted}}


def test_a_client_abroad_pays_no_tax() -> None:
    drafted = desk().gives("draft_invoice", client_id="C-2", work=[WORK])
    assert (drafted["tax"], drafted["total"], drafted["due"]) == (0.0, 150.0, 150.0)


def test_a_draft_needs_sensible_work() -> None:
    at = desk()
    twice = [WORK, {"service_id": "S-1", "hours": 1}]
    at.refuses("draft_invoice", "invalid_argument", "on an invoice once", client_id="C-1", work=twice)
    unknown = [{"service_id": "S-99", "hours": 1}]
    at.refuses("draft_invoice", "not_found", "no service with the id 'S-99'", client_id="C-1", work=unknown)
    for work in ([], [{"service_id": f"S-{n}", "hours": 1} for n in range(1, 8)]):
        at.refuses("draft_invoice", "invalid_argument", "work", client_id="C-1", work=work)
    for hours in (0, 81):
        work = [{"service_id": "S-1", "hours": hours}]
        at.refuses("draft_invoice", "invalid_argument", "hours", client_id="C-1", work=work)


FINAL = invoice("I-8", "C-4", reminders=3, reminded_on="2026-02-23", late_fee=5.0, paid=20.0, due=105.0)


def blocked() -> Desk:
    """A client that let the final reminder pass and has paid a part; there is a draft from before."""
    return desk({"invoices": keyed(FINAL, invoice("I-10", "C-4", status="draft"))})


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("draft_invoice", {"client_id": "C-4", "work": [{"service_id": "S-1", "hours": 3}]}),
     ("send_invoice", {"invoice_id": "I-10"})],
)  # fmt: skip
@pytest.mark.parametrize(
    ("settling", "more"),
    [
        ("record_payment", {"amount": 105, "method": "cheque"}),
        ("credit_invoice", {"amount": 105, "reason": "goodwill"}),
    ],
)
def test_who_let_the_final_reminder_pass_gets_no_new_invoice(
    tool: str, arguments: Row, settling: str, more: Row
) -> None:
    at = blocked()
    at.refuses(tool, "precondition_failed", "Fir Films has not paid in spite of a final reminder", **arguments)
    at.gives("draft_invoice", client_id="C-1", work=[WORK])
    at.gives("send_invoice", invoice_id="I-2")
    at.gives(settling, invoice_id="I-8", **more)
    at.gives(tool, **arguments)


def test_voiding_what_the_final_reminder_was_for_lifts_the_block() -> None:
    at = desk({"invoices": keyed({**FINAL, "paid": 0.0, "due": 126.0, "late_fee": 6.0})})
    at.gives("void_invoice", invoice_id="I-8")
    at.gives("draft_invoice", client_id="C-4", work=[WORK])


def test_two_reminders_do_not_keep_from_drafting() -> None:
    assert desk().gives("draft_invoice", client_id="C-4", work=[WORK])["due"] == 180.0


def test_hours_are_added_to_a_draft() -> None:
    at = desk()
    grown = at.gives("add_hours", invoice_id="I-2", service_id="S-2", hours=1)
    more: Row = {"lines": [line(), line("S-2", 1)], "subtotal": 133.33, "tax": 26.67, "total": 160.0, "due": 160.0}
    assert grown == {**INVOICES["I-2"], **more}
    assert at.changed() == {"invoices.changed": {"I-2": more}}
    again = at.gives("add_hours", invoice_id="I-2", service_id="S-1", hours=78)
    assert again["lines"] == [line(hours=80), line("S-2", 1)]
    assert at.gives("add_hours", invoice_id="I-3", service_id="S-1", hours=1)["total"] == 150.0
    at.refuses("add_hours", "not_found", "no service", invoice_id="I-2", service_id="S-99", hours=1)
    words = "80 hours of a service at most"
    at.refuses("add_hours", "limit_exceeded", words, invoice_id="I-2", service_id="S-1", hours=1)


def test_a_service_is_taken_off_a_draft_again() -> None:
    at = desk()
    at.refuses("remove_service", "precondition_failed", "Nothing would be left", invoice_id="I-3", service_id="S-1")
    at.refuses("remove_service", "conflict", "no copywriting on the draft", invoice_id="I-3", service_id="S-2")
    at.refuses("remove_service", "not_found", "no service", invoice_id="I-3", service_id="S-99")
    at.gives("add_hours", invoice_id="I-3", service_id="S-2", hours=1)
    assert at.gives("remove_service", invoice_id="I-3", service_id="S-2") == INVOICES["I-3"]
    assert at.changed() == {}
    at.gives("add_hours", invoice_id="I-2", service_id="S-4", hours=3)
    more = {"lines": [line("S-4", 3)], "subtotal": 300.0, "tax": 60.0, "total": 360.0, "due": 360.0}
    assert at.gives("remove_service", invoice_id="I-2", service_id="S-1") == {**INVOICES["I-2"], **more}


def test_a_draft_is_deleted() -> None:
    at = desk()
    assert at.gives("delete_draft", invoice_id="I-2") == INVOICES["I-2"]
    assert at.changed() == {"invoices.deleted": ("I-2",)}


def test_a_service_on_a_draft_keeps_the_rate_of_its_day() -> None:
    at = desk({"services": keyed(service("S-1", "logo design", "design", 60.0))})
    assert at.gives("add_hours", invoice_id="I-2", service_id="S-1", hours=1)["subtotal"] == 150.0


def test_an_invoice_has_six_services_at_most() -> None:
    lines = [line(f"S-{n}", 1) for n in range(1, 7)]
    at = desk({"invoices": keyed(invoice("I-2", status="draft", lines=lines))})
    at.refuses("add_hours", "limit_exceeded", "6 services at most", invoice_id="I-2", service_id="S-7", hours=1)
    at.gives("add_hours", invoice_id="I-2", service_id="S-6", hours=1)
    at = desk({"invoices": keyed(invoice("I-2", status="draft", lines=lines[1:]))})
    assert len(at.gives("add_hours", invoice_id="I-2", service_id="S-7", hours=1)["lines"]) == 6


def test_a_draft_is_sent_under_the_next_number_and_due_by_the_terms() -> None:
    at = desk()
    sent = at.gives("send_invoice", invoice_id="I-3")
    more = {"number": "INV-42", "due_on": "2026-03-16", "status": "open"}
    assert sent == {**INVOICES["I-3"], **more}
    changed = at.changed()
    assert {**INVOICES["I-3"], **changed.pop("invoices.changed")["I-3"]} == sent
    assert changed == {"billers.changed": {"B-1": {"last_number": 42}}}
    assert at.gives("send_invoice", invoice_id="I-2")["number"] == "INV-43"


@pytest.mark.parametrize("day", ["2026-03-09", "2026-05-01"])
def test_an_invoice_can_be_due_in_a_week_to_two_months(day: str) -> None:
    assert desk().gives("send_invoice", invoice_id="I-2", due_on=day)["due_on"] == day


@pytest.mark.parametrize("day", ["2026-03-08", "2026-05-02"])
def test_an_invoice_cannot_be_due_sooner_or_later(day: str) -> None:
    desk().refuses("send_invoice", "invalid_argument", f"7 to 60 days, not on {day}", invoice_id="I-2", due_on=day)


@pytest.mark.parametrize(
    ("credit", "used", "due", "status"),
    [(50.0, 50.0, 70.0, "open"), (120.0, 120.0, 0.0, "paid"), (130.5, 120.0, 0.0, "paid")],
)
def test_credit_is_used_up_by_sending(credit: float, used: float, due: float, status: str) -> None:
    at = desk({"clients": keyed(client("C-3", "Ash Motors", credit=credit))})
    sent = at.gives("send_invoice", invoice_id="I-4")
    assert (sent["credit_used"], sent["due"], sent["status"]) == (used, due, status)
    assert at.changed()["clients.changed"] == {"C-3": {"credit": credit - used}}


def test_a_payment_in_part_leaves_the_rest_due() -> None:
    at = desk()
    assert at.gives("record_payment", invoice_id="I-5", amount=30.5, method="card") == {
        "payment_id": "CP-1001", "client_name": "Elm Farms", "amount": 30.5, "fee": 1.22, "due": 69.5, "credit": 0.0
    }  # fmt: skip
    booked = payment("CP-1001", "I-5", "card", amount=30.5, fee=1.22, received_on="2026-03-02")
    assert at.changed() == {
        "invoices.changed": {"I-5": {"paid": 50.5, "due": 69.5}},
        "payments.created": {"CP-1001": booked},
    }


def test_what_is_paid_too_much_is_the_credit_of_the_client() -> None:
    at = desk()
    receipt = at.gives("record_payment", invoice_id="I-1", amount=150, method="bank_transfer")
    assert (receipt["fee"], receipt["due"], receipt["credit"]) == (0.0, 0.0, 30.0)
    changed = at.changed()
    assert changed["invoices.changed"] == {"I-1": {"paid": 120.0, "due": 0.0, "status": "paid"}}
    assert changed["clients.changed"] == {"C-1": {"credit": 30.0}}
    assert changed["payments.created"]["CP-1001"]["excess"] == 30.0


def test_a_card_pays_five_thousand_dollars_at_most() -> None:
    at = desk()
    words = "Card payments are 0.50 to 5000 dollars"
    at.refuses("record_payment", "limit_exceeded", words, invoice_id="I-1", amount=0.49, method="card")
    at.refuses("record_payment", "limit_exceeded", words, invoice_id="I-1", amount=5000.01, method="card")
    assert at.gives("record_payment", invoice_id="I-1", amount=5000, method="card")["fee"] == 150.3
    desk().gives("record_payment", invoice_id="I-1", amount=5000.01, method="cheque")
    assert desk().gives("record_payment", invoice_id="I-1", amount=0.5, method="card")["fee"] == 0.32


@pytest.mark.parametrize("amount", [0, 0.001, 119.996, 0.004, 100000.01])
def test_amounts_are_whole_cents_and_no_fortune(amount: float) -> None:
    for tool, more in (("record_payment", {"method": "cheque"}), ("credit_invoice", {"reason": "goodwill"})):
        assert desk()(tool, invoice_id="I-1", amount=amount, **more).code == "invalid_argument"
    assert desk().gives("record_payment", invoice_id="I-1", amount=100000, method="cheque")["credit"] == 99880.0
    assert desk().gives("record_payment", invoice_id="I-1", amount=119.99, method="cheque")["due"] == 0.01


@pytest.mark.parametrize(
    ("arguments", "found", "kept"),
    [
        ({}, ["P-6", "P-1", "P-3", "P-2", "P-4"], 98.2),
        ({"page": 2}, ["P-5"], 98.2),
        ({"client_id": "C-2"}, ["P-2"], 19.1),
        ({"method": "card"}, ["P-6", "P-2"], 18.2),
        ({"since": "2026-02-24"}, ["P-6", "P-1", "P-3"], 39.1),
        ({"since": "2026-02-26"}, ["P-6"], -0.9),
    ],
)
def test_payments_are_listed_the_latest_first(arguments: Row, found: list[str], kept: float) -> None:
    at = desk()
    assert at.ids("list_payments", **arguments) == found
    assert at.gives("list_payments", **arguments)["kept"] == kept


def test_a_refund_opens_the_invoice_again() -> None:
    at = desk()
    assert at.gives("refund_payment", payment_id="P-1") == {**PAYMENTS["P-1"], "status": "refunded"}
    assert at.changed() == {
        "payments.changed": {"P-1": {"status": "refunded"}},
        "invoices.changed": {"I-6": {"paid": 100.0, "due": 20.0, "status": "open"}},
    }
    at.refuses("refund_payment", "precondition_failed", "is refunded, so it cannot be refunded", payment_id="P-1")


def test_a_refund_takes_back_the_credit_that_it_gave() -> None:
    rich = client("C-1", "Oak Books", credit=5.5)
    at = desk({"payments": keyed(payment("P-1", excess=5.5)), "clients": keyed(rich)})
    at.gives("refund_payment", payment_id="P-1")
    assert at.changed()["clients.changed"] == {"C-1": {"credit": 0.0}}
    assert at.changed()["invoices.changed"]["I-6"] == {"paid": 105.5, "due": 14.5, "status": "open"}
    poor = client("C-1", "Oak Books", credit=5.49)
    at = desk({"payments": keyed(payment("P-1", excess=5.5)), "clients": keyed(poor)})
    at.refuses("refund_payment", "precondition_failed", "Oak Books has used up what was paid", payment_id="P-1")


@pytest.mark.parametrize(
    ("noted", "amount", "due", "returned", "status"),
    [(120, 120.0, 0.0, 0.0, "paid"), (50, 120.0, 70.0, 0.0, "open"), (50, 20.0, 0.0, 30.0, "paid")],
)
def test_a_refund_takes_back_what_was_credited_of_the_payment(
    noted: float, amount: float, due: float, returned: float, status: str
) -> None:
    at = desk({"payments": keyed(payment("P-1", amount=amount))})
    at.gives("credit_invoice", invoice_id="I-6", amount=noted, reason="poor_result")
    at.gives("refund_payment", payment_id="P-1")
    after = at.gives("get_invoice", invoice_id="I-6")["invoice"]
    assert (after["due"], after["returned"], after["status"]) == (due, returned, status)
    assert at.gives("find_clients", city="Oslo")["clients"][-1]["credit"] == returned


def test_what_was_credited_and_used_since_keeps_the_payment_from_being_refunded() -> None:
    at = desk()
    at.gives("credit_invoice", invoice_id="I-6", amount=20, reason="poor_result")
    at.gives("send_invoice", invoice_id="I-2")
    words = "Oak Books has used up what was paid too much or credited"
    at.refuses("refund_payment", "precondition_failed", words, payment_id="P-1")


def test_cheques_and_old_payments_are_not_refunded() -> None:
    at = desk()
    at.refuses("refund_payment", "precondition_failed", "by cheque cannot", payment_id="P-3")
    at.refuses("refund_payment", "precondition_failed", "over 90 days ago", payment_id="P-5")
    at.gives("refund_payment", payment_id="P-4")
    at.gives("refund_payment", payment_id="P-2")


@pytest.mark.parametrize(
    ("reminders", "level", "fee", "due"),
    [(0, "friendly", 0.0, 120.0), (1, "firm", 0.0, 120.0), (2, "final", 6.0, 126.0)],
)
def test_reminders_become_stricter_and_the_final_one_costs(reminders: int, level: str, fee: float, due: float) -> None:
    at = desk({"invoices": keyed(invoice("I-1", reminders=reminders, reminded_on="2026-02-23"))})
    assert at.gives("send_reminder", invoice_id="I-1") == {
        "invoice_id": "I-1", "client_name": "Oak Books", "level": level, "late_fee": fee, "due": due
    }  # fmt: skip
    costs = {"late_fee": fee, "due": due} if fee else {}
    assert at.changed() == {
        "invoices.changed": {"I-1": {"reminders": reminders + 1, "reminded_on": "2026-03-02", **costs}}
    }
    at.refuses(
        "send_reminder", *(("limit_exceeded", "the final reminder already") if reminders == 2 else
                           ("precondition_failed", "2026-03-02, less than 7 days ago")), invoice_id="I-1",
    )  # fmt: skip


def test_a_reminder_needs_a_late_invoice_and_a_week_since_the_last() -> None:
    at = desk({"invoices": keyed(invoice("I-1", reminders=1, reminded_on="2026-02-24"))})
    at.refuses("send_reminder", "precondition_failed", "2026-02-24, less than 7 days ago", invoice_id="I-1")
    at.refuses("send_reminder", "precondition_failed", "due on 2026-03-02, so it is not late yet", invoice_id="I-5")


def test_the_late_fee_is_a_share_of_what_is_still_due_and_can_be_credited() -> None:
    at = desk({"invoices": keyed(invoice("I-8", "C-4", reminders=2, reminded_on="2026-02-23", paid=20.0, due=100.0))})
    assert at.gives("send_reminder", invoice_id="I-8")["late_fee"] == 5.0
    words = "Only 125.00 dollars"
    at.refuses("credit_invoice", "limit_exceeded", words, invoice_id="I-8", amount=125.01, reason="goodwill")
    assert at.gives("credit_invoice", invoice_id="I-8", amount=125, reason="goodwill")["to_credit"] == 20.0


def test_a_credit_note_lowers_what_is_due() -> None:
    at = desk()
    note = at.gives("credit_invoice", invoice_id="I-1", amount=30.5, reason="too_many_hours")
    assert note == {
        "id": "CN-1001", "invoice_id": "I-1", "client_name": "Oak Books", "amount": 30.5, "to_credit": 0.0,
        "reason": "too_many_hours", "issued_on": "2026-03-02",
    }  # fmt: skip
    assert at.changed() == {
        "credit_notes.created": {"CN-1001": note},
        "invoices.changed": {"I-1": {"credited": 30.5, "due": 89.5}},
    }
    words = "Only 89.50 dollars"
    at.refuses("credit_invoice", "limit_exceeded", words, invoice_id="I-1", amount=89.51, reason="goodwill")
    at.gives("credit_invoice", invoice_id="I-1", amount=89.5, reason="goodwill")
    assert at.gives("get_invoice", invoice_id="I-1")["invoice"]["status"] == "paid"


def test_what_was_paid_already_is_credited_to_the_client() -> None:
    at = desk()
    assert at.gives("credit_invoice", invoice_id="I-5", amount=110, reason="poor_result")["to_credit"] == 10.0
    changed = at.changed()
    assert changed["clients.changed"] == {"C-2": {"credit": 10.0}}
    assert changed["invoices.changed"]["I-5"] == {"credited": 110.0, "returned": 10.0, "due": 0.0, "status": "paid"}
    at.gives("credit_invoice", invoice_id="I-5", amount=10, reason="poor_result")
    assert at.changed()["invoices.changed"]["I-5"]["returned"] == 20.0
    at.refuses("credit_invoice", "limit_exceeded", "Only 0.00", invoice_id="I-5", amount=1, reason="goodwill")


def test_an_open_invoice_is_voided_and_gives_credit_back() -> None:
    late = invoice("I-1", "C-3", credit_used=40.0, late_fee=4.0, due=84.0)
    at = desk({"invoices": keyed(late)})
    void = {"status": "void", "credit_used": 0.0, "late_fee": 0.0, "due": 0.0}
    assert at.gives("void_invoice", invoice_id="I-1") == {**late, **void}
    assert at.changed() == {"invoices.changed": {"I-1": void}, "clients.changed": {"C-3": {"credit": 90.0}}}


@pytest.mark.parametrize("changes", [{"paid": 0.01}, {"credited": 0.01}])
def test_an_invoice_on_which_something_was_paid_or_credited_stays(changes: Row) -> None:
    at = desk({"invoices": keyed(invoice("I-1", **changes))})
    at.refuses("void_invoice", "precondition_failed", "so it stays", invoice_id="I-1")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(PaymentsAndInvoicing, seed, size, DEFAULT_NOW)
    today = world.now.date()
    mine = [row for row in world.invoices.values() if row.biller_id == world.biller_id]
    assert {row.status for row in mine} == {"draft", "open", "paid", "void"}
    late = [row for row in mine if row.overdue(today)]
    assert {row.reminders for row in late} == {0, 1, 2, 3}
    assert any(row.status == "open" and not row.overdue(today) for row in mine)
    assert any(row.status == "open" and row.paid for row in mine), "paid in part"
    assert {row.method for row in world.payments.values()} == {"card", "bank_transfer", "cheque"}
    clients = [row for row in world.clients.values() if row.biller_id == world.biller_id]
    assert {row.credit > 0 for row in clients} == {row.abroad for row in clients} == {True, False}
    assert {any(bill.client_id == row.id and bill.status == "open" for bill in mine) for row in clients} == {
        True,
        False,
    }
    assert len({row.name for row in world.clients.values()}) == len(world.clients)
    numbers = [(int(row.number[4:]), row.created_on) for row in mine if row.number]
    assert [day for _, day in sorted(numbers)] == sorted(day for _, day in numbers), "the next number every time"
    assert {row.status for row in world.payments.values()} == {"received", "refunded"}
    assert any(row.excess for row in world.payments.values())
    for row in clients:
        bills = [bill for bill in mine if bill.client_id == row.id]
        too_much = sum(each.excess for each in world.payments.values() if each.client_id == row.id)
        had = too_much + sum(bill.returned for bill in bills) - sum(bill.credit_used for bill in bills)
        assert row.credit == round(had, 2), "all credit comes from somewhere"
        final = [bill.reminded_on for bill in bills if bill.status == "open" and bill.reminders == 3]
        assert all(day is not None and bill.created_on <= day for bill in bills for day in final)
        assert not final or any(bill.status == "draft" for bill in bills), "a draft that cannot be sent"
    for bill in mine:
        notes = [row for row in world.credit_notes.values() if row.invoice_id == bill.id]
        assert bill.credited == sum(row.amount for row in notes)
    for row in mine:
        assert row.status in ("draft", "void") or row.settled() == row


def test_a_large_scenario_has_clients_with_different_names() -> None:
    world = build_scenario(PaymentsAndInvoicing, 1, 900, DEFAULT_NOW)
    assert len({row.name for row in world.clients.values()}) == len(world.clients) > 96
    assert any(row.credit_used for row in world.invoices.values())
