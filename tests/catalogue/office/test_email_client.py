"""The mailbox, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.office.email_client import EmailClient
from envfactory.environment import DEFAULT_NOW, describe
from tests.catalogue.support import Desk, Row, Rows, keyed, scenario_rows

# The clock stands at Monday, 2 March 2026, 9:00.

NOW = "2026-03-02T09:00:00"
SOON = "2026-03-02T09:05:00"
FOLDERS = keyed(
    *(
        {"id": f"F-{place}", "mailbox_id": "MB-1", "name": place.capitalize(), "place": place}
        for place in ("inbox", "drafts", "outbox", "sent", "archive")
    ),
    {"id": "F-travel", "mailbox_id": "MB-1", "name": "Travel", "place": "own"},
    {"id": "F-club", "mailbox_id": "MB-1", "name": "Club", "place": "own"},
    {"id": "F-junk", "mailbox_id": "MB-1", "name": "Junk", "place": "junk"},
    {"id": "F-trash", "mailbox_id": "MB-1", "name": "Trash", "place": "trash"},
    {"id": "F-theirs", "mailbox_id": "MB-2", "name": "Inbox", "place": "inbox"},
)
RECEIVED_IN = ["F-inbox", "F-archive", "F-travel", "F-club", "F-junk", "F-trash"]
SENT_IN = ["F-sent", "F-archive", "F-travel", "F-club", "F-trash"]
DRAFT_IN = ["F-drafts", "F-trash"]


def moves(folder: str, among: list[str]) -> list[Row]:
    """Where an e-mail in a folder can be moved to."""
    return [{"id": each, "name": FOLDERS[each]["name"]} for each in among if each != folder]


def file(key: str, megabytes: int = 3, kind: str = "document", **changes: Any) -> Row:
    return {
        "id": key, "mailbox_id": "MB-1", "name": f"paper {key[2:]}", "kind": kind, "megabytes": megabytes,
        "saved_on": f"2026-02-0{key[-1]}", **changes,
    }  # fmt: skip


def carried(*files: Row) -> Row:
    listed = [{"file_id": each["id"], "name": each["name"], "megabytes": each["megabytes"]} for each in files]
    return {"files": listed, "megabytes": sum(each["megabytes"] for each in files)}


def email(key: str, folder: str = "F-inbox", at: str = "2026-02-20T09:00:00", **changes: Any) -> Row:
    """An e-mail that Ada Berg sent to the user, unless the changes say otherwise."""
    place = FOLDERS[folder]["place"]
    return {
        "id": key, "mailbox_id": FOLDERS[folder]["mailbox_id"], "subject": f"matter {key[2:]}", "form": "e-mail",
        "sender": "Ada Berg",
        "reply_to": "ada@mail.example", "takes_answers": True, "to": ["me@mail.example"], "folder_id": folder,
        "folder_name": FOLDERS[folder]["name"], "place": place, "moves_to": moves(folder, RECEIVED_IN),
        "status": "received", "at": at, "unread": False, "confidential": False, "text": "Here it is.", "files": [],
        "megabytes": 0, **changes,
    }  # fmt: skip


def own(key: str, folder: str, at: str = "2026-02-25T09:00:00", **changes: Any) -> Row:
    """An e-mail of the user's to Ada Berg."""
    status = {"F-outbox": "outgoing", "F-drafts": "draft", "F-trash": "draft"}.get(folder, "sent")
    among = {"draft": DRAFT_IN, "outgoing": [], "sent": SENT_IN}[str(changes.get("status", status))]
    row = email(
        key, folder, at, takes_answers=False, to=["ada@mail.example"], status=status,
        moves_to=moves(folder, among),
    )  # fmt: skip
    del row["reply_to"], row["sender"]
    return {**row, **changes}


