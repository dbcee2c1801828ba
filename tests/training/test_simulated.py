"""The simulated user of a rollout: what they hold back, what they know, and that they come to an end."""

from __future__ import annotations

import pytest

from envfactory.dataset import RLRow
from envfactory.training.simulated import SimulatedUser
from tests.dataset.support import asking, booking
from tests.training.support import rows_of, rows_with_user


def row(*, ambiguous: bool) -> RLRow:
    """The turn that books, where the assistant has to ask first or not."""
    return rows_with_user(asking() if ambiguous else booking())[1]


def test_what_is_held_back_is_said_first_whatever_is_asked_and_once() -> None:
    user = SimulatedUser(row(ambiguous=True), 4)
    assert user.reply("Which one, and for when?") == asking().conversation.turns[2].user
    assert user.reply("And for which dates?") == "Check in 7 April and check out 9 April."
    assert user.replies == 2


def test_nothing_is_held_back_where_the_request_says_it_all() -> None:
    user = SimulatedUser(row(ambiguous=False), 4)
    assert user.reply("For which dates?") == "Check in 7 April and check out 9 April."
    assert user.reply("Shall I go ahead?") == "Yes, please go ahead."
    assert user.reply("Who runs it?") == "I don't know, could you look that up?"


def test_after_so_many_answers_they_give_up() -> None:
    user = SimulatedUser(row(ambiguous=False), 2)
    said = [user.reply("Shall I?") for _ in range(4)]
    assert [bool(text) for text in said] == [True, True, False, False]
    assert user.replies == 2


def test_a_row_without_a_user_has_nobody_to_ask() -> None:
    with pytest.raises(ValueError, match="row t-0001/0 has no user; make the file anew"):
        SimulatedUser(rows_of(booking())[0], 4)
