"""The local model is served while it is needed, and no longer; all but the last test do without the model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from envfactory.serving.local import LocalModel, LocalModelError, local_model

SETUP = Path(__file__).parents[2] / "launchers" / "local_model" / "setup.sh"

FAKE = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response({status})
        self.end_headers()
    def log_message(self, *args):
        pass
print("words before the end", flush=True)
{before}
http.server.HTTPServer(("127.0.0.1", int(sys.argv[3])), Handler).serve_forever()
"""


def fake(tmp_path: Path, *, status: int = 200, before: str = "") -> LocalModel:
    """An interpreter that serves something else than a model: arguments are as `serve.py` takes them."""
    script = tmp_path / "fake.py"
    script.write_text(FAKE.format(status=status, before=before))
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nshift\nexec "{sys.executable}" "{script}" "$@"\n')
    python.chmod(0o755)
    model = tmp_path / "other.gguf"
    model.write_bytes(b"")
    return LocalModel(python=python, model=model)


def alive(tmp_path: Path) -> list[int]:
    """Ids of the processes that run something of this folder."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(tmp_path).encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def test_a_server_answers_inside_the_block_and_is_gone_after_it(tmp_path: Path) -> None:
    with local_model(fake(tmp_path), start_timeout_s=60) as url:
        assert url.startswith("http://127.0.0.1:")
        assert alive(tmp_path)
    assert not alive(tmp_path)


def test_an_error_in_the_block_ends_the_server_too(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="mine"), local_model(fake(tmp_path), start_timeout_s=60):
        raise RuntimeError("mine")
    assert not alive(tmp_path)


def test_a_server_that_ends_by_itself_is_told_with_its_last_words(tmp_path: Path) -> None:
    with (
        pytest.raises(LocalModelError, match="words before the end"),
        local_model(fake(tmp_path, before="sys.exit(3)"), start_timeout_s=60),
    ):
        pass


def test_a_server_that_never_becomes_healthy_is_ended(tmp_path: Path) -> None:
    with (
        pytest.raises(LocalModelError, match=r"did not answer within 1 s"),
        local_model(fake(tmp_path, status=503), start_timeout_s=1),
    ):
        pass
    assert not alive(tmp_path)


def test_what_is_missing_is_told_with_the_command_that_builds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENVFACTORY_CACHE", str(tmp_path))
    with pytest.raises(LocalModelError, match=r"build it with: launchers/local_model/setup\.sh"):
        LocalModel().found()
    with pytest.raises(LocalModelError, match=r"nowhere\.gguf: no such file"):
        LocalModel(python=Path(sys.executable), model=tmp_path / "nowhere.gguf").found()


def test_setup_refuses_what_it_does_not_understand() -> None:
    done = subprocess.run([SETUP, "gpu"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "expected no arguments, got 'gpu'" in done.stderr


@pytest.mark.heavy
def test_a_setup_that_cannot_download_says_what_and_from_where(tmp_path: Path) -> None:
    nowhere = "http://somebody:secret@127.0.0.1:9/simple"
    settings = {**os.environ, "PIP_INDEX_URL": nowhere, "PIP_RETRIES": "0", "ENVFACTORY_CACHE": str(tmp_path)}
    done = subprocess.run(
        [SETUP], capture_output=True, text=True, timeout=170, check=False, env={**settings, "PYTHON": sys.executable}
    )
    assert done.returncode == 1
    assert "downloading 23 packages, 1.2 GB: " in done.stderr
    assert "http://127.0.0.1:9/simple" in done.stderr
    assert "nothing was set up; is the package index reachable" in done.stderr
    assert "secret" not in done.stderr.split("ERROR")[0]
    assert not (tmp_path / "local-model" / ".ready").exists()


@pytest.mark.local_model
@pytest.mark.timeout(300)
def test_the_real_server_ends_by_itself_when_its_parent_is_killed() -> None:
    code = (
        "import time\n"
        "from envfactory.serving.local import LocalModel, local_model\n"
        "with local_model(LocalModel(), start_timeout_s=240):\n"
        "    print('up', flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        try:
            assert parent.stdout is not None
            assert parent.stdout.readline() == "up\n"
            children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
        finally:
            parent.send_signal(signal.SIGKILL)
            parent.wait(30)
    assert len(children) == 1
    until = time.monotonic() + 60
    while Path(f"/proc/{children[0]}").exists() and time.monotonic() < until:
        os.sched_yield()
    assert not Path(f"/proc/{children[0]}").exists()
