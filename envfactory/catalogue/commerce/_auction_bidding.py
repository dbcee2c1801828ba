"""How a bidder stands: the bid on a lot, what is committed in all, and what a change means for the lot and its bids.

Tables are seen as they are now, so a bid that was changed counts at once; its lot is settled after every change.
"""

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from envfactory.catalogue.commerce import _auction_records as rec
from envfactory.catalogue.commerce import _auction_rules as rules
from envfactory.environment import Table, ToolError, cents


class Bidding(NamedTuple):
    """A bidder among all bids on all lots."""

    me: rec.AuctionBidder
    lots: Table[rec.AuctionLot]
    bids: Table[rec.MaximumBid]
    invoices: Table[rec.AuctionInvoice]
    items: Table[rec.ConsignedItem]

    def on(self, lot: rec.AuctionLot) -> rec.MaximumBid | None:
        """The bid that the bidder has on a lot."""
        mine = (bid for bid in self.bids.values() if (bid.lot_id, bid.bidder_id) == (lot.id, self.me.id))
        return next((bid for bid in mine if bid.status in rules.ACTIVE), None)

    def committed(self) -> float:
        """What the bidder has committed in all."""
        return rules.committed(self.bids.values(), self.invoices.values(), self.me.id)

    def page(self, bids: Sequence[rec.MaximumBid], page: int) -> rec.BidPage:
        """A page of bids, with what the bidder has committed and may commit in all."""
        return rec.BidPage.of(bids, page, committed=self.committed(), limit=self.me.limit)

    def check(self, lot: rec.AuctionLot, maximum: float, now: dt.datetime) -> None:
        """Refuse a bid on what takes none, a maximum that cannot be bid, and one beyond what may be committed in all.

        The maximum takes the place of the one that the bidder has on the lot.
        """
        mine = self.on(lot)
        rules.check_biddable(lot, now)
        rules.check_maximum(lot, maximum, mine)
        held = self.committed() - (mine.maximum if mine and mine.status in rules.COMMITTING else 0)
        limit = self.me.limit
        left = max(0.0, cents(limit - held))
        if maximum > left:
            words = f"${left:,g} of your limit of ${limit:,g} is left; bid no more than that, or retract another bid."
            raise ToolError("limit_exceeded", words)

    def settle(self, lot: rec.AuctionLot) -> rec.AuctionLot:
        """Give a lot and the bids on it what follows from all of them."""
        bids = [bid for bid in self.bids.values() if bid.lot_id == lot.id]
        lot, settled = rules.settled(lot, bids, rules.reserve_of(lot, self.items.values()), self.me.id)
        for bid in settled:
            self.bids.replace(bid)
        return self.lots.replace(lot)

    def placed(self, bid_id: str, lot: rec.AuctionLot) -> rec.PlacedBid:
        """What the bidder is told of a bid that was placed on a lot, which is settled."""
        bid = self.bids.require(bid_id)
        return rec.PlacedBid(
            bid_id=bid.id, title=lot.title, maximum=bid.maximum, status=bid.status, price=lot.price,
            reserve=lot.reserve, committed=self.committed(),
        )  # fmt: skip

    def left_of(self, bid_id: str, lot: rec.AuctionLot) -> rec.RetractedBid:
        """What the bidder is told of a bid that was retracted from a lot, which is settled."""
        bid = self.bids.require(bid_id)
        maximum = None if bid.status == "retracted" else bid.maximum
        return rec.RetractedBid(
            title=lot.title, status=bid.status, maximum=maximum, price=lot.price, committed=self.committed()
        )
