"""Who may do what with alerts and incidents, how long something is silent, and what customers are told."""

import datetime as dt
from collections.abc import Mapping, Sequence

from envfactory.catalogue.utilities import _incident_records as rec
from envfactory.catalogue.utilities._incident_rota import LEVELS, clock
from envfactory.environment import ToolError, fits, said

SEVERITIES: tuple[rec.Severity, ...] = ("minor", "moderate", "major", "critical")
SEVERE: tuple[rec.Severity, ...] = ("major", "critical")
"""Severities of which customers are told."""
PHASES: tuple[rec.Told, ...] = ("investigating", "identified", "monitoring", "resolved")
"""What customers are told of an incident, in this order."""
ANSWER = dt.timedelta(minutes=15)
"""Time that somebody who was paged has to acknowledge."""
SILENCE = {"high_urgency": dt.timedelta(hours=4), "low_urgency": dt.timedelta(hours=24)}
"""How long an alert can be silent, from when it was first silenced."""
REOPEN = dt.timedelta(hours=72)
"""Time for reopening an incident."""
FOLLOW_UP_DAYS: dict[rec.Severity, int] = {"minor": 30, "moderate": 30, "major": 7, "critical": 7}
"""Time for a follow-up, by the highest severity that an incident ever had."""


# -- alerts


def named(alert: rec.ServiceAlert) -> str:
    """An alert as it is spoken of."""
    return f"The {said(alert.measure)} alert of {alert.service}"


def newest(alert: rec.ServiceAlert) -> tuple[dt.datetime, str]:
    """By when alerts fired."""
    return alert.fired_at, alert.id


def as_of(alert: rec.ServiceAlert, now: dt.datetime) -> rec.ServiceAlert:
    """An alert as it stands now: a silence that is over leaves it acknowledged, as it was before."""
    if alert.status == "silenced" and alert.silenced_until and alert.silenced_until <= now:
        return alert.evolve(status="acknowledged", silenced_until=None)
    return alert


def present(alerts: Sequence[rec.ServiceAlert], now: dt.datetime, **wanted: object) -> list[rec.ServiceAlert]:
    """Alerts as they stand now, with what is wanted."""
    return [each for each in (as_of(alert, now) for alert in alerts) if fits(each, **wanted)]


def check_open(alert: rec.ServiceAlert, done: str) -> None:
    """Refuse an alert that is resolved."""
    if alert.status == "resolved":
        words = f"{named(alert)} is resolved, so it cannot be {done}; choose one that is open."
        raise ToolError("precondition_failed", words)


def acknowledged(alert: rec.ServiceAlert, level: rec.Level, by: str) -> rec.ServiceAlert:
    """The alert once somebody is on it, which fires until then."""
    check_open(alert, "acknowledged")
    if alert.status == "silenced":
        words = f"{named(alert)} is silenced until {clock(alert.silenced_until or alert.fired_at)}"
        raise ToolError("conflict", f"{words}, and {alert.acknowledged_by} is on it; end the silence to hear it again.")
    if alert.status == "acknowledged":
        words = f"{named(alert)} was acknowledged by {alert.acknowledged_by}"
        raise ToolError("conflict", f"{words}; escalate it if somebody else should take it.")
    return alert.evolve(status="acknowledged", acknowledged_by=by, level=level, paged=by)


