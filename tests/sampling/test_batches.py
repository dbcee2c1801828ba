from __future__ import annotations

import pytest

from envfactory.sampling import Coverage, RandomWalk, Topology, WalkSettings
from envfactory.sampling.batches import SamplerKind, compare_samplers, make_sampler
from envfactory.sampling.topology import TopologySettings
from tests.sampling.graphs import SHOP, graph

SETTINGS = TopologySettings(min_tools=2, max_tools=4)


@pytest.mark.parametrize(
    ("kind", "sampler"), [("topology", Topology), ("coverage", Coverage), ("random_walk", RandomWalk)]
)
def test_each_kind_has_its_sampler(kind: SamplerKind, sampler: type):
    assert type(make_sampler(SHOP, kind, SETTINGS)) is sampler


def test_the_samplers_are_compared_and_each_by_its_own_chains():
    assert list(compare_samplers(SHOP, "topology", SETTINGS, 20, 0)) == ["topology", "random_walk"]
    figures = compare_samplers(SHOP, "coverage", SETTINGS, 20, 0)
    assert list(figures) == ["topology", "coverage", "random_walk"]
    assert figures["coverage"]["tool_entropy_bits"] > figures["topology"]["tool_entropy_bits"]


def test_the_baseline_is_measured_alone_where_the_settings_are_not_for_another():
    assert list(compare_samplers(SHOP, "random_walk", WalkSettings(max_tools=4), 20, 0)) == ["random_walk"]


def test_a_sampler_that_finds_too_few_chains_is_left_out_of_the_comparison():
    # A walk can go one step here and no further; three tools are reached only by joining branches.
    forked = graph(
        {"a-one": {}, "a-two": {}, "a-three": {"x": "need", "y": "need"}},
        [("a-one", "a-three", "x"), ("a-two", "a-three", "y")],
    )
    bounds = TopologySettings(min_tools=3, max_tools=3)
    assert list(compare_samplers(forked, "topology", bounds, 5, 0)) == ["topology"]
