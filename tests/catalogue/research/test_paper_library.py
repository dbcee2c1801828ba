"""The paper library, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.research.paper_library import PaperLibrary
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.


def paper(key: str, day: str, access: str = "open", **changes: Any) -> Row:
    return {
        "id": key, "title": f"Title {key[2:]}", "subject": f"subject {key[2:]}", "topic": "linguistics",
        "lead": f"Lead {key[2:]}", "authors": [f"Ada Lead {key[2:]}", "Leo Rossi"], "journal": "Letters",
        "published_on": day, "pages": 10, "citations": 5, "access": access, "retracted": False, "saved": False,
        "copy_state": "none", **changes,
    }  # fmt: skip


PAPERS = keyed(
    paper("P-1", "2026-02-20", pages=30, citations=1, saved=True),
    paper("P-2", "2025-03-02", pages=20, citations=90),
    paper("P-3", "2024-03-02", "closed", pages=40, citations=50),
    paper("P-4", "2024-03-01", "closed", pages=8, citations=70),
    paper("P-5", "2021-01-10", "closed", copy_state="ordered"),
    paper("P-6", "2020-01-10", "closed", copy_state="held", saved=True),
    paper("P-7", "2019-01-10", retracted=True, topic="immunology"),
    paper("P-8", "2018-01-10", "closed", opens_on="2026-03-16", topic="immunology"),
    paper("P-9", "2017-01-10", "closed", opens_on="2026-03-17", topic="immunology", saved=True),
)


def citation(key: str, citing: str, cited: str, influential: bool = False) -> Row:
    return {"id": key, "citing_id": citing, "cited_id": cited, "influential": influential}


def reading(key: str, paper_id: str, **changes: Any) -> Row:
    about = PAPERS[paper_id]
    return {
        "id": key, "reader_id": "R-1", "paper_id": paper_id, "lead": about["lead"], "subject": about["subject"],
        "shelf": "thesis", "pages": about["pages"], "bookmark": 0, "full_text": True, "notes": 0, "status": "unread",
        "saved_on": "2026-02-25", **changes,
    }  # fmt: skip


READINGS = keyed(
    reading("S-1", "P-1", status="started", bookmark=12, notes=1),
    reading("S-2", "P-6", shelf="seminar", saved_on="2026-02-26"),
    reading("S-3", "P-9", full_text=False, saved_on="2026-02-27"),
    reading("S-4", "P-2", reader_id="R-2"),
    reading("S-5", "P-3", status="finished", bookmark=40, saved_on="2026-02-01"),
    reading("S-6", "P-4", saved_on="2026-02-02"),
    reading("S-7", "P-2", saved_on="2026-02-03", notes=11),
)


def request(key: str, paper_id: str, asked_on: str, status: str = "ordered", **changes: Any) -> Row:
    about = PAPERS[paper_id]
    return {
        "id": key, "reader_id": "R-1", "paper_id": paper_id, "lead": about["lead"], "subject": about["subject"],
        "form": "scan", "price": 4.5, "asked_on": asked_on, "due_on": "2026-03-05", "status": status, **changes,
    }  # fmt: skip


REQUESTS = keyed(
    request("Q-1", "P-5", "2026-03-02"),
    request("Q-2", "P-6", "2026-02-10", "delivered", form="print"),
    request("Q-3", "P-5", "2026-02-20", "cancelled"),
    request("Q-4", "P-3", "2026-03-01", reader_id="R-2"),
    request("Q-5", "P-4", "2026-02-05", "cancelled", form="print"),
    request("Q-6", "P-4", "2026-02-04", "cancelled"),
    request("Q-7", "P-4", "2026-02-03", "cancelled"),
)


def note(key: str, reading_id: str, on_page: int = 3, reader_id: str = "R-1") -> Row:
    return {
        "id": key, "reader_id": reader_id, "reading_id": reading_id, "lead": READINGS[reading_id]["lead"],
        "on_page": on_page, "text": "as expected",
    }  # fmt: skip


STATE: dict[str, Any] = {
    "reader_id": "R-1",
    "readers": keyed(
        {"id": "R-1", "name": "Maya Novak", "email": "maya@mail.example", "credit": 40.0},
        {"id": "R-2", "name": "Leo Rossi", "email": "leo@mail.example", "credit": 10.0},
    ),
    "papers": PAPERS,
    "citations": keyed(
        citation("C-1", "P-2", "P-6", influential=True), citation("C-2", "P-1", "P-6"), citation("C-3", "P-1", "P-3")
    ),
    "readings": READINGS,
    "notes": keyed(note("N-1", "S-1"), note("N-2", "S-7")),
    "requests": REQUESTS,
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(PaperLibrary, STATE, rows=rows, **changes)


def with_credit(credit: float) -> Desk:
    return desk({"readers": keyed({**STATE["readers"]["R-1"], "credit": credit})})


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"topic": "linguistics"}, ["P-1", "P-2", "P-3", "P-4", "P-5"]),
        ({"topic": "linguistics", "page": 2}, ["P-6"]),
        ({"topic": "linguistics", "open_access": True}, ["P-1", "P-2"]),
        ({"topic": "linguistics", "sort": "most_cited"}, ["P-2", "P-4", "P-3", "P-5", "P-6"]),
        ({"topic": "linguistics", "sort": "shortest"}, ["P-4", "P-5", "P-6", "P-2", "P-1"]),
        ({"topic": "linguistics", "years": 1}, ["P-1", "P-2"]),
        ({"topic": "linguistics", "years": 2}, ["P-1", "P-2", "P-3"]),
        ({"topic": "immunology"}, ["P-7", "P-8", "P-9"]),
        ({"topic": "neuroscience"}, []),
        ({"lead": "lead 4"}, ["P-4"]),
        ({"lead": "Lead"}, []),
        ({"subject": "Subject 8"}, ["P-8"]),
        ({"subject": "subject", "page": 2}, ["P-6", "P-7", "P-8", "P-9"]),
        ({"subject": "subject", "topic": "immunology", "open_access": True}, ["P-7"]),
        ({"subject": "subject 8", "lead": "Lead 7"}, []),
    ],
)
def test_papers_of_a_field_are_searched_and_sorted(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_papers", **arguments) == found


def test_a_search_names_a_field_an_author_or_a_subject() -> None:
    desk().refuses("search_papers", "invalid_argument", "a first author or a subject at least", years=2)


def test_two_years_reach_back_as_many_days_as_they_have() -> None:
    at = desk({"papers": keyed(paper("P-3", "2024-03-02"), paper("P-4", "2024-03-01"))})
    assert at.ids("search_papers", topic="linguistics", years=2) == ["P-1", "P-2", "P-3"]
    assert at.ids("search_papers", topic="linguistics", years=3) == ["P-1", "P-2", "P-3", "P-4"]


def test_four_years_reach_back_to_the_same_day_of_the_calendar() -> None:
    at = desk({"papers": keyed(paper("P-3", "2022-03-02"), paper("P-4", "2022-03-01"))})
    assert at.ids("search_papers", topic="linguistics", years=4) == ["P-1", "P-2", "P-3"]


def details(paper_id: str, *references: str) -> Row:
    about = {name: value for name, value in PAPERS[paper_id].items() if name not in ("id", "subject", "topic", "lead")}
    return {**about, "paper_id": paper_id, "references": [PAPERS[key] for key in references]}


def test_a_paper_is_shown_with_authors_and_references() -> None:
    assert desk().gives("get_paper", paper_id="P-1") == details("P-1", "P-3", "P-6")
    assert desk().gives("get_paper", paper_id="P-6") == details("P-6")
    assert desk().gives("get_paper", paper_id="P-7") == details("P-7")
    assert desk().gives("get_paper", paper_id="P-8")["opens_on"] == "2026-03-16"
    desk().refuses("get_paper", "not_found", "no paper with the id 'P-99'", paper_id="P-99")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"paper_id": "P-6"}, ["P-1", "P-2"]),
        ({"paper_id": "P-6", "page": 2}, []),
        ({"paper_id": "P-6", "influential": True}, ["P-2"]),
        ({"paper_id": "P-3"}, ["P-1"]),
        ({"paper_id": "P-1"}, []),
    ],
)
def test_later_work_is_found_by_what_it_cites(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_citing_papers", **arguments) == found


def test_papers_that_cite_and_are_cited_come_the_latest_first() -> None:
    links = keyed(citation("C-4", "P-1", "P-0"), citation("C-5", "P-0", "P-6"))
    at = desk({"papers": keyed(paper("P-0", "2026-02-19")), "citations": links})
    assert [row["id"] for row in at.gives("get_paper", paper_id="P-1")["references"]] == ["P-0", "P-3", "P-6"]
    assert at.ids("list_citing_papers", paper_id="P-6") == ["P-1", "P-0", "P-2"]


def test_nothing_cites_a_paper_that_does_not_exist() -> None:
    desk().refuses("list_citing_papers", "not_found", "P-99", paper_id="P-99")


@pytest.mark.parametrize(
    ("paper_id", "full_text", "changes"),
    [
        ("P-2", True, {}),
        ("P-3", False, {}),
        ("P-5", False, {}),
        ("P-4", True, {"copy_state": "held"}),
    ],
)
def test_a_paper_is_saved_with_its_text_if_that_is_at_hand(paper_id: str, full_text: bool, changes: Row) -> None:
    at = desk({"papers": keyed({**PAPERS[paper_id], **changes})})
    saved = at.gives("save_paper", paper_id=paper_id, shelf="teaching")
    assert saved == reading("SP-1001", paper_id, shelf="teaching", full_text=full_text, saved_on="2026-03-02")
    assert at.changed() == {"readings.created": {"SP-1001": saved}, "papers.changed": {paper_id: {"saved": True}}}
    at.refuses("save_paper", "conflict", "in your library already", paper_id=paper_id, shelf="thesis")


def test_a_retracted_paper_is_neither_saved_nor_copied() -> None:
    at = desk({"papers": keyed(paper("P-7", "2019-01-10", "closed", retracted=True))})
    words = "Letters has retracted the Lead 7 paper"
    at.refuses("save_paper", "precondition_failed", words, paper_id="P-7", shelf="thesis")
    at.refuses("request_copy", "precondition_failed", words, paper_id="P-7", form="scan")
    for tool, more in (("save_paper", {"shelf": "thesis"}), ("request_copy", {"form": "scan"})):
        at.refuses(tool, "not_found", "no paper with the id 'P-99'", paper_id="P-99", **more)


@pytest.mark.parametrize(
    ("arguments", "found", "left"),
    [
        ({}, ["S-3", "S-2", "S-1", "S-7", "S-6"], 66),
        ({"page": 2}, ["S-5"], 66),
        ({"sort": "length"}, ["S-6", "S-3", "S-2", "S-7", "S-1"], 66),
        ({"shelf": "seminar"}, ["S-2"], 10),
        ({"status": "started"}, ["S-1"], 18),
        ({"status": "finished", "shelf": "thesis"}, ["S-5"], 0),
        ({"shelf": "someday"}, [], 0),
    ],
)
def test_the_own_library_is_listed(arguments: Row, found: list[str], left: int) -> None:
    assert desk().ids("list_readings", **arguments) == found
    assert desk().gives("list_readings", **arguments)["pages_left"] == left


@pytest.mark.parametrize(("page", "status"), [(1, "started"), (11, "started"), (29, "started"), (30, "finished")])
def test_a_paper_is_finished_with_its_last_page(page: int, status: str) -> None:
    at = desk()
    read = at.gives("record_progress", reading_id="S-1", page_reached=page)
    assert read == {**READINGS["S-1"], "bookmark": page, "status": status}
    changes = {"bookmark": page} | ({"status": status} if status != "started" else {})
    assert at.changed() == {"readings.changed": {"S-1": changes}}


def test_an_unread_paper_is_started() -> None:
    assert desk().gives("record_progress", reading_id="S-2", page_reached=4)["status"] == "started"


@pytest.mark.parametrize(
    ("reading_id", "page", "code", "words"),
    [
        ("S-1", 12, "conflict", "on page 12 already"),
        ("S-1", 31, "invalid_argument", "The Lead 1 paper has 30 pages"),
        ("S-1", 0, "invalid_argument", "page_reached"),
        ("S-3", 1, "precondition_failed", "do not have the full text of the Lead 9 paper"),
        ("S-5", 3, "precondition_failed", "is finished, so it cannot be read any further"),
        ("S-4", 1, "permission_denied", "belongs to somebody else"),
        ("S-99", 1, "not_found", "no saved paper with the id 'S-99'"),
    ],
)
def test_progress_that_cannot_be_is_refused(reading_id: str, page: int, code: str, words: str) -> None:
    desk().refuses("record_progress", code, words, reading_id=reading_id, page_reached=page)


def test_a_note_is_written_beside_a_page() -> None:
    at = desk()
    written = at.gives("add_note", reading_id="S-1", on_page=30, text="quote this")
    assert written == {**note("PN-1001", "S-1", 30), "text": "quote this"}
    assert at.changed() == {"notes.created": {"PN-1001": written}, "readings.changed": {"S-1": {"notes": 2}}}


def test_a_saved_paper_takes_twelve_notes() -> None:
    at = desk()
    at.gives("add_note", reading_id="S-7", on_page=1, text="quote this")
    at.refuses("add_note", "limit_exceeded", "takes 12 notes", reading_id="S-7", on_page=1, text="quote this")


@pytest.mark.parametrize(
    ("reading_id", "page", "code", "words"),
    [
        ("S-1", 31, "invalid_argument", "has 30 pages"),
        ("S-3", 1, "precondition_failed", "do not have the full text"),
        ("S-4", 1, "permission_denied", "belongs to somebody else"),
        ("S-99", 1, "not_found", "S-99"),
    ],
)
def test_a_note_without_its_page_is_refused(reading_id: str, page: int, code: str, words: str) -> None:
    desk().refuses("add_note", code, words, reading_id=reading_id, on_page=page, text="quote this")


NOTED = keyed(
    note("N-3", "S-7", 2), note("N-4", "S-1", 9), note("N-5", "S-1", 3), note("N-6", "S-2", 1),
    note("N-7", "S-4", 1, "R-2"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["N-1", "N-5", "N-4", "N-6", "N-3"]),
        ({"page": 2}, ["N-2"]),
        ({"reading_id": "S-1"}, ["N-1", "N-5", "N-4"]),
        ({"reading_id": "S-7"}, ["N-3", "N-2"]),
        ({"reading_id": "S-3"}, []),
    ],
)
def test_own_notes_are_listed_in_the_order_of_their_pages(arguments: Row, found: list[str]) -> None:
    assert desk({"notes": NOTED}).ids("list_notes", **arguments) == found


@pytest.mark.parametrize("tool", ["list_notes", "move_to_shelf", "drop_paper"])
def test_saved_papers_of_others_are_not_touched(tool: str) -> None:
    more = {"shelf": "someday"} if tool == "move_to_shelf" else {}
    desk().refuses(tool, "permission_denied", "belongs to somebody else", reading_id="S-4", **more)
    desk().refuses(tool, "not_found", "no saved paper with the id 'S-99'", reading_id="S-99", **more)


def test_a_note_is_deleted_and_makes_room_for_another() -> None:
    at = desk({"notes": NOTED, "readings": keyed(reading("S-7", "P-2", notes=12))})
    assert at.gives("delete_note", note_id="N-3") == {"lead": "Lead 2", "on_page": 2, "notes": 11}
    assert at.changed() == {"notes.deleted": ("N-3",), "readings.changed": {"S-7": {"notes": 11}}}
    at.gives("add_note", reading_id="S-7", on_page=1, text="quote this")
    at.refuses("delete_note", "not_found", "no note with the id 'N-3'", note_id="N-3")
    at.refuses("delete_note", "permission_denied", "belongs to somebody else", note_id="N-7")


def test_a_saved_paper_moves_to_another_shelf_with_notes_and_bookmark() -> None:
    at = desk()
    assert at.gives("move_to_shelf", reading_id="S-1", shelf="someday") == {**READINGS["S-1"], "shelf": "someday"}
    assert at.changed() == {"readings.changed": {"S-1": {"shelf": "someday"}}}
    words = "The Lead 1 paper is on the someday shelf already"
    at.refuses("move_to_shelf", "conflict", words, reading_id="S-1", shelf="someday")


def on_day(day: int, rows: dict[str, Rows] | None = None) -> Desk:
    """The library on a day of March; the copy of P-5 is due on the 5th, and P-9 opens on the 17th."""
    return desk(rows, now=dt.datetime(2026, 3, day, 9))


@pytest.mark.parametrize(("day", "there"), [(4, False), (5, True), (20, True)])
def test_a_copy_is_there_on_the_day_it_is_due(day: int, *, there: bool) -> None:
    at = on_day(day, {"readings": keyed(reading("S-8", "P-5", full_text=False, shelf="seminar", notes=1))})
    assert at.ids("list_requests", status="ordered") == ([] if there else ["Q-1"])
    assert at.ids("list_requests", status="delivered") == (["Q-1", "Q-2"] if there else ["Q-2"])
    assert at.gives("get_paper", paper_id="P-5")["copy_state"] == ("held" if there else "ordered")
    assert at.gives("list_readings", shelf="seminar")["readings"][1]["full_text"] is there
    state = "have a copy" if there else "have ordered a copy"
    at.refuses("request_copy", "conflict", state, paper_id="P-5", form="scan")
    assert at.changed() == {}
    if there:
        words = "The request is delivered, so it cannot be cancelled"
        at.refuses("cancel_request", "precondition_failed", words, request_id="Q-1")
        assert at.gives("record_progress", reading_id="S-8", page_reached=2)["status"] == "started"
        assert at.gives("add_note", reading_id="S-8", on_page=2, text="quote this")["lead"] == "Lead 5"
        at.gives("drop_paper", reading_id="S-8")
        assert at.gives("save_paper", paper_id="P-5", shelf="thesis")["full_text"] is True
    else:
        words = "do not have the full text of the Lead 5 paper"
        at.refuses("record_progress", "precondition_failed", words, reading_id="S-8", page_reached=2)
        assert at.gives("cancel_request", request_id="Q-1")["fee"] == 2.0


def test_only_a_copy_of_ones_own_can_be_read() -> None:
    at = on_day(9, {"requests": keyed(request("Q-1", "P-5", "2026-03-02", reader_id="R-2"))})
    assert at.gives("get_paper", paper_id="P-5")["copy_state"] == "ordered"
    at = on_day(9, {"requests": keyed(request("Q-1", "P-5", "2026-03-02", "cancelled"))})
    assert at.gives("get_paper", paper_id="P-5")["copy_state"] == "ordered"


@pytest.mark.parametrize(("day", "opened"), [(16, False), (17, True)])
def test_a_closed_paper_opens_on_its_day(day: int, *, opened: bool) -> None:
    at = on_day(day)
    assert at.ids("search_papers", topic="immunology", open_access=True) == ["P-7", "P-8", *(["P-9"] if opened else [])]
    assert at.gives("get_paper", paper_id="P-9")["access"] == ("open" if opened else "closed")
    words = "The Lead 9 paper is open" if opened else "opens on 2026-03-17 by itself"
    at.refuses("request_copy", "precondition_failed", words, paper_id="P-9", form="scan")
    assert at("record_progress", reading_id="S-3", page_reached=2).ok is opened
    assert at.gives("save_paper", paper_id="P-8", shelf="thesis")["full_text"] is True


def test_a_paper_goes_with_its_notes() -> None:
    at = desk()
    assert at.gives("drop_paper", reading_id="S-1") == {
        "paper_id": "P-1", "lead": "Lead 1", "subject": "subject 1", "shelf": "thesis", "notes": 1,
    }  # fmt: skip
    assert at.changed() == {
        "readings.deleted": ("S-1",),
        "notes.deleted": ("N-1",),
        "papers.changed": {"P-1": {"saved": False}},
    }
    assert at.gives("save_paper", paper_id="P-1", shelf="thesis")["bookmark"] == 0
    at.refuses("drop_paper", "not_found", "S-1", reading_id="S-1")


@pytest.mark.parametrize(
    ("arguments", "price", "due_on"),
    [
        ({"form": "scan"}, 12.0, "2026-03-05"),
        ({"form": "print"}, 26.0, "2026-03-10"),
        ({"form": "scan", "urgent": True}, 21.0, "2026-03-03"),
        ({"form": "print", "urgent": True}, 35.0, "2026-03-03"),
        ({"form": "scan", "needed_by": "2026-03-05"}, 12.0, "2026-03-05"),
        ({"form": "scan", "needed_by": "2026-03-03", "urgent": True}, 21.0, "2026-03-03"),
    ],
)
def test_a_copy_is_ordered_and_paid_from_the_credit(arguments: Row, price: float, due_on: str) -> None:
    at = desk()
    ordered = at.gives("request_copy", paper_id="P-3", **arguments)
    made = request("CR-1001", "P-3", "2026-03-02", form=arguments["form"], price=price, due_on=due_on)
    assert ordered == made | {key: value for key, value in arguments.items() if key == "needed_by"}
    assert at.changed() == {
        "requests.created": {"CR-1001": ordered},
        "papers.changed": {"P-3": {"copy_state": "ordered"}},
        "readers.changed": {"R-1": {"credit": 40.0 - price}},
    }


@pytest.mark.parametrize(
    ("paper_id", "more", "code", "words"),
    [
        ("P-2", {}, "precondition_failed", "The Lead 2 paper is open"),
        ("P-8", {}, "precondition_failed", "opens on 2026-03-16 by itself"),
        ("P-5", {}, "conflict", "ordered a copy of the Lead 5 paper already"),
        ("P-6", {}, "conflict", "You have a copy of the Lead 6 paper already"),
        ("P-3", {"needed_by": "2026-03-04"}, "invalid_argument", "would be there on 2026-03-05, not by 2026-03-04"),
        ("P-3", {"needed_by": "2026-03-02", "urgent": True}, "invalid_argument", "there on 2026-03-03"),
        ("P-3", {"needed_by": "2026-03-01"}, "invalid_argument", "by 2026-03-01, which has passed"),
    ],
)
def test_a_copy_that_is_not_needed_or_comes_late_is_refused(paper_id: str, more: Row, code: str, words: str) -> None:
    desk().refuses("request_copy", code, words, paper_id=paper_id, form="scan", **more)


def test_a_paper_that_opens_later_is_copied() -> None:
    assert desk().gives("request_copy", paper_id="P-9", form="scan")["price"] == 4.5


def test_the_credit_bounds_what_is_ordered() -> None:
    words = "The copy costs 12.00 dollars, the credit is 11.99"
    with_credit(11.99).refuses("request_copy", "limit_exceeded", words, paper_id="P-3", form="scan")
    at = with_credit(12.0)
    at.gives("request_copy", paper_id="P-3", form="scan")
    assert at.changed()["readers.changed"] == {"R-1": {"credit": 0.0}}


def test_four_copies_are_on_order_at_most() -> None:
    more = keyed(*(request(f"Q-{n}", "P-6", "2026-03-01", due_on=f"2026-03-0{n - 6}") for n in (9, 10)))
    at = desk({"requests": more})
    at.gives("request_copy", paper_id="P-3", form="scan")
    at.refuses("request_copy", "limit_exceeded", "4 copies on order", paper_id="P-9", form="scan")
    more["Q-9"]["due_on"] = "2026-03-02"
    at = desk({"requests": more})
    at.gives("request_copy", paper_id="P-3", form="scan")
    at.gives("request_copy", paper_id="P-9", form="scan")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["Q-1", "Q-3", "Q-2", "Q-5", "Q-6"]),
        ({"page": 2}, ["Q-7"]),
        ({"status": "ordered"}, ["Q-1"]),
        ({"form": "print"}, ["Q-2", "Q-5"]),
        ({"form": "print", "status": "delivered"}, ["Q-2"]),
    ],
)
def test_own_requests_are_listed_with_the_credit(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_requests", **arguments) == found
    assert desk().gives("list_requests", **arguments)["credit"] == 40.0


def test_requests_of_one_day_come_the_last_first() -> None:
    at = desk(requests=keyed(*(request(f"Q-{n}", "P-5", "2026-03-01") for n in (1, 3, 2))))
    assert at.ids("list_requests") == ["Q-3", "Q-2", "Q-1"]


@pytest.mark.parametrize(("asked_on", "fee"), [("2026-03-02", 0.0), ("2026-03-01", 2.0)])
def test_cancelling_is_free_on_the_same_day(asked_on: str, fee: float) -> None:
    at = desk({"requests": keyed(request("Q-1", "P-5", asked_on))})
    back = 4.5 - fee
    assert at.gives("cancel_request", request_id="Q-1") == {"request_id": "Q-1", "fee": fee, "refund": back}
    assert at.changed() == {
        "requests.changed": {"Q-1": {"status": "cancelled"}},
        "papers.changed": {"P-5": {"copy_state": "none"}},
        "readers.changed": {"R-1": {"credit": 40.0 + back}},
    }
    assert at.gives("request_copy", paper_id="P-5", form="scan")["id"] == "CR-1001"


@pytest.mark.parametrize(
    ("request_id", "code", "words"),
    [
        ("Q-2", "precondition_failed", "The request is delivered, so it cannot be cancelled"),
        ("Q-3", "precondition_failed", "is cancelled"),
        ("Q-4", "permission_denied", "belongs to somebody else"),
        ("Q-99", "not_found", "no request with the id 'Q-99'"),
    ],
)
def test_only_an_own_copy_on_order_is_cancelled(request_id: str, code: str, words: str) -> None:
    desk().refuses("cancel_request", code, words, request_id=request_id)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [20, 60, 150])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(PaperLibrary, seed, size, DEFAULT_NOW)
    papers, mine = world.papers, [r for r in world.readings.values() if r.reader_id == world.reader_id]
    assert {row.status for row in mine} == {"unread", "started", "finished"}
    assert any(not row.full_text for row in mine)
    assert {row.paper_id for row in mine} == {key for key, row in papers.items() if row.saved}
    assert all(row.notes == sum(n.reading_id == row.id for n in world.notes.values()) for row in mine)
    requests = [r for r in world.requests.values() if r.reader_id == world.reader_id]
    assert {row.status for row in requests} == {"ordered", "delivered", "cancelled"}
    ordered = {row.paper_id for row in requests if row.status == "ordered"}
    assert ordered == {key for key, row in papers.items() if row.copy_state == "ordered"}
    assert any(row.asked_on == world.now.date() for row in requests if row.status == "ordered")
    assert any(papers[row.paper_id].retracted for row in mine)
    assert all(row.saved_on >= papers[row.paper_id].published_on for row in world.readings.values())
    assert all(row.due_on > world.now.date() for row in world.requests.values() if row.status == "ordered")
    assert all(row.due_on <= world.now.date() for row in world.requests.values() if row.status == "delivered")
    assert sum(note.reader_id == world.reader_id for note in world.notes.values()) > 5
    assert min(reader.credit for reader in world.readers.values()) == 0.0
    assert 20 < world.readers[world.reader_id].credit < 45
    assert any(row.opens_on for row in papers.values())
    assert max(sum(row.topic == topic for row in papers.values()) for topic in {r.topic for r in papers.values()}) > 5
    assert all(
        papers[link.citing_id].published_on > papers[link.cited_id].published_on for link in world.citations.values()
    )
