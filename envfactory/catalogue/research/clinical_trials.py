"""A trial site: find who can take part, enrol and randomise them, record their visits, report what happens to them.

The windows of visits are counted from enrolment. Who leaves keeps what was recorded; what was to come is cancelled.
"""

import datetime as dt
from typing import Literal, Self, TypeVar

from envfactory.catalogue.research import _trial_records as rec
from envfactory.catalogue.research import _trial_relations as relations
from envfactory.catalogue.research import _trial_rules as rules
from envfactory.catalogue.research._trial_scenario import site
from envfactory.environment import Environment, PageNumber, Table, World, fits, owned, tool

R = TypeVar("R", rec.ClinicalTrial, rec.TrialCandidate, rec.TrialParticipant, rec.TrialVisit, rec.AdverseEvent)


class ClinicalTrials(Environment):
    """Coordinate clinical trials at a site: candidates, consent, randomisation, visits, adverse events, withdrawals."""

    domain = "research"
    policy = """Whoever is enrolled has the condition and age of the trial, none of the risks it excludes, is in no
    other trial, was not randomised in it before, and is past its washout. A consent counts for 30 days if it is to the
    present version of the form; after an amendment nobody in a trial is measured or randomised before that is signed.
    People are randomised within 28 days, after the baseline visit; the arm follows from how full the arms are. A visit
    is held in its window or, as a deviation, up to 7 days later, but not late after 3 deviations. A value can be
    corrected for 14 days, never deleted. Events are reported within 1 day (life_threatening), 7 (severe), 15 (moderate)
    or 30 (mild) of their beginning, also after a withdrawal; later is a deviation. An event can be taken out of the log
    for 3 days until it is reported. Consents, arms, reports and withdrawals are final. Of who leaves, values and events
    stay; planned visits are cancelled except, for side_effects, the last one of somebody randomised, and only a place
    without an arm is free again. Never make up a day of consent, a value or a severity."""
    sources = (
        "ClinicalTrials.gov API v2, Study Data Structure (Eligibility, Arms and Interventions, Adverse Events modules)",
        "REDCap API, Records, Events, Scheduling, e-Consent Framework and Randomization",
        "OpenClinica REST API, Participants, Study Events, Item Data and Notes and Discrepancies",
    )

    coordinator_id: rec.CoordinatorId
    """Coordinator whose session this is."""
    coordinators: Table[rec.StudyCoordinator]
    trials: Table[rec.ClinicalTrial]
    candidates: Table[rec.TrialCandidate]
    participants: Table[rec.TrialParticipant]
    visits: Table[rec.TrialVisit]
    events: Table[rec.AdverseEvent]

    @tool(
        ask=(
            "find my[ {status}] trials[ on {condition}][, by {sort}]",
            "list the[ {status}] trials that I run[ for {condition}][, sorted by {sort}]",
            "show me my[ {status}] trials[ about {condition}][, ordered by {sort}]",
            "look up which[ {status}] trials I have[ for {condition}][, by {sort}]",
        ),
        noun="[{status} ]trial of mine[ on {condition}]",
        reply=("Your trials: {trials}.", "You have no such trial."),
    )
    def find_trials(
        self, status: rec.TrialStatus | None = None, condition: rec.Condition | None = None,
        sort: Literal["name", "start"] = "name", page: PageNumber = 1,
    ) -> rec.TrialPage:  # fmt: skip
        """Find the signed-in coordinator's trials, with criteria, arms, visits and the version of the consent form.

        Args:
            status: Only trials that stand like this.
            condition: Only trials on this illness.
            sort: Order: by name, or the one that started last on top.
            page: Page of the results, five trials each.
        """
        found = self._mine(self.trials, status=status, condition=condition)
        found.sort(key=lambda trial: (-trial.started_on.toordinal() if sort == "start" else 0, trial.name))
        return rec.TrialPage.of(found, page)

    @tool(
        ask=(
            "show me how full {trial_id} is",
            "check how many places {trial_id} has left",
            "tell me where {trial_id} stands, arm by arm",
            "look up the arms of {trial_id} and how many people need the new consent form",
        ),
        reply=("{name} is {status}: {randomised} randomised, {places_left} places left, {outdated} to sign anew.",),
        where=relations.TRIAL,
    )
    def get_trial(self, trial_id: rec.TrialId) -> rec.TrialDetails:
        """Get a trial of the signed-in coordinator: how full its arms are, and whose consent is outdated.

        Args:
            trial_id: Trial to look at.
        """
        return rules.details(self._own(self.trials, trial_id), self.participants.values())

    @tool(
        ask=(
            "find candidates[ for {trial_id}][ in {city}][, {max_age} at most][, by {sort}]",
            "look for candidates[ who could join {trial_id}][ from {city}][, up to {max_age} old][, sorted by {sort}]",
            "show me the candidates[ who are eligible for {trial_id}][ in {city}][, aged up to {max_age}][, by {sort}]",
            "list my candidates[ who meet the criteria of {trial_id}][ in {city}][, up to {max_age}][, by {sort}]",
        ),
        noun="candidate[ for {trial_id}][ in {city}][ aged up to {max_age}]",
        reply=("I found {candidates}.", "There is no such candidate."),
        where=relations.FINDING,
    )
    def find_candidates(
        self, trial_id: rec.TrialId | None = None, city: rec.City | None = None, max_age: rec.Age | None = None,
        sort: Literal["registration", "age"] = "registration", page: PageNumber = 1,
    ) -> rec.CandidatePage:  # fmt: skip
        """Find the signed-in coordinator's candidates: all of them, or those who meet the criteria of a trial today.

        Args:
            trial_id: Only candidates who meet all criteria of this trial.
            city: Only candidates who live in this city.
            max_age: Only candidates of this age in years or younger.
            sort: Order: who came forward first on top, or the youngest.
            page: Page of the results, five candidates each.
        """
        found, today = self._mine(self.candidates, city=city), self.now.date()
        if trial_id is not None:
            trial = self._own(self.trials, trial_id)
            found = [who for who in found if self._check(who, trial).eligible]
        found = [who for who in found if max_age is None or rules.age_on(who.born_on, today) <= max_age]
        return rec.CandidatePage.of(sorted(found, key=rules.by_age if sort == "age" else rules.by_registration), page)

    @tool(
        ask=(
            "check whether {candidate_id} is eligible for {trial_id}",
            "screen {candidate_id} against the criteria of {trial_id}",
            "tell me if {candidate_id} could join {trial_id}",
            "see what keeps {candidate_id} out of {trial_id}",
        ),
        reply=(
            "{name} ({age}) cannot join {trial}: {obstacles}[ ({risks})][; possible from {eligible_from} on].",
            "{name}, who is {age}, meets the criteria of {trial}.",
        ),
        where=relations.CHECKING,
    )
    def check_eligibility(self, candidate_id: rec.CandidateId, trial_id: rec.TrialId) -> rec.Eligibility:
        """Check whether a candidate meets the criteria of a trial, and if not, what is in the way and until when.

        Args:
            candidate_id: Candidate to look at.
            trial_id: Trial with the criteria.
        """
        return self._check(self._own(self.candidates, candidate_id), self._own(self.trials, trial_id))

    @tool(
        writes=True,
        ask=(
            "enrol {candidate_id} in {trial_id}, with the consent form signed on {signed_on}",
            "sign {candidate_id} up for {trial_id}, whose consent is from {signed_on}",
            "add {candidate_id} to {trial_id} as a participant, consent given on {signed_on}",
            "take {candidate_id} into {trial_id}, they signed the consent on {signed_on}",
        ),
        reply=("{name} is enrolled in {trial}, has the baseline visit first and is randomised by {randomise_by}.",),
        where=relations.ENROLLING,
    )
    def enrol_candidate(
        self, candidate_id: rec.CandidateId, trial_id: rec.TrialId, signed_on: rec.Signed
    ) -> rec.TrialParticipant:
        """Enrol a candidate in a recruiting trial today, which plans all visits; undone by withdrawing them.

        Args:
            candidate_id: Candidate who meets the criteria.
            trial_id: Trial to enrol them in.
            signed_on: Day on which they signed the present version of the consent form, at most 30 days ago.
        """
        who, trial = self._own(self.candidates, candidate_id), self._own(self.trials, trial_id)
        filling = rules.details(trial, self.participants.values())
        rules.check_enrolment(self._check(who, trial), filling, signed_on, self.now.date())
        part = rules.enrolled(self.new_id("TP"), who, trial, signed_on, self.now.date())
        for visit in trial.visits:
            self.visits.insert(rules.planned(self.new_id("TV"), part, visit, trial))
        self.candidates.replace(who.evolve(in_trial=True))
        return self.participants.insert(part)

    @tool(
        ask=(
            "list my[ {status}] participants[ in {trial_id}][outdated? with an outdated consent]",
            "show me the[ {status}] participants[ of {trial_id}][outdated? who have to sign the new consent form]",
            "look up my[ {status}] participants[ in {trial_id}][outdated? who need a new consent]",
            "go through my[ {status}] people[ in {trial_id}][outdated? whose consent is outdated]",
        ),
        noun="[{status} ]participant[ of {trial_id}][outdated? with an outdated consent]",
        reply=("I found {participants}.", "There is no such participant."),
        where=relations.TRIAL,
    )
    def list_participants(
        self, trial_id: rec.TrialId | None = None, status: rec.Status | None = None, outdated: bool = False,
        page: PageNumber = 1,
    ) -> rec.ParticipantPage:  # fmt: skip
        """List participants of the signed-in coordinator's trials, those who were enrolled last on top.

        Args:
            trial_id: Only participants of this trial.
            status: Only participants who stand like this.
            outdated: Only participants in a trial now who have not signed the present version of its consent form.
            page: Page of the results, five participants each.
        """
        mine = self._mine(self.participants, trial_id=self._known(self.trials, trial_id), status=status)
        found = [who for who in mine if not outdated or rules.is_outdated(who)]
        found.sort(key=lambda who: (-who.enrolled_on.toordinal(), who.id))
        return rec.ParticipantPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "record that {participant_id} signed the new consent form on {signed_on}",
            "note the new consent of {participant_id}, signed on {signed_on}",
            "file the amended consent form of {participant_id}, dated {signed_on}",
            "enter the renewed consent of {participant_id} from {signed_on}",
        ),
        reply=("{name} has consented to version {consent_version} for {trial}.",),
        where=relations.CONSENTING,
    )
    def record_consent(self, participant_id: rec.ParticipantId, signed_on: rec.Signed) -> rec.TrialParticipant:
        """Record that a participant signed the consent form as amended, so that their visits can go on; this is final.

        Args:
            participant_id: Participant whose consent is outdated.
            signed_on: Day on which they signed it, at most 30 days ago.
        """
        who = self._own(self.participants, participant_id)
        return self._keep(rules.consented(who, self.trials.require(who.trial_id), signed_on, self.now.date()))

    @tool(
        writes=True,
        ask=(
            "randomise {participant_id}",
            "draw the arm for {participant_id}",
            "assign {participant_id} to an arm",
            "get {participant_id} randomised",
        ),
        reply=("{name} is in arm {arm} of {trial}.",),
        where=relations.RANDOMISING,
    )
    def randomise_participant(self, participant_id: rec.ParticipantId) -> rec.TrialParticipant:
        """Randomise a participant after the baseline visit; the arm is drawn by how full the arms are, and final.

        Args:
            participant_id: Participant to randomise.
        """
        who = self._own(self.participants, participant_id)
        filling = rules.details(self.trials.require(who.trial_id), self.participants.values())
        return self._keep(rules.randomised(who, filling, self.now.date()))

    @tool(
        ask=(
            "list the[ {status}] visits[ of {participant_id}][ that are due by {due_by}]",
            "show me the[ {status}] visits[ of {participant_id}][ that open by {due_by}]",
            "look up the[ {status}] trial visits[ of {participant_id}][ up to {due_by}]",
            "go through the[ {status}] visits[ of {participant_id}][ whose window opens by {due_by}]",
        ),
        noun="[{status} ]visit[ of {participant_id}][ due by {due_by}]",
        reply=("I found {visits}.", "There is no such visit."),
        where=relations.VISITS,
    )
    def list_visits(
        self, participant_id: rec.ParticipantId | None = None, status: rec.VisitStatus | None = None,
        due_by: dt.date | None = None, page: PageNumber = 1,
    ) -> rec.VisitPage:  # fmt: skip
        """List visits in the signed-in coordinator's trials, the one whose window closes first on top.

        Args:
            participant_id: Only visits of this participant.
            status: Only visits that stand like this.
            due_by: Only visits whose window opens on this day or before.
            page: Page of the results, five visits each.
        """
        mine = self._mine(self.visits, participant_id=self._known(self.participants, participant_id), status=status)
        found = [visit for visit in mine if due_by is None or visit.opens_on <= due_by]
        found.sort(key=lambda visit: (visit.closes_on, visit.id))
        return rec.VisitPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "record a {measure} of {value} for {visit_id}",
            "enter {value} as the {measure} at {visit_id}",
            "write down {value} for the {measure} at {visit_id}",
            "put a {measure} of {value} into {visit_id}",
        ),
        reply=(
            "It is recorded[late?, as a deviation]; the {visit} visit of {name} still lacks {missing}.",
            "It is recorded[late?, as a deviation]; the {visit} visit of {name} is done.",
        ),
        where=relations.RECORDING,
    )
    def record_measurement(self, visit_id: rec.VisitId, measure: rec.Measure, value: rec.Reading) -> rec.TrialVisit:
        """Record a value at a visit today, or correct one that was recorded; a visit with all its values is done.

        Args:
            visit_id: Visit in its window, or up to 7 days after it, which is a deviation.
            measure: What was measured, one of those of the trial.
            value: Value in whole kg (body_weight, 30 to 250), beats a minute (heart_rate, 30 to 220), mmHg
                (systolic_pressure, 60 to 250; diastolic_pressure, 30 to 150) or percent (oxygen_saturation, 50 to 100).
        """
        old = self._own(self.visits, visit_id)
        who, today = self.participants.require(old.participant_id), self.now.date()
        trial = self.trials.require(who.trial_id)
        new = self.visits.replace(rules.with_value(old, who, trial, measure, value, today))
        self._keep(rules.after_visit(who, old, new, trial, today))
        return new

    @tool(
        ask=(
            "list the[ {severity}] adverse events[ of {participant_id}][unreported? that are not reported yet]",
            "show me the[ {severity}] adverse events[ of {participant_id}][unreported? that I still have to report]",
            "look up which[ {severity}] events[ of {participant_id}] are in the log[unreported? without a report]",
            "check the log for[unreported? unreported][ {severity}] adverse events[ of {participant_id}]",
        ),
        noun="[unreported? unreported ][{severity} ]adverse event[ of {participant_id}]",
        reply=("In the log: {events}.", "There is no such event in the log."),
        where=relations.PARTICIPANT,
    )
    def list_events(
        self, participant_id: rec.ParticipantId | None = None, severity: rec.Severity | None = None,
        unreported: bool = False, page: PageNumber = 1,
    ) -> rec.EventPage:  # fmt: skip
        """List adverse events in the signed-in coordinator's trials, the one to be reported first on top.

        Args:
            participant_id: Only events of this participant.
            severity: Only events that are this bad.
            unreported: Only events that the sponsor was not told of.
            page: Page of the results, five events each.
        """
        whose, status = self._known(self.participants, participant_id), "logged" if unreported else None
        found = self._mine(self.events, participant_id=whose, severity=severity, status=status)
        found.sort(key=lambda event: (event.report_by, event.id))
        return rec.EventPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "log a {severity} {event} of {participant_id} that began on {began_on}",
            "put a {severity} {event} of {participant_id} in the log, it began on {began_on}",
            "enter a {severity} {event} for {participant_id}, starting {began_on}",
            "add a {severity} {event} on {began_on} to the adverse events of {participant_id}",
        ),
        reply=("The {severity} {event} of {name} is in the log and has to be reported by {report_by}.",),
        where=relations.LOGGING,
    )
    def log_event(
        self, participant_id: rec.ParticipantId, event: rec.EventName, severity: rec.Severity, began_on: rec.Began
    ) -> rec.AdverseEvent:
        """Log an adverse event of a participant; the sponsor is told of it only once it is reported.

        Args:
            participant_id: To whom it happened, from enrolment to 30 days after the end of their participation.
            event: What happened.
            severity: How bad it is: reported within 30 days (mild), 15 (moderate), 7 (severe), 1 (life_threatening).
            began_on: Day on which it began, not before enrolment.
        """
        who, today = self._own(self.participants, participant_id), self.now.date()
        row = rules.logged(self.new_id("AE"), who, event, severity, began_on, self.events.values(), today)
        return self.events.insert(row)

    @tool(
        writes=True,
        ask=(
            "take {event_id} out of the log, it was entered by mistake",
            "remove {event_id} from the log of adverse events",
            "delete {event_id} from the log, as it was entered for the wrong person",
            "strike {event_id} from the adverse events",
        ),
        reply=("The {event} of {name} is out of the log.",),
        where=relations.REMOVING,
    )
    def remove_event(self, event_id: rec.EventId) -> rec.AdverseEvent:
        """Take an event out of the log that was entered by mistake, within 3 days and before it is reported.

        Args:
            event_id: Event to take out.
        """
        rules.check_removable(self._own(self.events, event_id), self.now.date())
        return self.events.delete(event_id)

    @tool(
        writes=True,
        ask=(
            "report {event_id} to the sponsor, most likely caused by {cause}",
            "tell the sponsor about {event_id} and give {cause} as the cause",
            "send the sponsor a report on {event_id}, with {cause} as the likely cause",
            "file the report on {event_id}, the cause being {cause}",
        ),
        reply=("The {event} of {name} is reported[late?, too late, which is a deviation].",),
        where=relations.REPORTING,
    )
    def report_event(self, event_id: rec.EventId, cause: rec.Cause) -> rec.AdverseEvent:
        """Report an event in the log to the sponsor, which is final; after its last day it is a deviation.

        Args:
            event_id: Event that was not reported yet.
            cause: Most likely cause: the_treatment (only after randomisation), the_illness or something_else.
        """
        event = self._own(self.events, event_id)
        who = self.participants.require(event.participant_id)
        told = rules.reported(event, who, cause, self.now.date())
        self.participants.replace(who.evolve(deviations=who.deviations + told.late))
        return self.events.replace(told)

    @tool(
        writes=True,
        ask=(
            "withdraw {participant_id} and give {reason} as the reason",
            "take {participant_id} out of the trial, the reason is {reason}",
            "pull {participant_id} from the trial, reason: {reason}",
            "end the participation of {participant_id}, with {reason} as the reason",
        ),
        reply=("{name} has left {trial}[; {follow_up} stays][; cancelled: {cancelled}][; to report: {to_report}].",),
        where=relations.WITHDRAWING,
    )
    def withdraw_participant(self, participant_id: rec.ParticipantId, reason: rec.Reason) -> rec.Withdrawal:
        """Withdraw a participant for good; what was recorded stays, and planned visits are cancelled.

        Args:
            participant_id: Participant who leaves.
            reason: consent_withdrawn, moved_away, missed_visits or side_effects (the last visit stays if randomised).
        """
        who = self._own(self.participants, participant_id)
        rules.check_active(who, "withdrawn")
        today = self.now.date()
        visits, events = self._mine(self.visits, participant_id=who.id), self._mine(self.events, participant_id=who.id)
        left = rules.withdrawal(who, reason, visits, events, today)
        self._keep(who.evolve(status="withdrawn", ended_on=today, reason=reason, follow_up=left.follow_up))
        return left

    def _mine(self, table: Table[R], **wanted: object) -> list[R]:
        """The rows of the signed-in coordinator with what is wanted."""
        return [row for row in table.values() if fits(row, coordinator_id=self.coordinator_id, **wanted)]

    def _own(self, table: Table[R], key: str) -> R:
        return owned(table.require(key), "coordinator_id", self.coordinator_id)

    def _known(self, table: Table[R], key: str | None) -> str | None:
        return key if key is None else self._own(table, key).id

    def _check(self, who: rec.TrialCandidate, trial: rec.ClinicalTrial) -> rec.Eligibility:
        return rules.eligibility(who, trial, self.participants.values(), self.now.date())

    def _keep(self, who: rec.TrialParticipant) -> rec.TrialParticipant:
        """Keep a participant as changed, with what follows for planned visits and, at the end, for the candidate."""
        for visit in self._mine(self.visits, participant_id=who.id, status="planned"):
            self.visits.replace(rules.as_planned(visit, who))
        if who.status != self.participants.require(who.id).status and who.ended_on:
            self.candidates.replace(rules.freed(self.candidates.require(who.candidate_id), who, who.ended_on))
        return self.participants.replace(who)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Trials in every condition, candidates whom they take or not, and participants at every step."""
        return cls.model_validate(site(world, size))
