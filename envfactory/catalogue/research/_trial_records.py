"""Records and results of a trial site: trials, candidates, participants with their visits, adverse events."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Output, Page, Ranked, Record, Ref, Unit, Value

CoordinatorId = Annotated[str, Ref("StudyCoordinator")]
TrialId = Annotated[str, Ref("ClinicalTrial")]
CandidateId = Annotated[str, Ref("TrialCandidate")]
ParticipantId = Annotated[str, Ref("TrialParticipant")]
VisitId = Annotated[str, Ref("TrialVisit")]
EventId = Annotated[str, Ref("AdverseEvent")]
City = Annotated[str, Value("city", "City, by its English name.")]
PersonName = Annotated[str, Value("person_name", "Full name of a person.")]
TrialName = Annotated[str, Value("trial_name", "Short name of a trial, such as LUMEN.")]
Condition = Annotated[
    Literal["asthma", "migraine", "type_2_diabetes", "high_blood_pressure", "psoriasis", "back_pain"],
    Value("trial_condition", "Illness that a trial is about."),
]
Risk = Annotated[
    Literal["pregnancy", "kidney_disease", "liver_disease", "blood_thinners", "pacemaker", "heart_failure"],
    Value("trial_risk", "What may keep somebody out of a trial."),
]
TrialStatus = Annotated[
    Literal["recruiting", "closed_to_enrolment", "suspended", "completed"],
    Value("trial_status", "Where a trial stands; a suspended one enrols and randomises nobody for now."),
]
Phase = Annotated[Literal["phase_2", "phase_3", "phase_4"], Value("trial_phase", "Phase of a trial.")]
Status = Annotated[
    Literal["enrolled", "randomised", "completed", "withdrawn"],
    Value("participant_status", "Where a participant stands; enrolled is before randomisation."),
]
VisitName = Annotated[
    Literal["baseline", "week_2", "week_4", "week_8", "week_12"],
    Value("trial_visit", "Which visit of the plan: baseline comes before randomisation."),
]
VisitStatus = Annotated[
    Literal["planned", "done", "cancelled"], Value("trial_visit_status", "Where a visit stands; done has all values.")
]
Measure = Annotated[
    Literal["body_weight", "heart_rate", "systolic_pressure", "diastolic_pressure", "oxygen_saturation"],
    Value(
        "trial_measure",
        "body_weight (kg), heart_rate (beats a minute), systolic_pressure and diastolic_pressure (mmHg), "
        "oxygen_saturation (percent).",
    ),
]
EventName = Annotated[
    Literal["headache", "nausea", "dizziness", "rash", "fever", "vomiting", "fainting", "chest_pain", "insomnia"],
    Value("adverse_event", "What happened to a participant."),
]
Severity = Annotated[
    Literal["mild", "moderate", "severe", "life_threatening"],
    Value("event_severity", "How bad an event is: mild, moderate, severe or life_threatening."),
]
Cause = Annotated[
    Literal["the_treatment", "the_illness", "something_else"],
    Value("event_cause", "What an event most likely is due to."),
]
Grounds = Literal["consent_withdrawn", "moved_away", "side_effects", "missed_visits"]
"""Why somebody left a trial; nobody leaves for another's reason."""
Reason = Annotated[Grounds, Value("withdrawal_reason", "Why somebody leaves a trial.")]
Obstacle = Annotated[
    Literal[
        "other_condition", "too_young", "too_old", "excluded_risk", "in_a_trial_now", "washout", "randomised_before"
    ],
    Value("trial_obstacle", "What keeps a candidate out of a trial."),
]  # fmt: skip
Signed = Annotated[dt.date, Value("consent_day", "Day on which a consent form was signed.")]
Began = Annotated[dt.date, Value("event_day", "Day on which an event began.")]
Age = Annotated[int, Field(ge=0, le=120), Unit("year")]
Count = Annotated[int, Field(ge=0)]
Reading = Annotated[int, Field(ge=1, le=400)]


