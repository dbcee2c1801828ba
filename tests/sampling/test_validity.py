from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from envfactory.sampling import Chain, Link, NoChainError, Topology, TopologySettings, problems
from tests.sampling.graphs import SHOP, graphs

GOOD = Chain(("shop-search", "shop-order", "shop-cancel"), (Link(1, "product", 0, "out"), Link(2, "order", 1, "out")))


def test_a_chain_whose_needs_are_linked_is_valid():
    assert problems(GOOD, SHOP, TopologySettings()) == []
    assert problems(Chain(("shop-search",)), SHOP) == []


@pytest.mark.parametrize(
    ("chain", "problem"),
    [
        (replace(GOOD, links=GOOD.links[1:]), "shop-order needs product, which no earlier tool produces"),
        (replace(GOOD, tools=("shop-search", "shop-order", "shop-fly")), "shop-fly is not in the graph"),
        (replace(GOOD, tools=("shop-order", "shop-search", "shop-cancel")), "does not feed"),
        (replace(GOOD, links=(Link(1, "product", 1, "out"), GOOD.links[1])), "must stand before"),
        (replace(GOOD, links=(Link(1, "product", 2, "out"), GOOD.links[1])), "must stand before"),
        (replace(GOOD, links=(Link(1, "product", -1, "out"), GOOD.links[1])), "must stand before"),
        (replace(GOOD, links=(*GOOD.links, Link(3, "order", 1, "out"))), "both in the chain"),
        (replace(GOOD, links=(Link(1, "product", 0, "other"), GOOD.links[1])), "other does not feed"),
        (replace(GOOD, links=(GOOD.links[0], *GOOD.links)), "has a link already"),
        (replace(GOOD, links=GOOD.links[::-1]), "not sorted"),
    ],
)
def test_each_planted_defect_is_told(chain: Chain, problem: str):
    assert any(problem in found for found in problems(chain, SHOP))


@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        (TopologySettings(min_tools=4), "3 tools are not between 4 and 16"),
        (TopologySettings(max_tools=2), "3 tools are not between 2 and 2"),
        (TopologySettings(max_environments=0), "1 environments are more than 0"),
    ],
)
def test_bounds_are_checked_if_given(bounds: TopologySettings, problem: str):
    assert problems(GOOD, SHOP) == []
    assert problems(GOOD, SHOP, bounds) == [problem]


@settings(max_examples=100, deadline=None)
@given(graphs(), st.integers(0, 9), st.data())
def test_a_valid_chain_without_the_link_of_a_need_is_not_valid(world, seed: int, data: st.DataObject):
    try:
        chain = Topology(world, TopologySettings(min_tools=1, max_tools=8)).sample(1, seed).chains[0]
    except NoChainError:
        return
    needs = [
        link
        for link in chain.links
        if (leaf := world.classes[chain.tools[link.consumer]][link.input]).required and leaf.kind == "internal"
    ]
    assume(needs)
    gone = data.draw(st.sampled_from(needs))
    assert problems(chain, world) == []
    assert len(problems(replace(chain, links=tuple(link for link in chain.links if link != gone)), world)) == 1
