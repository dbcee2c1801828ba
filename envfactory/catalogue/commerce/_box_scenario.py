"""The service of a scenario: plans and items of five themes, and subscriptions and boxes at every step."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.commerce import _box_money as money
from envfactory.catalogue.commerce import _box_packing as packing
from envfactory.catalogue.commerce import _box_rules as rules
from envfactory.catalogue.commerce._box_records import (
    AddressName,
    BoxItem,
    BoxPlan,
    BoxShopper,
    BoxSubscription,
    CuratedBox,
    DeliveryAddress,
    Fit,
    Frequency,
    Problem,
    Size,
    Status,
    Theme,
    Variant,
)
from envfactory.environment import World, by_id, cents, days_after

_SIZES: tuple[Size, ...] = ("small", "classic", "large")
_RATES, _ITEMS, _SWAPS = (1.0, 1.4, 1.75), (2, 3, 4), (1, 2, 2)
"""Price, items and swaps of a plan by its size."""
_MINIMUM, _FEES = ((1, 3, 6), (3, 6, 4), (2, 1, 3)), (6.0, 5.0, 4.0)
"""Minimum terms by brand and size, and fees for leaving by size."""
_FULL = (5, 20, 43)
"""Plans that take nobody."""


class _Range(NamedTuple):
    """A theme: its brands, price of a small box, variants, and items for each and for both; the last are premium."""

    brands: tuple[str, str, str]
    base: int
    variants: tuple[Variant, Variant]
    first: tuple[str, ...]
    second: tuple[str, ...]
    both: tuple[str, ...]


_RANGES: dict[Theme, _Range] = {
    "coffee": _Range(
        ("Bean Harbour", "Roast Post", "Copper Kettle"), 23, ("whole_bean", "ground"),
        ("Sidamo roast", "Huila roast", "Antigua roast", "Mandheling roast", "Kona roast",
         "Guji roast", "Geisha roast"),
        ("Santos filter blend", "Cauca filter blend", "Lima espresso blend", "Kivu espresso blend",
         "Nyeri filter blend", "Milano espresso blend", "Blue Ridge blend"),
        ("oat biscotti pack", "cocoa shortbread tin", "enamel mug", "pour-over cone"),
    ),
    "snacks": _Range(
        ("Crunch Club", "Nibble Crate", "Pantry Pals"), 17, ("sweet", "savoury"),
        ("salted caramel tin", "lemon wafer pack", "honey granola bag", "almond nougat bar", "maple popcorn bag",
         "cherry jelly jar", "truffle praline tin"),
        ("paprika chickpea bag", "rosemary cracker pack", "seaweed crisp bag", "smoked nut tin", "chilli maize bag",
         "herb olive jar", "parmesan straw tin"),
        ("trail mix bag", "ginger tea caddy", "sesame stick pack", "olive hamper"),
    ),
    "books": _Range(
        ("Chapter One", "Page Turner", "Night Shelf"), 28, ("crime", "fantasy"),
        ("Harbour Alibi novel", "Frozen Witness novel", "Last Platform novel", "Paper Trail novel", "Cold Tide novel",
         "Silent Vault novel", "Alibi omnibus"),
        ("Glass Dragon novel", "Salt Kingdom novel", "Moon Tower novel", "Thorn Crown novel", "Ember Gate novel",
         "Winter Oracle novel", "Dragon omnibus"),
        ("linen bookmark", "reading light", "cedar candle", "leather book sleeve"),
    ),
    "pets": _Range(
        ("Happy Tails", "Paw Parcel", "Furry Friday"), 21, ("for_dogs", "for_cats"),
        ("chicken chew pack", "rope tug", "salmon biscuit bag", "squeaky duck", "chase ball",
         "puzzle feeder", "leather collar"),
        ("catnip mouse", "tuna treat bag", "feather wand", "crinkle ball", "silvervine stick",
         "play tunnel", "sisal scratch board"),
        ("paw balm jar", "travel bowl", "grooming glove", "padded mat"),
    ),
    "beauty": _Range(
        ("Glow Letter", "Fresh Face", "Dew Drop"), 26, ("dry_skin", "oily_skin"),
        ("oat hand cream", "shea body butter", "honey lip balm", "almond cleansing oil", "oat bath soak",
         "avocado night cream", "rose face oil"),
        ("clay face mask", "mint toner", "charcoal soap bar", "tea tree gel", "green tea mist",
         "papaya scrub", "zinc serum"),
        ("cotton headband", "bath salt jar", "wooden comb", "silk eye mask"),
    ),
}  # fmt: skip


class _Has(NamedTuple):
    """A subscription of the user's."""

    plan: int
    frequency: Frequency
    days: int
    """In how many days the next box comes that is not packed; if it is paused or cancelled, counted from then."""
    past: int
    """How many boxes were packed before."""
    status: Status = "active"
    ago: int = 0
    """How many days ago it was paused or cancelled."""
    until: int = 0
    """In how many days the pause ends."""
    skipped: tuple[int, ...] = ()
    """Which of the boxes to come are skipped."""
    prepaid: bool = False
    gap: bool = False
    """Whether the box before the next one was skipped."""
    may_pause: bool = True


