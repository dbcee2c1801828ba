"""The returns desk of a scenario: things bought within and past their windows, and returns in every condition."""

import datetime as dt
from typing import Any, NamedTuple, get_args

from envfactory.catalogue.commerce._returns_records import (
    BoughtItem,
    Category,
    ExchangeArticle,
    Grade,
    Reason,
    Remedy,
    ReturnCase,
    Shopper,
    Status,
    Way,
)
from envfactory.catalogue.commerce._returns_rules import (
    SEND_BACK_FEE,
    SEND_DAYS,
    SHARE,
    TERMS,
    last_day,
    priced,
    reasons_for,
)
from envfactory.environment import World, by_id, cents

_CATEGORIES: tuple[Category, ...] = get_args(get_args(Category)[0])
_BRANDS = ("Nordhem", "Kestrel", "Luma", "Solvik", "Tamarin", "Caldera", "Halden", "Juniper")
_KINDS: dict[Category, tuple[str, ...]] = {
    "clothing": ("rain jacket", "wool jumper", "linen shirt", "winter coat", "running tights", "denim skirt"),
    "electronics": ("headphones", "kettle", "desk lamp", "keyboard", "speaker", "toothbrush"),
    "cosmetics": ("face cream", "perfume", "hair oil", "soap set", "hand balm", "shampoo"),
    "books": ("atlas", "cookbook", "garden guide", "photo book", "travel diary", "history of art"),
    "furniture": ("armchair", "bookcase", "side table", "bed frame", "coat stand", "mirror"),
}
_VARIANTS: dict[Category, tuple[str, str, str]] = {
    "clothing": ("small", "medium", "large"),
    "electronics": ("black", "white", "green"),
    "cosmetics": ("50 ml", "100 ml", "200 ml"),
    "books": ("paperback", "hardback", "large print"),
    "furniture": ("oak", "walnut", "white"),
}
_PRICES: dict[Category, tuple[int, int]] = {
    "clothing": (25, 140), "electronics": (30, 180), "cosmetics": (9, 60), "books": (12, 48), "furniture": (60, 320),
}  # fmt: skip


class _Bought(NamedTuple):
    """One item: of which category, how many days ago it came, and what speaks against taking it back."""

    category: Category
    days: int
    opened: bool = False
    final_sale: bool = False


class _Returned(NamedTuple):
    """A return of an item: how it stands, why, for what, and how many days ago it was asked for."""

    status: Status
    reason: Reason = "a_change_of_mind"
    remedy: Remedy = "a_refund"
    asked: int = 3
    way: Way | None = None
    grade: Grade | None = None


_MINE: tuple[tuple[_Bought, _Returned | None], ...] = (
    (_Bought("clothing", 12), None),
    (_Bought("clothing", 40, opened=True), None),
    (_Bought("clothing", 20, final_sale=True), None),
    (_Bought("electronics", 5, opened=True), None),
    (_Bought("electronics", 9), None),
    (_Bought("electronics", 17), None),  # past its window but for faults
    (_Bought("cosmetics", 8), None),
    (_Bought("cosmetics", 6, opened=True), None),
    (_Bought("books", 15), None),
    (_Bought("furniture", 11, opened=True), None),
    (_Bought("furniture", 21), None),
    (_Bought("clothing", 25), _Returned("authorised", asked=4)),
    (_Bought("furniture", 14), _Returned("authorised", "a_defect", "store_credit", asked=5)),
    (_Bought("clothing", 18), _Returned("labelled", "a_wrong_size", "an_exchange", 6, "a_counter_code")),
    (_Bought("books", 39), _Returned("labelled", asked=17, way="a_printed_label")),  # not sent in time
    (_Bought("electronics", 12, opened=True), _Returned("in_transit", asked=5, way="a_home_pickup")),
    (_Bought("clothing", 33), _Returned("inspected", "a_wrong_size", "a_refund", 13, "a_counter_code", "worn")),
    (_Bought("electronics", 22), _Returned("inspected", "a_defect", "store_credit", 12, "a_printed_label", "damaged")),
    (
        _Bought("cosmetics", 38),
        _Returned("contested", remedy="store_credit", asked=16, way="a_counter_code", grade="worn"),
    ),
    (_Bought("furniture", 46), _Returned("inspected", asked=25, way="a_home_pickup", grade="worn")),  # too late by now
    (_Bought("books", 60), _Returned("settled", asked=40, way="a_printed_label", grade="as_new")),
    (_Bought("cosmetics", 70), _Returned("sent_back", asked=45, way="a_counter_code", grade="damaged")),
    (_Bought("clothing", 44), _Returned("cancelled", asked=10)),  # four days are left to ask and send
    (_Bought("books", 26), _Returned("cancelled", asked=20)),  # within its window, but its days to send are over
)


