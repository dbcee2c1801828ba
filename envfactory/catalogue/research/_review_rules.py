"""Rules of the peer review that need nothing but the rows: conflicts, dates, what is enough to recommend something."""

import datetime as dt
from collections.abc import Iterable
from typing import TypeVar

from envfactory.catalogue.research._review_records import (
    Conflict,
    EditorId,
    LastWord,
    Manuscript,
    PeerReviewer,
    ReviewInvitation,
    ReviewMessage,
    ReviewReport,
    Status,
    Verdict,
)
from envfactory.environment import ToolError

OPEN = ("unanswered", "accepted")
"""Invitations on which a review is still awaited."""
NEEDED = {"article": 3, "short_paper": 2}
"""Reviews that the first round needs; later rounds need one less."""
LAST_ROUND = 3
SPREAD = 4
"""Scores that lie so far apart are a split."""
ACCEPT_FROM, REJECT_BELOW = 6.0, 8.0
"""Average scores."""
RELEASE_HOURS = 24
REVISION_DAYS: dict[Verdict, int] = {"minor_revision": 21, "major_revision": 60}
OUTCOMES: dict[Verdict, Status] = {
    "acceptance": "accepted",
    "rejection": "rejected",
    "minor_revision": "in_revision",
    "major_revision": "in_revision",
}
SPARE = 2
"""How many more reviewers than needed can be asked in a round."""
ANSWER_DAYS, LEAST_DAYS, USUAL_DAYS, MOST_DAYS = 7, 7, 21, 42
"""Days for an answer, and for a review at least, usually and at most."""
QUIET_DAYS = 4
MOST_REMINDERS = 3
R = TypeVar("R", ReviewInvitation, ReviewReport, ReviewMessage)


def needed(kind: str, review_round: int) -> int:
    """Reviews that a round needs."""
    return NEEDED[kind] - (review_round > 1)


def as_of(submission: Manuscript, now: dt.datetime) -> Manuscript:
    """The submission as it stands at a moment: what was recommended is released by itself when its time has come."""
    if submission.status != "recommended" or submission.recommendation is None or submission.releases_at is None:
        return submission
    return submission if now < submission.releases_at else submission.evolve(status=OUTCOMES[submission.recommendation])


def handled(submission: Manuscript, editor_id: EditorId, now: dt.datetime) -> Manuscript:
    """The submission as it stands now; refused if another editor handles it."""
    if submission.editor_id != editor_id:
        raise ToolError("permission_denied", f"{submission.editor_name} handles that submission; ask that editor.")
    return as_of(submission, now)


def in_review(submission: Manuscript, done: str) -> Manuscript:
    """Refuse a submission that is not under review, and say what it waits for."""
    if submission.status == "in_review":
        return submission
    said = f"The submission on {submission.subject} is {submission.status.replace('_', ' ')}, so it cannot be {done}"
    if submission.status == "recommended":
        raise ToolError("precondition_failed", f"{said}; take your recommendation back first.")
    if submission.status == "in_revision":
        due = submission.revision_due
        raise ToolError("precondition_failed", f"{said} before the authors hand in the next version, due {due}.")
    raise ToolError("precondition_failed", f"{said}; that is final.")


def is_short(submission: Manuscript) -> bool:
    """Whether a submission under review has fewer reviews in than its round needs."""
    return submission.status == "in_review" and submission.reviews_in < submission.needed


def conflicts(submission: Manuscript, reviewer: PeerReviewer) -> tuple[Conflict, ...]:
    """Why a reviewer must not review a submission."""
    names = {author.name for author in submission.authors}
    found: dict[Conflict, bool] = {
        "an_author": reviewer.name in names,
        "same_institution": reviewer.institution in {author.institution for author in submission.authors},
        "recent_coauthor": not names.isdisjoint(reviewer.coauthors),
        "opposed_by_authors": reviewer.name in submission.opposed,
    }
    return tuple(conflict for conflict, holds in found.items() if holds)


def _here(rows: Iterable[R], submission: Manuscript) -> list[R]:
    """What belongs to a submission's present round."""
    here = (submission.id, submission.review_round)
    return [row for row in rows if (row.submission_id, row.review_round) == here]


def of_round(invitations: Iterable[ReviewInvitation], submission: Manuscript) -> list[ReviewInvitation]:
    """The invitations of a submission's present round, the first one first."""
    return sorted(_here(invitations, submission), key=_asked)


