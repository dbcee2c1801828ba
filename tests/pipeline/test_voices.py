"""Stages whose roles a language model plays, through the command line."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pytest

from envfactory.files import read_json, read_jsonl
from envfactory.pipeline.voices import spread
from tests.answering import Endpoint

SMALL = ("+experiment=smoke", "domain=travel", "scale.trajectories=4", "scale.sft=2", "scale.rl=2",
         "stages=[synthesize]", "generator=openai", "generator.endpoint.model=scripted",
         "generator.endpoint.api_key_env=null")  # fmt: skip
RULES = [f"generator.roles.{role}=rules" for role in ("refiner", "user", "assistant", "judge")]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An endpoint whose model never answers as asked."""
    server = Endpoint(repeat("I would rather not."))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def synthesize(outputs: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "envfactory", *SMALL, f"paths.outputs={outputs}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)


def artifact(outputs: Path) -> Path:
    (found,) = (outputs / "artifacts" / "synthesize").glob("[0-9a-f]*")
    return found


@pytest.mark.heavy
def test_a_model_that_never_answers_as_asked_leaves_the_roles_to_rules(tmp_path: Path, endpoint: Endpoint) -> None:
    done = synthesize(tmp_path, f"generator.endpoint.base_url={endpoint.url}", "generator.rounds=1", *RULES)
    assert done.returncode == 0, done.stderr
    rows = list(read_jsonl(artifact(tmp_path) / "trajectories.jsonl"))
    assert len(rows) == 4
    answers = read_json(artifact(tmp_path) / "manifest.json")["metrics"]["model"]["answers"]
    assert answers["planner:by_rules"] == answers["planner:unanswered"] >= 4
    assert answers["writer:by_rules"] == answers["writer:unanswered"] >= 4
    asked = len(endpoint.asked)
    again = synthesize(
        tmp_path, f"generator.endpoint.base_url={endpoint.url}", "generator.rounds=1", "force=[synthesize]", *RULES
    )
    assert again.returncode == 0, again.stderr
    assert len(endpoint.asked) == asked  # nothing is paid for twice
    assert list(read_jsonl(artifact(tmp_path) / "trajectories.jsonl")) == rows


@pytest.mark.heavy
def test_without_a_fallback_chains_are_dropped_and_counted(tmp_path: Path, endpoint: Endpoint) -> None:
    done = synthesize(
        tmp_path,
        f"generator.endpoint.base_url={endpoint.url}",
        "generator.rounds=1",
        "generator.fallback=false",
        *RULES,
    )
    assert done.returncode == 1
    assert "of 25 chains no trajectory came: unanswered 25" in done.stderr


@pytest.mark.heavy
def test_an_endpoint_that_is_not_there_stops_the_stage_and_says_so(tmp_path: Path) -> None:
    done = synthesize(
        tmp_path, "generator.endpoint.base_url=http://127.0.0.1:9/v1", "+generator.endpoint.retry.attempts=1", *RULES
    )
    assert done.returncode == 1
    assert "the same command goes on from here" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr + done.stdout


@pytest.mark.heavy
def test_a_replay_without_the_record_names_the_request(tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    records.write_text("")
    command = [sys.executable, "-m", "envfactory", *SMALL[:-3], "generator=replay", "generator.endpoint.model=scripted",
               f"generator.records={records}", f"paths.outputs={tmp_path}", *RULES]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 1
    assert "no record of request" in done.stderr + done.stdout


def test_what_several_work_on_comes_in_order() -> None:
    gate = threading.Barrier(3, timeout=30)

    def act(item: int) -> int:
        gate.wait()
        return item * item

    assert list(spread(act, range(6), 3)) == [0, 1, 4, 9, 16, 25]
    assert list(spread(lambda item: item + 1, [1, 2], 1)) == [2, 3]


def test_an_error_in_one_of_several_is_raised_and_the_rest_is_left() -> None:
    begun: list[int] = []

    def act(item: int) -> int:
        begun.append(item)
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        list(spread(act, range(1000), 2))
    assert len(begun) < 1000
