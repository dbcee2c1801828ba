"""What holds over all environments together."""

from __future__ import annotations

import pytest

from envfactory.catalogue import environment_names
from tests.catalogue.overall import CHAINS, Overall, measure, recorded

ANEW = "run: python -m tests.catalogue.overall, then python -m tests.mutation.page"

EXPLAINED: dict[str, str] = {}
"""Why a tool stands alone in the graph, by wire name."""


def test_the_figures_are_of_the_environments_that_there_are():
    assert recorded().environments == environment_names(), ANEW


@pytest.mark.heavy
@pytest.mark.timeout(1500)
def test_the_figures_are_what_is_found_now():
    assert measure() == recorded(), ANEW


@pytest.fixture
def figures() -> Overall:
    return recorded()


def test_nearly_every_edge_is_proved_and_some_lead_across(figures: Overall):
    assert figures.proved / figures.edges > 0.95
    assert figures.edges_across > 0
    assert figures.edges_within + figures.edges_across == figures.edges


def test_few_tools_stand_alone_and_each_is_explained(figures: Overall):
    assert len(figures.isolated_tools) / figures.tools < 0.05
    assert set(figures.isolated_tools) == EXPLAINED.keys()


@pytest.mark.parametrize("sampler", ["topology", "coverage"])
def test_all_chains_are_valid_and_every_tool_is_in_some(figures: Overall, sampler: str):
    drawn = figures.drawn[sampler]
    assert drawn.valid == drawn.chains == CHAINS
    assert drawn.unused == ()


@pytest.mark.parametrize("sampler", ["topology", "coverage"])
def test_nearly_all_chains_can_be_grounded_and_nearly_every_tool_is_in_some_gold(figures: Overall, sampler: str):
    """Of 500 chains over hundreds of tools a few may be missed."""
    drawn = figures.drawn[sampler]
    assert drawn.grounded / drawn.tried >= 0.95
    assert len(drawn.ungold) < 0.01 * figures.tools
    assert sum(drawn.ungrounded.values()) == drawn.tried - drawn.grounded
