"""The kitchen, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.lifestyle._meal_records import FOODS
from envfactory.catalogue.lifestyle.recipe_and_meal_plan import RecipeAndMealPlan
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at 2 March 2026, 9:00.


def recipe(key: str, foods: dict[str, int] | None = None, **more: Any) -> Row:
    return {
        "id": key, "title": f"Dish {key[2:]}", "cuisine": "Italian", "diet": "vegetarian", "minutes": 30,
        "calories": 500, "rating": 4.0, "servings": 4, "ingredients": amounts(foods or {"eggs": 400}),
        "allergens": ["egg"], **more,
    }  # fmt: skip


def amounts(foods: dict[str, int]) -> list[Row]:
    return [{"food": food, "grams": grams} for food, grams in foods.items()]


RECIPES = keyed(
    recipe("R-1", {"rice": 300, "tomatoes": 250}, diet="vegan", rating=4.5, minutes=40, allergens=[]),
    recipe("R-2", {"pasta": 400, "parmesan": 50}, rating=4.4, minutes=20, calories=700, allergens=["dairy"]),
    recipe("R-3", {"salmon": 400, "rice": 200}, rating=4.3, diet="mixed", cuisine="Japanese", calories=400),
    recipe("R-4", {"cashews": 80, "oats": 200}, rating=5.0, diet="vegan", allergens=["gluten", "nuts"]),
    *(recipe(f"R-{n}", rating=5.4 - n / 5) for n in range(7, 12)),
)


def meal(key: str, day: str, when: str = "dinner", recipe_id: str = "R-1", **more: Any) -> Row:
    row = RECIPES[recipe_id]
    return {
        "id": key, "cook_id": "C-1", "recipe_id": recipe_id, "title": row["title"], "day": day, "meal": when,
        "servings": 2, "calories": row["calories"], "shopped": False, "status": "planned", **more,
    }  # fmt: skip


MEALS = keyed(
    meal("M-1", "2026-03-03"),
    meal("M-2", "2026-03-03", "breakfast", "R-2"),
    meal("M-3", "2026-03-05", "lunch", "R-3", shopped=True, servings=3),
    meal("M-4", "2026-03-01", status="cooked"),
    meal("M-5", "2026-03-02", "lunch", status="cooked"),
    meal("M-6", "2026-03-10", "dinner", "R-2"),
    meal("M-7", "2026-03-10", "lunch", cook_id="C-2"),
)


def stock(key: str, food: str, grams: int, until: str, **more: Any) -> Row:
    return {
        "id": key, "cook_id": "C-1", "food": food, "aisle": FOODS[food][0], "grams": grams, "expires_on": until, **more,
    }  # fmt: skip


STOCKS = keyed(
    stock("S-1", "rice", 100, "2026-06-01"),
    stock("S-2", "rice", 80, "2026-03-02"),
    stock("S-3", "tomatoes", 125, "2026-03-03"),
    stock("S-4", "rice", 900, "2026-03-01"),
    stock("S-5", "pasta", 500, "2026-08-01"),
    stock("S-6", "parmesan", 500, "2026-04-01"),
    stock("S-7", "eggs", 900, "2026-04-01", cook_id="C-2"),
)


def line(key: str, food: str, grams: int, **more: Any) -> Row:
    return {
        "id": key, "cook_id": "C-1", "food": food, "aisle": FOODS[food][0], "grams": grams, "status": "open", **more,
    }  # fmt: skip


LINES = keyed(
    line("L-1", "salmon", 100),
    line("L-2", "eggs", 300),
    line("L-3", "rice", 200, status="bought"),
    line("L-4", "bread", 400),
    line("L-5", "feta", 200),
    line("L-6", "onions", 150),
    line("L-7", "rice", 150, cook_id="C-2"),
)


def cook(key: str, **more: Any) -> Row:
    return {
        "id": key, "name": f"Ada {key}", "email": f"{key}@mail.example", "avoids": ["nuts"], "target": 2000, **more
    }  # fmt: skip


STATE = {
    "cook_id": "C-1",
    "cooks": keyed(cook("C-1"), cook("C-2", avoids=[])),
    "recipes": RECIPES,
    "meals": MEALS,
    "stocks": STOCKS,
    "lines": LINES,
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(RecipeAndMealPlan, STATE, rows=rows, **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["R-1", "R-2", "R-3", "R-7", "R-8"]),
        ({"page": 2}, ["R-9", "R-10", "R-11"]),
        ({"sort": "minutes"}, ["R-2", "R-10", "R-11", "R-3", "R-7"]),
        ({"sort": "calories"}, ["R-3", "R-1", "R-10", "R-11", "R-7"]),
        ({"ingredient": "rice"}, ["R-1", "R-3"]),
        ({"cuisine": "Japanese"}, ["R-3"]),
        ({"diet": "vegan"}, ["R-1"]),
        ({"diet": "vegetarian"}, ["R-1", "R-2", "R-7", "R-8", "R-9"]),
        ({"max_minutes": 30, "ingredient": "rice"}, ["R-3"]),
        ({"max_minutes": 29}, ["R-2"]),
        ({"stocked": True}, ["R-2"]),
        ({"ingredient": "cashews"}, []),
    ],
)
def test_recipes_are_searched_by_what_is_asked(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_recipes", **arguments) == found


def test_who_avoids_nothing_finds_everything() -> None:
    at = desk({"cooks": keyed(cook("C-1", avoids=[]))})
    assert at.ids("search_recipes", diet="vegan") == ["R-4", "R-1"]
    assert at.gives("plan_meal", recipe_id="R-4", day="2026-03-09", meal="breakfast")["title"] == "Dish 4"


@pytest.mark.parametrize(
    ("servings", "needed", "short"),
    [
        (None, {"rice": 300, "tomatoes": 250}, {"rice": 120, "tomatoes": 125}),
        (2, {"rice": 150, "tomatoes": 125}, {}),
        (3, {"rice": 225, "tomatoes": 188}, {"rice": 45, "tomatoes": 63}),
        (1, {"rice": 75, "tomatoes": 63}, {}),
    ],
)
def test_ingredients_are_scaled_and_what_is_lacking_is_told(
    servings: int | None, needed: dict[str, int], short: dict[str, int]
) -> None:
    arguments = {"servings": servings} if servings else {}
    assert desk().gives("get_ingredients", recipe_id="R-1", **arguments) == {
        "recipe_id": "R-1", "title": "Dish 1", "servings": servings or 4, "ingredients": amounts(needed),
        "lacking": amounts(short), "allergens": [],
    }  # fmt: skip
    assert desk().gives("get_ingredients", recipe_id="R-4")["allergens"] == ["gluten", "nuts"]
    desk().refuses("get_ingredients", "not_found", "no recipe with the id 'R-99'", recipe_id="R-99")


@pytest.mark.parametrize("day", ["2026-03-02", "2026-03-23"])
def test_a_meal_is_planned(day: str) -> None:
    at = desk()
    planned = at.gives("plan_meal", recipe_id="R-3", day=day, meal="dinner")
    assert planned == meal("PM-1001", day, "dinner", "R-3")
    assert at.changed() == {"meals.created": {"PM-1001": planned}}
    assert at.gives("plan_meal", recipe_id="R-3", day=day, meal="breakfast", servings=5)["servings"] == 5
    at.refuses("plan_meal", "conflict", "Dish 3 is planned for dinner", recipe_id="R-1", day=day, meal="dinner")


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"day": "2026-03-01"}, "invalid_argument", "up to 21 days ahead, not for 2026-03-01"),
        ({"day": "2026-03-24"}, "invalid_argument", "not for 2026-03-24"),
        ({"day": "2026-03-03"}, "conflict", "Dish 1 is planned for dinner on 2026-03-03 already"),
        ({"recipe_id": "R-4"}, "precondition_failed", "Dish 4 contains nuts, which you avoid"),
        ({"recipe_id": "R-99"}, "not_found", "R-99"),
        ({"servings": 13}, "invalid_argument", "servings"),
    ],
)
def test_a_meal_that_cannot_be_planned_is_refused(change: Row, code: str, words: str) -> None:
    desk().refuses("plan_meal", code, words, **{"recipe_id": "R-1", "day": "2026-03-09", "meal": "dinner", **change})


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["M-4", "M-5", "M-2", "M-1", "M-3"]),
        ({"page": 2}, ["M-6"]),
        ({"since": "2026-03-02"}, ["M-5", "M-2", "M-1", "M-3", "M-6"]),
        ({"until": "2026-03-03"}, ["M-4", "M-5", "M-2", "M-1"]),
        ({"meal": "dinner"}, ["M-4", "M-1", "M-6"]),
        ({"status": "cooked"}, ["M-4", "M-5"]),
        ({"since": "2026-03-03", "until": "2026-03-03", "meal": "breakfast"}, ["M-2"]),
    ],
)
def test_the_plan_is_listed_by_day(arguments: Row, found: list[str]) -> None:
    assert desk().ids("view_plan", **arguments) == found
    desk().refuses("view_plan", "invalid_argument", "before it begins", since="2026-03-03", until="2026-03-02")


def test_a_day_is_added_up() -> None:
    assert desk().gives("get_day_balance", day="2026-03-03") == {
        "day": "2026-03-03", "meals": [MEALS["M-2"], MEALS["M-1"]], "calories": 1200, "target": 2000, "left": 800,
    }  # fmt: skip
    at = desk({"cooks": keyed(cook("C-1", target=1000))})
    assert at.gives("get_day_balance", day="2026-03-03")["left"] == -200
    assert at.gives("get_day_balance", day="2026-03-04")["meals"] == []


def test_a_meal_moves_to_where_nothing_is_planned() -> None:
    at = desk()
    moved = at.gives("move_meal", plan_id="M-1", day="2026-03-04", meal="lunch")
    assert moved == {"plan_id": "M-1", "title": "Dish 1", "day": "2026-03-04", "meal": "lunch"}
    assert at.changed() == {"meals.changed": {"M-1": {"day": "2026-03-04", "meal": "lunch"}}}
    at.gives("move_meal", plan_id="M-1", day="2026-03-10", meal="lunch")  # somebody else eats then


def test_meals_swap() -> None:
    at = desk()
    moved = at.gives("move_meal", plan_id="M-1", day="2026-03-05", meal="lunch")
    assert moved == {"plan_id": "M-1", "title": "Dish 1", "day": "2026-03-05", "meal": "lunch", "swapped": "Dish 3"}
    assert at.changed() == {
        "meals.changed": {
            "M-1": {"day": "2026-03-05", "meal": "lunch"},
            "M-3": {"day": "2026-03-03", "meal": "dinner", "shopped": False},
        }
    }


def test_a_meal_is_shopped_for_anew_on_another_day_but_not_on_the_same() -> None:
    at = desk()
    at.gives("move_meal", plan_id="M-3", day="2026-03-05", meal="dinner")
    assert at.changed() == {"meals.changed": {"M-3": {"meal": "dinner"}}}
    at.gives("move_meal", plan_id="M-3", day="2026-03-06", meal="dinner")
    assert at.changed() == {"meals.changed": {"M-3": {"day": "2026-03-06", "meal": "dinner", "shopped": False}}}


def test_no_meal_swaps_into_the_past() -> None:
    at = desk(now=dt.datetime(2026, 3, 4, 9, 0))
    words = "Dish 3 cannot swap to 2026-03-03, which is past"
    at.refuses("move_meal", "precondition_failed", words, plan_id="M-1", day="2026-03-05", meal="lunch")
    at.gives("move_meal", plan_id="M-1", day="2026-03-04", meal="lunch")
    at = desk(now=dt.datetime(2026, 3, 3, 9, 0))
    assert at.gives("move_meal", plan_id="M-1", day="2026-03-05", meal="lunch")["swapped"] == "Dish 3"


@pytest.mark.parametrize(
    ("day", "when", "code", "words"),
    [
        ("2026-03-03", "dinner", "invalid_argument", "Dish 1 is planned for dinner on 2026-03-03 as it is"),
        ("2026-03-02", "lunch", "precondition_failed", "is cooked, so it cannot be swapped"),
        ("2026-03-01", "lunch", "invalid_argument", "not for 2026-03-01"),
        ("2026-03-24", "lunch", "invalid_argument", "not for 2026-03-24"),
    ],
)
def test_a_move_that_is_not_possible_is_refused(day: str, when: str, code: str, words: str) -> None:
    desk().refuses("move_meal", code, words, plan_id="M-1", day=day, meal=when)


def test_other_servings_are_shopped_for_anew() -> None:
    at = desk()
    assert at.gives("change_servings", plan_id="M-3", servings=4) == {**MEALS["M-3"], "servings": 4, "shopped": False}
    assert at.changed() == {"meals.changed": {"M-3": {"servings": 4, "shopped": False}}}
    words = "Dish 3 is planned with 4 servings already"
    at.refuses("change_servings", "invalid_argument", words, plan_id="M-3", servings=4)


def test_a_meal_is_removed() -> None:
    at = desk()
    assert at.gives("remove_meal", plan_id="M-1") == MEALS["M-1"]
    assert at.changed().keys() == {"meals.deleted"}
    assert list(at.changed()["meals.deleted"]) == ["M-1"]
    at.refuses("remove_meal", "not_found", "no meal with the id 'M-1'", plan_id="M-1")


ON_MEALS: list[tuple[str, Row, str]] = [
    ("move_meal", {"day": "2026-03-09", "meal": "lunch"}, "moved"),
    ("change_servings", {"servings": 5}, "changed"),
    ("remove_meal", {}, "removed"),
    ("shop_for_meal", {}, "shopped for"),
    ("cook_meal", {}, "cooked"),
]


@pytest.mark.parametrize(("tool", "more", "done"), ON_MEALS)
def test_only_a_meal_of_ones_own_that_is_not_cooked_can_be_used(tool: str, more: Row, done: str) -> None:
    at = desk()
    words = f"The meal is cooked, so it cannot be {done}"
    at.refuses(tool, "precondition_failed", words, plan_id="M-4", **more)
    at.refuses(tool, "permission_denied", "belongs to somebody else", plan_id="M-7", **more)
    at.refuses(tool, "not_found", "no meal with the id 'M-99'", plan_id="M-99", **more)


def unshopped(*more: Row) -> dict[str, Rows]:
    """The meals, none of which was shopped for."""
    return {"meals": keyed(meal("M-3", "2026-03-05", "lunch", "R-3", servings=3), *more)}


def test_what_a_meal_lacks_on_its_day_is_put_on_the_list() -> None:
    at = desk(unshopped())
    new = line("LN-1001", "rice", 50)
    told = {"plan_id": "M-1", "title": "Dish 1", "added": amounts({"rice": 50}), "lines": [new]}
    assert at.gives("shop_for_meal", plan_id="M-1") == told
    assert at.changed() == {"lines.created": {"LN-1001": new}, "meals.changed": {"M-1": {"shopped": True}}}
    words = "All that Dish 1 takes is at home or on your shopping list already"
    at.refuses("shop_for_meal", "conflict", words, plan_id="M-1")


def test_what_is_at_home_for_a_meal_is_not_there_for_another() -> None:
    at = desk()  # of the rice, the later meal that was shopped for takes all
    assert at.gives("shop_for_meal", plan_id="M-1")["added"] == amounts({"rice": 150})
    at = desk({"meals": keyed(meal("M-3", "2026-03-05", "lunch", "R-3", shopped=True, servings=1))})
    assert at.gives("shop_for_meal", plan_id="M-1")["added"] == amounts({"rice": 100})
    for over in ({"status": "cooked"}, {"cook_id": "C-2"}, {"shopped": False}):
        row = {**MEALS["M-3"], **over}
        at = desk({"meals": keyed(row)})
        assert at.gives("shop_for_meal", plan_id="M-1")["added"] == amounts({"rice": 50})


def test_other_meals_take_what_spoils_first_while_it_is_good() -> None:
    eaten = meal("M-8", "2026-03-02", "dinner", "R-1", shopped=True)  # takes 80 grams that are good today only
    at = desk(unshopped(eaten, meal("M-1", "2026-03-03")))
    assert at.gives("shop_for_meal", plan_id="M-1")["added"] == amounts({"rice": 120, "tomatoes": 125})
    later = meal("M-8", "2026-03-04", "dinner", "R-1", shopped=True)  # finds no tomatoes that are good
    at = desk(unshopped(later))
    assert at.gives("shop_for_meal", plan_id="M-1")["added"] == amounts({"rice": 150})


def test_a_single_gram_is_bought_too() -> None:
    at = desk({**unshopped(), "stocks": keyed(stock("S-1", "rice", 149, "2026-06-01"))})
    assert at.gives("shop_for_meal", plan_id="M-1")["added"] == amounts({"rice": 1})


def test_what_is_listed_for_a_meal_is_not_there_for_another() -> None:
    fish = meal("M-8", "2026-03-04", "dinner", "R-3", servings=1)
    at = desk({"meals": keyed(fish)})  # the fish on the list is for the one that was shopped for
    told = at.gives("shop_for_meal", plan_id="M-8")
    assert told["added"] == amounts({"salmon": 100, "rice": 50})
    assert told["lines"][0] == line("L-1", "salmon", 200)
    at = desk(unshopped(fish))
    assert at.gives("shop_for_meal", plan_id="M-8")["added"] == []


def test_only_the_difference_is_bought_for_more_servings() -> None:
    at = desk(unshopped())
    assert at.gives("shop_for_meal", plan_id="M-3")["added"] == amounts({"salmon": 200, "rice": 50})
    at.gives("change_servings", plan_id="M-3", servings=4)
    told = at.gives("shop_for_meal", plan_id="M-3")
    assert told["added"] == amounts({"salmon": 100, "rice": 50})
    assert told["lines"] == [line("L-1", "salmon", 400), line("LN-1001", "rice", 100)]
    at.gives("change_servings", plan_id="M-3", servings=3)
    assert at.gives("shop_for_meal", plan_id="M-3")["added"] == []


def test_a_meal_whose_food_is_gone_is_shopped_for_again() -> None:
    at = desk(unshopped())
    at.gives("shop_for_meal", plan_id="M-1")
    at.gives("throw_away", stock_id="S-1", grams=40)
    assert at.gives("shop_for_meal", plan_id="M-1")["lines"] == [line("LN-1001", "rice", 90)]


def test_open_lines_grow() -> None:
    at = desk({"meals": keyed(meal("M-3", "2026-03-05", "lunch", "R-3"))})
    told = at.gives("shop_for_meal", plan_id="M-3")
    assert (told["added"], told["lines"]) == (amounts({"salmon": 100}), [line("L-1", "salmon", 200)])
    assert at.changed()["lines.changed"] == {"L-1": {"grams": 200}}


def test_nothing_is_put_on_the_list_if_all_is_there() -> None:
    at = desk()
    assert at.gives("shop_for_meal", plan_id="M-6")["lines"] == []
    assert at.changed() == {"meals.changed": {"M-6": {"shopped": True}}}


def test_food_is_good_on_its_last_day_and_spoilt_after() -> None:
    for day, lines in (("2026-03-03", []), ("2026-03-04", [line("LN-1001", "tomatoes", 125)])):
        at = desk({**unshopped(meal("M-1", day)), "stocks": keyed(stock("S-9", "rice", 50, "2026-04-01"))})
        assert at.gives("shop_for_meal", plan_id="M-1")["lines"] == lines


def test_a_meal_that_is_late_is_not_cooked_with_what_has_spoilt_meanwhile() -> None:
    at = desk(unshopped(meal("M-1", "2026-03-03")), now=dt.datetime(2026, 3, 4, 9, 0))
    assert at.gives("shop_for_meal", plan_id="M-1")["added"] == amounts({"rice": 50, "tomatoes": 125})


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["L-4", "L-2", "L-5", "L-3", "L-1"]),
        ({"page": 2}, ["L-6"]),
        ({"status": "bought"}, ["L-3"]),
        ({"aisle": "dairy"}, ["L-2", "L-5"]),
    ],
)
def test_the_shopping_list_is_shown_by_aisle(arguments: Row, found: list[str]) -> None:
    assert desk().ids("view_shopping_list", **arguments) == found


@pytest.mark.parametrize(
    ("grams", "bought", "left"),
    [
        ({}, 300, {"status": "bought"}),
        ({"grams": 300}, 300, {"status": "bought"}),
        ({"grams": 299}, 299, {"grams": 1}),
        ({"grams": 360}, 360, {"status": "bought", "grams": 360}),
    ],
)
def test_what_is_bought_goes_to_the_pantry(grams: Row, bought: int, left: Row) -> None:
    at = desk()
    got = at.gives("mark_bought", line_id="L-2", **grams)
    assert got == stock("ST-1001", "eggs", bought, "2026-03-23")
    assert at.changed() == {"lines.changed": {"L-2": left}, "stocks.created": {"ST-1001": got}}


def test_an_item_is_taken_off_the_list() -> None:
    at = desk()
    assert at.gives("remove_item", line_id="L-2") == LINES["L-2"]
    assert at.changed() == {"lines.deleted": ("L-2",)}
    at.refuses("remove_item", "not_found", "no item with the id 'L-2'", line_id="L-2")
    at.refuses("remove_item", "precondition_failed", "is bought, so it cannot be removed", line_id="L-3")
    at.refuses("remove_item", "permission_denied", "somebody else", line_id="L-7")


def test_what_cannot_be_bought_is_refused() -> None:
    at = desk()
    at.refuses("mark_bought", "precondition_failed", "is bought, so it cannot be bought", line_id="L-3")
    at.refuses("mark_bought", "permission_denied", "somebody else", line_id="L-7")
    at.refuses("mark_bought", "not_found", "no item with the id 'L-99'", line_id="L-99")
    at.refuses("mark_bought", "invalid_argument", "grams", line_id="L-2", grams=0)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-4", "S-2", "S-3", "S-6", "S-1"]),
        ({"page": 2}, ["S-5"]),
        ({"aisle": "dairy"}, ["S-6"]),
        ({"expires_by": "2026-03-02"}, ["S-4", "S-2"]),
    ],
)
def test_the_pantry_is_listed_by_what_spoils_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("view_pantry", **arguments) == found


def test_cooking_takes_what_spoils_first_but_nothing_spoilt() -> None:
    at = desk()  # though another meal counts on it
    assert at.gives("cook_meal", plan_id="M-1") == {
        "plan_id": "M-1", "title": "Dish 1", "used": amounts({"rice": 150, "tomatoes": 125})
    }  # fmt: skip
    changed = at.changed()
    assert changed["meals.changed"] == {"M-1": {"status": "cooked"}}
    assert changed["stocks.changed"] == {"S-1": {"grams": 30}}
    assert sorted(changed["stocks.deleted"]) == ["S-2", "S-3"]


def test_cooking_stops_taking_when_it_has_enough() -> None:
    at = desk({"meals": keyed(meal("M-1", "2026-03-03", servings=1))})
    at.gives("cook_meal", plan_id="M-1")
    assert at.changed()["stocks.changed"] == {"S-2": {"grams": 5}, "S-3": {"grams": 62}}


def test_a_meal_for_which_something_is_lacking_is_not_cooked() -> None:
    at = desk()
    words = "The pantry lacks 300 grams of salmon for Dish 3"
    at.refuses("cook_meal", "precondition_failed", words, plan_id="M-3")
    at = desk({"meals": keyed(meal("M-1", "2026-03-03", servings=4))})
    words = "lacks 120 grams of rice, 125 grams of tomatoes for"
    at.refuses("cook_meal", "precondition_failed", words, plan_id="M-1")


def test_food_is_thrown_away_whole_or_in_part() -> None:
    at = desk()
    assert at.gives("throw_away", stock_id="S-4", grams=850) == {"food": "rice", "grams": 850, "left": 50}
    assert at.changed() == {"stocks.changed": {"S-4": {"grams": 50}}}
    at.refuses("throw_away", "invalid_argument", "only 50 grams of rice", stock_id="S-4", grams=51)
    assert at.gives("throw_away", stock_id="S-4") == {"food": "rice", "grams": 50, "left": 0}
    at.refuses("throw_away", "not_found", "no food with the id 'S-4'", stock_id="S-4")
    at.refuses("throw_away", "permission_denied", "somebody else", stock_id="S-7")
    assert at.gives("throw_away", stock_id="S-3", grams=125)["left"] == 0
    assert sorted(at.changed()["stocks.deleted"]) == ["S-3", "S-4"]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [10, 20, 60, 300, 900])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(RecipeAndMealPlan, seed, size, DEFAULT_NOW)
    today = world.now.date()
    mine = [row for row in world.meals.values() if row.cook_id == world.cook_id]
    assert {row.status for row in mine} == {"planned", "cooked"}
    assert {row.shopped for row in mine} == {True, False}
    assert len({(row.day, row.meal) for row in mine}) == len(mine) > 5
    avoided = set(world.cooks[world.cook_id].avoids)
    assert any(avoided & set(row.allergens) for row in world.recipes.values())
    for row in world.meals.values():
        assert not set(world.cooks[row.cook_id].avoids) & set(world.recipes[row.recipe_id].allergens)
        assert (row.day - today).days <= 21
    taken = [(row.cook_id, row.day, row.meal) for row in world.meals.values()]
    assert len(set(taken)) == len(taken)
    assert all(
        (row.expires_on - today).days <= FOODS[row.food][1]
        for row in world.stocks.values()
        if row.cook_id == world.cook_id
    )
    assert len({row.title for row in world.recipes.values()}) == len(world.recipes)
    assert any(row.expires_on < today for row in world.stocks.values()), "spoilt"
    assert {row.status for row in world.lines.values() if row.cook_id == world.cook_id} == {"open", "bought"}
    assert any(row.cook_id != world.cook_id for row in world.meals.values())
