"""A sweep through the real command line: every cell runs, and one table tells how each ended."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.pipeline.conftest import Start

pytestmark = pytest.mark.slow


def rows_of(outputs: Path) -> list[dict[str, str]]:
    (table,) = outputs.glob("*/sweeps/*/sweep.csv")
    with table.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_sweep_over_alpha_makes_score_and_report_alone_and_says_so(start: Start, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    where = f"paths.outputs='{outputs}'"
    first = start("toy_main.py", where, "+experiment=quickstart", "reward.alpha=0.25")
    first.communicate(timeout=120)
    assert first.returncode == 0
    process = start("toy_main.py", "+experiment=quickstart", "-m", "reward.alpha=0,0.5", where)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert "score, report made; graph, sample, synthesize, export reused" in said
    rows = rows_of(outputs)
    assert [(row["reward.alpha"], row["state"], row["made"], row["score.alpha"]) for row in rows] == [
        ("0", "done", "score report", "0.0"),
        ("0.5", "done", "score report", "0.5"),
    ]
    assert len({row["cell_id"] for row in rows}) == 2
    log = (outputs / "latest" / "attempts" / "1" / "log.txt").read_text()
    assert "INFO    envfactory: sample reused: " in log
    assert {path.name for path in outputs.iterdir()} == {"artifacts", "latest", "quickstart"}
    (sweep,) = (outputs / "quickstart" / "sweeps").iterdir()
    assert sorted(path.name for path in sweep.iterdir()) == ["job-00000.json", "job-00001.json", "sweep.csv"]


def test_a_cell_that_fails_neither_hides_nor_stops_the_others(start: Start, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    process = start("toy_main.py", "-m", f"paths.outputs='{outputs}'", "seed=0,1,2", TOY_FAIL_SEED="1")
    _, said = process.communicate(timeout=120)
    assert process.returncode == 1
    rows = rows_of(outputs)
    assert [row["state"] for row in rows] == ["done", "failed", "done"]
    assert rows[1]["error"] == "stage sample: ValueError: the toy broke on seed 1"
    assert "Traceback" not in said


@pytest.mark.parametrize("order", [("-m", "+experiment=quickstart"), ("+experiment=quickstart", "-m")])
def test_a_bad_cell_is_refused_before_any_cell_runs(start: Start, tmp_path: Path, order: tuple[str, str]) -> None:
    process = start("toy_main.py", *order, "reward.alpha=0,7", f"paths.outputs='{tmp_path}/outputs'")
    _, said = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "reward.alpha=7: expected a number from 0 to 1" in said
    assert not (tmp_path / "outputs").exists()
