"""The journal of a scenario: three editors, reviewers free, busy, away or too close, submissions in every status."""

import datetime as dt
from typing import Any, NamedTuple, get_args

from envfactory.catalogue.research._review_records import (
    Author,
    HandlingEditor,
    InvitationStatus,
    Manuscript,
    PeerReviewer,
    ReviewInvitation,
    ReviewMessage,
    ReviewReport,
    Skill,
    Status,
    Topic,
    Verdict,
)
from envfactory.catalogue.research._review_rules import (
    MOST_DAYS,
    OPEN,
    conflicts,
    counted,
    first_sent,
    loaded,
    needed,
    release,
    sent,
)
from envfactory.environment import Person, World, by_id

_SUBJECTS: dict[Topic, tuple[str, ...]] = {
    "climate_science": (
        "desert dust", "sea ice drift", "river floods", "cloud feedback", "forest fires", "ocean heat", "permafrost",
        "hail storms",
    ),
    "immunology": (
        "mucosal immunity", "peanut tolerance", "viral escape", "fever response", "transplant rejection",
        "asthma triggers", "wound healing", "nasal vaccines",
    ),
    "linguistics": (
        "tone languages", "baby talk", "verb endings", "whistled speech", "island dialects", "slang spread",
        "writing systems", "turn taking",
    ),
    "machine_learning": (
        "language models", "robot grasping", "data leaks", "time series", "speech synthesis", "federated training",
        "outlier detection", "protein folding",
    ),
    "marine_biology": (
        "jellyfish swarms", "seagrass meadows", "tuna spawning", "squid camouflage", "turtle nesting", "krill decline",
        "shark nurseries", "tidal pools",
    ),
    "neuroscience": (
        "smell memory", "jet lag", "tremor control", "speech loss", "spatial maps", "migraine onset", "reward learning",
        "colour vision",
    ),
}  # fmt: skip
_TITLES = (
    "What drives {}",
    "{} revisited",
    "A field guide to {}",
    "Predicting {}",
    "{} in numbers",
    "The causes of {}",
)
_TOPICS: tuple[Topic, ...] = tuple(_SUBJECTS)
_SKILLS: tuple[Skill, ...] = get_args(get_args(Skill)[0])
_REVIEWS = (
    (5, ("The conclusions go beyond the data.", "The comparison group is missing.", "Too little is new here.")),
    (8, ("Solid work, but the figures need care.", "The statistics should be checked.", "Clear, though a bit long.")),
    (11, ("A pleasure to read and convincing.", "Careful work on an open question.", "Strong data and clear writing.")),
)
"""What reviewers say, by the score below which they do."""
_SAID = {
    "me": ("Could you look at each other's reviews?", "Do you agree on the main point?"),
    "a_reviewer": ("I see the point, but I stay with my score.", "I would go along with a revision."),
}
_MINE_EACH, _OTHERS_EACH = 12, 6
"""How many reviewers a topic has at least: of the user's three topics, and of the others."""
_ROUND_DAYS, _BREAK_DAYS = 44, 75
"""How long ago a round began when it ends, and how long the authors took before it."""


class _Asked(NamedTuple):
    """An invitation without a review: where it stands, how long ago it was sent, how often and when last reminded."""

    status: InvitationStatus
    days: int
    reminders: int = 0
    quiet: int = 0


class _Kind(NamedTuple):
    """One submission: in which round and status, and what has come of it in that round."""

    kind: str
    scores: tuple[int, ...] = ()
    review_round: int = 1
    asked: tuple[_Asked, ...] = ()
    """Who else was asked."""
    said: tuple[str, ...] = ()
    """Who wrote in the discussion."""
    status: Status = "in_review"
    verdict: Verdict | None = None
    hours: int = 0
    """How long ago that was recommended."""


