"""The tool graph: which tool's output feeds which tool's input (arXiv 2605.18703, section 3.2)."""

from envfactory.toolgraph.graph import Edge, Input, Proof, Pruned, Scores, ToolGraph, ToolNode

__all__ = ["Edge", "Input", "Proof", "Pruned", "Scores", "ToolGraph", "ToolNode"]
