"""Killed at any file operation and started again, a run ends with the files that it would have had."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from envfactory.files import read_json, sha256_hex
from tests.pipeline.conftest import HERE, MakeConfig, Start

SEED = 20260518
STAGES = ("graph", "sample", "synthesize", "score", "export", "report")
POINTS = {f"/artifacts/{stage}/": 1 for stage in STAGES} | {"/artifacts/synthesize/": 3, "/toy/": 2}
"""How many operations under each place are tried."""


def data_of(outputs: Path) -> dict[str, str]:
    """Return the digest of every data file of the store; times and costs live in manifests alone."""
    store = outputs / "artifacts"
    return {
        path.relative_to(store).as_posix(): sha256_hex(path.read_bytes())
        for path in sorted(store.rglob("*"))
        if path.is_file() and path.name != "manifest.json" and ".locks" not in path.parts
    }


def run(start: Start, config: Path, outputs: Path, **fault: str) -> int:
    process = start(
        "toy_run.py",
        str(config),
        PYTHONPATH=str(HERE / "fault"),
        FAULT_UNDER=str(outputs),
        TOY_TRACE=str(outputs.parent / "trace.txt"),
        **fault,
    )
    _, said = process.communicate(timeout=60)
    assert process.returncode in (0, -9), said
    return process.returncode


@pytest.mark.heavy
def test_nothing_is_lost_repeated_or_corrupted_by_a_kill(tmp_path: Path, make_config: MakeConfig, start: Start) -> None:
    whole = make_config()

    def prepare(name: str) -> tuple[Path, Path]:
        outputs = tmp_path / name / "outputs"
        outputs.mkdir(parents=True)
        config = tmp_path / name / "config.json"
        paths = whole.paths.model_copy(update={"outputs": str(outputs), "artifacts": str(outputs / "artifacts")})
        config.write_text(whole.model_copy(update={"paths": paths}).model_dump_json())
        return config, outputs

    config, outputs = prepare("undisturbed")
    log = tmp_path / "operations.txt"
    assert run(start, config, outputs, FAULT_LOG=str(log)) == 0
    expected = data_of(outputs)
    assert len(expected) == len(STAGES)
    calls = read_json(outputs / "latest" / "cost.json")["synthesize"]["artifact"]["counts"]
    assert calls["calls"] > 0
    operations = log.read_text().splitlines()

    draw = random.Random(SEED)
    for place, points in POINTS.items():
        numbers = [number for number, line in enumerate(operations, start=1) if place in line and ".locks" not in line]
        for at in sorted(draw.sample(numbers, points)):
            print(f"seed {SEED}: killing at operation {at}: {operations[at - 1]}")
            config, outputs = prepare(f"killed-{at}")
            assert run(start, config, outputs, FAULT_AT=str(at)) == -9
            check_continues(start, config, outputs, expected, calls)


def check_continues(start: Start, config: Path, outputs: Path, expected: dict[str, str], calls: object) -> None:
    """Start a killed run again: it makes exactly what is missing, and ends like an undisturbed one."""
    trace = outputs.parent / "trace.txt"
    standing = {path.parent.parent.name for path in outputs.glob("artifacts/*/[!.]*/manifest.json")}
    shards = {int(path.stem[-6:]) for path in outputs.glob("artifacts/synthesize/.partial-*/trajectories-*.jsonl")}
    trace.unlink(missing_ok=True)
    assert run(start, config, outputs) == 0
    again = trace.read_text().splitlines() if trace.exists() else []
    assert not standing & set(again), "an artifact that stood was made again"
    assert not {f"shard {number}" for number in shards} & set(again), "a shard that stood was made again"
    assert data_of(outputs) == expected
    (cell,) = (path for path in (outputs / "toy").iterdir())
    status = read_json(cell / "status.json")
    assert status["state"] == "done"
    assert {record["state"] for record in status["stages"].values()} <= {"made", "reused"}
    # Counts of shards made before the kill are not lost either.
    assert read_json(cell / "cost.json")["synthesize"]["artifact"]["counts"] == calls
    left = [path.name for path in outputs.rglob(".tmp-*") if path.parent.parent.name == "artifacts"]
    assert left == [], "temporary folders of the killed process were left"


@pytest.mark.heavy
def test_a_run_that_is_killed_again_and_again_still_ends(tmp_path: Path, make_config: MakeConfig, start: Start) -> None:
    outputs = tmp_path / "outputs"
    config = tmp_path / "config.json"
    config.write_text(make_config(outputs=outputs).model_dump_json())
    outputs.mkdir()
    kills = 0
    # Each attempt gets further than the last, so that the number of attempts is bounded.
    while run(start, config, outputs, FAULT_AT=str(40 * (1 + kills))) != 0:
        kills += 1
        assert kills < 15
    assert kills > 2
    assert len(data_of(outputs)) == len(STAGES)
    assert read_json(outputs / "latest" / "status.json")["attempt"] > 2
