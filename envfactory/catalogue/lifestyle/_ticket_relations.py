"""How the arguments of real calls to the box office hang together, tool by tool."""

from envfactory.catalogue.lifestyle._ticket_records import RequestStatus, TicketStatus
from envfactory.environment import (
    After,
    AtMost,
    Dated,
    Differing,
    Ends,
    FromNow,
    Having,
    Owned,
    Sharing,
    Within,
)


def _ticket(*among: TicketStatus) -> Having:
    """Tickets at one of these steps."""
    return Having(parameter="ticket_id", field="status", among=among)


def _request(*among: RequestStatus) -> Having:
    """Requests at one of these steps."""
    return Having(parameter="request_id", field="status", among=among)


_MINE = Owned(parameter="ticket_id", field="owner_id", by="fan_id")
_BOUGHT = Having(parameter="ticket_id", field="received", among=(False,))
_AHEAD = Dated(parameter="ticket_id", field="starts_at", days=(2, 400))
_ASKED = Owned(parameter="request_id", field="fan_id", by="fan_id")
_ON = Having(parameter="ticket_id", field="event_status", among=("scheduled", "moved"))
_LOWER = Having(parameter="ticket_id", field="tier", among=("basic",))

SEARCHING = (FromNow(parameter="since", days=(1, 25)), After(parameter="until", other="since", days=(20, 60)))
SECTIONS = (Dated(parameter="event_id", field="starts_at", days=(1, 400)), Within(parameter="seats", low=2, high=4))
ASKING = (
    Having(parameter="section_id", field="status", among=("available", "sold_out")),
    Dated(parameter="section_id", field="on_sale_from", days=(-400, 7)),
    Dated(parameter="section_id", field="starts_at", days=(2, 400)),
    Within(parameter="seats", low=1, high=2),
    Owned(parameter="code_id", field="fan_id", by="fan_id"),
    Dated(parameter="code_id", field="valid_until", days=(0, 400)),
    Sharing(parameter="code_id", other="section_id", fields=("event_id",)),
)
RELEASING = (_ASKED, _request("held", "waiting"), Ends(parameter="request_id"))
BOOKING = (_ASKED, _request("held"))
LOOKING = (_MINE,)
SENDING = (_MINE, _ticket("valid"), _AHEAD, _ON)
SELLING = (
    _MINE,
    _BOUGHT,
    _ticket("valid"),
    _AHEAD,
    _ON,
    Within(parameter="price", low=20, high=150, step=5),
    AtMost(parameter="price", other="ticket_id", field="max_ask"),
)
TAKING_BACK = (_MINE, _ticket("sent", "listed"))
RETURNING = (
    _MINE,
    _BOUGHT,
    _ticket("valid"),
    Dated(parameter="ticket_id", field="refund_until", days=(1, 400)),
    Ends(parameter="ticket_id"),
)
COMPARING = (
    _MINE,
    _BOUGHT,
    _ticket("valid"),
    _AHEAD,
    _ON,
    _LOWER,
    Within(parameter="max_extra", low=20, high=150, step=10),
)
UPGRADING = (
    _MINE,
    _BOUGHT,
    _ticket("valid"),
    _AHEAD,
    _ON,
    _LOWER,
    Having(parameter="section_id", field="status", among=("available",)),
    Having(parameter="section_id", field="tier", among=("standard", "premium")),
    Sharing(parameter="section_id", other="ticket_id", fields=("event_id",)),
    Differing(parameter="section_id", other="ticket_id", field="section_id"),
)
