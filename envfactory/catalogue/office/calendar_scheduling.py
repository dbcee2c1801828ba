"""A shared calendar: find times that suit everybody, call meetings, move and cancel them, answer invitations, be away.

Who is busy follows from the meetings that somebody organises or has accepted and from absences; it is never kept apart.
A meeting belongs to its organiser, an answer to whoever was invited, and moving a meeting asks everybody anew.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.office import _calendar_records as rec
from envfactory.catalogue.office import _calendar_relations as relations
from envfactory.catalogue.office import _calendar_rules as rules
from envfactory.catalogue.office._calendar_agenda import Agenda
from envfactory.catalogue.office._calendar_scenario import calendars
from envfactory.environment import Environment, PageNumber, Table, World, check_span, tool


class CalendarScheduling(Environment):
    """Find free times, call, move and cancel meetings, answer invitations, and set days out of office."""

    domain = "office"
    policy = """Meetings are 15 to 240 minutes long and lie between 8:00 and 20:00 of a working day to come on
    which one is not away. Nobody attends two meetings at once. Only its organiser can change a meeting; whoever is
    invited can answer, or propose another time. Moving a meeting asks everybody anew. Colleagues who are away decline
    by themselves. A meeting is called with up to five colleagues and has up to eight. Never call a meeting without
    knowing its time and who shall come."""
    sources = (
        "Google Calendar API v3, Events and Freebusy",
        "Microsoft Graph API 1.0, Calendar, findMeetingTimes and automatic replies",
        "RFC 5546, iCalendar Transport-Independent Interoperability Protocol (request, reply, counter, cancel)",
        "Nylas Calendar API v3, Events and Availability",
    )

    user_id: rec.UserId
    """Person whose calendar this is."""
    users: Table[rec.CalendarUser]
    colleagues: Table[rec.Colleague]
    events: Table[rec.CalendarEvent]
    guests: Table[rec.Guest]
    invitations: Table[rec.Invitation]
    absences: Table[rec.Absence]

    @tool(
        ask=(
            "find colleagues[ called {name}][ in {team}]",
            "look up people here[ called {name}][ in the {team} team]",
            "look in the directory for people[ called {name}][ in {team}]",
            "search the staff directory[ for {name}][ in {team}]",
        ),
        noun="colleague[ called {name}][ in {team}]",
        reply=("I found {colleagues}.", "There is no such colleague."),
        where=relations.PEOPLE,
    )
    def find_people(
        self, name: rec.PersonName | None = None, team: rec.Team | None = None, page: PageNumber = 1
    ) -> rec.ColleaguePage:
        """Find colleagues of the signed-in person, by name.

        Args:
            name: Part of a full name.
            team: Only people of this team.
            page: Page of the results, five people each.
        """
        people = [person for person in self.colleagues.values() if team in (None, person.team)]
        found = [person for person in people if name is None or name.lower() in person.name.lower()]
        found.sort(key=lambda person: (person.name, person.id))
        return rec.ColleaguePage.of(found, page)

    @tool(
        ask=(
            "show me my meetings[ held {place}][ with {colleague_id}][ from {since}][ until {until}]",
            "go through my meetings[ that are held {place}][ with {colleague_id}][ from {since}][ to {until}]",
            "tell me which meetings I have[ held {place}][ with {colleague_id}][ from {since}][ until {until}]",
            "list my appointments[ held {place}][ with {colleague_id}][ from {since}][ up to {until}]",
        ),
        noun="meeting of mine[ with {colleague_id}][ from {since}][ until {until}]",
        reply=("You have {meetings}; together {hours}.", "There is nothing on your calendar."),
        where=relations.LISTING,
    )
    def list_meetings(
        self, since: dt.date | None = None, until: dt.date | None = None, colleague_id: rec.ColleagueId | None = None,
        place: rec.Place | None = None, page: PageNumber = 1,
    ) -> rec.EventPage:  # fmt: skip
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
        colleague = self.colleagues.require(colleague_id) if colleague_id is not None else None
        attended = self._agenda.diaries.attended_with(colleague)
        found = [event for event in attended if event.day >= since and place in (None, event.place)]
        found = [event for event in found if until is None or event.day <= until]
        found.sort(key=lambda event: (event.starts_at, event.id))
        return rec.EventPage.of(found, page, hours=round(sum(event.minutes for event in found) / 60, 2))

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
        where=relations.LOOKING,
    )
    def get_meeting(self, event_id: rec.EventId) -> rec.EventDetails:
        """Get a meeting that the signed-in person organises or is invited to, with everybody's answers.

        Args:
            event_id: Meeting to look at.
        """
        event = self._agenda.seen(event_id)
        host = self.colleagues.require(event.host_id) if event.host_id else self.users.require(self.user_id)
        return self._agenda.details(event, host.name)

    @tool(
        ask=(
            "find a time on {day} to meet with {people}[ for {minutes}]",
            "see when on {day} I could have a meeting[ of {minutes}] with {people}",
            "check when I am free together with {people} on {day}[ for {minutes}]",
            "look for a free slot[ of {minutes}] on {day} with {people}",
        ),
        noun="time on {day} to meet with {people}",
        reply=("You are all free at these times: {slots}.", "There is no time on {day} that suits everybody."),
        where=relations.FINDING,
    )
    def find_free_times(
        self, people: rec.People, day: dt.date, minutes: rec.Minutes = 60, page: PageNumber = 1
    ) -> rec.SlotPage:
        """Find times of a day, every half hour, at which the signed-in person and colleagues are all free and at work.

        Args:
            people: Colleagues who shall come.
            day: Day of the meeting.
            minutes: How long it is to be.
            page: Page of the results, five times each.
        """
        user, others = self.users.require(self.user_id), [self.colleagues.require(key) for key in people]
        return rec.SlotPage.of(self._agenda.diaries.slots(user, others, day, minutes), page)

    @tool(
        writes=True,
        ask=(
            "set up a meeting called '{title}' with {people} on {starts_at}[ for {minutes}], {place}",
            "book '{title}' with {people} for {starts_at}[, {minutes} long], to be held {place}",
            "schedule '{title}' on {starts_at}[ for {minutes}] with {people}, {place}",
            "put '{title}' with {people} on my calendar for {starts_at}[, {minutes}], {place}",
        ),
        reply=("The {title} is set for {starts_at}, {minutes} long, and the invitations are out.",),
        where=relations.CALLING,
    )
    def schedule_meeting(
        self, title: rec.NewTitle, people: rec.People, starts_at: rec.StartsAt, place: rec.Place,
        minutes: rec.Minutes = 60,
    ) -> rec.CalendarEvent:  # fmt: skip
        """Call a meeting and invite colleagues; those who are away on that day decline by themselves.

        Args:
            title: What it is about.
            people: Colleagues to invite.
            starts_at: Time when it starts.
            place: How it is held.
            minutes: How long it is.
        """
        guests = [self.colleagues.require(key) for key in dict.fromkeys(people)]
        event = self.events.insert(self._agenda.called(self.new_id("EV"), title, starts_at, minutes, place))
        for guest in guests:
            self.guests.insert(self._agenda.invited(self.new_id("GU"), event, guest))
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
        where=relations.MOVING,
    )
    def move_meeting(
        self, event_id: rec.EventId, starts_at: rec.StartsAt, minutes: rec.Minutes | None = None
    ) -> rec.CalendarEvent:
        """Move a meeting of the signed-in person to another time; all invited are asked anew.

        Args:
            event_id: Meeting to move.
            starts_at: Time when it starts instead.
            minutes: How long it is then; as before if not given.
        """
        agenda = self._agenda
        event = agenda.own(event_id, "moved")
        minutes = minutes or event.minutes
        rules.check_other_time(event, starts_at, minutes)
        moved = agenda.moved(event, starts_at, minutes)
        agenda.ask_anew(moved)
        return self.events.replace(moved)

    @tool(
        writes=True,
        ask=(
            "send {colleague_id} an invitation to {event_id}",
            "invite {colleague_id} to {event_id}",
            "ask {colleague_id} to come to {event_id}",
            "add {colleague_id} as a guest to {event_id}",
        ),
        reply=("{name} is invited; the answer is {response}.",),
        where=relations.CHANGING,
    )
    def invite_colleague(self, event_id: rec.EventId, colleague_id: rec.ColleagueId) -> rec.Guest:
        """Invite one more colleague to a meeting of the signed-in person.

        Args:
            event_id: Meeting to invite to.
            colleague_id: Colleague to invite.
        """
        agenda = self._agenda
        event, colleague = agenda.own(event_id, "joined"), self.colleagues.require(colleague_id)
        rules.check_invitable(colleague, event, agenda.guests(event))
        return self.guests.insert(agenda.invited(self.new_id("GU"), event, colleague))

    @tool(
        writes=True,
        ask=(
            "take {colleague_id} off the guests of {event_id}",
            "uninvite {colleague_id} from {event_id}",
            "tell {colleague_id} not to come to {event_id} after all",
            "remove {colleague_id} from the people invited to {event_id}",
        ),
        reply=("{name} is no longer invited.",),
        where=relations.UNINVITING,
    )
    def uninvite_colleague(self, event_id: rec.EventId, colleague_id: rec.ColleagueId) -> rec.Guest:
        """Take back the invitation of a colleague to a meeting of the signed-in person.

        Args:
            event_id: Meeting that the colleague is invited to.
            colleague_id: Colleague who shall not come.
        """
        agenda = self._agenda
        event, colleague = agenda.own(event_id, "changed"), self.colleagues.require(colleague_id)
        return self.guests.delete(rules.guest_of(colleague, event, agenda.guests(event)).id)

    @tool(
        writes=True,
        ask=(
            "cancel {event_id}",
            "call off {event_id}",
            "take {event_id} off the calendar and tell everybody",
            "let everybody know that {event_id} is not happening",
        ),
        reply=("The {title} is called off. Guests who are told: {told}.",),
        where=relations.CANCELLING,
    )
    def cancel_meeting(self, event_id: rec.EventId) -> rec.Cancellation:
        """Call off a meeting of the signed-in person; its guests are told and free again.

        Args:
            event_id: Meeting to call off.
        """
        agenda = self._agenda
        event = agenda.own(event_id, "cancelled")
        self.events.replace(event.evolve(status="cancelled"))
        return rec.Cancellation(event_id=event.id, title=event.title, told=len(agenda.guests(event)))

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
        self, response: rec.Response | None = None, host_id: rec.ColleagueId | None = None, page: PageNumber = 1
    ) -> rec.InvitationPage:
        """List the invitations that the signed-in person got to meetings that take place, from today on by day.

        Args:
            response: Only those with this response.
            host_id: Only those to meetings of this colleague.
            page: Page of the results, five invitations each.
        """
        if host_id is not None:
            self.colleagues.require(host_id)
        ahead = self._agenda.invitations_ahead()
        found = [each for each in ahead if response in (None, each.response) and host_id in (None, each.host_id)]
        found.sort(key=lambda invitation: (invitation.day, invitation.id))
        return rec.InvitationPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "answer {invitation_id} with '{response}'",
            "reply '{response}' to {invitation_id}",
            "set my answer to {invitation_id} to {response}",
            "change my response to {invitation_id} to {response}",
        ),
        reply=("Your answer to {host_name} about the {title} is {response}.",),
        where=relations.ANSWERING,
    )
    def answer_invitation(self, invitation_id: rec.InvitationId, response: rec.Answer) -> rec.Invitation:
        """Answer an invitation, or answer otherwise than before.

        Args:
            invitation_id: Invitation to answer.
            response: The answer.
        """
        return self.invitations.replace(self._agenda.answered(invitation_id, response))

    @tool(
        writes=True,
        ask=(
            "propose {starts_at} for {invitation_id} instead",
            "ask if {starts_at} would work for {invitation_id}",
            "suggest {starts_at} as another time for {invitation_id}",
            "reply to {invitation_id} that {starts_at} suits me better",
        ),
        reply=("I have asked {host_name} to move the {title} to {proposed_at}.",),
        where=relations.PROPOSING,
    )
    def propose_new_time(self, invitation_id: rec.InvitationId, starts_at: rec.StartsAt) -> rec.Invitation:
        """Answer an invitation by proposing another time to the organiser, who may move the meeting there.

        Args:
            invitation_id: Invitation to answer.
            starts_at: Time when it should start instead.
        """
        return self.invitations.replace(self._agenda.proposed(invitation_id, starts_at))

    @tool(
        writes=True,
        ask=(
            "accept the new time that was proposed for {event_id}",
            "go with the new time suggested for {event_id}",
            "move {event_id} to the time that was suggested to me",
            "agree to the proposal to reschedule {event_id}",
        ),
        reply=("The {title} is moved to {starts_at}, as proposed.",),
        where=relations.CHANGING,
    )
    def accept_proposal(self, event_id: rec.EventId) -> rec.CalendarEvent:
        """Move a meeting of the signed-in person to the earliest time that an invited colleague proposed.

        Who proposed it has accepted then, unless busy or away; everybody else is asked anew.

        Args:
            event_id: Meeting that another time was proposed for.
        """
        agenda = self._agenda
        event = agenda.own(event_id, "moved")
        starts_at, proposer = rules.earliest_proposal(event, agenda.guests(event), self.now)
        moved = agenda.moved(event, starts_at, event.minutes)
        agenda.ask_anew(moved, proposer)
        return self.events.replace(moved)

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
        where=relations.LEAVING,
    )
    def set_out_of_office(self, since: dt.date, until: dt.date, reason: rec.Reason) -> rec.Away:
        """Set days out of office; invitations for these days are declined, meetings of one's own stay.

        Args:
            since: First day away.
            until: Last day away, thirty days later at most.
            reason: Why.
        """
        rules.check_absence(since, until, self.absences.values(), self.now.date())
        absence = self.absences.insert(rec.Absence(id=self.new_id("AB"), since=since, until=until, reason=reason))
        declined = self._agenda.decline(since, until)
        own = self._agenda.to_move(since, until)
        return rec.Away(absence_id=absence.id, until=until, declined=declined, to_move=own)

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
    def list_absences(self, reason: rec.Reason | None = None, page: PageNumber = 1) -> rec.AbsencePage:
        """List the signed-in person's days out of office that are not over, the next first.

        Args:
            reason: Only absences for this reason.
            page: Page of the results, five absences each.
        """
        own = [absence for absence in self.absences.values() if absence.colleague_id is None]
        found = [each for each in own if each.until >= self.now.date() and reason in (None, each.reason)]
        found.sort(key=lambda absence: (absence.since, absence.id))
        return rec.AbsencePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "take {absence_id} out of my calendar",
            "cancel {absence_id}, I am in the office after all",
            "undo {absence_id}",
            "end {absence_id}",
        ),
        reply=("You are no longer away for {reason}; you were to be from {since} to {until}.",),
        where=relations.ENDING,
    )
    def end_absence(self, absence_id: rec.AbsenceId) -> rec.Absence:
        """End days out of office of the signed-in person that are not over; what was declined for them stays declined.

        Args:
            absence_id: Absence to end; what is past of it stays.
        """
        absence = self.absences.require(absence_id)
        past = rules.past_of(absence, self.now.date())
        if past is None:
            return self.absences.delete(absence.id)
        self.absences.replace(past)
        return absence

    @property
    def _agenda(self) -> Agenda:
        return Agenda(self.now, self.events, self.guests, self.invitations, self.absences)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """The user's own meetings, invitations in every state, and colleagues with their calendars and absences."""
        return cls.model_validate(calendars(world, size))
