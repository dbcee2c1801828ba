"""One cook's kitchen on a day: the plan, the pantry and the shopping list; nobody else's is there."""

import datetime as dt
from collections.abc import Callable, Iterable

from envfactory.catalogue.lifestyle import _meal_rules as rules
from envfactory.catalogue.lifestyle._meal_records import (
    HomeCook,
    Ingredient,
    MealTime,
    Needs,
    PantryStock,
    PlannedMeal,
    Recipe,
    ShoppingLine,
)
from envfactory.environment import Table, ToolError, owned, standing


class Kitchen:
    """What a cook has and means to cook; what is shopped for is written on the list here."""

    def __init__(
        self,
        me: HomeCook,
        today: dt.date,
        recipes: Table[Recipe],
        meals: Table[PlannedMeal],
        stocks: Table[PantryStock],
        lines: Table[ShoppingLine],
    ) -> None:
        self.me, self.today = me, today
        self._recipes, self._meals, self._stocks, self._lines = recipes, meals, stocks, lines

    @property
    def plan(self) -> list[PlannedMeal]:
        """The meals in the cook's plan."""
        return [row for row in self._meals.values() if row.cook_id == self.me.id]

    @property
    def pantry(self) -> list[PantryStock]:
        """The cook's food, what spoils first before the rest."""
        mine = [stock for stock in self._stocks.values() if stock.cook_id == self.me.id]
        return sorted(mine, key=lambda stock: (stock.expires_on, stock.id))

    @property
    def shopping_list(self) -> list[ShoppingLine]:
        """What the cook has to buy, and what was bought."""
        return [line for line in self._lines.values() if line.cook_id == self.me.id]

    def meal(self, plan_id: str, done: str) -> PlannedMeal:
        """A meal of the cook's that is not cooked yet; `done` is what would be done with it."""
        return standing(owned(self._meals.require(plan_id), "cook_id", self.me.id), ("planned",), done)

    def line(self, line_id: str, done: str) -> ShoppingLine:
        """An open line of the cook's list; `done` is what would be done with it."""
        return standing(owned(self._lines.require(line_id), "cook_id", self.me.id), ("open",), done)

    def stock(self, stock_id: str) -> PantryStock:
        """Some of the cook's food."""
        return owned(self._stocks.require(stock_id), "cook_id", self.me.id)

    def at(self, day: dt.date, meal: MealTime) -> PlannedMeal | None:
        """What is planned for a meal of a day."""
        return next((row for row in self.plan if (row.day, row.meal) == (day, meal)), None)

    def may_have(self, recipe: Recipe) -> bool:
        """Whether nothing in a dish is what the cook avoids."""
        return not set(self.me.avoids) & set(recipe.allergens)

    def check_bearable(self, recipe: Recipe) -> None:
        """Refuse a dish with something that the cook avoids."""
        for allergen in self.me.avoids:
            if allergen in recipe.allergens:
                raise ToolError("precondition_failed", f"{recipe.title} contains {allergen}, which you avoid.")

    def lacking(self, needed: Iterable[Ingredient]) -> tuple[Ingredient, ...]:
        """What the pantry lacks today."""
        return rules.lacking(needed, self.pantry, self.today)

    def needs(self, recipe: Recipe, servings: int) -> Needs:
        """What a recipe takes for so many servings, and what of it the pantry lacks today."""
        needed = rules.scaled(recipe, servings)
        return Needs(
            recipe_id=recipe.id, title=recipe.title, servings=servings, ingredients=needed,
            lacking=self.lacking(needed), allergens=recipe.allergens,
        )  # fmt: skip

    def to_buy(self, row: PlannedMeal) -> tuple[Ingredient, ...]:
        """What a meal takes beyond what is at home or on the list and not taken by meals that were shopped for."""
        reckoned = [other for other in self.plan if other.shopped and other.status == "planned"]
        claims = [self._claim(other) for other in reckoned if other.id != row.id]
        return rules.to_buy(self._claim(row), claims, self.pantry, self._open_lines())

    def put_on_list(self, added: Iterable[Ingredient], new_id: Callable[[str], str]) -> tuple[ShoppingLine, ...]:
        """Have food bought: an open line of the list with it gets longer, other food gets a line of its own."""
        open_now = {line.food: line for line in reversed(self._open_lines())}
        lines: list[ShoppingLine] = []
        for each in added:
            if each.food in open_now:
                lines.append(self._lines.replace(rules.longer(open_now[each.food], each.grams)))
            else:
                lines.append(self._lines.insert(rules.new_line(new_id("LN"), self.me.id, each)))
        return tuple(lines)

    def used_for(self, row: PlannedMeal) -> tuple[Ingredient, ...]:
        """What cooking a meal takes; refuse it if the pantry lacks something."""
        needed = rules.scaled(self._recipes[row.recipe_id], row.servings)
        if short := self.lacking(needed):
            missing = ", ".join(f"{each.grams} grams of {each.food}" for each in short)
            raise ToolError("precondition_failed", f"The pantry lacks {missing} for {row.title}.")
        return needed

    def taken(self, needed: Iterable[Ingredient]) -> list[tuple[PantryStock, int]]:
        """How much of each food is taken for that, what spoils first before the rest."""
        pantry = self.pantry
        left = {stock.id: stock.grams for stock in pantry}
        for each in needed:
            rules.draw(each, pantry, left, self.today)
        return [(stock, stock.grams - left[stock.id]) for stock in pantry]

    def _open_lines(self) -> list[ShoppingLine]:
        return [line for line in self.shopping_list if line.status == "open"]

    def _claim(self, row: PlannedMeal) -> rules.Claim:
        """What a meal takes, on its day, or now if that is past."""
        return max(row.day, self.today), rules.scaled(self._recipes[row.recipe_id], row.servings)
