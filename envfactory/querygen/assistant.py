"""The assistant by rules: plays the gold calls of a turn and answers from what they really returned."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from typing import Any

from envfactory.environment import Spec, ToolSpec
from envfactory.gold import value_at
from envfactory.querygen.program import Program
from envfactory.querygen.names import label_of
from envfactory.querygen.wording import fill, listed, missing_slots, say, sentence
from envfactory.trajectory import PlayedCall, Step


def system_prompt(specs: Collection[Spec], user: str, now: dt.datetime) -> str:
    """The system prompt: whom the assistant serves, the date, the policies."""
    lines = [
        f"You are the assistant of {user}, who is signed in. You act through the tools you are given.",
        f"It is {now:%A}, {now.day} {now:%B %Y}, {now:%H:%M}.",
        "Use only what the tools return, never make up ids or facts, and close every turn with a short answer.",
    ]
    lines += [f"{spec.title}: {spec.policy}" for spec in specs]
    return "\n".join(lines)


def steps_of_turn(program: Program, calls: range, asked: Collection[int]) -> list[Step]:
    """The assistant's messages of a turn: a step for each call, then the answer.

    Args:
        program: the gold program, replayed.
        calls: indexes of the turn's calls.
        asked: those that the request asks for outright; only they are reported.
    """
    steps = [Step(calls=(_played(program, index),)) for index in calls]
    reported = [index for index in calls if index in asked] or [calls[-1]]
    return [*steps, Step(text=" ".join(report(program, index) for index in reported))]


def _played(program: Program, index: int) -> PlayedCall:
    call = program.calls[index]
    return PlayedCall(tool=call.tool, arguments=call.arguments, result=call.result, ok=call.ok, gold=index)


def report(program: Program, index: int) -> str:
    """One call's result as a sentence or two, from the tool's `reply` templates."""
    tool = program.tool(index)

    def value(name: str) -> str:
        return _said(program, index, tool, name)

    template = next((text for text in tool.reply if not missing_slots(text, value)), "")
    if not template:
        raise ValueError(f"{tool.wire_name}: no reply fits {program.calls[index].result}; its last one must always fit")
    return sentence(fill(template, value))


def _said(program: Program, index: int, tool: ToolSpec, name: str) -> str:
    now = program.gold.reference.now
    try:
        found = value_at(program.outputs[index], name)
    except KeyError:
        arguments: dict[str, Any] = program.calls[index].arguments
        return say(arguments[name], tool.input_by_path.get(name), now) if name in arguments else ""
    if not isinstance(found, list):
        return "" if isinstance(found, dict) else say(found, tool.output_by_path.get(name), now)
    items: list[Any] = found  # pyright: ignore[reportUnknownVariableType]
    output = program.outputs[index]
    beyond = output["total"] - len(items) if {"total", "pages"} <= output.keys() and "." not in name else 0
    shape = next((shape for shape in tool.output_shapes if shape.path == f"{name}[]"), None)
    if shape is None:
        return listed([say(item, tool.output_by_path.get(f"{name}[]"), now) for item in items], most=8)
    return listed([label_of(program, index, shape, item, now, listing=True) for item in items], 5, beyond)
