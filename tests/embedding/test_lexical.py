from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.embedding import Embedder, Lexical, lexical

TEXTS = [
    "hotel_id (string): Hotel to look at.",
    "hotel_id (string): Identifier of the hotel.",
    "amount (number): How much to pay.",
]


def test_rows_are_unit_vectors_of_single_precision():
    rows = Lexical().embed(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape[0] == len(TEXTS)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_texts_of_one_thing_are_closer_than_texts_of_different_things():
    rows = Lexical().embed(TEXTS)
    assert rows[0] @ rows[1] > 0.5 > rows[0] @ rows[2]


def test_it_is_an_embedder_with_its_own_threshold():
    embedder: Embedder = Lexical(threshold=0.7)
    assert (embedder.name, embedder.threshold) == ("lexical", 0.7)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_order_and_repeats_of_the_texts_do_not_change_their_rows(texts: list[str], rng):
    letters = [*texts, "letters so that there is a vocabulary"]
    shuffled = [*letters, letters[0]]
    rng.shuffle(shuffled)
    first, second = Lexical().embed(letters), Lexical().embed(shuffled)
    for row, text in enumerate(shuffled):
        assert np.array_equal(second[row], first[letters.index(text)])


def test_of_equally_frequent_ngrams_the_first_by_alphabet_are_kept(monkeypatch):
    monkeypatch.setattr(lexical, "FEATURES", 2)
    assert lexical._frequent(["d", "b", "c", "a"], [2, 1, 1, 1]) == [0, 3]


def test_no_texts_give_no_rows():
    assert Lexical().embed([]).shape[0] == 0


def test_scikit_learn_is_imported_only_when_texts_are_embedded():
    code = "import sys; from envfactory.embedding import Lexical; Lexical(); print('sklearn' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "False"
