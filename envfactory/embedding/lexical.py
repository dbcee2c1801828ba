"""`Lexical`: character n-gram TF-IDF, so that the graph can be built without weights, GPU or network.

Texts that share rare word parts are close, whatever language model there is; `reservation_id` and `Reservation to move`
share many. The vectoriser is fitted on the texts themselves, in sorted order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

THRESHOLD = 0.54
"""Where F1 against the catalogue's declarations is near the best, and recall high: 0.58 and 0.78, 0.63 at best.

`envfactory.toolgraph.threshold_curve` finds the best, and a test compares. It rises with the catalogue (0.56 over eight
environments, 0.6 over twenty-five), since words get rarer; what is proposed too much, rules and proof take away. Other
n-grams, more of them, or names and descriptions weighed apart do no better."""

FEATURES = 2048
"""At most this many n-grams, the most frequent: keeps the vectors of a thousand tools dense and in memory."""


class Lexical:
    """See the module docstring.

    Attributes:
        ngrams: shortest and longest n-gram, in characters; none crosses the edge of a word.
    """

    name = "lexical"

    def __init__(self, ngrams: tuple[int, int] = (2, 4), threshold: float = THRESHOLD) -> None:
        self.ngrams = ngrams
        self.threshold = threshold

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; see `Embedder.embed`."""
        import numpy as np
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

        known = sorted(set(texts))
        if not known:
            return np.zeros((0, 0), dtype=np.float32)
        vectorizer: Any = CountVectorizer(analyzer="char_wb", ngram_range=self.ngrams)
        counts: Any = vectorizer.fit_transform(known)
        kept = _frequent(vectorizer.get_feature_names_out().tolist(), counts.sum(axis=0).tolist()[0])
        weights: Any = TfidfTransformer()
        rows: NDArray[np.float32] = weights.fit_transform(counts[:, kept]).astype(np.float32).toarray()
        position = {text: row for row, text in enumerate(known)}
        return rows[[position[text] for text in texts]]


def _frequent(names: list[str], totals: list[int]) -> list[int]:
    """The columns of the most frequent n-grams, in order.

    Chosen here, since the library's own limit breaks ties by a sort that differs between processors.
    """
    by_frequency = sorted(range(len(names)), key=lambda column: (-totals[column], names[column]))
    return sorted(by_frequency[:FEATURES])
