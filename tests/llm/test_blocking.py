"""The client for code that waits."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from itertools import repeat
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


def test_many_that_are_refused_at_once_end_and_so_do_those_that_go_on_asking() -> None:
    asked_again = threading.Semaphore(0)
    together = threading.Barrier(16, timeout=30)

    def ask(models: BlockingClient, number: int) -> str:
        together.wait()
        with pytest.raises(PermanentError, match="status 401"):
            models.complete(Request(messages=(user(f"Hello {number}"),)), PURPOSE)
        while True:  # as a role that does not know that the stage is over
            try:
                models.complete(Request(messages=(user(f"Still there {number}"),)), PURPOSE)
            except PermanentError:
                asked_again.release()
            except (RuntimeError, CancelledError) as error:
                return type(error).__name__

    def serve() -> set[str]:
        with ThreadPoolExecutor(16) as pool:
            with BlockingClient(Client(settings)) as models:
                asking = [pool.submit(ask, models, number) for number in range(16)]
                for _ in range(32):
                    assert asked_again.acquire(timeout=30)
            return {future.result(timeout=30) for future in asking}

    async def main() -> None:
        import asyncio

        nonlocal settings
        async with FaultServer(repeat(fails(401), 100_000)) as server:
            settings = endpoint(server, limits={"in_flight": 16})
            assert await asyncio.to_thread(serve) <= {"RuntimeError", "CancelledError"}

    settings = endpoint(FaultServer())
    run(main())


def test_who_asks_after_the_end_is_refused() -> None:
    with BlockingClient(Client(endpoint(FaultServer()))) as models:
        pass
    with pytest.raises(RuntimeError, match="closed"):
        models.complete(HELLO, PURPOSE)
