"""The site of a scenario: trials in every condition, candidates whom they take or not, participants at every step."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.research import _trial_records as rec
from envfactory.catalogue.research import _trial_rules as rules
from envfactory.environment import World, by_id, days_after


class _Kind(NamedTuple):
    """A trial as it is drawn."""

    name: str
    condition: rec.Condition
    status: rec.TrialStatus
    ages: tuple[int, int]
    excludes: tuple[rec.Risk, ...]
    washout: int
    version: int
    amended: int
    """How many days ago its version of the form began to count."""
    arms: tuple[int, ...]
    """Places of its arms."""
    visits: int
    """How many visits it has, of the five that there are."""
    measures: tuple[rec.Measure, ...]


_PRESSURE: tuple[rec.Measure, ...] = ("systolic_pressure", "diastolic_pressure")
_MINE = (
    _Kind("LUMEN", "migraine", "recruiting", (18, 65), ("pregnancy", "pacemaker"), 30, 1, 260, (14, 14), 5,
          ("heart_rate", *_PRESSURE)),
    _Kind("BREEZE", "asthma", "recruiting", (18, 70), ("heart_failure", "pregnancy"), 60, 2, 3, (8, 8, 8), 4,
          ("oxygen_saturation", "heart_rate")),
    _Kind("MERIDIAN", "type_2_diabetes", "recruiting", (30, 75), ("kidney_disease", "heart_failure"), 90, 3, 5,
          (12, 6), 5, ("body_weight", *_PRESSURE)),
    _Kind("CALM-HP", "high_blood_pressure", "recruiting", (40, 80), ("kidney_disease",), 45, 1, 180, (8, 5), 5,
          (*_PRESSURE, "heart_rate")),
    _Kind("DERMA-V", "psoriasis", "suspended", (18, 75), ("liver_disease",), 60, 1, 150, (6, 6), 5, ("body_weight",)),
    _Kind("UPRIGHT", "back_pain", "closed_to_enrolment", (25, 70), ("blood_thinners", "pregnancy"), 30, 2, 4, (5, 5),
          5, ("body_weight", "heart_rate")),
    _Kind("NORTHSTAR", "migraine", "completed", (18, 60), ("pregnancy",), 30, 1, 400, (2, 2), 4, ("heart_rate",)),
)  # fmt: skip
"""The user's trials: the last is over, and its arms are full."""
_OTHER_NAMES = ("ORION", "TIDE", "AMBER", "KESTREL", "HALO", "QUARTZ", "VESTA", "JUNIPER", "COBALT", "FJORD")
_RISKS: tuple[rec.Risk, ...] = (
    "pregnancy", "kidney_disease", "liver_disease", "blood_thinners", "pacemaker", "heart_failure"
)  # fmt: skip
_EVENTS: tuple[rec.EventName, ...] = (
    "headache", "nausea", "dizziness", "rash", "fever", "vomiting", "fainting", "chest_pain", "insomnia"
)  # fmt: skip
_SEVERITIES: tuple[rec.Severity, ...] = ("mild", "moderate", "severe", "life_threatening")
_CAUSES: tuple[rec.Cause, ...] = ("the_treatment", "the_illness", "something_else")
_REASONS: tuple[rec.Reason, ...] = ("consent_withdrawn", "moved_away", "missed_visits")
_TREATED = (13, 27, 54, 80, 15, 29, 57, 84, 19, 33, 64, 94)
"""How many days ago those were enrolled who are treated now: some within the window of a visit, some just after it."""
_VALUES: dict[rec.Measure, tuple[int, int]] = {
    "body_weight": (58, 104), "heart_rate": (58, 92), "systolic_pressure": (108, 152), "diastolic_pressure": (68, 96),
    "oxygen_saturation": (93, 99),
}  # fmt: skip


