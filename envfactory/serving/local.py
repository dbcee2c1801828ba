"""A language model on this machine's CPU: a GGUF file behind llama.cpp's OpenAI-compatible server, a child process.

    with local_model(LocalModel(), threads=2) as url:
        ...                                          # url is http://127.0.0.1:<port>/v1

`launchers/local_model/setup.sh` builds the interpreter and the model. The server listens on 127.0.0.1 alone, and is
ended however the block ends; should this process be killed, the server notices and ends by itself.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from envfactory.serving.server import HOST, free_port, wait_until_healthy
from envfactory.training.places import TrainingError, cache_folder, shipped
from envfactory.training.process import running

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
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="envfactory-local-model-") as name:
        folder = Path(name)
        words = [python, shipped("serve.py", "local_model"), model, served.name, str(port), str(context), str(threads)]
        # Threads that wait must not spin: the cores are shared with whoever asks.
        variables = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0", "PYTHONNOUSERSITE": "1"}
        server = running(
            words, folder=folder, log=folder / "log.txt", variables=variables, timeout_s=LONGEST_S, poll_s=POLL_S
        )
        with closing(server):
            try:
                state = wait_until_healthy(server, port, start_timeout_s)
            except TrainingError as error:
                raise LocalModelError(str(error)) from None
            if state == "late":
                log = (folder / "log.txt").read_text("utf-8", "replace")[-2000:]
                raise LocalModelError(f"{model.name} did not answer within {start_timeout_s:g} s:\n{log}")
            if state == "ended":
                raise LocalModelError(f"the server of {model.name} ended before it answered")
            yield f"http://{HOST}:{port}/v1"
