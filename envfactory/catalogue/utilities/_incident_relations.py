"""How the arguments of real calls at an on-call desk hang together: what an engineer would call each tool with."""

from envfactory.catalogue.utilities._incident_records import AlertStatus, IncidentStatus
from envfactory.environment import Dated, Differing, Differs, FieldOf, FromNow, Having, Owned, Sharing, Within


def _team(parameter: str) -> Owned:
    """What the signed-in engineer's team looks after."""
    return Owned(parameter=parameter, field="team_id", by="team_id")


def _alert(*among: AlertStatus) -> tuple[Owned, Having]:
    """Alerts of the team that stand like this."""
    return _team("alert_id"), Having(parameter="alert_id", field="status", among=among)


def _incident(*among: IncidentStatus) -> tuple[Owned, Having]:
    """Incidents of the team that stand like this."""
    return _team("incident_id"), Having(parameter="incident_id", field="status", among=among)


_LEAD = Owned(parameter="incident_id", field="lead_id", by="engineer_id")
_SHIFT_AHEAD = Dated(parameter="shift_id", field="starts_at", days=(1, 400))

ACKNOWLEDGING = _alert("firing")
ESCALATING = (*_alert("acknowledged"), Having(parameter="alert_id", field="level", among=("primary",)))
SILENCING = (*_alert("acknowledged"), Within(parameter="hours", low=2, high=4))
ENDING = _alert("silenced")
DECLARING = (
    *_alert("firing", "acknowledged", "silenced"),
    Having(parameter="alert_id", field="in_incident", among=(False,)),
)
ROTA = (FromNow(parameter="day", days=(0, 20)),)
LOOKING = (_team("incident_id"),)
REGRADING = (*_incident("open"), Differing(parameter="severity", other="incident_id", field="severity"))
MERGING = (
    *_incident("open"),
    _LEAD,
    Having(parameter="incident_id", field="phase", among=("unpublished",)),
    Having(parameter="incident_id", field="has_similar", among=(True,)),
    Having(parameter="into_id", field="status", among=("open",)),
    Sharing(parameter="into_id", other="incident_id", fields=("service_id",)),
    Differs(parameter="into_id", other="incident_id"),
)
RESOLVING = (*_incident("open"), _LEAD, Having(parameter="incident_id", field="blocking", among=(0,)))
REOPENING = (*_incident("resolved"), Dated(parameter="incident_id", field="resolved_at", days=(-2, 0)))
PUBLISHING = (
    *_incident("open", "resolved"),
    _LEAD,
    FieldOf(parameter="phase", other="incident_id", field="next_phases[]"),
)
HANDING_OVER = (
    Owned(parameter="shift_id", field="holder_id", by="engineer_id"),
    Having(parameter="shift_id", field="covered", among=(False,)),
    _SHIFT_AHEAD,
    FieldOf(parameter="colleague_id", other="shift_id", field="offer_id"),
    Owned(parameter="in_return", field="holder_id", by="colleague_id"),
    Having(parameter="in_return", field="covered", among=(False,)),
    Dated(parameter="in_return", field="starts_at", days=(1, 400)),
)
TAKING_BACK = (
    _team("shift_id"),
    Having(parameter="shift_id", field="covered", among=(True,)),
    _SHIFT_AHEAD,
)