def _asked(invitation: ReviewInvitation) -> tuple[dt.date, str]:
    return invitation.invited_on, invitation.id


def is_late(invitation: ReviewInvitation, today: dt.date) -> bool:
    """Whether an answer or a review is overdue."""
    by = {"unanswered": invitation.answer_by, "accepted": invitation.due}.get(invitation.status)
    return by is not None and by < today


def loaded(reviewer: PeerReviewer, change: int) -> PeerReviewer:
    """The reviewer with so many more reviews to write."""
    count = reviewer.open_reviews + change
    free = "full" if count >= reviewer.most_reviews else "available"
    return reviewer.evolve(open_reviews=count, availability="away" if reviewer.availability == "away" else free)


def back(reviewer: PeerReviewer, today: dt.date) -> PeerReviewer:
    """The reviewer as of today: who was away until today or before is back."""
    if reviewer.back_on is None or today < reviewer.back_on:
        return reviewer
    return loaded(reviewer.evolve(availability="available", back_on=None), 0)


def can_invite(submission: Manuscript, reviewer: PeerReviewer, before: ReviewInvitation | None, today: dt.date) -> bool:
    """Whether a reviewer takes a review now, has no conflict, and was not asked in this round or can be again."""
    if before and (before.status != "withdrawn" or not again_from(before) <= today <= again_until(before)):
        return False
    return reviewer.availability == "available" and not conflicts(submission, reviewer)


def again_from(invitation: ReviewInvitation) -> dt.date:
    """The first day on which a reviewer is written to again."""
    return invitation.written_on + dt.timedelta(days=QUIET_DAYS)


def again_until(invitation: ReviewInvitation) -> dt.date:
    """The last day on which a withdrawn invitation is sent again: it leaves the least time for the review."""
    return invitation.latest_due - dt.timedelta(days=LEAST_DAYS)


def check_reviewer(submission: Manuscript, reviewer: PeerReviewer) -> None:
    """Refuse a reviewer who must not or cannot review a submission."""
    if why := conflicts(submission, reviewer):
        words = " and ".join(conflict.replace("_", " ") for conflict in why)
        raise ToolError(
            "precondition_failed", f"{reviewer.name} has a conflict of interest ({words}); ask another one."
        )
    if reviewer.topic != submission.topic:
        theirs, topic = reviewer.topic.replace("_", " "), submission.topic.replace("_", " ")
        raise ToolError("invalid_argument", f"{reviewer.name} reviews {theirs}; find somebody for {topic}.")
    if reviewer.availability == "away":
        raise ToolError("precondition_failed", f"{reviewer.name} is away until {reviewer.back_on}; ask another one.")
    if reviewer.availability == "full":
        words = f"{reviewer.name} has {reviewer.open_reviews} reviews to write and takes no more; ask another one."
        raise ToolError("limit_exceeded", words)


def asked_before(
    submission: Manuscript, round_of: list[ReviewInvitation], reviewer: PeerReviewer, today: dt.date
) -> ReviewInvitation | None:
    """The withdrawn invitation of a reviewer in a round, if there is one.

    Refuses somebody who is asked already, has declined or was written to lately or long ago, and more reviewers than
    a round may have.
    """
    before = next((each for each in round_of if each.reviewer_id == reviewer.id), None)
    if before and before.status == "declined":
        raise ToolError("conflict", f"{reviewer.name} declined in this round; ask another one.")
    if before and before.status != "withdrawn":
        words = f"{reviewer.name} is asked already in this round ({before.status}); ask another one or wait."
        raise ToolError("conflict", words)
    if before and today < again_from(before):
        words = f"{reviewer.name} was written to on {before.written_on}; invite from {again_from(before)} on."
        raise ToolError("precondition_failed", words)
    if before and today > again_until(before):
        words = f"{reviewer.name} was invited first over {MOST_DAYS - LEAST_DAYS} days ago in this round"
        raise ToolError("precondition_failed", f"{words}; ask another one.")
    most = submission.needed + SPARE
    if sum(each.status in (*OPEN, "completed") for each in round_of) >= most:
        words = f"{most} reviewers are asked or done in this round, the most there are; withdraw an invitation first."
        raise ToolError("limit_exceeded", words)
    return before


