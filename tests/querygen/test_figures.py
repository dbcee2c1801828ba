"""Figures of requests: each is what its definition says, on texts that can be counted by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.environment import InProcess
from envfactory.querygen.figures import RequestFigures, self_similarity

if TYPE_CHECKING:
    from tests.querygen.conftest import Grounding, Programming

BOOKING = (["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")])


def row(program: Any, texts: list[str], changes: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    turns = [{"user": text} for text in texts]
    gold = program.gold.model_dump(mode="json")
    return {"gold": gold, "candidates": [{"turns": turns}], "chosen": 0, "changes": changes or []}


def test_the_figures_of_a_small_conversation(hotels: InProcess, grounding: Grounding, programming: Programming) -> None:
    program = programming(grounding(*BOOKING, 1), 1, 1)
    figures = RequestFigures(hotels.specs)
    figures.add(row(program, ["a b c d", "a b c e f"], [{"kind": "ambiguity", "detail": {}}]))
    found = figures.metrics()
    assert found["words_mean"] == 4.5
    assert (found["named_share"], found["asked_share"], found["exchanges"]) == (1.0, 1.0, 0)
    assert found["distinct_3"] == pytest.approx(4 / 5)  # abc twice, bcd, bce, cef
    assert found["self_similarity"] == pytest.approx(1 / 4)
    assert found["changed"] == {
        "implicit_reference": 0,
        "action_compression": 0,
        "ambiguity": 1,
        "goal_expansion": 0,
    }


def test_what_is_not_named_and_not_asked_for_is_counted(
    hotels: InProcess, grounding: Grounding, programming: Programming
) -> None:
    program = programming(grounding(*BOOKING, 1), 2)
    figures = RequestFigures(hotels.specs)
    changes: list[dict[str, Any]] = [
        {"kind": "implicit_reference", "detail": {"references": [{"call": 1}]}},
        {"kind": "action_compression", "detail": {"calls": [0]}},
    ]
    figures.add(row(program, ["book it"], changes))
    found = figures.metrics()
    assert (found["named_share"], found["asked_share"]) == (0.0, 0.5)


def test_exchanges_are_the_turns_without_calls(
    hotels: InProcess, grounding: Grounding, programming: Programming
) -> None:
    program = programming(grounding(*BOOKING, 1), 1, 1).in_turns((1, 0, 1))
    figures = RequestFigures(hotels.specs)
    figures.add(row(program, ["a", "b", "c"]))
    assert figures.metrics()["exchanges"] == 1


def test_nothing_gives_noughts(hotels: InProcess) -> None:
    found = RequestFigures(hotels.specs).metrics()
    assert {value for value in found.values() if isinstance(value, (int, float))} == {0}


words = st.frozensets(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from("abc")), max_size=6)


@given(st.lists(words, max_size=8))
def test_self_similarity_is_a_share_and_does_not_depend_on_the_order(texts: list[frozenset[tuple[str, ...]]]) -> None:
    found = self_similarity(texts)
    assert 0 <= found <= 1
    assert self_similarity(texts[::-1]) == pytest.approx(found)
    doubled = [text for text in texts if text] * 2
    assert self_similarity(doubled) == pytest.approx(1.0 if doubled else 0.0)
