"""A returns desk: have things taken back for a refund, store credit or an exchange, and settle what was inspected.

Whether something is taken back follows from its category, its seal, the reason and the days since delivery; what it
brings follows from the remedy, the reason and the way in which it is sent. What an exchange needs is kept aside.
"""

import datetime as dt
from typing import Annotated, Self

from pydantic import Field

from envfactory.catalogue.commerce._returns_records import (
    ArticleId,
    ArticlePage,
    BoughtItem,
    Category,
    CategoryTerms,
    ExchangeArticle,
    ItemId,
    ItemPage,
    PaidRemedy,
    Reason,
    RemedyOffer,
    ReturnCase,
    ReturnDetails,
    ReturnId,
    ReturnPage,
    ReturnQuote,
    SentBack,
    Shopper,
    ShopperId,
    Status,
    Way,
)
from envfactory.catalogue.commerce._returns_rules import (
    EXTENSION_DAYS,
    FAULTS,
    MOST_UNSENT,
    SEND_BACK_FEE,
    SEND_DAYS,
    TERMS,
    bonus,
    check_not_final,
    check_reason,
    check_sendable,
    contest_by,
    lapsed,
    last_day,
    postage,
    priced,
    restocking,
    terms_of,
    worth,
)
from envfactory.catalogue.commerce._returns_scenario import returns_desk
from envfactory.environment import (
    Dated,
    Differing,
    Ends,
    Environment,
    FieldOf,
    FreeText,
    Having,
    Owned,
    PageNumber,
    Sharing,
    Table,
    ToolError,
    World,
    cents,
    owned,
    standing,
    tool,
)

