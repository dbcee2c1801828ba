"""How many requests a second one process sends and records.

python -m pytest --benchmark-enable -p no:xdist tests/benchmarks/test_llm.py
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import pytest

from envfactory.llm import (
    Client,
    EndpointSettings,
    FolderRecords,
    LimitSettings,
    ModelLedger,
    Purpose,
    Record,
    Reply,
    Request,
    Tool,
    assistant,
    system,
    user,
)
from envfactory.llm.records import asked

SERVER = Path(__file__).parents[1] / "llm" / "server.py"
IN_FLIGHT = 64
REQUESTS = 640
PURPOSE = Purpose("synthesize", "assistant", "trajectory-1")
TOOLS = tuple(
    Tool(
        name=f"hotel_reservations-tool_{number}",
        description="Find what there is, by city and date, cheapest first.",
        parameters={
            "type": "object",
            "properties": {name: {"type": "string", "description": "What it says."} for name in ("city", "day", "id")},
            "required": ["city"],
        },
    )
    for number in range(10)
)
TALK = (system("You help. " * 40), user("A hotel in Rome, please. " * 4), assistant("Which one? " * 4))


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The server in a process of its own, on the other core."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    command = [sys.executable, str(SERVER), str(log)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield int(process.stdout.readline())
        process.stdin.close()
        process.wait(timeout=10)


def test_requests_a_second(port: int, tmp_path: Path, benchmark: Any) -> None:
    """At least 300 a second with 64 on their way: ten tools, a conversation, record and ledger of each.

    By the clock, with the server on the other core; and by what the processor was at work for this process alone.
    """
    settings = EndpointSettings(
        model="m", base_url=f"http://127.0.0.1:{port}/v1", limits=LimitSettings(in_flight=IN_FLIGHT)
    )
    numbers = count()

    async def ask(client: Client) -> None:
        requests = [Request(messages=(*TALK, user(f"The {next(numbers)}th.")), tools=TOOLS) for _ in range(REQUESTS)]
        replies = await asyncio.gather(*(client.complete(request, PURPOSE) for request in requests))
        assert all(not reply.from_cache for reply in replies)

    with ModelLedger(tmp_path / "ledger.jsonl") as ledger, asyncio.Runner() as runner:
        client = Client(settings, records=FolderRecords(tmp_path / "records"), ledger=ledger)
        worked: list[float] = []

        def batch() -> None:
            began = time.process_time()
            runner.run(ask(client))
            worked.append(time.process_time() - began)

        benchmark.pedantic(batch, rounds=5, warmup_rounds=1)
        runner.run(client.close())
    _tell(benchmark)
    benchmark.extra_info["a_second_of_work"] = round(REQUESTS / statistics.median(worked[1:]))
    benchmark.extra_info["a_second_of_work_best"] = round(REQUESTS / min(worked[1:]))


def test_replies_from_records_a_second(tmp_path: Path, benchmark: Any) -> None:
    """What a run that goes on takes from its records."""
    settings = EndpointSettings(model="m")
    records = FolderRecords(tmp_path)
    requests = [Request(messages=(*TALK, user(f"The {number}th.")), tools=TOOLS) for number in range(REQUESTS)]
    for request in requests:
        record = Record(asked=asked(request, settings), reply=Reply(text="It is."))
        records.put(record)

    async def ask() -> None:
        client = Client(settings, records=records, mode="replay")
        await asyncio.gather(*(client.complete(request, PURPOSE) for request in requests))

    benchmark.pedantic(lambda: asyncio.run(ask()), rounds=5, warmup_rounds=1)
    _tell(benchmark)


def test_the_servers_own_ceiling(port: int, benchmark: Any) -> None:
    """The same number of requests over bare sockets: what no client could exceed."""
    data = orjson.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * 4000}]})
    request = b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n%s" % (len(data), data)

    async def line() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(REQUESTS // IN_FLIGHT):
            writer.write(request)
            header = await reader.readuntil(b"\r\n\r\n")
            length = int(header.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
        writer.close()
        await writer.wait_closed()

    async def lines() -> None:
        await asyncio.gather(*(line() for _ in range(IN_FLIGHT)))

    benchmark.pedantic(lambda: asyncio.run(lines()), rounds=5, warmup_rounds=1)
    _tell(benchmark)


def _tell(benchmark: Any) -> None:
    if benchmark.stats is not None:
        benchmark.extra_info["a_second"] = round(REQUESTS / benchmark.stats.stats.median)
        benchmark.extra_info["a_second_best"] = round(REQUESTS / benchmark.stats.stats.min)
