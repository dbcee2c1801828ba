"""Rules of the warehouses that need no more than the rows they speak of: who may book, and what can be ordered."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.commerce._warehouse_records import (
    Article,
    BusinessCustomer,
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


def managed(place: Warehouse) -> Warehouse:
    """A warehouse in which the signed-in clerk may book."""
    if not place.managed:
        raise ToolError("permission_denied", f"You do not manage the {place.city} warehouse.")
    return place


def is_expired(lot: StockLot, today: dt.date) -> bool:
    """Whether the lot is past its last good day."""
    return lot.expires_on is not None and lot.expires_on < today


def expires_by(lot: StockLot, last: dt.date | None) -> bool:
    """Whether a lot expires by a day, if one is given."""
    return last is None or (lot.expires_on is not None and lot.expires_on <= last)


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
