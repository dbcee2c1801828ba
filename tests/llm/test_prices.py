"""What tokens cost, by the row of the table that holds for a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from envfactory.llm import EndpointSettings, PriceSettings, Usage
from envfactory.llm.prices import most_of, price_for, price_of, row_for

USAGE = Usage(prompt=1_000_000, cached=400_000, completion=200_000, reasoning=50_000)
AMOUNT = st.floats(0, 1000)
MAYBE = st.none() | AMOUNT


def test_each_kind_of_token_has_its_own_price() -> None:
    price = PriceSettings(input=3.0, cached_input=0.3, output=15.0, reasoning=20.0)
    assert price_of(USAGE, price) == pytest.approx(0.6 * 3 + 0.4 * 0.3 + 0.15 * 15 + 0.05 * 20)


def test_without_a_price_of_their_own_cached_tokens_cost_as_read_and_reasoning_as_written() -> None:
    assert price_of(USAGE, PriceSettings(input=3.0, output=15.0)) == pytest.approx(3.0 + 0.2 * 15)
    given_away = PriceSettings(input=3.0, cached_input=0.0, output=15.0, reasoning=0.0)
    assert price_of(USAGE, given_away) == pytest.approx(0.6 * 3 + 0.15 * 15)


@pytest.mark.parametrize(
    ("model", "row"),
    [
        ("swift-2", "swift-2"),
        ("Swift-2", "swift-2"),
        ("swift-2-2026-05-01", "swift-2-*"),
        ("swift-2-mini", "swift-2-mini*"),
        ("swift-1.5", "swift-?.5"),
        ("swift", "*"),
        ("lab/Qwen3-8B", "lab/*"),
    ],
)
def test_the_row_that_spells_most_of_the_name_out_holds(model: str, row: str) -> None:
    table = ("*", "swift-*", "swift-2-*", "swift-2-mini*", "swift-2", "swift-?.5", "lab/*")
    assert row_for(model, table) == row
    assert row_for(model, reversed(table)) == row


def test_a_model_without_a_row_costs_nothing() -> None:
    table = {"swift-*": PriceSettings(input=3.0, output=15.0)}
    assert row_for("slow-1", table) is None
    assert price_of(USAGE, price_for("slow-1", table)) == 0
    assert price_of(USAGE, price_for("swift-1", table)) > 0


@given(
    price=st.builds(PriceSettings, input=AMOUNT, cached_input=MAYBE, output=AMOUNT, reasoning=MAYBE),
    cached=st.floats(0, 1),
    reasoning=st.floats(0, 1),
)
def test_what_is_set_aside_covers_whatever_turns_out_to_be_cached_or_reasoning(
    price: PriceSettings, cached: float, reasoning: float
) -> None:
    estimate = Usage(prompt=1000, completion=500)
    used = Usage(prompt=1000, cached=int(1000 * cached), completion=500, reasoning=int(500 * reasoning))
    assert price_of(used, price) <= most_of(estimate, price) * (1 + 1e-9)


@pytest.mark.parametrize(
    "table",
    [
        {"": {"input": 1.0, "output": 1.0}},
        {"m": {"input": 1.0}},
        {"m": {"input": -1.0, "output": 1.0}},
        {"m": {"input": 1.0, "output": float("inf")}},
        {"m": {"input": 1.0, "output": 1.0, "currency": "USD"}},
    ],
)
def test_a_row_that_is_none_is_refused(table: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        EndpointSettings.model_validate({"model": "m", "prices": table})
