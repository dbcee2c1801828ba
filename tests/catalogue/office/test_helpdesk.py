"""The help desk, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.office.helpdesk import Helpdesk
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00, when the desk opens.

NOW = "2026-03-02T09:00:00"
ALLOWED = {"C-1": ["low", "normal", "high"], "C-2": ["low", "normal", "high", "urgent"]}
REASONS = {"billing": ["a_large_refund", "a_legal_question"], "accounts": ["a_hacked_account", "a_legal_question"]}


def ticket(key: str, opened: str = "2026-02-26T09:00:00", **changes: Any) -> Row:
    """One of the user's open tickets, of a customer on the standard plan; due on Tuesday at 9:00 if opened so."""
    customer, queue = changes.get("customer_id", "C-1"), changes.get("queue", "billing")
    return {
        "id": key, "subject": f"matter {key[2:]}", "customer_id": customer, "customer_name": f"Customer {customer[2:]}",
        "queue": queue, "line": "first", "status": "open", "priority": "normal", "priorities": ALLOWED[customer],
        "held_by": "me", "reasons": REASONS[queue], "passed_on": False, "answered": False, "opened_at": opened,
        "reply_due": "2026-02-26T13:00:00", "solve_due": "2026-03-02T17:00:00", "paused": 0, **changes,
    }  # fmt: skip


REPLIED: Row = {"answered": True, "replied_at": "2026-02-26T10:00:00"}
PENDING: Row = {"status": "pending", **REPLIED, "stopped_at": "2026-02-27T16:00:00"}


def with_colleague(key: str, colleague: str, **changes: Any) -> Row:
    names = {"A-2": "Ben Cole", "A-7": "Gus Holm", "A-3": "Cleo Dahl", "A-4": "Dan Eck", "A-6": "Flo Gray"}
    return ticket(key, held_by="a_colleague", colleague_id=colleague, colleague_name=names[colleague], **changes)


def message(key: str, ticket_id: str, author: str = "customer", **changes: Any) -> Row:
    return {
        "id": key, "ticket_id": ticket_id, "author": author, "name": "Customer 1", "text": "It is wrong.",
        "sent_at": "2026-02-26T09:00:00", **changes,
    }  # fmt: skip


def colleague(key: str, name: str, queue: str = "billing", line: str = "first", presence: str = "in") -> Row:
    return {"id": key, "name": name, "queue": queue, "line": line, "presence": presence}


def macro(key: str, leaves: str, used: int, queue: str = "billing", **changes: Any) -> Row:
    return {
        "id": key, "name": f"text {key[2:]}", "queue": queue, "text": "Here it is.", "leaves": leaves, "active": True,
        "used": used, **changes,
    }  # fmt: skip


