"""Records and results of the peer review: submissions, reviewers, invitations, reviews, messages."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Output, Page, Ranked, Record, Ref, Unit, Value

EditorId = Annotated[str, Ref("HandlingEditor")]
ManuscriptId = Annotated[str, Ref("Manuscript")]
ReviewerId = Annotated[str, Ref("PeerReviewer")]
InvitationId = Annotated[str, Ref("ReviewInvitation")]
AuthorName = Annotated[str, Value("manuscript_author", "Full name of an author of a submission.")]
ReviewerName = Annotated[str, Value("peer_reviewer", "Full name of a reviewer.")]
Institution = Annotated[str, Value("institution", "University or institute at which somebody works.")]
Subject = Annotated[str, Value("submission_subject", "What a submission is about, in two or three words.")]
Topic = Annotated[
    Literal["climate_science", "immunology", "linguistics", "machine_learning", "marine_biology", "neuroscience"],
    Value("research_topic", "Field of research."),
]
Skill = Annotated[
    Literal["statistics", "experiments", "simulation", "field_work", "theory"],
    Value("reviewer_skill", "What a reviewer is especially good at judging."),
]
Status = Annotated[
    Literal["in_review", "recommended", "in_revision", "accepted", "rejected"],
    Value(
        "submission_status",
        "Where a submission stands; recommended is decided on but not yet released to the authors, in_revision is back "
        "with them.",
    ),
]
Verdict = Annotated[
    Literal["acceptance", "minor_revision", "major_revision", "rejection"],
    Value("editorial_verdict", "What an editor recommends for a submission."),
]
InvitationStatus = Annotated[
    Literal["unanswered", "accepted", "declined", "completed", "withdrawn"],
    Value(
        "invitation_status",
        "Where an invitation stands: accepted is promised but not written yet, completed is a review that was handed "
        "in, withdrawn was taken back by the editor.",
    ),
]
Conflict = Annotated[
    Literal["an_author", "same_institution", "recent_coauthor", "opposed_by_authors"],
    Value("conflict_of_interest", "Why somebody must not review a submission."),
]
Availability = Annotated[
    Literal["available", "full", "away"], Value("reviewer_availability", "Whether a reviewer takes a review now.")
]
LastWord = Annotated[
    Literal["nobody", "me", "a_reviewer"],
    Value("last_word", "Who wrote last in the discussion of this round: the signed-in editor, a reviewer, or nobody."),
]
ReviewDue = Annotated[dt.date, Value("review_due", "Day by which a review has to be handed in.")]
Round = Annotated[int, Field(ge=1, le=3)]
Count = Annotated[int, Field(ge=0)]
Reviews = Annotated[Count, Unit("review")]
Score = Annotated[int, Field(ge=1, le=10)]
Text = Annotated[str, FreeText()]
MessageText = Annotated[
    str,
    Field(min_length=3, max_length=500),
    FreeText(
        (
            "please look at each other's reviews", "do you agree on the method",
            "could the data support a weaker claim", "what would change your mind about the score",
        )
    ),
]  # fmt: skip


class HandlingEditor(Record, noun="editor", label="{name}"):
    """Somebody who handles submissions."""

    id: EditorId
    """Identifier of the editor."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]
    institution: Institution


class Author(Output, noun="author", label="{name}", listing="{name} ({institution})"):
    """Somebody who wrote a submission."""

    name: AuthorName
    institution: Institution


class PeerReviewer(Record, noun="reviewer", label="{name}", listing="{name} ({institution})"):
    """Somebody who can be asked for reviews."""

    id: ReviewerId
    """Identifier of the reviewer."""
    name: ReviewerName
    institution: Institution
    topic: Topic
    skills: tuple[Skill, ...]
    """What the reviewer is especially good at judging."""
    coauthors: tuple[AuthorName, ...] = ()
    """With whom the reviewer published in the last three years."""
    open_reviews: Reviews = 0
    """Reviews that the reviewer is asked for or has promised, here and elsewhere."""
    most_reviews: Count
    """How many of them the reviewer takes at once."""
    availability: Availability
    back_on: dt.date | None = None
    """Day on which a reviewer who is away is back."""
    days_needed: Annotated[int, Field(ge=1), Unit("day"), Ranked("fastest", "slowest")]
    """How many days the reviewer takes for a review on average."""


