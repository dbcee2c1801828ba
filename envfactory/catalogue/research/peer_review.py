"""A journal's peer review: find and invite reviewers, keep them to their dates, read, discuss, recommend.

What can be recommended follows from the reviews of the round: how many are in, their average, how far they lie apart.
"""

from typing import Literal, Self

from envfactory.catalogue.research import _review_records as data
from envfactory.catalogue.research import _review_rules as rules
from envfactory.catalogue.research import _review_told as told
from envfactory.catalogue.research._review_scenario import journal
from envfactory.environment import (
    Dated,
    Ends,
    Environment,
    FieldOf,
    FromNow,
    Having,
    Owned,
    PageNumber,
    Sharing,
    Table,
    Within,
    World,
    tool,
)

MINE = Owned(parameter="submission_id", field="editor_id", by="editor_id")
REVIEWED = Having(parameter="submission_id", field="status", among=("in_review",))
SENT = Owned(parameter="invitation_id", field="editor_id", by="editor_id")
AWAITED = Having(parameter="invitation_id", field="status", among=rules.OPEN)
SAME_TOPIC = Sharing(parameter="reviewer_id", other="submission_id", fields=("topic",))
FREE = Having(parameter="reviewer_id", field="availability", among=("available",))
NOT_TOO_OFTEN = Having(parameter="invitation_id", field="reminders", among=tuple(range(rules.MOST_REMINDERS)))
ORDERED = "[ that are {status}][, sorted by {sort}]"
ANYBODY = "[everybody? , busy or conflicted people too][, sorted by {sort}]"
NOT_TOO_SOON = Dated(parameter="invitation_id", field="written_on", days=(-365, -rules.QUIET_DAYS))