FILES = keyed(
    file("P-1", 3),
    file("P-2", 9, "picture"),
    file("P-3", 12, "presentation"),
    file("P-4", 8, "spreadsheet"),
    file("P-5", 17),
    file("P-6", 2),
    file("P-7", 1),
    file("P-8", 1, mailbox_id="MB-2"),
)
EMAILS = keyed(
    email("E-1", at="2026-02-26T09:00:00", unread=True, to=["me@mail.example", "bo@mail.example", "cy@mail.example"]),
    email("E-2", at="2026-02-24T09:00:00", sender="Rail Alerts", reply_to=None, takes_answers=False),
    email("E-3", "F-travel", **carried(FILES["P-2"])),
    email("E-4", at="2026-02-22T09:00:00", confidential=True, unread=True, **carried(FILES["P-6"])),
    email("E-5", "F-junk", at="2026-02-18T09:00:00", sender="Bo Cole", reply_to="Bo@mail.example", unread=True),
    email("E-6", "F-trash", at="2026-02-17T09:00:00", **carried(FILES["P-1"])),
    email("E-7", "F-archive", at="2026-02-10T09:00:00", subject="Garden plans"),
    own("E-8", "F-drafts", answers_id="E-7", subject="Garden plans", **carried(FILES["P-1"], FILES["P-2"])),
    own("E-9", "F-outbox", at="2026-02-27T09:00:00", leaves_at="2026-03-02T09:03:00"),
    own("E-10", "F-sent", at="2026-02-12T09:00:00", answers_id="E-7", subject="Garden plans", **carried(FILES["P-7"])),
    own("E-11", "F-trash", at="2026-02-16T09:00:00"),
    email("E-12", "F-theirs", sender="Dan Eck", subject="secret"),
)
BLOCKED: Row = {
    "id": "R-1", "mailbox_id": "MB-1", "sender": "Bo Cole", "address": "Bo@mail.example", "folder_id": "F-junk",
    "folder_name": "Junk", "blocks": True,
}  # fmt: skip
FILED: Row = {
    "id": "R-2", "mailbox_id": "MB-1", "sender": "Ada Berg", "address": "ada@mail.example", "folder_id": "F-travel",
    "folder_name": "Travel", "blocks": False,
}  # fmt: skip
STATE: dict[str, Any] = {
    "mailbox_id": "MB-1",
    "mailboxes": keyed(
        {"id": "MB-1", "name": "Me Myself", "address": "me@mail.example", "quota": 60},
        {"id": "MB-2", "name": "Dan Eck", "address": "dan@mail.example", "quota": 60},
    ),
    "folders": FOLDERS,
    "files": FILES,
    "emails": EMAILS,
    "sender_rules": keyed(
        BLOCKED, FILED, {**FILED, "id": "R-3", "mailbox_id": "MB-2", "folder_id": "F-theirs", "folder_name": "Inbox"}
    ),
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(EmailClient, STATE, rows=rows, **changes)


def with_emails(*rows: Row) -> Desk:
    return desk({"emails": keyed(*rows)})


def with_quota(quota: int) -> Desk:
    return desk({"mailboxes": keyed({**STATE["mailboxes"]["MB-1"], "quota": quota})})


def head(row: Row) -> Row:
    """An e-mail as lists show it."""
    keys = ("id", "subject", "form", "sender", "folder_name", "status", "at", "unread", "megabytes")
    listed = {key: row[key] for key in keys if key in row}
    return listed if "sender" in row else {**listed, "to": ", ".join(row["to"])}


def put(folder: str, among: list[str]) -> Row:
    """What changes of an e-mail that is moved."""
    row = FOLDERS[folder]
    return {
        "folder_id": folder, "folder_name": row["name"], "place": row["place"], "moves_to": moves(folder, among)
    }  # fmt: skip


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["E-9", "E-1", "E-8", "E-2", "E-4"]),
        ({"page": 2}, ["E-3", "E-10", "E-7"]),
        ({"page": 3}, []),
        ({"sort": "oldest"}, ["E-7", "E-10", "E-3", "E-4", "E-2"]),
        ({"sort": "largest"}, ["E-8", "E-3", "E-4", "E-10", "E-9"]),
        ({"folder_id": "F-inbox"}, ["E-1", "E-2", "E-4"]),
        ({"folder_id": "F-junk"}, ["E-5"]),
        ({"folder_id": "F-trash"}, ["E-6", "E-11"]),
        ({"folder_id": "F-club"}, []),
        ({"sender": "ada berg"}, ["E-1", "E-4", "E-3", "E-6", "E-7"]),
        ({"sender": "Ada"}, []),
        ({"sender": "Me Myself"}, []),
        ({"sender": "Ada Berg", "about": "matter 6", "folder_id": "F-inbox"}, []),
        ({"sender": "Bo Cole"}, ["E-5"]),
        ({"sender": "Bo Cole", "folder_id": "F-junk"}, ["E-5"]),
        ({"about": "garden"}, ["E-8", "E-10", "E-7"]),
        ({"about": "secret"}, []),
        ({"unread": True}, ["E-1", "E-4"]),
        ({"unread": True, "sender": "Bo Cole"}, ["E-5"]),
    ],
)
def test_mail_is_found_by_what_it_is(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_mail", **arguments) == found


def test_of_two_e_mails_of_one_moment_the_later_id_is_newer() -> None:
    at = with_emails(email("E-0", at="2026-02-26T09:00:00"))
    assert at.ids("search_mail", folder_id="F-inbox") == ["E-1", "E-0", "E-2", "E-4"]
    assert at.ids("search_mail", folder_id="F-inbox", sort="oldest") == ["E-4", "E-2", "E-0", "E-1"]


def test_a_list_shows_e_mails_in_short() -> None:
    own_one = {**EMAILS["E-9"], "to": ["ada@mail.example", "bo@mail.example"]}
    for folder, row in (("F-travel", EMAILS["E-3"]), ("F-outbox", own_one)):
        found = with_emails(row).gives("search_mail", folder_id=folder)
        assert found == {"emails": [head(row)], "total": 1, "page": 1, "pages": 1}


def test_an_e_mail_is_opened_and_stays_unread() -> None:
    at = desk()
    for key in ("E-1", "E-4", "E-8", "E-9"):
        assert at.gives("open_email", email_id=key) == EMAILS[key]
    assert at.changed() == {}
    at.refuses("open_email", "not_found", "no e-mail with the id 'E-99'", email_id="E-99")


@pytest.mark.parametrize(
    ("email_id", "found"),
    [
        ("E-7", ["E-7", "E-10", "E-8"]),
        ("E-8", ["E-7", "E-10", "E-8"]),
        ("E-1", ["E-1"]),
    ],
)
def test_a_conversation_is_what_answers_one_another(email_id: str, found: list[str]) -> None:
    assert desk().ids("list_conversation", email_id=email_id) == found


def test_a_long_conversation_has_pages_and_is_followed_through_answers_to_answers() -> None:
    chain = [own(f"E-2{n}", "F-sent", f"2026-02-2{n}T09:00:00", answers_id=f"E-2{n - 1}") for n in range(1, 6)]
    at = with_emails(email("E-20", "F-trash", at="2026-02-20T08:00:00"), *chain)
    assert at.ids("list_conversation", email_id="E-25") == ["E-20", "E-21", "E-22", "E-23", "E-24"]
    assert at.ids("list_conversation", email_id="E-20", page=2) == ["E-25"]
    same = with_emails(*(own(f"E-3{n}", "F-sent", answers_id="E-1", at="2026-02-26T09:00:00") for n in (1, 0)))
    assert same.ids("list_conversation", email_id="E-31") == ["E-1", "E-30", "E-31"]


def test_folders_say_what_is_in_them() -> None:
    at = desk()
    rows = at.gives("list_folders")["folders"]
    told = {row["id"]: (row["emails"], row["unread"], row["megabytes"]) for row in rows}
    assert list(told) == [key for key in FOLDERS if key != "F-theirs"]
    assert told == {
        "F-inbox": (3, 2, 2), "F-drafts": (1, 0, 12), "F-outbox": (1, 0, 0), "F-sent": (1, 0, 1),
        "F-archive": (1, 0, 0), "F-travel": (1, 0, 9), "F-club": (0, 0, 0), "F-junk": (1, 1, 0), "F-trash": (2, 0, 3),
    }  # fmt: skip
    assert rows[5] == {"id": "F-travel", "name": "Travel", "place": "own", "emails": 1, "unread": 0, "megabytes": 9}
    assert at.ids("list_folders", with_unread=True) == ["F-inbox", "F-junk"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["P-7", "P-6", "P-5", "P-4", "P-3"]),
        ({"page": 2}, ["P-2", "P-1"]),
        ({"kind": "document"}, ["P-7", "P-6", "P-5", "P-1"]),
        ({"max_megabytes": 3}, ["P-7", "P-6", "P-1"]),
        ({"max_megabytes": 2, "kind": "document"}, ["P-7", "P-6"]),
        ({"kind": "picture", "max_megabytes": 8}, []),
    ],
)
def test_files_are_found_the_newest_first(arguments: Row, found: list[str]) -> None:
    at = desk()
    assert at.ids("find_files", **arguments) == found
    assert at.gives("find_files", kind="picture")["files"] == [FILES["P-2"]]


