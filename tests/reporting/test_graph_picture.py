"""The picture of a graph: every tool and pair once, nothing on top of anything else, the same every time."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from functools import cache

import pytest

from envfactory.embedding import Lexical
from envfactory.reporting.graph_picture import neighbours, pairs_of, picture
from envfactory.toolgraph import ToolGraph
from envfactory.toolgraph.build import Settings, build_graph
from tests.dataset.support import hotels


@cache
def small() -> ToolGraph:
    return build_graph(hotels().specs.values(), Lexical(), Settings(scenario_size=30), hotels())


def several(count: int) -> ToolGraph:
    """The graph many times, as so many environments, each feeding the next."""
    document = small().model_dump(mode="json")
    tools, edges = [], []

    def named(tool: str, number: int) -> str:
        return tool.replace("hotel_reservations", f"hotels_{number:02d}")

    for number in range(count):
        own = f"hotels_{number:02d}"
        tools += [{**tool, "tool": named(tool["tool"], number), "environment": own} for tool in document["tools"]]
        for index, edge in enumerate(document["edges"]):
            away = (number + (index == 0)) % count
            edges.append(
                {**edge, "producer": named(edge["producer"], number), "consumer": named(edge["consumer"], away)}
            )
    return ToolGraph.model_validate({**document, "tools": tools, "edges": edges, "pruned": []})


@pytest.mark.parametrize("count", [1, 2, 4, 9, 37])
def test_every_tool_and_every_pair_is_drawn_once(count) -> None:
    graph = several(count)
    drawn = ET.fromstring(picture(graph))
    assert sorted(element.attrib["data-tool"] for element in drawn.iter() if "data-tool" in element.attrib) == sorted(
        node.tool for node in graph.tools
    )
    numbers = {e.attrib["data-number"]: e.attrib["data-tool"] for e in drawn.iter() if "data-number" in e.attrib}
    edges = [(numbers[e.attrib["data-a"]], numbers[e.attrib["data-b"]]) for e in drawn.iter() if "data-a" in e.attrib]
    assert sorted(edges) == [(pair.producer, pair.consumer) for pair in pairs_of(graph)]


@pytest.mark.parametrize("count", [1, 4, 37])
def test_cards_do_not_overlap_and_lie_in_the_picture(count) -> None:
    drawn = ET.fromstring(picture(several(count)))
    _, _, width, height = map(float, drawn.attrib["viewBox"].split())
    cards = [
        [float(element.attrib[name]) for name in ("x", "y", "width", "height")]
        for element in drawn.iter()
        if element.get("class") == "card"
    ]
    assert len(cards) == count
    for x, y, w, h in cards:
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
    for one, two in itertools.combinations(cards, 2):
        apart = [a + size <= b or b + other <= a for a, b, size, other in zip(one, two, one[2:], two[2:], strict=False)]
        assert any(apart), (one, two)


def test_an_unproved_pair_is_drawn_as_such() -> None:
    untried = build_graph(hotels().specs.values(), Lexical(), Settings(prove=False))
    drawn = ET.fromstring(picture(untried))
    assert all("unproved" in e.attrib["class"] for e in drawn.iter() if "data-a" in e.attrib)
    proved = ET.fromstring(picture(small()))
    assert any("unproved" not in e.attrib["class"] for e in proved.iter() if "data-a" in e.attrib)


def test_the_order_of_the_edges_does_not_matter() -> None:
    graph = several(3)
    turned = graph.model_copy(update={"edges": graph.edges[::-1]})
    assert picture(turned) == picture(graph)


def test_the_table_counts_what_the_picture_shows() -> None:
    rows = {tool: (fed, feeds) for tool, _, fed, feeds in neighbours(small())}
    pairs = pairs_of(small())
    assert rows.keys() == small().by_tool.keys()
    for tool, (fed, feeds) in rows.items():
        assert fed == sum(pair.consumer == tool for pair in pairs)
        assert feeds == sum(pair.producer == tool for pair in pairs)
