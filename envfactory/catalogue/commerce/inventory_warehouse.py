"""Warehouses: what is in stock where, kept back, moved, written off, and ordered of suppliers.

Stock lies in lots, each with its date. What is available in a warehouse is what its good lots hold, less what is held
for customers; cases leave from the lots that expire first. Nothing is counted twice, because nothing is kept apart.
"""

from typing import Literal, Self, TypeVar

from envfactory.catalogue.commerce import _warehouse_records as rec
from envfactory.catalogue.commerce import _warehouse_relations as relations
from envfactory.catalogue.commerce import _warehouse_rules as rules
from envfactory.catalogue.commerce._warehouse_scenario import warehouses
from envfactory.catalogue.commerce._warehouse_shelves import Shelves
from envfactory.environment import Environment, PageNumber, Table, World, standing, tool

R = TypeVar("R", rec.StockLot, rec.SupplierOrder, rec.WriteOff)


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

    clerk_id: rec.ClerkId
    """Clerk whose session this is."""
    clerks: Table[rec.Clerk]
    warehouses: Table[rec.Warehouse]
    articles: Table[rec.Article]
    lots: Table[rec.StockLot]
    customers: Table[rec.BusinessCustomer]
    holds: Table[rec.StockHold]
    orders: Table[rec.SupplierOrder]
    write_offs: Table[rec.WriteOff]

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
        self, name: rec.ArticleName | None = None, category: rec.Category | None = None, low: bool = False,
        sort: Literal["name", "available"] = "name", page: PageNumber = 1,
    ) -> rec.ArticlePage:  # fmt: skip
        """Search the articles, with how much of each is available over all warehouses.

        Args:
            name: Only articles whose name contains this.
            category: Only articles of this kind.
            low: Only articles of which less is available than their reorder point.
            sort: Order: by name, or the scarcest first.
            page: Page of the results, five articles each.
        """
        shelves = self._shelves()
        alike = [article for article in self.articles.values() if category in (None, article.category)]
        found = [shelves.stock(article, self.warehouses) for article in alike if rules.is_called(article, name)]
        found = [stock for stock in found if stock.low or not low]
        found.sort(key=lambda stock: stock.name)
        if sort == "available":
            found.sort(key=lambda stock: stock.available)
        return rec.ArticlePage.of(found, page)

    @tool(
        ask=(
            "check how much stock of {article_id} we have[ in {warehouse_id}]",
            "tell me the stock of {article_id}[ in {warehouse_id}]",
            "see where we keep {article_id}[, looking only at {warehouse_id}]",
            "find out how many cases of {article_id} are left[ in {warehouse_id}]",
        ),
        reply=("Of {name} from {supplier} there is {levels}.", "Of {name} from {supplier} there is none."),
        where=relations.STOCK,
    )
    def get_stock(self, article_id: rec.ArticleId, warehouse_id: rec.WarehouseId | None = None) -> rec.StockReport:
        """Get how much of an article each warehouse has (available, held, expired), its price and when it is low.

        Args:
            article_id: Article to ask about.
            warehouse_id: Only this warehouse.
        """
        article = self.articles.require(article_id)
        places = article.stocked_at if warehouse_id is None else (warehouse_id,)
        return self._shelves().report(article, [self.warehouses.require(place) for place in places])

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
    def list_warehouses(self, managed: bool = False, page: PageNumber = 1) -> rec.WarehousePage:
        """List the warehouses with the room that is left in them, by city.

        Args:
            managed: Only warehouses that the signed-in clerk manages.
            page: Page of the results, five warehouses each.
        """
        shelves = self._shelves()
        found = [shelves.with_room(place) for place in self.warehouses.values() if place.managed or not managed]
        found.sort(key=lambda place: (place.city, place.warehouse_id))
        return rec.WarehousePage.of(found, page)

    @tool(
        ask=(
            "list the lots[ of {article_id}] at {warehouse_id}[ that expire within {days}]",
            "show me which lots[ of {article_id}] we have at {warehouse_id}[ that go off within {days}]",
            "check the lots[ of {article_id}] kept at {warehouse_id}[ for what expires within {days}]",
            "go through the lots[ of {article_id}] at {warehouse_id}[ that are good for {days} at most]",
        ),
        noun="lot[ of {article_id}] in {warehouse_id}[ that expires within {days}]",
        reply=("I see {lots}; that is {cases} in all.", "There is no such lot."),
        where=relations.LOTS,
    )
    def list_lots(
        self, warehouse_id: rec.WarehouseId, article_id: rec.ArticleId | None = None, days: rec.Days | None = None,
        page: PageNumber = 1,
    ) -> rec.LotPage:  # fmt: skip
        """List the lots of a warehouse, those that expire first on top, then those that do not spoil.

        Args:
            warehouse_id: Warehouse to look into.
            article_id: Only lots of this article.
            days: Only lots that expire within so many days, or have expired.
            page: Page of the results, five lots each.
        """
        place = self.warehouses.require(warehouse_id)
        here = self._of(article_id, self.lots, warehouse_id=place.id)
        found = [lot for lot in here if rules.expires_within(lot, days, self.now.date())]
        found.sort(key=rules.by_date)
        return rec.LotPage.of(found, page, cases=sum(lot.quantity for lot in found))

    @tool(
        writes=True,
        ask=(
            "write off {quantity} of {lot_id} as {reason}",
            "book {quantity} out of {lot_id} as {reason}",
            "take {quantity} of {lot_id} off the books as {reason}",
            "record {quantity} of {lot_id} as {reason}",
        ),
        reply=("Written off: {quantity} of {article_name}. There are {left} left to sell in that warehouse.",),
        where=relations.WRITING_OFF,
    )
    def write_off(self, lot_id: rec.LotId, quantity: rec.Quantity, reason: rec.Reason) -> rec.WriteOff:
        """Write cases of a lot off; held cases stay covered, and only what is past its date goes as expired.

        Args:
            lot_id: Lot that the cases belong to.
            quantity: How many cases are gone.
            reason: Why.
        """
        lot = self.lots.require(lot_id)
        self._managed(lot.warehouse_id)
        shelves = self._shelves()
        shelves.check_write_off(lot, quantity, reason)
        shelves.take(lot, quantity)
        return self.write_offs.insert(shelves.written_off(self.new_id("WO"), lot, quantity, reason))

    @tool(
        ask=(
            "list what was written off[ as {reason}][ of {article_id}]",
            "show me the write-offs[ of {article_id}][ with the reason {reason}]",
            "see which cases[ of {article_id}] we wrote off[ as {reason}]",
            "go through the write-offs[ of {article_id}][ booked as {reason}]",
        ),
        noun="write-off[ of {article_id}][ as {reason}]",
        reply=("Written off: {write_offs}; that is {cases} in all.", "Nothing of the kind was written off."),
        where=relations.WRITE_OFFS,
    )
    def list_write_offs(
        self, article_id: rec.ArticleId | None = None, reason: rec.Reason | None = None, page: PageNumber = 1
    ) -> rec.WriteOffPage:
        """List what was written off, the latest first.

        Args:
            article_id: Only write-offs of this article.
            reason: Only write-offs for this reason.
            page: Page of the results, five write-offs each.
        """
        found = self._of(article_id, self.write_offs, reason=reason)
        found.sort(key=lambda gone: (gone.written_on, gone.id), reverse=True)
        return rec.WriteOffPage.of(found, page, cases=sum(gone.quantity for gone in found))

    @tool(
        writes=True,
        ask=(
            "hold {quantity} of {article_id} in {warehouse_id} for {customer}",
            "keep {quantity} of {article_id} back for {customer} in {warehouse_id}",
            "reserve {quantity} of {article_id} for {customer} in {warehouse_id}",
            "set {quantity} of {article_id} aside for {customer} in {warehouse_id}",
        ),
        reply=("Held for {customer} in {city}: {quantity} of {article_name}.",),
        where=relations.HOLDING,
    )
    def hold_stock(
        self, article_id: rec.ArticleId, warehouse_id: rec.WarehouseId, quantity: rec.Quantity, customer: rec.Customer
    ) -> rec.StockHold:
        """Keep available cases back for a customer, in a warehouse that the clerk manages.

        Args:
            article_id: Article to keep back.
            warehouse_id: Where.
            quantity: How many cases.
            customer: Name of the business that it is for.
        """
        article, place = self.articles.require(article_id), self._managed(warehouse_id)
        name = rules.customer_named(customer, self.customers.values())
        self._shelves().check_available(article, place, quantity)
        rules.check_holds(name, self.holds.values())
        hold = rec.StockHold(
            id=self.new_id("HOLD"), article_id=article.id, article_name=article.name, warehouse_id=place.id,
            city=place.city, customer=name, quantity=quantity,
        )  # fmt: skip
        return self.holds.insert(hold)

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
        self, status: rec.HoldStatus | None = None, customer: rec.Customer | None = None, page: PageNumber = 1
    ) -> rec.HoldPage:
        """List holds, by customer.

        Args:
            status: Only holds that stand like this.
            customer: Only holds for the business of this name.
            page: Page of the results, five holds each.
        """
        holds = [hold for hold in self.holds.values() if status in (None, hold.status)]
        found = [hold for hold in holds if rules.is_for(hold, customer)]
        found.sort(key=lambda hold: (hold.customer, hold.id))
        return rec.HoldPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "pick {hold_id}",
            "have {hold_id} picked and sent out",
            "send out {hold_id}",
            "fulfil {hold_id}",
        ),
        reply=("Picked: {quantity} of {article_name}, taken from lots as they expire; {left} are left there.",),
        where=relations.HELD,
    )
    def pick_hold(self, hold_id: rec.HoldId) -> rec.Movement:
        """Send out what is held, from the good lots that expire first.

        Args:
            hold_id: Hold to pick.
        """
        hold = standing(self.holds.require(hold_id), ("open",), "picked")
        self._managed(hold.warehouse_id)
        self.holds.replace(hold.evolve(status="picked"))
        return self._shelves().picked(hold)

    @tool(
        writes=True,
        ask=(
            "release {hold_id}",
            "lift {hold_id}",
            "let go of {hold_id}",
            "cancel {hold_id} so that the cases can be sold",
        ),
        reply=("The hold for {customer} is released: {quantity} of {article_name} can be sold again.",),
        where=relations.HELD,
    )
    def release_hold(self, hold_id: rec.HoldId) -> rec.StockHold:
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
        where=relations.MOVING,
    )
    def transfer_stock(
        self, article_id: rec.ArticleId, warehouse_id: rec.WarehouseId, target_id: rec.WarehouseId,
        quantity: rec.Quantity,
    ) -> rec.Movement:  # fmt: skip
        """Move available cases from a warehouse that the clerk manages to another one with room for them.

        Args:
            article_id: What to move.
            warehouse_id: Where it is taken from.
            target_id: Warehouse that it goes to.
            quantity: How many cases.
        """
        article, source = self.articles.require(article_id), self._managed(warehouse_id)
        target = self.warehouses.require(target_id)
        rules.check_two(source, target)
        shelves = self._shelves()
        shelves.check_available(article, source, quantity)
        shelves.check_room(target, quantity)
        taken = shelves.withdraw(article.id, source.id, quantity)
        for lot, cases in taken:
            shelves.put(rules.new_lot(self.new_id("LOT"), article, target, lot.code, cases, lot.expires_on))
        return shelves.moved(taken)

    @tool(
        writes=True,
        ask=(
            "order {quantity} of {article_id} for {warehouse_id}",
            "buy {quantity} of {article_id} from the supplier for {warehouse_id}",
            "restock {warehouse_id} with {quantity} of {article_id}",
            "place a supplier order for {quantity} of {article_id}, to be delivered to {warehouse_id}",
        ),
        reply=("Ordered of {supplier}: {quantity} of {article_name} for {total}, expected on {expected_on}.",),
        where=relations.ORDERING,
    )
    def order_stock(
        self, article_id: rec.ArticleId, warehouse_id: rec.WarehouseId, quantity: rec.Quantity
    ) -> rec.SupplierOrder:
        """Order an article of its supplier for a warehouse that the clerk manages, 20 cases at least.

        Args:
            article_id: What to order.
            warehouse_id: Warehouse that it goes to.
            quantity: How many cases.
        """
        article, place = self.articles.require(article_id), self._managed(warehouse_id)
        order = rules.ordered(self.new_id("SO"), article, place, quantity, self.now.date())
        return self.orders.insert(order)

    @tool(
        ask=(
            "list our[ {status}] supplier orders[ for {article_id}]",
            "show me which[ {status}] orders we have with suppliers[ for {article_id}]",
            "check the[ {status}] supplier orders[ for {article_id}]",
            "go through our[ {status}] orders with suppliers[ for {article_id}]",
        ),
        noun="[{status} ]supplier order[ for {article_id}]",
        reply=("These are the orders: {orders}. What has yet to come in costs {due}.", "There is no such order."),
        where=relations.ORDERS,
    )
    def list_orders(
        self, status: rec.OrderStatus | None = None, article_id: rec.ArticleId | None = None, page: PageNumber = 1
    ) -> rec.OrderPage:
        """List supplier orders, the one expected first on top.

        Args:
            status: Only orders that stand like this.
            article_id: Only orders of this article.
            page: Page of the results, five orders each.
        """
        found = self._of(article_id, self.orders, status=status)
        found.sort(key=lambda order: (order.expected_on, order.id))
        return rec.OrderPage.of(found, page, due=rules.due(found))

    @tool(
        writes=True,
        ask=(
            "book in {quantity} from {order_id}",
            "record that {quantity} of {order_id} have come",
            "receive {quantity} on {order_id}",
            "put {quantity} that came with {order_id} on the shelf",
        ),
        reply=("Received so far: {received} of {article_name}; still to come: {outstanding}.",),
        where=relations.RECEIVING,
    )
    def receive_order(self, order_id: rec.OrderId, quantity: rec.Quantity) -> rec.SupplierOrder:
        """Book cases of a supplier order in, as a new lot; an order may come in parts.

        Args:
            order_id: Order that they belong to.
            quantity: How many have come.
        """
        order = standing(self.orders.require(order_id), rules.TO_COME, "received")
        place, article = self._managed(order.warehouse_id), self.articles.require(order.article_id)
        booked = rules.received(order, quantity)
        shelves = self._shelves()
        shelves.check_room(place, quantity)
        code, keeps = self.new_id("R").replace("-", ""), rules.keeps_until(article, self.now.date())
        shelves.put(rules.new_lot(self.new_id("LOT"), article, place, code, quantity, keeps))
        return self.orders.replace(booked)

    @tool(
        writes=True,
        ask=(
            "cancel {order_id}",
            "call off {order_id}",
            "tell the supplier that we do not need {order_id}",
            "withdraw {order_id}",
        ),
        reply=("The order of {quantity} of {article_name} is cancelled; {total} is saved.",),
        where=relations.CANCELLING,
    )
    def cancel_order(self, order_id: rec.OrderId) -> rec.SupplierOrder:
        """Cancel a supplier order of which nothing has come yet.

        Args:
            order_id: Order to cancel.
        """
        order = standing(self.orders.require(order_id), ("open",), "cancelled")
        self._managed(order.warehouse_id)
        return self.orders.replace(order.evolve(status="cancelled", outstanding=0))

    def _shelves(self) -> Shelves:
        return Shelves(self.now.date(), self.articles, self.lots, self.holds)

    def _managed(self, warehouse_id: str) -> rec.Warehouse:
        return rules.managed(self.warehouses.require(warehouse_id))

    def _of(self, article_id: str | None, table: Table[R], **fields: str | None) -> list[R]:
        """The records of an article, if one is named, that have these values, where any are named."""
        if article_id is not None:
            fields["article_id"] = self.articles.require(article_id).id
        named = {field: value for field, value in fields.items() if value is not None}
        return [record for record in table.values() if all(getattr(record, f) == value for f, value in named.items())]

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Articles plentiful, scarce and spoilt, holds and supplier orders in every state."""
        return cls.model_validate(warehouses(world, size))