def site(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and a hundred and fifty more."""
    it = _Site(world, size)
    for kind in _MINE:
        it.trial(kind, it.coordinators[0].id)
    for n, coordinator in enumerate(it.coordinators[1:]):
        kind = _MINE[n % 4]
        again, place = divmod(n, len(_OTHER_NAMES))
        name = _OTHER_NAMES[place] + (f" {again + 1}" if again else "")
        it.trial(kind._replace(name=name, amended=200, visits=4), coordinator.id)
    for n, trial in enumerate(it.trials):
        if n < len(_MINE):
            it.mine(n, trial)
        else:
            it.others(trial)
    return {
        "now": world.now,
        "coordinator_id": it.coordinators[0].id,
        "coordinators": by_id(it.coordinators),
        "trials": by_id(it.trials),
        "candidates": it.candidates,
        "participants": it.participants,
        "visits": by_id(it.visits.values()),
        "events": by_id(it.events),
    }


class _Site:
    """Trials and people as they are added."""

    def __init__(self, world: World, size: int) -> None:
        self.world, self.today, self.more = world, world.today, size // 60
        crew = [world.user, *world.people(max(2, size // 30))]
        self.coordinators = [
            rec.StudyCoordinator(id=f"SC-{11 + n}", name=each.name, email=each.email) for n, each in enumerate(crew)
        ]
        known = {each.name for each in crew}
        self.names = [each.name for each in world.people(140 + 2 * size) if each.name not in known]
        self.cities = [name for name, _ in world.cities[:3]]
        self.trials: list[rec.ClinicalTrial] = []
        self.candidates: dict[str, rec.TrialCandidate] = {}
        self.participants: dict[str, rec.TrialParticipant] = {}
        self.visits: dict[tuple[str, str], rec.TrialVisit] = {}
        self.events: list[rec.AdverseEvent] = []

    def ago(self, days: int) -> dt.date:
        """The day so many days before today."""
        return days_after(self.today, -days)

    def trial(self, kind: _Kind, coordinator_id: str) -> None:
        """Add a trial."""
        phases: tuple[rec.Phase, ...] = ("phase_2", "phase_3", "phase_4")
        letters = ("A", "B", "C")
        self.trials.append(
            rec.ClinicalTrial(
                id=f"CT-{101 + len(self.trials)}", coordinator_id=coordinator_id, name=kind.name,
                condition=kind.condition, phase=self.world.choice(phases), status=kind.status,
                started_on=self.ago(401 + 17 * len(self.trials) % 90), min_age=kind.ages[0], max_age=kind.ages[1],
                excludes=kind.excludes, washout_days=kind.washout, consent_version=kind.version,
                consent_from=self.ago(kind.amended),
                arms=tuple(
                    rec.Arm(name=letters[n], places=places + 2 * self.more * (places > 2))
                    for n, places in enumerate(kind.arms)
                ),
                visits=tuple(rules.WINDOWS)[: kind.visits], measures=kind.measures,
            )
        )  # fmt: skip

    def mine(self, place: int, trial: rec.ClinicalTrial) -> None:
        """Add the people of one of the user's trials: at every step, and for recruiting ones those who may join."""
        if trial.status == "completed":
            for n in range(4):
                self.over(trial, 200 + 9 * n, None if n < 3 else self.world.choice(_REASONS))
            return
        for n in range(4 + self.more):
            self.treated(trial, _TREATED[(n + 4 * place) % len(_TREATED)], n)
        steady = self.ago(30) > trial.consent_from and trial.status == "recruiting"
        for n in range((4 if steady else 2) + self.more):
            self.fresh(trial, 7 + n % 3, ready=trial.status != "suspended")
        self.over(trial, 92, self.world.choice(_REASONS))
        self.fresh(trial, 2 + place % 4, ready=False)
        self.fresh(trial, 24 + 11 * (place == 0))
        if place in (0, 2):
            self.over(trial, 60 + 12 * place, "side_effects")
        if trial.status == "recruiting":
            for n in range(7 + self.more):
                age = self.world.integer(trial.min_age + 8, trial.max_age - 5)
                self.candidate(trial, age=age, since=20 + 7 * n)
            self.candidate(trial, age=45, since=15, risks=(trial.excludes[0],))
            self.candidate(trial, age=trial.max_age + 2, since=9)
            self.candidate(trial, age=52, since=11, treated=trial.washout_days - 6)
            self.candidate(trial, age=trial.min_age, since=90, treated=trial.washout_days)
            self.candidate(trial, age=trial.min_age - 1, since=5)

    def others(self, trial: rec.ClinicalTrial) -> None:
        """Add the people of somebody else's trial."""
        self.treated(trial, 27, 0)
        self.over(trial, 100, None)
        self.fresh(trial, 7)
        self.candidate(trial, age=trial.min_age + 12, since=30)

    def candidate(
        self, trial: rec.ClinicalTrial, *, age: int, since: int, risks: tuple[rec.Risk, ...] = (),
        treated: int | None = None, inside: bool = False,
    ) -> rec.TrialCandidate:  # fmt: skip
        """Add a candidate with the condition of a trial, of an age in years; days count back from today."""
        born = self.ago(365 * age + age // 4 + 40 + self.world.integer(0, 200))
        others: tuple[rec.Risk, ...] = tuple(risk for risk in _RISKS if risk not in trial.excludes)
        harmless = (self.world.choice(others),) if len(self.candidates) % 7 == 3 else ()
        who = rec.TrialCandidate(
            id=f"CA-{301 + len(self.candidates)}", coordinator_id=trial.coordinator_id,
            name=self.names[len(self.candidates)], born_on=born, city=self.world.choice(self.cities),
            condition=trial.condition, registered_on=self.ago(since), in_trial=inside,
            risks=risks or harmless,
            treated_until=None if treated is None else self.ago(treated),
        )  # fmt: skip
        self.candidates[who.id] = who
        return who

    def join(self, trial: rec.ClinicalTrial, days: int) -> rec.TrialParticipant:
        """Add a participant who was enrolled some days ago, with planned visits; the form may have changed since."""
        age = self.world.integer(trial.min_age + 6, trial.max_age - 6)
        who = self.candidate(trial, age=age, since=days + 21, inside=True)
        day = self.ago(days)
        new = rules.enrolled(f"TP-{501 + len(self.participants)}", who, trial, days_after(day, -1), day)
        if new.signed_on < trial.consent_from:
            new = new.evolve(consent_version=trial.consent_version - 1, consent_current=False)
        self.participants[new.id] = new
        for visit in trial.visits:
            self.visits[new.id, visit] = rules.planned(f"TV-{101 + len(self.visits)}", new, visit, trial)
        return new

    def fresh(self, trial: rec.ClinicalTrial, days: int, *, ready: bool = True) -> None:
        """Add somebody who is enrolled but not randomised."""
        who = self.join(trial, days)
        day = days_after(who.enrolled_on, 1)
        if who.consent_current or day < trial.consent_from:
            self.hold(who, "baseline", day, len(trial.measures) - (not ready))
        self.settle(who.evolve(baseline_done=ready))

    def treated(self, trial: rec.ClinicalTrial, days: int, place: int) -> None:
        """Add somebody who was randomised, and whose visits were held until now unless their consent is outdated."""
        who = self.join(trial, days)
        if not who.consent_current and place % 2:
            version, signed = trial.consent_version, trial.consent_from
            who = who.evolve(consent_version=version, signed_on=signed, consent_current=True)
        who = self.drawn(who, trial, days)
        for visit in trial.visits[1:]:
            first, last = rules.WINDOWS[visit]
            late = place == 3 and last + 3 < days
            day = days_after(who.enrolled_on, last + 3 if late else (first + last) // 2)
            allowed = who.consent_current or day < trial.consent_from
            if allowed and (last < days - rules.LATE_DAYS or (last < days and place % 3 == 2)):
                self.hold(who, visit, day, len(trial.measures), late=late)
                who = who.evolve(deviations=who.deviations + late)
                if visit == trial.visits[-1]:
                    who = who.evolve(status="completed", ended_on=day)
            elif first <= days <= last and place % 4 == 1 and who.consent_current:
                self.hold(who, visit, self.today, len(trial.measures) - 1)
        self.settle(self.suffered(who, days, place))

    def over(self, trial: rec.ClinicalTrial, days: int, reason: rec.Reason | None) -> None:
        """Add somebody whose trial is over: completed, or left for a reason some weeks after they were enrolled."""
        who = self.drawn(self.join(trial, days), trial, days)
        held = trial.visits[:2] if reason else trial.visits
        for visit in held[1:]:
            self.hold(who, visit, days_after(who.enrolled_on, rules.WINDOWS[visit][0]), len(trial.measures))
        end = days_after(who.enrolled_on, rules.WINDOWS[held[-1]][0] + (9 if reason else 0))
        stays = trial.visits[-1] if reason == "side_effects" else None
        status: rec.Status = "withdrawn" if reason else "completed"
        who = who.evolve(status=status, ended_on=end, reason=reason, follow_up=stays)
        self.settle(self.suffered(who, days, 0))

    def drawn(self, who: rec.TrialParticipant, trial: rec.ClinicalTrial, days: int) -> rec.TrialParticipant:
        """A participant who was randomised a week after enrolment."""
        self.hold(who, "baseline", days_after(who.enrolled_on, 2), len(trial.measures))
        filling = rules.details(trial, self.participants.values()).evolve(status="recruiting")
        ready = who.evolve(baseline_done=True, consent_current=True)
        return rules.randomised(ready, filling, self.ago(days - 7)).evolve(consent_current=who.consent_current)

    def hold(
        self, who: rec.TrialParticipant, visit: rec.VisitName, day: dt.date, count: int, *, late: bool = False
    ) -> None:
        """Record so many values of a visit."""
        old = self.visits[who.id, visit]
        values = tuple(
            rec.Measured(measure=each, value=self.world.integer(*_VALUES[each]), recorded_on=day)
            for each in old.missing[:count]
        )
        missing = old.missing[count:]
        status: rec.VisitStatus = "planned" if missing else "done"
        self.visits[who.id, visit] = old.evolve(values=values, missing=missing, status=status, late=late)

    def suffered(self, who: rec.TrialParticipant, days: int, place: int) -> rec.TrialParticipant:
        """A randomised participant with events: an old one that was reported, and one of these days that was not."""
        late, n = False, len(self.events)
        if place % 2 == 0:
            late = n % 3 == 0 and days > 20 and who.ended_on is None
            began = days_after(who.enrolled_on, 8)
            wait = rules.REPORT_DAYS["severe"] + 2 if late else 1
            self.event(who, "severe" if late else _SEVERITIES[n % 2], began, wait, late=late)
        n = len(self.events)
        ago = (1, 0, 3, 2, 5, 20)[n % 6]
        if who.ended_on is None and days - ago > 7:
            self.event(who, _SEVERITIES[(n + ago) % 3 if ago > 1 else n % 4], self.ago(ago))
        return who.evolve(deviations=who.deviations + late)

    def event(
        self, who: rec.TrialParticipant, severity: rec.Severity, began: dt.date, wait: int | None = None, *,
        late: bool = False,
    ) -> None:  # fmt: skip
        """Add an event, logged on the day after it began at the latest, and reported so many days later if it was."""
        n = len(self.events)
        logged = min(days_after(began, 1), self.today)
        new = rules.logged(f"AE-{701 + n}", who, _EVENTS[n * 4 % 9], severity, began, self.events, logged)
        if wait:
            told = days_after(began, wait)
            new = new.evolve(status="reported", cause=_CAUSES[n % 3], reported_on=told, late=late)
        self.events.append(new)

    def settle(self, who: rec.TrialParticipant) -> None:
        """Keep a participant as they stand, with what follows for planned visits and the candidate."""
        self.participants[who.id] = who
        for key in [(who.id, visit) for visit in rules.WINDOWS]:
            if key in self.visits and self.visits[key].status == "planned":
                self.visits[key] = rules.as_planned(self.visits[key], who)
        if who.ended_on:
            candidate = self.candidates[who.candidate_id]
            self.candidates[candidate.id] = rules.freed(candidate, who, who.ended_on)
