"""Where training finds what it needs: its interpreter, the cache, and the files beside the launchers."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = [
    "Hardware",
    "Interpreter",
    "TrainingError",
    "cache_folder",
    "check_devices",
    "find_hardware",
    "find_interpreter",
    "shipped",
]

Hardware = Literal["cpu", "gpu_80gb", "gpu_141gb"]

PACKAGE = Path(__file__).resolve().parents[1]
FITS_GB: dict[Hardware, float] = {"gpu_141gb": 130, "gpu_80gb": 75}
"""Least memory, in GB, of the GPUs that a layout is meant for; nominal sizes are a little more than what is there."""


VLLM_ON_CPU = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
"""What vLLM finds in its environment on a CPU: gigabytes for keys and values, and threads that may run anywhere."""

VLLM_SEEDS = 2**31
"""vLLM takes seeds of 31 bits."""


class TrainingError(RuntimeError):
    """Training cannot go on; the message tells why and what to do."""


@dataclass(frozen=True)
class Interpreter:
    """A Python that has the training programs.

    Attributes:
        python: its executable.
        hardware: what it trains on.
    """

    python: Path
    hardware: Hardware

    def variables(self) -> dict[str, str]:
        """Return what a training program finds in its environment beside the caller's own."""
        variables = {
            "PATH": f"{self.python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "PYTHONNOUSERSITE": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "WANDB_DISABLED": "true",
        }
        if self.hardware == "cpu":
            # The shims stand for modules that do not load without a GPU. On a GPU they must not be seen.
            variables["PYTHONPATH"] = str(shipped("cpu_shims"))
            variables["CUDA_VISIBLE_DEVICES"] = ""
        return variables


def cache_folder() -> Path:
    """Return the folder of what is made once and used by every checkout."""
    return Path(os.environ.get("ENVFACTORY_CACHE") or Path.home() / ".cache" / "envfactory")


def shipped(name: str, of: str = "training") -> Path:
    """Return a file or folder of `launchers/<of>`: inside an installed package, beside the package in a checkout.

    Raises:
        FileNotFoundError: neither exists; the installation is broken.
    """
    for root in (PACKAGE, PACKAGE.parent):
        if (path := root / "launchers" / of / name).exists():
            return path
    raise FileNotFoundError(f"no launchers/{of}/{name} in {PACKAGE} or beside it; install envfactory again")


def find_hardware(wanted: str) -> Hardware:
    """Return the hardware to train on: what was asked for, or what `nvidia-smi` tells.

    Raises:
        TrainingError: there are GPUs, and no layout is meant for so little memory.
    """
    if wanted == "cpu" or wanted == "gpu_80gb" or wanted == "gpu_141gb":
        return wanted
    gigabytes = _gpus()
    if not gigabytes:
        return "cpu"
    least = min(gigabytes)
    for hardware, needed in FITS_GB.items():
        if least >= needed:
            return hardware
    raise TrainingError(
        f"the GPUs here have {least:.0f} GB, and no layout is meant for less than 80; to use one all the same: "
        "training.hardware=gpu_80gb, with a shorter backbone.context"
    )


def check_devices(hardware: Hardware, devices: int, key: str) -> None:
    """Refuse a layout that wants more GPUs than there are.

    Where `nvidia-smi` tells of none, as in a container that hides it, this is left to the program.

    Args:
        hardware: what the layout is for.
        devices: how many it wants.
        key: of the configuration that says so.

    Raises:
        TrainingError: there are fewer.
    """
    found = 0 if hardware == "cpu" else len(_gpus())
    if 0 < found < devices:
        raise TrainingError(
            f"{key}={devices}: there are {found} GPUs here; expected at most as many, so set {key} to a number that "
            "fits, or look at what would be started with dry_run=true"
        )


def _gpus() -> list[float]:
    """Memory of each GPU that a program would see, in GB, as `nvidia-smi` tells; none where it does not."""
    if shutil.which("nvidia-smi") is None:
        return []
    query = ["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
    told = subprocess.run(query, capture_output=True, text=True, timeout=60, check=False)
    if told.returncode != 0:
        return []
    found = [float(line) * 1.048576 / 1000 for line in told.stdout.split() if line.strip().isdigit()]
    # A program sees those that this names; by number or otherwise does not matter here.
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return (
        found
        if visible is None
        else found[: len([name for name in visible.split(",") if name.strip() not in ("", "-1")])]
    )


def find_interpreter(wanted: str, hardware: Hardware) -> Interpreter:
    """Return the training interpreter.

    Args:
        wanted: ``training.python``: a path, or ``auto`` for what `setup.sh` built for the hardware.
        hardware: what it is to train on.

    Raises:
        TrainingError: it is not there, or not finished; the message gives the command that builds it.
    """
    kind = "cpu" if hardware == "cpu" else "gpu"
    if wanted != "auto":
        path = Path(wanted).expanduser()
        if not os.access(path, os.X_OK) or path.is_dir():
            raise TrainingError(
                f"training.python={wanted}: no such interpreter; build one with "
                f"launchers/training/setup.sh {kind} and leave training.python=auto"
            )
        return Interpreter(path.absolute(), hardware)
    folder = cache_folder() / f"training-{kind}"
    # The builder writes the marker last: without it, the interpreter is half built.
    if not (folder / ".ready").is_file():
        raise TrainingError(
            f"there is no training interpreter in {folder} yet; build it with: launchers/training/setup.sh {kind} "
            "(or name another: training.python=/path/to/python)"
        )
    return Interpreter(folder / "bin" / "python", hardware)


def expected_python(wanted: str, hardware: Hardware) -> str:
    """Return the interpreter that would be used, whether it is there or not."""
    kind = "cpu" if hardware == "cpu" else "gpu"
    return str(cache_folder() / f"training-{kind}" / "bin" / "python") if wanted == "auto" else wanted
