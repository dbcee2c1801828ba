"""How the arguments of real calls to the calendar hang together, tool by tool."""

from envfactory.environment import After, Ends, FromNow, Having, NamedIn, Some, Within

_OWN = Having(parameter="event_id", field="own", among=(True,))
_SCHEDULED = Having(parameter="event_id", field="status", among=("scheduled",))
_UNSETTLED = Having(parameter="invitation_id", field="response", among=("pending", "tentative"))
_SOON = FromNow(parameter="starts_at", days=(1, 25))
_LENGTH = Within(parameter="minutes", low=30, high=90, step=15)

PEOPLE = (Some("name", "team"),)
LISTING = (FromNow(parameter="since", days=(0, 5)), FromNow(parameter="until", days=(10, 25)))
LOOKING = (_OWN,)
FINDING = (FromNow(parameter="day", days=(1, 11)), _LENGTH)
CALLING = (_SOON, _LENGTH)
CHANGING = (_OWN, _SCHEDULED)
MOVING = (*CHANGING, _SOON, _LENGTH)
UNINVITING = (*CHANGING, NamedIn(parameter="colleague_id", entity="Guest", field="colleague_id"))
CANCELLING = (*CHANGING, Ends(parameter="event_id"))
ANSWERING = (_UNSETTLED,)
PROPOSING = (_UNSETTLED, _SOON)
LEAVING = (FromNow(parameter="since", days=(1, 40)), After(parameter="until", other="since", days=(1, 12)))
ENDING = (Ends(parameter="absence_id"),)
