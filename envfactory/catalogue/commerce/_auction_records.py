"""Records and results of the auction house: sales and their lots, bids up to a maximum, invoices, items to be sold."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

BidderId = Annotated[str, Ref("AuctionBidder")]
SaleId = Annotated[str, Ref("AuctionSale")]
LotId = Annotated[str, Ref("AuctionLot")]
BidId = Annotated[str, Ref("MaximumBid")]
InvoiceId = Annotated[str, Ref("AuctionInvoice")]
SlotId = Annotated[str, Ref("CollectionSlot")]
ItemId = Annotated[str, Ref("ConsignedItem")]
City = Annotated[str, Value("city", "City, by its English name.")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Amount = Annotated[Money, Field(gt=0)]
Count = Annotated[int, Field(ge=0)]
Bids = Annotated[int, Field(ge=0), Unit("bid")]
Category = Annotated[
    Literal["furniture", "jewellery", "watches", "paintings", "ceramics", "books"],
    Value("lot_category", "Kind of thing that is auctioned."),
]
Kind = Annotated[
    Literal["online", "live"],
    Value("sale_kind", "Online: bidding runs until each lot closes. Live: bids are left for the auctioneer."),
]
Size = Annotated[Literal["small", "medium", "large"], Value("lot_size", "How large a lot is to ship.")]
LotStatus = Annotated[
    Literal["listed", "sold", "unsold", "withdrawn"], Value("lot_status", "What has become of a lot so far.")
]
LotOrder = Literal["closing_time", "price", "estimate"]
BidStatus = Annotated[
    Literal["leading", "outbid", "waiting", "won", "lost", "retracted"],
    Value("bid_status", "Where a maximum bid stands; waiting is for the auctioneer of a live sale."),
]
Reason = Annotated[
    Literal["a_wrong_amount", "a_changed_description", "an_unreachable_seller"],
    Value("retraction_reason", "Why a bid is retracted."),
]
InvoiceStatus = Annotated[
    Literal["due", "paid", "handed_over"], Value("lot_invoice_status", "Where an invoice for a won lot stands.")
]
Delivery = Literal["undecided", "post", "courier", "collection"]
Service = Annotated[Literal["post", "courier"], Value("shipping_service", "Who brings a won lot.")]
ItemStatus = Annotated[
    Literal["unconsigned", "consigned", "sold"],
    Value("consigned_item_status", "Whether an own item is in a sale."),
]


class AuctionBidder(Record, noun="bidder", label="{name}"):
    """Somebody with a paddle."""

    id: BidderId
    """Identifier of the bidder."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]
    limit: Money
    """What the bidder may commit in all, secured by a deposit."""


class AuctionSale(
    Record, noun="sale", label="the {name} sale", listing="{name} ({kind}, {held_at}, items until {consign_until})"
):
    """Lots of one category that are auctioned together."""

    id: SaleId
    """Identifier of the sale."""
    name: str
    """What it is called."""
    category: Category
    kind: Kind
    city: City
    opens_at: dt.datetime
    """From when bids are taken."""
    held_at: dt.datetime
    """When the auctioneer begins, or the first lot of an online sale closes."""
    consign_until: dt.date
    """Last day on which items can be consigned to it."""
    places: Annotated[int, Field(ge=0), Unit("place")]
    """How many more lots it takes."""


