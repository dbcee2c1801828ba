"""A result is JSON text, and compares by it."""

from __future__ import annotations

import datetime as dt

import orjson
import pytest

from envfactory.environment import Output, Result, ToolError


class Answer(Output):
    day: dt.date
    note: str | None = None
    sums: tuple[float, ...] = ()


def test_an_output_is_compact_json_without_nulls():
    result = Result.of(Answer(day=dt.date(2026, 3, 2), sums=(1, 2.5)))
    assert result.text == '{"day":"2026-03-02","sums":[1.0,2.5]}'
    assert (result.ok, result.code) == (True, "")
    assert result.value == orjson.loads(result.text)


def test_a_refusal_carries_its_code_and_message():
    result = Result.refusal(ToolError("conflict", "Grüße, 東京."))
    assert result.text == '{"error":{"code":"conflict","message":"Grüße, 東京."}}'
    assert (result.ok, result.code) == (False, "conflict")


def test_results_are_equal_if_text_and_outcome_are():
    assert Result("{}", ok=True) == Result("{}", ok=True)
    assert Result("{}", ok=True) != Result("{}", ok=False)
    assert Result("{}", ok=True) != Result("{ }", ok=True)
    assert Result("{}", ok=True) != "{}"
    assert repr(Result("{}", ok=True)) == "Result(ok=True, text='{}')"
    with pytest.raises(TypeError, match="compared, not hashed"):
        hash(Result("{}", ok=True))