def due_day(due: dt.date | None, today: dt.date, latest: dt.date) -> dt.date:
    """The day by which a review is due: the one that is wanted if it lies well, or else three weeks ahead."""
    first = today + dt.timedelta(days=LEAST_DAYS)
    if due is None:
        return min(today + dt.timedelta(days=USUAL_DAYS), latest)
    if not first <= due <= latest:
        raise ToolError("invalid_argument", f"The review can be due from {first} to {latest}, not on {due}.")
    return due


def first_sent(key: str, submission: Manuscript, reviewer: PeerReviewer, today: dt.date) -> ReviewInvitation:
    """A first invitation in a round."""
    latest = today + dt.timedelta(days=MOST_DAYS)
    return ReviewInvitation(
        id=key, submission_id=submission.id, editor_id=submission.editor_id, subject=submission.subject,
        review_round=submission.review_round, reviewer_id=reviewer.id, reviewer_name=reviewer.name, invited_on=today,
        answer_by=today, due=latest, latest_due=latest, written_on=today,
    )  # fmt: skip


def sent(invitation: ReviewInvitation, due: dt.date | None, today: dt.date) -> ReviewInvitation:
    """An invitation that goes out today, maybe not for the first time; what was done on it before still counts."""
    return invitation.evolve(
        status="unanswered", answer_by=today + dt.timedelta(days=ANSWER_DAYS), written_on=today,
        due=due_day(due, today, invitation.latest_due),
    )  # fmt: skip


def moved(invitation: ReviewInvitation, due: dt.date, today: dt.date) -> ReviewInvitation:
    """The invitation with another due date; refused if that is over, too late, or the present one."""
    if due == invitation.due:
        raise ToolError(
            "conflict", f"The review of {invitation.reviewer_name} is due on {due} already; name another day."
        )
    first, latest = max(today + dt.timedelta(days=1), invitation.answer_by), invitation.latest_due
    if latest < first:
        words = f"The review could be due until {latest}, {MOST_DAYS} days after the invitation; withdraw it instead."
        raise ToolError("limit_exceeded", words)
    if not first <= due <= latest:
        raise ToolError("invalid_argument", f"The review can be due from {first} to {latest}, not on {due}.")
    return invitation.evolve(due=due)


def check_reminder(invitation: ReviewInvitation, today: dt.date) -> None:
    """Refuse to write to a reviewer too soon again, or too often."""
    if invitation.reminders >= MOST_REMINDERS:
        words = (
            f"{invitation.reviewer_name} had {MOST_REMINDERS} reminders, the most there are; withdraw the invitation."
        )
        raise ToolError("limit_exceeded", words)
    if today < (again := again_from(invitation)):
        words = f"{invitation.reviewer_name} was written to on {invitation.written_on}; remind from {again} on."
        raise ToolError("precondition_failed", words)


def still_open(invitation: ReviewInvitation, editor_id: EditorId, done: str) -> ReviewInvitation:
    """Refuse an invitation of another editor, or one on which no review is awaited."""
    if invitation.editor_id != editor_id:
        raise ToolError("permission_denied", "Another editor sent that invitation, so it is theirs to change.")
    if invitation.status in OPEN:
        return invitation
    instead = {
        "declined": "invite another reviewer",
        "withdrawn": "invite the reviewer again first",
        "completed": "the review is there to be read",
    }[invitation.status]
    said = f"The invitation to {invitation.reviewer_name} is {invitation.status}, so it cannot be {done}"
    raise ToolError("precondition_failed", f"{said}; {instead}.")


def talk(messages: Iterable[ReviewMessage], submission_id: str) -> list[ReviewMessage]:
    """The discussion of a submission in all its rounds, the first message first."""
    return sorted((m for m in messages if m.submission_id == submission_id), key=lambda m: (m.sent_at, m.id))


def _talk_now(messages: Iterable[ReviewMessage], submission: Manuscript) -> list[ReviewMessage]:
    return _here(talk(messages, submission.id), submission)


def latest(reviews: list[ReviewReport]) -> list[ReviewReport]:
    """Reviews by round and score, the latest round and the best score first."""
    return sorted(reviews, key=lambda each: (-each.review_round, -each.score, each.id))


def discussable(submission: Manuscript) -> Manuscript:
    """Refuse a submission that nobody has reviewed in its present round, or that is not under review."""
    if in_review(submission, "discussed").reviews_in:
        return submission
    words = f"No review of {submission.subject} is in yet in this round; wait for one or remind reviewers first."
    raise ToolError("precondition_failed", words)


