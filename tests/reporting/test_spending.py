"""What models cost is told by stage and role, and by accepted trajectory."""

from __future__ import annotations

from typing import Any

from envfactory.reporting.spending import spending

METRICS: dict[str, dict[str, Any]] = {
    "graph": {"edges": 3, "model": {"spent": {"graph": {"requests": 2, "prompt": 900, "completion": 40}}}},
    "synthesize": {
        "trajectories": 3,
        "model": {
            "spent": {
                "writer": {"requests": 8, "failed": 1, "prompt": 4000, "completion": 400, "money": 0.5},
                "planner": {"requests": 4, "prompt": 2000, "completion": 100, "money": 0.25},
            },
            "spent_per_accepted": {"requests": 4.0, "prompt": 2000.0, "completion": 166.666667, "money": 0.25},
            "trajectories": [
                {"id": "t-a", "requests": 2, "prompt": 1000, "completion": 50, "money": 0.1},
                {"id": "t-b", "requests": 4, "prompt": 1500, "completion": 90, "money": 0.3},
                {"id": "t-c", "requests": 3, "prompt": 1700, "completion": 90, "money": 0.1},
            ],
        },
    },
}


def test_roles_stand_under_their_stages_and_amounts_that_nobody_spent_are_left_out() -> None:
    found = spending(METRICS)
    assert found is not None
    assert found.head == ["requests", "failed", "tokens read", "tokens written", "money"]
    assert found.roles == [
        ("graph: graph", ["2", "0", "900", "40", "0"]),
        ("synthesize: planner", ["4", "0", "2,000", "100", "0.25"]),
        ("synthesize: writer", ["8", "1", "4,000", "400", "0.5"]),
    ]


def test_accepted_trajectories_are_told_with_and_without_what_came_to_nothing() -> None:
    found = spending(METRICS)
    assert found is not None
    assert found.accepted == [
        ("synthesize: all, for each accepted", ["4", "0", "2,000", "166.7", "0.25"]),
        ("synthesize: accepted ones, least", ["2", "0", "1,000", "50", "0.1"]),
        ("synthesize: accepted ones, median", ["3", "0", "1,500", "90", "0.1"]),
        ("synthesize: accepted ones, most", ["4", "0", "1,700", "90", "0.3"]),
    ]
    assert [name for name, _ in found.dearest] == ["t-b", "t-c", "t-a"]


def test_without_a_model_there_is_nothing_to_tell() -> None:
    assert spending({}) is None
    assert spending({"synthesize": {"trajectories": 3, "model": {"answers": {}}}}) is None
