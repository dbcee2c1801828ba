from __future__ import annotations

from envfactory.sampling.batches import compare_samplers
from envfactory.sampling.topology import TopologySettings
from tests.sampling.graphs import SHOP, graph


def test_both_samplers_are_compared():
    settings = TopologySettings(min_tools=2, max_tools=4)
    assert list(compare_samplers(SHOP, settings, 20, 0)) == ["topology", "random_walk"]


def test_a_sampler_that_finds_too_few_chains_is_left_out_of_the_comparison():
    # A walk can go one step here and no further; three tools are reached only by joining branches.
    forked = graph(
        {"a-one": {}, "a-two": {}, "a-three": {"x": "need", "y": "need"}},
        [("a-one", "a-three", "x"), ("a-two", "a-three", "y")],
    )
    assert list(compare_samplers(forked, TopologySettings(min_tools=3, max_tools=3), 5, 0)) == ["topology"]
