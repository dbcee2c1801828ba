"""A small environment in which every property holds, and others that each break one."""

from __future__ import annotations

import datetime as dt
import sys
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, WithJsonSchema

from envfactory.environment import (
    Environment,
    FreeText,
    Having,
    Money,
    Output,
    Page,
    Record,
    Ref,
    Table,
    ToolError,
    World,
    cents,
    tool,
)

Colour = Literal["red", "green", "blue"]
ItemId = Annotated[str, Ref("Item")]
OrderId = Annotated[str, Ref("Order")]
Quantity = Annotated[int, Field(ge=1, le=5)]
Note = Annotated[str, FreeText(("for Ada", "not on Sundays"))]


class Item(Record, noun="item", label="{name}"):
    id: ItemId
    name: str
    colour: Colour
    price: Money


class Order(Record, noun="order", label="the order of {item_id}"):
    id: OrderId
    item_id: ItemId
    quantity: Quantity
    day: dt.date
    total: Money
    status: Literal["placed", "cancelled"] = "placed"
    note: Annotated[str | None, FreeText()] = None
    bonus: Annotated[int, Field(exclude=True)] = 0


class Items(Page):
    items: tuple[Item, ...]


class Told(Output):
    text: str


class Odd(Output):
    text: Annotated[str, WithJsonSchema({"type": "integer"})]


class Odder(Output):
    text: Annotated[str, WithJsonSchema({"type": "money"})]


