"""Whether an answer tells only what is known."""

from __future__ import annotations

import pytest

from envfactory.querygen.support import unsupported

RESULT = '{"name": "Park Inn", "city": "Rome", "total": 1200.5, "check_in": "2026-03-07", "rating": 4}'


@pytest.mark.parametrize(
    "answer",
    [
        "Park Inn in Rome costs $1,200.50 from 7 March.",
        "It is rated 4 out of 5.",
        "I found Park Inn and 3 more.",
        "Nothing to add.",
        "Yes. Certainly!",
    ],
)
def test_what_results_gave_may_be_told(answer: str) -> None:
    assert unsupported(answer, [RESULT]) == []


def test_numbers_and_names_that_nobody_gave_are_found() -> None:
    assert unsupported("Park Inn in Paris costs $1,300 from 8 March.", [RESULT]) == ["1,300", "8", "Paris"]


def test_what_the_user_said_may_be_repeated() -> None:
    assert unsupported("I booked it for 12 May, as Paola asked.", [RESULT]) == ["12", "Paola"]
    assert unsupported("I booked it for 12 May, as Paola asked.", [RESULT, "on 12 May for Paola"]) == []
