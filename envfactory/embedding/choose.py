"""The embedder that a configuration chooses, and what it lacks here."""

from __future__ import annotations

import sys
from pathlib import Path

from envfactory.config.making import BgeM3EmbedderConfig, EmbedderConfig, LexicalEmbedderConfig, MinilmEmbedderConfig
from envfactory.embedding.embedder import Embedder
from envfactory.embedding.lexical import Lexical
from envfactory.embedding.sentences import Sentences, Track, untold
from envfactory.embedding.vectors import Vectors
from envfactory.embedding.weights import (
    EmbedderError,
    Weights,
    hub_weights,
    minilm_weights,
    missing_packages,
    model_folder,
)

__all__ = ["choose_embedder", "lacking"]


def choose_embedder(config: EmbedderConfig, track: Track = untold) -> Embedder:
    """Return the embedder of a configuration.

    Args:
        config: group `embedder`.
        track: tells how far a long embedding is.

    Raises:
        EmbedderError: its weights are not here, or not the right ones.
    """
    if isinstance(config, LexicalEmbedderConfig):
        return Lexical(config.ngrams, config.threshold)
    weights = _weights(config)
    return Sentences(
        config.kind,
        weights,
        config.threshold,
        batch_size=config.batch_size,
        device=config.device,
        vectors=Vectors(Path(config.vectors), weights.digest) if config.vectors is not None else None,
        track=track,
    )


def lacking(config: EmbedderConfig) -> tuple[str, str, str] | None:
    """Return what a configuration's embedder lacks here, without importing or reading anything large.

    Returns:
        Key, its value, and what is wrong with how to mend it; None: as far as can be told, nothing.
    """
    if isinstance(config, LexicalEmbedderConfig):
        return None
    if missing := missing_packages(minilm=isinstance(config, MinilmEmbedderConfig)):
        quoted = " ".join(f"'{wanted}'" for wanted in missing)
        what = "a package is missing; install it" if len(missing) == 1 else "packages are missing; install them"
        fix = f"{sys.executable} -m pip install {quoted} (the extra `embeddings`), or choose embedder=lexical"
        return "embedder.kind", config.kind, f"{what} with: {fix}"
    if isinstance(config, BgeM3EmbedderConfig):
        try:
            model_folder(config.model)
        except EmbedderError as error:
            return "embedder.model", config.model, str(error)
    return None


def _weights(config: MinilmEmbedderConfig | BgeM3EmbedderConfig) -> Weights:
    return minilm_weights() if isinstance(config, MinilmEmbedderConfig) else hub_weights(config.model, config.revision)
