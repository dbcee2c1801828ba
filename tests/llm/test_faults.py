"""Whatever a server does: it is bounded, loses no finished result, and is not taken for the model's failure."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from envfactory.llm import (
    BadReply,
    Client,
    ContextExceeded,
    Disconnected,
    EmptyReply,
    FolderRecords,
    InfrastructureError,
    LimitSettings,
    ModelLedger,
    PermanentError,
    RateLimited,
    Request,
    RetrySettings,
    ServerError,
    TimedOut,
    WrongModel,
    user,
)
from tests.llm.server import (
    JSON,
    Fault,
    FaultServer,
    breaks_off,
    cuts_stream,
    fails,
    hangs,
    replies,
    resets,
    says,
    stalls_stream,
    streams_calls_for_ever,
    trickles,
)
from tests.llm.support import HELLO, PURPOSE, FakeClock, endpoint, run

TWICE = RetrySettings(attempts=2, first_wait_s=0.001)

PASSING: dict[str, tuple[Fault, type[InfrastructureError], dict[str, Any]]] = {
    "429": (fails(429), RateLimited, {}),
    "500": (fails(500), ServerError, {}),
    "503 that is no JSON": (says(b"<html>busy</html>", 503), ServerError, {}),
    "408": (fails(408), ServerError, {}),
    "no reply": (hangs, TimedOut, {"timeout_s": 1.5}),
    "no reply to a stream": (hangs, TimedOut, {"idle_timeout_s": 1.5, "stream": True}),
    "a trickle": (trickles, TimedOut, {"timeout_s": 1.5}),
    "a reset": (resets, Disconnected, {}),
    "a reset stream": (resets, Disconnected, {"stream": True}),
    "half a body": (breaks_off, Disconnected, {}),
    "a cut stream": (cuts_stream(3, clean=False), Disconnected, {"stream": True}),
    "a stream that ends early": (cuts_stream(3, clean=True), BadReply, {"stream": True}),
    "a silent stream": (stalls_stream(2), TimedOut, {"idle_timeout_s": 1.5, "stream": True}),
    "calls for ever": (streams_calls_for_ever, BadReply, {"stream": True}),
    "malformed JSON": (says(b'{"choices": [{"mess'), BadReply, {}),
    "malformed JSON in a stream": (
        says(b"data: {nonsense\n\n", kind={"content-type": "text/event-stream"}),
        BadReply,
        {"stream": True},
    ),
    "another JSON": (says(b"[1, 2]"), BadReply, {}),
    "no choices": (replies(choices=[]), BadReply, {}),
    "a message that is a string": (replies(choices=[{"message": "hello"}]), BadReply, {}),
    "calls that are a string": (replies(tool_calls="search"), BadReply, {}),
    "a reply that says it broke off": (replies(content="I wi", finish_reason="error"), BadReply, {}),
    "an error under status 200": (says(b'{"error": {"code": 502, "message": "upstream"}}'), ServerError, {}),
    "an error within a stream": (
        says(b'data: {"error": {"message": "out of memory"}}\n\n', kind={"content-type": "text/event-stream"}),
        ServerError,
        {"stream": True},
    ),
    "no HTTP": (says(b"", kind={**JSON, "content-length": "no number"}), Disconnected, {}),
    "no content": (replies(content=""), EmptyReply, {}),
    "content that is null": (replies(content=None), EmptyReply, {}),
    "reasoning alone": (replies(content="", reasoning_content="Let me see."), EmptyReply, {}),
    "a think block alone": (replies(content="<think>Let me see."), EmptyReply, {}),
    "another model": (replies(model="another-model"), WrongModel, {}),
}


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_passes_costs_no_reply(name: str, tmp_path: Path) -> None:
    fault, _, changes = PASSING[name]

    async def ask() -> None:
        async with FaultServer([fault]) as server, Client(endpoint(server, **changes)) as client:
            reply = await client.complete(HELLO, PURPOSE)
            assert reply.text.startswith("I heard")
            assert len(server.requests) == 2

    run(ask())


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_stays_is_the_infrastructures_and_is_not_recorded(name: str, tmp_path: Path) -> None:
    fault, kind, changes = PASSING[name]
    records = FolderRecords(tmp_path / "records")

    async def ask(ledger: ModelLedger) -> None:
        async with (
            FaultServer([fault] * 2) as server,
            Client(endpoint(server, retry=TWICE, **changes), records=records, ledger=ledger) as client,
        ):
            with pytest.raises(kind) as caught:
                await client.complete(HELLO, PURPOSE)
            assert isinstance(caught.value, InfrastructureError)
            assert "sent 2 times" in str(caught.value)
            assert len(server.requests) == 2
            # And when the server is well again, so is the request.
            assert (await client.complete(HELLO, PURPOSE)).text

    with ModelLedger(tmp_path / "ledger.jsonl") as ledger:
        run(ask(ledger))
        assert (ledger.total().requests, ledger.total().failed) == (3, 2)
    assert len(list(records)) == 1


FINAL: dict[str, tuple[Fault, type[PermanentError], str]] = {
    "a wrong key": (fails(401), PermanentError, "status 401"),
    "an unknown model": (fails(404, {"message": "no model m"}), PermanentError, "no model m"),
    "a bad request": (fails(400, {"message": "bad temperature"}), PermanentError, "bad temperature"),
    "a redirect": (fails(308, location="http://elsewhere/"), PermanentError, "status 308"),
    "no money left": (fails(429, {"code": "insufficient_quota", "message": "pay"}), PermanentError, "pay"),
    "too long": (
        fails(400, {"code": "context_length_exceeded", "message": "This model's maximum context length is 4096"}),
        ContextExceeded,
        "4096",
    ),
}


@pytest.mark.parametrize("name", FINAL)
def test_what_cannot_pass_is_sent_once(name: str) -> None:
    fault, kind, said = FINAL[name]

    async def ask() -> None:
        async with FaultServer([fault]) as server, Client(endpoint(server)) as client:
            with pytest.raises(kind, match=said):
                await client.complete(HELLO, PURPOSE)
            assert len(server.requests) == 1

    run(ask())


def test_a_server_that_is_not_there_is_tried_again_and_named() -> None:
    async def ask() -> None:
        async with FaultServer() as server:
            settings = endpoint(server)
        async with Client(settings) as client:
            with pytest.raises(Disconnected, match=rf"{server.url}.*is the server running"):
                await client.complete(HELLO, PURPOSE)

    run(ask())


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0.25"}, 0.25),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after": "Fri, 29 May 2026 10:00:30 GMT", "date": "Fri, 29 May 2026 10:00:00 GMT"}, 30.0),
    ],
)
def test_a_server_that_asks_to_wait_is_given_its_time(header: dict[str, str], seconds: float) -> None:
    clock = FakeClock()

    async def ask() -> None:
        async with (
            FaultServer([fails(429, **header)]) as server,
            Client(endpoint(server, retry=RetrySettings()), clock=clock) as client,
        ):
            await client.complete(HELLO, PURPOSE)

    run(ask())
    assert clock.waits == [seconds]


def test_what_one_request_is_told_to_wait_all_wait() -> None:
    clock = FakeClock()
    others = [Request(messages=(user(f"Hello {number}"),)) for number in range(3)]

    async def ask() -> None:
        settings = {"retry": RetrySettings(), "limits": LimitSettings(in_flight=1)}
        async with (
            FaultServer([fails(429, retry_after="40")]) as server,
            Client(endpoint(server, **settings), clock=clock) as client,
        ):
            await asyncio.gather(*(client.complete(request, PURPOSE) for request in others))
            assert len(server.requests) == 4

    run(ask())
    # One waits for itself; the next in line waits for the server; time stands still for nobody else.
    assert clock.waits == [40.0] or clock.waits == [40.0, 40.0]


def test_a_server_that_asks_to_wait_too_long_is_given_up_at_once() -> None:
    async def ask() -> None:
        async with (
            FaultServer([fails(429, retry_after="3600")]) as server,
            Client(endpoint(server, retry=RetrySettings())) as client,
        ):
            with pytest.raises(RateLimited, match=r"asks to wait 3600 s, more than retry.longest_wait_s=60"):
                await client.complete(HELLO, PURPOSE)
            assert len(server.requests) == 1

    run(ask())


def test_an_empty_reply_is_asked_for_with_another_seed() -> None:
    async def ask() -> None:
        async with FaultServer([replies(content=""), replies(content="")]) as server:
            async with Client(endpoint(server)) as client:
                await client.complete(HELLO, PURPOSE)
            assert [body["seed"] for body in server.requests] == [7, 8, 9]

    run(ask())


def test_reasoning_that_used_up_its_tokens_is_told_with_the_fix() -> None:
    async def ask() -> None:
        fault = replies(content="", reasoning="Hmm.", finish_reason="length")
        async with FaultServer([fault] * 4) as server, Client(endpoint(server)) as client:
            with pytest.raises(EmptyReply, match=r"reasoning alone.*raise max_tokens"):
                await client.complete(HELLO, PURPOSE)

    run(ask())


@pytest.mark.parametrize("stream", [False, True])
def test_odd_calls_are_the_models_and_come_through_as_they_are(stream: bool) -> None:
    odd: list[dict[str, Any]] = [
        {"id": "a", "type": "function", "function": {"name": "no_such_tool", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "search", "arguments": '"{\\"city\\": \\"Rome\\"}"'}},
        {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"city": "Ro'}},
    ]

    async def ask() -> None:
        async with (
            FaultServer([replies(content=None, tool_calls=odd, finish_reason="tool_calls")]) as server,
            Client(endpoint(server, stream=stream)) as client,
        ):
            reply = await client.complete(HELLO, PURPOSE)
            assert len(server.requests) == 1
        assert [call.id for call in reply.calls] == ["a", "b", "c"]
        assert [call.arguments for call in reply.calls] == [call["function"]["arguments"] for call in odd]
        assert [call.mapping() for call in reply.calls] == [{}, {"city": "Rome"}, None]

    run(ask())


def test_one_failure_among_many_loses_none_of_the_others(tmp_path: Path) -> None:
    records = FolderRecords(tmp_path)
    requests = [Request(messages=(user(f"Hello {number}"),)) for number in range(40)]
    script = [fails(400), hangs, resets, breaks_off, fails(500), replies(content=""), says(b"{"), fails(400)] * 3

    async def ask() -> list[Any]:
        async with (
            FaultServer(script) as server,
            Client(endpoint(server, timeout_s=3.0), records=records) as client,
        ):
            asked = (client.complete(request, PURPOSE) for request in requests)
            return await asyncio.gather(*asked, return_exceptions=True)

    outcomes = run(ask())
    refused = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert {type(outcome) for outcome in refused} == {PermanentError}
    assert len(refused) == 6
    assert len(list(records)) == 34


class Plan(BaseModel):
    goal: str


def test_a_fault_while_an_answer_is_repaired_is_not_the_models_failure() -> None:
    async def ask() -> None:
        script = [replies(content="No."), fails(500), fails(500), fails(500), fails(500)]
        async with FaultServer(script) as server, Client(endpoint(server)) as client:
            with pytest.raises(ServerError):
                await client.ask(HELLO, Plan, PURPOSE, rounds=2)

    run(ask())
