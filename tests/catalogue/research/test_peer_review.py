"""The peer review, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.research import _review_rules as rules
from envfactory.catalogue.research.peer_review import PeerReview
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed, scenario_rows

# The clock stands at Monday, 2 March 2026, 9:00.

AUTHORS = [{"name": "Lea Lund", "institution": "East College"}, {"name": "Jan Juhl", "institution": "West College"}]
REVISIONS = ["minor_revision", "major_revision"]


def reviewer(key: str, name: str, **changes: Any) -> Row:
    """A free reviewer of the topic of all submissions."""
    return {
        "id": key, "name": name, "institution": "North College", "topic": "climate_science", "skills": ["theory"],
        "coauthors": [], "open_reviews": 1, "most_reviews": 3, "availability": "available", "days_needed": 20,
        **changes,
    }  # fmt: skip


def submission(key: str, **changes: Any) -> Row:
    """An article of the user's in its first round, without a review."""
    return {
        "id": key, "editor_id": "ED-1", "editor_name": "Eva Engel", "title": f"On matter {key[2:]}",
        "subject": f"matter {key[2:]}", "topic": "climate_science", "kind": "article", "lead": "Lea Lund",
        "authors": AUTHORS, "opposed": [], "received_on": f"2026-01-{10 + int(key[2:])}", "review_round": 1,
        "status": "in_review", "needed": 3, "reviews_in": 0, "awaited": 0, "split": False, "last_word": "nobody",
        "verdicts": [], **changes,
    }  # fmt: skip


def invitation(key: str, submission_id: str, reviewer_id: str, invited: str = "2026-02-10", **changes: Any) -> Row:
    """An accepted invitation of the user's, due three weeks after it was sent."""
    day = dt.date.fromisoformat(invited)
    ahead = {days: (day + dt.timedelta(days=days)).isoformat() for days in (7, 21, 42)}
    return {
        "id": key, "submission_id": submission_id, "editor_id": "ED-1", "subject": f"matter {submission_id[2:]}",
        "review_round": 1, "reviewer_id": reviewer_id, "reviewer_name": NAMES[reviewer_id], "status": "accepted",
        "invited_on": invited, "answer_by": ahead[7], "due": ahead[21], "latest_due": ahead[42], "written_on": invited,
        "reminders": 0, **changes,
    }  # fmt: skip


def review(key: str, submission_id: str, reviewer_id: str, score: int, review_round: int = 1) -> Row:
    return {
        "id": key, "submission_id": submission_id, "review_round": review_round, "reviewer_id": reviewer_id,
        "reviewer_name": NAMES[reviewer_id], "score": score, "confidence": 4, "text": "Well.",
        "submitted_on": "2026-02-20",
    }  # fmt: skip


def message(key: str, submission_id: str, author: str, day: int, review_round: int = 1) -> Row:
    return {
        "id": key, "submission_id": submission_id, "review_round": review_round, "author": author,
        "name": "Eva Engel" if author == "editor" else "Ann Ash", "text": f"Word {key[2:]}.",
        "sent_at": f"2026-02-{day}T10:00:00",
    }  # fmt: skip


