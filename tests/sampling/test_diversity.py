from __future__ import annotations

import pytest

from envfactory.sampling import (
    Chain,
    Link,
    RandomWalk,
    Topology,
    TopologySettings,
    WalkSettings,
    diversity,
    side_by_side,
)
from tests.sampling.graphs import SHOP

ORDER = Chain(("shop-search", "shop-order"), (Link(1, "product", 0, "out"),))
PAY = Chain(
    ("bank-accounts", "shop-search", "shop-order", "bank-pay"),
    (Link(2, "product", 1, "out"), Link(3, "account", 0, "out"), Link(3, "amount", 2, "out")),
)


def test_figures_of_a_few_chains_are_what_one_counts_by_hand():
    found = diversity([ORDER, ORDER, PAY, Chain(("shop-cancel",))], SHOP)
    assert found["chains"] == 4
    assert found["valid_share"] == 0.75
    assert found["distinct_share"] == 0.75
    assert found["tool_coverage"] == round(5 / 7, 4)
    assert found["edge_coverage"] == 0.5
    assert found["length_mean"] == 2.25
    assert found["length_histogram"] == {"1": 1, "2": 2, "4": 1}
    assert found["across_share"] == 0.25
    assert found["links_mean"] == 1.25


def test_entropy_is_zero_for_one_tool_and_full_for_even_use():
    assert diversity([Chain(("shop-search",))], SHOP)["tool_entropy_bits"] == 0
    even = diversity([Chain((tool,)) for tool in SHOP.by_tool], SHOP)
    assert even["tool_entropy_normalised"] == 1
    assert even["tool_entropy_bits"] == pytest.approx(2.8074, abs=1e-4)


def test_no_chains_have_figures_too():
    assert diversity([], SHOP)["distinct_share"] == 0


def test_topology_is_all_valid_beside_a_walk_that_is_not():
    walks = RandomWalk(SHOP, WalkSettings(), keep_invalid=True).sample(200, 0).chains
    figures = side_by_side({"topology": Topology(SHOP, TopologySettings()).sample(200, 0).chains, "walk": walks}, SHOP)
    assert figures["valid_share"]["topology"] == 1 > figures["valid_share"]["walk"]
    assert set(figures) == set(diversity([], SHOP))
