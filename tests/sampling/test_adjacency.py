from __future__ import annotations

import random

from envfactory.sampling.adjacency import Adjacency, feed
from envfactory.toolgraph import Proof, ToolGraph
from tests.sampling.graphs import graph

WORLD = graph(
    {"a-list": {}, "a-make": {}, "a-open": {"id": "need"}, "b-find": {"city": "user"}},
    [("a-list", "a-open", "id"), ("a-make", "a-open", "id"), ("a-list", "b-find", "city")],
)


def told(outcomes: dict[tuple[str, str], str]) -> ToolGraph:
    """The world with an outcome of the proof for some edges."""
    edges = [
        edge.model_copy(
            update={"proof": Proof(state="proved", outcome=outcomes.get((edge.producer, edge.consumer), "ok"))}
        )
        for edge in WORLD.edges
    ]
    return WORLD.model_copy(update={"edges": tuple(edges)})


def fed(world: ToolGraph) -> dict[str, list[str]]:
    """Which tools feed each slot, by the input's path."""
    adjacency = Adjacency.of(ToolGraph.model_validate(world.model_dump()))
    return {
        slot.path: [adjacency.names[tool] for tool in sorted(slot.sources)]
        for slots in adjacency.slots
        for slot in slots
    }


def test_without_proof_every_edge_is_used():
    assert fed(WORLD) == {"id": ["a-list", "a-make"], "city": ["a-list"]}


def test_an_edge_that_was_always_refused_is_not_used():
    assert fed(told({("a-make", "a-open"): "precondition_failed", ("a-list", "b-find"): "conflict"})) == {
        "id": ["a-list"]
    }


def test_a_demanded_input_keeps_what_it_has():
    refused = {("a-make", "a-open"): "precondition_failed", ("a-list", "a-open"): "conflict"}
    assert fed(told(refused))["id"] == ["a-list", "a-make"]


def test_an_item_within_an_item_feeds_only_what_nothing_else_does():
    edges = [
        edge.model_copy(update={"output": "rows[].lines[].id"}) if edge.producer == "a-list" else edge
        for edge in WORLD.edges
    ]
    tools = [tool.model_copy(update={"outputs": ("out", "rows[].lines[].id")}) for tool in WORLD.tools]
    nested = WORLD.model_copy(update={"edges": tuple(edges), "tools": tuple(tools)})
    assert fed(nested) == {"id": ["a-make"]}
    alone = nested.model_copy(update={"edges": tuple(edge for edge in edges if edge.producer == "a-list")})
    assert fed(alone)["id"] == ["a-list"]


def test_a_producer_that_was_chosen_for_one_input_feeds_the_others_too():
    world = graph(
        {"a-list": {}, "a-other": {}, "a-rate": {"order": "need", "seller": "need"}},
        [("a-list", "a-rate", "order"), ("a-list", "a-rate", "seller"), ("a-other", "a-rate", "seller")],
    )
    slots = Adjacency.of(world).slots[2]
    fed = [feed(slots, [1, 0, 1], {"order": 1}, random.Random(seed).random) for seed in range(30)]
    assert fed == [[("order", 1, "out"), ("seller", 1, "out")]] * 30
    alone = {feed(slots, [1, 0, 1], {}, random.Random(seed).random)[1][1] for seed in range(30)}
    assert alone == {1}
    assert {feed(slots, [1, 1], {}, random.Random(seed).random)[0][1] for seed in range(30)} == {0, 1}


def test_neighbours_are_split_by_environment_and_entries_name_the_inputs():
    adjacency = Adjacency.of(WORLD)
    index = {name: at for at, name in enumerate(adjacency.names)}
    assert adjacency.near[index["a-list"]] == (index["a-open"],)
    assert adjacency.far[index["a-list"]] == (index["b-find"],)
    assert adjacency.entries[index["a-list"]] == {index["a-open"]: ("id",), index["b-find"]: ("city",)}