REVIEWERS = keyed(
    reviewer("R-1", "Ann Ash", skills=["statistics", "theory"]),
    reviewer("R-2", "Ben Bay", open_reviews=2, most_reviews=2, availability="full"),
    reviewer("R-3", "Cy Cole", institution="East College"),
    reviewer("R-4", "Dee Dahl", coauthors=["Zoe Zorn", "Lea Lund"]),
    reviewer("R-5", "Eli Eck"),
    reviewer("R-6", "Flo Fox", availability="away", back_on="2026-03-10"),
    reviewer("R-7", "Gus Gray", open_reviews=0, most_reviews=1, skills=["experiments"], days_needed=30),
    reviewer("R-8", "Hal Hill", topic="immunology"),
    reviewer("R-9", "Ida Iver", open_reviews=2, most_reviews=4, skills=["statistics"], days_needed=10),
    reviewer("R-10", "Jan Juhl", institution="West College", coauthors=["Lea Lund"]),
    reviewer("R-11", "Kit Kern"),
    reviewer("R-12", "Lou Lang"),
)
NAMES = {key: row["name"] for key, row in REVIEWERS.items()}
READY: Row = {"kind": "short_paper", "needed": 2, "reviews_in": 2}
SUBMISSIONS = keyed(
    submission("S-1", awaited=2, opposed=["Eli Eck"]),
    submission("S-2", **READY, average=6.5, last_word="a_reviewer", verdicts=["acceptance", *REVISIONS, "rejection"]),
    submission("S-3", **READY, average=6.0, split=True, topic="immunology"),
    submission(
        "S-4", **READY, average=5.5, status="recommended", recommendation="minor_revision",
        releases_at="2026-03-02T20:00:00", revision_due="2026-03-23",
    ),
    submission(
        "S-5", **READY, average=4.0, status="in_revision", recommendation="major_revision",
        releases_at="2026-02-20T09:00:00", revision_due="2026-04-21",
    ),
    submission("S-6", **READY, average=9.0, status="accepted", recommendation="acceptance",
               releases_at="2026-02-20T09:00:00"),
    submission("S-7", editor_id="ED-2", editor_name="Otto Odd", awaited=1),
    submission("S-8", needed=2, reviews_in=2, review_round=3, average=8.0, last_word="me", verdicts=["acceptance"]),
    submission("S-9", authors=[{"name": "Nia Noor", "institution": "South College"}], lead="Nia Noor"),
)  # fmt: skip
INVITATIONS = keyed(
    invitation("I-1", "S-1", "R-1", "2026-02-20", status="unanswered"),
    invitation("I-2", "S-1", "R-2", written_on="2026-02-26", reminders=2),
    invitation("I-3", "S-1", "R-11", status="declined"),
    invitation("I-4", "S-1", "R-12", "2026-02-15", status="withdrawn", reminders=1),
    invitation("I-5", "S-2", "R-1", status="completed"),
    invitation("I-6", "S-2", "R-9", status="completed"),
    invitation("I-7", "S-7", "R-9", editor_id="ED-2"),
)
REVIEWS = keyed(
    review("W-1", "S-2", "R-1", 6),
    review("W-2", "S-2", "R-9", 7),
    review("W-3", "S-3", "R-1", 9),
    review("W-4", "S-3", "R-9", 3),
    review("W-5", "S-4", "R-1", 5),
    review("W-6", "S-4", "R-9", 6),
    review("W-7", "S-8", "R-1", 2),
    review("W-8", "S-8", "R-1", 8, 3),
    review("W-9", "S-8", "R-9", 8, 3),
)
MESSAGES = keyed(
    message("M-1", "S-2", "editor", 21),
    message("M-2", "S-2", "reviewer", 22),
    message("M-3", "S-8", "reviewer", 11),
    message("M-4", "S-8", "editor", 23, 3),
)
STATE: dict[str, Any] = {
    "editor_id": "ED-1",
    "editors": keyed(
        {"id": "ED-1", "name": "Eva Engel", "email": "eva@mail.example", "institution": "Own College"},
        {"id": "ED-2", "name": "Otto Odd", "email": "otto@mail.example", "institution": "Odd College"},
    ),
    "reviewers": REVIEWERS,
    "submissions": SUBMISSIONS,
    "invitations": INVITATIONS,
    "reviews": REVIEWS,
    "messages": MESSAGES,
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(PeerReview, STATE, rows=rows, **changes)


def scored(*scores: int, **changes: Any) -> Desk:
    """The user's submission S-9 with these scores, and what a message and its retraction make of it counted anew."""
    names = ("R-1", "R-9", "R-7", "R-5", "R-4")
    row = submission("S-9", reviews_in=len(scores), **changes)
    reviews = [review(f"W-2{n}", "S-9", names[n], score, row["review_round"]) for n, score in enumerate(scores)]
    at = desk({"submissions": keyed(row), "reviews": keyed(*reviews)})
    at.gives("write_to_reviewers", submission_id="S-9", text="Please discuss.")
    return at


def now_of(at: Desk, key: str = "S-9") -> Row:
    return at.gives("get_submission", submission_id=key)


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-1", "S-2", "S-3", "S-4", "S-5"]),
        ({"page": 2}, ["S-6", "S-8", "S-9"]),
        ({"page": 3}, []),
        ({"status": "in_review"}, ["S-1", "S-2", "S-3", "S-8", "S-9"]),
        ({"status": "recommended"}, ["S-4"]),
        ({"status": "in_revision"}, ["S-5"]),
        ({"status": "rejected"}, []),
        ({"topic": "immunology"}, ["S-3"]),
        ({"author": "nia noor"}, ["S-9"]),
        ({"author": "Jan Juhl", "status": "accepted"}, ["S-6"]),
        ({"author": "Jan"}, []),
        ({"short": True}, ["S-1", "S-9"]),
        ({"sort": "score"}, ["S-6", "S-8", "S-2", "S-3", "S-4"]),
        ({"sort": "score", "page": 2}, ["S-5", "S-1", "S-9"]),
    ],
)
def test_the_editors_own_submissions_are_found_by_what_they_are(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_submissions", **arguments) == found


def test_what_is_not_under_review_is_not_short_of_reviews() -> None:
    rows = {"submissions": keyed(submission("S-9", status="rejected", reviews_in=2), submission("S-8", reviews_in=3))}
    assert desk(rows).ids("search_submissions", short=True) == ["S-1"]


def test_submissions_of_one_day_are_ordered_by_their_id() -> None:
    rows = {"submissions": keyed(*(submission(f"S-{n}", received_on="2026-01-01") for n in (9, 8)))}
    assert desk(rows).ids("search_submissions")[:2] == ["S-8", "S-9"]


def test_a_submission_without_a_score_comes_after_the_worst() -> None:
    rows = {"submissions": keyed(submission("S-9", reviews_in=1, average=1.0))}
    assert desk(rows).ids("search_submissions", sort="score", page=2) == ["S-5", "S-9", "S-1"]


def test_a_submission_is_shown_with_its_authors_and_who_was_asked_in_this_round() -> None:
    assert desk().gives("get_submission", submission_id="S-1") == {
        "submission_id": "S-1", "title": "On matter 1", "topic": "climate_science", "kind": "article",
        "authors": AUTHORS, "opposed": ["Eli Eck"], "status": "in_review", "review_round": 1, "reviews_in": 0,
        "needed": 3, "split": False, "last_word": "nobody", "verdicts": [],
        "invitations": [INVITATIONS[key] for key in ("I-2", "I-3", "I-4", "I-1")],
    }  # fmt: skip
    decided = desk().gives("get_submission", submission_id="S-4")
    assert (decided["average"], decided["recommendation"]) == (5.5, "minor_revision")
    assert (decided["releases_at"], decided["revision_due"]) == ("2026-03-02T20:00:00", "2026-03-23")
    later = {"invitations": keyed(invitation("I-9", "S-8", "R-5"), invitation("I-8", "S-8", "R-4", review_round=3))}
    assert [row["id"] for row in desk(later).gives("get_submission", submission_id="S-8")["invitations"]] == ["I-8"]


@pytest.mark.parametrize(
    "tool", ["get_submission", "find_reviewers", "read_reviews", "read_discussion", "retract_message",
             "take_back_recommendation", "list_invitations"],
)  # fmt: skip
def test_submissions_of_other_editors_stay_theirs(tool: str) -> None:
    desk().refuses(tool, "permission_denied", "Otto Odd handles that submission; ask that editor", submission_id="S-7")
    desk().refuses(tool, "not_found", "no submission with the id 'S-99'", submission_id="S-99")


def test_nor_are_they_changed_or_told_of_with_further_arguments() -> None:
    at, words = desk(), "Otto Odd handles that submission"
    at.refuses("check_conflict", "permission_denied", words, submission_id="S-7", reviewer_id="R-1")
    at.refuses("invite_reviewer", "permission_denied", words, submission_id="S-7", reviewer_id="R-1")
    at.refuses("write_to_reviewers", "permission_denied", words, submission_id="S-7", text="Hello there")
    at.refuses("record_recommendation", "permission_denied", words, submission_id="S-7", verdict="rejection")


# -- reviewers


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["R-7", "R-12", "R-9"]),
        ({"sort": "speed"}, ["R-9", "R-12", "R-7"]),
        ({"skill": "statistics"}, ["R-9"]),
        ({"skill": "theory"}, ["R-12"]),
        ({"skill": "simulation"}, []),
        ({"max_open_reviews": 1}, ["R-7", "R-12"]),
        ({"max_open_reviews": 0}, ["R-7"]),
        ({"page": 2}, []),
        ({"everybody": True}, ["R-7", "R-1", "R-3", "R-4", "R-5"]),
        ({"everybody": True, "page": 2}, ["R-6", "R-10", "R-11", "R-12", "R-2"]),
        ({"everybody": True, "page": 3}, ["R-9"]),
        ({"everybody": True, "skill": "statistics"}, ["R-1", "R-9"]),
    ],
)
def test_reviewers_are_found_who_know_the_topic_and_could_be_asked(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_reviewers", submission_id="S-1", **arguments) == found


def test_reviewers_with_as_much_to_do_are_listed_by_name_and_described() -> None:
    at = desk()
    assert at.ids("find_reviewers", submission_id="S-9") == ["R-7", "R-1", "R-3", "R-4", "R-5"]
    assert at.ids("find_reviewers", submission_id="S-9", page=2) == ["R-10", "R-11", "R-12", "R-9"]
    assert at.gives("find_reviewers", submission_id="S-9")["reviewers"][1] == {
        "id": "R-1", "name": "Ann Ash", "institution": "North College", "skills": ["statistics", "theory"],
        "availability": "available", "open_reviews": 1, "most_reviews": 3, "days_needed": 20,
    }  # fmt: skip
    assert at.ids("find_reviewers", submission_id="S-3") == ["R-8"]


@pytest.mark.parametrize(
    ("key", "conflicts"),
    [
        ("R-1", []),
        ("R-3", ["same_institution"]),
        ("R-4", ["recent_coauthor"]),
        ("R-5", ["opposed_by_authors"]),
        ("R-10", ["an_author", "same_institution", "recent_coauthor"]),
        ("R-6", []),
    ],
)
def test_conflicts_of_interest_are_told_by_their_kind(key: str, conflicts: list[str]) -> None:
    assert desk().gives("check_conflict", submission_id="S-1", reviewer_id=key) == {
        "submission_id": "S-1", "reviewer_id": key, "subject": "matter 1", "reviewer_name": NAMES[key],
        "institution": REVIEWERS[key]["institution"], "conflicts": conflicts,
    }  # fmt: skip


def test_a_conflict_is_with_somebody_who_exists() -> None:
    desk().refuses("check_conflict", "not_found", "'R-99'", submission_id="S-1", reviewer_id="R-99")


# -- inviting


def test_an_invitation_goes_out_and_counts_for_the_reviewer_and_the_submission() -> None:
    at = desk()
    sent = at.gives("invite_reviewer", submission_id="S-9", reviewer_id="R-7")
    expected = invitation(sent["id"], "S-9", "R-7", "2026-03-02", status="unanswered")
    assert sent == expected
    assert (sent["answer_by"], sent["due"], sent["latest_due"]) == ("2026-03-09", "2026-03-23", "2026-04-13")
    created = at.changed()["invitations.created"]
    assert list(created) == [sent["id"]]
    assert at.changed() == {
        "invitations.created": created,
        "reviewers.changed": {"R-7": {"open_reviews": 1, "availability": "full"}},
        "submissions.changed": {"S-9": {"awaited": 1}},
    }
    at.refuses(
        "invite_reviewer", "conflict", "Gus Gray is asked already in this round (unanswered); ask another one or wait",
        submission_id="S-9", reviewer_id="R-7",
    )  # fmt: skip


def test_withdrawing_undoes_an_invitation() -> None:
    at = desk()
    sent = at.gives("invite_reviewer", submission_id="S-9", reviewer_id="R-7")
    at.gives("withdraw_invitation", invitation_id=sent["id"])
    assert list(at.changed()) == ["invitations.created"]
    assert at.changed()["invitations.created"][sent["id"]]["status"] == "withdrawn"


@pytest.mark.parametrize("due", ["2026-03-09", "2026-04-13"])
def test_a_review_is_due_when_the_editor_says(due: str) -> None:
    assert desk().gives("invite_reviewer", submission_id="S-9", reviewer_id="R-7", due=due)["due"] == due


@pytest.mark.parametrize("due", ["2026-03-08", "2026-04-14"])
def test_a_review_has_its_time_and_no_more(due: str) -> None:
    words = f"can be due from 2026-03-09 to 2026-04-13, not on {due}"
    desk().refuses("invite_reviewer", "invalid_argument", words, submission_id="S-9", reviewer_id="R-7", due=due)


@pytest.mark.parametrize(
    ("key", "code", "words"),
    [
        ("R-3", "precondition_failed", "Cy Cole has a conflict of interest (same institution); ask another one"),
        ("R-4", "precondition_failed", "(recent coauthor)"),
        ("R-5", "precondition_failed", "(opposed by authors)"),
        ("R-10", "precondition_failed", "(an author and same institution and recent coauthor)"),
        ("R-6", "precondition_failed", "Flo Fox is away until 2026-03-10; ask another one"),
        ("R-8", "invalid_argument", "Hal Hill reviews immunology; find somebody for climate science"),
        ("R-1", "conflict", "Ann Ash is asked already in this round (unanswered)"),
        ("R-2", "conflict", "Ben Bay is asked already in this round (accepted)"),
        ("R-11", "conflict", "Kit Kern declined in this round; ask another one"),
        ("R-99", "not_found", "'R-99'"),
    ],
)
def test_who_must_not_or_cannot_review_is_not_invited(key: str, code: str, words: str) -> None:
    desk().refuses("invite_reviewer", code, words, submission_id="S-1", reviewer_id=key)


def test_who_has_enough_reviews_takes_no_more() -> None:
    words = "Ben Bay has 2 reviews to write and takes no more; ask another one"
    desk().refuses("invite_reviewer", "limit_exceeded", words, submission_id="S-9", reviewer_id="R-2")


def test_who_was_away_is_back_on_the_day_that_was_told() -> None:
    before, on = desk(now=dt.datetime(2026, 3, 9, 23)), desk(now=dt.datetime(2026, 3, 10))
    assert "R-6" not in before.ids("find_reviewers", submission_id="S-1")
    assert "R-6" in on.ids("find_reviewers", submission_id="S-1")
    on.gives("invite_reviewer", submission_id="S-1", reviewer_id="R-6")
    back = {"open_reviews": 2, "availability": "available", "back_on": None}
    assert on.changed()["reviewers.changed"] == {"R-6": back}
    busy = {"reviewers": keyed({**REVIEWERS["R-6"], "open_reviews": 3})}
    full = desk(busy, now=dt.datetime(2026, 3, 10))
    full.refuses("invite_reviewer", "limit_exceeded", "Flo Fox has 3 reviews", submission_id="S-1", reviewer_id="R-6")


def test_who_is_away_stays_so_when_an_invitation_is_withdrawn() -> None:
    at = desk({"invitations": keyed(invitation("I-8", "S-9", "R-6"))})
    at.gives("withdraw_invitation", invitation_id="I-8")
    assert at.changed()["reviewers.changed"] == {"R-6": {"open_reviews": 0}}


def test_a_round_has_two_reviewers_more_than_reviews_needed() -> None:
    asked = [invitation(f"I-2{n}", "S-9", f"R-{n}", status="completed") for n in (1, 2, 3)]
    asked += [
        invitation("I-24", "S-9", "R-4", status="declined"),
        invitation("I-25", "S-9", "R-12", status="withdrawn"),
    ]
    asked += [invitation("I-26", "S-9", "R-5", status="unanswered"), invitation("I-28", "S-9", "R-6", review_round=2)]
    rows = {"invitations": keyed(*asked)}
    at = desk(rows)
    fifth = at.gives("invite_reviewer", submission_id="S-9", reviewer_id="R-7")
    words = "5 reviewers are asked or done in this round, the most there are; withdraw an invitation first"
    at.refuses("invite_reviewer", "limit_exceeded", words, submission_id="S-9", reviewer_id="R-9")
    at.refuses("invite_reviewer", "limit_exceeded", words, submission_id="S-9", reviewer_id="R-12")
    at.gives("withdraw_invitation", invitation_id=fifth["id"])
    at.gives("invite_reviewer", submission_id="S-9", reviewer_id="R-12")


def test_a_later_round_has_fewer_reviewers() -> None:
    asked = [invitation(f"I-2{n}", "S-9", f"R-{n}", status="completed", review_round=2) for n in (1, 2, 3, 4)]
    rows = {"submissions": keyed(submission("S-9", review_round=2, needed=2)), "invitations": keyed(*asked)}
    words = "4 reviewers are asked or done in this round, the most there are"
    desk(rows).refuses("invite_reviewer", "limit_exceeded", words, submission_id="S-9", reviewer_id="R-7")


def test_a_withdrawn_invitation_goes_out_again_and_keeps_its_past() -> None:
    at = desk()
    again = at.gives("invite_reviewer", submission_id="S-1", reviewer_id="R-12")
    assert again == {
        **INVITATIONS["I-4"], "status": "unanswered", "answer_by": "2026-03-09", "due": "2026-03-23",
        "written_on": "2026-03-02",
    }  # fmt: skip
    assert at.changed() == {
        "invitations.changed": {
            "I-4": {
                "status": "unanswered", "answer_by": "2026-03-09", "due": "2026-03-23", "written_on": "2026-03-02",
            }
        },
        "reviewers.changed": {"R-12": {"open_reviews": 2}},
        "submissions.changed": {"S-1": {"awaited": 3}},
    }  # fmt: skip
    at.refuses("remind_reviewer", "precondition_failed", "remind from 2026-03-06 on", invitation_id="I-4")
    words = "from 2026-03-09 to 2026-03-29, not on 2026-03-30"
    at.refuses("move_deadline", "invalid_argument", words, invitation_id="I-4", due="2026-03-30")


def test_withdrawing_and_inviting_again_gives_no_more_time_than_before() -> None:
    late = {"invitations": keyed(invitation("I-4", "S-1", "R-12", "2026-01-26", status="withdrawn"))}
    assert "R-12" in desk(late).ids("find_reviewers", submission_id="S-1")
    assert desk(late).gives("invite_reviewer", submission_id="S-1", reviewer_id="R-12")["due"] == "2026-03-09"
    later = {"invitations": keyed(invitation("I-4", "S-1", "R-12", "2026-01-25", status="withdrawn"))}
    words = "invited first over 35 days ago in this round; ask another one"
    desk(later).refuses("invite_reviewer", "precondition_failed", words, submission_id="S-1", reviewer_id="R-12")
    assert "R-12" not in desk(later).ids("find_reviewers", submission_id="S-1")


def test_who_declined_in_an_earlier_round_can_be_asked_in_a_later_one() -> None:
    rows = {"submissions": keyed(submission("S-1", review_round=2, needed=2))}
    sent = desk(rows).gives("invite_reviewer", submission_id="S-1", reviewer_id="R-11")
    assert (sent["review_round"], sent["status"]) == (2, "unanswered")


# -- after an invitation


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["I-1", "I-4", "I-6", "I-5", "I-3"]),
        ({"page": 2}, ["I-2"]),
        ({"page": 3}, []),
        ({"submission_id": "S-2"}, ["I-6", "I-5"]),
        ({"submission_id": "S-9"}, []),
        ({"status": "accepted"}, ["I-2"]),
        ({"status": "completed", "submission_id": "S-1"}, []),
        ({"late": True}, ["I-1"]),
        ({"late": True, "status": "accepted"}, []),
    ],
)
def test_the_editors_own_invitations_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_invitations", **arguments) == found


