"""Files and digests: a file appears whole or not at all, and equal values have equal bytes.

Everything that is written for somebody else to read goes through this module: the bytes go to a temporary file in the
same folder, are flushed to the disk, and take the final name by one ``os.replace``. Digests are SHA-256 in lower-case
hexadecimal; the digest of a value is that of its canonical JSON (sorted keys, no spaces, UTF-8).
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import orjson

__all__ = [
    "JsonlError",
    "JsonlWriter",
    "Replacing",
    "canonical_json",
    "digest_json",
    "file_digest",
    "read_json",
    "read_jsonl",
    "read_lines",
    "sha256_hex",
    "write_bytes_atomic",
    "write_json_atomic",
]

TEMPORARY_PREFIX = ".tmp-"
"""How a file starts its name while it is being written; such a file is never part of a result."""


class JsonlError(ValueError):
    """A line of a JSON Lines file is not what it must be; the message names file and row."""


def canonical_json(value: Any) -> bytes:
    """Serialise a value so that equal values give equal bytes.

    Args:
        value: what orjson can serialise; mappings must have string keys.

    Returns:
        UTF-8 JSON with sorted keys and no spaces.

    Raises:
        TypeError: the value holds something that is not JSON, or an integer beyond 64 bits.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 digest of some bytes, in lower-case hexadecimal (64 characters)."""
    return hashlib.sha256(data).hexdigest()


def digest_json(value: Any) -> str:
    """Return the digest of a value's canonical JSON; see `canonical_json` for what it accepts."""
    return sha256_hex(canonical_json(value))


def file_digest(path: Path) -> str:
    """Return the SHA-256 digest of a file's bytes, read in pieces.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_bytes_atomic(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part; makes its folder if needed.

    Args:
        path: the file.
        data: what it is to hold.
        durable: it is on the disk before it takes its name; without, a power cut may leave it empty.

    Raises:
        OSError: the folder cannot be written; nothing is left behind.
    """
    with Replacing(path, durable=durable) as stream:
        stream.write(data)


def write_json_atomic(path: Path, value: Any) -> None:
    """Write a value as indented JSON for people to read, keys in the order given; see `write_bytes_atomic`."""
    write_bytes_atomic(path, orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n")


def read_json(path: Path) -> Any:
    """Read one JSON value from a file.

    Raises:
        ValueError: the file is not JSON; the message names it.
        OSError: the file cannot be read.
    """
    try:
        return orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise ValueError(f"{path}: not JSON: {error}") from None


def read_jsonl(path: Path) -> Generator[Any]:
    """Read a JSON Lines file row by row, in constant memory.

    Args:
        path: one JSON value a line, each line ended by a newline.

    Yields:
        The value of each row, in order.

    Raises:
        JsonlError: a row is empty, is not JSON, or the last one has no newline (a cut file); rows count from 1.
        OSError: the file cannot be read.
    """
    for row, line in enumerate(read_lines(path), start=1):
        try:
            yield orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise JsonlError(f"{path}, row {row}: not JSON: {error}") from None


def read_lines(path: Path) -> Iterator[bytes]:
    """Read a JSON Lines file row by row, as it is written; what it raises, and how much it holds, is `read_jsonl`'s.

    Args:
        path: one JSON value a line, each line ended by a newline.

    Yields:
        The JSON of each row, in order, without the newline.
    """
    with path.open("rb") as stream:
        for row, line in enumerate(stream, start=1):
            if not line.endswith(b"\n"):
                raise JsonlError(f"{path}, row {row}: the file ends inside this row")
            yield line[:-1]


class JsonlWriter:
    """Write a JSON Lines file that appears whole when the ``with`` block ends well, and not at all otherwise.

    Example:
        >>> with JsonlWriter(path) as writer:  # doctest: +SKIP
        ...     writer.write({"id": 1})
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = 0
        self._hash = hashlib.sha256()
        self._replacing = Replacing(path)
        self._stream: IO[bytes] | None = None

    def write(self, value: Any) -> None:
        """Append one row as JSON, its members in the order in which they stand: in a state, order has a meaning.

        Raises:
            TypeError: the value is not JSON.
            ValueError: the writer is not open.
        """
        self.write_line(orjson.dumps(value))

    def write_line(self, row: bytes) -> None:
        """Append one row that is JSON already.

        Args:
            row: one JSON value without a line break.

        Raises:
            ValueError: the writer is not open.
        """
        if self._stream is None:
            raise ValueError(f"{self.path}: the writer is not open; write inside its 'with' block")
        line = row + b"\n"
        self._stream.write(line)
        self._hash.update(line)
        self.rows += 1

    @property
    def digest(self) -> str:
        """SHA-256 digest of the rows written so far, in hexadecimal."""
        return self._hash.hexdigest()

    def __enter__(self) -> Self:
        self._stream = self._replacing.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream = None
        self._replacing.__exit__(kind, error, trace)


class Replacing:
    """A binary stream into a temporary file that takes its final name when the block ends without an error."""

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        self._path = path
        self._durable = durable
        self._temporary = path.with_name(f"{TEMPORARY_PREFIX}{uuid.uuid4().hex}-{path.name}")
        self._stream: IO[bytes] | None = None

    def __enter__(self) -> IO[bytes]:
        try:
            self._stream = self._temporary.open("xb")
        except FileNotFoundError:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self._temporary.open("xb")
        return self._stream

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stream = self._stream
        assert stream is not None
        appeared = False
        try:
            with stream:
                if error is None and self._durable:
                    stream.flush()
                    os.fsync(stream.fileno())
            if error is None:
                self._temporary.replace(self._path)
                appeared = True
        finally:
            if not appeared:
                self._temporary.unlink(missing_ok=True)