class Manuscript(
    Record,
    noun="submission",
    label="the submission on {subject}[ by {lead}]",
    listing="'{title}' by {lead} ({status}, {reviews_in} in, {needed} needed)",
):
    """Something that was handed in to be published."""

    id: ManuscriptId
    """Identifier of the submission."""
    editor_id: EditorId
    """Editor who handles it."""
    editor_name: str
    """Name of that editor."""
    title: str
    """Full title."""
    subject: Subject
    topic: Topic
    kind: Annotated[Literal["article", "short_paper"], Value("submission_kind", "How long a submission is.")]
    lead: AuthorName
    authors: tuple[Author, ...]
    """Who wrote it, the leading author first."""
    opposed: tuple[ReviewerName, ...] = ()
    """Reviewers whom the authors ask not to invite."""
    received_on: Annotated[dt.date, Ranked("oldest", "newest")]
    """Day on which it was handed in."""
    review_round: Round = 1
    """Which round of review it is in, 1 to 3."""
    status: Status = "in_review"
    needed: Count
    """Reviews that this round needs before anything is recommended."""
    reviews_in: Reviews = 0
    """Reviews of this round that were handed in."""
    awaited: Reviews = 0
    """Reviews of this round that somebody is asked for or has promised."""
    average: Annotated[float, Ranked("lowest rated", "best rated")] | None = None
    """Average score of this round, 1 to 10."""
    split: bool = False
    """Whether the scores of this round lie 4 points or more apart, so that they have to be discussed."""
    last_word: LastWord = "nobody"
    verdicts: tuple[Verdict, ...] = ()
    """What can be recommended now; nothing while reviews are missing or awaited, or a split is not discussed."""
    recommendation: Verdict | None = None
    releases_at: dt.datetime | None = None
    """When the recommendation is, or was, released to the authors."""
    revision_due: dt.date | None = None
    """Day by which the authors have to hand in their revision."""


class ReviewInvitation(
    Record,
    noun="invitation",
    label="the invitation to {reviewer_name}[ about {subject}]",
    listing="{reviewer_name} about {subject} ({status}, due {due})",
):
    """A reviewer who is, or was, asked to review a submission in one of its rounds."""

    id: InvitationId
    """Identifier of the invitation."""
    submission_id: ManuscriptId
    """Submission to be reviewed."""
    editor_id: EditorId
    """Editor who asks."""
    subject: Subject
    review_round: Round
    """Round of review that it is for."""
    reviewer_id: ReviewerId
    """Reviewer who is asked."""
    reviewer_name: ReviewerName
    status: InvitationStatus = "unanswered"
    invited_on: dt.date
    """Day on which the reviewer was asked for the first time."""
    answer_by: dt.date
    """Day by which an answer is expected."""
    due: ReviewDue
    latest_due: dt.date
    """Day to which the due date can be moved at most."""
    written_on: dt.date
    """Day on which the reviewer was written to last: invited, reminded, or told that the invitation is withdrawn."""
    reminders: Annotated[int, Field(ge=0), Unit("reminder")] = 0
    """How many reminders were sent."""


class ReviewReport(
    Record,
    noun="review",
    label="the review by {reviewer_name}",
    listing="{reviewer_name} gives {score} in round {review_round}: '{text}'",
):
    """What a reviewer thinks of a submission."""

    id: Annotated[str, Ref("ReviewReport")]
    """Identifier of the review."""
    submission_id: ManuscriptId
    """Submission that it is about."""
    review_round: Round
    """Round that it belongs to."""
    reviewer_id: ReviewerId
    """Reviewer who wrote it."""
    reviewer_name: ReviewerName
    score: Annotated[Score, Ranked("most critical", "most favourable")]
    """How good the submission is, 1 to 10."""
    confidence: Annotated[int, Field(ge=1, le=5), Ranked("least certain", "most certain")]
    """How sure the reviewer is, 1 to 5."""
    text: Text
    """What the reviewer says."""
    submitted_on: dt.date
    """Day on which it was handed in."""