def test_an_answer_and_a_review_are_late_from_the_day_after_they_are_due() -> None:
    on, after = desk(now=dt.datetime(2026, 3, 3, 23)), desk(now=dt.datetime(2026, 3, 4))
    assert on.ids("list_invitations", late=True) == ["I-1"]
    assert after.ids("list_invitations", late=True) == ["I-1", "I-2"]
    assert desk(now=dt.datetime(2026, 2, 27, 23)).ids("list_invitations", late=True) == []
    assert desk(now=dt.datetime(2026, 2, 28)).ids("list_invitations", late=True) == ["I-1"]


def test_an_invitation_is_withdrawn() -> None:
    at = desk()
    told = {"submission_id": "S-1", "subject": "matter 1", "reviewer_name": "Ben Bay", "awaited": 1}
    assert at.gives("withdraw_invitation", invitation_id="I-2") == told
    assert at.changed() == {
        "invitations.changed": {"I-2": {"status": "withdrawn", "written_on": "2026-03-02"}},
        "reviewers.changed": {"R-2": {"open_reviews": 1, "availability": "available"}},
        "submissions.changed": {"S-1": {"awaited": 1}},
    }


def test_a_reminder_is_sent() -> None:
    at = desk()
    changed = {"reminders": 3, "written_on": "2026-03-02"}
    assert at.gives("remind_reviewer", invitation_id="I-2") == {**INVITATIONS["I-2"], **changed}
    assert at.changed() == {"invitations.changed": {"I-2": changed}}
    words = "Ben Bay had 3 reminders, the most there are; withdraw the invitation"
    at.refuses("remind_reviewer", "limit_exceeded", words, invitation_id="I-2")


