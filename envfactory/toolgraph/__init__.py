"""The tool graph: which tool's output feeds which tool's input (arXiv 2605.18703, section 3.2)."""

from envfactory.toolgraph.build import GraphSettings, Settings, build_graph
from envfactory.toolgraph.graph import Edge, Input, Proof, Pruned, Scores, ToolGraph, ToolNode
from envfactory.toolgraph.leaves import leaves_of
from envfactory.toolgraph.score import threshold_curve

__all__ = [
    "Edge",
    "GraphSettings",
    "Input",
    "Proof",
    "Pruned",
    "Scores",
    "Settings",
    "ToolGraph",
    "ToolNode",
    "build_graph",
    "leaves_of",
    "threshold_curve",
]
