"""A returns desk: have things taken back for a refund, store credit or an exchange, and settle what was inspected.

Whether something is taken back follows from its category, its seal, the reason and the days since delivery; what it
brings follows from the remedy, the reason and the way in which it is sent. What an exchange needs is kept aside.
"""

import datetime as dt
from typing import Self, TypeVar

from envfactory.catalogue.commerce import _returns_records as rec
from envfactory.catalogue.commerce import _returns_relations as relations
from envfactory.catalogue.commerce import _returns_rules as rules
from envfactory.catalogue.commerce._returns_scenario import returns_desk
from envfactory.environment import Environment, PageNumber, Table, ToolError, World, cents, owned, standing, tool

S = TypeVar("S", rec.BoughtItem, rec.ReturnCase)


class ReturnsAndRefunds(Environment):
    """Look after a shopper's returns: ask for them, send them, exchange, and settle what the inspection found."""

    domain = "commerce"
    policy = """Days after delivery in which things are taken back: clothing 60, electronics 14, cosmetics, books and
    furniture 30; twice as long for a wrong description, a year for a defect. Opened cosmetics and final sales come
    back for these faults alone. Opened electronics lose 15 percent of the price, opened furniture 10, unless there is a
    fault or an exchange. Store credit is worth 10 percent more than a refund. Postage is taken off: a counter code
    3.99, a printed label 4.99, a home pickup 9.99, the only way for furniture; faults and exchanges travel free.
    Exchanges are for another size or colour of the same product. A return is sent within 14 days, which can be put
    off by 7 once; six at most can wait to be sent. It can be cancelled until it is sent; asking again then gives no new
    days but for a fault. What does not come back as new gets an offer: accept it, contest it once within 7 days, or
    have the item sent back for 6.99, which is final.
    Never ask for a return without knowing the reason and what the shopper wants for it."""
    sources = (
        "Shopify Admin GraphQL API, Returns, Reverse Deliveries and Exchanges",
        "eBay Post-Order API, Returns",
        "Loop Returns API, Returns and Exchanges",
        "Zalando and Amazon return policies by category",
    )

    shopper_id: rec.ShopperId
    """Shopper whose session this is."""
    shoppers: Table[rec.Shopper]
    articles: Table[rec.ExchangeArticle]
    items: Table[rec.BoughtItem]
    returns: Table[rec.ReturnCase]

    @tool(
        ask=(
            "list my {category} purchases[returnable? that I can still send back]",
            "show me what {category} I bought[returnable? and may still return]",
            "look up the {category} I ordered[returnable? that can still go back]",
            "check which {category} I have bought[returnable? and could still return]",
        ),
        noun="{category} purchase of mine[returnable? that can still go back]",
        reply=("You bought {items}.", "You have bought nothing like that."),
    )
    def list_purchases(self, category: rec.Category, returnable: bool = False, page: PageNumber = 1) -> rec.ItemPage:
        """List what the signed-in shopper bought of a kind, the latest delivery first.

        Args:
            category: Kind of goods.
            returnable: Only what is kept and can still be returned without a fault.
            page: Page of the results, five items each.
        """
        today = self.now.date()
        bought = [item for item in self._own(self.items) if item.category == category]
        found = [item for item in bought if not returnable or rules.returnable(item, today)]
        found.sort(key=lambda item: (item.delivered_on, item.id), reverse=True)
        return rec.ItemPage.of(found, page)

    @tool(
        ask=(
            "tell me the return terms for {category}",
            "check how long {category} can be returned and on what terms",
            "look up the return rules for {category}",
            "find out whether opened {category} can be sent back",
        ),
        reply=(
            (
                "{category}: {days} after delivery, {description_days} if wrongly described, {defect_days} for defects."
                " Opened goods are {opened}."
            ),
        ),
    )
    def get_terms(self, category: rec.Category) -> rec.CategoryTerms:
        """Get the terms on which goods of a kind are taken back: days, opened goods, ways of sending.

        Args:
            category: Kind of goods.
        """
        return rules.terms_of(category)

    @tool(
        ask=(
            "work out what I would get for {item_id} if I returned it because of {reason}",
            "check what returning {item_id} for {reason} would bring",
            "find out until when {item_id} can go back because of {reason} and for how much",
            "quote me a return of {item_id} because of {reason}",
        ),
        reply=("It can be returned until {until}, for {offers}; postage starts at {postage}.",),
        where=relations.RETURNING,
    )
    def quote_return(self, item_id: rec.ItemId, reason: rec.Reason) -> rec.ReturnQuote:
        """Work out what returning an item would bring, as a refund and as store credit, without asking for it.

        Args:
            item_id: Item of the signed-in shopper.
            reason: Why it would go back.
        """
        item = self._kept(item_id)
        rules.check_reason(item, reason, self.now.date())
        return rules.quote(item, reason)

    @tool(
        writes=True,
        ask=(
            "return {item_id} because of {reason}, for {remedy}",
            "send {item_id} back for {remedy}, because of {reason}",
            "claim {remedy} for {item_id} because of {reason}",
            "start a return of {item_id} because of {reason}, for {remedy}",
        ),
        reply=("The {product} return is authorised, for {remedy} of {amount}; send it by {send_by}.",),
        where=relations.RETURNING,
    )
    def request_return(self, item_id: rec.ItemId, reason: rec.Reason, remedy: rec.PaidRemedy) -> rec.ReturnCase:
        """Ask for an item to be taken back for a refund or for store credit, within the window of its category.

        Args:
            item_id: Item to return.
            reason: Why it goes back; a wrong size only for clothing.
            remedy: What the shopper gets for it.
        """
        item, today = self._kept(item_id), self.now.date()
        rules.check_reason(item, reason, today)
        asked = rules.new_case(self.new_id("RT"), item, reason, today).evolve(remedy=remedy)
        return self._open(rules.priced(asked, item))

    @tool(
        ask=(
            "find out what {item_id} can be exchanged for",
            "show me the other sizes or colours of {item_id} that are in stock",
            "check in which sizes or colours I could get {item_id} instead",
            "look up exchanges for {item_id}",
        ),
        noun="other size or colour of {item_id}",
        reply=("You can have {articles}.", "There is none in stock."),
        where=relations.KEPT,
    )
    def find_exchanges(self, item_id: rec.ItemId, page: PageNumber = 1) -> rec.ArticlePage:
        """Find the other sizes or colours of an item's product that are in stock, the cheapest first.

        Args:
            item_id: Item of the signed-in shopper.
            page: Page of the results, five articles each.
        """
        item = self._kept(item_id)
        rules.check_not_final(item)
        alike = [article for article in self.articles.values() if article.product == item.product]
        found = [article for article in alike if article.variant != item.variant and article.stock]
        found.sort(key=lambda article: (article.price, article.id))
        return rec.ArticlePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "exchange {item_id} for {article_id} because of {reason}",
            "swap {item_id} for {article_id}, because of {reason}",
            "send {item_id} back for {article_id} instead, because of {reason}",
            "trade {item_id} in for {article_id}, because of {reason}",
        ),
        reply=(
            (
                "The exchange for one in {exchange} is authorised: {to_pay} to pay, {amount} back. Send the {product}"
                " by {send_by}."
            ),
        ),
        where=relations.EXCHANGING,
    )
    def request_exchange(self, item_id: rec.ItemId, article_id: rec.ArticleId, reason: rec.Reason) -> rec.ReturnCase:
        """Ask for an item to be exchanged for another size or colour of the same product.

        Args:
            item_id: Item to return.
            article_id: Article of the same product to get for it; a piece is kept aside.
            reason: Why it goes back; a wrong size only for clothing.
        """
        item, today = self._kept(item_id), self.now.date()
        rules.check_reason(item, reason, today)
        article = self.articles.require(article_id)
        if article.product != item.product:
            raise ToolError("invalid_argument", f"The {item.product} is exchanged for another size or colour alone.")
        if article.variant == item.variant:
            raise ToolError("invalid_argument", f"You have the {item.product} in {item.variant}; choose another one.")
        if not article.stock:
            raise ToolError("conflict", f"The {article.product} in {article.variant} is sold out.")
        asked = rules.new_case(self.new_id("RT"), item, reason, today)
        made = self._open(rules.priced(asked.evolve(remedy="an_exchange", exchange=article.variant), item, article))
        self.articles.replace(article.evolve(stock=article.stock - 1))
        return made

    @tool(
        ask=(
            "list my returns[ that are {status}]",
            "show me what I am sending back or have sent back[, with the status {status}]",
            "check how my[ {status}] returns stand",
            "go through my[ {status}] returns",
        ),
        noun="[{status} ]return of mine",
        reply=("Your returns: {returns}. They come to {worth}.", "You have no such return."),
    )
    def list_returns(self, status: rec.Status | None = None, page: PageNumber = 1) -> rec.ReturnPage:
        """List the signed-in shopper's returns, the latest first, with the store credit that there is.

        Args:
            status: Only returns that stand so.
            page: Page of the results, five returns each.
        """
        found = [case for case in self._own(self.returns) if status in (None, case.status)]
        found.sort(key=lambda case: (case.asked_on, case.id), reverse=True)
        credit = self.shoppers.require(self.shopper_id).credit
        return rec.ReturnPage.of(found, page, worth=cents(sum(case.amount for case in found)), credit=credit)

    @tool(
        ask=(
            "tell me how {return_id} stands and how its amount comes about",
            "check what {return_id} brings and where it stands",
            "give me the details of {return_id}",
            "look up where {return_id} stands",
        ),
        reply=(
            (
                "The {product} return is {status}: it came back {grade}, so {offer} is offered. The last day to contest"
                " that is {answer_by}."
            ),
            "The {product} return is {status}: it came back {grade}, so {offer} is offered.",
            (
                "The {product} return is {status} and brings {amount}; the last day to send it is"
                " {send_by}[lapsed?, which is over]."
            ),
            "The {product} return is {status}; it brings {amount}.",
        ),
        where=relations.LOOKING,
    )
    def get_return(self, return_id: rec.ReturnId) -> rec.ReturnDetails:
        """Get how a return stands: how its amount comes about, by when to send it, what the inspection found.

        Args:
            return_id: Return to look at.
        """
        case = self._mine(self.returns, return_id)
        return rules.details(case, self.items.require(case.item_id), self.now.date())

    @tool(
        writes=True,
        ask=(
            "arrange {way} for {return_id}",
            "set up {way} for {return_id}",
            "use {way} for {return_id}",
            "book {way} for {return_id}",
        ),
        reply=("The {product} goes back with {way}; you get {amount}.",),
        where=relations.CHOOSING,
    )
    def choose_way(self, return_id: rec.ReturnId, way: rec.Way) -> rec.ReturnCase:
        """Choose how a return is sent, or choose anew; postage is taken off its amount unless it travels free.

        Args:
            return_id: Return that is not sent yet.
            way: How it is sent; furniture only by a home pickup.
        """
        case = self._unsent(return_id, "labelled")
        rules.check_way(way, case)
        return self._reprice(case.evolve(way=way, status="labelled"))

    @tool(
        writes=True,
        ask=(
            "let me have {remedy} for {return_id} instead",
            "change {return_id} to {remedy}",
            "switch {return_id} over to {remedy}",
            "make it {remedy} for {return_id}",
        ),
        reply=("For the {product} you get {remedy} of {amount} now.",),
        where=relations.CHANGING,
    )
    def change_remedy(self, return_id: rec.ReturnId, remedy: rec.PaidRemedy) -> rec.ReturnCase:
        """Take a refund or store credit for a return instead, until it is inspected; an exchange is called off.

        Args:
            return_id: Return to change.
            remedy: What the shopper gets for it.
        """
        case = standing(self._mine(self.returns, return_id), rules.UNINSPECTED, "changed")
        rules.check_sendable(case, self.now.date())
        rules.check_remedy(remedy, case)
        self._release(case)
        return self._reprice(case.evolve(remedy=remedy, exchange=None))

    @tool(
        writes=True,
        ask=(
            "ask for another week to send {return_id}",
            "put off the last day for {return_id} by a week",
            "extend the time that I have to send {return_id}",
            "prolong the time to send {return_id} by a week",
        ),
        reply=("You have until {send_by} to send the {product}.",),
        where=relations.EXTENDING,
    )
    def extend_return(self, return_id: rec.ReturnId) -> rec.ReturnCase:
        """Put off the day by which a return has to be sent by seven days, once.

        Args:
            return_id: Return that is not sent yet.
        """
        case = self._unsent(return_id, "extended")
        rules.check_not_extended(case)
        later = case.send_by + dt.timedelta(days=rules.EXTENSION_DAYS)
        return self.returns.replace(case.evolve(send_by=later, extended=True))

    @tool(
        writes=True,
        ask=(
            "cancel {return_id}",
            "call off {return_id}, I am keeping it",
            "stop {return_id}",
            "withdraw {return_id}",
        ),
        reply=("The return is cancelled; you keep the {product}.",),
        where=relations.CANCELLING,
    )
    def cancel_return(self, return_id: rec.ReturnId) -> rec.ReturnCase:
        """Cancel a return that is not sent yet, also one whose days have passed; the shopper keeps the item.

        Without a fault it can be asked for again, but until the day by which it had to be sent.

        Args:
            return_id: Return to cancel.
        """
        case = standing(self._mine(self.returns, return_id), rules.UNSENT, "cancelled")
        self._release(case)
        item = self.items.require(case.item_id).evolve(status="kept")
        if case.reason not in rules.FAULTS:
            item = item.evolve(send_by=case.send_by, extended=case.extended)
        self.items.replace(item)
        return self.returns.replace(case.evolve(status="cancelled", amount=0.0, to_pay=0.0))

    @tool(
        writes=True,
        ask=(
            "accept the offer for {return_id}",
            "take what they offer for {return_id}",
            "agree to the inspection of {return_id}",
            "settle {return_id} for what is offered",
        ),
        reply=("The {product} return is settled: you get {remedy} of {amount}.",),
        where=relations.SETTLING,
    )
    def accept_offer(self, return_id: rec.ReturnId) -> rec.ReturnCase:
        """Accept what is offered for an item that did not come back as new, also after contesting it.

        Args:
            return_id: Return that was inspected.
        """
        case = standing(self._mine(self.returns, return_id), rules.OFFERED, "settled")
        offer = case.offer or 0.0
        if case.remedy == "store_credit":
            shopper = self.shoppers.require(self.shopper_id)
            self.shoppers.replace(shopper.evolve(credit=cents(shopper.credit + offer)))
        self.items.replace(self.items.require(case.item_id).evolve(status="returned"))
        return self.returns.replace(case.evolve(status="settled", amount=offer))

    @tool(
        writes=True,
        ask=(
            "contest the inspection of {return_id}: '{objection}'",
            "object to what was found on {return_id} with the words '{objection}'",
            "tell them '{objection}' about the inspection of {return_id}",
            "dispute the offer for {return_id}, saying '{objection}'",
        ),
        reply=("The inspection of the {product} is contested and will be looked at again.",),
        where=relations.CONTESTING,
    )
    def contest_inspection(self, return_id: rec.ReturnId, objection: rec.Objection) -> rec.ReturnCase:
        """Contest what the inspection found, once and within seven days of it.

        Args:
            return_id: Return that was inspected.
            objection: What the shopper objects.
        """
        case = standing(self._mine(self.returns, return_id), ("inspected",), "contested")
        rules.check_contestable(case, self.now.date())
        return self.returns.replace(case.evolve(status="contested", objection=objection))

    @tool(
        writes=True,
        ask=(
            "have the item of {return_id} sent back to me",
            "decline the offer for {return_id} and get the item back",
            "let them send me back what I returned with {return_id}",
            "turn down the offer for {return_id}, I want it back",
        ),
        reply=("The {product} comes back to you; that costs {fee}.",),
        where=relations.SETTLING,
    )
    def have_sent_back(self, return_id: rec.ReturnId) -> rec.SentBack:
        """Have an item that did not come back as new sent back for a fee; it cannot be returned again.

        Args:
            return_id: Return that was inspected.
        """
        case = standing(self._mine(self.returns, return_id), rules.OFFERED, "sent back")
        self.items.replace(self.items.require(case.item_id).evolve(status="kept", reasons=()))
        self.returns.replace(case.evolve(status="sent_back", amount=0.0, to_pay=rules.SEND_BACK_FEE))
        return rec.SentBack(return_id=case.id, product=case.product, fee=rules.SEND_BACK_FEE)

    def _mine(self, table: Table[S], key: str) -> S:
        return owned(table.require(key), "shopper_id", self.shopper_id)

    def _own(self, table: Table[S]) -> list[S]:
        return [record for record in table.values() if record.shopper_id == self.shopper_id]

    def _kept(self, item_id: str) -> rec.BoughtItem:
        return standing(self._mine(self.items, item_id), ("kept",), "returned or exchanged")

    def _unsent(self, return_id: str, done: str) -> rec.ReturnCase:
        case = standing(self._mine(self.returns, return_id), rules.UNSENT, done)
        rules.check_sendable(case, self.now.date())
        return case

    def _open(self, case: rec.ReturnCase) -> rec.ReturnCase:
        rules.check_unsent(self._own(self.returns))
        self.items.replace(self.items.require(case.item_id).evolve(status="returning"))
        return self.returns.insert(case)

    def _reprice(self, case: rec.ReturnCase) -> rec.ReturnCase:
        article = rules.kept_aside(case, self.articles.values())
        return self.returns.replace(rules.priced(case, self.items.require(case.item_id), article))

    def _release(self, case: rec.ReturnCase) -> None:
        """Put the piece that was kept aside for an exchange back in stock."""
        article = rules.kept_aside(case, self.articles.values())
        if article is not None:
            self.articles.replace(article.evolve(stock=article.stock + 1))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Things bought within and past their windows, and the shopper's returns in every condition."""
        return cls.model_validate(returns_desk(world, size))
