from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from envfactory.querygen.model.kept import invented, lost, restored

DRAFT = "Can you book me a double room at Hotel Miramar from 3 March to 5 March for $240? Then show the cheapest one."


@pytest.mark.parametrize(
    "text",
    [
        DRAFT,
        "double room at hotel miramar please, 3 March to 5 March, $240. and the cheapest one",
        "Book Hotel Miramar (double), 3 March - 5 March, at $240, and show me the cheapest one!",
    ],
)
def test_a_message_that_says_it_all_in_other_words_has_lost_nothing(text: str):
    assert list(lost(DRAFT, text)) == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (DRAFT.replace("3 March", "4 March"), ["3 March"]),
        (DRAFT.replace("$240", "$24"), ["$240"]),
        (DRAFT.replace("$240", "$2400"), ["$240"]),
        (DRAFT.replace("Hotel Miramar", "the hotel"), ["Hotel Miramar"]),
        (DRAFT.replace("cheapest", "nicest"), ["cheapest"]),
    ],
)
def test_what_tells_one_thing_from_another_is_missed(text: str, missing: list[str]):
    assert list(lost(DRAFT, text)) == missing


@pytest.mark.parametrize("said", ["March 3rd", "March 3", "Mar 3", "the 3rd of March", "3rd March", "03 March"])
def test_a_date_written_another_way_is_put_back(said: str):
    assert restored(f"From {said} on, please.", DRAFT) == "From 3 March on, please."


def test_another_date_of_the_month_is_left_alone():
    assert restored("From March 31 on.", DRAFT) == "From March 31 on."


def test_a_number_is_not_said_by_a_longer_one():
    assert list(lost("for 240 or 12", "for 1,240 or 12.5")) == ["240", "12"]


def test_a_number_or_name_that_nobody_knows_is_invented():
    assert list(invented(DRAFT, "It is for 5 March, at $240, in Hotel Miramar.")) == []
    assert list(invented(DRAFT, "It is for 7 March, at Hotel Adlon, room 12.")) == ["7 March", "12", "Hotel Adlon"]


@given(st.text(alphabet=st.characters(codec="latin-1"), max_size=200) | st.text(alphabet="0.A: ,5", max_size=12))
@example("0.A")
@example("1.3 March")
def test_a_text_has_lost_nothing_of_itself_and_invented_nothing(text: str):
    assert list(lost(text, text)) == []
    assert list(invented(text, text)) == []
