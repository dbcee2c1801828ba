"""`Problem`: what is wrong with a data file, by row and field; and reading rows so that one bad row hides no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import orjson
from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound=BaseModel)
_SHOWN = 60
"""Longest value that a message repeats, in characters."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong.

    Attributes:
        row: counted from 1; 0 speaks of the whole file.
        field: JSON path in the row, `gold.calls[2].tool`; empty for the row itself.
        message: what is expected there, and what stands there.
    """

    row: int
    field: str
    message: str

    def __str__(self) -> str:
        where = f"row {self.row}" if self.row else "the file"
        return f"{where}, {self.field}: {self.message}" if self.field else f"{where}: {self.message}"


def rows_of_lines(path: Path) -> Iterator[tuple[int, bytes | Problem]]:
    """The rows of a JSON Lines file, counted from 1; in the place of one that cannot be read stands what is wrong."""
    with path.open("rb") as stream:
        for row, line in enumerate(stream, start=1):
            if not line.endswith(b"\n"):
                yield row, Problem(row, "", "the file ends inside this row; it must end with a newline")
            elif not line.strip():
                yield row, Problem(row, "", "an empty row; expected one JSON object")
            else:
                yield row, line


def rows_of_list(path: Path) -> Iterator[tuple[int, bytes | Problem]]:
    """The items of a file that holds one JSON list, each as JSON, counted from 1."""
    try:
        document = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        yield 0, Problem(0, "", f"not JSON: {error}")
        return
    if not isinstance(document, list):
        yield 0, Problem(0, "", f"expected a JSON list of samples, found {shown(document)}")
        return
    for row, item in enumerate(cast("list[Any]", document), start=1):
        yield row, orjson.dumps(item)


def parse(model: type[M], data: bytes, row: int) -> M | list[Problem]:
    """Read JSON as a model, strictly: a number in quotes is no number.

    Returns:
        The model, or every problem with its field.
    """
    try:
        return model.model_validate_json(data, strict=True)
    except ValidationError as error:
        details = error.errors(include_url=False)
        if details[0]["type"] == "json_invalid":
            return [Problem(row, "", f"not JSON: {details[0]['ctx']['error']}")]  # pyright: ignore[reportTypedDictNotRequiredAccess]
        document = orjson.loads(data)
        return [
            Problem(row, json_path(document, detail["loc"]), _message(detail["msg"], detail["type"], detail["input"]))
            for detail in details
        ]


def json_path(document: Any, location: Sequence[str | int]) -> str:
    """A location as Pydantic tells it, as a JSON path; the names of union members on the way are left out."""
    path, value = "", document
    for position, part in enumerate(location):
        if isinstance(value, list) and isinstance(part, int):
            path += f"[{part}]"
            value = cast("list[Any]", value)[part] if part < len(cast("list[Any]", value)) else None
        elif isinstance(value, dict) and (part in value or position == len(location) - 1):
            path += f".{part}"
            value = cast("dict[str, Any]", value).get(cast("str", part))
    return path.removeprefix(".")


def shown(value: Any) -> str:
    """A value as JSON, cut to what a message can hold."""
    text = orjson.dumps(value, default=repr, option=orjson.OPT_NON_STR_KEYS).decode()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _message(message: str, kind: str, value: Any) -> str:
    if kind == "missing":
        return "this field is required and not there"
    if kind == "extra_forbidden":
        return "there is no such field in this format"
    return f"{message[0].lower()}{message[1:]}; found {shown(value)}"
