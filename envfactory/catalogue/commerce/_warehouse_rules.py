"""Rules of the warehouses that need no more than the rows they speak of: who may book, and what is held and ordered."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.commerce._warehouse_records import (
    Article,
    BusinessCustomer,
    OrderStatus,
    StockHold,
    StockLot,
    SupplierOrder,
    Warehouse,
)
from envfactory.environment import ToolError, cents

LEAST_ORDER = 20
DISCOUNTS = ((250, 10), (100, 5))
"""From how many cases on a supplier takes how many percent off."""
DELIVERY_DAYS = 7
MOST_HOLDS = 6
TO_COME: tuple[OrderStatus, ...] = ("open", "part_received")
"""Conditions of orders of which cases are still to come."""


def managed(place: Warehouse) -> Warehouse:
    """A warehouse in which the signed-in clerk may book."""
    if not place.managed:
        raise ToolError("permission_denied", f"You do not manage the {place.city} warehouse.")
    return place


def is_expired(lot: StockLot, today: dt.date) -> bool:
    """Whether the lot is past its last good day."""
    return lot.expires_on is not None and lot.expires_on < today


def by_date(lot: StockLot) -> tuple[dt.date, str]:
    """What lots are sorted by: those that expire first on top, those that do not spoil last."""
    return lot.expires_on or dt.date.max, lot.id


def expires_within(lot: StockLot, days: int | None, today: dt.date) -> bool:
    """Whether a lot expires within so many days, or has expired; any lot if no number is given."""
    return days is None or (lot.expires_on is not None and lot.expires_on <= today + dt.timedelta(days=days))


def is_called(article: Article, name: str | None) -> bool:
    """Whether the name of an article contains this, if anything is given."""
    return name is None or name.casefold() in article.name.casefold()


def keeps_until(article: Article, today: dt.date) -> dt.date | None:
    """The last good day of what comes in today, if it spoils."""
    return None if article.shelf_days is None else today + dt.timedelta(days=article.shelf_days)


def new_lot(
    key: str, article: Article, place: Warehouse, code: str, quantity: int, expires_on: dt.date | None
) -> StockLot:
    """Cases of an article that come into a warehouse together."""
    return StockLot(
        id=key, code=code, article_id=article.id, article_name=article.name, warehouse_id=place.id, city=place.city,
        quantity=quantity, expires_on=expires_on,
    )  # fmt: skip


def customer_named(name: str, customers: Iterable[BusinessCustomer]) -> str:
    """The name of a customer, as it is written."""
    for customer in customers:
        if customer.name.casefold() == name.casefold():
            return customer.name
    raise ToolError("not_found", f"There is no customer called {name!r}.")


def check_holds(customer: str, holds: Iterable[StockHold]) -> None:
    """Refuse one more open hold than a customer may have."""
    count = sum((hold.customer, hold.status) == (customer, "open") for hold in holds)
    if count >= MOST_HOLDS:
        raise ToolError("limit_exceeded", f"{customer} has {count} open holds, and more is not possible.")


def is_for(hold: StockHold, customer: str | None) -> bool:
    """Whether a hold is for the business of this name, however it is written; any hold if no name is given."""
    return customer is None or hold.customer.casefold() == customer.casefold()


def check_two(source: Warehouse, target: Warehouse) -> None:
    """Refuse to move stock from a warehouse to itself."""
    if source.id == target.id:
        raise ToolError("invalid_argument", "Name two different warehouses.")


def order_total(unit_price: float, quantity: int) -> float:
    """What an order costs, discount taken off."""
    percent = next((off for cases, off in DISCOUNTS if quantity >= cases), 0)
    return cents(unit_price * quantity * (100 - percent) / 100)


def ordered(key: str, article: Article, place: Warehouse, quantity: int, today: dt.date) -> SupplierOrder:
    """The order of an article, of which nothing has come yet."""
    if quantity < LEAST_ORDER:
        raise ToolError("invalid_argument", f"{article.supplier} takes orders from {LEAST_ORDER} cases on.")
    return SupplierOrder(
        id=key, article_id=article.id, article_name=article.name, supplier=article.supplier, warehouse_id=place.id,
        city=place.city, quantity=quantity, outstanding=quantity, total=order_total(article.unit_price, quantity),
        expected_on=today + dt.timedelta(days=DELIVERY_DAYS),
    )  # fmt: skip


def received(order: SupplierOrder, quantity: int) -> SupplierOrder:
    """The order after some more of it have come."""
    if quantity > order.outstanding:
        raise ToolError("limit_exceeded", f"{order.outstanding} cases are still to come, not {quantity}.")
    left = order.outstanding - quantity
    status = "part_received" if left else "received"
    return order.evolve(received=order.received + quantity, outstanding=left, status=status)


def due(orders: Iterable[SupplierOrder]) -> float:
    """What those orders cost of which cases are still to come."""
    return cents(sum(order.total for order in orders if order.status in TO_COME))
