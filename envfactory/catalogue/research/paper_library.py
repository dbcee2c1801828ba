"""A library of research papers: follow citations, keep shelves with notes, and order copies of closed papers.

What can be read follows from access and the calendar: an open paper at once, a closed one when its copy is there, or
when it opens. Copies are paid for from a yearly credit and take their days; a retracted paper can be looked at only.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.research._paper_records import (
    DAYS,
    URGENT_DAYS,
    Citation,
    CopyRequest,
    Dropped,
    Erased,
    Form,
    LibraryReader,
    NoteId,
    NotePage,
    NoteText,
    PageOfPaper,
    Paper,
    PaperDetails,
    PaperId,
    PaperNote,
    PaperPage,
    ReaderId,
    ReadingId,
    ReadingPage,
    ReadingStatus,
    Refund,
    RequestId,
    RequestPage,
    RequestStatus,
    SavedPaper,
    Shelf,
    Subject,
    Surname,
    Topic,
    price_of,
)
from envfactory.catalogue.research._paper_rules import can_be_read, check_copy, paper_on, reading_on, request_on
from envfactory.catalogue.research._paper_scenario import papers
from envfactory.environment import (
    AtMost,
    Differing,
    Ends,
    Environment,
    FromNow,
    Having,
    NamedIn,
    Owned,
    PageNumber,
    Some,
    Table,
    ToolError,
    Unit,
    Within,
    World,
    cents,
    owned,
    standing,
    tool,
)

DAYS_OF_YEAR = 365.25
OPEN_REQUESTS = 4
LATE_FEE = 2.0
NOTES = 12

OWN_READING = Owned(parameter="reading_id", field="reader_id", by="reader_id")
READABLE = Having(parameter="reading_id", field="full_text", among=(True,))
OWN_NOTE = Owned(parameter="note_id", field="reader_id", by="reader_id")
OWN_REQUEST = Owned(parameter="request_id", field="reader_id", by="reader_id")
GOOD = Having(parameter="paper_id", field="retracted", among=(False,))


class PaperLibrary(Environment):
    """Search papers, follow citations, keep a reading library with notes, and order copies of closed papers."""

    domain = "research"
    policy = """Retracted papers can be neither saved nor copied. A closed paper can be read and annotated only once its
    copy is there or it opens. Copies are for closed papers that do not open within 14 days; a scan takes 3 days and a
    print 8, urgent ones a single day for 9 dollars more. They are paid from the reader's yearly credit, four at most on
    order at once. Cancelling a copy is free on the day it was ordered, costs 2 dollars later, and is not possible when
    it is there. A saved paper takes twelve notes; they are deleted with it. Never order a copy without knowing whether
    it shall be a scan or a print."""
    sources = (
        "Semantic Scholar Academic Graph API, papers and citations",
        "Unpaywall REST API v2, open access locations",
        "ISO 18626:2021, interlibrary loan transactions",
        "Mendeley API, documents and annotations",
    )

    reader_id: ReaderId
    """Reader whose session this is."""
    readers: Table[LibraryReader]
    papers: Table[Paper]
    citations: Table[Citation]
    readings: Table[SavedPaper]
    notes: Table[PaperNote]
    requests: Table[CopyRequest]

    @tool(
        ask=(
            (
                "find[open_access? open-access][ {topic}] papers[ by {lead}][ about {subject}]"
                "[ from the last {years}][, {sort} first]"
            ),
            (
                "search for[open_access? freely readable][ {topic}] papers[ by {lead}][ on {subject}]"
                "[ from the past {years}][, {sort} ones on top]"
            ),
            (
                "look up[open_access? open][ {topic}] papers[ that {lead} wrote][ about {subject}]"
                "[ from the last {years}][, starting with the {sort}]"
            ),
            (
                "see which[open_access? open][ {topic}] papers there are[ by {lead}][ on {subject}]"
                "[ from the past {years}][, {sort} first]"
            ),
        ),
        noun="[open_access? open-access ][{topic} ]paper[ by {lead}][ about {subject}][ from the last {years}]",
        reply=("I found {papers}.", "There is no such paper."),
        where=(Some("topic", "lead", "subject"), Within(parameter="years", low=2, high=8)),
    )
    def search_papers(
        self,
        topic: Topic | None = None,
        lead: Surname | None = None,
        subject: Subject | None = None,
        years: Annotated[int, Field(ge=1, le=50), Unit("year")] | None = None,
        open_access: bool = False,
        sort: Literal["newest", "most_cited", "shortest"] = "newest",
        page: PageNumber = 1,
    ) -> PaperPage:
        """Search papers by field of research, first author or subject, at least one of them.

        Args:
            topic: Only papers of this field of research.
            lead: Only papers whose first author has this family name.
            subject: Only papers that are about this.
            years: Only papers that appeared in so many years up to today.
            open_access: Only papers that everybody can read.
            sort: Order: latest first, most citations first, or fewest pages first.
            page: Page of the results, five papers each.
        """
        if topic is None and lead is None and subject is None:
            raise ToolError("invalid_argument", "Say a field of research, a first author or a subject at least.")
        found = [
            paper
            for paper in self._papers()
            if topic in (None, paper.topic)
            and (lead is None or lead.casefold() == paper.lead.casefold())
            and (subject is None or subject.casefold() in paper.subject.casefold())
            and (years is None or (self.now.date() - paper.published_on).days <= years * DAYS_OF_YEAR)
            and (paper.access == "open" or not open_access)
        ]
        found = self._latest(found)
        if sort != "newest":
            found.sort(key=lambda paper: -paper.citations if sort == "most_cited" else paper.pages)
        return PaperPage.of(found, page)

    @tool(
        ask=(
            "tell me more about {paper_id}",
            "see who wrote {paper_id} and what it cites",
            "look up the authors of {paper_id}",
            "check where {paper_id} appeared and whether I can read it",
        ),
        reply=(
            (
                "'{title}' appeared in {journal} on {published_on} ({pages}, {access} access), by {authors}."
                "[retracted? The journal has retracted it.] It cites {references}."
            ),
            (
                "'{title}' appeared in {journal} on {published_on} ({pages}, {access} access). It was written by "
                "{authors}.[retracted? The journal has retracted it.]"
            ),
        ),
    )
    def get_paper(self, paper_id: PaperId) -> PaperDetails:
        """Get a paper with its authors, and the papers of this library that it cites.

        Args:
            paper_id: Paper to look at.
        """
        paper = self._paper(paper_id)
        cited = {link.cited_id for link in self.citations.values() if link.citing_id == paper.id}
        return PaperDetails(
            paper_id=paper.id, title=paper.title, journal=paper.journal, published_on=paper.published_on,
            access=paper.access, opens_on=paper.opens_on, retracted=paper.retracted, pages=paper.pages,
            citations=paper.citations, saved=paper.saved, copy_state=paper.copy_state, authors=paper.authors,
            references=tuple(self._latest(other for other in self._papers() if other.id in cited)),
        )  # fmt: skip

    @tool(
        ask=(
            "see which papers cite {paper_id}[influential? and build on it]",
            "find[influential? influential] papers that cite {paper_id}",
            "list the later work that cites {paper_id}[influential? and really builds on it]",
            "show me who cites {paper_id}[influential? and relies on its results]",
        ),
        noun="paper that cites {paper_id}[influential? and builds on it]",
        reply=("It is cited by {papers}.", "No paper of this library cites it."),
        where=(NamedIn(parameter="paper_id", entity="Citation", field="cited_id"),),
    )
    def list_citing_papers(self, paper_id: PaperId, influential: bool = False, page: PageNumber = 1) -> PaperPage:
        """List the papers that cite a paper, the latest first.

        Args:
            paper_id: Paper that is cited.
            influential: Only papers that build on it.
            page: Page of the results, five papers each.
        """
        paper = self.papers.require(paper_id)
        citing = {
            link.citing_id
            for link in self.citations.values()
            if link.cited_id == paper.id and (link.influential or not influential)
        }
        return PaperPage.of(self._latest(other for other in self._papers() if other.id in citing), page)

    @tool(
        writes=True,
        ask=(
            "save {paper_id} to my {shelf} shelf",
            "put {paper_id} on the {shelf} shelf of my library",
            "add {paper_id} to my library, on the {shelf} shelf",
            "keep {paper_id} for me on my {shelf} shelf",
        ),
        reply=("The {lead} paper on {subject} is on your {shelf} shelf.",),
        where=(GOOD, Having(parameter="paper_id", field="saved", among=(False,))),
    )
    def save_paper(self, paper_id: PaperId, shelf: Shelf) -> SavedPaper:
        """Save a paper to the signed-in reader's library.

        Args:
            paper_id: Paper to save.
            shelf: Shelf to put it on.
        """
        paper = self._kept_by_journal(paper_id)
        if paper.saved:
            raise ToolError("conflict", f"The {paper.lead} paper is in your library already.")
        self.papers.replace(paper.evolve(saved=True))
        return self.readings.insert(
            SavedPaper(
                id=self.new_id("SP"), reader_id=self.reader_id, paper_id=paper.id, lead=paper.lead,
                subject=paper.subject, shelf=shelf, pages=paper.pages, full_text=can_be_read(paper),
                saved_on=self.now.date(),
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "move {reading_id} to my {shelf} shelf",
            "put {reading_id} on the {shelf} shelf instead",
            "shift {reading_id} over to my {shelf} shelf",
            "switch {reading_id} to the {shelf} shelf",
        ),
        reply=("The {lead} paper is on your {shelf} shelf now.",),
        where=(OWN_READING, Differing(parameter="shelf", other="reading_id", field="shelf")),
    )
    def move_to_shelf(self, reading_id: ReadingId, shelf: Shelf) -> SavedPaper:
        """Put a saved paper on another shelf; bookmark and notes stay as they are.

        Args:
            reading_id: Saved paper to move.
            shelf: Shelf to put it on.
        """
        reading = self._mine(reading_id)
        if reading.shelf == shelf:
            raise ToolError("conflict", f"The {reading.lead} paper is on the {shelf} shelf already.")
        return self.readings.replace(reading.evolve(shelf=shelf))

    @tool(
        ask=(
            "list my[ {status}] papers[ on the {shelf} shelf][, by {sort}]",
            "show me the[ {status}] papers[ on the {shelf} shelf] of my library[, sorted by {sort}]",
            "go through the[ {status}] papers that I saved[ to my {shelf} shelf][, ordered by {sort}]",
            "check which[ {status}] papers I have[ on my {shelf} shelf][, in order of {sort}]",
        ),
        noun="[{status} ]paper of mine[ on the {shelf} shelf]",
        reply=("You have {readings}, with {pages_left} pages left to read.", "You have no such paper."),
    )
    def list_readings(
        self,
        shelf: Shelf | None = None,
        status: ReadingStatus | None = None,
        sort: Literal["date", "length"] = "date",
        page: PageNumber = 1,
    ) -> ReadingPage:
        """List the papers in the signed-in reader's library.

        Args:
            shelf: Only papers on this shelf.
            status: Only papers that are read so far.
            sort: Order: saved last on top, or fewest pages first.
            page: Page of the results, five papers each.
        """
        found = [self._mine(row.id) for row in self.readings.values() if row.reader_id == self.reader_id]
        found = [row for row in found if shelf in (None, row.shelf) and status in (None, row.status)]
        found.sort(key=lambda reading: (reading.saved_on, reading.id), reverse=True)
        if sort == "length":
            found.sort(key=lambda reading: reading.pages)
        return ReadingPage.of(found, page, pages_left=sum(reading.pages - reading.bookmark for reading in found))

    @tool(
        writes=True,
        ask=(
            "note that I am on page {page_reached} of {reading_id}",
            "set my bookmark in {reading_id} to page {page_reached}",
            "mark {reading_id} as read up to page {page_reached}",
            "record that I have come to page {page_reached} in {reading_id}",
        ),
        reply=("You are on page {bookmark} of the {lead} paper; it counts as {status}.",),
        where=(
            OWN_READING,
            READABLE,
            Having(parameter="reading_id", field="status", among=("unread", "started")),
            AtMost(parameter="page_reached", other="reading_id", field="pages"),
            Differing(parameter="page_reached", other="reading_id", field="bookmark"),
        ),
    )
    def record_progress(self, reading_id: ReadingId, page_reached: PageOfPaper) -> SavedPaper:
        """Record how far a saved paper is read; it is finished with its last page.

        Args:
            reading_id: Saved paper that is being read.
            page_reached: Page that the reader has come to.
        """
        reading = standing(self._readable(reading_id, page_reached), ("unread", "started"), "read any further")
        if page_reached == reading.bookmark:
            raise ToolError("conflict", f"You are on page {reading.bookmark} already.")
        done = page_reached == reading.pages
        return self.readings.replace(reading.evolve(bookmark=page_reached, status="finished" if done else "started"))

    @tool(
        writes=True,
        ask=(
            "add the note '{text}' to page {on_page} of {reading_id}",
            "write '{text}' next to page {on_page} of {reading_id}",
            "leave myself a note on page {on_page} of {reading_id}: '{text}'",
            "annotate page {on_page} of {reading_id} with '{text}'",
        ),
        reply=("The note is on page {on_page}.",),
        where=(OWN_READING, READABLE, AtMost(parameter="on_page", other="reading_id", field="pages")),
    )
    def add_note(
        self,
        reading_id: ReadingId,
        on_page: PageOfPaper,
        text: NoteText,
    ) -> PaperNote:
        """Write a note beside a page of a saved paper; twelve at most.

        Args:
            reading_id: Saved paper to write on.
            on_page: Page that the note is about.
            text: What the note says.
        """
        reading = self._readable(reading_id, on_page)
        if reading.notes >= NOTES:
            raise ToolError("limit_exceeded", f"A saved paper takes {NOTES} notes at most.")
        self.readings.replace(reading.evolve(notes=reading.notes + 1))
        return self.notes.insert(
            PaperNote(
                id=self.new_id("PN"), reader_id=self.reader_id, reading_id=reading.id, lead=reading.lead,
                on_page=on_page, text=text,
            )
        )  # fmt: skip

    @tool(
        ask=(
            "list my notes[ on {reading_id}]",
            "show me what I noted[ in {reading_id}]",
            "read me my notes[ from {reading_id}]",
            "look up the notes I wrote[ in {reading_id}]",
        ),
        noun="note of mine[ on {reading_id}]",
        reply=("Your notes: {notes}.", "You have no such note."),
        where=(OWN_READING,),
    )
    def list_notes(self, reading_id: ReadingId | None = None, page: PageNumber = 1) -> NotePage:
        """List the signed-in reader's notes, paper by paper from the first page on.

        Args:
            reading_id: Only notes on this saved paper.
            page: Page of the results, five notes each.
        """
        about = self._mine(reading_id).id if reading_id is not None else None
        found = [
            note
            for note in self.notes.values()
            if note.reader_id == self.reader_id and about in (None, note.reading_id)
        ]
        found.sort(key=lambda note: (note.reading_id, note.on_page, note.id))
        return NotePage.of(found, page)

    @tool(
        writes=True,
        ask=("delete {note_id}", "remove {note_id}", "erase {note_id}", "get rid of {note_id}"),
        reply=("The note on page {on_page} of the {lead} paper is gone.",),
        where=(OWN_NOTE, Ends(parameter="note_id")),
    )
    def delete_note(self, note_id: NoteId) -> Erased:
        """Delete a note of the signed-in reader.

        Args:
            note_id: Note to delete.
        """
        note = owned(self.notes.require(note_id), "reader_id", self.reader_id)
        reading = self._mine(note.reading_id)
        self.notes.delete(note.id)
        self.readings.replace(reading.evolve(notes=reading.notes - 1))
        return Erased(lead=note.lead, on_page=note.on_page, notes=reading.notes - 1)

    @tool(
        writes=True,
        ask=(
            "take {reading_id} out of my library",
            "remove {reading_id} from my shelves",
            "delete {reading_id} from my library",
            "clear {reading_id} off its shelf for good",
        ),
        reply=("The {lead} paper is off your {shelf} shelf, and {notes} went with it.",),
        where=(OWN_READING, Ends(parameter="reading_id")),
    )
    def drop_paper(self, reading_id: ReadingId) -> Dropped:
        """Take a paper out of the signed-in reader's library, with the notes on it.

        Args:
            reading_id: Saved paper to take out.
        """
        reading = self._mine(reading_id)
        for note in [note for note in self.notes.values() if note.reading_id == reading.id]:
            self.notes.delete(note.id)
        self.readings.delete(reading.id)
        self.papers.replace(self.papers.require(reading.paper_id).evolve(saved=False))
        return Dropped(
            paper_id=reading.paper_id, lead=reading.lead, subject=reading.subject, shelf=reading.shelf,
            notes=reading.notes,
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "order a[urgent?n urgent] {form} of {paper_id}[, needed by {needed_by}]",
            "request {paper_id} from the lending desk as a {form}[urgent?, urgently][, to be here by {needed_by}]",
            "get me a {form} of {paper_id}[urgent? as an urgent order][ by {needed_by}]",
            "ask for {paper_id} as a {form}[urgent? with urgent handling][, no later than {needed_by}]",
        ),
        reply=("A {form} of the {lead} paper is ordered for {price}; it is there on {due_on}.",),
        where=(
            GOOD,
            Having(parameter="paper_id", field="access", among=("closed",)),
            Having(parameter="paper_id", field="copy_state", among=("none",)),
            FromNow(parameter="needed_by", days=(9, 30)),
        ),
    )
    def request_copy(
        self, paper_id: PaperId, form: Form, urgent: bool = False, needed_by: dt.date | None = None
    ) -> CopyRequest:
        """Order a copy of a closed paper, to be paid from the signed-in reader's credit.

        Args:
            paper_id: Paper to be copied.
            form: How it shall be copied.
            urgent: Whether it shall take a single day, for 9 dollars more.
            needed_by: Last day on which the copy is of use.
        """
        paper, today = self._kept_by_journal(paper_id), self.now.date()
        due = today + dt.timedelta(days=URGENT_DAYS if urgent else DAYS[form])
        check_copy(paper, form, today, due, needed_by)
        if sum(request.status == "ordered" for request in self._requests()) >= OPEN_REQUESTS:
            raise ToolError("limit_exceeded", f"You have {OPEN_REQUESTS} copies on order, which is as many as allowed.")
        price = price_of(paper.pages, form, urgent=urgent)
        self._charge(price)
        self.papers.replace(paper.evolve(copy_state="ordered"))
        return self.requests.insert(
            CopyRequest(
                id=self.new_id("CR"), reader_id=self.reader_id, paper_id=paper.id, lead=paper.lead,
                subject=paper.subject, form=form, price=price, asked_on=today, due_on=due,
                needed_by=needed_by,
            )
        )  # fmt: skip

    @tool(
        ask=(
            "list the[ {status}][ {form}] copies that I asked for",
            "check on the copies I requested[, just those that are {status}][, {form} only]",
            "show me my copies from the lending desk[, {form} only][, just the {status} ones]",
            "look up the[ {status}][ {form}] orders I placed with the lending desk",
        ),
        noun="[{status} ][{form} ]request of mine",
        reply=("You asked for {requests}. You have {credit} left for copies.", "You have no such request."),
    )
    def list_requests(
        self, status: RequestStatus | None = None, form: Form | None = None, page: PageNumber = 1
    ) -> RequestPage:
        """List the copies that the signed-in reader asked for, the latest first, and the credit that is left.

        Args:
            status: Only requests that stand like this.
            form: Only copies of this form.
            page: Page of the results, five requests each.
        """
        found = [row for row in self._requests() if status in (None, row.status) and form in (None, row.form)]
        found.sort(key=lambda request: (request.asked_on, request.id), reverse=True)
        return RequestPage.of(found, page, credit=self.readers.require(self.reader_id).credit)

    @tool(
        writes=True,
        ask=(
            "cancel {request_id}",
            "call off {request_id}",
            "tell the lending desk that I no longer need {request_id}",
            "withdraw {request_id}",
        ),
        reply=("It is cancelled. The fee is {fee}, and {refund} goes back to your credit.",),
        where=(
            OWN_REQUEST,
            Having(parameter="request_id", field="status", among=("ordered",)),
            Ends(parameter="request_id"),
        ),
    )
    def cancel_request(self, request_id: RequestId) -> Refund:
        """Cancel a copy that is on order and not there yet: free on the same day, 2 dollars later.

        Args:
            request_id: Request to cancel.
        """
        request = owned(self.requests.require(request_id), "reader_id", self.reader_id)
        standing(request_on(request, self.now.date()), ("ordered",), "cancelled")
        fee = 0.0 if request.asked_on == self.now.date() else LATE_FEE
        refund = cents(request.price - fee)
        self._charge(-refund)
        self.papers.replace(self.papers.require(request.paper_id).evolve(copy_state="none"))
        self.requests.replace(request.evolve(status="cancelled"))
        return Refund(request_id=request.id, fee=fee, refund=refund)

    def _requests(self) -> list[CopyRequest]:
        """The reader's own requests, as they stand today."""
        rows = self.requests.values()
        return [request_on(row, self.now.date()) for row in rows if row.reader_id == self.reader_id]

    def _papers(self) -> list[Paper]:
        """All papers, as they are for the reader today."""
        arrived = {row.paper_id for row in self._requests() if row.status == "delivered"}
        return [paper_on(paper, arrived, self.now.date()) for paper in self.papers.values()]

    def _paper(self, paper_id: str) -> Paper:
        wanted = self.papers.require(paper_id)
        return next(paper for paper in self._papers() if paper.id == wanted.id)

    def _mine(self, reading_id: str) -> SavedPaper:
        reading = owned(self.readings.require(reading_id), "reader_id", self.reader_id)
        return reading_on(reading, self._paper(reading.paper_id))

    def _readable(self, reading_id: str, page: int) -> SavedPaper:
        """A saved paper of one's own whose full text is at hand and that has this page."""
        reading = self._mine(reading_id)
        if not reading.full_text:
            raise ToolError("precondition_failed", f"You do not have the full text of the {reading.lead} paper.")
        if page > reading.pages:
            raise ToolError("invalid_argument", f"The {reading.lead} paper has {reading.pages} pages.")
        return reading

    def _kept_by_journal(self, paper_id: str) -> Paper:
        paper = self._paper(paper_id)
        if paper.retracted:
            raise ToolError("precondition_failed", f"{paper.journal} has retracted the {paper.lead} paper.")
        return paper

    def _charge(self, amount: float) -> None:
        """Take an amount from the reader's credit; a negative one is paid back."""
        reader = self.readers.require(self.reader_id)
        if amount > reader.credit:
            raise ToolError(
                "limit_exceeded", f"The copy costs {amount:.2f} dollars, the credit is {reader.credit:.2f}."
            )
        self.readers.replace(reader.evolve(credit=cents(reader.credit - amount)))

    @staticmethod
    def _latest(papers: Iterable[Paper]) -> list[Paper]:
        return sorted(papers, key=lambda paper: (paper.published_on, paper.id), reverse=True)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """A busy field with two pages of papers, others, and the reader's library and copies in every condition."""
        return cls.model_validate(papers(world, size))
