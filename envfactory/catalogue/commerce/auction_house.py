"""An auction house: find lots, bid up to a maximum, retract bids, have won lots brought, and consign own items.

Who leads at what price follows from all maxima on a lot, whatever order they came in; maxima and reserves of others
stay hidden. Online lots close one by one; bids on live lots wait for the auctioneer.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.commerce import _auction_records as rec
from envfactory.catalogue.commerce import _auction_relations as relations
from envfactory.catalogue.commerce import _auction_rules as rules
from envfactory.catalogue.commerce._auction_bidding import Bidding
from envfactory.catalogue.commerce._auction_scenario import auction_house
from envfactory.environment import Environment, PageNumber, Table, World, owned, standing, tool


class AuctionHouse(Environment):
    """Search lots, watch them, bid up to a maximum, settle how won lots are delivered, and consign own items."""

    domain = "commerce"
    policy = """A bid is a maximum: the house bids for its owner by increments (5 dollars below 100, 10 below 500, 25
    below 1000, 50 below 2000, 100 below 5000, then 250), as far as others make it; of equal maxima the earlier leads.
    Maxima lie on these steps and are, on online lots, only raised; on live lots they can be changed either way until
    two hours before the sale. A hidden reserve has to be met for a lot to be sold. What a bidder's leading and waiting
    maxima and unpaid hammer prices come to stays within a limit. A bid on an online lot can be retracted until 12 hours
    before it closes; later only what was bid in the last hour, so that an earlier maximum stands again. Nobody bids on
    an own item. The premium is 25 percent up to 1000 dollars and 20 percent above. While an invoice is unpaid, delivery
    can be changed: large lots do not go by post, nor do lots sold above 1000 dollars; insurance is 1.5 percent. Won
    lots are kept for three weeks after the sale; collection slots can be moved until the day before, also once all is
    paid. Items go into a sale of their category while it takes any, with a reserve that the house accepts or none, and
    can be withdrawn until somebody has bid. Never bid without knowing the maximum."""
    sources = (
        "eBay Buy Offer API, Place Proxy Bid and Bidding",
        "eBay Trading API, RetractBid reasons, AddToWatchList and GetMyeBayBuying",
        "Catawiki Help Centre, Bidding, Reserve Prices, Shipping and Selling",
        "Invaluable Help, Absentee Bids, Increments and Buyer's Premium",
    )

    bidder_id: rec.BidderId
    """Bidder whose session this is."""
    bidders: Table[rec.AuctionBidder]
    sales: Table[rec.AuctionSale]
    lots: Table[rec.AuctionLot]
    bids: Table[rec.MaximumBid]
    invoices: Table[rec.AuctionInvoice]
    slots: Table[rec.CollectionSlot]
    items: Table[rec.ConsignedItem]

    @tool(
        ask=(
            "find[ {kind}][ {category}] sales[takes_items? that still take items]",
            "tell me which[ {kind}][ {category}] auctions are coming up[takes_items? and still take items]",
            "see which[ {kind}][ {category}] auctions there are[takes_items? that I could still consign to]",
            "show me the upcoming[ {kind}][ {category}] sales[takes_items? that have room for items]",
        ),
        noun="[{kind} ][{category} ]sale[takes_items? that still takes items]",
        reply=("I found {sales}.", "There is no such sale."),
    )
    def list_sales(
        self, category: rec.Category | None = None, kind: rec.Kind | None = None, takes_items: bool = False,
        page: PageNumber = 1,
    ) -> rec.SalePage:  # fmt: skip
        """List the sales that are not over, by when they are held.

        Args:
            category: Only sales of this category: furniture, jewellery, watches, paintings, ceramics or books.
            kind: Only online or only live sales.
            takes_items: Only sales that have places left and to which items can be consigned today.
            page: Page of the results, five sales each.
        """
        going = [sale for sale in self.sales.values() if rules.goes_on(sale, self.lots.values(), self.now)]
        alike = [sale for sale in going if category in (None, sale.category) and kind in (None, sale.kind)]
        found = [sale for sale in alike if not takes_items or rules.takes_items(sale, self.now.date())]
        found.sort(key=lambda sale: (sale.held_at, sale.id))
        return rec.SalePage.of(found, page)

    @tool(
        ask=(
            "find[ {status}][ {category}] lots[watched? I watch][ in {sale_id}][ under {max_price}][, by {sort}]",
            "look for[ {status}][ {category}] lots[watched? I watch][ in {sale_id}][ up to {max_price}][, by {sort}]",
            "show me[ {status}][ {category}] lots[watched? I watch][ in {sale_id}][ under {max_price}][, by {sort}]",
            "list[ {status}][ {category}] lots[watched? I watch][ in {sale_id}][ up to {max_price}][, by {sort}]",
        ),
        noun="[{status} ][{category} ]lot[watched? that I watch][ in {sale_id}][ under {max_price}]",
        reply=("I found {lots}.", "There is no such lot."),
    )
    def search_lots(
        self, category: rec.Category | None = None, sale_id: rec.SaleId | None = None,
        max_price: rec.Amount | None = None, watched: bool = False, status: rec.LotStatus = "listed",
        sort: rec.LotOrder = "closing_time", page: PageNumber = 1,
    ) -> rec.LotPage:  # fmt: skip
        """Search the lots of all sales; listed ones only while bids are, or will be, taken on them.

        Args:
            category: Only lots of this category: furniture, jewellery, watches, paintings, ceramics or books.
            sale_id: Only lots of this sale.
            max_price: Only lots whose price so far, or hammer price, is at most this many dollars.
            watched: Only lots that the signed-in bidder watches.
            status: listed (still to be sold), sold, unsold or withdrawn.
            sort: Order: first to close first, lowest price first, or lowest estimate first.
            page: Page of the results, five lots each.
        """
        if sale_id is not None:
            self.sales.require(sale_id)
        there = [lot for lot in self.lots.values() if rules.stands(lot, status, self.now)]
        alike = [lot for lot in there if category in (None, lot.category) and sale_id in (None, lot.sale_id)]
        found = [lot for lot in alike if (lot.watched or not watched) and (max_price is None or lot.price <= max_price)]
        found.sort(key=rules.SORTS[sort])
        return rec.LotPage.of(found, page)

    @tool(
        ask=(
            "show me the details of {lot_id}",
            "check where the bidding on {lot_id} stands",
            "look up the estimate and the price so far of {lot_id}",
            "tell me what {lot_id} is at and what I could bid next",
        ),
        reply=(
            (
                "The {title} (estimate {estimate_low} to {estimate_high}) is at {price} ({bids}); you could bid "
                "{next_bids}, until {bids_until}."
            ),
            (
                "The {title} ({status}, estimate {estimate_low} to {estimate_high}) is at {price} ({bids}), "
                "{with_premium} with the premium."
            ),
        ),
    )
    def get_lot(self, lot_id: rec.LotId) -> rec.LotDetails:
        """Get a lot: its sale, estimates, price, increment and leader, and the signed-in bidder's own maximum.

        Args:
            lot_id: Lot to look at.
        """
        lot = self.lots.require(lot_id)
        return rules.details(lot, self.sales.require(lot.sale_id), self._bidding().on(lot))

    @tool(
        writes=True,
        ask=(
            "put {lot_id} on my watch list",
            "watch {lot_id} for me",
            "add {lot_id} to the lots I watch",
            "keep an eye on {lot_id}",
        ),
        reply=("You watch the {title} now; bids are taken until {bids_until}.",),
        where=relations.WATCHING,
    )
    def watch_lot(self, lot_id: rec.LotId) -> rec.AuctionLot:
        """Put a lot on which bids are, or will be, taken on the signed-in bidder's watch list.

        Args:
            lot_id: Lot to watch.
        """
        lot = self.lots.require(lot_id)
        rules.check_watchable(lot, self.now)
        return self.lots.replace(lot.evolve(watched=True, watchers=lot.watchers + 1))

    @tool(
        writes=True,
        ask=(
            "take {lot_id} off my watch list",
            "unwatch {lot_id}",
            "remove {lot_id} from the lots I watch",
            "drop {lot_id} from my watch list",
        ),
        reply=("The {title} is off your watch list.",),
        where=relations.UNWATCHING,
    )
    def unwatch_lot(self, lot_id: rec.LotId) -> rec.AuctionLot:
        """Take a lot off the signed-in bidder's watch list, whatever has become of it.

        Args:
            lot_id: Lot to take off.
        """
        lot = self.lots.require(lot_id)
        rules.check_watched(lot)
        return self.lots.replace(lot.evolve(watched=False, watchers=lot.watchers - 1))

    @tool(
        writes=True,
        ask=(
            "bid up to {maximum} on {lot_id}",
            "place a maximum bid of {maximum} on {lot_id}",
            "set my maximum for {lot_id} to {maximum}",
            "go up to {maximum} for {lot_id}",
        ),
        reply=("Your maximum of {maximum} on the {title} is in: {status}, at a price of {price}.",),
        where=relations.BIDDING,
    )
    def place_bid(self, lot_id: rec.LotId, maximum: rec.Amount) -> rec.PlacedBid:
        """Bid up to a maximum on a lot, or change the own one: raise it on online lots, also lower it on live ones.

        Args:
            lot_id: Lot to bid on.
            maximum: What to bid at most, in dollars without premium; it lies on the increments.
        """
        lot, bidding = self.lots.require(lot_id), self._bidding()
        bidding.check(lot, maximum, self.now)
        mine, step = bidding.on(lot), rec.BidStep(maximum=maximum, placed_at=self.now)
        if mine:
            bid = self.bids.replace(rules.changed(mine, step))
        else:
            bid = self.bids.insert(rules.bid_of(lot, self.new_id("MB"), self.bidder_id, step))
        return bidding.placed(bid.id, bidding.settle(lot))

    @tool(
        ask=(
            "list my bids[ that are {status}]",
            "show me the bids I have placed[ that are {status}]",
            "check how my bids stand[, only the {status} ones]",
            "go through my[ {status}] bids",
        ),
        noun="bid of mine[ that is {status}]",
        reply=("You have {bids}; {committed} of {limit} is committed.", "You have no such bid."),
    )
    def list_bids(self, status: rec.BidStatus | None = None, page: PageNumber = 1) -> rec.BidPage:
        """List the signed-in bidder's bids, the one with the latest end first, with what is committed and the limit.

        Args:
            status: Only bids that stand so: leading, outbid, waiting (for a live sale), won, lost or retracted.
            page: Page of the results, five bids each.
        """
        found = [b for b in self.bids.values() if b.bidder_id == self.bidder_id and status in (None, b.status)]
        found.sort(key=lambda bid: (bid.bids_until, bid.id), reverse=True)
        return self._bidding().page(found, page)

    @tool(
        writes=True,
        ask=(
            "retract {bid_id} because of {reason}",
            "take back {bid_id}, the reason being {reason}",
            "pull {bid_id} over {reason}",
            "withdraw {bid_id} on account of {reason}",
        ),
        reply=(
            "Your maximum on the {title} is back at {maximum}; it is at {price}.",
            "Your bid on the {title} is retracted; it is at {price}.",
        ),
        where=relations.RETRACTING,
    )
    def retract_bid(self, bid_id: rec.BidId, reason: rec.Reason) -> rec.RetractedBid:
        """Retract a bid before bidding ends; in the last 12 hours of an online lot only what was bid within an hour.

        Args:
            bid_id: Bid to retract.
            reason: a_wrong_amount, a_changed_description or an_unreachable_seller.
        """
        bid = standing(owned(self.bids.require(bid_id), "bidder_id", self.bidder_id), rules.ACTIVE, "retracted")
        self.bids.replace(rules.retracted(bid, reason, self.now))
        bidding = self._bidding()
        return bidding.left_of(bid.id, bidding.settle(self.lots.require(bid.lot_id)))

    @tool(
        ask=(
            "list my invoices[overdue? that are overdue][, only the {status} ones]",
            "pull up my[overdue? overdue] invoices for the lots I won[, only the {status} ones]",
            "check my[overdue? overdue] invoices for won lots[, just those that are {status}]",
            "look over the[overdue? overdue][ {status}] invoices for my won lots",
        ),
        noun="[overdue? overdue ][{status} ]invoice for a lot that I won",
        reply=("You have {invoices}.", "There is no such invoice."),
    )
    def list_invoices(
        self, status: rec.InvoiceStatus | None = None, overdue: bool = False, page: PageNumber = 1
    ) -> rec.InvoicePage:
        """List the invoices for lots that the signed-in bidder won, the first one due on top.

        Args:
            status: Only invoices that are due, paid, or of lots that were handed_over.
            overdue: Only unpaid invoices whose due date is past.
            page: Page of the results, five invoices each.
        """
        own = [each for each in self.invoices.values() if each.bidder_id == self.bidder_id]
        alike = [each for each in own if status in (None, each.status)]
        found = [each for each in alike if not overdue or rules.is_overdue(each, self.now.date())]
        found.sort(key=lambda each: (each.due_on, each.id))
        return rec.InvoicePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "have the lot on {invoice_id} sent by {service}[insured?, insured]",
            "ship what {invoice_id} is for by {service}[insured? with insurance]",
            "choose delivery by {service} for {invoice_id}[insured?, with insurance]",
            "send the lot on {invoice_id} by {service}[insured? and insure it]",
        ),
        reply=("The {title} comes by {delivery} for {shipping}; the invoice is {total}, due on {due_on}.",),
        where=relations.SHIPPING,
    )
    def choose_shipping(
        self, invoice_id: rec.InvoiceId, service: rec.Service, insured: bool = False
    ) -> rec.AuctionInvoice:
        """Have a won lot shipped while its invoice is unpaid; a collection slot that was booked for it is freed.

        Args:
            invoice_id: Unpaid invoice of the lot.
            service: post (15 dollars for small, 35 for medium lots) or courier (40, 70, and 180 for large ones).
            insured: Whether it is insured, for 1.5 percent of the hammer price.
        """
        invoice = self._mine(invoice_id)
        rules.check_shipping(invoice, service, self.now.date(), insured=insured)
        self._free(invoice)
        return self.invoices.replace(rules.delivered(invoice, service, insured, slot_id=None, collect_at=None))

    @tool(
        ask=(
            "list the free collection slots[ on {day}] for {invoice_id}",
            "see when I could pick up the lot on {invoice_id}[, on {day}]",
            "find me a time[ on {day}] to collect the lot on {invoice_id}",
            "check which pickup times there are[ on {day}] for {invoice_id}",
        ),
        noun="free collection slot for {invoice_id}[ on {day}]",
        reply=("You could come on {slots}.", "There is no free slot then."),
        where=relations.KEPT,
    )
    def list_slots(self, invoice_id: rec.InvoiceId, day: dt.date | None = None, page: PageNumber = 1) -> rec.SlotPage:
        """List the free collection slots for a won lot, from tomorrow until it is no longer kept.

        Args:
            invoice_id: Invoice of the lot.
            day: Only slots on this day.
            page: Page of the results, five slots each.
        """
        invoice = standing(self._mine(invoice_id), ("due", "paid"), "collected")
        free = rules.free_slots(self.slots.values(), invoice, self.now.date())
        found = [slot for slot in free if day in (None, slot.starts_at.date())]
        found.sort(key=lambda slot: (slot.starts_at, slot.id))
        return rec.SlotPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "book {slot_id} for {invoice_id}",
            "reserve {slot_id} to pick up the lot on {invoice_id}",
            "let me collect the lot on {invoice_id} in {slot_id}",
            "put me down for {slot_id} for {invoice_id}",
        ),
        reply=("You can collect the {title} in {city} on {collect_at}; the invoice is {total}.",),
        where=relations.COLLECTING,
    )
    def book_collection(self, invoice_id: rec.InvoiceId, slot_id: rec.SlotId) -> rec.AuctionInvoice:
        """Book a slot to collect a won lot, in place of shipping while the invoice is unpaid, or of another slot.

        Args:
            invoice_id: Invoice of the lot.
            slot_id: Slot at the warehouse of the lot, from tomorrow until it is no longer kept.
        """
        invoice = standing(self._mine(invoice_id), ("due", "paid"), "collected")
        slot = self.slots.require(slot_id)
        rules.check_slot(invoice, slot, self.now.date())
        self._free(invoice)
        self.slots.replace(slot.evolve(free=slot.free - 1))
        return self.invoices.replace(rules.delivered(invoice, "collection", slot_id=slot.id, collect_at=slot.starts_at))

    @tool(
        ask=(
            "list the items I had valued[, only the {status} ones]",
            "show me my own items[ that are {status}] and their estimates",
            "check what my[ {status}] items are estimated at",
            "go through my[ {status}] items",
        ),
        noun="item of mine[ that is {status}]",
        reply=("You have {items}.", "You have no such item."),
    )
    def list_items(self, status: rec.ItemStatus | None = None, page: PageNumber = 1) -> rec.ItemPage:
        """List the items that the signed-in bidder had valued, the one with the highest estimate first.

        Args:
            status: Only items that are unconsigned (in no sale), consigned (to one) or sold.
            page: Page of the results, five items each.
        """
        found = [i for i in self.items.values() if i.owner_id == self.bidder_id and status in (None, i.status)]
        found.sort(key=lambda item: (-item.estimate_low, item.id))
        return rec.ItemPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "consign {item_id} to {sale_id}[ with a reserve of {reserve}]",
            "put {item_id} into {sale_id}[ with {reserve} as the reserve]",
            "enter {item_id} for {sale_id}[ at a reserve of {reserve}]",
            "sell {item_id} in {sale_id}[ for {reserve} at least]",
        ),
        reply=("Your {title} is lot {lot_number} of {sale_name}.",),
        where=relations.CONSIGNING,
    )
    def consign_item(
        self, item_id: rec.ItemId, sale_id: rec.SaleId, reserve: rec.Amount | None = None
    ) -> rec.ConsignedItem:
        """Have an own valued item sold: it becomes a lot of a sale of its category that still takes items.

        Args:
            item_id: Own item to sell.
            sale_id: Sale that it goes into.
            reserve: Least price in dollars at which it is sold, one of the item's reserves; none if left out.
        """
        item, sale = self._own_item(item_id), self.sales.require(sale_id)
        rules.check_consignable(item, sale, reserve, self.now.date())
        number = rules.next_number(sale, self.lots.values())
        self.sales.replace(sale.evolve(places=sale.places - 1))
        item = rules.consigned(item, sale, number, reserve)
        self.lots.insert(rules.lot_of(item, sale, self.new_id("LT"), number, own=True))
        return self.items.replace(item)

    @tool(
        writes=True,
        ask=(
            "withdraw {item_id} from its sale",
            "take {item_id} out of the auction",
            "pull {item_id} from the sale",
            "have {item_id} back from the auction",
        ),
        reply=("Your {title} is withdrawn and can be consigned again until {valid_until}.",),
        where=relations.WITHDRAWING,
    )
    def withdraw_item(self, item_id: rec.ItemId) -> rec.ConsignedItem:
        """Withdraw an own item from the sale that it was consigned to, as long as nobody has bid on it.

        Args:
            item_id: Consigned item to withdraw.
        """
        item = standing(self._own_item(item_id), ("consigned",), "withdrawn")
        lot = next(each for each in self.lots.values() if rules.place(each) == (item.sale_name, item.lot_number))
        rules.check_withdrawable(lot, self.now)
        sale = self.sales.require(lot.sale_id)
        self.sales.replace(sale.evolve(places=sale.places + 1))
        self.lots.replace(lot.evolve(status="withdrawn"))
        return self.items.replace(rules.taken_back(item))

    def _mine(self, invoice_id: str) -> rec.AuctionInvoice:
        return owned(self.invoices.require(invoice_id), "bidder_id", self.bidder_id)

    def _own_item(self, item_id: str) -> rec.ConsignedItem:
        return owned(self.items.require(item_id), "owner_id", self.bidder_id)

    def _bidding(self) -> Bidding:
        return Bidding(self.bidders.require(self.bidder_id), self.lots, self.bids, self.invoices, self.items)

    def _free(self, invoice: rec.AuctionInvoice) -> None:
        """Give back the slot that is booked for a lot."""
        if invoice.slot_id:
            slot = self.slots.require(invoice.slot_id)
            self.slots.replace(slot.evolve(free=slot.free + 1))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Sales past, running and to come; the user's bids, invoices and items in every condition."""
        return cls.model_validate(auction_house(world, size))
