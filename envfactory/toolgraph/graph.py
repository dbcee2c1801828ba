"""`ToolGraph`: which tool's output feeds which tool's input, and the evidence (arXiv 2605.18703, section 3.2).

Tools and their parameters are nodes; an edge leads from an output leaf of one tool to an input leaf of another, in the
same environment or across two. Leaves are named by spec path (`hotels[].id`), tools by wire name. The graph is plain
data that saves to readable JSON; how it is built is in `build`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from envfactory.files import read_json, write_json_atomic

if TYPE_CHECKING:
    import rustworkx

SCHEMA_VERSION = 1

Kind = Literal["internal", "external"]
"""Whether the system made the value (an id), or the user knows it (a city, a date, an amount)."""

ProofState = Literal["proved", "refused", "untried"]


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Input(_Plain):
    """An input leaf of a tool.

    Attributes:
        path: its spec path.
        required: whether every call has it: the leaf and all that holds it are demanded.
        kind: internal or external; `reason` says why.
    """

    path: str
    required: bool
    kind: Kind
    reason: str


class ToolNode(_Plain):
    """A tool that agents are offered; what only the user can do is not in the graph."""

    tool: str
    environment: str
    writes: bool
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]


class Proof(_Plain):
    """What happened when a value was produced in a scenario and fed to the consumer.

    Attributes:
        state: `proved` (the consumer took it), `refused` (it did not), `untried` (no value came out, or proof was off).
        value: the value that was fed, if any.
        outcome: what the consumer said: `ok`, an error code, or why there was nothing to feed.
    """

    state: ProofState = "untried"
    value: str | int | float | bool | None = None
    outcome: str = ""


class Edge(_Plain):
    """An output leaf of `producer` feeds an input leaf of `consumer`.

    Attributes:
        cosine: similarity of the two texts, if both were embedded.
        proposed: whether the text alone proposed the edge.
        reasons: the rules that added or kept it.
        proof: the evidence by execution.
    """

    producer: str
    output: str
    consumer: str
    input: str
    cosine: float
    proposed: bool
    reasons: tuple[str, ...]
    proof: Proof = Proof()

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What orders and identifies edges: consumer, input, producer, output."""
        return (self.consumer, self.input, self.producer, self.output)


class Pruned(_Plain):
    """A pair that the text proposed, or the declarations suggest, and that is no edge; `reason` says why."""

    producer: str
    output: str
    consumer: str
    input: str
    cosine: float
    proposed: bool
    reason: str


class Scores(_Plain):
    """How a set of pairs compares with the pairs whose declarations (`Ref`, `Value`) agree."""

    pairs: int
    declared: int
    precision: float
    recall: float
    f1: float


