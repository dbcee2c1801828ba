"""What an embedder is: texts to unit vectors, and the cosine over which two of its texts count as similar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Embeds short texts; cosines of different embedders do not compare, so each brings its own threshold."""

    @property
    def name(self) -> str:
        """What the graph notes as the source of its cosines."""
        ...

    @property
    def threshold(self) -> float:
        """Cosine at which an edge is proposed, unless the configuration says otherwise."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts.

        Args:
            texts: n of them; an embedder may fit itself on the set of them, so compare vectors of one call only.

        Returns:
            Array [n, d], rows of length 1 (or 0 for a text without features); the same texts give the same rows.
        """
        ...
