"""When meetings can be, and what can still be done with them: rules that need no more than the rows they speak of."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.office._calendar_records import (
    Absence,
    Answer,
    CalendarEvent,
    Colleague,
    Guest,
    Invitation,
)
from envfactory.environment import ToolError, is_workday, standing

FIRST_HOUR, LAST_HOUR = 8, 20
LONGEST_ABSENCE = 30
MOST_INVITED = 8


def check_time(starts_at: dt.datetime, minutes: int, now: dt.datetime) -> None:
    """Refuse a time that is past, not on a full minute, at night, or on a weekend."""
    if starts_at <= now:
        raise ToolError("invalid_argument", f"{starts_at:%Y-%m-%d %H:%M} is past.")
    if starts_at.second or starts_at.microsecond:
        raise ToolError("invalid_argument", "Meetings start on a full minute.")
    night = dt.datetime.combine(starts_at, dt.time(LAST_HOUR))
    if starts_at.hour < FIRST_HOUR or starts_at + dt.timedelta(minutes=minutes) > night:
        raise ToolError("invalid_argument", f"Meetings lie between {FIRST_HOUR}:00 and {LAST_HOUR}:00.")
    if not is_workday(starts_at):
        raise ToolError("invalid_argument", f"{starts_at:%Y-%m-%d} is a weekend.")


def changeable(event: CalendarEvent, done: str, now: dt.datetime) -> CalendarEvent:
    """A meeting of one's own that is still to come; `done` is what would be done with it."""
    if not event.own:
        raise ToolError("permission_denied", "Only its organiser can change that meeting.")
    if standing(event, ("scheduled",), done).starts_at <= now:
        raise ToolError("precondition_failed", f"The {event.title} is past, so it cannot be {done}.")
    return event


def answerable(event: CalendarEvent, now: dt.datetime) -> CalendarEvent:
    """A meeting to which an invitation can still be answered."""
    standing(event, ("scheduled",), "answered")
    if event.starts_at <= now:
        raise ToolError("precondition_failed", f"The {event.title} is past, so there is nothing to answer.")
    return event


def check_visible(event: CalendarEvent, invitations: Iterable[Invitation]) -> None:
    """Refuse to show somebody else's meeting to whom is not invited."""
    if not event.own and all(invitation.event_id != event.id for invitation in invitations):
        raise ToolError("permission_denied", "You are not invited to that meeting.")


def check_other_time(event: CalendarEvent, starts_at: dt.datetime, minutes: int) -> None:
    """Refuse to move a meeting to when it is."""
    if (starts_at, minutes) == (event.starts_at, event.minutes):
        raise ToolError("invalid_argument", f"The {event.title} starts then already.")


def check_other_answer(invitation: Invitation, event: CalendarEvent, response: Answer) -> None:
    """Refuse to answer an invitation as it is answered."""
    if invitation.response == response:
        raise ToolError("invalid_argument", f"Your answer to the {event.title} is {response} already.")


def check_invitable(colleague: Colleague, event: CalendarEvent, guests: list[Guest]) -> None:
    """Refuse a guest twice, and one too many."""
    if any(guest.colleague_id == colleague.id for guest in guests):
        raise ToolError("conflict", f"{colleague.name} is invited to the {event.title} already.")
    if len(guests) >= MOST_INVITED:
        raise ToolError("limit_exceeded", f"{len(guests)} colleagues are invited, and more is not possible.")


def guest_of(colleague: Colleague, event: CalendarEvent, guests: list[Guest]) -> Guest:
    """A colleague among the guests of a meeting."""
    for guest in guests:
        if guest.colleague_id == colleague.id:
            return guest
    raise ToolError("conflict", f"{colleague.name} is not invited to the {event.title}.")


def earliest_proposal(event: CalendarEvent, guests: list[Guest], now: dt.datetime) -> tuple[dt.datetime, str]:
    """The first of the times to come that guests have proposed for a meeting, and the id of whose it is."""
    asked = [(guest.proposed_at, guest.id) for guest in guests if guest.proposed_at is not None]
    ahead = [proposal for proposal in asked if proposal[0] > now]
    if not ahead:
        raise ToolError("precondition_failed", f"Nobody has proposed another time to come for the {event.title}.")
    return min(ahead)


def check_absence(since: dt.date, until: dt.date, absences: Iterable[Absence], today: dt.date) -> None:
    """Refuse days away that are past, turned round, too many, or days away of the signed-in person already."""
    if since < today:
        raise ToolError("invalid_argument", f"{since} is past; days away begin today or later.")
    if until < since:
        raise ToolError("invalid_argument", f"{since} to {until} is turned round.")
    if (until - since).days > LONGEST_ABSENCE:
        raise ToolError("invalid_argument", f"{since} to {until} is over thirty days.")
    for absence in absences:
        if absence.colleague_id is None and absence.since <= until and since <= absence.until:
            raise ToolError("conflict", f"You are away from {absence.since} to {absence.until} already.")


def past_of(absence: Absence, today: dt.date) -> Absence | None:
    """What stays of days away that end today; refuse to end what is over, or somebody else's."""
    if absence.colleague_id is not None:
        raise ToolError("permission_denied", "Only they themselves can end somebody's absence.")
    if absence.until < today:
        raise ToolError("precondition_failed", f"The absence was over on {absence.until}.")
    return absence.evolve(until=today - dt.timedelta(days=1)) if absence.since < today else None
