"""What a shopper has with the service at one moment: subscriptions, boxes and credit, and how they change together."""

import datetime as dt
from collections.abc import Iterable, Sequence

from envfactory.catalogue.commerce import _box_packing as packing
from envfactory.catalogue.commerce import _box_rules as rules
from envfactory.catalogue.commerce._box_records import (
    BoxItem,
    BoxLine,
    BoxPlan,
    BoxShopper,
    BoxStatus,
    BoxSubscription,
    CuratedBox,
)
from envfactory.environment import Table, owned


class Account:
    """The tables of the service, as far as they concern one shopper."""

    def __init__(
        self,
        shopper_id: str,
        today: dt.date,
        shoppers: Table[BoxShopper],
        plans: Table[BoxPlan],
        items: Table[BoxItem],
        subscriptions: Table[BoxSubscription],
        boxes: Table[CuratedBox],
    ) -> None:
        self.shopper_id, self.today, self.plans = shopper_id, today, plans
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
        self, subscription: BoxSubscription, ids: Sequence[str], first: dt.date, *, prepaid: bool = False
    ) -> list[CuratedBox]:
        """Plan boxes after those that a subscription has, the first on a day."""
        plan, room, earlier = self.plans.require(subscription.plan_id), self.room(), self.boxes_of(subscription)
        price = rules.box_price(plan, subscription.frequency, prepaid=prepaid)
        lately = packing.item_ids(earlier[-1]) if earlier else set[str]()
        boxes: list[CuratedBox] = []
        for place, box_id in enumerate(ids):
            day = rules.days_after(first, place * rules.INTERVALS[subscription.frequency])
            number = len(earlier) + place + 1
            box = packing.planned(box_id, subscription, plan, number, day, price, room, lately, prepaid=prepaid)
            boxes.append(self._boxes.insert(box))
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
        """Replace an item that the shopper does not want in boxes to come; their days."""
        room, days = self.room(), list[dt.date]()
        for box in self.boxes if item.id in room.unloved else ():
            if rules.is_ahead(box, self.today) and (other := packing.without_item(box, item, room)):
                self._boxes.replace(other)
                days.append(box.delivers_on)
        self.stock(room)
        return sorted(days)

    # -- money

    def settle(self, amount: float) -> rules.Paid:
        """Let the shopper pay an amount, or give it as credit if it is negative."""
        shopper, paid = rules.settled(self.shopper, amount)
        self._shoppers.replace(shopper)
        return paid

    def give_up(self, box: CuratedBox, status: BoxStatus) -> CuratedBox:
        """Let a box not come; what was paid for it becomes credit."""
        self.settle(-box.paid)
        return self._boxes.replace(box.evolve(status=status, paid=0.0))

    def take_up(self, box: CuratedBox, status: BoxStatus) -> CuratedBox:
        """Let a box come after all; if it was ordered in advance, credit pays for it as far as there is any."""
        paid = self.settle(box.price if box.prepaid else 0.0).from_credit
        return self._boxes.replace(box.evolve(status=status, paid=paid))

    def to_pay(self, box: CuratedBox) -> rules.Paid:
        """How an upcoming box will be paid, after those that are paid before it."""
        due = [each for each in self.boxes if each.status == "upcoming" and rules.is_ahead(each, self.today)]
        return rules.due_of(box, due, self.shopper)
