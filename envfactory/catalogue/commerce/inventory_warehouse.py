"""Warehouses: what is in stock where, kept back, moved, written off, and ordered of suppliers.

Stock lies in lots, each with its date. What is available in a warehouse is what its good lots hold, less what is held
for customers; cases leave from the lots that expire first. Nothing is counted twice, because nothing is kept apart.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.commerce._warehouse_records import (
    Article,
    ArticleId,
    ArticleName,
    ArticlePage,
    ArticleStock,
    BusinessCustomer,
    Category,
    Clerk,
    ClerkId,
    Customer,
    HoldId,
    HoldPage,
    HoldStatus,
    Level,
    LotId,
    LotPage,
    Movement,
    OrderId,
    OrderPage,
    OrderStatus,
    Quantity,
    Reason,
    StockHold,
    StockLot,
    StockReport,
    SupplierOrder,
    Warehouse,
    WarehouseId,
    WarehousePage,
    WarehouseRoom,
    WriteOff,
    WriteOffPage,
)
from envfactory.catalogue.commerce._warehouse_rules import (
    LEAST_ORDER,
    good_in,
    held_of,
    is_expired,
    lots_of,
    order_total,
    picks,
    room_in,
)
from envfactory.catalogue.commerce._warehouse_scenario import warehouses
from envfactory.environment import (
    AtMost,
    Differs,
    Ends,
    Environment,
    FieldOf,
    Having,
    NamedIn,
    PageNumber,
    Table,
    ToolError,
    Unit,
    Within,
    World,
    cents,
    standing,
    tool,
)

DELIVERY_DAYS = 7
MOST_HOLDS = 6

KEPT_THERE = FieldOf(parameter="warehouse_id", other="article_id", field="stocked_at[]")
MANAGED = Having(parameter="warehouse_id", field="managed", among=(True,))
HELD = Having(parameter="hold_id", field="status", among=("open",))
TENS = Within(parameter="quantity", low=5, high=25, step=5)


class InventoryWarehouse(Environment):
    """Look up stock, hold, pick, move and write off cases, and order more of suppliers, over several warehouses."""

    domain = "commerce"
    policy = """Cases that are past their date can only be written off. Holds keep cases back for a customer, six open
    ones a customer at most; what is held can be picked or released, and cases leave from the lots that expire first.
    Clerks book stock, and hold, pick and release it, only in the warehouses that they manage; they may send stock from
    there to any other that has room. Suppliers take orders from 20 cases; from 100 cases on they give 5 percent off,
    from 250 on 10 percent. An order can be cancelled until the first cases have come. Never write stock off without
    knowing lot, number and reason."""
    sources = (
        "Odoo Inventory, Lots and Serial Numbers, Removal Strategies (FEFO), Reordering Rules",
        "Shopify Admin GraphQL API, InventoryLevel and inventoryAdjustQuantities",
        "Zoho Inventory API v1, Items, Transfer Orders and Purchase Orders",
        "SAP Extended Warehouse Management OData services, Stock and Warehouse Tasks",
    )

    clerk_id: ClerkId
    """Clerk whose session this is."""
    clerks: Table[Clerk]
    warehouses: Table[Warehouse]
    articles: Table[Article]
    lots: Table[StockLot]
    customers: Table[BusinessCustomer]
    holds: Table[StockHold]
    orders: Table[SupplierOrder]
    write_offs: Table[WriteOff]

    @tool(
        ask=(
            "look up our[ {category}] items[ called {name}][low? that are running low]",
            "list the[ {category}] items[ named {name}][low? that are low in stock]",
            "show me which[ {category}] items we have[ called {name}][low? that are running out]",
            "search the[ {category}] stock[ for {name}][low?, only what has to be reordered]",
        ),
        noun="[{category} ]item[ called {name}][low? that is low in stock]",
        reply=("There is {articles}.", "There is no such item."),
    )
    def search_articles(
        self,
        name: ArticleName | None = None,
        category: Category | None = None,
        low: bool = False,
        sort: Literal["name", "available"] = "name",
        page: PageNumber = 1,
    ) -> ArticlePage:
        """Search the articles, with how much of each is available over all warehouses.

        Args:
            name: Only articles whose name contains this.
            category: Only articles of this kind.
            low: Only articles of which less is available than their reorder point.
            sort: Order: by name, or the scarcest first.
            page: Page of the results, five articles each.
        """
        found = [
            stock
            for article in self.articles.values()
            if (name is None or name.casefold() in article.name.casefold()) and category in (None, article.category)
            if (stock := self._stock(article)).low or not low
        ]
        found.sort(key=lambda stock: (stock.available if sort == "available" else 0, stock.name))
        return ArticlePage.of(found, page)

    @tool(
        ask=(
            "check how much stock of {article_id} we have[ in {warehouse_id}]",
            "tell me the stock of {article_id}[ in {warehouse_id}]",
            "see where we keep {article_id}[, looking only at {warehouse_id}]",
            "find out how many cases of {article_id} are left[ in {warehouse_id}]",
        ),
        reply=("Of {name} from {supplier} there is {levels}.", "Of {name} from {supplier} there is none."),
        where=(KEPT_THERE,),
    )
    def get_stock(self, article_id: ArticleId, warehouse_id: WarehouseId | None = None) -> StockReport:
        """Get how much of an article each warehouse has (available, held, expired), its price and when it is low.

        Args:
            article_id: Article to ask about.
            warehouse_id: Only this warehouse.
        """
        article = self.articles.require(article_id)
        places = (
            [self.warehouses.require(key) for key in article.stocked_at]
            if warehouse_id is None
            else [self.warehouses.require(warehouse_id)]
        )
        levels = tuple(
            Level(
                warehouse_id=place.id, city=place.city, available=self._available(article.id, place.id),
                held=held_of(self.holds.values(), article.id, place.id),
                expired=sum(
                    lot.quantity for lot in lots_of(self.lots.values(), article.id, place.id) if self._expired(lot)
                ),
            )
            for place in places
        )  # fmt: skip
        return StockReport(
            article_id=article.id, name=article.name, supplier=article.supplier, unit_price=article.unit_price,
            reorder_point=article.reorder_point, shelf_days=article.shelf_days,
            available=sum(level.available for level in levels), levels=levels,
        )  # fmt: skip

    @tool(
        ask=(
            "list the warehouses[managed? that I manage]",
            "show me which warehouses there are[managed? that I manage]",
            "see how much room there is in[!managed? the][managed? my] warehouses",
            "check how full[!managed? the][managed? my] warehouses are",
        ),
        noun="warehouse[managed? that I manage]",
        reply=("These are the warehouses: {warehouses}.", "There is no such warehouse."),
    )
    def list_warehouses(self, managed: bool = False, page: PageNumber = 1) -> WarehousePage:
        """List the warehouses with the room that is left in them, by city.

        Args:
            managed: Only warehouses that the signed-in clerk manages.
            page: Page of the results, five warehouses each.
        """
        found = [
            WarehouseRoom(
                warehouse_id=place.id, city=place.city, managed=place.managed, capacity=place.capacity,
                room=room_in(place, self.lots.values()),
            )
            for place in self.warehouses.values()
            if place.managed or not managed
        ]  # fmt: skip
        found.sort(key=lambda place: (place.city, place.warehouse_id))
        return WarehousePage.of(found, page)

    @tool(
        ask=(
            "list the lots[ of {article_id}] at {warehouse_id}[ that expire within {days}]",
            "show me which lots[ of {article_id}] we have at {warehouse_id}[ that go off within {days}]",
            "check the lots[ of {article_id}] kept at {warehouse_id}[ for what expires within {days}]",
            "go through the lots[ of {article_id}] at {warehouse_id}[ that are good for {days} at most]",
        ),
        noun="lot[ of {article_id}] in {warehouse_id}[ that expires within {days}]",
        reply=("I see {lots}; that is {cases} in all.", "There is no such lot."),
        where=(KEPT_THERE, Within(parameter="days", low=30, high=120, step=10)),
    )
    def list_lots(
        self,
        warehouse_id: WarehouseId,
        article_id: ArticleId | None = None,
        days: Annotated[int, Field(ge=0, le=365), Unit("day")] | None = None,
        page: PageNumber = 1,
    ) -> LotPage:
        """List the lots of a warehouse, those that expire first on top, then those that do not spoil.

        Args:
            warehouse_id: Warehouse to look into.
            article_id: Only lots of this article.
            days: Only lots that expire within so many days, or have expired.
            page: Page of the results, five lots each.
        """
        place = self.warehouses.require(warehouse_id)
        if article_id is not None:
            self.articles.require(article_id)
        last = None if days is None else self.now.date() + dt.timedelta(days=days)
        found = [
            lot
            for lot in self.lots.values()
            if lot.warehouse_id == place.id
            and article_id in (None, lot.article_id)
            and (last is None or (lot.expires_on is not None and lot.expires_on <= last))
        ]
        found.sort(key=lambda lot: (lot.expires_on or dt.date.max, lot.id))
        return LotPage.of(found, page, cases=sum(lot.quantity for lot in found))

    @tool(
        writes=True,
        ask=(
            "write off {quantity} of {lot_id} as {reason}",
            "book {quantity} out of {lot_id} as {reason}",
            "take {quantity} of {lot_id} off the books as {reason}",
            "record {quantity} of {lot_id} as {reason}",
        ),
        reply=("Written off: {quantity} of {article_name}. There are {left} left to sell in that warehouse.",),
        where=(AtMost(parameter="quantity", other="lot_id", field="quantity", share=0.4),),
    )
    def write_off(self, lot_id: LotId, quantity: Quantity, reason: Reason) -> WriteOff:
        """Write cases of a lot off; held cases stay covered, and only what is past its date goes as expired.

        Args:
            lot_id: Lot that the cases belong to.
            quantity: How many cases are gone.
            reason: Why.
        """
        lot = self.lots.require(lot_id)
        self._managed(lot.warehouse_id)
        if quantity > lot.quantity:
            raise ToolError("limit_exceeded", f"Lot {lot.code} has {lot.quantity} cases, not {quantity}.")
        if reason == "expired" and not self._expired(lot):
            raise ToolError("precondition_failed", f"Lot {lot.code} is not past its date.")
        if not self._expired(lot) and quantity > self._available(lot.article_id, lot.warehouse_id):
            raise ToolError("conflict", f"Cases of the {lot.article_name} are held; release them first.")
        self._take(lot, quantity)
        return self.write_offs.insert(
            WriteOff(
                id=self.new_id("WO"), article_id=lot.article_id, article_name=lot.article_name, lot_code=lot.code,
                city=lot.city, quantity=quantity, reason=reason, written_on=self.now.date(),
                left=self._available(lot.article_id, lot.warehouse_id),
            )
        )  # fmt: skip

    @tool(
        ask=(
            "list what was written off[ as {reason}][ of {article_id}]",
            "show me the write-offs[ of {article_id}][ with the reason {reason}]",
            "check what we wrote off[ of {article_id}][ as {reason}]",
            "go through the write-offs[ of {article_id}][ booked as {reason}]",
        ),
        noun="write-off[ of {article_id}][ as {reason}]",
        reply=("Written off: {write_offs}; that is {cases} in all.", "Nothing of the kind was written off."),
        where=(NamedIn(parameter="article_id", entity="WriteOff", field="article_id"),),
    )
    def list_write_offs(
        self, article_id: ArticleId | None = None, reason: Reason | None = None, page: PageNumber = 1
    ) -> WriteOffPage:
        """List what was written off, the latest first.

        Args:
            article_id: Only write-offs of this article.
            reason: Only write-offs for this reason.
            page: Page of the results, five write-offs each.
        """
        if article_id is not None:
            self.articles.require(article_id)
        found = [
            gone
            for gone in self.write_offs.values()
            if article_id in (None, gone.article_id) and reason in (None, gone.reason)
        ]
        found.sort(key=lambda gone: (gone.written_on, gone.id), reverse=True)
        return WriteOffPage.of(found, page, cases=sum(gone.quantity for gone in found))

    @tool(
        writes=True,
        ask=(
            "hold {quantity} of {article_id} in {warehouse_id} for {customer}",
            "keep {quantity} of {article_id} back for {customer} in {warehouse_id}",
            "reserve {quantity} of {article_id} for {customer} in {warehouse_id}",
            "set {quantity} of {article_id} aside for {customer} in {warehouse_id}",
        ),
        reply=("Held for {customer} in {city}: {quantity} of {article_name}.",),
        where=(KEPT_THERE, MANAGED, TENS),
    )
    def hold_stock(
        self, article_id: ArticleId, warehouse_id: WarehouseId, quantity: Quantity, customer: Customer
    ) -> StockHold:
        """Keep available cases back for a customer, in a warehouse that the clerk manages.

        Args:
            article_id: Article to keep back.
            warehouse_id: Where.
            quantity: How many cases.
            customer: Name of the business that it is for.
        """
        article, place = self.articles.require(article_id), self._managed(warehouse_id)
        name = next((c.name for c in self.customers.values() if c.name.casefold() == customer.casefold()), None)
        if name is None:
            raise ToolError("not_found", f"There is no customer called {customer!r}.")
        self._enough(article, place, quantity)
        mine = [hold for hold in self.holds.values() if (hold.customer, hold.status) == (name, "open")]
        if len(mine) >= MOST_HOLDS:
            raise ToolError("limit_exceeded", f"{name} has {len(mine)} open holds, and more is not possible.")
        return self.holds.insert(
            StockHold(
                id=self.new_id("HOLD"), article_id=article.id, article_name=article.name, warehouse_id=place.id,
                city=place.city, customer=name, quantity=quantity,
            )
        )  # fmt: skip

    @tool(
        ask=(
            "list the[ {status}] holds[ for {customer}]",
            "show me which[ {status}] holds there are[ for {customer}]",
            "check the[ {status}] holds[ for {customer}]",
            "go through the[ {status}] holds[ of {customer}]",
        ),
        noun="[{status} ]hold[ for {customer}]",
        reply=("I see these holds: {holds}.", "There is no such hold."),
    )
    def list_holds(
        self, status: HoldStatus | None = None, customer: Customer | None = None, page: PageNumber = 1
    ) -> HoldPage:
        """List holds, by customer.

        Args:
            status: Only holds that stand like this.
            customer: Only holds for the business of this name.
            page: Page of the results, five holds each.
        """
        found = [
            hold
            for hold in self.holds.values()
            if status in (None, hold.status) and (customer is None or customer.casefold() == hold.customer.casefold())
        ]
        found.sort(key=lambda hold: (hold.customer, hold.id))
        return HoldPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "pick {hold_id}",
            "have {hold_id} picked and sent out",
            "send out {hold_id}",
            "fulfil {hold_id}",
        ),
        reply=("Picked: {quantity} of {article_name}, taken from lots as they expire; {left} are left there.",),
        where=(HELD, Ends(parameter="hold_id")),
    )
    def pick_hold(self, hold_id: HoldId) -> Movement:
        """Send out what is held, from the good lots that expire first.

        Args:
            hold_id: Hold to pick.
        """
        hold = standing(self.holds.require(hold_id), ("open",), "picked")
        self._managed(hold.warehouse_id)
        good = good_in(self.lots.values(), hold.article_id, hold.warehouse_id, self.now.date())
        if hold.quantity > good:
            raise ToolError("conflict", f"{good} good cases of the {hold.article_name} are left in {hold.city}.")
        self.holds.replace(hold.evolve(status="picked"))
        taken = self._withdraw(hold.article_id, hold.warehouse_id, hold.quantity)
        return Movement(
            article_name=hold.article_name, quantity=hold.quantity, lots=tuple(lot.code for lot, _ in taken),
            left=self._available(hold.article_id, hold.warehouse_id),
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "release {hold_id}",
            "lift {hold_id}",
            "let go of {hold_id}",
            "cancel {hold_id} so that the cases can be sold",
        ),
        reply=("The hold for {customer} is released: {quantity} of {article_name} can be sold again.",),
        where=(HELD, Ends(parameter="hold_id")),
    )
    def release_hold(self, hold_id: HoldId) -> StockHold:
        """Release a hold; its cases are available again.

        Args:
            hold_id: Hold to release.
        """
        hold = standing(self.holds.require(hold_id), ("open",), "released")
        self._managed(hold.warehouse_id)
        return self.holds.replace(hold.evolve(status="released"))

    @tool(
        writes=True,
        ask=(
            "move {quantity} of {article_id} from {warehouse_id} to {target_id}",
            "transfer {quantity} of {article_id} out of {warehouse_id} to {target_id}",
            "ship {quantity} of {article_id} over from {warehouse_id} to {target_id}",
            "bring {quantity} of {article_id} from {warehouse_id} into {target_id}",
        ),
        reply=("Moved: {quantity} of {article_name}. There are {left} left where they came from.",),
        where=(
            KEPT_THERE,
            MANAGED,
            Differs(parameter="target_id", other="warehouse_id"),
            TENS,
        ),
    )
    def transfer_stock(
        self, article_id: ArticleId, warehouse_id: WarehouseId, target_id: WarehouseId, quantity: Quantity
    ) -> Movement:
        """Move available cases from a warehouse that the clerk manages to another one with room for them.

        Args:
            article_id: What to move.
            warehouse_id: Where it is taken from.
            target_id: Warehouse that it goes to.
            quantity: How many cases.
        """
        article, source = self.articles.require(article_id), self._managed(warehouse_id)
        target = self.warehouses.require(target_id)
        if source.id == target.id:
            raise ToolError("invalid_argument", "Name two different warehouses.")
        self._enough(article, source, quantity)
        self._fits(target, quantity)
        taken = self._withdraw(article.id, source.id, quantity)
        for lot, cases in taken:
            self._store(article.id, target, lot.code, cases, lot.expires_on)
        return Movement(
            article_name=article.name, quantity=quantity, lots=tuple(lot.code for lot, _ in taken),
            left=self._available(article.id, source.id),
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "order {quantity} of {article_id} for {warehouse_id}",
            "buy {quantity} of {article_id} from the supplier for {warehouse_id}",
            "restock {warehouse_id} with {quantity} of {article_id}",
            "place a supplier order for {quantity} of {article_id}, to be delivered to {warehouse_id}",
        ),
        reply=("Ordered of {supplier}: {quantity} of {article_name} for {total}, expected on {expected_on}.",),
        where=(KEPT_THERE, Within(parameter="quantity", low=20, high=260, step=20)),
    )
    def order_stock(self, article_id: ArticleId, warehouse_id: WarehouseId, quantity: Quantity) -> SupplierOrder:
        """Order an article of its supplier for a warehouse that the clerk manages, 20 cases at least.

        Args:
            article_id: What to order.
            warehouse_id: Warehouse that it goes to.
            quantity: How many cases.
        """
        article, place = self.articles.require(article_id), self._managed(warehouse_id)
        if quantity < LEAST_ORDER:
            raise ToolError("invalid_argument", f"{article.supplier} takes orders from {LEAST_ORDER} cases on.")
        return self.orders.insert(
            SupplierOrder(
                id=self.new_id("SO"), article_id=article.id, article_name=article.name, supplier=article.supplier,
                warehouse_id=place.id, city=place.city, quantity=quantity, outstanding=quantity,
                total=order_total(article.unit_price, quantity),
                expected_on=self.now.date() + dt.timedelta(days=DELIVERY_DAYS),
            )
        )  # fmt: skip

    @tool(
        ask=(
            "list our[ {status}] supplier orders[ for {article_id}]",
            "show me which[ {status}] orders we have with suppliers[ for {article_id}]",
            "check the[ {status}] supplier orders[ for {article_id}]",
            "go through our[ {status}] orders with suppliers[ for {article_id}]",
        ),
        noun="[{status} ]supplier order[ for {article_id}]",
        reply=("These are the orders: {orders}. What has yet to come in costs {due}.", "There is no such order."),
        where=(NamedIn(parameter="article_id", entity="SupplierOrder", field="article_id"),),
    )
    def list_orders(
        self, status: OrderStatus | None = None, article_id: ArticleId | None = None, page: PageNumber = 1
    ) -> OrderPage:
        """List supplier orders, the one expected first on top.

        Args:
            status: Only orders that stand like this.
            article_id: Only orders of this article.
            page: Page of the results, five orders each.
        """
        if article_id is not None:
            self.articles.require(article_id)
        found = [
            order
            for order in self.orders.values()
            if status in (None, order.status) and article_id in (None, order.article_id)
        ]
        found.sort(key=lambda order: (order.expected_on, order.id))
        due = sum(order.total for order in found if order.status in ("open", "part_received"))
        return OrderPage.of(found, page, due=cents(due))

    @tool(
        writes=True,
        ask=(
            "book in {quantity} from {order_id}",
            "record that {quantity} of {order_id} have come",
            "receive {quantity} on {order_id}",
            "put {quantity} that came with {order_id} on the shelf",
        ),
        reply=("Received so far: {received} of {article_name}; still to come: {outstanding}.",),
        where=(
            Having(parameter="order_id", field="status", among=("open", "part_received")),
            TENS,
            AtMost(parameter="quantity", other="order_id", field="outstanding"),
            Ends(parameter="order_id"),  # what has only just been ordered has not come
        ),
    )
    def receive_order(self, order_id: OrderId, quantity: Quantity) -> SupplierOrder:
        """Book cases of a supplier order in, as a new lot; an order may come in parts.

        Args:
            order_id: Order that they belong to.
            quantity: How many have come.
        """
        order = standing(self.orders.require(order_id), ("open", "part_received"), "received")
        place, article = self._managed(order.warehouse_id), self.articles.require(order.article_id)
        if quantity > order.outstanding:
            raise ToolError("limit_exceeded", f"{order.outstanding} cases are still to come, not {quantity}.")
        self._fits(place, quantity)
        keeps = None if article.shelf_days is None else self.now.date() + dt.timedelta(days=article.shelf_days)
        self._store(article.id, place, self.new_id("R").replace("-", ""), quantity, keeps)
        left = order.outstanding - quantity
        status = "part_received" if left else "received"
        return self.orders.replace(order.evolve(received=order.received + quantity, outstanding=left, status=status))

    @tool(
        writes=True,
        ask=(
            "cancel {order_id}",
            "call off {order_id}",
            "tell the supplier that we do not need {order_id}",
            "withdraw {order_id}",
        ),
        reply=("The order of {quantity} of {article_name} is cancelled; {total} is saved.",),
        where=(Having(parameter="order_id", field="status", among=("open",)), Ends(parameter="order_id")),
    )
    def cancel_order(self, order_id: OrderId) -> SupplierOrder:
        """Cancel a supplier order of which nothing has come yet.

        Args:
            order_id: Order to cancel.
        """
        order = standing(self.orders.require(order_id), ("open",), "cancelled")
        self._managed(order.warehouse_id)
        return self.orders.replace(order.evolve(status="cancelled", outstanding=0))

    def _managed(self, warehouse_id: str) -> Warehouse:
        place = self.warehouses.require(warehouse_id)
        if not place.managed:
            raise ToolError("permission_denied", f"You do not manage the {place.city} warehouse.")
        return place

    def _expired(self, lot: StockLot) -> bool:
        return is_expired(lot, self.now.date())

    def _available(self, article_id: str, warehouse_id: str) -> int:
        """Cases that are good and not held."""
        good = good_in(self.lots.values(), article_id, warehouse_id, self.now.date())
        return max(0, good - held_of(self.holds.values(), article_id, warehouse_id))

    def _stock(self, article: Article) -> ArticleStock:
        available = sum(self._available(article.id, place) for place in self.warehouses)
        return ArticleStock(
            id=article.id, name=article.name, category=article.category, available=available,
            on_hand=sum(lot.quantity for lot in self.lots.values() if lot.article_id == article.id),
            low=available < article.reorder_point,
        )  # fmt: skip

    def _enough(self, article: Article, place: Warehouse, quantity: int) -> None:
        available = self._available(article.id, place.id)
        if quantity > available:
            raise ToolError("conflict", f"{available} of the {article.name} are available in {place.city}.")

    def _fits(self, place: Warehouse, quantity: int) -> None:
        room = room_in(place, self.lots.values())
        if quantity > room:
            raise ToolError("limit_exceeded", f"The {place.city} warehouse has room for {room} more.")

    def _take(self, lot: StockLot, quantity: int) -> None:
        """Take cases out of a lot; an empty one is gone."""
        if quantity == lot.quantity:
            self.lots.delete(lot.id)
        else:
            self.lots.replace(lot.evolve(quantity=lot.quantity - quantity))

    def _withdraw(self, article_id: str, warehouse_id: str, quantity: int) -> list[tuple[StockLot, int]]:
        """Take cases from the good lots that expire first: the lots as they were, and how many came of each."""
        taken = picks(self.lots.values(), article_id, warehouse_id, quantity, self.now.date())
        for lot, cases in taken:
            self._take(lot, cases)
        return taken

    def _store(
        self, article_id: str, place: Warehouse, code: str, quantity: int, expires_on: dt.date | None
    ) -> StockLot:
        """Put cases on the shelf as a lot; from now on the warehouse keeps the article."""
        article = self.articles.require(article_id)
        if place.id not in article.stocked_at:
            self.articles.replace(article.evolve(stocked_at=(*article.stocked_at, place.id)))
        return self.lots.insert(
            StockLot(
                id=self.new_id("LOT"), code=code, article_id=article.id, article_name=article.name,
                warehouse_id=place.id, city=place.city, quantity=quantity, expires_on=expires_on,
            )
        )  # fmt: skip

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Articles plentiful, scarce and spoilt, holds and supplier orders in every state."""
        return cls.model_validate(warehouses(world, size))
