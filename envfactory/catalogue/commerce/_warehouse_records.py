"""Records and results of the warehouses: articles, lots, holds, supplier orders."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

ClerkId = Annotated[str, Ref("Clerk")]
WarehouseId = Annotated[str, Ref("Warehouse")]
ArticleId = Annotated[str, Ref("Article")]
LotId = Annotated[str, Ref("StockLot")]
HoldId = Annotated[str, Ref("StockHold")]
OrderId = Annotated[str, Ref("SupplierOrder")]
City = Annotated[str, Value("city", "City, by its English name.")]
ArticleName = Annotated[str, Value("article_name", "Name of an article in stock.")]
Customer = Annotated[str, Value("business_customer", "Name of a business that buys.")]
Supplier = Annotated[str, Value("supplier_name", "Name of a supplier.")]
LotCode = Annotated[str, Value("lot_code", "Code that is printed on a lot.")]
Category = Annotated[Literal["food", "drinks", "cleaning", "packaging"], Value("stock_category", "Kind of article.")]
Count = Annotated[int, Field(ge=0), Unit("case")]
Days = Annotated[int, Field(ge=0, le=365), Unit("day")]
Quantity = Annotated[int, Field(ge=1, le=500), Unit("case")]
Reason = Annotated[Literal["expired", "damaged", "lost"], Value("write_off_reason", "Why stock is gone.")]
HoldStatus = Literal["open", "picked", "released"]
OrderStatus = Literal["open", "part_received", "received", "cancelled"]


class Clerk(Record, noun="clerk", label="{name}"):
    """Who is signed in."""

    id: ClerkId
    """Identifier of the clerk."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]


class BusinessCustomer(Record, noun="customer", label="{name}"):
    """A business that buys."""

    id: Annotated[str, Ref("BusinessCustomer")]
    """Identifier of the customer."""
    name: Customer


class Warehouse(Record, noun="warehouse", label="the {city} warehouse"):
    """A place where stock is kept."""

    id: WarehouseId
    """Identifier of the warehouse."""
    city: City
    capacity: Count
    """How many cases fit."""
    managed: bool
    """Whether the signed-in clerk may book stock in and out."""


class Article(Record, noun="item", label="{name}"):
    """Something that is kept in stock."""

    id: ArticleId
    """Identifier of the article."""
    name: ArticleName
    category: Category
    supplier: Supplier
    unit_price: Money
    """What the supplier asks for a case."""
    reorder_point: Count
    """Stock below this is low."""
    shelf_days: int | None = None
    """How many days it keeps; none if it does not spoil."""
    stocked_at: tuple[WarehouseId, ...]
    """Warehouses that keep it."""


class StockLot(
    Record, noun="lot", label="lot {code}[ in {city}]", listing="lot {code} ({quantity} of {article_name} in {city})"
):
    """Cases of an article that came in together."""

    id: LotId
    """Identifier of the lot."""
    code: LotCode
    article_id: ArticleId
    """What it holds."""
    article_name: ArticleName
    warehouse_id: WarehouseId
    """Warehouse where it is."""
    city: City
    quantity: Annotated[Count, Ranked("smallest", "largest")]
    """How many cases are left of it."""
    expires_on: dt.date | None = None
    """Last day on which it is good; none if it does not spoil."""


class StockHold(
    Record,
    noun="hold",
    label="the {article_name} hold[ for {customer}][ of {quantity}]",
    listing="{quantity} of {article_name} for {customer} ({status})",
):
    """Cases that are kept back for a customer."""

    id: HoldId
    """Identifier of the hold."""
    article_id: ArticleId
    """Article that is kept back."""
    article_name: ArticleName
    warehouse_id: WarehouseId
    """Warehouse where it is kept back."""
    city: City
    customer: Customer
    quantity: Annotated[Quantity, Ranked("smallest", "largest")]
    """How many cases."""
    status: HoldStatus = "open"
    """Where it stands."""


