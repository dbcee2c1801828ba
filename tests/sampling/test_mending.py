"""Chains that no scenario could serve become chains that one can."""

from __future__ import annotations

import random

import pytest

from envfactory.catalogue import backend
from envfactory.embedding import Lexical
from envfactory.environment import InProcess
from envfactory.sampling import Chain, Link, Topology, TopologySettings
from envfactory.sampling.mending import Mender
from envfactory.sampling.sense import gathered
from envfactory.sampling.validity import problems
from envfactory.toolgraph import Settings, ToolGraph, build_graph

SHOP = "marketplace_orders"
HOTELS = "hotel_reservations"


@pytest.fixture(scope="module")
def environments() -> InProcess:
    return backend([HOTELS, SHOP])


@pytest.fixture(scope="module")
def graph(environments: InProcess) -> ToolGraph:
    return build_graph(environments.specs.values(), Lexical(), Settings(prove=False), environments)


def mender(graph: ToolGraph, environments: InProcess, max_tools: int = 16) -> Mender:
    return Mender(graph, environments.specs, max_tools)


@pytest.mark.parametrize("number", range(40))
def test_a_mended_chain_is_valid_and_as_long_as_it_may_be(
    number: int, graph: ToolGraph, environments: InProcess
) -> None:
    settings = TopologySettings()
    chain = Topology(graph, settings).sample(1, 3, number).chains[0]
    mended = gathered(mender(graph, environments, settings.max_tools).mend(chain, random.Random(number)))
    assert problems(mended, graph, settings) == []
    assert not set(chain.tools) - set(mended.tools)
    rerouted = gathered(mender(graph, environments).rerouted(mended, mended.links, random.Random(number)))
    assert problems(rerouted, graph) == []


def test_what_was_just_booked_is_not_cancelled_but_something_looked_up(
    graph: ToolGraph, environments: InProcess
) -> None:
    chain = Chain(
        (f"{HOTELS}-search_hotels", f"{HOTELS}-book_room", f"{HOTELS}-cancel_reservation"),
        (Link(1, "hotel_id", 0, "hotels[].id"), Link(2, "reservation_id", 1, "id")),
    )
    mended = mender(graph, environments).mend(chain, random.Random(0))
    link = mended.links_into(2)[0]
    assert not graph.by_tool[mended.tools[link.producer]].writes
    assert mender(graph, environments, max_tools=3).mend(chain, random.Random(0)) == chain


def test_a_look_up_whose_proof_was_refused_serves_where_there_is_no_other() -> None:
    practices = "medical_appointments"
    environments = backend([practices])
    proved = build_graph(environments.specs.values(), Lexical(), Settings(), environments)
    names = [f"{practices}-{name}" for name in ("list_appointments", "join_waiting_list", "accept_offer")]
    chain = Chain(
        tuple(names), (Link(1, "appointment_id", 0, "appointments[].id"), Link(2, "place_id", 1, "id"))
    )  # fmt: skip
    edges = proved.into(names[2], "place_id")
    assert all(edge.proof.outcome != "ok" for edge in edges if edge.producer.endswith("list_waiting_places"))
    mended = mender(proved, environments).mend(chain, random.Random(0))
    assert mended.tools[mended.links_into(2)[0].producer].endswith("list_waiting_places")


def test_calls_that_no_record_suits_have_a_look_up_each(graph: ToolGraph, environments: InProcess) -> None:
    chain = Chain(
        (f"{SHOP}-list_orders", f"{SHOP}-cancel_order", f"{SHOP}-return_items", f"{SHOP}-get_order"),
        (
            Link(1, "order_id", 0, "orders[].id"),
            Link(2, "items[].product_id", 0, "orders[].items[].product_id"),
            Link(2, "order_id", 0, "orders[].id"),
            Link(3, "order_id", 0, "orders[].id"),
        ),
    )
    mended = mender(graph, environments).mend(chain, random.Random(0))
    assert mended.tools == (*chain.tools, f"{SHOP}-list_orders")
    assert [link.producer for link in mended.links] == [0, 4, 4, 0]


def test_what_leans_on_a_call_that_cannot_be_made_takes_its_record_from_another(
    graph: ToolGraph, environments: InProcess
) -> None:
    chain = Chain(
        (f"{SHOP}-list_orders", f"{SHOP}-get_order", f"{SHOP}-cancel_order", f"{SHOP}-get_order"),
        (
            Link(1, "order_id", 0, "orders[].id"),
            Link(2, "order_id", 1, "id"),
            Link(3, "order_id", 0, "orders[].id"),
        ),
    )
    mended = mender(graph, environments).rerouted(chain, [chain.links[1]], random.Random(0), [1])
    assert mended.tools == chain.tools
    assert mended.links == (chain.links[0], Link(2, "order_id", 0, "orders[].id"), chain.links[2])
    # Where the first look-up has failed as well, another is added, even to a chain as long as it may be.
    longer = mender(graph, environments, max_tools=4).rerouted(chain, [chain.links[1]], random.Random(0), [0, 1])
    assert longer.tools == (*chain.tools, f"{SHOP}-list_orders")
    assert longer.links_into(2) == (Link(2, "order_id", 4, "orders[].id"),)
    assert problems(gathered(longer), graph) == []
    assert mender(graph, environments, max_tools=0).rerouted(chain, chain.links[1:2], random.Random(0), [0, 1]) == chain


def test_one_look_up_that_is_added_serves_all_that_want_it(graph: ToolGraph, environments: InProcess) -> None:
    chain = Chain(
        (f"{HOTELS}-search_hotels", f"{HOTELS}-book_room", f"{HOTELS}-cancel_reservation", f"{HOTELS}-change_dates"),
        (Link(1, "hotel_id", 0, "hotels[].id"), Link(2, "reservation_id", 1, "id"), Link(3, "reservation_id", 1, "id")),
    )
    mended = mender(graph, environments).rerouted(chain, chain.links[1:], random.Random(0))
    assert mended.tools == (*chain.tools, f"{HOTELS}-list_reservations")
    assert [link.producer for link in mended.links] == [0, 4, 4]
