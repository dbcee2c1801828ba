"""The paper library of a scenario: a busy field, papers open, closed and retracted, and one reader's own shelves."""

import datetime as dt
from typing import Any, get_args

from envfactory.catalogue.research._paper_records import (
    Citation,
    CopyRequest,
    Form,
    LibraryReader,
    Paper,
    PaperNote,
    ReadingStatus,
    RequestStatus,
    SavedPaper,
    Shelf,
    Topic,
)
from envfactory.catalogue.research._paper_rules import DAYS, price_of
from envfactory.environment import Person, World, by_id

_TOPICS: tuple[Topic, ...] = get_args(get_args(Topic)[0])
_SUBJECTS: dict[Topic, tuple[str, ...]] = {
    "climate_science": ("heat waves", "glacier melt", "monsoon rainfall", "soil carbon", "urban heat", "storm surges"),
    "immunology": ("vaccine memory", "gut inflammation", "antibody decay", "food allergies", "T cell ageing", "sepsis"),
    "linguistics": ("vowel shifts", "sign languages", "code switching", "word order", "child speech", "loanwords"),
    "machine_learning": (
        "sparse attention", "tabular data", "label noise", "graph sampling", "model pruning", "active learning",
    ),
    "marine_biology": (
        "coral bleaching", "whale migration", "kelp forests", "deep sea vents", "oyster reefs", "plankton blooms",
    ),
    "neuroscience": ("sleep spindles", "place cells", "motor learning", "face memory", "chronic pain", "dream recall"),
}  # fmt: skip
_TITLES = (
    "Measuring {} at scale", "Rethinking {}", "A survey of {}", "Towards a better model of {}", "The limits of {}",
    "New evidence on {}", "Explaining {}", "Ten years of {}",
)  # fmt: skip
_JOURNALS = ("Annals of Open Inquiry", "Northern Letters", "Field Reports", "Methods Quarterly", "Proceedings B")
_SHELVES: tuple[Shelf, ...] = get_args(get_args(Shelf)[0])
_STATUSES: tuple[ReadingStatus, ...] = ("unread", "started", "finished", "started", "unread", "unread")
_BUSY = 8
"""How many papers the busy field has: two pages."""
_NOTES = ("check the second table", "good figure for the talk", "compare with the older study", "unclear definition")


