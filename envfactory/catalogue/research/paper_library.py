"""A library of research papers: follow citations, keep shelves with notes, and order copies of closed papers.

What can be read follows from access and the calendar: an open paper at once, a closed one when its copy is there, or
when it opens. Copies are paid for from a yearly credit and take their days; a retracted paper can be looked at only.
"""

import datetime as dt
from typing import Literal, Self

from envfactory.catalogue.research import _paper_records as rec
from envfactory.catalogue.research import _paper_relations as relations
from envfactory.catalogue.research import _paper_rules as rules
from envfactory.catalogue.research._paper_holdings import Holdings
from envfactory.catalogue.research._paper_scenario import papers
from envfactory.environment import Environment, PageNumber, Table, ToolError, World, cents, owned, standing, tool


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

    reader_id: rec.ReaderId
    """Reader whose session this is."""
    readers: Table[rec.LibraryReader]
    papers: Table[rec.Paper]
    citations: Table[rec.Citation]
    readings: Table[rec.SavedPaper]
    notes: Table[rec.PaperNote]
    requests: Table[rec.CopyRequest]

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
        where=relations.SEARCHING,
    )
    def search_papers(
        self,
        topic: rec.Topic | None = None,
        lead: rec.Surname | None = None,
        subject: rec.Subject | None = None,
        years: rec.Years | None = None,
        open_access: bool = False,
        sort: rec.Order = "newest",
        page: PageNumber = 1,
    ) -> rec.PaperPage:
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
        papers, today = self._holdings.papers, self.now.date()
        found = rules.found(papers, today, topic=topic, lead=lead, subject=subject, years=years)
        if open_access:
            found = [paper for paper in found if paper.access == "open"]
        return rec.PaperPage.of(rules.ranked(found, sort), page)

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
    def get_paper(self, paper_id: rec.PaperId) -> rec.PaperDetails:
        """Get a paper with its authors, and the papers of this library that it cites.

        Args:
            paper_id: Paper to look at.
        """
        return self._holdings.details(paper_id)

    @tool(
        ask=(
            "see which papers cite {paper_id}[influential? and build on it]",
            "find[influential? influential] papers that cite {paper_id}",
            "list the later work that cites {paper_id}[influential? and really builds on it]",
            "show me who cites {paper_id}[influential? and relies on its results]",
        ),
        noun="paper that cites {paper_id}[influential? and builds on it]",
        reply=("It is cited by {papers}.", "No paper of this library cites it."),
        where=relations.CITED,
    )
    def list_citing_papers(
        self, paper_id: rec.PaperId, influential: bool = False, page: PageNumber = 1
    ) -> rec.PaperPage:
        """List the papers that cite a paper, the latest first.

        Args:
            paper_id: Paper that is cited.
            influential: Only papers that build on it.
            page: Page of the results, five papers each.
        """
        return rec.PaperPage.of(self._holdings.citing(paper_id, influential=influential), page)

    @tool(
        writes=True,
        ask=(
            "save {paper_id} to my {shelf} shelf",
            "put {paper_id} on the {shelf} shelf of my library",
            "add {paper_id} to my library, on the {shelf} shelf",
            "keep {paper_id} for me on my {shelf} shelf",
        ),
        reply=("The {lead} paper on {subject} is on your {shelf} shelf.",),
        where=relations.SAVING,
    )
    def save_paper(self, paper_id: rec.PaperId, shelf: rec.Shelf) -> rec.SavedPaper:
        """Save a paper to the signed-in reader's library.

        Args:
            paper_id: Paper to save.
            shelf: Shelf to put it on.
        """
        paper = self._holdings.sound(paper_id)
        if paper.saved:
            raise ToolError("conflict", f"The {paper.lead} paper is in your library already.")
        self.papers.replace(paper.evolve(saved=True))
        new = rules.new_reading(self.new_id("SP"), self.reader_id, paper, shelf, self.now.date())
        return self.readings.insert(new)

    @tool(
        writes=True,
        ask=(
            "move {reading_id} to my {shelf} shelf",
            "put {reading_id} on the {shelf} shelf instead",
            "shift {reading_id} over to my {shelf} shelf",
            "switch {reading_id} to the {shelf} shelf",
        ),
        reply=("The {lead} paper is on your {shelf} shelf now.",),
        where=relations.MOVING,
    )
    def move_to_shelf(self, reading_id: rec.ReadingId, shelf: rec.Shelf) -> rec.SavedPaper:
        """Put a saved paper on another shelf; bookmark and notes stay as they are.

        Args:
            reading_id: Saved paper to move.
            shelf: Shelf to put it on.
        """
        reading = self._holdings.reading(reading_id)
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
        shelf: rec.Shelf | None = None,
        status: rec.ReadingStatus | None = None,
        sort: Literal["date", "length"] = "date",
        page: PageNumber = 1,
    ) -> rec.ReadingPage:
        """List the papers in the signed-in reader's library.

        Args:
            shelf: Only papers on this shelf.
            status: Only papers that are read so far.
            sort: Order: saved last on top, or fewest pages first.
            page: Page of the results, five papers each.
        """
        found = [row for row in self._holdings.readings if shelf in (None, row.shelf) and status in (None, row.status)]
        found.sort(key=lambda reading: (reading.saved_on, reading.id), reverse=True)
        if sort == "length":
            found.sort(key=lambda reading: reading.pages)
        return rec.ReadingPage.of(found, page, pages_left=sum(reading.pages - reading.bookmark for reading in found))

    @tool(
        writes=True,
        ask=(
            "note that I am on page {page_reached} of {reading_id}",
            "set my bookmark in {reading_id} to page {page_reached}",
            "mark {reading_id} as read up to page {page_reached}",
            "record that I have come to page {page_reached} in {reading_id}",
        ),
        reply=("You are on page {bookmark} of the {lead} paper; it counts as {status}.",),
        where=relations.READING,
    )
    def record_progress(self, reading_id: rec.ReadingId, page_reached: rec.PageOfPaper) -> rec.SavedPaper:
        """Record how far a saved paper is read; it is finished with its last page.

        Args:
            reading_id: Saved paper that is being read.
            page_reached: Page that the reader has come to.
        """
        reading = standing(self._holdings.readable(reading_id, page_reached), ("unread", "started"), "read any further")
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
        where=relations.NOTING,
    )
    def add_note(self, reading_id: rec.ReadingId, on_page: rec.PageOfPaper, text: rec.NoteText) -> rec.PaperNote:
        """Write a note beside a page of a saved paper; twelve at most.

        Args:
            reading_id: Saved paper to write on.
            on_page: Page that the note is about.
            text: What the note says.
        """
        reading = self._holdings.readable(reading_id, on_page)
        rules.check_notes(reading)
        self.readings.replace(reading.evolve(notes=reading.notes + 1))
        return self.notes.insert(rules.new_note(self.new_id("PN"), reading, on_page, text))

    @tool(
        ask=(
            "list my notes[ on {reading_id}]",
            "show me what I noted[ in {reading_id}]",
            "read me my notes[ from {reading_id}]",
            "look up the notes I wrote[ in {reading_id}]",
        ),
        noun="note of mine[ on {reading_id}]",
        reply=("Your notes: {notes}.", "You have no such note."),
        where=relations.NOTES,
    )
    def list_notes(self, reading_id: rec.ReadingId | None = None, page: PageNumber = 1) -> rec.NotePage:
        """List the signed-in reader's notes, paper by paper from the first page on.

        Args:
            reading_id: Only notes on this saved paper.
            page: Page of the results, five notes each.
        """
        about = self._holdings.reading(reading_id).id if reading_id is not None else None
        found = [
            note
            for note in self.notes.values()
            if note.reader_id == self.reader_id and about in (None, note.reading_id)
        ]
        found.sort(key=lambda note: (note.reading_id, note.on_page, note.id))
        return rec.NotePage.of(found, page)

    @tool(
        writes=True,
        ask=("delete {note_id}", "remove {note_id}", "erase {note_id}", "get rid of {note_id}"),
        reply=("The note on page {on_page} of the {lead} paper is gone.",),
        where=relations.ERASING,
    )
    def delete_note(self, note_id: rec.NoteId) -> rec.Erased:
        """Delete a note of the signed-in reader.

        Args:
            note_id: Note to delete.
        """
        note = owned(self.notes.require(note_id), "reader_id", self.reader_id)
        reading = self._holdings.reading(note.reading_id)
        self.notes.delete(note.id)
        self.readings.replace(reading.evolve(notes=reading.notes - 1))
        return rec.Erased(lead=note.lead, on_page=note.on_page, notes=reading.notes - 1)

    @tool(
        writes=True,
        ask=(
            "take {reading_id} out of my library",
            "remove {reading_id} from my shelves",
            "delete {reading_id} from my library",
            "clear {reading_id} off its shelf for good",
        ),
        reply=("The {lead} paper is off your {shelf} shelf, and {notes} went with it.",),
        where=relations.DROPPING,
    )
    def drop_paper(self, reading_id: rec.ReadingId) -> rec.Dropped:
        """Take a paper out of the signed-in reader's library, with the notes on it.

        Args:
            reading_id: Saved paper to take out.
        """
        reading = self._holdings.reading(reading_id)
        for note in [note for note in self.notes.values() if note.reading_id == reading.id]:
            self.notes.delete(note.id)
        self.readings.delete(reading.id)
        self.papers.replace(self.papers.require(reading.paper_id).evolve(saved=False))
        return rules.dropped(reading)

    @tool(
        writes=True,
        ask=(
            "order a[urgent?n urgent] {form} of {paper_id}[, needed by {needed_by}]",
            "request {paper_id} from the lending desk as a {form}[urgent?, urgently][, to be here by {needed_by}]",
            "get me a {form} of {paper_id}[urgent? as an urgent order][ by {needed_by}]",
            "ask for {paper_id} as a {form}[urgent? with urgent handling][, no later than {needed_by}]",
        ),
        reply=("A {form} of the {lead} paper is ordered for {price}; it is there on {due_on}.",),
        where=relations.ORDERING,
    )
    def request_copy(
        self, paper_id: rec.PaperId, form: rec.Form, urgent: bool = False, needed_by: dt.date | None = None
    ) -> rec.CopyRequest:
        """Order a copy of a closed paper, to be paid from the signed-in reader's credit.

        Args:
            paper_id: Paper to be copied.
            form: How it shall be copied.
            urgent: Whether it shall take a single day, for 9 dollars more.
            needed_by: Last day on which the copy is of use.
        """
        holdings, today = self._holdings, self.now.date()
        paper = holdings.sound(paper_id)
        request = rules.new_request(self.new_id("CR"), self.reader_id, paper, form, today, needed_by, urgent=urgent)
        rules.check_copy(paper, request)
        rules.check_requests(holdings.requests)
        self._charge(request.price)
        self.papers.replace(paper.evolve(copy_state="ordered"))
        return self.requests.insert(request)

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
        self, status: rec.RequestStatus | None = None, form: rec.Form | None = None, page: PageNumber = 1
    ) -> rec.RequestPage:
        """List the copies that the signed-in reader asked for, the latest first, and the credit that is left.

        Args:
            status: Only requests that stand like this.
            form: Only copies of this form.
            page: Page of the results, five requests each.
        """
        found = [row for row in self._holdings.requests if status in (None, row.status) and form in (None, row.form)]
        found.sort(key=lambda request: (request.asked_on, request.id), reverse=True)
        return rec.RequestPage.of(found, page, credit=self.readers.require(self.reader_id).credit)

    @tool(
        writes=True,
        ask=(
            "cancel {request_id}",
            "call off {request_id}",
            "tell the lending desk that I no longer need {request_id}",
            "withdraw {request_id}",
        ),
        reply=("It is cancelled. The fee is {fee}, and {refund} goes back to your credit.",),
        where=relations.CANCELLING,
    )
    def cancel_request(self, request_id: rec.RequestId) -> rec.Refund:
        """Cancel a copy that is on order and not there yet: free on the same day, 2 dollars later.

        Args:
            request_id: Request to cancel.
        """
        request = owned(self.requests.require(request_id), "reader_id", self.reader_id)
        standing(rules.request_on(request, self.now.date()), ("ordered",), "cancelled")
        fee = rules.cancellation_fee(request, self.now.date())
        refund = cents(request.price - fee)
        self._charge(-refund)
        self.papers.replace(self.papers.require(request.paper_id).evolve(copy_state="none"))
        self.requests.replace(request.evolve(status="cancelled"))
        return rec.Refund(request_id=request.id, fee=fee, refund=refund)

    @property
    def _holdings(self) -> Holdings:
        return Holdings(self.reader_id, self.now.date(), self.papers, self.citations, self.readings, self.requests)

    def _charge(self, amount: float) -> None:
        """Take an amount from the reader's credit; a negative one is paid back."""
        self.readers.replace(rules.charged(self.readers.require(self.reader_id), amount))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """A busy field with two pages of papers, others, and the reader's library and copies in every condition."""
        return cls.model_validate(papers(world, size))
