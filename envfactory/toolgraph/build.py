"""Building the graph: propose by text, refine by rules, prove by execution, class the inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from envfactory.embedding import Embedder
from envfactory.environment import Backend, Spec
from envfactory.toolgraph.adviser import Advice, Adviser
from envfactory.toolgraph.graph import Edge, Input, Kind, Proof, Pruned, ToolGraph, ToolNode
from envfactory.toolgraph.leaves import Leaf, Leaves, leaves_of
from envfactory.toolgraph.propose import Pair, Texts, propose
from envfactory.toolgraph.prove import EMPTY, Prover
from envfactory.toolgraph.rules import declared, echo_inputs, objection
from envfactory.toolgraph.score import agree, declared_pairs, scores

if TYPE_CHECKING:
    import rustworkx

NO_ADVICE = Advice(frozenset(), frozenset(), {})


class GraphSettings(Protocol):
    """How a graph is built; the configuration's `graph` node has these fields."""

    @property
    def threshold(self) -> float | None:
        """Cosine at which an edge is proposed; None: the embedder's own."""
        ...

    @property
    def propose_top(self) -> int:
        """At most this many producing tools are proposed for an input."""
        ...

    @property
    def prove(self) -> bool:
        """Whether edges are proved by execution, if there is a backend."""
        ...

    @property
    def scenario_size(self) -> int:
        """Size of the scenarios in which they are."""
        ...


@dataclass(frozen=True, slots=True)
class Settings:
    """`GraphSettings` without a configuration."""

    threshold: float | None = None
    propose_top: int = 8
    prove: bool = True
    scenario_size: int = 50


def build_graph(
    specs: Iterable[Spec],
    embedder: Embedder,
    settings: GraphSettings,
    backend: Backend | None = None,
    adviser: Adviser | None = None,
) -> ToolGraph:
    """Build the tool graph of some environments.

    Args:
        specs: the environments; tools that only the user performs are left out.
        embedder: for the text proposal.
        settings: see `GraphSettings`.
        backend: runs the proof; None, or `settings.prove` false, leaves every edge untried.
        adviser: a language model that adds and prunes edges inside environments and classes inputs; None: rules alone.

    Returns:
        The graph. Inside an environment an edge stands by agreeing declarations unless execution speaks against it, or
        by text and a successful proof; across environments every edge needs its proof. Without proof the rules alone
        decide. An adviser's addition stands only if execution proves it; what execution proved stands whatever is
        advised.
    """
    leaves = leaves_of(specs)
    texts = Texts.embed(leaves, embedder)
    threshold = embedder.threshold if settings.threshold is None else settings.threshold
    proposed = propose(leaves, texts, threshold, settings.propose_top)
    suggested = {*proposed, *declared(leaves, settings.propose_top)}
    advice = adviser.advise(leaves, texts, suggested) if adviser else NO_ADVICE
    pairs = sorted(suggested | advice.kept)
    cosines = dict(zip(pairs, texts.cosines(pairs), strict=True))
    prover = Prover(leaves, backend, settings.scenario_size) if backend is not None and settings.prove else None
    refining = _Refining(leaves, proposed, cosines, prover, advice)
    try:
        for pair in pairs:
            refining.judge(pair)
        _link_groups(leaves, texts, refining)
    finally:
        if prover:
            prover.close()
    total = declared_pairs(leaves)
    return ToolGraph(
        embedder=embedder.name,
        threshold=threshold,
        tools=_tools(leaves, refining.edges, advice.kinds),
        edges=tuple(sorted(refining.edges.values(), key=lambda edge: edge.key)),
        pruned=tuple(sorted(refining.pruned, key=lambda p: (p.consumer, p.input, p.producer, p.output))),
        proposal=scores(leaves, proposed, total),
        refined=scores(leaves, refining.edges, total - refining.echoes),
    )


def _link_groups(leaves: Leaves, texts: Texts, refining: _Refining) -> None:
    """Link each group of tools that the limit of producers has cut off from all others.

    Where many environments give one kind of value, an amount that is due, an input takes the first few of them; a tool
    that gives nothing else would lead nowhere. Of what declarations suggest, the first pair that stands links a group.
    """
    import rustworkx

    graph: rustworkx.PyGraph[int, None] = rustworkx.PyGraph()
    graph.add_nodes_from(range(len(leaves.tools)))
    graph.add_edges_from_no_data(
        [(leaves.outputs[output].tool, leaves.inputs[into].tool) for output, into in refining.edges]
    )
    groups = sorted(rustworkx.connected_components(graph), key=lambda group: (-len(group), min(group)))
    unlimited = [pair for pair in declared(leaves, len(leaves.tools)) if pair not in refining.cosines]
    for group in groups[1:]:
        for pair in unlimited:
            ends = (leaves.outputs[pair[0]].tool in group, leaves.inputs[pair[1]].tool in group)
            if any(ends) and not all(ends):
                refining.cosines[pair] = texts.cosines([pair])[0]
                refining.judge(pair)
                if pair in refining.edges:
                    break