def returns_desk(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    people = [world.user, *world.people(max(4, size // 12))]
    shoppers = [
        Shopper(id=f"SH-{11 + n}", name=p.name, email=p.email, credit=world.money(0, 60) if n % 2 == 0 else 0.0)
        for n, p in enumerate(people)
    ]
    desk = _Desk(world)
    for bought, returned in _MINE:
        desk.buy(shoppers[0], bought, returned)
    for n in range(max(8, size // 6)):
        shopper = shoppers[1 + n % (len(shoppers) - 1)]
        bought = _Bought(_CATEGORIES[n % 5], world.integer(4, 12))
        desk.buy(shopper, bought, _Returned("authorised", asked=2) if n % 3 == 0 else None)
    return {
        "now": world.now,
        "shopper_id": shoppers[0].id,
        "shoppers": by_id(shoppers),
        "articles": by_id(desk.articles),
        "items": by_id(desk.items),
        "returns": by_id(desk.returns),
    }


class _Desk:
    """What was bought and returned as it is added, each product once with three articles."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.articles: list[ExchangeArticle] = []
        self.items: list[BoughtItem] = []
        self.returns: list[ReturnCase] = []
        self.products = {
            category: world.sample([f"{brand} {kind}" for kind in kinds for brand in _BRANDS], 48)
            for category, kinds in _KINDS.items()
        }
        self.sold = dict.fromkeys(_CATEGORIES, 0)

    def buy(self, shopper: Shopper, bought: _Bought, returned: _Returned | None) -> None:
        """Add an item and, if there is one, its return."""
        world, category, n = self.world, bought.category, len(self.items)
        articles = self._articles(category)
        paid = world.choice(articles)
        item = BoughtItem(
            id=f"BI-{201 + n}", shopper_id=shopper.id, product=paid.product, variant=paid.variant,
            category=category, price=paid.price, delivered_on=world.today - dt.timedelta(days=bought.days),
            opened=bought.opened, final_sale=bought.final_sale,
            reasons=reasons_for(category, opened=bought.opened, final_sale=bought.final_sale),
        )  # fmt: skip
        if returned is not None:
            other = next(article for article in articles if article.id != paid.id and article.stock)
            item = self._return(item, returned, other if returned.remedy == "an_exchange" else None)
        self.items.append(item)

    def _return(self, item: BoughtItem, about: _Returned, article: ExchangeArticle | None) -> BoughtItem:
        """Add the return of an item, and give the item as it is then."""
        asked = self.world.today - dt.timedelta(days=about.asked)
        if asked > last_day(item, about.reason) or asked < item.delivered_on:
            raise ValueError(f"the {item.product} could not be returned on {asked}")
        case = priced(
            ReturnCase(
                id=f"RT-{401 + len(self.returns)}", shopper_id=item.shopper_id, item_id=item.id, product=item.product,
                category=item.category, reason=about.reason, remedy=about.remedy, ways=TERMS[item.category].ways,
                amount=0.0, asked_on=asked, send_by=asked + dt.timedelta(days=SEND_DAYS), status=about.status,
                exchange=article and article.variant, way=about.way,
            ),
            item,
            article,
        )  # fmt: skip
        if about.grade:
            offer = None if about.grade == "as_new" else cents(case.amount * SHARE[about.grade])
            seen = asked + dt.timedelta(days=9)
            case = case.evolve(grade=about.grade, offer=offer, inspected_on=seen)
        if about.status in ("cancelled", "sent_back"):
            case = case.evolve(amount=0.0, to_pay=0.0 if about.status == "cancelled" else SEND_BACK_FEE)
        if about.status == "contested":
            case = case.evolve(objection="it was like that when it came")
        self.returns.append(case)
        if about.status == "sent_back":
            return item.evolve(reasons=())
        if about.status == "cancelled":
            return item.evolve(send_by=case.send_by)
        return item.evolve(status="returned" if about.status == "settled" else "returning")

    def _articles(self, category: Category) -> list[ExchangeArticle]:
        """The articles of the next product of a category: one may be sold out, and the last is dearer."""
        world, number = self.world, self.sold[category]
        self.sold[category] += 1
        product = self.products[category][number % 48]
        if number >= 48:
            product = f"{product} {number // 48 + 1}"
        low, high = _PRICES[category]
        price = world.money(low, high, 0.9)
        first = len(self.articles)
        made = [
            ExchangeArticle(
                id=f"AR-{101 + first + n}", product=product, variant=variant, price=cents(price + (0, 0, 8)[n]),
                stock=0 if number % 4 == 3 and n == 1 else world.integer(1, 9),
            )
            for n, variant in enumerate(_VARIANTS[category])
        ]  # fmt: skip
        self.articles += made
        return made
