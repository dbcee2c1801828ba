"""Answers that are data: read tolerantly, refused with reasons, asked for again."""

from __future__ import annotations

from typing import Any, Literal

import orjson
import pytest
from pydantic import BaseModel, ConfigDict

from envfactory.llm import AnswerError, Client, InfrastructureError, Request, assistant, strict_schema, user
from envfactory.llm.structured import read_answer
from tests.llm.server import FaultServer, replies
from tests.llm.support import HELLO, PURPOSE, endpoint, run


class Turn(BaseModel):
    request: str
    calls: int = 1


class Plan(BaseModel):
    """What is planned."""

    model_config = ConfigDict(extra="forbid")

    title: str
    kind: Literal["short", "long"] = "short"
    turns: list[Turn]


GOOD: dict[str, Any] = {"title": "Trip", "turns": [{"request": "Book it", "calls": 2}]}


def nested(schema: Any) -> list[dict[str, Any]]:
    """Every object schema in a schema."""
    found: list[dict[str, Any]] = []
    if isinstance(schema, dict):
        found += [schema] if schema.get("type") == "object" else []
        for value in schema.values():
            found += nested(value)
    return found


def test_a_strict_schema_closes_every_object_and_keeps_every_name() -> None:
    schema = strict_schema(Plan)
    objects = nested(schema)
    assert len(objects) == 2
    for inner in objects:
        assert inner["additionalProperties"] is False
        assert inner["required"] == list(inner["properties"])
    # A member called like a word of JSON Schema stays.
    assert list(schema["properties"]) == ["title", "kind", "turns"]
    assert "default" not in schema["properties"]["kind"]


@pytest.mark.parametrize(
    "written",
    [
        "{}",
        "```json\n{}\n```",
        "```\n{}\n```",
        "Here it is:\n```json\n{}\n```\nEnjoy!",
        "Sure! {} That is all.",
        "```json\n{}",
    ],
)
def test_what_surrounds_an_answer_is_not_held_against_it(written: str) -> None:
    text = written.replace("{}", orjson.dumps(GOOD).decode())
    value, problems = read_answer(text, Plan)
    assert value == Plan.model_validate(GOOD)
    assert problems == []


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("I cannot.", "it is not JSON"),
        ('{"title": "Trip", "turns": [', "it is not JSON"),
        ("[1]", "the answer: Input should be an object (it is [1])"),
        ('{"title": "Trip"}', "turns: Field required"),
        ('{"title": 3, "turns": []}', "title: Input should be a valid string (it is 3)"),
        ('{"title": "a", "kind": "odd", "turns": []}', "kind: Input should be 'short' or 'long' (it is 'odd')"),
        ('{"title": "a", "turns": [{}]}', "turns[0].request: Field required"),
        ('{"title": "a", "turns": [], "more": 1}', "more: Extra inputs are not permitted (it is 1)"),
    ],
)
def test_what_is_wrong_is_said_by_member(written: str, problem: str) -> None:
    assert read_answer(written, Plan) == (None, [problem])


def has_turns(plan: Plan) -> list[str]:
    return [] if plan.turns else ["turns: at least one is needed"]


@pytest.mark.parametrize("style", ["json_schema", "text"])
def test_an_answer_is_repaired_by_being_told_what_is_wrong(style: Any) -> None:
    first, second = '{"title": "Trip"}', '{"title": "Trip", "turns": []}'

    async def ask() -> None:
        script = [replies(content=first), replies(content=second), replies(content=orjson.dumps(GOOD).decode())]
        async with FaultServer(script) as server, Client(endpoint(server, output_style=style)) as client:
            answer = await client.ask(HELLO, Plan, PURPOSE, check=has_turns)
            assert (answer.value, answer.rounds) == (Plan.model_validate(GOOD), 3)
        asked, again, last = (body["messages"] for body in server.requests)
        assert [message["role"] for message in last] == ["user", "assistant", "user", "assistant", "user"]
        assert last[1]["content"] == first
        assert "turns: Field required" in again[2]["content"]
        assert "turns: at least one is needed" in last[4]["content"]
        # The schema is told once: by the server's own means, or in words.
        told = ["response_format" in body for body in server.requests]
        assert told == [style == "json_schema"] * 3
        assert ("JSON Schema" in asked[0]["content"]) == (style == "text")

    run(ask())


def test_a_model_that_does_not_answer_as_asked_fails_after_its_rounds() -> None:
    async def ask() -> None:
        async with FaultServer([replies(content="No."), replies(content="Never.")]) as server:
            async with Client(endpoint(server)) as client:
                with pytest.raises(AnswerError, match="m as writer: no Plan in 2 rounds: it is not JSON") as caught:
                    await client.ask(HELLO, Plan, PURPOSE, rounds=2)
            assert len(server.requests) == 2
        assert not isinstance(caught.value, InfrastructureError)
        assert (caught.value.rounds, caught.value.text) == (2, "Never.")
        assert caught.value.problems == ("it is not JSON",)

    run(ask())


def test_an_answer_that_was_cut_off_is_asked_to_be_brief() -> None:
    async def ask() -> None:
        cut = replies(content='{"title": "Trip", "tur', finish_reason="length")
        good = replies(content=orjson.dumps(GOOD).decode())
        async with FaultServer([cut, good]) as server, Client(endpoint(server)) as client:
            assert (await client.ask(HELLO, Plan, PURPOSE)).rounds == 2
        assert "answer more briefly" in server.requests[1]["messages"][2]["content"]

    run(ask())


def test_a_schema_in_words_follows_whatever_was_said_last() -> None:
    async def ask() -> None:
        script = [replies(content=orjson.dumps(GOOD).decode())]
        async with FaultServer(script) as server, Client(endpoint(server, output_style="text")) as client:
            await client.ask(Request(messages=(user("Plan."), assistant("Now?"))), Plan, PURPOSE)
        assert [message["role"] for message in server.requests[0]["messages"]] == ["user", "assistant", "user"]

    run(ask())
