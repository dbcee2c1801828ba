"""`Tool`: a marked method made callable with JSON arguments.

The signature is the contract. Arguments are validated in strict JSON mode ("3" is no integer, a date is an ISO string),
nothing is coerced, and everything wrong with a call is told at once: unknown, missing and ill-typed arguments by name.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, get_type_hints

import orjson
from docstring_parser import DocstringStyle, parse
from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from envfactory.environment.declare import ToolDeclaration
from envfactory.environment.errors import DeclarationError, ToolError
from envfactory.environment.moments import TextOnly
from envfactory.environment.records import Frozen, allows_none
from envfactory.environment.schema import Field, without_none

_STRICT = ConfigDict(strict=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of an environment class.

    Attributes:
        function: the method; call it with a state and validated arguments.
        fields: its parameters in order, for schemas and leaves.
        adapter: validates the arguments as a typed dictionary.
        output: the record or output class it returns.
    """

    name: str
    function: Callable[..., Frozen]
    declaration: ToolDeclaration
    description: str
    fields: tuple[Field, ...]
    adapter: TypeAdapter[dict[str, Any]]
    output: type[Frozen]
    validate_json: Callable[[str | bytes], dict[str, Any]]

    def arguments(self, text: str | bytes) -> dict[str, Any]:
        """Validate the JSON text of an argument object.

        Raises:
            ToolError: `invalid_argument`, naming every problem.
        """
        try:
            return self.validate_json(text)
        except ValidationError as error:
            raise ToolError("invalid_argument", self._problems(error)) from None

    def _problems(self, error: ValidationError) -> str:
        names = [field.name for field in self.fields]
        problems: list[str] = []
        for detail in error.errors(include_url=False):
            path = _path(detail["loc"])
            match detail["type"]:
                case "extra_forbidden":
                    near = difflib.get_close_matches(path, names, 1)
                    hint = f" (did you mean '{near[0]}'?)" if near else f" (this tool takes {_listed(names)})"
                    problems.append(f"unknown argument '{path}'{hint}")
                case "missing":
                    problems.append(f"missing argument '{path}'")
                case _ if detail.get("input", ...) is None and path:
                    problems.append(f"argument '{path}' is null; leave it out instead")
                case _ if path:
                    given = repr(detail.get("input"))
                    given = given if len(given) <= 60 else given[:57] + "..."
                    problems.append(f"argument '{path}' is {given}: {detail['msg'][0].lower()}{detail['msg'][1:]}")
                case _:
                    problems.append(f"The arguments must be a JSON object: {detail['msg']}")
        return "; ".join(problems) + "."


def argument_text(arguments: Any) -> bytes:
    """Return arguments as JSON text.

    Text is read and written anew, so that it means what the same values would: NaN, Infinity and lone surrogates are no
    JSON, and an integer beyond 64 bits is a float, as it would be when the state is read back.

    Raises:
        ToolError: `invalid_argument` for what JSON cannot say (a 65-bit integer, a lone surrogate, another type), and
            for text that is not JSON.
    """
    try:
        if isinstance(arguments, (str, bytes)):
            arguments = orjson.loads(arguments)
        return orjson.dumps(arguments)
    except orjson.JSONDecodeError as error:
        raise ToolError("invalid_argument", f"The arguments are not valid JSON: {error}.") from None
    except TypeError as error:
        raise ToolError("invalid_argument", f"The arguments cannot be written as JSON: {error}.") from None


def _path(location: Sequence[str | int]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else (f".{part}" if path else str(part))
    return path


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "no arguments"


def tools_of(owner: type) -> dict[str, Tool]:
    """Build the tools of an environment class, in the order of their definition."""
    found: dict[str, Tool] = {}
    for base in reversed(owner.__mro__):
        for name, function in vars(base).items():
            declaration = getattr(function, "__tool__", None)
            if isinstance(declaration, ToolDeclaration):
                found[name] = _build(f"{owner.__name__}.{name}", name, function, declaration)
    return found


def _build(where: str, name: str, function: Callable[..., Frozen], declaration: ToolDeclaration) -> Tool:
    document = parse(inspect.getdoc(function) or "", style=DocstringStyle.GOOGLE)
    described = {parameter.arg_name: _one_line(parameter.description or "") for parameter in document.params}
    hints = get_type_hints(function, include_extras=True)
    output = hints.get("return")
    if not (isinstance(output, type) and issubclass(output, Frozen)):
        raise DeclarationError(f"{where} must return a Record or an Output, not {output!r}")
    summary = _one_line(document.description or "")
    if not summary:
        raise DeclarationError(f"{where} needs a docstring: it is the description that agents read")
    fields: list[Field] = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        optional = parameter.default is not parameter.empty
        annotation = hints[parameter.name]
        if allows_none(annotation) and not (optional and parameter.default is None):
            raise DeclarationError(f"{where}: {parameter.name} may be None, so its default must be None")
        default = parameter.default if optional else None
        fields.append(
            Field(
                parameter.name, without_none(annotation), (), not optional, default, described.pop(parameter.name, "")
            )
        )
    if described:
        raise DeclarationError(f"{where}: the docstring describes {', '.join(described)}, which it does not take")
    members: dict[str, Any] = {field.name: Annotated[field.annotation, TextOnly()] for field in fields}
    members |= {field.name: NotRequired[members[field.name]] for field in fields if not field.required}
    arguments: Any = TypedDict(f"{name}_arguments", members)  # pyright: ignore[reportGeneralTypeIssues, reportArgumentType]
    arguments.__pydantic_config__ = _STRICT
    adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(arguments)
    return Tool(
        name, function, declaration, summary, tuple(fields), adapter, output, adapter.validator.validate_json
    )  # fmt: skip


def _one_line(text: str) -> str:
    return " ".join(text.split())
