"""The interface: schemas that every consumer understands, and arguments that are refused by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError

from envfactory.environment.backend import LocalInstance
from envfactory.environment.checks.subject import Subject, attempt
from envfactory.environment.checks.variation import Arguments, first_value, removed, replaced
from envfactory.environment.spec import Parameter, ToolSpec

FORBIDDEN = ("$ref", "$defs", "anyOf", "allOf", "oneOf", "not", "title")
"""Keywords that have no place in the dialect."""
TYPES = ("object", "array", "string", "integer", "number", "boolean")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
UNKNOWN = "no_such_argument"
DRAWS = 3


def schemas_valid(subject: Subject) -> Iterator[str]:
    """Schemas are valid JSON Schema (2020-12) in the dialect; drawn arguments and all results conform to them."""
    for tool in subject.spec.tools:
        if not _NAME.fullmatch(tool.wire_name):
            yield f"{tool.name}: the name {tool.wire_name} is not 1 to 64 letters, digits, _ and -."
        problems = [
            f"{tool.name}: its {kind} schema {problem}"
            for kind, text in (("parameters", tool.parameters), ("output", tool.output_schema))
            for problem in _schema_problems(orjson.loads(text))
        ]
        yield from problems
        if not problems:
            yield from _conform(subject, tool)


def _schema_problems(schema: dict[str, Any]) -> Iterator[str]:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield f"is not valid JSON Schema at {error.json_path}: {error.message}"
        return
    if schema.get("type") != "object":
        yield "is not of type object."
    yield from _dialect_problems(schema, "$")


def _dialect_problems(schema: dict[str, Any], where: str) -> Iterator[str]:
    for word in FORBIDDEN:
        if word in schema:
            yield f"uses {word} at {where}, which is not in the dialect."
    if schema.get("type") not in TYPES:
        yield f"has the type {schema.get('type')!r} at {where}, which is not in the dialect."
    for name, child in schema.get("properties", {}).items():
        yield from _dialect_problems(child, f"{where}.{name}")
    if "items" in schema:
        yield from _dialect_problems(schema["items"], f"{where}[]")


def _conform(subject: Subject, tool: ToolSpec) -> Iterator[str]:
    parameters, output = orjson.loads(tool.parameters), orjson.loads(tool.output_schema)
    for step in (step for walk in subject.walks for step in walk.steps if step.tool == tool.name):
        for problem in _violations(parameters, step.arguments):
            yield f"{tool.name}: drawn arguments do not conform at {problem}"
        if step.attempt.ok:
            for problem in _violations(output, orjson.loads(step.attempt.text)):
                yield f"{tool.name}: a result does not conform at {problem}"


def _violations(schema: dict[str, Any], value: Any) -> Iterator[str]:
    found: Iterator[ValidationError] = Draft202012Validator(schema).iter_errors(value)  # pyright: ignore[reportUnknownMemberType]
    yield from (f"{error.json_path}: {error.message}" for error in found)


def bad_arguments_refused(subject: Subject) -> Iterator[str]:
    """Unknown, missing and ill-typed arguments are refused by name, all at once."""
    for tool in subject.spec.tools:
        for number, (instance, arguments) in enumerate(subject.extra_draws(tool.name, "spoil", 2)):
            if number < DRAWS:
                yield from _refused(tool, instance, arguments)


def _refused(tool: ToolSpec, instance: LocalInstance, arguments: Arguments) -> Iterator[str]:
    # With several arguments demanded, the call with everything wrong leaves out the first, and spoils the others.
    left_out = tool.required[0] if len(tool.required) > 1 else ""
    every = removed({**arguments, UNKNOWN: 1}, left_out)
    named = {UNKNOWN, left_out}
    yield from _names(tool, instance, every, named, "an unknown argument")
    for name in tool.required:
        yield from _names(tool, instance, removed(arguments, name), {name}, "a missing argument")
    for leaf in tool.inputs:
        value = first_value(arguments, leaf.path)
        for wrong in _ill_typed(leaf) if value is not None else ():
            spoiled = replaced(arguments, leaf.path, wrong)
            yield from _names(tool, instance, spoiled, {leaf.name}, f"{orjson.dumps(wrong).decode()} in {leaf.path}")
            if leaf.top != left_out:
                every = replaced(every, leaf.path, wrong)
                named.add(leaf.name)
        if value is not None and leaf.holder:
            spoiled = replaced(arguments, f"{leaf.holder}.{UNKNOWN}", 1)
            yield from _names(tool, instance, spoiled, {UNKNOWN}, f"an unknown member of {leaf.holder}")
    yield from _names(tool, instance, every, named, "everything wrong at once")


def _names(
    tool: ToolSpec, instance: LocalInstance, arguments: Arguments, named: set[str], what: str
) -> Iterator[str]:  # fmt: skip
    """Make a call that must be refused with every name in the message."""
    found = attempt(instance, tool.name, arguments)
    if found.result is None or found.ok or found.result.code != "invalid_argument":
        yield f"{tool.name} does not refuse {what} as invalid_argument."
        return
    message: str = found.result.value["error"]["message"]
    for name in sorted(named):
        if name not in message:
            yield f"{tool.name} refuses {what} without naming {name}: {message}"


def _ill_typed(leaf: Parameter) -> tuple[Any, ...]:
    """Values that are not of a leaf's type, some of them nearly."""
    if leaf.enum:
        return (None, {}, "no such option")
    match leaf.type, leaf.format:
        case "integer", _:
            return (None, "3", 2.5, True)
        case "number", _:
            return (None, "3.5", True)
        case "boolean", _:
            return (None, "true", 1)
        case _, "":
            return (None, 7, ["a"])
        case _:
            return (None, 20260301, "86400", "some day")
