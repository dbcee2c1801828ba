"""Embedders: texts to vectors, for what the tool graph proposes."""

from envfactory.embedding.embedder import Embedder
from envfactory.embedding.lexical import Lexical
from envfactory.embedding.weights import EmbedderError

__all__ = ["Embedder", "EmbedderError", "Lexical"]
