"""Arguments: each has a meaning of its own, and none becomes an id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import orjson

from envfactory.environment.backend import LocalInstance
from envfactory.environment.checks.subject import Attempt, Subject, attempt
from envfactory.environment.checks.variation import Arguments, Pools, first_value, removed, replaced, unknown_id
from envfactory.environment.errors import ToolError
from envfactory.environment.spec import Parameter, ToolSpec

DRAWS = 30
"""Draws in each further scenario for an argument that showed no effect in the walks."""
VARIANTS = 12
"""How many other values are tried for an argument of one call."""


def every_argument_matters(subject: Subject) -> Iterator[str]:
    """Varying an argument changes the result beyond echoing the argument, or the state, in some call."""
    pools = Pools(subject.spec.tools, (step for walk in subject.walks for step in walk.steps))
    open_leaves = {tool.name: {leaf.path: leaf for leaf in tool.inputs} for tool in subject.spec.tools}
    for walk in subject.walks:
        instance = subject.open(walk.start.seed)
        for step in walk.steps:
            if step.attempt.ok:
                _settle(subject, instance, step.tool, step.arguments, open_leaves[step.tool], pools)
            attempt(instance, step.tool, step.arguments)
    for tool, leaves in open_leaves.items():
        if leaves:
            for instance, arguments in subject.extra_draws(tool, "matters", DRAWS):
                _settle(subject, instance, tool, arguments, leaves, pools)
                if not leaves:
                    break
        for path in leaves:
            yield f"{tool}: varying {path} changed neither the result beyond its echo nor the state in any call."


def _settle(
    subject: Subject,
    instance: LocalInstance,
    tool: str,
    arguments: Arguments,
    leaves: dict[str, Parameter],
    pools: Pools,
) -> None:
    """Drop from `leaves` those that matter in this call; the instance is left in the state it had."""
    if not leaves:
        return
    mark = instance.snapshot()
    base, after = _effect(instance, tool, arguments)
    instance.restore(mark)
    if not base.ok:
        return
    for path, leaf in list(leaves.items()):
        value = first_value(arguments, path)
        value = leaf.default if value is None else value
        for changed, other in _alternatives(subject, tool, arguments, leaf, value, pools):
            found, state = _effect(instance, tool, changed)
            instance.restore(mark)
            if found.result is None or base.result is None:
                continue
            if state != after or not _echoes(base.result.value, found.result.value, value, other):
                del leaves[path]
                break


def _effect(instance: LocalInstance, tool: str, arguments: Arguments) -> tuple[Attempt, bytes]:
    before = instance.state
    found = attempt(instance, tool, arguments)
    return found, instance.dump() if instance.state is not before else b""


def _alternatives(
    subject: Subject, tool: str, arguments: Arguments, leaf: Parameter, value: Any, pools: Pools
) -> Iterator[tuple[Arguments, Any]]:  # fmt: skip
    """Valid arguments that differ in one leaf, with the value that it stands for then (None: none)."""
    validate = subject.environment.tools[tool].arguments
    others: list[Any] = [] if value is None or leaf.required else [None]
    for variant in pools.variants(tool, leaf, value):
        others.append(variant)
        if len(others) >= VARIANTS:
            break
    for other in others:
        changed = removed(arguments, leaf.path) if other is None else replaced(arguments, leaf.path, other)
        if changed == arguments:
            continue
        try:
            validate(orjson.dumps(changed))
        except ToolError:
            continue
        yield changed, leaf.default if other is None else other


def _echoes(one: Any, two: Any, value: Any, other: Any) -> bool:
    """Whether two results differ at most in repeating the argument: `value` in the one, `other` in the other."""
    if isinstance(one, dict) and isinstance(two, dict):
        left, right = cast("dict[str, Any]", one), cast("dict[str, Any]", two)
        return all(_echoes(left.get(name), right.get(name), value, other) for name in {**left, **right})
    if isinstance(one, list) and isinstance(two, list):
        rows, others = cast("list[Any]", one), cast("list[Any]", two)
        return len(rows) == len(others) and all(
            _echoes(*pair, value, other) for pair in zip(rows, others, strict=True)
        )  # fmt: skip
    if one == two or (one, two) == (value, other):
        return True
    if isinstance(one, str) and isinstance(two, str):
        # Inside a text, it is an echo if the texts are one but for the value; spaces go with what is left out.
        return _without(one, value) == _without(two, other)
    return False


def _without(text: str, value: Any) -> list[str]:
    return (text if value in (None, "") else text.replace(str(value), " ")).split()


def ids_not_from_caller(subject: Subject) -> Iterator[str]:
    """Ids come from the environment: no new record is named by the caller, and an id that names nothing is refused."""
    for walk in subject.walks:
        instance = subject.open(walk.start.seed)
        for step in walk.steps:
            if step.attempt.ok:
                yield from _adopted(subject, instance, subject.spec.tool_by_name[step.tool], step.arguments)
            attempt(instance, step.tool, step.arguments)


def _adopted(subject: Subject, instance: LocalInstance, tool: ToolSpec, arguments: Arguments) -> Iterator[str]:
    before, mark = instance.state, instance.snapshot()
    for leaf in tool.inputs:
        value = first_value(arguments, leaf.path)
        if not isinstance(value, str) or leaf.enum or leaf.format:
            continue
        known = leaf.ref in subject.spec.table_of_entity
        changed = replaced(arguments, leaf.path, unknown_id(value) if known else value)
        found = attempt(instance, tool.name, changed)
        created = {key for table in type(before).tables for key in getattr(instance.state, table)} - {
            key for table in type(before).tables for key in getattr(before, table)
        }
        instance.restore(mark)
        given = first_value(changed, leaf.path)
        if found.ok and given in created:
            yield f"{tool.name} makes a record whose id is the caller's {leaf.path}."
        elif found.ok and known:
            yield f"{tool.name} accepts a {leaf.path} that names no {leaf.ref} instead of refusing it."
        elif found.failure:
            yield f"{tool.name} fails with a bug on a {leaf.path} that names no {leaf.ref}: {found.failure}"