def test_reviewers_are_left_alone_for_four_days() -> None:
    rows = {"invitations": keyed(invitation("I-2", "S-1", "R-2", written_on="2026-02-27"))}
    words = "Ben Bay was written to on 2026-02-27; remind from 2026-03-03 on"
    desk(rows).refuses("remind_reviewer", "precondition_failed", words, invitation_id="I-2")
    desk(rows, now=dt.datetime(2026, 3, 3)).gives("remind_reviewer", invitation_id="I-2")


def test_reminders_still_count_when_an_invitation_is_withdrawn_and_sent_again() -> None:
    at = desk({"invitations": keyed(invitation("I-4", "S-1", "R-12", status="withdrawn", reminders=3))})
    again = at.gives("invite_reviewer", submission_id="S-1", reviewer_id="R-12")
    assert (again["id"], again["reminders"]) == ("I-4", 3)
    at.refuses("remind_reviewer", "limit_exceeded", "Lou Lang had 3 reminders", invitation_id="I-4")


def test_withdrawing_and_inviting_again_is_no_way_to_write_to_a_reviewer_sooner() -> None:
    at = desk()
    at.gives("remind_reviewer", invitation_id="I-2")
    at.gives("withdraw_invitation", invitation_id="I-2")
    words = "Ben Bay was written to on 2026-03-02; invite from 2026-03-06 on"
    at.refuses("invite_reviewer", "precondition_failed", words, submission_id="S-1", reviewer_id="R-2")
    assert "R-2" not in at.ids("find_reviewers", submission_id="S-1")
    at.gives("withdraw_invitation", invitation_id="I-1")
    words = "Ann Ash was written to on 2026-03-02; invite from 2026-03-06 on"
    at.refuses("invite_reviewer", "precondition_failed", words, submission_id="S-1", reviewer_id="R-1")
    at.gives("invite_reviewer", submission_id="S-9", reviewer_id="R-1")


