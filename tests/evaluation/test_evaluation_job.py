"""Stage `evaluate` as a command that is stopped and continued, with a small server in the place of vLLM."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from envfactory.files import read_jsonl
from tests.serving.test_vllm import program

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(400)]

SERVER = """
import json, pathlib, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

here, lock = pathlib.Path(FOLDER), threading.Lock()
port = int(sys.argv[sys.argv.index("--port") + 1])

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/tokenize":
            found = {"tokens": list(range(len(asked["prompt"]) // 4))}
        else:
            with lock, (here / "asked.txt").open("a") as stream:
                stream.write("asked\\n")
            if (here / "silent").exists() and (here / "asked.txt").read_text().count("asked") > 3:
                threading.Event().wait()
            text = "Said to " + asked["messages"][-1]["content"]
            choice = {"message": {"content": text}, "finish_reason": "stop"}
            found = {"choices": [choice], "usage": {"total_tokens": 10}}
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


def command(folder: Path, outputs: Path) -> list[str]:
    return [
        sys.executable, "-m", "envfactory", "+experiment=smoke", "domain=hotels", "stages=[evaluate]",
        "scale.trajectories=20", "scale.sft=2", "scale.rl=18", "scale.validation=0.5", "evaluation.models=[base]",
        "evaluation.concurrency=2", "rl.prompt_tokens=32000", "backbone=qwen3_1_7b", f"backbone.model={folder}",
        "training.hardware=gpu_80gb", f"training.python={folder / 'python'}", f"paths.outputs={outputs}",
    ]  # fmt: skip


def test_a_stopped_evaluation_ends_at_once_and_plays_only_what_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "program"
    folder.mkdir()
    program(folder, SERVER.replace("FOLDER", repr(str(folder))))
    (folder / "config.json").write_text("{}")
    (folder / "silent").touch()
    asked = folder / "asked.txt"
    outputs = tmp_path / "outputs"
    first = subprocess.Popen(command(folder, outputs), stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 200
        # Three were answered, and two wait for an answer that does not come.
        while not asked.exists() or asked.read_text().count("asked") < 5:
            assert first.poll() is None, first.stderr and first.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        first.send_signal(signal.SIGINT)
        # Far less than evaluation.answer_timeout_s, which the two would else take.
        told = first.communicate(timeout=60)[1]
    finally:
        first.kill()
        first.wait()
    assert first.returncode != 0
    assert "Traceback" not in told
    kept = next(outputs.glob("artifacts/evaluate/.partial-*/base/turns.jsonl")).read_bytes()
    assert kept.count(b"\n") == 3

    (folder / "silent").unlink()
    again = subprocess.run(command(folder, outputs), capture_output=True, text=True, timeout=200, check=False)
    assert again.returncode == 0, again.stderr
    results = outputs / "latest" / "artifacts" / "evaluate" / "results.jsonl"
    turns = list(read_jsonl(results))
    assert len(turns) > 5
    assert asked.read_text().count("asked") == len(turns) + 2
    assert set(kept.splitlines()) < set(results.read_bytes().splitlines())

    # As if nothing had happened.
    shutil.copytree(outputs / "artifacts", tmp_path / "others" / "artifacts", ignore=shutil.ignore_patterns("evaluate"))
    whole = subprocess.run(
        command(folder, tmp_path / "others"), capture_output=True, text=True, timeout=200, check=False
    )
    assert whole.returncode == 0, whole.stderr
    other = tmp_path / "others" / "latest" / "artifacts" / "evaluate" / "results.jsonl"
    assert other.read_bytes() == results.read_bytes()
