"""Asking a server: what is sent, and how it is told that there is no answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from envfactory.dataset import ChatMessage
from envfactory.serving.chat import Answer, Chat, ChatError, ServedTokenizer
from envfactory.serving.vllm import Endpoint

MESSAGES = (ChatMessage(role="user", content="Go."), ChatMessage(role="assistant", content="<tool_call>\n{}"))


class Server(ThreadingHTTPServer):
    """A server that answers with what it is given, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer: tuple[int, Any] = (200, {})
        self.sent: list[tuple[str, Any]] = []

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(f"http://127.0.0.1:{self.server_port}/v1", "m", lambda: True)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.sent.append((self.path, json.loads(body)))
        code, answer = self.server.answer
        self.send_response(code)
        self.end_headers()
        self.wfile.write(answer if isinstance(answer, bytes) else json.dumps(answer).encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def chat(server: Server) -> Chat:
    return Chat(server.endpoint, temperature=0.5, seed=3, timeout_s=30)


def test_schemas_and_raw_messages_are_sent_as_they_are(server: Server) -> None:
    choice = {"message": {"content": "words"}, "finish_reason": "length"}
    server.answer = (200, {"choices": [choice], "usage": {"total_tokens": 12}})
    tools = [{"type": "function", "function": {"name": "t", "parameters": {"items": {}}}}]
    assert chat(server).ask(MESSAGES, tools, 7) == Answer("words", False, 12)
    path, body = server.sent[0]
    assert path == "/v1/chat/completions"
    assert body["tools"] == tools
    assert body["messages"][1] == {"role": "assistant", "content": "<tool_call>\n{}"}
    assert (body["tool_choice"], body["max_tokens"], body["seed"]) == ("none", 7, 3)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((400, {"error": "too long"}), "answered 400.*too long"),
        ((200, b"<html>"), "Expecting value"),
        ((200, {}), "no chat completion"),
    ],
)
def test_what_is_no_answer_is_told_and_nothing_else_is_raised(server: Server, answer: Any, said: str) -> None:
    server.answer = answer
    with pytest.raises(ChatError, match=said):
        chat(server).ask(MESSAGES, [], 7)


def test_a_server_that_is_gone_is_told(server: Server) -> None:
    gone = Chat(Endpoint("http://127.0.0.1:9/v1", "m", lambda: False), temperature=0, seed=0, timeout_s=5)
    with pytest.raises(ChatError, match=r"127\.0\.0\.1:9"):
        gone.ask(MESSAGES, [], 7)


def test_the_tokenizer_is_the_servers(server: Server) -> None:
    tokenizer = ServedTokenizer(server.endpoint, 30)
    server.answer = (200, {"tokens": [4, 5], "prompt": "text"})
    assert tokenizer.encode("text", add_special_tokens=False) == [4, 5]
    assert tokenizer.decode([4, 5]) == "text"
    assert [path for path, _ in server.sent] == ["/tokenize", "/detokenize"]
    assert server.sent[0][1]["add_special_tokens"] is False
