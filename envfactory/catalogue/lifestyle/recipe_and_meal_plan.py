"""A kitchen: find recipes, plan meals, see what the pantry lacks, shop for it, cook, and throw away what is spoilt.

A day has one meal of each kind, so that a meal that is moved to where another stands swaps with it. Amounts follow from
the recipe and the servings; cooking takes them from the pantry, what spoils first before the rest. What the pantry has
for meals that were shopped for is not counted on again for another.
"""

import datetime as dt
from typing import Literal, Self

from envfactory.catalogue.lifestyle import _meal_records as rec
from envfactory.catalogue.lifestyle import _meal_relations as relations
from envfactory.catalogue.lifestyle import _meal_rules as rules
from envfactory.catalogue.lifestyle._meal_kitchen import Kitchen
from envfactory.catalogue.lifestyle._meal_scenario import kitchen
from envfactory.environment import Environment, PageNumber, Table, World, check_span, tool


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

    cook_id: rec.CookId
    """Cook whose session this is."""
    cooks: Table[rec.HomeCook]
    recipes: Table[rec.Recipe]
    meals: Table[rec.PlannedMeal]
    stocks: Table[rec.PantryStock]
    lines: Table[rec.ShoppingLine]

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
        self, ingredient: rec.Food | None = None, cuisine: rec.Cuisine | None = None, diet: rec.Diet | None = None,
        max_minutes: rec.MostMinutes | None = None, stocked: bool = False,
        sort: Literal["rating", "minutes", "calories"] = "rating", page: PageNumber = 1,
    ) -> rec.RecipePage:  # fmt: skip
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
        kitchen = self._kitchen
        found = [r for r in self.recipes.values() if kitchen.may_have(r) and cuisine in (None, r.cuisine)]
        found = [r for r in found if rules.contains(r, ingredient) and rules.suits(r, diet)]
        found = [r for r in found if max_minutes is None or r.minutes <= max_minutes]
        found = [r for r in found if not (stocked and kitchen.lacking(r.ingredients))]
        found.sort(key=lambda recipe: (-recipe.rating if sort == "rating" else vars(recipe)[sort], recipe.id))
        return rec.RecipePage.of(found, page)

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
        where=relations.NEEDING,
    )
    def get_ingredients(self, recipe_id: rec.RecipeId, servings: rec.Servings | None = None) -> rec.Needs:
        """Get what a recipe takes for so many servings, what the pantry lacks of it today, and its allergens.

        Args:
            recipe_id: Recipe to look at.
            servings: For how many servings, unless as the recipe is written.
        """
        recipe = self.recipes.require(recipe_id)
        return self._kitchen.needs(recipe, servings or recipe.servings)

    @tool(
        writes=True,
        ask=(
            "plan {recipe_id} for {meal} on {day}[, {servings}]",
            "put {recipe_id} down for {meal} on {day}[ with {servings}]",
            "schedule {recipe_id} as {meal} on {day}[, {servings}]",
            "add {recipe_id} to my meal plan as {meal} on {day}[ for {servings}]",
        ),
        reply=("{title} is planned for {meal} on {day}, {servings}.",),
        where=relations.PLANNING,
    )
    def plan_meal(
        self, recipe_id: rec.RecipeId, day: dt.date, meal: rec.MealTime, servings: rec.Servings = 2
    ) -> rec.PlannedMeal:
        """Plan a recipe for a meal that nothing is planned for yet.

        Args:
            recipe_id: Recipe to cook.
            day: Day of the meal, up to 21 days ahead.
            meal: Meal of the day.
            servings: How many servings.
        """
        recipe = self.recipes.require(recipe_id)
        kitchen = self._kitchen
        kitchen.check_bearable(recipe)
        rules.check_day(day, self.now.date())
        rules.check_vacant(kitchen.at(day, meal), day, meal)
        return self.meals.insert(rules.planned(self.new_id("PM"), self.cook_id, recipe, day, meal, servings))

    @tool(
        ask=(
            "show me my[ {status}] meals[ for {meal}][ from {since} on][ until {until}]",
            "list the[ {status}] meals in my plan[ for {meal}][, from {since} on][, until {until}]",
            "go through my meal plan[, only {status} meals][, only {meal}][, starting {since}][, up to {until}]",
            "check which[ {status}] meals I have in my plan[ for {meal}][, from {since} on][, up to {until}]",
        ),
        noun="[{status} ]meal in my plan[ for {meal}][ from {since} on][ until {until}]",
        reply=("In your plan: {meals}.", "There is no such meal in your plan."),
        where=relations.VIEWING,
    )
    def view_plan(
        self,
        since: dt.date | None = None,
        until: dt.date | None = None,
        meal: rec.MealTime | None = None,
        status: rec.PlanStatus | None = None,
        page: PageNumber = 1,
    ) -> rec.PlanPage:
        """List the meals in the signed-in cook's plan by day.

        Args:
            since: First day of interest.
            until: Last day of interest.
            meal: Only this meal of the day.
            status: Only meals that are still to be cooked, or that were.
            page: Page of the results, five meals each.
        """
        check_span(since, until)
        found = [row for row in self._kitchen.plan if meal in (None, row.meal) and status in (None, row.status)]
        found = [row for row in found if since is None or row.day >= since]
        found = [row for row in found if until is None or row.day <= until]
        found.sort(key=rules.by_time)
        return rec.PlanPage.of(found, page)

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
    def get_day_balance(self, day: dt.date) -> rec.DayBalance:
        """Get the calories of a day, one serving of each meal, against the cook's target.

        Args:
            day: Day to add up.
        """
        return rules.balance(day, self._kitchen.plan, self.cooks[self.cook_id].target)

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
        where=relations.MOVING,
    )
    def move_meal(self, plan_id: rec.PlanId, day: dt.date, meal: rec.MealTime) -> rec.Moved:
        """Move a meal; if another is planned there, the two swap. On another day it has to be shopped for anew.

        Args:
            plan_id: Meal to move.
            day: Day of the meal, up to 21 days ahead.
            meal: Meal of the day.
        """
        kitchen, today = self._kitchen, self.now.date()
        row = kitchen.meal(plan_id, "moved")
        rules.check_day(day, today)
        other = kitchen.at(day, meal)
        rules.check_move(row, other, day, meal, today)
        if other:
            self.meals.replace(rules.placed(other, row.day, row.meal))
        self.meals.replace(rules.placed(row, day, meal))
        return rec.Moved(plan_id=row.id, title=row.title, day=day, meal=meal, swapped=other.title if other else None)

    @tool(
        writes=True,
        ask=(
            "change {plan_id} to {servings}",
            "make {servings} of {plan_id} instead",
            "adjust {plan_id} to {servings}",
            "set {plan_id} to {servings}",
        ),
        reply=("{title} on {day} is for {servings} now.",),
        where=relations.CHANGING,
    )
    def change_servings(self, plan_id: rec.PlanId, servings: rec.Servings) -> rec.PlannedMeal:
        """Change how many servings of a meal are cooked; it has to be shopped for anew.

        Args:
            plan_id: Meal to change.
            servings: How many servings.
        """
        return self.meals.replace(rules.resized(self._kitchen.meal(plan_id, "changed"), servings))

    @tool(
        writes=True,
        ask=(
            "take {plan_id} out of my meal plan",
            "remove {plan_id} from the plan",
            "drop {plan_id} from my meals",
            "delete {plan_id} from my meal plan",
        ),
        reply=("{title} is no longer in your plan for {day}.",),
        where=relations.REMOVING,
    )
    def remove_meal(self, plan_id: rec.PlanId) -> rec.PlannedMeal:
        """Remove a meal that is not cooked yet; what is on the shopping list stays there.

        Args:
            plan_id: Meal to remove.
        """
        return self.meals.delete(self._kitchen.meal(plan_id, "removed").id)

    @tool(
        writes=True,
        ask=(
            "put what I lack for {plan_id} on my shopping list",
            "add the missing ingredients of {plan_id} to the shopping list",
            "write down what I still have to buy for {plan_id}",
            "fill my shopping list with what {plan_id} still takes",
        ),
        reply=("For {title} I put {added} on your shopping list.", "For {title} there is nothing more to buy."),
        where=relations.SHOPPING,
    )
    def shop_for_meal(self, plan_id: rec.PlanId) -> rec.Shopped:
        """Put on the shopping list what a meal takes beyond what is at home or listed and not taken by other meals.

        Args:
            plan_id: Meal to shop for.
        """
        kitchen = self._kitchen
        row = kitchen.meal(plan_id, "shopped for")
        added = kitchen.to_buy(row)
        rules.check_lacking(row, added)
        lines = kitchen.put_on_list(added, self.new_id)
        self.meals.replace(row.evolve(shopped=True))
        return rec.Shopped(plan_id=row.id, title=row.title, added=added, lines=lines)

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
        self, status: rec.LineStatus | None = None, aisle: rec.Aisle | None = None, page: PageNumber = 1
    ) -> rec.LinePage:
        """List the signed-in cook's shopping list by aisle and food.

        Args:
            status: Only what is still to be bought, or what was.
            aisle: Only what a shop has here.
            page: Page of the results, five lines each.
        """
        lines = self._kitchen.shopping_list
        found = [line for line in lines if status in (None, line.status) and aisle in (None, line.aisle)]
        found.sort(key=lambda line: (line.aisle, line.food, line.id))
        return rec.LinePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "take {line_id} off again",
            "cross off {line_id} without buying it",
            "remove {line_id}",
            "delete {line_id}",
        ),
        reply=("{grams} of {food} are off your shopping list.",),
        where=relations.CROSSING_OFF,
    )
    def remove_item(self, line_id: rec.LineId) -> rec.ShoppingLine:
        """Take something off the shopping list that shall not be bought.

        Args:
            line_id: Line of the shopping list.
        """
        return self.lines.delete(self._kitchen.line(line_id, "removed").id)

    @tool(
        writes=True,
        ask=(
            "mark {line_id} as bought[, {grams} to be exact]",
            "tick off {line_id}[, I got {grams}]",
            "note that I bought {line_id}[, {grams} in all]",
            "record that I have bought {line_id}[, namely {grams}]",
        ),
        reply=("There are {grams} of {food} in your pantry that keep until {expires_on}.",),
        where=relations.BUYING,
    )
    def mark_bought(self, line_id: rec.LineId, grams: rec.Grams | None = None) -> rec.PantryStock:
        """Move something from the shopping list to the pantry; if it was less than listed, the rest stays listed.

        Args:
            line_id: Line of the shopping list.
            grams: How much was bought, unless as much as is listed.
        """
        line = self._kitchen.line(line_id, "bought")
        bought = grams or line.grams
        self.lines.replace(rules.ticked_off(line, bought))
        return self.stocks.insert(rules.stock_of(self.new_id("ST"), line, bought, self.now.date()))

    @tool(
        ask=(
            "show me what is in my pantry[ from the {aisle} aisle][ that spoils by {expires_by}]",
            "check what food I have at home[ from the {aisle} aisle][, up to what expires on {expires_by}]",
            "list my pantry[, only the {aisle} aisle][, only what expires by {expires_by}]",
            "go through the food in my pantry[ from the {aisle} aisle][ that has to be used by {expires_by}]",
        ),
        noun="food in my pantry[ from the {aisle} aisle][ that spoils by {expires_by}]",
        reply=("You have {stocks}.", "You have nothing of the kind."),
        where=relations.LOOKING,
    )
    def view_pantry(
        self, aisle: rec.Aisle | None = None, expires_by: dt.date | None = None, page: PageNumber = 1
    ) -> rec.StockPage:
        """List the signed-in cook's pantry, what spoils first on top, spoilt food included.

        Args:
            aisle: Only what a shop has here.
            expires_by: Only what cannot be used after this day.
            page: Page of the results, five foods each.
        """
        stocks = [stock for stock in self._kitchen.pantry if aisle in (None, stock.aisle)]
        found = [stock for stock in stocks if expires_by is None or stock.expires_on <= expires_by]
        return rec.StockPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "note that I have cooked {plan_id}",
            "mark {plan_id} as cooked",
            "take what {plan_id} needs out of the pantry, I am cooking it",
            "record that {plan_id} is cooked",
        ),
        reply=("{title} is cooked; {used} are gone from your pantry.",),
        where=relations.COOKING,
    )
    def cook_meal(self, plan_id: rec.PlanId) -> rec.Cooked:
        """Cook a meal: its ingredients are taken from the pantry, what spoils first before the rest.

        Args:
            plan_id: Meal to cook.
        """
        kitchen = self._kitchen
        row = kitchen.meal(plan_id, "cooked")
        used = kitchen.used_for(row)
        for stock, grams in kitchen.taken(used):
            self._take(stock, grams)
        self.meals.replace(row.evolve(status="cooked"))
        return rec.Cooked(plan_id=row.id, title=row.title, used=used)

    @tool(
        writes=True,
        ask=(
            "throw away {stock_id}[, but only {grams}]",
            "put {stock_id} in the bin[, but only {grams}]",
            "note that I threw away {stock_id}[, {grams} to be exact]",
            "get rid of {stock_id}[, but only {grams}]",
        ),
        reply=("{grams} of {food} are thrown away.",),
        where=relations.THROWING_AWAY,
    )
    def throw_away(self, stock_id: rec.StockId, grams: rec.Grams | None = None) -> rec.ThrownAway:
        """Throw away food from the pantry, all of it or a part.

        Args:
            stock_id: Food to throw away.
            grams: How much, unless all of it.
        """
        stock = self._kitchen.stock(stock_id)
        gone = grams or stock.grams
        rules.check_enough(stock, gone)
        self._take(stock, gone)
        return rec.ThrownAway(food=stock.food, grams=gone, left=stock.grams - gone)

    def _take(self, stock: rec.PantryStock, grams: int) -> None:
        """Take some food out of the pantry, where nothing is kept of which nothing is left."""
        if grams < stock.grams:
            self.stocks.replace(stock.evolve(grams=stock.grams - grams))
        else:
            self.stocks.delete(stock.id)

    @property
    def _kitchen(self) -> Kitchen:
        me = self.cooks[self.cook_id]
        return Kitchen(me, self.now.date(), self.recipes, self.meals, self.stocks, self.lines)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Recipes, a plan over three weeks, a pantry with fresh and spoilt food, and a shopping list."""
        return cls.model_validate(kitchen(world, size))
