"""The simulated user: says what a person knows, when asked; does what only they can; and comes to an end."""

from __future__ import annotations

import datetime as dt
import random
from typing import TYPE_CHECKING, Annotated

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envfactory.environment import (
    Environment,
    InProcess,
    Record,
    Ref,
    Reference,
    Session,
    Table,
    ToolError,
    World,
    tool,
)
from envfactory.gold import FromUser, Gold, GoldCall, Out, replay
from envfactory.querygen import RuleWriter
from envfactory.querygen.program import Program, divided
from envfactory.querygen.request import Request
from envfactory.querygen.user import MOST_ANSWERS, RuleUser, Utterance
from envfactory.trajectory import Persona

if TYPE_CHECKING:
    from tests.querygen.conftest import Grounding, Programming, Refining

BOOKING = (
    ["list_reservations", "search_hotels", "book_room"],
    [(2, "hotel_id", 1, "hotels[].id")],
)
ANSWER = "Done, it is all arranged."


@pytest.fixture
def program(grounding: Grounding, programming: Programming) -> Program:
    return programming(grounding(*BOOKING, 4), 1, 1, 1)


@pytest.fixture
def requests(program: Program) -> list[Request]:
    return RuleWriter().write(program, Persona(name="Ada Bauer", manner="plain"), random.Random(0))


def at_turn(user: RuleUser, turn: int) -> Utterance:
    """Let the assistant serve everything before a turn."""
    said = user.speak()
    while said is not None and said.turn < turn:
        said = user.speak(ANSWER)
    assert said is not None
    return said


def test_requests_come_one_by_one_and_then_the_user_stops(program: Program, requests: list[Request]) -> None:
    user = RuleUser(program, requests)
    said = [user.speak(), user.speak(ANSWER), user.speak("Here you are. Is there anything else I can do?")]
    assert [utterance.text for utterance in said if utterance] == [request.text for request in requests]
    assert all(utterance and utterance.opens for utterance in said)
    assert user.outcome == "talking"
    assert user.speak(ANSWER) is None
    assert user.outcome == "served"
    assert user.speak("Hello?") is None


def test_a_value_is_said_when_it_is_asked_for(program: Program, requests: list[Request]) -> None:
    user = RuleUser(program, requests)
    at_turn(user, 2)
    arguments = program.calls[2].arguments
    answer = user.speak("For which dates would you like the room?")
    assert answer is not None
    assert not answer.opens
    for name in ("check_in", "check_out"):
        day = dt.date.fromisoformat(arguments[name])
        assert f"{day.day} {day:%B}" in answer.text
    answer = user.speak("What kind of room?")
    assert answer is not None
    assert arguments["room_kind"] in answer.text.casefold()


@pytest.mark.parametrize(
    "question",
    ["What is the id of the hotel's owner?", "Could you tell me the price?", "How far is it from the airport?"],
)
def test_what_the_tools_could_tell_is_never_volunteered(
    program: Program, requests: list[Request], question: str
) -> None:
    user = RuleUser(program, requests)
    at_turn(user, 0)
    answer = user.speak(question)
    assert answer is not None
    assert answer.text == "I don't know, could you look that up?"


def test_a_record_is_named_and_never_by_its_id(program: Program, requests: list[Request]) -> None:
    user = RuleUser(program, requests)
    at_turn(user, 2)
    answer = user.speak("Which hotel do you mean?")
    assert answer is not None
    assert program.outputs[2]["hotel_name"] in answer.text
    assert "H-1" not in answer.text


def test_a_wish_that_the_person_does_not_have_is_none(grounding: Grounding, programming: Programming) -> None:
    for seed in range(20):
        program = programming(grounding(["search_hotels"], [], seed), 1)
        if "min_stars" not in program.calls[0].arguments:
            requests = RuleWriter().write(program, Persona(name="Ada Bauer", manner="plain"), random.Random(0))
            user = RuleUser(program, requests)
            at_turn(user, 0)
            answer = user.speak("How many stars should it have?")
            assert answer is not None
            assert answer.text == "No preference, the usual is fine."
            return
    raise AssertionError("every search asks for stars")


def test_the_user_agrees_to_what_they_asked_for(program: Program, requests: list[Request]) -> None:
    user = RuleUser(program, requests)
    at_turn(user, 2)
    answer = user.speak("Shall I go ahead?")
    assert answer is not None
    assert answer.text == "Yes, please go ahead."


