"""Records: every request with the reply it was given, found by what was asked.

    key = SHA-256 of {format, what of the endpoint decides replies, the request}

Neither address nor credentials are part of a key or of a record. In a folder, a record is a file, written at once and
whole, so that several processes may share it and a killed one has kept every reply that it got. A pack is the same
records in one file, sorted by key, to be committed and replayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, cast

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from envfactory.files import JsonlWriter, canonical_json, digest_json, read_jsonl, write_bytes_atomic
from envfactory.llm.chat import Reply, Request
from envfactory.llm.settings import EndpointSettings

__all__ = [
    "FORMAT",
    "FolderRecords",
    "PackedRecords",
    "Record",
    "Records",
    "asked",
    "key_of",
    "nearest",
    "open_records",
]

FORMAT = "envfactory.llm/1"
KEY_CHARACTERS = 64
LOOKED_AT = 20_000
SHOWN_DIFFERENCES = 3
SHOWN_CHARACTERS = 60


def asked(request: Request, settings: EndpointSettings) -> dict[str, Any]:
    """Return what a key is made of: everything that can change the reply, as plain JSON."""
    return {"format": FORMAT, "endpoint": settings.identity(), "request": request.model_dump(mode="json")}


def key_of(what: Mapping[str, Any]) -> str:
    """Return the key of what was asked (see `asked`): 64 hexadecimal digits."""
    return digest_json(what)


class Record(BaseModel):
    """What was asked, and the reply."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    asked: dict[str, Any]
    reply: Reply

    @property
    def key(self) -> str:
        """The key of what was asked."""
        return key_of(self.asked)

    def line(self) -> bytes:
        """Return it as canonical JSON."""
        return canonical_json({"asked": self.asked, "reply": self.reply.model_dump(mode="json")})


class Records(Protocol):
    """Records by key."""

    def get(self, key: str) -> Reply | None:
        """Return the reply recorded under a key, or None."""
        ...

    def put(self, record: Record) -> None:
        """Record a reply."""
        ...

    def __iter__(self) -> Iterator[Record]:
        """Go through all records, sorted by key."""
        ...


class FolderRecords:
    """Records in a folder, a file each, for any number of processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> Reply | None:
        """Return the reply recorded under a key, or None; a file that a power cut emptied is no record."""
        try:
            data = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        record = _read(data)
        return record.reply if record is not None and record.key == key else None

    def put(self, record: Record) -> None:
        """Record a reply; it is there for whoever looks when this returns.

        Raises:
            OSError: the folder cannot be written.
        """
        # Not flushed to the disk: a killed process loses nothing by it, and a request lost to a power cut is asked
        # again.
        write_bytes_atomic(self._path(record.key), record.line(), durable=False)

    def __iter__(self) -> Iterator[Record]:
        for path in sorted(self.folder.glob(f"??/{'?' * KEY_CHARACTERS}.json")):
            record = _read(path.read_bytes())
            if record is not None:
                yield record

    def pack(self, path: Path) -> int:
        """Write all records into one file; return how many.

        Raises:
            OSError: it cannot be written.
        """
        return pack(self, path)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


class PackedRecords:
    """Records in one file, to be read alone."""

    def __init__(self, path: Path) -> None:
        """Read a pack.

        Raises:
            ValueError: a row is no record; the message names file and row.
            OSError: the file cannot be read.
        """
        self.path = path
        self._records: dict[str, Record] = {}
        for row, value in enumerate(read_jsonl(path), start=1):
            try:
                record = Record.model_validate(value)
            except ValidationError as error:
                raise ValueError(f"{path}, row {row}: no record of a request: {error}") from None
            self._records[record.key] = record

    def get(self, key: str) -> Reply | None:
        """Return the reply recorded under a key, or None."""
        record = self._records.get(key)
        return None if record is None else record.reply

    def put(self, record: Record) -> None:
        """Refuse to record.

        Raises:
            TypeError: always; record into a folder and pack it.
        """
        raise TypeError(f"{self.path}: a pack is only read; record into a folder and pack that")

    def __iter__(self) -> Iterator[Record]:
        return iter([self._records[key] for key in sorted(self._records)])


def open_records(path: Path) -> FolderRecords | PackedRecords:
    """Open a pack (``*.jsonl``) or a folder of records."""
    return PackedRecords(path) if path.suffix == ".jsonl" else FolderRecords(path)


def pack(records: Iterable[Record], path: Path) -> int:
    """Write records into one file, in the order given; return how many."""
    with JsonlWriter(path) as writer:
        for record in records:
            writer.write(orjson.loads(record.line()))
    return writer.rows


def nearest(records: Records, wanted: Mapping[str, Any]) -> str:
    """Say which record comes nearest to what was asked, and where the two differ.

    Args:
        records: the first 20,000 of them are looked at.
        wanted: what was asked; see `asked`.

    Returns:
        A sentence for a message.
    """
    here = dict(_leaves(wanted, ""))
    best: tuple[int, str, list[str]] | None = None
    for _, record in zip(range(LOOKED_AT), records, strict=False):
        there = dict(_leaves(record.asked, ""))
        paths = [path for path in {**here, **there} if here.get(path) != there.get(path)]
        if best is None or len(paths) < best[0]:
            told = [
                f"{path} is {_shown(here, path)} instead of {_shown(there, path)}"
                for path in sorted(paths)[:SHOWN_DIFFERENCES]
            ]
            best = (len(paths), record.key, told)
    if best is None:
        return "there are no records at all"
    count, key, told = best
    more = f" and {count - len(told)} more" if count > len(told) else ""
    return f"the nearest record is {key[:12]}: {'; '.join(told)}{more}"


def _read(data: bytes) -> Record | None:
    try:
        return Record.model_validate(orjson.loads(data))
    except ValueError:
        return None


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, inner in cast("dict[str, Any]", value).items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(cast("list[Any]", value)):
            yield from _leaves(inner, f"{path}[{index}]")
    else:
        yield path, value


def _shown(leaves: dict[str, Any], path: str) -> str:
    if path not in leaves:
        return "nothing"
    text = orjson.dumps(leaves[path]).decode()
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}..."
