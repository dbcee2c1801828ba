"""Batches, order, kept vectors and errors, by a small stand-in for the model; the real one is in test_minilm.py."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from envfactory.embedding import Embedder, EmbedderError
from envfactory.embedding.sentences import Sentences
from envfactory.embedding.vectors import Vectors
from envfactory.embedding.weights import Weights

WEIGHTS = Weights("somewhere", None, "d")
TEXTS = ["room_id (string): The room.", "id (string)", "amount (number): To pay.", "id (string)"]


class Counting:
    """A model whose vectors tell texts apart."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def encode(self, texts: list[str], *, batch_size: int, **settings: bool) -> np.ndarray:
        assert batch_size == len(texts)
        assert settings == {"normalize_embeddings": True, "convert_to_numpy": True, "show_progress_bar": False}
        self.batches.append(texts)
        rows = np.array([[len(text), sum(text.encode()) % 97 + 1] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Counting:
    counting = Counting()
    monkeypatch.setattr(Sentences, "_load", lambda _: counting)
    return counting


def test_each_text_is_embedded_once_in_an_order_that_only_the_texts_decide(model: Counting):
    embedder: Embedder = Sentences("s", WEIGHTS, 0.5, batch_size=2)
    rows = embedder.embed(TEXTS)
    assert model.batches == [["id (string)", "amount (number): To pay."], ["room_id (string): The room."]]
    assert np.array_equal(rows[1], rows[3])
    again = Sentences("s", WEIGHTS, 0.5, batch_size=2).embed(TEXTS[::-1])
    assert model.batches[:2] == model.batches[2:]
    assert np.array_equal(again[::-1], rows)
    assert embedder.embed([]).shape == (0, 0)


def test_a_batch_that_has_vectors_is_not_embedded_again_and_the_model_is_not_loaded(
    model: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def embedded(*texts: str) -> np.ndarray:
        return Sentences("s", WEIGHTS, 0.5, batch_size=2, vectors=Vectors(tmp_path, "d")).embed(texts)

    rows = embedded(*TEXTS)
    del model.batches[:]
    longer = embedded(*TEXTS, "room_id (string): The room in question.")
    assert [len(batch) for batch in model.batches] == [2]  # the longest, beside the new one
    assert np.array_equal(longer[:-1], rows)

    def load(_: Sentences) -> None:
        raise AssertionError("loaded")

    monkeypatch.setattr(Sentences, "_load", load)
    assert np.array_equal(embedded(*TEXTS[::-1]), rows[::-1])


def test_vectors_are_kept_on_the_way(model: Counting, tmp_path: Path):
    def cut(items: Iterable[str], total: int, label: str) -> Iterator[str]:
        assert (total, label) == (3, "texts embedded")
        yield from list(items)[:2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Sentences("s", WEIGHTS, 0.5, batch_size=1, vectors=Vectors(tmp_path, "d"), track=cut).embed(TEXTS)
    assert len(list((tmp_path / "d").iterdir())) == len(model.batches) == 2


def test_without_the_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderError, match=r"embedder.kind=minilm: .*install the package's extra `embeddings`"):
        Sentences("minilm", WEIGHTS, 0.5).embed(["a"])


def test_choosing_and_composing_import_no_torch():
    code = (
        "import sys; from envfactory.config.commandline import read_command; import envfactory.embedding.choose as c;"
        "config = read_command(['embedder=bge_m3']).cells[0].config.embedder;"
        "c.lacking(config); c.choose_embedder(config);"
        "print([name for name in ('torch', 'sentence_transformers', 'sklearn', 'numpy') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "[]"
