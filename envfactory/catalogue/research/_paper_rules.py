"""What the calendar does by itself, which papers are found, and when a copy may be ordered and what it costs."""

import datetime as dt
from collections.abc import Collection, Iterable, Sequence

from envfactory.catalogue.research._paper_records import (
    CopyRequest,
    Dropped,
    Form,
    LibraryReader,
    Order,
    Paper,
    PaperDetails,
    PaperNote,
    SavedPaper,
    Shelf,
    Topic,
)
from envfactory.environment import ToolError, cents

PER_PAGE = {"scan": 0.25, "print": 0.5}
POSTAGE = {"scan": 2.0, "print": 6.0}
DAYS = {"scan": 3, "print": 8}
"""How long a copy takes."""
URGENT_DAYS = 1
URGENT_FEE = 9.0
LATE_FEE = 2.0
"""What it costs to cancel a copy later than on the day it was ordered."""
SOON_DAYS = 14
"""Papers that open within so many days are not copied."""
DAYS_OF_YEAR = 365.25
MOST_REQUESTS = 4
"""Copies that a reader may have on order at once."""
MOST_NOTES = 12
"""Notes on one saved paper."""


def request_on(request: CopyRequest, today: dt.date) -> CopyRequest:
    """A request as it stands on a day: what was on order is delivered when it is due."""
    return request.evolve(status="delivered") if request.status == "ordered" and request.due_on <= today else request


def paper_on(paper: Paper, arrived: Collection[str], today: dt.date) -> Paper:
    """A paper as it is on a day: open if it opened meanwhile, held if its copy is among the arrived."""
    if paper.opens_on is not None and paper.opens_on <= today:
        paper = paper.evolve(access="open")
    return paper.evolve(copy_state="held") if paper.id in arrived else paper


def reading_on(reading: SavedPaper, paper: Paper) -> SavedPaper:
    """A saved paper, whose text is at hand as soon as the paper, as it is now, can be read."""
    return reading if reading.full_text else reading.evolve(full_text=can_be_read(paper))


def can_be_read(paper: Paper) -> bool:
    """Whether the reader can have the full text of a paper as it is now."""
    return paper.access == "open" or paper.copy_state == "held"


def latest(papers: Iterable[Paper]) -> list[Paper]:
    """Papers, those that appeared last on top."""
    return sorted(papers, key=lambda paper: (paper.published_on, paper.id), reverse=True)


def found(
    papers: Iterable[Paper], today: dt.date, *, topic: Topic | None, lead: str | None, subject: str | None,
    years: int | None,
) -> list[Paper]:  # fmt: skip
    """Papers of a field, by a first author, about something, of so many years up to today: whatever is asked for.

    Raises:
        ToolError: neither field nor author nor subject is asked for.
    """
    if topic is None and lead is None and subject is None:
        raise ToolError("invalid_argument", "Say a field of research, a first author or a subject at least.")
    return [
        paper
        for paper in papers
        if topic in (None, paper.topic)
        and (lead is None or lead.casefold() == paper.lead.casefold())
        and (subject is None or subject.casefold() in paper.subject.casefold())
        and (years is None or (today - paper.published_on).days <= years * DAYS_OF_YEAR)
    ]


def ranked(papers: Iterable[Paper], order: Order) -> list[Paper]:
    """Papers as they are listed; what is alike comes with the latest on top."""
    newest = latest(papers)
    if order == "newest":
        return newest
    return sorted(newest, key=lambda paper: -paper.citations if order == "most_cited" else paper.pages)


def details(paper: Paper, references: Sequence[Paper]) -> PaperDetails:
    """A paper with those that it cites."""
    return PaperDetails(
        paper_id=paper.id, title=paper.title, journal=paper.journal, published_on=paper.published_on,
        access=paper.access, opens_on=paper.opens_on, retracted=paper.retracted, pages=paper.pages,
        citations=paper.citations, saved=paper.saved, copy_state=paper.copy_state, authors=paper.authors,
        references=tuple(references),
    )  # fmt: skip


