"""Finished conversations: solvable, plain, played for real, and answered from what the tools returned."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from envfactory.environment import InProcess, Session, StateDiff
from envfactory.gold import Gold
from envfactory.querygen import Rejected, RulePlanner, RuleWriter, Synthesizer
from envfactory.querygen.assistant import report, steps_of_turn, system_prompt
from envfactory.querygen.solvable import leaks, unsaid
from envfactory.querygen.writer import Request, Writer
from envfactory.trajectory import Trajectory

if TYPE_CHECKING:
    from envfactory.querygen.program import Program
    from envfactory.trajectory import Persona
    from tests.querygen.conftest import Grounding, Programming

CHAINS = [
    (
        ["search_hotels", "check_availability", "book_room", "change_dates", "cancel_reservation"],
        [
            (1, "hotel_id", 0, "hotels[].id"),
            (2, "hotel_id", 0, "hotels[].id"),
            (3, "reservation_id", 2, "id"),
            (4, "reservation_id", 2, "id"),
        ],
    ),
    (
        ["list_reservations", "get_reservation", "cancel_reservation", "search_hotels", "list_reviews"],
        [
            (1, "reservation_id", 0, "reservations[].id"),
            (2, "reservation_id", 0, "reservations[].id"),
            (4, "hotel_id", 3, "hotels[].id"),
        ],
    ),
]


def synthesizer(hotels: InProcess, writer: Writer | None = None) -> Synthesizer:
    return Synthesizer(hotels, RulePlanner(), writer or RuleWriter())


@pytest.fixture(scope="module")
def trajectories(hotels: InProcess, grounding: Grounding) -> list[Trajectory]:
    return [
        synthesizer(hotels).synthesize(grounding(*chain, seed), random.Random(seed))
        for chain in CHAINS
        for seed in range(12)
    ]


def test_a_conversation_replays_to_the_state_it_records(hotels: InProcess, trajectories: list[Trajectory]) -> None:
    for trajectory in trajectories:
        with Session(hotels, trajectory.gold.reference) as session:
            for turn in trajectory.conversation.turns:
                for step in turn.steps:
                    for call in step.calls:
                        result = session.call(call.tool, call.arguments)
                        assert (result.text, result.ok) == (call.result, call.ok)
                assert session.diff() == turn.diff
            assert session.diff() == trajectory.gold.diff


def test_every_turn_ends_in_a_short_answer_and_plays_each_gold_call_once(trajectories: list[Trajectory]) -> None:
    for trajectory in trajectories:
        played: list[int | None] = []
        for turn in trajectory.conversation.turns:
            *acting, last = turn.steps
            assert all(step.calls for step in acting)
            assert not last.calls
            assert last.text.endswith((".", "!"))
            assert "{" not in last.text
            played += [call.gold for step in acting for call in step.calls]
        assert played == list(range(len(trajectory.gold.calls)))


def test_requests_use_none_of_the_interfaces_words(trajectories: list[Trajectory]) -> None:
    for trajectory in trajectories:
        for turn in trajectory.conversation.turns:
            assert "_" not in turn.user
            assert "RES-" not in turn.user
            assert "H-1" not in turn.user


def test_a_trajectory_survives_its_file_format(trajectories: list[Trajectory]) -> None:
    for trajectory in trajectories:
        assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory


def test_ids_are_by_content(hotels: InProcess, grounding: Grounding) -> None:
    gold = grounding(*CHAINS[0], 1)
    ids = [synthesizer(hotels).synthesize(gold, random.Random(seed)).id for seed in (1, 1, 2)]
    assert ids[0] == ids[1] != ids[2]


def test_the_system_prompt_tells_the_date_and_the_policies(hotels: InProcess, trajectories: list[Trajectory]) -> None:
    policy = hotels.specs["hotel_reservations"].policy
    for trajectory in trajectories[:2]:
        assert policy in trajectory.system
        assert "Monday, 2 March 2026" in trajectory.system
        assert trajectory.persona.name in trajectory.system
    assert "2 March 2026" in system_prompt([], "Ada", trajectories[0].gold.reference.now)


def test_answers_name_what_was_returned(grounding: Grounding, programming: Programming) -> None:
    program = programming(grounding(["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")], 1), 2)
    booked = program.outputs[1]
    assert booked["hotel_name"] in report(program, 1)
    steps = steps_of_turn(program, range(2), frozenset({1}))
    assert [len(step.calls) for step in steps] == [1, 1, 0]
    assert steps[-1].text == report(program, 1)


class _Silent:
    """A writer that says nothing of what is needed."""

    def __init__(self, text: str) -> None:
        self.text = text

    def write(self, program: Program, persona: Persona, rng: random.Random) -> list[Request]:
        return [Request(self.text, frozenset()) for _ in program.gold.turns]


def test_what_was_done_twice_is_reported_twice(grounding: Grounding, programming: Programming) -> None:
    links = [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 0, "hotels[].id")]
    program = programming(grounding(["search_hotels", "book_room", "book_room"], links, 1), 3)
    answer = steps_of_turn(program, range(3), {1, 2})[-1].text
    assert answer.count("is booked") == 2


def test_an_answer_that_shows_a_page_says_how_much_more_there_is(
    grounding: Grounding, programming: Programming
) -> None:
    program = programming(grounding(["list_reservations"], [], 0), 1)
    shown, total = len(program.outputs[0]["reservations"]), program.outputs[0]["total"]
    assert f"and {total - shown} more" in report(program, 0)


@pytest.mark.parametrize(("text", "reason"), [("Do the usual.", "unsaid"), ("Call search_hotels.", "unsaid")])
def test_a_request_that_keeps_back_what_is_needed_is_rejected(
    hotels: InProcess, grounding: Grounding, text: str, reason: str
) -> None:
    with pytest.raises(Rejected) as caught:
        synthesizer(hotels, _Silent(text)).synthesize(grounding(*CHAINS[0], 0), random.Random(0))
    assert caught.value.reason == reason


def test_a_request_with_words_of_the_interface_is_rejected(hotels: InProcess, grounding: Grounding) -> None:
    with pytest.raises(Rejected) as caught:
        synthesizer(
            hotels, _Silent("Call list_reservations for my confirmed, cancelled or completed RES-301.")
        ).synthesize(grounding(["list_reservations"], [], 5), random.Random(0))
    assert caught.value.reason == "leaked"


def test_a_replay_that_ends_elsewhere_is_rejected(hotels: InProcess, grounding: Grounding) -> None:
    gold = grounding(*CHAINS[0], 0)
    wrong: Gold = gold.model_copy(update={"diff": {"hotel_reservations": StateDiff(fields={"guest_id": "G-99"})}})
    with pytest.raises(Rejected) as caught:
        synthesizer(hotels).synthesize(wrong, random.Random(0))
    assert caught.value.reason == "other_state"


def test_a_value_said_in_an_earlier_turn_counts_and_a_later_one_does_not(
    grounding: Grounding, programming: Programming
) -> None:
    gold = grounding(["search_hotels", "search_hotels"], [], 3)
    program = programming(gold, 1, 1)
    cities = [call.arguments["city"].value for call in gold.calls]  # type: ignore[union-attr]
    said = " ".join(str(binding.value) for call in gold.calls for binding in call.arguments.values())  # type: ignore[union-attr]
    assert not [name for name in unsaid(program, [f"{said} $150 5 stars", "go on"]) if name.endswith("city")]
    if cities[0] != cities[1]:
        assert "hotel_reservations-search_hotels.city" in list(unsaid(program, [f"{cities[1]}", f"{cities[0]}"]))


def test_leaks_are_tool_names_parameter_names_and_ids(grounding: Grounding, programming: Programming) -> None:
    program = programming(grounding(["list_reservations"], [], 1), 1)
    assert list(leaks(program, ["use list_reservations with reservation_id RES-301", "my status"])) == [
        "list_reservations",
        "reservation_id",
        "RES-301",
    ]
