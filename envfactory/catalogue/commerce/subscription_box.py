"""Boxes by subscription: find plans, start them, and change what comes, when it comes and what it costs.

Three boxes of a subscription are planned ahead, with items that are taken out of stock for them. What is skipped or
cancelled keeps its items, so that it can come after all; a pause moves boxes by whole turns, its end moves them back.
"""

from typing import Self

from envfactory.catalogue.commerce import _box_packing as packing
from envfactory.catalogue.commerce import _box_records as rec
from envfactory.catalogue.commerce import _box_relations as relations
from envfactory.catalogue.commerce import _box_rules as rules
from envfactory.catalogue.commerce._box_account import Account
from envfactory.catalogue.commerce._box_money import LIVE
from envfactory.catalogue.commerce._box_scenario import service
from envfactory.environment import Environment, PageNumber, Table, World, tool


class SubscriptionBox(Environment):
    """Subscribe to boxes of coffee, snacks, books, pet or beauty things; change, skip, pause, give and leave them."""

    domain = "commerce"
    policy = """A box can be changed, skipped and brought back until 5 days before its delivery; then it is paid and
    packed. A plan has so many swaps a box; a premium item costs 4 dollars more, and a box takes 4 pieces of extras,
    which stay in it. Two boxes in a row can be skipped. A pause lasts 90 days at most, once between two boxes. Weekly
    boxes cost 10 percent less, those every two weeks 5, and the first three 10 less if paid in advance. Another plan
    must be of the same theme and packs coming boxes anew, without their swaps; what was paid in advance is settled.
    Leaving before the minimum term costs a fee for every box that is missing; a change of plan makes neither less;
    packed boxes still come. For 30 days a cancelled subscription can be restarted as it was, with the fee paid back.
    Nobody has two subscriptions to a plan. Credit pays what comes next, but no fees or gifts, and is not paid out.
    Gifts can be cancelled until 5 days before the first box. Up to half the items of a box can be reported, for 14
    days. An item rated with 1 or 2 stars is replaced in coming boxes and not packed again."""
    sources = (
        "Recharge API 2021-11, Subscriptions, Charges (skip, unskip), One-times, Credits and Bundle Selections",
        "Recharge Storefront API, skipFutureCharge and skipGiftSubscriptionCharge",
        "Shopify Admin GraphQL API, Selling Plans, Subscription Contracts and prepaid fulfilments",
        "Cratejoy and Subbly documentation, skip and unskip renewals, cut-off dates, gifts, commitments and surveys",
    )

    shopper_id: rec.ShopperId
    """Shopper whose session this is."""
    shoppers: Table[rec.BoxShopper]
    plans: Table[rec.BoxPlan]
    items: Table[rec.BoxItem]
    subscriptions: Table[rec.BoxSubscription]
    boxes: Table[rec.CuratedBox]

    @tool(
        ask=(
            "find me a[ {size}] {theme} box to subscribe to[, {max_price} a box at most]",
            "see which[ {size}] {theme} plans there are[ for up to {max_price} a box]",
            "look for a[ {size}] {theme} subscription[ under {max_price} a box]",
            "show me the[ {size}] box plans for {theme}[ that cost {max_price} or less]",
        ),
        noun="[{size} ]{theme} plan[ for {max_price} at most]",
        reply=("I found {plans}.", "There is no such plan."),
        where=relations.FINDING_PLANS,
    )
    def find_plans(
        self, theme: rec.Theme, size: rec.Size | None = None, max_price: rec.UpTo | None = None, page: PageNumber = 1
    ) -> rec.PlanPage:
        """Find the plans of a theme, the cheapest first, with variants, minimum term and the fee for leaving early.

        Args:
            theme: What the boxes are about.
            size: Only plans of this size.
            max_price: Only plans at or below this price a box, without discounts.
            page: Page of the results, five plans each.
        """
        found = [plan for plan in self.plans.values() if plan.theme == theme and size in (None, plan.size)]
        found = [plan for plan in found if max_price is None or plan.price <= max_price]
        found.sort(key=lambda plan: (plan.price, plan.plan))
        return rec.PlanPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "start {plan_id} as {variant}, {frequency} on a {weekday} to my {address} address[prepay?, prepaid]",
            "subscribe me to {plan_id}, {variant}, {frequency} on {weekday} at my {address} address[prepay?, prepaid]",
            "sign me up for {plan_id}, {variant}, {frequency} on {weekday}, to my {address} address[prepay?, paid up]",
            "let me have {plan_id} {frequency}, {variant}, on a {weekday} at my {address} address[prepay?, paid ahead]",
        ),
        reply=(
            (
                "You are subscribed to {plan}; the first box comes on {first_box_on}, and each costs {box_price}[; "
                "{charged} was charged to your card][; {from_credit} was paid by your credit]."
            ),
        ),
        where=relations.STARTING,
    )
    def start_subscription(
        self, plan_id: rec.PlanId, variant: rec.Variant, frequency: rec.Frequency, weekday: rec.Weekday,
        address: rec.AddressName, prepay: bool = False,
    ) -> rec.StartedSubscription:  # fmt: skip
        """Start a subscription for the signed-in shopper and plan its first three boxes; cancelling it is the undo.

        Args:
            plan_id: Plan that is open.
            variant: One of the variants of the plan.
            frequency: How often a box comes; weekly costs 10 percent less, every_two_weeks 5.
            weekday: Day of the week on which boxes are delivered, the first in a week or later.
            address: Which of the shopper's addresses they go to, by its name.
            prepay: Whether to pay the first three boxes now, for 10 percent less; otherwise each is paid when packed.
        """
        plan, account, today = self.plans.require(plan_id), self._account, self.now.date()
        rules.check_plan(plan, variant)
        rules.check_single(plan, account.subscriptions)
        rules.check_address(account.shopper, address)
        key, first = self.new_id("BS"), rules.first_day(weekday, rules.days_after(today, rules.FIRST_DAYS))
        new = rules.started(key, account.shopper, plan, variant, frequency, weekday, address, today)
        return account.start(new, first, prepay=prepay)

    @tool(
        ask=(
            "list my[ {status}] box subscriptions[ for {theme}]",
            "show me which[ {status}] subscriptions I have[ to {theme} boxes]",
            "look up my[ {status}] subscriptions[ about {theme}]",
            "tell me about the[ {status}] subscriptions that are mine[ in {theme}]",
        ),
        noun="[{status} ]subscription of mine[ for {theme}]",
        reply=("Your subscriptions: {subscriptions}.", "You have no such subscription."),
    )
    def list_subscriptions(
        self, status: rec.Status | None = None, theme: rec.Theme | None = None, page: PageNumber = 1
    ) -> rec.SubscriptionPage:
        """List what the signed-in shopper has signed up for or gives to others, in the order of the plans' names.

        Args:
            status: Only what is active, paused, cancelled or a gift.
            theme: Only what is about coffee, snacks, books, pets or beauty.
            page: Page of the results, five subscriptions each.
        """
        found = [s for s in self._account.subscriptions if status in (None, s.status) and theme in (None, s.theme)]
        found.sort(key=lambda each: (each.plan, each.id))
        return rec.SubscriptionPage.of(found, page)

    @tool(
        ask=(
            "check when the next box of {subscription_id} comes and what it costs me",
            "tell me what leaving {subscription_id} would cost today",
            "look at {subscription_id} and how many boxes its minimum term still has",
            "see how much of my credit goes into {subscription_id}",
        ),
        reply=(
            (
                "{plan} has the status {status}[; its next box comes on {next_box_on}][; the one that can be changed "
                "until {change_until} takes {from_credit} of your {credit} of credit and {to_pay} from your card]"
                "[; cancelling today costs {fee_now}, with {boxes_missing} missing]."
            ),
        ),
        where=relations.CHECKING,
    )
    def check_subscription(self, subscription_id: rec.SubscriptionId) -> rec.SubscriptionCheck:
        """Check a subscription of the signed-in shopper: its next box and charge, and what cancelling costs today.

        Args:
            subscription_id: Subscription to look at.
        """
        return self._account.check(self._account.subscription(subscription_id))

    @tool(
        writes=True,
        ask=(
            "change {subscription_id} to {plan_id}[ so that it comes {frequency}]",
            "switch {subscription_id} over to {plan_id}[ and have it come {frequency}]",
            "move {subscription_id} to {plan_id}[ so that I get it {frequency}]",
            "put {subscription_id} on {plan_id} instead[ and let it come {frequency}]",
        ),
        reply=(
            (
                "It is {plan} now, {frequency} at {box_price} a box[, the next on {next_box_on}][; "
                "{charged} was charged][; {from_credit} was paid by credit][; {credited} became credit]."
            ),
        ),
        where=relations.CHANGING,
    )
    def change_subscription(
        self, subscription_id: rec.SubscriptionId, plan_id: rec.PlanId, frequency: rec.Frequency | None = None
    ) -> rec.ChangedSubscription:
        """Change the plan of an active subscription, or how often its boxes come, from the next box that is not packed.

        Args:
            subscription_id: Subscription to change.
            plan_id: Another plan of its theme, for which boxes are packed anew without swaps, or its own to keep it.
            frequency: Another frequency; the next box keeps its day.
        """
        account, plan = self._account, self.plans.require(plan_id)
        old = account.subscription(subscription_id)
        rules.check_live(old, ("active",), "changed")
        rules.check_change(old, plan, frequency)
        if plan.id != old.plan_id:
            rules.check_plan(plan, old.variant)
            rules.check_single(plan, account.subscriptions)
        return account.change(old, plan, frequency)

    @tool(
        writes=True,
        ask=(
            "pause {subscription_id} until {until}",
            "put {subscription_id} on hold until {until}",
            "suspend {subscription_id} up to {until}",
            "let {subscription_id} rest until {until}",
        ),
        reply=("Your {plan} subscription is paused; no box comes before {paused_until}.",),
        where=relations.PAUSING,
    )
    def pause_subscription(self, subscription_id: rec.SubscriptionId, until: rec.PausedUntil) -> rec.BoxSubscription:
        """Pause an active subscription: boxes that are not packed move by as many turns as it takes.

        Args:
            subscription_id: Subscription to pause.
            until: Day before which no further box comes, at most 90 days from now and later than the next box.
        """
        account = self._account
        old = account.subscription(subscription_id)
        ahead = account.ahead(old)
        new = rules.paused(old, until, ahead, self.now.date())
        account.keep(rules.held(rules.moved(ahead, new.moved_by * rules.INTERVALS[new.frequency])))
        return self.subscriptions.replace(new)

    @tool(
        writes=True,
        ask=(
            "cancel {subscription_id}",
            "end {subscription_id}",
            "call {subscription_id} off",
            "stop {subscription_id} for good",
        ),
        reply=(
            (
                "{plan} is cancelled[ for a fee of {fee}][; {credited} became credit][; {paid_back} goes back to your "
                "card][; it can be restarted until {restart_until}][; packed boxes still come on {still_coming}]."
            ),
        ),
        where=relations.CANCELLING,
    )
    def cancel_subscription(self, subscription_id: rec.SubscriptionId) -> rec.Cancellation:
        """Leave a plan, for a fee before its minimum term, or take back a gift before its first box is packed.

        Args:
            subscription_id: What is to end; boxes that are packed still come.
        """
        account = self._account
        old = account.subscription(subscription_id)
        rules.check_live(old, (*LIVE, "gift"), "cancelled")
        rules.check_gift_cancellable(old, self.now.date())
        return account.cancel(old)

    @tool(
        writes=True,
        ask=(
            "restart {subscription_id}",
            "get {subscription_id} going again",
            "resume {subscription_id}",
            "take {subscription_id} up again",
        ),
        reply=(
            (
                "{plan} is {status}[, with the next box on {next_box_on}][; the fee of {fee_back} was paid back]"
                "[; {from_credit} was taken from your credit][; {charged} was charged to your card]."
            ),
        ),
        where=relations.RESTARTING,
    )
    def restart_subscription(self, subscription_id: rec.SubscriptionId) -> rec.Restart:
        """Let boxes come again as they were: end a pause early, or return within 30 days, with any fee paid back.

        Args:
            subscription_id: Subscription that is paused, or was left.
        """
        account = self._account
        old = account.subscription(subscription_id)
        return account.end_pause(old) if old.status == "paused" else account.take_back(old)

    @tool(
        ask=(
            "list my[ {status}] boxes[ of {subscription_id}]",
            "show me what is in the[ {status}] boxes[ of {subscription_id}]",
            "look through my[ {status}] boxes[ from {subscription_id}]",
            "tell me the days of my[ {status}] boxes[ of {subscription_id}]",
        ),
        noun="[{status} ]box of mine[ from {subscription_id}]",
        reply=("Your boxes: {boxes}.", "There is no such box."),
        where=relations.LISTING_BOXES,
    )
    def list_boxes(
        self, subscription_id: rec.SubscriptionId | None = None, status: rec.BoxStatus | None = None,
        page: PageNumber = 1,
    ) -> rec.BoxPage:  # fmt: skip
        """See what is in each box: first those to come by their day, then what has arrived, the latest on top.

        Args:
            subscription_id: Only boxes of this one.
            status: How far a box has got: upcoming, skipped, packed, delivered, and so on.
            page: Page of the results, five boxes each.
        """
        whose = None if subscription_id is None else self._account.subscription(subscription_id).id
        mine = [b for b in self._account.boxes if whose in (None, b.subscription_id) and status in (None, b.status)]
        mine.sort(key=lambda box: rules.by_day(box, self.now.date()))
        return rec.BoxPage.of(mine, page)

    @tool(
        ask=(
            "find[ {grade}] items that suit {box_id}[ for at most {max_price}]",
            "see what else[ of {grade} grade] could go into {box_id}[ up to {max_price}]",
            "look for other[ {grade}] things to have in {box_id}[ under {max_price}]",
            "show me the[ {grade}] alternatives for {box_id}[ at {max_price} or less]",
        ),
        noun="[{grade} ]item that suits {box_id}[ for {max_price} at most]",
        reply=("These suit it: {items}.", "There is no such item."),
        where=relations.FINDING_ITEMS,
    )
    def find_items(
        self, box_id: rec.BoxId, grade: rec.Grade | None = None, max_price: rec.UpTo | None = None,
        page: PageNumber = 1,
    ) -> rec.ItemPage:  # fmt: skip
        """Find items in stock that suit a box and are not in it, to be swapped in or added, the cheapest first.

        Args:
            box_id: Upcoming box that they are for.
            grade: Only items of this grade; premium ones cost 4 dollars more when they are swapped in.
            max_price: Only items that cost so much as an extra, or less.
            page: Page of the results, five items each.
        """
        box, _ = self._account.open_box(box_id, ("upcoming",), "given other items")
        found = packing.suiting(box, self.items.values())
        found = [i for i in found if grade in (None, i.grade) and (max_price is None or i.price <= max_price)]
        return rec.ItemPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "swap the {item} in {box_id} for {new_item_id}",
            "put {new_item_id} into {box_id} instead of the {item}",
            "replace the {item} by {new_item_id} in {box_id}",
            "take the {item} out of {box_id} and have {new_item_id} packed instead",
        ),
        reply=("The box for {delivers_on} has {contents} now and costs {total}; {swaps_left} left.",),
        where=relations.SWAPPING,
    )
    def swap_item(self, box_id: rec.BoxId, item: rec.LineName, new_item_id: rec.ItemId) -> rec.CuratedBox:
        """Replace what was chosen for a coming box by something else of its theme and variant, or by what it was.

        Args:
            box_id: Box with the choice that is not wanted.
            item: What is to go, by its name.
            new_item_id: What is to come, if any is left; premium grade costs 4 dollars on top.
        """
        box, plan = self._account.open_box(box_id, ("upcoming",), "changed")
        line, new = packing.held(box, item), self.items.require(new_item_id)
        return self._account.pack(packing.swapped(box, line, new, plan), new.id, 1, out=line)

    @tool(
        writes=True,
        ask=(
            "add {pieces} of {item_id} to {box_id} as an extra",
            "put {pieces} of {item_id} on top of what is in {box_id}",
            "send {pieces} of {item_id} along with {box_id}",
            "order {pieces} of {item_id} to come with {box_id} just once",
        ),
        reply=("The box for {delivers_on} has {contents} now and costs {total}.",),
        where=relations.ADDING,
    )
    def add_extra(self, box_id: rec.BoxId, item_id: rec.ItemId, pieces: rec.Pieces) -> rec.CuratedBox:
        """Add pieces of any item to an upcoming box for this once, at the price of the item; extras are final.

        Args:
            box_id: Box that has room for it.
            item_id: Item in stock.
            pieces: How many of it; a box takes 4 pieces of extras in all.
        """
        account, item = self._account, self.items.require(item_id)
        box, plan = account.open_box(box_id, ("upcoming",), "given extras")
        return account.pack(packing.with_extra(box, item, pieces, plan), item.id, pieces)

    @tool(
        writes=True,
        ask=("skip {box_id}", "leave out {box_id}", "do without {box_id}", "pass on {box_id}"),
        reply=("The {plan} box for {delivers_on} is skipped; it can be brought back until {change_until}.",),
        where=relations.SKIPPING,
    )
    def skip_box(self, box_id: rec.BoxId) -> rec.CuratedBox:
        """Do without one delivery; what was paid for it in advance becomes credit.

        Args:
            box_id: Which one is not to come, among those that are upcoming.
        """
        account = self._account
        box, _ = account.open_box(box_id, ("upcoming",), "skipped")
        rules.check_skips(box, account.boxes_of(account.subscription(box.subscription_id)))
        return account.give_up(box, "skipped")

    @tool(
        writes=True,
        ask=(
            "unskip {box_id}",
            "bring back {box_id} after all",
            "have {box_id} sent although I skipped it",
            "undo the skip of {box_id}",
        ),
        reply=(
            (
                "The {plan} box comes on {delivers_on} after all and costs {total}[; {from_credit} was paid by your "
                "credit][; {charged} was charged to your card]."
            ),
        ),
        where=relations.UNSKIPPING,
    )
    def unskip_box(self, box_id: rec.BoxId) -> rec.ReturnedBox:
        """Undo a skip, with all that was inside; if it was ordered in advance, it is paid again, by credit first.

        Args:
            box_id: Skipped box of a subscription that is active.
        """
        account = self._account
        box, _ = account.open_box(box_id, ("skipped",), "brought back")
        rules.check_live(account.subscription(box.subscription_id), ("active",), "given a skipped box back")
        box, paid = account.take_up(box, "upcoming")
        return rec.ReturnedBox(
            box=box, plan=box.plan, delivers_on=box.delivers_on, total=box.total,
            from_credit=paid.from_credit or None, charged=paid.charged or None,
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "report the {item} in {box_id} as {problem}",
            "complain about the {item} from {box_id}, {problem} on arrival",
            "claim credit for the {item} of {box_id}, which was {problem}",
            "tell them that the {item} in {box_id} was {problem}",
        ),
        reply=("{credited} was given for the {item}, so your credit is {credit}.",),
        where=relations.REPORTING,
    )
    def report_item(self, box_id: rec.BoxId, item: rec.LineName, problem: rec.Problem) -> rec.DamageCredit:
        """Claim credit of what something has cost that was broken, leaking, past its date or missing; this is final.

        Args:
            box_id: Delivery of the last 14 days.
            item: What is claimed, once at most.
            problem: What was wrong with it.
        """
        account = self._account
        box = account.box(box_id)
        line = packing.held(box, item)
        given = rules.damage(box, line, self.now.date())
        account.settle(-given)
        box = self.boxes.replace(rules.with_line(box, line, line.evolve(problem=problem)))
        credit = account.shopper.credit
        return rec.DamageCredit(box=box, item=line.item, problem=problem, credited=given, credit=credit)

    @tool(
        writes=True,
        ask=(
            "rate the {item} from {box_id} with {stars}",
            "give the {item} in {box_id} {stars}",
            "leave a rating of {stars} for the {item} of {box_id}",
            "note that the {item} in {box_id} deserves {stars}",
        ),
        reply=(
            "The {item} has {stars} from you, and was replaced in your boxes for {replaced_in}.",
            "The {item} has {stars} from you[packed_again?, so it may come again][!packed_again? and stays away now].",
        ),
        where=relations.RATING,
    )
    def rate_item(self, box_id: rec.BoxId, item: rec.LineName, stars: rec.Stars) -> rec.RatedItem:
        """Say how much the shopper likes an item that came; 1 or 2 stars keep it out of all boxes to come.

        Args:
            box_id: Box that it came in.
            item: Name of the item.
            stars: From 1 to 5; opinions can change, and the one of the latest box counts.
        """
        account = self._account
        box = account.box(box_id)
        line = packing.held(box, item)
        box = self.boxes.replace(rules.rated(box, line, stars))
        rated = self.items.require(line.item_id)
        days, again = account.replace_unloved(rated), rated.id not in account.room().unloved
        return rec.RatedItem(box=box, item=line.item, stars=stars, packed_again=again, replaced_in=tuple(days))

    @tool(
        writes=True,
        ask=(
            "give {boxes} of {plan_id}, {variant}, to {email} from {first_on} on[ with {wish} on the card]",
            "make {email} a present of {boxes} of {plan_id} in {variant}, the first on {first_on}[, and write {wish}]",
            "send {email} {boxes} of {plan_id} as a gift, {variant}, beginning on {first_on}[, with the words {wish}]",
            "buy a gift of {boxes} of {plan_id}, {variant}, for {email}, starting {first_on}[, with {wish} on a card]",
        ),
        reply=("The gift of {gift_boxes} of {plan} for {recipient} begins on {first_on} and costs {gift_total}.",),
        where=relations.GIVING,
    )
    def gift_subscription(
        self, plan_id: rec.PlanId, variant: rec.Variant, email: rec.FriendEmail, boxes: rec.GiftBoxes,
        first_on: rec.FirstDay, wish: rec.Wish | None = None,
    ) -> rec.BoxSubscription:  # fmt: skip
        """Give somebody a box every four weeks, paid in full by card now; 10 percent less from 6 boxes on.

        Args:
            plan_id: Plan that is open.
            variant: One of the variants of the plan.
            email: Address of whoever gets it, who is asked where to send the boxes.
            boxes: How many boxes, 3 to 12.
            first_on: Day of the first box, a week to 60 days from now.
            wish: What is written on the card.
        """
        plan, account, today = self.plans.require(plan_id), self._account, self.now.date()
        rules.check_plan(plan, variant)
        rules.check_gift(account.shopper, plan, email, first_on, account.subscriptions, today)
        return self.subscriptions.insert(
            rules.gift(self.new_id("BS"), account.shopper, plan, variant, email, boxes, first_on, wish, today)
        )

    @property
    def _account(self) -> Account:
        """What the shopper has with the service."""
        tables = self.shoppers, self.plans, self.items, self.subscriptions, self.boxes
        return Account(self.shopper_id, self.now.date(), self.new_id, *tables)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Plans and items, and the shopper's subscriptions and boxes at every step."""
        return cls.model_validate(service(world, size))
