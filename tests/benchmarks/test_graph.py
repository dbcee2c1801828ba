"""How long the tool graph takes: of the catalogue, and of one as large as the catalogue shall be, embeddings aside."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from envfactory.catalogue import backend, environment_names
from envfactory.embedding import Lexical
from envfactory.environment import Parameter, Spec
from envfactory.toolgraph import Settings, build_graph

TOOLS = 1100
"""As many as the catalogue shall have, at least; made of copies of what it has."""

WORDS = ("apple", "bridge", "cargo", "engine", "falcon", "garden", "harbour", "island", "kettle", "lantern", "meadow")


class Kept:
    """An embedder whose vectors were made before, so that only the graph is timed."""

    def __init__(self, specs: Sequence[Spec]) -> None:
        self.inner = Lexical()
        self.name, self.threshold = self.inner.name, self.inner.threshold
        self.rows = None
        build_graph(specs, self, Settings(prove=False))

    def embed(self, texts):
        if self.rows is None:
            self.rows = self.inner.embed(texts)
        return self.rows


def varied(spec: Spec, number: int) -> Spec:
    """The environment under another name, with other words in half of its descriptions and entities of its own."""
    rng = random.Random(number)
    words: dict[str, str] = {}

    def word(match: re.Match[str]) -> str:
        old = match.group()
        return words.setdefault(old, old if rng.random() < 0.5 else f"{rng.choice(WORDS)}{number % 7}")

    def changed(leaf: Parameter) -> Parameter:
        text = re.sub(r"[a-z]{4,}", word, leaf.description)
        return leaf.model_copy(update={"description": text, "ref": leaf.ref and f"{leaf.ref}{number}"})

    tools = tuple(
        tool.model_copy(
            update={
                "environment": f"{spec.name}_{number}",
                "inputs": tuple(map(changed, tool.inputs)),
                "outputs": tuple(map(changed, tool.outputs)),
            }
        )
        for tool in spec.tools
    )
    return spec.model_copy(update={"name": f"{spec.name}_{number}", "tools": tools})


@pytest.fixture(scope="module")
def environments():
    return backend(environment_names())


def test_graph_of_the_catalogue(benchmark: BenchmarkFixture, environments):
    specs = list(environments.specs.values())
    graph = benchmark(build_graph, specs, Kept(specs), Settings(prove=False))
    benchmark.extra_info["tools"] = len(graph.tools)


def test_graph_of_the_catalogue_with_execution_proof(benchmark: BenchmarkFixture, environments):
    specs = list(environments.specs.values())
    graph = benchmark(build_graph, specs, Kept(specs), Settings(), environments)
    benchmark.extra_info["edges"] = len(graph.edges)


def test_graph_of_over_1100_tools(benchmark: BenchmarkFixture, environments):
    catalogue = list(environments.specs.values())
    copies = range(-(-TOOLS // sum(len(spec.tools) for spec in catalogue)))
    specs = [varied(spec, number) for number in copies for spec in catalogue]
    graph = benchmark.pedantic(build_graph, (specs, Kept(specs), Settings(prove=False)), rounds=3)
    benchmark.extra_info["tools"] = len(graph.tools)
    assert len(graph.tools) >= TOOLS
