"""Types to JSON: the flattened schema dialect, and the leaves of a type.

The dialect is what every consumer understands: no `$ref`, no `anyOf` with null, no titles; optional means not required.
`leaves` walks a Python type down to its scalars and keeps what the annotations say of each.
"""

from __future__ import annotations

import datetime as dt
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

import annotated_types
import orjson
from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from envfactory.environment.declare import FreeText, Ranked, Ref, Secret, Unit, Value, Volatile
from envfactory.environment.errors import DeclarationError
from envfactory.environment.records import Argument, Frozen, Record
from envfactory.environment.spec import LeafType, Parameter, Shape

_TYPES: dict[type, tuple[LeafType, str]] = {
    str: ("string", ""), int: ("integer", ""), float: ("number", ""), bool: ("boolean", ""),
    dt.date: ("string", "date"), dt.datetime: ("string", "date-time"), dt.time: ("string", "time"),
}  # fmt: skip
_KEEP = (
    "type", "format", "description", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "minLength", "maxLength", "pattern", "minItems", "maxItems", "default",
)  # fmt: skip
MAX_DEPTH = 2


def flattened_schema(adapter: TypeAdapter[Any], fields: Iterable[Field] = ()) -> str:
    """Return the JSON Schema of a type in the flattened dialect, as compact JSON text.

    Args:
        adapter: the type.
        fields: for arguments, its members: they bring descriptions and defaults that the type itself does not have.
            Without them the type is an output, where everything is there that is not null.
    """
    fields = tuple(fields)
    schema = adapter.json_schema(mode="validation" if fields else "serialization")
    flat = _flatten(schema, schema.get("$defs", {}))
    flat.setdefault("properties", {})
    for field in fields:
        described = dict(flat["properties"][field.name])
        if field.description:
            described = _with_description(described, field.description)
        if field.default is not None:
            described["default"] = field.default
        flat["properties"][field.name] = described
    flat.pop("description", None)
    return orjson.dumps(flat).decode()


def _with_description(schema: dict[str, Any], text: str) -> dict[str, Any]:
    rest = {key: value for key, value in schema.items() if key not in ("type", "description")}
    return {"type": schema["type"], "description": text, **rest}


