"""Scores for trajectories on file: what stage `score` runs.

Gold is replayed once for its executed calls; each candidate's final changes stand in the trajectory already. The
documents that sessions open with are kept for as many references as fit a bounded cache, since trajectories share them.
"""

from __future__ import annotations

from collections import OrderedDict

from pydantic import Field

from envfactory.environment import Backend, Reference, Session
from envfactory.environment.equivalence import Wanted
from envfactory.environment.states import State
from envfactory.gold import ReplayError, replay
from envfactory.reward.matching import GoldCalls
from envfactory.reward.reward import COMPOSITE, RewardSettings, Score, score_against
from envfactory.trajectory import Trajectory


class ScoreRow(Score):
    """One line of `scores.jsonl`: a candidate's score, and whose it is.

    Attributes:
        id: of the trajectory.
        candidate: index among its candidates.
        chosen: whether it is the trajectory's conversation.
    """

    id: str
    candidate: int = Field(ge=0)
    chosen: bool


class Rescorer:
    """Scores trajectories in environments of one backend."""

    def __init__(self, backend: Backend, settings: RewardSettings = COMPOSITE, references: int = 64) -> None:
        """Prepare to score.

        Args:
            backend: opens the trajectories' environments.
            settings: of the equation.
            references: how many session references' documents to keep.
        """
        self._backend = backend
        self._settings = settings
        self._references = references
        self._bases: OrderedDict[bytes, dict[str, State]] = OrderedDict()

    def rows(self, trajectory: Trajectory) -> list[ScoreRow]:
        """Score every candidate of a trajectory, in order.

        Raises:
            ValueError: gold no longer runs, so the environments are not those that the trajectory was made with.
            KeyError: an environment that the backend does not have.
            EnvironmentFailure: infrastructure failed; nothing is scored.
        """
        gold = trajectory.gold
        with Session(self._backend, gold.reference) as session:
            specs = session.specs
            bases = self._base(session, gold.reference)
            try:
                executed = list(replay(gold, session).calls.values())
            except ReplayError as error:
                raise ValueError(
                    f"trajectory {trajectory.id!r}: its gold no longer runs ({error}); "
                    "make the trajectories anew with the present environments"
                ) from error
        wanted, answer = Wanted(specs, bases, gold.diff), GoldCalls(gold, executed, specs)
        rows: list[ScoreRow] = []
        for index, candidate in enumerate(trajectory.candidates):
            diff = candidate.turns[-1].diff if candidate.turns else {}
            found = score_against(answer, list(candidate.calls()), wanted.compare(diff), self._settings)
            rows.append(ScoreRow(**dict(found), id=trajectory.id, candidate=index, chosen=index == trajectory.chosen))
        return rows

    def _base(self, session: Session, reference: Reference) -> dict[str, State]:
        """The parsed documents that a session has just opened with."""
        key = reference.model_dump_json().encode()
        if key not in self._bases:
            self._bases[key] = session.documents()
            if len(self._bases) > self._references:
                self._bases.popitem(last=False)
        self._bases.move_to_end(key)
        return self._bases[key]
