"""`Result`: what one call gave, as JSON text.

The text is what the agent reads and what is stored, so both backends must produce the same bytes.
"""

from __future__ import annotations

from typing import Any

import orjson
from pydantic import BaseModel

from envfactory.environment.errors import ToolError


class Result:
    """The outcome of one executed call.

    Attributes:
        text: JSON text of the output, or of `{"error": {"code", "message"}}`.
        ok: whether the tool did what was asked.
    """

    __slots__ = ("_parsed", "ok", "text")

    def __init__(self, text: str, ok: bool) -> None:
        self.text = text
        self.ok = ok
        self._parsed: Any = None

    @classmethod
    def of(cls, output: BaseModel) -> Result:
        """Wrap a tool's output; nulls are left out."""
        return cls(output.__pydantic_serializer__.to_json(output, exclude_none=True).decode(), True)

    @classmethod
    def refusal(cls, error: ToolError) -> Result:
        """Wrap a refusal."""
        return cls(orjson.dumps({"error": {"code": error.code, "message": error.message}}).decode(), False)

    @property
    def value(self) -> Any:
        """The parsed text."""
        if self._parsed is None:
            self._parsed = orjson.loads(self.text)
        return self._parsed

    @property
    def code(self) -> str:
        """The error's code, or nothing."""
        return "" if self.ok else self.value["error"]["code"]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and (self.ok, self.text) == (other.ok, other.text)

    def __hash__(self) -> int:
        raise TypeError("results are compared, not hashed")

    def __repr__(self) -> str:
        return f"Result(ok={self.ok}, text={self.text!r})"
