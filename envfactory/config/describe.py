"""What a key of the configuration expects, in words.

One description serves the refusal of a wrong value and the reference page, so the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

__all__ = ["INT64", "expected", "field_at", "keys_of", "leaves", "model_at", "models_of", "row_of", "siblings"]

INT64 = 2**63


def expected(field: FieldInfo) -> str:
    """Say what values a field takes, such as ``a number from 0 to 1, or null``."""
    return _words(field.annotation, field.metadata)


def models_of(annotation: Any) -> tuple[type[BaseModel], ...]:
    """Return the models a key may hold: one for a group, several for a group whose choices have different keys."""
    annotation, _ = _bare(annotation, [])
    options = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return tuple(option for option in options if isinstance(option, type) and issubclass(option, BaseModel))


def row_of(annotation: Any) -> type[BaseModel] | None:
    """Return the group that each row of a table is; None for a key that is no table."""
    bare, _ = _bare(annotation, [])
    if get_origin(bare) is not dict:
        return None
    return next(iter(models_of(get_args(bare)[1])), None)


def field_at(root: type[BaseModel], path: tuple[str, ...], raw: Mapping[str, Any]) -> FieldInfo | None:
    """Find the field that a path of keys names, choosing among the models of a group by its ``kind``.

    Args:
        root: where the path starts.
        path: keys from the root down.
        raw: the configuration, possibly wrong, as plain data.

    Returns:
        The field, or None where the path names none.
    """
    *above, last = path
    model = model_at(root, tuple(above), raw)
    return model.model_fields.get(last) if model is not None else None


def model_at(root: type[BaseModel], path: tuple[str, ...], raw: Mapping[str, Any]) -> type[BaseModel] | None:
    """Return the model of the group that a path of keys names, chosen by its ``kind``; None where it names none.

    Below a table (a mapping of names to groups) any name is the name of a row.
    """
    model: type[BaseModel] | None = root
    row: type[BaseModel] | None = None
    here: Any = raw
    for key in path:
        here = keys_of(here).get(key)
        if row is not None:
            model, row = row, None
            continue
        field = model.model_fields.get(key) if model is not None else None
        model = _choose(models_of(field.annotation), here) if field is not None else None
        row = row_of(field.annotation) if field is not None else None
    return model


def siblings(root: type[BaseModel], path: tuple[str, ...], raw: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys that are valid beside the last key of a path."""
    model = model_at(root, path[:-1], raw)
    return tuple(model.model_fields) if model is not None else ()


def leaves(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo, type[BaseModel]]]:
    """Yield every key that holds a value: its dotted name, its field and the model it belongs to."""
    for name, field in model.model_fields.items():
        inner = models_of(field.annotation)
        if not inner:
            yield f"{prefix}{name}", field, model
        for group in inner:
            yield from leaves(group, f"{prefix}{name}.")


def keys_of(value: Any) -> dict[str, Any]:
    """Return plain data as a mapping; what is not a mapping has no keys."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def kinds_of(model: type[BaseModel]) -> tuple[Any, ...]:
    """Return what `kind` may be in a model; nothing if it has none."""
    field = model.model_fields.get("kind")
    return () if field is None else get_args(field.annotation)


def _choose(models: tuple[type[BaseModel], ...], raw: Any) -> type[BaseModel] | None:
    kind = keys_of(raw).get("kind")
    for model in models:
        if kind in kinds_of(model):
            return model
    return models[0] if models else None


def _bare(annotation: Any, metadata: list[Any]) -> tuple[Any, list[Any]]:
    while get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        metadata = [*metadata, *more]
    flat: list[Any] = []
    for item in metadata:
        flat += item.metadata if isinstance(item, FieldInfo) else [item]
    return annotation, flat


def _words(annotation: Any, metadata: list[Any]) -> str:
    annotation, metadata = _bare(annotation, metadata)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return " or ".join(_words(option, [] if option is NoneType else metadata) for option in arguments)
    if origin is Literal:
        return str(arguments[0]) if len(arguments) == 1 else "one of " + ", ".join(map(str, arguments))
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            filled = "a list, not empty," if any(isinstance(item, MinLen) for item in metadata) else "a list"
            return f"{filled} of {_plural(arguments[0])}"
        return f"a list of {len(arguments)}: {', '.join(_words(item, []) for item in arguments)}"
    if origin is dict:
        return f"a mapping of {_plural(arguments[0])} to {_words(arguments[1], [])}"
    if annotation is NoneType:
        return "null"
    if annotation is bool:
        return "true or false"
    if annotation is int:
        return "a whole number" + _range(metadata)
    if annotation is float:
        return "a number" + _range(metadata)
    if annotation is str:
        pattern = next((item.pattern for item in metadata if getattr(item, "pattern", None)), None)
        if pattern is not None:
            return f"text that matches {pattern}"
        return "text, not empty" if any(isinstance(item, MinLen) for item in metadata) else "text"
    models = models_of(annotation)
    return "a group of keys: " + ", ".join(models[0].model_fields) if models else str(annotation)


def _plural(annotation: Any) -> str:
    bare, _ = _bare(annotation, [])
    if get_origin(bare) is Literal:
        return ", ".join(map(str, get_args(bare)))
    return {str: "names", int: "whole numbers", float: "numbers"}.get(bare, _words(annotation, []))


def _range(metadata: list[Any]) -> str:
    low = high = None
    for item in metadata:
        if isinstance(item, Ge):
            low = f"{item.ge}"
        elif isinstance(item, Gt):
            low = f"above {item.gt}"
        elif isinstance(item, Le):
            high = f"{item.le}"
        elif isinstance(item, Lt) and item.lt != INT64:
            high = f"below {item.lt}"
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f", {low} or more"
    return f", {high} or less" if high is not None else ""
