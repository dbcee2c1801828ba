"""The client for code that waits."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import BaseModel

from envfactory.llm import BlockingClient, Client, FolderRecords, PermanentError, Record, Reply, Request, user
from envfactory.llm.records import asked
from tests.llm.server import FaultServer, fails, replies
from tests.llm.support import HELLO, PURPOSE, endpoint, run


class Word(BaseModel):
    word: str


def test_many_threads_share_one_client() -> None:
    requests = [Request(messages=(user(f"Hello {number}"),)) for number in range(40)]

    def ask(server: FaultServer) -> list[str]:
        with BlockingClient(Client(endpoint(server))) as models, ThreadPoolExecutor(16) as pool:
            return list(pool.map(lambda request: models.complete(request, PURPOSE).text, requests))

    async def serve() -> None:
        import asyncio

        async with FaultServer(delay_s=0.01) as server:
            texts = await asyncio.to_thread(ask, server)
            assert len(set(texts)) == 40
            assert server.most_at_once > 4

    run(serve())


def test_answers_and_errors_reach_the_thread_that_asked() -> None:
    def ask(server: FaultServer) -> None:
        with BlockingClient(Client(endpoint(server))) as models:
            assert models.ask(HELLO, Word, PURPOSE).value.word == "yes"
            with pytest.raises(PermanentError, match="status 400"):
                models.complete(HELLO, PURPOSE)

    async def serve() -> None:
        import asyncio

        async with FaultServer([replies(content='{"word": "yes"}'), fails(400)]) as server:
            await asyncio.to_thread(ask, server)

    run(serve())


def test_nothing_is_left_running_when_it_is_closed(tmp_path: Path) -> None:
    before = threading.active_count()
    settings = endpoint(FaultServer())
    records = FolderRecords(tmp_path)
    record = Record(asked=asked(HELLO, settings), reply=Reply(text="Hi."))
    records.put(record)
    with BlockingClient(Client(settings, records=records, mode="replay")) as models:
        assert models.complete(HELLO, PURPOSE).text == "Hi."
    assert threading.active_count() == before
    BlockingClient(Client(settings)).close()