class PeerReview(Environment):
    """Handle the submissions of a journal: find and invite reviewers, read their reviews, recommend what to do."""

    domain = "research"
    policy = """The user is an editor and sees only the submissions that they handle. Reviewers of the same topic are
    asked who take a review now and have no conflict: no author, nobody of an author's institution, no coauthor of the
    last three years, nobody whom the authors oppose. A round has at most two reviewers more than reviews needed; who
    declined is not asked again in it. A review is due 7 to 42 days after the first invitation, three weeks if no day is
    given; the date can be moved within that. Reminders, 3 at most, and invitations that were withdrawn go out 4 days
    after the last letter to that reviewer at the earliest. A recommendation needs 3 reviews of an article and 2 of a
    short paper, one less from the second round on, with no review awaited; scores that lie 4 points or more apart have
    to be discussed with the reviewers first. Acceptance needs an average of 6, rejection one below 8; the third round
    has no more revisions. A recommendation is released to the authors after 24 hours and can be taken back until then.
    Reminders cannot be taken back; messages can, until a reviewer answers. Never recommend without being told what."""
    sources = (
        "OpenReview API v2, Notes, Edges (Assignment, Conflict) and Invitations",
        "Open Journal Systems REST API 3.4, Submissions, Review Assignments and Editorial Decisions",
        "Editorial Manager Ingest and Reviewer Services, Invitations and Reminders",
        "HotCRP API, Papers, Reviews and Comments",
    )

    editor_id: data.EditorId
    """Editor whose session this is."""
    editors: Table[data.HandlingEditor]
    reviewers: Table[data.PeerReviewer]
    submissions: Table[data.Manuscript]
    invitations: Table[data.ReviewInvitation]
    reviews: Table[data.ReviewReport]
    messages: Table[data.ReviewMessage]

    @tool(
        ask=(
            "find my[ {topic}] submissions[ by {author}][short? short of reviews]" + ORDERED,
            "list my[ {topic}] submissions[short? short of reviews][ by {author}]" + ORDERED,
            "show me my[ {topic}] submissions[ by {author}][short? short of reviews]" + ORDERED,
            "pull up my[ {topic}] submissions[ by {author}][short? short of reviews]" + ORDERED,
        ),
        noun="[{topic} ]submission of mine[ by {author}][ that is {status}][short? that lacks reviews]",
        reply=("You handle {submissions}.", "You handle no such submission."),
    )
    def search_submissions(
        self, status: data.Status | None = None, topic: data.Topic | None = None, author: data.AuthorName | None = None,
        short: bool = False, sort: Literal["age", "score"] = "age", page: PageNumber = 1,
    ) -> data.ManuscriptPage:  # fmt: skip
        """Search the submissions that the signed-in editor handles.

        Args:
            status: Only submissions with this status.
            topic: Only submissions of this field of research.
            author: Only submissions with this author, by full name.
            short: Only submissions under review that have fewer reviews in than their round needs.
            sort: Order: handed in first on top, or best average score on top.
            page: Page of the results, five submissions each.
        """
        mine = (rules.as_of(each, self.now) for each in self.submissions.values() if each.editor_id == self.editor_id)
        found = [
            each for each in mine
            if status in (None, each.status) and topic in (None, each.topic) and (not short or rules.is_short(each))
            and (author is None or author.casefold() in (writer.name.casefold() for writer in each.authors))
        ]  # fmt: skip
        found.sort(key=lambda each: (sort == "score" and -(each.average or 0), each.received_on, each.id))
        return data.ManuscriptPage.of(found, page)

    @tool(
        ask=(
            "show me where {submission_id} stands",
            "open {submission_id} and tell me who is asked to review it",
            "check how many reviews {submission_id} has and what I can recommend",
            "get me the details of {submission_id}",
        ),
        reply=(
            "'{title}' is {status} in round {review_round}, {reviews_in} in, {needed} needed; asked: {invitations}.",
            "'{title}' is {status} in round {review_round}, {reviews_in} in, {needed} needed.",
        ),
        where=(MINE,),
    )
    def get_submission(self, submission_id: data.ManuscriptId) -> data.SubmissionDetails:
        """Get a submission: authors, status, scores, who is asked in this round, and what can be recommended now.

        Args:
            submission_id: Submission that the signed-in editor handles.
        """
        it = self._mine(submission_id)
        return told.details(it, tuple(rules.of_round(self.invitations.values(), it)))

    @tool(
        ask=(
            "find reviewers for {submission_id}[ good at {skill}][, {max_open_reviews} to write at most]" + ANYBODY,
            "look for somebody to review {submission_id}[, good at {skill}][, {max_open_reviews} at most]" + ANYBODY,
            "list reviewers for {submission_id}[ good at {skill}][, with up to {max_open_reviews} to write]" + ANYBODY,
            "go through the reviewers for {submission_id}[, good at {skill}][, {max_open_reviews} at most]" + ANYBODY,
        ),
        noun="reviewer for {submission_id}[ good at {skill}][ with at most {max_open_reviews} to write]",
        reply=("I found {reviewers}.", "There is nobody like that."),
        where=(MINE, REVIEWED, Within(parameter="max_open_reviews", low=1, high=3)),
    )
    def find_reviewers(
        self, submission_id: data.ManuscriptId, skill: data.Skill | None = None,
        max_open_reviews: data.Reviews | None = None, everybody: bool = False, sort: Literal["load", "speed"] = "load",
        page: PageNumber = 1,
    ) -> data.ReviewerPage:  # fmt: skip
        """Find reviewers of a submission's topic: those who can be invited now, or everybody.

        Args:
            submission_id: Submission under review.
            skill: Only reviewers who are good at judging this.
            max_open_reviews: Only reviewers with at most so many reviews to write.
            everybody: Also those who cannot be invited now: away, full, with a conflict or asked in this round.
            sort: Order: fewest open reviews first, or fewest days for a review first.
            page: Page of the results, five reviewers each.
        """
        it, today = rules.in_review(self._mine(submission_id), "reviewed"), self.now.date()
        asked = {each.reviewer_id: each for each in rules.of_round(self.invitations.values(), it)}
        found = [
            told.match(each) for each in (rules.back(each, today) for each in self.reviewers.values())
            if each.topic == it.topic and (everybody or rules.can_invite(it, each, asked.get(each.id), today))
            and (skill is None or skill in each.skills)
            and (max_open_reviews is None or each.open_reviews <= max_open_reviews)
        ]  # fmt: skip
        found.sort(key=lambda each: (each.open_reviews if sort == "load" else each.days_needed, each.name))
        return data.ReviewerPage.of(found, page)

    @tool(
        ask=(
            "check whether {reviewer_id} has a conflict with {submission_id}",
            "see if {reviewer_id} is too close to the authors of {submission_id}",
            "find out if {reviewer_id} may review {submission_id}",
            "look up conflicts of interest between {reviewer_id} and {submission_id}",
        ),
        reply=(
            "{reviewer_name} has a conflict over {subject}: {conflicts}.",
            "{reviewer_name} ({institution}) has no conflict over {subject}.",
        ),
        where=(MINE,),
    )
    def check_conflict(self, submission_id: data.ManuscriptId, reviewer_id: data.ReviewerId) -> data.ConflictReport:
        """Check whether a reviewer has a conflict of interest with a submission, and of which kind.

        Args:
            submission_id: Submission that the signed-in editor handles.
            reviewer_id: Reviewer to check.
        """
        return told.report(self._mine(submission_id), self.reviewers.require(reviewer_id))

    @tool(
        writes=True,
        ask=(
            "invite {reviewer_id} to review {submission_id}[ by {due}]",
            "ask {reviewer_id} for a review of {submission_id}[, due {due}]",
            "send {reviewer_id} an invitation for {submission_id}[ with {due} as the due date]",
            "have {reviewer_id} review {submission_id}[ by {due}]",
        ),
        reply=("{reviewer_name} is invited to review {subject} by {due}, and answers by {answer_by}.",),
        where=(MINE, REVIEWED, SAME_TOPIC, FREE, FromNow(parameter="due", days=(10, 40))),
    )
    def invite_reviewer(
        self, submission_id: data.ManuscriptId, reviewer_id: data.ReviewerId, due: data.ReviewDue | None = None
    ) -> data.ReviewInvitation:
        """Invite a reviewer of its topic to a submission under review; an invitation that was withdrawn is sent again.

        Args:
            submission_id: Submission to be reviewed.
            reviewer_id: Reviewer to ask; if withdrawn before, 4 days after the last letter to 35 after the first.
            due: Day by which the review is due, 7 to 42 days after the first invitation; 21 days from now if not given.
        """
        it = rules.in_review(self._mine(submission_id), "reviewed")
        today = self.now.date()
        reviewer = rules.back(self.reviewers.require(reviewer_id), today)
        before = rules.asked_before(it, rules.of_round(self.invitations.values(), it), reviewer, today)
        rules.check_reviewer(it, reviewer)
        self.reviewers.replace(rules.loaded(reviewer, 1))
        new = before or rules.first_sent(self.new_id("IV"), it, reviewer, today)
        sent = (self.invitations.replace if before else self.invitations.insert)(rules.sent(new, due, today))
        self._count(it)
        return sent

    @tool(
        ask=(
            "list my[late? overdue][ {status}] invitations[ for {submission_id}]",
            "show me my[late? overdue][ {status}] review invitations[ for {submission_id}]",
            "see which[late? overdue][ {status}] invitations there are[ for {submission_id}]",
            "go through the[late? overdue][ {status}] invitations that I sent[ for {submission_id}]",
        ),
        noun="[late? overdue ][{status} ]invitation of mine[ for {submission_id}]",
        reply=("You invited {invitations}.", "There is no such invitation."),
        where=(MINE,),
    )
    def list_invitations(
        self, submission_id: data.ManuscriptId | None = None, status: data.InvitationStatus | None = None,
        late: bool = False, page: PageNumber = 1,
    ) -> data.InvitationPage:  # fmt: skip
        """List the invitations that the signed-in editor sent, of all rounds, the one due last on top.

        Args:
            submission_id: Only invitations to review this submission.
            status: Only invitations with this status.
            late: Only those whose answer (if unanswered) or review (if accepted) is overdue.
            page: Page of the results, five invitations each.
        """
        of = self._mine(submission_id).id if submission_id is not None else None
        found = [
            each for each in self.invitations.values()
            if each.editor_id == self.editor_id and of in (None, each.submission_id)
            and status in (None, each.status) and (not late or rules.is_late(each, self.now.date()))
        ]  # fmt: skip
        found.sort(key=lambda each: (each.due, each.id), reverse=True)
        return data.InvitationPage.of(found, page)

    @tool(
        writes=True,
        ask=("withdraw {invitation_id}", "recall {invitation_id}", "cancel {invitation_id}", "revoke {invitation_id}"),
        reply=("{reviewer_name} is not asked to review {subject} any more; {awaited} still awaited.",),
        where=(SENT, AWAITED, Ends(parameter="invitation_id")),
    )
    def withdraw_invitation(self, invitation_id: data.InvitationId) -> data.WithdrawnInvitation:
        """Withdraw an invitation without a review and tell the reviewer, who can be invited again 4 days later.

        Args:
            invitation_id: Invitation that is unanswered or accepted.
        """
        invitation = self._awaited(invitation_id, "withdrawn")
        self.reviewers.replace(rules.loaded(self.reviewers.require(invitation.reviewer_id), -1))
        self.invitations.replace(invitation.evolve(status="withdrawn", written_on=self.now.date()))
        return told.withdrawn(self._count(self._mine(invitation.submission_id)), invitation)

    @tool(
        writes=True,
        ask=(
            "send a reminder about {invitation_id}",
            "remind the reviewer of {invitation_id}",
            "chase up {invitation_id}",
            "follow up on {invitation_id} with a reminder",
        ),
        reply=("{reviewer_name} has a reminder about {subject} ({reminders} so far); the review is due {due}.",),
        where=(SENT, AWAITED, NOT_TOO_OFTEN, NOT_TOO_SOON),
    )
    def remind_reviewer(self, invitation_id: data.InvitationId) -> data.ReviewInvitation:
        """Remind a reviewer of the answer or review that is awaited, at the earliest 4 days after the last letter.

        A reminder cannot be taken back; a reviewer gets 3 of them at most.

        Args:
            invitation_id: Invitation that is unanswered or accepted.
        """
        invitation, today = self._awaited(invitation_id, "followed up"), self.now.date()
        rules.check_reminder(invitation, today)
        return self.invitations.replace(invitation.evolve(reminders=invitation.reminders + 1, written_on=today))

    @tool(
        writes=True,
        ask=(
            "move the deadline of {invitation_id} to {due}",
            "set the due date of {invitation_id} to {due}",
            "make the review for {invitation_id} due on {due}",
            "change the deadline of {invitation_id} to {due}",
        ),
        reply=("The review of {subject} by {reviewer_name} is due {due} now.",),
        where=(SENT, AWAITED, FromNow(parameter="due", days=(7, 12))),
    )
    def move_deadline(self, invitation_id: data.InvitationId, due: data.ReviewDue) -> data.ReviewInvitation:
        """Give a reviewer more or less time for a review that is awaited; a day that is over cannot be set again.

        Args:
            invitation_id: Invitation that is unanswered or accepted.
            due: New due date, after today, 7 days after the invitation at least and 42 after the first one at most.
        """
        return self.invitations.replace(rules.moved(self._awaited(invitation_id, "moved"), due, self.now.date()))

    @tool(
        ask=(
            "read me the reviews of {submission_id}",
            "show me what the reviewers say about {submission_id}",
            "tell me which scores {submission_id} got",
            "get the reviews that are in for {submission_id}",
        ),
        noun="review of {submission_id}",
        reply=("The average is {average}. {reviews}.", "{reviews}.", "No review is in yet."),
        where=(MINE,),
    )
    def read_reviews(self, submission_id: data.ManuscriptId, page: PageNumber = 1) -> data.ReportPage:
        """Read the reviews of a submission, the latest round and best score first, and whether the scores are split.

        Args:
            submission_id: Submission that the signed-in editor handles.
            page: Page of the results, five reviews each.
        """
        it = self._mine(submission_id)
        found = rules.latest([each for each in self.reviews.values() if each.submission_id == it.id])
        return data.ReportPage.of(found, page, average=it.average, split=it.split)

    @tool(
        ask=(
            "show me the discussion of {submission_id}",
            "read what was written in the discussion about {submission_id}",
            "open the messages with the reviewers of {submission_id}",
            "check what the reviewers and I wrote on {submission_id}",
        ),
        noun="message about {submission_id}",
        reply=("This was written: {messages}.", "Nothing was written yet."),
        where=(MINE,),
    )
    def read_discussion(self, submission_id: data.ManuscriptId, page: PageNumber = 1) -> data.MessagePage:
        """Read what the editor and the reviewers of a submission wrote to each other in all rounds, the latest first.

        Args:
            submission_id: Submission that the signed-in editor handles.
            page: Page of the results, five messages each.
        """
        it = self._mine(submission_id)
        return data.MessagePage.of(rules.talk(self.messages.values(), it.id)[::-1], page)

    @tool(
        writes=True,
        ask=(
            "write to the reviewers of {submission_id}: '{text}'",
            "post '{text}' in the discussion of {submission_id}",
            "tell the reviewers of {submission_id}: '{text}'",
            "ask those who reviewed {submission_id}: '{text}'",
        ),
        reply=("The reviewers of the submission have your message.",),
        where=(MINE, REVIEWED, Having(parameter="submission_id", field="reviews_in", among=(1, 2, 3, 4, 5))),
    )
    def write_to_reviewers(self, submission_id: data.ManuscriptId, text: data.MessageText) -> data.ReviewMessage:
        """Write into the discussion of a submission, which opens with the first review of its round.

        Args:
            submission_id: Submission under review.
            text: What the reviewers are told.
        """
        it = rules.discussable(self._mine(submission_id))
        message = self.messages.insert(rules.written(self.new_id("RM"), it, text, self.now))
        self._count(it)
        return message

    @tool(
        writes=True,
        ask=(
            "retract my last message to the reviewers of {submission_id}",
            "take my last message about {submission_id} out of the discussion",
            "remove what I wrote last to the reviewers of {submission_id}",
            "delete my latest message in the discussion of {submission_id}",
        ),
        reply=("Your message about {subject} is gone: '{text}'.",),
        where=(MINE, REVIEWED, Having(parameter="submission_id", field="last_word", among=("me",))),
    )
    def retract_message(self, submission_id: data.ManuscriptId) -> data.RetractedMessage:
        """Take the signed-in editor's last message out of the discussion of this round, if no reviewer wrote after it.

        Args:
            submission_id: Submission under review.
        """
        it = rules.in_review(self._mine(submission_id), "changed")
        message = self.messages.delete(rules.my_last(self.messages.values(), it).id)
        return told.retracted(self._count(it), message)

    @tool(
        writes=True,
        ask=(
            "recommend {verdict} for {submission_id}",
            "record {verdict} as my recommendation for {submission_id}",
            "set my recommendation for {submission_id} to {verdict}",
            "put down {verdict} as the outcome for {submission_id}",
        ),
        reply=("You recommend {recommendation} for {subject}; the authors hear of it on {releases_at}.",),
        where=(MINE, REVIEWED, FieldOf(parameter="verdict", other="submission_id", field="verdicts[]")),
    )
    def record_recommendation(self, submission_id: data.ManuscriptId, verdict: data.Verdict) -> data.Manuscript:
        """Recommend acceptance, rejection or a revision; the authors are told 24 hours later.

        Args:
            submission_id: Submission under review with enough reviews, none of them awaited.
            verdict: acceptance from an average of 6 on, rejection below 8; a minor revision takes 21 days and a major
                one 60, neither in the third round.
        """
        it = rules.in_review(self._mine(submission_id), "decided on")
        return self.submissions.replace(rules.recommended(it, verdict, self.now))

    @tool(
        writes=True,
        ask=(
            "take back my recommendation for {submission_id}",
            "undo my recommendation for {submission_id}",
            "reverse what I recommended for {submission_id}",
            "put {submission_id} back under review",
        ),
        reply=("{subject} is under review again.",),
        where=(MINE, Having(parameter="submission_id", field="status", among=("recommended",))),
    )
    def take_back_recommendation(self, submission_id: data.ManuscriptId) -> data.Manuscript:
        """Take a recommendation back before it is released; the submission is under review again.

        Args:
            submission_id: Submission whose recommendation is not yet released.
        """
        return self._count(rules.taken_back(self._mine(submission_id)))

    def _mine(self, submission_id: str) -> data.Manuscript:
        return rules.handled(self.submissions.require(submission_id), self.editor_id, self.now)

    def _awaited(self, invitation_id: str, done: str) -> data.ReviewInvitation:
        return rules.still_open(self.invitations.require(invitation_id), self.editor_id, done)

    def _count(self, it: data.Manuscript) -> data.Manuscript:
        """Count anew what was asked, reviewed and written of a submission."""
        tables = self.invitations.values(), self.reviews.values(), self.messages.values()
        return self.submissions.replace(rules.counted(it, *tables))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Submissions in every status and round, split and agreed on, with reviewers late, busy or too close."""
        return cls.model_validate(journal(world, size))
