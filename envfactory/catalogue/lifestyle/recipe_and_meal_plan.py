"""A kitchen: find recipes, plan meals, see what the pantry lacks, shop for it, cook, and throw away what is spoilt.

A day has one meal of each kind, so that a meal that is moved to where another stands swaps with it. Amounts follow from
the recipe and the servings; cooking takes them from the pantry, what spoils first before the rest. What the pantry has
for meals that were shopped for is not counted on again for another.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.lifestyle._meal_records import (
    FOODS,
    MEAL_TIMES,
    Aisle,
    Cooked,
    CookId,
    Cuisine,
    DayBalance,
    Food,
    Grams,
    HomeCook,
    LineId,
    LinePage,
    LineStatus,
    MealTime,
    Moved,
    Needs,
    PantryStock,
    PlanId,
    PlannedMeal,
    PlanPage,
    PlanStatus,
    Recipe,
    RecipeId,
    RecipePage,
    Servings,
    Shopped,
    ShoppingLine,
    StockId,
    StockPage,
    ThrownAway,
)
from envfactory.catalogue.lifestyle._meal_rules import Claim, draw, lacking, scaled, to_buy
from envfactory.catalogue.lifestyle._meal_scenario import kitchen
from envfactory.environment import (
    AtMost,
    Differing,
    Ends,
    Environment,
    FromNow,
    Having,
    Owned,
    PageNumber,
    Table,
    ToolError,
    Unit,
    Within,
    World,
    check_span,
    owned,
    standing,
    tool,
)

AHEAD_DAYS = 21
"""How far ahead meals are planned."""

OWN_MEAL = Owned(parameter="plan_id", field="cook_id", by="cook_id")
PLANNED = Having(parameter="plan_id", field="status", among=("planned",))


class RecipeAndMealPlan(Environment):
    """Find recipes and look after one cook's meal plan, pantry and shopping list."""

    domain = "lifestyle"
    policy = """Recipes with something that the cook avoids are never planned. Meals are planned from today up to 21
    days ahead, one for each breakfast, lunch and dinner; moving a meal to where another is planned swaps the two. What
    is at home or on the list for one meal is not counted on for another. Changing the servings or the day of a meal
    means shopping for it again. A meal is cooked only if the pantry has everything for it that is not past its date.
    What is bought goes to the pantry. Never throw food away without being asked to."""
    sources = (
        "Spoonacular API, Complex Recipe Search, Meal Planning and Shopping List",
        "Mealie API v2, Recipes, Household Meal Plans and Shopping Lists",
        "Tandoor Recipes API, Meal Plan, Shopping and Pantry",
        "Grocy API, Stock consume and purchase",
    )

    cook_id: CookId
    """Cook whose session this is."""
    cooks: Table[HomeCook]
    recipes: Table[Recipe]
    meals: Table[PlannedMeal]
    stocks: Table[PantryStock]
    lines: Table[ShoppingLine]

    @tool(
        ask=(
            (
                "find me[ {diet}][ {cuisine}] recipes[ with {ingredient}][ that take at most {max_minutes}]"
                "[stocked?, only with what I have at home][, sorted by {sort}]"
            ),
            (
                "look for[ {diet}][ {cuisine}] recipes[ using {ingredient}][ that take up to {max_minutes}]"
                "[stocked?, from what is in my pantry][, by {sort}]"
            ),
            (
                "search for[ {diet}][ {cuisine}] dishes[ made with {ingredient}][ in no more than {max_minutes}]"
                "[stocked?, for which I have everything][, sorted by {sort}]"
            ),
            (
                "suggest some[ {diet}][ {cuisine}] recipes[ with {ingredient}][ that are done in {max_minutes}]"
                "[stocked?, from what I have][, by {sort}]"
            ),
        ),
        noun="[{diet} ][{cuisine} ]recipe[ with {ingredient}][ that takes at most {max_minutes}]"
        "[stocked?, from what I have at home]",
        reply=("I found {recipes}.", "There is no such recipe."),
    )
    def search_recipes(
        self,
        ingredient: Food | None = None,
        cuisine: Cuisine | None = None,
        diet: Literal["vegan", "vegetarian"] | None = None,
        max_minutes: Annotated[int, Field(ge=5), Unit("minute")] | None = None,
        stocked: bool = False,
        sort: Literal["rating", "minutes", "calories"] = "rating",
        page: PageNumber = 1,
    ) -> RecipePage:
        """Search recipes without anything that the signed-in cook avoids.

        Args:
            ingredient: Only recipes with this food.
            cuisine: Only recipes of this cuisine.
            diet: Only recipes that vegans, or vegetarians, can eat.
            max_minutes: Only recipes that take no longer.
            stocked: Only recipes for which the pantry has everything, as the recipe is written.
            sort: Order: best rated, quickest or lightest first.
            page: Page of the results, five recipes each.
        """
        avoids, diets = set(self.cooks[self.cook_id].avoids), ("vegan",) if diet == "vegan" else ("vegan", "vegetarian")
        found = [
            recipe
            for recipe in self.recipes.values()
            if not avoids & set(recipe.allergens)
            and (ingredient is None or any(each.food == ingredient for each in recipe.ingredients))
            and cuisine in (None, recipe.cuisine)
            and (diet is None or recipe.diet in diets)
            and (max_minutes is None or recipe.minutes <= max_minutes)
            and not (stocked and lacking(recipe.ingredients, self._pantry(), self.now.date()))
        ]
        found.sort(key=lambda recipe: (-recipe.rating if sort == "rating" else vars(recipe)[sort], recipe.id))
        return RecipePage.of(found, page)

    @tool(
        ask=(
            "tell me what I need for {recipe_id}[ for {servings}]",
            "check whether I have everything for {recipe_id}[, {servings}]",
            "look up the ingredients of {recipe_id}[ for {servings}]",
            "see what I lack to make {recipe_id}[, {servings}]",
        ),
        reply=(
            "{servings} of {title} take {ingredients}; you lack {lacking}.",
            "{servings} of {title} take {ingredients}, and you have it all.",
        ),
        where=(Within(parameter="servings", low=2, high=8),),
    )
    def get_ingredients(self, recipe_id: RecipeId, servings: Servings | None = None) -> Needs:
        """Get what a recipe takes for so many servings, what the pantry lacks of it today, and its allergens.

        Args:
            recipe_id: Recipe to look at.
            servings: For how many servings, unless as the recipe is written.
        """
        recipe = self.recipes.require(recipe_id)
        count = servings or recipe.servings
        needed = scaled(recipe, count)
        return Needs(
            recipe_id=recipe.id,
            title=recipe.title,
            servings=count,
            ingredients=needed,
            lacking=lacking(needed, self._pantry(), self.now.date()),
            allergens=recipe.allergens,
        )

    @tool(
        writes=True,
        ask=(
            "plan {recipe_id} for {meal} on {day}[, {servings}]",
            "put {recipe_id} down for {meal} on {day}[ with {servings}]",
            "schedule {recipe_id} as {meal} on {day}[, {servings}]",
            "add {recipe_id} to my meal plan as {meal} on {day}[ for {servings}]",
        ),
        reply=("{title} is planned for {meal} on {day}, {servings}.",),
        where=(FromNow(parameter="day", days=(7, 20)), Within(parameter="servings", low=2, high=8)),
    )
    def plan_meal(self, recipe_id: RecipeId, day: dt.date, meal: MealTime, servings: Servings = 2) -> PlannedMeal:
        """Plan a recipe for a meal that nothing is planned for yet.

        Args:
            recipe_id: Recipe to cook.
            day: Day of the meal, up to 21 days ahead.
            meal: Meal of the day.
            servings: How many servings.
        """
        recipe = self.recipes.require(recipe_id)
        for allergen in self.cooks[self.cook_id].avoids:
            if allergen in recipe.allergens:
                raise ToolError("precondition_failed", f"{recipe.title} contains {allergen}, which you avoid.")
        self._check_day(day)
        if other := self._at(day, meal):
            raise ToolError("conflict", f"{other.title} is planned for {meal} on {day} already.")
        return self.meals.insert(
            PlannedMeal(
                id=self.new_id("PM"), cook_id=self.cook_id, recipe_id=recipe.id, title=recipe.title, day=day, meal=meal,
                servings=servings, calories=recipe.calories,
            )
        )  # fmt: skip

    @tool(
        ask=(
            "show me my[ {status}] meals[ for {meal}][ from {since} on][ until {until}]",
            "list the[ {status}] meals in my plan[ for {meal}][, from {since} on][, until {until}]",
            "go through my meal plan[, only {status} meals][, only {meal}][, starting {since}][, up to {until}]",
            "check which[ {status}] meals I have in my plan[ for {meal}][, from {since} on][, up to {until}]",
        ),
        noun="[{status} ]meal in my plan[ for {meal}][ from {since} on][ until {until}]",
        reply=("In your plan: {meals}.", "There is no such meal in your plan."),
        where=(FromNow(parameter="since", days=(-4, 2)), FromNow(parameter="until", days=(3, 8))),
    )
    def view_plan(
        self,
        since: dt.date | None = None,
        until: dt.date | None = None,
        meal: MealTime | None = None,
        status: PlanStatus | None = None,
        page: PageNumber = 1,
    ) -> PlanPage:
        """List the meals in the signed-in cook's plan by day.

        Args:
            since: First day of interest.
            until: Last day of interest.
            meal: Only this meal of the day.
            status: Only meals that are still to be cooked, or that were.
            page: Page of the results, five meals each.
        """
        check_span(since, until)
        found = [
            row
            for row in self._plan()
            if (since is None or row.day >= since)
            and (until is None or row.day <= until)
            and meal in (None, row.meal)
            and status in (None, row.status)
        ]
        found.sort(key=lambda row: (row.day, MEAL_TIMES.index(row.meal)))
        return PlanPage.of(found, page)

    @tool(
        ask=(
            "add up the calories in my plan for {day}",
            "tell me how many calories I have planned on {day}",
            "check how {day} compares with my calorie target",
            "see how many calories I have left on {day}",
        ),
        reply=(
            "On {day} your plan has {calories}, with {meals}; your target is {target}.",
            "Nothing is planned on {day}.",
        ),
    )
    def get_day_balance(self, day: dt.date) -> DayBalance:
        """Get the calories of a day, one serving of each meal, against the cook's target.

        Args:
            day: Day to add up.
        """
        meals = sorted((row for row in self._plan() if row.day == day), key=lambda row: MEAL_TIMES.index(row.meal))
        total, target = sum(row.calories for row in meals), self.cooks[self.cook_id].target
        return DayBalance(day=day, meals=tuple(meals), calories=total, target=target, left=target - total)

    @tool(
        writes=True,
        ask=(
            "move {plan_id} to {meal} on {day}",
            "have {plan_id} for {meal} on {day} instead",
            "shift {plan_id} to {day} for {meal}",
            "put {plan_id} off to {meal} on {day}",
        ),
        reply=(
            "{title} is for {meal} on {day} now; {swapped} took its place.",
            "{title} is for {meal} on {day} now.",
        ),
        where=(OWN_MEAL, PLANNED, FromNow(parameter="day", days=(1, 15))),
    )
    def move_meal(self, plan_id: PlanId, day: dt.date, meal: MealTime) -> Moved:
        """Move a meal; if another is planned there, the two swap. On another day it has to be shopped for anew.

        Args:
            plan_id: Meal to move.
            day: Day of the meal, up to 21 days ahead.
            meal: Meal of the day.
        """
        row = self._open(plan_id, "moved")
        self._check_day(day)
        other = self._at(day, meal)
        if other == row:
            raise ToolError("invalid_argument", f"{row.title} is planned for {meal} on {day} as it is.")
        if other:
            standing(other, ("planned",), "swapped")
            if row.day < self.now.date():
                raise ToolError("precondition_failed", f"{other.title} cannot swap to {row.day}, which is past.")
            self.meals.replace(self._placed(other, row.day, row.meal))
        self.meals.replace(self._placed(row, day, meal))
        return Moved(plan_id=row.id, title=row.title, day=day, meal=meal, swapped=other.title if other else None)

    @tool(
        writes=True,
        ask=(
            "change {plan_id} to {servings}",
            "make {servings} of {plan_id} instead",
            "adjust {plan_id} to {servings}",
            "set {plan_id} to {servings}",
        ),
        reply=("{title} on {day} is for {servings} now.",),
        where=(
            OWN_MEAL,
            PLANNED,
            Within(parameter="servings", low=2, high=8),
            Differing(parameter="servings", other="plan_id", field="servings"),
        ),
    )
    def change_servings(self, plan_id: PlanId, servings: Servings) -> PlannedMeal:
        """Change how many servings of a meal are cooked; it has to be shopped for anew.

        Args:
            plan_id: Meal to change.
            servings: How many servings.
        """
        row = self._open(plan_id, "changed")
        if row.servings == servings:
            raise ToolError("invalid_argument", f"{row.title} is planned with {servings} servings already.")
        return self.meals.replace(row.evolve(servings=servings, shopped=False))

    @tool(
        writes=True,
        ask=(
            "take {plan_id} out of my meal plan",
            "remove {plan_id} from the plan",
            "drop {plan_id} from my meals",
            "delete {plan_id} from my meal plan",
        ),
        reply=("{title} is no longer in your plan for {day}.",),
        where=(OWN_MEAL, PLANNED, Ends(parameter="plan_id")),
    )
    def remove_meal(self, plan_id: PlanId) -> PlannedMeal:
        """Remove a meal that is not cooked yet; what is on the shopping list stays there.

        Args:
            plan_id: Meal to remove.
        """
        return self.meals.delete(self._open(plan_id, "removed").id)

    @tool(
        writes=True,
        ask=(
            "put what I lack for {plan_id} on my shopping list",
            "add the missing ingredients of {plan_id} to the shopping list",
            "write down what I still have to buy for {plan_id}",
            "fill my shopping list with what {plan_id} still takes",
        ),
        reply=("For {title} I put {added} on your shopping list.", "For {title} there is nothing more to buy."),
        where=(OWN_MEAL, PLANNED, Having(parameter="plan_id", field="shopped", among=(False,))),
    )
    def shop_for_meal(self, plan_id: PlanId) -> Shopped:
        """Put on the shopping list what a meal takes beyond what is at home or listed and not taken by other meals.

        Args:
            plan_id: Meal to shop for.
        """
        row = self._open(plan_id, "shopped for")
        claims = [self._claim(other) for other in self._plan() if other.id != row.id and self._is_reckoned(other)]
        listed = [line for line in self._list() if line.status == "open"]
        added = to_buy(self._claim(row), claims, self._pantry(), listed)
        if row.shopped and not added:
            raise ToolError("conflict", f"All that {row.title} takes is at home or on your shopping list already.")
        lines: list[ShoppingLine] = []
        for each in added:
            known = next((line for line in listed if line.food == each.food), None)
            if known:
                lines.append(self.lines.replace(known.evolve(grams=known.grams + each.grams)))
            else:
                lines.append(
                    self.lines.insert(
                        ShoppingLine(
                            id=self.new_id("LN"), cook_id=self.cook_id, food=each.food, aisle=FOODS[each.food][0],
                            grams=each.grams,
                        )
                    )
                )  # fmt: skip
        self.meals.replace(row.evolve(shopped=True))
        return Shopped(plan_id=row.id, title=row.title, added=added, lines=tuple(lines))

    @tool(
        ask=(
            "show me my shopping list[, only what is {status}][, only from the {aisle} aisle]",
            "list what is on my shopping list[ and {status}][ from the {aisle} aisle]",
            "go through the shopping list[, those items that are {status}][ in the {aisle} aisle]",
            "read me my shopping list[, what is {status}][, the {aisle} aisle only]",
        ),
        noun="[{status} ]item on my shopping list[ from the {aisle} aisle]",
        reply=("On your list: {lines}.", "There is nothing of the kind on your list."),
    )
    def view_shopping_list(
        self, status: LineStatus | None = None, aisle: Aisle | None = None, page: PageNumber = 1
    ) -> LinePage:
        """List the signed-in cook's shopping list by aisle and food.

        Args:
            status: Only what is still to be bought, or what was.
            aisle: Only what a shop has here.
            page: Page of the results, five lines each.
        """
        found = [line for line in self._list() if status in (None, line.status) and aisle in (None, line.aisle)]
        found.sort(key=lambda line: (line.aisle, line.food, line.id))
        return LinePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "take {line_id} off again",
            "cross off {line_id} without buying it",
            "remove {line_id}",
            "delete {line_id}",
        ),
        reply=("{grams} of {food} are off your shopping list.",),
        where=(
            Owned(parameter="line_id", field="cook_id", by="cook_id"),
            Having(parameter="line_id", field="status", among=("open",)),
            Ends(parameter="line_id"),
        ),
    )
    def remove_item(self, line_id: LineId) -> ShoppingLine:
        """Take something off the shopping list that shall not be bought.

        Args:
            line_id: Line of the shopping list.
        """
        return self.lines.delete(self._to_buy(line_id, "removed").id)

    @tool(
        writes=True,
        ask=(
            "mark {line_id} as bought[, {grams} to be exact]",
            "tick off {line_id}[, I got {grams}]",
            "note that I bought {line_id}[, {grams} in all]",
            "record that I have bought {line_id}[, namely {grams}]",
        ),
        reply=("There are {grams} of {food} in your pantry that keep until {expires_on}.",),
        where=(
            Owned(parameter="line_id", field="cook_id", by="cook_id"),
            Having(parameter="line_id", field="status", among=("open",)),
            Within(parameter="grams", low=50, high=600, step=50),
        ),
    )
    def mark_bought(self, line_id: LineId, grams: Grams | None = None) -> PantryStock:
        """Move something from the shopping list to the pantry; if it was less than listed, the rest stays listed.

        Args:
            line_id: Line of the shopping list.
            grams: How much was bought, unless as much as is listed.
        """
        line = self._to_buy(line_id, "bought")
        bought = grams or line.grams
        if bought < line.grams:
            self.lines.replace(line.evolve(grams=line.grams - bought))
        else:
            self.lines.replace(line.evolve(grams=bought, status="bought"))
        return self.stocks.insert(
            PantryStock(
                id=self.new_id("ST"), cook_id=self.cook_id, food=line.food, aisle=line.aisle, grams=bought,
                expires_on=self.now.date() + dt.timedelta(days=FOODS[line.food][1]),
            )
        )  # fmt: skip

    @tool(
        ask=(
            "show me what is in my pantry[ from the {aisle} aisle][ that spoils by {expires_by}]",
            "check what food I have at home[ from the {aisle} aisle][, up to what expires on {expires_by}]",
            "list my pantry[, only the {aisle} aisle][, only what expires by {expires_by}]",
            "go through the food in my pantry[ from the {aisle} aisle][ that has to be used by {expires_by}]",
        ),
        noun="food in my pantry[ from the {aisle} aisle][ that spoils by {expires_by}]",
        reply=("You have {stocks}.", "You have nothing of the kind."),
        where=(FromNow(parameter="expires_by", days=(1, 9)),),
    )
    def view_pantry(
        self, aisle: Aisle | None = None, expires_by: dt.date | None = None, page: PageNumber = 1
    ) -> StockPage:
        """List the signed-in cook's pantry, what spoils first on top, spoilt food included.

        Args:
            aisle: Only what a shop has here.
            expires_by: Only what cannot be used after this day.
            page: Page of the results, five foods each.
        """
        found = [
            stock
            for stock in self._pantry()
            if aisle in (None, stock.aisle) and (expires_by is None or stock.expires_on <= expires_by)
        ]
        return StockPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "note that I have cooked {plan_id}",
            "mark {plan_id} as cooked",
            "take what {plan_id} needs out of the pantry, I am cooking it",
            "record that {plan_id} is cooked",
        ),
        reply=("{title} is cooked; {used} are gone from your pantry.",),
        where=(OWN_MEAL, PLANNED, Ends(parameter="plan_id")),
    )
    def cook_meal(self, plan_id: PlanId) -> Cooked:
        """Cook a meal: its ingredients are taken from the pantry, what spoils first before the rest.

        Args:
            plan_id: Meal to cook.
        """
        row = self._open(plan_id, "cooked")
        needed = scaled(self.recipes[row.recipe_id], row.servings)
        pantry, today = self._pantry(), self.now.date()
        if short := lacking(needed, pantry, today):
            missing = ", ".join(f"{each.grams} grams of {each.food}" for each in short)
            raise ToolError("precondition_failed", f"The pantry lacks {missing} for {row.title}.")
        left = {stock.id: stock.grams for stock in pantry}
        for each in needed:
            draw(each, pantry, left, today)
        for stock in pantry:
            if taken := stock.grams - left[stock.id]:
                self._take(stock, taken)
        self.meals.replace(row.evolve(status="cooked"))
        return Cooked(plan_id=row.id, title=row.title, used=needed)

    @tool(
        writes=True,
        ask=(
            "throw away {stock_id}[, but only {grams}]",
            "put {stock_id} in the bin[, but only {grams}]",
            "note that I threw away {stock_id}[, {grams} to be exact]",
            "get rid of {stock_id}[, but only {grams}]",
        ),
        reply=("{grams} of {food} are thrown away.",),
        where=(
            Owned(parameter="stock_id", field="cook_id", by="cook_id"),
            Within(parameter="grams", low=50, high=300, step=50),
            AtMost(parameter="grams", other="stock_id", field="grams", share=0.6),
        ),
    )
    def throw_away(self, stock_id: StockId, grams: Grams | None = None) -> ThrownAway:
        """Throw away food from the pantry, all of it or a part.

        Args:
            stock_id: Food to throw away.
            grams: How much, unless all of it.
        """
        stock = owned(self.stocks.require(stock_id), "cook_id", self.cook_id)
        gone = grams or stock.grams
        if gone > stock.grams:
            raise ToolError("invalid_argument", f"There are only {stock.grams} grams of {stock.food}.")
        self._take(stock, gone)
        return ThrownAway(food=stock.food, grams=gone, left=stock.grams - gone)

    def _plan(self) -> list[PlannedMeal]:
        return [row for row in self.meals.values() if row.cook_id == self.cook_id]

    def _open(self, plan_id: str, done: str) -> PlannedMeal:
        """A meal of one's own that is not cooked yet."""
        return standing(owned(self.meals.require(plan_id), "cook_id", self.cook_id), ("planned",), done)

    def _at(self, day: dt.date, meal: MealTime) -> PlannedMeal | None:
        return next((row for row in self._plan() if (row.day, row.meal) == (day, meal)), None)

    def _placed(self, row: PlannedMeal, day: dt.date, meal: MealTime) -> PlannedMeal:
        """A meal at another time; on another day, other food is good."""
        return row.evolve(day=day, meal=meal, shopped=row.shopped and row.day == day)

    def _is_reckoned(self, row: PlannedMeal) -> bool:
        """Whether the pantry and the list hold what a meal takes."""
        return row.shopped and row.status == "planned"

    def _claim(self, row: PlannedMeal) -> Claim:
        """What a meal takes, on its day, or now if that is past."""
        return max(row.day, self.now.date()), scaled(self.recipes[row.recipe_id], row.servings)

    def _check_day(self, day: dt.date) -> None:
        if not 0 <= (day - self.now.date()).days <= AHEAD_DAYS:
            raise ToolError("invalid_argument", f"Meals are planned up to {AHEAD_DAYS} days ahead, not for {day}.")

    def _pantry(self) -> list[PantryStock]:
        """The cook's food, what spoils first before the rest."""
        mine = [stock for stock in self.stocks.values() if stock.cook_id == self.cook_id]
        return sorted(mine, key=lambda stock: (stock.expires_on, stock.id))

    def _take(self, stock: PantryStock, grams: int) -> None:
        if grams < stock.grams:
            self.stocks.replace(stock.evolve(grams=stock.grams - grams))
        else:
            self.stocks.delete(stock.id)

    def _to_buy(self, line_id: str, done: str) -> ShoppingLine:
        """An open line of the cook's own list."""
        return standing(owned(self.lines.require(line_id), "cook_id", self.cook_id), ("open",), done)

    def _list(self) -> list[ShoppingLine]:
        return [line for line in self.lines.values() if line.cook_id == self.cook_id]

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Recipes, a plan over three weeks, a pantry with fresh and spoilt food, and a shopping list."""
        return cls.model_validate(kitchen(world, size))
