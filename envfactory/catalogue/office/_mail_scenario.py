"""The mailbox of a scenario: mail of people and services in every folder, drafts, waiting mail; another person's."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.office import _mail_rules as rules
from envfactory.catalogue.office._mail_records import Email, FileKind, Mailbox, MailFile, MailFolder, MailRule, Place
from envfactory.environment import Person, World, by_id

_SYSTEM: tuple[tuple[str, Place], ...] = (
    ("Inbox", "inbox"), ("Drafts", "drafts"), ("Outbox", "outbox"), ("Sent", "sent"), ("Archive", "archive"),
    ("Junk", "junk"), ("Trash", "trash"),
)  # fmt: skip
_OWN = ("Travel", "Invoices", "Family", "Projects", "Housing", "Club")
_WHAT = (
    "lease", "budget", "choir", "garden", "kitchen", "school", "summer", "team", "train", "website", "workshop",
    "wedding", "insurance", "concert", "roof", "museum", "bicycle", "holiday", "library", "bakery",
)  # fmt: skip
_OF_IT = ("plans", "photos", "invoice", "contract", "meeting", "schedule", "offer", "checklist", "summary")
_TEXTS = (
    "It would be good if you had a look at this before the weekend.",
    "Here is what we talked about.",
    "I hope that this suits you.",
    "Everything that we need is in here.",
    "There is a change that you should know of.",
    "Thank you for your help with this.",
    "I look forward to hearing what you think of it.",
)
_ANSWERS = ("That suits me well.", "Thank you, I will read it.", "We can talk about it soon.", "I agree.")
_SERVICES = (
    ("Rail Alerts", "timetable changes", "Some trains run at other times next week."),
    ("Daily Digest", "news of the day", "The stories that our readers liked most."),
    ("City Council", "street works", "Your street will be closed for some days."),
    ("Online Bank", "monthly statement", "Your new statement is there."),
)
_SPAM = (
    ("Lucky Draw Team", "prize draw", "You have won a prize, it only waits for your address."),
    ("Cheap Watches", "spring sale", "All watches are cheap, but only today."),
)
_FILES: tuple[tuple[str, FileKind], ...] = (
    ("floor plan", "picture"), ("group photo", "picture"), ("logo", "picture"), ("harbour view", "picture"),
    ("cost estimate", "spreadsheet"), ("guest list", "spreadsheet"), ("hours in February", "spreadsheet"),
    ("yearly budget", "spreadsheet"), ("project pitch", "presentation"), ("quarterly review", "presentation"),
    ("welcome slides", "presentation"), ("city tour", "presentation"), ("rental contract", "document"),
    ("cover letter", "document"), ("house rules", "document"), ("meeting notes", "document"),
    ("travel itinerary", "document"), ("packing list", "document"),
)  # fmt: skip
_ANSWERED: tuple[tuple[Place, Place], ...] = (
    ("inbox", "drafts"), ("inbox", "outbox"), ("archive", "sent"), ("inbox", "trash"),
)  # fmt: skip
"""Where e-mails lie that were answered, and their answers."""
_WRITTEN: tuple[tuple[Place, int], ...] = (
    ("drafts", 2), ("drafts", 0), ("drafts", 1), ("outbox", 1), ("outbox", 0), ("sent", 1),
)  # fmt: skip
"""Where the person's own e-mails lie, and how many files they carry."""
_MIX: dict[Place, float] = {"inbox": 5, "own": 3, "archive": 1.5, "sent": 1.5, "drafts": 0.8, "outbox": 0.4}
"""Where all others lie, by weight."""
_ROOM = 45
"""Megabytes that are left in the mailbox at least."""
_STEP = 50
"""Megabytes in which mailboxes are sold."""


class _Sender(NamedTuple):
    """Who writes: a person, or a service that reads no answers."""

    name: str
    address: str | None


