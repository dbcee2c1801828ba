from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.sampling import NoChainError, RandomWalk, WalkSettings, problems
from envfactory.toolgraph import ToolGraph
from tests.sampling.graphs import SHOP, graphs


@settings(max_examples=80, deadline=None)
@given(graphs(), st.integers(0, 99))
def test_what_a_walk_keeps_is_valid(world: ToolGraph, seed: int):
    bounds = WalkSettings(max_tools=6)
    try:
        result = RandomWalk(world, bounds).sample(3, seed)
    except NoChainError:
        return
    assert [problems(chain, world, bounds) for chain in result.chains] == [[]] * 3


def test_walks_follow_edges_and_most_leave_an_input_unmet():
    result = RandomWalk(SHOP, WalkSettings(max_tools=5)).sample(100, 0)
    assert result.rejects["an unmet input"] > 0
    assert result.attempts == 100 + sum(result.rejects.values())
    for chain in result.chains:
        for before, after in zip(chain.tools, chain.tools[1:], strict=False):
            assert after in SHOP.successors(before)


def test_invalid_walks_are_kept_if_asked_for():
    chains = RandomWalk(SHOP, WalkSettings(max_tools=5), keep_invalid=True).sample(200, 0).chains
    assert any(problems(chain, SHOP) for chain in chains)
    assert any(not problems(chain, SHOP) for chain in chains)