class ReviewMessage(Record, noun="message", label="the message of {sent_at}", listing="{name} ({sent_at}): '{text}'"):
    """Something written in the discussion between the editor and the reviewers of a submission."""

    id: Annotated[str, Ref("ReviewMessage")]
    """Identifier of the message."""
    submission_id: ManuscriptId
    """Submission that is discussed."""
    review_round: Round
    """Round in which it was written."""
    author: Literal["editor", "reviewer"]
    """Whose side wrote it."""
    name: str
    """Who wrote it."""
    text: Text
    """What it says."""
    sent_at: dt.datetime
    """When it was written."""


class ManuscriptPage(Page):
    """A page of submissions."""

    submissions: tuple[Manuscript, ...]
    """The submissions on this page."""


class SubmissionDetails(Output):
    """A submission with who wrote it and who is asked to review it in this round."""

    submission_id: ManuscriptId
    """Submission asked about."""
    title: str
    """Full title."""
    topic: Topic
    kind: Annotated[Literal["article", "short_paper"], Value("submission_kind")]
    authors: tuple[Author, ...]
    """Who wrote it, the leading author first."""
    opposed: tuple[ReviewerName, ...]
    """Reviewers whom the authors ask not to invite."""
    status: Status
    review_round: Round
    """Which round of review it is in, 1 to 3."""
    reviews_in: Reviews
    """Reviews of this round that were handed in."""
    needed: Count
    """Reviews that this round needs."""
    average: float | None = None
    """Average score of this round, 1 to 10."""
    split: bool
    """Whether the scores of this round lie 4 points or more apart."""
    last_word: LastWord
    verdicts: tuple[Verdict, ...]
    """What can be recommended now."""
    recommendation: Verdict | None = None
    releases_at: dt.datetime | None = None
    """When the recommendation is, or was, released to the authors."""
    revision_due: dt.date | None = None
    """Day by which the authors have to hand in their revision."""
    invitations: tuple[ReviewInvitation, ...]
    """Everybody who was asked in this round, who was asked first on top."""


class ReviewerMatch(
    Output,
    noun="reviewer",
    label="{name}",
    listing="{name} of {institution} ({availability}, {open_reviews}, {most_reviews} at most)",
):
    """A reviewer of a topic, and how much is on that desk."""

    id: ReviewerId
    """Identifier of the reviewer."""
    name: ReviewerName
    institution: Institution
    skills: tuple[Skill, ...]
    """What the reviewer is especially good at judging."""
    availability: Availability
    open_reviews: Annotated[Reviews, Ranked("least busy", "busiest")]
    """Reviews that the reviewer is asked for or has promised."""
    most_reviews: Count
    """How many of them the reviewer takes at once."""
    days_needed: Annotated[int, Unit("day"), Ranked("fastest", "slowest")]
    """How many days the reviewer takes for a review on average."""


class ReviewerPage(Page):
    """A page of reviewers."""

    reviewers: tuple[ReviewerMatch, ...]
    """The reviewers on this page."""


class ConflictReport(Output):
    """Whether somebody may review a submission, and why not."""

    submission_id: ManuscriptId
    """Submission asked about."""
    reviewer_id: ReviewerId
    """Reviewer asked about."""
    subject: Subject
    reviewer_name: ReviewerName
    institution: Institution
    conflicts: tuple[Conflict, ...]
    """Why the reviewer must not review it; nothing if there is no conflict."""


class InvitationPage(Page):
    """A page of invitations."""

    invitations: tuple[ReviewInvitation, ...]
    """The invitations on this page."""


class WithdrawnInvitation(Output):
    """An invitation that was taken back."""

    submission_id: ManuscriptId
    """Submission that it was about."""
    subject: Subject
    reviewer_name: ReviewerName
    awaited: Reviews
    """Reviews of this round that are still awaited."""


class ReportPage(Page):
    """A page of reviews."""

    reviews: tuple[ReviewReport, ...]
    """The reviews on this page."""
    average: float | None = None
    """Average score of the present round, 1 to 10."""
    split: bool
    """Whether the scores of the present round lie 4 points or more apart."""


class MessagePage(Page):
    """A page of messages."""

    messages: tuple[ReviewMessage, ...]
    """The messages on this page."""


class RetractedMessage(Output):
    """A message that is taken out of a discussion."""

    submission_id: ManuscriptId
    """Submission that is discussed."""
    subject: Subject
    text: Text
    """What the message said."""
    last_word: LastWord