COPY = "2026-02-27T09:00:00"
TICKETS = keyed(
    ticket("T-1", **REPLIED, priority="high", solve_due="2026-03-03T12:00:00"),
    ticket("T-2", COPY, held_by="nobody", reply_due="2026-02-27T13:00:00", solve_due="2026-03-04T09:00:00"),
    ticket("T-3", queue="accounts", solve_due="2026-02-27T16:00:00"),
    ticket("T-4", **PENDING, customer_id="C-2", priority="low"),
    ticket("T-5", **REPLIED, status="solved", stopped_at="2026-02-27T17:00:00", solved_at="2026-02-27T17:00:00"),
    with_colleague("T-6", "A-2", customer_id="C-2"),
    with_colleague("T-7", "A-3", **PENDING),
    ticket("T-8", held_by="nobody", line="second", passed_on=True, **REPLIED, escalated_for="a_large_refund"),
    ticket("T-9", held_by="nobody", line="second", **REPLIED, escalated_for="a_large_refund"),
    with_colleague("T-10", "A-2", passed_on=True, **REPLIED),
    ticket("T-11", status="closed", **REPLIED, solved_at="2026-02-01T10:00:00", stopped_at="2026-02-01T10:00:00"),
    ticket("T-12", held_by="nobody", queue="accounts", customer_id="C-2", priority="urgent"),
)
MESSAGES = keyed(
    message("M-1", "T-1"),
    message("M-2", "T-1", "desk", name="Ada Berg", text="We look into it.", sent_at="2026-02-26T10:00:00"),
    message("M-3", "T-2", sent_at=COPY),
    *(message(f"M-{3 + n}", f"T-{n}") for n in (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)),
)
STATE: dict[str, Any] = {
    "agent_id": "A-1",
    "agents": keyed({"id": "A-1", "name": "Ada Berg", "email": "ada@mail.example"}),
    "colleagues": keyed(
        colleague("A-2", "Ben Cole"),
        colleague("A-3", "Cleo Dahl", presence="away"),
        colleague("A-4", "Dan Eck", "accounts"),
        colleague("A-5", "Eve Falk", line="second"),
        colleague("A-6", "Flo Gray"),
    ),
    "customers": keyed(
        {"id": "C-1", "name": "Customer 1", "email": "one@mail.example", "plan": "standard"},
        {"id": "C-2", "name": "Customer 2", "email": "two@mail.example", "plan": "premium"},
    ),
    "macros": keyed(
        macro("X-1", "open", 5),
        macro("X-2", "pending", 9),
        macro("X-3", "solved", 5),
        macro("X-4", "solved", 99, active=False),
        macro("X-5", "open", 7, "accounts"),
    ),
    "tickets": TICKETS,
    "messages": MESSAGES,
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(Helpdesk, STATE, rows=rows, **changes)


def own(*rows: Row) -> dict[str, Rows]:
    """Tickets to be added, each with the message of its customer."""
    return {"tickets": keyed(*rows), "messages": keyed(*(message(f"M-{row['id']}", row["id"]) for row in rows))}


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["T-3", "T-10", "T-12", "T-4", "T-6"]),
        ({"page": 2}, ["T-7", "T-8", "T-9", "T-1", "T-2"]),
        ({"page": 3}, []),
        ({"held_by": "me"}, ["T-3", "T-4", "T-1"]),
        ({"held_by": "nobody", "queue": "billing"}, ["T-8", "T-9", "T-2"]),
        ({"held_by": "a_colleague"}, ["T-10", "T-6", "T-7"]),
        ({"queue": "accounts"}, ["T-3", "T-12"]),
        ({"status": "pending"}, ["T-4", "T-7"]),
        ({"status": "solved"}, ["T-5"]),
        ({"status": "closed"}, ["T-11"]),
        ({"status": "merged"}, []),
        ({"priority": "high"}, ["T-1"]),
        ({"customer": "customer 2"}, ["T-12", "T-4", "T-6"]),
        ({"customer": "Customer 1", "held_by": "me"}, ["T-3", "T-11", "T-5", "T-1"]),
        ({"customer": "Customer 1", "status": "solved"}, ["T-5"]),
        ({"customer": "Customer"}, []),
        ({"late": True}, ["T-3"]),
        ({"held_by": "me", "sort": "priority"}, ["T-1", "T-3", "T-4"]),
        ({"held_by": "me", "sort": "age"}, ["T-1", "T-3", "T-4"]),
        ({"held_by": "nobody", "sort": "age"}, ["T-12", "T-8", "T-9", "T-2"]),
        ({"sort": "priority"}, ["T-12", "T-1", "T-3", "T-10", "T-6"]),
    ],
)
def test_tickets_are_found_by_what_they_are(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_tickets", **arguments) == found


def test_a_ticket_is_late_from_its_due_time_on_or_was_when_its_clock_stopped() -> None:
    late = ticket("T-20", **{**PENDING, "stopped_at": "2026-02-27T16:00:01"}, solve_due="2026-02-27T16:00:00")
    just = ticket("T-21", **PENDING, solve_due="2026-02-27T16:00:00")
    sharp = ticket("T-22", solve_due=NOW)
    assert desk(own(late, just, sharp)).ids("search_tickets", late=True) == ["T-20", "T-3"]


def test_a_ticket_is_shown_with_who_asks_and_what_was_written() -> None:
    shown = desk().gives("get_ticket", ticket_id="T-1")
    assert shown == {
        "ticket_id": "T-1", "subject": "matter 1", "customer_name": "Customer 1", "customer_email": "one@mail.example",
        "plan": "standard", "queue": "billing", "line": "first", "status": "open", "priority": "high", "held_by": "me",
        "reply_due": "2026-02-26T13:00:00", "replied_at": "2026-02-26T10:00:00", "solve_due": "2026-03-03T12:00:00",
        "overdue": False, "messages": [MESSAGES["M-1"], MESSAGES["M-2"]], "answered": True, "passed_on": False,
        "priorities": ALLOWED["C-1"], "reasons": REASONS["billing"],
    }  # fmt: skip
    other = desk().gives("get_ticket", ticket_id="T-6")
    assert (other["plan"], other["colleague_name"], "replied_at" in other) == ("premium", "Ben Cole", False)
    assert desk().gives("get_ticket", ticket_id="T-9")["escalated_for"] == "a_large_refund"
    passed = desk().gives("get_ticket", ticket_id="T-8")
    assert (passed["passed_on"], other["answered"], other["priorities"]) == (True, False, ALLOWED["C-2"])
    assert desk().gives("get_ticket", ticket_id="T-3")["overdue"] is True
    desk().refuses("get_ticket", "not_found", "no ticket with the id 'T-99'", ticket_id="T-99")


def test_a_queue_says_what_comes_next() -> None:
    assert desk().gives("check_queue", queue="billing") == {
        "queue": "billing", "waiting": 1, "overdue": 0, "present": 2, "next": [TICKETS["T-2"]],
    }  # fmt: skip
    assert desk().gives("check_queue", queue="accounts") == {
        "queue": "accounts", "waiting": 1, "overdue": 1, "present": 1, "next": [TICKETS["T-12"]],
    }  # fmt: skip
    days = (6, 5, 4, 3)
    more = [ticket(f"T-3{n}", held_by="nobody", solve_due=f"2026-03-0{day}T09:00:00") for n, day in enumerate(days)]
    solved = ticket("T-40", held_by="nobody", status="solved", solve_due="2026-02-01T09:00:00")
    pending = ticket("T-41", held_by="nobody", **PENDING, solve_due="2026-02-20T09:00:00")
    report = desk(own(*more, solved, pending)).gives("check_queue", queue="billing")
    assert [row["id"] for row in report["next"]] == ["T-41", "T-33", "T-2"]
    assert (report["waiting"], report["overdue"]) == (6, 1)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"queue": "billing"}, [("Flo Gray", 0), ("Cleo Dahl", 1), ("Ben Cole", 2)]),
        ({"queue": "billing", "available": True}, [("Flo Gray", 0), ("Ben Cole", 2)]),
        ({"queue": "billing", "page": 2}, []),
        ({"queue": "accounts"}, [("Dan Eck", 0)]),
        ({"queue": "technical"}, []),
    ],
)
def test_colleagues_are_listed_by_how_busy_they_are(arguments: Row, found: list[tuple[str, int]]) -> None:
    at = desk(own(with_colleague("T-20", "A-6", **REPLIED, status="solved")))
    rows = at.gives("list_colleagues", **arguments)["colleagues"]
    assert [(row["name"], row["open_tickets"]) for row in rows] == found


