"""The warehouses of a scenario: articles plentiful, scarce and spoilt, holds and supplier orders in every state."""

import datetime as dt
from typing import Any

from envfactory.catalogue.commerce._warehouse_records import (
    Article,
    BusinessCustomer,
    Category,
    Clerk,
    HoldStatus,
    OrderStatus,
    StockHold,
    StockLot,
    SupplierOrder,
    Warehouse,
    WriteOff,
)
from envfactory.catalogue.commerce._warehouse_rules import is_expired, order_total
from envfactory.environment import World, by_id

_GOODS: tuple[tuple[str, Category, int], ...] = (
    ("oat flour", "food", 180), ("olive oil", "food", 400), ("dish soap", "cleaning", 0),
    ("apple juice", "drinks", 120), ("moving boxes", "packaging", 0), ("rye crackers", "food", 90),
    ("oat milk", "drinks", 60), ("floor cleaner", "cleaning", 0), ("bubble wrap", "packaging", 0),
    ("green tea", "drinks", 300), ("tomato paste", "food", 240), ("sponges", "cleaning", 0),
    ("ginger beer", "drinks", 200), ("paper tape", "packaging", 0), ("red lentils", "food", 365),
    ("glass spray", "cleaning", 0),
)  # fmt: skip
"""Name, kind, and how many days it keeps (0: it does not spoil)."""
_SUPPLIERS = ("Northfield Supply", "Brightwater Foods", "Halden Wholesale", "Kestrel Trading")
_CUSTOMERS = ("Cafe Linden", "Hotel Miramar", "Riverside School", "Corner Grocers", "Atlas Gym")
_HOLDS: tuple[HoldStatus, ...] = ("open", "open", "picked", "open", "released")
_ORDERS: tuple[OrderStatus, ...] = ("open", "part_received", "received", "open", "cancelled")


def warehouses(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    clerk = Clerk(id="CL-1", name=world.user.name, email=world.user.email)
    places = [
        Warehouse(id=f"WH-{11 + n}", city=city, capacity=0, managed=n < 2)
        for n, (city, _) in enumerate(world.cities[:4])
    ]
    articles: list[Article] = []
    for n in range(min(len(_GOODS), max(10, size // 4))):
        name, category, shelf = _GOODS[n]
        articles.append(
            Article(
                id=f"ART-{101 + n}", name=name, category=category, supplier=_SUPPLIERS[n % 4],
                unit_price=world.money(1, 9, 0.5), reorder_point=world.integer(3, 8) * 10, shelf_days=shelf or None,
                stocked_at=tuple(place.id for place in (places[n % 2], *world.sample(places[2:], 1))),
            )
        )  # fmt: skip
    lots: list[StockLot] = []
    for n in range(max(24, size // 2)):
        article = articles[n % len(articles)]
        if article == articles[-1]:
            continue  # sold out
        place = next(p for p in places if p.id == article.stocked_at[n // len(articles) % 2])
        keeps = world.date(-12, -1) if n % 8 == 5 else world.date(8, article.shelf_days or 150)
        lots.append(
            StockLot(
                id=f"LOT-{301 + n}", code=f"{world.choice('ABCDEFGH')}{2100 + n * 37 + world.integer(0, 30)}",
                article_id=article.id, article_name=article.name, warehouse_id=place.id, city=place.city,
                quantity=world.integer(2, 6) if n % 9 == 4 else world.integer(30, 90),
                expires_on=keeps if article.shelf_days else None,
            )
        )  # fmt: skip
    for n, place in enumerate(places):  # the last is all but full
        used = sum(lot.quantity for lot in lots if lot.warehouse_id == place.id)
        places[n] = place.evolve(capacity=used // 100 * 100 + (1000 if n < 3 else 110))
    holds: list[StockHold] = []
    waiting = 0  # open holds of the first customer, who may have no more
    managed = {place.id: place.managed for place in places}
    ours, theirs = (iter([lot for lot in lots if managed[lot.warehouse_id] is mine]) for mine in (True, False))
    for n in range(max(14, size // 4)):
        lot = next(theirs if n % 5 == 3 else ours)
        status = "released" if is_expired(lot, world.today) or lot.quantity <= 20 else _HOLDS[n % 5]
        first = status == "open" and waiting < 6
        waiting += first
        holds.append(
            StockHold(
                id=f"HOLD-{501 + n}", article_id=lot.article_id, article_name=lot.article_name,
                warehouse_id=lot.warehouse_id, city=lot.city, customer=_CUSTOMERS[0 if first else 1 + n % 4],
                quantity=world.integer(1, 3) * 5, status=status,
            )
        )  # fmt: skip
    gone = [
        WriteOff(
            id=f"WO-{801 + n}", article_id=lot.article_id, article_name=lot.article_name, lot_code=lot.code,
            city=lot.city, quantity=world.integer(1, 5), reason=("damaged", "lost")[n % 2],
            written_on=world.date(-30, -1), left=world.integer(20, 60),
        )
        for n, lot in enumerate(lots[2:5])
    ]  # fmt: skip
    orders = [_order(world, n, articles[n % len(articles)], places[n % 2]) for n in range(max(10, size // 6))]
    return {
        "now": world.now,
        "clerk_id": clerk.id,
        "clerks": by_id([clerk]),
        "warehouses": by_id(places),
        "articles": by_id(articles),
        "lots": by_id(lots),
        "customers": by_id([BusinessCustomer(id=f"BC-{201 + n}", name=name) for n, name in enumerate(_CUSTOMERS)]),
        "holds": by_id(holds),
        "orders": by_id(orders),
        "write_offs": by_id(gone),
    }


def _order(world: World, number: int, article: Article, place: Warehouse) -> SupplierOrder:
    status, quantity = _ORDERS[number % 5], world.integer(4, 12) * 10
    late = number % 10 == 3  # an open one that should have come
    received = {"part_received": quantity // 2, "received": quantity}.get(status, 0)
    return SupplierOrder(
        id=f"SO-{701 + number}", article_id=article.id, article_name=article.name, supplier=article.supplier,
        warehouse_id=place.id, city=place.city, quantity=quantity, received=received,
        outstanding=0 if status == "cancelled" else quantity - received,
        total=order_total(article.unit_price, quantity),
        expected_on=world.today + dt.timedelta(world.integer(-10, -2) if received or late else world.integer(1, 9)),
        status=status,
    )  # fmt: skip
