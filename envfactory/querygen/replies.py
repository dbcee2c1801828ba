"""What an assistant says of a call's result: a sentence or two, from the tool's `reply` templates and the result."""

from __future__ import annotations

import re
from typing import Any

from envfactory.environment import ToolSpec
from envfactory.gold import value_at
from envfactory.querygen.names import label_of
from envfactory.querygen.program import Program
from envfactory.querygen.wording import fill, listed, missing_slots, say, sentence
from envfactory.sampling.news import LISTED


def report(program: Program, index: int) -> str:
    """One call's result as a sentence or two, from the tool's `reply` templates."""
    tool = program.tool(index)
    words: dict[str, str] = {}

    def value(name: str) -> str:
        if name not in words:
            words[name] = _said(program, index, tool, name)
        return words[name]

    template = next((text for text in tool.reply if not missing_slots(text, value)), "")
    if not template:
        raise ValueError(f"{tool.wire_name}: no reply fits {program.calls[index].result}; its last one must always fit")
    return sentence(fill(template, value, lambda name: _flag(program, index, name)))


def _flag(program: Program, index: int, name: str) -> bool | None:
    """Whether a flag of the result, or else of the call, is set."""
    for document in (program.outputs[index], program.calls[index].arguments):
        found = document.get(name)
        if isinstance(found, bool):
            return found
    return None


def filled(program: Program, index: int, template: str) -> str | None:
    """A template of a tool of the user's as it is said of a call to them; None if a value is missing."""
    tool = program.tool(index)
    arguments: dict[str, Any] = program.calls[index].arguments

    def value(name: str) -> str:
        leaf = tool.input_by_path.get(name)
        if leaf is None or not leaf.ref or name not in arguments:
            return _said(program, index, tool, name)
        return re.sub(r"^my\b", "your", program.names.of(leaf.ref, arguments[name], index))

    return None if missing_slots(template, value) else fill(template, value)


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
    return listed([label_of(program, index, shape, item, now, listing=True) for item in items], LISTED, beyond)