def test_of_two_files_of_one_day_the_later_id_comes_first() -> None:
    at = desk({"files": keyed(file("P-0", 3, saved_on="2026-02-07"))})
    assert at.ids("find_files")[:2] == ["P-7", "P-0"]


def test_rules_are_listed_by_sender() -> None:
    at = desk()
    assert at.gives("list_rules")["rules"] == [FILED, BLOCKED]
    assert at.ids("list_rules", folder_id="F-junk") == ["R-1"]
    assert at.ids("list_rules", folder_id="F-club") == []
    assert at.ids("list_rules", page=2) == []


def test_what_is_in_trash_takes_no_room() -> None:
    largest = [head(EMAILS[key]) for key in ("E-8", "E-3", "E-4")]
    assert desk().gives("check_storage") == {"used": 24, "quota": 60, "left": 36, "in_trash": 3, "largest": largest}
    assert with_quota(20).gives("check_storage")["left"] == 0
    few = Desk(EmailClient, {**STATE, "emails": keyed(EMAILS["E-1"], EMAILS["E-7"], EMAILS["E-3"])})
    assert [row["id"] for row in few.gives("check_storage")["largest"]] == ["E-3"]
    same = with_emails(email("E-31", **carried(FILES["P-2"])), email("E-30", **carried(FILES["P-2"])))
    assert [row["id"] for row in same.gives("check_storage")["largest"]] == ["E-8", "E-3", "E-30"]


# -- writing


def new(to: list[str], subject: str, text: str, **more: Any) -> Row:
    row = own("EM-1001", "F-drafts", NOW, subject=subject, text=text)
    return {**row, "to": to, **more}