def escalated(
    alert: rec.ServiceAlert, turns: Mapping[rec.Level, rec.OnCallShift], now: dt.datetime
) -> rec.ServiceAlert:
    """The alert once the next level is paged, where it waits to be acknowledged anew."""
    check_open(alert, "escalated")
    if alert.status == "silenced":
        raise ToolError("precondition_failed", f"{named(alert)} is silenced; end the silence first.")
    answer_by = alert.paged_at + ANSWER
    if alert.status == "firing" and now < answer_by:
        words = f"{alert.paged} was paged for it and has until {clock(answer_by)} to answer"
        raise ToolError("precondition_failed", f"{words}; wait for that, or acknowledge it.")
    above = [
        turns[level]
        for level in LEVELS[LEVELS.index(alert.level) + 1 :]
        if level in turns and (level != "manager" or alert.urgency == "high_urgency")
    ]
    if not above:
        words = f"{named(alert)} is with the {alert.level} and goes no further"
        why = "a manager is paged for high urgency alone" if alert.urgency == "low_urgency" else "nobody is above"
        instead = "go on in its incident" if alert.in_incident else "declare an incident instead"
        raise ToolError("limit_exceeded", f"{words}, as {why}; {instead}.")
    return alert.evolve(
        status="firing", acknowledged_by=None, level=above[0].level, paged=above[0].holder, paged_at=now
    )


