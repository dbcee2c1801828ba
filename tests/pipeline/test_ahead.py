"""Parts are made ahead, as many at once as may be, and never one more than one after the other would have begun."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.pipeline.ahead import Ahead


def taken(
    outcomes: list[bool], wanted: int, workers: int, make: Callable[[int], object] = lambda _: None
) -> tuple[list[int], list[int]]:
    """Take parts until enough of them gave something; which gave, and which were begun."""
    begun: list[int] = []
    given_by: list[int] = []
    lock = threading.Lock()

    def part(number: int) -> bool:
        with lock:
            begun.append(number)
        make(number)
        return outcomes[number]

    parts = Ahead(part, len(outcomes), workers, wanted=lambda: wanted - len(given_by), gives=int)
    with parts:
        for number in range(len(outcomes)):
            if len(given_by) == wanted:
                break
            if parts.take(number):
                given_by.append(number)
    return given_by, sorted(begun)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.booleans(), max_size=30), st.integers(1, 8), st.integers(1, 6))
def test_what_is_begun_is_what_one_after_the_other_begins(outcomes: list[bool], wanted: int, workers: int) -> None:
    given_by, begun = taken(outcomes, wanted, workers)
    good = [number for number, outcome in enumerate(outcomes) if outcome][:wanted]
    assert given_by == good
    last = good[-1] + 1 if len(good) == wanted else len(outcomes)
    assert begun == list(range(last))


def test_as_many_are_under_way_as_may_be() -> None:
    together = threading.Barrier(3, timeout=30)
    given_by, begun = taken([True] * 6, 6, 3, lambda _: together.wait())
    assert given_by == begun == list(range(6))


def test_a_part_fails_when_it_is_its_turn_and_no_further_one_is_begun() -> None:
    begun: list[int] = []
    failed = threading.Event()

    def make(number: int) -> int:
        begun.append(number)
        if number == 0:
            assert failed.wait(30)
        if number == 2:
            failed.set()
            raise ValueError("no money left")
        return number

    with Ahead(make, 100, 3, wanted=lambda: 100, gives=lambda _: 1) as parts:
        assert [parts.take(0), parts.take(1)] == [0, 1]
        with pytest.raises(ValueError, match="no money left"):
            parts.take(2)
    assert len(begun) <= 5  # what was begun before anybody could know


def test_parts_that_stand_already_are_passed_over() -> None:
    begun: list[int] = []

    def make(number: int) -> int:
        begun.append(number)
        return number

    with Ahead(make, 10, 1, wanted=lambda: 1, gives=lambda _: 1) as parts:
        assert parts.take(4) == 4
        assert parts.take(7) == 7
    assert begun == [4, 7]