def test_an_e_mail_is_written_as_a_draft() -> None:
    at = desk()
    made = at.gives("write_draft", to="zoe@mail.example", subject="office keys", text="Where are they?")
    assert made == new(["zoe@mail.example"], "office keys", "Where are they?")
    assert at.changed() == {"emails.created": {"EM-1001": made}}
    assert at.ids("search_mail", folder_id="F-drafts") == ["EM-1001", "E-8"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("to", "zoe"), ("to", "zoe@mail"), ("to", "zoe kim@mail.example"), ("to", f"{'z' * 110}@mail.example"),
        ("subject", "x"), ("subject", "x" * 121), ("text", "no"), ("text", "x" * 2001),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused(field: str, value: str) -> None:
    good = {"to": "zoe@mail.example", "subject": "keys", "text": "Where are they?"}
    desk().refuses("write_draft", "invalid_argument", field, **{**good, field: value})


def test_an_answer_goes_to_the_sender_or_to_everyone() -> None:
    at = desk()
    made = at.gives("draft_reply", email_id="E-1", text="That suits me.")
    assert made == new(["ada@mail.example"], "matter 1", "That suits me.", form="reply", answers_id="E-1")
    assert at.changed() == {"emails.created": {"EM-1001": made}}
    assert at.ids("list_conversation", email_id="E-1") == ["E-1", "EM-1001"]
    free = desk(sender_rules={})
    told = free.gives("draft_reply", email_id="E-1", text="That suits me.", everyone=True)
    assert told["to"] == ["ada@mail.example", "bo@mail.example", "cy@mail.example"]
    copied = with_emails(email("E-20", to=["ada@mail.example", "me@mail.example", "cy@mail.example"]))
    told = copied.gives("draft_reply", email_id="E-20", text="Good.", everyone=True)
    assert told["to"] == ["ada@mail.example", "cy@mail.example"]


def test_everyone_is_somebody_besides_the_sender() -> None:
    words = "Nobody but you got the matter 3 e-mail of Ada Berg; leave everyone out"
    desk().refuses("draft_reply", "precondition_failed", words, email_id="E-3", text="Good.", everyone=True)
    alone = with_emails(email("E-20", to=["Me@mail.example", "ADA@mail.example"]))
    alone.refuses("draft_reply", "precondition_failed", "Nobody but you", email_id="E-20", text="Good.", everyone=True)


@pytest.mark.parametrize(
    ("email_id", "words"),
    [
        ("E-2", "Rail Alerts reads no answers; forward it or write a new e-mail to somebody else"),
        ("E-5", "is in Junk; move it to another folder before it is answered"),
        ("E-6", "is in Trash; move it to another folder before it is answered"),
        ("E-8", "is your own (draft); write a new one"),
        ("E-10", "is your own (sent); write a new one"),
    ],
)
def test_what_cannot_be_answered_is_refused(email_id: str, words: str) -> None:
    desk().refuses("draft_reply", "precondition_failed", words, email_id=email_id, text="That suits me.")


def test_an_e_mail_is_forwarded_with_its_files_and_a_note() -> None:
    at = desk()
    made = at.gives("draft_forward", email_id="E-3", to="zoe@mail.example")
    text = "Ada Berg wrote: Here it is."
    assert made == new(
        ["zoe@mail.example"], "matter 3", text, form="forward", answers_id="E-3", **carried(FILES["P-2"])
    )
    assert at.changed() == {"emails.created": {"EM-1001": made}}
    sent = at.gives("draft_forward", email_id="E-10", to="zoe@mail.example", note="Please read.")
    assert sent["text"] == "Please read.\nMe Myself wrote: Here it is."
    at.refuses("draft_forward", "invalid_argument", "note", email_id="E-3", to="zoe@mail.example", note="no")
    at.refuses("draft_forward", "invalid_argument", "to", email_id="E-3", to="zoe")


@pytest.mark.parametrize(
    ("email_id", "code", "words"),
    [
        ("E-4", "permission_denied", "The matter 4 e-mail is confidential; ask Ada Berg to send it there, by a reply"),
        ("E-5", "precondition_failed", "is in Junk; move it to another folder before it is forwarded"),
        ("E-6", "precondition_failed", "is in Trash"),
        ("E-8", "precondition_failed", "is draft, so it is not forwarded; send it, or write a new one"),
        ("E-9", "precondition_failed", "is outgoing, so it is not forwarded"),
    ],
)
def test_what_cannot_be_forwarded_is_refused(email_id: str, code: str, words: str) -> None:
    desk().refuses("draft_forward", code, words, email_id=email_id, to="zoe@mail.example")


def test_nothing_is_written_to_who_is_blocked() -> None:
    at, words = desk(), "Bo Cole (bo@mail.example) is blocked; move an e-mail of theirs to Inbox with always set"
    at.refuses("write_draft", "precondition_failed", words, to="bo@mail.example", subject="keys", text="Hello")
    at.refuses(
        "write_draft", "precondition_failed", "(BO@mail.example) is blocked", to="BO@mail.example", subject="keys",
        text="Hello",
    )  # fmt: skip
    at.refuses("draft_forward", "precondition_failed", words, email_id="E-3", to="bo@mail.example")
    at.refuses("draft_reply", "precondition_failed", words, email_id="E-1", text="Good.", everyone=True)
    at.gives("draft_reply", email_id="E-1", text="Good.")
    at.gives("move_email", email_id="E-5", folder_id="F-inbox")  # which alone lifts nothing
    at.refuses(
        "draft_reply", "precondition_failed", "Bo Cole (Bo@mail.example) is blocked", email_id="E-5", text="Hello"
    )
    at.gives("move_email", email_id="E-5", folder_id="F-inbox", always=True)
    at.gives("draft_reply", email_id="E-5", text="Hello")
    at.gives("write_draft", to="bo@mail.example", subject="keys", text="Hello")


def test_who_was_blocked_after_a_draft_was_written_does_not_get_it() -> None:
    at = desk()
    at.gives("move_email", email_id="E-1", folder_id="F-junk", always=True)
    at.refuses("send_email", "precondition_failed", "Ada Berg (ada@mail.example) is blocked", email_id="E-8")


def test_no_second_draft_about_the_same_is_written() -> None:
    at = desk(sender_rules={})
    words = "to zoe@mail.example lies in Drafts already; send that one, or move it to Trash before you write another"
    note = {"to": "zoe@mail.example", "subject": "Office keys", "text": "Where are they?"}
    at.gives("write_draft", **note)
    at.refuses(
        "write_draft", "conflict", f"A draft e-mail about office keys {words}", **{**note, "subject": "office keys"}
    )
    at.gives("write_draft", **{**note, "subject": "keys"})
    at.gives("write_draft", **{**note, "to": "yan@mail.example"})
    at.gives("move_email", email_id="EM-1001", folder_id="F-trash")
    made = at.gives("write_draft", **note)
    at.gives("send_email", email_id=made["id"])
    at.gives("write_draft", **note)
    at.gives("draft_reply", email_id="E-1", text="Good.")
    at.gives("draft_reply", email_id="E-1", text="Good.", everyone=True)
    words = "A draft reply about matter 1 to ada@mail.example, bo@mail.example, cy@mail.example lies in Drafts already"
    at.refuses("draft_reply", "conflict", words, email_id="E-1", text="Again.", everyone=True)
    at.gives("draft_forward", email_id="E-1", to="ada@mail.example")
    at.refuses("draft_forward", "conflict", "A draft forward", email_id="E-1", to="ada@mail.example")


# -- files


def test_a_file_is_attached_and_taken_off() -> None:
    at = desk()
    made = at.gives("attach_file", email_id="E-8", file_id="P-7")
    after = carried(FILES["P-1"], FILES["P-2"], FILES["P-7"])
    assert made == {**EMAILS["E-8"], **after}
    assert at.changed() == {"emails.changed": {"E-8": after}}
    at.refuses("attach_file", "conflict", "The paper 7 file is attached already", email_id="E-8", file_id="P-7")
    assert at.gives("remove_attachment", email_id="E-8", file_id="P-7") == EMAILS["E-8"]
    assert at.changed() == {}
    at.gives("remove_attachment", email_id="E-8", file_id="P-1")
    assert at.changed() == {"emails.changed": {"E-8": carried(FILES["P-2"])}}
    words = "No file with the id 'P-1' is attached; the Garden plans draft carries paper 2"
    at.refuses("remove_attachment", "conflict", words, email_id="E-8", file_id="P-1")
    at.gives("remove_attachment", email_id="E-8", file_id="P-2")
    at.refuses("remove_attachment", "conflict", "draft carries no file.", email_id="E-8", file_id="P-2")


def test_a_refusal_names_all_files_that_are_there() -> None:
    desk().refuses("remove_attachment", "conflict", "carries paper 1, paper 2.", email_id="E-8", file_id="P-99")


def test_an_e_mail_carries_twenty_megabytes() -> None:
    at = desk()
    words = "have 20 megabytes at most, and these would have 24; leave one out or take a smaller one"
    at.refuses("attach_file", "limit_exceeded", words, email_id="E-8", file_id="P-3")
    assert at.gives("attach_file", email_id="E-8", file_id="P-4")["megabytes"] == 20
    at.refuses("attach_file", "limit_exceeded", "these would have 21", email_id="E-8", file_id="P-7")


def test_what_came_in_confidence_is_not_attached() -> None:
    at, words = desk(), "The paper 6 file came confidentially from Ada Berg; attach another one"
    at.refuses("attach_file", "permission_denied", words, email_id="E-8", file_id="P-6")
    at.gives("move_email", email_id="E-4", folder_id="F-trash")
    at.refuses("attach_file", "permission_denied", words, email_id="E-8", file_id="P-6")
    several = with_emails(email("E-20", confidential=True, **carried(FILES["P-5"], FILES["P-7"])))
    for key in ("P-5", "P-7"):
        several.refuses("attach_file", "permission_denied", "came confidentially", email_id="E-8", file_id=key)
    theirs = with_emails({**EMAILS["E-12"], "confidential": True, **carried(FILES["P-7"])})
    theirs.gives("attach_file", email_id="E-8", file_id="P-7")


def test_a_mailbox_holds_its_quota() -> None:
    words = "That takes 9 megabytes and the mailbox has 8 left; move large e-mails to Trash first"
    at = with_quota(32)
    at.refuses("draft_forward", "limit_exceeded", words, email_id="E-3", to="zoe@mail.example")
    at.gives("attach_file", email_id="E-8", file_id="P-4")
    at.refuses("move_email", "limit_exceeded", "takes 3 megabytes and", email_id="E-6", folder_id="F-inbox")
    at.gives("move_email", email_id="E-3", folder_id="F-trash")
    at.gives("move_email", email_id="E-6", folder_id="F-inbox")
    with_quota(33).gives("draft_forward", email_id="E-3", to="zoe@mail.example")
    with_quota(27).gives("move_email", email_id="E-6", folder_id="F-archive")
    full = with_quota(31)
    full.refuses(
        "attach_file", "limit_exceeded", "takes 8 megabytes and the mailbox has 7", email_id="E-8", file_id="P-4"
    )
    with_quota(10).refuses(
        "attach_file", "limit_exceeded", "the mailbox has 0 left", email_id="E-8", file_id="P-7"
    )  # fmt: skip


def test_a_full_mailbox_still_writes_and_files_what_needs_no_room() -> None:
    at = with_quota(24)
    at.gives("draft_reply", email_id="E-1", text="Good.")
    at.gives("move_email", email_id="E-11", folder_id="F-drafts")
    at.gives("move_email", email_id="E-3", folder_id="F-inbox")
    at.gives("move_email", email_id="E-6", folder_id="F-trash", always=True)  # stays there, only the rule is new
    at.gives("draft_forward", email_id="E-7", to="zoe@mail.example")


# -- sending


def test_a_draft_waits_in_the_outbox_and_is_taken_back() -> None:
    at = desk()
    sent = at.gives("send_email", email_id="E-8")
    changes = {**put("F-outbox", []), "status": "outgoing", "leaves_at": SOON}
    assert sent == {**EMAILS["E-8"], **changes}
    assert at.changed() == {"emails.changed": {"E-8": changes}}
    at.refuses("send_email", "precondition_failed", "waits in Outbox; unsend it before it is sent", email_id="E-8")
    assert at.gives("unsend_email", email_id="E-8") == EMAILS["E-8"]
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("send_at", "leaves"),
    [(SOON, True), ("2026-03-02T09:04:59", False), ("2026-05-01T09:00:00", True), ("2026-05-01T09:00:01", False)],
)
def test_an_e_mail_leaves_in_five_minutes_at_the_earliest_and_sixty_days_at_the_latest(
    send_at: str, leaves: bool
) -> None:
    at = desk()
    if leaves:
        assert at.gives("send_email", email_id="E-8", send_at=send_at)["leaves_at"] == send_at
    else:
        words = "leaves 5 minutes from now (2026-03-02 09:00:00) at the earliest and in 60 days at the latest, not on "
        words += send_at.replace("T", " ")
        at.refuses("send_email", "invalid_argument", words, email_id="E-8", send_at=send_at)


