"""Who is busy when: it follows from the meetings that somebody organises or has accepted, and from absences.

Somebody is a colleague's id, or None for the signed-in person.
"""

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from envfactory.catalogue.office._calendar_records import (
    Absence,
    CalendarEvent,
    CalendarUser,
    Colleague,
    Guest,
    Invitation,
    Response,
    Slot,
)
from envfactory.catalogue.office._calendar_rules import check_time
from envfactory.environment import ToolError, is_workday

STEP = dt.timedelta(minutes=30)


class Diaries(NamedTuple):
    """Everybody's diaries, at a moment."""

    now: dt.datetime
    events: Iterable[CalendarEvent]
    guests: Iterable[Guest]
    invitations: Iterable[Invitation]
    absences: Iterable[Absence]

    def attended(self, who: str | None) -> list[CalendarEvent]:
        """Scheduled meetings that somebody organises or has accepted."""
        if who is None:
            accepted = {i.event_id for i in self.invitations if i.response == "accepted"}
        else:
            theirs = (guest for guest in self.guests if guest.colleague_id == who)
            accepted = {guest.event_id for guest in theirs if guest.response == "accepted"}
        scheduled = [event for event in self.events if event.status == "scheduled"]
        return [event for event in scheduled if event.host_id == who or event.id in accepted]

    def attended_with(self, colleague: Colleague | None) -> list[CalendarEvent]:
        """Those of the signed-in person's meetings that a colleague, if one is given, organises or has accepted too."""
        mine = self.attended(None)
        if colleague is None:
            return mine
        theirs = {event.id for event in self.attended(colleague.id)}
        return [event for event in mine if event.id in theirs]

    def clash(self, who: str | None, starts_at: dt.datetime, minutes: int, besides: str = "") -> CalendarEvent | None:
        """A meeting, another than `besides`, that keeps somebody busy at that time."""
        ends_at = starts_at + dt.timedelta(minutes=minutes)
        busy = (e for e in self.attended(who) if e.starts_at < ends_at and e.ends_at > starts_at)
        return next((event for event in busy if event.id != besides), None)

    def away(self, who: str | None, day: dt.date) -> bool:
        """Whether somebody is away on a day."""
        return any(a.colleague_id == who and a.since <= day <= a.until for a in self.absences)

    def answer(self, colleague_id: str, day: dt.date) -> Response:
        """How a colleague answers an invitation at once: whoever is away declines."""
        return "declined" if self.away(colleague_id, day) else "pending"

    def check_free(self, starts_at: dt.datetime, minutes: int, besides: str = "") -> None:
        """Refuse a time at which the signed-in person is in a meeting."""
        clash = self.clash(None, starts_at, minutes, besides)
        if clash is not None:
            raise ToolError("conflict", f"You have the {clash.title} at {clash.starts_at:%H:%M} on {clash.day}.")

    def check_bookable(self, starts_at: dt.datetime, minutes: int, besides: str = "") -> None:
        """Refuse a time at which no meeting can be, or at which the signed-in person is away or in a meeting."""
        check_time(starts_at, minutes, self.now)
        if self.away(None, starts_at.date()):
            raise ToolError("invalid_argument", f"{starts_at:%Y-%m-%d} is when you are out of office.")
        self.check_free(starts_at, minutes, besides)

    def check_acceptable(self, event: CalendarEvent) -> None:
        """Refuse to accept a meeting while the signed-in person is in another one or away."""
        self.check_free(event.starts_at, event.minutes)
        if self.away(None, event.day):
            raise ToolError("conflict", f"You are out of office on {event.day}.")

    def check_all_in(self, others: Iterable[Colleague], day: dt.date) -> None:
        """Refuse a day that is past or on which the signed-in person or one of the others does not work."""
        if not is_workday(day):
            raise ToolError("invalid_argument", f"Nobody works on {day}, which is a weekend.")
        if day < self.now.date():
            raise ToolError("invalid_argument", f"{day} is past.")
        if self.away(None, day):
            raise ToolError("conflict", f"You are out of office on {day}.")
        for person in others:
            if self.away(person.id, day):
                raise ToolError("conflict", f"{person.name} is away on {day}.")

    def slots(self, user: CalendarUser, others: list[Colleague], day: dt.date, minutes: int) -> list[Slot]:
        """Times to come of a day, every half hour, at which all are free and at work; somebody's day off is refused."""
        self.check_all_in(others, day)
        calendars = [None, *(person.id for person in others)]
        length = dt.timedelta(minutes=minutes)
        start = dt.datetime.combine(day, max(person.works_from for person in (user, *others)))
        end = dt.datetime.combine(day, min(person.works_until for person in (user, *others)))
        found: list[Slot] = []
        while start + length <= end:
            if start > self.now and all(self.clash(who, start, minutes) is None for who in calendars):
                found.append(Slot(starts_at=start, ends_at=start + length))
            start += STEP
        return found
