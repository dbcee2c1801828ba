"""The small language of `ask`, `noun` and `reply` templates, and of record labels.

`{name}` stands for a value, `[ ... ]` for a part that is left out unless everything named in it is given, and
`[flag? ...]` for a part kept only if the boolean `flag` is true (`[!flag? ...]`: false). Parsing is separate from
wording: what a value sounds like is decided where conversations are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from envfactory.environment.arguments import argument_tree
from envfactory.environment.errors import DeclarationError
from envfactory.environment.spec import ToolSpec

_TOKEN = re.compile(
    r"\{(?P<slot>[a-z0-9_.\[\]]+)\}|(?P<open>\[(?:(?P<not>!)?(?P<flag>[a-z0-9_]+)\?)?)|(?P<close>\])|(?P<text>[^{}\[\]]+)"
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for the value called `name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Segment:
    """An optional part; with a `flag`, kept only if that argument equals `wanted`."""

    parts: tuple[str | Slot, ...]
    flag: str = ""
    wanted: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The values that the part needs, its flag not among them."""
        return tuple(part.name for part in self.parts if isinstance(part, Slot))


Template = tuple[str | Slot | Segment, ...]


@cache
def parse_template(text: str) -> Template:
    """Parse a template.

    Raises:
        DeclarationError: unbalanced or nested brackets, or a slot that is not a name.
    """
    outer: list[str | Slot | Segment] = []
    inner: list[str | Slot] | None = None
    flag, wanted, position = "", True, 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise DeclarationError(f"template {text!r} cannot be read at {text[position:]!r}")
        position = token.end()
        if token["open"]:
            if inner is not None:
                raise DeclarationError(f"template {text!r}: optional parts do not nest")
            inner, flag, wanted = [], token["flag"] or "", not token["not"]
        elif token["close"]:
            if inner is None:
                raise DeclarationError(f"template {text!r}: a ] without its [")
            outer.append(Segment(tuple(inner), flag, wanted))
            inner = None
        else:
            part = Slot(token["slot"]) if token["slot"] else token["text"]
            (outer if inner is None else inner).append(part)
    if inner is not None:
        raise DeclarationError(f"template {text!r}: a [ without its ]")
    return tuple(outer)


def slots(template: Template, *, optional: bool = True) -> Iterator[str]:
    """Names of the values that a template uses, flags included; without `optional`, only those outside brackets."""
    for part in template:
        if isinstance(part, Slot):
            yield part.name
        elif isinstance(part, Segment) and optional:
            yield from part.names
            if part.flag:
                yield part.flag


def _top_names(tool: ToolSpec) -> set[str]:
    return {leaf.top for leaf in tool.inputs} | set(tool.input_by_path)


def _is_always_given(tool: ToolSpec, name: str) -> bool:
    node = argument_tree(tool)
    for word in name.split("."):
        node = node.children[word.removesuffix("[]")]
        if not node.required:
            return False
        node = node.item or node
    return True


def check_ask(tool: ToolSpec, text: str, *, noun: bool = False) -> None:
    """Refuse an ask or noun that names an unknown argument, puts an optional one outside brackets, or is no clause.

    Raises:
        DeclarationError: says which tool, which template, which name.
    """
    template = parse_template(text)
    known = _top_names(tool)
    kind = "noun" if noun else "ask"
    for name in slots(template):
        if name not in known:
            raise DeclarationError(f"{tool.wire_name}: {kind} {text!r} names {name!r}, which the tool does not take")
    for name in slots(template, optional=False):
        if not _is_always_given(tool, name):
            raise DeclarationError(
                f"{tool.wire_name}: {kind} {text!r} needs {name!r}, which is optional; put it in [ ]"
            )
    for part in template:
        if isinstance(part, Segment) and part.flag and tool.input_by_path[part.flag].type != "boolean":
            raise DeclarationError(f"{tool.wire_name}: {kind} {text!r} has the flag {part.flag!r}, which is no boolean")
    if text[:1].isupper() and not text.startswith("I"):
        raise DeclarationError(
            f"{tool.wire_name}: {kind} {text!r} starts with a capital; it is a clause, not a sentence"
        )
    if text.endswith((".", "?", "!")):
        raise DeclarationError(
            f"{tool.wire_name}: {kind} {text!r} ends with punctuation; it is a clause, not a sentence"
        )


def check_reply(tool: ToolSpec, text: str) -> None:
    """Refuse a reply that names neither an output nor an argument.

    Raises:
        DeclarationError: says which tool, which template, which name.
    """
    outputs = set(tool.output_by_path) | {shape.path.removesuffix("[]") for shape in tool.output_shapes if shape.path}
    outputs |= {path.replace("[]", "") for path in tool.output_by_path}
    for name in slots(parse_template(text)):
        if name not in outputs and name not in _top_names(tool):
            raise DeclarationError(
                f"{tool.wire_name}: reply {text!r} names {name!r}, neither an output nor an argument"
            )
