"""What the tools of the peer review tell of submissions, reviewers, invitations and messages."""

from envfactory.catalogue.research._review_records import (
    ConflictReport,
    Manuscript,
    PeerReviewer,
    RetractedMessage,
    ReviewerMatch,
    ReviewInvitation,
    ReviewMessage,
    SubmissionDetails,
    WithdrawnInvitation,
)
from envfactory.catalogue.research._review_rules import conflicts


def report(submission: Manuscript, reviewer: PeerReviewer) -> ConflictReport:
    """Whether a reviewer may review a submission, and why not."""
    return ConflictReport(
        submission_id=submission.id, reviewer_id=reviewer.id, subject=submission.subject, reviewer_name=reviewer.name,
        institution=reviewer.institution, conflicts=conflicts(submission, reviewer),
    )  # fmt: skip


def details(submission: Manuscript, invitations: tuple[ReviewInvitation, ...]) -> SubmissionDetails:
    """A submission with what hangs on it."""
    it = submission
    return SubmissionDetails(
        submission_id=it.id, title=it.title, topic=it.topic, kind=it.kind, authors=it.authors, opposed=it.opposed,
        status=it.status, review_round=it.review_round, reviews_in=it.reviews_in, needed=it.needed, average=it.average,
        split=it.split, last_word=it.last_word, verdicts=it.verdicts, recommendation=it.recommendation,
        releases_at=it.releases_at, revision_due=it.revision_due, invitations=invitations,
    )  # fmt: skip


def match(reviewer: PeerReviewer) -> ReviewerMatch:
    """A reviewer as one that is looked for."""
    return ReviewerMatch(
        id=reviewer.id, name=reviewer.name, institution=reviewer.institution, skills=reviewer.skills,
        availability=reviewer.availability, open_reviews=reviewer.open_reviews, most_reviews=reviewer.most_reviews,
        days_needed=reviewer.days_needed,
    )  # fmt: skip


def withdrawn(submission: Manuscript, invitation: ReviewInvitation) -> WithdrawnInvitation:
    """What is told of an invitation that was taken back."""
    return WithdrawnInvitation(
        submission_id=submission.id, subject=submission.subject, reviewer_name=invitation.reviewer_name,
        awaited=submission.awaited,
    )  # fmt: skip


def retracted(submission: Manuscript, message: ReviewMessage) -> RetractedMessage:
    """What is told of a message that was taken out of a discussion."""
    return RetractedMessage(
        submission_id=submission.id, subject=submission.subject, text=message.text, last_word=submission.last_word
    )
