"""A chat completions server that misbehaves as it is told: real HTTP on 127.0.0.1, written on bare sockets.

Bare, since most faults lie below what a web framework lets one do: half an answer, a reset, a byte now and then. Each
request is answered by the next fault of the script, and well when the script is over. What a well answered request gets
depends on its body alone, so a test knows it.

As a program (``python server.py LOG [DELAY_S]``) it prints its port and notes in LOG, by digest, each request that it
answered in full.
"""

from __future__ import annotations

import asyncio
import hashlib
import socket
import struct
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

Body = dict[str, Any]
Fault = Callable[["FaultServer", Body, asyncio.StreamWriter], Awaitable[bool]]
"""Answers one request in its own way; returns whether the connection stays."""


def digest(body: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in body.items() if not name.startswith("stream")}
    return hashlib.sha256(orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)).hexdigest()


def completion(body: Body, **changes: Any) -> Body:
    """A good answer, with members of its message or of itself changed."""
    message: Body = {"role": "assistant", "content": f"I heard {digest(body)[:12]}"}
    whole: Body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": 20,
            "completion_tokens": 5,
            "total_tokens": 25,
            "prompt_tokens_details": {"cached_tokens": 8},
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
    }
    for name, value in changes.items():
        if name in whole:
            whole[name] = value
        elif name == "finish_reason":
            whole["choices"][0][name] = value
        else:
            message[name] = value
    return whole


def pieces(whole: Body) -> list[Body]:
    """The answer as a stream's pieces: texts in three parts, calls name first, usage last."""
    (choice,) = whole["choices"]
    message = choice["message"]

    def piece(delta: Body, finish: str | None = None) -> Body:
        return {
            "id": whole["id"],
            "object": "chat.completion.chunk",
            "created": 1,
            "model": whole["model"],
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }

    made = [piece({"role": "assistant"})]
    for name in ("reasoning", "reasoning_content", "content"):
        text = message.get(name) or ""
        third = -(-len(text) // 3) or 1
        made += [piece({name: text[at : at + third]}) for at in range(0, len(text), third)]
    for index, call in enumerate(message.get("tool_calls") or []):
        function = call["function"]
        made.append(piece({"tool_calls": [{"index": index, "id": call["id"], "function": {"name": function["name"]}}]}))
        text = function["arguments"]
        for part in (text[:4], text[4:]):
            made.append(piece({"tool_calls": [{"index": index, "function": {"arguments": part}}]}))
    made.append(piece({}, choice["finish_reason"]))
    made.append({**piece({}), "choices": [], "usage": whole["usage"]})
    return made


def events(whole: Body) -> list[bytes]:
    return [*(b"data: " + orjson.dumps(piece) + b"\n\n" for piece in pieces(whole)), b"data: [DONE]\n\n"]


def head(status: int, headers: Mapping[str, str], length: int | None) -> bytes:
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items())]
    lines.append("connection: close" if length is None else f"content-length: {length}")
    return "\r\n".join([*lines, "", ""]).encode()


JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}