def mailbox(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state: about `size` e-mails, and some sixty other records."""
    people = world.people(max(10, size // 6) + 1)
    mine = _Filling(world, "1", world.user, people[1:], 0)
    mine.fill(max(30, size))
    theirs = _Filling(world, "2", people[0], people[1:], 5000)
    theirs.fill(10)
    both = (mine, theirs)
    return {
        "now": world.now,
        "mailbox_id": mine.me.id,
        "mailboxes": by_id([each.measured() for each in both]),
        "folders": by_id([folder for each in both for folder in each.folders]),
        "files": by_id([file for each in both for file in each.files]),
        "emails": by_id([email for each in both for email in each.emails]),
        "sender_rules": by_id([rule for each in both for rule in each.rules]),
    }


class _Filling:
    """One mailbox as it fills."""

    def __init__(self, world: World, key: str, person: Person, people: list[Person], first: int) -> None:
        self.world, self.people, self.first = world, people, first
        self.me = Mailbox(id=f"MB-{key}", name=person.name, address=person.email, quota=0)
        named: list[tuple[str, Place]] = [(name, "own") for name in world.sample(_OWN, 4)]
        places = [*_SYSTEM[:5], *named, *_SYSTEM[5:]]
        self.folders = [
            MailFolder(id=f"FO-{key}{n:02}", mailbox_id=self.me.id, name=name, place=place)
            for n, (name, place) in enumerate(places, 1)
        ]
        self.files = [
            MailFile(
                id=f"FI-{first + 101 + n}", mailbox_id=self.me.id, name=name, kind=kind,
                megabytes=world.integer(1, 4) if kind in ("document", "spreadsheet") else world.integer(3, 9),
                saved_on=world.date(-200, -1),
            )
            for n, (name, kind) in enumerate(world.sample(_FILES, len(_FILES)))
        ]  # fmt: skip
        self.subjects = world.sample(
            [f"{what} {of_it}" for what in _WHAT for of_it in _OF_IT], len(_WHAT) * len(_OF_IT)
        )
        self.emails: list[Email] = []
        self.rules: list[MailRule] = []

    def measured(self) -> Mailbox:
        """The mailbox with a quota that leaves room, but little of it."""
        used = sum(email.megabytes for email in self.emails if email.place != "trash")
        return self.me.evolve(quota=-(-(used + _ROOM) // _STEP) * _STEP)

    def fill(self, count: int) -> None:
        """Fill it with so many e-mails, what each tool is about among them."""
        world, senders = self.world, [_Sender(person.name, person.email) for person in self.people]
        blocked, ordinary = senders[0], senders[1:]
        self._receive(ordinary[0], "inbox", self._next(), confidential=True, files=self.files[:1])
        told = self._receive(ordinary[1], "inbox", self._next(), confidential=True)
        self._write(told, "drafts", -1)
        for place, answered in _ANSWERED:
            about = self._receive(world.choice(ordinary), place, self._next(), several=True, age=world.integer(4, 20))
            self._write(about, answered, -3)
        for place, files in _WRITTEN:
            self._compose(world.choice(ordinary).address or "", place, self.files[1 + files : 1 + 2 * files])
        self._receive(blocked, "junk", self._next())
        for name, subject, text in _SPAM:
            self._receive(_Sender(name, None), "junk", subject, text)
        for name, subject, text in _SERVICES:
            self._receive(_Sender(name, None), "inbox", subject, text, age=world.integer(1, 9))
        self._receive(world.choice(ordinary), "trash", self._next(), several=True)
        while len(self.emails) < count:
            place = world.weighted(_MIX)
            if place in ("sent", "drafts", "outbox"):
                self._compose(world.choice(ordinary).address or "", place, self._some_files())
            else:
                self._receive(
                    world.choice(ordinary), place, self._next(), files=self._some_files(), several=world.chance(0.7)
                )  # fmt: skip
        self._rule(blocked, "Junk")
        self._rule(_Sender(_SPAM[0][0], None), "Junk")
        self._rule(ordinary[0], self.folders[5].name)
        self._rule(_Sender(_SERVICES[1][0], None), "Archive")

    def _next(self) -> str:
        """What a further conversation is about."""
        return self.subjects[len(self.emails) % len(self.subjects)]

    def _some_files(self) -> list[MailFile]:
        """Files of another e-mail: mostly none; never what came in confidence."""
        return self.world.sample(self.files[1:], 1) if self.world.chance(0.35) else []

    def _moment(self, low: int, high: int) -> dt.datetime:
        """A time by day, so many days from today (negative: before)."""
        time = dt.time(self.world.integer(7, 19), self.world.integer(0, 59))
        return dt.datetime.combine(self.world.date(low, high), time)

    def _receive(
        self, sender: _Sender, place: Place, subject: str, text: str = "", *, age: int = 0, confidential: bool = False,
        several: bool = False, files: list[MailFile] | None = None,
    ) -> Email:  # fmt: skip
        world = self.world
        others = [each.email for each in world.sample(self.people, 3) if each.email != sender.address]
        return self._add(
            place, sender=sender.name, reply_to=sender.address, status="received", subject=subject,
            takes_answers=sender.address is not None, to=(self.me.address, *others[: 2 if several else 0]),
            at=self._moment(-age - 1, -age) if age else self._moment(-90, -1),
            unread=place == "inbox" and world.chance(0.5), confidential=confidential,
            text=text or world.choice(_TEXTS), files=files or [],
        )  # fmt: skip

    def _write(self, about: Email, place: Place, days: int) -> None:
        """An answer, on its way or not."""
        at = max(about.at + dt.timedelta(hours=2), self._moment(days, days))
        self._own(place, at, to=(about.reply_to or "",), subject=about.subject, form="reply", answers_id=about.id)

    def _compose(self, address: str, place: Place, files: list[MailFile]) -> None:
        at = self._moment(-40, -3) if place == "sent" else self._moment(-6, -1)
        self._own(place, at, to=(address,), subject=self._next(), files=files)

    def _own(self, place: Place, at: dt.datetime, **fields: Any) -> None:
        waits = place == "outbox"
        status = "outgoing" if waits else "sent" if place == "sent" else "draft"
        soon = not any(email.place == "outbox" for email in self.emails)
        later = self.world.now + dt.timedelta(days=self.world.integer(2, 12), hours=self.world.integer(0, 6))
        leaves_at = (self.world.now + dt.timedelta(minutes=3) if soon else later) if waits else None
        self._add(
            place, status=status, at=at, leaves_at=leaves_at,
            text=self.world.choice(_ANSWERS if "answers_id" in fields else _TEXTS), **fields,
        )  # fmt: skip

    def _add(self, place: Place, files: list[MailFile] | None = None, **fields: Any) -> Email:
        folder = self.world.choice([folder for folder in self.folders if folder.place == place])
        email = Email(
            id=f"EM-{self.first + 301 + len(self.emails)}", mailbox_id=self.me.id, folder_id=folder.id,
            folder_name=folder.name, place=folder.place, moves_to=(), **fields,
        )  # fmt: skip
        email = rules.carrying(email, tuple(map(rules.attached, files or [])))
        self.emails.append(rules.placed(email, folder, self.folders))
        return self.emails[-1]

    def _rule(self, sender: _Sender, folder_name: str) -> None:
        email = next(email for email in self.emails if email.sender == sender.name)
        folder = next(folder for folder in self.folders if folder.name == folder_name)
        self.rules.append(rules.rule(f"RU-{self.first + 201 + len(self.rules)}", email, folder))
