"""Records and results of the returns desk: what was bought, what it can be exchanged for, and returns."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Money, Output, Page, Ranked, Record, Ref, Unit, Value

ShopperId = Annotated[str, Ref("Shopper")]
ItemId = Annotated[str, Ref("BoughtItem")]
ArticleId = Annotated[str, Ref("ExchangeArticle")]
ReturnId = Annotated[str, Ref("ReturnCase")]
Category = Annotated[
    Literal["clothing", "electronics", "cosmetics", "books", "furniture"], Value("return_category", "Kind of goods.")
]
Reason = Annotated[
    Literal["a_change_of_mind", "a_wrong_size", "a_defect", "a_wrong_description"],
    Value("return_reason", "Why something goes back; the last two are the shop's fault."),
]
Remedy = Annotated[
    Literal["a_refund", "store_credit", "an_exchange"], Value("return_remedy", "What the shopper gets for it.")
]
PaidRemedy = Annotated[
    Literal["a_refund", "store_credit"], Value("paid_remedy", "Money back on the card, or credit in the shop.")
]
Way = Annotated[
    Literal["a_counter_code", "a_printed_label", "a_home_pickup"], Value("return_way", "How something is sent back.")
]
Status = Annotated[
    Literal[
        "authorised", "labelled", "in_transit", "inspected", "contested", "settled", "cancelled", "sent_back"
    ],
    Value("return_status", "Where a return stands."),
]  # fmt: skip
Grade = Annotated[Literal["as_new", "worn", "damaged"], Value("item_grade", "State in which something came back.")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Days = Annotated[int, Field(ge=0), Unit("day")]
Objection = Annotated[
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
]
Name = Annotated[str, Value("bought_product", "Name of a product that was bought.")]


class Shopper(Record, noun="shopper", label="{name}"):
    """Somebody with an account."""

    id: ShopperId
    """Identifier of the shopper."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]
    credit: Money
    """Store credit that is left."""


class ExchangeArticle(
    Record, noun="article", label="the {product} in {variant}", listing="{product} in {variant} ({price}, {stock} left)"
):
    """A product in one size or colour."""

    id: ArticleId
    """Identifier of the article."""
    product: Name
    variant: str
    """Size or colour."""
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """What it costs now."""
    stock: Annotated[int, Field(ge=0), Unit("piece")]
    """How many are left."""


class BoughtItem(
    Record,
    noun="item",
    label="the {product}[ of {delivered_on}]",
    listing="{product} in {variant} ({price}, delivered on {delivered_on}, {status})",
):
    """One piece that somebody bought."""

    id: ItemId
    """Identifier of the item."""
    shopper_id: ShopperId
    """Who bought it."""
    product: Name
    variant: str
    """Size or colour."""
    category: Category
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """What was paid for it."""
    delivered_on: dt.date
    """Day on which it came."""
    opened: bool
    """Whether its seal is broken."""
    final_sale: bool = False
    """Whether it was sold as final, so that only faults bring it back."""
    reasons: tuple[Reason, ...]
    """Reasons for which such an item is taken back, its windows aside."""
    status: Literal["kept", "returning", "returned"] = "kept"
    """Whether the shopper keeps it, is returning it, or has returned it."""
    extended: bool = False
    """Whether the time to send it was put off already."""
    send_by: dt.date | None = None
    """Last day on which it can be asked for again and sent without a fault, once a return of it was cancelled."""


class ReturnCase(
    Record,
    noun="return",
    label="the {product} return[ of {asked_on}]",
    listing="the {product} return ({status}, {remedy})",
):
    """One item on its way back."""

    id: ReturnId
    """Identifier of the return."""
    shopper_id: ShopperId
    """Who returns it."""
    item_id: ItemId
    """Item that goes back."""
    product: Name
    category: Category
    reason: Reason
    remedy: Remedy
    ways: tuple[Way, ...]
    """Ways in which it can be sent."""
    amount: Annotated[AmountDue, Ranked("smallest", "largest")]
    """What the shopper gets, fees taken off."""
    to_pay: Money = 0
    """What a dearer exchange costs on top."""
    asked_on: dt.date
    """When it was asked for."""
    send_by: dt.date
    """Last day on which it can be sent."""
    extended: bool = False
    """Whether that day was put off already."""
    status: Status
    exchange: str | None = None
    """Size or colour that it is exchanged for; a piece is kept aside."""
    way: Way | None = None
    inspected_on: dt.date | None = None
    """When it was looked at in the warehouse."""
    grade: Grade | None = None
    offer: Money | None = None
    """What is offered instead of the amount, as it did not come back as new."""
    objection: Annotated[str | None, FreeText()] = None
    """What the shopper objects to the inspection."""


class ItemPage(Page):
    """A page of items."""

    items: tuple[BoughtItem, ...]
    """The items on this page."""


class ArticlePage(Page):
    """A page of articles."""

    articles: tuple[ExchangeArticle, ...]
    """The articles on this page."""


class ReturnPage(Page):
    """A page of returns."""

    returns: tuple[ReturnCase, ...]
    """The returns on this page."""
    worth: Money
    """What all that match bring together."""
    credit: Money
    """Store credit that the shopper has at present."""


class CategoryTerms(Output):
    """On what terms goods of one kind are taken back."""

    category: Category
    days: Days
    """Days after delivery in which minds can be changed and sizes swapped."""
    description_days: Days
    """Days after delivery in which a wrong description counts."""
    defect_days: Days
    """Days after delivery in which a defect counts."""
    opened: Literal["taken_back", "taken_back_for_a_fee", "refused"]
    """What happens to opened goods without a fault."""
    restocking_percent: Annotated[int, Unit("percent")]
    """What is kept of the price of opened goods."""
    ways: tuple[Way, ...]
    """Ways in which they can be sent."""


class RemedyOffer(Output, noun="offer", label="{remedy}", listing="{remedy} of {amount}"):
    """What a return would bring."""

    remedy: PaidRemedy
    amount: Annotated[Money, Ranked("smallest", "largest")]
    """What the shopper would get, postage aside."""


class ReturnQuote(Output):
    """What returning an item would bring."""

    item_id: ItemId
    """Item asked about."""
    product: Name
    until: dt.date
    """Last day on which it can be asked for."""
    restocking: Money
    """What is kept for opening it."""
    postage: Money
    """What sending it costs at least, unless it is exchanged."""
    offers: tuple[RemedyOffer, ...]
    """Refund and store credit."""


class ReturnDetails(Output):
    """How a return stands and how its amount comes about."""

    return_id: ReturnId
    """Return asked about."""
    product: Name
    status: Status
    reason: Reason
    remedy: Remedy
    price: Money
    """What was paid for the item."""
    restocking: Money
    """What is kept for opening it."""
    bonus: Money
    """What store credit adds."""
    postage: Money
    """What sending it costs."""
    amount: AmountDue
    """What the shopper gets, fees taken off."""
    to_pay: Money
    """What a dearer exchange costs on top."""
    send_by: dt.date | None = None
    """Last day on which it can be sent, until it is."""
    lapsed: bool
    """Whether that day has passed without its being sent."""
    way: Way | None = None
    exchange: str | None = None
    """Size or colour that it is exchanged for."""
    grade: Grade | None = None
    offer: Money | None = None
    """What is offered instead of the amount, until it is settled or sent back."""
    answer_by: dt.date | None = None
    """Last day on which the inspection can be contested, until it is."""


class SentBack(Output):
    """What having an item sent back comes to."""

    return_id: ReturnId
    """Return that has ended."""
    product: Name
    fee: AmountDue
    """What sending it back costs."""