@pytest.mark.parametrize(("day", "again"), [(5, False), (6, True)])
def test_who_was_withdrawn_can_be_asked_again_from_the_fourth_day_on(day: int, again: bool) -> None:
    row = invitation("I-4", "S-1", "R-12", status="withdrawn", written_on="2026-03-02")
    at = desk({"invitations": keyed(row)}, now=dt.datetime(2026, 3, day))
    assert ("R-12" in at.ids("find_reviewers", submission_id="S-1")) == again
    assert at("invite_reviewer", submission_id="S-1", reviewer_id="R-12").ok == again


@pytest.mark.parametrize("due", ["2026-03-24", "2026-03-04"])
def test_a_deadline_is_moved_and_back_again(due: str) -> None:
    at = desk()
    assert at.gives("move_deadline", invitation_id="I-2", due=due) == {**INVITATIONS["I-2"], "due": due}
    assert at.changed() == {"invitations.changed": {"I-2": {"due": due}}}
    at.gives("move_deadline", invitation_id="I-2", due="2026-03-03")
    assert at.changed() == {}


@pytest.mark.parametrize("due", ["2026-03-02", "2026-03-25", "2025-12-31"])
def test_a_deadline_stays_ahead_and_within_six_weeks(due: str) -> None:
    words = f"The review can be due from 2026-03-03 to 2026-03-24, not on {due}"
    desk().refuses("move_deadline", "invalid_argument", words, invitation_id="I-2", due=due)


def test_a_review_keeps_its_first_week_when_its_deadline_is_moved() -> None:
    at = desk()
    sent = at.gives("invite_reviewer", submission_id="S-9", reviewer_id="R-7")
    words = "The review can be due from 2026-03-09 to 2026-04-13, not on 2026-03-08"
    at.refuses("move_deadline", "invalid_argument", words, invitation_id=sent["id"], due="2026-03-08")
    at.gives("move_deadline", invitation_id=sent["id"], due="2026-03-09")


def test_a_deadline_that_is_so_already_or_can_be_no_later_is_not_moved() -> None:
    at = desk({"invitations": keyed(invitation("I-8", "S-9", "R-7", "2026-01-19"))})
    at.refuses("move_deadline", "conflict", "Ben Bay is due on 2026-03-03 already; name another day",
               invitation_id="I-2", due="2026-03-03")  # fmt: skip
    words = "could be due until 2026-03-02, 42 days after the invitation; withdraw it instead"
    at.refuses("move_deadline", "limit_exceeded", words, invitation_id="I-8", due="2026-03-03")
    last = desk({"invitations": keyed(invitation("I-8", "S-9", "R-7", "2026-01-20"))})
    last.gives("move_deadline", invitation_id="I-8", due="2026-03-03")


