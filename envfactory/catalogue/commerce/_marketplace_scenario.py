"""The marketplace of a scenario: who sells what, and what its customers have ordered so far."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from envfactory.catalogue.commerce._marketplace_records import (
    Address,
    Coupon,
    Customer,
    Delivery,
    Item,
    Message,
    Order,
    Product,
    Rating,
    Reason,
    Return,
    Seller,
    Status,
)
from envfactory.catalogue.commerce._marketplace_rules import new_order
from envfactory.environment import World, by_id, cents

_KINDS = {
    "desk lamp": (24, 90), "backpack": (30, 120), "water bottle": (12, 35), "wireless speaker": (35, 160),
    "frying pan": (20, 80), "yoga mat": (18, 60), "travel mug": (12, 30), "keyboard": (30, 150),
    "wool blanket": (35, 110),
}  # fmt: skip
_BRANDS = (
    "Nordhem", "Kestrel", "Luma", "Fjord & Field", "Tamarin", "Oakwell", "Brightside", "Caldera", "Pinecrest", "Solvik",
    "Marlowe", "Juniper", "Halden", "Ostra", "Veldt", "Quillon", "Riverton", "Zephyr",
)  # fmt: skip
_SHOPS = ("Trading Post", "Supply Co", "Goods", "Outfitters", "Corner Shop", "Warehouse", "Bazaar")
_CODES = (
    "WELCOME10", "SPRING15", "HELLO5", "GREEN8", "WEEKEND12", "THANKS6", "HOME20", "BIGCART25", "WINTER30", "FLASH40",
)  # fmt: skip
_MINE = ("home", "work", "weekend", "studio", "summer", "family")
_OTHERS = (
    "office", "workshop", "shop", "school", "gallery", "club", "parents'", "flat", "store", "cottage", "gym", "holiday",
)  # fmt: skip
_STAGES: tuple[tuple[Status, int, int], ...] = (
    ("placed", 1, 1), ("packed", 3, 1), ("shipped", 5, 1), ("delivered", 12, 5), ("delivered", 22, 2),
    ("delivered", 45, 6), ("cancelled", 26, 4), ("returned", 34, 5),
)  # fmt: skip
"""Where orders stand and how many days ago they were placed, within a spread; the sixth can no longer be returned.