class SupplierOrder(
    Record,
    noun="supplier order",
    label="the {article_name} order[ for {city}][ due {expected_on}]",
    listing="{quantity} of {article_name} for {city} at {total}, due {expected_on} ({status})",
):
    """What was ordered of a supplier."""

    id: OrderId
    """Identifier of the order."""
    article_id: ArticleId
    """Article that was ordered."""
    article_name: ArticleName
    supplier: Supplier
    warehouse_id: WarehouseId
    """Warehouse that it goes to."""
    city: City
    quantity: Quantity
    """How many cases were ordered."""
    received: Count = 0
    """How many cases have come."""
    outstanding: Count
    """How many cases are still to come."""
    total: Annotated[Money, Value("amount_due", "Amount to be paid."), Ranked("cheapest", "most expensive")]
    """What it costs, discount taken off."""
    expected_on: dt.date
    """When it is expected."""
    status: OrderStatus = "open"
    """Where it stands."""


class WriteOff(
    Record,
    noun="write-off",
    label="the write-off of lot {lot_code}[ on {written_on}]",
    listing="{quantity} of {article_name} in {city}, {reason} ({written_on})",
):
    """Cases that are gone, and why."""

    id: Annotated[str, Ref("WriteOff")]
    """Identifier of the write-off."""
    article_id: ArticleId
    """Article that is gone."""
    article_name: ArticleName
    lot_code: LotCode
    city: City
    quantity: Annotated[Quantity, Ranked("smallest", "largest")]
    """How many cases are gone."""
    reason: Reason
    written_on: dt.date
    """When it was booked."""
    left: Count
    """Cases that could still be sold there afterwards."""


class ArticleStock(Record, noun="item", label="{name}", listing="{name} ({available} available)"):
    """An article and how much of it there is."""

    id: ArticleId
    """Identifier of the article."""
    name: ArticleName
    category: Category
    on_hand: Count
    """Cases in all warehouses, whatever their state."""
    available: Annotated[Count, Ranked("scarcest", "most plentiful")]
    """Cases that are good and not held."""
    low: bool
    """Whether less is available than the reorder point."""


class Level(Output, noun="stock", label="the stock in {city}", listing="{available} in {city}"):
    """How much of an article one warehouse has."""

    warehouse_id: WarehouseId
    """The warehouse."""
    city: City
    available: Annotated[Count, Ranked("scarcest", "most plentiful")]
    """Cases that are good and not held."""
    held: Count
    """Cases that are held."""
    expired: Count
    """Cases that are past their date."""


class WarehouseRoom(
    Output,
    noun="warehouse",
    label="the {city} warehouse",
    listing="{city} (room for {room})",
):
    """A warehouse and how much fits in."""

    warehouse_id: WarehouseId
    """The warehouse."""
    city: City
    managed: bool
    """Whether the signed-in clerk may book stock in and out."""
    capacity: Count
    """How many cases fit."""
    room: Annotated[Count, Ranked("fullest", "emptiest")]
    """How many more cases fit."""


class StockReport(Output):
    """How much of an article there is, and what matters for ordering it."""

    article_id: ArticleId
    """Article asked about."""
    name: ArticleName
    supplier: Supplier
    unit_price: Money
    """What the supplier asks for a case."""
    reorder_point: Count
    """Stock below this is low."""
    shelf_days: int | None = None
    """How many days it keeps; none if it does not spoil."""
    available: Count
    """Cases that are good and not held, over the warehouses shown."""
    levels: tuple[Level, ...]
    """Each warehouse that keeps it."""


class Movement(Output):
    """What a movement of stock comes to."""

    article_name: ArticleName
    quantity: Count
    """How many cases were moved."""
    lots: tuple[LotCode, ...]
    """Codes of the lots that cases were taken from, the earliest first."""
    left: Count
    """Cases that are still available where they were taken from."""


class ArticlePage(Page):
    """A page of articles."""

    articles: tuple[ArticleStock, ...]
    """The articles on this page."""


class LotPage(Page):
    """A page of lots."""

    lots: tuple[StockLot, ...]
    """The lots on this page."""
    cases: Count
    """How many cases are in all that match."""


class WarehousePage(Page):
    """A page of warehouses."""

    warehouses: tuple[WarehouseRoom, ...]
    """The warehouses on this page."""


class WriteOffPage(Page):
    """A page of write-offs."""

    write_offs: tuple[WriteOff, ...]
    """The write-offs on this page."""
    cases: Count
    """How many cases are in all that match."""


class HoldPage(Page):
    """A page of holds."""

    holds: tuple[StockHold, ...]
    """The holds on this page."""


class OrderPage(Page):
    """A page of supplier orders."""

    orders: tuple[SupplierOrder, ...]
    """The orders on this page."""
    due: Money
    """What those of them cost that have not come in full; what is cancelled costs nothing."""
