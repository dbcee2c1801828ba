"""What a report is made from, and small readers for what may be missing: each answers None, or nothing, then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from envfactory.dataset import Splits, read_splits
from envfactory.environment import Backend
from envfactory.files import read_jsonl
from envfactory.toolgraph import ToolGraph

TERMS = ("reward", "r_traj", "r_state", "p_length")
"""The reward and its terms, as they are called in `scores.jsonl`."""

REJECTS = (
    ("sample", "rejects", "Chains dropped"),
    ("sample", "left_out", "Tools left out of a chain"),
    ("synthesize", "rejects", "Conversations dropped"),
)
"""Stage, metric, and what it counts by reason."""


@dataclass(frozen=True)
class ReportInputs:
    """Everything that a report may show; what is None or empty was not made, and the page says so.

    Attributes:
        graph: `tool_graph.json`.
        chains: `chains.jsonl`.
        trajectories: `trajectories.jsonl`.
        scores: `scores.jsonl`.
        splits: `splits.json`.
        metrics: stage to its metrics, in the order in which the stages ran.
        costs: stage to `{"seconds": ..., "counts": {...}}`.
        about: short facts for the head of the page, such as the seed.
        backend: opens the trajectories' sessions, so that changes can be shown with the values before them.
    """

    graph: Path | None = None
    chains: Path | None = None
    trajectories: Path | None = None
    scores: Path | None = None
    splits: Path | None = None
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    costs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    about: Mapping[str, str] = field(default_factory=dict[str, str])
    backend: Backend | None = None

    def tool_graph(self) -> ToolGraph | None:
        """The graph."""
        return ToolGraph.load(self.graph) if self.graph else None

    def split_sets(self) -> Splits | None:
        """Who learns from what."""
        return read_splits(self.splits) if self.splits else None

    def chain_count(self) -> int | None:
        """How many chains were grounded."""
        return sum(1 for _ in read_jsonl(self.chains)) if self.chains else None

    def score_rows(self) -> Iterator[tuple[str, int, dict[str, float]]]:
        """Trajectory, candidate, and the reward with its terms."""
        for row in read_jsonl(self.scores) if self.scores else ():
            score = row.get("score", row)
            yield row["id"], row["candidate"], {term: float(score[term]) for term in TERMS}

    def diversity(self) -> dict[str, dict[str, Any]]:
        """Sampler to its figures (`envfactory.sampling.diversity`)."""
        found = _at(self.metrics, "sample", "diversity")
        return {sampler: figures for sampler, figures in found.items() if isinstance(figures, dict)}

    def wording(self) -> dict[str, dict[str, Any]]:
        """The requests, and the phrasings that tools declare, to their figures (`envfactory.querygen.figures`)."""
        requests = _at(self.metrics, "synthesize", "requests")
        found = {"requests": requests, "phrasings": _at(requests, "phrasings")}
        return {texts: figures for texts, figures in found.items() if figures}

    def evaluated(self) -> dict[str, dict[str, Any]]:
        """Model to what it came to on the held-out turns (`envfactory.evaluation.heldout.summary`)."""
        found = _at(self.metrics, "evaluate")
        return {model: figures for model, figures in found.items() if isinstance(figures, dict)}

    def rejects(self) -> dict[str, dict[str, int]]:
        """What was dropped to how often, by reason, the most frequent first."""
        found: dict[str, dict[str, int]] = {}
        for stage, name, what in REJECTS:
            counts = {reason: count for reason, count in _at(self.metrics, stage, name).items() if count}
            if counts:
                found[what] = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        return found


def _at(document: Mapping[str, Any], *path: str) -> dict[str, Any]:
    value: Any = document
    for name in path:
        value = cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