def test_a_colleague_is_described() -> None:
    rows = desk().gives("list_colleagues", queue="billing")["colleagues"]
    assert rows[1] == {
        "id": "A-3", "name": "Cleo Dahl", "queue": "billing", "presence": "away", "open_tickets": 1
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"queue": "billing"}, ["X-2", "X-1", "X-3"]),
        ({"queue": "billing", "leaves": "solved"}, ["X-3"]),
        ({"queue": "accounts"}, ["X-5"]),
        ({"queue": "accounts", "leaves": "solved"}, []),
        ({"queue": "billing", "page": 2}, []),
    ],
)
def test_macros_in_use_are_listed_by_how_often_they_are_sent(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_macros", **arguments) == found


# -- who holds a ticket


def test_a_ticket_that_nobody_holds_is_taken() -> None:
    at = desk()
    assert at.gives("take_ticket", ticket_id="T-2") == {**TICKETS["T-2"], "held_by": "me"}
    assert at.changed() == {"tickets.changed": {"T-2": {"held_by": "me"}}}
    at.refuses("take_ticket", "conflict", "You hold the matter 2 ticket already", ticket_id="T-2")


def test_a_ticket_of_somebody_who_is_away_is_taken() -> None:
    at = desk()
    at.gives("take_ticket", ticket_id="T-7")
    gone = {"held_by": "me", "colleague_id": None, "colleague_name": None}
    assert at.changed() == {"tickets.changed": {"T-7": gone}}


@pytest.mark.parametrize(
    ("ticket_id", "code", "words"),
    [
        ("T-6", "permission_denied", "Ben Cole holds that ticket and is not away"),
        ("T-9", "permission_denied", "Only specialists take tickets of the second line"),
        ("T-5", "precondition_failed", "is solved, so it cannot be taken"),
        ("T-11", "precondition_failed", "is closed, so it cannot be taken"),
        ("T-99", "not_found", "T-99"),
    ],
)
def test_what_is_in_other_hands_is_not_taken(ticket_id: str, code: str, words: str) -> None:
    desk().refuses("take_ticket", code, words, ticket_id=ticket_id)


def test_a_specialist_who_is_away_keeps_a_ticket_unless_the_user_passed_it_on() -> None:
    rows = own(with_colleague("T-20", "A-7", line="second", **REPLIED, escalated_for="a_large_refund"))
    rows["colleagues"] = keyed(colleague("A-7", "Gus Holm", line="second", presence="away"))
    at = desk(rows)
    at.refuses("take_ticket", "permission_denied", "Only specialists take tickets", ticket_id="T-20")
    at.refuses("solve_ticket", "permission_denied", "with Gus Holm, not with you", ticket_id="T-20")


def test_what_was_passed_on_is_taken_back() -> None:
    at = desk()
    back = at.gives("take_ticket", ticket_id="T-8")
    assert back == {**ticket("T-8", **REPLIED)}
    at.gives("take_ticket", ticket_id="T-10")
    assert at.changes().tables["tickets"].changed["T-10"]["passed_on"] is False


@pytest.mark.parametrize(("held", "room"), [(4, True), (5, False)])
def test_nobody_holds_more_than_eight_tickets(held: int, room: bool) -> None:
    at = desk(own(*(ticket(f"T-2{n}") for n in range(held))))  # besides three that are not solved
    if room:
        at.gives("take_ticket", ticket_id="T-2")
    else:
        at.refuses("take_ticket", "limit_exceeded", "You have 8 tickets that are not solved", ticket_id="T-2")
        at.refuses("take_ticket", "limit_exceeded", "You have 8 tickets", ticket_id="T-8")
        at.refuses("reopen_ticket", "limit_exceeded", "You have 8 tickets", ticket_id="T-5")
        at.gives("reopen_ticket", ticket_id="T-4")  # which counts already


def test_a_ticket_is_handed_over_and_taken_back() -> None:
    at = desk()
    given = at.gives("hand_over_ticket", ticket_id="T-1", colleague_id="A-6")
    changes = {"held_by": "a_colleague", "colleague_id": "A-6", "colleague_name": "Flo Gray", "passed_on": True}
    assert given == {**TICKETS["T-1"], **changes}
    assert at.changed() == {"tickets.changed": {"T-1": changes}}
    at.refuses("solve_ticket", "permission_denied", "You passed that ticket on; take it back first", ticket_id="T-1")
    assert at.gives("take_ticket", ticket_id="T-1") == TICKETS["T-1"]
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("colleague_id", "code", "words"),
    [
        ("A-4", "invalid_argument", "Dan Eck works on the first line of accounts, not on billing"),
        ("A-5", "invalid_argument", "Eve Falk works on the second line of billing"),
        ("A-3", "precondition_failed", "Cleo Dahl is away"),
        ("A-99", "not_found", "no colleague with the id 'A-99'"),
    ],
)
def test_a_ticket_is_handed_over_to_who_can_work_on_it(colleague_id: str, code: str, words: str) -> None:
    desk().refuses("hand_over_ticket", code, words, ticket_id="T-1", colleague_id=colleague_id)


