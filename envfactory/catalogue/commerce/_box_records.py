"""Records and results of a service for subscription boxes: plans, items, shoppers, subscriptions and their boxes."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Money, Output, Page, Ranked, Record, Ref, Unit, Value

ShopperId = Annotated[str, Ref("BoxShopper")]
PlanId = Annotated[str, Ref("BoxPlan")]
ItemId = Annotated[str, Ref("BoxItem")]
SubscriptionId = Annotated[str, Ref("BoxSubscription")]
BoxId = Annotated[str, Ref("CuratedBox")]
Theme = Annotated[
    Literal["coffee", "snacks", "books", "pets", "beauty"], Value("box_theme", "What the boxes of a plan are about.")
]
Variant = Annotated[
    Literal[
        "whole_bean", "ground", "sweet", "savoury", "crime", "fantasy", "for_dogs", "for_cats", "dry_skin", "oily_skin"
    ],
    Value("box_variant", "Which variant of a theme; each theme has two."),
]  # fmt: skip
Fit = Annotated[
    Literal[
        "whole_bean", "ground", "sweet", "savoury", "crime", "fantasy", "for_dogs", "for_cats", "dry_skin", "oily_skin",
        "any",
    ],
    Value("box_item_fit", "Variant that an item is for, or any of its theme."),
]  # fmt: skip
Size = Annotated[Literal["small", "classic", "large"], Value("box_size", "How much is in a box of a plan.")]
Grade = Annotated[Literal["standard", "premium"], Value("box_item_grade", "Premium items cost more in a swap.")]
Frequency = Annotated[
    Literal["weekly", "every_two_weeks", "every_four_weeks"], Value("box_frequency", "How often a box comes.")
]
Weekday = Annotated[
    Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
    Value("box_weekday", "Day of the week on which boxes are delivered."),
]
Status = Annotated[
    Literal["active", "paused", "cancelled", "gift"],
    Value("box_subscription_status", "Where a subscription stands; a gift is paid in full and goes to somebody else."),
]
BoxStatus = Annotated[
    Literal["upcoming", "skipped", "paused", "cancelled", "packed", "delivered"],
    Value("curated_box_status", "Where a box stands; a packed one is paid and can no longer be changed."),
]
Problem = Annotated[
    Literal["broken", "leaking", "past_its_date", "missing"], Value("box_item_problem", "What was wrong with an item.")
]
AddressName = Annotated[
    str, Field(min_length=2, max_length=20), Value("box_address", "What a shopper calls an address of theirs.")
]
Brand = Annotated[str, Value("box_plan_name", "Name of a plan, such as Bean Harbour Classic.")]
ItemName = Annotated[str, Value("box_item_name", "Name of an item in boxes.")]
FriendEmail = Annotated[
    str, Field(min_length=5, max_length=80), Value("friend_email", "E-mail address of somebody who gets a gift.")
]
LineName = Annotated[str, Value("boxed_item", "Name of an item that is in a box.")]
Title = Annotated[str, Value("subscription_title", "How a subscription is spoken of.")]
Email = Annotated[str, Field(min_length=5, max_length=80), Value("email", "E-mail address.")]
PausedUntil = Annotated[dt.date, Value("box_pause_end", "Day until which no box comes.")]
FirstDay = Annotated[dt.date, Value("gift_first_day", "Day of the first box of a gift.")]
Stars = Annotated[int, Field(ge=1, le=5), Unit("star")]
Pieces = Annotated[int, Field(ge=1, le=4), Unit("piece")]
GiftBoxes = Annotated[int, Field(ge=3, le=12), Unit("box")]
UpTo = Annotated[Money, Field(gt=0)]
Count = Annotated[int, Field(ge=0)]
Wish = Annotated[
    str,
    Field(min_length=3, max_length=200),
    FreeText(("happy birthday", "thank you for looking after the house", "enjoy it, with love from all of us")),
]


class DeliveryAddress(Record, noun="address", label="my {nickname} address"):
    """An address of a shopper's."""

    nickname: AddressName
    street: Annotated[str, Value("address", "Street and number.")]
    city: Annotated[str, Value("city", "City, by its English name.")]


class BoxShopper(Record, noun="shopper", label="{name}"):
    """Somebody who subscribes to boxes."""

    id: ShopperId
    """Identifier of the shopper."""
    name: Annotated[str, Value("person_name", "Full name of a person.")]
    email: Email
    credit: Money = 0.0
    """Credit, which is used up by what is to be paid next."""
    addresses: tuple[DeliveryAddress, ...]
    """Where boxes can be delivered."""
    friends: tuple[FriendEmail, ...] = ()
    """People in the address book, to whom gifts go."""


