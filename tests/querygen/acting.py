"""Programs in which the person has to do something themselves: a limit confirmed, a parcel released."""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

from envfactory.catalogue import backend, digests
from envfactory.environment import DEFAULT_NOW, InProcess, Reference, Session, ToolSpec
from envfactory.gold import Gold
from envfactory.querygen import Masker, RuleAssistant, RulePlanner, RuleWriter, Synthesizer
from envfactory.querygen.acting import tell_to_act
from envfactory.querygen.imperfect import Imperfections
from envfactory.querygen.planner import divided
from envfactory.querygen.program import Program
from envfactory.querygen.synthesize import Rejected, Story
from envfactory.querygen.task import Task, play_gold
from envfactory.querygen.telling import told_of
from envfactory.sampling import Chain, Link
from envfactory.sampling.grounding import Grounder
from envfactory.sampling.search import Ungroundable
from envfactory.trajectory import Persona

BANK, PARCELS = "retail_banking", "parcel_tracking"
CONFIRM, SET = f"{BANK}-confirm_limit", f"{BANK}-set_daily_limit"
SIGN, LEAVE = f"{PARCELS}-sign_release", f"{PARCELS}-leave_unattended"
LIMIT = Chain((SET,), ())
RELEASE = Chain((f"{PARCELS}-list_parcels", LEAVE), (Link(1, "parcel_id", 0, "parcels[].id"),))
BOTH = Chain(
    (f"{PARCELS}-list_parcels", LEAVE, f"{BANK}-list_accounts", SET, f"{PARCELS}-track_parcel"),
    (Link(1, "parcel_id", 0, "parcels[].id"), Link(4, "parcel_id", 1, "id")),
)
PERSONA = Persona(name="Ada Bauer", manner="plain")


def is_told(tool: ToolSpec, heard: str, *, alone: bool = False) -> bool:
    """Whether a message tells the person to use a tool, which is all that is open to them, or not."""
    told, _ = told_of([(tool, {})] * (1 if alone else 2), heard, DEFAULT_NOW)
    return bool(told)


@cache
def services() -> InProcess:
    return backend([BANK, PARCELS])


def grounded(chain: Chain, seed: int = 0) -> Gold:
    """The program of a chain, in the first scenario from a seed on in which all of it can be grounded."""
    names = sorted({tool.partition("-")[0] for tool in chain.tools})
    while True:
        try:
            reference = Reference(environments=digests(names), seed=seed)
            found = Grounder(services(), ()).ground(chain, reference, random.Random(seed))
        except Ungroundable:
            found = None
        if found is not None and found.chain == chain:
            return found.gold
        seed += 1


@cache
def stories(count: int, flawed: bool = False) -> list[Story]:
    """Trajectories of these chains, with what was played for them."""
    flaws = Imperfections(
        redundant_read=0.2, failed_call=0.2, recovery_read=0.5, dead_end=0.1, wrong_argument=0.05, omitted_call=0.05,
        detour=0.3, question=0.3, wrong_state=0.1, wrong_answer=0.05,
    )  # fmt: skip
    assistant = RuleAssistant(services(), flaws if flawed else None)
    makes = Synthesizer(
        services(), RulePlanner(), RuleWriter(), assistant=assistant, masker=Masker(services().specs), candidates=3
    )
    found: list[Story] = []
    seed = 0
    while len(found) < count:
        try:
            found.append(makes.story(grounded((LIMIT, RELEASE, BOTH)[seed % 3], seed), random.Random(seed)))
        except Rejected as error:
            if error.reason != "impossible":
                raise
        seed += 1
    return found


@contextmanager
def told(gold: Gold, *turns: int) -> Generator[Task]:
    """The task of a program in turns, with the exchanges in which the person is told what to do; at its beginning."""
    gold = divided(gold, turns)
    with Session(services(), gold.reference) as session:
        task = play_gold(Program(gold, session.specs, {}, {}, session.documents()), [], session)
        requests = RuleWriter().write(task.program, PERSONA, random.Random(1))
        asked = tell_to_act(task.program, requests, (), random.Random(1))
        session.restore(task.snapshots[0])
        yield Task(asked.program, asked.requests, session, task.snapshots)
