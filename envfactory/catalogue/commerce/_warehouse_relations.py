"""How the arguments of real calls to the warehouses hang together, tool by tool."""

from envfactory.catalogue.commerce._warehouse_rules import TO_COME
from envfactory.environment import AtMost, Differs, Ends, FieldOf, Having, NamedIn, Within

_KEPT_THERE = FieldOf(parameter="warehouse_id", other="article_id", field="stocked_at[]")
_MANAGED = Having(parameter="warehouse_id", field="managed", among=(True,))
_TENS = Within(parameter="quantity", low=5, high=25, step=5)

STOCK = (_KEPT_THERE,)
LOTS = (_KEPT_THERE, Within(parameter="days", low=30, high=120, step=10))
WRITING_OFF = (AtMost(parameter="quantity", other="lot_id", field="quantity", share=0.4),)
WRITE_OFFS = (NamedIn(parameter="article_id", entity="WriteOff", field="article_id"),)
HOLDING = (_KEPT_THERE, _MANAGED, _TENS)
HELD = (Having(parameter="hold_id", field="status", among=("open",)), Ends(parameter="hold_id"))
MOVING = (_KEPT_THERE, _MANAGED, Differs(parameter="target_id", other="warehouse_id"), _TENS)
ORDERING = (_KEPT_THERE, Within(parameter="quantity", low=20, high=260, step=20))
ORDERS = (NamedIn(parameter="article_id", entity="SupplierOrder", field="article_id"),)
RECEIVING = (
    Having(parameter="order_id", field="status", among=TO_COME),
    _TENS,
    AtMost(parameter="quantity", other="order_id", field="outstanding"),
    Ends(parameter="order_id"),  # what has only just been ordered has not come
)
CANCELLING = (Having(parameter="order_id", field="status", among=("open",)), Ends(parameter="order_id"))
