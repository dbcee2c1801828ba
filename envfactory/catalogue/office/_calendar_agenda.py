"""What the signed-in person has called, and is invited to, at a moment; who comes follows from everybody's diaries."""

import datetime as dt

from envfactory.catalogue.office import _calendar_rules as rules
from envfactory.catalogue.office._calendar_diaries import Diaries
from envfactory.catalogue.office._calendar_records import (
    Absence,
    Answer,
    CalendarEvent,
    Colleague,
    EventDetails,
    Guest,
    Invitation,
    Place,
)
from envfactory.environment import Table


class Agenda:
    """The person's meetings and invitations, and what becomes of their guests and answers."""

    def __init__(
        self,
        now: dt.datetime,
        events: Table[CalendarEvent],
        guests: Table[Guest],
        invitations: Table[Invitation],
        absences: Table[Absence],
    ) -> None:
        self.now = now
        self._events, self._guests, self._invitations, self._absences = events, guests, invitations, absences

    @property
    def diaries(self) -> Diaries:
        """Everybody's diaries as they are by now."""
        return Diaries(
            now=self.now, events=self._events.values(), guests=self._guests.values(),
            invitations=self._invitations.values(), absences=self._absences.values(),
        )  # fmt: skip

    def own(self, event_id: str, done: str) -> CalendarEvent:
        """A meeting of the person's that is still to come; `done` is what would be done with it."""
        return rules.changeable(self._events.require(event_id), done, self.now)

    def invitations_ahead(self) -> list[Invitation]:
        """Invitations for today or later to meetings that take place."""
        scheduled = {event.id for event in self._events.values() if event.status == "scheduled"}
        ahead = [each for each in self._invitations.values() if each.day >= self.now.date()]
        return [each for each in ahead if each.event_id in scheduled]

    def seen(self, event_id: str) -> CalendarEvent:
        """A meeting that the person organises or is invited to; others are refused."""
        event = self._events.require(event_id)
        rules.check_visible(event, self._invitations.values())
        return event

    def guests(self, event: CalendarEvent) -> list[Guest]:
        """Who is invited to a meeting."""
        return [guest for guest in self._guests.values() if guest.event_id == event.id]

    def details(self, event: CalendarEvent, host_name: str) -> EventDetails:
        """A meeting with everybody's answers."""
        guests = self.guests(event)
        return EventDetails(
            event_id=event.id, title=event.title, host_name=host_name, starts_at=event.starts_at,
            minutes=event.minutes, place=event.place, status=event.status, guests=tuple(guests),
            coming=sum(guest.response == "accepted" for guest in guests),
        )  # fmt: skip

    def called(self, key: str, title: str, starts_at: dt.datetime, minutes: int, place: Place) -> CalendarEvent:
        """A meeting that the person calls, at a time when one can be."""
        self.diaries.check_bookable(starts_at, minutes)
        return CalendarEvent(
            id=key, own=True, title=title, day=starts_at.date(), starts_at=starts_at, minutes=minutes, place=place
        )

    def invited(self, key: str, event: CalendarEvent, colleague: Colleague) -> Guest:
        """A colleague who is invited to a meeting; whoever is away on that day declines at once."""
        return Guest(
            id=key, event_id=event.id, colleague_id=colleague.id, name=colleague.name,
            response=self.diaries.answer(colleague.id, event.day),
        )  # fmt: skip

    def moved(self, event: CalendarEvent, starts_at: dt.datetime, minutes: int) -> CalendarEvent:
        """A meeting at another time when it can be."""
        self.diaries.check_bookable(starts_at, minutes, besides=event.id)
        return event.evolve(day=starts_at.date(), starts_at=starts_at, minutes=minutes)

    def ask_anew(self, moved: CalendarEvent, proposer: str | None = None) -> None:
        """Ask all guests of a meeting anew; the one who proposed its time accepts it, unless busy or away then."""
        for guest in self.guests(moved):
            response = self.diaries.answer(guest.colleague_id, moved.day)
            asked = self._guests.replace(guest.evolve(response=response, proposed_at=None))
            if asked.id == proposer and response == "pending" and self._is_free(asked, moved):
                self._guests.replace(asked.evolve(response="accepted"))

    def answered(self, invitation_id: str, response: Answer) -> Invitation:
        """An invitation with an answer; what clashes with the person's diary cannot be accepted."""
        invitation, event = self._answerable(invitation_id)
        rules.check_other_answer(invitation, event, response)
        if response == "accepted":
            self.diaries.check_acceptable(event)
        return invitation.evolve(response=response, proposed_at=None)

    def proposed(self, invitation_id: str, starts_at: dt.datetime) -> Invitation:
        """An invitation answered by another time at which the meeting could be."""
        invitation, event = self._answerable(invitation_id)
        rules.check_other_time(event, starts_at, event.minutes)
        self.diaries.check_bookable(starts_at, event.minutes, besides=event.id)
        return invitation.evolve(response="proposed", proposed_at=starts_at)

    def decline(self, since: dt.date, until: dt.date) -> int:
        """Decline the invitations for a span of days that are still to come, and return how many there were."""
        asked = [i for i in self._invitations.values() if since <= i.day <= until and i.response != "declined"]
        declined = [i for i in asked if self._events.require(i.event_id).starts_at > self.now]
        for invitation in declined:
            self._invitations.replace(invitation.evolve(response="declined", proposed_at=None))
        return len(declined)

    def to_move(self, since: dt.date, until: dt.date) -> tuple[CalendarEvent, ...]:
        """The person's own meetings within a span of days that are still to come."""
        attended = [event for event in self.diaries.attended(None) if since <= event.day <= until]
        return tuple(event for event in attended if event.own and event.starts_at > self.now)

    def _answerable(self, invitation_id: str) -> tuple[Invitation, CalendarEvent]:
        """An invitation that can still be answered, and its meeting."""
        invitation = self._invitations.require(invitation_id)
        return invitation, rules.answerable(self._events.require(invitation.event_id), self.now)

    def _is_free(self, guest: Guest, event: CalendarEvent) -> bool:
        """Whether no meeting that a guest has accepted is at the time of one."""
        return self.diaries.clash(guest.colleague_id, event.starts_at, event.minutes) is None
