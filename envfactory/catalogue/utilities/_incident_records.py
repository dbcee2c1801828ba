"""Records and results of an on-call desk: services and their monitors, alerts, incidents, on-call shifts."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Output, Page, Ranked, Record, Ref, Unit, Value

TeamId = Annotated[str, Ref("OnCallTeam")]
EngineerId = Annotated[str, Ref("OnCallEngineer")]
ServiceId = Annotated[str, Ref("MonitoredService")]
AlertId = Annotated[str, Ref("ServiceAlert")]
IncidentId = Annotated[str, Ref("ServiceIncident")]
ShiftId = Annotated[str, Ref("OnCallShift")]
PersonName = Annotated[str, Value("person_name", "Full name of a person.")]
ServiceName = Annotated[str, Value("monitored_service", "Name of a service, such as Checkout.")]
Measure = Annotated[
    Literal["error_rate", "response_time", "queue_length", "memory_use", "disk_use"],
    Value(
        "service_measure",
        "error_rate, memory_use and disk_use (percent), response_time (milliseconds), queue_length (messages).",
    ),
]
Urgency = Annotated[
    Literal["low_urgency", "high_urgency"], Value("alert_urgency", "How urgent the alerts of a monitor are.")
]
AlertStatus = Annotated[
    Literal["firing", "acknowledged", "silenced", "resolved"],
    Value("alert_status", "Where an alert stands: firing (nobody is on it), acknowledged, silenced or resolved."),
]
Level = Annotated[
    Literal["primary", "secondary", "manager"],
    Value("on_call_level", "Who is paged first (primary), then (secondary) and last (manager)."),
]
Severity = Annotated[
    Literal["minor", "moderate", "major", "critical"],
    Value("incident_severity", "How bad an incident is; major and critical ones are severe."),
]
IncidentStatus = Annotated[
    Literal["open", "resolved", "merged"],
    Value("incident_status", "Where an incident stands; a merged one has become part of another one."),
]
Told = Literal["investigating", "identified", "monitoring", "resolved"]
Shown = Literal["unpublished", "investigating", "identified", "monitoring", "resolved"]
"""What customers were told of an incident last, if they were told anything."""
Phase = Annotated[Told, Value("status_page_phase", "What the status page tells customers of an incident.")]
Hours = Annotated[int, Field(ge=1, le=24), Unit("hour")]
FollowUp = Annotated[
    str,
    FreeText(
        (
            "add a load test to the release checklist",
            "alert on the connection pool before it is full",
            "write a runbook for the failover",
            "lower the retry limit of the client",
            "double the size of the cache",
        )
    ),
]
ShiftDay = Annotated[dt.date, Value("shift_day", "Day on which a shift begins.")]
Count = Annotated[int, Field(ge=0)]
Reading = Annotated[int, Field(ge=0)]


class OnCallTeam(Record, noun="team", label="the {name} team"):
    """Engineers who run services together and take turns on call."""

    id: TeamId
    """Identifier of the team."""
    name: str
    """What it is called."""


class OnCallEngineer(Record, noun="engineer", label="{name}"):
    """Somebody who takes turns on call."""

    id: EngineerId
    """Identifier of the engineer."""
    team_id: TeamId
    """Team that they are in."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]


class Monitor(Record, noun="monitor", label="the {measure} monitor"):
    """Watches a measure of a service; an alert fires once it was beyond the threshold for the whole window."""

    measure: Measure
    threshold: Reading
    """Highest value that is normal."""
    window_minutes: Annotated[int, Field(ge=1), Unit("minute")]
    """How long the value has to be higher."""
    urgency: Urgency


class MonitoredService(Record, noun="service", label="{name}", listing="{name}[public? (public)][!public? (internal)]"):
    """A service that a team runs."""

    id: ServiceId
    """Identifier of the service."""
    team_id: TeamId
    """Team that runs it."""
    name: ServiceName
    depends_on: tuple[ServiceName, ...] = ()
    """Services of the team that it cannot work without."""
    public: bool = False
    """Whether the status page for customers has it."""
    monitors: tuple[Monitor, ...]
    """What is watched, one monitor for a measure."""


class ServiceAlert(
    Record,
    noun="alert",
    label="the {measure} alert of {service}[ from {fired_at}]",
    listing="{measure} of {service} at {value} ({urgency}, {status})",
):
    """A measure that went beyond its threshold."""

    id: AlertId
    """Identifier of the alert."""
    team_id: TeamId
    """Team that runs the service."""
    service_id: ServiceId
    """Service that it is about."""
    service: ServiceName
    measure: Measure
    urgency: Urgency
    threshold: Reading
    """Highest value that is normal."""
    value: Reading
    """What is measured now, or was when the alert was resolved."""
    recovered: bool
    """Whether that is normal again."""
    status: AlertStatus = "firing"
    fired_at: Annotated[dt.datetime, Ranked("oldest", "newest")]
    """When it fired."""
    level: Level = "primary"
    """Level that was paged last, or of whoever acknowledged it."""
    paged: PersonName
    paged_at: dt.datetime
    """When they were paged."""
    acknowledged_by: PersonName | None = None
    in_incident: bool = False
    """Whether it belongs to an incident."""
    incident_id: IncidentId | None = None
    """Incident that it belongs to."""
    silenced_from: dt.datetime | None = None
    """When it was first silenced."""
    silenced_until: dt.datetime | None = None
    """When its silence ends."""
    resolved_at: dt.datetime | None = None
    """When it was resolved."""


