"""Cutting results by tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.training.cut import cut_result
from tests.training.support import Bytes


@given(st.text(max_size=300), st.integers(48, 200))
def test_what_is_shown_has_at_most_so_many_tokens_and_begins_and_ends_as_the_result(text, tokens) -> None:
    found = cut_result(text, tokens, Bytes())
    assert len(found.encode()) <= tokens
    if len(text.encode()) <= tokens:
        assert found == text
    else:
        head, mark, tail = found.partition("\n[... ")
        assert mark
        assert text.startswith(head)
        assert text.endswith(tail.partition(" tokens left out ...]\n")[2])


def test_the_mark_tells_how_many_tokens_are_out() -> None:
    found = cut_result("a" * 1000, 100, Bytes())
    assert found == "a" * 34 + "\n[... 932 tokens left out ...]\n" + "a" * 34


def test_a_limit_without_room_for_the_mark_is_refused() -> None:
    with pytest.raises(ValueError, match="20 tokens"):
        cut_result("a" * 100, 20, Bytes())
