"""One pass over trajectories and scores: the counts and histograms of a report, and the conversations that it shows.

Memory is bounded by what is shown, not by how many trajectories there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from envfactory.environment import Backend, EnvironmentFailure, Reference, Session
from envfactory.environment.spec import SEPARATOR
from envfactory.environment.states import State
from envfactory.reporting.changes import turn_changes
from envfactory.reporting.inputs import TERMS, ReportInputs
from envfactory.trajectory import Step, Trajectory

SHOWN = 300
"""Conversations on the page at most."""

SHOWN_BYTES = 6_000_000
"""Their JSON at most, so that the page opens at once."""

RESULT_CHARACTERS = 4_000
"""A longer result is cut on the page, which says so."""

BINS = 20
"""Bins of a reward histogram."""


@dataclass(slots=True)
class Facts:
    """What was counted.

    Attributes:
        turns: conversations by their number of turns; `steps`: turns by their number of steps.
        environments: conversations by how many environments they call.
        tools: calls by wire name.
        shown: conversations for the browser, as plain data.
        terms: for each reward term, values by bin.
        rewards: sums of the terms, for means.
    """

    trajectories: int = 0
    calls: int = 0
    refused: int = 0
    parallel: int = 0
    turns: Counter[int] = field(default_factory=Counter[int])
    steps: Counter[int] = field(default_factory=Counter[int])
    environments: Counter[int] = field(default_factory=Counter[int])
    tools: Counter[str] = field(default_factory=Counter[str])
    shown: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    scored: int = 0
    terms: dict[str, Counter[float]] = field(default_factory=lambda: {term: Counter() for term in TERMS})
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TERMS, 0.0))

    def mean_term(self, term: str) -> float | None:
        """Mean of a reward term."""
        return self.sums[term] / self.scored if self.scored else None


def mean(counts: Mapping[int, int]) -> float | None:
    """Mean of a histogram's values."""
    total = sum(counts.values())
    return sum(value * count for value, count in counts.items()) / total if total else None


def gather(inputs: ReportInputs) -> Facts:
    """Count everything once."""
    facts = Facts()
    rewards: dict[tuple[str, int], dict[str, float]] = {}
    wanted = _ids_of_first(inputs)
    for identifier, candidate, terms in inputs.score_rows():
        facts.scored += 1
        for term, value in terms.items():
            facts.sums[term] += value
            facts.terms[term][round(round(value * BINS) / BINS, 4)] += 1
        if identifier in wanted:
            rewards[identifier, candidate] = terms
    splits = inputs.split_sets()
    sets: Mapping[str, str] = splits.sets if splits else {}
    bases = _Bases(inputs.backend)
    room = SHOWN_BYTES
    for trajectory in _trajectories(inputs):
        _count(facts, trajectory)
        if len(facts.shown) < SHOWN and room > 0:
            view = conversation_view(
                trajectory,
                bases.of(trajectory.gold.reference),
                sets.get(trajectory.id, ""),
                rewards.get((trajectory.id, trajectory.chosen)),
            )
            room -= len(orjson.dumps(view))
            facts.shown.append(view)
    return facts


def conversation_view(
    trajectory: Trajectory, bases: Mapping[str, State], chosen_set: str, terms: dict[str, float] | None
) -> dict[str, Any]:
    """A conversation as the page's browser takes it.

    Args:
        trajectory: its chosen candidate is shown.
        bases: the session's first states, if at hand.
        chosen_set: the set that it belongs to, or nothing.
        terms: its reward and terms, if it was scored.
    """
    turns: list[dict[str, Any]] = []
    before: Mapping[str, Any] = {}
    for turn in trajectory.conversation.turns:
        changes = list(turn_changes(before, turn.diff, bases))
        before = turn.diff
        turns.append({"user": turn.user, "steps": [_step_view(step) for step in turn.steps], "changes": changes})
    tools = sorted({call.tool for call in trajectory.conversation.calls()})
    return {
        "id": trajectory.id,
        "persona": f"{trajectory.persona.name}, {trajectory.persona.manner}",
        "environments": sorted({tool.partition(SEPARATOR)[0] for tool in tools}),
        "tools": tools,
        "set": chosen_set,
        "terms": {name: round(value, 4) for name, value in terms.items()} if terms else None,
        "turns": turns,
    }


def _step_view(step: Step) -> dict[str, Any]:
    calls = [
        {
            "tool": call.tool,
            "arguments": call.arguments,
            "result": call.result[:RESULT_CHARACTERS],
            "cut": max(0, len(call.result) - RESULT_CHARACTERS),
            "ok": call.ok,
            "gold": call.gold,
        }
        for call in step.calls
    ]
    return {"text": step.text, "label": step.label, "calls": calls}


def _count(facts: Facts, trajectory: Trajectory) -> None:
    conversation = trajectory.conversation
    facts.trajectories += 1
    facts.turns[len(conversation.turns)] += 1
    used: set[str] = set()
    for turn in conversation.turns:
        facts.steps[len(turn.steps)] += 1
        facts.parallel += sum(len(step.calls) > 1 for step in turn.steps)
    for call in conversation.calls():
        facts.calls += 1
        facts.refused += not call.ok
        facts.tools[call.tool] += 1
        used.add(call.tool.partition(SEPARATOR)[0])
    facts.environments[len(used)] += 1


def _trajectories(inputs: ReportInputs) -> Iterator[Trajectory]:
    if inputs.trajectories is not None:
        with inputs.trajectories.open("rb") as stream:
            for line in stream:
                yield Trajectory.model_validate_json(line)


def _ids_of_first(inputs: ReportInputs) -> set[str]:
    """Ids of the trajectories that may be shown; only their rewards are kept."""
    if inputs.trajectories is None:
        return set()
    with inputs.trajectories.open("rb") as stream:
        return {orjson.loads(line)["id"] for line, _ in zip(stream, range(SHOWN), strict=False)}


class _Bases:
    """First states of sessions, the last few remembered."""

    def __init__(self, backend: Backend | None) -> None:
        self._backend = backend
        self._cached = lru_cache(maxsize=16)(self._build)

    def of(self, reference: Reference) -> Mapping[str, State]:
        """The first states of a reference; nothing where no backend can open it."""
        known = self._backend is not None and all(name in self._backend.specs for name in reference.environments)
        return self._cached(reference.model_dump_json()) if known else {}

    def _build(self, reference: str) -> Mapping[str, State]:
        assert self._backend is not None
        try:
            with Session(self._backend, Reference.model_validate_json(reference)) as session:
                return session.documents()
        except EnvironmentFailure:
            return {}
