"""Records and results of the kitchen; all amounts are whole grams."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Output, Page, Ranked, Record, Ref, Unit, Value

CookId = Annotated[str, Ref("HomeCook")]
RecipeId = Annotated[str, Ref("Recipe")]
PlanId = Annotated[str, Ref("PlannedMeal")]
StockId = Annotated[str, Ref("PantryStock")]
LineId = Annotated[str, Ref("ShoppingLine")]
Title = Annotated[str, Value("recipe_title", "What a recipe is called.")]
Food = Annotated[str, Value("food", "Name of a food.")]
Cuisine = Annotated[
    Literal["Italian", "Indian", "Mexican", "Japanese", "Greek"], Value("cuisine", "Where a dish comes from.")
]
Allergen = Annotated[Literal["nuts", "gluten", "dairy", "egg", "fish"], Value("allergen", "What people may not bear.")]
Aisle = Annotated[
    Literal["vegetables", "dairy", "meat_and_fish", "dry_goods", "bakery"], Value("aisle", "Where a shop has a food.")
]
MealTime = Annotated[Literal["breakfast", "lunch", "dinner"], Value("meal_time", "Meal of the day.")]
Grams = Annotated[int, Field(ge=1, le=20000), Unit("gram")]
Minutes = Annotated[int, Field(ge=1), Unit("minute"), Ranked("quickest", "slowest")]
MostMinutes = Annotated[int, Field(ge=5), Unit("minute")]
Servings = Annotated[int, Field(ge=1, le=12), Unit("serving")]
Calories = Annotated[int, Field(ge=0), Unit("calorie")]
Diet = Literal["vegan", "vegetarian"]
"""Who has to be able to eat a dish."""
PlanStatus = Annotated[Literal["planned", "cooked"], Value("plan_status", "Whether a meal is still to be cooked.")]
LineStatus = Annotated[Literal["open", "bought"], Value("line_status", "Whether something is still to be bought.")]

FOODS: dict[str, tuple[Aisle, int, Allergen | None]] = {
    "rice": ("dry_goods", 300, None),
    "red lentils": ("dry_goods", 300, None),
    "chickpeas": ("dry_goods", 300, None),
    "black beans": ("dry_goods", 300, None),
    "pasta": ("dry_goods", 300, "gluten"),
    "cashews": ("dry_goods", 120, "nuts"),
    "oats": ("dry_goods", 200, "gluten"),
    "tortillas": ("bakery", 12, "gluten"),
    "bread": ("bakery", 4, "gluten"),
    "tomatoes": ("vegetables", 7, None),
    "spinach": ("vegetables", 4, None),
    "onions": ("vegetables", 30, None),
    "peppers": ("vegetables", 8, None),
    "aubergines": ("vegetables", 8, None),
    "mushrooms": ("vegetables", 5, None),
    "potatoes": ("vegetables", 30, None),
    "feta": ("dairy", 21, "dairy"),
    "yoghurt": ("dairy", 14, "dairy"),
    "parmesan": ("dairy", 60, "dairy"),
    "eggs": ("dairy", 21, "egg"),
    "salmon": ("meat_and_fish", 2, "fish"),
    "chicken": ("meat_and_fish", 3, None),
    "tofu": ("dairy", 25, None),
}
"""Aisle, days that it keeps, and allergen of every food."""
MEAL_TIMES: tuple[MealTime, ...] = ("breakfast", "lunch", "dinner")


class HomeCook(Record, noun="cook", label="{name}"):
    """Who plans meals."""

    id: CookId
    """Identifier of the cook."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]
    avoids: tuple[Allergen, ...]
    """What must not be in any meal."""
    target: Calories
    """Calories a person should have a day."""


class Ingredient(Output, label="{grams} of {food}", listing="{grams} of {food}"):
    """How much of a food."""

    food: Food
    grams: Grams
    """How much of it."""


class Recipe(Record, noun="recipe", label="{title}", listing="{title} ({minutes}, {calories})"):
    """How to make a dish."""

    id: RecipeId
    """Identifier of the recipe."""
    title: Title
    cuisine: Cuisine
    diet: Literal["vegan", "vegetarian", "mixed"]
    """Who can eat it; mixed: with meat or fish."""
    minutes: Minutes
    """How long it takes."""
    calories: Annotated[Calories, Ranked("lightest", "most filling")]
    """Calories of a serving."""
    rating: Annotated[float, Field(ge=1, le=5), Ranked("", "best rated")]
    """How people rate it, 5 at best."""
    servings: Servings
    """How many servings the amounts are for."""
    ingredients: tuple[Ingredient, ...]
    """What goes into it."""
    allergens: tuple[Allergen, ...]
    """What is in it that people may not bear."""