def test_what_has_left_is_sent_and_cannot_be_taken_back() -> None:
    at = desk()
    at.gives("unsend_email", email_id="E-9")
    at.gives("send_email", email_id="E-9")
    at.session.advance(DEFAULT_NOW + dt.timedelta(minutes=4, seconds=59))
    at.gives("unsend_email", email_id="E-9")
    at.gives("send_email", email_id="E-9")
    left = "2026-03-02T09:09:59"
    at.session.advance(DEFAULT_NOW + dt.timedelta(minutes=9, seconds=59))
    gone = at.gives("open_email", email_id="E-9")
    assert gone == {**own("E-9", "F-sent", left)}
    words = "The matter 9 e-mail left on 2026-03-02 09:09:59; write another one to set it right"
    at.refuses("unsend_email", "precondition_failed", words, email_id="E-9")
    assert at.ids("search_mail", folder_id="F-sent") == ["E-9", "E-10"]
    assert at.ids("search_mail", folder_id="F-outbox") == []
    at.gives("draft_forward", email_id="E-9", to="zoe@mail.example")
    moved = at.gives("move_email", email_id="E-9", folder_id="F-travel")
    assert moved == own("E-9", "F-travel", left)


@pytest.mark.parametrize("email_id", ["E-1", "E-8", "E-11"])
def test_only_what_waits_is_taken_back(email_id: str) -> None:
    status, folder = EMAILS[email_id]["status"], EMAILS[email_id]["folder_name"]
    words = f"That e-mail is {status} and in {folder}; only what is in Outbox can be taken back"
    desk().refuses("unsend_email", "precondition_failed", words, email_id=email_id)


