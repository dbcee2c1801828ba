"""Rules of the warehouses that need nothing but the rows: what is good, held, how much fits, what an order costs."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.commerce._warehouse_records import StockHold, StockLot, Warehouse
from envfactory.environment import cents

LEAST_ORDER = 20
DISCOUNTS = ((250, 10), (100, 5))
"""From how many cases on a supplier takes how many percent off."""


def order_total(unit_price: float, quantity: int) -> float:
    """What an order costs, discount taken off."""
    percent = next((off for cases, off in DISCOUNTS if quantity >= cases), 0)
    return cents(unit_price * quantity * (100 - percent) / 100)


def is_expired(lot: StockLot, today: dt.date) -> bool:
    """Whether the lot is past its last good day."""
    return lot.expires_on is not None and lot.expires_on < today


def lots_of(lots: Iterable[StockLot], article_id: str, warehouse_id: str) -> list[StockLot]:
    """Lots of an article in a warehouse, those that expire first on top."""
    here = [lot for lot in lots if (lot.article_id, lot.warehouse_id) == (article_id, warehouse_id)]
    return sorted(here, key=lambda lot: (lot.expires_on or dt.date.max, lot.id))


def good_in(lots: Iterable[StockLot], article_id: str, warehouse_id: str, today: dt.date) -> int:
    """Cases of an article in a warehouse that are not past their date."""
    return sum(lot.quantity for lot in lots_of(lots, article_id, warehouse_id) if not is_expired(lot, today))


def picks(
    lots: Iterable[StockLot], article_id: str, warehouse_id: str, quantity: int, today: dt.date
) -> list[tuple[StockLot, int]]:
    """Good lots that cases are taken from, those that expire first, and how many come of each."""
    found: list[tuple[StockLot, int]] = []
    for lot in lots_of(lots, article_id, warehouse_id):
        cases = 0 if is_expired(lot, today) else min(lot.quantity, quantity)
        if cases:
            found.append((lot, cases))
            quantity -= cases
    return found


def held_of(holds: Iterable[StockHold], article_id: str, warehouse_id: str) -> int:
    """Cases of an article that open holds keep back in a warehouse."""
    return sum(
        hold.quantity
        for hold in holds
        if (hold.article_id, hold.warehouse_id, hold.status) == (article_id, warehouse_id, "open")
    )


def room_in(place: Warehouse, lots: Iterable[StockLot]) -> int:
    """How many more cases fit."""
    return place.capacity - sum(lot.quantity for lot in lots if lot.warehouse_id == place.id)
