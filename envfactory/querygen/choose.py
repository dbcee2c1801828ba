"""Choosing among candidates: by what execution shows first, by a judge among those that serve equally well.

Execution shows whether the final state is gold's, whether every gold call was made, and whether the answers tell only
what results gave and the user said. The share of candidates of which all three hold is the pass rate: how easy the task
is. A judge (rules, or a language model) only ever chooses among the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from envfactory.environment.equivalence import compare_states
from envfactory.querygen.played import Played, unsupported_facts
from envfactory.querygen.task import Task


@dataclass(frozen=True, slots=True)
class Verdict:
    """What execution shows of a candidate.

    Attributes:
        equivalent: whether its final state is equivalent to gold's.
        undecided: whether the comparison gave up.
        missing: how many gold calls it did not make.
        unsupported: numbers and names in its answers that stand in no result and in nothing that the user said.
    """

    equivalent: bool
    undecided: bool
    missing: int
    unsupported: int

    @property
    def passed(self) -> bool:
        """Whether the candidate serves the task."""
        return self.equivalent and not self.missing and not self.unsupported

    @property
    def rank(self) -> tuple[bool, int, int]:
        """Less is better."""
        return not self.equivalent, self.missing, self.unsupported


class Judge(Protocol):
    """Chooses among conversations that serve equally well."""

    def choose(self, task: Task, finalists: Sequence[Played]) -> int:
        """Return the place of the best of the finalists, of which there is at least one."""
        ...


class RuleJudge:
    """Prefers the fewest calls beyond gold's, then the fewest refused ones, questions and words; then the first."""

    def choose(self, task: Task, finalists: Sequence[Played]) -> int:
        """Return the place of the best."""

        def cost(place: int) -> tuple[int, int, int, int, int]:
            played = finalists[place]
            if played.exact:
                return 0, 0, 0, 0, place
            words = sum(len(turn.answer.split()) for turn in played.turns)
            surplus = len(played.moves) - len(task.gold.calls)
            return surplus, len(played.refused()), sum(1 for _ in played.exchanges()), words, place

        return min(range(len(finalists)), key=cost)


def examine(task: Task, played: Played) -> Verdict:
    """Look at what a candidate did."""
    gold = task.gold
    unsupported = sum(1 for _ in unsupported_facts(task, played))
    if played.exact:
        return Verdict(equivalent=True, undecided=False, missing=0, unsupported=unsupported)
    if played.diff == gold.diff:
        comparison = task.same
    else:
        comparison = compare_states(task.specs, task.program.bases, played.diff, gold.diff)
    calls = [move.executed for move in played.moves]
    missing = len(task.to_match) - len(task.to_match.match(calls, comparison))
    undecided = any(verdict.undecided for verdict in comparison.verdicts.values())
    return Verdict(comparison.equal, undecided, missing, unsupported)


def choose(task: Task, candidates: Sequence[Played], verdicts: Sequence[Verdict], judge: Judge) -> int:
    """The place of the best candidate."""
    best = min(verdict.rank for verdict in verdicts)
    places = [place for place, verdict in enumerate(verdicts) if verdict.rank == best]
    return places[judge.choose(task, [candidates[place] for place in places])]
