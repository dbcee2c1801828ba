"""How the arguments of real calls to the railway hang together, tool by tool."""

from envfactory.catalogue.travel._rail_rules import CLAIM_DAYS
from envfactory.environment import Dated, Differing, Differs, Ends, Having, NamedIn, Owned, Sharing

_OWN = Owned(parameter="ticket_id", field="passenger_id", by="passenger_id")
_BOOKED = (_OWN, Having(parameter="ticket_id", field="status", among=("booked",)))
_CHANGEABLE = (*_BOOKED, Having(parameter="ticket_id", field="fare", among=("semi_flex", "flex")))
_SCHEDULED = Having(parameter="train_id", field="status", among=("scheduled",))

SEARCHING = (Differs(parameter="destination", other="origin"),)
PRICING = (_SCHEDULED,)
BUYING = (_SCHEDULED,)
LISTING = (NamedIn(parameter="destination", entity="TrainTicket", field="destination"),)
LOOKING = (_OWN,)
SEATING = _BOOKED
COMPARING = _CHANGEABLE
CHANGING = (
    *_CHANGEABLE,
    _SCHEDULED,
    Sharing(parameter="train_id", other="ticket_id", fields=("origin", "destination")),
    Differing(parameter="train_id", other="ticket_id", field="train_id"),
)
UPGRADING = (*_BOOKED, Having(parameter="ticket_id", field="travel_class", among=("second",)))
REFUNDING = (*_CHANGEABLE, Ends(parameter="ticket_id"))
CLAIMING = (
    _OWN,
    Having(parameter="ticket_id", field="status", among=("travelled",)),
    Dated(parameter="ticket_id", field="day", days=(-CLAIM_DAYS, 0)),
    Ends(parameter="ticket_id"),
)