def test_a_colleague_has_no_more_than_eight_tickets_either() -> None:
    many = [with_colleague(f"T-2{n}", "A-6") for n in range(6)]
    pending = with_colleague("T-30", "A-6", **PENDING)
    done = with_colleague("T-31", "A-6", **REPLIED, status="solved")
    at = desk(own(*many, pending, done))
    at.gives("hand_over_ticket", ticket_id="T-1", colleague_id="A-6")
    words = "Flo Gray has 8 tickets that are not solved, 8 at most"
    at.refuses("hand_over_ticket", "limit_exceeded", words, ticket_id="T-4", colleague_id="A-6")


def test_a_ticket_is_put_back_into_its_queue() -> None:
    at = desk()
    at.gives("take_ticket", ticket_id="T-2")
    assert at.gives("release_ticket", ticket_id="T-2") == TICKETS["T-2"]
    assert at.changed() == {}
    at.gives("release_ticket", ticket_id="T-4")
    assert at.changed() == {"tickets.changed": {"T-4": {"held_by": "nobody"}}}
    at.refuses("release_ticket", "permission_denied", "Nobody holds that ticket yet", ticket_id="T-4")
    assert at.gives("check_queue", queue="billing")["waiting"] == 2


WORK: list[tuple[str, Row]] = [
    ("release_ticket", {}),
    ("hand_over_ticket", {"colleague_id": "A-6"}),
    ("reply_to_customer", {"text": "we are on it"}),
    ("apply_macro", {"macro_id": "X-1"}),
    ("solve_ticket", {}),
    ("set_priority", {"priority": "low"}),
    ("escalate_ticket", {"reason": "a_large_refund"}),
    ("merge_tickets", {"duplicate_id": "T-1"}),
    ("reopen_ticket", {}),
]


@pytest.mark.parametrize(("tool", "more"), WORK)
def test_only_who_holds_a_ticket_works_on_it(tool: str, more: Row) -> None:
    waits = ticket("T-21", **PENDING, held_by="nobody", passed_on=True)
    at = desk(own(ticket("T-20", held_by="nobody", status="solved", passed_on=True), waits))
    at.refuses(tool, "permission_denied", "Nobody holds that ticket yet; take it first", ticket_id="T-2", **more)
    at.refuses(tool, "permission_denied", "with Ben Cole, not with you", ticket_id="T-6", **more)
    at.refuses(tool, "permission_denied", "You passed that ticket on; take it back", ticket_id="T-8", **more)
    at.refuses(tool, "permission_denied", "with the second line, not with you", ticket_id="T-9", **more)
    at.refuses(tool, "permission_denied", "with the second line, not", ticket_id="T-20", **more)
    at.refuses(tool, "permission_denied", "You passed that ticket on; take it back", ticket_id="T-21", **more)
    at.refuses(tool, "not_found", "T-99", ticket_id="T-99", **more)


@pytest.mark.parametrize(("tool", "more"), WORK[:-1])
def test_a_solved_ticket_stays_as_it_is(tool: str, more: Row) -> None:
    at = desk()
    at.refuses(tool, "precondition_failed", "is solved, so it cannot be", ticket_id="T-5", **more)
    at.refuses(tool, "precondition_failed", "until it is reopened", ticket_id="T-5", **more)
    closed = at(tool, ticket_id="T-11", **more)
    assert (closed.code, "reopened" in closed.text) == ("precondition_failed", False)


# -- answering and solving


def test_an_answer_is_written() -> None:
    at = desk()
    answered = at.gives("reply_to_customer", ticket_id="T-3", text="we are on it")
    assert answered == {**TICKETS["T-3"], "answered": True, "replied_at": NOW}
    written = message("MSG-1001", "T-3", "desk", name="Ada Berg", text="we are on it", sent_at=NOW)
    assert at.changed() == {
        "tickets.changed": {"T-3": {"answered": True, "replied_at": NOW}}, "messages.created": {"MSG-1001": written}
    }  # fmt: skip
    assert at.gives("get_ticket", ticket_id="T-3")["messages"][-1] == written


def test_a_later_answer_is_not_the_first() -> None:
    at = desk()
    at.gives("reply_to_customer", ticket_id="T-1", text="we are on it still")
    assert set(at.changed()) == {"messages.created"}


