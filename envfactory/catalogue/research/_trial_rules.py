"""Who can be enrolled, when a consent counts, who comes to which arm, when a visit is held, what has to be told."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.research import _trial_records as rec
from envfactory.environment import ToolError, days_after, said

WINDOWS: dict[rec.VisitName, tuple[int, int]] = {
    "baseline": (0, 7), "week_2": (11, 17), "week_4": (25, 31), "week_8": (51, 61), "week_12": (77, 91)
}  # fmt: skip
"""First and last day of each visit, counted from the day of enrolment."""
LATE_DAYS, MOST_DEVIATIONS = 7, 3
"""So long after its window a visit can be held still, unless there were so many deviations."""
RANDOMISE_DAYS, CONSENT_DAYS, SPARE = 28, 30, 2
"""Time for randomisation, age of a consent at most, and places for those who never get randomised."""
CORRECT_DAYS, REMOVE_DAYS, FOLLOW_DAYS = 14, 3, 30
"""Time for corrections of values, for taking an event out of the log, and for events after the end."""
REPORT_DAYS: dict[rec.Severity, int] = {"mild": 30, "moderate": 15, "severe": 7, "life_threatening": 1}
PLAUSIBLE: dict[rec.Measure, tuple[int, int, str]] = {
    "body_weight": (30, 250, "kg"),
    "heart_rate": (30, 220, "beats a minute"),
    "systolic_pressure": (60, 250, "mmHg"),
    "diastolic_pressure": (30, 150, "mmHg"),
    "oxygen_saturation": (50, 100, "percent"),
}
"""What can be right, and its unit."""
ACTIVE: tuple[rec.Status, ...] = ("enrolled", "randomised")
"""Where somebody stands who is in a trial now."""
_NOT_NOW: dict[rec.TrialStatus, str] = {
    "suspended": "is suspended; wait until the sponsor resumes it",
    "closed_to_enrolment": "is closed to enrolment; look for another trial that is recruiting",
    "completed": "is completed; look for another trial that is recruiting",
}
_OBSTACLES: dict[rec.Obstacle, str] = {
    "other_condition": "has another condition; find a trial for that",
    "too_young": "is too young",
    "too_old": "is too old; find a trial that takes older people",
    "excluded_risk": "has a risk that it excludes; find a trial that does not",
    "in_a_trial_now": "takes part in a trial already and has to complete or leave that first",
    "washout": "was in another trial too lately",
    "randomised_before": "was randomised in it before; find another trial",
}


# -- enrolment


def age_on(born_on: dt.date, day: dt.date) -> int:
    """How old somebody is on a day."""
    return day.year - born_on.year - ((day.month, day.day) < (born_on.month, born_on.day))


def birthday(born_on: dt.date, age: int) -> dt.date:
    """First day on which somebody has an age."""
    return days_after(dt.date(born_on.year + age, born_on.month, 1), born_on.day - 1)


def eligibility(
    who: rec.TrialCandidate, trial: rec.ClinicalTrial, participants: Iterable[rec.TrialParticipant], today: dt.date
) -> rec.Eligibility:
    """Whether somebody meets the criteria of a trial, and if not, why and from when on."""
    age = age_on(who.born_on, today)
    risks: tuple[rec.Risk, ...] = tuple(risk for risk in who.risks if risk in trial.excludes)
    washed = days_after(who.treated_until, trial.washout_days) if who.treated_until else today
    before = any(p.candidate_id == who.id and p.trial_id == trial.id and p.arm for p in participants)
    obstacles: dict[rec.Obstacle, bool] = {
        "other_condition": who.condition != trial.condition,
        "too_young": age < trial.min_age,
        "too_old": age > trial.max_age,
        "excluded_risk": bool(risks),
        "in_a_trial_now": who.in_trial,
        "washout": washed > today,
        "randomised_before": before,
    }
    found: tuple[rec.Obstacle, ...] = tuple(name for name, there in obstacles.items() if there)
    first = max(washed, birthday(who.born_on, trial.min_age))
    waiting = bool(found) and set(found) <= {"too_young", "washout"} and age_on(who.born_on, first) <= trial.max_age
    return rec.Eligibility(
        candidate_id=who.id, trial_id=trial.id, name=who.name, trial=trial.name, age=age, eligible=not found,
        obstacles=found, risks=risks,
        eligible_from=first if waiting else None,
    )  # fmt: skip


def check_eligible(check: rec.Eligibility) -> None:
    """Refuse somebody whom a trial does not take, and say what would help."""
    if not check.eligible:
        words = ", ".join(_OBSTACLES[each] for each in check.obstacles)
        wait = f"; {check.eligible_from} is the first day on which it is possible" if check.eligible_from else ""
        raise ToolError("precondition_failed", f"{check.trial} does not take {check.name}, who {words}{wait}.")


def check_open(trial: rec.TrialDetails, among: tuple[rec.TrialStatus, ...]) -> None:
    """Refuse a trial that is not in one of these conditions."""
    if trial.status not in among:
        raise ToolError("precondition_failed", f"{trial.name} {_NOT_NOW[trial.status]}.")


def check_signed(trial: rec.ClinicalTrial, signed_on: dt.date, today: dt.date) -> None:
    """Refuse a consent to another version than the present one, or one that is too old or to come."""
    if signed_on > today:
        raise ToolError("invalid_argument", f"{signed_on} is still to come; give the day on which it was signed.")
    if signed_on < trial.consent_from:
        words = f"Version {trial.consent_version} of the consent form of {trial.name} is from {trial.consent_from}"
        raise ToolError("precondition_failed", f"{words}, so that of {signed_on} is outdated; have the new one signed.")
    first = days_after(today, -CONSENT_DAYS)
    if signed_on < first:
        words = f"A consent counts for {CONSENT_DAYS} days, and this one is of {signed_on}"
        raise ToolError("precondition_failed", f"{words}; have it signed again, on {first} or later.")


def details(trial: rec.ClinicalTrial, everybody: Iterable[rec.TrialParticipant]) -> rec.TrialDetails:
    """A trial with how full it is."""
    inside = [p for p in everybody if p.trial_id == trial.id]
    arms = tuple(
        rec.ArmFilling(name=arm.name, places=arm.places, randomised=sum(p.arm == arm.name for p in inside))
        for arm in trial.arms
    )
    enrolled, randomised = sum(p.status == "enrolled" for p in inside), sum(arm.randomised for arm in arms)
    places = sum(arm.places for arm in arms) + SPARE
    return rec.TrialDetails(
        trial=trial, name=trial.name, status=trial.status, arms=arms, enrolled=enrolled, randomised=randomised,
        places_left=max(0, places - enrolled - randomised), consent_version=trial.consent_version,
        outdated=sum(map(is_outdated, inside)),
    )  # fmt: skip


def check_enrolment(check: rec.Eligibility, filling: rec.TrialDetails, signed_on: dt.date, today: dt.date) -> None:
    """Refuse to enrol somebody in a trial that does not take them, without a consent, or where no place is left."""
    check_open(filling, ("recruiting",))
    check_eligible(check)
    check_signed(filling.trial, signed_on, today)
    if not filling.places_left:
        words = f"All places of {filling.name} at this site are taken"
        raise ToolError("limit_exceeded", f"{words}; find another trial, or withdraw somebody who is not randomised.")


def enrolled(
    participant_id: str, who: rec.TrialCandidate, trial: rec.ClinicalTrial, signed_on: dt.date, day: dt.date
) -> rec.TrialParticipant:
    """A candidate as a participant, on the day of enrolment."""
    return rec.TrialParticipant(
        id=participant_id, coordinator_id=trial.coordinator_id, trial_id=trial.id, trial=trial.name,
        candidate_id=who.id, name=who.name, status="enrolled", enrolled_on=day,
        consent_version=trial.consent_version, signed_on=signed_on, randomise_by=days_after(day, RANDOMISE_DAYS),
    )  # fmt: skip


def planned(visit_id: str, who: rec.TrialParticipant, visit: rec.VisitName, trial: rec.ClinicalTrial) -> rec.TrialVisit:
    """A visit as it is planned at enrolment."""
    first, last = WINDOWS[visit]
    return rec.TrialVisit(
        id=visit_id, coordinator_id=who.coordinator_id, participant_id=who.id, name=who.name, trial=who.trial,
        visit=visit, opens_on=days_after(who.enrolled_on, first), closes_on=days_after(who.enrolled_on, last),
        missing=trial.measures, held_up=visit != "baseline",
    )  # fmt: skip


# -- consent and randomisation


def check_active(who: rec.TrialParticipant, done: str) -> None:
    """Refuse somebody who completed or left the trial."""
    if who.status not in ACTIVE:
        words = f"{who.name} {'completed' if who.status == 'completed' else 'left'} {who.trial} on {who.ended_on}"
        raise ToolError("precondition_failed", f"{words}, so cannot be {done}; choose somebody who is in a trial now.")


def consented(
    who: rec.TrialParticipant, trial: rec.ClinicalTrial, signed_on: dt.date, today: dt.date
) -> rec.TrialParticipant:
    """Somebody who has signed the present version after an amendment."""
    check_active(who, "asked for consent")
    if who.consent_current:
        words = f"{who.name} signed version {who.consent_version} on {who.signed_on}"
        raise ToolError("conflict", f"{words}, which is the present one; the next is due after an amendment.")
    check_signed(trial, signed_on, today)
    return who.evolve(consent_version=trial.consent_version, signed_on=signed_on, consent_current=True)


def check_consent(who: rec.TrialParticipant) -> None:
    """Refuse to go on with somebody who has not signed the present version."""
    if not who.consent_current:
        words = f"{who.name} signed version {who.consent_version} of the consent form, and there is a newer one"
        raise ToolError("precondition_failed", f"{words}; record the new consent first.")


def randomised(who: rec.TrialParticipant, filling: rec.TrialDetails, today: dt.date) -> rec.TrialParticipant:
    """Somebody in the arm that is filled least for its size, the first of them."""
    check_active(who, "randomised")
    if who.arm:
        raise ToolError("conflict", f"{who.name} is in arm {who.arm} already, and that is final.")
    check_open(filling, ("recruiting", "closed_to_enrolment"))
    check_consent(who)
    if not who.baseline_done:
        words = f"The baseline visit of {who.name} lacks values; record those first."
        raise ToolError("precondition_failed", words)
    if today > who.randomise_by:
        words = f"{who.name} had to be randomised by {who.randomise_by}"
        raise ToolError("precondition_failed", f"{words}; withdraw and enrol them anew.")
    free = [arm for arm in filling.arms if arm.randomised < arm.places]
    if not free:
        words = f"Every arm of {filling.name} is full, so nobody can be randomised"
        raise ToolError("limit_exceeded", f"{words}; withdraw {who.name}, who can be enrolled in another trial then.")
    arm = min(free, key=lambda each: each.randomised / each.places)
    return who.evolve(status="randomised", arm=arm.name, randomised_on=today)


def freed(who: rec.TrialCandidate, part: rec.TrialParticipant, today: dt.date) -> rec.TrialCandidate:
    """A candidate whose trial is over; only after a treatment there is a washout."""
    return who.evolve(in_trial=False, treated_until=today if part.arm else who.treated_until)


def as_planned(visit: rec.TrialVisit, who: rec.TrialParticipant) -> rec.TrialVisit:
    """A planned visit as it stands with its participant: held up or not, and cancelled once they left the trial."""
    if who.ended_on:
        return visit.evolve(status="planned" if visit.visit == who.follow_up else "cancelled", held_up=False)
    return visit.evolve(held_up=not who.consent_current or (visit.visit != "baseline" and who.arm is None))


# -- visits


def check_value(measure: rec.Measure, value: int) -> None:
    """Refuse a value that cannot be right."""
    low, high, unit = PLAUSIBLE[measure]
    if not low <= value <= high:
        words = f"A {said(measure)} of {value} {unit} cannot be right; give one from {low} to {high}."
        raise ToolError("invalid_argument", words)


def with_value(
    visit: rec.TrialVisit, who: rec.TrialParticipant, trial: rec.ClinicalTrial, measure: rec.Measure, value: int,
    today: dt.date,
) -> rec.TrialVisit:  # fmt: skip
    """The visit with a value more, or with one corrected."""
    check_value(measure, value)
    if measure in visit.missing:
        late = _check_held(visit, who, trial, today)
        new = rec.Measured(measure=measure, value=value, recorded_on=today)
        missing = tuple(each for each in visit.missing if each != measure)
        status: rec.VisitStatus = "planned" if missing else "done"
        return visit.evolve(values=(*visit.values, new), missing=missing, late=late, status=status)
    for place, each in enumerate(visit.values):
        if each.measure == measure:
            new = _corrected(each, value, today)
            return visit.evolve(values=(*visit.values[:place], new, *visit.values[place + 1 :]))
    words = " and ".join(said(each) for each in (*visit.missing, *(row.measure for row in visit.values)))
    raise ToolError("invalid_argument", f"{visit.trial} does not measure {said(measure)} but {words}.")


def _check_held(visit: rec.TrialVisit, who: rec.TrialParticipant, trial: rec.ClinicalTrial, today: dt.date) -> bool:
    """Whether a visit that is held today is late; refuse one that cannot be held today."""
    name = f"The {said(visit.visit)} visit of {visit.name}"
    if visit.status == "cancelled":
        raise ToolError("precondition_failed", f"{name} is cancelled, as their part in the trial is over.")
    if who.status in ACTIVE:
        check_consent(who)
    if visit.held_up:
        raise ToolError("precondition_failed", f"{name} is held once they are randomised; do that first.")
    if today < visit.opens_on:
        words = f"{name} can be held from {visit.opens_on} to {visit.closes_on}"
        raise ToolError("precondition_failed", f"{words}; record it then.")
    last, late = days_after(visit.closes_on, LATE_DAYS), visit.late or today > visit.closes_on
    if today > last:
        words = f"{name} could be held until {last}, so it is missed"
        raise ToolError("precondition_failed", f"{words}; {_instead(visit, who, trial)}.")
    if late and not visit.late and who.deviations >= MOST_DEVIATIONS:
        words = f"{name} would be late, which is not possible after {MOST_DEVIATIONS} deviations"
        raise ToolError("limit_exceeded", f"{words}; {_instead(visit, who, trial)}.")
    return late


def _instead(visit: rec.TrialVisit, who: rec.TrialParticipant, trial: rec.ClinicalTrial) -> str:
    """What to do about a visit that cannot be held any more."""
    if who.status not in ACTIVE:
        return f"{who.name} left the trial, so leave it at that"
    if who.arm is None:
        return "withdraw and enrol them anew"
    return "withdraw them for missed visits" if visit.visit == trial.visits[-1] else "go on with the next visit"


def _corrected(old: rec.Measured, value: int, today: dt.date) -> rec.Measured:
    """A value put right; what was recorded first stays with it."""
    name = f"The {said(old.measure)}"
    if value == old.value:
        raise ToolError("conflict", f"{name} is recorded as {value} already; give another value to correct it.")
    last = days_after(old.recorded_on, CORRECT_DAYS)
    if today > last:
        raise ToolError("precondition_failed", f"{name} could be corrected until {last}; it stays {old.value}.")
    return old.evolve(value=value, first=old.value if old.first is None else old.first)


# -- adverse events


def logged(
    event_id: str, who: rec.TrialParticipant, event: rec.EventName, severity: rec.Severity, began_on: dt.date,
    events: Iterable[rec.AdverseEvent], today: dt.date,
) -> rec.AdverseEvent:  # fmt: skip
    """A new event of a participant, to be reported by a day that follows from how bad it is."""
    if began_on > today:
        raise ToolError("invalid_argument", f"{began_on} is still to come; give the day on which it began.")
    last = days_after(who.ended_on, FOLLOW_DAYS) if who.ended_on else today
    if not who.enrolled_on <= began_on <= last:
        words = f"Events of {who.name} count from {who.enrolled_on} to {last}"
        raise ToolError("precondition_failed", f"{words}, not on {began_on}; give a day within that.")
    for row in events:
        if (row.participant_id, row.event, row.began_on) == (who.id, event, began_on):
            instead = "report that" if row.status == "logged" else "it is reported"
            words = f"The {said(event)} of {who.name} on {began_on} is in the log as {said(row.severity)}; {instead}."
            raise ToolError("conflict", words)
    return rec.AdverseEvent(
        id=event_id, coordinator_id=who.coordinator_id, participant_id=who.id, name=who.name, trial=who.trial,
        event=event, severity=severity, began_on=began_on, logged_on=today,
        report_by=days_after(began_on, REPORT_DAYS[severity]),
    )  # fmt: skip


def check_unreported(event: rec.AdverseEvent, done: str) -> None:
    """Refuse an event that the sponsor was told of."""
    if event.status == "reported":
        words = f"The {said(event.event)} of {event.name} was reported on {event.reported_on}, so it cannot be {done}"
        raise ToolError("conflict", f"{words}; log anything new as an event of its own.")


def reported(event: rec.AdverseEvent, who: rec.TrialParticipant, cause: rec.Cause, today: dt.date) -> rec.AdverseEvent:
    """The event as the sponsor knows it."""
    check_unreported(event, "reported again")
    if cause == "the_treatment" and (who.randomised_on is None or event.began_on < who.randomised_on):
        words = f"{who.name} had no treatment on {event.began_on}; give the illness or something else as the cause."
        raise ToolError("invalid_argument", words)
    return event.evolve(status="reported", cause=cause, reported_on=today, late=today > event.report_by)


def check_removable(event: rec.AdverseEvent, today: dt.date) -> None:
    """Refuse to take an event out of the log that was reported, or that stands there for long."""
    check_unreported(event, "taken out of the log")
    last = days_after(event.logged_on, REMOVE_DAYS)
    if today > last:
        words = (
            f"The {said(event.event)} of {event.name} could be taken out of the log until {last}; report it instead."
        )
        raise ToolError("precondition_failed", words)


# -- leaving


def withdrawal(
    who: rec.TrialParticipant, reason: rec.Reason, visits: list[rec.TrialVisit], events: list[rec.AdverseEvent],
    today: dt.date,
) -> rec.Withdrawal:  # fmt: skip
    """What somebody who leaves leaves behind; with side effects of a treatment the last visit stays, unless missed."""
    ahead = [visit for visit in visits if visit.status == "planned"]
    last = max(visits, key=lambda visit: visit.opens_on)
    treated = who.arm is not None and reason == "side_effects"
    stays = last if treated and last in ahead and today <= days_after(last.closes_on, LATE_DAYS) else None
    return rec.Withdrawal(
        participant_id=who.id, name=who.name, trial=who.trial, reason=reason,
        cancelled=tuple(visit.visit for visit in ahead if visit is not stays),
        follow_up=stays.visit if stays else None,
        to_report=tuple(event.event for event in events if event.status == "logged"), place_freed=who.arm is None,
    )  # fmt: skip


def after_visit(
    who: rec.TrialParticipant, old: rec.TrialVisit, new: rec.TrialVisit, trial: rec.ClinicalTrial, today: dt.date
) -> rec.TrialParticipant:
    """A participant after a value was recorded: with the deviation, the baseline or the completion that comes of it."""
    done = new.status == "done"
    ends = done and new.visit == trial.visits[-1] and who.status == "randomised"
    return who.evolve(
        status="completed" if ends else who.status,
        ended_on=today if ends else who.ended_on,
        deviations=who.deviations + (new.late and not old.late),
        baseline_done=who.baseline_done or (done and new.visit == "baseline"),
    )


def is_outdated(who: rec.TrialParticipant) -> bool:
    """Whether somebody in a trial now has to sign the present version of its form."""
    return who.status in ACTIVE and not who.consent_current


def by_age(who: rec.TrialCandidate) -> tuple[int, str]:
    """The youngest first."""
    return -who.born_on.toordinal(), who.id


def by_registration(who: rec.TrialCandidate) -> tuple[int, str]:
    """Who came forward first."""
    return who.registered_on.toordinal(), who.id
