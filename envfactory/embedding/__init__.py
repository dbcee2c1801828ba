"""Embedders: texts to vectors, for what the tool graph proposes."""

from envfactory.embedding.embedder import Embedder
from envfactory.embedding.lexical import Lexical

__all__ = ["Embedder", "Lexical"]