_MINE = (
    _Has(1, "weekly", 9, 5),
    _Has(3, "every_two_weeks", 6, 4),
    _Has(9, "every_four_weeks", 18, 3),
    _Has(10, "every_two_weeks", 16, 4, skipped=(1,)),
    _Has(18, "every_four_weeks", 25, 2),
    _Has(22, "every_two_weeks", 8, 2, skipped=(0, 1)),
    _Has(27, "weekly", 10, 6, skipped=(2,)),
    _Has(29, "every_two_weeks", 5, 3),
    _Has(36, "every_four_weeks", 20, 1, skipped=(1,), prepaid=True),
    _Has(39, "every_two_weeks", 10, 2, skipped=(0,), gap=True),
    _Has(19, "weekly", 7, 0, prepaid=True),
    _Has(13, "every_four_weeks", 30, 3, may_pause=False),
    _Has(2, "every_four_weeks", 8, 4, "paused", 12, 40),
    _Has(28, "every_two_weeks", 7, 3, "paused", 5, 50, skipped=(2,)),
    _Has(37, "every_two_weeks", 9, 3, "paused", 0, 60),
    _Has(11, "weekly", 6, 5, "paused", 20, 30),
    _Has(4, "every_two_weeks", 9, 5, "cancelled", 6),
    _Has(20, "every_four_weeks", 12, 6, "cancelled", 25),
    _Has(31, "every_two_weeks", 8, 2, "cancelled", 12),
    _Has(38, "weekly", 7, 6, "cancelled", 45),
    _Has(12, "every_four_weeks", 10, 1, "cancelled", 3, prepaid=True),
    _Has(1, "every_four_weeks", 9, 2, "cancelled", 90),
)
"""The user's subscriptions; the last was to a plan that they have again."""
_GIFTS = ((20, 3, 3, -20), (14, 6, 24, -5), (0, 12, -40, -60), (30, 6, 33, -2))
"""The user's gifts: plan, boxes, in how many days the first one comes, and when it was bought."""
_STARS = (5, 4, 2, 3, 5, 1, 4)


