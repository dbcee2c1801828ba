"""Masks held against planted truth: every argument that changes nothing is masked, and no other one."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from envfactory.environment import Reference, Session
from envfactory.gold import Binding, Const, FromUser, Gold, GoldCall, Out, Pick
from envfactory.querygen.mask import Masker
from envfactory.querygen.program import Program
from envfactory.querygen.request import Request
from envfactory.querygen.task import Task, play_gold
from tests.querygen.workshop import INERT, KINDS, workshop

ENVIRONMENTS = workshop()
SPEC = ENVIRONMENTS.specs["workshop"]
OPTIONS = {
    "unit": ("metric", "imperial"), "remarks": (True, False), "language": ("en", "de", "fr"),
    "channel": ("web", "phone", "desk"), "gift": (True, False), "priority": ("low", "high"),
}  # fmt: skip


def written(tool: str, needed: dict[str, Binding], rng: random.Random) -> GoldCall:
    """A call with some of its optional arguments given, by the user or because the situation implies them."""
    arguments = dict(needed)
    for leaf in SPEC.tool_by_name[tool].inputs:
        if leaf.name in OPTIONS and rng.random() < 0.5:
            value = rng.choice(OPTIONS[leaf.name])
            arguments[leaf.path] = FromUser(value=value) if rng.random() < 0.4 else Const(value=value)
    return GoldCall(tool=f"workshop-{tool}", arguments=arguments)


def program(seed: int, session: Session) -> tuple[Gold, frozenset[int]]:
    """A program of three or four calls, and which of them are asked for."""
    rng = random.Random(seed)
    kind = rng.choice(KINDS)
    parts = session.documents()["workshop"]["parts"]
    prices = [row["price"] for row in parts.values() if row["kind"] == kind]
    place = rng.randrange(len(prices))
    low = prices[place] == min(prices) and prices.count(prices[place]) == 1
    found = Out(
        call=0, path=f"parts[{place}].id", pick=Pick(by="low", field="price") if low else Pick(by="name")
    )  # fmt: skip
    calls = [written("find_parts", {"kind": FromUser(value=kind)}, rng)]
    asked = {0} if rng.random() < 0.5 else set[int]()
    if rng.random() < 0.5:
        asked.add(len(calls))
        calls.append(written("get_part", {"part_id": found}, rng))
    order = len(calls)
    calls.append(written("order_part", {"part_id": found, "quantity": FromUser(value=rng.randint(1, 40))}, rng))
    if rng.random() < 0.5:
        asked.add(order)
    calls.append(written("get_order", {"order_id": Out(call=order, path="id")}, rng))
    asked.add(len(calls) - 1)
    return Gold(reference=session.reference, calls=tuple(calls), turns=(len(calls),)), frozenset(asked)


def task(seed: int, session: Session) -> Task:
    gold, asked = program(seed, session)
    opened = Program(gold, session.specs, {}, {}, session.documents())
    return play_gold(opened, [Request("Please.", asked)], session)


def truth(task: Task, index: int) -> tuple[str, ...]:
    """What is planted: an argument that changes nothing, unless the answer is about it."""
    call = task.gold.calls[index]
    name = call.tool.partition("-")[2]
    told = index in task.requests[0].asked
    return tuple(
        leaf.path
        for leaf in SPEC.tool_by_name[name].inputs
        if leaf.path in INERT[name] and not (told and isinstance(call.arguments.get(leaf.path), FromUser))
    )


def planted(count: int) -> Counter[bool]:
    """Find the masks of programs and hold them against the truth; returns how many arguments were inert, or not."""
    masker = Masker(ENVIRONMENTS.specs, variations=5)
    cases: Counter[bool] = Counter()
    for seed in range(count):
        with Session(ENVIRONMENTS, Reference(environments={"workshop": ""}, seed=seed % 40, size=18)) as session:
            found = task(seed, session)
            for index, masks in enumerate(masker.masks(found, random.Random(seed))):
                assert masks == truth(found, index), (seed, found.gold.calls[index])
                cases[True] += len(masks)
                cases[False] += len(found.program.tool(index).inputs) - len(masks)
    return cases


def test_every_planted_inert_argument_is_masked_and_no_other_one() -> None:
    cases = planted(40)
    assert min(cases.values()) > 100


@pytest.mark.heavy
@pytest.mark.timeout(600)
def test_ten_thousand_arguments_are_told_apart() -> None:
    assert planted(860).total() >= 10_000


def test_without_variations_only_prose_is_masked() -> None:
    with Session(ENVIRONMENTS, Reference(environments={"workshop": ""}, seed=1, size=18)) as session:
        found = task(1, session)
        assert Masker(ENVIRONMENTS.specs, variations=0).masks(found, random.Random(0)) == [()] * len(found.gold.calls)


def test_masking_leaves_the_task_as_it_was() -> None:
    with Session(ENVIRONMENTS, Reference(environments={"workshop": ""}, seed=2, size=18)) as session:
        found = task(2, session)
        before = [call.result for call in found.executed], found.gold.diff
        Masker(ENVIRONMENTS.specs).masks(found, random.Random(0))
        session.restore(found.snapshots[-1])
        assert ([call.result for call in found.executed], session.diff()) == before
