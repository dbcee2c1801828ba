"""Gold: the right calls of a task as a program, and how to run it.

A program rather than a list of literals: what came out of an earlier call is bound by name, so that dropping a detour
or renaming ids does not break what follows.
"""

from envfactory.gold.program import (
    Binding,
    Const,
    FromUser,
    Gold,
    GoldCall,
    Leaf,
    ListOf,
    ObjectOf,
    Out,
    Pick,
    bindings_of,
    bound,
    leaf_bindings,
    renumbered,
    rewritten,
    value_at,
)  # fmt: skip
from envfactory.gold.replay import Call, Replay, ReplayError, replay

__all__ = [
    "Binding", "Call", "Const", "FromUser", "Gold", "GoldCall", "Leaf", "ListOf", "ObjectOf", "Out", "Pick", "Replay",
    "ReplayError", "bindings_of", "bound", "leaf_bindings", "renumbered", "replay", "rewritten", "value_at",
]  # fmt: skip
