from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from subprocess import PIPE
from typing import Any

import anyio
import mcp_types as types
import orjson
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from envfactory.catalogue import registry
from envfactory.environment import DEFAULT_NOW, InProcess, Reference, Session
from envfactory.environment.worker import Worker
from envfactory.serving.mcp import mcp_server
from tests.environment.hostile import Hostile

MODULE = [sys.executable, "-m", "envfactory.serving.mcp"]
HOTEL = ["--environments", "hotel_reservations", "--seed", "1", "--size", "60"]
SECONDS = 60
"""No test waits longer than this for a server."""
REFERENCE = Reference(environments={"hotel_reservations": ""}, seed=1, size=60, now=DEFAULT_NOW)


def hotel() -> Session:
    return Session(registry.backend(["hotel_reservations"]), REFERENCE)


def bounded(run: Callable[[], Awaitable[None]]) -> None:
    async def within() -> None:
        with anyio.fail_after(SECONDS):
            await run()

    anyio.run(within)


@asynccontextmanager
async def connected(arguments: list[str] = HOTEL) -> AsyncGenerator[Client]:
    """The official client, with a server process of its own."""
    server = StdioServerParameters(command=MODULE[0], args=[*MODULE[1:], *arguments])
    async with Client(stdio_client(server)) as client:
        yield client


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def test_a_client_sees_the_tools_exactly_as_they_are_specified() -> None:
    async def run() -> None:
        async with connected() as client:
            listed = (await client.list_tools()).tools
            with hotel() as session:
                tools = list(session.tools())
            assert [tool.name for tool in listed] == [tool.wire_name for tool in tools]
            for tool, spec in zip(listed, tools, strict=True):
                assert tool.description == spec.description
                assert orjson.dumps(tool.input_schema).decode() == spec.parameters
                assert orjson.dumps(tool.output_schema).decode() == spec.output_schema
                assert tool.annotations is not None
                assert tool.annotations.read_only_hint is not spec.writes
            assert client.instructions is not None
            assert "Stays are one to fourteen nights." in client.instructions

    bounded(run)


def test_calls_and_refusals_have_the_text_of_a_call_in_process() -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get_hotel", {"hotel_id": "H-101"}),
        ("get_hotel", {"hotel_id": "H-0"}),
        ("get_hotel", {"hotel": 3}),
        ("get_hotels", {}),
        ("list_reservations", {"page": 2}),
        ("write_review", {"hotel_id": "H-101", "score": 9, "title": "Grüße aus 東京"}),
    ]

    async def run() -> None:
        async with connected() as client:
            with hotel() as session:
                for tool, arguments in calls:
                    expected = session.call(f"hotel_reservations-{tool}", arguments)
                    result = await client.call_tool(f"hotel_reservations-{tool}", arguments)
                    assert text_of(result) == expected.text
                    assert result.is_error is not expected.ok
                    assert result.structured_content == (expected.value if expected.ok else None)

    bounded(run)


def test_two_clients_have_a_world_each() -> None:
    async def run() -> None:
        async with connected() as one, connected() as two:
            listing = "hotel_reservations-list_reservations"
            before = text_of(await two.call_tool(listing, {"status": "confirmed"}))
            stay = json.loads(before)["reservations"][-1]["id"]
            cancelled = await one.call_tool("hotel_reservations-cancel_reservation", {"reservation_id": stay})
            assert not cancelled.is_error
            assert text_of(await two.call_tool(listing, {"status": "confirmed"})) == before
            assert text_of(await one.call_tool(listing, {"status": "confirmed"})) != before

    bounded(run)


def test_what_only_the_user_does_is_neither_listed_nor_called() -> None:
    async def run() -> None:
        with Session(InProcess({"hostile": Hostile}), Reference(environments={"hostile": ""})) as session:
            async with Client(mcp_server(session)) as client:
                listed = [tool.name for tool in (await client.list_tools()).tools]
                assert "hostile-count" in listed
                assert "hostile-confirm" not in listed
                result = await client.call_tool("hostile-confirm", {})
                assert result.is_error
                assert json.loads(text_of(result))["error"]["code"] == "unknown_tool"

    bounded(run)


def test_a_failure_of_the_infrastructure_is_an_error_of_the_protocol() -> None:
    async def run() -> None:
        places = {"hostile": "tests.environment.hostile:Hostile"}
        with Worker(places) as worker, Session(worker, Reference(environments={"hostile": ""})) as session:
            async with Client(mcp_server(session)) as client:
                with pytest.raises(MCPError, match="crash: the worker died in tool 'die'") as caught:
                    await client.call_tool("hostile-die", {})
                assert caught.value.code == types.INTERNAL_ERROR

    bounded(run)


def request(number: int, method: str, params: dict[str, Any]) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + b"\n"


INITIALIZE = request(
    1,
    "initialize",
    {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}},
)
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


@contextmanager
def started(command: list[str]) -> Generator[subprocess.Popen[bytes]]:
    """A server process that has been asked to initialize and has answered."""
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) as server:
        try:
            assert answer(server, INITIALIZE)["id"] == 1
            yield server
        finally:
            server.kill()


def answer(server: subprocess.Popen[bytes], asked: bytes) -> dict[str, Any]:
    """Ask a server and read the one line that it answers with."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(asked)
    server.stdin.flush()
    return json.loads(server.stdout.readline())


def test_a_server_whose_input_ends_ends_well() -> None:
    call = request(2, "tools/call", {"name": "hotel_reservations-get_hotel", "arguments": {"hotel_id": "H-101"}})
    with started([*MODULE, *HOTEL]) as server:
        assert answer(server, INITIALIZED + call)["result"]["structuredContent"]["id"] == "H-101"
        assert server.communicate(timeout=SECONDS) == (b"", b"")
        assert server.returncode == 0


def test_a_server_without_input_ends_well() -> None:
    ended = subprocess.run(
        [*MODULE, *HOTEL], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert (ended.stdout, ended.stderr) == (b"", b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_waiting_server_well(number: signal.Signals) -> None:
    with started([*MODULE, *HOTEL]) as server:
        server.send_signal(number)
        assert server.wait(SECONDS) == 0
        assert server.communicate(timeout=SECONDS) == (b"", b"")


def test_nothing_but_the_protocol_comes_out_whatever_tools_print() -> None:
    script = (
        "from envfactory.environment import InProcess, Reference, Session\n"
        "from envfactory.serving.mcp import serve_stdio\n"
        "from tests.environment.hostile import Hostile\n"
        "with Session(InProcess({'hostile': Hostile}), Reference(environments={'hostile': ''})) as session:\n"
        "    serve_stdio(session)\n"
        "print('afterwards')\n"
    )
    call = request(2, "tools/call", {"name": "hostile-chatter", "arguments": {}})
    with started([sys.executable, "-c", script]) as server:
        assert answer(server, INITIALIZED + call)["result"]["structuredContent"] == {"number": 0}
        out, err = server.communicate(timeout=SECONDS)
        assert out == b"afterwards\n"
        assert b"{}" in err


def test_an_environment_that_does_not_exist_is_named() -> None:
    done = subprocess.run(
        [*MODULE, "--environments", "hotel_reservation"], capture_output=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 2
    assert b"did you mean 'hotel_reservations'?" in done.stderr
