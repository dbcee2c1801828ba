"""Pages hold every row once, and amounts are rounded as people round them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.environment import Page, Record, cents


class Number(Record, noun="number"):
    value: int


class Numbers(Page):
    rows: tuple[Number, ...]
    largest: int = 0


@given(st.lists(st.integers()), st.integers(1, 12))
def test_the_pages_together_are_all_rows_in_order(values: list[int], size: int):
    rows = [Number(value=value) for value in values]
    count = Numbers.of(rows, 1, size).pages
    pages = [Numbers.of(rows, n, size) for n in range(1, count + 1)]
    assert [row for page in pages for row in page.rows] == rows
    assert all(len(page.rows) <= size for page in pages)
    assert {(page.total, page.pages) for page in pages} == {(len(rows), count)}
    assert [page.page for page in pages] == list(range(1, count + 1))
    assert Numbers.of(rows, count + 1, size).rows == ()


def test_nothing_found_is_one_empty_page():
    page = Numbers.of([], 1)
    assert (page.total, page.page, page.pages, page.rows) == (0, 1, 1, ())


def test_a_page_has_five_rows_and_whatever_else_it_tells():
    page = Numbers.of([Number(value=value) for value in range(6)], 1, largest=5)
    assert (len(page.rows), page.pages, page.largest) == (5, 2, 5)


@pytest.mark.parametrize(
    ("amount", "rounded"),
    [(1.005, 1.01), (-1.005, -1.01), (2.675, 2.68), (0.1 + 0.2, 0.3), (10, 10), (-0.004, 0), (1.004, 1.0)],
)
def test_halves_of_a_cent_go_away_from_zero(amount: float, rounded: float):
    assert cents(amount) == rounded


@given(st.integers(-(10**9), 10**9))
def test_whole_cents_stay_as_they_are(number: int):
    assert cents(number / 100) == number / 100