class ToolGraph(_Plain):
    """The graph, and how it came about.

    Attributes:
        embedder, threshold: what proposed edges, and over which cosine.
        tools: the tool nodes, sorted by wire name.
        edges: sorted by consumer, input, producer, output.
        pruned: likewise, what was proposed or suggested and is no edge.
        proposal: the raw text proposal against the declarations, which it never sees.
        refined: the edges after rules (and proof) against the declarations; the rules do see them.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    embedder: str
    threshold: float
    tools: tuple[ToolNode, ...]
    edges: tuple[Edge, ...]
    pruned: tuple[Pruned, ...] = ()
    proposal: Scores | None = None
    refined: Scores | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for edge in self.edges:
            producer, consumer = self.by_tool.get(edge.producer), self.by_tool.get(edge.consumer)
            if producer is None or edge.output not in producer.outputs:
                raise ValueError(f"an edge leaves {edge.producer} {edge.output}, which is not in the graph")
            if consumer is None or edge.input not in self.classes[edge.consumer]:
                raise ValueError(f"an edge enters {edge.consumer} {edge.input}, which is not in the graph")
        return self

    @cached_property
    def by_tool(self) -> dict[str, ToolNode]:
        """The tool nodes by wire name."""
        return {node.tool: node for node in self.tools}

    @cached_property
    def classes(self) -> dict[str, dict[str, Input]]:
        """The input leaves of every tool, by wire name and path."""
        return {node.tool: {leaf.path: leaf for leaf in node.inputs} for node in self.tools}

    def producers(self, tool: str, input_path: str) -> list[tuple[str, str]]:
        """Who feeds an input leaf: pairs of producing tool and output path, sorted."""
        return [(edge.producer, edge.output) for edge in self.into(tool, input_path)]

    def into(self, tool: str, input_path: str) -> list[Edge]:
        """The edges that lead into an input leaf, sorted by producer and output."""
        return self._into.get((tool, input_path), [])

    def successors(self, tool: str) -> list[str]:
        """The tools that some output of `tool` feeds, sorted."""
        return self._after.get(tool, [])

    def between(self, producer: str, consumer: str) -> list[Edge]:
        """The edges from one tool to another."""
        return self._between.get((producer, consumer), [])

    def save(self, path: Path) -> None:
        """Write the graph as JSON for people to read: sorted, so that equal graphs are equal files."""
        write_json_atomic(path, self.model_dump(mode="json"))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a saved graph.

        Raises:
            ValueError: the file is not a graph, or is one of another schema version.
            OSError: the file cannot be read.
        """
        document = read_json(path)
        version = document.get("schema_version") if isinstance(document, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if version != SCHEMA_VERSION:
            raise ValueError(f"{path}: schema_version is {version!r}, expected {SCHEMA_VERSION}; build the graph anew")
        return cls.model_validate(document, strict=False)

    def digraph(self) -> rustworkx.PyDiGraph[tuple[str, str, str], Edge | None]:
        """The graph for graph algorithms: nodes `("tool" | "output" | "input", wire name, path)`.

        From a tool to its outputs and from inputs to their tool there is no payload, from output to input the `Edge`.
        """
        import rustworkx

        graph: rustworkx.PyDiGraph[tuple[str, str, str], Edge | None] = rustworkx.PyDiGraph(multigraph=False)
        index = {node: graph.add_node(node) for node in self._nodes()}
        for tool in self.tools:
            at = index["tool", tool.tool, ""]
            graph.add_edges_from([(at, index["output", tool.tool, path], None) for path in tool.outputs])
            graph.add_edges_from([(index["input", tool.tool, leaf.path], at, None) for leaf in tool.inputs])
        graph.add_edges_from(
            [(index["output", e.producer, e.output], index["input", e.consumer, e.input], e) for e in self.edges]
        )
        return graph

    def statistics(self) -> dict[str, Any]:
        """Counts and shares: nodes, edges within and across environments, proved share, tools that stand alone."""
        import rustworkx

        graph = self.digraph()
        joined = {name for edge in self.edges for name in (edge.producer, edge.consumer)}
        across = sum(self.by_tool[e.producer].environment != self.by_tool[e.consumer].environment for e in self.edges)
        states = [edge.proof.state for edge in self.edges]
        leaves = [leaf for node in self.tools for leaf in node.inputs]
        return {
            "nodes": graph.num_nodes(),
            "tools": len(self.tools),
            "environments": len({node.environment for node in self.tools}),
            "edges": len(self.edges),
            "edges_within": len(self.edges) - across,
            "edges_across": across,
            "tool_pairs": len(self._between),
            "proved": states.count("proved"),
            "proved_share": round(states.count("proved") / len(states), 4) if states else 0.0,
            "isolated_tools": sorted(set(self.by_tool) - joined),
            "components": rustworkx.number_weakly_connected_components(graph),
            "inputs_internal": sum(leaf.kind == "internal" for leaf in leaves),
            "inputs_external": sum(leaf.kind == "external" for leaf in leaves),
            "proposal": self.proposal.model_dump() if self.proposal else None,
            "refined": self.refined.model_dump() if self.refined else None,
        }

    def _nodes(self) -> Iterator[tuple[str, str, str]]:
        for tool in self.tools:
            yield ("tool", tool.tool, "")
            yield from (("input", tool.tool, leaf.path) for leaf in tool.inputs)
            yield from (("output", tool.tool, path) for path in tool.outputs)

    @cached_property
    def _into(self) -> dict[tuple[str, str], list[Edge]]:
        found: dict[tuple[str, str], list[Edge]] = {}
        for edge in self.edges:
            found.setdefault((edge.consumer, edge.input), []).append(edge)
        return found

    @cached_property
    def _between(self) -> dict[tuple[str, str], list[Edge]]:
        found: dict[tuple[str, str], list[Edge]] = {}
        for edge in self.edges:
            found.setdefault((edge.producer, edge.consumer), []).append(edge)
        return found

    @cached_property
    def _after(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for producer, consumer in sorted(self._between):
            found.setdefault(producer, []).append(consumer)
        return found