@pytest.mark.parametrize(
    ("key", "code", "words"),
    [
        ("I-3", "precondition_failed", "is declined, so it cannot be {}; invite another reviewer"),
        ("I-4", "precondition_failed", "is withdrawn, so it cannot be {}; invite the reviewer again first"),
        ("I-5", "precondition_failed", "is completed, so it cannot be {}; the review is there to be read"),
        ("I-7", "permission_denied", "Another editor sent that invitation"),
        ("I-99", "not_found", "no invitation with the id 'I-99'"),
    ],
)
def test_only_what_is_awaited_of_the_editors_own_invitations_changes(key: str, code: str, words: str) -> None:
    at = desk()
    at.refuses("withdraw_invitation", code, words.format("withdrawn"), invitation_id=key)
    at.refuses("remind_reviewer", code, words.format("followed up"), invitation_id=key)
    at.refuses("move_deadline", code, words.format("moved"), invitation_id=key, due="2026-03-10")


# -- reviews and the discussion


def test_reviews_are_read_by_round_and_score() -> None:
    page = desk().gives("read_reviews", submission_id="S-8")
    assert page == {
        "reviews": [REVIEWS["W-8"], REVIEWS["W-9"], REVIEWS["W-7"]], "average": 8.0, "split": False,
        "total": 3, "page": 1, "pages": 1,
    }  # fmt: skip
    assert desk().ids("read_reviews", submission_id="S-2") == ["W-2", "W-1"]
    assert desk().gives("read_reviews", submission_id="S-3")["split"] is True
    assert desk().ids("read_reviews", submission_id="S-8", page=2) == []
    assert "average" not in desk().gives("read_reviews", submission_id="S-1")


def test_the_discussion_is_read_the_latest_first() -> None:
    assert desk().gives("read_discussion", submission_id="S-2")["messages"] == [MESSAGES["M-2"], MESSAGES["M-1"]]
    assert desk().ids("read_discussion", submission_id="S-8") == ["M-4", "M-3"]
    assert desk().ids("read_discussion", submission_id="S-8", page=2) == []
    assert desk().ids("read_discussion", submission_id="S-1") == []


def test_a_message_to_the_reviewers_opens_the_way_to_recommend_on_split_scores() -> None:
    at = desk()
    words = "The scores lie 4 points or more apart; write to the reviewers first"
    at.refuses("record_recommendation", "precondition_failed", words, submission_id="S-3", verdict="rejection")
    sent = at.gives("write_to_reviewers", submission_id="S-3", text="Please discuss.")
    assert sent == {
        "id": sent["id"], "submission_id": "S-3", "review_round": 1, "author": "editor", "name": "Eva Engel",
        "text": "Please discuss.", "sent_at": "2026-03-02T09:00:00",
    }  # fmt: skip
    created = at.changed()["messages.created"]
    assert list(created) == [sent["id"]]
    verdicts = ["acceptance", "minor_revision", "major_revision", "rejection"]
    assert at.changed()["submissions.changed"] == {"S-3": {"last_word": "me", "verdicts": verdicts}}
    at.gives("record_recommendation", submission_id="S-3", verdict="rejection")


def test_split_scores_stay_discussed_when_a_reviewer_has_answered() -> None:
    row = {**SUBMISSIONS["S-3"], "last_word": "a_reviewer", "verdicts": [*REVISIONS, "rejection"]}
    said = keyed(message("M-8", "S-3", "editor", 23), message("M-9", "S-3", "reviewer", 24))
    at = desk({"submissions": keyed(row), "messages": said})
    at.gives("record_recommendation", submission_id="S-3", verdict="rejection")


def test_retracting_the_message_undoes_it_but_not_once_something_is_recommended() -> None:
    at = desk()
    at.gives("write_to_reviewers", submission_id="S-3", text="Please discuss.")
    assert at.gives("retract_message", submission_id="S-3") == {
        "submission_id": "S-3", "subject": "matter 3", "text": "Please discuss.", "last_word": "nobody",
    }  # fmt: skip
    assert at.changed() == {}
    at.gives("write_to_reviewers", submission_id="S-3", text="Please discuss.")
    at.gives("record_recommendation", submission_id="S-3", verdict="rejection")
    words = "The submission on matter 3 is recommended, so it cannot be changed; take your recommendation back first"
    at.refuses("retract_message", "precondition_failed", words, submission_id="S-3")
    at.gives("take_back_recommendation", submission_id="S-3")
    at.gives("retract_message", submission_id="S-3")
    words = "The scores lie 4 points or more apart"
    at.refuses("record_recommendation", "precondition_failed", words, submission_id="S-3", verdict="rejection")


def test_only_the_editors_own_last_message_of_the_round_is_retracted() -> None:
    at = desk()
    at.refuses("retract_message", "precondition_failed", "Ann Ash wrote last; write another", submission_id="S-2")
    at.refuses("retract_message", "not_found", "Nothing was written about matter 1 in this round", submission_id="S-1")
    gone = at.gives("retract_message", submission_id="S-8")
    assert (gone["text"], gone["last_word"]) == ("Word 4.", "nobody")
    assert at.changed() == {
        "messages.deleted": ("M-4",),
        "submissions.changed": {"S-8": {"last_word": "nobody"}},
    }
    at.refuses("retract_message", "not_found", "Nothing was written about matter 8", submission_id="S-8")
    at.gives("write_to_reviewers", submission_id="S-2", text="One more word")
    assert at.gives("retract_message", submission_id="S-2")["last_word"] == "a_reviewer"


def test_a_discussion_opens_with_the_first_review_of_the_round() -> None:
    words = "No review of matter 1 is in yet in this round; wait for one or remind reviewers first"
    desk().refuses("write_to_reviewers", "precondition_failed", words, submission_id="S-1", text="Hello there")


# -- recommending


