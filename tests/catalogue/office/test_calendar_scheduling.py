"""The calendar, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from envfactory.catalogue.office.calendar_scheduling import CalendarScheduling
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.


def colleague(key: str, name: str, team: str = "design", hours: tuple[int, int] = (9, 17)) -> Row:
    start, end = hours
    return {
        "id": key, "name": name, "email": f"{key}@mail.example", "team": team, "works_from": f"{start:02}:00:00",
        "works_until": f"{end:02}:00:00",
    }  # fmt: skip


COLLEAGUES = keyed(
    colleague("C-1", "Ada Bauer"),
    colleague("C-2", "Leo Rossi", "sales", (10, 18)),
    colleague("C-3", "Mei Abara", "sales"),
    *(colleague(f"C-{n}", f"Zoe {n}", "support") for n in range(11, 17)),
)


def event(key: str, starts_at: str, minutes: int = 60, host: str | None = None, **changes: Any) -> Row:
    row = {
        "id": key, "own": host is None, "title": f"talk {key[3:]}", "day": starts_at[:10],
        "starts_at": f"{starts_at}:00", "minutes": minutes, "place": "in_person", "status": "scheduled", **changes,
    }  # fmt: skip
    return row if host is None else {**row, "host_id": host}


EVENTS = keyed(
    event("EV-1", "2026-03-04T10:00"),
    event("EV-2", "2026-03-05T14:00", 90, place="by_video"),
    event("EV-3", "2026-03-02T08:30"),  # has begun
    event("EV-4", "2026-03-06T10:00", status="cancelled"),
    event("EV-5", "2026-03-04T13:00", host="C-1"),
    event("EV-6", "2026-03-04T10:30", host="C-1"),  # at the time of EV-1
    event("EV-7", "2026-03-09T11:00", host="C-2", place="by_phone"),
    event("EV-8", "2026-03-10T11:00", host="C-3"),  # nothing of the user's
    event("EV-9", "2026-02-20T11:00", host="C-2"),
)


def guest(key: str, event_id: str, colleague_id: str, response: str = "accepted", proposed: str = "") -> Row:
    row = {
        "id": key, "event_id": event_id, "colleague_id": colleague_id, "name": COLLEAGUES[colleague_id]["name"],
        "response": response,
    }  # fmt: skip
    return {**row, "proposed_at": f"{proposed}:00"} if proposed else row


GUESTS = keyed(
    guest("G-1", "EV-1", "C-1", "pending"),
    guest("G-2", "EV-1", "C-2", "proposed", "2026-03-11T10:00"),
    guest("G-3", "EV-1", "C-3", "proposed", "2026-03-10T15:00"),
    guest("G-4", "EV-2", "C-1", "accepted"),
    guest("G-5", "EV-8", "C-1", "tentative"),
)


def invitation(key: str, event_id: str, response: str = "pending", proposed: str = "") -> Row:
    of = EVENTS[event_id]
    row = {
        "id": key, "event_id": event_id, "host_id": of["host_id"], "host_name": COLLEAGUES[of["host_id"]]["name"],
        "title": of["title"], "day": of["day"], "response": response,
    }  # fmt: skip
    return {**row, "proposed_at": f"{proposed}:00"} if proposed else row


INVITATIONS = keyed(
    invitation("I-1", "EV-5", "accepted"),
    invitation("I-2", "EV-6"),
    invitation("I-3", "EV-7", "proposed", "2026-03-12T11:00"),
    invitation("I-4", "EV-9", "accepted"),
)
STATE = {
    "user_id": "U-1",
    "users": keyed(
        {"id": "U-1", "name": "Maya Novak", "email": "maya@mail.example", "works_from": "08:00:00",
         "works_until": "16:30:00"}
    ),
    "colleagues": COLLEAGUES,
    "events": EVENTS,
    "guests": GUESTS,
    "invitations": INVITATIONS,
    "absences": keyed(
        {"id": "A-1", "colleague_id": "C-2", "since": "2026-03-12", "until": "2026-03-13", "reason": "training"}
    ),
}  # fmt: skip


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(CalendarScheduling, STATE, rows=rows, **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["C-1", "C-2", "C-3", "C-11", "C-12"]),
        ({"page": 2}, ["C-13", "C-14", "C-15", "C-16"]),
        ({"name": "ro"}, ["C-2"]),
        ({"name": "AB"}, ["C-3"]),
        ({"team": "sales"}, ["C-2", "C-3"]),
        ({"team": "sales", "name": "Ada"}, []),
    ],
)
def test_colleagues_are_found_by_name_and_team(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_people", **arguments) == found


def test_colleagues_come_by_name() -> None:
    rows = {"colleagues": keyed(colleague("C-1", "Yusuf Bauer"), colleague("C-2", "Ada Rossi"))}
    assert desk(rows).ids("find_people")[:2] == ["C-2", "C-3"]
    same = {"colleagues": keyed(colleague("C-2", "Ada Bauer"), colleague("C-1", "Ada Bauer"))}
    assert desk(same).ids("find_people", name="ada") == ["C-1", "C-2"]


@pytest.mark.parametrize(
    ("arguments", "found", "minutes"),
    [
        ({}, ["EV-3", "EV-1", "EV-5", "EV-2"], 270),
        ({"since": "2026-03-04"}, ["EV-1", "EV-5", "EV-2"], 210),
        ({"since": "2026-02-20"}, ["EV-9", "EV-3", "EV-1", "EV-5", "EV-2"], 330),
        ({"until": "2026-03-04"}, ["EV-3", "EV-1", "EV-5"], 180),
        ({"colleague_id": "C-1"}, ["EV-5", "EV-2"], 150),
        ({"colleague_id": "C-3"}, [], 0),
        ({"place": "by_video"}, ["EV-2"], 90),
    ],
)
def test_a_calendar_shows_what_is_organised_or_accepted(arguments: Row, found: list[str], minutes: int) -> None:
    page = desk().gives("list_meetings", **arguments)
    assert [row["id"] for row in page["meetings"]] == found
    assert (page["total"], page["hours"]) == (len(found), round(minutes / 60, 2))


def test_hours_are_told_to_the_hundredth() -> None:
    rows = {"events": keyed(event("EV-1", "2026-03-04T10:00", 50))}
    assert desk(rows).gives("list_meetings")["hours"] == 4.33


def test_meetings_come_in_pages_by_their_start() -> None:
    more = keyed(*(event(f"EV-{n}", f"2026-04-0{n - 20}T10:00") for n in (23, 22, 21)))
    assert desk({"events": more}).ids("list_meetings") == ["EV-3", "EV-1", "EV-5", "EV-2", "EV-21"]
    assert desk({"events": more}).ids("list_meetings", page=2) == ["EV-22", "EV-23"]


def test_a_calendar_cannot_end_before_it_begins_or_be_shared_with_nobody() -> None:
    desk().refuses("list_meetings", "invalid_argument", "end on 2026-03-01", until="2026-03-01")
    desk().refuses("list_meetings", "not_found", "no colleague with the id 'C-99'", colleague_id="C-99")


def test_a_meeting_is_shown_with_its_guests() -> None:
    more = keyed(guest("G-9", "EV-1", "C-11", "accepted"), guest("G-10", "EV-1", "C-12", "tentative"))
    at = desk({"guests": more})
    assert at.gives("get_meeting", event_id="EV-1") == {
        "event_id": "EV-1", "title": "talk 1", "host_name": "Maya Novak", "starts_at": "2026-03-04T10:00:00",
        "minutes": 60, "place": "in_person", "status": "scheduled", "coming": 1,
        "guests": [GUESTS["G-1"], GUESTS["G-2"], GUESTS["G-3"], *more.values()],
    }  # fmt: skip
    assert at.gives("get_meeting", event_id="EV-7")["host_name"] == "Leo Rossi"
    at.refuses("get_meeting", "permission_denied", "You are not invited", event_id="EV-8")
    at.refuses("get_meeting", "not_found", "no meeting with the id 'EV-99'", event_id="EV-99")


def slots(at: Desk, **arguments: Any) -> list[str]:
    return [slot["starts_at"][11:16] for slot in at.gives("find_free_times", **arguments)["slots"]]


def every(start: int, end: int) -> list[str]:
    """Every half hour from one to another, in half hours since midnight."""
    return [f"{n // 2:02}:{30 * (n % 2):02}" for n in range(start, end)]


@pytest.mark.parametrize(
    ("people", "day", "minutes", "found"),
    [
        (["C-1"], "2026-03-03", 60, every(18, 32)),  # from 9:00, when the colleague comes, until 16:30, when I go
        (["C-1"], "2026-03-03", 45, every(18, 32)),
        (["C-1"], "2026-03-03", 30, every(18, 33)),
        (["C-1"], "2026-03-03", 240, every(18, 26)),
        (["C-2"], "2026-03-03", 60, every(20, 32)),
        (["C-1", "C-2"], "2026-03-03", 60, every(20, 32)),
        # I have EV-1 at 10 and EV-5 at 13, the colleague EV-6 at 10:30.
        (["C-1"], "2026-03-04", 60, ["09:00", "11:30", "12:00", "14:00", "14:30", "15:00", "15:30"]),
        (["C-3"], "2026-03-04", 60, ["09:00", "11:00", "11:30", "12:00", "14:00", "14:30", "15:00", "15:30"]),
        (["C-1"], "2026-03-02", 60, every(19, 32)),  # today, after EV-3
        (["C-2"], "2026-03-11", 60, every(20, 32)),
    ],
)
def test_free_times_suit_everybody(people: list[str], day: str, minutes: int, found: list[str]) -> None:
    at, arguments = desk(), {"people": people, "day": day, "minutes": minutes}
    shown = slots(at, **arguments)
    for page in range(2, 5):
        shown += slots(at, page=page, **arguments)
    assert shown == found
    assert at.gives("find_free_times", **arguments)["total"] == len(found)


def test_a_slot_says_when_it_ends_and_the_usual_meeting_takes_an_hour() -> None:
    first = desk().gives("find_free_times", people=["C-1"], day="2026-03-03")["slots"][0]
    assert first == {"starts_at": "2026-03-03T09:00:00", "ends_at": "2026-03-03T10:00:00"}


def test_times_that_have_begun_are_gone() -> None:
    at = desk(events=keyed(event("EV-4", "2026-03-06T10:00", status="cancelled")), invitations={}, guests={})
    assert slots(at, people=["C-1"], day="2026-03-02")[0] == "09:30"


def test_nobody_is_free_on_weekends_or_when_away() -> None:
    for day in ("2026-03-07", "2026-03-08"):
        desk().refuses("find_free_times", "invalid_argument", "weekend", people=["C-1"], day=day)
    desk().refuses("find_free_times", "not_found", "C-99", people=["C-99"], day="2026-03-03")
    at = desk()
    at.gives("set_out_of_office", since="2026-03-17", until="2026-03-17", reason="vacation")
    words = "You are out of office on 2026-03-17"
    at.refuses("find_free_times", "conflict", words, people=["C-1"], day="2026-03-17")
    words = "Leo Rossi is away on 2026-03-13"
    at.refuses("find_free_times", "conflict", words, people=["C-1", "C-2"], day="2026-03-13")
    at.refuses("find_free_times", "invalid_argument", "2026-02-27 is past", people=["C-1"], day="2026-02-27")
    assert slots(at, people=["C-1"], day="2026-03-18") != []


NEW: Row = {"title": "vendor call", "people": ["C-1", "C-2", "C-1"], "place": "by_phone"}


def test_a_meeting_is_called_and_its_guests_are_asked() -> None:
    at = desk()
    called = at.gives("schedule_meeting", **NEW, starts_at="2026-03-12T10:00:00", minutes=30)
    assert called == event("EV-1001", "2026-03-12T10:00", 30, title="vendor call", place="by_phone")
    assert at.changed() == {
        "events.created": {"EV-1001": called},
        "guests.created": {
            "GU-1001": guest("GU-1001", "EV-1001", "C-1", "pending"),
            "GU-1002": guest("GU-1002", "EV-1001", "C-2", "declined"),  # is away
        },
    }
    assert at.gives("schedule_meeting", **NEW, starts_at="2026-03-13T10:00:00")["minutes"] == 60


TIMES = [
    ("2026-03-02T09:00:00", 60, "invalid_argument", "2026-03-02 09:00 is past"),
    ("2026-03-04T07:45:00", 15, "invalid_argument", "between 8:00 and 20:00"),
    ("2026-03-04T19:15:00", 60, "invalid_argument", "between 8:00 and 20:00"),
    ("2026-03-04T13:30:00", 15, "conflict", "You have the talk 5 at 13:00 on 2026-03-04"),
    ("2026-03-04T12:15:00", 60, "conflict", "You have the talk 5"),
    ("2026-03-07T10:00:00", 60, "invalid_argument", "2026-03-07 is a weekend"),
    ("2026-03-12T10:07:33", 60, "invalid_argument", "start on a full minute"),
    ("2026-03-12T19:15:00", 90, "invalid_argument", "between 8:00 and 20:00"),
    ("2026-03-12T18:31:00", 90, "invalid_argument", "between 8:00 and 20:00"),
]


@pytest.mark.parametrize(("starts_at", "minutes", "code", "words"), TIMES)
def test_a_time_that_is_past_at_night_or_taken_is_refused(starts_at: str, minutes: int, code: str, words: str) -> None:
    desk().refuses("schedule_meeting", code, words, **NEW, starts_at=starts_at, minutes=minutes)
    desk().refuses("move_meeting", code, words, event_id="EV-2", starts_at=starts_at, minutes=minutes)
    rows = {"events": keyed(event("EV-7", "2026-03-09T11:00", minutes, host="C-2"))}
    desk(rows).refuses("propose_new_time", code, words, invitation_id="I-3", starts_at=starts_at)


def test_nobody_calls_or_moves_a_meeting_to_a_day_out_of_office() -> None:
    at = desk()
    at.gives("set_out_of_office", since="2026-03-12", until="2026-03-13", reason="vacation")
    words = "2026-03-13 is when you are out of office"
    at.refuses("schedule_meeting", "invalid_argument", words, **NEW, starts_at="2026-03-13T10:00:00")
    at.refuses("move_meeting", "invalid_argument", words, event_id="EV-2", starts_at="2026-03-13T10:00:00")
    at.gives("schedule_meeting", **NEW, starts_at="2026-03-11T10:00:00")


@pytest.mark.parametrize(
    ("starts_at", "minutes"),
    [
        ("2026-03-02T09:01:00", 15),  # EV-3 lasts until 9:30
        ("2026-03-03T08:00:00", 60),
        ("2026-03-03T19:00:00", 60),
        ("2026-03-04T14:00:00", 60),
        ("2026-03-04T12:00:00", 60),
        ("2026-03-06T10:00:00", 60),
    ],
)
def test_a_time_that_is_just_free_is_taken(starts_at: str, minutes: int) -> None:
    at = desk({"events": keyed(event("EV-3", "2026-03-02T08:30", status="cancelled"))})
    assert at.gives("schedule_meeting", **NEW, starts_at=starts_at, minutes=minutes)["starts_at"] == starts_at


@pytest.mark.parametrize(
    "change",
    [{"title": "ab"}, {"people": []}, {"people": ["C-1"] * 6}, {"minutes": 14}, {"minutes": 241}, {"place": "moon"}],
)
def test_a_meeting_out_of_bounds_is_refused(change: Row) -> None:
    arguments = {**NEW, "starts_at": "2026-03-12T10:00:00", **change}
    desk().refuses("schedule_meeting", "invalid_argument", next(iter(change)), **arguments)


def test_a_moved_meeting_asks_everybody_anew() -> None:
    at = desk()
    moved = at.gives("move_meeting", event_id="EV-1", starts_at="2026-03-12T10:00:00")
    assert moved == {**EVENTS["EV-1"], "day": "2026-03-12", "starts_at": "2026-03-12T10:00:00"}
    assert at.changed() == {
        "events.changed": {"EV-1": {"day": "2026-03-12", "starts_at": "2026-03-12T10:00:00"}},
        "guests.changed": {
            "G-2": {"response": "declined", "proposed_at": None},
            "G-3": {"response": "pending", "proposed_at": None},
        },
    }


def test_a_meeting_may_overlap_itself_and_change_its_length_alone() -> None:
    at = desk()
    assert at.gives("move_meeting", event_id="EV-2", starts_at="2026-03-05T14:30:00")["minutes"] == 90
    assert at.gives("move_meeting", event_id="EV-2", starts_at="2026-03-05T14:30:00", minutes=30)["minutes"] == 30
    words = "starts then already"
    at.refuses("move_meeting", "invalid_argument", words, event_id="EV-2", starts_at="2026-03-05T14:30:00")


ON_EVENTS = [
    ("move_meeting", {"starts_at": "2026-03-12T10:00:00"}, "moved"),
    ("invite_colleague", {"colleague_id": "C-3"}, "joined"),
    ("uninvite_colleague", {"colleague_id": "C-1"}, "changed"),
    ("cancel_meeting", {}, "cancelled"),
    ("accept_proposal", {}, "moved"),
]


@pytest.mark.parametrize(("tool", "more", "done"), ON_EVENTS)
def test_only_a_meeting_of_ones_own_that_is_to_come_can_be_changed(tool: str, more: Row, done: str) -> None:
    desk().refuses(tool, "permission_denied", "Only its organiser", event_id="EV-5", **more)
    desk().refuses(tool, "precondition_failed", f"cancelled, so it cannot be {done}", event_id="EV-4", **more)
    desk().refuses(tool, "precondition_failed", f"talk 3 is past, so it cannot be {done}", event_id="EV-3", **more)
    desk().refuses(tool, "not_found", "EV-99", event_id="EV-99", **more)
    begins = desk({"events": keyed(event("EV-1", "2026-03-02T09:00"))})
    begins.refuses(tool, "precondition_failed", "talk 1 is past", event_id="EV-1", **more)


def test_one_more_colleague_is_invited() -> None:
    at = desk({"absences": keyed({"id": "A-2", "colleague_id": "C-11", "since": "2026-03-05", "until": "2026-03-05",
                                  "reason": "vacation"})})  # fmt: skip
    added = at.gives("invite_colleague", event_id="EV-2", colleague_id="C-3")
    assert added == guest("GU-1001", "EV-2", "C-3", "pending")
    assert at.changed() == {"guests.created": {"GU-1001": added}}
    assert at.gives("invite_colleague", event_id="EV-2", colleague_id="C-11")["response"] == "declined"
    at.refuses("invite_colleague", "conflict", "Mei Abara is invited", event_id="EV-2", colleague_id="C-3")
    at.refuses("invite_colleague", "not_found", "C-99", event_id="EV-2", colleague_id="C-99")


def test_an_invitation_is_taken_back() -> None:
    at = desk()
    assert at.gives("uninvite_colleague", event_id="EV-1", colleague_id="C-2") == GUESTS["G-2"]
    assert at.changed() == {"guests.deleted": ("G-2",)}
    words = "Leo Rossi is not invited to the talk 1"
    at.refuses("uninvite_colleague", "conflict", words, event_id="EV-1", colleague_id="C-2")
    at.refuses("uninvite_colleague", "conflict", "not invited", event_id="EV-2", colleague_id="C-3")
    at.refuses("uninvite_colleague", "not_found", "C-99", event_id="EV-1", colleague_id="C-99")


def test_eight_guests_are_enough() -> None:
    others = [guest(f"G-{n}", "EV-2", f"C-{n}") for n in range(11, 17)]
    at = desk({"guests": keyed(*others)})
    at.gives("invite_colleague", event_id="EV-2", colleague_id="C-2")
    at.refuses("invite_colleague", "limit_exceeded", "8 colleagues", event_id="EV-2", colleague_id="C-3")


def test_a_cancelled_meeting_frees_its_guests() -> None:
    at = desk()
    assert at.gives("cancel_meeting", event_id="EV-1") == {"event_id": "EV-1", "title": "talk 1", "told": 3}
    assert at.changed() == {"events.changed": {"EV-1": {"status": "cancelled"}}}
    assert "10:00" in slots(at, people=["C-3"], day="2026-03-04")
    assert at.gives("get_meeting", event_id="EV-1")["guests"] == [GUESTS[key] for key in ("G-1", "G-2", "G-3")]
    at = desk()
    at.gives("cancel_meeting", event_id="EV-2")
    assert "14:00" in slots(at, people=["C-1"], day="2026-03-05", page=3)  # who had accepted is free again


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["I-1", "I-2", "I-3"]),
        ({"response": "pending"}, ["I-2"]),
        ({"response": "proposed"}, ["I-3"]),
        ({"host_id": "C-1"}, ["I-1", "I-2"]),
        ({"host_id": "C-1", "response": "accepted"}, ["I-1"]),
        ({"page": 2}, []),
    ],
)
def test_invitations_to_come_are_listed_by_day(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_invitations", **arguments) == found


def test_todays_invitations_count_and_unknown_hosts_do_not() -> None:
    rows = {"invitations": keyed({**INVITATIONS["I-4"], "day": "2026-03-02"})}
    assert desk(rows).ids("list_invitations") == ["I-4", "I-1", "I-2", "I-3"]
    desk().refuses("list_invitations", "not_found", "C-99", host_id="C-99")


@pytest.mark.parametrize("response", ["accepted", "tentative", "declined"])
def test_an_invitation_is_answered(response: str) -> None:
    at = desk()
    answered = at.gives("answer_invitation", invitation_id="I-3", response=response)
    assert answered == {**invitation("I-3", "EV-7", response)}
    assert at.changed() == {"invitations.changed": {"I-3": {"response": response, "proposed_at": None}}}
    words = f"the talk 7 is {response} already"
    at.refuses("answer_invitation", "invalid_argument", words, invitation_id="I-3", response=response)


def test_nobody_accepts_two_meetings_at_once_or_when_away() -> None:
    at = desk()
    at.refuses("answer_invitation", "conflict", "talk 1 at 10:00", invitation_id="I-2", response="accepted")
    assert at.gives("answer_invitation", invitation_id="I-2", response="tentative")["response"] == "tentative"
    at.gives("set_out_of_office", since="2026-03-09", until="2026-03-09", reason="training")
    at.refuses("answer_invitation", "conflict", "out of office on 2026-03-09", invitation_id="I-3", response="accepted")
    assert at.gives("answer_invitation", invitation_id="I-3", response="tentative")["response"] == "tentative"


def test_a_meeting_is_accepted_only_if_all_of_it_is_free() -> None:
    long = {"events": keyed(event("EV-6", "2026-03-04T11:30", 90, host="C-1"), event("EV-5", "2026-03-04T12:45",
                            host="C-1"))}  # fmt: skip
    at = desk(long)
    at.refuses("answer_invitation", "conflict", "talk 5 at 12:45", invitation_id="I-2", response="accepted")
    short = {"events": keyed(event("EV-6", "2026-03-04T12:15", 30, host="C-1"))}
    assert desk(short).gives("answer_invitation", invitation_id="I-2", response="accepted")["response"] == "accepted"


def test_what_is_called_off_is_neither_listed_nor_answered() -> None:
    at = desk({"events": keyed(event("EV-7", "2026-03-09T11:00", host="C-2", status="cancelled"))})
    assert at.ids("list_invitations") == ["I-1", "I-2"]
    words = "meeting is cancelled, so it cannot be answered"
    at.refuses("answer_invitation", "precondition_failed", words, invitation_id="I-3", response="accepted")
    at.refuses(
        "propose_new_time", "precondition_failed", words, invitation_id="I-3", starts_at="2026-03-12T10:00:00"
    )  # fmt: skip


ON_INVITATIONS = [
    ("answer_invitation", {"response": "declined"}),
    ("propose_new_time", {"starts_at": "2026-04-01T10:00:00"}),
]


@pytest.mark.parametrize(("tool", "more"), ON_INVITATIONS)
def test_a_meeting_that_has_begun_cannot_be_answered(tool: str, more: Row) -> None:
    desk().refuses(tool, "precondition_failed", "talk 9 is past", invitation_id="I-4", **more)
    desk().refuses(tool, "not_found", "no invitation with the id 'I-99'", invitation_id="I-99", **more)
    begins = desk({"events": keyed(event("EV-7", "2026-03-02T09:00", host="C-2"))})
    begins.refuses(tool, "precondition_failed", "talk 7 is past", invitation_id="I-3", **more)


def test_another_time_is_proposed() -> None:
    at = desk()
    asked = at.gives("propose_new_time", invitation_id="I-1", starts_at="2026-03-04T13:30:00")
    assert asked == invitation("I-1", "EV-5", "proposed", "2026-03-04T13:30")  # the meeting itself is not in its way
    assert at.changed() == {
        "invitations.changed": {"I-1": {"response": "proposed", "proposed_at": "2026-03-04T13:30:00"}}
    }
    words = "talk 7 starts then already"
    at.refuses("propose_new_time", "invalid_argument", words, invitation_id="I-3", starts_at="2026-03-09T11:00:00")


@pytest.mark.parametrize(("minutes", "starts_at"), [(30, "19:30"), (90, "18:30")])
def test_another_time_has_room_for_all_of_the_meeting(minutes: int, starts_at: str) -> None:
    at = desk({"events": keyed(event("EV-7", "2026-03-09T11:00", minutes, host="C-2"))})
    late = f"2026-03-12T{starts_at[:3]}31:00"
    at.refuses("propose_new_time", "invalid_argument", "8:00 and 20:00", invitation_id="I-3", starts_at=late)
    at.gives("propose_new_time", invitation_id="I-3", starts_at=f"2026-03-12T{starts_at}:00")


@pytest.mark.parametrize("minutes", [30, 90])
def test_a_proposal_leaves_the_length_as_it_is(minutes: int) -> None:
    at = desk({"events": keyed(event("EV-1", "2026-03-04T10:00", minutes))})
    assert at.gives("accept_proposal", event_id="EV-1")["minutes"] == minutes


@pytest.mark.parametrize(("starts_at", "answer"), [("15:00", "pending"), ("15:59", "pending"), ("16:00", "accepted")])
def test_who_proposed_a_time_but_is_busy_then_is_asked_anew(starts_at: str, answer: str) -> None:
    at = desk({"events": keyed(event("EV-20", f"2026-03-10T{starts_at}", host="C-3"))})
    at.gives("accept_proposal", event_id="EV-1")
    assert at.changed()["guests.changed"]["G-3"] == {"response": answer, "proposed_at": None}


def test_the_earliest_proposal_is_accepted() -> None:
    at = desk()
    assert at.gives("accept_proposal", event_id="EV-1") == {
        **EVENTS["EV-1"], "day": "2026-03-10", "starts_at": "2026-03-10T15:00:00"
    }  # fmt: skip
    assert at.changed() == {
        "events.changed": {"EV-1": {"day": "2026-03-10", "starts_at": "2026-03-10T15:00:00"}},
        "guests.changed": {
            "G-2": {"response": "pending", "proposed_at": None},
            "G-3": {"response": "accepted", "proposed_at": None},
        },
    }
    at.refuses("accept_proposal", "precondition_failed", "Nobody has proposed", event_id="EV-1")


def test_a_proposal_needs_a_free_time_to_come() -> None:
    past = desk({"guests": keyed(guest("G-3", "EV-1", "C-3", "proposed", "2026-03-02T09:00"))})
    assert past.gives("accept_proposal", event_id="EV-1")["starts_at"] == "2026-03-11T10:00:00"
    taken = desk({"guests": keyed(guest("G-3", "EV-1", "C-3", "proposed", "2026-03-05T15:00"))})
    taken.refuses("accept_proposal", "conflict", "You have the talk 2", event_id="EV-1")
    itself = desk({"guests": keyed(guest("G-3", "EV-1", "C-3", "proposed", "2026-03-04T09:30"))})
    assert itself.gives("accept_proposal", event_id="EV-1")["starts_at"] == "2026-03-04T09:30:00"


def test_who_proposed_a_time_but_is_away_then_is_not_coming() -> None:
    at = desk(
        {"guests": keyed(guest("G-2", "EV-1", "C-2", "proposed", "2026-03-12T10:00"), guest("G-3", "EV-1", "C-3"))}
    )
    at.gives("accept_proposal", event_id="EV-1")
    assert at.changed()["guests.changed"]["G-2"] == {"response": "declined", "proposed_at": None}


def test_being_away_declines_invitations_and_names_ones_own_meetings() -> None:
    at = desk()
    away = at.gives("set_out_of_office", since="2026-03-04", until="2026-03-09", reason="vacation")
    assert away == {
        "absence_id": "AB-1001", "until": "2026-03-09", "declined": 3, "to_move": [EVENTS["EV-1"], EVENTS["EV-2"]]
    }  # fmt: skip
    absence = {"id": "AB-1001", "since": "2026-03-04", "until": "2026-03-09", "reason": "vacation"}
    assert at.changed() == {
        "absences.created": {"AB-1001": absence},
        "invitations.changed": {
            "I-1": {"response": "declined"},
            "I-2": {"response": "declined"},
            "I-3": {"response": "declined", "proposed_at": None},
        },
    }
    later = at.gives("set_out_of_office", since="2026-03-10", until="2026-03-10", reason="training")
    assert (later["declined"], later["to_move"]) == (0, [])


def test_being_away_from_today_leaves_what_has_begun() -> None:
    rows = {
        "events": keyed(
            event("EV-9", "2026-03-02T09:00", 30, host="C-2"),  # begins just now
            event("EV-3", "2026-03-02T09:00", 30),
            event("EV-7", "2026-03-02T09:01", host="C-2"),
            event("EV-2", "2026-03-02T15:00"),
        ),
        "invitations": keyed(*({**INVITATIONS[key], "day": "2026-03-02"} for key in ("I-3", "I-4"))),
    }  # fmt: skip
    at = desk(rows)
    away = at.gives("set_out_of_office", since="2026-03-02", until="2026-03-02", reason="vacation")
    assert (away["declined"], [row["id"] for row in away["to_move"]]) == (1, ["EV-2"])
    assert list(at.changed()["invitations.changed"]) == ["I-3"]


def absence(key: str, since: str, until: str, reason: str = "vacation", who: str = "") -> Row:
    row = {"id": key, "since": since, "until": until, "reason": reason}
    return {**row, "colleague_id": who} if who else row


ABSENCES = keyed(
    absence("A-1", "2026-03-12", "2026-03-13", "training", "C-2"),
    absence("A-2", "2026-02-26", "2026-03-01"),
    absence("A-3", "2026-03-09", "2026-03-10", "training"),
    absence("A-4", "2026-02-26", "2026-03-04"),
    absence("A-5", "2026-03-02", "2026-03-03"),
)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["A-4", "A-5", "A-3"]),
        ({"reason": "training"}, ["A-3"]),
        ({"reason": "parental_leave"}, []),
        ({"page": 2}, []),
    ],
)
def test_days_away_that_are_not_over_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk(absences=ABSENCES).ids("list_absences", **arguments) == found
    on_the_last_day = keyed(absence("A-4", "2026-02-26", "2026-03-02"))
    assert desk(absences=on_the_last_day).ids("list_absences") == ["A-4"]


def test_days_away_are_ended() -> None:
    at = desk(absences=ABSENCES)
    for key in ("A-3", "A-5"):
        assert at.gives("end_absence", absence_id=key) == ABSENCES[key]
    assert at.changed() == {"absences.deleted": ("A-3", "A-5")}
    assert at.gives("end_absence", absence_id="A-4") == ABSENCES["A-4"]
    assert at.changed()["absences.changed"] == {"A-4": {"until": "2026-03-01"}}  # what is past of it stays
    at.refuses("end_absence", "precondition_failed", "was over on 2026-03-01", absence_id="A-2")
    at.refuses("end_absence", "permission_denied", "Only they themselves", absence_id="A-1")
    at.refuses("end_absence", "not_found", "no absence with the id 'A-99'", absence_id="A-99")
    assert at.gives("schedule_meeting", **NEW, starts_at="2026-03-09T15:00:00")["day"] == "2026-03-09"


def test_days_away_can_be_ended_on_their_last_day() -> None:
    at = desk(absences=keyed(absence("A-4", "2026-02-26", "2026-03-02")))
    at.gives("end_absence", absence_id="A-4")
    assert at.changed() == {"absences.changed": {"A-4": {"until": "2026-03-01"}}}


def test_invitations_beside_the_days_away_stay() -> None:
    at = desk()
    away = at.gives("set_out_of_office", since="2026-03-05", until="2026-03-08", reason="parental_leave")
    assert (away["declined"], [row["id"] for row in away["to_move"]]) == (0, ["EV-2"])
    one_day = desk().gives("set_out_of_office", since="2026-03-05", until="2026-03-05", reason="vacation")
    assert [row["id"] for row in one_day["to_move"]] == ["EV-2"]
    assert desk().gives("set_out_of_office", since="2026-03-02", until="2026-04-01", reason="vacation")["declined"] == 3


@pytest.mark.parametrize(
    ("since", "until", "code", "words"),
    [
        ("2026-03-01", "2026-03-04", "invalid_argument", "2026-03-01 is past"),
        ("2026-03-05", "2026-03-04", "invalid_argument", "turned round"),
        ("2026-03-05", "2026-04-05", "invalid_argument", "thirty days"),
        ("2026-03-10", "2026-03-12", "conflict", "away from 2026-03-12 to 2026-03-13 already"),
        ("2026-03-13", "2026-03-20", "conflict", "already"),
    ],
)
def test_days_away_are_to_come_few_and_apart(since: str, until: str, code: str, words: str) -> None:
    at = desk()
    at.gives("set_out_of_office", since="2026-03-12", until="2026-03-13", reason="training")
    at.refuses("set_out_of_office", code, words, since=since, until=until, reason="training")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(CalendarScheduling, seed, size, DEFAULT_NOW)
    own = [row for row in world.events.values() if row.own]
    assert {row.status for row in own} == {"scheduled", "cancelled"}
    assert any(row.starts_at < world.now for row in own)
    responses = {row.response for row in world.invitations.values()}
    assert responses == {"accepted", "pending", "tentative", "declined", "proposed"}
    assert any(row.response == "proposed" for row in world.guests.values())
    assert all(row.day.weekday() < 5 for row in world.events.values())
    assert all(row.day == row.starts_at.date() for row in world.events.values())
    assert len(world.invitations) > 5, "a list has a second page"
    accepted = {row.event_id for row in world.invitations.values() if row.response == "accepted"}
    mine = sorted((row.starts_at, row.ends_at) for row in world.events.values() if row.own or row.id in accepted)
    assert all(end <= start for (_, end), (start, _) in pairwise(mine)), "nothing clashes"
    called_off = {row.id for row in world.events.values() if row.status == "cancelled"}
    assert any(row.event_id in called_off for row in world.invitations.values()), "not by the user alone"
    assert any(row.colleague_id is None and row.until >= world.now.date() for row in world.absences.values())
    assert len({row.title for row in world.invitations.values()}) == len(world.invitations)
    for who in world.colleagues:
        coming = {
            row.event_id for row in world.guests.values() if (row.colleague_id, row.response) == (who, "accepted")
        }
        theirs = [row for row in world.events.values() if row.host_id == who or row.id in coming]
        times = sorted((row.starts_at, row.ends_at) for row in theirs)
        assert all(end <= start for (_, end), (start, _) in pairwise(times)), "nobody is in two places"
        away = [row for row in world.absences.values() if row.colleague_id == who]
        assert not any(row.since <= event.day <= row.until for row in away for event in theirs), "or away"