OWN_ITEM = Owned(parameter="item_id", field="shopper_id", by="shopper_id")
KEPT = Having(parameter="item_id", field="status", among=("kept",))
GOOD_REASON = FieldOf(parameter="reason", other="item_id", field="reasons[]")
OWN = Owned(parameter="return_id", field="shopper_id", by="shopper_id")
UNSENT = Having(parameter="return_id", field="status", among=("authorised", "labelled"))
IN_TIME = Dated(parameter="return_id", field="send_by", days=(0, 60))
OFFERED = Having(parameter="return_id", field="status", among=("inspected", "contested"))


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

    shopper_id: ShopperId
    """Shopper whose session this is."""
    shoppers: Table[Shopper]
    articles: Table[ExchangeArticle]
    items: Table[BoughtItem]
    returns: Table[ReturnCase]

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
    def list_purchases(self, category: Category, returnable: bool = False, page: PageNumber = 1) -> ItemPage:
        """List what the signed-in shopper bought of a kind, the latest delivery first.

        Args:
            category: Kind of goods.
            returnable: Only what is kept and can still be returned without a fault.
            page: Page of the results, five items each.
        """
        today, why = self.now.date(), "a_change_of_mind"
        found = [
            item
            for item in self.items.values()
            if (item.shopper_id, item.category) == (self.shopper_id, category)
            and (not returnable or (item.status == "kept" and why in item.reasons and today <= last_day(item, why)))
        ]
        found.sort(key=lambda item: (item.delivered_on, item.id), reverse=True)
        return ItemPage.of(found, page)

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
    def get_terms(self, category: Category) -> CategoryTerms:
        """Get the terms on which goods of a kind are taken back: days, opened goods, ways of sending.

        Args:
            category: Kind of goods.
        """
        return terms_of(category)

    @tool(
        ask=(
            "work out what I would get for {item_id} if I returned it because of {reason}",
            "check what returning {item_id} for {reason} would bring",
            "find out until when {item_id} can go back because of {reason} and for how much",
            "quote me a return of {item_id} because of {reason}",
        ),
        reply=("It can be returned until {until}, for {offers}; postage starts at {postage}.",),
        where=(OWN_ITEM, KEPT, GOOD_REASON),
    )
    def quote_return(self, item_id: ItemId, reason: Reason) -> ReturnQuote:
        """Work out what returning an item would bring, as a refund and as store credit, without asking for it.

        Args:
            item_id: Item of the signed-in shopper.
            reason: Why it would go back.
        """
        item = self._returnable(item_id, reason)
        remedies: tuple[PaidRemedy, ...] = ("a_refund", "store_credit")
        return ReturnQuote(
            item_id=item.id, product=item.product, until=last_day(item, reason),
            restocking=restocking(item, reason, "a_refund"),
            postage=min(postage(way, reason, "a_refund") for way in TERMS[item.category].ways),
            offers=tuple(RemedyOffer(remedy=r, amount=worth(item, reason, r)) for r in remedies),
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "return {item_id} because of {reason}, for {remedy}",
            "send {item_id} back for {remedy}, because of {reason}",
            "claim {remedy} for {item_id} because of {reason}",
            "start a return of {item_id} because of {reason}, for {remedy}",
        ),
        reply=("The {product} return is authorised, for {remedy} of {amount}; send it by {send_by}.",),
        where=(OWN_ITEM, KEPT, GOOD_REASON),
    )
    def request_return(self, item_id: ItemId, reason: Reason, remedy: PaidRemedy) -> ReturnCase:
        """Ask for an item to be taken back for a refund or for store credit, within the window of its category.

        Args:
            item_id: Item to return.
            reason: Why it goes back; a wrong size only for clothing.
            remedy: What the shopper gets for it.
        """
        item = self._returnable(item_id, reason)
        return self._open(priced(self._case(item, reason).evolve(remedy=remedy), item))

    @tool(
        ask=(
            "find out what {item_id} can be exchanged for",
            "show me the other sizes or colours of {item_id} that are in stock",
            "check in which sizes or colours I could get {item_id} instead",
            "look up exchanges for {item_id}",
        ),
        noun="other size or colour of {item_id}",
        reply=("You can have {articles}.", "There is none in stock."),
        where=(OWN_ITEM, KEPT),
    )
    def find_exchanges(self, item_id: ItemId, page: PageNumber = 1) -> ArticlePage:
        """Find the other sizes or colours of an item's product that are in stock, the cheapest first.

        Args:
            item_id: Item of the signed-in shopper.
            page: Page of the results, five articles each.
        """
        item = self._mine(item_id)
        check_not_final(item)
        found = [
            article
            for article in self.articles.values()
            if article.product == item.product and article.variant != item.variant and article.stock
        ]
        found.sort(key=lambda article: (article.price, article.id))
        return ArticlePage.of(found, page)

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
        where=(
            OWN_ITEM,
            KEPT,
            GOOD_REASON,
            Sharing(parameter="article_id", other="item_id", fields=("product",)),
        ),
    )
    def request_exchange(self, item_id: ItemId, article_id: ArticleId, reason: Reason) -> ReturnCase:
        """Ask for an item to be exchanged for another size or colour of the same product.

        Args:
            item_id: Item to return.
            article_id: Article of the same product to get for it; a piece is kept aside.
            reason: Why it goes back; a wrong size only for clothing.
        """
        item, article = self._returnable(item_id, reason), self.articles.require(article_id)
        if article.product != item.product:
            raise ToolError("invalid_argument", f"The {item.product} is exchanged for another size or colour alone.")
        if article.variant == item.variant:
            raise ToolError("invalid_argument", f"You have the {item.product} in {item.variant}; choose another one.")
        if not article.stock:
            raise ToolError("conflict", f"The {article.product} in {article.variant} is sold out.")
        case = self._case(item, reason).evolve(remedy="an_exchange", exchange=article.variant)
        made = self._open(priced(case, item, article))
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
    def list_returns(self, status: Status | None = None, page: PageNumber = 1) -> ReturnPage:
        """List the signed-in shopper's returns, the latest first, with the store credit that there is.

        Args:
            status: Only returns that stand so.
            page: Page of the results, five returns each.
        """
        found = [
            case
            for case in self.returns.values()
            if case.shopper_id == self.shopper_id and status in (None, case.status)
        ]
        found.sort(key=lambda case: (case.asked_on, case.id), reverse=True)
        credit = self.shoppers.require(self.shopper_id).credit
        return ReturnPage.of(found, page, worth=cents(sum(case.amount for case in found)), credit=credit)

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
        where=(OWN,),
    )
    def get_return(self, return_id: ReturnId) -> ReturnDetails:
        """Get how a return stands: how its amount comes about, by when to send it, what the inspection found.

        Args:
            return_id: Return to look at.
        """
        case = self._own(return_id)
        item = self.items.require(case.item_id)
        about = (item, case.reason, case.remedy)
        offered, unsent = case.status in ("inspected", "contested"), case.status in ("authorised", "labelled")
        return ReturnDetails(
            return_id=case.id, product=case.product, status=case.status, reason=case.reason, remedy=case.remedy,
            price=item.price, restocking=restocking(*about), bonus=bonus(*about), amount=case.amount,
            postage=postage(case.way, case.reason, case.remedy), to_pay=case.to_pay,
            send_by=case.send_by if unsent else None, lapsed=lapsed(case, self.now.date()), way=case.way,
            grade=case.grade, offer=case.offer if offered else None, exchange=case.exchange,
            answer_by=contest_by(case) if case.status == "inspected" else None,
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "arrange {way} for {return_id}",
            "set up {way} for {return_id}",
            "use {way} for {return_id}",
            "book {way} for {return_id}",
        ),
        reply=("The {product} goes back with {way}; you get {amount}.",),
        where=(
            OWN,
            UNSENT,
            IN_TIME,
            FieldOf(parameter="way", other="return_id", field="ways[]"),
            Differing(parameter="way", other="return_id", field="way"),
        ),
    )
    def choose_way(self, return_id: ReturnId, way: Way) -> ReturnCase:
        """Choose how a return is sent, or choose anew; postage is taken off its amount unless it travels free.

        Args:
            return_id: Return that is not sent yet.
            way: How it is sent; furniture only by a home pickup.
        """
        case = self._unsent(return_id, "labelled")
        if way not in case.ways:
            raise ToolError("invalid_argument", f"Furniture is fetched: the {case.product} goes by a home pickup.")
        if way == case.way:
            raise ToolError("conflict", f"The {case.product} goes back like that already.")
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
        where=(
            OWN,
            Having(parameter="return_id", field="status", among=("authorised", "labelled", "in_transit")),
            IN_TIME,
            Differing(parameter="remedy", other="return_id", field="remedy"),
        ),
    )
    def change_remedy(self, return_id: ReturnId, remedy: PaidRemedy) -> ReturnCase:
        """Take a refund or store credit for a return instead, until it is inspected; an exchange is called off.

        Args:
            return_id: Return to change.
            remedy: What the shopper gets for it.
        """
        case = standing(self._own(return_id), ("authorised", "labelled", "in_transit"), "changed")
        check_sendable(case, self.now.date())
        if remedy == case.remedy:
            raise ToolError("conflict", f"The {case.product} return brings {remedy.replace('_', ' ')} already.")
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
        where=(OWN, UNSENT, IN_TIME, Having(parameter="return_id", field="extended", among=(False,))),
    )
    def extend_return(self, return_id: ReturnId) -> ReturnCase:
        """Put off the day by which a return has to be sent by seven days, once.

        Args:
            return_id: Return that is not sent yet.
        """
        case = self._unsent(return_id, "extended")
        if case.extended:
            raise ToolError(
                "conflict", f"The {case.product} has had its extra week already: send it by {case.send_by}."
            )
        return self.returns.replace(
            case.evolve(send_by=case.send_by + dt.timedelta(days=EXTENSION_DAYS), extended=True)
        )

    @tool(
        writes=True,
        ask=(
            "cancel {return_id}",
            "call off {return_id}, I am keeping it",
            "stop {return_id}",
            "withdraw {return_id}",
        ),
        reply=("The return is cancelled; you keep the {product}.",),
        where=(OWN, UNSENT, Ends(parameter="return_id")),
    )
    def cancel_return(self, return_id: ReturnId) -> ReturnCase:
        """Cancel a return that is not sent yet, also one whose days have passed; the shopper keeps the item.

        Without a fault it can be asked for again, but until the day by which it had to be sent.

        Args:
            return_id: Return to cancel.
        """
        case = standing(self._own(return_id), ("authorised", "labelled"), "cancelled")
        self._release(case)
        item = self.items.require(case.item_id).evolve(status="kept")
        if case.reason not in FAULTS:
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
        where=(OWN, OFFERED, Ends(parameter="return_id")),
    )
    def accept_offer(self, return_id: ReturnId) -> ReturnCase:
        """Accept what is offered for an item that did not come back as new, also after contesting it.

        Args:
            return_id: Return that was inspected.
        """
        case = standing(self._own(return_id), ("inspected", "contested"), "settled")
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
        where=(
            OWN,
            Having(parameter="return_id", field="status", among=("inspected",)),
            Dated(parameter="return_id", field="inspected_on", days=(-7, 0)),
        ),
    )
    def contest_inspection(
        self,
        return_id: ReturnId,
        objection: Annotated[
            str,
            Field(min_length=5, max_length=300),
            FreeText(
                (
                    "it was like that when it came",
                    "the parcel was damaged on the way",
                    "I never used it",
                    "my photos show that it was fine",
                )
            ),
        ],
    ) -> ReturnCase:
        """Contest what the inspection found, once and within seven days of it.

        Args:
            return_id: Return that was inspected.
            objection: What the shopper objects.
        """
        case = standing(self._own(return_id), ("inspected",), "contested")
        until = contest_by(case)
        if until is None or self.now.date() > until:
            raise ToolError(
                "precondition_failed", f"It could be contested until {until}; accept it or have it sent back."
            )
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
        where=(OWN, OFFERED, Ends(parameter="return_id")),
    )
    def have_sent_back(self, return_id: ReturnId) -> SentBack:
        """Have an item that did not come back as new sent back for a fee; it cannot be returned again.

        Args:
            return_id: Return that was inspected.
        """
        case = standing(self._own(return_id), ("inspected", "contested"), "sent back")
        self.items.replace(self.items.require(case.item_id).evolve(status="kept", reasons=()))
        self.returns.replace(case.evolve(status="sent_back", amount=0.0, to_pay=SEND_BACK_FEE))
        return SentBack(return_id=case.id, product=case.product, fee=SEND_BACK_FEE)

    def _mine(self, item_id: str) -> BoughtItem:
        return standing(
            owned(self.items.require(item_id), "shopper_id", self.shopper_id), ("kept",), "returned or exchanged"
        )

    def _returnable(self, item_id: str, reason: Reason) -> BoughtItem:
        item = self._mine(item_id)
        check_reason(item, reason, self.now.date())
        return item

    def _own(self, return_id: str) -> ReturnCase:
        return owned(self.returns.require(return_id), "shopper_id", self.shopper_id)

    def _unsent(self, return_id: str, done: str) -> ReturnCase:
        case = standing(self._own(return_id), ("authorised", "labelled"), done)
        check_sendable(case, self.now.date())
        return case

    def _case(self, item: BoughtItem, reason: Reason) -> ReturnCase:
        """A return of an item that is not priced yet; what was cancelled before goes on with the days it had."""
        today = self.now.date()
        again = item.send_by if reason not in FAULTS else None
        return ReturnCase(
            id=self.new_id("RT"), shopper_id=self.shopper_id, item_id=item.id, product=item.product,
            category=item.category, reason=reason, remedy="a_refund", ways=TERMS[item.category].ways, amount=0.0,
            asked_on=today, send_by=again or today + dt.timedelta(days=SEND_DAYS), status="authorised",
            extended=item.extended and again is not None,
        )  # fmt: skip

    def _open(self, case: ReturnCase) -> ReturnCase:
        unsent = [
            c
            for c in self.returns.values()
            if c.shopper_id == self.shopper_id and c.status in ("authorised", "labelled")
        ]
        if len(unsent) >= MOST_UNSENT:
            raise ToolError("limit_exceeded", f"{MOST_UNSENT} returns wait to be sent; send or cancel one first.")
        self.items.replace(self.items.require(case.item_id).evolve(status="returning"))
        return self.returns.insert(case)

    def _reprice(self, case: ReturnCase) -> ReturnCase:
        article = self._kept_aside(case)
        return self.returns.replace(priced(case, self.items.require(case.item_id), article))

    def _kept_aside(self, case: ReturnCase) -> ExchangeArticle | None:
        wanted = (case.product, case.exchange)
        return next((a for a in self.articles.values() if (a.product, a.variant) == wanted), None)

    def _release(self, case: ReturnCase) -> None:
        """Put the piece that was kept aside for an exchange back in stock."""
        article = self._kept_aside(case)
        if article is not None:
            self.articles.replace(article.evolve(stock=article.stock + 1))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Things bought within and past their windows, and the shopper's returns in every condition."""
        return cls.model_validate(returns_desk(world, size))
