"""The runtime's lock: its source as it was when somebody last said what `RUNTIME_VERSION` stands for.

Digests cover the runtime by its declared version, so that an edit which changes no behaviour makes nothing stale. The
lock, a file beside the runtime, makes such an edit a decision: a test fails until the lock is written anew.

    python -m envfactory.catalogue.lock             say whether the runtime's source still matches its lock
    python -m envfactory.catalogue.lock --refresh   write the lock anew
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory.catalogue.digest import source_digest
from envfactory.environment.spec import RUNTIME_VERSION
from envfactory.files import read_json, write_json_atomic

RUNTIME = Path(__file__).parents[1] / "environment"
NAME = "runtime.lock.json"


JUDGES = ("checks",)
"""Folders of the runtime that judge environments: nothing that a run makes depends on them."""


class Lock(BaseModel):
    """The runtime's declared version and the syntax-tree digest of each of its files, by path in its folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = 0
    sources: dict[str, str] = {}


def present(folder: Path = RUNTIME) -> Lock:
    """Return what a lock written now would hold."""
    files = sorted(path for path in folder.rglob("*.py") if path.relative_to(folder).parts[0] not in JUDGES)
    sources = {path.relative_to(folder).as_posix(): source_digest(path.read_bytes()) for path in files}
    return Lock(version=RUNTIME_VERSION, sources=sources)


def problems(folder: Path = RUNTIME) -> list[str]:
    """What the lock does not know of: files whose syntax tree changed, came or went, or another version."""
    path = folder / NAME
    locked = Lock.model_validate(read_json(path)) if path.exists() else Lock()
    now = present(folder)
    names = sorted({*now.sources, *locked.sources})
    found = [f"{name} is not what was locked" for name in names if now.sources.get(name) != locked.sources.get(name)]
    if locked.version != now.version:
        found.append(f"RUNTIME_VERSION is {now.version}, locked is {locked.version}")
    return found


def refresh(folder: Path = RUNTIME) -> None:
    """Write down the runtime's present version and sources."""
    write_json_atomic(folder / NAME, present(folder).model_dump())


def main(arguments: Sequence[str]) -> int:
    """Check the lock, or write it anew with `--refresh`; returns the exit code."""
    if list(arguments) not in ([], ["--refresh"]):
        print("usage: python -m envfactory.catalogue.lock [--refresh]", file=sys.stderr)
        return 2
    found = problems()
    print("\n".join(found) or "The runtime is what was locked.")
    if arguments:
        refresh()
        print(
            f"{NAME} is written for RUNTIME_VERSION {RUNTIME_VERSION}: right if that version behaves like this source."
        )
        return 0
    if found:
        print(
            "If any environment may behave otherwise, raise RUNTIME_VERSION (envfactory/environment/spec.py); then run"
        )
        print("python -m envfactory.catalogue.lock --refresh")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