class _Refining:
    """Judges pairs one by one: `edges` stand, `pruned` fell."""

    def __init__(
        self,
        leaves: Leaves,
        proposed: dict[Pair, float],
        cosines: dict[Pair, float],
        prover: Prover | None,
        advice: Advice,
    ) -> None:
        self.leaves, self.proposed, self.cosines, self.prover = leaves, proposed, cosines, prover
        self.advice = advice
        self.edges: dict[Pair, Edge] = {}
        self.pruned: list[Pruned] = []
        self.echoes = 0

    def judge(self, pair: Pair) -> None:
        output, into = self.leaves.outputs[pair[0]], self.leaves.inputs[pair[1]]
        reason = objection(output, into)
        if not reason and self._is_echo(output):
            reason = "echo: the producer only gives back what it was given"
            self.echoes += agree(output, into)
        proof = Proof()
        if not reason and self.prover:
            proof = self.prover.prove(output, into)
        if not reason and (self.prover or self._only_advised(pair)):
            reason = self._unproved(pair, proof)
        reasons = (f"declared: {into.key} on both sides",) if agree(output, into) else ()
        if pair in self.proposed:
            reasons += ("text: the cosine reaches the threshold",)
        if pair in self.advice.kept:
            reasons += ("model: says that it holds this value",)
        elif pair in self.advice.refused and not reason:
            if proof.state != "proved":
                reason = "model: says that it does not hold this value"
            reasons += ("model: refused, but overruled by the proof",)
        names = {
            "producer": self.leaves.tools[output.tool].wire_name,
            "output": output.path,
            "consumer": self.leaves.tools[into.tool].wire_name,
            "input": into.path,
        }
        if reason:
            self.pruned.append(
                Pruned(**names, cosine=self.cosines[pair], proposed=pair in self.proposed, reason=reason)
            )
            return
        self.edges[pair] = Edge(
            **names, cosine=self.cosines[pair], proposed=pair in self.proposed, reasons=reasons, proof=proof
        )

    def _is_echo(self, output: Leaf) -> bool:
        """By rule, unless execution saw another value come out."""
        inputs = echo_inputs(self.leaves, output)
        return bool(inputs) and (self.prover is None or self.prover.gives_back(output, inputs) is not False)

    def _only_advised(self, pair: Pair) -> bool:
        output, into = self.leaves.outputs[pair[0]], self.leaves.inputs[pair[1]]
        return pair not in self.proposed and not agree(output, into)

    def _unproved(self, pair: Pair, proof: Proof) -> str:
        output, into = self.leaves.outputs[pair[0]], self.leaves.inputs[pair[1]]
        if not agree(output, into) and proof.outcome != "ok":
            alone = "a model" if self._only_advised(pair) else "text"
            return f"unproved: {alone} alone proposed it ({proof.outcome or 'nothing is proved'})"
        if proof.state == "proved":
            return ""
        if self.leaves.environments[output.tool] != self.leaves.environments[into.tool]:
            return f"unproved: it leads to another environment ({proof.outcome})"
        if proof.outcome == EMPTY:
            return f"disproved: {EMPTY}"
        if proof.state == "refused" and self.prover and self.prover.takes_others(into):
            return f"disproved: the consumer takes other values, never these ({proof.outcome})"
        return ""


def _tools(leaves: Leaves, edges: Mapping[Pair, Edge], kinds: Mapping[Leaf, Kind]) -> tuple[ToolNode, ...]:
    sources = Counter(leaves.inputs[into] for _, into in edges)
    proved = {leaves.inputs[into] for (_, into), edge in edges.items() if edge.proof.state == "proved"}
    outputs: list[list[str]] = [[] for _ in leaves.tools]
    for leaf in leaves.outputs:
        outputs[leaf.tool].append(leaf.path)
    return tuple(
        ToolNode(
            tool=tool.wire_name,
            environment=tool.environment,
            writes=tool.writes,
            inputs=tuple(
                _advised(_classed(leaf, sources[leaf]), kinds.get(leaf), leaf in proved)
                for leaf in leaves.inputs_of[index]
            ),
            outputs=tuple(outputs[index]),
        )
        for index, tool in enumerate(leaves.tools)
    )


def _advised(ruled: Input, kind: Kind | None, proved: bool) -> Input:
    """Class an input as advised, unless execution speaks against it.

    What some tool was proved to give can be internal; what none gives, a person must know. An id that was proved to
    come from a tool stays internal, since no person knows it.
    """
    if kind is None or kind == ruled.kind:
        return ruled
    if (kind == "internal") != proved:
        told = "no tool was proved to give it" if kind == "internal" else "a tool was proved to give it"
        return ruled.model_copy(update={"reason": f"{ruled.reason} (the model says {kind}, but {told})"})
    return ruled.model_copy(update={"kind": kind, "reason": f"the model says {kind} (by rule {ruled.kind})"})


def _classed(leaf: Leaf, sources: int) -> Input:
    """Class an input: internal if it is an id that some tool gives, external otherwise."""
    parameter = leaf.parameter
    if parameter.secret:
        reason = f"only the person has the {parameter.secret}, and says it when asked"
        return Input(path=leaf.path, required=leaf.required, kind="external", reason=reason)
    named = not leaf.key and parameter.type == "string" and parameter.name.endswith("_id")
    if sources and (leaf.ref or named):
        what = f"the system makes the ids of a {leaf.ref}" if leaf.ref else "it is named like an id"
        reason = f"{what}; edges that lead here: {sources}"
        return Input(path=leaf.path, required=leaf.required, kind="internal", reason=reason)
    if leaf.ref:
        reason = f"no tool gives the id of a {leaf.ref}, so the user must know it"
    elif parameter.free_text:
        reason = "prose, in the user's words"
    elif parameter.enum or parameter.type == "boolean":
        reason = "a choice among options"
    elif parameter.value:
        reason = f"the user knows the {parameter.value.replace('_', ' ')}"
    elif parameter.format:
        reason = f"the user knows the {parameter.format.replace('-', ' and ')}"
    elif parameter.type in ("integer", "number"):
        reason = "a number that the user says"
    else:
        reason = "a word that the user says"
    return Input(path=leaf.path, required=leaf.required, kind="external", reason=reason)
