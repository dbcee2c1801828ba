"""The operations of a scenario: a team with alerts and incidents in every condition, its rota, and other teams."""

import datetime as dt
import itertools
from typing import Any, NamedTuple

from envfactory.catalogue.utilities import _incident_records as rec
from envfactory.catalogue.utilities import _incident_rota as rota
from envfactory.catalogue.utilities import _incident_rules as rules
from envfactory.environment import ToolError, World, by_id

_TEAMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("payments", ("Checkout", "Card Payments", "Refunds", "Ledger", "Payouts", "Fraud Check", "Invoices", "Vault")),
    ("storefront", ("Home Page", "Search", "Catalogue", "Basket", "Reviews", "Prices", "Stock Levels", "Offers")),
    ("messaging", ("Inbox", "Push Messages", "Chat", "Contacts", "Mail Relay", "Presence", "Uploads", "Spam Filter")),
)  # fmt: skip
"""Teams that the user can be in, with their services."""
_OTHERS = ("identity", "logistics", "reporting", "media", "maps", "partners", "search quality", "billing", "devices")
_PUBLIC = (0, 1, 2, 4, 5, 6)
"""Which services of the team customers know."""
_NEEDS: dict[int, tuple[int, ...]] = {0: (1, 5), 1: (3, 7), 2: (1, 3), 4: (3,), 6: (3,)}
"""Which services of the team depend on which."""
_MEASURES: tuple[rec.Measure, ...] = ("error_rate", "response_time", "queue_length", "memory_use", "disk_use")
_THRESHOLDS: dict[rec.Measure, tuple[int, int, int]] = {
    "error_rate": (2, 6, 1), "response_time": (300, 1200, 50), "queue_length": (400, 4000, 200),
    "memory_use": (82, 90, 1), "disk_use": (80, 88, 1),
}  # fmt: skip
"""Lowest and highest threshold of each measure, and the step between."""


_URGENT: tuple[rec.Measure, ...] = ("error_rate", "response_time")
"""Measures whose alerts always have high urgency; those of queues never do."""


class _Fired(NamedTuple):
    """An alert of the team: at which service and measure, how many minutes ago, and how it stands."""

    service: int
    measure: int
    minutes: int
    status: rec.AlertStatus
    normal: bool = False
    level: rec.Level = "primary"


_LOOSE = (
    _Fired(1, 4, 95, "acknowledged"),
    _Fired(2, 4, 11, "firing"),
    _Fired(3, 2, 47, "acknowledged"),
    _Fired(3, 3, 210, "silenced", normal=True),
    _Fired(4, 2, 24, "firing"),
    _Fired(4, 3, 66, "acknowledged", normal=True),
    _Fired(5, 0, 17, "firing"),
    _Fired(5, 1, 40, "acknowledged"),
    _Fired(5, 2, 180, "silenced"),
    _Fired(6, 0, 9, "firing", normal=True),
    _Fired(6, 1, 58, "acknowledged"),
    _Fired(6, 2, 150, "silenced"),
    _Fired(6, 4, 75, "acknowledged", level="secondary"),
    _Fired(7, 0, 33, "firing", level="secondary"),
    _Fired(7, 4, 120, "silenced", normal=True),
    _Fired(7, 2, 3, "firing"),
    _Fired(7, 3, 52, "acknowledged"),
    _Fired(7, 1, 400, "acknowledged", level="manager"),
)
"""Alerts that belong to no incident."""


class _Case(NamedTuple):
    """An incident of the team: its first alert and the others, severity, lead (0 is the user), how far it has come."""

    service: int
    measure: int
    minutes: int
    """How long ago it was declared; its first alert fired shortly before."""
    severity: rec.Severity
    lead: int = 0
    status: rec.AlertStatus = "acknowledged"
    normal: bool = False
    more: tuple[int, ...] = ()
    """Other measures that are in it."""
    phase: rec.Told | None = None
    over: int | None = None
    """How many minutes ago it was resolved."""
    into: int | None = None
    """Place of the incident that it was merged into."""