class Shop(Environment):
    """Look for items, order them, and cancel orders."""

    domain = "test"
    policy = "None."
    sources = ("none",)

    items: Table[Item]
    orders: Table[Order]

    @tool(ask=("find {colour} items[ under {max_price}]",), reply=("I found {total}.",))
    def search(
        self,
        colour: Colour,
        max_price: Annotated[Money, Field(gt=0)] | None = None,
        page: Annotated[int, Field(ge=1)] = 1,
    ) -> Items:
        """Search the items of a colour."""
        found = [i for i in self.items.values() if i.colour == colour and i.price <= (max_price or i.price)]
        return Items.of(found, page, 4)

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Told:
        """Count the orders."""
        return Told(text=f"{len(self.orders)} orders")

    @tool(ask=("show {order_id}",), reply=("It is {status}.",))
    def show(self, order_id: OrderId) -> Order:
        """Show an order."""
        return self.orders.require(order_id)

    @tool(writes=True, ask=("order {item_id}[, {quantity} of it][ {note}]",), reply=("That is {total}.",))
    def order(self, item_id: ItemId, day: dt.date, quantity: Quantity = 1, note: Note | None = None) -> Order:
        """Order an item."""
        return self._ordered(self.items.require(item_id), day, quantity, note=note)

    @tool(
        writes=True,
        ask=("cancel {order_id}",),
        reply=("It is cancelled.",),
        where=(Having(parameter="order_id", field="status", among=("placed",)),),
    )
    def cancel(self, order_id: OrderId) -> Order:
        """Cancel an order."""
        order = self.orders.require(order_id)
        if order.status == "cancelled":
            raise ToolError("precondition_failed", "The order is cancelled already.")
        return self.orders.replace(order.evolve(status="cancelled"))

    def _ordered(self, item: Item, day: dt.date, quantity: int, **more: Any) -> Order:
        if day < self.now.date():
            raise ToolError("invalid_argument", f"{day} is past.")
        values: dict[str, Any] = {"id": self.new_id("O"), "total": cents(item.price * quantity), **more}
        return self.orders.insert(Order(item_id=item.id, day=day, quantity=quantity, **values))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        items = [
            Item(
                id=f"I-{n + 1}",
                name=f"{world.choice(('big', 'small'))} {world.choice(('cup', 'bowl', 'plate'))}",
                colour=("red", "green", "blue")[n % 3],
                price=world.money(2, 30),
            )
            for n in range(size)
        ]
        orders = [
            Order(id=f"O-{n + 1}", item_id=world.choice(items).id, quantity=1, day=world.date(1, 9), total=9)
            for n in range(size // 2)
        ]
        return cls.model_validate(
            {"now": world.now, "items": {i.id: i for i in items}, "orders": {o.id: o for o in orders}}
        )


class OddOutput(Shop):
    """Results are not what their schema says."""

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Odd:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Count the orders."""
        return Odd(text=f"{len(self.orders)} orders")


class OddType(Shop):
    """A type that JSON Schema does not have."""

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Odder:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Count the orders."""
        return Odder(text=f"{len(self.orders)} orders")


class Dangling(Shop):
    """Orders of items that do not exist."""

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        shop = super().scenario(world, size).fork()
        if size > 100:
            shop.orders.insert(Order(id="O-0", item_id="I-0", quantity=1, day=world.today, total=9))
        return shop


class Cramped(Shop):
    """Scenarios that do not grow."""

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        return super().scenario(world, 20)


class Refusing(Shop):
    """A tool that never does what it is asked."""

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Told:
        """Count the orders."""
        raise ToolError("precondition_failed", "Not today.")


class Stumbling(Shop):
    """A tool that fails with a bug once there are cancelled orders."""

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Told:
        """Count the orders."""
        return Told(text=str(1 // all(order.status == "placed" for order in self.orders.values())))


class WritingRead(Shop):
    """A read that tries to write in a session that has written."""

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Told:
        """Count the orders."""
        if "O-1001" in self.orders:
            self.orders.delete("O-1001")
        return Told(text=f"{len(self.orders)} orders")


class SlyRead(Shop):
    """A read that goes round the seal in a session that has written."""

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Told:
        """Count the orders."""
        if "O-1001" in self.orders:
            object.__setattr__(self, "counters", {**self.counters, "read": self.counters.get("read", 0) + 1})
        return Told(text=f"{len(self.orders)} orders")


class HalfDone(Shop):
    """A refusal that has changed a record already."""

    @tool(
        writes=True,
        ask=("cancel {order_id}",),
        reply=("It is cancelled.",),
        where=(Having(parameter="order_id", field="status", among=("placed",)),),
    )
    def cancel(self, order_id: OrderId) -> Order:
        """Cancel an order."""
        order = self.orders.require(order_id)
        if order_id not in ("O-1001", "O-1002", "O-1003"):
            return super().cancel(order_id)
        object.__setattr__(order, "note", "asked to cancel")
        raise ToolError("precondition_failed", "It is packed already.")


class Lenient(Shop):
    """A number may be text."""

    @tool(writes=True, ask=("order {item_id}[, {quantity} of it][ {note}]",), reply=("That is {total}.",))
    def order(
        self,
        item_id: ItemId,
        day: dt.date,
        quantity: Annotated[int, Field(ge=1, le=5, strict=False)] = 1,
        note: Note | None = None,
    ) -> Order:
        """Order an item."""
        return super().order(item_id, day, quantity, note)


class HashOrdered(Shop):
    """The order of a set."""

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Told:
        """Name the items."""
        return Told(text=", ".join({item.name for item in self.items.values()}))


class Gossiping(Shop):
    """A cache that all sessions share."""

    seen: ClassVar[dict[str, Item]] = {}

    @tool(ask=("look at {item_id}",), reply=("It is {colour}.",))
    def look(self, item_id: ItemId) -> Item:
        """Look at an item."""
        return self.seen.setdefault(item_id, self.items.require(item_id))


class Forgetful(Shop):
    """Part of the state is not in the document."""

    @tool(writes=True, ask=("order {item_id}[, {quantity} of it][ {note}]",), reply=("That is {total}.",))
    def order(self, item_id: ItemId, day: dt.date, quantity: Quantity = 1, note: Note | None = None) -> Order:
        """Order an item."""
        return self._ordered(self.items.require(item_id), day, quantity, note=note, bonus=quantity)

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Told:
        """Count the bonus."""
        return Told(text=f"{sum(order.bonus for order in self.orders.values())} points")


class PlaceAware(Shop):
    """A tool that looks where it runs."""

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Told:
        """Count the orders."""
        return Told(text=f"{len(self.orders)} orders, {sys.argv[0].endswith('worker.py')}")


class Deaf(Shop):
    """An argument without effect."""

    @tool(writes=True, ask=("order {item_id}[, {quantity} of it][ {note}]",), reply=("That is {total}.",))
    def order(
        self, item_id: ItemId, day: dt.date, quantity: Quantity = 1, note: Note | None = None, gift: bool = False
    ) -> Order:
        """Order an item."""
        return super().order(item_id, day, quantity, note)


class Echoing(Shop):
    """An argument that is only repeated."""

    @tool(ask=("sum up[ {note}]",), reply=("{text}",))
    def sum_up(self, note: Note = "for nobody") -> Told:
        """Count the orders."""
        return Told(text=f"{len(self.orders)} orders {note}")


class Obliging(Shop):
    """Ids as the caller likes them."""

    @tool(writes=True, ask=("order {item_id}[, {quantity} of it][ {note}]",), reply=("That is {total}.",))
    def order(
        self,
        item_id: ItemId,
        day: dt.date,
        quantity: Quantity = 1,
        note: Note | None = None,
        reference: Annotated[str, FreeText(("mine", "yours"))] | None = None,
    ) -> Order:
        """Order an item."""
        if reference in self.orders:
            raise ToolError("conflict", "There is such an order.")
        more = {"id": reference} if reference else {}
        return self._ordered(self.items.require(item_id), day, quantity, note=note, **more)


class Trusting(Shop):
    """An id that nobody looks up."""

    @tool(writes=True, ask=("order {item_id}[, {quantity} of it][ {note}]",), reply=("That is {total}.",))
    def order(self, item_id: ItemId, day: dt.date, quantity: Quantity = 1, note: Note | None = None) -> Order:
        """Order an item."""
        item = self.items.get(item_id) or Item(id=item_id, name="a wish", colour="red", price=1)
        return self._ordered(item, day, quantity, note=note)


class Lost(Shop):
    """No scenario."""

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        raise LookupError("nothing there")
