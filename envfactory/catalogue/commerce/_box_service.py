"""The service behind subscription boxes: what it keeps, its rules in words, and the tools for single boxes.

Three boxes of a subscription are planned ahead, with items that are taken out of stock for them. What is skipped or
cancelled keeps its items, so that it can come after all.
"""

from envfactory.catalogue.commerce import _box_packing as packing
from envfactory.catalogue.commerce import _box_records as rec
from envfactory.catalogue.commerce import _box_relations as relations
from envfactory.catalogue.commerce import _box_rules as rules
from envfactory.catalogue.commerce._box_account import Account
from envfactory.environment import Environment, PageNumber, Table, tool


class BoxService(Environment):
    """Look at boxes that come by subscription, change what is in them, skip them, and say how they were."""

    domain = "commerce"
    policy = """A box of an active subscription can be changed, skipped and brought back until 5 days before its
    delivery, from Monday to Saturday; then it is paid and packed, and comes all the same. A plan has so many swaps a
    box; a premium item costs 4 dollars more, and a box takes 4 pieces of extras, which stay in it. Two boxes in a row
    can be skipped. A pause lasts 90 days at most, once between two boxes. Weekly boxes cost 10 percent less, those
    every two weeks 5, and the first three 10 less if paid in advance, and again when they are brought back. Another
    plan must be of the same theme and packs coming boxes anew, without their swaps; what was paid in advance is
    settled. Leaving before the minimum term costs a fee for every box that is missing; a change of plan makes neither
    less. For 30 days a cancelled subscription can be restarted as it was, with the fee paid back. Nobody has two
    subscriptions to a plan. Credit pays what comes next, but no fees or gifts, and is not paid out. Gifts can be
    cancelled until 5 days before the first box. Up to half the items of a box can be reported, for 14 days. An item
    rated with 1 or 2 stars is replaced in coming boxes and not packed again."""
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
        whose = None if subscription_id is None else self.account.subscription(subscription_id).id
        mine = [b for b in self.account.boxes if whose in (None, b.subscription_id) and status in (None, b.status)]
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
        box, _ = self.account.open_box(box_id, ("upcoming",), "given other items")
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
        box, plan = self.account.open_box(box_id, ("upcoming",), "changed")
        line, new = packing.held(box, item), self.items.require(new_item_id)
        return self.account.pack(packing.swapped(box, line, new, plan), new.id, 1, out=line)

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
        account, item = self.account, self.items.require(item_id)
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
        account = self.account
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
        account = self.account
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
        account = self.account
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
        account = self.account
        box = account.box(box_id)
        line = packing.held(box, item)
        box = self.boxes.replace(rules.rated(box, line, stars))
        rated = self.items.require(line.item_id)
        days, again = account.replace_unloved(rated), rated.id not in account.room().unloved
        return rec.RatedItem(box=box, item=line.item, stars=stars, packed_again=again, replaced_in=tuple(days))

    @property
    def account(self) -> Account:
        """What the shopper has with the service."""
        tables = self.shoppers, self.plans, self.items, self.subscriptions, self.boxes
        return Account(self.shopper_id, self.now.date(), self.new_id, *tables)
