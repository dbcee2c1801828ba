"""What was embedded once is kept, batch by batch."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from envfactory.embedding import EmbedderError
from envfactory.embedding.vectors import Vectors

BATCH = ["a", "ü"]
ROWS = np.array([[0.1, 0.2], [0.3, 1 / 3]], dtype=np.float32)


def saved(rows: np.ndarray) -> bytes:
    stream = BytesIO()
    np.save(stream, rows)
    return stream.getvalue()


def test_a_batch_is_found_again_bit_for_bit_and_no_other_is(tmp_path: Path):
    kept = Vectors(tmp_path, "m")
    assert kept.of(BATCH) is None
    kept.add(BATCH, ROWS)
    found = Vectors(tmp_path, "m").of(BATCH)
    assert found is not None
    assert (found.dtype, found.tobytes()) == (np.float32, ROWS.tobytes())
    assert [kept.of(batch) for batch in (["a"], ["ü", "a"], ["aü"])] == [None] * 3
    assert Vectors(tmp_path, "n").of(BATCH) is None


@pytest.mark.parametrize(
    "content", [b"", b"not vectors", saved(ROWS)[:-3], saved(ROWS[:1]), saved(ROWS[0]), saved(ROWS.astype(np.float64))]
)
def test_a_damaged_file_is_told_with_what_to_do(tmp_path: Path, content: bytes):
    kept = Vectors(tmp_path, "m")
    kept.add(BATCH, ROWS)
    (file,) = (tmp_path / "m").iterdir()
    file.write_bytes(content)
    with pytest.raises(EmbedderError, match=r"\.npy: not .*; delete it, it will be made anew"):
        kept.of(BATCH)
