"""How the arguments of real calls at a trial site hang together: what a coordinator would call each tool with."""

from envfactory.catalogue.research._trial_rules import ACTIVE, REMOVE_DAYS
from envfactory.environment import Dated, Ends, FieldOf, FromNow, Having, Owned, Sharing, Within


def _own(parameter: str) -> Owned:
    """What the signed-in coordinator looks after."""
    return Owned(parameter=parameter, field="coordinator_id", by="coordinator_id")


_IN_TRIAL = (_own("participant_id"), Having(parameter="participant_id", field="status", among=ACTIVE))
_FREE = (_own("candidate_id"), Having(parameter="candidate_id", field="in_trial", among=(False,)))
_RECRUITING = (_own("trial_id"), Having(parameter="trial_id", field="status", among=("recruiting",)))
_SAME_ILLNESS = Sharing(parameter="candidate_id", other="trial_id", fields=("condition",))
_UNREPORTED = (_own("event_id"), Having(parameter="event_id", field="status", among=("logged",)))

TRIAL = (_own("trial_id"),)
PARTICIPANT = (_own("participant_id"),)
FINDING = (*_RECRUITING, Within(parameter="max_age", low=35, high=60, step=5))
CHECKING = (*_RECRUITING, _own("candidate_id"), _SAME_ILLNESS)
VISITS = (*_IN_TRIAL, FromNow(parameter="due_by", days=(2, 30)))
ENROLLING = (
    *_RECRUITING,
    *_FREE,
    _SAME_ILLNESS,
    Dated(parameter="candidate_id", field="registered_on", days=(-900, -16)),  # who is screened by now
    Dated(parameter="candidate_id", field="treated_until", days=(-900, -120), unset=True),
    FromNow(parameter="signed_on", days=(-3, 0)),
)
CONSENTING = (
    *_IN_TRIAL,
    Having(parameter="participant_id", field="consent_current", among=(False,)),
    FromNow(parameter="signed_on", days=(-3, 0)),
)
RANDOMISING = (
    _own("participant_id"),
    Having(parameter="participant_id", field="status", among=("enrolled",)),
    Having(parameter="participant_id", field="baseline_done", among=(True,)),
    Having(parameter="participant_id", field="consent_current", among=(True,)),
    Dated(parameter="participant_id", field="randomise_by", days=(0, 60)),
)
RECORDING = (
    _own("visit_id"),
    Having(parameter="visit_id", field="status", among=("planned",)),
    Having(parameter="visit_id", field="held_up", among=(False,)),
    Dated(parameter="visit_id", field="opens_on", days=(-60, 0)),
    Dated(parameter="visit_id", field="closes_on", days=(0, 60)),
    FieldOf(parameter="measure", other="visit_id", field="missing[]"),
    Within(parameter="value", low=92, high=98),  # what each of the measures can be
)
LOGGING = (
    _own("participant_id"),
    Having(parameter="participant_id", field="status", among=("randomised",)),
    Dated(parameter="participant_id", field="randomised_on", days=(-400, -5)),
    FromNow(parameter="began_on", days=(-5, 0)),
)
REPORTING = _UNREPORTED
REMOVING = (
    *_UNREPORTED,
    Dated(parameter="event_id", field="logged_on", days=(-REMOVE_DAYS, 0)),
    Ends(parameter="event_id"),
)
WITHDRAWING = (*_IN_TRIAL, Ends(parameter="participant_id"))