class BoxPlan(
    Record, noun="plan", label="the {plan} plan", listing="{plan} ({price} a box, {items}, {minimum_boxes} at least)"
):
    """A kind of box that can be subscribed to."""

    id: PlanId
    """Identifier of the plan."""
    plan: Brand
    theme: Theme
    size: Size
    items: Annotated[int, Field(ge=1), Unit("item")]
    """How many items are in a box."""
    swaps: Annotated[int, Field(ge=1), Unit("swap")]
    """How many items of a box can be swapped."""
    variants: tuple[Variant, ...]
    """Variants to choose from."""
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price of a box that comes every four weeks and is not prepaid."""
    minimum_boxes: Annotated[int, Field(ge=1), Unit("box")]
    """Minimum term: boxes to be paid before cancelling is free."""
    leaving_fee: Money
    """What cancelling earlier costs for each box that is missing."""
    status: Literal["open", "full"] = "open"
    """Whether it takes new subscriptions."""


class BoxItem(Record, noun="item", label="the {item}", listing="{item} ({price}, {variant}, {grade}, {status})"):
    """Something that is packed in boxes."""

    id: ItemId
    """Identifier of the item."""
    item: ItemName
    theme: Theme
    variant: Fit
    grade: Grade
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """What a piece costs as an extra."""
    stock: Count
    """Pieces left that no box has."""
    status: Literal["in_stock", "sold_out"]
    """Whether any are left."""


class BoxSubscription(
    Record, noun="subscription", label="{title}[ from {started_on}]", listing="{plan} ({status}, {frequency})"
):
    """A shopper's subscription to a plan, or one that they give to somebody."""

    id: SubscriptionId
    """Identifier of the subscription."""
    shopper_id: ShopperId
    """Who pays for it."""
    title: Title
    plan_id: str
    """Identifier of its plan; what could be had instead is to be looked up."""
    plan: Brand
    theme: Theme
    size: Size
    variant: Variant
    frequency: Frequency
    status: Status = "active"
    started_on: dt.date
    """Day on which it was ordered."""
    boxes_paid: Count = 0
    """Boxes that count for the minimum term: those packed or delivered."""
    committed_boxes: Count = 0
    """Minimum term of the plan under which it began."""
    minimum_boxes: Count = 0
    """Its minimum term: that one, or that of its plan now if it is longer."""
    committed_fee: Money = 0.0
    """What leaving the plan under which it began costs for each box that is missing."""
    may_pause: bool = True
    """Whether it was not paused since the last box."""
    moved_by: Count = 0
    """By how many turns its pause has moved its boxes."""
    fee: Money = 0.0
    """What cancelling it before the minimum term has cost."""
    gift_boxes: Annotated[int, Field(ge=0), Unit("box")] = 0
    """How many boxes a gift has."""
    gift_total: Money = 0.0
    """What a gift has cost."""
    weekday: Weekday | None = None
    address: AddressName | None = None
    recipient: FriendEmail | None = None
    """Who gets it, if it is a gift."""
    first_on: FirstDay | None = None
    wish: Annotated[str | None, FreeText()] = None
    """What is written on the card of a gift."""
    paused_on: dt.date | None = None
    """Day on which it was paused, while it is."""
    paused_until: PausedUntil | None = None
    cancelled_on: dt.date | None = None
    """Day on which it was cancelled."""
    restart_until: dt.date | None = None
    """Last day on which a cancelled one can be restarted."""


class BoxLine(Record, noun="item", label="{item}", listing="{item}"):
    """An item of a box."""

    item_id: str
    """Identifier of the item; what could be had instead is to be looked up."""
    item: LineName
    extra: bool = False
    """Whether it was added for this once."""
    pieces: Annotated[int, Field(ge=1)] = 1
    """How many of it."""
    price: Money = 0.0
    """What it costs on top of the box: the price of an extra, or the surcharge of a premium item."""
    instead_of: ItemName | None = None
    """Name of the item that was planned in its place, if it was swapped."""
    stars: Stars | None = None
    """How the shopper rated it."""
    problem: Problem | None = None
    """What the shopper reported about it."""


class CuratedBox(
    Record,
    noun="box",
    label="the {plan} box for {delivers_on}",
    listing="{plan} for {delivers_on} with {contents} ({status}, {total})",
):
    """A box of a subscription."""

    id: BoxId
    """Identifier of the box."""
    shopper_id: ShopperId
    """Who pays for it."""
    subscription_id: SubscriptionId
    """Subscription that it belongs to."""
    number: Annotated[int, Field(ge=1)]
    """Its place in the subscription."""
    title: Title
    plan: Brand
    theme: Theme
    variant: Variant
    status: BoxStatus = "upcoming"
    delivers_on: Annotated[dt.date, Ranked("next", "last")]
    """Day of delivery."""
    change_until: dt.date
    """Last day on which it can be changed, skipped or brought back; it is paid and packed after that."""
    lines: tuple[BoxLine, ...]
    """What is in it."""
    contents: str
    """The same in words."""
    swaps_left: Annotated[int, Field(ge=0), Unit("swap")]
    """How many more of its items can be swapped."""
    price: Money
    """Price of the box itself."""
    prepaid: bool = False
    """Whether it was ordered to be paid in advance, at a lower price."""
    total: Money
    """Price with surcharges and extras."""
    paid: Money = 0.0
    """What was paid of it in advance."""


