"""How fast conversations are scored.

python -m pytest --benchmark-enable -p no:xdist tests/benchmarks/test_reward.py
"""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from envfactory.catalogue import backend
from envfactory.environment import Reference, Session
from envfactory.environment.equivalence import Wanted, compare_states
from envfactory.gold import Call, Const, Gold, GoldCall, Out, replay
from envfactory.reward import GoldCalls, score, score_against

NAME = "hotel_reservations"
REFERENCE = Reference(environments={NAME: ""}, seed=1)


def _call(tool: str, masked: tuple[str, ...] = (), **arguments: Any) -> GoldCall:
    found: dict[str, Any] = {n: v if isinstance(v, Out) else Const(value=v) for n, v in arguments.items()}
    return GoldCall(tool=f"{NAME}-{tool}", arguments=found, masked=masked)


GOLD = Gold(
    reference=REFERENCE,
    calls=(
        _call("list_reviews", hotel_id="H-101", min_score=5, masked=("min_score",)),
        _call("book_room", hotel_id="H-101", room_kind="single", check_in="2026-04-01", check_out="2026-04-03"),
        _call("change_dates", reservation_id=Out(call=1, path="id"), check_in="2026-06-01", check_out="2026-06-03"),
        _call("get_reservation", reservation_id=Out(call=1, path="id")),
        _call("get_hotel", hotel_id=Out(call=1, path="hotel_id")),
    ),
)


@pytest.fixture(scope="module")
def played() -> dict[str, Any]:
    """Gold, and a candidate that books twice, in another order, with a refused call."""
    hotels = backend([NAME])
    with Session(hotels, REFERENCE) as session:
        bases = {name: orjson.loads(document) for name, document in session.dump().items()}
        run = replay(GOLD, session)
        specs = session.specs
    order = [
        ("get_hotel", {"hotel_id": "H-9"}),
        (
            "book_room",
            {"hotel_id": "H-101", "room_kind": "single", "check_in": "2026-05-01", "check_out": "2026-05-02"},
        ),
        (
            "book_room",
            {"hotel_id": "H-101", "room_kind": "single", "check_in": "2026-04-01", "check_out": "2026-04-03"},
        ),
        ("list_reviews", {"hotel_id": "H-101"}),
        ("change_dates", {"reservation_id": "RES-1002", "check_in": "2026-06-01", "check_out": "2026-06-03"}),
        ("get_reservation", '{"reservation_id": "RES-1002"}'),
        ("get_hotel", {"hotel_id": "H-101"}),
    ]
    calls: list[Call] = []
    with Session(hotels, REFERENCE) as session:
        for tool, arguments in order:
            result = session.call(f"{NAME}-{tool}", arguments)
            calls.append(Call(tool=f"{NAME}-{tool}", arguments=arguments, result=result.text, ok=result.ok))
        diff = session.diff()
    return {
        "specs": specs,
        "bases": bases,
        "golden": list(run.calls.values()),
        "gold": run.diff,
        "calls": calls,
        "diff": diff,
    }


def test_rewards_a_second(played: dict[str, Any], benchmark: Any):
    """At least 5,000 a second: state comparison and score together, of one of a task's many candidates."""
    wanted = Wanted(played["specs"], played["bases"], played["gold"])
    answer = GoldCalls(GOLD, played["golden"], played["specs"])

    def reward() -> float:
        return score_against(answer, played["calls"], wanted.compare(played["diff"])).r_traj

    assert benchmark(reward) == 1


def test_rewards_of_one_candidate_a_task_a_second(played: dict[str, Any], benchmark: Any):
    """The same where every candidate is of another task, so that gold is made ready for each."""

    def reward() -> float:
        comparison = compare_states(played["specs"], played["bases"], played["diff"], played["gold"])
        return score(GOLD, played["golden"], played["calls"], comparison, played["specs"]).r_traj

    assert benchmark(reward) == 1


def test_scores_a_second(played: dict[str, Any], benchmark: Any):
    """The score alone."""
    comparison = compare_states(played["specs"], played["bases"], played["diff"], played["gold"])
    found = benchmark(score, GOLD, played["golden"], played["calls"], comparison, played["specs"])
    assert (found.matched, found.refused) == (5, 1)