_HOUR, _DAY = 60, 1440
_CASES = (
    _Case(0, 0, 150, "critical", more=(1,), phase="investigating"),
    _Case(0, 2, 90, "critical", normal=True),
    _Case(0, 3, 70, "major", status="silenced"),
    _Case(1, 0, 260, "major", normal=True, more=(1,), phase="identified"),
    _Case(1, 2, 45, "moderate", lead=2, status="firing"),
    _Case(1, 3, 100, "major", normal=True),
    _Case(2, 0, 300, "major", status="silenced", normal=True, phase="monitoring"),
    _Case(2, 1, 80, "critical", lead=3, phase="identified"),
    _Case(2, 2, 55, "minor", normal=True),
    _Case(3, 0, 200, "major", normal=True),
    _Case(3, 1, 35, "moderate", status="firing"),
    _Case(4, 0, 115, "critical", normal=True),
    _Case(4, 1, 85, "moderate"),
    _Case(5, 3, 310, "major", normal=True),
    _Case(5, 4, 65, "major", lead=4, status="firing"),
    _Case(6, 3, 135, "major", status="silenced"),
    _Case(0, 1, 20 * _HOUR, "major", phase="monitoring", over=16 * _HOUR),
    _Case(2, 4, 30 * _HOUR, "critical", phase="resolved", over=26 * _HOUR),
    _Case(4, 2, 33 * _HOUR, "minor", over=28 * _HOUR),
    _Case(5, 1, 40 * _HOUR, "moderate", lead=5, over=35 * _HOUR),
    _Case(6, 0, 41 * _HOUR, "major", over=37 * _HOUR),
    _Case(1, 1, 44 * _HOUR, "major", lead=1, phase="identified", over=39 * _HOUR),
    _Case(7, 3, 22 * _HOUR, "moderate", lead=6, over=19 * _HOUR),
    _Case(4, 4, 46 * _HOUR, "critical", phase="identified", over=41 * _HOUR),
    _Case(3, 4, 4 * _DAY, "moderate", over=3 * _DAY + 60),
    _Case(0, 4, 7 * _DAY, "critical", lead=2, phase="resolved", over=6 * _DAY),
    _Case(5, 4, 9 * _DAY, "moderate", over=8 * _DAY),
    _Case(0, 4, 140, "moderate", into=0),
    _Case(2, 3, 75, "moderate", lead=3, into=7),
)
_FOLLOW_UPS = (
    "add a load test to the release checklist", "write a runbook for the failover", "double the size of the cache",
    "lower the retry limit of the client",
)  # fmt: skip
_BEFORE, _AHEAD = 14, 42
"""Days of the rota before and after today."""
_OWN_STEP = 4
"""Every so many days the user is on call."""
_COVERED = (8, 16, 24, 32)
"""In how many days the shifts begin that the user handed over."""
_SWAPPED, _RETURNED = 40, (6, 14, 22, 30, 38, 10, 18, 26, 34)
"""In how many days the shift begins that the user swapped, and those of colleagues that the user might have taken."""


