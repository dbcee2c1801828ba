"""Checks on a finished conversation that do not know who wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from envfactory.environment.templates import Segment, parse_template
from envfactory.gold import FromUser, bindings_of
from envfactory.querygen.program import Program, spec_path
from envfactory.querygen.wording import say


def unsaid(program: Program, requests: Sequence[str]) -> Iterator[str]:
    """Values that the user must say and has not said by the turn that needs them: `<tool>.<argument>`.

    A boolean counts as said if a phrasing of the tool says it by its presence.
    """
    now = program.gold.reference.now
    for index, call in enumerate(program.gold.calls):
        tool = program.tool(index)
        heard = "\n".join(requests[: program.turn_of[index] + 1]).casefold()
        for path, binding in bindings_of(call):
            if not isinstance(binding, FromUser):
                continue
            if isinstance(binding.value, bool):
                flags = (part.flag for text in tool.ask for part in parse_template(text) if isinstance(part, Segment))
                said = path in flags
            else:
                said = say(binding.value, tool.input_by_path.get(spec_path(path)), now).casefold() in heard
            if not said:
                yield f"{call.tool}.{path}"


def leaks(program: Program, requests: Sequence[str]) -> Iterator[str]:
    """Words in the requests that only the interface uses: tool names, parameter names with an underscore, ids."""
    words = {tool.name for spec in program.specs.values() for tool in spec.tools}
    words |= {leaf.name for spec in program.specs.values() for tool in spec.tools for leaf in tool.inputs}
    coded = {word for word in words if "_" in word}
    for text in requests:
        for token in re.findall(r"[A-Za-z0-9_-]+", text):
            if token in coded or re.fullmatch(r"[A-Z]{1,5}-\d+", token):
                yield token
