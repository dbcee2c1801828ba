"""How amounts of food are reckoned: what a recipe takes, what of it is lacking, and what is still to be bought."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence

from envfactory.catalogue.lifestyle._meal_records import Ingredient, PantryStock, Recipe, ShoppingLine

Claim = tuple[dt.date, Sequence[Ingredient]]
"""What a meal takes, and on which day."""


def scaled(recipe: Recipe, servings: int) -> tuple[Ingredient, ...]:
    """What a recipe takes for so many servings, rounded up to whole grams."""
    return tuple(
        Ingredient(food=each.food, grams=-(-each.grams * servings // recipe.servings)) for each in recipe.ingredients
    )


def lacking(needed: Iterable[Ingredient], stocks: Iterable[PantryStock], day: dt.date) -> tuple[Ingredient, ...]:
    """What the stocks that can be used on a day do not cover."""
    have: Counter[str] = Counter()
    for stock in stocks:
        have[stock.food] += stock.grams if stock.expires_on >= day else 0
    return _short(needed, have)


def draw(each: Ingredient, stocks: Iterable[PantryStock], left: dict[str, int], day: dt.date) -> int:
    """Take an ingredient from what is `left` of the stocks, by id, that can be used on a day; give what is lacking."""
    rest = each.grams
    for stock in stocks:
        if stock.food == each.food and stock.expires_on >= day:
            taken = min(rest, left[stock.id])
            left[stock.id] -= taken
            rest -= taken
    return rest


def to_buy(
    claim: Claim, others: Iterable[Claim], stocks: Sequence[PantryStock], listed: Iterable[ShoppingLine]
) -> tuple[Ingredient, ...]:
    """What is to be bought for a meal beside what is listed, if other meals take theirs first, the earliest before all.

    Args:
        claim: the meal.
        others: other meals that count on the pantry and on the list.
        stocks: the pantry, what spoils first before the rest.
        listed: what is to be bought already.
    """
    left = {stock.id: stock.grams for stock in stocks}
    have: Counter[str] = Counter()
    for line in listed:
        have[line.food] += line.grams
    for day, needed in sorted(others, key=lambda other: other[0]):
        for each in needed:
            rest = draw(each, stocks, left, day)
            have[each.food] -= min(rest, have[each.food])
    day, needed = claim
    for stock in stocks:
        have[stock.food] += left[stock.id] if stock.expires_on >= day else 0
    return _short(needed, have)


def _short(needed: Iterable[Ingredient], have: Counter[str]) -> tuple[Ingredient, ...]:
    short = ((each.food, each.grams - have[each.food]) for each in needed)
    return tuple(Ingredient(food=food, grams=grams) for food, grams in short if grams > 0)
