"""From grounded chains to trajectories: plan, write, refine, check, play, choose (arXiv 2605.18703, section 3.3).

Everything happens in one session: gold is played once and its states are kept, so that each of the k candidates starts
from the state in which gold started, and whatever is replayed later starts from the last state that is still right.
What is dropped is counted by reason.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, replace
from itertools import chain

from envfactory.environment import Backend, Reference, Session
from envfactory.environment.equivalence import compare_states
from envfactory.environment.states import State
from envfactory.gold import Gold, ReplayError
from envfactory.querygen.acting import tell_to_act
from envfactory.querygen.assistant import Assistant, RuleAssistant, system_prompt
from envfactory.querygen.base import recounted
from envfactory.querygen.choose import Judge, RuleJudge, Verdict, choose, examine
from envfactory.querygen.filter import Filtered, filtered, needed_calls
from envfactory.querygen.mask import Masker
from envfactory.querygen.planner import Plan, Planner
from envfactory.querygen.played import Played, candidate_of, gold_as_played
from envfactory.querygen.program import Program
from envfactory.querygen.refine import Refined, Refiner
from envfactory.querygen.request import Request
from envfactory.querygen.secrets import ask_for_secrets, secret_problems
from envfactory.querygen.solvable import problems
from envfactory.querygen.task import Task, play_gold, without_calls
from envfactory.querygen.writer import Unsayable, Writer
from envfactory.trajectory import Candidate, Persona, Trajectory


class Rejected(Exception):
    """A chain did not become a trajectory; `reason` is a short key for counting."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The pass rates that a task may have, both included: share of the candidates that serve it."""

    least: float = 0.0
    most: float = 1.0


@dataclass(frozen=True, slots=True)
class Story:
    """A trajectory with what was played for it, as it was before anything was written down.

    `undone` are the refinements that were tried and undone: see `Refined.rejected`.
    """

    trajectory: Trajectory
    candidates: list[Played]
    verdicts: list[Verdict]
    filtered: Filtered
    undone: tuple[str, ...] = ()