def test_the_clock_stands_still_until_a_ticket_is_open_again() -> None:
    at = desk()
    asked = at.gives("reply_to_customer", ticket_id="T-3", text="which one", await_answer=True)
    assert (asked["status"], asked["stopped_at"], asked["solve_due"]) == ("pending", NOW, "2026-02-27T16:00:00")
    again = at.gives("reply_to_customer", ticket_id="T-4", text="which one", await_answer=True)
    assert again["stopped_at"] == "2026-02-27T16:00:00"
    told = at.gives("reply_to_customer", ticket_id="T-4", text="we have it")  # an hour of Friday
    assert (told["status"], told["paused"], told["solve_due"]) == ("open", 60, "2026-03-03T10:00:00")
    assert "stopped_at" not in told
    for text in ("no", "x" * 501):
        at.refuses("reply_to_customer", "invalid_argument", "text", ticket_id="T-3", text=text)


@pytest.mark.parametrize(
    ("macro_id", "changes"),
    [
        ("X-1", {}),
        ("X-2", {"status": "pending", "stopped_at": NOW}),
        ("X-3", {"status": "solved", "stopped_at": NOW, "solved_at": NOW}),
    ],
)
def test_a_macro_answers_and_leaves_a_ticket_as_it_says(macro_id: str, changes: Row) -> None:
    at = desk({"tickets": keyed(ticket("T-1"))})
    sent = at.gives("apply_macro", ticket_id="T-1", macro_id=macro_id)
    first = {"answered": True, "replied_at": NOW}
    assert sent == {**ticket("T-1"), **first, **changes}
    written = message("MSG-1001", "T-1", "desk", name="Ada Berg", text="Here it is.", sent_at=NOW, macro_id=macro_id)
    assert at.changed() == {
        "tickets.changed": {"T-1": {**first, **changes}},
        "messages.created": {"MSG-1001": written},
        "macros.changed": {macro_id: {"used": STATE["macros"][macro_id]["used"] + 1}},
    }


def test_a_macro_that_does_not_fit_is_not_sent() -> None:
    at = desk()
    at.gives("apply_macro", ticket_id="T-1", macro_id="X-1")
    at.refuses("apply_macro", "conflict", "was sent on that ticket already", ticket_id="T-1", macro_id="X-1")
    at.gives("apply_macro", ticket_id="T-4", macro_id="X-1")
    words = "The text 5 macro is for accounts, not billing"
    at.refuses("apply_macro", "invalid_argument", words, ticket_id="T-1", macro_id="X-5")
    at.refuses("apply_macro", "precondition_failed", "no longer in use", ticket_id="T-1", macro_id="X-4")
    at.refuses("apply_macro", "not_found", "no macro with the id 'X-99'", ticket_id="T-1", macro_id="X-99")


def test_a_ticket_is_solved_once_the_desk_had_the_last_word() -> None:
    at = desk()
    at.gives("solve_ticket", ticket_id="T-1")
    changes = {"status": "solved", "stopped_at": NOW, "solved_at": NOW}
    assert at.changed() == {"tickets.changed": {"T-1": changes}}
    words = "Customer 1 waits for an answer; write one first"
    at.refuses("solve_ticket", "precondition_failed", words, ticket_id="T-3")
    solved = at.gives("solve_ticket", ticket_id="T-4")
    assert (solved["stopped_at"], solved["solved_at"]) == ("2026-02-27T16:00:00", NOW)


def test_a_solved_ticket_is_opened_again_with_its_clock_running_on() -> None:
    at = desk()
    opened = at.gives("reopen_ticket", ticket_id="T-5")
    assert opened == ticket("T-5", **REPLIED)  # it was solved when the desk closed on Friday
    at = desk(own(ticket("T-20", **{**PENDING, "stopped_at": "2026-02-26T15:30:00"}, paused=10)))
    opened = at.gives("reopen_ticket", ticket_id="T-20")
    assert (opened["paused"], opened["solve_due"]) == (580, "2026-03-04T10:30:00")
    at.refuses("reopen_ticket", "precondition_failed", "is open, so it cannot be reopened", ticket_id="T-20")
    at.refuses("reopen_ticket", "precondition_failed", "is closed, so it cannot be reopened", ticket_id="T-11")


@pytest.mark.parametrize(("solved_at", "possible"), [("2026-02-23T09:00:00", True), ("2026-02-23T08:59:59", False)])
def test_a_ticket_is_reopened_within_a_week(solved_at: str, possible: bool) -> None:
    at = desk(own(ticket("T-20", **REPLIED, status="solved", stopped_at="2026-02-20T09:00:00", solved_at=solved_at)))
    if possible:
        assert at.gives("reopen_ticket", ticket_id="T-20")["status"] == "open"
    else:
        at.refuses("reopen_ticket", "precondition_failed", "solved over 7 days ago", ticket_id="T-20")


# -- priorities and due times


@pytest.mark.parametrize(
    ("customer_id", "priority", "reply_due", "solve_due"),
    [
        ("C-1", "low", "2026-03-02T17:00:00", "2026-03-06T17:00:00"),
        ("C-1", "high", "2026-03-02T11:00:00", "2026-03-02T17:00:00"),
        ("C-2", "low", "2026-03-02T13:00:00", "2026-03-04T13:00:00"),
        ("C-2", "normal", "2026-03-02T11:00:00", "2026-03-03T13:00:00"),
        ("C-2", "high", "2026-03-02T10:00:00", "2026-03-02T13:00:00"),
        ("C-2", "urgent", "2026-03-02T09:15:00", "2026-03-02T11:00:00"),
    ],
)
def test_due_times_follow_from_priority_and_plan(
    customer_id: str, priority: str, reply_due: str, solve_due: str
) -> None:
    start = "high" if priority == "normal" else "normal"
    due = {"reply_due": "2026-03-20T09:00:00", "solve_due": "2026-03-20T09:00:00"}
    at = desk(own(ticket("T-20", NOW, customer_id=customer_id, priority=start, **due)))
    changed = at.gives("set_priority", ticket_id="T-20", priority=priority)
    assert (changed["priority"], changed["reply_due"], changed["solve_due"]) == (priority, reply_due, solve_due)
    assert set(at.changed()) == {"tickets.changed"}


