"""How the arguments of real calls to the help desk hang together, tool by tool."""

from envfactory.catalogue.office._helpdesk_rules import UNSOLVED
from envfactory.environment import Differing, Differs, Ends, FieldOf, Having, Sharing

_MINE = Having(parameter="ticket_id", field="held_by", among=("me",))
_OPEN = Having(parameter="ticket_id", field="status", among=("open",))
_UNSOLVED = Having(parameter="ticket_id", field="status", among=UNSOLVED)
_ANSWERED = Having(parameter="ticket_id", field="answered", among=(True,))

TAKING = (
    _UNSOLVED,
    Having(parameter="ticket_id", field="line", among=("first",)),
    Having(parameter="ticket_id", field="held_by", among=("nobody",)),
)
RELEASING = (_MINE, _UNSOLVED)
HANDING_OVER = (
    _MINE,
    _UNSOLVED,
    Sharing(parameter="colleague_id", other="ticket_id", fields=("queue", "line")),
    Having(parameter="colleague_id", field="presence", among=("in",)),
)
ANSWERING = (_MINE, _UNSOLVED)
SENDING = (
    _MINE,
    _UNSOLVED,
    Sharing(parameter="macro_id", other="ticket_id", fields=("queue",)),
    Having(parameter="macro_id", field="active", among=(True,)),
)
SOLVING = (_MINE, _UNSOLVED, _ANSWERED)
REOPENING = (_MINE, Having(parameter="ticket_id", field="status", among=("pending", "solved")))
CHANGING = (
    _MINE,
    _UNSOLVED,
    FieldOf(parameter="priority", other="ticket_id", field="priorities[]"),
    Differing(parameter="priority", other="ticket_id", field="priority"),
)
ESCALATING = (
    _MINE,
    _OPEN,
    _ANSWERED,
    FieldOf(parameter="reason", other="ticket_id", field="reasons[]"),
    Ends(parameter="ticket_id"),
)
COMPARING = (_MINE, _OPEN)
MERGING = (
    _MINE,
    _OPEN,
    Sharing(parameter="duplicate_id", other="ticket_id", fields=("customer_id", "queue", "line", "status")),
    Having(parameter="duplicate_id", field="held_by", among=("me", "nobody")),
    Differs(parameter="duplicate_id", other="ticket_id"),
    Ends(parameter="duplicate_id"),
)