def silenced(alert: rec.ServiceAlert, hours: int, now: dt.datetime) -> rec.ServiceAlert:
    """The alert with a silence that ends so many hours from now, within what is possible for it."""
    check_open(alert, "silenced")
    if alert.status == "firing":
        raise ToolError("precondition_failed", f"{named(alert)} is firing; acknowledge it first.")
    since, until = alert.silenced_from or now, now + dt.timedelta(hours=hours)
    last = since + SILENCE[alert.urgency]
    if until > last:
        left = int((last - now).total_seconds() // 3600)
        words = f"{named(alert)} has {said(alert.urgency)} and can be silent until {clock(last)}"
        hint = f"give a length of {left} at most" if left >= 1 else "leave it as it is"
        raise ToolError("limit_exceeded", f"{words}; {hint}.")
    if alert.silenced_until == until:
        raise ToolError("conflict", f"{named(alert)} is silenced until {clock(until)} already; give another length.")
    return alert.evolve(status="silenced", silenced_from=since, silenced_until=until)


def heard(alert: rec.ServiceAlert) -> rec.ServiceAlert:
    """The alert without its silence."""
    if alert.status != "silenced":
        words = f"{named(alert)} is not silenced but {alert.status}; nothing has to end."
        raise ToolError("precondition_failed", words)
    return alert.evolve(status="acknowledged", silenced_until=None)


# -- incidents


def title(incident: rec.ServiceIncident) -> str:
    """An incident as it is spoken of, without its article."""
    return f"{incident.service} incident about {said(incident.measure)}"


def check_standing(incident: rec.ServiceIncident, status: rec.IncidentStatus, done: str) -> None:
    """Refuse an incident that stands otherwise."""
    if incident.status != status:
        where = {
            "open": "is still open; go on with it",
            "resolved": "is resolved; reopen it first if it is not over",
            "merged": f"has become part of {incident.merged_into}; go on with that",
        }
        words = f"The {title(incident)} cannot be {done}, as it {where[incident.status]}."
        raise ToolError("precondition_failed", words)


def check_lead(incident: rec.ServiceIncident, engineer_id: str, do: str) -> None:
    """Refuse whoever does not lead the incident."""
    if incident.lead_id != engineer_id:
        words = f"{incident.lead} leads the {title(incident)} and alone can {do}; ask them."
        raise ToolError("permission_denied", words)


def check_floor(severity: rec.Severity, alerts: Sequence[rec.ServiceAlert]) -> None:
    """Refuse to call minor what has urgent alerts that are not normal again."""
    urgent = [each for each in alerts if each.urgency == "high_urgency" and not each.recovered]
    if severity == "minor" and urgent:
        words = f"{named(urgent[0])} has high urgency and is not normal again, so the incident is not minor"
        raise ToolError("precondition_failed", f"{words}; call it moderate or worse.")


def worse(one: rec.Severity, other: rec.Severity) -> rec.Severity:
    """The worse of two severities."""
    return SEVERITIES[max(SEVERITIES.index(one), SEVERITIES.index(other))]


def with_phases(incident: rec.ServiceIncident) -> rec.ServiceIncident:
    """The incident with what customers can be told next, which follows from all the rest."""
    after = PHASES.index(incident.phase) + 1 if incident.phase != "unpublished" else 0
    phases: tuple[rec.Told, ...] = ()
    if incident.public and incident.status == "open" and incident.severity in SEVERE:
        phases = PHASES[after:-1]
    if incident.status == "resolved" and incident.phase in PHASES[:-1]:
        phases = PHASES[-1:]
    return incident.evolve(next_phases=phases)


def noted(incident: rec.ServiceIncident, at: dt.datetime, by: str, what: str) -> rec.ServiceIncident:
    """The incident with one more entry in its timeline."""
    entry = rec.TimelineEntry(at=at, by=by, what=what)
    return with_phases(incident.evolve(timeline=(*incident.timeline, entry)))


def are_close(one: rec.MonitoredService, other: rec.MonitoredService) -> bool:
    """Whether two services are one, or one of them depends on the other directly."""
    return one.id == other.id or other.name in one.depends_on or one.name in other.depends_on


def by_name(services: Sequence[rec.MonitoredService], needed: str | None) -> list[rec.MonitoredService]:
    """Services in the order of their names; only those that cannot work without one, if it is named."""
    return sorted((each for each in services if needed in (None, *each.depends_on)), key=lambda each: each.name)


def similar(
    service: rec.MonitoredService,
    incidents: Sequence[rec.ServiceIncident],
    services: Mapping[str, rec.MonitoredService],
) -> rec.ServiceIncident | None:
    """Of some open incidents the newest that may be about the same trouble; of the same service if there is one."""
    close = [each for each in incidents if are_close(services[each.service_id], service)]
    return max(close, key=lambda each: (each.service_id == service.id, each.declared_at, each.id), default=None)


def declared(
    incident_id: str, alerts: Sequence[rec.ServiceAlert], service: rec.MonitoredService,
    severity: rec.Severity, lead: rec.OnCallEngineer, similar: rec.ServiceIncident | None, now: dt.datetime,
) -> rec.ServiceIncident:  # fmt: skip
    """A new incident from alerts, which is about what the first of them measures."""
    alert = alerts[0]
    check_floor(severity, alerts)
    new = rec.ServiceIncident(
        id=incident_id, team_id=alert.team_id, service_id=service.id, service=service.name, measure=alert.measure,
        severity=severity, worst=severity, lead_id=lead.id, lead=lead.name, declared_at=now,
        similar_id=similar.id if similar else None, has_similar=similar is not None, alerts=len(alerts),
        blocking=sum(not each.recovered for each in alerts), public=service.public, timeline=(),
    )  # fmt: skip
    return noted(new, now, lead.name, f"declared as {severity}")


def taken_along(
    alert: rec.ServiceAlert, alerts: Sequence[rec.ServiceAlert], incidents: Mapping[str, rec.ServiceIncident]
) -> list[rec.ServiceAlert]:
    """The alerts of an incident that is declared from one: that, and all open ones of its service without incident."""
    if alert.incident_id is not None:
        owner = title(incidents[alert.incident_id])
        raise ToolError("conflict", f"{named(alert)} belongs to the {owner} already; change that one.")
    check_open(alert, "made an incident")
    loose = [each for each in alerts if fits(each, service_id=alert.service_id, in_incident=False)]
    return [alert, *(each for each in loose if each.id != alert.id and each.status != "resolved")]


def regraded(
    incident: rec.ServiceIncident, severity: rec.Severity, alerts: Sequence[rec.ServiceAlert],
    engineer: rec.OnCallEngineer, now: dt.datetime,
) -> rec.ServiceIncident:  # fmt: skip
    """The incident with another severity: anybody makes it worse, and only its lead makes it milder."""
    check_standing(incident, "open", "graded anew")
    if severity == incident.severity:
        raise ToolError("conflict", f"The {title(incident)} is {severity} already; give another severity.")
    if worse(severity, incident.severity) != severity:
        check_lead(incident, engineer.id, "make it milder")
        check_floor(severity, alerts)
        if severity not in SEVERE and incident.phase != "unpublished":
            words = f"Customers were told that the {title(incident)} is {incident.phase}"
            raise ToolError(
                "precondition_failed", f"{words}, so it stays severe till they know that it is over; keep it major."
            )
    worst = worse(incident.worst, severity)
    return noted(incident.evolve(severity=severity, worst=worst), now, engineer.name, f"made {severity}")


def duplicated(incident: rec.ServiceIncident) -> str:
    """The incident that one resembles."""
    if incident.similar_id is None:
        words = f"The {title(incident)} resembles no other; name the incident that it is a duplicate of."
        raise ToolError("invalid_argument", words)
    return incident.similar_id


def check_mergeable(
    incident: rec.ServiceIncident, into: rec.ServiceIncident, alerts: Sequence[rec.ServiceAlert],
    services: Mapping[str, rec.MonitoredService], engineer_id: str,
) -> None:  # fmt: skip
    """Refuse to merge what is not open, not a duplicate, not the engineer's to give up, or known to customers.

    No alert is carried away step by step: those that came with a duplicate have to be close to where they go as well.
    """
    if incident.id == into.id:
        raise ToolError("invalid_argument", f"The {title(incident)} cannot become part of itself; name two incidents.")
    for each in (incident, into):
        check_standing(each, "open", "merged")
    check_lead(incident, engineer_id, "merge it into another")
    other = services[into.service_id]
    for one in (services[each.service_id] for each in (incident, *alerts)):
        if not are_close(one, other):
            words = f"{one.name} and {other.name} do not depend on each other, so these are no duplicates"
            raise ToolError("precondition_failed", f"{words}; keep both incidents.")
    if incident.phase != "unpublished":
        words = f"Customers follow the {title(incident)}"
        raise ToolError("precondition_failed", f"{words}; merge the other one into it instead.")


def merged(
    incident: rec.ServiceIncident, into: rec.ServiceIncident, by: str, now: dt.datetime
) -> tuple[rec.ServiceIncident, rec.ServiceIncident]:
    """Both incidents: the duplicate without its alerts, and the one that has them now."""
    gone = incident.evolve(status="merged", merged_into=into.id, alerts=0, blocking=0)
    stays = into.evolve(
        severity=worse(into.severity, incident.severity), worst=worse(into.worst, incident.worst),
        alerts=into.alerts + incident.alerts, blocking=into.blocking + incident.blocking,
    )  # fmt: skip
    words = f"the {title(incident)} merged into this one"
    return noted(gone, now, by, f"merged into the {title(into)}"), noted(stays, now, by, words)


def resolved(
    incident: rec.ServiceIncident, follow_up: str, engineer: rec.OnCallEngineer, alerts: Sequence[rec.ServiceAlert],
    now: dt.datetime,
) -> rec.ServiceIncident:  # fmt: skip
    """The incident once it is over, with what has to be done after it."""
    check_standing(incident, "open", "resolved")
    check_lead(incident, engineer.id, "resolve it")
    beyond = [each for each in alerts if not each.recovered]
    if beyond:
        words = " and ".join(f"{said(each.measure)} of {each.service}" for each in beyond)
        numbers = f"{beyond[0].value} is measured where {beyond[0].threshold} is normal"
        raise ToolError(
            "precondition_failed", f"The {title(incident)} is not over: {words} ({numbers}); wait for that."
        )
    done = incident.evolve(
        status="resolved", resolved_at=now, follow_up=follow_up,
        follow_up_by=now.date() + dt.timedelta(days=FOLLOW_UP_DAYS[incident.worst]),
    )  # fmt: skip
    return noted(done, now, engineer.name, "resolved")


def reopened(incident: rec.ServiceIncident, by: str, now: dt.datetime) -> rec.ServiceIncident:
    """The incident as it was before it was resolved; who was told that it is over can be told anew."""
    check_standing(incident, "resolved", "reopened")
    last = (incident.resolved_at or now) + REOPEN
    if now > last:
        words = f"The {title(incident)} could be reopened until {clock(last)}"
        raise ToolError("precondition_failed", f"{words}; declare a new one once an alert fires.")
    phase = "unpublished" if incident.phase == "resolved" else incident.phase
    again = incident.evolve(status="open", resolved_at=None, follow_up=None, follow_up_by=None, phase=phase)
    return noted(again, now, by, "reopened")


def foremost(incident: rec.ServiceIncident) -> tuple[int, dt.datetime, str]:
    """By how bad incidents are, and of those by when they were declared."""
    return SEVERITIES.index(incident.severity), incident.declared_at, incident.id


def details(
    incident: rec.ServiceIncident, alerts: Sequence[rec.ServiceAlert], incidents: Sequence[rec.ServiceIncident],
    services: Mapping[str, rec.MonitoredService],
) -> rec.IncidentDetails:  # fmt: skip
    """An incident with its alerts, and with those alerts and other incidents of the team that may belong together."""
    own = sorted((each for each in alerts if each.incident_id == incident.id), key=newest, reverse=True)
    service = services[incident.service_id]
    return rec.IncidentDetails(
        incident=incident, service=service.name, measure=incident.measure, severity=incident.severity,
        status=incident.status, lead=incident.lead, runs_on=service.depends_on,
        monitors=service.monitors, alerts=tuple(own),
        blocking=tuple(each.measure for each in own if not each.recovered),
        suspects=tuple(each for each in alerts if each.service in service.depends_on and not each.recovered),
        related=tuple(
            each
            for each in incidents
            if each.status == "open" and each.id != incident.id and are_close(services[each.service_id], service)
        ),
        phase=incident.phase, reopen_until=incident.resolved_at + REOPEN if incident.resolved_at else None,
    )  # fmt: skip


def closed(alert: rec.ServiceAlert, now: dt.datetime) -> rec.ServiceAlert:
    """An alert whose incident was resolved now; one that was resolved before stays as it is."""
    return alert if alert.status == "resolved" else alert.evolve(status="resolved", resolved_at=now)


def back(alert: rec.ServiceAlert, resolved_at: dt.datetime | None, now: dt.datetime) -> rec.ServiceAlert:
    """An alert whose incident is reopened: as it was, unless it was resolved before the incident."""
    if alert.resolved_at != resolved_at:
        return alert
    status: rec.AlertStatus = "acknowledged" if alert.acknowledged_by else "firing"
    if alert.silenced_until is not None:
        status = "silenced"
    return as_of(alert.evolve(status=status, resolved_at=None), now)


def published(
    incident: rec.ServiceIncident, phase: rec.Told, engineer: rec.OnCallEngineer, now: dt.datetime
) -> rec.ServiceIncident:
    """The incident once customers are told so."""
    check_lead(incident, engineer.id, "publish it")
    if incident.status == "merged":
        check_standing(incident, "open", "published")
    if not incident.public:
        words = f"The status page does not have {incident.service}, so customers are told nothing of it"
        raise ToolError("precondition_failed", f"{words}; choose an incident of a public service.")
    if incident.status == "open" and incident.severity not in SEVERE:
        words = f"The {title(incident)} is {incident.severity}, and customers are told of major and critical ones"
        raise ToolError("precondition_failed", f"{words}; make it major first if they should know.")
    if phase not in incident.next_phases:
        known = "nothing of it" if incident.phase == "unpublished" else f"it as {incident.phase}"
        told = f"The {title(incident)} is {incident.status}, and customers know {known}"
        if incident.next_phases:
            words = f"{told}; what can follow is {' or '.join(incident.next_phases)}."
        else:
            words = f"{told}; there is nothing more to tell them now."
        raise ToolError("precondition_failed", words)
    return noted(incident.evolve(phase=phase), now, engineer.name, f"published as {phase}")
