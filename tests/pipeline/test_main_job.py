"""The main job itself, small: killed once in every stage and under another hash seed, it ends with the same files."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from envfactory.files import read_json, sha256_hex
from tests.pipeline.conftest import HERE

pytestmark = pytest.mark.heavy

SEED = 20260518
STAGES = ("graph", "sample", "synthesize", "score", "export", "report")
SIZE = ("domain=travel", "scale=smoke", "scale.trajectories=30", "scale.sft=18", "scale.rl=12")


def main_job(outputs: Path, **environment: str) -> int:
    """Run the main job in another process; returns its exit code, or minus the signal that ended it."""
    ended = subprocess.run(
        [sys.executable, "-m", "envfactory", f"paths.outputs='{outputs}'", *SIZE],
        cwd=outputs.parent, capture_output=True, text=True, timeout=170, check=False,
        env={**os.environ, "PYTHONPATH": str(HERE / "fault"), "FAULT_UNDER": str(outputs), **environment},
    )  # fmt: skip
    assert ended.returncode in (0, -9), ended.stderr
    return ended.returncode


def data_of(outputs: Path) -> dict[str, str]:
    """Return the digest of every data file. The report is left out: it shows seconds."""
    return {
        f"{stage}/{path.relative_to(folder)}": sha256_hex(path.read_bytes())
        for stage in STAGES[:-1]
        for folder in [(outputs / "latest" / "artifacts" / stage).resolve()]
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


@pytest.mark.timeout(600)
def test_the_main_job_survives_a_kill_in_every_stage(tmp_path: Path) -> None:
    for name in ("undisturbed", "killed"):
        (tmp_path / name).mkdir()
    log = tmp_path / "operations.txt"
    undisturbed = tmp_path / "undisturbed" / "outputs"
    assert main_job(undisturbed, FAULT_LOG=str(log), PYTHONHASHSEED="1") == 0
    expected = data_of(undisturbed)
    assert {"graph", "sample", "synthesize", "score", "export"} == {name.partition("/")[0] for name in expected}
    operations = log.read_text().splitlines()

    killed = tmp_path / "killed" / "outputs"
    draw = random.Random(SEED)
    for stage in STAGES:
        place = f"/artifacts/{stage}/"
        at = draw.randint(1, sum(place in line for line in operations))
        print(f"seed {SEED}: killing at operation {at} in {stage}")
        assert main_job(killed, FAULT_IN=place, FAULT_AT=str(at), PYTHONHASHSEED="2") == -9
    assert main_job(killed, PYTHONHASHSEED="2") == 0
    assert data_of(killed) == expected
    status = read_json(killed / "latest" / "status.json")
    assert (status["state"], status["attempt"]) == ("done", len(STAGES) + 1)
    counts = [read_json(outputs / "latest" / "cost.json") for outputs in (undisturbed, killed)]
    assert counts[0]["synthesize"]["artifact"]["counts"] == counts[1]["synthesize"]["artifact"]["counts"]
    for outputs in (undisturbed, killed):
        assert [path.name for path in outputs.parent.iterdir()] == ["outputs"]
        assert {path.name for path in outputs.iterdir()} == {"artifacts", "latest", "main"}
