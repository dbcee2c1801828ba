"""Stage synthesize while the endpoint of its model misbehaves, through the command line."""

from __future__ import annotations

import subprocess
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

import orjson
import pytest

from envfactory.files import read_json
from tests.llm.server import (
    Body,
    Fault,
    FaultServer,
    breaks_off,
    completion,
    fails,
    hangs,
    replies,
    resets,
    says,
    well,
)  # fmt: skip
from tests.pipeline.conftest import Stock
from tests.pipeline.roleplay import serving
from tests.pipeline.test_voices import RULES, WRITER_BY_RULES, artifact, plans, synthesize

MOST_FAULTS = 24
PASSING: tuple[Fault, ...] = (
    fails(429, retry_after="0.05"), well, fails(500), breaks_off, well, resets, hangs, well,
    says(b'{"choices": [{"mess'), replies(content=""), well, replies(content="", reasoning_content="Let me see."),
    replies(model="another-model"), replies(choices=[]), well,
)  # fmt: skip


def planned(body: Body) -> Body:
    said = plans(body)
    return completion(body, content=said if isinstance(said, str) else orjson.dumps(said).decode())


def run(outputs: Path, server: FaultServer, *arguments: str) -> subprocess.CompletedProcess[str]:
    return synthesize(
        outputs, f"generator.endpoint.base_url={server.url}", "generator.endpoint.timeout_s=2",
        "+generator.endpoint.retry.first_wait_s=0.01", *RULES, *WRITER_BY_RULES, *arguments,
    )  # fmt: skip


class Undisturbed(NamedTuple):
    trajectories: bytes
    answers: dict[str, int]
    asked: list[Body]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, stock: Stock) -> Undisturbed:
    """What comes of an endpoint that does nothing wrong."""
    outputs = stock(tmp_path_factory.mktemp("undisturbed"))
    with serving(planned) as server:
        done = run(outputs, server)
        assert done.returncode == 0, done.stderr
        return Undisturbed(trajectories(outputs), answers(outputs), server.requests)


def trajectories(outputs: Path) -> bytes:
    return (artifact(outputs) / "trajectories.jsonl").read_bytes()


def answers(outputs: Path) -> dict[str, int]:
    """How often each role of the model answered as asked, and how often not."""
    return read_json(artifact(outputs) / "manifest.json")["metrics"]["model"]["answers"]


@pytest.mark.heavy
def test_faults_that_pass_change_no_trajectory_and_are_no_failure_of_the_model(
    outputs: Path, undisturbed: Undisturbed
) -> None:
    with serving(planned, *islice(cycle(PASSING), MOST_FAULTS)) as server:
        done = run(outputs, server, "+generator.endpoint.retry.attempts=12")
        assert done.returncode == 0, done.stderr
        assert trajectories(outputs) == undisturbed.trajectories
        assert answers(outputs) == undisturbed.answers
        met = MOST_FAULTS - len(server.script)
        assert met >= len(PASSING), "not every fault was met"
        faults = [fault for fault in islice(cycle(PASSING), met) if fault is not well]
        assert len(server.requests) == len(undisturbed.asked) + len(faults)


@pytest.mark.heavy
def test_an_endpoint_that_dies_half_way_loses_nothing_and_is_paid_for_nothing_twice(
    outputs: Path, undisturbed: Undisturbed
) -> None:
    half = len(undisturbed.asked) // 2
    attempts = ("+generator.endpoint.retry.attempts=1",)
    with serving(planned, *[well] * half, *[fails(503)] * 200) as server:
        done = run(outputs, server, *attempts)
        assert done.returncode == 1
        assert "the same command goes on from here" in done.stderr + done.stdout
        assert "Traceback" not in done.stderr + done.stdout
        answered = server.requests[:half]
    with serving(planned) as server:
        done = run(outputs, server, *attempts)
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == len(undisturbed.asked) - half
        assert not [body for body in server.requests if body in answered]
    assert trajectories(outputs) == undisturbed.trajectories
    assert answers(outputs) == undisturbed.answers
