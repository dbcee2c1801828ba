"""What results tell a person, record by record, so that nobody asks for what an answer has just said.

A look-up tells what its `reply` says: the values of the record that it is about, and of the first items of a list what
their listing says. A call that makes or changes something is known in full: the person asked for it. A look-up has
*news* if it tells something of a record that no earlier call has told of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, cast

from envfactory.environment import Parameter, ToolSpec
from envfactory.environment.paths import scalars, values_at
from envfactory.environment.templates import parse_template, slots

LISTED = 5
"""Items of a list that an answer names."""

Fact = tuple[str, Any]
"""The id of a record, and something that was said of it."""


def facts(tool: ToolSpec, arguments: Mapping[str, Any], output: Any) -> frozenset[Fact]:
    """What a person knows once a call has been answered."""
    return frozenset(_done(tool, arguments, output) if tool.writes else _told(tool, arguments, output, whole=True))


def has_news(
    tool: ToolSpec, arguments: Mapping[str, Any], output: Any, known: Collection[frozenset[Fact]], made: Collection[str]
) -> bool:
    """Whether a look-up tells what nobody has said yet; that there is none of something is news, too.

    Of a record that the person has just made only what it has got since is news.

    Args:
        tool: the look-up.
        arguments: what it was given.
        output: what it found.
        known: the `facts` of the calls before it.
        made: ids of the records that these calls have made.
    """
    about = _about(tool, arguments, output)
    old = about not in made
    if about and old and any(values == [] for name in _names(tool.reply) for values in values_at(output, name)):
        return True
    mine = frozenset(_told(tool, arguments, output, whole=old))
    if not mine:
        return old
    return not all(any(fact in told for told in known) for fact in mine)


def _told(tool: ToolSpec, arguments: Mapping[str, Any], output: Any, *, whole: bool) -> Iterator[Fact]:
    """What an answer says of each record; not `whole`: only of the items of lists."""
    about = _about(tool, arguments, output)
    for name in _names(tool.reply):
        for value in values_at(output, name):
            if not isinstance(value, list):
                if whole and about and _is_said(value):
                    yield about, value
                continue
            items = cast("list[Any]", value)
            shape = next((shape for shape in tool.output_shapes if shape.path == f"{name}[]"), None)
            for item in items[:LISTED]:
                if shape is None or not isinstance(item, dict):
                    if about and _is_said(item):
                        yield about, item
                    continue
                row = cast("dict[str, Any]", item)
                key = _key(tool, shape.path, row) or about
                if about and about != key and _kind(tool, shape.path) in {leaf.ref for leaf in tool.inputs}:
                    yield key, about  # which records are alike is news, however well each is known
                if key:
                    yield from (
                        (key, row[said]) for said in _listed(shape.listing or shape.label) if _is_said(row.get(said))
                    )


def _done(tool: ToolSpec, arguments: Mapping[str, Any], output: Any) -> Iterator[Fact]:
    keys = {_about(tool, arguments, output)}
    keys.update(value for leaf in tool.inputs if leaf.ref for value in values_at(arguments, leaf.path))
    values = {value for document in (arguments, output) for _, value in scalars(document) if _is_said(value)}
    yield from ((key, value) for key in keys if key for value in values)


def _about(tool: ToolSpec, arguments: Mapping[str, Any], output: Any) -> str:
    """The id of the record that a result is about; nothing where it is about many."""
    if isinstance(output, dict):
        for name in _refs(tool.outputs, ""):
            if isinstance(value := cast("dict[str, Any]", output).get(name), str):
                return value
    given = [leaf.path for leaf in tool.inputs if leaf.ref and leaf.path in arguments]
    value = arguments[next((path for path in reversed(given) if path in tool.required), given[-1])] if given else None
    return value if isinstance(value, str) else ""


def _key(tool: ToolSpec, holder: str, row: Mapping[str, Any]) -> str:
    """The id by which an item of a list is known."""
    for name in _refs(tool.outputs, holder):
        if isinstance(value := row.get(name), str):
            return value
    return ""


def _kind(tool: ToolSpec, holder: str) -> str:
    """The entity of the items of a list."""
    return next((leaf.ref for leaf in tool.outputs if leaf.path == f"{holder}.id"), "")


def _refs(leaves: Collection[Parameter], holder: str) -> list[str]:
    """The names of the references right below an object, its own id first."""
    found = [leaf.name for leaf in leaves if leaf.ref and leaf.holder == holder]
    return sorted(found, key=lambda name: name != "id")


@cache
def _names(replies: tuple[str, ...]) -> tuple[str, ...]:
    """What the answers to a tool name."""
    found = {name for text in replies for name in slots(parse_template(text))}
    return tuple(sorted(name for name in found if "[]" not in name))


@cache
def _listed(template: str) -> tuple[str, ...]:
    """The fields of an item that an answer says by a template."""
    return tuple(slots(parse_template(template)))


def _is_said(value: Any) -> bool:
    return value is not None and value != "" and not isinstance(value, (dict, list))