class StudyCoordinator(Record, noun="coordinator", label="{name}"):
    """Somebody who runs trials at the site."""

    id: CoordinatorId
    """Identifier of the coordinator."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]


class Arm(Record, noun="arm", label="arm {name}"):
    """A group of a trial; its letter does not tell which treatment it gets."""

    name: Literal["A", "B", "C"]
    """Letter of the arm."""
    places: Count
    """How many participants of the site it takes at most."""


class ClinicalTrial(Record, noun="trial", label="the {name} trial", listing="{name} ({phase}, {condition}, {status})"):
    """A trial that a coordinator runs at the site."""

    id: TrialId
    """Identifier of the trial."""
    coordinator_id: CoordinatorId
    """Who runs it at the site."""
    name: TrialName
    condition: Condition
    phase: Phase
    status: TrialStatus
    started_on: Annotated[dt.date, Ranked("oldest", "newest")]
    """Day on which it started at the site."""
    min_age: Age
    """Youngest age that it takes."""
    max_age: Age
    """Oldest age that it takes."""
    excludes: tuple[Risk, ...]
    """What keeps somebody out of it."""
    washout_days: Annotated[int, Field(ge=0), Unit("day")]
    """How long another trial has to be over."""
    consent_version: Annotated[int, Field(ge=1)]
    """Version of the consent form that is to be signed; an amendment raises it."""
    consent_from: dt.date
    """First day of that version."""
    arms: tuple[Arm, ...]
    """Groups that participants are randomised to."""
    visits: tuple[VisitName, ...]
    """Visits of every participant, in order."""
    measures: tuple[Measure, ...]
    """What is measured at every visit."""


class TrialCandidate(
    Record, noun="candidate", label="{name}", listing="{name} ({condition}, born {born_on}, in {city})"
):
    """Somebody who would take part in a trial."""

    id: CandidateId
    """Identifier of the candidate."""
    coordinator_id: CoordinatorId
    """Who looks after them at the site."""
    name: PersonName
    born_on: Annotated[dt.date, Ranked("oldest", "youngest")]
    """Day of birth."""
    city: City
    condition: Condition
    risks: tuple[Risk, ...] = ()
    """What may keep them out of a trial."""
    registered_on: dt.date
    """Day on which they came forward."""
    in_trial: bool = False
    """Whether they take part in a trial now."""
    treated_until: dt.date | None = None
    """Day on which they left or completed the last trial in which they were randomised."""


class TrialParticipant(Record, noun="participant", label="{name}[ in {trial}]", listing="{name} in {trial} ({status})"):
    """A candidate in a trial, from enrolment on."""

    id: ParticipantId
    """Identifier of the participant."""
    coordinator_id: CoordinatorId
    """Who runs the trial at the site."""
    trial_id: TrialId
    """Trial that they are in."""
    trial: TrialName
    candidate_id: CandidateId
    """Candidate who takes part."""
    name: PersonName
    status: Status
    enrolled_on: Annotated[dt.date, Ranked("longest enrolled", "newest")]
    """Day of enrolment, from which the windows of the visits are counted."""
    consent_version: Annotated[int, Field(ge=1)]
    """Version of the consent form that they signed last."""
    signed_on: Signed
    consent_current: bool = True
    """Whether that is the version that is to be signed."""
    baseline_done: bool = False
    """Whether the baseline visit has all its values."""
    randomise_by: dt.date
    """Last day on which they can be randomised."""
    arm: Literal["A", "B", "C"] | None = None
    """Arm that they were randomised to."""
    randomised_on: dt.date | None = None
    """Day of that."""
    deviations: Count = 0
    """Visits that were held late, and events that were reported late."""
    ended_on: dt.date | None = None
    """Day on which they completed the trial or left it."""
    reason: Grounds | None = None
    """Why they left, if they did."""
    follow_up: VisitName | None = None
    """Visit that stayed planned when they left."""


class Measured(Record, noun="value", label="{measure}"):
    """A value of a visit."""

    measure: Measure
    value: Reading
    """What was measured, in the unit of the measure."""
    recorded_on: dt.date
    """Day on which it was first recorded."""
    first: Reading | None = None
    """What was recorded first, if it was corrected."""


class TrialVisit(
    Record,
    noun="visit",
    label="the {visit} visit of {name}[ in {trial}]",
    listing="{visit} of {name} from {opens_on} to {closes_on} ({status})",
):
    """A visit of a participant, due in a window that is counted from the day of enrolment."""

    id: VisitId
    """Identifier of the visit."""
    coordinator_id: CoordinatorId
    """Who runs the trial at the site."""
    participant_id: ParticipantId
    """Whose visit it is."""
    name: PersonName
    trial: TrialName
    visit: VisitName
    opens_on: Annotated[dt.date, Ranked("earliest", "latest")]
    """First day of its window."""
    closes_on: dt.date
    """Last day of its window."""
    status: VisitStatus = "planned"
    held_up: bool = False
    """Whether a new consent or the randomisation has to come first."""
    missing: tuple[Measure, ...]
    """What is still to be measured."""
    values: tuple[Measured, ...] = ()
    """What was measured."""
    late: bool = False
    """Whether it was held after its window, which is a deviation."""


class AdverseEvent(
    Record,
    noun="adverse event",
    label="the {event} of {name}[ on {began_on}]",
    listing="{severity} {event} of {name} on {began_on} (report by {report_by}, {status})",
):
    """Something bad that happened to a participant."""

    id: EventId
    """Identifier of the event."""
    coordinator_id: CoordinatorId
    """Who runs the trial at the site."""
    participant_id: ParticipantId
    """To whom it happened."""
    name: PersonName
    trial: TrialName
    event: EventName
    severity: Severity
    began_on: Began
    logged_on: dt.date
    """Day on which it was put in the log."""
    report_by: Annotated[dt.date, Ranked("most urgent", "least urgent")]
    """Last day on which it is reported in time."""
    status: Literal["logged", "reported"] = "logged"
    """Whether the sponsor was told."""
    cause: Cause | None = None
    """What it is most likely due to."""
    reported_on: dt.date | None = None
    """Day on which the sponsor was told."""
    late: bool = False
    """Whether that was too late, which is a deviation."""


class TrialPage(Page):
    """A page of trials."""

    trials: tuple[ClinicalTrial, ...]
    """The trials on this page."""


class CandidatePage(Page):
    """A page of candidates."""

    candidates: tuple[TrialCandidate, ...]
    """The candidates on this page."""


class ParticipantPage(Page):
    """A page of participants."""

    participants: tuple[TrialParticipant, ...]
    """The participants on this page."""


class VisitPage(Page):
    """A page of visits."""

    visits: tuple[TrialVisit, ...]
    """The visits on this page."""


class EventPage(Page):
    """A page of adverse events."""

    events: tuple[AdverseEvent, ...]
    """The events on this page."""


class ArmFilling(Output):
    """How full an arm is."""

    name: Literal["A", "B", "C"]
    """Letter of the arm."""
    places: Count
    """How many participants of the site it takes at most."""
    randomised: Count
    """How many were randomised to it, those who left included."""


class TrialDetails(Output):
    """A trial, with how full it is."""

    trial: ClinicalTrial
    """The trial."""
    name: TrialName
    status: TrialStatus
    arms: tuple[ArmFilling, ...]
    """How full each arm is."""
    enrolled: Count
    """Participants who wait for randomisation."""
    randomised: Count
    """Participants who were randomised, those who left included."""
    places_left: Count
    """How many more can be enrolled, as far as places go."""
    consent_version: Annotated[int, Field(ge=1)]
    """Version of the consent form that is to be signed."""
    outdated: Count
    """Participants in it now who signed an earlier version only."""


class Eligibility(Output):
    """Whether somebody can be enrolled in a trial."""

    candidate_id: CandidateId
    """Who was looked at."""
    trial_id: TrialId
    """For which trial."""
    name: PersonName
    trial: TrialName
    age: Age
    """Age of the candidate today."""
    eligible: bool
    """Whether nothing is in the way."""
    obstacles: tuple[Obstacle, ...]
    """What is in the way."""
    risks: tuple[Risk, ...]
    """Risks of the candidate that the trial excludes."""
    eligible_from: dt.date | None = None
    """Day on which nothing is in the way any more, if that is only a matter of time."""


class Withdrawal(Output):
    """What a withdrawal leaves."""

    participant_id: ParticipantId
    """Who left."""
    name: PersonName
    trial: TrialName
    reason: Grounds
    cancelled: tuple[VisitName, ...]
    """Visits that are cancelled."""
    follow_up: VisitName | None = None
    """Visit that stays planned, to see how they are."""
    to_report: tuple[EventName, ...]
    """Events that still have to be reported."""
    place_freed: bool
    """Whether somebody else can have the place: only of who was not randomised."""
