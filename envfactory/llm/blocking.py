"""The client for code that waits: any number of threads ask, one event loop in a thread of its own carries it all.

So a role is written as an ordinary function, and as many trajectories are made at once as there are threads.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, Self, TypeVar

from pydantic import BaseModel

from envfactory.llm.chat import Reply, Request
from envfactory.llm.client import Client
from envfactory.llm.ledger import Purpose
from envfactory.llm.structured import Answer, Check

__all__ = ["BlockingClient"]

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


class BlockingClient:
    """A client whose methods return when the reply is there; use it in a ``with`` block, from any thread.

    Every wait is bounded by the settings of the client: attempts, time limits, longest waits.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._loop = asyncio.new_event_loop()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._loop.run_forever, name="envfactory-llm", daemon=True)

    def complete(self, request: Request, purpose: Purpose) -> Reply:
        """Return the reply to a request; see `Client.complete`."""
        return self._wait(self.client.complete(request, purpose))

    def ask(
        self, request: Request, answer: type[M], purpose: Purpose, *, rounds: int = 3, check: Check[M] | None = None
    ) -> Answer[M]:
        """Return an answer that fits a model; see `Client.ask`."""
        return self._wait(self.client.ask(request, answer, purpose, rounds=rounds, check=check))

    def close(self) -> None:
        """Give up what is on its way, close the connections, end the thread; who asks afterwards is refused."""
        # What was asked before reaches the loop before its end does, so nobody waits for what will not come.
        with self._closing:
            self._closed = True
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.client.close()

    def _wait(self, asked: Coroutine[Any, Any, T]) -> T:
        with self._closing:
            if self._closed:
                asked.close()
                raise RuntimeError("this client is closed: ask within its `with` block")
            future = asyncio.run_coroutine_threadsafe(asked, self._loop)
        try:
            return future.result()
        except BaseException:
            # Whoever is interrupted while it waits does not leave the request running.
            future.cancel()
            raise
