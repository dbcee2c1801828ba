"""Serving for real, on a CPU: the tiny model calls tools, its prompts are those of training, and nothing stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from envfactory.dataset import Sample
from envfactory.serving.chat import Chat, ServedTokenizer
from envfactory.serving.server import free_port
from envfactory.serving.vllm import Endpoint
from envfactory.training.hermes import parse_message
from envfactory.training.lessons import first_steps, messages_of
from envfactory.training.places import Interpreter
from envfactory.training.tokens import render
from tests.training.conftest import interpreter, processes_with, tiny

__all__ = ["interpreter", "tiny"]

pytestmark = [pytest.mark.training, pytest.mark.timeout(900)]

HELD_OUT = 2
"""Seed of conversations that the tiny model is not taught with."""


@dataclass(frozen=True)
class Served:
    """A model that stage `serve` serves, until the stage gets a signal; then nothing of it may be left."""

    stage: subprocess.Popen[str]
    port: int
    curl: str
    folder: Path

    def ends_by(self, number: signal.Signals) -> None:
        self.stage.send_signal(number)
        self.stage.communicate(timeout=120)
        if number == signal.SIGTERM:
            assert self.stage.returncode == 128 + signal.SIGTERM
        deadline = time.monotonic() + 60
        while (left := processes_with(f"TMPDIR={self.folder}")) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert left == []
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=10)


@contextmanager
def stage_serve(tiny: Path, folder: Path) -> Generator[Served]:
    port = free_port()
    command = [
        sys.executable, "-m", "envfactory", "stages=[serve]", "serving=vllm", f"serving.model={tiny}",
        f"serving.port={port}", "training.hardware=cpu", f"paths.outputs={folder}",
    ]  # fmt: skip
    marked = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=marked) as stage:
        try:
            assert stage.stdout is not None
            told = stage.stdout.readline() + stage.stdout.readline()
            assert f"http://127.0.0.1:{port}/v1" in told
            yield Served(stage, port, told.splitlines()[1], folder)
        finally:
            if stage.poll() is None:
                stage.terminate()


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory, tiny: Path, interpreter: Interpreter) -> Iterator[Endpoint]:
    """One server for all that only asks, ended by SIGTERM."""
    with stage_serve(tiny, tmp_path_factory.mktemp("served")) as served:
        yield Endpoint(f"http://127.0.0.1:{served.port}/v1", "envfactory", lambda: True)
        served.ends_by(signal.SIGTERM)


@pytest.fixture(scope="module")
def asked() -> list[Sample]:
    """First requests of conversations that are not among the lessons."""
    return [sample for sample in first_steps(8, seed=HELD_OUT) if len(sample.messages) == 2]


def post(url: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as reply:
        return json.loads(reply.read())


def body_of(sample: Sample, **more: Any) -> dict[str, Any]:
    messages = [message.model_dump() for message in messages_of(sample)]
    return {"model": "envfactory", "messages": messages, "tools": orjson.loads(sample.tools), **more}


def test_a_parsed_call_is_returned_and_its_tool_is_offered(endpoint: Endpoint, asked: list[Sample]) -> None:
    """The likeliest answers alone: what a tiny model says by chance is another thing on each machine."""
    called = 0
    for sample in asked:
        body = body_of(sample, max_tokens=100, temperature=0.0)
        message = post(f"{endpoint.url}/chat/completions", body)["choices"][0]["message"]
        offered = {tool["function"]["name"] for tool in body["tools"]}
        called += any(call["function"]["name"] in offered for call in message.get("tool_calls") or ())
    assert called >= len(asked) / 2, (called, len(asked))


def test_the_prompt_is_the_one_of_training_token_for_token(endpoint: Endpoint, asked: list[Sample]) -> None:
    later = next(sample for sample in first_steps(3, seed=HELD_OUT) if len(sample.messages) > 2)
    tokenizer = ServedTokenizer(endpoint, 60)
    for sample in (asked[0], later):
        for thinking in (False, True):
            body = body_of(sample, add_generation_prompt=True, chat_template_kwargs={"enable_thinking": thinking})
            shown = post(f"{endpoint.url.removesuffix('/v1')}/tokenize", body)["tokens"]
            text = render(messages_of(sample), sample.tools, thinking=thinking)
            assert shown == tokenizer.encode(text, add_special_tokens=False)
            assert tokenizer.decode(shown) == text


def test_raw_text_is_what_evaluation_is_given(endpoint: Endpoint, asked: list[Sample]) -> None:
    chat = Chat(endpoint, temperature=0, seed=0, timeout_s=120)
    # Which of the requests a tiny model answers with a call is another thing on each machine.
    found = ((sample, chat.ask(messages_of(sample), orjson.loads(sample.tools), 100)) for sample in asked)
    sample, answer = next((sample, answer) for sample, answer in found if parse_message(answer.text).calls)
    assert "<tool_call>" in answer.text
    cut = chat.ask(messages_of(sample), orjson.loads(sample.tools), 5)
    assert not cut.whole
    assert answer.tokens - cut.tokens > 5


def test_stage_serve_tells_how_it_is_asked_and_nothing_outlives_its_kill(
    tmp_path: Path, tiny: Path, interpreter: Interpreter
) -> None:
    with stage_serve(tiny, tmp_path) as served:
        said = subprocess.run(["bash", "-c", served.curl], capture_output=True, text=True, timeout=120, check=True)
        assert "choices" in json.loads(said.stdout)
        served.ends_by(signal.SIGKILL)
