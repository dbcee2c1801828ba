"""Every stage in one command, training for real on a CPU: what `+experiment=full_tiny` does, end to end."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import orjson
import pytest

from envfactory.dataset import RLRow, read_rl_rows
from envfactory.files import file_digest, read_json, read_jsonl
from envfactory.serving.vllm import Endpoint, serve_recipe, served
from envfactory.training.places import Interpreter
from envfactory.training.process import MARK
from tests.training.conftest import interpreter, make_config, processes_with, tiny

__all__ = ["interpreter", "tiny"]

pytestmark = [pytest.mark.training, pytest.mark.timeout(1500)]

STAGES = ("graph", "sample", "synthesize", "score", "export", "sft", "rl", "evaluate", "report")


def command(outputs: Path) -> list[str]:
    return [
        sys.executable, "-m", "envfactory", "+experiment=full_tiny", "training.hardware=cpu",
        f"paths.outputs={outputs}", "training.timeout_s=700",
    ]  # fmt: skip


def answered_with_a_call(endpoint: Endpoint, row: RLRow) -> bool:
    """Whether the likeliest answer to the request of a row is a call, as the server reads it."""
    body = {
        "model": endpoint.model, "messages": [message.model_dump() for message in row.prompt],
        "tools": orjson.loads(row.tools), "max_tokens": 100, "temperature": 0,
    }  # fmt: skip
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{endpoint.url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as reply:
        return bool(json.loads(reply.read())["choices"][0]["message"].get("tool_calls"))


def test_every_stage_runs_in_one_command(tmp_path: Path, tiny: Path, interpreter: Interpreter) -> None:
    outputs = tmp_path / "outputs"
    done = subprocess.run(command(outputs), capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr[-6000:]
    assert processes_with(f"{MARK}={outputs.resolve()}") == []
    latest = outputs / "latest"
    metrics = read_json(latest / "metrics.json")
    artifacts = latest / "artifacts"

    # Supervised fine-tuning learned something.
    assert metrics["sft"]["validation_loss_last"] < metrics["sft"]["validation_loss_first"]

    # Reinforcement learning ran its steps, and changed the model if any group's rewards differed. Whether a model of
    # this size calls a tool in sixteen rollouts is luck; test_rl_job shows calls with one that was taught to.
    curve = list(read_jsonl(artifacts / "rl" / "curves.jsonl"))
    assert [row["rollouts"] for row in curve] == [8, 8]
    assert not any(row["failed"] for row in curve)
    weights = [file_digest(artifacts / stage / "checkpoint" / "model.safetensors") for stage in ("sft", "rl")]
    if any(row["gradient_norm"] > 0 for row in curve):
        assert weights[0] != weights[1]

    # Every model played every held-out turn.
    played = list(read_jsonl(artifacts / "evaluate" / "results.jsonl"))
    turns = [row.id for row in read_rl_rows(artifacts / "export" / "rl_val.parquet")]
    assert [row["id"] for row in played] == turns * 3
    for model in ("base", "sft", "rl"):
        assert metrics["evaluate"][model]["turns"] == len(turns)
        assert metrics["evaluate"][model]["failed"] == 0
    assert any(row["calls"] for row in played)
    assert "Models on held-out turns" in (artifacts / "report" / "index.html").read_text(encoding="utf-8")

    # The merged model is served, and answers with a parsed call.
    config = make_config("+experiment=full_tiny", "training.hardware=cpu")
    export = artifacts / "export"
    rows = [row for name in ("rl_val", "rl_train") for row in read_rl_rows(export / f"{name}.parquet")]
    work = tmp_path / "served"
    work.mkdir()
    with served(serve_recipe(config, artifacts / "rl" / "checkpoint"), interpreter, work) as endpoint:
        assert any(answered_with_a_call(endpoint, row) for row in rows)
    assert processes_with(f"{MARK}={tmp_path.resolve()}") == []

    # The same command finds all of it done.
    again = subprocess.run(command(outputs), capture_output=True, text=True, timeout=120, check=False)
    assert again.returncode == 0, again.stderr
    for stage in STAGES:
        assert f"{stage:<10} reused" in again.stderr
