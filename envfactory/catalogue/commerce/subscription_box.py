"""Boxes by subscription: find plans, start them, and change what comes, when it comes and what it costs.

What single boxes allow is in the service below it. A pause moves boxes by whole turns, its end moves them back; what
is left can be taken up again as it was.
"""

from typing import Self

from envfactory.catalogue.commerce import _box_records as rec
from envfactory.catalogue.commerce import _box_relations as relations
from envfactory.catalogue.commerce import _box_rules as rules
from envfactory.catalogue.commerce._box_money import LIVE
from envfactory.catalogue.commerce._box_scenario import service
from envfactory.catalogue.commerce._box_service import BoxService
from envfactory.environment import PageNumber, World, days_after, tool


class SubscriptionBox(BoxService):
    """Subscribe to boxes of coffee, snacks, books, pet or beauty things; change, skip, pause, give and leave them."""

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
        plan, account, today = self.plans.require(plan_id), self.account, self.now.date()
        rules.check_plan(plan, variant)
        rules.check_single(plan, account.subscriptions)
        rules.check_address(account.shopper, address)
        key, first = self.new_id("BS"), rules.first_day(weekday, days_after(today, rules.FIRST_DAYS))
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
        """List what the signed-in shopper has signed up for or gives to others, active ones first, then the latest.

        Args:
            status: Only what is active, paused, cancelled or a gift.
            theme: Only what is about coffee, snacks, books, pets or beauty.
            page: Page of the results, five subscriptions each.
        """
        found = [s for s in self.account.subscriptions if status in (None, s.status) and theme in (None, s.theme)]
        found.sort(key=lambda each: (each.status != "active", -each.started_on.toordinal(), each.id))
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
        return self.account.check(self.account.subscription(subscription_id))

    @tool(
        writes=True,
        ask=(
            "change {subscription_id} so that it comes {frequency}[ on {plan_id}]",
            "have {subscription_id} come {frequency}[ and move it to {plan_id}]",
            "set {subscription_id} to come {frequency}[ on {plan_id}]",
            "alter {subscription_id} in order to have it {frequency}[ as {plan_id}]",
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
        self, subscription_id: rec.SubscriptionId, frequency: rec.Frequency, plan_id: rec.PlanId | None = None
    ) -> rec.ChangedSubscription:
        """Change the plan of an active subscription, or how often its boxes come, from the next box that is not packed.

        Args:
            subscription_id: Subscription to change.
            frequency: How often it is to come, or comes already; the next box keeps its day.
            plan_id: Another plan of its theme, for which boxes are packed anew without swaps.
        """
        account = self.account
        old = account.subscription(subscription_id)
        plan = self.plans.require(old.plan_id if plan_id is None else plan_id)
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
        account = self.account
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
        account = self.account
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
        account = self.account
        old = account.subscription(subscription_id)
        return account.end_pause(old) if old.status == "paused" else account.take_back(old)

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
        plan, account, today = self.plans.require(plan_id), self.account, self.now.date()
        rules.check_plan(plan, variant)
        rules.check_gift(account.shopper, plan, email, first_on, account.subscriptions, today)
        return self.subscriptions.insert(
            rules.gift(self.new_id("BS"), account.shopper, plan, variant, email, boxes, first_on, wish, today)
        )

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Plans and items, and the shopper's subscriptions and boxes at every step."""
        return cls.model_validate(service(world, size))
