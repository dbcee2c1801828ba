"""Parquet files of known columns, written and read a group of rows at a time; pyarrow is spoken to here alone.

A column holds `text` or a whole `number`, a struct of such (a dictionary), or a list of such structs (a list of one
dictionary). No value is null. The file's metadata carries its format.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from envfactory.dataset.problems import Problem
from envfactory.files import Replacing

Scalar = Literal["text", "number"]
Struct = Mapping[str, Scalar]
Column = Scalar | Struct | list[Struct]
Row = dict[str, Any]
GROUP = 256
"""Rows that are held at a time."""


def write_parquet(path: Path, rows: Iterable[Row], columns: Mapping[str, Column], form: str) -> int:
    """Write rows in constant memory; the file appears whole or not at all.

    Args:
        path: the file.
        rows: each with all columns.
        columns: by name.
        form: the file's format.

    Returns:
        How many rows there are.
    """
    arrow, parquet = _arrow()
    schema = _schema(columns, form)
    count = 0
    left = iter(rows)
    with Replacing(path) as stream, parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        while group := list(islice(left, GROUP)):
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
            count += len(group)
    return count


def read_parquet(path: Path, columns: Mapping[str, Column], form: str) -> Iterator[Row | Problem]:
    """The rows of a file, each with exactly these columns; before them, what is wrong with the file as a whole.

    Raises:
        OSError: the file cannot be read.
    """
    arrow, parquet = _arrow()
    try:
        file = parquet.ParquetFile(path)
    except arrow.ArrowInvalid as error:
        yield Problem(0, "", f"not a Parquet file: {error}")
        return
    with file:
        found, wanted = file.schema_arrow, _schema(columns, form)
        metadata: dict[bytes, bytes] = found.metadata or {}
        marked = metadata.get(b"format", b"").decode(errors="replace")
        if marked != form:
            yield Problem(0, "", f"expected the format {form!r} in the file's metadata, found {marked!r}")
        for name in dict.fromkeys((*wanted.names, *found.names)):
            types = [str(schema.field(name).type) if name in schema.names else "nothing" for schema in (wanted, found)]
            if types[0] != types[1]:
                yield Problem(0, name, f"expected a column of type {types[0]}, found {types[1]}")
                return
        for batch in file.iter_batches(batch_size=GROUP):
            yield from batch.to_pylist()


def _arrow() -> tuple[Any, Any]:
    # pyarrow comes without types, and is imported only where a file is written or read.
    return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")


def _schema(columns: Mapping[str, Column], form: str) -> Any:
    arrow, _ = _arrow()
    fields = [arrow.field(name, _type(column), nullable=False) for name, column in columns.items()]
    return arrow.schema(fields, metadata={"format": form})


def _type(column: Column) -> Any:
    arrow, _ = _arrow()
    if isinstance(column, list):
        return arrow.list_(arrow.field("element", _type(column[0]), nullable=False))
    if isinstance(column, Mapping):
        return arrow.struct([arrow.field(name, _type(kind), nullable=False) for name, kind in column.items()])
    return arrow.string() if column == "text" else arrow.int64()
