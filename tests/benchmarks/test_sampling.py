"""Chains a second, over the whole catalogue; each round draws `CHAINS` of them."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from envfactory.catalogue import backend, environment_names
from envfactory.embedding import Lexical
from envfactory.sampling import Coverage, RandomWalk, Topology, TopologySettings, WalkSettings, problems
from envfactory.toolgraph import Settings, ToolGraph, build_graph

CHAINS = 1000


@pytest.fixture(scope="module")
def graph() -> ToolGraph:
    environments = backend(environment_names())
    return build_graph(environments.specs.values(), Lexical(), Settings(), environments)


def test_topology(benchmark: BenchmarkFixture, graph: ToolGraph):
    result = benchmark(Topology(graph, TopologySettings()).sample, CHAINS, 0)
    assert all(problems(chain, graph) == [] for chain in result.chains)


def test_coverage(benchmark: BenchmarkFixture, graph: ToolGraph):
    # A new sampler each round: one that is kept knows the chains that it has drawn.
    result = benchmark(lambda: Coverage(graph, TopologySettings()).sample(CHAINS, 0))
    assert all(problems(chain, graph) == [] for chain in result.chains)


def test_random_walk(benchmark: BenchmarkFixture, graph: ToolGraph):
    result = benchmark(RandomWalk(graph, WalkSettings()).sample, CHAINS, 0)
    benchmark.extra_info["valid_share"] = round(CHAINS / result.attempts, 3)


def test_validity_checks(benchmark: BenchmarkFixture, graph: ToolGraph):
    chains = Topology(graph, TopologySettings()).sample(CHAINS, 0).chains
    assert benchmark(lambda: sum(not problems(chain, graph) for chain in chains)) == CHAINS
