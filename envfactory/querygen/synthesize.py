"""From grounded chains to trajectories: plan, write, check, play, compare (arXiv 2605.18703, section 3.3).

Every trajectory is played in a fresh session, and counts only if its final state is equivalent to gold's. What is
dropped is counted by reason.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from typing import Any

from envfactory.environment import Backend, Reference, Session, Spec, StateDiff
from envfactory.environment.equivalence import compare_states
from envfactory.gold import Gold, ReplayError, replay
from envfactory.querygen.assistant import steps_of_turn, system_prompt
from envfactory.querygen.planner import Planner
from envfactory.querygen.program import Program
from envfactory.querygen.solvable import leaks, unsaid
from envfactory.querygen.writer import Request, Unsayable, Writer
from envfactory.trajectory import Candidate, Trajectory, Turn


class Rejected(Exception):
    """A chain did not become a trajectory; `reason` is a short key for counting."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


class Synthesizer:
    """Turns gold programs into trajectories, one at a time."""

    def __init__(self, backend: Backend, planner: Planner, writer: Writer, most_calls: int = 5) -> None:
        """Put the roles together.

        Args:
            backend: opens the sessions.
            planner: divides the calls into turns.
            writer: writes the requests.
            most_calls: a plan with more calls in a turn is rejected.
        """
        self.backend, self.planner, self.writer, self.most_calls = backend, planner, writer, most_calls

    def synthesize(self, gold: Gold, rng: random.Random) -> Trajectory:
        """Plan, write and play one conversation.

        Raises:
            Rejected: it cannot be said, is not solvable, or its replay does not end where gold ends.
            EnvironmentFailure: infrastructure failed.
        """
        specs = {name: self.backend.specs[name] for name in gold.reference.environments}
        plan = self.planner.plan(gold, specs, rng)
        if max(plan.gold.turns) > self.most_calls:
            raise Rejected("too_long", f"a turn has {max(plan.gold.turns)} calls, the most is {self.most_calls}")
        program, turns_diffs = self._run(plan.gold, specs)
        try:
            requests = self.writer.write(program, plan.persona, rng)
        except Unsayable as error:
            raise Rejected("unsayable", str(error)) from None
        self._check(program, requests)
        turns = tuple(
            Turn(user=request.text, steps=tuple(steps_of_turn(program, calls, request.asked)), diff=diff)
            for request, calls, diff in zip(requests, plan.gold.turn_slices(), turns_diffs, strict=True)
        )
        if not self._equivalent(gold, specs, turns_diffs[-1]):
            raise Rejected("other_state", "the replay does not end where gold ends")
        tools = tuple(tool.wire_name for spec in specs.values() for tool in spec.agent_tools)
        return Trajectory(
            id=trajectory_id(plan.gold, requests),
            domains=tuple(dict.fromkeys(spec.domain for spec in specs.values())),
            persona=plan.persona,
            system=system_prompt(specs.values(), plan.persona.name, gold.reference.now),
            tools=tools,
            gold=plan.gold,
            candidates=(Candidate(turns=turns, equivalent=True),),
            chosen=0,
        )

    def _run(self, gold: Gold, specs: Mapping[str, Spec]) -> tuple[Program, list[dict[str, StateDiff]]]:
        """Play the program turn by turn in a fresh session: its results, and the diff after each turn."""
        diffs: list[dict[str, StateDiff]] = []
        calls: dict[int, Any] = {}
        outputs: dict[int, Any] = {}
        with Session(self.backend, gold.reference) as session:
            bases = session.documents()
            for turn in gold.turn_slices():
                try:
                    run = replay(gold, session, start=turn.start, stop=turn.stop, outputs=outputs)
                except ReplayError as error:
                    raise Rejected("replay", str(error)) from None
                calls |= run.calls
                outputs = run.outputs
                diffs.append(run.diff)
        return Program(gold, specs, calls, outputs, bases), diffs

    def _check(self, program: Program, requests: list[Request]) -> None:
        texts = [request.text for request in requests]
        if missing := list(unsaid(program, texts)):
            raise Rejected("unsaid", ", ".join(missing))
        if leaked := list(leaks(program, texts)):
            raise Rejected("leaked", ", ".join(leaked))

    def _equivalent(self, gold: Gold, specs: Mapping[str, Spec], diff: Mapping[str, StateDiff]) -> bool:
        if gold.diff == diff:
            return True
        return compare_states(specs, base_documents(self.backend, gold.reference), gold.diff, diff).equal


def base_documents(backend: Backend, reference: Reference) -> dict[str, Any]:
    """The parsed state documents that sessions of a reference open with."""
    with Session(backend, reference) as session:
        return session.documents()


def trajectory_id(gold: Gold, requests: list[Request]) -> str:
    """A name for a task by its content: the same program and requests have the same id everywhere."""
    content = gold.model_dump_json() + "\0" + "\0".join(request.text for request in requests)
    return "t-" + hashlib.sha256(content.encode()).hexdigest()[:16]
