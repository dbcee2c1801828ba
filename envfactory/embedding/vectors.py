"""`Vectors`: what a model made of batches of texts, kept in files, so that no batch is embedded twice.

A row's last bits depend on the texts beside it, so a batch is kept as a whole, by what it holds: what is found is, bit
for bit, what would be made. Files appear whole or not at all, and two processes that keep one keep the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from envfactory.embedding.weights import EmbedderError
from envfactory.files import digest_json, write_bytes_atomic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Vectors:
    """The vectors of one model: `<digest of the model>/<digest of the batch>.npy`.

    Args:
        folder: where the folders of models are.
        model: digest of the model.
    """

    def __init__(self, folder: Path, model: str) -> None:
        self.folder = folder / model

    def of(self, batch: Sequence[str]) -> NDArray[np.float32] | None:
        """Return a batch's rows, if they are kept.

        Raises:
            EmbedderError: the file does not hold such rows.
        """
        import numpy as np

        path = self._path(batch)
        if not path.exists():
            return None
        try:
            rows: NDArray[np.float32] = np.load(path, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise EmbedderError(f"{path}: not a file of vectors ({error}); delete it, it will be made anew") from None
        if rows.ndim != 2 or len(rows) != len(batch) or rows.dtype != np.float32:
            wrong = f"{rows.dtype} {list(rows.shape)}, expected float32 [{len(batch)}, d]"
            raise EmbedderError(f"{path}: not the vectors of its batch ({wrong}); delete it, it will be made anew")
        return rows

    def add(self, batch: Sequence[str], rows: NDArray[np.float32]) -> None:
        """Keep a batch's rows."""
        import numpy as np

        stream = BytesIO()
        np.save(stream, rows)
        write_bytes_atomic(self._path(batch), stream.getvalue())

    def _path(self, batch: Sequence[str]) -> Path:
        return self.folder / f"{digest_json(list(batch))}.npy"
