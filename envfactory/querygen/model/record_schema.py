"""The form of an answer that holds records of a table, made from what its spec says of their fields.

A server holds the model to it, so that what is left to be said are values. The id is no part of it: it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from envfactory.environment import Parameter, TableSpec

LONGEST_TEXT = 200
"""Characters of a text at most."""
LONGEST_LIST = 12

_TYPES: dict[str, type] = {"integer": int, "number": float, "boolean": bool}


@lru_cache(maxsize=256)
def _answer(entity: str, fields: tuple[Parameter, ...], most: int) -> type[BaseModel]:
    record: Any = _object(entity, [(field.path, field) for field in fields if field.path != "id"])
    records: Any = Annotated[list[record], Field(min_length=1, max_length=most)]
    return create_model("RecordsAnswer", __config__=ConfigDict(extra="forbid"), records=(records, ...))


def answer_of(table: TableSpec, most: int) -> type[BaseModel]:
    """Return the form of an answer with one to `most` records, in a member `records`."""
    return _answer(table.entity, table.fields, most)


def _object(name: str, leaves: Sequence[tuple[str, Parameter]]) -> type[BaseModel]:
    """An object, from the paths of its leaves below it."""
    members: dict[str, list[tuple[str, Parameter]]] = {}
    for path, leaf in leaves:
        head, _, rest = path.partition(".")
        members.setdefault(head, []).append((rest, leaf))
    fields: dict[str, Any] = {}
    for head, below in members.items():
        own = head.removesuffix("[]")
        inner: Any = _scalar(below[0][1]) if below[0][0] == "" else _object(f"{name}_{own}", below)
        if head.endswith("[]"):
            inner = Annotated[list[inner], Field(max_length=LONGEST_LIST)]
        optional = below[0][0] == "" and not below[0][1].required
        fields[own] = (inner | None, None) if optional else (inner, ...)
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


def _scalar(leaf: Parameter) -> Any:
    if leaf.enum:
        return Literal[leaf.enum]
    if leaf.type == "string":
        return Annotated[str, Field(max_length=LONGEST_TEXT)]
    kind: Any = _TYPES[leaf.type]
    return Annotated[kind, Field(ge=leaf.minimum)] if leaf.minimum is not None else kind