_NEW, _LATE_ANSWER = _Asked("unanswered", 2), _Asked("unanswered", 12, 1, 5)
_ASKED_TWICE = _Asked("unanswered", 11, 1, 2)
_PROMISED, _LATE, _CHASED = _Asked("accepted", 9), _Asked("accepted", 27, 1, 5), _Asked("accepted", 30, 3, 6)
_LONG_AGO = _Asked("accepted", MOST_DAYS - 1, 2, 8)
_DECLINED, _WITHDRAWN = _Asked("declined", 10), _Asked("withdrawn", 20, 1, 10)

_MINE = (
    _Kind("article"),
    _Kind("short_paper"),
    _Kind("article", asked=(_NEW, _PROMISED, _DECLINED)),
    _Kind("short_paper", (7,), asked=(_PROMISED,)),
    _Kind("article", (6, 5), asked=(_LATE, _DECLINED)),
    _Kind("short_paper", asked=(_ASKED_TWICE, _LATE_ANSWER)),
    _Kind("article", (7, 6, 6)),
    _Kind("short_paper", (5, 4)),
    _Kind("article", (8, 9, 8)),
    _Kind("article", (9, 3, 6)),  # split, and nobody has written yet
    _Kind("short_paper", (8, 4), said=("me", "a_reviewer")),
    _Kind("article", (7, 7, 8), said=("me",)),
    _Kind("article", (7, 8), 2, asked=(_LATE,)),
    _Kind("short_paper", (6,), 2),
    _Kind("article", (5, 4), 3),
    _Kind("short_paper", (7,), 3, said=("a_reviewer", "me")),
    _Kind("article", (6, 7), asked=(_CHASED, _LONG_AGO, _WITHDRAWN)),
    _Kind("article", (7, 8, 7), status="recommended", verdict="acceptance", hours=20),
    _Kind("short_paper", (6, 5), status="recommended", verdict="minor_revision", hours=3),
    _Kind("article", (5, 6, 4), status="in_revision", verdict="major_revision", hours=300),
    _Kind("short_paper", (8,), 2, status="accepted", verdict="acceptance", hours=700),
    _Kind("article", (3, 2, 4), status="rejected", verdict="rejection", hours=1000),
)
"""The user's own."""
_OTHERS = (
    _Kind("article", (6,), asked=(_PROMISED, _LATE_ANSWER)),
    _Kind("short_paper", (4, 5)),
    _Kind("article", (7, 7), 2, status="recommended", verdict="acceptance", hours=10),
    _Kind("short_paper", asked=(_NEW, _LATE)),
    _Kind("short_paper", (2, 3), status="rejected", verdict="rejection", hours=500),
)


