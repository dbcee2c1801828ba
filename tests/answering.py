"""A chat completions endpoint that says what a test wrote: real HTTP on 127.0.0.1, one thread."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson

from envfactory.llm import BlockingClient, Client, EndpointSettings, RetrySettings
from envfactory.llm.voice import Speech, Voice


class Endpoint(ThreadingHTTPServer):
    """Answers each request with the next message, or with what that, a function, makes of the request's body.

    It keeps what it was sent, and answers with a status where it refuses.
    """

    daemon_threads = True

    def __init__(self, messages: Iterable[Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.messages = iter(messages)
        self.asked: list[dict[str, Any]] = []
        self.refuses: int | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def prompt(self, number: int) -> str:
        """All that a model was shown in a request, as text."""
        return "\n".join(str(message["content"]) for message in self.asked[number]["messages"])


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = orjson.loads(self.rfile.read(int(self.headers["content-length"])))
        assert isinstance(self.server, Endpoint)
        self.server.asked.append(body)
        if self.server.refuses is not None:
            self.send_response(self.server.refuses)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        said = next(self.server.messages)
        if callable(said):
            said = said(body)
        message = said if isinstance(said, dict) and "tool_calls" in said else {"content": _text(said)}
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice]}
        data = orjson.dumps(reply)
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (its name in the standard library)
        """Say nothing."""


def _text(said: Any) -> str:
    return said if isinstance(said, str) else orjson.dumps(said).decode()


def calls(*wanted: tuple[str, Any], text: str = "") -> dict[str, Any]:
    """A message with tool calls."""
    return {
        "content": text,
        "tool_calls": [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": _text(arguments)}}
            for n, (name, arguments) in enumerate(wanted)
        ],
    }


@contextmanager
def answering(messages: Iterable[Any]) -> Generator[Endpoint]:
    """An endpoint in a thread of its own; see `Endpoint`."""
    endpoint = Endpoint(messages)
    thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.shutdown()
        endpoint.server_close()
        thread.join()


@contextmanager
def voice(*messages: Any, rounds: int = 3) -> Generator[tuple[Voice, Endpoint]]:
    """A voice whose model says these messages, one after the other."""
    with answering(messages) as endpoint:
        settings = EndpointSettings(model="scripted", base_url=endpoint.url, retry=RetrySettings(attempts=1))
        with BlockingClient(Client(settings)) as client:
            yield Voice(client, "synthesize", Speech(rounds=rounds)), endpoint
