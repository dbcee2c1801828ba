"""How the arguments of real calls to the claims desk hang together, tool by tool."""

from envfactory.catalogue.finance._claims_records import Status
from envfactory.catalogue.finance._claims_rules import DRAFT, OPEN, VISITED
from envfactory.environment import AtMost, Dated, Ends, FieldOf, FromNow, Having, Owned, Sharing, Within


def _at(*among: Status) -> Having:
    """Claims at one of these steps."""
    return Having(parameter="claim_id", field="status", among=among)


_MINE = Owned(parameter="claim_id", field="holder_id", by="holder_id")
_IN_TIME = Dated(parameter="claim_id", field="submit_by", days=(0, 60))
_OFFER_STANDS = Dated(parameter="claim_id", field="offer_until", days=(0, 60))
_TO_BE_SEEN = Having(parameter="claim_id", field="visit_needed", among=(True,))

COVERS = (Owned(parameter="policy_id", field="holder_id", by="holder_id"),)
LOSS = (
    Owned(parameter="cover_id", field="holder_id", by="holder_id"),
    Dated(parameter="cover_id", field="covered_from", days=(-800, -6)),
    Dated(parameter="cover_id", field="covered_until", days=(0, 800)),
    FromNow(parameter="happened_on", days=(-6, -1)),
    Within(parameter="amount", low=600, high=4000, step=50),
    AtMost(parameter="amount", other="cover_id", field="left"),
)
"""A recent loss on a cover that pays for it."""
LOOKING = (_MINE,)
SENDING = (_MINE, _at(*DRAFT), _IN_TIME, FieldOf(parameter="document", other="claim_id", field="missing[]"))
FINDING = (_MINE, _at(*VISITED), _TO_BE_SEEN, FromNow(parameter="since", days=(2, 8)))
BOOKING = (
    _MINE,
    _at(*VISITED),
    _IN_TIME,
    _TO_BE_SEEN,
    Dated(parameter="claim_id", field="visit_at", days=(1, 60), unset=True),
    Having(parameter="slot_id", field="status", among=("free",)),
    Dated(parameter="slot_id", field="starts", days=(1, 60)),
    Sharing(parameter="slot_id", other="claim_id", fields=("line", "city")),
)
UNBOOKING = (_MINE, _at(*DRAFT), Dated(parameter="claim_id", field="visit_at", days=(1, 60)))
SUBMITTING = (_MINE, _at("ready"), _IN_TIME)
WITHDRAWING = (_MINE, _at(*OPEN), Ends(parameter="claim_id"))
ACCEPTING = (
    _MINE,
    _at("offered", "disputed"),
    _OFFER_STANDS,
    Owned(parameter="account_id", field="holder_id", by="holder_id"),
    Having(parameter="account_id", field="verified", among=(True,)),
    Ends(parameter="claim_id"),
)
DISPUTING = (
    _MINE,
    _at("offered"),
    _OFFER_STANDS,
    Having(parameter="claim_id", field="disputable", among=(True,)),
)
