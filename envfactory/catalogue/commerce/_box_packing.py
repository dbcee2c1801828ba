"""What is packed: which items go into a box, what swaps and extras do to it, and what is left in stock."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.commerce._box_records import (
    BoxItem,
    BoxLine,
    BoxPlan,
    BoxSubscription,
    CuratedBox,
    Theme,
    Variant,
)
from envfactory.environment import ToolError, cents, said

SURCHARGE = 4.0
"""What a premium item costs on top when it is swapped for another."""
EXTRA_PIECES = 4
"""How many pieces of extras a box takes."""
LOW_STARS = 2
"""An item with so few stars is not packed again."""
CUT_OFF_DAYS = 5
"""How many days before its delivery a box can be changed for the last time."""


def title(plan: BoxPlan, recipient: str | None = None) -> str:
    """How a subscription is spoken of."""
    return f"the {plan.plan} gift for {recipient}" if recipient else f"my {plan.plan} subscription"


class Stockroom:
    """The items as they are taken for boxes and put back."""

    def __init__(self, items: Iterable[BoxItem], unloved: Iterable[str] = ()) -> None:
        """Open it for a shopper.

        Args:
            items: all items.
            unloved: ids of those that the shopper does not want to get again.
        """
        self.items = {item.id: item for item in items}
        self.unloved = frozenset(unloved)
        self.touched: set[str] = set()

    def take(self, item_id: str, pieces: int) -> None:
        """Take pieces out of stock; a negative number puts them back."""
        item = self.items[item_id]
        left = item.stock - pieces
        self.items[item_id] = item.evolve(stock=left, status="in_stock" if left else "sold_out")
        self.touched.add(item_id)

    def pick(
        self, theme: Theme, variant: Variant, count: int, without: Iterable[str], lately: Iterable[str]
    ) -> list[BoxLine]:
        """Take up to so many standard items for a box: those of which there are most, rather none of lately."""
        taken, recent = frozenset(without) | self.unloved, frozenset(lately)
        fit = [item for item in self.items.values() if fits(item, theme, variant) and item.grade == "standard"]
        fit = [item for item in fit if item.stock and item.id not in taken]
        fit.sort(key=lambda item: (item.id in recent, -item.stock, item.id))
        for item in fit[:count]:
            self.take(item.id, 1)
        return [BoxLine(item_id=item.id, item=item.item) for item in fit[:count]]

    def put_back(self, lines: Iterable[BoxLine]) -> None:
        """Put the pieces of lines back into stock."""
        for line in lines:
            self.take(line.item_id, -line.pieces)


def fits(item: BoxItem, theme: Theme, variant: Variant) -> bool:
    """Whether an item can be in boxes of this theme and variant."""
    return item.theme == theme and item.variant in (variant, "any")


def suiting(box: CuratedBox, items: Iterable[BoxItem]) -> list[BoxItem]:
    """The items that can be swapped into a box, the cheapest first."""
    inside = item_ids(box)
    found = [item for item in items if fits(item, box.theme, box.variant) and item.stock and item.id not in inside]
    return sorted(found, key=lambda item: (item.price, item.id))


def item_ids(box: CuratedBox) -> set[str]:
    """Ids of what is in a box."""
    return {line.item_id for line in box.lines}


def unloved(boxes: Iterable[CuratedBox]) -> set[str]:
    """Ids of items that were rated low in the latest box in which they were rated."""
    stars: dict[str, int] = {}
    for box in sorted(boxes, key=lambda box: (box.delivers_on, box.id)):
        stars.update({line.item_id: line.stars for line in box.lines if line.stars is not None})
    return {item_id for item_id, given in stars.items() if given <= LOW_STARS}


def with_lines(box: CuratedBox, lines: Iterable[BoxLine], swaps: int) -> CuratedBox:
    """The box with these lines, and its total and swaps by them.

    Args:
        box: the box before.
        lines: what is in it now.
        swaps: how many swaps its plan has.
    """
    lines = tuple(lines)
    total = cents(box.price + sum(line.price for line in lines))
    made = sum(line.instead_of is not None for line in lines)
    return box.evolve(lines=lines, contents=contents(lines), total=total, swaps_left=max(0, swaps - made))


def contents(lines: Iterable[BoxLine]) -> str:
    """What lines are, in words."""
    return ", ".join(line.item if line.pieces == 1 else f"{line.item} ({line.pieces})" for line in lines)


def planned(
    box_id: str, subscription: BoxSubscription, plan: BoxPlan, number: int, day: dt.date, price: float, room: Stockroom,
    lately: Iterable[str], *, prepaid: bool = False,
) -> CuratedBox:  # fmt: skip
    """A new box of a subscription, with items out of stock."""
    lines = tuple(room.pick(plan.theme, subscription.variant, plan.items, (), lately))
    return CuratedBox(
        id=box_id, shopper_id=subscription.shopper_id, subscription_id=subscription.id, number=number,
        title=title(plan), plan=plan.plan, theme=plan.theme, variant=subscription.variant, delivers_on=day,
        change_until=cut_off(day), lines=lines, contents=contents(lines), swaps_left=plan.swaps, price=price,
        prepaid=prepaid, total=price, paid=price if prepaid else 0.0,
    )  # fmt: skip


def cut_off(day: dt.date) -> dt.date:
    """The last day on which a box that is delivered on a day can be changed."""
    return day - dt.timedelta(days=CUT_OFF_DAYS)


def line_of(box: CuratedBox, item: str, *, extra: bool) -> BoxLine | None:
    """The line of an item in a box, as an extra or not, if it is there."""
    return next((line for line in box.lines if line.item.lower() == item.lower() and line.extra == extra), None)


def held(box: CuratedBox, item: str) -> BoxLine:
    """The line of an item in a box, which must be there.

    Raises:
        ToolError: `not_found`.
    """
    line = line_of(box, item, extra=False) or line_of(box, item, extra=True)
    if line is None:
        inside = ", ".join(line.item for line in box.lines)
        raise ToolError("not_found", f"There is no {item} in that box; name one of its items: {inside}.")
    return line


def check_stock(item: BoxItem, pieces: int) -> None:
    """Refuse more pieces of an item than there are."""
    if item.stock < pieces:
        words = f"Only {item.stock} of the {item.item} are left" if item.stock else f"The {item.item} is sold out"
        raise ToolError("conflict", f"{words}; take {'fewer or ' if item.stock else ''}another item (find_items).")


def swapped(box: CuratedBox, line: BoxLine, new: BoxItem, plan: BoxPlan) -> CuratedBox:
    """The box with another item in the place of one; what was planned at first can always come back."""
    if line.extra:
        raise ToolError("invalid_argument", f"The {line.item} is an extra, which is not swapped; name a planned item.")
    if line_of(box, new.item, extra=False):
        raise ToolError("conflict", f"The {new.item} is in that box already; choose another item (find_items).")
    if not fits(new, box.theme, box.variant):
        words = f"The {new.item} is no item for a {said(box.variant)} {box.theme} box; choose one that is (find_items)."
        raise ToolError("invalid_argument", words)
    check_stock(new, 1)
    first = line.instead_of or line.item
    if line.instead_of is None and not box.swaps_left:
        words = f"A {plan.plan} box has {plan.swaps} of its items swapped at most, and that many are"
        raise ToolError("limit_exceeded", f"{words}; swap one of those again, or add an extra.")
    back = new.item == first
    other = BoxLine(
        item_id=new.id, item=new.item, instead_of=None if back else first,
        price=SURCHARGE if new.grade == "premium" and not back else 0.0,
    )  # fmt: skip
    return with_lines(box, [other if each is line else each for each in box.lines], plan.swaps)


def with_extra(box: CuratedBox, item: BoxItem, pieces: int, plan: BoxPlan) -> CuratedBox:
    """The box with pieces of an item on top, for this once."""
    check_stock(item, pieces)
    room = EXTRA_PIECES - sum(line.pieces for line in box.lines if line.extra)
    if pieces > room:
        words = f"A box takes {EXTRA_PIECES} pieces of extras, so there is room for {room} more"
        raise ToolError("limit_exceeded", f"{words}; take fewer, or add them to another box.")
    old = line_of(box, item.item, extra=True)
    count = pieces + (old.pieces if old else 0)
    new = BoxLine(item_id=item.id, item=item.item, extra=True, pieces=count, price=cents(item.price * count))
    return with_lines(box, [*(each for each in box.lines if each is not old), new], plan.swaps)


def repacked(box: CuratedBox, plan: BoxPlan, room: Stockroom, lately: Iterable[str]) -> CuratedBox:
    """The box for another plan, at its old price: its own items are chosen anew, extras stay."""
    extras = [line for line in box.lines if line.extra]
    room.put_back(line for line in box.lines if not line.extra)
    lines = room.pick(box.theme, box.variant, plan.items, (), lately)
    return with_lines(box.evolve(plan=plan.plan, title=title(plan)), [*lines, *extras], plan.swaps)


def without_item(box: CuratedBox, item: BoxItem, room: Stockroom) -> CuratedBox | None:
    """The box with another item in the place of one that the shopper does not want; none if it stays as it is."""
    line = line_of(box, item.item, extra=False)
    lines = room.pick(box.theme, box.variant, 1, item_ids(box), ()) if line else []
    if line is None or not lines:
        return None
    room.put_back([line])
    back = line.instead_of == lines[0].item
    other = lines[0].evolve(instead_of=None if back else line.instead_of)
    changed = tuple(other if each is line else each for each in box.lines)
    return box.evolve(
        lines=changed, contents=contents(changed), total=cents(box.total - line.price),
        swaps_left=box.swaps_left + back,
    )  # fmt: skip
