"""The kitchen of a scenario: recipes, a plan over three weeks, a pantry with fresh and spoilt food, a shopping list."""

import datetime as dt
from typing import Any

from envfactory.catalogue.lifestyle._meal_records import (
    FOODS,
    MEAL_TIMES,
    Allergen,
    Cuisine,
    HomeCook,
    Ingredient,
    MealTime,
    PantryStock,
    PlannedMeal,
    Recipe,
    ShoppingLine,
)
from envfactory.catalogue.lifestyle._meal_rules import scaled
from envfactory.environment import World, by_id

_DISHES: tuple[tuple[str, Cuisine, int, int, dict[str, int]], ...] = (
    ("Lentil Curry", "Indian", 35, 520, {"red lentils": 300, "tomatoes": 400, "onions": 150, "rice": 250}),
    ("Spinach Pasta", "Italian", 20, 610, {"pasta": 400, "spinach": 300, "parmesan": 60}),
    ("Greek Salad", "Greek", 15, 380, {"tomatoes": 500, "feta": 200, "onions": 80, "peppers": 150}),
    ("Bean Tacos", "Mexican", 25, 560, {"black beans": 400, "tortillas": 320, "peppers": 200, "onions": 100}),
    ("Salmon Rice Bowl", "Japanese", 30, 640, {"salmon": 400, "rice": 300, "spinach": 150}),
    ("Cashew Chicken", "Indian", 40, 690, {"chicken": 500, "cashews": 120, "peppers": 250, "rice": 250}),
    ("Mushroom Risotto", "Italian", 45, 580, {"rice": 320, "mushrooms": 350, "onions": 100, "parmesan": 80}),
    ("Moussaka", "Greek", 80, 650, {"aubergines": 700, "potatoes": 500, "tomatoes": 400, "yoghurt": 200}),
    ("Chickpea Stew", "Indian", 30, 470, {"chickpeas": 400, "tomatoes": 400, "spinach": 200, "onions": 120}),
    ("Huevos Rancheros", "Mexican", 20, 490, {"eggs": 480, "tortillas": 240, "tomatoes": 300, "black beans": 200}),
    ("Tofu Donburi", "Japanese", 25, 530, {"tofu": 400, "rice": 300, "mushrooms": 200, "onions": 100}),
    ("Chicken Fajitas", "Mexican", 35, 620, {"chicken": 500, "tortillas": 320, "peppers": 300, "onions": 150}),
    ("Spanakopita Omelette", "Greek", 15, 420, {"eggs": 360, "spinach": 250, "feta": 120}),
    ("Aubergine Parmigiana", "Italian", 60, 540, {"aubergines": 800, "tomatoes": 500, "parmesan": 120}),
    ("Potato Curry", "Indian", 40, 450, {"potatoes": 800, "onions": 150, "tomatoes": 300}),
    ("Cashew Porridge", "Indian", 10, 410, {"oats": 240, "cashews": 80}),
)
_STYLES = ("", "Quick ", "Festive ", "Country ", "Winter ", "Summer ", "Grandma's ", "Street-Food ")
_MINE: tuple[tuple[int, MealTime], ...] = (
    (-4, "dinner"), (-1, "dinner"), (0, "dinner"), (1, "lunch"), (1, "dinner"), (2, "dinner"), (3, "breakfast"),
    (3, "dinner"), (5, "lunch"), (6, "dinner"),
)  # fmt: skip
"""The user's meals, in days from now; those of the past are cooked."""


