"""What a person knows, apart from the program that it came from; and whether they are asked at all."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from envfactory.environment import InProcess, Session
from envfactory.gold import replay
from envfactory.querygen import RuleWriter
from envfactory.querygen.knowledge import Fact, Knowledge, asks, knowledge_by_turn, knowledge_of
from envfactory.querygen.phrasebook import stem
from envfactory.querygen.program import Program
from envfactory.querygen.user import RuleUser
from envfactory.trajectory import Persona

if TYPE_CHECKING:
    from tests.querygen.conftest import Grounding, Programming

BOOKING = (
    ["list_reservations", "search_hotels", "book_room"],
    [(2, "hotel_id", 1, "hotels[].id")],
)
QUESTIONS = (
    "For which dates would you like the room?", "What kind of room?", "Which hotel do you mean?", "Shall I go ahead?",
    "Do you have a wish about the breakfast?", "What does it cost?", "Please tell me the city.",
)  # fmt: skip


@pytest.fixture
def program(grounding: Grounding, programming: Programming) -> Program:
    return programming(grounding(*BOOKING, 4), 1, 1, 1)


@pytest.mark.parametrize(
    "heard",
    [
        "Which one?",
        "I found two stays. Which of them do you mean? Thank you!",
        "Please tell me the dates.",
        "I need to know when you arrive.",
        "Let me know which account it is.",
        "Which one do you mean?\nIf you need anything else, tell me.",
        "It is booked. Is there anything else I can do? And for which name is it?",
        "Please enter the amount.",
        "Please reply with the amount.",
        "Kindly indicate which account.",
        "I need the check-in date to go on.",
        "Could you give me the dates if you need me to book?",
        "Is there anything else I can help you with, or shall I book it?",
    ],
)
def test_whoever_wants_to_know_something_asks(heard: str) -> None:
    assert asks(heard)


@pytest.mark.parametrize(
    "heard",
    [
        "", "It is booked.", "Done. Is there anything else I can do for you?", "Please let me know if you need help.",
        "I tell you which one it is: the first.", "Feel free to come back with further questions, okay?",
    ],
)  # fmt: skip
def test_whoever_tells_something_or_offers_more_help_does_not_ask(heard: str) -> None:
    assert not asks(heard)


def test_what_is_kept_of_a_program_answers_as_the_user_does_who_has_the_program(program: Program) -> None:
    requests = RuleWriter().write(program, Persona(name="Ada Bauer", manner="plain"), random.Random(0))
    for turn, calls in enumerate(program.slices):
        kept = Knowledge.model_validate_json(knowledge_of(program, calls).model_dump_json())
        answers: set[str] = set()
        for question in QUESTIONS:
            user = RuleUser(program, requests)
            for _ in range(turn + 1):
                user.speak("So be it.")
            said = user.speak(question)
            assert said is not None
            assert said.text == kept.answer(question)
            answers.add(said.text)
        assert len(answers) >= 2


def test_each_turn_knows_its_own_and_a_turn_without_calls_nothing(hotels: InProcess, grounding: Grounding) -> None:
    gold = grounding(*BOOKING, 4).model_copy(update={"turns": (1, 0, 1, 1)})
    first, asking, search, book = knowledge_by_turn(hotels, gold)
    assert asking == Knowledge()
    assert {word for fact in book.facts for word in fact.about} > {"date", "hotel"}
    assert first != search != book


def test_knowledge_holds_no_ids_and_nothing_that_a_result_tells_first(hotels: InProcess, grounding: Grounding) -> None:
    unheard = 0
    for seed in range(8):
        gold = grounding(*BOOKING, seed).model_copy(update={"turns": (1, 2)})
        _, both = knowledge_by_turn(hotels, gold)
        text = both.model_dump_json()
        assert "H-1" not in text
        # The hotel comes up only in the search of the same turn, or is that of a stay listed in the turn before.
        with Session(hotels, gold.reference) as session:
            run = replay(gold, session)
        if run.outputs[2]["hotel_name"] not in run.calls[0].result:
            assert run.outputs[2]["hotel_name"] not in text
            unheard += 1
    assert unheard


@pytest.mark.parametrize(
    ("heard", "told"),
    [
        ("Shall I switch the room to a family one now?", "Yes, please go ahead."),
        ("Can I confirm the 2 pieces?", "Yes, please go ahead."),
        ("Do you want me to change the kind of room?", "Yes, please go ahead."),
        ("Which room do you want? And shall I go ahead?", "A family room. And yes, please go ahead."),
        ("Shall I book a single room or a family room?", "A family room."),
        ("What shipping do you want: standard or express?", "No preference, the usual is fine."),
        ("Would you like a room?", "A family room."),
        ("Would you like to pay now?", "Yes, please go ahead."),
        ("What do I do next?", "I don't know, could you look that up?"),
    ],
)
def test_a_proposal_hears_a_consent_and_a_choice_hears_what_is_chosen(heard: str, told: str) -> None:
    knows = Knowledge(
        facts=(Fact(about=("room", "kind"), words="a family room"), Fact(about=("pieces",), words="2 pieces")),
        open=("shipping",),
    )
    assert asks(heard)
    assert knows.answer(heard) == told


@pytest.mark.parametrize(
    ("heard", "wanted", "agrees"),
    [
        ("Shall I delete your account?", "book", False),
        ("May I charge you a fee of $500?", "cancel", False),
        ("Would you like me to cancel the stay?", "search", False),
        ("Shall I book the cheapest room?", "search", False),
        ("Shall I reserve the cheapest room?", "book", True),
        ("Shall I remove it from the plan?", "drop", True),
        ("Shall I change the date?", "move", True),
        ("Shall I go ahead?", "search", True),
    ],
)
def test_nobody_agrees_to_pay_for_or_to_end_what_they_did_not_ask_for(heard: str, wanted: str, agrees: bool) -> None:
    answer = Knowledge(wants=(stem(wanted),)).answer(heard)
    assert (answer == "Yes, please go ahead.") is agrees
    assert agrees or answer == "No, that is not what I asked for."


def test_what_a_person_wants_is_known_by_the_verbs_of_their_calls(hotels: InProcess, grounding: Grounding) -> None:
    *_, book = knowledge_by_turn(hotels, grounding(*BOOKING, 4).model_copy(update={"turns": (1, 0, 1, 1)}))
    assert book.answer("Shall I book it?") == "Yes, please go ahead."
    assert book.answer("Shall I delete your account?") == "No, that is not what I asked for."


def test_only_the_sentences_that_ask_decide_what_is_said() -> None:
    knows = Knowledge(
        facts=(Fact(about=("city",), words="Rome"), Fact(about=("date", "day"), words="3 May")), open=("stars",)
    )
    assert knows.answer("I looked at every city. On which day?") == "3 May."
    assert knows.answer("Which city, and which day?") == "Rome and 3 May."
    assert knows.answer("The city has ten of them. Shall I book the first?") == "Yes, please go ahead."
    assert knows.answer("How many stars?") == "No preference, the usual is fine."
    assert knows.answer("Who owns it?") == "I don't know, could you look that up?"
