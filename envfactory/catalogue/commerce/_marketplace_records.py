"""What a marketplace keeps and tells: shops, products, customers, orders and all that hangs on them."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Argument, FreeText, Money, Output, Page, Ranked, Record, Ref, Unit, Value

ProductId = Annotated[str, Ref("Product")]
SellerId = Annotated[str, Ref("Seller")]
CustomerId = Annotated[str, Ref("Customer")]
AddressId = Annotated[str, Ref("Address")]
CouponId = Annotated[str, Ref("Coupon")]
OrderId = Annotated[str, Ref("Order")]
RatingId = Annotated[str, Ref("Rating")]
MessageId = Annotated[str, Ref("Message")]
City = Annotated[str, Field(min_length=2, max_length=40), Value("city", "City, by its English name.")]
Street = Annotated[str, Field(min_length=3, max_length=60), Value("address", "Street and number.")]
Kind = Annotated[
    str, Field(min_length=2, max_length=40), Value("product_kind", "What a product is, such as desk lamp.")
]
Nickname = Annotated[
    str, Field(min_length=2, max_length=20), Value("address_nickname", "What a person calls an address.")
]
Due = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Method = Annotated[Literal["standard", "express"], Value("delivery_method", "How fast the parcel travels.")]
Quantity = Annotated[int, Field(ge=1, le=10), Unit("piece")]
Stars = Annotated[int, Field(ge=1, le=5), Unit("star")]
Status = Literal["placed", "packed", "shipped", "delivered", "cancelled", "returned"]
Reason = Literal["damaged", "not_as_described", "unwanted"]

Comment = Annotated[str, Field(min_length=3, max_length=200), FreeText()]
Words = Annotated[
    str,
    Field(min_length=3, max_length=500),
    FreeText(
        ("please send me an invoice", "please tell me how long the warranty runs", "can you tell me how to clean it?")
    ),
]
UpTo = Annotated[Money, Field(gt=0)]


class Seller(Record, noun="seller", label="{name}"):
    """A shop on the marketplace."""

    id: SellerId
    """Identifier of the seller."""
    name: str
    """Name of the shop."""
    city: City
    """City that it ships from."""
    rating: Annotated[float, Ranked("", "best rated")]
    """Average of all its ratings, 1 to 5."""
    ratings: Annotated[int, Unit("buyer")]
    """How many buyers have rated it."""
    answers_within: Annotated[int, Unit("hour")]
    """How long it takes to answer a message, at most."""


class Product(Record, noun="product", label="the {name}", listing="{name} ({price}, rated {rating})"):
    """Something that a seller offers."""

    id: ProductId
    """Identifier of the product."""
    name: str
    """Brand and kind."""
    kind: Kind
    seller_id: SellerId
    """Seller who offers it."""
    seller_name: str
    """Name of that shop."""
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price of one piece."""
    rating: Annotated[float, Ranked("", "best rated")]
    """Average of the buyers' ratings, 1 to 5."""
    stock: Annotated[int, Field(ge=0), Unit("piece")]
    """How many can be ordered."""


