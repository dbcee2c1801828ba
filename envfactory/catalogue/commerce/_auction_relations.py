"""How the arguments of real calls to the auction house hang together, a tuple of relations to a tool."""

from envfactory.catalogue.commerce._auction_rules import ACTIVE
from envfactory.environment import Dated, Differing, Ends, FieldOf, Having, Owned, Sharing

_LISTED = Having(parameter="lot_id", field="status", among=("listed",))
_OWN_INVOICE = Owned(parameter="invoice_id", field="bidder_id", by="bidder_id")
_DUE = Having(parameter="invoice_id", field="status", among=("due",))
_OWN_ITEM = Owned(parameter="item_id", field="owner_id", by="bidder_id")

WATCHING = (_LISTED, Having(parameter="lot_id", field="watched", among=(False,)))
UNWATCHING = (Having(parameter="lot_id", field="watched", among=(True,)),)
BIDDING = (
    _LISTED,
    Having(parameter="lot_id", field="own", among=(False,)),
    Dated(parameter="lot_id", field="opens_at", days=(-60, -1)),
    FieldOf(parameter="maximum", other="lot_id", field="next_bids[]"),
)
RETRACTING = (
    Owned(parameter="bid_id", field="bidder_id", by="bidder_id"),
    Having(parameter="bid_id", field="status", among=ACTIVE),
    Dated(parameter="bid_id", field="bids_until", days=(1, 90)),
    Ends(parameter="bid_id"),
)
SHIPPING = (
    _OWN_INVOICE,
    _DUE,
    FieldOf(parameter="service", other="invoice_id", field="services[]"),
    Differing(parameter="service", other="invoice_id", field="delivery"),
)
KEPT = (_OWN_INVOICE, Having(parameter="invoice_id", field="status", among=("due", "paid")))
COLLECTING = (
    _OWN_INVOICE,
    _DUE,
    Sharing(parameter="slot_id", other="invoice_id", fields=("city",)),
    Having(parameter="slot_id", field="free", among=(1, 2, 3, 4)),
    Differing(parameter="slot_id", other="invoice_id", field="slot_id"),
)
CONSIGNING = (
    _OWN_ITEM,
    Having(parameter="item_id", field="status", among=("unconsigned",)),
    Dated(parameter="item_id", field="valid_until", days=(0, 365)),
    Sharing(parameter="sale_id", other="item_id", fields=("category",)),
    Dated(parameter="sale_id", field="consign_until", days=(0, 90)),
    Having(parameter="sale_id", field="places", among=tuple(range(1, 13))),
    FieldOf(parameter="reserve", other="item_id", field="reserves[]"),
)
WITHDRAWING = (_OWN_ITEM, Having(parameter="item_id", field="status", among=("consigned",)), Ends(parameter="item_id"))
