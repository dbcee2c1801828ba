"""Texts embedded for real, by all-MiniLM-L6-v2, in the interpreter that has torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.embedding.conftest import ROOT, Inside
from tests.embedding.table import COMPARE, NAMES, section, words_and_numbers, written

pytestmark = [pytest.mark.embedding, pytest.mark.timeout(560)]

KNOWN = """
import json, sys
from envfactory.config.commandline import read_command
from envfactory.embedding.choose import choose_embedder
from envfactory.embedding.weights import minilm_weights
texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
found = []
for overrides in (["embedder=minilm"], ["embedder=bge_m3", "embedder.model=" + minilm_weights().location]):
    config = read_command([*overrides, "embedder.vectors=" + sys.argv[1]]).cells[0].config.embedder
    embedder = choose_embedder(config)
    rows = embedder.embed(texts)
    found.append([embedder.name, embedder.threshold, str(rows.dtype), (rows @ rows.T).tolist()])
print(json.dumps(found))
"""


def test_known_pairs_have_their_known_cosines_from_the_package_and_from_a_folder(inside: Inside, tmp_path: Path):
    ended = inside("-c", KNOWN, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    minilm, folder = json.loads(ended.stdout)
    # As the documentation of sentence-transformers gives them for these three sentences.
    assert minilm[3] == [
        pytest.approx([1, 0.6660, 0.1046], abs=2e-4),
        pytest.approx([0.6660, 1, 0.1411], abs=2e-4),
        pytest.approx([0.1046, 0.1411, 1], abs=2e-4),
    ]
    assert (minilm[0], minilm[2], folder[0], folder[1]) == ("minilm", "float32", "bge_m3", 0.85)
    assert folder[3] == minilm[3]


def test_the_stage_gives_the_same_bytes_in_any_process_and_embeds_nothing_twice(inside: Inside, tmp_path: Path):
    def graph(outputs: str, *overrides: str, **variables: str) -> bytes:
        command = ("-m", "envfactory", "stages=[graph]", "embedder=minilm", "domain=travel", "graph.prove=false")
        ended = inside(*command, f"paths.outputs={tmp_path / outputs}", *overrides, **variables)
        assert ended.returncode == 0, ended.stderr
        assert "texts embedded" in ended.stderr
        (file,) = {path.resolve() for path in (tmp_path / outputs).rglob("tool_graph.json")}
        return file.read_bytes()

    one = graph("one", PYTHONHASHSEED="1", OMP_NUM_THREADS="1")
    assert json.loads(one)["embedder"] == "minilm"
    assert graph("two", PYTHONHASHSEED="2") == one
    # What is kept is enough: there is no torch to embed with.
    kept = next((tmp_path / "one").rglob("vectors"))
    assert graph("three", f"embedder.vectors={kept}", PYTHONPATH=f"{without_torch(tmp_path)}:{ROOT}") == one


def without_torch(folder: Path) -> Path:
    """A folder to be searched first, in which torch does not import."""
    (folder / "none").mkdir()
    (folder / "none" / "torch.py").write_text("raise ImportError('no torch')\n")
    return folder / "none"


def test_without_a_hub_and_a_folder_the_stage_says_what_to_do(inside: Inside, tmp_path: Path):
    command = ("-m", "envfactory", "stages=[graph]", "embedder=bge_m3", "domain=travel")
    ended = inside(*command, f"paths.outputs={tmp_path / 'outputs'}", HF_HOME=str(tmp_path / "hub"))
    assert ended.returncode == 1
    assert "BAAI/bge-m3 at 5617a9f61b028005a4858fdac845db406aefb181 could not be had from the hub" in ended.stderr
    assert "set embedder.model to a folder that holds it" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.fixture(scope="module")
def scores(inside: Inside, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    ended = inside(COMPARE, tmp_path_factory.mktemp("vectors"), *NAMES)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize("name", ["lexical", "minilm"])
def test_each_threshold_is_the_one_that_scores_best(scores: dict[str, Any], name: str):
    score = scores[name]
    at = score["curve"][str(score["threshold"])]
    assert at["f1"] >= score["best"] - 0.03, f"retune the threshold of {name}: {score['choice']} scores better"


def test_meaning_tells_pairs_apart_better_than_characters_do(scores: dict[str, Any]):
    lexical, minilm = scores["lexical"], scores["minilm"]
    assert minilm["best"] > lexical["best"]
    assert minilm["declared"]["precision"] > lexical["declared"]["precision"]


def test_the_table_of_the_documentation_is_what_was_measured(scores: dict[str, Any]):
    said, figures = words_and_numbers(written())
    words, measured = words_and_numbers(section(scores))
    assert said == words
    for figure, now in zip(figures, measured, strict=True):
        # An environment that is edited moves them a little.
        assert figure == pytest.approx(now, abs=0.03, rel=0.1), "write it anew: python -m tests.embedding.table"
