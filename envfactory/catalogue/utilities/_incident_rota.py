"""Who is on call, and when a turn on call may change hands: before it begins, and with rest between two of them."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence

from envfactory.catalogue.utilities import _incident_records as rec
from envfactory.environment import ToolError

LEVELS: tuple[rec.Level, ...] = ("primary", "secondary", "manager")
"""Who is paged first, second and last."""
REST = dt.timedelta(hours=11)
"""Rest between two turns on call of the same person."""


def clock(moment: dt.datetime) -> str:
    """A time as it is said."""
    return f"{moment:%Y-%m-%d %H:%M}"


def on_call(shifts: Iterable[rec.OnCallShift], team_id: str, now: dt.datetime) -> dict[rec.Level, rec.OnCallShift]:
    """The shifts of a team that run now, by level."""
    return {each.level: each for each in shifts if each.team_id == team_id and each.starts_at <= now < each.ends_at}


def level_of(engineer_id: str, turns: Mapping[rec.Level, rec.OnCallShift], done: str) -> rec.Level:
    """The level at which somebody is on call now; who is not may not touch alerts."""
    for level, shift in turns.items():
        if shift.holder_id == engineer_id:
            return level
    those = " or ".join(f"{shift.holder} ({level})" for level, shift in turns.items())
    ask = f"ask {those}" if turns else "nobody is at present"
    raise ToolError("permission_denied", f"An alert is {done} by somebody who is on call now; {ask}.")


def turn(shift: rec.OnCallShift) -> str:
    """A shift as it is spoken of."""
    return f"The {shift.level} shift on {shift.day}"


def runs_on(shift: rec.OnCallShift, day: dt.date | None) -> bool:
    """Whether a shift runs on a day, if one is asked for."""
    return day is None or shift.day <= day <= shift.ends_at.date()


def earliest(shift: rec.OnCallShift) -> tuple[dt.datetime, int]:
    """By when shifts begin, and of those by who is paged first."""
    return shift.starts_at, LEVELS.index(shift.level)


def check_ahead(shift: rec.OnCallShift, done: str, now: dt.datetime) -> None:
    """Refuse a shift that has begun."""
    if shift.starts_at <= now:
        words = f"{turn(shift)} began at {clock(shift.starts_at)}, so it cannot be {done} any more"
        raise ToolError("precondition_failed", f"{words}; choose one that is still to come.")


def check_given(shift: rec.OnCallShift, giver: rec.OnCallEngineer, now: dt.datetime) -> None:
    """Refuse a shift that somebody else has, that covers for somebody, or that has begun."""
    if shift.holder_id != giver.id:
        raise ToolError("permission_denied", f"{turn(shift)} is {shift.holder}'s; choose one of {giver.name}'s.")
    if shift.covered:
        words = f"{turn(shift)} was handed over by {shift.planned} and goes to nobody else"
        raise ToolError("precondition_failed", f"{words}; take the handover back instead.")
    check_ahead(shift, "handed over", now)


def handed(shift: rec.OnCallShift, engineer: rec.OnCallEngineer, other: rec.OnCallShift | None) -> rec.OnCallShift:
    """The shift with another holder, in return for another shift if there is one."""
    return shift.evolve(
        holder_id=engineer.id, holder=engineer.name, covered=True,
        swapped_with=other.id if other else None, return_day=other.day if other else None,
    )  # fmt: skip


def handed_back(shift: rec.OnCallShift) -> rec.OnCallShift:
    """The shift with whom it was planned for."""
    return shift.evolve(
        holder_id=shift.planned_id, holder=shift.planned, covered=False, swapped_with=None, return_day=None
    )


def handed_over(
    shift: rec.OnCallShift, giver: rec.OnCallEngineer, colleague: rec.OnCallEngineer, other: rec.OnCallShift | None,
    now: dt.datetime,
) -> list[rec.OnCallShift]:  # fmt: skip
    """A shift with a colleague, and one of theirs with the giver if it is a swap."""
    if colleague.id == giver.id:
        raise ToolError("invalid_argument", f"The shift would stay with {giver.name}; name a colleague.")
    if colleague.team_id != giver.team_id:
        words = f"{colleague.name} is in another team; name a colleague of the same one."
        raise ToolError("permission_denied", words)
    check_given(shift, giver, now)
    if other is None:
        return [handed(shift, colleague, None)]
    check_given(other, colleague, now)
    return [handed(shift, colleague, other), handed(other, giver, shift)]


def taken_back(
    shift: rec.OnCallShift, shifts: Mapping[str, rec.OnCallShift], engineer_id: str, now: dt.datetime
) -> list[rec.OnCallShift]:
    """A shift with whom it was planned for, and the one in return as well if it was swapped."""
    if not shift.covered:
        words = f"{turn(shift)} is with {shift.planned} as planned, so there is no handover to undo"
        raise ToolError("precondition_failed", f"{words}; choose one that was handed over.")
    if engineer_id not in (shift.planned_id, shift.holder_id):
        words = f"{turn(shift)} was handed over by {shift.planned} to {shift.holder}; one of them has to undo that."
        raise ToolError("permission_denied", words)
    both = [shift] if shift.swapped_with is None else [shift, shifts[shift.swapped_with]]
    for each in both:
        check_ahead(each, "taken back", now)
    return [handed_back(each) for each in both]


def check_rested(changed: Sequence[rec.OnCallShift], everything: Iterable[rec.OnCallShift]) -> None:
    """Refuse shifts whose new holders are on call at the same time elsewhere, or would rest too little."""
    own = {each.id for each in changed}
    after = [*(each for each in everything if each.id not in own), *changed]
    for shift in changed:
        for other in after:
            if other.id == shift.id or other.holder_id != shift.holder_id:
                continue
            if shift.starts_at < other.ends_at + REST and other.starts_at < shift.ends_at + REST:
                overlaps = shift.starts_at < other.ends_at and other.starts_at < shift.ends_at
                need = "which overlaps" if overlaps else "and 11 hours of rest have to lie between"
                words = f"{shift.holder} has the {other.level} shift on {other.day} too, {need}"
                raise ToolError("conflict", f"{words}; let somebody else have one of the two.")
