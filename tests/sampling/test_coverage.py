from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.catalogue import backend, environment_names
from envfactory.embedding import Lexical
from envfactory.sampling import (
    Coverage,
    NoChainError,
    Sampler,
    Topology,
    TopologySettings,
    diversity,
    problems,
)
from envfactory.sampling.coverage import BLOCK
from envfactory.toolgraph import Settings, ToolGraph, build_graph
from tests.sampling.graphs import SHOP, bounds, drawn_under_hash_seeds, graph, graphs

SETTINGS = TopologySettings()
LONG = TopologySettings(min_tools=7)
SHORT = TopologySettings(min_tools=1, max_tools=6)


@pytest.fixture(scope="module")
def catalogue() -> ToolGraph:
    """The tools of the catalogue; edges by text and rules, which is quick and gives every kind of edge there is."""
    return build_graph(backend(environment_names()).specs.values(), Lexical(), Settings(prove=False))


@settings(max_examples=150, deadline=None)
@given(
    graphs(),
    st.integers(0, 99),
    bounds(),
)
def test_every_chain_passes_the_independent_check(world: ToolGraph, seed: int, limits: TopologySettings):
    try:
        result = Coverage(world, limits).sample(5, seed)
    except NoChainError:
        return
    for chain in result.chains:
        assert problems(chain, world, limits) == []
        assert max(Counter(chain.tools).values()) <= 2
    assert result.attempts == 5 + sum(result.rejects.values())


@settings(max_examples=100, deadline=None)
@given(graphs(), st.integers(0, 99), st.integers(0, 12), st.integers(0, 12))
def test_a_range_of_chains_is_the_same_however_it_is_cut(world: ToolGraph, seed: int, first: int, second: int):
    def drawn(sampler: Sampler, *ranges: tuple[int, int]):
        try:
            return [chain for start, n in ranges for chain in sampler.sample(n, seed, start).chains]
        except NoChainError:
            return None

    whole = drawn(Coverage(world, SHORT), (0, first + second))
    assert drawn(Coverage(world, SHORT), (0, first), (first, second)) == whole
    later = drawn(Coverage(world, SHORT), (first, second))
    if whole is not None:
        assert later == whole[first:]


def test_the_range_may_lead_over_the_edge_of_a_block_and_back():
    sampler = Coverage(SHOP, SHORT)
    over = sampler.sample(6, 3, BLOCK - 3).chains
    assert over[3:] == Coverage(SHOP, SHORT).sample(3, 3, BLOCK).chains == sampler.sample(3, 3, BLOCK).chains
    assert over[:3] == sampler.sample(3, 3, BLOCK - 3).chains
    assert sampler.sample(20, 3).chains != sampler.sample(20, 3, BLOCK).chains
    assert sampler.sample(20, 3).chains != sampler.sample(20, 4).chains


def test_the_next_chain_begins_with_a_tool_that_was_called_least():
    chains = Coverage(SHOP, replace(SHORT, p=0.0, max_tools=1)).sample(60, 0).chains
    # Alone stand the tools without needs; each as often as the others.
    assert set(Counter(chain.tools for chain in chains).values()) == {20}
    assert {chain.tools for chain in chains} == {("bank-accounts",), ("shop-coupons",), ("shop-search",)}


def test_producers_outputs_and_followers_take_turns():
    world = graph(
        {"a-one": {}, "a-two": {}, "a-three": {}, "a-use": {"x": "need"}, "a-do": {"x": "need"}, "a-go": {"x": "need"}},
        [(f"a-{source}", f"a-{tool}", "x") for source in ("one", "two", "three") for tool in ("use", "do", "go")],
    )
    chains = Coverage(world, replace(SHORT, min_tools=2, max_tools=2, p=0.0)).sample(90, 0).chains
    pairs = Counter(chain.tools for chain in chains)
    assert len(pairs) == 9
    assert max(pairs.values()) - min(pairs.values()) <= 2


def test_a_tool_that_cannot_be_placed_stands_in_no_others_way():
    world = graph(
        {"a-find": {}, "a-open": {"key": "need"}, "a-read": {"found": "need"}, "a-turn": {"key": "need"}},
        [("a-find", "a-read", "found"), ("a-open", "a-turn", "key"), ("a-turn", "a-open", "key")],
    )
    result = Coverage(world, replace(SETTINGS, max_attempts_per_chain=5)).sample(200, 0)
    assert {tool for chain in result.chains for tool in chain.tools} == {"a-find", "a-read"}
    assert set(result.rejects) >= {"no producer of an unmet input is left"}


def test_a_chain_that_is_not_found_is_told_by_its_number_and_says_why():
    circle = graph({"a-one": {"x": "need"}, "a-two": {"x": "need"}}, [("a-one", "a-two", "x"), ("a-two", "a-one", "x")])
    sampler = Coverage(circle, SETTINGS)
    with pytest.raises(NoChainError, match=r"chain 2 of seed 1 .*no producer of an unmet input is left: 50"):
        sampler.sample(1, 1, 2)
    with pytest.raises(NoChainError, match="chain 0 of seed 1 "):
        sampler.sample(3, 1)
    with pytest.raises(NoChainError, match="the graph has no tools"):
        Coverage(graph({}, []), SETTINGS).sample(1, 0)


def test_half_as_many_chains_as_there_are_tools_call_every_tool(catalogue: ToolGraph):
    chains = Coverage(catalogue, LONG).sample(len(catalogue.tools) // 2, 0).chains
    called = {tool for chain in chains for tool in chain.tools}
    assert sorted(catalogue.by_tool.keys() - called) == []


@pytest.mark.parametrize("count", [50, 1000])
@pytest.mark.parametrize("seed", [0, 1])
def test_tools_and_edges_are_used_more_evenly_than_at_random(catalogue: ToolGraph, count: int, seed: int):
    even = diversity(Coverage(catalogue, LONG).sample(count, seed).chains, catalogue)
    chance = diversity(Topology(catalogue, LONG).sample(count, seed).chains, catalogue)
    assert even["valid_share"] == 1
    assert even["tool_entropy_bits"] > chance["tool_entropy_bits"]
    assert even["edge_coverage"] > chance["edge_coverage"]
    assert even["distinct_share"] > 0.99


def test_the_same_seed_gives_the_same_chains_under_any_hash_seed():
    shown = drawn_under_hash_seeds("Coverage(SHOP, TopologySettings()).sample(200, 5)")
    assert shown[0] == shown[1]
    assert len(shown[0]) > 1000
