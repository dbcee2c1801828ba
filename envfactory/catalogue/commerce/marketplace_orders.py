"""A marketplace of many sellers: find products, order with coupons, change, cancel, return, and deal with the sellers.

An order moves from placed over packed and shipped to delivered, and may end cancelled or returned. Stock leaves the
shelf when an order is placed and comes back when it is cancelled. A coupon lowers the price of every piece when the
order is placed, so what a returned piece is worth is the price on its line.
"""

from __future__ import annotations

import datetime as dt
from typing import Literal, TypeVar

from envfactory.catalogue.commerce import _marketplace_records as rec
from envfactory.catalogue.commerce import _marketplace_relations as relations
from envfactory.catalogue.commerce import _marketplace_rules as rules
from envfactory.catalogue.commerce._marketplace_scenario import market
from envfactory.environment import Environment, PageNumber, Table, World, cents, owned, tool

C = TypeVar("C", rec.Address, rec.Message, rec.Order)


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

    customer_id: rec.CustomerId
    """Customer whose session this is."""
    sellers: Table[rec.Seller]
    products: Table[rec.Product]
    customers: Table[rec.Customer]
    addresses: Table[rec.Address]
    coupons: Table[rec.Coupon]
    orders: Table[rec.Order]
    returns: Table[rec.Return]
    ratings: Table[rec.Rating]
    messages: Table[rec.Message]

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
        query: rec.Kind,
        max_price: rec.UpTo | None = None,
        in_stock: bool = False,
        sort: Literal["price", "rating"] = "price",
        page: PageNumber = 1,
    ) -> rec.ProductPage:
        """Search the products of all sellers by the words of their names.

        Args:
            query: What to look for; every word must be in the product's name.
            max_price: Only products at or below this price.
            in_stock: Only products that are not sold out.
            sort: Order: lowest price first, or best rating first.
            page: Page of the results, five products each.
        """
        words = query.lower().split()
        named = [p for p in self.products.values() if all(word in p.name.lower() for word in words)]
        found = [p for p in named if (max_price is None or p.price <= max_price) and (p.stock > 0 or not in_stock)]
        found.sort(key=lambda p: (p.price if sort == "price" else -p.rating, p.id))
        return rec.ProductPage.of(found, page)

    @tool(
        ask=(
            "tell me more about {product_id}",
            "give me the details of {product_id}",
            "check how many pieces of {product_id} are left",
            "find out who sells {product_id} and whether there is any left",
        ),
        reply=("The {name} costs {price}, is rated {rating} out of 5 and sold by {seller_name}; in stock: {stock}.",),
    )
    def get_product(self, product_id: rec.ProductId) -> rec.Product:
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
    def get_seller(self, seller_id: rec.SellerId) -> rec.Seller:
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
        where=relations.COUPONS,
    )
    def list_coupons(self, subtotal: rec.UpTo | None = None, page: PageNumber = 1) -> rec.CouponPage:
        """List the coupons that the signed-in customer can still use, the biggest discount first.

        Args:
            subtotal: Only coupons that an order of this much, before discount, may use.
            page: Page of the results, five coupons each.
        """
        own, today = self._own(self.orders), self.now.date()
        usable = [coupon for coupon in self.coupons.values() if rules.obstacle(coupon, own, today) is None]
        found = [coupon for coupon in usable if subtotal is None or subtotal >= coupon.minimum]
        found.sort(key=lambda coupon: (-coupon.percent, coupon.id))
        return rec.CouponPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "order {items}, delivered to {delivery}[, with {coupon}]",
            "buy {items} for delivery to {delivery}[, using {coupon}]",
            "place an order for {items}, to be shipped to {delivery}[, and apply {coupon}]",
            "get me {items}, sent to {delivery}[, and use {coupon}]",
        ),
        reply=("You have ordered {lines} for {total}, to arrive on {arrives_on}.",),
        where=relations.ORDERING,
    )
    def place_order(self, items: rec.Items, delivery: rec.Delivery, coupon: rec.CouponId | None = None) -> rec.Order:
        """Order products, of one or several sellers, for the signed-in customer.

        Args:
            items: Products and how many of each; every product once.
            delivery: Where the order goes, and how fast.
            coupon: Coupon to use.
        """
        rules.check_once_each(items)
        bought = [(self.products.require(item.product_id), item.quantity) for item in items]
        rules.check_stock(bought)
        today = self.now.date()
        used = None
        if coupon is not None:
            used = rules.used(self.coupons.require(coupon), self._own(self.orders), bought, today)
            self.coupons.replace(used)
        for product, quantity in bought:
            self.products.replace(product.evolve(stock=product.stock - quantity))
        return self.orders.insert(rules.new_order(self.new_id("ORD"), self.customer_id, bought, delivery, used, today))

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
    def list_orders(self, status: rec.Status | None = None, page: PageNumber = 1) -> rec.OrderPage:
        """List the signed-in customer's orders in short, the latest first.

        Args:
            status: Only orders that stand like this.
            page: Page of the results, five orders each.
        """
        found = [order for order in self._own(self.orders) if status in (None, order.status)]
        found.sort(key=lambda order: (order.ordered_on, order.id), reverse=True)
        return rec.OrderPage.of([rules.summary(order) for order in found], page)

    @tool(
        ask=(
            "check on {order_id}",
            "tell me how things stand with {order_id}",
            "look up {order_id} for me",
            "find out what is in {order_id} and where it is now",
        ),
        reply=("The order of {ordered_on} is {status}: {lines} for {total}, going to {address} in {city}.",),
        where=relations.LOOKING,
    )
    def get_order(self, order_id: rec.OrderId) -> rec.Order:
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
        where=relations.REDIRECTING,
    )
    def change_address(self, order_id: rec.OrderId, address_id: rec.AddressId) -> rec.Order:
        """Send an order that is not yet shipped to a saved address; free until it is packed, then 3 dollars.

        Args:
            order_id: Order to redirect.
            address_id: Saved address that it shall go to.
        """
        order = self._unshipped(order_id)
        place = owned(self.addresses.require(address_id), "customer_id", self.customer_id)
        return self.orders.replace(rules.redirected(order, place))

    @tool(
        writes=True,
        ask=(
            "cancel {order_id}",
            "call off {order_id}",
            "stop {order_id} before it ships",
            "cancel {order_id} for me and get my money back",
        ),
        reply=("The order is cancelled. The fee is {fee}, and {refund} will be paid back.",),
        where=relations.CANCELLING,
    )
    def cancel_order(self, order_id: rec.OrderId) -> rec.Cancellation:
        """Cancel an order that is not yet shipped; free until it is packed, then a tenth of the total.

        Args:
            order_id: Order to cancel.
        """
        order = self._unshipped(order_id)
        fee = rules.cancellation_fee(order)
        refund = cents(order.total - fee)
        for line in order.lines:
            product = self.products.require(line.product_id)
            self.products.replace(product.evolve(stock=product.stock + line.quantity))
        if order.coupon is not None:
            coupon = self.coupons.require(order.coupon)
            self.coupons.replace(coupon.evolve(uses_left=coupon.uses_left + 1))
        self.orders.replace(order.evolve(status="cancelled", fee=cents(order.fee + fee), refunded=refund))
        return rec.Cancellation(order_id=order.id, fee=fee, refund=refund)

    @tool(
        writes=True,
        ask=(
            "return {items} from {order_id}, reason: {reason}",
            "send back {items} from {order_id}, giving {reason} as the reason",
            "start a return of {items} from {order_id} and mark it as {reason}",
            "get me a refund for {items} from {order_id} with the reason {reason}",
        ),
        reply=("The return is registered. You get back {refund}; the postage was {postage}.",),
        where=relations.RETURNING,
    )
    def return_items(self, order_id: rec.OrderId, items: rec.Items, reason: rec.Reason) -> rec.Return:
        """Send back delivered items within 30 days of delivery; unwanted ones cost 4.99 in postage.

        Args:
            order_id: Order that the items belong to.
            items: Products and how many of each; every product once.
            reason: Why they are sent back.
        """
        order = self._mine(order_id)
        changed = rules.returned(order, items, self.now.date())
        made = rules.new_return(self.new_id("RET"), order, items, reason, self.now.date())
        self.orders.replace(changed.evolve(refunded=cents(order.refunded + made.refund)))
        return self.returns.insert(made)

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
        where=relations.RATING,
    )
    def rate_seller(
        self,
        order_id: rec.OrderId,
        seller_id: rec.SellerId,
        stars: rec.Stars,
        comment: rec.Comment | None = None,
    ) -> rec.PostedRating:
        """Rate a seller for an order that was delivered; once a seller and order.

        Args:
            order_id: Order that is rated.
            seller_id: Seller who sent something of it.
            stars: One to five stars.
            comment: What there is to say about it.
        """
        order = self._mine(order_id)
        seller = self._seller_in(order, seller_id)
        rules.check_ratable(order, seller, self.ratings.values())
        rated = self.sellers.replace(rules.rated(seller, stars))
        rating = rec.Rating(
            id=self.new_id("RAT"), order_id=order.id, seller_id=seller.id, customer_id=self.customer_id, stars=stars,
            comment=comment,
        )  # fmt: skip
        self.ratings.insert(rating)
        return rec.PostedRating(rating_id=rating.id, seller_rating=rated.rating, ratings=rated.ratings)

    @tool(
        writes=True,
        ask=(
            "write to {seller_id} about {order_id} and say '{text}'",
            "send {seller_id} the message '{text}' about {order_id}",
            "contact {seller_id} regarding {order_id} and write '{text}'",
            "get in touch with {seller_id} about {order_id} with the words '{text}'",
        ),
        reply=("Your message is on its way; expect an answer by {answer_by}.",),
        where=relations.WRITING,
    )
    def message_seller(self, order_id: rec.OrderId, seller_id: rec.SellerId, text: rec.Words) -> rec.SentMessage:
        """Write to a seller about an order; three messages a day to one seller.

        Args:
            order_id: Order that the message is about.
            seller_id: Seller who sends something of it.
            text: What to say.
        """
        seller = self._seller_in(self._mine(order_id), seller_id)
        rules.check_messages(seller, self._own(self.messages), self.now.date())
        message = rec.Message(
            id=self.new_id("MSG"), seller_id=seller.id, customer_id=self.customer_id, order_id=order_id, text=text,
            sent_at=self.now, answer_by=self.now + dt.timedelta(hours=seller.answers_within),
        )  # fmt: skip
        self.messages.insert(message)
        return rec.SentMessage(message_id=message.id, answer_by=message.answer_by)

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
    def list_addresses(self, city: rec.City | None = None, page: PageNumber = 1) -> rec.AddressPage:
        """List the signed-in customer's saved addresses, by nickname.

        Args:
            city: Only addresses in this city.
            page: Page of the results, five addresses each.
        """
        found = [address for address in self._own(self.addresses) if city in (None, address.city)]
        found.sort(key=lambda address: address.nickname)
        return rec.AddressPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "save {address} in {city} as my {nickname} address",
            "remember {address} in {city} as my {nickname} address",
            "add {address} in {city} to my account as my {nickname} address",
            "keep {address} in {city} on file as my {nickname} address",
        ),
        reply=("Saved: {address} in {city} is your {nickname} address now; you keep {saved}.",),
        where=relations.SAVING,
    )
    def save_address(self, nickname: rec.Nickname, address: rec.Street, city: rec.City) -> rec.SavedAddress:
        """Save an address for later orders; eight at most, each under a nickname of its own.

        Args:
            nickname: What to call it.
            address: Street and number.
            city: City, by its English name.
        """
        own = self._own(self.addresses)
        rules.check_new_address(nickname, own)
        saved = rec.Address(
            id=self.new_id("ADR"), customer_id=self.customer_id, nickname=nickname, address=address, city=city
        )
        self.addresses.insert(saved)
        return rec.SavedAddress(address_id=saved.id, saved=len(own) + 1)

    def _mine(self, order_id: str) -> rec.Order:
        return owned(self.orders.require(order_id), "customer_id", self.customer_id)

    def _own(self, table: Table[C]) -> list[C]:
        return [record for record in table.values() if record.customer_id == self.customer_id]

    def _unshipped(self, order_id: str) -> rec.Order:
        return rules.unshipped(self._mine(order_id))

    def _seller_in(self, order: rec.Order, seller_id: str) -> rec.Seller:
        return rules.seller_in(order, self.sellers.require(seller_id))

    @classmethod
    def scenario(cls, world: World, size: int) -> MarketplaceOrders:
        """Shops and their products, the user's own orders in every status, and other customers' orders and ratings."""
        return cls.model_validate(market(world, size))
