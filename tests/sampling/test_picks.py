"""Which item of a result can be taken, and by which mark."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.catalogue import backend
from envfactory.environment import ToolSpec
from envfactory.gold import value_at
from envfactory.sampling.picks import choices, concrete_paths, named, takeable

SEARCH = backend(["hotel_reservations"]).specs["hotel_reservations"].tool_by_name["search_hotels"]
PATH = "hotels[].id"


def page(*hotels: dict[str, Any], total: int | None = None) -> dict[str, Any]:
    rows = [{"id": f"H-{n}", "stars": 3, "rating": 7.0, "from_rate": 80.0, **hotel} for n, hotel in enumerate(hotels)]
    return {"hotels": rows, "total": len(rows) if total is None else total, "page": 1, "pages": 1}


def marks_of(tool: ToolSpec, output: Any, path: str) -> dict[str, set[str]]:
    """Every mark that an item can be given over many draws, as `by` or `by:field`."""
    found: dict[str, set[str]] = {}
    for seed in range(60):
        for choice in choices(tool, output, path, random.Random(seed)):
            assert choice.pick is not None
            mark = f"{choice.pick.by}:{choice.pick.field}" if choice.pick.field else choice.pick.by
            found.setdefault(choice.value, set()).add(mark)
    return found


def test_the_only_item_needs_no_other_mark() -> None:
    assert marks_of(SEARCH, page({"name": "Inn"}), PATH) == {"H-0": {"only"}}


def test_extremes_and_names_tell_items_apart_so_that_nobody_needs_to_count() -> None:
    output = page({"name": "Inn", "from_rate": 60.0}, {"name": "Lodge", "from_rate": 90.0, "stars": 5})
    assert marks_of(SEARCH, output, PATH) == {
        "H-0": {"name", "low:from_rate"},
        "H-1": {"name", "high:from_rate", "high:stars"},
    }


def test_an_extreme_that_two_items_share_is_no_mark() -> None:
    output = page(
        {"name": "Inn", "from_rate": 60.0}, {"name": "Lodge", "from_rate": 60.0}, {"name": "Palace", "from_rate": 70.0}
    )
    marks = marks_of(SEARCH, output, PATH)
    assert "low:from_rate" not in marks["H-0"] | marks["H-1"]
    assert "high:from_rate" in marks["H-2"]


def test_a_name_that_two_items_share_is_no_mark_and_an_item_without_any_cannot_be_taken() -> None:
    output = page({"name": "Inn"}, {"name": "Inn"}, {"name": "Palace"})
    marks = marks_of(SEARCH, output, PATH)
    assert set(marks) == {"H-0", "H-2"}
    assert marks["H-0"] == {"first"}


def test_a_page_of_more_knows_no_extremes_and_no_only_item() -> None:
    assert marks_of(SEARCH, page({"name": "Inn"}, total=9), PATH) == {"H-0": {"name"}}


def test_an_item_within_an_item_has_no_short_name() -> None:
    output = page({"name": "Inn", "rooms": [{"kind": "double"}]})
    assert choices(SEARCH, output, "hotels[].rooms[].kind", random.Random(0)) == []
    assert takeable(SEARCH, output, "hotels[].rooms[].kind") == []


def test_a_value_outside_lists_needs_no_mark() -> None:
    (choice,) = choices(SEARCH, page({"name": "Inn"}), "total", random.Random(0))
    assert (choice.path, choice.value, choice.pick) == ("total", 1, None)


def test_an_empty_result_gives_nothing() -> None:
    assert choices(SEARCH, page(), PATH, random.Random(0)) == []


@pytest.mark.parametrize(
    ("output", "path", "places"),
    [
        ({"a": [{"b": 1}, {"b": 2}]}, "a[].b", ["a[0].b", "a[1].b"]),
        ({"a": ["x", "y"]}, "a[]", ["a[0]", "a[1]"]),
        ({"a": {"b": 1}}, "a.b", ["a.b"]),
        ({"a": [{"b": [{"c": 1}]}, {"b": []}]}, "a[].b[].c", ["a[0].b[0].c"]),
        ({}, "a[].b", []),
    ],
)
def test_concrete_paths_are_those_that_an_output_has(output: Any, path: str, places: list[str]) -> None:
    assert list(concrete_paths(output, path)) == places


def test_a_label_names_a_row_only_if_it_has_all_the_values() -> None:
    shape = next(shape for shape in SEARCH.output_shapes if shape.path == "hotels[]")
    assert named(shape, {"name": "Inn"}) == "Inn"
    assert named(shape, {"stars": 3}) == ""


HOTEL = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["Inn", "Lodge", "Palace"]),
        "from_rate": st.sampled_from([60.0, 70.0, 80.0]),
        "stars": st.integers(1, 5),
    }
)


@given(hotels=st.lists(HOTEL, max_size=6), extra=st.integers(0, 2), seed=st.integers(0, 99))
def test_every_mark_leads_back_to_its_item_alone(hotels: list[dict[str, Any]], extra: int, seed: int) -> None:
    output = page(*hotels, total=len(hotels) + extra)
    rows = output["hotels"]
    for choice in choices(SEARCH, output, PATH, random.Random(seed)):
        assert choice.pick is not None
        assert value_at(output, choice.path) == choice.value
        match choice.pick.by:
            case "only":
                fits = [row["id"] for row in rows if not extra]
            case "first":
                fits = [rows[0]["id"]]
            case "name":
                name = next(row["name"] for row in rows if row["id"] == choice.value)
                fits = [row["id"] for row in rows if row["name"] == name]
            case "low" | "high":
                values = [row[choice.pick.field] for row in rows]
                wanted = min(values) if choice.pick.by == "low" else max(values)
                fits = [row["id"] for row in rows if row[choice.pick.field] == wanted]
        assert fits == [choice.value]
    assert set(takeable(SEARCH, output, PATH)) == {c.value for c in choices(SEARCH, output, PATH, random.Random(seed))}


def test_an_item_that_lacks_the_value_hides_no_other() -> None:
    result = page({"name": "Inn", "id": None}, {"name": "Lodge"})
    del result["hotels"][0]["id"]
    assert [choice.path for choice in choices(SEARCH, result, PATH, random.Random(0))] == ["hotels[1].id"]
