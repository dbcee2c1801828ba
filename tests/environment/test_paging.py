"""Pages hold every row once, and amounts are rounded as people round them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.environment import Page, cents, page_of, page_rows


class Numbers(Page):
    rows: tuple[int, ...]


@given(st.lists(st.integers()), st.integers(1, 12))
def test_the_pages_together_are_all_rows_in_order(rows: list[int], size: int):
    count = page_of(rows, 1, size)["pages"]
    pages = [Numbers(rows=page_rows(rows, n, size), **page_of(rows, n, size)) for n in range(1, count + 1)]
    assert [row for page in pages for row in page.rows] == rows
    assert all(len(page.rows) <= size for page in pages)
    assert {(page.total, page.pages) for page in pages} == {(len(rows), count)}
    assert [page.page for page in pages] == list(range(1, count + 1))
    assert page_rows(rows, count + 1, size) == ()


def test_nothing_found_is_one_empty_page():
    assert page_of([], 1, 5) == {"total": 0, "page": 1, "pages": 1}


@pytest.mark.parametrize(
    ("amount", "rounded"),
    [(1.005, 1.01), (-1.005, -1.01), (2.675, 2.68), (0.1 + 0.2, 0.3), (10, 10), (-0.004, 0), (1.004, 1.0)],
)
def test_halves_of_a_cent_go_away_from_zero(amount: float, rounded: float):
    assert cents(amount) == rounded


@given(st.integers(-(10**9), 10**9))
def test_whole_cents_stay_as_they_are(number: int):
    assert cents(number / 100) == number / 100
