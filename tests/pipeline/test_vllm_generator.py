"""`generator=vllm` by its name: the composed settings drive a stage against an endpoint that stands in for vLLM's."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from envfactory.config.commandline import read_command
from envfactory.config.generator import ModelGeneratorConfig
from envfactory.files import read_json, read_jsonl
from tests.answering import Endpoint

NAME = "envfactory"
"""What stage serve calls the model that it puts behind vLLM."""
SMALL = ("+experiment=smoke", "domain=travel", "scale.trajectories=4", "scale.sft=2", "scale.rl=2",
         "stages=[synthesize]", "generator=vllm", f"generator.endpoint.model={NAME}")  # fmt: skip
RULES = tuple(f"generator.roles.{role}=rules" for role in ("writer", "refiner", "user", "assistant", "judge"))


def plan(body: dict[str, Any]) -> Any:
    """What a planner might say: two steps a message, and no records beside those that there are."""
    if body["response_format"]["json_schema"]["name"] != "PlanAnswer":
        return {"records": []}
    (steps,) = re.findall(r"The steps, (\d+) in all", body["messages"][-1]["content"]) or ["1"]
    begins = list(range(1, int(steps) + 1, 2))
    return {"about": "A nurse.", "situation": "A weekend off.", "manner": "plain", "begins": begins}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint(repeat(plan))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_it_asks_where_stage_serve_answers_and_every_role_of_a_conversation_is_the_models() -> None:
    config = read_command(list(SMALL)).cells[0].config
    generator = config.generator
    assert isinstance(generator, ModelGeneratorConfig)
    assert generator.kind == "vllm"
    assert generator.endpoint.base_url == "http://127.0.0.1:8000/v1"
    assert generator.endpoint.api_key_env is None
    roles = ("planner", "writer", "refiner", "user", "assistant", "judge")
    assert generator.played(roles) == roles


@pytest.mark.heavy
def test_a_stage_is_driven_by_what_is_served(tmp_path: Path, endpoint: Endpoint) -> None:
    command = [sys.executable, "-m", "envfactory", *SMALL, *RULES, f"generator.endpoint.base_url={endpoint.url}",
               f"paths.outputs={tmp_path}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "artifacts" / "synthesize").glob("[0-9a-f]*")
    rows = list(read_jsonl(folder / "trajectories.jsonl"))
    assert len(rows) == 4
    told = read_json(folder / "manifest.json")["metrics"]["model"]
    assert told["answers"]["planner:answered"] >= 1
    assert "A nurse." in {row["persona"]["about"] for row in rows}
    # The requests are such as vLLM takes: held to a schema, whether to reason said to the template, no key needed.
    assert endpoint.asked
    for body in endpoint.asked:
        assert body["model"] == NAME
        assert body["response_format"]["type"] == "json_schema"
        assert body["chat_template_kwargs"] == {"enable_thinking": False}
        assert "max_tokens" in body
        assert "max_completion_tokens" not in body
    # The accelerator's time is told, since one is named.
    assert told["spent"]["planner"]["gpu_hours"] > 0