class Customer(Record, noun="customer", label="{name}"):
    """Somebody who buys."""

    id: CustomerId
    """Identifier of the customer."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]


class Address(Record, noun="address", label="my {nickname} address", listing="{nickname} ({address}, {city})"):
    """A delivery address that a customer keeps."""

    id: AddressId
    """Identifier of the saved address."""
    customer_id: CustomerId
    """Customer who saved it."""
    nickname: Nickname
    address: Street
    city: City


class Coupon(Record, noun="coupon", label="the coupon {id}", listing="{id} ({percent} percent off from {minimum})"):
    """A code that lowers the price of an order, once a customer."""

    id: CouponId
    """The code."""
    percent: Annotated[int, Field(ge=1, le=90), Ranked("", "biggest")]
    """What it takes off the price of every piece, in percent."""
    minimum: Money
    """What the products must cost together, before the discount."""
    expires_on: dt.date
    """Last day on which it is good."""
    uses_left: Annotated[int, Field(ge=0)]
    """How many more orders it is good for, over all customers."""


class OrderLine(Record, noun="item", label="{quantity} of the {name}"):
    """One product of an order."""

    product_id: ProductId
    """Product that was ordered."""
    name: str
    """Its name."""
    seller_id: SellerId
    """Seller who sends it."""
    seller_name: str
    """Name of the seller."""
    quantity: Quantity
    """How many were ordered."""
    price: Money
    """What one piece cost, the coupon taken off."""
    returned: Annotated[int, Unit("piece")] = 0
    """How many of them were sent back."""


class Order(
    Record,
    noun="order",
    label="the order of {ordered_on}[ for {total}]",
    listing="the order of {ordered_on} for {total} ({status})",
):
    """What a customer ordered at once, of one or several sellers."""

    id: OrderId
    """Identifier of the order."""
    customer_id: CustomerId
    """Customer who ordered."""
    lines: tuple[OrderLine, ...]
    """What was ordered."""
    address: Street
    city: City
    method: Method
    coupon: CouponId | None = None
    """Coupon that was used."""
    discount: Money
    """What the coupon took off."""
    shipping: Money
    """Price of the delivery."""
    total: Annotated[Due, Ranked("", "biggest")]
    """What was to be paid, discount and delivery included."""
    fee: Money = 0
    """Fees charged for changing or cancelling."""
    refunded: Money = 0
    """What has been paid back."""
    status: Status = "placed"
    """Where the order stands."""
    ordered_on: dt.date
    """Day of the order."""
    arrives_on: dt.date
    """Day on which it is to arrive."""
    delivered_on: dt.date | None = None
    """Day on which it was delivered."""


class Item(Argument, label="[{quantity} of ]{product_id}"):
    """A product and how many of it."""

    product_id: ProductId
    """Product meant."""
    quantity: Quantity
    """How many of it."""


class Delivery(Argument, label="{address} in {city}, {method} delivery"):
    """Where an order goes, and how fast."""

    address: Street
    city: City
    method: Method


Items = Annotated[tuple[Item, ...], Field(min_length=1, max_length=5)]


class Return(Record, noun="return", label="the return of {requested_on}"):
    """Items that are sent back."""

    id: Annotated[str, Ref("Return")]
    """Identifier of the return."""
    order_id: OrderId
    """Order that the items belong to."""
    items: tuple[Item, ...]
    """What is sent back."""
    reason: Reason
    """Why."""
    requested_on: dt.date
    """Day of the request."""
    postage: Money
    """What sending it back costs the customer."""
    refund: Due
    """What is paid back."""


class Rating(Record, noun="rating", label="{stars}"):
    """A buyer's rating of a seller for one order."""

    id: RatingId
    """Identifier of the rating."""
    order_id: OrderId
    """Order that is rated."""
    seller_id: SellerId
    """Seller who is rated."""
    customer_id: CustomerId
    """Customer who rates."""
    stars: Stars
    """One to five stars."""
    comment: Annotated[str | None, FreeText()] = None
    """What the customer says about it."""


class Message(Record, noun="message", label="the message of {sent_at}"):
    """What a customer wrote to a seller."""

    id: MessageId
    """Identifier of the message."""
    seller_id: SellerId
    """Seller who gets it."""
    customer_id: CustomerId
    """Customer who wrote it."""
    order_id: OrderId
    """Order that it is about."""
    text: Annotated[str, FreeText()]
    """What it says."""
    sent_at: dt.datetime
    """When it was sent."""
    answer_by: dt.datetime
    """When the seller will have answered."""


class ProductPage(Page):
    """Products that match."""

    products: tuple[Product, ...]
    """The products on this page."""


class CouponPage(Page):
    """Coupons that can be used."""

    coupons: tuple[Coupon, ...]
    """The coupons on this page."""


class OrderSummary(
    Record,
    noun="order",
    label="the order of {ordered_on}[ for {total}]",
    listing="the order of {ordered_on} for {total} ({status})",
):
    """What a list says of an order."""

    id: OrderId
    """Identifier of the order."""
    ordered_on: dt.date
    """Day of the order."""
    pieces: Annotated[int, Unit("piece")]
    """How many pieces were ordered in all."""
    total: Annotated[Money, Ranked("", "biggest")]
    """What was to be paid."""
    status: Status
    """Where the order stands."""


class OrderPage(Page):
    """Orders that match."""

    orders: tuple[OrderSummary, ...]
    """The orders on this page."""


class AddressPage(Page):
    """Saved addresses that match."""

    addresses: tuple[Address, ...]
    """The addresses on this page."""


class Cancellation(Output):
    """What a cancellation comes to."""

    order_id: OrderId
    """Order that was cancelled."""
    fee: Money
    """What the cancellation costs."""
    refund: Due
    """What is paid back."""


class PostedRating(Output):
    """What a rating comes to."""

    rating_id: RatingId
    """The rating."""
    seller_rating: float
    """The seller's average with it, 1 to 5."""
    ratings: Annotated[int, Unit("buyer")]
    """How many buyers have rated the seller now."""


class SentMessage(Output):
    """What comes of writing to a seller."""

    message_id: MessageId
    """The message."""
    answer_by: dt.datetime
    """When the seller will have answered."""


class SavedAddress(Output):
    """What saving an address comes to."""

    address_id: AddressId
    """The saved address."""
    saved: Annotated[int, Unit("address")]
    """How many addresses the customer has saved now."""
