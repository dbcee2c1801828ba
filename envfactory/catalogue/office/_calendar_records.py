"""Records and results of the calendar: colleagues, events, invitations, absences."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Output, Page, Record, Ref, Unit, Value

UserId = Annotated[str, Ref("CalendarUser")]
ColleagueId = Annotated[str, Ref("Colleague")]
EventId = Annotated[str, Ref("CalendarEvent")]
AbsenceId = Annotated[str, Ref("Absence")]
InvitationId = Annotated[str, Ref("Invitation")]
PersonName = Annotated[str, Value("person_name", "Full name of a person.")]
StartsAt = Annotated[dt.datetime, Value("meeting_start", "When a meeting starts.")]
Minutes = Annotated[int, Field(ge=15, le=240), Unit("minute"), Value("meeting_length", "How long a meeting is.")]
Place = Annotated[Literal["in_person", "by_video", "by_phone"], Value("meeting_place", "How a meeting is held.")]
Team = Annotated[
    Literal["design", "engineering", "finance", "marketing", "sales", "support"],
    Value("team", "Team that somebody works in."),
]
Response = Annotated[
    Literal["pending", "accepted", "tentative", "declined", "proposed"],
    Value("invitation_response", "Response to an invitation; proposed: another time was asked for."),
]
Reason = Annotated[Literal["vacation", "training", "parental_leave"], Value("absence_reason", "Why somebody is away.")]
Answer = Literal["accepted", "tentative", "declined"]
Title = Annotated[str, FreeText()]
NewTitle = Annotated[
    str,
    Field(min_length=3, max_length=60),
    FreeText(("launch rehearsal", "vendor comparison", "brainstorming session", "handover")),
]
People = Annotated[tuple[ColleagueId, ...], Field(min_length=1, max_length=5)]


class CalendarUser(Record, noun="user", label="{name}"):
    """Whose calendar it is."""

    id: UserId
    """Identifier of the person."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]
    works_from: dt.time
    """When the working day starts."""
    works_until: dt.time
    """When the working day ends."""


class Colleague(Record, noun="colleague", label="{name}", listing="{name} ({team})"):
    """Somebody else with a calendar."""

    id: ColleagueId
    """Identifier of the colleague."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]
    team: Team
    works_from: dt.time
    """When the working day starts."""
    works_until: dt.time
    """When the working day ends."""


class CalendarEvent(
    Record, noun="meeting", label="the {title}[ on {day}]", listing="{title} ({starts_at}, {minutes}, {place})"
):
    """A meeting, of one's own or of a colleague."""

    id: EventId
    """Identifier of the meeting."""
    own: bool
    """Whether the signed-in person organises it."""
    host_id: ColleagueId | None = None
    """Colleague who organises it; none if it is one's own."""
    host_name: PersonName | None = None
    title: Title
    """What it is about."""
    day: dt.date
    """Day of the meeting."""
    starts_at: StartsAt
    minutes: Minutes
    """How long it is."""
    place: Place
    status: Literal["scheduled", "cancelled"] = "scheduled"
    """Whether it is to take place."""

    @property
    def ends_at(self) -> dt.datetime:
        """When it is over."""
        return self.starts_at + dt.timedelta(minutes=self.minutes)


class Guest(Record, noun="guest", label="{name}", listing="{name} ({response})"):
    """A colleague who is invited to a meeting, and the answer."""

    id: Annotated[str, Ref("Guest")]
    """Identifier of the guest."""
    event_id: EventId
    """Meeting that the colleague is invited to."""
    colleague_id: ColleagueId
    """Colleague who is invited."""
    name: PersonName
    response: Response = "pending"
    proposed_at: StartsAt | None = None
    """Time when it should start instead."""


class Invitation(
    Record,
    noun="invitation",
    label="the {title} invitation[ for {day}]",
    listing="{title} with {host_name} on {day} ({response})",
):
    """An invitation that the signed-in person got, and the answer."""

    id: InvitationId
    """Identifier of the invitation."""
    event_id: EventId
    """Meeting that it is for."""
    host_id: ColleagueId
    """Colleague who organises the meeting."""
    host_name: PersonName
    title: Title
    """What the meeting is about."""
    day: dt.date
    """Day of the meeting."""
    response: Response = "pending"
    proposed_at: StartsAt | None = None
    """Time when it should start instead."""


class Absence(Record, noun="absence", label="the {reason} from {since}", listing="{reason} from {since} to {until}"):
    """Days on which somebody is away."""

    id: AbsenceId
    """Identifier of the absence."""
    colleague_id: ColleagueId | None = None
    """Who is away; none if it is the signed-in person."""
    since: dt.date
    """First day."""
    until: dt.date
    """Last day."""
    reason: Reason


class AbsencePage(Page):
    """A page of absences."""

    absences: tuple[Absence, ...]
    """The absences on this page."""


class ColleaguePage(Page):
    """A page of colleagues."""

    colleagues: tuple[Colleague, ...]
    """The colleagues on this page."""


class EventPage(Page):
    """A page of meetings."""

    meetings: tuple[CalendarEvent, ...]
    """The meetings on this page."""
    hours: Annotated[float, Unit("hour")]
    """How long all that match are together."""


class InvitationPage(Page):
    """A page of invitations."""

    invitations: tuple[Invitation, ...]
    """The invitations on this page."""


class Slot(Output, noun="slot", label="the slot at {starts_at}", listing="{starts_at}"):
    """A time that is free for everybody."""

    starts_at: StartsAt
    ends_at: dt.datetime
    """When the meeting would be over."""


class SlotPage(Page):
    """A page of free times."""

    slots: tuple[Slot, ...]
    """The free times on this page."""


class EventDetails(Output):
    """A meeting and who comes to it."""

    event_id: EventId
    """Meeting asked about."""
    title: Title
    """What it is about."""
    host_name: PersonName
    starts_at: StartsAt
    minutes: Minutes
    """How long it is."""
    place: Place
    status: Literal["scheduled", "cancelled"]
    """Whether it is to take place."""
    guests: tuple[Guest, ...]
    """Colleagues who are invited."""
    coming: int
    """How many of them have accepted."""


class Cancellation(Output):
    """What calling a meeting off comes to."""

    event_id: EventId
    """Meeting that was called off."""
    title: Title
    """What it was about."""
    told: int
    """How many guests are told."""


class Away(Output):
    """What an absence comes to."""

    absence_id: AbsenceId
    """The absence."""
    until: dt.date
    """Last day."""
    declined: int
    """How many invitations were declined for it."""
    to_move: tuple[CalendarEvent, ...]
    """Meetings of one's own on these days, which stay as they are."""
