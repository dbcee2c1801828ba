"""The calendars of a scenario: the user's own meetings, invitations in every state, and colleagues with theirs."""

import datetime as dt
from typing import Any, get_args

from envfactory.catalogue.office._calendar_records import (
    Absence,
    CalendarEvent,
    CalendarUser,
    Colleague,
    Guest,
    Invitation,
    Place,
    Reason,
    Response,
    Team,
)
from envfactory.environment import World, add_workdays, by_id

_TITLES = (
    "budget review", "design workshop", "sprint planning", "roadmap discussion", "customer call", "hiring interview",
    "launch check", "training session", "contract review", "press briefing", "security audit", "data review",
    "partner meeting", "team retrospective", "pricing discussion", "onboarding session", "quarterly report",
    "brand workshop",
)  # fmt: skip
_ELSEWHERE = ("stand-up", "office hours", "supplier call", "portfolio review", "interview debrief")
"""What meetings are about that the user has no part in."""
_MINE: tuple[int, ...] = (-3, 1, 2, 4, 5, 8, 11)
"""Working days from now on which the user's own meetings lie; the fourth is cancelled."""
_INVITED: tuple[tuple[int, Response], ...] = (
    (3, "accepted"), (6, "pending"), (7, "pending"), (9, "tentative"), (10, "accepted"), (12, "declined"),
    (13, "proposed"), (14, "pending"), (-2, "accepted"), (15, "accepted"), (3, "pending"),
)  # fmt: skip
"""Working days from now, and how the user answered; the last lies at the same time as the first, the last but one is
called off."""
_ANSWERS: tuple[Response, ...] = ("accepted", "pending", "proposed", "declined")


def calendars(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    user = CalendarUser(id="U-1", name=world.user.name, email=world.user.email, works_from=dt.time(8, 30),
                        works_until=dt.time(17, 30))  # fmt: skip
    colleagues = [
        Colleague(
            id=f"CO-{11 + n}", name=person.name, email=person.email, team=get_args(get_args(Team)[0])[n % 6],
            works_from=dt.time(8 + n % 3), works_until=dt.time(16 + n % 3),
        )
        for n, person in enumerate(world.people(max(6, size // 6)))
    ]  # fmt: skip
    absences: list[Absence] = []
    for n, person in enumerate([*world.sample(colleagues, max(2, size // 15)), None]):
        since = world.date(2, 20) if person else add_workdays(world.today, 20)  # the user, after all their meetings
        until = since + dt.timedelta(world.integer(1, 5))
        reason = get_args(get_args(Reason)[0])[n % 3]
        who = person.id if person else None
        absences.append(Absence(id=f"AB-{501 + n}", colleague_id=who, since=since, until=until, reason=reason))
    diaries = _Diaries(absences)
    events: list[CalendarEvent] = []
    guests: list[Guest] = []
    invitations: list[Invitation] = []
    for n, offset in enumerate(_MINE):
        event = _event(world, len(events), add_workdays(world.today, offset), cancelled=n == 3)
        events.append(event)
        if event.status == "scheduled":
            for m, colleague in enumerate(world.sample(colleagues, 1 + n % 3)):
                answer = diaries.answer(colleague, event, _ANSWERS[(n + m) % 4])
                guests.append(_guest(world, len(guests), event, colleague, answer))
    first = len(events)
    for n, (offset, response) in enumerate(_INVITED):
        off = n == len(_INVITED) - 2
        event = _event(world, len(events), add_workdays(world.today, offset), cancelled=off)
        if n == len(_INVITED) - 1:
            event = event.evolve(starts_at=events[first].starts_at, minutes=events[first].minutes)
        host, event = diaries.hosted(world, event, colleagues)
        events.append(event)
        asked = _other_time(world, event) if response == "proposed" else None
        invitations.append(
            Invitation(
                id=f"INV-{301 + n}", event_id=event.id, host_id=host.id, host_name=host.name, title=event.title,
                day=event.day, response=response, proposed_at=asked,
            )
        )  # fmt: skip
    for n in range(max(2, size // 5)):
        event = _event(world, len(events), add_workdays(world.today, world.integer(1, 15)))
        host, event = diaries.hosted(world, event, colleagues)
        events.append(event)
        colleague = world.choice([person for person in colleagues if person != host])
        guests.append(_guest(world, len(guests), event, colleague, diaries.answer(colleague, event, _ANSWERS[n % 4])))
    return {
        "now": world.now,
        "user_id": user.id,
        "users": by_id([user]),
        "colleagues": by_id(colleagues),
        "events": by_id(events),
        "guests": by_id(guests),
        "invitations": by_id(invitations),
        "absences": by_id(absences),
    }


class _Diaries:
    """When each colleague is away, and the meetings that they attend."""

    def __init__(self, absences: list[Absence]) -> None:
        self.absences = absences
        self.attended: list[tuple[str, CalendarEvent]] = []

    def away(self, person: Colleague, event: CalendarEvent) -> bool:
        return any(a.colleague_id == person.id and a.since <= event.day <= a.until for a in self.absences)

    def free(self, person: Colleague, event: CalendarEvent) -> bool:
        """Whether somebody is neither away nor in another meeting then."""
        theirs = (other for who, other in self.attended if who == person.id)
        clash = any(other.starts_at < event.ends_at and event.starts_at < other.ends_at for other in theirs)
        return not clash and not self.away(person, event)

    def answer(self, person: Colleague, event: CalendarEvent, wanted: Response) -> Response:
        """The answer wanted, unless somebody is away, or would accept two meetings at once."""
        if self.away(person, event):
            return "declined"
        if wanted == "accepted":
            if not self.free(person, event):
                return "tentative"
            self.attended.append((person.id, event))
        return wanted

    def hosted(
        self, world: World, event: CalendarEvent, colleagues: list[Colleague]
    ) -> tuple[Colleague, CalendarEvent]:
        """A colleague who can call this meeting, and the meeting as theirs."""
        host = world.choice([person for person in colleagues if self.free(person, event)])
        self.attended.append((host.id, event))
        return host, event.evolve(own=False, host_id=host.id, host_name=host.name)


def _titled(number: int) -> str:
    """What the meeting of a number is about: of the user's and those they are invited to, each something else."""
    return _TITLES[number] if number < len(_TITLES) else _ELSEWHERE[number % len(_ELSEWHERE)]


def _event(world: World, number: int, day: dt.date, *, cancelled: bool = False) -> CalendarEvent:
    return CalendarEvent(
        id=f"EV-{101 + number}", own=True, title=_titled(number), day=day,
        starts_at=dt.datetime.combine(day, dt.time(world.integer(10, 14), world.choice((0, 30)))),
        minutes=world.choice((30, 45, 60, 90)), place=get_args(get_args(Place)[0])[number % 3],
        status="cancelled" if cancelled else "scheduled",
    )  # fmt: skip


def _other_time(world: World, event: CalendarEvent) -> dt.datetime:
    return dt.datetime.combine(event.day + dt.timedelta(7), dt.time(world.integer(10, 15)))


def _guest(world: World, number: int, event: CalendarEvent, colleague: Colleague, response: Response) -> Guest:
    return Guest(
        id=f"GU-{401 + number}", event_id=event.id, colleague_id=colleague.id, name=colleague.name, response=response,
        proposed_at=_other_time(world, event) if response == "proposed" else None,
    )  # fmt: skip