class AuctionLot(
    Record,
    noun="lot",
    label="the {title}[ in {sale_name}]",
    listing="the {title} ({price}, {bids}, bids until {bids_until})",
):
    """Something that is or was auctioned."""

    id: LotId
    """Identifier of the lot."""
    sale_id: SaleId
    """Sale that it is part of."""
    sale_name: str
    """Name of that sale."""
    number: Annotated[int, Field(ge=1)]
    """Its number in the sale."""
    kind: Kind
    title: str
    """What it is."""
    category: Category
    size: Size
    estimate_low: Money
    """What it should bring at least, by the house's estimate."""
    estimate_high: Money
    """What it should bring at most, by the house's estimate."""
    starting_price: Money
    """Where bidding starts."""
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Its price so far, or where it was sold; the starting price while nobody has bid."""
    bids: Annotated[Bids, Ranked("least contested", "most contested")]
    """How many bidders want it."""
    leader: Literal["me", "somebody", "nobody"]
    """Who would get it as things stand: the signed-in bidder, somebody else, or nobody."""
    reserve: Literal["none", "met", "not_met"]
    """Whether there is a least price below which it is not sold, and whether it is met."""
    next_bids: tuple[Money, ...] = ()
    """Maximum bids that the signed-in bidder can place next, the least first; more go by the increments."""
    opens_at: dt.datetime
    """From when bids are taken."""
    bids_until: Annotated[dt.datetime, Ranked("soonest-closing", "latest-closing")]
    """Until when bids are taken: until an online lot closes, or two hours before a live sale."""
    watched: bool = False
    """Whether the signed-in bidder watches it."""
    watchers: Count = 0
    """How many bidders watch it."""
    own: bool = False
    """Whether the signed-in bidder consigned it."""
    status: LotStatus = "listed"


class BidStep(Output, noun="step", label="{maximum}"):
    """One maximum of a bid that was raised."""

    maximum: Money
    """The maximum."""
    placed_at: dt.datetime
    """When it was placed."""


class MaximumBid(
    Record,
    noun="bid",
    label="my bid on the {title}[ at {maximum}]",
    listing="{maximum} on the {title} ({status}, until {bids_until})",
):
    """What somebody would pay at most for a lot; the house bids for them, by increments, as far as others make it."""

    id: BidId
    """Identifier of the bid."""
    bidder_id: BidderId
    """Who bids."""
    lot_id: LotId
    """Lot that the bid is for."""
    title: str
    """What the lot is."""
    kind: Kind
    maximum: Annotated[Money, Ranked("lowest", "highest")]
    """What the bidder would pay at most, without premium."""
    steps: tuple[BidStep, ...]
    """The maxima that stand, the first one placed first."""
    bids_until: dt.datetime
    """Until when bids are taken on the lot."""
    status: BidStatus
    reason: Reason | None = None


class AuctionInvoice(
    Record,
    noun="invoice",
    label="the invoice for the {title}",
    listing="the {title} ({total} payable by {due_on}, {status}, delivery {delivery})",
):
    """What a won lot costs and how it gets to the buyer."""

    id: InvoiceId
    """Identifier of the invoice."""
    bidder_id: BidderId
    """Who won the lot."""
    title: str
    """What was won."""
    sale_name: str
    """Sale in which it was won."""
    size: Size
    city: City
    hammer: Money
    """Where the lot was sold."""
    premium: Money
    """What the house takes on top of it."""
    delivery: Delivery = "undecided"
    """How it gets to the buyer."""
    services: tuple[Service, ...]
    """Who would ship it."""
    insured: bool = False
    """Whether it is shipped insured."""
    shipping: Money = 0
    """What shipping costs, with insurance."""
    total: Annotated[AmountDue, Ranked("cheapest", "most expensive")]
    """What is to be paid in all."""
    slot_id: SlotId | None = None
    """Collection slot that is booked for it."""
    collect_at: dt.datetime | None = None
    """When it is collected."""
    keep_until: dt.date
    """Last day on which it can be collected."""
    due_on: dt.date
    """Day by which it is to be paid."""
    status: InvoiceStatus


class CollectionSlot(
    Record,
    noun="slot",
    label="the collection slot on {starts_at}[ in {city}]",
    listing="{starts_at} in {city} ({free} free)",
):
    """An hour in which won lots are handed over at a warehouse."""

    id: SlotId
    """Identifier of the slot."""
    city: City
    starts_at: Annotated[dt.datetime, Ranked("earliest", "latest")]
    """When it begins."""
    free: Count
    """How many more collections it has room for."""


class ConsignedItem(
    Record, noun="item", label="my {title}", listing="my {title} (estimate {estimate_low} to {estimate_high}, {status})"
):
    """Something that somebody had valued, to sell it or have sold it."""

    id: ItemId
    """Identifier of the item."""
    owner_id: BidderId
    """Whose it is."""
    title: str
    """What it is."""
    category: Category
    size: Size
    estimate_low: Annotated[Money, Ranked("least valuable", "most valuable")]
    """What it should bring at least, by the house's estimate."""
    estimate_high: Money
    """What it should bring at most, by the house's estimate."""
    starting_price: Money
    """Where bidding on it would start."""
    reserves: tuple[Money, ...]
    """Reserves that the house accepts for it, the lowest first."""
    valid_until: dt.date
    """Last day on which it can be consigned by this estimate."""
    reserve: Money | None = None
    """Least price at which it is sold, if there is one."""
    sale_name: str | None = None
    """Sale that it was consigned to."""
    lot_number: Annotated[int, Field(ge=1)] | None = None
    """Its number in that sale."""
    status: ItemStatus


