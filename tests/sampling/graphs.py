"""Graphs by hand and at random, for samplers and their checks."""

from __future__ import annotations

import os
import subprocess
import sys

from hypothesis import strategies as st

from envfactory.sampling import TopologySettings
from envfactory.toolgraph import Edge, Input, ToolGraph, ToolNode
from envfactory.toolgraph.graph import Kind

KINDS: dict[str, Kind] = {"need": "internal", "may": "internal", "user": "external"}


def graph(tools: dict[str, dict[str, str]], edges: list[tuple[str, str, str]]) -> ToolGraph:
    """A graph from tools (inputs by path: `need`, `may` or `user`) and edges (producer, consumer, input path).

    Every tool has the one output `out`; an input is required unless it is `may`, internal unless it is `user`.
    """
    nodes = tuple(
        ToolNode(
            tool=name, environment=name.partition("-")[0], writes=False, outputs=("out",),
            inputs=tuple(
                Input(path=path, required=kind != "may", kind=KINDS[kind], reason="test")
                for path, kind in inputs.items()
            ),
        )
        for name, inputs in sorted(tools.items())
    )  # fmt: skip
    made = [
        Edge(producer=p, output="out", consumer=c, input=i, cosine=1.0, proposed=True, reasons=("test",))
        for p, c, i in edges
    ]
    return ToolGraph(
        embedder="test", threshold=0.5, tools=nodes, edges=tuple(sorted(made, key=lambda edge: edge.key))
    )  # fmt: skip


SHOP = graph(
    {
        "shop-search": {"query": "user"},
        "shop-details": {"product": "need"},
        "shop-order": {"product": "need", "coupon": "may"},
        "shop-coupons": {},
        "shop-cancel": {"order": "need"},
        "bank-accounts": {},
        "bank-pay": {"account": "need", "amount": "user"},
    },
    [
        ("shop-search", "shop-details", "product"),
        ("shop-search", "shop-order", "product"),
        ("shop-coupons", "shop-order", "coupon"),
        ("shop-order", "shop-cancel", "order"),
        ("shop-order", "bank-pay", "amount"),
        ("bank-accounts", "bank-pay", "account"),
    ],
)
"""A shop and a bank; an order's total can be paid."""


@st.composite
def graphs(draw: st.DrawFn) -> ToolGraph:
    """A random graph of up to eight tools in up to three environments; cycles and unmet needs included."""
    count = draw(st.integers(1, 8))
    names = [f"{draw(st.sampled_from('abc'))}-t{index}" for index in range(count)]
    tools = {
        name: draw(
            st.dictionaries(st.sampled_from(["x", "y", "z"]), st.sampled_from(["need", "may", "user"]), max_size=3)
        )
        for name in names
    }
    possible = [(p, c, path) for c in names for path in tools[c] for p in names if p != c]
    edges = draw(st.lists(st.sampled_from(possible), unique=True, max_size=16)) if possible else []
    return graph(tools, edges)


def bounds() -> st.SearchStrategy[TopologySettings]:
    """Settings of a sampler, tight and wide ones."""
    return st.builds(
        TopologySettings,
        d_max=st.integers(0, 4),
        p=st.sampled_from([0.0, 0.1, 0.9]),
        k=st.integers(1, 4),
        min_tools=st.integers(1, 3),
        max_tools=st.integers(3, 9),
        max_environments=st.integers(1, 3),
    )


def drawn_under_hash_seeds(*samplers: str) -> list[str]:
    """What expressions such as ``Topology(SHOP, TopologySettings()).sample(200, 5)`` give, by hash seed."""
    code = f"from tests.sampling.graphs import SHOP; from envfactory.sampling import *;print({', '.join(samplers)})"
    return [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True,
            check=True, timeout=60,
        ).stdout
        for seed in ("0", "4242")
    ]  # fmt: skip
