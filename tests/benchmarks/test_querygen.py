"""Trajectories a second by rules, over the whole catalogue: four candidates, the best of them filtered by replay.

python -m pytest --benchmark-enable -p no:xdist tests/benchmarks/test_querygen.py

The chains are grounded before; each round makes conversations of all of them. Masking is measured apart. Time is that
of the processor, since it is one core's that counts; where two processes share the work, as those of stage `synthesize`
do, it is the clock's.
"""

from __future__ import annotations

import gc
import random
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import Any

import pytest

from envfactory.environment import InProcess
from envfactory.gold import Gold
from envfactory.pipeline.crew import ALLOCATED, Crew, collect_rarely
from envfactory.querygen import (
    Imperfections,
    Masker,
    Rejected,
    RuleAssistant,
    RulePlanner,
    RuleWriter,
    Synthesizer,
)
from envfactory.querygen.refine import RuleRefiner
from tests.grounded import catalogue, grounded_golds

CHAINS = 100
FLAWS = Imperfections(
    redundant_read=0.02, failed_call=0.02, recovery_read=0.5, dead_end=0.005, wrong_argument=0.005, omitted_call=0.005,
    detour=0.05, question=0.1, wrong_state=0.03, wrong_answer=0.03,
)  # fmt: skip
"""As in `querygen: sft_user`."""


@pytest.fixture(scope="module")
def environments() -> InProcess:
    return catalogue()


@pytest.fixture(scope="module")
def golds() -> list[Gold]:
    return grounded_golds(CHAINS, 0)


def synthesizer(environments: InProcess, masker: Masker | None = None, *, refined: bool = True) -> Synthesizer:
    return Synthesizer(
        environments, RulePlanner(), RuleWriter(), refiner=RuleRefiner(environments) if refined else None,
        assistant=RuleAssistant(environments, FLAWS), masker=masker, candidates=4,
    )  # fmt: skip


def make(roles: Synthesizer, golds: list[Gold], rounds: int = 1) -> int:
    made = 0
    for number in range(rounds * len(golds)):
        try:
            roles.synthesize(golds[number % len(golds)], random.Random(number)).model_dump(mode="json")
        except Rejected:
            continue
        made += 1
    return made


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("what", ["whole", "unrefined", "masked"])
def test_trajectories(benchmark: Any, environments: InProcess, golds: list[Gold], what: str) -> None:
    """On one core."""
    masker = Masker(environments.specs) if what == "masked" else None
    roles = synthesizer(environments, masker, refined=what != "unrefined")
    made = benchmark.pedantic(make, (roles, golds), rounds=5, warmup_rounds=1)
    assert made > 0.8 * len(golds)
    _tell(benchmark, made)


def test_trajectories_on_two_cores(benchmark: Any, golds: list[Gold]) -> None:
    """In two processes, each with half of the chains: at least 100 a second by the clock."""
    halves = [golds[::2], golds[1::2]]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(_made, [golds[:10]] * 8))  # both have imported what they need
        made = benchmark.pedantic(lambda: sum(pool.map(_made, halves)), rounds=5, warmup_rounds=1)
    assert made > 0.8 * len(golds)
    _tell(benchmark, made)


def _made(golds: list[Gold]) -> int:
    return make(_roles(), golds)


@cache
def _roles() -> Synthesizer:
    roles = synthesizer(catalogue())
    collect_rarely()
    return roles


def _tell(benchmark: Any, made: int) -> None:
    if benchmark.stats is not None:
        benchmark.extra_info["a_second"] = round(made / benchmark.stats.stats.median)
        benchmark.extra_info["a_second_best"] = round(made / benchmark.stats.stats.min)


@pytest.mark.heavy
@pytest.mark.timeout(1800)
def test_memory_is_flat_over_twenty_thousand_trajectories(golds: list[Gold]) -> None:
    """In a process that works as those of stage `synthesize` do, which looks for garbage rarely (`collect_rarely`)."""
    with Crew(_Worker, golds, 1, 2) as crew:
        (warm, before), (made, after) = crew.take(0), crew.take(1)
    assert warm > 0.8 * ROUNDS[0] * len(golds)
    assert made > 0.8 * ROUNDS[1] * len(golds)
    grown = after - before
    assert grown < 48 * 1024, f"{grown / 1024:.0f} MiB more after {made} trajectories"


ROUNDS = (20, 200)
"""Over the chains: so often before memory is looked at, and so often until it is looked at again."""


class _Worker:
    """Makes conversations in a process of a crew; tells how many, and the most memory it ever had, in KiB."""

    def __init__(self, golds: list[Gold]) -> None:
        self._golds = golds
        self._roles = synthesizer(catalogue())

    def __call__(self, part: int) -> tuple[int, int]:
        assert gc.get_threshold()[0] == ALLOCATED, "a worker looks for garbage rarely"
        made = make(self._roles, self._golds, ROUNDS[part])
        return made, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