@pytest.mark.parametrize(
    ("opened", "solve_due"),
    [
        ("2026-02-27T16:00:00", "2026-03-04T16:00:00"),  # a Friday: the weekend does not count
        ("2026-02-28T12:00:00", "2026-03-04T17:00:00"),
        ("2026-02-27T17:00:00", "2026-03-04T17:00:00"),
        ("2026-02-27T06:00:00", "2026-03-03T17:00:00"),
        ("2026-02-26T20:00:00", "2026-03-03T17:00:00"),
    ],
)
def test_only_working_hours_count(opened: str, solve_due: str) -> None:
    at = desk(own(ticket("T-20", opened, priority="low")))
    assert at.gives("set_priority", ticket_id="T-20", priority="normal")["solve_due"] == solve_due


def test_what_was_paused_counts_and_a_first_answer_keeps_its_due_time() -> None:
    at = desk(own(ticket("T-20", **REPLIED, paused=90)))
    changed = at.gives("set_priority", ticket_id="T-20", priority="low")
    assert (changed["solve_due"], changed["reply_due"]) == ("2026-03-05T10:30:00", "2026-02-26T13:00:00")


def test_a_priority_that_may_not_be_is_refused() -> None:
    at = desk()
    words = "Customer 1 is on the standard plan: high at most"
    at.refuses("set_priority", "precondition_failed", words, ticket_id="T-1", priority="urgent")
    at.refuses("set_priority", "conflict", "has high priority already", ticket_id="T-1", priority="high")
    at.refuses("set_priority", "precondition_failed", "It was due 2026-02-27 16:00", ticket_id="T-3", priority="low")
    assert at.gives("set_priority", ticket_id="T-3", priority="high")["priority"] == "high"


@pytest.mark.parametrize(
    ("opened", "reply_due", "solve_due"),
    [
        ("2026-02-27T11:00:00", "2026-03-02T13:00:00", "2026-03-02T11:00:00"),  # due sharp is not past
        ("2026-02-27T10:59:00", "2026-03-02T13:00:00", "2026-03-03T11:00:00"),
        ("2026-03-02T09:00:00", "2026-03-02T11:00:00", "2026-03-02T17:00:00"),
        ("2026-02-27T16:59:00", "2026-03-02T13:00:00", "2026-03-02T16:59:00"),
    ],
)
def test_a_higher_priority_makes_nothing_late_and_can_be_taken_back(
    opened: str, reply_due: str, solve_due: str
) -> None:
    before = {"reply_due": "2026-03-03T17:00:00", "solve_due": "2026-03-04T17:00:00"}
    at = desk(own(ticket("T-20", opened, **before)), now=dt.datetime(2026, 3, 2, 11))
    raised = at.gives("set_priority", ticket_id="T-20", priority="high")
    assert (raised["reply_due"], raised["solve_due"]) == (reply_due, solve_due)
    assert at.ids("search_tickets", late=True) == ["T-3"]
    assert at.gives("set_priority", ticket_id="T-20", priority="normal")["priority"] == "normal"


def test_a_higher_priority_is_due_no_later_than_the_lower_one_was() -> None:
    waits = ticket("T-20", "2026-02-25T13:00:00", **REPLIED, solve_due="2026-03-02T13:00:00")
    at = desk(own(waits))
    assert at.gives("set_priority", ticket_id="T-20", priority="high")["solve_due"] == "2026-03-02T13:00:00"
    assert at.gives("set_priority", ticket_id="T-20", priority="normal") == waits
    stopped = ticket("T-21", "2026-02-25T13:00:00", **PENDING, solve_due="2026-03-04T13:00:00")
    late = ticket("T-22", "2026-02-27T16:00:00", reply_due="2026-03-02T08:59:00", solve_due="2026-03-06T09:00:00")
    replied = ticket("T-24", "2026-02-27T16:00:00", **REPLIED, solve_due="2026-03-06T09:00:00")
    at = desk(own(stopped, late, {**replied, "reply_due": "2026-03-02T12:00:00"}))
    assert at.gives("set_priority", ticket_id="T-24", priority="low")["reply_due"] == "2026-03-02T12:00:00"
    raised = at.gives("set_priority", ticket_id="T-21", priority="high")  # from when its clock was stopped
    assert (raised["reply_due"], raised["solve_due"]) == ("2026-02-26T13:00:00", "2026-03-02T16:00:00")
    lower = at.gives("set_priority", ticket_id="T-22", priority="low")
    assert (lower["reply_due"], lower["solve_due"]) == ("2026-03-02T08:59:00", "2026-03-06T16:00:00")
    sharp = ticket("T-23", reply_due=NOW, solve_due=NOW)
    lower = desk(own(sharp)).gives("set_priority", ticket_id="T-23", priority="low")
    assert (lower["reply_due"], lower["solve_due"]) == (NOW, "2026-03-04T17:00:00")
    before = desk().gives("get_ticket", ticket_id="T-3")
    after = desk().gives("set_priority", ticket_id="T-3", priority="high")
    assert (after["reply_due"], after["solve_due"]) == (before["reply_due"], before["solve_due"])