def kitchen(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    people = [world.user, *world.people(2)]
    cooks = [
        HomeCook(id=f"CK-{n + 1}", name=p.name, email=p.email, avoids=("nuts",) if n < 2 else (), target=2000 - 150 * n)
        for n, p in enumerate(people)
    ]
    user, *others = cooks
    recipes = [_recipe(world, n) for n in range(max(len(_DISHES), size // 3))]
    safe = [recipe for recipe in recipes if "nuts" not in recipe.allergens]
    dishes = world.sample(safe, len(_MINE))
    meals = [_meal(n, user, dishes[n], days, meal, world) for n, (days, meal) in enumerate(_MINE)]
    for n in range(max(3, size // 15)):
        meals.append(_meal(len(meals), others[n % 2], world.choice(safe), 1 + n % 20, MEAL_TIMES[n // 20 % 3], world))
    return {
        "now": world.now,
        "cook_id": user.id,
        "cooks": by_id(cooks),
        "recipes": by_id(recipes),
        "meals": by_id(meals),
        "stocks": by_id(_pantry(world, user, others, meals[2:6], dishes[2:6], size)),
        "lines": by_id(_list(world, cooks)),
    }


def _recipe(world: World, number: int) -> Recipe:
    title, cuisine, minutes, calories, amounts = _DISHES[number % len(_DISHES)]
    style = _STYLES[number // len(_DISHES) % len(_STYLES)]
    again = number // (len(_DISHES) * len(_STYLES))
    found: set[Allergen] = {allergen for food in amounts if (allergen := FOODS[food][2])}
    animal = {"salmon", "chicken"} & set(amounts)
    return Recipe(
        id=f"RC-{101 + number}", title=f"{style}{title}{f' {again + 1}' if again else ''}", cuisine=cuisine,
        diet="mixed" if animal else "vegetarian" if found & {"dairy", "egg"} else "vegan",
        minutes=minutes + 5 * world.integer(0, 2), calories=calories + 10 * world.integer(-4, 4),
        rating=world.integer(32, 50) / 10, servings=4,
        ingredients=tuple(Ingredient(food=food, grams=grams) for food, grams in amounts.items()),
        allergens=tuple(sorted(found)),
    )  # fmt: skip


def _meal(number: int, cook: HomeCook, recipe: Recipe, days: int, meal: MealTime, world: World) -> PlannedMeal:
    return PlannedMeal(
        id=f"PM-{201 + number}", cook_id=cook.id, recipe_id=recipe.id, title=recipe.title,
        day=world.today + dt.timedelta(days), meal=meal, servings=world.choice((2, 2, 3, 4)),
        calories=recipe.calories, shopped=days == 2, status="cooked" if days < 0 else "planned",
    )  # fmt: skip


def _pantry(
    world: World, user: HomeCook, others: list[HomeCook], meals: list[PlannedMeal], dishes: list[Recipe], size: int
) -> list[PantryStock]:
    """All that the next meals take, each by itself, and more food, some of it spoilt."""
    amounts: dict[str, int] = {}
    for meal, dish in zip(meals, dishes, strict=True):
        for each in scaled(dish, meal.servings):
            amounts[each.food] = max(amounts.get(each.food, 0), -(-each.grams // 50) * 50)
    rows = [(user, food, grams, world.integer(2, FOODS[food][1])) for food, grams in amounts.items()]
    spoilt = world.sample([food for food in FOODS if food not in amounts], 3)
    rows += [(user, food, 50 * world.integer(2, 8), -1 - n) for n, food in enumerate(spoilt)]
    rows += [(user, food, 50 * world.integer(1, 4), 1) for food in world.sample(list(amounts), 2)]
    for n, food in enumerate(world.sample(list(FOODS), min(20, max(4, size // 10)))):
        rows.append((others[n % 2], food, 250, 9))
    return [
        PantryStock(id=f"ST-{301 + n}", cook_id=cook.id, food=food, aisle=FOODS[food][0], grams=grams,
                    expires_on=world.today + dt.timedelta(days))
        for n, (cook, food, grams, days) in enumerate(rows)
    ]  # fmt: skip


def _list(world: World, cooks: list[HomeCook]) -> list[ShoppingLine]:
    return [
        ShoppingLine(id=f"LN-{401 + n}", cook_id=cooks[0 if n < 10 else 1].id, food=food, aisle=FOODS[food][0],
                     grams=50 * world.integer(2, 12), status="bought" if n % 10 > 6 else "open")
        for n, food in enumerate(world.sample(list(FOODS), 13))
    ]  # fmt: skip