def operations(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and two hundred more."""
    it = _Operations(world, size)
    it.own()
    for place in range(max(2, size // 12)):
        it.other(place)
    return {
        "now": world.now,
        "engineer_id": it.engineers[0].id,
        "team_id": it.teams[0].id,
        "teams": by_id(it.teams),
        "engineers": by_id(it.engineers),
        "services": it.services,
        "alerts": it.alerts,
        "incidents": it.incidents,
        "shifts": it.shifts,
    }


class _Operations:
    """Teams with all that is theirs, as they are added."""

    def __init__(self, world: World, size: int) -> None:
        self.world, self.now = world, world.now
        people = [world.user, *world.people(30 + 4 * size)]
        self.people = iter(people)
        self.teams: list[rec.OnCallTeam] = []
        self.engineers: list[rec.OnCallEngineer] = []
        self.services: dict[str, rec.MonitoredService] = {}
        self.alerts: dict[str, rec.ServiceAlert] = {}
        self.incidents: dict[str, rec.ServiceIncident] = {}
        self.shifts: dict[str, rec.OnCallShift] = {}
        first = self.now.date() if self.now.hour >= 8 else self.now.date() - dt.timedelta(days=1)
        self.first = dt.datetime.combine(first, dt.time(8))

    def ago(self, minutes: int) -> dt.datetime:
        """The time so many minutes before now."""
        return self.now - dt.timedelta(minutes=minutes)

    # -- teams

    def own(self) -> None:
        """Add the user's team."""
        name, services = self.world.choice(_TEAMS)
        team, crew = self._team(name, 14)
        known = [self._service(team, each, place in _PUBLIC, _MEASURES) for place, each in enumerate(services)]
        for place, needs in _NEEDS.items():
            known[place] = known[place].evolve(depends_on=tuple(known[each].name for each in needs))
            self.services[known[place].id] = known[place]
        self._rota(team, crew)
        self._handovers(crew)
        self._offers(crew)
        for fired in _LOOSE:
            self._alert(known[fired.service], fired)
        cases: list[str] = []
        for case in _CASES:
            cases.append(self._incident(known[case.service], case, crew[case.lead]))
            if case.into is not None:
                self._merge(cases[-1], cases[case.into], self.ago(case.minutes - 20))
        self._compare()

    def other(self, place: int) -> None:
        """Add another team, with one alert that is loose, one in an incident, and some days of shifts."""
        again, kind = divmod(place, len(_OTHERS))
        name = _OTHERS[kind] + (f" {again + 1}" if again else "")
        team, crew = self._team(name, 3)
        service = self._service(team, f"{name.capitalize()} API", place % 2 == 0, _MEASURES[place % 3 :][:3])
        for level, engineer in zip(rota.LEVELS, crew, strict=True):
            self._shift(level, self.first - dt.timedelta(days=5), 7, engineer)
        self._alert(service, _Fired(0, 0, 20 + place, "firing"))
        self._incident(service, _Case(0, 1, 60 + place, "moderate"), crew[0])

    def _team(self, name: str, count: int) -> tuple[rec.OnCallTeam, list[rec.OnCallEngineer]]:
        """Add a team with so many engineers."""
        team = rec.OnCallTeam(id=f"TM-{11 + len(self.teams)}", name=name)
        self.teams.append(team)
        crew = [
            rec.OnCallEngineer(
                id=f"EN-{101 + len(self.engineers) + n}", team_id=team.id, name=person.name, email=person.email
            )
            for n, person in enumerate(itertools.islice(self.people, count))
        ]
        self.engineers.extend(crew)
        return team, crew

    def _service(
        self, team: rec.OnCallTeam, name: str, public: bool, measures: tuple[rec.Measure, ...]
    ) -> rec.MonitoredService:
        """Add a service with its monitors."""
        monitors: list[rec.Monitor] = []
        for measure in measures:
            low, high, step = _THRESHOLDS[measure]
            urgent = measure in _URGENT or (measure != "queue_length" and self.world.chance(0.3))
            monitors.append(
                rec.Monitor(
                    measure=measure, threshold=low + step * self.world.integer(0, (high - low) // step),
                    window_minutes=self.world.choice((5, 10, 15)),
                    urgency="high_urgency" if urgent else "low_urgency",
                )
            )  # fmt: skip
        key = f"SV-{201 + len(self.services)}"
        new = rec.MonitoredService(id=key, team_id=team.id, name=name, public=public, monitors=tuple(monitors))
        self.services[key] = new
        return new

    # -- shifts

    def _rota(self, team: rec.OnCallTeam, crew: list[rec.OnCallEngineer]) -> None:
        """Add the shifts of the team: a day each as primary, a week each as secondary and as manager."""
        others = itertools.cycle(crew[1:9])
        for day in range(-_BEFORE, _AHEAD):
            engineer = next(others) if day % _OWN_STEP else crew[0]
            self._shift("primary", self.first + dt.timedelta(days=day), 1, engineer)
        for week in range((_BEFORE + _AHEAD) // 7):
            start = self.first + dt.timedelta(days=7 * week - _BEFORE)
            self._shift("secondary", start, 7, crew[9 + week % 3])
            self._shift("manager", start, 7, crew[12 + week % 2])

    def _shift(self, level: rec.Level, start: dt.datetime, days: int, engineer: rec.OnCallEngineer) -> None:
        key = f"SH-{1001 + len(self.shifts)}"
        self.shifts[key] = rec.OnCallShift(
            id=key, team_id=engineer.team_id, level=level, day=start.date(), starts_at=start,
            ends_at=start + dt.timedelta(days=days), planned_id=engineer.id, planned=engineer.name,
            holder_id=engineer.id, holder=engineer.name,
        )  # fmt: skip

    def _handovers(self, crew: list[rec.OnCallEngineer]) -> None:
        """Hand some of the user's shifts over, swap one, and let the user cover for a colleague."""
        user = crew[0]
        for day in _COVERED:
            self._hand(self._primary(day), self.world.sample(crew[1:9], 8))
        swapped, theirs = self._primary(_SWAPPED), [self._primary(day) for day in _RETURNED]
        for other in theirs:
            colleague = next(each for each in crew if each.id == other.holder_id)
            both = [rota.handed(swapped, colleague, other), rota.handed(other, user, swapped)]
            if self._keep(both):
                break
        for day in _RETURNED[::-1]:
            if self._hand(self._primary(day), [user]):
                break

    def _offers(self, crew: list[rec.OnCallEngineer]) -> None:
        """Let colleagues who would rest enough offer to take the shifts to come that are still with the user."""
        for shift in [*self.shifts.values()]:
            if shift.holder_id == crew[0].id and not shift.covered and shift.starts_at > self.now:
                colleagues = self.world.sample(crew[1:], len(crew))
                who = next(each for each in colleagues if self._fits([rota.handed(shift, each, None)]))
                self.shifts[shift.id] = shift.evolve(offer_id=who.id, offer=who.name)

    def _primary(self, day: int) -> rec.OnCallShift:
        """The primary shift that begins in so many days."""
        start = self.first + dt.timedelta(days=day)
        return next(each for each in self.shifts.values() if each.starts_at == start and each.level == "primary")

    def _hand(self, shift: rec.OnCallShift, among: list[rec.OnCallEngineer]) -> bool:
        """Hand a shift over to the first of some engineers who rests enough."""
        return any(self._keep([rota.handed(shift, each, None)]) for each in among)

    def _keep(self, changed: list[rec.OnCallShift]) -> bool:
        """Keep shifts with other holders if these rest enough."""
        if fits := self._fits(changed):
            self.shifts.update(by_id(changed))
        return fits

    def _fits(self, changed: list[rec.OnCallShift]) -> bool:
        """Whether the holders of changed shifts rest enough."""
        try:
            rota.check_rested(changed, self.shifts.values())
        except ToolError:
            return False
        return True

    # -- alerts and incidents

    def _alert(self, service: rec.MonitoredService, fired: _Fired) -> rec.ServiceAlert:
        """Add an alert as it stands now."""
        monitor, at = service.monitors[fired.measure], self.ago(fired.minutes)
        paged_at = at + rota.LEVELS.index(fired.level) * rules.ANSWER
        paged = rota.on_call(self.shifts.values(), service.team_id, paged_at)[fired.level].holder
        normal, limit = fired.normal or fired.status == "resolved", monitor.threshold
        if normal:
            value = limit * self.world.integer(40, 95) // 100
        else:
            value = limit + self.world.integer(1, 10) if limit < 100 else limit * self.world.integer(120, 290) // 100
        key = f"AL-{3001 + len(self.alerts)}"
        new = rec.ServiceAlert(
            id=key, team_id=service.team_id, service_id=service.id, service=service.name, measure=monitor.measure,
            urgency=monitor.urgency, threshold=limit, value=value, recovered=normal, fired_at=at, level=fired.level,
            paged=paged, paged_at=paged_at, status=fired.status,
            acknowledged_by=None if fired.status == "firing" else paged,
        )  # fmt: skip
        if fired.status == "silenced":
            since = self.ago(min(fired.minutes - 5, 45))
            length = 3 if monitor.urgency == "high_urgency" else self.world.integer(4, 12)
            new = new.evolve(silenced_from=since, silenced_until=since + dt.timedelta(hours=length))
        self.alerts[key] = new
        return new

    def _incident(self, service: rec.MonitoredService, case: _Case, lead: rec.OnCallEngineer) -> str:
        """Add an incident with its alerts, and give its id."""
        status: rec.AlertStatus = case.status if case.over is None else "acknowledged"
        normal = case.normal or case.over is not None
        alerts = [
            self._alert(service, _Fired(case.service, measure, case.minutes + 9 - 2 * n, status, normal))
            for n, measure in enumerate((case.measure, *case.more))
        ]
        at, key = self.ago(case.minutes), f"INC-{501 + len(self.incidents)}"
        incident = rules.declared(key, alerts, service, case.severity, lead, None, at)
        for n, phase in enumerate(rules.PHASES[: rules.PHASES.index(case.phase) + 1] if case.phase else ()):
            if phase != "resolved":
                incident = rules.published(incident, phase, lead, at + dt.timedelta(minutes=5 * n + 5))
        alerts = [each.evolve(in_incident=True, incident_id=key) for each in alerts]
        if case.over is not None:
            over = self.ago(case.over)
            incident = rules.resolved(incident, self.world.choice(_FOLLOW_UPS), lead, alerts, over)
            alerts = [rules.closed(each, over) for each in alerts]
            if case.phase == "resolved":
                incident = rules.published(incident, "resolved", lead, over + dt.timedelta(minutes=10))
        self.alerts.update(by_id(alerts))
        self.incidents[key] = incident
        return key

    def _compare(self) -> None:
        """Say of every incident which one that was open then may have been about the same trouble."""
        ends = {
            each.id: each.timeline[-1].at if each.status == "merged" else each.resolved_at or self.now
            for each in self.incidents.values()
        }
        for new in [*self.incidents.values()]:
            then = [each for each in self.incidents.values() if each.declared_at < new.declared_at < ends[each.id]]
            if found := rules.similar(self.services[new.service_id], then, self.services):
                self.incidents[new.id] = new.evolve(similar_id=found.id, has_similar=True)

    def _merge(self, key: str, into: str, at: dt.datetime) -> None:
        """Merge an incident into another one."""
        gone, stays = rules.merged(self.incidents[key], self.incidents[into], self.incidents[key].lead, at)
        self.incidents.update({key: gone, into: stays})
        for each in [alert for alert in self.alerts.values() if alert.incident_id == key]:
            self.alerts[each.id] = each.evolve(incident_id=into)
