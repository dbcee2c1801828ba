"""Rules of the marketplace that need nothing but the rows: what orders cost, what can be done with them, coupons."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from envfactory.catalogue.commerce._marketplace_records import (
    Address,
    Coupon,
    Delivery,
    Item,
    Message,
    Order,
    OrderLine,
    OrderSummary,
    Product,
    Rating,
    Reason,
    Return,
    Seller,
    Status,
)
from envfactory.environment import ToolError, cents, standing

SHIPPING = {"standard": 4.99, "express": 14.99}
TRAVEL_DAYS = {"standard": 6, "express": 2}
FREE_SHIPPING_FROM = 75.0
CHANGE_FEE = 3.0
CANCEL_SHARE = 0.1
RETURN_DAYS = 30
RETURN_POSTAGE = 4.99
MESSAGES_A_DAY = 3
MOST_ADDRESSES = 8
UNSHIPPED: tuple[Status, ...] = ("placed", "packed")
"""Where an order stands that can still be changed and cancelled."""


def check_once_each(items: Iterable[Item]) -> None:
    """Refuse to name a product twice."""
    seen: set[str] = set()
    for item in items:
        if item.product_id in seen:
            words = f"The product {item.product_id!r} is named twice; give one quantity."
            raise ToolError("invalid_argument", words)
        seen.add(item.product_id)


def check_stock(bought: Iterable[tuple[Product, int]]) -> None:
    """Refuse to sell more than there is."""
    for product, quantity in bought:
        if quantity > product.stock:
            left = f"only {product.stock} left" if product.stock else "sold out"
            raise ToolError("conflict", f"The {product.name} is {left}, so {quantity} cannot be ordered.")


def obstacle(coupon: Coupon, own: Iterable[Order], today: dt.date) -> ToolError | None:
    """Why a customer with these orders cannot use a coupon, whatever the new order."""
    if coupon.expires_on < today:
        return ToolError("precondition_failed", f"The coupon {coupon.id} expired on {coupon.expires_on}.")
    if coupon.uses_left == 0:
        return ToolError("limit_exceeded", f"The coupon {coupon.id} is used up.")
    if any(order.coupon == coupon.id and order.status != "cancelled" for order in own):
        return ToolError("conflict", f"You have used the coupon {coupon.id} already.")
    return None


def used(coupon: Coupon, own: Iterable[Order], bought: Iterable[tuple[Product, int]], today: dt.date) -> Coupon:
    """The coupon after an order of these products."""
    refusal = obstacle(coupon, own, today)
    if refusal is not None:
        raise refusal
    subtotal = sum(product.price * quantity for product, quantity in bought)
    if cents(subtotal) < coupon.minimum:
        words = f"The coupon {coupon.id} needs products for {coupon.minimum:.2f} dollars, these cost {subtotal:.2f}."
        raise ToolError("precondition_failed", words)
    return coupon.evolve(uses_left=coupon.uses_left - 1)


def new_order(
    order_id: str,
    customer_id: str,
    bought: Sequence[tuple[Product, int]],
    delivery: Delivery,
    coupon: Coupon | None,
    day: dt.date,
) -> Order:
    """Price an order: the coupon lowers what each piece costs, and delivery is free from a value on."""
    kept = 1.0 if coupon is None else (100 - coupon.percent) / 100
    lines = tuple(
        OrderLine(
            product_id=product.id, name=product.name, seller_id=product.seller_id, seller_name=product.seller_name,
            quantity=quantity, price=cents(product.price * kept),
        )
        for product, quantity in bought
    )  # fmt: skip
    goods = cents(sum(line.price * line.quantity for line in lines))
    shipping = SHIPPING[delivery.method] if goods < FREE_SHIPPING_FROM else 0.0
    return Order(
        id=order_id, customer_id=customer_id, lines=lines, address=delivery.address, city=delivery.city,
        method=delivery.method, coupon=None if coupon is None else coupon.id,
        discount=cents(sum(product.price * quantity for product, quantity in bought) - goods),
        shipping=shipping, total=cents(goods + shipping),
        ordered_on=day, arrives_on=day + dt.timedelta(days=TRAVEL_DAYS[delivery.method]),
    )  # fmt: skip


def summary(order: Order) -> OrderSummary:
    """An order in short."""
    pieces = sum(line.quantity for line in order.lines)
    return OrderSummary(id=order.id, ordered_on=order.ordered_on, pieces=pieces, total=order.total, status=order.status)


def unshipped(order: Order) -> Order:
    """An order that can still be changed and cancelled."""
    return standing(order, UNSHIPPED, "changed")


def redirected(order: Order, place: Address) -> Order:
    """An order that goes to another address; a packed one costs a fee."""
    if (order.address, order.city) == (place.address, place.city):
        raise ToolError("invalid_argument", f"The order goes to {place.address} in {place.city} already.")
    fee = CHANGE_FEE if order.status == "packed" else 0.0
    return order.evolve(address=place.address, city=place.city, fee=cents(order.fee + fee))


def cancellation_fee(order: Order) -> float:
    """What cancelling an order costs."""
    return cents(order.total * CANCEL_SHARE) if order.status == "packed" else 0.0


def returned(order: Order, items: Iterable[Item], today: dt.date) -> Order:
    """An order of which these items are sent back; nothing of it is refunded yet."""
    if order.status != "delivered" or order.delivered_on is None:
        words = f"The order is {order.status}; only delivered items can be returned."
        raise ToolError("precondition_failed", words)
    if (today - order.delivered_on).days > RETURN_DAYS:
        words = f"The order came on {order.delivered_on}, over {RETURN_DAYS} days ago."
        raise ToolError("precondition_failed", words)
    check_once_each(items)
    lines = {line.product_id: line for line in order.lines}
    for item in items:
        line = lines.get(item.product_id)
        if line is None:
            raise ToolError("not_found", f"The order has no product with the id {item.product_id!r}.")
        kept = line.quantity - line.returned
        if item.quantity > kept:
            raise ToolError("limit_exceeded", f"Of the {line.name}, {kept} can be returned, not {item.quantity}.")
        lines[item.product_id] = line.evolve(returned=line.returned + item.quantity)
    everything = all(line.returned == line.quantity for line in lines.values())
    return order.evolve(lines=tuple(lines.values()), status="returned" if everything else "delivered")


def new_return(key: str, order: Order, items: tuple[Item, ...], reason: Reason, today: dt.date) -> Return:
    """The return of items of an order: what they cost is paid back, less postage if they are only unwanted."""
    prices = {line.product_id: line.price for line in order.lines}
    worth = sum(prices[item.product_id] * item.quantity for item in items)
    postage = RETURN_POSTAGE if reason == "unwanted" else 0.0
    return Return(
        id=key, order_id=order.id, items=items, reason=reason, requested_on=today, postage=postage,
        refund=cents(max(0.0, worth - postage)),
    )  # fmt: skip


def seller_in(order: Order, seller: Seller) -> Seller:
    """A seller who sold something in an order."""
    if all(line.seller_id != seller.id for line in order.lines):
        raise ToolError("invalid_argument", f"{seller.name} sold nothing in that order.")
    return seller


def check_ratable(order: Order, seller: Seller, ratings: Iterable[Rating]) -> None:
    """Refuse to rate before delivery, and twice."""
    if order.delivered_on is None:
        raise ToolError("precondition_failed", f"The order is {order.status}; rate it once it was delivered.")
    if any((rating.order_id, rating.seller_id) == (order.id, seller.id) for rating in ratings):
        raise ToolError("conflict", f"You have rated {seller.name} for this order already.")


def rated(seller: Seller, stars: int) -> Seller:
    """A seller with one more rating in the average."""
    average = (seller.rating * seller.ratings + stars) / (seller.ratings + 1)
    return seller.evolve(rating=round(average, 2), ratings=seller.ratings + 1)


def check_messages(seller: Seller, own: Iterable[Message], today: dt.date) -> None:
    """Refuse one more message of the day to a seller than a customer may write."""
    sent = sum(message.seller_id == seller.id and message.sent_at.date() == today for message in own)
    if sent >= MESSAGES_A_DAY:
        raise ToolError("limit_exceeded", f"You have written to {seller.name} {sent} times today.")


def check_new_address(nickname: str, own: Sequence[Address]) -> None:
    """Refuse a nickname twice, and one address too many."""
    if any(saved.nickname.lower() == nickname.lower() for saved in own):
        raise ToolError("conflict", f"You have an address called {nickname} already.")
    if len(own) >= MOST_ADDRESSES:
        raise ToolError("limit_exceeded", f"You have saved {len(own)} addresses, and more is not possible.")