def _flatten(node: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    while "$ref" in node or "anyOf" in node or "allOf" in node:
        rest = {key: value for key, value in node.items() if key not in ("$ref", "anyOf", "allOf")}
        if "$ref" in node:
            node = {**definitions[node["$ref"].rsplit("/", 1)[-1]], **rest}
            continue
        options = [option for option in node.get("anyOf", node.get("allOf", ())) if option.get("type") != "null"]
        if len(options) != 1:
            raise DeclarationError(f"a union of several types has no place in the schema dialect: {node}")
        node = {**options[0], **rest}
    flat: dict[str, Any] = {key: node[key] for key in _KEEP if key in node and node[key] is not None}
    if "const" in flat:
        flat["enum"] = [flat.pop("const")]
    if node.get("type") == "object":
        properties = {name: _flatten(child, definitions) for name, child in node.get("properties", {}).items()}
        flat["properties"] = properties
        required = [name for name in node.get("required", ()) if not _nullable(node["properties"][name])]
        if required:
            flat["required"] = required
    if node.get("type") == "array":
        flat["items"] = _flatten(node["items"], definitions)
    return flat


def _nullable(node: dict[str, Any]) -> bool:
    return any(option.get("type") == "null" for option in node.get("anyOf", ()))


@dataclass(frozen=True, slots=True)
class Field:
    """One named member of a type: its annotation, the metadata around it, whether it must be given, its default."""

    name: str
    annotation: Any
    metadata: tuple[Any, ...] = ()
    required: bool = True
    default: Any = None
    description: str = ""


def model_fields(model: type[BaseModel]) -> Iterator[Field]:
    """The members of a model; in what a tool gives or a table holds, a default is filled in and so always there."""
    for name, info in model.model_fields.items():
        default = None if info.default is PydanticUndefined else info.default
        required = info.is_required() or (default is not None and not issubclass(model, Argument))
        yield Field(name, info.annotation, tuple(info.metadata), required, default, info.description or "")


def leaves(fields: Iterator[Field], prefix: str = "", depth: int = 0) -> Iterator[Parameter | Shape]:
    """Flatten members to leaves (`Parameter`) and to the objects and lists that hold them (`Shape`).

    Raises:
        DeclarationError: a type that has no place in the dialect, or objects nested deeper than two.
    """
    for field in fields:
        path = f"{prefix}.{field.name}" if prefix else field.name
        yield from _walk(field, field.annotation, field.metadata, path, depth)


def _walk(
    field: Field, annotation: Any, metadata: tuple[Any, ...], path: str, depth: int
) -> Iterator[Parameter | Shape]:
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *extra = get_args(annotation)
        yield from _walk(field, inner, (*extra, *metadata), path, depth)
    elif origin in (Union, types.UnionType):
        options = [option for option in get_args(annotation) if option is not type(None)]
        if len(options) != 1:
            raise DeclarationError(f"{path}: a union of several types has no place in the schema dialect")
        yield from _walk(field, options[0], metadata, path, depth)
    elif origin is tuple:
        item, *rest = get_args(annotation)
        if rest != [Ellipsis]:
            raise DeclarationError(f"{path}: write lists as tuple[item, ...]")
        yield from _walk(field, item, (), f"{path}[]", depth)
    elif isinstance(annotation, type) and issubclass(annotation, Frozen):
        if depth >= MAX_DEPTH:
            raise DeclarationError(f"{path}: objects nest to depth {MAX_DEPTH} at most")
        yield shape_of(annotation, path)
        yield from leaves(model_fields(annotation), path, depth + 1)
    else:
        yield _leaf(field, annotation, metadata, path)


def shape_of(model: type[Frozen], path: str) -> Shape:
    """How a person speaks of a record, output or argument that stands at `path`."""
    return Shape(
        path=path, entity=model.__name__, noun=model.noun, label=model.label, listing=model.listing,
        record=issubclass(model, Record),
    )  # fmt: skip


def _leaf(field: Field, annotation: Any, metadata: tuple[Any, ...], path: str) -> Parameter:
    enum: tuple[Any, ...] = ()
    if get_origin(annotation) is Literal:
        enum = get_args(annotation)
        annotation = cast("Any", type(enum[0]))
    if annotation not in _TYPES:
        allowed = "str, int, float, bool, date, datetime, time, Literal, tuple[...] or a record"
        raise DeclarationError(f"{path}: {annotation!r} has no place in the schema dialect; use {allowed}")
    kind, form = _TYPES[annotation]
    found = dict[str, Any](description=field.description)
    for mark in _expanded(metadata):
        match mark:
            case Ref():
                found |= {"ref": mark.entity}
            case Value():
                found |= {"value": mark.name, "description": found["description"] or mark.description}
            case FreeText():
                found |= {"free_text": True, "examples": mark.examples}
            case Secret():
                found |= {"secret": mark.name}
            case Unit():
                found |= {"unit": mark.name}
            case Ranked():
                found |= {"ranked": (mark.low, mark.high)}
            case Volatile():
                found |= {"volatile": True}
            case annotated_types.Ge():
                found |= {"minimum": mark.ge}
            case annotated_types.Gt():
                found |= {"minimum": cast("Any", mark.gt) + (1 if kind == "integer" else 0)}
            case annotated_types.Le():
                found |= {"maximum": mark.le}
            case annotated_types.Lt():
                found |= {"maximum": cast("Any", mark.lt) - (1 if kind == "integer" else 0)}
            case _:
                pass
    default = field.default if isinstance(field.default, (str, int, float, bool)) else None
    return Parameter(
        path=path, type=kind, format=form, enum=enum, required=field.required, default=default, **found
    )  # fmt: skip


def _expanded(metadata: tuple[Any, ...]) -> Iterator[Any]:
    for mark in metadata:
        if isinstance(mark, FieldInfo):
            yield from mark.metadata
        else:
            yield mark


def without_none(annotation: Any) -> Any:
    """Strip None from an optional type: an argument is left out, never null."""
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        options = [option for option in get_args(annotation) if option is not type(None)]
        return Union[tuple(options)]  # noqa: UP007 (built at run time)
    if origin is Annotated:
        inner, *extra = get_args(annotation)
        return Annotated[without_none(inner), *extra]
    return annotation
