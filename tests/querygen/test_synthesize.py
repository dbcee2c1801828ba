"""Finished conversations: solvable, plain, played for real, and answered from what the tools returned."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from envfactory.environment import InProcess, Session, StateDiff
from envfactory.gold import Gold
from envfactory.querygen import Rejected, RulePlanner, RuleWriter, Synthesizer
from envfactory.querygen.assistant import RuleAssistant, system_prompt
from envfactory.querygen.imperfect import Imperfections
from envfactory.querygen.mask import Masker
from envfactory.querygen.replies import report
from envfactory.querygen.request import Request
from envfactory.querygen.synthesize import Difficulty
from envfactory.querygen.task import play_gold
from envfactory.querygen.writer import Writer
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


def answer(hotels: InProcess, program: Program, asked: frozenset[int]) -> str:
    with Session(hotels, program.gold.reference) as session:
        return play_gold(program, [Request("Please.", asked)], session).answer(0)


def test_answers_name_what_was_returned(hotels: InProcess, grounding: Grounding, programming: Programming) -> None:
    program = programming(grounding(["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")], 1), 2)
    booked = program.outputs[1]
    assert booked["hotel_name"] in report(program, 1)
    assert answer(hotels, program, frozenset({1})) == report(program, 1)


class _Silent:
    """A writer that says nothing of what is needed."""

    def __init__(self, text: str) -> None:
        self.text = text

    def write(self, program: Program, persona: Persona, rng: random.Random) -> list[Request]:
        return [Request(self.text, frozenset()) for _ in program.gold.turns]


def test_what_was_done_twice_is_reported_twice(
    hotels: InProcess, grounding: Grounding, programming: Programming
) -> None:
    links = [(1, "hotel_id", 0, "hotels[].id"), (2, "hotel_id", 0, "hotels[].id")]
    program = programming(grounding(["search_hotels", "book_room", "book_room"], links, 1), 3)
    assert answer(hotels, program, frozenset({1, 2})).count("is booked") == 2


def test_an_answer_that_shows_a_page_says_how_much_more_there_is(
    grounding: Grounding, programming: Programming
) -> None:
    programs = (programming(grounding(["list_reservations"], [], seed), 1) for seed in range(20))
    program = next(program for program in programs if program.outputs[0]["pages"] > 1)
    shown, total = len(program.outputs[0]["reservations"]), program.outputs[0]["total"]
    assert f"and {total - shown} more" in report(program, 0)


@pytest.mark.parametrize(("text", "reason"), [("Do the usual.", "unsaid"), ("Call search_hotels.", "leaked")])
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


FLAWED = Imperfections(
    redundant_read=0.1, failed_call=0.1, recovery_read=0.5, wrong_argument=0.05, omitted_call=0.05, detour=0.3,
    question=0.3, wrong_state=0.1, wrong_answer=0.2,
)  # fmt: skip


def flawed(hotels: InProcess, difficulty: Difficulty | None = None, candidates: int = 4) -> Synthesizer:
    return Synthesizer(
        hotels, RulePlanner(), RuleWriter(), assistant=RuleAssistant(hotels, FLAWED), masker=Masker(hotels.specs),
        candidates=candidates, difficulty=difficulty,
    )  # fmt: skip


def made(synthesizer: Synthesizer, grounding: Grounding, count: int = 16) -> list[Trajectory]:
    found: list[Trajectory] = []
    for seed in range(count):
        try:
            found.append(synthesizer.synthesize(grounding(*CHAINS[seed % 2], seed), random.Random(seed)))
        except Rejected as error:
            assert error.reason in ("impossible", "too_easy", "too_hard", "unsayable"), error  # noqa: PT017
    return found


@pytest.fixture(scope="module")
def chosen(hotels: InProcess, grounding: Grounding) -> list[Trajectory]:
    return made(flawed(hotels), grounding)


def test_every_candidate_is_what_a_fresh_session_gives(hotels: InProcess, chosen: list[Trajectory]) -> None:
    for trajectory in chosen:
        assert len(trajectory.candidates) == 4
        for candidate in (*trajectory.candidates, trajectory.conversation):
            with Session(hotels, trajectory.gold.reference) as session:
                for turn in candidate.turns:
                    for call in (call for step in turn.steps for call in step.calls):
                        result = session.call(call.tool, call.arguments)
                        assert (result.text, result.ok) == (call.result, call.ok)
                    assert session.diff() == turn.diff


def test_candidates_differ_and_the_pass_rate_counts_those_that_serve(chosen: list[Trajectory]) -> None:
    assert any(len(set(map(str, trajectory.candidates))) > 1 for trajectory in chosen)
    for trajectory in chosen:
        passed = [candidate.passed for candidate in trajectory.candidates]
        assert trajectory.pass_rate == sum(passed) / len(passed)
        assert passed[trajectory.chosen]
    assert len({trajectory.pass_rate for trajectory in chosen}) > 1


def test_what_is_learned_has_nothing_to_remove_and_plays_every_gold_call_once(chosen: list[Trajectory]) -> None:
    assert any(trajectory.cleaned for trajectory in chosen), "some trajectory had something to remove"
    for trajectory in chosen:
        steps = [step for turn in trajectory.conversation.turns for step in turn.steps]
        assert all(step.label != "remove" for step in steps)
        assert all(call.ok for step in steps if step.label == "keep" for call in step.calls)
        played = [call.gold for step in steps for call in step.calls if call.gold is not None]
        assert played == list(range(len(trajectory.gold.calls)))
        assert len(trajectory.conversation.turns) == len(trajectory.gold.turns)


def test_tasks_that_are_too_easy_or_too_hard_are_dropped(hotels: InProcess, grounding: Grounding) -> None:
    rates = {trajectory.pass_rate for trajectory in made(flawed(hotels, Difficulty(0.5, 0.75)), grounding)}
    assert rates
    assert rates <= {0.5, 0.75}
    with pytest.raises(Rejected) as caught:
        Synthesizer(hotels, RulePlanner(), RuleWriter(), candidates=2, difficulty=Difficulty(0.0, 0.5)).synthesize(
            grounding(*CHAINS[0], 1), random.Random(1)
        )
    assert caught.value.reason == "too_easy"


def test_a_task_that_no_candidate_serves_is_dropped(hotels: InProcess, grounding: Grounding) -> None:
    failing = RuleAssistant(hotels, Imperfections(omitted_call=1.0))
    with pytest.raises(Rejected) as caught:
        Synthesizer(hotels, RulePlanner(), RuleWriter(), assistant=failing, candidates=2).synthesize(
            grounding(*CHAINS[0], 1), random.Random(1)
        )
    assert caught.value.reason == "impossible"


def test_the_same_seed_gives_the_same_trajectory(hotels: InProcess, grounding: Grounding) -> None:
    def once() -> list[str]:
        return [trajectory.model_dump_json() for trajectory in made(flawed(hotels), grounding, 6)]

    assert once() == once()