class PlannedMeal(
    Record,
    noun="meal",
    label="the {title}[ planned for {meal} on {day}]",
    listing="{title} for {meal} on {day} ({status})",
):
    """A recipe for one meal of one day."""

    id: PlanId
    """Identifier of the planned meal."""
    cook_id: CookId
    """Whose plan it is in."""
    recipe_id: RecipeId
    """Recipe to be cooked."""
    title: Title
    day: dt.date
    """Day of the meal."""
    meal: MealTime
    servings: Servings
    """How many servings."""
    calories: Calories
    """Calories of a serving."""
    shopped: bool = False
    """Whether what was lacking for it is on the shopping list."""
    status: PlanStatus = "planned"


class PantryStock(
    Record,
    noun="food",
    label="the[ {grams} of] {food} in my pantry[ with the date {expires_on}]",
    listing="{grams} of {food} until {expires_on}",
):
    """Some food at home."""

    id: StockId
    """Identifier of the stock."""
    cook_id: CookId
    """Whose pantry it is in."""
    food: Food
    aisle: Aisle
    grams: Annotated[Grams, Ranked("smallest", "largest")]
    """How much there is."""
    expires_on: dt.date
    """Last day on which it can be used."""


class ShoppingLine(
    Record, noun="item", label="the[ {grams} of] {food} on my shopping list", listing="{grams} of {food}"
):
    """Something to buy."""

    id: LineId
    """Identifier of the line."""
    cook_id: CookId
    """Whose list it is on."""
    food: Food
    aisle: Aisle
    grams: Grams
    """How much of it."""
    status: LineStatus = "open"


class RecipePage(Page):
    """A page of recipes."""

    recipes: tuple[Recipe, ...]
    """The recipes on this page."""


class PlanPage(Page):
    """A page of planned meals."""

    meals: tuple[PlannedMeal, ...]
    """The meals on this page."""


class StockPage(Page):
    """A page of the pantry."""

    stocks: tuple[PantryStock, ...]
    """The food on this page."""


class LinePage(Page):
    """A page of the shopping list."""

    lines: tuple[ShoppingLine, ...]
    """The lines on this page."""


class Needs(Output):
    """What a recipe takes for so many servings."""

    recipe_id: RecipeId
    """Recipe asked about."""
    title: Title
    servings: Servings
    """For how many servings."""
    ingredients: tuple[Ingredient, ...]
    """What goes into it."""
    lacking: tuple[Ingredient, ...]
    """What the pantry does not have enough of."""
    allergens: tuple[Allergen, ...]
    """What is in it that people may not bear."""


class DayBalance(Output):
    """What a person eats on a day."""

    day: dt.date
    """Day asked about."""
    meals: tuple[PlannedMeal, ...]
    """Meals of the day."""
    calories: Calories
    """Calories of one serving of each."""
    target: Calories
    """Calories a person should have."""
    left: Annotated[int, Unit("calorie")]
    """What is left until the target; negative: over it."""


class Moved(Output):
    """Where a meal went."""

    plan_id: PlanId
    """Meal that was moved."""
    title: Title
    day: dt.date
    """Day of the meal now."""
    meal: MealTime
    swapped: Title | None = None
    """Meal that took its place instead."""


class Shopped(Output):
    """What a meal put on the shopping list."""

    plan_id: PlanId
    """Meal that it is for."""
    title: Title
    added: tuple[Ingredient, ...]
    """What is to be bought for it."""
    lines: tuple[ShoppingLine, ...]
    """Lines of the list that are new or longer."""


class Cooked(Output):
    """What cooking a meal took."""

    plan_id: PlanId
    """Meal that was cooked."""
    title: Title
    used: tuple[Ingredient, ...]
    """What is gone from the pantry."""


class ThrownAway(Output):
    """What was thrown away."""

    food: Food
    grams: Grams
    """How much was thrown away."""
    left: Annotated[int, Field(ge=0), Unit("gram")]
    """How much of it is left."""
