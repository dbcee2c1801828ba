"""Two processes that want one cell or one artifact: one works, the other waits or says so."""

from __future__ import annotations

import signal
from pathlib import Path
from subprocess import Popen

import pytest

from envfactory.files import read_json
from tests.pipeline.conftest import MakeConfig, Start

pytestmark = pytest.mark.heavy


def save(make_config: MakeConfig, path: Path, *overrides: str) -> str:
    path.write_text(make_config(*overrides).model_dump_json())
    return str(path)


def release(process: Popen[str]) -> str:
    """Let a process that waits at its gate go on, and return what it said."""
    _, said = process.communicate("go\n", timeout=60)
    return said


def wait_at_gate(process: Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def read_until(process: Popen[str], text: str) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return line
    raise AssertionError(f"ended without saying {text!r}")


def test_a_second_process_on_a_cell_says_who_holds_it_and_gives_up(
    make_config: MakeConfig, start: Start, tmp_path: Path
) -> None:
    config = save(make_config, tmp_path / "config.json", "paths.lock_timeout_s=0")
    first = start("toy_run.py", config, TOY_GATE="sample")
    wait_at_gate(first)
    second = start("toy_run.py", config)
    _, said = second.communicate(timeout=60)
    assert second.returncode == 3
    assert f"held by process {first.pid} on " in said
    assert "Traceback" not in said
    release(first)
    assert first.returncode == 0


def test_a_second_process_on_a_cell_waits_and_reuses(make_config: MakeConfig, start: Start, tmp_path: Path) -> None:
    config = save(make_config, tmp_path / "config.json", "paths.lock_timeout_s=60")
    first = start("toy_run.py", config, TOY_GATE="sample")
    wait_at_gate(first)
    second = start("toy_run.py", config)
    assert f"held by process {first.pid}" in read_until(second, "waiting for cell")
    release(first)
    second.communicate(timeout=60)
    assert (first.returncode, second.returncode) == (0, 0)
    status = read_json(tmp_path / "outputs" / "latest" / "status.json")
    assert status["attempt"] == 2
    assert {record["state"] for record in status["stages"].values()} == {"reused"}


def test_two_cells_that_need_one_artifact_make_it_once(make_config: MakeConfig, start: Start, tmp_path: Path) -> None:
    trace = tmp_path / "trace.txt"
    one = save(make_config, tmp_path / "one.json", "reward.alpha=0")
    two = save(make_config, tmp_path / "two.json", "reward.alpha=1")
    first = start("toy_run.py", one, TOY_GATE="graph", TOY_TRACE=str(trace))
    wait_at_gate(first)
    second = start("toy_run.py", two, TOY_TRACE=str(trace))
    assert f"held by process {first.pid}" in read_until(second, "waiting for graph")
    release(first)
    second.communicate(timeout=60)
    assert (first.returncode, second.returncode) == (0, 0)
    # However the two interleave after that, what they share is made by one of them.
    made = trace.read_text().splitlines()
    assert sorted(made) == sorted(
        ["graph", "sample", "synthesize", "shard 0", "shard 1", "shard 2", "export", *(["score", "report"] * 2)]
    )


@pytest.mark.parametrize("sweep", [(), ("-m", "reward.alpha=0,1")])
def test_outputs_that_cannot_be_written_are_refused_without_a_traceback(
    start: Start, tmp_path: Path, sweep: tuple[str, ...]
) -> None:
    (tmp_path / "taken").write_text("a file")
    process = start("toy_main.py", *sweep, f"paths.outputs='{tmp_path}/taken'")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "cannot be written" in said
    assert "Traceback" not in said


def test_a_run_goes_on_when_nobody_reads_what_it_says(start: Start, tmp_path: Path) -> None:
    process = start("toy_main.py", f"paths.outputs='{tmp_path}/outputs'", TOY_GATE="graph")
    wait_at_gate(process)
    assert process.stderr is not None
    process.stderr.close()
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.wait(timeout=60) == 0
    assert read_json(tmp_path / "outputs" / "latest" / "status.json")["state"] == "done"


def test_hydra_neither_adds_files_nor_changes_directory(start: Start, tmp_path: Path) -> None:
    outputs = tmp_path / "it's, here"
    escaped = str(outputs).replace("'", "\\'")
    process = start(
        "toy_main.py", "-m", f"paths.outputs='{escaped}'", "reward.alpha=0,1", "hydra.job.chdir=true",
        "hydra.output_subdir=.hydra",
    )  # fmt: skip
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert {path.name for path in outputs.iterdir()} == {"artifacts", "latest", "main"}
    assert not list(outputs.rglob(".hydra"))
    assert len(list(outputs.glob("main/sweeps/*/sweep.csv"))) == 1


def test_a_process_asked_to_end_says_how_to_continue(make_config: MakeConfig, start: Start, tmp_path: Path) -> None:
    process = start("toy_main.py", f"paths.outputs='{tmp_path}/outputs'", TOY_GATE="synthesize")
    wait_at_gate(process)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "stopped in stage synthesize; the same command continues" in said
    assert "Traceback" not in said
    assert read_json(tmp_path / "outputs" / "latest" / "status.json")["state"] == "interrupted"
