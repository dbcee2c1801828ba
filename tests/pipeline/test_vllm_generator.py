"""`generator=vllm` by its name: the composed settings drive a stage against an endpoint that stands in for vLLM's."""

from __future__ import annotations

import subprocess
import sys
from itertools import repeat
from pathlib import Path

import pytest

from envfactory.config.commandline import read_command
from envfactory.config.generator import ModelGeneratorConfig
from envfactory.files import read_json, read_jsonl
from tests.answering import Endpoint
from tests.pipeline.conftest import FEW
from tests.pipeline.test_voices import RULES, WRITER_BY_RULES, plans

NAME = "envfactory"
"""What stage serve calls the model that it puts behind vLLM."""
SMALL = (*FEW, "stages=[synthesize]", "generator=vllm", f"generator.endpoint.model={NAME}")


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
def test_a_stage_is_driven_by_what_is_served(outputs: Path, endpoint: Endpoint) -> None:
    endpoint.messages = repeat(plans)
    command = [sys.executable, "-m", "envfactory", *SMALL, *RULES, *WRITER_BY_RULES,
               f"generator.endpoint.base_url={endpoint.url}", f"paths.outputs={outputs}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr
    (folder,) = (outputs / "artifacts" / "synthesize").glob("[0-9a-f]*")
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
