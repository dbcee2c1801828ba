"""Records and results of the paper library: papers and citations, what a reader has saved, noted and ordered."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Money, Output, Page, Ranked, Record, Ref, Unit, Value

PaperId = Annotated[str, Ref("Paper")]
ReaderId = Annotated[str, Ref("LibraryReader")]
ReadingId = Annotated[str, Ref("SavedPaper")]
NoteId = Annotated[str, Ref("PaperNote")]
RequestId = Annotated[str, Ref("CopyRequest")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Topic = Annotated[
    Literal["climate_science", "immunology", "linguistics", "machine_learning", "marine_biology", "neuroscience"],
    Value("research_topic", "Field of research."),
]
Subject = Annotated[str, Value("paper_subject", "What a paper is about, in two or three words.")]
Surname = Annotated[str, Value("lead_author", "Family name of the first author.")]
Shelf = Annotated[Literal["thesis", "seminar", "teaching", "someday"], Value("shelf", "Shelf of a reader's library.")]
Form = Annotated[Literal["scan", "print"], Value("copy_form", "How a copy is made.")]
ReadingStatus = Annotated[Literal["unread", "started", "finished"], Value("reading_status", "How far a paper is read.")]
RequestStatus = Annotated[
    Literal["ordered", "delivered", "cancelled"], Value("copy_request_status", "Where a request for a copy stands.")
]
NoteText = Annotated[
    str,
    Field(min_length=3, max_length=300),
    FreeText(
        (
            "check this method again", "quote this in the introduction", "compare with our own data",
            "the sample seems small", "ask the group about this figure",
        )
    ),
]  # fmt: skip
Order = Literal["newest", "most_cited", "shortest"]
Years = Annotated[int, Field(ge=1, le=50), Unit("year")]
Pages = Annotated[int, Field(ge=1), Unit("page")]
PageOfPaper = Annotated[int, Field(ge=1)]


class Paper(
    Record,
    noun="paper",
    label="the {lead} paper on {subject}[ in {journal}]",
    listing="'{title}' by {lead} ({published_on}, {pages}, {access})",
):
    """Something that was published."""

    id: PaperId
    """Identifier of the paper."""
    title: str
    """Full title."""
    subject: Subject
    topic: Topic
    lead: Surname
    authors: tuple[str, ...]
    """Who wrote it, the first author first."""
    journal: str
    """Where it appeared."""
    published_on: dt.date
    """Day on which it appeared."""
    pages: Annotated[Pages, Ranked("shortest", "longest")]
    """How long it is."""
    citations: Annotated[int, Field(ge=0), Ranked("least cited", "most cited")]
    """How many papers cite it, in all of the literature."""
    access: Literal["open", "closed"]
    """Whether everybody can read it, or only who has a copy."""
    opens_on: dt.date | None = None
    """Day from which a closed paper is open, if that is known."""
    retracted: bool = False
    """Whether the journal has taken it back."""
    saved: bool = False
    """Whether it is in the signed-in reader's library."""
    copy_state: Literal["none", "ordered", "held"] = "none"
    """Whether the signed-in reader has a copy, or has ordered one."""


class Citation(Record, noun="citation", label="the citation"):
    """A paper that cites another one of this library."""

    id: Annotated[str, Ref("Citation")]
    """Identifier of the citation."""
    citing_id: PaperId
    """Paper that cites."""
    cited_id: PaperId
    """Paper that is cited."""
    influential: bool
    """Whether the citing paper builds on the cited one."""