async def well(server: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
    """No fault: what the body gets, which may be a fault of its own."""
    reply = server.reply(body)
    return await (reply(server, body, writer) if callable(reply) else server.answer(body, writer, reply))


# -- faults -----------------------------------------------------------------------------------------------------------


def replies(**changes: Any) -> Fault:
    """A whole answer with something changed: another model's name, no content, odd calls."""

    async def answer(server: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
        return await server.answer(body, writer, completion(body, **changes))

    return answer


def fails(status: int, error: Any = None, **headers: str) -> Fault:
    """An HTTP status; ``retry_after="2"`` is a header."""

    async def answer(_: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
        said = error if error is not None else {"message": f"status {status}", "type": "fault"}
        data = orjson.dumps({"error": said})
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        writer.write(head(status, {**JSON, **named}, len(data)) + data)
        return True

    return answer


def says(data: bytes, status: int = 200, kind: Mapping[str, str] = JSON) -> Fault:
    """Any bytes for a body."""

    async def answer(_: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
        writer.write(head(status, kind, len(data)) + data)
        return True

    return answer


async def hangs(_: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
    """Nothing comes, as long as the server lives."""
    await asyncio.Event().wait()
    return False


async def trickles(server: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
    """The body comes a byte at a time, and would take for ever."""
    writer.write(head(200, JSON, 10_000_000))
    while not server.gone(writer):
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.01)
    return False


async def resets(_: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
    """The connection is reset."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return False


async def breaks_off(_: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
    """Half of the body, and the end of the connection."""
    data = orjson.dumps(completion(body))
    writer.write(head(200, JSON, len(data)) + data[: len(data) // 2])
    return False


def cuts_stream(after: int, *, clean: bool) -> Fault:
    """Some pieces of a stream, and then its end; ``clean``: as if that were all of it."""

    async def answer(_: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
        sent = b"".join(events(completion(body))[:after])
        writer.write(head(200, EVENTS, None if clean else len(sent) + 100) + sent)
        return False

    return answer


def stalls_stream(after: int) -> Fault:
    """Some pieces of a stream, and then silence."""

    async def answer(_: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
        writer.write(head(200, EVENTS, None) + b"".join(events(completion(body))[:after]))
        await writer.drain()
        await asyncio.Event().wait()
        return False

    return answer


async def streams_calls_for_ever(server: FaultServer, body: Body, writer: asyncio.StreamWriter) -> bool:
    """A stream of calls that does not end."""
    writer.write(head(200, EVENTS, None))
    index = 0
    while not server.gone(writer):
        call = {"index": index, "id": f"c{index}", "function": {"name": "again", "arguments": "{}" * 5000}}
        piece = {"model": body["model"], "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
        writer.write(b"data: " + orjson.dumps(piece) + b"\n\n")
        await writer.drain()
        index += 1
    return False


# -- the server -------------------------------------------------------------------------------------------------------


class FaultServer:
    """The server; `requests` holds the body of each request that came whole, `headers` what came with it,
    `arrived` is set by the first.

    Args:
        script: how the first requests are answered, one after the other.
        delay_s: before each answer.
        log: where whole answers are noted.
        reply: what a body gets when nothing goes wrong.
    """

    def __init__(
        self,
        script: Iterable[Fault] = (),
        *,
        delay_s: float = 0.0,
        log: Path | None = None,
        reply: Callable[[Body], Body | Fault] = completion,
    ) -> None:
        self.script = deque(script)
        self.reply = reply
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.arrived = asyncio.Event()
        self.most_at_once = 0
        self._at_once = 0
        self._delay_s = delay_s
        self._log = log
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    async def answer(self, body: Body, writer: asyncio.StreamWriter, whole: Body) -> bool:
        if body.get("stream"):
            writer.write(head(200, EVENTS, None) + b"".join(events(whole)))
            return False
        data = orjson.dumps(whole)
        writer.write(head(200, JSON, len(data)) + data)
        return True

    def gone(self, writer: asyncio.StreamWriter) -> bool:
        return writer.transport.is_closing()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # The client went away, or the test is over.
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer a request; return whether the connection stays."""
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        body: Body = orjson.loads(await reader.readexactly(int(headers["content-length"])))
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if self._log is None:
                self.requests.append(body)
                self.headers.append(headers)
            self.arrived.set()
            if self._delay_s:
                await asyncio.sleep(self._delay_s)
            if self.script:
                stays = await self.script.popleft()(self, body, writer)
                await writer.drain()
                return stays
            stays = await well(self, body, writer)
            await writer.drain()
            if self._log is not None and not self.gone(writer):
                with self._log.open("a") as log:
                    log.write(digest(body) + "\n")
            return stays
        finally:
            self._at_once -= 1


async def main(log: str, delay_s: str = "0") -> None:
    async with FaultServer(delay_s=float(delay_s), log=Path(log)) as server:
        print(server.port, flush=True)
        # Ends with whoever started it.
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
