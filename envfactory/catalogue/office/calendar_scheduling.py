"""A shared calendar: find times that suit everybody, call meetings, move and cancel them, answer invitations, be away.

Who is busy follows from the meetings that somebody organises or has accepted and from absences; it is never kept apart.
A meeting belongs to its organiser, an answer to whoever was invited, and moving a meeting asks everybody anew.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.office._calendar_records import (
    Absence,
    AbsenceId,
    AbsencePage,
    Away,
    CalendarEvent,
    CalendarUser,
    Cancellation,
    Colleague,
    ColleagueId,
    ColleaguePage,
    EventDetails,
    EventId,
    EventPage,
    Guest,
    Invitation,
    InvitationId,
    InvitationPage,
    Minutes,
    PersonName,
    Place,
    Reason,
    Response,
    Slot,
    SlotPage,
    StartsAt,
    Team,
    UserId,
)
from envfactory.catalogue.office._calendar_rules import check_absence, check_time
from envfactory.catalogue.office._calendar_scenario import calendars
from envfactory.environment import (
    After,
    Ends,
    Environment,
    FreeText,
    FromNow,
    Having,
    NamedIn,
    PageNumber,
    Some,
    Table,
    ToolError,
    Within,
    World,
    check_span,
    is_workday,
    standing,
    tool,
)

STEP = dt.timedelta(minutes=30)
MOST_INVITED = 8

OWN_EVENT = Having(parameter="event_id", field="own", among=(True,))
SCHEDULED = Having(parameter="event_id", field="status", among=("scheduled",))
UNSETTLED = Having(parameter="invitation_id", field="response", among=("pending", "tentative"))
SOON = FromNow(parameter="starts_at", days=(1, 25))
LENGTH = Within(parameter="minutes", low=30, high=90, step=15)
People = Annotated[tuple[ColleagueId, ...], Field(min_length=1, max_length=5)]


class CalendarScheduling(Environment):
    """Find free times, call, move and cancel meetings, answer invitations, and set days out of office."""

    domain = "office"
    policy = """Meetings are 15 to 240 minutes long and lie between 8:00 and 20:00 of a working day to come
    on which one is not away. Nobody attends two
    meetings at once. Only its organiser can change a meeting; whoever is invited can answer, or propose another time.
    Moving a meeting asks everybody anew. Colleagues who are away decline by themselves. A meeting is called with up to
    five colleagues and has up to eight. Never call a meeting without knowing its time and who shall come."""
    sources = (
        "Google Calendar API v3, Events and Freebusy",
        "Microsoft Graph API 1.0, Calendar, findMeetingTimes and automatic replies",
        "RFC 5546, iCalendar Transport-Independent Interoperability Protocol (request, reply, counter, cancel)",
        "Nylas Calendar API v3, Events and Availability",
    )

    user_id: UserId
    """Person whose calendar this is."""
    users: Table[CalendarUser]
    colleagues: Table[Colleague]
    events: Table[CalendarEvent]
    guests: Table[Guest]
    invitations: Table[Invitation]
    absences: Table[Absence]

    @tool(
        ask=(
            "find colleagues[ called {name}][ in {team}]",
            "look up people here[ called {name}][ in the {team} team]",
            "look in the directory for people[ called {name}][ in {team}]",
            "search the staff directory[ for {name}][ in {team}]",
        ),
        noun="colleague[ called {name}][ in {team}]",
        reply=("I found {colleagues}.", "There is no such colleague."),
        where=(Some("name", "team"),),
    )
    def find_people(
        self, name: PersonName | None = None, team: Team | None = None, page: PageNumber = 1
    ) -> ColleaguePage:
        """Find colleagues of the signed-in person, by name.

        Args:
            name: Part of a full name.
            team: Only people of this team.
            page: Page of the results, five people each.
        """
        found = [
            person
            for person in self.colleagues.values()
            if (name is None or name.lower() in person.name.lower()) and team in (None, person.team)
        ]
        found.sort(key=lambda person: (person.name, person.id))
        return ColleaguePage.of(found, page)

    @tool(
        ask=(
            "show me my meetings[ held {place}][ with {colleague_id}][ from {since}][ until {until}]",
            "go through my meetings[ that are held {place}][ with {colleague_id}][ from {since}][ to {until}]",
            "tell me which meetings I have[ held {place}][ with {colleague_id}][ from {since}][ until {until}]",
            "list my appointments[ held {place}][ with {colleague_id}][ from {since}][ up to {until}]",
        ),
        noun="meeting of mine[ with {colleague_id}][ from {since}][ until {until}]",
        reply=("You have {meetings}; together {hours}.", "There is nothing on your calendar."),
        where=(FromNow(parameter="since", days=(0, 5)), FromNow(parameter="until", days=(10, 25))),
    )
    def list_meetings(
        self,
        since: dt.date | None = None,
        until: dt.date | None = None,
        colleague_id: ColleagueId | None = None,
        place: Place | None = None,
        page: PageNumber = 1,
    ) -> EventPage:
        """List the scheduled meetings that the signed-in person organises or has accepted, the next one first.

        Args:
            since: Only meetings on this day or later; from today if not given.
            until: Only meetings on this day or earlier.
            colleague_id: Only meetings that this colleague organises or has accepted too.
            place: Only meetings held like this.
            page: Page of the results, five meetings each.
        """
        since = since or self.now.date()
        check_span(since, until)
        found = self._attended(None)
        if colleague_id is not None:
            theirs = {event.id for event in self._attended(self.colleagues.require(colleague_id).id)}
            found = [event for event in found if event.id in theirs]
        found = [
            event
            for event in found
            if event.day >= since and (until is None or event.day <= until) and place in (None, event.place)
        ]
        found.sort(key=lambda event: (event.starts_at, event.id))
        return EventPage.of(found, page, hours=round(sum(event.minutes for event in found) / 60, 2))

    @tool(
        ask=(
            "tell me more about {event_id}",
            "check who comes to {event_id}",
            "give me the details of {event_id}",
            "see what people answered about {event_id}",
        ),
        reply=(
            "The {title} starts {starts_at} and takes {minutes} ({status}). Invited: {guests}.",
            "The {title} starts {starts_at} and takes {minutes} ({status}). Nobody else is invited.",
        ),
        where=(OWN_EVENT,),
    )
    def get_meeting(self, event_id: EventId) -> EventDetails:
        """Get a meeting that the signed-in person organises or is invited to, with everybody's answers.

        Args:
            event_id: Meeting to look at.
        """
        event = self.events.require(event_id)
        if not event.own and all(invitation.event_id != event.id for invitation in self.invitations.values()):
            raise ToolError("permission_denied", "You are not invited to that meeting.")
        host = self.colleagues.require(event.host_id) if event.host_id else self.users.require(self.user_id)
        guests = self._guests(event)
        return EventDetails(
            event_id=event.id, title=event.title, host_name=host.name, starts_at=event.starts_at, minutes=event.minutes,
            place=event.place, status=event.status, guests=tuple(guests),
            coming=sum(guest.response == "accepted" for guest in guests),
        )  # fmt: skip

    @tool(
        ask=(
            "find a time on {day} to meet with {people}[ for {minutes}]",
            "see when on {day} I could have a meeting[ of {minutes}] with {people}",
            "check when I am free together with {people} on {day}[ for {minutes}]",
            "look for a free slot[ of {minutes}] on {day} with {people}",
        ),
        noun="time on {day} to meet with {people}",
        reply=("You are all free at these times: {slots}.", "There is no time on {day} that suits everybody."),
        where=(FromNow(parameter="day", days=(1, 11)), LENGTH),
    )
    def find_free_times(self, people: People, day: dt.date, minutes: Minutes = 60, page: PageNumber = 1) -> SlotPage:
        """Find times of a day, every half hour, at which the signed-in person and colleagues are all free and at work.

        Args:
            people: Colleagues who shall come.
            day: Day of the meeting.
            minutes: How long it is to be.
            page: Page of the results, five times each.
        """
        user, others = self.users.require(self.user_id), [self.colleagues.require(key) for key in people]
        if not is_workday(day):
            raise ToolError("invalid_argument", f"Nobody works on {day}, which is a weekend.")
        if day < self.now.date():
            raise ToolError("invalid_argument", f"{day} is past.")
        if self._away(None, day):
            raise ToolError("conflict", f"You are out of office on {day}.")
        for person in others:
            if self._away(person.id, day):
                raise ToolError("conflict", f"{person.name} is away on {day}.")
        calendars = [None, *people]
        length = dt.timedelta(minutes=minutes)
        start = dt.datetime.combine(day, max(person.works_from for person in (user, *others)))
        end = dt.datetime.combine(day, min(person.works_until for person in (user, *others)))
        found: list[Slot] = []
        while start + length <= end:
            if start > self.now and all(self._clash(who, start, minutes) is None for who in calendars):
                found.append(Slot(starts_at=start, ends_at=start + length))
            start += STEP
        return SlotPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "set up a meeting called '{title}' with {people} on {starts_at}[ for {minutes}], {place}",
            "book '{title}' with {people} for {starts_at}[, {minutes} long], to be held {place}",
            "schedule '{title}' on {starts_at}[ for {minutes}] with {people}, {place}",
            "put '{title}' with {people} on my calendar for {starts_at}[, {minutes}], {place}",
        ),
        reply=("The {title} is set for {starts_at}, {minutes} long, and the invitations are out.",),
        where=(SOON, LENGTH),
    )
    def schedule_meeting(
        self,
        title: Annotated[
            str,
            Field(min_length=3, max_length=60),
            FreeText(("launch rehearsal", "vendor comparison", "brainstorming session", "handover")),
        ],
        people: People,
        starts_at: StartsAt,
        place: Place,
        minutes: Minutes = 60,
    ) -> CalendarEvent:
        """Call a meeting and invite colleagues; those who are away on that day decline by themselves.

        Args:
            title: What it is about.
            people: Colleagues to invite.
            starts_at: Time when it starts.
            place: How it is held.
            minutes: How long it is.
        """
        guests = [self.colleagues.require(key) for key in dict.fromkeys(people)]
        self._bookable(starts_at, minutes)
        event = self.events.insert(
            CalendarEvent(
                id=self.new_id("EV"), own=True, title=title, day=starts_at.date(), starts_at=starts_at,
                minutes=minutes, place=place,
            )
        )  # fmt: skip
        for guest in guests:
            self._invite(event, guest)
        return event

    @tool(
        writes=True,
        ask=(
            "move {event_id} to {starts_at}[ and make it {minutes} long]",
            "reschedule {event_id} for {starts_at}[, {minutes} long]",
            "shift {event_id} to {starts_at}[ and give it {minutes}]",
            "have {event_id} start on {starts_at} instead[ and last {minutes}]",
        ),
        reply=("The {title} now starts {starts_at} and takes {minutes}; everybody is asked anew.",),
        where=(OWN_EVENT, SCHEDULED, SOON, LENGTH),
    )
    def move_meeting(self, event_id: EventId, starts_at: StartsAt, minutes: Minutes | None = None) -> CalendarEvent:
        """Move a meeting of the signed-in person to another time; all invited are asked anew.

        Args:
            event_id: Meeting to move.
            starts_at: Time when it starts instead.
            minutes: How long it is then; as before if not given.
        """
        event = self._own(event_id, "moved")
        minutes = minutes or event.minutes
        if (starts_at, minutes) == (event.starts_at, event.minutes):
            raise ToolError("invalid_argument", f"The {event.title} starts then already.")
        self._bookable(starts_at, minutes, besides=event.id)
        return self._shift(event, starts_at, minutes)

    @tool(
        writes=True,
        ask=(
            "send {colleague_id} an invitation to {event_id}",
            "invite {colleague_id} to {event_id}",
            "ask {colleague_id} to come to {event_id}",
            "add {colleague_id} as a guest to {event_id}",
        ),
        reply=("{name} is invited; the answer is {response}.",),
        where=(OWN_EVENT, SCHEDULED),
    )
    def invite_colleague(self, event_id: EventId, colleague_id: ColleagueId) -> Guest:
        """Invite one more colleague to a meeting of the signed-in person.

        Args:
            event_id: Meeting to invite to.
            colleague_id: Colleague to invite.
        """
        event = self._own(event_id, "joined")
        colleague = self.colleagues.require(colleague_id)
        guests = self._guests(event)
        if any(guest.colleague_id == colleague.id for guest in guests):
            raise ToolError("conflict", f"{colleague.name} is invited to the {event.title} already.")
        if len(guests) >= MOST_INVITED:
            raise ToolError("limit_exceeded", f"{len(guests)} colleagues are invited, and more is not possible.")
        return self._invite(event, colleague)

    @tool(
        writes=True,
        ask=(
            "take {colleague_id} off the guests of {event_id}",
            "uninvite {colleague_id} from {event_id}",
            "tell {colleague_id} not to come to {event_id} after all",
            "remove {colleague_id} from the people invited to {event_id}",
        ),
        reply=("{name} is no longer invited.",),
        where=(OWN_EVENT, SCHEDULED, NamedIn(parameter="colleague_id", entity="Guest", field="colleague_id")),
    )
    def uninvite_colleague(self, event_id: EventId, colleague_id: ColleagueId) -> Guest:
        """Take back the invitation of a colleague to a meeting of the signed-in person.

        Args:
            event_id: Meeting that the colleague is invited to.
            colleague_id: Colleague who shall not come.
        """
        event = self._own(event_id, "changed")
        colleague = self.colleagues.require(colleague_id)
        guest = next((guest for guest in self._guests(event) if guest.colleague_id == colleague.id), None)
        if guest is None:
            raise ToolError("conflict", f"{colleague.name} is not invited to the {event.title}.")
        self.guests.delete(guest.id)
        return guest

    @tool(
        writes=True,
        ask=(
            "cancel {event_id}",
            "call off {event_id}",
            "take {event_id} off the calendar and tell everybody",
            "let everybody know that {event_id} is not happening",
        ),
        reply=("The {title} is called off. Guests who are told: {told}.",),
        where=(OWN_EVENT, SCHEDULED, Ends(parameter="event_id")),
    )
    def cancel_meeting(self, event_id: EventId) -> Cancellation:
        """Call off a meeting of the signed-in person; its guests are told and free again.

        Args:
            event_id: Meeting to call off.
        """
        event = self._own(event_id, "cancelled")
        self.events.replace(event.evolve(status="cancelled"))
        return Cancellation(event_id=event.id, title=event.title, told=len(self._guests(event)))

    @tool(
        ask=(
            "list my[ {response}] invitations[ from {host_id}]",
            "show me which[ {response}] meeting invitations I have[ from {host_id}]",
            "check my[ {response}] invitations[ from {host_id}]",
            "go through the[ {response}] invitations I got[ from {host_id}]",
        ),
        noun="[{response} ]invitation of mine[ from {host_id}]",
        reply=("You are invited to {invitations}.", "You have no such invitation."),
    )
    def list_invitations(
        self, response: Response | None = None, host_id: ColleagueId | None = None, page: PageNumber = 1
    ) -> InvitationPage:
        """List the invitations that the signed-in person got to meetings that take place, from today on by day.

        Args:
            response: Only those with this response.
            host_id: Only those to meetings of this colleague.
            page: Page of the results, five invitations each.
        """
        if host_id is not None:
            self.colleagues.require(host_id)
        found = [
            invitation
            for invitation in self.invitations.values()
            if invitation.day >= self.now.date()
            and self.events.require(invitation.event_id).status == "scheduled"
            and response in (None, invitation.response)
            and host_id in (None, invitation.host_id)
        ]
        found.sort(key=lambda invitation: (invitation.day, invitation.id))
        return InvitationPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "answer {invitation_id} with '{response}'",
            "reply '{response}' to {invitation_id}",
            "set my answer to {invitation_id} to {response}",
            "change my response to {invitation_id} to {response}",
        ),
        reply=("Your answer to {host_name} about the {title} is {response}.",),
        where=(UNSETTLED,),
    )
    def answer_invitation(
        self, invitation_id: InvitationId, response: Literal["accepted", "tentative", "declined"]
    ) -> Invitation:
        """Answer an invitation, or answer otherwise than before.

        Args:
            invitation_id: Invitation to answer.
            response: The answer.
        """
        invitation, event = self._answerable(invitation_id)
        if invitation.response == response:
            raise ToolError("invalid_argument", f"Your answer to the {event.title} is {response} already.")
        if response == "accepted":
            self._free(event.starts_at, event.minutes)
            if self._away(None, event.day):
                raise ToolError("conflict", f"You are out of office on {event.day}.")
        return self.invitations.replace(invitation.evolve(response=response, proposed_at=None))

    @tool(
        writes=True,
        ask=(
            "propose {starts_at} for {invitation_id} instead",
            "ask if {starts_at} would work for {invitation_id}",
            "suggest {starts_at} as another time for {invitation_id}",
            "reply to {invitation_id} that {starts_at} suits me better",
        ),
        reply=("I have asked {host_name} to move the {title} to {proposed_at}.",),
        where=(
            Having(parameter="invitation_id", field="response", among=("pending", "tentative")),
            SOON,
        ),
    )
    def propose_new_time(self, invitation_id: InvitationId, starts_at: StartsAt) -> Invitation:
        """Answer an invitation by proposing another time to the organiser, who may move the meeting there.

        Args:
            invitation_id: Invitation to answer.
            starts_at: Time when it should start instead.
        """
        invitation, event = self._answerable(invitation_id)
        if starts_at == event.starts_at:
            raise ToolError("invalid_argument", f"The {event.title} starts then already.")
        self._bookable(starts_at, event.minutes, besides=event.id)
        return self.invitations.replace(invitation.evolve(response="proposed", proposed_at=starts_at))

    @tool(
        writes=True,
        ask=(
            "accept the new time that was proposed for {event_id}",
            "go with the new time suggested for {event_id}",
            "move {event_id} to the time that was suggested to me",
            "agree to the proposal to reschedule {event_id}",
        ),
        reply=("The {title} is moved to {starts_at}, as proposed.",),
        where=(OWN_EVENT, SCHEDULED),
    )
    def accept_proposal(self, event_id: EventId) -> CalendarEvent:
        """Move a meeting of the signed-in person to the earliest time that an invited colleague proposed.

        Who proposed it has accepted then, unless busy or away; everybody else is asked anew.

        Args:
            event_id: Meeting that another time was proposed for.
        """
        event = self._own(event_id, "moved")
        proposals = [
            (guest.proposed_at, guest.id)
            for guest in self._guests(event)
            if guest.proposed_at is not None and guest.proposed_at > self.now
        ]
        if not proposals:
            raise ToolError("precondition_failed", f"Nobody has proposed another time to come for the {event.title}.")
        starts_at, guest_id = min(proposals)
        self._bookable(starts_at, event.minutes, besides=event.id)
        moved = self._shift(event, starts_at, event.minutes)
        guest = self.guests.require(guest_id)
        busy = self._clash(guest.colleague_id, starts_at, event.minutes, besides=event.id)
        if guest.response == "pending" and busy is None:
            self.guests.replace(guest.evolve(response="accepted"))
        return moved

    @tool(
        writes=True,
        ask=(
            "set me out of office from {since} to {until} for {reason}",
            "put me down as away from {since} until {until} for {reason}",
            "mark {since} to {until} as {reason} in my calendar",
            "enter {reason} for me from {since} through {until}",
        ),
        reply=(
            "You are away until {until}. Invitations declined: {declined}. Still to be moved: {to_move}.",
            "You are away until {until}. Invitations declined: {declined}.",
        ),
        where=(FromNow(parameter="since", days=(1, 40)), After(parameter="until", other="since", days=(1, 12))),
    )
    def set_out_of_office(self, since: dt.date, until: dt.date, reason: Reason) -> Away:
        """Set days out of office; invitations for these days are declined, meetings of one's own stay.

        Args:
            since: First day away.
            until: Last day away, thirty days later at most.
            reason: Why.
        """
        check_absence(since, until, self.now.date())
        for absence in self.absences.values():
            if absence.colleague_id is None and absence.since <= until and since <= absence.until:
                raise ToolError("conflict", f"You are away from {absence.since} to {absence.until} already.")
        absence = self.absences.insert(Absence(id=self.new_id("AB"), since=since, until=until, reason=reason))
        declined = [
            invitation
            for invitation in self.invitations.values()
            if since <= invitation.day <= until
            and invitation.response != "declined"
            and self.events.require(invitation.event_id).starts_at > self.now
        ]
        for invitation in declined:
            self.invitations.replace(invitation.evolve(response="declined", proposed_at=None))
        ahead = (event for event in self._attended(None) if event.own and event.starts_at > self.now)
        own = tuple(event for event in ahead if since <= event.day <= until)
        return Away(absence_id=absence.id, until=until, declined=len(declined), to_move=own)

    @tool(
        ask=(
            "list my days out of office[ for {reason}]",
            "show me when I am away[ for {reason}]",
            "check which days off[ for {reason}] I have in my calendar",
            "go through my absences[ for {reason}]",
        ),
        noun="absence of mine[ for {reason}]",
        reply=("You are away like this: {absences}.", "You are not away."),
    )
    def list_absences(self, reason: Reason | None = None, page: PageNumber = 1) -> AbsencePage:
        """List the signed-in person's days out of office that are not over, the next first.

        Args:
            reason: Only absences for this reason.
            page: Page of the results, five absences each.
        """
        found = [
            absence
            for absence in self.absences.values()
            if absence.colleague_id is None and absence.until >= self.now.date() and reason in (None, absence.reason)
        ]
        found.sort(key=lambda absence: (absence.since, absence.id))
        return AbsencePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "take {absence_id} out of my calendar",
            "cancel {absence_id}, I am in the office after all",
            "undo {absence_id}",
            "end {absence_id}",
        ),
        reply=("You are no longer away for {reason}; you were to be from {since} to {until}.",),
        where=(Ends(parameter="absence_id"),),
    )
    def end_absence(self, absence_id: AbsenceId) -> Absence:
        """End days out of office of the signed-in person that are not over; what was declined for them stays declined.

        Args:
            absence_id: Absence to end; what is past of it stays.
        """
        absence, today = self.absences.require(absence_id), self.now.date()
        if absence.colleague_id is not None:
            raise ToolError("permission_denied", "Only they themselves can end somebody's absence.")
        if absence.until < today:
            raise ToolError("precondition_failed", f"The absence was over on {absence.until}.")
        if absence.since < today:
            self.absences.replace(absence.evolve(until=today - dt.timedelta(days=1)))
        else:
            self.absences.delete(absence.id)
        return absence

    def _own(self, event_id: str, done: str) -> CalendarEvent:
        """A meeting of one's own that is still to come."""
        event = self.events.require(event_id)
        if not event.own:
            raise ToolError("permission_denied", "Only its organiser can change that meeting.")
        if standing(event, ("scheduled",), done).starts_at <= self.now:
            raise ToolError("precondition_failed", f"The {event.title} is past, so it cannot be {done}.")
        return event

    def _answerable(self, invitation_id: str) -> tuple[Invitation, CalendarEvent]:
        invitation = self.invitations.require(invitation_id)
        event = standing(self.events.require(invitation.event_id), ("scheduled",), "answered")
        if event.starts_at <= self.now:
            raise ToolError("precondition_failed", f"The {event.title} is past, so there is nothing to answer.")
        return invitation, event

    def _guests(self, event: CalendarEvent) -> list[Guest]:
        return [guest for guest in self.guests.values() if guest.event_id == event.id]

    def _attended(self, who: str | None) -> list[CalendarEvent]:
        """Scheduled meetings that a colleague, or the signed-in person (None), organises or has accepted."""
        if who is None:
            accepted = {i.event_id for i in self.invitations.values() if i.response == "accepted"}
        else:
            mine = (guest for guest in self.guests.values() if guest.colleague_id == who)
            accepted = {guest.event_id for guest in mine if guest.response == "accepted"}
        return [
            event
            for event in self.events.values()
            if event.status == "scheduled" and (event.host_id == who or event.id in accepted)
        ]

    def _clash(self, who: str | None, starts_at: dt.datetime, minutes: int, besides: str = "") -> CalendarEvent | None:
        """A meeting that keeps somebody busy at that time."""
        ends_at = starts_at + dt.timedelta(minutes=minutes)
        busy = (e for e in self._attended(who) if e.starts_at < ends_at and e.ends_at > starts_at)
        return next((event for event in busy if event.id != besides), None)

    def _away(self, who: str | None, day: dt.date) -> bool:
        return any(a.colleague_id == who and a.since <= day <= a.until for a in self.absences.values())

    def _free(self, starts_at: dt.datetime, minutes: int, besides: str = "") -> None:
        clash = self._clash(None, starts_at, minutes, besides)
        if clash is not None:
            raise ToolError("conflict", f"You have the {clash.title} at {clash.starts_at:%H:%M} on {clash.day}.")

    def _bookable(self, starts_at: dt.datetime, minutes: int, besides: str = "") -> None:
        """Refuse a time at which no meeting can be, or that is taken."""
        check_time(starts_at, minutes, self.now)
        if self._away(None, starts_at.date()):
            raise ToolError("invalid_argument", f"{starts_at:%Y-%m-%d} is when you are out of office.")
        self._free(starts_at, minutes, besides)

    def _answer(self, colleague_id: str, day: dt.date) -> Response:
        """How a colleague answers at once: whoever is away declines."""
        return "declined" if self._away(colleague_id, day) else "pending"

    def _invite(self, event: CalendarEvent, colleague: Colleague) -> Guest:
        return self.guests.insert(
            Guest(
                id=self.new_id("GU"), event_id=event.id, colleague_id=colleague.id, name=colleague.name,
                response=self._answer(colleague.id, event.day),
            )
        )  # fmt: skip

    def _shift(self, event: CalendarEvent, starts_at: dt.datetime, minutes: int) -> CalendarEvent:
        """Move a meeting and ask all guests anew."""
        day = starts_at.date()
        for guest in self._guests(event):
            self.guests.replace(guest.evolve(response=self._answer(guest.colleague_id, day), proposed_at=None))
        return self.events.replace(event.evolve(day=day, starts_at=starts_at, minutes=minutes))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """The user's own meetings, invitations in every state, and colleagues with their calendars and absences."""
        return cls.model_validate(calendars(world, size))
