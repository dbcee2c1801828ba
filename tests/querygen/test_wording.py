"""How values are said."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pytest

from envfactory.environment import Parameter
from envfactory.querygen.manners import compose
from envfactory.querygen.names import fill_label
from envfactory.querygen.planner import MANNERS
from envfactory.querygen.wording import a, covered, fill, listed, missing_slots, plural, say, sentence, text_before

NOW = dt.datetime(2026, 3, 2, 9, 0)


def leaf(kind: str, **declared: Any) -> Parameter:
    return Parameter(path="x", type=kind, **declared)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "declared", "said"),
    [
        ("2026-05-03", leaf("string", format="date"), "3 May"),
        ("2027-05-03", leaf("string", format="date"), "3 May 2027"),
        ("2026-05-03T14:30:00", leaf("string", format="date-time"), "3 May at 14:30"),
        ("14:05:00", leaf("string", format="time"), "14:05"),
        (120.0, leaf("number", unit="USD"), "$120"),
        (1234.5, leaf("number", unit="USD"), "$1,234.50"),
        (-3.0, leaf("number", unit="USD"), "-$3"),
        (1, leaf("integer", unit="guest"), "1 guest"),
        (3, leaf("integer", unit="guest"), "3 guests"),
        (15, leaf("number", unit="%"), "15%"),
        (4.5, leaf("number"), "4.5"),
        (12000, leaf("integer"), "12,000"),
        ("airport_shuttle", leaf("string", enum=("airport_shuttle",)), "airport shuttle"),
        ("snake_case", leaf("string"), "snake_case"),
        (True, leaf("boolean"), "yes"),
        (False, None, "no"),
    ],
)
def test_values_are_said_as_people_write_them(value: Any, declared: Parameter | None, said: str) -> None:
    assert say(value, declared, NOW) == said


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a, of b", "c", "d"], "a, of b; c and d"),
        (["a", "b", "c", "d", "e", "f"], "a, b, c, d and 2 more"),
    ],
)
def test_lists_are_joined(items: list[str], text: str) -> None:
    assert listed(items) == text


@pytest.mark.parametrize(
    ("noun", "more"),
    [("night", "nights"), ("city", "cities"), ("day", "days"), ("box", "boxes"), ("branch", "branches")],
)
def test_nouns_have_plurals(noun: str, more: str) -> None:
    assert plural(noun) == more


@pytest.mark.parametrize(
    ("phrase", "text"), [("hotel", "a hotel"), ("order", "an order"), ("unit", "a unit"), ("umbrella", "an umbrella")]
)
def test_phrases_take_their_article(phrase: str, text: str) -> None:
    assert a(phrase) == text


TEMPLATE = "find {what}[ in {city}][breakfast? with breakfast][!smoking? without smoke]"


@pytest.mark.parametrize(
    ("values", "flags", "text"),
    [
        ({"what": "a hotel"}, {}, "find a hotel"),
        ({"what": "a hotel", "city": "Rome"}, {"breakfast": True}, "find a hotel in Rome with breakfast"),
        ({"what": "a hotel"}, {"breakfast": False, "smoking": False}, "find a hotel without smoke"),
    ],
)
def test_optional_parts_follow_what_is_given(values: dict[str, str], flags: dict[str, bool], text: str) -> None:
    assert fill(TEMPLATE, lambda name: values.get(name, ""), flags.get) == text


def test_a_template_knows_what_it_needs_and_what_it_can_say() -> None:
    assert missing_slots(TEMPLATE, lambda _: "") == ["what"]
    assert covered(TEMPLATE) == {"what", "city", "breakfast", "smoking"}
    assert text_before(TEMPLATE) == {"what": "find ", "city": " in "}


def test_no_space_is_left_before_punctuation() -> None:
    assert fill("show {what} , please", lambda _: "it") == "show it, please"


def test_a_sentence_begins_large_and_ends_once() -> None:
    assert sentence("book it") == "Book it."
    assert sentence("really?") == "Really?"


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("turn", [0, 1])
def test_every_manner_keeps_every_clause(manner: str, turn: int) -> None:
    import random

    clauses = [
        "find me a hotel in Rome",
        "book the cheapest one",
        "cancel that stay and its extras",
        "list my reservations",
    ]
    for seed in range(40):
        text = compose(clauses, manner, turn, random.Random(seed), changes_mind=seed % 2 == 0)
        assert all(clause.lower() in text.lower() for clause in clauses)
        assert text[0].isupper() is (manner != "casual")
        assert text.endswith(("?", "!") if manner == "casual" else (".", "?", "!")) or (
            manner == "casual" and text[-1].isalpha()
        )
        assert "  " not in text


def test_a_list_says_how_many_more_there_are_on_other_pages() -> None:
    assert listed(["A", "B"], 5, 3) == "A, B and 3 more"
    assert listed(["A", "B", "C"], 2, 4) == "A, B and 5 more"
    assert listed(["A", "B"], 5) == "A and B"


def test_what_a_label_has_in_brackets_is_said_only_in_full() -> None:
    row = {"name": "Ada", "number": "7"}
    assert fill_label("{name}[ with number {number}]", row, {}, NOW) == "Ada"
    assert fill_label("{name}[ with number {number}]", row, {}, NOW, brackets=1) == "Ada with number 7"
    assert fill_label("{name}[ with number {number}]", {"name": "Ada"}, {}, NOW, brackets=1) == "Ada"


def test_a_label_says_what_hangs_on_a_flag_only_if_it_is_so() -> None:
    for published, said in ((True, "Rainfall"), (False, "Rainfall, not yet out")):
        row = {"name": "Rainfall", "published": published}
        assert fill_label("{name}[!published?, not yet out]", row, {}, NOW, brackets=1) == said


def test_a_label_says_as_many_of_its_brackets_as_are_asked_for_from_the_front() -> None:
    row = {"name": "Ada", "number": "7", "city": "Rome"}
    said = [fill_label("{name}[ in {city}][ with number {number}]", row, {}, NOW, brackets) for brackets in range(4)]
    assert said == ["Ada", "Ada in Rome", "Ada in Rome with number 7", "Ada in Rome with number 7"]


@pytest.mark.parametrize(
    ("given", "said"),
    [("abc", "make it low, worth 3, due soon"), ("ac", "make it low, due soon"), ("b", "make it worth 3")],
)
def test_no_comma_stands_after_the_last_of_some_optional_parts(given: str, said: str) -> None:
    values = {"a": "low", "b": "3", "c": "soon"}
    text = fill("make it[ {a},][ worth {b},][ due {c}]", lambda name: values[name] if name in given else "")
    assert text == said


@pytest.mark.parametrize("seed", range(20))
def test_a_clause_with_a_comma_is_set_off_from_the_next_one(seed: int) -> None:
    text = compose(["list my orders, newest first", "book a room"], "plain", 1, random.Random(seed))
    assert "first and" not in text


@pytest.mark.parametrize(
    ("words", "said"), [("APA", "an APA reference"), ("plain", "a plain reference"), ("urgent", "an urgent reference")]
)
def test_an_article_goes_with_the_word_after_it(words: str, said: str) -> None:
    assert fill("a {style} reference", {"style": words}.__getitem__) == said
    assert fill("get it[ as a {style} reference]", {"style": words}.__getitem__) == f"get it as {said}"