class Synthesizer:
    """Turns gold programs into trajectories, one at a time."""

    def __init__(
        self,
        backend: Backend,
        planner: Planner,
        writer: Writer,
        most_calls: int = 5,
        *,
        refiner: Refiner | None = None,
        assistant: Assistant | None = None,
        judge: Judge | None = None,
        masker: Masker | None = None,
        candidates: int = 1,
        difficulty: Difficulty | None = None,
    ) -> None:
        """Put the roles together.

        Args:
            backend: opens the sessions.
            planner: divides the calls into turns.
            writer: writes the requests.
            most_calls: a plan with more calls in a turn is rejected.
            refiner: makes the requests less explicit; None: they stay as they are written.
            assistant: plays the candidates; None: by rules, without imperfections.
            judge: chooses among candidates that serve equally well; None: by rules.
            masker: finds the arguments that do not matter; None: only prose does not.
            candidates: how many are played.
            difficulty: tasks with another pass rate are rejected.
        """
        self.backend, self.planner, self.writer, self.most_calls = backend, planner, writer, most_calls
        self.refiner, self.masker, self.candidates = refiner, masker, candidates
        self.assistant = assistant or RuleAssistant(backend)
        self.judge = judge or RuleJudge()
        self.difficulty = difficulty or Difficulty()

    def synthesize(self, gold: Gold, rng: random.Random) -> Trajectory:
        """Make one conversation.

        Raises:
            Rejected: it cannot be said, is not solvable, no candidate serves it, or too few or too many do.
            EnvironmentFailure: infrastructure failed.
        """
        return self.story(gold, rng).trajectory

    def story(self, gold: Gold, rng: random.Random) -> Story:
        """Make one conversation, and tell how it came about; raises as `synthesize` does."""
        specs = {name: self.backend.specs[name] for name in gold.reference.environments}
        plan = self.planner.plan(gold, specs, rng)
        if max(plan.gold.turns) > self.most_calls:
            raise Rejected("too_long", f"a turn has {max(plan.gold.turns)} calls, the most is {self.most_calls}")
        # The plan may start from another state than the chain was grounded in.
        with Session(self.backend, plan.gold.reference) as session:
            task, refined = self._task(plan, session, rng)
            if self.masker is not None:
                task = _masked(task, self.masker, rng)
            played = self._play(task, plan.persona, rng)
            # Candidates without a lapse are one and the same conversation: it is looked at and written down once.
            examined = {id(each): examine(task, each) for each in {id(each): each for each in played}.values()}
            verdicts = [examined[id(each)] for each in played]
            chosen = choose(task, played, verdicts, self.judge)
            self._judge(verdicts, chosen)
            found = filtered(task, played[chosen])
        plain = Filtered()
        written: dict[tuple[int, int], Candidate] = {}
        candidates: list[Candidate] = []
        for each, verdict in zip(played, verdicts, strict=True):
            labels = found if len(candidates) == chosen else plain
            key = id(each), id(labels)
            if key not in written:
                written[key] = _candidate(each, verdict, labels)
            candidates.append(written[key])
        cleaned = None if found.cleaned is None else _candidate(found.cleaned, verdicts[chosen], found.kept())
        persona = plan.persona
        trajectory = Trajectory.model_construct(
            id=trajectory_id(task.gold, task.requests),
            domains=tuple(dict.fromkeys(spec.domain for spec in specs.values())),
            persona=persona,
            system=system_prompt(specs.values(), persona.name, gold.reference.now),
            tools=tuple(tool.wire_name for spec in specs.values() for tool in spec.agent_tools),
            gold=task.gold,
            candidates=tuple(candidates),
            chosen=chosen,
            cleaned=cleaned,
            pass_rate=_pass_rate(verdicts),
            changes=refined.changes,
        )
        return Story(trajectory, played, verdicts, found, refined.rejected)

    # -- the task -------------------------------------------------------------------------------------------------

    def _task(self, plan: Plan, session: Session, rng: random.Random) -> tuple[Task, Refined]:
        """Write, refine and check; what nobody needs is left out."""
        task = self._run(Program(plan.gold, session.specs, {}, {}, session.documents()), [], session)
        if not _equivalent(plan.gold, task):
            raise Rejected("other_state", "the replay does not end where gold ends")
        try:
            requests = self.writer.write(task.program, plan.persona, rng)
        except Unsayable as error:
            raise Rejected("unsayable", str(error)) from None
        # Whether a chain becomes a conversation must not depend on what is switched on, or what is refined otherwise
        # could not be compared: what is asked for outright decides.
        self._check(task.program, requests)
        explicit = Refined(task.program, requests)
        refined = explicit
        if self.refiner is not None:
            refined = self.refiner.refine(task.program, requests, plan.persona, rng)
        try:
            return self._finished(task, refined, plan, session, rng)
        except Rejected as error:
            if not refined.changes:
                raise
            undone = (*refined.rejected, f"conversation:{error.reason}")
            return self._finished(task, replace(explicit, rejected=undone), plan, session, rng)

    def _finished(
        self, task: Task, refined: Refined, plan: Plan, session: Session, rng: random.Random
    ) -> tuple[Task, Refined]:
        """Execute what was added, leave out what nobody needs, have secrets asked for, and check."""
        program, requests = refined.program, refined.requests
        if program.gold.calls != task.gold.calls:
            task = self._run(program, requests, session, task)
        else:
            task = Task(program, requests, session, task.snapshots)
        needed = needed_calls(task, gold_as_played(task))
        if len(needed) < len(task.gold.calls):
            gold, requests = without_calls(task.gold, task.requests, needed)
            refined = replace(refined, changes=recounted(refined.changes, needed))
            task = self._run(task.program.with_run(gold, {}, {}), requests, session, task)
        try:
            asked = ask_for_secrets(task.program, task.requests, refined.changes, plan.persona, rng)
            asked = tell_to_act(asked.program, asked.requests, asked.changes, rng)
        except Unsayable as error:
            raise Rejected("unsayable", str(error)) from None
        if asked.requests != task.requests:
            task = Task(asked.program, asked.requests, session, task.snapshots)
            refined = replace(refined, changes=asked.changes)
        self._check(task.program, task.requests, secrets=True)
        return task, refined

    def _run(self, program: Program, requests: list[Request], session: Session, like: Task | None = None) -> Task:
        try:
            return play_gold(program, requests, session, like)
        except ReplayError as error:
            raise Rejected("replay", str(error)) from None

    def _check(self, program: Program, requests: list[Request], *, secrets: bool = False) -> None:
        """Reject what cannot be served; secrets are looked at once they are asked for."""
        told = secret_problems(program, requests) if secrets else ()
        found = next(chain(problems(program, requests), told), None)
        if found is not None:
            raise Rejected(found.reason, str(found))

    # -- candidates -----------------------------------------------------------------------------------------------

    def _play(self, task: Task, persona: Persona, rng: random.Random) -> list[Played]:
        played: list[Played] = []
        for _ in range(self.candidates):
            task.session.restore(task.snapshots[0])
            played.append(self.assistant.play(task, persona, task.session, random.Random(rng.getrandbits(64))))
        return played

    def _judge(self, verdicts: list[Verdict], chosen: int) -> None:
        rate = _pass_rate(verdicts)
        if not verdicts[chosen].passed:
            raise Rejected("impossible", f"none of {len(verdicts)} candidates serves the task")
        if rate < self.difficulty.least:
            raise Rejected("too_hard", f"pass rate {rate:g}, the least is {self.difficulty.least:g}")
        if rate > self.difficulty.most:
            raise Rejected("too_easy", f"pass rate {rate:g}, the most is {self.difficulty.most:g}")


def _pass_rate(verdicts: list[Verdict]) -> float:
    return sum(verdict.passed for verdict in verdicts) / len(verdicts)


def _candidate(played: Played, verdict: Verdict, found: Filtered) -> Candidate:
    return candidate_of(
        played,
        equivalent=verdict.equivalent,
        undecided=verdict.undecided,
        complete=not verdict.missing,
        supported=not verdict.unsupported,
        labels=found.labels,
        needless=found.needless,
    )


def _masked(task: Task, masker: Masker, rng: random.Random) -> Task:
    """The task with the arguments masked that do not matter."""
    calls = tuple(
        call if call.masked == masked else call.model_copy(update={"masked": masked})
        for call, masked in zip(task.gold.calls, masker.masks(task, rng), strict=True)
    )
    return task.with_calls(calls)


def _equivalent(gold: Gold, task: Task) -> bool:
    if gold.diff == task.gold.diff:
        return True
    return compare_states(task.specs, task.program.bases, gold.diff, task.gold.diff).equal


def base_documents(backend: Backend, reference: Reference) -> dict[str, State]:
    """The parsed state documents that sessions of a reference open with."""
    with Session(backend, reference) as session:
        return session.documents()


def trajectory_id(gold: Gold, requests: list[Request]) -> str:
    """A name for a task by its content: the same program and requests have the same id everywhere."""
    content = gold.model_dump_json() + "\0" + "\0".join(request.text for request in requests)
    return "t-" + hashlib.sha256(content.encode()).hexdigest()[:16]
