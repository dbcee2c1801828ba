"""The stages' lock: their source as it was when somebody last said what each `version` stands for.

A stage's key holds its version and not its source, so that an edit which changes no result makes nothing anew. The
lock, a file beside the stages, makes such an edit a decision: a test fails until the lock is written anew.

    python -m envfactory.pipeline.lock             say which stages' sources are not what was locked
    python -m envfactory.pipeline.lock --refresh   write the lock anew
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from envfactory.catalogue.digest import source_digest
from envfactory.files import file_digest, read_json, write_json_atomic
from envfactory.pipeline.stage import ON_DEMAND, Stage, load_stage

__all__ = ["LockedStage", "problems", "refresh", "stored_stages"]

ROOT = Path(__file__).parents[2]
"""The folder in which the package lies."""

STAGES = Path(__file__).parent / "stages"
LOCK = STAGES.parent / "stages.lock.json"


class LockedStage(BaseModel):
    """A stage's version and the digest of every file that decides its result, by path: of Python, its syntax tree's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    sources: dict[str, str]


def stored_stages() -> list[Stage]:
    """Return the stages whose results are kept, and for which a version therefore means something."""
    names = sorted(path.stem for path in STAGES.glob("[a-z]*.py"))
    return [load_stage(name) for name in names if name not in ON_DEMAND]


def present(stages: Iterable[Stage], root: Path = ROOT) -> dict[str, LockedStage]:
    """Return what a lock written now would hold.

    Args:
        stages: the stages.
        root: the folder in which packages lie.

    Raises:
        FileNotFoundError: a stage names a module that is not there.
    """
    return {stage.name: LockedStage(version=stage.version, sources=_sources(stage, root)) for stage in stages}


def problems(stages: Iterable[Stage], lock: Path = LOCK, root: Path = ROOT) -> list[str]:
    """Return what the lock does not know of, in words that say which stage and which file."""
    written: dict[str, Any] = read_json(lock) if lock.exists() else {}
    locked = {name: LockedStage.model_validate(raw) for name, raw in written.items()}
    found: list[str] = []
    for name, now in present(stages, root).items():
        before = locked.get(name)
        if before is None:
            found.append(f"{name} is not locked yet")
            continue
        files = sorted({*now.sources, *before.sources})
        changed = [file for file in files if now.sources.get(file) != before.sources.get(file)]
        if changed:
            same = " and its version is not raised" if now.version == before.version else ""
            found.append(f"{name}: {', '.join(changed)} changed{same}")
        elif now.version != before.version:
            found.append(f"{name}: its version is {now.version}, locked is {before.version}")
    return found


def refresh(stages: Iterable[Stage], lock: Path = LOCK, root: Path = ROOT) -> None:
    """Write down the present versions and sources."""
    write_json_atomic(lock, {name: stage.model_dump() for name, stage in sorted(present(stages, root).items())})


def _sources(stage: Stage, root: Path) -> dict[str, str]:
    own = f"envfactory.pipeline.stages.{stage.name}"
    files: set[Path] = set()
    for module in (*stage.modules, own):
        path = root.joinpath(*module.split("."))
        # What a model is told decides what it says, as code does.
        found = {path.with_suffix(".py")} if path.with_suffix(".py").is_file() else {*_below(path)}
        if not found:
            raise FileNotFoundError(f"stage {stage.name} names module {module}, which is not in {root}")
        files |= found
    return {file.relative_to(root).as_posix(): _digest(file) for file in sorted(files)}


def _below(folder: Path) -> Iterator[Path]:
    yield from folder.rglob("*.py")
    yield from folder.rglob("*.jinja")


def _digest(file: Path) -> str:
    return source_digest(file.read_bytes()) if file.suffix == ".py" else file_digest(file)


def main(arguments: Sequence[str]) -> int:
    """Check the lock, or write it anew with ``--refresh``; returns the exit code."""
    if list(arguments) not in ([], ["--refresh"]):
        print("usage: python -m envfactory.pipeline.lock [--refresh]", file=sys.stderr)
        return 2
    stages = stored_stages()
    found = problems(stages)
    print("\n".join(found) or "Every stage is what was locked.")
    if arguments:
        refresh(stages)
        print(f"{LOCK.name} is written: right if every stage with an unchanged version still gives the same results.")
        return 0
    if found:
        print(
            "If a result may change, raise the stage's version; then run python -m envfactory.pipeline.lock --refresh"
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