class TimelineEntry(Record, noun="entry", label="{what} at {at}"):
    """Something that happened in an incident."""

    at: dt.datetime
    """When it happened."""
    by: PersonName
    what: str
    """What was done."""


class ServiceIncident(
    Record,
    noun="incident",
    label="the {service} incident[ about {measure}][ from {declared_at}]",
    listing="{service}: {measure} ({severity}, {status}, led by {lead})",
):
    """Trouble with a service that somebody leads the work on."""

    id: IncidentId
    """Identifier of the incident."""
    team_id: TeamId
    """Team that runs the service."""
    service_id: ServiceId
    """Service that it began with."""
    service: ServiceName
    measure: Measure
    severity: Severity
    worst: Severity
    """Highest severity that it ever had."""
    status: IncidentStatus = "open"
    lead_id: str
    """Identifier of the engineer who leads it."""
    lead: PersonName
    declared_at: Annotated[dt.datetime, Ranked("oldest", "newest")]
    """When it was declared."""
    similar_id: IncidentId | None = None
    """Incident that was open when it was declared and may be about the same trouble."""
    has_similar: bool = False
    """Whether there was one."""
    alerts: Count
    """How many alerts belong to it."""
    blocking: Count
    """How many of them are not normal again, so that it cannot be resolved."""
    public: bool
    """Whether the status page for customers has the service."""
    phase: Shown = "unpublished"
    """What customers were told last."""
    next_phases: tuple[Phase, ...] = ()
    """What they can be told next."""
    resolved_at: dt.datetime | None = None
    """When it was resolved."""
    follow_up: FollowUp | None = None
    """What has to be done so that it does not happen again."""
    follow_up_by: dt.date | None = None
    """Last day for that."""
    merged_into: IncidentId | None = None
    """Incident that it has become part of."""
    timeline: tuple[TimelineEntry, ...]
    """What happened so far."""


class OnCallShift(
    Record, noun="shift", label="the {level} shift on {day}", listing="{holder} as {level} from {starts_at}"
):
    """A turn on call."""

    id: ShiftId
    """Identifier of the shift."""
    team_id: TeamId
    """Team that is on call."""
    level: Level
    day: ShiftDay
    starts_at: Annotated[dt.datetime, Ranked("earliest", "latest")]
    """When it begins."""
    ends_at: dt.datetime
    """When it ends."""
    planned_id: str
    """Identifier of the engineer whom it was planned for."""
    planned: PersonName
    holder_id: str
    """Identifier of the engineer who has it now."""
    holder: PersonName
    covered: bool = False
    """Whether that is a colleague whom it was handed over to."""
    swapped_with: str | None = None
    """Identifier of the shift that was taken in return."""
    return_day: dt.date | None = None
    """Day of that shift."""
    offer_id: EngineerId | None = None
    """Colleague who offered to take it."""
    offer: PersonName | None = None


class ServicePage(Page):
    """A page of services."""

    services: tuple[MonitoredService, ...]
    """The services on this page."""


class AlertPage(Page):
    """A page of alerts."""

    alerts: tuple[ServiceAlert, ...]
    """The alerts on this page."""


class IncidentPage(Page):
    """A page of incidents."""

    incidents: tuple[ServiceIncident, ...]
    """The incidents on this page."""


class ShiftPage(Page):
    """A page of shifts."""

    shifts: tuple[OnCallShift, ...]
    """The shifts on this page."""


class IncidentDetails(Output):
    """An incident with its alerts, and with what may be behind it."""

    incident: ServiceIncident
    """The incident."""
    service: ServiceName
    measure: Measure
    severity: Severity
    status: IncidentStatus
    lead: PersonName
    runs_on: tuple[ServiceName, ...]
    """Services that its service cannot work without."""
    monitors: tuple[Monitor, ...]
    """What is watched of its service."""
    alerts: tuple[ServiceAlert, ...]
    """Its alerts, the newest first."""
    blocking: tuple[Measure, ...]
    """Measures that are not normal again."""
    suspects: tuple[ServiceAlert, ...]
    """Alerts of services that its service depends on and that are not normal again: the cause may be there."""
    related: tuple[ServiceIncident, ...]
    """Other open incidents of its service, or of one directly above or below: perhaps duplicates."""
    phase: Shown
    """What customers were told last."""
    reopen_until: dt.datetime | None = None
    """Until when it can be reopened, if it is resolved."""
