"""Switches, chances and weights; the same chains and words whatever is switched on; nothing is ever lost."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest

from envfactory.environment import InProcess
from envfactory.querygen import RuleWriter
from envfactory.querygen.program import Program
from envfactory.querygen.refine import RefinementSettings, RuleRefiner, Strength
from envfactory.querygen.request import Request
from envfactory.querygen.solvable import problems
from envfactory.trajectory import REFINEMENTS, Change, Persona

if TYPE_CHECKING:
    from tests.querygen.conftest import Grounding, Programming, Refining

TOOLS = (
    ["list_reservations", "get_reservation", "search_hotels", "book_room", "change_dates"],
    [
        (1, "reservation_id", 0, "reservations[].id"),
        (3, "hotel_id", 2, "hotels[].id"),
        (4, "reservation_id", 0, "reservations[].id"),
    ],
)
SUBSETS = [
    kinds for count in range(len(REFINEMENTS) + 1) for kinds in itertools.combinations(REFINEMENTS, count)
]  # fmt: skip


@pytest.fixture(scope="module")
def programs(grounding: Grounding, programming: Programming) -> list[Program]:
    divisions = ((2, 3), (1, 1, 2, 1), (2, 2, 1))
    return [programming(grounding(*TOOLS, seed), *divisions[seed % 3]) for seed in range(6)]


@pytest.mark.parametrize("kinds", SUBSETS)
def test_every_combination_of_switches_serves_every_program_and_changes_only_what_is_on(
    refining: Refining, programs: list[Program], kinds: tuple[str, ...]
) -> None:
    for seed, program in enumerate(programs):
        refined = refining(program, *kinds, seed=seed)
        assert not list(problems(refined.program, refined.requests))
        assert {change.kind for change in refined.changes} <= set(kinds)
        assert len(refined.requests) == len(refined.program.gold.turns)
        if "goal_expansion" not in kinds:
            assert refined.program.gold.diff == program.gold.diff
            assert [call.tool for call in refined.program.gold.calls] == [call.tool for call in program.gold.calls]


def test_with_nothing_on_nothing_changes(refining: Refining, programs: list[Program]) -> None:
    for seed, program in enumerate(programs):
        refined = refining(program, seed=seed)
        assert refined.changes == refined.rejected == ()
        written = RuleWriter().write(program, Persona(name="Ada Bauer", manner="brief"), random.Random(seed))
        assert refined.requests == written


def test_a_chance_of_nought_changes_nothing(refining: Refining, programs: list[Program]) -> None:
    for seed, program in enumerate(programs):
        assert refining(program, *REFINEMENTS, seed=seed, probability=0).changes == ()


def test_switching_one_off_leaves_what_another_one_does_elsewhere(refining: Refining, programs: list[Program]) -> None:
    for seed, program in enumerate(programs):
        alone = refining(program, "implicit_reference", seed=seed, probability=0.6)
        both = refining(program, "implicit_reference", "action_compression", seed=seed, probability=0.6)
        compressed = {change.turn for change in both.changes if change.kind == "action_compression"}
        first = min(compressed, default=len(both.requests))
        assert [r.text for r in alone.requests[:first]] == [r.text for r in both.requests[:first]]


def test_one_number_is_drawn_whatever_is_on(hotels: InProcess, programs: list[Program]) -> None:
    persona = Persona(name="Ada Bauer", manner="brief")
    requests = RuleWriter().write(programs[0], persona, random.Random(0))
    after: set[float] = set()
    for kinds in SUBSETS:
        rng = random.Random(5)
        on = {kind: Strength(enabled=kind in kinds, probability=1) for kind in REFINEMENTS}
        RuleRefiner(hotels, RefinementSettings.model_validate(on)).refine(programs[0], requests, persona, rng)
        after.add(rng.random())
    assert len(after) == 1


def test_weights_are_by_domain_and_never_make_more_than_certainty() -> None:
    settings = RefinementSettings(
        ambiguity=Strength(probability=0.4), domains={"travel": {"ambiguity": 2}, "finance": {"ambiguity": 9}}
    )
    assert settings.chance("ambiguity", "travel") == pytest.approx(0.8)
    assert settings.chance("ambiguity", "finance") == 1
    assert settings.chance("ambiguity", "commerce") == pytest.approx(0.4)
    off = RefinementSettings(ambiguity=Strength(enabled=False, probability=1), domains={"travel": {"ambiguity": 2}})
    assert off.chance("ambiguity", "travel") == 0


def test_a_weight_of_nought_switches_a_refinement_off_in_its_domain(hotels: InProcess, programs: list[Program]) -> None:
    persona = Persona(name="Ada Bauer", manner="brief")
    weights = {"travel": dict.fromkeys(REFINEMENTS, 0.0)}
    refiner = RuleRefiner(hotels, RefinementSettings.model_validate({"domains": weights}))
    requests = RuleWriter().write(programs[0], persona, random.Random(0))
    assert refiner.refine(programs[0], requests, persona, random.Random(0)).changes == ()


def test_what_was_written_as_text_is_left_as_it_is(hotels: InProcess, programs: list[Program]) -> None:
    persona = Persona(name="Ada Bauer", manner="brief")
    written = RuleWriter().write(programs[0], persona, random.Random(0))
    texts = [Request(request.text, request.asked) for request in written]
    on = {kind: Strength(probability=1) for kind in REFINEMENTS}
    refined = RuleRefiner(hotels, RefinementSettings.model_validate(on)).refine(
        programs[0], texts, persona, random.Random(0)
    )
    assert refined.requests == texts
    assert refined.changes == ()


def test_changes_are_told_in_the_order_of_the_turns_and_lead_from_text_to_text(
    refining: Refining, programs: list[Program]
) -> None:
    for seed, program in enumerate(programs):
        written = RuleWriter().write(program, Persona(name="Ada Bauer", manner="brief"), random.Random(seed))
        refined = refining(program, *REFINEMENTS, seed=seed)
        assert [change.turn for change in refined.changes] == sorted(change.turn for change in refined.changes)
        by_turn: dict[int, list[Change]] = {}
        for change in refined.changes:
            by_turn.setdefault(change.turn, []).append(change)
        for turn, changes in by_turn.items():
            assert changes[-1].after == refined.requests[turn].text
            assert changes[0].before in {request.text for request in written}
            assert all(change.before != change.after for change in changes)