# -- the second line


def test_a_ticket_is_escalated_and_taken_back() -> None:
    at = desk()
    up = at.gives("escalate_ticket", ticket_id="T-1", reason="a_legal_question")
    changes = {"held_by": "nobody", "line": "second", "passed_on": True, "escalated_for": "a_legal_question"}
    assert up == {**TICKETS["T-1"], **changes}
    assert at.changed() == {"tickets.changed": {"T-1": changes}}
    assert at.gives("take_ticket", ticket_id="T-1") == TICKETS["T-1"]


def test_escalation_needs_a_first_answer_and_a_matter_for_that_line() -> None:
    at = desk(own(ticket("T-20")))
    words = "The second line of billing looks at a large refund or a legal question"
    at.refuses("escalate_ticket", "invalid_argument", words, ticket_id="T-1", reason="a_hacked_account")
    words = "Customer 1 has had no answer yet; write one first"
    at.refuses("escalate_ticket", "precondition_failed", words, ticket_id="T-20", reason="a_large_refund")
    at.refuses("escalate_ticket", "precondition_failed", words, ticket_id="T-3", reason="a_legal_question")
    words = "is pending, so it cannot be escalated until it is reopened"
    at.refuses("escalate_ticket", "precondition_failed", words, ticket_id="T-4", reason="a_large_refund")
    assert at.gives("escalate_ticket", ticket_id="T-3", reason="a_hacked_account")["line"] == "second"


# -- duplicates


def test_duplicates_are_open_of_one_customer_and_queue_and_with_no_colleague() -> None:
    rows = own(
        ticket("T-20", "2026-02-20T09:00:00"),
        ticket("T-21", customer_id="C-2"),
        ticket("T-22", queue="accounts"),
        ticket("T-23", **PENDING),
        with_colleague("T-24", "A-2"),
        ticket("T-25", held_by="nobody", line="second"),
    )
    at = desk(rows)
    assert at.ids("find_duplicates", ticket_id="T-1") == ["T-20", "T-2"]
    assert at.ids("find_duplicates", ticket_id="T-1", page=2) == []
    assert at.ids("find_duplicates", ticket_id="T-21") == []
    at.refuses("find_duplicates", "precondition_failed", "is pending, so it cannot be merged", ticket_id="T-4")
    at.refuses("find_duplicates", "not_found", "T-99", ticket_id="T-99")
    for duplicate in ("T-21", "T-22", "T-24", "T-25"):
        words = "Only tickets of Customer 1 in billing that no colleague holds are merged into it"
        at.refuses("merge_tickets", "precondition_failed", words, duplicate_id=duplicate, ticket_id="T-1")
    words = "is pending, so it cannot be merged"
    at.refuses("merge_tickets", "precondition_failed", words, duplicate_id="T-23", ticket_id="T-1")
    at.refuses("merge_tickets", "precondition_failed", words, duplicate_id="T-1", ticket_id="T-23")
    words = "cannot be merged into itself"
    at.refuses("merge_tickets", "invalid_argument", words, duplicate_id="T-1", ticket_id="T-1")
    at.refuses("merge_tickets", "not_found", "T-99", duplicate_id="T-99", ticket_id="T-1")


def test_a_newer_duplicate_brings_what_was_written_and_its_customer_waits_again() -> None:
    at = desk()
    assert at.gives("merge_tickets", duplicate_id="T-2", ticket_id="T-1") == {
        **TICKETS["T-1"], "answered": False, "solve_due": "2026-03-03T12:00:00",
    }  # fmt: skip
    assert at.changed() == {
        "tickets.changed": {
            "T-1": {"answered": False},
            "T-2": {"status": "merged", "merged_into_id": "T-1", "stopped_at": NOW},
        },
        "messages.changed": {"M-3": {"ticket_id": "T-1"}},
    }
    assert [row["id"] for row in at.gives("get_ticket", ticket_id="T-1")["messages"]] == ["M-1", "M-2", "M-3"]
    assert at.ids("search_tickets", status="merged") == ["T-2"]
    at.refuses("take_ticket", "precondition_failed", "is merged, so it cannot be taken", ticket_id="T-2")


def test_a_macro_that_came_with_a_duplicate_is_not_sent_again() -> None:
    at = desk({"tickets": keyed(ticket("T-2", COPY))})
    at.gives("apply_macro", ticket_id="T-2", macro_id="X-1")
    merged = at.gives("merge_tickets", duplicate_id="T-2", ticket_id="T-1")
    assert merged["answered"] is True
    at.refuses("apply_macro", "conflict", "was sent on that ticket already", ticket_id="T-1", macro_id="X-1")