@pytest.mark.parametrize(
    ("verdict", "due"),
    [
        ("acceptance", None),
        ("rejection", None),
        ("minor_revision", "2026-03-24"),
        ("major_revision", "2026-05-02"),
    ],
)
def test_a_recommendation_is_recorded_and_taken_back(verdict: str, due: str | None) -> None:
    at = desk()
    given = at.gives("record_recommendation", submission_id="S-2", verdict=verdict)
    changed = {
        "status": "recommended", "recommendation": verdict, "releases_at": "2026-03-03T09:00:00", "verdicts": [],
        **({"revision_due": due} if due else {}),
    }  # fmt: skip
    assert given == {**SUBMISSIONS["S-2"], **changed}
    assert at.changed() == {"submissions.changed": {"S-2": changed}}
    words = "The submission on matter 2 is recommended, so it cannot be decided on; take your recommendation back first"
    at.refuses("record_recommendation", "precondition_failed", words, submission_id="S-2", verdict=verdict)
    assert at.gives("take_back_recommendation", submission_id="S-2") == SUBMISSIONS["S-2"]
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("scores", "average", "verdicts"),
    [
        ((6, 6, 6), 6.0, ["acceptance", *REVISIONS, "rejection"]),
        ((6, 6, 5), 5.7, [*REVISIONS, "rejection"]),
        ((8, 8, 8), 8.0, ["acceptance", *REVISIONS]),
        ((8, 8, 7), 7.7, ["acceptance", *REVISIONS, "rejection"]),
    ],
)
def test_what_can_be_recommended_follows_from_the_average(
    scores: tuple[int, ...], average: float, verdicts: list[str]
) -> None:
    at = scored(*scores)
    shown = now_of(at)
    assert (shown["average"], shown["verdicts"], shown["reviews_in"]) == (average, verdicts, 3)
    for verdict in {"acceptance", "rejection"} - set(verdicts):
        words = f"With an average score of {average} in round 1 of 3 you can recommend "
        at.refuses("record_recommendation", "precondition_failed", words, submission_id="S-9", verdict=verdict)


def test_the_third_round_ends_in_acceptance_or_rejection() -> None:
    assert now_of(scored(6, 7, review_round=3, needed=2))["verdicts"] == ["acceptance", "rejection"]
    assert now_of(scored(6, 7, review_round=2, needed=2))["verdicts"] == ["acceptance", *REVISIONS, "rejection"]
    words = "With an average score of 8.0 in round 3 of 3 you can recommend acceptance, not minor revision"
    desk().refuses("record_recommendation", "precondition_failed", words, submission_id="S-8", verdict="minor_revision")
    two = scored(6, 5, review_round=3, needed=2)
    words = "you can recommend rejection, not acceptance"
    two.refuses("record_recommendation", "precondition_failed", words, submission_id="S-9", verdict="acceptance")
    both = scored(6, 6, 5)
    words = "you can recommend minor revision or major revision or rejection, not acceptance"
    both.refuses("record_recommendation", "precondition_failed", words, submission_id="S-9", verdict="acceptance")


def test_scores_are_split_from_four_points_on() -> None:
    assert now_of(scored(8, 4, 6))["split"] is True
    assert now_of(scored(7, 4, 6))["split"] is False


def test_a_recommendation_needs_enough_reviews_and_nobody_at_work() -> None:
    at = scored(6, 6)
    words = "Only 2 of 3 reviews are in and 0 more awaited; invite or remind reviewers first"
    at.refuses("record_recommendation", "precondition_failed", words, submission_id="S-9", verdict="rejection")
    assert now_of(at)["verdicts"] == []
    full = scored(6, 6, 7)
    sent = full.gives("invite_reviewer", submission_id="S-9", reviewer_id="R-12")
    words = "3 of 3 reviews are in and 1 more awaited; wait for those or withdraw their invitations first"
    full.refuses("record_recommendation", "precondition_failed", words, submission_id="S-9", verdict="rejection")
    assert now_of(full)["verdicts"] == []
    full.gives("withdraw_invitation", invitation_id=sent["id"])
    full.gives("record_recommendation", submission_id="S-9", verdict="rejection")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("S-4", "is recommended, so it cannot be {}; take your recommendation back first"),
        ("S-5", "is in revision, so it cannot be {} before the authors hand in the next version, due 2026-04-21"),
        ("S-6", "is accepted, so it cannot be {}; that is final"),
    ],
)
def test_what_is_decided_is_no_longer_reviewed(key: str, words: str) -> None:
    at, code = desk(), "precondition_failed"
    at.refuses("find_reviewers", code, words.format("reviewed"), submission_id=key)
    at.refuses("invite_reviewer", code, words.format("reviewed"), submission_id=key, reviewer_id="R-7")
    at.refuses("write_to_reviewers", code, words.format("discussed"), submission_id=key, text="Hello there")
    at.refuses("retract_message", code, words.format("changed"), submission_id=key)
    at.refuses("record_recommendation", code, words.format("decided on"), submission_id=key, verdict="rejection")


def test_only_what_is_not_released_is_taken_back() -> None:
    at = desk()
    words = "Nothing is recommended for the submission on matter 1 yet"
    at.refuses("take_back_recommendation", "precondition_failed", words, submission_id="S-1")
    words = "The recommendation for the submission on matter 6 was released at 2026-02-20 09:00:00, so it stands"
    at.refuses("take_back_recommendation", "precondition_failed", words, submission_id="S-6")
    at.gives("take_back_recommendation", submission_id="S-4")
    gone = {"recommendation": None, "releases_at": None, "revision_due": None}
    verdicts = [*REVISIONS, "rejection"]
    assert at.changed() == {"submissions.changed": {"S-4": {"status": "in_review", "verdicts": verdicts, **gone}}}


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        ("acceptance", "accepted"),
        ("rejection", "rejected"),
        ("minor_revision", "in_revision"),
        ("major_revision", "in_revision"),
    ],
)
def test_a_recommendation_is_released_by_itself(verdict: str, status: str) -> None:
    row = submission("S-4", **READY, status="recommended", recommendation=verdict, releases_at="2026-03-02T09:00:01",
                     revision_due="2026-04-01")  # fmt: skip
    before, on = (desk({"submissions": keyed(row)}, now=dt.datetime(2026, 3, 2, 9, 0, second)) for second in (0, 1))
    assert before.gives("get_submission", submission_id="S-4")["status"] == "recommended"
    assert on.gives("get_submission", submission_id="S-4")["status"] == status
    assert on.ids("search_submissions", status="recommended") == []
    assert "S-4" in on.ids("search_submissions", status=status)
    words = "was released at 2026-03-02 09:00:01, so it stands"
    on.refuses("take_back_recommendation", "precondition_failed", words, submission_id="S-4")
    before.gives("take_back_recommendation", submission_id="S-4")


