from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.sampling import NoChainError, Sampler, Topology, TopologySettings, problems
from envfactory.toolgraph import ToolGraph
from tests.sampling.graphs import SHOP, bounds, drawn_under_hash_seeds, graph, graphs

SETTINGS = TopologySettings()
SHORT = TopologySettings(min_tools=1, max_tools=6)


@settings(max_examples=150, deadline=None)
@given(
    graphs(),
    st.integers(0, 99),
    bounds(),
)
def test_every_chain_passes_the_independent_check(world: ToolGraph, seed: int, limits: TopologySettings):
    try:
        result = Topology(world, limits).sample(5, seed)
    except NoChainError:
        return
    for chain in result.chains:
        assert problems(chain, world, limits) == []
        assert max(Counter(chain.tools).values()) <= 2


def test_a_need_is_met_by_a_producer_that_comes_first():
    for chain in Topology(SHOP, SHORT).sample(300, 0).chains:
        for at, tool in enumerate(chain.tools):
            if tool == "shop-cancel":
                assert "shop-order" in chain.tools[:at]
                assert "shop-search" in chain.tools[:at]


def test_needs_deeper_than_d_max_are_dropped_and_counted():
    bounds = replace(SHORT, d_max=1, p=0.0)
    result = Topology(SHOP, bounds).sample(400, 0)
    assert all(chain.tools[:1] != ("shop-cancel",) for chain in result.chains)
    assert result.rejects["an unmet input lies deeper than d_max"] > 0
    assert result.attempts == 400 + sum(result.rejects.values())


def test_a_need_that_nothing_produces_is_dropped_and_counted():
    lonely = graph(
        {"a-find": {}, "a-open": {"key": "need"}, "a-read": {"found": "need"}}, [("a-find", "a-read", "found")]
    )
    result = Topology(lonely, SETTINGS).sample(100, 0)
    assert all("a-open" not in chain.tools for chain in result.chains)
    assert set(result.rejects) >= {"no producer of an unmet input is left"}


def test_a_circle_of_needs_ends_and_gives_no_chain():
    circle = graph({"a-one": {"x": "need"}, "a-two": {"x": "need"}}, [("a-one", "a-two", "x"), ("a-two", "a-one", "x")])
    with pytest.raises(NoChainError, match=r"no producer of an unmet input is left: 50.*max_attempts_per_chain"):
        Topology(circle, SETTINGS).sample(1, 0)


def test_an_empty_graph_gives_no_chain():
    with pytest.raises(NoChainError, match="the graph has no tools"):
        Topology(graph({}, []), SETTINGS).sample(1, 0)


def test_without_override_no_tool_is_added_for_a_valid_input():
    def coupons_before_order(p: float) -> int:
        chains = Topology(SHOP, replace(SHORT, p=p)).sample(500, 0).chains
        return sum(
            any(link.input == "coupon" for link in chain.links) and chain.tools.index("shop-coupons") > 0
            for chain in chains
        )

    assert coupons_before_order(0.0) == 0 < coupons_before_order(0.5)


def test_a_tool_added_for_a_valid_input_feeds_it():
    bounds = replace(SHORT, p=0.5, min_tools=3, max_tools=3)
    chains = Topology(SHOP, bounds).sample(300, 0).chains
    added = [chain for chain in chains if chain.tools == ("shop-search", "shop-coupons", "shop-order")]
    assert added
    assert all([link.input for link in chain.links] == ["coupon", "product"] for chain in added)


def test_a_neighbour_that_cannot_be_completed_leaves_no_trace():
    world = graph(
        {"a-list": {}, "b-broken": {"x": "may", "y": "need"}, "c-good": {"x": "need"}},
        [("a-list", "b-broken", "x"), ("a-list", "c-good", "x")],
    )
    result = Topology(world, TopologySettings(max_tools=2, max_environments=2)).sample(200, 0)
    assert {chain.tools for chain in result.chains} == {("a-list", "c-good")}
    assert result.rejects.get("shorter than min_tools", 0) < 20


def test_the_number_of_environments_is_kept_and_both_kinds_of_chain_occur():
    alone = Topology(SHOP, replace(SHORT, max_environments=1)).sample(300, 1).chains
    both = Topology(SHOP, replace(SHORT, max_environments=2)).sample(300, 1).chains
    assert {len(chain.environments) for chain in alone} == {1}
    assert {len(chain.environments) for chain in both} == {1, 2}


def test_a_tool_is_repeated_only_if_another_call_feeds_it():
    repeated = 0
    for chain in Topology(SHOP, replace(SETTINGS, max_tools=12)).sample(400, 2).chains:
        for tool, count in Counter(chain.tools).items():
            places = [at for at, name in enumerate(chain.tools) if name == tool]
            fed = {tuple((link.input, link.producer) for link in chain.links_into(at)) for at in places}
            assert len(fed) == count
            repeated += count > 1
    assert repeated


def test_one_call_that_can_feed_two_needs_feeds_both():
    pair = graph(
        {"a-list": {}, "a-other": {}, "a-rate": {"order": "need", "seller": "need"}},
        [("a-list", "a-rate", "order"), ("a-list", "a-rate", "seller"), ("a-other", "a-rate", "seller")],
    )
    chains = [c for c in Topology(pair, replace(SHORT, p=0.0)).sample(200, 0).chains if c.tools == ("a-list", "a-rate")]
    assert chains
    assert all({link.producer for link in chain.links} == {0} for chain in chains)


def test_a_range_of_chains_is_the_same_however_it_is_cut():
    sampler: Sampler = Topology(SHOP, SETTINGS)
    whole = sampler.sample(20, 7).chains
    assert whole == sampler.sample(12, 7).chains + sampler.sample(8, 7, start=12).chains
    assert whole != sampler.sample(20, 8).chains


def test_the_same_seed_gives_the_same_chains_under_any_hash_seed():
    shown = drawn_under_hash_seeds(
        "Topology(SHOP, TopologySettings()).sample(200, 5)", "RandomWalk(SHOP, WalkSettings()).sample(50, 5)"
    )
    assert shown[0] == shown[1]
    assert len(shown[0]) > 1000
