"""What a shopper has with the service at one moment: subscriptions, boxes and credit, and how they change together."""

import datetime as dt
from collections.abc import Callable, Iterable

from envfactory.catalogue.commerce import _box_money as money
from envfactory.catalogue.commerce import _box_packing as packing
from envfactory.catalogue.commerce import _box_records as rec
from envfactory.catalogue.commerce import _box_rules as rules
from envfactory.catalogue.commerce._box_records import (
    BoxItem,
    BoxLine,
    BoxPlan,
    BoxShopper,
    BoxStatus,
    BoxSubscription,
    CuratedBox,
    Frequency,
)
from envfactory.environment import Table, cents, days_after, owned


class Account:
    """The tables of the service, as far as they concern one shopper."""

    def __init__(
        self,
        shopper_id: str,
        today: dt.date,
        new_id: Callable[[str], str],
        shoppers: Table[BoxShopper],
        plans: Table[BoxPlan],
        items: Table[BoxItem],
        subscriptions: Table[BoxSubscription],
        boxes: Table[CuratedBox],
    ) -> None:
        self.shopper_id, self.today, self.plans, self._new_id = shopper_id, today, plans, new_id
        self._shoppers, self._items, self._subscriptions, self._boxes = shoppers, items, subscriptions, boxes

    @property
    def shopper(self) -> BoxShopper:
        """The shopper."""
        return self._shoppers.require(self.shopper_id)

    @property
    def subscriptions(self) -> list[BoxSubscription]:
        """The shopper's subscriptions and gifts."""
        return [each for each in self._subscriptions.values() if each.shopper_id == self.shopper_id]

    @property
    def boxes(self) -> list[CuratedBox]:
        """The shopper's boxes."""
        return [each for each in self._boxes.values() if each.shopper_id == self.shopper_id]

    def subscription(self, subscription_id: str) -> BoxSubscription:
        """A subscription of the shopper's."""
        return owned(self._subscriptions.require(subscription_id), "shopper_id", self.shopper_id)

    def box(self, box_id: str) -> CuratedBox:
        """A box of the shopper's."""
        return owned(self._boxes.require(box_id), "shopper_id", self.shopper_id)

    def open_box(self, box_id: str, among: tuple[BoxStatus, ...], done: str) -> tuple[CuratedBox, BoxPlan]:
        """A box of the shopper's that can be changed, and its plan."""
        box = self.box(box_id)
        rules.check_open(box, among, done, self.today)
        return box, self.plans.require(self.subscription(box.subscription_id).plan_id)

    def boxes_of(self, subscription: BoxSubscription) -> list[CuratedBox]:
        """All boxes of a subscription, in their order."""
        found = [box for box in self._boxes.values() if box.subscription_id == subscription.id]
        return sorted(found, key=lambda box: box.number)

    def ahead(self, subscription: BoxSubscription) -> list[CuratedBox]:
        """The boxes of a subscription that can still be changed, in their order."""
        return [box for box in self.boxes_of(subscription) if rules.is_ahead(box, self.today)]

    def keep(self, boxes: Iterable[CuratedBox]) -> None:
        """Write boxes down as they are now."""
        for box in boxes:
            self._boxes.replace(box)

    # -- subscriptions

    def start(self, new: BoxSubscription, first: dt.date, *, prepay: bool) -> rec.StartedSubscription:
        """Plan the first boxes of a new subscription, the first on a day."""
        self._subscriptions.insert(new)
        boxes = self.plan(new, rules.AHEAD, first, prepaid=prepay)
        paid = self.settle(sum(box.paid for box in boxes))
        return rec.StartedSubscription(
            subscription=new, plan=new.plan, box_price=boxes[0].price, first_box_on=first, boxes=tuple(boxes),
            from_credit=paid.from_credit or None, charged=paid.charged or None,
        )  # fmt: skip

    def check(self, found: BoxSubscription) -> rec.SubscriptionCheck:
        """What comes next in a subscription, and what leaving it would cost."""
        ahead = [box for box in self.ahead(found) if box.status != "skipped"]
        packed = [box for box in self.boxes_of(found) if box.status == "packed"]
        paid = self.to_pay(ahead[0]) if ahead else money.Paid()
        live = found.status in money.LIVE
        return rec.SubscriptionCheck(
            subscription=found, plan=found.plan, status=found.status, next_box_on=rules.next_day(packed + ahead),
            change_until=ahead[0].change_until if ahead else None, from_credit=paid.from_credit, to_pay=paid.charged,
            credit=self.shopper.credit, boxes_missing=money.missing(found) if live else None,
            fee_now=self.fee(found) if live else None,
        )  # fmt: skip

    def change(self, old: BoxSubscription, plan: BoxPlan, frequency: Frequency) -> rec.ChangedSubscription:
        """Bring a subscription to a plan and a frequency, with its boxes that can be changed."""
        new = old.evolve(frequency=frequency)
        before = after = self.ahead(old)
        if plan.id != old.plan_id:
            new, after = rules.on_plan(new, plan), self.repacked(old, plan)
        if frequency != old.frequency:
            after = rules.spaced(after, rules.INTERVALS[frequency])
        after = money.priced(after, plan, new.frequency)
        paid = self.settle(sum(box.paid for box in after) - sum(box.paid for box in before))
        self.keep(after)
        return rec.ChangedSubscription(
            subscription=self._subscriptions.replace(new), plan=new.plan, frequency=new.frequency,
            box_price=money.box_price(plan, new.frequency), next_box_on=rules.next_day(after),
            from_credit=paid.from_credit or None, charged=paid.charged or None, credited=paid.credited or None,
        )  # fmt: skip

    def cancel(self, old: BoxSubscription) -> rec.Cancellation:
        """End a subscription with its boxes that can be changed; those that are skipped stay so."""
        gone = [box for box in self.ahead(old) if box.status != "skipped"]
        for box in gone:
            self.give_up(box, "cancelled")
        fee = self.fee(old)
        new = self._subscriptions.replace(rules.cancelled(old, fee, self.today))
        return rec.Cancellation(
            subscription=new, plan=new.plan, fee=fee or None,
            credited=cents(sum(box.paid for box in gone)) or None, paid_back=old.gift_total or None,
            restart_until=new.restart_until,
            still_coming=tuple(box.delivers_on for box in self.boxes_of(old) if box.status == "packed"),
        )  # fmt: skip

    def end_pause(self, old: BoxSubscription) -> rec.Restart:
        """Let the boxes of a paused subscription come as early as they would have, or can be packed."""
        ahead = self.ahead(old)
        days = rules.turns_back(old, ahead, self.today) * rules.INTERVALS[old.frequency]
        self.keep(rules.released(rules.moved(ahead, -days)))
        return self._restarted(rules.resumed(old, self.today))

    def take_back(self, old: BoxSubscription) -> rec.Restart:
        """Let a cancelled subscription go on: its boxes come again, and others instead of those that are too late."""
        new = rules.reactivated(old, self.today)
        rules.check_single(self.plans.require(old.plan_id), self.subscriptions)
        boxes = self.boxes_of(old)
        paid = [self.take_up(box, rules.step_of(new))[1] for box in boxes if rules.can_return(box, self.today)]
        day = rules.next_turn(old, boxes[-1].delivers_on, self.today)
        self.plan(new, rules.AHEAD - len(self.ahead(old)), day)
        return self._restarted(new, paid, fee_back=old.fee)

    def _restarted(
        self, new: BoxSubscription, paid: Iterable[money.Paid] = (), *, fee_back: float = 0.0
    ) -> rec.Restart:  # fmt: skip
        settled = money.together(paid)
        return rec.Restart(
            subscription=self._subscriptions.replace(new), plan=new.plan, status=new.status, fee_back=fee_back or None,
            from_credit=settled.from_credit or None, charged=settled.charged or None,
            next_box_on=rules.next_day(self.ahead(new)),
        )  # fmt: skip

    def fee(self, subscription: BoxSubscription) -> float:
        """What cancelling a subscription costs today."""
        return money.fee_now(subscription, self.plans.require(subscription.plan_id))

    # -- items

    def room(self) -> packing.Stockroom:
        """The stock, with what the shopper does not want."""
        return packing.Stockroom(self._items.values(), packing.unloved(self.boxes))

    def pack(self, box: CuratedBox, item_id: str, pieces: int, *, out: BoxLine | None = None) -> CuratedBox:
        """Write down a box for which pieces of an item were taken out of stock, and what was put back."""
        room = self.room()
        room.put_back([out] if out else [])
        room.take(item_id, pieces)
        self.stock(room)
        return self._boxes.replace(box)

    def stock(self, room: packing.Stockroom) -> None:
        """Write down what was taken out of stock and put back."""
        for item_id in sorted(room.touched):
            self._items.replace(room.items[item_id])

    def plan(
        self, subscription: BoxSubscription, count: int, first: dt.date, *, prepaid: bool = False
    ) -> list[CuratedBox]:
        """Plan so many boxes after those that a subscription has, the first on a day."""
        plan, room, earlier = self.plans.require(subscription.plan_id), self.room(), self.boxes_of(subscription)
        price = money.box_price(plan, subscription.frequency, prepaid=prepaid)
        lately = packing.item_ids(earlier[-1]) if earlier else set[str]()
        boxes: list[CuratedBox] = []
        for place in range(count):
            day = days_after(first, place * rules.INTERVALS[subscription.frequency])
            number = len(earlier) + place + 1
            key = self._new_id("BX")
            box = packing.planned(key, subscription, plan, number, day, price, room, lately, prepaid=prepaid)
            boxes.append(self._boxes.insert(box.evolve(status=rules.step_of(subscription))))
            lately = packing.item_ids(box)
        self.stock(room)
        return boxes

    def repacked(self, subscription: BoxSubscription, plan: BoxPlan) -> list[CuratedBox]:
        """The boxes of a subscription that can be changed, with items chosen anew for another plan."""
        room, found, lately = self.room(), list[CuratedBox](), set[str]()
        for box in self.ahead(subscription):
            found.append(packing.repacked(box, plan, room, lately))
            lately = packing.item_ids(found[-1])
        self.stock(room)
        return found

    def replace_unloved(self, item: BoxItem) -> list[dt.date]:
        """Replace an item that the shopper does not want in boxes that come or can; days of those that come."""
        room, days = self.room(), list[dt.date]()
        for box in self.boxes if item.id in room.unloved else ():
            ahead = rules.is_ahead(box, self.today)
            if (ahead or rules.can_return(box, self.today)) and (other := packing.without_item(box, item, room)):
                self._boxes.replace(other)
                days += [box.delivers_on] if ahead else []
        self.stock(room)
        return sorted(days)

    # -- money

    def settle(self, amount: float) -> money.Paid:
        """Let the shopper pay an amount, or give it as credit if it is negative."""
        shopper, paid = money.settled(self.shopper, amount)
        self._shoppers.replace(shopper)
        return paid

    def give_up(self, box: CuratedBox, status: BoxStatus) -> CuratedBox:
        """Let a box not come; what was paid for it becomes credit."""
        self.settle(-box.paid)
        return self._boxes.replace(box.evolve(status=status, paid=0.0))

    def take_up(self, box: CuratedBox, status: BoxStatus) -> tuple[CuratedBox, money.Paid]:
        """Let a box come after all; if it was ordered in advance, it is paid anew."""
        price = box.price if box.prepaid else 0.0
        paid = self.settle(price)
        return self._boxes.replace(box.evolve(status=status, paid=price)), paid

    def to_pay(self, box: CuratedBox) -> money.Paid:
        """How an upcoming box will be paid, after those that are paid before it."""
        due = [each for each in self.boxes if each.status == "upcoming" and rules.is_ahead(each, self.today)]
        return money.due_of(box, due, self.shopper)
