"""How the arguments of real calls to the returns desk hang together, tool by tool."""

from envfactory.catalogue.commerce._returns_rules import ANSWER_DAYS, OFFERED, UNINSPECTED, UNSENT
from envfactory.environment import Dated, Differing, Ends, FieldOf, Having, Owned, Sharing

_OWN_ITEM = Owned(parameter="item_id", field="shopper_id", by="shopper_id")
_OWN = Owned(parameter="return_id", field="shopper_id", by="shopper_id")
_UNSENT = Having(parameter="return_id", field="status", among=UNSENT)
_IN_TIME = Dated(parameter="return_id", field="send_by", days=(0, 60))
_ENDING = Ends(parameter="return_id")

KEPT = (_OWN_ITEM, Having(parameter="item_id", field="status", among=("kept",)))
RETURNING = (*KEPT, FieldOf(parameter="reason", other="item_id", field="reasons[]"))
EXCHANGING = (*RETURNING, Sharing(parameter="article_id", other="item_id", fields=("product",)))
LOOKING = (_OWN,)
CHOOSING = (
    _OWN,
    _UNSENT,
    _IN_TIME,
    FieldOf(parameter="way", other="return_id", field="ways[]"),
    Differing(parameter="way", other="return_id", field="way"),
)
CHANGING = (
    _OWN,
    Having(parameter="return_id", field="status", among=UNINSPECTED),
    _IN_TIME,
    Differing(parameter="remedy", other="return_id", field="remedy"),
)
EXTENDING = (_OWN, _UNSENT, _IN_TIME, Having(parameter="return_id", field="extended", among=(False,)))
CANCELLING = (_OWN, _UNSENT, _ENDING)
SETTLING = (_OWN, Having(parameter="return_id", field="status", among=OFFERED), _ENDING)
CONTESTING = (
    _OWN,
    Having(parameter="return_id", field="status", among=("inspected",)),
    Dated(parameter="return_id", field="inspected_on", days=(-ANSWER_DAYS, 0)),
)