def new_reading(key: str, reader_id: str, paper: Paper, shelf: Shelf, today: dt.date) -> SavedPaper:
    """A paper on a shelf of a reader's."""
    return SavedPaper(
        id=key, reader_id=reader_id, paper_id=paper.id, lead=paper.lead, subject=paper.subject, shelf=shelf,
        pages=paper.pages, full_text=can_be_read(paper), saved_on=today,
    )  # fmt: skip


def dropped(reading: SavedPaper) -> Dropped:
    """What taking a saved paper out of the library comes to."""
    return Dropped(
        paper_id=reading.paper_id, lead=reading.lead, subject=reading.subject, shelf=reading.shelf, notes=reading.notes
    )


def check_notes(reading: SavedPaper) -> None:
    """Refuse one more note than a saved paper takes."""
    if reading.notes >= MOST_NOTES:
        raise ToolError("limit_exceeded", f"A saved paper takes {MOST_NOTES} notes at most.")


def new_note(key: str, reading: SavedPaper, on_page: int, text: str) -> PaperNote:
    """A note beside a page of a saved paper."""
    return PaperNote(
        id=key, reader_id=reading.reader_id, reading_id=reading.id, lead=reading.lead, on_page=on_page, text=text
    )


def price_of(pages: int, form: Form, *, urgent: bool) -> float:
    """What a copy costs: so much a page, postage, and a fee if it is urgent."""
    return cents(PER_PAGE[form] * pages + POSTAGE[form] + (URGENT_FEE if urgent else 0.0))


def new_request(
    key: str, reader_id: str, paper: Paper, form: Form, today: dt.date, needed_by: dt.date | None, *, urgent: bool
) -> CopyRequest:
    """A copy of a paper that is ordered today."""
    due = today + dt.timedelta(days=URGENT_DAYS if urgent else DAYS[form])
    return CopyRequest(
        id=key, reader_id=reader_id, paper_id=paper.id, lead=paper.lead, subject=paper.subject, form=form,
        price=price_of(paper.pages, form, urgent=urgent), asked_on=today, due_on=due, needed_by=needed_by,
    )  # fmt: skip


def check_copy(paper: Paper, request: CopyRequest) -> None:
    """Refuse a copy of a paper that nobody needs, or that comes too late.

    Raises:
        ToolError: the paper is open or opens soon, there is a copy, or it is due after the day it is needed by.
    """
    today, due, needed_by = request.asked_on, request.due_on, request.needed_by
    if paper.access == "open":
        raise ToolError("precondition_failed", f"The {paper.lead} paper is open, so it needs no copy.")
    if paper.opens_on is not None and (paper.opens_on - today).days <= SOON_DAYS:
        raise ToolError("precondition_failed", f"The {paper.lead} paper opens on {paper.opens_on} by itself.")
    if paper.copy_state != "none":
        state = "a copy" if paper.copy_state == "held" else "ordered a copy"
        raise ToolError("conflict", f"You have {state} of the {paper.lead} paper already.")
    if needed_by is not None and needed_by < today:
        raise ToolError("invalid_argument", f"The copy cannot be needed by {needed_by}, which has passed.")
    if needed_by is not None and due > needed_by:
        raise ToolError("invalid_argument", f"The {request.form} would be there on {due}, not by {needed_by}.")


def check_requests(requests: Iterable[CopyRequest]) -> None:
    """Refuse one more copy on order than a reader may have."""
    if sum(request.status == "ordered" for request in requests) >= MOST_REQUESTS:
        raise ToolError("limit_exceeded", f"You have {MOST_REQUESTS} copies on order, which is as many as allowed.")


def cancellation_fee(request: CopyRequest, today: dt.date) -> float:
    """What is kept of the price of a copy that is cancelled today."""
    return 0.0 if request.asked_on == today else LATE_FEE


def charged(reader: LibraryReader, amount: float) -> LibraryReader:
    """A reader with an amount taken from their credit; a negative one is paid back.

    Raises:
        ToolError: the credit is smaller.
    """
    if amount > reader.credit:
        raise ToolError("limit_exceeded", f"The copy costs {amount:.2f} dollars, the credit is {reader.credit:.2f}.")
    return reader.evolve(credit=cents(reader.credit - amount))