def my_last(messages: Iterable[ReviewMessage], submission: Manuscript) -> ReviewMessage:
    """The editor's message that ends the discussion of this round; refused if another one does, or none."""
    said = _talk_now(messages, submission)
    if not said:
        raise ToolError("not_found", f"Nothing was written about {submission.subject} in this round yet.")
    if said[-1].author != "editor":
        raise ToolError("precondition_failed", f"{said[-1].name} wrote last; write another message instead.")
    return said[-1]


def written(key: str, submission: Manuscript, text: str, now: dt.datetime) -> ReviewMessage:
    """A message of the editor."""
    return ReviewMessage(
        id=key, submission_id=submission.id, review_round=submission.review_round, author="editor",
        name=submission.editor_name, text=text, sent_at=now,
    )  # fmt: skip


def counted(
    submission: Manuscript,
    invitations: Iterable[ReviewInvitation],
    reviews: Iterable[ReviewReport],
    messages: Iterable[ReviewMessage],
) -> Manuscript:
    """The submission with all that follows from what was asked, reviewed and written in its present round."""
    scores = [review.score for review in _here(reviews, submission)]
    awaited = sum(invitation.status in OPEN for invitation in _here(invitations, submission))
    said = _talk_now(messages, submission)
    last: LastWord = "nobody" if not said else "me" if said[-1].author == "editor" else "a_reviewer"
    changed = submission.evolve(
        reviews_in=len(scores), awaited=awaited, last_word=last,
        average=round(sum(scores) / len(scores), 1) if scores else None,
        split=bool(scores) and max(scores) - min(scores) >= SPREAD,
    )  # fmt: skip
    settled = changed.status == "in_review" and not missing(changed)
    return changed.evolve(verdicts=verdicts(changed) if settled else ())


def missing(submission: Manuscript) -> str:
    """Why nothing can be recommended yet for a submission under review, and what to do; empty if something can."""
    count = f"{submission.reviews_in} of {submission.needed} reviews are in and {submission.awaited} more awaited"
    if is_short(submission):
        return f"Only {count}; invite or remind reviewers first."
    if submission.awaited:
        return f"{count}; wait for those or withdraw their invitations first."
    if submission.split and submission.last_word == "nobody":
        return f"The scores lie {SPREAD} points or more apart; write to the reviewers first."
    return ""


def verdicts(submission: Manuscript) -> tuple[Verdict, ...]:
    """What can be recommended by the scores and the round."""
    average = submission.average or 0.0
    accept: tuple[Verdict, ...] = ("acceptance",) if average >= ACCEPT_FROM else ()
    revise: tuple[Verdict, ...] = ("minor_revision", "major_revision") if submission.review_round < LAST_ROUND else ()
    reject: tuple[Verdict, ...] = ("rejection",) if average < REJECT_BELOW else ()
    return (*accept, *revise, *reject)


def taken_back(submission: Manuscript) -> Manuscript:
    """The submission under review again; refused if no recommendation waits to be released."""
    if submission.status == "recommended":
        return submission.evolve(status="in_review", recommendation=None, releases_at=None, revision_due=None)
    if submission.status == "in_review":
        raise ToolError(
            "precondition_failed", f"Nothing is recommended for the submission on {submission.subject} yet."
        )
    words = f"The recommendation for the submission on {submission.subject} was released at {submission.releases_at}"
    raise ToolError("precondition_failed", f"{words}, so it stands.")


def release(verdict: Verdict, now: dt.datetime) -> tuple[dt.datetime, dt.date | None]:
    """When the authors hear of what is recommended now, and by when they have to hand in a revision, if at all."""
    releases_at = now + dt.timedelta(hours=RELEASE_HOURS)
    days = REVISION_DAYS.get(verdict)
    return releases_at, releases_at.date() + dt.timedelta(days=days) if days else None


def recommended(submission: Manuscript, verdict: Verdict, now: dt.datetime) -> Manuscript:
    """The submission with a recommendation, which is released to the authors a day later."""
    if why := missing(submission):
        raise ToolError("precondition_failed", why)
    if verdict not in submission.verdicts:
        could = " or ".join(submission.verdicts).replace("_", " ")
        words = f"With an average score of {submission.average} in round {submission.review_round} of {LAST_ROUND} "
        raise ToolError("precondition_failed", f"{words}you can recommend {could}, not {verdict.replace('_', ' ')}.")
    releases_at, revision_due = release(verdict, now)
    return submission.evolve(
        status="recommended", recommendation=verdict, releases_at=releases_at, verdicts=(), revision_due=revision_due
    )