def papers(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    people = [world.user, *world.people(2)]
    readers = [
        LibraryReader(id=f"RD-{11 + n}", name=p.name, email=p.email, credit=0.0 if n == 2 else world.money(22, 44))
        for n, p in enumerate(people)
    ]
    order = world.sample(_TOPICS, len(_TOPICS))
    authors: dict[Topic, list[Person]] = {topic: world.people(6) for topic in order}
    rows = _papers(world, max(22, size * 2 // 5), order, authors)
    whole = [paper for paper in rows if not paper.retracted]
    free = [paper for paper in whole if paper.access == "open"]
    closed = [paper for paper in whole if paper.access == "closed" and paper.opens_on is None]
    taken_back = [paper for paper in rows if paper.retracted]
    shelved = [*free[: 2 * len(_STATUSES) : 2], *closed[:2], taken_back[0]]
    readings = [_reading(world, n, paper, full=paper is not closed[1]) for n, paper in enumerate(shelved)]
    asked: tuple[tuple[Paper, RequestStatus, int], ...] = (
        (closed[0], "delivered", -20), (closed[2], "ordered", 0), (closed[3], "ordered", -2),
        (closed[4], "cancelled", -9), (closed[2], "cancelled", -30), (closed[0], "cancelled", -25),
    )  # fmt: skip
    requests = [_request(world, n, readers[0], *about) for n, about in enumerate(asked)]
    states = {closed[0].id: "held", closed[2].id: "ordered", closed[3].id: "ordered"}
    saved = {paper.id for paper in shelved}
    for n in range(max(2, size // 15)):
        other, paper = readers[1 + n % 2], world.choice(whole)
        readings.append(_reading(world, len(readings), paper, full=paper.access == "open").evolve(reader_id=other.id))
        requests.append(_request(world, len(requests), other, world.choice(closed), "ordered", world.integer(-2, 0)))
    noted = (*[readings[1]] * 4, *[readings[2]] * 2, readings[3])
    notes = [
        PaperNote(
            id=f"PN-{701 + n}", reader_id=reading.reader_id, reading_id=reading.id, lead=reading.lead,
            on_page=world.integer(1, reading.pages), text=_NOTES[n % len(_NOTES)],
        )
        for n, reading in enumerate(noted)
    ]  # fmt: skip
    return {
        "now": world.now,
        "reader_id": readers[0].id,
        "readers": by_id(readers),
        "papers": by_id(p.evolve(saved=p.id in saved, copy_state=states.get(p.id, "none")) for p in rows),
        "citations": by_id(_citations(world, rows)),
        "readings": by_id(r.evolve(notes=noted.count(r)) for r in readings),
        "notes": by_id(notes),
        "requests": by_id(requests),
    }  # fmt: skip


def _papers(world: World, count: int, order: list[Topic], authors: dict[Topic, list[Person]]) -> list[Paper]:
    rows: list[Paper] = []
    for n in range(count):
        topic = order[0] if n < _BUSY else order[n % len(order)]
        place = sum(row.topic == topic for row in rows)  # no two papers have first author and subject in common
        people = [person.name for person in authors[topic]]
        lead = people[(place + place // 6) % 6]
        others = world.sample([name for name in people if name != lead], world.integer(0, 2))
        day = world.date(-28, -3) if n % 4 == 0 else world.date(-3600, -2800) if n == 1 else world.date(-2700, -120)
        subject = _SUBJECTS[topic][place % 6]
        title = _TITLES[(n + n // 8) % len(_TITLES)].format(subject)
        rows.append(
            Paper(
                id=f"PP-{201 + n}", title=title[0].upper() + title[1:], subject=subject, topic=topic,
                lead=lead.split()[-1], authors=(lead, *others),
                journal=world.choice(_JOURNALS), published_on=day, pages=world.integer(6, 40),
                citations=world.integer(1, 12) if n % 4 == 0 else world.integer(10, 260),
                access="closed" if n % 2 else "open", opens_on=world.date(3, 12) if n == 5 else None,
                retracted=n % 11 == 8,
            )
        )  # fmt: skip
    return rows


def _citations(world: World, rows: list[Paper]) -> list[Citation]:
    """Who cites whom: nearly everybody the oldest paper, and each one a few that are older than itself."""
    found: list[Citation] = []
    for n, paper in enumerate(rows):
        older = [other for other in rows if other.published_on < paper.published_on]
        cited = world.sample(older, 1)
        if n < _BUSY:
            cited += [rows[1]] if rows[1] in older and rows[1] not in cited else []
        found += [
            Citation(
                id=f"CT-{501 + len(found) + k}",
                citing_id=paper.id,
                cited_id=each.id,
                influential=(len(found) + k) % 3 == 0,
            )
            for k, each in enumerate(cited if n < _BUSY or n % 2 else [])
        ]
    return found


def _reading(world: World, number: int, paper: Paper, *, full: bool) -> SavedPaper:
    status = _STATUSES[number % len(_STATUSES)] if full else "unread"
    page = {"unread": 0, "started": world.integer(1, paper.pages - 2), "finished": paper.pages}[status]
    return SavedPaper(
        id=f"SP-{301 + number}", reader_id="RD-11", paper_id=paper.id, lead=paper.lead, subject=paper.subject,
        shelf=_SHELVES[number * 3 % 4 if number % 2 else 0], pages=paper.pages, bookmark=page, full_text=full,
        status=status, saved_on=max(world.date(-90, -1), paper.published_on),
    )  # fmt: skip


def _request(
    world: World, number: int, reader: LibraryReader, paper: Paper, status: RequestStatus, asked: int
) -> CopyRequest:
    form: Form = "print" if number % 3 == 1 else "scan"
    asked_on = world.date(asked, asked)
    return CopyRequest(
        id=f"CR-{401 + number}", reader_id=reader.id, paper_id=paper.id, lead=paper.lead, subject=paper.subject,
        form=form, price=price_of(paper.pages, form, urgent=False), asked_on=asked_on,
        due_on=asked_on + dt.timedelta(days=DAYS[form]), status=status,
    )  # fmt: skip
