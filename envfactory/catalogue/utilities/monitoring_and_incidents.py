"""An on-call desk: answer, escalate and silence alerts, run the incidents that come of them, and share turns on call.

Alerts are answered by whoever is on call. Incidents take them along, and are over once all is normal again.
"""

from typing import Self

from envfactory.catalogue.utilities import _incident_records as rec
from envfactory.catalogue.utilities import _incident_relations as relations
from envfactory.catalogue.utilities import _incident_rota as rota
from envfactory.catalogue.utilities import _incident_rules as rules
from envfactory.catalogue.utilities._incident_desk import Desk
from envfactory.catalogue.utilities._incident_scenario import operations
from envfactory.environment import Environment, PageNumber, Table, World, tool


class MonitoringAndIncidents(Environment):
    """Work as an on-call engineer: alerts of services, incidents with their severity and status page, shifts."""

    domain = "utilities"
    policy = """Everything belongs to a team. Who is on call now acknowledges, escalates and silences alerts. An alert
    is escalated once it is acknowledged, or if it is not for 15 minutes; of low urgency no further than the secondary.
    Acknowledged alerts can be silent for 4 hours (high urgency) or 24 (low) from their first silence. An alert belongs
    to one incident. Whoever declares an incident leads it. Anybody raises its severity; the lead alone lowers it,
    resolves it, tells customers, and merges it for good into another of the same service or one directly above or
    below. It is not minor while an alert of high urgency is beyond its threshold. Customers are told of major and
    critical incidents of public services, never backwards; till they know that one is over it stays severe. It is
    resolved when all its alerts are normal again, and can be reopened for 72 hours. Shifts are handed over before they
    begin, within the team, and then only go back; nobody has less than 11 hours of rest. Never guess a severity."""
    sources = (
        "PagerDuty REST API v2, Incidents, Merge Incidents, Alerts, Schedule Overrides and Escalation Policies",
        "Opsgenie REST API, Alerts and Who is On Call, and Grafana Alerting, alert rules and silences",
        "Statuspage API, Incidents with the phases investigating, identified, monitoring and resolved",
    )

    engineer_id: rec.EngineerId
    """Engineer whose session this is, and their team."""
    team_id: rec.TeamId
    teams: Table[rec.OnCallTeam]
    engineers: Table[rec.OnCallEngineer]
    services: Table[rec.MonitoredService]
    alerts: Table[rec.ServiceAlert]
    incidents: Table[rec.ServiceIncident]
    shifts: Table[rec.OnCallShift]

    @tool(
        ask=(
            "list our[public? public] services[ that cannot work without {needed}]",
            "tell me which[public? public] services we run[ on top of {needed}]",
            "give me an overview of the[public? public] services[ that depend on {needed}]",
            "look up our[public? public] services[ that need {needed}]",
        ),
        noun="[public? public ]service[ that depends on {needed}]",
        reply=("We run {services}.", "There is no such service."),
    )
    def find_services(
        self, needed: rec.ServiceName | None = None, public: bool = False, page: PageNumber = 1
    ) -> rec.ServicePage:
        """List by name what the team runs, each service with its monitors, their thresholds and what it depends on.

        Args:
            needed: Name of a service; only those that depend on it directly.
            public: Only services that the status page for customers has.
            page: Page of the results, five services each.
        """
        ours = self._desk.ours(self.services, public=public or None)
        return rec.ServicePage.of(rules.by_name(ours, needed), page)

    @tool(
        ask=(
            "list the[ {status}][ {urgency}] alerts[ of {service}][loose? that belong to no incident]",
            "show me which[ {status}][ {urgency}] alerts there are[ for {service}][loose? outside of incidents]",
            "check the[ {urgency}] alerts[ of {service}][ that are {status}][loose?, only those in no incident]",
            "look up our[ {status}][ {urgency}] alerts[ on {service}][loose? without an incident]",
        ),
        noun="[{status} ][{urgency} ]alert[ of {service}][loose? that belongs to no incident]",
        reply=("I found {alerts}.", "There is no such alert."),
    )
    def find_alerts(
        self, status: rec.AlertStatus | None = None, urgency: rec.Urgency | None = None,
        service: rec.ServiceName | None = None, loose: bool = False, page: PageNumber = 1,
    ) -> rec.AlertPage:  # fmt: skip
        """Find alerts of the signed-in engineer's team, the newest first, with what is measured and who was paged.

        Args:
            status: Only alerts that are firing, acknowledged, silenced or resolved.
            urgency: Only alerts of this urgency.
            service: Only alerts of the service of this name.
            loose: Only alerts that belong to no incident.
            page: Page of the results, five alerts each.
        """
        within = False if loose else None
        found = self._desk.alerts(status=status, urgency=urgency, service=service, in_incident=within)
        return rec.AlertPage.of(sorted(found, key=rules.newest, reverse=True), page)

    @tool(
        writes=True,
        ask=(
            "acknowledge {alert_id}",
            "tell everybody that I am on {alert_id}",
            "note that I am looking into {alert_id}",
            "confirm that I have seen {alert_id}",
        ),
        reply=("You are on the {measure} alert of {service} now ({value}, normal up to {threshold}).",),
        where=relations.ACKNOWLEDGING,
    )
    def acknowledge_alert(self, alert_id: rec.AlertId) -> rec.ServiceAlert:
        """Acknowledge what is firing, so that everybody knows that the signed-in engineer looks into it.

        Args:
            alert_id: What fires and nobody has confirmed.
        """
        alert, level = self._desk.touched(alert_id, "acknowledged"), self._desk.level("acknowledged")
        return self.alerts.replace(rules.acknowledged(alert, level, self._desk.me.name))

    @tool(
        writes=True,
        ask=(
            "escalate {alert_id} to the next level",
            "page whoever is next in line for {alert_id}",
            "get the next level to take {alert_id}",
            "pass {alert_id} up to the next person on call",
        ),
        reply=("{paged} was paged as {level} for the {measure} alert of {service}.",),
        where=relations.ESCALATING,
    )
    def escalate_alert(self, alert_id: rec.AlertId) -> rec.ServiceAlert:
        """Page the next level on call for an alert, which fires until somebody acknowledges it anew.

        Args:
            alert_id: Alert that is acknowledged, or firing for 15 minutes since somebody was paged.
        """
        alert = self._desk.touched(alert_id, "escalated")
        return self.alerts.replace(rules.escalated(alert, self._desk.turns(), self.now))

    @tool(
        writes=True,
        ask=(
            "silence {alert_id} for {hours}",
            "keep {alert_id} quiet for the next {hours}",
            "mute {alert_id}, {hours} should be enough",
            "stop {alert_id} from paging anybody for {hours}",
        ),
        reply=("The {measure} alert of {service} is silent until {silenced_until}.",),
        where=relations.SILENCING,
    )
    def silence_alert(self, alert_id: rec.AlertId, hours: rec.Hours) -> rec.ServiceAlert:
        """Silence an acknowledged alert from now on, or change when its silence ends.

        Args:
            alert_id: Alert that is acknowledged, or silenced already.
            hours: How long from now; within 4 hours (high urgency) or 24 (low) of when it was first silenced.
        """
        return self.alerts.replace(rules.silenced(self._desk.touched(alert_id, "silenced"), hours, self.now))

    @tool(
        writes=True,
        ask=(
            "end the silence of {alert_id}",
            "unmute {alert_id}",
            "let {alert_id} be heard again",
            "lift the silence on {alert_id}",
        ),
        reply=("The {measure} alert of {service} is heard again; {acknowledged_by} is on it.",),
        where=relations.ENDING,
    )
    def end_silence(self, alert_id: rec.AlertId) -> rec.ServiceAlert:
        """Unmute early: what was quiet can be heard as before, with the same person on it.

        Args:
            alert_id: What is quiet at present.
        """
        return self.alerts.replace(rules.heard(self._desk.touched(alert_id, "heard again")))

    @tool(
        writes=True,
        ask=(
            "declare a {severity} incident for {alert_id}",
            "open a {severity} incident because of {alert_id}",
            "start a {severity} incident from {alert_id}",
            "call a {severity} incident over {alert_id}",
        ),
        reply=(
            "A {severity} incident about the {measure} of {service} is open and yours to lead, alerts in it: {alerts}.",
        ),
        where=relations.DECLARING,
    )
    def declare_incident(self, alert_id: rec.AlertId, severity: rec.Severity) -> rec.ServiceIncident:
        """Declare an incident that the signed-in engineer leads, from an alert and all loose ones of its service.

        Args:
            alert_id: Open alert that belongs to no incident.
            severity: How bad it is; minor only if no alert of high urgency is beyond its threshold.
        """
        alerts = rules.taken_along(self._desk.alert(alert_id), self._desk.alerts(), self.incidents)
        service = self.services.require(alerts[0].service_id)
        close = rules.similar(service, self._desk.ours(self.incidents, status="open"), self.services)
        new = rules.declared(self.new_id("INC"), alerts, service, severity, self._desk.me, close, self.now)
        self._desk.keep(each.evolve(in_incident=True, incident_id=new.id) for each in alerts)
        return self.incidents.insert(new)

    @tool(
        ask=(
            "list the[ {status}][ {severity}] incidents[ of {service}][mine? that I lead]",
            "show me which[ {status}][ {severity}] incidents we have[ with {service}][mine? under my lead]",
            "look up the[ {severity}] incidents[ at {service}][ that are {status}][mine?, only those led by me]",
            "go through our[ {status}][ {severity}] incidents[ on {service}][mine? where I am the lead]",
        ),
        noun="[{status} ][{severity} ]incident[ of {service}][mine? that I lead]",
        reply=("I found {incidents}.", "There is no such incident."),
    )
    def find_incidents(
        self, status: rec.IncidentStatus | None = None, severity: rec.Severity | None = None,
        service: rec.ServiceName | None = None, mine: bool = False, page: PageNumber = 1,
    ) -> rec.IncidentPage:  # fmt: skip
        """Look through the trouble that the team has or had: the worst first, and of that the newest.

        Args:
            status: Where it stands: open, resolved or merged.
            severity: How bad it is.
            service: Name of what it began with.
            mine: Whether to leave out what somebody else leads.
            page: Page of the results, five incidents each.
        """
        lead_id = self.engineer_id if mine else None
        found = self._desk.ours(self.incidents, status=status, severity=severity, service=service, lead_id=lead_id)
        return rec.IncidentPage.of(sorted(found, key=rules.foremost, reverse=True), page)

    @tool(
        ask=(
            "show me the details of {incident_id}",
            "check how far {incident_id} is and what may be behind it",
            "tell me where {incident_id} stands and what customers know",
            "look into {incident_id} and the services that it depends on",
        ),
        reply=(
            (
                "The {severity} incident about the {measure} of {service} is {status}, led by {lead}, and {phase} on "
                "the status page[; not normal again: {blocking}][; needs {runs_on}][; alerts there: {suspects}]"
                "[; reopen by {reopen_until}]."
            ),
        ),
        where=relations.LOOKING,
    )
    def get_incident(self, incident_id: rec.IncidentId) -> rec.IncidentDetails:
        """Get an incident with its timeline, alerts, status page, and troubled services that its service depends on.

        Args:
            incident_id: Incident to look at.
        """
        known = self._desk.alerts(), self._desk.ours(self.incidents), self.services
        return rules.details(self._desk.own(self.incidents, incident_id), *known)

    @tool(
        writes=True,
        ask=(
            "change the severity of {incident_id} to {severity}",
            "make {incident_id} {severity}",
            "set {incident_id} to {severity}",
            "grade {incident_id} as {severity}",
        ),
        reply=("The incident about the {measure} of {service} is {severity} now.",),
        where=relations.REGRADING,
    )
    def change_severity(self, incident_id: rec.IncidentId, severity: rec.Severity) -> rec.ServiceIncident:
        """Grade trouble anew: anybody in the team says that it is worse, and the lead alone that it is milder.

        Args:
            incident_id: What is graded; it must not be over.
            severity: New grade, from minor to critical.
        """
        incident, alerts = self._desk.own(self.incidents, incident_id), self._desk.alerts(incident_id=incident_id)
        return self.incidents.replace(rules.regraded(incident, severity, alerts, self._desk.me, self.now))

    @tool(
        writes=True,
        ask=(
            "merge {incident_id} as a duplicate[ into {into_id}]",
            "treat {incident_id} as a duplicate[ of {into_id}] and merge it",
            "fold {incident_id} into the incident that it repeats[, that is {into_id}]",
            "combine {incident_id} with the incident that it resembles[, which is {into_id}]",
        ),
        reply=("It is merged: the incident about the {measure} of {service} is {severity}, alerts in it: {alerts}.",),
        where=relations.MERGING,
    )
    def merge_incidents(
        self, incident_id: rec.IncidentId, into_id: rec.IncidentId | None = None
    ) -> rec.ServiceIncident:
        """Merge a duplicate for good; its alerts move to the other one, which becomes as severe as the worse of both.

        Args:
            incident_id: Duplicate that the signed-in engineer leads and that customers know nothing of.
            into_id: Open one that stays, of the same service or a close one; else the one that it resembles.
        """
        incident = self._desk.own(self.incidents, incident_id)
        into = self._desk.own(self.incidents, rules.duplicated(incident) if into_id is None else into_id)
        alerts = self._desk.alerts(incident_id=incident.id)
        rules.check_mergeable(incident, into, alerts, self.services, self.engineer_id)
        gone, stays = rules.merged(incident, into, self._desk.me.name, self.now)
        self._desk.keep(each.evolve(incident_id=stays.id) for each in alerts)
        self.incidents.replace(gone)
        return self.incidents.replace(stays)

    @tool(
        writes=True,
        ask=(
            "resolve {incident_id} with this follow-up: {follow_up}",
            "close {incident_id}, and as a follow-up we should {follow_up}",
            "end {incident_id} and note as a follow-up: {follow_up}",
            "mark {incident_id} as over, the follow-up is to {follow_up}",
        ),
        reply=("The {service} incident is resolved with all its alerts; the follow-up is due by {follow_up_by}.",),
        where=relations.RESOLVING,
    )
    def resolve_incident(self, incident_id: rec.IncidentId, follow_up: rec.FollowUp) -> rec.ServiceIncident:
        """Declare an incident over, with the alerts in it, once everything that they measure is back to normal.

        Args:
            incident_id: Which trouble has passed; its lead says so.
            follow_up: What has to be done so that it does not happen again; in 7 days if it was severe, else in 30.
        """
        incident, alerts = self._desk.own(self.incidents, incident_id), self._desk.alerts(incident_id=incident_id)
        done = rules.resolved(incident, follow_up, self._desk.me, alerts, self.now)
        self._desk.keep(rules.closed(each, self.now) for each in alerts)
        return self.incidents.replace(done)

    @tool(
        writes=True,
        ask=(
            "reopen {incident_id}",
            "bring {incident_id} back, it is not over",
            "undo that {incident_id} is resolved",
            "start work on {incident_id} again, as the trouble is back",
        ),
        reply=("The {service} incident about {measure} is open again and {severity}, led by {lead}.",),
        where=relations.REOPENING,
    )
    def reopen_incident(self, incident_id: rec.IncidentId) -> rec.ServiceIncident:
        """Go back to work on trouble that returned within 72 hours; what was closed with it stands as before.

        Args:
            incident_id: Closed too early, or back again.
        """
        incident = self._desk.own(self.incidents, incident_id)
        again = rules.reopened(incident, self._desk.me.name, self.now)
        closed = self._desk.alerts(incident_id=incident.id)
        self._desk.keep(rules.back(each, incident.resolved_at, self.now) for each in closed)
        return self.incidents.replace(again)

    @tool(
        writes=True,
        ask=(
            "show {incident_id} to customers as {phase}",
            "post {phase} for {incident_id} on the status page",
            "put {incident_id} on the status page as {phase}",
            "publish {incident_id} as {phase} for our customers",
        ),
        reply=("Customers see the {service} incident as {phase}[; what can follow: {next_phases}].",),
        where=relations.PUBLISHING,
    )
    def publish_update(self, incident_id: rec.IncidentId, phase: rec.Phase) -> rec.ServiceIncident:
        """Write on the public status page how far the work is, for customers of a service in severe trouble.

        Args:
            incident_id: What the page is about, led by the signed-in engineer.
            phase: Never backwards: investigating, identified, monitoring, or resolved once the incident is.
        """
        incident = self._desk.own(self.incidents, incident_id)
        return self.incidents.replace(rules.published(incident, phase, self._desk.me, self.now))

    @tool(
        ask=(
            "list the[ {level}] shifts[ on {day}][mine? that I have]",
            "show me who is on call[ as {level}][ on {day}][mine?, only my own shifts]",
            "check the[ {level}] on-call rota[ for {day}][mine?, only my own turns]",
            "look up the[ {level}] on-call shifts[ of {day}][mine? with me on call]",
        ),
        noun="[{level} ]shift[ on {day}][mine? that I have]",
        reply=("On call: {shifts}.", "There is no such shift."),
        where=relations.ROTA,
    )
    def find_shifts(
        self, level: rec.Level | None = None, day: rec.ShiftDay | None = None, mine: bool = False, page: PageNumber = 1
    ) -> rec.ShiftPage:
        """Find who of the signed-in engineer's team is on call now and later, the next shift first.

        Args:
            level: Only shifts of this level.
            day: Only shifts that run on this day.
            mine: Only shifts that the signed-in engineer has now.
            page: Page of the results, ten shifts each.
        """
        ours = self._desk.ours(self.shifts, level=level, holder_id=self.engineer_id if mine else None)
        found = [each for each in ours if each.ends_at > self.now and rota.runs_on(each, day)]
        return rec.ShiftPage.of(sorted(found, key=rota.earliest), page, 10)

    @tool(
        writes=True,
        ask=(
            "hand {shift_id} over to {colleague_id}[ in return for {in_return}]",
            "give {shift_id} to {colleague_id}[ and take {in_return} for it]",
            "let {colleague_id} have {shift_id}[, while I do {in_return}]",
            "have {colleague_id} cover {shift_id}[ and swap it for {in_return}]",
        ),
        reply=("{holder} has the {level} shift on {day} now[, and you have theirs on {return_day}].",),
        where=relations.HANDING_OVER,
    )
    def hand_over_shift(
        self, shift_id: rec.ShiftId, colleague_id: rec.EngineerId, in_return: rec.ShiftId | None = None
    ) -> rec.OnCallShift:
        """Hand a shift of the signed-in engineer over to a colleague of the team, or swap it for one of theirs.

        Args:
            shift_id: Shift that is still to come.
            colleague_id: Who takes it; both need 11 hours of rest between shifts.
            in_return: Shift of that colleague that the signed-in engineer takes in return.
        """
        shift, colleague = self._desk.own(self.shifts, shift_id), self.engineers.require(colleague_id)
        other = None if in_return is None else self._desk.own(self.shifts, in_return)
        return self._desk.change(rota.handed_over(shift, self._desk.me, colleague, other, self.now))

    @tool(
        writes=True,
        ask=(
            "take back {shift_id}",
            "undo the handover of {shift_id}",
            "return {shift_id} to whoever it was planned for",
            "cancel the cover for {shift_id}",
        ),
        reply=("{holder} has the {level} shift on {day} again.",),
        where=relations.TAKING_BACK,
    )
    def take_back_shift(self, shift_id: rec.ShiftId) -> rec.OnCallShift:
        """Undo a handover that the signed-in engineer is part of; of a swap, both shifts go back.

        Args:
            shift_id: Shift that was handed over and has not begun.
        """
        both = rota.taken_back(self._desk.own(self.shifts, shift_id), self.shifts, self.engineer_id, self.now)
        return self._desk.change(both)

    @property
    def _desk(self) -> Desk:
        return Desk(self.engineers.require(self.engineer_id), self.now, self.alerts, self.shifts)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """A team with alerts and incidents in every condition and weeks of shifts, and other teams."""
        return cls.model_validate(operations(world, size))
