"""The auction house of a scenario: sales past, running and to come, and the user's bids, invoices and items."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.commerce import _auction_rules as rules
from envfactory.catalogue.commerce._auction_records import (
    AuctionBidder,
    AuctionInvoice,
    AuctionLot,
    AuctionSale,
    BidStatus,
    BidStep,
    Category,
    CollectionSlot,
    ConsignedItem,
    Delivery,
    InvoiceStatus,
    ItemStatus,
    Kind,
    LotStatus,
    MaximumBid,
    Size,
)
from envfactory.environment import World, by_id

_THINGS: dict[Category, tuple[Size, tuple[str, ...], tuple[str, ...]]] = {
    "furniture": (
        "large",
        ("walnut", "oak", "teak", "rosewood", "cherry", "lacquered", "bamboo"),
        ("sideboard", "writing desk", "armchair", "bookcase", "dining table", "cabinet", "bench"),
    ),
    "jewellery": (
        "small",
        ("sapphire", "diamond", "emerald", "pearl", "gold", "amethyst", "silver"),
        ("ring", "brooch", "bracelet", "necklace", "pendant", "tiara", "locket"),
    ),
    "watches": (
        "small",
        ("steel", "gold", "military", "vintage", "titanium", "ladies'", "railway"),
        ("chronograph", "pocket watch", "diver's watch", "wristwatch", "alarm watch", "dress watch", "pilot's watch"),
    ),
    "paintings": (
        "medium",
        ("stormy", "winter", "Venetian", "mountain", "moonlit", "coastal", "summer"),
        ("landscape", "harbour view", "still life", "portrait", "street scene", "seascape", "village scene"),
    ),
    "ceramics": (
        "medium",
        ("blue", "celadon", "crackled", "painted", "Delft", "stoneware", "ivory"),
        ("vase", "tea set", "charger", "bowl", "jar", "teapot", "tile panel"),
    ),
    "books": (
        "small",
        ("illustrated", "signed", "leather-bound", "early", "annotated", "Persian", "Latin"),
        ("atlas", "herbal", "bible", "travel journal", "book of hours", "cookbook", "novel"),
    ),
}
_CATEGORIES = tuple(_THINGS)


class _Own(NamedTuple):
    """A bid of the user's on a running or coming sale: where it stands, in which sale, and when it was placed."""

    status: BidStatus
    sale: int
    hours: tuple[float, ...] = (30.0,)
    """How long ago each of its maxima was placed, the first one first."""


_OWN = (
    _Own("leading", 1),
    _Own("outbid", 1),
    _Own("leading", 2, (50.0, 20.0)),
    _Own("leading", 0),  # closes too soon to be retracted
    _Own("leading", 0, (30.0, 0.5)),  # of which only the raise can be
    _Own("outbid", 3),
    _Own("waiting", 6),
    _Own("waiting", 8),
    _Own("retracted", 4),
    _Own("outbid", 2),
)
_WON: tuple[tuple[InvoiceStatus, Delivery, int], ...] = (
    ("due", "undecided", 0), ("due", "post", 1), ("due", "collection", 2), ("paid", "collection", 3),
    ("paid", "courier", 4), ("due", "undecided", 5), ("handed_over", "post", 6), ("handed_over", "collection", 9),
    ("due", "undecided", 9),
)  # fmt: skip
"""Invoices: how they stand, how the lot is delivered, and in which of the past sales it was won."""
_ITEMS: tuple[tuple[ItemStatus, int, int], ...] = (
    ("unconsigned", 0, 60), ("unconsigned", 1, 30), ("consigned", 8, 80), ("consigned", 1, 70), ("unconsigned", 4, -3),
    ("sold", 0, -40), ("unconsigned", 3, 0), ("consigned", 7, 50), ("unconsigned", 5, 45), ("consigned", 10, 40),
)  # fmt: skip
"""The user's items: how they stand; the sale, or the category, they are in; for how many days they can be consigned."""