def test_the_answer_to_an_ambiguous_request_is_the_next_request(
    grounding: Grounding, programming: Programming, refining: Refining
) -> None:
    tools = (["list_reservations", "cancel_reservation"], [(1, "reservation_id", 0, "reservations[].id")])
    for seed in range(20):
        refined = refining(programming(grounding(*tools, seed), 1, 1), "ambiguity", seed=seed)
        if refined.changes:
            user = RuleUser(refined.program, refined.requests)
            asking = at_turn(user, refined.changes[0].turn)
            answer = user.speak(refined.requests[asking.turn].question)
            assert answer is not None
            assert answer.text == refined.requests[asking.turn + 1].text
            return
    raise AssertionError("no request became ambiguous")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=st.lists(st.sampled_from([ANSWER, "Which dates?", "Which hotel?", "Sure?", "", "Why?"]), max_size=60))
def test_a_conversation_ends_whatever_the_assistant_says(
    program: Program, requests: list[Request], messages: list[str]
) -> None:
    user = RuleUser(program, requests)
    said = [user.speak()]
    said += [user.speak(message) for message in [*messages, *["Why?"] * (MOST_ANSWERS + 1) * len(requests)]]
    assert user.outcome in ("served", "gave_up")
    assert said[-1] is None
    assert sum(utterance is not None for utterance in said) <= len(requests) * (MOST_ANSWERS + 1)
    assert all(utterance.text.strip() for utterance in said if utterance)


# -- what only the user can do ----------------------------------------------------------------------------------------


class Parcel(Record, noun="parcel", label="the parcel from {sender}"):
    """A parcel."""

    id: Annotated[str, Ref("Parcel")]
    """Identifier."""
    sender: str
    """Who sent it."""
    open: bool = False
    """Whether it is open."""


class ParcelDesk(Environment):
    """Parcels that somebody must open."""

    domain = "commerce"
    policy = "Only the customer opens parcels."
    sources = ("a test",)

    parcels: Table[Parcel]

    @tool(ask=("look up parcel {parcel_id}",), reply=("It is from {sender}.",))
    def get_parcel(self, parcel_id: Annotated[str, Ref("Parcel")]) -> Parcel:
        """Look at a parcel.

        Args:
            parcel_id: Parcel.
        """
        return self.parcels.require(parcel_id)

    @tool(by="user", writes=True, ask=("open {parcel_id}",), reply=("It is open.",))
    def open_parcel(self, parcel_id: Annotated[str, Ref("Parcel")], code: str) -> Parcel:
        """Open a parcel.

        Args:
            parcel_id: Parcel.
            code: What the person knows.
        """
        if code != "blue":
            raise ToolError("invalid_argument", "That is not the code.")
        return self.parcels.replace(self.parcels.require(parcel_id).evolve(open=True))

    @classmethod
    def scenario(cls, world: World, size: int) -> ParcelDesk:
        """One parcel."""
        return cls(now=world.now, parcels=Table({"P-1": Parcel(id="P-1", sender="Ada")}))


def test_what_only_the_user_can_do_is_done_when_the_assistant_says_so() -> None:
    desk = InProcess({"parcel_desk": ParcelDesk})
    gold = Gold(
        reference=Reference(environments={"parcel_desk": ""}),
        calls=(
            GoldCall(tool="parcel_desk-get_parcel", arguments={"parcel_id": FromUser(value="P-1")}),
            GoldCall(
                tool="parcel_desk-open_parcel",
                arguments={"parcel_id": Out(call=0, path="id"), "code": FromUser(value="blue")},
            ),
        ),
    )
    gold = divided(gold, (2,))
    with Session(desk, gold.reference) as session:
        base = session.documents()
        first = replay(gold.model_copy(update={"calls": gold.calls[:1], "turns": (1,)}), session)
        program = Program(gold, desk.specs, first.calls, first.outputs, base)
        user = RuleUser(program, [Request("Look up my parcel and help me open it.", frozenset({0, 1}))], session)
        assert user.speak() is not None
        said = user.speak("It is from Ada. Please open the parcel now.")
        assert said is not None
        assert said.text == "Done."
        assert [(act.executed.tool, act.executed.ok) for act in said.acts] == [("parcel_desk-open_parcel", True)]
        assert session.documents()["parcel_desk"]["parcels"]["P-1"]["open"] is True
        assert user.speak("Please open the parcel.") is None  # it is open already, and nothing else is wanted
        assert user.outcome == "served"
