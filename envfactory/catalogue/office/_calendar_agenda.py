"""What the signed-in person has called, and is invited to, at a moment; who comes follows from everybody's diaries."""

import datetime as dt
from collections.abc import Callable, Iterable

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

    def call(
        self,
        title: str,
        starts_at: dt.datetime,
        minutes: int,
        place: Place,
        guests: Iterable[Colleague],
        new_id: Callable[[str], str],
    ) -> CalendarEvent:
        """Call a meeting at a time when one can be, and invite its guests."""
        self.diaries.check_bookable(starts_at, minutes)
        event = self._events.insert(
            CalendarEvent(
                id=new_id("EV"), own=True, title=title, day=starts_at.date(), starts_at=starts_at, minutes=minutes,
                place=place,
            )
        )  # fmt: skip
        for guest in guests:
            self.invite(new_id("GU"), event, guest)
        return event

    def invite(self, key: str, event: CalendarEvent, colleague: Colleague) -> Guest:
        """Invite a colleague to a meeting; whoever is away on that day declines at once."""
        guest = Guest(
            id=key, event_id=event.id, colleague_id=colleague.id, name=colleague.name,
            response=self.diaries.answer(colleague.id, event.day),
        )  # fmt: skip
        return self._guests.insert(guest)

    def move(self, event: CalendarEvent, starts_at: dt.datetime, minutes: int) -> CalendarEvent:
        """Move a meeting to another time when it can be, and ask all guests anew."""
        rules.check_other_time(event, starts_at, minutes)
        self.diaries.check_bookable(starts_at, minutes, besides=event.id)
        return self._shift(event, starts_at, minutes)

    def accept_proposal(self, event: CalendarEvent) -> CalendarEvent:
        """Move a meeting to the earliest time proposed; its proposer accepts it, unless busy or away then."""
        starts_at, guest_id = rules.earliest_proposal(event, self.guests(event), self.now)
        self.diaries.check_bookable(starts_at, event.minutes, besides=event.id)
        moved = self._shift(event, starts_at, event.minutes)
        guest = self._guests.require(guest_id)
        busy = self.diaries.clash(guest.colleague_id, starts_at, event.minutes, besides=event.id)
        if guest.response == "pending" and busy is None:
            self._guests.replace(guest.evolve(response="accepted"))
        return moved

    def answer(self, invitation_id: str, response: Answer) -> Invitation:
        """Answer an invitation; what clashes with the person's diary cannot be accepted."""
        invitation, event = self._answerable(invitation_id)
        rules.check_other_answer(invitation, event, response)
        if response == "accepted":
            self.diaries.check_acceptable(event)
        return self._invitations.replace(invitation.evolve(response=response, proposed_at=None))

    def propose(self, invitation_id: str, starts_at: dt.datetime) -> Invitation:
        """Answer an invitation by another time at which the meeting could be."""
        invitation, event = self._answerable(invitation_id)
        rules.check_other_time(event, starts_at, event.minutes)
        self.diaries.check_bookable(starts_at, event.minutes, besides=event.id)
        return self._invitations.replace(invitation.evolve(response="proposed", proposed_at=starts_at))

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

    def end(self, absence: Absence) -> Absence:
        """End days away that are not over, and return them as they were to be; what is past of them stays."""
        today = self.now.date()
        rules.check_endable(absence, today)
        if absence.since < today:
            self._absences.replace(absence.evolve(until=today - dt.timedelta(days=1)))
        else:
            self._absences.delete(absence.id)
        return absence

    def _answerable(self, invitation_id: str) -> tuple[Invitation, CalendarEvent]:
        """An invitation that can still be answered, and its meeting."""
        invitation = self._invitations.require(invitation_id)
        return invitation, rules.answerable(self._events.require(invitation.event_id), self.now)

    def _shift(self, event: CalendarEvent, starts_at: dt.datetime, minutes: int) -> CalendarEvent:
        """Give a meeting another time and ask all guests anew."""
        day, diaries = starts_at.date(), self.diaries
        for guest in self.guests(event):
            self._guests.replace(guest.evolve(response=diaries.answer(guest.colleague_id, day), proposed_at=None))
        return self._events.replace(event.evolve(day=day, starts_at=starts_at, minutes=minutes))