def journal(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and a hundred more."""
    topics = world.sample(_TOPICS, len(_TOPICS))
    counts = [_MINE_EACH + size // 25] * 3 + [_OTHERS_EACH + size // 15] * 3
    others = [_OTHERS[n % len(_OTHERS)] for n in range(max(8, size // 6))]
    people = world.people(2 + sum(counts) + 3 * (len(_MINE) + len(others)))
    places = [f"{name} {city}" for city, _ in world.cities for name in ("University of", "Institute of Science")]
    editors = [
        HandlingEditor(id=f"ED-{1 + n}", name=person.name, email=person.email, institution=places[n])
        for n, person in enumerate((world.user, *people[:2]))
    ]
    office = _Office(world, places, people[2:])
    for topic, count in zip(topics, counts, strict=True):
        for _ in range(count):
            office.add_reviewer(topic)
    for n, kind in enumerate(_MINE):
        office.add_submission(kind, editors[0], topics[n % 3], n // 3)
    for n, kind in enumerate(others):
        office.add_submission(kind, editors[1 + n % 2], topics[n % 6], 7 - n // 6 % 8)
    return {
        "now": world.now,
        "editor_id": editors[0].id,
        "editors": by_id(editors),
        "reviewers": office.reviewers,
        "submissions": by_id(
            counted(each, office.invitations, office.reviews, office.messages) for each in office.submissions
        ),
        "invitations": by_id(office.invitations),
        "reviews": by_id(office.reviews),
        "messages": by_id(office.messages),
    }


class _Office:
    """Reviewers and submissions as they are added, with everything that hangs on them."""

    def __init__(self, world: World, places: list[str], people: list[Person]) -> None:
        self.world, self.places, self.people = world, places, iter(people)
        self.reviewers: dict[str, PeerReviewer] = {}
        self.submissions: list[Manuscript] = []
        self.invitations: list[ReviewInvitation] = []
        self.reviews: list[ReviewReport] = []
        self.messages: list[ReviewMessage] = []
        self.subjects = {topic: world.sample(subjects, len(subjects)) for topic, subjects in _SUBJECTS.items()}

    def add_reviewer(self, topic: Topic) -> None:
        """Add somebody: one in nine is away, one in seven has all the reviews that they take."""
        world, n = self.world, len(self.reviewers)
        most = world.integer(2, 5)
        away = n % 9 == 5
        reviewer = PeerReviewer(
            id=f"RV-{101 + n}", name=next(self.people).name, institution=self.places[n % len(self.places)], topic=topic,
            skills=tuple(world.sample(_SKILLS, 2)), most_reviews=most, availability="away" if away else "available",
            back_on=world.date(4, 40) if away else None, days_needed=world.integer(9, 38),
        )  # fmt: skip
        self.reviewers[reviewer.id] = loaded(reviewer, most if n % 7 == 3 else world.integer(0, most - 1))

    def add_submission(self, kind: _Kind, editor: HandlingEditor, topic: Topic, place: int) -> None:
        """Add a submission of this kind; its times run back from when its present round ended, or from today."""
        world, n = self.world, len(self.submissions)
        now = world.now - dt.timedelta(hours=kind.hours)
        begun = _ROUND_DAYS if kind.scores or kind.asked else 3
        first = now.date() - dt.timedelta(days=begun + (kind.review_round - 1) * (_ROUND_DAYS + _BREAK_DAYS))
        authors = self._authors(n, editor)
        subject = self.subjects[topic][place]
        title = _TITLES[n % len(_TITLES)].format(subject)
        releases_at, revision_due = release(kind.verdict, now) if kind.verdict else (None, None)
        submission = Manuscript(
            id=f"MS-{201 + n}", editor_id=editor.id, editor_name=editor.name, title=title[0].upper() + title[1:],
            subject=subject, topic=topic, lead=authors[0].name, authors=authors, status=kind.status,
            kind=kind.kind,  # pyright: ignore[reportArgumentType] (checked by the record)
            received_on=first - dt.timedelta(days=world.integer(0, 9)), review_round=kind.review_round,
            needed=needed(kind.kind, kind.review_round), recommendation=kind.verdict,
            releases_at=releases_at, revision_due=revision_due,
        )  # fmt: skip
        submission = self._fall_out(submission, n, editor)
        self.submissions.append(submission)
        before: list[PeerReviewer] = []
        for review_round in range(1, kind.review_round):
            ended = now.date() - dt.timedelta(days=(_ROUND_DAYS + _BREAK_DAYS) * (kind.review_round - review_round))
            scores = [world.integer(5, 6) for _ in range(needed(kind.kind, review_round))]
            before = self._review(submission, review_round, scores, ended, before)
        here = self._review(submission, kind.review_round, list(kind.scores), now.date(), before)
        for asked in kind.asked:
            self._ask(submission, asked)
        for at, who in enumerate(kind.said):
            name = editor.name if who == "me" else here[0].name
            sent_at = now - dt.timedelta(hours=20 * (len(kind.said) - at))
            self.messages.append(
                ReviewMessage(
                    id=f"RM-{601 + len(self.messages)}", submission_id=submission.id, review_round=kind.review_round,
                    author="editor" if who == "me" else "reviewer", name=name, text=world.choice(_SAID[who]),
                    sent_at=sent_at,
                )
            )  # fmt: skip

    def _authors(self, n: int, editor: HandlingEditor) -> tuple[Author, ...]:
        """Two or three authors at one or two places, none of them the editor's."""
        places = self.world.sample([place for place in self.places if place != editor.institution], 1 + n % 2)
        names = [next(self.people).name for _ in range(2 + n % 2)]
        return tuple(Author(name=name, institution=places[at % len(places)]) for at, name in enumerate(names))

    def _fall_out(self, submission: Manuscript, n: int, editor: HandlingEditor) -> Manuscript:
        """Let somebody of the topic be too close to a submission: opposed, a coauthor, in one case an author."""
        away = [each for each in self.reviewers.values() if each.institution != editor.institution]
        free = [each for each in away if each.topic == submission.topic and not conflicts(submission, each)]
        free = self.world.sample(free, 2)
        last = submission.authors[-1]
        if n == 2:
            author = Author(name=free[0].name, institution=free[0].institution)
            return submission.evolve(authors=(*submission.authors[:-1], author))
        if n % 2 == 0:
            self.reviewers[free[0].id] = free[0].evolve(coauthors=(*free[0].coauthors, last.name))
        return submission.evolve(opposed=(free[1].name,)) if n % 3 == 0 else submission

    def _choose(self, submission: Manuscript, status: InvitationStatus) -> PeerReviewer | None:
        """Somebody without a conflict who was not asked in any round; for an open invitation, one who has room."""
        asked = {each.reviewer_id for each in self.invitations if each.submission_id == submission.id}
        free = [
            each
            for each in self.reviewers.values()
            if each.topic == submission.topic and each.id not in asked and not conflicts(submission, each)
        ]
        if status in OPEN:
            free = [each for each in free if each.availability == "available"]
        return self.world.choice(free) if free else None

    def _review(
        self, submission: Manuscript, review_round: int, scores: list[int], ended: dt.date, before: list[PeerReviewer]
    ) -> list[PeerReviewer]:
        """Add the reviews of a round, by those of the round before as far as there are any; return who wrote them."""
        wrote: list[PeerReviewer] = []
        for at, score in enumerate(scores):
            reviewer = before[at] if at < len(before) else self._choose(submission, "completed")
            if reviewer is None:  # nobody is left who may
                continue
            wrote.append(reviewer)
            invited = ended - dt.timedelta(days=_ROUND_DAYS - self.world.integer(1, 8))
            self._invite(submission, reviewer, "completed", invited, review_round)
            text = next(texts for below, texts in _REVIEWS if score < below)
            self.reviews.append(
                ReviewReport(
                    id=f"RR-{401 + len(self.reviews)}", submission_id=submission.id, review_round=review_round,
                    reviewer_id=reviewer.id, reviewer_name=reviewer.name, score=score,
                    confidence=self.world.integer(2, 5), text=self.world.choice(text),
                    submitted_on=invited + dt.timedelta(days=self.world.integer(11, 30)),
                )
            )  # fmt: skip
        return wrote

    def _ask(self, submission: Manuscript, asked: _Asked) -> None:
        """Add an invitation without a review."""
        reviewer = self._choose(submission, asked.status)
        if reviewer is None:
            return
        invited = self.world.today - dt.timedelta(days=asked.days)
        written = self.world.today - dt.timedelta(days=asked.quiet) if asked.reminders else invited
        self._invite(submission, reviewer, asked.status, invited, submission.review_round, asked.reminders, written)
        if asked.status in OPEN:
            self.reviewers[reviewer.id] = loaded(reviewer, 1)

    def _invite(
        self, submission: Manuscript, reviewer: PeerReviewer, status: InvitationStatus, invited: dt.date,
        review_round: int, reminders: int = 0, written: dt.date | None = None,
    ) -> None:  # fmt: skip
        first = first_sent(f"IV-{301 + len(self.invitations)}", submission, reviewer, invited)
        asked = sent(first, None, invited).evolve(
            status=status, review_round=review_round, reminders=reminders, written_on=written or invited
        )
        self.invitations.append(asked)
