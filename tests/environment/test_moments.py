from __future__ import annotations

import datetime as dt
from typing import Any

import orjson
import pytest

from envfactory.environment import Argument, Environment, Output, ToolError, World, tool


class Visit(Argument):
    """A nested argument with dates of its own."""

    day: dt.date
    at: dt.time | None = None


class Told(Output):
    """Nothing much."""

    count: int


class Diary(Environment):
    """Keep dates."""

    domain = "test"
    policy = "None."
    sources = ("none",)

    @tool(ask=("note it",), reply=("{count}.",))
    def note(self, when: dt.datetime, visits: tuple[Visit, ...] = (), days: tuple[dt.date, ...] = ()) -> Told:
        """Note some dates."""
        return Told(count=len(visits) + len(days) + when.year)

    @classmethod
    def scenario(cls, world: World, size: int) -> Diary:
        return cls(now=world.now)


NOTE = Diary.tools["note"]
GOOD: dict[str, Any] = {
    "when": "2026-03-02T09:30:00", "visits": [{"day": "2028-02-29", "at": "09:30"}], "days": ["2026-03-02"]
}  # fmt: skip


def test_plain_iso_text_becomes_dates_and_times() -> None:
    assert NOTE.arguments(orjson.dumps(GOOD)) == {
        "when": dt.datetime.fromisoformat("2026-03-02T09:30:00"),
        "visits": (Visit(day=dt.date(2028, 2, 29), at=dt.time(9, 30)),),
        "days": (dt.date(2026, 3, 2),),
    }


@pytest.mark.parametrize(
    "text", ["86400", "1.5", "2026-3-02", "2026-02-30", "2026-03-02T09:00:00", "٢٠٢٦-٠٣-٠٢", "", " 2026-03-02"]
)
def test_a_date_is_nothing_else(text: str) -> None:
    for arguments, path in (
        ({**GOOD, "days": [text]}, "days[0]"),
        ({**GOOD, "visits": [{"day": text}]}, "visits[0].day"),
    ):
        with pytest.raises(ToolError, match="should be a date such as 2026-03-02") as caught:
            NOTE.arguments(orjson.dumps(arguments))
        assert f"argument '{path}' is {text!r}" in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "86400",
        "2026-03-02",
        "2026-03-02 09:30",
        "2026-03-02T09:30:00Z",
        "2026-03-02T09:30:00+01:00",
        "2026-03-02T25:00:00",
    ],
)
def test_a_moment_is_nothing_else_and_has_no_offset(text: str) -> None:
    with pytest.raises(ToolError, match=r"argument 'when' is .* without offset"):
        NOTE.arguments(orjson.dumps({**GOOD, "when": text}))


def test_a_time_is_nothing_else_and_all_problems_are_told_at_once() -> None:
    bad = {"when": "1", "visits": [{"day": "2", "at": "3600"}], "days": ["3"]}
    with pytest.raises(ToolError) as caught:
        NOTE.arguments(orjson.dumps(bad))
    assert [part.split(" is ")[0] for part in caught.value.message.split("; ")] == [
        "argument 'when'", "argument 'visits[0].day'", "argument 'visits[0].at'", "argument 'days[0]'",
    ]  # fmt: skip


def test_python_code_gives_dates_and_never_text() -> None:
    with pytest.raises(ValueError, match="valid date"):
        Visit(day="2026-03-02")  # pyright: ignore[reportArgumentType]
