"""Turns that a model has played, kept as soon as each is over, so that a kill or Ctrl-C costs those under way alone.

A line a turn is appended whole; the last one, where a kill tore it, is cut off by who reads next. A turn that
infrastructure broke is not kept: who continues plays it again.
"""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import orjson

from envfactory.evaluation.heldout import PlayedTurn

__all__ = ["KeptTurns"]


class KeptTurns:
    """The turns of one model in one file; use it in a ``with`` block, from any number of threads."""

    def __init__(self, path: Path) -> None:
        """Read what an earlier attempt kept.

        Args:
            path: the file, which need not be there.

        Raises:
            OSError: it cannot be read, or its torn end not be cut off.
            ValueError: a whole line of it is no played turn.
        """
        self._path = path
        self._lock = threading.Lock()
        self._stream: IO[bytes] | None = None
        data = path.read_bytes() if path.is_file() else b""
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            with path.open("r+b") as stream:
                stream.truncate(len(whole))
        turns = [PlayedTurn.model_validate_json(line) for line in whole.splitlines()]
        self.turns: dict[str, PlayedTurn] = {turn.id: turn for turn in turns}
        """By the turn's id."""

    def add(self, turn: PlayedTurn) -> None:
        """Keep a turn that is over, unless infrastructure broke it.

        Raises:
            ValueError: the block was left.
        """
        if turn.failure:
            return
        line = orjson.dumps(turn.model_dump(mode="json")) + b"\n"
        with self._lock:
            if self._stream is None:
                raise ValueError(f"{self._path}: not open; keep turns inside the 'with' block")
            # One write without a buffer: a kill of this process tears nothing.
            self._stream.write(line)
            self.turns[turn.id] = turn

    def __enter__(self) -> Self:
        self._stream = self._path.open("ab", buffering=0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()
