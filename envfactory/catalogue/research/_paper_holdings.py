"""The library as one reader has it today: papers that opened meanwhile, copies that arrived, what can be read."""

import datetime as dt

from envfactory.catalogue.research import _paper_rules as rules
from envfactory.catalogue.research._paper_records import Citation, CopyRequest, Paper, PaperDetails, SavedPaper
from envfactory.environment import Table, ToolError, owned


class Holdings:
    """What there is for a reader on a day; it changes nothing."""

    def __init__(
        self,
        reader_id: str,
        today: dt.date,
        papers: Table[Paper],
        citations: Table[Citation],
        readings: Table[SavedPaper],
        requests: Table[CopyRequest],
    ) -> None:
        self.reader_id, self.today = reader_id, today
        self._papers, self._citations, self._readings, self._requests = papers, citations, readings, requests

    @property
    def requests(self) -> list[CopyRequest]:
        """The reader's own requests."""
        mine = (row for row in self._requests.values() if row.reader_id == self.reader_id)
        return [rules.request_on(row, self.today) for row in mine]

    @property
    def papers(self) -> list[Paper]:
        """All papers."""
        arrived = {row.paper_id for row in self.requests if row.status == "delivered"}
        return [rules.paper_on(paper, arrived, self.today) for paper in self._papers.values()]

    @property
    def readings(self) -> list[SavedPaper]:
        """The papers that the reader has saved."""
        return [self.reading(row.id) for row in self._readings.values() if row.reader_id == self.reader_id]

    def paper(self, paper_id: str) -> Paper:
        """One paper."""
        wanted = self._papers.require(paper_id)
        return next(paper for paper in self.papers if paper.id == wanted.id)

    def sound(self, paper_id: str) -> Paper:
        """A paper that its journal has not taken back."""
        paper = self.paper(paper_id)
        if paper.retracted:
            raise ToolError("precondition_failed", f"{paper.journal} has retracted the {paper.lead} paper.")
        return paper

    def details(self, paper_id: str) -> PaperDetails:
        """A paper with those of this library that it cites."""
        paper = self.paper(paper_id)
        cited = {link.cited_id for link in self._citations.values() if link.citing_id == paper.id}
        return rules.details(paper, rules.latest(other for other in self.papers if other.id in cited))

    def citing(self, paper_id: str, *, influential: bool) -> list[Paper]:
        """Papers that cite one, or build on it if `influential`, the latest first."""
        cited = self._papers.require(paper_id)
        links = (link for link in self._citations.values() if link.cited_id == cited.id)
        citing = {link.citing_id for link in links if link.influential or not influential}
        return rules.latest(other for other in self.papers if other.id in citing)

    def reading(self, reading_id: str) -> SavedPaper:
        """One of the reader's saved papers; other people's are refused."""
        reading = owned(self._readings.require(reading_id), "reader_id", self.reader_id)
        return rules.reading_on(reading, self.paper(reading.paper_id))

    def readable(self, reading_id: str, page: int) -> SavedPaper:
        """A saved paper whose full text is at hand and that has this page."""
        reading = self.reading(reading_id)
        if not reading.full_text:
            raise ToolError("precondition_failed", f"You do not have the full text of the {reading.lead} paper.")
        if page > reading.pages:
            raise ToolError("invalid_argument", f"The {reading.lead} paper has {reading.pages} pages.")
        return reading
