"""A workshop's stock: an environment of which it is known which arguments matter.

`kind`, `quantity`, `part_id`, `order_id` and `priority` decide what is found, kept or told. `unit`, `remarks` and
`language` change only words that nobody uses; `channel` and `gift` change nothing at all.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.environment import (
    Environment,
    InProcess,
    Money,
    Output,
    Ranked,
    Record,
    Ref,
    Table,
    Within,
    World,
    tool,
)

PartId = Annotated[str, Ref("Part")]
OrderId = Annotated[str, Ref("PartOrder")]
Kind = Literal["bolt", "gear", "spring", "belt"]
KINDS: tuple[Kind, ...] = ("bolt", "gear", "spring", "belt")
INERT = {
    "find_parts": {"unit", "remarks", "language"},
    "get_part": {"unit", "language"},
    "order_part": {"channel", "gift"},
    "get_order": {"language"},
}
"""Arguments that change nothing that is used, by tool."""


class Part(Record, noun="part", label="{name}"):
    id: PartId
    name: str
    kind: Kind
    price: Annotated[Money, Ranked("cheapest", "dearest")]
    length: int


class PartOrder(Record, noun="order", label="order {id}"):
    id: OrderId
    part_id: PartId
    quantity: int
    priority: Literal["low", "high"]


class FoundPart(Output, label="{name}"):
    id: PartId
    name: str
    price: Annotated[Money, Ranked("cheapest", "dearest")]
    size: str
    remark: str


class FoundParts(Output):
    parts: tuple[FoundPart, ...]
    total: int


class FoundOrder(Output):
    id: OrderId
    part_name: str
    quantity: int
    priority: Literal["low", "high"]
    heading: str


def _size(length: int, unit: str) -> str:
    return f"{length} mm" if unit == "metric" else f"{length / 25.4:.2f} in"


class Workshop(Environment):
    """Parts of a workshop, and orders of them."""

    domain = "commerce"
    policy = "Order what is asked for."
    sources = ("made up",)

    parts: Table[Part]
    orders: Table[PartOrder]

    @tool(ask=("find me a {kind}",), reply=("I found {total} parts.",))
    def find_parts(
        self,
        kind: Kind,
        unit: Literal["metric", "imperial"] = "metric",
        remarks: bool = False,
        language: Literal["en", "de", "fr"] = "en",
    ) -> FoundParts:
        """Find parts.

        Args:
            kind: What it is.
            unit: In which sizes are given.
            remarks: With remarks.
            language: Of the remarks.
        """
        found = [part for part in self.parts.values() if part.kind == kind]
        parts = tuple(
            FoundPart(id=part.id, name=part.name, price=part.price, size=_size(part.length, unit),
                      remark=f"{language}: {part.name}" if remarks else "")
            for part in found
        )  # fmt: skip
        return FoundParts(parts=parts, total=len(parts))

    @tool(ask=("show me {part_id}",), reply=("{name} costs {price}.",))
    def get_part(
        self,
        part_id: PartId,
        unit: Literal["metric", "imperial"] = "metric",
        language: Literal["en", "de", "fr"] = "en",
    ) -> FoundPart:
        """Show a part.

        Args:
            part_id: Which.
            unit: In which the size is given.
            language: Of the remark.
        """
        part = self.parts.require(part_id)
        return FoundPart(id=part.id, name=part.name, price=part.price, size=_size(part.length, unit), remark=language)

    @tool(
        writes=True, ask=("order {quantity} of {part_id}[, {priority}]",), reply=("{quantity} pieces are ordered.",),
        where=(Within(parameter="quantity", low=1, high=40),),
    )  # fmt: skip
    def order_part(
        self,
        part_id: PartId,
        quantity: Annotated[int, Field(ge=1, le=40)],
        priority: Literal["low", "high"] = "low",
        channel: Literal["web", "phone", "desk"] = "web",
        gift: bool = False,
    ) -> PartOrder:
        """Order parts.

        Args:
            part_id: Which.
            quantity: How many.
            priority: How soon.
            channel: How the order comes in.
            gift: Nothing is made of it.
        """
        self.parts.require(part_id)
        assert channel
        assert gift in (True, False)
        order = PartOrder(id=self.new_id("PO"), part_id=part_id, quantity=quantity, priority=priority)
        return self.orders.insert(order)

    @tool(ask=("show me {order_id}",), reply=("It is {quantity} of {part_name}, priority {priority}.",))
    def get_order(self, order_id: OrderId, language: Literal["en", "de", "fr"] = "en") -> FoundOrder:
        """Show an order.

        Args:
            order_id: Which.
            language: Of the heading.
        """
        order = self.orders.require(order_id)
        return FoundOrder(
            id=order.id, part_name=self.parts.require(order.part_id).name, quantity=order.quantity,
            priority=order.priority, heading=language,
        )  # fmt: skip

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Some parts of each kind."""
        parts = [
            Part(
                id=f"PT-{number}", name=f"{KINDS[number % 4]} {number}", kind=KINDS[number % 4],
                price=float(world.integer(1, 90)), length=world.integer(5, 400),
            )
            for number in range(size)
        ]  # fmt: skip
        return cls(now=world.now, parts=Table({part.id: part for part in parts}), orders=Table())


def workshop() -> InProcess:
    return InProcess({"workshop": Workshop})