class SalePage(Page):
    """A page of sales."""

    sales: tuple[AuctionSale, ...]
    """The sales on this page."""


class LotPage(Page):
    """A page of lots."""

    lots: tuple[AuctionLot, ...]
    """The lots on this page."""


class BidPage(Page):
    """A page of bids, and what is committed."""

    bids: tuple[MaximumBid, ...]
    """The bids on this page."""
    committed: Money
    """What the signed-in bidder's maxima that lead or wait come to, with the hammer prices of unpaid invoices."""
    limit: Money
    """What the signed-in bidder may commit in all."""


class InvoicePage(Page):
    """A page of invoices."""

    invoices: tuple[AuctionInvoice, ...]
    """The invoices on this page."""


class SlotPage(Page):
    """A page of collection slots."""

    slots: tuple[CollectionSlot, ...]
    """The slots on this page."""


class ItemPage(Page):
    """A page of items."""

    items: tuple[ConsignedItem, ...]
    """The items on this page."""


class LotDetails(Output):
    """A lot with its sale, and how the signed-in bidder stands on it."""

    lot_id: LotId
    """Lot asked about."""
    title: str
    """What it is."""
    number: int
    """Its number in the sale."""
    sale_name: str
    """Sale that it is part of."""
    kind: Kind
    city: City
    held_at: dt.datetime
    """When the auctioneer begins, or the first lot of an online sale closes."""
    opens_at: dt.datetime
    """From when bids are taken."""
    bids_until: dt.datetime
    """Until when bids are taken."""
    estimate_low: Money
    """What it should bring at least."""
    estimate_high: Money
    """What it should bring at most."""
    price: Money
    """Its price so far, or where it was sold; the starting price while nobody has bid."""
    increment: Money
    """Step in which bids at this price rise."""
    bids: Bids
    """How many bidders want it."""
    leader: Literal["me", "somebody", "nobody"]
    """Who would get it as things stand."""
    reserve: Literal["none", "met", "not_met"]
    """Whether there is a least price below which it is not sold, and whether it is met."""
    own_maximum: Money | None = None
    """What the signed-in bidder bids at most for it."""
    next_bids: tuple[Money, ...]
    """Maximum bids that the signed-in bidder can place next, the least first."""
    with_premium: Money
    """What its price comes to with the premium."""
    watched: bool
    """Whether the signed-in bidder watches it."""
    status: LotStatus


class PlacedBid(Output):
    """A bid and where it leaves the lot."""

    bid_id: BidId
    """The bid."""
    title: str
    """What the lot is."""
    maximum: Money
    """What is bid at most."""
    status: BidStatus
    price: Money
    """Price of the lot now; of a lot in a live sale, where bidding starts."""
    reserve: Literal["none", "met", "not_met"]
    """Whether there is a least price, and whether it is met."""
    committed: Money
    """What the signed-in bidder has committed in all now."""


class RetractedBid(Output):
    """What is left of a bid."""

    title: str
    """What the lot is."""
    status: BidStatus
    maximum: Money | None = None
    """The earlier maximum that stands again, if only a raise was taken back."""
    price: Money
    """Price of the lot now."""
    committed: Money
    """What the signed-in bidder has committed in all now."""
