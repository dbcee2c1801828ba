"""A language model on this machine's CPU: a GGUF file behind llama.cpp's OpenAI-compatible server, a child process.

    with local_model(LocalModel(), threads=2) as url:
        ...                                          # url is http://127.0.0.1:<port>/v1

`launchers/local_model/setup.sh` builds the interpreter and the model. The server listens on 127.0.0.1 alone, and is
ended however the block ends; should this process be killed, the server notices and ends by itself.
"""

from __future__ import annotations

import http.client
import socket
import tempfile
import time
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from envfactory.training.places import TrainingError, cache_folder
from envfactory.training.process import running

PACKAGE = Path(__file__).resolve().parents[1]
NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"
"""The model that `setup.sh` puts into the cache."""
LONGEST_S = 24 * 3600.0
POLL_S = 0.1


class LocalModelError(RuntimeError):
    """The model cannot be served; the message tells why and what to do."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """What is served, and by which interpreter.

    Attributes:
        python: interpreter that has `xllamacpp`; None: what `setup.sh` built.
        model: GGUF file; None: what `setup.sh` built.
    """

    python: Path | None = None
    model: Path | None = None

    @property
    def name(self) -> str:
        """What the model says that it is called."""
        return NAME if self.model is None else self.model.stem

    def found(self) -> tuple[Path, Path]:
        """Return interpreter and model.

        Raises:
            LocalModelError: one of them is not there.
        """
        folder = cache_folder() / "local-model"
        # The builder writes the marker last: without it, the folder is half built.
        if (self.python is None or self.model is None) and not (folder / ".ready").is_file():
            raise LocalModelError(
                f"there is no local model in {folder} yet; build it with: launchers/local_model/setup.sh"
            )
        python, model = self.python or folder / "bin" / "python", self.model or folder / "model.gguf"
        for path in (python, model):
            if not path.is_file():
                raise LocalModelError(f"{path}: no such file; build it with: launchers/local_model/setup.sh")
        return python, model


@contextmanager
def local_model(
    served: LocalModel, *, context: int = 8192, threads: int = 2, start_timeout_s: float = 120.0
) -> Generator[str]:
    """Serve a model while the block runs.

    Args:
        served: what to serve.
        context: tokens of a conversation at most.
        threads: threads that reckon.
        start_timeout_s: seconds until it must answer.

    Yields:
        The base URL of the OpenAI-compatible interface.

    Raises:
        LocalModelError: it is not there, ended, or did not answer in time; the message ends with its last output.
    """
    python, model = served.found()
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="envfactory-local-model-") as name:
        folder = Path(name)
        words = [python, _script(), model, served.name, str(port), str(context), str(threads)]
        # Threads that wait must not spin: the cores are shared with whoever asks.
        variables = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0", "PYTHONNOUSERSITE": "1"}
        server = running(
            words, folder=folder, log=folder / "log.txt", variables=variables, timeout_s=LONGEST_S, poll_s=POLL_S
        )
        with closing(server):
            deadline = time.monotonic() + start_timeout_s
            try:
                for _ in server:
                    if _healthy(port):
                        break
                    if time.monotonic() > deadline:
                        log = (folder / "log.txt").read_text("utf-8", "replace")[-2000:]
                        raise LocalModelError(f"{model.name} did not answer within {start_timeout_s:g} s:\n{log}")
                else:
                    raise LocalModelError(f"the server of {model.name} ended before it answered")
            except TrainingError as error:
                raise LocalModelError(str(error)) from None
            yield f"http://127.0.0.1:{port}/v1"


def _script() -> Path:
    """`launchers/local_model/serve.py`: inside an installed package, beside the package in a checkout."""
    for root in (PACKAGE, PACKAGE.parent):
        if (path := root / "launchers" / "local_model" / "serve.py").exists():
            return path
    raise LocalModelError(f"no launchers/local_model/serve.py in {PACKAGE} or beside it; install envfactory again")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with closing(connection), suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/health")
        return connection.getresponse().status == http.client.OK
    return False