def service(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and two hundred more."""
    it = _Service(world, size)
    for n, has in enumerate(_MINE):
        it.subscribe(it.shoppers[0], has, n)
    it.decorate()
    for gift in _GIFTS:
        it.give(it.shoppers[0], *gift)
    for n, shopper in enumerate(it.shoppers[1:]):
        it.subscribe(shopper, _MINE[(3 * n) % 12]._replace(skipped=()), n)
        it.subscribe(shopper, _MINE[13 + n % 3], n + 1)
    it.fill()
    return {
        "now": world.now,
        "shopper_id": it.shoppers[0].id,
        "shoppers": by_id(it.shoppers),
        "plans": by_id(it.plans),
        "items": it.room.items,
        "subscriptions": by_id(it.subscriptions),
        "boxes": by_id(it.boxes),
    }


class _Service:
    """Plans, items, subscriptions and boxes as they are added."""

    def __init__(self, world: World, size: int) -> None:
        self.world, self.today = world, world.today
        people = [world.user, *world.people(max(2, size // 15))]
        self.shoppers = [
            BoxShopper(
                id=f"SH-{11 + n}", name=each.name, email=each.email, credit=0.0 if n else 18.4,
                friends=tuple(friend.email for friend in people[1:] if friend != each)[:4],
                addresses=tuple(self._address(name) for name in ("home", "work", "cabin")[: 2 + (n == 0)]),
            )
            for n, each in enumerate(people)
        ]  # fmt: skip
        self.plans: list[BoxPlan] = []
        items: list[BoxItem] = []
        for theme, kind in _RANGES.items():
            self._offer(theme, kind)
            for n, names in enumerate((kind.first, kind.second, kind.both)):
                fit: Fit = (*kind.variants, "any")[n]
                for place, name in enumerate(names):
                    premium = place == len(names) - 1
                    stock = 0 if len(items) % 18 in (1, 10, 17) else world.integer(8, 30) + size // 4
                    items.append(
                        BoxItem(
                            id=f"BI-{101 + len(items)}", item=name, theme=theme, variant=fit,
                            grade="premium" if premium else "standard", stock=stock,
                            price=cents(kind.base * (0.8 if premium else 0.35) + world.integer(0, 8) * 0.5),
                            status="in_stock" if stock else "sold_out",
                        )
                    )  # fmt: skip
        self.room = packing.Stockroom(items)
        self.subscriptions: list[BoxSubscription] = []
        self.boxes: list[CuratedBox] = []
        self._to_fill: list[tuple[BoxSubscription, _Has, dt.date]] = []

    def _address(self, nickname: AddressName) -> DeliveryAddress:
        return DeliveryAddress(nickname=nickname, street=self.world.address(), city=self.world.city()[0])

    def _offer(self, theme: Theme, kind: _Range) -> None:
        """Add the plans of a theme."""
        for brand, name in enumerate(kind.brands):
            for place, size in enumerate(_SIZES):
                self.plans.append(
                    BoxPlan(
                        id=f"PL-{201 + len(self.plans)}", plan=f"{name} {size.title()}", theme=theme, size=size,
                        items=_ITEMS[place], swaps=_SWAPS[place], variants=kind.variants,
                        price=float(round((kind.base + 3 * brand) * _RATES[place])) - 0.1,
                        minimum_boxes=_MINIMUM[brand][place], leaving_fee=_FEES[place],
                        status="full" if len(self.plans) in _FULL else "open",
                    )
                )  # fmt: skip

    def subscribe(self, shopper: BoxShopper, has: _Has, place: int) -> None:
        """Add a subscription with the boxes that were packed for it; those to come are planned later."""
        plan, interval = self.plans[has.plan], rules.INTERVALS[has.frequency]
        then = days_after(self.today, -has.ago)
        day = days_after(then, has.days)
        if day.weekday() == len(rules.WEEKDAYS):
            day = days_after(day, 1)
        first = days_after(day, -interval * has.past)
        ordered = min(then, days_after(first, -rules.FIRST_DAYS - (place % 6 if has.past else 0)))
        weekday = rules.WEEKDAYS[day.weekday()]
        address = shopper.addresses[place % len(shopper.addresses)].nickname
        new = rules.started(
            f"BS-{301 + len(self.subscriptions)}", shopper, plan, plan.variants[place % 2], has.frequency, weekday,
            address, ordered,
        ).evolve(boxes_paid=has.past - has.gap, may_pause=has.may_pause)  # fmt: skip
        for n in range(has.past):
            box = self._box(new, plan, n + 1, days_after(first, n * interval), has)
            self.room.put_back(box.lines)  # what was packed long ago is no part of the stock
            come = "delivered" if box.delivers_on <= self.today else "packed"
            skipped = has.gap and n == has.past - 1
            self.boxes.append(box.evolve(status="skipped" if skipped else come, paid=0.0 if skipped else box.paid))
        if has.status == "paused":
            until = days_after(self.today, has.until)
            turns = -(-(until - day).days // interval)
            new = new.evolve(
                status="paused", paused_on=then, paused_until=until, may_pause=False, moved_by=turns
            )  # fmt: skip
            day = days_after(day, turns * interval)
        if has.status == "cancelled":
            new = rules.cancelled(new, money.fee_now(new, plan), then)
        self.subscriptions.append(new)
        self._to_fill.append((new, has, day))

    def _box(self, new: BoxSubscription, plan: BoxPlan, number: int, day: dt.date, has: _Has) -> CuratedBox:
        prepaid = has.prepaid and number <= rules.AHEAD
        price = money.box_price(plan, has.frequency, prepaid=prepaid)
        earlier = self.boxes[-1] if self.boxes and self.boxes[-1].subscription_id == new.id else None
        lately = packing.item_ids(earlier) if earlier else set[str]()
        key = f"CB-{101 + len(self.boxes)}"
        return packing.planned(key, new, plan, number, day, price, self.room, lately, prepaid=prepaid)

    def decorate(self) -> None:
        """Rate some items of the user's delivered boxes and report others."""
        problems: tuple[Problem, ...] = ("broken", "leaking", "past_its_date", "missing")
        delivered = [n for n, box in enumerate(self.boxes) if box.status == "delivered"]
        for count, n in enumerate(delivered):
            box = self.boxes[n]
            first, *rest = box.lines
            if count % 4 == 1:
                first = first.evolve(stars=_STARS[count // 4 % len(_STARS)])
            if count % 9 == 4:
                first = first.evolve(problem=problems[count // 9 % len(problems)])
            self.boxes[n] = box.evolve(lines=(first, *rest))

    def give(self, shopper: BoxShopper, place: int, boxes: int, days: int, bought: int) -> None:
        """Add a gift to one of the other shoppers."""
        plan, today = self.plans[place], self.today
        first = days_after(today, days)
        if first.weekday() == len(rules.WEEKDAYS):
            first = days_after(first, 1)
        friend = shopper.friends[len(self.subscriptions) % len(shopper.friends)]
        self.subscriptions.append(
            rules.gift(
                f"BS-{301 + len(self.subscriptions)}", shopper, plan, plan.variants[0], friend, boxes,
                first, None, days_after(today, bought),
            )
        )  # fmt: skip

    def fill(self) -> None:
        """Plan the boxes to come of all subscriptions, without what their shopper does not want."""
        for shopper in self.shoppers:
            mine = [box for box in self.boxes if box.shopper_id == shopper.id]
            self.room.unloved = frozenset(packing.unloved(mine))
            for new, has, day in self._to_fill:
                if new.shopper_id == shopper.id:
                    self._ahead(new, has, day)

    def _ahead(self, new: BoxSubscription, has: _Has, day: dt.date) -> None:
        """Plan the boxes of a subscription that were to come when it was left as it is; some have swaps and extras."""
        plan = self.plans[has.plan]
        for n in range(rules.AHEAD):
            on = days_after(day, n * rules.INTERVALS[has.frequency])
            box = self._box(new, plan, has.past + n + 1, on, has)
            if has.status == "active" and len(self.boxes) % 4 == 2:
                box = self._swapped(box, plan)
            if has.status == "active" and len(self.boxes) % 7 == 3:
                box = self._with_extra(box, plan, 4 if len(self.boxes) % 2 else 1)
            if n in has.skipped:
                box = box.evolve(status="skipped", paid=0.0)
            elif has.status == "paused":
                box = box.evolve(status="paused")
            elif has.status == "cancelled":
                box = box.evolve(status="cancelled", paid=0.0)
            self.boxes.append(box)

    def _swapped(self, box: CuratedBox, plan: BoxPlan) -> CuratedBox:
        """A box with its first item swapped for a premium one, if there is any."""
        found = [i for i in self.room.items.values() if packing.fits(i, box.theme, box.variant) and i.stock]
        premium = [item for item in found if item.grade == "premium" and item.id not in self.room.unloved]
        if not premium:
            return box
        line, new = box.lines[0], premium[0]
        box = packing.swapped(box, line, new, plan)
        self.room.put_back([line])
        self.room.take(new.id, 1)
        return box

    def _with_extra(self, box: CuratedBox, plan: BoxPlan, pieces: int) -> CuratedBox:
        """A box with pieces of the item of which there are most that suit it."""
        found = [item for item in packing.suiting(box, self.room.items.values()) if item.stock >= pieces]
        if not found:
            return box
        item = max(found, key=lambda item: (item.stock, item.id))
        self.room.take(item.id, pieces)
        return packing.with_extra(box, item, pieces, plan)