class LibraryReader(Record, noun="reader", label="{name}"):
    """Somebody with a library card."""

    id: ReaderId
    """Identifier of the reader."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]
    credit: Annotated[Money, Field(ge=0)]
    """What is left this year for copies."""


class PaperNote(
    Record,
    noun="note",
    label="my note on page {on_page}[ of the {lead} paper]",
    listing="page {on_page} of the {lead} paper ('{text}')",
):
    """Something written beside a paper."""

    id: NoteId
    """Identifier of the note."""
    reader_id: ReaderId
    """Who wrote it."""
    reading_id: ReadingId
    """Saved paper that it is about."""
    lead: Surname
    on_page: PageOfPaper
    """Page that it is about."""
    text: Annotated[str, FreeText()]
    """What it says."""


class SavedPaper(
    Record,
    noun="saved paper",
    label="my copy of the {lead} paper[ on {subject}]",
    listing="{lead} on {subject} ({status}, {shelf} shelf)",
):
    """A paper in somebody's library."""

    id: ReadingId
    """Identifier of the saved paper."""
    reader_id: ReaderId
    """Whose library it is in."""
    paper_id: PaperId
    """Paper that is saved."""
    lead: Surname
    subject: Subject
    shelf: Shelf
    pages: Annotated[Pages, Ranked("shortest", "longest")]
    """How long it is."""
    bookmark: Annotated[int, Field(ge=0)] = 0
    """Page that the reader has come to."""
    full_text: bool
    """Whether the reader has the full text."""
    notes: Annotated[int, Field(ge=0), Unit("note")] = 0
    """How many notes there are on it."""
    status: ReadingStatus = "unread"
    saved_on: dt.date
    """When it was saved."""


class CopyRequest(
    Record,
    noun="request",
    label="the {form} of the {lead} paper[ asked for on {asked_on}]",
    listing="{form} of the {lead} paper on {subject} ({status}, due {due_on}, {price})",
):
    """A copy of a closed paper that somebody asked for."""

    id: RequestId
    """Identifier of the request."""
    reader_id: ReaderId
    """Who asked for it."""
    paper_id: PaperId
    """Paper to be copied."""
    lead: Surname
    subject: Subject
    form: Form
    price: Annotated[AmountDue, Ranked("cheapest", "most expensive")]
    """What the copy costs."""
    asked_on: dt.date
    """When it was asked for."""
    due_on: dt.date
    """Day on which the copy is there."""
    needed_by: dt.date | None = None
    """Last day on which the copy is of use, if any was given."""
    status: RequestStatus = "ordered"


class PaperPage(Page):
    """A page of papers."""

    papers: tuple[Paper, ...]
    """The papers on this page."""


class ReadingPage(Page):
    """A page of saved papers."""

    readings: tuple[SavedPaper, ...]
    """The saved papers on this page."""
    pages_left: int
    """How many pages of all that match are not read yet."""


class NotePage(Page):
    """A page of notes."""

    notes: tuple[PaperNote, ...]
    """The notes on this page."""


class RequestPage(Page):
    """A page of requests."""

    requests: tuple[CopyRequest, ...]
    """The requests on this page."""
    credit: Money
    """What is left this year for copies."""


class PaperDetails(Output):
    """A paper with who wrote it and what it cites."""

    paper_id: PaperId
    """Paper asked about."""
    title: str
    """Full title."""
    journal: str
    """Where it appeared."""
    published_on: dt.date
    """Day on which it appeared."""
    access: Literal["open", "closed"]
    """Whether everybody can read it, or only who has a copy."""
    opens_on: dt.date | None = None
    """Day from which a closed paper is open, if that is known."""
    retracted: bool
    """Whether the journal has taken it back."""
    pages: Pages
    """How long it is."""
    citations: int
    """How many papers cite it, in all of the literature."""
    saved: bool
    """Whether it is in the signed-in reader's library."""
    copy_state: Literal["none", "ordered", "held"]
    """Whether the signed-in reader has a copy, or has ordered one."""
    authors: tuple[str, ...]
    """Who wrote it, the first author first."""
    references: tuple[Paper, ...]
    """Papers of this library that it cites, the latest first."""


class Dropped(Output):
    """What taking a paper out of the library comes to."""

    paper_id: PaperId
    """Paper that is no longer saved."""
    lead: Surname
    subject: Subject
    shelf: Shelf
    notes: Annotated[int, Unit("note")]
    """How many notes were deleted with it."""


class Erased(Output):
    """What deleting a note comes to."""

    lead: Surname
    on_page: PageOfPaper
    """Page that it was about."""
    notes: Annotated[int, Unit("note")]
    """How many notes are left on the paper."""


class Refund(Output):
    """What calling a copy off comes to."""

    request_id: RequestId
    """Request that is cancelled."""
    fee: Money
    """What is kept."""
    refund: AmountDue
    """What goes back to the reader's credit."""
