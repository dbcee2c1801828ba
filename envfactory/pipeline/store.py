"""The artifact store: ``<root>/<stage>/<key>/``, files and a ``manifest.json`` that knows every one of them.

An artifact is built in a temporary folder of the same file system and appears by one rename, whole or not at all.
Whoever needs one that is being made waits for it. Every look-up checks every file against its digest; an artifact that
was changed by hand is moved aside, said so, and made anew.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import os
import shutil
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from envfactory.files import TEMPORARY_PREFIX, digest_json, file_digest, read_json, write_json_atomic
from envfactory.pipeline.hold import hold, try_hold
from envfactory.pipeline.ledger import Ledger

__all__ = ["Artifact", "Cost", "FileEntry", "Manifest", "Slot", "Store"]

MANIFEST = "manifest.json"
PARTIAL_PREFIX = ".partial-"
KEY_CHARACTERS = 24
"""Of a key's 64 hexadecimal digits these name its folder: 96 bits, and paths that people can read."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(_Data):
    """One file: its SHA-256 digest and its size in bytes."""

    sha256: str
    bytes: int


class Cost(_Data):
    """What making an artifact cost: seconds of the attempt that finished it, and counts by name."""

    seconds: float
    counts: dict[str, float]


class Manifest(_Data):
    """Everything known of an artifact; `seal` is the digest of all the rest, so that an edited manifest is noticed.

    Neither `cost` nor `made_at` enters `content`, the digest that decides what depends on the artifact.
    """

    stage: str
    version: int
    key: str
    identity: dict[str, JsonValue]
    inputs: dict[str, str]
    environments: dict[str, str]
    files: dict[str, FileEntry]
    content: str
    metrics: dict[str, JsonValue]
    cost: Cost
    made_at: str
    seal: str = ""

    def sealed(self) -> Manifest:
        """Return a copy with the seal that belongs to it."""
        return self.model_copy(update={"seal": digest_json(self.model_dump(mode="json", exclude={"seal"}))})


@dataclass(frozen=True)
class Artifact:
    """A finished result: its folder and its manifest."""

    path: Path
    manifest: Manifest

    @property
    def content(self) -> str:
        """Digest of names and bytes of all files; what depends on the artifact depends on this."""
        return self.manifest.content


@dataclass(frozen=True)
class Slot:
    """Where an artifact is being made: `output` is empty and private, `partial` survives a kill."""

    output: Path
    partial: Path


