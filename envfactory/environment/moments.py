"""Dates and times are ISO text, and nothing else.

JSON has no dates, so Pydantic takes text for them even when it is strict; but it also takes `"86400"` for the second of
January 1970, and times with an offset, which do not compare with a session's clock. `text_only` closes both doors.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any, cast

from pydantic import GetCoreSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

_CLOCK = r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
_DAY = r"\d{4}-\d{2}-\d{2}"
_FORMS: dict[str, tuple[str, Callable[[str], object], str]] = {
    "date": (_DAY, dt.date.fromisoformat, "a date such as 2026-03-02"),
    "datetime": (
        f"{_DAY}T{_CLOCK}", dt.datetime.fromisoformat, "a date and time such as 2026-03-02T09:30:00, without offset"
    ),
    "time": (_CLOCK, dt.time.fromisoformat, "a time such as 09:30:00, without offset"),
}  # fmt: skip


def text_only(schema: core_schema.CoreSchema) -> core_schema.CoreSchema:
    """Return the schema with every date, date-time and time in it, when given as text, held to the plain ISO form."""
    return cast("core_schema.CoreSchema", _walk(schema))


YEARS = (1000, 3000)
"""The years that dates may be of, the last one excluded: near the ends of the calendar nothing can be reckoned."""


class TextOnly:
    """Marks an annotation whose dates and times are to be plain ISO text."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return text_only(handler(source))


def _walk(node: Any) -> Any:
    if isinstance(node, list):
        return [_walk(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    found = cast("dict[str, Any]", node)
    if found.get("type") in _CHECKS:
        return core_schema.with_info_before_validator_function(
            _CHECKS[found["type"]], cast("core_schema.CoreSchema", found)
        )
    # A before-function of ours has done its work already; what is no schema has no dates.
    if found.get("type") == "function-before" and found["function"].get("function") in _CHECKS.values():
        return found
    return {key: value if key in ("metadata", "serialization") else _walk(value) for key, value in found.items()}


def _check(form: str, read: Callable[[str], object], described: str) -> Callable[[Any, Any], Any]:
    matches = re.compile(form, re.ASCII).fullmatch

    def check(value: Any, info: core_schema.ValidationInfo) -> Any:
        # What comes out of a Python function counts as Python input, where strictness wants the object itself.
        if info.mode != "json" or not isinstance(value, str):
            return value
        try:
            if matches(value) and getattr(found := read(value), "year", YEARS[0]) in range(*YEARS):
                return found
        except ValueError:  # the thirtieth of February
            pass
        raise PydanticCustomError("iso_text", "Input should be {described}", {"described": described})

    return check


_CHECKS = {kind: _check(form, read, described) for kind, (form, read, described) in _FORMS.items()}
