"""Stages whose roles a language model plays, through the command line."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import repeat
from pathlib import Path
from typing import Any

import orjson
import pytest

from envfactory.files import read_json, read_jsonl
from tests.answering import Endpoint
from tests.pipeline.conftest import FEW

SMALL = (
    *FEW, "stages=[synthesize]", "generator=openai", "generator.endpoint.model=scripted",
    "generator.endpoint.api_key_env=null",
)  # fmt: skip
WRITER_BY_RULES = ["generator.roles.writer=rules"]
RULES = [f"generator.roles.{role}=rules" for role in ("refiner", "user", "assistant", "judge")]


def synthesize(outputs: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "envfactory", *SMALL, f"paths.outputs={outputs}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)


def artifact(outputs: Path) -> Path:
    (found,) = (outputs / "artifacts" / "synthesize").glob("[0-9a-f]*")
    return found


@pytest.mark.heavy
def test_a_model_that_never_answers_as_asked_leaves_the_roles_to_rules(outputs: Path, endpoint: Endpoint) -> None:
    done = synthesize(outputs, f"generator.endpoint.base_url={endpoint.url}", "generator.rounds=1", *RULES)
    assert done.returncode == 0, done.stderr
    rows = list(read_jsonl(artifact(outputs) / "trajectories.jsonl"))
    assert len(rows) == 4
    answers = read_json(artifact(outputs) / "manifest.json")["metrics"]["model"]["answers"]
    assert answers["planner:by_rules"] == answers["planner:unanswered"] >= 4
    assert answers["writer:by_rules"] == answers["writer:unanswered"] >= 4
    asked = len(endpoint.asked)
    again = synthesize(
        outputs, f"generator.endpoint.base_url={endpoint.url}", "generator.rounds=1", "force=[synthesize]", *RULES
    )
    assert again.returncode == 0, again.stderr
    assert len(endpoint.asked) == asked  # nothing is paid for twice
    assert list(read_jsonl(artifact(outputs) / "trajectories.jsonl")) == rows


@pytest.mark.heavy
def test_without_a_fallback_chains_are_dropped_and_counted(outputs: Path, endpoint: Endpoint) -> None:
    done = synthesize(
        outputs,
        f"generator.endpoint.base_url={endpoint.url}",
        "generator.rounds=1",
        "generator.fallback=false",
        *RULES,
    )
    assert done.returncode == 1
    assert "of 25 chains no trajectory came: unanswered 25" in done.stderr


@pytest.mark.heavy
def test_an_endpoint_that_is_not_there_stops_the_stage_and_says_so(outputs: Path) -> None:
    done = synthesize(
        outputs, "generator.endpoint.base_url=http://127.0.0.1:9/v1", "+generator.endpoint.retry.attempts=1", *RULES
    )
    assert done.returncode == 1
    assert "the same command goes on from here" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr + done.stdout


@pytest.mark.heavy
def test_a_replay_without_the_record_names_the_request(outputs: Path) -> None:
    records = outputs / "records.jsonl"
    records.write_text("")
    command = [sys.executable, "-m", "envfactory", *FEW, "stages=[synthesize]", "generator=replay",
               "generator.endpoint.model=scripted", f"generator.records={records}", f"paths.outputs={outputs}",
               *RULES]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 1
    assert "no record of request" in done.stderr + done.stdout
    assert "generator.records=" in done.stderr + done.stdout
    assert "the same command goes on" not in done.stderr + done.stdout


@pytest.mark.heavy
def test_a_wrong_key_ends_the_stage_however_many_ask_at_once(outputs: Path, endpoint: Endpoint) -> None:
    endpoint.refuses = 401
    done = synthesize(outputs, f"generator.endpoint.base_url={endpoint.url}", "scale.trajectories=40")
    assert done.returncode == 1
    assert "status 401" in done.stderr + done.stdout
    assert 1 <= len(endpoint.asked) <= 32  # what was on its way, and at most what was begun before it was known


@pytest.mark.heavy
def test_no_more_conversations_are_begun_than_are_wanted(outputs: Path, endpoint: Endpoint) -> None:
    arguments = (f"generator.endpoint.base_url={endpoint.url}", "generator.rounds=1", *RULES, *WRITER_BY_RULES)
    done = synthesize(outputs, *arguments)
    assert done.returncode == 0, done.stderr
    manifest = read_json(artifact(outputs) / "manifest.json")
    dropped = sum(manifest["metrics"]["rejects"].values())
    # The planner is asked once a conversation.
    assert len(endpoint.asked) == 4 + dropped
    told = manifest["metrics"]["model"]
    assert sorted(row["id"] for row in told["trajectories"]) == sorted(
        row["id"] for row in read_jsonl(artifact(outputs) / "trajectories.jsonl")
    )
    assert all(row["requests"] == 1 for row in told["trajectories"])
    assert told["spent"]["planner"]["requests"] == 4 + dropped


def plans(body: dict[str, Any]) -> Any:
    """What a planner might say: two steps a message, and for a table one more record like the last one."""
    text = body["messages"][-1]["content"]
    match body["response_format"]["json_schema"]["name"]:
        case "PlanAnswer":
            (steps,) = re.findall(r"The steps, (\d+) in all", text) or ["1"]
            begins = list(range(1, int(steps) + 1, 2))
            return {"about": "A nurse.", "situation": "A weekend off.", "manner": "plain", "begins": begins}
        case "RecordsAnswer":
            shown = "\n".join(message["content"] for message in body["messages"] if message["role"] == "user")
            row = orjson.loads([line for line in shown.splitlines() if line.startswith("{")][-1])
            asked = body["response_format"]["json_schema"]["schema"]["$defs"]
            (fields,) = [form["properties"] for name, form in asked.items() if "_" not in name]
            return {"records": [{name: row.get(name) for name in fields}]}
        case _:
            return "no"


@pytest.mark.heavy
def test_a_planner_that_is_a_model_furnishes_worlds_that_hold_and_the_report_tells_its_cost(
    outputs: Path, endpoint: Endpoint
) -> None:
    endpoint.messages = repeat(plans)
    arguments = (
        f"generator.endpoint.base_url={endpoint.url}",
        "+generator.endpoint.prices={script*:{input:1000,output:4000}}",
        *RULES,
    )
    done = synthesize(outputs, *arguments, *WRITER_BY_RULES, "stages=[report]")
    assert done.returncode == 0, done.stderr
    path = artifact(outputs) / "trajectories.jsonl"
    rows = list(read_jsonl(path))
    assert any(row["gold"]["reference"]["states"] for row in rows)
    assert all(row["persona"]["about"] in ("A nurse.", "") for row in rows)
    answers = read_json(artifact(outputs) / "manifest.json")["metrics"]["model"]["answers"]
    assert answers["planner:answered"] >= 1
    assert answers["initial_state:answered"] >= 1
    (page,) = (outputs / "artifacts" / "report").glob("[0-9a-f]*/index.html")
    told = page.read_text(encoding="utf-8")
    assert "synthesize: initial_state" in told
    assert "synthesize: all, for each accepted" in told
    assert ">money</th>" in told
    checked = synthesize(outputs, "stages=[check]", f"check.path={path}")
    assert checked.returncode == 0, checked.stdout + checked.stderr