None is of today, so that a new order is the only one of its day."""


def market(world: World, size: int) -> dict[str, Any]:
    """The fields of the state: clock, signed-in customer, and every table."""
    sellers = [_seller(world, n) for n in range(max(4, size // 10))]
    products = _products(world, sellers, max(14, size * 2 // 5))
    people = [world.user, *world.people(max(4, size // 10))]
    customers = [Customer(id=f"C-{21 + n}", name=p.name, email=p.email) for n, p in enumerate(people)]
    user, *others = customers
    addresses = [_address(world, n, user, nickname) for n, nickname in enumerate(_MINE)]
    addresses += [
        _address(world, len(_MINE) + n, other, _OTHERS[n % len(_OTHERS)]) for n, other in enumerate(others * 2)
    ]
    coupons = [_coupon(world, code, n) for n, code in enumerate(_CODES)]
    orders: list[Order] = []
    for number in range(max(20, size * 2 // 5)):
        owner = user if number < 2 * len(_STAGES) else world.choice(others)
        home = world.choice([address for address in addresses if address.customer_id == owner.id])
        orders.append(_order(world, number, home, products, coupons[0] if number == 3 else None))
    theirs = orders[2 * len(_STAGES) :]
    rated = [order for order in [orders[11], *theirs] if order.delivered_on]
    returned = [order for order in orders if order.status == "returned"]
    # The user has written about one order as often as a day allows.
    written = [(orders[0], world.now)] * 3
    written += [(order, world.now - (world.today - order.ordered_on)) for order in world.sample(theirs, 3)]
    answers = {seller.id: seller.answers_within for seller in sellers}
    return {
        "now": world.now,
        "customer_id": user.id,
        "sellers": by_id(sellers),
        "products": by_id(products),
        "customers": by_id(customers),
        "addresses": by_id(addresses),
        "coupons": by_id(coupons),
        "orders": by_id(orders),
        "returns": by_id(_return(n, order) for n, order in enumerate(returned)),
        "ratings": by_id(_rating(world, n, order) for n, order in enumerate(rated)),
        "messages": by_id(_message(world, n, order, at, answers) for n, (order, at) in enumerate(written)),
    }


def _address(world: World, number: int, owner: Customer, nickname: str) -> Address:
    city, _ = world.city()
    return Address(id=f"ADR-{31 + number}", customer_id=owner.id, nickname=nickname, address=world.address(), city=city)


def _seller(world: World, number: int) -> Seller:
    city, _ = world.city()
    return Seller(
        id=f"S-{11 + number}",
        name=f"{_BRANDS[-1 - number % len(_BRANDS)]} {_SHOPS[number % len(_SHOPS)]}",
        city=city,
        rating=round(world.integer(310, 495) / 100, 2),
        ratings=world.integer(8, 900),
        answers_within=world.choice((2, 6, 12, 24, 48)),
    )


def _products(world: World, sellers: Sequence[Seller], count: int) -> list[Product]:
    """Products with different names: seven of one kind, so that a search has a second page, and a mix of others."""
    popular, *rest = world.sample(tuple(_KINDS), len(_KINDS))
    names = [(brand, popular) for brand in world.sample(_BRANDS, 7)]
    names += world.sample([(brand, kind) for kind in rest for brand in _BRANDS], count - len(names))
    products: list[Product] = []
    for number, (brand, kind) in enumerate(names):
        seller = world.choice(sellers)
        stock = 0 if number % 9 == 4 else 1 if number % 9 == 5 else world.integer(2, 40)  # sold out, the last one
        products.append(
            Product(
                id=f"P-{101 + number}",
                name=f"{brand} {kind}",
                kind=kind,
                seller_id=seller.id,
                seller_name=seller.name,
                price=world.money(*_KINDS[kind], 0.99),
                rating=round(world.integer(28, 50) / 10, 1),
                stock=stock,
            )
        )
    return products


def _coupon(world: World, code: str, number: int) -> Coupon:
    return Coupon(
        id=code,
        percent=int("".join(filter(str.isdigit, code))),
        minimum=150.0 if code == "BIGCART25" else 10.0 * (1 + number % 4),
        expires_on=world.date(-40, -2) if code == "WINTER30" else world.date(5, 90),
        uses_left=0 if code == "FLASH40" else world.integer(5, 400),
    )


def _order(world: World, number: int, home: Address, products: Sequence[Product], coupon: Coupon | None) -> Order:
    status, age, spread = _STAGES[number % len(_STAGES)]
    shift = spread * (number // len(_STAGES) % 2)  # keeps the days of the user's own orders apart
    day = world.today - dt.timedelta(days=age + shift + world.integer(0, spread - 1))
    bought = [(product, world.weighted({1: 3, 2: 2})) for product in world.sample(products, world.integer(1, 3))]
    over = status not in ("placed", "packed", "shipped")  # express parcels would have arrived by now
    method = "express" if over and world.chance(0.3) else "standard"
    delivery = Delivery(address=home.address, city=home.city, method=method)
    order = new_order(f"ORD-{501 + number}", home.customer_id, bought, delivery, coupon, day)
    if status == "cancelled":
        return order.evolve(status=status, refunded=order.total)
    if status == "delivered":
        return order.evolve(status=status, delivered_on=order.arrives_on)
    if status == "returned":
        lines = tuple(line.evolve(returned=line.quantity) for line in order.lines)
        goods = cents(order.total - order.shipping)
        return order.evolve(status=status, delivered_on=order.arrives_on, lines=lines, refunded=goods)
    return order.evolve(status=status)


def _return(number: int, order: Order) -> Return:
    reasons: tuple[Reason, ...] = ("damaged", "not_as_described")
    return Return(
        id=f"RET-{701 + number}",
        order_id=order.id,
        items=tuple(Item(product_id=line.product_id, quantity=line.quantity) for line in order.lines),
        reason=reasons[number % 2],
        requested_on=order.arrives_on + dt.timedelta(days=3),
        postage=0,
        refund=order.refunded,
    )


def _rating(world: World, number: int, order: Order) -> Rating:
    return Rating(
        id=f"RAT-{801 + number}",
        order_id=order.id,
        seller_id=order.lines[0].seller_id,
        customer_id=order.customer_id,
        stars=world.weighted({2: 1, 3: 2, 4: 4, 5: 5}),
        comment=world.choice((None, "Just as described", "Fast and friendly", "The box was dented")),
    )


def _message(world: World, number: int, order: Order, sent_at: dt.datetime, answers: Mapping[str, int]) -> Message:
    seller_id = order.lines[0].seller_id
    return Message(
        id=f"MSG-{901 + number}",
        seller_id=seller_id,
        customer_id=order.customer_id,
        order_id=order.id,
        text=world.choice(("Do you offer gift wrapping?", "Is a longer cable available?", "When is it sent?")),
        sent_at=sent_at,
        answer_by=sent_at + dt.timedelta(hours=answers[seller_id]),
    )
