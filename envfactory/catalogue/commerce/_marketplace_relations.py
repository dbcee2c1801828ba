"""How the arguments of real calls to the marketplace hang together, tool by tool."""

from envfactory.catalogue.commerce._marketplace_records import Status
from envfactory.catalogue.commerce._marketplace_rules import RETURN_DAYS, UNSHIPPED
from envfactory.environment import AtMost, Dated, Ends, FieldOf, Graded, Having, New, Owned, Within


def _at(*among: Status) -> Having:
    """Orders at one of these steps."""
    return Having(parameter="order_id", field="status", among=among)


COMMENTS = (
    (2, ("took far too long to arrive", "nobody answered my questions", "badly packed", "not as shown in the photos")),
    (3, ("all right, but slow", "nothing special", "fine, though the box was dented")),
    (5, ("quick and friendly", "arrived earlier than promised", "carefully packed", "would buy here again")),
)
"""What buyers write with so many stars at most."""
_OWN = Owned(parameter="order_id", field="customer_id", by="customer_id")
_SELLER = FieldOf(parameter="seller_id", other="order_id", field="lines[].seller_id")

COUPONS = (Within(parameter="subtotal", low=20, high=200, step=10),)
ORDERING = (
    Within(parameter="items[].quantity", low=1, high=3),
    AtMost(parameter="items[].quantity", other="items[].product_id", field="stock"),
)
LOOKING = (_OWN,)
REDIRECTING = (_OWN, _at(*UNSHIPPED), Owned(parameter="address_id", field="customer_id", by="customer_id"))
CANCELLING = (_OWN, _at(*UNSHIPPED), Ends(parameter="order_id"))
RETURNING = (
    _OWN,
    _at("delivered"),
    Dated(parameter="order_id", field="delivered_on", days=(-RETURN_DAYS, 0)),
    FieldOf(parameter="items[].product_id", other="order_id", field="lines[].product_id"),
    AtMost(parameter="items[].quantity", other="order_id", field="lines[].quantity"),
)
RATING = (
    _OWN,
    _at("delivered", "returned"),
    _SELLER,
    Within(parameter="stars", low=1, high=5),
    Graded(parameter="comment", other="stars", bands=COMMENTS),
)
WRITING = (_OWN, _SELLER)
SAVING = (
    New(parameter="nickname", entity="Address", field="nickname"),
    New(parameter="address", entity="Address", field="address"),
)