@pytest.mark.parametrize(
    ("email_id", "words"),
    [
        ("E-1", "and that e-mail was received; write a new one, or forward it"),
        ("E-10", "and that e-mail was sent"),
        ("E-9", "waits in Outbox; unsend it before it is"),
        ("E-11", "That draft is in Trash; move it to Drafts before it is"),
    ],
)
def test_only_drafts_are_changed_and_sent(email_id: str, words: str) -> None:
    at = desk()
    at.refuses("send_email", "precondition_failed", words, email_id=email_id)
    at.refuses("attach_file", "precondition_failed", words, email_id=email_id, file_id="P-7")
    at.refuses("remove_attachment", "precondition_failed", words, email_id=email_id, file_id="P-7")
    done = {"send_email": "sent", "attach_file": "given files", "remove_attachment": "changed"}
    for tool, word in done.items():
        more = {} if tool == "send_email" else {"file_id": "P-7"}
        at.refuses(tool, "precondition_failed", word, email_id=email_id, **more)


# -- marking


@pytest.mark.parametrize(("email_id", "mark", "back"), [("E-1", "read", "unread"), ("E-3", "unread", "read")])
def test_an_e_mail_is_marked_and_back(email_id: str, mark: str, back: str) -> None:
    at = desk()
    made = at.gives("mark_email", email_id=email_id, mark=mark)
    assert made == {**EMAILS[email_id], "unread": mark == "unread"}
    assert at.changed() == {"emails.changed": {email_id: {"unread": mark == "unread"}}}
    subject = EMAILS[email_id]["subject"]
    words = f"The {subject} e-mail is marked as {mark} already; choose another one"
    at.refuses("mark_email", "conflict", words, email_id=email_id, mark=mark)
    at.gives("mark_email", email_id=email_id, mark=back)
    assert at.changed() == {}


def test_only_received_mail_is_marked() -> None:
    for email_id, status in (("E-8", "draft"), ("E-9", "outgoing"), ("E-10", "sent")):
        words = f"Only received e-mails are marked, and that one is your own ({status})"
        desk().refuses("mark_email", "precondition_failed", words, email_id=email_id, mark="unread")


def test_two_e_mails_of_one_subject_are_told_apart_by_sender_then_recipient_then_folder() -> None:
    wanted = "the {subject} {form}[ from {sender}][ to {to}][ in my {folder_name} folder]"
    spec = describe(EmailClient)
    assert {table.label for table in spec.tables if table.entity == "Email"} == {wanted}
    shapes = [shape for tool in spec.tools for shape in tool.output_shapes if shape.entity == "Email"]
    assert {shape.label for shape in shapes} == {wanted}


# -- filing


