"""How the arguments of real calls about leave hang together: what a team lead would call each tool with."""

from envfactory.environment import After, Dated, Differing, Ends, FromNow, Having, Owned, Within


def _mate(parameter: str) -> Owned:
    """Somebody of the lead's team, or their leave."""
    return Owned(parameter=parameter, field="team_id", by="team_id")


def _team(*among: str) -> tuple[Owned | Having, ...]:
    """Leave of the lead's team at one of these steps."""
    return (
        _mate("leave_id"),
        Having(parameter="leave_id", field="status", among=among),
    )


_AHEAD = Dated(parameter="leave_id", field="first_day", days=(1, 400))
_CHANGEABLE = (Having(parameter="leave_id", field="status", among=("pending", "approved")), _AHEAD)
_FREE_DAYS = (
    FromNow(parameter="first_day", days=(60, 230)),
    After(parameter="last_day", other="first_day", days=(1, 4)),
)

BALANCES = (FromNow(parameter="day", days=(10, 120)),)
MEMBER = (_mate("colleague_id"),)
CALENDAR = (FromNow(parameter="first_day", days=(0, 40)), After(parameter="last_day", other="first_day", days=(4, 30)))
REQUESTING = (*_FREE_DAYS, _mate("cover_id"))
CHANGING = (
    *_CHANGEABLE,
    *_FREE_DAYS,
    _mate("cover_id"),
    Differing(parameter="cover_id", other="leave_id", field="employee_id"),
    Differing(parameter="cover_id", other="leave_id", field="cover_id"),
)
CANCELLING = (*_CHANGEABLE, Ends(parameter="leave_id"))
COVERING = (
    *_team("pending", "approved"),
    _AHEAD,
    _mate("cover_id"),
    Differing(parameter="cover_id", other="leave_id", field="employee_id"),
    Differing(parameter="cover_id", other="leave_id", field="cover_id"),
)
APPROVING = (*_team("pending", "declined"), _AHEAD)
DECLINING = (*_team("pending", "approved"), _AHEAD)
REPORTING = (
    _mate("employee_id"),
    FromNow(parameter="first_day", days=(-3, 0)),
    After(parameter="last_day", other="first_day", days=(2, 2)),
)
CERTIFYING = (*_team("reported"), FromNow(parameter="until", days=(3, 12)))
CLOSING = (*_team("reported"), FromNow(parameter="back_on", days=(0, 1)))
TRADING = (Within(parameter="days", low=1, high=3),)