def auction_house(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and two hundred more."""
    house = _House(world, max(8, size // 8))
    for own in _OWN:
        house.own_bid(own)
    for n in range(max(26, size // 3)):
        house.running(n)
    for status, delivery, place in _WON:
        house.won(status, delivery, place)
    house.won("due", "undecided", 3, low=2400.0)  # too dear for the post
    for n in range(max(12, size // 6)):
        house.over(n)
    house.withdrawn()
    for status, place, days in _ITEMS:
        house.own_item(status, place, days)
    return {
        "now": world.now,
        "bidder_id": house.me,
        "bidders": by_id(house.bidders),
        "sales": by_id(house.sales),
        "lots": house.lots,
        "bids": house.bids,
        "invoices": by_id(house.invoices),
        "slots": by_id(house.slots),
        "items": by_id(house.items),
    }


class _House:
    """The records as they are added."""

    def __init__(self, world: World, others: int) -> None:
        self.world = world
        people = [world.user, *world.people(others)]
        self.bidders = [
            AuctionBidder(id=f"BD-{11 + n}", name=p.name, email=p.email, limit=25000.0 if n else 20000.0)
            for n, p in enumerate(people)
        ]
        self.me = self.bidders[0].id
        cities = [city for city, _ in world.cities[:3]]
        self.slots = [
            CollectionSlot(
                id=f"CS-{31 + n}", city=cities[n % 3], free=0 if n % 8 == 4 else world.integer(1, 4),
                starts_at=_at(world, 1 + n // 6, 10 + 4 * (n // 3 % 2)),
            )
            for n in range(54)
        ]  # fmt: skip
        self.sales = [self._sale(n, cities[n % 3]) for n in range(24)]
        self.lots: dict[str, AuctionLot] = {}
        self.bids: dict[str, MaximumBid] = {}
        self.invoices: list[AuctionInvoice] = []
        self.items: list[ConsignedItem] = []
        self.titles = {
            category: world.sample([f"{kind} {thing}" for kind in kinds for thing in things], 49)
            for category, (_, kinds, things) in _THINGS.items()
        }

    def _sale(self, n: int, city: str) -> AuctionSale:
        """Six online sales that run, six to come (the even ones live), six that take items, and six that are over."""
        world, category, group = self.world, _CATEGORIES[n % 6], n // 6
        kind: Kind = "live" if (group == 1 and n % 2 == 0) or n == 14 else "online"
        days = (n % 6, 6 + n % 6, 24 + 2 * (n % 6), -19 if n % 6 == 5 else -2 - 2 * (n % 6))[group]
        held = world.now + dt.timedelta(hours=6) if n == 0 else _at(world, days, 19 if group < 3 else 20)
        opens = held - dt.timedelta(days=4 if kind == "online" and group == 1 else 20 if kind == "live" else 9)
        name = f"{('Midweek', city, 'Summer', 'Winter')[group]} {category.capitalize()}"
        return AuctionSale(
            id=f"SL-{51 + n}", name=name, category=category, kind=kind, city=city, opens_at=opens, held_at=held,
            consign_until=(opens - dt.timedelta(days=3)).date() if kind == "online" else world.date(2, 4)
            if group == 2 else (held - dt.timedelta(days=14)).date(),
            places=0 if n == 15 else world.integer(3, 12),
        )  # fmt: skip

    def own_bid(self, own: _Own) -> None:
        """A lot on which the user bids, and others around that."""
        lot = self._lot(self.sales[own.sale], reserve=0 if own.sale == 2 else None)
        steps: list[BidStep] = []
        maximum = self._above(lot.starting_price, 2)
        for hours in own.hours:
            steps.append(BidStep(maximum=maximum, placed_at=self._ago(hours)))
            maximum = self._above(maximum, 2)
        mine = self._bid(lot, self.me, *steps)
        if own.status == "retracted":
            self.bids[mine.id] = mine.evolve(status="retracted", reason="a_wrong_amount")
        elif own.status == "outbid":
            self._rival(lot, self._above(mine.maximum, 2))
        else:
            self._rival(lot, lot.starting_price)
        self._settle(lot)

    def running(self, n: int) -> None:
        """A lot of a running or coming sale, some of them contested; the first ones fill one sale over a page."""
        lot = self._lot(self.sales[1 if n < 4 else n % 18], reserve=1 if n % 4 == 2 else None)
        watched = n % 4 == 1
        lot = lot.evolve(watched=watched, watchers=self.world.integer(int(watched), 9))
        if lot.opens_at < self.world.now and n % 3:
            least = lot.starting_price
            for _ in range(self.world.integer(1, 3)):
                self._rival(lot, least)
                least = self._above(least, self.world.integer(1, 3))
        self._settle(lot)

    def won(self, status: InvoiceStatus, delivery: Delivery, place: int, low: float | None = None) -> None:
        """A lot that the user won, its bid and its invoice."""
        sale = self.sales[18 + place % 6]
        lot = self._lot(sale, low=low)
        hammer = self._above(lot.starting_price, self.world.integer(2, 5))
        self._past_bid(lot, self.me, self._above(hammer, 2), "won", hours=5)
        self._end(lot, "sold", hammer)
        held = sale.held_at.date()
        invoice = AuctionInvoice(
            id=f"IN-{401 + len(self.invoices)}", bidder_id=self.me, title=lot.title, sale_name=sale.name, size=lot.size,
            city=sale.city, hammer=hammer, premium=rules.premium(hammer), total=0, status=status,
            services=rules.services_of(lot.size, hammer), keep_until=held + dt.timedelta(days=rules.KEEP_DAYS),
            due_on=held + dt.timedelta(days=rules.DUE_DAYS),
        )  # fmt: skip
        if delivery == "post" and "post" not in invoice.services:
            delivery = "courier"
        if delivery != "collection":
            self.invoices.append(rules.delivered(invoice, delivery))
        elif status == "handed_over":
            self.invoices.append(rules.delivered(invoice, delivery, collect_at=_at(self.world, -1, 10)))
        else:
            places = [slot for slot in self.slots if rules.is_for(slot, invoice, self.world.today)]
            slot = places[len(self.invoices) % 3]
            booked = rules.delivered(invoice, delivery, slot_id=slot.id, collect_at=slot.starts_at)
            self.invoices.append(booked)

    def over(self, n: int) -> None:
        """A lot of a sale that is over, which somebody else got, or nobody; some the user bid on in vain."""
        lot = self._lot(self.sales[18 + n % 6], reserve=1 if n % 3 == 2 else None)
        if n % 3 == 2:
            self._end(lot, "unsold", lot.starting_price)
            return
        hammer = self._above(lot.starting_price, self.world.integer(2, 6))
        if n < 3:
            self._past_bid(lot, self.me, lot.starting_price, "lost", hours=3)
        self._past_bid(lot, self.world.choice(self.bidders[1:]).id, self._above(hammer, 1), "won", hours=4)
        self._end(lot, "sold", hammer)

    def withdrawn(self) -> None:
        """A lot of a coming sale that the user watches, and that its owner took back."""
        lot = self._lot(self.sales[13])
        self._end(lot.evolve(watched=True, watchers=1), "withdrawn", lot.starting_price)

    def own_item(self, status: ItemStatus, place: int, days: int) -> None:
        """An item of the user's; one that is in a sale, or was sold there, is a lot, bid on if the sale runs."""
        if status == "unconsigned":
            self.items.append(self._item(_CATEGORIES[place], self.me, days))
        elif status == "consigned":
            lot = self._lot(self.sales[place], reserve=1, own=True, days=days)
            if place == 1:
                self._rival(lot, lot.starting_price)
            self._settle(lot)
        else:
            lot = self._lot(self.sales[18 + place], own=True, days=days)
            hammer = self._above(lot.starting_price, 3)
            self._past_bid(lot, self.world.choice(self.bidders[1:]).id, hammer, "won", hours=6)
            self._end(lot, "sold", hammer)

    # -- what all of these are made of ----------------------------------------------------------------------------

    def _item(self, category: Category, owner: str, days: int, low: float | None = None) -> ConsignedItem:
        pool, number = self.titles[category], sum(item.category == category for item in self.items)
        low = low or self.world.choice((80.0, 150.0, 260.0, 420.0, 600.0, 850.0, 1200.0))
        start = rules.starting_of(low)
        title = pool[number % len(pool)] + (f" no. {number // len(pool) + 1}" if number >= len(pool) else "")
        return ConsignedItem(
            id=f"IT-{601 + len(self.items)}", owner_id=owner, title=title, category=category, size=_THINGS[category][0],
            estimate_low=low, estimate_high=rules.stepped(low * 1.5), starting_price=start,
            reserves=rules.reserves_of(start, low), valid_until=self.world.today + dt.timedelta(days=days),
            status="unconsigned",
        )  # fmt: skip

    def _lot(
        self,
        sale: AuctionSale,
        *,
        reserve: int | None = None,
        own: bool = False,
        days: int = 20,
        low: float | None = None,
    ) -> AuctionLot:
        """A lot of a sale, and the item that it is: the last one, until there is another lot."""
        owner = self.me if own else self.world.choice(self.bidders[1:]).id
        number, item = rules.next_number(sale, self.lots.values()), self._item(sale.category, owner, days, low)
        item = rules.consigned(item, sale, number, None if reserve is None else item.reserves[reserve])
        self.items.append(item)
        lot = rules.lot_of(item, sale, f"LT-{101 + len(self.lots)}", number, own=own)
        self.lots[lot.id] = lot
        return lot

    def _end(self, lot: AuctionLot, status: LotStatus, price: float) -> None:
        """The lot, just added, as it ended."""
        bids = self._bids_on(lot)
        winner = next((bid.bidder_id for bid in bids if bid.status == "won"), None)
        leader = "nobody" if winner is None else "me" if winner == self.me else "somebody"
        self.lots[lot.id] = lot.evolve(status=status, price=price, bids=len(bids), leader=leader, next_bids=())
        item = self.items[-1]
        self.items[-1] = item.evolve(status="sold") if status == "sold" else rules.taken_back(item)

    def _rival(self, lot: AuctionLot, maximum: float) -> None:
        """A bid of somebody else on the lot, just added."""
        step = BidStep(maximum=maximum, placed_at=self._ago(self.world.integer(40, 60)))
        not_these = {self.items[-1].owner_id, *(bid.bidder_id for bid in self._bids_on(lot))}
        rivals = [each.id for each in self.bidders[1:] if each.id not in not_these]
        self._bid(lot, self.world.choice(rivals), step)

    def _past_bid(self, lot: AuctionLot, bidder_id: str, maximum: float, status: BidStatus, *, hours: int) -> None:
        """A bid that was placed so many hours after its lot had opened, as it ended."""
        step = BidStep(maximum=maximum, placed_at=lot.opens_at + dt.timedelta(hours=hours))
        bid = self._bid(lot, bidder_id, step)
        self.bids[bid.id] = bid.evolve(status=status)

    def _bid(self, lot: AuctionLot, bidder_id: str, *steps: BidStep) -> MaximumBid:
        bid = rules.bid_of(lot, f"MB-{201 + len(self.bids)}", bidder_id, *steps)
        self.bids[bid.id] = bid
        return bid

    def _bids_on(self, lot: AuctionLot) -> list[MaximumBid]:
        return [bid for bid in self.bids.values() if bid.lot_id == lot.id]

    def _settle(self, lot: AuctionLot) -> None:
        """Put the lot, just added, and its bids in the order that follows from them."""
        self.lots[lot.id], bids = rules.settled(lot, self._bids_on(lot), self.items[-1].reserve, self.me)
        self.bids.update(by_id(bids))

    def _ago(self, hours: float) -> dt.datetime:
        return self.world.now - dt.timedelta(hours=hours)

    def _above(self, amount: float, steps: int) -> float:
        """The bid that is so many increments higher."""
        for _ in range(steps):
            amount += rules.increment(amount)
        return amount


def _at(world: World, days: int, hour: int) -> dt.datetime:
    return dt.datetime.combine(world.today + dt.timedelta(days=days), dt.time(hour))