def test_a_merged_ticket_is_as_old_and_as_pressing_as_both() -> None:
    old = ticket(
        "T-20", "2026-02-24T09:00:00", priority="high", paused=30, replied_at="2026-02-24T12:00:00", answered=True,
        reply_due="2026-02-24T11:00:00", solve_due="2026-03-02T10:00:00",
    )  # fmt: skip
    rows = own(old, ticket("T-21", priority="low", paused=5))
    rows["messages"] |= keyed(message("M-40", "T-20", "desk", sent_at="2026-02-27T12:00:00"))
    merged = desk(rows).gives("merge_tickets", duplicate_id="T-20", ticket_id="T-21")
    assert merged == {
        **ticket("T-21", "2026-02-24T09:00:00", priority="high", paused=30, answered=True),
        "replied_at": "2026-02-24T12:00:00", "reply_due": "2026-02-24T11:00:00", "solve_due": "2026-03-02T10:00:00",
    }  # fmt: skip
    kept = desk(rows).gives("merge_tickets", duplicate_id="T-21", ticket_id="T-20")
    assert kept == old
    earlier = own(old, ticket("T-22", replied_at="2026-02-24T11:00:00"))
    assert desk(earlier).gives("merge_tickets", duplicate_id="T-22", ticket_id="T-20")["replied_at"] == (
        "2026-02-24T11:00:00"
    )


# -- time and scenarios


def test_time_makes_tickets_late() -> None:
    friday = desk(now=dt.datetime(2026, 3, 6, 9))
    assert friday.ids("search_tickets", late=True, held_by="me") == ["T-3", "T-1"]
    friday.gives("take_ticket", ticket_id="T-2")
    reopened = friday.gives("reopen_ticket", ticket_id="T-4")  # an hour, and four days of eight
    assert (reopened["paused"], reopened["solve_due"]) == (1980, "2026-03-09T10:00:00")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [10, 60, 300])
def test_a_scenario_keeps_the_rules_of_the_desk(seed: int, size: int) -> None:
    world = build_scenario(Helpdesk, seed, size, DEFAULT_NOW)
    tickets = list(world.tickets.values())
    assert {row.status for row in tickets} == {"open", "pending", "solved", "closed"}
    assert {row.held_by for row in tickets if row.status == "open"} == {"me", "nobody", "a_colleague"}
    mine = [row for row in tickets if row.held_by == "me"]
    assert {row.status for row in mine} == {"open", "pending", "solved", "closed"}
    assert 8 - sum(row.status in ("open", "pending") for row in mine) >= 3, "room for more"
    loads = [sum(r.colleague_id == c and r.status in ("open", "pending") for r in tickets) for c in world.colleagues]
    assert max(loads) == 8
    assert sum(row.status == "solved" and row.held_by == "a_colleague" for row in tickets) >= 1
    assert sum(row.passed_on for row in tickets) == 2
    assert any(row.held_by == "a_colleague" and row.line == "second" for row in tickets)
    assert {row.presence for row in world.colleagues.values()} == {"in", "away"}
    assert any(not row.active for row in world.macros.values())
    copies = [(row.customer_id, row.queue) for row in tickets if row.status == "open" and row.held_by == "me"]
    copies += [(r.customer_id, r.queue) for r in tickets if r.status == "open" and r.held_by == "nobody"]
    assert len(copies) - len(set(copies)) >= 3, "written twice"
    about: dict[tuple[str, str], set[str]] = {}
    for row in tickets:
        about.setdefault((row.customer_id, row.queue), set()).add(row.subject.split()[0])
    assert all(len(things) == 1 for things in about.values()), "about the same thing"
    for row in tickets:
        customer = world.customers[row.customer_id]
        said = sorted((m for m in world.messages.values() if m.ticket_id == row.id), key=lambda m: (m.sent_at, m.id))
        assert said[0].author == "customer"
        assert said[0].sent_at == row.opened_at
        assert said[-1].sent_at <= world.now
        assert row.answered == (said[-1].author == "desk")
        assert row.replied_at == next((m.sent_at for m in said if m.author == "desk"), None)
        first = next((m.name for m in said if m.author == "desk"), None)
        if row.held_by != "me" and not row.passed_on and first:
            assert first in {c.name for c in world.colleagues.values() if (c.queue, c.line) == (row.queue, "first")}
        assert row.customer_name == customer.name
        assert ("urgent" in row.priorities) == (customer.plan == "premium")
        assert row.priority in row.priorities
        assert (row.stopped_at is None) == (row.status == "open")
        assert (row.solved_at is not None) == (row.status in ("solved", "closed"))
        assert row.stopped_at is None or said[-1].sent_at <= row.stopped_at <= world.now
        assert (row.line == "second") == (row.escalated_for is not None)
        assert row.escalated_for is None or row.escalated_for in row.reasons
        if row.colleague_id:
            colleague = world.colleagues[row.colleague_id]
            assert (colleague.queue, colleague.line, colleague.name) == (row.queue, row.line, row.colleague_name)
    late = [row for row in tickets if (row.stopped_at or world.now) > row.solve_due]
    assert any(row.held_by == "me" for row in late)
    assert len(late) < len(tickets) / 3


@pytest.mark.parametrize("seed", [1634154402, 274887362])
def test_a_customer_with_more_tickets_than_a_thing_has_faults_has_another_thing(seed: int) -> None:
    tickets = build_scenario(Helpdesk, seed, 50, DEFAULT_NOW).tickets.values()
    said = [(row.customer_id, row.queue, row.subject) for row in tickets]
    assert len(set(said)) == len(said)