class Store:
    """Artifacts in a folder, shared by every run that names it, on one machine or several.

    Args:
        root: the folder; it is made.
        timeout_s: how long to wait for an artifact that another process is making.
        log: told about waiting and about damaged artifacts.
    """

    def __init__(self, root: Path, timeout_s: float, log: logging.Logger) -> None:
        self.root = root
        self._timeout_s = timeout_s
        self._log = log

    def folder(self, stage: str, key: str) -> Path:
        """Return where the artifact of a key is, or will be."""
        return self.root / stage / key[:KEY_CHARACTERS]

    def find(self, stage: str, key: str) -> Artifact | None:
        """Return the artifact of a key if it is there and every file is as its manifest says."""
        folder = self.folder(stage, key)
        manifest, _ = _verify(folder, key)
        return None if manifest is None else Artifact(folder, manifest)

    @contextlib.contextmanager
    def making(self, stage: str, key: str) -> Generator[Slot]:
        """Hold the right to make an artifact, waiting while another process does.

        An artifact that was damaged is moved aside first. Look for it again inside the block: it may have been made
        meanwhile.

        Raises:
            HeldElsewhereError: another process held it for too long.
        """
        folder = self.folder(stage, key)
        with hold(self._lock(folder), f"{stage} {folder.name}", self._timeout_s, self._log.warning):
            self._set_aside_if_damaged(folder, key)
            output = folder.with_name(TEMPORARY_PREFIX + folder.name)
            # Left by a process that was killed: nobody else may write here while the lock is held.
            shutil.rmtree(output, ignore_errors=True)
            output.mkdir(parents=True)
            partial = folder.with_name(PARTIAL_PREFIX + folder.name)
            partial.mkdir(exist_ok=True)
            try:
                yield Slot(output, partial)
            finally:
                shutil.rmtree(output, ignore_errors=True)
                if folder.is_dir() or not any(partial.iterdir()):
                    shutil.rmtree(partial, ignore_errors=True)

    def forget_partial(self, slot: Slot) -> None:
        """Throw away what an earlier attempt left to continue from."""
        shutil.rmtree(slot.partial)
        slot.partial.mkdir()

    def put(
        self,
        slot: Slot,
        *,
        stage: str,
        version: int,
        key: str,
        identity: Mapping[str, JsonValue],
        inputs: Mapping[str, str],
        environments: Mapping[str, str],
        metrics: Mapping[str, JsonValue],
        seconds: float,
        ledger: Ledger,
    ) -> Artifact:
        """Let what is in a slot's output become the artifact of its key.

        Where an equal artifact stands already (a stage that was forced), it stays untouched.

        Returns:
            The artifact, at its final place.

        Raises:
            ValueError: the output holds something that is neither file nor folder, or a file named manifest.json.
        """
        folder = self.folder(stage, key)
        files = _entries(slot.output)
        manifest = Manifest(
            stage=stage,
            version=version,
            key=key,
            identity=dict(identity),
            inputs=dict(inputs),
            environments=dict(environments),
            files=files,
            content=_content(files),
            metrics=dict(metrics),
            cost=Cost(seconds=seconds, counts=ledger.total()),
            made_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        ).sealed()
        standing = self.find(stage, key)
        if standing is not None and standing.content == manifest.content:
            return standing
        write_json_atomic(slot.output / MANIFEST, manifest.model_dump(mode="json"))
        _flush(slot.output)
        if standing is not None:
            # Two renames: killed between them, the artifact is missing and made again, never half there.
            old = folder.with_name(f"{TEMPORARY_PREFIX}old-{folder.name}")
            shutil.rmtree(old, ignore_errors=True)
            folder.rename(old)
            slot.output.rename(folder)
            shutil.rmtree(old)
        else:
            slot.output.rename(folder)
        return Artifact(folder, manifest)

    def clean(self) -> None:
        """Remove temporary folders whose makers are gone; what is being made now stays."""
        for temporary in sorted(self.root.glob(f"*/{TEMPORARY_PREFIX}*")):
            name = temporary.name.removeprefix(TEMPORARY_PREFIX).removeprefix("old-")
            # A store that may only be read is not ours to clean.
            with contextlib.suppress(OSError), try_hold(self._lock(temporary.with_name(name))) as free:
                if free:
                    shutil.rmtree(temporary, ignore_errors=True)

    def _set_aside_if_damaged(self, folder: Path, key: str) -> None:
        if not os.path.lexists(folder):
            return
        manifest, damage = _verify(folder, key)
        if manifest is not None:
            return
        number = 1
        while (aside := folder.with_name(f"{folder.name}.damaged-{number}")).exists():
            number += 1
        folder.rename(aside)
        self._log.warning("%s is damaged and is made anew: %s. It was moved to %s", folder, damage, aside.name)

    def _lock(self, folder: Path) -> Path:
        return folder.parent / ".locks" / f"{folder.name}.lock"


def _entries(folder: Path) -> dict[str, FileEntry]:
    entries: dict[str, FileEntry] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not path.is_file():
            raise ValueError(f"{name}: an artifact holds only files and folders")
        if name == MANIFEST:
            raise ValueError(f"{name}: this name belongs to the store; give the file another")
        entries[name] = FileEntry(sha256=file_digest(path), bytes=path.stat().st_size)
    return entries


def _content(files: Mapping[str, FileEntry]) -> str:
    return digest_json({name: entry.sha256 for name, entry in files.items()})


def _verify(folder: Path, key: str) -> tuple[Manifest | None, str]:
    """Return the manifest if every file is as it says, else what is wrong."""
    try:
        manifest = Manifest.model_validate(read_json(folder / MANIFEST))
    except (OSError, ValueError, ValidationError) as error:
        return None, f"{MANIFEST}: {str(error).splitlines()[0]}"
    if manifest.key != key or manifest.content != _content(manifest.files):
        return None, f"{MANIFEST} is not this artifact's"
    if manifest.sealed().seal != manifest.seal:
        return None, f"{MANIFEST} was changed"
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()} - {MANIFEST}
    for name in sorted(found ^ set(manifest.files)):
        return None, f"{name} was {'added' if name in found else 'removed'}"
    for name, entry in manifest.files.items():
        path = folder / name
        try:
            changed = path.stat().st_size != entry.bytes or file_digest(path) != entry.sha256
        except OSError as error:
            return None, str(error)
        if changed:
            return None, f"{name} was changed"
    return manifest, ""


def _flush(folder: Path) -> None:
    """Make files durable before the rename that makes them visible."""
    for path in [folder, *folder.rglob("*")]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
