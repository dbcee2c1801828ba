"""`Sentences`: a transformer that embeds sentences, by sentence-transformers, which is imported when it is needed.

Texts are put into batches that only they and the size of a batch decide, so the same texts give the same rows in any
process. torch, and the model, are loaded only if some batch has no vectors yet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from envfactory.embedding.vectors import Vectors
from envfactory.embedding.weights import EmbedderError, Weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Track = Callable[[Iterable[str], int, str], Iterable[str]]
"""Yields the items, telling how far one is: the items, how many, and what they are."""

NOT_NEEDED = ("onnx/*", "openvino/*", "imgs/*")
"""What a repository holds beside the model."""


def untold(items: Iterable[str], total: int, label: str) -> Iterable[str]:
    """Yield the items, telling nobody."""
    del total, label
    return items


class Sentences:
    """See the module docstring.

    Args:
        name: what the graph notes as the source of its cosines.
        weights: the model.
        threshold: cosine at which an edge is proposed.
        batch_size: texts at a time.
        device: as torch names it; ``auto``: a GPU if there is one.
        vectors: the model's, kept between processes; None: nothing is kept.
        track: tells how far one is.
    """

    def __init__(
        self,
        name: str,
        weights: Weights,
        threshold: float,
        *,
        batch_size: int = 32,
        device: str = "auto",
        vectors: Vectors | None = None,
        track: Track = untold,
    ) -> None:
        self.name = name
        self.threshold = threshold
        self._weights = weights
        self._batch_size = batch_size
        self._device = device
        self._vectors = vectors
        self._track = track
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; see `Embedder.embed`.

        Raises:
            EmbedderError: a package, the model or the device is not here.
        """
        import numpy as np

        # Texts of like length stand together, so that little is padded.
        known = sorted(set(texts), key=lambda text: (len(text), text))
        if not known:
            return np.zeros((0, 0), dtype=np.float32)
        rows = np.concatenate([self._rows(batch) for batch in self._batches(known)])
        position = {text: row for row, text in enumerate(known)}
        return rows[[position[text] for text in texts]]

    def _batches(self, texts: list[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        for text in self._track(texts, len(texts), "texts embedded"):
            batch.append(text)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if batch:
            yield batch

    def _rows(self, batch: list[str]) -> NDArray[np.float32]:
        """Rows of length 1, one a text."""
        if self._vectors and (kept := self._vectors.of(batch)) is not None:
            return kept
        self._model = self._model or self._load()
        rows: NDArray[np.float32] = self._model.encode(
            batch, batch_size=len(batch), normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        if self._vectors:
            self._vectors.add(batch, rows)
        return rows

    def _load(self) -> Any:
        """The model, in memory; its library says nothing meanwhile."""
        try:
            folder = self._folder()
            # By name: where the types of this package are checked, these are not installed.
            torch: Any = import_module("torch")
            library: Any = import_module("sentence_transformers")
            logging: Any = import_module("transformers.utils.logging")
        except ImportError as error:
            raise EmbedderError(
                f"embedder.kind={self.name}: {error}; install the package's extra `embeddings` for {sys.executable}"
            ) from None
        device = None if self._device == "auto" else self._device
        try:
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError) as error:
            raise EmbedderError(f"embedder.device={device}: {_line(error)}; auto takes what there is") from error
        level = logging.get_verbosity()
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            return library.SentenceTransformer(folder, device=device, local_files_only=True)
        except (OSError, ValueError, RuntimeError) as error:
            raise EmbedderError(f"embedder.kind={self.name}: {folder} does not load: {_line(error)}") from error
        finally:
            logging.set_verbosity(level)
            logging.enable_progress_bar()

    def _folder(self) -> str:
        """The folder of the model, which comes from the hub if it is no folder and not in the hub's cache yet."""
        where, revision = self._weights.location, self._weights.revision
        if revision is None:
            return where
        hub: Any = import_module("huggingface_hub")
        fetch = partial(hub.snapshot_download, where, revision=revision, ignore_patterns=list(NOT_NEEDED))
        try:
            return fetch(local_files_only=True)
        except OSError:
            pass  # not in the cache, or only a part of it
        try:
            return fetch()
        except Exception as error:  # the client lets those of its HTTP library through, which is not always the same
            raise EmbedderError(
                f"embedder.kind={self.name}: {where} at {revision} could not be had from the hub or its cache; set "
                "embedder.model to a folder that holds it, or choose embedder=lexical or embedder=minilm: "
                f"{_line(error)}"
            ) from error


def _line(error: Exception) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split())
