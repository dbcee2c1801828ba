"""Execution: tools work, reads read, and what fails changes nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from envfactory.environment.backend import LocalInstance
from envfactory.environment.checks.subject import Attempt, Step, Subject, attempt
from envfactory.environment.checks.variation import Pools, first_value, replaced, unknown_id
from envfactory.environment.spec import ToolSpec

DRAWS = 20
"""Draws in each further scenario for a tool that did not succeed in the walks."""


def every_tool_runs(subject: Subject) -> Iterator[str]:
    """Every tool succeeds with drawn arguments, and none fails with anything but a ToolError."""
    steps = [step for walk in subject.walks for step in walk.steps]
    for step in steps:
        # A read that writes is a matter of its own.
        if step.attempt.failure and not step.attempt.read_only:
            yield f"{step.tool} fails: {step.attempt.failure}"
    for tool in subject.spec.tools:
        if not any(step.attempt.ok for step in steps if step.tool == tool.name):
            yield from _never(subject, tool)


def _never(subject: Subject, tool: ToolSpec) -> Iterator[str]:
    last: Attempt | None = None
    tried = 0
    for instance, arguments in subject.extra_draws(tool.name, "runs", DRAWS):
        last = attempt(instance, tool.name, arguments)
        tried += 1
        if last.ok:
            return
    if last is None:
        yield f"{tool.name} never ran, since no arguments can be drawn for it in any scenario."
    else:
        yield f"{tool.name} never succeeded in {tried} further draws; the last came to {last.text}"


def reads_do_not_write(subject: Subject) -> Iterator[str]:
    """A tool that is not marked writes=True leaves the state byte for byte as it was."""
    for walk in subject.walks:
        instance = subject.open(walk.start.seed)
        for step in walk.steps:
            if subject.spec.tool_by_name[step.tool].writes:
                attempt(instance, step.tool, step.arguments)
                continue
            before = instance.dump()
            outcome = attempt(instance, step.tool, step.arguments)
            if outcome.read_only:
                yield f"{step.tool} is not marked writes=True and tries to change the state."
            elif instance.dump() != before:
                yield f"{step.tool} is not marked writes=True and changed the state behind the tables' back."


def failures_are_atomic(subject: Subject) -> Iterator[str]:
    """A call that fails is refused with a code, and leaves the state byte for byte as it was."""
    for walk in subject.walks:
        rng = subject.rng("spoil", walk.start.seed)
        pools = Pools(subject.spec.tools, walk.steps)
        instance = subject.open(walk.start.seed)
        for step in walk.steps:
            for arguments in _spoiled(subject.spec.tool_by_name[step.tool], step, pools, rng):
                yield from _unharmed(instance, step.tool, arguments)
            yield from _unharmed(instance, step.tool, step.arguments)


def _unharmed(instance: LocalInstance, tool: str, arguments: dict[str, Any]) -> Iterator[str]:
    """Make a call; if it fails, the state must be as before. What succeeds moves the state on."""
    before = instance.dump()
    outcome = attempt(instance, tool, arguments)
    if outcome.ok:
        return
    if outcome.failure and not outcome.read_only:
        yield f"{tool} fails with a bug instead of refusing: {outcome.failure}"
    if instance.dump() != before:
        yield f"{tool} changed the state although it failed with {outcome.text}"


def _spoiled(tool: ToolSpec, step: Step, pools: Pools, rng: random.Random) -> Iterator[dict[str, Any]]:
    """The step's arguments with one leaf taken from another call, and with one id that names nothing."""
    leaves = [leaf for leaf in tool.inputs if first_value(step.arguments, leaf.path) is not None]
    if not leaves:
        return
    leaf = rng.choice(leaves)
    yield replaced(step.arguments, leaf.path, rng.choice(pools.values(tool.name, leaf)))
    if references := [leaf for leaf in leaves if leaf.ref]:
        leaf = rng.choice(references)
        yield replaced(step.arguments, leaf.path, unknown_id(first_value(step.arguments, leaf.path)))
