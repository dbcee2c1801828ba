"""What makes a request impossible to serve is found, whoever wrote it; what can be served passes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envfactory.gold import FromUser, Out
from envfactory.querygen import RuleWriter
from envfactory.querygen.planner import MANNERS
from envfactory.querygen.request import Request
from envfactory.querygen.solvable import REASONS, Unsolvable, leaks, problems
from envfactory.querygen.wording import say
from envfactory.querygen.writer import Unsayable
from envfactory.trajectory import REFINEMENTS, Persona
from tests.querygen.asked import clauses

if TYPE_CHECKING:
    from envfactory.querygen.program import Program
    from tests.querygen.conftest import Grounding, Programming, Refining

Links = list[tuple[int, str, int, str]]
BOOKING: tuple[list[str], Links] = (["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")])
CALLING_OFF: tuple[list[str], Links] = (
    ["list_reservations", "cancel_reservation"],
    [(1, "reservation_id", 0, "reservations[].id")],
)
LONG: tuple[list[str], Links] = (
    ["search_hotels", "list_reviews", "book_room", "list_reservations", "get_reservation", "change_dates"],
    [
        (1, "hotel_id", 0, "hotels[].id"),
        (2, "hotel_id", 0, "hotels[].id"),
        (4, "reservation_id", 3, "reservations[].id"),
        (5, "reservation_id", 2, "id"),
    ],
)
PLAIN = Persona(name="Ada Bauer", manner="plain")


def requests_of(program: Program, seed: int = 0) -> list[Request]:
    return RuleWriter().write(program, PLAIN, random.Random(seed))


def reasons(program: Program, requests: list[Request]) -> set[str]:
    found = list(problems(program, requests))
    assert {problem.reason for problem in found} <= set(REASONS)
    return {problem.reason for problem in found}


def said(request: Request, old: str, new: str) -> Request:
    assert old in request.text, (old, request.text)
    return replace(request, text=request.text.replace(old, new))


def with_text(requests: list[Request], turn: int, text: str) -> list[Request]:
    return [replace(request, text=text) if at == turn else request for at, request in enumerate(requests)]


@pytest.fixture(scope="module")
def booking(grounding: Grounding, programming: Programming) -> Program:
    """A search that finds several hotels, and in the next turn a booking of the cheapest of them."""
    for seed in range(60):
        program = programming(grounding(*BOOKING, seed), 1, 1)
        pick = program.records[1][0].out.pick
        hotels = program.outputs[0]["hotels"]
        if (
            len(hotels) > 2
            and program.outputs[0]["total"] == len(hotels)
            and pick
            and (pick.by, pick.field) == ("low", "from_rate")
        ):
            return program
    raise AssertionError("no scenario has such a booking")


@pytest.fixture(scope="module")
def calling_off(grounding: Grounding, programming: Programming) -> Program:
    """A list of stays, and in the next turn the cancellation of one of them."""
    return programming(grounding(*CALLING_OFF, 1), 1, 1)


def booked(program: Program) -> str:
    return program.outputs[1]["hotel_name"]


def other_hotel(program: Program) -> str:
    return next(hotel["name"] for hotel in program.outputs[0]["hotels"] if hotel["name"] != booked(program))


def test_explicit_requests_can_be_served(booking: Program, calling_off: Program) -> None:
    for program in (booking, calling_off):
        for seed in range(10):
            assert not reasons(program, requests_of(program, seed))


def test_a_value_that_is_never_said(booking: Program) -> None:
    requests = requests_of(booking)
    day = say(
        booking.calls[1].arguments["check_in"], booking.tool(1).input_by_path["check_in"], booking.gold.reference.now
    )
    found = list(problems(booking, [requests[0], said(requests[1], day, "that day")]))
    assert [(problem.reason, problem.turn) for problem in found] == [("unsaid", 1)]
    assert str(found[0]) == "unsaid in turn 1: hotel_reservations-book_room.check_in"


def test_a_value_inside_of_a_longer_word_is_not_said(grounding: Grounding, programming: Programming) -> None:
    gold = grounding(["search_hotels"], [], 3)
    call = gold.calls[0].model_copy(update={"arguments": {"city": FromUser(value="Nice")}})
    program = programming(gold.model_copy(update={"calls": (call,), "diff": {}}), 1)
    assert "unsaid" in reasons(program, [Request("Look up hotels in Nicetown.", frozenset({0}))])
    assert not reasons(program, [Request("Look up hotels in Nice.", frozenset({0}))])


def test_the_name_of_another_record(booking: Program) -> None:
    requests = requests_of(booking)
    wrong = [requests[0], said(requests[1], booked(booking), other_hotel(booking))]
    assert reasons(booking, wrong) == {"unresolved", "wrong_record"}


def test_two_names_where_one_is_meant(booking: Program) -> None:
    requests = requests_of(booking)
    both = [requests[0], said(requests[1], booked(booking), f"{booked(booking)} and {other_hotel(booking)}")]
    assert reasons(booking, both) == {"wrong_record"}


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("the cheapest one", []),
        ("the cheapest hotel", []),
        ("the most expensive one", ["unresolved", "wrong_record"]),
        ("the second one", ["unresolved", "wrong_record"]),
        ("that hotel", ["unresolved"]),
        ("that reservation", ["unresolved"]),
        ("it", ["unresolved"]),
        ("one of them", ["unresolved"]),
        ("the hotel you find", ["unresolved"]),
    ],
)
def test_a_reference_must_stand_for_the_right_record_and_no_other(
    booking: Program, words: str, wrong: list[str]
) -> None:
    requests = requests_of(booking)
    place = [hotel["name"] for hotel in booking.outputs[0]["hotels"]].index(booked(booking))
    if words == "the second one" and place == 1:
        words = "the third one"
    found = reasons(booking, [requests[0], said(requests[1], booked(booking), words)])
    assert found == set(wrong)


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ("the most expensive one", "wrong_record"), ("the second one", "wrong_record"),
        ("the other one", "unresolved"), ("something similar", "unresolved"), ("the one after it", "unresolved"),
    ],
)  # fmt: skip
def test_what_is_pointed_at_beside_the_right_name_must_be_that_record(booking: Program, more: str, wrong: str) -> None:
    requests = requests_of(booking)
    if more == "the second one" and booking.outputs[0]["hotels"][1]["name"] == booked(booking):
        more = "the third one"
    both = [requests[0], said(requests[1], booked(booking), f"{booked(booking)}, which is {more},")]
    assert reasons(booking, both) == {wrong}


def test_the_place_in_the_list_that_was_shown(booking: Program) -> None:
    requests = requests_of(booking)
    place = [hotel["name"] for hotel in booking.outputs[0]["hotels"]].index(booked(booking))
    word = ("first", "second", "third", "fourth", "fifth")[place]
    assert not reasons(booking, [requests[0], said(requests[1], booked(booking), f"the {word} one")])


def test_a_list_that_nobody_has_been_told_cannot_be_pointed_into(
    grounding: Grounding, programming: Programming, booking: Program
) -> None:
    together = booking.in_turns((2,))
    (request,) = requests_of(together)
    assert "the cheapest one" in request.text
    assert not reasons(together, [request])
    assert "unresolved" in reasons(together, [replace(request, asked=frozenset({1}))])


def test_a_name_that_two_records_share(grounding: Grounding, programming: Programming) -> None:
    tools = (
        ["search_hotels", "book_room", "book_room", "cancel_reservation"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 1, "hotel_id"), (3, "reservation_id", 1, "id")],
    )
    checked = 0
    for seed in range(12):
        program = programming(grounding(*tools, seed), 1, 1, 1, 1)
        try:
            requests = requests_of(program, seed)
        except Unsayable:
            continue
        name = f"the stay at {program.outputs[1]['hotel_name']}"
        if f"{name} starting" in requests[3].text:
            asking = with_text(requests, 3, f"Cancel {name}.")
            assert reasons(program, asking) == {"unresolved"}
            checked += 1
    assert checked


def test_a_change_that_is_not_asked_for_whatever_its_writer_says_of_it(booking: Program) -> None:
    requests = requests_of(booking)
    assert not reasons(booking, [requests[0], replace(requests[1], asked=frozenset())])
    clause = clauses(booking, random.Random(0))[1]
    for text in (f"Please don't {clause}.", f"My sister told me to {clause}.", f"{clause}. Never mind."):
        assert requests[1].asked
        assert reasons(booking, with_text(requests, 1, text)) == {"not_asked"}


@pytest.mark.parametrize(
    "text",
    ["Please don't cancel {}.", "Extend {}.", "I loved {}.", "{}.", "{}", "I cancelled {}.", "Tell me about {}."],
)
def test_what_is_no_request_for_a_cancellation(calling_off: Program, text: str) -> None:
    requests = requests_of(calling_off)
    assert not reasons(calling_off, requests)
    asking = with_text(requests, 1, text.format(name_of(calling_off)))
    assert "not_asked" in reasons(calling_off, asking)


def test_a_record_that_is_named_only_to_leave_it_out(grounding: Grounding, programming: Programming) -> None:
    chain = ["list_reservations", "cancel_reservation", "cancel_reservation"]
    edges = [(call, "reservation_id", 0, "reservations[].id") for call in (1, 2)]
    for seed in range(40):
        program = programming(grounding(chain, edges, seed), 1, 2)
        (one,), (other,) = program.records[1:3]
        names = [program.names.of(bound.entity, bound.key, 1) for bound in (one, other)]
        if one.key != other.key and all(names):
            break
    else:
        pytest.fail("no seed calls off two stays")
    first = Request("List my reservations.", frozenset({0}))

    def refused(text: str) -> bool:
        request = Request(text.format(*names), frozenset({1, 2}))
        return any(p.reason == "not_asked" for p in problems(program, [first, request]))

    assert not refused("Cancel {0} and {1}.")
    for text in ("Cancel {0}, not {1}.", "Cancel {0} but keep {1}.", "Please cancel everything except {0} and {1}."):
        assert refused(text), text


def test_a_look_up_that_nothing_needs_must_be_asked_for_and_one_that_a_change_needs_need_not(booking: Program) -> None:
    requests = requests_of(booking)
    found = list(problems(booking, [replace(requests[0], text="Hello, Rome is lovely."), requests[1]]))
    assert [(problem.reason, problem.detail) for problem in found if problem.reason == "not_asked"] == [
        ("not_asked", "hotel_reservations-search_hotels")
    ]
    together = booking.in_turns((2,))
    assert "not_asked" not in reasons(together, [replace(requests[1], asked=frozenset({1}))])


def test_a_goal_that_the_program_does_not_have(booking: Program) -> None:
    requests = requests_of(booking)
    for goal in ("Also read me the reviews of it.", "And cancel that reservation.", "Please list my reservations."):
        longer = [requests[0], replace(requests[1], text=f"{requests[1].text} {goal}")]
        assert "unfounded" in reasons(booking, longer), goal


@pytest.mark.parametrize("word", ["book_room", "hotel_id", "H-101", "RES-301", "res-301"])
def test_words_of_the_interface(booking: Program, word: str) -> None:
    requests = requests_of(booking)
    assert reasons(booking, with_text(requests, 0, f"{requests[0].text} {word}")) - {"unfounded"} == {"leaked"}


# -- asking back ------------------------------------------------------------------------------------------------------


def exchange(program: Program, asking: str, answer: str) -> tuple[Program, list[Request]]:
    """The cancellation with a question in between."""
    requests = requests_of(program)
    opening = Request(asking, frozenset(), question="Which one do you mean?")
    return program.in_turns((1, 0, 1)), [requests[0], opening, Request(answer, requests[1].asked)]


def name_of(program: Program) -> str:
    return program.names.of("Reservation", program.records[1][0].key, 1)


def test_a_question_and_its_answer_are_read_together(calling_off: Program) -> None:
    program, requests = exchange(calling_off, "Cancel my reservation.", f"I mean {name_of(calling_off)}.")
    assert not reasons(program, requests)


Case = Callable[["Program"], tuple[str, str]]


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (lambda program: (f"Cancel {name_of(program)}.", "Yes, that one."), "not_ambiguous"),
        (lambda program: ("Cancel my spaceship.", f"I mean {name_of(program)}."), "not_ambiguous"),
        (lambda program: ("Cancel my reservation.", "The nice one."), "unresolved"),
        (lambda program: ("Cancel my reservation.", "RES-301."), "leaked"),
    ],
)
def test_an_exchange_that_resolves_nothing(calling_off: Program, case: Case, reason: str) -> None:
    program, requests = exchange(calling_off, *case(calling_off))
    assert reason in reasons(program, requests)


def test_a_question_without_an_answer(calling_off: Program) -> None:
    requests = [*requests_of(calling_off), Request("Cancel my reservation.", frozenset(), question="Which one?")]
    assert reasons(calling_off.in_turns((1, 1, 0)), requests) == {"unanswered"}


# -- properties -------------------------------------------------------------------------------------------------------

slow = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@slow
@given(
    seed=st.integers(0, 40),
    turns=st.sampled_from([(6,), (1, 5), (2, 2, 2), (3, 3), (1, 1, 1, 1, 1, 1), (1, 2, 1, 2)]),
    kinds=st.sets(st.sampled_from(REFINEMENTS)),
    manner=st.sampled_from(MANNERS),
)
def test_whatever_is_refined_stays_solvable_and_keeps_the_program(
    grounding: Grounding,
    programming: Programming,
    refining: Refining,
    seed: int,
    turns: tuple[int, ...],
    kinds: set[str],
    manner: str,
) -> None:
    program = programming(grounding(*LONG, seed), *turns)
    try:
        refined = refining(program, *kinds, seed=seed, manner=manner)
    except Unsayable:
        return
    assert not list(problems(refined.program, refined.requests))
    added = {call for change in refined.changes if change.kind == "goal_expansion" for call in change.detail["calls"]}  # type: ignore[union-attr]
    kept = [call.tool for index, call in enumerate(refined.program.gold.calls) if index not in added]
    assert kept == [call.tool for call in program.gold.calls]
    assert {change.kind for change in refined.changes} <= kinds
    assert len(refined.requests) == len(refined.program.gold.turns)


@slow
@given(seed=st.integers(0, 60), kinds=st.sets(st.sampled_from(["implicit_reference", "action_compression"])))
def test_the_same_words_do_not_fit_another_record(
    grounding: Grounding, programming: Programming, refining: Refining, seed: int, kinds: set[str]
) -> None:
    program = programming(grounding(*BOOKING, seed), 1, 1)
    refined = refining(program, *kinds, seed=seed)
    right = program.gold.calls[1].arguments["hotel_id"]
    assert isinstance(right, Out)
    for place in range(len(program.outputs[0]["hotels"])):
        path = f"hotels[{place}].id"
        if path != right.path:
            call = program.gold.calls[1]
            other = call.model_copy(update={"arguments": {**call.arguments, "hotel_id": Out(call=0, path=path)}})
            gold = program.gold.model_copy(update={"calls": (program.gold.calls[0], other)})
            assert "unresolved" in reasons(replace(program, gold=gold), refined.requests)


@slow
@given(seed=st.integers(0, 60))
def test_no_value_can_be_left_out(
    grounding: Grounding, programming: Programming, refining: Refining, seed: int
) -> None:
    program = programming(grounding(*BOOKING, seed), 1, 1)
    refined = refining(program, *REFINEMENTS[:2], seed=seed)
    for index, call in enumerate(program.gold.calls):
        for name, binding in call.arguments.items():
            if isinstance(binding, FromUser) and not isinstance(binding.value, bool):
                words = say(binding.value, program.tool(index).input_by_path[name], program.gold.reference.now)
                mute = [
                    replace(r, text=r.text.replace(words, "").replace(words.capitalize(), "")) for r in refined.requests
                ]
                assert "unsaid" in reasons(program, mute), words


# -- words ------------------------------------------------------------------------------------------------------------


def test_a_value_said_in_an_earlier_turn_counts_and_a_later_one_does_not(
    grounding: Grounding, programming: Programming
) -> None:
    gold = grounding(["search_hotels", "search_hotels"], [], 3)
    searches = tuple(
        call.model_copy(update={"arguments": {"city": FromUser(value=city)}})
        for call, city in zip(gold.calls, ("Rome", "Vienna"), strict=True)
    )
    program = programming(gold.model_copy(update={"calls": searches}), 1, 1)

    def unsaid(first: str, second: str) -> list[int]:
        requests = [Request(first, frozenset({0})), Request(second, frozenset({1}))]
        return [problem.turn for problem in problems(program, requests) if problem.reason == "unsaid"]

    assert unsaid("Rome, then Vienna.", "Go on.") == []
    assert unsaid("Vienna.", "Rome.") == [0]


def test_leaks_are_tool_names_parameter_names_and_ids(grounding: Grounding, programming: Programming) -> None:
    program = programming(grounding(["list_reservations"], [], 1), 1)
    assert list(leaks(program, ["use list_reservations with reservation_id RES-301", "my status"])) == [
        "list_reservations",
        "reservation_id",
        "RES-301",
    ]


def test_a_problem_says_where_it_is() -> None:
    assert str(Unsolvable("unsaid", 2, "x")) == "unsaid in turn 2: x"
