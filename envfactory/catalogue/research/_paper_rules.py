"""What the calendar does by itself, copies that arrive and papers that open, and what a copy may be ordered for."""

import datetime as dt
from collections.abc import Collection

from envfactory.catalogue.research._paper_records import CopyRequest, Form, Paper, SavedPaper
from envfactory.environment import ToolError

SOON_DAYS = 14


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


def check_copy(paper: Paper, form: Form, today: dt.date, due: dt.date, needed_by: dt.date | None) -> None:
    """Refuse a copy that nobody needs, or that comes too late.

    Raises:
        ToolError: the paper is open or opens soon, there is a copy, or it is due after the day it is needed by.
    """
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
        raise ToolError("invalid_argument", f"The {form} would be there on {due}, not by {needed_by}.")
