"""A text asks for a call by its words: what it refuses, tells of or merely names, it does not ask for."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envfactory.catalogue import backend
from envfactory.gold import Gold
from envfactory.querygen.asking import Asking
from envfactory.querygen.phrasebook import phrasebook, spelled
from envfactory.querygen.program import Program
from tests.grounded import catalogue, conversations, grounded_golds, replayed
from tests.querygen.asked import KINDS, NEGATED, Case, begun, cases, clauses, counted

HOTELS = "hotel_reservations"
GOLDS = 80


@pytest.fixture(scope="module")
def golds() -> list[Gold]:
    return grounded_golds(GOLDS, 23)


@pytest.fixture(scope="module")
def drawn(golds: list[Gold]) -> list[Program]:
    """Programs over the whole catalogue."""
    return [replayed(catalogue(), gold) for gold in golds]


def asks(text: str, tool: str, calls: int = 1) -> bool:
    """Whether a text asks for a tool of the hotel service; "Grand Plaza Lisbon" is a name, and these are values."""
    spec = backend([HOTELS]).specs[HOTELS]
    blank = spelled(text.replace("Grand Plaza Lisbon", "#" * 18))
    values = ("Rome", "3 May", "5 May", "17 May", "double", "parking", "6 guests")
    return Asking(phrasebook((spec,)), blank, values).asks(f"{HOTELS}-{tool}", calls, {f"{HOTELS}-{tool}"})


@pytest.mark.parametrize(
    "text",
    [
        "Please don't cancel my booking.",
        "Extend my stay.",
        "I loved the stay.",
        "Grand Plaza Lisbon.",
        "Cancel my stay? No.",
        "Cancel my stay. Actually, never mind.",
        "Cancel nothing.",
        "I can't cancel my stay.",
        "I cancelled my stay.",
        "My stay was cancelled.",
        "Thanks for not cancelling my stay.",
        "Hold off on cancelling my stay.",
        "Instead of cancelling my stay at Grand Plaza Lisbon, show me the reviews.",
        "Please don't, under any circumstances, cancel my stay.",
        "Don't list my reservations and cancel my stay.",
        "Can you not cancel my stay?",
        "Should I cancel my stay?",
        "Can I cancel my stay?",
        "How do I cancel my stay?",
        "Is it too late to cancel my stay?",
        "Is cancelling free?",
        "If I cancel my stay, what do I get back?",
        "I might cancel my stay.",
        "You can cancel my stay for free until Monday.",
        "My sister told me to check the weather and cancel my stay.",
        "They said: cancel my stay.",
        "I heard that people cancel Grand Plaza Lisbon a lot.",
        "The cancellation fee is too high.",
        "Change the dates of my stay.",
        "Confirm my stay at Grand Plaza Lisbon.",
        "Show me my stay.",
        "What a lovely stay at Grand Plaza Lisbon!",
        "Cancel my stay, never mind.",
        "Cancel my stay. No wait, don't.",
        "Cancel my stay? Absolutely not!",
        "Cancel my stay? Haha no.",
        "Cancel my stay? I don't think so.",
        "Cancel my stay - no, cancel that.",
        "Cancel my stay. No wait, keep it.",
        "I'd like to cancel my stay, but not today.",
        "Please do anything but cancel my stay.",
        "Would you cancel my stay if you were me?",
        "Could you cancel my stay if I asked?",
        "If it rains, cancel my stay.",
        "Unless it rains, cancel my stay.",
        "As they say, cancel my stay and be happy.",
        "My stay was to be cancelled.",
        "Stays have to be cancelled two days before.",
        "I was told that my stay needs to be cancelled.",
        "My sister says the stay needs to be cancelled.",
        "My stay should not be cancelled.",
        "Why does my stay need to be cancelled?",
        "My stay can be cancelled for free until Monday.",
        "Why don't you cancel my stay, he said.",
        "",
    ],
)
def test_what_does_not_ask_for_a_cancellation(text: str) -> None:
    assert not asks(text, "cancel_reservation")


@pytest.mark.parametrize(
    "text",
    [
        "Please cancel my booking.",
        "I'd like to cancel my stay at Grand Plaza Lisbon, please.",
        "I can't make it, so please cancel Grand Plaza Lisbon.",
        "I can't make it, cancel my stay.",
        "Something came up; cancel Grand Plaza Lisbon.",
        "It's raining and I want you to cancel my stay.",
        "I need my stay at Grand Plaza Lisbon cancelled.",
        "My plans changed. Call off my stay.",
        "Would you mind cancelling my stay?",
        "Can't you just cancel it?",
        "No, cancel it.",
        "Don't show me the hotels, just cancel my stay.",
        "Never mind the reviews, please cancel my stay.",
        "List my reservations and cancel the first one.",
        "Could you go ahead and cancel it?",
        "Change of plan: cancel Grand Plaza Lisbon.",
        "Unfortunately I need to cancel my stay.",
        "I'm afraid I have to cancel my stay.",
        "I've decided to cancel my stay.",
        "I'm writing to cancel my stay.",
        "You can go ahead and cancel my stay.",
        "I'd be grateful if you'd cancel my stay.",
        "Would you be able to cancel my stay?",
        "It's time to cancel my stay.",
        "Do cancel my stay, please.",
        "I think I'd rather cancel my stay.",
        "If you can, cancel my stay.",
        "My stay needs to be cancelled.",
        "My stay at Grand Plaza Lisbon has to be cancelled, please.",
        "I think my stay should be cancelled.",
    ],
)
def test_what_asks_for_a_cancellation(text: str) -> None:
    assert asks(text, "cancel_reservation")


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("Which reservations do I have?", "list_reservations"),
        ("Do I have any confirmed bookings?", "list_reservations"),
        ("I'm looking for hotels in Rome", "search_hotels"),
        ("Any hotels in Rome with parking?", "search_hotels"),
        ("Is Grand Plaza Lisbon free from 3 May to 5 May?", "check_availability"),
        ("How much does a stay at Grand Plaza Lisbon cost from 3 May to 5 May?", "check_availability"),
        ("What do guests say about Grand Plaza Lisbon?", "list_reviews"),
        ("Can I see the reviews of Grand Plaza Lisbon?", "list_reviews"),
        ("Please provide me with the details of Grand Plaza Lisbon.", "get_hotel"),
        ("I need a double room at Grand Plaza Lisbon from 3 May to 5 May", "book_room"),
        ("Switch my stay at Grand Plaza Lisbon to a double room", "change_room"),
    ],
)
def test_other_words_than_the_phrasings(text: str, tool: str) -> None:
    assert asks(text, tool)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("How is the stay at Grand Plaza Lisbon?", "get_reservation"),
        ("Please check in a guest at Grand Plaza Lisbon between 3 May and 5 May for 6 guests.", "check_availability"),
        ("I saw the hotels in Rome.", "search_hotels"),
        ("The reviews of Grand Plaza Lisbon were great.", "list_reviews"),
        ("Cancel my hotel reservations", "list_reservations"),
        ("My bookings are fine.", "list_reservations"),
        ("I booked a double room at Grand Plaza Lisbon.", "book_room"),
        ("Show me the hotels in Rome.", "list_reservations"),
    ],
)
def test_words_of_a_tool_that_do_not_ask_for_it(text: str, tool: str) -> None:
    assert not asks(text, tool)


def test_a_please_in_another_sentence_makes_no_request_of_a_question() -> None:
    assert asks("Can I cancel my stay, please?", "cancel_reservation")
    assert not asks("Please stop! Can I cancel my stay?", "cancel_reservation")


def test_where_one_is_not_wanted_each_must_be_asked_for() -> None:
    text = "Cancel the first one, but don't cancel the second one."
    assert asks(text, "cancel_reservation")
    assert not asks(text, "cancel_reservation", 2)
    assert asks("Cancel the first one and the second one.", "cancel_reservation", 2)


def test_what_two_tools_can_be_asked_for_by_is_the_longer_phrasing() -> None:
    spec = backend(["task_board"]).specs["task_board"]
    found = Asking(phrasebook((spec,)), spelled("Give ######## to me."))
    assert found.asks("task_board-take_task", 1, {"task_board-take_task"})
    assert not found.asks("task_board-assign_task", 1, {"task_board-assign_task"})


def test_a_phrasing_that_a_flag_begins() -> None:
    spec = backend(["weather_and_alerts"]).specs["weather_and_alerts"]
    for verb in ("pause", "resume"):
        found = Asking(phrasebook((spec,)), spelled(f"Please {verb} ####."))
        assert found.asks("weather_and_alerts-switch_watch", 1, {"weather_and_alerts-switch_watch"})


# -- over the whole catalogue -----------------------------------------------------------------------------------------


def test_what_is_written_by_rules_asks_and_what_is_made_of_it_does_not(drawn: list[Program]) -> None:
    chance = random.Random(3)
    found = counted([case for program in drawn for case in cases(program, chance)])
    number, accepted = found["asked"]
    assert number > 3 * GOLDS
    assert accepted >= 0.99 * number
    for kind in KINDS[1:]:
        number, accepted = found[kind]
        rare = kind in ("exchanged", "crossed")  # few programs have two values that could be taken for each other
        assert number > (GOLDS / 10 if rare else 2 * GOLDS), kind
        assert accepted <= (0.25 if rare else 0.1) * number, f"{kind}: {accepted} of {number}"


def test_conversations_with_refinements_still_ask_for_everything(golds: list[Gold]) -> None:
    made, rejects = conversations(golds)
    assert len(made) > 0.9 * GOLDS
    assert rejects["not_asked"] <= 0.01 * GOLDS


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_request_for_one_call_is_rejected_once_it_is_negated(drawn: list[Program], data: st.DataObject) -> None:
    program = data.draw(st.sampled_from(drawn), label="program")
    said = clauses(program, random.Random(data.draw(st.integers(0, 99), label="phrasing")))
    call = data.draw(st.sampled_from(sorted(said)), label="call")
    clause = said[call]
    assert Case("asked", program, call, f"{begun(clause)}.").accepted
    form = data.draw(st.sampled_from(NEGATED), label="form")
    assert not Case("negated", program, call, form.format(c=clause, C=begun(clause))).accepted


def test_a_look_up_is_heard_in_other_verbs_than_those_of_its_phrasings(drawn: list[Program]) -> None:
    """What is heard of further wishes must not be bought with what people ask for in verbs that no phrasing has."""
    chance = random.Random(5)
    heard: Counter[bool] = Counter()
    for program in drawn:
        for call, clause in clauses(program, chance).items():
            opens = re.match(
                r"(?:show me|list|pull up|look up|go through|find me|find|get me) (?=(?:the|my|all|our) )", clause
            )
            if opens is None or program.tool(call).writes:
                continue
            rest = clause[opens.end() :]
            for verb in ("fetch", "retrieve", "provide me with", "help me find", "bring up"):
                text = f"Could you {verb} {rest}?"
                heard[Case("asked", program, call, text).accepted] += 1
    assert heard.total() > 3 * GOLDS
    assert heard[True] >= 0.5 * heard.total(), heard
