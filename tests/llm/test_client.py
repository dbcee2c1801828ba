"""The client: what it sends, remembers and hides."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from envfactory.llm import (
    BudgetExceeded,
    BudgetSettings,
    Client,
    FolderRecords,
    LimitSettings,
    ModelLedger,
    PermanentError,
    PriceSettings,
    Purpose,
    ReplayMiss,
    Request,
    Tool,
    open_records,
    user,
)
from envfactory.llm.prices import FREE
from tests.llm.server import FaultServer, fails, replies, says
from tests.llm.support import HELLO, PURPOSE, endpoint, run

SECRET = "sk-very-secret-0123456789"


def test_streamed_or_whole_the_reply_is_the_same() -> None:
    calls = [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"city": "Rome"}'}}]
    message = {"content": "One moment.", "reasoning": "They want a hotel.", "tool_calls": calls}

    async def ask(stream: bool) -> Any:
        async with (
            FaultServer([replies(**message, finish_reason="tool_calls")]) as server,
            Client(endpoint(server, stream=stream)) as client,
        ):
            return await client.complete(HELLO, PURPOSE)

    whole, streamed = run(ask(stream=False)), run(ask(stream=True))
    assert whole == streamed
    assert (whole.text, whole.reasoning, whole.finish) == ("One moment.", "They want a hotel.", "tool_calls")
    assert whole.calls[0].mapping() == {"city": "Rome"}
    assert (whole.usage.prompt, whole.usage.cached, whole.usage.completion, whole.usage.reasoning) == (20, 8, 5, 2)


def test_what_was_asked_before_is_not_asked_again(tmp_path: Path) -> None:
    async def ask(ledger: ModelLedger) -> None:
        async with FaultServer() as server:
            async with Client(endpoint(server), records=FolderRecords(tmp_path / "r"), ledger=ledger) as client:
                first = await client.complete(HELLO, PURPOSE)
            # Elsewhere, with other patience and another key, the model is the same.
            settings = endpoint(server, timeout_s=5.0, stream=True, base_url="http://127.0.0.1:1/v1")
            async with Client(settings, records=FolderRecords(tmp_path / "r"), ledger=ledger) as client:
                again = await client.complete(HELLO, PURPOSE)
            assert again.from_cache
            assert not first.from_cache
            assert again.model_copy(update={"from_cache": False}) == first
            assert len(server.requests) == 1

    with ModelLedger(tmp_path / "ledger.jsonl") as ledger:
        run(ask(ledger))
        assert (ledger.total().requests, ledger.total().replayed) == (1, 1)


def test_equal_requests_at_once_are_sent_once(tmp_path: Path) -> None:
    async def ask() -> None:
        async with FaultServer(delay_s=0.05) as server:
            async with Client(endpoint(server), records=FolderRecords(tmp_path)) as client:
                replies = await asyncio.gather(*(client.complete(HELLO, PURPOSE) for _ in range(20)))
            assert len({reply.text for reply in replies}) == 1
            assert len(server.requests) == 1

    run(ask())


def test_another_takes_over_from_an_equal_request_that_failed(tmp_path: Path) -> None:
    async def ask() -> None:
        async with FaultServer([fails(400)], delay_s=0.05) as server:
            async with Client(endpoint(server), records=FolderRecords(tmp_path)) as client:
                asked = (client.complete(HELLO, PURPOSE) for _ in range(3))
                outcomes = await asyncio.gather(*asked, return_exceptions=True)
            assert [isinstance(outcome, PermanentError) for outcome in outcomes] == [True, False, False]
            assert len(server.requests) == 2

    run(ask())


def test_samples_of_one_request_are_told_apart(tmp_path: Path) -> None:
    async def ask() -> None:
        async with FaultServer() as server:
            async with Client(endpoint(server), records=FolderRecords(tmp_path)) as client:
                for number in range(3):
                    await client.complete(HELLO.model_copy(update={"sample": number}), PURPOSE)
            assert len(server.requests) == 3
            assert server.requests[0] == server.requests[2]

    run(ask())


def test_replay_asks_nobody_and_names_the_nearest_record(tmp_path: Path) -> None:
    async def record() -> None:
        async with FaultServer() as server:
            async with Client(endpoint(server), records=FolderRecords(tmp_path / "r")) as client:
                await client.complete(HELLO, PURPOSE)
                await client.complete(Request(messages=(user("Goodbye"),), temperature=1.0), PURPOSE)
            nobody = endpoint(server, api_key_env="NO_SUCH_VARIABLE")
        FolderRecords(tmp_path / "r").pack(tmp_path / "pack.jsonl")
        for path in (tmp_path / "r", tmp_path / "pack.jsonl"):
            async with Client(nobody, records=open_records(path), mode="replay") as client:
                assert (await client.complete(HELLO, PURPOSE)).from_cache
                wanted = HELLO.model_copy(update={"seed": 8})
                message = r"synthesize, writer.*nearest record is \w{12}: request.seed is 8 instead of 7"
                with pytest.raises(ReplayMiss, match=message):
                    await client.complete(wanted, PURPOSE)

    run(record())
    with pytest.raises(ValueError, match="needs records"):
        Client(endpoint(FaultServer()), mode="replay")


def test_recording_asks_anew_and_keeps_the_new_reply(tmp_path: Path) -> None:
    async def ask() -> None:
        async with FaultServer([replies(content="old"), replies(content="new")]) as server:
            for _ in range(2):
                async with Client(endpoint(server), records=FolderRecords(tmp_path), mode="record") as client:
                    await client.complete(HELLO, PURPOSE)
        (record,) = FolderRecords(tmp_path)
        assert record.reply.text == "new"

    run(ask())


def test_no_more_requests_are_on_their_way_than_allowed() -> None:
    async def ask() -> None:
        async with FaultServer(delay_s=0.02) as server:
            async with Client(endpoint(server, limits=LimitSettings(in_flight=5))) as client:
                asked = (Request(messages=(user(f"{number}"),)) for number in range(40))
                await asyncio.gather(*(client.complete(request, PURPOSE) for request in asked))
            assert server.most_at_once == 5

    run(ask())


@pytest.mark.parametrize(("name", "limit", "sent"), [("requests", 3, 3), ("tokens", 100, 3), ("money", 0.0001, 3)])
def test_a_budget_stops_before_it_is_exceeded_and_holds_over_attempts(
    name: str, limit: Any, sent: int, tmp_path: Path
) -> None:
    # Twenty tokens read, five written, for each: 25, or 0.00003 in money; set aside are 27, or 0.00004.
    prices = {"*": PriceSettings(input=1.0, cached_input=0.5, output=2.0)}
    requests = [Request(messages=(user("Say something!" * 2),), max_tokens=20, seed=number) for number in range(6)]

    async def ask(server: FaultServer) -> list[Any]:
        with ModelLedger(tmp_path / "ledger.jsonl") as ledger:
            budget = BudgetSettings(**{name: limit})
            client = Client(
                endpoint(server, prices=prices),
                records=FolderRecords(tmp_path / "r"),
                ledger=ledger,
                budget=budget,
                budget_key="generator.budget",
            )
            async with client:
                asked = (client.complete(request, PURPOSE) for request in requests)
                return await asyncio.gather(*asked, return_exceptions=True)

    async def twice() -> None:
        async with FaultServer() as server:
            for _ in range(2):
                outcomes = await ask(server)
                stopped = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
                assert len(stopped) == len(requests) - sent
                for error in stopped:
                    assert isinstance(error, BudgetExceeded)
                    assert f"generator.budget.{name}={limit}: " in str(error)
                    assert f"raise generator.budget.{name}" in str(error)
            assert len(server.requests) == sent

    run(twice())


def test_costs_are_noted_by_stage_role_and_trajectory(tmp_path: Path) -> None:
    price = PriceSettings(input=10.0, cached_input=1.0, output=100.0, reasoning=200.0)

    async def ask(ledger: ModelLedger) -> None:
        async with (
            FaultServer([fails(500)]) as server,
            Client(endpoint(server, prices={"another": FREE, "*": price}, gpus=2.0), ledger=ledger) as client,
        ):
            await client.complete(HELLO, Purpose("synthesize", "writer", "t-1"))
            await client.complete(HELLO, Purpose("synthesize", "judge", "t-2"))
            await client.complete(HELLO, Purpose("graph", "refiner"))

    with ModelLedger(tmp_path / "ledger.jsonl") as ledger:
        run(ask(ledger))
        ledger.accept("synthesize", "t-1")
        assert {role: spent.requests for role, spent in ledger.by("role").items()} == {
            "judge": 1,
            "refiner": 1,
            "writer": 2,
        }
        writer = ledger.total(role="writer")
        assert (writer.failed, writer.prompt, writer.cached, writer.completion, writer.reasoning) == (1, 20, 8, 5, 2)
        # 12 fresh, 8 cached, 3 written, 2 of reasoning.
        assert writer.money == pytest.approx((12 * 10 + 8 * 1 + 3 * 100 + 2 * 200) / 1e6)
        assert writer.seconds > 0
        assert 0 < writer.gpu_hours <= 2 * writer.seconds / 3600
        assert ledger.per_accepted("synthesize")["prompt"] == 40
        assert ledger.of("t-2").requests == 1


def test_a_key_comes_from_the_environment_and_is_never_shown_or_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    echo = {"message": f"Incorrect API key provided: {SECRET}"}
    script = [fails(500, echo), says(f'{{"choices": "{SECRET}"}}'.encode()), fails(401, echo)]
    script.append(replies(content=f"You sent Bearer {SECRET}", reasoning=f"{SECRET}?"))
    caplog.set_level(logging.DEBUG)
    shown: list[str] = []

    async def ask(ledger: ModelLedger) -> None:
        async with FaultServer(script) as server:
            settings = endpoint(server, api_key_env="MY_KEY")
            client = Client(settings, records=FolderRecords(tmp_path / "r"), ledger=ledger)
            async with client:
                with pytest.raises(PermanentError) as caught:
                    await client.complete(HELLO, PURPOSE)
                shown.extend(traceback.format_exception(caught.value))
                reply = await client.complete(HELLO, PURPOSE)
            assert (reply.text, reply.reasoning) == ("You sent Bearer <api key>", "<api key>?")
            shown.extend([repr(client), repr(settings), settings.model_dump_json()])
            assert {headers["authorization"] for headers in server.headers} == {f"Bearer {SECRET}"}

    with ModelLedger(tmp_path / "ledger.jsonl") as ledger:
        run(ask(ledger))
    assert any("<api key>" in text for text in shown)
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 2
    for text in (*shown, *written, caplog.text):
        assert SECRET not in text


def test_a_key_that_is_not_set_is_told_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)

    async def ask() -> None:
        async with FaultServer() as server, Client(endpoint(server, api_key_env="MY_KEY")) as client:
            with pytest.raises(PermanentError, match=r"api_key_env=MY_KEY: .* export it"):
                await client.complete(HELLO, PURPOSE)
            assert server.requests == []

    run(ask())


def test_another_providers_credentials_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"x-mine: {SECRET}\nauthorization: Bearer {SECRET}")
    monkeypatch.setenv("MY_KEY", "mine")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")

    async def ask() -> None:
        async with FaultServer() as server:
            for name in (None, "MY_KEY"):
                async with Client(endpoint(server, api_key_env=name)) as client:
                    await client.complete(HELLO, PURPOSE)
            assert SECRET not in str(server.headers)
            assert [headers.get("authorization") for headers in server.headers] == [None, "Bearer mine"]

    run(ask())


def test_the_sdk_is_imported_by_nobody_before_a_request_is_sent() -> None:
    code = (
        "import sys, envfactory.llm as llm\n"
        "llm.Client(llm.EndpointSettings(model='m'))\n"
        "print([name for name in ('openai', 'httpx2', 'aiohttp') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.strip() == "[]"


def test_a_request_that_is_given_up_frees_its_place(tmp_path: Path) -> None:
    async def ask() -> None:
        async with FaultServer(delay_s=0.2) as server:
            settings = endpoint(server, limits=LimitSettings(in_flight=1))
            async with Client(settings, records=FolderRecords(tmp_path)) as client:
                task = asyncio.create_task(client.complete(HELLO, PURPOSE))
                await server.arrived.wait()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert (await client.complete(HELLO, PURPOSE)).text

    run(ask())


def test_tools_and_extra_members_arrive(tmp_path: Path) -> None:
    tool = Tool(name="search", description="Find.", parameters={"type": "object", "properties": {}})
    request = Request(messages=(user("Hello"),), tools=(tool,), tool_choice="search", temperature=0.5, max_tokens=9)

    async def ask() -> None:
        async with FaultServer() as server:
            settings = endpoint(server, extra={"top_k": 20}, max_tokens_field="max_completion_tokens")
            async with Client(settings) as client:
                await client.complete(request, PURPOSE)
            (body,) = server.requests
        assert body["tools"][0]["function"]["parameters"] == tool.parameters
        assert body["tool_choice"] == {"type": "function", "function": {"name": "search"}}
        assert (body["top_k"], body["max_completion_tokens"], body["temperature"]) == (20, 9, 0.5)
        assert "max_tokens" not in body

    run(ask())