@pytest.mark.parametrize(
    ("email_id", "folder_id", "among"),
    [
        ("E-1", "F-archive", RECEIVED_IN),
        ("E-1", "F-club", RECEIVED_IN),
        ("E-1", "F-junk", RECEIVED_IN),
        ("E-6", "F-inbox", RECEIVED_IN),
        ("E-10", "F-archive", SENT_IN),
        ("E-10", "F-trash", SENT_IN),
        ("E-8", "F-trash", DRAFT_IN),
        ("E-11", "F-drafts", DRAFT_IN),
    ],
)
def test_an_e_mail_is_moved_and_back(email_id: str, folder_id: str, among: list[str]) -> None:
    at, before = desk(), EMAILS[email_id]
    assert at.gives("move_email", email_id=email_id, folder_id=folder_id) == {**before, **put(folder_id, among)}
    assert at.changed() == {"emails.changed": {email_id: put(folder_id, among)}}
    at.refuses(
        "move_email", "conflict", f"is in {FOLDERS[folder_id]['name']} already; choose another one",
        email_id=email_id, folder_id=folder_id,
    )  # fmt: skip
    at.gives("move_email", email_id=email_id, folder_id=before["folder_id"])
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("email_id", "folder_id", "words"),
    [
        ("E-1", "F-sent", "is received, and such e-mails lie in Inbox, Archive, folders of your own, Junk, Trash, not"),
        ("E-1", "F-drafts", "not in Drafts"),
        ("E-1", "F-outbox", "not in Outbox"),
        ("E-10", "F-inbox", "is sent, and such e-mails lie in Sent, Archive, folders of your own, Trash, not in Inbox"),
        ("E-10", "F-junk", "not in Junk"),
        ("E-8", "F-outbox", "is draft, and such e-mails lie in Drafts, Trash, not in Outbox"),
        ("E-8", "F-travel", "not in Travel"),
    ],
)  # fmt: skip
def test_an_e_mail_lies_only_where_its_kind_belongs(email_id: str, folder_id: str, words: str) -> None:
    desk().refuses("move_email", "invalid_argument", words, email_id=email_id, folder_id=folder_id)


@pytest.mark.parametrize("folder_id", ["F-drafts", "F-trash", "F-outbox"])
def test_what_waits_is_not_moved(folder_id: str) -> None:
    words = "That e-mail waits in Outbox; unsend it before it is moved"
    desk().refuses("move_email", "precondition_failed", words, email_id="E-9", folder_id=folder_id)


def test_mail_of_a_sender_is_always_filed_somewhere() -> None:
    at = desk()
    at.gives("move_email", email_id="E-2", folder_id="F-archive", always=True)
    made = {
        "id": "RU-1001", "mailbox_id": "MB-1", "sender": "Rail Alerts", "folder_id": "F-archive",
        "folder_name": "Archive", "blocks": False,
    }  # fmt: skip
    assert at.changed() == {
        "emails.changed": {"E-2": put("F-archive", RECEIVED_IN)}, "sender_rules.created": {"RU-1001": made},
    }  # fmt: skip
    assert at.ids("list_rules") == ["R-2", "R-1", "RU-1001"]
    at.refuses("move_email", "conflict", "is in Archive already", email_id="E-2", folder_id="F-archive", always=True)
    at.gives("move_email", email_id="E-2", folder_id="F-inbox", always=True)
    assert at.changed() == {}


def test_a_rule_is_replaced_lifted_and_made_where_the_e_mail_is() -> None:
    at = desk()
    at.gives("move_email", email_id="E-1", folder_id="F-junk", always=True)
    rule = {"folder_id": "F-junk", "folder_name": "Junk", "blocks": True}
    assert at.changes().tables["sender_rules"].changed == {"R-2": rule}
    at.gives("move_email", email_id="E-1", folder_id="F-travel", always=True)
    assert "sender_rules" not in at.changes().tables
    stays = desk()
    assert stays.gives("move_email", email_id="E-5", folder_id="F-inbox") == {
        **EMAILS["E-5"], **put("F-inbox", RECEIVED_IN)
    }  # fmt: skip
    assert stays.gives("move_email", email_id="E-5", folder_id="F-inbox", always=True)["place"] == "inbox"
    assert stays.changes().tables["sender_rules"].deleted == ("R-1",)
    at = with_emails(email("E-20", "F-travel", sender="Cy Park", reply_to="cy@mail.example"))
    at.gives("move_email", email_id="E-20", folder_id="F-travel", always=True)
    (made,) = at.changed()["sender_rules.created"].values()
    assert (made["sender"], made["address"], at.changed().keys()) == (
        "Cy Park", "cy@mail.example", {"sender_rules.created"},
    )  # fmt: skip
    at.refuses("move_email", "conflict", "is in Inbox already", email_id="E-2", folder_id="F-inbox", always=True)


def test_there_are_eight_rules_at_most() -> None:
    def with_rules(count: int) -> Desk:
        more = [
            {**FILED, "id": f"R-2{n}", "sender": f"Person {n}", "address": f"p{n}@mail.example"} for n in range(count)
        ]
        return desk({"sender_rules": keyed(*more)})

    with_rules(5).gives("move_email", email_id="E-2", folder_id="F-archive", always=True)
    at = with_rules(6)
    words = "There are 8 rules, 8 at most; lift one by moving an e-mail of its sender to Inbox with always"
    at.refuses("move_email", "limit_exceeded", words, email_id="E-2", folder_id="F-archive", always=True)
    at.gives("move_email", email_id="E-2", folder_id="F-archive")
    at.gives("move_email", email_id="E-1", folder_id="F-club", always=True)  # which changes the one there is
    at.gives("move_email", email_id="E-5", folder_id="F-inbox", always=True)
    at.gives("move_email", email_id="E-2", folder_id="F-travel", always=True)


def test_there_are_no_rules_for_ones_own_mail() -> None:
    words = "Rules are for mail from others; leave always out for your own e-mails"
    for email_id, folder_id in (("E-8", "F-trash"), ("E-10", "F-archive")):
        desk().refuses(
            "move_email", "invalid_argument", words, email_id=email_id, folder_id=folder_id, always=True
        )  # fmt: skip


# -- other people's


ON_AN_EMAIL: dict[str, Row] = {
    "open_email": {}, "list_conversation": {}, "draft_reply": {"text": "Hello"}, "send_email": {}, "unsend_email": {},
    "draft_forward": {"to": "zoe@mail.example"}, "attach_file": {"file_id": "P-1"},
    "remove_attachment": {"file_id": "P-1"}, "mark_email": {"mark": "read"}, "move_email": {"folder_id": "F-archive"},
}  # fmt: skip