class PlanPage(Page):
    """A page of plans."""

    plans: tuple[BoxPlan, ...]
    """The plans on this page."""


class ItemPage(Page):
    """A page of items."""

    items: tuple[BoxItem, ...]
    """The items on this page."""


class SubscriptionPage(Page):
    """A page of subscriptions."""

    subscriptions: tuple[BoxSubscription, ...]
    """The subscriptions on this page."""


class BoxPage(Page):
    """A page of boxes."""

    boxes: tuple[CuratedBox, ...]
    """The boxes on this page."""


class SubscriptionCheck(Output):
    """What comes next in a subscription, and what leaving it would cost."""

    subscription: BoxSubscription
    """The subscription."""
    plan: Brand
    status: Status
    next_box_on: dt.date | None = None
    """Day of the next box, if one is to come."""
    change_until: dt.date | None = None
    """Last day on which the next box that is not packed can be changed."""
    from_credit: Money = 0.0
    """What of that box the credit will pay."""
    to_pay: Money = 0.0
    """What of it is still to be paid then."""
    credit: Money
    """Credit of the shopper now."""
    boxes_missing: Annotated[int | None, Field(ge=0), Unit("box")] = None
    """Boxes to be paid before cancelling is free, if it is active or paused."""
    fee_now: Money | None = None
    """What cancelling would cost today, if it is active or paused."""


class StartedSubscription(Output):
    """A new subscription, with its first boxes."""

    subscription: BoxSubscription
    """The subscription."""
    plan: Brand
    box_price: Money
    """Price of each box."""
    first_box_on: dt.date
    """Day of the first box."""
    boxes: tuple[CuratedBox, ...]
    """The boxes that are planned."""
    from_credit: Money | None = None
    """What was paid now by credit."""
    charged: Money | None = None
    """What was charged to the card now."""


class ChangedSubscription(Output):
    """A subscription after a change, and what was settled for boxes paid in advance."""

    subscription: BoxSubscription
    """The subscription."""
    plan: Brand
    frequency: Frequency
    box_price: Money
    """Price of a box that is not prepaid."""
    next_box_on: dt.date | None = None
    """Day of the next box that has changed."""
    from_credit: Money | None = None
    """What was paid now by credit."""
    charged: Money | None = None
    """What was charged to the card now."""
    credited: Money | None = None
    """What was given as credit."""


class Cancellation(Output):
    """What came of a cancellation."""

    subscription: BoxSubscription
    """The subscription."""
    plan: Brand
    fee: Money | None = None
    """What was charged for leaving before the minimum term."""
    credited: Money | None = None
    """What was given as credit for boxes paid in advance."""
    paid_back: Money | None = None
    """What was paid back to the card for a gift."""
    restart_until: dt.date | None = None
    """Last day on which it can be restarted."""
    still_coming: tuple[dt.date, ...]
    """Days of boxes that are packed and come all the same."""


class Restart(Output):
    """A subscription that goes on."""

    subscription: BoxSubscription
    """The subscription."""
    plan: Brand
    status: Status
    next_box_on: dt.date | None = None
    """Day of its next box that is neither packed nor skipped."""
    fee_back: Money | None = None
    """What was paid back of the fee for leaving."""
    from_credit: Money | None = None
    """What was paid now by credit for boxes ordered in advance."""
    charged: Money | None = None
    """What was charged to the card for them."""


class ReturnedBox(Output):
    """A box that comes after all, and how it was paid if it was ordered in advance."""

    box: CuratedBox
    """The box."""
    plan: Brand
    delivers_on: dt.date
    """Day of delivery."""
    total: Money
    """Price with surcharges and extras."""
    from_credit: Money | None = None
    """What was paid now by credit."""
    charged: Money | None = None
    """What was charged to the card now."""


class DamageCredit(Output):
    """What was given for an item that was not all right."""

    box: CuratedBox
    """The box."""
    item: LineName
    problem: Problem
    credited: Money
    """What was given as credit."""
    credit: Money
    """Credit of the shopper now."""


class RatedItem(Output):
    """How an item was rated, and which boxes were packed differently for it."""

    box: CuratedBox
    """Box that the item came in."""
    item: LineName
    stars: Stars
    packed_again: bool
    """Whether boxes may have it from now on."""
    replaced_in: tuple[dt.date, ...]
    """Days of the boxes in which it was replaced."""
