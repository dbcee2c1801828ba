"""A marketplace of many sellers: find products, order with coupons, change, cancel, return, and deal with the sellers.

An order moves from placed over packed and shipped to delivered, and may end cancelled or returned. Stock leaves the
shelf when an order is placed and comes back when it is cancelled. A coupon lowers the price of every piece when the
order is placed, so what a returned piece is worth is the price on its line.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.catalogue.commerce._marketplace_records import (
    Address,
    AddressId,
    City,
    Coupon,
    CouponId,
    Customer,
    CustomerId,
    Delivery,
    Due,
    Item,
    Kind,
    Message,
    MessageId,
    Nickname,
    Order,
    OrderId,
    Product,
    ProductId,
    Rating,
    RatingId,
    Reason,
    Return,
    Seller,
    SellerId,
    Stars,
    Status,
    Street,
    new_order,
)
from envfactory.catalogue.commerce._marketplace_scenario import market
from envfactory.environment import (
    AtMost,
    Dated,
    Ends,
    Environment,
    FieldOf,
    FreeText,
    Graded,
    Having,
    Money,
    New,
    Output,
    Owned,
    Page,
    PageNumber,
    Ranked,
    Record,
    Table,
    ToolError,
    Unit,
    Within,
    World,
    cents,
    owned,
    standing,
    tool,
)

CHANGE_FEE = 3.0
CANCEL_SHARE = 0.1
RETURN_DAYS = 30
RETURN_POSTAGE = 4.99
MESSAGES_A_DAY = 3
MOST_ADDRESSES = 8

COMMENTS = (
    (2, ("took far too long to arrive", "nobody answered my questions", "badly packed", "not as shown in the photos")),
    (3, ("all right, but slow", "nothing special", "fine, though the box was dented")),
    (5, ("quick and friendly", "arrived earlier than promised", "carefully packed", "would buy here again")),
)
"""What buyers write with so many stars at most."""

OWN_ORDER = Owned(parameter="order_id", field="customer_id", by="customer_id")
SELLER_OF_ORDER = FieldOf(parameter="seller_id", other="order_id", field="lines[].seller_id")
UNSHIPPED = Having(parameter="order_id", field="status", among=("placed", "packed"))


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


class MarketplaceOrders(Environment):
    """Find products of many sellers, order them, and manage a customer's own orders, returns and addresses."""

    domain = "commerce"
    policy = """Delivery is free from 75 dollars of products after discount; otherwise standard delivery (six days)
    costs 4.99 and express delivery (two days) 14.99. Until an order is packed, changing its address and cancelling it
    are free; once packed a change costs 3 dollars and cancelling a tenth of the total; once shipped neither is
    possible. Delivered items can be returned for 30 days; unwanted ones cost 4.99 in postage. A customer can use a
    coupon for one order, rate a seller once an order after delivery, write three messages a day to a seller, and save
    eight addresses. Never order without the customer's delivery address."""
    sources = (
        "Shopify Admin GraphQL API, Orders, Returns and Discounts",
        "eBay Buy APIs, Browse and Order",
        "Mercado Libre API, Orders, Shipments and Messages",
        "Etsy Open API v3, Listings, Receipts and Reviews",
    )

    customer_id: CustomerId
    """Customer whose session this is."""
    sellers: Table[Seller]
    products: Table[Product]
    customers: Table[Customer]
    addresses: Table[Address]
    coupons: Table[Coupon]
    orders: Table[Order]
    returns: Table[Return]
    ratings: Table[Rating]
    messages: Table[Message]

    @tool(
        ask=(
            "find me a {query}[ under {max_price}][in_stock? that is in stock][, sorted by {sort}]",
            "look for a {query}[ for at most {max_price}][in_stock? that can be sent right away][, ordered by {sort}]",
            "search for a {query}[ up to {max_price}][in_stock? that is not sold out][ and sort the finds by {sort}]",
            "see whether there is a {query}[ for no more than {max_price}][in_stock? in stock][, listed by {sort}]",
        ),
        noun="{query}[ under {max_price}][in_stock? that is in stock]",
        reply=("I found {products}.", "I found no {query} that fits."),
    )
    def search_products(
        self,
        query: Kind,
        max_price: Annotated[Money, Field(gt=0)] | None = None,
        in_stock: bool = False,
        sort: Literal["price", "rating"] = "price",
        page: PageNumber = 1,
    ) -> ProductPage:
        """Search the products of all sellers by the words of their names.

        Args:
            query: What to look for; every word must be in the product's name.
            max_price: Only products at or below this price.
            in_stock: Only products that are not sold out.
            sort: Order: lowest price first, or best rating first.
            page: Page of the results, five products each.
        """
        words = query.lower().split()
        found = [
            product
            for product in self.products.values()
            if all(word in product.name.lower() for word in words)
            and (max_price is None or product.price <= max_price)
            and (not in_stock or product.stock > 0)
        ]
        found.sort(key=lambda p: (p.price if sort == "price" else -p.rating, p.id))
        return ProductPage.of(found, page)

    @tool(
        ask=(
            "tell me more about {product_id}",
            "give me the details of {product_id}",
            "check how many pieces of {product_id} are left",
            "find out who sells {product_id} and whether there is any left",
        ),
        reply=("The {name} costs {price}, is rated {rating} out of 5 and sold by {seller_name}; in stock: {stock}.",),
    )
    def get_product(self, product_id: ProductId) -> Product:
        """Get everything about one product: price, stock, rating, seller.

        Args:
            product_id: Product to look at.
        """
        return self.products.require(product_id)

    @tool(
        ask=(
            "tell me about {seller_id}",
            "check how buyers rate {seller_id}",
            "look up {seller_id} for me",
            "show me the profile of {seller_id}",
        ),
        reply=(
            "{name} ships from {city} and is rated {rating} out of 5 by {ratings}; it answers within {answers_within}.",
        ),
    )
    def get_seller(self, seller_id: SellerId) -> Seller:
        """Get the profile of a seller: where it ships from, its rating, how fast it answers.

        Args:
            seller_id: Seller to look at.
        """
        return self.sellers.require(seller_id)

    @tool(
        ask=(
            "see which coupons I can use[ on an order of {subtotal}]",
            "check for coupons that would work for me[ if I spend {subtotal}]",
            "find me a coupon[ that is good for a purchase of {subtotal}]",
            "list the discount codes open to me[ for {subtotal} worth of shopping]",
        ),
        noun="coupon[ for an order of {subtotal}]",
        reply=("You can use these: {coupons}.", "There is no coupon that you could use."),
        where=(Within(parameter="subtotal", low=20, high=200, step=10),),
    )
    def list_coupons(self, subtotal: Annotated[Money, Field(gt=0)] | None = None, page: PageNumber = 1) -> CouponPage:
        """List the coupons that the signed-in customer can still use, the biggest discount first.

        Args:
            subtotal: Only coupons that an order of this much, before discount, may use.
            page: Page of the results, five coupons each.
        """
        found = [
            coupon
            for coupon in self.coupons.values()
            if self._obstacle(coupon) is None and (subtotal is None or subtotal >= coupon.minimum)
        ]
        found.sort(key=lambda coupon: (-coupon.percent, coupon.id))
        return CouponPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "order {items}, delivered to {delivery}[, with {coupon}]",
            "buy {items} for delivery to {delivery}[, using {coupon}]",
            "place an order for {items}, to be shipped to {delivery}[, and apply {coupon}]",
            "get me {items}, sent to {delivery}[, and use {coupon}]",
        ),
        reply=("You have ordered {lines} for {total}, to arrive on {arrives_on}.",),
        where=(
            Within(parameter="items[].quantity", low=1, high=3),
            AtMost(parameter="items[].quantity", other="items[].product_id", field="stock"),
        ),
    )
    def place_order(
        self,
        items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=5)],
        delivery: Delivery,
        coupon: CouponId | None = None,
    ) -> Order:
        """Order products, of one or several sellers, for the signed-in customer.

        Args:
            items: Products and how many of each; every product once.
            delivery: Where the order goes, and how fast.
            coupon: Coupon to use.
        """
        self._once_each(items)
        bought = [(self.products.require(item.product_id), item.quantity) for item in items]
        for product, quantity in bought:
            if quantity > product.stock:
                left = f"only {product.stock} left" if product.stock else "sold out"
                raise ToolError("conflict", f"The {product.name} is {left}, so {quantity} cannot be ordered.")
        used = None if coupon is None else self._usable(coupon, sum(product.price * count for product, count in bought))
        for product, quantity in bought:
            self.products.replace(product.evolve(stock=product.stock - quantity))
        if used is not None:
            self.coupons.replace(used.evolve(uses_left=used.uses_left - 1))
        return self.orders.insert(
            new_order(self.new_id("ORD"), self.customer_id, bought, delivery, used, self.now.date())
        )

    @tool(
        ask=(
            "list my orders[ that are {status}]",
            "show me my[ {status}] orders",
            "tell me which[ {status}] orders I have",
            "pull up my[ {status}] purchases",
        ),
        noun="[{status} ]order of mine",
        reply=("Your orders, the latest first: {orders}.", "You have no such order."),
    )
    def list_orders(self, status: Status | None = None, page: PageNumber = 1) -> OrderPage:
        """List the signed-in customer's orders in short, the latest first.

        Args:
            status: Only orders that stand like this.
            page: Page of the results, five orders each.
        """
        mine = [o for o in self.orders.values() if o.customer_id == self.customer_id and status in (None, o.status)]
        mine.sort(key=lambda order: (order.ordered_on, order.id), reverse=True)
        rows = tuple(
            OrderSummary(
                id=order.id,
                ordered_on=order.ordered_on,
                pieces=sum(line.quantity for line in order.lines),
                total=order.total,
                status=order.status,
            )
            for order in mine
        )
        return OrderPage.of(rows, page)

    @tool(
        ask=(
            "check on {order_id}",
            "tell me how things stand with {order_id}",
            "look up {order_id} for me",
            "find out what is in {order_id} and where it is now",
        ),
        reply=("The order of {ordered_on} is {status}: {lines} for {total}, going to {address} in {city}.",),
        where=(OWN_ORDER,),
    )
    def get_order(self, order_id: OrderId) -> Order:
        """Get one of the signed-in customer's orders.

        Args:
            order_id: Order to look at.
        """
        return self._mine(order_id)

    @tool(
        writes=True,
        ask=(
            "send {order_id} to {address_id} instead",
            "change where {order_id} goes to {address_id}",
            "redirect {order_id} to {address_id}",
            "have {order_id} delivered to {address_id} instead",
        ),
        reply=("The order of {ordered_on} now goes to {address} in {city}; the fees for it come to {fee}.",),
        where=(
            OWN_ORDER,
            UNSHIPPED,
            Owned(parameter="address_id", field="customer_id", by="customer_id"),
        ),
    )
    def change_address(self, order_id: OrderId, address_id: AddressId) -> Order:
        """Send an order that is not yet shipped to a saved address; free until it is packed, then 3 dollars.

        Args:
            order_id: Order to redirect.
            address_id: Saved address that it shall go to.
        """
        order = self._unshipped(order_id)
        place = owned(self.addresses.require(address_id), "customer_id", self.customer_id)
        if (order.address, order.city) == (place.address, place.city):
            raise ToolError("invalid_argument", f"The order goes to {place.address} in {place.city} already.")
        fee = CHANGE_FEE if order.status == "packed" else 0.0
        return self.orders.replace(order.evolve(address=place.address, city=place.city, fee=cents(order.fee + fee)))

    @tool(
        writes=True,
        ask=(
            "cancel {order_id}",
            "call off {order_id}",
            "stop {order_id} before it ships",
            "cancel {order_id} for me and get my money back",
        ),
        reply=("The order is cancelled. The fee is {fee}, and {refund} will be paid back.",),
        where=(
            OWN_ORDER,
            UNSHIPPED,
            Ends(parameter="order_id"),
        ),
    )
    def cancel_order(self, order_id: OrderId) -> Cancellation:
        """Cancel an order that is not yet shipped; free until it is packed, then a tenth of the total.

        Args:
            order_id: Order to cancel.
        """
        order = self._unshipped(order_id)
        fee = cents(order.total * CANCEL_SHARE) if order.status == "packed" else 0.0
        refund = cents(order.total - fee)
        for line in order.lines:
            product = self.products.require(line.product_id)
            self.products.replace(product.evolve(stock=product.stock + line.quantity))
        if order.coupon is not None:
            coupon = self.coupons.require(order.coupon)
            self.coupons.replace(coupon.evolve(uses_left=coupon.uses_left + 1))
        self.orders.replace(order.evolve(status="cancelled", fee=cents(order.fee + fee), refunded=refund))
        return Cancellation(order_id=order.id, fee=fee, refund=refund)

    @tool(
        writes=True,
        ask=(
            "return {items} from {order_id} because it was {reason}",
            "send back {items} from {order_id}, giving {reason} as the reason",
            "start a return of {items} from {order_id} and mark it as {reason}",
            "get me a refund for {items} from {order_id}, which was {reason}",
        ),
        reply=("The return is registered. You get back {refund}; the postage was {postage}.",),
        where=(
            OWN_ORDER,
            Having(parameter="order_id", field="status", among=("delivered",)),
            Dated(parameter="order_id", field="delivered_on", days=(-RETURN_DAYS, 0)),
            FieldOf(parameter="items[].product_id", other="order_id", field="lines[].product_id"),
            AtMost(parameter="items[].quantity", other="order_id", field="lines[].quantity"),
        ),
    )
    def return_items(
        self, order_id: OrderId, items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=5)], reason: Reason
    ) -> Return:
        """Send back delivered items within 30 days of delivery; unwanted ones cost 4.99 in postage.

        Args:
            order_id: Order that the items belong to.
            items: Products and how many of each; every product once.
            reason: Why they are sent back.
        """
        order = self._mine(order_id)
        if order.status != "delivered" or order.delivered_on is None:
            raise ToolError(
                "precondition_failed", f"The order is {order.status}; only delivered items can be returned."
            )
        if (self.now.date() - order.delivered_on).days > RETURN_DAYS:
            raise ToolError(
                "precondition_failed", f"The order came on {order.delivered_on}, over {RETURN_DAYS} days ago."
            )
        self._once_each(items)
        lines = {line.product_id: line for line in order.lines}
        for item in items:
            line = lines.get(item.product_id)
            if line is None:
                raise ToolError("not_found", f"The order has no product with the id {item.product_id!r}.")
            kept = line.quantity - line.returned
            if item.quantity > kept:
                raise ToolError("limit_exceeded", f"Of the {line.name}, {kept} can be returned, not {item.quantity}.")
            lines[item.product_id] = line.evolve(returned=line.returned + item.quantity)
        worth = sum(lines[item.product_id].price * item.quantity for item in items)
        postage = RETURN_POSTAGE if reason == "unwanted" else 0.0
        refund = cents(max(0.0, worth - postage))
        everything = all(line.returned == line.quantity for line in lines.values())
        self.orders.replace(
            order.evolve(
                lines=tuple(lines.values()),
                refunded=cents(order.refunded + refund),
                status="returned" if everything else "delivered",
            )
        )
        return self.returns.insert(
            Return(
                id=self.new_id("RET"), order_id=order.id, items=items, reason=reason, requested_on=self.now.date(),
                postage=postage, refund=refund,
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "give {seller_id} {stars} for {order_id}[ with the comment '{comment}']",
            "rate {seller_id} with {stars} for {order_id}[ and write '{comment}']",
            "leave {seller_id} a rating of {stars} for {order_id}[, saying '{comment}']",
            "review {seller_id} with {stars} for {order_id}[ and add '{comment}']",
        ),
        reply=(
            "Your rating of {stars} is posted; with it the seller stands at {seller_rating} out of 5 from {ratings}.",
        ),
        where=(
            OWN_ORDER,
            Having(parameter="order_id", field="status", among=("delivered", "returned")),
            SELLER_OF_ORDER,
            Within(parameter="stars", low=1, high=5),
            Graded(parameter="comment", other="stars", bands=COMMENTS),
        ),
    )
    def rate_seller(
        self,
        order_id: OrderId,
        seller_id: SellerId,
        stars: Stars,
        comment: Annotated[
            str,
            Field(min_length=3, max_length=200),
            FreeText(),
        ]
        | None = None,
    ) -> PostedRating:
        """Rate a seller for an order that was delivered; once a seller and order.

        Args:
            order_id: Order that is rated.
            seller_id: Seller who sent something of it.
            stars: One to five stars.
            comment: What there is to say about it.
        """
        order = self._mine(order_id)
        seller = self._seller_in(order, seller_id)
        if order.delivered_on is None:
            raise ToolError("precondition_failed", f"The order is {order.status}; rate it once it was delivered.")
        if any((r.order_id, r.seller_id) == (order.id, seller.id) for r in self.ratings.values()):
            raise ToolError("conflict", f"You have rated {seller.name} for this order already.")
        average = (seller.rating * seller.ratings + stars) / (seller.ratings + 1)
        rated = self.sellers.replace(seller.evolve(rating=round(average, 2), ratings=seller.ratings + 1))
        rating = self.ratings.insert(
            Rating(
                id=self.new_id("RAT"),
                order_id=order.id,
                seller_id=seller.id,
                customer_id=self.customer_id,
                stars=stars,
                comment=comment,
            )
        )
        return PostedRating(rating_id=rating.id, seller_rating=rated.rating, ratings=rated.ratings)

    @tool(
        writes=True,
        ask=(
            "write to {seller_id} about {order_id} and say '{text}'",
            "send {seller_id} the message '{text}' about {order_id}",
            "contact {seller_id} regarding {order_id} and write '{text}'",
            "get in touch with {seller_id} about {order_id} with the words '{text}'",
        ),
        reply=("Your message is on its way; expect an answer by {answer_by}.",),
        where=(OWN_ORDER, SELLER_OF_ORDER),
    )
    def message_seller(
        self,
        order_id: OrderId,
        seller_id: SellerId,
        text: Annotated[
            str,
            Field(min_length=3, max_length=500),
            FreeText(
                (
                    "please send me an invoice",
                    "please tell me how long the warranty runs",
                    "can you tell me how to clean it?",
                )
            ),
        ],
    ) -> SentMessage:
        """Write to a seller about an order; three messages a day to one seller.

        Args:
            order_id: Order that the message is about.
            seller_id: Seller who sends something of it.
            text: What to say.
        """
        seller = self._seller_in(self._mine(order_id), seller_id)
        today = [
            message
            for message in self.messages.values()
            if (message.customer_id, message.seller_id) == (self.customer_id, seller.id)
            and message.sent_at.date() == self.now.date()
        ]
        if len(today) >= MESSAGES_A_DAY:
            raise ToolError("limit_exceeded", f"You have written to {seller.name} {len(today)} times today.")
        message = self.messages.insert(
            Message(
                id=self.new_id("MSG"),
                seller_id=seller.id,
                customer_id=self.customer_id,
                order_id=order_id,
                text=text,
                sent_at=self.now,
                answer_by=self.now + dt.timedelta(hours=seller.answers_within),
            )
        )
        return SentMessage(message_id=message.id, answer_by=message.answer_by)

    @tool(
        ask=(
            "show me my saved addresses[ in {city}]",
            "list the addresses that I have saved[ in {city}]",
            "tell me which[ {city}] addresses you have on file for me",
            "check what delivery addresses I have stored[ for {city}]",
        ),
        noun="saved address of mine[ in {city}]",
        reply=("You have saved {addresses}.", "You have no such address saved."),
    )
    def list_addresses(self, city: City | None = None, page: PageNumber = 1) -> AddressPage:
        """List the signed-in customer's saved addresses, by nickname.

        Args:
            city: Only addresses in this city.
            page: Page of the results, five addresses each.
        """
        found = [address for address in self._my_addresses() if city in (None, address.city)]
        found.sort(key=lambda address: address.nickname)
        return AddressPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "save {address} in {city} as my {nickname} address",
            "remember {address} in {city} as my {nickname} address",
            "add {address} in {city} to my account as my {nickname} address",
            "keep {address} in {city} on file as my {nickname} address",
        ),
        reply=("Saved: {address} in {city} is your {nickname} address now; you keep {saved}.",),
        where=(
            New(parameter="nickname", entity="Address", field="nickname"),
            New(parameter="address", entity="Address", field="address"),
        ),
    )
    def save_address(self, nickname: Nickname, address: Street, city: City) -> SavedAddress:
        """Save an address for later orders; eight at most, each under a nickname of its own.

        Args:
            nickname: What to call it.
            address: Street and number.
            city: City, by its English name.
        """
        mine = self._my_addresses()
        if any(saved.nickname.lower() == nickname.lower() for saved in mine):
            raise ToolError("conflict", f"You have an address called {nickname} already.")
        if len(mine) >= MOST_ADDRESSES:
            raise ToolError("limit_exceeded", f"You have saved {len(mine)} addresses, and more is not possible.")
        saved = self.addresses.insert(
            Address(id=self.new_id("ADR"), customer_id=self.customer_id, nickname=nickname, address=address, city=city)
        )
        return SavedAddress(address_id=saved.id, saved=len(mine) + 1)

    def _mine(self, order_id: str) -> Order:
        return owned(self.orders.require(order_id), "customer_id", self.customer_id)

    def _unshipped(self, order_id: str) -> Order:
        return standing(self._mine(order_id), ("placed", "packed"), "changed")

    def _my_addresses(self) -> list[Address]:
        return [address for address in self.addresses.values() if address.customer_id == self.customer_id]

    def _seller_in(self, order: Order, seller_id: str) -> Seller:
        seller = self.sellers.require(seller_id)
        if all(line.seller_id != seller.id for line in order.lines):
            raise ToolError("invalid_argument", f"{seller.name} sold nothing in that order.")
        return seller

    def _once_each(self, items: tuple[Item, ...]) -> None:
        seen: set[str] = set()
        for item in items:
            if item.product_id in seen:
                raise ToolError(
                    "invalid_argument", f"The product {item.product_id!r} is named twice; give one quantity."
                )
            seen.add(item.product_id)

    def _obstacle(self, coupon: Coupon) -> ToolError | None:
        """Why the customer cannot use a coupon, whatever the order."""
        if coupon.expires_on < self.now.date():
            return ToolError("precondition_failed", f"The coupon {coupon.id} expired on {coupon.expires_on}.")
        if coupon.uses_left == 0:
            return ToolError("limit_exceeded", f"The coupon {coupon.id} is used up.")
        mine = (order for order in self.orders.values() if order.customer_id == self.customer_id)
        if any(order.coupon == coupon.id and order.status != "cancelled" for order in mine):
            return ToolError("conflict", f"You have used the coupon {coupon.id} already.")
        return None

    def _usable(self, coupon_id: str, subtotal: float) -> Coupon:
        coupon = self.coupons.require(coupon_id)
        if (obstacle := self._obstacle(coupon)) is not None:
            raise obstacle
        if cents(subtotal) < coupon.minimum:
            raise ToolError(
                "precondition_failed",
                f"The coupon {coupon.id} needs products for {coupon.minimum:.2f} dollars, these cost {subtotal:.2f}.",
            )
        return coupon

    @classmethod
    def scenario(cls, world: World, size: int) -> MarketplaceOrders:
        """Shops and their products, the user's own orders in every status, and other customers' orders and ratings."""
        return cls.model_validate(market(world, size))