@pytest.mark.parametrize("tool", ON_AN_EMAIL)
def test_other_peoples_mail_is_out_of_reach(tool: str) -> None:
    words = "That e-mail belongs to somebody else"
    desk().refuses(tool, "permission_denied", words, email_id="E-12", **ON_AN_EMAIL[tool])
    desk().refuses(tool, "not_found", "E-99", email_id="E-99", **ON_AN_EMAIL[tool])


def test_every_tool_on_an_e_mail_is_among_those() -> None:
    tools = describe(EmailClient).tools
    assert {tool.name for tool in tools if any(leaf.name == "email_id" for leaf in tool.inputs)} == ON_AN_EMAIL.keys()


def test_other_peoples_folders_and_files_are_out_of_reach() -> None:
    at, words = desk(), "That folder belongs to somebody else"
    at.refuses("search_mail", "permission_denied", words, folder_id="F-theirs")
    at.refuses("list_rules", "permission_denied", words, folder_id="F-theirs")
    at.refuses("move_email", "permission_denied", words, email_id="E-1", folder_id="F-theirs")
    at.refuses("attach_file", "permission_denied", "That file belongs", email_id="E-8", file_id="P-8")
    for tool, more in (("search_mail", {}), ("list_rules", {}), ("move_email", {"email_id": "E-1"})):
        at.refuses(tool, "not_found", "no folder with the id 'F-99'", folder_id="F-99", **more)
    at.refuses("attach_file", "not_found", "no file with the id 'P-99'", email_id="E-8", file_id="P-99")


# -- the scenario


@pytest.mark.parametrize(
    ("seed", "size"), [(1, 10), (2, 60), (3, 60), (4, 300), *((seed, 50) for seed in range(5, 15))]
)
def test_a_scenario_keeps_its_own_rules_and_has_everything_in_it(seed: int, size: int) -> None:
    rows = scenario_rows(EmailClient, seed, size)
    emails, folders = rows["emails"], rows["folders"]
    mine = [row for row in emails.values() if row["mailbox_id"] == rows["mailbox_id"]]
    assert sum(len(table) for table in rows.values() if isinstance(table, dict)) >= size
    assert len(mine) >= size
    fits = {
        "received": ("inbox", "archive", "own", "junk", "trash"), "sent": ("sent", "archive", "own", "trash"),
        "draft": ("drafts", "trash"), "outgoing": ("outbox",),
    }  # fmt: skip
    for row in emails.values():
        folder = folders[row["folder_id"]]
        assert (folder["mailbox_id"], folder["name"]) == (row["mailbox_id"], row["folder_name"])
        assert row["place"] == folder["place"] in fits[row["status"]]
        others = [f for f in folders.values() if f["mailbox_id"] == row["mailbox_id"] and f["id"] != folder["id"]]
        assert [each["id"] for each in row["moves_to"]] == [
            f["id"] for f in others if f["place"] in fits[row["status"]]
        ]
        assert row["megabytes"] == sum(each["megabytes"] for each in row["files"]) <= 20
        assert row["at"] <= rows["now"]
        assert 7 <= dt.datetime.fromisoformat(row["at"]).hour < 22
        assert row.get("answers_id") is None or row["answers_id"] in emails
        assert (row.get("leaves_at") or "") > rows["now"] or row["status"] != "outgoing"
        assert row["takes_answers"] is (row.get("reply_to") is not None)
        if about := emails.get(row.get("answers_id") or ""):
            assert about["at"] < row["at"]
            assert row["form"] == "reply"
            assert (about["mailbox_id"], about["subject"]) == (row["mailbox_id"], row["subject"])
        for each in row["files"]:
            assert rows["files"][each["file_id"]]["mailbox_id"] == row["mailbox_id"]
    secret = {each["file_id"] for row in mine if row["confidential"] for each in row["files"]}
    assert secret
    assert not any(each["file_id"] in secret for row in mine if not row["confidential"] for each in row["files"])
    used = sum(row["megabytes"] for row in mine if row["place"] != "trash")
    assert 45 <= rows["mailboxes"][rows["mailbox_id"]]["quota"] - used < 95
    assert {row["place"] for row in mine} == {place for places in fits.values() for place in places}
    assert {row["status"] for row in mine if row["place"] == "trash"} >= {"received", "draft"}
    assert len([row for row in mine if row["place"] == "drafts" and row["files"]]) >= 2
    waits = [dt.datetime.fromisoformat(row["leaves_at"]) for row in mine if row["place"] == "outbox"]
    assert DEFAULT_NOW + dt.timedelta(minutes=3) == min(waits) < max(waits) <= DEFAULT_NOW + dt.timedelta(days=60)
    filed = [row for row in rows["sender_rules"].values() if row["mailbox_id"] == rows["mailbox_id"]]
    senders = {row["sender"]: row.get("reply_to") for row in mine}
    for row in filed:
        assert senders[row["sender"]] == row.get("address")
        assert row["blocks"] is (row["folder_name"] == "Junk")
        assert folders[row["folder_id"]]["name"] == row["folder_name"]
    blocked = {row["address"] for row in filed if row["blocks"] and "address" in row}
    assert blocked
    assert not any(blocked & set(row["to"]) for row in mine if row["status"] in ("draft", "outgoing"))
    assert 0 < len(filed) < 8
    drafts = [(row["subject"], row["form"], *row["to"]) for row in mine if row["place"] == "drafts"]
    assert len(drafts) == len(set(drafts))
