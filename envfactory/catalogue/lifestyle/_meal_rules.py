"""What can be planned and when, and how food is reckoned: what a recipe takes, what lacks, what is to be bought."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence

from envfactory.catalogue.lifestyle._meal_records import (
    FOODS,
    MEAL_TIMES,
    DayBalance,
    Diet,
    Ingredient,
    MealTime,
    PantryStock,
    PlannedMeal,
    Recipe,
    ShoppingLine,
)
from envfactory.environment import ToolError, standing

AHEAD_DAYS = 21
"""How far ahead meals are planned."""

Claim = tuple[dt.date, Sequence[Ingredient]]
"""What a meal takes, and on which day."""


def contains(recipe: Recipe, food: str | None) -> bool:
    """Whether a food goes into a dish; any dish will do if none is given."""
    return food is None or any(each.food == food for each in recipe.ingredients)


def suits(recipe: Recipe, diet: Diet | None) -> bool:
    """Whether people on a diet can eat a dish; whoever eats no meat can eat what vegans eat."""
    return diet is None or recipe.diet in (("vegan",) if diet == "vegan" else ("vegan", "vegetarian"))


def by_time(row: PlannedMeal) -> tuple[dt.date, int]:
    """What comes first on the plan: the earlier day, and of a day the earlier meal."""
    return row.day, MEAL_TIMES.index(row.meal)


def check_day(day: dt.date, today: dt.date) -> None:
    """Refuse a day that is past, or too far ahead to plan for."""
    if not 0 <= (day - today).days <= AHEAD_DAYS:
        raise ToolError("invalid_argument", f"Meals are planned up to {AHEAD_DAYS} days ahead, not for {day}.")


def check_vacant(other: PlannedMeal | None, day: dt.date, meal: MealTime) -> None:
    """Refuse a meal of a day that another dish is planned for."""
    if other:
        raise ToolError("conflict", f"{other.title} is planned for {meal} on {day} already.")


def planned(key: str, cook_id: str, recipe: Recipe, day: dt.date, meal: MealTime, servings: int) -> PlannedMeal:
    """A recipe in a cook's plan."""
    return PlannedMeal(
        id=key, cook_id=cook_id, recipe_id=recipe.id, title=recipe.title, day=day, meal=meal, servings=servings,
        calories=recipe.calories,
    )  # fmt: skip


def balance(day: dt.date, plan: Iterable[PlannedMeal], target: int) -> DayBalance:
    """The calories of a day, one serving of each meal, against a target."""
    meals = sorted((row for row in plan if row.day == day), key=by_time)
    total = sum(row.calories for row in meals)
    return DayBalance(day=day, meals=tuple(meals), calories=total, target=target, left=target - total)


def check_move(row: PlannedMeal, other: PlannedMeal | None, day: dt.date, meal: MealTime, today: dt.date) -> None:
    """Refuse to move a meal to where it is, or to where another is planned that cannot take its place."""
    if other == row:
        raise ToolError("invalid_argument", f"{row.title} is planned for {meal} on {day} as it is.")
    if other:
        standing(other, ("planned",), "swapped")
        if row.day < today:
            raise ToolError("precondition_failed", f"{other.title} cannot swap to {row.day}, which is past.")


def placed(row: PlannedMeal, day: dt.date, meal: MealTime) -> PlannedMeal:
    """A meal at another time; on another day, other food is good."""
    return row.evolve(day=day, meal=meal, shopped=row.shopped and row.day == day)


def resized(row: PlannedMeal, servings: int) -> PlannedMeal:
    """A meal with other servings, for which nothing has been shopped yet; refuse as many as it has."""
    if row.servings == servings:
        raise ToolError("invalid_argument", f"{row.title} is planned with {servings} servings already.")
    return row.evolve(servings=servings, shopped=False)


def check_lacking(row: PlannedMeal, added: Sequence[Ingredient]) -> None:
    """Refuse to shop once more for a meal that nothing lacks for."""
    if row.shopped and not added:
        raise ToolError("conflict", f"All that {row.title} takes is at home or on your shopping list already.")


def new_line(key: str, cook_id: str, each: Ingredient) -> ShoppingLine:
    """A line of a shopping list for some food."""
    return ShoppingLine(id=key, cook_id=cook_id, food=each.food, aisle=FOODS[each.food][0], grams=each.grams)


def longer(line: ShoppingLine, grams: int) -> ShoppingLine:
    """A line of a shopping list with so much more to buy."""
    return line.evolve(grams=line.grams + grams)


def ticked_off(line: ShoppingLine, bought: int) -> ShoppingLine:
    """A line of a shopping list after so much was bought of it; if that was less than listed, the rest stays listed."""
    if bought < line.grams:
        return line.evolve(grams=line.grams - bought)
    return line.evolve(grams=bought, status="bought")


def stock_of(key: str, line: ShoppingLine, grams: int, today: dt.date) -> PantryStock:
    """What was bought today, as it comes into the pantry."""
    return PantryStock(
        id=key, cook_id=line.cook_id, food=line.food, aisle=line.aisle, grams=grams,
        expires_on=today + dt.timedelta(days=FOODS[line.food][1]),
    )  # fmt: skip


def check_enough(stock: PantryStock, grams: int) -> None:
    """Refuse to throw away more than there is."""
    if grams > stock.grams:
        raise ToolError("invalid_argument", f"There are only {stock.grams} grams of {stock.food}.")


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