# -- scenarios


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [10, 300])
def test_a_scenario_keeps_the_rules_of_the_journal(seed: int, size: int) -> None:
    world = build_scenario(PeerReview, seed, size, DEFAULT_NOW)
    tables = (world.invitations.values(), world.reviews.values(), world.messages.values())
    mine = [row for row in world.submissions.values() if row.editor_id == "ED-1"]
    assert {row.status for row in mine} == {"in_review", "recommended", "in_revision", "accepted", "rejected"}
    assert {row.last_word for row in mine} == {"nobody", "me", "a_reviewer"}
    assert {row.review_round for row in mine} == {1, 2, 3}
    assert len({row.subject for row in mine}) == len(mine)
    assert any(row.split and not row.verdicts for row in mine)
    assert {row.availability for row in world.reviewers.values()} == {"available", "full", "away"}
    own = [row for row in world.invitations.values() if row.editor_id == "ED-1"]
    assert {row.status for row in own} == {"unanswered", "accepted", "declined", "completed", "withdrawn"}
    assert sum(rules.is_late(row, DEFAULT_NOW.date()) for row in own) >= 4
    for row in world.submissions.values():
        editor = world.editors[row.editor_id]
        assert (row.editor_name, row.lead) == (editor.name, row.authors[0].name)
        assert editor.institution not in {author.institution for author in row.authors}
        assert row == rules.counted(row, *tables)
        assert row.needed == rules.needed(row.kind, row.review_round)
        assert row.received_on <= DEFAULT_NOW.date()
        if row.status == "in_review":
            assert (row.recommendation, row.releases_at, row.revision_due) == (None, None, None)
            continue
        assert row.recommendation
        assert row.releases_at
        assert (row.releases_at > DEFAULT_NOW) == (row.status == "recommended")
        assert row.status in ("recommended", rules.OUTCOMES[row.recommendation])
        days = rules.REVISION_DAYS.get(row.recommendation)
        assert row.revision_due == (days and row.releases_at.date() + dt.timedelta(days=days))
        again = rules.counted(row.evolve(status="in_review"), *tables)
        assert row.recommendation in again.verdicts, "what was recommended could be"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [10, 300])
def test_in_a_scenario_nobody_reviews_who_must_not(seed: int, size: int) -> None:
    world, today = build_scenario(PeerReview, seed, size, DEFAULT_NOW), DEFAULT_NOW.date()
    kinds = [rules.conflicts(row, each) for row in world.submissions.values() for each in world.reviewers.values()]
    assert {kind for found in kinds for kind in found} == {
        "an_author", "same_institution", "recent_coauthor", "opposed_by_authors",
    }  # fmt: skip
    seen: set[tuple[str, str, int]] = set()
    for row in world.invitations.values():
        one = (row.submission_id, row.reviewer_id, row.review_round)
        assert one not in seen
        seen.add(one)
        about, reviewer = world.submissions[row.submission_id], world.reviewers[row.reviewer_id]
        assert rules.conflicts(about, reviewer) == ()
        assert (row.subject, row.editor_id, row.reviewer_name) == (about.subject, about.editor_id, reviewer.name)
        assert about.received_on <= row.invited_on <= row.written_on <= today
        assert row.invited_on <= row.due <= row.latest_due
        assert (row.latest_due - row.invited_on).days == 42
        assert row.reminders == 0 or (row.written_on - row.invited_on).days >= 4 * row.reminders
        assert row.reminders <= 3
        if row.status in rules.OPEN:
            assert (about.status, about.review_round) == ("in_review", row.review_round)
        written = [r for r in world.reviews.values() if (r.submission_id, r.reviewer_id, r.review_round) == one]
        assert len(written) == (row.status == "completed")
        assert all(row.invited_on < review.submitted_on <= today for review in written)
        assert all(about.releases_at is None or review.submitted_on < about.releases_at.date() for review in written)
    for each in world.reviewers.values():
        waiting = sum(row.reviewer_id == each.id and row.status in rules.OPEN for row in world.invitations.values())
        assert waiting <= each.open_reviews <= each.most_reviews
        assert each.availability == "away" or (each.availability == "full") == (each.open_reviews == each.most_reviews)
        assert (each.back_on is None) == (each.availability != "away")
    for said in world.messages.values():
        about = world.submissions[said.submission_id]
        assert about.review_round == said.review_round
        assert said.sent_at < DEFAULT_NOW
        assert said.name == about.editor_name or any(
            (r.reviewer_name, r.submission_id) == (said.name, said.submission_id) for r in world.reviews.values()
        )


def test_in_a_scenario_exactly_those_who_are_found_can_be_invited() -> None:
    at = Desk(PeerReview, scenario_rows(PeerReview, 3, 10))
    mine = [
        row
        for page in (1, 2, 3, 4)
        for row in at.gives("search_submissions", status="in_review", page=page)["submissions"]
    ]
    start = at.session.snapshot()
    for row in mine:
        pages = [at.ids("find_reviewers", submission_id=row["id"], page=page) for page in (1, 2, 3)]
        pages += [at.ids("find_reviewers", submission_id=row["id"], everybody=True, page=page) for page in (1, 2, 3, 4)]
        found, known = {key for keys in pages[:3] for key in keys}, {key for keys in pages for key in keys}
        for key in sorted(known) if row["reviews_in"] + row["awaited"] < row["needed"] + 2 else ():
            result = at("invite_reviewer", submission_id=row["id"], reviewer_id=key)
            assert result.ok == (key in found), result.text
            at.session.restore(start)
